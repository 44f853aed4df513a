//! The gradient of the objective end to end: kernel, standardizer, features, filters, priors and noise.

use super::*;
use crate::dataset::{Column, Dataset};
use crate::model::testing::{dataset, small_settings};
use crate::param::Transform;
use crate::settings::{BlockKind, ClassLikelihood};
use crate::wavelet::ScaleSpread;
use std::ops::ControlFlow;

/// Step of the differences: the five-point formula errs by about its fourth power.
const STEP: f64 = 1e-3;

/// The inner loop is 1e-13 from its optimum, and the gradient errs by the root of that.
const TOLERANCE: f64 = 2e-6;

/// The problem of all complexes of a dataset.
fn problem(settings: &Settings, dataset: &Dataset) -> Problem {
    let train: Vec<usize> = (0..dataset.len()).collect();
    let measurer = Measurer::fit(settings, dataset, &train).unwrap();
    let measured = measurer.measure(dataset, |_| ControlFlow::Continue(())).unwrap();
    Problem::new(settings, &measurer, &measured, dataset.targets(), &train).unwrap()
}

/// Compares all entries of the gradient near a start with differences of the objective, and returns the number of
/// rows that stand for several complexes.
fn check_gradient(settings: &Settings, dataset: &Dataset) -> usize {
    let problem = problem(&Settings { inner_tol: 1e-13, ..settings.clone() }, dataset);
    let (mut objective, start) = problem.start_of(0).unwrap();
    // Away from the start, where all priors are flat.
    let theta: Vec<f64> = start.iter().enumerate().map(|(p, x)| x + 0.2 * (p as f64 + 1.0).sin()).collect();
    let mut gradient = vec![0.0; theta.len()];
    // The inner loop goes on from where the last evaluation left it.
    for _ in 0..4 {
        objective.evaluate(&theta, &mut gradient).unwrap();
    }

    let mut unused = vec![0.0; theta.len()];
    let mut largest = 0.0f64;
    for p in 0..theta.len() {
        let mut at = |steps: f64| {
            let mut moved = theta.clone();
            moved[p] += steps * STEP;
            objective.evaluate(&moved, &mut unused).unwrap()
        };
        let expected = (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / (12.0 * STEP);
        let error = (gradient[p] - expected).abs();
        assert!(error <= TOLERANCE * (1.0 + expected.abs()), "{p}: {} but {expected}", gradient[p]);
        largest = largest.max(expected.abs());
    }
    assert!(largest > 0.1, "the objective is flat");
    problem.weights.as_ref().map_or(0, |weights| weights.iter().filter(|&&w| w > 1.0).count())
}

#[test]
fn the_gradient_is_right_for_two_classes_and_all_blocks() {
    let data = dataset(14, 2, 1);
    let settings = small_settings();
    assert_eq!(Measurer::fit(&settings, &data, &[0, 1]).unwrap().blocks().unwrap().len(), 7);
    check_gradient(&settings, &data);
    check_gradient(&Settings { likelihood: Some(ClassLikelihood::Softmax), ..settings }, &data);
}

#[test]
fn the_gradient_is_right_with_labels_and_values() {
    let labels = [BlockKind::EdgeLabels, BlockKind::VertexLabels];
    let blocks =
        [&[BlockKind::Energies][..], &labels, &[BlockKind::Values, BlockKind::SmoothedValues]].concat();
    for kernel in [Family::SquaredExponential, Family::Matern12, Family::RationalQuadratic, Family::Linear] {
        let settings = Settings { blocks: Some(blocks.clone()), kernel, ..small_settings() };
        let found = Measurer::fit(&settings, &dataset(14, 2, 1), &[0, 1]).unwrap().blocks().unwrap();
        assert_eq!(found.len(), 11);
        check_gradient(&settings, &dataset(14, 2, 1));
        check_gradient(&settings, &dataset(14, 0, 1));
    }
}

#[test]
fn the_gradient_is_right_with_a_given_matrix_and_values_of_edges() {
    let matrix: Vec<f64> = (0..14 * 14).map(|at| f64::cos((at / 14) as f64 - (at % 14) as f64)).collect();
    let blocks =
        vec![BlockKind::Energies, BlockKind::Grams, BlockKind::EdgeValues, BlockKind::SmoothedEdgeValues];
    let settings = Settings { blocks: Some(blocks), ..small_settings() };
    for n_classes in [0, 2] {
        let gram = Column::gram(None, (14, 14), &matrix).unwrap();
        let data = dataset(14, n_classes, 1).with_column(gram).unwrap();
        let found = Measurer::fit(&settings, &data, &[0, 1]).unwrap().blocks().unwrap();
        assert_eq!(found.len(), 8);
        check_gradient(&settings, &data);
    }
}

#[test]
fn the_gradient_is_right_without_priors() {
    check_gradient(&Settings { prior_deviation: None, ..small_settings() }, &dataset(12, 2, 2));
}

#[test]
fn the_gradient_is_right_for_several_classes() {
    let softmax = Settings { likelihood: Some(ClassLikelihood::Softmax), ..small_settings() };
    check_gradient(&softmax, &dataset(12, 4, 3));
    check_gradient(&softmax, &dataset(12, 3, 3));
    check_gradient(&small_settings(), &dataset(12, 3, 4));
}

#[test]
fn the_gradient_is_right_for_real_targets() {
    check_gradient(&small_settings(), &dataset(14, 0, 5));
    check_gradient(&Settings { prior_deviation: None, ..small_settings() }, &dataset(14, 0, 6));
}

#[test]
fn the_gradient_is_right_for_a_shared_bank() {
    let settings = Settings { shared_bank: true, ..small_settings() };
    check_gradient(&settings, &dataset(12, 2, 7));
    check_gradient(&settings, &dataset(12, 0, 8));
}

#[test]
fn the_gradient_is_right_for_every_choice_of_lengthscales_and_family() {
    for lengthscales in [LengthscaleChoice::Ard, LengthscaleChoice::PerChannel] {
        check_gradient(&Settings { lengthscales, ..small_settings() }, &dataset(10, 2, 9));
    }
    for kernel in [Family::Matern32, Family::RationalQuadratic, Family::Linear] {
        check_gradient(&Settings { kernel, ..small_settings() }, &dataset(10, 2, 10));
    }
}

#[test]
fn the_gradient_is_right_for_every_transform_of_the_scales() {
    for transform in [Transform::Log, Transform::Softplus] {
        let settings = Settings { scale_transform: Some(transform), ..small_settings() };
        check_gradient(&settings, &dataset(10, 2, 11));
    }
}

/// Copies weigh their row in the standardizer and sum up in the likelihood; some contradict each other.
#[test]
fn the_gradient_is_right_where_duplicates_collapse() {
    for n_classes in [2, 0] {
        let copies = dataset(10, n_classes, 12).select(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 1, 5]);
        let mut targets = copies.targets().clone();
        match &mut targets {
            Targets::Classes { labels, .. } => labels[12] = 1 - labels[12],
            Targets::Real(values) => values[12] += 0.5,
            Targets::None => unreachable!("the dataset has targets"),
        }
        let copies = copies.with_targets(targets).unwrap();
        assert_eq!(check_gradient(&small_settings(), &copies), 3);
    }
}

