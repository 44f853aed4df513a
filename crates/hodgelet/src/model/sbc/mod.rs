//! Simulation-based calibration of the posterior over hyperparameters and latent values \[Talts18\].
//!
//! Hyperparameters are drawn from the priors, latent values and targets from the model, and the model is fitted to these
//! targets. If what it draws is the posterior, the rank of the truth among the draws is uniform, for every quantity: each
//! trained value, latent values, and the evidence, which depends on the data \[Modrak23\].

mod envelope;
mod real;

use super::averaging::{Draws, draw};
use super::fitted::Trained;
use super::parameters::Parameters;
use super::testing::{dataset, small_settings};
use super::{Measurer, Problem};
use crate::dataset::Dataset;
use crate::kernel::Inputs;
use crate::likelihood::Observations;
use crate::settings::{HyperparameterChoice, NoiseChoice, Settings};
use crate::train::minimize;
use envelope::Envelope;
use faer::{Mat, Par};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;
use std::ops::ControlFlow;

/// Added to the diagonal of a covariance, relative to the largest entry of it, so that it has a factor.
const JITTER: f64 = 1e-10;

/// The chance that a right posterior is rejected, over all quantities of a test; draws have fixed seeds.
const LEVEL: f64 = 0.01;

/// Simulations from the priors.
const SIMULATIONS: u64 = 100;

/// Latent values that are looked at.
const LATENTS: usize = 2;

/// A small bank, so that there are few values; chains as the model runs them.
fn settings(seed: u64) -> Settings {
    let chosen = HyperparameterChoice::Nuts;
    Settings {
        n_filters: 1,
        n_bands: 1,
        hyperparameters: chosen,
        noise: NoiseChoice::Gaussian,
        seed,
        ..small_settings()
    }
}

fn problem(settings: &Settings, data: &Dataset) -> Problem {
    let all: Vec<usize> = (0..data.len()).collect();
    let measurer = Measurer::fit(settings, data, &all).unwrap();
    let measured = measurer.measure(data, |_| ControlFlow::Continue(())).unwrap();
    let problem = Problem::new(settings, &measurer, &measured, data.targets(), &all).unwrap();
    assert_eq!(problem.n_points(), data.len(), "all complexes are distinct");
    problem
}

fn normals(n: usize, rng: &mut ChaCha8Rng) -> Vec<f64> {
    (0..n).map(|_| StandardNormal.sample(rng)).collect()
}

/// A draw of `N(mean, covariance)`.
fn multivariate(mean: &[f64], covariance: &Mat<f64>, rng: &mut ChaCha8Rng) -> Vec<f64> {
    let n = covariance.nrows();
    let jitter = JITTER * (0..n).map(|i| covariance[(i, i)]).fold(0.0, f64::max);
    let jittered = covariance + Mat::from_fn(n, n, |i, j| if i == j { jitter } else { 0.0 });
    let z = normals(n, rng);
    let drawn = jittered.llt(faer::Side::Lower).unwrap().L() * Mat::from_fn(n, 1, |i, _| z[i]);
    (0..n).map(|i| mean[i] + drawn[(i, 0)]).collect()
}

/// The Gram matrix of the training complexes and the variance of the noise at `theta`; none where there is no density.
fn covariances(problem: &Problem, theta: &[f64]) -> Option<(Mat<f64>, f64)> {
    let solved = problem.solve(theta, None).ok()?;
    let views: Vec<_> = solved.features.iter().map(|features| features.inputs.view()).collect();
    let gram = solved.state.kernel.gram(&views, Par::Seq).unwrap();
    let noise = solved.state.likelihood.hyperparameters()[0].1;
    Some((gram, noise))
}

/// What is known of a simulation: standard coordinates of the values, and latent values.
struct Truth {
    z: Vec<f64>,
    latent: Vec<f64>,
}

/// Ranks of the truth of one simulation.
struct Ranks {
    /// Of each trained value, of some latent values and of the evidence, among the draws.
    right: Vec<usize>,
    /// The same among draws that are half as far from their mean.
    overconfident: Vec<usize>,
    n_draws: usize,
}

impl Ranks {
    fn add(&mut self, draws: &[f64], truth: f64) {
        let mean = draws.iter().sum::<f64>() / draws.len() as f64;
        let below = |factor: f64| draws.iter().filter(|draw| mean + factor * (*draw - mean) < truth).count();
        self.right.push(below(1.0));
        self.overconfident.push(below(0.5));
    }
}

/// Names of the quantities of [`Ranks::right`].
fn quantities(problem: &Problem) -> Vec<String> {
    let state = problem.state(0).unwrap();
    let values = Parameters::described(false, &problem.block_names(), &state, &[]);
    let latents = (0..LATENTS).map(|i| format!("latent value {i}"));
    values.into_iter().map(|v| v.name).chain(latents).chain(["evidence".to_owned()]).collect()
}

