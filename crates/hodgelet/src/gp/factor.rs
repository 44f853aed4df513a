//! The Gaussian `q` of one latent function from its sites: `S = (K⁻¹ + W)⁻¹`, `m = S λ`, without `K⁻¹`.
//!
//! With `R = |W|^½` and the signs `Σ` of the sites, `(K + W⁻¹)⁻¹ = R B⁻¹ R` for `B = Σ + R K R`. A likelihood that is
//! not log-concave can give negative precisions. Points with `w ≥ 0` are put first: their block of `B` is the
//! identity plus a covariance, and the Schur complement of the other block is negative definite exactly when
//! `q` is proper. So two Cholesky factors and one solve give
//!
//! ```text
//! B = L Σ Lᵀ,   (K + W⁻¹)⁻¹ = Tᵀ Σ T,   T = L⁻¹ R
//! ```
//!
//! at the cost of one factor, and without negative sites it is the usual `B = I + W^½ K W^½ = L Lᵀ`.

use crate::linalg::cholesky::{
    CholeskyScratch, NotPositiveDefinite, factor_in_place, invert_lower, log_determinant,
    solve_lower_in_place,
};
use crate::linalg::simd::{dot, vectorized};
use crate::linalg::symmetric::{add_lower_gram, add_outer, product};
use faer::{Mat, MatMut, MatRef, Par};

/// Where `|w| K` is below this, `S` is computed as `K − …`, elsewhere as `(Σ − diag B⁻¹) / |w|`: each form loses
/// digits where the other keeps them.
const WEAK_SITE: f64 = 1e-3;

/// Memory of one worker.
pub(super) struct FactorScratch {
    factor: Mat<f64>, // [n, n]
    cholesky: CholeskyScratch,
}

impl Default for FactorScratch {
    fn default() -> Self {
        Self { factor: Mat::new(), cholesky: CholeskyScratch::default() }
    }
}

/// What is kept of one latent function: `(K + W⁻¹)⁻¹ = Tᵀ Σ T`.
pub(super) struct Factor {
    /// `T`, lower triangular, `[n, n]`; zeros above the diagonal. That of a sparse posterior is two of them, one below the
    /// other.
    root: Mat<f64>,
    /// Which point each row and column of `T` belongs to: those with `w ≥ 0`, then the others.
    order: Vec<usize>,
    /// Number of points with `w ≥ 0`: the rows of `T` that count positive.
    n_positive: usize,
}

/// Marginals and dual parameters of one latent function.
pub(super) struct Marginals {
    pub(super) mean: Vec<f64>,
    pub(super) variance: Vec<f64>,
    /// `1 − w_i S_ii`, the share of the precision at `i` that comes from elsewhere.
    pub(super) retained: Vec<f64>,
    pub(super) alpha: Vec<f64>,
    pub(super) log_det: f64,
}

impl Factor {
    /// A factor that uses the memory of `root`, if its size fits.
    pub(super) fn reuse(root: Option<Mat<f64>>, n: usize) -> Self {
        let fits = root.filter(|root| root.shape() == (n, n));
        let root = fits.unwrap_or_else(|| Mat::zeros(n, n));
        Self { root, order: (0..n).collect(), n_positive: n }
    }

    /// `TᵀΣT` for a `T` of `n_positive` rows that count positive and others that count negative, `[n_rows, n]`.
    pub(super) fn difference(root: Mat<f64>, n_positive: usize) -> Self {
        let order = (0..root.ncols()).collect();
        Self { root, order, n_positive }
    }

    /// The memory, for [`Factor::reuse`].
    pub(super) fn into_root(self) -> Mat<f64> {
        self.root
    }

    /// The prior: no sites at all.
    pub(super) fn reset(&mut self, gram: MatRef<'_, f64>) -> Marginals {
        let n = gram.nrows();
        self.root.fill(0.0);
        (self.order, self.n_positive) = ((0..n).collect(), n);
        let variance = (0..n).map(|i| gram[(i, i)]).collect();
        Marginals { mean: vec![0.0; n], variance, retained: vec![1.0; n], alpha: vec![0.0; n], log_det: 0.0 }
    }

