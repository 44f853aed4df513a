//! The band-pass filter as the paper prints it.

use super::Filter;

/// `2 / (√3 π^{1/4})`
const AMPLITUDE: f64 = 0.867_325_070_584_077_7;
/// Beyond this `t`, `e^{−t²/2}` is 0 in double precision and stays there.
const LARGEST: f64 = 40.0;

/// The Ricker wavelet as a function of the eigenvalue,
/// `b(λ) = 2 / (√(3σ) π^{1/4}) (1 − (λ/σ)²) e^{−λ²/2σ²}` with width `σ = 1/s`.
///
/// With `t = sλ` it is `2 √s / (√3 π^{1/4}) (1 − t²) e^{−t²/2}`: the amplitude depends on the scale as well.
/// Its derivative in the scale is `2 √s / (√3 π^{1/4}) ((1 − t²)/2s + λ (t³ − 3t)) e^{−t²/2}`. Unlike
/// [`MexicanHat`](super::MexicanHat) it does not vanish at 0.
///
/// ```
/// use hodgelet::wavelet::{Filter, Ricker};
/// assert_eq!(Ricker.value(2.0, 0.5), 0.0); // λ = σ
/// assert!(Ricker.value(2.0, 0.0) > 1.0);
/// ```
///
/// # References
///
/// \[Alain24\] Eq. (17).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ricker;

impl Filter for Ricker {
    const EXPONENTIAL: bool = true;

    #[inline(always)]
    fn exponent(self, scale: f64, eigenvalue: f64) -> f64 {
        let t = (scale * eigenvalue).min(LARGEST);
        -0.5 * (t * t)
    }

    #[inline(always)]
    fn at(self, scale: f64, eigenvalue: f64, exponential: f64) -> (f64, f64) {
        let t = (scale * eigenvalue).min(LARGEST);
        let bell = AMPLITUDE * scale.sqrt() * exponential;
        let slope = t * t * t - 3.0 * t;
        let value = bell * (1.0 - t * t);
        (value, value * (0.5 / scale) + eigenvalue * (bell * slope))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_amplitude_is_the_one_of_the_formula() {
        let expected = 2.0 / (3.0f64.sqrt() * std::f64::consts::PI.powf(0.25));
        assert!((AMPLITUDE - expected).abs() < 4e-16, "{expected:?}");
    }
}
