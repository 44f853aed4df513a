//! Hyperparameters with their uncertainty: states from the posterior of all trained values.
//!
//! Values are moved in the coordinates in which their priors are standard normal, so that a density is spherical wherever
//! the data say nothing. Three ways to choose states are here: draws of the No-U-Turn sampler, draws of the normal
//! distribution at the mode, and the modes that several starts end at.

use super::ModelError;
use super::fitted::{Averaged, Trained};
use super::objective::Objective;
use super::parameters::Parameters;
use super::problem::Problem;
use crate::gp::Sites;
use crate::linalg::eigen::eigenpairs;
use crate::settings::{HyperparameterChoice, NoiseChoice, Settings};
use crate::train::{Chain, NutsParams, SampleError, effective_size, restarts, sample, split_r_hat};
use faer::Mat;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Chains of the sampler, each from a start of its own.
const CHAINS: usize = 2;

/// States that are kept.
const STATES: usize = 32;

/// Draws of a chain, and those before them as warm-up, up to this many distinct training complexes. Beyond, where an
/// evaluation takes longer and the posterior is narrower, there are fewer, in proportion, down to a floor.
///
/// More draws are not worth their time: against chains ten times as long, predictions err by as much with half as many again,
/// because the few states that are kept are the limit.
const DRAWS: usize = 48;
const WARMUP: usize = 40;
const LEAST_DRAWS: usize = 24;
const FULL_DRAWS_TO: usize = 256;

/// Largest number of distinct training complexes for which `auto` averages.
const AVERAGED_TO: usize = 600;

/// Step of the differences of gradients, in deviations of the prior.
const DIFFERENCE: f64 = 1e-3;

/// Least curvature of the normal distribution at the mode: its draws stay within a few deviations of the prior.
const LEAST_CURVATURE: f64 = 0.5;

/// How states were chosen, and how well they stand for the posterior.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Exploration {
    /// How the states were found.
    pub method: HyperparameterChoice,
    /// Chains, each from a start of its own.
    pub chains: usize,
    /// Draws of each chain after its warm-up.
    pub draws: usize,
    /// States kept.
    pub states: usize,
    /// Evaluations of the objective.
    pub evaluations: usize,
    /// Draws whose path could not be followed, or that have no posterior.
    pub divergences: usize,
    /// The largest split R-hat of a value of the kernel or the likelihood; for chains.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r_hat: Option<f64>,
    /// Effective number of draws: the smallest of a value of the kernel or the likelihood; for normal draws, that of their
    /// importance weights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effective_size: Option<f64>,
}

/// States with how they were found.
pub(super) struct Draws {
    pub averaged: Averaged,
    pub exploration: Exploration,
}

/// What becomes of one chain or start: its values, and the posterior of each.
pub(super) type States = Vec<(Vec<f64>, Trained)>;

impl Settings {
    /// How states are chosen with `n` distinct training complexes; none when the mode stands alone.
    #[must_use]
    pub fn averaging(&self, n: usize) -> Option<HyperparameterChoice> {
        let has_posterior = self.prior_deviation().is_some();
        match self.hyperparameters {
            _ if !has_posterior => None,
            HyperparameterChoice::Map => None,
            HyperparameterChoice::Auto => (n <= AVERAGED_TO).then_some(HyperparameterChoice::Nuts),
            chosen => Some(chosen),
        }
    }

    /// Whether predictions of a model of `n` training complexes are averaged over hyperparameters.
    #[must_use]
    pub fn averages(&self, n: usize) -> bool {
        self.averaging(n).is_some() && !self.is_sparse(n, 1) && self.sample_size(n) >= n
    }

    /// Evaluations of the objective that averaging takes for `n` training complexes and `dim` values, and how many of them go
    /// on side by side; none at the mode.
    pub(super) fn averaging_evaluations(&self, n: usize, dim: usize) -> (usize, usize) {
        match self.averaging(n).filter(|_| self.averages(n)) {
            None | Some(HyperparameterChoice::Map | HyperparameterChoice::Modes) => (0, 1),
            Some(HyperparameterChoice::Gaussian) => (2 * dim + STATES, 1),
            Some(_) => {
                let draws = draws_of(WARMUP, n) + draws_of(DRAWS, n);
                (CHAINS * draws * NutsParams::default().most_steps(), CHAINS)
            }
        }
    }

    /// The noise on numbers of a model of `n` training complexes.
    #[must_use]
    pub fn noise_of(&self, n: usize) -> NoiseChoice {
        match self.noise {
            NoiseChoice::Auto if self.averages(n) => NoiseChoice::StudentT,
            NoiseChoice::Auto => NoiseChoice::Gaussian,
            given => given,
        }
    }
}

