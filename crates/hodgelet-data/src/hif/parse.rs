//! One HIF file.

use super::HifError;
use hodgelet::complex::Hypergraph;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap};

/// Attributes of one node or edge.
pub(super) type Attributes = BTreeMap<String, Value>;

/// A hypergraph as read from a file.
pub(super) struct Raw {
    pub file: String,
    pub hypergraph: Hypergraph,
    pub nodes: Vec<Attributes>,
    pub edges: Vec<Attributes>,
    pub metadata: Map<String, Value>,
    /// Repeated incidences.
    pub repeated: usize,
    /// What incidences say beyond node and edge.
    pub left_out: Vec<&'static str>,
}

/// Nodes or edges in the order in which they are met.
#[derive(Default)]
struct Cells {
    index: HashMap<String, u32>,
    attributes: Vec<Attributes>,
    weights: Vec<Option<f64>>,
}

impl Cells {
    fn at(&mut self, name: String) -> u32 {
        let next = self.attributes.len() as u32;
        let found = *self.index.entry(name).or_insert(next);
        if found == next {
            self.attributes.push(Attributes::new());
            self.weights.push(None);
        }
        found
    }
}

/// A place in a file.
struct At<'a> {
    file: &'a str,
    entry: String,
}

impl At<'_> {
    fn error(&self, found: &Value, expected: &str) -> HifError {
        let found = match found {
            Value::Array(list) => format!("a list of {}", list.len()),
            Value::Object(_) => "an object".to_owned(),
            Value::Null => "nothing".to_owned(),
            plain => crate::text::excerpt(plain.to_string().as_bytes()),
        };
        let (file, entry) = (self.file.to_owned(), self.entry.clone());
        HifError::Entry { file, entry, found, expected: expected.to_owned() }
    }

    fn field(&self, key: &str) -> At<'_> {
        At {
            file: self.file,
            entry: if self.entry.is_empty() { key.to_owned() } else { format!("{}.{key}", self.entry) },
        }
    }
}

/// Parses a file.
pub(super) fn hypergraph(file: &str, bytes: &[u8]) -> Result<Raw, HifError> {
    let value: Value = hodgelet::json::parse(crate::text::tidy(bytes))
        .map_err(|error| HifError::Json { file: file.to_owned(), message: error.to_string() })?;
    let top = At { file, entry: String::new() };
    let Value::Object(top_level) = &value else {
        let whole = At { file, entry: "the file".to_owned() };
        return Err(whole.error(&value, "an object with `incidences`"));
    };
    only(&top, top_level, &["network-type", "metadata", "incidences", "nodes", "edges"])?;
    if let Some(kind) = top_level.get("network-type")
        && !["undirected", "directed", "asc"].iter().any(|known| kind == known)
    {
        return Err(top.field("network-type").error(kind, "`undirected`, `directed` or `asc`"));
    }
    let metadata = match top_level.get("metadata") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(metadata)) => metadata.clone(),
        Some(other) => return Err(top.field("metadata").error(other, "an object")),
    };
    let nodes = cells(&top, top_level, "nodes", "node")?;
    let edges = cells(&top, top_level, "edges", "edge")?;
    let (nodes, edges, members) = incidences(&top, top_level, nodes, edges)?;
    let mut edges = edges;
    for (attributes, weight) in edges.attributes.iter_mut().zip(&mut edges.weights) {
        // XGI writes the weight of an edge among its attributes.
        if let (None, Some(found)) = (&weight, attributes.get("weight").and_then(Value::as_f64)) {
            *weight = Some(found);
            attributes.remove("weight");
        }
    }
    let weighted = edges.weights.iter().any(Option::is_some);
    let weights = weighted.then(|| edges.weights.iter().map(|w| w.unwrap_or(1.0)).collect());
    let hypergraph = Hypergraph::new(nodes.attributes.len(), &members.hyperedges, weights)
        .map_err(|source| HifError::Hypergraph { file: file.to_owned(), source })?;
    let mut attributes = nodes.attributes;
    for (node, weight) in attributes.iter_mut().zip(&nodes.weights) {
        if let Some(weight) = weight {
            node.entry("weight".to_owned()).or_insert_with(|| (*weight).into());
        }
    }
    Ok(Raw {
        file: file.to_owned(),
        hypergraph,
        nodes: attributes,
        edges: edges.attributes,
        metadata,
        repeated: members.repeated,
        left_out: members.left_out,
    })
}

