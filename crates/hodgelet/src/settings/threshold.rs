//! How the probability is chosen from which on the second of two classes is predicted.

use std::fmt;
use std::str::FromStr;

/// How two classes are told apart, chosen on training complexes that are left out one at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ThresholdRule {
    /// Least cost, where missing the second class costs this many times as much as a false alarm.
    Cost(f64),
    /// As many of the second class as there are.
    Prevalence,
    /// The highest at which this share of the second class is found.
    Recall(f64),
}

impl fmt::Display for ThresholdRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cost(ratio) => write!(f, "cost={ratio}"),
            Self::Prevalence => f.write_str("prevalence"),
            Self::Recall(share) => write!(f, "recall={share}"),
        }
    }
}

impl FromStr for ThresholdRule {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let number = |text: &str| text.trim().parse::<f64>().map_err(|_| ());
        match text.split_once('=') {
            None if text == "prevalence" => Ok(Self::Prevalence),
            Some(("cost", ratio)) => {
                let ratio = number(ratio)?;
                if ratio.is_finite() && ratio > 0.0 { Ok(Self::Cost(ratio)) } else { Err(()) }
            }
            Some(("recall", share)) => {
                let share = number(share)?;
                if 0.0 < share && share <= 1.0 { Ok(Self::Recall(share)) } else { Err(()) }
            }
            _ => Err(()),
        }
    }
}

impl ThresholdRule {
    /// The threshold for these probabilities of the second class, and whether each item is of it. It lies halfway between two
    /// of the probabilities.
    #[must_use]
    pub fn choose(self, probabilities: &[f64], is_second: &[bool]) -> f64 {
        let mut order: Vec<(f64, bool)> =
            probabilities.iter().copied().zip(is_second.iter().copied()).collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0)); // the most probable first
        let n_second = order.iter().filter(|item| item.1).count();
        // Items from the most probable on that are predicted to be of the second class; equal ones together.
        let is_cut = |k: usize| k == 0 || k == order.len() || order[k - 1].0 > order[k].0;
        let cuts = (0..=order.len()).filter(|&k| is_cut(k));
        let found = |k: usize| order[..k].iter().filter(|item| item.1).count();
        let best = match self {
            Self::Cost(ratio) => {
                let cost = |k: usize| ratio * (n_second - found(k)) as f64 + (k - found(k)) as f64;
                let theory = 1.0 / (1.0 + ratio);
                let off = |k: usize| (between(&order, k) - theory).abs();
                cuts.min_by(|&a, &b| cost(a).total_cmp(&cost(b)).then(off(a).total_cmp(&off(b))))
            }
            Self::Prevalence => cuts.min_by_key(|&k| k.abs_diff(n_second)),
            Self::Recall(share) => cuts.into_iter().find(|&k| found(k) as f64 >= share * n_second as f64),
        };
        between(&order, best.unwrap_or(order.len()))
    }
}

/// A threshold above which the first `k` items lie.
fn between(order: &[(f64, bool)], k: usize) -> f64 {
    match (k.checked_sub(1).map(|last| order[last].0), order.get(k).map(|next| next.0)) {
        (Some(last), Some(next)) => 0.5 * (last + next),
        (Some(last), None) => 0.5 * last,
        (None, Some(next)) => 0.5 * (1.0 + next),
        (None, None) => 0.5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const P: [f64; 6] = [0.9, 0.8, 0.6, 0.4, 0.3, 0.1];
    const SECOND: [bool; 6] = [true, false, true, false, true, false];

    #[test]
    fn rules_do_what_they_say() {
        let of = |rule: ThresholdRule| rule.choose(&P, &SECOND);
        let found = |t: f64| P.iter().zip(SECOND).filter(|(p, second)| **p >= t && *second).count();
        assert_eq!(found(of(ThresholdRule::Recall(1.0))), 3);
        assert!(of(ThresholdRule::Recall(1.0)) > 0.1);
        assert_eq!(found(of(ThresholdRule::Recall(0.6))), 2);
        assert_eq!(P.iter().filter(|p| **p >= of(ThresholdRule::Prevalence)).count(), 3);
        // Dear misses lower it, dear alarms raise it.
        assert!(of(ThresholdRule::Cost(10.0)) < of(ThresholdRule::Cost(0.1)));
        assert!((of(ThresholdRule::Cost(10.0)) - 0.2).abs() < 1e-12);
        assert_eq!(ThresholdRule::Recall(0.5).choose(&[], &[]), 0.5);
    }

    #[test]
    fn equal_probabilities_stay_together() {
        let t = ThresholdRule::Recall(0.5).choose(&[0.5, 0.5, 0.2], &[true, false, true]);
        assert!((t - 0.35).abs() < 1e-12, "{t}");
    }

    #[test]
    fn texts_come_back_and_nonsense_does_not() {
        for text in ["cost=5", "prevalence", "recall=0.95"] {
            assert_eq!(text.parse::<ThresholdRule>().unwrap().to_string(), text);
        }
        for text in ["cost", "cost=0", "cost=-1", "recall=1.5", "recall=nan", "f1", ""] {
            assert!(text.parse::<ThresholdRule>().is_err(), "{text}");
        }
    }
}
