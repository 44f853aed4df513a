//! Cycles of a graph that are worth filling: chordless ones, a minimum basis, and the relevant ones.
//!
//! A minimum cycle basis is not unique: which one is found depends on the order of the vertices, and so may features
//! made from it. The *relevant* cycles, the union of all minimum bases, and the chordless cycles do not.

mod basis;
mod chordless;
mod prototypes;

use super::edge_index::EdgeIndex;
use super::{Complex, ComplexError};

/// Largest number of cycles that are returned: a graph may have exponentially many.
pub const MAX_CYCLES: usize = 1 << 20;

/// Smallest number of vertices of a cycle.
const SHORTEST: usize = 3;

impl Complex {
    /// All cycles of up to `max_length` vertices without a chord, of the graph formed by the vertices and edges.
    ///
    /// Each starts at its lowest vertex and goes on to the lower of that one's two neighbors; they are sorted by
    /// length, then lexicographically. The set does not depend on the order of vertices.
    ///
    /// # Errors
    ///
    /// [`ComplexError::CycleLength`] for a length below 3, [`ComplexError::TooManyCycles`] beyond [`MAX_CYCLES`].
    ///
    /// # Complexity
    ///
    /// Paths without chords are extended one vertex at a time, and only where a path back exists that is short enough:
    /// exponential in `max_length` at worst.
    ///
    /// ```
    /// use hodgelet::complex::Complex;
    /// let house = Complex::graph(5, &[[0, 1], [1, 2], [2, 3], [3, 0], [3, 4], [4, 2]])?;
    /// assert_eq!(house.chordless_cycles(8)?, [vec![2, 3, 4], vec![0, 1, 2, 3]]);
    /// # Ok::<(), hodgelet::complex::ComplexError>(())
    /// ```
    pub fn chordless_cycles(&self, max_length: usize) -> Result<Vec<Vec<u32>>, ComplexError> {
        check_length(max_length)?;
        let mut cycles = chordless::find(&EdgeIndex::new(self), max_length)?;
        sort(&mut cycles);
        Ok(cycles)
    }

    /// The relevant cycles of up to `max_length` vertices: those that are not a sum (modulo 2) of shorter ones, which is
    /// the union of all minimum cycle bases. `usize::MAX` gives all of them.
    ///
    /// Filling all of them leaves no one-dimensional hole. In a molecule they are its rings: a system of fused rings
    /// gives its small rings and not the envelope, and symmetric alternatives, of which a smallest set of smallest
    /// rings picks some, are all here. Form and order are those of [`chordless_cycles`](Self::chordless_cycles), of
    /// which they are some, and the set does not depend on the order of vertices.
    ///
    /// # Errors
    ///
    /// [`ComplexError::CycleLength`] for a length below 3, [`ComplexError::TooManyCycles`] beyond [`MAX_CYCLES`].
    ///
    /// # Complexity
    ///
    /// A breadth-first search from every vertex for each length that occurs, and elimination modulo 2 of the
    /// prototypes of families found: `O(n m)` for a few lengths plus `O(p μ² / 64)` for `p` prototypes and a cycle
    /// space of dimension `μ`.
    ///
    /// # References
    ///
    /// Vismara, *Union of all the minimum cycle bases of a graph* (1997).
    pub fn relevant_cycles(&self, max_length: usize) -> Result<Vec<Vec<u32>>, ComplexError> {
        check_length(max_length)?;
        let mut cycles = basis::relevant(&core_index(self), max_length)?;
        sort(&mut cycles);
        Ok(cycles)
    }

    /// A minimum cycle basis: `m − n + c` independent cycles with the fewest vertices in all.
    ///
    /// Its lengths are determined by the graph, its cycles are not: among equally short candidates the first in a fixed
    /// order of vertices is taken. Where features must not depend on the order of vertices, use
    /// [`relevant_cycles`](Self::relevant_cycles).
    ///
    /// # Complexity
    ///
    /// As [`relevant_cycles`](Self::relevant_cycles).
    ///
    /// # References
    ///
    /// Horton, *A polynomial-time algorithm to find the shortest cycle basis of a graph* (1987), with the candidates of
    /// Vismara (1997).
    #[must_use]
    pub fn minimum_cycle_basis(&self) -> Vec<Vec<u32>> {
        let mut cycles = basis::minimum(&core_index(self));
        sort(&mut cycles);
        cycles
    }
}

