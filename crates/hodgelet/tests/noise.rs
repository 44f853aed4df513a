//! Noise of real targets other than one Gaussian for all: gross errors, and noise that differs between points.

use faer::{Mat, Par};
use hodgelet::gp::leave_one_out::leave_one_out;
use hodgelet::gp::{GpError, Posterior, Sites, VariationalParams, Workspace, exact};
use hodgelet::likelihood::{Likelihood, Observations};

fn x(i: usize) -> f64 {
    (1.7 * i as f64).sin() * 2.0 + 0.1 * i as f64
}

fn kernel(a: f64, b: f64) -> f64 {
    (-0.5 * (a - b).powi(2)).exp()
}

fn gram(n: usize) -> Mat<f64> {
    Mat::from_fn(n, n, |i, j| kernel(x(i), x(j)) + if i == j { 0.01 } else { 0.0 })
}

fn fit(
    gram: &Mat<f64>,
    likelihood: &Likelihood,
    observations: &Observations,
    start: Option<&Sites>,
) -> Result<Posterior, GpError> {
    let inference = VariationalParams::default().check().unwrap();
    inference.fit(gram.as_ref(), likelihood, observations, start, &mut Workspace::default())
}

fn t_density(likelihood: &Likelihood, error: f64) -> f64 {
    let Likelihood::StudentT(noise) = likelihood else { unreachable!() };
    let (nu, z) = (noise.degrees_of_freedom(), error / noise.scale());
    let peak = ln_gamma(0.5 * (nu + 1.0)) - ln_gamma(0.5 * nu) - 0.5 * (nu * std::f64::consts::PI).ln();
    (peak - 0.5 * (nu + 1.0) * (z * z / nu).ln_1p()).exp() / noise.scale()
}

/// `log Γ` by Stirling's series after a shift.
fn ln_gamma(mut x: f64) -> f64 {
    let mut shift = 0.0;
    while x < 15.0 {
        shift -= x.ln();
        x += 1.0;
    }
    shift + (x - 0.5) * x.ln() - x + 0.5 * (2.0 * std::f64::consts::PI).ln() + 1.0 / (12.0 * x)
        - 1.0 / (360.0 * x.powi(3))
        + 1.0 / (1260.0 * x.powi(5))
}

#[test]
fn the_elbo_of_student_t_noise_stays_below_the_evidence() {
    let step = 0.01;
    let grid: Vec<f64> = (-700..=700).map(|k| step * f64::from(k)).collect();
    let normal = |x: f64| (-0.5 * x * x).exp() / (2.0 * std::f64::consts::PI).sqrt() * step;
    for (scale, excess) in [(0.3, 8.0), (0.1, 1.0), (1.0, 0.2)] {
        let likelihood = Likelihood::student_t(scale, excess).unwrap();
        for value in [0.2, 1.0, 4.0] {
            let k = gram(1);
            let evidence: f64 =
                grid.iter().map(|&u| normal(u) * t_density(&likelihood, value - k[(0, 0)].sqrt() * u)).sum();
            let elbo =
                fit(&k, &likelihood, &Observations::reals(&[value]).unwrap(), None).unwrap().objective();
            let gap = evidence.ln() - elbo;
            assert!((-1e-6..0.5).contains(&gap), "one point, {scale} {excess} {value}: {gap}");

            let k = gram(2);
            let l = k.llt(faer::Side::Lower).unwrap();
            let l = l.L();
            let mut evidence = 0.0;
            for &u in grid.iter().step_by(2) {
                for &w in grid.iter().step_by(2) {
                    let (f, g) = (l[(0, 0)] * u, l[(1, 0)] * u + l[(1, 1)] * w);
                    let density = t_density(&likelihood, value - f) * t_density(&likelihood, 0.5 - g);
                    evidence += 4.0 * normal(u) * normal(w) * density;
                }
            }
            let observations = Observations::reals(&[value, 0.5]).unwrap();
            let gap = evidence.ln() - fit(&k, &likelihood, &observations, None).unwrap().objective();
            assert!((-1e-6..0.8).contains(&gap), "two points, {scale} {excess} {value}: {gap}");
        }
    }
}

