//! Graphs: complexes of dimension 1.

use super::{Complex, ComplexError, limit};
use crate::linalg::SparseMat;

/// What [`Complex::graph_cleaned`] left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CleanUp {
    /// Indices, among the edges given, of those that were kept.
    pub kept: Vec<usize>,
    /// Edges from a vertex to itself.
    pub self_loops: usize,
    /// Repeated edges, in either direction.
    pub duplicates: usize,
}

impl Complex {
    /// A graph from its number of vertices and its edges, each from tail to head.
    ///
    /// # Errors
    ///
    /// [`ComplexError`] names the first edge that is out of range, a self-loop or a repetition (in either
    /// direction). [`graph_cleaned`](Self::graph_cleaned) drops the last two instead.
    ///
    /// # Complexity
    ///
    /// `O(n + m log d)` time for `n` vertices, `m` edges and largest degree `d`.
    ///
    /// ```
    /// use hodgelet::complex::Complex;
    /// let path = Complex::graph(3, &[[0, 1], [1, 2]])?;
    /// assert_eq!(path.n_cells(1), 2);
    /// # Ok::<(), hodgelet::complex::ComplexError>(())
    /// ```
    pub fn graph(n_vertices: usize, edges: &[[u32; 2]]) -> Result<Self, ComplexError> {
        check_range(n_vertices, edges)?;
        if let Some(edge) = edges.iter().position(|[tail, head]| tail == head) {
            return Err(ComplexError::SelfLoop { edge, vertex: edges[edge][0] });
        }
        if let Some((first, edge)) = repeated_edge(edges) {
            let [tail, head] = edges[edge];
            return Err(ComplexError::DuplicateEdge { first, edge, tail, head });
        }
        Ok(Self::from_clean_edges(n_vertices, edges))
    }

    /// As [`graph`](Self::graph), but self-loops and repeated edges are left out and reported.
    ///
    /// # Errors
    ///
    /// [`ComplexError`] when an edge names a vertex that does not exist.
    pub fn graph_cleaned(n_vertices: usize, edges: &[[u32; 2]]) -> Result<(Self, CleanUp), ComplexError> {
        check_range(n_vertices, edges)?;
        let mut report = CleanUp::default();
        let mut order: Vec<u32> = (0..edges.len() as u32).collect();
        order.sort_by_key(|&e| (ends(edges[e as usize]), e));
        let mut previous = None;
        for &e in &order {
            let key = ends(edges[e as usize]);
            if key.0 == key.1 {
                report.self_loops += 1;
            } else if previous == Some(key) {
                report.duplicates += 1;
            } else {
                report.kept.push(e as usize);
                previous = Some(key);
            }
        }
        report.kept.sort_unstable();
        let kept: Vec<[u32; 2]> = report.kept.iter().map(|&e| edges[e]).collect();
        Ok((Self::from_clean_edges(n_vertices, &kept), report))
    }

    fn from_clean_edges(n_vertices: usize, edges: &[[u32; 2]]) -> Self {
        let mut boundary = SparseMat::with_capacity(n_vertices, edges.len(), 2);
        for &[tail, head] in edges {
            boundary.push_column([(tail, -1.0), (head, 1.0)]);
        }
        Self { n_cells: vec![n_vertices, edges.len()], boundaries: vec![boundary] }
    }

    /// Tail and head of edge `e`, or `None` when the 1-cell is not an edge between two vertices.
    #[must_use]
    pub fn edge(&self, e: usize) -> Option<[u32; 2]> {
        match self.boundary(1)?.column(e) {
            (&[a, b], &[from, to]) if from < 0.0 && to > 0.0 => Some([a, b]),
            (&[a, b], &[to, from]) if from < 0.0 && to > 0.0 => Some([b, a]),
            _ => None,
        }
    }

    /// The edges, tail first, in the order of the 1-cells; 1-cells that do not join two vertices are left out.
    pub fn edges(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        (0..self.n_cells(1)).filter_map(|e| self.edge(e))
    }

    /// Number of edges at each vertex.
    #[must_use]
    pub fn degrees(&self) -> Vec<u32> {
        let mut degrees = vec![0; self.n_cells(0)];
        if let Some(boundary) = self.boundary(1) {
            for e in 0..boundary.n_cols() {
                boundary.column(e).0.iter().for_each(|&v| degrees[v as usize] += 1);
            }
        }
        degrees
    }

    /// The connected component of each vertex, numbered from 0 by lowest vertex, and their number.
    #[must_use]
    pub fn connected_components(&self) -> (Vec<u32>, usize) {
        let mut parent: Vec<u32> = (0..self.n_cells(0) as u32).collect();
        if let Some(boundary) = self.boundary(1) {
            for e in 0..boundary.n_cols() {
                let vertices = boundary.column(e).0;
                for pair in vertices.windows(2) {
                    let (a, b) = (root(&mut parent, pair[0]), root(&mut parent, pair[1]));
                    parent[a.max(b) as usize] = a.min(b);
                }
            }
        }
        let mut count = 0;
        for v in 0..parent.len() {
            // A root is the lowest vertex of its component, so it is numbered before the others reach it.
            let r = parent[v] as usize;
            if r == v {
                parent[v] = count;
                count += 1;
            } else {
                parent[v] = parent[r];
            }
        }
        (parent, count as usize)
    }

