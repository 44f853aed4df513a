//! Softmax as a race: the expectation of a softmax is a one-dimensional integral.
//!
//! Class `c` has the largest of `f_c + g_c`, with independent standard Gumbel `g`, with probability `softmax(f)_c`. So
//! for independent `f_c ~ N(m_c, s_c²)`
//!
//! ```text
//! E[softmax(f)_c] = ∫ h_c(t) ∏_{j≠c} H_j(t) dt
//! ```
//!
//! where `H_j` is the distribution function of `f_j + g_j` and `h_j` its density: products of one-dimensional functions,
//! whatever the number of classes. With `H(x, s)` for mean 0,
//!
//! ```text
//! H(x, s) = E[exp(−e^{s z − x})] = E[Φ((x − g) / s)],   h(x, s) = e^{s²/2 − x} H(x − s², s).
//! ```

use super::log_sum_exp;
use super::normal::{LN_SQRT_2PI, cdf, log_cdf};
use super::panels::{Bend, Panels};
use super::quadrature::{GaussHermite, gauss_of_measure};

/// Nodes of the rule for the normal variable, used where its deviation is below 1, and of those for the Gumbel
/// variable, used above; the wider the normal variable, the fewer are needed. `H` is then right to
/// 3e-7, at 1, and far better elsewhere.
const NORMAL_NODES: usize = 32;
const GUMBEL_NODES: usize = 32;
const WIDE_NODES: usize = 14;
const SPLIT: f64 = 1.0;
const WIDE: f64 = 2.5;

/// From this deviation on, densities are taken directly: `s²/2` would cancel digits.
const DIRECT: f64 = 6.0;

/// How far the integral reaches, in deviations below and above, and beyond for the tails of the Gumbel distribution.
const BELOW: f64 = 12.0;
const ABOVE: f64 = 8.0;
const GUMBEL_BELOW: f64 = 4.0;
const GUMBEL_ABOVE: f64 = 24.0;

/// Length, in deviations, over which a distribution function is smooth enough for a panel.
const SMOOTH: f64 = 1.5;

/// Sums below this are taken in log space.
const UNDERFLOW: f64 = 1e-280;

/// The rules that the integrals need.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Race {
    normal: Vec<(f64, f64)>,
    gumbel: Vec<(f64, f64)>,
    wide: Vec<(f64, f64)>,
    panels: Panels,
}

impl Race {
    pub(super) fn new() -> Self {
        let density = |k: i32| {
            let z = -6.0 + 0.05 * f64::from(k);
            (z, (-z - (-z).exp()).exp())
        };
        let measure: Vec<(f64, f64)> = (0..1200).map(density).collect();
        Self {
            normal: GaussHermite::new(NORMAL_NODES).iter().collect(),
            gumbel: gauss_of_measure(&measure, GUMBEL_NODES),
            wide: gauss_of_measure(&measure, WIDE_NODES),
            panels: Panels::new(),
        }
    }

    /// `log E[softmax(f)_c]` of every class; the exponentials sum to 1.
    pub(super) fn log_probabilities(&self, mean: &[f64], variance: &[f64]) -> Vec<f64> {
        let deviation: Vec<f64> = variance.iter().map(|v| v.max(0.0).sqrt()).collect();
        // Only differences count; near the largest mean they keep their digits.
        let top = mean.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let center: Vec<f64> = mean.iter().map(|m| m - top).collect();
        let each = || center.iter().zip(&deviation);
        let low = each().map(|(m, s)| m - BELOW * s - GUMBEL_BELOW).fold(f64::NEG_INFINITY, f64::max);
        let high = each().map(|(m, s)| m + ABOVE * s + GUMBEL_ABOVE).fold(low, f64::max);
        let bends: Vec<Bend> =
            each().map(|(&center, s)| Bend { center, width: SMOOTH * s.max(1.0) }).collect();
        let mut tops = vec![f64::NEG_INFINITY; mean.len()];
        let mut sums = vec![0.0; mean.len()];
        let mut logs = vec![0.0; mean.len()];
        for (t, weight) in self.panels.nodes(&bends, low, high) {
            each().zip(&mut logs).for_each(|((m, &s), log)| *log = self.log_cdf(t - m, s));
            let total: f64 = logs.iter().sum();
            if total == f64::NEG_INFINITY {
                continue;
            }
            for (c, (m, &s)) in each().enumerate() {
                let term = weight.ln() + self.log_density(t - m, s) + total - logs[c];
                if term == f64::NEG_INFINITY {
                    continue;
                }
                if term > tops[c] {
                    sums[c] *= (tops[c] - term).exp();
                    tops[c] = term;
                }
                sums[c] += (term - tops[c]).exp();
            }
        }
        let mut logs: Vec<f64> =
            tops.iter().zip(&sums).map(|(top, sum): (&f64, &f64)| top + sum.ln()).collect();
        let total = log_sum_exp(logs.iter().copied());
        logs.iter_mut().for_each(|log| *log -= total);
        logs
    }

    /// `log H(x, s)`.
    fn log_cdf(&self, x: f64, s: f64) -> f64 {
        if s < SPLIT {
            let exponent = |z: f64| -(s * z - x).exp();
            return log_expectation(&self.normal, |z| exponent(z).exp(), exponent);
        }
        let rule = if s < WIDE { &self.gumbel } else { &self.wide };
        log_expectation(rule, |z| cdf((x - z) / s), |z| log_cdf((x - z) / s))
    }

    /// `log h(x, s)`.
    fn log_density(&self, x: f64, s: f64) -> f64 {
        if s < DIRECT || (x > 0.25 * s * s && s < 1e3) {
            return 0.5 * s * s - x + self.log_cdf(x - s * s, s);
        }
        let exponent = |z: f64| -0.5 * ((x - z) / s).powi(2);
        log_expectation(&self.wide, |z| exponent(z).exp(), exponent) - LN_SQRT_2PI - s.ln()
    }
}

/// `log E[f]` of a positive function, given with its logarithm for the case that the sum underflows.
fn log_expectation(rule: &[(f64, f64)], f: impl Fn(f64) -> f64, log_f: impl Fn(f64) -> f64) -> f64 {
    let sum: f64 = rule.iter().map(|&(z, w)| w * f(z)).sum();
    if sum > UNDERFLOW {
        return sum.ln();
    }
    log_sum_exp(rule.iter().map(|&(z, w)| w.ln() + log_f(z)))
}
