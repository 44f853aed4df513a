//! Softmax likelihood of several classes: `p(y | f) = exp(f_y) / Σ_c exp(f_c)`.
//!
//! `E[log p(y)] = m_y − E[log Σ_c exp f_c]`: one expectation serves all labels, and its derivative in the means
//! is the expected probability. Only differences of latent values enter, so two classes need an integral in one
//! dimension and three in two, done by Gauss–Hermite; more classes use fixed quasi-random points. No rule draws
//! at random, and derivatives are those of the computed sum.
//!
//! Predictive probabilities are one-dimensional integrals for any number of classes: see [`Race`].

use super::gumbel::Race;
use super::points::NormalPoints;
use super::quadrature::GaussHermite;
use super::{VARIANCE_FLOOR, log_sum_exp, logistic};

/// Softmax likelihood with a rule for training and the integrals of prediction.
#[derive(Clone, Debug, PartialEq)]
pub struct Softmax {
    training: Rule,
    prediction: Race,
}

#[derive(Clone, Debug, PartialEq)]
enum Rule {
    Two(GaussHermite),
    Three(GaussHermite),
    Many(NormalPoints),
}

impl Softmax {
    pub(super) fn new(nodes: usize, points: usize, n_classes: usize) -> Self {
        let training = match n_classes {
            0..=2 => Rule::Two(GaussHermite::new(nodes)),
            3 => Rule::Three(GaussHermite::new(nodes)),
            _ => Rule::Many(NormalPoints::new(points, n_classes)),
        };
        Self { training, prediction: Race::new() }
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
        let partition = self.training.log_partition(mean, variance, d_mean, d_variance);
        let total: f64 = counts.iter().map(|&(_, count)| count).sum();
        d_mean.iter_mut().for_each(|d| *d *= -total);
        d_variance.iter_mut().for_each(|d| *d *= -total);
        let mut value = -total * partition;
        for &(class, count) in counts {
            value += count * mean[class];
            d_mean[class] += count;
        }
        value
    }

    /// Logarithms of the predictive probabilities of all classes, finite in the tails.
    pub(super) fn log_probabilities(&self, mean: &[f64], variance: &[f64]) -> Vec<f64> {
        match (mean, variance) {
            // The difference is all that counts.
            ([m0, m1], [v0, v1]) => {
                [m0 - m1, m1 - m0].map(|m| logistic::log_expected(m, v0.max(0.0) + v1.max(0.0))).to_vec()
            }
            _ => self.prediction.log_probabilities(mean, variance),
        }
    }
}

impl Rule {
    /// `E[log Σ_c exp f_c]` for independent `f_c ~ N(mean_c, variance_c)`, with its derivatives.
    fn log_partition(
        &self,
        mean: &[f64],
        variance: &[f64],
        d_mean: &mut [f64],
        d_variance: &mut [f64],
    ) -> f64 {
        match self {
            Self::Two(rule) => two_classes(rule, mean, variance, d_mean, d_variance),
            Self::Three(rule) => three_classes(rule, mean, variance, d_mean, d_variance),
            Self::Many(points) => many_classes(points, mean, variance, d_mean, d_variance),
        }
    }
}

fn two_classes(
    rule: &GaussHermite,
    mean: &[f64],
    variance: &[f64],
    d_mean: &mut [f64],
    d_variance: &mut [f64],
) -> f64 {
    let deviation = (variance[0].max(VARIANCE_FLOOR) + variance[1].max(VARIANCE_FLOOR)).sqrt();
    let (mut value, mut p, mut slope) = (0.0, [0.0; 2], 0.0);
    for (x, weight) in rule.iter() {
        let latent = [0.0, mean[1] - mean[0] + deviation * x];
        let partition = log_sum_exp(latent.into_iter());
        value += weight * partition;
        p[0] += weight * (-partition).exp();
        p[1] += weight * (latent[1] - partition).exp();
        slope += weight * (latent[1] - partition).exp() * x;
    }
    d_mean.copy_from_slice(&p);
    d_variance.fill(slope / (2.0 * deviation));
    mean[0] + value
}

/// Cholesky factor of the covariance of `(f₁ − f₀, f₂ − f₀)`, in a form without cancellation.
struct Root {
    l11: f64,
    l21: f64,
    l22: f64,
}

impl Root {
    fn new([v0, v1, v2]: [f64; 3]) -> Self {
        let l11 = (v0 + v1).sqrt();
        Self { l11, l21: v0 / l11, l22: (v2 + v0 * (v1 / (v0 + v1))).sqrt() }
    }

    fn latent(&self, mean: &[f64], u: f64, t: f64) -> [f64; 3] {
        [0.0, mean[1] - mean[0] + self.l11 * u, mean[2] - mean[0] + self.l21 * u + self.l22 * t]
    }
}

fn three_classes(
    rule: &GaussHermite,
    mean: &[f64],
    variance: &[f64],
    d_mean: &mut [f64],
    d_variance: &mut [f64],
) -> f64 {
    let [v0, v1, v2] = [0, 1, 2].map(|c| variance[c].max(VARIANCE_FLOOR));
    let root = Root::new([v0, v1, v2]);
    let (mut value, mut p, mut d11, mut d21, mut d22) = (0.0, [0.0; 3], 0.0, 0.0, 0.0);
    for (u, w) in rule.iter() {
        for (t, v) in rule.iter() {
            let latent = root.latent(mean, u, t);
            let top = latent[0].max(latent[1]).max(latent[2]);
            let terms = latent.map(|f| (f - top).exp());
            let sum = terms[0] + terms[1] + terms[2];
            let scale = w * v / sum;
            value += w * v * (top + sum.ln());
            (0..3).for_each(|c| p[c] += scale * terms[c]);
            d11 += scale * terms[1] * u;
            d21 += scale * terms[2] * u;
            d22 += scale * terms[2] * t;
        }
    }
    d_mean.copy_from_slice(&p);
    let (l11, l22) = (root.l11, root.l22);
    let bend = d21 * v0 / (2.0 * l11 * l11 * l11);
    let (share0, share1) = (v0 / (v0 + v1), v1 / (v0 + v1));
    d_variance[0] = d11 / (2.0 * l11) + d21 / l11 - bend + d22 * share1 * share1 / (2.0 * l22);
    d_variance[1] = d11 / (2.0 * l11) - bend + d22 * share0 * share0 / (2.0 * l22);
    d_variance[2] = d22 / (2.0 * l22);
    mean[0] + value
}

