//! From a dataset to features: signals, measures, blocks.
//!
//! A [`Measurer`] is what turns complexes into energy measures: signals fitted on the training complexes, a lift and a
//! Laplacian. A [`FeatureSpace`] adds the blocks, each with its filters and its standardization.

use super::features::{BlockSpace, FeatureMap};
use super::labels::{LabelColumns, values_of};
use super::measure::{check_shared, lifted, measure, sample, weights};
use super::own::OwnColumns;
use super::stored::Stored;
use super::{Measured, ModelError};
use crate::complex::Lift;
use crate::dataset::{BEFORE_PRODUCTS, Dataset, DatasetError, WHOLE};
use crate::encode::{EncodeError, Encoding, Outline};
use crate::feature::{Block, BlockMeasures, Component, SignedBasis, SignedError, Standardizer};
use crate::hodge::{HodgeError, Operators};
use crate::kernel::Inputs;
use crate::linalg::check_memory;
use crate::measure::{ComplexMeasures, Sample};
use crate::settings::{BlockKind, Fields, Settings};
use crate::signal::{Channels, Orientation};
use faer::Mat;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::Arc;

/// Most numbers in a table of features: 8 GiB of them.
const MAX_NUMBERS: usize = 1 << 30;

/// What turns complexes into energy measures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measurer {
    pub(super) settings: Settings,
    pub(super) encoding: Encoding,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) signed: Option<SignedBasis>,
    /// What cells are named by, where refined labels are measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) labels: Option<LabelColumns>,
    /// Which values of vertices are kept, where their distributions are wanted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) values: Option<Encoding>,
    /// The same of edges.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) edge_values: Option<Encoding>,
    /// What is known of complexes as a whole, where there is something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) own: Option<OwnColumns>,
}

impl Measurer {
    /// Fits the signals of a dataset on the complexes `train`, and the vectors of signed features on the complex that
    /// they share.
    ///
    /// # Errors
    ///
    /// [`ModelError`] when the dataset does not have what the settings ask for.
    pub fn fit(settings: &Settings, dataset: &Dataset, train: &[usize]) -> Result<Self, ModelError> {
        Self::fit_outline(settings, &settings.outline(dataset, train)?, dataset, train)
    }

    /// As [`fit`](Self::fit), for a dataset of which the outline is known, and some complexes: `part`. Signed features look
    /// at those among them that are in `train`.
    ///
    /// # Errors
    ///
    /// As for [`fit`](Self::fit).
    pub fn fit_outline(
        settings: &Settings,
        outline: &Outline,
        part: &Dataset,
        train: &[usize],
    ) -> Result<Self, ModelError> {
        settings.lift().check()?;
        if let Some(bank) = settings.bank() {
            bank.check()?; // before the long part
        }
        let encoding = settings.encoding(outline).fit_outline(outline, settings.lift().max_dim());
        let encoding = encoding.map_err(|error| match (error, settings.lift()) {
            // Vertices of the line graph are the edges that the user knows.
            (EncodeError::NoColumns { dim: 0 }, Lift::LineGraph) => ModelError::NoSignal { dim: 1 },
            (error, _) => error.into(),
        })?;
        let labels = LabelColumns::fit(settings, outline);
        let (values, edge_values) = (values_of(settings, outline, 0)?, values_of(settings, outline, 1)?);
        let own = OwnColumns::fit(settings, outline.columns());
        let settings = settings.clone();
        let mut measurer = Self { settings, encoding, signed: None, labels, values, edge_values, own };
        measurer.signed = measurer.fit_signed(items(measurer.settings.lift(), part)?.as_ref(), train)?;
        measurer.blocks()?;
        Ok(measurer)
    }

    /// Whether it gives the same measures as another.
    #[must_use]
    pub fn measures_as(&self, other: &Self) -> bool {
        let mut fields = Settings::FIELDS.iter().filter(|field| Settings::shapes_measures(field));
        fields.all(|field| (field.get)(&self.settings) == (field.get)(&other.settings))
            && self.encoding == other.encoding
            && self.signed == other.signed
            && self.labels == other.labels
            && self.values == other.values
            && self.edge_values == other.edge_values
            && self.own == other.own
    }

