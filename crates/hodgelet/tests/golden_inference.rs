//! Inference against GPflow 2.11.2 and scikit-learn 1.9.1, on numbers computed with them.
//!
//! The numbers hold real graphs of public datasets and are not part of the repository: the directory is named by
//! `HODGELET_GOLDEN`, and without it these tests print that they were skipped.

use faer::{Mat, Par};
use hodgelet::gp::{LaplaceParams, Posterior, VariationalParams, Workspace, exact};
use hodgelet::likelihood::{Likelihood, LikelihoodParams, Link, Observations};
use serde_json::Value;

/// GPflow adds this to the diagonal of the Gram matrix of training points.
const GPFLOW_JITTER: f64 = 1e-6;

const MUTAG: &str = "inference_mutag12_binary.json";
const ENZYMES: &str = "inference_enzymes15_3class.json";

fn golden(file: &str) -> Option<Value> {
    let Ok(directory) = std::env::var("HODGELET_GOLDEN") else {
        eprintln!("SKIPPED: HODGELET_GOLDEN is not set, {file} was not compared");
        return None;
    };
    let path = std::path::Path::new(&directory).join(file);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    Some(serde_json::from_str(&text).unwrap())
}

fn vector(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

fn matrix(value: &Value) -> Mat<f64> {
    let rows: Vec<Vec<f64>> = value.as_array().unwrap().iter().map(vector).collect();
    Mat::from_fn(rows.len(), rows[0].len(), |i, j| rows[i][j])
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

/// Gram matrices and labels of one file.
struct Problem {
    gram: Mat<f64>,
    jittered: Mat<f64>,
    cross: Mat<f64>,
    diagonal: Vec<f64>,
    labels: Vec<u32>,
    test_labels: Vec<u32>,
    n_classes: usize,
    likelihoods: Value,
    sklearn: Value,
}

fn problem(file: &str) -> Option<Problem> {
    let all = golden(file)?;
    let gram = matrix(&all["K_train"]);
    let test = matrix(&all["K_test"]);
    let jittered = Mat::from_fn(gram.nrows(), gram.nrows(), |i, j| {
        gram[(i, j)] + if i == j { GPFLOW_JITTER } else { 0.0 }
    });
    let labels = |key: &str| vector(&all[key]).iter().map(|&y| y as u32).collect();
    Some(Problem {
        jittered,
        cross: matrix(&all["K_test_train"]),
        diagonal: (0..test.nrows()).map(|i| test[(i, i)]).collect(),
        labels: labels("y_train"),
        test_labels: labels("y_test"),
        n_classes: all["num_classes"].as_u64().unwrap() as usize,
        likelihoods: all["likelihoods"].clone(),
        sklearn: all["sklearn_gpc_laplace"].clone(),
        gram,
    })
}

fn assert_close(found: &Mat<f64>, expected: &Mat<f64>, tolerance: f64, what: &str) {
    let error = (found - expected).norm_max();
    assert!(error < tolerance, "{what}: off by {error:e}");
}

fn reals(labels: &[u32]) -> Observations {
    Observations::reals(&labels.iter().map(|&y| f64::from(y)).collect::<Vec<_>>()).unwrap()
}

fn observe(likelihood: &Likelihood, labels: &[u32]) -> Observations {
    match likelihood.n_classes() {
        Some(n_classes) => Observations::classes(n_classes, labels).unwrap(),
        None => reals(labels),
    }
}

fn posterior(problem: &Problem, likelihood: &Likelihood) -> Posterior {
    let observations = observe(likelihood, &problem.labels);
    let inference = VariationalParams::default().check().unwrap();
    inference
        .fit(problem.jittered.as_ref(), likelihood, &observations, None, &mut Workspace::default())
        .unwrap()
}

/// Marginals of GPflow's whitened `q` at the training points: `m = L q_mu`, `diag S` of `L q_sqrt`.
fn whitened_marginals(problem: &Problem, q: &Value) -> (Mat<f64>, Mat<f64>) {
    let n = problem.gram.nrows();
    let llt = problem.jittered.llt(faer::Side::Lower).unwrap();
    let l = llt.L();
    let mean = l * matrix(&q["q_mu"]);
    let roots: Vec<Mat<f64>> = q["q_sqrt"].as_array().unwrap().iter().map(|s| l * matrix(s)).collect();
    let variance = Mat::from_fn(n, roots.len(), |i, c| roots[c].row(i).squared_norm_l2());
    (mean, variance)
}

/// Variational expectation, gradient in the whitened mean and predictions at a given `q`.
fn check_specified(problem: &Problem, key: &str, likelihood: &Likelihood) {
    let q = &problem.likelihoods[key]["at_specified_q"];
    let (mean, variance) = whitened_marginals(problem, q);
    let observations = observe(likelihood, &problem.labels);
    let found = likelihood.expectations(&observations, mean.as_ref(), variance.as_ref()).unwrap();
    let expected = number(&q["var_exp"]);
    assert!((found.value - expected).abs() < 1e-9 * expected.abs(), "{key}: {} {expected}", found.value);
    // ∂ELBO/∂q_mu = Lᵀ g − q_mu
    let llt = problem.jittered.llt(faer::Side::Lower).unwrap();
    let gradient = llt.L().transpose() * &found.d_mean - matrix(&q["q_mu"]);
    assert_close(&gradient, &matrix(&q["grad_q_mu"]), 1e-7, key);
    let (mean, variance) = (matrix(&q["test_f_mean"]), matrix(&q["test_f_var"]));
    check_predictive(problem, key, likelihood, q, &mean, &variance, 1e-8);
}

fn check_predictive(
    problem: &Problem,
    key: &str,
    likelihood: &Likelihood,
    expected: &Value,
    mean: &Mat<f64>,
    variance: &Mat<f64>,
    tolerance: f64,
) {
    let tests = observe(likelihood, &problem.test_labels);
    // Robust-max probabilities of GPflow are not normalized; squashing leaves their sum within 1e-5 of 1.
    let slack = if key.contains("robustmax") { 1e-4f64.max(tolerance) } else { tolerance };
    let densities = likelihood.log_densities(&tests, mean.as_ref(), variance.as_ref()).unwrap();
    for (found, expected) in densities.iter().zip(vector(&expected["test_log_density"])) {
        assert!((found - expected).abs() < slack * (1.0 + expected.abs()), "{key}: {found} {expected}");
    }
    if likelihood.n_classes().is_some() {
        let p = likelihood.probabilities(mean.as_ref(), variance.as_ref()).unwrap();
        let known = matrix(&expected["test_y_mean"]);
        let first = p.ncols() - known.ncols(); // two classes: only that of class 1 is given
        assert_close(&p.subcols(first, known.ncols()).to_owned(), &known, slack, key);
    }
}

/// ELBO reached or surpassed to 1e-6 relative, predictions to 1e-4.
fn check_optimum(problem: &Problem, key: &str, likelihood: &Likelihood) {
    let expected = &problem.likelihoods[key]["at_optimum_q"];
    let posterior = posterior(problem, likelihood);
    let elbo = number(&expected["elbo"]);
    eprintln!("{key}: {} after {} steps, GPflow {elbo}", posterior.objective(), posterior.iterations());
    assert!(posterior.objective() >= elbo - 1e-6 * elbo.abs(), "{key}: {} {elbo}", posterior.objective());
    let latents = posterior.predict(problem.cross.as_ref(), &problem.diagonal).unwrap();
    assert_close(&posterior.latents().mean, &matrix(&expected["train_f_mean"]), 1e-4, key);
    assert_close(&posterior.latents().variance, &matrix(&expected["train_f_var"]), 1e-4, key);
    assert_close(&latents.mean, &matrix(&expected["test_f_mean"]), 1e-4, key);
    assert_close(&latents.variance, &matrix(&expected["test_f_var"]), 1e-4, key);
    check_predictive(problem, key, likelihood, expected, &latents.mean, &latents.variance, 1e-4);
}

fn gaussian() -> Likelihood {
    Likelihood::gaussian(0.1).unwrap()
}

#[test]
fn binary_likelihoods_agree_with_gpflow() {
    let Some(problem) = problem(MUTAG) else { return };
    let probit = LikelihoodParams::Bernoulli { link: Link::Probit { floor: 1e-3 }, nodes: 20 };
    for (key, params) in [("bernoulli_probit_gpflow", probit), ("bernoulli_logit", LikelihoodParams::LOGIT)] {
        let likelihood = params.check(2).unwrap();
        check_specified(&problem, key, &likelihood);
        check_optimum(&problem, key, &likelihood);
    }
}

#[test]
fn robust_max_agrees_with_gpflow() {
    let Some(problem) = problem(ENZYMES) else { return };
    let likelihood = LikelihoodParams::ROBUST_MAX.check(3).unwrap();
    check_specified(&problem, "multiclass_robustmax_eps1e-3", &likelihood);
    check_optimum(&problem, "multiclass_robustmax_eps1e-3", &likelihood);
}

#[test]
fn gaussian_variational_inference_agrees_with_gpflow() {
    for file in [MUTAG, ENZYMES] {
        let Some(problem) = problem(file) else { return };
        check_specified(&problem, "gaussian_var0.1", &gaussian());
        check_optimum(&problem, "gaussian_var0.1", &gaussian());
    }
}

#[test]
fn softmax_reaches_the_optimum_of_product_quadrature() {
    let Some(problem) = problem(ENZYMES) else { return };
    let likelihood = LikelihoodParams::SOFTMAX.check(3).unwrap();
    let softmax = &problem.likelihoods["softmax"];
    let specified = &softmax["at_specified_q"];
    let (mean, variance) = (matrix(&specified["train_f_mean"]), matrix(&specified["train_f_var"]));
    let observations = observe(&likelihood, &problem.labels);
    let found = likelihood.expectations(&observations, mean.as_ref(), variance.as_ref()).unwrap();
    let expected: f64 = vector(&specified["var_exp_quadrature_per_point"]).iter().sum();
    assert!((found.value - expected).abs() < 1e-7 * expected.abs(), "{} {expected}", found.value);

    let optimum = &softmax["at_optimum_q"];
    let posterior = posterior(&problem, &likelihood);
    let elbo = number(&optimum["elbo_quad20"]);
    eprintln!("softmax: {} after {} steps, known {elbo}", posterior.objective(), posterior.iterations());
    assert!((posterior.objective() - elbo).abs() < 1e-6 * elbo.abs());
    let latents = posterior.predict(problem.cross.as_ref(), &problem.diagonal).unwrap();
    assert_close(&latents.mean, &matrix(&optimum["test_f_mean"]), 1e-4, "softmax mean");
    assert_close(&latents.variance, &matrix(&optimum["test_f_var"]), 1e-4, "softmax variance");
    let p = likelihood.probabilities(latents.mean.as_ref(), latents.variance.as_ref()).unwrap();
    assert_close(&p, &matrix(&optimum["test_y_mean_quad40"]), 1e-4, "softmax probabilities");
}

#[test]
fn exact_regression_agrees_with_gpflow() {
    for file in [MUTAG, ENZYMES] {
        let Some(problem) = problem(file) else { return };
        let expected = &problem.likelihoods["gaussian_var0.1"]["gpr_exact"];
        let mut workspace = Workspace::new(Par::Seq);
        let posterior =
            exact::fit(problem.gram.as_ref(), &gaussian(), &reals(&problem.labels), &mut workspace).unwrap();
        let evidence = number(&expected["lml"]);
        assert!((posterior.objective() - evidence).abs() < 1e-10 * evidence.abs());
        let latents = posterior.predict(problem.cross.as_ref(), &problem.diagonal).unwrap();
        assert_close(&latents.mean, &matrix(&expected["test_f_mean"]), 1e-9, "mean");
        assert_close(&latents.variance, &matrix(&expected["test_f_var"]), 1e-9, "variance");
    }
}

/// `E[1/(1 + e^{−f})]` for `f ~ N(mean, variance)` as scikit-learn computes it: the logistic function is replaced
/// by a sum of five error functions \[Williams98\]. Good to about 1e-3.
fn williams_barber_probability(mean: f64, variance: f64) -> f64 {
    const SCALES: [f64; 5] = [0.41, 0.4, 0.37, 0.44, 0.39];
    const WEIGHTS: [f64; 5] = [-1854.8214151, 3516.89893646, 221.29346712, 128.12323805, -2010.49422654];
    let term = |(scale, weight): (f64, f64)| {
        let argument = scale * mean / (1.0 + 2.0 * variance * scale * scale).sqrt();
        0.5 * weight * (1.0 + libm::erf(argument))
    };
    SCALES.into_iter().zip(WEIGHTS).map(term).sum()
}

/// Evidence, latent predictions and probabilities of one class against the rest, as scikit-learn computes them.
fn laplace(problem: &Problem, class: u32) -> (f64, Mat<f64>, Mat<f64>, Vec<f64>) {
    let labels: Vec<u32> = problem.labels.iter().map(|&y| u32::from(y == class)).collect();
    let likelihood = LikelihoodParams::LOGIT.check(2).unwrap();
    let observations = Observations::classes(2, &labels).unwrap();
    let inference = LaplaceParams::default().check().unwrap();
    let fitted = inference
        .fit_binary(problem.gram.as_ref(), &likelihood, &observations, &mut Workspace::default())
        .unwrap();
    let latents = fitted.predict(problem.cross.as_ref(), &problem.diagonal).unwrap();
    let p = (0..latents.mean.nrows())
        .map(|i| williams_barber_probability(latents.mean[(i, 0)], latents.variance[(i, 0)]))
        .collect();
    (fitted.log_evidence(), latents.mean, latents.variance, p)
}

#[test]
fn laplace_agrees_with_scikit_learn() {
    let Some(problem) = problem(MUTAG) else { return };
    let (evidence, mean, variance, p) = laplace(&problem, 1);
    let expected = &problem.sklearn;
    let known = number(&expected["log_marginal_likelihood"]);
    assert!((evidence - known).abs() < 1e-8 * known.abs(), "{evidence} {known}");
    let proba = matrix(&expected["predict_proba"]);
    let (known_mean, known_variance) = (vector(&expected["test_f_mean"]), vector(&expected["test_f_var"]));
    for i in 0..p.len() {
        assert!((mean[(i, 0)] - known_mean[i]).abs() < 1e-5);
        assert!((variance[(i, 0)] - known_variance[i]).abs() < 1e-5);
        assert!((p[i] - proba[(i, 1)]).abs() < 1e-6, "{} {}", p[i], proba[(i, 1)]);
    }
}

#[test]
fn one_against_the_rest_agrees_with_scikit_learn() {
    let Some(problem) = problem(ENZYMES) else { return };
    let all: Vec<_> = (0..problem.n_classes as u32).map(|class| laplace(&problem, class)).collect();
    let evidence: f64 = all.iter().map(|(evidence, ..)| evidence).sum::<f64>() / all.len() as f64;
    let known = number(&problem.sklearn["log_marginal_likelihood"]);
    assert!((evidence - known).abs() < 1e-8 * known.abs(), "{evidence} {known}");
    let proba = matrix(&problem.sklearn["predict_proba"]);
    for i in 0..proba.nrows() {
        let total: f64 = all.iter().map(|(.., p)| p[i]).sum();
        for (class, (.., p)) in all.iter().enumerate() {
            assert!((p[i] / total - proba[(i, class)]).abs() < 1e-6);
        }
    }
}
