//! Delaunay triangulations of random points in the unit square.

use delaunator::{Point, triangulate};
use hodgelet::complex::Complex;
use rand::{Rng, RngExt};

/// A triangulated square: positions of the vertices, and the complex of vertices, edges and triangles.
#[derive(Clone)]
pub(super) struct Mesh {
    pub(super) positions: Vec<[f64; 2]>,
    pub(super) complex: Complex,
}

impl Mesh {
    /// The Delaunay triangulation of `n_vertices` points drawn uniformly, their coordinates then raised to the power
    /// `grading`, which makes the mesh fine near the axes.
    pub(super) fn draw(n_vertices: usize, grading: f64, rng: &mut impl Rng) -> Self {
        let mut coordinate = || {
            let uniform: f64 = rng.random();
            if grading == 1.0 { uniform } else { uniform.powf(grading) }
        };
        let positions: Vec<[f64; 2]> = (0..n_vertices).map(|_| [coordinate(), coordinate()]).collect();
        let points: Vec<Point> = positions.iter().map(|&[x, y]| Point { x, y }).collect();
        let triangulation = triangulate(&points);
        let mut triangles: Vec<[u32; 3]> = triangulation
            .triangles
            .chunks_exact(3)
            .map(|t| {
                let mut vertices = [t[0] as u32, t[1] as u32, t[2] as u32];
                vertices.sort_unstable();
                vertices
            })
            .collect();
        triangles.sort_unstable();
        let mut edges: Vec<[u32; 2]> =
            triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [a, c]]).collect();
        edges.sort_unstable();
        edges.dedup();
        let complex = Complex::graph(n_vertices, &edges)
            .and_then(|graph| graph.with_triangles(&triangles))
            .expect("the edges of a triangulation are the sides of its triangles");
        Self { positions, complex }
    }

    /// Positions of tail and head of every edge.
    pub(super) fn segments(&self) -> impl Iterator<Item = ([f64; 2], [f64; 2])> + '_ {
        let at = |v: u32| self.positions[v as usize];
        self.complex.edges().map(move |[tail, head]| (at(tail), at(head)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::item_rng;

    #[test]
    fn a_mesh_is_a_disc() {
        for (i, n) in [3, 4, 10, 100, 350].into_iter().enumerate() {
            let mesh = Mesh::draw(n, 1.0, &mut item_rng(4, i));
            assert_eq!((mesh.positions.len(), mesh.complex.n_cells(0)), (n, n));
            assert_eq!(mesh.complex.euler_characteristic(), 1);
            assert_eq!(mesh.complex.connected_components().1, 1);
        }
    }

    /// No vertex lies strictly inside the circle through the corners of a triangle.
    #[test]
    fn circles_around_triangles_are_empty() {
        let mesh = Mesh::draw(40, 1.0, &mut item_rng(4, 9));
        let boundary = mesh.complex.boundary(2).unwrap();
        for t in 0..mesh.complex.n_cells(2) {
            let sides = boundary.column(t).0.iter().map(|&e| mesh.complex.edge(e as usize).unwrap());
            let mut corners: Vec<u32> = sides.flatten().collect();
            corners.sort_unstable();
            corners.dedup();
            let [a, b, c] = [0, 1, 2].map(|i| mesh.positions[corners[i] as usize]);
            let (u, v) = ([b[0] - a[0], b[1] - a[1]], [c[0] - a[0], c[1] - a[1]]);
            let (uu, vv) = (u[0] * u[0] + u[1] * u[1], v[0] * v[0] + v[1] * v[1]);
            let double_area = 2.0 * (u[0] * v[1] - u[1] * v[0]);
            let center = [(uu * v[1] - vv * u[1]) / double_area, (vv * u[0] - uu * v[0]) / double_area];
            let radius = center[0].hypot(center[1]);
            for p in &mesh.positions {
                let distance = (p[0] - a[0] - center[0]).hypot(p[1] - a[1] - center[1]);
                assert!(distance > radius * (1.0 - 1e-9));
            }
        }
    }
}
