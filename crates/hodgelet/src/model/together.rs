//! Complexes together: the kernel between them, and the posterior of their latent values with all covariances.

use super::fitted::{Model, Trained};
use super::{FittedTargets, ModelError, Shape};
use crate::dataset::Dataset;
use crate::kernel::Inputs;
use crate::likelihood::Likelihood;
use faer::{Mat, Par};
use std::ops::ControlFlow;

/// Latent values of some complexes together.
#[derive(Clone, Debug, PartialEq)]
pub struct JointLatents {
    /// Means, `[n_complexes, n_latents]`.
    pub mean: Mat<f64>,
    /// Covariances of each latent function, `[n_complexes, n_complexes]`.
    pub covariance: Vec<Mat<f64>>,
}

impl Model {
    /// The kernel of the most probable values between complexes, `[n_left, n_right]`; `right` is `left` without it.
    ///
    /// # Errors
    ///
    /// As [`predict`](Self::predict).
    pub fn gram(&self, left: &Dataset, right: Option<&Dataset>) -> Result<Mat<f64>, ModelError> {
        let left = self.mode.inputs_of(self, left)?;
        match right {
            None => Ok(self.mode.kernel.gram(&Inputs::views(&left), Par::rayon(0))?),
            Some(right) => {
                let right = self.mode.inputs_of(self, right)?;
                Ok(self.mode.kernel.cross(&Inputs::views(&left), &Inputs::views(&right), Par::rayon(0))?)
            }
        }
    }

    /// The posterior of the latent values of complexes together. Where predictions are averaged over hyperparameters, so are
    /// means and covariances, and the covariance of the means is added.
    ///
    /// # Errors
    ///
    /// As [`predict`](Self::predict).
    pub fn predict_joint(&self, dataset: &Dataset) -> Result<JointLatents, ModelError> {
        self.joint_scaled(dataset, 1.0)
    }

    /// As [`predict_joint`](Self::predict_joint), with `factor` times the covariance that each state has.
    pub(super) fn joint_scaled(&self, dataset: &Dataset, factor: f64) -> Result<JointLatents, ModelError> {
        let states = self.all_states();
        let each = states.iter().map(|state| state.joint(self, dataset)).collect::<Result<Vec<_>, _>>()?;
        let weight = 1.0 / each.len() as f64;
        let (n, n_latents) = each[0].mean.shape();
        let mean =
            Mat::from_fn(n, n_latents, |i, c| weight * each.iter().map(|own| own.mean[(i, c)]).sum::<f64>());
        let of_latent = |c: usize| {
            Mat::from_fn(n, n, |i, j| {
                let own = |own: &JointLatents| {
                    let off = |i: usize| own.mean[(i, c)] - mean[(i, c)];
                    factor * own.covariance[c][(i, j)] + off(i) * off(j)
                };
                weight * each.iter().map(own).sum::<f64>()
            })
        };
        Ok(JointLatents { covariance: (0..n_latents).map(of_latent).collect(), mean })
    }

    /// The covariance of new observations of numbers, `[n_complexes, n_complexes]`; its diagonal are their variances.
    ///
    /// # Errors
    ///
    /// As [`predict`](Self::predict), and [`ModelError::Targets`] for classes and counts.
    pub fn predict_covariance(&self, dataset: &Dataset) -> Result<Mat<f64>, ModelError> {
        let (FittedTargets::Real { deviation, .. }, false) =
            (&self.targets, matches!(self.mode.likelihood, Likelihood::Poisson(_)))
        else {
            return Err(ModelError::Targets { expected: "numbers", found: "classes or counts" });
        };
        // A learned shape is that of whole predictions: it multiplies latent covariances as it does the noise.
        let latents = self.joint_scaled(dataset, self.shape().map_or(1.0, Shape::factor))?;
        let prediction = self.predict(dataset)?;
        let densities = prediction.targets.densities().unwrap_or(&[]);
        let scale = deviation * deviation;
        // The noise is what the variance of an observation has beyond that of its latent value.
        Ok(Mat::from_fn(densities.len(), densities.len(), |i, j| match i == j {
            true => densities[i].variance(),
            false => scale * latents.covariance[0][(i, j)],
        }))
    }
}

