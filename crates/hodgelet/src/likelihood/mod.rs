//! Likelihoods: how targets follow from latent values, and expectations of their logarithm under Gaussians.
//!
//! [`LikelihoodParams`] says which one and is checked into a [`Likelihood`], which holds its quadrature. Given the
//! marginal means and variances of `q` at each latent point, a likelihood returns `Σ E_q[log p(y | f)]` with its
//! derivatives in both (exact derivatives of the computed sum), and predictive probabilities and log densities.
//! Several observations may share a latent point: see [`Observations`].

mod batch;
mod bernoulli;
mod expected_log;
mod gaussian;
mod gumbel;
mod label_regression;
mod logistic;
mod mixture;
mod noise;
pub mod normal;
mod observations;
mod ordinal;
mod panels;
pub mod points;
mod poisson;
pub mod quadrature;
mod robust_max;
mod softmax;
mod special;
mod student_t;

pub use batch::Expectations;
pub use bernoulli::{Bernoulli, Link};
pub use gaussian::Gaussian;
pub(crate) use label_regression::MOST_BEND;
pub use label_regression::{LabelLink, LabelRegression};
pub use mixture::{Component, Mixture};
pub use noise::NoiseComponent;
pub(crate) use noise::NoiseSums;
pub use observations::{Labels, ObservationError, Observations, RealGroup, Reals, WEIGHT_RANGE};
pub use ordinal::Ordinal;
pub use poisson::Poisson;
pub use robust_max::RobustMax;
pub use softmax::Softmax;
pub use student_t::StudentT;

pub(crate) use bernoulli::sign;

use serde::{Deserialize, Serialize};

/// Smallest variance under which expectations are taken. Derivatives in the variance are differences over a
/// standard deviation: at 1e-6 they are still good to 1e-10, and the value is off by 1e-12 at most.
pub(crate) const VARIANCE_FLOOR: f64 = 1e-12;

/// Which likelihood, with its settings, not yet validated.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "type")]
pub enum LikelihoodParams {
    /// Two classes, one latent function.
    Bernoulli {
        /// The map from latent value to probability.
        link: Link,
        /// Gauss–Hermite nodes.
        nodes: usize,
    },
    /// Several classes by the largest latent value.
    RobustMax {
        /// Probability that the largest latent value does not name the class.
        epsilon: f64,
        /// Distribution functions are squashed to `(1 − 2 squash) Φ + squash`.
        squash: f64,
        /// Gauss–Hermite nodes.
        nodes: usize,
    },
    /// Several classes by the softmax of the latent values.
    Softmax {
        /// Gauss–Hermite nodes in each dimension, for up to three classes, in training.
        nodes: usize,
        /// Fixed points of an expectation in training, for more than three classes.
        points: usize,
    },
    /// Several classes by regression on the labels; the variance of the noise is learned, and the sharpness of the
    /// probabilities is fitted to points left out.
    LabelRegression,
    /// Classes in an order, by thresholds on one latent function; the gaps between them are learned.
    Ordinal {
        /// Gauss–Hermite nodes.
        nodes: usize,
    },
    /// Real targets; the variance of the noise is learned.
    Gaussian,
    /// Real targets with noise that depends on covariates of the point: the variance where all are 0 is learned, and the
    /// factor by which each covariate multiplies it. As a [`Likelihood`] it is a Gaussian.
    ScaledGaussian {
        /// Number of covariates.
        n_covariates: usize,
    },
    /// Real targets with gross errors among them; the scale of the noise and its degrees of freedom are learned.
    StudentT,
    /// Counts with a Poisson distribution, on the scale of the logarithm.
    Poisson {
        /// The expected count where the latent value is 0.
        rate: f64,
    },
}

