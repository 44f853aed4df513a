//! New labelled complexes for a model that is trained: they join its posterior, hyperparameters held.
//!
//! A full posterior holds its training complexes, so that it becomes what a fit of all of them gives, with the same
//! hyperparameters and the same standardization. A sparse one holds what the sites of its training complexes add up to. Where
//! noise is Gaussian that is exact too; otherwise these sites would have moved a little with the new complexes, and are exact
//! only when the old complexes are given again.

use super::features::{FeatureMap, TrainingFeatures};
use super::fitted::{Averaged, Model, Trained};
use super::targets::Observed;
use super::{FeatureSpace, FittedTargets, MeasureSource, ModelError, Stage, sparse};
use crate::dataset::{Dataset, Targets};
use crate::feature::BlockMeasures;
use crate::gp::{Inference, Sites, Workspace};
use crate::kernel::Inputs;
use crate::likelihood::Observations;
use crate::measure::ComplexMeasures;
use crate::settings::Settings;
use faer::{Mat, Par};
use rayon::prelude::*;
use std::ops::ControlFlow;
use std::sync::OnceLock;

/// What an update is given besides the new complexes.
#[derive(Clone, Copy, Debug, Default)]
pub struct UpdateParams<'a> {
    /// The complexes that the model was trained on: a sparse posterior is then found anew.
    pub old: Option<&'a Dataset>,
    /// Whether hyperparameters are trained further, from where they are; `old` must be given.
    pub retrain: bool,
}

impl Model {
    /// The model with the complexes of `new` added to what it has learned from. A guarantee is lost: held-out complexes were
    /// scored by another model.
    ///
    /// # Errors
    ///
    /// [`ModelError`] when the dataset lacks a column that the model was trained with, has no targets or a class that the
    /// model does not know, or hyperparameters are to be trained without the old complexes.
    pub fn update(
        &self,
        new: &Dataset,
        params: UpdateParams<'_>,
        mut callback: impl FnMut(Stage) -> ControlFlow<()> + Send,
    ) -> Result<Self, ModelError> {
        let measurer = &self.space.measurer;
        if self.space.blocks.iter().any(|space| matches!(space.map, FeatureMap::Gram(_))) {
            return Err(ModelError::GramOnly { what: "an update" });
        }
        let mut measure = |dataset: &Dataset| {
            let total = dataset.len();
            measurer.measure(dataset, |done| callback(Stage::Measuring { done, total }))
        };
        let mut measured = measure(new)?;
        let mut targets = self.known_targets(new.targets())?;
        if let Some(old) = params.old {
            let mut all = measure(old)?;
            all.measures.append(&mut measured.measures);
            targets = joined(self.known_targets(old.targets())?, targets)?;
            measured = all;
        }
        if measured.measures.is_empty() {
            return Err(ModelError::TooFew { expected: 1, found: 0 });
        }
        let everything: Vec<usize> = (0..measured.measures.len()).collect();
        if params.retrain {
            if params.old.is_none() {
                let reason = "hyperparameters need the complexes that the model was trained on".to_owned();
                return Err(ModelError::Training { reason });
            }
            let settings = Settings { conformal: None, ..self.settings().clone() };
            return settings.fit_from(Some(self), measurer, &measured, &targets, &everything, callback);
        }
        let measures: Vec<&ComplexMeasures> = measured.measures.iter().collect();
        let mut model = match self.summary.sparse {
            Some(_) => self.update_sparse(&measured, &targets, params.old.is_some(), callback)?,
            None if params.old.is_some() => {
                // It has them: only the new ones are added.
                let first = measures.len() - new.len();
                let own: Vec<usize> = (first..measures.len()).collect();
                self.update_full(&measures[first..], &targets.select(&own))?
            }
            None => self.update_full(&measures, &targets)?,
        };
        model.space.measurer.settings.conformal = None;
        Ok(model)
    }

    /// Targets with the classes of the model, in its order.
    fn known_targets(&self, targets: &Targets) -> Result<Targets, ModelError> {
        let expected = match self.targets {
            FittedTargets::Classes { .. } => "classes",
            FittedTargets::Real { .. } => "numbers",
        };
        match (targets, &self.targets) {
            (Targets::Classes { names, labels }, FittedTargets::Classes { names: known }) => {
                let place = |label: &u32| {
                    let name = &names[*label as usize];
                    let found = known.iter().position(|known| known == name);
                    found
                        .map(|c| c as u32)
                        .ok_or_else(|| ModelError::NewClass { class: name.clone(), known: known.clone() })
                };
                let labels = labels.iter().map(place).collect::<Result<Vec<_>, _>>()?;
                Ok(Targets::Classes { names: known.clone(), labels })
            }
            (Targets::Real(values), FittedTargets::Real { .. }) => Ok(Targets::Real(values.clone())),
            (Targets::None, _) => Err(ModelError::Targets { expected, found: "no targets" }),
            (Targets::Classes { .. }, _) => Err(ModelError::Targets { expected, found: "classes" }),
            (Targets::Real(_), _) => Err(ModelError::Targets { expected, found: "numbers" }),
        }
    }

