//! Training: from a dataset to a fitted model.

use super::averaging::{self, Draws};
use super::fitted::{Model, Summary, Trained};
use super::objective::Solved;
use super::parameters::State;
use super::plan::PlannedBlocks;
use super::problem::check_indices;
use super::source::{Weighted, Workers};
use super::targets::class_factors;
use super::{FeatureSpace, MeasureSource, Measurer, ModelError, Plan, Problem, conformal, sparse};
use crate::dataset::{Dataset, Targets};
use crate::gp::{GpError, Sites};
use crate::kernel::SumKernel;
use crate::likelihood::Observations;
use crate::param::LogNormal;
use crate::settings::{HyperparameterChoice, Settings, ThresholdRule};
use crate::train::{MinimizeError, Minimum, minimize, restarts};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::Instant;

/// How often the noise of a sample is raised for all complexes.
const MOST_RAISES: usize = 40;

/// The name under which ends of all starts are remembered.
const STARTS: &str = "starts";

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
    /// A pass over all training complexes, for a sparse posterior.
    Passing {
        /// Its number, from 1.
        pass: usize,
    },
    /// A draw from the posterior of the hyperparameters.
    Averaging {
        /// Draws of all chains so far, warm-up included.
        done: usize,
        /// Of how many.
        total: usize,
    },
}

/// Where a start ended.
#[derive(Serialize, Deserialize)]
pub(super) struct End {
    pub minimum: Minimum,
    pub sites: Option<Sites>,
    pub inner_iterations: usize,
    pub priors: Vec<Option<LogNormal>>,
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
        if let Some(choice) = self.conformal {
            return conformal::fit(self, choice, &dataset.select(train), callback);
        }
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
    /// As [`fit_with`](Self::fit_with), and [`ModelError::Conformal`] for settings with a guarantee: `measurer` has seen
    /// complexes that would be held out.
    pub fn fit_measured(
        &self,
        measurer: &Measurer,
        source: &dyn MeasureSource,
        targets: &Targets,
        train: &[usize],
        callback: impl FnMut(Stage) -> ControlFlow<()> + Send,
    ) -> Result<Model, ModelError> {
        if self.conformal.is_some() {
            return Err(ModelError::Conformal { fault: "the graphs were measured before".to_owned() });
        }
        self.fit_from(None, measurer, source, targets, train, callback)
    }

    /// As [`fit_measured`](Self::fit_measured), with values that start where those of `model` are.
    pub(super) fn fit_from(
        &self,
        model: Option<&Model>,
        measurer: &Measurer,
        source: &dyn MeasureSource,
        targets: &Targets,
        train: &[usize],
        callback: impl FnMut(Stage) -> ControlFlow<()> + Send,
    ) -> Result<Model, ModelError> {
        check_indices(train, source.len())?;
        let factors = class_factors(self, targets, train);
        let weighted = factors.as_ref().map(|factors| Weighted::new(source, targets, factors));
        let source = weighted.as_ref().map_or(source, |weighted| weighted as &dyn MeasureSource);
        let task = Task::new(self, measurer, source, targets, train)?;
        let callback = Mutex::new(callback);
        let start = model.map(|model| task.problem.start_at(model)).transpose()?;
        let ends = match source.workers() {
            Some(workers) => recalled_starts(&task.problem, start.as_deref(), workers, &callback)?,
            None => run_starts(&task.problem, start.as_deref(), &callback)?,
        };
        task.finish(ends, None, &callback)
    }
}

/// A model to be fitted: what is known before its values are found, and what follows from them.
pub(super) struct Task<'a> {
    given: &'a Settings,
    settings: Settings,
    measurer: &'a Measurer,
    source: &'a dyn MeasureSource,
    targets: &'a Targets,
    train: &'a [usize],
    /// Places in `train` of the complexes that values are trained on.
    sample: Vec<usize>,
    is_sparse: bool,
    pub problem: Problem,
    began: Instant,
}

