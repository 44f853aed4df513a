//! Two routes, one number: the laws of inference, on small problems.

use faer::{Mat, Par};
use hodgelet::gp::leave_one_out::leave_one_out;
use hodgelet::gp::variational::from_sites;
use hodgelet::gp::{Collapse, GpError, Posterior, VariationalParams, Workspace, exact};
use hodgelet::likelihood::quadrature::GaussHermite;
use hodgelet::likelihood::{Likelihood, LikelihoodParams, Link, Observations};

fn x(i: usize) -> f64 {
    (1.7 * i as f64).sin() * 2.0 + 0.1 * i as f64
}

/// A squared-exponential Gram matrix on points of a line.
fn gram(n: usize, amplitude: f64) -> Mat<f64> {
    Mat::from_fn(n, n, |i, j| {
        amplitude * (-0.5 * (x(i) - x(j)).powi(2)).exp() + if i == j { 0.05 } else { 0.0 }
    })
}

fn labels(n: usize, n_classes: usize) -> Vec<u32> {
    (0..n).map(|i| ((i * i + i / 3) % n_classes) as u32).collect()
}

fn fit(gram: &Mat<f64>, likelihood: &Likelihood, observations: &Observations) -> Result<Posterior, GpError> {
    let inference = VariationalParams::default().check().unwrap();
    inference.fit(gram.as_ref(), likelihood, observations, None, &mut Workspace::default())
}

/// Labels that follow the points. Robust-max is not log-concave: labels without a pattern give it many optima, and
/// a warm start may land in another one than a cold start.
fn ordered(points: &[usize], n_classes: usize) -> Vec<u32> {
    points.iter().map(|&i| ((x(i) + 2.5) * 1.3) as u32 % n_classes as u32).collect()
}

/// Every likelihood with observations of `n` points, some of them repeated.
fn every_kind(n: usize) -> Vec<(&'static str, Likelihood, Observations)> {
    let points: Vec<usize> = (0..n).chain([0, 0, 2]).collect();
    let values: Vec<f64> = (0..n + 3).map(|i| (0.9 * i as f64).sin()).collect();
    let classes = |c: usize| Observations::grouped_classes(c, &labels(n + 3, c), &points, n).unwrap();
    let followed = |c: usize| Observations::grouped_classes(c, &ordered(&points, c), &points, n).unwrap();
    let floored = LikelihoodParams::Bernoulli { link: Link::Probit { floor: 1e-3 }, nodes: 20 };
    vec![
        (
            "gaussian",
            Likelihood::gaussian(0.2).unwrap(),
            Observations::grouped_reals(&values, &points, n).unwrap(),
        ),
        (
            "student-t",
            Likelihood::student_t(0.3, 4.0).unwrap(),
            Observations::grouped_reals(&values, &points, n).unwrap(),
        ),
        ("probit", LikelihoodParams::PROBIT.check(2).unwrap(), classes(2)),
        ("floored probit", floored.check(2).unwrap(), classes(2)),
        ("logit", LikelihoodParams::LOGIT.check(2).unwrap(), classes(2)),
        ("softmax of 2", LikelihoodParams::SOFTMAX.check(2).unwrap(), classes(2)),
        ("softmax of 3", LikelihoodParams::SOFTMAX.check(3).unwrap(), classes(3)),
        ("softmax of 5", LikelihoodParams::SOFTMAX.check(5).unwrap(), classes(5)),
        ("robust-max of 3", LikelihoodParams::ROBUST_MAX.check(3).unwrap(), followed(3)),
        ("robust-max of 5", LikelihoodParams::ROBUST_MAX.check(5).unwrap(), followed(5)),
    ]
}

fn lower_error(a: &Mat<f64>, b: &Mat<f64>) -> f64 {
    let n = a.nrows();
    (0..n).flat_map(|j| (j..n).map(move |i| (i, j))).map(|at| (a[at] - b[at]).abs()).fold(0.0, f64::max)
}

