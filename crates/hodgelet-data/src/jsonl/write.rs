//! Writing JSONL.

use super::complex::Cells;
use super::{GRAPH, JsonlError, VERSION, dim_key};
use hodgelet::dataset::{Column, ColumnValues, Dataset, Targets, WHOLE};
use hodgelet::output::{Kind, Output, OutputError};
use hodgelet::signal::Orientation;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{BufWriter, Write};
use std::path::Path;

#[derive(Serialize)]
struct Header<'a> {
    hodgelet: u64,
    name: &'a str,
    complexes: usize,
    target: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    classes: Option<&'a [String]>,
    columns: Vec<ColumnHeader<'a>>,
}

#[derive(Serialize)]
struct ColumnHeader<'a> {
    name: &'a str,
    dim: Dim,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    categories: Option<&'a [String]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    channels: Option<&'a [String]>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    oriented: bool,
}

/// A dimension, or the word for graphs as a whole.
#[derive(Serialize)]
#[serde(untagged)]
enum Dim {
    Cells(usize),
    Whole(&'static str),
}

#[derive(Serialize)]
struct Line<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    #[serde(flatten)]
    cells: Cells,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    signals: BTreeMap<String, BTreeMap<&'a str, Values<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<Target<'a>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Values<'a> {
    Labels(Vec<&'a str>),
    Numbers(&'a [f64]),
    Rows(Vec<&'a [f64]>),
}

#[derive(Serialize)]
#[serde(untagged)]
enum Target<'a> {
    Class(&'a str),
    Real(f64),
}

/// Writes a dataset to a file, which appears only once it is complete and replaces only a dataset; `ids` may be empty.
///
/// # Errors
///
/// [`JsonlError`] when `ids` and complexes differ in number, the file cannot be written, or `path` holds something else.
pub fn write(path: &Path, dataset: &Dataset, ids: &[String]) -> Result<(), JsonlError> {
    write_file(&Output::new(path, Kind::DATASET), dataset, ids)
}

/// Writes a dataset to a place that says itself what it may replace; `ids` may be empty.
///
/// # Errors
///
/// As [`write()`].
pub fn write_file(output: &Output<'_>, dataset: &Dataset, ids: &[String]) -> Result<(), JsonlError> {
    check_ids(dataset, ids)?;
    let written = output.write(|out| {
        write_to(out, dataset, ids).map_err(|error| match error {
            JsonlError::Io { source, .. } => source,
            other => std::io::Error::other(other),
        })
    });
    written.map_err(|error| match error {
        OutputError::Io { path, source } => JsonlError::Io { path, source },
        refused => JsonlError::Refused(refused),
    })
}

/// Writes a dataset line by line; `ids` may be empty.
///
/// # Errors
///
/// [`JsonlError`] when `ids` and complexes differ in number or `out` refuses a line.
pub fn write_to(out: impl Write, dataset: &Dataset, ids: &[String]) -> Result<(), JsonlError> {
    check_ids(dataset, ids)?;
    let io = |source| JsonlError::Io { path: "output".into(), source };
    let mut out = BufWriter::new(out);
    line(&mut out, &header(dataset)).map_err(io)?;
    for i in 0..dataset.len() {
        let id = ids.get(i).map(String::as_str).filter(|id| !id.is_empty());
        line(&mut out, &complex(dataset, i, id)).map_err(io)?;
    }
    out.flush().map_err(io)
}

fn check_ids(dataset: &Dataset, ids: &[String]) -> Result<(), JsonlError> {
    match ids.is_empty() || ids.len() == dataset.len() {
        true => Ok(()),
        false => Err(JsonlError::Ids { expected: dataset.len(), found: ids.len() }),
    }
}

fn line(out: &mut impl Write, value: &impl Serialize) -> std::io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    out.write_all(b"\n")
}

fn header(dataset: &Dataset) -> Header<'_> {
    let (target, classes) = match dataset.targets() {
        Targets::None => ("none", None),
        Targets::Real(_) => ("real", None),
        Targets::Classes { names, .. } => ("class", Some(names.as_slice())),
    };
    let columns = dataset.columns().iter().map(column_header).collect();
    Header { hodgelet: VERSION, name: dataset.name(), complexes: dataset.len(), target, classes, columns }
}

fn column_header(column: &Column) -> ColumnHeader<'_> {
    let name = column.name.as_str();
    let dim = if column.dim == WHOLE { Dim::Whole(GRAPH) } else { Dim::Cells(column.dim) };
    let oriented = column.orientation == Orientation::Oriented;
    match &column.values {
        ColumnValues::Labels { categories, .. } => {
            let categories = Some(categories.as_slice());
            ColumnHeader { name, dim, kind: "labels", categories, channels: None, oriented: false }
        }
        ColumnValues::Real { channels, .. } => {
            ColumnHeader { name, dim, kind: "real", categories: None, channels: Some(channels), oriented }
        }
    }
}

fn complex<'a>(dataset: &'a Dataset, i: usize, id: Option<&'a str>) -> Line<'a> {
    let mut signals: BTreeMap<String, BTreeMap<&str, Values<'_>>> = BTreeMap::new();
    for column in dataset.columns() {
        signals.entry(dim_key(column.dim)).or_default().insert(&column.name, values(column, i));
    }
    let target = match dataset.targets() {
        Targets::None => None,
        Targets::Real(values) => Some(Target::Real(values[i])),
        Targets::Classes { names, labels } => Some(Target::Class(&names[labels[i] as usize])),
    };
    Line { id, cells: Cells::of(&dataset.complexes()[i]), signals, target }
}

fn values(column: &Column, i: usize) -> Values<'_> {
    let cells = column.cells(i);
    match &column.values {
        ColumnValues::Labels { categories, codes } => {
            Values::Labels(codes[cells].iter().map(|&code| categories[code as usize].as_str()).collect())
        }
        ColumnValues::Real { channels, values } => {
            let width = channels.len();
            let here = &values[cells.start * width..cells.end * width];
            match width {
                0 => Values::Rows(vec![&[]; cells.len()]),
                1 => Values::Numbers(here),
                _ => Values::Rows(here.chunks_exact(width).collect()),
            }
        }
    }
}
