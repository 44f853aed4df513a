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
const MAX_WHOLE: usize = 300;

/// Size of the largest block that is solved by eigenpairs: with channels on both sides, and where some are averaged over
/// orientations, of which quadrature has an estimate only.
const MAX_DENSE: usize = 500;
const MAX_DENSE_AVERAGED: usize = 2000;

impl Spectra {
    /// Whether a complex is solved whole if its largest eigenproblem has this size.
    pub(super) fn solves_whole(self, size: usize) -> bool {
        self != Self::Lanczos && size <= MAX_WHOLE
    }

    /// Whether energies over a block come from quadrature.
    pub(super) fn takes_quadrature(self, n_rows: usize, n_cols: usize, plain: usize, averaged: usize) -> bool {
        let _ = plain;
        match self {
            Self::Auto => n_rows.min(n_cols) > if averaged > 0 { MAX_DENSE_AVERAGED } else { MAX_DENSE },
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
