//! Graphs of several files become one dataset.

use super::arcs::{ArcOptions, merged};
use super::columns::{EdgeOf, of_edges, of_vertices};
use super::{Attribute, GraphsError, RawGraph, stem};
use crate::{Read, Report, jsonl, text};
use hodgelet::complex::Complex;
use hodgelet::dataset::{Column, Dataset, Targets, cell_starts};
use std::collections::HashMap;

/// Names under which a graph may carry its target, in the order in which they are looked for.
const TARGET_NAMES: [&str; 3] = ["target", "class", "label"];

/// Puts the graphs of several files together; `listed` are targets from a list, by file.
pub(super) fn dataset(
    name: &str,
    graphs: Vec<(String, RawGraph)>,
    listed: Option<HashMap<String, String>>,
    options: &ArcOptions,
) -> Result<Read, GraphsError> {
    let targets = targets(&graphs, listed)?;
    let ids = graphs.iter().map(|(file, _)| stem(file)).collect();
    let read = untargeted(name, &graphs, options)?;
    Ok(Read { dataset: read.dataset.with_targets(targets)?, ids, ..read })
}

/// The dataset of some graphs, each with the name of its file, without targets and names.
pub(crate) fn untargeted(
    name: &str,
    graphs: &[(String, RawGraph)],
    options: &ArcOptions,
) -> Result<Read, GraphsError> {
    let mut report = Report::default();
    let mut complexes = Vec::with_capacity(graphs.len());
    let mut edges = Vec::new();
    for (file, graph) in graphs {
        let merged = merged(file, graph, options.directed)?;
        let ends: Vec<[u32; 2]> = merged.edges.iter().map(|edge| edge.ends).collect();
        let complex = Complex::graph(graph.vertices.len(), &ends)
            .map_err(|source| GraphsError::Complex { file: file.clone(), source })?;
        report.self_loops += merged.self_loops;
        report.repeated += merged.repeated;
        report.empty += usize::from(complex.n_cells(0) == 0);
        edges.extend(merged.edges.into_iter().map(|edge| EdgeOf { file, graph, edge }));
        complexes.push(complex);
    }
    let mut all = Vec::new();
    for (dim, columns) in [(0, of_vertices(graphs)?), (1, of_edges(&edges, options)?)] {
        let starts = cell_starts(&complexes, dim);
        all.extend(columns.into_iter().map(|found| Column {
            name: found.name,
            dim,
            orientation: found.orientation,
            starts: starts.clone(),
            values: found.values,
        }));
    }
    let dataset = Dataset::new(name, complexes, all, Targets::None)?;
    Ok(Read { report, ..Read::clean(dataset) })
}

fn targets(
    graphs: &[(String, RawGraph)],
    listed: Option<HashMap<String, String>>,
) -> Result<Targets, GraphsError> {
    let carried = |name: &&&str| graphs.iter().any(|(_, graph)| graph.attributes.contains_key(**name));
    let name = TARGET_NAMES.iter().find(carried);
    if listed.is_none() && name.is_none() {
        return Ok(Targets::None);
    }
    let one = |(file, graph): &(String, RawGraph)| {
        let found = match (&listed, name) {
            (Some(listed), _) => listed.get(file).or_else(|| listed.get(&stem(file))).cloned(),
            (None, Some(&name)) => graph.attributes.get(name).map(Attribute::to_string),
            (None, None) => None,
        };
        found.ok_or_else(|| GraphsError::MissingTarget { file: file.clone() })
    };
    let values = graphs.iter().map(one).collect::<Result<Vec<String>, _>>()?;
    Ok(coded_targets(&values))
}

/// Targets from their text: real where all are numbers and some have a fraction, otherwise classes.
pub(crate) fn coded_targets(values: &[String]) -> Targets {
    let numbers: Option<Vec<f64>> =
        values.iter().map(|value| text::real(value.as_bytes()).filter(|v| v.is_finite())).collect();
    match numbers {
        Some(numbers) if numbers.iter().any(|value| value.fract() != 0.0) => Targets::Real(numbers),
        _ => {
            let (names, labels) = jsonl::coded(None, values.iter().map(String::as_str));
            Targets::Classes { names, labels }
        }
    }
}
