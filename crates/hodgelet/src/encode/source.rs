//! Where channels come from: degrees, curvatures, a constant, labels or attributes.

use super::structure::{coface_counts, curvatures};
use super::{EncodeError, NewLabel};
use crate::complex::Complex;
use crate::dataset::{Column, ColumnValues, Dataset};
use crate::linalg::SparseMat;
use crate::signal::Orientation;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// What a run of channels is computed from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Source {
    /// One channel for each degree below `depth`; degrees from there on are all zero, or in the last channel.
    #[serde(alias = "degree-one-hot")]
    DegreeOneHot { depth: u32, last_bin: bool },
    /// The degree as a number: of a vertex, its edges; of other cells, their cofaces.
    Degree,
    /// A curvature: combinatorial on vertices, Forman's beyond.
    Curvature,
    /// One on every cell.
    Constant,
    /// One channel for each category of a column of labels.
    Labels { name: String, categories: Vec<String> },
    /// The channels of a column of numbers.
    Real { name: String, channels: Vec<String>, orientation: Orientation },
}

impl Source {
    /// A source for each column of dimension `dim`, numbers before labels.
    pub fn columns(columns: &[Column], dim: usize) -> Vec<Self> {
        let of_dim = || columns.iter().filter(move |column| column.dim == dim && !column.is_weights());
        let real = of_dim().filter(|column| matches!(column.values, ColumnValues::Real { .. }));
        let labels = of_dim().filter(|column| matches!(column.values, ColumnValues::Labels { .. }));
        real.chain(labels).map(Self::column).collect()
    }

    fn column(column: &Column) -> Self {
        let name = column.name.clone();
        match &column.values {
            ColumnValues::Labels { categories, .. } => Self::Labels { name, categories: categories.clone() },
            ColumnValues::Real { channels, .. } => {
                let orientation = if column.dim == 0 { Orientation::Unoriented } else { column.orientation };
                Self::Real { name, channels: channels.clone(), orientation }
            }
        }
    }

    pub fn n_channels(&self) -> usize {
        match self {
            Self::DegreeOneHot { depth, .. } => *depth as usize,
            Self::Degree | Self::Curvature | Self::Constant => 1,
            Self::Labels { categories, .. } => categories.len(),
            Self::Real { channels, .. } => channels.len(),
        }
    }

    /// Whether the channels are defined on vertices only.
    pub fn needs_vertices(&self) -> bool {
        matches!(self, Self::DegreeOneHot { .. })
    }

    /// Names and orientations of the channels.
    pub fn channels(&self) -> Vec<(String, Orientation)> {
        let plain = |name: String| (name, Orientation::Unoriented);
        match self {
            Self::DegreeOneHot { depth, last_bin } => {
                let name = |d| match *last_bin && d + 1 == *depth {
                    true => format!("degree>={d}"),
                    false => format!("degree={d}"),
                };
                (0..*depth).map(|d| plain(name(d))).collect()
            }
            Self::Degree => vec![plain("degree".to_owned())],
            Self::Curvature => vec![plain("curvature".to_owned())],
            Self::Constant => vec![plain("constant".to_owned())],
            Self::Labels { name, categories } => {
                categories.iter().map(|category| plain(format!("{name}={category}"))).collect()
            }
            Self::Real { name, channels, orientation } => match &channels[..] {
                [_] => vec![(name.clone(), *orientation)],
                _ => channels.iter().map(|c| (format!("{name}.{c}"), *orientation)).collect(),
            },
        }
    }

    /// Finds the column of this source in a dataset, if it needs one.
    pub fn bind<'a>(&'a self, dataset: &'a Dataset, dim: usize) -> Result<Bound<'a>, EncodeError> {
        let (Self::Labels { name, .. } | Self::Real { name, .. }) = self else {
            return Ok(Bound { source: self, dim, column: None, recode: Vec::new() });
        };
        let column = dataset.column(dim, name);
        let column = column.ok_or_else(|| EncodeError::MissingColumn { dim, name: name.clone() })?;
        let recode = match (self, &column.values) {
            (Self::Labels { categories, .. }, ColumnValues::Labels { categories: theirs, .. }) => {
                let ours: HashMap<&str, u32> = categories.iter().map(String::as_str).zip(0..).collect();
                theirs.iter().map(|category| ours.get(category.as_str()).copied()).collect()
            }
            // A single channel is called as its column is, whatever name it has there.
            (Self::Real { channels, orientation, .. }, ColumnValues::Real { channels: theirs, .. })
                if *orientation == column.orientation
                    && (channels == theirs || (channels.len(), theirs.len()) == (1, 1)) =>
            {
                Vec::new()
            }
            _ => {
                let (expected, found) = (self.describe(), Self::column(column).describe());
                return Err(EncodeError::OtherColumn { dim, name: name.clone(), expected, found });
            }
        };
        Ok(Bound { source: self, dim, column: Some(column), recode })
    }

