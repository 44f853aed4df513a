//! Smooth against rough vector fields on meshes of all kinds, with the metric of the mesh and without.
//!
//! Some meshes are even, others crowd their vertices near two sides of the square. With metric weights the spectrum is that
//! of the Laplacian of the square, whatever the mesh, and tells how fast a field varies. Without them it is that of the
//! mesh.
//!
//! `cargo run --release -p hodgelet-eval --example metric_fields [NUMBER]`

mod common;

use hodgelet::dataset::{Column, ColumnValues, Dataset, DatasetError, Targets};
use hodgelet::encode::VertexSignal;
use hodgelet::settings::{Laplacian, Settings};
use hodgelet_data::generate::builtin;

type Failure = Box<dyn std::error::Error>;

/// Lengthscales of the two classes.
const LENGTHSCALES: [f64; 2] = [0.4, 0.2];

/// How uneven meshes are: powers of the coordinates of their vertices.
const GRADINGS: [f64; 3] = [1.0, 2.0, 3.0];

/// About `n` fields on meshes of `n_vertices`, each class on each kind of mesh.
fn fields(n: usize, n_vertices: usize) -> Result<Dataset, Failure> {
    let kinds = LENGTHSCALES.iter().flat_map(|scale| GRADINGS.map(|grading| (scale, grading)));
    let mut all: Option<Dataset> = None;
    for (seed, (lengthscale, grading)) in kinds.enumerate() {
        let mut recipe = builtin("vector-fields").ok_or("not a built-in dataset")?;
        for (name, value) in [("lengthscale", *lengthscale), ("grading", grading), ("noise", 0.0)] {
            recipe.set(&format!("{name}={value}"))?;
        }
        recipe.set("edge_map=de-rham")?; // integrals along edges, as cochains are
        recipe.set(&format!("n_fields={}", n / 6))?;
        recipe.set(&format!("n_vertices={n_vertices}"))?;
        let part = recipe.generate(seed as u64)?;
        let names = vec!["smooth".to_owned(), "rough".to_owned()];
        let labels = vec![u32::from(seed >= GRADINGS.len()); part.len()];
        let part = part.with_targets(Targets::Classes { names, labels })?;
        all = Some(match all {
            Some(all) => joined(all, part)?,
            None => part,
        });
    }
    all.ok_or_else(|| "no field".into())
}

/// Two datasets with the same columns and classes as one.
fn joined(a: Dataset, b: Dataset) -> Result<Dataset, DatasetError> {
    let (name, mut complexes, mut columns, mut targets) = a.into_parts();
    let (_, more_complexes, more_columns, more_targets) = b.into_parts();
    complexes.extend(more_complexes);
    columns.iter_mut().zip(more_columns).for_each(|(ours, theirs)| append(ours, theirs));
    if let (Targets::Classes { labels, .. }, Targets::Classes { labels: more, .. }) =
        (&mut targets, more_targets)
    {
        labels.extend(more);
    }
    Dataset::new(name, complexes, columns, targets)
}

fn append(ours: &mut Column, theirs: Column) {
    let end = ours.starts[ours.starts.len() - 1];
    ours.starts.extend(theirs.starts[1..].iter().map(|start| end + start));
    if let (ColumnValues::Real { values, .. }, ColumnValues::Real { values: more, .. }) =
        (&mut ours.values, theirs.values)
    {
        values.extend(more);
    }
}

/// Accuracies without and with the metric on `n` fields, in `folds` folds.
pub fn accuracies(n: usize, n_vertices: usize, folds: usize) -> Result<[f64; 2], Failure> {
    let fields = fields(n, n_vertices)?;
    // only the flows on the edges are signals
    let mut settings = Settings { vertices: Some(VertexSignal::None), ..Settings::default().most_probable() };
    let unweighted = common::score(&fields, &settings, folds)?;
    settings.laplacian = Some(Laplacian::Dec);
    Ok([unweighted, common::score(&fields, &settings, folds)?])
}

pub fn main() -> Result<(), Failure> {
    let n = common::count(240)?;
    let [unweighted, metric] = accuracies(n, 100, 10)?.map(|share| 100.0 * share);
    println!("{n} fields: {unweighted:.1}% without weights, {metric:.1}% with those of the metric");
    Ok(())
}
