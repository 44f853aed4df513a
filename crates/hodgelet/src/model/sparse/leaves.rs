//! Training complexes in leaves, as the inducing ones see them.

use super::super::noise::NoiseCovariates;
use super::super::source::{MeasureSource, refs, weights_of};
use super::super::targets::Observed;
use super::super::{FeatureSpace, FittedTargets, ModelError};
use crate::dataset::Targets;
use crate::feature::BlockMeasures;
use crate::gp::sparse::{InducingPrior, LEAF, Leaf, Moments, Statistics, sum_leaves};
use crate::kernel::{Inputs, SumKernel};
use crate::likelihood::{Likelihood, Observations};
use crate::settings::Settings;
use faer::Par;
use rayon::prelude::*;

/// Most numbers of whitened covariances that are kept from pass to pass: 1 GiB. Beyond, each pass makes them again.
const MOST_KEPT: usize = 1 << 27;

/// Training complexes with their targets.
pub(in crate::model) struct Data<'a> {
    pub settings: &'a Settings,
    /// The units of the targets.
    pub fitted: &'a FittedTargets,
    /// What the noise depends on, if on anything.
    pub covariates: Option<&'a NoiseCovariates>,
    pub source: &'a dyn MeasureSource,
    pub targets: &'a Targets,
    pub train: &'a [usize],
}

impl Data<'_> {
    /// Number of leaves.
    pub fn n_leaves(&self) -> usize {
        self.train.len().div_ceil(LEAF)
    }

    /// The complexes of leaf `k`, by their places.
    pub fn leaf(&self, k: usize) -> Vec<usize> {
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

/// The inducing complexes under one kernel and one set of filters, and the leaves as they see them.
pub(super) struct Seen<'a> {
    pub data: &'a Data<'a>,
    pub space: &'a FeatureSpace,
    pub kernel: &'a SumKernel,
    pub inputs: Vec<Inputs>, // of the inducing complexes, per block
    pub prior: InducingPrior,
    kept: Vec<Leaf>, // all leaves, or none if they are too large
}

impl<'a> Seen<'a> {
    /// `inducing` are the places of the inducing complexes.
    pub fn new(
        data: &'a Data<'a>,
        space: &'a FeatureSpace,
        kernel: &'a SumKernel,
        inducing: &[usize],
    ) -> Result<Self, ModelError> {
        Self::with_inputs(data, space, kernel, data.inputs(space, inducing)?)
    }

    /// `inputs` are the kernel inputs of the inducing complexes.
    pub fn with_inputs(
        data: &'a Data<'a>,
        space: &'a FeatureSpace,
        kernel: &'a SumKernel,
        inputs: Vec<Inputs>,
    ) -> Result<Self, ModelError> {
        let n_inducing = inputs[0].nrows();
        let gram = kernel.gram(&Inputs::views(&inputs), Par::Seq)?; // as a file gives it back
        let prior = InducingPrior::new(gram.as_ref(), Par::Seq)?;
        let mut seen = Self { data, space, kernel, inputs, prior, kept: Vec::new() };
        if data.train.len().saturating_mul(n_inducing) <= MOST_KEPT {
            seen.kept = seen.each(|leaf| Ok(leaf.clone()))?;
        }
        Ok(seen)
    }

    fn made(&self, k: usize) -> Result<Leaf, ModelError> {
        let places = self.data.leaf(k);
        let measures = self.data.measures(self.space, &places)?;
        let inputs = self.space.blocks.iter().zip(&measures).map(|(block, own)| block.inputs(own));
        let inputs = inputs.collect::<Result<Vec<_>, _>>()?;
        let (views, others) = (Inputs::views(&inputs), Inputs::views(&self.inputs));
        let cross = self.kernel.cross(&views, &others, Par::Seq)?;
        let diagonal = self.kernel.diagonal(&views)?;
        let observations = self.data.observations(&places, &measures)?;
        Ok(Leaf::new(self.prior.project(cross.as_ref()), &diagonal, observations)?)
    }

    /// What `work` makes of leaf `k`.
    pub fn with_leaf<T>(
        &self,
        k: usize,
        work: impl FnOnce(&Leaf) -> Result<T, ModelError>,
    ) -> Result<T, ModelError> {
        match self.kept.get(k) {
            Some(leaf) => work(leaf),
            None => work(&self.made(k)?),
        }
    }

    /// What `work` makes of all leaves, in their order.
    pub fn each<T: Send>(
        &self,
        work: impl Fn(&Leaf) -> Result<T, ModelError> + Sync,
    ) -> Result<Vec<T>, ModelError> {
        let one = |k: usize| self.with_leaf(k, |leaf| work(leaf));
        let found: Vec<Result<T, ModelError>> = (0..self.data.n_leaves()).into_par_iter().map(one).collect();
        found.into_iter().collect()
    }

    /// One pass over all leaves.
    pub fn pass(&self, moments: &Moments, likelihood: &Likelihood) -> Result<Statistics, ModelError> {
        let one = |k| self.with_leaf(k, |leaf| Ok(leaf.pass(moments, likelihood)?));
        let sum = sum_leaves(0..self.data.n_leaves(), one)?;
        Ok(sum.total().expect("there is a leaf, and none is missing"))
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
