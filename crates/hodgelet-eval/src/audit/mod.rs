//! Test graphs that training has seen, and what a score is without them.
//!
//! [`fingerprints`] groups graphs that look alike; [`Audit::of`] compares the test part of every split with its training
//! part by these groups, and scores the predictions on the graphs seen and on the others.

mod colors;
mod fingerprint;
mod folds;

pub use colors::{Duplicates, duplicates};
pub use fingerprint::{Fingerprints, fingerprints};
pub use folds::{FoldAudit, Score};

use crate::metrics::{MetricError, Summary};
use crate::report::FoldRun;
use crate::splits::Split;
use hodgelet::dataset::{Dataset, Targets};
use hodgelet::model::ModelError;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// What an audit found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Audit {
    /// The groups of graphs that look alike.
    pub fingerprints: Fingerprints,
    /// What is scored.
    pub score: Score,
    /// Over all test graphs, summed up over folds.
    pub all: Summary,
    /// Over test graphs that do not resemble any training graph; absent where there are none.
    pub without: Option<Summary>,
    /// Share of test graphs that resemble one in training.
    pub seen_share: f64,
    /// Share of test graphs that resemble one in training with another target.
    pub contradicted_share: f64,
    /// Each fold.
    pub folds: Vec<FoldAudit>,
}

/// Why an audit ended early.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AuditError {
    /// Graphs have no features.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A fold cannot be scored.
    #[error(transparent)]
    Metric(#[from] MetricError),
}

impl Audit {
    /// Audits the runs of a model on `splits`, by the groups and the facts that [`fingerprints`] returned.
    ///
    /// # Errors
    ///
    /// [`AuditError::Metric`] when a fold cannot be scored.
    pub fn of(
        dataset: &Dataset,
        (groups, fingerprints): (&[usize], Fingerprints),
        splits: &[Split],
        runs: &[FoldRun],
    ) -> Result<Self, AuditError> {
        let fold = |(split, run)| FoldAudit::of(groups, dataset.targets(), split, run);
        let folds = splits.iter().zip(runs).map(fold).collect::<Result<Vec<_>, _>>()?;
        let without: Vec<f64> = folds.iter().filter_map(|fold| fold.without).collect();
        Ok(Self {
            fingerprints,
            score: if matches!(dataset.targets(), Targets::Real(_)) { Score::Rmse } else { Score::Accuracy },
            all: Summary::of(&folds.iter().map(|fold| fold.all).collect::<Vec<_>>())?,
            without: Summary::of(&without).ok(),
            seen_share: share(&folds, |fold| fold.seen),
            contradicted_share: share(&folds, |fold| fold.contradicted),
            folds,
        })
    }
}

fn share(folds: &[FoldAudit], count: fn(&FoldAudit) -> usize) -> f64 {
    let tested: usize = folds.iter().map(|fold| fold.test).sum();
    folds.iter().map(count).sum::<usize>() as f64 / tested.max(1) as f64
}

/// Number of different groups.
fn distinct(groups: &[usize]) -> usize {
    groups.iter().collect::<std::collections::HashSet<_>>().len()
}

/// Members of each group.
fn members(groups: &[usize]) -> HashMap<usize, Vec<usize>> {
    let mut members: HashMap<usize, Vec<usize>> = HashMap::new();
    groups.iter().enumerate().for_each(|(i, &group)| members.entry(group).or_default().push(i));
    members
}

/// Items in groups whose members have different targets.
fn contradicting(groups: &[usize], targets: &Targets) -> usize {
    let groups = members(groups);
    let mixed = groups.values().filter(|group| group.iter().any(|&i| differs(targets, group[0], i)));
    mixed.map(Vec::len).sum()
}

/// Whether two items have different targets.
fn differs(targets: &Targets, a: usize, b: usize) -> bool {
    match targets {
        Targets::None => false,
        Targets::Classes { labels, .. } => labels[a] != labels[b],
        Targets::Real(values) => values[a] != values[b],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Predictions;
    use hodgelet::complex::Complex;
    use std::ops::ControlFlow;

    #[test]
    fn shares_are_of_all_test_graphs() {
        // Paths 0, 1 and 2 look alike, and triangles 3 and 4.
        let edges: [&[[u32; 2]]; 2] = [&[[0, 1], [1, 2]], &[[0, 1], [1, 2], [0, 2]]];
        let graph = |shape: usize| Complex::graph(3, edges[shape]).unwrap();
        let (complexes, targets) = ([0, 0, 0, 1, 1].map(graph), Targets::Real(vec![1.0, 1.0, 2.0, 3.0, 3.0]));
        let dataset = Dataset::new("shapes", complexes.to_vec(), vec![], targets).unwrap();
        let (groups, found) = fingerprints(&dataset, |_| ControlFlow::Continue(())).unwrap();
        let parts = [(vec![0, 1], vec![2, 3]), (vec![2, 3, 4], vec![0, 1])];
        let splits =
            (0..).zip(parts).map(|(fold, (train, test))| Split { fold, train, test, ..Split::default() });
        let splits: Vec<Split> = splits.collect();
        let run = |split: &Split| FoldRun {
            repeat: 0,
            fold: split.fold,
            n_train: split.train.len(),
            n_validation: 0,
            elbo: 0.0,
            iterations: 0,
            evaluations: 0,
            fit_seconds: 0.0,
            predict_seconds: 0.0,
            predictions: Predictions::Real {
                densities: vec![hodgelet::likelihood::Mixture::normal(1.0, 1.0); 2],
                truth: vec![1.0, 3.0],
            },
            decided: None,
            kind: Default::default(),
        };
        let runs: Vec<FoldRun> = splits.iter().map(run).collect();
        let audit = Audit::of(&dataset, (&groups, found), &splits, &runs).unwrap();
        assert_eq!((audit.score, audit.fingerprints.distinct), (Score::Rmse, 2));
        assert_eq!((audit.seen_share, audit.contradicted_share), (0.75, 0.75));
        assert_eq!(audit.folds[0].without, Some(2.0), "the triangle was not seen");
        assert_eq!(audit.without.unwrap().n, 1);
    }
}
