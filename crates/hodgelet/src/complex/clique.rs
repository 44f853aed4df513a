//! Clique complexes: every clique of a graph becomes a simplex.

use super::edge_index::EdgeIndex;
use super::{Complex, ComplexError, limit};
use crate::linalg::SparseMat;
use std::collections::HashMap;
use std::ops::ControlFlow;

/// Highest dimension of cliques offered: a simplex of dimension 15 has 16 vertices and 65,535 faces.
pub const MAX_CLIQUE_DIM: usize = 15;

/// Vertices and edges of a triangle.
type Triangle = ([u32; 3], [u32; 3]);

impl Complex {
    /// The clique complex of the graph formed by the vertices and edges: cliques of up to `max_dim + 1` vertices
    /// become simplices, oriented by ascending vertex; edges keep their orientation.
    ///
    /// # Errors
    ///
    /// [`ComplexError::CliqueDim`] when `max_dim` is 0 or above [`MAX_CLIQUE_DIM`], [`ComplexError::TooManyCells`] when
    /// there are more cliques of one size than [`max_cells`](super::max_cells), [`ComplexError::OpenBoundary`] when edges
    /// have other coefficients than those of a graph. Cliques are counted before they are listed.
    ///
    /// # Complexity
    ///
    /// Triangles take `O(m^{3/2})` time: each edge is directed towards its end of higher degree, and the
    /// neighbors ahead of two joined vertices are compared.
    ///
    /// # References
    ///
    /// Chiba and Nishizeki, *Arboricity and subgraph listing algorithms* (1985).
    pub fn clique_complex(&self, max_dim: usize) -> Result<Self, ComplexError> {
        self.clique_complex_within(max_dim, limit::max_cells())
    }

    /// As [`clique_complex`](Self::clique_complex), with at most `max_cells` cliques of one size.
    ///
    /// # Errors
    ///
    /// As [`clique_complex`](Self::clique_complex).
    pub fn clique_complex_within(&self, max_dim: usize, max_cells: usize) -> Result<Self, ComplexError> {
        if !(1..=MAX_CLIQUE_DIM).contains(&max_dim) {
            return Err(ComplexError::CliqueDim { found: max_dim });
        }
        let mut complex = Self {
            n_cells: vec![self.n_cells(0), self.n_cells(1)],
            boundaries: vec![
                self.boundary(1).cloned().unwrap_or_else(|| SparseMat::zeros(self.n_cells(0), 0)),
            ],
        };
        if max_dim == 1 {
            return Ok(complex);
        }
        let (triangles, boundary) = self.cliques_of_three(max_cells)?;
        complex.push(boundary);
        complex.closed(2)?;
        if max_dim > 2 {
            let mut cliques: Vec<Vec<u32>> = triangles.into_iter().map(Vec::from).collect();
            let neighbors = self.higher_neighbors();
            for dim in 3..=max_dim {
                let bound = cliques.iter().map(|c| neighbors[c[c.len() - 1] as usize].len()).sum();
                limit::check(dim, max_cells, bound, || {
                    extensions(&cliques, &neighbors).take(max_cells + 1).count()
                })?;
                let faces: HashMap<&[u32], u32> = cliques.iter().map(Vec::as_slice).zip(0..).collect();
                let larger = extended(&cliques, &neighbors);
                let mut boundary = SparseMat::with_rows(cliques.len());
                for simplex in &larger {
                    boundary.push_column(signed_faces(simplex, &faces));
                }
                complex.push(boundary);
                cliques = larger;
            }
        }
        Ok(complex)
    }

    fn push(&mut self, boundary: SparseMat) {
        self.n_cells.push(boundary.n_cols());
        self.boundaries.push(boundary);
    }

    /// The triangles of the graph, vertices ascending, in lexicographic order, and their boundary operator.
    fn cliques_of_three(&self, max_cells: usize) -> Result<(Vec<[u32; 3]>, SparseMat), ComplexError> {
        let mut found = self.triangles_by_degree(max_cells)?;
        found.sort_unstable();
        let mut boundary = SparseMat::with_capacity(self.n_cells(1), found.len(), 3);
        for &([a, _, c], edges) in &found {
            // ∂[a, b, c] = [a, b] + [b, c] − [a, c], and an edge that points downwards counts reversed
            boundary.push_column(edges.map(|e| {
                let [tail, head] = self.edge(e as usize).expect("a triangle's sides are edges");
                let (upwards, opposite) = (tail < head, (tail.min(head), tail.max(head)) == (a, c));
                (e, if upwards != opposite { 1.0 } else { -1.0 })
            }));
        }
        Ok((found.into_iter().map(|(vertices, _)| vertices).collect(), boundary))
    }

