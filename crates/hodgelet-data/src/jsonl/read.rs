//! Reading JSONL.

use super::extra::{self, Extra};
use super::field::{Field, Path as FieldPath};
use super::header::{ColumnHeader, ColumnKind, Header, TargetKind};
use super::{JsonlError, MAX_CELLS, complex, dim_key, hyperedges, sorted_names};
use crate::{Read, Report, text};
use hodgelet::complex::{Complex, Expansion, Hypergraph};
use hodgelet::dataset::{Column, ColumnValues, Dataset, HypergraphDataset, Targets, WHOLE, cell_starts};
use hodgelet::signal::Orientation;
use rayon::prelude::*;
use serde_json::Value;
use std::collections::HashMap;
use std::path::Path;

/// Reads a JSONL file.
///
/// # Errors
///
/// [`JsonlError`] names the file and, where there is one, line and field.
pub fn read(path: &Path) -> Result<Read, JsonlError> {
    read_with(path, None)
}

/// Reads a JSONL file, with hypergraphs expanded as `expansion` says, or else as the header does.
///
/// # Errors
///
/// [`JsonlError`] names the file and, where there is one, line and field.
pub fn read_with(path: &Path, expansion: Option<Expansion>) -> Result<Read, JsonlError> {
    let bytes = std::fs::read(path).map_err(|source| JsonlError::Io { path: path.to_owned(), source })?;
    let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    parse_with(&file, &bytes, expansion)
}

/// Reads the contents of a JSONL file called `file`.
///
/// # Errors
///
/// [`JsonlError`] names the file and, where there is one, line and field.
pub fn parse(file: &str, bytes: &[u8]) -> Result<Read, JsonlError> {
    parse_with(file, bytes, None)
}

/// Reads the contents of a JSONL file called `file`, with hypergraphs expanded as `expansion` says, or else as the
/// header does.
///
/// # Errors
///
/// [`JsonlError`] names the file and, where there is one, line and field.
pub fn parse_with(file: &str, bytes: &[u8], expansion: Option<Expansion>) -> Result<Read, JsonlError> {
    let lines = text::lines(text::tidy(bytes)).zip(1..).filter(|(text, _)| !text.is_empty());
    let lines: Vec<(&[u8], usize)> = lines.collect();
    let Some((&(first, number), rest)) = lines.split_first() else {
        return Err(JsonlError::Empty { file: file.to_owned() });
    };
    let header = Header::parse(Field::line(file, number, &json(file, number, first)?))?;
    let items: Vec<Result<Item, JsonlError>> = rest
        .par_iter()
        .with_min_len(16)
        .map(|&(text, number)| item(&header, Field::line(file, number, &json(file, number, text)?)))
        .collect();
    // the first fault in the order of lines, whatever the order in which they were parsed
    let items = items.into_iter().collect::<Result<Vec<Item>, _>>()?;
    header.check_count(file, items.len())?;
    assembled(file, header, items, expansion)
}

/// The dataset of some lines.
pub(super) fn assembled(
    file: &str,
    header: Header,
    items: Vec<Item>,
    expansion: Option<Expansion>,
) -> Result<Read, JsonlError> {
    let stem = file.strip_suffix(".jsonl").unwrap_or(file);
    let expansion = expansion.or(header.expansion).unwrap_or_default();
    let hypergraphs = hyperedges::all_or_none(file, &items)?;
    let lines: Vec<(usize, &Extra)> = items.iter().map(|item| (item.line, &item.extra)).collect();
    let mut given = extra::gather(file, &lines)?;
    let Parts { name, complexes, mut columns, targets, report, ids } = assemble(header, stem, items);
    columns.extend(given.positions(&complexes));
    let dataset = match hypergraphs {
        Some(hypergraphs) => HypergraphDataset { name, hypergraphs, columns, targets }.expand(expansion)?,
        None => given.weigh(Dataset::new(name, complexes, columns, targets)?)?,
    };
    Ok(Read { report, ids, ..Read::clean(dataset) })
}

pub(super) fn json(file: &str, line: usize, text: &[u8]) -> Result<Value, JsonlError> {
    hodgelet::json::parse(text).map_err(|error| {
        // the parser counts lines too, and sees only one
        let message = error.to_string().replace(" at line 1 column ", ", column ");
        JsonlError::Json { file: file.to_owned(), line, message }
    })
}

/// One complex and what is known of it.
pub(super) struct Item {
    pub line: usize,
    id: Option<String>,
    complex: Complex,
    /// The hypergraph whose incidence pair the complex is.
    pub hypergraph: Option<Hypergraph>,
    /// In the order of the header's columns.
    pub values: Vec<Values>,
    /// Where the vertices are, and the weights of cells, as the line itself gives them.
    extra: Extra,
    pub target: Option<Target>,
}

