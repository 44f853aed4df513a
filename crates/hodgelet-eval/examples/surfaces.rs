//! Tells spheres, tori, Klein bottles and projective planes apart by topology alone.
//!
//! No cell carries a value of its own. An unoriented constant on the cells of dimension k has the Betti number β_k as its
//! harmonic energy, and (β_0, β_1, β_2) is (1, 0, 1), (1, 2, 1), (1, 1, 0), (1, 0, 0) on the four surfaces, whatever the
//! triangulation.
//!
//! `cargo run --release -p hodgelet-eval --example surfaces [NUMBER]`

mod common;

use hodgelet::encode::{CellSignal, VertexSignal};
use hodgelet::settings::Settings;
use hodgelet_data::generate::builtin;

/// Accuracy with `n` surfaces in `folds` folds.
pub fn accuracy(n: usize, folds: usize) -> Result<f64, Box<dyn std::error::Error>> {
    let mut recipe = builtin("surfaces").ok_or("not a built-in dataset")?;
    recipe.set(&format!("n_graphs={n}"))?;
    let surfaces = recipe.generate(0)?;

    let (vertices, cells) = (Some(VertexSignal::None), CellSignal::Constant);
    let settings = Settings { vertices, edges: cells, higher: cells, ..Settings::default().most_probable() };
    common::score(&surfaces, &settings, folds)
}

pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let n = common::count(400)?;
    println!("{n} surfaces of four kinds: {:.1}% told apart", 100.0 * accuracy(n, 10)?);
    Ok(())
}