impl LikelihoodParams {
    /// Probit without a floor, 20 nodes.
    pub const PROBIT: Self = Self::Bernoulli { link: Link::Probit { floor: 0.0 }, nodes: 20 };
    /// Logit, 20 nodes.
    pub const LOGIT: Self = Self::Bernoulli { link: Link::Logit, nodes: 20 };
    /// Robust-max as in GPflow: ε = 1e-3, squash 1e-6, 20 nodes.
    pub const ROBUST_MAX: Self = Self::RobustMax { epsilon: 1e-3, squash: 1e-6, nodes: 20 };
    /// Ordered probit, 20 nodes.
    pub const ORDINAL: Self = Self::Ordinal { nodes: 20 };
    /// Softmax with 20 nodes, or 128 points.
    pub const SOFTMAX: Self = Self::Softmax { nodes: 20, points: 128 };

    /// The likelihood of `n_classes` classes (ignored by real targets), or the first setting that is
    /// invalid.
    ///
    /// # Errors
    ///
    /// [`LikelihoodError`] naming the setting.
    pub fn check(self, n_classes: usize) -> Result<Likelihood, LikelihoodError> {
        match self {
            Self::Bernoulli { link, nodes } => {
                if n_classes != 2 {
                    return Err(LikelihoodError::NotTwoClasses { found: n_classes });
                }
                if let Link::Probit { floor } = link {
                    check_range("floor", floor, 0.0 <= floor, 0.5)?;
                }
                check_size("nodes", nodes, MOST_NODES)?;
                Ok(Likelihood::Bernoulli(Bernoulli::new(link, nodes)))
            }
            Self::RobustMax { epsilon, squash, nodes } => {
                check_classes(n_classes)?;
                check_range("epsilon", epsilon, 0.0 < epsilon, 0.5)?;
                check_range("squash", squash, 0.0 <= squash, 0.5)?;
                check_size("nodes", nodes, MOST_NODES)?;
                Ok(Likelihood::RobustMax(RobustMax::new(epsilon, squash, nodes, n_classes), n_classes))
            }
            Self::Softmax { nodes, points } => {
                check_classes(n_classes)?;
                check_size("nodes", nodes, MOST_NODES)?;
                check_size("points", points, MOST_POINTS)?;
                Ok(Likelihood::Softmax(Softmax::new(nodes, points, n_classes), n_classes))
            }
            Self::LabelRegression => {
                check_classes(n_classes)?;
                Ok(Likelihood::LabelRegression(LabelRegression::new(INITIAL_NOISE, n_classes)))
            }
            Self::Ordinal { nodes } => {
                check_classes(n_classes)?;
                check_size("nodes", nodes, MOST_NODES)?;
                Ok(Likelihood::Ordinal(Ordinal::new(n_classes, nodes)))
            }
            Self::Gaussian => Likelihood::gaussian(INITIAL_NOISE),
            Self::ScaledGaussian { n_covariates } => {
                check_size("covariates", n_covariates, MOST_COVARIATES)?;
                Likelihood::scaled_gaussian(INITIAL_NOISE, &vec![1.0; n_covariates])
            }
            Self::Poisson { rate } => {
                check_range("rate", rate, 0.0 < rate, 1e150)?;
                Ok(Likelihood::Poisson(Poisson::new(rate)))
            }
            Self::StudentT => {
                let scale = (INITIAL_NOISE * INITIAL_EXCESS / (INITIAL_EXCESS + 2.0)).sqrt();
                Likelihood::student_t(scale, INITIAL_EXCESS)
            }
        }
    }

    /// Whether targets are real numbers.
    #[must_use]
    pub fn is_real(&self) -> bool {
        matches!(self, Self::Gaussian | Self::ScaledGaussian { .. } | Self::StudentT | Self::Poisson { .. })
    }

    /// Number of learned values, for `n_classes` classes (ignored by real targets).
    #[must_use]
    pub fn n_learned(&self, n_classes: usize) -> usize {
        match self {
            Self::Gaussian | Self::LabelRegression => 1,
            Self::ScaledGaussian { n_covariates } => n_covariates.saturating_add(1),
            Self::StudentT => 2,
            Self::Ordinal { .. } => n_classes.saturating_sub(2),
            _ => 0,
        }
    }
}

