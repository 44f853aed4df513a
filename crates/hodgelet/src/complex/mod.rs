//! Complexes: cells of dimension 0..K joined by signed boundary operators.
//!
//! A graph is a complex of dimension 1; its clique complex adds triangles and higher cliques. Whatever the
//! constructor, the result is one [`Complex`]: numbers of cells and the operators `B_k`. Nothing after this
//! module knows where a complex came from. Orientations are those of the input (an edge points from the first
//! vertex named to the second); no feature depends on them.
//!
//! | from | by |
//! | --- | --- |
//! | edges | [`Complex::graph`], [`Complex::graph_cleaned`] |
//! | a graph | [`Complex::clique_complex`], [`Complex::line_graph`] |
//! | maximal simplices | [`Complex::from_simplices`], with the vertices of each cell as [`Simplices`] |
//! | points | [`Complex::rips`], [`Complex::alpha`] |
//! | a surface | [`TriangleMesh::complex`], [`Complex::with_triangles`] |
//! | cycles of a graph | [`Complex::with_polygons`], with [`Complex::chordless_cycles`], [`Complex::relevant_cycles`] or [`Complex::minimum_cycle_basis`] |
//! | signed boundaries | [`Complex::from_boundaries`] |
//! | a simplicial complex, refined | [`Complex::barycentric_subdivision`], [`Complex::stellar_subdivision`] |

mod clique;
mod cycles;
mod edge_index;
mod graph;
mod homology;
mod hypergraph;
mod lift;
mod limit;
mod mesh;
mod points;
mod polygon;
mod simplicial;
mod subdivide;
mod weights;

pub use clique::MAX_CLIQUE_DIM;
pub use cycles::MAX_CYCLES;
pub use graph::CleanUp;
pub use homology::{HomologyError, HomologyGroup, MAX_PRIME, universal_coefficients};
pub use hypergraph::{CliqueWeight, Expanded, Expansion, Hypergraph, HypergraphError, Pairs};
pub use lift::Lift;
pub use limit::{DEFAULT_MAX_CELLS, max_cells, set_max_cells};
pub use mesh::TriangleMesh;
pub use points::{AlphaFiltration, alpha_filtration};
pub use simplicial::Simplices;
pub use weights::{CellWeights, WeightError};

use crate::linalg::SparseMat;

/// Largest magnitude of a coefficient of a boundary, and inverse of the least: products of four of them are numbers.
const MAX_COEFFICIENT: f64 = 1e70;

/// A boundary operator without coefficients that are 0: a cell with such a coefficient is not part of the boundary, and must
/// not count as joined by it.
fn without_zeros(boundary: SparseMat) -> SparseMat {
    let is_zero = |v: &f64| *v == 0.0;
    if !(0..boundary.n_cols()).any(|j| boundary.column(j).1.iter().any(is_zero)) {
        return boundary;
    }
    let mut out = SparseMat::with_rows(boundary.n_rows());
    for j in 0..boundary.n_cols() {
        let (rows, values) = boundary.column(j);
        out.push_column(rows.iter().copied().zip(values.iter().copied()).filter(|(_, v)| *v != 0.0));
    }
    out
}

fn is_moderate(coefficient: f64) -> bool {
    coefficient == 0.0 || (1.0 / MAX_COEFFICIENT..=MAX_COEFFICIENT).contains(&coefficient.abs())
}

/// Cells and boundary operators.
#[derive(Clone, Debug, PartialEq)]
pub struct Complex {
    n_cells: Vec<usize>,        // [K + 1]
    boundaries: Vec<SparseMat>, // B_1, ..., B_K
}