impl Trained {
    fn inputs_of(&self, model: &Model, dataset: &Dataset) -> Result<Vec<Inputs>, ModelError> {
        let measured = model.space.measurer.measure(dataset, |_| ControlFlow::Continue(()))?;
        let blocks = model.space.measures_in_units(&measured.measures.iter().collect::<Vec<_>>());
        self.blocks.iter().zip(&blocks).map(|(block, own)| block.inputs(own)).collect()
    }

    fn joint(&self, model: &Model, dataset: &Dataset) -> Result<JointLatents, ModelError> {
        let inputs = self.inputs_of(model, dataset)?;
        let views = Inputs::views(&inputs);
        let cross = self.kernel.cross(&views, &Inputs::views(&self.inputs), Par::rayon(0))?;
        let prior = self.kernel.gram(&views, Par::rayon(0))?;
        let (mean, covariance) = self.posterior.predict_joint(cross.as_ref(), prior.as_ref())?;
        Ok(JointLatents { mean, covariance })
    }
}

#[cfg(test)]
mod tests {
    use crate::model::testing::{dataset, small_settings};
    use crate::settings::{PosteriorChoice, Settings};

    #[test]
    fn variances_are_on_the_diagonal_and_covariances_are_those_of_a_dense_posterior() {
        let (inducing, sample) = (Some(7), Some(12));
        let sparse = Settings { posterior: PosteriorChoice::Sparse, inducing, sample, ..small_settings() };
        let settings = [small_settings(), sparse];
        for (n_classes, settings) in [0, 2, 3].into_iter().flat_map(|n| settings.iter().map(move |s| (n, s)))
        {
            let data = dataset(20, n_classes, 4);
            let new = dataset(9, n_classes, 5);
            let model = settings.fit(&data, &(0..20).collect::<Vec<_>>()).unwrap();
            let (joint, alone) = (model.predict_joint(&new).unwrap(), model.predict(&new).unwrap());
            for (c, covariance) in joint.covariance.iter().enumerate() {
                for i in 0..9 {
                    assert!((covariance[(i, i)] - alone.latent_variance[(i, c)]).abs() < 1e-10);
                    assert!((joint.mean[(i, c)] - alone.latent_mean[(i, c)]).abs() < 1e-10);
                    (0..9).for_each(|j| assert!((covariance[(i, j)] - covariance[(j, i)]).abs() < 1e-12));
                }
                let smallest = covariance.self_adjoint_eigenvalues(faer::Side::Lower).unwrap()[0];
                assert!(smallest > -1e-9, "{smallest}");
            }
            let gram = model.gram(&new, None).unwrap();
            let cross = model.gram(&new, Some(&new)).unwrap();
            (0..9).for_each(|i| assert!((gram[(i, 0)] - cross[(i, 0)]).abs() < 1e-12));
        }
    }

    #[test]
    fn observations_of_numbers_have_their_variance_and_classes_have_none() {
        let (data, new) = (dataset(20, 0, 4), dataset(6, 0, 5));
        let model = small_settings().fit(&data, &(0..20).collect::<Vec<_>>()).unwrap();
        let covariance = model.predict_covariance(&new).unwrap();
        let found = model.predict(&new).unwrap();
        let densities = found.targets.densities().unwrap();
        (0..6).for_each(|i| assert_eq!(covariance[(i, i)], densities[i].variance()));
        assert!(covariance.self_adjoint_eigenvalues(faer::Side::Lower).unwrap()[0] > 0.0);
        let classes = small_settings().fit(&dataset(20, 2, 4), &(0..20).collect::<Vec<_>>()).unwrap();
        assert!(classes.predict_covariance(&dataset(6, 2, 5)).is_err());
    }
}
