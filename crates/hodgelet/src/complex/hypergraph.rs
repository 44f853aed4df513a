//! Hypergraphs: hyperedges that join any number of vertices, and the complexes that represent them.

use super::{CellWeights, Complex};
use crate::linalg::SparseMat;
use serde::{Deserialize, Serialize};

/// Weight of an edge of the clique expansion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CliqueWeight {
    /// `Σ w_e` over the hyperedges that hold both vertices; without weights, their number.
    #[default]
    Shared,
    /// `Σ w_e / (δ(e) − 1)`: the edges at a vertex weigh as much as its hyperedges of two or more vertices.
    Normalized,
    /// 1 for every pair that shares a hyperedge.
    Unit,
}

/// Which complex represents a hypergraph.
///
/// | expansion | cells | operator | where signals go |
/// | --- | --- | --- | --- |
/// | [`Expansion::Zhou`] | the graph of pairs | `M_0 = D_v`, `M_1 = Σ_e w_e / δ(e)`: `L_0` is Zhou's Laplacian | vertices; hyperedges to their pairs |
/// | [`Expansion::Clique`] | the graph of pairs | `M_1` by [`CliqueWeight`] | vertices; hyperedges to their pairs |
/// | [`Expansion::Star`] | vertices and hyperedges as vertices, incidences as edges | `M_1 = w_e` | both to vertices |
/// | [`Expansion::Incidence`] | vertices, and hyperedges as 1-cells | `B_1 = H` unsigned, `M_1 = w_e` | each to its own cells |
///
/// `H` is the incidence matrix, `w_e` the weight of a hyperedge, `δ(e)` its number of vertices, and `D_v` holds the
/// weighted degrees `Σ_{e ∋ v} w_e`.
///
/// **Zhou's Laplacian is a weighted boundary operator.** In `I − D_v^{−1/2} H W D_e^{−1} Hᵀ D_v^{−1/2}` \[Zhou06\] a pair
/// of vertices has `−a_uv / √(d_u d_v)` with `a_uv = Σ_{e ∋ u,v} w_e / δ(e)`, and the diagonal is
/// `1 − Σ_{e ∋ v} w_e / (δ(e) d_v) = Σ_{u ≠ v} a_uv / d_v`. That is `B̃_1 B̃_1ᵀ` of the graph with edge weights `a_uv` and
/// vertex weights `d_v`: the loops that a clique expansion would have cancel. A vertex in no hyperedge weighs 1.
///
/// **The incidence pair is itself a complex.** Any matrix is a boundary operator of two terms: with `B_1 = H`,
/// `L_0 = H W Hᵀ` on vertices and `L_1 = W^{1/2} Hᵀ H W^{1/2}` on hyperedges. Columns of `H` have no arbitrary sign, so
/// values of hyperedges enter as they are, and no averaging over orientations is needed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Expansion {
    /// Zhou's normalized Laplacian.
    #[default]
    Zhou,
    /// The clique expansion.
    Clique(CliqueWeight),
    /// The bipartite graph of vertices and hyperedges.
    Star,
    /// The incidence matrix as a boundary operator.
    Incidence,
}

impl Expansion {
    /// Names that [`from_str`](std::str::FromStr) knows.
    pub const NAMES: [&'static str; 6] =
        ["zhou", "clique", "clique-normalized", "clique-unit", "star", "incidence"];
}

impl std::fmt::Display for Expansion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Zhou => "zhou",
            Self::Clique(CliqueWeight::Shared) => "clique",
            Self::Clique(CliqueWeight::Normalized) => "clique-normalized",
            Self::Clique(CliqueWeight::Unit) => "clique-unit",
            Self::Star => "star",
            Self::Incidence => "incidence",
        })
    }
}

impl From<Expansion> for String {
    fn from(expansion: Expansion) -> Self {
        expansion.to_string()
    }
}

impl TryFrom<String> for Expansion {
    type Error = HypergraphError;

    fn try_from(name: String) -> Result<Self, HypergraphError> {
        name.parse()
    }
}

impl std::str::FromStr for Expansion {
    type Err = HypergraphError;

