//! Laws that hold for every likelihood.

mod predictive;

use super::*;
use faer::Mat;

/// Simpson's rule with `n` steps, an even number.
pub(super) fn simpson(low: f64, high: f64, n: usize, f: impl Fn(f64) -> f64) -> f64 {
    let h = (high - low) / n as f64;
    let weight = |k: usize| if k == 0 || k == n { 1.0 } else { 2.0 + 2.0 * (k % 2) as f64 };
    (0..=n).map(|k| weight(k) * f(low + k as f64 * h)).sum::<f64>() * h / 3.0
}

fn every_kind() -> Vec<(Likelihood, Observations)> {
    let classes = |n: usize| {
        let labels: Vec<u32> = (0..9).map(|i| (i * i % n) as u32).collect();
        Observations::grouped_classes(n, &labels, &[0, 1, 2, 3, 4, 5, 0, 0, 3], 6).unwrap()
    };
    let floored = LikelihoodParams::Bernoulli { link: Link::Probit { floor: 1e-3 }, nodes: 20 };
    let reals = Observations::grouped_reals(&[0.3, -1.0, 2.0, 0.0, 0.1, 5.0, 0.5], &[0, 1, 2, 3, 4, 5, 0], 6)
        .unwrap();
    let covariates = Mat::from_fn(6, 2, |i, b| ((2 * i + 3 * b) as f64).sin());
    let mut all = vec![
        (Likelihood::gaussian(0.3).unwrap(), reals.clone()),
        (
            Likelihood::scaled_gaussian(0.3, &[1.4, 0.6]).unwrap(),
            reals.clone().with_covariates(covariates.as_ref()).unwrap(),
        ),
        (Likelihood::student_t(0.4, 3.0).unwrap(), reals),
    ];
    for params in [LikelihoodParams::PROBIT, LikelihoodParams::LOGIT, floored] {
        all.push((params.check(2).unwrap(), classes(2)));
    }
    for n in [2, 3, 5, 14] {
        all.push((LikelihoodParams::ROBUST_MAX.check(n).unwrap(), classes(n)));
        all.push((LikelihoodParams::SOFTMAX.check(n).unwrap(), classes(n)));
    }
    all
}

fn moments(n_latents: usize) -> (Mat<f64>, Mat<f64>) {
    let mean = Mat::from_fn(6, n_latents, |i, c| ((3 * i + 5 * c) as f64).sin() * 2.0);
    let variance = Mat::from_fn(6, n_latents, |i, c| 0.3 + ((i + 2 * c) as f64).cos().powi(2));
    (mean, variance)
}

#[test]
fn derivatives_equal_central_differences_of_the_value() {
    for (likelihood, observations) in every_kind() {
        let (mean, variance) = moments(likelihood.n_latents());
        let found = likelihood.expectations(&observations, mean.as_ref(), variance.as_ref()).unwrap();
        let value = |mean: &Mat<f64>, variance: &Mat<f64>| {
            likelihood.expectations(&observations, mean.as_ref(), variance.as_ref()).unwrap().value
        };
        let h = 1e-5;
        for (i, c) in [(0, 0), (3, likelihood.n_latents() - 1), (5, likelihood.n_latents() / 2)] {
            let shifted = |base: &Mat<f64>, by: f64| {
                let mut moved = base.clone();
                moved[(i, c)] += by;
                moved
            };
            let slope =
                (value(&shifted(&mean, h), &variance) - value(&shifted(&mean, -h), &variance)) / (2.0 * h);
            assert!((slope - found.d_mean[(i, c)]).abs() < 1e-7 * (1.0 + slope.abs()), "{likelihood:?} mean");
            let slope =
                (value(&mean, &shifted(&variance, h)) - value(&mean, &shifted(&variance, -h))) / (2.0 * h);
            assert!(
                (slope - found.d_variance[(i, c)]).abs() < 1e-7 * (1.0 + slope.abs()),
                "{likelihood:?} variance"
            );
        }
    }
}

#[test]
fn hyperparameter_gradients_equal_central_differences_of_the_value() {
    for (likelihood, observations) in every_kind() {
        let (mean, variance) = moments(likelihood.n_latents());
        let found =
            likelihood.hyperparameter_gradient(&observations, mean.as_ref(), variance.as_ref()).unwrap();
        let logs: Vec<f64> = likelihood.hyperparameters().iter().map(|(_, value)| value.ln()).collect();
        assert_eq!(found.len(), logs.len());
        for (p, found) in found.iter().enumerate() {
            let value = |by: f64| {
                let (mut moved, mut logs) = (likelihood.clone(), logs.clone());
                logs[p] += by;
                moved.set_params(&logs).unwrap();
                moved.expectations(&observations, mean.as_ref(), variance.as_ref()).unwrap().value
            };
            let slope = (value(1e-5) - value(-1e-5)) / 2e-5;
            assert!((slope - found).abs() < 1e-7 * (1.0 + slope.abs()), "{likelihood:?}: {found} {slope}");
        }
    }
}

#[test]
fn learned_values_restore_a_likelihood_to_the_last_bit() {
    for (mut likelihood, _) in every_kind() {
        let logs = vec![0.123_456_789; likelihood.hyperparameters().len()];
        likelihood.set_params(&logs).unwrap();
        let values: Vec<f64> = likelihood.hyperparameters().iter().map(|(_, value)| *value).collect();
        let mut restored = likelihood.clone();
        restored.set_params(&vec![-1.0; logs.len()]).unwrap();
        restored.set_values(&values).unwrap();
        assert_eq!(restored, likelihood);
    }
}

