//! Alpha complexes of points in the plane, by their Delaunay triangulation.

use super::super::{Complex, ComplexError};
use super::check_radius;
use delaunator::Point;
use std::collections::HashMap;

/// The Delaunay triangulation of points, with the radius at which each simplex enters the alpha complex.
///
/// The radius is that of the smallest circle through the vertices of a simplex that holds no other point inside: for a
/// triangle its circumcircle; for an edge half its length, unless a point lies inside the circle on it (the edge is not
/// Gabriel), in which case it enters with the first of its triangles. Vertices enter at 0. Other software may give the
/// squares of these radii.
#[derive(Clone, Debug, PartialEq)]
pub struct AlphaFiltration {
    n_points: usize,
    /// Edges, lower vertex first, in lexicographic order, with their radii.
    pub edges: Vec<([u32; 2], f64)>,
    /// Triangles, vertices ascending, in lexicographic order, with their radii.
    pub triangles: Vec<([u32; 3], f64)>,
}

/// The filtration of the alpha complexes of points in the plane.
///
/// Points on one line have edges between neighbors and no triangle. A point equal to an earlier one, or too close to
/// it to be told apart by the triangulation, is joined to the nearest other by an edge alone, so that every point is a
/// vertex. Points on one circle are triangulated in one of several ways, all with the same complexes up to homotopy.
///
/// # Errors
///
/// [`ComplexError::Position`] names the first point that is not finite.
///
/// # Complexity
///
/// `O(n log n)` time.
pub fn alpha_filtration(points: &[[f64; 2]]) -> Result<AlphaFiltration, ComplexError> {
    if let Some(vertex) = points.iter().position(|p| p.iter().any(|x| !x.is_finite())) {
        return Err(ComplexError::Position { vertex });
    }
    let (unit, scale) = in_unit_square(points);
    let mut found = triangulated(&unit);
    let radius = |square: f64| square.sqrt() * scale;
    found.edges.iter_mut().for_each(|(_, value)| *value = radius(*value));
    found.triangles.iter_mut().for_each(|(_, value)| *value = radius(*value));
    Ok(found)
}

impl AlphaFiltration {
    /// The complex of the simplices whose radius is at most `radius`.
    ///
    /// # Errors
    ///
    /// [`ComplexError::Radius`] when it is negative or NaN.
    pub fn at(&self, radius: f64) -> Result<Complex, ComplexError> {
        check_radius(radius)?;
        let enters = |value: f64| value <= radius;
        let edges: Vec<[u32; 2]> = self.edges.iter().filter(|e| enters(e.1)).map(|e| e.0).collect();
        let triangles: Vec<[u32; 3]> = self.triangles.iter().filter(|t| enters(t.1)).map(|t| t.0).collect();
        Complex::graph(self.n_points, &edges)?.with_triangles(&triangles)
    }
}

impl Complex {
    /// The alpha complex of points in the plane: the part of their Delaunay triangulation that has the shape of the
    /// union of disks of a radius around them. An infinite radius gives the whole triangulation.
    ///
    /// # Errors
    ///
    /// [`ComplexError`] when the radius is negative or NaN, or a coordinate is not finite.
    ///
    /// # Complexity
    ///
    /// `O(n log n)` time.
    ///
    /// ```
    /// use hodgelet::complex::Complex;
    /// let triangle = [[0.0, 0.0], [1.0, 0.0], [0.5, 0.8]];
    /// assert_eq!([0.4, 0.5, 0.6].map(|r| Complex::alpha(&triangle, r).unwrap().n_cells(1)), [0, 3, 3]);
    /// # Ok::<(), hodgelet::complex::ComplexError>(())
    /// ```
    ///
    /// # References
    ///
    /// Edelsbrunner, Kirkpatrick and Seidel, *On the shape of a set of points in the plane* (1983).
    pub fn alpha(points: &[[f64; 2]], radius: f64) -> Result<Self, ComplexError> {
        check_radius(radius)?;
        alpha_filtration(points)?.at(radius)
    }
}

/// Points moved and scaled into the unit square, and the scale: tolerances of the triangulation are absolute.
fn in_unit_square(points: &[[f64; 2]]) -> (Vec<Point>, f64) {
    let end = |d: usize, pick: fn(f64, f64) -> f64, start: f64| points.iter().map(|p| p[d]).fold(start, pick);
    let low = [0, 1].map(|d| end(d, f64::min, f64::INFINITY));
    let high = [0, 1].map(|d| end(d, f64::max, f64::NEG_INFINITY));
    // halves, as the difference of two large numbers may overflow
    let half = (0.5 * high[0] - 0.5 * low[0]).max(0.5 * high[1] - 0.5 * low[1]);
    let scale = if half > 0.0 { 2.0 * half } else { 1.0 };
    let moved = |p: &[f64; 2], d: usize| {
        if scale.is_finite() { (p[d] - low[d]) / scale } else { (0.5 * p[d] - 0.5 * low[d]) / half }
    };
    (points.iter().map(|p| Point { x: moved(p, 0), y: moved(p, 1) }).collect(), scale.min(f64::MAX))
}

