//! Dense matrix products, thin over the backend, with the same bits whatever the number of threads.
//!
//! Work is cut into panels of fixed width, each computed by one thread: results do not depend on how panels are
//! distributed over threads.

use super::clear_upper_registers;
use super::simd::vectorized;
use faer::linalg::matmul::{matmul, triangular};
use faer::prelude::{Reborrow, ReborrowMut};
use faer::{Accum, ColMut, Mat, MatMut, MatRef, Par};
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

/// Entries along a side of the squares in which matrices are transposed: a register holds half of it, or all.
const SIDE: usize = 8;

/// Copies the strict lower triangle of a square matrix onto the upper one.
pub fn mirror_lower(mut a: MatMut<'_, f64>) {
    let n = a.nrows().min(a.ncols());
    let whole = if a.row_stride() == 1 { n - n % SIDE } else { 0 };
    vectorized(
        #[inline(always)]
        || {
            for j0 in (0..whole).step_by(SIDE) {
                for i0 in (j0..whole).step_by(SIDE) {
                    mirror_square(a.rb_mut(), i0, j0);
                }
            }
            for i in whole..n {
                for j in 0..i {
                    a[(j, i)] = a[(i, j)];
                }
            }
        },
    );
}

/// Copies the square at `(i0, j0)` to its mirror image; one on the diagonal has its lower triangle copied.
#[inline(always)]
fn mirror_square(mut a: MatMut<'_, f64>, i0: usize, j0: usize) {
    let mut square = [[0.0; SIDE]; SIDE];
    for k in 0..SIDE {
        let from: &[f64; SIDE] =
            contiguous(a.rb(), j0 + k)[i0..].first_chunk().expect("the square is within");
        for (line, &value) in square.iter_mut().zip(from) {
            line[k] = value;
        }
    }
    for (k, line) in square.iter().enumerate() {
        let above = if i0 == j0 { k } else { SIDE };
        contiguous_mut(a.rb_mut().col_mut(i0 + k))[j0..j0 + above].copy_from_slice(&line[..above]);
    }
}

/// `out[(c, i)] = of(c, columns[c][i])` for every column `i` of `out`, square by square; the rows of `out` may be more.
///
/// # Panics
///
/// When there are fewer rows than columns are given, or a column is shorter than `out` is wide.
pub(crate) fn transpose(columns: &[&[f64]], out: MatMut<'_, f64>, of: impl Fn(usize, f64) -> f64) {
    let mut lines: Vec<&mut [f64]> = out.col_iter_mut().map(contiguous_mut).collect();
    vectorized(
        #[inline(always)]
        || {
            for (k, lines) in lines.chunks_mut(SIDE).enumerate() {
                if let Some(lines) = lines.first_chunk_mut::<SIDE>() {
                    transpose_lines(columns, k * SIDE, lines, &of);
                    continue;
                }
                for (i, line) in lines.iter_mut().enumerate() {
                    transpose_lines(columns, k * SIDE + i, std::array::from_mut(line), &of);
                }
            }
        },
    );
}

/// Columns that go through registers together.
const ABREAST: usize = 4;

/// Lines from `first` on of a transposed matrix.
#[inline(always)]
fn transpose_lines<const N: usize>(
    columns: &[&[f64]],
    first: usize,
    lines: &mut [&mut [f64]; N],
    of: &impl Fn(usize, f64) -> f64,
) {
    let (abreast, rest) = columns.as_chunks::<ABREAST>();
    for (t, columns) in abreast.iter().enumerate() {
        let mut block = [[0.0; ABREAST]; N];
        for (k, column) in columns.iter().enumerate() {
            let values: &[f64; N] =
                column[first..].first_chunk().expect("columns are as long as there are lines");
            for (line, &value) in block.iter_mut().zip(values) {
                line[k] = of(t * ABREAST + k, value);
            }
        }
        for (line, block) in lines.iter_mut().zip(&block) {
            line[t * ABREAST..(t + 1) * ABREAST].copy_from_slice(block);
        }
    }
    for (c, column) in (abreast.len() * ABREAST..).zip(rest) {
        for (line, &value) in lines.iter_mut().zip(&column[first..]) {
            line[c] = of(c, value);
        }
    }
}

/// Column `j` of one of our own matrices.
pub(crate) fn contiguous(matrix: MatRef<'_, f64>, j: usize) -> &[f64] {
    matrix.col(j).try_as_col_major().expect("matrices made here are column-major").as_slice()
}

fn contiguous_mut(column: ColMut<'_, f64>) -> &mut [f64] {
    column.try_as_col_major_mut().expect("matrices made here are column-major").as_slice_mut()
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
    fn transposing_is_what_it_says_for_any_shape() {
        for (n, m) in [(1, 1), (7, 3), (8, 4), (9, 70), (50, 13), (64, 8), (3, 0)] {
            let a = sample(n, m);
            let columns: Vec<&[f64]> = (0..m).map(|c| a.col_as_slice(c)).collect();
            let mut out = Mat::full(m + 1, n, 9.0);
            transpose(&columns, out.as_mut(), |c, x| (x - 0.1) * c as f64);
            for i in 0..n {
                assert!((0..m).all(|c| out[(c, i)] == (a[(i, c)] - 0.1) * c as f64));
                assert_eq!(out[(m, i)], 9.0);
            }
        }
    }

    #[test]
    fn mirroring_makes_a_matrix_symmetric() {
        for n in [0, 1, 7, 8, 9, 31, 32, 33, 100] {
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
