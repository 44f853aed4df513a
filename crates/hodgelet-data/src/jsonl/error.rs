//! What can be wrong with a JSONL file.

use hodgelet::complex::{ComplexError, HypergraphError};
use hodgelet::dataset::DatasetError;
use hodgelet::output::OutputError;
use std::path::PathBuf;

/// What can be wrong with a JSONL file; faults of its text name file, line and field.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JsonlError {
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// Something that may not be replaced stands in the place of the file.
    #[error(transparent)]
    Refused(OutputError),
    /// There is no header.
    #[error("{file}: found no line, expected a header")]
    Empty {
        /// The file.
        file: String,
    },
    /// The file does not hold as many complexes as its header says.
    #[error(
        "{file}: found {found} complexes, but the header says {expected}; the file may have been cut off"
    )]
    Count {
        /// The file.
        file: String,
        /// According to the header.
        expected: usize,
        /// Lines after it.
        found: usize,
    },
    /// A line is not JSON.
    #[error("{file}, line {line}: {message}")]
    Json {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong, and in which column.
        message: String,
    },
    /// A version of the format that this reader does not know.
    #[error("{file}, line {line}, hodgelet: found version {found}, expected {expected}", expected = super::VERSION)]
    Version {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// The version found.
        found: String,
    },
    /// A field does not hold what it should.
    #[error("{file}, line {line}, {field}: found {found}, expected {expected}")]
    Field {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// The field, as a path.
        field: String,
        /// What was found.
        found: String,
        /// What was expected.
        expected: String,
    },
    /// The cells of a line are not a complex.
    #[error("{file}, line {line}: {source}")]
    Complex {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong with them.
        source: ComplexError,
    },
    /// The hyperedges of a line are invalid.
    #[error("{file}, line {line}: {source}")]
    Hypergraph {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong with them.
        source: HypergraphError,
    },
    /// The parts that were read do not fit together.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    /// Names and complexes to be written differ in number.
    #[error("{found} ids, but the dataset has {expected} complexes")]
    Ids {
        /// Number of complexes.
        expected: usize,
        /// Number of names.
        found: usize,
    },
}
