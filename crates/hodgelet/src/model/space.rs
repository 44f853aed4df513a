//! From a dataset to measures: which signals, which complex, which Laplacian, which blocks.

use super::ModelError;
use crate::complex::{Complex, ComplexError, MAX_CLIQUE_DIM};
use crate::dataset::Dataset;
use crate::encode::{Encoding, EncodingParams};
use crate::feature::{Block, FourierPoints, Part};
use crate::hodge::Weighting;
use crate::measure::{ComplexMeasures, MeasureError, Sample, measure_all};
use crate::wavelet::BankParams;
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
        let of_dim =
            |dim| if self.split { Block::split(dim) } else { vec![Block { dim, part: Part::Whole }] };
        let mut blocks: Vec<Block> = Vec::new();
        for block in dims.into_iter().flat_map(of_dim) {
            // A dimension named twice gives its features once.
            if !self.without.contains(&block) && !blocks.contains(&block) {
                blocks.push(block);
            }
        }
        if blocks.is_empty() { Err(ModelError::NoBlocks) } else { Ok(blocks) }
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
    let beyond_vertices = wanted.iter().any(|&dim| dim > 0);
    params.check_lift()?;
    let unknown = AtomicUsize::new(0);
    let sample = |i: usize| {
        let (mut signals, missed) = encoder.encode(i);
        unknown.fetch_add(missed, Ordering::Relaxed);
        if params.lift == Lift::LineGraph {
            signals = vec![signals.into_iter().nth(1).flatten()];
        }
        for (dim, signal) in signals.iter_mut().enumerate() {
            if !wanted.contains(&dim) {
                *signal = None;
            }
        }
        let complex = params.lifted(&dataset.complexes[i], beyond_vertices);
        Sample { complex: complex.expect("the dimension of cliques was examined"), signals, weights: None }
    };
    let measures = measure_all(dataset.len(), sample, params.weighting, progress).map_err(|e| match e {
        MeasureError::Cancelled { .. } => ModelError::Cancelled,
        other => other.into(),
    })?;
    Ok(Measured { measures, unknown: unknown.into_inner() })
}
