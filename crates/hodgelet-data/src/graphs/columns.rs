//! Attributes of vertices and edges become columns.

use super::arcs::{ArcOptions, Directed, Edge, EdgeWeights, WEIGHT, conflict};
use super::{Attribute, Attributes, GraphsError, RawEdge, RawGraph};
use crate::jsonl;
use hodgelet::dataset::{ColumnValues, WEIGHTS};
use hodgelet::signal::Orientation;
use std::collections::BTreeSet;

/// Arcs without numbers are counted under this name.
const ARC: &str = "arc";

/// A column of one dimension, without its cells.
pub(super) struct Values {
    pub name: String,
    pub orientation: Orientation,
    pub values: ColumnValues,
}

impl Values {
    fn unoriented(name: &str, values: &[Attribute]) -> Self {
        Self {
            name: name.to_owned(),
            orientation: Orientation::Unoriented,
            values: column_values(name, values),
        }
    }

    fn numbers(name: String, orientation: Orientation, values: Vec<f64>) -> Self {
        let values = ColumnValues::Real { channels: vec![name.clone()], values };
        Self { name, orientation, values }
    }
}

/// A column for every attribute of vertices.
pub(super) fn of_vertices(graphs: &[(String, RawGraph)]) -> Result<Vec<Values>, GraphsError> {
    let cells = graphs.iter().flat_map(|(file, graph)| {
        let name = |v: usize| format!("vertex `{}`", graph.name(v as u32));
        graph.vertices.iter().enumerate().map(move |(v, attributes)| (file, attributes, name(v)))
    });
    let cells: Vec<(&String, &Attributes, String)> = cells.collect();
    let names: BTreeSet<&String> = cells.iter().flat_map(|(_, attributes, _)| attributes.keys()).collect();
    let column = |name: &String| {
        let values = cells.iter().map(|(file, attributes, cell)| {
            let missing = || GraphsError::MissingValue {
                file: (*file).clone(),
                cell: cell.clone(),
                name: name.clone(),
            };
            attributes.get(name).cloned().ok_or_else(missing)
        });
        let values = values.collect::<Result<Vec<Attribute>, _>>()?;
        Ok(Values::unoriented(name, &values))
    };
    names.into_iter().map(column).collect()
}

/// An edge with its graph.
pub(super) struct EdgeOf<'a> {
    pub file: &'a str,
    pub graph: &'a RawGraph,
    pub edge: Edge<'a>,
}

impl EdgeOf<'_> {
    /// The value that a row of the edge has.
    fn value(&self, row: &RawEdge, name: &str) -> Result<Attribute, GraphsError> {
        let missing = || {
            let [tail, head] = row.ends.map(|v| self.graph.name(v));
            let cell = format!("edge `{tail}` to `{head}` (line {})", row.line);
            GraphsError::MissingValue { file: self.file.to_owned(), cell, name: name.to_owned() }
        };
        row.attributes.get(name).cloned().ok_or_else(missing)
    }
}

