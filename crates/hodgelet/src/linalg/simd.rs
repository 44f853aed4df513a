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
    #[cfg(all(test, target_arch = "x86_64"))]
    if let Some(vectors) = forced::chosen() {
        return vectors.run(Work(work));
    }
    pulp::Arch::new().dispatch(Work(work))
}

/// Tests choose the vectors of [`vectorized`] on their thread.
#[cfg(all(test, target_arch = "x86_64"))]
pub(crate) mod forced {
    use pulp::{Simd, WithSimd};
    use std::cell::Cell;

    /// Vectors of a machine. Longer ones are used by the backend alone, which chooses them itself.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub enum Vectors {
        Plain,
        Avx2,
    }

    thread_local! {
        static CHOSEN: Cell<Option<Vectors>> = const { Cell::new(None) };
    }

    pub(super) fn chosen() -> Option<Vectors> {
        CHOSEN.get()
    }

    impl Vectors {
        /// Those that this machine has.
        pub fn available() -> Vec<Self> {
            let mut all = vec![Self::Plain];
            all.extend(pulp::x86::V3::try_new().map(|_| Self::Avx2));
            all
        }

        pub(super) fn run<Op: WithSimd>(self, work: Op) -> Op::Output {
            match self {
                Self::Plain => Simd::vectorize(pulp::Scalar::new(), work),
                Self::Avx2 => Simd::vectorize(pulp::x86::V3::try_new().expect("it is available"), work),
            }
        }

        /// Runs `work` with these vectors on this thread.
        pub fn force<R>(self, work: impl FnOnce() -> R) -> R {
            CHOSEN.set(Some(self));
            let result = work();
            CHOSEN.set(None);
            result
        }
    }
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

/// Entries of a slice that go through the stages of [`exp_in_place`] together.
const STAGED: usize = 64;

/// `values[i] ← exp(values[i])`, with the bits of [`exp`].
///
/// One exponential is a chain of some forty dependent operations, most of which a processor spends waiting. Cut into short
/// stages over many entries, the chains of neighbors overlap, at half the time.
pub fn exp_in_place(values: &mut [f64]) {
    vectorized(
        #[inline(always)]
        || {
            let (mut powers, mut rests) = ([0.0; STAGED], [0.0; STAGED]);
            for values in values.chunks_mut(STAGED) {
                let (powers, rests) = (&mut powers[..values.len()], &mut rests[..values.len()]);
                for ((n, r), &x) in powers.iter_mut().zip(rests.iter_mut()).zip(&*values) {
                    (*n, *r) = reduced(x);
                }
                values.iter_mut().zip(&*rests).for_each(|(v, &r)| *v = horner::<4>(TAYLOR[0], r, 1));
                values.iter_mut().zip(&*rests).for_each(|(v, &r)| *v = horner::<4>(*v, r, 5));
                values.iter_mut().zip(&*rests).for_each(|(v, &r)| *v = horner::<3>(*v, r, 9));
                for ((v, &r), &n) in values.iter_mut().zip(&*rests).zip(&*powers) {
                    *v = assembled(n, r, *v);
                }
            }
        },
    );
}

