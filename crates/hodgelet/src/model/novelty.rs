//! How far a complex is from what the model was trained on, in units of its own kernel.
//!
//! The distance of two complexes is what their covariance lacks, constant left out, relative to the prior variance:
//!
//! ```text
//! d(G, G') = (κ(G, G) + κ(G', G') − 2 κ(G, G')) / (κ(G, G) + κ(G', G'))
//! ```
//!
//! For stationary kernels it is 1 minus the prior correlation of the two latent values: 0 for equal features, 1 for
//! complexes that say nothing about each other. The distance in a block is the same for its term of the kernel alone, so
//! that a block of small variance is seen as well. Where a model has several states, distances are averages over them.

use super::ModelError;
use super::fitted::{Model, Trained};
use crate::feature::Block;
use crate::kernel::{BlockKernel, Inputs, SumKernel};
use crate::measure::ComplexMeasures;
use faer::{Mat, Par};
use rayon::prelude::*;

/// Training complexes compared at a time: their kernel rows fit in memory.
const CHUNK: usize = 1024;

/// Share of complexes like the training ones that may be called far.
const LEVEL: f64 = 0.01;

/// Distances up to this are rounding: features of isomorphic graphs agree to 1e-9 of their range.
const EQUAL: f64 = 1e-9;

/// How far one complex is from the training complexes.
#[derive(Clone, Debug, PartialEq)]
pub struct Novelty {
    /// Latent variance over prior variance, the constant left out of the latter, in the mean over latent functions: near 0
    /// where the training complexes decide the latent value, 1 (or a little more, for the constant is uncertain too) where
    /// they say nothing about it.
    pub variance_ratio: f64,
    /// Distance to the nearest training complex: 0 for equal features, 1 for nothing in common.
    pub distance: f64,
    /// The nearest training complex, by its place among those that the model was trained on: under most states, and the first
    /// of equals, which at distance 1 all of them are. Of a sparse posterior the nearest inducing complex.
    pub nearest: usize,
    /// For each block, the distance to the training complex that is nearest in it.
    pub block_distances: Vec<f64>,
    /// The block whose distance is largest relative to its threshold.
    pub far_block: Block,
    /// Whether a distance, as a whole or in a block, is above its threshold in [`TrainingDistances`].
    pub is_far: bool,
}

/// How far the training complexes are from each other, and what that makes far.
///
/// A threshold is an order statistic of the distances of the training complexes to the nearest other one. Of complexes
/// drawn as they were about 1 in 100 is called far: with `n` training complexes and `B` blocks each of the `B + 1`
/// thresholds is the `⌈(1 − 0.01/(B + 1)) (n + 1)⌉`-th smallest distance. With fewer than about `100 (B + 1)` complexes
/// it is the largest, and up to `B + 1` in `n + 1` are called far.
#[derive(Clone, Debug, PartialEq)]
pub struct TrainingDistances {
    /// From each training complex to the nearest other one.
    pub distances: Vec<f64>,
    /// What a distance must exceed to be called far.
    pub threshold: f64,
    /// The same for the distance in each block.
    pub block_thresholds: Vec<f64>,
}

/// Distances to the nearest training point under one state.
pub(super) struct Nearest {
    /// As a whole, with the point.
    whole: Vec<(f64, usize)>,
    /// Per block.
    blocks: Vec<Vec<f64>>,
    /// Prior variances of the complexes and of the training points, without the constant: per block, and in all.
    prior: Vec<[Vec<f64>; 2]>,
    /// The first complex is this training point, the others follow it, and none counts as its own nearest.
    own: Option<usize>,
}

impl Nearest {
    /// Before the covariances of complexes with these features are known.
    pub(super) fn new(state: &Trained, inputs: &[Inputs], own: Option<usize>) -> Result<Self, ModelError> {
        let mut prior = Vec::new();
        let mut whole = [inputs, &state.inputs].map(|z| vec![0.0; z[0].nrows()]);
        for (b, kernel) in state.kernel.blocks().iter().enumerate() {
            let each = [variances(kernel, &inputs[b])?, variances(kernel, &state.inputs[b])?];
            for (sums, values) in whole.iter_mut().zip(&each) {
                sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
            }
            prior.push(each);
        }
        prior.push(whole);
        Ok(Self { whole: Vec::new(), blocks: Vec::new(), prior, own })
    }

