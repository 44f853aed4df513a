//! Cross-validation: what test labels, threads, memory and shared spectra must not change, and how it ends early.

use hodgelet::complex::Complex;
use hodgelet::dataset::{Dataset, Targets};
use hodgelet::encode::VertexSignal;
use hodgelet::model::{ModelError, PredictedTargets};
use hodgelet::settings::{Method, Settings};
use hodgelet_data::generate::builtin;
use hodgelet_eval::cross_validate::{CrossValidateError, Event, MEMORY_BUDGET, cross_validate};
use hodgelet_eval::metrics::{accuracy, predicted_classes, r2};
use hodgelet_eval::report::{FoldRun, Predictions};
use hodgelet_eval::splits::{KFoldParams, Part, Split, SplitError};
use std::ops::ControlFlow;

fn drawn(name: &str, settings: &[&str]) -> Dataset {
    let mut recipe = builtin(name).unwrap();
    settings.iter().for_each(|setting| recipe.set(setting).unwrap());
    recipe.generate(3).unwrap()
}

/// Thirty random graphs of two or three communities.
fn communities() -> Dataset {
    drawn("sbm", &["n_graphs=30"])
}

/// The same graphs with a number to predict: the mean degree.
fn mean_degrees() -> Dataset {
    let dataset = communities();
    let degree = |complex: &Complex| 2.0 * complex.n_cells(1) as f64 / complex.n_cells(0) as f64;
    let targets = Targets::Real(dataset.complexes().iter().map(degree).collect());
    dataset.with_targets(targets).unwrap()
}

/// Settings of a method, with few steps.
fn quick(method: Method) -> Settings {
    Settings { iterations: 8, ..Settings::of(method).most_probable() }
}

fn k_fold(dataset: &Dataset, folds: usize, repeats: usize) -> Vec<Split> {
    let params = KFoldParams { folds, repeats, ..KFoldParams::default() }.check().unwrap();
    match dataset.targets() {
        Targets::Classes { labels, .. } => params.stratified(labels).unwrap(),
        _ => params.plain(dataset.len()).unwrap(),
    }
}

fn go_on(_: Event) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn validate(dataset: &Dataset, settings: &Settings, splits: &[Split]) -> Vec<FoldRun> {
    cross_validate(dataset, settings, splits, MEMORY_BUDGET, go_on).unwrap()
}

fn failure(dataset: &Dataset, splits: &[Split]) -> CrossValidateError {
    cross_validate(dataset, &quick(Method::Wt), splits, MEMORY_BUDGET, go_on).unwrap_err()
}

/// Bits of every predicted number.
fn predicted(run: &FoldRun) -> Vec<u64> {
    let values = match &run.predictions {
        Predictions::Classes { probabilities, .. } => probabilities.clone(),
        Predictions::Real { densities, .. } => {
            densities.iter().flat_map(|d| [d.mean(), d.variance()]).collect()
        }
    };
    values.into_iter().map(f64::to_bits).collect()
}

/// All of a run that depends on the model: everything but times and truths.
fn of_model(run: &FoldRun) -> (usize, usize, u64, usize, usize, Vec<u64>) {
    let FoldRun { repeat, fold, elbo, iterations, evaluations, .. } = *run;
    (repeat, fold, elbo.to_bits(), iterations, evaluations, predicted(run))
}

/// The dataset with a wrong target for every item that `split` does not train on.
fn with_wrong_targets(dataset: &Dataset, split: &Split) -> Dataset {
    let mut targets = dataset.targets().clone();
    for &i in split.test.iter().chain(&split.validation) {
        match &mut targets {
            Targets::Classes { names, labels } => labels[i] = (labels[i] + 1) % names.len() as u32,
            Targets::Real(values) => values[i] = 1e3 - values[i],
            Targets::None => unreachable!("both datasets have targets"),
        }
    }
    dataset.clone().with_targets(targets).unwrap()
}

