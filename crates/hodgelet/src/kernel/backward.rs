//! Derivatives of a function of the Gram matrix, by reverse mode.
//!
//! Let `G = ∂f/∂K`, symmetric. For a block with argument `D` (squared distances) or `S` (inner products) put
//! `H = G · ∂K/∂D`, entry by entry. With scaled points `X` `[n, n_columns]`,
//!
//! ```text
//! ∂f/∂X = 4 (diag(H1) − H) X   (distances)        ∂f/∂X = 2 H X   (inner products)
//! ```
//!
//! and lengthscales follow from `∂X/∂ln ℓ = −X`. `H` is stored as its lower triangle in panels of columns;
//! the square block of each panel on the diagonal is filled, so that the product above needs two matrix products
//! per panel and no transposed copy. Row sums `H1` come from the same products, through a row of ones in `Xᵀ`.

use super::forward::{BlockCache, GramWorkspace, column_mut};
use super::{BaseKernel, BlockKernel, Family};
use crate::linalg::clear_upper_registers;
use crate::linalg::dense::{contiguous, for_each, mirror_lower, panels, reshape, transpose};
use crate::linalg::simd::{dot, lane_sum, vectorized};
use faer::linalg::matmul::matmul;
use faer::prelude::Reborrow;
use faer::{Accum, Mat, MatMut, MatRef, Par};

/// Derivatives of a function of the Gram matrix.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KernelGradient {
    /// In the logarithms of the hyperparameters, in the order of [`SumKernel::params`](super::SumKernel::params).
    pub params: Vec<f64>,
    /// In the features of each block, `[n_points, n_columns]`; empty unless asked for.
    pub inputs: Vec<Mat<f64>>,
}

/// Sums over all pairs of points for one block.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    /// `Σ G K_b`: the derivative in the logarithm of the variance.
    variance: f64,
    /// `Σ H D`: minus half the derivative in the logarithm of a shared lengthscale.
    argument: f64,
    /// The derivative in the logarithm of the shape.
    shape: f64,
}

impl Sums {
    fn add(&mut self, other: Self, times: f64) {
        self.variance += times * other.variance;
        self.argument += times * other.argument;
        self.shape += times * other.shape;
    }
}

/// Derivatives of one block: appended to `params`, written to `inputs` where wanted.
pub(super) fn block_gradient(
    block: &BlockKernel,
    index: usize,
    workspace: &mut GramWorkspace,
    sensitivities: MatRef<'_, f64>,
    params: &mut Vec<f64>,
    inputs: Option<&mut Mat<f64>>,
    par: Par,
) {
    let n = sensitivities.nrows();
    let GramWorkspace { blocks, slopes, .. } = workspace;
    let (base, cache) = (&block.base, &mut blocks[index]);
    reshape(slopes, n, n);
    let sums = fill_slopes(block, cache, sensitivities, slopes.as_mut(), par);
    params.push(sums.variance);
    let scales_at = params.len();
    params.resize(scales_at + base.lengthscales.values.len(), 0.0);
    if base.lengthscales.values.len() == 1 {
        params[scales_at] = -2.0 * sums.argument;
    }
    if inputs.is_some() || base.lengthscales.values.len() > 1 {
        let (points, products) = (cache.points.with_ones(), &mut cache.products);
        multiply_slopes(points, slopes.as_ref(), products, par);
        pull_back(base, points, products.as_mut(), &mut params[scales_at..], inputs);
    }
    if base.family.shape_name().is_some() {
        params.push(sums.shape);
    }
}

