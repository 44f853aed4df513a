//! Inputs that break careless code: a valid answer or a typed error, never NaN, a panic or an endless loop.

use faer::{Mat, Par};
use hodgelet::gp::leave_one_out::leave_one_out;
use hodgelet::gp::{GpError, LaplaceParams, Sites, VariationalParams, Workspace, exact};
use hodgelet::likelihood::{Likelihood, LikelihoodParams, Link, Observations};
use hodgelet::linalg::cholesky::NotPositiveDefinite;

fn gram(n: usize) -> Mat<f64> {
    Mat::from_fn(n, n, |i, j| (-0.3 * (i as f64 - j as f64).powi(2)).exp())
}

const FLOORED: LikelihoodParams =
    LikelihoodParams::Bernoulli { link: Link::Probit { floor: 1e-3 }, nodes: 20 };

fn every_likelihood(n_classes: usize) -> Vec<Likelihood> {
    let mut all = vec![
        LikelihoodParams::ROBUST_MAX.check(n_classes).unwrap(),
        LikelihoodParams::SOFTMAX.check(n_classes).unwrap(),
    ];
    if n_classes == 2 {
        all.extend([LikelihoodParams::PROBIT, LikelihoodParams::LOGIT, FLOORED].map(|p| p.check(2).unwrap()));
    }
    all
}

/// Runs everything there is on one problem; whatever comes back must be finite.
fn run_all(k: &Mat<f64>, likelihood: &Likelihood, observations: &Observations) -> Result<usize, GpError> {
    let n = k.nrows();
    let inference = VariationalParams::default().check()?;
    let mut workspace = Workspace::default();
    let posterior = inference.fit(k.as_ref(), likelihood, observations, None, &mut workspace)?;
    assert!(posterior.objective().is_finite());
    let mut gradient = Mat::new();
    posterior.gram_gradient(&mut gradient, Par::Seq);
    assert!(gradient.norm_max().is_finite());
    let diagonal: Vec<f64> = (0..n).map(|i| k[(i, i)]).collect();
    let latents = posterior.predict(k.as_ref(), &diagonal)?;
    assert!(latents.mean.norm_max().is_finite() && latents.variance.norm_max().is_finite());
    if likelihood.n_classes().is_some() {
        let p = likelihood.probabilities(latents.mean.as_ref(), latents.variance.as_ref())?;
        assert!(p.col_iter().all(|c| c.iter().all(|p| (0.0..=1.0 + 1e-12).contains(p))));
    }
    let left_out = leave_one_out(&posterior, likelihood, observations)?;
    assert!(left_out.log_densities.iter().all(|x| x.is_finite()));
    Ok(posterior.iterations())
}

#[test]
fn one_point_two_points_and_one_class_only() {
    for n in [1, 2, 6] {
        for likelihood in every_likelihood(2).into_iter().chain(every_likelihood(3)) {
            let n_classes = likelihood.n_classes().unwrap();
            for labels in [vec![0; n], vec![1; n], (0..n as u32).map(|i| i % n_classes as u32).collect()] {
                let observations = Observations::classes(n_classes, &labels).unwrap();
                run_all(&gram(n), &likelihood, &observations).unwrap();
            }
        }
    }
}

#[test]
fn contradicting_duplicates_balance_out() {
    // One point seen equally often in both classes says nothing, collapsed or not.
    let likelihood = LikelihoodParams::LOGIT.check(2).unwrap();
    let merged = Observations::grouped_classes(2, &[0, 1, 0, 1], &[0; 4], 1).unwrap();
    let apart = Observations::classes(2, &[0, 1, 0, 1]).unwrap();
    let ones = Mat::from_fn(4, 4, |_, _| 3.0);
    let inference = VariationalParams::default().check().unwrap();
    for (k, observations) in [(ones.submatrix(0, 0, 1, 1), &merged), (ones.as_ref(), &apart)] {
        let posterior = inference.fit(k, &likelihood, observations, None, &mut Workspace::default()).unwrap();
        assert!(posterior.latents().mean.norm_max() < 1e-6);
    }
    for likelihood in every_likelihood(2) {
        run_all(&ones, &likelihood, &apart).unwrap();
    }
}

