//! An evaluation as one value: what was run, how each fold went, and the scores over all of them.
//!
//! [`Evaluation::of`] takes the folds with their predictions; the result writes itself as JSON and is drawn by
//! [`reliability_svg`] and [`scores_svg`]. Several evaluations side by side are drawn by [`bars_svg`] and [`lines_svg`].

mod chart;
mod kind;
mod memory;
mod plot;
mod row;

pub use chart::{Point, Series, bars_svg, lines_svg};
pub use kind::ModelKind;
pub use memory::peak_memory_mb;
pub use plot::{reliability_svg, scores_svg};
pub use row::{ClassScores, Coverage, FoldRow, IntervalScore, RealScores, Scores};

use crate::metrics::{
    Abstention, ClassRow, Confusion, Kept, MetricError, N_BINS, ReliabilityBin, Summary, TARGET_ERRORS,
    abstention, calibration, coverage, interval_score, predicted_classes, risk_coverage,
};
use hodgelet::likelihood::Mixture;
use serde::{Deserialize, Serialize};

/// Predictions for the test items of one fold, beside the truth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Predictions {
    /// Of classes.
    Classes {
        /// `[n_test, n_classes]`, row-major.
        probabilities: Vec<f64>,
        /// True classes, `[n_test]`.
        labels: Vec<u32>,
    },
    /// Of numbers.
    Real {
        /// Predictive densities, noise included, `[n_test]`.
        densities: Vec<Mixture>,
        /// True values, `[n_test]`.
        truth: Vec<f64>,
    },
}

/// One fold as it was run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FoldRun {
    /// Which shuffle of the items, from 0.
    pub repeat: usize,
    /// Which fold of that shuffle, from 0.
    pub fold: usize,
    /// Number of training items.
    pub n_train: usize,
    /// Number of items set aside.
    pub n_validation: usize,
    /// ELBO (the evidence where inference is exact) at the end of training.
    pub elbo: f64,
    /// Iterations of the optimizer.
    pub iterations: usize,
    /// Evaluations of the objective.
    pub evaluations: usize,
    /// Time to train.
    pub fit_seconds: f64,
    /// Time to predict the test items.
    pub predict_seconds: f64,
    /// What was predicted.
    pub predictions: Predictions,
    /// The class that was predicted of each test item, where it is not the most probable one.
    pub decided: Option<Vec<u32>>,
    /// What the model was like.
    #[serde(default)]
    pub kind: ModelKind,
}

/// What was evaluated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Subject {
    /// Name of the dataset.
    pub dataset: String,
    /// Name of the model.
    pub model: String,
    /// Number of graphs in the dataset.
    pub graphs: usize,
    /// Names of the classes in the order of their labels; empty for regression.
    pub class_names: Vec<String>,
    /// Seed of the run.
    pub seed: u64,
    /// All other settings.
    pub settings: serde_json::Value,
}

/// A finished evaluation.
///
/// As JSON the fields of `subject` and `results` are beside the others, so that a classification has
/// `dataset`, `model`, `graphs`, `classes`, `accuracy.mean`, `nll.mean`, `ece`, `elbo.mean`, `folds`, and so on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// What was evaluated.
    #[serde(flatten)]
    pub subject: Subject,
    /// Scores over all folds.
    #[serde(flatten)]
    pub results: Results,
    /// What the model of the first fold was like.
    #[serde(default)]
    pub posterior: ModelKind,
    /// ELBO over folds.
    pub elbo: Summary,
    /// Iterations over folds.
    pub iterations: Summary,
    /// Evaluations of the objective over folds.
    pub evaluations: Summary,
    /// Seconds to train, over folds.
    pub fit_seconds: Summary,
    /// Seconds to predict, over folds.
    pub predict_seconds: Summary,
    /// Largest resident memory of the process so far, in MB of 10⁶ bytes; absent where the system does not tell.
    pub peak_memory_mb: Option<f64>,
    /// Each fold.
    pub folds: Vec<FoldRow>,
}

/// Scores over all folds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
#[allow(clippy::large_enum_variant)] // one for an evaluation
pub enum Results {
    /// Of a classification.
    Classes(ClassResults),
    /// Of a regression.
    Real(RealResults),
}

/// Scores of a classification: summaries over folds, calibration over the test items of all folds together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassResults {
    /// Number of classes.
    pub classes: usize,
    /// Share of right classes.
    pub accuracy: Summary,
    /// Mean F1 score of the classes.
    pub macro_f1: Summary,
    /// Mean negative log probability of the true classes.
    pub nll: Summary,
    /// Mean squared distance of the probabilities from the truth.
    pub brier: Summary,
    /// Area under the receiver operating characteristic, over the folds where both of two classes occur.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roc_auc: Option<Summary>,
    /// Average precision of the second of two classes, over the folds where it occurs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub average_precision: Option<Summary>,
    /// Mean share of each class that was found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub balanced_accuracy: Option<Summary>,
    /// Matthews' correlation coefficient.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcc: Option<Summary>,
    /// Test items of all folds by true and predicted class.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confusion: Option<Confusion>,
    /// How well each class was found, in all folds together.
    #[serde(default)]
    pub per_class: Vec<ClassRow>,
    /// Expected calibration error.
    pub ece: f64,
    /// The bins it comes from.
    pub reliability: Vec<ReliabilityBin>,
    /// Share of wrong classes among the most confident predictions; thresholds are probabilities.
    #[serde(default)]
    pub risk_coverage: Vec<Kept>,
    /// What can be kept at given errors, as estimated on these predictions.
    #[serde(default)]
    pub abstention: Vec<Abstention>,
}

