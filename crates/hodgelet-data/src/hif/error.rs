//! What can be wrong with a HIF file.

use hodgelet::complex::HypergraphError;
use hodgelet::dataset::DatasetError;
use std::path::PathBuf;

/// What can be wrong with a HIF file; faults name the file and the entry.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HifError {
    /// A file cannot be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// A folder without hypergraphs.
    #[error("{}: found no .json file", path.display())]
    NoFiles {
        /// The folder.
        path: PathBuf,
    },
    /// A file is not JSON.
    #[error("{file}: {message}")]
    Json {
        /// The file.
        file: String,
        /// What is wrong, and where.
        message: String,
    },
    /// An entry does not hold what it should.
    #[error("{file}, {entry}: found {found}, expected {expected}")]
    Entry {
        /// The file.
        file: String,
        /// The entry, such as `incidences[3].node`.
        entry: String,
        /// What was found.
        found: String,
        /// What was expected.
        expected: String,
    },
    /// The hyperedges of a file are invalid.
    #[error("{file}: {source}")]
    Hypergraph {
        /// The file.
        file: String,
        /// What is wrong with them.
        source: HypergraphError,
    },
    /// Some hypergraphs have a target, but not this one.
    #[error("{file}: found no target, expected one as in other files")]
    MissingTarget {
        /// The file.
        file: String,
    },
    /// The parts that were read do not fit together.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
}
