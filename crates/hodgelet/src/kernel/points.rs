//! Scaled points, their inner products, and squared distances without cancellation.
//!
//! Distances come from one matrix product, `‖x‖² + ‖y‖² − 2xᵀy`, which loses digits where points are close.
//! Columns are centered first, and a pair that comes out close relative to its norms is computed again from the
//! difference: equal rows are at distance exactly 0, and no distance is negative. Cancellation noise in place
//! of those zeros makes Gram matrices indefinite once lengthscales shrink.

use super::{BaseKernel, KernelError};
use crate::linalg::clear_upper_registers;
use crate::linalg::dense::{reshape, transpose};
use crate::linalg::simd::{dot, squared_distance, vectorized};
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, MatRef, Par};

/// A squared distance below this share of `‖x‖² + ‖y‖²` is computed again from the difference: what is left of
/// the product then has a relative error of about `ε/CLOSE`, 1e-9.
const CLOSE: f64 = 1e-6;

/// Smallest lengthscale, in units of the largest distance from the mean, that distances resolve: products err by
/// `ε` of the squared norm, so that at this lengthscale the error of `D` is still below 1e-3.
pub(super) const RESOLUTION: f64 = 1e-6;

/// Largest distance from the mean in lengthscales: squares and their sums stay finite.
const FARTHEST: f64 = 1e100;

/// Points divided by their lengthscales, one column of the matrix each.
#[derive(Clone, Debug)]
pub(super) struct Points {
    scaled: Mat<f64>,        // [n_columns + 1, n_points], the last row all ones
    squared_norms: Vec<f64>, // [n_points]
}

impl Default for Points {
    fn default() -> Self {
        Self { scaled: Mat::new(), squared_norms: Vec::new() }
    }
}

impl Points {
    /// Scales `inputs` `[n_points, n_columns]`, minus `center` where the kernel is translation invariant.
    pub(super) fn fill(
        &mut self,
        base: &BaseKernel,
        block: usize,
        inputs: MatRef<'_, f64>,
        center: &[f64],
    ) -> Result<(), KernelError> {
        let (n, n_columns) = (inputs.nrows(), inputs.ncols());
        reshape(&mut self.scaled, n_columns + 1, n);
        let shift = |c: usize| if base.family.is_stationary() { center[c] } else { 0.0 };
        let copies = Columns::new(inputs);
        let columns: Vec<(&[f64], f64, f64)> = (0..n_columns)
            .map(|c| (copies.column(c), shift(c), 1.0 / base.lengthscales.of_column(c)))
            .collect();
        let lines: Vec<&[f64]> = columns.iter().map(|(column, ..)| *column).collect();
        transpose(&lines, self.scaled.as_mut(), |c, x| (x - columns[c].1) * columns[c].2);
        self.squared_norms.clear();
        for row in 0..n {
            let (point, one) = self.scaled.col_as_slice_mut(row).split_at_mut(n_columns);
            one[0] = 1.0;
            let norm = dot(point, point);
            // Where the sum of all squares is not large, nothing is too far or NaN.
            if norm.is_nan() || norm > FARTHEST {
                check_range(block, inputs, &columns)?;
            }
            self.squared_norms.push(norm);
        }
        Ok(())
    }

    pub(super) fn len(&self) -> usize {
        self.squared_norms.len()
    }

    pub(super) fn n_columns(&self) -> usize {
        self.scaled.nrows().saturating_sub(1)
    }

    /// Scaled columns of point `i`.
    pub(super) fn point(&self, i: usize) -> &[f64] {
        let column = self.scaled.col_as_slice(i);
        &column[..column.len() - 1]
    }

    /// All points with a row of ones below, `[n_columns + 1, n_points]`.
    pub(super) fn with_ones(&self) -> MatRef<'_, f64> {
        self.scaled.as_ref()
    }

    /// Squared norm of point `i`.
    pub(super) fn squared_norm(&self, i: usize) -> f64 {
        self.squared_norms[i]
    }

    /// The largest distance from the center in lengthscales, or from 0 where the kernel is not translation invariant.
    pub(super) fn reach(&self) -> f64 {
        self.squared_norms.iter().fold(0.0f64, |a, &s| a.max(s)).sqrt()
    }

    /// `count` points from `first`, `[n_columns, count]`.
    fn range(&self, first: usize, count: usize) -> MatRef<'_, f64> {
        self.scaled.as_ref().subcols(first, count).subrows(0, self.n_columns())
    }
}

