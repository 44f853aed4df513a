//! The Gaussian over the whitened inducing values: natural parameters, and what follows from them.

use crate::gp::error::GpError;
use crate::gp::sparse::prior::InducingPrior;
use crate::gp::sparse::tree::Term;
use crate::linalg::cholesky::{
    CholeskyScratch, factor_in_place, invert_lower, log_determinant, solve_lower_in_place,
};
use crate::linalg::dense::times;
use crate::linalg::symmetric::{lower_transpose_product, mirror_lower, product, product_lower};
use faer::{Mat, MatMut, MatRef, Par};
use serde::{Deserialize, Serialize};

/// What data add to the prior of the whitened inducing values `L⁻¹u ~ N(0, I)`: a precision `A = Σ_i w_i V_i V_iᵀ` and a
/// shift `b = Σ_i λ_i V_i` for each latent function. Functions whose sites have equal precisions share one `A`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Natural {
    n_inducing: usize,
    n_latents: usize,
    precision: Vec<f64>, // [n_factors, M, M], column-major lower triangles
    shift: Vec<f64>,     // [n_latents, M]
}

impl Natural {
    /// Names of the tensors that files hold.
    pub(in crate::gp) const NAMES: [&'static str; 2] = ["natural.precision", "natural.shift"];

    /// No data.
    #[must_use]
    pub fn zeros(n_inducing: usize, n_latents: usize, n_factors: usize) -> Self {
        let precision = vec![0.0; n_factors * n_inducing * n_inducing];
        Self { n_inducing, n_latents, precision, shift: vec![0.0; n_latents * n_inducing] }
    }

    /// From numbers in the order of a file; `None` when their number does not fit or one is not finite.
    #[must_use]
    pub fn new(n_inducing: usize, n_latents: usize, precision: Vec<f64>, shift: Vec<f64>) -> Option<Self> {
        let size = n_inducing.checked_mul(n_inducing)?;
        let factors = [size, size.checked_mul(n_latents)?];
        let sound = factors.contains(&precision.len())
            && Some(shift.len()) == n_inducing.checked_mul(n_latents)
            && precision.iter().chain(&shift).all(|x| x.is_finite());
        sound.then_some(Self { n_inducing, n_latents, precision, shift })
    }

    /// The numbers: precisions, then shifts.
    #[must_use]
    pub fn tensors(&self) -> Vec<Vec<f64>> {
        vec![self.precision.clone(), self.shift.clone()]
    }

    /// Number of inducing points.
    #[must_use]
    pub fn n_inducing(&self) -> usize {
        self.n_inducing
    }

    /// Number of latent functions.
    #[must_use]
    pub fn n_latents(&self) -> usize {
        self.n_latents
    }

    /// Number of different precisions: one for each function, or one.
    #[must_use]
    pub fn n_factors(&self) -> usize {
        self.precision.len() / (self.n_inducing * self.n_inducing).max(1)
    }

    /// Precision number `f`, in its lower triangle.
    #[must_use]
    pub fn precision(&self, f: usize) -> MatRef<'_, f64> {
        let m = self.n_inducing;
        MatRef::from_column_major_slice(&self.precision[f * m * m..(f + 1) * m * m], m, m)
    }