/// What priors add to the objective when one parameter moves by 1 in the logarithm is the difference of their densities.
#[test]
fn the_objective_holds_priors_of_the_widths_that_were_asked_for() {
    let data = dataset(14, 0, 12);
    let of = |prior_deviation| problem(&Settings { prior_deviation, ..small_settings() }, &data);
    let (with, without, whole) = (of(Some(0.5)), of(None), of(Some(1.0)));
    let (mut with_priors, mut plain) = (with.objective().unwrap(), without.objective().unwrap());
    let mut added = |theta: &[f64]| with_priors.evaluate(theta).unwrap().0 - plain.evaluate(theta).unwrap().0;
    let start = with.start().unwrap();
    let at_start = added(&start);
    let priors = with.parameters().unwrap().priors();
    assert_eq!(priors.len(), start.len());
    for (p, (prior, wide)) in priors.iter().zip(whole.parameters().unwrap().priors()).enumerate() {
        let (prior, wide) = (prior.unwrap(), wide.unwrap());
        assert_eq!((prior.center(), prior.deviation()), (wide.center(), 0.5 * wide.deviation()));
        let mut moved = start.clone();
        moved[p] += 1.0;
        let found = added(&moved) - at_start;
        let expected = prior.log_density(start[p] + 1.0).0 - prior.log_density(start[p]).0;
        assert!(
            (found - expected).abs() < 1e-6 * (1.0 + expected.abs()),
            "parameter {p}: {found}, expected {expected}"
        );
    }
    assert!(without.parameters().unwrap().priors().iter().all(Option::is_none));
}

/// Starts differ, what is believed before does not.
#[test]
fn all_starts_share_their_priors() {
    let data = dataset(14, 2, 12);
    let problem = problem(&small_settings(), &data);
    let (first, second) = (problem.start_of(0).unwrap(), problem.start_of(1).unwrap());
    assert_ne!(first.1, second.1);
    assert_eq!(first.0.parameters().priors(), second.0.parameters().priors());
}

