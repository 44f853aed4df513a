//! Several targets of the same complexes, some of them perhaps unknown: one measurement, filters and kernels that are trained
//! together, and a posterior for each target.
//!
//! The objective is the sum of those of the targets, each over the complexes whose target is known, with the prior of a
//! value that they share counted once. Values of likelihoods belong to their targets. What comes out is a [`Model`] for each
//! target, like any other.

mod joint;

use super::averaging::Draws;
use super::fit::{End, Task, call};
use super::source::Weighted;
use super::targets::class_factors;
use super::{MeasureSource, Measurer, Model, ModelError, Stage};
use crate::dataset::Targets;
use crate::measure::ComplexMeasures;
use crate::settings::{HyperparameterChoice, Settings};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Mutex;

/// One of several targets.
#[derive(Clone, Debug, PartialEq)]
pub struct Goal {
    /// What it is called.
    pub name: String,
    /// Its values, where they are known.
    pub targets: Targets,
    /// The complexes where they are known, in the order of the values.
    pub complexes: Vec<usize>,
}

impl Goal {
    /// The same goal, known among some complexes only.
    #[must_use]
    pub fn among(&self, complexes: &[usize]) -> Self {
        let wanted: BTreeSet<usize> = complexes.iter().copied().collect();
        let places: Vec<usize> =
            (0..self.complexes.len()).filter(|&place| wanted.contains(&self.complexes[place])).collect();
        let complexes = places.iter().map(|&place| self.complexes[place]).collect();
        Self { name: self.name.clone(), targets: self.targets.select(&places), complexes }
    }
}

/// Models of several targets with the same filters and kernels.
#[derive(Debug)]
pub struct Models {
    pub(super) names: Vec<String>,
    pub(super) models: Vec<Model>,
}

impl Models {
    /// The names of the targets.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The model of each target, in the order of the names.
    #[must_use]
    pub fn models(&self) -> &[Model] {
        &self.models
    }

    /// The targets with their models.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Model)> {
        self.names.iter().map(String::as_str).zip(&self.models)
    }

    /// The same models, which keep how their training data were read.
    #[must_use]
    pub fn with_reading(self, reading: &BTreeMap<String, String>) -> Self {
        let models = self.models.into_iter().map(|model| model.with_reading(reading.clone())).collect();
        Self { names: self.names, models }
    }

    /// What turns complexes into measures, for all targets alike.
    ///
    /// # Panics
    ///
    /// Never: there is at least one model.
    #[must_use]
    pub fn measurer(&self) -> &Measurer {
        self.models[0].space().measurer()
    }
}

impl Settings {
    /// Fits a model for each target to complexes that `measurer` measured before, with filters and kernels in common.
    ///
    /// Predictions are averages over the posterior of the shared values, or those of the most probable ones, as for one target:
    /// `auto` averages where it would for each target.
    ///
    /// # Errors
    ///
    /// [`ModelError::Goal`] names the target at fault, [`ModelError::Goals`] says why there can be no models together:
    /// no target, one name twice, a way to average that is for one target, or a guarantee.
    pub fn fit_several(
        &self,
        measurer: &Measurer,
        source: &dyn MeasureSource,
        goals: &[Goal],
        callback: impl FnMut(Stage) -> ControlFlow<()> + Send,
    ) -> Result<Models, ModelError> {
        let names: Vec<String> = goals.iter().map(|goal| goal.name.clone()).collect();
        check(self, &names)?;
        let averages = self.averages_several(goals);
        let hyperparameters = if averages { HyperparameterChoice::Nuts } else { HyperparameterChoice::Map };
        let settings = Settings { hyperparameters, ..self.clone() };
        let of_goal = |goal| Known::new(source, &settings, goal);
        let sources: Vec<Known<'_>> = goals.iter().map(of_goal).collect();
        let places: Vec<Vec<usize>> = goals.iter().map(|goal| (0..goal.complexes.len()).collect()).collect();
        let of = |goal: &Goal, source: ModelError| match source {
            ModelError::Cancelled => ModelError::Cancelled,
            source => ModelError::Goal { name: goal.name.clone(), source: Box::new(source) },
        };
        let mut tasks = Vec::with_capacity(goals.len());
        for ((goal, known), places) in goals.iter().zip(&sources).zip(&places) {
            let task = Task::new(&settings, measurer, known, &goal.targets, places);
            tasks.push(task.map_err(|error| of(goal, error))?);
        }
        let callback = Mutex::new(callback);
        let problems: Vec<_> = tasks.iter().map(|task| &task.problem).collect();
        let ends = joint::run_starts(&problems, &settings, &callback)?;
        let drawn: Vec<Option<Draws>> = match averages {
            false => goals.iter().map(|_| None).collect(),
            true => {
                let modes: Vec<&End> = ends.iter().flat_map(|ends| ends.iter().flatten().take(1)).collect();
                let progress = |done, total| call(&callback, Stage::Averaging { done, total });
                joint::draw(&problems, &settings, &modes, progress)?.into_iter().map(Some).collect()
            }
        };
        let mut models = Vec::with_capacity(goals.len());
        for (((goal, task), ends), drawn) in goals.iter().zip(tasks).zip(ends).zip(drawn) {
            models.push(task.finish(ends, drawn, &callback).map_err(|error| of(goal, error))?);
        }
        Ok(Models { names, models })
    }