impl Complex {
    /// A complex from its boundary operators `B_1, ..., B_K`, where `B_k` is `[n_{k−1}, n_k]`.
    ///
    /// # Errors
    ///
    /// [`ComplexError`] when shapes do not chain, an entry is not finite, or `B_k B_{k+1} ≠ 0`; the last names
    /// the cell whose boundary has a boundary.
    pub fn from_boundaries(n_vertices: usize, boundaries: Vec<SparseMat>) -> Result<Self, ComplexError> {
        let boundaries: Vec<SparseMat> = boundaries.into_iter().map(without_zeros).collect();
        let mut n_cells = vec![n_vertices];
        for (below, boundary) in boundaries.iter().enumerate() {
            let (dim, expected, found) = (below + 1, n_cells[below], boundary.n_rows());
            if expected != found {
                return Err(ComplexError::Shape { dim, expected, found });
            }
            if let Some(cell) =
                (0..boundary.n_cols()).find(|&j| boundary.column(j).1.iter().any(|v| !v.is_finite()))
            {
                return Err(ComplexError::NotFinite { dim, cell });
            }
            let of = |j: usize| boundary.column(j).1.iter().copied().find(|v| !is_moderate(*v));
            if let Some((cell, found)) = (0..boundary.n_cols()).find_map(|j| Some((j, of(j)?))) {
                return Err(ComplexError::Coefficient { dim, cell, found });
            }
            n_cells.push(boundary.n_cols());
        }
        let complex = Self { n_cells, boundaries };
        (2..=complex.dim()).try_for_each(|dim| complex.closed(dim))?;
        Ok(complex)
    }

    /// An error that names the first cell of dimension `dim` whose boundary has a boundary.
    fn closed(&self, dim: usize) -> Result<(), ComplexError> {
        let (outer, inner) = (&self.boundaries[dim - 2], &self.boundaries[dim - 1]);
        let mut sum = vec![0.0; outer.n_rows()];
        for cell in 0..inner.n_cols() {
            let mut touched = Vec::new();
            let mut scale = 0.0f64;
            for (face, sign) in inner.entries(cell) {
                for (i, v) in outer.entries(face) {
                    sum[i] += sign * v;
                    scale = scale.max((sign * v).abs());
                    touched.push(i);
                }
            }
            // Coefficients are small integers in practice; real ones may round.
            let open = touched.iter().find(|&&i| sum[i].abs() > 1e-12 * scale).copied();
            touched.into_iter().for_each(|i| sum[i] = 0.0);
            if let Some(face) = open {
                return Err(ComplexError::OpenBoundary { dim, cell, face });
            }
        }
        Ok(())
    }

    /// Highest dimension of a cell that the complex can have; a dimension may hold no cell.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.boundaries.len()
    }

    /// Number of cells of dimension `k`; zero beyond [`dim`](Self::dim).
    #[must_use]
    pub fn n_cells(&self, k: usize) -> usize {
        self.n_cells.get(k).copied().unwrap_or(0)
    }

    /// The boundary operator `B_k`, `[n_{k−1}, n_k]`, for `k` in `1..=dim`.
    #[must_use]
    pub fn boundary(&self, k: usize) -> Option<&SparseMat> {
        self.boundaries.get(k.checked_sub(1)?)
    }

    /// Euler characteristic, the alternating sum of the numbers of cells.
    #[must_use]
    pub fn euler_characteristic(&self) -> i64 {
        self.n_cells.iter().enumerate().map(|(k, &n)| if k % 2 == 0 { n as i64 } else { -(n as i64) }).sum()
    }
}

