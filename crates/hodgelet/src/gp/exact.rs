//! Exact regression: Gaussian targets in closed form, numbers or labels.

use super::error::GpError;
use super::factor::Marginals;
use super::posterior::{Posterior, Sites};
use super::workspace::Workspace;
use crate::likelihood::normal::LN_SQRT_2PI;
use crate::likelihood::{LabelRegression, Labels, Likelihood, LikelihoodError, Observations, RealGroup};
use faer::{Mat, MatRef};

/// The posterior given real targets; its objective is the evidence `log p(y)`.
///
/// Several targets at one latent point act as one target with less noise, plus what their spread says about the
/// noise. Each point may have its own noise ([`Likelihood::scaled_gaussian`]). The gradient in the logarithms of the noise
/// variance and its factors is [`Posterior::likelihood_gradient`].
///
/// # Errors
///
/// [`GpError`] for another likelihood, a Gram matrix of the wrong shape, not finite or not positive
/// semi-definite, or targets so large that the evidence overflows.
///
/// # Complexity
///
/// `2n³/3` multiplications and additions, two matrices of the size of `gram`.
pub fn fit(
    gram: MatRef<'_, f64>,
    likelihood: &Likelihood,
    observations: &Observations,
    workspace: &mut Workspace,
) -> Result<Posterior, GpError> {
    if let (Likelihood::LabelRegression(regression), Observations::Classes(labels)) =
        (likelihood, observations)
    {
        return fit_labels(gram, regression, labels, workspace);
    }
    let Likelihood::Gaussian(gaussian) = likelihood else {
        let likelihood =
            if likelihood.n_classes().is_none() { "Student-t noise" } else { "a likelihood of classes" };
        return Err(GpError::Unsupported { method: "exact inference", likelihood });
    };
    likelihood.check_observations(observations)?;
    let Observations::Reals(reals) = observations else { unreachable!("kinds were checked") };
    let n = observations.n_points();
    workspace.load(gram, n, 1)?;

    let noise = gaussian.noise_variance();
    let groups = reals.groups();
    // The noise of point i is that of all times e^{η_i}.
    let eta: Vec<f64> = (0..n).map(|i| gaussian.log_factor(reals.covariates(i))).collect();
    let each = || groups.iter().zip(&eta);
    let precision: Vec<f64> = each().map(|(group, eta)| group.count / (noise * eta.exp())).collect();
    let shift = each().map(|(group, eta)| group.count / (noise * eta.exp()) * group.mean).collect();
    let Some(sites) = Sites::new(n, 1, precision, shift) else {
        return Err(GpError::Overflow { quantity: "site precision", value: 1.0 / noise });
    };
    let mut marginals = workspace.update(&sites)?;

    // α = (K + W⁻¹)⁻¹ ȳ, free of the cancellation in λ − w m.
    let targets: Vec<f64> = groups.iter().map(|group| group.mean).collect();
    let column = MatRef::from_column_major_slice(&targets, n, 1);
    marginals[0].alpha = workspace.factors[0].precision_times(column).col(0).iter().copied().collect();
    let fit: f64 = targets.iter().zip(&marginals[0].alpha).map(|(y, a)| y * a).sum();
    let spread: f64 = each().map(|(group, eta)| group.spread / eta.exp()).sum::<f64>() / noise;
    let count: f64 = groups.iter().map(|group| group.count).sum();
    let scaled: f64 = each().map(|(group, eta)| 0.5 * group.count * eta).sum();
    let constant = count * (LN_SQRT_2PI + 0.5 * noise.ln()) + scaled;
    let evidence = -0.5 * (fit + spread + marginals[0].log_det) - constant;
    if !evidence.is_finite() {
        return Err(GpError::Overflow { quantity: "evidence", value: evidence });
    }
    let factors = std::mem::take(&mut workspace.factors);
    Ok(Posterior::new(evidence, 1, &marginals, sites, factors))
}

/// The posterior of one latent function for each class given targets of 0 and 1, up to a shift and a scale. All functions
/// have the same kernel and the same noise at a point, so they share one factor.
fn fit_labels(
    gram: MatRef<'_, f64>,
    regression: &LabelRegression,
    labels: &Labels,
    workspace: &mut Workspace,
) -> Result<Posterior, GpError> {
    let (n, n_classes, noise) = (labels.n_points(), regression.n_classes(), regression.noise_variance());
    if labels.n_classes() != n_classes {
        let (expected, found) = (n_classes, labels.n_classes());
        return Err(LikelihoodError::Classes { expected, found }.into());
    }
    workspace.load(gram, n, 1)?;
    let groups: Vec<Vec<RealGroup>> =
        (0..n_classes).map(|c| (0..n).map(|i| regression.group(labels.counts(i), c)).collect()).collect();
    let precision: Vec<f64> = groups[0].iter().map(|group| group.count / noise).collect();
    let targets = Mat::from_fn(n, n_classes, |i, c| groups[c][i].mean);
    let shift = |c: usize| precision.iter().zip(&groups[c]).map(|(w, group)| w * group.mean);
    let overflow = || GpError::Overflow { quantity: "site precision", value: 1.0 / noise };
    let one = Sites::new(n, 1, precision.clone(), shift(0).collect()).ok_or_else(overflow)?;
    let shared = workspace.update(&one)?.remove(0);
    // α = (K + W⁻¹)⁻¹ ȳ and m = ȳ − W⁻¹ α for all classes at once.
    let alpha = workspace.factors[0].precision_times(targets.as_ref());
    let marginals = (0..n_classes).map(|c| {
        let alpha: Vec<f64> = (0..n).map(|i| alpha[(i, c)]).collect();
        let mean = (0..n).map(|i| match precision[i] {
            w if w > 0.0 => targets[(i, c)] - alpha[i] / w,
            // Without an observation: (K α)_i
            _ => gram.row(i).iter().zip(&alpha).map(|(k, a)| k * a).sum(),
        });
        let (mean, variance, retained) = (mean.collect(), shared.variance.clone(), shared.retained.clone());
        Marginals { mean, variance, retained, alpha, log_det: shared.log_det }
    });
    let marginals: Vec<Marginals> = marginals.collect();
    let mut evidence = 0.0;
    for (c, (groups, marginals)) in groups.iter().zip(&marginals).enumerate() {
        let fit: f64 = (0..n).map(|i| targets[(i, c)] * marginals.alpha[i]).sum();
        let spread: f64 = groups.iter().map(|group| group.spread).sum::<f64>() / noise;
        let count: f64 = groups.iter().map(|group| group.count).sum();
        evidence -= 0.5 * (fit + spread + shared.log_det) + count * (LN_SQRT_2PI + 0.5 * noise.ln());
    }
    if !evidence.is_finite() {
        return Err(GpError::Overflow { quantity: "evidence", value: evidence });
    }
    let all = (0..n_classes).flat_map(|_| precision.iter().copied()).collect();
    let shifts = (0..n_classes).flat_map(shift).collect();
    let sites = Sites::new(n, n_classes, all, shifts).ok_or_else(overflow)?;
    let factors = std::mem::take(&mut workspace.factors);
    Ok(Posterior::new(evidence, 1, &marginals, sites, factors))
}