    fn from_str(name: &str) -> Result<Self, HypergraphError> {
        Ok(match name {
            "zhou" => Self::Zhou,
            "clique" => Self::Clique(CliqueWeight::Shared),
            "clique-normalized" => Self::Clique(CliqueWeight::Normalized),
            "clique-unit" => Self::Clique(CliqueWeight::Unit),
            "star" => Self::Star,
            "incidence" => Self::Incidence,
            _ => return Err(HypergraphError::Expansion { found: name.to_owned() }),
        })
    }
}

/// Vertices and hyperedges: sets of vertices, each with a positive weight.
#[derive(Clone, Debug, PartialEq)]
pub struct Hypergraph {
    incidence: SparseMat,      // H, [n_vertices, n_hyperedges], ones
    weights: Option<Vec<f64>>, // [n_hyperedges]
}

impl Hypergraph {
    /// A hypergraph from the vertices of each hyperedge, and the weights of hyperedges if they have any. The same set
    /// may appear twice; an empty one is allowed.
    ///
    /// # Errors
    ///
    /// [`HypergraphError`] names a hyperedge with a vertex that does not exist or is repeated, or a weight that
    /// is not positive and finite.
    ///
    /// ```
    /// use hodgelet::complex::{Expansion, Hypergraph};
    /// let hypergraph = Hypergraph::new(4, &[vec![0, 1, 2], vec![2, 3]], None)?;
    /// let pairs = hypergraph.expand(Expansion::Zhou).complex;
    /// assert_eq!((pairs.n_cells(0), pairs.n_cells(1)), (4, 4));
    /// # Ok::<(), hodgelet::complex::HypergraphError>(())
    /// ```
    pub fn new(
        n_vertices: usize,
        hyperedges: &[Vec<u32>],
        weights: Option<Vec<f64>>,
    ) -> Result<Self, HypergraphError> {
        if u32::try_from(n_vertices.saturating_add(hyperedges.len())).is_err() {
            return Err(HypergraphError::TooLarge { n_vertices, n_hyperedges: hyperedges.len() });
        }
        let mut incidence = SparseMat::with_rows(n_vertices);
        let mut last = vec![usize::MAX; n_vertices]; // last hyperedge that contained each vertex
        for (hyperedge, vertices) in hyperedges.iter().enumerate() {
            for &vertex in vertices {
                let Some(seen) = last.get_mut(vertex as usize) else {
                    return Err(HypergraphError::VertexOutOfRange { hyperedge, vertex, n_vertices });
                };
                if *seen == hyperedge {
                    return Err(HypergraphError::RepeatedVertex { hyperedge, vertex });
                }
                *seen = hyperedge;
            }
            let mut sorted = vertices.clone();
            sorted.sort_unstable();
            incidence.push_column(sorted.into_iter().map(|vertex| (vertex, 1.0)));
        }
        if let Some(weights) = &weights {
            let (expected, found) = (hyperedges.len(), weights.len());
            if expected != found {
                return Err(HypergraphError::Weights { expected, found });
            }
            if let Some(hyperedge) = weights.iter().position(|w| !(w.is_finite() && *w > 0.0)) {
                return Err(HypergraphError::Weight { hyperedge, found: weights[hyperedge] });
            }
        }
        Ok(Self { incidence, weights })
    }

    /// Number of vertices.
    #[must_use]
    pub fn n_vertices(&self) -> usize {
        self.incidence.n_rows()
    }

    /// Number of hyperedges.
    #[must_use]
    pub fn n_hyperedges(&self) -> usize {
        self.incidence.n_cols()
    }

    /// The vertices of a hyperedge, ascending.
    #[must_use]
    pub fn hyperedge(&self, e: usize) -> &[u32] {
        self.incidence.column(e).0
    }

