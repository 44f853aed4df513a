//! Matérn: `k(D) = 2^(1−ν)/Γ(ν) s^ν K_ν(s)` with `s = √(2νD)`, [Alain24] Eq. (9).
//!
//! Half-integer smoothness has closed forms; any other ν goes through the Bessel function. In the squared
//! distance the derivative is `k' = −ν 2^(1−ν)/Γ(ν) s^(ν−1) K_(ν−1)(s)`, infinite at 0 for ν ≤ 1.

use super::KernelError;
use crate::linalg::simd::{exp_in_place, vectorized};
use std::f64::consts::LN_2;

/// Points closer than this many lengthscales count as equal where `k'` is infinite at 0: the gradient there has
/// no direction, and its size would only amplify rounding.
const COINCIDENT: f64 = 1e-10;

/// Smoothness that the Bessel route handles without loss.
const SMOOTHNESS: (f64, f64) = (0.05, 50.0);

/// Beyond this argument every `s^ν K_ν(s)` in range is below 1e-200; the value is set to 0.
const FAR: f64 = 700.0;

/// A smoothness, or an error that says which are allowed.
pub(super) fn check(nu: f64) -> Result<(), KernelError> {
    let (lowest, highest) = SMOOTHNESS;
    if (lowest..=highest).contains(&nu) {
        Ok(())
    } else {
        Err(KernelError::Smoothness { found: nu, lowest, highest })
    }
}

/// ν = 1/2: `k = e^−r`.
pub(super) fn values_12(distances: &[f64], values: &mut [f64]) {
    vectorized(
        #[inline(always)]
        || {
            for (value, &d) in values.iter_mut().zip(distances) {
                *value = -d.sqrt();
            }
        },
    );
    exp_in_place(values);
}

/// ν = 1/2: `k' = −e^−r / 2r`.
pub(super) fn slopes_12(distances: &[f64], values: &[f64], weights: &mut [f64]) {
    vectorized(
        #[inline(always)]
        || {
            for ((weight, &value), &d) in weights.iter_mut().zip(values).zip(distances) {
                let r = d.sqrt();
                let slope = -0.5 * value / if r < COINCIDENT { 1.0 } else { r };
                *weight *= if r < COINCIDENT { 0.0 } else { slope };
            }
        },
    );
}

/// ν = 3/2: `k = (1 + s) e^−s`.
pub(super) fn values_32(distances: &[f64], values: &mut [f64]) {
    vectorized(
        #[inline(always)]
        || {
            for (value, &d) in values.iter_mut().zip(distances) {
                *value = -(3.0 * d).sqrt();
            }
        },
    );
    exp_in_place(values);
    vectorized(
        #[inline(always)]
        || {
            for (value, &d) in values.iter_mut().zip(distances) {
                *value *= 1.0 + (3.0 * d).sqrt();
            }
        },
    );
}

/// ν = 3/2: `k' = −3/2 e^−s`.
pub(super) fn slopes_32(distances: &[f64], values: &[f64], weights: &mut [f64]) {
    vectorized(
        #[inline(always)]
        || {
            for ((weight, &value), &d) in weights.iter_mut().zip(values).zip(distances) {
                *weight *= -1.5 * value / (1.0 + (3.0 * d).sqrt());
            }
        },
    );
}

/// ν = 5/2: `k = (1 + s + s²/3) e^−s`.
pub(super) fn values_52(distances: &[f64], values: &mut [f64]) {
    vectorized(
        #[inline(always)]
        || {
            for (value, &d) in values.iter_mut().zip(distances) {
                *value = -(5.0 * d).sqrt();
            }
        },
    );
    exp_in_place(values);
    vectorized(
        #[inline(always)]
        || {
            for (value, &d) in values.iter_mut().zip(distances) {
                let s = (5.0 * d).sqrt();
                *value *= 1.0 + s + s * s / 3.0;
            }
        },
    );
}

/// ν = 5/2: `k' = −5/6 (1 + s) e^−s`.
pub(super) fn slopes_52(distances: &[f64], values: &[f64], weights: &mut [f64]) {
    vectorized(
        #[inline(always)]
        || {
            for ((weight, &value), &d) in weights.iter_mut().zip(values).zip(distances) {
                let s = (5.0 * d).sqrt();
                *weight *= -5.0 / 6.0 * value * (1.0 + s) / (1.0 + s + s * s / 3.0);
            }
        },
    );
}

/// Any ν.
pub(super) fn values_any(nu: f64, distances: &[f64], values: &mut [f64]) {
    let log_constant = (1.0 - nu) * LN_2 - libm::lgamma(nu);
    for (value, &d) in values.iter_mut().zip(distances) {
        *value = bessel_term(nu, log_constant, (2.0 * nu * d).sqrt()).unwrap_or(1.0).min(1.0);
    }
}

