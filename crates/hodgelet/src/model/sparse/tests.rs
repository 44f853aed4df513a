use super::super::testing::{dataset, small_settings};
use super::super::{MeasureSource, Measured, Measurer, Model, PredictedTargets, Prediction, Problem};
use super::*;
use crate::dataset::Dataset;
use crate::gp::sparse::LEAF;
use crate::measure::ComplexMeasures;
use crate::settings::{BlockKind, ClassLikelihood, HyperparameterChoice, NoiseChoice};
use std::borrow::Cow;
use std::cell::RefCell;
use std::path::Path;

fn fit(settings: &Settings, data: &Dataset) -> Model {
    let train: Vec<usize> = (0..data.len()).collect();
    settings.fit(data, &train).unwrap()
}

fn with_all_inducing(settings: &Settings, n: usize) -> Settings {
    let (inducing, sample) = (Some(n), Some(n));
    let settings = Settings { posterior: PosteriorChoice::Sparse, inducing, sample, ..settings.clone() };
    Settings { inner_tol: 1e-13, collapse: false, ..settings }
}

fn difference(a: &Prediction, b: &Prediction) -> f64 {
    match (&a.targets, &b.targets) {
        (
            PredictedTargets::Classes { probabilities: a, .. },
            PredictedTargets::Classes { probabilities: b, .. },
        ) => (a - b).norm_max(),
        (PredictedTargets::Real { densities: a }, PredictedTargets::Real { densities: b }) => {
            let each = a
                .iter()
                .zip(b)
                .map(|(a, b)| (a.mean() - b.mean()).abs().max((a.variance() - b.variance()).abs()));
            each.fold(0.0, f64::max)
        }
        _ => panic!("targets of one kind went in"),
    }
}

/// A whole model: hyperparameters from all graphs, and all graphs inducing.
#[test]
fn with_every_graph_inducing_predictions_are_those_of_the_full_posterior() {
    for (n_classes, noise) in [
        (2, NoiseChoice::Gaussian),
        (3, NoiseChoice::Gaussian),
        (0, NoiseChoice::Gaussian),
        (0, NoiseChoice::Blocks),
    ] {
        let (data, new) = (dataset(20, n_classes, 3), dataset(9, n_classes, 4));
        let full = Settings { inner_tol: 1e-13, collapse: false, noise, ..small_settings() };
        let expected = fit(&full, &data).predict(&new).unwrap();
        let model = fit(&with_all_inducing(&full, 20), &data);
        assert_eq!(model.summary().sparse.as_ref().unwrap().inducing.len(), 20);
        let found = model.predict(&new).unwrap();
        let error = difference(&found, &expected);
        assert!(error < 1e-6, "{n_classes} classes, {noise:?}: {error:e}");
        for ((_, a), (_, b)) in found.blocks.iter().zip(&expected.blocks) {
            assert!((a - b).norm_max() < 1e-5, "shares of blocks");
        }
    }
}

fn some_inducing() -> Settings {
    Settings { posterior: PosteriorChoice::Sparse, inducing: Some(6), sample: Some(12), ..small_settings() }
}

#[test]
fn a_sparse_model_comes_back_from_its_file_and_its_shares_add_up() {
    for n_classes in [2, 3, 0] {
        let (data, new) = (dataset(30, n_classes, 5), dataset(9, n_classes, 6));
        let model = fit(&some_inducing(), &data);
        let sparse = model.summary().sparse.as_ref().unwrap();
        assert_eq!(sparse.inducing.len(), 6);
        assert!(sparse.n_sample >= 12 && sparse.n_sample < 20 && sparse.converged, "{sparse:?}");
        assert!(sparse.residual > 0.0 && sparse.residual < 1.0, "{sparse:?}");
        let loaded = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
        let (found, expected) = (loaded.predict(&new).unwrap(), model.predict(&new).unwrap());
        assert_eq!(found, expected);
        let mut rest = expected.latent_mean.clone();
        expected.blocks.iter().for_each(|(_, share)| rest -= share);
        rest -= expected.constant.as_ref().unwrap();
        assert!(rest.norm_max() < 1e-9);
        assert!(expected.novelty.iter().all(|novelty| sparse.inducing.contains(&novelty.nearest)));
        assert_eq!(model.drift(&new).unwrap(), loaded.drift(&new).unwrap());
        assert!(model.leave_one_out().is_err());
    }
}

#[test]
fn the_sample_has_every_class_and_the_same_bits_for_any_number_of_threads() {
    let data = dataset(60, 3, 7);
    let Targets::Classes { labels, .. } = data.targets() else { panic!("classes went in") };
    let train: Vec<usize> = (0..60).rev().collect();
    let places = sample(&some_inducing(), data.targets(), &train);
    let count = |class: u32| places.iter().filter(|&&i| labels[train[i]] == class).count();
    assert_eq!([0, 1, 2].map(count), [4, 4, 4]);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| fit(&some_inducing(), &data).predict(&dataset(5, 3, 8)).unwrap())
    };
    let expected = run(1);
    assert_eq!(run(2), expected);
    assert_eq!(run(5), expected);
}

