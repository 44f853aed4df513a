//! Which families of cycles are independent of shorter ones: elimination modulo 2.

use super::super::{ComplexError, MAX_CYCLES};
use super::CoreGraph;
use super::prototypes::{Family, Paths};

/// The relevant cycles of up to `max_length` vertices, in canonical form.
pub(super) fn relevant(graph: &CoreGraph, max_length: usize) -> Result<Vec<Vec<u32>>, ComplexError> {
    let mut cycles = Vec::new();
    by_length(graph, max_length, |paths, family, space, length| {
        let prototype = paths.cycle(&paths.path(family.left), family.middle, &paths.path(family.right));
        if !space.is_new(&prototype, length) {
            return Ok(());
        }
        let room = MAX_CYCLES.saturating_sub(cycles.len());
        let (mut left, mut right) = (Vec::new(), Vec::new());
        let few = paths.all_paths(family.left, room, &mut left)
            && paths.all_paths(family.right, room, &mut right)
            && left.len().saturating_mul(right.len()) <= room;
        if !few {
            return Err(ComplexError::TooManyCycles);
        }
        for a in &left {
            cycles.extend(right.iter().map(|b| graph.named(&paths.cycle(a, family.middle, b))));
        }
        space.insert(&prototype, length);
        Ok(())
    })?;
    Ok(cycles)
}

/// A minimum cycle basis, in canonical form.
pub(super) fn minimum(graph: &CoreGraph) -> Vec<Vec<u32>> {
    let mut cycles = Vec::new();
    let found = by_length(graph, usize::MAX, |paths, family, space, length| {
        if !space.is_full() {
            let prototype = paths.cycle(&paths.path(family.left), family.middle, &paths.path(family.right));
            if space.insert(&prototype, length) {
                cycles.push(graph.named(&prototype));
            }
        }
        Ok(())
    });
    found.expect("nothing was refused");
    cycles
}

/// Calls `act` for all families, shorter ones first, until the cycles found span all.
fn by_length(
    graph: &CoreGraph,
    max_length: usize,
    mut act: impl FnMut(&Paths<'_>, Family, &mut CycleSpace<'_>, usize) -> Result<(), ComplexError>,
) -> Result<(), ComplexError> {
    let mut space = CycleSpace::new(graph);
    let mut paths = Paths::new(graph);
    // which lengths occur at which root: most roots have none and need not be visited again
    let mut lengths: Vec<(usize, u32)> = Vec::new();
    for root in 0..graph.len() as u32 {
        paths.set_root(root, max_length / 2);
        let first = lengths.len();
        paths.families(|length, _| {
            if length <= max_length && !lengths[first..].contains(&(length, root)) {
                lengths.push((length, root));
            }
        });
    }
    lengths.sort_unstable();
    for class in lengths.chunk_by(|a, b| a.0 == b.0) {
        if space.is_full() {
            break;
        }
        for &(length, root) in class {
            paths.set_root(root, length / 2);
            let mut result = Ok(());
            paths.families(|found, family| {
                if found == length && result.is_ok() {
                    result = act(&paths, family, &mut space, length);
                }
            });
            result?;
        }
    }
    Ok(())
}

/// The span of some cycles modulo 2, by their edges outside a spanning forest.
struct CycleSpace<'a> {
    graph: &'a CoreGraph,
    bit: Vec<u32>,          // of each edge of the complex; MAX for those of the forest
    n_bits: usize,          // dimension of the whole space
    rows: Vec<Option<Row>>, // by lowest bit
    rank: usize,
}

struct Row {
    bits: Vec<u64>,
    length: usize,
}

impl<'a> CycleSpace<'a> {
    fn new(graph: &'a CoreGraph) -> Self {
        let n_edges = graph.neighbors.iter().map(|entry| entry.1 as usize + 1).max().unwrap_or(0);
        let mut bit = vec![u32::MAX; n_edges];
        let mut in_forest = vec![false; n_edges];
        let mut seen = vec![false; graph.len()];
        for root in 0..graph.len() {
            let mut open = vec![root as u32];
            while let Some(v) = open.pop() {
                seen[v as usize] = true;
                for &(w, e) in graph.at(v) {
                    if !std::mem::replace(&mut seen[w as usize], true) {
                        in_forest[e as usize] = true;
                        open.push(w);
                    }
                }
            }
        }
        let mut n_bits = 0;
        for &(_, e) in &graph.neighbors {
            if !in_forest[e as usize] && bit[e as usize] == u32::MAX {
                bit[e as usize] = n_bits;
                n_bits += 1;
            }
        }
        let n_bits = n_bits as usize;
        Self { graph, bit, n_bits, rows: std::iter::repeat_with(|| None).take(n_bits).collect(), rank: 0 }
    }

    fn is_full(&self) -> bool {
        self.rank == self.n_bits
    }

    /// Whether a cycle is not a sum of cycles shorter than `length`.
    fn is_new(&self, cycle: &[u32], length: usize) -> bool {
        let mut bits = self.bits(cycle);
        self.reduce(&mut bits, length).is_some()
    }

    /// Adds a cycle to the span; whether it was not in it.
    fn insert(&mut self, cycle: &[u32], length: usize) -> bool {
        let mut bits = self.bits(cycle);
        let Some(lowest) = self.reduce(&mut bits, usize::MAX) else { return false };
        self.rows[lowest] = Some(Row { bits, length });
        self.rank += 1;
        true
    }

    fn bits(&self, cycle: &[u32]) -> Vec<u64> {
        let mut bits = vec![0u64; self.n_bits.div_ceil(64)];
        for (i, &a) in cycle.iter().enumerate() {
            let e = self.graph.edge(a, cycle[(i + 1) % cycle.len()]);
            let bit = self.bit[e as usize];
            if bit != u32::MAX {
                bits[bit as usize / 64] ^= 1 << (bit % 64);
            }
        }
        bits
    }

    /// Subtracts rows of cycles shorter than `length`; returns the lowest bit that is left, if any.
    fn reduce(&self, bits: &mut [u64], length: usize) -> Option<usize> {
        let mut word = 0;
        while word < bits.len() {
            if bits[word] == 0 {
                word += 1;
                continue;
            }
            let lowest = 64 * word + bits[word].trailing_zeros() as usize;
            match &self.rows[lowest] {
                Some(row) if row.length < length => {
                    bits.iter_mut().zip(&row.bits).skip(word).for_each(|(a, b)| *a ^= b);
                }
                _ => return Some(lowest),
            }
        }
        None
    }
}
