use super::*;
use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

fn normal(rng: &mut ChaCha8Rng) -> f64 {
    StandardNormal.sample(rng)
}

#[test]
fn ranks_are_whole_where_levels_are() {
    for (level, n, expected) in [
        (0.9, 8, None),
        (0.9, 9, Some(9)),
        (0.9, 99, Some(90)),
        (0.9, 109, Some(99)), // 0.9 * 110 is rounded up
        (0.95, 18, None),
        (0.95, 19, Some(19)),
        (0.5, 1, Some(1)),
        (0.01, 10, Some(1)),
        (0.7, 9, Some(7)),
        (0.5, 0, None),
    ] {
        assert_eq!(rank(level, n), expected, "{level} of {n}");
    }
}

proptest! {
    #[test]
    fn the_fewest_scores_are_just_enough(level in 0.001f64..0.999) {
        let n = fewest(level);
        prop_assert!(rank(level, n).is_some());
        prop_assert!(n == 0 || rank(level, n - 1).is_none());
    }

    #[test]
    fn a_threshold_does_not_depend_on_the_order(mut scores in prop::collection::vec(0.0f64..1.0, 1..60), level in 0.05f64..0.95) {
        let first = threshold(level, scores.iter().copied());
        scores.reverse();
        prop_assert_eq!(first, threshold(level, scores.iter().copied()));
        let below = scores.iter().filter(|&&score| score <= first).count() as f64;
        prop_assert!(first == f64::INFINITY || below >= level * (scores.len() as f64 + 1.0) - 1e-9);
    }

    /// The interval contains every number that is in the region by its score.
    #[test]
    fn an_interval_holds_what_scores_hold(
        parts in prop::collection::vec((-1.0f64..1.0, 0.5f64..2.0), 5),
        held in prop::collection::vec((0usize..5, 0.0f64..3.0), 1..40),
        level in 0.5f64..0.95,
        y in -5.0f64..5.0,
    ) {
        let bounds: Vec<_> = held.iter().map(|&(k, s)| (parts[k].0 - s * parts[k].1, parts[k].0 + s * parts[k].1)).collect();
        let pairs: Vec<_> = held.iter().map(|&(k, s)| (s, (y - parts[k].0).abs() / parts[k].1)).collect();
        let (low, high) = interval(level, &bounds);
        prop_assert!(!is_held(level, pairs.into_iter()) || (low <= y && y <= high));
    }

    #[test]
    fn what_is_proven_lies_between_one_less_four_alpha_and_the_level(n in 20usize..500, folds in 2usize..20, level in 0.5f64..0.99) {
        let found = proven(level, n, folds);
        prop_assert!((0.0..=level).contains(&found));
        let loss = 2.0 * (folds as f64 - 1.0) / (n + folds) as f64;
        prop_assert!(found >= 1.0 - 2.0 * (1.0 - level) - loss - 1e-12 || rank(level, n).is_none());
    }
}

#[test]
fn the_jackknife_plus_has_its_theorem() {
    for n in [20, 57, 300] {
        assert!((proven(0.9, n, n) - 0.8).abs() < 1e-12);
    }
    // Theorem 4 of [Barber21] for 100 numbers in 5 parts: 2 (1 - 1/5) / (20 + 1) is less than (1 - 5/100) / (5 + 1).
    assert!(proven(0.9, 100, 5) >= 0.8 - 1.6 / 21.0);
    assert!(proven(0.9, 100, 5) < 0.8);
}

/// With exchangeable continuous scores the coverage given the held-out ones follows Beta(r, n + 1 - r), and the number of
/// new targets held the Beta-binomial law.
#[test]
fn the_coverage_of_a_threshold_follows_its_beta_law() {
    let (repeats, new) = (4000, 50);
    for (seed, (n, level)) in
        [(30, 0.9), (30, 0.8), (100, 0.9), (300, 0.95), (1000, 0.9)].into_iter().enumerate()
    {
        let mut rng = ChaCha8Rng::seed_from_u64(seed as u64);
        let r = rank(level, n).unwrap() as f64;
        let (a, b) = (r, n as f64 + 1.0 - r);
        let (mut coverages, mut counts) = (Vec::new(), Vec::new());
        for _ in 0..repeats {
            let bound = threshold(level, (0..n).map(|_| rng.random::<f64>()));
            coverages.push(bound); // of uniform scores
            counts.push((0..new).filter(|_| rng.random::<f64>() <= bound).count() as f64);
        }
        coverages.sort_by(f64::total_cmp);
        let gap =
            |(i, x): (usize, &f64)| (puruspe::betai(a, b, *x) - (i as f64 + 0.5) / repeats as f64).abs();
        let distance = coverages.iter().enumerate().map(gap).fold(0.0, f64::max);
        // Kolmogorov and Smirnov at one in a thousand.
        assert!(distance * f64::from(repeats).sqrt() < 1.95, "{n}, {level}: {distance}");
        let (mean, variance) = moments(&counts);
        let (p, m) = (a / (a + b), f64::from(new));
        let expected = m * p * (1.0 - p) * (a + b + m) / (a + b + 1.0);
        assert!((mean - m * p).abs() < 4.0 * (expected / f64::from(repeats)).sqrt(), "{n}, {level}: {mean}");
        assert!((variance / expected - 1.0).abs() < 0.15, "{n}, {level}: {variance}, expected {expected}");
        assert!(p >= level && p <= level + 1.0 / (n as f64 + 1.0));
    }
}

fn moments(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (mean, values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0))
}

