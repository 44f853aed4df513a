//! The kernel trained on the bound of all graphs, features and inducing graphs held: what SVGP does, by sums over leaves.
//!
//! L-BFGS climbs the bound with the posterior at its best for each kernel. It starts on samples, and what it learns there of the
//! curvature serves the larger ones: on all graphs few evaluations are left. The bound of a sample is its own; graphs that
//! count for all others would be fitted as if these were the same.

use super::posterior::{Inputs, rows, views};
use faer::{ColRef, Mat, Par, Scale, Side};
use hodgelet::gp::Sparse;
use hodgelet::gp::sparse::{InducingPrior, LEAF, Leaf, Natural, Term, sum_leaves};
use hodgelet::kernel::SumKernel;
use hodgelet::likelihood::{Likelihood, Observations};
use hodgelet::linalg::simd::{self, exp_in_place};
use hodgelet::model::ModelError;
use hodgelet::train::{LbfgsParams, MinimizeError, minimize};
use rayon::prelude::*;
use std::ops::ControlFlow;
use std::time::Instant;

/// Graphs of each sample, where there are more, and by how much a step must still raise the bound of a graph.
const SAMPLES: [(usize, f64); 2] = [(2 * LEAF, 4e-4), (8 * LEAF, 4e-4)];

/// As for samples, on all graphs.
const TOLERANCE: f64 = 2e-6;

/// Largest change of the logarithm of a value in the first step of all.
const FIRST_CHANGE: f64 = 0.5;

/// How a kernel was trained.
pub struct Trained {
    pub elbo: f64,
    /// Seconds and ELBO of all graphs, whenever it was evaluated.
    pub trace: Vec<(f64, f64)>,
    /// Graphs and evaluations of the bound with its gradient, for each sample and for all.
    pub evaluations: Vec<(usize, usize)>,
}

/// Trains the kernel of `inputs` from its present values.
///
/// # Errors
///
/// [`ModelError`] when kernel and features do not fit, or inference fails.
pub fn train(inputs: &Inputs<'_>, inducing: &[usize], inference: Sparse) -> Result<Trained, ModelError> {
    let began = Instant::now();
    let n = inputs.labels.len();
    let chosen: Vec<Mat<f64>> = inputs.features.iter().map(|own| rows(own, inducing)).collect();
    let mut theta = inputs.kernel.params();
    let mut curvature = None;
    let (mut trace, mut evaluations, mut held) = (Vec::new(), Vec::new(), None);
    let stages = SAMPLES.into_iter().filter(|&(size, _)| 2 * size <= n).chain([(n, TOLERANCE)]);
    for (size, tolerance) in stages {
        let places = sample(inputs.labels, size);
        let mut bound = Bound {
            distances: leaf_distances(inputs.features, &places, &chosen),
            labels: places.iter().map(|&i| inputs.labels[i]).collect(),
            chosen: &chosen,
            likelihood: inputs.likelihood,
            kernel: inputs.kernel.clone(),
            inference,
            held,
        };
        let mut seen = |elbo: f64| {
            if size == n {
                trace.push((began.elapsed().as_secs_f64(), elbo));
            }
        };
        let count = bound.climb(&mut theta, &mut curvature, tolerance, &mut seen)?;
        evaluations.push((places.len(), count));
        held = bound.held;
    }
    let elbo = trace.iter().map(|&(_, elbo)| elbo).fold(f64::NEG_INFINITY, f64::max);
    Ok(Trained { elbo, trace, evaluations })
}

/// Places of about `size` graphs, evenly spaced within each class, so that classes keep their shares.
fn sample(labels: &[u32], size: usize) -> Vec<usize> {
    if size >= labels.len() {
        return (0..labels.len()).collect();
    }
    let step = labels.len() as f64 / size as f64;
    let mut counts = [0usize; 2];
    let is_chosen = |&i: &usize| {
        let count = &mut counts[labels[i] as usize];
        *count += 1;
        // Whether a multiple of the step lies between the ranks before and after.
        (*count as f64 / step).floor() > ((*count - 1) as f64 / step).floor()
    };
    (0..labels.len()).filter(is_chosen).collect()
}