/// Any ν.
pub(super) fn slopes_any(nu: f64, distances: &[f64], weights: &mut [f64]) {
    let log_constant = (1.0 - nu) * LN_2 - libm::lgamma(nu) + nu.ln();
    // k'(0) = −ν / (2(ν − 1)) for ν > 1, infinite otherwise.
    let at_zero = if nu > 1.0 { 0.5 * nu / (nu - 1.0) } else { 0.0 };
    for (weight, &d) in weights.iter_mut().zip(distances) {
        let slope = if nu <= 1.0 && d.sqrt() < COINCIDENT {
            0.0
        } else {
            bessel_term(nu - 1.0, log_constant, (2.0 * nu * d).sqrt()).unwrap_or(at_zero)
        };
        *weight *= -slope;
    }
}

/// `exp(log_constant) s^order K_|order|(s)`, or nothing where `K` overflows: the term is then at its limit for
/// `s → 0` to the last bit.
fn bessel_term(order: f64, log_constant: f64, s: f64) -> Option<f64> {
    if s > FAR {
        return Some(0.0);
    }
    // Also true of s = 0. Smaller arguments overflow inside the Bessel function.
    if s < 1e-150 {
        return None;
    }
    let (_, bessel) = puruspe::bessel::Inu_Knu(order.abs(), s);
    let term = (log_constant + order * s.ln() + bessel.ln()).exp();
    term.is_finite().then_some(term)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distances() -> Vec<f64> {
        let powers = (-60..=10).map(|i| 10f64.powf(f64::from(i) * 0.25));
        std::iter::once(0.0).chain(powers).chain([1e5, 1e8, 1e200]).collect()
    }

    type Closed = (f64, fn(&[f64], &mut [f64]), fn(&[f64], &[f64], &mut [f64]));
    const CLOSED: [Closed; 3] =
        [(0.5, values_12, slopes_12), (1.5, values_32, slopes_32), (2.5, values_52, slopes_52)];

    #[test]
    fn bessel_route_equals_the_closed_forms() {
        let d = distances();
        for (nu, closed_values, closed_slopes) in CLOSED {
            let (mut a, mut b) = (vec![0.0; d.len()], vec![0.0; d.len()]);
            closed_values(&d, &mut a);
            values_any(nu, &d, &mut b);
            let (mut da, mut db) = (vec![1.0; d.len()], vec![1.0; d.len()]);
            closed_slopes(&d, &a, &mut da);
            slopes_any(nu, &d, &mut db);
            for i in 0..d.len() {
                assert!((a[i] - b[i]).abs() < 1e-12, "ν = {nu}, D = {}: {} {}", d[i], a[i], b[i]);
                let scale = 1.0 + da[i].abs();
                assert!((da[i] - db[i]).abs() < 1e-10 * scale, "ν = {nu}, D = {}: {} {}", d[i], da[i], db[i]);
            }
        }
    }

    #[test]
    fn every_smoothness_falls_from_one_to_zero_without_leaving_the_unit_interval() {
        let d = distances();
        for nu in [0.05, 0.3, 1.0, 1.2, 2.0, 3.5, 7.0, 20.0, 50.0] {
            let (mut k, mut slopes) = (vec![0.0; d.len()], vec![1.0; d.len()]);
            values_any(nu, &d, &mut k);
            slopes_any(nu, &d, &mut slopes);
            assert_eq!((k[0], k[d.len() - 1]), (1.0, 0.0));
            for pair in k.windows(2) {
                assert!(pair[1] <= pair[0] + 1e-13 && pair[1] >= 0.0, "ν = {nu}: {pair:?}");
            }
            assert!(slopes.iter().all(|s| s.is_finite() && *s <= 0.0), "ν = {nu}: {slopes:?}");
        }
    }

    #[test]
    fn slopes_of_any_smoothness_equal_central_differences() {
        for nu in [0.3, 1.0, 1.7, 3.2, 12.0] {
            for d in [0.01, 0.5, 2.0, 9.0] {
                let h = 1e-5 * d;
                let mut ends = [0.0; 2];
                values_any(nu, &[d + h, d - h], &mut ends);
                let numeric = (ends[0] - ends[1]) / (2.0 * h);
                let mut analytic = [1.0];
                slopes_any(nu, &[d], &mut analytic);
                assert!(
                    (numeric - analytic[0]).abs() < 1e-7 * analytic[0].abs().max(1e-2),
                    "ν = {nu}, D = {d}"
                );
            }
        }
    }

    #[test]
    fn smoothness_is_checked() {
        assert!(check(0.5).is_ok() && check(50.0).is_ok());
        for nu in [0.0, -1.0, 51.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(check(nu), Err(KernelError::Smoothness { .. })));
        }
    }
}
