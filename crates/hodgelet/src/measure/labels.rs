//! Refined labels: what the cells around a cell are called, and how much mass each name has in a complex.
//!
//! Vertices are refined as in the test of Weisfeiler and Lehman,
//!
//! ```text
//! ℓ⁰_v = label of v (its degree without one),   ℓᵗ⁺¹_v = id(ℓᵗ_v, multiset{(bond, ℓᵗ_u) : u beside v})
//! aᵗ_e = id(bond, multiset{ℓᵗ_u : u in e})
//! ```
//!
//! and the mass of an edge label `a` in component `c` is `Σ_{e: aᵗ_e = a} p_c(e)` over the
//! [shares](crate::hodge::edge_shares) of the edges: the orientation-averaged energy of the one-hot signal of `a` under the
//! filter 1. On vertices it is the part of all vertices that have the label.
//!
//! Identifiers are hashes of 64 bits that follow from names of labels alone. They are the same in every dataset, so that
//! complexes can be measured one by one. Two of `n` different labels share one with probability about `n²/2⁶⁵`: 3e-8 for a
//! million. 1-cells may join more than two vertices.

use crate::complex::Complex;
use crate::hodge::{HodgeComponent, edge_shares};

/// Masses of labels at several depths.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LabelMeasure {
    starts: Vec<u32>, // [n_depths + 1]
    ids: Vec<u64>,    // ascending at each depth
    masses: Vec<f64>,
}

impl LabelMeasure {
    /// From the label and the mass of each cell, depth by depth; labels without mass are left out.
    fn new<'a>(depths: impl Iterator<Item = (&'a [u64], &'a [f64])>) -> Self {
        let mut out = Self { starts: vec![0], ..Self::default() };
        for (labels, masses) in depths {
            let mut order: Vec<usize> = (0..labels.len()).filter(|&i| masses[i] > 0.0).collect();
            // Equal labels by mass, so that their sum does not depend on the order of cells.
            order.sort_unstable_by(|&a, &b| labels[a].cmp(&labels[b]).then(masses[a].total_cmp(&masses[b])));
            for run in order.chunk_by(|&a, &b| labels[a] == labels[b]) {
                out.ids.push(labels[run[0]]);
                out.masses.push(run.iter().map(|&i| masses[i]).sum());
            }
            out.starts.push(out.ids.len() as u32);
        }
        out
    }

    /// How often each of some identifiers appears, at a single depth.
    #[must_use]
    pub fn counted(mut ids: Vec<u64>) -> Self {
        ids.sort_unstable();
        let mut out = Self { starts: vec![0], ..Self::default() };
        for run in ids.chunk_by(|a, b| a == b) {
            out.ids.push(run[0]);
            out.masses.push(run.len() as f64);
        }
        out.starts.push(out.ids.len() as u32);
        out
    }

    /// From its parts, as [`parts`](Self::parts) gives them, if they fit each other.
    #[must_use]
    pub fn from_parts(starts: Vec<u32>, ids: Vec<u64>, masses: Vec<f64>) -> Option<Self> {
        let ordered = starts.first() == Some(&0) && starts.windows(2).all(|pair| pair[0] <= pair[1]);
        let fits = starts.last().map(|&end| end as usize) == Some(ids.len()) && ids.len() == masses.len();
        if !ordered || !fits || !masses.iter().all(|mass| mass.is_finite() && *mass >= 0.0) {
            return None;
        }
        let ascend = |pair: &[u32]| ids[pair[0] as usize..pair[1] as usize].is_sorted_by(|a, b| a < b);
        starts.windows(2).all(ascend).then_some(Self { starts, ids, masses })
    }

    /// Where each depth starts, `[n_depths + 1]`, identifiers and masses.
    #[must_use]
    pub fn parts(&self) -> (&[u32], &[u64], &[f64]) {
        (&self.starts, &self.ids, &self.masses)
    }

    /// Number of depths.
    #[must_use]
    pub fn n_depths(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Identifiers of depth `t`, ascending, with their masses.
    pub fn depth(&self, t: usize) -> impl Iterator<Item = (u64, f64)> + '_ {
        let range = self.starts[t] as usize..self.starts[t + 1] as usize;
        self.ids[range.clone()].iter().copied().zip(self.masses[range].iter().copied())
    }

    /// Mass of all labels of depth `t`.
    #[must_use]
    pub fn total(&self, t: usize) -> f64 {
        self.depth(t).map(|(_, mass)| mass).sum()
    }
}

