//! Molecules as graphs, and as cell complexes in which every ring is a cell.
//!
//! The rings are the relevant cycles up to length 8, those that occur in some shortest basis. Filling them moves the energy of
//! ring bonds from the harmonic to the co-exact part, and rings carry their length as a signal of their own.
//!
//! `cargo run --release -p hodgelet-eval --example molecule_rings FOLDER MUTAG PTC_MR ESOL`, with TU datasets in FOLDER.

mod common;

use hodgelet::complex::Complex;
use hodgelet::dataset::{Column, ColumnValues, Dataset};
use hodgelet::encode::CellSignal;
use hodgelet::settings::Settings;
use hodgelet::signal::Orientation;
use std::path::Path;

type Failure = Box<dyn std::error::Error>;

/// Longest ring that is filled.
const MAX_RING: usize = 8;

/// The dataset with rings as 2-cells and their lengths as labels.
pub fn with_rings(dataset: &Dataset) -> Result<Dataset, Failure> {
    let (mut complexes, mut lengths): (Vec<Complex>, Vec<u32>) = (Vec::new(), Vec::new());
    for graph in dataset.complexes() {
        let rings = graph.relevant_cycles(MAX_RING)?;
        lengths.extend(rings.iter().map(|ring| ring.len() as u32));
        complexes.push(graph.with_polygons(&rings)?);
    }
    let (name, columns) = (dataset.name(), dataset.columns().to_vec());
    let filled = Dataset::new(name, complexes, columns, dataset.targets().clone())?;
    let starts = filled.cell_starts(2);
    let categories = (0..=MAX_RING).map(|length| length.to_string()).collect();
    let values = ColumnValues::Labels { categories, codes: lengths };
    let (name, orientation) = ("length".to_owned(), Orientation::Unoriented);
    Ok(filled.with_column(Column { name, dim: 2, orientation, starts, values })?)
}

/// Scores of the graphs and of the complexes: accuracies, or root mean squared errors for real targets.
pub fn scores(dataset: &Dataset, folds: usize) -> Result<[f64; 2], Failure> {
    let settings = Settings { edges: CellSignal::AutoStructure, ..Settings::default().most_probable() };
    let plain = common::score(dataset, &settings, folds)?;
    Ok([plain, common::score(&with_rings(dataset)?, &settings, folds)?])
}

pub fn main() -> Result<(), Failure> {
    let mut words = std::env::args().skip(1);
    let folder = words.next().ok_or("expected a folder of TU datasets, and their names")?;
    for name in words {
        let dataset = hodgelet_data::open(&name, Some(Path::new(&folder)))?.dataset;
        let [plain, rings] = scores(&dataset, 10)?;
        println!("{name}: {plain:.4} as graphs, {rings:.4} with rings");
    }
    Ok(())
}
