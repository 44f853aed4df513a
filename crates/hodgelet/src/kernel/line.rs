//! A sum of covariances with a point, shared out to the entries of the point.
//!
//! For `f(x) = Σ_i α_i σ² k(x, x_i)` on rows that never change, the share of entry `a` is the integral of its part of the
//! gradient along the straight line from the origin (integrated gradients),
//!
//! ```text
//! A_a = x_a ∫₀¹ ∂f/∂x_a (u x) du,   Σ_a A_a = f(x) − f(0)
//! ```
//!
//! The argument of `k` is a quadratic in `u`, `D_i(u) = u²‖x‖² + ‖x_i‖² − 2u⟨x, x_i⟩`, so that two integrals for each `i`
//! give the shares of all entries: `A_a = b x_a² + x_a Σ_i w_i x_ia`. With a linear kernel `A_a` is linear in `x_a`, and
//! exact in every sense; otherwise it is one additive rule among others.

use super::{FixedRows, KernelError, RowProduct, SumKernel};
use faer::{Mat, MatRef};

/// The line is cut into this many panels of [`NODES`] Gauss–Legendre nodes each.
const PANELS: usize = 8;
const NODES: usize = 12;

/// What the shares of all entries of a point follow from; see [`SumKernel::line_shares`].
#[derive(Clone, Debug, PartialEq)]
pub struct LineShares {
    /// `f(0)` of each function, `[n_functions]`.
    pub origin: Vec<f64>,
    /// Factor of the square of an entry, `[n_functions]`.
    pub own: Vec<f64>,
    /// Factor of the product of an entry with that of each other point, `[n_points, n_functions]`.
    pub weights: Mat<f64>,
}

impl SumKernel {
    /// The shares of the entries of the single point of `point` in `Σ_i α_i σ² k(x, x_i)`, with the points `x_i` of `right`
    /// and `alpha` `[n_points, n_functions]`: entry `x_a` has `own · x_a² + x_a Σ_i weights_i x_ia`.
    ///
    /// # Errors
    ///
    /// [`KernelError`] when there is no such block, or rows are of different kinds or not compared by inner products.
    pub fn line_shares(
        &self,
        block: usize,
        point: &FixedRows,
        right: &FixedRows,
        alpha: MatRef<'_, f64>,
    ) -> Result<LineShares, KernelError> {
        let Some(kernel) = self.blocks().get(block) else {
            return Err(KernelError::Blocks { expected: self.blocks().len(), found: block + 1 });
        };
        let is_inner = |rows: &FixedRows| match rows {
            FixedRows::Sparse(rows) => rows.product() == RowProduct::Inner,
            FixedRows::Dense(_) => true,
            FixedRows::Given(_) => false,
        };
        if !is_inner(point) || !is_inner(right) || point.len() != 1 {
            return Err(KernelError::Kinds);
        }
        let base = &kernel.base;
        let scale = base.lengthscales.of_column(0).powi(-2);
        let products = point.cross(right, false)?; // [1, n]
        let norms = right.own_products();
        let norm = point.own_products()[0];
        let n = right.len();
        let stationary = base.family.is_stationary();
        let argument = |u: f64, i: usize| match stationary {
            true => scale * (u * u * norm + norms[i] - 2.0 * u * products[(0, i)]).max(0.0),
            false => scale * u * products[(0, i)],
        };
        let (mut arguments, mut values) = (vec![0.0; n], vec![0.0; n]);
        // ∫ 2u k'(D_i(u)) du and ∫ 2 k'(D_i(u)) du, or ∫ k'(u s_i) du of an inner product s_i.
        let (mut moments, mut plain) = (vec![0.0; n], vec![0.0; n]);
        for (u, weight) in nodes() {
            arguments.iter_mut().enumerate().for_each(|(i, x)| *x = argument(u, i));
            base.family.values(base.shape, &arguments, &mut values);
            let mut slopes = vec![weight; n];
            base.family.slopes(base.shape, &arguments, &values, &mut slopes);
            for i in 0..n {
                plain[i] += slopes[i];
                moments[i] += u * slopes[i];
            }
        }
        arguments.iter_mut().enumerate().for_each(|(i, x)| *x = argument(0.0, i));
        base.family.values(base.shape, &arguments, &mut values);
        let sum = |f: &dyn Fn(usize) -> f64, c: usize| (0..n).map(|i| alpha[(i, c)] * f(i)).sum::<f64>();
        let factor = kernel.variance * scale;
        let all = 0..alpha.ncols();
        let own = |c: usize| if stationary { 2.0 * factor * sum(&|i| moments[i], c) } else { 0.0 };
        let sign = if stationary { -2.0 } else { 1.0 };
        Ok(LineShares {
            origin: all.clone().map(|c| kernel.variance * sum(&|i| values[i], c)).collect(),
            own: all.map(own).collect(),
            weights: Mat::from_fn(n, alpha.ncols(), |i, c| sign * factor * alpha[(i, c)] * plain[i]),
        })
    }
}