    /// `(K + W⁻¹)⁻¹ x`, `[n, n_columns]`.
    pub(super) fn precision_times(&self, x: MatRef<'_, f64>) -> Mat<f64> {
        let ordered = Mat::from_fn(x.nrows(), x.ncols(), |a, k| x[(self.order[a], k)]);
        // A difference of two factors has their rows one after the other.
        let mut half = Mat::zeros(self.root.nrows(), x.ncols());
        let mut whole = Mat::zeros(x.nrows(), x.ncols());
        product(self.root.as_ref(), ordered.as_ref(), half.as_mut(), Par::Seq);
        for k in 0..x.ncols() {
            half.col_as_slice_mut(k)[self.n_positive..].iter_mut().for_each(|h| *h = -*h);
        }
        product(self.root.transpose(), half.as_ref(), whole.as_mut(), Par::Seq);
        let mut out = ordered;
        for (a, &i) in self.order.iter().enumerate() {
            (0..x.ncols()).for_each(|k| out[(i, k)] = whole[(a, k)]);
        }
        out
    }

    /// Factors and computes the marginals for site precisions `w` and shifts `lambda`; `gram` is full.
    ///
    /// # Errors
    ///
    /// [`NotPositiveDefinite`] when `K⁻¹ + W` is not, up to rounding.
    pub(super) fn update(
        &mut self,
        gram: MatRef<'_, f64>,
        w: &[f64],
        lambda: &[f64],
        scratch: &mut FactorScratch,
        par: Par,
    ) -> Result<Marginals, NotPositiveDefinite> {
        let n = w.len();
        self.order = (0..n).filter(|&i| w[i] >= 0.0).collect();
        self.n_positive = self.order.len();
        self.order.extend((0..n).filter(|&i| w[i] < 0.0));
        let roots: Vec<f64> = self.order.iter().map(|&i| w[i].abs().sqrt()).collect();
        let log_det = self.factor(gram, &roots, scratch, par)?;

        let (mut variance, mut retained) = (vec![0.0; n], vec![0.0; n]);
        for (a, &i) in self.order.iter().enumerate() {
            let column = &mut self.root.col_as_slice_mut(a)[a..];
            let split = self.n_positive.saturating_sub(a);
            // diag B⁻¹ = signed column norms of L⁻¹.
            let norm = dot(&column[..split], &column[..split]) - dot(&column[split..], &column[split..]);
            let sign = if a < self.n_positive { 1.0 } else { -1.0 };
            retained[i] = sign * norm;
            variance[i] = ((sign - norm) / w[i].abs()).max(0.0);
            column.iter_mut().for_each(|t| *t *= roots[a]);
        }
        let weak: Vec<usize> = (0..n).filter(|&i| w[i].abs() * gram[(i, i)] < WEAK_SITE).collect();
        let projected = self.projected(gram, &weak, par);
        for (k, &i) in weak.iter().enumerate() {
            variance[i] = (gram[(i, i)] - self.signed_square(projected.col_as_slice(k))).max(0.0);
            retained[i] = 1.0 - w[i] * variance[i];
        }
        let (mean, alpha) = self.solve(gram, lambda, par);
        Ok(Marginals { mean, variance, retained, alpha, log_det })
    }

    /// `L⁻¹` of `B = Σ + R K R = L Σ Lᵀ` into `root`; returns `log |I + K W|`.
    fn factor(
        &mut self,
        gram: MatRef<'_, f64>,
        roots: &[f64],
        scratch: &mut FactorScratch,
        par: Par,
    ) -> Result<f64, NotPositiveDefinite> {
        let (n, p) = (roots.len(), self.n_positive);
        if scratch.factor.shape() != (n, n) {
            scratch.factor = Mat::zeros(n, n);
        }
        let b = &mut scratch.factor;
        self.fill(gram, roots, b);
        let named =
            |rows: &[usize], error: NotPositiveDefinite| NotPositiveDefinite { pivot: rows[error.pivot] };
        let (first, _, mixed, second) = b.as_mut().split_at_mut(p, p);
        let (mut first, mut mixed, mut second) = (first, mixed, second);
        factor_in_place(first.as_mut(), &mut scratch.cholesky, par)
            .map_err(|error| named(&self.order[..p], error))?;
        if p < n {
            // `second` holds I − A; what is left of −B there is I − A + X Xᵀ.
            solve_lower_in_place(first.as_ref(), mixed.as_mut().transpose_mut(), par);
            add_outer(mixed.as_ref(), 1.0, second.as_mut(), par);
            factor_in_place(second.as_mut(), &mut scratch.cholesky, par)
                .map_err(|error| named(&self.order[p..], error))?;
        }
        invert_lower(b.as_ref(), self.root.as_mut(), par);
        Ok(log_determinant(b.as_ref()))
    }

