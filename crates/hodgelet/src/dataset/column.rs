//! Columns: a label or a vector of attributes on every cell of one dimension.

use super::{DatasetError, gram, running_sums, weights};
use crate::signal::Orientation;
use serde::{Deserialize, Serialize};

/// Highest dimension of a column; complexes in use stay far below it.
pub const MAX_DIM: usize = 64;

/// In place of a dimension: the column is of complexes as a whole. Numbers are one row for each complex; labels are any
/// number of tags, counted with their repetitions: a fingerprint.
pub const WHOLE: usize = MAX_DIM + 1;

/// A label or a vector of attributes on every cell of one dimension, over all complexes of a dataset.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Column {
    /// Name, unique within a dimension.
    pub name: String,
    /// Dimension of the cells, at most [`MAX_DIM`], or [`WHOLE`].
    pub dim: usize,
    /// Whether attributes follow the orientation of their cells; labels never do.
    pub orientation: Orientation,
    /// Where each complex starts among the cells, `[n_complexes + 1]`.
    pub starts: Vec<usize>,
    /// The values, cell after cell, complex after complex.
    pub values: ColumnValues,
}

/// Values of a [`Column`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ColumnValues {
    /// One category per cell.
    Labels {
        /// Names of the categories, in a fixed order.
        categories: Vec<String>,
        /// Category of each cell, an index into `categories`.
        codes: Vec<u32>,
    },
    /// A vector of finite reals per cell, row by row.
    Real {
        /// Names of the channels.
        channels: Vec<String>,
        /// `[n_cells, n_channels]`, row-major.
        values: Vec<f64>,
    },
}

impl Column {
    /// The cells of complex `i` among all cells of the column.
    ///
    /// # Panics
    ///
    /// When there is no complex `i`.
    #[must_use]
    pub fn cells(&self, i: usize) -> std::ops::Range<usize> {
        self.starts[i]..self.starts[i + 1]
    }

    /// The column of the complexes `indices`, in that order.
    ///
    /// # Panics
    ///
    /// When an index is out of range, or the column is not one of a [`Dataset`](super::Dataset) and inconsistent.
    #[must_use]
    pub fn select(&self, indices: &[usize]) -> Self {
        let starts = running_sums(indices.iter().map(|&i| self.cells(i).len()));
        let values = match &self.values {
            ColumnValues::Labels { categories, codes } => ColumnValues::Labels {
                categories: categories.clone(),
                codes: indices.iter().flat_map(|&i| codes[self.cells(i)].iter().copied()).collect(),
            },
            ColumnValues::Real { channels, values } => {
                let width = channels.len();
                let rows = |i: usize| self.cells(i).start * width..self.cells(i).end * width;
                ColumnValues::Real {
                    channels: channels.clone(),
                    values: indices.iter().flat_map(|&i| values[rows(i)].iter().copied()).collect(),
                }
            }
        };
        Self { name: self.name.clone(), dim: self.dim, orientation: self.orientation, starts, values }
    }

    pub(super) fn error(&self, fault: impl Into<String>) -> DatasetError {
        DatasetError::Column { name: self.name.clone(), dim: self.dim, fault: fault.into() }
    }

    /// Validates that the column fits cells that start at `starts` and that all its numbers are finite.
    pub(super) fn check(&self, starts: &[usize]) -> Result<(), DatasetError> {
        if self.dim > WHOLE {
            return Err(self.error(format!("exceeds the highest dimension, {MAX_DIM}")));
        }
        let tags = self.dim == WHOLE && matches!(self.values, ColumnValues::Labels { .. });
        let ascends = self.starts.first() == Some(&0) && self.starts.is_sorted();
        if tags && !(ascends && self.starts.len() == starts.len()) {
            return Err(self.error("does not have tags of each complex, one after the other"));
        }
        if !tags && self.starts != starts {
            return Err(self.error("does not start where the cells of each complex do"));
        }
        let n_cells = if tags { &self.starts } else { starts }.last().copied().unwrap_or(0);
        let (expected, found) = match &self.values {
            ColumnValues::Labels { categories, codes } => {
                if let Some(code) = codes.iter().find(|&&code| code as usize >= categories.len()) {
                    return Err(self.error(format!("has category {code} of {}", categories.len())));
                }
                (Some(n_cells), codes.len())
            }
            ColumnValues::Real { channels, values } => {
                if let Some(value) = values.iter().find(|v| !v.is_finite()) {
                    return Err(self.error(format!("has the value {value}, expected finite numbers")));
                }
                (n_cells.checked_mul(channels.len()), values.len())
            }
        };
        match expected {
            Some(expected) if found == expected => Ok(()),
            Some(expected) => Err(self.error(format!("has {found} values, expected {expected}"))),
            None => Err(self.error(format!("has {found} values, expected more than can be counted"))),
        }
    }

    /// As [`check`](Self::check), for a column of a dataset, where one name is that of weights.
    pub(super) fn check_in_dataset(&self, starts: &[usize]) -> Result<(), DatasetError> {
        self.check(starts)?;
        match self.is_weights() {
            true if self.dim == WHOLE => Err(self.error("is of weights, which cells have")),
            true => weights::check_weights(self),
            false if self.is_sample_weight() => weights::check_weights(self),
            false if self.is_gram() => gram::check_gram(self),
            false => Ok(()),
        }
    }
}
