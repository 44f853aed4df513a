//! Features of all blocks: the maps from measures, trainable or not, and their standardization.

use super::{FeatureTransform, ModelError, SpaceParams};
use crate::feature::{
    Block, BlockMeasures, Component, FourierPoints, Standardizer, WaveletTape, harmonic_features,
    signed_features, wavelet_features,
};
use crate::wavelet::{Bank, BankParams};
use faer::prelude::{Reborrow, ReborrowMut};
use faer::{Mat, MatMut, MatRef};
use serde::{Deserialize, Serialize};

/// Most points on the spectrum that the Fourier baseline may take.
const MAX_POINTS: usize = 1 << 16;

/// How the measures of a block become features.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", try_from = "Stored", into = "Stored")]
pub enum FeatureMap {
    /// Norms of wavelet coefficients.
    Wavelets(Bank),
    /// The norm of each channel: on a harmonic block all filters are constants.
    Harmonic,
    /// Cumulative energy.
    Fourier(FourierPoints),
    /// Inner products with this many vectors.
    Signed(usize),
}

/// A [`FeatureMap`] as it is written to files.
#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Stored {
    Wavelets { bank: BankParams, parameters: Vec<f64> },
    Harmonic,
    Fourier(Vec<f64>),
    Signed(usize),
}

impl From<FeatureMap> for Stored {
    fn from(map: FeatureMap) -> Self {
        match map {
            FeatureMap::Wavelets(bank) => {
                Self::Wavelets { bank: bank.params().get().clone(), parameters: bank.parameters().to_vec() }
            }
            FeatureMap::Harmonic => Self::Harmonic,
            FeatureMap::Fourier(points) => Self::Fourier(points.points().to_vec()),
            FeatureMap::Signed(count) => Self::Signed(count),
        }
    }
}

impl TryFrom<Stored> for FeatureMap {
    type Error = ModelError;

    fn try_from(stored: Stored) -> Result<Self, ModelError> {
        Ok(match stored {
            Stored::Wavelets { bank, parameters } => {
                Self::Wavelets(bank.check()?.with_parameters(&parameters)?)
            }
            Stored::Harmonic => Self::Harmonic,
            Stored::Fourier(points) => Self::Fourier(FourierPoints::new(points)?),
            Stored::Signed(count) => Self::Signed(count),
        })
    }
}

impl FeatureMap {
    /// The map of `block` before training, fitted to the measures of the training complexes.
    ///
    /// # Errors
    ///
    /// [`ModelError`] when the settings make no sense.
    pub fn initial(
        params: &SpaceParams,
        block: Block,
        training: &BlockMeasures,
        seed: u64,
    ) -> Result<Self, ModelError> {
        Ok(match (&params.transform, block.component) {
            (_, Component::Harmonic) => Self::Harmonic,
            (_, Component::Signed) => {
                Self::Signed((0..training.len()).map(|i| training.atoms(i).len()).max().unwrap_or(0))
            }
            (FeatureTransform::Wavelets(bank), _) => {
                Self::Wavelets(bank.clone().check()?.draw(seed, mean_eigenvalue(params, training)))
            }
            (FeatureTransform::Fourier(found), _) if *found > MAX_POINTS => {
                return Err(ModelError::Points { found: *found, most: MAX_POINTS });
            }
            (FeatureTransform::Fourier(count), _) => Self::Fourier(FourierPoints::fit(training, *count)?),
        })
    }

    /// Features of all complexes, `[n, n_columns]`.
    ///
    /// # Errors
    ///
    /// [`ModelError::Bank`] when an eigenvalue is not finite.
    pub fn features(&self, measures: &BlockMeasures) -> Result<Mat<f64>, ModelError> {
        Ok(match self {
            Self::Wavelets(bank) => wavelet_features(measures, bank)?,
            Self::Harmonic => harmonic_features(measures),
            Self::Fourier(points) => points.features(measures),
            Self::Signed(count) => signed_features(measures, *count),
        })
    }

