//! Fixed quasi-random points for expectations under independent standard normals in several dimensions.
//!
//! Latin hypercubes: every dimension sees its quantiles once, in a shuffled order that is always the same. Points
//! come in pairs `±z`, so odd moments vanish exactly; second moments are made those of the normal distribution, so
//! polynomials of degree three are integrated exactly in few dimensions; and of several shuffles the one whose
//! fourth moments along axes and differences of axes come closest to normal is kept.

use super::normal::quantile;
use crate::linalg::cholesky::{CholeskyScratch, factor_in_place, solve_lower_in_place};
use crate::linalg::dense::times;
use faer::{Mat, Par};

/// Shuffles tried with few dimensions; as many points in all as keep the search under a tenth of a second.
const MOST_SHUFFLES: usize = 256;

/// Points of all shuffles tried together.
const SEARCH_POINTS: usize = 16_384;

/// Up to this many dimensions shuffles are compared; beyond, their fourth moments are hardly told apart.
const SEARCH_DIMS: usize = 12;

/// Equally weighted points, `[n_points, n_dims]` row by row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NormalPoints {
    n_dims: usize,
    values: Vec<f64>,
}

impl NormalPoints {
    /// About `n_points` points (an even number, at least 4) in `n_dims` dimensions; always the same ones.
    #[must_use]
    pub fn new(n_points: usize, n_dims: usize) -> Self {
        let half = n_points.div_ceil(2).max(2);
        let level: Vec<f64> = (0..half).map(|r| quantile((r as f64 + 0.5) / half as f64)).collect();
        let shuffles = if n_dims <= SEARCH_DIMS { (SEARCH_POINTS / half).clamp(1, MOST_SHUFFLES) } else { 1 };
        let mut state = 0x5eed_u64;
        let mut best = hypercube(&level, n_dims, &mut state);
        let mut least = if shuffles > 1 { kurtosis_error(&best) } else { 0.0 };
        for _ in 1..shuffles {
            let points = hypercube(&level, n_dims, &mut state);
            let error = kurtosis_error(&points);
            if error < least {
                (best, least) = (points, error);
            }
        }
        let mut values = Vec::with_capacity(2 * half * n_dims);
        for sign in [1.0, -1.0] {
            for k in 0..half {
                values.extend((0..n_dims).map(|d| sign * best[(d, k)]));
            }
        }
        Self { n_dims, values }
    }

    /// The points, one slice of `n_dims` numbers each.
    pub fn iter(&self) -> std::slice::ChunksExact<'_, f64> {
        self.values.chunks_exact(self.n_dims)
    }

    /// Number of points.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len() / self.n_dims
    }
}

/// The levels in a shuffled order for every dimension, `[n_dims, n]`, standardized.
fn hypercube(levels: &[f64], n_dims: usize, state: &mut u64) -> Mat<f64> {
    let n = levels.len();
    let mut points = Mat::zeros(n_dims, n);
    let mut ranks: Vec<usize> = (0..n).collect();
    for d in 0..n_dims {
        for k in (1..n).rev() {
            ranks.swap(k, (mix(state) % (k as u64 + 1)) as usize);
        }
        (0..n).for_each(|k| points[(d, k)] = levels[ranks[k]]);
    }
    standardize(&mut points);
    points
}

/// Sum of squared errors of the fourth moments along axes, differences of axes and the diagonal.
fn kurtosis_error(points: &Mat<f64>) -> f64 {
    let (n_dims, n) = points.shape();
    let error = |project: &dyn Fn(usize) -> f64| {
        let (mut second, mut fourth) = (0.0, 0.0);
        for k in 0..n {
            let square = project(k) * project(k);
            second += square;
            fourth += square * square;
        }
        (fourth * n as f64 / (second * second) - 3.0).powi(2)
    };
    let mut total = error(&|k| points.col(k).iter().sum());
    for a in 0..n_dims {
        total += error(&|k| points[(a, k)]);
        for b in 0..a {
            total += error(&|k| points[(a, k)] - points[(b, k)]);
        }
    }
    total
}

/// The splitmix64 generator: small, never changing, good enough for a shuffle.
fn mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Makes the second moments of `points` `[n_dims, n]` those of the normal distribution: all of them where
/// there are at least four points per dimension, the variances otherwise.
fn standardize(points: &mut Mat<f64>) {
    let (n_dims, n) = points.shape();
    let mut moments = times(points.as_ref(), points.transpose()) * faer::Scale(1.0 / n as f64);
    let whitened = 4 * n_dims <= n
        && factor_in_place(moments.as_mut(), &mut CholeskyScratch::default(), Par::Seq).is_ok();
    if whitened {
        solve_lower_in_place(moments.as_ref(), points.as_mut(), Par::Seq);
        return;
    }
    for d in 0..n_dims {
        let scale = (points.row(d).squared_norm_l2() / n as f64).sqrt().recip();
        (0..n).for_each(|k| points[(d, k)] *= scale);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_up_to_the_third_are_exact_in_few_dimensions() {
        let points = NormalPoints::new(128, 6);
        let mean = |f: &dyn Fn(&[f64]) -> f64| points.iter().map(f).sum::<f64>() / points.len() as f64;
        for a in 0..6 {
            assert!(mean(&|z| z[a]).abs() < 1e-15);
            for b in 0..6 {
                let expected = if a == b { 1.0 } else { 0.0 };
                assert!((mean(&|z| z[a] * z[b]) - expected).abs() < 1e-12);
                assert!(mean(&|z| z[a] * z[b] * z[b]).abs() < 1e-13);
            }
        }
    }

    #[test]
    fn many_dimensions_have_unit_variances_and_small_correlations() {
        let points = NormalPoints::new(128, 300);
        assert_eq!(points.len(), 128);
        let product = |a: usize, b: usize| points.iter().map(|z| z[a] * z[b]).sum::<f64>() / 128.0;
        for a in 0..300 {
            assert!((product(a, a) - 1.0).abs() < 1e-12);
            assert!((0..a).all(|b| product(a, b).abs() < 0.6), "dimension {a}");
        }
    }

    #[test]
    fn errors_of_fourth_moments_are_those_by_hand() {
        // Kurtosis 1 along the axis and the diagonal, which are the same: twice (1 − 3)².
        assert_eq!(kurtosis_error(&Mat::from_fn(1, 2, |_, k| [1.0, -1.0][k])), 8.0);
        // Kurtosis 4 · 16 / 4² = 4.
        assert_eq!(kurtosis_error(&Mat::from_fn(1, 4, |_, k| [0.0, 0.0, 0.0, 2.0][k])), 2.0);
        // Corners of a square: 1 along both axes, 2 along the difference and along the diagonal.
        let square = [[1.0, -1.0, 1.0, -1.0], [1.0, 1.0, -1.0, -1.0]];
        assert_eq!(kurtosis_error(&Mat::from_fn(2, 4, |d, k| square[d][k])), 4.0 + 4.0 + 1.0 + 1.0);
    }

    #[test]
    fn a_smooth_function_is_integrated_better_than_by_chance() {
        // E exp(½ Σ z_d / √6) = exp(1/8); plain Monte Carlo with 128 points errs by about 0.05.
        let points = NormalPoints::new(128, 6);
        let f = |z: &[f64]| (0.5 * z.iter().sum::<f64>() / 6f64.sqrt()).exp();
        let found = points.iter().map(f).sum::<f64>() / points.len() as f64;
        assert!((found - 0.125f64.exp()).abs() < 2e-3, "{found}");
    }
}