    /// The weight of a hyperedge, 1 without weights.
    #[must_use]
    pub fn weight(&self, e: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| weights[e])
    }

    /// The incidence matrix `H` of zeros and ones, `[n_vertices, n_hyperedges]`.
    #[must_use]
    pub fn incidence(&self) -> &SparseMat {
        &self.incidence
    }

    /// Weighted degrees, `Σ w_e` over the hyperedges of each vertex.
    #[must_use]
    pub fn degrees(&self) -> Vec<f64> {
        let mut degrees = vec![0.0; self.n_vertices()];
        for e in 0..self.n_hyperedges() {
            self.hyperedge(e).iter().for_each(|&v| degrees[v as usize] += self.weight(e));
        }
        degrees
    }

    /// How many pairs of vertices the hyperedges hold, one that several hold counted for each.
    #[must_use]
    pub fn n_pairs(&self) -> usize {
        let pairs = |n: usize| n.saturating_mul(n.saturating_sub(1)) / 2;
        (0..self.n_hyperedges()).map(|e| pairs(self.hyperedge(e).len())).fold(0, usize::saturating_add)
    }

    /// The pairs of vertices that share a hyperedge, in lexicographic order.
    #[must_use]
    pub fn pairs(&self) -> Pairs {
        let mut all: Vec<([u32; 2], u32)> = Vec::new();
        for e in 0..self.n_hyperedges() {
            let vertices = self.hyperedge(e);
            for (i, &u) in vertices.iter().enumerate() {
                all.extend(vertices[i + 1..].iter().map(|&v| ([u, v], e as u32)));
            }
        }
        all.sort_unstable();
        let mut pairs = Pairs { ends: Vec::new(), starts: vec![0], hyperedges: Vec::new() };
        for run in all.chunk_by(|a, b| a.0 == b.0) {
            pairs.ends.push(run[0].0);
            pairs.hyperedges.extend(run.iter().map(|&(_, e)| e));
            pairs.starts.push(pairs.hyperedges.len());
        }
        pairs
    }

    /// The complex of an expansion and the weights of its cells, if they are not all 1.
    ///
    /// # Complexity
    ///
    /// Zhou and clique expansions have `δ(δ − 1)/2` pairs for a hyperedge of `δ` vertices; the others are linear in the
    /// number of incidences.
    #[must_use]
    pub fn expand(&self, expansion: Expansion) -> Expanded {
        match expansion {
            Expansion::Zhou => {
                let pairs = self.pairs();
                let edges = self.pair_weights(&pairs, |weight, size| weight / size);
                // a vertex in no hyperedge stays harmonic
                let degrees = self.degrees().into_iter().map(|d| if d > 0.0 { d } else { 1.0 }).collect();
                self.graph_of(&pairs, vec![Some(degrees), Some(edges)])
            }
            Expansion::Clique(choice) => {
                let pairs = self.pairs();
                let weights = match choice {
                    CliqueWeight::Shared => Some(self.pair_weights(&pairs, |weight, _| weight)),
                    CliqueWeight::Normalized => {
                        Some(self.pair_weights(&pairs, |weight, size| weight / (size - 1.0)))
                    }
                    CliqueWeight::Unit => None,
                };
                self.graph_of(&pairs, vec![None, weights])
            }
            Expansion::Star => self.star(),
            Expansion::Incidence => {
                let weights = self.weights.clone().map(|weights| cell_weights(vec![None, Some(weights)]));
                let complex = Complex::from_boundaries(self.n_vertices(), vec![self.incidence.clone()]);
                Expanded { complex: complex.expect("one finite operator is a complex"), weights }
            }
        }
    }

    fn pair_weights(&self, pairs: &Pairs, of: impl Fn(f64, f64) -> f64) -> Vec<f64> {
        let one = |&e: &u32| of(self.weight(e as usize), self.hyperedge(e as usize).len() as f64);
        (0..pairs.len()).map(|p| pairs.hyperedges(p).iter().map(one).sum()).collect()
    }

    fn graph_of(&self, pairs: &Pairs, weights: Vec<Option<Vec<f64>>>) -> Expanded {
        let complex =
            Complex::graph(self.n_vertices(), &pairs.ends).expect("pairs are distinct and in range");
        let weights = weights.iter().any(Option::is_some).then(|| cell_weights(weights));
        Expanded { complex, weights }
    }

    /// Vertex `v` stays `v`, hyperedge `e` becomes `n_vertices + e`.
    fn star(&self) -> Expanded {
        let (mut edges, mut weights) = (Vec::new(), Vec::new());
        for e in 0..self.n_hyperedges() {
            let center = (self.n_vertices() + e) as u32;
            edges.extend(self.hyperedge(e).iter().map(|&v| [v, center]));
            weights.resize(edges.len(), self.weight(e));
        }
        let complex = Complex::graph(self.n_vertices() + self.n_hyperedges(), &edges)
            .expect("incidences are distinct and in range");
        let weights = self.weights.is_some().then(|| cell_weights(vec![None, Some(weights)]));
        Expanded { complex, weights }
    }
}