#[test]
fn variational_inference_with_gaussian_noise_is_exact() {
    let (_, likelihood, observations) = every_kind(12).remove(0);
    let k = gram(12, 1.5);
    let mut workspace = Workspace::default();
    let exact = exact::fit(k.as_ref(), &likelihood, &observations, &mut workspace).unwrap();
    let variational = fit(&k, &likelihood, &observations).unwrap();
    assert!((exact.objective() - variational.objective()).abs() < 1e-10);
    assert!((&exact.latents().mean - &variational.latents().mean).norm_max() < 1e-11);
    assert!((&exact.latents().variance - &variational.latents().variance).norm_max() < 1e-12);
    let (mut a, mut b) = (Mat::new(), Mat::new());
    exact.gram_gradient(&mut a, Par::Seq);
    variational.gram_gradient(&mut b, Par::Seq);
    assert!(lower_error(&a, &b) < 1e-9);
}

/// One factor for all classes gives what a regression for each of them gives; a point without a label too.
#[test]
fn labels_as_numbers_are_as_many_regressions_as_there_are_classes() {
    let (n, n_classes, noise) = (11, 3, 0.4);
    let points: Vec<usize> = (0..n - 1).chain([0, 0, 4]).collect(); // none at the last point
    let labels = labels(points.len(), n_classes);
    let k = gram(n, 1.5);
    let mut workspace = Workspace::default();
    let mut regression = LikelihoodParams::LabelRegression.check(n_classes).unwrap();
    regression.set_values(&[noise]).unwrap();
    let observations = Observations::grouped_classes(n_classes, &labels, &points, n).unwrap();
    let together = exact::fit(k.as_ref(), &regression, &observations, &mut workspace).unwrap();
    let cross = Mat::from_fn(2, n, |i, j| (-0.5 * (x(j) - i as f64).powi(2)).exp());
    let predicted = together.predict(cross.as_ref(), &[2.0; 2]).unwrap();
    let (base, mut evidence) = (1.0 / n_classes as f64, 0.0);
    for c in 0..n_classes {
        let target = |&label: &u32| (f64::from(label == c as u32) - base) / (base * (1.0 - base)).sqrt();
        let targets: Vec<f64> = labels.iter().map(target).collect();
        let observations = Observations::grouped_reals(&targets, &points, n).unwrap();
        let likelihood = Likelihood::gaussian(noise).unwrap();
        let alone = exact::fit(k.as_ref(), &likelihood, &observations, &mut workspace).unwrap();
        evidence += alone.objective();
        let own = alone.predict(cross.as_ref(), &[2.0; 2]).unwrap();
        for i in 0..n {
            let [mean, expected] = [(&together, c), (&alone, 0)].map(|(p, c)| p.latents().mean[(i, c)]);
            assert!((mean - expected).abs() < 1e-12, "point {i}, class {c}: {mean} but {expected}");
            let [v, expected] = [(&together, c), (&alone, 0)].map(|(p, c)| p.latents().variance[(i, c)]);
            assert!((v - expected).abs() < 1e-12, "point {i}, class {c}: {v} but {expected}");
        }
        for i in 0..2 {
            assert!((predicted.mean[(i, c)] - own.mean[(i, 0)]).abs() < 1e-12);
            assert!((predicted.variance[(i, c)] - own.variance[(i, 0)]).abs() < 1e-12);
        }
    }
    assert!((together.objective() - evidence).abs() < 1e-10, "{} {evidence}", together.objective());
}

#[test]
fn the_evidence_is_that_of_the_dense_formula() {
    let k = gram(7, 2.0);
    let y: Vec<f64> = (0..7).map(|i| (i as f64).cos()).collect();
    let likelihood = Likelihood::gaussian(0.3).unwrap();
    let observations = Observations::reals(&y).unwrap();
    let posterior = exact::fit(k.as_ref(), &likelihood, &observations, &mut Workspace::default()).unwrap();
    let noisy = &k + Mat::<f64>::identity(7, 7) * faer::Scale(0.3);
    use faer::linalg::solvers::DenseSolveCore;
    let inverse = noisy.partial_piv_lu().inverse();
    let square: f64 = (0..7).map(|i| (0..7).map(|j| y[i] * inverse[(i, j)] * y[j]).sum::<f64>()).sum();
    let constant = 7.0 * (2.0 * std::f64::consts::PI).ln();
    let expected = -0.5 * (square + noisy.determinant().ln() + constant);
    assert!((posterior.objective() - expected).abs() < 1e-11);
}

