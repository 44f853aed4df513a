//! Results: tables for people, JSON for programs, files that appear whole or not at all.

use crate::error::CommandError;
use crate::progress::{Terminal, uninterrupted};
use crate::{narrow, spark, visible};
use clap::{Args, ValueEnum};
use hodgelet::dataset::Dataset;
use hodgelet::output::Output;
use hodgelet_data::jsonl::{self, JsonlError};
use serde::Serialize;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

pub use crate::narrow::{facts, table};

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
        Format::Table => {
            let text = narrow::folded(&visible::lines(&report.text()));
            spark::painted(&text, spark::has_colors())
        }
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

/// What a command may replace.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct ForceArgs {
    /// Replace what --out names even if it is of another kind, read-only, or has several names
    #[arg(long, help_heading = "Output")]
    pub force: bool,
}

/// Writes a file, whole or not at all, or to standard output if it is called `-`.
///
/// # Errors
///
/// [`CommandError::Write`] or [`CommandError::Refused`]; nothing is left behind.
pub fn write_atomic(
    output: Output<'_>,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), CommandError> {
    if is_stdout(output.path()) {
        let mut out = BufWriter::new(io::stdout().lock());
        return write(&mut out).and_then(|()| out.flush()).map_err(CommandError::Stdout);
    }
    Ok(uninterrupted(|| output.write(write))?)
}

/// Whether a file can be written and is none of those that are read; asked before the work rather than after it.
///
/// # Errors
///
/// [`CommandError::Write`] or [`CommandError::Refused`].
pub fn check_out(output: Output<'_>, inputs: &[PathBuf]) -> Result<(), CommandError> {
    if is_stdout(output.path()) {
        return Ok(());
    }
    output.check_inputs(inputs)?;
    Ok(output.check()?)
}

/// Writes a dataset as JSONL, whole or not at all, or to standard output if it is called `-`.
///
/// # Errors
///
/// [`CommandError`]; nothing is left behind.
pub fn write_dataset(output: Output<'_>, dataset: &Dataset, ids: &[String]) -> Result<(), CommandError> {
    if is_stdout(output.path()) {
        return jsonl::write_to(io::stdout().lock(), dataset, ids).map_err(|error| match error {
            JsonlError::Io { source, .. } => CommandError::Stdout(source),
            error => error.into(),
        });
    }
    Ok(uninterrupted(|| jsonl::write_file(&output, dataset, ids))?)
}

/// Refuses names of files that end in none of `extensions`; standard output, devices and pipes have none.
///
/// # Errors
///
/// [`CommandError::Usage`].
pub fn check_extension(path: &Path, extensions: &[&str]) -> Result<(), CommandError> {
    let is_file = || std::fs::metadata(path).map_or(true, |found| found.is_file() || found.is_dir());
    let extension = path.extension().and_then(|extension| extension.to_str());
    if extension.is_some_and(|found| extensions.contains(&found)) || is_stdout(path) || !is_file() {
        return Ok(());
    }
    let names: Vec<String> = extensions.iter().map(|name| format!(".{name}")).collect();
    let names = match names.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => names.join(""),
    };
    let message = format!("--out {}, expected a name that ends in {names}", path.display());
    Err(CommandError::usage(message, None))
}

/// Makes a folder for results.
///
/// # Errors
///
/// [`CommandError::Write`].
pub fn make_folder(folder: &Path) -> Result<(), CommandError> {
    std::fs::create_dir_all(folder).map_err(|source| CommandError::Write { path: folder.to_owned(), source })
}

/// Whether a path means standard output: `-`, or what the system calls it.
///
/// A redirection may have made a file of it, which must be written to and not replaced.
#[must_use]
pub fn is_stdout(path: &Path) -> bool {
    ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].iter().any(|name| path == Path::new(name))
}

/// Prints a result: on standard output, or on standard error where standard output holds what `out` names.
///
/// # Errors
///
/// [`CommandError::Stdout`].
pub fn print_beside(
    out: &Path,
    report: &impl Report,
    format: Format,
    terminal: Terminal,
) -> Result<(), CommandError> {
    if is_stdout(out) {
        terminal.note(&report.text());
        return Ok(());
    }
    print(report, format)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hodgelet::output::Kind;

    #[test]
    fn numbers_are_short() {
        let values = [188.0, 17.925_53, 0.333_33, 1234.5, 1e-9, -2.0, 1.999_999_999_999, -0.0];
        assert_eq!(values.map(number), ["188", "17.93", "0.333", "1234.5", "1.00e-9", "-2", "2", "0"]);
    }

    #[test]
    fn a_file_that_fails_leaves_nothing_and_keeps_the_old_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.csv");
        let output = Output::new(&path, Kind::ANY);
        write_atomic(output, |out| out.write_all(b"old")).unwrap();
        let error = write_atomic(output, |out| {
            out.write_all(b"new")?;
            Err(io::Error::other("it broke"))
        });
        assert_eq!(error.unwrap_err().to_string(), format!("{}: it broke", path.display()));
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