    /// The lower triangle of `R K R`, plus the identity for the points with `w ≥ 0`, and the identity minus it for
    /// the others.
    fn fill(&self, gram: MatRef<'_, f64>, roots: &[f64], b: &mut Mat<f64>) {
        if self.n_positive == roots.len() && gram.try_as_col_major().is_some() {
            return fill_in_order(gram, roots, b);
        }
        for (a, &j) in self.order.iter().enumerate() {
            let column = b.col_as_slice_mut(a);
            let sign = if a < self.n_positive { 1.0 } else { -1.0 };
            let scale = sign * roots[a];
            for (k, &i) in self.order.iter().enumerate().skip(a) {
                column[k] = scale * roots[k] * gram[(i, j)];
            }
            column[a] += 1.0;
        }
    }

    /// `T K[:, columns]`, `[n, n_columns]`.
    fn projected(&self, gram: MatRef<'_, f64>, columns: &[usize], par: Par) -> Mat<f64> {
        let n = gram.nrows();
        let selected = Mat::from_fn(n, columns.len(), |a, k| gram[(self.order[a], columns[k])]);
        let mut out = Mat::zeros(n, columns.len());
        if !columns.is_empty() {
            product(self.root.as_ref(), selected.as_ref(), out.as_mut(), par);
        }
        out
    }

    /// `uᵀ Σ u`.
    fn signed_square(&self, u: &[f64]) -> f64 {
        let (positive, negative) = u.split_at(self.n_positive);
        dot(positive, positive) - dot(negative, negative)
    }

    /// `m = K α` and `α = K⁻¹ S λ`.
    fn solve(&self, gram: MatRef<'_, f64>, lambda: &[f64], par: Par) -> (Vec<f64>, Vec<f64>) {
        let n = lambda.len();
        let lambda = MatRef::from_column_major_slice(lambda, n, 1);
        let mut mean = Mat::zeros(n, 1);
        product(gram, lambda, mean.as_mut(), par);
        let alpha = lambda - self.precision_times(mean.as_ref());
        product(gram, alpha.as_ref(), mean.as_mut(), par);
        (mean.col_as_slice(0).to_vec(), alpha.col_as_slice(0).to_vec())
    }

    /// Adds `scale · (K + W⁻¹)⁻¹` to the lower triangle of `out`.
    pub(super) fn add_precision(&self, scale: f64, mut out: MatMut<'_, f64>, par: Par) {
        let (n, p) = (self.root.nrows(), self.n_positive);
        if p == n {
            return add_lower_gram(self.root.as_ref(), scale, out, par);
        }
        let mut ordered = Mat::zeros(n, n);
        let (positive, negative) = self.root.as_ref().split_at_row(p);
        add_lower_gram(positive.subcols(0, p), scale, ordered.as_mut().submatrix_mut(0, 0, p, p), par);
        add_outer(negative.transpose(), -scale, ordered.as_mut(), par);
        for (a, &j) in self.order.iter().enumerate() {
            for (&value, &i) in ordered.col_as_slice(a).iter().zip(&self.order).skip(a) {
                out[(i.max(j), i.min(j))] += value;
            }
        }
    }

    /// `k*ᵀ (K + W⁻¹)⁻¹ k*` for every row `k*` of `cross`.
    pub(super) fn explained(&self, cross: MatRef<'_, f64>, par: Par) -> Vec<f64> {
        let columns = Mat::from_fn(self.order.len(), cross.nrows(), |a, k| cross[(k, self.order[a])]);
        let mut out = Mat::zeros(self.root.nrows(), cross.nrows());
        product(self.root.as_ref(), columns.as_ref(), out.as_mut(), par);
        (0..cross.nrows()).map(|k| self.signed_square(out.col_as_slice(k))).collect()
    }
}

