//! Does one model do better than another? Paired tests on scores from the same folds.
//!
//! Folds share training items, so that their scores are not independent and an ordinary t-test finds differences where
//! there are none. [`paired`] gives the corrected resampled t-test of Nadeau and Bengio, which allows for that, and the
//! sign and Wilcoxon tests, which assume less about the scores but, like the ordinary t-test, take folds as
//! independent: their p-values are too small, the more so over many repeats.
//!
//! ```
//! use hodgelet_eval::compare::paired;
//!
//! let (old, new) = ([0.80, 0.85, 0.75, 0.90], [0.85, 0.90, 0.85, 0.90]);
//! let found = paired(&old, &new, 1.0 / 9.0)?;
//! assert_eq!((found.better, found.equal, found.worse), (3, 1, 0));
//! assert!((found.sign_p - 0.25).abs() < 1e-12);
//! # Ok::<(), hodgelet_eval::metrics::MetricError>(())
//! ```

mod beta;
mod ranks;

#[cfg(test)]
mod golden;

use crate::metrics::{MetricError, all_finite, same_length};
use beta::incomplete_beta;
use serde::{Deserialize, Serialize};

/// Differences smaller than this part of the largest are rounding: shares of items differ by far more.
const TIE: f64 = 1e-10;

/// One model against another on the same folds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Number of folds.
    pub n: usize,
    /// Mean of second minus first.
    pub difference: f64,
    /// Folds in which the second score is higher.
    pub better: usize,
    /// Folds in which both are the same.
    pub equal: usize,
    /// Folds in which the second score is lower.
    pub worse: usize,
    /// The corrected resampled t-test; absent for a single fold, or where all differences are the same.
    pub corrected_t: Option<CorrectedT>,
    /// Two-sided p of the Wilcoxon signed-rank test; 1 where no fold differs.
    pub wilcoxon_p: f64,
    /// Two-sided p of the sign test; 1 where no fold differs.
    pub sign_p: f64,
}

/// The corrected resampled t-test of \[Nadeau03\].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CorrectedT {
    /// `d̄ / √((1/n + n_test/n_train) s²)`.
    pub t: f64,
    /// Degrees of freedom, `n − 1`.
    pub degrees: usize,
    /// Two-sided p.
    pub p: f64,
}

/// Compares the scores of two models on the same folds; `test_over_train` is the size of a test part over that of its
/// training part.
///
/// # Errors
///
/// [`MetricError`] when there are no folds, the lists differ in length, or a score or the ratio is not finite.
pub fn paired(first: &[f64], second: &[f64], test_over_train: f64) -> Result<Comparison, MetricError> {
    let n = first.len();
    if n == 0 {
        return Err(MetricError::Few { found: 0, least: 1 });
    }
    same_length("second score", second.len(), n)?;
    all_finite("first score", first)?;
    all_finite("second score", second)?;
    all_finite("test over train", &[test_over_train])?;
    let differences: Vec<f64> = first.iter().zip(second).map(|(a, b)| b - a).collect();
    all_finite("difference", &differences)?;
    let largest = differences.iter().fold(0.0, |top: f64, d| top.max(d.abs()));
    let moved: Vec<f64> = differences.iter().copied().filter(|d| d.abs() > TIE * largest).collect();
    let better = moved.iter().filter(|d| **d > 0.0).count();
    let worse = moved.len() - better;
    let difference = differences.iter().sum::<f64>() / n as f64;
    Ok(Comparison {
        n,
        difference,
        better,
        equal: n - moved.len(),
        worse,
        corrected_t: corrected_t(&differences, difference, largest, test_over_train.max(0.0)),
        wilcoxon_p: ranks::wilcoxon(&moved, TIE * largest),
        sign_p: sign(better, worse),
    })
}

fn corrected_t(differences: &[f64], mean: f64, largest: f64, ratio: f64) -> Option<CorrectedT> {
    let n = differences.len();
    if n < 2 || !mean.is_finite() {
        return None;
    }
    let deviation = (differences.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / (n - 1) as f64).sqrt();
    let error = deviation * (1.0 / n as f64 + ratio).sqrt();
    if deviation <= TIE * largest || !error.is_finite() || error == 0.0 {
        return None; // no spread to measure the mean by
    }
    let (t, degrees) = (mean / error, n - 1);
    Some(CorrectedT { t, degrees, p: student_two_sided(t, degrees as f64) })
}