    /// Sees the covariances with the training points in block `b`, one block after the other.
    pub(super) fn add_block(&mut self, b: usize, covariances: &Mat<f64>) {
        let nearest = self.nearest(&self.prior[b], covariances);
        self.blocks.push(nearest.into_iter().map(|(distance, _)| distance).collect());
    }

    /// Sees their sum over the blocks, without the constant.
    pub(super) fn finish(&mut self, covariances: &Mat<f64>) {
        self.whole = self.nearest(&self.prior[self.blocks.len()], covariances);
    }

    fn nearest(&self, [own, training]: &[Vec<f64>; 2], covariances: &Mat<f64>) -> Vec<(f64, usize)> {
        let mut best = vec![(f64::INFINITY, 0); own.len()];
        for (j, other) in training.iter().enumerate() {
            for (i, (&k, best)) in covariances.col_as_slice(j).iter().zip(&mut best).enumerate() {
                let distance = relative(k, own[i] + other);
                // The first of equals.
                if distance < best.0 && self.own.is_none_or(|first| first + i != j) {
                    *best = (distance, j);
                }
            }
        }
        best
    }
}

impl Model {
    /// How far the training complexes are from each other, and what that makes far.
    ///
    /// # Errors
    ///
    /// [`ModelError`] does not occur for a sound model.
    ///
    /// # Complexity
    ///
    /// As the covariances in a prediction of the training complexes; found once for each model.
    pub fn training_distances(&self) -> Result<&TrainingDistances, ModelError> {
        if let Some(found) = self.distances.get() {
            return Ok(found);
        }
        // Two threads that come here at once find the same bits.
        let found = self.find_training_distances()?;
        Ok(self.distances.get_or_init(|| found))
    }

    fn find_training_distances(&self) -> Result<TrainingDistances, ModelError> {
        if let Some(reference) = &self.reference {
            return self.distances_to_inducing(reference);
        }
        let n_points = self.observations.n_points();
        let firsts = (0..n_points).step_by(CHUNK);
        let work: Vec<_> =
            firsts.flat_map(|first| self.all_states().iter().map(move |s| (first, s))).collect();
        let one =
            |&(first, state): &(usize, &Trained)| state.nearest_others(first, CHUNK.min(n_points - first));
        let found: Vec<_> = work.par_iter().map(one).collect();
        let found = found.into_iter().collect::<Result<Vec<_>, _>>()?;
        let weight = 1.0 / self.all_states().len() as f64;
        let n_blocks = self.blocks().len();
        // Of each point: per block, and in all.
        let mut means = vec![vec![0.0; n_points]; n_blocks + 1];
        for ((first, _), nearest) in work.iter().zip(&found) {
            let whole = nearest.whole.iter().map(|(distance, _)| *distance).collect();
            for (means, distances) in means.iter_mut().zip(nearest.blocks.iter().chain([&whole])) {
                means[*first..].iter_mut().zip(distances).for_each(|(mean, d)| *mean += weight * d);
            }
        }
        let points = self.observations.points();
        let mut counts = vec![0; n_points];
        points.iter().for_each(|&point| counts[point] += 1);
        // A complex that is there twice is at distance 0 from the other one.
        let alone = |point: usize| counts[point] == 1 && n_points > 1;
        let each = |means: &Vec<f64>| -> Vec<f64> {
            points.iter().map(|&point| if alone(point) { means[point] } else { 0.0 }).collect()
        };
        let mut all: Vec<Vec<f64>> = means.iter().map(each).collect();
        let distances = all.pop().expect("the whole comes after the blocks");
        let level = LEVEL / (n_blocks + 1) as f64;
        let block_thresholds = all.iter().map(|distances| threshold(distances, level)).collect();
        Ok(TrainingDistances { threshold: threshold(&distances, level), distances, block_thresholds })
    }

