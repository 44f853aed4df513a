//! Inference as a value: how a posterior is found, and how it comes back from a file.
//!
//! A posterior is what its [`Inference`] makes of a Gram matrix and observations. It knows the tensors that a file must
//! hold of it ([`Posterior::tensors`]), and [`Inference::restore`] makes the same posterior, to the last bit, of these.

use super::error::GpError;
use super::exact;
use super::laplace::Laplace;
use super::posterior::{Posterior, Sites};
use super::sparse::{InducingPrior, Natural, Sparse};
use super::variational::{Variational, from_sites};
use super::workspace::Workspace;
use crate::likelihood::{Likelihood, Observations};
use faer::{MatRef, Par};

/// A way to find a posterior.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Inference {
    /// Real targets in closed form.
    Exact,
    /// The best Gaussian, or the one reached within the allowed steps.
    Variational(Variational),
    /// The Gaussian at the mode, for two classes.
    Laplace(Laplace),
    /// The best Gaussian over inducing points; [`fit`](Self::fit) takes every point as one.
    Sparse(Sparse),
}

impl Inference {
    /// Whether this finds a posterior under `likelihood`, before anything is computed.
    ///
    /// # Errors
    ///
    /// [`GpError::Unsupported`].
    pub fn check(&self, likelihood: &Likelihood) -> Result<(), GpError> {
        match self {
            Self::Exact | Self::Variational(_) | Self::Sparse(_) => Ok(()),
            Self::Laplace(_) => Laplace::check_binary(likelihood),
        }
    }

    /// The posterior for the Gram matrix `gram` (lower triangle), from `start` if there is one.
    ///
    /// # Errors
    ///
    /// [`GpError`] when shapes or kinds do not fit, or `gram` is not finite or not positive semi-definite.
    pub fn fit(
        &self,
        gram: MatRef<'_, f64>,
        likelihood: &Likelihood,
        observations: &Observations,
        start: Option<&Sites>,
        workspace: &mut Workspace,
    ) -> Result<Posterior, GpError> {
        match self {
            Self::Exact => exact::fit(gram, likelihood, observations, workspace),
            Self::Variational(variational) => {
                variational.fit_within(gram, likelihood, observations, start, workspace)
            }
            Self::Laplace(laplace) => {
                Ok(laplace.fit_binary(gram, likelihood, observations, workspace)?.into_posterior())
            }
            Self::Sparse(sparse) => {
                likelihood.check_observations(observations)?;
                sparse.fit_full(gram, likelihood, observations, Par::Seq)
            }
        }
    }

    /// Names and shapes of the tensors that [`restore`](Self::restore) needs; of a sparse posterior the points are the
    /// inducing ones.
    #[must_use]
    pub fn stored(&self, n_points: usize, likelihood: &Likelihood) -> Vec<(&'static str, Vec<usize>)> {
        let n_latents = likelihood.n_latents();
        match self {
            Self::Sparse(_) => {
                let [precision, shift] = Natural::NAMES;
                let square = vec![likelihood.n_factors(), n_points, n_points];
                vec![(precision, square), (shift, vec![n_latents, n_points])]
            }
            _ => Sites::NAMES.iter().map(|&name| (name, vec![n_latents, n_points])).collect(),
        }
    }

    /// The posterior that [`fit`](Self::fit) found, from its tensors, in the order of [`stored`](Self::stored).
    ///
    /// # Errors
    ///
    /// As [`fit`](Self::fit), and [`GpError::Sites`] for tensors that are not those of a posterior.
    pub fn restore(
        &self,
        tensors: Vec<Vec<f64>>,
        gram: MatRef<'_, f64>,
        likelihood: &Likelihood,
        observations: &Observations,
        workspace: &mut Workspace,
    ) -> Result<Posterior, GpError> {
        if let Self::Sparse(_) = self {
            return Self::restore_sparse(tensors, gram, likelihood);
        }
        let (n_points, n_latents) = (observations.n_points(), likelihood.n_latents());
        let sites = Sites::from_tensors(n_points, n_latents, tensors)?;
        match self {
            Self::Variational(_) => from_sites(gram, likelihood, observations, &sites, workspace),
            // In closed form, or as near to the mode as rounding allows: there is nothing to save.
            Self::Exact | Self::Laplace(_) | Self::Sparse(_) => {
                self.fit(gram, likelihood, observations, Some(&sites), workspace)
            }
        }
    }

    fn restore_sparse(
        tensors: Vec<Vec<f64>>,
        gram: MatRef<'_, f64>,
        likelihood: &Likelihood,
    ) -> Result<Posterior, GpError> {
        let (expected_rows, expected_columns) = (gram.nrows(), likelihood.n_latents());
        let (rows, columns) = (tensors.first().map_or(0, Vec::len), tensors.len());
        let natural = <[Vec<f64>; 2]>::try_from(tensors)
            .ok()
            .and_then(|[precision, shift]| Natural::new(expected_rows, expected_columns, precision, shift))
            .ok_or(GpError::Sites { rows, columns, expected_rows, expected_columns })?;
        let prior = InducingPrior::new(gram, Par::Seq)?;
        Sparse::posterior(&prior, &natural, 0.0, 0, Par::Seq)
    }
}
