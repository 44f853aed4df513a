//! Networks in tables: lists of edges and adjacency matrices.
//!
//! A folder of `.csv`, `.tsv`, `.edgelist` or `.edges` files is a dataset of one graph for each file, called as the file. One
//! table with a column of graphs is a dataset, too.
//!
//! - **Edges**: a row is an edge, with the names of two vertices and any number of attributes. The first line has the names of
//!   the columns, of which two are the ends (`source,target`, `from,to` and others are known, [`NetworkOptions::ends`] names
//!   them). A file without names of columns has two vertices in a row, and a weight where there is a third cell; so do
//!   `.edgelist` and `.edges` files, with blanks between cells and comments after `#`.
//! - **Matrix**: rows and columns are vertices, in a table of numbers with or without names of vertices at its upper and left
//!   margin. An entry that is not 0 is an arc from its row to its column; where some are neither 0 nor 1 they are weights.
//!
//! A column whose cells are all numbers is a number, whole or not; others are labels. Vertices are those that edges name, or
//! those of a table of vertices (`vertices.csv` of a folder, or [`NetworkOptions::vertices`]), whose other columns are their
//! attributes and which alone can list vertices without edges. Nothing is dropped without a word: what a direction and a
//! weight become is a choice ([`ArcOptions`]), cells without a value are errors, and loops and repeated edges are counted.

mod edges;
mod error;
mod layout;
mod matrix;
mod sheet;
mod vertices;

pub use error::NetworkError;
pub use layout::Layout;

use crate::edits;
use crate::graphs::{self, ArcOptions, GraphsError, RawGraph, WEIGHT, file_name, load, stem};
use crate::table::{TableError, names_smiles};
use crate::targets::TargetTexts;
use crate::{Read, names};
use edges::{Columns, Listed};
use rayon::prelude::*;
use sheet::Sheet;
use std::path::{Path, PathBuf};
use vertices::VertexTable;

/// Names of tables beside those of edges, in lower case and without extension.
const BESIDE: [&str; 2] = ["targets", "vertices"];

/// How tables of edges are read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NetworkOptions {
    /// What directions and weights become.
    pub arcs: ArcOptions,
    /// The column that says which graph an edge is of; without it a table is one graph.
    pub graph: Option<String>,
    /// The columns of the two ends of an edge.
    pub ends: Option<[String; 2]>,
    /// What rows are; without it, what the files say.
    pub layout: Option<Layout>,
    /// A table of vertices.
    pub vertices: Option<PathBuf>,
    /// The columns of targets in a table of several graphs.
    pub targets: Vec<String>,
}

/// Networks, and the text of their targets where the table has them.
#[derive(Debug)]
pub struct NetworkRead {
    /// The networks, without targets.
    pub read: Read,
    /// The text of the targets, for each column of targets.
    pub targets: Vec<TargetTexts>,
}

/// Whether a file may hold edges, by the end of its name.
#[must_use]
pub fn is_network(path: &Path) -> bool {
    let extension = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
    matches!(extension.as_deref(), Some("csv" | "tsv" | "edgelist" | "edges"))
}

/// Whether a file is one of edges or a matrix and not of what is known of graphs or vertices, by its name.
fn is_graph(name: &str) -> bool {
    is_network(Path::new(name)) && !BESIDE.contains(&stem(name).to_ascii_lowercase().as_str())
}

/// Whether a folder holds files of edges or matrices.
#[must_use]
pub fn is_folder(dir: &Path) -> bool {
    names::entries(dir).iter().any(|name| is_graph(name))
}

/// Whether a table lists edges by the names of its columns: those of two ends are known, and none is that of SMILES strings.
#[must_use]
pub fn lists_edges(bytes: &[u8]) -> bool {
    let first = bytes.split_inclusive(|&c| c == b'\n').next().unwrap_or_default();
    let header = Sheet::parse("t.csv", first).ok().and_then(|sheet| sheet.header);
    header.is_some_and(|header| {
        layout::known_ends(&header).is_some() && !header.iter().any(|name| names_smiles(name))
    })
}

/// Reads the text of one file called `file`: a graph, or several where [`NetworkOptions::graph`] names their column.
///
/// # Errors
///
/// [`NetworkError`] names the file and, where there is one, the line.
pub fn parse(file: &str, bytes: &[u8], options: &NetworkOptions) -> Result<NetworkRead, NetworkError> {
    one(Sheet::parse(file, bytes)?, None, options)
}

