//! Refinement of labels: what a cell is called, and what is around it.
//!
//! Vertices are refined as in the test of Weisfeiler and Lehman, through the edges they are in; every other cell is named by its
//! faces, and refined through its cofaces:
//!
//! ```text
//! ℓ⁰_v = label of v (its degree without one),    ℓᵗ⁺¹_v = id(ℓᵗ_v, multiset{(bᵗ_e, ℓᵗ_u) : u beside v by e})
//! b⁰_σ = label of σ,                             bᵗ⁺¹_σ = id(bᵗ_σ, multiset{aᵗ_ρ : σ a face of ρ}), or bᵗ_σ without a coface
//! aᵗ_σ = id(bᵗ_σ, multiset{aᵗ_τ : τ a face of σ}), with ℓᵗ in place of aᵗ for vertices
//! ```
//!
//! In a graph edges have no cofaces, and `aᵗ_e = id(bond, multiset{ℓᵗ_u : u in e})`. Nothing depends on orientations or on the
//! order of cells. 1-cells may join more than two vertices.

use crate::complex::Complex;

/// Names of the cells of one complex, as they are given.
#[derive(Clone, Copy, Debug, Default)]
pub struct GivenLabels<'a> {
    /// One for each vertex; none to take degrees.
    pub vertices: Option<&'a [u64]>,
    /// One for each 1-cell; none where all are alike.
    pub edges: Option<&'a [u64]>,
    /// One for each cell of the dimensions from 2 on; none where all are alike, as in dimensions that are not there.
    pub higher: &'a [Option<Vec<u64>>],
}

impl GivenLabels<'_> {
    /// The labels of the cells of dimension `dim`, from 1 on; 0 where all are alike.
    fn of_dim(&self, dim: usize, n_cells: usize) -> Vec<u64> {
        let own = match dim {
            1 => self.edges,
            _ => self.higher.get(dim - 2).and_then(Option::as_deref),
        };
        own.filter(|own| own.len() == n_cells).map_or_else(|| vec![0; n_cells], <[u64]>::to_vec)
    }
}

/// Refined labels of all cells.
#[derive(Clone, Debug, PartialEq)]
pub struct RefinedLabels {
    /// Labels of the vertices, `[n_depths][n_vertices]`.
    pub vertices: Vec<Vec<u64>>,
    /// Labels of the 1-cells, `[n_depths][n_edges]`.
    pub edges: Vec<Vec<u64>>,
    /// Labels of the cells of the dimensions from 2 on, `[n_depths][n_cells]` each.
    pub higher: Vec<Vec<Vec<u64>>>,
}

impl RefinedLabels {
    /// Labels of the cells of dimension `dim`, `[n_depths][n_cells]`; none beyond those that were refined.
    #[must_use]
    pub fn of_dim(&self, dim: usize) -> Option<&Vec<Vec<u64>>> {
        match dim {
            0 => Some(&self.vertices),
            1 => Some(&self.edges),
            _ => self.higher.get(dim - 2),
        }
    }
}

/// Refines the labels of the vertices and edges of `complex` `rounds` times, as if it had no other cells; depth 0 is what is
/// given.
#[must_use]
pub fn refine(complex: &Complex, given: GivenLabels<'_>, rounds: usize) -> RefinedLabels {
    refine_up_to(complex, given, rounds, 1)
}

/// Refines the labels of all cells of `complex` `rounds` times; depth 0 is what is given, with that of the faces.
#[must_use]
pub fn refine_cells(complex: &Complex, given: GivenLabels<'_>, rounds: usize) -> RefinedLabels {
    refine_up_to(complex, given, rounds, complex.dim().max(1))
}

