use super::super::testing::{dataset, small_settings};
use super::super::{PredictedTargets, Prediction};
use super::*;
use crate::kernel::Inputs;
use crate::settings::{HyperparameterChoice, NoiseChoice, PosteriorChoice, Settings};

fn fit(settings: &Settings, data: &Dataset) -> Model {
    settings.fit(data, &(0..data.len()).collect::<Vec<_>>()).unwrap()
}

fn update(model: &Model, new: &Dataset, params: UpdateParams<'_>) -> Model {
    model.update(new, params, |_| ControlFlow::Continue(())).unwrap()
}

/// The first graphs of a dataset, and the rest.
fn parts(data: &Dataset, first: usize) -> (Dataset, Dataset) {
    (data.select(&(0..first).collect::<Vec<_>>()), data.select(&(first..data.len()).collect::<Vec<_>>()))
}

fn difference(a: &Prediction, b: &Prediction) -> f64 {
    match (&a.targets, &b.targets) {
        (
            PredictedTargets::Classes { probabilities: a, .. },
            PredictedTargets::Classes { probabilities: b, .. },
        ) => (a - b).norm_max(),
        (PredictedTargets::Real { densities: a }, PredictedTargets::Real { densities: b }) => {
            let each = a.iter().zip(b);
            each.map(|(a, b)| (a.mean() - b.mean()).abs()).fold(0.0, f64::max)
        }
        _ => panic!("targets of one kind went in"),
    }
}

/// The latent means of `new` from all graphs, by the plain route: features of all, Gram matrix, inference.
fn expected_means(model: &Model, all: &Dataset, new: &Dataset) -> Mat<f64> {
    let inputs = |data: &Dataset| {
        let measured = model.space.measurer.measure(data, |_| ControlFlow::Continue(())).unwrap();
        let measures = model.space.measures_in_units(&measured.measures.iter().collect::<Vec<_>>());
        let blocks = model.space.blocks.iter().zip(&measures);
        blocks.map(|(block, measures)| block.inputs(measures).unwrap()).collect::<Vec<Inputs>>()
    };
    let (known, asked) = (inputs(all), inputs(new));
    let (known, asked) = (Inputs::views(&known), Inputs::views(&asked));
    let kernel = &model.mode.kernel;
    let gram = kernel.gram(&known, Par::Seq).unwrap();
    let observed = Observed::in_units(all.targets(), &model.targets, &(0..all.len()).collect::<Vec<_>>());
    let points: Vec<usize> = (0..all.len()).collect();
    let observations = observed.unwrap().observations(&points, all.len()).unwrap();
    let inference = model.settings().final_inference(&model.mode.likelihood).unwrap();
    let workspace = &mut Workspace::default();
    let posterior =
        inference.fit(gram.as_ref(), &model.mode.likelihood, &observations, None, workspace).unwrap();
    let cross = kernel.cross(&asked, &known, Par::Seq).unwrap();
    posterior.predict(cross.as_ref(), &kernel.diagonal(&asked).unwrap()).unwrap().mean
}

#[test]
fn a_full_posterior_becomes_that_of_all_graphs() {
    for n_classes in [2, 3, 0] {
        let all = dataset(24, n_classes, 20);
        let (old, new) = parts(&all, 16);
        let settings = Settings { inner_tol: 1e-13, ..small_settings() };
        let model = fit(&settings, &old);
        let asked = dataset(7, n_classes, 21);
        let updated = update(&model, &new, UpdateParams::default());
        assert_eq!(updated.summary().n_train, 24);
        let found = updated.predict(&asked).unwrap().latent_mean;
        let expected = expected_means(&model, &all, &asked);
        let error = (&found - &expected).norm_max();
        assert!(error < 1e-5, "{n_classes} classes: {error:e}");
        // The old graphs change nothing: the model has them.
        let again = update(&model, &new, UpdateParams { old: Some(&old), retrain: false });
        assert_eq!(again.predict(&asked).unwrap(), updated.predict(&asked).unwrap());
        let loaded = Model::from_bytes(&updated.to_bytes().unwrap()).unwrap();
        assert_eq!(loaded.predict(&asked).unwrap(), updated.predict(&asked).unwrap());
    }
}

#[test]
fn noise_that_depends_on_the_graph_is_kept() {
    let all = dataset(20, 0, 22);
    let (old, new) = parts(&all, 14);
    let model = fit(&Settings { noise: NoiseChoice::Blocks, ..small_settings() }, &old);
    let updated = update(&model, &new, UpdateParams::default());
    let loaded = Model::from_bytes(&updated.to_bytes().unwrap()).unwrap();
    let asked = dataset(5, 0, 23);
    assert_eq!(loaded.predict(&asked).unwrap(), updated.predict(&asked).unwrap());
}

