//! Lines that hold a hypergraph.

use super::JsonlError;
use super::complex::indices;
use super::field::{Field, Path};
use super::read::Item;
use hodgelet::complex::{Hypergraph, HypergraphError};

/// The hypergraph of a line, if it holds one.
pub(super) fn parse(line: Field<'_>, n_vertices: usize) -> Result<Option<Hypergraph>, JsonlError> {
    let weights = line.get("hyperedge_weights")?;
    let Some(hyperedges) = line.get("hyperedges")? else {
        return match weights {
            Some(weights) => Err(weights.error("weights", "`hyperedges` as well")),
            None => Ok(None),
        };
    };
    for other in ["edges", "triangles", "polygons", "simplices", "boundaries", "weights"] {
        if let Some(field) = line.get(other)? {
            return Err(field.error(format!("`{other}`"), "nothing, as the line has `hyperedges`"));
        }
    }
    let mut members = Vec::new();
    for (i, value) in hyperedges.array()?.iter().enumerate() {
        members.push(indices(hyperedges.with(Path::Index(&hyperedges.path, i), value))?);
    }
    let weights = match weights {
        None => None,
        Some(weights) => {
            let list = weights.array_of(members.len(), "weights")?.iter().enumerate();
            let number = |(i, value)| weights.with(Path::Index(&weights.path, i), value).number();
            Some(list.map(number).collect::<Result<Vec<f64>, _>>()?)
        }
    };
    let wrong = |source: HypergraphError| JsonlError::Hypergraph {
        file: line.file.to_owned(),
        line: line.line,
        source,
    };
    Hypergraph::new(n_vertices, &members, weights).map(Some).map_err(wrong)
}

/// The hypergraphs of all lines, or none; a file does not hold both kinds of lines.
pub(super) fn all_or_none(file: &str, items: &[Item]) -> Result<Option<Vec<Hypergraph>>, JsonlError> {
    let found: Vec<Hypergraph> = items.iter().filter_map(|item| item.hypergraph.clone()).collect();
    if found.is_empty() {
        return Ok(None);
    }
    match items.iter().find(|item| item.hypergraph.is_none()) {
        None => Ok(Some(found)),
        Some(item) => Err(JsonlError::Field {
            file: file.to_owned(),
            line: item.line,
            field: "hyperedges".to_owned(),
            found: "nothing".to_owned(),
            expected: "hyperedges, as in other lines".to_owned(),
        }),
    }
}
