//! Refined labels of the complexes of a dataset: which columns name the cells, and the masses of what they are refined to;
//! and the values of vertices.

use super::measure::lifted;
use super::{Measurer, ModelError};
use crate::dataset::{Column, ColumnValues, Dataset, WEIGHTS};
use crate::encode::{CellSignal, EncodeError, Encoding, EncodingParams, Outline, VertexSignal};
use crate::hodge::edge_shares;
use crate::measure::{
    ComplexMeasures, GivenLabels, RefinedLabels, VertexValues, measure_labels, name_id, refine,
};
use crate::settings::{BlockKind, Settings};
use crate::signal::Orientation;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Kinds of blocks that refined labels are measured for.
const LABELS: [BlockKind; 3] = [BlockKind::EdgeLabels, BlockKind::VertexLabels, BlockKind::Environments];

/// Columns whose labels name the cells.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LabelColumns {
    /// Of vertices; without one, these are named by their degrees.
    pub vertices: Vec<String>,
    /// Of edges.
    pub edges: Vec<String>,
}

impl LabelColumns {
    /// Those among `columns`; none where labels are not asked for. Unless they are asked for by name, a dataset of flows
    /// without a label has none either.
    pub fn fit(settings: &Settings, columns: &[Column]) -> Option<Self> {
        let kinds = settings.blocks();
        let wanted = LABELS.iter().any(|kind| kinds.contains(kind));
        let names = |dim: usize| {
            let is_label = |c: &&Column| c.dim == dim && matches!(c.values, ColumnValues::Labels { .. });
            columns.iter().filter(is_label).map(|c| c.name.clone()).collect::<Vec<_>>()
        };
        // Signals that the user turned off are not brought back by blocks that nobody asked for.
        let edges = settings.blocks.is_some() || settings.edges.sees_columns();
        let own = Self { vertices: names(0), edges: if edges { names(1) } else { Vec::new() } };
        let is_flow = |c: &Column| c.dim > 0 && c.orientation == Orientation::Oriented;
        let only_flows = settings.blocks.is_none()
            && own.vertices.is_empty()
            && own.edges.is_empty()
            && columns.iter().any(is_flow);
        (wanted && !only_flows).then_some(own)
    }
}

/// Names of the cells of one dimension over a whole dataset.
struct Names<'a> {
    columns: Vec<(&'a Column, &'a [u32], Vec<u64>)>, // with the identifier of each category
}

impl<'a> Names<'a> {
    fn bind(dataset: &'a Dataset, dim: usize, names: &[String]) -> Result<Self, EncodeError> {
        let bind = |name: &String| {
            let column = dataset.column(dim, name);
            let column = column.ok_or_else(|| EncodeError::MissingColumn { dim, name: name.clone() })?;
            match &column.values {
                ColumnValues::Labels { categories, codes } => {
                    let ids = categories.iter().map(|category| name_id([&name[..], category])).collect();
                    Ok((column, &codes[..], ids))
                }
                ColumnValues::Real { .. } => {
                    let (expected, found) = ("labels".to_owned(), "numbers".to_owned());
                    Err(EncodeError::OtherColumn { dim, name: name.clone(), expected, found })
                }
            }
        };
        Ok(Self { columns: names.iter().map(bind).collect::<Result<_, _>>()? })
    }

    /// One identifier for each cell of complex `i`, over all columns; none without a column.
    fn of(&self, i: usize) -> Option<Vec<u64>> {
        let (first, others) = self.columns.split_first()?;
        let ids = |(column, codes, ids): &(&Column, &[u32], Vec<u64>)| {
            codes[column.cells(i)].iter().map(|&code| ids[code as usize]).collect::<Vec<u64>>()
        };
        let mut all = ids(first);
        for other in others {
            for (id, more) in all.iter_mut().zip(ids(other)) {
                *id = id.rotate_left(17).wrapping_mul(0xD6E8_FEB8_6659_FD93) ^ more;
            }
        }
        Some(all)
    }
}

