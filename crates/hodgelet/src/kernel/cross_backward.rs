//! Derivatives of a function of covariances between two sets of points, and of prior variances, by reverse mode.
//!
//! Let `G = ∂f/∂K`, `[n_left, n_right]`, and `H = G · ∂K/∂D` (distances) or `G · ∂K/∂S` (inner products). With scaled points
//! `X` and `Z`,
//!
//! ```text
//! ∂f/∂X = 2 (diag(H1) X − H Z)   (distances)        ∂f/∂X = H Z   (inner products)
//! ```
//!
//! and the same with `Hᵀ` for `Z`.

use super::cross::check_pair;
use super::points::{Points, center, distances, products};
use super::sum::all_finite;
use super::{BlockKernel, Input, KernelError, SumKernel};
use crate::linalg::clear_upper_registers;
use crate::linalg::simd::dot;
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par};

/// Derivatives of a function of covariances between two sets of points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CrossGradient {
    /// In the logarithms of the hyperparameters, in the order of [`SumKernel::params`].
    pub params: Vec<f64>,
    /// In the features of the first set, for each block, `[n_left, n_columns]`; empty where not wanted.
    pub left: Vec<Mat<f64>>,
    /// In the features of the second set.
    pub right: Vec<Mat<f64>>,
}

impl SumKernel {
    /// Derivatives of a function of [`cross`](Self::cross) and of the prior variances ([`diagonal`](Self::diagonal)) of the
    /// first set, from its derivatives in them; in the features of the blocks that are wanted.
    ///
    /// # Errors
    ///
    /// [`KernelError`] when shapes do not fit, or a derivative is not finite.
    pub fn cross_backward<'a, I>(
        &self,
        left: &[I],
        right: &[I],
        sensitivities: MatRef<'_, f64>,
        diagonal: &[f64],
        wanted: impl Fn(usize) -> bool,
    ) -> Result<CrossGradient, KernelError>
    where
        I: Into<Input<'a>> + Copy,
    {
        let (left, right) = check_pair(self, left, right)?;
        let (n, m) = (left[0].nrows(), right[0].nrows());
        let (rows, cols) = sensitivities.shape();
        if (rows, cols) != (n, m) || diagonal.len() != n {
            return Err(KernelError::Sensitivities { rows, cols, n });
        }
        let mut out = CrossGradient::default();
        for (b, block) in self.blocks().iter().enumerate() {
            let side = Sides::new(block, b, left[b], right[b])?;
            side.gradient(sensitivities, diagonal, wanted(b), &mut out);
        }
        if let Some(constant) = self.constant() {
            let sum = |j: usize| sensitivities.col(j).iter().sum::<f64>();
            let total = (0..m).map(sum).sum::<f64>() + diagonal.iter().sum::<f64>();
            out.params.push(constant * total);
        }
        all_finite(&out.params, "gradient of the kernel parameters")?;
        for z in out.left.iter().chain(&out.right) {
            all_finite((0..z.ncols()).flat_map(|c| z.col_as_slice(c)), "gradient of the features")?;
        }
        Ok(out)
    }
}

/// One block of both sets.
struct Sides<'a> {
    block: &'a BlockKernel,
    /// Squared distances or inner products, `[n_left, n_right]`.
    arguments: Mat<f64>,
    /// Inner products of the first set with itself, unless distances are what counts.
    norms: Vec<f64>,
    /// The points themselves, where they are columns.
    points: Option<[Points; 2]>,
}

impl<'a> Sides<'a> {
    fn new(
        block: &'a BlockKernel,
        index: usize,
        left: Input<'_>,
        right: Input<'_>,
    ) -> Result<Self, KernelError> {
        let is_stationary = block.base.family.is_stationary();
        let (left, right) = match (left, right) {
            (Input::Columns(left), Input::Columns(right)) => (left, right),
            (Input::Fixed(left, _), Input::Fixed(right, _)) => {
                let scale = block.base.lengthscales.of_column(0).powi(-2);
                let arguments = faer::Scale(scale) * left.cross(right, is_stationary)?;
                let norms = left.own_products().into_iter().map(|norm| scale * norm).collect();
                return Ok(Self { block, arguments, norms, points: None });
            }
            _ => return Err(KernelError::Kinds),
        };
        let center = center(right);
        let (mut l, mut r) = (Points::default(), Points::default());
        l.fill(&block.base, index, left, &center)?;
        r.fill(&block.base, index, right, &center)?;
        let mut arguments = Mat::zeros(left.nrows(), right.nrows());
        products(&l, 0, &r, 0, arguments.as_mut());
        for j in (0..right.nrows()).filter(|_| is_stationary) {
            distances(arguments.col_as_slice_mut(j), &l, 0, &r, j);
        }
        let norms = (0..l.len()).map(|i| l.squared_norm(i)).collect();
        Ok(Self { block, arguments, norms, points: Some([l, r]) })
    }

