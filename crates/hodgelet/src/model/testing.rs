//! Small generated datasets for the tests of this module.

use crate::complex::Complex;
use crate::dataset::{Column, ColumnValues, Dataset, Targets};
use crate::settings::Settings;
use crate::signal::Orientation;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// `n` random graphs of 5 to 8 vertices with two attributes a vertex and a flow on edges. The item `i` is of class
/// `i mod n_classes`, which its attributes follow a little; without classes its target is a real number.
pub(crate) fn dataset(n: usize, n_classes: usize, seed: u64) -> Dataset {
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
    let dataset = Dataset::new("generated", complexes, vec![], targets).unwrap();
    let columns = vec![
        column(&dataset, "x", 0, Orientation::Unoriented, 2, attributes),
        column(&dataset, "flow", 1, Orientation::Oriented, 1, flows),
    ];
    dataset.with_columns(columns).unwrap()
}

fn column(
    dataset: &Dataset,
    name: &str,
    dim: usize,
    orientation: Orientation,
    n_channels: usize,
    values: Vec<f64>,
) -> Column {
    let channels = (0..n_channels).map(|c| c.to_string()).collect();
    let values = ColumnValues::Real { channels, values };
    Column { name: name.to_owned(), dim, orientation, starts: dataset.cell_starts(dim), values }
}

/// Settings with small banks.
pub(crate) fn small_settings() -> Settings {
    Settings { n_filters: 2, n_bands: 2, iterations: 6, ..Settings::default().most_probable() }
}
