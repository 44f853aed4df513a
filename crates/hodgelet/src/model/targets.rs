//! What a model predicts, and the targets that it learns from.

use super::ModelError;
use crate::dataset::{DatasetError, Targets};
use crate::encode::EncodeError;
use crate::likelihood::{Likelihood, LikelihoodParams, Observations};
use crate::settings::{ClassWeight, NoiseChoice, Settings};
use serde::{Deserialize, Serialize};

/// Least standard deviation of real targets and largest magnitude of one: variances of predictions are squares of them.
const TARGET_RANGE: (f64, f64) = (1e-152, 1e152);

/// Standard deviation of real targets, relative to the largest, that may be the rounding of their mean.
const CONSTANT_TARGETS: f64 = 1e-14;

/// Largest count.
const MOST_COUNT: f64 = 1e9;

/// What a model predicts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FittedTargets {
    /// One of these classes.
    Classes {
        /// Names of the classes, in the order of probabilities.
        names: Vec<String>,
    },
    /// A real number, learned after shifting by the mean and dividing by the standard deviation of the training targets.
    Real {
        /// Mean of the training targets.
        mean: f64,
        /// Their standard deviation.
        deviation: f64,
    },
}

impl FittedTargets {
    /// Number of classes; 0 for real targets.
    #[must_use]
    pub fn n_classes(&self) -> usize {
        match self {
            Self::Classes { names } => names.len(),
            Self::Real { .. } => 0,
        }
    }
}

/// Targets of the training complexes.
pub(super) enum Observed {
    Classes(usize, Vec<u32>),
    Reals(Vec<f64>),
}

impl Observed {
    /// The targets of the complexes `train`, of `n` in all.
    pub fn new(
        settings: &Settings,
        targets: &Targets,
        n: usize,
        train: &[usize],
    ) -> Result<(FittedTargets, Self), ModelError> {
        check_number(targets, n)?;
        match targets.select(train) {
            Targets::None => {
                Err(ModelError::Targets { expected: "a target for every complex", found: "no targets" })
            }
            Targets::Classes { names, labels } => {
                if labels.iter().all(|&label| label == labels[0]) {
                    let class = names.get(labels[0] as usize).cloned().unwrap_or_default();
                    return Err(ModelError::OneClass { n: labels.len(), class });
                }
                let n_classes = names.len();
                Ok((FittedTargets::Classes { names }, Self::Classes(n_classes, labels)))
            }
            Targets::Real(counts) if settings.noise == NoiseChoice::Poisson => {
                let is_count = |y: f64| (0.0..=MOST_COUNT).contains(&y) && y.fract() == 0.0;
                match counts.iter().find(|&&y| !is_count(y)) {
                    Some(&found) => Err(ModelError::Count { found }),
                    None => Ok((FittedTargets::Real { mean: 0.0, deviation: 1.0 }, Self::Reals(counts))),
                }
            }
            Targets::Real(values) => {
                let n = values.len() as f64;
                let largest = values.iter().fold(0.0f64, |a, y| a.max(y.abs()));
                if largest > TARGET_RANGE.1 {
                    return Err(ModelError::TargetRange { found: largest });
                }
                let mean = values.iter().sum::<f64>() / n;
                let deviation = (values.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / n).sqrt();
                let spread = values.iter().fold(0.0f64, |a, y| a.max((y - mean).abs()));
                if spread > CONSTANT_TARGETS * largest && deviation < TARGET_RANGE.0 {
                    return Err(ModelError::TargetRange { found: spread });
                }
                let deviation = if deviation > CONSTANT_TARGETS * largest { deviation } else { 1.0 };
                let scaled = values.iter().map(|y| (y - mean) / deviation).collect();
                Ok((FittedTargets::Real { mean, deviation }, Self::Reals(scaled)))
            }
        }
    }

    /// The likelihood before training.
    pub fn likelihood(
        &self,
        settings: &Settings,
        n_blocks: usize,
    ) -> Result<(LikelihoodParams, Likelihood), ModelError> {
        let (params, n_classes) = match self {
            Self::Classes(n_classes, labels) => {
                (settings.likelihood_of(labels.len()).of(*n_classes), *n_classes)
            }
            Self::Reals(values) => match settings.noise_of(values.len()) {
                NoiseChoice::Auto | NoiseChoice::Gaussian => (LikelihoodParams::Gaussian, 0),
                NoiseChoice::StudentT => (LikelihoodParams::StudentT, 0),
                NoiseChoice::Blocks => (LikelihoodParams::ScaledGaussian { n_covariates: n_blocks }, 0),
                NoiseChoice::Poisson => {
                    let n = values.len().max(1) as f64;
                    (LikelihoodParams::Poisson { rate: values.iter().sum::<f64>().max(0.5) / n }, 0)
                }
            },
        };
        Ok((params, params.check(n_classes)?))
    }

    /// The targets as observations of `n_points` latent values; complex `i` observes value `groups[i]`.
    pub fn observations(&self, groups: &[usize], n_points: usize) -> Result<Observations, ModelError> {
        Ok(match self {
            Self::Classes(n_classes, labels) => {
                Observations::grouped_classes(*n_classes, labels, groups, n_points)?
            }
            Self::Reals(values) => Observations::grouped_reals(values, groups, n_points)?,
        })
    }
}

/// By how much the complexes of each class count more where classes are to count alike; none where they need not.
pub(super) fn class_factors(settings: &Settings, targets: &Targets, train: &[usize]) -> Option<Vec<f64>> {
    let (ClassWeight::Balanced, Targets::Classes { labels, names }) = (settings.class_weight, targets) else {
        return None;
    };
    let mut counts = vec![0.0; names.len()];
    for &label in train.iter().filter_map(|&i| labels.get(i)) {
        counts.get_mut(label as usize).into_iter().for_each(|count| *count += 1.0);
    }
    let n_classes = counts.iter().filter(|count| **count > 0.0).count();
    let each = train.len() as f64 / n_classes.max(1) as f64;
    Some(counts.into_iter().map(|count| if count > 0.0 { each / count } else { 1.0 }).collect())
}

fn check_number(targets: &Targets, expected: usize) -> Result<(), ModelError> {
    let found = match targets {
        Targets::None => return Ok(()),
        Targets::Classes { labels, .. } => labels.len(),
        Targets::Real(values) => values.len(),
    };
    let error = || EncodeError::from(DatasetError::Targets { expected, found }).into();
    if found == expected { Ok(()) } else { Err(error()) }
}
