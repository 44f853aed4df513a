//! Whether a whole set of complexes is like the training set: a two-sample test with the model's own kernel.
//!
//! The statistic is the unbiased estimate of the squared maximum mean discrepancy \[Gretton12\], Eq. (3),
//!
//! ```text
//! MMD² = Σ_{i≠j} k(x_i, x_j)/m(m−1) + Σ_{i≠j} k(y_i, y_j)/n(n−1) − 2 Σ_{ij} k(x_i, y_j)/mn
//! ```
//!
//! with `k` the kernel at the most probable hyperparameters, constant left out, in units of the mean prior variance. Its
//! distribution without a change is that over random assignments of the pooled complexes to the two sets.

use super::fitted::Model;
use super::{BlockSpace, ModelError};
use crate::dataset::Dataset;
use crate::feature::BlockMeasures;
use crate::kernel::{Inputs, SumKernel};
use crate::linalg::clear_upper_registers;
use crate::linalg::simd::dot;
use crate::measure::ComplexMeasures;
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, Par};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;

/// Complexes compared of each set; of more, this many are drawn.
const MOST: usize = 1000;

/// Random assignments that the statistic is compared with: the smallest p-value is 1/1000.
const PERMUTATIONS: usize = 999;

/// Assignments that share a matrix product.
const BATCH: usize = 37;

/// Seed of all draws: the same sets have the same p-value.
const SEED: u64 = 0x6472_6966;

/// Statistics nearer than this, in units of the prior variance, are equal but for rounding.
const ROUNDING: f64 = 1e-12;

/// How a set of complexes compares with the training set as a whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Drift {
    /// Unbiased estimate of the squared maximum mean discrepancy in units of the prior variance: around 0, also below,
    /// without a change; 2 when the sets have nothing in common and each is all alike.
    pub statistic: f64,
    /// Share of random assignments of all complexes to two such sets, the actual one counted, that differ as much or more.
    /// Without a change it is uniform; a small one says that the sets differ, and not by how much.
    pub p_value: f64,
    /// Complexes of the new set.
    pub n_new: usize,
    /// Complexes that the model was trained on.
    pub n_training: usize,
    /// How many of the new set were compared: all, or 1000 drawn from them.
    pub compared_new: usize,
    /// How many of the training set were compared.
    pub compared_training: usize,
    /// Random assignments.
    pub permutations: usize,
}

impl Drift {
    /// Complexes that each set must have.
    pub const LEAST: usize = 5;
}

impl Model {
    /// Whether the complexes of `dataset` as a whole are like the training complexes.
    ///
    /// Neither the order of vertices nor that of complexes matters, and targets are not looked at.
    ///
    /// # Errors
    ///
    /// [`ModelError::TooFewToCompare`] for sets of fewer than [`Drift::LEAST`], otherwise as [`predict`](Self::predict).
    ///
    /// # Complexity
    ///
    /// Covariances of at most 2000 complexes and 999 products with them, some seconds on one core, besides the spectra.
    pub fn drift(&self, dataset: &Dataset) -> Result<Drift, ModelError> {
        self.drift_with(dataset, |_| ControlFlow::Continue(()))
    }

    /// As [`drift`](Self::drift); `progress` is told how many complexes are measured, and may stop the work.
    ///
    /// # Errors
    ///
    /// As [`drift`](Self::drift), and [`ModelError::Cancelled`].
    pub fn drift_with(
        &self,
        dataset: &Dataset,
        progress: impl FnMut(usize) -> ControlFlow<()>,
    ) -> Result<Drift, ModelError> {
        let measured = self.space.measurer.measure(dataset, progress)?;
        self.drift_measured(&measured.measures.iter().collect::<Vec<_>>())
    }