    /// The same for a sparse posterior: how far a sample of the training complexes is from the inducing ones, those that are
    /// inducing themselves left out.
    fn distances_to_inducing(&self, reference: &[Inputs]) -> Result<TrainingDistances, ModelError> {
        let nearest = self.mode.nearest_of(reference, None)?;
        let others: Vec<usize> = (0..nearest.whole.len()).filter(|&i| nearest.whole[i].0 > EQUAL).collect();
        let pick = |distance: &dyn Fn(usize) -> f64| match others.len() {
            0 => vec![0.0],
            _ => others.iter().map(|&i| distance(i)).collect::<Vec<f64>>(),
        };
        let level = LEVEL / (nearest.blocks.len() + 1) as f64;
        let of_block = |own: &Vec<f64>| threshold(&pick(&|i| own[i]), level);
        let block_thresholds = nearest.blocks.iter().map(of_block).collect();
        let distances = pick(&|i| nearest.whole[i].0);
        Ok(TrainingDistances { threshold: threshold(&distances, level), distances, block_thresholds })
    }

    /// The training complexes nearest to each of some: their places among those that the model was trained on with their
    /// distances, the nearest first, at most `count`.
    ///
    /// Distances are those of [`Novelty`] at the mode of the hyperparameters. Of training complexes with equal features the
    /// first is named, and of a sparse posterior inducing complexes alone.
    ///
    /// # Errors
    ///
    /// [`ModelError`] when the measures are not of this model.
    pub fn nearest_training(
        &self,
        measures: &[&ComplexMeasures],
        count: usize,
    ) -> Result<Vec<Vec<(usize, f64)>>, ModelError> {
        let blocks = self.space().measures_in_units(measures);
        let inputs = self.blocks().iter().zip(&blocks).map(|(space, of)| space.inputs(of));
        let inputs = inputs.collect::<Result<Vec<Inputs>, _>>()?;
        let nearest = Nearest::new(&self.mode, &inputs, None)?;
        let mut cross = Mat::zeros(measures.len(), self.mode.inputs[0].nrows());
        for (b, rows) in inputs.iter().enumerate() {
            cross += self.mode.kernel.cross_block(b, rows, &self.mode.inputs[b], Par::Seq)?;
        }
        let [own, training] = &nearest.prior[inputs.len()];
        let first = self.first_places();
        let of = |i: usize| {
            let mut all: Vec<(usize, f64)> = (0..training.len())
                .map(|j| (first[j], relative(cross[(i, j)], own[i] + training[j])))
                .collect();
            all.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
            all.truncate(count);
            all
        };
        Ok((0..measures.len()).map(of).collect())
    }

    /// The first training complex at each training point; of a sparse posterior the inducing complexes.
    fn first_places(&self) -> Vec<usize> {
        if let Some(sparse) = &self.summary.sparse {
            return sparse.inducing.clone();
        }
        let mut first = vec![usize::MAX; self.observations.n_points()];
        for (index, &point) in self.observations.points().iter().enumerate() {
            first[point] = first[point].min(index);
        }
        first
    }

    /// How far complexes are from the training complexes, from what is nearest to them and their latent variances under
    /// each state.
    pub(super) fn novelty(&self, states: &[(&Nearest, &Mat<f64>)]) -> Result<Vec<Novelty>, ModelError> {
        let training = self.training_distances()?;
        let first = self.first_places();
        let mean = |value: &dyn Fn(&Nearest, &Mat<f64>) -> f64| {
            states.iter().map(|(nearest, variance)| value(nearest, variance)).sum::<f64>()
                / states.len() as f64
        };
        let one = |i: usize| {
            let variance_ratio = mean(&|nearest, variance| {
                let latent = variance.row(i).iter().sum::<f64>() / variance.ncols() as f64;
                let prior = nearest.prior[nearest.blocks.len()][0][i];
                // A linear kernel has no variance at the origin.
                if prior > 0.0 { latent / prior } else { 1.0 }
            });
            let distance = mean(&|nearest, _| nearest.whole[i].0);
            let in_block = |b: usize| mean(&|nearest, _| nearest.blocks[b][i]);
            let block_distances: Vec<f64> = (0..self.blocks().len()).map(in_block).collect();
            let relative = |b: usize| block_distances[b] / training.block_thresholds[b];
            let farthest = (1..block_distances.len())
                .fold(0, |worst, b| if relative(b) > relative(worst) { b } else { worst });
            Novelty {
                variance_ratio,
                distance,
                nearest: most_frequent(states.iter().map(|(nearest, _)| first[nearest.whole[i].1])),
                far_block: self.blocks()[farthest].block,
                is_far: distance > training.threshold || relative(farthest) > 1.0,
                block_distances,
            }
        };
        Ok((0..states[0].1.nrows()).map(one).collect())
    }
}

