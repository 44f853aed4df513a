//! Cross-validation: every split trains a model on its training part alone and predicts its test part.
//!
//! Labels of test items reach nothing but the scores: encodings, standardization and training see the training part.
//! Spectra do not depend on labels and are taken once for all splits whose encodings agree. Splits run side by side as
//! far as memory allows; their results do not depend on it.

use crate::report::{FoldRun, ModelKind, Predictions};
use crate::search::{SearchParams, Trial};
use crate::splits::{Split, SplitError};
use hodgelet::dataset::{Dataset, Targets};
use hodgelet::model::{Goal, MeasureSource, Measurer, Model, ModelError, PredictedTargets, Stage};
use hodgelet::settings::Settings;
use rayon::prelude::*;
use std::ops::ControlFlow;
use std::time::Instant;

/// Memory that splits running side by side may take together by default.
pub const MEMORY_BUDGET: usize = 1_500_000_000;

/// Test items that are predicted together, so that memory does not grow with their number.
const PREDICTED: usize = 4096;

/// What a callback sees of cross-validation.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event {
    /// Spectra are taken.
    Measuring {
        /// Complexes measured.
        done: usize,
        /// Of how many.
        total: usize,
    },
    /// A split took a step of training.
    Training {
        /// Number of the split.
        split: usize,
        /// Steps accepted.
        step: usize,
        /// The objective there.
        objective: f64,
    },
    /// A split drew from the posterior of its hyperparameters.
    Averaging {
        /// Number of the split.
        split: usize,
        /// Draws so far.
        done: usize,
        /// Of how many.
        total: usize,
    },
    /// Splits are done.
    Done {
        /// How many.
        done: usize,
        /// Of how many.
        total: usize,
    },
}

/// Why cross-validation ended early.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CrossValidateError {
    /// A split failed.
    #[error("repeat {repeat}, fold {fold}: {source}")]
    Fold {
        /// Which shuffle, from 0.
        repeat: usize,
        /// Which fold, from 0.
        fold: usize,
        /// What went wrong.
        source: ModelError,
    },
    /// The dataset has no targets.
    #[error("the dataset has no targets, expected a class or a number for every complex")]
    NoTargets,
    /// A split does not divide the dataset.
    #[error(transparent)]
    Split(#[from] SplitError),
    /// Spectra could not be taken.
    #[error(transparent)]
    Measure(ModelError),
}

impl CrossValidateError {
    /// Whether the caller asked for it.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        use hodgelet::measure::MeasureError;
        let source = match self {
            Self::Fold { source, .. } | Self::Measure(source) => source,
            Self::NoTargets | Self::Split(_) => return false,
        };
        matches!(source, ModelError::Cancelled | ModelError::Measure(MeasureError::Cancelled { .. }))
    }

    /// A suggested fix, where there is one.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Fold { source, .. } | Self::Measure(source) => source.hint(),
            Self::NoTargets | Self::Split(_) => None,
        }
    }
}

/// Trains and tests `settings` on every split, in the order of the splits.
///
/// The seed of a model is that of `settings` plus the number of the repeat. `callback` is called from several threads.
///
/// # Errors
///
/// [`CrossValidateError`] names the first split at fault.
pub fn cross_validate(
    dataset: &Dataset,
    settings: &Settings,
    splits: &[Split],
    memory_budget: usize,
    callback: impl Fn(Event) -> ControlFlow<()> + Sync,
) -> Result<Vec<FoldRun>, CrossValidateError> {
    cross_validate_kept(dataset, settings, splits, memory_budget, &NothingKept, callback)
}

/// Where finished splits are kept, so that an interrupted run can go on.
pub trait Keep: Sync {
    /// The run of split number `split`, if it was kept.
    fn kept(&self, split: usize) -> Option<FoldRun>;

    /// Keeps a run that is finished.
    fn keep(&self, split: usize, run: &FoldRun);
}

/// Every run is a new one.
struct NothingKept;

impl Keep for NothingKept {
    fn kept(&self, _: usize) -> Option<FoldRun> {
        None
    }

    fn keep(&self, _: usize, _: &FoldRun) {}
}

