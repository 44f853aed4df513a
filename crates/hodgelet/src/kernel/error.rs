//! What can go wrong with a kernel or its inputs.

/// What can be wrong with the settings of a kernel, its parameters or its inputs.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum KernelError {
    /// A sum without terms.
    #[error("a kernel needs at least one block")]
    NoBlocks,
    /// A Matérn smoothness out of range.
    #[error("smoothness of a matern kernel must be from {lowest} to {highest}, got {found}")]
    Smoothness {
        /// The smoothness found.
        found: f64,
        /// The smallest allowed.
        lowest: f64,
        /// The largest allowed.
        highest: f64,
    },
    /// A polynomial degree out of range.
    #[error("degree of a polynomial kernel must be from 1 to {highest}, got {found}")]
    Degree {
        /// The degree found.
        found: u32,
        /// The largest allowed.
        highest: u32,
    },
    /// A hyperparameter that is not positive, or so extreme that products of it overflow.
    #[error("{name} must be between {lowest:e} and {highest:e}, got {found:e}")]
    Hyperparameter {
        /// Its name, as in [`SumKernel::param_names`](super::SumKernel::param_names).
        name: String,
        /// The value found.
        found: f64,
        /// The smallest allowed.
        lowest: f64,
        /// The largest allowed.
        highest: f64,
    },
    /// A map from columns to lengthscales that does not fit the lengthscales.
    #[error("block {block} has {found} lengthscales, but its columns need {expected}")]
    Lengthscales {
        /// The block.
        block: usize,
        /// Number of lengthscales the columns refer to.
        expected: usize,
        /// Number of lengthscales given.
        found: usize,
    },
    /// Another number of parameters than the kernel has.
    #[error("expected {expected} kernel parameters, got {found}")]
    Params {
        /// Number of parameters of the kernel.
        expected: usize,
        /// Number given.
        found: usize,
    },
    /// Points of one block that are not of one kind, or fixed rows with several lengthscales.
    #[error("a block of fixed rows needs rows of one kind and one lengthscale")]
    Kinds,
    /// Two points of a given Gram matrix, neither of which has a column in it.
    #[error("the product of points {left} and {right} is not given: neither has a column of the Gram matrix")]
    NotGiven {
        /// The first point.
        left: usize,
        /// The second point.
        right: usize,
    },
    /// Another number of feature matrices than the kernel has blocks.
    #[error("expected {expected} blocks of features, got {found}")]
    Blocks {
        /// Number of blocks of the kernel.
        expected: usize,
        /// Number given.
        found: usize,
    },
    /// Feature matrices of one set of points that disagree about their number.
    #[error("block {block} has {found} rows, but the first block has {expected}")]
    Rows {
        /// The block.
        block: usize,
        /// Rows of the first block.
        expected: usize,
        /// Rows of this one.
        found: usize,
    },
    /// A feature matrix with another number of columns than the lengthscales or the other points have.
    #[error("block {block} has {found} columns, expected {expected}")]
    Columns {
        /// The block.
        block: usize,
        /// Columns expected.
        expected: usize,
        /// Columns found.
        found: usize,
    },
    /// A feature that is infinite or not a number.
    #[error("feature in block {block}, row {row}, column {column} must be finite, got {found}")]
    NotFinite {
        /// The block.
        block: usize,
        /// The row.
        row: usize,
        /// The column.
        column: usize,
        /// The value found.
        found: f64,
    },
    /// A feature so many lengthscales from the mean that distances would overflow.
    #[error(
        "feature in block {block}, row {row}, column {column} is {found:e} lengthscales from the mean, \
         more than {highest:e}"
    )]
    TooFar {
        /// The block.
        block: usize,
        /// The row.
        row: usize,
        /// The column.
        column: usize,
        /// Distance from the mean in lengthscales.
        found: f64,
        /// The largest allowed.
        highest: f64,
    },
    /// A covariance or gradient beyond the largest number.
    #[error("{what} is not finite: its factors or the given sensitivities are too large")]
    Overflow {
        /// What was computed.
        what: &'static str,
    },
    /// A backward pass without the forward pass it belongs to.
    #[error("the workspace holds no gram matrix of this kernel with its present parameters")]
    Stale,
    /// Sensitivities of another shape than the Gram matrix.
    #[error("sensitivities are {rows} by {cols}, but the gram matrix is {n} by {n}")]
    Sensitivities {
        /// Rows found.
        rows: usize,
        /// Columns found.
        cols: usize,
        /// Rows and columns of the Gram matrix.
        n: usize,
    },
}

#[cfg(test)]
mod tests {
    use super::KernelError as E;

    #[test]
    fn messages_say_what_was_found_and_what_was_expected() {
        let name = || "block 1 variance".to_owned();
        let cases = [
            (E::NoBlocks, "a kernel needs at least one block"),
            (
                E::Smoothness { found: -1.0, lowest: 0.05, highest: 50.0 },
                "smoothness of a matern kernel must be from 0.05 to 50, got -1",
            ),
            (
                E::Degree { found: 0, highest: 20 },
                "degree of a polynomial kernel must be from 1 to 20, got 0",
            ),
            (
                E::Hyperparameter { name: name(), found: 0.0, lowest: 1e-100, highest: 1e100 },
                "block 1 variance must be between 1e-100 and 1e100, got 0e0",
            ),
            (
                E::Lengthscales { block: 0, expected: 3, found: 2 },
                "block 0 has 2 lengthscales, but its columns need 3",
            ),
            (E::Params { expected: 3, found: 2 }, "expected 3 kernel parameters, got 2"),
            (E::Blocks { expected: 3, found: 2 }, "expected 3 blocks of features, got 2"),
            (E::Rows { block: 1, expected: 3, found: 2 }, "block 1 has 2 rows, but the first block has 3"),
            (E::Columns { block: 1, expected: 3, found: 2 }, "block 1 has 2 columns, expected 3"),
            (
                E::NotFinite { block: 0, row: 1, column: 2, found: f64::INFINITY },
                "feature in block 0, row 1, column 2 must be finite, got inf",
            ),
            (
                E::TooFar { block: 0, row: 1, column: 2, found: 1e120, highest: 1e100 },
                "feature in block 0, row 1, column 2 is 1e120 lengthscales from the mean, more than 1e100",
            ),
            (
                E::Overflow { what: "gram matrix" },
                "gram matrix is not finite: its factors or the given sensitivities are too large",
            ),
            (E::Stale, "the workspace holds no gram matrix of this kernel with its present parameters"),
            (
                E::Sensitivities { rows: 2, cols: 3, n: 4 },
                "sensitivities are 2 by 3, but the gram matrix is 4 by 4",
            ),
        ];
        for (error, message) in cases {
            assert_eq!(error.to_string(), message);
        }
    }
}