    fn gradient(&self, g: MatRef<'_, f64>, diagonal: &[f64], wanted: bool, out: &mut CrossGradient) {
        let (base, variance) = (&self.block.base, self.block.variance);
        let (n, m) = g.shape();
        let is_stationary = base.family.is_stationary();
        let mut slopes = Mat::zeros(n, m);
        let (mut by_variance, mut by_argument, mut by_shape) = (0.0, 0.0, 0.0);
        let mut values = vec![0.0; n];
        for j in 0..m {
            let (column, arguments) = (slopes.col_as_slice_mut(j), self.arguments.col_as_slice(j));
            base.family.values(base.shape, arguments, &mut values);
            column.iter_mut().zip(g.col(j).iter()).for_each(|(weight, g)| *weight = variance * g);
            by_variance += dot(column, &values);
            by_shape += base.family.slopes(base.shape, arguments, &values, column);
            by_argument += dot(column, arguments);
        }
        // A point with itself: its distance is constant, its inner product its squared norm.
        let mut own = vec![0.0; n];
        for (i, d) in diagonal.iter().enumerate() {
            if is_stationary {
                by_variance += variance * d;
                continue;
            }
            let (argument, mut value) = ([self.norms[i]], [0.0]);
            base.family.values(base.shape, &argument, &mut value);
            own[i] = variance * d;
            by_variance += own[i] * value[0];
            by_shape += base.family.slopes(base.shape, &argument, &value, &mut own[i..=i]);
            by_argument += own[i] * argument[0];
        }
        out.params.push(by_variance);
        let scales_at = out.params.len();
        let n_scales = base.lengthscales.values.len();
        out.params.resize(scales_at + n_scales, 0.0);
        if n_scales == 1 {
            out.params[scales_at] = -2.0 * by_argument;
        }
        let (mut left, mut right) = (Mat::new(), Mat::new());
        let points = self.points.as_ref().filter(|_| wanted || n_scales > 1);
        if let Some([l, r]) = points {
            left = pulled_back(l, r, slopes.as_ref(), is_stationary);
            right = pulled_back(r, l, slopes.transpose(), is_stationary);
            for (i, own) in own.iter().enumerate().filter(|_| !is_stationary) {
                let point = l.point(i).iter();
                left.col_as_slice_mut(i).iter_mut().zip(point).for_each(|(out, x)| *out += 2.0 * own * x);
            }
        }
        if let Some([l, r]) = points.filter(|_| n_scales > 1) {
            for (gradient, points) in [(&left, l), (&right, r)] {
                for i in 0..points.len() {
                    for (c, (g, x)) in gradient.col_as_slice(i).iter().zip(points.point(i)).enumerate() {
                        if let Some(k) = base.lengthscales.index(c) {
                            out.params[scales_at + k] -= g * x;
                        }
                    }
                }
            }
        }
        if base.family.shape_name().is_some() {
            out.params.push(by_shape);
        }
        // From scaled points to features.
        let unscaled = |gradient: Mat<f64>| match wanted {
            true => Mat::from_fn(gradient.ncols(), gradient.nrows(), |i, c| {
                gradient[(c, i)] / base.lengthscales.of_column(c)
            }),
            false => Mat::new(),
        };
        out.left.push(unscaled(left));
        out.right.push(unscaled(right));
    }
}