/// Standard coordinates and back, and the slopes between them.
#[test]
fn standard_coordinates_are_those_of_the_priors() {
    let data = dataset(14, 2, 12);
    for transform in [Transform::Log, Transform::Softplus] {
        let problem = problem(&Settings { scale_transform: Some(transform), ..small_settings() }, &data);
        let parameters = problem.parameters().unwrap();
        let theta = problem.start().unwrap();
        let z = parameters.standard_of(&theta).unwrap();
        let (back, slopes) = parameters.at_standard(&z).unwrap();
        let step = 1e-6;
        let moved: Vec<f64> = z.iter().map(|z| z + step).collect();
        let (further, _) = parameters.at_standard(&moved).unwrap();
        for p in 0..theta.len() {
            assert!((back[p] - theta[p]).abs() < 1e-12, "{transform:?} {p}: {} {}", back[p], theta[p]);
            let slope = (further[p] - back[p]) / step;
            assert!(
                (slope - slopes[p]).abs() < 1e-5 * (1.0 + slope.abs()),
                "{transform:?} {p}: {slope} {}",
                slopes[p]
            );
        }
    }
}

#[test]
fn training_starts_from_scales_that_fit_the_spectrum() {
    let data = dataset(14, 2, 13);
    let starts = |spread, shared_bank| {
        let settings = Settings { scales: Some(spread), shared_bank, ..small_settings() };
        let problem = problem(&settings, &data);
        let of = |b: StartBlock<'_>| Some((b.map.bank()?.scales().to_vec(), b.measures.mean_eigenvalue()?));
        problem.blocks().unwrap().into_iter().filter_map(of).collect::<Vec<_>>()
    };
    let (reference, spectrum) = (starts(ScaleSpread::Reference, false), starts(ScaleSpread::Spectrum, false));
    assert!(reference.len() >= 3);
    for ((drawn, mean), (spread, _)) in reference.iter().zip(&spectrum) {
        assert!((mean - 1.0).abs() > 0.1, "{mean} would prove nothing");
        let (first, last) = (..3, 3..); // two filters of three scales
        assert_eq!(drawn[first], spread[first]);
        for (a, b) in drawn[last.clone()].iter().zip(&spread[last]) {
            assert!((a / mean / b - 1.0).abs() < 1e-14, "{a} / {mean} and {b}");
        }
    }
    assert_eq!(starts(ScaleSpread::Reference, true), starts(ScaleSpread::Spectrum, true));
}

/// The problem of ten complexes of which two are equal, and the model fitted to it.
fn problem_and_model(settings: &Settings) -> (Problem, Model) {
    let data = dataset(9, 2, 3).select(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 8]);
    let train: Vec<usize> = (0..10).collect();
    (problem(settings, &data), settings.fit(&data, &train).unwrap())
}

#[test]
fn the_start_is_the_one_that_training_takes() {
    // No step leaves the start.
    let (problem, model) = problem_and_model(&Settings { iterations: 0, ..small_settings() });
    assert_eq!(problem.start().unwrap(), problem.parameters_of(&model).unwrap());
    assert_eq!((problem.n_points(), problem.n_latents()), (9, 1));
    let blocks = problem.blocks().unwrap();
    for (start, fitted) in blocks.iter().zip(model.blocks()) {
        assert_eq!((start.block, &start.map), (fitted.block, &fitted.map));
        assert_eq!((start.measures.len(), start.measures.n_channels()), (10, fitted.n_channels));
        assert_eq!((start.distinct.len(), start.distinct.n_channels()), (9, fitted.n_channels));
    }
    for (start, fitted) in blocks.iter().zip(model.kernel().blocks()) {
        let [start, fitted] = [&start.kernel, fitted].map(|kernel| kernel.base.lengthscales.values[0]);
        // The model's went through the logarithm.
        assert!((start / fitted - 1.0).abs() < 1e-14, "{start} {fitted}");
    }
}

#[test]
fn the_objective_is_the_one_that_training_maximizes() {
    let (problem, model) = problem_and_model(&small_settings());
    let mut objective = problem.objective().unwrap();
    let (first, _) = objective.evaluate(&problem.start().unwrap()).unwrap();
    let (last, gradient) = objective.evaluate(&problem.parameters_of(&model).unwrap()).unwrap();
    assert!(last > first + 0.1, "{first} then {last}");
    // Both are within the tolerance of the inner loop.
    let summary = model.summary();
    assert!((last - summary.objective).abs() < 1e-4, "{last} but {}", summary.objective);
    assert!(gradient.len() == problem.start().unwrap().len() && gradient.iter().all(|g| g.is_finite()));
    assert!(objective.inner_iterations() >= 2);
}

