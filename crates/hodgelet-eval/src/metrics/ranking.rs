//! Scores of an order: how far up the items of one class stand.

use super::{MetricError, all_finite, same_length, some_items};

/// Area under the receiver operating characteristic: the probability that an item of class 1 has a higher score than one of
/// class 0, ties counted half. `None` when one of the two classes does not occur.
///
/// # Errors
///
/// [`MetricError`] when there are no items, the lists differ in length, or a score is not finite.
pub fn roc_auc(scores: &[f64], labels: &[u32]) -> Result<Option<f64>, MetricError> {
    let runs = runs(scores, labels)?;
    let (positives, negatives) = totals(&runs);
    if positives == 0.0 || negatives == 0.0 {
        return Ok(None);
    }
    let (mut above, mut area) = (0.0, 0.0);
    for (hits, misses) in runs {
        area += misses * (above + 0.5 * hits);
        above += hits;
    }
    Ok(Some(area / (positives * negatives)))
}

/// Average precision: the mean over the items of class 1 of the share of class 1 among those with at least their score.
/// `None` when class 1 does not occur.
///
/// # Errors
///
/// As [`roc_auc`].
pub fn average_precision(scores: &[f64], labels: &[u32]) -> Result<Option<f64>, MetricError> {
    let runs = runs(scores, labels)?;
    let (positives, _) = totals(&runs);
    let (mut hits_so_far, mut seen, mut sum) = (0.0, 0.0, 0.0);
    for (hits, misses) in runs {
        hits_so_far += hits;
        seen += hits + misses;
        sum += hits * hits_so_far / seen;
    }
    Ok((positives > 0.0).then(|| sum / positives))
}

/// Items with equal scores, from the highest score down: those of class 1 and the others.
fn runs(scores: &[f64], labels: &[u32]) -> Result<Vec<(f64, f64)>, MetricError> {
    some_items(labels.len())?;
    same_length("scores", scores.len(), labels.len())?;
    all_finite("scores", scores)?;
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_unstable_by(|&a, &b| scores[b].total_cmp(&scores[a]));
    let count = |run: &[usize]| {
        let hits = run.iter().filter(|&&i| labels[i] == 1).count() as f64;
        (hits, run.len() as f64 - hits)
    };
    Ok(order.chunk_by(|&a, &b| scores[a] == scores[b]).map(count).collect())
}

fn totals(runs: &[(f64, f64)]) -> (f64, f64) {
    runs.iter().fold((0.0, 0.0), |(p, n), (hits, misses)| (p + hits, n + misses))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against the definitions, pair by pair and item by item, with ties.
    #[test]
    fn scores_are_those_of_the_definitions() {
        let scores: Vec<f64> = (0..60).map(|i| ((i * 37 % 23) as f64 / 7.0).round()).collect();
        let labels: Vec<u32> = (0..60).map(|i| u32::from((i * i + i / 5) % 3 == 0)).collect();
        let (mut wins, mut pairs) = (0.0, 0.0);
        let mut precisions = Vec::new();
        for (a, _) in labels.iter().enumerate().filter(|(_, l)| **l == 1) {
            for (b, _) in labels.iter().enumerate().filter(|(_, l)| **l == 0) {
                pairs += 1.0;
                wins += if scores[a] > scores[b] {
                    1.0
                } else if scores[a] == scores[b] {
                    0.5
                } else {
                    0.0
                };
            }
            let above: Vec<usize> = (0..60).filter(|&i| scores[i] >= scores[a]).collect();
            let hits = above.iter().filter(|&&i| labels[i] == 1).count();
            precisions.push(hits as f64 / above.len() as f64);
        }
        let found = roc_auc(&scores, &labels).unwrap().unwrap();
        assert!((found - wins / pairs).abs() < 1e-14);
        let expected = precisions.iter().sum::<f64>() / precisions.len() as f64;
        assert!((average_precision(&scores, &labels).unwrap().unwrap() - expected).abs() < 1e-14);
    }

    #[test]
    fn perfect_reversed_and_missing_classes() {
        let (scores, labels) = ([0.9, 0.8, 0.3, 0.1], [1, 1, 0, 0]);
        assert_eq!(roc_auc(&scores, &labels), Ok(Some(1.0)));
        assert_eq!(average_precision(&scores, &labels), Ok(Some(1.0)));
        assert_eq!(roc_auc(&scores, &[0, 0, 1, 1]), Ok(Some(0.0)));
        assert_eq!(roc_auc(&[0.5; 4], &labels), Ok(Some(0.5)));
        assert_eq!(average_precision(&[0.5; 4], &labels), Ok(Some(0.5)));
        assert_eq!(roc_auc(&scores, &[0; 4]), Ok(None));
        assert_eq!(average_precision(&scores, &[0; 4]), Ok(None));
        assert!(roc_auc(&[f64::NAN], &[1]).is_err() && roc_auc(&[], &[]).is_err());
        assert!(roc_auc(&[0.1], &[1, 0]).is_err());
    }
}
