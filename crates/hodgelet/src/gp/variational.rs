//! Full variational inference in dual (site) form.
//!
//! For a factorized likelihood the best Gaussian has `S = (K⁻¹ + diag w)⁻¹` \[Opper09\], so two numbers per point
//! and latent function describe it. Natural-gradient steps \[Khan17\] set the sites from the derivatives of the
//! expected log-likelihood at the current `q`:
//!
//! ```text
//! w ← h,  λ ← g + h m,   g = ∂ E_q[log p] / ∂m,  h = −2 ∂ E_q[log p] / ∂v                        Eq. (4)
//! ```
//!
//! The steps are accelerated by Anderson's method, and any step that lowers the ELBO is replaced by the plain one
//! and then damped. At the fixed point the gradient in `K` is the partial one, Eq. (5).

use super::anderson::Anderson;
use super::error::GpError;
use super::factor::Marginals;
use super::posterior::{Posterior, Sites};
use super::workspace::Workspace;
use crate::likelihood::{Expectations, Likelihood, Observations};
use faer::{Mat, MatRef};
use serde::{Deserialize, Serialize};

/// Decreases of the ELBO below this, relative to its size, are rounding.
const ROUNDING: f64 = 1e-12;

/// A step is halved at most this many times before the iteration fails.
const MOST_HALVINGS: usize = 40;

/// By how much the share of a step grows again after a success.
const GROWTH: f64 = 1.5;

/// Steps in a row that change the ELBO by rounding alone, after which nothing more can be gained.
const STALLED: usize = 4;

/// How far from the optimum, relative to the tolerance, an iteration may stall and still count as converged.
const STALLED_SLACK: f64 = 1e4;

/// Largest number of evaluations of the first phase, from the prior, for a likelihood that is not log-concave, and the
/// gain, relative to the ELBO, of a step that ends it.
const APPROACH: usize = 25;
const APPROACHED: f64 = 1e-2;

/// Settings of variational inference, not yet validated.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct VariationalParams {
    /// The iteration ends when the ELBO is estimated to be this close to its optimum, relative to `1 + |ELBO|`.
    /// The gradient in `K` errs by about the square root of it.
    pub tolerance: f64,
    /// Largest number of evaluations of the ELBO.
    pub max_iterations: usize,
    /// Past steps that Anderson's method uses; 0 turns it off.
    pub history: usize,
}

impl Default for VariationalParams {
    fn default() -> Self {
        Self { tolerance: 1e-13, max_iterations: 2000, history: 10 }
    }
}

impl VariationalParams {
    /// The settings inference can run with, or the first one that is invalid.
    ///
    /// # Errors
    ///
    /// [`GpError::Setting`] naming it.
    pub fn check(self) -> Result<Variational, GpError> {
        let wrong = |setting, expected, value| Err(GpError::Setting { setting, expected, value });
        if !(self.tolerance > 0.0 && self.tolerance.is_finite()) {
            return wrong("tolerance", "above 0 and finite", self.tolerance);
        }
        if self.max_iterations < 2 {
            return wrong("max iterations", "at least 2", self.max_iterations as f64);
        }
        if self.history > 50 {
            return wrong("history", "at most 50", self.history as f64);
        }
        Ok(Variational(self))
    }
}

/// Variational inference with valid settings; only [`VariationalParams::check`] makes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Variational(VariationalParams);

/// One evaluation of the ELBO.
struct State {
    sites: Sites,
    marginals: Vec<Marginals>,
    expectations: Expectations,
    elbo: f64,
}

impl Variational {
    /// The best Gaussian posterior for the Gram matrix `gram` (lower triangle), starting from `start` or from the
    /// prior. Its objective is the ELBO.
    ///
    /// # Errors
    ///
    /// [`GpError`] when shapes or kinds do not fit, `gram` is not finite or not positive semi-definite, or the
    /// iteration does not converge.
    ///
    /// # Complexity
    ///
    /// `2n³/3` multiplications and additions for each latent function and iteration.
    pub fn fit(
        &self,
        gram: MatRef<'_, f64>,
        likelihood: &Likelihood,
        observations: &Observations,
        start: Option<&Sites>,
        workspace: &mut Workspace,
    ) -> Result<Posterior, GpError> {
        let (run, state, end) = self.run(gram, likelihood, observations, start, workspace)?;
        match end {
            End::Converged => run.finish(state),
            End::Short { change } => Err(GpError::NotConverged { iterations: run.evaluations, change }),
        }
    }

