//! Conformal prediction: intervals and sets of classes that hold new targets with a probability that is guaranteed,
//! whatever the model, for graphs that are exchangeable with the training graphs.
//!
//! The score of a number is its distance from the predicted mean in predictive standard deviations, so that intervals are
//! as wide as the model is unsure; that of a class is one less its probability, which gives the smallest sets. The most
//! probable class is in every set.

mod parts;
mod regions;
mod rule;

pub use regions::{Basis, CalibratedPrediction, RegionTargets, Regions};

use super::fit::call;
use super::fitted::Model;
use super::{FittedTargets, Measured, Measurer, ModelError, PredictedTargets, Stage};
use crate::dataset::{Dataset, Targets};
use crate::likelihood::Mixture;
use crate::settings::{ConformalChoice, Settings};
use rayon::prelude::*;
use std::ops::ControlFlow;
use std::sync::Mutex;

/// Most training graphs of refits that run side by side: beyond, their matrices fill memory and the processors alike.
const SIDE_BY_SIDE: usize = 1000;

/// What a guarantee rests on.
pub(super) struct Conformal {
    pub choice: ConformalChoice,
    /// Whether it holds within each class.
    pub by_class: bool,
    /// The held-out targets, in the order of class, part and score.
    pub held: Vec<Held>,
    /// The models without each part; for split conformal prediction none, since it is the model itself.
    pub models: Vec<Model>,
}

/// A held-out target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Held {
    /// Its class; 0 for numbers.
    pub class: u32,
    /// The part that it was held out in.
    pub part: u32,
    /// Its score by the model without that part.
    pub score: f64,
}

/// Training without some complexes, which are scored then.
struct Job {
    train: Vec<usize>,
    held: Vec<usize>,
}

/// Fits a model with a guarantee to all complexes of `data`.
pub(super) fn fit(
    settings: &Settings,
    choice: ConformalChoice,
    data: &Dataset,
    callback: impl FnMut(Stage) -> ControlFlow<()> + Send,
) -> Result<Model, ModelError> {
    let n = data.len();
    let classes = match data.targets() {
        Targets::Classes { labels, .. } if settings.conformal_classes => Some(&labels[..]),
        _ => None,
    };
    let parts = match choice {
        ConformalChoice::Split => vec![parts::calibration(n, classes, settings.seed)],
        ConformalChoice::CvPlus => {
            parts::folds(n, settings.conformal_folds.clamp(2, n), classes, settings.seed)
        }
    };
    fit_parts(settings, choice, data, parts, callback)
}

fn fit_parts(
    settings: &Settings,
    choice: ConformalChoice,
    data: &Dataset,
    parts: Vec<Vec<usize>>,
    callback: impl FnMut(Stage) -> ControlFlow<()> + Send,
) -> Result<Model, ModelError> {
    let n = data.len();
    let without = |held: &[usize]| (0..n).filter(|i| held.binary_search(i).is_err()).collect::<Vec<usize>>();
    let mut jobs: Vec<Job> = parts.into_iter().map(|held| Job { train: without(&held), held }).collect();
    if let Some(job) = jobs.iter().find(|job| job.train.len() < 2) {
        let (found, held) = (job.train.len(), job.held.len());
        let fault = format!("{found} of {n} graphs are left when {held} are held out, expected at least 2");
        return Err(ModelError::Conformal { fault });
    }
    if choice == ConformalChoice::CvPlus {
        jobs.push(Job { train: (0..n).collect(), held: Vec::new() });
    }
    let plain = Settings { conformal: None, ..settings.clone() };
    let mut fitted = run(&plain, data, &jobs, &Mutex::new(callback))?;
    let mut held = Vec::new();
    for (part, (job, (_, scores))) in jobs.iter().zip(&fitted).enumerate() {
        let class = |i: usize| match data.targets() {
            Targets::Classes { labels, .. } => labels[i],
            _ => 0,
        };
        let of = |(&i, &score): (&usize, &f64)| Held { class: class(i), part: part as u32, score };
        held.extend(job.held.iter().zip(scores).map(of));
    }
    held.sort_by(|a, b| (a.class, a.part).cmp(&(b.class, b.part)).then(a.score.total_cmp(&b.score)));
    let (mut model, _) = fitted.pop().expect("there is a job");
    model.space.measurer.settings = settings.clone();
    let models = fitted.into_iter().map(|(model, _)| model).collect();
    let by_class = settings.conformal_classes && model.targets.n_classes() > 0;
    model.conformal = Some(Conformal { choice, by_class, held, models });
    Ok(model)
}

type Fitted = (Model, Vec<f64>);