/// Values that follow a curve, two of them grossly wrong, two points observed twice.
fn with_gross_errors(n: usize) -> Observations {
    let points: Vec<usize> = (0..n).chain([1, 4]).collect();
    let value = |(o, &i): (usize, &usize)| {
        let noise = 0.1 * (12.9 * o as f64).sin();
        (1.3 * x(i)).sin() + noise + if o == 3 || o == n { 5.0 } else { 0.0 }
    };
    let values: Vec<f64> = points.iter().enumerate().map(value).collect();
    Observations::grouped_reals(&values, &points, n).unwrap()
}

#[test]
fn hyperparameter_gradients_equal_differences_of_the_optimized_elbo() {
    let (k, observations) = (gram(10), with_gross_errors(10));
    let base = [0.3f64.ln(), 2.5f64.ln()];
    let mut likelihood = Likelihood::student_t(0.3, 2.5).unwrap();
    let posterior = fit(&k, &likelihood, &observations, None).unwrap();
    let found = posterior.likelihood_gradient(&likelihood, &observations).unwrap();
    for p in 0..2 {
        let mut at = |by: f64| {
            let mut logs = base;
            logs[p] += by;
            likelihood.set_params(&logs).unwrap();
            fit(&k, &likelihood, &observations, Some(posterior.sites())).unwrap().objective()
        };
        let expected = (at(1e-4) - at(-1e-4)) / 2e-4;
        assert!((found[p] - expected).abs() < 1e-5 * (1.0 + expected.abs()), "{p}: {} {expected}", found[p]);
    }
}

#[test]
fn many_degrees_of_freedom_give_the_numbers_of_gaussian_noise() {
    let (k, observations) = (gram(9), with_gross_errors(9));
    let gaussian = Likelihood::gaussian(0.09).unwrap();
    let wide = Likelihood::student_t(0.3, 9e7).unwrap();
    let a = exact::fit(k.as_ref(), &gaussian, &observations, &mut Workspace::default()).unwrap();
    let b = fit(&k, &wide, &observations, None).unwrap();
    assert!((a.objective() - b.objective()).abs() < 1e-3, "{} {}", a.objective(), b.objective());
    assert!((&a.latents().mean - &b.latents().mean).norm_max() < 1e-4);
    let loo = |posterior, likelihood| leave_one_out(posterior, likelihood, &observations).unwrap();
    let (a, b) = (loo(&a, &gaussian), loo(&b, &wide));
    assert!((&a.latents.mean - &b.latents.mean).norm_max() < 1e-3);
    for (a, b) in a.log_densities.iter().zip(&b.log_densities) {
        assert!((a - b).abs() < 1e-3 * (1.0 + a.abs()), "{a} {b}");
    }
}

/// The cavity against a fit without the observation.
#[test]
fn leaving_one_out_is_close_to_a_fit_without_it() {
    let n = 12;
    let (k, observations) = (gram(n), with_gross_errors(n));
    let likelihood = Likelihood::student_t(0.15, 1.0).unwrap();
    let posterior = fit(&k, &likelihood, &observations, None).unwrap();
    let found = leave_one_out(&posterior, &likelihood, &observations).unwrap();
    let Observations::Reals(reals) = &observations else { unreachable!() };
    for o in 0..observations.len() {
        let (mut values, mut points) = (reals.values().to_vec(), observations.points().to_vec());
        values.remove(o);
        let i = points.remove(o);
        let others = Observations::grouped_reals(&values, &points, n).unwrap();
        let refit = fit(&k, &likelihood, &others, Some(posterior.sites())).unwrap();
        let (mean, expected) = (found.latents.mean[(o, 0)], refit.latents().mean[(i, 0)]);
        let deviation = refit.latents().variance[(i, 0)].sqrt();
        assert!((mean - expected).abs() < 0.35 * deviation, "{o}: {mean} {expected} ± {deviation}");
    }
}

