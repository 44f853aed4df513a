//! What can be wrong with networks in tables.

use super::Layout;
use crate::graphs::GraphsError;
use crate::table::TableError;
use hodgelet::dataset::DatasetError;
use std::path::PathBuf;

/// What can be wrong with lists of edges and matrices, or a folder of them.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NetworkError {
    /// A line is wrong, or lines do not fit together.
    #[error(transparent)]
    Graphs(#[from] GraphsError),
    /// Lines of one edge disagree in a table that may be of several graphs.
    #[error(transparent)]
    OneGraph {
        /// What is wrong.
        source: GraphsError,
    },
    /// A column is not there, or a file is not a table.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A folder without a file of edges.
    #[error("{} holds no .csv, .tsv, .edgelist or .edges file with edges", path.display())]
    NoFiles {
        /// The folder.
        path: PathBuf,
    },
    /// A column is asked for in a table without names.
    #[error("{file}: found no names of columns in the first line, expected one called `{name}`")]
    NoNames {
        /// The file.
        file: String,
        /// The column.
        name: String,
    },
    /// Files that list edges and matrices.
    #[error("{}: found {} in {} and {} in {}, expected one of them", path.display(), files[0].1, files[0].0, files[1].1, files[1].0)]
    Mixed {
        /// The folder.
        path: PathBuf,
        /// A file of each kind.
        files: [(String, Layout); 2],
    },
    /// Nothing says whether rows are edges or vertices.
    #[error("{file}: found {n} rows of {n} numbers, which may be edges or a matrix")]
    Ambiguous {
        /// A file.
        file: String,
        /// Rows and columns.
        n: usize,
    },
    /// A table of vertices has a graph that has no file.
    #[error("{file}, line {line}: found graph `{graph}`, expected one that has a file")]
    NoSuchGraph {
        /// The table.
        file: String,
        /// The line, from 1.
        line: usize,
        /// The graph.
        graph: String,
    },
    /// A table of vertices does not say of which graph they are.
    #[error("{file}: found no column `graph`, expected one that says which graph a vertex is of")]
    WhichGraph {
        /// The table.
        file: String,
    },
    /// The parts that were read do not fit together.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
}

impl NetworkError {
    /// A suggested fix, where there is one.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Graphs(error) => error.hint(),
            Self::OneGraph { .. } => Some(
                "--graph-column names the column that says which graph an edge is of; without it all edges are of one graph",
            ),
            Self::Table(error) => error.hint(),
            Self::Ambiguous { .. } | Self::Mixed { .. } => {
                Some("--layout edges or --layout matrix says which")
            }
            Self::NoNames { .. } => Some("put the names of the columns into the first line"),
            _ => None,
        }
    }
}
