//! Refined labels of the complexes of a dataset: which columns name the cells, and the masses of what they are refined to;
//! and the values of vertices and edges.

use super::measure::lifted;
use super::{Measurer, ModelError};
use crate::dataset::{Column, ColumnValues, Dataset, WEIGHTS};
use crate::encode::{CellSignal, EncodeError, Encoding, EncodingParams, Outline, VertexSignal};
use crate::hodge::cell_shares;
use crate::measure::{
    CellValues, ComplexMeasures, GivenLabels, RefinedLabels, WantedLabels, measure_labels, name_id, refine,
    refine_cells,
};
use crate::settings::{BlockKind, Settings};
use crate::signal::Orientation;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Kinds of blocks that refined labels are measured for.
const LABELS: [BlockKind; 4] =
    [BlockKind::EdgeLabels, BlockKind::VertexLabels, BlockKind::Environments, BlockKind::CellLabels];

/// Columns whose labels name the cells.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LabelColumns {
    /// Of vertices; without one, these are named by their degrees.
    pub vertices: Vec<String>,
    /// Of edges.
    pub edges: Vec<String>,
    /// Of cells of the dimensions from 2 up to the highest whose labels are wanted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub higher: Vec<Vec<String>>,
}

impl LabelColumns {
    /// Those of a dataset; none where labels are not asked for. Unless they are asked for by name, a dataset of flows
    /// without a label has none either.
    pub fn fit(settings: &Settings, outline: &Outline) -> Option<Self> {
        let columns = outline.columns();
        let kinds = settings.blocks();
        let wanted = LABELS.iter().any(|kind| kinds.contains(kind));
        let names = |dim: usize| {
            let is_label = |c: &&Column| c.dim == dim && matches!(c.values, ColumnValues::Labels { .. });
            columns.iter().filter(is_label).map(|c| c.name.clone()).collect::<Vec<_>>()
        };
        // Signals that the user turned off are not brought back by blocks that nobody asked for.
        let edges = settings.blocks.is_some() || settings.edges.sees_columns();
        let highest = if kinds.contains(&BlockKind::CellLabels) {
            outline.highest().max(settings.lift().max_dim())
        } else {
            0
        };
        let higher = (2..=highest).map(&names).collect();
        let own = Self { vertices: names(0), edges: if edges { names(1) } else { Vec::new() }, higher };
        let is_flow = |c: &Column| c.dim > 0 && c.orientation == Orientation::Oriented;
        let only_flows = settings.blocks.is_none()
            && own.vertices.is_empty()
            && own.edges.is_empty()
            && columns.iter().any(is_flow);
        (wanted && !only_flows).then_some(own)
    }

    /// The highest dimension of cells whose labels are known, at least that of edges.
    pub fn highest(&self) -> usize {
        1 + self.higher.len()
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

/// Names of all cells over a whole dataset.
struct AllNames<'a> {
    vertices: Names<'a>,
    edges: Names<'a>,
    higher: Vec<Names<'a>>,
}

/// The names of the cells of one complex.
struct OwnNames {
    vertices: Option<Vec<u64>>,
    edges: Option<Vec<u64>>,
    higher: Vec<Option<Vec<u64>>>,
}

impl<'a> AllNames<'a> {
    fn bind(dataset: &'a Dataset, columns: &LabelColumns) -> Result<Self, EncodeError> {
        let higher = columns.higher.iter().zip(2..).map(|(names, dim)| Names::bind(dataset, dim, names));
        Ok(Self {
            vertices: Names::bind(dataset, 0, &columns.vertices)?,
            edges: Names::bind(dataset, 1, &columns.edges)?,
            higher: higher.collect::<Result<_, _>>()?,
        })
    }

    fn of(&self, i: usize) -> OwnNames {
        OwnNames {
            vertices: self.vertices.of(i),
            edges: self.edges.of(i),
            higher: self.higher.iter().map(|names| names.of(i)).collect(),
        }
    }
}

impl OwnNames {
    fn given(&self) -> GivenLabels<'_> {
        GivenLabels { vertices: self.vertices.as_deref(), edges: self.edges.as_deref(), higher: &self.higher }
    }
}

/// Labels of the cells of one complex, with their shares in the Hodge components.
pub(super) struct LabelledCells {
    /// Those of a graph: vertices and edges.
    graph: RefinedLabels,
    /// Those of higher cells, where they are wanted.
    higher: Option<RefinedLabels>,
    /// By dimension.
    shares: Vec<Vec<[f64; 3]>>,
}

/// Labels of the cells of one dimension, depth by depth, and the share of each cell in each component.
type LabelsAndShares<'a> = (&'a Vec<Vec<u64>>, &'a [[f64; 3]]);

