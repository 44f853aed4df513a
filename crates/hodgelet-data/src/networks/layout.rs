//! Whether a file lists edges or is a matrix, and which columns the ends of edges are in.

use super::sheet::{Sheet, is_number};
use crate::graphs::GraphsError;
use std::collections::HashSet;
use std::fmt;
use std::str::FromStr;

/// What the rows of a file are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// A row is an edge: two vertices and its attributes.
    Edges,
    /// Rows and columns are vertices: an adjacency matrix.
    Matrix,
}

impl Layout {
    /// The names of both.
    pub const NAMES: [&'static str; 2] = ["edges", "matrix"];
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(Self::NAMES[*self as usize])
    }
}

impl FromStr for Layout {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        match name {
            "edges" => Ok(Self::Edges),
            "matrix" => Ok(Self::Matrix),
            other => Err(format!("layout `{other}`, expected one of {}", Self::NAMES.join(", "))),
        }
    }
}

/// Pairs of names under which the ends of an edge are known, in lower case.
const ENDS: [[&str; 2]; 10] = [
    ["source", "target"],
    ["from", "to"],
    ["tail", "head"],
    ["src", "dst"],
    ["u", "v"],
    ["i", "j"],
    ["node1", "node2"],
    ["vertex1", "vertex2"],
    ["node_1", "node_2"],
    ["start", "end"],
];

/// Columns of a list of edges without names, at most.
const PLAIN_COLUMNS: usize = 3;

/// The columns of the ends of edges by their names, if the names are known ones.
pub(super) fn known_ends(header: &[String]) -> Option<[usize; 2]> {
    let at = |name: &str| header.iter().position(|h| h.eq_ignore_ascii_case(name));
    ENDS.iter().find_map(|[a, b]| Some([at(a)?, at(b)?]))
}

/// What a file is, as far as it says; none where it may be either.
pub(super) fn of(sheet: &Sheet) -> Result<Option<Layout>, GraphsError> {
    let (n, width) = (sheet.rows.len(), sheet.width());
    let numeric = |from: usize| sheet.rows.iter().all(|row| row.cells[from..].iter().all(|c| is_number(c)));
    if let Some(header) = &sheet.header {
        if let Some(ends) = known_ends(header) {
            // Single letters may be vertices, too.
            let may_be_vertices = ends.iter().all(|&c| header[c].len() == 1);
            let is_square = n == width && numeric(0);
            return Ok((!(may_be_vertices && is_square)).then_some(Layout::Edges));
        }
        if has_row_names(sheet) && numeric(1) {
            return Ok(Some(Layout::Matrix));
        }
        if n > 0 && n == width && numeric(0) {
            return Ok((width > PLAIN_COLUMNS).then_some(Layout::Matrix));
        }
        let found =
            format!("the names {}", header.iter().map(|h| format!("`{h}`")).collect::<Vec<_>>().join(", "));
        return Err(sheet.fault(1, found, "names of which two are the ends of edges, such as source,target"));
    }
    let Some(first) = sheet.rows.first() else { return Ok(None) };
    match (n == width && numeric(0), width) {
        (true, 2..=PLAIN_COLUMNS) => Ok(None),
        (true, _) => Ok(Some(Layout::Matrix)),
        (false, 2..=PLAIN_COLUMNS) => Ok(Some(Layout::Edges)),
        (false, _) => {
            let found = format!("{n} rows of {width} cells without names of columns");
            let expected = "two vertices and a weight in each row, or as many rows as columns";
            Err(sheet.fault(first.line, found, expected))
        }
    }
}

/// Whether the first cells of the rows are the names of the other columns.
pub(super) fn has_row_names(sheet: &Sheet) -> bool {
    let Some(header) = sheet.header.as_ref().filter(|header| header.len() == sheet.rows.len() + 1) else {
        return false;
    };
    let columns: HashSet<&String> = header[1..].iter().collect();
    let rows: HashSet<&String> = sheet.rows.iter().map(|row| &row.cells[0]).collect();
    !header[1..].is_empty() && columns.len() == sheet.rows.len() && columns == rows
}
