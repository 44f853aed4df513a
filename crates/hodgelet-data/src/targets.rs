//! Targets from a table of their own: a row for each graph, matched by name.

use crate::Read;
use crate::edits;
use crate::graphs::{file_name, stem};
use crate::table::{Table, TableError, TargetKind, targets as cells};
use hodgelet::dataset::Targets;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Names of the column of graphs, in lower case.
const ID_NAMES: [&str; 5] = ["graph", "id", "file", "name", "network"];
/// Names of columns of targets, in lower case.
const TARGET_NAMES: [&str; 4] = ["target", "class", "label", "y"];

/// Where targets come from and what they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TargetOptions {
    /// A table of targets.
    pub table: Option<PathBuf>,
    /// The column of targets.
    pub column: Option<String>,
    /// What targets are.
    pub kind: TargetKind,
    /// Whether graphs are to be predicted: those without a target are kept, and there are targets only where all graphs have
    /// one.
    pub to_predict: bool,
}

/// What can be wrong with a table of targets.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TargetsError {
    /// The table cannot be read, or has no such column.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A row is wrong.
    #[error("{file}, line {line}: found {found}, expected {expected}")]
    Row {
        /// The table.
        file: String,
        /// The line, from 1.
        line: u64,
        /// What was found.
        found: String,
        /// What was expected.
        expected: &'static str,
    },
    /// No row is that of a graph.
    #[error("{file}: found no row of a graph: rows such as `{row}`, graphs such as `{graph}`")]
    NoMatch {
        /// The table.
        file: String,
        /// The name in the first row.
        row: String,
        /// The name of the first graph.
        graph: String,
    },
    /// Graphs have no names to be matched by.
    #[error("{file}: found graphs without names, expected names to match the rows with")]
    NoIds {
        /// The table.
        file: String,
    },
    /// Which column the targets are in.
    #[error("{file}: found several columns that may be targets, {}; --target names one", names.join(", "))]
    Which {
        /// The table.
        file: String,
        /// The columns.
        names: Vec<String>,
    },
}

/// The dataset with the targets of a table; graphs without one are left out and counted, or kept to be predicted.
///
/// # Errors
///
/// [`TargetsError`] names the file and, where there is one, the line.
pub fn with_table(read: Read, path: &Path, options: &TargetOptions) -> Result<Read, TargetsError> {
    let file = file_name(path);
    let io = |source| TableError::Io { path: path.to_owned(), source };
    let table = Table::parse(&file, &std::fs::read(path).map_err(io)?)?;
    let (graphs, column) = columns(&file, &table, options)?;
    if read.ids.is_empty() {
        return Err(TargetsError::NoIds { file });
    }
    let mut by_id: HashMap<&str, usize> = HashMap::new();
    for row in 0..table.len() {
        let line = table.line(row).unwrap_or(0);
        if let Some(fault) = table.fault(row) {
            return Err(TargetsError::Row { file, line, found: fault, expected: "a row of the table" });
        }
        let id = table.cell(row, graphs).trim();
        if let Some(first) = by_id.insert(id, row) {
            let found = format!("graph `{id}` again, after line {}", table.line(first).unwrap_or(0));
            return Err(TargetsError::Row { file, line, found, expected: "one row for each graph" });
        }
    }
    let by_stem: HashMap<String, usize> = by_id.iter().map(|(id, &row)| (stem(id), row)).collect();
    let row_of = |id: &String| by_id.get(id.as_str()).or_else(|| by_stem.get(id)).copied();
    let rows: Vec<Option<usize>> = read.ids.iter().map(row_of).collect();
    if rows.iter().all(Option::is_none) && !table.is_empty() {
        let (row, graph) = (table.cell(0, graphs).to_owned(), read.ids[0].clone());
        return Err(TargetsError::NoMatch { file, row, graph });
    }
    let unused = table.len() - rows.iter().flatten().count();
    let mut texts = Vec::with_capacity(rows.len());
    for row in &rows {
        let cell = row.map(|row| table.cell(row, column)).unwrap_or_default();
        if let (Some(row), Err(found)) = (row, checked(cell, options.kind)) {
            let (line, expected) = (table.line(*row).unwrap_or(0), "a target of the kind that was asked for");
            return Err(TargetsError::Row { file, line, found, expected });
        }
        texts.push(cell.to_owned());
    }
    let mut read = with_texts(read, &texts, options)?;
    if options.column.is_none() {
        let name = &table.header()[column];
        read.report.notes.push(format!("{file}: column `{name}` is read as target"));
    }
    if unused > 0 {
        read.report.notes.push(format!("{file}: {unused} rows are of other graphs"));
    }
    Ok(read)
}

