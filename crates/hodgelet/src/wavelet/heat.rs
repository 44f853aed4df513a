//! The heat semigroup as a low-pass filter, and the band-pass filter that belongs to it.

use super::Filter;

/// Beyond this `t`, `e^{1−t}` is 0 in double precision and stays there.
const LARGEST: f64 = 760.0;

/// The low-pass filter `a(t) = e^{−t}`, with derivative `−λ e^{−t}` in the scale.
///
/// ```
/// use hodgelet::wavelet::{Filter, Heat};
/// assert_eq!(Heat.value(2.0, 0.0), 1.0);
/// assert!((Heat.value(2.0, 0.5) - (-1.0f64).exp()).abs() < 1e-15);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heat;

impl Filter for Heat {
    const EXPONENTIAL: bool = true;

    #[inline(always)]
    fn exponent(self, scale: f64, eigenvalue: f64) -> f64 {
        -(scale * eigenvalue).min(LARGEST)
    }

    #[inline(always)]
    fn at(self, _scale: f64, eigenvalue: f64, exponential: f64) -> (f64, f64) {
        (exponential, -eigenvalue * exponential)
    }
}

/// The band-pass filter `b(t) = t e^{1−t}`, with derivative `λ (1 − t) e^{1−t}` in the scale.
///
/// It is `−t d/dt` of the heat semigroup, the rate at which [`Heat`] decays as its logarithmic scale grows,
/// normalized to 1 at its peak `t = 1`.
///
/// ```
/// use hodgelet::wavelet::{Filter, HeatBand};
/// assert_eq!(HeatBand.value(2.0, 0.5), 1.0);
/// assert_eq!(HeatBand.value(2.0, 0.0), 0.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeatBand;

impl Filter for HeatBand {
    const EXPONENTIAL: bool = true;

    #[inline(always)]
    fn exponent(self, scale: f64, eigenvalue: f64) -> f64 {
        1.0 - (scale * eigenvalue).min(LARGEST)
    }

    #[inline(always)]
    fn at(self, scale: f64, eigenvalue: f64, exponential: f64) -> (f64, f64) {
        let t = (scale * eigenvalue).min(LARGEST);
        (t * exponential, eigenvalue * ((1.0 - t) * exponential))
    }
}
