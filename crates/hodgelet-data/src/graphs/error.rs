//! What can be wrong with graph files.

use hodgelet::dataset::DatasetError;
use std::path::PathBuf;

/// What can be wrong with GraphML and GML files, or a folder of them.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GraphsError {
    /// A file or folder cannot be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// A folder without a graph file.
    #[error("{} holds no .graphml or .gml file", path.display())]
    NoFiles {
        /// The folder.
        path: PathBuf,
    },
    /// A fault in one line.
    #[error("{file}, line {line}: {fault}")]
    Line {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong there.
        fault: GraphFault,
    },
    /// A value that some cells have, but not this one.
    #[error("{file}: {cell} has no `{name}`, which others have")]
    MissingValue {
        /// The file.
        file: String,
        /// The vertex or edge.
        cell: String,
        /// Name of the attribute.
        name: String,
    },
    /// A target that some graphs have, but not this one.
    #[error("{file} has no target, which others have")]
    MissingTarget {
        /// The file.
        file: String,
    },
    /// The edges of a file are not a graph.
    #[error("{file}: {source}")]
    Complex {
        /// The file.
        file: String,
        /// What is wrong with them.
        source: hodgelet::complex::ComplexError,
    },
    /// The parts that were read do not fit together.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
}

/// What can be wrong in one line of a graph file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GraphFault {
    /// The text breaks the rules of its format.
    #[error("{0}")]
    Syntax(String),
    /// Something other than what was expected.
    #[error("found {found}, expected {expected}")]
    Found {
        /// What was found.
        found: String,
        /// What was expected.
        expected: &'static str,
    },
    /// An edge to a vertex that the file does not list.
    #[error("the edge names vertex `{0}`, which the file does not list")]
    UnknownVertex(String),
    /// A vertex listed twice.
    #[error("vertex `{0}` appears twice")]
    RepeatedVertex(String),
    /// A part of the format that is not read.
    #[error("{0} are not read")]
    Unsupported(&'static str),
}
