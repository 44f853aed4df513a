//! What can be wrong with mesh files.

use crate::graphs::GraphsError;
use hodgelet::complex::ComplexError;
use hodgelet::dataset::DatasetError;
use std::fmt;
use std::path::PathBuf;

/// What can be wrong with OFF, OBJ and PLY files, or a folder of them.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MeshError {
    /// A file or folder cannot be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// A folder without a mesh.
    #[error("{} holds no .off, .obj or .ply file", path.display())]
    NoFiles {
        /// The folder.
        path: PathBuf,
    },
    /// A fault at one place.
    #[error("{file}, {place}: {fault}")]
    Fault {
        /// The file.
        file: String,
        /// Where in it.
        place: Place,
        /// What is wrong there.
        fault: MeshFault,
    },
    /// The faces of a file are not a complex.
    #[error("{file}: {source}")]
    Complex {
        /// The file.
        file: String,
        /// What is wrong with them.
        source: ComplexError,
    },
    /// A target that other meshes have, but not this one.
    #[error("{file} has no target in targets.csv")]
    MissingTarget {
        /// The file.
        file: String,
    },
    /// The list of targets cannot be read.
    #[error(transparent)]
    Targets(#[from] GraphsError),
    /// The parts that were read do not fit together.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
}

/// A place in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A line of text, from 1.
    Line(usize),
    /// A byte, from 0.
    Byte(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Byte(byte) => write!(f, "byte {byte}"),
        }
    }
}

/// What can be wrong at one place of a mesh file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshFault {
    /// Something other than what was expected.
    #[error("found {found}, expected {expected}")]
    Found {
        /// What was found.
        found: String,
        /// What was expected.
        expected: String,
    },
    /// The file ends too early.
    #[error("the file ends, expected {0}")]
    End(String),
    /// A face with a vertex that does not exist.
    #[error("a face names vertex {vertex}, but there are {n_vertices} vertices, from 0")]
    Vertex {
        /// The vertex, from 0.
        vertex: i64,
        /// Number of vertices.
        n_vertices: usize,
    },
    /// A face with a vertex twice.
    #[error("a face names vertex {0} twice, counted from 0")]
    RepeatedVertex(u32),
    /// A face of fewer than three vertices.
    #[error("a face of {0} vertices, expected at least 3")]
    FaceSize(usize),
    /// A part of the format that is not read.
    #[error("{0} are not read")]
    Unsupported(&'static str),
}

impl MeshFault {
    pub(super) fn found(found: &[u8], expected: impl Into<String>) -> Self {
        Self::Found { found: format!("`{}`", crate::text::excerpt(found)), expected: expected.into() }
    }
}
