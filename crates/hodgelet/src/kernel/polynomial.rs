//! Polynomial: `k(s) = (s + c)^p` for the inner product `s` of scaled inputs, offset `c` and degree `p`.

use super::KernelError;
use crate::linalg::simd::vectorized;

/// Higher degrees overflow on ordinary data.
const HIGHEST_DEGREE: u32 = 20;

/// A degree, or an error that says which are allowed.
pub(super) fn check(degree: u32) -> Result<(), KernelError> {
    if (1..=HIGHEST_DEGREE).contains(&degree) {
        Ok(())
    } else {
        Err(KernelError::Degree { found: degree, highest: HIGHEST_DEGREE })
    }
}

/// `values = (s + c)^p`.
pub(super) fn values(degree: u32, offset: f64, products: &[f64], values: &mut [f64]) {
    vectorized(
        #[inline(always)]
        || {
            for (value, &s) in values.iter_mut().zip(products) {
                *value = power(s + offset, degree);
            }
        },
    );
}

/// `weights ← weights · p (s + c)^(p−1)`; returns the sum of the old weights times `∂k/∂ln c`.
pub(super) fn slopes(degree: u32, offset: f64, products: &[f64], weights: &mut [f64]) -> f64 {
    vectorized(
        #[inline(always)]
        || {
            for (weight, &s) in weights.iter_mut().zip(products) {
                *weight *= f64::from(degree) * power(s + offset, degree - 1);
            }
        },
    );
    offset * weights.iter().sum::<f64>()
}

#[inline(always)]
fn power(base: f64, exponent: u32) -> f64 {
    (0..exponent).fold(1.0, |product, _| product * base)
}
