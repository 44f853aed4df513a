//! Settings that are invalid, and data that contradicts itself.

use super::data::{classes, go_on, graphs};
use super::{fit_with, refused, small_settings};
use hodgelet::complex::{Complex, Lift};
use hodgelet::dataset::{Dataset, Targets};
use hodgelet::feature::Block;
use hodgelet::model::{Measurer, Model, ModelError};
use hodgelet::settings::{Method, Settings};
use std::ops::ControlFlow;

fn data() -> Dataset {
    classes(graphs(8, 1.0, 1), 2, |i| i % 2)
}

fn with(change: impl FnOnce(&mut Settings)) -> Result<Model, ModelError> {
    let mut settings = small_settings();
    change(&mut settings);
    fit_with(&settings, &data())
}

#[test]
fn invalid_settings_are_refused_with_a_typed_error() {
    for value in [f64::NAN, 0.0, -1.0, f64::INFINITY] {
        assert!(with(|p| p.prior_deviation = Some(value)).is_err(), "prior deviation {value}");
        assert!(with(|p| p.initial_lengthscale = Some(value)).is_err(), "lengthscale {value}");
        assert!(with(|p| p.inner_tol = value).is_err(), "tolerance {value}");
    }
    for value in [f64::NAN, -1.0, f64::INFINITY] {
        assert!(with(|p| p.time_limit = Some(value)).is_err(), "time limit {value}");
    }
    assert!(with(|p| p.n_filters = 0).is_err());
    assert!(with(|p| (p.method, p.n_points) = (Method::Fourier, 0)).is_err());
    assert_eq!(
        refused(with(|p| (p.method, p.n_points) = (Method::Fourier, usize::MAX))),
        format!("{} points on the spectrum, expected at most 65536", usize::MAX)
    );
}

#[test]
fn blocks_that_do_not_exist_are_refused_and_repeated_ones_count_once() {
    assert_eq!(refused(with(|p| p.dims = Some(vec![2]))), "cells of dimension 2 carry no signal");
    assert!(matches!(with(|p| p.dims = Some(vec![])), Err(ModelError::NoBlocks)));
    assert!(with(|p| p.exclude = Block::split(0)).is_ok());
    let once = with(|p| p.dims = Some(vec![0])).unwrap();
    let twice = with(|p| p.dims = Some(vec![0, 0])).unwrap();
    assert_eq!(once.blocks(), twice.blocks());
}

#[test]
fn no_restart_is_one_and_any_seed_will_do() {
    assert!(with(|p| p.restarts = 0).is_ok());
    assert!(with(|p| p.seed = u64::MAX).is_ok());
    assert!(with(|p| p.iterations = 0).is_ok());
    assert!(with(|p| p.time_limit = Some(0.0)).is_ok());
}

/// The first complex is not lifted, so it does not show the fault.
#[test]
fn a_lift_that_fails_on_a_later_complex_is_an_error() {
    let (name, mut complexes, mut columns, _) = data().into_parts();
    let filled = Complex::graph(3, &[[0, 1], [1, 2], [0, 2]]).unwrap().clique_complex(2).unwrap();
    complexes.insert(0, filled);
    for column in &mut columns {
        let mut other = column.starts.iter().map(|s| s + 3).collect::<Vec<_>>();
        other.insert(0, 0);
        column.starts = other;
        if let hodgelet::dataset::ColumnValues::Real { values, .. } = &mut column.values {
            values.splice(0..0, [1.0, 2.0, 3.0]);
        }
    }
    let data = Dataset::new(name, complexes, columns, Targets::None).unwrap();
    let data = classes(data, 2, |i| i % 2);
    let mut settings = small_settings();
    assert!(fit_with(&settings, &data).is_ok());
    settings.lift = Some(Lift::Cliques(99));
    assert!(matches!(fit_with(&settings, &data), Err(ModelError::Complex(_))));
}

#[test]
fn targets_that_do_not_fit_are_refused() {
    let message = |targets| data().with_targets(targets).unwrap_err().to_string();
    assert_eq!(message(Targets::Real(vec![1.0])), "1 targets, but the dataset has 8 complexes");
    let nameless = Targets::Classes { names: vec![], labels: vec![0, 1, 0, 1, 0, 1, 0, 1] };
    assert_eq!(message(nameless), "class 0, but 0 classes have names");
    let infinite = Targets::Real(vec![f64::INFINITY; 8]);
    assert_eq!(message(infinite), "target of complex 0 is inf, expected a finite number");
    let message = refused(fit_with(&small_settings(), &graphs(4, 1.0, 1)));
    assert_eq!(message, "the dataset has no targets, expected a target for every complex");
}

#[test]
fn measures_and_targets_of_different_numbers_are_refused() {
    let (settings, data) = (small_settings(), data());
    let train: Vec<usize> = (0..8).collect();
    let measurer = Measurer::fit(&settings, &data, &train).unwrap();
    let measured = measurer.measure(&data, |_| ControlFlow::Continue(())).unwrap();
    let fit = |targets: &Targets| settings.fit_measured(&measurer, &measured, targets, &train, go_on);
    assert_eq!(refused(fit(&Targets::Real(vec![1.0; 3]))), "3 targets, but the dataset has 8 complexes");
    let names = vec!["a".to_owned(), "b".to_owned()];
    let labels = vec![0, 1, 0, 1, 0, 1, 0, 7];
    assert!(fit(&Targets::Classes { names, labels }).is_err());
    let beyond = settings.fit(&data, &[0, 8]);
    assert_eq!(refused(beyond), "complex 8, but the dataset has 8");
}