fn refine_up_to(complex: &Complex, given: GivenLabels<'_>, rounds: usize, top: usize) -> RefinedLabels {
    let faces = |dim: usize, cell: usize| complex.boundary(dim).map_or(&[][..], |b| b.column(cell).0);
    let mut now: Vec<u64> = match given.vertices {
        Some(labels) => labels.iter().map(|&label| mixed(&[1, label])).collect(),
        None => complex.degrees().into_iter().map(|degree| mixed(&[2, u64::from(degree)])).collect(),
    };
    // What cells of each dimension from 1 on are called apart from their faces: bᵗ.
    let mut bonds: Vec<Vec<u64>> = (1..=top).map(|dim| given.of_dim(dim, complex.n_cells(dim))).collect();
    let mut higher = vec![Vec::new(); top - 1];
    let mut out = RefinedLabels { vertices: Vec::new(), edges: Vec::new(), higher: Vec::new() };
    for depth in 0..=rounds as u64 {
        let mut named: Vec<Vec<u64>> = Vec::with_capacity(top); // aᵗ by dimension, from 1
        for dim in 1..=top {
            let below = named.last().unwrap_or(&now);
            let name = |cell: usize| {
                let mut labels: Vec<u64> =
                    faces(dim, cell).iter().map(|&face| below[face as usize]).collect();
                labels.sort_unstable();
                labels.extend([bonds[dim - 1][cell], depth, 3]);
                labels.extend((dim > 1).then_some(dim as u64));
                mixed(&labels)
            };
            let all = (0..complex.n_cells(dim)).map(name).collect();
            named.push(all);
        }
        out.vertices.push(now.iter().map(|&label| mixed(&[4, depth, label])).collect());
        if depth < rounds as u64 {
            now = refined_vertices(complex, now, &bonds[0]);
            for dim in 1..top {
                refine_through_cofaces(complex, dim, &named[dim], &mut bonds[dim - 1]);
            }
        }
        let mut named = named.into_iter();
        out.edges.extend(named.next());
        higher.iter_mut().zip(named).for_each(|(all, own): (&mut Vec<Vec<u64>>, _)| all.push(own));
    }
    out.higher = higher;
    out
}

/// The labels of vertices after one more round.
fn refined_vertices(complex: &Complex, mut now: Vec<u64>, bonds: &[u64]) -> Vec<u64> {
    let members = |e: usize| complex.boundary(1).map_or(&[][..], |b| b.column(e).0);
    let mut around: Vec<Vec<u64>> = vec![Vec::new(); now.len()];
    for (e, &bond) in bonds.iter().enumerate() {
        for &v in members(e) {
            let mut others: Vec<u64> =
                members(e).iter().filter(|&&u| u != v).map(|&u| now[u as usize]).collect();
            others.sort_unstable();
            others.push(bond);
            around[v as usize].push(mixed(&others));
        }
    }
    for (label, around) in now.iter_mut().zip(&mut around) {
        around.sort_unstable();
        around.extend([*label, 5]);
        *label = mixed(around);
    }
    now
}

/// Refines what cells of dimension `dim` are called by the labels `above` of the cells that they are faces of.
fn refine_through_cofaces(complex: &Complex, dim: usize, above: &[u64], bonds: &mut [u64]) {
    let mut around: Vec<Vec<u64>> = vec![Vec::new(); bonds.len()];
    for (coface, &label) in above.iter().enumerate() {
        let faces = complex.boundary(dim + 1).map_or(&[][..], |b| b.column(coface).0);
        faces.iter().for_each(|&face| around[face as usize].push(label));
    }
    for (bond, around) in bonds.iter_mut().zip(&mut around).filter(|(_, around)| !around.is_empty()) {
        around.sort_unstable();
        around.extend([*bond, 6]);
        *bond = mixed(around);
    }
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
    use crate::complex::Lift;

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
        let none = GivenLabels::default();
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
        let found =
            refine(&path, GivenLabels { vertices: Some(&[1; 4]), edges: Some(&bonds), higher: &[] }, 1);
        assert!(same(&found.vertices[0], 0, 2) && !same(&found.vertices[1], 0, 3));
    }

    /// Triangles of a strip: by their number of neighbours at depth 0 and 1, and a label of one is seen by those beside it.
    #[test]
    fn cells_are_refined_through_faces_and_cofaces() {
        let edges = [[0, 1], [0, 2], [1, 2], [1, 3], [2, 3], [2, 4], [3, 4], [3, 5], [4, 5]];
        let graph = Complex::graph(6, &edges).unwrap();
        let strip = Lift::Cliques(2).filled(&graph).unwrap();
        let alike = GivenLabels { vertices: Some(&[0; 6]), ..GivenLabels::default() };
        let found = refine_cells(&strip, alike, 2);
        let triangles = &found.higher[0];
        assert!(triangles[0].iter().all(|&label| label == triangles[0][0]), "nothing is around them yet");
        let [a, b, c, d] = triangles[1][..] else { panic!("four triangles") };
        assert!(a == d && b == c && a != b, "the ends have one neighbour, the others two");
        // In a graph the labels are those of the graph.
        assert_eq!(refine_cells(&graph, alike, 2), refine(&graph, alike, 2));
        assert_ne!(found.edges[1], refine(&graph, alike, 2).edges[1]);
        let named = [Some(vec![7, 0, 0, 0])];
        let found = refine_cells(&strip, GivenLabels { higher: &named, ..alike }, 2);
        let [a, b, c, d] = found.higher[0][1][..] else { panic!("four triangles") };
        assert!(a != d && b != c);
        // Two rounds away nothing is known of the name yet.
        let [.., d] = found.higher[0][0][..] else { panic!("four triangles") };
        assert_eq!(d, found.higher[0][0][2]);
    }
}
