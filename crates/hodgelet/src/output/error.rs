//! What can stand in the way of a file.

use std::path::PathBuf;

/// Why a file is not written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OutputError {
    /// The system refuses.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// The place is one of the files that are read.
    #[error("{}: is read by this command, and would be replaced by its result", path.display())]
    IsInput {
        /// The file.
        path: PathBuf,
    },
    /// The place holds something of another kind.
    #[error("{}: holds {found}, and {expected} would replace it", path.display())]
    OtherKind {
        /// The file.
        path: PathBuf,
        /// What it holds.
        found: &'static str,
        /// What was to be written.
        expected: &'static str,
    },
    /// The file may not be written.
    #[error("{}: is read-only", path.display())]
    ReadOnly {
        /// The file.
        path: PathBuf,
    },
    /// The file has other names, which would keep the old content.
    #[error("{}: has {names} names (hard links), of which one would change", path.display())]
    HardLinks {
        /// The file.
        path: PathBuf,
        /// Number of names.
        names: u64,
    },
    /// The place is a folder.
    #[error("{}: is a folder, expected a file", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
    },
}

impl OutputError {
    /// Whether [`forced`](super::Output::forced) would help.
    #[must_use]
    pub fn can_be_forced(&self) -> bool {
        matches!(self, Self::OtherKind { .. } | Self::ReadOnly { .. } | Self::HardLinks { .. })
    }
}
