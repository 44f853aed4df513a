//! Gradients against curls on uneven meshes, with the metric of the mesh and without.
//!
//! Points are drawn at random, so edges differ much in length. The metric knows how much of the square each cell stands
//! for; the combinatorial Laplacian treats all cells alike.
//!
//! `cargo run --release -p hodgelet-eval --example metric_fields [NUMBER]`

mod common;

use hodgelet::encode::VertexSignal;
use hodgelet::hodge::DualArea;
use hodgelet::model::Method;
use hodgelet_data::generate::builtin;

/// Accuracies without and with the metric on `n` fields, in `folds` folds.
pub fn accuracies(n: usize, n_vertices: usize, folds: usize) -> Result<[f64; 2], Box<dyn std::error::Error>> {
    let mut recipe = builtin("vector-fields").ok_or("not a built-in dataset")?;
    // Integrals along edges, as cochains are; noise that is small on long edges.
    for setting in [format!("n_fields={n}"), format!("n_vertices={n_vertices}")] {
        recipe.set(&setting)?;
    }
    for setting in ["edge_map=de-rham", "noise=0.03", "lengthscale=0.2"] {
        recipe.set(setting)?;
    }
    let fields = recipe.generate(0)?;
    let mut settings = Method::Hodge.params();
    settings.space.encoding.vertices = VertexSignal::None; // the flows on the edges say it all
    let unweighted = common::score(&fields, &settings, folds)?;
    settings.space.metric = Some(DualArea::Barycentric);
    Ok([unweighted, common::score(&fields, &settings, folds)?])
}

pub fn main() -> Result<(), Box<dyn std::error::Error>> {
    let n = common::count(200)?;
    let [unweighted, metric] = accuracies(n, 150, 10)?.map(|share| 100.0 * share);
    println!("{n} fields: {unweighted:.1}% without weights, {metric:.1}% with those of the metric");
    Ok(())
}
