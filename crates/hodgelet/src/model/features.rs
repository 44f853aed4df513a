//! Features of all blocks: the maps from measures, trainable or not, and their standardization.

use super::ModelError;
use crate::feature::{
    Block, BlockMeasures, Component, Counts, FourierPoints, GramMap, LabelWeights, Standardizer,
    TableScaling, ValueEmbedding, WaveletTape, harmonic_features, signed_features, wavelet_features,
};
use crate::kernel::Inputs;
use crate::settings::Settings;
use crate::wavelet::Bank;
use faer::prelude::{Reborrow, ReborrowMut};
use faer::{Mat, MatMut};

/// Most points on the spectrum that the Fourier baseline may take.
const MAX_POINTS: usize = 1 << 16;

/// How the measures of a block become features.
#[derive(Clone, Debug, PartialEq)]
pub enum FeatureMap {
    /// Norms of wavelet coefficients.
    Wavelets(Bank),
    /// The norm of each channel: on a harmonic block all filters are constants.
    Harmonic,
    /// Cumulative energy.
    Fourier(FourierPoints),
    /// Inner products with this many vectors.
    Signed(usize),
    /// Refined labels, which have rows in place of columns.
    Labels(LabelWeights),
    /// Means over vertices, which have no filters.
    Values(ValueEmbedding),
    /// Numbers of complexes as a whole, in units of their deviations.
    Table(TableScaling),
    /// Counts, compared by their minima and maxima.
    Counts(Counts),
    /// Rows of a Gram matrix that is given.
    Gram(GramMap),
}

impl FeatureMap {
    /// The map of `block` before training, fitted to the measures of the training complexes.
    ///
    /// # Errors
    ///
    /// [`ModelError`] when a setting is invalid.
    pub fn initial(
        settings: &Settings,
        block: Block,
        training: &BlockMeasures,
        seed: u64,
    ) -> Result<Self, ModelError> {
        Ok(match (settings.bank(), block.component) {
            (_, component) if component.is_labels() => Self::Labels(LabelWeights::fit(training)),
            (_, component) if component.is_values() => Self::Values(ValueEmbedding::fit(training)),
            (_, component) if component.is_counts() => Self::Counts(Counts::fit(training)),
            (_, Component::Columns) => Self::Table(TableScaling::fit(training)),
            (_, Component::Gram(_)) => Self::Gram(GramMap::fit(training)?),
            (_, Component::Harmonic) => Self::Harmonic,
            (_, Component::Signed) => {
                Self::Signed((0..training.len()).map(|i| training.atoms(i).len()).max().unwrap_or(0))
            }
            (Some(bank), _) => {
                // A bank that all blocks share is spread over none of their spectra, which differ.
                let mean = if settings.shared_bank { None } else { training.mean_eigenvalue() };
                Self::Wavelets(bank.check()?.draw(seed, mean))
            }
            (None, _) if settings.n_points > MAX_POINTS => {
                return Err(ModelError::Points { found: settings.n_points, most: MAX_POINTS });
            }
            (None, _) => Self::Fourier(FourierPoints::fit(training, settings.n_points)?),
        })
    }