/// The lower triangle of `I + R K R`.
fn fill_in_order(gram: MatRef<'_, f64>, roots: &[f64], b: &mut Mat<f64>) {
    for (j, &scale) in roots.iter().enumerate() {
        let Some(column) = gram.col(j).try_as_col_major() else { unreachable!("the caller checked it") };
        let (column, out) = (&column.as_slice()[j..], &mut b.col_as_slice_mut(j)[j..]);
        vectorized(
            #[inline(always)]
            || {
                for ((out, root), k) in out.iter_mut().zip(&roots[j..]).zip(column) {
                    *out = scale * root * k;
                }
            },
        );
        out[0] += 1.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use faer::linalg::solvers::DenseSolveCore;

    /// Marginals, dual parameters and precision against dense inverses, with and without negative sites.
    #[test]
    fn everything_agrees_with_dense_inverses() {
        let n = 9;
        let gram = Mat::from_fn(n, n, |i, j| {
            let d = i as f64 - j as f64;
            1.3 * (-0.3 * d * d).exp() + if i == j { 0.2 } else { 0.0 }
        });
        let lambda: Vec<f64> = (0..n).map(|i| (i as f64).sin()).collect();
        let positive: Vec<f64> = (0..n).map(|i| 0.2 + i as f64).collect();
        let mut mixed = positive.clone();
        (mixed[2], mixed[5], mixed[0], mixed[7]) = (-0.2, -0.35, 0.0, 1e-7);
        for w in [positive, mixed] {
            let mut factor = Factor::reuse(None, n);
            let mut scratch = FactorScratch::default();
            let found = factor.update(gram.as_ref(), &w, &lambda, &mut scratch, Par::Seq).unwrap();
            let inverse = gram.partial_piv_lu().inverse();
            let sites = Mat::from_fn(n, n, |i, j| if i == j { w[i] } else { 0.0 });
            let covariance = (&inverse + &sites).partial_piv_lu().inverse();
            let mean = &covariance * Mat::from_fn(n, 1, |i, _| lambda[i]);
            let alpha = &inverse * &mean;
            let log_det = (Mat::<f64>::identity(n, n) + &gram * &sites).determinant().ln();
            assert!((found.log_det - log_det).abs() < 1e-12);
            for i in 0..n {
                assert!((found.variance[i] - covariance[(i, i)]).abs() < 1e-12);
                assert!((found.mean[i] - mean[(i, 0)]).abs() < 1e-12);
                assert!((found.alpha[i] - alpha[(i, 0)]).abs() < 1e-12);
                assert!((found.retained[i] - (1.0 - w[i] * covariance[(i, i)])).abs() < 1e-12);
            }
            let expected = &inverse - &inverse * &covariance * &inverse;
            let mut precision = Mat::zeros(n, n);
            factor.add_precision(1.0, precision.as_mut(), Par::Seq);
            assert!((0..n).all(|j| (j..n).all(|i| (precision[(i, j)] - expected[(i, j)]).abs() < 1e-11)));
            let cross = Mat::from_fn(3, n, |k, j| gram[(k, j)] * 0.7);
            let explained = factor.explained(cross.as_ref(), Par::Seq);
            for (k, explained) in explained.iter().enumerate() {
                let expected = (cross.row(k) * &expected * cross.row(k).transpose()).to_owned();
                assert!((explained - expected).abs() < 1e-11);
            }
        }
    }

    #[test]
    fn sites_that_leave_no_gaussian_are_refused() {
        let gram = Mat::<f64>::identity(3, 3);
        let found = Factor::reuse(None, 3).update(
            gram.as_ref(),
            &[1.0, -1.5, 1.0],
            &[0.0; 3],
            &mut FactorScratch::default(),
            Par::Seq,
        );
        assert_eq!(found.err(), Some(NotPositiveDefinite { pivot: 1 }));
    }
}
