//! Boundary operators with weights on the cells.

use super::{Variable, Weighting};
use crate::complex::{CellWeights, Complex, WeightError};
use crate::linalg::SparseMat;
use std::borrow::Cow;

/// The weighted boundary operators of one complex.
#[derive(Clone, Debug)]
pub struct Operators<'a> {
    complex: &'a Complex,
    boundaries: Vec<Cow<'a, SparseMat>>, // B̃_1, ..., B̃_K
    vertex_roots: Option<Vec<f64>>,      // M_0^{1/2}
    signal_roots: Vec<Option<Vec<f64>>>, // M_k^{±1/2} where signals change variable
}

impl<'a> Operators<'a> {
    /// The operators of a named weighting.
    #[must_use]
    pub fn new(complex: &'a Complex, weighting: Weighting) -> Self {
        const FIT: &str = "weights made of a complex fit it";
        match weighting {
            Weighting::Combinatorial | Weighting::SymmetricNormalized => Self::simple(complex, weighting),
            Weighting::NormalizedHodge => {
                let weights = CellWeights::normalized_hodge(complex);
                Self::weighted_as(complex, &weights, Variable::Cochain).expect(FIT)
            }
            Weighting::RandomWalk => {
                let weights = CellWeights::random_walk(complex);
                Self::weighted_as(complex, &weights, Variable::Chain).expect(FIT)
            }
        }
    }

    /// Operators without weights, or with those of vertices alone, that leave signals as they are.
    fn simple(complex: &'a Complex, weighting: Weighting) -> Self {
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
        Self::weighted_as(complex, weights, Variable::Cochain)
    }

    /// The operators of given weights, with signals that enter as `variable` says.
    ///
    /// # Errors
    ///
    /// [`WeightError::Count`] when the weights do not fit the complex.
    pub fn weighted_as(
        complex: &'a Complex,
        weights: &CellWeights,
        variable: Variable,
    ) -> Result<Self, WeightError> {
        let mut operators = Self::simple(complex, Weighting::Combinatorial);
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
            if dim == 0 {
                operators.vertex_roots.clone_from(&roots);
            }
            operators.signal_roots.push(roots.and_then(|roots| variable.factors(roots)));
        }
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

    /// Factor by which the value of `cell` enters: `M_k^{1/2}` for a cochain, `M_k^{−1/2}` for a chain, 1 where
    /// signals do not change variable.
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
    fn the_number_of_weights_must_fit() {
        let graph = Complex::graph(2, &[[0, 1]]).unwrap();
        let weights = CellWeights::new(vec![Some(vec![1.0; 3])]).unwrap();
        assert_eq!(
            Operators::weighted(&graph, &weights).unwrap_err().to_string(),
            "3 weights, but the complex has 2 cells of dimension 0"
        );
    }
}
