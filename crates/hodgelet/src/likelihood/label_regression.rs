//! Several classes as numbers: one latent function for each class, which is regressed on whether the label is that class.
//!
//! The target of class `c` is `(1{y = c} − 1/C) / √(1/C (1 − 1/C))`, with Gaussian noise, so everything but the link is in
//! closed form and one factor of the Gram matrix serves all classes. Probabilities follow by a [`LabelLink`]
//!
//! ```text
//! p(c) = softmax_c(z_c),   z_c = a m_c / √(1 + π a² v_c / 8)
//! ```
//!
//! whose sharpness `a` is fitted to the points left out one at a time. A link may be bent, too: with `arsinh(b z)/b` in the
//! place of `z`, what is left to other classes falls as the power `1/b` of the latent value, where a softmax lets it fall
//! exponentially. Labels that no latent value explains then cost the others less of their certainty.

use super::observations::{Labels, RealGroup};
use super::{Gaussian, Moments, log_sum_exp};
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// Sharpness before any point was left out, and the center of its prior; the prior has deviation 1 in the logarithm.
const INITIAL_SHARPNESS: f64 = 2.0;

/// The logarithm of the sharpness lies between these.
const LOG_RANGE: (f64, f64) = (-5.0, 5.0);

/// The largest bend.
pub(crate) const MOST_BEND: f64 = 20.0;

/// Steps of the search for the sharpness: a coarse grid, then golden sections.
const GRID: usize = 40;
const SECTIONS: usize = 40;

/// How probabilities follow latent values.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LabelLink {
    sharpness: f64,
    bend: f64,
}

impl LabelLink {
    /// A link whose sharpness is kept within its range; 0 bends nothing.
    pub(crate) fn new(sharpness: f64, bend: f64) -> Self {
        Self { sharpness: sharpness.clamp(LOG_RANGE.0.exp(), LOG_RANGE.1.exp()), bend }
    }

    /// How sharply probabilities follow the latent values.
    #[must_use]
    pub fn sharpness(&self) -> f64 {
        self.sharpness
    }

    /// How early certainty stops growing exponentially with the latent values; 0 for never.
    #[must_use]
    pub fn bend(&self) -> f64 {
        self.bend
    }

    /// Whether its numbers are such as are fitted, which files do not promise.
    pub(crate) fn is_sound(&self) -> bool {
        let within = self.sharpness > 0.0 && self.sharpness == Self::new(self.sharpness, 0.0).sharpness;
        within && (0.0..=MOST_BEND).contains(&self.bend)
    }

    /// `log p(c)` for all classes.
    pub(crate) fn log_probabilities(&self, mean: &[f64], variance: &[f64]) -> Vec<f64> {
        let Self { sharpness, bend } = *self;
        let scaled = |(m, v): (&f64, &f64)| {
            let z = sharpness * m / (1.0 + PI / 8.0 * sharpness * sharpness * v.max(0.0)).sqrt();
            if bend > 0.0 { (bend * z).asinh() / bend } else { z }
        };
        let latent: Vec<f64> = mean.iter().zip(variance).map(scaled).collect();
        let partition = log_sum_exp(latent.iter().copied());
        latent.into_iter().map(|f| f - partition).collect()
    }
}

/// Regression on labels with its noise and its link.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelRegression {
    noise: Gaussian,
    link: LabelLink,
    n_classes: usize,
}

impl LabelRegression {
    pub(super) fn new(noise_variance: f64, n_classes: usize) -> Self {
        let link = LabelLink::new(INITIAL_SHARPNESS, 0.0);
        Self { noise: Gaussian::new(noise_variance), link, n_classes }
    }

    /// Number of classes.
    #[must_use]
    pub fn n_classes(&self) -> usize {
        self.n_classes
    }

    /// Variance of the noise.
    #[must_use]
    pub fn noise_variance(&self) -> f64 {
        self.noise.noise_variance()
    }

    /// How probabilities follow the latent values.
    #[must_use]
    pub fn link(&self) -> LabelLink {
        self.link
    }

    /// How sharply they do.
    #[must_use]
    pub fn sharpness(&self) -> f64 {
        self.link.sharpness
    }

    /// The same with another link.
    pub(crate) fn with_link(&self, link: LabelLink) -> Self {
        Self { link, ..self.clone() }
    }

    /// The same with other noise.
    pub(super) fn with_noise(&self, noise_variance: f64) -> Self {
        Self { noise: Gaussian::new(noise_variance), ..self.clone() }
    }

