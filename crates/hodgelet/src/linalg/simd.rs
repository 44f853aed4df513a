//! Vectorized element-wise loops: `exp` over slices, and sums with a fixed order.
//!
//! The exponential is a branch-free polynomial without fused multiply-adds, so every instruction set gives the
//! same bits; [`vectorized`] compiles a loop for the best one the machine has.

use std::f64::consts::LOG2_E;

/// Runs `work` compiled for the widest vectors of this machine.
///
/// Loops over slices inside `work` are unrolled into vectors by the compiler. It also keeps clear of the
/// penalty that old-style instructions pay after a matrix product. Mark the closure `#[inline(always)]`: one
/// that is not inlined here is compiled for the oldest machine.
#[inline(always)]
pub fn vectorized<R>(work: impl FnMut() -> R) -> R {
    pulp::Arch::new().dispatch(Work(work))
}

/// Called through `FnMut`, whose body is the closure itself; a call through `FnOnce` goes through a function that
/// the compiler generates and does not inline.
struct Work<F>(F);

impl<R, F: FnMut() -> R> pulp::WithSimd for Work<F> {
    type Output = R;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(mut self, _: S) -> R {
        (self.0)()
    }
}

/// `values[i] ← exp(values[i])`.
pub fn exp_in_place(values: &mut [f64]) {
    vectorized(
        #[inline(always)]
        || values.iter_mut().for_each(|v| *v = exp(*v)),
    );
}

/// `out[i] = exp(values[i])`, for as many entries as the shorter slice has.
pub fn exp_into(values: &[f64], out: &mut [f64]) {
    vectorized(
        #[inline(always)]
        || out.iter_mut().zip(values).for_each(|(o, &v)| *o = exp(v)),
    );
}

/// `Σ aᵢ bᵢ` over the shorter slice, always summed in the same order.
#[must_use]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    vectorized(
        #[inline(always)]
        || lane_sum(a, b, |x, y| x * y),
    )
}

/// `Σ (aᵢ − bᵢ)²` over the shorter slice, exactly 0 for equal slices; always summed in the same order.
#[must_use]
pub fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    vectorized(
        #[inline(always)]
        || lane_sum(a, b, |x, y| (x - y) * (x - y)),
    )
}

/// Eight partial sums fit the widest vectors; their order does not depend on the instruction set.
const LANES: usize = 8;

/// `Σ term(aᵢ, bᵢ)` over the shorter slice, always summed in the same order.
#[inline(always)]
pub(crate) fn lane_sum(a: &[f64], b: &[f64], term: impl Fn(f64, f64) -> f64) -> f64 {
    let n = a.len().min(b.len());
    let (a_chunks, a_rest) = a[..n].as_chunks::<LANES>();
    let (b_chunks, b_rest) = b[..n].as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (x, y) in a_chunks.iter().zip(b_chunks) {
        for lane in 0..LANES {
            sums[lane] += term(x[lane], y[lane]);
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(&x, &y)| term(x, y)).sum();
    ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7])) + rest
}

/// Below this every result rounds to 0, above [`HIGHEST`] to infinity.
const LOWEST: f64 = -746.0;
const HIGHEST: f64 = 710.0;
/// `1.5 · 2⁵²`: adding it leaves the nearest integer in the low bits of the mantissa.
const ROUND: f64 = 6_755_399_441_055_744.0;
/// `ln 2` in two pieces; the first has 21 trailing zeros, so that `n · LN2_HIGH` is exact.
const LN2_HIGH: f64 = f64::from_bits(0x3FE6_2E42_FEE0_0000);
const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
/// `1/k!` for k = 13 down to 2: on `|r| ≤ ln(2)/2` the next term is below 4e-18.
const TAYLOR: [f64; 12] = [
    1.605_904_383_682_161_5e-10,
    2.087_675_698_786_81e-9,
    2.505_210_838_544_172e-8,
    2.755_731_922_398_589e-7,
    2.755_731_922_398_589e-6,
    2.480_158_730_158_73e-5,
    1.984_126_984_126_984e-4,
    1.388_888_888_888_889e-3,
    8.333_333_333_333_333e-3,
    4.166_666_666_666_666_4e-2,
    1.666_666_666_666_666_6e-1,
    0.5,
];