/// As [`cross_validate`], without the splits that `keep` has.
///
/// # Errors
///
/// As [`cross_validate`].
pub fn cross_validate_kept(
    dataset: &Dataset,
    settings: &Settings,
    splits: &[Split],
    memory_budget: usize,
    keep: &dyn Keep,
    callback: impl Fn(Event) -> ControlFlow<()> + Sync,
) -> Result<Vec<FoldRun>, CrossValidateError> {
    if *dataset.targets() == Targets::None {
        return Err(CrossValidateError::NoTargets);
    }
    splits.iter().try_for_each(|split| split.check(dataset.len()))?;
    let mut runs: Vec<Option<FoldRun>> = (0..splits.len()).map(|s| keep.kept(s)).collect();
    for (measurer, mut members) in measurers(dataset, settings, splits)? {
        members.retain(|&s| runs[s].is_none());
        if members.is_empty() {
            continue;
        }
        let total = dataset.len();
        let measured = measurer
            .measure(dataset, |done| callback(Event::Measuring { done, total }))
            .map_err(CrossValidateError::Measure)?;
        let items = Items { measurer: &measurer, source: &measured, targets: dataset.targets() };
        run_splits(items, settings, splits, &members, memory_budget, (keep, &callback), &mut runs)?;
    }
    Ok(runs.into_iter().flatten().collect())
}

/// As [`cross_validate`], for complexes that `measurer` measured before, all of them: their labels and degrees decide which
/// signals there are, in training and test parts alike. No target does.
///
/// # Errors
///
/// [`CrossValidateError`] names the first split at fault.
pub fn cross_validate_measured(
    measurer: &Measurer,
    source: &dyn MeasureSource,
    targets: &Targets,
    settings: &Settings,
    splits: &[Split],
    memory_budget: usize,
    callback: impl Fn(Event) -> ControlFlow<()> + Sync,
) -> Result<Vec<FoldRun>, CrossValidateError> {
    if *targets == Targets::None {
        return Err(CrossValidateError::NoTargets);
    }
    splits.iter().try_for_each(|split| split.check(source.len()))?;
    let mut runs: Vec<Option<FoldRun>> = vec![None; splits.len()];
    let members: Vec<usize> = (0..splits.len()).collect();
    let items = Items { measurer, source, targets };
    run_splits(items, settings, splits, &members, memory_budget, (&NothingKept, &callback), &mut runs)?;
    Ok(runs.into_iter().flatten().collect())
}

/// Complexes that are measured, with their targets.
#[derive(Clone, Copy)]
struct Items<'a> {
    measurer: &'a Measurer,
    source: &'a dyn MeasureSource,
    targets: &'a Targets,
}

/// Runs the splits `members`, as many side by side as memory allows.
fn run_splits(
    items: Items<'_>,
    settings: &Settings,
    splits: &[Split],
    members: &[usize],
    memory_budget: usize,
    (keep, callback): (&dyn Keep, &(impl Fn(Event) -> ControlFlow<()> + Sync)),
    runs: &mut [Option<FoldRun>],
) -> Result<(), CrossValidateError> {
    for chunk in members.chunks(side_by_side(settings, splits, items.targets, memory_budget)) {
        let run = |&s: &usize| {
            run_split(items, settings, &splits[s], |step| match step {
                Stage::Training { step, objective, .. } => {
                    callback(Event::Training { split: s, step, objective })
                }
                Stage::Averaging { done, total } => callback(Event::Averaging { split: s, done, total }),
                _ => ControlFlow::Continue(()),
            })
            .map_err(|source| CrossValidateError::Fold {
                repeat: splits[s].repeat,
                fold: splits[s].fold,
                source,
            })
            .inspect(|run| keep.keep(s, run))
        };
        let finished: Vec<Result<FoldRun, CrossValidateError>> = chunk.par_iter().map(run).collect();
        for (&s, result) in chunk.iter().zip(finished) {
            runs[s] = Some(result?);
        }
        let done = runs.iter().flatten().count();
        if callback(Event::Done { done, total: splits.len() }).is_break() {
            return Err(CrossValidateError::Measure(ModelError::Cancelled));
        }
    }
    Ok(())
}

/// The distinct measurers of the splits, each with the splits that share it.
fn measurers(
    dataset: &Dataset,
    settings: &Settings,
    splits: &[Split],
) -> Result<Vec<(Measurer, Vec<usize>)>, CrossValidateError> {
    let mut distinct: Vec<(Measurer, Vec<usize>)> = Vec::new();
    for (s, split) in splits.iter().enumerate() {
        let (repeat, fold) = (split.repeat, split.fold);
        let measurer = Measurer::fit(settings, dataset, &split.train);
        let measurer = measurer.map_err(|e| CrossValidateError::Fold { repeat, fold, source: e })?;
        match distinct.iter_mut().find(|(known, _)| *known == measurer) {
            Some((_, members)) => members.push(s),
            None => distinct.push((measurer, vec![s])),
        }
    }
    Ok(distinct)
}