    /// The targets of class `class` at a point with these labels, summed up.
    pub(crate) fn group(&self, counts: &[(usize, f64)], class: usize) -> RealGroup {
        let base = 1.0 / self.n_classes as f64;
        let scale = (base * (1.0 - base)).sqrt();
        let (mut count, mut hits) = (0.0, 0.0);
        for &(label, times) in counts {
            count += times;
            hits += if label == class { times } else { 0.0 };
        }
        if count == 0.0 {
            return RealGroup::default();
        }
        let share = hits / count;
        RealGroup {
            count,
            mean: (share - base) / scale,
            spread: count * share * (1.0 - share) / (scale * scale),
        }
    }

    /// Expected log likelihood of the targets of all classes at a point, with its derivatives.
    pub(super) fn expectation(
        &self,
        counts: &[(usize, f64)],
        mean: &[f64],
        variance: &[f64],
        d_mean: &mut [f64],
        d_variance: &mut [f64],
    ) -> f64 {
        let mut total = 0.0;
        for c in 0..self.n_classes {
            let Moments { value, d_mean: dm, d_variance: dv } =
                self.noise.expectation(&self.group(counts, c), mean[c], variance[c]);
            total += value;
            (d_mean[c], d_variance[c]) = (dm, dv);
        }
        total
    }

    /// Derivative of the expectation in the logarithm of the noise variance, over all points.
    pub(super) fn noise_gradient(
        &self,
        labels: &Labels,
        moments: impl Fn(usize, usize) -> (f64, f64),
    ) -> f64 {
        let at = |(i, c): (usize, usize)| {
            let (mean, variance) = moments(i, c);
            self.noise.noise_gradient(&self.group(labels.counts(i), c), mean, variance)
        };
        let all = (0..labels.n_points()).flat_map(|i| (0..self.n_classes).map(move |c| (i, c)));
        all.map(at).sum::<f64>() * self.noise_variance()
    }

    /// `log p(c)` for all classes.
    pub(super) fn log_probabilities(&self, mean: &[f64], variance: &[f64]) -> Vec<f64> {
        self.link.log_probabilities(mean, variance)
    }

    /// The log density of the targets of all classes at a point, given its latent moments without them.
    pub(crate) fn log_density(&self, counts: &[(usize, f64)], mean: &[f64], variance: &[f64]) -> f64 {
        let of = |c: usize| {
            let RealGroup { count, mean: target, spread } = self.group(counts, c);
            let total = variance[c] + self.noise_variance();
            let square = (count * (target - mean[c]).powi(2) + spread) / total;
            -0.5 * (square + count * (2.0 * PI * total).ln())
        };
        (0..self.n_classes).map(of).sum()
    }

