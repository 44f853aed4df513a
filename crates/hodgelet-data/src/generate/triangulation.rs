//! Triangulations of closed surfaces, and the moves that change one without changing its topology.

use rand::{Rng, RngExt};
use std::collections::HashMap;

/// The sphere: the boundary of a tetrahedron.
pub(super) const SPHERE: &[[u32; 3]] = &[[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]];

/// The projective plane on six vertices: a disc around vertex 0 and a Möbius strip on the other five.
pub(super) const PROJECTIVE_PLANE: &[[u32; 3]] = &[
    [0, 1, 2],
    [0, 2, 3],
    [0, 3, 4],
    [0, 4, 5],
    [0, 1, 5],
    [1, 2, 4],
    [2, 3, 5],
    [1, 3, 4],
    [2, 4, 5],
    [1, 3, 5],
];

/// Möbius's torus on seven vertices, `{i, i+1, i+3}` and `{i, i+2, i+3}` modulo 7.
pub(super) fn torus() -> Vec<[u32; 3]> {
    (0..7).flat_map(|i| [[i, (i + 1) % 7, (i + 3) % 7], [i, (i + 2) % 7, (i + 3) % 7]]).collect()
}

/// The Klein bottle on nine vertices: two projective planes joined along the rim of a triangle taken from each.
pub(super) fn klein_bottle() -> Vec<[u32; 3]> {
    // The triangle [0, 1, 2] of the second plane is laid on that of the first; its vertices 3, 4, 5 become 6, 7, 8.
    let moved = |v: u32| if v < 3 { v } else { v + 3 };
    let second = PROJECTIVE_PLANE.iter().map(|triangle| triangle.map(moved));
    let both = PROJECTIVE_PLANE.iter().copied().chain(second);
    both.filter(|&triangle| triangle != [0, 1, 2]).collect()
}

/// A triangulated closed surface: each edge is a side of exactly two triangles.
pub(super) struct Triangulation {
    n_vertices: usize,
    triangles: Vec<[u32; 3]>,
    sides: HashMap<[u32; 2], [usize; 2]>, // the two triangles at each edge, lower vertex first
}

impl Triangulation {
    /// The surface made of the triangles given, which must be closed.
    pub(super) fn new(triangles: &[[u32; 3]]) -> Self {
        let n_vertices = triangles.iter().flatten().max().map_or(0, |&v| v as usize + 1);
        let mut sides: HashMap<[u32; 2], [usize; 2]> = HashMap::new();
        for (t, &[a, b, c]) in triangles.iter().enumerate() {
            for edge in [edge(a, b), edge(b, c), edge(a, c)] {
                sides.entry(edge).and_modify(|pair| pair[1] = t).or_insert([t, t]);
            }
        }
        Self { n_vertices, triangles: triangles.to_vec(), sides }
    }

    pub(super) fn n_vertices(&self) -> usize {
        self.n_vertices
    }

    pub(super) fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The edges, lower vertex first, ascending.
    pub(super) fn edges(&self) -> Vec<[u32; 2]> {
        let mut edges: Vec<[u32; 2]> = self.sides.keys().copied().collect();
        edges.sort_unstable();
        edges
    }

    /// Puts a new vertex into a random triangle, or onto a random edge.
    pub(super) fn refine(&mut self, rng: &mut impl Rng) {
        if rng.random::<bool>() {
            let t = rng.random_range(0..self.triangles.len());
            self.subdivide_triangle(t);
        } else {
            let [a, b] = self.random_edge(rng);
            self.subdivide_edge(a, b);
        }
    }

