//! The true gradient of GPflow's ELBO in the scales, through kernel, standardizer, features and filters.
//!
//! The reference holds a whitened `q(v)` fixed, `f = L v` with `L Lᵀ = K + 10⁻⁶ I`, so that
//! `ELBO = Σ E log p(y | m = L μ, s = diag(L S Sᵀ Lᵀ)) − KL(q(v) ‖ N(0, I))` and only `L` depends on the scales.

use super::wt_reference::{Case, cases};
use super::{assert_close, golden};
use faer::{Mat, MatRef, Par};
use hodgelet::feature::{Component, Standardizer, WaveletTape};
use hodgelet::kernel::{
    BaseKernel, BlockKernel, Family, GramWorkspace, KernelGradient, Lengthscales, SumKernel,
};
use hodgelet::likelihood::{Likelihood, LikelihoodParams, Link, Observations};
use hodgelet::linalg::cholesky::invert_lower;
use serde::Deserialize;

/// What GPflow adds to the diagonal.
const JITTER: f64 = 1e-6;
/// The gradients of the reference are central differences.
const GRADIENT: f64 = 1e-6;

#[derive(Deserialize)]
struct File {
    lengthscale: f64,
    variance: f64,
    vgp_wt: Vgp,
}

#[derive(Deserialize)]
struct Vgp {
    likelihood: String,
    y_train: Vec<u32>,
    q_mu: Vec<Vec<f64>>,        // [n, n_latents]
    q_sqrt: Vec<Vec<Vec<f64>>>, // [n_latents, n, n]
    elbo: f64,
    grad_scales_true_fd: Vec<Vec<f64>>,     // [W, L]
    grad_low_scales_true_fd: Vec<Vec<f64>>, // [W, 1]
    grad_scales_reference_stopgrad: Vec<Vec<f64>>,
}

impl Vgp {
    fn likelihood(&self) -> Likelihood {
        let gpflow = LikelihoodParams::Bernoulli { link: Link::Probit { floor: 1e-3 }, nodes: 20 };
        match self.likelihood.as_str() {
            "bernoulli_probit_gpflow" => gpflow.check(2),
            "multiclass_robustmax C=6" => LikelihoodParams::ROBUST_MAX.check(6),
            other => panic!("likelihood {other}"),
        }
        .expect("the settings of GPflow are valid")
    }

    /// The ELBO, and its derivative in the factor `L` of the jittered Gram matrix.
    fn elbo(&self, l: MatRef<'_, f64>) -> (f64, Mat<f64>) {
        let likelihood = self.likelihood();
        let mu = matrix(&self.q_mu);
        let roots: Vec<Mat<f64>> = self.q_sqrt.iter().map(|root| matrix(root)).collect();
        let spread: Vec<Mat<f64>> = roots.iter().map(|root| l * root).collect();
        let mean = l * &mu;
        let variance = Mat::from_fn(mean.nrows(), roots.len(), |i, c| spread[c].row(i).squared_norm_l2());
        let n_classes = likelihood.n_classes().expect("both likelihoods are of classes");
        let observations = Observations::classes(n_classes, &self.y_train).expect("labels fit");
        let found = likelihood.expectations(&observations, mean.as_ref(), variance.as_ref()).unwrap();
        // ∂/∂L = g μᵀ + 2 diag(h) L S Sᵀ, for each latent function.
        let mut slope = &found.d_mean * mu.transpose();
        for (c, root) in roots.iter().enumerate() {
            let product = &spread[c] * root.transpose();
            slope += Mat::from_fn(product.nrows(), product.ncols(), |i, j| {
                2.0 * found.d_variance[(i, c)] * product[(i, j)]
            });
        }
        (found.value - divergence(&mu, &roots), slope)
    }
}

/// `KL(q(v) ‖ N(0, I))`.
fn divergence(mu: &Mat<f64>, roots: &[Mat<f64>]) -> f64 {
    let n = mu.nrows() as f64;
    let log_det = |root: &Mat<f64>| (0..root.nrows()).map(|i| root[(i, i)].abs().ln()).sum::<f64>();
    let of_root = |root: &Mat<f64>| root.squared_norm_l2() - n - 2.0 * log_det(root);
    0.5 * (mu.squared_norm_l2() + roots.iter().map(of_root).sum::<f64>())
}

fn matrix(rows: &[Vec<f64>]) -> Mat<f64> {
    Mat::from_fn(rows.len(), rows[0].len(), |i, j| rows[i][j])
}

