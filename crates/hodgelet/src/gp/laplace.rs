//! Laplace's approximation for two classes: a Gaussian at the mode of the posterior.
//!
//! Newton's method of \[Rasmussen06\] Algorithm 3.1. A Newton step is a site update with the curvature of `log p` at
//! the current latent values, so it shares its algebra with variational inference: `w = W`, `λ = W f + ∇ log p`.

use super::error::GpError;
use super::factor::Marginals;
use super::posterior::{Latents, Posterior, Sites};
use super::workspace::Workspace;
use crate::likelihood::{Bernoulli, Labels, Likelihood, Link, Observations};
use faer::MatRef;
use serde::{Deserialize, Serialize};

/// A Newton step is halved at most this many times before the iteration fails.
const MOST_HALVINGS: usize = 40;

/// Settings of Laplace's approximation, not yet validated.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LaplaceParams {
    /// The iteration ends when a step raises the log posterior by less than this, relative to its size.
    pub tolerance: f64,
    /// Largest number of Newton steps.
    pub max_iterations: usize,
}

impl Default for LaplaceParams {
    fn default() -> Self {
        Self { tolerance: 1e-13, max_iterations: 200 }
    }
}

impl LaplaceParams {
    /// The settings inference can run with, or the first one that is invalid.
    ///
    /// # Errors
    ///
    /// [`GpError::Setting`] naming it.
    pub fn check(self) -> Result<Laplace, GpError> {
        if !(self.tolerance > 0.0 && self.tolerance.is_finite()) {
            let (setting, expected) = ("tolerance", "above 0 and finite");
            return Err(GpError::Setting { setting, expected, value: self.tolerance });
        }
        if self.max_iterations == 0 {
            let (setting, expected) = ("max iterations", "at least 1");
            return Err(GpError::Setting { setting, expected, value: 0.0 });
        }
        Ok(Laplace(self))
    }
}

/// Laplace's approximation with valid settings; only [`LaplaceParams::check`] makes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Laplace(LaplaceParams);

/// The Gaussian at the mode, for two classes. It offers no gradient in the Gram matrix: the mode moves with it.
pub struct BinaryLaplace(Posterior);

impl BinaryLaplace {
    /// The approximate evidence `log q(y)`.
    #[must_use]
    pub fn log_evidence(&self) -> f64 {
        self.0.objective()
    }

    /// Mode (as mean) and variances at the training points.
    #[must_use]
    pub fn latents(&self) -> &Latents {
        self.0.latents()
    }

    /// The gradient of `log p(y | f)` at the mode, which is `K⁻¹ f`, `[n, 1]`.
    #[must_use]
    pub fn alpha(&self) -> MatRef<'_, f64> {
        self.0.alpha()
    }

    /// As a posterior that predicts like any other; its gradient in the Gram matrix is not that of the evidence.
    pub(crate) fn into_posterior(self) -> Posterior {
        self.0
    }

    /// Newton steps it took.
    #[must_use]
    pub fn iterations(&self) -> usize {
        self.0.iterations()
    }

    /// Means and variances at new points, \[Rasmussen06\] Algorithm 3.2; probabilities follow from the likelihood.
    ///
    /// # Errors
    ///
    /// As [`Posterior::predict`].
    pub fn predict(&self, cross: MatRef<'_, f64>, diagonal: &[f64]) -> Result<Latents, GpError> {
        self.0.predict(cross, diagonal)
    }
}

impl Laplace {
    /// Whether [`fit_binary`](Self::fit_binary) applies to `likelihood`.
    ///
    /// # Errors
    ///
    /// [`GpError::Unsupported`] when it does not.
    pub fn check_binary(likelihood: &Likelihood) -> Result<(), GpError> {
        log_concave(likelihood).map(|_| ())
    }

    /// The Gaussian at the mode for a Bernoulli likelihood that is log-concave.
    ///
    /// # Errors
    ///
    /// [`GpError`] for another likelihood, inputs that do not fit, or an iteration that does not converge.
    pub fn fit_binary(
        &self,
        gram: MatRef<'_, f64>,
        likelihood: &Likelihood,
        observations: &Observations,
        workspace: &mut Workspace,
    ) -> Result<BinaryLaplace, GpError> {
        let bernoulli = log_concave(likelihood)?;
        likelihood.check_observations(observations)?;
        let Observations::Classes(labels) = observations else { unreachable!("kinds were checked") };
        let n = observations.n_points();
        workspace.load(gram, n, 1)?;
        let mut mode = Mode { f: vec![0.0; n], alpha: vec![0.0; n], value: f64::NEG_INFINITY };
        mode.value = mode.objective(bernoulli, labels);
        for iteration in 1..=self.0.max_iterations {
            let sites = newton_sites(bernoulli, labels, &mode.f);
            let marginals = workspace.update(&sites)?;
            let Some(next) = mode.step(bernoulli, labels, &marginals[0]) else {
                return Err(GpError::NotConverged { iterations: iteration, change: f64::NAN });
            };
            let rise = next.value - mode.value;
            mode = next;
            if rise.abs() <= self.0.tolerance * (1.0 + mode.value.abs()) {
                return finish(bernoulli, labels, &mode, iteration, workspace);
            }
            if iteration == self.0.max_iterations {
                return Err(GpError::NotConverged { iterations: iteration, change: rise });
            }
        }
        unreachable!("at least one iteration was asked for")
    }
}

