//! Feature files: CSV, NPY and JSONL.

use super::{BlockInfo, FeatureTable};
use crate::error::CommandError;
use crate::output::{check_extension, write_atomic};
use crate::progress::uninterrupted;
use hodgelet::dataset::Targets;
use hodgelet::output::{Kind, Output};
use hodgelet_data::Read;
use serde::Serialize;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// How features are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileFormat {
    /// A header, then `id`, features and `target`, one graph per line.
    Csv,
    /// A matrix of 64-bit numbers, and a file of column names beside it.
    Npy,
    /// One object with `id`, `features` and `target` per line, and a file of column names beside it.
    Jsonl,
}

/// What the file beside a matrix says.
#[derive(Serialize)]
struct Columns<'a> {
    dataset: &'a str,
    columns: &'a [String],
    blocks: &'a [BlockInfo],
    ids: Vec<String>,
    targets: Vec<Target<'a>>,
}

#[derive(Serialize)]
struct Line<'a> {
    id: String,
    features: Vec<f64>,
    target: Target<'a>,
}

#[derive(Clone, Copy, Serialize)]
#[serde(untagged)]
enum Target<'a> {
    None,
    Class(&'a str),
    Real(f64),
}

impl FileFormat {
    /// The format of a file, by its extension.
    ///
    /// # Errors
    ///
    /// [`CommandError::Usage`] when the name has none of these extensions.
    pub fn of(path: &Path) -> Result<Self, CommandError> {
        check_extension(path, &["csv", "npy", "jsonl"])?;
        Ok(match path.extension().and_then(|extension| extension.to_str()) {
            Some("npy") => Self::Npy,
            Some("jsonl") => Self::Jsonl,
            // Standard output and pipes have no name to tell by, and no place for a file beside them.
            _ => Self::Csv,
        })
    }

    /// The file of names beside a file of features: its own name, so that `f.npy` and `f.jsonl` have one each.
    pub fn beside(path: &Path) -> PathBuf {
        let mut name = path.file_name().unwrap_or_default().to_owned();
        name.push(".columns.json");
        path.with_file_name(name)
    }

    /// The file of features, and the one beside it.
    pub fn outputs<'a>(
        self,
        path: &'a Path,
        beside: &'a Path,
        force: bool,
    ) -> (Output<'a>, Option<Output<'a>>) {
        let kind = match self {
            Self::Csv => Kind::CSV,
            Self::Npy => Kind::MATRIX,
            Self::Jsonl => Kind::FEATURES,
        };
        let beside = Output::new(beside, Kind::REPORT).forced(force);
        (Output::new(path, kind).forced(force), (self != Self::Csv).then_some(beside))
    }

    /// Writes the features; returns the file with the names of the columns, if there is one.
    ///
    /// # Errors
    ///
    /// [`CommandError::Write`]; nothing is left behind.
    pub fn write(
        self,
        (output, beside): (Output<'_>, Option<Output<'_>>),
        features: &FeatureTable,
        read: &Read,
    ) -> Result<Option<PathBuf>, CommandError> {
        let Some(beside) = beside else {
            write_atomic(output, |out| csv(out, features, read))?;
            return Ok(None);
        };
        uninterrupted(|| {
            let matrix = output.stage(|out| match self {
                Self::Npy => npy(out, features, read.dataset.len()),
                _ => jsonl(out, features, read),
            })?;
            let names = beside.stage(|out| columns(out, features, read))?;
            names.place()?;
            matrix.place()
        })?;
        Ok(Some(beside.path().to_owned()))
    }
}

fn id(read: &Read, i: usize) -> String {
    read.ids.get(i).filter(|id| !id.is_empty()).cloned().unwrap_or_else(|| i.to_string())
}

fn target(read: &Read, i: usize) -> Target<'_> {
    match read.dataset.targets() {
        Targets::None => Target::None,
        Targets::Classes { names, labels } => Target::Class(&names[labels[i] as usize]),
        Targets::Real(values) => Target::Real(values[i]),
    }
}

fn csv(out: &mut dyn Write, features: &FeatureTable, read: &Read) -> io::Result<()> {
    write!(out, "id")?;
    for name in &features.names {
        write!(out, ",{}", quoted(name))?;
    }
    writeln!(out, ",target")?;
    for i in 0..read.dataset.len() {
        write!(out, "{}", quoted(&id(read, i)))?;
        for value in features.row(i) {
            write!(out, ",{value:?}")?; // the shortest digits that read back as the same number
        }
        match target(read, i) {
            Target::None => writeln!(out, ",")?,
            Target::Class(name) => writeln!(out, ",{}", quoted(name))?,
            Target::Real(value) => writeln!(out, ",{value:?}")?,
        }
    }
    Ok(())
}

/// A field of a CSV file, in quotes where it needs them.
fn quoted(field: &str) -> String {
    match field.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field.to_owned(),
    }
}

/// NPY version 1.0: little-endian doubles, row after row.
fn npy(out: &mut dyn Write, features: &FeatureTable, n: usize) -> io::Result<()> {
    let shape = format!("({n}, {})", features.names.len());
    let mut header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}");
    // Magic, version, length and header fill a multiple of 64 bytes, the last one a newline.
    let padding = 64 - (10 + header.len() + 1) % 64;
    header.push_str(&" ".repeat(padding % 64));
    header.push('\n');
    let length = u16::try_from(header.len()).map_err(io::Error::other)?;
    out.write_all(b"\x93NUMPY\x01\x00")?;
    out.write_all(&length.to_le_bytes())?;
    out.write_all(header.as_bytes())?;
    for i in 0..n {
        for value in features.row(i) {
            out.write_all(&value.to_le_bytes())?;
        }
    }
    Ok(())
}

fn jsonl(out: &mut dyn Write, features: &FeatureTable, read: &Read) -> io::Result<()> {
    for i in 0..read.dataset.len() {
        let line = Line { id: id(read, i), features: features.row(i).collect(), target: target(read, i) };
        serde_json::to_writer(&mut *out, &line)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

fn columns(out: &mut dyn Write, features: &FeatureTable, read: &Read) -> io::Result<()> {
    let all = 0..read.dataset.len();
    let columns = Columns {
        dataset: read.dataset.name(),
        columns: &features.names,
        blocks: &features.blocks,
        ids: all.clone().map(|i| id(read, i)).collect(),
        targets: all.map(|i| target(read, i)).collect(),
    };
    serde_json::to_writer_pretty(&mut *out, &columns)?;
    out.write_all(b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_only_where_they_must_be() {
        assert_eq!(quoted("edge exact | label=1 | filter 3"), "edge exact | label=1 | filter 3");
        assert_eq!(quoted("a,\"b\""), "\"a,\"\"b\"\"\"");
    }

    #[test]
    fn the_extension_says_how() {
        assert_eq!(FileFormat::of(Path::new("a/b.npy")).unwrap(), FileFormat::Npy);
        let message = FileFormat::of(Path::new("b.txt")).unwrap_err().to_string();
        assert_eq!(message, "--out b.txt, expected a name that ends in .csv, .npy or .jsonl");
    }
}
