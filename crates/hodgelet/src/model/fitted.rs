//! A fitted model: everything needed to predict new complexes.

use super::features::BlockSpace;
use super::parameters::{Hyperparameter, Parameters, State};
use super::{FeatureSpace, FittedTargets, ModelError};
use crate::dataset::Dataset;
use crate::feature::Block;
use crate::gp::leave_one_out::leave_one_out;
use crate::gp::{GpError, LeaveOneOut, Posterior};
use crate::kernel::SumKernel;
use crate::likelihood::{Likelihood, LikelihoodParams, Observations};
use crate::measure::ComplexMeasures;
use crate::param::LogNormal;
use crate::settings::Settings;
use faer::{Mat, MatRef, Par};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;

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
}

/// A fitted model.
pub struct Model {
    pub(super) space: FeatureSpace,
    pub(super) kernel: SumKernel,
    pub(super) likelihood_params: LikelihoodParams,
    pub(super) likelihood: Likelihood,
    pub(super) targets: FittedTargets,
    pub(super) inputs: Vec<Mat<f64>>, // per block, [n_distinct, n_columns]
    pub(super) observations: Observations,
    pub(super) posterior: Posterior,
    pub(super) priors: Vec<Option<LogNormal>>,
    pub(super) summary: Summary,
}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Model").field("blocks", &self.blocks()).field("summary", self.summary()).finish()
    }
}

/// What a model says of new complexes.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// Latent means, `[n, n_latents]`: one function for two classes or real targets, one for each class otherwise.
    pub latent_mean: Mat<f64>,
    /// Latent variances, `[n, n_latents]`.
    pub latent_variance: Mat<f64>,
    /// For each block, its share of the latent means, `[n, n_latents]`; the shares add up to `latent_mean`.
    pub blocks: Vec<(Block, Mat<f64>)>,
    /// What follows for the targets.
    pub targets: PredictedTargets,
    /// Labels of cells that the model has never seen and left out.
    pub unknown: usize,
}

/// Predicted targets.
#[derive(Clone, Debug, PartialEq)]
pub enum PredictedTargets {
    /// Classes.
    Classes {
        /// Probabilities, `[n, n_classes]`.
        probabilities: Mat<f64>,
        /// The most probable class of each complex.
        labels: Vec<u32>,
    },
    /// Real numbers, in their own units.
    Real {
        /// Means.
        mean: Vec<f64>,
        /// Variances of a new observation, noise included.
        variance: Vec<f64>,
    },
}