/// Whether all features of a block are in range when scaled.
fn check_range(
    block: usize,
    inputs: MatRef<'_, f64>,
    columns: &[(&[f64], f64, f64)],
) -> Result<(), KernelError> {
    for (c, (column, shift, scale)) in columns.iter().enumerate() {
        for (row, value) in column.iter().enumerate() {
            let scaled = (value - shift) * scale;
            if scaled.is_nan() || scaled.abs() > FARTHEST {
                return Err(far(block, inputs, row, c, scaled));
            }
        }
    }
    Ok(())
}

/// Why a scaled feature is out of range; one that is not finite makes the mean invalid, so it is checked first.
fn far(block: usize, inputs: MatRef<'_, f64>, row: usize, column: usize, scaled: f64) -> KernelError {
    match (0..inputs.nrows()).find(|&i| !inputs[(i, column)].is_finite()) {
        Some(row) => KernelError::NotFinite { block, row, column, found: inputs[(row, column)] },
        None => KernelError::TooFar { block, row, column, found: scaled.abs(), highest: FARTHEST },
    }
}

/// Columns of a matrix as slices, copied only where they are not stored as such.
struct Columns<'a> {
    matrix: MatRef<'a, f64>,
    copy: Mat<f64>,
}

impl<'a> Columns<'a> {
    fn new(matrix: MatRef<'a, f64>) -> Self {
        let copy = if matrix.try_as_col_major().is_some() { Mat::new() } else { matrix.to_owned() };
        Self { matrix, copy }
    }

    fn column(&self, c: usize) -> &[f64] {
        match self.matrix.col(c).try_as_col_major() {
            Some(column) => column.as_slice(),
            None => self.copy.col_as_slice(c),
        }
    }
}

/// Columns whose means are summed side by side: each sum is a chain of additions.
const SIDE: usize = 8;

/// Rows that are read at a time for it.
const ROWS: usize = 4;

/// Mean of each column.
pub(super) fn center(inputs: MatRef<'_, f64>) -> Vec<f64> {
    // Shares are summed, not values, so that large ones do not overflow.
    let (n, n_columns) = inputs.shape();
    let share = 1.0 / n.max(1) as f64;
    let columns = Columns::new(inputs);
    let mut means = vec![0.0; n_columns.next_multiple_of(SIDE)];
    vectorized(
        #[inline(always)]
        || {
            for (k, means) in means.as_chunks_mut::<SIDE>().0.iter_mut().enumerate() {
                let side: [&[f64]; SIDE] =
                    std::array::from_fn(|c| &columns.column((k * SIDE + c).min(n_columns - 1))[..n]);
                let mut sums = [-0.0; SIDE];
                // Some rows at a time go through registers, and are added one by one.
                let whole = n - n % ROWS;
                for i in (0..whole).step_by(ROWS) {
                    let mut block = [[0.0; SIDE]; ROWS];
                    for (c, column) in side.iter().enumerate() {
                        let values: &[f64; ROWS] = column[i..].first_chunk().expect("all of them are whole");
                        for (row, value) in block.iter_mut().zip(values) {
                            row[c] = value * share;
                        }
                    }
                    for row in &block {
                        for (sum, x) in sums.iter_mut().zip(row) {
                            *sum += x;
                        }
                    }
                }
                for i in whole..n {
                    for (sum, column) in sums.iter_mut().zip(&side) {
                        *sum += column[i] * share;
                    }
                }
                *means = sums;
            }
        },
    );
    means.truncate(n_columns);
    means
}

/// Inner products of the points of `left` from `first_left` with those of `right` from `first_right`, as many as
/// `out` has rows and columns.
pub(super) fn products(
    left: &Points,
    first_left: usize,
    right: &Points,
    first_right: usize,
    out: MatMut<'_, f64>,
) {
    let a = left.range(first_left, out.nrows());
    let b = right.range(first_right, out.ncols());
    matmul(out, Accum::Replace, a.transpose(), b, 1.0, Par::Seq);
    clear_upper_registers();
}

/// Turns inner products of `left` from `first` with point `j` of `right` into squared distances.
pub(super) fn distances(products: &mut [f64], left: &Points, first: usize, right: &Points, j: usize) {
    vectorized(
        #[inline(always)]
        || distances_within(products, left, first, right, j),
    );
}

/// The same for loops that are under [`vectorized`] already.
#[inline(always)]
pub(super) fn distances_within(products: &mut [f64], left: &Points, first: usize, right: &Points, j: usize) {
    let norms = &left.squared_norms[first..first + products.len()];
    let norm = right.squared_norms[j];
    let mut close = 0;
    for (d, &other) in products.iter_mut().zip(norms) {
        let total = norm + other;
        *d = total - 2.0 * *d;
        close += usize::from(*d <= CLOSE * total);
    }
    if close > 0 {
        measure_again(products, left, first, right, j);
    }
}

