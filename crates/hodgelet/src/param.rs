//! Trainable values with a constraint: a transform from the real line, and a prior on the logarithm.
//!
//! Optimizers move an unconstrained number `u`; the model sees `x = f(u)`. Derivatives come back by
//! `∂/∂u = f'(u) ∂/∂x`.

use crate::choice::choices;
use serde::{Deserialize, Serialize};

choices! {
    /// How an unconstrained number becomes a positive one.
    pub enum Transform {
        /// `x = exp(u)`.
        #[default]
        Log,
        /// Nearly linear for large values: `x = ln(1 + exp(u))`.
        Softplus,
    }
}

impl Transform {
    /// The constrained value `x` of `u`.
    #[must_use]
    pub fn forward(self, u: f64) -> f64 {
        match self {
            Self::Log => u.exp(),
            // ln(1 + eᵘ) = max(u, 0) + ln(1 + e^−|u|): neither side overflows.
            Self::Softplus => u.max(0.0) + (-u.abs()).exp().ln_1p(),
        }
    }

    /// The unconstrained value `u` whose image is `x`.
    ///
    /// # Errors
    ///
    /// [`ParamError::Outside`] when no finite `u` has that image.
    pub fn inverse(self, x: f64) -> Result<f64, ParamError> {
        let u = match self {
            Self::Log => x.ln(),
            // u = ln(eˣ − 1) = x + ln(1 − e^−x)
            Self::Softplus => x + (-(-x).exp_m1()).ln(),
        };
        if u.is_finite() { Ok(u) } else { Err(ParamError::Outside { value: x }) }
    }

    /// `f'(u)`.
    #[must_use]
    pub fn derivative(self, u: f64) -> f64 {
        match self {
            Self::Log => u.exp(),
            // Where e^−u overflows the derivative is 0.
            Self::Softplus => 1.0 / (1.0 + (-u).exp()),
        }
    }
}

/// A normal distribution of the logarithm of a positive value.
///
/// The density is taken with respect to the logarithm, so that it is highest at the center.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "UncheckedLogNormal", into = "UncheckedLogNormal")]
pub struct LogNormal {
    center: f64,
    deviation: f64,
}

#[derive(Serialize, Deserialize)]
struct UncheckedLogNormal {
    center: f64,
    deviation: f64,
}

impl TryFrom<UncheckedLogNormal> for LogNormal {
    type Error = ParamError;

    fn try_from(raw: UncheckedLogNormal) -> Result<Self, ParamError> {
        Self::new(raw.center, raw.deviation)
    }
}

impl From<LogNormal> for UncheckedLogNormal {
    fn from(prior: LogNormal) -> Self {
        Self { center: prior.center, deviation: prior.deviation }
    }
}

impl LogNormal {
    /// A prior with median `center` and standard deviation `deviation` of the logarithm.
    ///
    /// # Errors
    ///
    /// [`ParamError`] unless both are positive and finite.
    pub fn new(center: f64, deviation: f64) -> Result<Self, ParamError> {
        Transform::Log.inverse(center)?;
        if deviation > 0.0 && deviation.is_finite() {
            Ok(Self { center, deviation })
        } else {
            Err(ParamError::Deviation { found: deviation })
        }
    }

    /// The median of the value.
    #[must_use]
    pub fn center(&self) -> f64 {
        self.center
    }

    /// The standard deviation of the logarithm.
    #[must_use]
    pub fn deviation(&self) -> f64 {
        self.deviation
    }

    /// Log density at a value whose logarithm is `log_value`, and its derivative in that logarithm.
    #[must_use]
    pub fn log_density(&self, log_value: f64) -> (f64, f64) {
        let z = (log_value - self.center.ln()) / self.deviation;
        let normalizer = self.deviation.ln() + 0.5 * (2.0 * std::f64::consts::PI).ln();
        (-0.5 * z * z - normalizer, -z / self.deviation)
    }
}

/// A trained value: its name, how it is constrained, its prior and its bounds.
#[derive(Clone, Debug, PartialEq)]
pub struct Param {
    /// What it is.
    pub name: String,
    /// From the number that an optimizer moves to the value.
    pub transform: Transform,
    /// The prior, if there is one.
    pub prior: Option<LogNormal>,
    /// Smallest and largest value.
    pub range: (f64, f64),
}

impl Param {
    /// The logarithm of the value at `u`, and its derivative in `u`.
    #[must_use]
    pub fn log_value(&self, u: f64) -> (f64, f64) {
        let value = self.transform.forward(u);
        (value.ln(), self.transform.derivative(u) / value)
    }

