//! What can be wrong with the settings of a built-in dataset.

/// What can be wrong with the settings of a built-in dataset.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GenerateError {
    /// A whole number is out of range.
    #[error("{name} is {found}, expected {lowest} to {highest}")]
    Count {
        /// Name of the parameter.
        name: &'static str,
        /// What was found.
        found: usize,
        /// Smallest value accepted.
        lowest: usize,
        /// Largest value accepted.
        highest: usize,
    },
    /// A real number is out of range.
    #[error("{name} is {found}, expected {expected}")]
    Real {
        /// Name of the parameter.
        name: &'static str,
        /// What was found.
        found: f64,
        /// What is accepted.
        expected: &'static str,
    },
    /// A range of whole numbers is invalid.
    #[error("{name} is {first}..{last}, expected {lowest} <= first <= last <= {highest}")]
    CountRange {
        /// Name of the parameter.
        name: &'static str,
        /// First value.
        first: usize,
        /// Last value.
        last: usize,
        /// Smallest value accepted.
        lowest: usize,
        /// Largest value accepted.
        highest: usize,
    },
    /// A range of real numbers is invalid.
    #[error("{name} is {first}..{last}, expected {expected}")]
    RealRange {
        /// Name of the parameter.
        name: &'static str,
        /// First value.
        first: f64,
        /// Last value.
        last: f64,
        /// What is accepted.
        expected: &'static str,
    },
    /// Noise on the field needs points at which the field is seen.
    #[error("noise on the field with n_quadrature = 0, expected at least 1 quadrature point")]
    NoiseWithoutPoints,
    /// A setting is not of the form `name=value`.
    #[error("setting `{found}`, expected `name=value`")]
    Setting {
        /// What was found.
        found: String,
    },
    /// A parameter that the dataset does not have.
    #[error("{dataset} has no parameter `{name}`, expected one of {}", expected.join(", "))]
    UnknownParameter {
        /// Name of the dataset.
        dataset: &'static str,
        /// The parameter asked for.
        name: String,
        /// The parameters there are.
        expected: Vec<String>,
    },
    /// A value that the parameter cannot take.
    #[error("{name} = `{value}`: {reason}")]
    Value {
        /// Name of the parameter.
        name: String,
        /// The value given.
        value: String,
        /// Why it does not fit.
        reason: String,
    },
}

/// Checks that a count lies in a range.
pub(super) fn check_count(
    name: &'static str,
    found: usize,
    (lowest, highest): (usize, usize),
) -> Result<(), GenerateError> {
    if (lowest..=highest).contains(&found) {
        Ok(())
    } else {
        Err(GenerateError::Count { name, found, lowest, highest })
    }
}

/// Checks that an inclusive range of counts is not reversed and lies in a range.
pub(super) fn check_count_range(
    name: &'static str,
    (first, last): (usize, usize),
    (lowest, highest): (usize, usize),
) -> Result<(), GenerateError> {
    if lowest <= first && first <= last && last <= highest {
        Ok(())
    } else {
        Err(GenerateError::CountRange { name, first, last, lowest, highest })
    }
}

/// Checks that a number is a probability.
pub(super) fn check_probability(name: &'static str, found: f64) -> Result<(), GenerateError> {
    if (0.0..=1.0).contains(&found) {
        Ok(())
    } else {
        Err(GenerateError::Real { name, found, expected: "a probability, 0 to 1" })
    }
}
