//! Standardization of feature columns by training statistics, with its exact derivative.

use crate::linalg::dense::reshape;
use crate::linalg::simd::{lane_sum, vectorized};
use faer::prelude::{Reborrow, ReborrowMut};
use faer::{Mat, MatMut, MatRef};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Deviation, relative to the largest value of its column, below which a column counts as constant. Features of
/// isomorphic complexes differ by about 1e-13; a deviation of that size must not be blown up to 1.
const CONSTANT: f64 = 1e-9;

/// Means and reciprocal deviations of the training columns; constant columns become 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Standardizer {
    means: Vec<f64>,
    inverses: Vec<f64>, // 1 / deviation, 0 where constant
}

/// The reciprocal of a deviation, or 0 where it is rounding.
fn inverse(deviation: f64, largest: f64) -> f64 {
    let live = deviation > CONSTANT * largest && (1.0 / deviation).is_finite();
    if live { 1.0 / deviation } else { 0.0 }
}

impl Standardizer {
    /// Mean and population deviation of every column of `features`, `[n, n_columns]`; row `i` counts `weights[i]`
    /// times, or once without weights.
    ///
    /// # Panics
    ///
    /// When there is not one weight a row.
    #[must_use]
    pub fn fit(features: MatRef<'_, f64>, weights: Option<&[f64]>) -> Self {
        let weights = Weights::new(weights, features.nrows());
        let n_columns = features.ncols();
        let (mut means, mut inverses) = (vec![0.0; n_columns], vec![0.0; n_columns]);
        vectorized(
            #[inline(always)]
            || {
                for (j, (mean, reciprocal)) in means.iter_mut().zip(&mut inverses).enumerate() {
                    let column = contiguous(features, j);
                    *mean = weights.mean(&column, |x| x);
                    let deviation = weights.mean(&column, |x| (x - *mean) * (x - *mean)).sqrt();
                    *reciprocal = inverse(deviation, largest(&column));
                }
            },
        );
        Self { means, inverses }
    }

    /// From the mean, the deviation and the largest magnitude of every column.
    pub(crate) fn from_moments(columns: impl Iterator<Item = (f64, f64, f64)>) -> Self {
        let (means, inverses) =
            columns.map(|(mean, deviation, most)| (mean, inverse(deviation, most))).unzip();
        Self { means, inverses }
    }

    /// Number of columns.
    #[must_use]
    pub fn n_columns(&self) -> usize {
        self.means.len()
    }

    /// Number of columns that are not constant.
    #[must_use]
    pub fn n_live(&self) -> usize {
        self.inverses.iter().filter(|&&r| r > 0.0).count()
    }

    /// Whether column `j` varies over the training data.
    #[must_use]
    pub fn is_live(&self, j: usize) -> bool {
        self.inverses[j] > 0.0
    }

    /// Whether there is a finite mean and reciprocal deviation for every column, which files do not promise.
    pub(crate) fn is_sound(&self) -> bool {
        self.means.len() == self.inverses.len()
            && self.means.iter().all(|mean| mean.is_finite())
            && self.inverses.iter().all(|inverse| inverse.is_finite() && *inverse >= 0.0)
    }

    /// Standardizes `features` in place: `z = (s − mean) / deviation`.
    ///
    /// # Panics
    ///
    /// When the number of columns is another.
    pub fn apply(&self, mut features: MatMut<'_, f64>) {
        assert_eq!(features.ncols(), self.n_columns(), "a standardizer fits the columns it has seen");
        for j in 0..features.ncols() {
            let (mean, inverse) = (self.means[j], self.inverses[j]);
            let mut column = features.rb_mut().col_mut(j);
            match column.rb_mut().try_as_col_major_mut() {
                Some(column) => {
                    let column = column.as_slice_mut();
                    vectorized(
                        #[inline(always)]
                        || column.iter_mut().for_each(|x| *x = (*x - mean) * inverse),
                    );
                }
                None => column.iter_mut().for_each(|x| *x = (*x - mean) * inverse),
            }
        }
    }