impl LabelledCells {
    /// Labels of the cells of one dimension, and their shares.
    pub fn of_dim(&self, dim: usize) -> Option<LabelsAndShares<'_>> {
        let refined = if dim < 2 { &self.graph } else { self.higher.as_ref()? };
        Some((refined.of_dim(dim)?, self.shares.get(dim)?))
    }
}

/// Refined labels of every cell of item `i`; none where labels are not measured.
pub(super) fn labels_of(
    measurer: &Measurer,
    items: &Dataset,
    i: usize,
) -> Result<Option<LabelledCells>, ModelError> {
    let Some(columns) = &measurer.labels else { return Ok(None) };
    let names = AllNames::bind(items, columns)?.of(i);
    let complex = lifted(&measurer.settings, items, i, true)?;
    let rounds = measurer.settings.label_depth + 1;
    let highest = columns.highest();
    Ok(Some(LabelledCells {
        graph: refine(&complex, names.given(), rounds),
        higher: (highest > 1).then(|| refine_cells(&complex, names.given(), rounds)),
        // Vertices are not split.
        shares: (0..=highest)
            .map(|dim| if dim == 0 { vec![[0.0; 3]; complex.n_cells(0)] } else { cell_shares(&complex, dim) })
            .collect(),
    }))
}

/// The same measures with masses of refined labels.
pub(super) fn with_labels(
    measurer: &Measurer,
    measures: Vec<ComplexMeasures>,
    items: &Dataset,
) -> Result<Vec<ComplexMeasures>, ModelError> {
    let Some(columns) = &measurer.labels else { return Ok(measures) };
    let kinds = measurer.settings.blocks();
    let wanted = WantedLabels {
        edges: kinds.contains(&BlockKind::EdgeLabels),
        vertices: kinds.contains(&BlockKind::VertexLabels),
        environments: kinds.contains(&BlockKind::Environments),
        environment_size: measurer.settings.environment_size,
        highest: columns.highest(),
    };
    let rounds = measurer.settings.label_depth;
    let names = AllNames::bind(items, columns)?;
    let one = |(i, measures): (usize, ComplexMeasures)| {
        // Shares of edges see triangles, labels of edges do not.
        let complex = lifted(&measurer.settings, items, i, wanted.edges || wanted.highest > 1)?;
        Ok(measures.with_labels(Some(measure_labels(&complex, names.of(i).given(), rounds, wanted))))
    };
    let all: Vec<Result<ComplexMeasures, ModelError>> =
        measures.into_par_iter().enumerate().map(one).collect();
    all.into_iter().collect()
}

/// The same measures with the values of vertices and edges.
pub(super) fn with_values(
    measurer: &Measurer,
    measures: Vec<ComplexMeasures>,
    items: &Dataset,
) -> Result<Vec<ComplexMeasures>, ModelError> {
    let vertices = measurer.values.as_ref().map(|encoding| encoding.bind(items)).transpose()?;
    let edges = measurer.edge_values.as_ref().map(|encoding| encoding.bind(items)).transpose()?;
    if vertices.is_none() && edges.is_none() {
        return Ok(measures);
    }
    let one = |(i, mut measures): (usize, ComplexMeasures)| {
        if let Some(encoder) = &vertices {
            let complex = &items.complexes()[i];
            let signal = encoder.encode_on(i, complex).0.into_iter().next().flatten();
            measures =
                measures.with_values(0, signal.map(|signal| CellValues::on_vertices(complex, &signal)));
        }
        if let Some(encoder) = &edges {
            // Flows are smoothed across triangles, too.
            let complex = lifted(&measurer.settings, items, i, true)?;
            let signal = encoder.encode_on(i, &complex).0.into_iter().nth(1).flatten();
            measures = measures.with_values(1, signal.map(|signal| CellValues::on_edges(&complex, &signal)));
        }
        Ok(measures)
    };
    let all: Vec<Result<ComplexMeasures, ModelError>> =
        measures.into_par_iter().enumerate().map(one).collect();
    all.into_iter().collect()
}

/// The attributes and labels of vertices (dimension 0) or edges (1), where their distributions are wanted and there are any.
pub(super) fn values_of(
    settings: &Settings,
    outline: &Outline,
    dim: usize,
) -> Result<Option<Encoding>, ModelError> {
    let kinds = settings.blocks();
    let named = match dim {
        0 => [BlockKind::Values, BlockKind::SmoothedValues],
        _ => [BlockKind::EdgeValues, BlockKind::SmoothedEdgeValues],
    };
    let wanted = named.iter().any(|kind| kinds.contains(kind));
    let is_value = |c: &Column| c.dim == dim && c.name != WEIGHTS;
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
        vertices: if dim == 0 { VertexSignal::Attributes } else { VertexSignal::None },
        edges: if dim == 1 { CellSignal::Columns } else { CellSignal::None },
        higher: CellSignal::None,
        max_degree: None,
    };
    Ok(Some(params.fit_outline(outline, 0)?))
}