/// `exp(x)` to about one unit in the last place, without branches: inline it in loops under [`vectorized`].
///
/// Results below the smallest positive number are 0, results above the largest are infinite, NaN stays NaN.
#[inline(always)]
#[must_use]
pub fn exp(x: f64) -> f64 {
    // Comparisons written so that NaN passes through.
    let x = if x < LOWEST { LOWEST } else { x };
    let x = if x > HIGHEST { HIGHEST } else { x };
    // x = n ln 2 + r
    let n = (x * LOG2_E + ROUND) - ROUND;
    let r = (x - n * LN2_HIGH) - n * LN2_LOW;
    let mut series = TAYLOR[0];
    for &coefficient in &TAYLOR[1..] {
        series = series * r + coefficient;
    }
    let mantissa = 1.0 + (r + (r * r) * series);
    // 2ⁿ in two factors: one alone would overflow or underflow at the ends.
    let half = (n * 0.5 + ROUND) - ROUND;
    mantissa * power_of_two(half) * power_of_two(n - half)
}

/// `2ⁿ` for an integer `|n| ≤ 1000`, by writing the exponent.
#[inline(always)]
fn power_of_two(n: f64) -> f64 {
    f64::from_bits((n + (ROUND + 1023.0)).to_bits() << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ulps(a: f64, b: f64) -> u64 {
        a.to_bits().abs_diff(b.to_bits())
    }

    #[test]
    fn exp_is_within_two_ulps_of_the_standard_library() {
        let mut worst = 0;
        for i in -7_080_000..=7_090_000 {
            let x = f64::from(i) * 1e-4 + 3.7e-6;
            worst = worst.max(ulps(exp(x), x.exp()));
        }
        assert!(worst <= 2, "{worst} ulps");
    }

    #[test]
    fn exp_is_within_two_ulps_near_zero_and_for_subnormal_results() {
        for i in 0..2000 {
            let small = f64::from(i) * 1e-20;
            assert!(ulps(exp(small), small.exp()) <= 1);
            let low = -708.0 - f64::from(i) * 0.019;
            assert!(ulps(exp(low), low.exp()) <= 2, "exp({low})");
        }
        assert_eq!((exp(0.0), exp(-0.0)), (1.0, 1.0));
    }

    #[test]
    fn exp_has_the_limits_of_the_exponential() {
        assert_eq!(exp(f64::NEG_INFINITY), 0.0);
        assert_eq!(exp(-1e300), 0.0);
        assert_eq!(exp(-745.2), 0.0);
        assert!(exp(-745.1) > 0.0);
        assert_eq!(exp(f64::INFINITY), f64::INFINITY);
        assert_eq!(exp(709.79), f64::INFINITY);
        assert!(exp(709.78).is_finite());
        assert!(exp(f64::NAN).is_nan());
    }

    #[test]
    fn slices_give_the_bits_of_the_scalar_whatever_the_instruction_set() {
        let x: Vec<f64> = (0..1003).map(|i| f64::from(i) * 1.3 - 700.0).collect();
        let mut out = vec![0.0; x.len()];
        exp_into(&x, &mut out);
        let mut in_place = x.clone();
        exp_in_place(&mut in_place);
        for i in 0..x.len() {
            assert_eq!(out[i].to_bits(), exp(x[i]).to_bits());
            assert_eq!(in_place[i].to_bits(), out[i].to_bits());
        }
    }

    #[test]
    fn sums_agree_with_a_plain_loop() {
        for n in [0, 1, 7, 8, 9, 100] {
            let a: Vec<f64> = (0..n).map(|i| f64::from(i).sin()).collect();
            let b: Vec<f64> = (0..n).map(|i| f64::from(i).cos()).collect();
            let products: f64 = a.iter().zip(&b).map(|(x, y)| x * y).sum();
            let squares: f64 = a.iter().zip(&b).map(|(x, y)| (x - y).powi(2)).sum();
            assert!((dot(&a, &b) - products).abs() < 1e-13);
            assert!((squared_distance(&a, &b) - squares).abs() < 1e-13);
            assert_eq!(squared_distance(&a, &a), 0.0);
        }
    }
}
