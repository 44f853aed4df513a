//! Triangle surfaces with vertices in space.

use super::{Complex, ComplexError};

/// Vertices in space and the triangles between them; a surface in the plane has all third coordinates 0.
///
/// Triangles must be valid and distinct, nothing more: an edge may have one, two or more of them. Functions that need
/// a manifold check for it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriangleMesh {
    /// Where each vertex is.
    pub positions: Vec<[f64; 3]>,
    /// Vertices of each triangle, in the order that gives its orientation.
    pub triangles: Vec<[u32; 3]>,
}

impl TriangleMesh {
    /// The complex of the surface: triangles in their order and orientation, edges from the lower vertex to the
    /// higher one in lexicographic order.
    ///
    /// # Errors
    ///
    /// [`ComplexError`] names a triangle with a vertex that does not exist or is repeated, a repeated
    /// triangle, or a vertex whose position is not finite.
    ///
    /// # Complexity
    ///
    /// `O(n + t log t)` time for `n` vertices and `t` triangles.
    ///
    /// ```
    /// use hodgelet::complex::TriangleMesh;
    /// let positions = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    /// let square = TriangleMesh { positions, triangles: vec![[0, 1, 2], [0, 2, 3]] }.complex()?;
    /// assert_eq!([0, 1, 2].map(|k| square.n_cells(k)), [4, 5, 2]);
    /// # Ok::<(), hodgelet::complex::ComplexError>(())
    /// ```
    pub fn complex(&self) -> Result<Complex, ComplexError> {
        self.check()?;
        let sides = |&[a, b, c]: &[u32; 3]| [[a, b], [b, c], [a, c]].map(|[u, v]| [u.min(v), u.max(v)]);
        let mut edges: Vec<[u32; 2]> = self.triangles.iter().flat_map(sides).collect();
        edges.sort_unstable();
        edges.dedup();
        Complex::graph(self.positions.len(), &edges)?.with_triangles(&self.triangles)
    }

    fn check(&self) -> Result<(), ComplexError> {
        let n_vertices = self.positions.len();
        if let Some(vertex) = self.positions.iter().position(|p| p.iter().any(|x| !x.is_finite())) {
            return Err(ComplexError::Position { vertex });
        }
        for (cell, triangle) in self.triangles.iter().enumerate() {
            let &[a, b, c] = triangle;
            if let Some(&vertex) = triangle.iter().find(|&&v| v as usize >= n_vertices) {
                return Err(ComplexError::CellVertex { what: "triangle", cell, vertex, n_vertices });
            }
            if a == b || b == c || a == c {
                let vertex = if a == b || a == c { a } else { b };
                return Err(ComplexError::RepeatedVertex { what: "triangle", cell, vertex });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mesh(triangles: &[[u32; 3]]) -> TriangleMesh {
        let positions = (0..4).map(|i| [f64::from(i), f64::from(i * i), 0.0]).collect();
        TriangleMesh { positions, triangles: triangles.to_vec() }
    }

    #[test]
    fn the_boundary_of_a_tetrahedron_is_a_sphere() {
        let sphere = mesh(&[[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]]).complex().unwrap();
        assert_eq!((sphere.n_cells(1), sphere.n_cells(2), sphere.euler_characteristic()), (6, 4, 2));
        assert_eq!(sphere.edges().next(), Some([0, 1]));
        // consistent windings: every edge is run through in both directions
        let mut sum = vec![0.0; 6];
        sphere.boundary(2).unwrap().mul(&[1.0; 4], &mut sum);
        assert_eq!(sum, [0.0; 6]);
    }

    #[test]
    fn faults_of_a_mesh_name_the_triangle() {
        let message = |triangles: &[[u32; 3]]| mesh(triangles).complex().unwrap_err().to_string();
        assert_eq!(message(&[[0, 1, 2], [1, 4, 2]]), "triangle 1 names vertex 4, but there are 4 vertices");
        assert_eq!(message(&[[3, 1, 1]]), "triangle 0 names vertex 1 twice");
        assert_eq!(message(&[[0, 1, 2], [1, 2, 0]]), "triangle 1 has the vertices of triangle 0");
        let mut far = mesh(&[[0, 1, 2]]);
        far.positions[2][1] = f64::INFINITY;
        assert_eq!(far.complex().unwrap_err().to_string(), "the position of vertex 2 is not finite");
    }
}
