//! Training: from a dataset to a fitted model.

use super::fitted::{Model, Summary};
use super::objective::Solved;
use super::problem::check_indices;
use super::{FeatureSpace, Measured, Measurer, ModelError, Problem};
use crate::dataset::{Dataset, Targets};
use crate::gp::Sites;
use crate::param::LogNormal;
use crate::settings::Settings;
use crate::train::{MinimizeError, Minimum, RestartError, minimize, restarts};
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// What a callback sees of training.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Stage {
    /// Spectra are taken.
    Measuring {
        /// Complexes measured.
        done: usize,
        /// Of how many.
        total: usize,
    },
    /// A step of the optimizer was accepted.
    Training {
        /// Which start, from 0.
        start: usize,
        /// Steps accepted in it.
        step: usize,
        /// The objective there.
        objective: f64,
    },
}

/// Where a start ended.
struct End {
    minimum: Minimum,
    sites: Option<Sites>,
    inner_iterations: usize,
    priors: Vec<Option<LogNormal>>,
}

impl Settings {
    /// Fits a model to the complexes `train` of `dataset`, for whichever targets it has.
    ///
    /// # Errors
    ///
    /// [`ModelError`] when targets are missing, a setting is invalid, or nothing can be learned.
    pub fn fit(&self, dataset: &Dataset, train: &[usize]) -> Result<Model, ModelError> {
        self.fit_with(dataset, train, |_| ControlFlow::Continue(()))
    }

    /// As [`fit`](Self::fit); `callback` sees how far it is, and may stop it.
    ///
    /// # Errors
    ///
    /// As [`fit`](Self::fit), and [`ModelError::Cancelled`].
    pub fn fit_with(
        &self,
        dataset: &Dataset,
        train: &[usize],
        mut callback: impl FnMut(Stage) -> ControlFlow<()> + Send,
    ) -> Result<Model, ModelError> {
        check_indices(train, dataset.len())?;
        let measurer = Measurer::fit(self, dataset, train)?;
        let chosen = dataset.select(train);
        let total = chosen.len();
        let measured = measurer.measure(&chosen, |done| callback(Stage::Measuring { done, total }))?;
        let all: Vec<usize> = (0..total).collect();
        self.fit_measured(&measurer, &measured, chosen.targets(), &all, callback)
    }

    /// Fits a model to complexes that `measurer` measured before, as cross-validation does.
    ///
    /// # Errors
    ///
    /// As [`fit_with`](Self::fit_with).
    pub fn fit_measured(
        &self,
        measurer: &Measurer,
        measured: &Measured,
        targets: &Targets,
        train: &[usize],
        callback: impl FnMut(Stage) -> ControlFlow<()> + Send,
    ) -> Result<Model, ModelError> {
        let began = Instant::now();
        let problem = Problem::new(self, measurer, measured, targets, train)?;
        let ends = run_starts(&problem, callback)?;
        let (evaluations, inner_iterations) = ends
            .iter()
            .flatten()
            .fold((0, 0), |(e, i), end| (e + end.minimum.evaluations, i + end.inner_iterations));
        let (restart, end) = best(ends)?;
        let solved = solve(&problem, restart, &end)?;
        let summary = Summary {
            n_train: train.len(),
            n_distinct: problem.n_points(),
            objective: -end.minimum.value,
            elbo: solved.posterior.objective(),
            iterations: end.minimum.iterations,
            evaluations,
            inner_iterations,
            restart,
            stop: format!("{:?}", end.minimum.stop),
            seconds: began.elapsed().as_secs_f64(),
            constant_channels: problem.constant_channels.clone(),
        };
        Ok(assemble(problem, measurer, solved, end.priors, summary))
    }
}

type Outcome = Result<End, MinimizeError<ModelError>>;

/// Optimizes from every start; `callback` is called by one of them at a time.
fn run_starts(
    problem: &Problem,
    callback: impl FnMut(Stage) -> ControlFlow<()> + Send,
) -> Result<Vec<Outcome>, ModelError> {
    let optimizer = problem.settings.optimizer()?.check()?;
    let callback = Mutex::new(callback);
    let cancelled = AtomicBool::new(false);
    let run = |start: usize, ()| {
        if cancelled.load(Ordering::Relaxed) {
            return Err(MinimizeError::Start(ModelError::Cancelled));
        }
        let (mut objective, theta) = problem.start_of(start as u64).map_err(MinimizeError::Start)?;
        let minimum = minimize(
            &optimizer,
            &theta,
            |theta, gradient| objective.evaluate(theta, gradient),
            |progress| {
                let (step, objective) = (progress.iteration, -progress.value);
                let mut callback = callback.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                let answer = callback(Stage::Training { start, step, objective });
                cancelled.fetch_or(answer.is_break(), Ordering::Relaxed);
                answer
            },
        )?;
        let (inner_iterations, priors) = (objective.inner_iterations, objective.parameters().priors());
        Ok(End { minimum, sites: objective.sites, inner_iterations, priors })
    };
    let ends = restarts(vec![(); problem.settings.restarts.max(1)], run);
    if cancelled.into_inner() { Err(ModelError::Cancelled) } else { Ok(ends) }
}

fn best(ends: Vec<Outcome>) -> Result<(usize, End), ModelError> {
    crate::train::best(ends, |end| end.minimum.value).map_err(|error| match error {
        RestartError::AllFailed { first: MinimizeError::Start(error), .. } => error,
        RestartError::AllFailed { first, .. } => ModelError::Training { reason: first.to_string() },
        RestartError::NoStarts => ModelError::Training { reason: "no start was tried".to_owned() },
    })
}

/// The posterior that is kept, from the sites where the best start ended.
fn solve(problem: &Problem, restart: usize, end: &End) -> Result<Solved, ModelError> {
    let (mut objective, _) = problem.start_of(restart as u64)?;
    objective.sites.clone_from(&end.sites);
    let inference = problem.settings.final_inference(&problem.likelihood)?;
    objective.solve(&end.minimum.point, &inference)
}

fn assemble(
    problem: Problem,
    measurer: &Measurer,
    solved: Solved,
    priors: Vec<Option<LogNormal>>,
    summary: Summary,
) -> Model {
    let Solved { posterior, features, state } = solved;
    let (mut blocks, mut inputs) = (problem.drawn, Vec::new());
    for ((block, map), features) in blocks.iter_mut().zip(state.maps).zip(features) {
        (block.map, block.standardizer) = (map, features.standardizer);
        inputs.push(features.inputs);
    }
    let measurer = Measurer { settings: problem.settings, ..measurer.clone() };
    Model {
        space: FeatureSpace { measurer, blocks },
        kernel: state.kernel,
        likelihood_params: problem.likelihood_params,
        likelihood: state.likelihood,
        targets: problem.targets,
        inputs,
        observations: problem.observations,
        posterior,
        priors,
        summary,
    }
}