    /// The `u` at which the logarithm of the value is `z` deviations from the center of the prior, and its derivative in
    /// `z`; none without a prior, or out of reach.
    #[must_use]
    pub fn at_standard(&self, z: f64) -> Option<(f64, f64)> {
        let prior = self.prior?;
        let log = prior.center.ln() + prior.deviation * z;
        let u = match self.transform {
            Transform::Log => log,
            Transform::Softplus => self.transform.inverse(log.exp()).ok()?,
        };
        let slope = self.log_value(u).1;
        Some((u, prior.deviation / slope)).filter(|(u, d)| u.is_finite() && d.is_finite())
    }

    /// The log density of the prior at `u`, and its derivative in `u`; zeros without a prior.
    #[must_use]
    pub fn log_prior(&self, u: f64) -> (f64, f64) {
        let Some(prior) = &self.prior else { return (0.0, 0.0) };
        let (log, slope) = self.log_value(u);
        let (density, derivative) = prior.log_density(log);
        (density, derivative * slope)
    }
}

/// What can be wrong with a trainable value or its prior.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ParamError {
    /// A value that the transform cannot reach.
    #[error("value must be a finite number above 0, got {value}")]
    Outside {
        /// The value found.
        value: f64,
    },
    /// A prior without a positive, finite width.
    #[error("standard deviation of a prior must be a finite number above 0, got {found}")]
    Deviation {
        /// The standard deviation found.
        found: f64,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choice::Choice;

    #[test]
    fn inverse_undoes_forward() {
        for &transform in Transform::ALL {
            for i in -60..=60 {
                let u = f64::from(i) * 0.5;
                let back = transform.inverse(transform.forward(u)).unwrap();
                assert!((back - u).abs() <= 1e-14 * (1.0 + u.abs()), "{transform:?} at {u}: {back}");
            }
        }
    }

    #[test]
    fn derivatives_equal_central_differences() {
        for &transform in Transform::ALL {
            for u in [-8.0, -1.0, 0.0, 0.3, 2.0, 9.0] {
                let h = 1e-5;
                let numeric = (transform.forward(u + h) - transform.forward(u - h)) / (2.0 * h);
                let analytic = transform.derivative(u);
                assert!((numeric - analytic).abs() <= 1e-8 * analytic.max(1e-2), "{transform:?} at {u}");
            }
        }
    }

    #[test]
    fn extreme_numbers_stay_in_the_domain() {
        assert_eq!(Transform::Softplus.forward(1e6), 1e6);
        assert_eq!(Transform::Softplus.forward(-1e6), 0.0);
        assert_eq!(Transform::Softplus.derivative(-1e6), 0.0);
    }

    #[test]
    fn prior_is_the_normal_density_of_the_logarithm() {
        let prior = LogNormal::new(2.0, 0.5).unwrap();
        let (peak, slope) = prior.log_density(2f64.ln());
        assert!((peak - -(0.5 * (2.0 * std::f64::consts::PI).sqrt()).ln()).abs() < 1e-14);
        assert_eq!(slope, 0.0);
        let (one_deviation, _) = prior.log_density(2f64.ln() + 0.5);
        assert!((peak - one_deviation - 0.5).abs() < 1e-14);
    }

    #[test]
    fn prior_gradients_equal_central_differences() {
        let prior = LogNormal::new(0.3, 0.8).ok();
        for &transform in Transform::ALL {
            for u in [-50.0, -3.0, 0.1, 1.5] {
                let param = Param { name: "scale".to_owned(), transform, prior, range: (0.0, 1.0) };
                let numeric = (param.log_prior(u + 1e-5).0 - param.log_prior(u - 1e-5).0) / 2e-5;
                let analytic = param.log_prior(u).1;
                assert!((numeric - analytic).abs() < 1e-6 * (1.0 + analytic.abs()), "{transform:?} at {u}");
                assert_eq!(Param { prior: None, ..param }.log_prior(u), (0.0, 0.0));
            }
        }
    }

    #[test]
    fn priors_survive_json() {
        let prior = LogNormal::new(1.0, 2.0).unwrap();
        let text = serde_json::to_string(&prior).unwrap();
        assert_eq!(serde_json::from_str::<LogNormal>(&text).unwrap(), prior);
        assert!(serde_json::from_str::<LogNormal>(&text.replace("2.0", "-2.0")).is_err());
    }

    #[test]
    fn messages_say_what_was_found() {
        let negative = Transform::Softplus.inverse(-1.0).unwrap_err();
        assert_eq!(negative.to_string(), "value must be a finite number above 0, got -1");
        let flat = LogNormal::new(1.0, 0.0).unwrap_err();
        assert_eq!(flat.to_string(), "standard deviation of a prior must be a finite number above 0, got 0");
    }
}
