//! Energy measures on disk, for more complexes than memory holds.
//!
//! A store is a folder: `store.json` says what was measured and how, and each leaf of 1,024 consecutive complexes is one
//! Parquet file with one row group, whose name ends in the SHA-256 of its bytes. A file has its name only when it is whole,
//! so that a store that was left in the middle is continued where it stopped, and a byte that changed later is found before
//! it is read. What trains on a store computes the same bits as from memory.

mod error;
mod header;
mod leaf;
mod others;
mod write;

pub use error::StoreError;
pub use header::{StoreHeader, TargetKind};
pub use write::StoreWriter;

use crate::dataset::Targets;
use crate::gp::sparse::LEAF;
use crate::measure::ComplexMeasures;
use crate::model::{MeasureSource, Measured, ModelError};
use leaf::{Leaf, LeafTargets};
use rayon::prelude::*;
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Complexes in a leaf.
pub const LEAF_SIZE: usize = LEAF;

/// Most bytes on disk of a store that is kept in memory once it was read; it takes some ten times as many there.
const KEPT: u64 = 1 << 24;

/// Measures on disk.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    header: StoreHeader,
    leaves: Vec<PathBuf>,
    kept: Option<Vec<OnceLock<Vec<ComplexMeasures>>>>,
}

impl Store {
    /// Whether a folder is a store, whole or not.
    #[must_use]
    pub fn is_store(path: &Path) -> bool {
        path.join(header::FILE).is_file()
    }

    /// Opens a store that is whole. Leaves are read when they are wanted.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when it is no store, of another version, or has leaves missing.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let header = StoreHeader::read(path)?;
        let found = write::leaves_in(path, header.n_leaves())?;
        let there = found.iter().flatten().count();
        if let Some(first) = found.iter().position(Option::is_none) {
            let (path, expected) = (path.to_owned(), found.len());
            return Err(StoreError::Incomplete { path, found: there, expected, first });
        }
        let leaves: Vec<PathBuf> = found.into_iter().flatten().collect();
        let mut store = Self { path: path.to_owned(), header, leaves, kept: None };
        if store.bytes() <= KEPT {
            store.kept = Some(store.leaves.iter().map(|_| OnceLock::new()).collect());
        }
        Ok(store)
    }

    /// Bytes of all leaves on disk.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let size = |leaf: &PathBuf| std::fs::metadata(leaf).map_or(0, |metadata| metadata.len());
        self.leaves.iter().map(size).sum()
    }

    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What it holds.
    #[must_use]
    pub fn header(&self) -> &StoreHeader {
        &self.header
    }

    /// Number of leaves.
    #[must_use]
    pub fn n_leaves(&self) -> usize {
        self.leaves.len()
    }

    /// Targets and names of all complexes; names are empty where there are none.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when a leaf cannot be read.
    pub fn labels(&self) -> Result<(Targets, Vec<String>), StoreError> {
        let all: Vec<Result<Leaf, StoreError>> = (0..self.n_leaves())
            .into_par_iter()
            .map(|k| Ok(Leaf { measures: Vec::new(), ..self.read(k)? }))
            .collect();
        let (mut classes, mut reals, mut ids) = (Vec::new(), Vec::new(), Vec::new());
        for leaf in all {
            let leaf = leaf?;
            match leaf.targets {
                LeafTargets::None => {}
                LeafTargets::Classes(labels) => classes.extend(labels),
                LeafTargets::Real(values) => reals.extend(values),
            }
            ids.extend(leaf.ids);
        }
        let targets = match &self.header.targets {
            TargetKind::None => Targets::None,
            TargetKind::Classes(names) => Targets::Classes { names: names.clone(), labels: classes },
            TargetKind::Real => Targets::Real(reals),
        };
        Ok((targets, ids))
    }

    /// Leaf `k`: measures, targets and names of [`LEAF_SIZE`] complexes, or fewer in the last.
    ///
    /// # Errors
    ///
    /// [`StoreError`] when it cannot be read.
    ///
    /// # Panics
    ///
    /// When there is no leaf `k`.
    pub fn leaf(&self, k: usize) -> Result<(Measured, Targets, Vec<String>), StoreError> {
        let Leaf { measures, ids, targets, unknown } = self.read(k)?;
        let targets = match (targets, &self.header.targets) {
            (LeafTargets::Classes(labels), TargetKind::Classes(names)) => {
                Targets::Classes { names: names.clone(), labels }
            }
            (LeafTargets::Real(values), _) => Targets::Real(values),
            _ => Targets::None,
        };
        Ok((Measured { measures, unknown, weights: None }, targets, ids))
    }

    fn read(&self, k: usize) -> Result<Leaf, StoreError> {
        let path = &self.leaves[k];
        let bytes = std::fs::read(path).map_err(|error| StoreError::io(path, error))?;
        if write::sum_in(path) != Some(hex(&bytes)) {
            return Err(StoreError::damaged(path, "the bytes do not have the checksum of the name"));
        }
        let leaf = Leaf::from_bytes(bytes).map_err(|fault| StoreError::damaged(path, fault))?;
        let expected = LEAF.min(self.header.complexes - k * LEAF);
        let fits = match (&leaf.targets, &self.header.targets) {
            (LeafTargets::None, TargetKind::None) => true,
            (LeafTargets::Classes(labels), TargetKind::Classes(names)) => {
                labels.len() == expected && labels.iter().all(|&label| (label as usize) < names.len())
            }
            (LeafTargets::Real(values), TargetKind::Real) => {
                values.len() == expected && values.iter().all(|value| value.is_finite())
            }
            _ => false,
        };
        if leaf.measures.len() != expected || !fits {
            let fault = format!("{} complexes, expected {expected} with targets", leaf.measures.len());
            return Err(StoreError::damaged(path, fault));
        }
        Ok(leaf)
    }

    /// The measures of leaf `k` at the places `within`.
    fn some(&self, k: usize, within: &[usize]) -> Result<Vec<Cow<'_, ComplexMeasures>>, StoreError> {
        let Some(kept) = &self.kept else {
            let mut all: Vec<Option<ComplexMeasures>> =
                self.read(k)?.measures.into_iter().map(Some).collect();
            let last = |n: usize| within[n + 1..].iter().all(|i| *i != within[n]);
            let one = |(n, &i): (usize, &usize)| {
                let found = if last(n) { all[i].take() } else { all[i].clone() };
                Cow::Owned(found.expect("it is taken when it is wanted for the last time"))
            };
            return Ok(within.iter().enumerate().map(one).collect());
        };
        let measures = match kept[k].get() {
            Some(measures) => measures,
            None => {
                let read = self.read(k)?.measures;
                kept[k].get_or_init(|| read)
            }
        };
        Ok(within.iter().map(|&i| Cow::Borrowed(&measures[i])).collect())
    }
}

