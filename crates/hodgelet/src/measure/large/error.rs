//! The error of a quadrature rule, as filters would see it.
//!
//! A feature integrates the square of a filter against a measure. The error of a rule is taken as the largest difference
//! between the rules of Gauss and Gauss–Radau, and between the last two rules of Gauss, over the squares of the low-pass
//! and band-pass filters of the reference bank at scales in octaves: from filters that do not tell the eigenvalues of the
//! spectrum apart to those at its lower end. Low-pass squares are completely monotone, so their integral
//! lies between the two rules; for band-pass squares the difference is an estimate.

use crate::linalg::golub_kahan::Rule;

/// Scale times largest eigenvalue of the widest filters.
const LOWEST: f64 = 0.5;

/// Largest scale of filters, where the spectrum is wide: the highest drawn is 6.
const HIGHEST_SCALE: f64 = 8.0;

/// Scale times largest eigenvalue that is reached at least.
const HIGHEST: f64 = 128.0;

/// Octaves at most.
const MAX_OCTAVES: usize = 40;

/// Number of functions for each octave.
const FAMILIES: usize = 2;

/// Scales in octaves for a spectrum that ends at `largest`.
pub(super) fn scales(largest: f64) -> Vec<f64> {
    if largest <= 0.0 || !largest.is_finite() {
        return vec![1.0];
    }
    let highest = (HIGHEST / largest).max(HIGHEST_SCALE);
    let octaves = (highest * largest / LOWEST).log2().ceil().max(1.0) as usize;
    (0..=octaves.min(MAX_OCTAVES)).map(|j| LOWEST / largest * (j as f64).exp2()).collect()
}

/// Integrals of all functions at `scales`; the atoms are given by position and mass.
pub(super) fn integrals(scales: &[f64], atoms: impl Iterator<Item = (f64, f64)> + Clone) -> Vec<f64> {
    let mut out = Vec::with_capacity(FAMILIES * scales.len());
    for &scale in scales {
        let (mut low, mut band) = (0.0, 0.0);
        for (node, mass) in atoms.clone() {
            let t = scale * node;
            low += mass / ((1.0 + t) * (1.0 + t));
            // The square of the Mexican hat: 8/3 π^{−1/2} t⁴ e^{−t²}.
            let square = t * t;
            if square < 700.0 {
                band += mass * 1.504_505_556_127_33 * square * square * (-square).exp();
            }
        }
        out.extend([low, band]);
    }
    out
}

/// The largest difference of two lists of integrals.
pub(super) fn distance(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
}

/// Estimate of the error of the rule of Gauss.
pub(super) fn of_rules(gauss: &Rule, radau: &Rule, previous: &Rule) -> f64 {
    let scales = scales(gauss.nodes.last().copied().unwrap_or(0.0));
    let of = |rule: &Rule| integrals(&scales, rule.nodes.iter().copied().zip(rule.masses.iter().copied()));
    let best = of(gauss);
    let change = if previous.nodes.is_empty() { f64::INFINITY } else { distance(&best, &of(previous)) };
    // The last two rules differ by the error of the coarser one; that of the finer is smaller.
    distance(&best, &of(radau)).max(0.1 * change)
}