/// `P(|T| ≥ |t|)` for Student's t with some degrees of freedom.
fn student_two_sided(t: f64, degrees: f64) -> f64 {
    // x = ν/(ν + t²); t² may overflow where the probability is 0
    incomplete_beta(degrees / (degrees + t * t), 0.5 * degrees, 0.5)
}

/// Two-sided sign test: `2 P(X ≤ min)` for `X` binomial with `better + worse` fair throws.
fn sign(better: usize, worse: usize) -> f64 {
    let (fewer, n) = (better.min(worse), better + worse);
    if n == 0 {
        return 1.0;
    }
    // P(X ≤ k) = I_½(n − k, k + 1)
    (2.0 * incomplete_beta(0.5, (n - fewer) as f64, fewer as f64 + 1.0)).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_correction_widens_the_error_by_the_share_of_the_test_part() {
        let (a, b) = ([0.5, 0.6, 0.7, 0.65], [0.6, 0.65, 0.8, 0.7]);
        let plain = paired(&a, &b, 0.0).unwrap().corrected_t.unwrap();
        let corrected = paired(&a, &b, 1.0 / 9.0).unwrap().corrected_t.unwrap();
        // (1/4) against (1/4 + 1/9)
        assert!((plain.t / corrected.t - (1.0 + 4.0f64 / 9.0).sqrt()).abs() < 1e-12);
        assert!(corrected.p > plain.p);
    }

    #[test]
    fn exchanging_the_models_changes_the_sign_alone() {
        let (a, b) = ([0.5, 0.6, 0.7, 0.65, 0.9], [0.6, 0.65, 0.6, 0.7, 0.9]);
        let (ab, ba) = (paired(&a, &b, 0.1).unwrap(), paired(&b, &a, 0.1).unwrap());
        assert_eq!((ab.better, ab.equal, ab.worse), (ba.worse, ba.equal, ba.better));
        assert!((ab.difference + ba.difference).abs() < 1e-15);
        let (t, s) = (ab.corrected_t.unwrap(), ba.corrected_t.unwrap());
        assert!((t.t + s.t).abs() < 1e-12 && (t.p - s.p).abs() < 1e-12);
        assert_eq!((ab.wilcoxon_p, ab.sign_p), (ba.wilcoxon_p, ba.sign_p));
    }

    #[test]
    fn equal_scores_are_no_evidence_and_equal_differences_have_no_spread() {
        let same = paired(&[0.5; 10], &[0.5; 10], 0.1).unwrap();
        assert_eq!((same.corrected_t, same.wilcoxon_p, same.sign_p, same.equal), (None, 1.0, 1.0, 10));
        // differences of 0.1 that rounding makes unequal
        let shifted = paired(&[0.1, 0.2, 0.3, 0.7], &[0.2, 0.3, 0.4, 0.8], 0.1).unwrap();
        assert_eq!((shifted.corrected_t, shifted.better), (None, 4));
        assert_eq!(shifted.wilcoxon_p, 0.125);
        assert!((shifted.sign_p - 0.125).abs() < 1e-14);
        assert_eq!(paired(&[0.5], &[0.7], 0.1).unwrap().corrected_t, None);
    }

    #[test]
    fn scores_that_cannot_be_compared_are_refused() {
        assert_eq!(paired(&[], &[], 0.1), Err(MetricError::Few { found: 0, least: 1 }));
        let short = MetricError::Length { what: "second score", found: 1, expected: 2 };
        assert_eq!(paired(&[0.1, 0.2], &[0.1], 0.1), Err(short));
        assert!(paired(&[f64::NAN], &[0.1], 0.1).is_err());
        assert!(paired(&[0.1], &[0.2], f64::INFINITY).is_err());
        assert!(paired(&[f64::MAX], &[-f64::MAX], 0.1).is_err());
    }
}
