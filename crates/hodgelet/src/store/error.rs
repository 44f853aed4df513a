//! What can go wrong with a store.

use crate::dataset::SAMPLE_WEIGHT;
use crate::model::ModelError;
use std::path::{Path, PathBuf};

/// What can go wrong with a store of measures.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// A file could not be read or written.
    #[error("{}: {fault}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        fault: String,
    },
    /// A file is not what the store needs.
    #[error("{}: {fault}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        fault: String,
    },
    /// A store of another version.
    #[error("{}: a store of version {found}, expected {expected}", path.display())]
    Version {
        /// The store.
        path: PathBuf,
        /// Its version.
        found: u64,
        /// The version that is read.
        expected: u64,
    },
    /// A folder that holds something else.
    #[error("{}: a folder that holds other files, expected a store or a new folder", path.display())]
    NotAStore {
        /// The folder.
        path: PathBuf,
    },
    /// Leaves are missing.
    #[error("{}: {found} of {expected} leaves, the first missing is {first}", path.display())]
    Incomplete {
        /// The store.
        path: PathBuf,
        /// Leaves that are there.
        found: usize,
        /// Leaves that should be.
        expected: usize,
        /// The first that is not.
        first: usize,
    },
    /// Complexes that count differently, which a store cannot say.
    #[error("{}: the dataset has a column `{SAMPLE_WEIGHT}`, which a store does not keep", path.display())]
    Weights {
        /// The store.
        path: PathBuf,
    },
    /// What is to be measured is not what the store holds.
    #[error("{}: the store has {what} {found}, expected {expected}", path.display())]
    Differs {
        /// The store.
        path: PathBuf,
        /// In what they differ.
        what: String,
        /// What the store has.
        found: String,
        /// What was asked for.
        expected: String,
    },
}

impl StoreError {
    pub(super) fn io(path: &Path, error: impl std::fmt::Display) -> Self {
        Self::Io { path: path.to_owned(), fault: error.to_string() }
    }

    pub(super) fn damaged(path: &Path, fault: impl std::fmt::Display) -> Self {
        Self::Damaged { path: path.to_owned(), fault: fault.to_string() }
    }

    /// A way out, where there is one.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Damaged { .. } => Some("delete the file and measure again: the rest of the store is kept"),
            Self::Incomplete { .. } => Some("measure again into the same store: what is there is kept"),
            Self::Version { .. } => Some("measure again into a new store"),
            Self::Differs { .. } => Some("give the settings of the store, or measure into a new one"),
            Self::NotAStore { .. } => Some("name a folder that does not exist yet"),
            Self::Weights { .. } => Some("fit the dataset itself, or take the column out"),
            Self::Io { .. } => None,
        }
    }
}

impl From<StoreError> for ModelError {
    fn from(error: StoreError) -> Self {
        let hint = error.hint().map(|hint| format!(" ({hint})")).unwrap_or_default();
        Self::Store { fault: format!("{error}{hint}") }
    }
}
