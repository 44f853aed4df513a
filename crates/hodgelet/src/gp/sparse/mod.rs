//! A sparse posterior: many points seen through few inducing ones, as a sum over leaves of points.
//!
//! With `K_mm = L Lᵀ` of the inducing points, `V = L⁻¹ K_mn` and sites `(w_i, λ_i)` per point and latent function,
//!
//! ```text
//! B = I + Σ_i w_i V_i V_iᵀ,   β = B⁻¹ Σ_i λ_i V_i,   L⁻¹u ~ N(β, B⁻¹)
//! m_i = V_iᵀ β,   v_i = k_ii − ‖V_i‖² + V_iᵀ B⁻¹ V_i
//! ELBO = Σ_i E_{N(m_i, v_i)}[log p(y_i | f_i)] − ½ (tr B⁻¹ + ‖β‖² − M + log|B|)                     Eq. (6)
//! ```
//!
//! The sites are set as in full inference, Eq. (4), and only their sums [`Natural`] are ever kept: a step of any length is a
//! step between two of them. So the state of an iteration has a fixed size, points have none, and a pass is a map over
//! leaves ([`Leaf::pass`]) and one sum of [`Statistics`] along a fixed tree ([`TreeSum`]). Where leaves live, in memory, on
//! disk or elsewhere, changes no bit.

mod file;
mod inducing;
mod leaf;
mod natural;
mod prior;
mod tree;

pub use file::LeafFile;
pub use inducing::{Chosen, choose};
pub use leaf::{LEAF, Leaf, LeafGradient, Statistics};
pub use natural::{Moments, Natural};
pub use prior::InducingPrior;
pub use tree::{Term, TreeSum};

use super::error::GpError;
use super::factor::Factor;
use super::posterior::{Latents, Posterior};
use crate::likelihood::{Likelihood, Observations};
use crate::linalg::dense::times;
use crate::linalg::symmetric::product;
use faer::{Mat, MatRef, Par};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Decreases of the ELBO below this, relative to its size, are rounding.
const ROUNDING: f64 = 1e-11;

/// A step is halved at most this many times before the iteration ends.
const MOST_HALVINGS: usize = 30;

/// By how much the share of a step grows again after a success.
const GROWTH: f64 = 1.5;

/// Settings of sparse inference, not yet validated.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SparseParams {
    /// The iteration ends when a pass changes the ELBO by less than this, relative to `1 + |ELBO|`.
    pub tolerance: f64,
    /// Largest number of passes.
    pub max_passes: usize,
}

impl Default for SparseParams {
    fn default() -> Self {
        Self { tolerance: 1e-8, max_passes: 100 }
    }
}

impl SparseParams {
    /// The settings inference can run with, or the first one that is invalid.
    ///
    /// # Errors
    ///
    /// [`GpError::Setting`] naming it.
    pub fn check(self) -> Result<Sparse, GpError> {
        let wrong = |setting, expected, value| Err(GpError::Setting { setting, expected, value });
        if !(self.tolerance > 0.0 && self.tolerance.is_finite()) {
            return wrong("tolerance", "above 0 and finite", self.tolerance);
        }
        if self.max_passes < 2 {
            return wrong("max passes", "at least 2", self.max_passes as f64);
        }
        Ok(Sparse(self))
    }
}

/// Sparse inference with valid settings; only [`SparseParams::check`] makes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sparse(SparseParams);

/// Where an iteration ended.
#[derive(Clone, Debug)]
pub struct SparseFit {
    /// The natural parameters.
    pub natural: Natural,
    /// The Gaussian that they give.
    pub moments: Moments,
    /// The sums of the last pass.
    pub statistics: Statistics,
    /// The ELBO.
    pub elbo: f64,
    /// Passes made.
    pub passes: usize,
    /// Whether the last pass changed the ELBO by less than the tolerance.
    pub converged: bool,
}

