//! One fold: which of its test graphs training has seen, and the score with and without them.

use super::differs;
use crate::metrics::{MetricError, accuracy, predicted_classes, rmse};
use crate::report::{FoldRun, Predictions};
use crate::splits::Split;
use hodgelet::dataset::Targets;
use hodgelet::likelihood::Mixture;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// What is scored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Score {
    /// Share of right classes.
    Accuracy,
    /// Root mean squared error.
    Rmse,
}

impl Score {
    /// Name in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Accuracy => "accuracy",
            Self::Rmse => "rmse",
        }
    }
}

/// What training shows of each test graph, in the order of the test part.
#[derive(Debug)]
struct Seen {
    /// Whether a training graph looks alike.
    seen: Vec<bool>,
    /// Whether one does and has another target.
    contradicted: Vec<bool>,
}

impl Seen {
    /// Compares the test part of a split with its training part.
    fn of(groups: &[usize], targets: &Targets, split: &Split) -> Self {
        let mut trained: HashMap<usize, Vec<usize>> = HashMap::new();
        split.train.iter().for_each(|&i| trained.entry(groups[i]).or_default().push(i));
        let twins = |i: &usize| trained.get(&groups[*i]);
        let differing =
            |i: &usize| twins(i).is_some_and(|twins| twins.iter().any(|&t| differs(targets, *i, t)));
        Self {
            seen: split.test.iter().map(|i| twins(i).is_some()).collect(),
            contradicted: split.test.iter().map(differing).collect(),
        }
    }
}

/// One fold with and without the graphs that training has seen.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FoldAudit {
    /// The fold, from 0.
    pub fold: usize,
    /// Test graphs.
    pub test: usize,
    /// Those that look like a training graph.
    pub seen: usize,
    /// Those that look like one with another target.
    pub contradicted: usize,
    /// Score on all test graphs.
    pub all: f64,
    /// Score on those not seen; absent if there are none.
    pub without: Option<f64>,
    /// Score on those seen; absent if there are none.
    pub on_seen: Option<f64>,
}

impl FoldAudit {
    /// Scores the run of a split on all of its test graphs, on those that look like a training graph, and on the others;
    /// `groups` has the group of each graph of the dataset.
    ///
    /// # Errors
    ///
    /// [`MetricError`] when the predictions cannot be scored.
    pub fn of(
        groups: &[usize],
        targets: &Targets,
        split: &Split,
        run: &FoldRun,
    ) -> Result<Self, MetricError> {
        Self::scored(run, &Seen::of(groups, targets, split))
    }

    fn scored(run: &FoldRun, seen: &Seen) -> Result<Self, MetricError> {
        let part = |wanted: Option<bool>| -> Vec<usize> {
            let is_in = |i: &usize| wanted.is_none_or(|wanted| seen.seen[*i] == wanted);
            (0..seen.seen.len()).filter(is_in).collect()
        };
        let count = |flags: &[bool]| flags.iter().filter(|flag| **flag).count();
        let some = |part: Vec<usize>| match part.is_empty() {
            true => Ok(None),
            false => score(&run.predictions, &part).map(Some),
        };
        Ok(Self {
            fold: run.fold,
            test: seen.seen.len(),
            seen: count(&seen.seen),
            contradicted: count(&seen.contradicted),
            all: score(&run.predictions, &part(None))?,
            without: some(part(Some(false)))?,
            on_seen: some(part(Some(true)))?,
        })
    }
}

/// Accuracy or RMSE on some of the test items.
fn score(predictions: &Predictions, part: &[usize]) -> Result<f64, MetricError> {
    match predictions {
        Predictions::Classes { probabilities, labels } => {
            let n_classes = probabilities.len() / labels.len().max(1);
            let found = predicted_classes(probabilities, n_classes)?;
            let pick = |of: &[u32]| -> Vec<u32> { part.iter().map(|&i| of[i]).collect() };
            accuracy(&pick(&found), &pick(labels))
        }
        Predictions::Real { densities, truth } => {
            let mean: Vec<f64> = densities.iter().map(Mixture::mean).collect();
            let pick = |of: &[f64]| -> Vec<f64> { part.iter().map(|&i| of[i]).collect() };
            rmse(&pick(&mean), &pick(truth))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twins_are_looked_for_in_the_training_part_alone() {
        let targets = Targets::Classes { names: vec![], labels: vec![0, 1, 0, 0, 1] };
        let split = Split { train: vec![0, 4], validation: vec![1], test: vec![2, 3], ..Split::default() };
        // 2 is like 0 (same class) and 4 (another class); 3 is like 1 alone, which is set aside
        let seen = Seen::of(&[7, 8, 7, 8, 7], &targets, &split);
        assert_eq!((seen.seen, seen.contradicted), (vec![true, false], vec![true, false]));
    }

    #[test]
    fn scores_are_taken_on_each_part() {
        let run = FoldRun {
            repeat: 0,
            fold: 3,
            n_train: 1,
            n_validation: 0,
            elbo: 0.0,
            iterations: 0,
            evaluations: 0,
            fit_seconds: 0.0,
            predict_seconds: 0.0,
            predictions: Predictions::Classes {
                probabilities: vec![0.9, 0.1, 0.2, 0.8, 0.7, 0.3, 0.6, 0.4],
                labels: vec![0, 1, 1, 1],
            },
            decided: None,
            kind: Default::default(),
        };
        let seen = Seen { seen: vec![true, true, false, true], contradicted: vec![false; 4] };
        let found = FoldAudit::scored(&run, &seen).unwrap();
        assert_eq!((found.fold, found.test, found.seen, found.contradicted), (3, 4, 3, 0));
        assert_eq!((found.all, found.without, found.on_seen), (0.5, Some(0.0), Some(2.0 / 3.0)));
        let none = Seen { seen: vec![true; 4], contradicted: vec![true; 4] };
        assert_eq!(FoldAudit::scored(&run, &none).unwrap().without, None);
    }
}