/// Draws of one chain with `n` distinct training complexes, where `full` are taken when they are few.
fn draws_of(full: usize, n: usize) -> usize {
    (full * FULL_DRAWS_TO / n.max(1)).clamp(LEAST_DRAWS, full)
}

/// Why there is nothing to draw from.
pub(super) fn no_posterior() -> ModelError {
    ModelError::Training { reason: "hyperparameters without priors have no posterior".to_owned() }
}

/// States by `method`; `modes` are the ends of all starts with their sites, the best first.
pub(super) fn draw(
    problem: &Problem,
    method: HyperparameterChoice,
    modes: &[(&[f64], Option<&Sites>)],
    progress: impl Fn(usize, usize) -> ControlFlow<()> + Sync,
) -> Result<Draws, ModelError> {
    let (states, exploration) = match method {
        HyperparameterChoice::Gaussian => normal_draws(problem, modes[0], progress)?,
        HyperparameterChoice::Modes => ends(problem, modes)?,
        _ => chains(problem, modes[0], progress)?,
    };
    Ok(Draws::new(problem, states, Exploration { method, ..exploration }))
}

impl Draws {
    /// The states of a problem.
    pub fn new(problem: &Problem, states: States, exploration: Exploration) -> Self {
        let (thetas, states): (_, Vec<Trained>) = states.into_iter().unzip();
        let exploration = Exploration { states: states.len(), ..exploration };
        let measures = problem.measures.iter().map(|own| own.clone().only_energies()).collect();
        Self { averaged: Averaged { thetas, states, measures }, exploration }
    }
}

/// The log density of the values in standard coordinates, with its gradient.
pub(super) fn density(
    objective: &mut Objective<'_>,
    parameters: &Parameters,
    z: &[f64],
    gradient: &mut [f64],
) -> Result<f64, ModelError> {
    let (theta, slopes) = parameters.at_standard(z).ok_or_else(no_posterior)?;
    let value = objective.evaluate(&theta, gradient)?;
    gradient.iter_mut().zip(slopes).for_each(|(g, slope)| *g *= -slope);
    Ok(-value)
}

/// The posteriors at `points`; a point where there is none is left out.
pub(super) fn solved(
    problem: &Problem,
    mut sites: Option<Sites>,
    points: impl Iterator<Item = Vec<f64>>,
) -> Result<States, ModelError> {
    let (mut states, mut failure) = (Vec::new(), None);
    for theta in points {
        match problem.solve(&theta, sites.take()).and_then(|solved| problem.trained(solved)) {
            Ok(trained) => {
                sites = Some(trained.posterior.sites().clone());
                states.push((theta, trained));
            }
            Err(error) => failure = Some(error),
        }
    }
    match failure {
        Some(error) if states.is_empty() => Err(no_states(&error)),
        _ => Ok(states),
    }
}

/// Why hyperparameters cannot be averaged over, though the mode stands.
fn no_states(error: &dyn std::fmt::Display) -> ModelError {
    ModelError::Averaging { reason: error.to_string() }
}

/// Draws of chains; the first starts at the mode, the others where training starts.
fn chains(
    problem: &Problem,
    (mode, sites): (&[f64], Option<&Sites>),
    progress: impl Fn(usize, usize) -> ControlFlow<()> + Sync,
) -> Result<(States, Exploration), ModelError> {
    let walk = Walk::new(&problem.settings, problem.n_points());
    let parameters = problem.parameters()?;
    let at = |z: &Vec<f64>| Ok(parameters.at_standard(z).ok_or_else(no_posterior)?.0);
    let (states, exploration) = walk.run(parameters.watched().collect(), progress, |chain, sampled| {
        let (mut objective, start) = problem.sampled_from(chain as u64)?;
        let mut from = |point: &[f64], sites: Option<&Sites>| {
            objective.sites = sites.cloned();
            let z = parameters.standard_of(point).ok_or_else(no_posterior)?;
            sampled(&z, &mut |z, gradient| density(&mut objective, &parameters, z, gradient))
        };
        let found = match chain {
            0 => from(mode, sites)?,
            // Where training starts, the density may have no value.
            _ => from(&start, None).or_else(|error| match error {
                ModelError::Cancelled => Err(error),
                _ => from(mode, sites),
            })?,
        };
        let points = walk.kept(&found).map(at).collect::<Result<Vec<_>, ModelError>>()?;
        let states = solved(problem, objective.sites.take(), points.into_iter())?;
        Ok((found, states))
    })?;
    let states: States = states.into_iter().flatten().collect();
    let exploration = exploration.with_states(walk.n_states(), states.len());
    Ok((states, exploration))
}