pub(super) fn check_length(found: usize) -> Result<(), ComplexError> {
    if found < SHORTEST { Err(ComplexError::CycleLength { found }) } else { Ok(()) }
}

/// A cycle from its lowest vertex to the lower of that one's neighbors.
fn canonical(mut cycle: Vec<u32>) -> Vec<u32> {
    let lowest = (0..cycle.len()).min_by_key(|&i| cycle[i]).unwrap_or(0);
    cycle.rotate_left(lowest);
    if cycle.len() > 2 && cycle[1] > cycle[cycle.len() - 1] {
        cycle[1..].reverse();
    }
    cycle
}

fn sort(cycles: &mut [Vec<u32>]) {
    cycles.sort_unstable_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
}

/// A graph in which every vertex has at least two neighbors.
pub(super) struct CoreGraph {
    names: Vec<u32>,            // vertices of the complex, ascending
    starts: Vec<u32>,           // [len + 1]
    neighbors: Vec<(u32, u32)>, // (vertex, edge of the complex), ascending per vertex
}

/// The edges of a complex without those of trees that hang on it, which are on no cycle.
fn core_index(complex: &Complex) -> CoreGraph {
    let index = EdgeIndex::new(complex);
    let kept = two_core(&index);
    let mut renamed = vec![u32::MAX; index.n_vertices()];
    kept.iter().zip(0..).for_each(|(&v, new)| renamed[v as usize] = new);
    let (mut starts, mut neighbors) = (vec![0], Vec::new());
    for &v in &kept {
        neighbors.extend(distinct(index.at(v)).filter_map(|(to, e)| match renamed[to as usize] {
            u32::MAX => None,
            new => Some((new, e)),
        }));
        starts.push(neighbors.len() as u32);
    }
    CoreGraph { names: kept, starts, neighbors }
}

/// The vertices that are left when leaves are taken away until there are none, and vertices without edges.
fn two_core(index: &EdgeIndex) -> Vec<u32> {
    let n = index.n_vertices() as u32;
    let mut degree: Vec<usize> = (0..n).map(|v| distinct(index.at(v)).count()).collect();
    let mut leaves: Vec<u32> = (0..n).filter(|&v| degree[v as usize] == 1).collect();
    while let Some(leaf) = leaves.pop() {
        // its only neighbor may have been taken away before it
        degree[leaf as usize] = 0;
        for (to, _) in distinct(index.at(leaf)) {
            let left = &mut degree[to as usize];
            if *left > 0 {
                *left -= 1;
                if *left == 1 {
                    leaves.push(to);
                }
            }
        }
    }
    (0..n).filter(|&v| degree[v as usize] > 0).collect()
}

/// Neighbors and edges; parallel edges count once, so that a cycle has at least three vertices.
fn distinct(list: &[(u32, u32, f64)]) -> impl Iterator<Item = (u32, u32)> + '_ {
    let mut last = None;
    list.iter().map(|&(to, e, _)| (to, e)).filter(move |&(to, _)| last.replace(to) != Some(to))
}

impl CoreGraph {
    fn len(&self) -> usize {
        self.names.len()
    }

    /// Neighbors of a vertex, ascending, with the edges to them.
    fn at(&self, v: u32) -> &[(u32, u32)] {
        &self.neighbors[self.starts[v as usize] as usize..self.starts[v as usize + 1] as usize]
    }

    fn edge(&self, a: u32, b: u32) -> u32 {
        let list = self.at(a);
        let at = list.binary_search_by_key(&b, |entry| entry.0);
        list[at.expect("consecutive vertices of a cycle are joined")].1
    }

    /// A cycle by the vertices of the complex, in canonical form.
    fn named(&self, cycle: &[u32]) -> Vec<u32> {
        canonical(cycle.iter().map(|&v| self.names[v as usize]).collect())
    }
}

#[cfg(test)]
mod tests;
