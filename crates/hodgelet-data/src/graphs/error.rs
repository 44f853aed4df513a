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
    /// A directed graph where an undirected one was expected.
    #[error(
        "{file}, line {line}: found an arc from `{tail}` to `{head}` and none back, expected an undirected graph"
    )]
    OneWay {
        /// The file.
        file: String,
        /// The line of the arc, from 1.
        line: usize,
        /// Where it starts.
        tail: String,
        /// Where it ends.
        head: String,
    },
    /// Two lines of one edge that disagree.
    #[error(
        "{file}, line {}: found {} as `{name}` of the edge from `{}` to `{}`, but {} {}",
        lines[1], values[1], ends[0], ends[1], values[0], earlier(*lines, *opposite)
    )]
    Conflict {
        /// The file.
        file: String,
        /// Both lines, from 1.
        lines: [usize; 2],
        /// The ends of the edge, as the second line has them.
        ends: Box<[String; 2]>,
        /// Whether the two run in opposite directions.
        opposite: bool,
        /// The attribute.
        name: String,
        /// Both values.
        values: Box<[String; 2]>,
    },
    /// Edges have a weight, and nobody said what it is.
    #[error("{file}: edges have a number `{name}`, which may weigh them in the Laplacian or be a signal")]
    Unsaid {
        /// A file.
        file: String,
        /// Name of the attribute.
        name: String,
    },
    /// The attribute that was to weigh the edges is not there.
    #[error("found no number `{name}` on edges to weigh them; there {}", there(numbers))]
    NoWeights {
        /// Name of the attribute.
        name: String,
        /// The numbers that edges have.
        numbers: Vec<String>,
    },
    /// A weight that is not positive.
    #[error("{file}, line {line}: the weight `{name}` is {found}, expected a positive number")]
    Weight {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// Name of the attribute.
        name: String,
        /// What was found.
        found: f64,
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

impl GraphsError {
    /// A suggested fix, where there is one.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::OneWay { .. } => Some(
                "--directed ignore reads arcs as edges; --directed flow makes signals of their directions",
            ),
            Self::Conflict { opposite: true, .. } => {
                Some("--directed flow keeps both: half their sum on the edge, half their difference along it")
            }
            Self::Conflict { .. } => Some("give each edge one line, with the sum or the mean of its values"),
            Self::Unsaid { .. } => {
                Some("--weights laplacian weighs the edges, --weights signal makes a signal of it")
            }
            Self::Weight { .. } => {
                Some("--weights signal takes numbers of any sign; leave out edges of weight 0")
            }
            _ => None,
        }
    }
}

/// What an earlier line of the same edge is.
fn earlier(lines: [usize; 2], opposite: bool) -> String {
    let line = if lines[0] == lines[1] { String::new() } else { format!(" in line {}", lines[0]) };
    if opposite { format!("in the other direction{line}") } else { line.trim_start().to_owned() }
}

fn there(numbers: &[String]) -> String {
    match numbers {
        [] => "is none".to_owned(),
        _ => format!("are {}", numbers.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")),
    }
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
    /// An edge to a vertex that the table of vertices does not list.
    #[error("the edge names vertex `{0}`, which the table of vertices does not list for this graph")]
    UnlistedVertex(String),
    /// A vertex listed twice.
    #[error("vertex `{0}` appears twice")]
    RepeatedVertex(String),
    /// A part of the format that is not read.
    #[error("{0} are not read")]
    Unsupported(&'static str),
}
