//! Laws of weights: a weight multiplies the term of its graph in the log likelihood, and nothing else.

use hodgelet::complex::Complex;
use hodgelet::dataset::{Column, ColumnValues, Dataset, SAMPLE_WEIGHT, Targets, WHOLE};
use hodgelet::model::{Measurer, Model, Problem};
use hodgelet::settings::{ClassLikelihood, ClassWeight, NoiseChoice, Settings};
use hodgelet::signal::Orientation;
use std::ops::ControlFlow;

/// Evaluations after which the inner loop, which goes on where it ended, has settled.
const SETTLED: usize = 30;

/// Cycles with a chord and paths with a leaf, all different; every third graph is of the first class.
fn graphs(n: usize, n_classes: u32) -> Dataset {
    let graph = |i: usize| {
        let size = 5 + i as u32;
        let mut edges: Vec<[u32; 2]> = (1..size).map(|v| [v - 1, v]).collect();
        edges.push(if i.is_multiple_of(3) { [0, size - 1] } else { [0, 2 + (i as u32 % 3)] });
        Complex::graph(size as usize, &edges).unwrap()
    };
    let targets = match n_classes {
        0 => Targets::Real((0..n).map(|i| ((7 * i) % 5 + i % 3) as f64).collect()),
        2 => Targets::Classes {
            names: vec!["a".into(), "b".into()],
            labels: (0..n).map(|i| u32::from(i % 3 == 0)).collect(),
        },
        _ => Targets::Classes {
            names: (0..n_classes).map(|c| c.to_string()).collect(),
            labels: (0..n as u32).map(|i| i % n_classes).collect(),
        },
    };
    Dataset::new("graphs", (0..n).map(graph).collect(), vec![], targets).unwrap()
}

fn weighted(dataset: Dataset, values: Vec<f64>) -> Dataset {
    let starts = dataset.cell_starts(WHOLE);
    let values = ColumnValues::Real { channels: vec!["weight".into()], values };
    let (name, orientation) = (SAMPLE_WEIGHT.to_owned(), Orientation::Unoriented);
    dataset.with_column(Column { name, dim: WHOLE, orientation, starts, values }).unwrap()
}

fn settings() -> Settings {
    let small = Settings { n_filters: 2, n_bands: 1, iterations: 8, inner_tol: 1e-12, ..Settings::default() };
    small.most_probable()
}

fn fit(settings: &Settings, dataset: &Dataset) -> Model {
    settings.fit(dataset, &(0..dataset.len()).collect::<Vec<_>>()).unwrap()
}

fn problem(settings: &Settings, dataset: &Dataset) -> Problem {
    let all: Vec<usize> = (0..dataset.len()).collect();
    let measurer = Measurer::fit(settings, dataset, &all).unwrap();
    let measured = measurer.measure(dataset, |_| ControlFlow::Continue(())).unwrap();
    Problem::new(settings, &measurer, &measured, dataset.targets(), &all).unwrap()
}

/// Settings of every likelihood, with the number of classes.
fn likelihoods() -> Vec<(u32, Settings)> {
    let of = |likelihood| Settings { likelihood: Some(likelihood), ..settings() };
    let noise = |noise| Settings { noise, ..settings() };
    vec![
        (2, of(ClassLikelihood::Auto)),
        (2, of(ClassLikelihood::Softmax)),
        (3, of(ClassLikelihood::Labels)),
        (3, of(ClassLikelihood::Softmax)),
        (3, of(ClassLikelihood::Gpflow)),
        (4, of(ClassLikelihood::Ordinal)),
        (0, noise(NoiseChoice::Gaussian)),
        (0, noise(NoiseChoice::StudentT)),
        (0, noise(NoiseChoice::Blocks)),
        (0, noise(NoiseChoice::Poisson)),
    ]
}

#[test]
fn weights_of_one_change_no_bit() {
    for (n_classes, settings) in likelihoods() {
        let plain = graphs(15, n_classes);
        let ones = weighted(plain.clone(), vec![1.0; 15]);
        let (a, b) = (fit(&settings, &plain), fit(&settings, &ones));
        let mean = |model: &Model| model.predict(&plain).unwrap().latent_mean;
        assert_eq!(mean(&a), mean(&b), "{n_classes} classes, {:?}", settings.noise);
        assert_eq!(a.blocks().len(), b.blocks().len(), "weights are no block");
    }
}