    /// Columns of features that one channel gives.
    #[must_use]
    pub fn per_channel(&self) -> usize {
        match self {
            Self::Wavelets(bank) => bank.n_filters(),
            Self::Harmonic => 1,
            Self::Fourier(points) => points.points().len(),
            Self::Signed(count) => *count,
        }
    }

    /// The bank, if there is one to train.
    #[must_use]
    pub fn bank(&self) -> Option<&Bank> {
        match self {
            Self::Wavelets(bank) => Some(bank),
            _ => None,
        }
    }

    /// Puts new parameters into the bank.
    ///
    /// # Errors
    ///
    /// [`ModelError::Bank`] when a scale leaves its range.
    pub(super) fn set_parameters(&mut self, parameters: &[f64]) -> Result<(), ModelError> {
        match self {
            Self::Wavelets(bank) => Ok(bank.set_parameters(parameters)?),
            _ => Ok(()),
        }
    }
}

/// What the scales of a block are spread by; none for a bank of all blocks, whose spectra differ.
pub(super) fn mean_eigenvalue(params: &SpaceParams, training: &BlockMeasures) -> Option<f64> {
    if params.shared_bank { None } else { training.mean_eigenvalue() }
}

/// One block of a fitted feature space.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BlockSpace {
    /// Which block.
    pub block: Block,
    /// Number of channels of its signal.
    pub n_channels: usize,
    /// From measures to features.
    pub map: FeatureMap,
    /// From features to kernel inputs.
    pub standardizer: Standardizer,
}

impl BlockSpace {
    /// Standardized features of complexes that were not trained on.
    ///
    /// # Errors
    ///
    /// [`ModelError::Channels`] when the signal has another number of channels.
    pub fn inputs(&self, measures: &BlockMeasures) -> Result<Mat<f64>, ModelError> {
        let (expected, found) = (self.n_channels, measures.n_channels());
        if expected != found {
            return Err(ModelError::Channels { block: self.block.to_string(), expected, found });
        }
        let mut features = self.map.features(measures)?;
        self.standardizer.apply(features.as_mut());
        Ok(features)
    }
}

/// Features of one block on the training complexes with their standardization, ready for reverse mode.
#[derive(Debug)]
pub(super) struct TrainingFeatures {
    raw: Mat<f64>,
    pub standardizer: Standardizer,
    pub inputs: Mat<f64>,
}

impl TrainingFeatures {
    pub fn new(
        map: &FeatureMap,
        measures: &BlockMeasures,
        weights: Option<&[f64]>,
    ) -> Result<Self, ModelError> {
        Ok(Self::standardized(map.features(measures)?, weights))
    }

    /// Features of wavelets, with what reverse mode needs on `tape`.
    pub fn recorded(
        bank: &Bank,
        measures: &BlockMeasures,
        weights: Option<&[f64]>,
        tape: &mut WaveletTape,
    ) -> Result<Self, ModelError> {
        Ok(Self::standardized(tape.record(measures, bank)?, weights))
    }

    fn standardized(raw: Mat<f64>, weights: Option<&[f64]>) -> Self {
        let standardizer = Standardizer::fit(raw.as_ref(), weights);
        let inputs = standardizer.applied(raw.as_ref());
        Self { raw, standardizer, inputs }
    }

    /// Gradient in the parameters of the bank, given the derivative in the inputs, which is overwritten.
    pub fn bank_gradient(
        &self,
        bank: &Bank,
        measures: &BlockMeasures,
        weights: Option<&[f64]>,
        tape: &WaveletTape,
        mut upstream: MatMut<'_, f64>,
    ) -> Result<Vec<f64>, ModelError> {
        self.standardizer.vjp(self.inputs.as_ref(), upstream.rb_mut(), weights);
        Ok(tape.vjp(measures, bank, self.raw.as_ref(), upstream.rb())?)
    }

    pub fn raw(&self) -> MatRef<'_, f64> {
        self.raw.as_ref()
    }
}
