//! Signals that a complex carries by its structure alone: degrees and curvatures.

use crate::complex::Complex;
use crate::linalg::SparseMat;

/// Number of cofaces of each cell of dimension `dim`: degrees of vertices, triangles at an edge.
pub(super) fn coface_counts(complex: &Complex, dim: usize) -> Vec<f64> {
    let mut counts = vec![0.0; complex.n_cells(dim)];
    if let Some(boundary) = complex.boundary(dim + 1) {
        for cell in 0..boundary.n_cols() {
            boundary.column(cell).0.iter().for_each(|&face| counts[face as usize] += 1.0);
        }
    }
    counts
}

/// A curvature of each cell of dimension `dim`: combinatorial on vertices, Forman's beyond.
pub(super) fn curvatures(complex: &Complex, dim: usize) -> Vec<f64> {
    if dim == 0 { vertex_curvatures(complex) } else { forman_curvatures(complex, dim) }
}

/// `K(v) = Σ_{σ ∋ v} (−1)^{dim σ} / n(σ)`, where `n(σ)` is the number of vertices of the cell `σ`: every cell hands
/// its share of the Euler characteristic to its vertices, so that `Σ_v K(v) = χ` (Gauss–Bonnet). In a triangulated
/// surface `K(v) = 1 − d(v)/6` inside, the angle defect of equilateral triangles over 2π.
fn vertex_curvatures(complex: &Complex) -> Vec<f64> {
    let mut curvatures = vec![1.0; complex.n_cells(0)];
    let mut below: Vec<Vec<u32>> = (0..complex.n_cells(0) as u32).map(|v| vec![v]).collect();
    for dim in 1..=complex.dim() {
        let Some(boundary) = complex.boundary(dim) else { break };
        let vertices = |cell: usize| {
            let faces = boundary.column(cell).0.iter();
            let mut all: Vec<u32> = faces.flat_map(|&face| below[face as usize].iter().copied()).collect();
            all.sort_unstable();
            all.dedup();
            all
        };
        let cells: Vec<Vec<u32>> = (0..boundary.n_cols()).map(vertices).collect();
        let sign = if dim % 2 == 0 { 1.0 } else { -1.0 };
        for vertices in &cells {
            let share = sign / vertices.len() as f64; // not used when there is none
            vertices.iter().for_each(|&v| curvatures[v as usize] += share);
        }
        below = cells;
    }
    curvatures
}

/// Forman's combinatorial Ricci curvature \[Forman03\] with all weights 1: cofaces plus faces minus parallel neighbors,
/// which share a face or a coface with the cell but not both. An edge of a graph has `4 − d(u) − d(v)`.
fn forman_curvatures(complex: &Complex, dim: usize) -> Vec<f64> {
    let n = complex.n_cells(dim);
    let down = complex.boundary(dim); // columns: faces of a cell
    let down_rows = down.map(SparseMat::transpose); // columns: cells at a face
    let up = complex.boundary(dim + 1); // columns: cells of a coface
    let up_rows = up.map(SparseMat::transpose); // columns: cofaces of a cell
    let around = |cell: usize, to: Option<&SparseMat>, back: Option<&SparseMat>| -> Vec<u32> {
        let (Some(to), Some(back)) = (to, back) else { return Vec::new() };
        let steps = to.column(cell).0.iter().flat_map(|&via| back.column(via as usize).0.iter().copied());
        let mut found: Vec<u32> = steps.filter(|&other| other as usize != cell).collect();
        found.sort_unstable();
        found.dedup();
        found
    };
    let one = |cell: usize| {
        let by_face = around(cell, down, down_rows.as_ref());
        let by_coface = around(cell, up_rows.as_ref(), up);
        let both = by_coface.iter().filter(|other| by_face.binary_search(other).is_ok()).count();
        let parallel = by_face.len() + by_coface.len() - 2 * both;
        let count = |b: Option<&SparseMat>| b.map_or(0, |b| b.column(cell).0.len());
        (count(up_rows.as_ref()) + count(down)) as f64 - parallel as f64
    };
    (0..n).map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The octahedron: every vertex has four triangles.
    fn octahedron() -> Complex {
        let edges: Vec<[u32; 2]> =
            (0..6).flat_map(|a| (a + 1..6).filter(move |b| a + b != 5).map(move |b| [a, b])).collect();
        Complex::graph(6, &edges).unwrap().clique_complex(2).unwrap()
    }

    #[test]
    fn curvatures_of_vertices_add_up_to_the_euler_characteristic() {
        let sphere = octahedron();
        let found = curvatures(&sphere, 0);
        assert!(found.iter().all(|k| (k - 1.0 / 3.0).abs() < 1e-15));
        assert!((found.iter().sum::<f64>() - sphere.euler_characteristic() as f64).abs() < 1e-14);
        let star = Complex::graph(5, &[[0, 1], [0, 2], [0, 3]]).unwrap();
        assert_eq!(curvatures(&star, 0), [-0.5, 0.5, 0.5, 0.5, 1.0]);
    }

    #[test]
    fn an_edge_of_a_graph_has_formans_curvature_by_its_degrees() {
        let graph = Complex::graph(5, &[[0, 1], [0, 2], [0, 3], [3, 4]]).unwrap();
        assert_eq!(curvatures(&graph, 1), [0.0, 0.0, -1.0, 1.0]); // 4 − d(u) − d(v)
    }

    #[test]
    fn triangles_bend_edges_up() {
        let triangle = Complex::graph(3, &[[0, 1], [1, 2], [0, 2]]).unwrap();
        assert_eq!(curvatures(&triangle, 1), [0.0; 3]);
        let filled = triangle.clique_complex(2).unwrap();
        // one coface, two faces; the other two sides share both with it
        assert_eq!(curvatures(&filled, 1), [3.0; 3]);
        assert_eq!(curvatures(&filled, 2), [3.0]);
        // two triangles, two vertices, and four edges that share a vertex alone
        let sphere = octahedron();
        assert_eq!(curvatures(&sphere, 1), [2.0; 12]);
        assert_eq!(coface_counts(&sphere, 1), [2.0; 12]);
        assert_eq!(coface_counts(&sphere, 2), [0.0; 8]);
    }
}
