//! The rules of conformal prediction, on scores alone.
//!
//! A score says how badly a target agrees with a prediction. Of `n` held-out targets and a new one, all exchangeable, the
//! score of the new one is at most the `r`-th smallest of the others, `r = ⌈(1 - α)(n + 1)⌉`, with probability at least
//! 1 - α. Where `r > n` no finite bound has this property, and everything is in the region.
//!
//! # References
//!
//! Split conformal prediction: \[Lei18\]; cross-validation+ for numbers: \[Barber21\], Theorems 1 and 4; for classes:
//! \[Romano20\], Theorem 3; means of p-values: \[Vovk20\].

/// Relative rounding of `(1 - α)(n + 1)`, which is a whole number for the levels that people ask for.
const ROUNDING: f64 = 1e-12;

/// `⌈level (n + 1)⌉`, the place of the bound among `n` sorted scores, from 1; none if it would be beyond the last.
pub(super) fn rank(level: f64, n: usize) -> Option<usize> {
    let place = (level * (n as f64 + 1.0) * (1.0 - ROUNDING)).ceil();
    (place <= n as f64).then_some((place as usize).max(1))
}

/// Fewest held-out targets that bound a region of this level.
pub(super) fn fewest(level: f64) -> usize {
    ((level / (1.0 - level)) * (1.0 - ROUNDING)).ceil() as usize
}

/// The bound of split conformal prediction: infinite if there are too few `scores`.
pub(super) fn threshold(level: f64, scores: impl Iterator<Item = f64>) -> f64 {
    let mut scores: Vec<f64> = scores.collect();
    rank(level, scores.len()).map_or(f64::INFINITY, |r| nth_smallest(&mut scores, r))
}

/// Whether a target is in the region of cross-validation+: `pairs` are the score of each held-out target, and that of the
/// new one by the model that did not see the held-out one.
pub(super) fn is_held(level: f64, pairs: impl ExactSizeIterator<Item = (f64, f64)>) -> bool {
    let bound = rank(level, pairs.len());
    let worse = pairs.filter(|(held, new)| new > held).count();
    bound.is_none_or(|r| worse < r)
}

/// The interval of cross-validation+: `bounds` are, for each held-out number, how far a new number may lie on both sides
/// by the model that did not see the held-out one. It contains every number that [`is_held`] does.
pub(super) fn interval(level: f64, bounds: &[(f64, f64)]) -> (f64, f64) {
    let Some(r) = rank(level, bounds.len()) else { return (f64::NEG_INFINITY, f64::INFINITY) };
    let mut lower: Vec<f64> = bounds.iter().map(|(low, _)| -low).collect();
    let mut upper: Vec<f64> = bounds.iter().map(|(_, high)| *high).collect();
    let (low, high) = (-nth_smallest(&mut lower, r), nth_smallest(&mut upper, r));
    // Below a level of a half the ends can cross; what lies between them stays.
    (low.min(high), low.max(high))
}

/// The coverage that is proven for cross-validation+ of `n` held-out targets in `folds` parts whose sizes differ by one at
/// most.
///
/// Each part alone gives a p-value `p_k = (1 + #{R_i ≥ s}) / (n_k + 1)`, and a target is left out if no more than `n - r` of
/// all scores reach its own, that is if the mean of the `p_k`, weighted by `n_k + 1`, is at most `(n + K - r) / (n + K)`.
/// That mean is `a` or less with probability `2a` at most, because `1{p ≤ a} ≤ max(0, 2 - p/a)`, which is convex, and
/// `E max(0, 2 - p_k/a) ≤ 2a`. Parts of one size have the bound of \[Barber21\], too, which for
/// parts of one target (the jackknife+) is 1 - 2α.
pub(super) fn proven(level: f64, n: usize, folds: usize) -> f64 {
    let Some(r) = rank(level, n) else { return level };
    let (count, parts) = (n as f64, folds as f64);
    let by_mean = 1.0 - 2.0 * (count + parts - r as f64) / (count + parts);
    let by_tournament = 1.0 - 2.0 * (1.0 - level) - (1.0 - parts / count) / (parts + 1.0);
    let best = if n.is_multiple_of(folds.max(1)) { by_mean.max(by_tournament) } else { by_mean };
    best.clamp(0.0, level)
}

fn nth_smallest(values: &mut [f64], place: usize) -> f64 {
    *values.select_nth_unstable_by(place - 1, f64::total_cmp).1
}

#[cfg(test)]
mod tests;
