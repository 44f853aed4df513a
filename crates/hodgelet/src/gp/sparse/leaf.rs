//! What one leaf of points adds to a pass: statistics of fixed size, from its kernel evaluations and the broadcast Gaussian.

use super::natural::{Moments, Natural};
use super::tree::Term;
use crate::gp::error::GpError;
use crate::gp::posterior::Latents;
use crate::likelihood::{Expectations, Likelihood, Observations};
use crate::linalg::simd::dot;
use crate::linalg::symmetric::{
    add_lower_of_product, add_outer, lower_product, lower_transpose_product, product,
};
use faer::{Mat, MatRef, Par};
use serde::{Deserialize, Serialize};

/// Consecutive points whose products are computed together.
pub const LEAF: usize = 1024;

/// Points of a leaf as the Gaussian sees them.
#[derive(Clone, Debug)]
pub struct Leaf {
    /// `V = L⁻¹ K_mn`, `[M, n]`.
    pub(super) projected: Mat<f64>,
    /// `k_ii − ‖V_i‖²`, what the inducing points leave of the prior variance.
    pub(super) residual: Vec<f64>,
    pub(super) observations: Observations,
}

/// What a leaf adds to a pass.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Statistics {
    /// Expected log likelihood.
    pub value: f64,
    /// What the sites of its points add to the natural parameters.
    pub natural: Natural,
    /// Derivatives of the value in the logarithms of the hyperparameters of the likelihood.
    pub likelihood_gradient: Vec<f64>,
    /// Prior variance that the inducing points leave, summed over points.
    pub residual: f64,
}

impl Term for Statistics {
    fn add(&mut self, other: &Self) {
        self.value += other.value;
        self.residual += other.residual;
        self.natural.add(&other.natural);
        let gradients = self.likelihood_gradient.iter_mut().zip(&other.likelihood_gradient);
        gradients.for_each(|(a, b)| *a += b);
    }
}

/// Derivatives of the ELBO in the kernel evaluations of a leaf, at a fixed Gaussian.
#[derive(Clone, Debug)]
pub struct LeafGradient {
    /// In `V`, `[M, n]`.
    pub projected: Mat<f64>,
    /// In the prior variances, `[n]`.
    pub diagonal: Vec<f64>,
}

impl Leaf {
    /// The leaf of points with these covariances with the inducing points, whitened, `[M, n]`, and prior variances.
    ///
    /// # Errors
    ///
    /// [`GpError::Cross`] when shapes do not fit, [`GpError::Gram`] for a number that is not finite.
    pub fn new(projected: Mat<f64>, diagonal: &[f64], observations: Observations) -> Result<Self, GpError> {
        let (rows, columns) = (projected.ncols(), projected.nrows());
        if rows != diagonal.len() || rows != observations.n_points() {
            return Err(GpError::Cross { rows, columns, diagonal: diagonal.len(), expected: columns });
        }
        let mut residual = Vec::with_capacity(rows);
        for (i, &prior) in diagonal.iter().enumerate() {
            let column = projected.col_as_slice(i);
            // Rounding can make the difference slightly negative.
            let left = (prior - dot(column, column)).max(0.0);
            if !left.is_finite() || !prior.is_finite() {
                return Err(GpError::Gram { row: i, column: i, value: prior });
            }
            residual.push(left);
        }
        Ok(Self { projected, residual, observations })
    }

    /// The points observed.
    #[must_use]
    pub fn observations(&self) -> &Observations {
        &self.observations
    }

    /// Means and variances of the latent functions at the points.
    #[must_use]
    pub fn latents(&self, moments: &Moments) -> Latents {
        self.latents_with(moments, &mut Mat::zeros(self.projected.nrows(), self.projected.ncols()))
    }

    /// As [`latents`](Self::latents); `whitened` is left with the last root times `V`.
    fn latents_with(&self, moments: &Moments, whitened: &mut Mat<f64>) -> Latents {
        let (n, n_latents) = (self.projected.ncols(), moments.mean.ncols());
        let mut mean = Mat::zeros(n, n_latents);
        product(self.projected.transpose(), moments.mean.as_ref(), mean.as_mut(), Par::Seq);
        let mut variance = Mat::zeros(n, n_latents);
        for c in 0..n_latents {
            if c < moments.roots.len() {
                lower_product(moments.root(c), self.projected.as_ref(), whitened.as_mut(), Par::Seq);
            }
            for i in 0..n {
                let column = whitened.col_as_slice(i);
                variance[(i, c)] = self.residual[i] + dot(column, column);
            }
        }
        Latents { mean, variance }
    }

    fn expectations(
        &self,
        moments: &Moments,
        likelihood: &Likelihood,
        whitened: &mut Mat<f64>,
    ) -> Result<(Latents, Expectations), GpError> {
        let latents = self.latents_with(moments, whitened);
        for column in latents.mean.col_iter().chain(latents.variance.col_iter()) {
            if let Some(&value) = column.iter().find(|x| !x.is_finite()) {
                return Err(GpError::Overflow { quantity: "latent moment", value });
            }
        }
        let (mean, variance) = (latents.mean.as_ref(), latents.variance.as_ref());
        let expectations = likelihood.expectations(&self.observations, mean, variance)?;
        Ok((latents, expectations))
    }

