//! Signals: real values on the cells of one dimension, `[n_cells, n_channels]`.
//!
//! A channel on cells of dimension 1 or more is either *oriented* (a flow: reversing the cell flips the
//! sign) or *unoriented* (a bond type, a distance). Which it is decides how its energy is measured, so every
//! channel declares it. Vertices have no orientation and the distinction does not matter there.

use crate::linalg::SparseMat;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Whether a value changes sign when its cell is reversed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Orientation {
    /// A cochain, such as a flow along an edge: the sign follows the orientation of the cell.
    Oriented,
    /// A plain number of the cell, such as a length or a type: no sign to follow.
    Unoriented,
}

/// Names and orientations of the channels of a signal, shared by all complexes of a dataset.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Channels {
    names: Vec<String>,
    orientations: Vec<Orientation>,
}

impl Channels {
    /// Channels from `(name, orientation)` pairs.
    pub fn new(channels: impl IntoIterator<Item = (String, Orientation)>) -> Arc<Self> {
        let (names, orientations) = channels.into_iter().unzip();
        Arc::new(Self { names, orientations })
    }

    /// `count` channels of one orientation, named by their number.
    #[must_use]
    pub fn numbered(count: usize, orientation: Orientation) -> Arc<Self> {
        Self::new((0..count).map(|d| (d.to_string(), orientation)))
    }

    /// Number of channels.
    #[must_use]
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there is no channel.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Name of channel `d`.
    #[must_use]
    pub fn name(&self, d: usize) -> &str {
        &self.names[d]
    }

    /// Orientation of channel `d`.
    #[must_use]
    pub fn orientation(&self, d: usize) -> Orientation {
        self.orientations[d]
    }
}

/// Values on the cells of one dimension of one complex, finite, stored by channel without the zeros: one-hot
/// signals cost one number per cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Signal {
    values: SparseMat, // [n_cells, n_channels]
    channels: Arc<Channels>,
}

impl Signal {
    /// A signal from a sparse matrix `[n_cells, n_channels]`.
    ///
    /// # Errors
    ///
    /// [`SignalError`] when a value is not finite or the number of channels differs.
    pub fn new(values: SparseMat, channels: Arc<Channels>) -> Result<Self, SignalError> {
        if values.n_cols() != channels.len() {
            return Err(SignalError::Channels { expected: channels.len(), found: values.n_cols() });
        }
        for channel in 0..values.n_cols() {
            if let Some((cell, value)) = values.entries(channel).find(|(_, v)| !v.is_finite()) {
                return Err(SignalError::NotFinite { cell, channel, value });
            }
        }
        Ok(Self { values, channels })
    }

    /// A signal from its values row by row, `[n_cells, n_channels]`, all channels of one orientation and named
    /// by their number.
    ///
    /// # Errors
    ///
    /// [`SignalError`] when a value is not finite or `values` is not a whole number of rows.
    pub fn from_row_major(
        n_cells: usize,
        n_channels: usize,
        values: &[f64],
        orientation: Orientation,
    ) -> Result<Self, SignalError> {
        if values.len() != n_cells * n_channels {
            return Err(SignalError::Length { expected: n_cells * n_channels, found: values.len() });
        }
        // NaN and infinities count as entries, so `new` sees them.
        let sparse = SparseMat::from_row_major(n_cells, n_channels, values);
        Self::new(sparse, Channels::numbered(n_channels, orientation))
    }

    /// Number of cells.
    #[must_use]
    pub fn n_cells(&self) -> usize {
        self.values.n_rows()
    }

    /// Number of channels.
    #[must_use]
    pub fn n_channels(&self) -> usize {
        self.values.n_cols()
    }

    /// Names and orientations of the channels.
    #[must_use]
    pub fn channels(&self) -> &Arc<Channels> {
        &self.channels
    }

    /// The values, `[n_cells, n_channels]`.
    #[must_use]
    pub fn values(&self) -> &SparseMat {
        &self.values
    }
}

/// What can be wrong with the values of a signal.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SignalError {
    /// A value is NaN or infinite.
    #[error("value of cell {cell} in channel {channel} is {value}, expected a finite number")]
    NotFinite {
        /// Index of the cell.
        cell: usize,
        /// Index of the channel.
        channel: usize,
        /// What was found.
        value: f64,
    },
    /// The values and the description disagree about the number of channels.
    #[error("signal has {found} channels, but {expected} are described")]
    Channels {
        /// Channels described.
        expected: usize,
        /// Channels found.
        found: usize,
    },
    /// A row-major slice has the wrong length.
    #[error("signal has {found} values, expected {expected} (cells times channels)")]
    Length {
        /// Values expected.
        expected: usize,
        /// Values found.
        found: usize,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_is_not_finite_is_named() {
        let error =
            Signal::from_row_major(2, 2, &[0.0, 1.0, f64::NAN, 1.0], Orientation::Oriented).unwrap_err();
        assert_eq!(error.to_string(), "value of cell 1 in channel 0 is NaN, expected a finite number");
    }

    #[test]
    fn a_slice_of_the_wrong_length_is_refused() {
        let error = Signal::from_row_major(2, 2, &[0.0; 3], Orientation::Oriented).unwrap_err();
        assert_eq!(error.to_string(), "signal has 3 values, expected 4 (cells times channels)");
    }
}
