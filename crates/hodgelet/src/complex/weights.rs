//! Weights of cells: one positive number per cell, the diagonal of an inner product.

use super::Complex;

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
            let valid = |w: &f64| w.is_finite() && *w > 0.0;
            if let Some(cell) = weights.iter().flatten().position(|w| !valid(w)) {
                let found = weights.as_ref().map_or(f64::NAN, |w| w[cell]);
                return Err(WeightError::Value { dim, cell, found });
            }
        }
        Ok(Self { by_dim })
    }

    /// The weight of a cell is the sum over its cofaces, `m(σ) = Σ_{τ ⊃ σ} m(τ)`, and 1 where it has none, as in
    /// \[Horak13\]: the symmetric-normalized Hodge Laplacians of all dimensions.
    ///
    /// On a graph `M_0` is the degree and `M_1 = I`. On a simplicial complex the up term of `L_k` has its spectrum in
    /// `[0, k + 2]`.
    #[must_use]
    pub fn normalized_hodge(complex: &Complex) -> Self {
        let mut by_dim = vec![Some(vec![1.0; complex.n_cells(complex.dim())])];
        for k in (0..complex.dim()).rev() {
            let above = by_dim[by_dim.len() - 1].as_deref().unwrap_or(&[]);
            by_dim.push(Some(coface_sums(complex, k, above)));
        }
        by_dim.reverse();
        Self { by_dim }
    }

    /// The matrices `D_1`, `D_2`, `D_3` of \[Schaub20\] as weights of vertices, edges and triangles:
    /// `M_1 = D_2 = max(diag(|B_2| 1), I)`, `M_0 = D_1 = 2 diag(|B_1| D_2 1)`, `M_2 = D_3 = I/3`; weights are 1 beyond
    /// triangles, and 1 on a vertex without edges.
    ///
    /// Its normalized Hodge 1-Laplacian `D_2 B_1ᵀ D_1^{−1} B_1 + B_2 D_3 B_2ᵀ D_2^{−1}` is
    /// `M_1^{1/2} (B̃_1ᵀ B̃_1 + B̃_2 B̃_2ᵀ) M_1^{−1/2}`: similar to `L_1` here, with the same eigenvalues, and its
    /// decomposition of a flow `f` is that of `M_1^{−1/2} f`. So flows are chains. Eigenvalues lie in `[0, 1]`.
    #[must_use]
    pub fn random_walk(complex: &Complex) -> Self {
        let edges: Vec<f64> = coface_sums(complex, 1, &vec![1.0; complex.n_cells(2)]);
        let doubled: Vec<f64> = edges.iter().map(|w| 2.0 * w).collect();
        let vertices = coface_sums(complex, 0, &doubled);
        let mut by_dim = vec![Some(vertices), Some(edges)];
        if complex.dim() >= 2 {
            by_dim.push(Some(vec![1.0 / 3.0; complex.n_cells(2)]));
        }
        Self { by_dim }
    }

    /// The weights of dimension `k`, if it has any.
    #[must_use]
    pub fn of_dim(&self, k: usize) -> Option<&[f64]> {
        self.by_dim.get(k)?.as_deref()
    }
}

/// For each cell of dimension `k`, the sum of the weights of its cofaces; 1 where it has none.
fn coface_sums(complex: &Complex, k: usize, above: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0; complex.n_cells(k)];
    if let Some(boundary) = complex.boundary(k + 1) {
        for (cell, weight) in above.iter().enumerate() {
            boundary.column(cell).0.iter().for_each(|&face| sums[face as usize] += weight);
        }
    }
    sums.iter_mut().filter(|sum| **sum == 0.0).for_each(|sum| *sum = 1.0);
    sums
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn on_a_graph_the_weights_of_cofaces_are_degrees() {
        let graph = Complex::graph(4, &[[0, 1], [1, 2]]).unwrap();
        let weights = CellWeights::normalized_hodge(&graph);
        assert_eq!(weights.of_dim(0), Some(&[1.0, 2.0, 1.0, 1.0][..]));
        assert_eq!(weights.of_dim(1), Some(&[1.0, 1.0][..]));
    }

    #[test]
    fn weights_that_are_not_positive_are_named() {
        let error = CellWeights::new(vec![None, Some(vec![1.0, 0.0])]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "weight of cell 1 of dimension 1 is 0, expected a positive finite number"
        );
    }
}
