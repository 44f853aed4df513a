//! The families of covariance functions, and what they are functions of.

use super::{KernelError, linear, matern, polynomial, rational_quadratic, squared_exponential};
use serde::{Deserialize, Serialize};

/// A covariance function before scaling: of the squared distance `D` or the inner product `s` of two points
/// whose columns were divided by their lengthscales.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "type")]
#[non_exhaustive]
pub enum Family {
    /// `exp(−D/2)`.
    SquaredExponential,
    /// Matérn with ν = 1/2: `exp(−√D)`.
    Matern12,
    /// Matérn with ν = 3/2.
    Matern32,
    /// Matérn with ν = 5/2.
    Matern52,
    /// Matérn with any smoothness, through a Bessel function: a hundred times slower than the closed forms.
    Matern {
        /// Smoothness, from 0.05 to 50; fixed.
        nu: f64,
    },
    /// `(1 + D/2α)^−α` with a trainable α.
    RationalQuadratic,
    /// `s`.
    Linear,
    /// `(s + c)^degree` with a trainable offset `c`.
    Polynomial {
        /// Degree, from 1 to 20; fixed.
        degree: u32,
    },
}

impl Family {
    /// Whether the function depends on the squared distance alone, and is 1 at distance 0.
    #[must_use]
    pub fn is_stationary(self) -> bool {
        !matches!(self, Self::Linear | Self::Polynomial { .. })
    }

    /// Name of the trainable shape parameter, if there is one.
    #[must_use]
    pub fn shape_name(self) -> Option<&'static str> {
        match self {
            Self::RationalQuadratic => Some("alpha"),
            Self::Polynomial { .. } => Some("offset"),
            _ => None,
        }
    }

    /// The closed form of a Matérn function where there is one.
    #[must_use]
    pub fn simplified(self) -> Self {
        match self {
            Self::Matern { nu: 0.5 } => Self::Matern12,
            Self::Matern { nu: 1.5 } => Self::Matern32,
            Self::Matern { nu: 2.5 } => Self::Matern52,
            other => other,
        }
    }

    pub(super) fn check(self) -> Result<(), KernelError> {
        match self {
            Self::Matern { nu } => matern::check(nu),
            Self::Polynomial { degree } => polynomial::check(degree),
            _ => Ok(()),
        }
    }

    /// `values = k(arguments)`; `shape` is ignored by families without one.
    pub(super) fn values(self, shape: f64, arguments: &[f64], values: &mut [f64]) {
        match self {
            Self::SquaredExponential => squared_exponential::values(arguments, values),
            Self::Matern12 => matern::values_12(arguments, values),
            Self::Matern32 => matern::values_32(arguments, values),
            Self::Matern52 => matern::values_52(arguments, values),
            Self::Matern { nu } => matern::values_any(nu, arguments, values),
            Self::RationalQuadratic => rational_quadratic::values(shape, arguments, values),
            Self::Linear => linear::values(arguments, values),
            Self::Polynomial { degree } => polynomial::values(degree, shape, arguments, values),
        }
    }

    /// `weights ← weights · k'(arguments)`; returns the sum of the old weights times `∂k/∂ln shape`.
    pub(super) fn slopes(self, shape: f64, arguments: &[f64], values: &[f64], weights: &mut [f64]) -> f64 {
        match self {
            Self::SquaredExponential => squared_exponential::slopes(values, weights),
            Self::Matern12 => matern::slopes_12(arguments, values, weights),
            Self::Matern32 => matern::slopes_32(arguments, values, weights),
            Self::Matern52 => matern::slopes_52(arguments, values, weights),
            Self::Matern { nu } => matern::slopes_any(nu, arguments, weights),
            Self::RationalQuadratic => {
                return rational_quadratic::slopes(shape, arguments, values, weights);
            }
            Self::Linear => {}
            Self::Polynomial { degree } => {
                return polynomial::slopes(degree, shape, arguments, weights);
            }
        }
        0.0
    }
}

impl std::fmt::Display for Family {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::SquaredExponential => f.write_str("se"),
            Self::Matern12 => f.write_str("matern12"),
            Self::Matern32 => f.write_str("matern32"),
            Self::Matern52 => f.write_str("matern52"),
            Self::Matern { nu } => write!(f, "matern:{nu:?}"),
            Self::RationalQuadratic => f.write_str("rq"),
            Self::Linear => f.write_str("linear"),
            Self::Polynomial { degree } => write!(f, "poly:{degree}"),
        }
    }
}

impl std::str::FromStr for Family {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Ok(match text.split_once(':').unwrap_or((text, "")) {
            ("se", "") => Self::SquaredExponential,
            ("matern12", "") => Self::Matern12,
            ("matern32", "") => Self::Matern32,
            ("matern52", "") => Self::Matern52,
            ("rq", "") => Self::RationalQuadratic,
            ("linear", "") => Self::Linear,
            ("matern", nu) => Self::Matern { nu: nu.parse().map_err(|_| ())? },
            ("poly", degree) => Self::Polynomial { degree: degree.parse().map_err(|_| ())? },
            _ => return Err(()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Family; 8] = [
        Family::SquaredExponential,
        Family::Matern12,
        Family::Matern32,
        Family::Matern52,
        Family::Matern { nu: 1.9 },
        Family::RationalQuadratic,
        Family::Linear,
        Family::Polynomial { degree: 3 },
    ];

    fn value(family: Family, shape: f64, argument: f64) -> f64 {
        let mut out = [0.0];
        family.values(shape, &[argument], &mut out);
        out[0]
    }

    #[test]
    fn slopes_equal_central_differences_in_argument_and_shape() {
        for family in ALL {
            for argument in [0.2, 1.0, 7.0] {
                let (shape, h) = (1.3, 1e-5);
                let mut weight = [2.0];
                let by_shape =
                    family.slopes(shape, &[argument], &[value(family, shape, argument)], &mut weight);
                let numeric =
                    (value(family, shape, argument + h) - value(family, shape, argument - h)) / (2.0 * h);
                assert!((weight[0] - 2.0 * numeric).abs() < 1e-7 * (1.0 + numeric.abs()), "{family:?}");
                let (up, down) = (shape * h.exp(), shape * (-h).exp());
                let numeric = (value(family, up, argument) - value(family, down, argument)) / (2.0 * h);
                assert!((by_shape - 2.0 * numeric).abs() < 1e-7 * (1.0 + numeric.abs()), "{family:?}");
            }
        }
    }

    #[test]
    fn stationary_families_are_one_at_zero_and_vanish_far_away() {
        for family in ALL.into_iter().filter(|f| f.is_stationary()) {
            assert_eq!(value(family, 1.3, 0.0), 1.0, "{family:?}");
            let far = value(family, 1.3, 1e200);
            assert!((0.0..1e-200).contains(&far), "{family:?}: {far}");
        }
    }

    #[test]
    fn names_are_read_back() {
        for family in ALL {
            assert_eq!(family.to_string().parse(), Ok(family));
        }
        for wrong in ["rbf", "poly:x", "matern", "se:2"] {
            assert_eq!(wrong.parse::<Family>(), Err(()), "{wrong}");
        }
    }

    #[test]
    fn half_integer_smoothness_takes_the_closed_form() {
        assert_eq!(Family::Matern { nu: 1.5 }.simplified(), Family::Matern32);
        assert_eq!(Family::Matern { nu: 1.6 }.simplified(), Family::Matern { nu: 1.6 });
    }
}
