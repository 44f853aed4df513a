//! From a dataset to signals: which channels the cells of each dimension carry.
//!
//! An encoding is fitted on the training complexes, because the range of degrees comes from them alone, and
//! goes into a model file, because new complexes must get the same channels: columns are matched by name, and
//! a label the encoding does not know becomes zeros and is counted.

mod error;
mod outline;
mod source;
mod structure;

pub use error::EncodeError;
pub use outline::Outline;

use crate::choice::choices;
use crate::complex::Complex;
use crate::dataset::{Dataset, WHOLE};
use crate::linalg::SparseMat;
use crate::signal::{Channels, Signal};
use serde::{Deserialize, Serialize};
use source::{Bound, Source};
use std::sync::Arc;

/// Largest number of channels on the cells of one dimension.
pub const MAX_CHANNELS: usize = 1 << 16;

choices! {
    /// What vertices carry.
    pub enum VertexSignal {
        /// One-hot degrees, beside attributes, beside one-hot labels. Degrees from the 99th percentile of the training
        /// degrees (interpolated, rounded down) on share the last channel.
        #[default]
        Auto,
        /// As the reference code of Opolka et al. (2023): one-hot degrees, beside attributes, beside one-hot labels.
        ///
        /// With `p` the 99th percentile of the training degrees (interpolated, rounded down) there are `p − 1`
        /// degree channels, for the degrees `0..p − 1`; vertices of higher degree have zeros in all of them.
        Reference,
        /// One-hot degrees up to the largest of the training vertices, which takes the larger ones too.
        DegreeOneHot,
        /// The degree as one channel.
        Degree,
        /// One on every vertex.
        Constant,
        /// The combinatorial curvature `Σ_{σ ∋ v} (−1)^{dim σ} / n(σ)` over the cells of the vertex, `n(σ)` their numbers of
        /// vertices; it adds up to the Euler characteristic.
        Curvature,
        /// Structure alone: a constant, the degree and the curvature, one channel each.
        Structure,
        /// Attributes and one-hot labels only.
        Attributes,
        /// No signal.
        None,
    }
}

impl VertexSignal {
    /// Whether it holds the attributes and labels of vertices.
    #[must_use]
    pub fn sees_columns(self) -> bool {
        matches!(self, Self::Auto | Self::Reference | Self::Attributes)
    }
}

impl CellSignal {
    /// Whether it holds the attributes and labels of cells.
    #[must_use]
    pub fn sees_columns(self) -> bool {
        matches!(self, Self::Auto | Self::AutoStructure | Self::Columns)
    }
}

choices! {
    /// What cells of dimension 1 or more carry.
    pub enum CellSignal {
        /// Attributes and one-hot labels where there are any, otherwise no signal.
        #[default]
        Auto,
        /// Attributes and one-hot labels.
        Columns,
        /// An unoriented one on every cell. Its harmonic energy is the Betti number.
        Constant,
        /// The number of cofaces, unoriented.
        Degree,
        /// Forman's curvature, unoriented: cofaces plus faces minus the cells that share one or the other with it but not
        /// both; `4 − d(u) − d(v)` on an edge of a graph.
        Curvature,
        /// Structure alone: a constant, the number of cofaces and the curvature, one channel each.
        Structure,
        /// Attributes and one-hot labels where there are any, otherwise structure.
        AutoStructure,
        /// No signal.
        None,
    }
}

/// The channels of [`VertexSignal::Structure`] and [`CellSignal::Structure`].
const STRUCTURE: [Source; 3] = [Source::Constant, Source::Degree, Source::Curvature];

/// Which signals to make of a dataset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EncodingParams {
    /// On vertices.
    pub vertices: VertexSignal,
    /// On edges.
    pub edges: CellSignal,
    /// On cells of dimension 2 or more; [`CellSignal::Columns`] asks for columns of dimension 2.
    pub higher: CellSignal,
    /// In place of the percentile of [`VertexSignal::Auto`] and [`VertexSignal::Reference`].
    pub max_degree: Option<u32>,
}

impl EncodingParams {
    /// Fits an encoding on the complexes `train` of `dataset`; categories are all those the dataset names.
    ///
    /// # Errors
    ///
    /// [`EncodeError`] when the dataset does not have what is asked for, or would need more than [`MAX_CHANNELS`]
    /// channels.
    pub fn fit(&self, dataset: &Dataset, train: &[usize]) -> Result<Encoding, EncodeError> {
        self.fit_up_to(dataset, train, 0)
    }

    /// As [`fit`](Self::fit), for complexes that will be lifted to dimension `lifted`: signals that come from structure
    /// are then on the cells that the lift adds, too.
    ///
    /// # Errors
    ///
    /// As for [`fit`](Self::fit).
    pub fn fit_up_to(
        &self,
        dataset: &Dataset,
        train: &[usize],
        lifted: usize,
    ) -> Result<Encoding, EncodeError> {
        self.fit_outline(&Outline::of(dataset, train)?, lifted)
    }

