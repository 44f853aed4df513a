//! Splits, metrics and reports: how well a model predicts what it was not trained on.
//!
//! 1. [`splits`]: which items train a model and which test it, by k-fold or from a file;
//! 2. [`metrics`]: scores of predictions, and their summary over folds;
//! 3. [`cross_validate`]: a model for each split;
//! 4. [`search`]: settings chosen by the training data alone;
//! 5. [`compare`]: paired tests of two models on the same folds;
//! 6. [`audit`]: test items that training has seen, and the score without them;
//! 7. [`report`]: an evaluation as one value, written as JSON and drawn as SVG.
//!
//! ```
//! use hodgelet_eval::{metrics, splits::KFoldParams};
//!
//! let labels = [0, 1, 0, 1, 0, 1, 1, 1, 0];
//! let splits = KFoldParams { folds: 3, ..KFoldParams::default() }.check()?.stratified(&labels)?;
//! assert_eq!(splits[0].test, [1, 4, 8]); // as scikit-learn's StratifiedKFold(3, shuffle=True, random_state=0)
//!
//! let accuracy = metrics::accuracy(&[0, 1, 1], &[0, 1, 0])?;
//! assert_eq!(accuracy, 2.0 / 3.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(missing_docs)]

pub mod audit;
pub mod compare;
pub mod cross_validate;
pub mod metrics;
pub mod report;
pub mod search;
pub mod splits;
