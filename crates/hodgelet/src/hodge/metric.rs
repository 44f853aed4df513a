//! Metric weights of triangle surfaces, by discrete exterior calculus.
//!
//! The weights are diagonal Hodge stars, dual measure over primal measure: the dual area of a vertex for `M_0`, the dual
//! length over the length of an edge for `M_1` (half the sum of the cotangents opposite to it, unless [`DualArea::Median`]
//! is asked for), one over the area of a triangle for `M_2`. Signals are cochains,
//! that is integrals: a field along an edge (not divided by its length), a density over a triangle. `L_0` is then the
//! cotangent Laplacian, and `L_1`, `L_2` approximate the Laplace–de Rham operator of the surface.
//!
//! Weights must be positive. Areas are, by all choices of [`DualArea`]. Half a sum of cotangents is negative where the
//! two angles are together more than 180° (and at a border, where one angle is obtuse): such an edge weighs
//! [`MIN_EDGE_WEIGHT`] instead, as do edges between. On a Delaunay triangulation this happens at the border alone. Two
//! sides of a triangle whose corners nearly lie on a line have unbounded cotangents: where the noise of edges is
//! independent, such slivers dominate, and `Median` is the better choice.

use crate::complex::{CellWeights, Complex};
use serde::{Deserialize, Serialize};

/// Smallest weight of an edge, dual over primal length; 1/√3 belongs to equilateral triangles.
pub const MIN_EDGE_WEIGHT: f64 = 0.01;

/// Area of a triangle, relative to the square of its longest side, below which it is degenerate.
const DEGENERATE: f64 = 1e-10;

/// Which part of the surface belongs to a vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DualArea {
    /// A third of each triangle at the vertex.
    #[default]
    Barycentric,
    /// The points that are nearer to the vertex than to the others of their triangle, cut at circumcenters; of an
    /// obtuse triangle, whose circumcenter lies outside, half for the obtuse corner and a quarter for the others
    /// \[Meyer03\].
    Circumcentric,
    /// As `Barycentric`, with dual edges that go from the midpoint of an edge to the centroids of its triangles, along
    /// the medians: their lengths are positive and bounded, for triangles of any shape.
    Median,
}

/// The metric weights `M_0`, `M_1`, `M_2` of a triangle surface with vertices at `positions`.
///
/// # Errors
///
/// [`MetricError`] names the vertex, edge or triangle where the complex is not a manifold surface: an edge in no triangle
/// or in more than two, a vertex in none, a triangle without area.
///
/// ```
/// use hodgelet::{complex::Complex, hodge::{DualArea, metric_weights}};
/// let triangle = Complex::graph(3, &[[0, 1], [1, 2], [0, 2]])?.with_triangles(&[[0, 1, 2]])?;
/// let corners = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [1.0, 3.0f64.sqrt(), 0.0]];
/// let weights = metric_weights(&triangle, &corners, DualArea::Barycentric)?;
/// assert!((weights.of_dim(2).unwrap()[0] - 1.0 / 3.0f64.sqrt()).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn metric_weights(
    complex: &Complex,
    positions: &[[f64; 3]],
    dual: DualArea,
) -> Result<CellWeights, MetricError> {
    let (expected, found) = (complex.n_cells(0), positions.len());
    if expected != found {
        return Err(MetricError::Positions { expected, found });
    }
    if let Some(vertex) = positions.iter().position(|p| p.iter().any(|x| !x.is_finite())) {
        return Err(MetricError::NotFinite { vertex });
    }
    if complex.dim() != 2 {
        return Err(MetricError::Dim { found: complex.dim() });
    }
    let mut areas = vec![0.0; complex.n_cells(0)];
    let mut edges = vec![0.0; complex.n_cells(1)];
    let mut triangles = Vec::with_capacity(complex.n_cells(2));
    let mut counts = vec![0u32; complex.n_cells(1)];
    for t in 0..complex.n_cells(2) {
        let corners = corners(complex, t).ok_or(MetricError::NotTriangle { cell: t })?;
        let shape =
            Shape::new(corners.map(|(v, _)| positions[v])).ok_or(MetricError::Degenerate { triangle: t })?;
        for (i, (vertex, opposite)) in corners.into_iter().enumerate() {
            areas[vertex] += shape.dual_area(i, dual);
            edges[opposite] += shape.dual_over_length(i, dual);
            counts[opposite] += 1;
        }
        triangles.push(1.0 / shape.area);
    }
    check_edges(complex, &counts)?;
    if let Some(vertex) = areas.iter().position(|a| *a == 0.0) {
        return Err(MetricError::LooseVertex { vertex });
    }
    let edges = edges.into_iter().map(|w| w.max(MIN_EDGE_WEIGHT)).collect();
    CellWeights::new(vec![Some(areas), Some(edges), Some(triangles)])
        .map_err(|_| MetricError::Size { largest: f64::MAX.sqrt() })
}

