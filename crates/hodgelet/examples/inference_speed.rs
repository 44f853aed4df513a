//! Times one evaluation of the profiled ELBO with its gradient against the matrix routines it must call.
//!
//! Run with `cargo run --release -p hodgelet --example inference_speed`. Data are fixed: smooth features with labels
//! that follow them imperfectly. "floor" is the time of one Cholesky factor and one triangular inverse for each
//! latent function and iteration, and of one triangular product for each latent function.

use faer::{Mat, Par};
use hodgelet::gp::{VariationalParams, Workspace};
use hodgelet::likelihood::{Likelihood, LikelihoodParams, Observations};
use hodgelet::linalg::cholesky::{CholeskyScratch, factor_in_place, invert_lower};
use hodgelet::linalg::symmetric::add_lower_gram;
use std::time::Instant;

fn features(n: usize) -> Vec<[f64; 4]> {
    let wave = |i: usize, k: usize| ((i * (k + 3)) as f64 * 0.37 + k as f64).sin() * 2.0;
    (0..n).map(|i| [wave(i, 0), wave(i, 1), wave(i, 2), wave(i, 3)]).collect()
}

fn gram(x: &[[f64; 4]], lengthscale: f64) -> Mat<f64> {
    Mat::from_fn(x.len(), x.len(), |i, j| {
        let square: f64 = x[i].iter().zip(&x[j]).map(|(a, b)| (a - b) * (a - b)).sum();
        2.0 * (-0.5 * square / (lengthscale * lengthscale)).exp()
    })
}

fn labels(x: &[[f64; 4]], n_classes: usize) -> Vec<u32> {
    let noisy = |(i, x): (usize, &[f64; 4])| {
        let score = x[0] + 0.7 * x[1] + if i % 11 == 0 { 1.5 } else { 0.0 };
        ((score + 4.0) * 0.8) as u32 % n_classes as u32
    };
    x.iter().enumerate().map(noisy).collect()
}

/// Seconds of the unavoidable matrix routines, one after another.
fn floor(k: &Mat<f64>, n_latents: usize, iterations: usize) -> f64 {
    let n = k.nrows();
    let (mut b, mut inverse) = (Mat::zeros(n, n), Mat::zeros(n, n));
    let mut scratch = CholeskyScratch::default();
    let mut one = || {
        b.copy_from(k + Mat::<f64>::identity(n, n));
        let start = Instant::now();
        factor_in_place(b.as_mut(), &mut scratch, Par::Seq)
            .expect("K plus the identity is positive definite");
        invert_lower(b.as_ref(), inverse.as_mut(), Par::Seq);
        start.elapsed().as_secs_f64()
    };
    let update = (0..5).map(|_| one()).fold(f64::INFINITY, f64::min);
    let start = Instant::now();
    add_lower_gram(inverse.as_ref(), 1.0, b.as_mut(), Par::Seq);
    n_latents as f64 * (update * iterations as f64 + start.elapsed().as_secs_f64())
}

fn run(name: &str, n: usize, likelihood: &Likelihood) {
    let x = features(n);
    let observations = Observations::classes(
        likelihood.n_classes().unwrap_or(2),
        &labels(&x, likelihood.n_classes().unwrap_or(2)),
    )
    .expect("labels are below the number of classes");
    let inference = VariationalParams::default().check().expect("defaults are valid");
    let mut workspace = Workspace::default();
    let mut gradient = Mat::new();
    let mut sites = None;
    for (start, lengthscale) in [("cold", 1.5), ("warm", 1.52)] {
        let k = gram(&x, lengthscale);
        let clock = Instant::now();
        let posterior = inference
            .fit(k.as_ref(), likelihood, &observations, sites.as_ref(), &mut workspace)
            .expect("a smooth problem converges");
        posterior.gram_gradient(&mut gradient, Par::Seq);
        let seconds = clock.elapsed().as_secs_f64();
        let floor = floor(&k, likelihood.n_latents(), posterior.iterations());
        println!(
            "variational/{name}/{start}/n={n}: {:.1} ms, {} iterations, floor on one thread {:.1} ms, ELBO {:.6}",
            1e3 * seconds,
            posterior.iterations(),
            1e3 * floor,
            posterior.objective()
        );
        sites = Some(posterior.sites().clone());
        workspace.recycle(posterior);
    }
}

fn main() {
    let check = |params: LikelihoodParams, n_classes| params.check(n_classes).expect("presets are valid");
    run("probit", 170, &check(LikelihoodParams::PROBIT, 2));
    run("probit", 900, &check(LikelihoodParams::PROBIT, 2));
    run("softmax/classes=6", 540, &check(LikelihoodParams::SOFTMAX, 6));
    run("robust-max/classes=6", 270, &check(LikelihoodParams::ROBUST_MAX, 6));
    run("softmax/classes=3", 1350, &check(LikelihoodParams::SOFTMAX, 3));
}
