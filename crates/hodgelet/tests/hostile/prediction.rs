//! New data that differs from the training data, and the number of threads.

use super::data::{classes, go_on, graphs, reals, with_signals};
use super::{assert_sound, fit, fit_with, small_settings};
use hodgelet::complex::Complex;
use hodgelet::dataset::{Column, ColumnValues, Dataset};
use hodgelet::encode::EncodeError;
use hodgelet::kernel::KernelError;
use hodgelet::model::ModelError;
use hodgelet::settings::Settings;
use hodgelet::signal::Orientation;
use std::ops::ControlFlow;

#[test]
fn no_graph_gives_an_empty_prediction() {
    for data in [classes(graphs(8, 1.0, 1), 2, |i| i % 2), reals(graphs(8, 1.0, 1), |i| i as f64)] {
        let model = fit(&data).unwrap();
        let prediction = model.predict(&data.select(&[])).unwrap();
        assert_eq!(prediction.latent_mean.nrows(), 0);
        assert_sound(&model, &prediction);
    }
}

#[test]
fn targets_are_not_needed() {
    let model = fit(&classes(graphs(8, 1.0, 1), 2, |i| i % 2)).unwrap();
    assert_sound(&model, &model.predict(&graphs(3, 1.0, 2)).unwrap());
}

#[test]
fn a_column_that_is_missing_or_of_another_kind_is_named() {
    let model = fit(&classes(graphs(8, 1.0, 1), 2, |i| i % 2)).unwrap();
    let new = graphs(3, 1.0, 2);
    let mut columns = new.columns().to_vec();
    let missing = new.clone().with_columns(columns[..1].to_vec()).unwrap();
    let error = model.predict(&missing).unwrap_err();
    assert_eq!(error.to_string(), "the dataset has no column `flow` on cells of dimension 1");
    columns[1].orientation = Orientation::Unoriented;
    let turned = new.with_columns(columns).unwrap();
    let error = model.predict(&turned).unwrap_err();
    assert!(matches!(error, ModelError::Encode(EncodeError::OtherColumn { .. })), "{error}");
}

fn with_labels(dataset: Dataset, categories: &[&str]) -> Dataset {
    let starts = dataset.cell_starts(0);
    let codes = (0..starts[starts.len() - 1]).map(|v| v as u32 % categories.len() as u32).collect();
    let categories = categories.iter().map(|&c| c.to_owned()).collect();
    let values = ColumnValues::Labels { categories, codes };
    let (name, orientation) = ("atom".to_owned(), Orientation::Unoriented);
    dataset.with_column(Column { name, dim: 0, orientation, starts, values }).unwrap()
}

#[test]
fn labels_of_cells_never_seen_are_counted_and_left_out() {
    let model = fit(&with_labels(classes(graphs(8, 1.0, 1), 2, |i| i % 2), &["C", "N"])).unwrap();
    let new = graphs(3, 1.0, 2);
    let n_vertices: usize = new.complexes().iter().map(|c| c.n_cells(0)).sum();
    let prediction = model.predict(&with_labels(new.clone(), &["Xx"])).unwrap();
    assert_eq!(prediction.unknown, n_vertices);
    assert_sound(&model, &prediction);
    assert_eq!(model.predict(&with_labels(new, &["N"])).unwrap().unknown, 0);
}

#[test]
fn graphs_far_from_all_training_graphs_are_predicted() {
    let model = fit(&classes(graphs(8, 1.0, 1), 2, |i| i % 2)).unwrap();
    let path: Vec<[u32; 2]> = (1..300).map(|v| [v - 1, v]).collect();
    let complexes = vec![
        Complex::graph(0, &[]).unwrap(),
        Complex::graph(7, &[]).unwrap(),
        Complex::graph(300, &path).unwrap(),
    ];
    for scale in [0.0, 1.0, 1e8, 1e-8, 1e90] {
        assert_sound(&model, &model.predict(&with_signals(complexes.clone(), scale, 3)).unwrap());
    }
    let error = model.predict(&with_signals(complexes.clone(), 1e101, 3)).unwrap_err();
    assert!(matches!(error, ModelError::Kernel(KernelError::TooFar { .. })), "{error}");
    assert!(model.predict(&with_signals(complexes, 1e300, 3)).is_err(), "energies overflow");
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let fit_on = |n_threads: usize, settings: &Settings, data: &Dataset| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
        pool.install(|| {
            let model = fit_with(settings, data).unwrap();
            let prediction = model.predict(data).unwrap();
            (model.summary().objective, model.kernel().params(), prediction)
        })
    };
    let two = Settings { restarts: 2, seed: 3, ..small_settings() };
    for data in [
        classes(graphs(40, 1.0, 1), 2, |i| i % 2),
        classes(graphs(40, 1.0, 1), 4, |i| i % 4),
        reals(graphs(40, 1.0, 1), |i| (i % 7) as f64),
    ] {
        assert_eq!(fit_on(1, &two, &data), fit_on(3, &two, &data));
    }
    let data = classes(graphs(40, 1.0, 1), 2, |i| i % 2);
    let other = Settings { seed: 4, ..two.clone() };
    assert_ne!(fit_on(1, &two, &data).1, fit_on(1, &other, &data).1, "the seed matters");
}

#[test]
fn training_and_prediction_stop_when_asked() {
    let data = classes(graphs(8, 1.0, 1), 2, |i| i % 2);
    let train: Vec<usize> = (0..8).collect();
    for after in 0..3 {
        let mut seen = 0;
        let stop = |stage| {
            seen += 1;
            if seen > after { ControlFlow::Break(()) } else { go_on(stage) }
        };
        assert_eq!(small_settings().fit_with(&data, &train, stop).err(), Some(ModelError::Cancelled));
    }
    let model = fit(&data).unwrap();
    assert_eq!(model.predict_with(&data, |_| ControlFlow::Break(())), Err(ModelError::Cancelled));
}
