//! Writing a store, leaf after leaf.

use super::leaf::{Leaf, LeafTargets};
use super::{Store, StoreError, StoreHeader, header, hex};
use crate::dataset::Targets;
use crate::model::Measured;
use crate::output::{Kind, Output, OutputError, remove_unfinished};
use std::path::{Path, PathBuf};

/// What names of leaves begin with.
const LEAF_NAME: &str = "leaf-";

/// A store that is being written, or continued.
#[derive(Debug)]
pub struct StoreWriter {
    path: PathBuf,
    header: StoreHeader,
    done: Vec<bool>,
}

impl StoreWriter {
    /// A new store in the folder `path`, or the one that is there and holds the same complexes, measured in the same way.
    ///
    /// # Errors
    ///
    /// [`StoreError::Differs`] when the store that is there holds others, [`StoreError::NotAStore`] when the folder holds
    /// something else, and [`StoreError::Io`].
    pub fn create(path: &Path, header: StoreHeader) -> Result<Self, StoreError> {
        if Store::is_store(path) {
            StoreHeader::read(path)?.check(&header, path)?;
            let done = leaves_in(path, header.n_leaves())?.iter().map(Option::is_some).collect();
            remove_unfinished(path);
            return Ok(Self { path: path.to_owned(), header, done });
        }
        std::fs::create_dir_all(path).map_err(|error| StoreError::io(path, error))?;
        remove_unfinished(path);
        let mut entries = std::fs::read_dir(path).map_err(|error| StoreError::io(path, error))?;
        if entries.next().is_some() {
            return Err(StoreError::NotAStore { path: path.to_owned() });
        }
        let done = vec![false; header.n_leaves()];
        let writer = Self { path: path.to_owned(), header, done };
        let text = writer.header.to_json().map_err(|error| StoreError::io(path, error))?;
        writer.place(text.as_bytes(), header::FILE)?;
        Ok(writer)
    }

    /// Whether leaf `k` was there at the beginning.
    #[must_use]
    pub fn is_done(&self, k: usize) -> bool {
        self.done.get(k).is_some_and(|done| *done)
    }

    /// Number of leaves, there or not.
    #[must_use]
    pub fn n_leaves(&self) -> usize {
        self.done.len()
    }

    /// Writes leaf `k`, whole or not at all; several threads may write at once.
    ///
    /// # Errors
    ///
    /// [`StoreError::Io`], and [`StoreError::Weights`] for complexes that have weights.
    pub fn write(
        &self,
        k: usize,
        measured: Measured,
        targets: &Targets,
        ids: &[String],
    ) -> Result<(), StoreError> {
        let targets = match targets {
            Targets::None => LeafTargets::None,
            Targets::Classes { labels, .. } => LeafTargets::Classes(labels.clone()),
            Targets::Real(values) => LeafTargets::Real(values.clone()),
        };
        let Measured { measures, unknown, weights } = measured;
        if weights.is_some() {
            return Err(StoreError::Weights { path: self.path.clone() });
        }
        let leaf = Leaf { measures, ids: ids.to_vec(), targets, unknown };
        let bytes = leaf.to_bytes().map_err(|fault| StoreError::io(&self.path, fault))?;
        let name = format!("{LEAF_NAME}{k:06}-{}.parquet", hex(&bytes));
        self.place(&bytes, &name)
    }

    /// The store, when all leaves are there.
    ///
    /// # Errors
    ///
    /// As [`Store::open`].
    pub fn finish(self) -> Result<Store, StoreError> {
        Store::open(&self.path)
    }

    /// Writes a file that has its name only when it is whole.
    fn place(&self, bytes: &[u8], name: &str) -> Result<(), StoreError> {
        let path = self.path.join(name);
        let output = Output::new(&path, Kind::ANY);
        output.write(|out| out.write_all(bytes)).map_err(|error| match error {
            OutputError::Io { path, source } => StoreError::io(&path, source),
            refused => StoreError::io(&path, std::io::Error::other(refused)),
        })
    }
}

/// The files of `n` leaves, where they are.
pub(super) fn leaves_in(folder: &Path, n: usize) -> Result<Vec<Option<PathBuf>>, StoreError> {
    let mut found = vec![None; n];
    for entry in std::fs::read_dir(folder).map_err(|error| StoreError::io(folder, error))? {
        let path = entry.map_err(|error| StoreError::io(folder, error))?.path();
        let Some(k) = place_in(&path) else { continue };
        match found.get_mut(k) {
            Some(place @ None) => *place = Some(path),
            Some(Some(_)) => return Err(StoreError::damaged(&path, format!("leaf {k} a second time"))),
            None => return Err(StoreError::damaged(&path, format!("leaf {k}, expected {n} leaves"))),
        }
    }
    Ok(found)
}

/// Number of a leaf, by the name of its file.
fn place_in(path: &Path) -> Option<usize> {
    let name = path.file_name()?.to_str()?.strip_prefix(LEAF_NAME)?.strip_suffix(".parquet")?;
    name.split_once('-')?.0.parse().ok()
}

/// Checksum of a leaf, by the name of its file.
pub(super) fn sum_in(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?.strip_prefix(LEAF_NAME)?.strip_suffix(".parquet")?;
    Some(name.split_once('-')?.1.to_owned())
}
