//! Collections of complexes with values on their cells and one target per complex, in memory.
//!
//! A dataset keeps what was measured (labels and attributes of cells, column by column over all complexes);
//! turning that into signals is the choice of an encoding and comes later, because an encoding may be
//! fitted on the training complexes only.
//!
//! # Guarantees
//!
//! [`Dataset::new`] validates its parts, and operations on a dataset keep it valid, so that nothing downstream
//! validates it again. Of every dataset:
//!
//! - there are no targets, or one per complex; a class has a name, a real target is finite;
//! - a column has a value for every cell of its dimension and starts where [`cell_starts`] says;
//! - a label is one of the categories of its column, a number is finite;
//! - no two columns share their dimension and name, and no dimension exceeds [`MAX_DIM`], but for [`WHOLE`];
//! - a column called [`WEIGHTS`] has one positive number per cell, and one called [`SAMPLE_WEIGHT`] one per complex;
//! - a column called [`GRAM`] or `gram:NAME` has rows of a Gram matrix.
//!
//! Columns and targets by themselves are plain data. To change those of a dataset, give it new ones
//! ([`Dataset::with_columns`], [`Dataset::with_targets`]) or take it apart ([`Dataset::into_parts`]). A
//! [`HypergraphDataset`] is plain data, too, and validated when it is expanded.

mod column;
mod error;
mod gram;
mod hypergraphs;
mod line_graph;
mod weights;

pub use column::{Column, ColumnValues, MAX_DIM, WHOLE};
pub use error::DatasetError;
pub(crate) use gram::{BEFORE_PRODUCTS, check_semidefinite};
pub use gram::{GRAM, GramError, MOST_GRAMS};
pub use hypergraphs::HypergraphDataset;
pub use weights::{POSITIONS, SAMPLE_WEIGHT, WEIGHTS};

use crate::complex::Complex;

/// Complexes, what is known of their cells, and their targets, known to [fit together](self#guarantees).
#[derive(Clone, Debug, PartialEq)]
pub struct Dataset {
    name: String,
    complexes: Vec<Complex>,
    columns: Vec<Column>,
    targets: Targets,
}

/// What is to be predicted of each complex.
#[derive(Clone, Debug, PartialEq)]
pub enum Targets {
    /// Nothing is known.
    None,
    /// One class per complex.
    Classes {
        /// Names of the classes, in a fixed order.
        names: Vec<String>,
        /// Class of each complex, an index into `names`.
        labels: Vec<u32>,
    },
    /// One finite real number per complex.
    Real(Vec<f64>),
}

impl Targets {
    /// The targets of the items `indices`, in that order; the names of classes stay.
    ///
    /// # Panics
    ///
    /// When an index is out of range.
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

    /// Validates that they are targets of `expected` complexes.
    fn check(&self, expected: usize) -> Result<(), DatasetError> {
        let found = match self {
            Self::None => return Ok(()),
            Self::Classes { names, labels } => {
                if let Some(&class) = labels.iter().find(|&&class| class as usize >= names.len()) {
                    return Err(DatasetError::Class { class, n_classes: names.len() });
                }
                labels.len()
            }
            Self::Real(values) => {
                if let Some(item) = values.iter().position(|v| !v.is_finite()) {
                    return Err(DatasetError::Target { item, value: values[item] });
                }
                values.len()
            }
        };
        if found == expected { Ok(()) } else { Err(DatasetError::Targets { expected, found }) }
    }
}