/// How many splits fit in memory together: each needs some square matrices of the size of its training part.
fn side_by_side(settings: &Settings, splits: &[Split], targets: &Targets, budget: usize) -> usize {
    let n = splits.iter().map(|split| split.train.len()).max().unwrap_or(1);
    let latents = match targets {
        Targets::Classes { names, .. } if names.len() > 2 => names.len(),
        _ => 1,
    };
    // Gram matrix, its gradient and copies; two for each block of features; two for each latent function.
    let matrices = 4 + 2 * 3 * settings.dims().map_or(2, |dims| dims.len()) + 2 * latents;
    (budget / (8 * n * n * matrices).max(1)).clamp(1, rayon::current_num_threads().max(1) * 4)
}

/// As [`cross_validate`], for several targets that are trained together: the runs of each target, in the order of `goals`.
///
/// Splits are those of all items; of each part, a target sees the items where it is known. A split whose test part has no
/// known target of a goal gives no run of it.
///
/// # Errors
///
/// [`CrossValidateError`] names the first split at fault.
pub fn cross_validate_several(
    dataset: &Dataset,
    goals: &[Goal],
    settings: &Settings,
    splits: &[Split],
    callback: impl Fn(Event) -> ControlFlow<()> + Sync,
) -> Result<Vec<Vec<FoldRun>>, CrossValidateError> {
    if goals.is_empty() {
        return Err(CrossValidateError::NoTargets);
    }
    splits.iter().try_for_each(|split| split.check(dataset.len()))?;
    let mut runs: Vec<Vec<(usize, FoldRun)>> = vec![Vec::new(); goals.len()];
    let mut n_done = 0;
    for (measurer, members) in measurers(dataset, settings, splits)? {
        let total = dataset.len();
        let measured = measurer
            .measure(dataset, |done| callback(Event::Measuring { done, total }))
            .map_err(CrossValidateError::Measure)?;
        for s in members {
            let split = &splits[s];
            let stage = |stage: Stage| match stage {
                Stage::Training { step, objective, .. } => {
                    callback(Event::Training { split: s, step, objective })
                }
                Stage::Averaging { done, total } => callback(Event::Averaging { split: s, done, total }),
                _ => ControlFlow::Continue(()),
            };
            let found = run_several(&measurer, &measured, goals, settings, split, stage);
            let (repeat, fold) = (split.repeat, split.fold);
            let found = found.map_err(|source| CrossValidateError::Fold { repeat, fold, source })?;
            for (runs, run) in runs.iter_mut().zip(found) {
                runs.extend(run.map(|run| (s, run)));
            }
            n_done += 1;
            if callback(Event::Done { done: n_done, total: splits.len() }).is_break() {
                return Err(CrossValidateError::Measure(ModelError::Cancelled));
            }
        }
    }
    let in_order = |mut runs: Vec<(usize, FoldRun)>| {
        runs.sort_by_key(|(s, _)| *s);
        runs.into_iter().map(|(_, run)| run).collect()
    };
    Ok(runs.into_iter().map(in_order).collect())
}

/// The run of each goal in one split; none without a known target in the test part.
fn run_several(
    measurer: &Measurer,
    source: &dyn MeasureSource,
    goals: &[Goal],
    settings: &Settings,
    split: &Split,
    callback: impl FnMut(Stage) -> ControlFlow<()> + Send,
) -> Result<Vec<Option<FoldRun>>, ModelError> {
    let seed = settings.seed.wrapping_add(split.repeat as u64);
    let settings = Settings { seed, ..settings.clone() };
    let training: Vec<Goal> = goals.iter().map(|goal| goal.among(&split.train)).collect();
    let models = settings.fit_several(measurer, source, &training, callback)?;
    let mut runs = Vec::with_capacity(goals.len());
    for (k, goal) in goals.iter().enumerate() {
        let test = goal.among(&split.test);
        if test.complexes.is_empty() {
            runs.push(None);
            continue;
        }
        let (model, began) = (&models.models()[k], Instant::now());
        let mut parts = Vec::new();
        for part in test.complexes.chunks(PREDICTED) {
            let loaded = source.load(part)?;
            let loaded: Vec<_> = loaded.iter().map(|measures| &**measures).collect();
            parts.push(model.predict_measured(&loaded)?.targets);
        }
        let own = Split {
            train: training[k].complexes.clone(),
            validation: goal.among(&split.validation).complexes,
            test: (0..test.complexes.len()).collect(),
            ..split.clone()
        };
        runs.push(Some(fold_run(model, &parts, &test.targets, &own, began)));
    }
    Ok(runs)
}