/// Nodes from 0 to 1 with their weights.
fn nodes() -> Vec<(f64, f64)> {
    let (panels, n) = (PANELS as f64, NODES as f64);
    let mut all = Vec::with_capacity(PANELS * NODES);
    for panel in 0..PANELS {
        for k in 0..NODES {
            // A root of the Legendre polynomial of degree n, by Newton's method.
            let mut x = (std::f64::consts::PI * (k as f64 + 0.75) / (n + 0.5)).cos();
            let mut slope = 1.0;
            for _ in 0..8 {
                let (mut before, mut now) = (1.0, x);
                for j in 2..=NODES {
                    let j = j as f64;
                    (before, now) = (now, ((2.0 * j - 1.0) * x * now - (j - 1.0) * before) / j);
                }
                slope = n * (x * now - before) / (x * x - 1.0);
                x -= now / slope;
            }
            let weight = 1.0 / ((1.0 - x * x) * slope * slope);
            all.push(((panel as f64 + 0.5 + 0.5 * x) / panels, weight / panels));
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{BaseKernel, BlockKernel, Family, Lengthscales, SparseRows};
    use faer::Par;

    #[test]
    fn nodes_integrate_polynomials_exactly() {
        for power in 0..24 {
            let sum: f64 = nodes().iter().map(|(u, weight)| weight * u.powi(power)).sum();
            assert!((sum - 1.0 / (f64::from(power) + 1.0)).abs() < 1e-15, "{power}: {sum}");
        }
    }

    /// Shares and the value at the origin add up to the function, for sparse and dense rows and every family.
    #[test]
    fn shares_add_up() {
        let entries = |i: u64| (0..6u64).map(move |a| (3 * a + i % 3, 0.3 + ((7 * i + a) % 5) as f64 / 4.0));
        let sparse = |range: std::ops::Range<u64>| {
            let mut rows = SparseRows::new(RowProduct::Inner);
            range.for_each(|i| rows.push(entries(i)));
            FixedRows::Sparse(rows)
        };
        let dense = |range: std::ops::Range<u64>| {
            let (first, n) = (range.start, (range.end - range.start) as usize);
            FixedRows::Dense(Mat::from_fn(n, 6, |i, a| ((i as u64 + first) as f64 * 1.3 + a as f64).sin()))
        };
        let alpha = Mat::from_fn(9, 2, |i, c| ((i + 3 * c) as f64).cos());
        for family in ["se", "matern12", "matern32", "rq", "linear", "poly:3"] {
            let family: Family = family.parse().unwrap();
            let base = BaseKernel::new(family, Lengthscales::isotropic(1.7));
            let kernel = SumKernel::new(vec![BlockKernel::new(0.8, base)]).unwrap();
            // The last point is one of the others.
            for (point, right) in
                [(sparse(20..21), sparse(0..9)), (dense(20..21), dense(0..9)), (sparse(4..5), sparse(0..9))]
            {
                let found = kernel.line_shares(0, &point, &right, alpha.as_ref()).unwrap();
                let input =
                    |rows: &FixedRows| crate::kernel::Inputs::Fixed(std::sync::Arc::new(rows.clone()));
                let whole = kernel.cross_block(0, &input(&point), &input(&right), Par::Seq).unwrap() * &alpha;
                let products = point.cross(&right, false).unwrap();
                let norm = point.own_products()[0];
                for c in 0..2 {
                    let others: f64 = (0..9).map(|i| found.weights[(i, c)] * products[(0, i)]).sum();
                    let sum = found.origin[c] + found.own[c] * norm + others;
                    assert!((sum - whole[(0, c)]).abs() < 1e-9, "{family}: {sum} {}", whole[(0, c)]);
                }
            }
        }
    }
}