pub(super) enum Values {
    Labels(Vec<String>),
    Real(Vec<f64>),
}

pub(super) enum Target {
    Class(String),
    Real(f64),
}

pub(super) fn item(header: &Header, line: Field<'_>) -> Result<Item, JsonlError> {
    line.only(&[
        "id",
        "vertices",
        "edges",
        "triangles",
        "polygons",
        "simplices",
        "boundaries",
        "hyperedges",
        "hyperedge_weights",
        "positions",
        "weights",
        "signals",
        "target",
    ])?;
    let id = line.get("id")?.map(|id| id.name()).transpose()?;
    let hypergraph = hyperedges::parse(line, line.need("vertices")?.count(MAX_CELLS)?)?;
    let complex = match &hypergraph {
        Some(hypergraph) => hypergraph.expand(Expansion::Incidence).complex,
        None => complex::parse(line)?,
    };
    let values = signals(header, line, &complex)?;
    let extra = extra::parse(header, line, &complex)?;
    Ok(Item { line: line.line, id, complex, hypergraph, values, extra, target: target(header, line)? })
}

fn target(header: &Header, line: Field<'_>) -> Result<Option<Target>, JsonlError> {
    Ok(match &header.target {
        TargetKind::None => match line.get("target")? {
            Some(field) => return Err(field.error("a target", "none, as the header says")),
            None => None,
        },
        TargetKind::Real => Some(Target::Real(line.need("target")?.number()?)),
        TargetKind::Class { names } => {
            let field = line.need("target")?;
            let name = field.name()?;
            if names.as_ref().is_some_and(|names| !names.contains(&name)) {
                return Err(field.error(format!("`{name}`"), "one of the header's classes"));
            }
            Some(Target::Class(name))
        }
    })
}

/// The values of the header's columns in a line.
fn signals(header: &Header, line: Field<'_>, complex: &Complex) -> Result<Vec<Values>, JsonlError> {
    let signals = line.get("signals")?;
    if let Some(signals) = &signals {
        known_columns(header, *signals)?;
    }
    let one = |column: &ColumnHeader| {
        let n_cells = if column.dim == WHOLE { 1 } else { complex.n_cells(column.dim) };
        let dim = dim_key(column.dim);
        let of_dim = match &signals {
            Some(signals) => signals.get(&dim)?,
            None => None,
        };
        let field = match &of_dim {
            Some(of_dim) => of_dim.get(&column.name)?,
            None => None,
        };
        match field {
            Some(field) => values(column, field, n_cells),
            None if n_cells == 0 => Ok(match column.kind {
                ColumnKind::Labels { .. } => Values::Labels(Vec::new()),
                ColumnKind::Real { .. } => Values::Real(Vec::new()),
            }),
            None => {
                let root = FieldPath::Line;
                let signals = FieldPath::Key(&root, "signals");
                let of_dim = FieldPath::Key(&signals, &dim);
                let place = line.with(FieldPath::Key(&of_dim, &column.name), line.value);
                Err(place.error("nothing", format!("values of {n_cells} cells")))
            }
        }
    };
    header.columns.iter().map(one).collect()
}

/// Requires that a line has no columns that the header does not declare.
fn known_columns(header: &Header, signals: Field<'_>) -> Result<(), JsonlError> {
    for dim in signals.object()?.keys() {
        let columns = header.columns.iter().filter(|column| dim_key(column.dim) == *dim);
        let known: Vec<&str> = columns.map(|column| column.name.as_str()).collect();
        if known.is_empty() {
            return Err(signals.error(format!("dimension `{dim}`"), "dimensions of the header's columns"));
        }
        if let Some(of_dim) = signals.get(dim)? {
            of_dim.only(&known)?;
        }
    }
    Ok(())
}

fn values(column: &ColumnHeader, field: Field<'_>, n_cells: usize) -> Result<Values, JsonlError> {
    let is_tags = column.dim == WHOLE && matches!(column.kind, ColumnKind::Labels { .. });
    let list = if is_tags { field.array()? } else { field.array_of(n_cells, "values")? };
    match &column.kind {
        ColumnKind::Labels { categories } => {
            let names = field.names()?;
            if let Some(categories) = categories {
                let known: std::collections::HashSet<&str> = categories.iter().map(String::as_str).collect();
                if let Some(i) = names.iter().position(|name| !known.contains(name.as_str())) {
                    let place = field.with(FieldPath::Index(&field.path, i), &list[i]);
                    return Err(place.error(format!("`{}`", names[i]), "one of the header's categories"));
                }
            }
            Ok(Values::Labels(names))
        }
        ColumnKind::Real { channels, .. } => {
            let mut values = Vec::with_capacity(n_cells * channels.len());
            for (i, value) in list.iter().enumerate() {
                let cell = field.with(FieldPath::Index(&field.path, i), value);
                if channels.len() == 1 && !value.is_array() {
                    values.push(cell.number()?);
                    continue;
                }
                for (d, value) in cell.array_of(channels.len(), "numbers")?.iter().enumerate() {
                    values.push(cell.with(FieldPath::Index(&cell.path, d), value).number()?);
                }
            }
            Ok(Values::Real(values))
        }
    }
}

