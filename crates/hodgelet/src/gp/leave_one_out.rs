//! Leave-one-out predictions from the dual parameters, without refitting.
//!
//! Removing the site of one observation from the posterior marginal of its point leaves the cavity, the posterior
//! given all other observations up to the change of their sites: `1/v₋ = 1/S − w_o`, `m₋/v₋ = m/S − λ_o`. For
//! Gaussian targets that is exact. Observations that share a latent point share its sites in proportion to what
//! each asks for, so one of them can be removed alone.

use super::error::GpError;
use super::posterior::{Latents, Posterior};
use crate::likelihood::{Likelihood, Observations};
use faer::Mat;
use rayon::prelude::*;

/// Predictions of each observation from all others, in the order of the observations.
#[derive(Clone, Debug, PartialEq)]
pub struct LeaveOneOut {
    /// Latent means and variances without the observation, `[n_observations, n_latents]`.
    pub latents: Latents,
    /// Predictive log density of each observation, `[n_observations]`.
    pub log_densities: Vec<f64>,
    /// Predictive probabilities `[n_observations, n_classes]`; no columns for real targets.
    pub probabilities: Mat<f64>,
    /// For predictions averaged over states, the shape of the largest weights of each observation: above 0.7 its prediction
    /// hangs on few states. Empty for a single posterior.
    pub pareto_k: Vec<f64>,
}

/// Leave-one-out predictions of a posterior.
///
/// # Errors
///
/// [`GpError`] when observations or likelihood are not those of the posterior.
///
/// # Complexity
///
/// Linear in the number of observations, times what an expectation of the likelihood takes.
pub fn leave_one_out(
    posterior: &Posterior,
    likelihood: &Likelihood,
    observations: &Observations,
) -> Result<LeaveOneOut, GpError> {
    likelihood.check_observations(observations)?;
    let latents = posterior.latents();
    let (rows, columns) = latents.mean.shape();
    let (expected_rows, expected_columns) = (observations.n_points(), likelihood.n_latents());
    if (rows, columns) != (expected_rows, expected_columns) {
        return Err(GpError::Sites { rows, columns, expected_rows, expected_columns });
    }
    let (n, n_latents) = (observations.len(), likelihood.n_latents());
    let mut cavity = Latents { mean: Mat::zeros(n, n_latents), variance: Mat::zeros(n, n_latents) };
    let shared = observation_counts(observations);
    for (o, &i) in observations.points().iter().enumerate() {
        let sites =
            if shared[i] > 1 { Some(own_sites(posterior, likelihood, observations, o)) } else { None };
        for c in 0..n_latents {
            let (m, s) = (latents.mean[(i, c)], latents.variance[(i, c)]);
            let (mean, variance) = match &sites {
                // Alone at its point, the observation owns the site: m₋ = m − α S / (1 − w S).
                None => {
                    let kept = posterior.retained[(i, c)];
                    (m - posterior.alpha[(i, c)] * s / kept, s / kept)
                }
                Some(own) => {
                    let (w, lambda) = own[c];
                    ((m - lambda * s) / (1.0 - w * s), s / (1.0 - w * s))
                }
            };
            cavity.mean[(o, c)] = checked("cavity mean", mean)?;
            cavity.variance[(o, c)] = checked("cavity variance", variance)?.max(0.0);
        }
    }
    densities(cavity, likelihood, observations)
}

/// The likelihood with what is fitted to points left out one at a time, all observations of a point together: the sharpness
/// of a regression on labels. Other likelihoods come back as they are.
///
/// # Errors
///
/// [`GpError`] when observations or likelihood are not those of the posterior.
pub fn calibrated(
    posterior: &Posterior,
    likelihood: &Likelihood,
    observations: &Observations,
) -> Result<Likelihood, GpError> {
    let (Likelihood::LabelRegression(regression), Observations::Classes(labels)) = (likelihood, observations)
    else {
        return Ok(likelihood.clone());
    };
    likelihood.check_observations(observations)?;
    let Latents { mean, variance } = cavities(posterior)?;
    let row = |values: &Mat<f64>, i: usize| values.row(i).iter().copied().collect::<Vec<f64>>();
    let left_out: Vec<_> = (0..observations.n_points()).map(|i| (row(&mean, i), row(&variance, i))).collect();
    Ok(Likelihood::LabelRegression(regression.calibrated(labels, &left_out)))
}

