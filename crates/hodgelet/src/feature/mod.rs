//! Hodgelet features: energy measures and a bank of filters become the vector of a complex.
//!
//! Features come in blocks, one per dimension and Hodge component, because each block has its own bank and its
//! own kernel. Within a block, the feature of channel `d` and filter `j` is the norm of the wavelet coefficients,
//! `s_dj = √(Σ_n w_j(λ_n)² E_nd + 10⁻¹²)`, in column `d W + j`. Signed features, of a complex that all items share, are
//! a block of their own. Refined labels and distributions of values
//! are blocks without columns, or without filters.

mod block;
mod fourier;
mod gram;
mod labels;
mod measures;
mod nodes;
mod own;
mod signed;
mod standardize;
mod values;
mod wavelet;

pub use block::{Block, Component};
pub use fourier::{FourierError, FourierPoints};
pub use gram::GramMap;
pub use labels::LabelWeights;
pub use measures::BlockMeasures;
pub(crate) use measures::MeasureParts;
pub use own::{Counts, TableScaling};
pub use signed::{SignedBasis, SignedError, SignedParams, fingerprint, signed_features};
pub use standardize::Standardizer;
pub use values::ValueEmbedding;
pub use wavelet::{WaveletTape, harmonic_features, wavelet_features};

/// Added under the root: the norm has no derivative at zero. Signals are in units of the training signals, see
/// [`BlockMeasures::units`], unless a model keeps the published settings.
pub const ENERGY_FLOOR: f64 = 1e-12;
