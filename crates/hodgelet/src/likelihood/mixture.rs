//! Predictive densities of numbers: finite mixtures of normal distributions.

use super::log_sum_exp;
use super::normal::{self, LN_SQRT_2PI};

/// Steps of bisection after which an interval of floating-point numbers cannot be halved.
const BISECTIONS: usize = 200;

/// A mixture of normal distributions: what is known of one number.
#[derive(Clone, Debug, PartialEq)]
pub struct Mixture {
    components: Vec<Component>,
}

/// One normal distribution of a mixture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Component {
    /// Its weight; the weights of a mixture add up to 1.
    pub weight: f64,
    /// Its mean.
    pub mean: f64,
    /// Its variance.
    pub variance: f64,
}

impl Mixture {
    /// A mixture of these components, at least one, with weights that add up to 1 and positive variances.
    pub(crate) fn new(components: Vec<Component>) -> Self {
        Self { components }
    }

    /// One normal distribution.
    #[must_use]
    pub fn normal(mean: f64, variance: f64) -> Self {
        Self { components: vec![Component { weight: 1.0, mean, variance }] }
    }

    /// The components.
    #[must_use]
    pub fn components(&self) -> &[Component] {
        &self.components
    }

    /// The mean.
    #[must_use]
    pub fn mean(&self) -> f64 {
        match &self.components[..] {
            [one] => one.mean,
            many => many.iter().map(|c| c.weight * c.mean).sum(),
        }
    }

    /// The variance: the mean of the variances and the variance of the means.
    #[must_use]
    pub fn variance(&self) -> f64 {
        match &self.components[..] {
            [one] => one.variance,
            many => {
                let mean = self.mean();
                many.iter().map(|c| c.weight * (c.variance + (c.mean - mean).powi(2))).sum()
            }
        }
    }

    /// The logarithm of the density at `value`.
    #[must_use]
    pub fn log_density(&self, value: f64) -> f64 {
        let one = |c: &Component| {
            c.weight.ln()
                - LN_SQRT_2PI
                - 0.5 * c.variance.ln()
                - 0.5 * (value - c.mean) * (value - c.mean) / c.variance
        };
        log_sum_exp(self.components.iter().map(one))
    }

    /// The probability of a number up to `value`.
    #[must_use]
    pub fn cdf(&self, value: f64) -> f64 {
        self.components.iter().map(|c| c.weight * normal::cdf((value - c.mean) / c.variance.sqrt())).sum()
    }

    /// The number below which lies the share `p` of the mass, for `0 < p < 1`.
    #[must_use]
    pub fn quantile(&self, p: f64) -> f64 {
        let z = normal::quantile(p);
        let each = |c: &Component| c.mean + z * c.variance.sqrt();
        let (mut low, mut high) = self
            .components
            .iter()
            .map(each)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
        for _ in 0..BISECTIONS {
            let middle = 0.5 * (low + high);
            if !(low < middle && middle < high) {
                break;
            }
            if self.cdf(middle) < p { low = middle } else { high = middle }
        }
        0.5 * (low + high)
    }

    /// The interval that holds the share `level` of the mass, with equal shares left on both sides, for `0 < level < 1`.
    #[must_use]
    pub fn interval(&self, level: f64) -> (f64, f64) {
        (self.quantile(0.5 * (1.0 - level)), self.quantile(0.5 * (1.0 + level)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two() -> Mixture {
        Mixture::new(vec![
            Component { weight: 0.25, mean: -1.0, variance: 0.5 },
            Component { weight: 0.75, mean: 2.0, variance: 2.0 },
        ])
    }

    #[test]
    fn moments_are_those_of_the_integrals() {
        let mixture = two();
        let grid = (0..200_000).map(|k| -20.0 + 40.0 * (f64::from(k) + 0.5) / 200_000.0);
        let (mut mass, mut mean, mut square) = (0.0, 0.0, 0.0);
        for x in grid {
            let p = mixture.log_density(x).exp() * 40.0 / 200_000.0;
            (mass, mean, square) = (mass + p, mean + p * x, square + p * x * x);
        }
        assert!((mass - 1.0).abs() < 1e-9 && (mean - mixture.mean()).abs() < 1e-9);
        assert!((square - mean * mean - mixture.variance()).abs() < 1e-8);
    }

    #[test]
    fn quantiles_invert_the_distribution_function() {
        let mixture = two();
        for p in [1e-6, 0.025, 0.3, 0.5, 0.9, 0.999] {
            assert!((mixture.cdf(mixture.quantile(p)) - p).abs() < 1e-12, "{p}");
        }
        let (low, high) = mixture.interval(0.9);
        assert!((mixture.cdf(high) - mixture.cdf(low) - 0.9).abs() < 1e-12);
        let one = Mixture::normal(3.0, 4.0);
        assert!((one.quantile(0.975) - (3.0 + 2.0 * 1.959_963_984_540_054)).abs() < 1e-12);
        assert_eq!((one.mean(), one.variance()), (3.0, 4.0));
    }
}