    /// Vertices (ascending) and edges of each triangle: every edge is directed towards its end of higher
    /// degree, so that no vertex has more than `√(2m)` neighbors ahead.
    fn triangles_by_degree(&self, max_cells: usize) -> Result<Vec<Triangle>, ComplexError> {
        let degrees = self.degrees();
        let rank = |v: u32| (degrees[v as usize], v);
        let mut ahead: Vec<Vec<(u32, u32)>> = vec![Vec::new(); self.n_cells(0)];
        for e in 0..self.n_cells(1) {
            if let Some([a, b]) = self.edge(e) {
                let (from, to) = if rank(a) < rank(b) { (a, b) } else { (b, a) };
                ahead[from as usize].push((to, e as u32));
            }
        }
        // A triangle is two edges ahead of one vertex.
        let pairs = |list: &Vec<(u32, u32)>| list.len() * list.len().saturating_sub(1) / 2;
        let bound = ahead.iter().map(pairs).fold(0, usize::saturating_add);
        limit::check(2, max_cells, bound, || {
            let mut count = 0;
            each_triangle(&ahead, |_, _| {
                count += 1;
                if count > max_cells { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            count
        })?;
        let mut triangles = Vec::new();
        each_triangle(&ahead, |mut vertices, edges| {
            vertices.sort_unstable();
            triangles.push((vertices, edges));
            ControlFlow::Continue(())
        });
        Ok(triangles)
    }

    /// For each vertex, its neighbors of higher index, ascending.
    fn higher_neighbors(&self) -> Vec<Vec<u32>> {
        let mut neighbors = vec![Vec::new(); self.n_cells(0)];
        self.edges().for_each(|[a, b]| neighbors[a.min(b) as usize].push(a.max(b)));
        neighbors.iter_mut().for_each(|list| list.sort_unstable());
        neighbors
    }

    /// Adds the triangles given by their vertices, each oriented in the order named, to the graph formed by the
    /// vertices and edges.
    ///
    /// # Errors
    ///
    /// [`ComplexError::MissingEdge`] when a side is not an edge, [`ComplexError::DuplicateTriangle`] when one
    /// appears twice.
    pub fn with_triangles(&self, triangles: &[[u32; 3]]) -> Result<Self, ComplexError> {
        let edges = EdgeIndex::new(self);
        let mut boundary = SparseMat::with_capacity(self.n_cells(1), triangles.len(), 3);
        for (triangle, &[a, b, c]) in triangles.iter().enumerate() {
            let side = |a: u32, b: u32| edges.find(a, b).ok_or(ComplexError::MissingEdge { triangle, a, b });
            // ∂[a, b, c] = [a, b] + [b, c] + [c, a]
            boundary.push_column([side(a, b)?, side(b, c)?, side(c, a)?]);
        }
        if let Some((first, triangle)) = repeated_triangle(triangles) {
            return Err(ComplexError::DuplicateTriangle { first, triangle });
        }
        Ok(Self {
            n_cells: vec![self.n_cells(0), self.n_cells(1), triangles.len()],
            boundaries: vec![
                self.boundary(1).cloned().unwrap_or_else(|| SparseMat::zeros(self.n_cells(0), 0)),
                boundary,
            ],
        })
    }
}

/// Calls `found` with the vertices and edges of each triangle, until it breaks; `ahead` has neighbors and edges of each vertex.
fn each_triangle(ahead: &[Vec<(u32, u32)>], mut found: impl FnMut([u32; 3], [u32; 3]) -> ControlFlow<()>) {
    let mut edge_to = vec![u32::MAX; ahead.len()];
    for v in 0..ahead.len() {
        ahead[v].iter().for_each(|&(w, e)| edge_to[w as usize] = e);
        for &(u, vu) in &ahead[v] {
            for &(w, uw) in &ahead[u as usize] {
                let vw = edge_to[w as usize];
                if vw != u32::MAX && found([v as u32, u, w], [vu, uw, vw]).is_break() {
                    return;
                }
            }
        }
        ahead[v].iter().for_each(|&(w, _)| edge_to[w as usize] = u32::MAX);
    }
}

/// The first triangle that has the vertices of an earlier one, as (earlier, later).
fn repeated_triangle(triangles: &[[u32; 3]]) -> Option<(usize, usize)> {
    let key = |(&triangle, i): (&[u32; 3], usize)| {
        let mut vertices = triangle;
        vertices.sort_unstable();
        (vertices, i)
    };
    let mut keys: Vec<([u32; 3], usize)> = triangles.iter().zip(0..).map(key).collect();
    keys.sort_unstable();
    let repeated = keys.windows(2).filter(|pair| pair[0].0 == pair[1].0);
    repeated.map(|pair| (pair[0].1, pair[1].1)).min_by_key(|&(_, later)| later)
}

/// Each clique with every vertex above its last that is joined to all of it.
fn extended(cliques: &[Vec<u32>], higher_neighbors: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let larger = |(clique, w): (&Vec<u32>, u32)| clique.iter().copied().chain([w]).collect();
    extensions(cliques, higher_neighbors).map(larger).collect()
}

/// Each clique, with each vertex that [`extended`] adds to it.
fn extensions<'a>(
    cliques: &'a [Vec<u32>],
    higher_neighbors: &'a [Vec<u32>],
) -> impl Iterator<Item = (&'a Vec<u32>, u32)> {
    let joined = |a: u32, b: u32| higher_neighbors[a as usize].binary_search(&b).is_ok();
    cliques.iter().flat_map(move |clique| {
        let (&last, others) = clique.split_last().expect("a clique has vertices");
        let is_joined = move |w: &u32| others.iter().all(|&v| joined(v, *w));
        higher_neighbors[last as usize].iter().copied().filter(is_joined).map(move |w| (clique, w))
    })
}

/// The faces of a simplex with alternating signs: `∂[v₀, ..., v_k] = Σ_i (−1)^i [..., v_{i−1}, v_{i+1}, ...]`.
fn signed_faces(simplex: &[u32], faces: &HashMap<&[u32], u32>) -> Vec<(u32, f64)> {
    let mut face = Vec::with_capacity(simplex.len());
    (0..simplex.len())
        .map(|skipped| {
            face.clear();
            face.extend(simplex.iter().enumerate().filter(|&(i, _)| i != skipped).map(|(_, &v)| v));
            (faces[face.as_slice()], if skipped % 2 == 0 { 1.0 } else { -1.0 })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complete(n: u32) -> Complex {
        let edges: Vec<[u32; 2]> = (0..n).flat_map(|a| (a + 1..n).map(move |b| [a, b])).collect();
        Complex::graph(n as usize, &edges).unwrap()
    }

    #[test]
    fn cliques_are_counted_before_they_are_listed() {
        // 20 triangles, 15 tetrahedra and 6 cliques of five.
        let six = complete(6);
        for (max_dim, most) in [(2, 20), (3, 20), (4, 20), (5, 20)] {
            assert!(six.clique_complex_within(max_dim, most).is_ok());
            let error = ComplexError::TooManyCells { dim: 2, limit: most - 1 };
            assert_eq!(six.clique_complex_within(max_dim, most - 1), Err(error));
        }
        // A triangle-free graph of many paths of length two.
        let star: Vec<[u32; 2]> = (1..50).map(|leaf| [0, leaf]).collect();
        assert!(Complex::graph(50, &star).unwrap().clique_complex_within(5, 0).is_ok());
        // 56 triangles and 70 tetrahedra.
        let error = ComplexError::TooManyCells { dim: 3, limit: 60 };
        assert_eq!(complete(8).clique_complex_within(4, 60), Err(error));
        // A thousand vertices: 166 million triangles, of which none is listed.
        let error = complete(1000).clique_complex(2).unwrap_err();
        assert_eq!(error.to_string(), "more than 10000000 cells of dimension 2, expected at most 10000000");
        assert!(error.hint().unwrap().contains("--max-cells"));
    }

    #[test]
    fn the_clique_complex_of_a_complete_graph_is_a_simplex() {
        let simplex = complete(6).clique_complex(5).unwrap();
        assert_eq!((0..=5).map(|k| simplex.n_cells(k)).collect::<Vec<_>>(), [6, 15, 20, 15, 6, 1]);
        assert_eq!(simplex.euler_characteristic(), 1);
        let boundaries = (1..=5).map(|k| simplex.boundary(k).unwrap().clone()).collect();
        assert_eq!(Complex::from_boundaries(6, boundaries).unwrap(), simplex);
    }

    #[test]
    fn reversed_edges_still_bound_their_triangle() {
        let complex = Complex::graph(3, &[[2, 1], [0, 1], [2, 0]]).unwrap().clique_complex(2).unwrap();
        assert_eq!(complex.boundary(2).unwrap().column(0), (&[0, 1, 2][..], &[-1.0, 1.0, 1.0][..]));
    }

    #[test]
    fn triangles_are_found_by_name_or_reported() {
        let square = Complex::graph(4, &[[0, 1], [1, 2], [2, 3], [3, 0], [0, 2]]).unwrap();
        assert_eq!(square.with_triangles(&[[2, 1, 0], [0, 2, 3]]).unwrap().n_cells(2), 2);
        assert_eq!(
            square.with_triangles(&[[0, 1, 3]]).unwrap_err().to_string(),
            "triangle 0 needs the edge between vertices 1 and 3, which the graph does not have"
        );
        assert_eq!(
            square.with_triangles(&[[0, 1, 2], [2, 0, 1]]).unwrap_err().to_string(),
            "triangle 1 has the vertices of triangle 0"
        );
    }

    #[test]
    fn a_clique_dimension_that_is_not_offered_is_refused() {
        assert_eq!(
            complete(3).clique_complex(0).unwrap_err().to_string(),
            "cliques up to dimension 0, expected 1 to 15"
        );
    }
}
