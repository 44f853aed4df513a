//! Scores of predictions: plain functions on slices, and their summary over folds.
//!
//! Probabilities are `[n_items, n_classes]`, row-major; labels are classes `0..n_classes`. Every score is a
//! finite number; what cannot be scored is a [`MetricError`].

mod abstain;
mod calibration;
mod classification;
mod confusion;
mod error;
mod ranking;
mod regression;
mod summary;

pub use abstain::{Abstention, Kept, SHARES, TARGET_ERRORS, abstention, risk_coverage};
pub use calibration::{Calibration, MAX_BINS, N_BINS, ReliabilityBin, calibration, calibration_slope};
pub use classification::{accuracy, brier, macro_f1, nll, predicted_classes};
pub use confusion::{ClassRow, Confusion};
pub use error::MetricError;
pub use ranking::{average_precision, roc_auc};
pub use regression::{LEVELS, coverage, density_nll, interval_score, mae, r2, rmse, root_mean_square};
pub use summary::Summary;

#[cfg(test)]
mod golden;

/// Largest distance from 1 of a sum of probabilities: what single precision leaves of a thousand classes.
const SUM_TOLERANCE: f64 = 1e-4;

/// At least one item.
fn some_items(found: usize) -> Result<(), MetricError> {
    if found == 0 { Err(MetricError::Few { found, least: 1 }) } else { Ok(()) }
}

/// A list as long as the others.
pub(crate) fn same_length(what: &'static str, found: usize, expected: usize) -> Result<(), MetricError> {
    if found == expected { Ok(()) } else { Err(MetricError::Length { what, found, expected }) }
}

/// Finite numbers only.
pub(crate) fn all_finite(what: &'static str, values: &[f64]) -> Result<(), MetricError> {
    match values.iter().position(|v| !v.is_finite()) {
        Some(index) => Err(MetricError::NotFinite { what, index, value: values[index] }),
        None => Ok(()),
    }
}

/// A score, unless it overflowed.
fn finite(metric: &'static str, score: f64) -> Result<f64, MetricError> {
    if score.is_finite() { Ok(score) } else { Err(MetricError::Overflow { metric }) }
}

/// Probabilities of `n_items` items, every row a distribution over `n_classes` classes.
fn distributions(probabilities: &[f64], n_items: usize, n_classes: usize) -> Result<(), MetricError> {
    some_items(n_items)?;
    // a product beyond `usize` cannot be the length of a slice either
    same_length("probabilities", probabilities.len(), n_items.saturating_mul(n_classes))?;
    for (item, row) in probabilities.chunks_exact(n_classes.max(1)).enumerate() {
        if let Some(class) = row.iter().position(|p| !(0.0..=1.0).contains(p)) {
            return Err(MetricError::Probability { item, class, value: row[class] });
        }
        let sum: f64 = row.iter().sum();
        if (sum - 1.0).abs() > SUM_TOLERANCE {
            return Err(MetricError::Sum { item, sum });
        }
    }
    Ok(())
}

/// One distribution and one of its classes per item.
fn labeled(probabilities: &[f64], n_classes: usize, labels: &[u32]) -> Result<(), MetricError> {
    distributions(probabilities, labels.len(), n_classes)?;
    match labels.iter().position(|&label| label as usize >= n_classes) {
        Some(index) => Err(MetricError::Label { index, label: labels[index], classes: n_classes }),
        None => Ok(()),
    }
}
