//! Hodge theory of a complex: weighted operators, Laplacians, spectra and the decomposition of signals.
//!
//! With positive weights `M_k` on the cells, every `B_k` is replaced by `B̃_k = M_{k−1}^{−1/2} B_k M_k^{1/2}`;
//! `B̃_k B̃_{k+1} = 0` still holds, and nothing else changes. The combinatorial operators have all weights 1; every
//! normalization and metric is a choice of `M_k`: see [`Weighting`], [`metric_weights`] and
//! [`CellWeights`](crate::complex::CellWeights).

mod decompose;
mod laplacian;
mod metric;
mod operators;
mod shares;
mod spectrum;
mod weighting;

pub use decompose::{Decomposition, decompose};
pub use laplacian::{Term, laplacian};
pub use metric::{DualArea, MIN_EDGE_WEIGHT, MetricError, metric_weights, unit_metric_weights};
pub use operators::Operators;
pub use shares::{cell_shares, edge_shares};
pub use spectrum::{BoundarySpectrum, Side, Spectrum, betti_numbers, spectrum};
pub(crate) use spectrum::{count_zeros, gram_entries, smaller_side, zero_tolerance};
pub use weighting::{Variable, Weighting};

use crate::complex::WeightError;
use serde::{Deserialize, Serialize};

/// One of the three orthogonal parts of the signals on the cells of one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HodgeComponent {
    /// The image of `B_kᵀ`; on edges, gradients. Vertices have none.
    Exact,
    /// The image of `B_{k+1}`; on edges, curls.
    Coexact,
    /// The kernel of `L_k`; its dimension is the Betti number.
    Harmonic,
}

impl HodgeComponent {
    /// All three, in the order of blocks.
    pub const ALL: [Self; 3] = [Self::Exact, Self::Coexact, Self::Harmonic];
}

impl std::fmt::Display for HodgeComponent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Exact => "exact",
            Self::Coexact => "co-exact",
            Self::Harmonic => "harmonic",
        })
    }
}

/// What can go wrong with signals on a complex and their spectra.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum HodgeError {
    /// The signal and the complex disagree about the number of cells.
    #[error("signal has {found} rows, but the complex has {expected} cells of dimension {dim}")]
    Rows {
        /// Dimension of the cells.
        dim: usize,
        /// Number of cells.
        expected: usize,
        /// Rows of the signal.
        found: usize,
    },
    /// A signal that does not follow the orientation of its cells has no components of its own.
    #[error(
        "channel {channel} on cells of dimension {dim} is unoriented and has no Hodge components as a signal"
    )]
    Unoriented {
        /// Dimension of the cells.
        dim: usize,
        /// Name of the channel.
        channel: String,
    },
    /// The weights do not fit the complex.
    #[error(transparent)]
    Weights(#[from] WeightError),
    /// Eigenvalues that did not converge.
    #[error(transparent)]
    NotConverged(#[from] crate::linalg::NotConverged),
    /// Matrices that do not fit in memory.
    #[error(transparent)]
    NoMemory(#[from] crate::linalg::NoMemory),
    /// Values so large that their squares are infinite.
    #[error("energies of a signal on cells of dimension {dim} are not finite; its values are too large")]
    Overflow {
        /// Dimension of the cells.
        dim: usize,
    },
}

impl HodgeError {
    /// A suggested fix, where there is one.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Unoriented { .. } => {
                Some("ask for its energies, which are averaged over orientations, or declare it oriented")
            }
            Self::Overflow { .. } => Some("rescale the signal"),
            Self::NoMemory(_) => Some("take spectra by quadrature: --spectra lanczos"),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_user_can_change_has_a_hint() {
        let unoriented = HodgeError::Unoriented { dim: 1, channel: "flow".to_owned() };
        assert!(unoriented.hint().unwrap().contains("declare it oriented"));
        assert_eq!(HodgeError::Overflow { dim: 0 }.hint(), Some("rescale the signal"));
        assert_eq!(HodgeError::Rows { dim: 0, expected: 1, found: 2 }.hint(), None);
    }
}