/// The derivative in the Gram matrix against central differences of the optimized objective.
#[test]
fn the_gram_gradient_equals_differences_of_the_profiled_objective() {
    let n = 10;
    let k = gram(n, 1.8);
    let direction = Mat::from_fn(n, n, |i, j| ((i + j) as f64).sin() + ((i * j) as f64).cos() * 0.5);
    for (name, likelihood, observations) in every_kind(n) {
        let posterior = fit(&k, &likelihood, &observations).unwrap();
        let mut gradient = Mat::new();
        posterior.gram_gradient(&mut gradient, Par::Seq);
        let mut slope = 0.0;
        for j in 0..n {
            for i in j..n {
                slope += gradient[(i, j)] * direction[(i, j)] * if i == j { 1.0 } else { 2.0 };
            }
        }
        let h = 1e-4;
        let profiled = |by: f64| {
            let moved = &k + &direction * faer::Scale(by);
            let inference = VariationalParams { tolerance: 1e-14, ..Default::default() }.check().unwrap();
            let start = Some(posterior.sites());
            let mut workspace = Workspace::default();
            inference
                .fit(moved.as_ref(), &likelihood, &observations, start, &mut workspace)
                .unwrap()
                .objective()
        };
        // Richardson's combination of two steps: the error falls with the fourth power.
        let central = |h: f64| (profiled(h) - profiled(-h)) / (2.0 * h);
        let expected = (4.0 * central(h) - central(2.0 * h)) / 3.0;
        let error = (slope - expected).abs() / (1.0 + expected.abs());
        eprintln!("{name}: {slope:.9} against {expected:.9}, {} steps", posterior.iterations());
        assert!(error < 2e-6, "{name}: {slope} {expected}, error {error:e}");
    }
}

#[test]
fn the_noise_gradient_equals_differences_of_the_evidence() {
    let (_, _, observations) = every_kind(9).remove(0);
    let k = gram(9, 1.2);
    let at = |noise_variance: f64| {
        let likelihood = Likelihood::gaussian(noise_variance).unwrap();
        let posterior =
            exact::fit(k.as_ref(), &likelihood, &observations, &mut Workspace::default()).unwrap();
        (posterior.objective(), posterior.likelihood_gradient(&likelihood, &observations).unwrap())
    };
    let expected = 0.2 * (at(0.2 + 1e-5).0 - at(0.2 - 1e-5).0) / 2e-5;
    assert_eq!(at(0.2).1.len(), 1);
    assert!((at(0.2).1[0] - expected).abs() < 1e-7 * expected.abs());
}

/// `log p(y)` of two points by brute-force quadrature over both latent values.
#[test]
fn the_elbo_stays_below_the_evidence() {
    let rule = GaussHermite::new(80);
    for amplitude in [0.5, 2.0, 10.0] {
        let k = gram(2, amplitude);
        let l = k.llt(faer::Side::Lower).unwrap();
        let l = l.L();
        for params in [LikelihoodParams::PROBIT, LikelihoodParams::LOGIT] {
            let LikelihoodParams::Bernoulli { link, .. } = params else { unreachable!() };
            let mut evidence = 0.0;
            for (u, a) in rule.iter() {
                for (v, b) in rule.iter() {
                    let (f, g) = (l[(0, 0)] * u, l[(1, 0)] * u + l[(1, 1)] * v);
                    evidence += a * b * link.probability(f) * (1.0 - link.probability(g));
                }
            }
            let likelihood = params.check(2).unwrap();
            let observations = Observations::classes(2, &[1, 0]).unwrap();
            let elbo = fit(&k, &likelihood, &observations).unwrap().objective();
            assert!(elbo <= evidence.ln() + 1e-6 && elbo > evidence.ln() - 0.3, "{elbo} {}", evidence.ln());
        }
    }
}

