//! From what a user names, a path or a dataset in a folder of datasets, to the right reader.

use crate::graphs::{self, Format, GraphsError};
use crate::hif::{self, HifError};
use crate::jsonl::{self, JsonlError, JsonlParts};
use crate::mantra::{self, ManifoldTarget, MantraError};
use crate::mesh::{self, MeshError, MeshFormat};
use crate::networks::{self, NetworkError, NetworkOptions, NetworkRead};
use crate::table::{self, TableError, TableOptions};
use crate::targets::{self, TargetOptions, TargetsError};
use crate::tu::{self, TuError};
use crate::{EXTENSIONS, Parts, Read, datasets_in, edits, names};
use hodgelet::complex::Expansion;
use std::fs::File;
use std::io::{BufRead, BufReader, Read as _};
use std::path::{Path, PathBuf};

/// What a reader cannot know by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenOptions {
    /// Which complex represents a hypergraph; without it, what the file says, or Zhou's.
    pub hypergraph: Option<Expansion>,
    /// What directions and weights of networks become, and where tables have what.
    pub networks: NetworkOptions,
    /// Where targets come from that are not with the graphs.
    pub targets: TargetOptions,
    /// What is to be predicted of the manifolds of a MANTRA file; without it, what they are.
    pub manifolds: Option<ManifoldTarget>,
}

impl OpenOptions {
    /// Whether a table is to be read as one of edges, whatever the names of its columns.
    #[must_use]
    pub fn names_edges(&self) -> bool {
        let NetworkOptions { graph, ends, layout, vertices, .. } = &self.networks;
        graph.is_some() || ends.is_some() || layout.is_some() || vertices.is_some()
    }
}

/// Reads the dataset `name`: a path to a folder (TU, GraphML, GML, mesh or HIF files, lists of edges or matrices), a `.zip`
/// (TU), `.jsonl`, `.graphml`, `.gml`, `.json` (HIF; a list: MANTRA), `.json.gz` (MANTRA), `.off`, `.obj` or `.ply` file, a table of molecules (`.csv`, `.tsv`,
/// `.parquet`) or of edges (`.csv`, `.tsv`, `.edgelist`, `.edges`), or the name of one of these in the folder `data_dir`, without
/// its extension.
///
/// # Errors
///
/// [`OpenError::NotFound`] lists what was tried and similar names; the others are those of the readers.
pub fn open(name: &str, data_dir: Option<&Path>) -> Result<Read, OpenError> {
    open_with(name, data_dir, OpenOptions::default())
}

/// As [`open`], with options.
///
/// # Errors
///
/// As for [`open`].
pub fn open_with(name: &str, data_dir: Option<&Path>, options: OpenOptions) -> Result<Read, OpenError> {
    let tried = candidates(name, data_dir);
    match tried.iter().find(|path| path.exists()) {
        Some(path) => {
            let read = read(path, &options)?;
            match &options.targets.table {
                Some(table) => Ok(targets::with_table(read, table, &options.targets)?),
                None => Ok(read),
            }
        }
        None => {
            let near = data_dir.map(|dir| near_names(name, dir)).unwrap_or_default();
            Err(OpenError::NotFound { name: name.to_owned(), tried, near })
        }
    }
}

/// As [`open_with`], to be read in parts: a JSONL file stays on disk.
///
/// # Errors
///
/// As for [`open`].
pub fn open_parts(name: &str, data_dir: Option<&Path>, options: OpenOptions) -> Result<Parts, OpenError> {
    let is_jsonl = |path: &&PathBuf| path.extension().is_some_and(|e| e.eq_ignore_ascii_case("jsonl"));
    let found = locate(name, data_dir).filter(|_| options.targets.table.is_none());
    match found.as_ref().filter(is_jsonl) {
        Some(path) => Ok(Parts::Jsonl(JsonlParts::open(path, options.hypergraph)?)),
        None => Ok(Parts::Whole(Box::new(open_with(name, data_dir, options)?))),
    }
}

/// What is read when the dataset `name` is: the file or the folder, and the files in it; empty if there is none.
#[must_use]
pub fn inputs(name: &str, data_dir: Option<&Path>) -> Vec<PathBuf> {
    let Some(found) = candidates(name, data_dir).into_iter().find(|path| path.exists()) else {
        return Vec::new();
    };
    let is_read = |path: &PathBuf| {
        let extension = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
        extension.is_some_and(|e| {
            ["txt", "graphml", "gml", "json", "off", "obj", "ply", "csv", "tsv", "edgelist", "edges"]
                .contains(&e.as_str())
        })
    };
    let files = names::entries(&found).into_iter().map(|name| found.join(name));
    let mut all: Vec<PathBuf> = files.filter(is_read).collect();
    all.push(found);
    all
}