/// The bound of some graphs as a function of the kernel.
struct Bound<'a> {
    distances: Vec<Vec<Mat<f64>>>, // per leaf and block, [n, M], squared
    labels: Vec<u32>,
    chosen: &'a [Mat<f64>],
    likelihood: &'a Likelihood,
    kernel: SumKernel,
    inference: Sparse,
    /// The last Gaussian with its prior, and the number of graphs that it is from.
    held: Option<(Natural, InducingPrior, usize)>,
}

/// What a leaf adds to the gradient.
struct Slope {
    params: Vec<f64>,
    products: Mat<f64>, // lower triangle of G Vᵀ, [M, M]
}

impl Term for Slope {
    fn add(&mut self, other: &Self) {
        self.params.iter_mut().zip(&other.params).for_each(|(a, b)| *a += b);
        self.products += &other.products;
    }
}

impl Bound<'_> {
    /// Moves `theta` uphill, and `curvature`, the inverse of minus the second derivatives of the bound of one graph, with it.
    /// Returns the number of evaluations.
    fn climb(
        &mut self,
        theta: &mut Vec<f64>,
        curvature: &mut Option<Mat<f64>>,
        tolerance: f64,
        seen: &mut impl FnMut(f64),
    ) -> Result<usize, ModelError> {
        let training = |reason: String| ModelError::Training { reason };
        let p = theta.len();
        let is_known = curvature.is_some();
        let inverse = curvature.get_or_insert_with(|| Mat::identity(p, p));
        let root = inverse.llt(Side::Lower).map_err(|error| training(format!("{error:?}")))?.L().to_owned();
        let start = theta.clone();
        let at = |z: &[f64]| -> Vec<f64> {
            let step = &root * ColRef::from_slice(z);
            start.iter().zip(step.iter()).map(|(a, b)| a + b).collect()
        };
        // With the curvature known, a step along the gradient is one of Newton's.
        let scale = -1.0 / self.labels.len() as f64;
        let mut seen_at: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
        let mut evaluate = |z: &[f64]| -> Result<(f64, Vec<f64>), ModelError> {
            let point = at(z);
            let (elbo, gradient) = self.evaluate(&point, seen)?;
            let slope: Vec<f64> = gradient.iter().map(|g| scale * g).collect();
            let own = (root.transpose() * ColRef::from_slice(&slope)).iter().copied().collect();
            seen_at.push((z.to_vec(), slope));
            Ok((scale * elbo, own))
        };
        let first = evaluate(&vec![0.0; p])?;
        let largest = first.1.iter().fold(0.0f64, |largest, g| largest.max(g.abs()));
        let params = LbfgsParams {
            objective_tolerance: tolerance,
            max_iterations: 60,
            first_change: if is_known { largest.clamp(1e-12, FIRST_CHANGE) } else { FIRST_CHANGE },
            ..LbfgsParams::default()
        };
        let params = params.check().map_err(|error| training(error.to_string()))?;
        let mut path = vec![vec![0.0; p]];
        let found = minimize(
            &params,
            &vec![0.0; p],
            |z, out| {
                let (value, gradient) =
                    if z.iter().all(|z| *z == 0.0) { first.clone() } else { evaluate(z)? };
                out.copy_from_slice(&gradient);
                Ok::<_, ModelError>(value)
            },
            |progress| {
                path.push(progress.point.to_vec());
                ControlFlow::Continue(())
            },
        );
        let minimum = found.map_err(|error| match error {
            MinimizeError::Start(error) => error,
            error => training(error.to_string()),
        })?;
        let slope_at = |z: &[f64]| seen_at.iter().find(|(point, _)| point == z).map(|(_, slope)| slope);
        for (k, pair) in path.windows(2).enumerate() {
            if let (Some(before), Some(after)) = (slope_at(&pair[0]), slope_at(&pair[1])) {
                let s: Vec<f64> = at(&pair[1]).iter().zip(at(&pair[0])).map(|(a, b)| a - b).collect();
                let y: Vec<f64> = after.iter().zip(before).map(|(a, b)| a - b).collect();
                if k == 0 && !is_known {
                    // The size of the curvature, [Nocedal06] Eq. (6.20).
                    *inverse = Scale((dot(&s, &y) / dot(&y, &y)).max(1e-3)) * Mat::<f64>::identity(p, p);
                }
                update(inverse, &s, &y);
            }
        }
        *theta = at(&minimum.point);
        Ok(seen_at.len())
    }

    /// The bound with its best Gaussian, and its derivatives in the logarithms of the values of the kernel; `seen` is told
    /// the bound after each pass.
    fn evaluate(&mut self, theta: &[f64], seen: &mut impl FnMut(f64)) -> Result<(f64, Vec<f64>), ModelError> {
        self.kernel.set_params(theta)?;
        let (kernel, likelihood) = (&self.kernel, self.likelihood);
        let chosen = views(self.chosen);
        let prior = InducingPrior::new(kernel.gram(&chosen, Par::rayon(0))?.as_ref(), Par::rayon(0))?;
        let n_leaves = self.labels.len().div_ceil(LEAF);
        let leaves = (0..n_leaves).into_par_iter().map(|k| {
            let labels = &self.labels[k * LEAF..self.labels.len().min((k + 1) * LEAF)];
            let observations = Observations::classes(2, labels)?;
            let covariances = cross(kernel, &self.distances[k]);
            let own = vec![own_covariance(kernel); labels.len()];
            Ok::<_, ModelError>(Leaf::new(prior.project(covariances.as_ref()), &own, observations)?)
        });
        let leaves = leaves.collect::<Result<Vec<Leaf>, _>>()?;
        let zeros = || Natural::zeros(prior.len(), likelihood.n_latents(), likelihood.n_factors());
        let n = self.labels.len();
        let start = self.held.take().map_or_else(zeros, |(natural, before, seen)| {
            natural.carried(&before, &prior, n as f64 / seen as f64, Par::rayon(0))
        });
        let fit = self.inference.iterate(start, None, likelihood, Par::rayon(0), |moments| {
            let pass = |k: usize| leaves[k].pass(moments, likelihood);
            let sum = sum_leaves(0..n_leaves, pass)?.total().expect("there is a leaf, and none is missing");
            seen(sum.value - moments.divergence());
            Ok::<_, ModelError>(sum)
        })?;
        let inverse = prior.inverse(Par::rayon(0));
        let slope = |k: usize| {
            let leaf: &Leaf = &leaves[k];
            let own = leaf.gradient(&fit.moments, likelihood)?;
            let mut products = Mat::zeros(prior.len(), prior.len());
            leaf.add_projected_product(own.projected.as_ref(), &mut products);
            let slopes = prior.cross_gradient(inverse.as_ref(), own.projected.as_ref());
            let params = cross_slopes(kernel, &self.distances[k], &slopes, &own.diagonal);
            Ok::<_, ModelError>(Slope { params, products })
        };
        let mut sum = sum_leaves(0..n_leaves, slope)?.total().expect("there is a leaf, and none is missing");
        let among = prior.gram_gradient(inverse.as_ref(), sum.products.as_ref(), Par::rayon(0));
        let own =
            kernel.cross_backward(&chosen, &chosen, among.as_ref(), &vec![0.0; prior.len()], |_| false)?;
        sum.params.iter_mut().zip(&own.params).for_each(|(a, b)| *a += b);
        self.held = Some((fit.natural, prior, n));
        Ok((fit.elbo, sum.params))
    }
}