/// The derivative in the scaled points, `[n_columns, n]`, from `slopes`, `[n, n_others]`.
fn pulled_back(points: &Points, others: &Points, slopes: MatRef<'_, f64>, is_stationary: bool) -> Mat<f64> {
    let n_columns = points.n_columns();
    let mut out = Mat::zeros(n_columns + 1, points.len());
    // The last row are the sums of slopes.
    matmul(out.as_mut(), Accum::Replace, others.with_ones(), slopes.transpose(), 1.0, Par::Seq);
    clear_upper_registers();
    if is_stationary {
        for i in 0..points.len() {
            let (column, sum) = out.col_as_slice_mut(i).split_at_mut(n_columns);
            let point = points.point(i).iter();
            column.iter_mut().zip(point).for_each(|(out, x)| *out = 2.0 * (sum[0] * x - *out));
        }
    }
    out.as_ref().subrows(0, n_columns).to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::{BaseKernel, Family, Lengthscales};
    use super::*;

    fn inputs(n: usize, seed: usize) -> Vec<Mat<f64>> {
        let block = |b: usize| Mat::from_fn(n, 3, |i, j| ((5 * i + 3 * j + 7 * b + 11 * seed) as f64).sin());
        (0..2).map(block).collect()
    }

    fn views(inputs: &[Mat<f64>]) -> Vec<MatRef<'_, f64>> {
        inputs.iter().map(Mat::as_ref).collect()
    }

    /// Every derivative against differences, for every family, with one lengthscale and with several.
    #[test]
    fn derivatives_equal_central_differences() {
        let (n, m, h) = (5, 4, 1e-5);
        let g = Mat::from_fn(n, m, |i, j| ((i * 3 + j) as f64).cos());
        let d: Vec<f64> = (0..n).map(|i| (i as f64 + 0.5).sin()).collect();
        let families =
            [Family::SquaredExponential, Family::Matern32, Family::RationalQuadratic, Family::Linear];
        for family in families.into_iter().chain([Family::Polynomial { degree: 2 }]) {
            let first = BaseKernel::new(family, Lengthscales::isotropic(1.3));
            let second = BaseKernel::new(Family::SquaredExponential, Lengthscales::ard(vec![0.8, 1.1, 1.9]));
            let blocks = vec![BlockKernel::new(0.7, first), BlockKernel::new(1.4, second)];
            let kernel = SumKernel::new(blocks).unwrap().with_constant(0.3).unwrap();
            let (left, right) = (inputs(n, 1), inputs(m, 2));
            let value = |kernel: &SumKernel, left: &[Mat<f64>], right: &[Mat<f64>]| {
                let cross = kernel.cross(&views(left), &views(right), Par::Seq).unwrap();
                let own = kernel.diagonal(&views(left)).unwrap();
                let pairs = (0..m).map(|j| (0..n).map(|i| g[(i, j)] * cross[(i, j)]).sum::<f64>());
                pairs.sum::<f64>() + own.iter().zip(&d).map(|(k, d)| k * d).sum::<f64>()
            };
            let found =
                kernel.cross_backward(&views(&left), &views(&right), g.as_ref(), &d, |_| true).unwrap();
            let close = |found: f64, expected: f64, what: &str| {
                let error = (found - expected).abs();
                assert!(error < 1e-7 * (1.0 + expected.abs()), "{family:?}, {what}: {found} but {expected}");
            };
            assert_eq!(found.params.len(), kernel.n_params());
            for (p, &slope) in found.params.iter().enumerate() {
                let at = |by: f64| {
                    let (mut moved, mut params) = (kernel.clone(), kernel.params());
                    params[p] += by;
                    moved.set_params(&params).unwrap();
                    value(&moved, &left, &right)
                };
                close(slope, (at(h) - at(-h)) / (2.0 * h), &kernel.param_names()[p]);
            }
            for b in 0..2 {
                for c in 0..3 {
                    let at = |by: f64| {
                        let mut moved = left.clone();
                        moved[b][(2, c)] += by;
                        value(&kernel, &moved, &right)
                    };
                    close(found.left[b][(2, c)], (at(h) - at(-h)) / (2.0 * h), "first set");
                    let at = |by: f64| {
                        let mut moved = right.clone();
                        moved[b][(1, c)] += by;
                        value(&kernel, &left, &moved)
                    };
                    close(found.right[b][(1, c)], (at(h) - at(-h)) / (2.0 * h), "second set");
                }
            }
        }
    }
}