    fn update_sparse(
        &self,
        source: &dyn MeasureSource,
        targets: &Targets,
        has_all: bool,
        mut callback: impl FnMut(Stage) -> ControlFlow<()>,
    ) -> Result<Self, ModelError> {
        let train: Vec<usize> = (0..source.len()).collect();
        let (settings, fitted, covariates) = (self.settings(), &self.targets, self.covariates.as_ref());
        let (likelihood, factors, first) = (self.likelihood_params, None, 0);
        let train_on = &train[..];
        let data = sparse::Data {
            settings,
            fitted,
            covariates,
            likelihood,
            factors,
            source,
            targets,
            train: train_on,
            first,
        };
        let held = if has_all { None } else { self.mode.posterior.natural() };
        let progress = |pass| callback(Stage::Passing { pass });
        let (posterior, converged) = sparse::add(&data, &self.space, &self.mode, held, progress)?;
        let mut summary = self.summary.clone();
        summary.n_train = train.len() + if has_all { 0 } else { summary.n_train };
        (summary.n_distinct, summary.elbo) = (summary.n_train, posterior.objective());
        if let Some(own) = &mut summary.sparse {
            (own.passes, own.converged) = (posterior.iterations(), converged);
        }
        let Trained { blocks, kernel, likelihood, inputs, .. } = &self.mode;
        let mode = Trained {
            blocks: blocks.clone(),
            kernel: kernel.clone(),
            likelihood: likelihood.clone(),
            inputs: inputs.clone(),
            posterior,
        };
        Ok(Self {
            space: self.space.clone(),
            likelihood_params: self.likelihood_params,
            targets: self.targets.clone(),
            observations: self.observations.clone(),
            covariates: self.covariates.clone(),
            mode,
            averaged: None,
            priors: self.priors.clone(),
            summary,
            shape: None,
            link: None,
            threshold: self.threshold,
            conformal: None,
            reference: self.reference.clone(),
            distances: OnceLock::new(),
        })
    }

    fn update_full(&self, measures: &[&ComplexMeasures], targets: &Targets) -> Result<Self, ModelError> {
        let blocks = self.space.measures_in_units(measures);
        let observations = self.extended(&blocks, targets)?;
        let inference = self.settings().final_inference(&self.mode.likelihood)?;
        let new = self.mode.blocks.iter().zip(&blocks).map(|(block, own)| block.inputs(own));
        let new = new.collect::<Result<Vec<Inputs>, _>>()?;
        let inputs: Vec<Inputs> = self.mode.inputs.iter().zip(&new).map(|(a, b)| a.followed_by(b)).collect();
        let mode = solved(&self.mode, self.mode.blocks.clone(), inputs, &observations, &inference)?;
        let averaged = match &self.averaged {
            None => None,
            Some(averaged) => {
                let joined = averaged.measures.iter().zip(&blocks).map(|(a, b)| a.followed_by(b));
                let joined = joined.collect::<Option<Vec<BlockMeasures>>>();
                let measures = joined.ok_or(ModelError::Channels {
                    block: "a block".to_owned(),
                    expected: averaged.measures.len(),
                    found: blocks.len(),
                })?;
                let weights = weights(&observations);
                // As a file gives them back: features and their standardization follow from the measures.
                let one = |state: &Trained| {
                    let (mut blocks, mut inputs) = (state.blocks.clone(), Vec::new());
                    for (b, (block, own)) in blocks.iter_mut().zip(&measures).enumerate() {
                        if let Inputs::Fixed(_) = &mode.inputs[b] {
                            // What is not trained is the same in every state.
                            inputs.push(mode.inputs[b].clone());
                            continue;
                        }
                        let features = TrainingFeatures::new(&block.map, own, weights.as_deref())?;
                        block.standardizer = features.standardizer;
                        inputs.push(features.inputs);
                    }
                    solved(state, blocks, inputs, &observations, &inference)
                };
                let states: Vec<_> = averaged.states.par_iter().map(one).collect();
                let states = states.into_iter().collect::<Result<Vec<_>, ModelError>>()?;
                Some(Averaged { thetas: averaged.thetas.clone(), states, measures })
            }
        };
        let mut summary = self.summary.clone();
        (summary.n_train, summary.n_distinct) = (observations.len(), observations.n_points());
        summary.elbo = mode.posterior.objective();
        let mut model = Self {
            space: FeatureSpace { measurer: self.space.measurer.clone(), blocks: mode.blocks.clone() },
            likelihood_params: self.likelihood_params,
            targets: self.targets.clone(),
            observations,
            covariates: self.covariates.clone(),
            mode,
            averaged,
            priors: self.priors.clone(),
            summary,
            shape: None,
            link: None,
            threshold: self.threshold,
            conformal: None,
            reference: None,
            distances: OnceLock::new(),
        };
        model.shape = self.shape.as_ref().and_then(|_| model.learned_shape());
        if let Some(link) = self.link.and_then(|_| model.learned_link()) {
            model.share_link(link);
        }
        Ok(model)
    }

