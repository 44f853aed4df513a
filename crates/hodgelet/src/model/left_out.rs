//! Leave-one-out predictions under uncertain hyperparameters.
//!
//! Under one state they need no refitting. The states themselves were drawn with all targets known; those that made the
//! target left out improbable are weighted up,
//!
//! ```text
//! p(y_i | y_−i) = Σ_s w_s p(y_i | y_−i, θ_s),   w_s ∝ 1 / p(y_i | y_−i, θ_s)
//! ```
//!
//! which is the harmonic mean. Its largest weights are smoothed by a generalized Pareto distribution, whose shape says how
//! far they can be trusted [Vehtari24].

use super::fitted::Model;
use crate::gp::leave_one_out::leave_one_out;
use crate::gp::{GpError, Latents, LeaveOneOut};
use crate::likelihood::log_sum_exp;
use faer::Mat;

/// Share of the weights that are smoothed, and their number in units of the root of all.
const TAIL: (f64, f64) = (0.2, 3.0);

/// Fewest weights that a distribution is fitted to.
const LEAST_TAIL: usize = 5;

impl Model {
    /// Leave-one-out predictions of the training complexes, without refitting. For real targets densities are in
    /// the units of standardized targets. A model at the mode holds its hyperparameters fixed, although they have seen the
    /// target that is left out; one that averages weighs its states by how little they had, and says by the shapes
    /// [`LeaveOneOut::pareto_k`] how far that can be trusted: up to 0.7.
    ///
    /// # Errors
    ///
    /// [`GpError::Unsupported`] for a sparse posterior, which does not hold the training complexes.
    pub fn leave_one_out(&self) -> Result<LeaveOneOut, GpError> {
        if self.reference.is_some() {
            let (method, likelihood) =
                ("leaving one out", "a sparse posterior, which holds no training graphs");
            return Err(GpError::Unsupported { method, likelihood });
        }
        let one = |state: &super::fitted::Trained| {
            leave_one_out(&state.posterior, &state.likelihood, &self.observations)
        };
        let states = self.all_states().iter().map(one).collect::<Result<Vec<_>, _>>()?;
        match <[LeaveOneOut; 1]>::try_from(states) {
            Ok([mode]) => Ok(mode),
            Err(states) => Ok(combined(&states)),
        }
    }
}

fn combined(states: &[LeaveOneOut]) -> LeaveOneOut {
    let (n, n_latents) = states[0].latents.mean.shape();
    let n_classes = states[0].probabilities.ncols();
    let mut out = LeaveOneOut {
        latents: Latents { mean: Mat::zeros(n, n_latents), variance: Mat::zeros(n, n_latents) },
        log_densities: Vec::new(),
        probabilities: Mat::zeros(n, n_classes),
        pareto_k: Vec::new(),
    };
    for i in 0..n {
        let logs: Vec<f64> = states.iter().map(|state| state.log_densities[i]).collect();
        let (weights, shape) = smoothed(&logs.iter().map(|log| -log).collect::<Vec<f64>>());
        out.log_densities.push(log_sum_exp(weights.iter().zip(&logs).map(|(w, log)| w.ln() + log)));
        out.pareto_k.push(shape);
        for (w, state) in weights.iter().zip(states) {
            (0..n_latents).for_each(|c| out.latents.mean[(i, c)] += w * state.latents.mean[(i, c)]);
            (0..n_classes).for_each(|c| out.probabilities[(i, c)] += w * state.probabilities[(i, c)]);
        }
        for (w, state) in weights.iter().zip(states) {
            for c in 0..n_latents {
                let off = state.latents.mean[(i, c)] - out.latents.mean[(i, c)];
                out.latents.variance[(i, c)] += w * (state.latents.variance[(i, c)] + off * off);
            }
        }
    }
    out
}

/// Normalized weights from their logarithms, the largest smoothed, and the shape of their distribution; with too few weights
/// they are left as they are, and the shape is infinite unless all are equal.
pub(super) fn smoothed(logs: &[f64]) -> (Vec<f64>, f64) {
    let n = logs.len();
    let top = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut weights: Vec<f64> = logs.iter().map(|log| (log - top).exp()).collect();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| weights[a].total_cmp(&weights[b]));
    let size = ((TAIL.0 * n as f64).min(TAIL.1 * (n as f64).sqrt()).ceil() as usize).min(n - 1);
    let mut shape = if weights.iter().all(|w| *w == weights[0]) { 0.0 } else { f64::INFINITY };
    if size >= LEAST_TAIL {
        let tail = &order[n - size..];
        let cut = weights[order[n - size - 1]];
        let excess: Vec<f64> = tail.iter().map(|&i| weights[i] - cut).collect();
        match fit_pareto(&excess) {
            Some((k, scale)) => {
                shape = k;
                for (rank, &i) in tail.iter().enumerate() {
                    let p = (rank as f64 + 0.5) / size as f64;
                    let quantile =
                        if k.abs() < 1e-9 { -(-p).ln_1p() } else { ((1.0 - p).powf(-k) - 1.0) / k };
                    // No weight may exceed the largest that was seen.
                    weights[i] = (cut + scale * quantile).min(1.0);
                }
            }
            None => shape = 0.0, // the tail is flat
        }
    }
    let sum: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|w| *w /= sum);
    (weights, shape)
}

