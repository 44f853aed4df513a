//! Every triangulated closed manifold with few vertices, once up to relabelling.
//!
//! A closed manifold with a marked flag (a facet and an order of its vertices) is built in one way only: start with that facet,
//! and as long as there are ridges with one facet, take the first of them in lexicographic order and put a facet on its other
//! side, whose last vertex is one that is there or the next new one. The sequence of these last vertices is a name of the
//! manifold with its flag; the least name over all flags is the name of the manifold. The search follows all sequences and leaves
//! one as soon as another flag of what is built so far has a smaller one, so that each manifold is found once and no two are
//! ever compared. This is the isomorphism-free lexicographic enumeration of \[Sulanke09\], with another order.
//!
//! Sets of vertices are bit masks, and sets of ridges are as well.

use rayon::prelude::*;

/// Most vertices of a surface.
pub(super) const MAX_VERTICES_2: usize = 10;
/// Most vertices of a manifold of dimension 3.
pub(super) const MAX_VERTICES_3: usize = 9;
/// Facets that the largest manifolds may have: 30 triangles, 27 tetrahedra.
const MAX_FACETS: usize = 32;
/// Ridges of the largest: 45 edges, 84 triangles.
const MAX_RIDGES: usize = 84;
/// Facets of the beginnings that are searched side by side.
const BEGINNING: usize = 8;
/// No facet.
const NONE: u8 = u8::MAX;

/// A set of vertices.
type Mask = u16;

/// The triangulated closed manifolds of dimension `dim`, 2 or 3, with at most `max_vertices` vertices, as masks of their facets,
/// by the number of vertices and then by name.
pub(super) fn census(dim: usize, max_vertices: usize) -> Vec<Vec<Mask>> {
    let tables = Tables::new(dim, max_vertices);
    let mut beginnings = Vec::new();
    let mut found = Vec::new();
    grow(&tables, State::new(&tables), BEGINNING, &mut found, &mut beginnings);
    let search = |state: &State| {
        let mut found = Vec::new();
        grow(&tables, *state, MAX_FACETS, &mut found, &mut Vec::new());
        found
    };
    // The order is that of the beginnings, whatever the number of threads.
    found.extend(beginnings.par_iter().map(search).collect::<Vec<_>>().into_iter().flatten());
    let n_vertices = |facets: &Vec<Mask>| facets.iter().fold(0, |all, facet| all | facet).count_ones();
    found.sort_by_key(n_vertices); // stable
    found
}

/// What depends on dimension and number of vertices alone.
struct Tables {
    dim: usize,
    max_vertices: usize,
    ridges: Vec<Mask>,     // in lexicographic order
    rank: Vec<u8>,         // of each mask that is a ridge
    containing: Vec<u128>, // the ridges that contain each mask
}

impl Tables {
    fn new(dim: usize, max_vertices: usize) -> Self {
        let n_masks = 1usize << max_vertices;
        let mut ridges: Vec<Mask> =
            (0..n_masks as Mask).filter(|mask| mask.count_ones() as usize == dim).collect();
        // Lexicographic order of ascending vertices: the lowest bits decide.
        ridges.sort_by_key(|mask| std::cmp::Reverse(mask.reverse_bits()));
        let mut rank = vec![NONE; n_masks];
        let mut containing = vec![0u128; n_masks];
        for (r, &ridge) in ridges.iter().enumerate() {
            rank[ridge as usize] = r as u8;
            let inside = |mask: &usize| *mask as Mask & ridge == *mask as Mask;
            (0..n_masks).filter(inside).for_each(|mask| containing[mask] |= 1 << r);
        }
        Self { dim, max_vertices, ridges, rank, containing }
    }
}

/// A manifold in the making.
#[derive(Clone, Copy)]
struct State {
    facets: [Mask; MAX_FACETS],
    n_facets: usize,
    n_vertices: usize,
    open: u128,                // ridges with one facet
    closed: u128,              // ridges with two
    at: [[u8; 2]; MAX_RIDGES], // the facets of each ridge
    name: [u8; MAX_FACETS],    // last vertex of each facet but the first
    ridge: [u8; MAX_FACETS],   // the ridge that it was put on
}

