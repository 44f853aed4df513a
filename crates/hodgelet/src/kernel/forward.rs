//! Gram matrices, and what their derivatives need of them.

use super::points::{Points, center, distances_within, products};
use super::{BaseKernel, BlockKernel, FixedRows, Input, KernelError};
use crate::linalg::dense::{for_each, panels, reshape};
use crate::linalg::simd::vectorized;
use faer::{Mat, MatMut, Par};

/// What a Gram matrix leaves behind for its derivatives; reused between evaluations of the same shape without new
/// allocations of that size.
///
/// # Complexity
///
/// Two `[n, n]` matrices for each block, and one more; two in all for one that is [for values alone](Self::for_values).
#[derive(Clone, Debug)]
pub struct GramWorkspace {
    pub(super) n: usize,
    /// Whether blocks leave behind what their derivatives need.
    pub(super) keeps: bool,
    pub(super) blocks: Vec<BlockCache>,
    pub(super) slopes: Mat<f64>, // [n, n], lower triangle and diagonal blocks
    pub(super) params: Vec<f64>, // of the kernel that filled it; empty when stale
}

/// The base kernel of one block at all pairs of points; lower triangles.
#[derive(Clone, Debug)]
pub(super) struct BlockCache {
    pub(super) points: Points,
    pub(super) arguments: Mat<f64>, // squared distances or inner products, [n, n]
    pub(super) values: Mat<f64>,    // [n, n]
    /// Products of the points with slopes, `[n_columns + 1, n]`: memory of the derivatives.
    pub(super) products: Mat<f64>,
}

impl Default for BlockCache {
    fn default() -> Self {
        Self { points: Points::default(), arguments: Mat::new(), values: Mat::new(), products: Mat::new() }
    }
}

impl Default for GramWorkspace {
    fn default() -> Self {
        Self { n: 0, keeps: true, blocks: Vec::new(), slopes: Mat::new(), params: Vec::new() }
    }
}

impl GramWorkspace {
    /// An empty workspace; it takes its shape from its first use.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty workspace for Gram matrices whose derivatives are not wanted: blocks take turns in the same memory.
    #[must_use]
    pub fn for_values() -> Self {
        Self { keeps: false, ..Self::default() }
    }

    /// Room for this many blocks of `n` points.
    pub(super) fn prepare(&mut self, n_blocks: usize, n: usize) {
        self.params.clear();
        self.n = n;
        self.blocks.resize_with(if self.keeps { n_blocks } else { 1 }, BlockCache::default);
    }

    /// The memory of block `b`.
    pub(super) fn block(&mut self, b: usize) -> &mut BlockCache {
        let b = if self.keeps { b } else { 0 };
        &mut self.blocks[b]
    }
}

/// Adds the lower triangle of one block's Gram matrix to `out`, or replaces it.
pub(super) fn add_block(
    block: &BlockKernel,
    index: usize,
    inputs: Input<'_>,
    cache: &mut BlockCache,
    out: MatMut<'_, f64>,
    replace: bool,
    par: Par,
) -> Result<(), KernelError> {
    let inputs = match inputs {
        Input::Columns(inputs) => inputs,
        Input::Fixed(rows, known) => return add_fixed(block, (rows, known), cache, out, replace, par),
    };
    let n = inputs.nrows();
    cache.points.fill(&block.base, index, inputs, &center(inputs))?;
    reshape(&mut cache.arguments, n, n);
    reshape(&mut cache.values, n, n);
    let points = &cache.points;
    let matrices = panels(cache.arguments.as_mut()).into_iter().zip(panels(cache.values.as_mut()));
    let work: Vec<_> = panels(out).into_iter().zip(matrices).collect();
    for_each(work, par, |((first, mut out), ((_, mut arguments), (_, mut values)))| {
        fill_panel(&block.base, points, first, arguments.as_mut(), values.as_mut());
        vectorized(
            #[inline(always)]
            || {
                for j in 0..out.ncols() {
                    let diagonal = first + j;
                    let values = &column_mut(&mut values, j)[diagonal..];
                    let out = &mut column_mut(&mut out, j)[diagonal..];
                    add_scaled_within(out, block.variance, values, replace);
                }
            },
        );
    });
    Ok(())
}

