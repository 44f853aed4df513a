//! Which edge joins two vertices, and the neighbors of each vertex.

use super::Complex;

/// The edges of a complex by their ends; of parallel edges the first counts.
#[derive(Clone, Debug)]
pub(super) struct EdgeIndex {
    starts: Vec<u32>,                // [n_vertices + 1]
    neighbors: Vec<(u32, u32, f64)>, // (other end, edge, +1 where it points to the other end), sorted per vertex
}

impl EdgeIndex {
    pub fn new(complex: &Complex) -> Self {
        let n = complex.n_cells(0);
        let mut starts = vec![0u32; n + 1];
        for ends in complex.edges() {
            ends.iter().for_each(|&v| starts[v as usize + 1] += 1);
        }
        for v in 0..n {
            starts[v + 1] += starts[v];
        }
        let mut next = starts.clone();
        let mut neighbors = vec![(0, 0, 0.0); starts[n] as usize];
        for e in 0..complex.n_cells(1) {
            let Some([tail, head]) = complex.edge(e) else { continue };
            for (from, to, sign) in [(tail, head, 1.0), (head, tail, -1.0)] {
                neighbors[next[from as usize] as usize] = (to, e as u32, sign);
                next[from as usize] += 1;
            }
        }
        for v in 0..n {
            let list = &mut neighbors[starts[v] as usize..starts[v + 1] as usize];
            list.sort_unstable_by_key(|&(to, e, _)| (to, e));
        }
        Self { starts, neighbors }
    }

    /// Number of vertices.
    pub fn n_vertices(&self) -> usize {
        self.starts.len() - 1
    }

    /// Edges at `v` as (other end, edge, sign from `v`), ascending by other end.
    pub fn at(&self, v: u32) -> &[(u32, u32, f64)] {
        let v = v as usize;
        match self.starts.get(v + 1) {
            Some(&end) => &self.neighbors[self.starts[v] as usize..end as usize],
            None => &[],
        }
    }

    /// The edge between two vertices, and +1 where it points from `a` to `b`.
    pub fn find(&self, a: u32, b: u32) -> Option<(u32, f64)> {
        let list = self.at(a);
        let at = list.partition_point(|&(to, _, _)| to < b);
        list.get(at).filter(|found| found.0 == b).map(|&(_, e, sign)| (e, sign))
    }
}
