//! From what a user names, a path or a dataset in a folder of datasets, to the right reader.

use crate::graphs::{self, Format, GraphsError};
use crate::hif::{self, HifError};
use crate::jsonl::{self, JsonlError, JsonlParts};
use crate::mesh::{self, MeshError, MeshFormat};
use crate::table::{self, TableError, TableOptions};
use crate::tu::{self, TuError};
use crate::{EXTENSIONS, Parts, Read, datasets_in, edits, names};
use hodgelet::complex::Expansion;
use std::path::{Path, PathBuf};

/// What a reader cannot know by itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpenOptions {
    /// Which complex represents a hypergraph; without it, what the file says, or Zhou's.
    pub hypergraph: Option<Expansion>,
}

/// Reads the dataset `name`: a path to a folder (TU, GraphML, GML, mesh or HIF files), a `.zip` (TU), `.jsonl`,
/// `.graphml`, `.gml`, `.json` (HIF), `.off`, `.obj` or `.ply` file, a table of molecules (`.csv`, `.tsv`, `.parquet`), or the name of one of these in the folder `data_dir`, without its extension.
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
        Some(path) => read(path, options),
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
    let found = locate(name, data_dir);
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
        extension
            .is_some_and(|e| ["txt", "graphml", "gml", "json", "off", "obj", "ply"].contains(&e.as_str()))
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

fn read(path: &Path, options: OpenOptions) -> Result<Read, OpenError> {
    if path.is_dir() {
        return read_dir(path, options);
    }
    if let Some(format) = MeshFormat::of(path) {
        return Ok(mesh::read_file(path, format)?);
    }
    if table::is_table(path) {
        let guess = TableOptions { guess_target: true, on_error: table::OnError::Stop, ..Default::default() };
        return Ok(table::read_file(path, &guess)?.read);
    }
    let extension = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase());
    match (extension.as_deref(), Format::of(path)) {
        (_, Some(format)) => Ok(graphs::read_file(path, format)?),
        (Some("zip"), _) => Ok(tu::read_zip(path)?),
        (Some("jsonl"), _) => Ok(jsonl::read_with(path, options.hypergraph)?),
        (Some("json"), _) => Ok(hif::read_file(path)?.expand(options.hypergraph.unwrap_or_default())?),
        _ => Err(OpenError::Unsupported { path: path.to_owned() }),
    }
}

/// A folder of graph files if it holds any and no arcs of a TU dataset.
fn read_dir(dir: &Path, options: OpenOptions) -> Result<Read, OpenError> {
    let names = names::entries(dir); // none if it cannot be read, which the reader will report
    let arcs = tu::File::Arcs.name("");
    let is_tu = names.iter().any(|name| name.ends_with(&arcs));
    if !is_tu && names.iter().any(|name| Format::of(Path::new(name)).is_some()) {
        return Ok(graphs::read_dir(dir)?);
    }
    if !is_tu && names.iter().any(|name| MeshFormat::of(Path::new(name)).is_some()) {
        return Ok(mesh::read_dir(dir)?);
    }
    if !is_tu && names.iter().any(|name| hif::is_hif(Path::new(name))) {
        return Ok(hif::read_dir(dir)?.expand(options.hypergraph.unwrap_or_default())?);
    }
    Ok(tu::read_dir(dir)?)
}

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
    #[error("{}: expected a folder or a .zip, .jsonl, .graphml, .gml, .json, .off, .obj, .ply, .csv, .tsv or .parquet file", path.display())]
    Unsupported {
        /// The file.
        path: PathBuf,
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
    /// A mesh could not be read.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// A table of molecules could not be read.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A graph file could not be read.
    #[error(transparent)]
    Graphs(#[from] GraphsError),
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
