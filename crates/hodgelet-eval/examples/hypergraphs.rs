//! Hypergraphs that their clique expansion cannot tell apart.
//!
//! Groups of four vertices hold either their four triples or themselves twice: every pair then shares two hyperedges, and
//! the weighted clique expansion is the same. Zhou's Laplacian, the star and the incidence pair see the difference.
//!
//! `cargo run --release -p hodgelet-eval --example hypergraphs [NUMBER]`

mod common;

use hodgelet::encode::{CellSignal, VertexSignal};
use hodgelet::settings::Settings;
use hodgelet_data::generate::builtin;

/// Accuracy with `n` hypergraphs under an expansion, in `folds` folds.
pub fn accuracy(expansion: &str, n: usize, folds: usize) -> Result<f64, Box<dyn std::error::Error>> {
    let mut recipe = builtin("hypergraphs").ok_or("not a built-in dataset")?;
    recipe.set(&format!("n_graphs={n}"))?;
    recipe.set(&format!("expansion={expansion}"))?;
    let hypergraphs = recipe.generate(0)?;

    let (vertices, edges) = (Some(VertexSignal::Constant), CellSignal::Constant);
    let settings = Settings { vertices, edges, ..Settings::default().most_probable() };
    common::score(&hypergraphs, &settings, folds)
}

pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let n = common::count(200)?;
    for expansion in ["clique", "zhou", "star", "incidence"] {
        println!("{expansion}: {:.1}% of {n}", 100.0 * accuracy(expansion, n, 10)?);
    }
    Ok(())
}