/// `out[i] = exp(values[i])`, for as many entries as the shorter slice has.
pub fn exp_into(values: &[f64], out: &mut [f64]) {
    let n = values.len().min(out.len());
    out[..n].copy_from_slice(&values[..n]);
    exp_in_place(&mut out[..n]);
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

/// Whether every number is finite: one that is not makes NaN of its product with 0, and of every sum with that.
#[must_use]
pub fn is_finite(values: &[f64]) -> bool {
    let zeros = vectorized(
        #[inline(always)]
        || lane_sum(values, values, |x, _| x * 0.0),
    );
    zeros == 0.0
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
    let (n, r) = reduced(x);
    assembled(n, r, horner::<11>(TAYLOR[0], r, 1))
}

/// `x = n ln 2 + r`, for `x` within the range of results.
#[inline(always)]
fn reduced(x: f64) -> (f64, f64) {
    // Comparisons written so that NaN passes through.
    let x = if x < LOWEST { LOWEST } else { x };
    let x = if x > HIGHEST { HIGHEST } else { x };
    let n = (x * LOG2_E + ROUND) - ROUND;
    (n, (x - n * LN2_HIGH) - n * LN2_LOW)
}

/// `STEPS` steps of Horner's rule from `series`, with the coefficients from `first` on.
#[inline(always)]
fn horner<const STEPS: usize>(mut series: f64, r: f64, first: usize) -> f64 {
    for step in 0..STEPS {
        series = series * r + TAYLOR[first + step];
    }
    series
}

/// `2ⁿ (1 + r + r² series)`.
#[inline(always)]
fn assembled(n: f64, r: f64, series: f64) -> f64 {
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

/// The bits of `√½`, rounded down to 32: mantissas are taken from there up to `√2`.
const SQRT_HALF_BITS: u64 = 0x3FE6_A09E_0000_0000;
const ONE_BITS: u64 = 0x3FF0_0000_0000_0000;
const MANTISSA: u64 = 0x000F_FFFF_FFFF_FFFF;
/// `2⁵²`: an integer in the low bits of its mantissa is added to it.
const TWO_52: f64 = 4_503_599_627_370_496.0;

/// `ln x` to about one unit in the last place for a positive `x` that is neither subnormal nor infinite, without branches:
/// inline it in loops under [`vectorized`].
///
/// # References
///
/// The polynomial is that of FreeBSD's `e_log.c` (1993).
#[inline(always)]
#[must_use]
pub fn ln(x: f64) -> f64 {
    // x = 2ᵏ (1 + f)
    let shifted = x.to_bits().wrapping_add(ONE_BITS - SQRT_HALF_BITS);
    let k = f64::from_bits((shifted >> 52) | TWO_52.to_bits()) - (TWO_52 + 1023.0);
    let f = f64::from_bits((shifted & MANTISSA).wrapping_add(SQRT_HALF_BITS)) - 1.0;
    let s = f / (2.0 + f);
    let (z, half) = (s * s, 0.5 * f * f);
    let w = z * z;
    let even = w * (0.399_999_999_994_094_2 + w * (0.222_221_984_321_497_84 + w * 0.153_138_376_992_093_73));
    let odd = 0.285_714_287_436_623_9 + w * (0.181_835_721_616_180_5 + w * 0.147_981_986_051_165_86);
    let series = even + z * (0.666_666_666_666_673_5 + w * odd);
    s * (half + series) + k * LN2_LOW - half + f + k * LN2_HIGH
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ulps(a: f64, b: f64) -> u64 {
        a.to_bits().abs_diff(b.to_bits())
    }

    #[cfg(target_arch = "x86_64")]
    #[test]
    fn every_kind_of_vectors_gives_the_same_bits() {
        let values: Vec<f64> = (0..1003).map(|i| f64::from(i) * 1.37 - 745.0).collect();
        let small: Vec<f64> = values.iter().map(|x| (x * 0.37).sin()).collect();
        let run = || {
            let mut powers = values.clone();
            exp_in_place(&mut powers);
            powers.extend([dot(&small, &values), squared_distance(&small, &values)]);
            powers.iter().map(|x| x.to_bits()).collect::<Vec<_>>()
        };
        let expected = run();
        let all = forced::Vectors::available();
        println!("{all:?}");
        for vectors in all {
            assert_eq!(vectors.force(run), expected, "{vectors:?}");
        }
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
    fn ln_is_within_two_ulps_of_the_standard_library() {
        let mut worst = 0;
        for i in 0..2_000_000 {
            let near_one = 0.5 + f64::from(i) * 5e-7 + 1e-9;
            let any = f64::from_bits((f64::from(i) * 7e2).to_bits() ^ (u64::from(i as u32) << 29)).min(1e300);
            for x in [near_one, any, 1.0 / (1.0 + any)] {
                if x.is_normal() {
                    worst = worst.max(ulps(ln(x), x.ln()));
                }
            }
        }
        assert!(worst <= 2, "{worst} ulps");
        assert_eq!((ln(1.0), ln(f64::MAX)), (0.0, f64::MAX.ln()));
    }

    #[test]
    fn one_number_that_is_not_finite_is_found_anywhere() {
        for n in [0, 1, 7, 8, 19] {
            let mut values = vec![f64::MAX; n];
            assert!(is_finite(&values));
            for i in 0..n {
                for wrong in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                    values[i] = wrong;
                    assert!(!is_finite(&values));
                }
                values[i] = -f64::MAX;
            }
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
