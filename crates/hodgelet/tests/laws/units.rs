//! Units, order and names have no meaning.

use super::{bits, dataset, quick};
use hodgelet::complex::Complex;
use hodgelet::dataset::{Column, ColumnValues, Dataset, Targets};
use hodgelet::model::{Goal, Measurer, Model, ModelError, PredictedTargets, Prediction};
use hodgelet::signal::Orientation;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use std::ops::ControlFlow;

/// Powers of two near 10^±150: products with them are exact.
const UNITS: [f64; 2] = [f64::from_bits((1023 + 498) << 52), f64::from_bits((1023 - 498) << 52)];

/// The dataset with one column in another unit.
fn scaled(dataset: &Dataset, name: &str, unit: f64) -> Dataset {
    let (title, complexes, mut columns, targets) = dataset.clone().into_parts();
    for column in &mut columns {
        if column.name == name
            && let ColumnValues::Real { values, .. } = &mut column.values
        {
            values.iter_mut().for_each(|x| *x *= unit);
        }
    }
    Dataset::new(title, complexes, columns, targets).unwrap()
}

fn fit_and_predict(train: &Dataset, new: &Dataset) -> Result<Prediction, ModelError> {
    let all: Vec<usize> = (0..train.len()).collect();
    quick().fit(train, &all)?.predict(new)
}

/// Largest difference of two predictions, relative to numbers above 1.
fn difference(found: &Prediction, expected: &Prediction, n: usize) -> f64 {
    let pairs = (0..n).flat_map(|i| bits(found, i).into_iter().zip(bits(expected, i)));
    let numbers = pairs.map(|(a, b)| (f64::from_bits(a), f64::from_bits(b)));
    numbers.map(|(a, b)| (a - b).abs() / b.abs().max(1.0)).fold(0.0, f64::max)
}

#[test]
fn the_unit_of_a_channel_changes_no_bit() {
    let (train, new) = (dataset(30, true, 1), dataset(12, true, 2));
    let expected = fit_and_predict(&train, &new).unwrap();
    for name in ["x", "flow"] {
        for unit in UNITS {
            let (train, new) = (scaled(&train, name, unit), scaled(&new, name, unit));
            let found = fit_and_predict(&train, &new).unwrap();
            for i in 0..new.len() {
                assert_eq!(bits(&found, i), bits(&expected, i), "{name} in units of {unit:e}, graph {i}");
            }
        }
    }
}

#[test]
fn predictions_have_the_unit_of_the_targets() {
    let (train, new) = (dataset(30, false, 3), dataset(12, false, 4));
    let numbers = |prediction: Prediction| match prediction.targets {
        PredictedTargets::Real { densities } => densities,
        PredictedTargets::Classes { .. } => unreachable!("numbers are predicted"),
    };
    let expected = numbers(fit_and_predict(&train, &new).unwrap());
    for unit in UNITS {
        let (name, complexes, columns, targets) = train.clone().into_parts();
        let Targets::Real(values) = targets else { unreachable!("targets are numbers") };
        let targets = Targets::Real(values.iter().map(|y| unit * y).collect());
        let other = Dataset::new(name, complexes, columns, targets).unwrap();
        let found = numbers(fit_and_predict(&other, &new).unwrap());
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(found.mean().to_bits(), (unit * expected.mean()).to_bits());
            let (variance, unit) = (found.variance() / unit / unit, expected.variance());
            assert!((variance / unit - 1.0).abs() < 1e-13, "{variance} {unit}");
        }
    }
}

#[test]
fn each_of_several_targets_keeps_its_own_unit() {
    let (train, new) = (dataset(24, false, 12), dataset(8, false, 13));
    let settings = quick();
    let all: Vec<usize> = (0..train.len()).collect();
    let measurer = Measurer::fit(&settings, &train, &all).unwrap();
    let measured = measurer.measure(&train, |_| ControlFlow::Continue(())).unwrap();
    let Targets::Real(values) = train.targets() else { unreachable!("targets are numbers") };
    let fitted = |units: [f64; 2]| {
        let goal = |k: usize| {
            // The second target is another one, of every other graph.
            let complexes: Vec<usize> = all.iter().copied().step_by(k + 1).collect();
            let value = |&i: &usize| units[k] * (values[i] + k as f64 * (i as f64).sin());
            let targets = Targets::Real(complexes.iter().map(value).collect());
            Goal { name: format!("target {k}"), targets, complexes }
        };
        let goals = [goal(0), goal(1)];
        let models =
            settings.fit_several(&measurer, &measured, &goals, |_| ControlFlow::Continue(())).unwrap();
        let mean = |model: &Model| match model.predict(&new).unwrap().targets {
            PredictedTargets::Real { densities } => densities.iter().map(|d| d.mean()).collect::<Vec<f64>>(),
            PredictedTargets::Classes { .. } => unreachable!("numbers are predicted"),
        };
        models.models().iter().map(mean).collect::<Vec<_>>()
    };
    let expected = fitted([1.0; 2]);
    assert_ne!(expected[0], expected[1]);
    for units in [[UNITS[0], 1.0], [1.0, UNITS[1]], [UNITS[1], UNITS[0]]] {
        let found = fitted(units);
        for (k, unit) in units.into_iter().enumerate() {
            let scaled: Vec<u64> = expected[k].iter().map(|y| (unit * y).to_bits()).collect();
            let found: Vec<u64> = found[k].iter().map(|y| y.to_bits()).collect();
            assert_eq!(found, scaled, "target {k} in units of {units:?}");
        }
    }
}

