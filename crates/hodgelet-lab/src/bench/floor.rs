//! One evaluation of the profiled ELBO with its gradient, against the matrix routines it cannot do without.
//!
//! The floor counts, at the shapes of the problem, on all threads (latent functions and panels of columns side by
//! side) or, where that is faster, on one:
//!
//! - for each latent function and inner iteration one Cholesky factor and one triangular inverse, `[n, n]`;
//! - for each latent function one product of triangular matrices, `(K + W⁻¹)⁻¹ = TᵀT`;
//! - for each block the product behind its distances (lower triangle) and, where its scales are trained, the one
//!   behind the derivatives in its features, `[n, n] · [n, n_columns]`;
//! - for each complex of a block whose scales are trained the product of squared filters and energies that gives its
//!   features, `[n_filters, n_atoms] · [n_atoms, n_live]`, and the one that takes derivatives back.
//!
//! Left out: filters themselves, standardization, exponentials, expectations of the likelihood, products of a matrix and a
//! vector, corrections for negative sites, copies.

use faer::{Accum, Mat, Par};
use hodgelet::linalg::cholesky::{CholeskyScratch, factor_in_place, invert_lower};
use hodgelet::linalg::dense::{multiply, self_product_lower};
use hodgelet::linalg::symmetric::add_lower_gram;
use hodgelet::model::{Problem, StartBlock};
use hodgelet_cli::error::CommandError;
use rayon::prelude::*;
use serde::Serialize;
use std::time::Instant;

/// Size of the moves between evaluations in every parameter, as between steps near the end of training. All are upward:
/// a lengthscale may have ended at the least that distances resolve.
const MOVE: f64 = 1e-2;

/// Times that the same evaluations are made.
pub const ROUNDS: usize = 7;

/// Complexes that one task takes.
const CHUNK: usize = 16;

/// Seconds of one evaluation and of its matrix routines alone: of every run the median of several, because other programs
/// take their share.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Floor {
    pub evaluations: usize,
    /// Inner iterations of one evaluation.
    pub inner_iterations: f64,
    pub evaluation_seconds: f64,
    /// Cholesky factors and triangular inverses.
    pub factor_seconds: f64,
    /// Products of matrices.
    pub product_seconds: f64,
    pub floor_seconds: f64,
    /// `evaluation_seconds / floor_seconds`.
    pub ratio: f64,
}

/// Times `evaluations` warm evaluations near `parameters`, all of them `rounds` times over, and the floor of as many.
///
/// # Errors
///
/// [`CommandError`] when the objective cannot be evaluated there.
pub fn measure(
    problem: &Problem,
    parameters: &[f64],
    evaluations: usize,
    rounds: usize,
) -> Result<Floor, CommandError> {
    let mut seconds = vec![Vec::new(); evaluations];
    let mut inner = 0;
    for _ in 0..rounds {
        // Every round makes the same steps.
        let mut objective = problem.objective()?;
        objective.evaluate(parameters)?; // warms up caches and sites
        let before = objective.inner_iterations();
        for (turn, seconds) in seconds.iter_mut().enumerate() {
            let moved = |(p, x): (usize, &f64)| x + MOVE * ((turn + 1) as f64 * (p + 1) as f64).sin().abs();
            let moved: Vec<f64> = parameters.iter().enumerate().map(moved).collect();
            let start = Instant::now();
            objective.evaluate(&moved)?;
            seconds.push(start.elapsed().as_secs_f64());
        }
        inner = objective.inner_iterations() - before;
    }
    let evaluation_seconds = seconds.into_iter().map(median).sum::<f64>() / evaluations as f64;
    let inner_iterations = inner as f64 / evaluations as f64;
    let runs = evaluations * rounds;
    let mut latents = Latents::new(problem.n_points(), problem.n_latents());
    let factor_seconds = latents.factor_seconds(runs) * inner_iterations;
    let blocks = problem.blocks()?;
    let product_seconds = latents.product_seconds(runs)
        + block_seconds(&blocks, problem.n_points(), runs)
        + feature_seconds(&blocks, runs);
    let floor_seconds = factor_seconds + product_seconds;
    Ok(Floor {
        evaluations,
        inner_iterations,
        evaluation_seconds,
        factor_seconds,
        product_seconds,
        floor_seconds,
        ratio: evaluation_seconds / floor_seconds,
    })
}

