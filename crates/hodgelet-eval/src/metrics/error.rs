//! What can be wrong with numbers to be scored.

/// What can be wrong with numbers to be scored; positions count from 0.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MetricError {
    /// Too few items.
    #[error("found {found} items, expected at least {least}")]
    Few {
        /// Number of items.
        found: usize,
        /// Number needed.
        least: usize,
    },
    /// Two lists disagree about the number of items.
    #[error("{what}: found {found} values, expected {expected}")]
    Length {
        /// The list.
        what: &'static str,
        /// Its length.
        found: usize,
        /// What the others call for.
        expected: usize,
    },
    /// A number is NaN or infinite.
    #[error("{what} {index}: found {value}, expected a finite number")]
    NotFinite {
        /// The list.
        what: &'static str,
        /// Its position.
        index: usize,
        /// The number.
        value: f64,
    },
    /// A variance is not positive.
    #[error("variance {index}: found {value}, expected a positive number")]
    Variance {
        /// Its position.
        index: usize,
        /// The number.
        value: f64,
    },
    /// A label is not one of the classes.
    #[error("label {index}: found class {label}, expected one of {classes} classes")]
    Label {
        /// Its position.
        index: usize,
        /// The label.
        label: u32,
        /// Number of classes.
        classes: usize,
    },
    /// A number is not a probability.
    #[error("probabilities of item {item}, class {class}: found {value}, expected a number from 0 to 1")]
    Probability {
        /// The item.
        item: usize,
        /// The class.
        class: usize,
        /// The number.
        value: f64,
    },
    /// The probabilities of an item do not add up.
    #[error("probabilities of item {item}: found sum {sum}, expected 1")]
    Sum {
        /// The item.
        item: usize,
        /// Their sum.
        sum: f64,
    },
    /// No bins to put predictions in, or more than a report can hold.
    #[error("found {found} bins, expected 1 to {most}", most = super::MAX_BINS)]
    Bins {
        /// Number of bins.
        found: usize,
    },
    /// The level of an interval is not between 0 and 1.
    #[error("found level {level}, expected a number between 0 and 1")]
    Level {
        /// The level.
        level: f64,
    },
    /// A score is too large for a floating-point number.
    #[error("the {metric} of these numbers is beyond the largest floating-point number")]
    Overflow {
        /// The score.
        metric: &'static str,
    },
}

#[cfg(test)]
mod tests {
    use super::MetricError::*;

    #[test]
    fn messages_say_what_was_found_and_expected() {
        let cases = [
            (Few { found: 0, least: 1 }, "found 0 items, expected at least 1"),
            (Length { what: "mean", found: 2, expected: 3 }, "mean: found 2 values, expected 3"),
            (
                NotFinite { what: "truth", index: 4, value: f64::NAN },
                "truth 4: found NaN, expected a finite number",
            ),
            (Variance { index: 1, value: 0.0 }, "variance 1: found 0, expected a positive number"),
            (Label { index: 0, label: 3, classes: 3 }, "label 0: found class 3, expected one of 3 classes"),
            (
                Probability { item: 2, class: 1, value: 1.5 },
                "probabilities of item 2, class 1: found 1.5, expected a number from 0 to 1",
            ),
            (Sum { item: 2, sum: 0.5 }, "probabilities of item 2: found sum 0.5, expected 1"),
            (Bins { found: 0 }, "found 0 bins, expected 1 to 1000"),
            (Level { level: 1.0 }, "found level 1, expected a number between 0 and 1"),
            (
                Overflow { metric: "rmse" },
                "the rmse of these numbers is beyond the largest floating-point number",
            ),
        ];
        for (error, message) in cases {
            assert_eq!(error.to_string(), message);
        }
    }
}
