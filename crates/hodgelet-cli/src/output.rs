//! Results: tables for people, JSON for programs, files that appear whole or not at all.

use crate::error::CommandError;
use crate::progress::uninterrupted;
use clap::ValueEnum;
use comfy_table::{CellAlignment, Table, presets};
use serde::Serialize;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// How a result is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Tables for people.
    #[default]
    Table,
    /// One JSON object for programs.
    Json,
}

/// A result that can be printed both ways.
pub trait Report: Serialize {
    /// The text for people, without a newline at its end.
    fn text(&self) -> String;
}

/// Prints a result on standard output.
///
/// # Errors
///
/// [`CommandError::Stdout`].
pub fn print(report: &impl Report, format: Format) -> Result<(), CommandError> {
    let text = match format {
        Format::Table => report.text(),
        Format::Json => json(report)?,
    };
    print_text(&text)
}

/// Prints text and a newline on standard output.
///
/// # Errors
///
/// [`CommandError::Stdout`].
pub fn print_text(text: &str) -> Result<(), CommandError> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())
        .and_then(|()| out.write_all(b"\n"))
        .and_then(|()| out.flush())
        .map_err(CommandError::Stdout)
}

/// A value as indented JSON.
///
/// # Errors
///
/// [`CommandError::Stdout`], though plain structs can always be written.
pub fn json(value: &impl Serialize) -> Result<String, CommandError> {
    serde_json::to_string_pretty(value).map_err(|error| CommandError::Stdout(error.into()))
}

/// A table with a header; columns whose index is in `numbers` are aligned to the right.
#[must_use]
pub fn table(header: &[&str], numbers: &[usize], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(header);
    table.add_rows(rows);
    for &index in numbers {
        if let Some(column) = table.column_mut(index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let (first, last) = (0, header.len().saturating_sub(1));
    for (index, padding) in [(first, (0, 1)), (last, (1, 0))] {
        if let Some(column) = table.column_mut(index) {
            column.set_padding(padding);
        }
    }
    trimmed(&table.to_string())
}

/// Two columns without a header: names and values.
#[must_use]
pub fn facts<S: AsRef<str>>(rows: &[(S, String)]) -> String {
    let width = rows.iter().map(|(what, _)| what.as_ref().chars().count()).max().unwrap_or(0);
    let line = |(what, value): &(S, String)| format!("{:width$}  {value}", what.as_ref());
    trimmed(&rows.iter().map(line).collect::<Vec<_>>().join("\n"))
}

/// Lines without blanks at their ends.
fn trimmed(text: &str) -> String {
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

/// A number for people: whole ones as such, others with four significant digits.
#[must_use]
pub fn number(value: f64) -> String {
    let size = value.abs();
    // Rounding does not change a whole number.
    if (value - value.round()).abs() <= 1e-9 * size && size < 1e15 {
        return format!("{:.0}", value.round() + 0.0);
    }
    match size {
        100.0..1e15 => format!("{value:.1}"),
        10.0..100.0 => format!("{value:.2}"),
        0.01..10.0 => format!("{value:.3}"),
        _ => format!("{value:.2e}"),
    }
}

/// Writes a file beside its destination and moves it there once it is complete.
///
/// # Errors
///
/// [`CommandError::Write`]; nothing is left behind.
pub fn write_atomic(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), CommandError> {
    uninterrupted(|| stage(path, write)?.place())
}

/// A complete file that waits to be moved to its place; dropping it removes it.
#[derive(Debug)]
pub struct Staged {
    file: tempfile::NamedTempFile,
    path: PathBuf,
}

/// Writes a file beside its destination without moving it there yet.
///
/// # Errors
///
/// [`CommandError::Write`]; nothing is left behind.
pub fn stage(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<Staged, CommandError> {
    let failed = |source| CommandError::Write { path: path.to_owned(), source };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.suffix(".tmp");
    #[cfg(unix)]
    {
        // Temporary files are private; this one will be an ordinary file.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let file = builder.tempfile_in(folder).map_err(|error| failed(without_path(&error)))?;
    let mut out = BufWriter::new(file.as_file());
    write(&mut out).and_then(|()| out.flush()).map_err(failed)?;
    drop(out);
    file.as_file().sync_all().map_err(failed)?;
    Ok(Staged { file, path: path.to_owned() })
}

/// The same error without the name of a temporary file, which says nothing to a user.
#[must_use]
pub fn without_path(error: &io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::NotFound => io::Error::new(error.kind(), "no such directory"),
        kind => kind.into(),
    }
}

impl Staged {
    /// Moves the file to its place.
    ///
    /// # Errors
    ///
    /// [`CommandError::Write`].
    pub fn place(self) -> Result<(), CommandError> {
        let Self { file, path } = self;
        file.persist(&path).map(drop).map_err(|error| CommandError::Write { path, source: error.error })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let values = [188.0, 17.925_53, 0.333_33, 1234.5, 1e-9, -2.0, 1.999_999_999_999, -0.0];
        assert_eq!(values.map(number), ["188", "17.93", "0.333", "1234.5", "1.00e-9", "-2", "2", "0"]);
    }

    #[test]
    fn tables_align_numbers_to_the_right_and_end_lines_without_blanks() {
        let rows = [vec!["a".to_owned(), "1".to_owned()], vec!["bb".to_owned(), "100".to_owned()]];
        assert_eq!(table(&["name", "n"], &[1], rows), "name    n\na       1\nbb    100");
        assert_eq!(facts(&[("a", "1".to_owned()), ("long", String::new())]), "a     1\nlong");
    }

    #[test]
    fn a_file_that_fails_leaves_nothing_and_keeps_the_old_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.csv");
        write_atomic(&path, |out| out.write_all(b"old")).unwrap();
        let error = write_atomic(&path, |out| {
            out.write_all(b"new")?;
            Err(io::Error::other("it broke"))
        });
        assert_eq!(error.unwrap_err().to_string(), format!("{}: it broke", path.display()));
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
