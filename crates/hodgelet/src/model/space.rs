//! From a dataset to measures: which signals, which complex, which Laplacian, which blocks.

use super::ModelError;
use crate::complex::{Complex, ComplexError, MAX_CLIQUE_DIM};
use crate::dataset::{ColumnValues, Dataset, POSITIONS};
use crate::encode::{Encoder, Encoding, EncodingParams};
use crate::feature::{Block, Component, FourierPoints, SignedBasis, SignedError, SignedParams};
use crate::hodge::{
    CellWeights, DualArea, HodgeError, MetricError, Operators, Weighting, unit_metric_weights,
};
use crate::measure::{ComplexMeasures, MeasureError, Sample, measure_all};
use crate::signal::Orientation;
use crate::wavelet::BankParams;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What becomes of a complex before its spectra are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lift {
    /// Nothing.
    None,
    /// Cliques of a graph become simplices up to this dimension; a complex that has cells beyond edges stays
    /// as it is.
    Cliques(usize),
    /// The line graph: edges and their signals become vertices.
    LineGraph,
}

/// Which functions of the measures are features.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FeatureTransform {
    /// Norms of wavelet coefficients under a trainable bank.
    Wavelets(BankParams),
    /// Cumulative energy at this many fixed points of the spectrum.
    Fourier(usize),
}

/// Everything between a dataset and its features, not yet fitted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct SpaceParams {
    /// Signals on the cells.
    pub encoding: EncodingParams,
    /// What becomes of the complex.
    pub lift: Lift,
    /// Which Laplacian.
    pub weighting: Weighting,
    /// Metric weights from the positions of vertices, in place of the named Laplacian; lengths are in a unit in which
    /// the mean dual area of each surface is 1.
    pub metric: Option<DualArea>,
    /// Signed features, for items that share one complex.
    pub signed: Option<SignedParams>,
    /// Whether signals are split into their Hodge components.
    pub split: bool,
    /// Dimensions whose signals are used; all that carry one if none are named.
    pub dims: Option<Vec<usize>>,
    /// Parts that are left out.
    pub without: Vec<Block>,
    /// Which functions of the measures.
    pub transform: FeatureTransform,
    /// Whether all blocks share one bank.
    pub shared_bank: bool,
}

impl Default for SpaceParams {
    /// The Hodgelet features of \[Alain24\].
    fn default() -> Self {
        Self {
            encoding: EncodingParams::default(),
            lift: Lift::Cliques(2),
            weighting: Weighting::Combinatorial,
            metric: None,
            signed: None,
            split: true,
            dims: None,
            without: Vec::new(),
            transform: FeatureTransform::Wavelets(BankParams::default()),
            shared_bank: false,
        }
    }
}

impl SpaceParams {
    /// The method without the Hodge split, on the vertex signal and the normalized Laplacian, as in \[Opolka23\].
    #[must_use]
    pub fn wt() -> Self {
        let weighting = Weighting::SymmetricNormalized;
        Self { weighting, split: false, dims: Some(vec![0]), ..Self::default() }
    }

    /// The method without the Hodge split on the line graph, which carries the edge signal on its vertices.
    #[must_use]
    pub fn line_graph() -> Self {
        Self { lift: Lift::LineGraph, ..Self::wt() }
    }

    /// Cumulative spectral energy of the vertex signal.
    #[must_use]
    pub fn fourier() -> Self {
        Self { transform: FeatureTransform::Fourier(FourierPoints::DEFAULT_COUNT), ..Self::wt() }
    }

    /// The blocks of features that signals on the dimensions of `encoding` give.
    ///
    /// # Errors
    ///
    /// [`ModelError::NoSignal`] when a dimension named carries no signal, or none does.
    pub fn blocks(&self, encoding: &Encoding) -> Result<Vec<Block>, ModelError> {
        let carries = |dim: &usize| match self.lift {
            Lift::LineGraph => *dim == 0 && encoding.channels(1).is_some(),
            _ => encoding.channels(*dim).is_some(),
        };
        let dims = match &self.dims {
            Some(dims) => dims.clone(),
            None => (0..encoding.n_dims()).filter(carries).collect(),
        };
        if let Some(&dim) = dims.iter().find(|dim| !carries(dim)) {
            return Err(ModelError::NoSignal { dim: if self.lift == Lift::LineGraph { 1 } else { dim } });
        }
        let of_dim = |dim| {
            if self.split { Block::split(dim) } else { vec![Block { dim, component: Component::Whole }] }
        };
        let mut blocks: Vec<Block> = Vec::new();
        for block in dims.into_iter().flat_map(of_dim) {
            // A dimension named twice gives its features once.
            if !self.without.contains(&block) && !blocks.contains(&block) {
                blocks.push(block);
            }
        }
        if let Some(dim) = encoding.signed().map(SignedBasis::dim) {
            let block = Block { dim, component: Component::Signed };
            if encoding.channels(dim).is_some() && !self.without.contains(&block) {
                blocks.push(block);
            }
        }
        if blocks.is_empty() { Err(ModelError::NoBlocks) } else { Ok(blocks) }
    }

