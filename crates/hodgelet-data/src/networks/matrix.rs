//! Adjacency matrices become graphs: an entry that is not 0 is an arc from its row to its column.

use super::edges::Building;
use super::layout::has_row_names;
use super::sheet::{Sheet, number};
use super::vertices::VertexTable;
use crate::graphs::{Attribute, Attributes, GraphsError, RawEdge, RawGraph, WEIGHT};
use std::collections::HashMap;

/// The graph of a matrix called `id`.
pub(super) fn graph(
    sheet: &Sheet,
    id: &str,
    vertices: &mut Option<VertexTable>,
) -> Result<RawGraph, GraphsError> {
    let (n, named_rows) = (sheet.rows.len(), has_row_names(sheet));
    let skipped = usize::from(named_rows);
    if sheet.width() != n + skipped {
        let found = format!("{n} rows and {} columns", sheet.width() - skipped.min(sheet.width()));
        return Err(sheet.fault(1, found, "as many rows as columns in an adjacency matrix"));
    }
    let mut building = Building::of(vertices.as_mut().map(|table| table.take(id)));
    let columns: Vec<String> = match &sheet.header {
        Some(header) => header[skipped..].to_vec(),
        None => (0..n).map(|v| v.to_string()).collect(),
    };
    let mut places: HashMap<&str, u32> = HashMap::new();
    for name in &columns {
        let vertex = building.vertex(sheet, 1, name)?;
        if places.insert(name, vertex).is_some() {
            return Err(sheet.fault(1, format!("the vertex `{name}` twice"), "distinct vertices"));
        }
    }
    for (r, row) in sheet.rows.iter().enumerate() {
        let tail = places[if named_rows { row.cells[0].as_str() } else { columns[r].as_str() }];
        for (name, cell) in columns.iter().zip(&row.cells[skipped..]) {
            let wrong = || {
                let found = format!("`{cell}` in the column of vertex `{name}`");
                sheet.fault(row.line, found, "a finite number, 0 where there is no edge")
            };
            let value = number(cell).ok_or_else(wrong)?;
            if value != 0.0 {
                let attributes = Attributes::from([(WEIGHT.to_owned(), Attribute::Number(value))]);
                let ends = [tail, places[name.as_str()]];
                let edge = RawEdge { ends, attributes, line: row.line, directed: Some(true) };
                building.graph.edges.push(edge);
            }
        }
    }
    Ok(building.graph)
}

/// Whether all entries of a matrix are 0 or 1.
pub(super) fn is_plain(graph: &RawGraph) -> bool {
    let one = |edge: &RawEdge| edge.attributes.get(WEIGHT) == Some(&Attribute::Number(1.0));
    graph.edges.iter().all(one)
}