/// The file or folder of the dataset `name`, if there is one: a path, or a name in the folder `data_dir`.
#[must_use]
pub fn locate(name: &str, data_dir: Option<&Path>) -> Option<PathBuf> {
    candidates(name, data_dir).into_iter().find(|path| path.exists())
}

/// Where a dataset may be, in the order in which they are tried.
fn candidates(name: &str, data_dir: Option<&Path>) -> Vec<PathBuf> {
    let mut paths = vec![PathBuf::from(name)];
    if let Some(dir) = data_dir {
        paths.push(dir.join(name));
        paths.extend(EXTENSIONS.map(|extension| dir.join(format!("{name}.{extension}"))));
    }
    paths.dedup();
    paths
}

fn read(path: &Path, options: &OpenOptions) -> Result<Read, OpenError> {
    if path.is_dir() {
        return read_dir(path, options);
    }
    if let Some(format) = MeshFormat::of(path) {
        return Ok(mesh::read_file(path, format)?);
    }
    if is_network(path, options) {
        return read_network(path, options);
    }
    if mantra::is_mantra(path) {
        return Ok(mantra::read_file(path, options.manifolds.unwrap_or_default())?);
    }
    if table::is_table(path) {
        let guess = TableOptions { guess_target: true, on_error: table::OnError::Stop, ..Default::default() };
        return Ok(table::read_file(path, &guess)?.read);
    }
    let extension = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
    match (extension.as_deref(), Format::of(path)) {
        (_, Some(format)) => Ok(graphs::read_file(path, format, &options.networks.arcs)?),
        (Some("zip"), _) => Ok(tu::read_zip(path)?),
        (Some("jsonl"), _) => Ok(jsonl::read_with(path, options.hypergraph)?),
        (Some("json"), _) => Ok(hif::read_file(path)?.expand(options.hypergraph.unwrap_or_default())?),
        _ => Err(OpenError::Unsupported { path: path.to_owned() }),
    }
}

/// Whether a file is read as one of edges or a matrix.
#[must_use]
pub fn is_network(path: &Path, options: &OpenOptions) -> bool {
    if !networks::is_network(path) {
        return false;
    }
    if options.names_edges() || !table::is_table(path) {
        return true;
    }
    first_line(path).is_ok_and(|line| networks::lists_edges(&line))
}

/// The first line of a file, or as much of it as names of columns may take.
fn first_line(path: &Path) -> std::io::Result<Vec<u8>> {
    /// Far more than any header has.
    const MOST: u64 = 1 << 24;
    let mut line = Vec::new();
    BufReader::new(File::open(path)?).take(MOST).read_until(b'\n', &mut line)?;
    Ok(line)
}

/// Whether the directions and weights of a file or folder are a choice: GraphML, GML, lists of edges and matrices.
#[must_use]
pub fn has_arcs(path: &Path, options: &OpenOptions) -> bool {
    if !path.is_dir() {
        return Format::of(path).is_some() || is_network(path, options);
    }
    let names = names::entries(path);
    let arcs = tu::File::Arcs.name("");
    let is_graph = |name: &String| Format::of(Path::new(name)).is_some();
    !names.iter().any(|name| name.ends_with(&arcs))
        && (names.iter().any(is_graph) || networks::is_folder(path))
}

/// A file of edges, with the targets of its column of targets.
fn read_network(path: &Path, options: &OpenOptions) -> Result<Read, OpenError> {
    let beside = options.targets.table.is_some();
    let columns = if beside { Vec::new() } else { options.targets.columns.clone() };
    let NetworkRead { read, targets } =
        networks::read_file(path, &NetworkOptions { targets: columns, ..options.networks.clone() })?;
    match &targets[..] {
        [] => Ok(read),
        targets => Ok(targets::with_texts(read, targets, &options.targets)?),
    }
}

/// A folder of files of edges or matrices, with the targets of its table of targets.
fn read_networks(dir: &Path, options: &OpenOptions) -> Result<Read, OpenError> {
    let read = networks::read_dir(dir, &options.networks)?.read;
    match targets_in(dir) {
        Some(table) if options.targets.table.is_none() => {
            Ok(targets::with_table(read, &table, &options.targets)?)
        }
        _ => Ok(read),
    }
}

/// The table of targets of a folder, if it has one.
#[must_use]
pub fn targets_in(dir: &Path) -> Option<PathBuf> {
    ["targets.csv", "targets.tsv"].map(|name| dir.join(name)).into_iter().find(|path| path.exists())
}

