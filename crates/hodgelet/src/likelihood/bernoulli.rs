//! Bernoulli likelihood of two classes, one latent function: `p(y = 1 | f) = link(f)`.
//!
//! Expectations are Gauss–Hermite sums over `log p`, which is computed in log space, and the derivatives are
//! the exact derivatives of those sums.

use super::normal::{cdf, curvature, density, log_cdf_and_hazard, log_cdf_and_hazard_in_place};
use super::quadrature::GaussHermite;
use super::{Moments, VARIANCE_FLOOR, logistic};
use serde::{Deserialize, Serialize};

/// The map from a latent value to the probability of class 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Link {
    /// `(1 − 2 floor) Φ(f) + floor`. A floor of 0, the default, is the textbook probit, log-concave and with
    /// exact tails; GPflow uses 1e-3, which bounds the loss of a wrong label but is not log-concave.
    Probit {
        /// Smallest probability of either class.
        floor: f64,
    },
    /// `1 / (1 + e^{−f})`.
    Logit,
}

impl Link {
    /// `log p(y = sign | f)` and its first derivative in `f`, `sign` being ±1.
    #[must_use]
    pub fn log_probability(&self, sign: f64, f: f64) -> (f64, f64) {
        let x = sign * f;
        let (value, slope) = match *self {
            Self::Probit { floor } => log_probit(x, floor),
            Self::Logit => (-softplus(-x), sigmoid(-x)),
        };
        (value, sign * slope)
    }

    /// `−d² log p(y = sign | f) / df²`.
    #[must_use]
    pub fn curvature(&self, sign: f64, f: f64) -> f64 {
        let x = sign * f;
        match *self {
            Self::Probit { floor: 0.0 } => curvature(x),
            Self::Probit { floor } => {
                let slope = log_probit(x, floor).1;
                slope * (slope + x)
            }
            Self::Logit => sigmoid(x) * sigmoid(-x),
        }
    }

    /// `p(y = 1 | f)`.
    #[must_use]
    pub fn probability(&self, f: f64) -> f64 {
        match *self {
            Self::Probit { floor } => (1.0 - 2.0 * floor) * cdf(f) + floor,
            Self::Logit => sigmoid(f),
        }
    }
}

/// `log((1 − 2 floor) Φ(x) + floor)` and its derivative.
pub(super) fn log_probit(x: f64, floor: f64) -> (f64, f64) {
    if floor == 0.0 {
        return log_cdf_and_hazard(x);
    }
    let p = (1.0 - 2.0 * floor) * cdf(x) + floor;
    (p.ln(), (1.0 - 2.0 * floor) * density(x) / p)
}

fn softplus(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

fn sigmoid(x: f64) -> f64 {
    if x >= 0.0 { 1.0 / (1.0 + (-x).exp()) } else { x.exp() / (1.0 + x.exp()) }
}

/// Bernoulli likelihood with its quadrature.
#[derive(Clone, Debug, PartialEq)]
pub struct Bernoulli {
    link: Link,
    rule: GaussHermite,
}

impl Bernoulli {
    pub(super) fn new(link: Link, n_nodes: usize) -> Self {
        Self { link, rule: GaussHermite::new(n_nodes) }
    }

    /// The link.
    #[must_use]
    pub fn link(&self) -> Link {
        self.link
    }

    /// `Σ_y count_y E[log p(y | f)]` for `f ~ N(mean, variance)`, with its derivatives.
    pub(super) fn expectation(&self, counts: &[(usize, f64)], mean: f64, variance: f64) -> Moments {
        let deviation = variance.max(VARIANCE_FLOOR).sqrt();
        let mut sum = Moments::default();
        for (x, weight) in self.rule.iter() {
            for &(class, count) in counts {
                let (value, slope) = self.link.log_probability(sign(class), mean + deviation * x);
                sum.value += count * weight * value;
                sum.d_mean += count * weight * slope;
                sum.d_variance += count * weight * slope * x;
            }
        }
        sum.d_variance /= 2.0 * deviation;
        sum
    }

    /// The expectations of several points, their labels counted in `counts`: the sum, with the derivatives of each. `None`
    /// but for the textbook probit, whose values at all nodes of all points are computed side by side.
    pub(super) fn expectations<'a>(
        &self,
        counts: impl Iterator<Item = &'a [(usize, f64)]> + Clone,
        mean: &[f64],
        variance: &[f64],
        d_mean: &mut [f64],
        d_variance: &mut [f64],
    ) -> Option<f64> {
        if self.link != (Link::Probit { floor: 0.0 }) {
            return None;
        }
        let deviation = |i: usize| variance[i].max(VARIANCE_FLOOR).sqrt();
        let size = self.rule.len() * counts.clone().map(<[_]>::len).sum::<usize>();
        let (mut values, mut slopes) = (Vec::with_capacity(size), vec![0.0; size]);
        for (i, counts) in counts.clone().enumerate() {
            let (mean, deviation) = (mean[i], deviation(i));
            for &(class, _) in counts {
                let sign = sign(class);
                values.extend(self.rule.iter().map(|(x, _)| sign * (mean + deviation * x)));
            }
        }
        log_cdf_and_hazard_in_place(&mut values, &mut slopes);
        let (mut total, mut at) = (0.0, 0);
        for (i, counts) in counts.enumerate() {
            let mut sum = Moments::default();
            for &(class, count) in counts {
                let places = values[at..].iter().zip(&slopes[at..]);
                for ((x, weight), (value, slope)) in self.rule.iter().zip(places) {
                    let slope = sign(class) * slope;
                    sum.value += count * weight * value;
                    sum.d_mean += count * weight * slope;
                    sum.d_variance += count * weight * slope * x;
                }
                at += self.rule.len();
            }
            total += sum.value;
            (d_mean[i], d_variance[i]) = (sum.d_mean, sum.d_variance / (2.0 * deviation(i)));
        }
        Some(total)
    }

    /// `log E[p(y = class | f)]`: in closed form for the probit, by the trapezoidal rule for the logit.
    pub(super) fn log_probability(&self, class: usize, mean: f64, variance: f64) -> f64 {
        match self.link {
            Link::Probit { floor } => log_probit(sign(class) * mean / (1.0 + variance).sqrt(), floor).0,
            Link::Logit => logistic::log_expected(sign(class) * mean, variance),
        }
    }
}

