//! The rows of a table as text.

use super::TableError;
use crate::text::tidy;

/// A header and rows of text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    header: Vec<String>,
    rows: Vec<Row>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    cells: Vec<String>,
    /// Where it begins in a text file, from 1.
    line: Option<u64>,
    utf8: bool,
}

impl Table {
    /// The table of a text; its first line is the header, and commas, semicolons or tabs part its cells, whichever the header
    /// has most of.
    ///
    /// # Errors
    ///
    /// [`TableError::NoHeader`] when there is none.
    pub(crate) fn parse(file: &str, bytes: &[u8]) -> Result<Self, TableError> {
        let bytes = tidy(bytes);
        let first = bytes.split(|&c| c == b'\n').next().unwrap_or_default();
        let count = |delimiter: u8| first.iter().filter(|&&c| c == delimiter).count();
        let delimiter = [b',', b'\t', b';'].into_iter().rev().max_by_key(|&d| count(d)).unwrap_or(b',');
        let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).flexible(true).from_reader(bytes);
        let fault = |error: csv::Error| {
            let line = error.position().map_or(1, csv::Position::line);
            TableError::Syntax { file: file.to_owned(), line, what: error.to_string() }
        };
        let header = reader.byte_headers().map_err(fault)?;
        let header: Vec<String> =
            header.iter().map(|name| String::from_utf8_lossy(name).trim().to_owned()).collect();
        if header.iter().all(String::is_empty) {
            return Err(TableError::NoHeader { file: file.to_owned() });
        }
        let mut rows = Vec::new();
        for record in reader.byte_records() {
            let record = record.map_err(fault)?;
            let utf8 = record.iter().all(|cell| str::from_utf8(cell).is_ok());
            let cells = record.iter().map(|cell| String::from_utf8_lossy(cell).into_owned()).collect();
            rows.push(Row { cells, line: record.position().map(csv::Position::line), utf8 });
        }
        Ok(Self { header, rows })
    }

    /// The table of some columns of text.
    #[cfg(feature = "parquet")]
    pub(super) fn of(header: Vec<String>, rows: Vec<Vec<String>>) -> Self {
        let row = |cells| Row { cells, line: None, utf8: true };
        Self { header, rows: rows.into_iter().map(row).collect() }
    }

    /// Names of the columns.
    #[must_use]
    pub fn header(&self) -> &[String] {
        &self.header
    }

    /// Number of rows, without the header.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// A cell; empty where the row is too short.
    ///
    /// # Panics
    ///
    /// When there is no row `row`.
    #[must_use]
    pub fn cell(&self, row: usize, column: usize) -> &str {
        self.rows[row].cells.get(column).map_or("", String::as_str)
    }

    /// The line of a text file in which a row begins, from 1.
    ///
    /// # Panics
    ///
    /// When there is no row `row`.
    #[must_use]
    pub fn line(&self, row: usize) -> Option<u64> {
        self.rows[row].line
    }

    /// What is wrong with the cells of a row, if anything is.
    pub(crate) fn fault(&self, row: usize) -> Option<String> {
        let (found, expected) = (self.rows[row].cells.len(), self.header.len());
        if found != expected {
            return Some(format!("{found} cells, expected {expected} as in the header"));
        }
        (!self.rows[row].utf8).then(|| "bytes that are not UTF-8".to_owned())
    }
}