/// Noise variance of standardized real targets before training.
const INITIAL_NOISE: f64 = 0.1;

/// Degrees of freedom above 2 of Student-t noise before training.
const INITIAL_EXCESS: f64 = 8.0;

/// Name of what is learned of ordered classes, and how large it may be.
const THRESHOLD_GAP: &str = "gap between thresholds";
const MOST_GAP: f64 = 1e6;

/// Beyond this many Gauss–Hermite nodes the outer weights are below the smallest number.
const MOST_NODES: usize = 300;

/// Bound on covariates of noise: a file may ask for any number.
const MOST_COVARIATES: usize = 1000;

/// Bound on quasi-random points: the lattice takes time quadratic in it.
const MOST_POINTS: usize = 8192;

fn check_classes(found: usize) -> Result<(), LikelihoodError> {
    if found < 2 { Err(LikelihoodError::TooFewClasses { found }) } else { Ok(()) }
}

fn check_range(setting: &'static str, value: f64, above: bool, below: f64) -> Result<(), LikelihoodError> {
    if above && value < below { Ok(()) } else { Err(LikelihoodError::Range { setting, value, below }) }
}

fn check_size(setting: &'static str, value: usize, most: usize) -> Result<(), LikelihoodError> {
    if (1..=most).contains(&value) { Ok(()) } else { Err(LikelihoodError::Size { setting, value, most }) }
}

/// A likelihood ready for use; only [`LikelihoodParams::check`] makes one.
#[derive(Clone, Debug, PartialEq)]
pub enum Likelihood {
    /// Two classes, one latent function.
    Bernoulli(Bernoulli),
    /// Several classes by the largest latent value, and their number.
    RobustMax(RobustMax, usize),
    /// Several classes by softmax, and their number.
    Softmax(Softmax, usize),
    /// Several classes by regression on the labels.
    LabelRegression(LabelRegression),
    /// Classes in an order.
    Ordinal(Ordinal),
    /// Real targets.
    Gaussian(Gaussian),
    /// Real targets with gross errors.
    StudentT(StudentT),
    /// Counts.
    Poisson(Poisson),
}

impl Likelihood {
    /// Real targets with noise of this variance.
    ///
    /// # Errors
    ///
    /// [`LikelihoodError::Range`] unless it is positive and finite.
    pub fn gaussian(noise_variance: f64) -> Result<Self, LikelihoodError> {
        check_range("noise variance", noise_variance, 0.0 < noise_variance, f64::INFINITY)?;
        Ok(Self::Gaussian(Gaussian::new(noise_variance)))
    }

    /// Real targets with noise that depends on covariates `s` of the point: its variance is
    /// `noise_variance ∏_b factors[b]^{s_b}`. Observations must carry the covariates
    /// ([`Observations::with_covariates`]).
    ///
    /// # Errors
    ///
    /// [`LikelihoodError::Range`] unless all are positive and finite.
    pub fn scaled_gaussian(noise_variance: f64, factors: &[f64]) -> Result<Self, LikelihoodError> {
        check_range("noise variance", noise_variance, 0.0 < noise_variance, f64::INFINITY)?;
        for &factor in factors {
            check_range("noise factor", factor, 0.0 < factor, f64::INFINITY)?;
        }
        Ok(Self::Gaussian(Gaussian::scaled(noise_variance, factors)))
    }

    /// Real targets with Student-t noise of this scale and `2 + excess` degrees of freedom.
    ///
    /// # Errors
    ///
    /// [`LikelihoodError::Range`] unless both are positive, the variance of the noise finite, and the excess below 1e8.
    pub fn student_t(scale: f64, excess: f64) -> Result<Self, LikelihoodError> {
        // The variance of the noise must be a number, too.
        check_range("noise scale", scale, 0.0 < scale * scale, 1e150)?;
        let above = (scale * scale * (1.0 + 2.0 / excess)).is_finite() && 0.0 < excess;
        check_range("excess degrees of freedom", excess, above, student_t::MOST_EXCESS)?;
        Ok(Self::StudentT(StudentT::new(scale, excess)))
    }