/// What the lines of a file hold together.
struct Parts {
    name: String,
    /// Of hypergraphs, their incidence pairs.
    complexes: Vec<Complex>,
    columns: Vec<Column>,
    targets: Targets,
    report: Report,
    ids: Vec<String>,
}

/// Puts the complexes of a file together.
fn assemble(header: Header, stem: &str, items: Vec<Item>) -> Parts {
    let empty = items.iter().filter(|item| item.complex.n_cells(0) == 0).count();
    let report = Report { empty, ..Report::default() };
    let name = header.name.unwrap_or_else(|| stem.to_owned());
    let targets = targets(header.target, &items);
    let ids = if items.iter().any(|item| item.id.is_some()) {
        items.iter().map(|item| item.id.clone().unwrap_or_default()).collect()
    } else {
        Vec::new()
    };
    // Graphs have any number of tags.
    let tags = |c: usize| {
        let mut starts = vec![0];
        for item in &items {
            let own = if let Values::Labels(names) = &item.values[c] { names.len() } else { 1 };
            starts.push(starts[starts.len() - 1] + own);
        }
        starts
    };
    let own_starts: Vec<Option<Vec<usize>>> =
        header.columns.iter().enumerate().map(|(c, h)| (h.dim == WHOLE).then(|| tags(c))).collect();
    let values: Vec<ColumnValues> =
        header.columns.iter().enumerate().map(|(c, h)| joined(h, c, &items)).collect();
    let complexes: Vec<Complex> = items.into_iter().map(|item| item.complex).collect();
    let column = |((header, values), own): ((ColumnHeader, ColumnValues), Option<Vec<usize>>)| {
        let orientation = match header.kind {
            ColumnKind::Labels { .. } => Orientation::Unoriented,
            ColumnKind::Real { orientation, .. } => orientation,
        };
        let starts = own.unwrap_or_else(|| cell_starts(&complexes, header.dim));
        Column { name: header.name, dim: header.dim, orientation, starts, values }
    };
    let columns = header.columns.into_iter().zip(values).zip(own_starts).map(column).collect();
    Parts { name, complexes, columns, targets, report, ids }
}

fn targets(kind: TargetKind, items: &[Item]) -> Targets {
    match kind {
        TargetKind::None => Targets::None,
        TargetKind::Real => {
            let real = |item: &Item| match item.target {
                Some(Target::Real(value)) => Some(value),
                _ => None,
            };
            Targets::Real(items.iter().filter_map(real).collect())
        }
        TargetKind::Class { names } => {
            let class = |item: &'_ Item| match &item.target {
                Some(Target::Class(name)) => Some(name.clone()),
                _ => None,
            };
            let found: Vec<String> = items.iter().filter_map(class).collect();
            let (names, labels) = coded(names, found.iter().map(String::as_str));
            Targets::Classes { names, labels }
        }
    }
}

/// The values of column `c` over all complexes.
fn joined(header: &ColumnHeader, c: usize, items: &[Item]) -> ColumnValues {
    match &header.kind {
        ColumnKind::Real { channels, .. } => {
            let real = |item: &Item| match &item.values[c] {
                Values::Real(values) => values.clone(),
                Values::Labels(_) => Vec::new(),
            };
            let values = items.iter().flat_map(real).collect();
            ColumnValues::Real { channels: channels.clone(), values }
        }
        ColumnKind::Labels { categories } => {
            let names = |item: &'_ Item| match &item.values[c] {
                Values::Labels(names) => names.clone(),
                Values::Real(_) => Vec::new(),
            };
            let found: Vec<String> = items.iter().flat_map(names).collect();
            let (categories, codes) = coded(categories.clone(), found.iter().map(String::as_str));
            ColumnValues::Labels { categories, codes }
        }
    }
}

/// Names in order, given or found, and the index of each occurrence.
pub(crate) fn coded<'a>(
    names: Option<Vec<String>>,
    found: impl Iterator<Item = &'a str> + Clone,
) -> (Vec<String>, Vec<u32>) {
    let names = names.unwrap_or_else(|| sorted_names(found.clone()));
    let index: HashMap<&str, u32> = names.iter().map(String::as_str).zip(0..).collect();
    let codes = found.map(|name| index[name]).collect();
    (names, codes)
}