/// What a pass may fail with.
pub trait PassError: From<GpError> {
    /// Whether a shorter step may help: nothing but numbers went wrong.
    fn is_numerical(&self) -> bool;
}

impl PassError for GpError {
    fn is_numerical(&self) -> bool {
        true
    }
}

impl Likelihood {
    /// How many different precisions the sites of a point have: those of labels as numbers are equal.
    #[must_use]
    pub fn n_factors(&self) -> usize {
        if matches!(self, Self::LabelRegression(_)) { 1 } else { self.n_latents() }
    }
}

impl Sparse {
    /// The best Gaussian for data that `pass` sums over: it is given a Gaussian and returns the sums of the statistics of all
    /// leaves ([`Leaf::pass`], [`TreeSum`]). `held` is what data add that no leaf has any more. The iteration starts at
    /// `start`, or at the prior with `held`.
    ///
    /// # Errors
    ///
    /// [`GpError`] when shapes do not fit, or a pass fails at the start; an error of a pass that is not numerical, at once.
    pub fn iterate<E: PassError>(
        &self,
        start: Natural,
        held: Option<&Natural>,
        likelihood: &Likelihood,
        par: Par,
        mut pass: impl FnMut(&Moments) -> Result<Statistics, E>,
    ) -> Result<SparseFit, E> {
        if let Some(held) = held.filter(|held| !start.fits(held)) {
            let (rows, columns) = (held.n_inducing(), held.n_latents());
            let (expected_rows, expected_columns) = (start.n_inducing(), start.n_latents());
            return Err(GpError::Sites { rows, columns, expected_rows, expected_columns }.into());
        }
        let is_gaussian = matches!(likelihood, Likelihood::Gaussian(_) | Likelihood::LabelRegression(_));
        let mut passes = 0;
        let mut evaluate = |natural: Natural| -> Result<SparseFit, E> {
            let moments = natural.moments(par)?;
            passes += 1;
            let mut statistics = pass(&moments)?;
            if let Some(held) = held {
                statistics.natural.add(held);
            }
            let elbo = statistics.value - moments.divergence();
            if !elbo.is_finite() {
                return Err(GpError::Overflow { quantity: "ELBO", value: elbo }.into());
            }
            Ok(SparseFit { natural, moments, statistics, elbo, passes, converged: false })
        };
        let mut state = evaluate(start)?;
        let mut rho: f64 = if likelihood.is_log_concave() { 1.0 } else { 0.5 };
        let mut halvings = 0;
        while state.passes < self.0.max_passes && halvings < MOST_HALVINGS {
            let target = &state.statistics.natural;
            let next = match evaluate(state.natural.towards(target, rho)) {
                Ok(next) => next,
                // Precisions below 0 may have gone too far; nothing else changes from step to step.
                Err(error) if !error.is_numerical() || (state.passes == 1 && rho < 1e-3) => {
                    return Err(error);
                }
                Err(_) => {
                    (rho, halvings) = (0.5 * rho, halvings + 1);
                    continue;
                }
            };
            let scale = 1.0 + next.elbo.abs();
            let rise = next.elbo - state.elbo;
            if rise < -ROUNDING * scale {
                state.passes = next.passes;
                (rho, halvings) = (0.5 * rho, halvings + 1);
                continue;
            }
            halvings = 0;
            // In closed form the first step ends at the optimum.
            let converged = rise <= self.0.tolerance * scale * rho || (is_gaussian && rho == 1.0);
            rho = (GROWTH * rho).min(1.0);
            state = SparseFit { converged, ..next };
            if converged {
                break;
            }
        }
        Ok(state)
    }