#[test]
fn labels_of_test_items_never_touch_a_model() {
    let settings = quick(Method::Hodge);
    for dataset in [communities(), mean_degrees()] {
        for split in k_fold(&dataset, 3, 1) {
            let alone = std::slice::from_ref(&split);
            let known = validate(&dataset, &settings, alone);
            let wrong = validate(&with_wrong_targets(&dataset, &split), &settings, alone);
            assert_eq!(of_model(&known[0]), of_model(&wrong[0]));
            assert_ne!(known[0].predictions, wrong[0].predictions, "the truths beside them differ");
        }
    }
}

#[test]
fn neither_threads_nor_memory_change_a_bit() {
    let dataset = communities();
    let (settings, splits) = (quick(Method::Hodge), k_fold(&dataset, 3, 2));
    let with = |threads, memory| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let runs = pool.install(|| cross_validate(&dataset, &settings, &splits, memory, go_on)).unwrap();
        runs.iter().map(of_model).collect::<Vec<_>>()
    };
    let first = with(1, 0);
    assert_eq!(first.len(), splits.len());
    assert!(first.iter().zip(&splits).all(|(run, split)| (run.0, run.1) == (split.repeat, split.fold)));
    assert_eq!(with(3, usize::MAX), first);
    assert_eq!(with(2, 100_000), first);
}

#[test]
fn a_fold_run_alone_predicts_the_same() {
    let dataset = communities();
    let splits = k_fold(&dataset, 3, 2);
    for method in [Method::Hodge, Method::Fourier] {
        for (run, split) in validate(&dataset, &quick(method), &splits).iter().zip(&splits) {
            let settings = Settings { seed: split.repeat as u64, ..quick(method) };
            let model = settings.fit(&dataset, &split.train).unwrap();
            let test = dataset.select(&split.test);
            let alone = model.predict(&test).unwrap();
            let PredictedTargets::Classes { probabilities, .. } = alone.targets else { unreachable!() };
            let at = |i: usize| (0..probabilities.ncols()).map(move |c| (i, c));
            let alone = (0..test.len()).flat_map(at).map(|x| probabilities[x].to_bits());
            assert_eq!(predicted(run), alone.collect::<Vec<_>>(), "{method:?}, {split:?}");
            assert_eq!(run.elbo.to_bits(), model.summary().elbo.to_bits());
        }
    }
}

#[test]
fn numbers_are_predicted_with_their_variance() {
    let dataset = mean_degrees();
    let settings = Settings { vertices: Some(VertexSignal::Degree), ..quick(Method::Hodge) };
    let (mut means, mut truths) = (Vec::new(), Vec::new());
    for run in validate(&dataset, &settings, &k_fold(&dataset, 5, 1)) {
        let Predictions::Real { densities, truth } = run.predictions else { unreachable!() };
        assert!(densities.iter().all(|d| d.variance() > 0.0 && d.variance().is_finite()), "{densities:?}");
        means.extend(densities.iter().map(|d| d.mean()));
        truths.extend(truth);
    }
    assert_eq!(means.len(), dataset.len());
    let explained = r2(&means, &truths).unwrap();
    assert!(explained > 0.8, "{explained}");
}

#[test]
fn a_callback_that_breaks_ends_everything() {
    let dataset = communities();
    let (settings, splits) = (quick(Method::Hodge), k_fold(&dataset, 3, 1));
    let stopped_at = |is_last: fn(&Event) -> bool| {
        let callback =
            |event| if is_last(&event) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        cross_validate(&dataset, &settings, &splits, MEMORY_BUDGET, callback).unwrap_err()
    };
    assert!(stopped_at(|event| matches!(event, Event::Measuring { .. })).is_cancelled());
    assert!(stopped_at(|event| matches!(event, Event::Done { .. })).is_cancelled());
    let error = stopped_at(|event| matches!(event, Event::Training { split: 1, step: 2, .. }));
    assert_eq!(error, CrossValidateError::Fold { repeat: 0, fold: 1, source: ModelError::Cancelled });
    assert!(error.is_cancelled());
}

