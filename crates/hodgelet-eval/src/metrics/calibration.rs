//! Whether predictions are right as often as they claim.

use super::classification::top;
use super::{MetricError, labeled};
use serde::{Deserialize, Serialize};

/// Number of bins usual in the literature.
pub const N_BINS: usize = 15;

/// Largest number of bins.
pub const MAX_BINS: usize = 1000;

/// Predictions whose top probability lies in `(low, high]`, the first bin with 0.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReliabilityBin {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Number of predictions.
    pub count: usize,
    /// Mean of their top probabilities; absent without predictions.
    pub confidence: Option<f64>,
    /// Share of them that are right; absent without predictions.
    pub accuracy: Option<f64>,
}

/// The expected calibration error and the bins it comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// Mean over predictions of the distance between accuracy and confidence in their bin.
    pub ece: f64,
    /// Bins of equal width from 0 to 1.
    pub bins: Vec<ReliabilityBin>,
}

/// Calibration of the most probable classes over `n_bins` bins of equal width, usually [`N_BINS`].
///
/// # Errors
///
/// [`MetricError`] when the rows are not probabilities, a label is not one of their classes, or the number of
/// bins is not between 1 and [`MAX_BINS`].
///
/// # References
///
/// Guo, Pleiss, Sun, Weinberger, *On calibration of modern neural networks* (2017), Eq. (3) and (5).
pub fn calibration(
    probabilities: &[f64],
    n_classes: usize,
    labels: &[u32],
    n_bins: usize,
) -> Result<Calibration, MetricError> {
    labeled(probabilities, n_classes, labels)?;
    if !(1..=MAX_BINS).contains(&n_bins) {
        return Err(MetricError::Bins { found: n_bins });
    }
    let edge = |b: usize| b as f64 / n_bins as f64;
    let mut tallies = vec![Tally::default(); n_bins];
    for (row, &label) in probabilities.chunks_exact(n_classes).zip(labels) {
        let (class, confidence) = top(row);
        tallies[bin_of(confidence, n_bins, edge)].add(confidence, class == label);
    }
    let gaps: f64 = tallies.iter().map(|t| (t.right as f64 - t.confidence).abs()).sum();
    let bins = (0..n_bins).map(|b| tallies[b].bin(edge(b), edge(b + 1))).collect();
    Ok(Calibration { ece: gaps / labels.len() as f64, bins })
}

/// Steps of Newton's method after which a slope is not looked for any longer.
const MAX_STEPS: usize = 100;

/// The calibration slope of probabilities of class 1: `b` in `P(y = 1) = logistic(a + b logit p)`, by maximum likelihood.
/// 1 when probabilities are right, below 1 when they are too sure, above 1 when they are too shy. None when no finite slope
/// is best: one class alone, one probability alone, or classes that a threshold separates.
///
/// # Errors
///
/// [`MetricError`] when numbers are not probabilities or their numbers differ.
pub fn calibration_slope(probabilities: &[f64], labels: &[u32]) -> Result<Option<f64>, MetricError> {
    let rows: Vec<f64> = probabilities.iter().flat_map(|&p| [1.0 - p, p]).collect();
    labeled(&rows, 2, labels)?;
    // Certainty has no finite logit.
    let logit = |p: &f64| {
        let p = p.clamp(1e-15, 1.0 - 1e-15);
        p.ln() - (-p).ln_1p()
    };
    let points: Vec<(f64, f64)> =
        probabilities.iter().map(logit).zip(labels.iter().map(|&y| f64::from(y))).collect();
    let (mut a, mut b) = (0.0, 1.0);
    for _ in 0..MAX_STEPS {
        // Gradient (g, h) and the negative Hessian [[u, v], [v, w]] of the log likelihood.
        let (mut g, mut h, mut u, mut v, mut w) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for &(x, y) in &points {
            let p = 1.0 / (1.0 + (-(a + b * x)).exp());
            let curvature = p * (1.0 - p);
            (g, h) = (g + y - p, h + (y - p) * x);
            (u, v, w) = (u + curvature, v + curvature * x, w + curvature * x * x);
        }
        let determinant = u * w - v * v;
        if determinant.is_nan() || determinant <= 1e-12 * (u * w).max(f64::MIN_POSITIVE) {
            return Ok(None);
        }
        let (da, db) = ((w * g - v * h) / determinant, (u * h - v * g) / determinant);
        // A long step overshoots where the curvature is small.
        let shorten = (2.0 / da.abs().max(db.abs())).min(1.0);
        (a, b) = (a + shorten * da, b + shorten * db);
        if da.abs().max(db.abs()) < 1e-10 {
            return Ok(Some(b));
        }
    }
    Ok(None)
}

