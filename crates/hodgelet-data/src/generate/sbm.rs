//! `sbm`: stochastic block models with two or three blocks.

use super::error::{GenerateError, check_count, check_count_range, check_probability};
use super::random_graphs::independent_edges;
use super::{MAX_ITEMS, dataset, item_rng};
use hodgelet::complex::Complex;
use hodgelet::dataset::Dataset;
use rand::{Rng, RngExt};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Settings of `sbm`, not yet validated.
///
/// The vertices of each graph fall into two or three blocks, the class, of sizes as equal as can be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SbmParams {
    /// Number of graphs.
    pub n_graphs: usize,
    /// Smallest and largest number of vertices, both included.
    pub n_vertices: (usize, usize),
    /// Probability of an edge within a block.
    pub p_within: f64,
    /// Probability of an edge between two blocks.
    pub p_between: f64,
}

impl Default for SbmParams {
    fn default() -> Self {
        Self { n_graphs: 200, n_vertices: (10, 29), p_within: 0.8, p_between: 0.1 }
    }
}

impl SbmParams {
    /// The settings a dataset can be drawn from, or the first one that is invalid.
    ///
    /// # Errors
    ///
    /// [`GenerateError`] when a count, range or probability is out of range.
    pub fn check(self) -> Result<CheckedSbm, GenerateError> {
        check_count("n_graphs", self.n_graphs, (0, MAX_ITEMS))?;
        check_count_range("n_vertices", self.n_vertices, (3, 10_000))?;
        check_probability("p_within", self.p_within)?;
        check_probability("p_between", self.p_between)?;
        Ok(CheckedSbm(self))
    }
}

/// Valid settings; only [`SbmParams::check`] makes them.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedSbm(SbmParams);

impl CheckedSbm {
    /// The dataset, with classes `two-blocks` and `three-blocks` in turn and no columns.
    #[must_use]
    pub fn generate(&self, seed: u64) -> Dataset {
        let graphs = (0..self.0.n_graphs).into_par_iter();
        let complexes = graphs.map(|i| self.graph(2 + i % 2, &mut item_rng(seed, i))).collect();
        dataset("sbm", complexes, &["two-blocks", "three-blocks"])
    }

    fn graph(&self, n_blocks: usize, rng: &mut impl Rng) -> Complex {
        let n = rng.random_range(self.0.n_vertices.0..=self.0.n_vertices.1);
        let block = |v: usize| v * n_blocks / n;
        let probability = |a, b| if block(a) == block(b) { self.0.p_within } else { self.0.p_between };
        let edges = independent_edges(n, probability, rng);
        Complex::graph(n, &edges).expect("each pair of vertices appears once, lower first")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certain_blocks_are_the_components() {
        let params = SbmParams { p_within: 1.0, p_between: 0.0, ..Default::default() };
        let data = params.check().unwrap().generate(5);
        for (i, graph) in data.complexes().iter().enumerate() {
            let (component, count) = graph.connected_components();
            assert_eq!(count, 2 + i % 2);
            let size = |c| component.iter().filter(|&&x| x as usize == c).count();
            let sizes: Vec<usize> = (0..count).map(size).collect();
            assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1, "{sizes:?}");
        }
    }

    #[test]
    fn defaults_follow_the_reference() {
        let data = SbmParams::default().check().unwrap().generate(0);
        assert_eq!(data.len(), 200);
        assert!(data.complexes().iter().all(|c| (10..30).contains(&c.n_cells(0))));
    }
}