/// Squared distances of close points from their differences.
#[inline(never)]
fn measure_again(distances: &mut [f64], left: &Points, first: usize, right: &Points, j: usize) {
    let norm = right.squared_norms[j];
    for (i, d) in distances.iter_mut().enumerate() {
        if *d <= CLOSE * (norm + left.squared_norms[first + i]) {
            *d = squared_distance(left.point(first + i), right.point(j));
        }
    }
}

/// Smallest lengthscales that the distances between these points resolve, one for each lengthscale of `base`.
pub(super) fn lengthscale_floors(base: &BaseKernel, inputs: MatRef<'_, f64>, center: &[f64]) -> Vec<f64> {
    let n_scales = base.lengthscales.values.len();
    if !base.family.is_stationary() {
        return vec![0.0; n_scales];
    }
    let n = inputs.nrows();
    let columns = Columns::new(inputs);
    let mut squares = vec![0.0; n * n_scales]; // [n_scales, n]
    for (c, &center) in center.iter().enumerate() {
        if let Some(g) = base.lengthscales.index(c) {
            let (squares, column) = (&mut squares[g * n..(g + 1) * n], columns.column(c));
            vectorized(
                #[inline(always)]
                || squares.iter_mut().zip(column).for_each(|(s, x)| *s += (x - center) * (x - center)),
            );
        }
    }
    let floor =
        |g: usize| RESOLUTION * squares[g * n..(g + 1) * n].iter().fold(0.0f64, |a, &s| a.max(s)).sqrt();
    (0..n_scales).map(floor).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{Family, Lengthscales};
    use super::*;

    fn points(inputs: &Mat<f64>) -> Points {
        let base = BaseKernel::new(Family::SquaredExponential, Lengthscales::isotropic(0.5));
        let mut out = Points::default();
        out.fill(&base, 0, inputs.as_ref(), &center(inputs.as_ref())).unwrap();
        out
    }

    fn all_distances(p: &Points) -> Mat<f64> {
        let mut out = Mat::zeros(p.len(), p.len());
        products(p, 0, p, 0, out.as_mut());
        for j in 0..p.len() {
            distances(out.col_as_slice_mut(j), p, 0, p, j);
        }
        out
    }

    #[test]
    fn distances_are_those_of_the_differences() {
        let z = Mat::from_fn(40, 7, |i, j| ((5 * i + 3 * j) as f64).sin());
        let d = all_distances(&points(&z));
        for i in 0..40 {
            for j in 0..40 {
                let expected: f64 = (0..7).map(|c| (z[(i, c)] - z[(j, c)]).powi(2)).sum::<f64>() / 0.25;
                assert!((d[(i, j)] - expected).abs() <= 1e-13 * (1.0 + expected), "({i}, {j})");
            }
        }
    }

    /// Rows 1e8 from the origin and 1e-4 apart: the product alone has no digit of their distance.
    #[test]
    fn close_rows_keep_their_digits_and_equal_rows_are_at_zero() {
        let z = Mat::from_fn(30, 5, |i, j| 1e8 * (j as f64 + (i % 3) as f64) + (i / 15) as f64 * 1e-4);
        let d = all_distances(&points(&z));
        for i in 0..30 {
            for j in 0..30 {
                let exact: f64 = (0..5).map(|c| (z[(i, c)] - z[(j, c)]).powi(2)).sum::<f64>() / 0.25;
                // The columns are rounded once, in units of the largest value: 1e9 ε.
                let error = (d[(i, j)].sqrt() - exact.sqrt()).abs();
                assert!(error <= 1e-6, "({i}, {j}): {} {exact}", d[(i, j)]);
            }
        }
        assert_eq!(d[(0, 3)], 0.0);
    }

    #[test]
    fn floors_follow_the_spread_of_their_columns() {
        let z = Mat::from_fn(2, 3, |i, j| if i == 0 { 0.0 } else { [2.0, 20.0, 0.0][j] });
        let base =
            BaseKernel::new(Family::Matern32, Lengthscales::grouped(vec![0, 1, 2], vec![1.0, 1.0, 1.0]));
        let floors = lengthscale_floors(&base, z.as_ref(), &center(z.as_ref()));
        assert_eq!(floors, [RESOLUTION, 10.0 * RESOLUTION, 0.0]);
    }
}