/// The backend shares products of a large matrix with a vector out over its threads, and rounds otherwise then.
#[test]
fn products_with_hundreds_of_graphs_have_the_same_bits_for_any_number_of_threads() {
    let (data, new) = (dataset(400, 2, 21), dataset(500, 2, 22));
    let blocks = Some(vec![BlockKind::Energies, BlockKind::SmoothedValues]);
    let sparse =
        Settings { blocks, collapse: false, iterations: 1, ..with_all_inducing(&small_settings(), 400) };
    let (inducing, sample) = (None, None);
    let full = Settings { posterior: PosteriorChoice::Full, inducing, sample, ..sparse.clone() };
    for settings in [sparse, full] {
        let run = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let model = fit(&settings, &data);
                let joint = model.predict_joint(&new).unwrap();
                (model.summary().elbo.to_bits(), model.predict(&new).unwrap(), joint)
            })
        };
        let expected = run(1);
        for threads in [2, 3] {
            let found = run(threads);
            assert_eq!(found.0, expected.0, "{:?} on {threads} threads: another bound", settings.posterior);
            assert!(
                found.1 == expected.1,
                "{:?} on {threads} threads: other predictions",
                settings.posterior
            );
            assert!(
                found.2 == expected.2,
                "{:?} on {threads} threads: other covariances",
                settings.posterior
            );
        }
    }
}

/// The gradient in every trained value against differences of the optimized bound.
#[test]
fn the_gradient_on_all_graphs_equals_differences() {
    let energies = vec![BlockKind::Energies];
    let others =
        [BlockKind::Energies, BlockKind::EdgeLabels, BlockKind::VertexLabels, BlockKind::SmoothedValues];
    let cases = [(2, energies.clone()), (3, energies.clone()), (0, energies), (2, others.to_vec())];
    for (n_classes, blocks) in cases {
        let data = dataset(16, n_classes, 9);
        let settings = Settings { inner_tol: 1e-15, blocks: Some(blocks), ..some_inducing() };
        let train: Vec<usize> = (0..16).collect();
        let measurer = Measurer::fit(&settings, &data, &train).unwrap();
        let measured = measurer.measure(&data, |_| ControlFlow::Continue(())).unwrap();
        let problem = Problem::new(&settings, &measurer, &measured, data.targets(), &train).unwrap();
        let (settings, covariates) = (&settings, problem.covariates.as_ref());
        let (fitted, targets) = (&problem.targets, data.targets());
        let all = Data {
            settings,
            fitted,
            covariates,
            likelihood: problem.likelihood_params,
            factors: None,
            source: &measured,
            targets,
            train: &train,
            first: 0,
        };
        let state = problem.state(0).unwrap();
        let space = FeatureSpace { measurer, blocks: problem.drawn.clone() };
        let space = standardized(&all, &space).unwrap();
        let inducing = choose_inducing(settings, &all, &space, &state.kernel).unwrap();
        let parameters = problem.parameters().unwrap();
        let start = parameters.values(&state);
        let inference = SparseParams { tolerance: 1e-15, max_passes: 300 }.check().unwrap();
        let (inducing, held, data) = (&inducing[..], None, &all);
        let mut objective = SparseObjective { data, space, parameters, state, inducing, held, inference };
        let on = || ControlFlow::Continue(());
        let theta: Vec<f64> =
            start.iter().enumerate().map(|(p, x)| x + 0.1 * (p as f64 + 1.0).sin()).collect();
        let mut gradient = vec![0.0; theta.len()];
        objective.evaluate(&theta, &mut gradient, on).unwrap();
        let mut unused = vec![0.0; theta.len()];
        for p in 0..theta.len() {
            let mut at = |by: f64| {
                let mut moved = theta.clone();
                moved[p] += by;
                objective.evaluate(&moved, &mut unused, on).unwrap()
            };
            let h = 1e-3;
            let expected = (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h);
            let error = (gradient[p] - expected).abs();
            assert!(
                error < 2e-6 * (1.0 + expected.abs()),
                "{n_classes} classes, {p}: {} but {expected}",
                gradient[p]
            );
        }
    }
}

/// Measures in memory, with a folder for what is not.
struct WithFolder<'a>(&'a Measured, Option<&'a Path>);

impl MeasureSource for WithFolder<'_> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn load(&self, indices: &[usize]) -> Result<Vec<Cow<'_, ComplexMeasures>>, ModelError> {
        self.0.load(indices)
    }

    fn scratch(&self) -> Option<&Path> {
        self.1
    }
}

