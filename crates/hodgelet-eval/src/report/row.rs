//! One fold, scored.

use super::{FoldRun, Predictions};
use crate::metrics::{self, LEVELS, MetricError};
use hodgelet::likelihood::Mixture;
use serde::{Deserialize, Serialize};

/// One fold of an evaluation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FoldRow {
    /// Which shuffle of the items, from 0.
    pub repeat: usize,
    /// Which fold of that shuffle, from 0.
    pub fold: usize,
    /// Number of training items.
    pub n_train: usize,
    /// Number of items set aside.
    pub n_validation: usize,
    /// Number of test items.
    pub n_test: usize,
    /// How well the test items were predicted.
    #[serde(flatten)]
    pub scores: Scores,
    /// ELBO at the end of training.
    pub elbo: f64,
    /// Iterations of the optimizer.
    pub iterations: usize,
    /// Evaluations of the objective.
    pub evaluations: usize,
    /// Time to train.
    pub fit_seconds: f64,
    /// Time to predict the test items.
    pub predict_seconds: f64,
}

/// Scores of one fold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Scores {
    /// Of a classification.
    Classes(ClassScores),
    /// Of a regression.
    Real(RealScores),
}

/// Scores of predicted classes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassScores {
    /// Share of right classes.
    pub accuracy: f64,
    /// Mean F1 score of the classes.
    pub macro_f1: f64,
    /// Mean negative log probability of the true classes.
    pub nll: f64,
    /// Mean squared distance of the probabilities from the truth.
    pub brier: f64,
    /// Area under the receiver operating characteristic; of two classes that both occur.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roc_auc: Option<f64>,
    /// Average precision of the second of two classes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub average_precision: Option<f64>,
}

/// Scores of predicted numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RealScores {
    /// Root mean squared error.
    pub rmse: f64,
    /// Mean absolute error.
    pub mae: f64,
    /// Share of the variance explained; absent with a single test item.
    pub r2: Option<f64>,
    /// Mean negative log density.
    pub nll: f64,
    /// Shares of truths inside central intervals.
    pub coverage: Vec<Coverage>,
}

/// Share of truths inside the central predictive interval of one level.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Coverage {
    /// Probability of the interval.
    pub level: f64,
    /// Share of truths inside; near `level` when calibrated.
    pub share: f64,
}

/// Width of the central predictive intervals of one level, with what they miss.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct IntervalScore {
    /// Probability of the interval.
    pub level: f64,
    /// Its score, in the unit of the target; the lower the better.
    pub score: f64,
}

impl FoldRow {
    /// The row of a fold; `n_classes` matters to a classification alone.
    ///
    /// # Errors
    ///
    /// [`MetricError`] when its predictions cannot be scored, or a number of the run is not finite.
    pub fn of(run: &FoldRun, n_classes: usize) -> Result<Self, MetricError> {
        let numbers =
            [("elbo", run.elbo), ("fit_seconds", run.fit_seconds), ("predict_seconds", run.predict_seconds)];
        for (what, value) in numbers {
            metrics::all_finite(what, &[value])?;
        }
        let (n_test, scores) = match &run.predictions {
            Predictions::Classes { probabilities, labels } => (
                labels.len(),
                Scores::Classes(class_scores(probabilities, n_classes, labels, run.decided.as_deref())?),
            ),
            Predictions::Real { densities, truth } => {
                (truth.len(), Scores::Real(real_scores(densities, truth)?))
            }
        };
        Ok(Self {
            repeat: run.repeat,
            fold: run.fold,
            n_train: run.n_train,
            n_validation: run.n_validation,
            n_test,
            scores,
            elbo: run.elbo,
            iterations: run.iterations,
            evaluations: run.evaluations,
            fit_seconds: run.fit_seconds,
            predict_seconds: run.predict_seconds,
        })
    }
}

impl Scores {
    /// The scores of a classification.
    #[must_use]
    pub fn classes(&self) -> Option<&ClassScores> {
        if let Self::Classes(scores) = self { Some(scores) } else { None }
    }

    /// The scores of a regression.
    #[must_use]
    pub fn real(&self) -> Option<&RealScores> {
        if let Self::Real(scores) = self { Some(scores) } else { None }
    }
}

/// A score of an order of items by their probabilities.
type Ranking = fn(&[f64], &[u32]) -> Result<Option<f64>, MetricError>;

fn class_scores(
    probabilities: &[f64],
    n_classes: usize,
    labels: &[u32],
    decided: Option<&[u32]>,
) -> Result<ClassScores, MetricError> {
    let nll = metrics::nll(probabilities, n_classes, labels)?;
    let most_probable = || metrics::predicted_classes(probabilities, n_classes);
    let predicted = decided.map_or_else(most_probable, |decided| Ok(decided.to_vec()))?;
    let second: Vec<f64> = probabilities.iter().skip(1).step_by(2).copied().collect();
    let ranked = |score: Ranking| match n_classes {
        2 => score(&second, labels),
        _ => Ok(None),
    };
    Ok(ClassScores {
        roc_auc: ranked(metrics::roc_auc)?,
        average_precision: ranked(metrics::average_precision)?,
        accuracy: metrics::accuracy(&predicted, labels)?,
        macro_f1: metrics::macro_f1(&predicted, labels)?,
        nll,
        brier: metrics::brier(probabilities, n_classes, labels)?,
    })
}

fn real_scores(densities: &[Mixture], truth: &[f64]) -> Result<RealScores, MetricError> {
    let mean: Vec<f64> = densities.iter().map(Mixture::mean).collect();
    Ok(RealScores {
        rmse: metrics::rmse(&mean, truth)?,
        mae: metrics::mae(&mean, truth)?,
        r2: if truth.len() < 2 { None } else { Some(metrics::r2(&mean, truth)?) },
        nll: metrics::density_nll(densities, truth)?,
        coverage: coverages(|level| metrics::coverage(densities, truth, level))?,
    })
}

/// The interval score at each reported level.
pub(super) fn interval_scores(
    score: impl Fn(f64) -> Result<f64, MetricError>,
) -> Result<Vec<IntervalScore>, MetricError> {
    LEVELS.iter().map(|&level| Ok(IntervalScore { level, score: score(level)? })).collect()
}

/// The coverage at each reported level.
pub(super) fn coverages(
    share: impl Fn(f64) -> Result<f64, MetricError>,
) -> Result<Vec<Coverage>, MetricError> {
    LEVELS.iter().map(|&level| Ok(Coverage { level, share: share(level)? })).collect()
}