    /// Fits the signals of a dataset on the complexes `train`, and the vectors of signed features on the complex that
    /// they share.
    ///
    /// # Errors
    ///
    /// [`ModelError`] when the dataset does not have what is asked for.
    pub fn fit_encoding(&self, dataset: &Dataset, train: &[usize]) -> Result<Encoding, ModelError> {
        self.check_lift()?;
        let lifted = match self.lift {
            Lift::Cliques(dim) => dim,
            _ => 0,
        };
        let encoding = self.encoding.fit_up_to(dataset, train, lifted)?;
        let Some(signed) = &self.signed else { return Ok(encoding) };
        if self.lift == Lift::LineGraph {
            return Err(SignedError::LineGraph.into());
        }
        let (dim, Some(&first)) = (signed.dim(), train.first()) else {
            return Err(ModelError::TooFew { expected: 2, found: 0 });
        };
        let channels = encoding.channels(dim).ok_or(ModelError::NoSignal { dim })?;
        let has_sign = |d: usize| dim == 0 || channels.orientation(d) == Orientation::Oriented;
        if !(0..channels.len()).any(has_sign) {
            return Err(SignedError::NoFlow { dim }.into());
        }
        let complex = self.lifted(&dataset.complexes()[first], true)?;
        let weights = self.weights(dataset, first, &complex)?;
        let operators = match &weights {
            Some(weights) => {
                Operators::weighted(&complex, weights).map_err(HodgeError::from).map_err(SignedError::from)?
            }
            None => Operators::new(&complex, self.weighting),
        };
        let basis = signed.fit(&operators)?;
        for &index in train {
            self.check_shared(dataset, index, &basis)?;
        }
        Ok(encoding.with_signed(Some(basis)))
    }

    /// Whether item `index` lives on the complex of `basis`.
    fn check_shared(&self, dataset: &Dataset, index: usize, basis: &SignedBasis) -> Result<(), ModelError> {
        let complex = self.lifted(&dataset.complexes()[index], true)?;
        if basis.belongs_to(&complex) {
            return Ok(());
        }
        let n_cells = complex.n_cells(basis.dim());
        let found = format!("{n_cells} cells of dimension {} in an order of their own", basis.dim());
        let expected = format!("{} in that of the training complexes", basis.n_cells());
        Err(SignedError::NotShared { index, found, expected }.into())
    }

    /// The weights of the cells of item `i`, lifted to `complex`, if they are not those of the named Laplacian: metric
    /// ones if these are asked for, otherwise those of the dataset, if it has any.
    ///
    /// # Errors
    ///
    /// [`ModelError::Metric`] when the item has no positions, or is no surface.
    pub fn weights(
        &self,
        dataset: &Dataset,
        i: usize,
        complex: &Complex,
    ) -> Result<Option<CellWeights>, ModelError> {
        if self.lift == Lift::LineGraph {
            return Ok(None);
        }
        match self.metric {
            None => Ok(dataset.weights(i)),
            Some(dual) => {
                let failed = |source| ModelError::Metric { index: i, source };
                let positions =
                    positions(dataset, i).ok_or(failed(MetricError::NoPositions { name: POSITIONS }))?;
                unit_metric_weights(complex, &positions, dual).map(Some).map_err(failed)
            }
        }
    }

    /// Settings at fault fail here, before the threads start.
    fn check_lift(&self) -> Result<(), ModelError> {
        match self.lift {
            Lift::Cliques(found) if !(1..=MAX_CLIQUE_DIM).contains(&found) => {
                Err(ComplexError::CliqueDim { found }.into())
            }
            _ => Ok(()),
        }
    }

    /// The complex whose spectra are taken.
    fn lifted<'a>(
        &self,
        complex: &'a Complex,
        beyond_vertices: bool,
    ) -> Result<Cow<'a, Complex>, ModelError> {
        match self.lift {
            Lift::LineGraph => Ok(Cow::Owned(complex.line_graph())),
            // Spectra of vertices do not see triangles.
            Lift::Cliques(dim) if beyond_vertices && complex.dim() <= 1 => {
                Ok(Cow::Owned(complex.clique_complex(dim)?))
            }
            _ => Ok(Cow::Borrowed(complex)),
        }
    }
}

