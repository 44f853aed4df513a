//! What can be wrong with a MANTRA file.

use hodgelet::complex::ComplexError;
use hodgelet::dataset::DatasetError;
use std::path::PathBuf;

/// What can be wrong with a MANTRA file; faults name the file, the manifold and where it starts.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MantraError {
    /// The file cannot be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// The file is not what gzip writes.
    #[error("{file}: not a whole gzip file: {reason}")]
    Gzip {
        /// The file.
        file: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The file is not a list.
    #[error("{file}, line {line}: found {found}, expected {expected}")]
    List {
        /// The file.
        file: String,
        /// The line.
        line: usize,
        /// What was found.
        found: String,
        /// What was expected.
        expected: &'static str,
    },
    /// A manifold is not JSON.
    #[error("{file}, manifold {index}, from line {line}: {message}")]
    Json {
        /// The file.
        file: String,
        /// Number of the manifold, from 0.
        index: usize,
        /// Where it starts.
        line: usize,
        /// What is wrong, by the lines of the manifold.
        message: String,
    },
    /// An entry does not hold what it should.
    #[error("{file}, manifold {index}, from line {line}: found {found} as `{key}`, expected {expected}")]
    Entry {
        /// The file.
        file: String,
        /// Number of the manifold, from 0.
        index: usize,
        /// Where it starts.
        line: usize,
        /// The key.
        key: &'static str,
        /// What was found.
        found: String,
        /// What was expected.
        expected: String,
    },
    /// The facets of a manifold make no complex.
    #[error("{file}, manifold {index}, from line {line}: {source}")]
    Complex {
        /// The file.
        file: String,
        /// Number of the manifold, from 0.
        index: usize,
        /// Where it starts.
        line: usize,
        /// What is wrong with them.
        source: ComplexError,
    },
    /// The parts that were read do not fit together.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
}

impl MantraError {
    /// A suggested fix, where there is one.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Gzip { .. } => Some("download it again: `hodgelet datasets get mantra-2d --force`"),
            Self::List { .. } | Self::Json { .. } => {
                Some("a MANTRA file is a list of objects, each with a `triangulation`")
            }
            Self::Entry { key: "triangulation", .. } => {
                Some("facets are lists of vertices, such as [[1,2,3], [1,2,4], [1,3,4], [2,3,4]]")
            }
            Self::Entry { .. } => Some("leave the key out, and what it says is computed"),
            Self::Complex { source, .. } => source.hint(),
            Self::Io { .. } | Self::Dataset(_) => None,
        }
    }
}