/// The dataset with targets from their text, one for each graph; an empty one says that there is none.
///
/// # Errors
///
/// [`TargetsError::Table`] when no graph is left.
pub fn with_texts(read: Read, texts: &[String], options: &TargetOptions) -> Result<Read, TargetsError> {
    let has: Vec<usize> = (0..texts.len()).filter(|&i| !cells::is_missing(&texts[i])).collect();
    let Read { dataset, mut report, ids } = read;
    let of_dataset = |error| TargetsError::Table(TableError::Dataset(error));
    let without = texts.len() - has.len();
    if options.to_predict && without > 0 {
        let dataset = dataset.with_targets(Targets::None).map_err(of_dataset)?;
        return Ok(Read { dataset, report, ids });
    }
    let known: Vec<String> = has.iter().map(|&i| texts[i].clone()).collect();
    if known.is_empty() {
        let (file, untargeted) = (dataset.name().to_owned(), without);
        return Err(TableError::NothingLeft { file, untargeted, first: None }.into());
    }
    let (dataset, ids) = match without {
        0 => (dataset, ids),
        _ => (dataset.select(&has), has.iter().filter_map(|&i| ids.get(i).cloned()).collect()),
    };
    report.untargeted += without;
    let dataset = dataset.with_targets(cells::coded(&known, options.kind)).map_err(of_dataset)?;
    Ok(Read { dataset, report, ids })
}

fn checked(cell: &str, kind: TargetKind) -> Result<(), String> {
    if cells::is_missing(cell) { Ok(()) } else { cells::check(cell, kind) }
}

/// The columns of graphs and of targets.
fn columns(file: &str, table: &Table, options: &TargetOptions) -> Result<(usize, usize), TargetsError> {
    let header = table.header();
    let target = match &options.column {
        None => None,
        Some(name) => {
            let found = header.iter().position(|h| h == name);
            let near = header.iter().filter_map(|other| Some((edits(name, other)?, other.clone()))).min();
            let missing = || TableError::NoColumn {
                file: file.to_owned(),
                flag: "--target",
                name: name.clone(),
                header: header.to_vec(),
                near: near.map(|(_, near)| near),
            };
            Some(found.ok_or_else(missing)?)
        }
    };
    let known = |names: &[&str]| {
        names.iter().find_map(|name| {
            (0..header.len()).find(|&c| Some(c) != target && header[c].eq_ignore_ascii_case(name))
        })
    };
    // With the target named, the first of the others; a name that is not known may be a row.
    let first = || target.and_then(|target| (0..header.len()).find(|&c| c != target));
    let Some(graphs) = known(&ID_NAMES).or_else(first) else {
        let found = header.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let expected = "names of columns, of which one is graph, id, file or name";
        return Err(TargetsError::Row { file: file.to_owned(), line: 1, found, expected });
    };
    let others: Vec<usize> = (0..header.len()).filter(|&c| c != graphs).collect();
    let named =
        others.iter().copied().filter(|&c| TARGET_NAMES.iter().any(|n| header[c].eq_ignore_ascii_case(n)));
    match (target, &named.collect::<Vec<_>>()[..], &others[..]) {
        (Some(target), _, _) => Ok((graphs, target)),
        (None, [one], _) | (None, [], [one]) => Ok((graphs, *one)),
        (None, _, []) => {
            let (file, found) = (file.to_owned(), "no column of targets".to_owned());
            Err(TargetsError::Row { file, line: 1, found, expected: "one beside the names of graphs" })
        }
        _ => {
            let names = others.iter().map(|&c| format!("`{}`", header[c])).collect();
            Err(TargetsError::Which { file: file.to_owned(), names })
        }
    }
}
