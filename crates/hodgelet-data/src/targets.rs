//! Targets from a table of their own: a row for each graph, matched by name.

use crate::Read;
use crate::graphs::{file_name, stem};
use crate::table::{Asked, Table, TableError, TargetKind, all_named, named, weight, with_sample_weights};
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
    /// The columns of targets; one is guessed without them. A name with commas that no column has is one for each part.
    pub columns: Vec<String>,
    /// The column of the table that says how much each graph counts in training.
    pub weight: Option<String>,
    /// What targets are.
    pub kind: TargetKind,
    /// Whether graphs are to be predicted: those without a target are kept. Where some have none, the dataset has no targets,
    /// and what is known of them is the only one of [`Read::goals`].
    pub to_predict: bool,
}

/// The texts of one target, one for each graph; an empty one says that there is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TargetTexts {
    /// What the target is called.
    pub name: String,
    /// Its text for each graph.
    pub texts: Vec<String>,
}

impl TargetTexts {
    /// A target of no graph yet.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned(), texts: Vec::new() }
    }
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
    /// A target or a weight is not what it should be.
    #[error("{file}, line {line}: {what}")]
    Cell {
        /// The table.
        file: String,
        /// The line, from 1.
        line: u64,
        /// What was found and what was expected.
        what: String,
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
    let table = load(path)?;
    let (graphs, columns) = columns(&file, &table, options)?;
    let rows = matched(&file, &table, graphs, &read.ids)?;
    let unused = table.len() - rows.iter().flatten().count();
    let mut notes = Vec::new();
    let asked = Asked::new(&table, &columns, &mut notes);
    for &row in rows.iter().flatten() {
        if let Err(what) = asked.check(row, options.kind) {
            let line = table.line(row).unwrap_or(0);
            return Err(TargetsError::Cell { file, line, what });
        }
    }
    let read = match options.weight.as_ref().filter(|_| !options.to_predict) {
        Some(name) => weighted(read, &file, &table, &rows, name)?,
        None => read,
    };
    let mut read = with_asked(read, &asked.of_rows(&rows), options)?;
    read.report.notes.extend(notes.into_iter().map(|note| format!("{file}: {note}")));
    if let (true, [column]) = (options.columns.is_empty(), &columns[..]) {
        let name = &table.header()[*column];
        read.report.notes.push(format!("{file}: column `{name}` is read as target"));
    }
    if unused > 0 {
        let rows = if unused == 1 { "1 row is".to_owned() } else { format!("{unused} rows are") };
        read.report.notes.push(format!("{file}: {rows} of other graphs"));
    }
    Ok(read)
}