/// Scores of a regression: summaries over folds, coverage over the test items of all folds together.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RealResults {
    /// Root mean squared error.
    pub rmse: Summary,
    /// Mean absolute error.
    pub mae: Summary,
    /// Share of the variance explained, over the folds with two test items or more; absent if there are none.
    pub r2: Option<Summary>,
    /// Mean negative log density.
    pub nll: Summary,
    /// Shares of truths inside central intervals.
    pub coverage: Vec<Coverage>,
    /// Widths of central intervals, with what they miss.
    #[serde(default)]
    pub interval_score: Vec<IntervalScore>,
    /// Root mean squared error of the most confident predictions; thresholds are standard deviations.
    #[serde(default)]
    pub risk_coverage: Vec<Kept>,
}

impl Evaluation {
    /// The evaluation that consists of these folds.
    ///
    /// # Errors
    ///
    /// [`ReportError`] when there are none, they mix classes and numbers, or one cannot be scored.
    pub fn of(subject: Subject, runs: &[FoldRun]) -> Result<Self, ReportError> {
        let n_classes = subject.class_names.len();
        let mut folds = Vec::with_capacity(runs.len());
        for run in runs {
            let (repeat, fold) = (run.repeat, run.fold);
            let row = FoldRow::of(run, n_classes);
            folds.push(row.map_err(|source| ReportError::Fold { repeat, fold, source })?);
        }
        let over = |name, value: fn(&FoldRow) -> f64| summary(name, folds.iter().map(value));
        Ok(Self {
            results: results(runs, &folds, n_classes)?,
            posterior: runs.first().map(|run| run.kind).unwrap_or_default(),
            elbo: over("elbo", |row| row.elbo)?,
            iterations: over("iterations", |row| row.iterations as f64)?,
            evaluations: over("evaluations", |row| row.evaluations as f64)?,
            fit_seconds: over("fit_seconds", |row| row.fit_seconds)?,
            predict_seconds: over("predict_seconds", |row| row.predict_seconds)?,
            peak_memory_mb: peak_memory_mb(),
            subject,
            folds,
        })
    }

    /// The evaluation as JSON over several lines.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self).expect("every field has a form in JSON: keys are names")
    }
}

/// Scores over all folds, and over their predictions together.
fn results(runs: &[FoldRun], folds: &[FoldRow], n_classes: usize) -> Result<Results, ReportError> {
    match Predictions::pooled(runs)? {
        Predictions::Classes { probabilities, labels } => {
            let scores: Vec<&ClassScores> = folds.iter().filter_map(|row| row.scores.classes()).collect();
            let over = |name, value: fn(&ClassScores) -> f64| summary(name, scores.iter().map(|s| value(s)));
            let calibration = calibration(&probabilities, n_classes, &labels, N_BINS)
                .map_err(|source| ReportError::Score { name: "ece", source })?;
            let (confidence, wrong) = confidences(&probabilities, n_classes, &labels);
            let targets = TARGET_ERRORS.iter().map(|&target| abstention(&confidence, &wrong, target));
            let kept = |source| ReportError::Score { name: "risk_coverage", source };
            let ranked = |name, value: fn(&ClassScores) -> Option<f64>| {
                let found: Vec<f64> = scores.iter().filter_map(|s| value(s)).collect();
                if found.is_empty() { Ok(None) } else { summary(name, found.into_iter()).map(Some) }
            };
            let confusions = runs.iter().filter_map(|run| confusion(run, n_classes));
            let confusions = confusions.collect::<Result<Vec<_>, _>>()?;
            let of_folds =
                |name, value: fn(&Confusion) -> f64| summary(name, confusions.iter().map(value)).map(Some);
            let pooled = Confusion::pooled(&confusions);
            Ok(Results::Classes(ClassResults {
                balanced_accuracy: of_folds("balanced_accuracy", Confusion::balanced_accuracy)?,
                mcc: of_folds("mcc", Confusion::mcc)?,
                per_class: pooled.as_ref().map(Confusion::rows).unwrap_or_default(),
                confusion: pooled,
                roc_auc: ranked("roc_auc", |s| s.roc_auc)?,
                average_precision: ranked("average_precision", |s| s.average_precision)?,
                classes: n_classes,
                accuracy: over("accuracy", |s| s.accuracy)?,
                macro_f1: over("macro_f1", |s| s.macro_f1)?,
                nll: over("nll", |s| s.nll)?,
                brier: over("brier", |s| s.brier)?,
                ece: calibration.ece,
                reliability: calibration.bins,
                risk_coverage: risk_coverage(&confidence, &wrong).map_err(kept)?,
                abstention: targets.collect::<Result<_, _>>().map_err(kept)?,
            }))
        }
        Predictions::Real { densities, truth } => {
            let scores: Vec<&RealScores> = folds.iter().filter_map(|row| row.scores.real()).collect();
            let over = |name, value: fn(&RealScores) -> f64| summary(name, scores.iter().map(|s| value(s)));
            let r2: Vec<f64> = scores.iter().filter_map(|s| s.r2).collect();
            let inside = row::coverages(|level| coverage(&densities, &truth, level));
            Ok(Results::Real(RealResults {
                rmse: over("rmse", |s| s.rmse)?,
                mae: over("mae", |s| s.mae)?,
                r2: if r2.is_empty() { None } else { Some(summary("r2", r2.into_iter())?) },
                nll: over("nll", |s| s.nll)?,
                coverage: inside.map_err(|source| ReportError::Score { name: "coverage", source })?,
                interval_score: row::interval_scores(|level| interval_score(&densities, &truth, level))
                    .map_err(|source| ReportError::Score { name: "interval_score", source })?,
                risk_coverage: kept_numbers(&densities, &truth)?,
            }))
        }
    }
}

