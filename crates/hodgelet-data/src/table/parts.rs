//! Tables of molecules some rows at a time, so that any number of them takes the same memory.

use super::rows::Rows;
use super::{Table, TableError, TableOptions, TableRead, guess, is_parquet, molecules_in};
use crate::graphs::file_name;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// Rows that are read at a time.
const ROWS: usize = 4096;

/// A table to be predicted, some rows at a time. What is read of a row does not depend on the others; the column of SMILES
/// strings is guessed from the first rows.
pub struct TableParts {
    file: String,
    options: TableOptions,
    rows: Source,
    smiles: usize,
    notes: Vec<String>,
    /// The rows that come next; none at the end.
    next: Option<Table>,
    n_read: usize,
}

enum Source {
    Text(Box<Rows<BufReader<File>>>),
    #[cfg(feature = "parquet")]
    Parquet(Box<super::parquet::Batches>),
}

impl TableParts {
    /// Reads the first rows.
    ///
    /// # Errors
    ///
    /// [`TableError`] names the file.
    pub fn open(path: &Path, options: &TableOptions) -> Result<Self, TableError> {
        let file = file_name(path);
        let io = |source| TableError::Io { path: path.to_owned(), source };
        let mut rows = match is_parquet(path) {
            true => parquet(&file, path)?,
            false => {
                let text = BufReader::with_capacity(1 << 16, File::open(path).map_err(io)?);
                Source::Text(Box::new(Rows::new(&file, text)?))
            }
        };
        let Some(first) = rows.next()? else { return Err(TableError::NoRows { file }) };
        let mut notes = Vec::new();
        let smiles = guess::smiles(&file, &first, options, &mut notes)?;
        let options = TableOptions { targets: Vec::new(), to_predict: true, ..options.clone() };
        Ok(Self { file, options, rows, smiles, notes, next: Some(first), n_read: 0 })
    }

    /// Number of rows that were read before.
    #[must_use]
    pub fn n_read(&self) -> usize {
        self.n_read
    }

    /// Whether there are more rows.
    #[must_use]
    pub fn has_more(&self) -> bool {
        self.next.is_some()
    }

    /// The next rows with their molecules, numbered from the first of them; none at the end. There may be no molecule that can
    /// be read among them.
    ///
    /// # Errors
    ///
    /// [`TableError`] names the file and, where there is one, the row.
    pub fn next_rows(&mut self) -> Result<Option<TableRead>, TableError> {
        let Some(table) = self.next.take() else { return Ok(None) };
        let n = table.len();
        let notes = std::mem::take(&mut self.notes);
        let read = molecules_in(&self.file, table, (self.smiles, Vec::new()), &self.options, notes);
        let read = read.map_err(|error| self.numbered(error))?;
        self.n_read += n;
        self.next = self.rows.next()?;
        Ok(Some(read))
    }

    /// The error with the number that its row has in the whole table.
    fn numbered(&self, error: TableError) -> TableError {
        match error {
            TableError::Row { file, mut fault } => {
                fault.row += self.n_read;
                TableError::Row { file, fault }
            }
            error => error,
        }
    }
}

impl Source {
    fn next(&mut self) -> Result<Option<Table>, TableError> {
        let table = match self {
            Self::Text(rows) => Some(rows.next(ROWS)?),
            #[cfg(feature = "parquet")]
            Self::Parquet(batches) => batches.next()?,
        };
        Ok(table.filter(|table| !table.is_empty()))
    }
}

#[cfg(feature = "parquet")]
fn parquet(file: &str, path: &Path) -> Result<Source, TableError> {
    Ok(Source::Parquet(Box::new(super::parquet::Batches::open(file, path, ROWS)?)))
}

#[cfg(not(feature = "parquet"))]
fn parquet(file: &str, _: &Path) -> Result<Source, TableError> {
    Err(TableError::NoParquet { file: file.to_owned() })
}
