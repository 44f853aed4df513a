//! Collections of complexes with the values known of their cells and a target each, in memory.
//!
//! A dataset keeps what was measured (labels and attributes of cells, column by column over all complexes);
//! turning that into signals is the choice of an encoding and comes later, because it may have to look at
//! the training complexes only.

use crate::complex::Complex;
use crate::signal::Orientation;

/// Complexes, what is known of their cells, and their targets.
#[derive(Clone, Debug, PartialEq)]
pub struct Dataset {
    /// Name, for tables and messages.
    pub name: String,
    /// One complex per item.
    pub complexes: Vec<Complex>,
    /// Values on cells.
    pub columns: Vec<Column>,
    /// What is to be predicted.
    pub targets: Targets,
}

/// What is to be predicted of each complex.
#[derive(Clone, Debug, PartialEq)]
pub enum Targets {
    /// Nothing is known.
    None,
    /// A class each.
    Classes {
        /// Names of the classes, in a fixed order.
        names: Vec<String>,
        /// Class of each complex, an index into `names`.
        labels: Vec<u32>,
    },
    /// A finite real number each.
    Real(Vec<f64>),
}

impl Targets {
    /// The targets of the items `indices`, in that order; the names of classes stay.
    #[must_use]
    pub fn select(&self, indices: &[usize]) -> Self {
        match self {
            Self::None => Self::None,
            Self::Classes { names, labels } => {
                Self::Classes { names: names.clone(), labels: indices.iter().map(|&i| labels[i]).collect() }
            }
            Self::Real(values) => Self::Real(indices.iter().map(|&i| values[i]).collect()),
        }
    }
}

/// A label or a vector of attributes on every cell of one dimension, over all complexes of a dataset.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Name, unique within a dimension.
    pub name: String,
    /// Dimension of the cells.
    pub dim: usize,
    /// Whether attributes follow the orientation of their cells; labels never do.
    pub orientation: Orientation,
    /// Where each complex starts among the cells, `[n_complexes + 1]`.
    pub starts: Vec<usize>,
    /// The values, cell after cell, complex after complex.
    pub values: ColumnValues,
}

/// Values of a [`Column`].
#[derive(Clone, Debug, PartialEq)]
pub enum ColumnValues {
    /// One category a cell.
    Labels {
        /// Names of the categories, in a fixed order.
        categories: Vec<String>,
        /// Category of each cell, an index into `categories`.
        codes: Vec<u32>,
    },
    /// A vector of finite reals a cell, row by row.
    Real {
        /// Names of the channels.
        channels: Vec<String>,
        /// `[n_cells, n_channels]`, row-major.
        values: Vec<f64>,
    },
}

impl Column {
    /// The cells of complex `i` among all cells of the column.
    #[must_use]
    pub fn cells(&self, i: usize) -> std::ops::Range<usize> {
        self.starts[i]..self.starts[i + 1]
    }

    /// The column of the complexes `indices`, in that order.
    #[must_use]
    pub fn select(&self, indices: &[usize]) -> Self {
        let mut starts = vec![0];
        for &i in indices {
            starts.push(starts[starts.len() - 1] + self.cells(i).len());
        }
        let values = match &self.values {
            ColumnValues::Labels { categories, codes } => ColumnValues::Labels {
                categories: categories.clone(),
                codes: indices.iter().flat_map(|&i| codes[self.cells(i)].iter().copied()).collect(),
            },
            ColumnValues::Real { channels, values } => {
                let width = channels.len();
                let rows = |i: usize| self.cells(i).start * width..self.cells(i).end * width;
                ColumnValues::Real {
                    channels: channels.clone(),
                    values: indices.iter().flat_map(|&i| values[rows(i)].iter().copied()).collect(),
                }
            }
        };
        Self { name: self.name.clone(), dim: self.dim, orientation: self.orientation, starts, values }
    }
}

impl Dataset {
    /// Number of complexes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.complexes.len()
    }

    /// Whether there is no complex.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.complexes.is_empty()
    }

    /// The items `indices`, in that order.
    #[must_use]
    pub fn select(&self, indices: &[usize]) -> Self {
        Self {
            name: self.name.clone(),
            complexes: indices.iter().map(|&i| self.complexes[i].clone()).collect(),
            columns: self.columns.iter().map(|column| column.select(indices)).collect(),
            targets: self.targets.select(indices),
        }
    }

    /// Where each complex starts among the cells of dimension `k`, `[n_complexes + 1]`.
    #[must_use]
    pub fn cell_starts(&self, k: usize) -> Vec<usize> {
        let mut starts = vec![0];
        for complex in &self.complexes {
            starts.push(starts[starts.len() - 1] + complex.n_cells(k));
        }
        starts
    }
}
