//! What can be wrong with a bank or a request to it.

use super::{MAX_SCALES, SCALE_RANGE};

/// What can be wrong with the settings of a bank, its scales or the slices handed to it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BankError {
    /// No filter is asked for.
    #[error("a bank of 0 filters, expected at least 1")]
    NoFilter,
    /// Filters without a low-pass part and without bands.
    #[error("a bank without low-pass filter and without bands, expected at least one of them")]
    EmptyFilter,
    /// More scales than a bank may have.
    #[error("{n_filters} filters of {per_filter} scales, expected at most {MAX_SCALES} scales in all")]
    TooLarge {
        /// Number of filters.
        n_filters: usize,
        /// Scales in each.
        per_filter: usize,
    },
    /// The range of the initial scales is invalid.
    #[error(
        "initial {which} scales from {lowest} to {highest}, expected {:e} <= lowest <= highest <= {:e}",
        SCALE_RANGE.0, SCALE_RANGE.1
    )]
    Range {
        /// `low-pass` or `band-pass`.
        which: &'static str,
        /// Lower end.
        lowest: f64,
        /// Upper end.
        highest: f64,
    },
    /// A scale is not a positive number of reasonable size.
    #[error("scale {index} is {found:e}, expected {:e} to {:e}", SCALE_RANGE.0, SCALE_RANGE.1)]
    Scale {
        /// Index among the parameters of the bank.
        index: usize,
        /// What was found.
        found: f64,
    },
    /// A slice has the wrong length.
    #[error("{what} has {found} values, expected {expected}")]
    Length {
        /// Which slice.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The length it should have.
        expected: usize,
    },
    /// An eigenvalue is NaN or infinite.
    #[error("eigenvalue {index} is {found}, expected a finite number")]
    Eigenvalue {
        /// Index of the eigenvalue.
        index: usize,
        /// What was found.
        found: f64,
    },
}
