//! The posterior of many points through some of them, from features in memory.

use faer::{Mat, MatRef, Par};
use hodgelet::gp::Sparse;
use hodgelet::gp::sparse::{InducingPrior, LEAF, Leaf, Natural, sum_leaves};
use hodgelet::kernel::SumKernel;
use hodgelet::likelihood::{Likelihood, Observations};
use hodgelet::model::ModelError;
use rayon::prelude::*;
use std::time::Instant;

/// What a posterior is found from.
pub struct Inputs<'a> {
    pub kernel: &'a SumKernel,
    pub likelihood: &'a Likelihood,
    pub features: &'a [Mat<f64>], // per block, [n, n_columns]
    pub labels: &'a [u32],        // two classes
}

/// A posterior and how it was found.
pub struct Found {
    pub elbo: f64,
    pub jitter: f64,
    /// Seconds and ELBO after each pass.
    pub trace: Vec<(f64, f64)>,
}

/// The posterior of all points through those at the places `inducing`, from the prior.
///
/// # Errors
///
/// [`ModelError`] when kernel and features do not fit, or inference fails.
pub fn posterior(inputs: &Inputs<'_>, inducing: &[usize], inference: Sparse) -> Result<Found, ModelError> {
    let Inputs { kernel, likelihood, features, labels } = *inputs;
    let began = Instant::now();
    let chosen: Vec<Mat<f64>> = features.iter().map(|own| rows(own, inducing)).collect();
    let prior = InducingPrior::new(kernel.gram(&views(&chosen), Par::rayon(0))?.as_ref(), Par::rayon(0))?;
    let n_leaves = labels.len().div_ceil(LEAF);
    let leaves = (0..n_leaves).into_par_iter().map(|k| {
        let range = k * LEAF..labels.len().min((k + 1) * LEAF);
        let own: Vec<_> = features.iter().map(|own| own.as_ref().subrows(range.start, range.len())).collect();
        let cross = kernel.cross(&own, &views(&chosen), Par::Seq)?;
        let observations = Observations::classes(2, &labels[range])?;
        Ok::<_, ModelError>(Leaf::new(prior.project(cross.as_ref()), &kernel.diagonal(&own)?, observations)?)
    });
    let leaves = leaves.collect::<Result<Vec<Leaf>, _>>()?;
    let mut trace = Vec::new();
    let zeros = Natural::zeros(inducing.len(), likelihood.n_latents(), likelihood.n_factors());
    let fit = inference.iterate(zeros, None, likelihood, Par::rayon(0), |moments| {
        let pass = |k: usize| leaves[k].pass(moments, likelihood);
        let sum = sum_leaves(0..n_leaves, pass)?.total().expect("there is a leaf, and none is missing");
        trace.push((began.elapsed().as_secs_f64(), sum.value - moments.divergence()));
        Ok::<_, ModelError>(sum)
    })?;
    Ok(Found { elbo: fit.elbo, jitter: prior.jitter(), trace })
}

pub fn rows(matrix: &Mat<f64>, places: &[usize]) -> Mat<f64> {
    Mat::from_fn(places.len(), matrix.ncols(), |i, j| matrix[(places[i], j)])
}

pub fn views(matrices: &[Mat<f64>]) -> Vec<MatRef<'_, f64>> {
    matrices.iter().map(Mat::as_ref).collect()
}
