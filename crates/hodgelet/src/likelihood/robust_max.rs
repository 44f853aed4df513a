//! Robust-max likelihood of several classes: the largest latent value names the class, up to errors.
//!
//! `p(y | f) = 1 − ε` when `f_y` is the largest, `ε / (C − 1)` otherwise. With independent marginals the
//! probability that `f_y` is the largest is a one-dimensional integral over `f_y` of a product of normal
//! distribution functions, \[Hensman15\]; each is squashed to `(1 − 2s) Φ + s` as GPflow does.

use super::bernoulli::log_probit;
use super::normal::{cdf, density};
use super::panels::{Bend, Panels};
use super::quadrature::GaussHermite;

/// Smallest variance that enters, as in GPflow: at 0 the integrand is a step.
const SMALLEST_VARIANCE: f64 = 1e-10;

/// The rule of training predicts where it is right to this in every class.
const GOOD_ENOUGH: f64 = 1e-4;

/// Deviations beyond which a normal distribution has no mass left.
const REACH: f64 = 9.0;

/// Robust-max likelihood with its quadrature.
#[derive(Clone, Debug, PartialEq)]
pub struct RobustMax {
    epsilon: f64,
    squash: f64,
    n_classes: usize,
    rule: GaussHermite,
    panels: Panels,
}

impl RobustMax {
    pub(super) fn new(epsilon: f64, squash: f64, n_nodes: usize, n_classes: usize) -> Self {
        Self { epsilon, squash, n_classes, rule: GaussHermite::new(n_nodes), panels: Panels::new() }
    }

    /// `Σ_y count_y E[log p(y | f)]`; derivatives are written to `d_mean` and `d_variance`.
    pub(super) fn expectation(
        &self,
        counts: &[(usize, f64)],
        mean: &[f64],
        variance: &[f64],
        d_mean: &mut [f64],
        d_variance: &mut [f64],
    ) -> f64 {
        d_mean.fill(0.0);
        d_variance.fill(0.0);
        let right = (-self.epsilon).ln_1p();
        let wrong = self.log_wrong();
        let mut value = 0.0;
        for &(class, count) in counts {
            let scale = count * (right - wrong);
            let p = self.add_largest(class, mean, variance, Some((scale, &mut *d_mean, &mut *d_variance)));
            value += count * (p * right + (1.0 - p) * wrong);
        }
        value
    }

    /// Predictive probabilities of all classes; they sum to 1.
    ///
    /// Gauss–Hermite as in training and in GPflow, unless it is off by more than [`GOOD_ENOUGH`]: it misses the step of a
    /// distribution function that is narrow next to the density it is integrated against.
    pub(super) fn probabilities(&self, mean: &[f64], variance: &[f64], out: &mut [f64]) {
        let wrong = self.log_wrong().exp();
        let predict = |p: f64| p * (1.0 - self.epsilon) + (1.0 - p) * wrong;
        for (class, slot) in out.iter_mut().enumerate() {
            *slot = predict(self.add_largest(class, mean, variance, None));
        }
        // Quadrature and squashing leave the sum near 1, not at it.
        let total: f64 = out.iter().sum();
        out.iter_mut().for_each(|p| *p /= total);

        let fine = self.largest(mean, variance);
        if out.iter().zip(&fine).any(|(p, &fine)| (p - predict(fine)).abs() > GOOD_ENOUGH) {
            out.iter_mut().zip(fine).for_each(|(p, fine)| *p = predict(fine));
        }
    }

    /// Probability of each class that its latent value is the largest, on panels as fine as the narrowest class needs.
    fn largest(&self, mean: &[f64], variance: &[f64]) -> Vec<f64> {
        let deviation: Vec<f64> = variance.iter().map(|v| v.max(SMALLEST_VARIANCE).sqrt()).collect();
        // Only differences count; near the largest mean they keep their digits.
        let top = mean.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let center: Vec<f64> = mean.iter().map(|m| m - top).collect();
        let each = || center.iter().zip(&deviation);
        // Below, the class that reaches lowest is certain not to be the largest, or the density is 0.
        let low = each().map(|(m, s)| m - REACH * s).fold(f64::NEG_INFINITY, f64::max);
        let high = each().map(|(m, s)| m + REACH * s).fold(low, f64::max);
        let bends: Vec<Bend> = each().map(|(&center, &width)| Bend { center, width }).collect();
        let mut total = vec![0.0; mean.len()];
        let (mut below, mut others) = (vec![0.0; mean.len()], vec![0.0; mean.len()]);
        for (f, weight) in self.panels.nodes(&bends, low, high) {
            each().zip(&mut below).for_each(|((m, s), p)| *p = cdf((f - m) / s));
            // Products over all other classes: those before times those after.
            let mut after = weight;
            for (slot, p) in others.iter_mut().zip(&below).rev() {
                *slot = after;
                after *= p;
            }
            let mut before = 1.0;
            for (class, (m, s)) in each().enumerate() {
                total[class] += before * others[class] * density((f - m) / s) / s;
                before *= below[class];
            }
        }
        let sum: f64 = total.iter().sum();
        total.iter_mut().for_each(|p| *p /= sum);
        total
    }