/// A folder of graph files if it holds any and no arcs of a TU dataset.
fn read_dir(dir: &Path, options: &OpenOptions) -> Result<Read, OpenError> {
    let names = names::entries(dir); // none if it cannot be read, which the reader will report
    let arcs = tu::File::Arcs.name("");
    let is_tu = names.iter().any(|name| name.ends_with(&arcs));
    if !is_tu && names.iter().any(|name| Format::of(Path::new(name)).is_some()) {
        let read = graphs::read_dir(dir, &options.networks.arcs)?;
        // A column that is named may be one of several.
        return match (targets_in(dir), &options.targets) {
            (Some(table), TargetOptions { table: None, columns, weight, .. })
                if !columns.is_empty() || weight.is_some() =>
            {
                Ok(targets::with_table(read, &table, &options.targets)?)
            }
            _ => Ok(read),
        };
    }
    if !is_tu && names.iter().any(|name| MeshFormat::of(Path::new(name)).is_some()) {
        return Ok(mesh::read_dir(dir)?);
    }
    if !is_tu && names.iter().any(|name| hif::is_hif(Path::new(name))) {
        return Ok(hif::read_dir(dir)?.expand(options.hypergraph.unwrap_or_default())?);
    }
    if !is_tu && networks::is_folder(dir) {
        return read_networks(dir, options);
    }
    let is_part = |name: &String| TU_FILES.iter().any(|file| name.ends_with(&file.name("")));
    if !is_tu && std::fs::read_dir(dir).is_ok() && !names.iter().any(is_part) {
        let is_text = |name: &String| name.to_ascii_lowercase().ends_with(".txt");
        return Err(OpenError::NoDataset { path: dir.to_owned(), has_texts: names.iter().any(is_text) });
    }
    Ok(tu::read_dir(dir)?)
}

/// Files that a TU dataset has beside its arcs.
const TU_FILES: [tu::File; 3] = [tu::File::GraphIndicator, tu::File::GraphLabels, tu::File::GraphAttributes];

/// Datasets in a folder whose names are near `name`, at most five.
fn near_names(name: &str, dir: &Path) -> Vec<String> {
    let wanted = name.to_lowercase();
    let near = |found: String| {
        let begins = !wanted.is_empty() && found.to_lowercase().starts_with(&wanted);
        let distance = if begins { Some(0) } else { edits(name, &found) };
        distance.map(|distance| (distance, found))
    };
    let mut near: Vec<(usize, String)> = datasets_in(dir).into_iter().filter_map(near).collect();
    near.sort();
    near.truncate(5);
    near.into_iter().map(|(_, name)| name).collect()
}

/// Why a dataset could not be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// There is no such dataset.
    #[error("no dataset `{name}`; tried {}{}", list(tried), suggestion(near))]
    NotFound {
        /// What was asked for.
        name: String,
        /// Where it was looked for.
        tried: Vec<PathBuf>,
        /// Datasets with similar names.
        near: Vec<String>,
    },
    /// A file that no reader knows.
    #[error("{}: expected a folder or a .zip, .jsonl, .graphml, .gml, .json, .json.gz, .off, .obj, .ply, .csv, .tsv, .parquet, .edgelist or .edges file", path.display())]
    Unsupported {
        /// The file.
        path: PathBuf,
    },
    /// A folder in which there is no dataset.
    #[error(
        "{}: found a folder without graphs, expected the files of a TU dataset ({}), or .csv, .tsv, .edgelist, .edges, .graphml, .gml, .json, .off, .obj or .ply files",
        path.display(), tu::File::Arcs.name("NAME")
    )]
    NoDataset {
        /// The folder.
        path: PathBuf,
        /// Whether it has files that end in `.txt`.
        has_texts: bool,
    },
    /// A TU dataset could not be read.
    #[error(transparent)]
    Tu(#[from] TuError),
    /// A JSONL file could not be read.
    #[error(transparent)]
    Jsonl(#[from] JsonlError),
    /// A hypergraph could not be read.
    #[error(transparent)]
    Hif(#[from] HifError),
    /// A list of manifolds could not be read.
    #[error(transparent)]
    Mantra(Box<MantraError>),
    /// A mesh could not be read.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// A table of molecules could not be read.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A graph file could not be read.
    #[error(transparent)]
    Graphs(#[from] GraphsError),
    /// A table of edges or a matrix could not be read.
    #[error(transparent)]
    Networks(Box<NetworkError>),
    /// A table of targets could not be read.
    #[error(transparent)]
    Targets(Box<TargetsError>),
}

impl From<MantraError> for OpenError {
    fn from(error: MantraError) -> Self {
        Self::Mantra(Box::new(error))
    }
}

impl From<NetworkError> for OpenError {
    fn from(error: NetworkError) -> Self {
        Self::Networks(Box::new(error))
    }
}

impl From<TargetsError> for OpenError {
    fn from(error: TargetsError) -> Self {
        Self::Targets(Box::new(error))
    }
}

fn list(paths: &[PathBuf]) -> String {
    match paths {
        [] => String::new(),
        [path] => path.display().to_string(),
        // The others are the second with an extension.
        [path, named, ..] => {
            format!("{} and {}, alone and with an extension", path.display(), named.display())
        }
    }
}

fn suggestion(near: &[String]) -> String {
    if near.is_empty() { String::new() } else { format!("; similar names: {}", near.join(", ")) }
}
