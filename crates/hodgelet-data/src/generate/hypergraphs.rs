//! `hypergraphs`: classes that differ in hyperedges, but not in which vertices share how many of them.

use super::error::{GenerateError, check_count, check_count_range};
use super::{MAX_ITEMS, item_rng};
use hodgelet::complex::{Expansion, Hypergraph};
use hodgelet::dataset::{Dataset, HypergraphDataset, Targets};
use rand::seq::SliceRandom;
use rand::{Rng, RngExt};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Settings of `hypergraphs`, not yet validated.
///
/// Each item has groups of four vertices. A group holds either its four triples, or the group itself twice; both put
/// every pair of its vertices into two hyperedges. So the clique expansion, with the number of shared hyperedges as
/// weights, has the same distribution in both classes, and says nothing. The class is which kind of group prevails.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HypergraphsParams {
    /// Number of hypergraphs.
    pub n_graphs: usize,
    /// Smallest and largest number of vertices, both included.
    pub n_vertices: (usize, usize),
    /// Smallest and largest number of groups, both included.
    pub n_groups: (usize, usize),
    /// Share of the prevailing kind of group.
    pub share: f64,
    /// Which complex represents a hypergraph.
    pub expansion: Expansion,
}

impl Default for HypergraphsParams {
    fn default() -> Self {
        Self {
            n_graphs: 200,
            n_vertices: (15, 25),
            n_groups: (8, 14),
            share: 0.8,
            expansion: Expansion::Zhou,
        }
    }
}

impl HypergraphsParams {
    /// The settings a dataset can be drawn from, or the first one that is invalid.
    ///
    /// # Errors
    ///
    /// [`GenerateError`] when a count or number is out of range.
    pub fn check(self) -> Result<CheckedHypergraphs, GenerateError> {
        check_count("n_graphs", self.n_graphs, (0, MAX_ITEMS))?;
        check_count_range("n_vertices", self.n_vertices, (4, 100_000))?;
        check_count_range("n_groups", self.n_groups, (1, 100_000))?;
        if !(0.5..=1.0).contains(&self.share) {
            return Err(GenerateError::Real { name: "share", found: self.share, expected: "0.5 to 1" });
        }
        Ok(CheckedHypergraphs(self))
    }
}

/// Valid settings; only [`HypergraphsParams::check`] makes them.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedHypergraphs(HypergraphsParams);

impl CheckedHypergraphs {
    /// The hypergraphs, without columns, with the classes `triples` and `quads` in turn.
    #[must_use]
    pub fn hypergraphs(&self, seed: u64) -> HypergraphDataset {
        let items = (0..self.0.n_graphs).into_par_iter();
        let hypergraphs = items.map(|i| self.hypergraph(i % 2 == 1, &mut item_rng(seed, i))).collect();
        let labels = (0..self.0.n_graphs).map(|i| (i % 2) as u32).collect();
        let targets = Targets::Classes { names: vec!["triples".to_owned(), "quads".to_owned()], labels };
        HypergraphDataset { name: "hypergraphs".to_owned(), hypergraphs, columns: Vec::new(), targets }
    }

    /// The dataset of their expansions.
    #[must_use]
    pub fn generate(&self, seed: u64) -> Dataset {
        self.hypergraphs(seed)
            .expand(self.0.expansion)
            .expect("hyperedges are small and there are no columns")
    }

    fn hypergraph(&self, quads: bool, rng: &mut impl Rng) -> Hypergraph {
        let n = rng.random_range(self.0.n_vertices.0..=self.0.n_vertices.1);
        let n_groups = rng.random_range(self.0.n_groups.0..=self.0.n_groups.1);
        let mut hyperedges: Vec<Vec<u32>> = Vec::new();
        for _ in 0..n_groups {
            let mut group: Vec<u32> = Vec::new();
            while group.len() < 4 {
                let vertex = rng.random_range(0..n as u32);
                if !group.contains(&vertex) {
                    group.push(vertex);
                }
            }
            let prevails = rng.random::<f64>() < self.0.share;
            if prevails == quads {
                hyperedges.extend([group.clone(), group]);
            } else {
                hyperedges.extend((0..4).map(|out| (0..4).filter(|&i| i != out).map(|i| group[i]).collect()));
            }
        }
        hyperedges.shuffle(rng);
        Hypergraph::new(n, &hyperedges, None).expect("groups are distinct vertices")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hodgelet::complex::CliqueWeight;

    #[test]
    fn both_kinds_of_group_have_the_same_clique_expansion() {
        let triples = [vec![0, 1, 2], vec![0, 1, 3], vec![0, 2, 3], vec![1, 2, 3]];
        let quads = [vec![0, 1, 2, 3], vec![0, 1, 2, 3]];
        let [a, b] = [&triples[..], &quads[..]].map(|edges| Hypergraph::new(4, edges, None).unwrap());
        let clique = Expansion::Clique(CliqueWeight::Shared);
        assert_eq!(a.expand(clique), b.expand(clique));
        for other in [Expansion::Zhou, Expansion::Star, Expansion::Incidence] {
            assert_ne!(a.expand(other), b.expand(other), "{other}");
        }
    }

    #[test]
    fn the_class_is_the_kind_of_group_that_prevails() {
        let params = HypergraphsParams { n_graphs: 40, share: 1.0, ..HypergraphsParams::default() };
        let data = params.check().unwrap().hypergraphs(3);
        for (i, hypergraph) in data.hypergraphs.iter().enumerate() {
            let size = 3 + i % 2;
            assert!((0..hypergraph.n_hyperedges()).all(|e| hypergraph.hyperedge(e).len() == size));
        }
    }

    #[test]
    fn settings_at_fault_are_named() {
        let params = HypergraphsParams { share: 0.2, ..HypergraphsParams::default() };
        assert_eq!(params.check().unwrap_err().to_string(), "share is 0.2, expected 0.5 to 1");
    }
}
