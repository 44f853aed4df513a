//! The gradient of the objective end to end: kernel, standardizer, features, filters, priors and noise.

use super::*;
use crate::model::testing::{dataset, small_bank, small_params};
use crate::model::{ClassLikelihood, FeatureTransform};
use crate::wavelet::{BankParams, ScaleSpread, ScaleTransform};

/// Step of the differences: the five-point formula errs by about its fourth power.
const STEP: f64 = 1e-3;

/// The inner loop is 1e-13 from its optimum, and the gradient errs by the root of that.
const TOLERANCE: f64 = 2e-6;

/// Compares all entries of the gradient near a start with differences of the objective, and returns the number of
/// rows that stand for several complexes.
fn check_gradient(params: &ModelParams, dataset: &Dataset) -> usize {
    let mut params = params.clone();
    params.variational.tolerance = 1e-13;
    let train: Vec<usize> = (0..dataset.len()).collect();
    let encoding = params.space.encoding.fit(dataset, &train).unwrap();
    let measured = measure_dataset(dataset, &encoding, &params.space, |_| ControlFlow::Continue(())).unwrap();
    let (_, observed) = Observed::new(dataset.targets(), &train).unwrap();
    let mut setup = Setup::new(&params, &encoding, &measured, &train).unwrap();
    let collapse = setup.collapse(params.collapse).unwrap();
    let problem = setup.problem(&params, &collapse, &observed).unwrap();
    let state = setup.state(&params, &problem, 0, observed.likelihood(&params)).unwrap();
    let priors = Priors::new(&params, &state).unwrap();
    // Away from the start, where all priors are flat.
    let start = state.parameters(params.space.shared_bank);
    let theta: Vec<f64> = start.iter().enumerate().map(|(p, x)| x + 0.2 * (p as f64 + 1.0).sin()).collect();
    let mut objective = Objective::new(&problem, state, priors).unwrap();
    let mut gradient = vec![0.0; theta.len()];
    objective.evaluate(&theta, &mut gradient).unwrap();

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
    problem.weights.map_or(0, |weights| weights.iter().filter(|&&w| w > 1.0).count())
}

#[test]
fn the_gradient_is_right_for_two_classes_and_all_blocks() {
    let data = dataset(14, 2, 1);
    let params = small_params();
    let encoding = params.space.encoding.fit(&data, &[0, 1]).unwrap();
    assert_eq!(params.space.blocks(&encoding).unwrap().len(), 5);
    check_gradient(&params, &data);
    check_gradient(&ModelParams { likelihood: ClassLikelihood::Softmax, ..params }, &data);
}

#[test]
fn the_gradient_is_right_without_priors() {
    check_gradient(&ModelParams { prior_deviation: None, ..small_params() }, &dataset(12, 2, 2));
}

#[test]
fn the_gradient_is_right_for_several_classes() {
    let softmax = ModelParams { likelihood: ClassLikelihood::Softmax, ..small_params() };
    check_gradient(&softmax, &dataset(12, 4, 3));
    check_gradient(&softmax, &dataset(12, 3, 3));
    check_gradient(&small_params(), &dataset(12, 3, 4));
}

#[test]
fn the_gradient_is_right_for_real_targets() {
    check_gradient(&small_params(), &dataset(14, 0, 5));
    check_gradient(&ModelParams { prior_deviation: None, ..small_params() }, &dataset(14, 0, 6));
}

#[test]
fn the_gradient_is_right_for_a_shared_bank() {
    let mut params = small_params();
    params.space.shared_bank = true;
    check_gradient(&params, &dataset(12, 2, 7));
    check_gradient(&params, &dataset(12, 0, 8));
}

#[test]
fn the_gradient_is_right_for_every_choice_of_lengthscales_and_family() {
    for lengthscales in [LengthscaleChoice::Ard, LengthscaleChoice::PerChannel] {
        let mut params = small_params();
        params.kernel.lengthscales = lengthscales;
        check_gradient(&params, &dataset(10, 2, 9));
    }
    for family in [Family::Matern32, Family::RationalQuadratic, Family::Linear] {
        let mut params = small_params();
        params.kernel.family = family;
        check_gradient(&params, &dataset(10, 2, 10));
    }
}

#[test]
fn the_gradient_is_right_for_every_transform_of_the_scales() {
    for transform in [ScaleTransform::Log, ScaleTransform::Softplus] {
        let mut params = small_params();
        params.space.transform = FeatureTransform::Wavelets(BankParams { transform, ..small_bank() });
        check_gradient(&params, &dataset(10, 2, 11));
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
        assert_eq!(check_gradient(&small_params(), &copies.with_targets(targets).unwrap()), 3);
    }
}

/// What priors add to the objective when one parameter moves by 1 in the logarithm: `−1/2` over the squared deviation.
#[test]
fn priors_of_variances_are_three_times_as_wide() {
    let (data, params) = (dataset(14, 0, 12), small_params());
    let all: Vec<usize> = (0..data.len()).collect();
    let encoding = params.space.encoding.fit(&data, &all).unwrap();
    let measured = measure_dataset(&data, &encoding, &params.space, |_| ControlFlow::Continue(())).unwrap();
    let of = |prior_deviation| {
        let params = ModelParams { prior_deviation, ..params.clone() };
        params.training_problem(&encoding, &measured, data.targets(), &all).unwrap()
    };
    let (with, without) = (of(Some(0.5)), of(None));
    let (mut with_priors, mut plain) = (with.objective().unwrap(), without.objective().unwrap());
    let mut added = |theta: &[f64]| with_priors.evaluate(theta).unwrap().0 - plain.evaluate(theta).unwrap().0;
    let start = with.start();
    let at_start = added(&start);
    let mut expected = Vec::new();
    with.blocks()
        .for_each(|b| expected.extend(b.map.bank().iter().flat_map(|b| b.scales().iter().map(|_| -2.0))));
    with.blocks().for_each(|_| expected.extend([-2.0 / 9.0, -2.0])); // variance, lengthscale
    expected.push(-2.0); // noise
    assert_eq!(expected.len(), start.len());
    for (p, expected) in expected.into_iter().enumerate() {
        let mut moved = start.clone();
        moved[p] += 1.0;
        let found = added(&moved) - at_start;
        assert!((found - expected).abs() < 1e-6, "parameter {p}: {found}, expected {expected}");
    }
}

#[test]
fn training_starts_from_scales_that_fit_the_spectrum() {
    let data = dataset(14, 2, 13);
    let all: Vec<usize> = (0..data.len()).collect();
    let starts = |spread, shared_bank| {
        let mut params = small_params();
        params.space.transform = FeatureTransform::Wavelets(BankParams { spread, ..small_bank() });
        params.space.shared_bank = shared_bank;
        let encoding = params.space.encoding.fit(&data, &all).unwrap();
        let go_on = |_| ControlFlow::Continue(());
        let measured = measure_dataset(&data, &encoding, &params.space, go_on).unwrap();
        let problem = params.training_problem(&encoding, &measured, data.targets(), &all).unwrap();
        let of = |b: StartBlock<'_>| Some((b.map.bank()?.scales().to_vec(), b.measures.mean_eigenvalue()?));
        problem.blocks().filter_map(of).collect::<Vec<_>>()
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
