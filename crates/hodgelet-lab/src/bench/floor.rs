//! One evaluation of the profiled ELBO with its gradient, against the matrix routines it cannot do without.
//!
//! The floor counts, at the shapes of the problem, on all threads (latent functions and panels of columns side by
//! side) or, where that takes less, on one:
//!
//! - for each latent function and inner iteration one Cholesky factor and one triangular inverse, `[n, n]`;
//! - for each latent function one product of triangular matrices, `(K + W⁻¹)⁻¹ = TᵀT`;
//! - for each block the product behind its distances (lower triangle) and, where its scales are trained, the one
//!   behind the derivatives in its features, `[n, n] · [n, n_columns]`;
//! - for each complex of a block whose scales are trained the product of squared filters and energies that gives its
//!   features, `[n_filters, n_atoms] · [n_atoms, n_live]`, and the one that takes derivatives back. What samplers evaluate
//!   has one larger product for all complexes in the place of these; the floor is the same for both.
//!
//! Left out: filters themselves, standardization, exponentials, expectations of the likelihood, products of a matrix and a
//! vector, corrections for negative sites, copies.

use faer::{Accum, Mat, Par};
use hodgelet::linalg::cholesky::{CholeskyScratch, factor_in_place, invert_lower};
use hodgelet::linalg::dense::{multiply, self_product_lower};
use hodgelet::linalg::symmetric::add_lower_gram;
use hodgelet::model::{Problem, StartBlock, TrainingObjective};
use hodgelet_cli::error::CommandError;
use rayon::prelude::*;
use serde::Serialize;
use std::time::Instant;

/// Size of the moves between evaluations in every parameter, as between steps near the end of training. All are upward:
/// a lengthscale may have ended at the least that distances resolve.
const MOVE: f64 = 1e-2;

/// Complexes that one task takes.
const CHUNK: usize = 16;

/// Seconds of one evaluation and of its matrix routines alone, medians of all evaluations.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Floor {
    pub evaluations: usize,
    /// Inner iterations of one evaluation, on average.
    pub inner_iterations: f64,
    pub evaluation_seconds: f64,
    /// Cholesky factors and triangular inverses.
    pub factor_seconds: f64,
    /// Products of matrices.
    pub product_seconds: f64,
    pub floor_seconds: f64,
    /// The median of the ratios of each evaluation to its routines, which are timed right after it: what other programs
    /// take of the machine, they take of both.
    pub ratio: f64,
}

/// Times `evaluations` warm evaluations of `objective`, one of `problem`, near `parameters`, and the floor of each.
///
/// # Errors
///
/// [`CommandError`] when the objective cannot be evaluated there.
pub fn measure(
    problem: &Problem,
    mut objective: TrainingObjective<'_>,
    parameters: &[f64],
    evaluations: usize,
) -> Result<Floor, CommandError> {
    objective.evaluate(parameters)?; // warms up caches and sites
    let mut routines = Routines::new(problem)?;
    let first = objective.inner_iterations();
    let mut times: [Vec<f64>; 5] = Default::default();
    for turn in 0..evaluations {
        let moved = |(p, x): (usize, &f64)| x + MOVE * ((turn + 1) as f64 * (p + 1) as f64).sin().abs();
        let moved: Vec<f64> = parameters.iter().enumerate().map(moved).collect();
        let before = objective.inner_iterations();
        let (evaluated, seconds) = timed(|| objective.evaluate(&moved));
        evaluated?;
        let inner = objective.inner_iterations() - before;
        routines.seconds(inner); // again, for caches
        let (factors, products) = routines.seconds(inner);
        let floor = factors + products;
        let all = [seconds, factors, products, floor, seconds / floor];
        times.iter_mut().zip(all).for_each(|(times, value)| times.push(value));
    }
    let inner_iterations = (objective.inner_iterations() - first) as f64 / evaluations as f64;
    let [evaluation_seconds, factor_seconds, product_seconds, floor_seconds, ratio] = times.map(median);
    Ok(Floor {
        evaluations,
        inner_iterations,
        evaluation_seconds,
        factor_seconds,
        product_seconds,
        floor_seconds,
        ratio,
    })
}

/// The matrices of all routines.
struct Routines {
    gram: Mat<f64>,
    latents: Vec<(Mat<f64>, Mat<f64>, CholeskyScratch)>,
    /// Features, their derivatives, and whether these are needed.
    blocks: Vec<(Mat<f64>, Mat<f64>, bool)>,
    /// Filters, energies, and the results of both products, of every complex in every trained block.
    complexes: Vec<[Mat<f64>; 4]>,
    out: Mat<f64>,
    par: Par,
}

