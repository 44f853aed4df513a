//! From arcs, two for an edge, to graphs, and the values of arcs to values of edges.

use super::table::{Table, categories};
use super::{LineFault, TuError};
use crate::Report;
use hodgelet::complex::Complex;
use hodgelet::dataset::{Column, ColumnValues};
use hodgelet::signal::Orientation;
use rayon::prelude::*;

/// Marks a direction that is not listed.
const NO_ARC: u32 = u32::MAX;

/// Which nodes belong to which graph.
pub(super) struct Nodes {
    /// Graph of each node, from 0.
    pub graph: Vec<u32>,
    /// Number of each node within its graph.
    pub local: Vec<u32>,
    /// Where each graph starts among the nodes once they are grouped, `[n_graphs + 1]`.
    pub starts: Vec<usize>,
    /// Nodes in the order of their graphs, unless they are so already.
    pub order: Option<Vec<u32>>,
}

impl Nodes {
    /// Groups the nodes by the graph each is said to belong to.
    pub fn group(indicator: &Table<i64>, n_graphs: usize) -> Result<Self, TuError> {
        let mut graph = Vec::with_capacity(indicator.values.len());
        let mut local = Vec::with_capacity(indicator.values.len());
        let mut counts = vec![0u32; n_graphs];
        let (mut last, mut ascending) = (1, true);
        for (row, &id) in indicator.values.iter().enumerate() {
            if id < 1 || id > n_graphs as i64 {
                return Err(indicator.fault(row, LineFault::Graph { graph: id, n_graphs }));
            }
            ascending &= last <= id;
            last = id;
            let count = &mut counts[(id - 1) as usize];
            graph.push((id - 1) as u32);
            local.push(*count);
            *count += 1;
        }
        let starts = running_sum(&counts);
        let order = (!ascending).then(|| grouped(&graph, &starts));
        Ok(Self { graph, local, starts, order })
    }
}

/// `[0, c_0, c_0 + c_1, ...]`.
fn running_sum(counts: &[u32]) -> Vec<usize> {
    let mut starts = vec![0];
    for &count in counts {
        starts.push(starts[starts.len() - 1] + count as usize);
    }
    starts
}

/// Indices in the order of their groups, otherwise in their own order.
fn grouped(groups: &[u32], starts: &[usize]) -> Vec<u32> {
    let mut next = starts.to_vec();
    let mut order = vec![0; groups.len()];
    for (&group, i) in groups.iter().zip(0..) {
        order[next[group as usize]] = i;
        next[group as usize] += 1;
    }
    order
}

/// Graphs, and the arcs each edge comes from.
pub(super) struct Graphs {
    pub complexes: Vec<Complex>,
    /// Arc from the lower to the higher vertex and back, or [`NO_ARC`], edge after edge.
    arcs: Vec<[u32; 2]>,
    /// Where each graph starts among the edges.
    starts: Vec<usize>,
}

/// The edges of one graph.
struct OneGraph {
    complex: Complex,
    arcs: Vec<[u32; 2]>,
    self_loops: usize,
    repeated: usize,
}

/// Joins the two arcs of each edge; edges run from the lower to the higher vertex, in lexicographic order.
pub(super) fn graphs(arcs: &Table<[u32; 2]>, nodes: &Nodes, report: &mut Report) -> Result<Graphs, TuError> {
    let groups = arcs_by_graph(arcs, nodes)?;
    let found: Vec<OneGraph> = (0..nodes.starts.len() - 1)
        .into_par_iter()
        .with_min_len(64)
        .map_init(Vec::new, |keys, g| {
            let n_vertices = nodes.starts[g + 1] - nodes.starts[g];
            collect_keys(keys, arcs, nodes, groups.of(g));
            one_graph(n_vertices, keys)
        })
        .collect();
    // Lone vertices have no arc in any case.
    let has_arcs = |graph: &OneGraph| !graph.arcs.is_empty() || graph.self_loops > 0;
    let last = found.iter().rev().take_while(|graph| !has_arcs(graph));
    report.without_arcs = last.filter(|graph| graph.complex.n_cells(0) > 1).count();
    let mut out = Graphs { complexes: Vec::with_capacity(found.len()), arcs: Vec::new(), starts: vec![0] };
    for graph in found {
        report.self_loops += graph.self_loops;
        report.repeated += graph.repeated;
        report.one_way += graph.arcs.iter().filter(|arcs| arcs.contains(&NO_ARC)).count();
        report.empty += usize::from(graph.complex.n_cells(0) == 0);
        out.complexes.push(graph.complex);
        out.arcs.extend(graph.arcs);
        out.starts.push(out.arcs.len());
    }
    Ok(out)
}