/// The cells of a column of a table of targets, one for each of the graphs `ids`; empty for graphs without a row. `flag` named
/// the column.
///
/// # Errors
///
/// As for [`with_table`].
pub fn column(
    path: &Path,
    ids: &[String],
    options: &TargetOptions,
    (name, flag): (&str, &'static str),
) -> Result<Vec<String>, TargetsError> {
    let (file, table) = (file_name(path), load(path)?);
    let (graphs, _) = columns(&file, &table, options)?;
    let column = named(&file, &table, name, flag)?;
    let cell = |row: &Option<usize>| row.map_or("", |row| table.cell(row, column).trim()).to_owned();
    Ok(matched(&file, &table, graphs, ids)?.iter().map(cell).collect())
}

fn load(path: &Path) -> Result<Table, TableError> {
    let io = |source| TableError::Io { path: path.to_owned(), source };
    Table::parse(&file_name(path), &std::fs::read(path).map_err(io)?)
}

/// The dataset with how much each graph counts; those without a row are not learned from.
fn weighted(
    read: Read,
    file: &str,
    table: &Table,
    rows: &[Option<usize>],
    name: &str,
) -> Result<Read, TargetsError> {
    let column = named(file, table, name, "--sample-weight")?;
    let of_row = |row: &Option<usize>| {
        let Some(row) = *row else { return Ok(1.0) };
        let (file, line) = (file.to_owned(), table.line(row).unwrap_or(0));
        weight(table.cell(row, column)).map_err(|what| TargetsError::Cell { file, line, what })
    };
    let weights = rows.iter().map(of_row).collect::<Result<_, _>>()?;
    Ok(Read { dataset: with_sample_weights(read.dataset, weights)?, ..read })
}

/// The row of each of the graphs `ids`.
fn matched(
    file: &str,
    table: &Table,
    graphs: usize,
    ids: &[String],
) -> Result<Vec<Option<usize>>, TargetsError> {
    let file = file.to_owned();
    if ids.is_empty() {
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
    let rows: Vec<Option<usize>> = ids.iter().map(row_of).collect();
    if rows.iter().all(Option::is_none) && !table.is_empty() {
        let (row, graph) = (table.cell(0, graphs).to_owned(), ids[0].clone());
        return Err(TargetsError::NoMatch { file, row, graph });
    }
    Ok(rows)
}

/// The dataset with targets from their texts. Graphs without any are left out and counted, or kept to be predicted.
///
/// # Errors
///
/// [`TargetsError::Table`] when no graph is left.
pub fn with_texts(
    read: Read,
    targets: &[TargetTexts],
    options: &TargetOptions,
) -> Result<Read, TargetsError> {
    with_asked(read, &Asked::of_texts(targets), options)
}

fn with_asked(read: Read, asked: &Asked, options: &TargetOptions) -> Result<Read, TargetsError> {
    let all = 0..read.dataset.len();
    let kept: Vec<usize> = all.clone().filter(|&i| options.to_predict || asked.is_known(i)).collect();
    let Read { mut dataset, mut report, mut ids, .. } = read;
    let untargeted = all.len() - kept.len();
    if kept.is_empty() {
        let file = dataset.name().to_owned();
        return Err(TableError::NothingLeft { file, untargeted, first: None }.into());
    }
    if untargeted > 0 {
        dataset = dataset.select(&kept);
        ids = kept.iter().filter_map(|&i| ids.get(i).cloned()).collect();
        report.untargeted += untargeted;
    }
    let (targets, goals) = asked.targets(&kept, options.kind);
    let dataset = dataset.with_targets(targets).map_err(TableError::Dataset)?;
    Ok(Read { dataset, report, ids, goals })
}

/// The columns of graphs and of targets.
fn columns(file: &str, table: &Table, options: &TargetOptions) -> Result<(usize, Vec<usize>), TargetsError> {
    let header = table.header();
    let asked = all_named(file, table, &options.columns)?;
    let known = |names: &[&str]| {
        names.iter().find_map(|name| {
            (0..header.len()).find(|c| !asked.contains(c) && header[*c].eq_ignore_ascii_case(name))
        })
    };
    // With the targets named, the first of the others; a name that is not known may be a row.
    let first = || (0..header.len()).find(|c| !asked.is_empty() && !asked.contains(c));
    let Some(graphs) = known(&ID_NAMES).or_else(first) else {
        let found = header.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let expected = "names of columns, of which one is graph, id, file or name";
        return Err(TargetsError::Row { file: file.to_owned(), line: 1, found, expected });
    };
    let others: Vec<usize> = (0..header.len()).filter(|&c| c != graphs).collect();
    let named =
        others.iter().copied().filter(|&c| TARGET_NAMES.iter().any(|n| header[c].eq_ignore_ascii_case(n)));
    match (&named.collect::<Vec<_>>()[..], &others[..]) {
        _ if !asked.is_empty() => Ok((graphs, asked)),
        ([one], _) | ([], [one]) => Ok((graphs, vec![*one])),
        (_, []) => {
            let (file, found) = (file.to_owned(), "no column of targets".to_owned());
            Err(TargetsError::Row { file, line: 1, found, expected: "one beside the names of graphs" })
        }
        _ => {
            let names = others.iter().map(|&c| format!("`{}`", header[c])).collect();
            Err(TargetsError::Which { file: file.to_owned(), names })
        }
    }
}
