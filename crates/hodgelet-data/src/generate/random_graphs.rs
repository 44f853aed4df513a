//! Graphs whose edges are drawn independently.

use rand::{Rng, RngExt};

/// Each pair of vertices below `n_vertices`, lower first, joined with its own probability.
pub(super) fn independent_edges(
    n_vertices: usize,
    probability: impl Fn(usize, usize) -> f64,
    rng: &mut impl Rng,
) -> Vec<[u32; 2]> {
    let pairs = (0..n_vertices).flat_map(|a| (a + 1..n_vertices).map(move |b| (a, b)));
    pairs
        .filter(|&(a, b)| rng.random::<f64>() < probability(a, b))
        .map(|(a, b)| [a as u32, b as u32])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::item_rng;

    #[test]
    fn sure_edges_are_all_there_and_impossible_ones_are_not() {
        let mut rng = item_rng(0, 0);
        assert_eq!(independent_edges(10, |_, _| 1.0, &mut rng).len(), 45);
        assert!(independent_edges(10, |_, _| 0.0, &mut rng).is_empty());
    }

    #[test]
    fn edges_come_with_their_probability() {
        let edges = independent_edges(200, |_, _| 0.3, &mut item_rng(1, 0)).len() as f64;
        let (mean, deviation) = (0.3 * 19_900.0, (19_900.0f64 * 0.21).sqrt());
        assert!((edges - mean).abs() < 4.0 * deviation, "{edges}");
    }
}
