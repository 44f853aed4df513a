//! Weights of cells in a dataset: columns of one positive number a cell, under a name of their own.

use super::{Column, ColumnValues, Dataset, DatasetError};
use crate::complex::CellWeights;
use crate::signal::Orientation;

/// Name of the columns that hold the weights of cells, one number each. They are no signals.
pub const WEIGHTS: &str = "cell-weights";

/// Name of the column of vertices that says where they are, two or three numbers each.
pub const POSITIONS: &str = "position";

impl Column {
    /// Whether it holds the weights of cells rather than a signal.
    #[must_use]
    pub fn is_weights(&self) -> bool {
        self.name == WEIGHTS
    }
}

impl Dataset {
    /// The weights of the cells of complex `i`, if any dimension has them.
    #[must_use]
    pub fn weights(&self, i: usize) -> Option<CellWeights> {
        let mut by_dim: Vec<Option<Vec<f64>>> = Vec::new();
        for column in self.columns.iter().filter(|column| column.name == WEIGHTS) {
            let ColumnValues::Real { values, .. } = &column.values else { continue };
            by_dim.resize(by_dim.len().max(column.dim + 1), None);
            by_dim[column.dim] = values.get(column.cells(i)).map(<[f64]>::to_vec);
        }
        let found = by_dim.iter().any(Option::is_some);
        found.then(|| CellWeights::new(by_dim).ok()).flatten()
    }

    /// The same with these weights of the cells of each complex; complexes and dimensions without weights get 1.
    ///
    /// # Errors
    ///
    /// [`DatasetError::Column`] when there are not as many weights as cells.
    pub fn with_weights(mut self, weights: &[Option<CellWeights>]) -> Result<Self, DatasetError> {
        self.columns.retain(|column| column.name != WEIGHTS);
        let highest = self.complexes.iter().map(|complex| complex.dim()).max().unwrap_or(0);
        for dim in 0..=highest {
            let of = |i: usize| weights.get(i).and_then(Option::as_ref).and_then(|w| w.of_dim(dim));
            if (0..self.len()).all(|i| of(i).is_none()) {
                continue;
            }
            let mut values = Vec::new();
            for (i, complex) in self.complexes.iter().enumerate() {
                match of(i) {
                    Some(weights) => values.extend_from_slice(weights),
                    None => values.extend(std::iter::repeat_n(1.0, complex.n_cells(dim))),
                }
            }
            let values = ColumnValues::Real { channels: vec!["0".to_owned()], values };
            let (name, orientation) = (WEIGHTS.to_owned(), Orientation::Unoriented);
            let column = Column { name, dim, orientation, starts: self.cell_starts(dim), values };
            column.check(&column.starts)?;
            self.columns.push(column);
        }
        Ok(self)
    }
}

/// Examines a column that holds weights.
pub(super) fn check_weights(column: &Column) -> Result<(), DatasetError> {
    match &column.values {
        ColumnValues::Real { channels, values } if channels.len() == 1 => {
            match values.iter().find(|w| !(w.is_finite() && **w > 0.0)) {
                None => Ok(()),
                Some(found) => {
                    Err(column.error(format!("has the weight {found}, expected positive finite numbers")))
                }
            }
        }
        _ => Err(column.error("holds something else than one number a cell, as weights are".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::complex::Complex;
    use crate::dataset::Targets;

    fn dataset() -> Dataset {
        let complexes = vec![Complex::graph(3, &[[0, 1], [1, 2]]).unwrap(), Complex::graph(2, &[]).unwrap()];
        Dataset { name: "two".to_owned(), complexes, columns: vec![], targets: Targets::None }
    }

    fn weights(by_dim: Vec<Option<Vec<f64>>>) -> Option<CellWeights> {
        Some(CellWeights::new(by_dim).unwrap())
    }

    #[test]
    fn weights_come_back_as_they_went_in() {
        assert_eq!(dataset().weights(0), None);
        let given = weights(vec![None, Some(vec![2.0, 3.0])]);
        let weighted = dataset().with_weights(&[given.clone(), None]).unwrap();
        assert_eq!(weighted.check(), Ok(()));
        assert_eq!(weighted.weights(0), given);
        assert_eq!(weighted.select(&[1, 0]).weights(1), given);
        assert_eq!(dataset().with_weights(&[None, None]).unwrap(), dataset());
    }

    #[test]
    fn weights_at_fault_are_named() {
        let short = dataset().with_weights(&[weights(vec![None, Some(vec![2.0])]), None]);
        assert_eq!(
            short.unwrap_err().to_string(),
            "column `cell-weights` of dimension 1 has 1 values, expected 2"
        );
        let mut negative =
            dataset().with_weights(&[weights(vec![None, Some(vec![2.0, 3.0])]), None]).unwrap();
        negative.columns[0].values =
            ColumnValues::Real { channels: vec!["0".to_owned()], values: vec![1.0, -1.0] };
        assert_eq!(
            negative.check().unwrap_err().to_string(),
            "column `cell-weights` of dimension 1 has the weight -1, expected positive finite numbers"
        );
    }
}