    /// What the leaf adds to a pass: `w_i = h_i` and `λ_i = g_i + h_i m_i`, Eq. (4), summed with their points.
    ///
    /// # Errors
    ///
    /// [`GpError`] when observations do not fit the likelihood, or a moment is not finite.
    ///
    /// # Complexity
    ///
    /// `n M²` multiplications and additions for each different precision.
    pub fn pass(&self, moments: &Moments, likelihood: &Likelihood) -> Result<Statistics, GpError> {
        let (m, n) = self.projected.shape();
        let (latents, expectations) = self.expectations(moments, likelihood, &mut Mat::zeros(m, n))?;
        let (n_latents, n_factors) = (moments.mean.ncols(), moments.roots.len());
        let mut natural = Natural::zeros(m, n_latents, n_factors);
        let mut shifts = Mat::zeros(n, n_latents);
        for c in 0..n_latents {
            for i in 0..n {
                let h = -2.0 * expectations.d_variance[(i, c)];
                shifts[(i, c)] = expectations.d_mean[(i, c)] + h * latents.mean[(i, c)];
            }
        }
        product(self.projected.as_ref(), shifts.as_ref(), natural.shift_mut(), Par::Seq);
        for f in 0..n_factors {
            let precisions: Vec<f64> = (0..n).map(|i| -2.0 * expectations.d_variance[(i, f)]).collect();
            self.add_precision(&precisions, 1.0, &mut natural, f);
            self.add_precision(&precisions, -1.0, &mut natural, f);
        }
        let (mean, variance) = (latents.mean.as_ref(), latents.variance.as_ref());
        Ok(Statistics {
            value: expectations.value,
            natural,
            likelihood_gradient: likelihood.hyperparameter_gradient(&self.observations, mean, variance)?,
            residual: self.residual.iter().sum(),
        })
    }

    /// Adds `Σ w_i V_i V_iᵀ` over the points whose precision has the sign `sign`.
    fn add_precision(&self, precisions: &[f64], sign: f64, natural: &mut Natural, f: usize) {
        let chosen: Vec<usize> = (0..precisions.len()).filter(|&i| sign * precisions[i] > 0.0).collect();
        if chosen.is_empty() {
            return;
        }
        let mut scaled = Mat::zeros(self.projected.nrows(), chosen.len());
        for (k, &i) in chosen.iter().enumerate() {
            let root = precisions[i].abs().sqrt();
            let (out, column) = (scaled.col_as_slice_mut(k), self.projected.col_as_slice(i));
            out.iter_mut().zip(column).for_each(|(out, v)| *out = root * v);
        }
        add_outer(scaled.as_ref(), sign, natural.precision_mut(f), Par::Seq);
    }

    /// Derivatives of the ELBO in the evaluations of the leaf, Eq. (7): `g_i β + h_i (I − B⁻¹) V_i`, and `−h_i / 2`.
    ///
    /// # Errors
    ///
    /// As [`pass`](Self::pass).
    pub fn gradient(&self, moments: &Moments, likelihood: &Likelihood) -> Result<LeafGradient, GpError> {
        let (m, n) = self.projected.shape();
        let (mut half, mut whole) = (Mat::zeros(m, n), Mat::zeros(m, n));
        let (_, expectations) = self.expectations(moments, likelihood, &mut half)?;
        let mut projected = Mat::zeros(m, n);
        let mut diagonal = vec![0.0; n];
        product(moments.mean.as_ref(), expectations.d_mean.transpose(), projected.as_mut(), Par::Seq);
        for c in 0..moments.mean.ncols() {
            if c < moments.roots.len() {
                if moments.roots.len() > 1 {
                    lower_product(moments.root(c), self.projected.as_ref(), half.as_mut(), Par::Seq);
                }
                lower_transpose_product(moments.root(c), half.as_ref(), whole.as_mut(), Par::Seq);
            }
            for i in 0..n {
                let h = -2.0 * expectations.d_variance[(i, c)];
                diagonal[i] -= 0.5 * h;
                let own = self.projected.col_as_slice(i).iter().zip(whole.col_as_slice(i));
                let out = projected.col_as_slice_mut(i).iter_mut();
                out.zip(own).for_each(|(out, (v, w))| *out += h * (v - w));
            }
        }
        Ok(LeafGradient { projected, diagonal })
    }

    /// Adds the lower triangle of `G Vᵀ` to that of `out` `[M, M]`, where `G` is the derivative in `V`.
    pub fn add_projected_product(&self, gradient: MatRef<'_, f64>, out: &mut Mat<f64>) {
        add_lower_of_product(gradient, self.projected.as_ref(), out.as_mut(), Par::Seq);
    }

    /// Means and variances at the points without their own observations, `[n, n_latents]`: what the sites of a point say is
    /// taken out of the Gaussian over the inducing values.
    ///
    /// # Errors
    ///
    /// As [`pass`](Self::pass).
    pub fn left_out(&self, moments: &Moments, likelihood: &Likelihood) -> Result<Latents, GpError> {
        let mut whitened = Mat::zeros(self.projected.nrows(), self.projected.ncols());
        let (mut latents, expectations) = self.expectations(moments, likelihood, &mut whitened)?;
        for c in 0..latents.mean.ncols() {
            for (i, residual) in self.residual.iter().enumerate() {
                let (mean, variance) = (latents.mean[(i, c)], latents.variance[(i, c)]);
                let w = -2.0 * expectations.d_variance[(i, c)];
                let shift = expectations.d_mean[(i, c)] + w * mean;
                let explained = variance - residual; // V_iᵀ B⁻¹ V_i
                let kept = 1.0 - w * explained;
                if kept.is_nan() || kept <= 0.0 {
                    return Err(GpError::Overflow { quantity: "cavity variance", value: kept });
                }
                latents.mean[(i, c)] = (mean - explained * shift) / kept;
                latents.variance[(i, c)] = residual + explained / kept;
            }
        }
        Ok(latents)
    }
}
