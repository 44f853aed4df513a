//! GraphML and GML: one graph per file, and a folder of such files as a dataset.
//!
//! Vertices come in the order of the file, edges too, each from source to target of its first line. Self-loops and repeated
//! edges are dropped and counted; two lines of one edge that disagree are an error. What becomes of a graph that is called
//! directed, and of an attribute `weight` of edges, is the choice of the caller: see [`ArcOptions`].
//!
//! Every attribute of vertices and edges becomes a column: numbers (GraphML's `int`, `long`, `float`, `double`;
//! GML's integers and reals) one unoriented channel, anything else labels; an attribute that is a number in some
//! files and text in others is labels. A value must be there for all cells or for none; GraphML's defaults
//! count. Lists within nodes and edges of GML (`graphics`) and markup in GraphML's data are left out. Values are oriented
//! only as flows of directed graphs ([`Directed::Flow`]).
//!
//! The target of a graph is its attribute `target`, `class` or `label`, the first that any graph has, or is in
//! a file `targets.csv` beside the graphs with lines `file,target`. Targets that are all numbers, some with a
//! fraction, are real; others are classes.

mod arcs;
mod assemble;
mod columns;
mod error;
mod gml;
mod graphml;

pub use arcs::{ArcOptions, Directed, EdgeWeights, WEIGHT};
pub(crate) use assemble::{coded_targets, untargeted};
pub use error::{GraphFault, GraphsError};

use crate::Read;
use rayon::prelude::*;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::path::{Path, PathBuf};

/// A value of a vertex, an edge or a graph.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Attribute {
    Number(f64),
    Text(String),
}

impl fmt::Display for Attribute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(value) => write!(f, "{value}"),
            Self::Text(text) => f.write_str(text),
        }
    }
}

pub(crate) type Attributes = BTreeMap<String, Attribute>;

/// A graph as read from a file.
#[derive(Debug, Default)]
pub(crate) struct RawGraph {
    /// Names of the vertices, for messages.
    pub names: Vec<String>,
    pub vertices: Vec<Attributes>,
    pub edges: Vec<RawEdge>,
    pub attributes: Attributes,
}

impl RawGraph {
    /// What the file calls a vertex.
    pub fn name(&self, vertex: u32) -> String {
        self.names.get(vertex as usize).map_or_else(|| vertex.to_string(), String::clone)
    }
}

/// An edge or an arc as read from a file.
#[derive(Debug)]
pub(crate) struct RawEdge {
    pub ends: [u32; 2],
    pub attributes: Attributes,
    /// Its line, from 1; its offset, until lines are counted.
    pub line: usize,
    /// Whether the file says that it runs one way, or both ways; none where it does not say.
    pub directed: Option<bool>,
}

/// A format of graph files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// GraphML, `.graphml`.
    GraphMl,
    /// GML, `.gml`.
    Gml,
}

impl Format {
    /// The format of a file, by the end of its name.
    #[must_use]
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "graphml" => Some(Self::GraphMl),
            "gml" => Some(Self::Gml),
            _ => None,
        }
    }
}

/// Reads the contents of one graph file called `file` as a dataset of one graph.
///
/// # Errors
///
/// [`GraphsError`] names the file and, where there is one, the line.
pub fn parse(format: Format, file: &str, bytes: &[u8], options: &ArcOptions) -> Result<Read, GraphsError> {
    let graph = raw(format, file, bytes)?;
    assemble::dataset(&stem(file), vec![(file.to_owned(), graph)], None, options)
}

/// Reads one graph file as a dataset of one graph.
///
/// # Errors
///
/// [`GraphsError`] names the file and, where there is one, the line.
pub fn read_file(path: &Path, format: Format, options: &ArcOptions) -> Result<Read, GraphsError> {
    parse(format, &file_name(path), &load(path)?, options)
}

/// Reads every `.graphml` and `.gml` file of a folder, in the order of their names.
///
/// # Errors
///
/// [`GraphsError`] names the file and, where there is one, the line.
pub fn read_dir(dir: &Path, options: &ArcOptions) -> Result<Read, GraphsError> {
    let io = |source| GraphsError::Io { path: dir.to_owned(), source };
    let mut paths: Vec<(PathBuf, Format)> = Vec::new();
    for entry in std::fs::read_dir(dir).map_err(io)? {
        let path = entry.map_err(io)?.path();
        paths.extend(Format::of(&path).map(|format| (path, format)));
    }
    if paths.is_empty() {
        return Err(GraphsError::NoFiles { path: dir.to_owned() });
    }
    paths.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    let graphs: Vec<Result<(String, RawGraph), GraphsError>> = paths
        .par_iter()
        .map(|(path, format)| {
            let file = file_name(path);
            let graph = raw(*format, &file, &load(path)?)?;
            Ok((file, graph))
        })
        .collect();
    let graphs = graphs.into_iter().collect::<Result<Vec<_>, _>>()?;
    let list = dir.join("targets.csv");
    let targets = if list.exists() { Some(listed_targets(&load(&list)?)?) } else { None };
    assemble::dataset(&file_name(dir), graphs, targets, options)
}

pub(crate) fn load(path: &Path) -> Result<Vec<u8>, GraphsError> {
    std::fs::read(path).map_err(|source| GraphsError::Io { path: path.to_owned(), source })
}

pub(crate) fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

pub(crate) fn stem(file: &str) -> String {
    file.rsplit_once('.').map_or(file, |(stem, _)| stem).to_owned()
}

fn raw(format: Format, file: &str, bytes: &[u8]) -> Result<RawGraph, GraphsError> {
    let at = |(offset, fault): (usize, GraphFault)| {
        let line = 1 + memchr::memchr_iter(b'\n', &bytes[..offset.min(bytes.len())]).count();
        GraphsError::Line { file: file.to_owned(), line, fault }
    };
    let skipped = if bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
    let text = str::from_utf8(&bytes[skipped..]).map_err(|error| {
        at((skipped + error.valid_up_to(), GraphFault::Syntax("found bytes that are not UTF-8".into())))
    })?;
    let parsed = match format {
        Format::GraphMl => graphml::parse(text),
        Format::Gml => gml::parse(text),
    };
    let mut graph = parsed.map_err(|(offset, fault)| at((skipped + offset, fault)))?;
    let ends: Vec<usize> = memchr::memchr_iter(b'\n', text.as_bytes()).collect();
    for edge in &mut graph.edges {
        edge.line = 1 + ends.partition_point(|&end| end < edge.line);
    }
    Ok(graph)
}

/// The targets listed in `targets.csv`, by file.
pub(crate) fn listed_targets(bytes: &[u8]) -> Result<HashMap<String, String>, GraphsError> {
    let mut out = HashMap::new();
    for (line, number) in crate::text::lines(crate::text::tidy(bytes)).zip(1..) {
        let text = String::from_utf8_lossy(line);
        let Some((file, target)) = text.split_once(',') else {
            let fault = GraphFault::Found { found: format!("`{text}`"), expected: "`file,target`" };
            return Err(GraphsError::Line { file: "targets.csv".to_owned(), line: number, fault });
        };
        if number > 1 || file.trim() != "file" {
            out.insert(file.trim().to_owned(), target.trim().to_owned());
        }
    }
    Ok(out)
}