/// Reads one file of edges or a matrix.
///
/// # Errors
///
/// [`NetworkError`] names the file and, where there is one, the line.
pub fn read_file(path: &Path, options: &NetworkOptions) -> Result<NetworkRead, NetworkError> {
    let vertices = options.vertices.as_deref().map(|path| vertex_table(path, options)).transpose()?;
    one(Sheet::parse(&file_name(path), &load(path)?)?, vertices, options)
}

/// Reads every file of edges or matrices of a folder, in the order of their names.
///
/// # Errors
///
/// [`NetworkError`] names the file and, where there is one, the line.
pub fn read_dir(dir: &Path, options: &NetworkOptions) -> Result<NetworkRead, NetworkError> {
    let entries = names::entries(dir);
    let files: Vec<&String> = entries.iter().filter(|name| is_graph(name)).collect();
    if files.is_empty() {
        return Err(NetworkError::NoFiles { path: dir.to_owned() });
    }
    let beside = ["vertices.csv", "vertices.tsv"].map(|name| dir.join(name)).into_iter().find(|p| p.exists());
    let vertices = options.vertices.clone().or(beside);
    let mut vertices = vertices.map(|path| vertex_table(&path, options)).transpose()?;
    if let Some(table) = vertices.as_ref().filter(|table| !table.of_several && files.len() > 1) {
        return Err(NetworkError::WhichGraph { file: table.file.clone() });
    }
    let sheets: Vec<Result<Sheet, NetworkError>> =
        files.par_iter().map(|name| Ok(Sheet::parse(name, &load(&dir.join(name))?)?)).collect();
    let sheets = sheets.into_iter().collect::<Result<Vec<_>, _>>()?;
    let layout = common_layout(dir, &sheets, options)?;
    let mut found = Found::default();
    for sheet in &sheets {
        found.add(
            sheet,
            layout,
            &mut vertices,
            &NetworkOptions { targets: Vec::new(), ..options.clone() },
        )?;
    }
    if let Some((graph, line)) = vertices.as_ref().and_then(|table| table.rest().into_iter().next()) {
        let file = vertices.map(|table| table.file).unwrap_or_default();
        return Err(NetworkError::NoSuchGraph { file, line, graph });
    }
    found.finish(&file_name(dir), layout, options)
}

fn vertex_table(path: &Path, options: &NetworkOptions) -> Result<VertexTable, NetworkError> {
    VertexTable::parse(&file_name(path), &load(path)?, options.graph.as_ref())
}

/// The graphs of one file.
fn one(
    sheet: Sheet,
    mut vertices: Option<VertexTable>,
    options: &NetworkOptions,
) -> Result<NetworkRead, NetworkError> {
    let layout = match options.layout.or_else(|| implied(options)) {
        Some(layout) => layout,
        None => layout::of(&sheet)?.ok_or_else(|| ambiguous(&sheet))?,
    };
    if let Some(table) = vertices.as_ref().filter(|table| !table.of_several && options.graph.is_some()) {
        return Err(NetworkError::WhichGraph { file: table.file.clone() });
    }
    let unnamed = if layout == Layout::Edges { unnamed_graphs(&sheet, options) } else { None };
    let mut found = Found::default();
    let read = found.add(&sheet, layout, &mut vertices, options);
    let read = read.and_then(|()| found.finish(&stem(&sheet.file), layout, options));
    match (read, unnamed) {
        (Err(NetworkError::Graphs(source @ GraphsError::Conflict { .. })), Some(_)) => {
            Err(NetworkError::OneGraph { source })
        }
        (Ok(mut read), Some(name)) => {
            let (file, what) = (&sheet.file, "is read as an attribute of the edges of one graph");
            let doubt = format!(
                "{file}: column `{name}` {what}; --graph-column {name} reads a graph for each of its values"
            );
            read.read.report.doubts.push(doubt);
            Ok(read)
        }
        (read, _) => read,
    }
}

/// A column that by its name says which graph an edge is of, in a table that is read as one graph.
fn unnamed_graphs<'a>(sheet: &'a Sheet, options: &NetworkOptions) -> Option<&'a String> {
    let header = sheet.header.as_ref().filter(|_| options.graph.is_none())?;
    let is_end = |name: &String| options.ends.as_ref().is_some_and(|ends| ends.contains(name));
    let is_free = |name: &&String| !is_end(name) && !options.targets.contains(name);
    header.iter().filter(is_free).find(|name| name.eq_ignore_ascii_case("graph"))
}

