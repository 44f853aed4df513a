//! What is kept, how it is scored, and what a search must not see.

use super::*;
use hodgelet::complex::Complex;
use hodgelet::dataset::{Column, ColumnValues};
use hodgelet::signal::Orientation;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// `n` random graphs of 5 to 8 vertices with two attributes per vertex and a flow on edges. The item `i` is of class
/// `i mod n_classes`, which its attributes follow a little; without classes its target is a real number.
fn dataset(n: usize, n_classes: usize, seed: u64) -> Dataset {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut complexes = Vec::new();
    let (mut attributes, mut flows, mut reals) = (vec![], vec![], vec![]);
    for i in 0..n {
        let n_vertices = 5 + i % 4;
        let mut edges = Vec::new();
        for a in 0..n_vertices as u32 {
            edges.extend((a + 1..n_vertices as u32).filter(|_| rng.random::<f64>() < 0.5).map(|b| [a, b]));
        }
        let shift = 0.7 * (i % n_classes.max(3)) as f64;
        attributes.extend((0..2 * n_vertices).map(|_| rng.random::<f64>() - 0.5 + shift));
        flows.extend(edges.iter().map(|_| rng.random::<f64>() * (1.0 + shift)));
        reals.push(3.0 + 5.0 * shift + rng.random::<f64>());
        complexes.push(Complex::graph(n_vertices, &edges).unwrap());
    }
    let labels = (0..n).map(|i| (i % n_classes.max(1)) as u32).collect();
    let names = (0..n_classes).map(|c| format!("class {c}")).collect();
    let targets = if n_classes == 0 { Targets::Real(reals) } else { Targets::Classes { names, labels } };
    let mut dataset = Dataset::new("generated", complexes, vec![], targets).unwrap();
    for (name, dim, orientation, n_channels, values) in
        [("x", 0, Orientation::Unoriented, 2, attributes), ("flow", 1, Orientation::Oriented, 1, flows)]
    {
        let channels = (0..n_channels).map(|c| c.to_string()).collect();
        let (starts, values) = (dataset.cell_starts(dim), ColumnValues::Real { channels, values });
        let column = Column { name: name.to_owned(), dim, orientation, starts, values };
        dataset = dataset.with_column(column).unwrap();
    }
    dataset
}

/// Settings with small banks and few steps.
fn small_settings() -> Settings {
    Settings { n_filters: 2, n_bands: 2, iterations: 6, ..Settings::default().most_probable() }
}

fn search(data: &Dataset) -> SearchParams {
    let mut params = SearchParams::standard(small_settings(), data);
    params.standard_errors = 0.0;
    params
}

fn run(params: &SearchParams, data: &Dataset, train: &[usize]) -> SearchResult {
    params.fit(data, train, |_, _| ControlFlow::Continue(())).unwrap()
}

#[test]
fn what_is_kept_scores_higher_than_what_stood() {
    let data = dataset(24, 3, 1);
    let all: Vec<usize> = (0..24).collect();
    let params = search(&data);
    let found = run(&params, &data, &all);
    assert!(found.trials.len() < params.n_fits() && found.trials[0].kept);
    let mut standing = found.trials[0].log_probability.unwrap();
    for trial in &found.trials[1..] {
        let Some(score) = trial.log_probability else {
            assert!(!trial.kept && trial.failure.is_some());
            continue;
        };
        assert_eq!(trial.kept, trial.folds == 3 && trial.gain.unwrap() > 0.0);
        if trial.folds == 3 {
            assert!((trial.gain.unwrap() - 24.0 * (score - standing)).abs() < 1e-9, "{trial:?}");
        } else {
            assert!(trial.gain.unwrap() < -trial.standard_error.unwrap(), "{trial:?}");
        }
        if trial.kept {
            standing = score;
        }
    }
    // Of the answers to one question that were kept, the last one is used.
    let kept: Vec<&Change> =
        found.trials.iter().filter(|t| t.kept).filter_map(|t| t.change.as_ref()).collect();
    let last = |question: &Vec<Change>| kept.iter().copied().rfind(|change| question.contains(change));
    let settings = params.questions.iter().filter_map(last);
    let settings = settings.fold(params.base.clone(), |settings, change| change.apply(&settings).unwrap());
    assert_eq!(found.model.settings(), &settings);
}

/// The score is that of models fitted and asked by hand.
#[test]
fn every_target_is_scored_by_a_model_without_it() {
    for n_classes in [0, 2] {
        let data = dataset(12, n_classes, 5);
        let all: Vec<usize> = (0..12).collect();
        let found = run(&SearchParams { questions: vec![], ..search(&data) }, &data, &all);
        let mut total = 0.0;
        for Split { train, test, .. } in deal_folds(data.targets(), 12, 3) {
            assert_eq!((test.len(), train.len()), (4, 8));
            let settings = small_settings();
            let measurer = Measurer::fit(&settings, &data, &all).unwrap();
            let measured = measurer.measure(&data, |_| ControlFlow::Continue(())).unwrap();
            let go_on = |_| ControlFlow::Continue(());
            let fitted = settings.fit_measured(&measurer, &measured, data.targets(), &train, go_on);
            let predicted = fitted.unwrap().predict(&data.select(&test)).unwrap().targets;
            let of = |(row, &i): (usize, &usize)| log_probability(data.targets(), i, &predicted, row);
            total += test.iter().enumerate().map(of).sum::<f64>();
        }
        let score = found.trials[0].log_probability.unwrap();
        assert!((score - total / 12.0).abs() < 1e-12, "{score}, {}", total / 12.0);
    }
}

