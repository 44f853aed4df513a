//! Topology of a complex: cliques, ranks of boundary operators, Betti numbers.

use crate::error::CommandError;
use hodgelet::complex::{Complex, ComplexError};
use hodgelet::hodge::{BoundarySpectrum, Operators, Weighting};
use std::borrow::Cow;

/// Largest Gram matrix whose rank is found for a description alone.
pub const MAX_RANK_SIZE: usize = 1500;

/// The complex whose spectra are taken: the clique complex of a graph; what has cells beyond edges stays.
///
/// # Errors
///
/// [`ComplexError::CliqueDim`].
pub fn lifted(complex: &Complex, max_dim: usize) -> Result<Cow<'_, Complex>, ComplexError> {
    if complex.dim() <= 1 {
        complex.clique_complex(max_dim).map(Cow::Owned)
    } else {
        Ok(Cow::Borrowed(complex))
    }
}

/// Size of the eigenproblem that the rank of `B_k` costs; none where counting is enough.
#[must_use]
pub fn rank_size(complex: &Complex, k: usize) -> usize {
    match (k, Operators::new(complex, Weighting::Combinatorial).is_graph_like()) {
        (1, true) => 0,
        _ => complex.n_cells(k).min(complex.n_cells(k - 1)),
    }
}

/// Betti numbers of dimensions 0 up to and including `highest`, over the reals.
///
/// # Errors
///
/// [`CommandError::Hodge`] when eigenvalues do not converge.
pub fn betti_numbers(complex: &Complex, highest: usize) -> Result<Vec<usize>, CommandError> {
    let operators = Operators::new(complex, Weighting::Combinatorial);
    let rank = |k: usize| -> Result<usize, CommandError> {
        if k == 0 || k > complex.dim() || complex.n_cells(k) == 0 {
            return Ok(0);
        }
        if k == 1 && operators.is_graph_like() {
            // The kernel of B_1ᵀ is spanned by the connected components.
            return Ok(complex.n_cells(0) - complex.connected_components().1);
        }
        Ok(BoundarySpectrum::new(&operators, k)?.rank())
    };
    let ranks = (0..=highest + 1).map(rank).collect::<Result<Vec<_>, _>>()?;
    Ok((0..=highest).map(|k| complex.n_cells(k).saturating_sub(ranks[k] + ranks[k + 1])).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filled_triangle_has_no_hole_and_a_square_has_one() {
        let triangle = Complex::graph(4, &[[0, 1], [1, 2], [0, 2]]).unwrap();
        let square = Complex::graph(4, &[[0, 1], [1, 2], [2, 3], [0, 3]]).unwrap();
        let betti = |graph: &Complex| betti_numbers(&lifted(graph, 2).unwrap(), 1).unwrap();
        assert_eq!(betti(&triangle), [2, 0]);
        assert_eq!(betti(&square), [1, 1]);
        assert_eq!(betti_numbers(&triangle, 1).unwrap(), [2, 1]);
    }
}