    /// Reverse mode through [`fit`](Self::fit) and [`apply`](Self::apply) on the same rows and weights: replaces
    /// `upstream`, the derivative of a function in `z`, by its derivative in the features.
    ///
    /// With `r = 1 / deviation` and shares `p_i` of the weights, `∂f/∂s_i = r (g_i − p_i Σ g − p_i z_i Σ g z)`.
    pub fn vjp(&self, z: MatRef<'_, f64>, mut upstream: MatMut<'_, f64>, weights: Option<&[f64]>) {
        let weights = Weights::new(weights, z.nrows());
        vectorized(
            #[inline(always)]
            || {
                for j in 0..z.ncols() {
                    let (z, inverse) = (contiguous(z, j), self.inverses[j]);
                    let mut column = upstream.rb_mut().col_mut(j);
                    match column.rb_mut().try_as_col_major_mut() {
                        Some(column) => weights.pull_back(&z, column.as_slice_mut(), inverse),
                        None => {
                            let mut copy: Vec<f64> = column.rb().iter().copied().collect();
                            weights.pull_back(&z, &mut copy, inverse);
                            column.iter_mut().zip(copy).for_each(|(g, value)| *g = value);
                        }
                    }
                }
            },
        );
    }

    /// Reverse mode through [`apply`](Self::apply) alone, with means and deviations held fixed.
    pub(crate) fn vjp_fixed(&self, mut upstream: MatMut<'_, f64>) {
        for (j, inverse) in self.inverses.iter().enumerate() {
            upstream.rb_mut().col_mut(j).iter_mut().for_each(|g| *g *= inverse);
        }
    }

    /// A standardized copy of `features`.
    #[must_use]
    pub fn applied(&self, features: MatRef<'_, f64>) -> Mat<f64> {
        let mut z = Mat::new();
        self.apply_into(features, &mut z);
        z
    }

    /// A standardized copy of `features` in the memory of `out`.
    pub(crate) fn apply_into(&self, features: MatRef<'_, f64>, out: &mut Mat<f64>) {
        assert_eq!(features.ncols(), self.n_columns(), "a standardizer fits the columns it has seen");
        reshape(out, features.nrows(), features.ncols());
        vectorized(
            #[inline(always)]
            || {
                for (j, (mean, inverse)) in self.means.iter().zip(&self.inverses).enumerate() {
                    let column = contiguous(features, j);
                    let places = out.col_as_slice_mut(j).iter_mut().zip(&*column);
                    places.for_each(|(z, x)| *z = (x - mean) * inverse);
                }
            },
        );
    }
}

/// Column `j` as a slice, copied only where it is not stored as one.
fn contiguous<'a>(matrix: MatRef<'a, f64>, j: usize) -> Cow<'a, [f64]> {
    match matrix.col(j).try_as_col_major() {
        Some(column) => Cow::Borrowed(column.as_slice()),
        None => Cow::Owned(matrix.col(j).iter().copied().collect()),
    }
}

/// The largest absolute value, 0 of none.
#[inline(always)]
fn largest(values: &[f64]) -> f64 {
    let (chunks, rest) = values.as_chunks::<8>();
    let mut lanes = [0.0f64; 8];
    for chunk in chunks {
        (0..8).for_each(|k| lanes[k] = lanes[k].max(chunk[k].abs()));
    }
    lanes.iter().chain(rest).fold(0.0, |a, x| a.max(x.abs()))
}

/// How much each row counts.
struct Weights<'a> {
    weights: Option<&'a [f64]>,
    total: f64,
}

impl<'a> Weights<'a> {
    fn new(weights: Option<&'a [f64]>, n: usize) -> Self {
        assert!(weights.is_none_or(|w| w.len() == n), "a weight for each of {n} rows");
        let total = weights.map_or(n as f64, |w| w.iter().sum());
        Self { weights, total: if total > 0.0 { total } else { 1.0 } }
    }