/// +1 for class 1, −1 for class 0.
pub(crate) fn sign(class: usize) -> f64 {
    if class == 1 { 1.0 } else { -1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINKS: [Link; 3] = [Link::Probit { floor: 0.0 }, Link::Probit { floor: 1e-3 }, Link::Logit];

    #[test]
    fn the_two_classes_share_all_probability() {
        for link in LINKS {
            let likelihood = Bernoulli::new(link, 20);
            for (mean, variance) in [(0.3, 0.5), (-4.0, 2.0), (40.0, 1.0)] {
                let total: f64 =
                    (0..2).map(|class| likelihood.log_probability(class, mean, variance).exp()).sum();
                assert!((total - 1.0).abs() < 1e-14, "{link:?}: {total}");
            }
        }
    }

    #[test]
    fn points_side_by_side_have_the_expectations_they_have_alone() {
        let likelihood = Bernoulli::new(LINKS[0], 20);
        let counts: [&[(usize, f64)]; 4] = [&[(0, 1.0)], &[(0, 2.0), (1, 3.0)], &[(1, 1.0)], &[(1, 1.0)]];
        let (mean, variance) = ([0.4, -1.0, 9.0, -30.0], [0.5, 2.0, 0.3, 4.0]);
        let (mut d_mean, mut d_variance) = ([0.0; 4], [0.0; 4]);
        let all = counts.iter().copied();
        let total = likelihood.expectations(all, &mean, &variance, &mut d_mean, &mut d_variance).unwrap();
        let near = |a: f64, b: f64| assert!((a - b).abs() <= 1e-14 * b.abs(), "{a} {b}");
        let mut sum = 0.0;
        for i in 0..4 {
            let alone = likelihood.expectation(counts[i], mean[i], variance[i]);
            near(d_mean[i], alone.d_mean);
            near(d_variance[i], alone.d_variance);
            sum += alone.value;
        }
        near(total, sum);
    }

    #[test]
    fn tails_are_finite_and_exact() {
        for f in [-40.0, 40.0] {
            for sign in [-1.0, 1.0] {
                let (value, slope) = Link::Logit.log_probability(sign, f);
                let expected = if sign * f > 0.0 { -(-40f64).exp() } else { -40.0 - (-40f64).exp() };
                assert!((value - expected).abs() <= 1e-15 * expected.abs());
                assert!(slope.is_finite() && slope * sign >= 0.0);
            }
        }
        // log Φ(−40) = −804.608442013754…
        let (value, slope) = Link::Probit { floor: 0.0 }.log_probability(1.0, -40.0);
        assert!((value + 804.608_442_013_754).abs() < 1e-9, "{value}");
        assert!((slope - 40.024_968_847_189_65).abs() < 1e-9, "{slope}");
        let (value, slope) = Link::Probit { floor: 1e-3 }.log_probability(1.0, -40.0);
        assert!((value - 1e-3f64.ln()).abs() < 1e-15 && slope == 0.0);
    }

    #[test]
    fn curvature_is_minus_the_derivative_of_the_slope() {
        for link in LINKS {
            for f in [-3.0, -0.5, 0.0, 1.0, 4.0] {
                let h = 1e-5;
                let slope = |f| link.log_probability(1.0, f).1;
                let expected = -(slope(f + h) - slope(f - h)) / (2.0 * h);
                assert!((link.curvature(1.0, f) - expected).abs() < 1e-8, "{link:?} at {f}");
            }
        }
    }
}
