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
pub fn accuracies(
    n: usize,
    n_vertices: usize,
    noise: f64,
    folds: usize,
) -> Result<[f64; 2], Box<dyn std::error::Error>> {
    let mut recipe = builtin("vector-fields").ok_or("not a built-in dataset")?;
    recipe.set("edge_map=de-rham")?; // integrals along edges, as cochains are
    recipe.set("lengthscale=0.2")?;
    for setting in [format!("n_fields={n}"), format!("n_vertices={n_vertices}"), format!("noise={noise}")] {
        recipe.set(&setting)?;
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
    for noise in [0.0, 0.01, 0.03, 0.1] {
        let [unweighted, metric] = accuracies(n, 100, noise, 10)?.map(|share| 100.0 * share);
        println!("{n} fields, noise {noise}: {unweighted:.1}% without weights, {metric:.1}% with the metric");
    }
    Ok(())
}