    /// The line graph: one vertex per edge, joined where two edges share a vertex.
    ///
    /// A signal on the edges becomes a signal on its vertices, cell by cell.
    ///
    /// # Errors
    ///
    /// [`ComplexError::TooManyCells`] when more pairs of edges meet at vertices than [`max_cells`](super::max_cells):
    /// a vertex of degree `d` has `d (d − 1) / 2` of them.
    pub fn line_graph(&self) -> Result<Self, ComplexError> {
        let mut at_vertex = vec![Vec::new(); self.n_cells(0)];
        if let Some(boundary) = self.boundary(1) {
            for e in 0..boundary.n_cols() {
                boundary.column(e).0.iter().for_each(|&v| at_vertex[v as usize].push(e as u32));
            }
        }
        let pairs = |around: &Vec<u32>| around.len() * around.len().saturating_sub(1) / 2;
        let n_pairs = at_vertex.iter().map(pairs).fold(0, usize::saturating_add);
        limit::check(1, limit::max_cells(), n_pairs, || n_pairs)?;
        let mut edges = Vec::new();
        for around in &at_vertex {
            for (i, &a) in around.iter().enumerate() {
                edges.extend(around[i + 1..].iter().map(|&b| [a, b]));
            }
        }
        edges.sort_unstable();
        edges.dedup(); // parallel edges of a general complex meet twice
        Ok(Self::from_clean_edges(self.n_cells(1), &edges))
    }
}

/// Root of `v`, with path halving.
fn root(parent: &mut [u32], mut v: u32) -> u32 {
    while parent[v as usize] != v {
        parent[v as usize] = parent[parent[v as usize] as usize];
        v = parent[v as usize];
    }
    v
}

/// The two ends of an edge, lower first.
fn ends([a, b]: [u32; 2]) -> (u32, u32) {
    (a.min(b), a.max(b))
}

fn check_range(n_vertices: usize, edges: &[[u32; 2]]) -> Result<(), ComplexError> {
    if u32::try_from(n_vertices).is_err() {
        return Err(ComplexError::TooLarge { n_vertices });
    }
    for (edge, ends) in edges.iter().enumerate() {
        if let Some(&vertex) = ends.iter().find(|&&v| v as usize >= n_vertices) {
            return Err(ComplexError::VertexOutOfRange { edge, vertex, n_vertices });
        }
    }
    Ok(())
}

/// The first edge that repeats an earlier one, as (earlier, later).
fn repeated_edge(edges: &[[u32; 2]]) -> Option<(usize, usize)> {
    let mut keys: Vec<(u32, u32, u32)> =
        edges.iter().zip(0..).map(|(&e, i)| (ends(e).0, ends(e).1, i)).collect();
    keys.sort_unstable();
    keys.windows(2)
        .filter(|w| (w[0].0, w[0].1) == (w[1].0, w[1].1))
        .map(|w| (w[0].2 as usize, w[1].2 as usize))
        .min_by_key(|&(_, later)| later)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_fault_of_an_edge_list_has_its_message() {
        let message = |n, edges: &[[u32; 2]]| Complex::graph(n, edges).unwrap_err().to_string();
        assert_eq!(message(2, &[[0, 1], [1, 2]]), "edge 1 names vertex 2, but the graph has 2 vertices");
        assert_eq!(message(2, &[[1, 1]]), "edge 0 joins vertex 1 to itself");
        assert_eq!(
            message(3, &[[0, 1], [1, 2], [1, 0]]),
            "edge 2 joins vertices 1 and 0, and so does edge 0"
        );
    }

    #[test]
    fn cleaning_reports_what_it_drops_and_keeps_the_first_direction() {
        let (graph, report) = Complex::graph_cleaned(3, &[[2, 1], [1, 1], [1, 2], [0, 1], [2, 1]]).unwrap();
        assert_eq!(report, CleanUp { kept: vec![0, 3], self_loops: 1, duplicates: 2 });
        assert_eq!(graph.edges().collect::<Vec<_>>(), [[2, 1], [0, 1]]);
    }

    #[test]
    fn components_are_numbered_by_lowest_vertex() {
        let graph = Complex::graph(7, &[[5, 1], [3, 5], [6, 4]]).unwrap();
        assert_eq!(graph.connected_components(), (vec![0, 1, 2, 1, 3, 1, 3], 4));
    }

    #[test]
    fn the_line_graph_of_a_star_is_a_clique() {
        let line = Complex::graph(5, &[[0, 1], [2, 0], [0, 3], [4, 0]]).unwrap().line_graph().unwrap();
        assert_eq!((line.n_cells(0), line.n_cells(1)), (4, 6));
    }

    #[test]
    fn pairs_of_edges_are_counted_before_they_are_listed() {
        // 5,000 edges at one vertex have 12,497,500 pairs.
        let star: Vec<[u32; 2]> = (1..=5000).map(|v| [0, v]).collect();
        let error = Complex::graph(5001, &star).unwrap().line_graph().unwrap_err();
        assert_eq!(error, ComplexError::TooManyCells { dim: 1, limit: limit::DEFAULT_MAX_CELLS });
    }

    #[test]
    fn a_graph_without_vertices_is_a_graph() {
        let empty = Complex::graph(0, &[]).unwrap();
        assert_eq!((empty.n_cells(0), empty.connected_components().1), (0, 0));
    }
}
