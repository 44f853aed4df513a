//! Scores of predicted classes and their probabilities.

use super::{MetricError, labeled, same_length, some_items};

/// The most probable class of each item, the first where several are.
///
/// # Errors
///
/// [`MetricError`] when the rows are not probabilities.
pub fn predicted_classes(probabilities: &[f64], n_classes: usize) -> Result<Vec<u32>, MetricError> {
    let n_items = probabilities.len() / n_classes.max(1);
    super::distributions(probabilities, n_items, n_classes)?;
    Ok(probabilities.chunks_exact(n_classes.max(1)).map(|row| top(row).0).collect())
}

/// The first most probable class of a row, and its probability.
pub(super) fn top(row: &[f64]) -> (u32, f64) {
    let mut best = (0, f64::NEG_INFINITY);
    for (class, &p) in (0..).zip(row) {
        if p > best.1 {
            best = (class, p);
        }
    }
    best
}

/// Share of items whose predicted class is the true one.
///
/// # Errors
///
/// [`MetricError`] when there are no items or the lists differ in length.
pub fn accuracy(predicted: &[u32], labels: &[u32]) -> Result<f64, MetricError> {
    some_items(labels.len())?;
    same_length("predicted classes", predicted.len(), labels.len())?;
    let hits = predicted.iter().zip(labels).filter(|(p, l)| p == l).count();
    Ok(hits as f64 / labels.len() as f64)
}

/// Mean of the F1 scores of the classes, each counting the same.
///
/// The score of a class is `2 tp / (2 tp + fp + fn)`. A class that neither occurs nor is predicted has none and
/// is skipped, as in scikit-learn.
///
/// # Errors
///
/// [`MetricError`] when there are no items or the lists differ in length.
pub fn macro_f1(predicted: &[u32], labels: &[u32]) -> Result<f64, MetricError> {
    some_items(labels.len())?;
    same_length("predicted classes", predicted.len(), labels.len())?;
    // class → (right, predicted + occurring), in the order of classes so that the sum is always the same
    let mut counts = std::collections::BTreeMap::<u32, (usize, usize)>::new();
    for (&predicted, &label) in predicted.iter().zip(labels) {
        counts.entry(predicted).or_default().1 += 1;
        let of_label = counts.entry(label).or_default();
        of_label.1 += 1;
        of_label.0 += usize::from(predicted == label);
    }
    let total: f64 = counts.values().map(|&(right, both)| 2.0 * right as f64 / both as f64).sum();
    Ok(total / counts.len() as f64)
}

/// Mean of `−ln p` of the true classes, in nats.
///
/// A probability of 0 would make it infinite; it counts as the smallest positive normal number, 708.4 nats.
///
/// # Errors
///
/// [`MetricError`] when the rows are not probabilities or the labels none of their classes.
pub fn nll(probabilities: &[f64], n_classes: usize, labels: &[u32]) -> Result<f64, MetricError> {
    labeled(probabilities, n_classes, labels)?;
    let of_truth = labels.iter().enumerate().map(|(i, &c)| probabilities[i * n_classes + c as usize]);
    let total: f64 = of_truth.map(|p| 0.0 - p.max(f64::MIN_POSITIVE).ln()).sum(); // 0 − 0 is not −0
    Ok(total / labels.len() as f64)
}

/// Mean over items of `Σ_c (p_c − [c is the true class])²`, from 0 to 2.
///
/// For two classes this is twice the score of the one class alone.
///
/// # Errors
///
/// [`MetricError`] when the rows are not probabilities or the labels none of their classes.
pub fn brier(probabilities: &[f64], n_classes: usize, labels: &[u32]) -> Result<f64, MetricError> {
    labeled(probabilities, n_classes, labels)?;
    let mut total = 0.0;
    for (row, &label) in probabilities.chunks_exact(n_classes).zip(labels) {
        for (class, &p) in (0..).zip(row) {
            total += (p - f64::from(u8::from(class == label))).powi(2);
        }
    }
    Ok(total / labels.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use MetricError::*;

    #[test]
    fn ties_go_to_the_first_class() {
        assert_eq!(predicted_classes(&[0.5, 0.5, 0.2, 0.8, 0.9, 0.1], 2).unwrap(), [0, 1, 0]);
    }

    #[test]
    fn f1_skips_classes_that_neither_occur_nor_are_predicted() {
        // class 0: tp 1, fn 1 → 2/3; class 7: predicted once, never right → 0; class 2: 1
        let found = macro_f1(&[0, 7, 2], &[0, 0, 2]).unwrap();
        assert!((found - (2.0 / 3.0 + 0.0 + 1.0) / 3.0).abs() < 1e-15);
    }

    #[test]
    fn certain_predictions_score_0_when_right_and_are_bounded_when_wrong() {
        let certain = [1.0, 0.0];
        assert_eq!((nll(&certain, 2, &[0]), brier(&certain, 2, &[0])), (Ok(0.0), Ok(0.0)));
        assert_eq!(nll(&certain, 2, &[1]), Ok(-f64::MIN_POSITIVE.ln()));
        assert!((nll(&certain, 2, &[1]).unwrap() - 708.396).abs() < 1e-3);
        assert_eq!(brier(&certain, 2, &[1]), Ok(2.0));
    }

    #[test]
    fn an_even_guess_costs_the_logarithm_of_the_number_of_classes() {
        let even = [0.25; 8];
        assert!((nll(&even, 4, &[0, 3]).unwrap() - 4f64.ln()).abs() < 1e-15);
        assert_eq!(brier(&even, 4, &[0, 3]), Ok(0.75));
    }

    #[test]
    fn lists_that_do_not_fit_are_refused() {
        assert_eq!(accuracy(&[], &[]), Err(Few { found: 0, least: 1 }));
        assert_eq!(macro_f1(&[], &[]), Err(Few { found: 0, least: 1 }));
        assert_eq!(predicted_classes(&[], 0), Err(Few { found: 0, least: 1 }));
        let length = |what, found, expected| Err(Length { what, found, expected });
        assert_eq!(accuracy(&[1], &[1, 2]), length("predicted classes", 1, 2));
        assert_eq!(macro_f1(&[1], &[1, 2]), length("predicted classes", 1, 2));
        assert_eq!(nll(&[0.5, 0.5], 2, &[0, 1]), length("probabilities", 2, 4));
        assert_eq!(
            predicted_classes(&[0.5, 0.5, 1.0], 2),
            Err(Length { what: "probabilities", found: 3, expected: 2 })
        );
        assert_eq!(nll(&[], 0, &[0]), Err(Label { index: 0, label: 0, classes: 0 }));
    }

    #[test]
    fn rows_that_are_no_distribution_are_refused() {
        let found = nll(&[0.5, 0.5, f64::NAN, 1.0], 2, &[0, 0]);
        assert!(matches!(found, Err(Probability { item: 1, class: 0, value }) if value.is_nan()));
        let negative = brier(&[1.25, -0.25], 2, &[0]);
        assert_eq!(negative, Err(Probability { item: 0, class: 0, value: 1.25 }));
        assert_eq!(brier(&[0.5, 0.25], 2, &[0]), Err(Sum { item: 0, sum: 0.75 }));
        assert_eq!(brier(&[0.5, 0.5], 2, &[2]), Err(Label { index: 0, label: 2, classes: 2 }));
    }
}