/// What other options say of the rows.
fn implied(options: &NetworkOptions) -> Option<Layout> {
    (options.ends.is_some() || options.graph.is_some()).then_some(Layout::Edges)
}

fn ambiguous(sheet: &Sheet) -> NetworkError {
    NetworkError::Ambiguous { file: sheet.file.clone(), n: sheet.rows.len() }
}

/// What the files of a folder are: those that may be either are what the others are.
fn common_layout(dir: &Path, sheets: &[Sheet], options: &NetworkOptions) -> Result<Layout, NetworkError> {
    if let Some(layout) = options.layout.or_else(|| implied(options)) {
        return Ok(layout);
    }
    let mut first: Option<(&Sheet, Layout)> = None;
    for sheet in sheets {
        match (first, layout::of(sheet)?) {
            (None, Some(layout)) => first = Some((sheet, layout)),
            (Some((earlier, one)), Some(other)) if one != other => {
                let files = [(earlier.file.clone(), one), (sheet.file.clone(), other)];
                return Err(NetworkError::Mixed { path: dir.to_owned(), files });
            }
            _ => {}
        }
    }
    match (first, sheets.iter().find(|sheet| !sheet.rows.is_empty())) {
        (Some((_, layout)), _) => Ok(layout),
        (None, Some(sheet)) => Err(ambiguous(sheet)),
        (None, None) => Ok(Layout::Edges),
    }
}

/// Graphs as they are found.
#[derive(Default)]
struct Found {
    graphs: Vec<(String, RawGraph)>,
    ids: Vec<String>,
    targets: Vec<TargetTexts>,
    notes: Vec<String>,
}

impl Found {
    fn add(
        &mut self,
        sheet: &Sheet,
        layout: Layout,
        vertices: &mut Option<VertexTable>,
        options: &NetworkOptions,
    ) -> Result<(), NetworkError> {
        let id = stem(&sheet.file);
        if layout == Layout::Matrix {
            self.graphs.push((sheet.file.clone(), matrix::graph(sheet, &id, vertices)?));
            self.ids.push(id);
            return Ok(());
        }
        if sheet.header.is_none() && sheet.rows.is_empty() {
            let listed = vertices.as_mut().map(|table| table.take(&id));
            self.graphs.push((sheet.file.clone(), edges::Building::of(listed).graph));
            self.ids.push(id);
            return Ok(());
        }
        let columns = Columns::of(sheet, options, &mut self.notes)?;
        self.targets = columns.targets.iter().map(|(_, name)| TargetTexts::new(name)).collect();
        for Listed { id, building, targets } in edges::graphs(sheet, &id, &columns, vertices)? {
            for (texts, target) in self.targets.iter_mut().zip(targets) {
                texts.texts.push(target.map(|(text, _)| text).unwrap_or_default());
            }
            self.graphs.push((sheet.file.clone(), building.graph));
            self.ids.push(id);
        }
        Ok(())
    }

    fn finish(
        mut self,
        name: &str,
        layout: Layout,
        options: &NetworkOptions,
    ) -> Result<NetworkRead, NetworkError> {
        let unweighted = self.graphs.iter().all(|(_, graph)| matrix::is_plain(graph));
        if layout == Layout::Matrix && unweighted && options.arcs.weights.is_none() {
            let edges = self.graphs.iter_mut().flat_map(|(_, graph)| &mut graph.edges);
            edges.for_each(|edge| {
                edge.attributes.remove(WEIGHT);
            });
        }
        let mut read = graphs::untargeted(name, &self.graphs, &options.arcs)?;
        read.ids = self.ids;
        read.report.notes = self.notes;
        Ok(NetworkRead { read, targets: self.targets })
    }
}

/// The column of a name.
fn column(file: &str, header: &[String], name: &str, flag: &'static str) -> Result<usize, NetworkError> {
    let places: Vec<usize> = (0..header.len()).filter(|&c| header[c] == name).collect();
    let (file, name) = (file.to_owned(), name.to_owned());
    match places[..] {
        [one] => Ok(one),
        [] => {
            let near = header.iter().filter_map(|other| Some((edits(&name, other)?, other.clone()))).min();
            let (header, near) = (header.to_vec(), near.map(|(_, near)| near));
            Err(TableError::NoColumn { file, flag, name, header, near }.into())
        }
        _ => Err(TableError::RepeatedColumn { file, flag, name }.into()),
    }
}
