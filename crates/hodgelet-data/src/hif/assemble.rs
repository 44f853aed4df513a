//! Hypergraphs of several files become one dataset.

use super::parse::{Attributes, Raw};
use super::{HifError, ReadHypergraphs, stem};
use crate::{Report, jsonl, text};
use hodgelet::complex::Hypergraph;
use hodgelet::dataset::{Column, ColumnValues, HypergraphDataset, Targets};
use hodgelet::signal::Orientation;
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};

/// Names under which a hypergraph may carry its target, in the order in which they are looked for.
const TARGET_NAMES: [&str; 3] = ["target", "class", "label"];

/// Puts the hypergraphs of several files together; `listed` are targets from a list, by file.
pub(super) fn dataset(
    name: &str,
    all: Vec<Raw>,
    listed: Option<HashMap<String, String>>,
) -> Result<ReadHypergraphs, HifError> {
    let targets = targets(&all, listed)?;
    let mut report = Report::default();
    let mut left_out = BTreeSet::new();
    for raw in &all {
        report.repeated += raw.repeated;
        report.empty += usize::from(raw.hypergraph.n_vertices() == 0);
        left_out.extend(raw.left_out.iter().map(|what| format!("`{what}` of incidences")));
    }
    let mut columns = Vec::new();
    for dim in [0, 1] {
        let cells: Vec<&Attributes> =
            all.iter().flat_map(|raw| if dim == 0 { &raw.nodes } else { &raw.edges }).collect();
        let names: BTreeSet<&String> = cells.iter().flat_map(|attributes| attributes.keys()).collect();
        for name in names {
            match values(name, &cells) {
                Some(values) => columns.push(column(name, dim, values, &all)),
                None => {
                    let whose = if dim == 0 { "nodes" } else { "edges" };
                    left_out.insert(format!("attribute `{name}` of {whose}"));
                }
            }
        }
    }
    report.ignored.extend(left_out);
    let ids = all.iter().map(|raw| stem(&raw.file).to_owned()).collect();
    let hypergraphs = all.into_iter().map(|raw| raw.hypergraph).collect();
    let dataset = HypergraphDataset { name: name.to_owned(), hypergraphs, columns, targets };
    Ok(ReadHypergraphs { dataset, report, ids })
}

fn column(name: &str, dim: usize, values: ColumnValues, all: &[Raw]) -> Column {
    let count = |h: &Hypergraph| if dim == 0 { h.n_vertices() } else { h.n_hyperedges() };
    let mut starts = vec![0];
    for raw in all {
        starts.push(starts[starts.len() - 1] + count(&raw.hypergraph));
    }
    Column { name: name.to_owned(), dim, orientation: Orientation::Unoriented, starts, values }
}

/// The values of an attribute, unless some cell has none, or a list or an object.
fn values(name: &str, cells: &[&Attributes]) -> Option<ColumnValues> {
    let plain = |attributes: &&Attributes| match attributes.get(name)? {
        value @ (Value::Bool(_) | Value::Number(_) | Value::String(_)) => Some(value.clone()),
        _ => None,
    };
    let all: Vec<Value> = cells.iter().map(plain).collect::<Option<_>>()?;
    let numbers: Option<Vec<f64>> = all.iter().map(|v| v.as_f64().filter(|v| v.is_finite())).collect();
    if let Some(values) = numbers {
        return Some(ColumnValues::Real { channels: vec![name.to_owned()], values });
    }
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let text: Vec<String> = all.iter().map(text).collect();
    let (categories, codes) = jsonl::coded(None, text.iter().map(String::as_str));
    Some(ColumnValues::Labels { categories, codes })
}

fn targets(all: &[Raw], listed: Option<HashMap<String, String>>) -> Result<Targets, HifError> {
    let carried = |name: &&&str| all.iter().any(|raw| raw.metadata.contains_key(**name));
    let name = TARGET_NAMES.iter().find(carried);
    if listed.is_none() && name.is_none() {
        return Ok(Targets::None);
    }
    let one = |raw: &Raw| {
        let found = match (&listed, name) {
            (Some(listed), _) => listed.get(&raw.file).or_else(|| listed.get(stem(&raw.file))).cloned(),
            (None, Some(&name)) => match raw.metadata.get(name) {
                Some(Value::String(text)) => Some(text.clone()),
                Some(value @ (Value::Number(_) | Value::Bool(_))) => Some(value.to_string()),
                _ => None,
            },
            (None, None) => None,
        };
        found.ok_or_else(|| HifError::MissingTarget { file: raw.file.clone() })
    };
    let values = all.iter().map(one).collect::<Result<Vec<String>, _>>()?;
    let numbers: Option<Vec<f64>> =
        values.iter().map(|value| text::real(value.as_bytes()).filter(|v| v.is_finite())).collect();
    match numbers {
        Some(numbers) if numbers.iter().any(|value| value.fract() != 0.0) => Ok(Targets::Real(numbers)),
        _ => {
            let (names, labels) = jsonl::coded(None, values.iter().map(String::as_str));
            Ok(Targets::Classes { names, labels })
        }
    }
}

/// The targets listed in `targets.csv`, by file.
pub(super) fn listed_targets(bytes: &[u8]) -> Result<HashMap<String, String>, HifError> {
    let mut out = HashMap::new();
    for (line, number) in text::lines(text::tidy(bytes)).zip(1..) {
        let text = String::from_utf8_lossy(line);
        let Some((file, target)) = text.split_once(',') else {
            let (file, entry) = ("targets.csv".to_owned(), format!("line {number}"));
            let (found, expected) = (format!("`{text}`"), "`file,target`".to_owned());
            return Err(HifError::Entry { file, entry, found, expected });
        };
        if number > 1 || file.trim() != "file" {
            out.insert(file.trim().to_owned(), target.trim().to_owned());
        }
    }
    Ok(out)
}
