//! Cross-validation in one call, for the examples beside this file.

use hodgelet::dataset::{Dataset, Targets};
use hodgelet::settings::Settings;
use hodgelet_eval::cross_validate::{MEMORY_BUDGET, cross_validate};
use hodgelet_eval::metrics::{accuracy, predicted_classes, rmse};
use hodgelet_eval::report::Predictions;
use hodgelet_eval::splits::KFoldParams;
use std::ops::ControlFlow;

/// The share of items that are classified correctly, each by a model that has not seen it; for real targets, the root
/// of the mean squared error.
pub fn score(
    dataset: &Dataset,
    settings: &Settings,
    folds: usize,
) -> Result<f64, Box<dyn std::error::Error>> {
    let splits = KFoldParams { folds, train_on_validation: true, ..KFoldParams::default() }.check()?;
    let splits = match dataset.targets() {
        Targets::Classes { labels, .. } => splits.stratified(labels)?,
        _ => splits.plain(dataset.len())?,
    };
    let runs = cross_validate(dataset, settings, &splits, MEMORY_BUDGET, |_| ControlFlow::Continue(()))?;
    let (mut found, mut truth, mut means, mut values) = (vec![], vec![], vec![], vec![]);
    for run in &runs {
        match &run.predictions {
            Predictions::Classes { probabilities, labels } => {
                found.extend(predicted_classes(probabilities, probabilities.len() / labels.len())?);
                truth.extend(labels);
            }
            Predictions::Real { densities, truth: targets } => {
                means.extend(densities.iter().map(|density| density.mean()));
                values.extend(targets);
            }
        }
    }
    Ok(if values.is_empty() { accuracy(&found, &truth)? } else { rmse(&means, &values)? })
}

/// Items asked for on the command line, or `default`.
#[allow(dead_code)] // examples on real data have no number to ask for
pub fn count(default: usize) -> Result<usize, std::num::ParseIntError> {
    std::env::args().nth(1).map_or(Ok(default), |text| text.parse())
}
