//! Positive scales from unconstrained parameters.

use serde::{Deserialize, Serialize};

/// Smallest and largest scale a bank accepts: wide enough for any spectrum, and narrow enough that no product
/// of a scale, its inverse and an eigenvalue below 1e200 leaves the range of double precision.
pub const SCALE_RANGE: (f64, f64) = (1e-100, 1e100);

/// How a positive scale `s` depends on an unconstrained parameter `p`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScaleTransform {
    /// `s = e^p`
    #[default]
    Log,
    /// `s = ln(1 + e^p)`
    Softplus,
}

impl ScaleTransform {
    /// The scale of a parameter.
    ///
    /// ```
    /// use hodgelet::wavelet::ScaleTransform;
    /// assert_eq!(ScaleTransform::Log.scale(0.0), 1.0);
    /// assert_eq!(ScaleTransform::Softplus.scale(0.0), 2.0f64.ln());
    /// ```
    #[must_use]
    pub fn scale(self, parameter: f64) -> f64 {
        match self {
            Self::Log => parameter.exp(),
            Self::Softplus => parameter.max(0.0) + (-parameter.abs()).exp().ln_1p(),
        }
    }

    /// The parameter of a scale, the inverse of [`scale`](Self::scale).
    #[must_use]
    pub fn parameter(self, scale: f64) -> f64 {
        match self {
            Self::Log => scale.ln(),
            // ln(e^s − 1) = s + ln(1 − e^{−s})
            Self::Softplus => scale + (-(-scale).exp_m1()).ln(),
        }
    }

    /// Derivative of the scale in its parameter.
    #[must_use]
    pub fn derivative(self, parameter: f64) -> f64 {
        match self {
            Self::Log => parameter.exp(),
            Self::Softplus => 1.0 / (1.0 + (-parameter).exp()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn parameters_and_scales_are_inverse(exponent in -30.0..30.0f64) {
            for transform in [ScaleTransform::Log, ScaleTransform::Softplus] {
                let scale = exponent.exp();
                let back = transform.scale(transform.parameter(scale));
                prop_assert!((back / scale - 1.0).abs() < 1e-12, "{transform:?}: {scale} -> {back}");
            }
        }

        #[test]
        fn the_derivative_equals_a_finite_difference(p in -20.0..20.0f64) {
            for transform in [ScaleTransform::Log, ScaleTransform::Softplus] {
                let difference = (transform.scale(p + 1e-5) - transform.scale(p - 1e-5)) / 2e-5;
                let exact = transform.derivative(p);
                prop_assert!((difference / exact - 1.0).abs() < 1e-8, "{transform:?}: {difference} {exact}");
            }
        }
    }

    #[test]
    fn names_are_kebab_case() {
        assert_eq!(serde_json::to_string(&ScaleTransform::Softplus).unwrap(), "\"softplus\"");
    }
}
