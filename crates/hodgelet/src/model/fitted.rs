//! A fitted model: everything needed to predict new complexes.

use super::conformal::Conformal;
use super::features::BlockSpace;
use super::noise::NoiseCovariates;
use super::parameters::{Hyperparameter, Parameters, State};
use super::{Exploration, FeatureSpace, FittedTargets, Shape, SparseSummary, TrainingDistances};
use crate::feature::{Block, BlockMeasures};
use crate::gp::leave_one_out::calibrated;
use crate::gp::{GpError, Posterior};
use crate::kernel::{Inputs, SumKernel};
use crate::likelihood::{LabelLink, Likelihood, LikelihoodParams, Observations};
use crate::param::LogNormal;
use crate::settings::Settings;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// How training went.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Training complexes.
    pub n_train: usize,
    /// Distinct ones among them.
    pub n_distinct: usize,
    /// ELBO (or evidence) plus log priors at the end.
    pub objective: f64,
    /// ELBO (or evidence) at the end.
    pub elbo: f64,
    /// Accepted steps of the start that was kept.
    pub iterations: usize,
    /// Evaluations of the objective over all starts.
    pub evaluations: usize,
    /// Factorizations of the inner loop over all starts.
    pub inner_iterations: usize,
    /// The start that was kept, from 0.
    pub restart: usize,
    /// Why that start ended.
    pub stop: String,
    /// Time of training, without the spectra.
    pub seconds: f64,
    /// Channels that have values but no feature that varies over the training complexes, so that the model cannot see
    /// them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constant_channels: Vec<String>,
    /// How the posterior of the hyperparameters was explored; none when the mode stands alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exploration: Option<Exploration>,
    /// Complexes that hyperparameters were trained on; none where they were all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub n_sample: Option<usize>,
    /// How the posterior over inducing complexes came about; none of a full posterior.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sparse: Option<SparseSummary>,
    /// How the training data were read where files leave it open, by name of the choice: what directions became, and others.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub reading: BTreeMap<String, String>,
}

/// Filters, kernel and likelihood with trained values, and the posterior that follows.
pub(super) struct Trained {
    pub blocks: Vec<BlockSpace>,
    pub kernel: SumKernel,
    pub likelihood: Likelihood,
    pub inputs: Vec<Inputs>, // per block, of the distinct training complexes or the inducing ones
    pub posterior: Posterior,
}

impl Trained {
    /// With what the likelihood has to learn from points left out.
    pub fn new(
        blocks: Vec<BlockSpace>,
        state: (SumKernel, Likelihood),
        inputs: Vec<Inputs>,
        posterior: Posterior,
        observations: &Observations,
    ) -> Result<Self, GpError> {
        let (kernel, likelihood) = state;
        let likelihood = calibrated(&posterior, &likelihood, observations)?;
        Ok(Self { blocks, kernel, likelihood, inputs, posterior })
    }
}

/// Draws from the posterior of the trained values, which predictions are averaged over.
pub(super) struct Averaged {
    /// The values of each state, unconstrained.
    pub thetas: Vec<Vec<f64>>,
    pub states: Vec<Trained>,
    /// The energies of the distinct training complexes, in the units of each block; none in a block that is not trained.
    pub measures: Vec<BlockMeasures>,
}

/// A fitted model.
pub struct Model {
    pub(super) space: FeatureSpace,
    pub(super) likelihood_params: LikelihoodParams,
    pub(super) targets: FittedTargets,
    pub(super) observations: Observations,
    /// What the noise depends on, if on anything.
    pub(super) covariates: Option<NoiseCovariates>,
    /// The most probable values.
    pub(super) mode: Trained,
    /// Draws from the posterior of the values; none when the mode stands alone.
    pub(super) averaged: Option<Averaged>,
    pub(super) priors: Vec<Option<LogNormal>>,
    pub(super) summary: Summary,
    /// The shape of predicted numbers, where it is not that of latent values and noise.
    pub(super) shape: Option<Shape>,
    /// How probabilities follow latent values in all states, where they share that.
    pub(super) link: Option<LabelLink>,
    /// The probability from which on the second of two classes is predicted; none for the more probable one.
    pub(super) threshold: Option<f64>,
    /// What its guarantee rests on, if it has one.
    pub(super) conformal: Option<Conformal>,
    /// Kernel inputs of a sample of the training complexes, for each block, where the posterior is sparse.
    pub(super) reference: Option<Vec<Inputs>>,
    /// Follow from the rest; found when they are asked for.
    pub(super) distances: OnceLock<TrainingDistances>,
}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Model").field("blocks", &self.blocks()).field("summary", self.summary()).finish()
    }
}

impl Model {
    /// The settings it was trained with.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.space.measurer.settings
    }

    /// What turns complexes into features, with the learned filters.
    #[must_use]
    pub fn space(&self) -> &FeatureSpace {
        &self.space
    }

    /// The blocks of features with their learned filters.
    #[must_use]
    pub fn blocks(&self) -> &[BlockSpace] {
        &self.space.blocks
    }

    /// The probability from which on the second of two classes is predicted; none where the more probable class is.
    #[must_use]
    pub fn threshold(&self) -> Option<f64> {
        self.threshold
    }

    /// The learned kernel, one term per block.
    #[must_use]
    pub fn kernel(&self) -> &SumKernel {
        &self.mode.kernel
    }

    /// Which likelihood.
    #[must_use]
    pub fn likelihood_params(&self) -> &LikelihoodParams {
        &self.likelihood_params
    }

    /// The likelihood with its learned values.
    #[must_use]
    pub fn likelihood(&self) -> &Likelihood {
        &self.mode.likelihood
    }

    /// All trained values, with their priors and where they ended.
    #[must_use]
    pub fn hyperparameters(&self) -> Vec<Hyperparameter> {
        let blocks: Vec<Block> = self.blocks().iter().map(|block| block.block).collect();
        Parameters::described(self.settings().shared_bank, &blocks, &self.state(), &self.priors)
    }

    /// What was trained.
    pub(super) fn state(&self) -> State {
        State {
            maps: self.blocks().iter().map(|block| block.map.clone()).collect(),
            kernel: self.mode.kernel.clone(),
            likelihood: self.mode.likelihood.clone(),
        }
    }

    /// What is predicted.
    #[must_use]
    pub fn targets(&self) -> &FittedTargets {
        &self.targets
    }

    /// The same with how its training data were read, so that new data are read in the same way.
    #[must_use]
    pub fn with_reading(mut self, reading: BTreeMap<String, String>) -> Self {
        self.summary.reading = reading;
        self
    }

    /// How training went.
    #[must_use]
    pub fn summary(&self) -> &Summary {
        &self.summary
    }
}
