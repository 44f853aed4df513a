//! Classes in an order, one latent function: `p(y = c | f) = Φ(b_{c+1} − f) − Φ(b_c − f)` with trained thresholds
//! `−∞ = b_0 < b_1 < … < b_K = ∞` (ordered probit).
//!
//! Only the gaps between thresholds are trained, which lie symmetrically about 0: where they lie as a whole is up to the constant
//! of the kernel. Two classes are the probit.

use super::normal::{density, log_cdf, quantile};
use super::quadrature::GaussHermite;
use super::{Labels, Moments, VARIANCE_FLOOR};

/// Ordered probit with its quadrature.
#[derive(Clone, Debug, PartialEq)]
pub struct Ordinal {
    thresholds: Vec<f64>, // K − 1, ascending
    gaps: Vec<f64>,       // K − 2
    rule: GaussHermite,
}

impl Ordinal {
    /// Thresholds at which `n_classes` classes are equally probable under a latent variance of 1.
    pub(super) fn new(n_classes: usize, n_nodes: usize) -> Self {
        let at = |k: usize| std::f64::consts::SQRT_2 * quantile(k as f64 / n_classes as f64);
        let gaps = (1..n_classes.max(2) - 1).map(|k| at(k + 1) - at(k)).collect();
        Self { thresholds: Vec::new(), gaps: Vec::new(), rule: GaussHermite::new(n_nodes) }.with_gaps(gaps)
    }

    /// The same with other gaps.
    pub(super) fn with_gaps(&self, gaps: Vec<f64>) -> Self {
        let mut at = -0.5 * gaps.iter().sum::<f64>();
        let mut thresholds = vec![at];
        for gap in &gaps {
            at += gap;
            thresholds.push(at);
        }
        Self { thresholds, gaps, rule: self.rule.clone() }
    }

    /// The thresholds between classes, ascending.
    #[must_use]
    pub fn thresholds(&self) -> &[f64] {
        &self.thresholds
    }

    /// The gaps between them.
    pub(super) fn gaps(&self) -> &[f64] {
        &self.gaps
    }

    /// Number of classes.
    #[must_use]
    pub fn n_classes(&self) -> usize {
        self.thresholds.len() + 1
    }

    /// The thresholds below and above a class.
    fn ends(&self, class: usize) -> (f64, f64) {
        let low = if class == 0 { f64::NEG_INFINITY } else { self.thresholds[class - 1] };
        (low, self.thresholds.get(class).copied().unwrap_or(f64::INFINITY))
    }

    /// `Σ_y count_y E[log p(y | f)]` for `f ~ N(mean, variance)`, with its derivatives.
    pub(super) fn expectation(&self, counts: &[(usize, f64)], mean: f64, variance: f64) -> Moments {
        let deviation = variance.max(VARIANCE_FLOOR).sqrt();
        let mut sum = Moments::default();
        for (x, weight) in self.rule.iter() {
            for &(class, count) in counts {
                let (low, high) = self.ends(class);
                let Interval { log, below, above } = Interval::new(low, high, mean + deviation * x);
                sum.value += count * weight * log;
                sum.d_mean += count * weight * (below - above);
                sum.d_variance += count * weight * (below - above) * x;
            }
        }
        sum.d_variance /= 2.0 * deviation;
        sum
    }

    /// Derivatives of the expectation of all points in the logarithms of the gaps.
    pub(super) fn gradient(&self, labels: &Labels, moments: impl Fn(usize) -> (f64, f64)) -> Vec<f64> {
        let mut by_threshold = vec![0.0; self.thresholds.len()];
        for i in 0..labels.n_points() {
            let (mean, variance) = moments(i);
            let deviation = variance.max(VARIANCE_FLOOR).sqrt();
            for (x, weight) in self.rule.iter() {
                for &(class, count) in labels.counts(i) {
                    let (low, high) = self.ends(class);
                    let Interval { below, above, .. } = Interval::new(low, high, mean + deviation * x);
                    if class > 0 {
                        by_threshold[class - 1] -= count * weight * below;
                    }
                    if let Some(slot) = by_threshold.get_mut(class) {
                        *slot += count * weight * above;
                    }
                }
            }
        }
        // A gap moves all thresholds below it down by half of what it grows, and all above it up.
        let of_gap = |k: usize| {
            let below: f64 = by_threshold[..=k].iter().sum();
            let above: f64 = by_threshold[k + 1..].iter().sum();
            0.5 * (above - below) * self.gaps[k]
        };
        (0..self.gaps.len()).map(of_gap).collect()
    }

    /// `log p(c)` for a latent value `N(mean, variance)`.
    pub(super) fn log_probability(&self, class: usize, mean: f64, variance: f64) -> f64 {
        let (low, high) = self.ends(class);
        let scale = (1.0 + variance).sqrt();
        Interval::new(low / scale, high / scale, mean / scale).log
    }
}

/// The probability that `N(f, 1)` lies between two ends: its logarithm, and its density at each end over it.
struct Interval {
    log: f64,
    below: f64,
    above: f64,
}