    fn fit_signed(&self, items: &Dataset, train: &[usize]) -> Result<Option<SignedBasis>, ModelError> {
        let Some(signed) = &self.settings.signed else { return Ok(None) };
        if self.settings.lift() == Lift::LineGraph {
            return Err(SignedError::LineGraph.into());
        }
        let (dim, Some(&first)) = (signed.dim(), train.first()) else {
            return Err(ModelError::TooFew { expected: 2, found: 0 });
        };
        let channels = self.encoding.channels(dim).ok_or(ModelError::NoSignal { dim })?;
        let has_sign = |d: usize| dim == 0 || channels.orientation(d) == Orientation::Oriented;
        if !(0..channels.len()).any(has_sign) {
            return Err(SignedError::NoFlow { dim }.into());
        }
        let complex = lifted(&self.settings, items, first, true)?;
        let operators = match &weights(&self.settings, items, first, &complex)? {
            Some(weights) => {
                Operators::weighted(&complex, weights).map_err(HodgeError::from).map_err(SignedError::from)?
            }
            None => Operators::new(&complex, self.settings.laplacian().weighting()),
        };
        let basis = signed.fit(&operators)?;
        train.iter().try_for_each(|&index| check_shared(&self.settings, items, index, &basis))?;
        Ok(Some(basis))
    }

    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The signals.
    #[must_use]
    pub fn encoding(&self) -> &Encoding {
        &self.encoding
    }

    /// The Gram matrices that it needs rows of: names of their columns, and how many complexes each is of.
    #[must_use]
    pub fn grams(&self) -> Vec<(&str, usize)> {
        let grams = self.own.iter().flat_map(|own| &own.grams);
        grams.map(|(name, width)| (&name[..], width.saturating_sub(BEFORE_PRODUCTS))).collect()
    }

    /// The blocks of features that the signals give.
    ///
    /// # Errors
    ///
    /// [`ModelError::NoSignal`] when a dimension named carries no signal, or none does.
    pub fn blocks(&self) -> Result<Vec<Block>, ModelError> {
        let carries = |dim: &usize| self.encoding.channels(*dim).is_some();
        let dims = match self.settings.dims() {
            Some(dims) => dims,
            None => (0..self.encoding.n_dims()).filter(carries).collect(),
        };
        let grams: Vec<Block> =
            (0..self.own.as_ref().map_or(0, |own| own.grams.len() as u8)).map(Block::gram).collect();
        let highest = self.labels.as_ref().map_or(1, LabelColumns::highest);
        let cell_labels: Vec<Block> = (2..=highest).flat_map(Block::labels).collect();
        let kinds = self.settings.blocks();
        let energies = kinds.contains(&BlockKind::Energies) && !self.settings.signed_only;
        if let Some(&dim) = dims.iter().find(|dim| !carries(dim)) {
            return Err(ModelError::NoSignal { dim });
        }
        let of_dim = |dim| match (energies, self.settings.split()) {
            (false, _) => Vec::new(),
            (true, true) => Block::split(dim),
            (true, false) => vec![Block { dim, component: Component::Whole }],
        };
        let signed = self.signed.as_ref().map(SignedBasis::dim).filter(carries);
        let signed = signed.map(|dim| Block { dim, component: Component::Signed });
        let of_kind = |kind: &BlockKind| match kind {
            BlockKind::EdgeLabels if self.labels.is_some() => &Block::EDGE_LABELS[..],
            BlockKind::VertexLabels if self.labels.is_some() => std::slice::from_ref(&Block::VERTEX_LABELS),
            BlockKind::Values if self.values.is_some() => &Block::VALUES[..1],
            BlockKind::SmoothedValues if self.values.is_some() => &Block::VALUES[1..],
            BlockKind::EdgeValues if self.edge_values.is_some() => &Block::EDGE_VALUES[..1],
            BlockKind::SmoothedEdgeValues if self.edge_values.is_some() => &Block::EDGE_VALUES[1..],
            BlockKind::Environments if self.labels.is_some() => std::slice::from_ref(&Block::ENVIRONMENTS),
            BlockKind::Columns if self.own.as_ref().is_some_and(|own| !own.numbers.is_empty()) => {
                &Block::OWN[..1]
            }
            BlockKind::Fingerprints if self.own.as_ref().is_some_and(|own| !own.tags.is_empty()) => {
                &Block::OWN[1..]
            }
            BlockKind::Grams => &grams[..],
            BlockKind::CellLabels => &cell_labels[..],
            _ => &[],
        };
        let mut others: Vec<Block> = kinds.iter().flat_map(of_kind).copied().collect();
        let is_wanted = |dim| self.settings.dims.as_ref().is_none_or(|dims| dims.contains(&dim));
        others.retain(|block| block.dim == WHOLE || is_wanted(block.dim));
        let mut blocks: Vec<Block> = Vec::new();
        for block in dims.into_iter().flat_map(of_dim).chain(signed).chain(others) {
            // A dimension named twice gives its features once.
            if !self.settings.exclude.contains(&block) && !blocks.contains(&block) {
                blocks.push(block);
            }
        }
        if blocks.is_empty() { Err(ModelError::NoBlocks) } else { Ok(blocks) }
    }