    /// The posterior over the inducing points that natural parameters give.
    ///
    /// # Errors
    ///
    /// [`GpError`] when the parameters do not fit the prior, or are not those of a Gaussian.
    pub fn posterior(
        prior: &InducingPrior,
        natural: &Natural,
        objective: f64,
        passes: usize,
        par: Par,
    ) -> Result<Posterior, GpError> {
        let (m, n_latents) = (prior.len(), natural.n_latents());
        if natural.n_inducing() != m {
            let (rows, columns) = (natural.n_inducing(), n_latents);
            return Err(GpError::Sites { rows, columns, expected_rows: m, expected_columns: n_latents });
        }
        let moments = natural.moments(par)?;
        let inverse = prior.inverse(par);
        let (mut alpha, mut mean) = (Mat::zeros(m, n_latents), Mat::zeros(m, n_latents));
        product(inverse.transpose(), moments.mean.as_ref(), alpha.as_mut(), par);
        product(prior.factor(), moments.mean.as_ref(), mean.as_mut(), par);
        let mut variance = Mat::zeros(m, n_latents);
        let mut factors = Vec::new();
        for (f, root) in moments.roots.iter().enumerate() {
            // k*ᵀ (K_mm⁻¹ − K_mm⁻¹ S K_mm⁻¹) k* = ‖L⁻¹ k*‖² − ‖B^{-½} L⁻¹ k*‖²
            let mut both = Mat::zeros(2 * m, m);
            both.as_mut().subrows_mut(0, m).copy_from(&inverse);
            product(root.as_ref(), inverse.as_ref(), both.as_mut().subrows_mut(m, m), par);
            let spread = times(root.as_ref(), prior.factor().transpose()); // L_B⁻¹ Lᵀ
            for i in 0..m {
                let own = spread.col(i).squared_norm_l2();
                let functions = if moments.roots.len() == 1 { 0..n_latents } else { f..f + 1 };
                functions.for_each(|c| variance[(i, c)] = own);
            }
            factors.push(Factor::difference(both, m));
        }
        Ok(Posterior::sparse(objective, passes, Latents { mean, variance }, alpha, natural.clone(), factors))
    }

    /// All points as inducing points: what full inference finds, up to the jitter.
    pub(super) fn fit_full(
        &self,
        gram: MatRef<'_, f64>,
        likelihood: &Likelihood,
        observations: &Observations,
        par: Par,
    ) -> Result<Posterior, GpError> {
        let n = observations.n_points();
        if gram.shape() != (n, n) {
            return Err(GpError::Shape { rows: gram.nrows(), columns: gram.ncols(), expected: n });
        }
        let prior = InducingPrior::new(gram, par)?;
        let cross = Mat::from_fn(n, n, |i, j| gram[(i.max(j), i.min(j))]);
        let diagonal: Vec<f64> = (0..n).map(|i| gram[(i, i)]).collect();
        let leaf = Leaf::new(prior.project(cross.as_ref()), &diagonal, observations.clone())?;
        let start = Natural::zeros(n, likelihood.n_latents(), likelihood.n_factors());
        let fit = self.iterate(start, None, likelihood, par, |moments| leaf.pass(moments, likelihood))?;
        Self::posterior(&prior, &fit.natural, fit.elbo, fit.passes, par)
    }
}

/// Sums what `leaf` returns for the leaves of a shard, on the threads of rayon. Threads take runs of leaves, and the sum runs
/// along the tree, so their number changes no bit.
///
/// # Errors
///
/// The first error of a leaf, in their order.
pub fn sum_leaves<T: Term + Send, E: Send>(
    leaves: std::ops::Range<usize>,
    leaf: impl Fn(usize) -> Result<T, E> + Sync,
) -> Result<TreeSum<T>, E> {
    let threads = rayon::current_num_threads().clamp(1, leaves.len().max(1));
    let (first, n) = (leaves.start, leaves.len());
    let part = |t: usize| {
        let mut own = TreeSum::default();
        for index in first + t * n / threads..first + (t + 1) * n / threads {
            own.push(index, leaf(index)?);
        }
        Ok(own)
    };
    let parts: Vec<Result<TreeSum<T>, E>> = (0..threads).into_par_iter().map(part).collect();
    let mut whole = TreeSum::default();
    for part in parts {
        whole.append(part?);
    }
    Ok(whole)
}

#[cfg(test)]
mod tests;
