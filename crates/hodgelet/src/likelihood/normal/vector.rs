//! `log Φ` and its derivative at many arguments, in loops that the compiler turns into vectors.
//!
//! Everything comes from `E(z) = e^{z²} erfc(z)` at `z = |x|/√2`, which has no branch: `(1 + 2z) E(z)` is a polynomial of
//! `q = (z − c)/(z + c)` in `[−1, 1)` to the last digits \[Shepherd81\].
//!
//! ```text
//! x < 0:   log Φ = log(E/2) − x²/2,          φ/Φ = √(2/π) / E
//! x ≥ 0:   log Φ = log(1 − E e^{−x²/2}/2),   φ/Φ = e^{−x²/2} / √(2π) / Φ
//! ```

use crate::linalg::simd::{exp_in_place, ln, vectorized};
use std::f64::consts::FRAC_1_SQRT_2;

/// Arguments that go through the steps together: their buffers stay in the first-level cache.
const CHUNK: usize = 128;

/// `c` of the variable `q`, chosen for the fastest decay of the Chebyshev coefficients.
const CENTER: f64 = 3.5;

/// `(1 + 2z) E(z)` in powers of `q`, the highest first; the next Chebyshev coefficient is 3e-16.
const SERIES: [f64; 23] = [
    6.040390099342991e-11,
    6.9218472424089395e-09,
    6.651894382376532e-10,
    -7.964393647370803e-08,
    -8.611571571113718e-09,
    5.776043883970019e-07,
    -4.309237398316666e-08,
    -3.7926480612187637e-06,
    2.3273309537791425e-06,
    2.42478383463427e-05,
    -4.2781739959539994e-05,
    -0.00012150735579328694,
    0.0005643842668705102,
    -0.00030226912344206617,
    -0.004215019879774186,
    0.019099331128772476,
    -0.04882332583088402,
    0.08798315380941167,
    -0.11508959816003075,
    0.09751909515384956,
    -0.010555596332221669,
    -0.1400091801376261,
    1.2423492448711544,
];

const SQRT_2_OVER_PI: f64 = 0.797_884_560_802_865_4;
const ONE_OVER_SQRT_2PI: f64 = 0.398_942_280_401_432_7;

/// The low bits of a number, without which its square is exact.
const LOW_BITS: u64 = (1 << 27) - 1;

/// Replaces each argument in `values` by `log Φ(x)`, and writes `φ(x)/Φ(x)` to `slopes`, of the same length; both to a few
/// units in the last place.
pub(crate) fn log_cdf_and_hazard_in_place(values: &mut [f64], slopes: &mut [f64]) {
    let (mut scaled, mut exponentials) = ([0.0; CHUNK], [0.0; CHUNK]);
    for (x, slopes) in values.chunks_mut(CHUNK).zip(slopes.chunks_mut(CHUNK)) {
        let (scaled, exponentials) = (&mut scaled[..x.len()], &mut exponentials[..x.len()]);
        exponentials.iter_mut().zip(&*x).for_each(|(e, &x)| *e = -0.5 * upper(x) * upper(x));
        exp_in_place(exponentials);
        scaled_erfc(x, slopes, scaled);
        vectorized(
            #[inline(always)]
            || {
                for (((x, slope), &scaled), &e) in
                    x.iter_mut().zip(&mut *slopes).zip(&*scaled).zip(&*exponentials)
                {
                    (*x, *slope) = assembled(*x, scaled, e);
                }
            },
        );
    }
}

/// `x` rounded towards 0 to a number whose square is exact.
#[inline(always)]
fn upper(x: f64) -> f64 {
    f64::from_bits(x.to_bits() & !LOW_BITS)
}

/// `E(|x|/√2)`, with `q` as memory to work in. The polynomial is cut into stages, so that neighbors overlap.
fn scaled_erfc(x: &[f64], q: &mut [f64], out: &mut [f64]) {
    vectorized(
        #[inline(always)]
        || {
            for (q, &x) in q.iter_mut().zip(x) {
                let z = x.abs() * FRAC_1_SQRT_2;
                *q = (z - CENTER) / (z + CENTER);
            }
            out.fill(SERIES[0]);
            stage::<1>(q, out);
            stage::<5>(q, out);
            stage::<9>(q, out);
            stage::<13>(q, out);
            stage::<17>(q, out);
            for ((out, &q), &x) in out.iter_mut().zip(&*q).zip(x) {
                let z = x.abs() * FRAC_1_SQRT_2;
                *out = ((*out * q + SERIES[21]) * q + SERIES[22]) / (1.0 + 2.0 * z);
            }
        },
    );
}