/// Which classes are taken for which; none for numbers.
fn confusion(run: &FoldRun, n_classes: usize) -> Option<Result<Confusion, ReportError>> {
    let Predictions::Classes { probabilities, labels } = &run.predictions else { return None };
    let decided = run.decided.clone().map_or_else(|| predicted_classes(probabilities, n_classes), Ok);
    let found = decided.and_then(|predicted| Confusion::of(&predicted, labels, n_classes));
    Some(found.map_err(|source| ReportError::Score { name: "confusion", source }))
}

/// The probability of each predicted class, and 1 where it is wrong.
fn confidences(probabilities: &[f64], n_classes: usize, labels: &[u32]) -> (Vec<f64>, Vec<f64>) {
    let best = |row: &[f64]| {
        row.iter().enumerate().fold((0, f64::NEG_INFINITY), |a, (c, &p)| if p > a.1 { (c, p) } else { a })
    };
    let of = |(row, &label): (&[f64], &u32)| {
        let (class, p) = best(row);
        (p, f64::from(class != label as usize))
    };
    probabilities.chunks(n_classes.max(1)).zip(labels).map(of).unzip()
}

/// Root mean squared errors of the predictions of least deviation.
fn kept_numbers(densities: &[Mixture], truth: &[f64]) -> Result<Vec<Kept>, ReportError> {
    let confidence: Vec<f64> = densities.iter().map(|density| -density.variance().sqrt()).collect();
    let squares: Vec<f64> = densities.iter().zip(truth).map(|(d, y)| (d.mean() - y).powi(2)).collect();
    let kept = risk_coverage(&confidence, &squares)
        .map_err(|source| ReportError::Score { name: "risk_coverage", source })?;
    let in_units = |kept: Kept| Kept { threshold: -kept.threshold, risk: kept.risk.sqrt(), ..kept };
    Ok(kept.into_iter().map(in_units).collect())
}

fn summary(name: &'static str, values: impl Iterator<Item = f64>) -> Result<Summary, ReportError> {
    Summary::of(&values.collect::<Vec<_>>()).map_err(|source| ReportError::Score { name, source })
}

impl Predictions {
    /// The predictions of all folds, one after another.
    fn pooled(runs: &[FoldRun]) -> Result<Self, ReportError> {
        let (first, rest) = runs.split_first().ok_or(ReportError::NoFold)?;
        let mut pool = first.predictions.clone();
        for run in rest {
            pool.append(&run.predictions).ok_or(ReportError::Mixed { repeat: run.repeat, fold: run.fold })?;
        }
        Ok(pool)
    }

    /// More predictions of the same kind; `None` for another kind.
    fn append(&mut self, more: &Self) -> Option<()> {
        match (self, more) {
            (
                Self::Classes { probabilities, labels },
                Self::Classes { probabilities: more_probabilities, labels: more_labels },
            ) => {
                probabilities.extend(more_probabilities);
                labels.extend(more_labels);
            }
            (Self::Real { densities, truth }, Self::Real { densities: more, truth: more_truth }) => {
                densities.extend_from_slice(more);
                truth.extend(more_truth);
            }
            _ => return None,
        }
        Some(())
    }
}

/// What can be wrong with folds to be reported.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// There is no fold.
    #[error("found no fold, expected at least 1")]
    NoFold,
    /// A fold predicts numbers where the first one predicts classes, or the other way round.
    #[error("repeat {repeat}, fold {fold}: found another kind of prediction than in the first fold")]
    Mixed {
        /// The repeat.
        repeat: usize,
        /// The fold.
        fold: usize,
    },
    /// A fold cannot be scored.
    #[error("repeat {repeat}, fold {fold}: {source}")]
    Fold {
        /// The repeat.
        repeat: usize,
        /// The fold.
        fold: usize,
        /// Why.
        source: MetricError,
    },
    /// A score over all folds does not exist.
    #[error("{name}: {source}")]
    Score {
        /// The score.
        name: &'static str,
        /// Why.
        source: MetricError,
    },
}

#[cfg(test)]
mod tests;
