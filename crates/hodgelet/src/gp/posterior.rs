//! What inference gives back: the posterior over latent functions, able to predict and to differentiate.

use super::error::GpError;
use super::factor::{Factor, Marginals};
use super::sparse::Natural;
use crate::likelihood::{Likelihood, NoiseSums, Observations};
use crate::linalg::dense::times;
use crate::linalg::symmetric::add_outer;
use faer::{Mat, MatMut, MatRef, Par};
use serde::{Deserialize, Serialize};

/// Gaussian sites: `q ∝ N(0, K) ∏ exp(λ_i f_i − ½ w_i f_i²)`, for each latent function. With the Gram matrix they
/// determine a posterior, so they are what a warm start needs and what a model keeps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sites {
    n_points: usize,
    n_latents: usize,
    precision: Vec<f64>, // [n_latents, n_points]
    shift: Vec<f64>,     // [n_latents, n_points]
}

impl Sites {
    /// Zero sites: the posterior is the prior.
    #[must_use]
    pub fn zeros(n_points: usize, n_latents: usize) -> Self {
        let size = n_points * n_latents;
        Self { n_points, n_latents, precision: vec![0.0; size], shift: vec![0.0; size] }
    }

    /// Sites from precisions `w` and shifts `λ`, each one latent function after another; `None` when the lengths
    /// do not fit or a number is not finite.
    #[must_use]
    pub fn new(n_points: usize, n_latents: usize, precision: Vec<f64>, shift: Vec<f64>) -> Option<Self> {
        let sites = Self { n_points, n_latents, precision, shift };
        sites.is_sound().then_some(sites)
    }

    /// Names of the tensors that files hold.
    pub(super) const NAMES: [&'static str; 2] = ["sites.precision", "sites.shift"];

    /// The sites of tensors in the order of [`NAMES`](Self::NAMES).
    pub(super) fn from_tensors(
        n_points: usize,
        n_latents: usize,
        tensors: Vec<Vec<f64>>,
    ) -> Result<Self, GpError> {
        let columns = tensors.len();
        let sites = <[Vec<f64>; 2]>::try_from(tensors)
            .ok()
            .and_then(|[precision, shift]| Self::new(n_points, n_latents, precision, shift));
        let (expected_rows, expected_columns) = (n_points, n_latents);
        sites.ok_or(GpError::Sites { rows: n_points, columns, expected_rows, expected_columns })
    }

    /// Whether lengths fit and numbers are finite, which files do not promise.
    pub(super) fn is_sound(&self) -> bool {
        let size = self.n_points.checked_mul(self.n_latents);
        size == Some(self.precision.len())
            && size == Some(self.shift.len())
            && self.precision.iter().chain(&self.shift).all(|x| x.is_finite())
    }

    /// Number of latent points.
    #[must_use]
    pub fn n_points(&self) -> usize {
        self.n_points
    }

    /// Number of latent functions.
    #[must_use]
    pub fn n_latents(&self) -> usize {
        self.n_latents
    }

    /// Precisions `w` of latent function `c`, `[n_points]`.
    #[must_use]
    pub fn precision(&self, c: usize) -> &[f64] {
        &self.precision[c * self.n_points..(c + 1) * self.n_points]
    }

    /// Shifts `λ` of latent function `c`, `[n_points]`.
    #[must_use]
    pub fn shift(&self, c: usize) -> &[f64] {
        &self.shift[c * self.n_points..(c + 1) * self.n_points]
    }

    /// All numbers in a row: precisions, then shifts.
    pub(super) fn to_vec(&self) -> Vec<f64> {
        self.precision.iter().chain(&self.shift).copied().collect()
    }

    /// The inverse of [`Sites::to_vec`].
    pub(super) fn with_values(&self, values: &[f64]) -> Self {
        let (precision, shift) = values.split_at(self.precision.len());
        Self { precision: precision.to_vec(), shift: shift.to_vec(), ..*self }
    }
}

/// Means and variances of latent functions at some points.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Latents {
    /// Means, `[n_points, n_latents]`.
    #[serde(with = "crate::linalg::serial::matrix")]
    pub mean: Mat<f64>,
    /// Variances, `[n_points, n_latents]`.
    #[serde(with = "crate::linalg::serial::matrix")]
    pub variance: Mat<f64>,
}

