//! Where vertices are drawn: at their positions, or where a stress layout puts them.
//!
//! A layout is a function of the complex alone: the same complex has the same places on every run. Distances in the drawing
//! follow distances in the graph (stress majorization). Graphs of low degree with few cycles, as molecules are, get the
//! distances of a chemist's drawing: rings are regular polygons, and chains are zigzags of 120°.

mod branch;
mod pack;
mod stress;
mod targets;

use hodgelet::complex::Complex;
use hodgelet::dataset::{ColumnValues, Dataset, POSITIONS};

/// A place in the plane; y goes up.
pub type Point = [f64; 2];

/// Places of the vertices of graph `i`: those of the data where it has them, and a layout otherwise.
///
/// Positions in space are seen from the side and a little from above.
///
/// # Panics
///
/// When there is no graph `i`.
#[must_use]
pub fn places_of(dataset: &Dataset, i: usize) -> Vec<Point> {
    given(dataset, i).unwrap_or_else(|| places(&dataset.complexes()[i]))
}

/// Positions of the vertices of graph `i` in the data.
fn given(dataset: &Dataset, i: usize) -> Option<Vec<Point>> {
    let column = dataset.column(0, POSITIONS)?;
    let ColumnValues::Real { channels, values } = &column.values else { return None };
    let width = channels.len();
    let points: Vec<Point> =
        column.cells(i).map(|cell| &values[cell * width..(cell + 1) * width]).map(seen).collect();
    let apart = points.iter().any(|p| *p != points[0]);
    (width >= 2 && apart).then_some(points)
}

/// A position as it is seen: of three coordinates, from the side and 30° from above.
fn seen(position: &[f64]) -> Point {
    match *position {
        [x, y, z, ..] => {
            // Around the vertical axis by 35°, then toward the viewer by 30°.
            let (a, b) = (0.819_152, 0.573_576);
            let (across, depth) = (a * x - b * y, b * x + a * y);
            [across, 0.866_025 * z + 0.5 * depth]
        }
        [x, y] => [x, y],
        [x] => [x, 0.0],
        [] => [0.0, 0.0],
    }
}

/// A layout of a complex by its vertices and edges. Edges have a length of about 1.
///
/// # Complexity
///
/// `O(n²)` for up to 800 vertices, `O(n + m)` for more.
#[must_use]
pub fn places(complex: &Complex) -> Vec<Point> {
    let n = complex.n_cells(0);
    let (of, count) = complex.connected_components();
    let mut members: Vec<Vec<u32>> = vec![Vec::new(); count];
    (0..n).for_each(|v| members[of[v] as usize].push(v as u32));
    let neighbors = neighbors(complex);
    let rings = targets::rings(complex);
    let mut parts: Vec<(Vec<u32>, Vec<Point>)> = members
        .into_iter()
        .map(|vertices| {
            let part = stress::Part::new(&vertices, &neighbors, rings.as_deref());
            let points = part.layout();
            (vertices, points)
        })
        .collect();
    // Large parts first; of equals the one with the first vertex.
    parts.sort_by(|a, b| b.0.len().cmp(&a.0.len()).then(a.0[0].cmp(&b.0[0])));
    pack::pack(n, &parts)
}

/// Neighbours of every vertex, in order.
fn neighbors(complex: &Complex) -> Vec<Vec<u32>> {
    let mut neighbors = vec![Vec::new(); complex.n_cells(0)];
    for [a, b] in complex.edges() {
        if a != b {
            neighbors[a as usize].push(b);
            neighbors[b as usize].push(a);
        }
    }
    for list in &mut neighbors {
        list.sort_unstable();
        list.dedup();
    }
    neighbors
}

pub(crate) fn distance(a: Point, b: Point) -> f64 {
    ((a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2)).sqrt()
}

#[cfg(test)]
mod tests;
