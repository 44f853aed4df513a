//! Many training complexes: hyperparameters from a sample of them, and the posterior of all through inducing ones.
//!
//! The inducing points are training complexes, chosen where the others say least, so their features follow the filters, a
//! prediction can name them, and its split by block is exact. Everything over all complexes is a sum over leaves of
//! [`LEAF`] consecutive ones: measures in, statistics of fixed size out.

mod leaves;
mod message;
mod moments;
mod objective;
mod seen;
mod shard;

pub(super) use leaves::Data;
pub use shard::Shard;

use super::fitted::Trained;
use super::parameters::State;
use super::problem::Problem;
use super::{FeatureSpace, ModelError};
use crate::dataset::Targets;
use crate::gp::sparse::{InducingPrior, Natural, choose};
use crate::gp::{Latents, Posterior, Sparse, SparseParams};
use crate::kernel::{Inputs, SumKernel};
use crate::likelihood::{Likelihood, Observations};
use crate::settings::{ClassLikelihood, PosteriorChoice, Settings};
use crate::train::{LbfgsParams, MinimizeError, minimize};
use faer::{Mat, Par};
use objective::SparseObjective;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
pub(super) use seen::MADE_TOGETHER;
use seen::{LeftOut, Pass, Seen, column_moments};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;

/// Largest number of training complexes for which `auto` keeps the full posterior, and of numbers in it: 1 GiB.
const FULL_TO: usize = 5000;
const FULL_NUMBERS: usize = 1 << 27;

/// Largest number of training complexes that hyperparameters are trained on, all of them; of more, a sample of this size.
const TRAINED_TO: usize = 1500;
const SAMPLE: usize = 1000;

/// Inducing complexes, at most.
const INDUCING: usize = 800;

/// Share of the prior variance that inducing complexes may leave.
const ENOUGH: f64 = 0.002;

/// Complexes that inducing ones are chosen from.
const CANDIDATES: usize = 4096;

/// Steps of the optimizer on all complexes, at most.
const STEPS_ON_ALL: usize = 15;

/// Streams of the random numbers: one for each thing that is drawn.
const SAMPLE_STREAM: u64 = 11;
const CANDIDATE_STREAM: u64 = 12;

/// How a sparse posterior came about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SparseSummary {
    /// The inducing complexes, by their places among the training complexes.
    pub inducing: Vec<usize>,
    /// Share of the prior variance that they leave, over all training complexes.
    pub residual: f64,
    /// Complexes that the hyperparameters were trained on.
    pub n_sample: usize,
    /// Steps of the optimizer on all training complexes.
    pub steps: usize,
    /// Passes over all training complexes.
    pub passes: usize,
    /// Whether the last pass changed the ELBO by less than the tolerance.
    pub converged: bool,
    /// How sharply the probabilities of labels as numbers follow the latent values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sharpness: Option<f64>,
}

/// A posterior over inducing complexes, with what a model keeps of the training complexes.
pub(super) struct SparseFit {
    pub trained: Trained,
    /// The observations of the inducing complexes.
    pub observations: Observations,
    /// Kernel inputs of the sample that the hyperparameters were trained on, for each block.
    pub reference: Vec<Inputs>,
    pub summary: SparseSummary,
}

impl Settings {
    /// Whether the posterior over `n` training complexes is sparse, where a full one has `n_factors` factors.
    #[must_use]
    pub fn is_sparse(&self, n: usize, n_factors: usize) -> bool {
        let numbers = n.saturating_mul(n).saturating_mul(2 * n_factors + 1);
        match self.posterior {
            PosteriorChoice::Full => false,
            PosteriorChoice::Sparse => true,
            PosteriorChoice::Auto => n > FULL_TO || numbers > FULL_NUMBERS,
        }
    }

    /// Which likelihood the classes of `n` training complexes have: auto is a regression on labels where hyperparameters are
    /// trained on a sample and the posterior is full.
    #[must_use]
    pub fn likelihood_of(&self, n: usize) -> ClassLikelihood {
        match self.likelihood() {
            ClassLikelihood::Auto if n > TRAINED_TO && !self.is_sparse(n, 1) => ClassLikelihood::Labels,
            other => other,
        }
    }

    /// How many of `n` training complexes hyperparameters are trained on.
    #[must_use]
    pub fn sample_size(&self, n: usize) -> usize {
        match (self.sample, self.posterior) {
            (Some(size), _) => size.clamp(2, n.max(2)),
            (None, PosteriorChoice::Full) => n,
            (None, _) => {
                if n <= TRAINED_TO {
                    n
                } else {
                    SAMPLE
                }
            }
        }
    }
}

/// Inducing complexes of `n` training complexes, at most.
pub(super) fn most_inducing(settings: &Settings, n: usize) -> usize {
    settings.inducing.unwrap_or(INDUCING).clamp(1, n.clamp(1, CANDIDATES))
}