/// Matrices of all latent functions.
struct Latents {
    gram: Mat<f64>,
    each: Vec<(Mat<f64>, Mat<f64>, CholeskyScratch)>,
}

impl Latents {
    fn new(n: usize, n_latents: usize) -> Self {
        let room = || (Mat::zeros(n, n), Mat::zeros(n, n), CholeskyScratch::default());
        Self { gram: well_conditioned(n), each: (0..n_latents).map(|_| room()).collect() }
    }

    /// Factors and inverses of one inner iteration; the time of copying the matrix into its place is subtracted.
    fn factor_seconds(&mut self, times: usize) -> f64 {
        let both = typical(times, || self.factor(true));
        let copies = typical(times, || self.factor(false));
        (both - copies).max(0.5 * both)
    }

    fn factor(&mut self, really: bool) {
        let gram = &self.gram;
        self.each.par_iter_mut().for_each(|(b, inverse, scratch)| {
            b.copy_from(gram);
            if really {
                factor_in_place(b.as_mut(), scratch, Par::Seq)
                    .expect("a covariance plus the identity is positive definite");
                invert_lower(b.as_ref(), inverse.as_mut(), Par::Seq);
            }
        });
    }

    /// Products `TᵀT` of one evaluation.
    fn product_seconds(&mut self, times: usize) -> f64 {
        typical(times, || {
            self.each.par_iter_mut().for_each(|(out, inverse, _)| {
                add_lower_gram(inverse.as_ref(), 1.0, out.as_mut(), Par::Seq);
            });
        })
    }
}

/// Seconds of the products of all blocks in one evaluation.
fn block_seconds(blocks: &[StartBlock<'_>], n: usize, times: usize) -> f64 {
    let (square, mut out) = (well_conditioned(n), Mat::zeros(n, n));
    let room = |start: &StartBlock<'_>| {
        let columns = start.measures.n_channels() * start.map.per_channel();
        (Mat::full(n, columns, 0.5), Mat::zeros(n, columns), start.map.bank().is_some())
    };
    let mut blocks: Vec<(Mat<f64>, Mat<f64>, bool)> = blocks.iter().map(room).collect();
    let run = |par: Par| {
        for (features, gradient, trained) in &mut blocks {
            self_product_lower(out.as_mut(), features.as_ref(), 1.0, par);
            if *trained {
                multiply(gradient.as_mut(), Accum::Replace, square.as_ref(), features.as_ref(), 1.0, par);
            }
        }
    };
    faster(times, run)
}

/// Seconds of the products behind the features of all trained blocks in one evaluation.
fn feature_seconds(blocks: &[StartBlock<'_>], times: usize) -> f64 {
    let room = |start: &StartBlock<'_>| {
        let width = start.map.per_channel();
        let shape = |i: usize| (width, start.distinct.atoms(i).len(), start.distinct.channels(i).count());
        let trained = start.map.bank().is_some();
        (0..start.distinct.len()).filter(|_| trained).map(shape).collect::<Vec<_>>()
    };
    let mut complexes: Vec<[Mat<f64>; 4]> = blocks
        .iter()
        .flat_map(room)
        .map(|(width, atoms, live)| {
            let (filters, energies) = (Mat::full(width, atoms, 0.5), Mat::full(atoms, live, 0.5));
            [filters, energies, Mat::zeros(width, live), Mat::zeros(width, atoms)]
        })
        .collect();
    let one = |chunk: &mut [[Mat<f64>; 4]]| {
        for [filters, energies, sums, slopes] in chunk {
            let (replace, par) = (Accum::Replace, Par::Seq);
            multiply(sums.as_mut(), replace, filters.as_ref(), energies.as_ref(), 1.0, par);
            multiply(slopes.as_mut(), replace, sums.as_ref(), energies.transpose(), 1.0, par);
        }
    };
    faster(times, |par| match par {
        Par::Seq => one(&mut complexes),
        Par::Rayon(_) => complexes.par_chunks_mut(CHUNK).for_each(one),
    })
}

/// Seconds on one thread or on all, whichever takes less.
fn faster(times: usize, mut run: impl FnMut(Par)) -> f64 {
    let alone = typical(times, || run(Par::Seq));
    alone.min(typical(times, || run(Par::rayon(0))))
}

/// Seconds of so many runs, the median of them, after one that is not timed.
fn typical(times: usize, mut run: impl FnMut()) -> f64 {
    run();
    let timed = |_| {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64()
    };
    median((0..times.max(1)).map(timed).collect())
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