/// Shape and scale of a generalized Pareto distribution, by the posterior mean of [Zhang09] with a weak prior on the shape;
/// none when all values are 0. `excess` is ascending.
fn fit_pareto(excess: &[f64]) -> Option<(f64, f64)> {
    let n = excess.len();
    let (largest, quartile) = (excess[n - 1], excess[(n as f64 / 4.0 + 0.5).floor() as usize - 1]);
    if !(largest > 0.0 && quartile > 0.0) {
        return if largest > 0.0 { Some((1.0, largest)) } else { None };
    }
    let m = 30 + (n as f64).sqrt() as usize;
    let shape_at = |b: f64| excess.iter().map(|x| (-b * x).ln_1p()).sum::<f64>() / n as f64;
    let candidate =
        |j: usize| 1.0 / largest + (1.0 - (m as f64 / (j as f64 - 0.5)).sqrt()) / (3.0 * quartile);
    let candidates: Vec<f64> = (1..=m).map(candidate).collect();
    let profile: Vec<f64> = candidates
        .iter()
        .map(|&b| {
            let k = shape_at(b);
            n as f64 * ((-b / k).ln() - k - 1.0)
        })
        .collect();
    let finite: Vec<(f64, f64)> =
        candidates.into_iter().zip(profile).filter(|(_, l)| l.is_finite()).collect();
    let total = log_sum_exp(finite.iter().map(|(_, l)| *l));
    let b: f64 = finite.iter().map(|(b, l)| b * (l - total).exp()).sum();
    let k = shape_at(b);
    let scale = -k / b;
    // Ten observations' worth of shape 1/2, for stability with few.
    let shape = (n as f64 * k + 10.0 * 0.5) / (n as f64 + 10.0);
    (shape.is_finite() && scale.is_finite() && scale > 0.0).then_some((shape, scale))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::testing::{dataset, small_settings};
    use crate::settings::{HyperparameterChoice, Settings};

    /// Quantiles of a generalized Pareto distribution give its shape back, up to the weak prior.
    #[test]
    fn the_shape_of_a_pareto_distribution_is_found() {
        for k in [0.1, 0.5, 0.9] {
            let n = 4000;
            let excess: Vec<f64> =
                (0..n).map(|i| ((1.0 - (i as f64 + 0.5) / n as f64).powf(-k) - 1.0) / k).collect();
            let (shape, scale) = fit_pareto(&excess).unwrap();
            assert!((shape - k).abs() < 0.03 && (scale - 1.0).abs() < 0.05, "{k}: {shape} {scale}");
        }
    }

    #[test]
    fn weights_add_up_and_equal_ones_stay_equal() {
        let (weights, shape) = smoothed(&[-3.0; 40]);
        assert!(weights.iter().all(|w| (w - 1.0 / 40.0).abs() < 1e-15) && shape == 0.0);
        let logs: Vec<f64> = (0..40).map(|i| (i as f64 * 0.7).sin()).collect();
        let (weights, shape) = smoothed(&logs);
        assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-12 && shape < 0.7, "{shape}");
        let mut heavy = vec![0.0; 40];
        heavy[3] = 30.0;
        heavy[7] = 28.0;
        assert!(smoothed(&heavy).1 > 0.5);
    }

    /// What is left out is less probable than what is there, and the mode says nothing of shapes.
    #[test]
    fn states_are_weighted_by_what_they_had_not_seen() {
        let data = dataset(16, 0, 9);
        let train: Vec<usize> = (0..16).collect();
        let fit = |hyperparameters| {
            let settings = Settings { hyperparameters, iterations: 4, ..small_settings() };
            settings.fit(&data, &train).unwrap().leave_one_out().unwrap()
        };
        let (averaged, mode) = (fit(HyperparameterChoice::Nuts), fit(HyperparameterChoice::Map));
        assert_eq!((averaged.pareto_k.len(), mode.pareto_k.len()), (16, 0));
        assert!(averaged.log_densities.iter().all(|log| log.is_finite()));
        assert!(averaged.latents.variance.col(0).iter().all(|v| *v >= 0.0));
    }
}
