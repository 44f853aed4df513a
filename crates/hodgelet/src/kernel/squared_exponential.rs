//! Squared exponential: `k(D) = exp(−D/2)`, [Alain24] Eq. (8).

use crate::linalg::simd::{exp, vectorized};

/// `values = k(D)` for squared distances `D`.
pub(super) fn values(distances: &[f64], values: &mut [f64]) {
    vectorized(
        #[inline(always)]
        || {
            for (value, &d) in values.iter_mut().zip(distances) {
                *value = exp(-0.5 * d);
            }
        },
    );
}

/// `weights ← weights · k'(D)`, where `k' = −k/2`.
pub(super) fn slopes(values: &[f64], weights: &mut [f64]) {
    vectorized(
        #[inline(always)]
        || {
            for (weight, &value) in weights.iter_mut().zip(values) {
                *weight *= -0.5 * value;
            }
        },
    );
}