    /// The observations with those of new complexes, each a point of its own.
    fn extended(&self, blocks: &[BlockMeasures], targets: &Targets) -> Result<Observations, ModelError> {
        let old = self.observations.n_points();
        let all: Vec<usize> = match targets {
            Targets::Classes { labels, .. } => (0..labels.len()).collect(),
            Targets::Real(values) => (0..values.len()).collect(),
            Targets::None => Vec::new(),
        };
        let n = old + all.len();
        let points: Vec<usize> =
            self.observations.points().iter().copied().chain(all.iter().map(|i| old + i)).collect();
        let observed = Observed::in_units(targets, &self.targets, &all)?;
        let observations = match (&self.observations, observed) {
            (Observations::Classes(known), Observed::Classes(n_classes, labels)) => {
                let labels: Vec<u32> = known.labels().iter().copied().chain(labels).collect();
                Observations::grouped_classes(n_classes, &labels, &points, n)?
            }
            (Observations::Reals(known), Observed::Reals(values)) => {
                let values: Vec<f64> = known.values().iter().copied().chain(values).collect();
                Observations::grouped_reals(&values, &points, n)?
            }
            _ => return Err(ModelError::Targets { expected: "targets of its kind", found: "others" }),
        };
        let observations = match self.observations.weights() {
            // New complexes count as they are.
            Some(old) => {
                let weights: Vec<f64> = old.iter().copied().chain(all.iter().map(|_| 1.0)).collect();
                observations.with_weights(&weights)?
            }
            None => observations,
        };
        let (Some(covariates), Observations::Reals(known)) = (&self.covariates, &self.observations) else {
            return Ok(observations);
        };
        let own = covariates.of(blocks);
        let all = Mat::from_fn(n, covariates.len(), |i, b| match i.checked_sub(old) {
            Some(new) => own[(new, b)],
            None => known.covariates(i)[b],
        });
        Ok(observations.with_covariates(all.as_ref())?)
    }
}

/// The posterior of a state at more points than it had.
fn solved(
    state: &Trained,
    blocks: Vec<super::BlockSpace>,
    inputs: Vec<Inputs>,
    observations: &Observations,
    inference: &Inference,
) -> Result<Trained, ModelError> {
    let gram = state.kernel.gram(&Inputs::views(&inputs), Par::Seq)?;
    let start = state.posterior.sites().extended(observations.n_points());
    let workspace = &mut Workspace::new(Par::Seq);
    let posterior =
        inference.fit(gram.as_ref(), &state.likelihood, observations, start.as_ref(), workspace)?;
    let values = (state.kernel.clone(), state.likelihood.clone());
    Ok(Trained::new(blocks, values, inputs, posterior, observations)?)
}

impl Sites {
    /// The same with points that have no site yet, up to `n_points`.
    fn extended(&self, n_points: usize) -> Option<Self> {
        let padded = |values: &[f64]| {
            let mut values = values.to_vec();
            values.resize(n_points, 0.0);
            values
        };
        let all = |of: &dyn Fn(usize) -> Vec<f64>| (0..self.n_latents()).flat_map(of).collect();
        let precision = all(&|c| padded(self.precision(c)));
        let shift = all(&|c| padded(self.shift(c)));
        Self::new(n_points, self.n_latents(), precision, shift)
    }
}

/// How many complexes each point stands for; none if all are distinct.
fn weights(observations: &Observations) -> Option<Vec<f64>> {
    let mut counts = vec![0.0; observations.n_points()];
    observations.points().iter().for_each(|&point| counts[point] += 1.0);
    (observations.len() > counts.len()).then_some(counts)
}

fn joined(first: Targets, second: Targets) -> Result<Targets, ModelError> {
    match (first, second) {
        (Targets::Classes { names, mut labels }, Targets::Classes { labels: more, .. }) => {
            labels.extend(more);
            Ok(Targets::Classes { names, labels })
        }
        (Targets::Real(mut values), Targets::Real(more)) => {
            values.extend(more);
            Ok(Targets::Real(values))
        }
        _ => Err(ModelError::Targets { expected: "targets of one kind", found: "two kinds" }),
    }
}

#[cfg(test)]
mod tests;
