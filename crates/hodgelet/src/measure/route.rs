//! Which way spectra are taken: eigenpairs or quadrature.

use crate::choice::choices;
use crate::hodge::Weighting;
use serde::{Deserialize, Serialize};

choices! {
    /// How the energies of a complex are found.
    pub enum Spectra {
        /// Eigenpairs where they are affordable, quadrature of large blocks.
        #[default]
        Auto,
        /// Eigenpairs, whatever they cost.
        Dense,
        /// Lanczos quadrature of every block, however small.
        Lanczos,
    }
}

/// Size of the largest eigenproblem of a complex that is solved whole, beside others of its size.
const MAX_WHOLE: usize = 200;

/// Size of blocks up to which eigenpairs are always taken.
const ALWAYS_DENSE: usize = 500;

/// Square of the size of a block, for each channel, up to which eigenpairs cost less: `n³` operations for all channels
/// against `m² n` for each, with the hundred steps `m` that most signals take. Measured on the graphs of DD (50 channels)
/// and REDDIT-BINARY (10 channels).
const SQUARE_PER_CHANNEL: usize = 40_000;

/// Size of blocks up to which eigenpairs are taken where channels are averaged over orientations: quadrature has an
/// estimate of those only.
const DENSE_AVERAGED: usize = 2000;

impl Spectra {
    /// Whether a complex is solved whole if its largest eigenproblem has this size.
    pub(super) fn solves_whole(self, size: usize) -> bool {
        self != Self::Lanczos && size <= MAX_WHOLE
    }

    /// Whether energies over a block come from quadrature, for so many channels that are plain and averaged.
    pub(super) fn takes_quadrature(self, size: usize, plain: usize, averaged: usize) -> bool {
        match self {
            Self::Auto if averaged > 0 => size > DENSE_AVERAGED,
            Self::Auto => size > ALWAYS_DENSE && size.saturating_mul(size) > SQUARE_PER_CHANNEL * plain,
            Self::Dense => false,
            Self::Lanczos => true,
        }
    }
}

/// How complexes are measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MeasureParams {
    /// Which Laplacian, for complexes without weights of their own.
    pub weighting: Weighting,
    /// Eigenpairs or quadrature.
    pub spectra: Spectra,
}

impl From<Weighting> for MeasureParams {
    fn from(weighting: Weighting) -> Self {
        Self { weighting, spectra: Spectra::Auto }
    }
}
