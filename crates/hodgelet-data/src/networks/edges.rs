//! Lists of edges become graphs.

use super::layout::known_ends;
use super::sheet::{Row, Sheet, is_number, number};
use super::vertices::VertexTable;
use super::{NetworkError, NetworkOptions, column};
use crate::graphs::{Attribute, Attributes, GraphFault, GraphsError, RawEdge, RawGraph, WEIGHT};
use crate::table::listed_names;
use crate::text;
use std::collections::HashMap;

/// Cells that hold no value, in lower case.
const MISSING: [&str; 6] = ["", "na", "n/a", "nan", "null", "none"];

/// Which columns hold what.
pub(super) struct Columns {
    pub graph: Option<usize>,
    /// Columns of targets with their names.
    pub targets: Vec<(usize, String)>,
    ends: [usize; 2],
    /// Attributes: column, name, and whether all its cells are numbers.
    attributes: Vec<(usize, String, bool)>,
}

impl Columns {
    /// The columns of a table; those without a name are left out, and `notes` says so.
    pub fn of(
        sheet: &Sheet,
        options: &NetworkOptions,
        notes: &mut Vec<String>,
    ) -> Result<Self, NetworkError> {
        let plain: Vec<String> = ["", "", WEIGHT].map(str::to_owned).to_vec();
        let Some(header) = &sheet.header else {
            if let Some(name) = options.graph.as_ref().or(options.ends.as_ref().map(|[tail, _]| tail)) {
                return Err(NetworkError::NoNames { file: sheet.file.clone(), name: name.clone() });
            }
            if !sheet.rows.is_empty() && !(2..=plain.len()).contains(&sheet.width()) {
                let found = format!("{} cells", sheet.width());
                let error = sheet.fault(sheet.rows[0].line, found, "two vertices and a weight");
                return Err(error.into());
            }
            let attributes = (2..sheet.width()).map(|c| (c, plain[c].clone(), numeric(sheet, c))).collect();
            return Ok(Self { graph: None, targets: Vec::new(), ends: [0, 1], attributes });
        };
        let named = |name: &String, flag| column(&sheet.file, header, name, flag);
        let graph = options.graph.as_ref().map(|name| named(name, "--graph-column")).transpose()?;
        let mut targets = Vec::new();
        for name in listed_names(header, &options.targets) {
            targets.push((named(&name, "--target")?, name));
        }
        let ends = match &options.ends {
            Some([tail, head]) => [named(tail, "--ends")?, named(head, "--ends")?],
            None => known_ends(header).ok_or_else(|| {
                sheet.fault(
                    1,
                    "no names of the ends of edges",
                    "two such as source,target; --ends names them",
                )
            })?,
        };
        let used: Vec<usize> =
            ends.into_iter().chain(graph).chain(targets.iter().map(|(column, _)| *column)).collect();
        let mut attributes: Vec<(usize, String, bool)> = Vec::new();
        for (c, name) in header.iter().enumerate().filter(|(c, _)| !used.contains(c)) {
            if name.is_empty() {
                notes.push(format!("{}: column {} has no name and was left out", sheet.file, c + 1));
            } else if attributes.iter().any(|(_, other, _)| other == name) {
                return Err(sheet.fault(1, format!("`{name}` twice"), "distinct names of columns").into());
            } else {
                attributes.push((c, name.clone(), numeric(sheet, c)));
            }
        }
        Ok(Self { graph, targets, ends, attributes })
    }

    fn attributes(&self, sheet: &Sheet, row: &Row) -> Result<Attributes, GraphsError> {
        let value = |(c, name, numeric): &(usize, String, bool)| {
            let cell = &row.cells[*c];
            Ok((name.clone(), attribute(sheet, row, name, cell, *numeric)?))
        };
        self.attributes.iter().map(value).collect()
    }
}

/// The value of a cell.
pub(super) fn attribute(
    sheet: &Sheet,
    row: &Row,
    name: &str,
    cell: &str,
    numeric: bool,
) -> Result<Attribute, GraphsError> {
    if MISSING.iter().any(|missing| cell.eq_ignore_ascii_case(missing)) {
        let found = if cell.is_empty() { "nothing".to_owned() } else { format!("`{cell}`") };
        return Err(sheet.fault(row.line, format!("{found} as `{name}`"), "a value, as other rows have"));
    }
    if !numeric {
        return Ok(Attribute::Text(cell.to_owned()));
    }
    let wrong = || sheet.fault(row.line, format!("`{cell}` as `{name}`"), "a finite number");
    number(cell).map(Attribute::Number).ok_or_else(wrong)
}

/// Whether all cells of a column that have a value are numbers.
pub(super) fn numeric(sheet: &Sheet, column: usize) -> bool {
    let is_missing = |cell: &str| MISSING.iter().any(|missing| cell.eq_ignore_ascii_case(missing));
    let mut cells = sheet.rows.iter().map(|row| row.cells[column].as_str()).filter(|cell| !is_missing(cell));
    cells.all(is_number)
}

