//! What an encoding needs to know of a dataset: enough that one too large for memory can be read in parts.

use super::EncodeError;
use crate::complex::Complex;
use crate::dataset::{Column, ColumnValues, Dataset};
use serde::{Deserialize, Serialize};

/// Columns of a dataset without their values, and what its training complexes look like as a whole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outline {
    pub(super) columns: Vec<Column>,
    /// Number of training vertices of each degree, up to the highest.
    pub(super) degrees: Vec<usize>,
    /// Highest dimension of a training complex.
    pub(super) highest: usize,
    /// Whether every 1-cell joins two vertices, as those of hypergraphs do not.
    has_edges: bool,
}

impl Outline {
    /// Of `dataset`, whose complexes `train` are learned from.
    ///
    /// # Errors
    ///
    /// [`EncodeError::Index`] when one of them is not there.
    pub fn of(dataset: &Dataset, train: &[usize]) -> Result<Self, EncodeError> {
        let len = dataset.len();
        if let Some(&index) = train.iter().find(|&&index| index >= len) {
            return Err(EncodeError::Index { index, len });
        }
        Ok(Self::over(dataset, train))
    }

    /// Of a dataset all of whose complexes are learned from.
    #[must_use]
    pub fn whole(dataset: &Dataset) -> Self {
        Self::over(dataset, &(0..dataset.len()).collect::<Vec<_>>())
    }

    fn over(dataset: &Dataset, train: &[usize]) -> Self {
        let train = || train.iter().map(|&i| &dataset.complexes()[i]);
        let is_graph = |complex: &Complex| complex.n_cells(1) == 0 || complex.edge(0).is_some();
        Self {
            columns: dataset.columns().iter().map(emptied).collect(),
            degrees: degree_counts(train()),
            highest: train().map(Complex::dim).max().unwrap_or(0),
            has_edges: dataset.complexes().iter().all(is_graph),
        }
    }

    /// That of this part of a dataset and the next, all of whose complexes are learned from.
    ///
    /// # Errors
    ///
    /// [`EncodeError::Parts`] when a column is not the same in both.
    pub fn join(mut self, next: Self) -> Result<Self, EncodeError> {
        let by_name = |a: &Column, column: &Column| a.dim == column.dim && a.name == column.name;
        let differs = |(a, all): (&Column, &[Column])| !all.iter().any(|b| by_name(a, b) && a == b);
        let of_self = self.columns.iter().map(|column| (column, &next.columns[..]));
        let of_next = next.columns.iter().map(|column| (column, &self.columns[..]));
        if let Some((column, _)) = of_self.chain(of_next).find(|pair| differs(*pair)) {
            return Err(EncodeError::Parts { dim: column.dim, name: column.name.clone() });
        }
        self.degrees.resize(self.degrees.len().max(next.degrees.len()), 0);
        self.degrees.iter_mut().zip(&next.degrees).for_each(|(a, b)| *a += b);
        self.highest = self.highest.max(next.highest);
        self.has_edges &= next.has_edges;
        Ok(self)
    }

    /// Columns, without values.
    #[must_use]
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The highest dimension of a training complex, before cells are added.
    #[must_use]
    pub fn highest(&self) -> usize {
        self.highest
    }

    /// Whether every 1-cell joins two vertices.
    #[must_use]
    pub fn has_edges(&self) -> bool {
        self.has_edges
    }
}

fn emptied(column: &Column) -> Column {
    let values = match &column.values {
        ColumnValues::Labels { categories, .. } => {
            ColumnValues::Labels { categories: categories.clone(), codes: Vec::new() }
        }
        ColumnValues::Real { channels, .. } => {
            ColumnValues::Real { channels: channels.clone(), values: Vec::new() }
        }
    };
    let Column { name, dim, orientation, .. } = column;
    Column { name: name.clone(), dim: *dim, orientation: *orientation, starts: vec![0], values }
}

/// Number of vertices of each degree, up to the highest.
fn degree_counts<'a>(complexes: impl Iterator<Item = &'a Complex>) -> Vec<usize> {
    let mut counts = Vec::new();
    for degree in complexes.flat_map(Complex::degrees) {
        if counts.len() <= degree as usize {
            counts.resize(degree as usize + 1, 0);
        }
        counts[degree as usize] += 1;
    }
    counts
}
