//! From arcs to edges: what a direction becomes, and what the weight of an edge is.
//!
//! An arc runs one way; an edge runs both. Where a file has arcs, or two rows of one pair of vertices disagree, nothing is
//! dropped without a choice of the user: see [`Directed`].

use super::{Attribute, GraphsError, RawEdge, RawGraph};
use std::fmt;
use std::str::FromStr;

/// What the directions of arcs become.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Directed {
    /// An arc without its equal in the other direction is an error.
    #[default]
    Error,
    /// Arcs are edges; two that disagree are an error.
    Ignore,
    /// A number `a` on arcs becomes two signals on edges: `(a_uv + a_vu) / 2`, unoriented, under its name, and
    /// `(a_uv − a_vu) / 2`, oriented from `u` to `v`, under its name with `-flow`. An arc that is not there has 0. Where arcs
    /// have no numbers, each counts 1: the signals `arc` and `arc-flow`.
    Flow,
}

impl Directed {
    /// The names of all.
    pub const NAMES: [&'static str; 3] = ["error", "ignore", "flow"];
}

impl fmt::Display for Directed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Error => "error",
            Self::Ignore => "ignore",
            Self::Flow => "flow",
        })
    }
}

impl FromStr for Directed {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "error" => Ok(Self::Error),
            "ignore" => Ok(Self::Ignore),
            "flow" => Ok(Self::Flow),
            other => Err(format!("directed `{other}`, expected one of {}", Self::NAMES.join(", "))),
        }
    }
}

/// Name of the attribute that is taken for the weight of an edge.
pub const WEIGHT: &str = "weight";

/// What the weights of edges are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EdgeWeights {
    /// A signal like other attributes.
    Signal,
    /// The attribute of this name weighs the edges in the Laplacian and is no signal.
    Laplacian(String),
}

impl fmt::Display for EdgeWeights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Signal => f.write_str("signal"),
            Self::Laplacian(name) if name == WEIGHT => f.write_str("laplacian"),
            Self::Laplacian(name) => write!(f, "laplacian={name}"),
        }
    }
}

impl FromStr for EdgeWeights {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            None if text == "signal" => Ok(Self::Signal),
            None if text == "laplacian" => Ok(Self::Laplacian(WEIGHT.to_owned())),
            Some(("laplacian", name)) if !name.is_empty() => Ok(Self::Laplacian(name.to_owned())),
            _ => Err(format!("weights `{text}`, expected signal, laplacian or laplacian=NAME")),
        }
    }
}

/// What a file of a graph does not say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArcOptions {
    /// What directions become.
    pub directed: Directed,
    /// What an attribute `weight` of edges is; without it such an attribute is an error.
    pub weights: Option<EdgeWeights>,
}

/// An edge and the rows it comes from: the one along it and the one back, if there are both.
pub(super) struct Edge<'a> {
    pub ends: [u32; 2],
    pub rows: [Option<&'a RawEdge>; 2],
}

impl<'a> Edge<'a> {
    /// The row that comes first.
    pub fn row(&self) -> Option<&'a RawEdge> {
        self.rows[0].or(self.rows[1])
    }
}

/// The edges of a graph.
#[derive(Default)]
pub(super) struct Merged<'a> {
    /// In the order of their first rows, and in their direction.
    pub edges: Vec<Edge<'a>>,
    pub self_loops: usize,
    pub repeated: usize,
}

/// Joins the rows of each pair of vertices.
pub(super) fn merged<'a>(
    file: &str,
    graph: &'a RawGraph,
    directed: Directed,
) -> Result<Merged<'a>, GraphsError> {
    let mut out = Merged::default();
    let key = |row: &RawEdge| (row.ends[0].min(row.ends[1]), row.ends[0].max(row.ends[1]));
    let mut order: Vec<usize> = (0..graph.edges.len()).collect();
    order.sort_by_key(|&i| (key(&graph.edges[i]), i));
    let mut edges: Vec<(usize, Edge<'a>)> = Vec::new();
    for rows in order.chunk_by(|&a, &b| key(&graph.edges[a]) == key(&graph.edges[b])) {
        let ends = graph.edges[rows[0]].ends;
        if ends[0] == ends[1] {
            out.self_loops += rows.len();
            continue;
        }
        let found = rows.iter().map(|&i| &graph.edges[i]);
        let (edge, repeated) = one_edge(file, graph, found, directed)?;
        out.repeated += repeated;
        edges.push((rows[0], edge));
    }
    edges.sort_by_key(|(first, _)| *first);
    out.edges = edges.into_iter().map(|(_, edge)| edge).collect();
    Ok(out)
}

/// The edge of some rows, the first of which gives its direction, and how many of them say nothing new.
fn one_edge<'a>(
    file: &str,
    graph: &RawGraph,
    rows: impl Iterator<Item = &'a RawEdge>,
    directed: Directed,
) -> Result<(Edge<'a>, usize), GraphsError> {
    let mut edge = Edge { ends: [0, 0], rows: [None; 2] };
    let (mut repeated, mut arc) = (0, None);
    for (i, row) in rows.enumerate() {
        if i == 0 {
            edge.ends = row.ends;
        }
        let is_arc = row.directed.unwrap_or(directed == Directed::Flow);
        let way = usize::from(row.ends != edge.ends);
        let places = if is_arc { way..way + 1 } else { 0..2 };
        let earlier = match directed {
            Directed::Flow => edge.rows[places.clone()].iter().flatten().next(),
            Directed::Error | Directed::Ignore => edge.rows.iter().flatten().next(),
        };
        if let Some(earlier) = earlier {
            check_equal(file, graph, [earlier, row])?;
        }
        repeated += usize::from(edge.rows[places.clone()].iter().all(Option::is_some));
        for place in places {
            edge.rows[place].get_or_insert(row);
        }
        arc = arc.or(is_arc.then_some(row));
    }
    match arc {
        Some(row) if directed == Directed::Error && edge.rows.iter().any(Option::is_none) => {
            let [tail, head] = row.ends.map(|v| graph.name(v));
            Err(GraphsError::OneWay { file: file.to_owned(), line: row.line, tail, head })
        }
        _ => Ok((edge, repeated)),
    }
}

/// Whether two rows of one edge say the same.
fn check_equal(file: &str, graph: &RawGraph, rows: [&RawEdge; 2]) -> Result<(), GraphsError> {
    let mut names = rows[0].attributes.keys().chain(rows[1].attributes.keys());
    match names.find(|name| rows[0].attributes.get(*name) != rows[1].attributes.get(*name)) {
        None => Ok(()),
        Some(name) => Err(conflict(file, graph, rows, name)),
    }
}

/// The error of two rows of one edge that disagree about an attribute.
pub(super) fn conflict(file: &str, graph: &RawGraph, rows: [&RawEdge; 2], name: &str) -> GraphsError {
    let value =
        |row: &RawEdge| row.attributes.get(name).map_or_else(|| "nothing".to_owned(), Attribute::to_string);
    GraphsError::Conflict {
        file: file.to_owned(),
        lines: rows.map(|row| row.line),
        ends: Box::new(rows[1].ends.map(|v| graph.name(v))),
        opposite: rows[0].ends != rows[1].ends,
        name: name.to_owned(),
        values: Box::new(rows.map(value)),
    }
}