    /// The derivative of [`Standardizer::vjp`] in one column, in place of that in its standardized values `z`.
    #[inline(always)]
    fn pull_back(&self, z: &[f64], g: &mut [f64], inverse: f64) {
        let (sum, tilt) = (lane_sum(g, g, |g, _| g), lane_sum(g, z, |g, z| g * z));
        let pulled = |g: f64, z: f64, share: f64| inverse * (g - share * (sum + z * tilt));
        match self.weights {
            None => {
                let share = 1.0 / self.total;
                g.iter_mut().zip(z).for_each(|(g, z)| *g = pulled(*g, *z, share));
            }
            Some(weights) => {
                let places = g.iter_mut().zip(z).zip(weights);
                places.for_each(|((g, z), w)| *g = pulled(*g, *z, w / self.total));
            }
        }
    }

    #[inline(always)]
    fn mean(&self, values: &[f64], map: impl Fn(f64) -> f64) -> f64 {
        let sum = match self.weights {
            None => lane_sum(values, values, |x, _| map(x)),
            Some(weights) => lane_sum(values, weights, |x, w| map(x) * w),
        };
        sum / self.total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Mat<f64> {
        Mat::from_fn(7, 3, |i, j| match j {
            0 => 1e6 + (i as f64).sin(),
            1 => 5.0 + 1e-13 * i as f64, // constant but for rounding
            _ => (i * i) as f64 * 1e-8,
        })
    }

    #[test]
    fn live_columns_have_mean_zero_and_deviation_one_and_constant_ones_are_zero() {
        let standardizer = Standardizer::fit(sample().as_ref(), None);
        let z = standardizer.applied(sample().as_ref());
        assert_eq!((standardizer.n_live(), standardizer.is_live(1)), (2, false));
        for j in [0, 2] {
            let mean: f64 = z.col(j).iter().sum::<f64>() / 7.0;
            let square: f64 = z.col(j).iter().map(|x| x * x).sum::<f64>() / 7.0;
            assert!(mean.abs() < 1e-9 && (square - 1.0).abs() < 1e-9);
        }
        assert!(z.col(1).iter().all(|&x| x == 0.0));
    }

    const WEIGHTS: Option<&[f64]> = Some(&[1.0, 2.0, 1.0, 5.0, 1.0, 3.0]);

    #[test]
    fn a_weight_is_a_number_of_copies() {
        let rows = Mat::from_fn(3, 1, |i, _| [1.0, 4.0, 9.0][i]);
        let copies = Mat::from_fn(5, 1, |i, _| [1.0, 4.0, 4.0, 4.0, 9.0][i]);
        let weighted = Standardizer::fit(rows.as_ref(), Some(&[1.0, 3.0, 1.0]));
        let repeated = Standardizer::fit(copies.as_ref(), None);
        assert!((weighted.means[0] - repeated.means[0]).abs() < 1e-14);
        assert!((weighted.inverses[0] - repeated.inverses[0]).abs() < 1e-14);
    }

    #[test]
    fn the_derivative_equals_finite_differences() {
        let features = Mat::from_fn(6, 2, |i, j| ((3 * i + j) as f64).sin() * (1.0 + j as f64));
        let weights = Mat::from_fn(6, 2, |i, j| ((i + 5 * j) as f64).cos());
        let value = |s: &Mat<f64>| -> f64 {
            let z = Standardizer::fit(s.as_ref(), WEIGHTS).applied(s.as_ref());
            (0..2).flat_map(|j| (0..6).map(move |i| (i, j))).map(|at| weights[at] * z[at].powi(3)).sum()
        };
        let standardizer = Standardizer::fit(features.as_ref(), WEIGHTS);
        let z = standardizer.applied(features.as_ref());
        let mut gradient = Mat::from_fn(6, 2, |i, j| 3.0 * weights[(i, j)] * z[(i, j)].powi(2));
        standardizer.vjp(z.as_ref(), gradient.as_mut(), WEIGHTS);
        for i in 0..6 {
            for j in 0..2 {
                let (mut up, mut down) = (features.clone(), features.clone());
                up[(i, j)] += 1e-6;
                down[(i, j)] -= 1e-6;
                let expected = (value(&up) - value(&down)) / 2e-6;
                assert!((gradient[(i, j)] - expected).abs() < 1e-7, "{} {expected}", gradient[(i, j)]);
            }
        }
    }
}