/// The posterior that the model draws from, beginning with the mode as `fit` does.
fn posterior(problem: &Problem) -> Draws {
    let (mut objective, start) = problem.start_of(0).unwrap();
    let optimizer = problem.settings.optimizer().unwrap().check().unwrap();
    let evaluate = |theta: &[f64], gradient: &mut [f64]| objective.evaluate(theta, gradient);
    let mode = minimize(&optimizer, &start, evaluate, |_| ControlFlow::Continue(())).unwrap();
    let modes = [(&mode.point[..], None)];
    draw(problem, HyperparameterChoice::Nuts, &modes, |_, _| ControlFlow::Continue(())).unwrap()
}

/// Ranks of the truth among the draws of the model.
fn ranks(problem: &Problem, truth: &Truth, rng: &mut ChaCha8Rng) -> Ranks {
    let Draws { averaged, .. } = posterior(problem);
    let parameters = problem.parameters().unwrap();
    let drawn: Vec<Vec<f64>> =
        averaged.thetas.iter().map(|theta| parameters.standard_of(theta).unwrap()).collect();
    let mut found = Ranks { right: vec![], overconfident: vec![], n_draws: averaged.states.len() };
    for p in 0..parameters.len() {
        found.add(&drawn.iter().map(|z| z[p]).collect::<Vec<_>>(), truth.z[p]);
    }
    for i in 0..LATENTS {
        let latent = |state: &Trained| {
            let views = Inputs::views(&state.inputs);
            let gram = state.kernel.gram(&views, Par::Seq).unwrap();
            let found = state.posterior.predict(gram.as_ref().subrows(i, 1), &[gram[(i, i)]]).unwrap();
            found.mean[(0, 0)] + found.variance[(0, 0)].sqrt() * normals(1, rng)[0]
        };
        found.add(&averaged.states.iter().map(latent).collect::<Vec<_>>(), truth.latent[i]);
    }
    let (theta, _) = parameters.at_standard(&truth.z).unwrap();
    let evidence = problem.solve(&theta, None).unwrap().posterior.objective();
    let of_states: Vec<f64> = averaged.states.iter().map(|state| state.posterior.objective()).collect();
    found.add(&of_states, evidence);
    found
}

/// p-values of the quantities that `of` gives, from all simulations.
fn p_values(found: &[Ranks], of: impl Fn(&Ranks) -> &[usize]) -> Vec<f64> {
    let n_draws = found[0].n_draws;
    assert!(found.iter().all(|ranks| ranks.n_draws == n_draws), "every simulation has as many states");
    let envelope = Envelope::new(found.len(), n_draws);
    let one = |q: usize| envelope.p_value(&found.iter().map(|ranks| of(ranks)[q]).collect::<Vec<_>>());
    (0..of(&found[0]).len()).map(one).collect()
}

/// Targets from hyperparameters that are drawn from the priors.
fn simulate(problem: &mut Problem, rng: &mut ChaCha8Rng) -> Truth {
    let parameters = problem.parameters().unwrap();
    loop {
        let z = normals(parameters.len(), rng);
        let (theta, _) = parameters.at_standard(&z).unwrap();
        // The priors end where the model refuses a value.
        let Some((gram, noise)) = covariances(problem, &theta) else { continue };
        let latent = multivariate(&vec![0.0; gram.nrows()], &gram, rng);
        let targets: Vec<f64> =
            latent.iter().zip(normals(gram.nrows(), rng)).map(|(f, e)| f + noise.sqrt() * e).collect();
        problem.observations = Observations::reals(&targets).unwrap();
        return Truth { z, latent };
    }
}

/// Fails for the quantities whose ranks are not uniform.
fn uniform(names: &[String], p_values: &[f64]) {
    let level = LEVEL / p_values.len() as f64;
    for (name, p) in names.iter().zip(p_values) {
        assert!(*p > level, "{name}: p = {p}, of all {p_values:?}");
    }
}

/// The right posterior passes, and half of its deviation is found out.
#[test]
fn ranks_of_the_truth_are_uniform_for_regression() {
    let data = dataset(12, 0, 3);
    let one = |seed: u64| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut problem = problem(&settings(0), &data);
        let truth = simulate(&mut problem, &mut rng);
        problem.settings.seed = seed; // of the chains alone: the priors are those of the first start
        ranks(&problem, &truth, &mut rng)
    };
    let found: Vec<Ranks> = (0..SIMULATIONS).into_par_iter().map(one).collect();
    uniform(&quantities(&problem(&settings(0), &data)), &p_values(&found, |ranks| &ranks.right));
    let overconfident = p_values(&found, |ranks| &ranks.overconfident);
    assert!(overconfident.iter().all(|&p| p < LEVEL), "half of the deviation passes: {overconfident:?}");
}