impl Interval {
    fn new(low: f64, high: f64, f: f64) -> Self {
        // In the lower tail, where distribution functions do not cancel against 1.
        let (l, u) = (low - f, high - f);
        let (a, b) = if l > 0.0 { (-u, -l) } else { (l, u) };
        let log = match (a == f64::NEG_INFINITY, b == f64::INFINITY) {
            (true, true) => 0.0,
            (true, false) => log_cdf(b),
            (false, true) => log_cdf(-a),
            (false, false) if b - a < NARROW => log_density(0.5 * (a + b)) + (b - a).ln(),
            (false, false) => log_cdf(b) + log_complement(log_cdf(a) - log_cdf(b)),
        };
        let at = |x: f64| if x.is_finite() { (log_density(x) - log).exp() } else { 0.0 };
        Self { log, below: at(l), above: at(u) }
    }
}

/// Width of an interval below which its probability is its width times the density: the difference of the distribution
/// functions would be of rounding.
const NARROW: f64 = 1e-7;

/// `log(1 − e^d)` for `d < 0`.
fn log_complement(d: f64) -> f64 {
    if d > -std::f64::consts::LN_2 { (-d.exp_m1()).ln() } else { (-d.exp()).ln_1p() }
}

fn log_density(x: f64) -> f64 {
    let value = density(x);
    if value > 0.0 { value.ln() } else { -0.5 * x * x - 0.918_938_533_204_672_8 }
}

#[cfg(test)]
mod tests {
    use super::super::normal::cdf;
    use super::super::{LikelihoodParams, Observations};
    use super::*;
    use faer::Mat;

    fn example() -> Ordinal {
        Ordinal::new(4, 60).with_gaps(vec![0.7, 1.9])
    }

    #[test]
    fn probabilities_add_up_and_are_those_of_intervals() {
        let ordinal = example();
        let expected = [-1.3, -0.6, 1.3];
        assert!(ordinal.thresholds().iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15));
        for (mean, variance) in [(0.0, 0.0), (0.4, 2.0), (-3.0, 0.5), (40.0, 1.0), (-200.0, 9.0)] {
            let p: Vec<f64> = (0..4).map(|c| ordinal.log_probability(c, mean, variance).exp()).collect();
            assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-14, "{p:?}");
            let z = |k: usize| cdf((ordinal.thresholds()[k] - mean) / (1.0 + variance).sqrt());
            assert!((p[1] - (z(1) - z(0))).abs() < 1e-14);
        }
        // Far out the logarithm stays a number.
        assert!(
            ordinal.log_probability(0, 60.0, 0.0) < -1800.0
                && ordinal.log_probability(0, 60.0, 0.0).is_finite()
        );
    }

    #[test]
    fn equal_frequencies_at_the_start_and_two_classes_are_the_probit() {
        let ordinal = Ordinal::new(5, 20);
        (0..5).for_each(|c| assert!((ordinal.log_probability(c, 0.0, 1.0).exp() - 0.2).abs() < 1e-12));
        let two = LikelihoodParams::ORDINAL.check(2).unwrap();
        let probit = LikelihoodParams::PROBIT.check(2).unwrap();
        let observations = Observations::classes(2, &[0, 1, 1]).unwrap();
        let (m, v) = (Mat::from_fn(3, 1, |i, _| i as f64 - 0.7), Mat::from_fn(3, 1, |i, _| 0.3 + i as f64));
        let value = |likelihood: &super::super::Likelihood| {
            likelihood.expectations(&observations, m.as_ref(), v.as_ref()).unwrap()
        };
        let (a, b) = (value(&two), value(&probit));
        assert!((a.value - b.value).abs() < 1e-12 * b.value.abs());
        (0..3).for_each(|i| assert!((a.d_variance[(i, 0)] - b.d_variance[(i, 0)]).abs() < 1e-12));
    }

    #[test]
    fn derivatives_equal_differences() {
        let counts = [(0, 1.0), (2, 2.0), (3, 0.5)];
        let (mean, variance, h) = (0.3, 1.7, 1e-5);
        let at = |m: f64, v: f64| example().expectation(&counts, m, v);
        let exact = at(mean, variance);
        let d_mean = (at(mean + h, variance).value - at(mean - h, variance).value) / (2.0 * h);
        let d_variance = (at(mean, variance + h).value - at(mean, variance - h).value) / (2.0 * h);
        assert!((exact.d_mean - d_mean).abs() < 1e-8 && (exact.d_variance - d_variance).abs() < 1e-8);

        let Observations::Classes(labels) =
            Observations::grouped_classes(4, &[0, 2, 2, 3, 1], &[0, 0, 1, 1, 2], 3).unwrap()
        else {
            panic!("labels went in")
        };
        let moments = |i: usize| (0.5 - i as f64, 0.4 + i as f64);
        let value = |ordinal: &Ordinal| -> f64 {
            let of = |i: usize| ordinal.expectation(labels.counts(i), moments(i).0, moments(i).1).value;
            (0..3).map(of).sum()
        };
        let gradient = example().gradient(&labels, moments);
        for k in 0..2 {
            let moved = |step: f64| {
                let mut gaps = vec![0.7, 1.9];
                gaps[k] *= step.exp();
                value(&example().with_gaps(gaps))
            };
            let slope = (moved(h) - moved(-h)) / (2.0 * h);
            assert!((slope - gradient[k]).abs() < 1e-8, "gap {k}: {slope}, {}", gradient[k]);
        }
    }
}
