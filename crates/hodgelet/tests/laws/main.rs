//! Laws that whole models keep, whatever the numbers: the same bits alone and in company, units, order, names, and an answer
//! or an error for any settings.
//!
//! `HODGELET_LAWS` multiplies the number of random settings.

mod same_bits;
mod settings;
mod units;

use hodgelet::complex::Complex;
use hodgelet::dataset::{Column, ColumnValues, Dataset, Targets, cell_starts};
use hodgelet::model::{PredictedTargets, Prediction};
use hodgelet::settings::{HyperparameterChoice, Settings};
use hodgelet::signal::Orientation;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Random graphs of some sizes with values on vertices and flows on edges.
fn dataset(n: usize, classes: bool, seed: u64) -> Dataset {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut complexes = Vec::new();
    for i in 0..n {
        let size = rng.random_range(4..24u32);
        let p = if i % 2 == 0 { 0.25 } else { 0.45 };
        let pairs = (0..size).flat_map(|a| (a + 1..size).map(move |b| [a, b]));
        let edges: Vec<[u32; 2]> = pairs.filter(|_| rng.random_bool(p)).collect();
        complexes.push(Complex::graph(size as usize, &edges).unwrap().clique_complex(2).unwrap());
    }
    let mut column = |name: &str, dim: usize, orientation| {
        let starts = cell_starts(&complexes, dim);
        let values = (0..starts[n]).map(|_| rng.random_range(-1.0..1.0)).collect();
        let values = ColumnValues::Real { channels: vec!["x".to_owned()], values };
        Column { name: name.to_owned(), dim, orientation, starts, values }
    };
    let columns = vec![column("x", 0, Orientation::Unoriented), column("flow", 1, Orientation::Oriented)];
    let labels: Vec<u32> = (0..n as u32).map(|i| i % 2).collect();
    let targets = match classes {
        true => Targets::Classes { names: vec!["a".to_owned(), "b".to_owned()], labels },
        false => Targets::Real(labels.iter().map(|&l| f64::from(l) + rng.random_range(-0.1..0.1)).collect()),
    };
    Dataset::new("random", complexes, columns, targets).unwrap()
}

fn quick() -> Settings {
    Settings { iterations: 4, hyperparameters: HyperparameterChoice::Map, ..Settings::default() }
}

/// All numbers of row `i` of a prediction, as bits.
fn bits(prediction: &Prediction, i: usize) -> Vec<u64> {
    let row = |m: &faer::Mat<f64>| (0..m.ncols()).map(|j| m[(i, j)].to_bits()).collect::<Vec<_>>();
    let mut all = row(&prediction.latent_mean);
    all.extend(row(&prediction.latent_variance));
    prediction.blocks.iter().for_each(|(_, share)| all.extend(row(share)));
    prediction.constant.iter().for_each(|share| all.extend(row(share)));
    match &prediction.targets {
        PredictedTargets::Classes { probabilities, .. } => all.extend(row(probabilities)),
        PredictedTargets::Real { densities } => {
            all.extend([densities[i].mean().to_bits(), densities[i].variance().to_bits()]);
        }
    }
    all
}