    /// As [`fit`](Self::fit), but when the evaluations are used up the posterior is given back as it is. Its ELBO is
    /// a valid bound, and its derivative in the Gram matrix is exact for its Gaussian, so training can continue.
    ///
    /// # Errors
    ///
    /// As [`fit`](Self::fit), but for the convergence.
    pub fn fit_within(
        &self,
        gram: MatRef<'_, f64>,
        likelihood: &Likelihood,
        observations: &Observations,
        start: Option<&Sites>,
        workspace: &mut Workspace,
    ) -> Result<Posterior, GpError> {
        let (run, state, _) = self.run(gram, likelihood, observations, start, workspace)?;
        run.finish(state)
    }

    fn run<'a>(
        &self,
        gram: MatRef<'_, f64>,
        likelihood: &'a Likelihood,
        observations: &'a Observations,
        start: Option<&Sites>,
        workspace: &'a mut Workspace,
    ) -> Result<(Run<'a>, State, End), GpError> {
        prepare(gram, likelihood, observations, start, workspace)?;
        let (n, n_latents) = (observations.n_points(), likelihood.n_latents());
        let mut run = Run {
            likelihood,
            observations,
            workspace,
            evaluations: 0,
            most: self.0.max_iterations,
            rho: 1.0,
            last_step: vec![],
            reach: 4.0,
        };
        // Sites of another K may make q improper with this one.
        let warm = start.and_then(|sites| run.evaluate(sites.clone()).ok());
        let mut state = match warm {
            Some(state) => state,
            None => {
                let prior = run.evaluate(Sites::zeros(n, n_latents))?;
                run.approach(prior)
            }
        };
        let end = self.iterate(&mut run, &mut state)?;
        Ok((run, state, end))
    }

    fn iterate(&self, run: &mut Run<'_>, state: &mut State) -> Result<End, GpError> {
        let mut anderson = Anderson::new(self.0.history);
        let mut stalled = 0;
        let mut change;
        loop {
            let residual = state.residual();
            change = state.distance(&residual) / (1.0 + state.elbo.abs());
            // Where K is 0 the prior is optimal whatever the sites, but only the sites give the gradient.
            let started = run.evaluations > 1 || state.sites.to_vec().iter().any(|&x| x != 0.0);
            let gained = stalled >= STALLED && change <= STALLED_SLACK * self.0.tolerance;
            if started && (change <= self.0.tolerance || gained) {
                return Ok(End::Converged);
            }
            if run.evaluations >= run.most {
                break;
            }
            let Some(next) = self.step(run, state, &residual, &mut anderson)? else { break };
            let rise = (next.elbo - state.elbo).abs();
            run.last_step =
                next.sites.to_vec().iter().zip(state.sites.to_vec()).map(|(a, b)| a - b).collect();
            stalled = if rise <= ROUNDING * (1.0 + next.elbo.abs()) { stalled + 1 } else { 0 };
            *state = next;
        }
        Ok(End::Short { change })
    }

    /// The first of the accelerated, the plain and the damped steps that does not lower the ELBO.
    fn step(
        &self,
        run: &mut Run<'_>,
        state: &State,
        residual: &[f64],
        anderson: &mut Anderson,
    ) -> Result<Option<State>, GpError> {
        let x = state.sites.to_vec();
        let least = state.elbo - ROUNDING * (1.0 + state.elbo.abs());
        if let Some(values) = anderson.propose(&x, residual, &state.scale(), run.rho) {
            match run.evaluate(state.sites.with_values(&values)) {
                Ok(next) if next.elbo >= least => {
                    run.rho = (GROWTH * run.rho).min(1.0);
                    return Ok(Some(next));
                }
                _ => anderson.clear(),
            }
            if let Some(next) = run.repeat_last(state, residual, least) {
                return Ok(Some(next));
            }
        }
        for _ in 0..MOST_HALVINGS {
            if run.evaluations >= run.most {
                break;
            }
            let values: Vec<f64> = x.iter().zip(residual).map(|(x, r)| x + run.rho * r).collect();
            match run.evaluate(state.sites.with_values(&values)) {
                Ok(next) if next.elbo >= least => {
                    run.rho = (GROWTH * run.rho).min(1.0);
                    return Ok(Some(next));
                }
                // With a valid K, only negative precisions can make q improper; they may have gone too far.
                Err(error @ GpError::NotPositiveDefinite(_))
                    if values[..x.len() / 2].iter().all(|&w| w >= 0.0) =>
                {
                    return Err(error);
                }
                Ok(_) | Err(GpError::NotPositiveDefinite(_) | GpError::Overflow { .. }) => run.rho *= 0.5,
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }
}

/// The posterior that given sites determine, with its ELBO: what a saved model needs.
///
/// # Errors
///
/// As [`Variational::fit`].
pub fn from_sites(
    gram: MatRef<'_, f64>,
    likelihood: &Likelihood,
    observations: &Observations,
    sites: &Sites,
    workspace: &mut Workspace,
) -> Result<Posterior, GpError> {
    prepare(gram, likelihood, observations, Some(sites), workspace)?;
    let mut run = Run {
        likelihood,
        observations,
        workspace,
        evaluations: 0,
        most: 1,
        rho: 1.0,
        last_step: vec![],
        reach: 4.0,
    };
    let state = run.evaluate(sites.clone())?;
    run.finish(state)
}

fn prepare(
    gram: MatRef<'_, f64>,
    likelihood: &Likelihood,
    observations: &Observations,
    start: Option<&Sites>,
    workspace: &mut Workspace,
) -> Result<(), GpError> {
    likelihood.check_observations(observations)?;
    let (n, n_latents) = (observations.n_points(), likelihood.n_latents());
    if let Some(sites) = start {
        let (rows, columns) = (sites.n_points(), sites.n_latents());
        if (rows, columns) != (n, n_latents) || !sites.is_sound() {
            return Err(GpError::Sites { rows, columns, expected_rows: n, expected_columns: n_latents });
        }
    }
    workspace.load(gram, n, n_latents)
}

/// How an iteration ended.
enum End {
    Converged,
    /// No step gained anything, or the evaluations were used up, at this estimate of the distance to the optimum.
    Short {
        change: f64,
    },
}

/// Everything an evaluation needs.
struct Run<'a> {
    likelihood: &'a Likelihood,
    observations: &'a Observations,
    workspace: &'a mut Workspace,
    evaluations: usize,
    /// Evaluations allowed.
    most: usize,
    /// Share of a natural-gradient step that lately did not lower the ELBO.
    rho: f64,
    /// The last step taken, and the factor by which to repeat it.
    last_step: Vec<f64>,
    reach: f64,
}