/// Names of the cells of one complex, as they are given.
#[derive(Clone, Copy, Debug)]
pub struct GivenLabels<'a> {
    /// One for each vertex; none to take degrees.
    pub vertices: Option<&'a [u64]>,
    /// One for each 1-cell; none where all are alike.
    pub edges: Option<&'a [u64]>,
}

/// Refined labels of all cells.
#[derive(Clone, Debug, PartialEq)]
pub struct RefinedLabels {
    /// Labels of the vertices, `[n_depths][n_vertices]`.
    pub vertices: Vec<Vec<u64>>,
    /// Labels of the 1-cells, `[n_depths][n_edges]`.
    pub edges: Vec<Vec<u64>>,
}

/// Refines the labels of `complex` `rounds` times; depth 0 is what is given.
#[must_use]
pub fn refine(complex: &Complex, given: GivenLabels<'_>, rounds: usize) -> RefinedLabels {
    let (n_vertices, n_edges) = (complex.n_cells(0), complex.n_cells(1));
    let members = |e: usize| complex.boundary(1).map_or(&[][..], |b| b.column(e).0);
    let bond = |e: usize| given.edges.map_or(0, |labels| labels[e]);
    let mut now: Vec<u64> = match given.vertices {
        Some(labels) => labels.iter().map(|&label| mixed(&[1, label])).collect(),
        None => complex.degrees().into_iter().map(|degree| mixed(&[2, u64::from(degree)])).collect(),
    };
    let mut out = RefinedLabels { vertices: Vec::new(), edges: Vec::new() };
    let mut around: Vec<Vec<u64>> = vec![Vec::new(); n_vertices];
    for depth in 0..=rounds as u64 {
        let edge = |e: usize| {
            let mut labels: Vec<u64> = members(e).iter().map(|&v| now[v as usize]).collect();
            labels.sort_unstable();
            labels.extend([bond(e), depth, 3]);
            mixed(&labels)
        };
        out.edges.push((0..n_edges).map(edge).collect());
        out.vertices.push(now.iter().map(|&label| mixed(&[4, depth, label])).collect());
        if depth == rounds as u64 {
            break;
        }
        around.iter_mut().for_each(Vec::clear);
        for e in 0..n_edges {
            for &v in members(e) {
                let mut others: Vec<u64> =
                    members(e).iter().filter(|&&u| u != v).map(|&u| now[u as usize]).collect();
                others.sort_unstable();
                others.push(bond(e));
                around[v as usize].push(mixed(&others));
            }
        }
        for (label, around) in now.iter_mut().zip(&mut around) {
            around.sort_unstable();
            around.extend([*label, 5]);
            *label = mixed(around);
        }
    }
    out
}

/// Masses of refined labels of a complex.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ComplexLabels {
    /// Of edges, at depths 0 to `rounds`, in the exact, co-exact and harmonic component; empty if not asked for.
    pub edges: Vec<LabelMeasure>,
    /// Of vertices, at depths 1 to `rounds + 1`; none if not asked for.
    pub vertices: Option<LabelMeasure>,
    /// How many vertices have each label of the depths 0 to `rounds`, all in one list; none if not asked for.
    pub environments: Option<LabelMeasure>,
}

impl ComplexLabels {
    /// The masses of edge labels in one component.
    #[must_use]
    pub fn component(&self, component: HodgeComponent) -> Option<&LabelMeasure> {
        let place = HodgeComponent::ALL.iter().position(|&c| c == component)?;
        self.edges.get(place)
    }
}

