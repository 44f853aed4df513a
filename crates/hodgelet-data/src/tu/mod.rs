//! The TU format: a folder `<NAME>/`, or a zip archive of it, with one text file for each kind of value.
//!
//! For a dataset `DS` with `N` graphs, `n` nodes in all and `m` arcs (`*` marks the files that must be there):
//!
//! | file | lines | holds |
//! | --- | --- | --- |
//! | `DS_A.txt` * | m | an arc `u, v`: nodes from 1 over the whole dataset |
//! | `DS_graph_indicator.txt` * | n | graph of each node, from 1 |
//! | `DS_graph_labels.txt` * | N | class, an integer |
//! | `DS_graph_attributes.txt` | N | target, a real number, where there are no classes |
//! | `DS_node_labels.txt` | n | one integer or several |
//! | `DS_node_attributes.txt` | n | real numbers |
//! | `DS_edge_labels.txt` | m | one integer or several |
//! | `DS_edge_attributes.txt` | m | real numbers |
//!
//! **Edges.** The arcs `u, v` and `v, u` are one edge, oriented from the lower to the higher vertex; edges of a
//! graph come in lexicographic order. An arc without its reverse is an edge as well. Self-loops and repeated
//! arcs are dropped and counted in the [`Report`].
//!
//! **Values of edges.** A label is that of the arc from the lower to the higher vertex. For attributes, field
//! by field and over all edges with both arcs: values equal on both are unoriented, values opposite on both
//! (Cuneiform's arrangement vectors) are oriented and taken from the arc that runs upwards, and a field with
//! any other pair is unoriented and takes the mean of the two. Edges whose arcs disagree are counted. When a
//! file has fields of both kinds, the oriented ones become a column `attribute.oriented` of their own.
//!
//! **Irregular but read.** Windows line ends, a byte order mark, blank lines at the end or no final newline,
//! blanks around fields, `+1`, blanks instead of commas, integers written `1.0`, nodes that are not in the order
//! of their graphs (they are regrouped), graphs without nodes. Anything else is a [`TuError`] that names file and
//! line.
//!
//! Columns are called `label` (`label.0`, `label.1`, ... when a line has several) and `attribute`; categories
//! and classes are the integers, in ascending order.

mod archive;
mod edges;
mod error;
mod source;
mod table;

pub use error::{LineFault, TuError};
pub use source::{MAX_BYTES, MAX_FILE_BYTES};

use crate::{Read, Report};
use edges::{Graphs, Nodes};
use hodgelet::dataset::{Column, ColumnValues, Dataset, Targets};
use hodgelet::signal::Orientation;
use std::path::Path;
use table::{Table, categories};

/// Graphs that a dataset may have for each of its nodes, some being empty, and as many as any dataset may have.
const GRAPHS_PER_NODE: usize = 4;
const FREE_GRAPHS: usize = 100_000;

/// Reads a dataset from the folder that holds its files.
///
/// # Errors
///
/// [`TuError`] names the file and, where there is one, the line.
pub fn read_dir(dir: &Path) -> Result<Read, TuError> {
    let (name, files) = source::load_dir(dir)?;
    parse_in(dir, &name, &files)
}

/// Reads a dataset from a zip archive, whether the files are in a folder inside or not.
///
/// # Errors
///
/// [`TuError`] names the file and, where there is one, the line.
pub fn read_zip(path: &Path) -> Result<Read, TuError> {
    let (name, files) = source::load_zip(path)?;
    parse_in(path, &name, &files)
}

/// As [`read_zip`], from the bytes of an archive called `name`.
///
/// # Errors
///
/// [`TuError`] names the file and, where there is one, the line.
pub fn parse_zip(name: &str, bytes: &[u8]) -> Result<Read, TuError> {
    let place = Path::new(name);
    let (name, files) = source::unpack(place, bytes)?;
    parse_in(place, &name, &files)
}

/// A dataset called `name` from the contents of its files.
///
/// # Errors
///
/// [`TuError`] names the file and, where there is one, the line.
///
/// ```
/// use hodgelet_data::tu::{File, Files, parse};
/// let mut files = Files::default();
/// files.set(File::Arcs, *b"1, 2\n2, 1\n");
/// files.set(File::GraphIndicator, *b"1\n1\n2\n");
/// files.set(File::GraphLabels, *b"+1\n-1\n");
/// let read = parse("TWO", &files)?;
/// assert_eq!(read.dataset.complexes()[0].n_cells(1), 1);
/// assert!(read.report.is_clean());
/// # Ok::<(), hodgelet_data::tu::TuError>(())
/// ```
pub fn parse(name: &str, files: &Files) -> Result<Read, TuError> {
    parse_in(Path::new(name), name, files)
}