impl Run<'_> {
    /// `q`, the ELBO and the derivatives of the likelihood at `sites`.
    fn evaluate(&mut self, sites: Sites) -> Result<State, GpError> {
        self.evaluations += 1;
        let overflow = |quantity, value: f64| Err(GpError::Overflow { quantity, value });
        if !sites.is_sound()
            && let Some(&value) = sites.to_vec().iter().find(|x| !x.is_finite())
        {
            return overflow("site", value);
        }
        let marginals = self.workspace.update(&sites)?;
        let n = sites.n_points();
        let mean = Mat::from_fn(n, sites.n_latents(), |i, c| marginals[c].mean[i]);
        let variance = Mat::from_fn(n, sites.n_latents(), |i, c| marginals[c].variance[i]);
        for value in mean.col_iter().chain(variance.col_iter()).flat_map(|column| column.iter()) {
            if !value.is_finite() {
                return overflow("latent moment", *value);
            }
        }
        let expectations =
            self.likelihood.expectations(self.observations, mean.as_ref(), variance.as_ref())?;
        let divergence: f64 =
            marginals.iter().enumerate().map(|(c, m)| divergence(m, sites.precision(c))).sum();
        let elbo = expectations.value - divergence;
        if !elbo.is_finite() {
            return overflow("ELBO", elbo);
        }
        Ok(State { sites, marginals, expectations, elbo })
    }

    /// From the prior into the region where full steps help, for a likelihood that is not log-concave: half steps
    /// with non-negative precisions. Far from the optimum negative ones would make `q` improper, and the damping
    /// they need would cost hundreds of steps.
    fn approach(&mut self, prior: State) -> State {
        let mut state = prior;
        if self.likelihood.is_log_concave() {
            return state;
        }
        while self.evaluations < APPROACH.min(self.most) {
            let (x, target) = (state.sites.to_vec(), state.target(0.0));
            let values: Vec<f64> = x.iter().zip(target).map(|(x, t)| 0.5 * (x + t)).collect();
            match self.evaluate(state.sites.with_values(&values)) {
                Ok(next) if next.elbo > state.elbo => {
                    let gain = next.elbo - state.elbo;
                    state = next;
                    if gain < APPROACHED * state.elbo.abs() {
                        break;
                    }
                }
                _ => break,
            }
        }
        state
    }

    /// A step with momentum. Near a saddle Anderson's method is drawn back to it, while continuing in the same
    /// direction helps.
    fn repeat_last(&mut self, state: &State, residual: &[f64], least: f64) -> Option<State> {
        let x = state.sites.to_vec();
        if self.last_step.len() != x.len() {
            return None;
        }
        let onward = x.iter().zip(residual).zip(&self.last_step);
        let values: Vec<f64> = onward.map(|((x, r), step)| x + self.rho * r + self.reach * step).collect();
        let next = self.evaluate(state.sites.with_values(&values)).ok().filter(|next| next.elbo >= least);
        self.reach = if next.is_some() { (2.0 * self.reach).min(64.0) } else { (0.5 * self.reach).max(1.0) };
        next
    }

    /// The posterior of a state; its factors are computed again if a rejected step came after them.
    fn finish(mut self, mut state: State) -> Result<Posterior, GpError> {
        let evaluations = self.evaluations;
        if self.workspace.is_stale(&state.sites) {
            state = self.evaluate(state.sites)?;
        }
        let factors = std::mem::take(&mut self.workspace.factors);
        let posterior = Posterior::new(state.elbo, evaluations, &state.marginals, state.sites, factors);
        Ok(posterior.with_noise_sums(state.expectations.noise_sums))
    }
}

