//! Collections of complexes with the values known of their cells and a target each, in memory.
//!
//! A dataset keeps what was measured (labels and attributes of cells, column by column over all complexes);
//! turning that into signals is the choice of an encoding and comes later, because it may have to look at
//! the training complexes only.

mod hypergraphs;
mod weights;

pub use hypergraphs::HypergraphDataset;
pub use weights::{POSITIONS, WEIGHTS};

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

    /// Examines that targets and columns fit the complexes and that every number is finite.
    ///
    /// # Errors
    ///
    /// [`DatasetError`] names the first thing that does not fit.
    pub fn check(&self) -> Result<(), DatasetError> {
        self.check_targets()?;
        for (i, column) in self.columns.iter().enumerate() {
            let twice = self.columns[..i].iter().any(|c| c.dim == column.dim && c.name == column.name);
            if twice {
                return Err(column.error("stands twice".to_owned()));
            }
            column.check(&self.cell_starts(column.dim))?;
            if column.name == WEIGHTS {
                weights::check_weights(column)?;
            }
        }
        Ok(())
    }

    fn check_targets(&self) -> Result<(), DatasetError> {
        let found = match &self.targets {
            Targets::None => return Ok(()),
            Targets::Classes { names, labels } => {
                if let Some(&class) = labels.iter().find(|&&class| class as usize >= names.len()) {
                    return Err(DatasetError::Class { class, n_classes: names.len() });
                }
                labels.len()
            }
            Targets::Real(values) => {
                if let Some(item) = values.iter().position(|v| !v.is_finite()) {
                    return Err(DatasetError::Target { item, value: values[item] });
                }
                values.len()
            }
        };
        let expected = self.len();
        if found == expected { Ok(()) } else { Err(DatasetError::Targets { expected, found }) }
    }
}

impl Column {
    fn error(&self, fault: String) -> DatasetError {
        DatasetError::Column { name: self.name.clone(), dim: self.dim, fault }
    }

    fn check(&self, starts: &[usize]) -> Result<(), DatasetError> {
        if self.starts != starts {
            return Err(self.error("does not start where the cells of each complex do".to_owned()));
        }
        let n_cells = starts[starts.len() - 1];
        let (expected, found) = match &self.values {
            ColumnValues::Labels { categories, codes } => {
                if let Some(code) = codes.iter().find(|&&code| code as usize >= categories.len()) {
                    return Err(self.error(format!("has category {code} of {}", categories.len())));
                }
                (n_cells, codes.len())
            }
            ColumnValues::Real { channels, values } => {
                if let Some(value) = values.iter().find(|v| !v.is_finite()) {
                    return Err(self.error(format!("has the value {value}, expected finite numbers")));
                }
                (n_cells * channels.len(), values.len())
            }
        };
        if found == expected {
            return Ok(());
        }
        Err(self.error(format!("has {found} values, expected {expected}")))
    }
}

/// What can be inconsistent in a dataset.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DatasetError {
    /// Targets and complexes differ in number.
    #[error("{found} targets, but the dataset has {expected} complexes")]
    Targets {
        /// Number of complexes.
        expected: usize,
        /// Number of targets.
        found: usize,
    },
    /// A class without a name.
    #[error("class {class}, but {n_classes} classes have names")]
    Class {
        /// The class.
        class: u32,
        /// Number of names.
        n_classes: usize,
    },
    /// A target that is not finite.
    #[error("target of complex {item} is {value}, expected a finite number")]
    Target {
        /// Index of the complex.
        item: usize,
        /// What was found.
        value: f64,
    },
    /// A hypergraph whose clique expansion would not fit in memory.
    #[error(
        "hypergraph {item} has {found} pairs of vertices, but at most {most} are expanded; the star has fewer edges"
    )]
    Pairs {
        /// Index of the hypergraph.
        item: usize,
        /// Pairs in its hyperedges.
        found: usize,
        /// Pairs allowed.
        most: usize,
    },
    /// A column that does not fit the complexes.
    #[error("column `{name}` of dimension {dim} {fault}")]
    Column {
        /// Name of the column.
        name: String,
        /// Dimension of its cells.
        dim: usize,
        /// What is wrong with it.
        fault: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dataset(values: ColumnValues, targets: Targets) -> Dataset {
        let complexes = vec![Complex::graph(2, &[[0, 1]]).unwrap(), Complex::graph(1, &[]).unwrap()];
        let orientation = Orientation::Unoriented;
        let column = Column { name: "x".to_owned(), dim: 0, orientation, starts: vec![0, 2, 3], values };
        Dataset { name: "two".to_owned(), complexes, columns: vec![column], targets }
    }

    fn reals(values: &[f64]) -> ColumnValues {
        ColumnValues::Real { channels: vec!["0".to_owned()], values: values.to_vec() }
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let message = |values, targets| dataset(values, targets).check().unwrap_err().to_string();
        let sound = || reals(&[1.0, 2.0, 3.0]);
        assert_eq!(dataset(sound(), Targets::Real(vec![1.0, 2.0])).check(), Ok(()));
        assert_eq!(message(sound(), Targets::Real(vec![1.0])), "1 targets, but the dataset has 2 complexes");
        assert_eq!(
            message(sound(), Targets::Real(vec![1.0, f64::NAN])),
            "target of complex 1 is NaN, expected a finite number"
        );
        let targets = Targets::Classes { names: vec!["a".to_owned()], labels: vec![0, 1] };
        assert_eq!(message(sound(), targets), "class 1, but 1 classes have names");
        assert_eq!(
            message(reals(&[1.0, 2.0]), Targets::None),
            "column `x` of dimension 0 has 2 values, expected 3"
        );
        assert_eq!(
            message(reals(&[1.0, f64::INFINITY, 0.0]), Targets::None),
            "column `x` of dimension 0 has the value inf, expected finite numbers"
        );
        let labels = ColumnValues::Labels { categories: vec!["a".to_owned()], codes: vec![0, 0, 2] };
        assert_eq!(message(labels, Targets::None), "column `x` of dimension 0 has category 2 of 1");
    }

    #[test]
    fn columns_are_distinct_and_start_with_their_cells() {
        let mut twice = dataset(reals(&[1.0, 2.0, 3.0]), Targets::None);
        twice.columns.push(twice.columns[0].clone());
        assert_eq!(twice.check().unwrap_err().to_string(), "column `x` of dimension 0 stands twice");
        let mut shifted = dataset(reals(&[1.0, 2.0, 3.0]), Targets::None);
        shifted.columns[0].starts = vec![0, 1, 3];
        assert_eq!(
            shifted.check().unwrap_err().to_string(),
            "column `x` of dimension 0 does not start where the cells of each complex do"
        );
    }
}