/// One in ten targets is grossly wrong; hyperparameters of both noises by their objective.
#[test]
fn gross_errors_are_better_predicted_by_student_t_noise() {
    let n = 60;
    let target = |i: usize| (0.9 * x(i)).sin() + 0.1 * (7.3 * i as f64).sin();
    let wrong = |i: usize| if i % 10 == 3 { 4.0 * (1.0 + 0.1 * i as f64).sin().signum() } else { 0.0 };
    let values: Vec<f64> = (0..n).map(|i| target(i) + wrong(i)).collect();
    let observations = Observations::reals(&values).unwrap();
    let k = gram(n);
    let mut workspace = Workspace::default();
    let gaussians = (0..12).map(|e| {
        let likelihood = Likelihood::gaussian(10f64.powf(-2.0 + 0.25 * f64::from(e))).unwrap();
        let posterior = exact::fit(k.as_ref(), &likelihood, &observations, &mut workspace).unwrap();
        (likelihood, posterior)
    });
    let best = |a: (Likelihood, Posterior), b: (Likelihood, Posterior)| {
        if b.1.objective() > a.1.objective() { b } else { a }
    };
    let gaussian = gaussians.reduce(best).unwrap();
    let heavy = (0..24).map(|e| {
        let (scale, excess) = (10f64.powf(-1.5 + 0.25 * f64::from(e % 8)), [0.1, 1.0, 8.0][e as usize / 8]);
        let likelihood = Likelihood::student_t(scale, excess).unwrap();
        let posterior = fit(&k, &likelihood, &observations, None).unwrap();
        (likelihood, posterior)
    });
    let heavy = heavy.reduce(best).unwrap();
    // New points between the old ones, with gross errors as often.
    let new: Vec<usize> = (n..2 * n).collect();
    let cross = Mat::from_fn(n, n, |i, j| kernel(x(new[i]), x(j)));
    let unseen: Vec<f64> = new.iter().map(|&i| target(i) + wrong(i)).collect();
    let unseen = Observations::reals(&unseen).unwrap();
    let score = |(likelihood, posterior): &(Likelihood, Posterior)| {
        let latents = posterior.predict(cross.as_ref(), &vec![1.0; n]).unwrap();
        let densities = likelihood.log_densities(&unseen, latents.mean.as_ref(), latents.variance.as_ref());
        -densities.unwrap().iter().sum::<f64>() / n as f64
    };
    let (plain, robust) = (score(&gaussian), score(&heavy));
    eprintln!("{:?} {plain:.3}, {:?} {robust:.3}", gaussian.0.hyperparameters(), heavy.0.hyperparameters());
    assert!(heavy.1.objective() > gaussian.1.objective());
    assert!(robust < plain - 0.3, "{robust} {plain}");
}

/// Two covariates of each of `n` points.
fn covariates(n: usize) -> Mat<f64> {
    Mat::from_fn(n, 2, |i, b| ((3 * i + 5 * b) as f64).sin() * 1.3)
}

fn scaled(noise: f64, weights: [f64; 2]) -> Likelihood {
    Likelihood::scaled_gaussian(noise, &weights.map(f64::exp)).unwrap()
}

fn exact_fit(k: &Mat<f64>, likelihood: &Likelihood, observations: &Observations) -> Posterior {
    exact::fit(k.as_ref(), likelihood, observations, &mut Workspace::default()).unwrap()
}

