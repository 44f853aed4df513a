//! Tables of vertices: their names, their attributes, and the graphs that they are of.

use super::edges::{attribute, numeric, vertex_name};
use super::sheet::Sheet;
use super::{NetworkError, column};
use crate::graphs::{Attributes, GraphFault, GraphsError};
use std::collections::{HashMap, HashSet};

/// Names of the column of graphs, in lower case.
const GRAPH_NAMES: [&str; 2] = ["graph", "network"];
/// Names of the column of vertices, in lower case.
const VERTEX_NAMES: [&str; 4] = ["vertex", "node", "id", "name"];

/// The vertices of some graphs.
#[derive(Debug, Default)]
pub(super) struct VertexTable {
    pub file: String,
    /// Whether rows name their graph; otherwise all are of one.
    pub of_several: bool,
    /// Graphs in the order of the table, with the line where each begins.
    order: Vec<(String, usize)>,
    by_graph: HashMap<String, Vec<(String, Attributes)>>,
}

impl VertexTable {
    /// Reads a table; `graph` names the column of graphs.
    pub fn parse(file: &str, bytes: &[u8], graph: Option<&String>) -> Result<Self, NetworkError> {
        let sheet = Sheet::parse(file, bytes)?;
        let Some(header) = &sheet.header else {
            let found = "a first line with numbers";
            return Err(sheet.fault(1, found, "names of columns, such as graph,vertex,age").into());
        };
        let known = |names: &[&str]| {
            names.iter().find_map(|name| header.iter().position(|h| h.eq_ignore_ascii_case(name)))
        };
        let graphs = match graph.filter(|name| header.contains(name)) {
            Some(name) => Some(column(file, header, name, "--graph-column")?),
            None => known(&GRAPH_NAMES),
        };
        let Some(vertices) = known(&VERTEX_NAMES).filter(|c| Some(*c) != graphs) else {
            let found = "no column of vertices";
            return Err(sheet.fault(1, found, "one called vertex, node, id or name").into());
        };
        let attributes: Vec<(usize, &String, bool)> = header
            .iter()
            .enumerate()
            .filter(|(c, name)| Some(*c) != graphs && *c != vertices && !name.is_empty())
            .map(|(c, name)| (c, name, numeric(&sheet, c)))
            .collect();
        let names: HashSet<&String> = attributes.iter().map(|(_, name, _)| *name).collect();
        if names.len() < attributes.len() {
            return Err(sheet.fault(1, "a name twice", "distinct names of columns").into());
        }
        let mut table = Self { file: file.to_owned(), of_several: graphs.is_some(), ..Self::default() };
        let mut seen = HashSet::new();
        for row in &sheet.rows {
            let id = graphs.map(|c| vertex_name(&row.cells[c])).unwrap_or_default();
            let name = vertex_name(&row.cells[vertices]);
            if name.is_empty() || (graphs.is_some() && id.is_empty()) {
                return Err(sheet
                    .fault(row.line, "an empty cell", "the names of a graph and a vertex")
                    .into());
            }
            if !seen.insert((id.clone(), name.clone())) {
                let fault = GraphFault::RepeatedVertex(name);
                return Err(GraphsError::Line { file: file.to_owned(), line: row.line, fault }.into());
            }
            let value = |(c, name, numeric): &(usize, &String, bool)| {
                Ok(((*name).clone(), attribute(&sheet, row, name, &row.cells[*c], *numeric)?))
            };
            let values = attributes.iter().map(value).collect::<Result<Attributes, GraphsError>>()?;
            if !table.by_graph.contains_key(&id) {
                table.order.push((id.clone(), row.line));
            }
            table.by_graph.entry(id).or_default().push((name, values));
        }
        Ok(table)
    }

    /// The vertices of a graph, which are then no longer here.
    pub fn take(&mut self, id: &str) -> Vec<(String, Attributes)> {
        let id = if self.of_several { id } else { "" };
        self.by_graph.remove(id).unwrap_or_default()
    }

    /// Graphs that were not taken, with the line where each begins.
    pub fn rest(&self) -> Vec<(String, usize)> {
        self.order.iter().filter(|(id, _)| self.by_graph.contains_key(id)).cloned().collect()
    }
}