/// Squared distances between the points at `places` and the inducing ones, leaf by leaf and block by block. Lengthscales scale
/// them, so that they are computed once.
fn leaf_distances(features: &[Mat<f64>], places: &[usize], chosen: &[Mat<f64>]) -> Vec<Vec<Mat<f64>>> {
    let of_block = |places: &[usize], own: &Mat<f64>, chosen: &Mat<f64>| {
        let own = rows(own, places);
        let norms = |points: &Mat<f64>| -> Vec<f64> {
            (0..points.nrows()).map(|i| points.row(i).squared_norm_l2()).collect()
        };
        let (left, right) = (norms(&own), norms(chosen));
        let mut out = &own * chosen.transpose();
        for (j, right) in right.iter().enumerate() {
            let column = out.col_as_slice_mut(j).iter_mut().zip(&left);
            column.for_each(|(value, left)| *value = (left + right - 2.0 * *value).max(0.0));
        }
        out
    };
    let leaf =
        |places: &[usize]| features.iter().zip(chosen).map(|(own, z)| of_block(places, own, z)).collect();
    places.par_chunks(LEAF).map(leaf).collect()
}

/// The covariance of a point with itself.
fn own_covariance(kernel: &SumKernel) -> f64 {
    kernel.blocks().iter().map(|block| block.variance).sum::<f64>() + kernel.constant().unwrap_or(0.0)
}