impl<'a> Task<'a> {
    pub fn new(
        given: &'a Settings,
        measurer: &'a Measurer,
        source: &'a dyn MeasureSource,
        targets: &'a Targets,
        train: &'a [usize],
    ) -> Result<Self, ModelError> {
        let began = Instant::now();
        check_indices(train, source.len())?;
        // Noise and likelihood are those of all training complexes, whichever of them are looked at first.
        let (noise, likelihood) = (given.noise_of(train.len()), Some(given.likelihood_of(train.len())));
        let settings = Settings { noise, likelihood, ..given.clone() };
        let sample = sparse::sample(&settings, targets, train);
        let chosen: Vec<usize> = sample.iter().map(|&i| train[i]).collect();
        let problem = Problem::new(&settings, measurer, source, targets, &chosen)?;
        let is_sparse = settings.is_sparse(train.len(), problem.likelihood.n_factors());
        let blocks = PlannedBlocks::of(&problem);
        Plan::new(&settings, train.len(), blocks, problem.likelihood.n_factors()).check()?;
        let task =
            Self { given, settings, measurer, source, targets, train, sample, is_sparse, problem, began };
        let averaging = task.settings.averaging(task.sample.len()).filter(|_| !is_sparse && !task.is_part());
        if averaging.is_none()
            && task.settings.averaging(0).is_some()
            && task.settings.hyperparameters != HyperparameterChoice::Auto
        {
            let of = if is_sparse { "the posterior is sparse" } else { "they are trained on a sample" };
            return Err(ModelError::Averaging { reason: of.to_owned() });
        }
        Ok(task)
    }

    /// Whether values are trained on a part of the complexes.
    fn is_part(&self) -> bool {
        self.sample.len() < self.train.len()
    }

    /// The model that follows from where training ended, averaged over what was `drawn` if that was done before.
    pub fn finish(
        self,
        ends: Vec<Outcome>,
        drawn: Option<Draws>,
        callback: &Mutex<impl FnMut(Stage) -> ControlFlow<()> + Send>,
    ) -> Result<Model, ModelError> {
        let is_part = self.is_part();
        let Self { given, settings, measurer, source, targets, train, sample, is_sparse, mut problem, began } =
            self;
        let (evaluations, inner_iterations) = ends
            .iter()
            .flatten()
            .fold((0, 0), |(e, i), end| (e + end.minimum.evaluations, i + end.inner_iterations));
        let (restart, end, others) = best(ends)?;
        let mut mode = problem.trained(problem.solve(&end.minimum.point, end.sites.clone())?)?;
        if !is_sparse && is_part {
            // The values of the sample, the posterior of all.
            problem = Problem::new(&settings, measurer, source, targets, train)?;
            mode = problem.trained(problem.solve_with(&mode)?)?;
        }
        let measurer = Measurer { settings: given.clone(), ..measurer.clone() };
        let mut space = FeatureSpace { measurer, blocks: mode.blocks.clone() };
        let mut observations = problem.observations.clone();
        let (mut averaged, mut exploration, mut reference, mut summary) = (None, None, None, None);
        if is_sparse {
            let progress = |pass| call(callback, Stage::Passing { pass });
            let (fitted, covariates) = (&problem.targets, problem.covariates.as_ref());
            let likelihood = problem.likelihood_params;
            let factors = class_factors(given, targets, train);
            let data = sparse::Data {
                settings: &settings,
                fitted,
                covariates,
                likelihood,
                factors,
                source,
                targets,
                train,
                first: 0,
            };
            let fit = sparse::fit(&problem, &data, space.clone(), mode, &sample, progress)?;
            (mode, observations) = (fit.trained, fit.observations);
            (reference, summary) = (Some(fit.reference), Some(fit.summary));
            space.blocks.clone_from(&mode.blocks);
        } else if let Some(method) = settings.averaging(problem.n_points()).filter(|_| !is_part) {
            let progress = |done, total| call(callback, Stage::Averaging { done, total });
            let all = std::iter::once(&end).chain(&others);
            let modes: Vec<_> = all.map(|end| (&end.minimum.point[..], end.sites.as_ref())).collect();
            let draws = match drawn {
                Some(drawn) => drawn,
                None => averaging::draw(&problem, method, &modes, progress)?,
            };
            averaged = Some(draws.averaged);
            exploration = Some(draws.exploration);
        }
        let summary = Summary {
            n_train: train.len(),
            n_distinct: if is_sparse { train.len() } else { problem.n_points() },
            objective: -end.minimum.value,
            elbo: mode.posterior.objective(),
            iterations: end.minimum.iterations,
            evaluations,
            inner_iterations,
            restart,
            stop: format!("{:?}", end.minimum.stop),
            seconds: began.elapsed().as_secs_f64(),
            constant_channels: problem.constant_channels.clone(),
            exploration,
            n_sample: is_part.then_some(sample.len()),
            sparse: summary,
            reading: Default::default(),
        };
        let mut model = Model {
            space,
            likelihood_params: problem.likelihood_params,
            targets: problem.targets,
            observations,
            covariates: problem.covariates,
            mode,
            averaged,
            priors: end.priors,
            summary,
            shape: None,
            link: None,
            threshold: None,
            conformal: None,
            reference,
            distances: OnceLock::new(),
        };
        model.shape = model.learned_shape();
        if let Some(link) = model.learned_link() {
            model.share_link(link);
        }
        model.threshold = settings.threshold.map(|rule| decision(&model, rule)).transpose()?;
        Ok(model)
    }
}