    /// As [`fit_up_to`](Self::fit_up_to), for a dataset of which the outline is known.
    ///
    /// # Errors
    ///
    /// As for [`fit`](Self::fit).
    pub fn fit_outline(&self, outline: &Outline, lifted: usize) -> Result<Encoding, EncodeError> {
        let mut dims = vec![self.vertex_sources(outline)?];
        let of_cells = outline.columns.iter().filter(|column| column.dim != WHOLE);
        let highest = of_cells.map(|column| column.dim).max().unwrap_or(0);
        for dim in 1..=highest.max(outline.highest).max(lifted).max(1) {
            dims.push(self.cell_sources(outline, dim)?);
        }
        while dims.len() > 1 && dims.last().is_some_and(Option::is_none) {
            dims.pop();
        }
        Encoding::try_from(Sources(dims))
    }

    fn vertex_sources(&self, outline: &Outline) -> Result<Option<Vec<Source>>, EncodeError> {
        let (columns, degrees) = (Source::columns(&outline.columns, 0), &outline.degrees);
        Ok(Some(match self.vertices {
            VertexSignal::None => return Ok(None),
            VertexSignal::Constant => vec![Source::Constant],
            VertexSignal::Degree => vec![Source::Degree],
            VertexSignal::Curvature => vec![Source::Curvature],
            VertexSignal::Structure => STRUCTURE.to_vec(),
            VertexSignal::DegreeOneHot => {
                let depth = u32::try_from(degrees.len().max(1)).unwrap_or(u32::MAX);
                vec![Source::DegreeOneHot { depth, last_bin: true }]
            }
            VertexSignal::Attributes if columns.is_empty() => return Err(EncodeError::NoColumns { dim: 0 }),
            VertexSignal::Attributes => columns,
            VertexSignal::Auto => {
                let depth = self.max_degree.unwrap_or_else(|| percentile_99(degrees)).saturating_add(1);
                std::iter::once(Source::DegreeOneHot { depth, last_bin: true }).chain(columns).collect()
            }
            VertexSignal::Reference => {
                let max_degree = self.max_degree.unwrap_or_else(|| percentile_99(degrees));
                let depth = max_degree.saturating_sub(1);
                if depth == 0 && columns.is_empty() {
                    return Err(EncodeError::NoChannels { max_degree });
                }
                std::iter::once(Source::DegreeOneHot { depth, last_bin: false }).chain(columns).collect()
            }
        }))
    }

    fn cell_sources(&self, outline: &Outline, dim: usize) -> Result<Option<Vec<Source>>, EncodeError> {
        let columns = Source::columns(&outline.columns, dim);
        match if dim == 1 { self.edges } else { self.higher } {
            CellSignal::None => Ok(None),
            CellSignal::Constant => Ok(Some(vec![Source::Constant])),
            CellSignal::Degree => Ok(Some(vec![Source::Degree])),
            CellSignal::Curvature => Ok(Some(vec![Source::Curvature])),
            CellSignal::Structure => Ok(Some(STRUCTURE.to_vec())),
            CellSignal::AutoStructure if columns.is_empty() => Ok(Some(STRUCTURE.to_vec())),
            CellSignal::Columns if columns.is_empty() && dim <= 2 => Err(EncodeError::NoColumns { dim }),
            CellSignal::Auto | CellSignal::AutoStructure | CellSignal::Columns => {
                Ok(Some(columns).filter(|c| !c.is_empty()))
            }
        }
    }
}

/// The 99th percentile, linear between the two nearest ranks as in NumPy, rounded down; 0 for no vertex.
fn percentile_99(counts: &[usize]) -> u32 {
    let n: usize = counts.iter().sum();
    let Some(last) = n.checked_sub(1) else { return 0 };
    let rank = 0.99 * last as f64;
    let at = |rank: usize| {
        let mut seen = 0;
        counts.iter().position(|count| {
            seen += count;
            seen > rank
        })
    };
    let low = at(rank.floor() as usize).unwrap_or(0) as f64;
    let high = at((rank.floor() as usize + 1).min(last)).unwrap_or(0) as f64;
    (low + rank.fract() * (high - low)).floor() as u32
}

/// Sources by dimension, as stored in model files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Sources(Vec<Option<Vec<Source>>>);

/// Channels for the cells of each dimension, fitted on training complexes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Sources", into = "Sources")]
pub struct Encoding {
    sources: Sources,
    channels: Vec<Option<Arc<Channels>>>,
}

impl From<Encoding> for Sources {
    fn from(encoding: Encoding) -> Self {
        encoding.sources
    }
}

impl TryFrom<Sources> for Encoding {
    type Error = EncodeError;

