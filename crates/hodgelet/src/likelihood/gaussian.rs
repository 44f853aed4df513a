//! Gaussian likelihood of real targets: `p(y | f) = N(y; f, noise_variance)`.
//!
//! The variance may depend on covariates `s` of the point: `noise_variance ∏_b factor_b^{s_b}`.

use super::Moments;
use super::normal::LN_SQRT_2PI;
use super::observations::RealGroup;

/// Gaussian likelihood; everything about it is in closed form.
#[derive(Clone, Debug, PartialEq)]
pub struct Gaussian {
    noise_variance: f64,
    factors: Vec<f64>, // one per covariate
}

impl Gaussian {
    pub(super) fn new(noise_variance: f64) -> Self {
        Self { noise_variance, factors: Vec::new() }
    }

    pub(super) fn scaled(noise_variance: f64, factors: &[f64]) -> Self {
        Self { noise_variance, factors: factors.to_vec() }
    }

    /// Variance of the noise where all covariates are 0.
    #[must_use]
    pub fn noise_variance(&self) -> f64 {
        self.noise_variance
    }

    /// By what the variance of the noise is multiplied for each unit of each covariate; empty if it depends on none.
    #[must_use]
    pub fn factors(&self) -> &[f64] {
        &self.factors
    }

    /// Logarithm of the variance of the noise at a point, relative to [`noise_variance`](Self::noise_variance).
    pub(crate) fn log_factor(&self, covariates: &[f64]) -> f64 {
        self.factors.iter().zip(covariates).map(|(factor, s)| factor.ln() * s).sum()
    }

    /// The likelihood of a point with these covariates, with noise of one variance.
    pub(super) fn at(&self, covariates: &[f64]) -> Self {
        Self::new(self.noise_variance * self.log_factor(covariates).exp())
    }

    /// `Σ_y E[log p(y | f)]` over the values of a group, with its derivatives.
    pub(super) fn expectation(&self, group: &RealGroup, mean: f64, variance: f64) -> Moments {
        let precision = 1.0 / self.noise_variance;
        let error = group.mean - mean;
        let squares = group.spread + group.count * (error * error + variance);
        Moments {
            value: -group.count * (LN_SQRT_2PI + 0.5 * self.noise_variance.ln()) - 0.5 * squares * precision,
            d_mean: group.count * error * precision,
            d_variance: -0.5 * group.count * precision,
        }
    }

    /// Derivative of the expectation in the variance of the noise.
    pub(super) fn noise_gradient(&self, group: &RealGroup, mean: f64, variance: f64) -> f64 {
        let error = group.mean - mean;
        let squares = group.spread + group.count * (error * error + variance);
        0.5 * (squares / self.noise_variance - group.count) / self.noise_variance
    }

    /// `log N(y; mean, variance + noise_variance)`.
    pub(super) fn log_density(&self, value: f64, mean: f64, variance: f64) -> f64 {
        let total = variance.max(0.0) + self.noise_variance;
        -LN_SQRT_2PI - 0.5 * total.ln() - 0.5 * (value - mean) * (value - mean) / total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_group_is_worth_the_sum_of_its_values() {
        let likelihood = Gaussian::new(0.3);
        let single = |value| RealGroup { count: 1.0, mean: value, spread: 0.0 };
        let pair = RealGroup { count: 2.0, mean: 2.0, spread: 2.0 };
        let (a, b) =
            (likelihood.expectation(&single(1.0), 0.4, 0.2), likelihood.expectation(&single(3.0), 0.4, 0.2));
        let both = likelihood.expectation(&pair, 0.4, 0.2);
        assert!((both.value - a.value - b.value).abs() < 1e-13);
        assert!((both.d_mean - a.d_mean - b.d_mean).abs() < 1e-13);
        assert!((both.d_variance - a.d_variance - b.d_variance).abs() < 1e-13);
    }

    #[test]
    fn the_noise_gradient_equals_finite_differences() {
        let group = RealGroup { count: 3.0, mean: 0.7, spread: 0.4 };
        let value = |noise| Gaussian::new(noise).expectation(&group, -0.2, 0.5).value;
        let expected = (value(0.3 + 1e-6) - value(0.3 - 1e-6)) / 2e-6;
        assert!((Gaussian::new(0.3).noise_gradient(&group, -0.2, 0.5) - expected).abs() < 1e-7);
    }
}
