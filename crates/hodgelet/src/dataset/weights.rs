//! Weights of cells in a dataset: columns of one positive number per cell, under a reserved name.

use super::{Column, ColumnValues, Dataset, DatasetError, WHOLE};
use crate::complex::{CellWeights, Complex};
use crate::signal::Orientation;

/// Name of the columns that hold the weights of cells, one number each. They are not signals.
pub const WEIGHTS: &str = "cell-weights";

/// Name of the column of vertices that says where they are, two or three numbers each.
pub const POSITIONS: &str = "position";

/// Name of the column of complexes as a whole that says how much each counts in training, one positive number each. It is not
/// a feature: the term of a complex in the log likelihood is multiplied by it.
pub const SAMPLE_WEIGHT: &str = "sample_weight";

impl Column {
    /// Whether it says how much complexes count rather than what they are like.
    #[must_use]
    pub fn is_sample_weight(&self) -> bool {
        self.dim == WHOLE && self.name == SAMPLE_WEIGHT
    }

    /// Whether it holds the weights of cells rather than a signal.
    #[must_use]
    pub fn is_weights(&self) -> bool {
        self.name == WEIGHTS
    }
}

impl Dataset {
    /// How much each complex counts in training, if the dataset says so.
    #[must_use]
    pub fn sample_weights(&self) -> Option<&[f64]> {
        match &self.columns.iter().find(|column| column.is_sample_weight())?.values {
            ColumnValues::Real { values, .. } => Some(values),
            ColumnValues::Labels { .. } => None,
        }
    }

    /// The weights of the cells of complex `i`, if any dimension has them.
    #[must_use]
    pub fn weights(&self, i: usize) -> Option<CellWeights> {
        let mut by_dim: Vec<Option<Vec<f64>>> = Vec::new();
        for column in self.columns.iter().filter(|column| column.is_weights()) {
            let ColumnValues::Real { values, .. } = &column.values else { continue };
            by_dim.resize(by_dim.len().max(column.dim + 1), None);
            by_dim[column.dim] = Some(values[column.cells(i)].to_vec());
        }
        let found = by_dim.iter().any(Option::is_some);
        found.then(|| CellWeights::new(by_dim).ok()).flatten()
    }

    /// The same with these weights of the cells of each complex; complexes and dimensions without weights get 1.
    ///
    /// # Errors
    ///
    /// [`DatasetError::Column`] when a complex has another number of weights than cells.
    pub fn with_weights(mut self, weights: &[Option<CellWeights>]) -> Result<Self, DatasetError> {
        self.columns.retain(|column| !column.is_weights());
        let highest = self.complexes.iter().map(Complex::dim).max().unwrap_or(0);
        for dim in 0..=highest {
            let of = |i: usize| weights.get(i).and_then(Option::as_ref).and_then(|w| w.of_dim(dim));
            if (0..self.len()).all(|i| of(i).is_none()) {
                continue;
            }
            let mut values = Vec::new();
            for (i, complex) in self.complexes.iter().enumerate() {
                let n_cells = complex.n_cells(dim);
                match of(i) {
                    Some(weights) if weights.len() != n_cells => {
                        let found = weights.len();
                        let fault = format!("has {found} weights for complex {i}, expected {n_cells}");
                        return Err(DatasetError::Column { name: WEIGHTS.to_owned(), dim, fault });
                    }
                    Some(weights) => values.extend_from_slice(weights),
                    None => values.extend(std::iter::repeat_n(1.0, n_cells)),
                }
            }
            let values = ColumnValues::Real { channels: vec!["0".to_owned()], values };
            let (name, orientation) = (WEIGHTS.to_owned(), Orientation::Unoriented);
            let starts = self.cell_starts(dim);
            self = self.with_column(Column { name, dim, orientation, starts, values })?;
        }
        Ok(self)
    }
}

/// Validates a column that holds weights.
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
        _ => Err(column.error("does not hold weights, one number per cell")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Targets;

    fn dataset() -> Dataset {
        let complexes = vec![Complex::graph(3, &[[0, 1], [1, 2]]).unwrap(), Complex::graph(2, &[]).unwrap()];
        Dataset::new("two", complexes, vec![], Targets::None).unwrap()
    }

    fn weights(by_dim: Vec<Option<Vec<f64>>>) -> Option<CellWeights> {
        Some(CellWeights::new(by_dim).unwrap())
    }

    #[test]
    fn weights_come_back_as_they_went_in() {
        assert_eq!(dataset().weights(0), None);
        let given = weights(vec![None, Some(vec![2.0, 3.0])]);
        let weighted = dataset().with_weights(&[given.clone(), None]).unwrap();
        assert_eq!(weighted.weights(0), given);
        assert_eq!(weighted.select(&[1, 0]).weights(1), given);
        assert_eq!(dataset().with_weights(&[None, None]).unwrap(), dataset());
    }

    #[test]
    fn weights_at_fault_are_named() {
        let short = dataset().with_weights(&[weights(vec![None, Some(vec![2.0])]), None]);
        assert_eq!(
            short.unwrap_err().to_string(),
            "column `cell-weights` of dimension 1 has 1 weights for complex 0, expected 2"
        );
        let one = || weights(vec![None, Some(vec![2.0])]); // as many as edges, but not in each complex
        assert!(dataset().with_weights(&[one(), one()]).is_err());
        let weighted = dataset().with_weights(&[weights(vec![None, Some(vec![2.0, 3.0])]), None]).unwrap();
        let message = |values| {
            let column = Column { values, ..weighted.columns()[0].clone() };
            dataset().with_column(column).unwrap_err().to_string()
        };
        let channels = vec!["0".to_owned()];
        assert_eq!(
            message(ColumnValues::Real { channels, values: vec![1.0, -1.0] }),
            "column `cell-weights` of dimension 1 has the weight -1, expected positive finite numbers"
        );
        let categories = vec!["heavy".to_owned()];
        assert_eq!(
            message(ColumnValues::Labels { categories, codes: vec![0, 0] }),
            "column `cell-weights` of dimension 1 does not hold weights, one number per cell"
        );
    }
}