/// The name of a vertex; whole numbers with and without a point are one vertex.
pub(super) fn vertex_name(cell: &str) -> String {
    match text::whole_number(cell.as_bytes()).filter(|_| cell.contains('.')) {
        Some(whole) => whole.to_string(),
        None => cell.to_owned(),
    }
}

/// The vertices of a graph, by name.
#[derive(Default)]
pub(super) struct Building {
    pub graph: RawGraph,
    index: HashMap<String, u32>,
    /// Whether a table of vertices lists them all.
    listed: bool,
}

impl Building {
    /// A graph whose vertices are those of a table, or those that edges name.
    pub fn of(listed: Option<Vec<(String, Attributes)>>) -> Self {
        let mut out = Self { listed: listed.is_some(), ..Self::default() };
        for (name, attributes) in listed.into_iter().flatten() {
            out.index.insert(name.clone(), out.graph.vertices.len() as u32);
            out.graph.names.push(name);
            out.graph.vertices.push(attributes);
        }
        out
    }

    /// The vertex of a name.
    pub fn vertex(&mut self, sheet: &Sheet, line: usize, cell: &str) -> Result<u32, GraphsError> {
        if cell.is_empty() {
            return Err(sheet.fault(line, "an edge without an end", "the names of two vertices"));
        }
        let name = vertex_name(cell);
        if let Some(vertex) = self.index.get(&name) {
            return Ok(*vertex);
        }
        if self.listed {
            let fault = GraphFault::UnlistedVertex(name);
            return Err(GraphsError::Line { file: sheet.file.clone(), line, fault });
        }
        let vertex = self.graph.vertices.len() as u32;
        self.index.insert(name.clone(), vertex);
        self.graph.names.push(name);
        self.graph.vertices.push(Attributes::new());
        Ok(vertex)
    }
}

/// The graphs of a table: by the values of a column, or one of the name `id`; and the text of their targets.
pub(super) fn graphs(
    sheet: &Sheet,
    id: &str,
    columns: &Columns,
    vertices: &mut Option<VertexTable>,
) -> Result<Vec<Listed>, NetworkError> {
    let mut all: Vec<Listed> = Vec::new();
    let mut index: HashMap<String, usize> = HashMap::new();
    let begin = |id: String, vertices: &mut Option<VertexTable>| {
        let listed = vertices.as_mut().map(|table| table.take(&id));
        Listed { id, building: Building::of(listed), targets: vec![None; columns.targets.len()] }
    };
    if columns.graph.is_none() {
        all.push(begin(id.to_owned(), vertices));
    }
    for row in &sheet.rows {
        let at = match columns.graph {
            None => 0,
            Some(column) => {
                let name = vertex_name(&row.cells[column]);
                if name.is_empty() {
                    return Err(sheet.fault(row.line, "an edge of no graph", "the name of a graph").into());
                }
                match index.get(&name) {
                    Some(at) => *at,
                    None => {
                        index.insert(name.clone(), all.len());
                        all.push(begin(name, vertices));
                        all.len() - 1
                    }
                }
            }
        };
        let listed = &mut all[at];
        for (place, (column, _)) in columns.targets.iter().enumerate() {
            listed.set_target(place, sheet, row, &row.cells[*column])?;
        }
        let [tail, head] = columns.ends.map(|c| row.cells[c].as_str());
        let ends =
            [listed.building.vertex(sheet, row.line, tail)?, listed.building.vertex(sheet, row.line, head)?];
        let attributes = columns.attributes(sheet, row)?;
        listed.building.graph.edges.push(RawEdge { ends, attributes, line: row.line, directed: None });
    }
    if columns.graph.is_some() {
        // Graphs without edges are in the table of vertices alone.
        let rest = vertices.as_ref().map(VertexTable::rest).unwrap_or_default();
        all.extend(rest.into_iter().map(|(id, _)| begin(id, vertices)));
    }
    Ok(all)
}

/// A graph of a table, with its name and the text of its targets.
pub(super) struct Listed {
    pub id: String,
    pub building: Building,
    /// Each target and the line where it was first read.
    pub targets: Vec<Option<(String, usize)>>,
}

impl Listed {
    fn set_target(&mut self, place: usize, sheet: &Sheet, row: &Row, cell: &str) -> Result<(), GraphsError> {
        match &self.targets[place] {
            Some((earlier, line)) if earlier != cell => {
                let found = format!(
                    "the target `{cell}` of graph `{}`, which has `{earlier}` in line {line}",
                    self.id
                );
                Err(sheet.fault(row.line, found, "one target for each graph"))
            }
            Some(_) => Ok(()),
            None => {
                self.targets[place] = Some((cell.to_owned(), row.line));
                Ok(())
            }
        }
    }
}
