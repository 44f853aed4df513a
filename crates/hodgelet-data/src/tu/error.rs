//! What can be wrong with a TU dataset.

use hodgelet::dataset::DatasetError;
use std::path::PathBuf;

/// What can be wrong with a TU dataset; faults of its text name file and line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TuError {
    /// A file or folder cannot be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// An archive cannot be read.
    #[error("{}: {}", path.display(), zip_fault(source))]
    Zip {
        /// The archive, or the file in it.
        path: PathBuf,
        /// What is wrong with it.
        source: zip::result::ZipError,
    },
    /// A file that every dataset has is not there.
    #[error("{file} is missing in {}", place.display())]
    Missing {
        /// The file, or the files of which one is needed.
        file: String,
        /// Where it was looked for.
        place: PathBuf,
    },
    /// Several datasets, none of them named as the folder or archive.
    #[error("{} holds several datasets ({}), expected one", place.display(), names.join(", "))]
    Ambiguous {
        /// Where they were found.
        place: PathBuf,
        /// Their names.
        names: Vec<String>,
    },
    /// A file is larger than the reader accepts.
    #[error("{file} has more than {limit} bytes, the largest size that is read")]
    TooLarge {
        /// The file.
        file: String,
        /// [`MAX_FILE_BYTES`](super::MAX_FILE_BYTES), [`MAX_BYTES`](super::MAX_BYTES), or what an entry of an
        /// archive declares.
        limit: u64,
    },
    /// An archive that names an entry twice: which of the two is meant?
    #[error("{}: lists {listed} entries, but only {names} names; expected each name once", path.display())]
    RepeatedEntries {
        /// The archive.
        path: PathBuf,
        /// Entries in its directory.
        listed: u64,
        /// Distinct names among them.
        names: usize,
    },
    /// An archive that inflates to far more than a dataset does.
    #[error("{}: its {length} bytes inflate to {inflated}, expected at most 100 times as many", path.display())]
    Inflation {
        /// The archive.
        path: PathBuf,
        /// Its size.
        length: u64,
        /// What its entries declare.
        inflated: u64,
    },
    /// A fault in one line.
    #[error("{file}, line {line}: {fault}")]
    Line {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// What is wrong there.
        fault: LineFault,
    },
    /// The parts that were read do not fit together.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
}

/// What is wrong with an archive, in words that do not need its format.
fn zip_fault(error: &zip::result::ZipError) -> String {
    match error {
        zip::result::ZipError::InvalidArchive(_) => {
            "found no directory of a zip archive that can be read; the file may be cut off or be something else"
                .to_owned()
        }
        other => other.to_string(),
    }
}

/// What can be wrong in one line of a TU file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LineFault {
    /// A blank line before the last line.
    #[error("found a blank line between others")]
    Blank,
    /// Too few or too many fields.
    #[error("found {found} fields, expected {expected}")]
    Fields {
        /// Fields in the line.
        found: usize,
        /// Fields expected.
        expected: usize,
    },
    /// A field that is not of the expected kind.
    #[error("found `{found}`, expected {expected}")]
    Value {
        /// The field.
        found: String,
        /// What was expected.
        expected: &'static str,
    },
    /// A node that does not exist.
    #[error("node {node}, but the dataset has {n_nodes}")]
    Node {
        /// The node named.
        node: u32,
        /// Number of nodes.
        n_nodes: usize,
    },
    /// A graph that does not exist.
    #[error("graph {graph}, but the dataset has {n_graphs}")]
    Graph {
        /// The graph named.
        graph: i64,
        /// Number of graphs.
        n_graphs: usize,
    },
    /// An arc whose ends lie in two graphs.
    #[error("the arc joins node {tail} of graph {tail_graph} to node {head} of graph {head_graph}")]
    BetweenGraphs {
        /// First node.
        tail: u32,
        /// Its graph.
        tail_graph: u32,
        /// Second node.
        head: u32,
        /// Its graph.
        head_graph: u32,
    },
    /// Far more graphs than nodes.
    #[error("found {found} graphs, but only {n_nodes} nodes, expected at most {most}")]
    Graphs {
        /// Lines in the file.
        found: usize,
        /// Nodes of all graphs.
        n_nodes: usize,
        /// Graphs that so many nodes may belong to.
        most: usize,
    },
    /// A file with too few or too many lines; the line is the first that should or should not be there.
    #[error("found {found} lines, but the dataset has {expected} {of}")]
    Count {
        /// Lines in the file.
        found: usize,
        /// Lines expected.
        expected: usize,
        /// What the lines describe.
        of: &'static str,
    },
}