/// `H` of a block, and the sums over it.
fn fill_slopes(
    block: &BlockKernel,
    cache: &BlockCache,
    sensitivities: MatRef<'_, f64>,
    slopes: MatMut<'_, f64>,
    par: Par,
) -> Sums {
    let panels = panels(slopes);
    let mut sums = vec![Sums::default(); panels.len()];
    let work = panels.into_iter().zip(&mut sums).collect();
    for_each(work, par, |((first, mut panel), sum): ((usize, MatMut<'_, f64>), &mut Sums)| {
        let width = panel.ncols();
        if block.base.family == Family::SquaredExponential {
            vectorized(
                #[inline(always)]
                || {
                    for j in 0..width {
                        let diagonal = first + j;
                        let column = &mut column_mut(&mut panel, j)[diagonal..];
                        // A point's distance to itself is constant, and its covariance with itself the variance.
                        sum.variance += block.variance * contiguous(sensitivities, diagonal)[diagonal];
                        column[0] = 0.0;
                        sum.add(fused_sums(block, cache, sensitivities, diagonal, &mut column[1..]), 2.0);
                    }
                },
            );
            return mirror_lower(panel.subrows_mut(first, width));
        }
        for j in 0..width {
            let diagonal = first + j;
            let column = &mut column_mut(&mut panel, j)[diagonal..];
            weigh(column, block.variance, sensitivities, diagonal);
            let (on, below) = column.split_at_mut(1);
            sum.add(slope_sums(&block.base, cache, diagonal, diagonal, on), 1.0);
            sum.add(slope_sums(&block.base, cache, diagonal, diagonal + 1, below), 2.0);
            if block.base.family.is_stationary() {
                // A point's distance to itself is constant.
                on[0] = 0.0;
            }
        }
        mirror_lower(panel.subrows_mut(first, width));
    });
    // In the order of the panels: the same bits for any number of threads.
    let mut total = Sums::default();
    sums.into_iter().for_each(|sum| total.add(sum, 1.0));
    total
}

/// `weights = σ² G` in column `j`, from the diagonal down.
fn weigh(weights: &mut [f64], variance: f64, sensitivities: MatRef<'_, f64>, j: usize) {
    let column = &contiguous(sensitivities, j)[j..];
    vectorized(
        #[inline(always)]
        || weights.iter_mut().zip(column).for_each(|(w, g)| *w = variance * g),
    );
}

/// [`weigh`] and [`slope_sums`] below the diagonal of column `j` in one pass, for squared exponentials: `k' = −k/2`. Under
/// [`vectorized`].
#[inline(always)]
fn fused_sums(
    block: &BlockKernel,
    cache: &BlockCache,
    sensitivities: MatRef<'_, f64>,
    j: usize,
    slopes: &mut [f64],
) -> Sums {
    let g = &contiguous(sensitivities, j)[j + 1..];
    let values = &cache.values.col_as_slice(j)[j + 1..];
    let arguments = &cache.arguments.col_as_slice(j)[j + 1..];
    let variance = block.variance;
    for ((slope, g), value) in slopes.iter_mut().zip(g).zip(values) {
        *slope = variance * g * (-0.5 * value);
    }
    Sums {
        variance: lane_sum(g, values, |g, value| variance * g * value),
        argument: lane_sum(slopes, arguments, |h, d| h * d),
        shape: 0.0,
    }
}

/// Turns weights in column `j`, rows from `first`, into slopes, and sums over them.
fn slope_sums(base: &BaseKernel, cache: &BlockCache, j: usize, first: usize, weights: &mut [f64]) -> Sums {
    let values = &cache.values.col_as_slice(j)[first..];
    let arguments = &cache.arguments.col_as_slice(j)[first..];
    let variance = dot(weights, values);
    let shape = base.family.slopes(base.shape, arguments, values, weights);
    Sums { variance, argument: dot(weights, arguments), shape }
}

/// `out = (Xᵀ; 1ᵀ) H`, `[n_columns + 1, n]`, where `H` is symmetric and stored as its lower triangle with full
/// diagonal blocks.
fn multiply_slopes(points: MatRef<'_, f64>, slopes: MatRef<'_, f64>, out: &mut Mat<f64>, par: Par) {
    reshape(out, points.nrows(), points.ncols());
    let n = points.ncols();
    for_each(panels(out.as_mut()), par, |(first, mut panel)| {
        let width = panel.ncols();
        let below = slopes.submatrix(first, first, n - first, width);
        let left = slopes.submatrix(first, 0, width, first);
        matmul(panel.as_mut(), Accum::Replace, points.subcols(first, n - first), below, 1.0, Par::Seq);
        matmul(panel, Accum::Add, points.subcols(0, first), left.transpose(), 1.0, Par::Seq);
        clear_upper_registers();
    });
}

/// Derivatives in lengthscales (where there are several) and inputs, from `products = (Xᵀ; 1ᵀ) H`.
fn pull_back(
    base: &BaseKernel,
    points: MatRef<'_, f64>,
    mut products: MatMut<'_, f64>,
    scales: &mut [f64],
    inputs: Option<&mut Mat<f64>>,
) {
    let n_columns = points.nrows() - 1;
    for i in 0..points.ncols() {
        let point = points.col(i).try_as_col_major().expect("points are column-major").as_slice();
        let (products, row_sum) = column_mut(&mut products, i).split_at_mut(n_columns);
        let (row_sum, is_stationary) = (row_sum[0], base.family.is_stationary());
        vectorized(
            #[inline(always)]
            || match is_stationary {
                true => products.iter_mut().zip(point).for_each(|(p, x)| *p = 4.0 * (row_sum * x - *p)),
                false => products.iter_mut().for_each(|p| *p *= 2.0),
            },
        );
    }
    if scales.len() > 1 {
        for i in 0..points.ncols() {
            for c in 0..n_columns {
                if let Some(g) = base.lengthscales.index(c) {
                    scales[g] -= products[(c, i)] * points[(c, i)];
                }
            }
        }
    }
    let Some(inputs) = inputs else { return };
    let inverses: Vec<f64> = (0..n_columns).map(|c| 1.0 / base.lengthscales.of_column(c)).collect();
    for i in 0..points.ncols() {
        let products = column_mut(&mut products, i);
        vectorized(
            #[inline(always)]
            // The sum with 0 has no negative zero.
            || products.iter_mut().zip(&inverses).for_each(|(p, scale)| *p = 0.0 + *p * scale),
        );
    }
    let products = products.rb();
    let columns: Vec<&[f64]> = (0..points.ncols()).map(|i| contiguous(products, i)).collect();
    transpose(&columns, inputs.as_mut(), |_, x| x);
}