/// One file of a TU dataset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum File {
    /// `A`: arcs.
    Arcs,
    /// `graph_indicator`: graph of each node.
    GraphIndicator,
    /// `graph_labels`: classes.
    GraphLabels,
    /// `graph_attributes`: real targets.
    GraphAttributes,
    /// `node_labels`.
    NodeLabels,
    /// `node_attributes`.
    NodeAttributes,
    /// `edge_labels`, one line per arc.
    EdgeLabels,
    /// `edge_attributes`, one line per arc.
    EdgeAttributes,
}

impl File {
    /// Every file, in the order of the variants.
    pub const ALL: [Self; 8] = [
        Self::Arcs,
        Self::GraphIndicator,
        Self::GraphLabels,
        Self::GraphAttributes,
        Self::NodeLabels,
        Self::NodeAttributes,
        Self::EdgeLabels,
        Self::EdgeAttributes,
    ];

    /// Name of the file in a dataset called `dataset`.
    #[must_use]
    pub fn name(self, dataset: &str) -> String {
        let kind = match self {
            Self::Arcs => "A",
            Self::GraphIndicator => "graph_indicator",
            Self::GraphLabels => "graph_labels",
            Self::GraphAttributes => "graph_attributes",
            Self::NodeLabels => "node_labels",
            Self::NodeAttributes => "node_attributes",
            Self::EdgeLabels => "edge_labels",
            Self::EdgeAttributes => "edge_attributes",
        };
        format!("{dataset}_{kind}.txt")
    }
}

/// Contents of the files of a dataset.
#[derive(Clone, Debug, Default)]
pub struct Files([Option<Vec<u8>>; 8]);

impl Files {
    /// Sets the contents of a file.
    pub fn set(&mut self, file: File, bytes: impl Into<Vec<u8>>) {
        self.0[file as usize] = Some(bytes.into());
    }

    /// Contents of a file, if it is there.
    #[must_use]
    pub fn get(&self, file: File) -> Option<&[u8]> {
        self.0[file as usize].as_deref()
    }
}

/// The tables of a dataset; the order of the fields is the order in which their faults are reported.
struct Tables {
    arcs: Table<[u32; 2]>,
    indicator: Table<i64>,
    targets: TargetTable,
    node_labels: Option<Table<i64>>,
    node_attributes: Option<Table<f64>>,
    edge_labels: Option<Table<i64>>,
    edge_attributes: Option<Table<f64>>,
}

enum TargetTable {
    Classes(Table<i64>),
    Real(Table<f64>),
}

impl TargetTable {
    fn n_rows(&self) -> usize {
        match self {
            Self::Classes(table) => table.n_rows(),
            Self::Real(table) => table.n_rows(),
        }
    }
}

fn parse_in(place: &Path, name: &str, files: &Files) -> Result<Read, TuError> {
    let tables = tables(place, name, files)?;
    let mut report = Report::default();
    if files.get(File::GraphLabels).is_some() && files.get(File::GraphAttributes).is_some() {
        report.ignored.push(File::GraphAttributes.name(name));
    }
    let nodes = Nodes::group(&tables.indicator, tables.targets.n_rows())?;
    report.regrouped = nodes.order.is_some();
    let graphs = edges::graphs(&tables.arcs, &nodes, &mut report)?;
    let mut columns = node_columns(&tables, &nodes)?;
    columns.extend(edge_columns(&tables, &graphs, &mut report)?);
    let targets = match tables.targets {
        TargetTable::Real(table) => Targets::Real(table.values),
        TargetTable::Classes(table) => {
            let (names, labels) = categories(&table.values);
            Targets::Classes { names, labels }
        }
    };
    let dataset = Dataset::new(name, graphs.complexes, columns, targets)?;
    Ok(Read { report, ..Read::clean(dataset) })
}