    /// The learned values, by name; all of them are positive.
    #[must_use]
    pub fn hyperparameters(&self) -> Vec<(&'static str, f64)> {
        match self {
            Self::Gaussian(gaussian) => {
                let factors = gaussian.factors().iter().map(|&factor| ("noise factor", factor));
                std::iter::once(("noise variance", gaussian.noise_variance())).chain(factors).collect()
            }
            Self::LabelRegression(labels) => vec![("noise variance", labels.noise_variance())],
            Self::Ordinal(ordinal) => ordinal.gaps().iter().map(|&gap| (THRESHOLD_GAP, gap)).collect(),
            Self::StudentT(student_t) => {
                vec![("noise scale", student_t.scale()), ("excess degrees of freedom", student_t.excess())]
            }
            _ => Vec::new(),
        }
    }

    /// Sets the learned values from their logarithms, in the order of [`hyperparameters`](Self::hyperparameters).
    ///
    /// # Errors
    ///
    /// As [`set_values`](Self::set_values).
    pub fn set_params(&mut self, logs: &[f64]) -> Result<(), LikelihoodError> {
        self.set_values(&logs.iter().map(|log| log.exp()).collect::<Vec<f64>>())
    }

    /// Sets the learned values, in the order of [`hyperparameters`](Self::hyperparameters); those that it gave restore
    /// the likelihood to the last bit.
    ///
    /// # Errors
    ///
    /// [`LikelihoodError::Range`] for an extreme value and [`LikelihoodError::Learned`] for another number of values; the
    /// likelihood then stays as it was.
    pub fn set_values(&mut self, values: &[f64]) -> Result<(), LikelihoodError> {
        let (expected, found) = (self.hyperparameters().len(), values.len());
        if expected != found {
            return Err(LikelihoodError::Learned { expected, found });
        }
        match (&*self, values) {
            (Self::Gaussian(_), [noise, factors @ ..]) => *self = Self::scaled_gaussian(*noise, factors)?,
            (Self::LabelRegression(labels), &[noise]) => {
                check_range("noise variance", noise, 0.0 < noise, f64::INFINITY)?;
                *self = Self::LabelRegression(labels.with_noise(noise));
            }
            (Self::Ordinal(ordinal), gaps) => {
                for &gap in gaps {
                    check_range(THRESHOLD_GAP, gap, 0.0 < gap, MOST_GAP)?;
                }
                *self = Self::Ordinal(ordinal.with_gaps(gaps.to_vec()));
            }
            (Self::StudentT(_), &[scale, excess]) => *self = Self::student_t(scale, excess)?,
            _ => {}
        }
        Ok(())
    }

    /// Number of latent functions.
    #[must_use]
    pub fn n_latents(&self) -> usize {
        match self {
            Self::Bernoulli(_)
            | Self::Ordinal(_)
            | Self::Gaussian(_)
            | Self::StudentT(_)
            | Self::Poisson(_) => 1,
            Self::RobustMax(_, n_classes) | Self::Softmax(_, n_classes) => *n_classes,
            Self::LabelRegression(labels) => labels.n_classes(),
        }
    }

    /// Number of classes; `None` for real targets.
    #[must_use]
    pub fn n_classes(&self) -> Option<usize> {
        match self {
            Self::Bernoulli(_) => Some(2),
            Self::RobustMax(_, n_classes) | Self::Softmax(_, n_classes) => Some(*n_classes),
            Self::LabelRegression(labels) => Some(labels.n_classes()),
            Self::Ordinal(ordinal) => Some(ordinal.n_classes()),
            Self::Gaussian(_) | Self::StudentT(_) | Self::Poisson(_) => None,
        }
    }