#[test]
fn a_model_that_averages_is_updated_in_every_state() {
    let all = dataset(18, 2, 24);
    let (old, new) = parts(&all, 12);
    let nuts = HyperparameterChoice::Nuts;
    let model = fit(&Settings { hyperparameters: nuts, iterations: 3, ..small_settings() }, &old);
    let updated = update(&model, &new, UpdateParams::default());
    let asked = dataset(5, 2, 25);
    let (before, after) = (model.predict(&asked).unwrap(), updated.predict(&asked).unwrap());
    assert!(difference(&before, &after) > 1e-4, "the new graphs say something");
    let loaded = Model::from_bytes(&updated.to_bytes().unwrap()).unwrap();
    assert_eq!(loaded.predict(&asked).unwrap(), after);
}

fn sparse_settings() -> Settings {
    let posterior = PosteriorChoice::Sparse;
    Settings { posterior, inducing: Some(8), sample: Some(16), inner_tol: 1e-12, ..small_settings() }
}

/// Exact where noise is Gaussian; elsewhere near, and exact with the old graphs.
#[test]
fn a_sparse_posterior_holds_what_its_graphs_said() {
    for (n_classes, near) in [(0, 1e-7), (2, 0.02)] {
        let all = dataset(60, n_classes, 26);
        let (old, new) = parts(&all, 40);
        let model = fit(&sparse_settings(), &old);
        let asked = dataset(9, n_classes, 27);
        let whole = update(&model, &new, UpdateParams { old: Some(&old), retrain: false });
        let held = update(&model, &new, UpdateParams::default());
        assert_eq!((whole.summary().n_train, held.summary().n_train), (60, 60));
        let expected = whole.predict(&asked).unwrap();
        let error = difference(&held.predict(&asked).unwrap(), &expected);
        let moved = difference(&model.predict(&asked).unwrap(), &expected);
        assert!(error < near && moved > 5.0 * error, "{n_classes} classes: {error:e}, moved by {moved:e}");
        // In another order, and in two parts.
        let swapped = update(&model, &old, UpdateParams { old: Some(&new), retrain: false });
        assert!(difference(&swapped.predict(&asked).unwrap(), &expected) < 1e-6);
        let loaded = Model::from_bytes(&held.to_bytes().unwrap()).unwrap();
        assert_eq!(loaded.predict(&asked).unwrap(), held.predict(&asked).unwrap());
    }
}

#[test]
fn training_goes_on_from_where_it_was() {
    for settings in [small_settings(), sparse_settings()] {
        let all = dataset(40, 2, 28);
        let (old, new) = parts(&all, 30);
        let model = fit(&settings, &old);
        let trained = update(&model, &new, UpdateParams { old: Some(&old), retrain: true });
        assert_eq!(trained.summary().n_train, 40);
        let held = update(&model, &new, UpdateParams { old: Some(&old), retrain: false });
        assert!(trained.hyperparameters() != held.hyperparameters());
    }
    let model = fit(&small_settings(), &dataset(12, 2, 29));
    let alone = UpdateParams { old: None, retrain: true };
    let refused = model.update(&dataset(3, 2, 30), alone, |_| ControlFlow::Continue(()));
    assert!(matches!(refused, Err(ModelError::Training { .. })));
}

#[test]
fn classes_go_by_their_names() {
    let all = dataset(20, 2, 31);
    let (old, new) = parts(&all, 14);
    let model = fit(&small_settings(), &old);
    let expected = update(&model, &new, UpdateParams::default()).predict(&all).unwrap();
    let Targets::Classes { names, labels } = new.targets().clone() else { panic!("classes went in") };
    let swapped = Targets::Classes {
        names: names.iter().rev().cloned().collect(),
        labels: labels.iter().map(|l| 1 - l).collect(),
    };
    let same = new.clone().with_targets(swapped).unwrap();
    assert_eq!(update(&model, &same, UpdateParams::default()).predict(&all).unwrap(), expected);
    let unknown = Targets::Classes { names: vec!["other".to_owned(), names[0].clone()], labels };
    let go = |_| ControlFlow::Continue(());
    let refused = model.update(&new.clone().with_targets(unknown).unwrap(), UpdateParams::default(), go);
    let message = refused.unwrap_err().to_string();
    assert!(message.contains("`other` is new to the model"), "{message}");
    for targets in [Targets::None, Targets::Real(vec![0.0; 6])] {
        let found = model.update(&new.clone().with_targets(targets).unwrap(), UpdateParams::default(), go);
        assert!(matches!(found, Err(ModelError::Targets { .. })));
    }
}
