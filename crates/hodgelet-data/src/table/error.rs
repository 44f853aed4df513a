//! What can be wrong with tables of molecules.

use hodgelet::complex::ComplexError;
use hodgelet::dataset::DatasetError;
use std::fmt;
use std::path::PathBuf;

/// A row that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowFault {
    /// The row, from 0.
    pub row: usize,
    /// The line in which it begins, from 1, in a text file.
    pub line: Option<u64>,
    /// Its SMILES string.
    pub smiles: String,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for RowFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// Characters of a SMILES string that are shown.
        const SHOWN: usize = 60;
        write!(f, "row {}", self.row + 1)?;
        if let Some(line) = self.line {
            write!(f, " (line {line})")?;
        }
        let mut shown: String = self.smiles.chars().take(SHOWN).collect();
        if shown.len() < self.smiles.len() {
            shown.push('…');
        }
        write!(f, ", `{shown}`: {}", self.what)
    }
}

/// What can be wrong with a table of molecules.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// The file cannot be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// The text is not a table.
    #[error("{file}, line {line}: {what}")]
    Syntax {
        /// The file.
        file: String,
        /// The line, from 1.
        line: u64,
        /// What is wrong.
        what: String,
    },
    /// The Parquet file cannot be read.
    #[error("{file}: not a Parquet file that can be read: {what}")]
    Parquet {
        /// The file.
        file: String,
        /// What is wrong.
        what: String,
    },
    /// Parquet was not built in.
    #[error("{file}: Parquet is not built into this program")]
    NoParquet {
        /// The file.
        file: String,
    },
    /// There is no header.
    #[error("{file}: found no header, expected a first line with the names of columns")]
    NoHeader {
        /// The file.
        file: String,
    },
    /// There is nothing below the header.
    #[error("{file}: found a header and no rows")]
    NoRows {
        /// The file.
        file: String,
    },
    /// There is no such column.
    #[error("{file}: found no column `{name}` ({flag}); there are {}{}", list(header), suggestion(near.as_deref()))]
    NoColumn {
        /// The file.
        file: String,
        /// What named it.
        flag: &'static str,
        /// Its name.
        name: String,
        /// The columns that there are.
        header: Vec<String>,
        /// One with a similar name.
        near: Option<String>,
    },
    /// Several columns have the name.
    #[error("{file}: several columns are called `{name}` ({flag})")]
    RepeatedColumn {
        /// The file.
        file: String,
        /// What named it.
        flag: &'static str,
        /// Its name.
        name: String,
    },
    /// A target is asked for twice.
    #[error("{file}: --target names the column `{name}` twice")]
    TwoTargets {
        /// The file.
        file: String,
        /// The name of the column.
        name: String,
    },
    /// No column looks like SMILES.
    #[error("{file}: found no column of SMILES strings among {}; --smiles names it", list(header))]
    NoSmiles {
        /// The file.
        file: String,
        /// The columns that there are.
        header: Vec<String>,
        /// Whether the table may be an adjacency matrix.
        is_matrix: bool,
    },
    /// The first line is a row.
    #[error("{file}: found the molecule `{found}` in the first line, expected the names of columns there")]
    MoleculeAsName {
        /// The file.
        file: String,
        /// What stands where the name of a column is expected.
        found: String,
    },
    /// A row cannot be read, and rows were not to be left out.
    #[error("{file}, {fault}")]
    Row {
        /// The file.
        file: String,
        /// The row.
        fault: RowFault,
    },
    /// No row is left.
    #[error("{file}: no row is left: {}", left(*untargeted, first.as_ref()))]
    NothingLeft {
        /// The file.
        file: String,
        /// Rows without a target.
        untargeted: usize,
        /// The first row that cannot be read.
        first: Option<RowFault>,
    },
    /// The bonds of a molecule are not a graph.
    #[error(transparent)]
    Complex(#[from] ComplexError),
    /// The parts that were read do not fit together.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
}

impl TableError {
    /// A suggested fix, where there is one.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Row { .. } => Some("--on-error skip leaves such rows out and lists them"),
            Self::NoParquet { .. } => Some("write the table as CSV"),
            Self::NoSmiles { is_matrix: true, .. } => {
                Some("--layout matrix reads an adjacency matrix, --layout edges a list of edges")
            }
            Self::MoleculeAsName { .. } => Some("add a first line with names, such as smiles,target"),
            _ => None,
        }
    }
}

fn list(header: &[String]) -> String {
    header.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

fn suggestion(near: Option<&str>) -> String {
    near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
}

fn left(untargeted: usize, first: Option<&RowFault>) -> String {
    match first {
        Some(fault) => fault.to_string(),
        None => match untargeted {
            1 => "1 has no target".to_owned(),
            n => format!("{n} have no target"),
        },
    }
}