fn run_split(
    items: Items<'_>,
    settings: &Settings,
    split: &Split,
    callback: impl FnMut(Stage) -> ControlFlow<()> + Send,
) -> Result<FoldRun, ModelError> {
    let seed = settings.seed.wrapping_add(split.repeat as u64);
    let settings = Settings { seed, ..settings.clone() };
    let Items { measurer, source, targets } = items;
    let model = settings.fit_measured(measurer, source, targets, &split.train, callback)?;
    let began = Instant::now();
    let mut parts = Vec::new();
    for part in split.test.chunks(PREDICTED) {
        let test = source.load(part)?;
        let test: Vec<_> = test.iter().map(|measures| &**measures).collect();
        parts.push(model.predict_measured(&test)?.targets);
    }
    Ok(fold_run(&model, &parts, targets, split, began))
}

/// Searches settings on the training part of every split and tests the model found, in the order of the splits.
///
/// Splits are worked on one after another where memory is short; the seed of a model is that of the settings plus the
/// number of the repeat.
///
/// # Errors
///
/// [`CrossValidateError`] names the first split at fault.
pub fn cross_validate_search(
    dataset: &Dataset,
    search: &SearchParams,
    splits: &[Split],
    memory_budget: usize,
    callback: impl Fn(Event) -> ControlFlow<()> + Sync,
) -> Result<Vec<(FoldRun, Vec<Trial>)>, CrossValidateError> {
    if *dataset.targets() == Targets::None {
        return Err(CrossValidateError::NoTargets);
    }
    splits.iter().try_for_each(|split| split.check(dataset.len()))?;
    let mut runs = Vec::with_capacity(splits.len());
    let together = side_by_side(&search.base, splits, dataset.targets(), memory_budget);
    for (c, chunk) in splits.chunks(together).enumerate() {
        let run = |(k, split): (usize, &Split)| {
            search_split(dataset, search, split, |step| match step {
                Stage::Training { step, objective, .. } => {
                    callback(Event::Training { split: c * together + k, step, objective })
                }
                _ => callback(Event::Measuring { done: 0, total: split.train.len() }),
            })
            .map_err(|source| CrossValidateError::Fold {
                repeat: split.repeat,
                fold: split.fold,
                source,
            })
        };
        let finished: Vec<Result<_, CrossValidateError>> = chunk.par_iter().enumerate().map(run).collect();
        for result in finished {
            runs.push(result?);
        }
        if callback(Event::Done { done: runs.len(), total: splits.len() }).is_break() {
            return Err(CrossValidateError::Measure(ModelError::Cancelled));
        }
    }
    Ok(runs)
}

fn search_split(
    dataset: &Dataset,
    search: &SearchParams,
    split: &Split,
    mut callback: impl FnMut(Stage) -> ControlFlow<()> + Send,
) -> Result<(FoldRun, Vec<Trial>), ModelError> {
    let mut search = search.clone();
    search.base.seed = search.base.seed.wrapping_add(split.repeat as u64);
    let began = Instant::now();
    let found = search.fit(dataset, &split.train, |_, stage| callback(stage))?;
    let fit_seconds = began.elapsed().as_secs_f64();
    let began = Instant::now();
    let prediction = found.model.predict(&dataset.select(&split.test))?;
    let run = fold_run(&found.model, &[prediction.targets], dataset.targets(), split, began);
    Ok((FoldRun { fit_seconds, ..run }, found.trials))
}

/// A row of the report; prediction began at `began`.
fn fold_run(
    model: &Model,
    parts: &[PredictedTargets],
    targets: &Targets,
    split: &Split,
    began: Instant,
) -> FoldRun {
    let (mut all_probabilities, mut all_densities, mut decided) = (Vec::new(), Vec::new(), Vec::new());
    for part in parts {
        match part {
            PredictedTargets::Classes { probabilities, labels } => {
                decided.extend_from_slice(labels);
                let rows = (0..probabilities.nrows()).flat_map(|i| probabilities.row(i).iter().copied());
                all_probabilities.extend(rows);
            }
            PredictedTargets::Real { densities } => all_densities.extend_from_slice(densities),
        }
    }
    let predictions = match targets.select(&split.test) {
        Targets::Classes { labels, .. } => Predictions::Classes { probabilities: all_probabilities, labels },
        Targets::Real(truth) => Predictions::Real { densities: all_densities, truth },
        Targets::None => unreachable!("a model is not trained without targets"),
    };
    let summary = model.summary();
    FoldRun {
        repeat: split.repeat,
        fold: split.fold,
        n_train: split.train.len(),
        n_validation: split.validation.len(),
        elbo: summary.elbo,
        iterations: summary.iterations,
        evaluations: summary.evaluations,
        fit_seconds: summary.seconds,
        predict_seconds: began.elapsed().as_secs_f64(),
        predictions,
        decided: model.threshold().map(|_| decided),
        kind: ModelKind::of(summary),
    }
}