    pub(super) fn precision_mut(&mut self, f: usize) -> MatMut<'_, f64> {
        let m = self.n_inducing;
        MatMut::from_column_major_slice_mut(&mut self.precision[f * m * m..(f + 1) * m * m], m, m)
    }

    /// The shifts, `[M, n_latents]`.
    #[must_use]
    pub fn shift(&self) -> MatRef<'_, f64> {
        MatRef::from_column_major_slice(&self.shift, self.n_inducing, self.n_latents)
    }

    pub(super) fn shift_mut(&mut self) -> MatMut<'_, f64> {
        MatMut::from_column_major_slice_mut(&mut self.shift, self.n_inducing, self.n_latents)
    }

    /// The share `rho` of the way to `target`.
    pub(super) fn towards(&self, target: &Self, rho: f64) -> Self {
        let step = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a + rho * (b - a)).collect();
        Self {
            precision: step(&self.precision, &target.precision),
            shift: step(&self.shift, &target.shift),
            ..*self
        }
    }

    /// What data that are `times` as many add under another prior of the same inducing points, nearly.
    ///
    /// The latent value of a point is `P_iᵀ u` with `P_i = K_mm⁻¹ k_i = L⁻ᵀ V_i`, which changes little with the kernel. With
    /// its sites held too, `A = Lᵀ (Σ_i w_i P_i P_iᵀ) L` becomes `Tᵀ A T` and `b` becomes `Tᵀ b`, where `T = L⁻¹ L'`. A step
    /// from there needs few passes, where the same `A` under another kernel may be far from all data.
    #[must_use]
    pub fn carried(&self, from: &InducingPrior, to: &InducingPrior, times: f64, par: Par) -> Self {
        let m = self.n_inducing;
        let mut moved = to.factor().to_owned();
        solve_lower_in_place(from.factor(), moved.as_mut(), par);
        let mut carried = Self::zeros(m, self.n_latents, self.n_factors());
        let (mut full, mut half, mut whole) = (Mat::zeros(m, m), Mat::zeros(m, m), Mat::zeros(m, m));
        for f in 0..self.n_factors() {
            mirror_lower(self.precision(f), full.as_mut());
            product_lower(full.as_ref(), moved.as_ref(), half.as_mut(), par);
            lower_transpose_product(moved.as_ref(), half.as_ref(), whole.as_mut(), par);
            whole *= faer::Scale(times);
            carried.precision_mut(f).copy_from(&whole);
        }
        let mut shift = Mat::zeros(m, self.n_latents);
        product(moved.transpose(), self.shift(), shift.as_mut(), par);
        shift *= faer::Scale(times);
        carried.shift_mut().copy_from(&shift);
        carried
    }

    /// Whether `other` has the same shape.
    pub(super) fn fits(&self, other: &Self) -> bool {
        self.n_inducing == other.n_inducing
            && self.n_latents == other.n_latents
            && self.precision.len() == other.precision.len()
    }

    /// Means and covariances.
    ///
    /// # Errors
    ///
    /// [`GpError::NotPositiveDefinite`] when `I + A` is not.
    pub fn moments(&self, par: Par) -> Result<Moments, GpError> {
        let m = self.n_inducing;
        let (mut roots, mut divergence) = (Vec::new(), 0.0);
        let mut scratch = CholeskyScratch::default();
        let repeats = self.n_latents as f64 / self.n_factors().max(1) as f64;
        for f in 0..self.n_factors() {
            // Zeros above the diagonal: the root is used as a full matrix too.
            let a = self.precision(f);
            let mut b = Mat::from_fn(m, m, |i, j| if i >= j { a[(i, j)] } else { 0.0 });
            (0..m).for_each(|i| b[(i, i)] += 1.0);
            factor_in_place(b.as_mut(), &mut scratch, par)?;
            let mut root = Mat::zeros(m, m);
            invert_lower(b.as_ref(), root.as_mut(), par);
            let trace: f64 =
                (0..m).map(|j| root.col_as_slice(j)[j..].iter().map(|x| x * x).sum::<f64>()).sum();
            divergence += 0.5 * repeats * (trace - m as f64 + log_determinant(b.as_ref()));
            roots.push(root);
        }
        let mut mean = Mat::zeros(m, self.n_latents);
        for c in 0..self.n_latents {
            let root = &roots[c.min(roots.len() - 1)];
            let half = times(root.as_ref(), self.shift().col(c).as_mat());
            let column = times(root.transpose(), half.as_ref());
            mean.col_mut(c).copy_from(column.col(0));
            divergence += 0.5 * column.col(0).squared_norm_l2();
        }
        match divergence.is_finite() {
            true => Ok(Moments { roots, mean, divergence }),
            false => Err(GpError::Overflow { quantity: "divergence from the prior", value: divergence }),
        }
    }
}

impl Term for Natural {
    fn add(&mut self, other: &Self) {
        debug_assert!(self.fits(other));
        self.precision.iter_mut().zip(&other.precision).for_each(|(a, b)| *a += b);
        self.shift.iter_mut().zip(&other.shift).for_each(|(a, b)| *a += b);
    }
}

/// The Gaussian as a pass needs it: `L⁻¹u ~ N(β, B⁻¹)`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Moments {
    #[serde(with = "crate::linalg::serial::matrices")]
    pub(super) roots: Vec<Mat<f64>>, // inverse Cholesky factors of B = I + A, [M, M]
    #[serde(with = "crate::linalg::serial::matrix")]
    pub(super) mean: Mat<f64>, // β, [M, n_latents]
    pub(super) divergence: f64, // from the prior, over all latent functions
}

impl Moments {
    /// The root of the precision of function `c`.
    pub(super) fn root(&self, c: usize) -> MatRef<'_, f64> {
        self.roots[c.min(self.roots.len() - 1)].as_ref()
    }

    /// Kullback–Leibler divergence from the prior.
    #[must_use]
    pub fn divergence(&self) -> f64 {
        self.divergence
    }
}
