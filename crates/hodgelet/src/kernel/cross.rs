//! Covariances between two sets of points, and of each point with itself.

use super::block::BlockKernel;
use super::forward::{add_scaled, column_mut};
use super::points::{Points, center, distances, products};
use super::sum::{all_finite, check_columns};
use super::{BaseKernel, Input, KernelError, SumKernel};
use crate::linalg::dense::{for_each, panels};
use faer::{Mat, MatMut, Par};

impl SumKernel {
    /// Covariances `[n_left, n_right]` between two sets of points.
    ///
    /// # Errors
    ///
    /// [`KernelError`] when the inputs do not fit the kernel or each other, or are not finite.
    pub fn cross<'a, I>(&self, left: &[I], right: &[I], par: Par) -> Result<Mat<f64>, KernelError>
    where
        I: Into<Input<'a>> + Copy,
    {
        let (left, right) = check_pair(self, left, right)?;
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
    pub fn cross_block<'a>(
        &self,
        block: usize,
        left: impl Into<Input<'a>>,
        right: impl Into<Input<'a>>,
        par: Par,
    ) -> Result<Mat<f64>, KernelError> {
        let (left, right) = (left.into(), right.into());
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
    pub fn diagonal<'a, I>(&self, inputs: &[I]) -> Result<Vec<f64>, KernelError>
    where
        I: Into<Input<'a>> + Copy,
    {
        let inputs = self.checked(inputs)?;
        let mut out = vec![self.constant().unwrap_or(0.0); inputs[0].nrows()];
        let mut points = Points::default();
        for (b, (block, z)) in self.blocks().iter().zip(inputs).enumerate() {
            let mut values = vec![block.variance; out.len()];
            let norms = match z {
                Input::Columns(z) => {
                    points.fill(&block.base, b, z, &center(z))?;
                    (0..points.len()).map(|i| points.squared_norm(i)).collect()
                }
                Input::Fixed(..) if block.base.family.is_stationary() => Vec::new(),
                Input::Fixed(rows, _) => {
                    let scale = block.base.lengthscales.of_column(0).powi(-2);
                    rows.own_products().into_iter().map(|norm| scale * norm).collect()
                }
            };
            multiply_diagonal(&block.base, &norms, &mut values);
            out.iter_mut().zip(values).for_each(|(o, v)| *o += v);
        }
        all_finite(&out, "diagonal of the gram matrix")?;
        Ok(out)
    }
}

/// Whether two sets of points fit a kernel and each other.
pub(super) fn check_pair<'a, I: Into<Input<'a>> + Copy>(
    kernel: &SumKernel,
    left: &[I],
    right: &[I],
) -> Result<(Vec<Input<'a>>, Vec<Input<'a>>), KernelError> {
    let (left, right) = (kernel.checked(left)?, kernel.checked(right)?);
    let mut pairs = left.iter().zip(&right).enumerate();
    pairs.try_for_each(|(b, (l, r))| check_same_columns(b, *l, *r))?;
    Ok((left, right))
}

fn check_same_columns(block: usize, left: Input<'_>, right: Input<'_>) -> Result<(), KernelError> {
    let (left, right) = match (left, right) {
        (Input::Columns(left), Input::Columns(right)) => (left, right),
        (Input::Fixed(..), Input::Fixed(..)) => return Ok(()),
        _ => return Err(KernelError::Kinds),
    };
    let (expected, found) = (right.ncols(), left.ncols());
    if expected == found { Ok(()) } else { Err(KernelError::Columns { block, expected, found }) }
}

fn finite_columns(matrix: Mat<f64>, what: &'static str) -> Result<Mat<f64>, KernelError> {
    all_finite((0..matrix.ncols()).flat_map(|j| matrix.col_as_slice(j)), what)?;
    Ok(matrix)
}

fn multiply_diagonal(base: &BaseKernel, norms: &[f64], out: &mut [f64]) {
    if base.family.is_stationary() {
        return;
    }
    for (i, o) in out.iter_mut().enumerate() {
        let mut value = [0.0];
        base.family.values(base.shape, &[norms[i]], &mut value);
        *o *= value[0];
    }
}

/// Adds one block's covariances to `out`.
fn add_cross(
    block: &BlockKernel,
    index: usize,
    left: Input<'_>,
    right: Input<'_>,
    mut out: MatMut<'_, f64>,
    par: Par,
) -> Result<(), KernelError> {
    let (left, right) = match (left, right) {
        (Input::Columns(left), Input::Columns(right)) => (left, right),
        (Input::Fixed(left, _), Input::Fixed(right, _)) => {
            let mut arguments = left.cross(right, block.base.family.is_stationary())?;
            let scale = block.base.lengthscales.of_column(0).powi(-2);
            let mut values = vec![0.0; left.len()];
            for j in 0..right.len() {
                let arguments = arguments.col_as_slice_mut(j);
                arguments.iter_mut().for_each(|d| *d *= scale);
                block.base.family.values(block.base.shape, arguments, &mut values);
                add_scaled(column_mut(&mut out, j), block.variance, &values, false);
            }
            return Ok(());
        }
        _ => return Err(KernelError::Kinds),
    };
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