/// The model of each job and the scores of what it holds out; spectra are taken once for all jobs whose signals agree.
fn run(
    settings: &Settings,
    data: &Dataset,
    jobs: &[Job],
    callback: &Mutex<impl FnMut(Stage) -> ControlFlow<()> + Send>,
) -> Result<Vec<Fitted>, ModelError> {
    let call = |stage| call(callback, stage);
    let mut groups: Vec<(Measurer, Vec<usize>)> = Vec::new();
    for (j, job) in jobs.iter().enumerate() {
        let measurer = Measurer::fit(settings, data, &job.train).map_err(|error| held_out(job, error))?;
        match groups.iter_mut().find(|(known, _)| *known == measurer) {
            Some((_, members)) => members.push(j),
            None => groups.push((measurer, vec![j])),
        }
    }
    let mut fitted: Vec<Option<Fitted>> = jobs.iter().map(|_| None).collect();
    let (total, together) = (data.len(), if data.len() > SIDE_BY_SIDE { 1 } else { jobs.len() });
    for (measurer, members) in groups {
        let measured = measurer.measure(data, |done| call(Stage::Measuring { done, total }))?;
        for chunk in members.chunks(together) {
            let one = |&j: &usize| run_job(settings, data, &measurer, &measured, &jobs[j], call);
            let found: Vec<Result<Fitted, ModelError>> = chunk.par_iter().map(one).collect();
            for (&j, result) in chunk.iter().zip(found) {
                fitted[j] = Some(result?);
            }
        }
    }
    Ok(fitted.into_iter().flatten().collect())
}

fn run_job(
    settings: &Settings,
    data: &Dataset,
    measurer: &Measurer,
    measured: &Measured,
    job: &Job,
    callback: impl FnMut(Stage) -> ControlFlow<()> + Send,
) -> Result<Fitted, ModelError> {
    let model = settings
        .fit_measured(measurer, measured, data.targets(), &job.train, callback)
        .map_err(|error| held_out(job, error))?;
    let held: Vec<_> = job.held.iter().map(|&i| &measured.measures[i]).collect();
    let predicted = model.predict_measured(&held)?.targets;
    let scores = scores(&predicted, &data.targets().select(&job.held));
    Ok((model, scores))
}

/// An error of training on fewer complexes than were given.
fn held_out(job: &Job, error: ModelError) -> ModelError {
    match error {
        ModelError::OneClass { .. } | ModelError::Constant { .. } if !job.held.is_empty() => {
            ModelError::Conformal { fault: format!("without {} held-out graphs, {error}", job.held.len()) }
        }
        error => error,
    }
}

/// How badly each target agrees with its prediction.
fn scores(predicted: &PredictedTargets, targets: &Targets) -> Vec<f64> {
    match (predicted, targets) {
        (PredictedTargets::Classes { probabilities, .. }, Targets::Classes { labels, .. }) => {
            labels.iter().enumerate().map(|(i, &c)| class_score(probabilities[(i, c as usize)])).collect()
        }
        (PredictedTargets::Real { densities }, Targets::Real(values)) => {
            let score = |(density, y): (&Mixture, &f64)| {
                // A score beyond the range of numbers is as large as they get.
                ((y - density.mean()).abs() / density.variance().sqrt()).min(f64::MAX)
            };
            densities.iter().zip(values).map(score).collect()
        }
        _ => unreachable!("a model predicts the kind of targets it was trained on"),
    }
}

/// The probability of a class as its score.
fn class_score(probability: f64) -> f64 {
    1.0 - probability
}

impl Conformal {
    /// The held-out targets that class `class` is compared with: its own if the guarantee holds within classes.
    fn of_class(&self, class: u32) -> &[Held] {
        if !self.by_class {
            return &self.held;
        }
        let start = self.held.partition_point(|held| held.class < class);
        let end = self.held.partition_point(|held| held.class <= class);
        &self.held[start..end]
    }

    /// The targets that are compared together: of each class, or all.
    fn groups(&self, n_classes: usize) -> impl Iterator<Item = &[Held]> {
        let n_groups = if self.by_class { n_classes } else { 1 };
        (0..n_groups as u32).map(|class| self.of_class(class))
    }

    /// The coverage that is proven, at least, for exchangeable complexes.
    fn guaranteed(&self, coverage: f64, n_classes: usize) -> f64 {
        let of = |held: &[Held]| match self.choice {
            ConformalChoice::Split => coverage,
            ConformalChoice::CvPlus => {
                let mut parts: Vec<u32> = held.iter().map(|held| held.part).collect();
                parts.sort_unstable();
                parts.dedup();
                rule::proven(coverage, held.len(), parts.len())
            }
        };
        self.groups(n_classes).map(of).fold(coverage, f64::min)
    }

    /// Where there are too few held-out targets for a coverage.
    fn notes(&self, coverage: f64, targets: &FittedTargets) -> Vec<String> {
        let needed = rule::fewest(coverage);
        let few =
            |found: usize| format!("{found} calibration graphs, but a coverage of {coverage} needs {needed}");
        let note = |(class, held): (usize, &[Held])| {
            let found = held.len();
            rule::rank(coverage, found).is_none().then(|| match targets {
                FittedTargets::Classes { names } if self.by_class => {
                    format!("class `{}` has {}: it is in every set", names[class], few(found))
                }
                FittedTargets::Classes { .. } => format!("{}: every class is in every set", few(found)),
                FittedTargets::Real { .. } => format!("{}: every interval is infinite", few(found)),
            })
        };
        self.groups(targets.n_classes()).enumerate().filter_map(note).collect()
    }
}

#[cfg(test)]
mod tests;
