//! Other complexes of the same data: lifts of graphs and points, expansions of hypergraphs.

use crate::batch::Arrays;
use crate::error::Fault;
use crate::export::graphs;
use crate::run::run;
use hodgelet::complex::{Expansion, Hypergraph};
use hodgelet::dataset::{Column, HypergraphDataset, Targets};
use hodgelet_cli::commands::lift::LiftParams;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The complexes that a lift makes of the graphs or points of a batch, as a dict of arrays with the names of columns that
/// were dropped under `left_out`.
#[pyfunction]
pub fn lift<'py>(
    py: Python<'py>,
    batch: &Bound<'py, PyAny>,
    to: &str,
    dim: Option<usize>,
    max_length: Option<usize>,
    radius: Option<f64>,
    points: Option<String>,
) -> PyResult<Bound<'py, PyDict>> {
    let params = LiftParams::named(to, dim, max_length, radius, points).map_err(Fault::from)?;
    let arrays = Arrays::of(batch)?;
    let view = arrays.view()?;
    let (dataset, left_out) = run(py, None, None, |watch| {
        let go_on = |_: usize| watch.go_on();
        Ok(params.lifted(view.dataset(Targets::None)?, go_on)?)
    })?;
    let dict = graphs(py, &dataset)?;
    dict.set_item("left_out", left_out)?;
    Ok(dict)
}

/// The complexes of an expansion. Two batches without edges hold the values of nodes and of hyperedges; hyperedge `e`, over all
/// hypergraphs, has the nodes `members[offsets[e]..offsets[e + 1]]`, numbered within its hypergraph.
#[pyfunction]
pub fn expand<'py>(
    py: Python<'py>,
    nodes: &Bound<'py, PyAny>,
    hyperedges: &Bound<'py, PyAny>,
    offsets: Vec<usize>,
    members: Vec<u32>,
    weights: Option<Vec<f64>>,
    expansion: &str,
) -> PyResult<Bound<'py, PyDict>> {
    let expansion: Expansion = expansion.parse().map_err(Fault::input)?;
    let (nodes, hyperedges) = (Arrays::of(nodes)?, Arrays::of(hyperedges)?);
    let (nodes, hyperedges) = (nodes.view()?, hyperedges.view()?);
    let dataset = run(py, None, None, |_| {
        let (nodes, hyperedges) = (nodes.dataset(Targets::None)?, hyperedges.dataset(Targets::None)?);
        let starts = hyperedges.cell_starts(0);
        let wrong = || Fault::input("members of hyperedges, expected those of every hyperedge");
        let held = |e: usize| members.get(*offsets.get(e)?..*offsets.get(e + 1)?).map(<[u32]>::to_vec);
        let mut all = Vec::with_capacity(nodes.len());
        for (i, complex) in nodes.complexes().iter().enumerate() {
            let range = *starts.get(i).ok_or_else(wrong)?..*starts.get(i + 1).ok_or_else(wrong)?;
            let edges: Vec<Vec<u32>> = range.clone().map(held).collect::<Option<_>>().ok_or_else(wrong)?;
            let own = match &weights {
                None => None,
                Some(weights) => Some(weights.get(range).ok_or_else(wrong)?.to_vec()),
            };
            let hypergraph = Hypergraph::new(complex.n_cells(0), &edges, own);
            all.push(hypergraph.map_err(|error| Fault::input(format!("graph {i}: {error}")))?);
        }
        let of_edges = hyperedges.columns().iter().map(|column| Column { dim: 1, ..column.clone() });
        let columns = nodes.columns().iter().cloned().chain(of_edges).collect();
        let name = "hypergraphs".to_owned();
        let found = HypergraphDataset { name, hypergraphs: all, columns, targets: Targets::None };
        found.expand(expansion).map_err(Fault::input)
    })?;
    graphs(py, &dataset)
}
