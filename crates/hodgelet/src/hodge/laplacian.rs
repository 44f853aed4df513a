//! Hodge Laplacians as dense matrices, for inspection and comparison; spectra do not need them.

use super::Operators;
use crate::linalg::dense::times;
use faer::Mat;

/// Which terms of the Hodge Laplacian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    /// `B_kᵀ B_k`.
    Down,
    /// `B_{k+1} B_{k+1}ᵀ`.
    Up,
    /// Their sum.
    Both,
}

/// The Hodge Laplacian `L_k` or one of its terms, `[n_k, n_k]`.
///
/// ```
/// use hodgelet::{complex::Complex, hodge::{Operators, Term, Weighting, laplacian}};
/// let path = Complex::graph(3, &[[0, 1], [1, 2]])?;
/// let l0 = laplacian(&Operators::new(&path, Weighting::Combinatorial), 0, Term::Both);
/// assert_eq!((l0[(1, 1)], l0[(0, 1)]), (2.0, -1.0));
/// # Ok::<(), hodgelet::complex::ComplexError>(())
/// ```
#[must_use]
pub fn laplacian(operators: &Operators<'_>, k: usize, term: Term) -> Mat<f64> {
    let n = operators.complex().n_cells(k);
    let mut l = Mat::zeros(n, n);
    if let (Term::Down | Term::Both, Some(b)) = (term, operators.boundary(k)) {
        let b = b.to_dense();
        l += times(b.transpose(), b.as_ref());
    }
    if let (Term::Up | Term::Both, Some(b)) = (term, operators.boundary(k + 1)) {
        let b = b.to_dense();
        l += times(b.as_ref(), b.transpose());
    }
    l
}
