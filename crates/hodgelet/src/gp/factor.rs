//! The Gaussian `q` of one latent function from its sites: `S = (K⁻¹ + W)⁻¹`, `m = S λ`, without `K⁻¹`.
//!
//! Sites with `w ≥ 0` go through `B = I + W^½ K W^½ = L Lᵀ`. A likelihood that is not log-concave can ask for
//! negative precisions; those enter as a correction of low rank, so `S` is exact for them too:
//! with `S₊` the covariance of the other sites, `N` the negative ones and `D = diag |w_N|`,
//!
//! ```text
//! S = S₊ + Yᵀ Y,   Y = L_N⁻¹ D^½ S₊[N, :],   I − D^½ S₊[N, N] D^½ = L_N L_Nᵀ
//! ```

use crate::linalg::cholesky::{
    CholeskyScratch, NotPositiveDefinite, factor_in_place, invert_lower, log_determinant,
    solve_lower_in_place,
};
use crate::linalg::symmetric::{add_lower_gram, add_outer, product};
use faer::{Mat, MatMut, MatRef, Par};

/// Where `w K` is below this, `S` is computed as `K − …`, elsewhere as `(1 − diag B⁻¹) / w`: each form loses
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

/// What is kept of one latent function: `(K + W⁻¹)⁻¹ = TᵀT − J Jᵀ`.
pub(super) struct Factor {
    /// `T = L⁻¹ W^½`, lower triangular, `[n, n]`; zeros above the diagonal.
    root: Mat<f64>,
    /// `J = K⁻¹ Yᵀ`, `[n, n_negative]`.
    excess: Mat<f64>,
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
        Self { root: fits.unwrap_or_else(|| Mat::zeros(n, n)), excess: Mat::zeros(n, 0) }
    }

    /// The memory, for [`Factor::reuse`].
    pub(super) fn into_root(self) -> Mat<f64> {
        self.root
    }

    /// The prior: no sites at all.
    pub(super) fn reset(&mut self, gram: MatRef<'_, f64>) -> Marginals {
        let n = gram.nrows();
        self.root.fill(0.0);
        self.excess = Mat::zeros(n, 0);
        let variance = (0..n).map(|i| gram[(i, i)]).collect();
        Marginals { mean: vec![0.0; n], variance, retained: vec![1.0; n], alpha: vec![0.0; n], log_det: 0.0 }
    }

    /// `(K + W⁻¹)⁻¹ x`, `[n, n_columns]`.
    pub(super) fn precision_times(&self, x: MatRef<'_, f64>) -> Mat<f64> {
        let mut half = Mat::zeros(x.nrows(), x.ncols());
        let mut whole = half.clone();
        product(self.root.as_ref(), x, half.as_mut(), Par::Seq);
        product(self.root.transpose(), half.as_ref(), whole.as_mut(), Par::Seq);
        if self.excess.ncols() > 0 {
            whole -= &self.excess * (self.excess.transpose() * x);
        }
        whole
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
        let roots: Vec<f64> = w.iter().map(|w| w.max(0.0).sqrt()).collect();
        let log_det = self.factor_positive(gram, &roots, scratch, par)?;
        // diag B⁻¹ = column norms of L⁻¹.
        let mut retained: Vec<f64> =
            (0..n).map(|j| (j..n).map(|i| self.root[(i, j)].powi(2)).sum()).collect();
        for (j, root) in roots.iter().enumerate() {
            (j..n).for_each(|i| self.root[(i, j)] *= root);
        }
        let mut marginals =
            Marginals { mean: vec![], variance: vec![0.0; n], retained: vec![], alpha: vec![], log_det };
        let weak: Vec<usize> = (0..n).filter(|&i| w[i] * gram[(i, i)] < WEAK_SITE).collect();
        let projected = self.projected(gram, &weak, par); // U = T K[:, weak]
        for i in 0..n {
            if w[i] > 0.0 {
                marginals.variance[i] = ((1.0 - retained[i]) / w[i]).max(0.0);
            }
        }
        for (k, &i) in weak.iter().enumerate() {
            let column: f64 = projected.col(k).iter().map(|u| u * u).sum();
            marginals.variance[i] = (gram[(i, i)] - column).max(0.0);
            retained[i] = 1.0 - w[i] * marginals.variance[i];
        }
        let negative: Vec<usize> = (0..weak.len()).filter(|&k| w[weak[k]] < 0.0).collect();
        let raised = self.correct(gram, w, &weak, &negative, &projected, &mut marginals, par)?;
        for (k, &i) in weak.iter().enumerate() {
            if negative.binary_search(&k).is_ok() {
                retained[i] = 1.0 - w[i] * marginals.variance[i];
            }
        }
        self.solve(gram, lambda, raised.as_ref(), &mut marginals, par);
        if let Some(raised) = &raised {
            for i in (0..n).filter(|&i| w[i] >= 0.0) {
                retained[i] -= w[i] * raised.col(i).iter().map(|y| y * y).sum::<f64>();
            }
        }
        marginals.retained = retained;
        Ok(marginals)
    }

    /// `L⁻¹` of `B = I + W₊^½ K W₊^½` into `root`; returns `log |B|`.
    fn factor_positive(
        &mut self,
        gram: MatRef<'_, f64>,
        roots: &[f64],
        scratch: &mut FactorScratch,
        par: Par,
    ) -> Result<f64, NotPositiveDefinite> {
        let n = roots.len();
        if scratch.factor.shape() != (n, n) {
            scratch.factor = Mat::zeros(n, n);
        }
        let b = &mut scratch.factor;
        for j in 0..n {
            for i in j..n {
                b[(i, j)] = roots[i] * gram[(i, j)] * roots[j];
            }
            b[(j, j)] += 1.0;
        }
        factor_in_place(b.as_mut(), &mut scratch.cholesky, par)?;
        invert_lower(b.as_ref(), self.root.as_mut(), par);
        Ok(log_determinant(b.as_ref()))
    }

    /// `T K[:, columns]`, `[n, n_columns]`.
    fn projected(&self, gram: MatRef<'_, f64>, columns: &[usize], par: Par) -> Mat<f64> {
        let n = gram.nrows();
        let selected = Mat::from_fn(n, columns.len(), |i, k| gram[(i, columns[k])]);
        let mut out = Mat::zeros(n, columns.len());
        product(self.root.as_ref(), selected.as_ref(), out.as_mut(), par);
        out
    }

    /// Adds the negative sites; returns `Y`, `[n_negative, n]`.
    #[allow(clippy::too_many_arguments)]
    fn correct(
        &mut self,
        gram: MatRef<'_, f64>,
        w: &[f64],
        weak: &[usize],
        negative: &[usize],
        projected: &Mat<f64>,
        marginals: &mut Marginals,
        par: Par,
    ) -> Result<Option<Mat<f64>>, NotPositiveDefinite> {
        let (n, count) = (w.len(), negative.len());
        self.excess = Mat::zeros(n, count);
        if count == 0 {
            return Ok(None);
        }
        let point: Vec<usize> = negative.iter().map(|&k| weak[k]).collect();
        let u = Mat::from_fn(n, count, |i, k| projected[(i, negative[k])]);
        // K⁻¹ S₊[:, N] = E_N − Tᵀ U, and S₊[:, N] = K times it.
        let mut dual = Mat::zeros(n, count);
        product(self.root.transpose(), u.as_ref(), dual.as_mut(), par);
        for k in 0..count {
            for i in 0..n {
                let unit = if i == point[k] { 1.0 } else { 0.0 };
                dual[(i, k)] = (unit - dual[(i, k)]) * (-w[point[k]]).sqrt();
            }
        }
        let mut covariance = Mat::zeros(n, count);
        product(gram, dual.as_ref(), covariance.as_mut(), par);
        let scale = |k: usize| (-w[point[k]]).sqrt();
        let mut small = Mat::from_fn(count, count, |a, b| {
            (if a == b { 1.0 } else { 0.0 }) - scale(a) * covariance[(point[a], b)]
        });
        factor_in_place(small.as_mut(), &mut CholeskyScratch::default(), par)
            .map_err(|error| NotPositiveDefinite { pivot: point[error.pivot] })?;
        marginals.log_det += log_determinant(small.as_ref());
        let mut raised = covariance.transpose().to_owned();
        solve_lower_in_place(small.as_ref(), raised.as_mut(), par);
        let mut excess = dual.transpose().to_owned();
        solve_lower_in_place(small.as_ref(), excess.as_mut(), par);
        self.excess = excess.transpose().to_owned();
        for i in 0..n {
            marginals.variance[i] += raised.col(i).iter().map(|y| y * y).sum::<f64>();
        }
        Ok(Some(raised))
    }

    /// `α = K⁻¹ S λ` and `m = K α`.
    fn solve(
        &self,
        gram: MatRef<'_, f64>,
        lambda: &[f64],
        raised: Option<&Mat<f64>>,
        marginals: &mut Marginals,
        par: Par,
    ) {
        let n = lambda.len();
        let lambda = MatRef::from_column_major_slice(lambda, n, 1);
        let mut prior = Mat::zeros(n, 1);
        product(gram, lambda, prior.as_mut(), par);
        let mut alpha = lambda.to_owned();
        let (mut half, mut whole) = (Mat::zeros(n, 1), Mat::zeros(n, 1));
        product(self.root.as_ref(), prior.as_ref(), half.as_mut(), par);
        product(self.root.transpose(), half.as_ref(), whole.as_mut(), par);
        alpha -= &whole;
        if let Some(raised) = raised {
            alpha += &self.excess * (raised * lambda);
        }
        let mut mean = Mat::zeros(n, 1);
        product(gram, alpha.as_ref(), mean.as_mut(), par);
        marginals.mean = mean.col(0).iter().copied().collect();
        marginals.alpha = alpha.col(0).iter().copied().collect();
    }

    /// Adds `scale · (K + W⁻¹)⁻¹` to the lower triangle of `out`.
    pub(super) fn add_precision(&self, scale: f64, mut out: MatMut<'_, f64>, par: Par) {
        add_lower_gram(self.root.as_ref(), scale, out.as_mut(), par);
        if self.excess.ncols() > 0 {
            add_outer(self.excess.as_ref(), -scale, out, par);
        }
    }

    /// `k*ᵀ (K + W⁻¹)⁻¹ k*` for every row `k*` of `cross`.
    pub(super) fn explained(&self, cross: MatRef<'_, f64>, par: Par) -> Vec<f64> {
        let norms = |matrix: MatRef<'_, f64>| -> Vec<f64> {
            let mut out = Mat::zeros(matrix.nrows(), cross.nrows());
            product(matrix, cross.transpose(), out.as_mut(), par);
            (0..cross.nrows()).map(|k| out.col(k).iter().map(|x| x * x).sum()).collect()
        };
        let mut explained = norms(self.root.as_ref());
        if self.excess.ncols() > 0 {
            let excess = norms(self.excess.transpose());
            explained.iter_mut().zip(excess).for_each(|(total, extra)| *total -= extra);
        }
        explained
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