impl Routines {
    fn new(problem: &Problem) -> Result<Self, CommandError> {
        let n = problem.n_points();
        let starts = problem.blocks()?;
        let latent = |_| (Mat::zeros(n, n), Mat::zeros(n, n), CholeskyScratch::default());
        let block = |start: &StartBlock<'_>| {
            let columns = start.measures.n_channels() * start.map.per_channel();
            (Mat::full(n, columns, 0.5), Mat::zeros(n, columns), start.map.bank().is_some())
        };
        let mut routines = Self {
            gram: well_conditioned(n),
            latents: (0..problem.n_latents()).map(latent).collect(),
            blocks: starts.iter().map(block).collect(),
            complexes: starts.iter().flat_map(complexes).collect(),
            out: Mat::zeros(n, n),
            par: Par::Seq,
        };
        routines.choose();
        Ok(routines)
    }

    /// One thread or all, whichever takes less time.
    fn choose(&mut self) {
        let mut seconds = |par| {
            self.par = par;
            let total = |_| timed(|| self.seconds(1)).1;
            median((0..7).map(total).collect())
        };
        let alone = seconds(Par::Seq);
        let together = seconds(Par::rayon(0));
        self.par = if together < alone { Par::rayon(0) } else { Par::Seq };
    }

    /// Seconds of factors and of products in one evaluation.
    fn seconds(&mut self, inner: usize) -> (f64, f64) {
        let mut factors = 0.0;
        for _ in 0..inner {
            self.latents.iter_mut().for_each(|(b, ..)| b.copy_from(&self.gram));
            factors += timed(|| each(&mut self.latents, self.par, factor)).1;
        }
        let products = timed(|| {
            each(&mut self.latents, self.par, |(out, inverse, _)| {
                add_lower_gram(inverse.as_ref(), 1.0, out.as_mut(), Par::Seq);
            });
            for (features, gradient, trained) in &mut self.blocks {
                self_product_lower(self.out.as_mut(), features.as_ref(), 1.0, self.par);
                if *trained {
                    let (square, features) = (self.gram.as_ref(), features.as_ref());
                    multiply(gradient.as_mut(), Accum::Replace, square, features, 1.0, self.par);
                }
            }
            each(&mut self.complexes, self.par, |[filters, energies, sums, slopes]| {
                let (replace, par) = (Accum::Replace, Par::Seq);
                multiply(sums.as_mut(), replace, filters.as_ref(), energies.as_ref(), 1.0, par);
                multiply(slopes.as_mut(), replace, sums.as_ref(), energies.transpose(), 1.0, par);
            });
        });
        (factors, products.1)
    }
}

/// The matrices behind the features of one block, if it is trained.
fn complexes(start: &StartBlock<'_>) -> Vec<[Mat<f64>; 4]> {
    let width = start.map.per_channel();
    let room = |i: usize| {
        let (atoms, live) = (start.distinct.atoms(i).len(), start.distinct.channels(i).count());
        let (filters, energies) = (Mat::full(width, atoms, 0.5), Mat::full(atoms, live, 0.5));
        [filters, energies, Mat::zeros(width, live), Mat::zeros(width, atoms)]
    };
    (0..start.distinct.len()).filter(|_| start.map.bank().is_some()).map(room).collect()
}

fn factor((b, inverse, scratch): &mut (Mat<f64>, Mat<f64>, CholeskyScratch)) {
    factor_in_place(b.as_mut(), scratch, Par::Seq)
        .expect("a covariance plus the identity is positive definite");
    invert_lower(b.as_ref(), inverse.as_mut(), Par::Seq);
}

/// Calls `work` on every item, on one thread or in tasks on all.
fn each<T: Send>(items: &mut [T], par: Par, work: impl Fn(&mut T) + Send + Sync) {
    match par {
        Par::Seq => items.iter_mut().for_each(work),
        Par::Rayon(_) => {
            let task = CHUNK.min(items.len().div_ceil(rayon::current_num_threads())).max(1);
            items.par_chunks_mut(task).for_each(|chunk| chunk.iter_mut().for_each(&work));
        }
    }
}

fn timed<R>(run: impl FnOnce() -> R) -> (R, f64) {
    let start = Instant::now();
    let result = run();
    (result, start.elapsed().as_secs_f64())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// A smooth covariance plus the identity, like `B = I + W^½ K W^½`.
fn well_conditioned(n: usize) -> Mat<f64> {
    Mat::from_fn(n, n, |i, j| {
        let d = (i as f64 - j as f64) / 10.0;
        (-0.5 * d * d).exp() + if i == j { 1.0 } else { 0.0 }
    })
}