#[test]
fn collapsed_duplicates_change_nothing() {
    // Rows 0..8 with some repeated, contradicting labels among them.
    let rows = [0usize, 1, 2, 3, 0, 4, 5, 2, 2, 6, 7];
    let small = gram(8, 1.5);
    let features = Mat::from_fn(rows.len(), 2, |o, j| (rows[o] as f64 * 0.7 + j as f64).sin());
    let collapse = Collapse::new(features.as_ref(), 1e-12).unwrap();
    assert_eq!(collapse.groups(), &rows);
    let large = Mat::from_fn(rows.len(), rows.len(), |a, b| small[(rows[a], rows[b])]);
    let cross = Mat::from_fn(3, 8, |i, j| small[(i, j)] * 0.8);
    let wide = Mat::from_fn(3, rows.len(), |i, o| cross[(i, rows[o])]);
    let likelihoods = [
        LikelihoodParams::LOGIT.check(2).unwrap(),
        LikelihoodParams::SOFTMAX.check(3).unwrap(),
        Likelihood::gaussian(0.1).unwrap(),
    ];
    for likelihood in likelihoods {
        let labels = labels(rows.len(), likelihood.n_classes().unwrap_or(3));
        let values: Vec<f64> = labels.iter().map(|&y| f64::from(y)).collect();
        let (merged, apart) = match likelihood.n_classes() {
            None => (Observations::grouped_reals(&values, &rows, 8), Observations::reals(&values)),
            Some(c) => {
                (Observations::grouped_classes(c, &labels, &rows, 8), Observations::classes(c, &labels))
            }
        };
        let (merged, apart) = (merged.unwrap(), apart.unwrap());
        let (a, b) = (fit(&small, &likelihood, &merged).unwrap(), fit(&large, &likelihood, &apart).unwrap());
        assert!((a.objective() - b.objective()).abs() < 1e-8, "{} {}", a.objective(), b.objective());
        for group in 0..8 {
            let members = (0..rows.len()).filter(|&o| rows[o] == group);
            let sum: f64 = members.map(|o| b.alpha()[(o, 0)]).sum();
            assert!((a.alpha()[(group, 0)] - sum).abs() < 1e-5, "alpha of group {group}");
        }
        let p = a.predict(cross.as_ref(), &[1.5; 3]).unwrap();
        let q = b.predict(wide.as_ref(), &[1.5; 3]).unwrap();
        assert!((&p.mean - &q.mean).norm_max() < 1e-5 && (&p.variance - &q.variance).norm_max() < 1e-5);
        let (p, q) = (
            leave_one_out(&a, &likelihood, &merged).unwrap(),
            leave_one_out(&b, &likelihood, &apart).unwrap(),
        );
        for (p, q) in p.log_densities.iter().zip(&q.log_densities) {
            assert!((p - q).abs() < 1e-4, "leave-one-out {p} {q}");
        }
    }
}

/// Refits without each observation in turn.
fn brute_force(k: &Mat<f64>, likelihood: &Likelihood, labels: &[u32], values: &[f64]) -> Vec<f64> {
    let n = labels.len();
    let without = |o: usize| (0..n).filter(move |&i| i != o).collect::<Vec<_>>();
    let observe = |rows: &[usize]| match likelihood.n_classes() {
        None => Observations::reals(&rows.iter().map(|&i| values[i]).collect::<Vec<_>>()).unwrap(),
        Some(c) => Observations::classes(c, &rows.iter().map(|&i| labels[i]).collect::<Vec<_>>()).unwrap(),
    };
    let one = |o: usize| {
        let rows = without(o);
        let reduced = Mat::from_fn(n - 1, n - 1, |i, j| k[(rows[i], rows[j])]);
        let cross = Mat::from_fn(1, n - 1, |_, j| k[(o, rows[j])]);
        let posterior = fit(&reduced, likelihood, &observe(&rows)).unwrap();
        let latents = posterior.predict(cross.as_ref(), &[k[(o, o)]]).unwrap();
        likelihood.log_densities(&observe(&[o]), latents.mean.as_ref(), latents.variance.as_ref()).unwrap()[0]
    };
    (0..n).map(one).collect()
}

