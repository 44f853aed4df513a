//! Predictive densities of numbers: finite mixtures of normal distributions.

use super::normal::{self, LN_SQRT_2PI};
use super::{Poisson, log_sum_exp};
use serde::{Deserialize, Serialize};

/// Steps of bisection after which an interval of floating-point numbers cannot be halved.
const BISECTIONS: usize = 200;

/// What is known of one number: a mixture of normal distributions, or of Poisson distributions of a count whose logarithm of
/// the rate is such a mixture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mixture {
    components: Vec<Component>,
    /// How counts follow from the components; none where these are of the number itself.
    counts: Option<Poisson>,
}

/// One normal distribution of a mixture.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
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
        Self { components, counts: None }
    }

    /// A mixture of counts, where the components are of the latent value.
    pub(crate) fn counts(components: Vec<Component>, poisson: Poisson) -> Self {
        Self { components, counts: Some(poisson) }
    }

    /// One normal distribution.
    #[must_use]
    pub fn normal(mean: f64, variance: f64) -> Self {
        Self::new(vec![Component { weight: 1.0, mean, variance }])
    }

    /// Normal distributions around 0 of these variances, with weights that add up to 1.
    pub(crate) fn of_variances(parts: impl Iterator<Item = (f64, f64)>) -> Self {
        Self::new(parts.map(|(variance, weight)| Component { weight, mean: 0.0, variance }).collect())
    }

    /// Whether the number is a count.
    #[must_use]
    pub fn is_count(&self) -> bool {
        self.counts.is_some()
    }

    /// The components: of the number itself, or of the logarithm of its rate over what is expected of all.
    #[must_use]
    pub fn components(&self) -> &[Component] {
        &self.components
    }

    /// The mean.
    #[must_use]
    pub fn mean(&self) -> f64 {
        if let Some(poisson) = &self.counts {
            let expected = |c: &Component| poisson.rate() * (c.mean + 0.5 * c.variance).exp();
            return self.components.iter().map(|c| c.weight * expected(c)).sum();
        }
        match &self.components[..] {
            [one] => one.mean,
            many => many.iter().map(|c| c.weight * c.mean).sum(),
        }
    }

    /// The variance: the mean of the variances and the variance of the means.
    #[must_use]
    pub fn variance(&self) -> f64 {
        if let Some(poisson) = &self.counts {
            let mean = self.mean();
            let square = |c: &Component| poisson.rate().powi(2) * (2.0 * c.mean + 2.0 * c.variance).exp();
            let of_rates = self.components.iter().map(|c| c.weight * square(c)).sum::<f64>() - mean * mean;
            return mean + of_rates.max(0.0);
        }
        match &self.components[..] {
            [one] => one.variance,
            many => {
                let mean = self.mean();
                many.iter().map(|c| c.weight * (c.variance + (c.mean - mean).powi(2))).sum()
            }
        }
    }

    /// The logarithm of the density at `value`; of the probability, where it is a count, and −∞ where it cannot be one.
    #[must_use]
    pub fn log_density(&self, value: f64) -> f64 {
        if let Some(poisson) = &self.counts {
            if !(value >= 0.0 && value.fract() == 0.0) {
                return f64::NEG_INFINITY;
            }
            let one = |c: &Component| c.weight.ln() + poisson.log_density(value, c.mean, c.variance);
            return log_sum_exp(self.components.iter().map(one));
        }
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
        if let Some(poisson) = &self.counts {
            return self.components.iter().map(|c| c.weight * poisson.cdf(value, c.mean, c.variance)).sum();
        }
        self.components.iter().map(|c| c.weight * normal::cdf((value - c.mean) / c.variance.sqrt())).sum()
    }

    /// The number below which lies the share `p` of the mass, for `0 < p < 1`; of counts, the least up to which it does.
    #[must_use]
    pub fn quantile(&self, p: f64) -> f64 {
        if self.is_count() {
            return self.least_count(p);
        }
        let z = normal::quantile(p);
        let each = |c: &Component| c.mean + z * c.variance.sqrt();
        let (mut low, mut high) = self
            .components
            .iter()
            .map(each)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(x), b.max(x)));
        // Newton's steps where they stay between and are getting somewhere, halves of the interval elsewhere.
        let (mut x, mut last) = (self.mean().clamp(low, high), f64::INFINITY);
        for _ in 0..BISECTIONS {
            let (below, density) = self.cdf_and_density(x);
            let gap = below - p;
            if gap < 0.0 {
                low = x
            } else {
                high = x
            }
            let middle = 0.5 * (low + high);
            if gap == 0.0 || !(low < middle && middle < high) {
                break;
            }
            // What rounding makes of the probability and of the number itself.
            let step = gap / density;
            if density > 0.0 && step.abs() <= 4.0 * f64::EPSILON * (x.abs() + p / density) {
                break;
            }
            let newton = x - step;
            let is_useful = low < newton && newton < high && gap.abs() < 0.5 * last;
            (x, last) = (if is_useful { newton } else { middle }, gap.abs());
        }
        x
    }

    /// The probability of a number up to `value`, and the density there, of numbers that are no counts.
    fn cdf_and_density(&self, value: f64) -> (f64, f64) {
        let add = |(below, density): (f64, f64), c: &Component| {
            let deviation = c.variance.sqrt();
            let z = (value - c.mean) / deviation;
            (below + c.weight * normal::cdf(z), density + c.weight * normal::density(z) / deviation)
        };
        self.components.iter().fold((0.0, 0.0), add)
    }

    fn least_count(&self, p: f64) -> f64 {
        let (mut low, mut high) = (-1.0, 1.0f64);
        while self.cdf(high) < p && high < 1e15 {
            (low, high) = (high, 2.0 * high);
        }
        while high - low > 1.0 {
            let middle = (0.5 * (low + high)).floor();
            if self.cdf(middle) < p { low = middle } else { high = middle }
        }
        high
    }

    /// Whether `value` is in the interval that holds the share `level`, ends included.
    #[must_use]
    pub fn holds(&self, value: f64, level: f64) -> bool {
        if self.is_count() {
            let (low, high) = self.interval(level);
            return low <= value && value <= high;
        }
        match &self.components[..] {
            // P(|z| ≤ q) = level for q = Φ⁻¹((1 + level) / 2); from the lower tail, which keeps its digits near level 1
            [one] => (value - one.mean).abs() <= -normal::quantile(0.5 * (1.0 - level)) * one.variance.sqrt(),
            _ => (self.cdf(value) - 0.5).abs() <= 0.5 * level,
        }
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
    fn counts_have_moments_and_quantiles_of_their_probabilities() {
        let latent = vec![
            Component { weight: 0.4, mean: 0.1, variance: 0.3 },
            Component { weight: 0.6, mean: -0.5, variance: 0.8 },
        ];
        let counts = Mixture::counts(latent, Poisson::new(6.0));
        let p = |y: u32| counts.log_density(f64::from(y)).exp();
        let (mut mass, mut mean, mut square) = (0.0, 0.0, 0.0);
        for y in 0..2000 {
            let (x, p) = (f64::from(y), p(y));
            (mass, mean, square) = (mass + p, mean + p * x, square + p * x * x);
        }
        assert!((mass - 1.0).abs() < 1e-6, "{mass}");
        assert!(
            (mean - counts.mean()).abs() < 1e-4 && (square - mean * mean - counts.variance()).abs() < 0.05
        );
        for q in [0.01, 0.3, 0.5, 0.95] {
            let y = counts.quantile(q);
            assert!(counts.cdf(y) >= q && (y == 0.0 || counts.cdf(y - 1.0) < q), "{q}: {y}");
        }
        assert_eq!(counts.log_density(1.5), f64::NEG_INFINITY);
        assert!(counts.holds(4.0, 0.5) && !counts.holds(500.0, 0.99));
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
