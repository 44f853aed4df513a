//! The rows of a file of edges or of a matrix, as text, with their lines.

use crate::graphs::{GraphFault, GraphsError};
use crate::text;

/// Rows of cells, all of one width, and the names of the columns where the first line has them.
#[derive(Debug, Default)]
pub(super) struct Sheet {
    pub file: String,
    pub header: Option<Vec<String>>,
    pub rows: Vec<Row>,
}

/// Cells and the line in which they begin, from 1.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub line: usize,
    pub cells: Vec<String>,
}

impl Sheet {
    /// Reads a table; names of columns are in its first line if no cell there is a number.
    pub fn parse(file: &str, bytes: &[u8]) -> Result<Self, GraphsError> {
        let rows = if is_plain(file) { blank_parted(file, bytes)? } else { comma_parted(file, bytes)? };
        let mut sheet = Self { file: file.to_owned(), header: None, rows };
        let has_names = |row: &Row| {
            // The corner of a matrix with names is empty.
            let named = &row.cells[usize::from(row.cells.len() > 1 && row.cells[0].is_empty())..];
            !named.iter().any(|cell| is_number(cell)) || named.len() < row.cells.len()
        };
        if !is_plain(file) && sheet.rows.first().is_some_and(has_names) {
            sheet.header = Some(sheet.rows.remove(0).cells);
        }
        sheet.check_widths()?;
        Ok(sheet)
    }

    /// Number of columns.
    pub fn width(&self) -> usize {
        let first = self.rows.first().map(|row| &row.cells);
        self.header.as_ref().or(first).map_or(0, Vec::len)
    }

    /// The error of a line.
    pub fn fault(&self, line: usize, found: impl Into<String>, expected: &'static str) -> GraphsError {
        fault(&self.file, line, found, expected)
    }

    fn check_widths(&self) -> Result<(), GraphsError> {
        let expected = self.width();
        match self.rows.iter().find(|row| row.cells.len() != expected) {
            None => Ok(()),
            Some(Row { line, cells }) => {
                let found = format!("{} cells in a table of {expected} columns", cells.len());
                Err(self.fault(*line, found, "as many cells in every line"))
            }
        }
    }
}

pub(super) fn fault(
    file: &str,
    line: usize,
    found: impl Into<String>,
    expected: &'static str,
) -> GraphsError {
    GraphsError::Line {
        file: file.to_owned(),
        line,
        fault: GraphFault::Found { found: found.into(), expected },
    }
}

/// Whether a cell is a number, finite or not.
pub(super) fn is_number(cell: &str) -> bool {
    text::real(cell.as_bytes()).is_some()
}

/// A finite number.
pub(super) fn number(cell: &str) -> Option<f64> {
    text::real(cell.as_bytes()).filter(|value| value.is_finite())
}

/// Whether a file has no names of columns, comments, and blanks between cells, by its name.
fn is_plain(file: &str) -> bool {
    let extension = file.rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    matches!(extension.as_deref(), Some("edgelist" | "edges"))
}

/// Lines of cells between blanks or commas; those that begin with # or % are comments.
fn blank_parted(file: &str, bytes: &[u8]) -> Result<Vec<Row>, GraphsError> {
    let mut rows = Vec::new();
    for (line, bytes) in (1..).zip(text::lines(text::tidy(bytes))) {
        if bytes.is_empty() || matches!(bytes[0], b'#' | b'%') {
            continue;
        }
        let utf8 = |cell: &[u8]| match str::from_utf8(cell) {
            Ok(cell) => Ok(cell.to_owned()),
            Err(_) => Err(fault(file, line, "bytes that are not UTF-8", "text")),
        };
        rows.push(Row { line, cells: text::fields(bytes).map(utf8).collect::<Result<_, _>>()? });
    }
    Ok(rows)
}

/// Lines of cells between commas, tabs or semicolons, whichever the first line has most of, or between blanks if it has none.
fn comma_parted(file: &str, bytes: &[u8]) -> Result<Vec<Row>, GraphsError> {
    let bytes = text::tidy(bytes);
    let first = bytes.split(|&c| c == b'\n').next().unwrap_or_default().trim_ascii();
    let count = |delimiter: u8| first.iter().filter(|&&c| c == delimiter).count();
    let delimiter = [b';', b'\t', b','].into_iter().max_by_key(|&d| count(d)).filter(|&d| count(d) > 0);
    if delimiter.is_none() && first.contains(&b' ') {
        return blank_parted(file, bytes);
    }
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .delimiter(delimiter.unwrap_or(b','))
        .flexible(true)
        .from_reader(bytes);
    let mut rows = Vec::new();
    for record in reader.byte_records() {
        let record = record.map_err(|error| {
            let line = error.position().map_or(1, csv::Position::line);
            fault(file, line as usize, error.to_string(), "cells between commas, tabs or semicolons")
        })?;
        let line = record.position().map_or(0, csv::Position::line) as usize;
        let cell = |cell: &[u8]| match str::from_utf8(cell) {
            Err(_) => Err(fault(file, line, "bytes that are not UTF-8", "text")),
            // A quote that is not closed swallows the lines after it.
            Ok(cell) if cell.contains('\n') => {
                Err(fault(file, line, "a cell of several lines", "cells within lines; a quote may be open"))
            }
            Ok(cell) => Ok(cell.trim().to_owned()),
        };
        rows.push(Row { line, cells: record.iter().map(cell).collect::<Result<_, _>>()? });
    }
    Ok(rows)
}