/// The masses of refined labels of `complex`, on edges, vertices or both.
#[must_use]
pub fn measure_labels(
    complex: &Complex,
    given: GivenLabels<'_>,
    rounds: usize,
    [on_edges, on_vertices, environments]: [bool; 3],
) -> ComplexLabels {
    let refined = refine(complex, given, rounds + usize::from(on_vertices));
    let mut out = ComplexLabels::default();
    if on_edges {
        let shares = edge_shares(complex);
        for c in 0..HodgeComponent::ALL.len() {
            let masses: Vec<f64> = shares.iter().map(|share| share[c]).collect();
            let depths = refined.edges[..=rounds].iter().map(|labels| (&labels[..], &masses[..]));
            out.edges.push(LabelMeasure::new(depths));
        }
    }
    if on_vertices {
        let n = complex.n_cells(0);
        let masses = vec![1.0; n];
        let depths = refined.vertices[1..].iter().map(|labels| (&labels[..], &masses[..]));
        let mut counts = LabelMeasure::new(depths);
        counts.masses.iter_mut().for_each(|mass| *mass /= n as f64);
        out.vertices = Some(counts);
    }
    if environments {
        let ids: Vec<u64> = refined.vertices[..=rounds].concat();
        out.environments = Some(LabelMeasure::counted(ids));
    }
    out
}

/// The identifier of a name: of each part, its bytes and their number.
#[must_use]
pub fn name_id<'a>(parts: impl IntoIterator<Item = &'a str>) -> u64 {
    let mut words = Vec::new();
    for part in parts {
        words.push(part.len() as u64);
        words.extend(part.as_bytes().chunks(8).map(|chunk| {
            let mut bytes = [0; 8];
            bytes[..chunk.len()].copy_from_slice(chunk);
            u64::from_le_bytes(bytes)
        }));
    }
    mixed(&words)
}

/// A hash of a list of numbers. Model files hold its values, so it never changes.
fn mixed(words: &[u64]) -> u64 {
    let mut state = 0x6A09_E667_F3BC_C908 ^ (words.len() as u64);
    for &word in words {
        state = scrambled(state.rotate_left(23) ^ scrambled(word.wrapping_add(0x9E37_79B9_7F4A_7C15)));
    }
    state
}

/// A bijection of 64 bits in which every bit depends on every other.
fn scrambled(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_that_files_hold() {
        assert_eq!(mixed(&[]), 0x6A09_E667_F3BC_C908);
        assert_eq!(name_id(["atom", "C"]), name_id(["atom", "C"]));
        assert_ne!(name_id(["ato", "mC"]), name_id(["atom", "C"]));
        assert_eq!(mixed(&[1, 2, 3]), 0xFA88_D538_2D1C_1526);
    }

    /// A path of three: ends and middle; refined once more nothing splits.
    #[test]
    fn refinement_of_a_path_is_that_of_the_hand() {
        let path = Complex::graph(4, &[[0, 1], [1, 2], [2, 3]]).unwrap();
        let none = GivenLabels { vertices: None, edges: None };
        let found = refine(&path, none, 2);
        let same = |labels: &[u64], a: usize, b: usize| labels[a] == labels[b];
        for labels in &found.vertices {
            assert!(same(labels, 0, 3) && same(labels, 1, 2) && !same(labels, 0, 1));
        }
        for labels in &found.edges {
            assert!(same(labels, 0, 2) && !same(labels, 0, 1));
        }
        assert_ne!(found.vertices[1][0], found.vertices[2][0]); // depths do not share labels
        let bonds = [7, 7, 8];
        let found = refine(&path, GivenLabels { vertices: Some(&[1; 4]), edges: Some(&bonds) }, 1);
        assert!(same(&found.vertices[0], 0, 2) && !same(&found.vertices[1], 0, 3));
    }

    #[test]
    fn masses_add_up_to_the_number_of_edges() {
        let square_with_tail = [[0, 1], [1, 2], [2, 3], [0, 3], [3, 4]];
        let graph = Complex::graph(5, &square_with_tail).unwrap();
        let given = GivenLabels { vertices: None, edges: None };
        let found = measure_labels(&graph, given, 2, [true, true, true]);
        for t in 0..3 {
            let totals: Vec<f64> = found.edges.iter().map(|part| part.total(t)).collect();
            assert!((totals[0] - 4.0).abs() < 1e-12 && (totals[2] - 1.0).abs() < 1e-12, "{totals:?}");
            assert_eq!(totals[1], 0.0);
            assert!((found.vertices.as_ref().unwrap().total(t) - 1.0).abs() < 1e-12);
        }
        // The harmonic part is that of the square: the tail has no mass there.
        let harmonic = found.component(HodgeComponent::Harmonic).unwrap();
        assert_eq!(harmonic.depth(0).count(), 2);
    }
}
