//! Refined labels as points: roots of masses, each depth in a unit of its own.
//!
//! With `s_ta = √mass` of label `a` at depth `t`, the squared distance of two complexes is `D = Σ_t ‖s_t − s'_t‖² / median_t`,
//! where `median_t` is that of the distances between training complexes that differ. It is the distance of rows with entries
//! `s_ta / √median_t`.

use super::BlockMeasures;
use crate::kernel::{RowProduct, SparseRows};
use crate::measure::LabelMeasure;

/// Training complexes of which all pairs give the unit of a depth, and the size of the sample of pairs of more.
const ALL: usize = 300;
const PAIRS: usize = 4000;

/// Squared distances up to this are rounding.
const EQUAL: f64 = 1e-9;

/// What the squared distances at each depth are multiplied by.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelWeights(Vec<f64>);

impl LabelWeights {
    /// Fitted to the labels of the training complexes: one over the median of the distances that are not 0, in a sample of
    /// pairs that is the same for the same number of complexes. A depth at which no two complexes differ weighs nothing.
    #[must_use]
    pub fn fit(training: &BlockMeasures) -> Self {
        let labels = training.labels();
        let n_depths = labels.iter().map(LabelMeasure::n_depths).max().unwrap_or(0);
        let pairs = pairs(labels.len());
        let weight = |t: usize| {
            let distance = |&(i, j): &(usize, usize)| squared_distance(&labels[i], &labels[j], t);
            let mut found: Vec<f64> = pairs.iter().map(distance).filter(|&d| d > EQUAL).collect();
            found.sort_unstable_by(f64::total_cmp);
            found.get(found.len() / 2).map_or(0.0, |median| 1.0 / median)
        };
        Self((0..n_depths).map(weight).collect())
    }

    /// From their values, if these are such as [`fit`](Self::fit) finds.
    #[must_use]
    pub fn new(weights: Vec<f64>) -> Option<Self> {
        weights.iter().all(|w| (0.0..1e12).contains(w)).then_some(Self(weights))
    }

    /// One for each depth.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.0
    }

    /// Depths at which complexes differ.
    #[must_use]
    pub fn n_live(&self) -> usize {
        self.0.iter().filter(|&&weight| weight > 0.0).count()
    }

    /// The rows of complexes.
    #[must_use]
    pub fn rows(&self, measures: &BlockMeasures) -> SparseRows {
        let mut rows = SparseRows::new(RowProduct::Inner);
        for own in measures.labels() {
            let depths = self.0.iter().enumerate().take(own.n_depths()).filter(|(_, weight)| **weight > 0.0);
            let mut entries: Vec<(u64, f64)> = depths
                .flat_map(|(t, weight)| own.depth(t).map(move |(id, mass)| (id, (mass * weight).sqrt())))
                .collect();
            entries.sort_unstable_by_key(|entry| entry.0);
            // Depths do not share identifiers, but for the odd hash.
            entries.dedup_by_key(|entry| entry.0);
            rows.push(entries);
        }
        rows
    }
}

/// All pairs of `n` complexes, or a sample of them.
fn pairs(n: usize) -> Vec<(usize, usize)> {
    if n <= ALL {
        return (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).collect();
    }
    let mut state = n as u64;
    let mut draw = || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut x = state;
        x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((x ^ (x >> 31)) % n as u64) as usize
    };
    (0..PAIRS).map(|_| (draw(), draw())).filter(|(i, j)| i != j).collect()
}

/// `‖√m − √m'‖²` over the labels of depth `t`.
fn squared_distance(a: &LabelMeasure, b: &LabelMeasure, t: usize) -> f64 {
    if t >= a.n_depths() || t >= b.n_depths() {
        return 0.0;
    }
    let mut other = b.depth(t).peekable();
    let mut common = 0.0;
    for (id, mass) in a.depth(t) {
        while other.next_if(|next| next.0 < id).is_some() {}
        if let Some((_, theirs)) = other.next_if(|next| next.0 == id) {
            common += (mass * theirs).sqrt();
        }
    }
    a.total(t) + b.total(t) - 2.0 * common
}

#[cfg(test)]
mod tests {
    use super::*;
    use faer::Par;

    /// Identifiers and masses at two depths.
    fn labels(depths: [&[(u64, f64)]; 2]) -> LabelMeasure {
        let ends = [0, depths[0].len() as u32, (depths[0].len() + depths[1].len()) as u32];
        let (ids, masses) = depths.concat().into_iter().unzip();
        LabelMeasure::from_parts(ends.to_vec(), ids, masses).unwrap()
    }

    #[test]
    fn distances_are_those_of_roots_of_masses_in_units_of_their_median() {
        let measures = BlockMeasures::of_labels(vec![
            labels([&[(1, 4.0), (2, 1.0)], &[(11, 1.0)]]),
            labels([&[(2, 9.0), (3, 4.0)], &[(11, 1.0)]]),
            labels([&[(1, 1.0), (2, 1.0)], &[(12, 4.0)]]),
        ]);
        let weights = LabelWeights::fit(&measures);
        // Roots (2, 1, 0), (0, 3, 2) and (1, 1, 0) are 12, 1 and 9 apart; at the second depth 0, 5 and 5.
        assert_eq!(weights.values(), [1.0 / 9.0, 1.0 / 5.0]);
        assert_eq!(weights.n_live(), 2);
        let found = weights.rows(&measures).squared_distances(Par::Seq);
        for (i, j, expected) in [(1, 0, 12.0 / 9.0), (2, 0, 1.0 / 9.0 + 1.0), (2, 1, 1.0 + 1.0)] {
            assert!((found[(i, j)] - expected).abs() < 1e-12, "{i} {j}: {}", found[(i, j)]);
        }
        // What no training complex differs in weighs nothing, also where a new one does.
        let equal = LabelWeights::fit(&measures.select(&[0, 0]));
        assert_eq!((equal.values(), equal.n_live()), (&[0.0, 0.0][..], 0));
        assert_eq!(equal.rows(&measures).n_entries(), 0);
    }

    #[test]
    fn many_complexes_have_a_sample_of_pairs() {
        assert_eq!(pairs(3), [(1, 0), (2, 0), (2, 1)]);
        assert_eq!(pairs(ALL).len(), ALL * (ALL - 1) / 2);
        let some = pairs(ALL + 1);
        assert!(some.len() <= PAIRS && some.len() > PAIRS * 9 / 10);
        assert!(some.iter().all(|&(i, j)| i != j && i <= ALL && j <= ALL));
    }
}