/// The members of hyperedges.
#[derive(Default)]
struct Members {
    hyperedges: Vec<Vec<u32>>,
    repeated: usize,
    left_out: Vec<&'static str>,
}

fn incidences(
    top: &At<'_>,
    top_level: &Map<String, Value>,
    mut nodes: Cells,
    mut edges: Cells,
) -> Result<(Cells, Cells, Members), HifError> {
    let at = top.field("incidences");
    let Some(list) = top_level.get("incidences") else {
        return Err(at.error(&Value::Null, "a list"));
    };
    let Value::Array(list) = list else { return Err(at.error(list, "a list")) };
    let mut members = Members::default();
    let mut seen = std::collections::HashSet::new();
    for (i, entry) in list.iter().enumerate() {
        let at = At { file: top.file, entry: format!("incidences[{i}]") };
        let Value::Object(fields) = entry else { return Err(at.error(entry, "an object")) };
        only(&at, fields, &["edge", "node", "weight", "direction", "attrs"])?;
        let (edge, node) = (edges.at(name(&at, fields, "edge")?), nodes.at(name(&at, fields, "node")?));
        for key in ["weight", "direction", "attrs"] {
            if fields.contains_key(key) && !members.left_out.contains(&key) {
                members.left_out.push(key);
            }
        }
        number(&at, fields, "weight")?;
        if seen.insert((edge, node)) {
            members.hyperedges.resize(members.hyperedges.len().max(edge as usize + 1), Vec::new());
            members.hyperedges[edge as usize].push(node);
        } else {
            members.repeated += 1;
        }
    }
    members.hyperedges.resize(edges.attributes.len(), Vec::new());
    Ok((nodes, edges, members))
}

/// The list of nodes or of edges.
fn cells(top: &At<'_>, top_level: &Map<String, Value>, list: &str, key: &str) -> Result<Cells, HifError> {
    let mut cells = Cells::default();
    let entries = match top_level.get(list) {
        None | Some(Value::Null) => return Ok(cells),
        Some(Value::Array(entries)) => entries,
        Some(other) => return Err(top.field(list).error(other, "a list")),
    };
    for (i, entry) in entries.iter().enumerate() {
        let at = At { file: top.file, entry: format!("{list}[{i}]") };
        let Value::Object(fields) = entry else { return Err(at.error(entry, "an object")) };
        only(&at, fields, &[key, "weight", "attrs"])?;
        let index = cells.at(name(&at, fields, key)?) as usize;
        if index < i {
            return Err(at.field(key).error(&fields[key], "a name that is not repeated"));
        }
        cells.weights[index] = number(&at, fields, "weight")?;
        cells.attributes[index] = match fields.get("attrs") {
            None | Some(Value::Null) => Attributes::new(),
            Some(Value::Object(attributes)) => attributes.clone().into_iter().collect(),
            Some(other) => return Err(at.field("attrs").error(other, "an object")),
        };
    }
    Ok(cells)
}

/// A name: a text or a whole number, which is not the same as its text.
fn name(at: &At<'_>, fields: &Map<String, Value>, key: &str) -> Result<String, HifError> {
    match fields.get(key) {
        Some(value @ Value::String(_)) => Ok(value.to_string()),
        Some(Value::Number(n)) if n.is_i64() || n.is_u64() => Ok(n.to_string()),
        other => Err(at.field(key).error(other.unwrap_or(&Value::Null), "a string or an integer")),
    }
}

fn number(at: &At<'_>, fields: &Map<String, Value>, key: &str) -> Result<Option<f64>, HifError> {
    match fields.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => match value.as_f64().filter(|v| v.is_finite()) {
            Some(number) => Ok(Some(number)),
            None => Err(at.field(key).error(value, "a finite number")),
        },
    }
}

fn only(at: &At<'_>, fields: &Map<String, Value>, known: &[&str]) -> Result<(), HifError> {
    match fields.keys().find(|key| !known.contains(&key.as_str())) {
        None => Ok(()),
        Some(key) => {
            let entry = if at.entry.is_empty() { "the file".to_owned() } else { at.entry.clone() };
            let (file, found) = (at.file.to_owned(), format!("a field `{key}`"));
            Err(HifError::Entry { file, entry, found, expected: format!("only {}", known.join(", ")) })
        }
    }
}