    /// Whether predictions of several targets are averaged over the hyperparameters, all or none.
    fn averages_several(&self, goals: &[Goal]) -> bool {
        match self.hyperparameters {
            HyperparameterChoice::Nuts => true,
            HyperparameterChoice::Auto => goals.iter().all(|goal| self.averages(goal.complexes.len())),
            _ => false,
        }
    }
}

fn check(settings: &Settings, names: &[String]) -> Result<(), ModelError> {
    let fault = |reason: &str| Err(ModelError::Goals { reason: reason.to_owned() });
    if names.is_empty() {
        return fault("no target is named");
    }
    let mut seen = BTreeSet::new();
    if let Some(name) = names.iter().find(|name| !seen.insert(name.as_str())) {
        return fault(&format!("the target `{name}` is named twice"));
    }
    if settings.conformal.is_some() {
        return fault("a guarantee is for one target");
    }
    match settings.hyperparameters {
        HyperparameterChoice::Auto | HyperparameterChoice::Map | HyperparameterChoice::Nuts => Ok(()),
        _ => fault("hyperparameters in common are averaged by nuts, or most probable ones"),
    }
}

/// The complexes of a source whose target is known.
struct Known<'a> {
    source: &'a dyn MeasureSource,
    complexes: &'a [usize],
    weights: Option<Vec<f64>>,
}

impl<'a> Known<'a> {
    fn new(source: &'a dyn MeasureSource, settings: &Settings, goal: &'a Goal) -> Self {
        let complexes = &goal.complexes[..];
        let all = source.sample_weights();
        let weight = |all: &[f64], &i: &usize| all.get(i).copied().unwrap_or(1.0);
        let weights = all.map(|all| complexes.iter().map(|i| weight(&all, i)).collect());
        let mut known = Self { source, complexes, weights };
        let places: Vec<usize> = (0..complexes.len()).collect();
        if let Some(factors) = class_factors(settings, &goal.targets, &places) {
            known.weights = Some(Weighted::new(&known, &goal.targets, &factors).into_weights());
        }
        known
    }
}

impl MeasureSource for Known<'_> {
    fn len(&self) -> usize {
        self.complexes.len()
    }

    fn load(&self, indices: &[usize]) -> Result<Vec<Cow<'_, ComplexMeasures>>, ModelError> {
        let place = |&index: &usize| match self.complexes.get(index) {
            Some(&place) => Ok(place),
            None => Err(ModelError::Index { index, len: self.complexes.len() }),
        };
        self.source.load(&indices.iter().map(place).collect::<Result<Vec<usize>, _>>()?)
    }

    fn sample_weights(&self) -> Option<Cow<'_, [f64]>> {
        self.weights.as_deref().map(Cow::Borrowed)
    }

    fn scratch(&self) -> Option<&Path> {
        self.source.scratch()
    }
}

#[cfg(test)]
mod tests;