/// `∂/∂K` from `∂/∂L`: the symmetric part of `L⁻ᵀ Φ(Lᵀ L̄) L⁻¹`, where `Φ` keeps the lower triangle and halves the
/// diagonal [Murray16].
fn through_cholesky(l: MatRef<'_, f64>, slope: &Mat<f64>) -> Mat<f64> {
    let n = l.nrows();
    let product = l.transpose() * slope;
    let phi = Mat::from_fn(n, n, |i, j| match i.cmp(&j) {
        std::cmp::Ordering::Less => 0.0,
        std::cmp::Ordering::Equal => 0.5 * product[(i, j)],
        std::cmp::Ordering::Greater => product[(i, j)],
    });
    let mut inverse = Mat::zeros(n, n);
    invert_lower(l, inverse.as_mut(), Par::Seq);
    let s = inverse.transpose() * phi * &inverse;
    Mat::from_fn(n, n, |i, j| 0.5 * (s[(i, j)] + s[(j, i)]))
}

/// The ELBO and its gradient in the scales, low-pass ones first.
fn gradient(case: &Case, file: &File) -> (f64, Vec<f64>, Vec<f64>) {
    let train: Vec<usize> = (0..file.vgp_wt.y_train.len()).collect();
    let (measures, bank) = (case.measures(Component::Whole).select(&train), case.bank());
    let mut tape = WaveletTape::default();
    let raw = tape.record(&measures, &bank).unwrap();
    let standardizer = Standardizer::fit(raw.as_ref(), None);
    let z = standardizer.applied(raw.as_ref());
    let base = BaseKernel::new(Family::SquaredExponential, Lengthscales::isotropic(file.lengthscale));
    let kernel = SumKernel::new(vec![BlockKernel::new(file.variance, base)]).unwrap();
    let (mut workspace, mut gram) = (GramWorkspace::new(), Mat::new());
    kernel.gram_lower(&[z.as_ref()], &mut workspace, &mut gram, Par::Seq).unwrap();

    let n = gram.nrows();
    (0..n).for_each(|i| gram[(i, i)] += JITTER);
    let factor = gram.llt(faer::Side::Lower).expect("a jittered Gram matrix has a factor");
    let lower = factor.L().to_owned();
    let (elbo, slope) = file.vgp_wt.elbo(lower.as_ref());
    let sensitivities = through_cholesky(lower.as_ref(), &slope);
    let mut out = KernelGradient::default();
    kernel.backward(&mut workspace, sensitivities.as_ref(), true, &mut out, Par::Seq).unwrap();
    let mut upstream = out.inputs.remove(0);
    standardizer.vjp(z.as_ref(), upstream.as_mut(), None);
    let by_parameter = tape.vjp(&measures, &bank, raw.as_ref(), upstream.as_ref()).unwrap();

    // Parameters are logarithms of scales, filter by filter: α_j, then its β_jl.
    let by_scale: Vec<f64> = by_parameter.iter().zip(bank.scales()).map(|(g, scale)| g / scale).collect();
    let per_filter = by_scale.len() / bank.n_filters();
    let (mut low, mut band) = (vec![], vec![]);
    for filter in by_scale.chunks(per_filter) {
        low.push(filter[0]);
        band.extend_from_slice(&filter[1..]);
    }
    (elbo, low, band)
}

#[test]
fn the_gradient_in_the_scales_is_the_true_one_of_the_reference() {
    for case in cases() {
        let file: File = golden(case.name).map(|v| serde_json::from_value(v).unwrap()).unwrap();
        let (elbo, low, band) = gradient(&case, &file);
        let vgp = &file.vgp_wt;
        assert_close(&format!("{}, ELBO", case.name), &[elbo], &[vgp.elbo], 1e-9);
        let expected = vgp.grad_scales_true_fd.concat();
        assert_close(&format!("{}, bands", case.name), &band, &expected, GRADIENT);
        let lows = vgp.grad_low_scales_true_fd.concat();
        assert_close(&format!("{}, low-pass", case.name), &low, &lows, GRADIENT);
        // The reference itself stops the gradient at the standardization, and that is another gradient.
        let stopped = vgp.grad_scales_reference_stopgrad.concat();
        assert!(band.iter().zip(&stopped).any(|(a, b)| (a - b).abs() > 0.01), "{}", case.name);
    }
}