fn cell_weights(weights: Vec<Option<Vec<f64>>>) -> CellWeights {
    // A sum of finite weights may be infinite, and a quotient 0.
    let clamp = |w: f64| w.clamp(f64::MIN_POSITIVE, f64::MAX);
    let weights = weights.into_iter().map(|w| w.map(|w| w.into_iter().map(clamp).collect()));
    CellWeights::new(weights.collect()).expect("weights were made positive and finite")
}

/// The pairs of vertices that share a hyperedge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pairs {
    ends: Vec<[u32; 2]>,
    starts: Vec<usize>,
    hyperedges: Vec<u32>,
}

impl Pairs {
    /// Number of pairs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The two vertices of each pair, ascending: the edges of the clique expansion.
    #[must_use]
    pub fn ends(&self) -> &[[u32; 2]] {
        &self.ends
    }

    /// The hyperedges that hold pair `p`, ascending.
    #[must_use]
    pub fn hyperedges(&self, p: usize) -> &[u32] {
        &self.hyperedges[self.starts[p]..self.starts[p + 1]]
    }
}

/// What [`Hypergraph::expand`] gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Expanded {
    /// The complex.
    pub complex: Complex,
    /// Weights of its cells, if they are not all 1.
    pub weights: Option<CellWeights>,
}

