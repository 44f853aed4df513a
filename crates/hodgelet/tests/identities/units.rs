//! Nothing depends on the unit of a channel.

use hodgelet::complex::Complex;
use hodgelet::dataset::{Column, ColumnValues, Dataset, Targets};
use hodgelet::model::{FeatureSpace, PredictedTargets};
use hodgelet::settings::{Method, Settings};
use hodgelet::signal::Orientation;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::ops::ControlFlow;

/// Random graphs with an attribute on vertices, a flow and a length on edges, each in a unit of its own. Attributes and
/// flows of the second class are larger; some are 0.
fn dataset(units: [f64; 3]) -> Dataset {
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let (mut complexes, mut values) = (Vec::new(), [vec![], vec![], vec![]]);
    for i in 0..24 {
        let n = 5 + i % 4;
        let pairs = (0..n).flat_map(|a| (a + 1..n).map(move |b| [a, b]));
        let edges: Vec<[u32; 2]> = pairs.filter(|_| rng.random::<f64>() < 0.6).collect();
        let size = if i % 2 == 0 { 1.0 } else { 1.6 };
        values[0].extend((0..n).map(|v| if v % 3 == 0 { 0.0 } else { size * (rng.random::<f64>() + 0.2) }));
        values[1]
            .extend(edges.iter().map(|_| if i % 5 == 0 { 0.0 } else { size * (rng.random::<f64>() - 0.5) }));
        values[2].extend(edges.iter().map(|_| 0.5 + rng.random::<f64>()));
        complexes.push(Complex::graph(n as usize, &edges).unwrap());
    }
    let names = vec!["small".to_owned(), "large".to_owned()];
    let targets = Targets::Classes { names, labels: (0..24).map(|i| i % 2).collect() };
    let mut dataset = Dataset::new("units", complexes, vec![], targets).unwrap();
    let kinds = [
        ("x", 0, Orientation::Unoriented),
        ("flow", 1, Orientation::Oriented),
        ("l", 1, Orientation::Unoriented),
    ];
    for ((name, dim, orientation), (values, unit)) in kinds.into_iter().zip(values.into_iter().zip(units)) {
        let values = values.into_iter().map(|v: f64| v * unit).collect();
        let values = ColumnValues::Real { channels: vec!["0".to_owned()], values };
        let column =
            Column { name: name.to_owned(), dim, orientation, starts: dataset.cell_starts(dim), values };
        dataset = dataset.with_column(column).unwrap();
    }
    dataset
}

fn probabilities(settings: &Settings, dataset: &Dataset) -> Vec<f64> {
    let model = settings.fit(dataset, &(0..16).collect::<Vec<_>>()).unwrap();
    let PredictedTargets::Classes { probabilities, .. } = model.predict(dataset).unwrap().targets else {
        panic!("the dataset has classes")
    };
    (0..24).map(|i| probabilities[(i, 1)]).collect()
}

/// Multiplying a channel by a power of ten changes no prediction beyond rounding, which training magnifies a little.
#[test]
fn predictions_do_not_depend_on_the_unit_of_a_channel() {
    for method in [Method::Hodge, Method::Wt, Method::LineGraph, Method::Fourier] {
        let settings =
            Settings { n_filters: 3, n_bands: 1, iterations: 5, ..Settings::of(method).most_probable() };
        let expected = probabilities(&settings, &dataset([1.0; 3]));
        let spread =
            expected.iter().copied().fold(0.0, f64::max) - expected.iter().copied().fold(1.0, f64::min);
        assert!(spread > 0.2, "{method:?} learns nothing: {expected:?}");
        for s in [-150, -100, -40, -12, -6, 6, 12, 75, 150] {
            let unit = 10f64.powi(s);
            for units in [[unit, 1.0, 1.0], [1.0, unit, 1.0], [1.0, 1.0, unit], [unit, unit, 1.0 / unit]] {
                let found = probabilities(&settings, &dataset(units));
                for (a, b) in expected.iter().zip(&found) {
                    assert!((a - b).abs() < 1e-8, "{method:?}, units {units:?}: {a} and {b}");
                }
            }
        }
    }
}

/// Features as they are written carry the unit: norms follow it.
#[test]
fn raw_features_are_in_the_unit_of_their_channel() {
    let settings = Settings { n_filters: 3, n_bands: 1, ..Settings::default().most_probable() };
    let features = |units| {
        let (data, all) = (dataset(units), (0..24).collect::<Vec<_>>());
        let (space, measured) =
            FeatureSpace::fit(&settings, &data, &all, |_| ControlFlow::Continue(())).unwrap();
        let measures: Vec<_> = measured.measures.iter().collect();
        (space.column_names(), space.features(&measures, false).unwrap())
    };
    let (names, plain) = features([1.0; 3]);
    let (_, scaled) = features([1.0, 1e-100, 1.0]);
    let columns = |blocks: &[faer::Mat<f64>]| -> Vec<Vec<f64>> {
        blocks
            .iter()
            .flat_map(|m| m.col_iter().map(|c| c.iter().copied().collect()).collect::<Vec<_>>())
            .collect()
    };
    for (name, (plain, scaled)) in names.iter().zip(columns(&plain).iter().zip(columns(&scaled))) {
        let unit = if name.contains("| flow") { 1e-100 } else { 1.0 };
        for (a, b) in plain.iter().zip(scaled) {
            assert!((a * unit - b).abs() <= 1e-9 * unit * (1.0 + a.abs()), "{name}: {a} and {b}");
        }
    }
}

/// A channel of which no feature varies is reported; an ordinary one, in whatever unit, is not.
#[test]
fn channels_that_are_lost_are_reported() {
    let settings =
        Settings { n_filters: 2, n_bands: 1, iterations: 1, ..Settings::default().most_probable() };
    let ring =
        |n: u32| Complex::graph(n as usize, &(0..n).map(|v| [v, (v + 1) % n]).collect::<Vec<_>>()).unwrap();
    let real = |name: &str, values: Vec<f64>| Column {
        name: name.to_owned(),
        dim: 0,
        orientation: Orientation::Unoriented,
        starts: (0..=8).map(|i| 6 * i).collect(),
        values: ColumnValues::Real { channels: vec!["0".to_owned()], values },
    };
    let columns = vec![
        real("same", vec![2.0; 48]),
        real("tiny", (0..48).map(|v| 1e-120 * f64::from(v % 7)).collect()),
        real("zero", vec![0.0; 48]),
    ];
    let targets = Targets::Real((0..8).map(f64::from).collect());
    let dataset = Dataset::new("rings", vec![ring(6); 8], columns, targets).unwrap();
    let settings = Settings { vertices: Some(hodgelet::encode::VertexSignal::Attributes), ..settings };
    let model = settings.fit(&dataset, &(0..8).collect::<Vec<_>>()).unwrap();
    assert_eq!(model.summary().constant_channels, ["same (dimension 0)"]);
}