#[test]
fn a_common_unit_of_all_weights_of_cells_changes_no_bit() {
    let (train, new) = (dataset(16, true, 14), dataset(5, true, 15));
    let weighted = |data: &Dataset, unit: f64| {
        (0..3).fold(data.clone(), |data, dim| {
            let starts = data.cell_starts(dim);
            let weight = |i: usize| unit * (1.0 + ((3 * i + dim) % 4) as f64);
            let values = (0..starts[data.len()]).map(weight).collect();
            let values = ColumnValues::Real { channels: vec!["0".to_owned()], values };
            let (name, orientation) = ("cell-weights".to_owned(), Orientation::Unoriented);
            data.with_column(Column { name, dim, orientation, starts, values }).unwrap()
        })
    };
    let predicted = |unit: f64| fit_and_predict(&weighted(&train, unit), &weighted(&new, unit)).unwrap();
    let (expected, plain) = (predicted(1.0), fit_and_predict(&train, &new).unwrap());
    assert_ne!(bits(&expected, 0), bits(&plain, 0), "weights mean something");
    for unit in UNITS {
        let found = predicted(unit);
        for i in 0..new.len() {
            assert_eq!(bits(&found, i), bits(&expected, i), "weights in units of {unit:e}, graph {i}");
        }
    }
}

#[test]
fn weights_of_any_size_are_predicted_from_or_refused() {
    let (train, new) = (dataset(16, true, 5), dataset(5, true, 6));
    for unit in [UNITS[0], UNITS[1], 1e300, 1e-300] {
        for dim in [0, 1] {
            let weighted = |data: &Dataset| {
                let starts = data.cell_starts(dim);
                let values = (0..starts[data.len()]).map(|i| unit * (1.0 + (i % 3) as f64)).collect();
                let values = ColumnValues::Real { channels: vec!["0".to_owned()], values };
                let orientation = Orientation::Unoriented;
                let name = "cell-weights".to_owned();
                data.clone().with_column(Column { name, dim, orientation, starts, values })
            };
            let (Ok(train), Ok(new)) = (weighted(&train), weighted(&new)) else { continue };
            match fit_and_predict(&train, &new) {
                Ok(found) => {
                    let numbers = (0..new.len()).flat_map(|i| bits(&found, i)).map(f64::from_bits);
                    assert!(
                        numbers.into_iter().all(f64::is_finite),
                        "weights of {unit:e} on dimension {dim}"
                    );
                }
                Err(error) => assert!(!error.to_string().is_empty()),
            }
        }
    }
}

#[test]
fn the_order_of_graphs_and_the_names_of_vertices_have_no_meaning() {
    let (train, new) = (dataset(30, true, 7), dataset(10, true, 8));
    let expected = fit_and_predict(&train, &new).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(9);
    let mut order: Vec<usize> = (0..train.len()).collect();
    order.shuffle(&mut rng);
    let reordered = fit_and_predict(&train.select(&order), &new).unwrap();
    let renamed = fit_and_predict(&relabelled(&train, &mut rng), &relabelled(&new, &mut rng)).unwrap();
    for (what, found) in [("order", &reordered), ("names", &renamed)] {
        let worst = difference(found, &expected, new.len());
        // Rounding of sums in another order, which a few steps of training enlarge; measured at 1e-11.
        assert!(worst < 1e-8, "{what}: {worst:e}");
    }
}

/// The same graphs with vertices in another order, and the values with them.
fn relabelled(dataset: &Dataset, rng: &mut ChaCha8Rng) -> Dataset {
    let (title, complexes, mut columns, targets) = dataset.clone().into_parts();
    let mut new = Vec::new();
    for (i, complex) in complexes.iter().enumerate() {
        let mut name: Vec<u32> = (0..complex.n_cells(0) as u32).collect();
        name.shuffle(rng);
        let edges: Vec<[u32; 2]> = complex.edges().map(|ends| ends.map(|v| name[v as usize])).collect();
        // Edges keep their order and direction, so that flows stay as they are.
        new.push(Complex::graph(name.len(), &edges).unwrap().clique_complex(2).unwrap());
        for column in columns.iter_mut().filter(|column| column.dim == 0) {
            let cells = column.cells(i);
            if let ColumnValues::Real { values, .. } = &mut column.values {
                let old = values[cells.clone()].to_vec();
                name.iter().zip(old).for_each(|(&to, x)| values[cells.start + to as usize] = x);
            }
        }
    }
    Dataset::new(title, new, columns, targets).unwrap()
}

#[test]
fn a_graph_that_comes_twice_is_predicted_twice_the_same() {
    let (train, new) = (dataset(20, true, 10), dataset(6, true, 11));
    let twice: Vec<usize> = (0..train.len()).chain(0..train.len()).collect();
    let found = fit_and_predict(&train.select(&twice), &new.select(&[0, 1, 0, 2, 1, 0])).unwrap();
    assert_eq!(bits(&found, 0), bits(&found, 2));
    assert_eq!(bits(&found, 0), bits(&found, 5));
    assert_eq!(bits(&found, 1), bits(&found, 4));
    assert_ne!(bits(&found, 0), bits(&found, 1));
}