/// The arcs of each graph.
struct ArcGroups {
    starts: Vec<usize>,
    order: Option<Vec<u32>>,
}

impl ArcGroups {
    fn of(&self, graph: usize) -> impl Iterator<Item = u32> {
        let range = self.starts[graph]..self.starts[graph + 1];
        range.map(move |at| self.order.as_ref().map_or(at as u32, |order| order[at]))
    }
}

fn arcs_by_graph(arcs: &Table<[u32; 2]>, nodes: &Nodes) -> Result<ArcGroups, TuError> {
    let mut counts = vec![0u32; nodes.starts.len() - 1];
    let (mut last, mut ascending) = (0, true);
    let n_nodes = nodes.graph.len();
    for (row, &[tail, head]) in arcs.values.iter().enumerate() {
        let graph = |node: u32| {
            let found = nodes.graph.get((node as usize).wrapping_sub(1));
            found.copied().ok_or_else(|| arcs.fault(row, LineFault::Node { node, n_nodes }))
        };
        let (tail_graph, head_graph) = (graph(tail)?, graph(head)?);
        if tail_graph != head_graph {
            let (tail_graph, head_graph) = (tail_graph + 1, head_graph + 1);
            return Err(arcs.fault(row, LineFault::BetweenGraphs { tail, tail_graph, head, head_graph }));
        }
        ascending &= last <= tail_graph;
        last = tail_graph;
        counts[tail_graph as usize] += 1;
    }
    let starts = running_sum(&counts);
    let order = (!ascending).then(|| {
        let graph_of_arc: Vec<u32> = arcs.values.iter().map(|arc| nodes.graph[arc[0] as usize - 1]).collect();
        grouped(&graph_of_arc, &starts)
    });
    Ok(ArcGroups { starts, order })
}

/// Each arc of a graph as (lower vertex, higher vertex) in one number, and twice its index, plus one if it
/// runs downwards: [`MAX_FILE_BYTES`](super::MAX_FILE_BYTES) leaves room for that.
fn collect_keys(
    keys: &mut Vec<(u64, u32)>,
    arcs: &Table<[u32; 2]>,
    nodes: &Nodes,
    group: impl Iterator<Item = u32>,
) {
    keys.clear();
    keys.extend(group.map(|arc| {
        let [tail, head] = arcs.values[arc as usize].map(|node| nodes.local[node as usize - 1]);
        let (low, high) = (tail.min(head), tail.max(head));
        (u64::from(low) << 32 | u64::from(high), arc << 1 | u32::from(tail > head))
    }));
    keys.sort_unstable();
}

fn one_graph(n_vertices: usize, keys: &[(u64, u32)]) -> OneGraph {
    let mut edges = Vec::with_capacity(keys.len() / 2);
    let mut arcs: Vec<[u32; 2]> = Vec::with_capacity(keys.len() / 2);
    let (mut self_loops, mut repeated) = (0, 0);
    let mut previous = None;
    for &(key, arc) in keys {
        let (low, high) = ((key >> 32) as u32, key as u32);
        if low == high {
            self_loops += 1;
            continue;
        }
        if previous != Some(key) {
            previous = Some(key);
            edges.push([low, high]);
            arcs.push([NO_ARC; 2]);
        }
        let slot = arcs.last_mut().map(|pair| &mut pair[(arc & 1) as usize]).expect("an edge was pushed");
        if *slot == NO_ARC {
            *slot = arc >> 1;
        } else {
            repeated += 1;
        }
    }
    let complex = Complex::graph(n_vertices, &edges).expect("edges are distinct, in range and not loops");
    OneGraph { complex, arcs, self_loops, repeated }
}

