//! Robust-max likelihood of several classes: the largest latent value names the class, up to errors.
//!
//! `p(y | f) = 1 − ε` when `f_y` is the largest, `ε / (C − 1)` otherwise. With independent marginals the
//! probability that `f_y` is the largest is a one-dimensional integral over `f_y` of a product of normal
//! distribution functions, \[Hensman15\]; each is squashed to `(1 − 2s) Φ + s` as GPflow does.

use super::bernoulli::log_probit;
use super::quadrature::GaussHermite;

/// Smallest variance that enters, as in GPflow: at 0 the integrand is a step.
const SMALLEST_VARIANCE: f64 = 1e-10;

/// Robust-max likelihood with its quadrature.
#[derive(Clone, Debug, PartialEq)]
pub struct RobustMax {
    epsilon: f64,
    squash: f64,
    n_classes: usize,
    rule: GaussHermite,
}

impl RobustMax {
    pub(super) fn new(epsilon: f64, squash: f64, n_nodes: usize, n_classes: usize) -> Self {
        Self { epsilon, squash, n_classes, rule: GaussHermite::new(n_nodes) }
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
    pub(super) fn probabilities(&self, mean: &[f64], variance: &[f64], out: &mut [f64]) {
        let wrong = self.log_wrong().exp();
        for (class, slot) in out.iter_mut().enumerate() {
            let p = self.add_largest(class, mean, variance, None);
            *slot = p * (1.0 - self.epsilon) + (1.0 - p) * wrong;
        }
        // Quadrature and squashing leave the sum near 1, not at it.
        let total: f64 = out.iter().sum();
        out.iter_mut().for_each(|p| *p /= total);
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
}
