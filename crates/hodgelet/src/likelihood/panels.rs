//! Integrals over the line of functions that change on very different scales: Gauss–Legendre on graded panels.
//!
//! The probability that one of several independent variables is the largest is an integral of a product of
//! distribution functions. Each has its center and its width, and widths may differ a thousandfold. Panels near a
//! center are as long as its width and grow in proportion to the distance from it, so that every factor is smooth on
//! every panel, and their number grows with the logarithm of the ratio of widths.

use super::quadrature::gauss;

/// Nodes of a panel. With 8, probabilities of a race are good to 1e-10; each node more is an eighth more time.
const NODES: usize = 8;

/// Panels of one rule; no moments that pass the checks of a likelihood come near.
const MOST_PANELS: usize = 100_000;

/// Where a function changes, and over what distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bend {
    pub(super) center: f64,
    pub(super) width: f64,
}

/// The rule of a panel, `[−1, 1]`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Panels {
    rule: Vec<(f64, f64)>,
}

impl Panels {
    pub(super) fn new() -> Self {
        // Recurrence of the Legendre polynomials: β_k = k / √(4k² − 1).
        let below = (1..NODES).map(|k| k as f64 / ((4 * k * k - 1) as f64).sqrt()).collect();
        let rule = gauss(vec![0.0; NODES], below).into_iter().map(|(x, w)| (x, 2.0 * w)).collect();
        Self { rule }
    }

    /// Nodes and weights for an integral from `low` to `high`, nodes increasing.
    pub(super) fn nodes(&self, bends: &[Bend], low: f64, high: f64) -> Vec<(f64, f64)> {
        let mut nodes = Vec::new();
        let mut start = low;
        for _ in 0..MOST_PANELS {
            if start >= high {
                break;
            }
            // Halfway to a center ahead; as far again as from one behind.
            let reach = |bend: &Bend| {
                let ahead = bend.center - start;
                bend.width.max(if ahead > 0.0 { 0.5 * ahead } else { -ahead })
            };
            let length = bends.iter().map(reach).fold(high - start, f64::min);
            // A length below the spacing of numbers would never end.
            let end = (start + length.max(4.0 * f64::EPSILON * start.abs())).min(high);
            let (middle, half) = (0.5 * (start + end), 0.5 * (end - start));
            nodes.extend(self.rule.iter().map(|&(x, w)| (middle + half * x, half * w)));
            start = end;
        }
        nodes
    }
}
