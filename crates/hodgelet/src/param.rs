//! Trainable values with a constraint: a transform from the real line, and a prior on the logarithm.
//!
//! Optimizers move an unconstrained number `u`; the model sees `x = f(u)`. Derivatives come back by
//! `∂/∂u = f'(u) ∂/∂x`.

use serde::{Deserialize, Serialize};

/// How an unconstrained number becomes a constrained one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Transform {
    /// Positive: `x = exp(u)`.
    Log,
    /// Positive, nearly linear for large values: `x = ln(1 + exp(u))`.
    Softplus,
    /// Between 0 and 1: `x = 1 / (1 + exp(−u))`.
    Logit,
}

impl Transform {
    /// The constrained value `x` of `u`.
    #[must_use]
    pub fn forward(self, u: f64) -> f64 {
        match self {
            Self::Log => u.exp(),
            // ln(1 + eᵘ) = max(u, 0) + ln(1 + e^−|u|): neither side overflows.
            Self::Softplus => u.max(0.0) + (-u.abs()).exp().ln_1p(),
            Self::Logit => sigmoid(u),
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
            Self::Logit => x.ln() - (-x).ln_1p(),
        };
        if u.is_finite() { Ok(u) } else { Err(ParamError::Outside { transform: self, value: x }) }
    }

    /// `f'(u)`.
    #[must_use]
    pub fn derivative(self, u: f64) -> f64 {
        match self {
            Self::Log => u.exp(),
            // Where e^−u overflows the derivative is 0.
            Self::Softplus => 1.0 / (1.0 + (-u).exp()),
            Self::Logit => sigmoid(u) * sigmoid(-u),
        }
    }

    /// The values `x` may take, for messages.
    fn domain(self) -> &'static str {
        match self {
            Self::Log | Self::Softplus => "a finite number above 0",
            Self::Logit => "a number between 0 and 1",
        }
    }
}

fn sigmoid(u: f64) -> f64 {
    // Written with e^−|u|, which cannot overflow.
    let e = (-u.abs()).exp();
    if u >= 0.0 { 1.0 / (1.0 + e) } else { e / (1.0 + e) }
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

/// A trainable value: where it is on the real line, how it is constrained, and what was believed of it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Param {
    unconstrained: f64,
    transform: Transform,
    prior: Option<LogNormal>,
}

impl Param {
    /// A value without a prior.
    ///
    /// # Errors
    ///
    /// [`ParamError::Outside`] when `value` is not in the image of `transform`.
    pub fn new(value: f64, transform: Transform) -> Result<Self, ParamError> {
        Ok(Self { unconstrained: transform.inverse(value)?, transform, prior: None })
    }

    /// The same value with a prior.
    #[must_use]
    pub fn with_prior(self, prior: LogNormal) -> Self {
        Self { prior: Some(prior), ..self }
    }

    /// The constrained value.
    #[must_use]
    pub fn value(&self) -> f64 {
        self.transform.forward(self.unconstrained)
    }

    /// The number an optimizer moves.
    #[must_use]
    pub fn unconstrained(&self) -> f64 {
        self.unconstrained
    }

    /// Moves the unconstrained number.
    ///
    /// # Errors
    ///
    /// [`ParamError::NotFinite`] when it is not finite; the value then stays as it was.
    pub fn set_unconstrained(&mut self, unconstrained: f64) -> Result<(), ParamError> {
        if !unconstrained.is_finite() {
            return Err(ParamError::NotFinite { found: unconstrained });
        }
        self.unconstrained = unconstrained;
        Ok(())
    }

    /// The derivative in the unconstrained number, from the one in the value.
    #[must_use]
    pub fn pull_back(&self, derivative: f64) -> f64 {
        derivative * self.transform.derivative(self.unconstrained)
    }

    /// Log density of the prior at this value, and its derivative in the unconstrained number; `(0, 0)`
    /// without a prior.
    #[must_use]
    pub fn log_prior(&self) -> (f64, f64) {
        let Some(prior) = self.prior else { return (0.0, 0.0) };
        let (log_value, slope) = match self.transform {
            Transform::Log => (self.unconstrained, 1.0),
            Transform::Softplus | Transform::Logit => self.log_value(),
        };
        let (density, derivative) = prior.log_density(log_value);
        (density, derivative * slope)
    }

