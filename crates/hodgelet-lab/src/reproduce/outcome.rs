//! Results of an experiment: what the JSON holds.

use super::cells::Cell;
use super::contender::Contender;
use super::experiment::Row;
use super::published::Published;
use hodgelet_cli::provenance::Provenance;
use hodgelet_eval::compare::{Comparison, paired};
use hodgelet_eval::metrics::{MetricError, Summary};
use hodgelet_eval::report::{ClassScores, FoldRow, Results};
use serde::{Deserialize, Serialize};

/// An experiment that was run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Outcome {
    /// `table1`, `table2` or `figure1`.
    pub experiment: String,
    /// What it is.
    pub title: String,
    /// What a row is.
    pub row_name: String,
    /// The run that put it together.
    pub provenance: Provenance,
    /// How folds were drawn and models trained.
    pub protocol: Protocol,
    /// Wall-clock time of all cells, whenever they were run.
    pub seconds: f64,
    /// The rows.
    pub rows: Vec<RowOutcome>,
}

/// How folds were drawn and models trained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Protocol {
    /// Whether this is the small version.
    pub quick: bool,
    /// Folds.
    pub folds: usize,
    /// Shuffles.
    pub repeats: usize,
    /// Seed of the first.
    pub seed: u64,
    /// At most this many steps of the optimizer.
    pub iterations: usize,
    /// Whether the fold set aside trained too.
    pub train_on_validation: bool,
}

/// One row.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RowOutcome {
    /// Its name.
    pub label: String,
    /// Its place on an axis.
    pub place: Option<f64>,
    /// One result for each model.
    pub results: Vec<ModelOutcome>,
    /// Models against each other.
    pub tests: Vec<TestOutcome>,
}

/// One model on one row.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ModelOutcome {
    /// Which model.
    pub model: Contender,
    /// Its name.
    pub name: String,
    /// What the paper printed.
    pub published: Option<Published>,
    /// Accuracy over all folds and repeats.
    pub accuracy: Summary,
    /// Negative log probability of the true classes.
    pub nll: Summary,
    /// Expected calibration error, mean over repeats.
    pub ece: f64,
    /// Time to train a fold.
    pub fit_seconds: Summary,
    /// Wall-clock time of all its cells.
    pub seconds: f64,
    /// Commits the cells were run at, each once.
    pub commits: Vec<String>,
    /// Settings of the first repeat.
    pub settings: serde_json::Value,
    /// Every fold.
    pub folds: Vec<FoldRow>,
}

/// Two models on the same folds.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TestOutcome {
    /// The first.
    pub first: String,
    /// The second.
    pub second: String,
    /// Second against first, by accuracy.
    #[serde(flatten)]
    pub comparison: Comparison,
}

impl ModelOutcome {
    /// All repeats of one model on one row.
    pub fn of(row: &Row, model: Contender, cells: Vec<Cell>) -> Result<Self, MetricError> {
        let mut commits: Vec<String> = cells.iter().filter_map(|c| c.provenance.commit.clone()).collect();
        commits.sort_unstable();
        commits.dedup();
        let eces = cells.iter().filter_map(|cell| match &cell.evaluation.results {
            Results::Classes(results) => Some(results.ece),
            Results::Real(_) => None,
        });
        let ece = Summary::of(&eces.collect::<Vec<_>>())?.mean;
        let seconds = cells.iter().map(|cell| cell.seconds).sum();
        let settings = cells.first().map(|c| c.evaluation.subject.settings.clone()).unwrap_or_default();
        let folds: Vec<FoldRow> = cells.into_iter().flat_map(|cell| cell.evaluation.folds).collect();
        let over = |value: fn(&ClassScores) -> f64| {
            Summary::of(&folds.iter().filter_map(|f| f.scores.classes()).map(value).collect::<Vec<_>>())
        };
        Ok(Self {
            model,
            name: model.name().to_owned(),
            published: row.published.iter().find(|(of, _)| *of == model).map(|(_, numbers)| *numbers),
            accuracy: over(|s| s.accuracy)?,
            nll: over(|s| s.nll)?,
            ece,
            fit_seconds: Summary::of(&folds.iter().map(|f| f.fit_seconds).collect::<Vec<_>>())?,
            seconds,
            commits,
            settings,
            folds,
        })
    }

    /// How far from the paper, in standard errors of the difference; absent where both have none.
    pub fn apart(&self) -> Option<f64> {
        let published = self.published?;
        let own = self.accuracy.standard_error.unwrap_or(0.0);
        let error = own.hypot(published.standard_error());
        (error > 0.0).then(|| (self.accuracy.mean - published.mean) / error)
    }

    fn accuracies(&self) -> Vec<f64> {
        self.folds.iter().filter_map(|f| f.scores.classes()).map(|s| s.accuracy).collect()
    }
}

impl RowOutcome {
    /// A row with the tests that its models allow.
    pub fn of(row: &Row, results: Vec<ModelOutcome>, pairs: &[[Contender; 2]]) -> Result<Self, MetricError> {
        let find = |model| results.iter().find(|result| result.model == model);
        let mut tests = Vec::new();
        for &[first, second] in pairs {
            let (Some(first), Some(second)) = (find(first), find(second)) else { continue };
            let sum = |count: fn(&FoldRow) -> usize| first.folds.iter().map(count).sum::<usize>() as f64;
            let ratio = sum(|f| f.n_test) / sum(|f| f.n_train);
            tests.push(TestOutcome {
                first: first.name.clone(),
                second: second.name.clone(),
                comparison: paired(&first.accuracies(), &second.accuracies(), ratio)?,
            });
        }
        Ok(Self { label: row.label.clone(), place: row.place, results, tests })
    }
}
