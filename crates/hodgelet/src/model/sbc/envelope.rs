//! Whether ranks are uniform: simultaneous envelopes of their empirical distribution function, after \[Sailynoja22\].
//!
//! Of `N` uniform ranks among `L` draws, the number of ranks below `i` is binomial with `N` trials and share `i / (L + 1)`. The
//! statistic is the smallest tail probability over all `i`; how small it gets by chance is found by simulation, because the
//! counts at different `i` depend on each other.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Simulated sets of uniform ranks.
const SIMULATIONS: usize = 4000;

/// What uniform ranks look like, for a number of ranks and of draws.
pub struct Envelope {
    n_ranks: usize,
    n_draws: usize,
    tails: Vec<Vec<f64>>, // [n_draws, n_ranks + 1]: the smaller tail of each count, doubled
    by_chance: Vec<f64>,  // the statistic of uniform ranks, ascending
}

impl Envelope {
    pub fn new(n_ranks: usize, n_draws: usize) -> Self {
        let tails = (1..=n_draws).map(|i| doubled_tails(n_ranks, i as f64 / (n_draws + 1) as f64)).collect();
        let mut envelope = Self { n_ranks, n_draws, tails, by_chance: Vec::new() };
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        let mut uniform = || (0..n_ranks).map(|_| rng.random_range(0..=n_draws)).collect::<Vec<usize>>();
        envelope.by_chance = (0..SIMULATIONS).map(|_| envelope.statistic(&uniform())).collect();
        envelope.by_chance.sort_by(f64::total_cmp);
        envelope
    }

    /// The smallest tail probability of the empirical distribution function.
    fn statistic(&self, ranks: &[usize]) -> f64 {
        let mut counts = vec![0; self.n_draws + 1];
        ranks.iter().for_each(|&rank| counts[rank] += 1);
        let (mut below, mut smallest) = (0, 1.0f64);
        for (count, tails) in counts.iter().zip(&self.tails) {
            below += count;
            smallest = smallest.min(tails[below]);
        }
        smallest
    }

    /// The share of sets of uniform ranks whose distribution function strays as far as that of `ranks`.
    pub fn p_value(&self, ranks: &[usize]) -> f64 {
        assert_eq!(ranks.len(), self.n_ranks);
        let statistic = self.statistic(ranks);
        let as_far = self.by_chance.partition_point(|&chance| chance <= statistic);
        (as_far + 1) as f64 / (SIMULATIONS + 1) as f64
    }
}

/// `2 min(P(C ≤ c), P(C ≥ c))` for a binomial count `C` of `n` trials, for each `c`.
fn doubled_tails(n: usize, share: f64) -> Vec<f64> {
    // P(C = c) by its logarithm, from P(C = 0) on.
    let mut log = n as f64 * (-share).ln_1p();
    let mut masses = vec![log.exp()];
    for c in 1..=n {
        log += ((n - c + 1) as f64 / c as f64).ln() + share.ln() - (-share).ln_1p();
        masses.push(log.exp());
    }
    let mut below = 0.0;
    let lower: Vec<f64> = masses
        .iter()
        .map(|mass| {
            below += mass;
            below
        })
        .collect();
    let mut above = 0.0;
    let mut upper: Vec<f64> = masses
        .iter()
        .rev()
        .map(|mass| {
            above += mass;
            above
        })
        .collect();
    upper.reverse();
    lower.iter().zip(upper).map(|(l, u)| (2.0 * l.min(u)).min(1.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_distr::{Distribution, StandardNormal};

    /// Ranks of a true mean among draws of a posterior whose deviation is `factor` times the right one, and which is off by
    /// `shift` of these: of `N(μ, 1)` given one observation of unit noise.
    fn ranks(n_ranks: usize, n_draws: usize, factor: f64, shift: f64, seed: u64) -> Vec<usize> {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut normal = || -> f64 { StandardNormal.sample(&mut rng) };
        let mut one = || {
            let truth = normal();
            let (mean, deviation) = (0.5 * (truth + normal()), 0.5f64.sqrt());
            (0..n_draws).filter(|_| mean + deviation * (shift + factor * normal()) < truth).count()
        };
        (0..n_ranks).map(|_| one()).collect()
    }

    #[test]
    fn binomial_tails_are_those_of_two_coins() {
        let found = doubled_tails(2, 0.5);
        assert!(found.iter().zip([0.5, 1.0, 0.5]).all(|(f, e)| (f - e).abs() < 1e-15), "{found:?}");
        let found = doubled_tails(3, 0.25);
        assert!((found[3] - 2.0 / 64.0).abs() < 1e-15, "{found:?}");
    }

    /// The right posterior is rejected at 5% about one time in twenty.
    #[test]
    fn the_level_is_the_share_of_uniform_ranks_that_are_rejected() {
        let envelope = Envelope::new(100, 19);
        let rejected = (0..400).filter(|&s| envelope.p_value(&ranks(100, 19, 1.0, 0.0, s)) <= 0.05).count();
        // 20 are expected; a binomial count is within four standard deviations of that.
        assert!((3..=37).contains(&rejected), "{rejected} of 400");
    }

    #[test]
    fn wrong_posteriors_are_rejected() {
        let envelope = Envelope::new(100, 31);
        for (what, factor, shift) in
            [("overconfident", 0.5, 0.0), ("too wide", 2.0, 0.0), ("biased", 1.0, 0.7)]
        {
            for seed in 0..10 {
                let p = envelope.p_value(&ranks(100, 31, factor, shift, seed));
                assert!(p < 1e-3, "{what}, seed {seed}: p = {p}");
            }
        }
    }
}