    /// As [`drift`](Self::drift), of complexes that were measured before with the model's encoding.
    ///
    /// # Errors
    ///
    /// As [`drift`](Self::drift); [`ModelError::Channels`] when they were measured with another.
    pub fn drift_measured(&self, measures: &[&ComplexMeasures]) -> Result<Drift, ModelError> {
        // A sparse posterior has a sample of the training complexes.
        let sampled: Vec<usize> = (0..self.reference.as_ref().map_or(0, |z| z[0].nrows())).collect();
        let (training, points) = match &self.reference {
            Some(reference) => (reference, &sampled[..]),
            None => (&self.mode.inputs, self.observations.points()),
        };
        let n_new = measures.len();
        for (which, found) in [("new", n_new), ("training", points.len())] {
            if found < Drift::LEAST {
                return Err(ModelError::TooFewToCompare { which, expected: Drift::LEAST, found });
            }
        }
        let inputs = |(space, measures): (&BlockSpace, BlockMeasures)| space.inputs(&measures);
        let measures = self.space.measures_in_units(measures);
        let new = self.mode.blocks.iter().zip(measures).map(inputs).collect::<Result<Vec<_>, _>>()?;
        let mut rng = ChaCha8Rng::seed_from_u64(SEED);
        let all_new: Vec<usize> = (0..n_new).collect();
        let chosen = [chosen(&new, &all_new, &mut rng), chosen(training, points, &mut rng)];
        let pooled =
            |(new, old): (&Inputs, &Inputs)| new.select(&chosen[0]).followed_by(&old.select(&chosen[1]));
        let inputs: Vec<Inputs> = new.iter().zip(training).map(pooled).collect();
        let views = Inputs::views(&inputs);
        let kernel = SumKernel::new(self.mode.kernel.blocks().to_vec())?;
        let gram = kernel.cross(&views, &views, Par::rayon(0))?;
        let (statistic, p_value) = two_sample(gram, chosen[0].len(), PERMUTATIONS, SEED);
        Ok(Drift {
            statistic,
            p_value,
            n_new,
            n_training: self.summary.n_train,
            compared_new: chosen[0].len(),
            compared_training: chosen[1].len(),
            permutations: PERMUTATIONS,
        })
    }
}

/// The rows that stand for a set: all of them, or [`MOST`] drawn, in an order that follows from the features alone.
fn chosen(inputs: &[Inputs], rows: &[usize], rng: &mut ChaCha8Rng) -> Vec<usize> {
    let keys = projections(inputs);
    let mut rows = rows.to_vec();
    rows.sort_by(|&a, &b| keys[a].total_cmp(&keys[b]));
    if rows.len() > MOST {
        rows = rows.partial_shuffle(rng, MOST).0.to_vec();
    }
    rows
}

/// A number for each row that different features hardly share.
fn projections(inputs: &[Inputs]) -> Vec<f64> {
    let golden = 0.5 * (5.0_f64.sqrt() - 1.0);
    let numbers: Vec<Mat<f64>> = inputs.iter().map(Inputs::fingerprint).collect();
    let columns: Vec<_> = numbers.iter().flat_map(|z| z.col_iter()).collect();
    let weights: Vec<f64> = (1..=columns.len()).map(|c| (golden * c as f64).fract()).collect();
    let project = |i: usize| columns.iter().zip(&weights).map(|(column, w)| w * column[i]).sum();
    (0..inputs[0].nrows()).map(project).collect()
}