/// The training complexes that hyperparameters are trained on, by their places in `train`: a sample in which every class has
/// its share, or all of them, if they are few.
pub(super) fn sample(settings: &Settings, targets: &Targets, train: &[usize]) -> Vec<usize> {
    let size = settings.sample_size(train.len());
    let mut order: Vec<usize> = (0..train.len()).collect();
    if train.len() <= size {
        return order;
    }
    order.shuffle(&mut rng(settings, SAMPLE_STREAM));
    let Targets::Classes { labels, names } = targets else {
        order.truncate(size);
        order.sort_unstable();
        return order;
    };
    let share = size as f64 / train.len() as f64;
    let mut counts = vec![0usize; names.len()];
    order.iter().for_each(|&i| counts[labels[train[i]] as usize] += 1);
    // A class has its share, rounded up, and at least two of its members.
    let mut wanted: Vec<usize> =
        counts.iter().map(|&n| ((n as f64 * share).ceil() as usize).max(2).min(n)).collect();
    order.retain(|&i| {
        let left = &mut wanted[labels[train[i]] as usize];
        let kept = *left > 0;
        *left = left.saturating_sub(1);
        kept
    });
    order.sort_unstable();
    order
}

fn rng(settings: &Settings, stream: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(settings.seed);
    rng.set_stream(stream);
    rng
}

/// The posterior of all complexes of `data` with the filters, kernel and likelihood of `mode`, which was trained on those at
/// the places `sample`, or trained further on all of them, if the settings ask for it. `progress` is told the number of each
/// pass, and may stop the work.
pub(super) fn fit(
    problem: &Problem,
    data: &Data<'_>,
    space: FeatureSpace,
    mode: Trained,
    sample: &[usize],
    mut progress: impl FnMut(usize) -> ControlFlow<()>,
) -> Result<SparseFit, ModelError> {
    let settings = data.settings;
    let Trained { mut kernel, mut likelihood, .. } = mode;
    let mut space = standardized(data, &space)?;
    let inducing = choose_inducing(settings, data, &space, &kernel)?;
    let inference = settings.sparse_loop().check()?;
    let (mut passes, mut held, mut steps) = (0, None, 0);
    let mut watch = || {
        passes += 1;
        progress(passes)
    };
    if settings.train_on_all {
        let maps = space.blocks.iter().map(|block| block.map.clone()).collect();
        let state = State { maps, kernel, likelihood };
        let trained = train_on_all(problem, data, space, state, &inducing, inference, &mut watch)?;
        steps = trained.steps;
        (space, held) = (trained.space, trained.held);
        State { kernel, likelihood, .. } = trained.state;
    }
    let seen = Seen::new(data, &space, &kernel, &inducing)?;
    let zeros = || Natural::zeros(inducing.len(), likelihood.n_latents(), likelihood.n_factors());
    let start = match held {
        Some((natural, before)) => natural.carried(&before, &seen.prior, 1.0, Par::Seq),
        None => zeros(),
    };
    let fit = inference.iterate(start, None, &likelihood, Par::Seq, |moments| match watch().is_break() {
        true => Err(ModelError::Cancelled),
        false => seen.sum::<Pass>(data, moments, &likelihood),
    })?;
    let posterior = Sparse::posterior(&seen.prior, &fit.natural, fit.elbo, fit.passes, Par::Seq)?;
    if let Likelihood::LabelRegression(_) = &likelihood {
        let left_out = seen.sum::<LeftOut>(data, &fit.moments, &likelihood)?;
        likelihood = calibrated(data, &likelihood, &left_out.0)?;
    }
    let diagonal = kernel.diagonal(&Inputs::views(&seen.view.inputs))?;
    let total = diagonal.iter().sum::<f64>() / diagonal.len() as f64 * data.train.len() as f64;
    let inputs = seen.view.inputs;
    let summary = SparseSummary {
        residual: fit.statistics.residual / total,
        n_sample: sample.len(),
        steps,
        passes,
        converged: fit.converged,
        sharpness: match &likelihood {
            Likelihood::LabelRegression(regression) => Some(regression.sharpness()),
            _ => None,
        },
        inducing,
    };
    let own = data.measures(&space, &summary.inducing)?;
    let observations = data.observations(&summary.inducing, &own)?;
    let reference = data.inputs(&space, sample)?;
    let trained = Trained { blocks: space.blocks, kernel, likelihood, inputs, posterior };
    Ok(SparseFit { trained, observations, reference, summary })
}

/// What training on all complexes ends with.
struct TrainedOnAll {
    space: FeatureSpace,
    state: State,
    /// The last Gaussian, with its prior.
    held: Option<(Natural, InducingPrior)>,
    steps: usize,
}

