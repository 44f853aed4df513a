//! The band-pass filter of the reference bank.

use super::Filter;

/// `2 √(2/3) π^{−1/4}`
const AMPLITUDE: f64 = 1.226_582_877_806_204_5;
/// Beyond this `t`, `e^{−t²/2}` is 0 in double precision and stays there.
const LARGEST: f64 = 40.0;

/// The Mexican hat in the frequency domain, `b(t) = 2 √(2/3) π^{−1/4} t² e^{−t²/2}`, with derivative
/// `2 √(2/3) π^{−1/4} λ (2t − t³) e^{−t²/2}` in the scale.
///
/// A true band-pass filter: 0 at 0, largest at `t = √2`.
///
/// ```
/// use hodgelet::wavelet::{Filter, MexicanHat};
/// assert_eq!(MexicanHat.value(2.0, 0.0), 0.0);
/// assert!(MexicanHat.derivative(1.0, 2.0f64.sqrt()).abs() < 1e-15); // the peak
/// ```
///
/// # References
///
/// Opolka et al., *Graph classification Gaussian processes via spectral features* (2023), reference code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MexicanHat;

impl Filter for MexicanHat {
    const EXPONENTIAL: bool = true;

    #[inline(always)]
    fn exponent(self, scale: f64, eigenvalue: f64) -> f64 {
        let t = (scale * eigenvalue).min(LARGEST);
        -0.5 * (t * t)
    }

    #[inline(always)]
    fn at(self, scale: f64, eigenvalue: f64, exponential: f64) -> (f64, f64) {
        let t = (scale * eigenvalue).min(LARGEST);
        let hat = AMPLITUDE * (t * exponential);
        (t * hat, eigenvalue * (hat * (2.0 - t * t)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_amplitude_is_the_one_of_the_formula() {
        let expected = 2.0 * (2.0f64 / 3.0).sqrt() * std::f64::consts::PI.powf(-0.25);
        assert!((AMPLITUDE - expected).abs() < 4e-16, "{expected:?}");
    }
}
