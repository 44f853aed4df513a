//! Splits: how well a model predicts what it was not trained on.
//!
//! 1. [`splits`]: which items train a model and which test it, by k-fold or from a file.

#![warn(missing_docs)]

pub mod splits;