/// The bin of a confidence: that which the product points at, moved where its rounding crossed an edge.
fn bin_of(confidence: f64, n_bins: usize, edge: impl Fn(usize) -> f64) -> usize {
    let mut bin = ((confidence * n_bins as f64) as usize).min(n_bins - 1);
    while bin > 0 && confidence <= edge(bin) {
        bin -= 1;
    }
    while bin + 1 < n_bins && confidence > edge(bin + 1) {
        bin += 1;
    }
    bin
}

/// Running sums of one bin.
#[derive(Clone, Default)]
struct Tally {
    count: usize,
    right: usize,
    confidence: f64,
}

impl Tally {
    fn add(&mut self, confidence: f64, right: bool) {
        self.count += 1;
        self.right += usize::from(right);
        self.confidence += confidence;
    }

    fn bin(&self, low: f64, high: f64) -> ReliabilityBin {
        let mean = |sum: f64| (self.count > 0).then(|| sum / self.count as f64);
        let (confidence, accuracy) = (mean(self.confidence), mean(self.right as f64));
        ReliabilityBin { low, high, count: self.count, confidence, accuracy }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of two classes with these probabilities of class 0.
    fn rows(first: &[f64]) -> Vec<f64> {
        first.iter().flat_map(|&p| [p, 1.0 - p]).collect()
    }

    #[test]
    fn the_error_is_the_weighted_gap_between_accuracy_and_confidence() {
        // (0.6, 0.8]: confidences 0.7, 0.75, one right; (0.8, 1]: 0.9, 1.0, 0.85, all right
        let found = calibration(&rows(&[0.7, 0.25, 0.9, 1.0, 0.85]), 2, &[0, 0, 0, 0, 0], 5).unwrap();
        let expected = (2.0 * (0.725 - 0.5) + 3.0 * (1.0 - 2.75 / 3.0)) / 5.0;
        assert!((found.ece - expected).abs() < 1e-15);
        let counts: Vec<usize> = found.bins.iter().map(|b| b.count).collect();
        assert_eq!(counts, [0, 0, 0, 2, 3]);
        assert_eq!((found.bins[3].accuracy, found.bins[3].confidence), (Some(0.5), Some(0.725)));
        assert_eq!((found.bins[0].accuracy, found.bins[0].confidence), (None, None));
        assert_eq!((found.bins[4].low, found.bins[4].high), (0.8, 1.0));
    }

    #[test]
    fn an_upper_edge_belongs_to_its_bin() {
        for n_bins in [1, 3, 7, 10, 15, 49] {
            let edge = |b: usize| b as f64 / n_bins as f64;
            assert_eq!(bin_of(0.0, n_bins, edge), 0);
            for b in 0..n_bins {
                assert_eq!(bin_of(edge(b + 1), n_bins, edge), b, "{n_bins} bins");
                assert_eq!(bin_of(edge(b).next_up(), n_bins, edge), b, "{n_bins} bins");
            }
        }
    }

    #[test]
    fn perfect_and_hopeless_certainty_score_0_and_1() {
        let certain = rows(&[1.0, 1.0]);
        assert_eq!(calibration(&certain, 2, &[0, 0], N_BINS).unwrap().ece, 0.0);
        assert_eq!(calibration(&certain, 2, &[1, 1], N_BINS).unwrap().ece, 1.0);
    }

    /// Counts in proportion to probabilities give the slope that these have, whatever the intercept.
    #[test]
    fn the_slope_is_that_of_the_logits() {
        for (slope, shift) in [(1.0, 0.0), (0.5, 0.0), (1.8, 0.7)] {
            let (mut probabilities, mut labels) = (Vec::new(), Vec::new());
            for i in 1..20 {
                let p = f64::from(i) / 20.0;
                let truth = 1.0 / (1.0 + (-(shift + slope * (p / (1.0 - p)).ln())).exp());
                let ones = (1e5 * truth).round() as usize;
                probabilities.extend(std::iter::repeat_n(p, 100_000));
                labels.extend((0..100_000).map(|k| u32::from(k < ones)));
            }
            let found = calibration_slope(&probabilities, &labels).unwrap().unwrap();
            assert!((found - slope).abs() < 1e-4, "{found}, expected {slope}");
        }
    }

    #[test]
    fn without_a_finite_slope_there_is_none() {
        assert_eq!(calibration_slope(&[0.2, 0.8], &[0, 1]), Ok(None), "a threshold separates them");
        assert_eq!(calibration_slope(&[0.2, 0.8, 0.4], &[1, 1, 1]), Ok(None), "one class");
        assert_eq!(calibration_slope(&[0.3, 0.3, 0.3], &[0, 1, 1]), Ok(None), "one probability");
        assert!(calibration_slope(&[1.5], &[0]).is_err());
    }

    #[test]
    fn no_bins_and_too_many_are_refused() {
        for found in [0, MAX_BINS + 1, usize::MAX] {
            assert_eq!(calibration(&rows(&[1.0]), 2, &[0], found), Err(MetricError::Bins { found }));
        }
    }
}