/// The posterior over latent functions at the training points, all sharing the Gram matrix `K`.
pub struct Posterior {
    pub(super) objective: f64,
    pub(super) iterations: usize,
    pub(super) latents: Latents,
    pub(super) alpha: Mat<f64>,    // [n, n_latents]
    pub(super) retained: Mat<f64>, // [n, n_latents]
    pub(super) sites: Sites,
    pub(super) natural: Option<Natural>, // of a sparse posterior
    pub(super) noise_sums: NoiseSums,
    pub(super) factors: Vec<Factor>,
}

impl Posterior {
    pub(super) fn new(
        objective: f64,
        iterations: usize,
        marginals: &[Marginals],
        sites: Sites,
        factors: Vec<Factor>,
    ) -> Self {
        let gather = |values: fn(&Marginals) -> &Vec<f64>| {
            Mat::from_fn(sites.n_points, sites.n_latents, |i, c| values(&marginals[c])[i])
        };
        Self {
            objective,
            iterations,
            latents: Latents { mean: gather(|m| &m.mean), variance: gather(|m| &m.variance) },
            alpha: gather(|m| &m.alpha),
            retained: gather(|m| &m.retained),
            sites,
            natural: None,
            noise_sums: NoiseSums::default(),
            factors,
        }
    }

    /// The same with what its expectations have found of the noise.
    pub(super) fn with_noise_sums(self, noise_sums: NoiseSums) -> Self {
        Self { noise_sums, ..self }
    }

    /// A posterior over inducing points. It has no sites of its own: those of all points are summed up in `natural`.
    pub(super) fn sparse(
        objective: f64,
        iterations: usize,
        latents: Latents,
        alpha: Mat<f64>,
        natural: Natural,
        factors: Vec<Factor>,
    ) -> Self {
        let sites = Sites::zeros(0, alpha.ncols());
        let (natural, noise_sums) = (Some(natural), NoiseSums::default());
        Self {
            objective,
            iterations,
            latents,
            alpha,
            retained: Mat::new(),
            sites,
            natural,
            noise_sums,
            factors,
        }
    }

    /// The ELBO of variational inference, or the evidence of exact inference.
    #[must_use]
    pub fn objective(&self) -> f64 {
        self.objective
    }

    /// Factorizations it took.
    #[must_use]
    pub fn iterations(&self) -> usize {
        self.iterations
    }

    /// Means and variances at the training points.
    #[must_use]
    pub fn latents(&self) -> &Latents {
        &self.latents
    }

    /// `α = K⁻¹ m`, `[n, n_latents]`: the latent mean at a new point is `k*ᵀ α`.
    #[must_use]
    pub fn alpha(&self) -> MatRef<'_, f64> {
        self.alpha.as_ref()
    }

    /// The sites; of a sparse posterior none.
    #[must_use]
    pub fn sites(&self) -> &Sites {
        &self.sites
    }

    /// What a file must hold for [`Inference::restore`](super::Inference::restore): values, row-major, in the order of
    /// [`Inference::stored`](super::Inference::stored).
    #[must_use]
    pub fn tensors(&self) -> Vec<Vec<f64>> {
        match &self.natural {
            Some(natural) => natural.tensors(),
            None => vec![self.sites.precision.clone(), self.sites.shift.clone()],
        }
    }

    /// What all points add to the prior of the inducing ones, for a sparse posterior.
    #[must_use]
    pub fn natural(&self) -> Option<&Natural> {
        self.natural.as_ref()
    }

    /// Derivative of the objective in the Gram matrix, Eq. (5): `½ Σ_c (α αᵀ − (K + W⁻¹)⁻¹)`, written to the
    /// lower triangle of `out` (whose strict upper triangle becomes 0). The entry `(i, j)` is the derivative in
    /// one of the two equal entries `K_ij` and `K_ji`: moving both changes the objective by twice it.
    ///
    /// # Complexity
    ///
    /// `n³/3` multiplications and additions for each latent function.
    pub fn gram_gradient(&self, out: &mut Mat<f64>, par: Par) {
        let n = self.alpha.nrows();
        if out.shape() != (n, n) {
            *out = Mat::zeros(n, n);
        }
        out.fill(0.0);
        self.add_gram_gradient(out.as_mut(), par);
    }

    fn add_gram_gradient(&self, mut out: MatMut<'_, f64>, par: Par) {
        // A factor that all functions share counts for each of them.
        let times = self.alpha.ncols() as f64 / self.factors.len() as f64;
        for factor in &self.factors {
            factor.add_precision(-0.5 * times, out.as_mut(), par);
        }
        add_outer(self.alpha.as_ref(), 0.5, out, par);
    }

    /// Derivatives of the objective in the logarithms of the hyperparameters of the likelihood, in the order of
    /// [`Likelihood::hyperparameters`]. The posterior is the best for them, so only the expected log likelihood moves.
    ///
    /// # Errors
    ///
    /// [`GpError`] when the posterior is of other observations.
    pub fn likelihood_gradient(
        &self,
        likelihood: &Likelihood,
        observations: &Observations,
    ) -> Result<Vec<f64>, GpError> {
        let Latents { mean, variance } = &self.latents;
        let (mean, variance) = (mean.as_ref(), variance.as_ref());
        Ok(likelihood.gradient_after(&self.noise_sums, observations, mean, variance)?)
    }

    /// Means and variances at new points from the kernel between new and training points, `cross`
    /// `[n_new, n]`, and of each new point with itself, `diagonal` `[n_new]`.
    ///
    /// # Errors
    ///
    /// [`GpError`] when shapes differ or an evaluation is not finite.
    pub fn predict(&self, cross: MatRef<'_, f64>, diagonal: &[f64]) -> Result<Latents, GpError> {
        check_cross(cross, diagonal, self.alpha.nrows())?;
        let mean = times(cross, self.alpha.as_ref());
        let mut variance = Mat::zeros(diagonal.len(), self.alpha.ncols());
        for (f, factor) in self.factors.iter().enumerate() {
            let explained = factor.explained(cross, Par::Seq);
            // One factor is that of its function, or of all.
            let functions = if self.factors.len() == 1 { 0..self.alpha.ncols() } else { f..f + 1 };
            for (i, (prior, explained)) in diagonal.iter().zip(explained).enumerate() {
                // Rounding can make the difference slightly negative.
                functions.clone().for_each(|c| variance[(i, c)] = (prior - explained).max(0.0));
            }
        }
        check_finite("latent mean", &mean)?;
        check_finite("latent variance", &variance)?;
        Ok(Latents { mean, variance })
    }
}