impl MeasureSource for Store {
    fn len(&self) -> usize {
        self.header.complexes
    }

    fn load(&self, indices: &[usize]) -> Result<Vec<Cow<'_, ComplexMeasures>>, ModelError> {
        if let Some(&index) = indices.iter().find(|&&index| index >= self.len()) {
            return Err(ModelError::Index { index, len: self.len() });
        }
        // Each leaf is read once for a run of indices in it.
        let runs: Vec<&[usize]> = indices.chunk_by(|a, b| a / LEAF == b / LEAF).collect();
        let one = |run: &&[usize]| {
            let within: Vec<usize> = run.iter().map(|i| i % LEAF).collect();
            self.some(run[0] / LEAF, &within)
        };
        let found: Vec<Result<Vec<_>, StoreError>> = match runs.len() {
            1 => runs.iter().map(one).collect(),
            _ => runs.par_iter().map(one).collect(),
        };
        let mut all = Vec::with_capacity(indices.len());
        for part in found {
            all.extend(part?);
        }
        Ok(all)
    }

    fn scratch(&self) -> Option<&Path> {
        Some(&self.path)
    }
}

/// Measures as the bytes of a Parquet file, the columns of which are those of a leaf.
///
/// # Errors
///
/// [`StoreError::Io`] when they are too many for one file.
pub fn measures_to_bytes(measures: Vec<ComplexMeasures>) -> Result<Vec<u8>, StoreError> {
    let leaf = Leaf { measures, ids: Vec::new(), targets: LeafTargets::None, unknown: 0 };
    leaf.to_bytes().map_err(|fault| StoreError::io(Path::new("measures"), fault))
}

/// The measures of the bytes that [`measures_to_bytes`] gave.
///
/// # Errors
///
/// [`StoreError::Damaged`] for other bytes.
pub fn measures_from_bytes(bytes: Vec<u8>) -> Result<Vec<ComplexMeasures>, StoreError> {
    let leaf = Leaf::from_bytes(bytes).map_err(|fault| StoreError::damaged(Path::new("measures"), fault))?;
    Ok(leaf.measures)
}

/// SHA-256 as text.
fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests;