    fn try_from(sources: Sources) -> Result<Self, EncodeError> {
        let mut channels = Vec::with_capacity(sources.0.len());
        for (dim, sources) in sources.0.iter().enumerate() {
            let found = sources.iter().flatten().map(Source::n_channels).fold(0, usize::saturating_add);
            if found > MAX_CHANNELS {
                return Err(EncodeError::TooManyChannels { dim, found });
            }
            if dim > 0 && sources.iter().flatten().any(Source::needs_vertices) {
                return Err(EncodeError::DegreeDim { dim });
            }
            let described = sources.as_ref().map(|s| Channels::new(s.iter().flat_map(Source::channels)));
            channels.push(described);
        }
        Ok(Self { sources, channels })
    }
}

impl Encoding {
    /// Number of dimensions described, with or without a signal.
    #[must_use]
    pub fn n_dims(&self) -> usize {
        self.channels.len()
    }

    /// Channels on the cells of dimension `dim`, if they carry a signal.
    #[must_use]
    pub fn channels(&self, dim: usize) -> Option<&Arc<Channels>> {
        self.channels.get(dim)?.as_ref()
    }

    /// Whether a signal on vertices depends on cells of higher dimensions.
    #[must_use]
    pub fn sees_higher_cells(&self) -> bool {
        self.sources
            .0
            .first()
            .is_some_and(|vertices| vertices.iter().flatten().any(|s| *s == Source::Curvature))
    }

    /// Finds the columns of `dataset` once, so that its complexes can be encoded one by one.
    ///
    /// # Errors
    ///
    /// [`EncodeError`] when a column is missing or holds something else than where the encoding was fitted.
    pub fn bind<'a>(&'a self, dataset: &'a Dataset) -> Result<Encoder<'a>, EncodeError> {
        let bind = |dim, sources: &'a [Source]| -> Result<Vec<Bound<'a>>, EncodeError> {
            sources.iter().map(|source| source.bind(dataset, dim)).collect()
        };
        let dims = self.sources.0.iter().enumerate();
        let bound = dims.map(|(dim, sources)| sources.as_deref().map(|s| bind(dim, s)).transpose());
        Ok(Encoder { encoding: self, dataset, bound: bound.collect::<Result<_, _>>()? })
    }
}

/// A label of cells that an encoding does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewLabel {
    /// Dimension of the cells.
    pub dim: usize,
    /// Name of the column.
    pub column: String,
    /// The label.
    pub label: String,
    /// Number of cells that have it.
    pub cells: usize,
}

impl Encoding {
    /// The labels of `dataset` that are new to the encoding, by dimension, column and label.
    ///
    /// # Errors
    ///
    /// As [`bind`](Self::bind).
    pub fn new_labels(&self, dataset: &Dataset) -> Result<Vec<NewLabel>, EncodeError> {
        let encoder = self.bind(dataset)?;
        Ok(encoder.bound.iter().flatten().flatten().flat_map(Bound::new_labels).collect())
    }
}

/// An encoding bound to one dataset.
#[derive(Debug)]
pub struct Encoder<'a> {
    encoding: &'a Encoding,
    dataset: &'a Dataset,
    bound: Vec<Option<Vec<Bound<'a>>>>,
}

impl Encoder<'_> {
    /// The signals of complex `i`, one for each dimension that carries one, and how many labels of its cells are
    /// not known to the encoding.
    ///
    /// # Panics
    ///
    /// When the dataset has no complex `i`.
    #[must_use]
    pub fn encode(&self, i: usize) -> (Vec<Option<Signal>>, usize) {
        self.encode_on(i, &self.dataset.complexes()[i])
    }

    /// As [`encode`](Self::encode), with structure taken from `complex`, the item after a lift that keeps its cells.
    /// Columns of a dimension in which the numbers of cells differ have no signal.
    ///
    /// # Panics
    ///
    /// When the dataset has no complex `i`.
    #[must_use]
    pub fn encode_on(&self, i: usize, complex: &Complex) -> (Vec<Option<Signal>>, usize) {
        let mut unknown = 0;
        let dims = self.bound.iter().zip(&self.encoding.channels).enumerate();
        let signals = dims.map(|(dim, (sources, channels))| {
            let (sources, channels) = (sources.as_ref()?, channels.as_ref()?);
            let n_cells = complex.n_cells(dim);
            if sources.iter().any(|source| source.n_cells(i).is_some_and(|n| n != n_cells)) {
                return None;
            }
            let mut values = SparseMat::with_rows(n_cells);
            unknown += sources.iter().map(|s| s.append(complex, i, &mut values)).sum::<usize>();
            let signal = Signal::new(values, Arc::clone(channels));
            Some(signal.expect("a dataset is finite and every source appends its channels"))
        });
        (signals.collect(), unknown)
    }
}

#[cfg(test)]
mod tests;