/// The threshold that a rule chooses on complexes left out one at a time.
fn decision(model: &Model, rule: ThresholdRule) -> Result<f64, ModelError> {
    let fault = |reason: &str| ModelError::Threshold { reason: reason.to_owned() };
    let Observations::Classes(labels) = &model.observations else {
        return Err(fault("targets are numbers"));
    };
    if labels.n_classes() != 2 {
        return Err(fault("there are more than two classes"));
    }
    if model.summary.sparse.is_some() {
        return Err(fault("a sparse posterior does not leave out single graphs"));
    }
    let probabilities = model.leave_one_out()?.probabilities;
    let second: Vec<f64> = (0..probabilities.nrows()).map(|o| probabilities[(o, 1)]).collect();
    let is_second: Vec<bool> = labels.labels().iter().map(|&label| label == 1).collect();
    Ok(rule.choose(&second, &is_second))
}

/// Calls a callback that threads share.
pub(super) fn call(callback: &Mutex<impl FnMut(Stage) -> ControlFlow<()>>, stage: Stage) -> ControlFlow<()> {
    let mut callback = callback.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    callback(stage)
}

pub(super) type Outcome = Result<End, MinimizeError<ModelError>>;

/// Optimizes from every start, or from `only` one; `callback` is called by one of them at a time.
fn run_starts(
    problem: &Problem,
    only: Option<&[f64]>,
    callback: &Mutex<impl FnMut(Stage) -> ControlFlow<()> + Send>,
) -> Result<Vec<Outcome>, ModelError> {
    let optimizer = problem.settings.optimizer()?.check()?;
    let cancelled = AtomicBool::new(false);
    let run = |start: usize, ()| {
        if cancelled.load(Ordering::Relaxed) {
            return Err(MinimizeError::Start(ModelError::Cancelled));
        }
        let (mut objective, mut theta) = problem.start_of(start as u64).map_err(MinimizeError::Start)?;
        if let Some(only) = only {
            theta = only.to_vec();
        }
        let minimum = minimize(
            &optimizer,
            &theta,
            |theta, gradient| objective.evaluate(theta, gradient),
            |progress| {
                let (step, objective) = (progress.iteration, -progress.value);
                let answer = call(callback, Stage::Training { start, step, objective });
                cancelled.fetch_or(answer.is_break(), Ordering::Relaxed);
                answer
            },
        )?;
        let (inner_iterations, priors) = (objective.inner_iterations, objective.parameters().priors());
        Ok(End { minimum, sites: objective.sites, inner_iterations, priors })
    };
    let n_starts = if only.is_some() { 1 } else { problem.settings.restarts.max(1) };
    let ends = restarts(vec![(); n_starts], run);
    if cancelled.into_inner() { Err(ModelError::Cancelled) } else { Ok(ends) }
}

/// Where every start ended, in this run or in one before it that was remembered.
fn recalled_starts(
    problem: &Problem,
    only: Option<&[f64]>,
    workers: &dyn Workers,
    callback: &Mutex<impl FnMut(Stage) -> ControlFlow<()> + Send>,
) -> Result<Vec<Outcome>, ModelError> {
    let read = |bytes: Vec<u8>| rmp_serde::from_slice::<Vec<End>>(&bytes).ok();
    if let Some(ends) = workers.recall(STARTS).and_then(read) {
        return Ok(ends.into_iter().map(Ok).collect());
    }
    let ends = run_starts(problem, only, callback)?;
    // A start that failed is tried again by the next run.
    if let Some(all) = ends.iter().map(|end| end.as_ref().ok()).collect::<Option<Vec<&End>>>()
        && let Ok(bytes) = rmp_serde::to_vec_named(&all)
    {
        workers.remember(STARTS, &bytes);
    }
    Ok(ends)
}