    /// Channels of the values of vertices (dimension 0) or edges (1) whose distributions are wanted.
    pub(super) fn value_channels(&self, dim: usize) -> Option<&Arc<Channels>> {
        let values = if dim == 0 { &self.values } else { &self.edge_values };
        values.as_ref()?.channels(dim)
    }

    /// The energy measures of every complex of `dataset`. `progress` is told how many complexes are done, and may stop
    /// the work.
    ///
    /// # Errors
    ///
    /// [`ModelError`] when the dataset does not fit the signals, a complex cannot be measured, or the work is stopped.
    pub fn measure(
        &self,
        dataset: &Dataset,
        progress: impl FnMut(usize) -> ControlFlow<()>,
    ) -> Result<Measured, ModelError> {
        measure(self, items(self.settings.lift(), dataset)?.as_ref(), progress)
    }

    /// Complex `i` of `dataset` as it is measured: lifted, with all its signals and its weights.
    ///
    /// # Errors
    ///
    /// As [`measure`](Self::measure), and [`ModelError::Index`].
    pub fn sample(&self, dataset: &Dataset, i: usize) -> Result<Sample<'static>, ModelError> {
        if i >= dataset.len() {
            return Err(ModelError::Index { index: i, len: dataset.len() });
        }
        let alone = dataset.select(&[i]);
        let items = items(self.settings.lift(), &alone)?;
        let (found, _) = sample(&self.settings, &items, &self.encoding.bind(&items)?, 0, true)?;
        let Sample { complex, signals, weights } = found;
        Ok(Sample { complex: Cow::Owned(complex.into_owned()), signals, weights })
    }

    /// Number of columns that the features of all blocks have.
    pub(super) fn n_columns(&self) -> Result<usize, ModelError> {
        let width = self.settings.bank().map_or(self.settings.n_points, |bank| bank.n_filters);
        let of_block = |block: &Block| {
            let per_channel = match block.component {
                component if !component.is_of_signal() => 0,
                Component::Harmonic => 1,
                Component::Signed => self.signed.as_ref().map_or(0, SignedBasis::len),
                _ => width,
            };
            self.encoding.channels(block.dim).map_or(0, |c| c.len()).saturating_mul(per_channel)
        };
        Ok(self.blocks()?.iter().map(of_block).fold(0, usize::saturating_add))
    }

    /// The blocks before training, fitted to the measures of the training complexes: filters of start `restart`, and the
    /// standardization of their features.
    pub(super) fn draw(
        &self,
        training: &[&ComplexMeasures],
        restart: u64,
    ) -> Result<Vec<(BlockMeasures, BlockSpace, Mat<f64>)>, ModelError> {
        let (mut drawn, mut varying) = (Vec::new(), 0);
        for block in self.blocks()? {
            // In units of the training signals, features do not depend on those that the user chose.
            let units = if self.settings.faithful || !block.component.is_of_signal() {
                vec![]
            } else {
                BlockMeasures::units(block.dim, training)
            };
            let measures = BlockMeasures::in_units(block, training.iter().copied(), &units);
            let seed = bank_seed(&self.settings, restart, varying);
            let map = FeatureMap::initial(&self.settings, block, &measures, seed)?;
            let features = map.features(&measures)?;
            let standardizer = Standardizer::fit(features.as_ref(), None);
            let space = BlockSpace { block, n_channels: measures.n_channels(), units, map, standardizer };
            varying += usize::from(space.n_live() > 0);
            drawn.push((measures, space, features));
        }
        Ok(drawn)
    }
}

impl Settings {
    /// The outline of a dataset as its spectra are taken, whose complexes `train` are learned from.
    ///
    /// # Errors
    ///
    /// [`EncodeError::Index`] when one of them is not there, [`ModelError::Lift`] when a line graph is too large.
    pub fn outline(&self, dataset: &Dataset, train: &[usize]) -> Result<Outline, ModelError> {
        Ok(Outline::of(items(self.lift(), dataset)?.as_ref(), train)?)
    }
}

/// The items whose spectra are taken: those of the line graph, or the dataset's own.
pub(super) fn items(lift: Lift, dataset: &Dataset) -> Result<Cow<'_, Dataset>, ModelError> {
    if lift != Lift::LineGraph {
        return Ok(Cow::Borrowed(dataset));
    }
    let lines = dataset.line_graph().map_err(|error| match error {
        DatasetError::LineGraph { item, source } => ModelError::Lift { index: item, source },
        error => EncodeError::from(error).into(),
    })?;
    Ok(Cow::Owned(lines))
}

