//! Cell complexes of dimension 2: polygons glued to a graph along their sides.

use super::edge_index::EdgeIndex;
use super::{Complex, ComplexError};
use crate::linalg::SparseMat;

impl Complex {
    /// Adds polygons, each a cycle of distinct vertices and oriented in the order named, to the graph formed by the
    /// vertices and edges.
    ///
    /// Two polygons may have the same sides: together they enclose a cavity.
    ///
    /// # Errors
    ///
    /// [`ComplexError`] names the first polygon with fewer than three vertices, a vertex that does not exist or is
    /// repeated, two consecutive vertices that no edge joins, or sides with other coefficients than those of a graph.
    ///
    /// ```
    /// use hodgelet::complex::Complex;
    /// let square = Complex::graph(4, &[[0, 1], [1, 2], [2, 3], [0, 3]])?;
    /// assert_eq!(square.with_polygons(&[[0, 1, 2, 3]])?.n_cells(2), 1);
    /// # Ok::<(), hodgelet::complex::ComplexError>(())
    /// ```
    pub fn with_polygons<P: AsRef<[u32]>>(&self, polygons: &[P]) -> Result<Self, ComplexError> {
        let index = EdgeIndex::new(self);
        let mut boundary = SparseMat::with_capacity(self.n_cells(1), polygons.len(), 5);
        let mut column: Vec<(u32, f64)> = Vec::new();
        let mut seen = vec![u32::MAX; self.n_cells(0)]; // last polygon of each vertex
        for (cell, polygon) in polygons.iter().enumerate() {
            let polygon = polygon.as_ref();
            check(polygon, cell, &mut seen)?;
            column.clear();
            for (i, &a) in polygon.iter().enumerate() {
                let b = polygon[(i + 1) % polygon.len()];
                let side = index.find(a, b).ok_or(ComplexError::MissingSide { polygon: cell, a, b })?;
                column.push(side);
            }
            column.sort_unstable_by_key(|&(e, _)| e);
            boundary.push_column(column.iter().copied());
        }
        let first = self.boundary(1).cloned().unwrap_or_else(|| SparseMat::zeros(self.n_cells(0), 0));
        let filled = Self {
            n_cells: vec![self.n_cells(0), self.n_cells(1), polygons.len()],
            boundaries: vec![first, boundary],
        };
        filled.closed(2)?;
        Ok(filled)
    }

    /// The vertices of a 2-cell in the order in which its boundary runs through them, from the tail of its first side,
    /// if that boundary is one cycle of edges.
    #[must_use]
    pub fn polygon(&self, cell: usize) -> Option<Vec<u32>> {
        let boundary = self.boundary(2).filter(|b| cell < b.n_cols())?;
        let directed = |(e, sign): (usize, f64)| {
            let [tail, head] = self.edge(e)?;
            if sign == 1.0 {
                Some([tail, head])
            } else if sign == -1.0 {
                Some([head, tail])
            } else {
                None
            }
        };
        let mut sides: Vec<[u32; 2]> = boundary.entries(cell).map(directed).collect::<Option<_>>()?;
        let [start, mut at] = *sides.first()?;
        sides.sort_unstable();
        if sides.windows(2).any(|pair| pair[0][0] == pair[1][0]) {
            return None; // a vertex that is left twice
        }
        let mut cycle = vec![start];
        while at != start {
            cycle.push(at);
            let next = sides.binary_search_by_key(&at, |side| side[0]).ok()?;
            at = sides[next][1];
            if cycle.len() > sides.len() {
                return None;
            }
        }
        (cycle.len() == sides.len()).then_some(cycle)
    }
}

fn check(polygon: &[u32], cell: usize, seen: &mut [u32]) -> Result<(), ComplexError> {
    let what = "polygon";
    if polygon.len() < 3 {
        return Err(ComplexError::PolygonSize { polygon: cell, found: polygon.len() });
    }
    let n_vertices = seen.len();
    for &vertex in polygon {
        let Some(last) = seen.get_mut(vertex as usize) else {
            return Err(ComplexError::CellVertex { what, cell, vertex, n_vertices });
        };
        if *last == cell as u32 {
            return Err(ComplexError::RepeatedVertex { what, cell, vertex });
        }
        *last = cell as u32;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn house() -> Complex {
        Complex::graph(5, &[[0, 1], [2, 1], [2, 3], [3, 0], [3, 4], [4, 2]]).unwrap()
    }

    #[test]
    fn the_boundary_of_a_polygon_runs_round_it() {
        let filled = house().with_polygons(&[vec![0, 1, 2, 3], vec![4, 3, 2]]).unwrap();
        assert_eq!(filled.boundary(2).unwrap().column(0), (&[0, 1, 2, 3][..], &[1.0, -1.0, 1.0, 1.0][..]));
        assert_eq!(filled.euler_characteristic(), 1);
        let again = vec![filled.boundary(1).unwrap().clone(), filled.boundary(2).unwrap().clone()];
        assert_eq!(Complex::from_boundaries(5, again).unwrap(), filled);
        assert_eq!((filled.polygon(0), filled.polygon(1)), (Some(vec![0, 1, 2, 3]), Some(vec![3, 2, 4])));
        assert_eq!(filled.polygon(2), None);
    }

    #[test]
    fn faults_name_the_polygon() {
        let message = |polygon: &[u32]| house().with_polygons(&[polygon]).unwrap_err().to_string();
        assert_eq!(
            message(&[0, 1, 2, 4]),
            "polygon 0 needs the edge between vertices 4 and 0, which the complex does not have"
        );
        assert_eq!(message(&[0, 1]), "polygon 0 has 2 vertices, expected at least 3");
        assert_eq!(message(&[0, 1, 0, 3]), "polygon 0 names vertex 0 twice");
        assert_eq!(message(&[0, 1, 7]), "polygon 0 names vertex 7, but there are 5 vertices");
    }

    #[test]
    fn a_cell_round_two_cycles_or_with_other_coefficients_is_no_polygon() {
        let edges = [[0, 1], [1, 2], [2, 0], [3, 4], [4, 5], [5, 3]];
        let graph = Complex::graph(6, &edges).unwrap();
        let with = |column: &[(u32, f64)]| {
            let mut b2 = SparseMat::with_rows(6);
            b2.push_column(column.iter().copied());
            Complex::from_boundaries(6, vec![graph.boundary(1).unwrap().clone(), b2]).unwrap()
        };
        let all: Vec<(u32, f64)> = (0..6).map(|e| (e, 1.0)).collect();
        assert_eq!(with(&all[..3]).polygon(0), Some(vec![0, 1, 2]));
        assert_eq!(with(&all).polygon(0), None);
        assert_eq!(with(&[(0, 2.0), (1, 2.0), (2, 2.0)]).polygon(0), None);
        assert_eq!(with(&[]).polygon(0), None);
    }
}
