//! Meyer's wavelet and its scaling function: a tight frame over dyadic scales.

use super::Filter;
use std::f64::consts::FRAC_PI_2;

/// End of the plateau of the scaling function, and start of the wavelet.
const FIRST: f64 = 2.0 / 3.0;
/// End of the scaling function, and peak of the wavelet.
const SECOND: f64 = 4.0 / 3.0;

/// Meyer's scaling function, a low-pass filter: 1 up to `t = 2/3`, `cos(π/2 ν(3t/2 − 1))` up to 4/3, then 0.
///
/// Here `ν(x) = x⁴ (35 − 84x + 70x² − 20x³)` rises from 0 to 1 with three vanishing derivatives at both ends, so
/// the filter is three times continuously differentiable in the scale. With [`Meyer`] it splits the spectrum into
/// octaves: `a(t)² + Σ_{j≥0} b(2^{−j} t)² = 1`.
///
/// ```
/// use hodgelet::wavelet::{Filter, Meyer, MeyerScaling};
/// assert_eq!(MeyerScaling.value(1.0, 0.5), 1.0);
/// let squares = MeyerScaling.value(1.0, 0.9).powi(2) + Meyer.value(1.0, 0.9).powi(2);
/// assert!((squares - 1.0).abs() < 1e-15);
/// ```
///
/// # References
///
/// Meyer, *Ondelettes et opérateurs* (1990); Leonardi and Van De Ville, *Tight wavelet frames on multislice
/// graphs* (2013).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeyerScaling;

impl Filter for MeyerScaling {
    const EXPONENTIAL: bool = false;

    #[inline(always)]
    fn exponent(self, _scale: f64, _eigenvalue: f64) -> f64 {
        0.0
    }

    #[inline(always)]
    fn at(self, scale: f64, eigenvalue: f64, _exponential: f64) -> (f64, f64) {
        let t = scale * eigenvalue;
        if t < FIRST {
            (1.0, 0.0)
        } else if t < SECOND {
            let (angle, slope) = rise(t, FIRST);
            (angle.cos(), -eigenvalue * slope * angle.sin())
        } else {
            (0.0, 0.0)
        }
    }
}

/// Meyer's wavelet, a band-pass filter: `sin(π/2 ν(3t/2 − 1))` on `[2/3, 4/3]`, `cos(π/2 ν(3t/4 − 1))` on
/// `[4/3, 8/3]`, 0 elsewhere, with `ν` as in [`MeyerScaling`].
///
/// ```
/// use hodgelet::wavelet::{Filter, Meyer};
/// assert_eq!(Meyer.value(1.0, 0.0), 0.0);
/// assert_eq!(Meyer.value(1.0, 4.0 / 3.0), 1.0); // the peak
/// assert_eq!(Meyer.value(1.0, 3.0), 0.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meyer;

impl Filter for Meyer {
    const EXPONENTIAL: bool = false;

    #[inline(always)]
    fn exponent(self, _scale: f64, _eigenvalue: f64) -> f64 {
        0.0
    }

    #[inline(always)]
    fn at(self, scale: f64, eigenvalue: f64, _exponential: f64) -> (f64, f64) {
        let t = scale * eigenvalue;
        if !(FIRST..2.0 * SECOND).contains(&t) {
            (0.0, 0.0)
        } else if t < SECOND {
            let (angle, slope) = rise(t, FIRST);
            (angle.sin(), eigenvalue * slope * angle.cos())
        } else {
            let (angle, slope) = rise(t, SECOND);
            (angle.cos(), -eigenvalue * slope * angle.sin())
        }
    }
}

/// `π/2 ν(t/start − 1)`, which rises from 0 to π/2 on `[start, 2 start]`, and its derivative in `t`.
#[inline(always)]
fn rise(t: f64, start: f64) -> (f64, f64) {
    let x = t / start - 1.0;
    let y = 1.0 - x;
    let value = x.powi(4) * (35.0 + x * (-84.0 + x * (70.0 - 20.0 * x)));
    // ν'(x) = 140 x³ (1 − x)³
    (FRAC_PI_2 * value, FRAC_PI_2 * 140.0 * (x * y).powi(3) / start)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn octaves_of_the_wavelet_and_the_scaling_function_partition_the_spectrum(t in 0.0..500.0f64) {
            let bands = (0..12).map(|j| Meyer.value(0.5f64.powi(j), t).powi(2)).sum::<f64>();
            let sum = MeyerScaling.value(1.0, t).powi(2) + bands;
            prop_assert!((sum - 1.0).abs() < 1e-12, "{sum}");
        }
    }

    #[test]
    fn halfway_up_both_filters_are_equal() {
        // ν(1/2) = 1/2, so that sine and cosine are both √½ at t = 1.
        assert!((Meyer.value(1.0, 1.0) - 0.5f64.sqrt()).abs() < 1e-15);
        assert!((MeyerScaling.value(1.0, 1.0) - 0.5f64.sqrt()).abs() < 1e-15);
    }
}
