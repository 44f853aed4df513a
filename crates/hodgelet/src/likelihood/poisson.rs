//! Counts with a Poisson distribution, one latent function: the expected count is `rate · e^f`.
//!
//! Expectations in training are closed. The probability of a count under a latent normal distribution is an integral whose
//! Gauss–Hermite nodes lie around the mode of the integrand, so that large counts are as exact as small ones.

use super::quadrature::GaussHermite;
use super::{Moments, VARIANCE_FLOOR, log_sum_exp};
use serde::{Deserialize, Serialize};
use std::sync::LazyLock;

/// Largest exponent: what lies beyond is too far to be looked at.
const MOST: f64 = 500.0;

/// Steps of Newton's method to the mode of an integrand, which is concave.
const STEPS: usize = 100;

/// Points over the latent distribution in a distribution function, and how many standard deviations they reach.
const GRID: usize = 400;
const REACH: f64 = 9.0;

static RULE: LazyLock<GaussHermite> = LazyLock::new(|| GaussHermite::new(32));

/// Poisson likelihood.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Poisson {
    rate: f64,
}

impl Poisson {
    pub(super) fn new(rate: f64) -> Self {
        Self { rate }
    }

    /// The expected count where the latent value is 0.
    #[must_use]
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// `E[log p(count | f)]` for `f ~ N(mean, variance)`, with its derivatives.
    pub(super) fn expectation(&self, count: f64, mean: f64, variance: f64) -> Moments {
        let expected = self.rate * (mean + 0.5 * variance).min(MOST).exp();
        let value = count * (mean + self.rate.ln()) - expected - log_factorial(count);
        Moments { value, d_mean: count - expected, d_variance: -0.5 * expected }
    }

    /// `log p(count)` for a latent value `N(mean, variance)`.
    pub(super) fn log_density(&self, count: f64, mean: f64, variance: f64) -> f64 {
        let variance = variance.max(VARIANCE_FLOOR);
        // The mode of count f − rate e^f − (f − m)² / 2v. Its slope is concave and falls, and is not positive where both parts
        // are not: from there on Newton's method descends to the root.
        let alone = (count / self.rate).ln();
        let mut f = mean.max(alone.min(mean + variance * count));
        for _ in 0..STEPS {
            let rate = self.rate * f.min(MOST).exp();
            let step = (count - rate - (f - mean) / variance) / (rate + 1.0 / variance);
            f += step;
            if step.abs() <= 1e-14 * (1.0 + f.abs()) {
                break;
            }
        }
        let width = (self.rate * f.min(MOST).exp() + 1.0 / variance).sqrt().recip();
        let log_joint = |f: f64| {
            let z = (f - mean) / variance.sqrt();
            count * (f + self.rate.ln()) - self.rate * f.min(MOST).exp() - log_factorial(count) - 0.5 * z * z
        };
        let term = |(x, weight): (f64, f64)| weight.ln() + 0.5 * x * x + log_joint(f + width * x);
        log_sum_exp(RULE.iter().map(term)) + width.ln() - 0.5 * variance.ln()
    }

    /// The probability of a count up to `value` for a latent value `N(mean, variance)`.
    pub(super) fn cdf(&self, value: f64, mean: f64, variance: f64) -> f64 {
        if value < 0.0 {
            return 0.0;
        }
        let (count, deviation) = (value.floor(), variance.max(VARIANCE_FLOOR).sqrt());
        let step = 2.0 * REACH / GRID as f64;
        let (mut sum, mut weights) = (0.0, 0.0);
        for k in 0..=GRID {
            let x = -REACH + step * k as f64;
            let weight = (-0.5 * x * x).exp();
            let expected = self.rate * (mean + deviation * x).min(MOST).exp();
            sum += weight * (1.0 - lower_gamma(count + 1.0, expected));
            weights += weight;
        }
        (sum / weights).clamp(0.0, 1.0)
    }
}

/// The regularized lower incomplete gamma function.
fn lower_gamma(a: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    let log_scale = a * x.ln() - x - libm::lgamma(a);
    if x < a + 1.0 {
        // The series.
        let (mut term, mut sum, mut n) = (1.0 / a, 1.0 / a, a);
        for _ in 0..100_000 {
            n += 1.0;
            term *= x / n;
            sum += term;
            if term < 1e-16 * sum {
                break;
            }
        }
        return (log_scale + sum.ln()).exp().min(1.0);
    }
    // The continued fraction of the complement, by Lentz's method.
    let tiny = 1e-300;
    let mut b = x + 1.0 - a;
    let (mut c, mut d) = (1.0 / tiny, 1.0 / b);
    let mut h = d;
    for i in 1..100_000 {
        let i = f64::from(i);
        let an = -i * (i - a);
        b += 2.0;
        d = (an * d + b).recip();
        c = b + an / c;
        if !d.is_finite() || c == 0.0 {
            (d, c) = (1.0 / tiny, tiny);
        }
        let factor = c * d;
        h *= factor;
        if (factor - 1.0).abs() < 1e-15 {
            break;
        }
    }
    1.0 - (log_scale + h.ln()).exp().min(1.0)
}

fn log_factorial(count: f64) -> f64 {
    libm::lgamma(count + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_are_those_of_a_fine_integral_and_add_up() {
        for (rate, mean, variance) in
            [(1.0, 0.3, 0.5), (20.0, -0.4, 1.5), (0.1, 0.0, 1e-14), (900.0, 0.2, 0.3)]
        {
            let poisson = Poisson::new(rate);
            let direct = |count: f64| {
                let (n, s) = (40_000, f64::sqrt(variance));
                let each = (0..=n).map(|k| {
                    let x = -10.0 + 20.0 * f64::from(k) / f64::from(n);
                    let f = mean + s * x;
                    let log = count * (f + rate.ln()) - rate * f.exp() - log_factorial(count) - 0.5 * x * x;
                    log.exp()
                });
                each.sum::<f64>() * 20.0 / f64::from(n) / (2.0 * std::f64::consts::PI).sqrt()
            };
            let mut below = 0.0;
            let most = (rate * (mean + 7.0 * f64::sqrt(variance)).exp()) as u32 + 40;
            for count in 0..most.min(3000) {
                let p = poisson.log_density(f64::from(count), mean, variance).exp();
                if count % 50 < 3 {
                    assert!((p - direct(f64::from(count))).abs() < 1e-9, "{rate}, {count}: {p}");
                }
                below += p;
                if count % 40 == 0 {
                    let cdf = poisson.cdf(f64::from(count), mean, variance);
                    assert!((cdf - below).abs() < 1e-6, "{rate}, {count}: {cdf}, {below}");
                }
            }
        }
        let far = Poisson::new(1.0).log_density(1e6, 0.0, 1.0);
        assert!(far.is_finite() && far < -80.0, "{far}");
    }

    #[test]
    fn derivatives_equal_differences() {
        let (poisson, h) = (Poisson::new(3.0), 1e-6);
        let at = |m: f64, v: f64| poisson.expectation(4.0, m, v);
        let exact = at(0.2, 0.7);
        assert!(((at(0.2 + h, 0.7).value - at(0.2 - h, 0.7).value) / (2.0 * h) - exact.d_mean).abs() < 1e-8);
        assert!(
            ((at(0.2, 0.7 + h).value - at(0.2, 0.7 - h).value) / (2.0 * h) - exact.d_variance).abs() < 1e-8
        );
    }
}