/// As [`metric_weights`], with lengths in a unit in which the mean dual area is 1, so that eigenvalues have the size of
/// combinatorial ones, which filters are designed for, whatever the size of the surface and the number of its vertices.
///
/// # Errors
///
/// As for [`metric_weights`].
pub fn unit_metric_weights(
    complex: &Complex,
    positions: &[[f64; 3]],
    dual: DualArea,
) -> Result<CellWeights, MetricError> {
    let weights = metric_weights(complex, positions, dual)?;
    let of_dim = |k: usize| weights.of_dim(k).unwrap_or(&[]);
    let scale = complex.n_cells(0) as f64 / of_dim(0).iter().sum::<f64>();
    let scaled = |k: usize, by: f64| Some(of_dim(k).iter().map(|w| w * by).collect());
    CellWeights::new(vec![scaled(0, scale), scaled(1, 1.0), scaled(2, 1.0 / scale)])
        .map_err(|_| MetricError::Size { largest: f64::MAX.sqrt() })
}

fn check_edges(complex: &Complex, counts: &[u32]) -> Result<(), MetricError> {
    let Some(edge) = counts.iter().position(|count| !(1..=2).contains(count)) else { return Ok(()) };
    let [a, b] = complex.edge(edge).unwrap_or_default();
    Err(match counts[edge] {
        0 => MetricError::LooseEdge { edge, a, b },
        found => MetricError::NonManifold { edge, a, b, found },
    })
}

/// The three vertices of triangle `t`, each with the edge opposite to it.
fn corners(complex: &Complex, t: usize) -> Option<[(usize, usize); 3]> {
    let &[e, f, g] = complex.boundary(2)?.column(t).0 else { return None };
    let ends = [e, f, g].map(|edge| complex.edge(edge as usize));
    let [Some(x), Some(y), Some(z)] = ends else { return None };
    let shared = |p: [u32; 2], q: [u32; 2]| p.into_iter().find(|v| q.contains(v));
    // The corner that two sides share is opposite to the third.
    let found = [(shared(y, z)?, e), (shared(x, z)?, f), (shared(x, y)?, g)];
    let [a, b, c] = found.map(|(vertex, _)| vertex);
    (a != b && b != c && a != c).then(|| found.map(|(vertex, edge)| (vertex as usize, edge as usize)))
}

/// Lengths and angles of a triangle; side `i` is opposite to corner `i`.
struct Shape {
    squares: [f64; 3],
    cotangents: [f64; 3],
    area: f64,
}