    fn log_wrong(&self) -> f64 {
        (self.epsilon / (self.n_classes - 1) as f64).ln()
    }

    /// Probability that `f_class` is the largest; adds `scale` times its derivatives to the slices.
    fn add_largest(
        &self,
        class: usize,
        mean: &[f64],
        variance: &[f64],
        mut gradients: Option<(f64, &mut [f64], &mut [f64])>,
    ) -> f64 {
        let deviation: Vec<f64> = variance.iter().map(|v| v.max(SMALLEST_VARIANCE).sqrt()).collect();
        let own = deviation[class];
        let mut slopes = vec![0.0; mean.len()];
        let mut total = 0.0;
        for (x, weight) in self.rule.iter() {
            let f = mean[class] + own * x;
            let mut log_product = 0.0;
            for c in (0..mean.len()).filter(|&c| c != class) {
                let (log, slope) = log_probit((f - mean[c]) / deviation[c], self.squash);
                log_product += log;
                slopes[c] = slope / deviation[c];
            }
            let mass = weight * log_product.exp();
            total += mass;
            let Some((scale, d_mean, d_variance)) = gradients.as_mut() else { continue };
            let mut sum = 0.0;
            for c in (0..mean.len()).filter(|&c| c != class) {
                let slope = *scale * mass * slopes[c];
                sum += slope;
                d_mean[c] -= slope;
                d_variance[c] -= slope * (f - mean[c]) / (2.0 * deviation[c] * deviation[c]);
            }
            d_mean[class] += sum;
            d_variance[class] += sum * x / (2.0 * own);
        }
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::likelihood::normal::cdf;

    #[test]
    fn two_classes_have_a_closed_form() {
        // P(f₀ > f₁) = Φ((m₀ − m₁)/√(v₀ + v₁))
        let likelihood = RobustMax::new(1e-3, 0.0, 60, 2);
        let (mean, variance) = ([0.4, -0.3], [0.5, 1.2]);
        let expected = cdf(0.7 / 1.7f64.sqrt());
        assert!((likelihood.add_largest(0, &mean, &variance, None) - expected).abs() < 1e-8);
    }

    #[test]
    fn equal_classes_are_equally_likely() {
        let likelihood = RobustMax::new(1e-3, 1e-6, 20, 5);
        let mut p = [0.0; 5];
        likelihood.probabilities(&[0.2; 5], &[0.7; 5], &mut p);
        assert!(p.iter().all(|p| (p - 0.2).abs() < 1e-15));
    }

    /// Predictions of faithful models keep their bits where they were right.
    #[test]
    fn the_rule_of_training_predicts_where_it_is_right_and_only_there() {
        let likelihood = RobustMax::new(1e-3, 1e-6, 20, 3);
        let by_training = |mean: &[f64], variance: &[f64]| {
            let of = |class| {
                let p = likelihood.add_largest(class, mean, variance, None);
                p * (1.0 - 1e-3) + (1.0 - p) * likelihood.log_wrong().exp()
            };
            let p = [0, 1, 2].map(of);
            p.map(|x| x / p.iter().sum::<f64>())
        };
        let (mean, mut p) = ([0.3, -0.2, 0.9], [0.0; 3]);
        likelihood.probabilities(&mean, &[0.6, 0.5, 0.8], &mut p);
        assert_eq!(p, by_training(&mean, &[0.6, 0.5, 0.8]));
        let apart = [1e3, 1e-3, 1.0];
        likelihood.probabilities(&mean, &apart, &mut p);
        assert!((0..3).any(|c| (p[c] - by_training(&mean, &apart)[c]).abs() > 1e-2));
    }
}