#[test]
fn log_densities_are_those_of_the_normal_distribution() {
    let predicted =
        PredictedTargets::Real { densities: vec![hodgelet::likelihood::Mixture::normal(1.0, 4.0)] };
    let found = log_probability(&Targets::Real(vec![3.0]), 0, &predicted, 0);
    assert!((found - (-0.5 - (2.0 * std::f64::consts::TAU.sqrt()).ln())).abs() < 1e-15, "{found}");
}

#[test]
fn an_answer_that_falls_behind_is_given_up() {
    let data = dataset(24, 2, 8);
    let mut part = TrainingPart::new(&search(&data), data.clone());
    let go_on = |_: usize, _: Stage| ControlFlow::Continue(());
    let whole = part.score(&small_settings(), None, go_on).unwrap();
    assert_eq!((whole.folds, whole.values.len()), (3, 24));
    // Better by a nat on every target, but not by the same.
    let ahead = whole.values.iter().enumerate().map(|(i, v)| v + 1.0 + 0.01 * (i % 3) as f64);
    let ahead = Score { values: ahead.collect(), folds: 3 };
    let score = part.score(&small_settings(), Some(&ahead), go_on).unwrap();
    assert_eq!((score.folds, &score.values[..]), (1, &whole.values[..8]));
}

#[test]
fn gains_are_paired() {
    let (a, b) = ([-1.0, -2.0, -4.0], [-1.5, -3.0, -4.0]);
    let (total, error) = gain(&a, &b);
    // Differences 0.5, 1 and 0: standard deviation 0.5, times the root of 3.
    assert!((total - 1.5).abs() < 1e-15 && (error - 0.5 * 3.0_f64.sqrt()).abs() < 1e-15);
    assert_eq!(gain(&b, &a), (-total, error));
}

/// One of three folds takes the only graph of a class with it; two graphs leave nothing to fit.
#[test]
fn small_classes_and_small_data_have_an_answer() {
    let names = vec!["a".to_owned(), "b".to_owned()];
    let targets = Targets::Classes { names, labels: vec![0, 0, 0, 0, 0, 0, 0, 0, 1] };
    let data = dataset(9, 2, 6).with_targets(targets).unwrap();
    let found = run(&search(&data), &data, &(0..9).collect::<Vec<_>>());
    assert!(found.trials[0].failure.is_some() && found.trials.len() == 1);
    let data = dataset(2, 2, 7);
    let found = run(&search(&data), &data, &[0, 1]);
    assert!(found.trials[0].failure.is_some() && found.trials.len() == 1);
    assert_eq!(found.model.settings(), &search(&data).base);
}

#[test]
fn a_gain_out_of_reach_keeps_the_settings() {
    let data = dataset(16, 2, 2);
    let all: Vec<usize> = (0..16).collect();
    let params = SearchParams { standard_errors: 1e9, ..search(&data) };
    let found = run(&params, &data, &all);
    assert_eq!(found.model.settings(), &params.base);
    assert!(found.trials.iter().skip(1).all(|t| !t.kept));
    let alone = params.base.fit(&data, &all).unwrap();
    assert_eq!((found.model.kernel(), found.model.blocks()), (alone.kernel(), alone.blocks()));
}

#[test]
fn targets_outside_the_training_part_change_nothing() {
    let data = dataset(24, 2, 3);
    let train: Vec<usize> = (0..16).collect();
    let mut targets = data.targets().clone();
    let Targets::Classes { labels, .. } = &mut targets else { panic!("classes") };
    labels[16..].reverse();
    labels[17] = 1 - labels[17];
    let shuffled = data.clone().with_targets(targets).unwrap();
    let params = search(&data);
    let (first, second) = (run(&params, &data, &train), run(&params, &shuffled, &train));
    assert_eq!(first.trials, second.trials);
    assert_eq!(first.model.blocks(), second.model.blocks());
    assert_eq!(first.model.kernel(), second.model.kernel());
    let predicted = |found: &SearchResult| found.model.predict(&data).unwrap();
    assert_eq!(predicted(&first).targets, predicted(&second).targets);
}

#[test]
fn a_search_can_be_stopped() {
    let data = dataset(16, 2, 4);
    let all: Vec<usize> = (0..16).collect();
    let stop =
        |number: usize, _| if number == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    assert!(matches!(search(&data).fit(&data, &all, stop), Err(ModelError::Cancelled)));
}

#[test]
fn a_training_part_outside_the_dataset_is_refused() {
    let data = dataset(4, 2, 9);
    let fit = |train: &[usize]| search(&data).fit(&data, train, |_, _| ControlFlow::Continue(())).err();
    assert_eq!(fit(&[0, 4]), Some(ModelError::Index { index: 4, len: 4 }));
    assert_eq!(fit(&[3]), Some(ModelError::TooFew { expected: 2, found: 1 }));
}