/// The measures of a dataset.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// Measures of each complex.
    pub measures: Vec<ComplexMeasures>,
    /// Labels of cells that the encoding does not know.
    pub unknown: usize,
}

/// The energy measures of every complex of `dataset`, with signals made by `encoding`.
///
/// `progress` is told how many complexes are done, and may stop the work.
///
/// # Errors
///
/// [`ModelError`] when the dataset does not fit the encoding, a complex cannot be measured, or the work is stopped.
pub fn measure_dataset(
    dataset: &Dataset,
    encoding: &Encoding,
    params: &SpaceParams,
    progress: impl FnMut(usize) -> ControlFlow<()>,
) -> Result<Measured, ModelError> {
    let encoder = encoding.bind(dataset)?;
    let wanted: Vec<usize> = params.blocks(encoding)?.iter().map(|block| block.dim).collect();
    let beyond_vertices =
        wanted.iter().any(|&dim| dim > 0) || encoding.sees_higher_cells() || params.metric.is_some();
    params.check_lift()?;
    let unknown = AtomicUsize::new(0);
    let weights = |i: usize| {
        let complex = match params.metric {
            Some(_) => params.lifted(&dataset.complexes()[i], beyond_vertices)?,
            None => Cow::Borrowed(&dataset.complexes()[i]), // not looked at
        };
        params.weights(dataset, i, &complex)
    };
    let weights: Vec<Result<Option<CellWeights>, ModelError>> =
        (0..dataset.len()).into_par_iter().map(weights).collect();
    // the first fault in the order of items
    let weights: Vec<Option<CellWeights>> = weights.into_iter().collect::<Result<_, _>>()?;
    let sample = |i: usize| {
        let complex = params.lifted(&dataset.complexes()[i], beyond_vertices);
        let complex = complex.expect("the dimension of cliques was examined");
        let line_graph = params.lift == Lift::LineGraph;
        let (mut signals, missed) =
            if line_graph { encoder.encode(i) } else { encoder.encode_on(i, &complex) };
        unknown.fetch_add(missed, Ordering::Relaxed);
        if line_graph {
            signals = vec![signals.into_iter().nth(1).flatten()];
        }
        for (dim, signal) in signals.iter_mut().enumerate() {
            if !wanted.contains(&dim) {
                *signal = None;
            }
        }
        Sample { complex, signals, weights: weights[i].clone() }
    };
    let mut measures =
        measure_all(dataset.len(), sample, params.weighting, progress).map_err(|e| match e {
            MeasureError::Cancelled { .. } => ModelError::Cancelled,
            other => other.into(),
        })?;
    if let Some(basis) = encoding.signed() {
        measures = with_signed(measures, dataset, &encoder, basis, params)?;
    }
    Ok(Measured { measures, unknown: unknown.into_inner() })
}

/// The same measures with inner products of signals with the vectors of `basis`.
fn with_signed(
    measures: Vec<ComplexMeasures>,
    dataset: &Dataset,
    encoder: &Encoder<'_>,
    basis: &SignedBasis,
    params: &SpaceParams,
) -> Result<Vec<ComplexMeasures>, ModelError> {
    let one = |(index, measures): (usize, ComplexMeasures)| {
        params.check_shared(dataset, index, basis)?;
        let complex = params.lifted(&dataset.complexes()[index], true)?;
        let signals = encoder.encode_on(index, &complex).0;
        let signal = signals.into_iter().nth(basis.dim()).flatten();
        let products = signal.map(|signal| basis.measure(&signal)).transpose();
        let products = products.map_err(|source| MeasureError::Complex { index, source })?;
        Ok(measures.with_signed(products))
    };
    let all: Vec<Result<ComplexMeasures, ModelError>> =
        measures.into_par_iter().enumerate().map(one).collect();
    all.into_iter().collect()
}

/// Where the vertices of item `i` are, in the plane or in space.
fn positions(dataset: &Dataset, i: usize) -> Option<Vec<[f64; 3]>> {
    let column = dataset.column(0, POSITIONS)?;
    let ColumnValues::Real { channels, values } = &column.values else { return None };
    let width = channels.len();
    let cells = column.cells(i);
    let rows = values[cells.start * width..cells.end * width].chunks_exact(width.max(1));
    match width {
        2 => Some(rows.map(|p| [p[0], p[1], 0.0]).collect()),
        3 => Some(rows.map(|p| [p[0], p[1], p[2]]).collect()),
        _ => None,
    }
}