#[test]
fn a_weight_of_two_is_a_graph_twice() {
    for (n_classes, settings) in likelihoods() {
        let plain = graphs(12, n_classes);
        let twice: Vec<usize> = (0..12).chain(0..12).collect();
        let (doubled, once) = (problem(&settings, &plain.select(&twice)), problem(&settings, &plain));
        let heavy = problem(&settings, &weighted(plain, vec![2.0; 12]));
        let theta = once.start().unwrap();
        let value = |problem: &Problem| {
            let mut objective = problem.objective().unwrap();
            (0..SETTLED).for_each(|_| drop(objective.evaluate(&theta).unwrap()));
            objective.evaluate(&theta).unwrap().0
        };
        let (two, weight, one) = (value(&doubled), value(&heavy), value(&once));
        assert!((two - weight).abs() < 1e-8 * two.abs(), "{n_classes} classes: {two}, {weight}");
        assert!((two - one).abs() > 0.1, "{n_classes} classes: {two}, {one}");
    }
}

#[test]
fn gradients_with_weights_equal_differences() {
    for (n_classes, settings) in likelihoods() {
        let values = (0..13).map(|i| 0.3 + 0.35 * f64::from(i % 4)).collect();
        let problem = problem(&settings, &weighted(graphs(13, n_classes), values));
        let mut objective = problem.objective().unwrap();
        let theta = problem.start().unwrap();
        let mut at = |theta: &[f64]| {
            (0..SETTLED).for_each(|_| drop(objective.evaluate(theta).unwrap()));
            objective.evaluate(theta).unwrap()
        };
        let (_, gradient) = at(&theta);
        for p in (0..theta.len()).rev().take(6) {
            let mut moved = |step: f64| {
                let mut theta = theta.clone();
                theta[p] += step;
                at(&theta).0
            };
            let slope = (moved(1e-4) - moved(-1e-4)) / 2e-4;
            let what = format!("{n_classes} classes, {:?}, value {p}", settings.likelihood);
            assert!(
                (slope - gradient[p]).abs() < 2e-5 * (1.0 + slope.abs()),
                "{what}: {slope}, {}",
                gradient[p]
            );
        }
    }
}

#[test]
fn balanced_classes_are_weights_by_class_and_make_rare_ones_likelier() {
    let plain = graphs(15, 2);
    let values = (0..15).map(|i| if i % 3 == 0 { 1.5 } else { 0.75 }).collect();
    let balanced = fit(&Settings { class_weight: ClassWeight::Balanced, ..settings() }, &plain);
    let by_hand = fit(&settings(), &weighted(plain.clone(), values));
    let mean = |model: &Model| model.predict(&plain).unwrap().latent_mean;
    assert_eq!(mean(&balanced), mean(&by_hand));
    let sum = |model: &Model| -> f64 { (0..15).map(|i| mean(model)[(i, 0)]).sum() };
    assert!(sum(&balanced) > sum(&fit(&settings(), &plain)));
}

#[test]
fn a_file_keeps_the_weights() {
    for (n_classes, settings) in likelihoods() {
        let values = (0..12).map(|i| 0.5 + f64::from(i % 3)).collect();
        let data = weighted(graphs(12, n_classes), values);
        let model = fit(&settings, &data);
        let again = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
        assert_eq!(model.predict(&data).unwrap().latent_mean, again.predict(&data).unwrap().latent_mean);
        let logs = |model: &Model| model.leave_one_out().unwrap().log_densities;
        assert_eq!(logs(&model), logs(&again));
    }
}

#[test]
fn weights_that_are_none_are_refused() {
    let data = graphs(6, 2);
    let starts = data.cell_starts(WHOLE);
    let column = |value: f64| Column {
        name: SAMPLE_WEIGHT.to_owned(),
        dim: WHOLE,
        orientation: Orientation::Unoriented,
        starts: starts.clone(),
        values: ColumnValues::Real { channels: vec!["w".into()], values: vec![value; 6] },
    };
    for value in [0.0, -1.0, f64::NAN] {
        assert!(data.clone().with_column(column(value)).is_err(), "{value}");
    }
    let large = data.clone().with_column(column(1e9)).unwrap();
    let error = settings().fit(&large, &[0, 1, 2, 3]).unwrap_err().to_string();
    assert_eq!(error, "weight of observation 0 is 1000000000, expected a number from 1e-6 to 1e6");
}