/// The filtration with the squares of all radii.
fn triangulated(points: &[Point]) -> AlphaFiltration {
    let n = points.len();
    let corners = if n < 3 { Vec::new() } else { delaunator::triangulate(points).triangles };
    let mut triangles: Vec<([u32; 3], f64)> = Vec::with_capacity(corners.len() / 3);
    for corner in corners.chunks_exact(3) {
        let radius = circumradius_squared([corner[0], corner[1], corner[2]].map(|v| &points[v]));
        let mut vertices = [corner[0] as u32, corner[1] as u32, corner[2] as u32];
        vertices.sort_unstable();
        triangles.push((vertices, radius));
    }
    triangles.sort_unstable_by_key(|t| t.0);
    let mut edges = edges_of(points, &triangles);
    join_others(points, &mut edges);
    edges.sort_unstable_by_key(|e| e.0);
    AlphaFiltration { n_points: n, edges, triangles }
}

/// Sides of triangles with the squares of their radii.
fn edges_of(points: &[Point], triangles: &[([u32; 3], f64)]) -> Vec<([u32; 2], f64)> {
    struct Side {
        gabriel: bool,
        first: f64, // radius of the first of its triangles
    }
    let mut sides: HashMap<[u32; 2], Side> = HashMap::with_capacity(2 * triangles.len());
    for &([a, b, c], radius) in triangles {
        for (edge, opposite) in [([a, b], c), ([b, c], a), ([a, c], b)] {
            let outside = !is_inside_diametral(points, edge, opposite);
            let side = sides.entry(edge).or_insert(Side { gabriel: true, first: f64::INFINITY });
            side.gabriel &= outside;
            side.first = side.first.min(radius);
        }
    }
    let value = |(edge, side): ([u32; 2], Side)| {
        let own = half_length_squared(points, edge);
        // rounding must not let a triangle enter before its sides
        (edge, if side.gabriel { own.min(side.first) } else { side.first })
    };
    sides.into_iter().map(value).collect()
}

/// Joins every point without a triangle: along the line where there is no triangle at all, else to the nearest point.
fn join_others(points: &[Point], edges: &mut Vec<([u32; 2], f64)>) {
    let n = points.len();
    let mut joined = vec![false; n];
    edges.iter().flat_map(|e| e.0).for_each(|v| joined[v as usize] = true);
    let mut join = |a: u32, b: u32| {
        let edge = [a.min(b), a.max(b)];
        edges.push((edge, half_length_squared(points, edge)));
    };
    if edges_are_missing(&joined) {
        let mut order: Vec<u32> = (0..n as u32).collect();
        let key = |v: u32| (points[v as usize].x, points[v as usize].y);
        // on one line, the order by one coordinate is that by the other or its reverse
        order.sort_by(|&a, &b| key(a).0.total_cmp(&key(b).0).then(key(a).1.total_cmp(&key(b).1)));
        order.windows(2).for_each(|pair| join(pair[0], pair[1]));
        return;
    }
    for v in (0..n as u32).filter(|&v| !joined[v as usize]) {
        let distance = |u: u32| half_length_squared(points, [u, v]);
        let others = (0..n as u32).filter(|&u| joined[u as usize]);
        if let Some(near) = others.min_by(|&a, &b| distance(a).total_cmp(&distance(b))) {
            join(near, v);
        }
    }
}

fn edges_are_missing(joined: &[bool]) -> bool {
    !joined.iter().any(|&j| j)
}

fn half_length_squared(points: &[Point], [a, b]: [u32; 2]) -> f64 {
    let (p, q) = (&points[a as usize], &points[b as usize]);
    ((p.x - q.x).powi(2) + (p.y - q.y).powi(2)) / 4.0
}

/// Whether a point lies inside the circle on an edge: the edge is seen from it at an obtuse angle.
fn is_inside_diametral(points: &[Point], [a, b]: [u32; 2], c: u32) -> bool {
    let [a, b, c] = [a, b, c].map(|v| &points[v as usize]);
    (a.x - c.x) * (b.x - c.x) + (a.y - c.y) * (b.y - c.y) < 0.0
}