fn many_classes(
    points: &NormalPoints,
    mean: &[f64],
    variance: &[f64],
    d_mean: &mut [f64],
    d_variance: &mut [f64],
) -> f64 {
    let deviation: Vec<f64> = variance.iter().map(|v| v.max(VARIANCE_FLOOR).sqrt()).collect();
    let mut terms = vec![0.0; mean.len()];
    let mut value = 0.0;
    d_mean.fill(0.0);
    d_variance.fill(0.0);
    for z in points.iter() {
        let mut top = f64::NEG_INFINITY;
        for (((term, z), m), s) in terms.iter_mut().zip(z).zip(mean).zip(&deviation) {
            *term = m + s * z;
            top = top.max(*term);
        }
        terms.iter_mut().for_each(|term| *term = (*term - top).exp());
        let sum: f64 = terms.iter().sum();
        value += top + sum.ln();
        let scale = 1.0 / sum;
        for (((term, z), dm), dv) in terms.iter().zip(z).zip(&mut *d_mean).zip(&mut *d_variance) {
            *dm += scale * term;
            *dv += scale * term * z;
        }
    }
    let weight = 1.0 / points.len() as f64;
    d_mean.iter_mut().for_each(|d| *d *= weight);
    d_variance.iter_mut().zip(&deviation).for_each(|(d, s)| *d *= weight / (2.0 * s));
    value * weight
}

#[cfg(test)]
mod tests {
    use super::*;

    fn partition(rule: &Rule, mean: &[f64], variance: &[f64]) -> f64 {
        let (mut a, mut b) = (vec![0.0; mean.len()], vec![0.0; mean.len()]);
        rule.log_partition(mean, variance, &mut a, &mut b)
    }

    /// The rule of three classes against the plain product rule in three dimensions.
    #[test]
    fn the_rule_in_differences_agrees_with_the_product_rule() {
        let rule = GaussHermite::new(40);
        let (mean, variance) = ([0.3, -0.8, 1.1], [0.5, 1.5, 0.9f64]);
        let mut expected = 0.0;
        for (x, a) in rule.iter() {
            for (y, b) in rule.iter() {
                for (z, c) in rule.iter() {
                    let s = variance.map(f64::sqrt);
                    let f = [mean[0] + s[0] * x, mean[1] + s[1] * y, mean[2] + s[2] * z];
                    expected += a * b * c * log_sum_exp(f.into_iter());
                }
            }
        }
        assert!((partition(&Rule::Three(rule), &mean, &variance) - expected).abs() < 1e-12);
    }

    #[test]
    fn a_third_class_far_below_leaves_the_rule_of_two() {
        let two = partition(&Rule::Two(GaussHermite::new(30)), &[0.2, 0.7], &[0.6, 0.9]);
        let three = partition(&Rule::Three(GaussHermite::new(30)), &[0.2, 0.7, -60.0], &[0.6, 0.9, 1.0]);
        assert!((two - three).abs() < 1e-9, "{two} {three}");
    }

    /// Root mean square error over spread-out moments, in nats.
    fn spread_error(n_points: usize, n_classes: usize) -> f64 {
        let reference = Rule::Many(NormalPoints::new(8192, n_classes));
        let rule = Rule::Many(NormalPoints::new(n_points, n_classes));
        let squares = (0..20).map(|k| {
            let mean: Vec<f64> = (0..n_classes).map(|c| 1.5 * ((k * 7 + c * 3) as f64).sin()).collect();
            let variance: Vec<f64> =
                (0..n_classes).map(|c| 0.1 + 1.5 * ((k * 5 + c * 2) as f64).cos().powi(2)).collect();
            (partition(&rule, &mean, &variance) - partition(&reference, &mean, &variance)).powi(2)
        });
        (squares.sum::<f64>() / 20.0).sqrt()
    }

    /// A random sample of 128 would err by about 0.06.
    #[test]
    fn fixed_points_come_close_to_a_fine_rule() {
        for n_classes in [4, 6, 10] {
            let error = spread_error(128, n_classes);
            eprintln!("{n_classes} classes: {error:.2e}");
            assert!(error < 4e-3, "{n_classes} classes: {error}");
        }
        let (mean, variance) = ([0.3, -0.8, 1.1], [0.5, 1.5, 0.9]);
        let exact = partition(&Rule::Three(GaussHermite::new(30)), &mean, &variance);
        let fine = partition(&Rule::Many(NormalPoints::new(8192, 3)), &mean, &variance);
        assert!((exact - fine).abs() < 2e-4, "{exact} {fine}");
    }

    #[test]
    fn log_probabilities_stay_finite_far_out() {
        for n_classes in [2, 3, 5] {
            let likelihood = Softmax::new(20, 64, n_classes);
            let mut mean = vec![0.0; n_classes];
            mean[0] = 2000.0;
            let found = likelihood.log_probabilities(&mean, &vec![0.0; n_classes])[1];
            assert!((found + 2000.0).abs() < 1e-3, "{n_classes} classes: {found}");
        }
    }
}
