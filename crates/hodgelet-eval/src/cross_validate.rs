//! Cross-validation: every split trains a model on its training part alone and predicts its test part.
//!
//! Labels of test items reach nothing but the scores: encodings, standardization and training see the training part.
//! Spectra do not depend on labels and are taken once for all splits whose encodings agree. Splits run side by side as
//! far as memory allows; their results do not depend on it.

use crate::report::{FoldRun, Predictions};
use crate::search::{SearchParams, Trial};
use crate::splits::{Split, SplitError};
use hodgelet::dataset::{Dataset, Targets};
use hodgelet::model::{Measured, Measurer, Model, ModelError, PredictedTargets, Prediction, Stage};
use hodgelet::settings::Settings;
use rayon::prelude::*;
use std::ops::ControlFlow;
use std::time::Instant;

/// Memory that splits running side by side may take together by default.
pub const MEMORY_BUDGET: usize = 1_500_000_000;

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
    if *dataset.targets() == Targets::None {
        return Err(CrossValidateError::NoTargets);
    }
    splits.iter().try_for_each(|split| split.check(dataset.len()))?;
    let mut runs: Vec<Option<FoldRun>> = vec![None; splits.len()];
    let mut done = 0;
    for (measurer, members) in measurers(dataset, settings, splits)? {
        let total = dataset.len();
        let measured = measurer
            .measure(dataset, |done| callback(Event::Measuring { done, total }))
            .map_err(CrossValidateError::Measure)?;
        for chunk in members.chunks(side_by_side(settings, splits, dataset, memory_budget)) {
            let run = |&s: &usize| {
                run_split(dataset, settings, &measurer, &measured, &splits[s], |step| match step {
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
            };
            let finished: Vec<Result<FoldRun, CrossValidateError>> = chunk.par_iter().map(run).collect();
            for (&s, result) in chunk.iter().zip(finished) {
                runs[s] = Some(result?);
            }
            done += chunk.len();
            if callback(Event::Done { done, total: splits.len() }).is_break() {
                return Err(CrossValidateError::Measure(ModelError::Cancelled));
            }
        }
    }
    Ok(runs.into_iter().flatten().collect())
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
fn side_by_side(settings: &Settings, splits: &[Split], dataset: &Dataset, budget: usize) -> usize {
    let n = splits.iter().map(|split| split.train.len()).max().unwrap_or(1);
    let latents = match dataset.targets() {
        Targets::Classes { names, .. } if names.len() > 2 => names.len(),
        _ => 1,
    };
    // Gram matrix, its gradient and copies; two for each block of features; two for each latent function.
    let matrices = 4 + 2 * 3 * settings.dims().map_or(2, |dims| dims.len()) + 2 * latents;
    (budget / (8 * n * n * matrices).max(1)).clamp(1, rayon::current_num_threads().max(1) * 4)
}

fn run_split(
    dataset: &Dataset,
    settings: &Settings,
    measurer: &Measurer,
    measured: &Measured,
    split: &Split,
    callback: impl FnMut(Stage) -> ControlFlow<()> + Send,
) -> Result<FoldRun, ModelError> {
    let seed = settings.seed.wrapping_add(split.repeat as u64);
    let settings = Settings { seed, ..settings.clone() };
    let model = settings.fit_measured(measurer, measured, dataset.targets(), &split.train, callback)?;
    let began = Instant::now();
    let test: Vec<_> = split.test.iter().map(|&i| &measured.measures[i]).collect();
    let prediction = model.predict_measured(&test)?;
    Ok(fold_run(&model, prediction, dataset, split, began))
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
    let together = side_by_side(&search.base, splits, dataset, memory_budget);
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
    let run = fold_run(&found.model, prediction, dataset, split, began);
    Ok((FoldRun { fit_seconds, ..run }, found.trials))
}

/// A row of the report; prediction began at `began`.
fn fold_run(
    model: &Model,
    prediction: Prediction,
    dataset: &Dataset,
    split: &Split,
    began: Instant,
) -> FoldRun {
    let predictions = match (prediction.targets, dataset.targets().select(&split.test)) {
        (PredictedTargets::Classes { probabilities, .. }, Targets::Classes { labels, .. }) => {
            let (n, n_classes) = probabilities.shape();
            let at = |i: usize| (0..n_classes).map(move |c| (i, c));
            Predictions::Classes {
                probabilities: (0..n).flat_map(at).map(|x| probabilities[x]).collect(),
                labels,
            }
        }
        (PredictedTargets::Real { densities }, Targets::Real(truth)) => {
            Predictions::Real { densities, truth }
        }
        _ => unreachable!("a model predicts the kind of targets it was trained on"),
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
    }
}