/// Every target as a dimension of its own: `log N(y; 0, K[points, points] + diag noise)`.
#[test]
fn the_evidence_of_noise_by_covariates_is_that_of_the_dense_formula() {
    let n = 8;
    let (k, noise, weights) = (gram(n), 0.2, [0.7, -0.4]);
    let observations = with_gross_errors(n).with_covariates(covariates(n).as_ref()).unwrap();
    let Observations::Reals(reals) = &observations else { unreachable!() };
    let (points, y) = (observations.points(), reals.values());
    let log_factor = |i: usize| weights[0] * covariates(n)[(i, 0)] + weights[1] * covariates(n)[(i, 1)];
    let dense = Mat::from_fn(y.len(), y.len(), |a, b| {
        k[(points[a], points[b])] + if a == b { noise * log_factor(points[a]).exp() } else { 0.0 }
    });
    use faer::linalg::solvers::DenseSolveCore;
    let inverse = dense.partial_piv_lu().inverse();
    let at = |a: usize| (0..y.len()).map(|b| y[a] * inverse[(a, b)] * y[b]).sum::<f64>();
    let square: f64 = (0..y.len()).map(at).sum();
    let constant = y.len() as f64 * (2.0 * std::f64::consts::PI).ln();
    let expected = -0.5 * (square + dense.determinant().ln() + constant);
    let likelihood = scaled(noise, weights);
    let found = exact_fit(&k, &likelihood, &observations);
    assert!(
        (found.objective() - expected).abs() < 1e-10 * expected.abs(),
        "{} {expected}",
        found.objective()
    );
    // The best Gaussian is the posterior.
    let variational = fit(&k, &likelihood, &observations, None).unwrap();
    assert!((variational.objective() - expected).abs() < 1e-9 * expected.abs());
    let noise = likelihood.noise(&[0.5, 2.0]).unwrap();
    assert!((noise[0].variance - 0.2 * (0.7 * 0.5 - 0.4 * 2.0f64).exp()).abs() < 1e-15);
}

#[test]
fn gradients_of_noise_by_covariates_equal_differences_of_the_evidence() {
    let n = 9;
    let observations = with_gross_errors(n).with_covariates(covariates(n).as_ref()).unwrap();
    let (k, base) = (gram(n), [0.3f64.ln(), 0.5, -0.8]);
    let at = |logs: [f64; 3]| {
        let likelihood = scaled(logs[0].exp(), [logs[1], logs[2]]);
        let posterior = exact_fit(&k, &likelihood, &observations);
        let gradient = posterior.likelihood_gradient(&likelihood, &observations).unwrap();
        (posterior.objective(), gradient)
    };
    let found = at(base).1;
    assert_eq!(found.len(), 3);
    for p in 0..3 {
        let moved = |by: f64| {
            let mut logs = base;
            logs[p] += by;
            at(logs).0
        };
        let expected = (moved(1e-5) - moved(-1e-5)) / 2e-5;
        assert!((found[p] - expected).abs() < 1e-7 * (1.0 + expected.abs()), "{p}: {} {expected}", found[p]);
    }
}

#[test]
fn weights_of_zero_give_the_bits_of_one_noise_for_all() {
    let n = 9;
    let (k, plain) = (gram(n), with_gross_errors(n));
    let observations = plain.clone().with_covariates(covariates(n).as_ref()).unwrap();
    let (gaussian, likelihood) = (Likelihood::gaussian(0.3).unwrap(), scaled(0.3, [0.0, 0.0]));
    let (a, b) = (exact_fit(&k, &gaussian, &plain), exact_fit(&k, &likelihood, &observations));
    assert_eq!(a.objective(), b.objective());
    assert_eq!(a.latents(), b.latents());
    assert_eq!(a.alpha(), b.alpha());
    let slope = |posterior: &Posterior, likelihood, observations| {
        posterior.likelihood_gradient(likelihood, observations).unwrap()[0]
    };
    assert_eq!(slope(&a, &gaussian, &plain), slope(&b, &likelihood, &observations));
    let (mut of_a, mut of_b) = (Mat::new(), Mat::new());
    a.gram_gradient(&mut of_a, Par::Seq);
    b.gram_gradient(&mut of_b, Par::Seq);
    assert_eq!(of_a, of_b);
    let loo = leave_one_out(&a, &gaussian, &plain).unwrap();
    assert_eq!(loo, leave_one_out(&b, &likelihood, &observations).unwrap());
}

