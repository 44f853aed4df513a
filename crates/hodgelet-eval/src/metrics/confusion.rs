//! Which classes are taken for which, and what follows from it.

use super::{MetricError, same_length, some_items};
use serde::{Deserialize, Serialize};

/// Numbers of items by true and predicted class.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Confusion {
    /// `[true class][predicted class]`.
    counts: Vec<Vec<usize>>,
}

/// How well one class is found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassRow {
    /// Items of the class.
    pub items: usize,
    /// Items that were taken for it.
    pub predicted: usize,
    /// Share of the class among those that were taken for it; none if there are none.
    pub precision: Option<f64>,
    /// Share of the class that was found; none if it does not occur.
    pub recall: Option<f64>,
}

impl Confusion {
    /// Counts items.
    ///
    /// # Errors
    ///
    /// [`MetricError`] when there are no items, the lists differ in length, or a class is not below `n_classes`.
    pub fn of(predicted: &[u32], labels: &[u32], n_classes: usize) -> Result<Self, MetricError> {
        some_items(labels.len())?;
        same_length("predicted classes", predicted.len(), labels.len())?;
        let mut counts = vec![vec![0; n_classes]; n_classes];
        for (index, (&p, &l)) in predicted.iter().zip(labels).enumerate() {
            let class = |label: u32| match (label as usize) < n_classes {
                true => Ok(label as usize),
                false => Err(MetricError::Label { index, label, classes: n_classes }),
            };
            counts[class(l)?][class(p)?] += 1;
        }
        Ok(Self { counts })
    }

    /// The sum of several; none of none.
    #[must_use]
    pub fn pooled(all: &[Self]) -> Option<Self> {
        let mut sum = all.first()?.clone();
        for other in &all[1..] {
            for (row, more) in sum.counts.iter_mut().zip(&other.counts) {
                row.iter_mut().zip(more).for_each(|(count, more)| *count += more);
            }
        }
        Some(sum)
    }

    /// Numbers of items, `[true class][predicted class]`.
    #[must_use]
    pub fn counts(&self) -> &[Vec<usize>] {
        &self.counts
    }

    /// How well each class is found.
    #[must_use]
    pub fn rows(&self) -> Vec<ClassRow> {
        let share = |part: usize, whole: usize| (whole > 0).then(|| part as f64 / whole as f64);
        let row = |c: usize| {
            let items = self.counts[c].iter().sum();
            let predicted = self.counts.iter().map(|row| row[c]).sum();
            let right = self.counts[c][c];
            ClassRow { items, predicted, precision: share(right, predicted), recall: share(right, items) }
        };
        (0..self.counts.len()).map(row).collect()
    }

    /// Mean over the classes that occur of the share of each that was found.
    #[must_use]
    pub fn balanced_accuracy(&self) -> f64 {
        let recalls: Vec<f64> = self.rows().iter().filter_map(|row| row.recall).collect();
        recalls.iter().sum::<f64>() / recalls.len().max(1) as f64
    }

    /// Matthews' correlation coefficient, for any number of classes, from −1 to 1; 0 where all items are of one class or
    /// taken for one.
    #[must_use]
    pub fn mcc(&self) -> f64 {
        let rows = self.rows();
        let n: f64 = rows.iter().map(|row| row.items as f64).sum();
        let right: f64 = (0..rows.len()).map(|c| self.counts[c][c] as f64).sum();
        let sum = |of: fn(&ClassRow) -> f64| rows.iter().map(of).sum::<f64>();
        let both = sum(|row| row.items as f64 * row.predicted as f64);
        let items = sum(|row| (row.items as f64).powi(2));
        let predicted = sum(|row| (row.predicted as f64).powi(2));
        let scale = ((n * n - items) * (n * n - predicted)).sqrt();
        if scale > 0.0 { (right * n - both) / scale } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By scikit-learn 1.9.1: `balanced_accuracy_score`, `matthews_corrcoef`.
    #[test]
    fn scores_are_those_of_scikit_learn() {
        let (labels, predicted) = ([0, 0, 0, 1, 1, 2, 2, 2, 2, 2], [0, 0, 1, 1, 2, 2, 2, 2, 0, 1]);
        let found = Confusion::of(&predicted, &labels, 3).unwrap();
        assert_eq!(found.counts(), [[2, 1, 0], [0, 1, 1], [1, 1, 3]]);
        assert!((found.balanced_accuracy() - 0.588_888_888_888_888_8).abs() < 1e-14);
        assert!((found.mcc() - 0.390_815_874_675_451_5).abs() < 1e-14, "{}", found.mcc());
        let row = found.rows()[2];
        assert_eq!((row.precision, row.recall, row.items, row.predicted), (Some(0.75), Some(0.6), 5, 4));
    }

    /// `(tp tn − fp fn) / √((tp + fp)(tp + fn)(tn + fp)(tn + fn))`.
    #[test]
    fn with_two_classes_it_is_the_usual_formula() {
        let (labels, predicted) = ([1, 1, 1, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0, 1]);
        let found = Confusion::of(&predicted, &labels, 2).unwrap().mcc();
        let (tp, tn, fp, fn_) = (2.0, 3.0, 1.0, 1.0);
        let expected = (tp * tn - fp * fn_) / f64::sqrt((tp + fp) * (tp + fn_) * (tn + fp) * (tn + fn_));
        assert!((found - expected).abs() < 1e-15);
    }

    #[test]
    fn classes_that_do_not_occur_have_no_scores() {
        let found = Confusion::of(&[0, 0, 1], &[0, 0, 0], 3).unwrap();
        assert!((found.balanced_accuracy() - 2.0 / 3.0).abs() < 1e-15);
        assert_eq!(found.mcc(), 0.0);
        assert_eq!((found.rows()[1].precision, found.rows()[1].recall), (Some(0.0), None));
        assert_eq!(found.rows()[2].precision, None);
        assert!(Confusion::of(&[], &[], 2).is_err() && Confusion::of(&[2], &[0], 2).is_err());
        assert!(Confusion::of(&[0, 1], &[0], 2).is_err());
    }
}