/// Latent means and variances of each point without any of its observations, `[n_points, n_latents]`.
///
/// # Errors
///
/// [`GpError::Overflow`] where a point has no such moments.
pub(crate) fn cavities(posterior: &Posterior) -> Result<Latents, GpError> {
    let Latents { mut mean, mut variance } = posterior.latents().clone();
    for c in 0..mean.ncols() {
        for i in 0..mean.nrows() {
            let (s, kept) = (variance[(i, c)], posterior.retained[(i, c)]);
            mean[(i, c)] = checked("cavity mean", mean[(i, c)] - posterior.alpha[(i, c)] * s / kept)?;
            variance[(i, c)] = checked("cavity variance", s / kept)?;
        }
    }
    Ok(Latents { mean, variance })
}

fn checked(quantity: &'static str, value: f64) -> Result<f64, GpError> {
    if value.is_finite() { Ok(value) } else { Err(GpError::Overflow { quantity, value }) }
}

fn observation_counts(observations: &Observations) -> Vec<usize> {
    let mut counts = vec![0; observations.n_points()];
    observations.points().iter().for_each(|&i| counts[i] += 1);
    counts
}

/// The site `(w, λ)` that observation `o` alone asks for, for each latent function.
fn own_sites(
    posterior: &Posterior,
    likelihood: &Likelihood,
    observations: &Observations,
    o: usize,
) -> Vec<(f64, f64)> {
    let i = observations.points()[o];
    let latents = posterior.latents();
    let n_latents = likelihood.n_latents();
    match observations {
        Observations::Reals(reals) => {
            vec![likelihood.real_site(reals, o, latents.mean[(i, 0)], latents.variance[(i, 0)])]
        }
        Observations::Classes(labels) => {
            let m: Vec<f64> = (0..n_latents).map(|c| latents.mean[(i, c)]).collect();
            let v: Vec<f64> = (0..n_latents).map(|c| latents.variance[(i, c)]).collect();
            let (mut g, mut d) = (vec![0.0; n_latents], vec![0.0; n_latents]);
            likelihood.class_terms(
                &[(labels.labels()[o] as usize, observations.weight(o))],
                &m,
                &v,
                &mut g,
                &mut d,
            );
            (0..n_latents).map(|c| (-2.0 * d[c], g[c] - 2.0 * d[c] * m[c])).collect()
        }
    }
}

/// Probabilities and log densities in the cavities.
fn densities(
    cavity: Latents,
    likelihood: &Likelihood,
    observations: &Observations,
) -> Result<LeaveOneOut, GpError> {
    let probabilities = match likelihood.n_classes() {
        None => Mat::zeros(observations.len(), 0),
        Some(_) => likelihood.probabilities(cavity.mean.as_ref(), cavity.variance.as_ref())?,
    };
    let log_density = |o: usize| {
        if let (Likelihood::RobustMax(..) | Likelihood::Softmax(..), Observations::Classes(labels)) =
            (likelihood, observations)
        {
            // With many classes probabilities are slow to compute, and only far out does the logarithm need its own way.
            let p = probabilities[(o, labels.labels()[o] as usize)];
            if p.is_normal() {
                return p.ln();
            }
        }
        let m: Vec<f64> = cavity.mean.row(o).iter().copied().collect();
        let v: Vec<f64> = cavity.variance.row(o).iter().copied().collect();
        likelihood.observation_log_density(observations, o, &m, &v)
    };
    let log_densities = (0..observations.len()).into_par_iter().map(log_density).collect();
    Ok(LeaveOneOut { latents: cavity, log_densities, probabilities, pareto_k: Vec::new() })
}