/// A logarithm of a density that writes its gradient.
pub(super) type Density<'a> = &'a mut dyn FnMut(&[f64], &mut [f64]) -> Result<f64, ModelError>;

/// The sampler: a chain from a point through a density.
pub(super) type Sampler<'a> = &'a dyn Fn(&[f64], Density<'_>) -> Result<Chain, ModelError>;

/// Chains of the sampler: how long they are, and which of their draws are kept.
pub(super) struct Walk {
    params: NutsParams,
    kept: usize,
    seed: u64,
}

impl Walk {
    /// Chains for `n_points` distinct training complexes.
    pub fn new(settings: &Settings, n_points: usize) -> Self {
        let (warmup, draws) = (draws_of(WARMUP, n_points), draws_of(DRAWS, n_points));
        let params = NutsParams { warmup, draws, ..NutsParams::default() };
        Self { params, kept: (STATES / CHAINS).min(draws), seed: settings.seed }
    }

    /// The draws of a chain that are kept, in standard coordinates.
    pub fn kept<'c>(&self, chain: &'c Chain) -> impl Iterator<Item = &'c Vec<f64>> + use<'c> {
        let (kept, draws) = (self.kept, self.params.draws);
        (1..=kept).map(move |k| &chain.draws[k * draws / kept - 1])
    }

    /// States of all chains.
    pub fn n_states(&self) -> usize {
        CHAINS * self.kept
    }

    /// What `of_chain` makes of each chain: it is given the number of the chain and the sampler, which goes from a point
    /// through a density. `watched` are the values whose mixing is looked at.
    pub fn run<S: Send>(
        &self,
        watched: Vec<usize>,
        progress: impl Fn(usize, usize) -> ControlFlow<()> + Sync,
        of_chain: impl Fn(usize, Sampler<'_>) -> Result<(Chain, S), ModelError> + Sync + Send,
    ) -> Result<(Vec<S>, Exploration), ModelError> {
        let (done, total) = (AtomicUsize::new(0), CHAINS * (self.params.warmup + self.params.draws));
        let stopped = AtomicBool::new(false);
        let watch = |_: usize| {
            let done = 1 + done.fetch_add(1, Ordering::Relaxed);
            // One chain that is stopped stops all.
            if stopped.load(Ordering::Relaxed) || progress(done, total).is_break() {
                stopped.store(true, Ordering::Relaxed);
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        };
        let run = |chain: usize, ()| -> Result<(Chain, S), ModelError> {
            let seed = chain_seed(self.seed, chain);
            let sampled = |z: &[f64], density: Density<'_>| {
                sample(&self.params, z, seed, density, watch).map_err(|error| match error {
                    SampleError::Stopped => ModelError::Cancelled,
                    error => no_states(&error),
                })
            };
            of_chain(chain, &sampled)
        };
        let (mut all, mut found) = (Vec::new(), Vec::new());
        for outcome in restarts(vec![(); CHAINS], run) {
            let (chain, own) = outcome?;
            all.push(chain);
            found.push(own);
        }
        let each = |measure: fn(&[&[f64]]) -> Option<f64>| -> Vec<f64> {
            let of = |&p: &usize| {
                let traces: Vec<Vec<f64>> =
                    all.iter().map(|chain| chain.draws.iter().map(|z| z[p]).collect()).collect();
                measure(&traces.iter().map(Vec::as_slice).collect::<Vec<_>>())
            };
            watched.iter().filter_map(of).collect()
        };
        let exploration = Exploration {
            method: HyperparameterChoice::Nuts,
            chains: CHAINS,
            draws: self.params.draws,
            states: 0,
            evaluations: all.iter().map(|chain| chain.evaluations).sum(),
            divergences: all.iter().map(|chain| chain.divergences).sum(),
            r_hat: each(split_r_hat).into_iter().filter(|r| r.is_finite()).reduce(f64::max),
            effective_size: each(effective_size).into_iter().reduce(f64::min),
        };
        Ok((found, exploration))
    }
}

impl Exploration {
    /// The same with the number of states that were found of those wanted.
    pub(super) fn with_states(self, wanted: usize, found: usize) -> Self {
        Self { states: found, divergences: self.divergences + wanted - found, ..self }
    }
}

fn chain_seed(seed: u64, chain: usize) -> u64 {
    seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(chain as u64)
}

/// Draws of the normal distribution whose curvature is that of the density at the mode, found by differences of gradients.
fn normal_draws(
    problem: &Problem,
    (mode, sites): (&[f64], Option<&Sites>),
    progress: impl Fn(usize, usize) -> ControlFlow<()> + Sync,
) -> Result<(States, Exploration), ModelError> {
    let parameters = problem.parameters()?;
    let (mut objective, _) = problem.sampled_from(0)?;
    objective.sites = sites.cloned();
    let center = parameters.standard_of(mode).ok_or_else(no_posterior)?;
    let dim = center.len();
    let (mut above, mut below) = (vec![0.0; dim], vec![0.0; dim]);
    let mut curvature = Mat::zeros(dim, dim);
    for d in 0..dim {
        let mut at = |shift: f64, gradient: &mut [f64]| {
            let mut z = center.clone();
            z[d] += shift;
            density(&mut objective, &parameters, &z, gradient)
        };
        at(DIFFERENCE, &mut above)?;
        at(-DIFFERENCE, &mut below)?;
        for (e, (a, b)) in above.iter().zip(&below).enumerate() {
            let slope = -(a - b) / (2.0 * DIFFERENCE);
            curvature[(d, e)] += 0.5 * slope;
            curvature[(e, d)] += 0.5 * slope;
        }
        if progress(d + 1, dim).is_break() {
            return Err(ModelError::Cancelled);
        }
    }
    let pairs = eigenpairs(curvature.as_ref()).map_err(|error| no_states(&error))?;
    let mut rng = ChaCha8Rng::seed_from_u64(chain_seed(problem.settings.seed, 0));
    let (mut points, mut weights) = (Vec::new(), Vec::new());
    let mut gradient = vec![0.0; dim];
    for _ in 0..STATES {
        let noise: Vec<f64> = (0..dim).map(|_| StandardNormal.sample(&mut rng)).collect();
        let mut z = center.clone();
        for (k, noise) in noise.iter().enumerate() {
            let length = noise / pairs.values[k].max(LEAST_CURVATURE).sqrt();
            z.iter_mut().enumerate().for_each(|(d, z)| *z += length * pairs.vector(k)[d]);
        }
        // A draw out of reach is no state.
        let Ok(value) = density(&mut objective, &parameters, &z, &mut gradient) else { continue };
        weights.push(value + 0.5 * noise.iter().map(|x| x * x).sum::<f64>());
        points.push(z);
    }
    if points.is_empty() {
        return Err(no_states(&"no draw around the mode is in reach"));
    }
    let top = weights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = weights.iter().map(|w| (w - top).exp()).collect();
    let (sum, squares) = weights.iter().fold((0.0, 0.0), |(a, b), w| (a + w, b + w * w));
    let at = |z: &Vec<f64>| Ok(parameters.at_standard(z).ok_or_else(no_posterior)?.0);
    let points = points.iter().map(at).collect::<Result<Vec<_>, ModelError>>()?;
    let states = solved(problem, objective.sites.take(), points.into_iter())?;
    let exploration = Exploration {
        method: HyperparameterChoice::Gaussian,
        chains: 0,
        draws: STATES,
        states: 0,
        evaluations: 2 * dim + STATES,
        divergences: STATES - states.len(),
        r_hat: None,
        effective_size: Some(sum * sum / squares),
    };
    Ok((states, exploration))
}

/// The modes that the starts ended at.
fn ends(problem: &Problem, modes: &[(&[f64], Option<&Sites>)]) -> Result<(States, Exploration), ModelError> {
    let mut states = Vec::new();
    for &(theta, sites) in modes {
        states.push((theta.to_vec(), problem.trained(problem.solve(theta, sites.cloned())?)?));
    }
    let exploration = Exploration {
        method: HyperparameterChoice::Modes,
        chains: 0,
        draws: modes.len(),
        states: 0,
        evaluations: 0,
        divergences: 0,
        r_hat: None,
        effective_size: None,
    };
    Ok((states, exploration))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::PosteriorChoice;

    #[test]
    fn noise_has_gross_errors_where_hyperparameters_are_averaged() {
        let settings = Settings::default();
        assert_eq!(settings.noise_of(100), NoiseChoice::StudentT);
        let others = [
            settings.clone().most_probable(),
            Settings { faithful: true, ..settings.clone() },
            Settings { sample: Some(50), ..settings.clone() },
            Settings { posterior: PosteriorChoice::Sparse, ..settings.clone() },
            Settings { noise: NoiseChoice::Gaussian, ..settings.clone() },
        ];
        for other in others {
            assert_eq!(other.noise_of(100), NoiseChoice::Gaussian);
        }
        assert_eq!(settings.noise_of(5000), NoiseChoice::Gaussian);
        let blocks = Settings { noise: NoiseChoice::Blocks, ..settings };
        assert_eq!(blocks.noise_of(100), NoiseChoice::Blocks);
    }
}