    /// Whether `log p(y | f)` is concave in `f`, so that site precisions are never negative.
    #[must_use]
    pub fn is_log_concave(&self) -> bool {
        match self {
            Self::Bernoulli(bernoulli) => !matches!(bernoulli.link(), Link::Probit { floor } if floor > 0.0),
            Self::RobustMax(..) | Self::StudentT(_) => false,
            Self::Softmax(..)
            | Self::LabelRegression(_)
            | Self::Ordinal(_)
            | Self::Gaussian(_)
            | Self::Poisson(_) => true,
        }
    }
}

/// An expectation for one latent function, with its derivatives.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Moments {
    pub(crate) value: f64,
    pub(crate) d_mean: f64,
    pub(crate) d_variance: f64,
}

/// `log Σ exp(term)`; −∞ for no terms.
pub(crate) fn log_sum_exp(terms: impl Iterator<Item = f64> + Clone) -> f64 {
    let top = terms.clone().fold(f64::NEG_INFINITY, f64::max);
    if top == f64::NEG_INFINITY {
        return top;
    }
    top + terms.map(|term| (term - top).exp()).sum::<f64>().ln()
}

/// What can be wrong with a likelihood or with what it is given.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LikelihoodError {
    /// A likelihood of two classes is asked for another number.
    #[error("a Bernoulli likelihood has 2 classes, got {found}")]
    NotTwoClasses {
        /// Classes asked for.
        found: usize,
    },
    /// Fewer than two classes.
    #[error("a multi-class likelihood needs at least 2 classes, got {found}")]
    TooFewClasses {
        /// Classes asked for.
        found: usize,
    },
    /// A setting is out of its range.
    #[error(
        "{setting} must be at least 0 (above 0 where a logarithm needs it) and below {below}, got {value}"
    )]
    Range {
        /// Name of the setting.
        setting: &'static str,
        /// What was found.
        value: f64,
        /// Upper end of the range.
        below: f64,
    },
    /// A size is out of its range.
    #[error("{setting} must be between 1 and {most}, got {value}")]
    Size {
        /// Name of the setting.
        setting: &'static str,
        /// What was found.
        value: usize,
        /// Largest value accepted.
        most: usize,
    },
    /// Labels are given to a likelihood of real values, or the other way round.
    #[error("observations are {found}, but the likelihood is of {expected}")]
    Kind {
        /// What the likelihood is of.
        expected: &'static str,
        /// What was given.
        found: &'static str,
    },
    /// Observations and likelihood disagree about the number of classes.
    #[error("observations have {found} classes, but the likelihood has {expected}")]
    Classes {
        /// Classes of the likelihood.
        expected: usize,
        /// Classes of the observations.
        found: usize,
    },
    /// Noise depends on another number of covariates than points have.
    #[error("points have {found} covariates, but the noise depends on {expected}")]
    Covariates {
        /// Covariates of the likelihood.
        expected: usize,
        /// Covariates given.
        found: usize,
    },
    /// A likelihood has another number of learned values.
    #[error("{found} learned values are given, but the likelihood has {expected}")]
    Learned {
        /// Values of the likelihood.
        expected: usize,
        /// Values given.
        found: usize,
    },
    /// Means or variances have the wrong shape.
    #[error("means and variances are [{rows}, {columns}], expected [{expected_rows}, {expected_columns}]")]
    Shape {
        /// Rows found.
        rows: usize,
        /// Columns found.
        columns: usize,
        /// Points expected.
        expected_rows: usize,
        /// Latent functions expected.
        expected_columns: usize,
    },
    /// A mean or variance is not finite, or a variance is negative.
    #[error(
        "latent moment {value} at point {point}, function {latent}: expected finite, variances not negative"
    )]
    Moment {
        /// Index of the point.
        point: usize,
        /// Index of the latent function.
        latent: usize,
        /// What was found.
        value: f64,
    },
}

#[cfg(test)]
mod tests;