    /// Turns a random edge in its quadrangle, unless the other diagonal is an edge already.
    pub(super) fn flip(&mut self, rng: &mut impl Rng) {
        let [a, b] = self.random_edge(rng);
        let [first, second] = self.sides[&edge(a, b)];
        let (c, d) = (self.opposite(first, a, b), self.opposite(second, a, b));
        if c == d || self.sides.contains_key(&edge(c, d)) {
            return;
        }
        self.sides.remove(&edge(a, b));
        self.sides.insert(edge(c, d), [first, second]);
        self.triangles[first] = [a, c, d];
        self.triangles[second] = [b, c, d];
        // The side bc moves from the first to the second, the side ad the other way.
        self.relink(b, c, first, second);
        self.relink(a, d, second, first);
    }

    fn random_edge(&self, rng: &mut impl Rng) -> [u32; 2] {
        let [a, b, c] = self.triangles[rng.random_range(0..self.triangles.len())];
        [[a, b], [b, c], [a, c]][rng.random_range(0..3usize)]
    }

    /// One triangle becomes three around a new vertex.
    fn subdivide_triangle(&mut self, t: usize) {
        let [a, b, c] = self.triangles[t];
        let (v, u, w) = (self.new_vertex(), self.triangles.len(), self.triangles.len() + 1);
        self.triangles[t] = [a, b, v];
        self.triangles.extend([[b, c, v], [a, c, v]]); // u and w
        self.relink(b, c, t, u);
        self.relink(a, c, t, w);
        self.sides.insert(edge(a, v), [t, w]);
        self.sides.insert(edge(b, v), [t, u]);
        self.sides.insert(edge(c, v), [u, w]);
    }

    /// The two triangles at an edge become four around a new vertex.
    fn subdivide_edge(&mut self, a: u32, b: u32) {
        let [first, second] = self.sides[&edge(a, b)];
        let (c, d) = (self.opposite(first, a, b), self.opposite(second, a, b));
        let (v, u, w) = (self.new_vertex(), self.triangles.len(), self.triangles.len() + 1);
        self.triangles[first] = [a, c, v];
        self.triangles[second] = [a, d, v];
        self.triangles.extend([[b, c, v], [b, d, v]]); // u and w
        self.relink(b, c, first, u);
        self.relink(b, d, second, w);
        self.sides.remove(&edge(a, b));
        self.sides.insert(edge(a, v), [first, second]);
        self.sides.insert(edge(b, v), [u, w]);
        self.sides.insert(edge(c, v), [first, u]);
        self.sides.insert(edge(d, v), [second, w]);
    }

    fn new_vertex(&mut self) -> u32 {
        self.n_vertices += 1;
        (self.n_vertices - 1) as u32
    }

    /// The vertex of triangle `t` that is neither `a` nor `b`.
    fn opposite(&self, t: usize, a: u32, b: u32) -> u32 {
        let found = self.triangles[t].into_iter().find(|&v| v != a && v != b);
        found.expect("a triangle has three distinct vertices")
    }

    /// Puts triangle `to` in place of `from` at the edge between `a` and `b`.
    fn relink(&mut self, a: u32, b: u32, from: usize, to: usize) {
        let pair = self.sides.get_mut(&edge(a, b)).expect("the sides of a triangle are edges");
        let slot = if pair[0] == from { 0 } else { 1 };
        pair[slot] = to;
    }
}

