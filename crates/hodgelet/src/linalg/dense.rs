//! Dense matrix products, thin over the backend, with the same bits whatever the number of threads.
//!
//! Work is cut into panels of fixed width, each computed by one thread: results do not depend on how panels are
//! distributed over threads.

use super::clear_upper_registers;
use faer::linalg::matmul::{matmul, triangular};
use faer::{Accum, Mat, MatMut, MatRef, Par};
use rayon::prelude::*;

/// Columns of one panel: wide enough for the matrix product, narrow enough to stay in cache.
pub const PANEL: usize = 64;

/// `out ← α A B`, or `out ← out + α A B` with [`Accum::Add`].
///
/// # Panics
///
/// When the shapes do not fit.
pub fn multiply(
    out: MatMut<'_, f64>,
    accum: Accum,
    a: MatRef<'_, f64>,
    b: MatRef<'_, f64>,
    alpha: f64,
    par: Par,
) {
    assert_eq!((out.nrows(), out.ncols()), (a.nrows(), b.ncols()), "the product has the outer shape");
    for_each(panels(out), par, |(first, panel)| {
        let width = panel.ncols();
        matmul(panel, accum, a, b.subcols(first, width), alpha, Par::Seq);
        clear_upper_registers();
    });
}

/// `A B`, on this thread.
///
/// The backend's operator `*` takes the threads of its global setting, and its last bits change with their number.
///
/// # Panics
///
/// When the shapes do not fit.
#[must_use]
pub fn times(a: MatRef<'_, f64>, b: MatRef<'_, f64>) -> Mat<f64> {
    let mut out = Mat::zeros(a.nrows(), b.ncols());
    matmul(out.as_mut(), Accum::Replace, a, b, 1.0, Par::Seq);
    clear_upper_registers();
    out
}

/// Lower triangle, with the diagonal, of `out ← α A Aᵀ`; the rest of `out` is left as it is.
///
/// # Panics
///
/// When `out` is not square with the rows of `a`.
pub fn self_product_lower(out: MatMut<'_, f64>, a: MatRef<'_, f64>, alpha: f64, par: Par) {
    assert_eq!((out.nrows(), out.ncols()), (a.nrows(), a.nrows()), "A Aᵀ is square");
    for_each(panels(out), par, |(first, panel)| {
        let width = panel.ncols();
        let (_, panel) = panel.split_at_row_mut(first);
        let (square, below) = panel.split_at_row_mut(width);
        let rows = a.subrows(first, width);
        let rest = a.subrows(first + width, a.nrows() - first - width);
        lower(square, rows, alpha);
        matmul(below, Accum::Replace, rest, rows.transpose(), alpha, Par::Seq);
        clear_upper_registers();
    });
}

fn lower(out: MatMut<'_, f64>, a: MatRef<'_, f64>, alpha: f64) {
    use triangular::BlockStructure::{Rectangular, TriangularLower};
    let at = a.transpose();
    triangular::matmul(
        out,
        TriangularLower,
        Accum::Replace,
        a,
        Rectangular,
        at,
        Rectangular,
        alpha,
        Par::Seq,
    );
}

/// Copies the strict lower triangle of a square matrix onto the upper one.
pub fn mirror_lower(mut a: MatMut<'_, f64>) {
    let n = a.nrows().min(a.ncols());
    // Tiles keep both the rows read and the columns written in cache.
    const TILE: usize = 32;
    for j0 in (0..n).step_by(TILE) {
        for i0 in (j0..n).step_by(TILE) {
            for j in j0..n.min(j0 + TILE) {
                for i in i0.max(j + 1)..n.min(i0 + TILE) {
                    a[(j, i)] = a[(i, j)];
                }
            }
        }
    }
}

/// Disjoint column panels of a matrix, each with the index of its first column.
pub(crate) fn panels(matrix: MatMut<'_, f64>) -> Vec<(usize, MatMut<'_, f64>)> {
    let n = matrix.ncols();
    let mut rest = matrix;
    let mut out = Vec::with_capacity(n.div_ceil(PANEL));
    for first in (0..n).step_by(PANEL) {
        let (panel, tail) = rest.split_at_col_mut(PANEL.min(n - first));
        out.push((first, panel));
        rest = tail;
    }
    out
}

/// Calls `work` on every item, in order on this thread or on the threads of rayon.
pub(crate) fn for_each<T: Send>(items: Vec<T>, par: Par, work: impl Fn(T) + Sync + Send) {
    match par {
        Par::Seq => items.into_iter().for_each(work),
        Par::Rayon(_) => items.into_par_iter().for_each(work),
    }
}

/// Makes `matrix` `rows × cols`, keeping its memory when the shape is already right; the contents are free.
pub(crate) fn reshape(matrix: &mut Mat<f64>, rows: usize, cols: usize) {
    if (matrix.nrows(), matrix.ncols()) != (rows, cols) {
        *matrix = Mat::zeros(rows, cols);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(rows: usize, cols: usize) -> Mat<f64> {
        Mat::from_fn(rows, cols, |i, j| ((3 * i + 7 * j) as f64).sin())
    }

    #[test]
    fn products_agree_with_plain_loops_and_do_not_depend_on_threads() {
        for (n, m, k) in [(1, 1, 1), (5, 3, 2), (150, 131, 17), (65, 64, 0)] {
            let (a, b) = (sample(n, k), sample(k, m));
            let mut out = sample(n, m);
            let start = out.clone();
            multiply(out.as_mut(), Accum::Add, a.as_ref(), b.as_ref(), -2.0, Par::Seq);
            let mut threaded = start.clone();
            multiply(threaded.as_mut(), Accum::Add, a.as_ref(), b.as_ref(), -2.0, Par::rayon(3));
            assert_eq!(out, threaded);
            for j in 0..m {
                for i in 0..n {
                    let sum: f64 = (0..k).map(|l| a[(i, l)] * b[(l, j)]).sum();
                    assert!((out[(i, j)] - start[(i, j)] + 2.0 * sum).abs() < 1e-12);
                }
            }
        }
    }

    #[test]
    fn self_product_fills_the_lower_triangle_and_nothing_else() {
        for (n, k) in [(1, 3), (64, 5), (150, 17), (9, 0)] {
            let a = sample(n, k);
            let mut out = Mat::full(n, n, 9.0);
            self_product_lower(out.as_mut(), a.as_ref(), 1.0, Par::Seq);
            let mut threaded = Mat::full(n, n, 9.0);
            self_product_lower(threaded.as_mut(), a.as_ref(), 1.0, Par::rayon(3));
            assert_eq!(out, threaded);
            for j in 0..n {
                for i in 0..n {
                    let sum: f64 = (0..k).map(|l| a[(i, l)] * a[(j, l)]).sum();
                    let expected = if i < j { 9.0 } else { sum };
                    assert!((out[(i, j)] - expected).abs() < 1e-12, "({i}, {j})");
                }
            }
        }
    }

    #[test]
    fn mirroring_makes_a_matrix_symmetric() {
        for n in [0, 1, 31, 32, 33, 100] {
            let start = sample(n, n);
            let mut a = start.clone();
            mirror_lower(a.as_mut());
            for j in 0..n {
                for i in 0..n {
                    assert_eq!(a[(i, j)], start[(i.max(j), i.min(j))]);
                }
            }
        }
    }
}