/// What can be wrong with a complex.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ComplexError {
    /// A vertex of a cell does not exist.
    #[error("edge {edge} names vertex {vertex}, but the graph has {n_vertices} vertices")]
    VertexOutOfRange {
        /// Index of the edge.
        edge: usize,
        /// The vertex named.
        vertex: u32,
        /// Number of vertices.
        n_vertices: usize,
    },
    /// An edge joins a vertex to itself.
    #[error("edge {edge} joins vertex {vertex} to itself")]
    SelfLoop {
        /// Index of the edge.
        edge: usize,
        /// The vertex.
        vertex: u32,
    },
    /// An edge is repeated, in either direction.
    #[error("edge {edge} joins vertices {tail} and {head}, and so does edge {first}")]
    DuplicateEdge {
        /// Index of the first occurrence.
        first: usize,
        /// Index of the second occurrence.
        edge: usize,
        /// First vertex.
        tail: u32,
        /// Second vertex.
        head: u32,
    },
    /// A triangle's side is not an edge of the graph.
    #[error("triangle {triangle} needs the edge between vertices {a} and {b}, which the graph does not have")]
    MissingEdge {
        /// Index of the triangle.
        triangle: usize,
        /// One vertex of the missing edge.
        a: u32,
        /// The other vertex.
        b: u32,
    },
    /// Two triangles have the same vertices.
    #[error("triangle {triangle} has the vertices of triangle {first}")]
    DuplicateTriangle {
        /// Index of the first occurrence.
        first: usize,
        /// Index of the second occurrence.
        triangle: usize,
    },
    /// A cell names a vertex that does not exist.
    #[error("{what} {cell} names vertex {vertex}, but there are {n_vertices} vertices")]
    CellVertex {
        /// What kind of cell: simplex, triangle or polygon.
        what: &'static str,
        /// Its index among those given.
        cell: usize,
        /// The vertex named.
        vertex: u32,
        /// Number of vertices.
        n_vertices: usize,
    },
    /// A cell names a vertex twice.
    #[error("{what} {cell} names vertex {vertex} twice")]
    RepeatedVertex {
        /// What kind of cell: simplex, triangle or polygon.
        what: &'static str,
        /// Its index among those given.
        cell: usize,
        /// The vertex.
        vertex: u32,
    },
    /// A simplex without vertices, or with more than are offered.
    #[error("simplex {simplex} has {found} vertices, expected 1 to {}", MAX_CLIQUE_DIM + 1)]
    SimplexSize {
        /// Index of the simplex.
        simplex: usize,
        /// Number of its vertices.
        found: usize,
    },
    /// A polygon with fewer than three vertices.
    #[error("polygon {polygon} has {found} vertices, expected at least 3")]
    PolygonSize {
        /// Index of the polygon.
        polygon: usize,
        /// Number of its vertices.
        found: usize,
    },
    /// Consecutive vertices of a polygon that no edge joins.
    #[error("polygon {polygon} needs the edge between vertices {a} and {b}, which the complex does not have")]
    MissingSide {
        /// Index of the polygon.
        polygon: usize,
        /// One vertex of the missing edge.
        a: u32,
        /// The other vertex.
        b: u32,
    },
    /// More cycles than are allowed as cells.
    #[error("more than {} cycles", MAX_CYCLES)]
    TooManyCycles,
    /// More cells than may be listed.
    #[error("more than {limit} cells of dimension {dim}, expected at most {limit}")]
    TooManyCells {
        /// Dimension of the cells.
        dim: usize,
        /// [`max_cells`].
        limit: usize,
    },
    /// A length that no cycle has.
    #[error("cycles of up to {found} vertices, expected at least 3")]
    CycleLength {
        /// The length asked for.
        found: usize,
    },
    /// A radius that is negative or not a number.
    #[error("a radius of {found}, expected a number that is not negative")]
    Radius {
        /// The radius asked for.
        found: f64,
    },
    /// Coordinates that are not a whole number of points.
    #[error("{found} coordinates, expected a multiple of {ambient}")]
    Coordinates {
        /// Coordinates of one point.
        ambient: usize,
        /// Number of coordinates.
        found: usize,
    },
    /// A position has a coordinate that is NaN or infinite.
    #[error("the position of vertex {vertex} is not finite")]
    Position {
        /// The vertex.
        vertex: usize,
    },
    /// More vertices than 32-bit indices can name.
    #[error("{n_vertices} vertices, but at most {} fit", u32::MAX)]
    TooLarge {
        /// Number of vertices asked for.
        n_vertices: usize,
    },
    /// Cliques of a dimension that is not offered.
    #[error("cliques up to dimension {found}, expected 1 to {MAX_CLIQUE_DIM}")]
    CliqueDim {
        /// The dimension asked for.
        found: usize,
    },
    /// Boundary operators whose shapes do not chain.
    #[error("B_{dim} has {found} rows, but there are {expected} cells of dimension {}", dim - 1)]
    Shape {
        /// Dimension of the operator.
        dim: usize,
        /// Rows expected.
        expected: usize,
        /// Rows found.
        found: usize,
    },
    /// A coefficient of a boundary operator is NaN or infinite.
    #[error("the boundary of cell {cell} of dimension {dim} has a coefficient that is not finite")]
    NotFinite {
        /// Dimension of the cell.
        dim: usize,
        /// Index of the cell.
        cell: usize,
    },
    /// A coefficient of a boundary operator whose square is not a number.
    #[error(
        "the boundary of cell {cell} of dimension {dim} has the coefficient {found:e}, expected magnitudes from 1e-70 to 1e70"
    )]
    Coefficient {
        /// Dimension of the cell.
        dim: usize,
        /// Index of the cell.
        cell: usize,
        /// The coefficient.
        found: f64,
    },
    /// `B_k B_{k+1} ≠ 0`.
    #[error(
        "the boundary of cell {cell} of dimension {dim} is not closed: it leaves cell {face} of dimension {}",
        dim - 2
    )]
    OpenBoundary {
        /// Dimension of the cell.
        dim: usize,
        /// Index of the cell.
        cell: usize,
        /// A cell of dimension `dim − 2` that is left over.
        face: usize,
    },
    /// A cell that has too many vertices for a simplex, or those of another.
    #[error("cell {cell} of dimension {dim} is not a simplex of its own")]
    NotSimplicial {
        /// Dimension of the cell.
        dim: usize,
        /// Index of the cell.
        cell: usize,
    },
    /// A cell that is not there.
    #[error("no cell {cell} of dimension {dim}, there are {n_cells}")]
    NoCell {
        /// Dimension of the cell.
        dim: usize,
        /// The cell asked for.
        cell: usize,
        /// Number of cells of that dimension.
        n_cells: usize,
    },
}