impl Dataset {
    /// A dataset of these parts, which are validated.
    ///
    /// # Errors
    ///
    /// [`DatasetError`] names the first part that does not fit.
    ///
    /// ```
    /// use hodgelet::complex::Complex;
    /// use hodgelet::dataset::{Dataset, Targets};
    /// let paths = vec![Complex::graph(2, &[[0, 1]])?, Complex::graph(3, &[[0, 1], [1, 2]])?];
    /// let dataset = Dataset::new("paths", paths, vec![], Targets::Real(vec![1.0, 2.0]))?;
    /// assert_eq!(dataset.cell_starts(1), [0, 1, 3]);
    /// assert!(dataset.with_targets(Targets::Real(vec![1.0])).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(
        name: impl Into<String>,
        complexes: Vec<Complex>,
        columns: Vec<Column>,
        targets: Targets,
    ) -> Result<Self, DatasetError> {
        check_totals(&complexes)?;
        let bare = Self { name: name.into(), complexes, columns: Vec::new(), targets: Targets::None };
        bare.with_targets(targets)?.with_columns(columns)
    }

    /// Name, for tables and messages.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// One complex per item.
    #[must_use]
    pub fn complexes(&self) -> &[Complex] {
        &self.complexes
    }

    /// Values on cells.
    #[must_use]
    pub fn columns(&self) -> &[Column] {
        &self.columns
    }

    /// The column `name` on the cells of dimension `dim`.
    #[must_use]
    pub fn column(&self, dim: usize, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.dim == dim && column.name == name)
    }

    /// What is to be predicted.
    #[must_use]
    pub fn targets(&self) -> &Targets {
        &self.targets
    }

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

    /// Where each complex starts among the cells of dimension `k`, `[n_complexes + 1]`.
    #[must_use]
    pub fn cell_starts(&self, k: usize) -> Vec<usize> {
        cell_starts(&self.complexes, k)
    }

    /// The items `indices`, in that order.
    ///
    /// # Panics
    ///
    /// When an index is out of range.
    #[must_use]
    pub fn select(&self, indices: &[usize]) -> Self {
        Self {
            name: self.name.clone(),
            complexes: indices.iter().map(|&i| self.complexes[i].clone()).collect(),
            columns: self.columns.iter().map(|column| column.select(indices)).collect(),
            targets: self.targets.select(indices),
        }
    }

    /// The same under another name.
    #[must_use]
    pub fn with_name(self, name: impl Into<String>) -> Self {
        Self { name: name.into(), ..self }
    }

    /// The same with other targets.
    ///
    /// # Errors
    ///
    /// [`DatasetError`] when the targets do not fit the complexes.
    pub fn with_targets(self, targets: Targets) -> Result<Self, DatasetError> {
        targets.check(self.len())?;
        Ok(Self { targets, ..self })
    }

    /// The same with these columns in place of all there were.
    ///
    /// # Errors
    ///
    /// [`DatasetError::Column`] names the first column that does not fit the complexes.
    pub fn with_columns(self, columns: Vec<Column>) -> Result<Self, DatasetError> {
        let bare = Self { columns: Vec::with_capacity(columns.len()), ..self };
        columns.into_iter().try_fold(bare, Self::with_column)
    }

    /// The same with one more column.
    ///
    /// # Errors
    ///
    /// [`DatasetError::Column`] when the column does not fit the complexes, or there is one of this dimension and name.
    pub fn with_column(mut self, column: Column) -> Result<Self, DatasetError> {
        if self.column(column.dim, &column.name).is_some() {
            return Err(column.error("appears twice"));
        }
        column.check_in_dataset(&self.cell_starts(column.dim))?;
        if column.is_gram() && self.columns.iter().filter(|other| other.is_gram()).count() >= MOST_GRAMS {
            return Err(column.error(format!("is one of more than {MOST_GRAMS} Gram matrices")));
        }
        self.columns.push(column);
        Ok(self)
    }

    /// Name, complexes, columns and targets, in the order of [`new`](Self::new).
    #[must_use]
    pub fn into_parts(self) -> (String, Vec<Complex>, Vec<Column>, Targets) {
        (self.name, self.complexes, self.columns, self.targets)
    }
}

/// Where each complex starts among the cells of dimension `k`, `[n_complexes + 1]`; as a [`WHOLE`], each is one.
#[must_use]
pub fn cell_starts(complexes: &[Complex], k: usize) -> Vec<usize> {
    let count = |complex: &Complex| if k == WHOLE { 1 } else { complex.n_cells(k) };
    running_sums(complexes.iter().map(count))
}

/// Running sums from 0; they saturate rather than overflow.
fn running_sums(sizes: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut sum = 0usize;
    let sums = sizes.map(|size| {
        sum = sum.saturating_add(size);
        sum
    });
    std::iter::once(0).chain(sums).collect()
}

/// Validates that the cells of each dimension can be counted over all complexes.
fn check_totals(complexes: &[Complex]) -> Result<(), DatasetError> {
    let mut totals: Vec<usize> = Vec::new();
    for complex in complexes {
        totals.resize(totals.len().max(complex.dim() + 1), 0);
        for (dim, total) in totals.iter_mut().enumerate() {
            *total = total.checked_add(complex.n_cells(dim)).ok_or(DatasetError::Cells { dim })?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