/// Square of the circumradius, `(|ab| |bc| |ca| / 4 area)²`.
fn circumradius_squared([a, b, c]: [&Point; 3]) -> f64 {
    let length = |p: &Point, q: &Point| (p.x - q.x).powi(2) + (p.y - q.y).powi(2);
    let doubled = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
    let square = length(a, b) * length(b, c) * length(c, a) / (4.0 * doubled * doubled);
    if square.is_finite() { square } else { f64::MAX }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_obtuse_triangle_brings_its_long_side_along() {
        let points = [[0.0, 0.0], [4.0, 0.0], [2.0, 1.0]];
        let found = alpha_filtration(&points).unwrap();
        let expected = [([0, 1], 2.5), ([0, 2], 1.25f64.sqrt()), ([1, 2], 1.25f64.sqrt())];
        for (found, expected) in found.edges.iter().zip(expected) {
            assert_eq!(found.0, expected.0);
            assert!((found.1 - expected.1).abs() < 1e-12, "{found:?}");
        }
        assert!((found.triangles[0].1 - 2.5).abs() < 1e-12);
        let cells = |radius| {
            let complex = found.at(radius).unwrap();
            [1, 2].map(|k| complex.n_cells(k))
        };
        assert_eq!([cells(1.0), cells(2.0), cells(2.6)], [[0, 0], [2, 0], [3, 1]]);
    }

    #[test]
    fn every_face_enters_before_its_cell_and_every_point_is_a_vertex() {
        use rand::{RngExt, SeedableRng};
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(9);
        let grid: Vec<[f64; 2]> = (0..49).map(|i| [f64::from(i % 7), f64::from(i / 7)]).collect();
        let random: Vec<[f64; 2]> = (0..200).map(|_| [rng.random(), rng.random()]).collect();
        let twice: Vec<[f64; 2]> = random.iter().chain(&random[..20]).copied().collect();
        for points in [grid, random, twice] {
            let found = alpha_filtration(&points).unwrap();
            let value: HashMap<[u32; 2], f64> = found.edges.iter().copied().collect();
            for ([a, b, c], radius) in &found.triangles {
                assert!([[*a, *b], [*b, *c], [*a, *c]].iter().all(|side| value[side] <= *radius));
            }
            for radius in [0.0, 0.1, 0.6, 1.0, f64::INFINITY] {
                let complex = found.at(radius).unwrap();
                assert_eq!(complex.n_cells(0), points.len());
            }
            let whole = found.at(f64::INFINITY).unwrap();
            assert_eq!((whole.euler_characteristic(), whole.connected_components().1), (1, 1));
        }
    }

    #[test]
    fn degenerate_points_have_a_complex_too() {
        let cells = |points: &[[f64; 2]], radius| {
            let complex = Complex::alpha(points, radius).unwrap();
            [0, 1, 2].map(|k| complex.n_cells(k))
        };
        assert_eq!(cells(&[], 1.0), [0, 0, 0]);
        assert_eq!(cells(&[[1.0, 2.0]], 1.0), [1, 0, 0]);
        assert_eq!([0.4, 0.5].map(|r| cells(&[[0.0, 0.0], [0.0, 1.0]], r)), [[2, 0, 0], [2, 1, 0]]);
        assert_eq!(cells(&[[3.0, 3.0], [1.0, 1.0], [2.0, 2.0], [0.0, 0.0]], 1.0), [4, 3, 0]);
        assert_eq!(cells(&[[5.0, 5.0]; 4], 0.0), [4, 3, 0]);
        let vertical = [[1e300, 0.0], [1e300, 2.0], [1e300, 1.0]];
        assert_eq!(cells(&vertical, f64::INFINITY), [3, 2, 0]);
        assert_eq!(
            Complex::alpha(&[[0.0, f64::NAN]], 1.0).unwrap_err().to_string(),
            "the position of vertex 0 is not finite"
        );
        assert_eq!(
            Complex::alpha(&[], -0.5).unwrap_err().to_string(),
            "a radius of -0.5, expected a number that is not negative"
        );
    }

    #[test]
    fn scaling_the_points_scales_the_radii() {
        let points = [[0.0, 0.0], [3.0, 1.0], [1.0, 4.0], [5.0, 5.0], [-2.0, 3.0]];
        let small = alpha_filtration(&points).unwrap();
        let large = alpha_filtration(&points.map(|[x, y]| [1e5 * x - 7e5, 1e5 * y + 3e6])).unwrap();
        assert_eq!(small.edges.len(), large.edges.len());
        for (a, b) in small.edges.iter().zip(&large.edges) {
            assert!(a.0 == b.0 && (1e5 * a.1 / b.1 - 1.0).abs() < 1e-9, "{a:?} {b:?}");
        }
    }
}