#[test]
fn leaving_one_out_with_noise_by_covariates_is_exact() {
    let n = 8;
    let (k, likelihood) = (gram(n), scaled(0.1, [1.0, 0.5]));
    let observations = with_gross_errors(n).with_covariates(covariates(n).as_ref()).unwrap();
    let found =
        leave_one_out(&exact_fit(&k, &likelihood, &observations), &likelihood, &observations).unwrap();
    let Observations::Reals(reals) = &observations else { unreachable!() };
    for o in 0..observations.len() {
        let (mut values, mut points) = (reals.values().to_vec(), observations.points().to_vec());
        let value = values.remove(o);
        let i = points.remove(o);
        let others = Observations::grouped_reals(&values, &points, n).unwrap();
        let refit = exact_fit(&k, &likelihood, &others.with_covariates(covariates(n).as_ref()).unwrap());
        let (mean, variance) = (refit.latents().mean[(i, 0)], refit.latents().variance[(i, 0)]);
        assert!((found.latents.mean[(o, 0)] - mean).abs() < 1e-9 * (1.0 + mean.abs()), "{o}");
        let total = variance + likelihood.noise(reals.covariates(i)).unwrap()[0].variance;
        let density = -0.5 * ((2.0 * std::f64::consts::PI * total).ln() + (value - mean).powi(2) / total);
        assert!((found.log_densities[o] - density).abs() < 1e-8 * (1.0 + density.abs()), "{o}");
    }
}

/// Noise ten times as large at one half of the points as at the other is found by its covariate.
#[test]
fn noise_that_differs_is_learned_and_predicts_better() {
    let n = 60;
    let side = Mat::from_fn(n, 1, |i, _| if i.is_multiple_of(2) { 1.0 } else { -1.0 });
    let target = |i: usize| {
        let unit = ((12.9898 * (i as f64 + 1.0)).sin() * 43_758.545_3).rem_euclid(1.0) - 0.5;
        (0.9 * x(i)).sin() + unit * if i.is_multiple_of(2) { 1.5 } else { 0.15 }
    };
    let values: Vec<f64> = (0..n).map(target).collect();
    let plain = Observations::reals(&values).unwrap();
    let observations = plain.clone().with_covariates(side.as_ref()).unwrap();
    let k = gram(n);
    let best = |a: (Likelihood, Posterior), b: (Likelihood, Posterior)| {
        if b.1.objective() > a.1.objective() { b } else { a }
    };
    let level = |e: usize| 10f64.powf(-3.0 + 0.25 * e as f64);
    let one = (0..14).map(|e| Likelihood::gaussian(level(e)).unwrap());
    let one = one.map(|l| (l.clone(), exact_fit(&k, &l, &plain))).reduce(best).unwrap();
    let both = (0..14).flat_map(|e| {
        (0..9).map(move |w| Likelihood::scaled_gaussian(level(e), &[(0.5 * f64::from(w)).exp()]).unwrap())
    });
    let both = both.map(|l| (l.clone(), exact_fit(&k, &l, &observations))).reduce(best).unwrap();
    let unseen: Vec<f64> = (n..2 * n).map(target).collect();
    let unseen = Observations::reals(&unseen).unwrap();
    let cross = Mat::from_fn(n, n, |i, j| kernel(x(n + i), x(j)));
    let score = |(likelihood, posterior): &(Likelihood, Posterior), unseen: &Observations| {
        let latents = posterior.predict(cross.as_ref(), &vec![1.0; n]).unwrap();
        let densities = likelihood.log_densities(unseen, latents.mean.as_ref(), latents.variance.as_ref());
        -densities.unwrap().iter().sum::<f64>() / n as f64
    };
    let scores =
        (score(&one, &unseen), score(&both, &unseen.clone().with_covariates(side.as_ref()).unwrap()));
    eprintln!(
        "{:?} {:.3}, {:?} {:.3}",
        one.0.hyperparameters(),
        scores.0,
        both.0.hyperparameters(),
        scores.1
    );
    assert!(both.1.objective() > one.1.objective() + 5.0);
    assert!(scores.1 < scores.0 - 0.2, "{scores:?}");
}