/// Complexes predicted at a time: their kernel rows fit in memory.
const CHUNK: usize = 1024;

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

    /// The learned kernel, one term per block.
    #[must_use]
    pub fn kernel(&self) -> &SumKernel {
        &self.kernel
    }

    /// Which likelihood.
    #[must_use]
    pub fn likelihood_params(&self) -> &LikelihoodParams {
        &self.likelihood_params
    }

    /// The likelihood with its learned values.
    #[must_use]
    pub fn likelihood(&self) -> &Likelihood {
        &self.likelihood
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
            kernel: self.kernel.clone(),
            likelihood: self.likelihood.clone(),
        }
    }

    /// What is predicted.
    #[must_use]
    pub fn targets(&self) -> &FittedTargets {
        &self.targets
    }

    /// How training went.
    #[must_use]
    pub fn summary(&self) -> &Summary {
        &self.summary
    }

    /// Leave-one-out predictions of the training complexes, without refitting. For real targets densities are in
    /// the units of standardized targets.
    ///
    /// # Errors
    ///
    /// [`GpError`] does not occur for a sound model.
    pub fn leave_one_out(&self) -> Result<LeaveOneOut, GpError> {
        leave_one_out(&self.posterior, &self.likelihood, &self.observations)
    }

    /// Predicts every complex of `dataset`.
    ///
    /// # Errors
    ///
    /// [`ModelError`] when the dataset lacks a column that the model was trained with, or a complex cannot be
    /// measured.
    pub fn predict(&self, dataset: &Dataset) -> Result<Prediction, ModelError> {
        self.predict_with(dataset, |_| ControlFlow::Continue(()))
    }

    /// As [`predict`](Self::predict); `progress` is told how many complexes are measured, and may stop the work.
    ///
    /// # Errors
    ///
    /// As [`predict`](Self::predict), and [`ModelError::Cancelled`].
    pub fn predict_with(
        &self,
        dataset: &Dataset,
        progress: impl FnMut(usize) -> ControlFlow<()>,
    ) -> Result<Prediction, ModelError> {
        let measured = self.space.measurer.measure(dataset, progress)?;
        let mut prediction = self.predict_measured(&measured.measures.iter().collect::<Vec<_>>())?;
        prediction.unknown = measured.unknown;
        Ok(prediction)
    }

    /// Predicts complexes that were measured before with the model's encoding.
    ///
    /// # Errors
    ///
    /// [`ModelError::Channels`] when they were measured with another.
    pub fn predict_measured(&self, measures: &[&ComplexMeasures]) -> Result<Prediction, ModelError> {
        let (n, n_latents) = (measures.len(), self.likelihood.n_latents());
        let (mut latent_mean, mut latent_variance) = (Mat::zeros(n, n_latents), Mat::zeros(n, n_latents));
        let of_block = |space: &BlockSpace| (space.block, Mat::zeros(n, n_latents));
        let mut blocks: Vec<(Block, Mat<f64>)> = self.blocks().iter().map(of_block).collect();
        for start in (0..n).step_by(CHUNK) {
            let rows = n.min(start + CHUNK) - start;
            let inputs = self.space.features(&measures[start..start + rows], true)?;
            let inputs: Vec<MatRef<'_, f64>> = inputs.iter().map(Mat::as_ref).collect();
            let mut cross = Mat::zeros(rows, self.inputs[0].nrows());
            for (b, (_, share)) in blocks.iter_mut().enumerate() {
                let part = self.kernel.cross_block(b, inputs[b], self.inputs[b].as_ref(), Par::Seq)?;
                // f_b(G*) = σ_b² k_b(z*_b, Z_b) α
                share.as_mut().subrows_mut(start, rows).copy_from(&part * self.posterior.alpha());
                cross += part;
            }
            let diagonal = self.kernel.diagonal(&inputs)?;
            let latents = self.posterior.predict(cross.as_ref(), &diagonal)?;
            latent_mean.as_mut().subrows_mut(start, rows).copy_from(&latents.mean);
            latent_variance.as_mut().subrows_mut(start, rows).copy_from(&latents.variance);
        }
        let targets = self.predicted_targets(latent_mean.as_ref(), latent_variance.as_ref())?;
        Ok(Prediction { latent_mean, latent_variance, blocks, targets, unknown: 0 })
    }

    fn predicted_targets(
        &self,
        mean: MatRef<'_, f64>,
        variance: MatRef<'_, f64>,
    ) -> Result<PredictedTargets, ModelError> {
        match (&self.targets, &self.likelihood) {
            (FittedTargets::Real { mean: center, deviation }, Likelihood::Gaussian(gaussian)) => {
                let noise_variance = gaussian.noise_variance();
                let scale = deviation * deviation;
                let mean: Vec<f64> = mean.col(0).iter().map(|m| center + deviation * m).collect();
                let variance: Vec<f64> =
                    variance.col(0).iter().map(|v| scale * (v + noise_variance)).collect();
                match mean.iter().chain(&variance).find(|x| !x.is_finite()) {
                    Some(&value) => Err(GpError::Overflow { quantity: "predicted target", value }.into()),
                    None => Ok(PredictedTargets::Real { mean, variance }),
                }
            }
            _ => {
                let probabilities = self.likelihood.probabilities(mean, variance)?;
                let best = |i: usize| {
                    let row = (0..probabilities.ncols()).map(|c| probabilities[(i, c)]);
                    // The first of equals, so that a tie does not depend on rounding elsewhere.
                    row.enumerate().fold((0, f64::NEG_INFINITY), |a, b| if b.1 > a.1 { b } else { a }).0
                        as u32
                };
                let labels = (0..probabilities.nrows()).map(best).collect();
                Ok(PredictedTargets::Classes { probabilities, labels })
            }
        }
    }
}