/// What can be wrong with a hypergraph.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum HypergraphError {
    /// A vertex of a hyperedge does not exist.
    #[error("hyperedge {hyperedge} names vertex {vertex}, but the hypergraph has {n_vertices} vertices")]
    VertexOutOfRange {
        /// Index of the hyperedge.
        hyperedge: usize,
        /// The vertex named.
        vertex: u32,
        /// Number of vertices.
        n_vertices: usize,
    },
    /// A vertex appears twice in a hyperedge.
    #[error("vertex {vertex} appears twice in hyperedge {hyperedge}")]
    RepeatedVertex {
        /// Index of the hyperedge.
        hyperedge: usize,
        /// The vertex.
        vertex: u32,
    },
    /// Not one weight per hyperedge.
    #[error("{found} weights, but the hypergraph has {expected} hyperedges")]
    Weights {
        /// Number of hyperedges.
        expected: usize,
        /// Number of weights.
        found: usize,
    },
    /// A weight is not positive and finite.
    #[error("weight of hyperedge {hyperedge} is {found}, expected a positive finite number")]
    Weight {
        /// Index of the hyperedge.
        hyperedge: usize,
        /// What was found.
        found: f64,
    },
    /// More vertices and hyperedges than 32-bit indices can name.
    #[error("{n_vertices} vertices and {n_hyperedges} hyperedges, but at most {} fit", u32::MAX)]
    TooLarge {
        /// Number of vertices.
        n_vertices: usize,
        /// Number of hyperedges.
        n_hyperedges: usize,
    },
    /// An expansion that is not offered.
    #[error("expansion `{found}`, expected one of {}", Expansion::NAMES.join(", "))]
    Expansion {
        /// The name given.
        found: String,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hodge::{Operators, Term, laplacian};
    use faer::Mat;

    fn sample() -> Hypergraph {
        let hyperedges = [vec![0, 1, 2], vec![3, 2], vec![4], vec![1, 2, 3, 0], vec![]];
        Hypergraph::new(6, &hyperedges, Some(vec![1.0, 2.5, 0.5, 3.0, 1.0])).unwrap()
    }

    fn laplacian_of(expanded: &Expanded, k: usize) -> Mat<f64> {
        let weights = expanded.weights.clone().unwrap_or_default();
        laplacian(&Operators::weighted(&expanded.complex, &weights).unwrap(), k, Term::Both)
    }

    fn assert_equal(found: &Mat<f64>, expected: impl Fn(usize, usize) -> f64) {
        for i in 0..found.nrows() {
            for j in 0..found.ncols() {
                let (f, e) = (found[(i, j)], expected(i, j));
                assert!((f - e).abs() < 1e-13, "({i}, {j}): {f} {e}");
            }
        }
    }

    /// `I − D_v^{−1/2} H W D_e^{−1} Hᵀ D_v^{−1/2}`, written out.
    #[test]
    fn zhous_laplacian_is_a_weighted_boundary_operator() {
        let hypergraph = sample();
        let degrees = hypergraph.degrees();
        let h = hypergraph.incidence().to_dense();
        let theta = |u: usize, v: usize| -> f64 {
            let shared = |e: usize| h[(u, e)] * hypergraph.weight(e) * h[(v, e)];
            let filled = (0..5).filter(|&e| !hypergraph.hyperedge(e).is_empty());
            filled.map(|e| shared(e) / hypergraph.hyperedge(e).len() as f64).sum::<f64>()
                / (degrees[u] * degrees[v]).sqrt()
        };
        assert_equal(&laplacian_of(&hypergraph.expand(Expansion::Zhou), 0), |u, v| match (u, v) {
            (5, _) | (_, 5) => 0.0, // in no hyperedge
            _ => f64::from(u8::from(u == v)) - theta(u, v),
        });
    }

    #[test]
    fn the_incidence_pair_has_two_gram_matrices() {
        let plain = Hypergraph::new(4, &[vec![0, 1, 2], vec![2, 3]], None).unwrap();
        let expanded = plain.expand(Expansion::Incidence);
        let h = plain.incidence().to_dense();
        assert_equal(&laplacian_of(&expanded, 0), |i, j| (0..2).map(|e| h[(i, e)] * h[(j, e)]).sum());
        assert_equal(&laplacian_of(&expanded, 1), |i, j| (0..4).map(|v| h[(v, i)] * h[(v, j)]).sum());
    }

    #[test]
    fn pairs_know_their_hyperedges_and_weights_follow_the_choice() {
        let pairs = sample().pairs();
        assert_eq!(pairs.ends(), [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]);
        assert_eq!((pairs.hyperedges(0), pairs.hyperedges(5)), (&[0, 3][..], &[1, 3][..]));
        let weights = |choice| {
            let expanded = sample().expand(Expansion::Clique(choice));
            expanded.weights.map(|w| w.of_dim(1).unwrap().to_vec())
        };
        assert_eq!(weights(CliqueWeight::Shared), Some(vec![4.0, 4.0, 3.0, 4.0, 3.0, 5.5]));
        assert_eq!(weights(CliqueWeight::Normalized), Some(vec![1.5, 1.5, 1.0, 1.5, 1.0, 3.5]));
        assert_eq!(weights(CliqueWeight::Unit), None);
    }

    #[test]
    fn the_star_has_an_edge_for_each_incidence() {
        let Expanded { complex, weights } = sample().expand(Expansion::Star);
        assert_eq!((complex.n_cells(0), complex.n_cells(1)), (11, 10));
        assert_eq!(complex.edge(3), Some([2, 7]));
        assert_eq!(weights.unwrap().of_dim(1).unwrap()[3], 2.5);
    }

    #[test]
    fn what_is_wrong_is_named() {
        let message =
            |edges: &[Vec<u32>], weights| Hypergraph::new(3, edges, weights).unwrap_err().to_string();
        assert_eq!(
            message(&[vec![0, 1], vec![1, 3]], None),
            "hyperedge 1 names vertex 3, but the hypergraph has 3 vertices"
        );
        assert_eq!(message(&[vec![1, 0, 1]], None), "vertex 1 appears twice in hyperedge 0");
        assert_eq!(message(&[vec![0]], Some(vec![])), "0 weights, but the hypergraph has 1 hyperedges");
        assert_eq!(
            message(&[vec![0], vec![1]], Some(vec![1.0, -1.0])),
            "weight of hyperedge 1 is -1, expected a positive finite number"
        );
        for name in Expansion::NAMES {
            assert_eq!(name.parse::<Expansion>().unwrap().to_string(), name);
        }
        assert_eq!(
            "cliques".parse::<Expansion>().unwrap_err().to_string(),
            "expansion `cliques`, expected one of zhou, clique, clique-normalized, clique-unit, star, incidence"
        );
    }
}