/// Factors, marginals and evidence at the mode.
fn finish(
    bernoulli: &Bernoulli,
    labels: &Labels,
    mode: &Mode,
    iterations: usize,
    workspace: &mut Workspace,
) -> Result<BinaryLaplace, GpError> {
    let sites = newton_sites(bernoulli, labels, &mode.f);
    let marginals = workspace.update(&sites)?;
    let evidence = mode.value - 0.5 * marginals[0].log_det; // Algorithm 3.1, line 10
    if !evidence.is_finite() {
        return Err(GpError::Overflow { quantity: "evidence", value: evidence });
    }
    let factors = std::mem::take(&mut workspace.factors);
    Ok(BinaryLaplace(Posterior::new(evidence, iterations, &marginals, sites, factors)))
}

fn log_concave(likelihood: &Likelihood) -> Result<&Bernoulli, GpError> {
    let unsupported = |likelihood| Err(GpError::Unsupported { method: "binary Laplace", likelihood });
    match likelihood {
        Likelihood::Bernoulli(bernoulli) => match bernoulli.link() {
            Link::Probit { floor } if floor > 0.0 => unsupported("a probit with a floor"),
            _ => Ok(bernoulli),
        },
        Likelihood::Gaussian(_) => unsupported("a Gaussian likelihood"),
        Likelihood::LabelRegression(_) => unsupported("regression on labels"),
        Likelihood::StudentT(_) => unsupported("Student-t noise"),
        _ => unsupported("a multi-class likelihood"),
    }
}

/// Latent values with `f = K α`, and the log posterior there up to a constant.
struct Mode {
    f: Vec<f64>,
    alpha: Vec<f64>,
    value: f64,
}

impl Mode {
    fn objective(&self, bernoulli: &Bernoulli, labels: &Labels) -> f64 {
        let prior: f64 = self.f.iter().zip(&self.alpha).map(|(f, a)| f * a).sum();
        let mut value = -0.5 * prior;
        for (i, &f) in self.f.iter().enumerate() {
            for &(class, count) in labels.counts(i) {
                value += count * bernoulli.link().log_probability(crate::likelihood::sign(class), f).0;
            }
        }
        value
    }

    /// The Newton step, halved until it does not lower the log posterior.
    fn step(&self, bernoulli: &Bernoulli, labels: &Labels, target: &Marginals) -> Option<Self> {
        let mut rho = 1.0;
        for _ in 0..MOST_HALVINGS {
            let blend = |from: &[f64], to: &[f64]| -> Vec<f64> {
                from.iter().zip(to).map(|(from, to)| from + rho * (to - from)).collect()
            };
            let (f, alpha) = (blend(&self.f, &target.mean), blend(&self.alpha, &target.alpha));
            let mut next = Self { f, alpha, value: 0.0 };
            next.value = next.objective(bernoulli, labels);
            if next.value >= self.value - 1e-12 * (1.0 + self.value.abs()) {
                return Some(next);
            }
            rho *= 0.5;
        }
        None
    }
}

/// `w = −∇∇ log p` and `λ = w f + ∇ log p` at `f`.
fn newton_sites(bernoulli: &Bernoulli, labels: &Labels, f: &[f64]) -> Sites {
    let (mut precision, mut shift) = (vec![0.0; f.len()], vec![0.0; f.len()]);
    for (i, &f) in f.iter().enumerate() {
        for &(class, count) in labels.counts(i) {
            let sign = crate::likelihood::sign(class);
            precision[i] += count * bernoulli.link().curvature(sign, f);
            shift[i] += count * bernoulli.link().log_probability(sign, f).1;
        }
        shift[i] += precision[i] * f;
    }
    Sites::zeros(f.len(), 1).with_values(&[precision, shift].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_make_no_sense_are_refused_by_name() {
        assert!(LaplaceParams::default().check().is_ok());
        for tolerance in [0.0, -1e-9, f64::NAN, f64::INFINITY] {
            let error = LaplaceParams { tolerance, ..LaplaceParams::default() }.check().unwrap_err();
            assert!(matches!(error, GpError::Setting { setting: "tolerance", .. }), "{error}");
        }
        let error = LaplaceParams { max_iterations: 0, ..LaplaceParams::default() }.check().unwrap_err();
        assert!(matches!(error, GpError::Setting { setting: "max iterations", .. }), "{error}");
    }
}