/// Four steps of Horner's rule, with the coefficients from `FIRST` on.
#[inline(always)]
fn stage<const FIRST: usize>(q: &[f64], out: &mut [f64]) {
    for (out, &q) in out.iter_mut().zip(q) {
        let pair = (*out * q + SERIES[FIRST]) * q + SERIES[FIRST + 1];
        *out = (pair * q + SERIES[FIRST + 2]) * q + SERIES[FIRST + 3];
    }
}

/// `log Φ(x)` and `φ(x)/Φ(x)` from `E` and the exponential of `−upper(x)²/2`.
#[inline(always)]
fn assembled(x: f64, scaled: f64, exponential: f64) -> (f64, f64) {
    // e^{−x²/2} = e^{−h²/2} e^{−r}: where that is not 0, r is below 2e-5, and three terms are enough.
    let rest = (0.5 * (x - upper(x)) * (x + upper(x))).min(1.0);
    let exponential = exponential * (1.0 - rest * (1.0 - 0.5 * rest));
    let above = 0.5 * scaled * exponential;
    let tail = x < 0.0;
    let argument = if tail { 0.5 * scaled } else { 1.0 - above };
    // What rounding took of 1 − above goes back into the logarithm.
    let lost = ((1.0 - argument) - above) / argument;
    let value = ln(argument) + if tail { -0.5 * x * x } else { lost };
    let slope = if tail { SQRT_2_OVER_PI / scaled } else { ONE_OVER_SQRT_2PI * exponential / argument };
    (value, slope)
}

#[cfg(test)]
mod tests {
    use super::super::{hazard, log_cdf};
    use super::*;

    fn both(x: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let (mut values, mut slopes) = (x.to_vec(), vec![0.0; x.len()]);
        log_cdf_and_hazard_in_place(&mut values, &mut slopes);
        (values, slopes)
    }

    /// Over the whole range and across the seams of the accurate functions; those err by 1e-15 themselves.
    #[test]
    fn values_and_slopes_agree_with_the_accurate_functions() {
        let near: Vec<f64> = (-80_000..=80_000).map(|i| f64::from(i) * 5e-4 + 1.3e-7).collect();
        let far: Vec<f64> = (0..4000).map(|i| -10f64.powf(1.0 + f64::from(i) * 0.02)).collect();
        let tiny: Vec<f64> = (0..400).flat_map(|i| [1.0, -1.0].map(|s| s * 10f64.powi(-i))).collect();
        for x in [near, far, tiny] {
            let (values, slopes) = both(&x);
            for (i, &x) in x.iter().enumerate() {
                let (value, slope) = (log_cdf(x), hazard(x));
                // The accurate ones round x/√2 or x²/2 before they take an exponential of its square.
                let room = if x > 0.0 { x * x * f64::EPSILON } else { 0.0 };
                let close = |a: f64, b: f64| (a - b).abs() <= (4e-15 + room) * b.abs() + 1e-300;
                assert!(close(values[i], value), "log Φ({x}) = {value}, found {}", values[i]);
                assert!(close(slopes[i], slope), "φ/Φ at {x} = {slope}, found {}", slopes[i]);
            }
        }
    }

    #[test]
    fn the_limits_are_those_of_the_distribution() {
        let (values, slopes) = both(&[0.0, -0.0, 40.0, 1e150, -1e150]);
        assert!((values[0] + std::f64::consts::LN_2).abs() < 1e-15 && values[1] == values[0]);
        assert_eq!((values[2], values[3]), (0.0, 0.0));
        assert!((slopes[0] - SQRT_2_OVER_PI).abs() < 1e-15 && slopes[3] == 0.0);
        assert!((values[4] / 0.5e300 + 1.0).abs() < 4e-15 && (slopes[4] / 1e150 - 1.0).abs() < 4e-15);
    }
}
