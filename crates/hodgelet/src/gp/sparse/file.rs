//! Leaves on disk: covariances that are too many for memory, written once and read again in every pass.

use super::leaf::Leaf;
use crate::likelihood::Observations;
use faer::Mat;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// Bytes of a number.
const BYTES: usize = size_of::<f64>();

/// Whitened covariances of leaves in a file without a name, which is gone when this value is.
#[derive(Debug)]
pub struct LeafFile {
    file: File,
    len: u64,
    leaves: Vec<Held>,
}

/// What is small of a leaf, and where the rest begins.
#[derive(Debug)]
struct Held {
    begin: u64,
    n_inducing: usize,
    residual: Vec<f64>,
    observations: Observations,
}

impl LeafFile {
    /// A file without leaves, in the folder `folder`.
    ///
    /// # Errors
    ///
    /// When nothing can be written there.
    pub fn new(folder: &Path) -> io::Result<Self> {
        Ok(Self { file: tempfile::tempfile_in(folder)?, len: 0, leaves: Vec::new() })
    }

    /// Writes a leaf behind those that are there.
    ///
    /// # Errors
    ///
    /// When it cannot be written; the file should not be used any more.
    pub fn push(&mut self, leaf: Leaf) -> io::Result<()> {
        let Leaf { projected, residual, observations } = leaf;
        let (n_inducing, n) = projected.shape();
        let mut bytes = vec![0u8; BYTES * n_inducing * n];
        for (j, column) in bytes.chunks_exact_mut((BYTES * n_inducing).max(1)).enumerate() {
            let values = column.chunks_exact_mut(BYTES).zip(projected.col_as_slice(j));
            values.for_each(|(bytes, value)| bytes.copy_from_slice(&value.to_le_bytes()));
        }
        self.file.write_all(&bytes)?;
        self.leaves.push(Held { begin: self.len, n_inducing, residual, observations });
        self.len += bytes.len() as u64;
        Ok(())
    }

    /// Leaf `k` with the bits that it was written with, or none where there is no such leaf.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    pub fn get(&self, k: usize) -> io::Result<Option<Leaf>> {
        let Some(held) = self.leaves.get(k) else { return Ok(None) };
        let Held { begin, n_inducing, residual, observations } = held;
        let mut bytes = vec![0u8; BYTES * n_inducing * residual.len()];
        read_at(&self.file, &mut bytes, *begin)?;
        let mut projected = Mat::zeros(*n_inducing, residual.len());
        for (j, column) in bytes.chunks_exact((BYTES * n_inducing).max(1)).enumerate() {
            let values = projected.col_as_slice_mut(j).iter_mut().zip(column.chunks_exact(BYTES));
            values.for_each(|(value, bytes)| {
                *value = f64::from_le_bytes(bytes.try_into().expect("a number has eight bytes"));
            });
        }
        Ok(Some(Leaf { projected, residual: residual.clone(), observations: observations.clone() }))
    }
}

/// Fills `out` from `begin` on, whatever other threads read meanwhile.
#[cfg(unix)]
fn read_at(file: &File, out: &mut [u8], begin: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, out, begin)
}

/// Fills `out` from `begin` on, whatever other threads read meanwhile.
#[cfg(windows)]
fn read_at(file: &File, mut out: &mut [u8], mut begin: u64) -> io::Result<()> {
    while !out.is_empty() {
        let n = std::os::windows::fs::FileExt::seek_read(file, out, begin)?;
        if n == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        (out, begin) = (&mut out[n..], begin + n as u64);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn leaf(n: usize, seed: f64) -> Leaf {
        let projected = Mat::from_fn(7, n, |i, j| (seed + (3 * i + 5 * j) as f64).sin());
        let labels: Vec<u32> = (0..n as u32).map(|i| i % 2).collect();
        Leaf::new(projected, &vec![10.0; n], Observations::classes(2, &labels).unwrap()).unwrap()
    }

    #[test]
    fn leaves_come_back_with_their_bits_in_any_order() {
        let folder = tempfile::tempdir().unwrap();
        let leaves = [leaf(11, 0.1), leaf(11, 0.2), leaf(4, 0.3)];
        let mut file = LeafFile::new(folder.path()).unwrap();
        leaves.iter().for_each(|leaf| file.push(leaf.clone()).unwrap());
        for k in [2, 0, 1, 2] {
            let found = file.get(k).unwrap().unwrap();
            assert_eq!(found.projected, leaves[k].projected);
            assert_eq!(found.residual, leaves[k].residual);
            assert_eq!(found.observations, leaves[k].observations);
        }
        assert!(file.get(3).unwrap().is_none());
        drop(file);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is left behind");
        assert!(LeafFile::new(&folder.path().join("missing")).is_err());
    }
}
