//! What can be wrong with an encoding, or with a dataset to be encoded.

use crate::dataset::{DatasetError, WHOLE};

/// Where a column is.
fn place(dim: usize) -> String {
    match dim {
        WHOLE => "of the graphs as a whole".to_owned(),
        _ => format!("on cells of dimension {dim}"),
    }
}

/// What can be wrong with an encoding, or with a dataset to be encoded.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// The parts of a dataset do not fit together.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    /// A complex that does not exist.
    #[error("complex {index}, but the dataset has {len}")]
    Index {
        /// The complex named.
        index: usize,
        /// Number of complexes.
        len: usize,
    },
    /// Labels and attributes are asked for where there are none.
    #[error("the dataset has neither labels nor attributes on cells of dimension {dim}")]
    NoColumns {
        /// Dimension of the cells.
        dim: usize,
    },
    /// The reference's range of degrees is empty and there are no labels or attributes.
    #[error("no vertex channel is left: the range of degrees ends at {max_degree} and there are no columns")]
    NoChannels {
        /// The 99th percentile of the training degrees, or what was asked for in its place.
        max_degree: u32,
    },
    /// More channels than an encoding may have.
    #[error("{found} channels on cells of dimension {dim}, but at most {limit} are encoded", limit = super::MAX_CHANNELS)]
    TooManyChannels {
        /// Dimension of the cells.
        dim: usize,
        /// Channels needed.
        found: usize,
    },
    /// An encoding that wants degrees of cells that are not vertices.
    #[error("degrees on cells of dimension {dim}, but only vertices have them")]
    DegreeDim {
        /// Dimension of the cells.
        dim: usize,
    },
    /// A column that is not the same in all parts of a dataset.
    #[error("column `{name}` of dimension {dim} is not the same in all parts of the dataset")]
    Parts {
        /// Dimension of the cells.
        dim: usize,
        /// Name of the column.
        name: String,
    },
    /// A column the encoding was fitted with is not in this dataset.
    #[error("the dataset has no column `{name}` {}", place(*dim))]
    MissingColumn {
        /// Dimension of the cells.
        dim: usize,
        /// Name of the column.
        name: String,
    },
    /// A column differs from the one the encoding was fitted with.
    #[error("column `{name}` of dimension {dim} holds {found}, expected {expected}")]
    OtherColumn {
        /// Dimension of the cells.
        dim: usize,
        /// Name of the column.
        name: String,
        /// What it held when the encoding was fitted.
        expected: String,
        /// What it holds here.
        found: String,
    },
}