#[test]
fn leave_one_out_is_exact_for_gaussian_noise_and_close_for_classes() {
    let n = 14;
    let k = gram(n, 1.5);
    let values: Vec<f64> = (0..n).map(|i| (0.8 * i as f64).sin()).collect();
    let cases = [
        ("gaussian", Likelihood::gaussian(0.2).unwrap(), 1e-9),
        ("probit", LikelihoodParams::PROBIT.check(2).unwrap(), 0.08),
        ("logit", LikelihoodParams::LOGIT.check(2).unwrap(), 0.08),
        ("softmax of 3", LikelihoodParams::SOFTMAX.check(3).unwrap(), 0.08),
    ];
    for (name, likelihood, tolerance) in cases {
        let labels = labels(n, likelihood.n_classes().unwrap_or(1));
        let observations = match likelihood.n_classes() {
            None => Observations::reals(&values).unwrap(),
            Some(c) => Observations::classes(c, &labels).unwrap(),
        };
        let posterior = fit(&k, &likelihood, &observations).unwrap();
        let found = leave_one_out(&posterior, &likelihood, &observations).unwrap();
        let expected = brute_force(&k, &likelihood, &labels, &values);
        let naive = likelihood
            .log_densities(
                &observations,
                posterior.latents().mean.as_ref(),
                posterior.latents().variance.as_ref(),
            )
            .unwrap();
        let worst = |a: &[f64]| a.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        eprintln!(
            "{name}: off by {:.2e}, without the cavity {:.2e}",
            worst(&found.log_densities),
            worst(&naive)
        );
        assert!(worst(&found.log_densities) < tolerance, "{name}: {}", worst(&found.log_densities));
        assert!(worst(&naive) > 3.0 * worst(&found.log_densities));
        if likelihood.n_classes().is_some() {
            for (o, &label) in labels.iter().enumerate() {
                let p = found.probabilities[(o, label as usize)];
                assert!((p.ln() - found.log_densities[o]).abs() < 1e-10);
            }
        }
    }
}

#[test]
fn variational_softmax_of_two_classes_is_logit_with_twice_the_gram_matrix_up_to_factorization() {
    // Only the difference of two latent functions matters to the softmax, and its prior covariance is 2K. With softmax q is
    // factorized over the classes, so its ELBO is at most that of the single latent function.
    let k = gram(9, 1.3);
    let twice = &k * faer::Scale(2.0);
    let observations = Observations::classes(2, &labels(9, 2)).unwrap();
    let softmax = fit(&k, &LikelihoodParams::SOFTMAX.check(2).unwrap(), &observations).unwrap().objective();
    let logit = fit(&twice, &LikelihoodParams::LOGIT.check(2).unwrap(), &observations).unwrap().objective();
    assert!(softmax <= logit + 1e-9 && softmax > logit - 1.0, "{softmax} {logit}");
}