impl Trained {
    /// What other training points are nearest to `count` of them from `first`.
    fn nearest_others(&self, first: usize, count: usize) -> Result<Nearest, ModelError> {
        let rows: Vec<usize> = (first..first + count).collect();
        let inputs: Vec<Inputs> = self.inputs.iter().map(|z| z.select(&rows)).collect();
        self.nearest_of(&inputs, Some(first))
    }

    /// What training points are nearest to points with these features.
    fn nearest_of(&self, inputs: &[Inputs], own: Option<usize>) -> Result<Nearest, ModelError> {
        let mut nearest = Nearest::new(self, inputs, own)?;
        let mut cross = Mat::zeros(inputs[0].nrows(), self.inputs[0].nrows());
        for (b, rows) in inputs.iter().enumerate() {
            let part = self.kernel.cross_block(b, rows, &self.inputs[b], Par::Seq)?;
            nearest.add_block(b, &part);
            cross += part;
        }
        nearest.finish(&cross);
        Ok(nearest)
    }
}

/// The distance of two points with this covariance and sum of prior variances.
fn relative(covariance: f64, whole: f64) -> f64 {
    // Two points at the origin of a linear kernel are equal.
    if whole > 0.0 { (1.0 - 2.0 * covariance / whole).max(0.0) } else { 0.0 }
}

/// Prior variances of one term of a kernel.
fn variances(kernel: &BlockKernel, inputs: &Inputs) -> Result<Vec<f64>, ModelError> {
    if kernel.base.family.is_stationary() {
        return Ok(vec![kernel.variance; inputs.nrows()]);
    }
    Ok(SumKernel::new(vec![kernel.clone()])?.diagonal(&[inputs])?)
}

/// What a distance must exceed to be called far, from those of the training complexes.
fn threshold(distances: &[f64], level: f64) -> f64 {
    let mut sorted = distances.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let n = sorted.len();
    // A whole rank stays whole.
    let rank = ((n + 1) as f64 * (1.0 - level) - 1e-9).ceil() as usize;
    sorted[rank.clamp(1, n) - 1].max(EQUAL)
}

/// The value that occurs most often, the smallest of equals.
fn most_frequent(values: impl Iterator<Item = usize>) -> usize {
    let mut sorted: Vec<usize> = values.collect();
    sorted.sort_unstable();
    let runs = sorted.chunk_by(|a, b| a == b);
    runs.fold((0, 0), |best, run| if run.len() > best.1 { (run[0], run.len()) } else { best }).0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_threshold_is_an_order_statistic_and_never_rounding() {
        let distances = |n: usize| (0..n).rev().map(|i| i as f64 / 1000.0).collect::<Vec<_>>();
        assert_eq!(threshold(&distances(999), 0.01), 0.989); // rank 990
        assert_eq!(threshold(&distances(99), 0.01), 0.098); // rank 99, the largest
        assert_eq!(threshold(&distances(20), 0.01), 0.019);
        assert_eq!(threshold(&[0.0, 0.0], 0.01), EQUAL);
    }

    #[test]
    fn the_most_frequent_value_is_the_smallest_of_equals() {
        assert_eq!(most_frequent([4, 2, 9, 2, 4].into_iter()), 2);
        assert_eq!(most_frequent([7].into_iter()), 7);
    }
}