/// A seed of its own for the bank of every block that varies: the same one for all blocks that share theirs.
pub(super) fn bank_seed(settings: &Settings, restart: u64, block: usize) -> u64 {
    let block = if settings.shared_bank { 0 } else { block as u64 };
    settings.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(restart * 1009 + block)
}

/// Refuses a table that would not fit in memory.
fn check_size(complexes: usize, columns: usize) -> Result<(), ModelError> {
    match complexes.saturating_mul(columns) {
        numbers @ 0..=MAX_NUMBERS => Ok(check_memory(numbers)?),
        _ => Err(ModelError::TooLarge { columns, complexes, most: MAX_NUMBERS }),
    }
}

/// What turns complexes into features: measures, filters, standardization.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored")]
pub struct FeatureSpace {
    pub(super) measurer: Measurer,
    pub(super) blocks: Vec<BlockSpace>,
}

impl FeatureSpace {
    /// Signals, filters and standardization fitted on the complexes `train` of `dataset`; filters are drawn from the
    /// seed and not trained.
    ///
    /// # Errors
    ///
    /// As [`Measurer::fit`] and [`Measurer::measure`].
    pub fn fit(
        settings: &Settings,
        dataset: &Dataset,
        train: &[usize],
        progress: impl FnMut(usize) -> ControlFlow<()>,
    ) -> Result<(Self, Measured), ModelError> {
        // Labels have no columns.
        let kinds = settings.blocks().into_iter().filter(|&kind| kind == BlockKind::Energies).collect();
        let settings = &Settings { blocks: Some(kinds), ..settings.clone() };
        let measurer = Measurer::fit(settings, dataset, train)?;
        check_size(train.len(), measurer.n_columns()?)?;
        // A dataset that is wanted whole is not copied.
        let chosen = match train.iter().copied().eq(0..dataset.len()) {
            true => Cow::Borrowed(dataset),
            false => Cow::Owned(dataset.select(train)),
        };
        let measured = measurer.measure(&chosen, progress)?;
        let blocks = measurer.draw(&measured.measures.iter().collect::<Vec<_>>(), 0)?;
        let blocks = blocks.into_iter().map(|(_, block, _)| block).collect();
        Ok((Self { measurer, blocks }, measured))
    }

    /// What turns complexes into measures.
    #[must_use]
    pub fn measurer(&self) -> &Measurer {
        &self.measurer
    }

    /// The blocks with their filters.
    #[must_use]
    pub fn blocks(&self) -> &[BlockSpace] {
        &self.blocks
    }

    /// Number of columns.
    #[must_use]
    pub fn n_columns(&self) -> usize {
        self.blocks.iter().map(|block| block.standardizer.n_columns()).sum()
    }

    /// The measures of complexes in every block, as energies of the signals.
    #[must_use]
    pub fn block_measures(&self, measures: &[&ComplexMeasures]) -> Vec<BlockMeasures> {
        let of_block = |space: &BlockSpace| {
            BlockMeasures::new(space.block, measures.iter().copied()).with_channels(space.n_channels)
        };
        self.blocks.iter().map(of_block).collect()
    }

    /// Features of complexes that were measured by [`measurer`](Self::measurer), one matrix `[n, n_columns]` per block;
    /// standardized as the kernel sees them, or as they are. Labels have no columns.
    ///
    /// # Errors
    ///
    /// [`ModelError::Channels`] when they were measured by another.
    pub fn features(
        &self,
        measures: &[&ComplexMeasures],
        standardize: bool,
    ) -> Result<Vec<Mat<f64>>, ModelError> {
        check_size(measures.len(), self.n_columns())?;
        let one =
            |(space, measures): (&BlockSpace, BlockMeasures)| match (standardize, space.inputs(&measures)?) {
                (true, Inputs::Columns(inputs)) => Ok(inputs),
                (true, Inputs::Fixed(_)) => space.map.features(&measures),
                (false, _) => space.raw_features(&measures),
            };
        self.blocks.iter().zip(self.measures_in_units(measures)).map(one).collect()
    }

    /// The measures of complexes in every block, in its units: what its features are made of.
    #[must_use]
    pub fn measures_in_units(&self, measures: &[&ComplexMeasures]) -> Vec<BlockMeasures> {
        let of_block = |space: &BlockSpace| {
            BlockMeasures::in_units(space.block, measures.iter().copied(), &space.units)
                .with_channels(space.n_channels)
        };
        self.blocks.iter().map(of_block).collect()
    }
}