#[test]
fn gram_matrices_of_any_scale() {
    for scale in [0.0, 1e-16, 1e-8, 1e-3, 1e3, 1e8] {
        for likelihood in every_likelihood(2).into_iter().chain(every_likelihood(4)) {
            let n_classes = likelihood.n_classes().unwrap();
            let labels: Vec<u32> = (0..12).map(|i| (i * i % n_classes) as u32).collect();
            let observations = Observations::classes(n_classes, &labels).unwrap();
            let k = gram(12) * faer::Scale(scale);
            match run_all(&k, &likelihood, &observations) {
                Ok(iterations) => eprintln!("{scale:e}, {n_classes} classes: {iterations} steps"),
                // At standard deviations of 10⁴ twenty nodes make steps of the likelihood; the iteration may say so.
                Err(GpError::NotConverged { change, .. }) if scale >= 1e8 => assert!(change.is_finite()),
                Err(error) => panic!("{scale:e}, {n_classes} classes: {error}"),
            }
        }
    }
}

#[test]
fn without_prior_variance_the_answer_is_the_prior_and_the_gradient_that_of_the_likelihood() {
    let likelihood = LikelihoodParams::LOGIT.check(2).unwrap();
    let observations = Observations::classes(2, &[1, 0]).unwrap();
    let inference = VariationalParams::default().check().unwrap();
    let zero = Mat::<f64>::zeros(2, 2);
    let posterior =
        inference.fit(zero.as_ref(), &likelihood, &observations, None, &mut Workspace::default()).unwrap();
    assert!((posterior.objective() - 2.0 * 0.5f64.ln()).abs() < 1e-10);
    // At f = 0: g = ±½ and h = ¼, so ∂ELBO/∂K = ½ (g gᵀ − diag h).
    let mut gradient = Mat::new();
    posterior.gram_gradient(&mut gradient, Par::Seq);
    assert!(gradient[(0, 0)].abs() < 1e-8 && (gradient[(1, 0)] + 0.125).abs() < 1e-8, "{gradient:?}");
}

#[test]
fn three_hundred_classes() {
    let labels: Vec<u32> = (0..30).map(|i| i * 47 % 300).collect();
    let points: Vec<usize> = (0..30).map(|i| i / 3).collect();
    let observations = Observations::grouped_classes(300, &labels, &points, 10).unwrap();
    for likelihood in every_likelihood(300) {
        run_all(&gram(10), &likelihood, &observations).unwrap();
    }
}

#[test]
fn huge_targets_and_tiny_noise() {
    for (scale, noise) in [(1e8, 1e-8), (1e-8, 1e8), (1e12, 1e-3), (1.0, 1e-300), (1e200, 1.0)] {
        let values: Vec<f64> = (0..6).map(|i| scale * (i as f64).sin()).collect();
        let observations = Observations::reals(&values).unwrap();
        let likelihood = Likelihood::gaussian(noise).unwrap();
        match exact::fit(gram(6).as_ref(), &likelihood, &observations, &mut Workspace::default()) {
            Ok(posterior) => assert!(posterior.objective().is_finite()),
            Err(error) => assert!(
                matches!(error, GpError::Overflow { .. } | GpError::NotPositiveDefinite(_)),
                "{error}"
            ),
        }
    }
}

#[test]
fn an_indefinite_gram_matrix_names_its_pivot() {
    let k = Mat::from_fn(3, 3, |i, j| if i == j { 1.0 } else { 40.0 });
    let likelihood = LikelihoodParams::LOGIT.check(2).unwrap();
    let observations = Observations::classes(2, &[0, 1, 1]).unwrap();
    let inference = VariationalParams::default().check().unwrap();
    let error =
        inference.fit(k.as_ref(), &likelihood, &observations, None, &mut Workspace::default()).err().unwrap();
    assert!(matches!(error, GpError::NotPositiveDefinite(NotPositiveDefinite { pivot: 1 })), "{error:?}");
    assert!(error.hint().is_some());
}

