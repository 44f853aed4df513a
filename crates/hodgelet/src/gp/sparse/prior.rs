//! The prior of the inducing values, and covariances whitened by it.

use crate::gp::error::GpError;
use crate::linalg::cholesky::{CholeskyScratch, factor_in_place, invert_lower, solve_lower_in_place};
use crate::linalg::symmetric::{product, product_lower};
use faer::{Mat, MatRef, Par};

/// What is added to the diagonal of `K_mm`, relative to its mean: at first, and at most, each time a hundredfold.
const JITTER: f64 = 1e-10;
const MOST_JITTER: f64 = 1e-4;

/// The factor `K_mm + jitter = L Lᵀ`.
#[derive(Clone, Debug)]
pub struct InducingPrior {
    factor: Mat<f64>, // [M, M], zeros above the diagonal
    jitter: f64,
}

impl InducingPrior {
    /// The prior with the Gram matrix `gram` of the inducing points (lower triangle).
    ///
    /// # Errors
    ///
    /// [`GpError::Gram`] for a number that is not finite, [`GpError::NotPositiveDefinite`] when no jitter helps.
    pub fn new(gram: MatRef<'_, f64>, par: Par) -> Result<Self, GpError> {
        let m = gram.nrows();
        if m == 0 || gram.ncols() != m {
            return Err(GpError::Shape { rows: m, columns: gram.ncols(), expected: m.max(1) });
        }
        for column in 0..m {
            if let Some(row) = (column..m).find(|&row| !gram[(row, column)].is_finite()) {
                return Err(GpError::Gram { row, column, value: gram[(row, column)] });
            }
        }
        let mean = (0..m).map(|i| gram[(i, i)]).sum::<f64>() / m as f64;
        let (mut share, mut scratch) = (JITTER, CholeskyScratch::default());
        loop {
            let jitter = share * mean;
            let mut factor = Mat::from_fn(m, m, |i, j| if i >= j { gram[(i, j)] } else { 0.0 });
            (0..m).for_each(|i| factor[(i, i)] += jitter);
            match factor_in_place(factor.as_mut(), &mut scratch, par) {
                Ok(()) => {
                    // The factorization leaves something above the diagonal.
                    (1..m).for_each(|j| factor.col_as_slice_mut(j)[..j].fill(0.0));
                    return Ok(Self { factor, jitter });
                }
                Err(error) if share >= MOST_JITTER => return Err(error.into()),
                Err(_) => share *= 100.0,
            }
        }
    }

    /// Number of inducing points.
    #[must_use]
    pub fn len(&self) -> usize {
        self.factor.nrows()
    }

    /// Whether there is no inducing point; never for a value that was made.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What was added to the diagonal.
    #[must_use]
    pub fn jitter(&self) -> f64 {
        self.jitter
    }

    /// `L`, lower triangular, zeros above the diagonal.
    #[must_use]
    pub fn factor(&self) -> MatRef<'_, f64> {
        self.factor.as_ref()
    }

    /// `L⁻¹ K_mn` from `K_nm`, `[n, M]`.
    ///
    /// # Complexity
    ///
    /// `n M²/2` multiplications and additions.
    #[must_use]
    pub fn project(&self, cross: MatRef<'_, f64>) -> Mat<f64> {
        let mut out = cross.transpose().to_owned();
        solve_lower_in_place(self.factor(), out.as_mut(), Par::Seq);
        out
    }

    /// `L⁻¹`.
    #[must_use]
    pub fn inverse(&self, par: Par) -> Mat<f64> {
        let mut out = Mat::zeros(self.len(), self.len());
        invert_lower(self.factor(), out.as_mut(), par);
        out
    }

    /// The derivative in `K_nm` of a leaf, `[n, M]`, from that in its `V`.
    #[must_use]
    pub fn cross_gradient(&self, inverse: MatRef<'_, f64>, projected: MatRef<'_, f64>) -> Mat<f64> {
        let mut out = Mat::zeros(projected.ncols(), self.len());
        product_lower(projected.transpose(), inverse, out.as_mut(), Par::Seq);
        out
    }

    /// The derivative in `K_mm`, symmetric, from the lower triangle of `Σ G Vᵀ` over all leaves: `sym(L⁻ᵀ Φ(−tril(G Vᵀ)) L⁻¹)`, where `Φ` halves
    /// the diagonal.
    #[must_use]
    pub fn gram_gradient(&self, inverse: MatRef<'_, f64>, products: MatRef<'_, f64>, par: Par) -> Mat<f64> {
        let m = self.len();
        let masked = Mat::from_fn(m, m, |i, j| match i.cmp(&j) {
            std::cmp::Ordering::Greater => -products[(i, j)],
            std::cmp::Ordering::Equal => -0.5 * products[(i, j)],
            std::cmp::Ordering::Less => 0.0,
        });
        let (mut half, mut whole) = (Mat::zeros(m, m), Mat::zeros(m, m));
        product(inverse.transpose(), masked.as_ref(), half.as_mut(), par);
        product(half.as_ref(), inverse, whole.as_mut(), par);
        Mat::from_fn(m, m, |i, j| 0.5 * (whole[(i, j)] + whole[(j, i)]))
    }
}
