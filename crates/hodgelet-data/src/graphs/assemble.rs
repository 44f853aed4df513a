//! Graphs of several files become one dataset.

use super::{Attribute, Attributes, GraphsError, RawGraph, stem};
use crate::{Read, Report, jsonl, text};
use hodgelet::complex::Complex;
use hodgelet::dataset::{Column, ColumnValues, Dataset, Targets, cell_starts};
use hodgelet::signal::Orientation;
use std::collections::{BTreeSet, HashMap};

/// Names under which a graph may carry its target, in the order in which they are looked for.
const TARGET_NAMES: [&str; 3] = ["target", "class", "label"];

/// Puts the graphs of several files together; `listed` are targets from a list, by file.
pub(super) fn dataset(
    name: &str,
    graphs: Vec<(String, RawGraph)>,
    listed: Option<HashMap<String, String>>,
) -> Result<Read, GraphsError> {
    let targets = targets(&graphs, listed)?;
    let mut report = Report::default();
    let mut complexes = Vec::with_capacity(graphs.len());
    let (mut vertices, mut edges) = (Vec::new(), Vec::new());
    for (file, graph) in &graphs {
        let ends: Vec<[u32; 2]> = graph.edges.iter().map(|edge| edge.0).collect();
        let cleaned = Complex::graph_cleaned(graph.vertices.len(), &ends);
        let (complex, clean_up) =
            cleaned.map_err(|source| GraphsError::Complex { file: file.clone(), source })?;
        report.self_loops += clean_up.self_loops;
        report.repeated += clean_up.duplicates;
        report.empty += usize::from(complex.n_cells(0) == 0);
        vertices.extend(graph.vertices.iter().map(|attributes| (file.as_str(), attributes)));
        edges.extend(clean_up.kept.iter().map(|&e| (file.as_str(), &graph.edges[e].1)));
        complexes.push(complex);
    }
    let mut all = Vec::new();
    for (dim, cells) in [(0, &vertices), (1, &edges)] {
        let starts = cell_starts(&complexes, dim);
        for (name, values) in columns(dim, cells)? {
            let (orientation, starts) = (Orientation::Unoriented, starts.clone());
            all.push(Column { name, dim, orientation, starts, values });
        }
    }
    let dataset = Dataset::new(name, complexes, all, targets)?;
    let ids = graphs.iter().map(|(file, _)| stem(file)).collect();
    Ok(Read { dataset, report, ids })
}

/// A column for every attribute that a cell has.
fn columns(dim: usize, cells: &[(&str, &Attributes)]) -> Result<Vec<(String, ColumnValues)>, GraphsError> {
    let names: BTreeSet<&String> = cells.iter().flat_map(|(_, attributes)| attributes.keys()).collect();
    let column = |name: &String| {
        let value = |(i, (file, attributes)): (usize, &(&str, &'_ Attributes))| {
            attributes.get(name).cloned().ok_or_else(|| {
                let within = cells[..i].iter().rev().take_while(|cell| cell.0 == *file).count();
                let kind = if dim == 0 { "vertex" } else { "edge" };
                let (cell, name) = (format!("{kind} {within}"), name.clone());
                GraphsError::MissingValue { file: (*file).to_owned(), cell, name }
            })
        };
        let values = cells.iter().enumerate().map(value).collect::<Result<Vec<Attribute>, _>>()?;
        Ok((name.clone(), column_values(name, &values)))
    };
    names.into_iter().map(column).collect()
}

fn column_values(name: &str, values: &[Attribute]) -> ColumnValues {
    let number = |value: &Attribute| match value {
        Attribute::Number(value) => Some(*value),
        Attribute::Text(_) => None,
    };
    match values.iter().map(number).collect() {
        Some(values) => ColumnValues::Real { channels: vec![name.to_owned()], values },
        None => {
            let text: Vec<String> = values.iter().map(Attribute::to_string).collect();
            let (categories, codes) = jsonl::coded(None, text.iter().map(String::as_str));
            ColumnValues::Labels { categories, codes }
        }
    }
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
