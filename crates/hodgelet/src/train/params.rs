//! Settings of the optimizer.

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Settings of L-BFGS, not yet validated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LbfgsParams {
    /// Number of past steps that shape the next one. An evaluation costs far more than storing steps: a quadratic of
    /// condition 1e8 in 12 parameters takes 5,300 evaluations with 10 and under 300 with 20; banks have dozens.
    pub memory: usize,
    /// Stop after this many accepted steps.
    pub max_iterations: usize,
    /// Stop when no entry of the gradient is larger.
    pub gradient_tolerance: f64,
    /// Stop when a step lowers the objective by less than this share of it (or of 1, where that is larger).
    pub objective_tolerance: f64,
    /// Stop after this time, which is checked after every evaluation.
    pub time_limit: Option<Duration>,
    /// A step must lower the objective by this share of what its first slope promises: `c₁` of the Wolfe conditions.
    pub sufficient_decrease: f64,
    /// A step must bring the slope down to this share: `c₂` of the Wolfe conditions.
    pub curvature: f64,
    /// Evaluations that one line search may take.
    pub max_line_evaluations: usize,
    /// Largest change of any parameter in the first step, before the memory knows the scale.
    pub first_change: f64,
}

impl Default for LbfgsParams {
    fn default() -> Self {
        Self {
            memory: 100,
            max_iterations: 200,
            gradient_tolerance: 1e-5,
            objective_tolerance: 1e-9,
            time_limit: None,
            sufficient_decrease: 1e-4,
            curvature: 0.9,
            max_line_evaluations: 25,
            first_change: 0.5,
        }
    }
}

impl LbfgsParams {
    /// The settings an optimizer can run with, or the first that is invalid.
    ///
    /// # Errors
    ///
    /// [`TrainError`] names that setting.
    pub fn check(self) -> Result<CheckedLbfgsParams, TrainError> {
        let counts = [("memory", self.memory), ("max_line_evaluations", self.max_line_evaluations)];
        if let Some(&(name, _)) = counts.iter().find(|(_, count)| *count == 0) {
            return Err(TrainError::Zero { name });
        }
        let tolerances = [
            ("gradient_tolerance", self.gradient_tolerance),
            ("objective_tolerance", self.objective_tolerance),
        ];
        for (name, found) in tolerances {
            if found.is_nan() || found < 0.0 {
                return Err(TrainError::Tolerance { name, found });
            }
        }
        let (decrease, curvature) = (self.sufficient_decrease, self.curvature);
        if !(0.0 < decrease && decrease < curvature && curvature < 1.0) {
            return Err(TrainError::Wolfe { decrease, curvature });
        }
        if !(self.first_change > 0.0 && self.first_change.is_finite()) {
            return Err(TrainError::FirstChange { found: self.first_change });
        }
        Ok(CheckedLbfgsParams(self))
    }
}

/// Valid settings; only [`LbfgsParams::check`] makes them.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedLbfgsParams(LbfgsParams);

impl CheckedLbfgsParams {
    /// The settings.
    #[must_use]
    pub fn get(&self) -> &LbfgsParams {
        &self.0
    }
}

/// What can be wrong with the settings of the optimizer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TrainError {
    /// A count that must be positive.
    #[error("{name} must be at least 1, got 0")]
    Zero {
        /// The setting.
        name: &'static str,
    },
    /// A tolerance that is negative or not a number.
    #[error("{name} must be 0 or more, got {found}")]
    Tolerance {
        /// The setting.
        name: &'static str,
        /// Its value.
        found: f64,
    },
    /// Constants for which no step need exist.
    #[error("expected 0 < sufficient_decrease < curvature < 1, got {decrease} and {curvature}")]
    Wolfe {
        /// `c₁`.
        decrease: f64,
        /// `c₂`.
        curvature: f64,
    },
    /// A time limit that is not a time.
    #[error("time_limit must be a number of seconds, got {found}")]
    TimeLimit {
        /// Its value.
        found: f64,
    },
    /// A first step that is not positive and finite.
    #[error("first_change must be a finite number above 0, got {found}")]
    FirstChange {
        /// Its value.
        found: f64,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(change: impl FnOnce(&mut LbfgsParams)) -> String {
        let mut params = LbfgsParams::default();
        change(&mut params);
        params.check().unwrap_err().to_string()
    }

    #[test]
    fn settings_without_sense_are_refused() {
        assert!(LbfgsParams::default().check().is_ok());
        assert_eq!(refused(|p| p.memory = 0), "memory must be at least 1, got 0");
        assert_eq!(
            refused(|p| p.gradient_tolerance = f64::NAN),
            "gradient_tolerance must be 0 or more, got NaN"
        );
        assert_eq!(
            refused(|p| p.curvature = 1e-5),
            "expected 0 < sufficient_decrease < curvature < 1, got 0.0001 and 0.00001"
        );
        assert_eq!(
            refused(|p| p.first_change = f64::INFINITY),
            "first_change must be a finite number above 0, got inf"
        );
    }

    #[test]
    fn settings_left_out_of_a_file_take_their_defaults() {
        let read: LbfgsParams = serde_json::from_str(r#"{"memory": 3}"#).unwrap();
        assert_eq!(read, LbfgsParams { memory: 3, ..LbfgsParams::default() });
    }
}
