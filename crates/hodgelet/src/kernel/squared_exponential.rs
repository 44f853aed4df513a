//! Squared exponential: `k(D) = exp(−D/2)`, [Alain24] Eq. (8).

use crate::linalg::simd::{exp_in_place, vectorized};

/// `values = k(D)` for squared distances `D`.
pub(super) fn values(distances: &[f64], values: &mut [f64]) {
    vectorized(
        #[inline(always)]
        || {
            for (value, &d) in values.iter_mut().zip(distances) {
                *value = -0.5 * d;
            }
        },
    );
    exp_in_place(values);
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