/// A block of squared exponentials: its values at squared distances.
fn values(lengthscale: f64, distances: &[f64], out: &mut [f64]) {
    let scale = -0.5 / (lengthscale * lengthscale);
    out.iter_mut().zip(distances).for_each(|(out, d)| *out = scale * d);
    exp_in_place(out);
}

/// Covariances of a leaf with the inducing points, `[n, M]`.
fn cross(kernel: &SumKernel, distances: &[Mat<f64>]) -> Mat<f64> {
    let (n, m) = distances[0].shape();
    let mut out = Mat::full(n, m, kernel.constant().unwrap_or(0.0));
    let mut column = vec![0.0; n];
    for j in 0..m {
        for (block, distances) in kernel.blocks().iter().zip(distances) {
            values(block.base.lengthscales.values[0], distances.col_as_slice(j), &mut column);
            let own = out.col_as_slice_mut(j).iter_mut().zip(&column);
            own.for_each(|(out, value)| *out += block.variance * value);
        }
    }
    out
}

/// Derivatives in the logarithms of the values of the kernel, from those in the covariances of a leaf and in its variances.
fn cross_slopes(kernel: &SumKernel, distances: &[Mat<f64>], slopes: &Mat<f64>, diagonal: &[f64]) -> Vec<f64> {
    let (n, m) = slopes.shape();
    let along: f64 = diagonal.iter().sum();
    let (mut params, mut column) = (Vec::new(), vec![0.0; n]);
    for (block, distances) in kernel.blocks().iter().zip(distances) {
        let lengthscale = block.base.lengthscales.values[0];
        let (mut by_variance, mut by_distance) = (0.0, 0.0);
        for j in 0..m {
            let own = distances.col_as_slice(j);
            values(lengthscale, own, &mut column);
            column.iter_mut().zip(slopes.col_as_slice(j)).for_each(|(value, slope)| *value *= slope);
            by_variance += column.iter().sum::<f64>();
            by_distance += simd::dot(&column, own);
        }
        params.push(block.variance * (by_variance + along));
        params.push(block.variance * by_distance / (lengthscale * lengthscale));
    }
    let constant = |constant: f64| constant * ((0..m).map(|j| slopes.col(j).sum()).sum::<f64>() + along);
    params.extend(kernel.constant().map(constant));
    params
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The inverse of second derivatives after a step `s` along which the gradient changed by `y`, \[Nocedal06\] Eq. (6.17).
fn update(inverse: &mut Mat<f64>, s: &[f64], y: &[f64]) {
    let along = dot(s, y);
    if along <= 1e-12 * dot(s, s).sqrt() * dot(y, y).sqrt() {
        return; // curved the other way: nothing is learned
    }
    let p = s.len();
    let hy: Vec<f64> = (0..p).map(|i| (0..p).map(|j| inverse[(i, j)] * y[j]).sum()).collect();
    let factor = (1.0 + dot(y, &hy) / along) / along;
    for i in 0..p {
        for j in 0..p {
            inverse[(i, j)] += factor * s[i] * s[j] - (hy[i] * s[j] + s[i] * hy[j]) / along;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use faer::MatRef;
    use hodgelet::gp::SparseParams;
    use hodgelet::kernel::{BaseKernel, BlockKernel, Family, Lengthscales};
    use hodgelet::settings::ClassLikelihood;

    fn kernel() -> SumKernel {
        let block = |variance, lengthscale| {
            let base = BaseKernel::new(Family::SquaredExponential, Lengthscales::isotropic(lengthscale));
            BlockKernel::new(variance, base)
        };
        SumKernel::new(vec![block(0.7, 1.3), block(1.4, 0.8)]).unwrap().with_constant(0.3).unwrap()
    }

    fn features(n: usize) -> Vec<Mat<f64>> {
        (0..2).map(|b| Mat::from_fn(n, 3, |i, j| ((5 * i + 3 * j + 7 * b) as f64).sin())).collect()
    }

    #[test]
    fn covariances_and_slopes_are_those_of_the_library() {
        let (kernel, features) = (kernel(), features(9));
        let chosen: Vec<Mat<f64>> = features.iter().map(|own| rows(own, &[1, 4, 7])).collect();
        let distances = leaf_distances(&features, &(0..9).collect::<Vec<_>>(), &chosen).remove(0);
        let all: Vec<MatRef<'_, f64>> = views(&features);
        let expected = kernel.cross(&all, &views(&chosen), Par::Seq).unwrap();
        assert!((cross(&kernel, &distances) - expected).norm_max() < 1e-13);
        assert!((own_covariance(&kernel) - kernel.diagonal(&all).unwrap()[3]).abs() < 1e-13);
        let g = Mat::from_fn(9, 3, |i, j| ((i * 3 + j) as f64).cos());
        let d: Vec<f64> = (0..9).map(|i| (i as f64 + 0.5).sin()).collect();
        let expected =
            kernel.cross_backward(&all, &views(&chosen), g.as_ref(), &d, |_| false).unwrap().params;
        for (found, expected) in cross_slopes(&kernel, &distances, &g, &d).iter().zip(&expected) {
            assert!((found - expected).abs() < 1e-12, "{found} but {expected}");
        }
    }

    #[test]
    fn training_raises_the_bound_from_samples_to_all() {
        let n = 5 * LEAF;
        let features = features(n);
        let labels: Vec<u32> =
            (0..n).map(|i| u32::from(features[0][(i, 0)] + features[1][(i, 1)] > 0.4)).collect();
        let likelihood = ClassLikelihood::Auto.of(2).check(2).unwrap();
        let kernel = kernel();
        let inputs =
            Inputs { kernel: &kernel, likelihood: &likelihood, features: &features, labels: &labels };
        let inference = SparseParams { tolerance: 1e-6, max_passes: 50 }.check().unwrap();
        let trained = train(&inputs, &[0, 11, 22, 33, 44], inference).unwrap();
        assert_eq!(trained.evaluations.iter().map(|e| e.0).collect::<Vec<_>>()[1..], [n]);
        let start = super::super::posterior(&inputs, &[0, 11, 22, 33, 44], inference).unwrap();
        assert!(trained.elbo > start.elbo + 1.0, "{} from {}", trained.elbo, start.elbo);
        assert_eq!(sample(&labels, n).len(), n);
    }

    /// A quadratic: after as many steps as there are directions the inverse is right along all of them.
    #[test]
    fn curvature_is_learned_from_steps() {
        let hessian = [[2.0, 0.5], [0.5, 1.0]];
        let mut inverse = Mat::identity(2, 2);
        for s in [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]] {
            let y = hessian.map(|row| dot(&row, &s));
            update(&mut inverse, &s, &y);
            for i in 0..2 {
                let back: f64 = (0..2).map(|j| inverse[(i, j)] * y[j]).sum();
                assert!((back - s[i]).abs() < 1e-12);
            }
        }
    }
}
