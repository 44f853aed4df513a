//! The iterated sine: a smooth bump of compact support.

use super::Filter;
use std::f64::consts::{FRAC_PI_2, PI};

/// The iterated sine, a band-pass filter: `b(t) = sin(π/2 sin²(πt))` on `[0, 1]`, 0 beyond.
///
/// The bump is centered at `t = 1/2`; moved by half its support it complements itself,
/// `b(t)² + b(t + ½)² = 1` on `[0, ½]`. Its derivative in the scale, `λ π²/2 cos(π/2 sin²(πt)) sin(2πt)`,
/// vanishes at both ends of the support and is continuous there; the second derivative jumps at `t = 1`.
///
/// ```
/// use hodgelet::wavelet::{Filter, Itersine};
/// assert_eq!(Itersine.value(1.0, 0.0), 0.0);
/// assert_eq!(Itersine.value(1.0, 0.5), 1.0); // the peak
/// assert_eq!(Itersine.value(4.0, 0.3), 0.0); // beyond the support
/// ```
///
/// # References
///
/// Perraudin et al., *GSPBOX: a toolbox for signal processing on graphs* (2014), `gsp_design_itersine`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Itersine;

impl Filter for Itersine {
    const EXPONENTIAL: bool = false;

    #[inline(always)]
    fn exponent(self, _scale: f64, _eigenvalue: f64) -> f64 {
        0.0
    }

    #[inline(always)]
    fn at(self, scale: f64, eigenvalue: f64, _exponential: f64) -> (f64, f64) {
        let t = scale * eigenvalue;
        if t >= 1.0 {
            return (0.0, 0.0);
        }
        let (sine, cosine) = (PI * t).sin_cos();
        let (outer, outer_slope) = (FRAC_PI_2 * (sine * sine)).sin_cos();
        (outer, eigenvalue * (PI * PI * outer_slope * sine * cosine))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn moved_by_half_its_support_it_complements_itself(t in 0.0..0.5f64) {
            let sum = Itersine.value(1.0, t).powi(2) + Itersine.value(1.0, t + 0.5).powi(2);
            prop_assert!((sum - 1.0).abs() < 1e-13);
        }
    }
}