/// Further steps of the optimizer, on the bound of all complexes.
fn train_on_all(
    problem: &Problem,
    data: &Data<'_>,
    space: FeatureSpace,
    state: State,
    inducing: &[usize],
    inference: Sparse,
    mut watch: impl FnMut() -> ControlFlow<()>,
) -> Result<TrainedOnAll, ModelError> {
    let settings = data.settings;
    let parameters = problem.parameters()?;
    let start = parameters.values(&state);
    let mut objective = SparseObjective { data, space, parameters, state, inducing, held: None, inference };
    let optimizer = settings.optimizer()?;
    let most = optimizer.max_iterations.min(STEPS_ON_ALL);
    let optimizer = LbfgsParams { max_iterations: most, ..optimizer }.check()?;
    let found = minimize(
        &optimizer,
        &start,
        |theta, gradient| objective.evaluate(theta, gradient, &mut watch),
        |_| ControlFlow::Continue(()),
    );
    let minimum = found.map_err(|error| match error {
        MinimizeError::Start(error) => error,
        error => ModelError::Training { reason: error.to_string() },
    })?;
    if watch().is_break() {
        return Err(ModelError::Cancelled);
    }
    let SparseObjective { mut space, parameters, mut state, held, .. } = objective;
    parameters.set(&minimum.point, &mut state)?;
    for (block, map) in space.blocks.iter_mut().zip(&state.maps) {
        block.map.clone_from(map);
    }
    Ok(TrainedOnAll { space, state, held, steps: minimum.iterations })
}

/// The feature space with columns standardized over all training complexes.
fn standardized(data: &Data<'_>, space: &FeatureSpace) -> Result<FeatureSpace, ModelError> {
    let moments = column_moments(data, space)?;
    let mut space = space.clone();
    for (block, standardizer) in space.blocks.iter_mut().zip(moments.standardizers()) {
        block.standardizer = standardizer;
    }
    Ok(space)
}

/// The inducing complexes, by their places among the training complexes.
fn choose_inducing(
    settings: &Settings,
    data: &Data<'_>,
    space: &FeatureSpace,
    kernel: &SumKernel,
) -> Result<Vec<usize>, ModelError> {
    let mut candidates: Vec<usize> = (0..data.train.len()).collect();
    if candidates.len() > CANDIDATES {
        candidates.shuffle(&mut rng(settings, CANDIDATE_STREAM));
        candidates.truncate(CANDIDATES);
        candidates.sort_unstable();
    }
    let inputs = data.inputs(space, &candidates)?;
    let views = Inputs::views(&inputs);
    let gram = kernel.cross(&views, &views, Par::rayon(0))?;
    let diagonal: Vec<f64> = (0..candidates.len()).map(|i| gram[(i, i)]).collect();
    let most = most_inducing(settings, data.train.len());
    let enough = if settings.inducing.is_some() { 0.0 } else { ENOUGH };
    let column = |i: usize| Ok::<_, ModelError>(gram.col_as_slice(i).to_vec());
    let chosen = choose(&diagonal, most, enough, column)?;
    Ok(chosen.points.into_iter().map(|i| candidates[i]).collect())
}

/// A sparse posterior with the complexes of `data` added. Without `held`, what the model holds of others, the posterior is that
/// of `data` alone.
pub(super) fn add(
    data: &Data<'_>,
    space: &FeatureSpace,
    trained: &Trained,
    held: Option<&Natural>,
    mut progress: impl FnMut(usize) -> ControlFlow<()>,
) -> Result<(Posterior, bool), ModelError> {
    let (kernel, likelihood) = (&trained.kernel, &trained.likelihood);
    let seen = Seen::with_inputs(data, space, kernel, trained.inputs.clone())?;
    let zeros = || Natural::zeros(seen.prior.len(), likelihood.n_latents(), likelihood.n_factors());
    let start = held.cloned().unwrap_or_else(zeros);
    let mut passes = 0;
    let inference = data.settings.sparse_loop().check()?;
    let fit = inference.iterate(start, held, likelihood, Par::Seq, |moments| {
        passes += 1;
        match progress(passes).is_break() {
            true => Err(ModelError::Cancelled),
            false => seen.sum::<Pass>(data, moments, likelihood),
        }
    })?;
    let posterior = Sparse::posterior(&seen.prior, &fit.natural, fit.elbo, fit.passes, Par::Seq)?;
    Ok((posterior, fit.converged))
}

/// The likelihood with what is fitted to complexes left out one at a time.
fn calibrated(
    data: &Data<'_>,
    likelihood: &Likelihood,
    left_out: &[Latents],
) -> Result<Likelihood, ModelError> {
    let Likelihood::LabelRegression(regression) = likelihood else { return Ok(likelihood.clone()) };
    let places: Vec<usize> = (0..data.train.len()).collect();
    let Observations::Classes(labels) = data.observations(&places, &[])? else {
        return Ok(likelihood.clone());
    };
    let row = |matrix: &Mat<f64>, i: usize| matrix.row(i).iter().copied().collect::<Vec<f64>>();
    let of_leaf = |own: &Latents| {
        (0..own.mean.nrows()).map(|i| (row(&own.mean, i), row(&own.variance, i))).collect::<Vec<_>>()
    };
    let rows: Vec<(Vec<f64>, Vec<f64>)> = left_out.iter().flat_map(of_leaf).collect();
    Ok(Likelihood::LabelRegression(regression.calibrated(&labels, &rows)))
}

impl Settings {
    /// The passes that find a sparse posterior.
    #[must_use]
    pub fn sparse_loop(&self) -> SparseParams {
        SparseParams { tolerance: self.inner_tol.min(1e-7), ..SparseParams::default() }
    }
}

#[cfg(test)]
mod tests;