#[test]
fn a_dataset_without_targets_is_refused() {
    let known = communities();
    let unknown = known.clone().with_targets(Targets::None).unwrap();
    let error = failure(&unknown, &k_fold(&known, 3, 1));
    assert_eq!(error, CrossValidateError::NoTargets);
    assert_eq!(
        error.to_string(),
        "the dataset has no targets, expected a class or a number for every complex"
    );
    assert!(!error.is_cancelled());
}

#[test]
fn a_fold_with_one_class_is_named() {
    let dataset = communities();
    let mut splits = k_fold(&dataset, 3, 1);
    let mut targets = dataset.targets().clone();
    let Targets::Classes { labels, names } = &mut targets else { unreachable!() };
    names[0] = "two".to_owned();
    splits[2].train.retain(|&i| labels[i] == 0);
    splits[2].repeat = 4;
    let dataset = dataset.with_targets(targets).unwrap();
    let source = ModelError::OneClass { n: splits[2].train.len(), class: "two".to_owned() };
    let message = format!("repeat 4, fold 2: {source}");
    let error = failure(&dataset, &splits);
    assert_eq!(error, CrossValidateError::Fold { repeat: 4, fold: 2, source });
    assert_eq!(error.to_string(), message);
}

#[test]
fn splits_that_do_not_divide_the_dataset_are_refused() {
    let dataset = communities();
    let fault = |change: fn(&mut Split)| {
        let mut splits = k_fold(&dataset, 3, 1);
        change(&mut splits[1]);
        match failure(&dataset, &splits) {
            CrossValidateError::Split(error) => error,
            other => panic!("{other:?}"),
        }
    };
    let range = |part| SplitError::Range { fold: 1, part, index: 30, items: 30 };
    assert_eq!(fault(|split| split.test.push(30)), range(Part::Test));
    assert_eq!(fault(|split| split.train.push(30)), range(Part::Train));
    assert_eq!(fault(|split| split.test.clear()), SplitError::Empty { fold: 1, part: Part::Test });
    let leak = fault(|split| split.test.push(split.train[0]));
    assert!(matches!(leak, SplitError::Overlap { part: Part::Test, other: Part::Train, .. }), "{leak:?}");
}

/// Accuracy over the test items of five folds, trained on all others.
fn pooled_accuracy(dataset: &Dataset, settings: &Settings) -> f64 {
    let splits: Vec<Split> = k_fold(dataset, 5, 1).into_iter().map(Split::train_on_validation).collect();
    let (mut found, mut truth) = (Vec::new(), Vec::new());
    for run in validate(dataset, settings, &splits) {
        let Predictions::Classes { probabilities, labels } = run.predictions else { unreachable!() };
        found.extend(predicted_classes(&probabilities, 2).unwrap());
        truth.extend(labels);
    }
    accuracy(&found, &truth).unwrap()
}

#[test]
fn the_hodge_split_tells_vector_fields_apart_and_the_line_graph_does_not() {
    let fields = drawn("vector-fields", &["n_vertices=60", "n_fields=60"]);
    // Edges carry the flows, which are the vertices of the line graph.
    let of_flows = Settings { vertices: Some(VertexSignal::None), ..quick(Method::Hodge) };
    let hodge = pooled_accuracy(&fields, &of_flows);
    let line_graph = pooled_accuracy(&fields, &quick(Method::LineGraph));
    assert!(hodge >= line_graph + 0.15 && hodge >= 0.7, "hodge {hodge}, line graph {line_graph}");
}

#[test]
fn rings_are_told_from_cliques() {
    let graphs = drawn("ring-vs-clique", &["n_graphs=60"]);
    let found = pooled_accuracy(&graphs, &quick(Method::Hodge));
    assert!(found >= 0.9, "{found}");
}
