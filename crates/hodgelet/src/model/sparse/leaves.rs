//! Training complexes in leaves: all of them, or those of a shard.

use super::super::noise::NoiseCovariates;
use super::super::source::{MeasureSource, refs, weights_of};
use super::super::targets::Observed;
use super::super::{FeatureSpace, FittedTargets, ModelError};
use crate::dataset::Targets;
use crate::feature::BlockMeasures;
use crate::gp::sparse::LEAF;
use crate::kernel::Inputs;
use crate::likelihood::{LikelihoodParams, Observations};
use crate::settings::Settings;
use std::ops::Range;

/// Training complexes with their targets.
pub(in crate::model) struct Data<'a> {
    pub settings: &'a Settings,
    /// The units of the targets.
    pub fitted: &'a FittedTargets,
    /// What the noise depends on, if on anything.
    pub covariates: Option<&'a NoiseCovariates>,
    pub likelihood: LikelihoodParams,
    /// By how much complexes of each class count more, if classes are to count alike; `source` has it in its weights.
    pub factors: Option<Vec<f64>>,
    pub source: &'a dyn MeasureSource,
    pub targets: &'a Targets,
    pub train: &'a [usize],
    /// Number of the first leaf, where these are those of a shard.
    pub first: usize,
}

impl Data<'_> {
    /// The leaves, by their numbers.
    pub fn leaves(&self) -> Range<usize> {
        self.first..self.first + self.train.len().div_ceil(LEAF)
    }

    /// The complexes of leaf `k`, by their places.
    pub fn leaf(&self, k: usize) -> Vec<usize> {
        let k = k - self.first;
        (k * LEAF..self.train.len().min((k + 1) * LEAF)).collect()
    }

    /// Measures of some complexes, in the units of each block of `space`.
    pub fn measures(&self, space: &FeatureSpace, places: &[usize]) -> Result<Vec<BlockMeasures>, ModelError> {
        let loaded = self.source.load(&places.iter().map(|&i| self.train[i]).collect::<Vec<_>>())?;
        Ok(space.measures_in_units(&refs(&loaded)))
    }

    /// Kernel inputs of some complexes.
    pub fn inputs(&self, space: &FeatureSpace, places: &[usize]) -> Result<Vec<Inputs>, ModelError> {
        let measures = self.measures(space, places)?;
        space.blocks.iter().zip(&measures).map(|(block, own)| block.inputs(own)).collect()
    }

    /// What was observed of some complexes with these measures.
    pub fn observations(
        &self,
        places: &[usize],
        measures: &[BlockMeasures],
    ) -> Result<Observations, ModelError> {
        let indices: Vec<usize> = places.iter().map(|&i| self.train[i]).collect();
        let observed = Observed::in_units(self.targets, self.fitted, &indices)?;
        let own: Vec<usize> = (0..places.len()).collect();
        let mut observations = observed.observations(&own, places.len())?;
        if let Some(weights) = weights_of(self.source, &indices) {
            observations = observations.with_weights(&weights)?;
        }
        match self.covariates {
            Some(covariates) => Ok(observations.with_covariates(covariates.of(measures).as_ref())?),
            None => Ok(observations),
        }
    }
}

impl Observed {
    /// The targets of the complexes `indices`, in the units of `fitted`.
    pub(in crate::model) fn in_units(
        targets: &Targets,
        fitted: &FittedTargets,
        indices: &[usize],
    ) -> Result<Self, ModelError> {
        match (targets.select(indices), fitted) {
            (Targets::Classes { names, labels }, _) => Ok(Self::Classes(names.len(), labels)),
            (Targets::Real(values), FittedTargets::Real { mean, deviation }) => {
                Ok(Self::Reals(values.iter().map(|y| (y - mean) / deviation).collect()))
            }
            _ => Err(ModelError::Targets { expected: "a target for every complex", found: "no targets" }),
        }
    }
}
