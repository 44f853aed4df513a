//! Splits, metrics and reports: how well a model predicts what it was not trained on.
//!
//! 1. [`splits`]: which items train a model and which test it, by k-fold or from a file;
//! 2. [`metrics`]: scores of predictions, and their summary over folds;
//! 3. [`report`]: an evaluation as one value, written as JSON and drawn as SVG.

#![warn(missing_docs)]

pub mod metrics;
pub mod report;
pub mod splits;