/// The statistic of the first `m` points against the others, in units of the mean of the diagonal, and its p-value.
fn two_sample(mut gram: Mat<f64>, m: usize, permutations: usize, seed: u64) -> (f64, f64) {
    let total = gram.nrows();
    let unit = (0..total).map(|i| gram[(i, i)]).sum::<f64>() / total as f64;
    if unit <= 0.0 {
        return (0.0, 1.0); // every pair is equal
    }
    (0..total).for_each(|i| gram[(i, i)] = 0.0);
    let row_sums: Vec<f64> = (0..total).map(|j| gram.col_as_slice(j).iter().sum()).collect();
    let whole: f64 = row_sums.iter().sum();
    let (x, y) = (m as f64, (total - m) as f64);
    // With e the indicator of the first set: eᵀKe and eᵀK1 hold all three sums.
    let statistic = |within: f64, from: f64| {
        let (across, others) = (from - within, whole - 2.0 * from + within);
        (within / (x * (x - 1.0)) + others / (y * (y - 1.0)) - 2.0 * across / (x * y)) / unit
    };
    let of_assignments = |assignments: &[Vec<usize>]| -> Vec<f64> {
        let mut indicators = Mat::zeros(total, assignments.len());
        for (c, members) in assignments.iter().enumerate() {
            let column = indicators.col_as_slice_mut(c);
            members.iter().for_each(|&i| column[i] = 1.0);
        }
        let mut products = Mat::zeros(total, assignments.len());
        matmul(products.as_mut(), Accum::Replace, gram.as_ref(), indicators.as_ref(), 1.0, Par::Seq);
        clear_upper_registers();
        let one = |c: usize| {
            let indicator = indicators.col_as_slice(c);
            statistic(dot(indicator, products.col_as_slice(c)), dot(indicator, &row_sums))
        };
        (0..assignments.len()).map(one).collect()
    };
    let assignment = |p: usize| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(1 + p as u64);
        let mut members: Vec<usize> = (0..total).collect();
        members.partial_shuffle(&mut rng, m).0.to_vec()
    };
    let found = of_assignments(&[(0..m).collect()])[0];
    let batch = |first: usize| {
        let assignments: Vec<_> = (first..permutations.min(first + BATCH)).map(assignment).collect();
        let as_much = |value: &&f64| **value >= found - ROUNDING;
        of_assignments(&assignments).iter().filter(as_much).count()
    };
    let batches = permutations.div_ceil(BATCH);
    let more: usize = (0..batches).into_par_iter().map(|b| batch(b * BATCH)).sum();
    (found, (1 + more) as f64 / (1 + permutations) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_distr::{Distribution, StandardNormal};

    /// Squared exponential Gram matrix of normal points, the first `m` of them shifted.
    fn gram(m: usize, n: usize, shift: f64, seed: u64) -> Mat<f64> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let point = |i: usize| {
            let noise: f64 = StandardNormal.sample(&mut rng);
            noise + if i < m { shift } else { 0.0 }
        };
        let points: Vec<f64> = (0..m + n).map(point).collect();
        Mat::from_fn(m + n, m + n, |i, j| 3.0 * (-0.5 * (points[i] - points[j]).powi(2)).exp())
    }

    #[test]
    fn the_statistic_is_the_sum_over_pairs() {
        let (m, n, k) = (4, 7, gram(4, 7, 0.5, 1));
        let mean = |a: std::ops::Range<usize>, b: std::ops::Range<usize>| {
            let pairs: Vec<_> =
                a.flat_map(|i| b.clone().map(move |j| (i, j))).filter(|(i, j)| i != j).collect();
            pairs.iter().map(|&(i, j)| k[(i, j)] / 3.0).sum::<f64>() / pairs.len() as f64
        };
        let all = m + n;
        let expected = mean(0..m, 0..m) + mean(m..all, m..all) - 2.0 * mean(0..m, m..all);
        let (found, p_value) = two_sample(k.clone(), m, 99, 0);
        assert!((found - expected).abs() < 1e-14, "{found} {expected}");
        assert!((p_value * 100.0 - (p_value * 100.0).round()).abs() < 1e-12 && p_value > 0.0);
    }

    /// The largest gap between the distribution of 300 p-values and the uniform one passes 0.094 once in a hundred times.
    #[test]
    fn p_values_are_uniform_without_a_change_and_small_with_one() {
        let p_values = |shift: f64| {
            let mut found: Vec<f64> =
                (0..300).map(|seed| two_sample(gram(12, 30, shift, seed), 12, 199, seed).1).collect();
            found.sort_unstable_by(f64::total_cmp);
            found
        };
        let same = p_values(0.0);
        let gap = same.iter().enumerate().map(|(i, p)| (p - (i + 1) as f64 / 300.0).abs());
        let gap = gap.fold(0.0, f64::max);
        assert!(gap < 0.094, "{gap}");
        assert!(p_values(1.5)[270] <= 0.05);
    }

    #[test]
    fn sets_that_are_all_alike_do_not_differ() {
        assert_eq!(two_sample(Mat::full(12, 12, 2.0), 5, 99, 0), (0.0, 1.0));
        assert_eq!(two_sample(Mat::zeros(12, 12), 5, 99, 0), (0.0, 1.0));
    }
}