#[test]
fn inputs_that_do_not_fit_are_refused() {
    let likelihood = LikelihoodParams::LOGIT.check(2).unwrap();
    let observations = Observations::classes(2, &[0, 1]).unwrap();
    let inference = VariationalParams::default().check().unwrap();
    let fit = |k: &Mat<f64>, start: Option<&Sites>| {
        let outcome = inference.fit(k.as_ref(), &likelihood, &observations, start, &mut Workspace::default());
        outcome.err().map(|error| error.to_string())
    };
    assert_eq!(fit(&gram(3), None).unwrap(), "Gram matrix is [3, 3], expected [2, 2]");
    let mut bad = gram(2);
    bad[(1, 0)] = f64::NAN;
    assert_eq!(
        fit(&bad, None).unwrap(),
        "Gram matrix has NaN at (1, 0), expected finite, variances not negative"
    );
    assert_eq!(fit(&gram(2), Some(&Sites::zeros(3, 1))).unwrap(), "sites are [3, 1], expected [2, 1]");
    assert!(Sites::new(1, 1, vec![f64::NAN], vec![0.0]).is_none());
    assert_eq!(
        VariationalParams { tolerance: 0.0, ..Default::default() }.check().unwrap_err().to_string(),
        "tolerance must be above 0 and finite, got 0"
    );
    assert_eq!(
        LaplaceParams { max_iterations: 0, ..Default::default() }.check().unwrap_err().to_string(),
        "max iterations must be at least 1, got 0"
    );
}

#[test]
fn an_iteration_without_time_says_so() {
    let likelihood = LikelihoodParams::LOGIT.check(2).unwrap();
    let observations = Observations::classes(2, &[0, 1, 1, 0]).unwrap();
    let inference = VariationalParams { max_iterations: 2, ..Default::default() }.check().unwrap();
    let k = gram(4) * faer::Scale(50.0);
    let outcome = inference.fit(k.as_ref(), &likelihood, &observations, None, &mut Workspace::default());
    assert!(matches!(outcome, Err(GpError::NotConverged { iterations: 2, .. })));
}

#[test]
fn laplace_takes_the_same_hostile_inputs() {
    let inference = LaplaceParams::default().check().unwrap();
    for scale in [0.0, 1e-8, 1.0, 1e3, 1e8] {
        let k = gram(8) * faer::Scale(scale);
        for labels in [[0u32; 8], [0, 1, 1, 0, 1, 0, 0, 1]] {
            let observations = Observations::classes(2, &labels).unwrap();
            for params in [LikelihoodParams::PROBIT, LikelihoodParams::LOGIT] {
                let likelihood = params.check(2).unwrap();
                let mut workspace = Workspace::default();
                let fitted =
                    inference.fit_binary(k.as_ref(), &likelihood, &observations, &mut workspace).unwrap();
                assert!(fitted.log_evidence().is_finite() && fitted.log_evidence() <= 0.0);
            }
        }
    }
    let likelihood = FLOORED.check(2).unwrap();
    let observations = Observations::classes(2, &[0, 1]).unwrap();
    let error = inference
        .fit_binary(gram(2).as_ref(), &likelihood, &observations, &mut Workspace::default())
        .err()
        .unwrap();
    assert_eq!(error.to_string(), "binary Laplace does not apply to a probit with a floor");
}

/// A scale whose square is no number, or zero, is no noise.
#[test]
fn noise_without_a_variance_is_refused() {
    assert!(Likelihood::student_t(1e-100, 4.0).is_ok());
    for (scale, excess) in
        [(0.0, 1.0), (1e-200, 1.0), (1e160, 1.0), (1e140, 1e-40), (1.0, 0.0), (1.0, f64::NAN)]
    {
        assert!(Likelihood::student_t(scale, excess).is_err(), "{scale} {excess}");
    }
}
