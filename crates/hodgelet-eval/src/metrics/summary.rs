//! One score over several folds.

use super::{MetricError, all_finite, finite, some_items};
use serde::{Deserialize, Serialize};

/// Mean and spread of a score over folds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Mean.
    pub mean: f64,
    /// Standard deviation of these values as a population (divided by `n`), what published tables print.
    pub std: f64,
    /// Standard error of the mean: the sample standard deviation (divided by `n − 1`) over `√n`; absent for one
    /// value. Folds share training items, so this understates the uncertainty.
    pub standard_error: Option<f64>,
    /// Number of values.
    pub n: usize,
}

impl Summary {
    /// The summary of `values`.
    ///
    /// # Errors
    ///
    /// [`MetricError`] when there are none, or one is not finite.
    pub fn of(values: &[f64]) -> Result<Self, MetricError> {
        let n = values.len();
        some_items(n)?;
        all_finite("value", values)?;
        let mean = finite("mean", values.iter().sum::<f64>() / n as f64)?;
        let squares = finite("std", values.iter().map(|v| (v - mean).powi(2)).sum())?;
        let standard_error = (n > 1).then(|| (squares / (n - 1) as f64 / n as f64).sqrt());
        Ok(Self { mean, std: (squares / n as f64).sqrt(), standard_error, n })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn std_is_of_the_population_and_the_error_of_a_sample() {
        let found = Summary::of(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]).unwrap();
        assert_eq!((found.mean, found.std, found.n), (5.0, 2.0, 8));
        assert!((found.standard_error.unwrap() - (32.0f64 / 7.0 / 8.0).sqrt()).abs() < 1e-15);
    }

    #[test]
    fn one_value_has_no_standard_error() {
        let found = Summary::of(&[3.5]).unwrap();
        assert_eq!(found, Summary { mean: 3.5, std: 0.0, standard_error: None, n: 1 });
    }

    #[test]
    fn no_values_and_values_that_are_not_finite_are_refused() {
        assert_eq!(Summary::of(&[]), Err(MetricError::Few { found: 0, least: 1 }));
        assert!(matches!(Summary::of(&[1.0, f64::NAN]), Err(MetricError::NotFinite { index: 1, .. })));
        assert_eq!(Summary::of(&[f64::MAX; 2]), Err(MetricError::Overflow { metric: "mean" }));
        assert_eq!(Summary::of(&[1e300, -1e300]), Err(MetricError::Overflow { metric: "std" }));
    }
}
