//! Small valid datasets, to be corrupted by the tests.

use hodgelet::complex::Complex;
use hodgelet::dataset::{Column, ColumnValues, Dataset, Targets};
use hodgelet::model::Stage;
use hodgelet::signal::Orientation;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::ops::ControlFlow;

pub fn go_on(_: Stage) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// A random graph.
pub fn graph(n_vertices: u32, rng: &mut ChaCha8Rng) -> Complex {
    let pairs = (0..n_vertices).flat_map(|a| (a + 1..n_vertices).map(move |b| [a, b]));
    let edges: Vec<[u32; 2]> = pairs.filter(|_| rng.random::<f64>() < 0.5).collect();
    Complex::graph(n_vertices as usize, &edges).unwrap()
}

/// `n` random graphs with an attribute on each vertex and a flow on each edge, both multiplied by `scale`.
pub fn graphs(n: usize, scale: f64, seed: u64) -> Dataset {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let complexes = (0..n).map(|i| graph(5 + i as u32 % 4, &mut rng)).collect();
    with_signals(complexes, scale, seed)
}

/// These complexes with random signals.
pub fn with_signals(complexes: Vec<Complex>, scale: f64, seed: u64) -> Dataset {
    let mut rng = ChaCha8Rng::seed_from_u64(seed + 1000);
    let mut dataset = Dataset::new("hostile", complexes, vec![], Targets::None).unwrap();
    for (name, dim, orientation) in [("x", 0, Orientation::Unoriented), ("flow", 1, Orientation::Oriented)] {
        let starts = dataset.cell_starts(dim);
        let values = (0..starts[starts.len() - 1]).map(|_| scale * (rng.random::<f64>() - 0.3)).collect();
        let values = ColumnValues::Real { channels: vec!["0".to_owned()], values };
        let column = Column { name: name.to_owned(), dim, orientation, starts, values };
        dataset = dataset.with_column(column).unwrap();
    }
    dataset
}

/// Labels, with this many names.
pub fn classes(dataset: Dataset, n_classes: usize, label: impl Fn(usize) -> usize) -> Dataset {
    let names = (0..n_classes).map(|c| format!("c{c}")).collect();
    let labels = (0..dataset.len()).map(|i| label(i) as u32).collect();
    dataset.with_targets(Targets::Classes { names, labels }).unwrap()
}

/// Real targets.
pub fn reals(dataset: Dataset, target: impl Fn(usize) -> f64) -> Dataset {
    let targets = Targets::Real((0..dataset.len()).map(target).collect());
    dataset.with_targets(targets).unwrap()
}
