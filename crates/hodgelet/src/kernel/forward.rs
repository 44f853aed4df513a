//! Gram matrices, and what their derivatives need of them.

use super::points::{Points, center, distances, products};
use super::{BaseKernel, BlockKernel, KernelError};
use crate::linalg::dense::{for_each, panels, reshape};
use crate::linalg::simd::vectorized;
use faer::{Mat, MatMut, MatRef, Par};

/// What a Gram matrix leaves behind for its derivatives; reused between evaluations of the same shape without new
/// allocations of that size.
///
/// # Complexity
///
/// Two `[n, n]` matrices for each factor of each block, and one more.
#[derive(Clone, Debug)]
pub struct GramWorkspace {
    pub(super) factors: Vec<Vec<FactorCache>>, // by block, then factor
    pub(super) slopes: Mat<f64>,               // [n, n], lower triangle and diagonal blocks
    pub(super) transposed: Mat<f64>,           // [n_columns + 1, n]
    pub(super) params: Vec<f64>,               // of the kernel that filled it; empty when stale
}

/// One factor at all pairs of points; lower triangles.
#[derive(Clone, Debug)]
pub(super) struct FactorCache {
    pub(super) points: Points,
    pub(super) arguments: Mat<f64>, // squared distances or inner products, [n, n]
    pub(super) values: Mat<f64>,    // [n, n]
}

impl Default for FactorCache {
    fn default() -> Self {
        Self { points: Points::default(), arguments: Mat::new(), values: Mat::new() }
    }
}

impl Default for GramWorkspace {
    fn default() -> Self {
        Self { factors: Vec::new(), slopes: Mat::new(), transposed: Mat::new(), params: Vec::new() }
    }
}

impl GramWorkspace {
    /// An empty workspace; it takes its shape from its first use.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Room for these blocks.
    pub(super) fn prepare(&mut self, blocks: &[BlockKernel]) {
        self.params.clear();
        self.factors.resize_with(blocks.len(), Vec::new);
        for (factors, block) in self.factors.iter_mut().zip(blocks) {
            factors.resize_with(block.factors.len(), FactorCache::default);
        }
    }
}

/// Adds the lower triangle of one block's Gram matrix to `out`, or replaces it.
pub(super) fn add_block(
    block: &BlockKernel,
    index: usize,
    inputs: MatRef<'_, f64>,
    caches: &mut [FactorCache],
    out: MatMut<'_, f64>,
    replace: bool,
    par: Par,
) -> Result<(), KernelError> {
    let n = inputs.nrows();
    let center = center(inputs);
    for (base, cache) in block.factors.iter().zip(caches.iter_mut()) {
        cache.points.fill(base, index, inputs, &center)?;
        reshape(&mut cache.arguments, n, n);
        reshape(&mut cache.values, n, n);
    }
    for_each(work(block, caches, out), par, |panel| {
        let (first, mut out, factors) = (panel.first, panel.out, panel.factors);
        let mut filled = Vec::with_capacity(factors.len());
        for (base, points, mut arguments, mut values) in factors {
            fill_panel(base, points, first, arguments.as_mut(), values.as_mut());
            filled.push(values);
        }
        for j in 0..out.ncols() {
            let diagonal = first + j;
            let column = &mut column_mut(&mut out, j)[diagonal..];
            let values: Vec<&[f64]> = filled.iter_mut().map(|v| &column_mut(v, j)[diagonal..]).collect();
            add_product(column, block.variance, &values, replace);
        }
    });
    Ok(())
}

/// A panel of columns of all matrices of one block.
struct Panel<'a> {
    first: usize,
    out: MatMut<'a, f64>,
    factors: Vec<(&'a BaseKernel, &'a Points, MatMut<'a, f64>, MatMut<'a, f64>)>,
}

fn work<'a>(block: &'a BlockKernel, caches: &'a mut [FactorCache], out: MatMut<'a, f64>) -> Vec<Panel<'a>> {
    let mut work: Vec<Panel<'a>> =
        panels(out).into_iter().map(|(first, out)| Panel { first, out, factors: Vec::new() }).collect();
    for (base, cache) in block.factors.iter().zip(caches) {
        let matrices = panels(cache.arguments.as_mut()).into_iter().zip(panels(cache.values.as_mut()));
        for (panel, ((_, arguments), (_, values))) in work.iter_mut().zip(matrices) {
            panel.factors.push((base, &cache.points, arguments, values));
        }
    }
    work
}

/// Arguments and values of one factor in a panel of columns from `first`, on and below the diagonal.
fn fill_panel(
    base: &BaseKernel,
    points: &Points,
    first: usize,
    mut arguments: MatMut<'_, f64>,
    mut values: MatMut<'_, f64>,
) {
    let rows = arguments.nrows() - first;
    products(points, first, points, first, arguments.as_mut().subrows_mut(first, rows));
    for j in 0..arguments.ncols() {
        let diagonal = first + j;
        let arguments = &mut column_mut(&mut arguments, j)[diagonal..];
        if base.family.is_stationary() {
            arguments[0] = 0.0;
            distances(&mut arguments[1..], points, diagonal + 1, points, diagonal);
        }
        base.family.values(base.shape, arguments, &mut column_mut(&mut values, j)[diagonal..]);
    }
}

/// `out ← σ² Π values`, or adds that.
pub(super) fn add_product(out: &mut [f64], variance: f64, values: &[&[f64]], replace: bool) {
    match values {
        [one] if replace => vectorized(
            #[inline(always)]
            || out.iter_mut().zip(*one).for_each(|(o, v)| *o = variance * v),
        ),
        [one] => vectorized(
            #[inline(always)]
            || out.iter_mut().zip(*one).for_each(|(o, v)| *o += variance * v),
        ),
        several => {
            for (i, o) in out.iter_mut().enumerate() {
                let product = several.iter().fold(variance, |product, v| product * v[i]);
                *o = if replace { product } else { *o + product };
            }
        }
    }
}

/// Column `j` of a panel of one of our own matrices.
pub(super) fn column_mut<'a>(matrix: &'a mut MatMut<'_, f64>, j: usize) -> &'a mut [f64] {
    let column = matrix.as_mut().col_mut(j).try_as_col_major_mut();
    column.expect("matrices made here are column-major").as_slice_mut()
}