impl ComplexError {
    /// A suggested fix, where there is one.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::TooManyCycles => Some("ask for shorter cycles, or for a cycle basis"),
            Self::TooManyCells { .. } => {
                Some("ask for a lower dimension or a smaller radius; --max-cells raises the limit")
            }
            Self::MissingSide { .. } | Self::MissingEdge { .. } => {
                Some("add the edge, or list the vertices in the order of the boundary")
            }
            Self::OpenBoundary { dim: 2, .. } => {
                Some("the sides of a polygon cancel where every edge has the coefficients −1 and +1")
            }
            Self::NotSimplicial { .. } => {
                Some("only simplicial complexes are refined; polygons and double edges are not part of one")
            }
            Self::SelfLoop { .. } | Self::DuplicateEdge { .. } => {
                Some("`graph_cleaned` leaves such edges out")
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_with_weights_of_their_own_are_not_filled() {
        let mut boundary = SparseMat::with_rows(3);
        boundary.push_column([(0, -1.0), (1, 1.0)]);
        boundary.push_column([(1, -1.0), (2, 2.5)]);
        boundary.push_column([(0, -1.0), (2, 1.0)]);
        let graph = Complex::from_boundaries(3, vec![boundary]).unwrap();
        let expected = Err(ComplexError::OpenBoundary { dim: 2, cell: 0, face: 2 });
        assert_eq!(graph.with_polygons(&[[0, 1, 2]]), expected);
        assert_eq!(graph.clique_complex(2), expected);
    }

    #[test]
    fn coefficients_of_zero_join_nothing() {
        let mut boundary = SparseMat::with_rows(3);
        boundary.push_column([(0, 0.0), (1, 0.0)]);
        boundary.push_column([(1, -1.0), (2, 1.0)]);
        let complex = Complex::from_boundaries(3, vec![boundary]).unwrap();
        assert_eq!(complex.connected_components().1, 2);
        assert!(complex.boundary(1).unwrap().column(0).0.is_empty());
    }

    #[test]
    fn a_boundary_that_does_not_close_names_its_cell() {
        let graph = Complex::graph(3, &[[0, 1], [1, 2], [0, 2]]).unwrap();
        let mut b2 = SparseMat::with_rows(3);
        b2.push_column([(0, 1.0), (1, 1.0), (2, 1.0)]); // the last sign should be −1
        let error = Complex::from_boundaries(3, vec![graph.boundary(1).unwrap().clone(), b2]).unwrap_err();
        assert_eq!(error, ComplexError::OpenBoundary { dim: 2, cell: 0, face: 0 });
        assert_eq!(
            error.to_string(),
            "the boundary of cell 0 of dimension 2 is not closed: it leaves cell 0 of dimension 0"
        );
    }

    #[test]
    fn shapes_must_chain() {
        let error = Complex::from_boundaries(2, vec![SparseMat::zeros(3, 1)]).unwrap_err();
        assert_eq!(error.to_string(), "B_1 has 3 rows, but there are 2 cells of dimension 0");
    }

    #[test]
    fn dimensions_beyond_the_complex_hold_no_cell() {
        let graph = Complex::graph(4, &[]).unwrap();
        assert_eq!((graph.dim(), graph.n_cells(0), graph.n_cells(1), graph.n_cells(7)), (1, 4, 0, 0));
        assert!(graph.boundary(0).is_none() && graph.boundary(2).is_none());
        assert_eq!(graph.euler_characteristic(), 4);
    }
}
