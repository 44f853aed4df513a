//! The rows of a table as text.

use super::TableError;
use std::io::BufRead;

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
        Rows::new(file, bytes)?.next(usize::MAX)
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

/// The rows of a text as they are asked for.
pub(super) struct Rows<R> {
    file: String,
    header: Vec<String>,
    records: csv::Reader<R>,
    /// Lines of nothing but blanks, which are rows only where others follow them.
    blank: Vec<Row>,
}

impl<R: BufRead> Rows<R> {
    /// Reads the header.
    pub fn new(file: &str, mut text: R) -> Result<Self, TableError> {
        let fault = |error: csv::Error| syntax(file, &error);
        let begin = text.fill_buf().map_err(|error| fault(error.into()))?;
        let (mark, begin) = match begin.strip_prefix(b"\xEF\xBB\xBF") {
            Some(rest) => (3, rest),
            None => (0, begin),
        };
        let first = begin.split(|&c| c == b'\n').next().unwrap_or_default();
        let count = |delimiter: u8| first.iter().filter(|&&c| c == delimiter).count();
        let delimiter = [b',', b'\t', b';'].into_iter().rev().max_by_key(|&d| count(d)).unwrap_or(b',');
        text.consume(mark);
        let mut records = csv::ReaderBuilder::new().delimiter(delimiter).flexible(true).from_reader(text);
        let header = records.byte_headers().map_err(fault)?;
        let header: Vec<String> =
            header.iter().map(|name| String::from_utf8_lossy(name).trim().to_owned()).collect();
        if header.iter().all(String::is_empty) {
            return Err(TableError::NoHeader { file: file.to_owned() });
        }
        Ok(Self { file: file.to_owned(), header, records, blank: Vec::new() })
    }

    /// The next rows, at most `n` of them and some blank ones; none at the end.
    pub fn next(&mut self, n: usize) -> Result<Table, TableError> {
        let mut rows = Vec::new();
        let mut record = csv::ByteRecord::new();
        while rows.len() < n {
            if !self.records.read_byte_record(&mut record).map_err(|error| syntax(&self.file, &error))? {
                break;
            }
            let row = Row::of(&record);
            match &row.cells[..] {
                [only] if only.trim().is_empty() => self.blank.push(row),
                _ => {
                    rows.append(&mut self.blank);
                    rows.push(row);
                }
            }
        }
        Ok(Table { header: self.header.clone(), rows })
    }
}

impl Row {
    fn of(record: &csv::ByteRecord) -> Self {
        let utf8 = record.iter().all(|cell| str::from_utf8(cell).is_ok());
        let cells = record.iter().map(|cell| String::from_utf8_lossy(cell).into_owned()).collect();
        Self { cells, line: record.position().map(csv::Position::line), utf8 }
    }
}

fn syntax(file: &str, error: &csv::Error) -> TableError {
    let line = error.position().map_or(1, csv::Position::line);
    TableError::Syntax { file: file.to_owned(), line, what: error.to_string() }
}