/// `KL(q ‖ p) = ½ [tr(K⁻¹S) − n + mᵀα + log |B|]`, with `tr(K⁻¹S) = n − Σ w_i S_ii`.
fn divergence(marginals: &Marginals, w: &[f64]) -> f64 {
    let trace: f64 = w.iter().zip(&marginals.variance).map(|(w, s)| w * s).sum();
    let square: f64 = marginals.mean.iter().zip(&marginals.alpha).map(|(m, a)| m * a).sum();
    0.5 * (square - trace + marginals.log_det)
}

impl State {
    /// The target sites of a natural-gradient step, with precisions of at least `least`: precisions, then shifts.
    fn target(&self, least: f64) -> Vec<f64> {
        let (n, n_latents) = (self.sites.n_points(), self.sites.n_latents());
        let mut target = vec![0.0; 2 * n * n_latents];
        let (precision, shift) = target.split_at_mut(n * n_latents);
        for c in 0..n_latents {
            for i in 0..n {
                let h = (-2.0 * self.expectations.d_variance[(i, c)]).max(least);
                precision[c * n + i] = h;
                shift[c * n + i] = self.expectations.d_mean[(i, c)] + h * self.marginals[c].mean[i];
            }
        }
        target
    }

    /// The target sites minus the current ones.
    fn residual(&self) -> Vec<f64> {
        let target = self.target(f64::NEG_INFINITY);
        target.iter().zip(self.sites.to_vec()).map(|(target, x)| target - x).collect()
    }

    /// Units in which sites differ: `S_ii` for precisions, its root for shifts.
    fn scale(&self) -> Vec<f64> {
        let variances = || self.marginals.iter().flat_map(|m| m.variance.iter());
        variances().copied().chain(variances().map(|v| v.sqrt())).collect()
    }

    /// Estimate of how far the ELBO is from its optimum: half the squared gradient of the ELBO in `m` and `S`, in
    /// the metric of `q`.
    fn distance(&self, residual: &[f64]) -> f64 {
        let n = self.sites.n_points();
        let (precision, shift) = residual.split_at(residual.len() / 2);
        let mut total = 0.0;
        for (c, marginals) in self.marginals.iter().enumerate() {
            for i in 0..n {
                let (dw, dl) = (precision[c * n + i], shift[c * n + i]);
                let slope = dl - dw * marginals.mean[i]; // g − α
                let variance = marginals.variance[i];
                total += 0.5 * slope * slope * variance + 0.25 * (dw * variance).powi(2);
            }
        }
        total
    }
}
