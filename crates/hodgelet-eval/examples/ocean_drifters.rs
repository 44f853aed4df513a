//! Which way buoys drift round Madagascar, by the sign of their harmonic coefficients.
//!
//! Trajectories on a triangulated sea with the island left out are flows of +1 and −1 on its edges. Energies are the
//! same for a flow and its reverse, and cannot tell one way from the other; inner products with the harmonic basis of the
//! complex, which the island gives it, can.
//!
//! `cargo run --release -p hodgelet-eval --example ocean_drifters FOLDER`, with the files `ocean_drifters_edges.txt`,
//! `_triangles.txt`, `_node_coordinates.txt` and `_trajectories.txt` in FOLDER.

mod common;

use hodgelet::complex::Complex;
use hodgelet::dataset::{Column, ColumnValues, Dataset, Targets};
use hodgelet::encode::VertexSignal;
use hodgelet::feature::SignedParams;
use hodgelet::settings::Settings;
use hodgelet::signal::Orientation;
use std::collections::HashMap;
use std::path::Path;

type Failure = Box<dyn std::error::Error>;

/// Lines of numbers between commas.
fn lines<T: std::str::FromStr<Err: std::error::Error + 'static>>(
    folder: &Path,
    name: &str,
) -> Result<Vec<Vec<T>>, Failure> {
    let text = std::fs::read_to_string(folder.join(format!("ocean_drifters_{name}.txt")))?;
    let line = |line: &str| line.split(',').map(|word| Ok(word.trim().parse()?)).collect();
    text.lines().map(line).collect()
}

/// The angle by which a trajectory turns round a point, positive counterclockwise.
fn angle(walk: &[u32], positions: &[Vec<f64>], center: [f64; 2]) -> f64 {
    let from = |v: u32| [positions[v as usize][0] - center[0], positions[v as usize][1] - center[1]];
    let turn = |step: &[u32]| {
        let ([x, y], [u, v]) = (from(step[0]), from(step[1]));
        (x * v - y * u).atan2(x * u + y * v)
    };
    walk.windows(2).map(turn).sum()
}

/// Trajectories of at least five vertices that turn by more than 0.2 round the middle of the map, where the island is.
pub fn drifters(folder: &Path) -> Result<Dataset, Failure> {
    let vertex = |v: &u32| v - 1; // files count from 1
    let edges: Vec<[u32; 2]> =
        lines(folder, "edges")?.iter().map(|e| [vertex(&e[0]), vertex(&e[1])]).collect();
    let triangles: Vec<[u32; 3]> =
        lines(folder, "triangles")?.iter().map(|t| [vertex(&t[0]), vertex(&t[1]), vertex(&t[2])]).collect();
    let positions: Vec<Vec<f64>> = lines(folder, "node_coordinates")?;
    let complex = Complex::graph(positions.len(), &edges)?.with_triangles(&triangles)?;
    let n = positions.len() as f64;
    let center = [0, 1].map(|i| positions.iter().map(|p| p[i]).sum::<f64>() / n);
    let index: HashMap<[u32; 2], usize> = edges.iter().copied().zip(0..).collect();
    let (mut flows, mut labels) = (Vec::new(), Vec::new());
    for walk in lines::<u32>(folder, "trajectories")? {
        let walk: Vec<u32> = walk.iter().map(vertex).collect();
        let turned = angle(&walk, &positions, center);
        if walk.len() < 5 || turned.abs() < 0.2 {
            continue;
        }
        let mut flow = vec![0.0; edges.len()];
        for step in walk.windows(2) {
            match (index.get(&[step[0], step[1]]), index.get(&[step[1], step[0]])) {
                (Some(&e), _) => flow[e] += 1.0,
                (None, Some(&e)) => flow[e] -= 1.0,
                (None, None) => return Err(format!("no edge from {} to {}", step[0], step[1]).into()),
            }
        }
        flows.extend(flow);
        labels.push(u32::from(turned > 0.0));
    }
    let complexes = vec![complex; labels.len()];
    let targets = Targets::Classes { names: vec!["clockwise".into(), "anticlockwise".into()], labels };
    let dataset = Dataset::new("ocean-drifters", complexes, vec![], targets)?;
    let (name, starts) = ("flow".to_owned(), dataset.cell_starts(1));
    let values = ColumnValues::Real { channels: vec!["flow".into()], values: flows };
    let orientation = Orientation::Oriented;
    Ok(dataset.with_column(Column { name, dim: 1, orientation, starts, values })?)
}

/// Accuracies of energies alone, and with signed features.
pub fn accuracies(dataset: &Dataset, folds: usize) -> Result<[f64; 2], Failure> {
    let mut settings = Settings { vertices: Some(VertexSignal::None), ..Settings::default().most_probable() };
    let energies = common::score(dataset, &settings, folds)?;
    settings.signed = Some(SignedParams::HARMONIC);
    Ok([energies, common::score(dataset, &settings, folds)?])
}

pub fn main() -> Result<(), Failure> {
    let folder = std::env::args().nth(1).ok_or("expected the folder of the trajectories")?;
    let dataset = drifters(Path::new(&folder))?;
    let [energies, signed] = accuracies(&dataset, 10)?.map(|share| 100.0 * share);
    println!("{} trajectories: {energies:.1}% by energies, {signed:.1}% with signed features", dataset.len());
    Ok(())
}
