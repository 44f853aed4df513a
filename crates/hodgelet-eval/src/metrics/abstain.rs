//! Abstention: how errors fall when only the most confident predictions are kept.

use super::{MetricError, all_finite, same_length, some_items};
use serde::{Deserialize, Serialize};

/// Shares of the predictions whose errors are reported.
pub const SHARES: [f64; 4] = [1.0, 0.9, 0.75, 0.5];

/// Errors for which the threshold of abstention is reported, where classes are predicted.
pub const TARGET_ERRORS: [f64; 3] = [0.1, 0.05, 0.01];

/// The most confident predictions; equally confident ones are kept together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    /// Share of the predictions, at least, that was to be kept.
    pub share: f64,
    /// How many are kept.
    pub kept: usize,
    /// The least confidence among them.
    pub threshold: f64,
    /// Their mean loss.
    pub risk: f64,
}

/// The abstention that an error asks for.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Abstention {
    /// The error that is not to be exceeded.
    pub target_error: f64,
    /// The most predictions that can be kept; none if even the most confident ones err more.
    pub kept: Option<Kept>,
}

/// The losses of the most confident predictions, for each of [`SHARES`].
///
/// # Errors
///
/// [`MetricError`] when the lists are empty, differ in length or hold numbers that are not finite.
pub fn risk_coverage(confidence: &[f64], losses: &[f64]) -> Result<Vec<Kept>, MetricError> {
    let cuts = cuts(confidence, losses)?;
    let n = losses.len() as f64;
    let at =
        |share: f64| cuts.iter().find(|cut| cut.kept as f64 >= share * n).map(|cut| Kept { share, ..*cut });
    Ok(SHARES.into_iter().filter_map(at).collect())
}

/// The largest share of the predictions whose mean loss is at most `target`: below its threshold one abstains.
///
/// The threshold is chosen on the predictions it is judged by, which should be of held-out items, and is an estimate: on
/// new items the loss may be larger.
///
/// # Errors
///
/// As [`risk_coverage`]; [`MetricError::NotFinite`] for a target that is not a number.
pub fn abstention(confidence: &[f64], losses: &[f64], target: f64) -> Result<Abstention, MetricError> {
    all_finite("target error", &[target])?;
    let cuts = cuts(confidence, losses)?;
    let kept = cuts.into_iter().rfind(|cut| cut.risk <= target);
    Ok(Abstention { target_error: target, kept })
}

/// What can be kept, from the most confident predictions to all.
fn cuts(confidence: &[f64], losses: &[f64]) -> Result<Vec<Kept>, MetricError> {
    some_items(losses.len())?;
    same_length("confidence", confidence.len(), losses.len())?;
    all_finite("confidence", confidence)?;
    all_finite("loss", losses)?;
    let mut order: Vec<usize> = (0..losses.len()).collect();
    order.sort_by(|&a, &b| confidence[b].total_cmp(&confidence[a]));
    let (mut total, mut cuts) = (0.0, Vec::new());
    for (place, &i) in order.iter().enumerate() {
        total += losses[i];
        let threshold = confidence[i];
        let is_last = order.get(place + 1).is_none_or(|&next| confidence[next] < threshold);
        if is_last {
            let kept = place + 1;
            cuts.push(Kept {
                share: kept as f64 / losses.len() as f64,
                kept,
                threshold,
                risk: total / kept as f64,
            });
        }
    }
    Ok(cuts)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIDENCE: [f64; 8] = [0.9, 0.5, 0.8, 0.99, 0.6, 0.8, 0.7, 0.55];
    const LOSSES: [f64; 8] = [0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0];

    #[test]
    fn the_most_confident_share_is_kept_with_its_equals() {
        let found = risk_coverage(&CONFIDENCE, &LOSSES).unwrap();
        let kept = |share, kept, threshold, risk| Kept { share, kept, threshold, risk };
        assert_eq!(
            found,
            [
                kept(1.0, 8, 0.5, 0.375),
                kept(0.9, 8, 0.5, 0.375),
                kept(0.75, 6, 0.6, 2.0 / 6.0),
                kept(0.5, 4, 0.8, 0.25)
            ]
        );
        // Half of four equals are all of them.
        assert_eq!(risk_coverage(&[0.7; 4], &[0.0, 1.0, 0.0, 1.0]).unwrap()[3], kept(0.5, 4, 0.7, 0.5));
    }

    #[test]
    fn the_threshold_keeps_the_most_that_a_target_allows() {
        let at = |target| {
            abstention(&CONFIDENCE, &LOSSES, target).unwrap().kept.map(|kept| (kept.kept, kept.threshold))
        };
        assert_eq!(at(0.4), Some((8, 0.5)));
        assert_eq!(at(0.3), Some((7, 0.55)));
        assert_eq!(at(0.22), Some((5, 0.7)));
        assert_eq!(at(0.0), Some((2, 0.9)));
        assert_eq!(abstention(&[0.5, 0.9], &[0.0, 1.0], 0.1).unwrap().kept, None);
    }

    #[test]
    fn what_cannot_be_kept_is_an_error() {
        assert_eq!(risk_coverage(&[], &[]), Err(MetricError::Few { found: 0, least: 1 }));
        assert!(matches!(risk_coverage(&[f64::NAN], &[0.0]), Err(MetricError::NotFinite { .. })));
        assert!(matches!(risk_coverage(&[0.5], &[0.0, 1.0]), Err(MetricError::Length { .. })));
        assert!(matches!(abstention(&[0.5], &[0.0], f64::NAN), Err(MetricError::NotFinite { .. })));
    }
}