/// Values, slopes and refusals of what samplers evaluate, against those of training.
#[test]
fn the_sampled_objective_is_the_one_of_training() {
    for n_classes in [0, 2, 3] {
        let data = dataset(40, n_classes, 4);
        let problem = problem(&Settings { inner_tol: 1e-13, ..small_settings() }, &data);
        let (mut exact, start) = problem.start_of(0).unwrap();
        let (mut sampled, same) = problem.sampled_from(0).unwrap();
        assert_eq!(start, same);
        assert!(sampled.tapes.iter().filter(|tape| tape.is_shared()).count() >= 2);
        assert!(!exact.tapes.iter().any(|tape| tape.is_shared()));
        let mut gradients = [vec![0.0; start.len()], vec![0.0; start.len()]];
        for turn in 0..5 {
            let theta: Vec<f64> =
                start.iter().enumerate().map(|(p, x)| x + 0.7 * ((p + 5 * turn) as f64).sin()).collect();
            let [one, other] = &mut gradients;
            let expected = exact.evaluate(&theta, one).unwrap();
            let found = sampled.evaluate(&theta, other).unwrap();
            assert!((found - expected).abs() < 1e-8 * (1.0 + expected.abs()), "{found} {expected}");
            for (found, expected) in other.iter().zip(one.iter()) {
                assert!((found - expected).abs() < 1e-6 * (1.0 + expected.abs()), "{found} {expected}");
            }
        }
        let mut collapsed = start.clone();
        problem.parameters().unwrap().kernel(&mut collapsed)[1] = -30.0;
        let [one, other] = &mut gradients;
        let errors = [exact.evaluate(&collapsed, one), sampled.evaluate(&collapsed, other)];
        for error in errors {
            assert!(error.unwrap_err().to_string().contains("lengthscale"), "{collapsed:?}");
        }
    }
}

#[test]
fn another_number_of_parameters_is_refused() {
    let (problem, _) = problem_and_model(&small_settings());
    let error = problem.objective().unwrap().evaluate(&[0.0; 3]).unwrap_err();
    let expected = problem.start().unwrap().len();
    assert_eq!(error.to_string(), format!("3 parameters, but the problem has {expected}"));
}

/// Every trained value is named once, with its prior and a value inside its range.
#[test]
fn the_list_of_hyperparameters_is_that_of_the_objective() {
    let data = dataset(12, 0, 5);
    let (settings, train) = (small_settings(), (0..12).collect::<Vec<usize>>());
    let model = settings.fit(&data, &train).unwrap();
    let list = model.hyperparameters();
    let theta = problem(&settings, &data).parameters_of(&model).unwrap();
    assert_eq!(list.len(), theta.len());
    for (entry, u) in list.iter().zip(theta) {
        assert!((entry.value.ln() - u).abs() < 1e-12, "{entry:?}");
        assert!(entry.range.0 <= entry.value && entry.value <= entry.range.1 && entry.prior.is_some());
    }
    let names: std::collections::BTreeSet<&str> = list.iter().map(|entry| entry.name.as_str()).collect();
    assert_eq!(names.len(), list.len());
    for name in ["edge exact: filter 2, band-pass scale 1", "edge harmonic: variance", "noise variance"] {
        assert!(names.contains(name), "{name} is not in {names:?}");
    }
    let loaded = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(loaded.hyperparameters(), list);
}

/// Equal graphs that are not collapsed have a singular Gram matrix: with no noise to speak of there is no factor.
#[test]
fn noise_that_is_less_than_rounding_is_raised() {
    for n_classes in [3, 0] {
        let data = dataset(6, n_classes, 3).select(&[0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5]);
        let settings = Settings { collapse: false, ..small_settings() };
        let problem = problem(&settings, &data);
        let (_, start) = problem.start_of(0).unwrap();
        let mut mode = problem.trained(problem.solve(&start, None).unwrap()).unwrap();
        mode.likelihood.set_values(&[1e-40]).unwrap();
        let solved = problem.solve_with(&mode).unwrap();
        let noise = solved.state.likelihood.hyperparameters()[0].1;
        assert!((1e-20..10.0).contains(&noise), "{noise:e}");
        // Tenfold noise, and a tenth of it, have less evidence.
        let found = problem.trained(solved).unwrap();
        for factor in [10.0, 0.1] {
            let mut other = problem.state_of(&found).unwrap();
            other.likelihood.set_values(&[factor * noise]).unwrap();
            let theta = problem.parameters().unwrap().values(&other);
            let objective = problem.solve(&theta, None).map_or(f64::MIN, |s| s.posterior.objective());
            assert!(objective <= found.posterior.objective(), "{factor}: {objective}");
        }
    }
}