/// Labels of all cells, and the shares of the edges in the Hodge components.
pub(super) type LabelledCells = (RefinedLabels, Vec<[f64; 3]>);

/// Refined labels of every cell of item `i`; none where labels are not measured.
pub(super) fn labels_of(
    measurer: &Measurer,
    items: &Dataset,
    i: usize,
) -> Result<Option<LabelledCells>, ModelError> {
    let Some(columns) = &measurer.labels else { return Ok(None) };
    let (vertices, edges) =
        (Names::bind(items, 0, &columns.vertices)?, Names::bind(items, 1, &columns.edges)?);
    let complex = lifted(&measurer.settings, items, i, true)?;
    let (vertices, edges) = (vertices.of(i), edges.of(i));
    let given = GivenLabels { vertices: vertices.as_deref(), edges: edges.as_deref() };
    let refined = refine(&complex, given, measurer.settings.label_depth + 1);
    Ok(Some((refined, edge_shares(&complex))))
}

/// The same measures with masses of refined labels.
pub(super) fn with_labels(
    measurer: &Measurer,
    measures: Vec<ComplexMeasures>,
    items: &Dataset,
) -> Result<Vec<ComplexMeasures>, ModelError> {
    let Some(columns) = &measurer.labels else { return Ok(measures) };
    let kinds = measurer.settings.blocks();
    let wanted = LABELS.map(|kind| kinds.contains(&kind));
    let rounds = measurer.settings.label_depth;
    let (vertices, edges) =
        (Names::bind(items, 0, &columns.vertices)?, Names::bind(items, 1, &columns.edges)?);
    let one = |(i, measures): (usize, ComplexMeasures)| {
        // Shares of edges see triangles, labels do not.
        let complex = lifted(&measurer.settings, items, i, wanted[0])?;
        let (vertices, edges) = (vertices.of(i), edges.of(i));
        let given = GivenLabels { vertices: vertices.as_deref(), edges: edges.as_deref() };
        Ok(measures.with_labels(Some(measure_labels(&complex, given, rounds, wanted))))
    };
    let all: Vec<Result<ComplexMeasures, ModelError>> =
        measures.into_par_iter().enumerate().map(one).collect();
    all.into_iter().collect()
}

/// The same measures with the values of vertices.
pub(super) fn with_values(
    measurer: &Measurer,
    measures: Vec<ComplexMeasures>,
    items: &Dataset,
) -> Result<Vec<ComplexMeasures>, ModelError> {
    let Some(encoding) = &measurer.values else { return Ok(measures) };
    let encoder = encoding.bind(items)?;
    let one = |(i, measures): (usize, ComplexMeasures)| {
        let complex = &items.complexes()[i];
        let signal = encoder.encode_on(i, complex).0.into_iter().next().flatten();
        measures.with_values(signal.map(|signal| VertexValues::new(complex, &signal)))
    };
    Ok(measures.into_par_iter().enumerate().map(one).collect())
}

/// The attributes and labels of vertices, where their distributions are wanted and there are any.
pub(super) fn values_of(settings: &Settings, outline: &Outline) -> Result<Option<Encoding>, ModelError> {
    let kinds = settings.blocks();
    let wanted = [BlockKind::Values, BlockKind::SmoothedValues].iter().any(|kind| kinds.contains(kind));
    let is_value = |c: &Column| c.dim == 0 && c.name != WEIGHTS;
    let is_number = |c: &Column| is_value(c) && matches!(c.values, ColumnValues::Real { .. });
    // Unless they are asked for by name, labels alone are left to the blocks of labels, and vertices that carry no signal
    // have no values either.
    let has_values = match settings.blocks {
        Some(_) => outline.columns().iter().any(is_value),
        None => settings.encoding(outline).vertices.sees_columns() && outline.columns().iter().any(is_number),
    };
    if !wanted || !has_values {
        return Ok(None);
    }
    let params = EncodingParams {
        vertices: VertexSignal::Attributes,
        edges: CellSignal::None,
        higher: CellSignal::None,
        max_degree: None,
    };
    Ok(Some(params.fit_outline(outline, 0)?))
}
