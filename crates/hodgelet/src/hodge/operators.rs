//! Boundary operators with weights on the cells.

use crate::complex::Complex;
use crate::linalg::SparseMat;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Which Laplacian the spectra belong to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Weighting {
    /// All weights 1: `L_0 = B_1 B_1ᵀ`, the Laplacian of \[Alain24\].
    #[default]
    Combinatorial,
    /// Vertices weighted by degree, `M_0 = D`: `L_0 = D^{−1/2} B_1 B_1ᵀ D^{−1/2}`, applied to the raw signal as
    /// in \[Opolka23\]. A vertex without edges stays harmonic.
    SymmetricNormalized,
}

/// Positive weights of the cells, per dimension; dimensions without weights have all 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CellWeights {
    by_dim: Vec<Option<Vec<f64>>>,
}

impl CellWeights {
    /// Weights per dimension, each a positive finite number.
    ///
    /// # Errors
    ///
    /// [`WeightError::Value`] names the first weight that is not.
    pub fn new(by_dim: Vec<Option<Vec<f64>>>) -> Result<Self, WeightError> {
        for (dim, weights) in by_dim.iter().enumerate() {
            let sound = |w: &f64| w.is_finite() && *w > 0.0;
            if let Some(cell) = weights.iter().flatten().position(|w| !sound(w)) {
                let found = weights.as_ref().map_or(f64::NAN, |w| w[cell]);
                return Err(WeightError::Value { dim, cell, found });
            }
        }
        Ok(Self { by_dim })
    }

    /// The weights of dimension `k`, if it has any.
    #[must_use]
    pub fn of_dim(&self, k: usize) -> Option<&[f64]> {
        self.by_dim.get(k)?.as_deref()
    }
}

/// What can be wrong with the weights of cells.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WeightError {
    /// A weight is not positive and finite.
    #[error("weight of cell {cell} of dimension {dim} is {found}, expected a positive finite number")]
    Value {
        /// Dimension of the cell.
        dim: usize,
        /// Index of the cell.
        cell: usize,
        /// What was found.
        found: f64,
    },
    /// The number of weights is not the number of cells.
    #[error("{found} weights, but the complex has {expected} cells of dimension {dim}")]
    Count {
        /// Dimension of the cells.
        dim: usize,
        /// Number of cells.
        expected: usize,
        /// Number of weights.
        found: usize,
    },
}

/// The weighted boundary operators of one complex.
#[derive(Clone, Debug)]
pub struct Operators<'a> {
    complex: &'a Complex,
    boundaries: Vec<Cow<'a, SparseMat>>, // B̃_1, ..., B̃_K
    vertex_roots: Option<Vec<f64>>,      // M_0^{1/2}
    signal_roots: Vec<Option<Vec<f64>>>, // M_k^{1/2} where signals change variable
}

impl<'a> Operators<'a> {
    /// The operators of a named weighting.
    #[must_use]
    pub fn new(complex: &'a Complex, weighting: Weighting) -> Self {
        let boundaries = (1..=complex.dim()).filter_map(|k| complex.boundary(k).map(Cow::Borrowed)).collect();
        let mut operators = Self { complex, boundaries, vertex_roots: None, signal_roots: Vec::new() };
        if weighting == Weighting::SymmetricNormalized {
            let roots: Vec<f64> = complex.degrees().iter().map(|&d| f64::from(d.max(1)).sqrt()).collect();
            operators.scale(0, &roots);
            operators.vertex_roots = Some(roots);
        }
        operators
    }

    /// The operators of given weights. Signals `x` become `M_k^{1/2} x`, so that energies add up to `xᵀ M_k x`.
    ///
    /// # Errors
    ///
    /// [`WeightError::Count`] when the weights do not fit the complex.
    pub fn weighted(complex: &'a Complex, weights: &CellWeights) -> Result<Self, WeightError> {
        let mut operators = Self::new(complex, Weighting::Combinatorial);
        for dim in 0..=complex.dim() {
            let roots = match weights.of_dim(dim) {
                None => None,
                Some(weights) if weights.len() == complex.n_cells(dim) => {
                    let roots: Vec<f64> = weights.iter().map(|w| w.sqrt()).collect();
                    operators.scale(dim, &roots);
                    Some(roots)
                }
                Some(weights) => {
                    let (expected, found) = (complex.n_cells(dim), weights.len());
                    return Err(WeightError::Count { dim, expected, found });
                }
            };
            operators.signal_roots.push(roots);
        }
        operators.vertex_roots = operators.signal_roots[0].clone();
        Ok(operators)
    }

    /// `B_k ← B_k M_k^{1/2}` and `B_{k+1} ← M_k^{−1/2} B_{k+1}`.
    fn scale(&mut self, k: usize, roots: &[f64]) {
        if let Some(below) = k.checked_sub(1).and_then(|at| self.boundaries.get_mut(at)) {
            *below = Cow::Owned(below.scaled(&vec![1.0; below.n_rows()], roots));
        }
        if let Some(above) = self.boundaries.get_mut(k) {
            let inverse: Vec<f64> = roots.iter().map(|r| 1.0 / r).collect();
            *above = Cow::Owned(above.scaled(&inverse, &vec![1.0; above.n_cols()]));
        }
    }

    /// The complex they belong to.
    #[must_use]
    pub fn complex(&self) -> &'a Complex {
        self.complex
    }

    /// `B̃_k`, for `k` in `1..=dim`.
    #[must_use]
    pub fn boundary(&self, k: usize) -> Option<&SparseMat> {
        self.boundaries.get(k.checked_sub(1)?).map(AsRef::as_ref)
    }

    /// Factor `M_k^{1/2}` by which the value of `cell` enters, 1 where signals do not change variable.
    #[must_use]
    pub fn signal_root(&self, k: usize, cell: usize) -> f64 {
        self.signal_roots.get(k).and_then(Option::as_ref).map_or(1.0, |roots| roots[cell])
    }

    /// `M_0^{1/2}` at `vertex`: harmonic vertex signals are multiples of it on each connected component.
    #[must_use]
    pub fn vertex_root(&self, vertex: usize) -> f64 {
        self.vertex_roots.as_ref().map_or(1.0, |roots| roots[vertex])
    }

    /// Whether every 1-cell joins two vertices, so that `ker B_1ᵀ` is spanned by the connected components.
    #[must_use]
    pub fn is_graph_like(&self) -> bool {
        let joins = |e| {
            let column = self.complex.boundary(1).map(|b| b.column(e).1);
            matches!(column, Some(&[a, b]) if a + b == 0.0)
        };
        (0..self.complex.n_cells(1)).all(joins)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_that_are_not_positive_are_named() {
        let error = CellWeights::new(vec![None, Some(vec![1.0, 0.0])]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "weight of cell 1 of dimension 1 is 0, expected a positive finite number"
        );
    }

    #[test]
    fn the_number_of_weights_must_fit() {
        let graph = Complex::graph(2, &[[0, 1]]).unwrap();
        let weights = CellWeights::new(vec![Some(vec![1.0; 3])]).unwrap();
        assert_eq!(
            Operators::weighted(&graph, &weights).unwrap_err().to_string(),
            "3 weights, but the complex has 2 cells of dimension 0"
        );
    }
}