/// Parses every file; the arcs, by far the largest, in parallel with the others.
fn tables(place: &Path, name: &str, files: &Files) -> Result<Tables, TuError> {
    let missing = |file: String| TuError::Missing { file, place: place.to_owned() };
    let need = |file: File| files.get(file).ok_or_else(|| missing(file.name(name)));
    let integers = |file: File| files.get(file).map(|b| table::integers(&file.name(name), b)).transpose();
    let reals = |file: File| files.get(file).map(|b| table::reals(&file.name(name), b)).transpose();
    let (arcs, indicator) = (need(File::Arcs)?, need(File::GraphIndicator)?);
    for file in [File::GraphLabels, File::GraphAttributes] {
        check_graphs(&file.name(name), files.get(file).unwrap_or_default(), indicator)?;
    }
    let (arcs, others) = rayon::join(
        || table::arcs(&File::Arcs.name(name), arcs),
        || {
            let indicator = table::integers(&File::GraphIndicator.name(name), indicator)?.expect_single()?;
            let targets = match (integers(File::GraphLabels)?, files.get(File::GraphAttributes)) {
                (Some(classes), _) => TargetTable::Classes(classes.expect_single()?),
                (None, Some(bytes)) => TargetTable::Real(
                    table::reals(&File::GraphAttributes.name(name), bytes)?.expect_single()?,
                ),
                (None, None) => {
                    let [a, b] = [File::GraphLabels, File::GraphAttributes].map(|file| file.name(name));
                    return Err(missing(format!("{a} (or {b})")));
                }
            };
            let labels = [integers(File::NodeLabels)?, integers(File::EdgeLabels)?];
            let attributes = [reals(File::NodeAttributes)?, reals(File::EdgeAttributes)?];
            Ok((indicator, targets, labels, attributes))
        },
    );
    let arcs = arcs?;
    let (indicator, targets, [node_labels, edge_labels], [node_attributes, edge_attributes]) = others?;
    Ok(Tables { arcs, indicator, targets, node_labels, node_attributes, edge_labels, edge_attributes })
}

/// Refuses far more lines of graphs than there are nodes, before anything is made of them: a graph takes a hundred times the
/// memory of its line.
fn check_graphs(file: &str, bytes: &[u8], indicator: &[u8]) -> Result<(), TuError> {
    let lines = |bytes: &[u8]| memchr::memchr_iter(b'\n', bytes).count() + 1;
    let (found, n_nodes) = (lines(bytes), lines(indicator));
    let most = n_nodes.saturating_mul(GRAPHS_PER_NODE).max(FREE_GRAPHS);
    if found <= most {
        return Ok(());
    }
    let fault = LineFault::Graphs { found, n_nodes, most };
    Err(TuError::Line { file: file.to_owned(), line: most + 1, fault })
}

fn node_columns(tables: &Tables, nodes: &Nodes) -> Result<Vec<Column>, TuError> {
    let n_nodes = nodes.graph.len();
    let mut columns = Vec::new();
    let mut push = |name, values| {
        let (orientation, starts) = (Orientation::Unoriented, nodes.starts.clone());
        columns.push(Column { name, dim: 0, orientation, starts, values });
    };
    if let Some(table) = &tables.node_labels {
        table.expect_rows(n_nodes, "nodes")?;
        for d in 0..table.width {
            let labels = in_order(&table.values, table.width, d..d + 1, nodes.order.as_deref());
            let (categories, codes) = categories(&labels);
            push(column_name(d, table.width), ColumnValues::Labels { categories, codes });
        }
    }
    if let Some(table) = &tables.node_attributes {
        table.expect_rows(n_nodes, "nodes")?;
        let values = in_order(&table.values, table.width, 0..table.width, nodes.order.as_deref());
        let channels = (0..table.width).map(|d| d.to_string()).collect();
        push("attribute".to_owned(), ColumnValues::Real { channels, values });
    }
    Ok(columns)
}

/// Some fields of every row, the rows in the given order.
fn in_order<T: Copy>(
    values: &[T],
    width: usize,
    fields: std::ops::Range<usize>,
    order: Option<&[u32]>,
) -> Vec<T> {
    match order {
        None if fields.len() == width => values.to_vec(),
        None => values.chunks_exact(width).flat_map(|row| &row[fields.clone()]).copied().collect(),
        Some(order) => {
            let row = |&i: &u32| &values[i as usize * width..][fields.clone()];
            order.iter().flat_map(row).copied().collect()
        }
    }
}

fn edge_columns(tables: &Tables, graphs: &Graphs, report: &mut Report) -> Result<Vec<Column>, TuError> {
    let n_arcs = tables.arcs.n_rows();
    let mut disagreeing = vec![false; graphs.n_edges()];
    let mut columns = Vec::new();
    if let Some(table) = &tables.edge_labels {
        table.expect_rows(n_arcs, "arcs")?;
        columns.extend(graphs.labels(table, &mut disagreeing));
    }
    if let Some(table) = &tables.edge_attributes {
        table.expect_rows(n_arcs, "arcs")?;
        columns.extend(graphs.attributes(table, &mut disagreeing));
    }
    report.disagreeing = disagreeing.into_iter().filter(|&d| d).count();
    Ok(columns)
}

/// Name of the `d`-th column of labels of `width`.
fn column_name(d: usize, width: usize) -> String {
    if width == 1 { "label".to_owned() } else { format!("label.{d}") }
}