impl State {
    /// The first facet.
    fn new(tables: &Tables) -> Self {
        let mut state = Self {
            facets: [0; MAX_FACETS],
            n_facets: 0,
            n_vertices: tables.dim + 1,
            open: 0,
            closed: 0,
            at: [[NONE; 2]; MAX_RIDGES],
            name: [0; MAX_FACETS],
            ridge: [0; MAX_FACETS],
        };
        state.put(tables, (1 << (tables.dim + 1)) - 1);
        state
    }

    /// Adds a facet.
    fn put(&mut self, tables: &Tables, facet: Mask) {
        let index = self.n_facets as u8;
        self.facets[self.n_facets] = facet;
        self.n_facets += 1;
        for v in bits(facet) {
            let r = tables.rank[(facet & !(1 << v)) as usize] as usize;
            let bit = 1u128 << r;
            if self.open & bit != 0 {
                self.open &= !bit;
                self.closed |= bit;
                self.at[r][1] = index;
            } else {
                self.open |= bit;
                self.at[r][0] = index;
            }
        }
    }

    /// The state with a facet on the open ridge `r` whose last vertex is `apex`, unless no manifold contains it.
    fn with(&self, tables: &Tables, r: usize, apex: usize) -> Option<Self> {
        let ridge = tables.ridges[r];
        let facet = ridge | 1 << apex;
        if facet == ridge || facet == self.facets[self.at[r][0] as usize] || self.n_facets == MAX_FACETS {
            return None;
        }
        let mut new = *self;
        if apex < self.n_vertices {
            for v in bits(ridge) {
                let side = tables.rank[(facet & !(1 << v)) as usize];
                if self.closed >> side & 1 != 0 {
                    return None;
                }
            }
            // What is closed around a vertex, or around an edge, takes no further facet.
            let is_done = |mask: Mask| {
                let ridges = tables.containing[mask as usize];
                ridges & self.closed != 0 && ridges & self.open == 0
            };
            if is_done(1 << apex) || (tables.dim == 3 && bits(ridge).any(|v| is_done(1 << apex | 1 << v))) {
                return None;
            }
        } else {
            new.n_vertices += 1;
        }
        new.name[self.n_facets] = apex as u8;
        new.ridge[self.n_facets] = r as u8;
        new.put(tables, facet);
        let links = bits(facet).flat_map(|v| bits(facet & !((2 << v) - 1)).map(move |w| (v, w)));
        let mut links = links.map(|(v, w)| (facet & !(1 << v | 1 << w), v));
        (links.all(|(face, v)| new.is_arc_or_circle(tables, face, v))
            && (tables.dim == 2 || bits(facet).all(|v| new.is_open_or_sphere(tables, 1 << v))))
        .then_some(new)
    }

    /// Whether the facets around `face` (two dimensions below them), seen from the last facet, are part of a row, or all of a
    /// circle.
    fn is_arc_or_circle(&self, tables: &Tables, face: Mask, towards: u32) -> bool {
        let last = self.n_facets as u8 - 1;
        let (mut facet, mut next, mut length) = (last, towards, 0);
        loop {
            let r = tables.rank[(face | 1 << next) as usize] as usize;
            let [one, other] = self.at[r];
            if other == NONE {
                return true;
            }
            facet = if one == facet { other } else { one };
            length += 1;
            if facet == last {
                let around = self.facets[..self.n_facets].iter().filter(|&&f| f & face == face);
                return around.count() == length;
            }
            next = (self.facets[facet as usize] & !face & !(1 << next)).trailing_zeros();
        }
    }

    /// Whether the link of a vertex of a manifold of dimension 3 has a border, or is a sphere.
    fn is_open_or_sphere(&self, tables: &Tables, vertex: Mask) -> bool {
        if tables.containing[vertex as usize] & self.open != 0 {
            return true;
        }
        let star = |f: &&Mask| **f & vertex != 0;
        let triangles = self.facets[..self.n_facets].iter().filter(star).count() as i64;
        let edges = (tables.containing[vertex as usize] & self.closed).count_ones() as i64;
        let joined = self.facets[..self.n_facets].iter().filter(star).fold(0, |all, f| all | f) & !vertex;
        // Edges of the link are circles, so that it is a closed surface, in one piece where its triangles are.
        joined.count_ones() as i64 - edges + triangles == 2 && self.is_one_piece(vertex)
    }