/// The edge between two vertices, lower first.
fn edge(a: u32, b: u32) -> [u32; 2] {
    [a.min(b), a.max(b)]
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::generate::item_rng;
    use std::collections::{HashMap, HashSet};

    /// Checks that triangles form a closed surface: each edge in two, and around each vertex one cycle.
    pub(in crate::generate) fn assert_closed_surface(n_vertices: usize, triangles: &[[u32; 3]]) {
        let mut at_edge: HashMap<[u32; 2], usize> = HashMap::new();
        let mut link: Vec<HashMap<u32, Vec<u32>>> = vec![HashMap::new(); n_vertices];
        let distinct: HashSet<[u32; 3]> = triangles
            .iter()
            .map(|t| {
                let mut t = *t;
                t.sort_unstable();
                t
            })
            .collect();
        assert_eq!(distinct.len(), triangles.len());
        for &[a, b, c] in triangles {
            for (x, y, z) in [(a, b, c), (b, c, a), (c, a, b)] {
                *at_edge.entry(edge(x, y)).or_default() += 1;
                link[x as usize].entry(y).or_default().push(z);
                link[x as usize].entry(z).or_default().push(y);
            }
        }
        assert!(at_edge.values().all(|&n| n == 2));
        for around in link {
            let start = *around.keys().min().expect("every vertex is in a triangle");
            let (mut before, mut here, mut length) = (start, around[&start][0], 1);
            while here != start {
                let [x, y] = around[&here][..] else { panic!("a link is a cycle") };
                (before, here) = (here, if x == before { y } else { x });
                length += 1;
            }
            assert_eq!(length, around.len(), "one cycle around each vertex");
        }
    }

    /// Whether the triangles of a connected surface can all be turned the same way round.
    pub(in crate::generate) fn is_orientable(triangles: &[[u32; 3]]) -> bool {
        let mut at: HashMap<[u32; 2], Vec<(usize, bool)>> = HashMap::new();
        for (t, &[a, b, c]) in triangles.iter().enumerate() {
            for (x, y) in [(a, b), (b, c), (c, a)] {
                at.entry(edge(x, y)).or_default().push((t, x < y));
            }
        }
        let mut turned: Vec<Option<bool>> = vec![None; triangles.len()];
        let mut stack = vec![0];
        turned[0] = Some(false);
        while let Some(t) = stack.pop() {
            for pair in at.values().filter(|pair| pair.iter().any(|&(u, _)| u == t)) {
                let (own, other) = if pair[0].0 == t { (pair[0], pair[1]) } else { (pair[1], pair[0]) };
                // Two triangles agree when they run along their common edge in opposite directions.
                let wanted = turned[t].unwrap() ^ (own.1 == other.1);
                match turned[other.0] {
                    None => {
                        turned[other.0] = Some(wanted);
                        stack.push(other.0);
                    }
                    Some(found) if found != wanted => return false,
                    Some(_) => {}
                }
            }
        }
        assert!(turned.iter().all(Option::is_some), "the surface is connected");
        true
    }

    fn euler(surface: &Triangulation) -> i64 {
        surface.n_vertices() as i64 - surface.edges().len() as i64 + surface.triangles().len() as i64
    }

    #[test]
    fn the_four_surfaces_are_what_they_are_called() {
        let cases = [
            (SPHERE.to_vec(), 2, true),
            (torus(), 0, true),
            (klein_bottle(), 0, false),
            (PROJECTIVE_PLANE.to_vec(), 1, false),
        ];
        for (triangles, characteristic, orientable) in cases {
            let surface = Triangulation::new(&triangles);
            assert_closed_surface(surface.n_vertices(), &triangles);
            assert_eq!((euler(&surface), is_orientable(&triangles)), (characteristic, orientable));
        }
    }

    #[test]
    fn every_move_keeps_the_surface_and_its_index() {
        let mut rng = item_rng(2, 0);
        for triangles in [SPHERE.to_vec(), torus(), klein_bottle(), PROJECTIVE_PLANE.to_vec()] {
            let mut surface = Triangulation::new(&triangles);
            let (before, orientable) = (euler(&surface), is_orientable(&triangles));
            for step in 0..120 {
                if step % 4 == 0 {
                    surface.refine(&mut rng)
                } else {
                    surface.flip(&mut rng)
                }
                assert_closed_surface(surface.n_vertices(), surface.triangles());
                let rebuilt = Triangulation::new(surface.triangles());
                let sorted = |pair: &[usize; 2]| (pair[0].min(pair[1]), pair[0].max(pair[1]));
                assert_eq!(rebuilt.edges(), surface.edges());
                assert!(surface.sides.iter().all(|(e, pair)| sorted(pair) == sorted(&rebuilt.sides[e])));
            }
            assert_eq!((euler(&surface), is_orientable(surface.triangles())), (before, orientable));
        }
    }
}