impl Posterior {
    /// Means at new points, `[n_new, n_latents]`, and the covariances of each latent function, from the kernel between new and
    /// training points, `cross` `[n_new, n]`, and between new points, `prior` `[n_new, n_new]`.
    ///
    /// # Errors
    ///
    /// As [`predict`](Self::predict).
    pub fn predict_joint(
        &self,
        cross: MatRef<'_, f64>,
        prior: MatRef<'_, f64>,
    ) -> Result<(Mat<f64>, Vec<Mat<f64>>), GpError> {
        let diagonal: Vec<f64> = (0..prior.nrows().min(prior.ncols())).map(|i| prior[(i, i)]).collect();
        check_cross(cross, &diagonal, self.alpha.nrows())?;
        let mean = times(cross, self.alpha.as_ref());
        let of_factor = |factor: &Factor| {
            let explained = times(cross, factor.precision_times(cross.transpose()).as_ref());
            Mat::from_fn(prior.nrows(), prior.ncols(), |i, j| {
                prior[(i, j)] - 0.5 * (explained[(i, j)] + explained[(j, i)])
            })
        };
        let mut covariance: Vec<Mat<f64>> = self.factors.iter().map(of_factor).collect();
        if let [shared] = &covariance[..] {
            covariance = vec![shared.clone(); self.alpha.ncols()];
        }
        check_finite("latent mean", &mean)?;
        covariance.iter().try_for_each(|own| check_finite("latent covariance", own))?;
        Ok((mean, covariance))
    }
}

/// Whether kernel evaluations at new points fit each other and are finite.
pub(super) fn check_cross(cross: MatRef<'_, f64>, diagonal: &[f64], expected: usize) -> Result<(), GpError> {
    let (rows, columns) = cross.shape();
    if rows != diagonal.len() || columns != expected {
        return Err(GpError::Cross { rows, columns, diagonal: diagonal.len(), expected });
    }
    for column in 0..columns {
        if let Some(row) = (0..rows).find(|&row| !cross[(row, column)].is_finite()) {
            return Err(GpError::Gram { row, column, value: cross[(row, column)] });
        }
    }
    match diagonal.iter().position(|value| !(value.is_finite() && *value >= 0.0)) {
        Some(row) => Err(GpError::Gram { row, column: row, value: diagonal[row] }),
        None => Ok(()),
    }
}

fn check_finite(quantity: &'static str, values: &Mat<f64>) -> Result<(), GpError> {
    for column in values.col_iter() {
        if let Some(&value) = column.iter().find(|value| !value.is_finite()) {
            return Err(GpError::Overflow { quantity, value });
        }
    }
    Ok(())
}