#[test]
fn warm_starts_are_short_and_sites_are_enough_to_restore_a_posterior() {
    let n = 20;
    let k = gram(n, 1.5);
    let moved = gram(n, 1.52);
    let inference = VariationalParams::default().check().unwrap();
    for (name, likelihood, observations) in every_kind(n) {
        let mut workspace = Workspace::default();
        let cold = inference.fit(k.as_ref(), &likelihood, &observations, None, &mut workspace).unwrap();
        let restored =
            from_sites(k.as_ref(), &likelihood, &observations, cold.sites(), &mut workspace).unwrap();
        assert_eq!(cold.objective().to_bits(), restored.objective().to_bits(), "{name}");
        assert_eq!(cold.alpha(), restored.alpha(), "{name}");
        let again = inference.fit(moved.as_ref(), &likelihood, &observations, None, &mut workspace).unwrap();
        let start = Some(cold.sites());
        let warm = inference.fit(moved.as_ref(), &likelihood, &observations, start, &mut workspace).unwrap();
        assert!((warm.objective() - again.objective()).abs() < 1e-8 * again.objective().abs(), "{name}");
        assert!(warm.iterations() <= again.iterations(), "{name}");
        workspace.recycle(warm);
        let text = serde_json::to_string(cold.sites()).unwrap();
        assert_eq!(&serde_json::from_str::<hodgelet::gp::Sites>(&text).unwrap(), cold.sites(), "{name}");
    }
}

#[test]
fn the_number_of_threads_does_not_change_a_bit() {
    let k = gram(40, 1.5);
    for (name, likelihood, observations) in every_kind(40) {
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let posterior = fit(&k, &likelihood, &observations).unwrap();
                let mut gradient = Mat::new();
                posterior.gram_gradient(&mut gradient, Par::Seq);
                (posterior.objective().to_bits(), posterior.alpha().to_owned(), gradient)
            })
        };
        let one = run(1);
        assert!([2, 3, 7].into_iter().all(|threads| run(threads) == one), "{name}");
    }
}

/// Labels that mostly follow the features, and some that do not.
#[test]
fn robust_max_converges_in_spite_of_wrong_labels() {
    let n = 120;
    let x = |i: usize, k: usize| ((i * (k + 3)) as f64 * 0.37 + k as f64).sin() * 2.0;
    let k = Mat::from_fn(n, n, |i, j| {
        let square: f64 = (0..4).map(|d| (x(i, d) - x(j, d)).powi(2)).sum();
        2.0 * (-0.5 * square / 2.25).exp()
    });
    let wrong = |i: usize| if i.is_multiple_of(11) { 1.5 } else { 0.0 };
    let score = |i: usize| x(i, 0) + 0.7 * x(i, 1) + 4.0 + wrong(i);
    let labels: Vec<u32> = (0..n).map(|i| (score(i) * 0.8) as u32 % 6).collect();
    let observations = Observations::classes(6, &labels).unwrap();
    let posterior = fit(&k, &LikelihoodParams::ROBUST_MAX.check(6).unwrap(), &observations).unwrap();
    eprintln!("robust-max of 6: {} steps, ELBO {}", posterior.iterations(), posterior.objective());
    assert!(posterior.iterations() < 300 && posterior.objective() > -159.0);
}

/// What training relies on: a posterior cut short is a bound, and going on from it leads to the optimum.
#[test]
fn a_posterior_cut_short_is_a_bound_and_a_start() {
    let n = 30;
    let k = gram(n, 1.5);
    let inference = VariationalParams { tolerance: 1e-12, max_iterations: 12, ..Default::default() };
    let inference = inference.check().unwrap();
    for (name, likelihood, observations) in every_kind(n) {
        let mut workspace = Workspace::default();
        let best = fit(&k, &likelihood, &observations).unwrap().objective();
        let (mut sites, mut elbo, mut rounds) = (None, f64::NEG_INFINITY, 0);
        while elbo < best - 1e-6 * best.abs() {
            let start = sites.as_ref();
            let short = inference
                .fit_within(k.as_ref(), &likelihood, &observations, start, &mut workspace)
                .unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(short.iterations() <= 12, "{name}");
            assert!(
                short.objective() >= elbo - 1e-9 * best.abs(),
                "{name}: {} after {elbo}",
                short.objective()
            );
            assert!(short.objective() <= best + 1e-6 * best.abs(), "{name}: {} > {best}", short.objective());
            (sites, elbo) = (Some(short.sites().clone()), short.objective());
            rounds += 1;
            assert!(rounds < 200, "{name}: stuck at {elbo}, expected {best}");
        }
    }
}
