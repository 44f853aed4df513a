//! The spline filters of the spectral graph wavelet transform.

use super::Filter;

/// Largest value of [`AbSpline`], `1 + 2/(3√3)`, at `t = 2 − 1/√3`.
const PEAK: f64 = 1.384_900_179_459_750_6;
/// Where [`AbSplineScaling`] has fallen to 1/e.
const KNEE: f64 = 0.6;
/// Beyond this `t`, the scaling function is 0 in double precision and stays there.
const LARGEST: f64 = 4.0;

/// The ab-spline with exponents `α = β = 2` and knots 1 and 2, a band-pass filter: `t²` up to `t = 1`,
/// `−5 + 11t − 6t² + t³` up to 2, `4/t²` beyond.
///
/// The derivative in the scale, `λ` times `2t`, `11 − 12t + 3t²` and `−8/t³`, is continuous; the second one
/// jumps at both knots.
///
/// ```
/// use hodgelet::wavelet::{AbSpline, Filter};
/// assert_eq!(AbSpline.value(1.0, 0.5), 0.25);
/// assert_eq!(AbSpline.value(1.0, 1.5), 1.375);
/// assert_eq!(AbSpline.value(1.0, 4.0), 0.25);
/// ```
///
/// # References
///
/// \[Hammond11\] §8.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AbSpline;

impl Filter for AbSpline {
    const EXPONENTIAL: bool = false;

    #[inline(always)]
    fn exponent(self, _scale: f64, _eigenvalue: f64) -> f64 {
        0.0
    }

    #[inline(always)]
    fn at(self, scale: f64, eigenvalue: f64, _exponential: f64) -> (f64, f64) {
        let t = scale * eigenvalue;
        // Each piece is evaluated within its own reach, so that none overflows where another is meant.
        let (low, middle, high) = (t.min(1.0), t.clamp(1.0, 2.0), t.max(2.0));
        let cubic = -5.0 + middle * (11.0 + middle * (middle - 6.0));
        let cubic_slope = 11.0 + middle * (3.0 * middle - 12.0);
        let tail = 4.0 / high / high;
        let (value, slope) = if t < 1.0 { (low * low, 2.0 * low) } else { (cubic, cubic_slope) };
        let (value, slope) = if t > 2.0 { (tail, -2.0 * tail / high) } else { (value, slope) };
        (value, eigenvalue * slope)
    }
}

/// The scaling function that belongs to [`AbSpline`], a low-pass filter: `γ e^{−(t/0.6)⁴}`, with derivative
/// `−4 γ λ t³ / 0.6⁴ e^{−(t/0.6)⁴}` in the scale.
///
/// `γ = 1 + 2/(3√3)` is the largest value of the band-pass filter; the scale corresponds to the `1/λ_min` of
/// \[Hammond11\].
///
/// ```
/// use hodgelet::wavelet::{AbSplineScaling, Filter};
/// let at_zero = AbSplineScaling.value(1.0, 0.0);
/// assert!((at_zero - (1.0 + 2.0 / 27.0f64.sqrt())).abs() < 1e-15);
/// assert!((AbSplineScaling.value(1.0, 0.6) - at_zero / 1.0f64.exp()).abs() < 1e-15);
/// ```
///
/// # References
///
/// \[Hammond11\] §8.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AbSplineScaling;

impl Filter for AbSplineScaling {
    const EXPONENTIAL: bool = true;

    #[inline(always)]
    fn exponent(self, scale: f64, eigenvalue: f64) -> f64 {
        let x = (scale * eigenvalue).min(LARGEST) / KNEE;
        -(x * x) * (x * x)
    }

    #[inline(always)]
    fn at(self, scale: f64, eigenvalue: f64, exponential: f64) -> (f64, f64) {
        let x = (scale * eigenvalue).min(LARGEST) / KNEE;
        let value = PEAK * exponential;
        (value, eigenvalue * (-4.0 / KNEE * (x * x * x) * value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pieces_meet_with_equal_slopes() {
        for knot in [1.0, 2.0] {
            let (left, right) = (AbSpline.at(1.0, knot - 1e-12, 1.0), AbSpline.at(1.0, knot + 1e-12, 1.0));
            assert!((left.0 - 1.0).abs() < 1e-11 && (right.0 - 1.0).abs() < 1e-11);
            assert!((left.1 - right.1).abs() < 1e-10, "{left:?} {right:?}");
        }
    }

    #[test]
    fn the_scaling_function_starts_at_the_peak_of_the_wavelet() {
        let peak = 2.0 - 1.0 / 3.0f64.sqrt();
        assert!((AbSpline.value(1.0, peak) - AbSplineScaling.value(1.0, 0.0)).abs() < 1e-14);
        assert!(AbSpline.derivative(1.0, peak).abs() < 1e-14);
    }
}
