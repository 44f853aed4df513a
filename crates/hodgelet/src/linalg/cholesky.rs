//! Cholesky factors of dense symmetric matrices, over faer, with reusable workspaces.
//!
//! Matrices are read in their lower triangle; factors leave anything in the strict upper triangle.

use super::clear_upper_registers;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{self, LltError, LltParams, LltRegularization};
use faer::linalg::{triangular_inverse, triangular_solve};
use faer::{MatMut, MatRef, Par, Spec};

/// A matrix that has no Cholesky factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("matrix is not positive definite: pivot {pivot} is not a positive number")]
pub struct NotPositiveDefinite {
    /// Row and column of the first pivot that is zero, negative or not a number.
    pub pivot: usize,
}

impl NotPositiveDefinite {
    /// A suggested fix.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        "add jitter to the diagonal, merge duplicate rows, or raise the lengthscales or the noise variance"
    }
}

/// Memory of a factorization, grown on demand and used again.
#[derive(Default)]
pub struct CholeskyScratch {
    dim: usize,
    buffer: Option<MemBuffer>,
}

impl CholeskyScratch {
    fn buffer(&mut self, dim: usize, par: Par) -> &mut MemBuffer {
        if self.dim < dim {
            self.buffer = None;
        }
        self.dim = self.dim.max(dim);
        let grown = self.dim;
        self.buffer.get_or_insert_with(|| {
            let params = Spec::<LltParams, f64>::default();
            MemBuffer::new(factor::cholesky_in_place_scratch::<f64>(grown, par, params))
        })
    }
}

/// Replaces the lower triangle of `a` by its factor `L`, `a = L Lᵀ`.
///
/// # Errors
///
/// [`NotPositiveDefinite`] with the first bad pivot; `a` is then overwritten.
///
/// # Complexity
///
/// `n³/3` multiplications and additions, `O(n)` extra memory.
pub fn factor_in_place(
    mut a: MatMut<'_, f64>,
    scratch: &mut CholeskyScratch,
    par: Par,
) -> Result<(), NotPositiveDefinite> {
    let n = a.nrows();
    let buffer = scratch.buffer(n, par);
    let params = Spec::<LltParams, f64>::default();
    let regularization = LltRegularization::default();
    let outcome = factor::cholesky_in_place(a.as_mut(), regularization, par, MemStack::new(buffer), params);
    clear_upper_registers();
    match outcome {
        Err(LltError::NonPositivePivot { index }) => Err(NotPositiveDefinite { pivot: index }),
        // Comparisons do not catch a NaN, so the diagonal is checked again.
        Ok(_) => match (0..n).find(|&i| !(a[(i, i)] > 0.0 && a[(i, i)].is_finite())) {
            Some(pivot) => Err(NotPositiveDefinite { pivot }),
            None => Ok(()),
        },
    }
}

/// `log |L Lᵀ|` of a factor.
#[must_use]
pub fn log_determinant(l: MatRef<'_, f64>) -> f64 {
    2.0 * (0..l.nrows()).map(|i| l[(i, i)].ln()).sum::<f64>()
}

/// Replaces `rhs` by `L⁻¹ rhs`.
pub fn solve_lower_in_place(l: MatRef<'_, f64>, rhs: MatMut<'_, f64>, par: Par) {
    triangular_solve::solve_lower_triangular_in_place(l, rhs, par);
    clear_upper_registers();
}

/// Writes `L⁻¹` into the lower triangle of `out`.
///
/// # Complexity
///
/// `n³/3` multiplications and additions.
pub fn invert_lower(l: MatRef<'_, f64>, out: MatMut<'_, f64>, par: Par) {
    triangular_inverse::invert_lower_triangular(out, l, par);
    clear_upper_registers();
}

#[cfg(test)]
mod tests {
    use super::*;
    use faer::Mat;

    fn spd(n: usize) -> Mat<f64> {
        Mat::from_fn(n, n, |i, j| {
            let distance = i as f64 - j as f64;
            (-0.1 * distance * distance).exp() + if i == j { 0.5 } else { 0.0 }
        })
    }

    fn factor(a: &Mat<f64>) -> Mat<f64> {
        let mut l = a.clone();
        factor_in_place(l.as_mut(), &mut CholeskyScratch::default(), Par::Seq).unwrap();
        Mat::from_fn(a.nrows(), a.nrows(), |i, j| if i >= j { l[(i, j)] } else { 0.0 })
    }

    #[test]
    fn the_factor_times_its_transpose_is_the_matrix() {
        for n in [1, 2, 7, 33, 130] {
            let a = spd(n);
            let l = factor(&a);
            assert!((&l * l.transpose() - &a).norm_max() < 1e-13, "n = {n}");
        }
    }

    #[test]
    fn solving_and_inverting_undo_multiplication() {
        let l = factor(&spd(40));
        let x = Mat::from_fn(40, 3, |i, j| (i as f64 * 0.3 + j as f64).sin());
        let mut b = &l * &x;
        solve_lower_in_place(l.as_ref(), b.as_mut(), Par::Seq);
        assert!((b - &x).norm_max() < 1e-12);
        let mut inverse = Mat::zeros(40, 40);
        invert_lower(l.as_ref(), inverse.as_mut(), Par::Seq);
        assert!((&inverse * &l - Mat::<f64>::identity(40, 40)).norm_max() < 1e-13);
    }

    #[test]
    fn the_inverse_leaves_the_upper_triangle_alone() {
        let l = factor(&spd(70));
        let mut inverse = Mat::from_fn(70, 70, |_, _| 7.0);
        invert_lower(l.as_ref(), inverse.as_mut(), Par::Seq);
        assert!((0..70).all(|j| (0..j).all(|i| inverse[(i, j)] == 7.0)));
    }

    #[test]
    fn a_bad_pivot_is_named() {
        let mut scratch = CholeskyScratch::default();
        for bad in [-1.0, 0.0, f64::NAN] {
            let mut a = Mat::<f64>::identity(5, 5);
            a[(3, 3)] = bad;
            let error = factor_in_place(a.as_mut(), &mut scratch, Par::Seq).unwrap_err();
            assert_eq!(error, NotPositiveDefinite { pivot: 3 });
            assert_eq!(
                error.to_string(),
                "matrix is not positive definite: pivot 3 is not a positive number"
            );
            assert!(error.hint().starts_with("add jitter"));
        }
    }

    #[test]
    fn the_log_determinant_is_that_of_the_matrix() {
        let a = Mat::from_fn(2, 2, |i, j| if i == j { 3.0 } else { 1.0 });
        assert!((log_determinant(factor(&a).as_ref()) - 8f64.ln()).abs() < 1e-15);
    }
}