/// The same for rows that never change.
fn add_fixed(
    block: &BlockKernel,
    (rows, known): (&FixedRows, Option<&Mat<f64>>),
    cache: &mut BlockCache,
    out: MatMut<'_, f64>,
    replace: bool,
    par: Par,
) -> Result<(), KernelError> {
    let n = rows.len();
    let base = &block.base;
    let found;
    let unscaled = match (base.family.is_stationary(), known) {
        (true, Some(known)) if known.shape() == (n, n) => known,
        (true, _) => {
            found = rows.squared_distances(par)?;
            &found
        }
        (false, _) => {
            found = rows.inner_products()?;
            &found
        }
    };
    reshape(&mut cache.arguments, n, n);
    reshape(&mut cache.values, n, n);
    let scale = base.lengthscales.of_column(0).powi(-2);
    let matrices = panels(cache.arguments.as_mut()).into_iter().zip(panels(cache.values.as_mut()));
    let work: Vec<_> = panels(out).into_iter().zip(matrices).collect();
    for_each(work, par, |((first, mut out), ((_, mut arguments), (_, mut values)))| {
        for j in first..first + out.ncols() {
            let arguments = &mut column_mut(&mut arguments, j - first)[j..];
            let unscaled = unscaled.col_as_slice(j)[j..].iter();
            arguments.iter_mut().zip(unscaled).for_each(|(argument, d)| *argument = scale * d);
            let values = &mut column_mut(&mut values, j - first)[j..];
            base.family.values(base.shape, arguments, values);
            add_scaled(&mut column_mut(&mut out, j - first)[j..], block.variance, values, replace);
        }
    });
    Ok(())
}

/// Arguments and values of a base kernel in a panel of columns from `first`, on and below the diagonal.
fn fill_panel(
    base: &BaseKernel,
    points: &Points,
    first: usize,
    mut arguments: MatMut<'_, f64>,
    mut values: MatMut<'_, f64>,
) {
    let (rows, n_columns) = (arguments.nrows() - first, arguments.ncols());
    products(points, first, points, first, arguments.as_mut().subrows_mut(first, rows));
    if base.family.is_stationary() {
        vectorized(
            #[inline(always)]
            || {
                for j in 0..n_columns {
                    let diagonal = first + j;
                    let arguments = &mut column_mut(&mut arguments, j)[diagonal..];
                    arguments[0] = 0.0;
                    distances_within(&mut arguments[1..], points, diagonal + 1, points, diagonal);
                }
            },
        );
    }
    // Short columns go together.
    let together = (TOGETHER / rows.max(1)).max(1);
    let (mut from, mut to) = (Vec::new(), Vec::new());
    for start in (0..n_columns).step_by(together) {
        let columns = start..n_columns.min(start + together);
        from.clear();
        columns.clone().for_each(|j| from.extend_from_slice(&column_mut(&mut arguments, j)[first + j..]));
        to.resize(from.len(), 0.0);
        base.family.values(base.shape, &from, &mut to);
        let mut rest = &to[..];
        for j in columns {
            let column = &mut column_mut(&mut values, j)[first + j..];
            let (own, others) = rest.split_at(column.len());
            column.copy_from_slice(own);
            rest = others;
        }
    }
}

/// Entries of a kernel that are computed in one go: columns of small problems are too short to fill vectors.
const TOGETHER: usize = 512;

/// `out ← σ² values`, or adds that.
pub(super) fn add_scaled(out: &mut [f64], variance: f64, values: &[f64], replace: bool) {
    vectorized(
        #[inline(always)]
        || add_scaled_within(out, variance, values, replace),
    );
}

/// The same for loops that are under [`vectorized`] already.
#[inline(always)]
fn add_scaled_within(out: &mut [f64], variance: f64, values: &[f64], replace: bool) {
    if replace {
        out.iter_mut().zip(values).for_each(|(o, v)| *o = variance * v);
    } else {
        out.iter_mut().zip(values).for_each(|(o, v)| *o += variance * v);
    }
}

/// Column `j` of a panel of one of our own matrices.
pub(super) fn column_mut<'a>(matrix: &'a mut MatMut<'_, f64>, j: usize) -> &'a mut [f64] {
    let column = matrix.as_mut().col_mut(j).try_as_col_major_mut();
    column.expect("matrices made here are column-major").as_slice_mut()
}
