//! The low-pass filter of the reference bank.

use super::Filter;

/// The low-pass filter `a(t) = 1 / (1 + t)`, with derivative `−λ / (1 + t)²` in the scale.
///
/// ```
/// use hodgelet::wavelet::{Filter, Rational};
/// assert_eq!(Rational.value(3.0, 0.0), 1.0);
/// assert_eq!(Rational.value(3.0, 1.0), 0.25);
/// assert_eq!(Rational.derivative(3.0, 1.0), -0.0625);
/// ```
///
/// # References
///
/// Opolka et al., *Graph classification Gaussian processes via spectral features* (2023), reference code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rational;

impl Filter for Rational {
    const EXPONENTIAL: bool = false;

    #[inline(always)]
    fn exponent(self, _scale: f64, _eigenvalue: f64) -> f64 {
        0.0
    }

    #[inline(always)]
    fn at(self, scale: f64, eigenvalue: f64, _exponential: f64) -> (f64, f64) {
        let value = 1.0 / (1.0 + scale * eigenvalue);
        // The product is taken in this order so that λ · value, below 1/s, cannot overflow.
        (value, -(eigenvalue * value) * value)
    }
}
