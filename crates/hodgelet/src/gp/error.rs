//! What can go wrong in inference.

use crate::likelihood::LikelihoodError;
use crate::linalg::cholesky::NotPositiveDefinite;

/// What can go wrong in inference.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GpError {
    /// The Gram matrix does not fit the observations.
    #[error("Gram matrix is [{rows}, {columns}], expected [{expected}, {expected}]")]
    Shape {
        /// Rows found.
        rows: usize,
        /// Columns found.
        columns: usize,
        /// Number of latent points.
        expected: usize,
    },
    /// An entry of a Gram matrix is NaN or infinite, or a variance negative.
    #[error("Gram matrix has {value} at ({row}, {column}), expected finite, variances not negative")]
    Gram {
        /// Row of the entry.
        row: usize,
        /// Column of the entry.
        column: usize,
        /// What was found.
        value: f64,
    },
    /// Evaluations at new points do not fit each other or the training points.
    #[error(
        "cross Gram is [{rows}, {columns}] and diagonal has {diagonal} entries, expected [{diagonal}, {expected}]"
    )]
    Cross {
        /// Rows found.
        rows: usize,
        /// Columns found.
        columns: usize,
        /// Entries of the diagonal.
        diagonal: usize,
        /// Number of training points.
        expected: usize,
    },
    /// Sites to start from do not fit the problem.
    #[error("sites are [{rows}, {columns}], expected [{expected_rows}, {expected_columns}]")]
    Sites {
        /// Rows found.
        rows: usize,
        /// Columns found.
        columns: usize,
        /// Number of latent points.
        expected_rows: usize,
        /// Number of latent functions.
        expected_columns: usize,
    },
    /// A matrix that must have a Cholesky factor has none.
    #[error(transparent)]
    NotPositiveDefinite(#[from] NotPositiveDefinite),
    /// The iteration ended before its tolerance was met.
    #[error(
        "inference did not converge in {iterations} iterations, the last changed the objective by {change:e}"
    )]
    NotConverged {
        /// Iterations made.
        iterations: usize,
        /// Estimated distance of the objective from its optimum.
        change: f64,
    },
    /// A result left the range of numbers.
    #[error("{quantity} is {value}, the Gram matrix or the targets are too large")]
    Overflow {
        /// What was computed.
        quantity: &'static str,
        /// What came out.
        value: f64,
    },
    /// The method does not apply to the likelihood.
    #[error("{method} does not apply to {likelihood}")]
    Unsupported {
        /// Name of the method.
        method: &'static str,
        /// Name of the likelihood.
        likelihood: &'static str,
    },
    /// A setting is invalid.
    #[error("{setting} must be {expected}, got {value}")]
    Setting {
        /// Name of the setting.
        setting: &'static str,
        /// What it must be.
        expected: &'static str,
        /// What was found.
        value: f64,
    },
    /// The likelihood refuses what it is given.
    #[error(transparent)]
    Likelihood(#[from] LikelihoodError),
}

impl GpError {
    /// A suggested fix, where there is one.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NotPositiveDefinite(error) => Some(error.hint()),
            Self::NotConverged { .. } => Some("raise the number of iterations or loosen the tolerance"),
            Self::Overflow { .. } => Some("standardize the features and the targets"),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_say_what_was_found_and_expected() {
        let message = |error: GpError| error.to_string();
        assert_eq!(
            message(GpError::Shape { rows: 2, columns: 3, expected: 4 }),
            "Gram matrix is [2, 3], expected [4, 4]"
        );
        assert_eq!(
            message(GpError::Gram { row: 1, column: 0, value: f64::NAN }),
            "Gram matrix has NaN at (1, 0), expected finite, variances not negative"
        );
        assert_eq!(
            message(GpError::Cross { rows: 1, columns: 2, diagonal: 3, expected: 4 }),
            "cross Gram is [1, 2] and diagonal has 3 entries, expected [3, 4]"
        );
        assert_eq!(
            message(GpError::Sites { rows: 1, columns: 2, expected_rows: 3, expected_columns: 4 }),
            "sites are [1, 2], expected [3, 4]"
        );
        assert_eq!(
            message(GpError::NotConverged { iterations: 7, change: 1e-3 }),
            "inference did not converge in 7 iterations, the last changed the objective by 1e-3"
        );
        assert_eq!(
            message(GpError::Overflow { quantity: "ELBO", value: f64::INFINITY }),
            "ELBO is inf, the Gram matrix or the targets are too large"
        );
        assert_eq!(
            message(GpError::Unsupported { method: "Laplace", likelihood: "robust-max" }),
            "Laplace does not apply to robust-max"
        );
        assert_eq!(
            message(GpError::Setting { setting: "tolerance", expected: "above 0", value: 0.0 }),
            "tolerance must be above 0, got 0"
        );
    }

    #[test]
    fn numerical_trouble_has_a_way_out() {
        assert!(GpError::from(NotPositiveDefinite { pivot: 1 }).hint().is_some());
        assert!(GpError::NotConverged { iterations: 1, change: 1.0 }.hint().is_some());
        assert!(GpError::Shape { rows: 1, columns: 1, expected: 2 }.hint().is_none());
    }
}
