//! What an evaluation found, as it is printed and written.

use crate::error::CommandError;
use crate::output;
use hodgelet_eval::report::{Evaluation, Results, reliability_svg, scores_svg};
use hodgelet_eval::search::Trial;
use serde::Serialize;

/// An evaluation as the command prints it.
#[derive(Debug, Serialize)]
pub struct Evaluated {
    #[serde(flatten)]
    pub evaluation: Evaluation,
    /// What was tried on the training part of each fold; empty without a search.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub search: Vec<FoldSearch>,
}

/// The search of one fold.
#[derive(Debug, Serialize)]
pub struct FoldSearch {
    pub repeat: usize,
    pub fold: usize,
    pub trials: Vec<Trial>,
}

impl FoldSearch {
    /// The answers that were kept.
    pub(super) fn chosen(&self) -> String {
        chosen(&self.trials)
    }

    pub(super) fn cells(&self) -> Vec<String> {
        let score = self.trials.iter().rfind(|trial| trial.kept).and_then(|trial| trial.log_probability);
        let settings = self.chosen();
        let score = score.map_or_else(String::new, |score| format!("{score:.4}"));
        vec![self.repeat.to_string(), self.fold.to_string(), self.trials.len().to_string(), score, settings]
    }
}

impl Evaluated {
    /// The content of the files of `--out`, but for the splits.
    pub(super) fn texts(&self) -> Result<[Option<String>; 3], CommandError> {
        let reliability = match &self.evaluation.results {
            Results::Classes(results) => Some(reliability_svg(&results.reliability, results.ece)),
            Results::Real(_) => None,
        };
        Ok([Some(output::json(self)?), Some(scores_svg(&self.evaluation)), reliability])
    }
}

/// The answers of a search that were kept.
pub(super) fn chosen(trials: &[Trial]) -> String {
    let kept = trials.iter().filter(|trial| trial.kept).filter_map(|trial| trial.change.as_ref());
    let names: Vec<String> = kept.map(ToString::to_string).collect();
    if names.is_empty() { "as given".to_owned() } else { names.join(", ") }
}