impl Shape {
    /// None when the triangle is degenerate.
    fn new([a, b, c]: [[f64; 3]; 3]) -> Option<Self> {
        let minus = |p: [f64; 3], q: [f64; 3]| [p[0] - q[0], p[1] - q[1], p[2] - q[2]];
        let dot = |p: [f64; 3], q: [f64; 3]| p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
        let cross = |p: [f64; 3], q: [f64; 3]| {
            [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]]
        };
        let sides = [minus(c, b), minus(a, c), minus(b, a)];
        let normal = cross(sides[1], sides[2]);
        let double = dot(normal, normal).sqrt();
        let squares = sides.map(|s| dot(s, s));
        let longest = squares.into_iter().fold(0.0, f64::max);
        // Also false when a square overflowed or vanished.
        if !(0.5 * double > DEGENERATE * longest && longest.is_finite()) {
            return None;
        }
        let cotangent = |i: usize| -dot(sides[(i + 1) % 3], sides[(i + 2) % 3]) / double;
        Some(Self { squares, cotangents: [cotangent(0), cotangent(1), cotangent(2)], area: 0.5 * double })
    }

    /// Length of the dual edge inside this triangle over the length of side `i`.
    fn dual_over_length(&self, i: usize, dual: DualArea) -> f64 {
        match dual {
            DualArea::Barycentric | DualArea::Circumcentric => 0.5 * self.cotangents[i],
            DualArea::Median => {
                let [own, next, last] = [0, 1, 2].map(|step| self.squares[(i + step) % 3]);
                // A third of the median: the distance from the midpoint to the centroid.
                ((2.0 * next + 2.0 * last - own).max(0.0) / own).sqrt() / 6.0
            }
        }
    }

    fn dual_area(&self, corner: usize, dual: DualArea) -> f64 {
        match dual {
            DualArea::Barycentric | DualArea::Median => self.area / 3.0,
            DualArea::Circumcentric => {
                let obtuse = self.cotangents.iter().position(|&cotangent| cotangent < 0.0);
                let (next, last) = ((corner + 1) % 3, (corner + 2) % 3);
                match obtuse {
                    None => {
                        let part = |side: usize| self.squares[side] * self.cotangents[side];
                        0.125 * (part(next) + part(last))
                    }
                    Some(at) if at == corner => self.area / 2.0,
                    Some(_) => self.area / 4.0,
                }
            }
        }
    }
}

/// Why a complex with positions has no metric weights.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MetricError {
    /// Not one position per vertex.
    #[error("{found} positions, but the complex has {expected} vertices")]
    Positions {
        /// Number of vertices.
        expected: usize,
        /// Number of positions.
        found: usize,
    },
    /// A coordinate is NaN or infinite.
    #[error("the position of vertex {vertex} is not finite")]
    NotFinite {
        /// The vertex.
        vertex: usize,
    },
    /// Not a surface.
    #[error("the complex has dimension {found}, expected a surface of dimension 2")]
    Dim {
        /// Dimension of the complex.
        found: usize,
    },
    /// A 2-cell with another number of sides.
    #[error("2-cell {cell} is not a triangle")]
    NotTriangle {
        /// Index of the cell.
        cell: usize,
    },
    /// A triangle without area.
    #[error("triangle {triangle} is degenerate: its corners lie on a line, or are too far apart")]
    Degenerate {
        /// Index of the triangle.
        triangle: usize,
    },
    /// Three or more triangles meet in an edge.
    #[error("edge {edge} between vertices {a} and {b} is not manifold: {found} triangles, expected 1 or 2")]
    NonManifold {
        /// Index of the edge.
        edge: usize,
        /// One vertex.
        a: u32,
        /// The other vertex.
        b: u32,
        /// Triangles at the edge.
        found: u32,
    },
    /// An edge that is a side of no triangle.
    #[error("edge {edge} between vertices {a} and {b} is a side of no triangle")]
    LooseEdge {
        /// Index of the edge.
        edge: usize,
        /// One vertex.
        a: u32,
        /// The other vertex.
        b: u32,
    },
    /// A vertex that is a corner of no triangle.
    #[error("vertex {vertex} is a corner of no triangle")]
    LooseVertex {
        /// The vertex.
        vertex: usize,
    },
    /// Areas or their reciprocals that overflow.
    #[error("an area is not between {:e} and {largest:e}; the surface is too small or too large", 1.0 / largest)]
    Size {
        /// Largest area.
        largest: f64,
    },
    /// The dataset has no positions to measure with.
    #[error(
        "the dataset has no column `{name}` of 2 or 3 numbers on its vertices, which metric weights need"
    )]
    NoPositions {
        /// Name of the column.
        name: &'static str,
    },
}

#[cfg(test)]
mod tests;
