//! `ring-vs-clique`: a random graph with a ring or a clique attached.

use super::error::{GenerateError, check_count, check_count_range, check_probability};
use super::random_graphs::independent_edges;
use super::{MAX_ITEMS, dataset, item_rng};
use hodgelet::complex::Complex;
use hodgelet::dataset::Dataset;
use rand::{Rng, RngExt};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Settings of `ring-vs-clique`, not yet validated.
///
/// Each graph is an Erdős–Rényi graph joined by one edge to a ring or to a clique, the class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RingVsCliqueParams {
    /// Number of graphs.
    pub n_graphs: usize,
    /// Smallest and largest number of vertices of the random graph, both included.
    pub n_vertices: (usize, usize),
    /// Probability of each edge of the random graph.
    pub edge_probability: f64,
    /// Smallest and largest number of vertices of the ring or clique, both included.
    pub n_attached: (usize, usize),
}

impl Default for RingVsCliqueParams {
    fn default() -> Self {
        Self { n_graphs: 200, n_vertices: (10, 29), edge_probability: 0.3, n_attached: (5, 9) }
    }
}

impl RingVsCliqueParams {
    /// The settings a dataset can be drawn from, or the first one that is invalid.
    ///
    /// # Errors
    ///
    /// [`GenerateError`] when a count, range or probability is out of range. A ring of 3 is a clique, so at
    /// least 4 vertices are attached.
    pub fn check(self) -> Result<CheckedRingVsClique, GenerateError> {
        check_count("n_graphs", self.n_graphs, (0, MAX_ITEMS))?;
        check_count_range("n_vertices", self.n_vertices, (1, 10_000))?;
        check_probability("edge_probability", self.edge_probability)?;
        check_count_range("n_attached", self.n_attached, (4, 10_000))?;
        Ok(CheckedRingVsClique(self))
    }
}

/// Valid settings; only [`RingVsCliqueParams::check`] makes them.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedRingVsClique(RingVsCliqueParams);

impl CheckedRingVsClique {
    /// The dataset, with classes `ring` and `clique` in turn and no columns.
    #[must_use]
    pub fn generate(&self, seed: u64) -> Dataset {
        let graphs = (0..self.0.n_graphs).into_par_iter();
        let complexes = graphs.map(|i| self.graph(i % 2 == 1, &mut item_rng(seed, i))).collect();
        dataset("ring-vs-clique", complexes, &["ring", "clique"])
    }

    fn graph(&self, clique: bool, rng: &mut impl Rng) -> Complex {
        let n = rng.random_range(self.0.n_vertices.0..=self.0.n_vertices.1);
        let attached = rng.random_range(self.0.n_attached.0..=self.0.n_attached.1);
        let mut edges = independent_edges(n, |_, _| self.0.edge_probability, rng);
        let (from, to) = (rng.random_range(0..n), n + rng.random_range(0..attached));
        edges.push([from as u32, to as u32]);
        let pairs = (0..attached).flat_map(|a| (a + 1..attached).map(move |b| (a, b)));
        let joined = pairs.filter(|&(a, b)| clique || b == a + 1 || (a, b) == (0, attached - 1));
        edges.extend(joined.map(|(a, b)| [(n + a) as u32, (n + b) as u32]));
        edges.sort_unstable();
        Complex::graph(n + attached, &edges).expect("each pair of vertices appears once, lower first")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_vertices_form_a_ring_or_a_clique_hung_on_one_edge() {
        // Without random edges the rest are isolated vertices, but for the one that holds the ring or clique.
        let params = RingVsCliqueParams { edge_probability: 0.0, n_attached: (6, 6), ..Default::default() };
        let data = params.check().unwrap().generate(3);
        for (i, graph) in data.complexes().iter().enumerate() {
            assert_eq!(graph.n_cells(1), if i % 2 == 0 { 6 + 1 } else { 15 + 1 });
            let mut degrees = graph.degrees();
            degrees.sort_unstable_by(|a, b| b.cmp(a));
            let d = if i % 2 == 0 { 2 } else { 5 };
            assert_eq!(degrees[..8], [d + 1, d, d, d, d, d, 1, 0]);
            assert_eq!(graph.connected_components().1, graph.n_cells(0) - 6);
        }
    }

    #[test]
    fn defaults_follow_the_reference() {
        let data = RingVsCliqueParams::default().check().unwrap().generate(0);
        assert_eq!(data.len(), 200);
        let sizes: Vec<usize> = data.complexes().iter().map(|c| c.n_cells(0)).collect();
        assert!(sizes.iter().all(|n| (15..=38).contains(n)));
        assert!(sizes.iter().min() < Some(&18) && sizes.iter().max() > Some(&35));
    }

    #[test]
    fn settings_that_make_no_sense_are_refused() {
        let message = |p: RingVsCliqueParams| p.check().unwrap_err().to_string();
        let base = RingVsCliqueParams::default;
        assert_eq!(
            message(RingVsCliqueParams { n_vertices: (9, 8), ..base() }),
            "n_vertices is 9..8, expected 1 <= first <= last <= 10000"
        );
        assert_eq!(
            message(RingVsCliqueParams { edge_probability: f64::NAN, ..base() }),
            "edge_probability is NaN, expected a probability, 0 to 1"
        );
        assert_eq!(
            message(RingVsCliqueParams { n_graphs: usize::MAX, ..base() }),
            "n_graphs is 18446744073709551615, expected 0 to 10000000"
        );
    }
}