    /// The same with the sharpness under which the labels of the points are most probable, each from the latent moments
    /// (means, variances) that the other points give it.
    pub(crate) fn calibrated(&self, labels: &Labels, left_out: &[(Vec<f64>, Vec<f64>)]) -> Self {
        let loss = |log: f64| {
            let z = log - INITIAL_SHARPNESS.ln();
            let of = |(i, (mean, variance)): (usize, &(Vec<f64>, Vec<f64>))| {
                let logs = LabelLink::new(log.exp(), 0.0).log_probabilities(mean, variance);
                labels.counts(i).iter().map(|&(class, count)| -count * logs[class]).sum::<f64>()
            };
            0.5 * z * z + left_out.iter().enumerate().map(of).sum::<f64>()
        };
        let step = (LOG_RANGE.1 - LOG_RANGE.0) / GRID as f64;
        let grid = (0..=GRID).map(|k| LOG_RANGE.0 + step * k as f64);
        let best = grid.map(|log| (log, loss(log))).min_by(|a, b| a.1.total_cmp(&b.1));
        let center = best.map_or(INITIAL_SHARPNESS.ln(), |(log, _)| log);
        let golden = 0.5 * (5f64.sqrt() - 1.0);
        let (mut low, mut high) = (center - step, center + step);
        for _ in 0..SECTIONS {
            let (a, b) = (high - golden * (high - low), low + golden * (high - low));
            if loss(a) < loss(b) { high = b } else { low = a }
        }
        self.with_link(LabelLink { sharpness: (0.5 * (low + high)).exp(), bend: 0.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_have_mean_0_and_variance_1_when_classes_are_even() {
        let likelihood = LabelRegression::new(0.1, 5);
        let groups: Vec<RealGroup> = (0..5).map(|label| likelihood.group(&[(label, 1.0)], 2)).collect();
        let mean = groups.iter().map(|g| g.mean).sum::<f64>() / 5.0;
        let square = groups.iter().map(|g| g.mean * g.mean).sum::<f64>() / 5.0;
        assert!(mean.abs() < 1e-15 && (square - 1.0).abs() < 1e-14, "{mean} {square}");
        let pair = likelihood.group(&[(2, 1.0), (0, 3.0)], 2);
        let spread = (groups[2].mean - pair.mean).powi(2) + 3.0 * (groups[0].mean - pair.mean).powi(2);
        assert!((pair.spread - spread).abs() < 1e-14 && pair.count == 4.0);
    }

    /// Labels drawn by a known sharpness: it is found again.
    #[test]
    fn the_sharpness_is_the_one_that_labels_were_drawn_with() {
        for sharpness in [0.7, 2.5] {
            let truth = LabelRegression::new(0.1, 3).with_link(LabelLink::new(sharpness, 0.0));
            let (mut labels, mut moments) = (Vec::new(), Vec::new());
            for k in 0..3000usize {
                let mean: Vec<f64> = (0..3).map(|c| 2.0 * ((7 * k + 13 * c) as f64 * 0.61).sin()).collect();
                let variance = vec![0.3 * (1.0 + (k as f64).cos()); 3];
                let p = truth.log_probabilities(&mean, &variance);
                // A low-discrepancy draw in place of a random one.
                let u = (0.5 + k as f64 * 0.618_033_988_749_894_9).fract();
                let mut sum = 0.0;
                let label = p.iter().position(|log| {
                    sum += log.exp();
                    u < sum
                });
                labels.push(label.unwrap_or(2) as u32);
                moments.push((mean, variance));
            }
            let points: Vec<usize> = (0..labels.len()).collect();
            let labels = match super::super::Observations::grouped_classes(3, &labels, &points, points.len())
                .unwrap()
            {
                super::super::Observations::Classes(labels) => labels,
                super::super::Observations::Reals(_) => unreachable!(),
            };
            let found = LabelRegression::new(0.1, 3).calibrated(&labels, &moments).sharpness();
            assert!((found / sharpness - 1.0).abs() < 0.08, "{found} of {sharpness}");
        }
    }

    #[test]
    fn probabilities_are_even_where_nothing_is_known_and_add_up() {
        let likelihood = LabelRegression::new(0.1, 4);
        let p: Vec<f64> =
            likelihood.log_probabilities(&[0.0; 4], &[1e3; 4]).into_iter().map(f64::exp).collect();
        assert!(p.iter().all(|p| (p - 0.25).abs() < 1e-15));
        let far: f64 =
            likelihood.log_probabilities(&[1e6, -1e6, 0.0, 3.0], &[0.0; 4]).into_iter().map(f64::exp).sum();
        assert!((far - 1.0).abs() < 1e-12);
    }
    #[test]
    fn a_bent_link_is_a_plain_one_for_small_values_and_less_certain_of_large_ones() {
        let [plain, bent] = [0.0, 0.7].map(|bend| LabelLink::new(2.0, bend));
        let mut last = 0.0;
        for m in [1e-4, 0.1, 1.0, 3.0, 30.0] {
            let [p, q] =
                [plain, bent].map(|link| link.log_probabilities(&[m, 0.0, -m], &[0.2; 3]).map_exp()[0]);
            assert!(q > last && q <= p, "{m}: {q} of {p}");
            assert!(m > 0.2 || (p - q).abs() < 0.01 * m, "{m}: {q} {p}");
            last = q;
        }
        // What is left falls as a power: ten times the value, 10^(−1/0.7) of it.
        let left = |m: f64| bent.log_probabilities(&[m, 0.0], &[0.0; 2])[1];
        assert!((left(1e4) - left(1e5) - 10f64.ln() / 0.7).abs() < 1e-3);
        let sum: f64 = bent.log_probabilities(&[1e300, -1e300, 0.0], &[0.0; 3]).map_exp().iter().sum();
        assert!((sum - 1.0).abs() < 1e-12);
    }

    #[test]
    fn the_density_of_the_targets_is_that_of_each() {
        let likelihood = LabelRegression::new(0.3, 3);
        let (mean, variance) = ([0.4, -0.2, 1.0], [0.5, 0.5, 0.5]);
        let one = |label: usize| -> f64 {
            let of = |c: usize| {
                let off = likelihood.group(&[(label, 1.0)], c).mean - mean[c];
                -0.5 * (off * off / 0.8 + (2.0 * PI * 0.8).ln())
            };
            (0..3).map(of).sum()
        };
        let found = likelihood.log_density(&[(0, 2.0), (2, 1.0)], &mean, &variance);
        assert!((found - 2.0 * one(0) - one(2)).abs() < 1e-12);
    }

    trait MapExp {
        fn map_exp(self) -> Vec<f64>;
    }

    impl MapExp for Vec<f64> {
        fn map_exp(self) -> Vec<f64> {
            self.into_iter().map(f64::exp).collect()
        }
    }
}
