//! HIF, the hypergraph interchange format of XGI, HyperNetX and others: one hypergraph per JSON file, and a folder of
//! such files as a dataset.
//!
//! ```text
//! {"network-type": "undirected", "metadata": {"target": "ring"},
//!  "nodes": [{"node": "a", "attrs": {"size": 1.5}}, {"node": "b"}],
//!  "edges": [{"edge": 0, "weight": 2.0}],
//!  "incidences": [{"edge": 0, "node": "a"}, {"edge": 0, "node": "b"}]}
//! ```
//!
//! Nodes and edges come in the order of `nodes` and `edges`, then of the incidences that first name them; `incidences`
//! alone is needed. A number as a name is not the same as its text. The weight of an edge
//! (beside its name, or among its attributes, where XGI puts it) is that of the hyperedge, 1 where it has none; the weight
//! of a node is an attribute called `weight`.
//!
//! An attribute that all nodes (or all edges) of all files have becomes a column: numbers one channel, texts and
//! truth values labels, and labels if some are one and some the other. Attributes that are not there for all, that are
//! lists or objects, and weights, directions and attributes of incidences are left out and reported.
//!
//! The target of a hypergraph is `target`, `class` or `label` in its `metadata`, the first that any file has, or is
//! in a file `targets.csv` beside the hypergraphs with lines `file,target`. Which complex represents a hypergraph is
//! chosen by the caller: see [`Expansion`].

mod assemble;
mod error;
mod parse;

pub use error::HifError;

use crate::{Read, Report};
use hodgelet::complex::Expansion;
use hodgelet::dataset::HypergraphDataset;
use rayon::prelude::*;
use std::path::{Path, PathBuf};

/// Whether a file is one of this format, by the end of its name.
#[must_use]
pub fn is_hif(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"))
}

/// Hypergraphs and what their reader had to say about them.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadHypergraphs {
    /// The hypergraphs.
    pub dataset: HypergraphDataset,
    /// What the reader cleaned up.
    pub report: Report,
    /// The name of each file, without its extension.
    pub ids: Vec<String>,
}

impl ReadHypergraphs {
    /// The dataset of the complexes of an expansion.
    ///
    /// # Errors
    ///
    /// [`HifError::Dataset`] does not occur for what this module reads.
    pub fn expand(self, expansion: Expansion) -> Result<Read, HifError> {
        let dataset = self.dataset.expand(expansion)?;
        Ok(Read { report: self.report, ids: self.ids, ..Read::clean(dataset) })
    }
}

/// Reads the contents of one file called `file` as a dataset of one hypergraph.
///
/// # Errors
///
/// [`HifError`] names the file and the entry.
pub fn parse(file: &str, bytes: &[u8]) -> Result<ReadHypergraphs, HifError> {
    let raw = parse::hypergraph(file, bytes)?;
    assemble::dataset(stem(file), vec![raw], None)
}

/// Reads one file as a dataset of one hypergraph.
///
/// # Errors
///
/// [`HifError`] names the file and the entry.
pub fn read_file(path: &Path) -> Result<ReadHypergraphs, HifError> {
    parse(&file_name(path), &load(path)?)
}

/// Reads every `.json` file of a folder, in the order of their names.
///
/// # Errors
///
/// [`HifError`] names the file and the entry.
pub fn read_dir(dir: &Path) -> Result<ReadHypergraphs, HifError> {
    let io = |source| HifError::Io { path: dir.to_owned(), source };
    let mut paths: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(dir).map_err(io)? {
        let path = entry.map_err(io)?.path();
        if is_hif(&path) {
            paths.push(path);
        }
    }
    if paths.is_empty() {
        return Err(HifError::NoFiles { path: dir.to_owned() });
    }
    paths.sort_unstable();
    let all: Vec<Result<parse::Raw, HifError>> =
        paths.par_iter().map(|path| parse::hypergraph(&file_name(path), &load(path)?)).collect();
    let all = all.into_iter().collect::<Result<Vec<_>, _>>()?;
    let list = dir.join("targets.csv");
    let listed = if list.exists() { Some(assemble::listed_targets(&load(&list)?)?) } else { None };
    assemble::dataset(&file_name(dir), all, listed)
}

fn load(path: &Path) -> Result<Vec<u8>, HifError> {
    std::fs::read(path).map_err(|source| HifError::Io { path: path.to_owned(), source })
}

fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The name of a file without `.json` and `.hif`.
fn stem(file: &str) -> &str {
    let stem = file.strip_suffix(".json").unwrap_or(file);
    stem.strip_suffix(".hif").unwrap_or(stem)
}
