//! Energy measures of the complexes of a dataset.

use super::{Measurer, ModelError};
use crate::complex::{CellWeights, Complex};
use crate::dataset::{ColumnValues, Dataset, POSITIONS};
use crate::encode::Encoder;
use crate::feature::{SignedBasis, SignedError};
use crate::hodge::{MetricError, unit_metric_weights};
use crate::measure::{ComplexMeasures, MeasureError, Sample, measure_all};
use crate::settings::Settings;
use rayon::prelude::*;
use std::borrow::Cow;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The measures of a dataset.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// Measures of each complex.
    pub measures: Vec<ComplexMeasures>,
    /// Labels of cells that the encoding does not know.
    pub unknown: usize,
    /// How much each complex counts in training; none where all count alike.
    pub weights: Option<Vec<f64>>,
}

/// The measures of `items`, which are graphs and complexes as they are before cells are added.
pub(super) fn measure(
    measurer: &Measurer,
    items: &Dataset,
    progress: impl FnMut(usize) -> ControlFlow<()>,
) -> Result<Measured, ModelError> {
    let (settings, encoding) = (&measurer.settings, &measurer.encoding);
    let encoder = encoding.bind(items)?;
    let blocks = measurer.blocks()?;
    let signals = blocks.iter().filter(|block| block.component.is_of_signal());
    let wanted: Vec<usize> = signals.map(|block| block.dim).collect();
    let beyond_vertices = wanted.iter().any(|&dim| dim > 0)
        || encoding.sees_higher_cells()
        || settings.laplacian().metric().is_some();
    let unknown = AtomicUsize::new(0);
    let sample = |i: usize| {
        let (mut sample, missed) = sample(settings, items, &encoder, i, beyond_vertices)?;
        unknown.fetch_add(missed, Ordering::Relaxed);
        for (dim, signal) in sample.signals.iter_mut().enumerate() {
            if !wanted.contains(&dim) {
                *signal = None;
            }
        }
        Ok::<_, ModelError>(sample)
    };
    let mut measures = measure_all(items.len(), sample, settings.measuring(), progress)?;
    if let Some(basis) = &measurer.signed {
        measures = with_signed(measures, items, &encoder, basis, settings)?;
    }
    measures = super::labels::with_labels(measurer, measures, items)?;
    measures = super::labels::with_values(measurer, measures, items)?;
    measures = super::own::with_own(measurer, measures, items)?;
    let weights = items.sample_weights().map(<[f64]>::to_vec);
    Ok(Measured { measures, unknown: unknown.into_inner(), weights })
}

/// Item `i` with its signals and weights, and the number of its labels that are not known.
pub(super) fn sample<'a>(
    settings: &Settings,
    items: &'a Dataset,
    encoder: &Encoder<'_>,
    i: usize,
    beyond_vertices: bool,
) -> Result<(Sample<'a>, usize), ModelError> {
    let complex = lifted(settings, items, i, beyond_vertices)?;
    let weights = weights(settings, items, i, &complex)?;
    let (signals, unknown) = encoder.encode_on(i, &complex);
    Ok((Sample { complex, signals, weights }, unknown))
}

/// The same measures with inner products of signals with the vectors of `basis`.
fn with_signed(
    measures: Vec<ComplexMeasures>,
    items: &Dataset,
    encoder: &Encoder<'_>,
    basis: &SignedBasis,
    settings: &Settings,
) -> Result<Vec<ComplexMeasures>, ModelError> {
    let one = |(index, measures): (usize, ComplexMeasures)| {
        check_shared(settings, items, index, basis)?;
        let complex = lifted(settings, items, index, true)?;
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

/// Whether item `index` lives on the complex of `basis`.
pub(super) fn check_shared(
    settings: &Settings,
    items: &Dataset,
    index: usize,
    basis: &SignedBasis,
) -> Result<(), ModelError> {
    let complex = lifted(settings, items, index, true)?;
    if basis.belongs_to(&complex) {
        return Ok(());
    }
    let n_cells = complex.n_cells(basis.dim());
    let found = format!("{n_cells} cells of dimension {} in an order of their own", basis.dim());
    let expected = format!("{} in that of the training complexes", basis.n_cells());
    Err(SignedError::NotShared { index, found, expected }.into())
}

/// Item `index` with the cells that the lift adds, where they matter; spectra of vertices do not see triangles.
pub(super) fn lifted<'a>(
    settings: &Settings,
    items: &'a Dataset,
    index: usize,
    beyond_vertices: bool,
) -> Result<Cow<'a, Complex>, ModelError> {
    let complex = &items.complexes()[index];
    if !beyond_vertices {
        return Ok(Cow::Borrowed(complex));
    }
    settings.lift().filled(complex).map_err(|source| ModelError::Lift { index, source })
}

/// The weights of the cells of item `i`, lifted to `complex`, if they are not those of the named Laplacian: metric ones if
/// these are asked for, otherwise those of the dataset, if it has any.
pub(super) fn weights(
    settings: &Settings,
    items: &Dataset,
    i: usize,
    complex: &Complex,
) -> Result<Option<CellWeights>, ModelError> {
    let Some(dual) = settings.laplacian().metric() else { return Ok(items.weights(i)) };
    let failed = |source| ModelError::Metric { index: i, source };
    let positions = positions(items, i).ok_or(failed(MetricError::NoPositions { name: POSITIONS }))?;
    unit_metric_weights(complex, &positions, dual).map(Some).map_err(failed)
}

/// Where the vertices of item `i` are, in the plane or in space.
fn positions(items: &Dataset, i: usize) -> Option<Vec<[f64; 3]>> {
    let column = items.columns().iter().find(|column| column.dim == 0 && column.name == POSITIONS)?;
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
