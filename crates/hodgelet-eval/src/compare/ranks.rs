//! The Wilcoxon signed-rank test.

use hodgelet::likelihood::normal;

/// Up to this many differences the distribution is computed exactly, in about `n³` operations.
const EXACT: usize = 200;

/// Two-sided p of the signed-rank test on differences that are not 0; sizes closer than `tie` share their ranks.
///
/// The distribution is that of the ranks at hand, ties included, under random signs; beyond [`EXACT`] differences it is
/// the normal one with the same mean and variance.
pub(super) fn wilcoxon(differences: &[f64], tie: f64) -> f64 {
    let n = differences.len();
    if n == 0 {
        return 1.0;
    }
    let ranks = doubled_ranks(differences, tie);
    let positive: usize = differences.iter().zip(&ranks).filter(|(d, _)| **d > 0.0).map(|(_, r)| r).sum();
    let all: usize = ranks.iter().sum();
    let fewer = positive.min(all - positive);
    let tail = if n <= EXACT { exact_tail(&ranks, fewer) } else { normal_tail(&ranks, fewer) };
    (2.0 * tail).min(1.0)
}

/// Twice the rank of each size, from 1: ties share the mean of their ranks, which may end in a half.
fn doubled_ranks(differences: &[f64], tie: f64) -> Vec<usize> {
    let n = differences.len();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| differences[a].abs().total_cmp(&differences[b].abs()));
    let mut ranks = vec![0; n];
    let mut start = 0;
    while start < n {
        let smallest = differences[order[start]].abs();
        let same = |&&i: &&usize| differences[i].abs() - smallest <= tie;
        let end = start + order[start..].iter().take_while(same).count();
        // ranks start + 1 to end have the mean (start + 1 + end) / 2
        order[start..end].iter().for_each(|&i| ranks[i] = start + 1 + end);
        start = end;
    }
    ranks
}

/// `P(W ≤ w)` when each rank is in the sum with probability ½.
fn exact_tail(ranks: &[usize], w: usize) -> f64 {
    let mut probabilities = vec![0.0; w + 1];
    probabilities[0] = 1.0;
    for &rank in ranks {
        for sum in (0..=w).rev() {
            let with = if sum >= rank { probabilities[sum - rank] } else { 0.0 };
            probabilities[sum] = 0.5 * (probabilities[sum] + with);
        }
    }
    probabilities.iter().sum()
}

fn normal_tail(ranks: &[usize], w: usize) -> f64 {
    let mean = 0.5 * ranks.iter().sum::<usize>() as f64;
    let variance = 0.25 * ranks.iter().map(|&r| (r * r) as f64).sum::<f64>();
    normal::cdf((w as f64 - mean) / variance.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_share_the_mean_of_their_ranks() {
        assert_eq!(doubled_ranks(&[0.5, -0.1, 0.1, 0.3], 0.0), [8, 3, 3, 6]);
        assert_eq!(doubled_ranks(&[1.0, 1.0 + 1e-12, -1.0], 1e-10), [4, 4, 4]);
    }

    #[test]
    fn small_cases_are_counted_by_hand() {
        assert_eq!(wilcoxon(&[], 0.0), 1.0);
        assert_eq!(wilcoxon(&[0.2], 0.0), 1.0);
        // ranks 1, 2, 3, all positive: 1 of 8 sign patterns on each side
        assert_eq!(wilcoxon(&[0.1, 0.2, 0.3], 0.0), 0.25);
        // W = 1: patterns {} and {1} of 8
        assert_eq!(wilcoxon(&[-0.1, 0.2, 0.3], 0.0), 0.5);
    }

    #[test]
    fn the_normal_tail_is_near_the_exact_one() {
        let differences: Vec<f64> =
            (1..=150).map(|i| f64::from(i) * if i % 3 == 0 { -1.0 } else { 1.0 }).collect();
        let ranks = doubled_ranks(&differences, 0.0);
        for w in [4000, 6000, 8000] {
            let (exact, normal) = (exact_tail(&ranks, w), normal_tail(&ranks, w));
            assert!((exact - normal).abs() < 2e-3, "{w}: {exact}, {normal}");
        }
    }
}