impl Graphs {
    fn column(&self, name: String, orientation: Orientation, values: ColumnValues) -> Column {
        Column { name, dim: 1, orientation, starts: self.starts.clone(), values }
    }

    /// Labels of edges, one column for each field, from the arc that runs upwards if it is listed.
    pub fn labels(&self, table: &Table<i64>, disagreeing: &mut [bool]) -> Vec<Column> {
        (0..table.width)
            .map(|d| {
                let of_arcs: Vec<i64> = table.values.iter().skip(d).step_by(table.width).copied().collect();
                let (categories, codes) = categories(&of_arcs);
                for (edge, &[up, down]) in self.arcs.iter().enumerate() {
                    disagreeing[edge] |=
                        up != NO_ARC && down != NO_ARC && codes[up as usize] != codes[down as usize];
                }
                let chosen = |&[up, down]: &[u32; 2]| codes[if up == NO_ARC { down } else { up } as usize];
                let codes = self.arcs.iter().map(chosen).collect();
                let values = ColumnValues::Labels { categories, codes };
                self.column(super::column_name(d, table.width), Orientation::Unoriented, values)
            })
            .collect()
    }

    /// Attributes of edges: a column of those equal in both directions and a column of those opposite.
    pub fn attributes(&self, table: &Table<f64>, disagreeing: &mut [bool]) -> Vec<Column> {
        let kinds: Vec<Agreement> = (0..table.width).map(|d| self.agreement(table, d)).collect();
        let kinds = &kinds;
        let of_kind =
            |oriented| (0..table.width).filter(move |&d| (kinds[d] == Agreement::Opposite) == oriented);
        let mixed = of_kind(true).next().is_some() && of_kind(false).next().is_some();
        let mut columns = Vec::new();
        for oriented in [false, true] {
            let fields: Vec<usize> = of_kind(oriented).collect();
            if fields.is_empty() {
                continue;
            }
            let mut values = Vec::with_capacity(self.arcs.len() * fields.len());
            for (edge, arcs) in self.arcs.iter().enumerate() {
                for &d in &fields {
                    let value = self.merged(table, d, arcs, kinds[d]);
                    disagreeing[edge] |= value.1;
                    values.push(value.0);
                }
            }
            let name = if mixed && oriented { "attribute.oriented" } else { "attribute" };
            let orientation = if oriented { Orientation::Oriented } else { Orientation::Unoriented };
            let channels = fields.iter().map(usize::to_string).collect();
            columns.push(self.column(name.to_owned(), orientation, ColumnValues::Real { channels, values }));
        }
        columns
    }

    /// How field `d` of the two arcs of an edge relate, over all edges with both.
    fn agreement(&self, table: &Table<f64>, d: usize) -> Agreement {
        let value = |arc: u32| table.values[arc as usize * table.width + d];
        let (mut equal, mut opposite) = (true, true);
        for &[up, down] in self.arcs.iter().filter(|arcs| !arcs.contains(&NO_ARC)) {
            equal &= value(up) == value(down);
            opposite &= value(up) == -value(down);
        }
        match (equal, opposite) {
            (true, _) => Agreement::Equal,
            (false, true) => Agreement::Opposite,
            (false, false) => Agreement::Neither,
        }
    }

    /// Value of an edge in field `d`, and whether its arcs disagree about it.
    fn merged(&self, table: &Table<f64>, d: usize, &[up, down]: &[u32; 2], kind: Agreement) -> (f64, bool) {
        let value = |arc: u32| table.values[arc as usize * table.width + d];
        match (up != NO_ARC, down != NO_ARC, kind) {
            (false, _, Agreement::Opposite) => (-value(down), false),
            (false, _, _) => (value(down), false),
            // Halved first: the sum of two large numbers may overflow.
            (true, true, Agreement::Neither) if value(up) != value(down) => {
                (0.5 * value(up) + 0.5 * value(down), true)
            }
            _ => (value(up), false),
        }
    }

    pub fn n_edges(&self) -> usize {
        self.arcs.len()
    }
}

/// How the values of the two arcs of an edge relate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Agreement {
    Equal,
    Opposite,
    Neither,
}
