//! Covariances between two sets of points, and of each point with itself.

use super::block::BlockKernel;
use super::forward::{add_scaled, column_mut};
use super::points::{Points, center, distances, products};
use super::sum::{all_finite, check_columns};
use super::{BaseKernel, KernelError, SumKernel};
use crate::linalg::dense::{for_each, panels};
use faer::{Mat, MatMut, MatRef, Par};

impl SumKernel {
    /// Covariances `[n_left, n_right]` between two sets of points.
    ///
    /// # Errors
    ///
    /// [`KernelError`] when the inputs do not fit the kernel or each other, or are not finite.
    pub fn cross(
        &self,
        left: &[MatRef<'_, f64>],
        right: &[MatRef<'_, f64>],
        par: Par,
    ) -> Result<Mat<f64>, KernelError> {
        check_pair(self, left, right)?;
        let mut out = Mat::full(left[0].nrows(), right[0].nrows(), self.constant().unwrap_or(0.0));
        for (b, block) in self.blocks().iter().enumerate() {
            add_cross(block, b, left[b], right[b], out.as_mut(), par)?;
        }
        finite_columns(out, "cross-covariance")
    }

    /// The part of [`cross`](Self::cross) that block `block` contributes: the sum over blocks, and the constant, is the whole.
    ///
    /// # Errors
    ///
    /// As [`cross`](Self::cross); [`KernelError::Blocks`] when there is no such block.
    pub fn cross_block(
        &self,
        block: usize,
        left: MatRef<'_, f64>,
        right: MatRef<'_, f64>,
        par: Par,
    ) -> Result<Mat<f64>, KernelError> {
        let Some(kernel) = self.blocks().get(block) else {
            return Err(KernelError::Blocks { expected: self.blocks().len(), found: block + 1 });
        };
        check_columns(kernel, block, left)?;
        check_same_columns(block, left, right)?;
        let mut out = Mat::zeros(left.nrows(), right.nrows());
        add_cross(kernel, block, left, right, out.as_mut(), par)?;
        finite_columns(out, "cross-covariance")
    }

    /// The diagonal of the Gram matrix, without the rest.
    ///
    /// # Errors
    ///
    /// As [`gram`](Self::gram).
    pub fn diagonal(&self, inputs: &[MatRef<'_, f64>]) -> Result<Vec<f64>, KernelError> {
        self.check_inputs(inputs)?;
        let mut out = vec![self.constant().unwrap_or(0.0); inputs[0].nrows()];
        let mut points = Points::default();
        for (b, (block, &z)) in self.blocks().iter().zip(inputs).enumerate() {
            let mut values = vec![block.variance; out.len()];
            points.fill(&block.base, b, z, &center(z))?;
            multiply_diagonal(&block.base, &points, &mut values);
            out.iter_mut().zip(values).for_each(|(o, v)| *o += v);
        }
        all_finite(&out, "diagonal of the gram matrix")?;
        Ok(out)
    }
}

/// Whether two sets of points fit a kernel and each other.
pub(super) fn check_pair(
    kernel: &SumKernel,
    left: &[MatRef<'_, f64>],
    right: &[MatRef<'_, f64>],
) -> Result<(), KernelError> {
    kernel.check_inputs(left)?;
    kernel.check_inputs(right)?;
    let mut pairs = left.iter().zip(right).enumerate();
    pairs.try_for_each(|(b, (l, r))| check_same_columns(b, *l, *r))
}

fn check_same_columns(
    block: usize,
    left: MatRef<'_, f64>,
    right: MatRef<'_, f64>,
) -> Result<(), KernelError> {
    let (expected, found) = (right.ncols(), left.ncols());
    if expected == found { Ok(()) } else { Err(KernelError::Columns { block, expected, found }) }
}

fn finite_columns(matrix: Mat<f64>, what: &'static str) -> Result<Mat<f64>, KernelError> {
    all_finite((0..matrix.ncols()).flat_map(|j| matrix.col_as_slice(j)), what)?;
    Ok(matrix)
}

fn multiply_diagonal(base: &BaseKernel, points: &Points, out: &mut [f64]) {
    if base.family.is_stationary() {
        return;
    }
    for (i, o) in out.iter_mut().enumerate() {
        let mut value = [0.0];
        base.family.values(base.shape, &[points.squared_norm(i)], &mut value);
        *o *= value[0];
    }
}

/// Adds one block's covariances to `out`.
fn add_cross(
    block: &BlockKernel,
    index: usize,
    left: MatRef<'_, f64>,
    right: MatRef<'_, f64>,
    out: MatMut<'_, f64>,
    par: Par,
) -> Result<(), KernelError> {
    let center = center(right);
    let (mut l, mut r) = (Points::default(), Points::default());
    l.fill(&block.base, index, left, &center)?;
    r.fill(&block.base, index, right, &center)?;
    for_each(panels(out), par, |(first, mut panel)| {
        let values = cross_panel(&block.base, &l, &r, first, panel.ncols());
        for j in 0..panel.ncols() {
            add_scaled(column_mut(&mut panel, j), block.variance, values.col_as_slice(j), false);
        }
    });
    Ok(())
}

/// Values of a base kernel between all points of `left` and `width` points of `right` from `first`.
fn cross_panel(base: &BaseKernel, left: &Points, right: &Points, first: usize, width: usize) -> Mat<f64> {
    let mut arguments = Mat::zeros(left.len(), width);
    let mut values = Mat::zeros(left.len(), width);
    products(left, 0, right, first, arguments.as_mut());
    for j in 0..width {
        let arguments = arguments.col_as_slice_mut(j);
        if base.family.is_stationary() {
            distances(arguments, left, 0, right, first + j);
        }
        base.family.values(base.shape, arguments, values.col_as_slice_mut(j));
    }
    values
}