    /// `ln x` and its derivative in `u`, without underflow for very negative `u`.
    fn log_value(&self) -> (f64, f64) {
        let u = self.unconstrained;
        // Both transforms behave as eᵘ there, to the last bit.
        if u < -40.0 {
            return (u, 1.0);
        }
        let value = self.value();
        (value.ln(), self.transform.derivative(u) / value)
    }
}

/// What can be wrong with a trainable value or its prior.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ParamError {
    /// A value that the transform cannot reach.
    #[error("value must be {}, got {value}", .transform.domain())]
    Outside {
        /// The transform asked for.
        transform: Transform,
        /// The value found.
        value: f64,
    },
    /// An unconstrained number that is infinite or not a number.
    #[error("unconstrained value must be finite, got {found}")]
    NotFinite {
        /// The number found.
        found: f64,
    },
    /// A prior without a positive, finite width.
    #[error("standard deviation of a prior must be a finite number above 0, got {found}")]
    Deviation {
        /// The deviation found.
        found: f64,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Transform; 3] = [Transform::Log, Transform::Softplus, Transform::Logit];

    #[test]
    fn inverse_undoes_forward() {
        for transform in ALL {
            for i in -60..=60 {
                let u = f64::from(i) * 0.5;
                let back = transform.inverse(transform.forward(u)).unwrap();
                // A logit near 1 loses the digits of 1 − x.
                let tolerance = if transform == Transform::Logit { 1e-15 * (1.0 + u.exp()) } else { 1e-14 };
                assert!((back - u).abs() <= tolerance * (1.0 + u.abs()), "{transform:?} at {u}: {back}");
            }
        }
    }

    #[test]
    fn derivatives_equal_central_differences() {
        for transform in ALL {
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
        assert_eq!([-1e6, 1e6].map(|u| Transform::Softplus.derivative(u)), [0.0, 1.0]);
        assert_eq!(Transform::Logit.forward(1e6), 1.0);
        assert_eq!(Transform::Logit.derivative(-1e6), 0.0);
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
        let prior = LogNormal::new(0.3, 0.8).unwrap();
        for transform in ALL {
            for u in [-50.0, -3.0, 0.1, 1.5] {
                let mut param = Param::new(0.5, transform).unwrap().with_prior(prior);
                let mut at = |u| {
                    param.set_unconstrained(u).unwrap();
                    param.log_prior()
                };
                let numeric = (at(u + 1e-5).0 - at(u - 1e-5).0) / 2e-5;
                let analytic = at(u).1;
                assert!((numeric - analytic).abs() < 1e-6 * (1.0 + analytic.abs()), "{transform:?} at {u}");
            }
        }
    }

    #[test]
    fn params_survive_json() {
        let param = Param::new(0.25, Transform::Log).unwrap().with_prior(LogNormal::new(1.0, 2.0).unwrap());
        let text = serde_json::to_string(&param).unwrap();
        assert_eq!(serde_json::from_str::<Param>(&text).unwrap(), param);
        let broken = text.replace("2.0", "-2.0");
        assert!(serde_json::from_str::<Param>(&broken).is_err());
    }

    #[test]
    fn messages_say_what_was_found() {
        let outside = Transform::Logit.inverse(1.5).unwrap_err();
        assert_eq!(outside.to_string(), "value must be a number between 0 and 1, got 1.5");
        let negative = Transform::Softplus.inverse(-1.0).unwrap_err();
        assert_eq!(negative.to_string(), "value must be a finite number above 0, got -1");
        let flat = LogNormal::new(1.0, 0.0).unwrap_err();
        assert_eq!(flat.to_string(), "standard deviation of a prior must be a finite number above 0, got 0");
        let moved = Param::new(1.0, Transform::Log).unwrap().set_unconstrained(f64::INFINITY).unwrap_err();
        assert_eq!(moved.to_string(), "unconstrained value must be finite, got inf");
    }
}