    /// What one channel is counted by in names of columns, if it gives several.
    #[must_use]
    pub fn counted(&self) -> Option<&'static str> {
        match self {
            Self::Wavelets(_) => Some("filter"),
            Self::Fourier(_) => Some("point"),
            Self::Signed(_) => Some("vector"),
            _ => None,
        }
    }

    /// The numbers that a file holds of the map: unconstrained scales, points, or weights of depths.
    pub(super) fn stored(&self) -> Vec<f64> {
        match self {
            Self::Wavelets(bank) => bank.parameters().to_vec(),
            Self::Fourier(points) => points.points().to_vec(),
            Self::Labels(weights) => weights.values().to_vec(),
            Self::Values(embedding) => embedding.stored(),
            Self::Table(scaling) => scaling.stored(),
            Self::Counts(counts) => vec![f64::from(u8::from(counts.differ))],
            Self::Gram(map) => map.stored(),
            Self::Harmonic | Self::Signed(_) => Vec::new(),
        }
    }

    /// The map of `block` from the numbers in a file; `n_vectors` is that of signed features, and `oriented` says which values
    /// are flows.
    pub(super) fn restore(
        settings: &Settings,
        block: Block,
        n_vectors: usize,
        oriented: Vec<bool>,
        stored: Vec<f64>,
    ) -> Result<Self, ModelError> {
        Ok(match (settings.bank(), block.component) {
            (_, component) if component.is_labels() => {
                Self::Labels(LabelWeights::new(stored).ok_or_else(|| unsound(block))?)
            }
            (_, component) if component.is_values() => {
                Self::Values(ValueEmbedding::new(&stored, oriented).ok_or_else(|| unsound(block))?)
            }
            (_, component) if component.is_counts() => match stored[..] {
                [x] => Self::Counts(Counts { differ: x > 0.0 }),
                _ => return Err(unsound(block)),
            },
            (_, Component::Columns) => Self::Table(TableScaling::new(&stored).ok_or_else(|| unsound(block))?),
            (_, Component::Gram(_)) => Self::Gram(GramMap::new(&stored).ok_or_else(|| unsound(block))?),
            (_, Component::Harmonic) => Self::Harmonic,
            (_, Component::Signed) => Self::Signed(n_vectors),
            (Some(bank), _) => Self::Wavelets(bank.check()?.with_parameters(&stored)?),
            (None, _) => Self::Fourier(FourierPoints::new(stored)?),
        })
    }

    /// Features of all complexes, `[n, n_columns]`; labels and values have no column.
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
            _ => Mat::zeros(measures.len(), 0),
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
            Self::Labels(_) | Self::Values(_) | Self::Table(_) | Self::Counts(_) | Self::Gram(_) => 0,
        }
    }

    /// Whether points do not depend on what is trained.
    #[must_use]
    pub fn is_fixed(&self) -> bool {
        matches!(self, Self::Labels(_) | Self::Values(_) | Self::Table(_) | Self::Counts(_) | Self::Gram(_))
    }

    /// The points of complexes, where they do not depend on what is trained.
    pub(super) fn fixed(&self, measures: &BlockMeasures) -> Option<Inputs> {
        match self {
            Self::Labels(weights) => Some(Inputs::sparse(weights.rows(measures))),
            Self::Values(embedding) => Some(Inputs::dense(embedding.rows(measures))),
            Self::Table(scaling) => Some(Inputs::dense(scaling.rows(measures))),
            Self::Counts(counts) => Some(Inputs::sparse(counts.rows(measures))),
            Self::Gram(map) => Some(Inputs::given(map.rows(measures))),
            _ => None,
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

fn unsound(block: Block) -> ModelError {
    ModelError::Space { fault: format!("{block} has numbers that are not those of a map") }
}

/// One block of a fitted feature space.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockSpace {
    /// Which block.
    pub block: Block,
    /// Number of channels of its signal.
    pub n_channels: usize,
    /// Units of the channels in which features are taken; none for those of the signals.
    pub units: Vec<f64>,
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
    pub fn inputs(&self, measures: &BlockMeasures) -> Result<Inputs, ModelError> {
        let (expected, found) = (self.n_channels, measures.n_channels());
        if expected != found {
            return Err(ModelError::Channels { block: self.block.to_string(), expected, found });
        }
        if let FeatureMap::Gram(map) = &self.map
            && let Some((row, fault)) = map.fault(measures)
        {
            return Err(ModelError::GramRow { block: self.block.to_string(), row, fault });
        }
        if let Some(fixed) = self.map.fixed(measures) {
            return Ok(fixed);
        }
        let mut features = self.map.features(measures)?;
        self.standardizer.apply(features.as_mut());
        Ok(Inputs::Columns(features))
    }

    /// Numbers in which the training complexes differ: columns, or depths of labels.
    #[must_use]
    pub fn n_live(&self) -> usize {
        match &self.map {
            FeatureMap::Labels(weights) => weights.n_live(),
            FeatureMap::Values(embedding) => embedding.n_live(),
            FeatureMap::Table(scaling) => scaling.n_live(),
            FeatureMap::Counts(counts) => usize::from(counts.differ),
            FeatureMap::Gram(map) => usize::from(map.differ()),
            _ => self.standardizer.n_live(),
        }
    }
}

impl BlockSpace {
    /// Features in the units of the signals, from measures in those of the block.
    pub(super) fn raw_features(&self, measures: &BlockMeasures) -> Result<Mat<f64>, ModelError> {
        let mut features = self.map.features(measures)?;
        let width = self.map.per_channel();
        // The Fourier baseline has energies, the others have norms.
        let power = if matches!(self.map, FeatureMap::Fourier(_)) { 2 } else { 1 };
        for (d, unit) in self.units.iter().enumerate() {
            for j in d * width..(d + 1) * width {
                features
                    .col_mut(j)
                    .iter_mut()
                    .for_each(|s| *s = (*s * unit.powi(power)).clamp(f64::MIN, f64::MAX));
            }
        }
        Ok(features)
    }
}

/// Features of one block on the training complexes with their standardization, ready for reverse mode.
#[derive(Debug)]
pub(super) struct TrainingFeatures {
    raw: Mat<f64>,
    pub standardizer: Standardizer,
    pub inputs: Inputs,
}

impl TrainingFeatures {
    pub fn new(
        map: &FeatureMap,
        measures: &BlockMeasures,
        weights: Option<&[f64]>,
    ) -> Result<Self, ModelError> {
        let features = Self::standardized(map.features(measures)?, weights);
        Ok(match map.fixed(measures) {
            Some(inputs) => Self { inputs, ..features },
            None => features,
        })
    }

    /// Points that do not depend on what is trained.
    pub fn fixed(inputs: Inputs) -> Self {
        Self { inputs, ..Self::empty() }
    }

    /// Features of wavelets in the place of others, with what reverse mode needs on `tape`.
    pub fn record(
        &mut self,
        bank: &Bank,
        measures: &BlockMeasures,
        weights: Option<&[f64]>,
        tape: &mut WaveletTape,
    ) -> Result<(), ModelError> {
        tape.record_into(measures, bank, &mut self.raw)?;
        self.standardizer = Standardizer::fit(self.raw.as_ref(), weights);
        if let Inputs::Columns(inputs) = &mut self.inputs {
            self.standardizer.apply_into(self.raw.as_ref(), inputs);
        }
        Ok(())
    }

    /// No features yet.
    pub fn empty() -> Self {
        let none = Mat::new();
        Self {
            standardizer: Standardizer::fit(none.as_ref(), None),
            raw: none,
            inputs: Inputs::Columns(Mat::new()),
        }
    }

    fn standardized(raw: Mat<f64>, weights: Option<&[f64]>) -> Self {
        let standardizer = Standardizer::fit(raw.as_ref(), weights);
        let inputs = Inputs::Columns(standardizer.applied(raw.as_ref()));
        Self { raw, standardizer, inputs }
    }

    /// Gradient in the parameters of the bank, given the derivative in the inputs, which is overwritten.
    pub fn bank_gradient(
        &self,
        bank: &Bank,
        measures: &BlockMeasures,
        weights: Option<&[f64]>,
        tape: &mut WaveletTape,
        mut upstream: MatMut<'_, f64>,
    ) -> Result<Vec<f64>, ModelError> {
        if let Inputs::Columns(inputs) = &self.inputs {
            self.standardizer.vjp(inputs.as_ref(), upstream.rb_mut(), weights);
        }
        Ok(tape.vjp(measures, bank, self.raw.as_ref(), upstream.rb())?)
    }
}
