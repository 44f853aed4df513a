//! Fetches datasets of the TU collection, and the releases of MANTRA, into a directory: resumable, verified, atomic.
//!
//! Manifolds of MANTRA are `mantra-2d.json.gz` and `mantra-3d.json.gz`; what follows holds of them with that ending.
//!
//! `<base>/<NAME>.zip` is received into `NAME.zip.part`, verified, and renamed to `NAME.zip` at the end; a file of
//! that name is therefore always whole. When a transfer breaks off, the part stays, with a note of where it came
//! from in `NAME.zip.part.json`, and the next one continues it, provided that the server says (by an entity tag or a
//! date) that the file is still the same; otherwise it starts over.
//!
//! # What is verified
//!
//! - The number of bytes, where the server announces it.
//! - That the file is a zip archive whose entries can all be read and have the checksums (CRC-32) it records.
//! - A SHA-256 checksum, from the first of these sources there is: the one given; the file `<NAME>.zip.sha256`
//!   beside the archive on the server. The collection publishes none.
//! - Of MANTRA, that the file is whole and holds manifolds of the dimension; releases differ in how many.
//! - Of the common datasets, the SHA-256 of the files inside, where it is pinned (`pins.txt`), and the number of graphs and
//!   classes and the mean number of vertices: another dataset under this name is refused.
//! - That no more arrives than the server announced, or than 1 GiB where it announces nothing.
//! - After the first download the checksum is written to `NAME.zip.sha256`, in the format of `sha256sum`. A later
//!   call finds the archive and verifies it against that, so damage on the disk is noticed.
//!
//! Of two downloads of one dataset to one directory, the second is told that there is another.

mod catalog;
mod content;
mod error;
mod fetch;
mod files;
mod lock;
mod params;
mod place;
mod transfer;
mod verify;

pub use catalog::{KNOWN_DATASETS, KnownDataset};
pub use error::DownloadError;
pub use params::{CheckedDownload, DownloadParams};
pub use place::{DEFAULT_BASE_URL, MANTRA_BASE_URL};

use std::path::PathBuf;

/// How far a download has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Bytes on the disk.
    pub received: u64,
    /// Bytes in all, where the server says.
    pub total: Option<u64>,
    /// Attempts so far, the current one included.
    pub attempt: u32,
}

/// A dataset that is in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Downloaded {
    /// The archive.
    pub path: PathBuf,
    /// Its SHA-256 checksum, in lower-case hexadecimal.
    pub sha256: String,
    /// Where a checksum to compare with came from.
    pub compared_with: ChecksumSource,
    /// Whether the archive was there before.
    pub was_there: bool,
}

/// Where the checksum that an archive was compared with came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChecksumSource {
    /// The caller gave it.
    Given,
    /// The server had it beside the archive.
    Server,
    /// It was written after an earlier download.
    Recorded,
    /// There was none: only the length and the archive's own checksums were verified.
    Nowhere,
}

#[cfg(test)]
mod tests;