#[test]
fn vanishing_variances_give_the_log_likelihood_and_half_its_curvature() {
    let likelihood = LikelihoodParams::LOGIT.check(2).unwrap();
    let observations = Observations::classes(2, &[1]).unwrap();
    let (mean, variance) = (Mat::from_fn(1, 1, |_, _| 0.7), Mat::zeros(1, 1));
    let found = likelihood.expectations(&observations, mean.as_ref(), variance.as_ref()).unwrap();
    let p = 1.0 / (1.0 + (-0.7f64).exp());
    assert!((found.value - p.ln()).abs() < 1e-12);
    assert!((found.d_variance[(0, 0)] + 0.5 * p * (1.0 - p)).abs() < 1e-8);
}

#[test]
fn probabilities_sum_to_one_and_are_the_exponentials_of_log_densities() {
    for (likelihood, _) in every_kind() {
        let Some(n_classes) = likelihood.n_classes() else { continue };
        let (mean, variance) = moments(likelihood.n_latents());
        let p = likelihood.probabilities(mean.as_ref(), variance.as_ref()).unwrap();
        for i in 0..6 {
            assert!((p.row(i).iter().sum::<f64>() - 1.0).abs() < 1e-12);
            let row = |m: &Mat<f64>| m.row(i).iter().copied().collect::<Vec<f64>>();
            for class in 0..n_classes {
                let log = likelihood.class_log_density(class, &row(&mean), &row(&variance));
                assert!((log.exp() - p[(i, class)]).abs() < 1e-12, "{likelihood:?}");
            }
        }
    }
}

#[test]
fn huge_and_vanishing_moments_stay_finite() {
    for (likelihood, observations) in every_kind() {
        for (m, v) in [(0.0, 0.0), (1e6, 1e-30), (-40.0, 1e8), (1e4, 1e16), (0.0, 1e-16)] {
            let mean = Mat::from_fn(6, likelihood.n_latents(), |i, c| if (i + c) % 2 == 0 { m } else { -m });
            let variance = Mat::from_fn(6, likelihood.n_latents(), |_, _| v);
            let found = likelihood.expectations(&observations, mean.as_ref(), variance.as_ref()).unwrap();
            assert!(found.value.is_finite(), "{likelihood:?} at {m}, {v}: {}", found.value);
            assert!(found.d_mean.norm_max().is_finite() && found.d_variance.norm_max().is_finite());
            let densities =
                likelihood.log_densities(&observations, mean.as_ref(), variance.as_ref()).unwrap();
            assert!(densities.iter().all(|d| d.is_finite()), "{likelihood:?} at {m}, {v}: {densities:?}");
        }
    }
}

#[test]
fn settings_survive_a_round_trip_through_json() {
    for params in [
        LikelihoodParams::PROBIT,
        LikelihoodParams::ROBUST_MAX,
        LikelihoodParams::SOFTMAX,
        LikelihoodParams::StudentT,
        LikelihoodParams::ScaledGaussian { n_covariates: 3 },
    ] {
        let text = serde_json::to_string(&params).unwrap();
        assert_eq!(serde_json::from_str::<LikelihoodParams>(&text).unwrap(), params, "{text}");
    }
}

#[test]
fn invalid_values_are_refused_with_facts() {
    let message = |params: LikelihoodParams, n| params.check(n).unwrap_err().to_string();
    assert_eq!(message(LikelihoodParams::PROBIT, 3), "a Bernoulli likelihood has 2 classes, got 3");
    assert_eq!(
        message(LikelihoodParams::SOFTMAX, 1),
        "a multi-class likelihood needs at least 2 classes, got 1"
    );
    assert_eq!(
        Likelihood::gaussian(-1.0).unwrap_err().to_string(),
        "noise variance must be at least 0 (above 0 where a logarithm needs it) and below inf, got -1"
    );
    let scaled = LikelihoodParams::ScaledGaussian { n_covariates: 2 };
    assert_eq!(
        scaled.check(0).unwrap().noise(&[1.0]).unwrap_err().to_string(),
        "points have 1 covariates, but the noise depends on 2"
    );
    assert_eq!(
        scaled.check(0).unwrap().set_values(&[1.0]).unwrap_err().to_string(),
        "1 learned values are given, but the likelihood has 3"
    );
    assert_eq!(
        Likelihood::scaled_gaussian(1.0, &[10.0]).unwrap().noise(&[-400.0]).unwrap_err().to_string(),
        "noise variance of a point must be at least 0 (above 0 where a logarithm needs it) and below inf, got 0"
    );
    assert_eq!(
        Likelihood::student_t(0.1, 0.0).unwrap_err().to_string(),
        "excess degrees of freedom must be at least 0 (above 0 where a logarithm needs it) and below 100000000, got 0"
    );
    assert_eq!(
        message(LikelihoodParams::Bernoulli { link: Link::Logit, nodes: 0 }, 2),
        "nodes must be between 1 and 300, got 0"
    );
    let likelihood = LikelihoodParams::LOGIT.check(2).unwrap();
    let one = Mat::<f64>::zeros(1, 1);
    let error = |observations, mean: &Mat<f64>| {
        likelihood.expectations(&observations, mean.as_ref(), one.as_ref()).unwrap_err().to_string()
    };
    assert_eq!(
        error(Observations::reals(&[1.0]).unwrap(), &one),
        "observations are real values, but the likelihood is of classes"
    );
    assert_eq!(
        error(Observations::classes(3, &[2]).unwrap(), &one),
        "observations have 3 classes, but the likelihood has 2"
    );
    assert_eq!(
        error(Observations::classes(2, &[1]).unwrap(), &Mat::zeros(2, 1)),
        "means and variances are [2, 1], expected [1, 1]"
    );
    assert_eq!(
        error(Observations::classes(2, &[1]).unwrap(), &Mat::from_fn(1, 1, |_, _| f64::NAN)),
        "latent moment NaN at point 0, function 0: expected finite, variances not negative"
    );
}