    fn describe(&self) -> String {
        match self {
            Self::Real { channels, orientation, .. } => {
                let kind = match orientation {
                    Orientation::Oriented => "oriented",
                    Orientation::Unoriented => "unoriented",
                };
                format!("{kind} numbers ({})", channels.join(", "))
            }
            _ => "labels".to_owned(),
        }
    }
}

/// A source and its column in one dataset.
#[derive(Debug)]
pub(super) struct Bound<'a> {
    source: &'a Source,
    dim: usize,
    column: Option<&'a Column>,
    /// For each category of the dataset, that of the encoding.
    recode: Vec<Option<u32>>,
}

impl Bound<'_> {
    /// The labels that the encoding does not know.
    pub fn new_labels(&self) -> Vec<NewLabel> {
        let Some((column, ColumnValues::Labels { categories, codes })) = self.column.map(|c| (c, &c.values))
        else {
            return Vec::new();
        };
        let mut counts = vec![0; categories.len()];
        codes.iter().for_each(|&code| counts[code as usize] += 1);
        let new = (0..categories.len()).filter(|&k| self.recode[k].is_none() && counts[k] > 0);
        let named = |k: usize| NewLabel {
            dim: self.dim,
            column: column.name.clone(),
            label: categories[k].clone(),
            cells: counts[k],
        };
        new.map(named).collect()
    }

    /// Cells of complex `i` that the column of this source has, if it needs one.
    pub fn n_cells(&self, i: usize) -> Option<usize> {
        self.column.map(|column| column.cells(i).len())
    }

    /// Appends the channels of complex `i` to `out`; returns the number of labels the encoding does not know.
    pub fn append(&self, complex: &Complex, i: usize, out: &mut SparseMat) -> usize {
        let n_channels = self.source.n_channels();
        match (self.source, self.column.map(|column| (column, &column.values))) {
            (&Source::DegreeOneHot { depth, last_bin }, _) => {
                let bin = |degree: u32| match last_bin {
                    true => Some(degree.min(depth.saturating_sub(1))),
                    false => Some(degree).filter(|&d| d < depth),
                };
                one_hot(complex.degrees().into_iter().map(bin), n_channels, out);
                0
            }
            (Source::Degree, _) => push_dense(&coface_counts(complex, self.dim), out),
            (Source::Curvature, _) => push_dense(&curvatures(complex, self.dim), out),
            (Source::Constant, _) => {
                out.push_column((0..out.n_rows() as u32).map(|cell| (cell, 1.0)));
                0
            }
            (Source::Labels { .. }, Some((column, ColumnValues::Labels { codes, .. }))) => {
                let codes = &codes[column.cells(i)];
                let known = codes.iter().map(|&code| self.recode[code as usize]);
                one_hot(known.clone(), n_channels, out);
                known.filter(Option::is_none).count()
            }
            (Source::Real { .. }, Some((column, ColumnValues::Real { values, .. }))) => {
                let cells = column.cells(i);
                let values = &values[cells.start * n_channels..cells.end * n_channels];
                for d in 0..n_channels {
                    let channel = values.iter().skip(d).step_by(n_channels).copied();
                    out.push_column((0..).zip(channel).filter(|&(_, v)| v != 0.0));
                }
                0
            }
            _ => unreachable!("`bind` pairs a source with a column of its kind"),
        }
    }
}

/// Appends one channel; no label is unknown.
fn push_dense(values: &[f64], out: &mut SparseMat) -> usize {
    out.push_column((0..).zip(values).filter(|(_, v)| **v != 0.0).map(|(cell, v)| (cell, *v)));
    0
}

/// Appends `n_channels` channels, with a one for each cell in its channel.
fn one_hot(cells: impl Iterator<Item = Option<u32>>, n_channels: usize, out: &mut SparseMat) {
    let mut ones: Vec<(u32, u32)> =
        cells.zip(0..).filter_map(|(channel, cell)| Some((channel?, cell))).collect();
    ones.sort_unstable();
    let mut rest = &ones[..];
    for channel in 0..n_channels as u32 {
        let (here, after) = rest.split_at(rest.partition_point(|&(c, _)| c == channel));
        out.push_column(here.iter().map(|&(_, cell)| (cell, 1.0)));
        rest = after;
    }
}