/// A column for every attribute of edges; two for the numbers of flows.
pub(super) fn of_edges(edges: &[EdgeOf<'_>], options: &ArcOptions) -> Result<Vec<Values>, GraphsError> {
    let rows = edges.iter().flat_map(|of| of.edge.rows.iter().flatten());
    let names: BTreeSet<&String> = rows.flat_map(|row| row.attributes.keys()).collect();
    let mut columns = Vec::new();
    for name in names {
        if options.directed == Directed::Flow {
            columns.extend(flow_columns(edges, name)?);
        } else {
            let rows = edges.iter().filter_map(|of| Some((of, of.edge.row()?)));
            let values = rows.map(|(of, row)| of.value(row, name)).collect::<Result<Vec<_>, _>>()?;
            columns.push(Values::unoriented(name, &values));
        }
    }
    let is_flow = |column: &Values| column.orientation == Orientation::Oriented;
    if options.directed == Directed::Flow && !columns.iter().any(is_flow) {
        let counted = |of: &EdgeOf<'_>| of.edge.rows.map(|row| if row.is_some() { 1.0 } else { 0.0 });
        columns.extend(parts(ARC, &edges.iter().map(counted).collect::<Vec<_>>()));
    }
    weigh(columns, edges, options.weights.as_ref())
}

/// Numbers as their symmetric and antisymmetric parts; labels as they are.
fn flow_columns(edges: &[EdgeOf<'_>], name: &str) -> Result<Vec<Values>, GraphsError> {
    let values = |of: &EdgeOf<'_>| -> Result<[Option<Attribute>; 2], GraphsError> {
        let [along, back] = of.edge.rows.map(|row| row.map(|row| of.value(row, name)).transpose());
        Ok([along?, back?])
    };
    let found = edges.iter().map(values).collect::<Result<Vec<_>, _>>()?;
    let number = |value: &Option<Attribute>| match value {
        Some(Attribute::Number(value)) => Some(*value),
        Some(Attribute::Text(_)) => None,
        None => Some(0.0),
    };
    let numbers: Option<Vec<[f64; 2]>> =
        found.iter().map(|[along, back]| Some([number(along)?, number(back)?])).collect();
    if let Some(numbers) = numbers {
        return Ok(parts(name, &numbers).into());
    }
    let mut labels = Vec::with_capacity(edges.len());
    for (of, values) in edges.iter().zip(found) {
        labels.push(match (values, of.edge.rows) {
            ([Some(along), Some(back)], [Some(first), Some(second)]) if along != back => {
                return Err(conflict(of.file, of.graph, [first, second], name));
            }
            ([along, back], _) => along.or(back).unwrap_or(Attribute::Text(String::new())),
        });
    }
    Ok(vec![Values::unoriented(name, &labels)])
}

/// The symmetric and the antisymmetric part of numbers along edges and back.
fn parts(name: &str, numbers: &[[f64; 2]]) -> [Values; 2] {
    // Halves first, so that no sum of finite numbers overflows.
    let sum = numbers.iter().map(|[along, back]| along / 2.0 + back / 2.0).collect();
    let difference = numbers.iter().map(|[along, back]| along / 2.0 - back / 2.0).collect();
    [
        Values::numbers(name.to_owned(), Orientation::Unoriented, sum),
        Values::numbers(format!("{name}-flow"), Orientation::Oriented, difference),
    ]
}

/// The columns with the weights of edges called what they are.
fn weigh(
    mut columns: Vec<Values>,
    edges: &[EdgeOf<'_>],
    weights: Option<&EdgeWeights>,
) -> Result<Vec<Values>, GraphsError> {
    let is_number = |column: &Values| matches!(column.values, ColumnValues::Real { .. });
    let Some(first) = edges.first() else { return Ok(columns) };
    match weights {
        Some(EdgeWeights::Signal) => {}
        None => {
            let is_weight = |column: &&Values| is_number(column) && column.name.eq_ignore_ascii_case(WEIGHT);
            if let Some(column) = columns.iter().find(is_weight) {
                return Err(GraphsError::Unsaid { file: first.file.to_owned(), name: column.name.clone() });
            }
        }
        Some(EdgeWeights::Laplacian(name)) => {
            let names = || columns.iter().filter(|c| is_number(c)).map(|c| c.name.clone()).collect();
            let Some(at) = columns.iter().position(|c| is_number(c) && c.name == *name) else {
                return Err(GraphsError::NoWeights { name: name.clone(), numbers: names() });
            };
            let column = &mut columns[at];
            if let ColumnValues::Real { values, .. } = &column.values
                && let Some(e) = values.iter().position(|w| *w <= 0.0)
            {
                let (file, name) = (edges[e].file.to_owned(), name.clone());
                let line = edges[e].edge.row().map_or(0, |row| row.line);
                return Err(GraphsError::Weight { file, line, name, found: values[e] });
            }
            column.name = WEIGHTS.to_owned();
        }
    }
    Ok(columns)
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