#[test]
fn leaves_in_memory_on_disk_and_made_again_give_the_same_bits() {
    let n = LEAF + 60;
    let data = dataset(n, 2, 9);
    let settings = &Settings { sample: Some(40), ..some_inducing() };
    let train: Vec<usize> = (0..n).collect();
    let measurer = Measurer::fit(settings, &data, &train).unwrap();
    let measured = measurer.measure(&data, |_| ControlFlow::Continue(())).unwrap();
    let problem = Problem::new(settings, &measurer, &measured, data.targets(), &train[..40]).unwrap();
    let space = FeatureSpace { measurer, blocks: problem.drawn.clone() };
    let State { kernel, likelihood, .. } = problem.state(0).unwrap();
    let (folder, sums) = (tempfile::tempdir().unwrap(), RefCell::new(Vec::new()));
    let sum = |most: usize, folder: Option<&Path>| {
        let data = Data {
            settings,
            fitted: &problem.targets,
            covariates: None,
            likelihood: problem.likelihood_params,
            factors: None,
            source: &WithFolder(&measured, folder),
            targets: data.targets(),
            train: &train,
            first: 0,
        };
        let view = Seen::new(&data, &space, &kernel, &[3, 50, 700]).unwrap().view;
        let seen = Seen::of_view_within(&data, view, String::new(), most).unwrap();
        let moments = Natural::zeros(3, 1, 1).moments(Par::Seq).unwrap();
        sums.borrow_mut().push(seen.sum::<Pass>(&data, &moments, &likelihood).unwrap());
        seen.kept_in()
    };
    assert_eq!(sum(3 * n, Some(folder.path())), "memory");
    assert_eq!(sum(3 * n - 1, Some(folder.path())), "disk");
    assert_eq!(sum(3 * n - 1, Some(&folder.path().join("missing"))), "nowhere");
    assert_eq!(sum(3 * n - 1, None), "nowhere");
    let sums = sums.into_inner();
    assert!(sums.iter().all(|sum| *sum == sums[0]) && sums[0].value < 0.0);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is left behind");
}

#[test]
fn training_on_all_graphs_raises_their_bound() {
    for n_classes in [2, 3, 0] {
        let data = dataset(40, n_classes, 10);
        let bound = |train_on_all| {
            let model = fit(&Settings { train_on_all, ..some_inducing() }, &data);
            assert_eq!(model.summary().sparse.as_ref().unwrap().steps > 0, train_on_all);
            model.summary().elbo
        };
        let (before, after) = (bound(false), bound(true));
        assert!(after > before, "{n_classes} classes: {before} then {after}");
    }
}

/// The values of a sample, the posterior of all: with all in the sample it is the usual fit.
#[test]
fn a_full_posterior_may_have_the_values_of_a_sample() {
    let (data, new) = (dataset(30, 2, 11), dataset(9, 2, 12));
    let full = Settings { posterior: PosteriorChoice::Full, ..small_settings() };
    let whole = fit(&Settings { sample: Some(30), ..full.clone() }, &data);
    assert_eq!(whole.predict(&new).unwrap(), fit(&full, &data).predict(&new).unwrap());
    let part = fit(&Settings { sample: Some(15), ..full.clone() }, &data);
    assert_eq!((part.summary().n_train, part.summary().n_distinct), (30, 30));
    assert!(part.summary().sparse.is_none());
    assert!(difference(&part.predict(&new).unwrap(), &whole.predict(&new).unwrap()) < 0.5);
    let nuts = HyperparameterChoice::Nuts;
    let refused = Settings { sample: Some(15), hyperparameters: nuts, ..full }.fit(&data, &[0, 1, 2, 3]);
    assert!(refused.is_ok(), "four graphs are no sample of fifteen");
    let refused =
        Settings { hyperparameters: nuts, ..some_inducing() }.fit(&data, &(0..30).collect::<Vec<_>>());
    assert!(matches!(refused, Err(ModelError::Averaging { .. })), "{refused:?}");
}

#[test]
fn two_classes_of_many_graphs_are_regressed_on_where_the_posterior_is_full() {
    let auto = Settings::default();
    let found = |settings: &Settings, n| settings.likelihood_of(n);
    assert_eq!(found(&auto, 1500), ClassLikelihood::Auto);
    assert_eq!(found(&auto, 1501), ClassLikelihood::Labels);
    assert_eq!(found(&auto, 5001), ClassLikelihood::Auto);
    let sparse = Settings { posterior: PosteriorChoice::Sparse, ..auto.clone() };
    assert_eq!(found(&sparse, 2000), ClassLikelihood::Auto);
    let softmax = Settings { likelihood: Some(ClassLikelihood::Softmax), ..auto.clone() };
    assert_eq!(found(&softmax, 2000), ClassLikelihood::Softmax);
    let faithful = Settings { faithful: true, ..auto };
    assert_eq!(found(&faithful, 2000), ClassLikelihood::Gpflow);
}