/// The start that ended best, and the other ends.
fn best(ends: Vec<Outcome>) -> Result<(usize, End, Vec<End>), ModelError> {
    let (mut successes, mut failure) = (Vec::new(), None);
    for (start, outcome) in ends.into_iter().enumerate() {
        match outcome {
            Ok(end) => successes.push((start, end)),
            Err(error) => failure = failure.or(Some(error)),
        }
    }
    let value = |(_, (_, end)): &(usize, &(usize, End))| end.minimum.value;
    // The first of equals.
    let best = successes.iter().enumerate().min_by(|a, b| value(a).total_cmp(&value(b))).map(|(k, _)| k);
    let Some(best) = best else {
        return Err(match failure {
            Some(MinimizeError::Start(error)) => error,
            Some(error) => ModelError::Training { reason: error.to_string() },
            None => ModelError::Training { reason: "no start was tried".to_owned() },
        });
    };
    let (start, end) = successes.remove(best);
    Ok((start, end, successes.into_iter().map(|(_, end)| end).collect()))
}

impl Problem {
    /// The posterior that is kept at `theta`, from `sites`.
    pub(super) fn solve(&self, theta: &[f64], sites: Option<Sites>) -> Result<Solved, ModelError> {
        let (mut objective, _) = self.start_of(0)?;
        objective.sites = sites;
        let inference = self.settings.final_inference(&self.likelihood)?;
        objective.solve(theta, &inference)
    }

    /// The values that `model` was trained to.
    fn start_at(&self, model: &Model) -> Result<Vec<f64>, ModelError> {
        Ok(self.parameters()?.values(&self.state_of(&model.mode)?))
    }

    /// The posterior with the values of `trained`, which is of a part of the complexes. The noise of a part may be too little
    /// for all: less than rounding in their Gram matrix, or than what makes their targets probable. It is raised, tenfold at
    /// a time, until there is a posterior and as long as it has more evidence.
    pub(super) fn solve_with(&self, trained: &Trained) -> Result<Solved, ModelError> {
        let (mut state, parameters) = (self.state_of(trained)?, self.parameters()?);
        let mut best: Option<Solved> = None;
        for _ in 0..MOST_RAISES {
            match (self.solve(&parameters.values(&state), None), &best) {
                (Ok(found), Some(best)) if found.posterior.objective() <= best.posterior.objective() => break,
                (Ok(found), _) => best = Some(found),
                (Err(ModelError::Gp(GpError::NotPositiveDefinite(_))), None) => {}
                (Err(error), None) => return Err(error),
                (Err(_), Some(_)) => break,
            }
            let named = state.likelihood.hyperparameters();
            if !named.first().is_some_and(|(name, _)| name.starts_with("noise")) {
                break;
            }
            let mut learned: Vec<f64> = named.into_iter().map(|(_, x)| x).collect();
            learned[0] *= 10.0;
            state.likelihood.set_values(&learned)?;
        }
        best.map_or_else(|| self.solve(&parameters.values(&state), None), Ok)
    }

    /// The state with the values of `trained`, whose blocks may be others: those that it does not have stay as they are at
    /// the start.
    pub(super) fn state_of(&self, trained: &Trained) -> Result<State, ModelError> {
        let mut state = self.state(0)?;
        let mut kernels = state.kernel.blocks().to_vec();
        for (b, drawn) in self.drawn.iter().enumerate() {
            if let Some(own) = trained.blocks.iter().position(|block| block.block == drawn.block) {
                state.maps[b] = trained.blocks[own].map.clone();
                kernels[b] = trained.kernel.blocks()[own].clone();
            }
        }
        let kernel = SumKernel::new(kernels)?;
        state.kernel = match trained.kernel.constant() {
            Some(variance) => kernel.with_constant(variance)?,
            None => kernel,
        };
        let learned: Vec<f64> = trained.likelihood.hyperparameters().into_iter().map(|(_, x)| x).collect();
        if learned.len() == state.likelihood.hyperparameters().len() {
            state.likelihood.set_values(&learned)?;
        }
        Ok(state)
    }

    /// What predicts: the posterior with its filters, kernel and likelihood.
    pub(super) fn trained(&self, solved: Solved) -> Result<Trained, ModelError> {
        let Solved { posterior, features, state } = solved;
        let (mut blocks, mut inputs) = (self.drawn.clone(), Vec::new());
        for ((block, map), features) in blocks.iter_mut().zip(state.maps).zip(features) {
            (block.map, block.standardizer) = (map, features.standardizer);
            inputs.push(features.inputs);
        }
        Ok(Trained::new(blocks, (state.kernel, state.likelihood), inputs, posterior, &self.observations)?)
    }
}