    /// Whether the triangles of the link of a vertex are joined by common vertices.
    fn is_one_piece(&self, vertex: Mask) -> bool {
        let star: Vec<Mask> =
            self.facets[..self.n_facets].iter().filter(|&f| f & vertex != 0).map(|f| f & !vertex).collect();
        let mut reached = star[0];
        loop {
            let more = star.iter().filter(|&f| f & reached != 0).fold(reached, |all, f| all | f);
            if more == reached {
                return star.iter().all(|f| f & reached != 0);
            }
            reached = more;
        }
    }

    /// Whether no flag of what is built has a smaller name, as far as it is known.
    fn is_least(&self, tables: &Tables) -> bool {
        self.facets[..self.n_facets].iter().all(|&facet| {
            let mut vertices = [0u8; 4];
            bits(facet).zip(&mut vertices).for_each(|(v, place)| *place = v as u8);
            self.is_least_of_orders(tables, &mut vertices[..tables.dim + 1], 0)
        })
    }

    /// Whether no order of the vertices, of which the first `fixed` are chosen, has a smaller name.
    fn is_least_of_orders(&self, tables: &Tables, vertices: &mut [u8], fixed: usize) -> bool {
        if fixed + 1 == vertices.len() {
            return !self.is_smaller_from(tables, vertices);
        }
        for i in fixed..vertices.len() {
            vertices.swap(fixed, i);
            let least = self.is_least_of_orders(tables, vertices, fixed + 1);
            vertices.swap(fixed, i);
            if !least {
                return false;
            }
        }
        true
    }

    /// Whether the name from a flag is smaller. As long as the two names agree, so do the ridges that are taken.
    fn is_smaller_from(&self, tables: &Tables, flag: &[u8]) -> bool {
        let (mut old, mut new) = ([NONE; 16], [NONE; 16]); // by new label, by old label
        for (label, &v) in flag.iter().enumerate() {
            old[label] = v;
            new[v as usize] = label as u8;
        }
        let mut known = flag.len();
        for step in 1..self.n_facets {
            let own = tables.ridges[self.ridge[step] as usize];
            let ridge = bits(own).fold(0, |mask: Mask, v| mask | 1 << old[v as usize]);
            let first = self.facets[self.at[self.ridge[step] as usize][0] as usize] & !own;
            let first = ridge | 1 << old[first.trailing_zeros() as usize];
            let [one, other] = self.at[tables.rank[ridge as usize] as usize];
            let facet = match other {
                NONE => return false, // not known yet
                _ if self.facets[one as usize] == first => other,
                _ => one,
            };
            let apex = (self.facets[facet as usize] & !ridge).trailing_zeros() as usize;
            if new[apex] == NONE {
                new[apex] = known as u8;
                old[known] = apex as u8;
                known += 1;
            }
            match new[apex].cmp(&self.name[step]) {
                std::cmp::Ordering::Less => return true,
                std::cmp::Ordering::Greater => return false,
                std::cmp::Ordering::Equal => {}
            }
        }
        false
    }
}

/// Follows all continuations of a state, up to `depth` facets: closed manifolds go to `found`, others to `rest`.
fn grow(tables: &Tables, state: State, depth: usize, found: &mut Vec<Vec<Mask>>, rest: &mut Vec<State>) {
    if state.open == 0 {
        return found.push(state.facets[..state.n_facets].to_vec());
    }
    if state.n_facets >= depth {
        return rest.push(state);
    }
    let r = state.open.trailing_zeros() as usize;
    for apex in 0..=state.n_vertices.min(tables.max_vertices - 1) {
        if let Some(next) = state.with(tables, r, apex).filter(|next| next.is_least(tables)) {
            grow(tables, next, depth, found, rest);
        }
    }
}

/// The vertices of a mask, ascending.
pub(super) fn bits(mask: Mask) -> impl Iterator<Item = u32> + Clone {
    (0..Mask::BITS).filter(move |v| mask >> v & 1 != 0)
}