/// Mean and deviation of all numbers but those of part `k`.
fn without(values: &[f64], k: usize, folds: usize) -> (f64, f64) {
    let rest: Vec<f64> = (0..values.len()).filter(|i| i % folds != k).map(|i| values[i]).collect();
    let (mean, variance) = moments(&rest);
    (mean, variance.sqrt())
}

/// Share of new targets held, of repeated draws with one new target each.
fn share(repeats: usize, mut held: impl FnMut(&mut ChaCha8Rng) -> bool, seed: u64) -> (f64, f64) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let share = (0..repeats).filter(|_| held(&mut rng)).count() as f64 / repeats as f64;
    (share, (share * (1.0 - share) / repeats as f64).sqrt())
}

#[test]
fn intervals_of_cross_validation_plus_cover_skewed_numbers() {
    for (n, folds, repeats) in
        [(30, 5, 3000), (30, 30, 3000), (100, 5, 3000), (300, 10, 1500), (1000, 5, 1000)]
    {
        let level = 0.9;
        let draw = |rng: &mut ChaCha8Rng| normal(rng).exp();
        let held = |rng: &mut ChaCha8Rng| {
            let values: Vec<f64> = (0..n).map(|_| draw(rng)).collect();
            let parts: Vec<(f64, f64)> = (0..folds).map(|k| without(&values, k, folds)).collect();
            let bound = |i: usize| {
                let (mean, deviation) = parts[i % folds];
                let width = (values[i] - mean).abs();
                // Back and forth, as scores are made.
                (mean - width / deviation * deviation, mean + width / deviation * deviation)
            };
            let (low, high) = interval(level, &(0..n).map(bound).collect::<Vec<_>>());
            let y = draw(rng);
            low <= y && y <= high
        };
        let (found, error) = share(repeats, held, n as u64);
        assert!(
            found > level - 4.0 * error && found < level + 4.0 * error + 2.0 / n as f64,
            "{n}, {folds}: {found}"
        );
        assert!(found > proven(level, n, folds));
    }
}

/// A class that was drawn, and whether its set holds it.
type Rule<'a> = dyn Fn(&mut ChaCha8Rng, bool) -> (usize, bool) + 'a;

/// Two classes of normal numbers, and a model that estimates their means: split and cross-validation+, over all graphs and
/// within each class, of which one is rare.
#[test]
fn sets_of_classes_cover_over_all_and_within_each_class() {
    let (level, rare) = (0.9, 0.3);
    let draw = |rng: &mut ChaCha8Rng| {
        let class = usize::from(rng.random::<f64>() < rare);
        (class, normal(rng) + 1.2 * class as f64)
    };
    // One less the probability of class c at x.
    let score = |means: [f64; 2], (c, x): (usize, f64)| {
        let weight = |c: usize| (-0.5 * (x - means[c]).powi(2)).exp() * [1.0 - rare, rare][c];
        1.0 - weight(c) / (weight(0) + weight(1))
    };
    let fit = |items: &[(usize, f64)], left: &dyn Fn(usize) -> bool| {
        [0, 1].map(|class| {
            let of = items.iter().enumerate().filter(|(i, item)| !left(*i) && item.0 == class);
            let (sum, count) = of.fold((0.0, 1e-9), |(sum, count), (_, item)| (sum + item.1, count + 1.0));
            sum / count
        })
    };
    for (n, folds, repeats) in [(60, 5, 4000), (200, 5, 4000), (1000, 5, 1000)] {
        let split = |rng: &mut ChaCha8Rng, by_class: bool| {
            let items: Vec<_> = (0..n).map(|_| draw(rng)).collect();
            let means = fit(&items, &|i| i < n / 2);
            let (c, x) = draw(rng);
            let held = items[..n / 2].iter().filter(|item| !by_class || item.0 == c);
            (c, score(means, (c, x)) <= threshold(level, held.map(|&item| score(means, item))))
        };
        let plus = |rng: &mut ChaCha8Rng, by_class: bool| {
            let items: Vec<_> = (0..n).map(|_| draw(rng)).collect();
            let means: Vec<_> = (0..folds).map(|k| fit(&items, &|i| i % folds == k)).collect();
            let (c, x) = draw(rng);
            let of = |i: usize| (score(means[i % folds], items[i]), score(means[i % folds], (c, x)));
            let pairs: Vec<_> = (0..n).filter(|&i| !by_class || items[i].0 == c).map(of).collect();
            (c, is_held(level, pairs.into_iter()))
        };
        let rules: [&Rule<'_>; 2] = [&split, &plus];
        for (which, rule) in rules.into_iter().enumerate() {
            for by_class in [false, true] {
                let (mut seen, mut covered) = ([0.0; 2], [0.0; 2]);
                let mut rng = ChaCha8Rng::seed_from_u64(n as u64);
                for _ in 0..repeats {
                    let (c, held) = rule(&mut rng, by_class);
                    (seen[c], covered[c]) = (seen[c] + 1.0, covered[c] + f64::from(held));
                }
                let assess = |covered: f64, seen: f64, n_held: f64| {
                    let (share, error) = (covered / seen, (level * (1.0 - level) / seen).sqrt());
                    assert!(share > level - 4.0 * error, "{n}, {which}, {by_class}: {share}");
                    assert!(share < level + 4.0 * error + 2.0 / n_held, "{n}, {which}, {by_class}: {share}");
                };
                let calibration = n as f64 / [2.0, 1.0][which];
                if by_class {
                    (0..2).for_each(|c| assess(covered[c], seen[c], calibration * [1.0 - rare, rare][c]));
                } else {
                    assess(covered[0] + covered[1], seen[0] + seen[1], calibration);
                }
            }
        }
    }
}
