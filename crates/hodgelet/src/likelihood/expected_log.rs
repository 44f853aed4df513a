//! The expected logarithm of one plus a square, which training under Student-t noise needs:
//! `L(δ, σ²) = E[log(1 + (δ + σ x)²)]` for a standard normal `x`.
//!
//! Gauss–Hermite is at a loss where `σ ≫ 1`, for then the logarithm dips between the nodes. By Frullani's integral
//! `log(1 + z²) = ∫ e^{−u} (1 − e^{−u z²}) du/u`, and the expectation of the exponential is known:
//!
//! ```text
//! L(δ, σ²) = ∫ e^{−u} [1 − D^{−½} exp(−u δ²/D)] dt,   u = e^t,   D = 1 + 2 u σ²
//! ```
//!
//! which the trapezoidal rule integrates to ten digits whatever `δ` and `σ`. Derivatives are those of the sum.

use crate::linalg::simd;
use std::sync::LazyLock;

/// Distance of nodes in `t`: the strip of analyticity, `π/2` wide, leaves `e^{−π²/h}` = 2e-11.
const STEP: f64 = 0.4;

/// From here on `e^{−u}` is 0.
const LAST: i32 = 9;

/// The integrand is a polynomial of second degree in `u`, and summed in closed form, where `u (1 + δ² + σ²)` is below `e^{−8}`: the
/// third term is 4e-11 of the sum there.
const QUADRATIC: f64 = 8.0;

/// `L` and its derivatives in `δ` and `σ²`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ExpectedLog {
    pub(super) value: f64,
    pub(super) d_delta: f64,
    pub(super) d_sigma: f64,
}

/// `L(δ, σ²)` of each pair.
pub(super) fn expected_logs(pairs: &[(f64, f64)]) -> Vec<ExpectedLog> {
    let pairs: Vec<Pair> = pairs.iter().map(|&(delta, sigma)| Pair::new(delta, sigma)).collect();
    let tabulated = NODES.sums(&pairs);
    let one = |(pair, sum): (&Pair, Option<ExpectedLog>)| pair.with_rest(sum.unwrap_or_else(|| pair.terms()));
    pairs.iter().zip(tabulated).map(one).collect()
}

/// `δ` and `σ²`, with the first node of their sum.
struct Pair {
    delta: f64,
    sigma: f64,
    square: f64,
    first: i32,
}

impl Pair {
    fn new(delta: f64, sigma: f64) -> Self {
        // Beyond, squares overflow.
        let (delta, sigma) = (delta.clamp(-1e150, 1e150), sigma.min(1e300));
        let square = delta * delta;
        let first = -((QUADRATIC + (1.0 + (square + sigma)).ln()) / STEP).ceil() as i32;
        Self { delta, sigma, square, first }
    }

    /// Whether nodes are tabulated, and vectors lose nothing.
    fn is_tabulated(&self) -> bool {
        (LEAST_SIZE..f64::INFINITY).contains(&(self.square + self.sigma)) && self.first >= FIRST
    }

    /// The sum over nodes, with what is below the first of them.
    ///
    /// The integrand is `u s − u² (s + s²/2 + σ⁴ + 2 σ² δ²)` there, for `s = δ² + σ²`: two geometric series.
    fn with_rest(&self, sum: ExpectedLog) -> ExpectedLog {
        let size = self.square + self.sigma;
        let least = (STEP * f64::from(self.first)).exp();
        let (linear, quadratic) = (least / NODES.series, 1.0 / NODES.squares);
        // All below e^{−8}, where the squares might overflow.
        let (s, v, d) = (least * size, least * self.sigma, least * self.square);
        let value = linear * size - quadratic * (least * s + 0.5 * s * s + v * (v + 2.0 * d));
        let d_delta = 2.0 * self.delta * (linear - quadratic * least * (least + s + 2.0 * v));
        let d_sigma = linear - quadratic * least * (least + 3.0 * s);
        ExpectedLog {
            value: STEP * (sum.value + value),
            d_delta: STEP * (sum.d_delta + d_delta),
            d_sigma: STEP * (sum.d_sigma + d_sigma),
        }
    }

    /// The sum over nodes, term by term: right to the last digits however small or large `δ` and `σ` are.
    fn terms(&self) -> ExpectedLog {
        let Self { delta, sigma, square, first } = *self;
        let mut sum = ExpectedLog { value: 0.0, d_delta: 0.0, d_sigma: 0.0 };
        for k in first..=LAST {
            let u = (STEP * f64::from(k)).exp();
            let d = 1.0 + 2.0 * u * sigma;
            let fade = (-u).exp();
            let log_q = -0.5 * (2.0 * u * sigma).ln_1p() - u * (square / d);
            let q = fade * log_q.exp();
            sum.value -= fade * log_q.exp_m1();
            sum.d_delta += q * 2.0 * (u / d) * delta;
            sum.d_sigma += q * (u / d) * (1.0 - 2.0 * (u / d) * square);
        }
        sum
    }
}

/// The first node that is tabulated: enough for `δ² + σ²` up to 1e5.
const FIRST: i32 = -60;
const N_NODES: usize = (LAST - FIRST + 1) as usize;

/// From here on `1 − q` loses no more than four digits, so that vectors can take the place of logarithms.
const LEAST_SIZE: f64 = 1e-4;

static NODES: LazyLock<Nodes> = LazyLock::new(|| {
    let nodes = std::array::from_fn(|i| (STEP * f64::from(FIRST + i as i32)).exp());
    let fades = nodes.map(|u: f64| (-u).exp());
    Nodes { nodes, fades, series: STEP.exp_m1(), squares: (2.0 * STEP).exp_m1() }
});

/// Nodes `u` with their `e^{−u}`.
struct Nodes {
    nodes: [f64; N_NODES],
    fades: [f64; N_NODES],
    /// What the geometric series below the nodes are divided by.
    series: f64,
    squares: f64,
}

impl Nodes {
    /// As [`Pair::terms`], with vectors over the nodes of all pairs; none where a pair needs other nodes.
    fn sums(&self, pairs: &[Pair]) -> Vec<Option<ExpectedLog>> {
        let from = |pair: &Pair| (pair.first - FIRST) as usize;
        let tabulated = || pairs.iter().filter(|pair| pair.is_tabulated());
        let n = tabulated().map(|pair| N_NODES - from(pair)).sum();
        let memory = || Vec::<f64>::with_capacity(n);
        let (mut ratios, mut roots, mut powers) = (memory(), memory(), memory());
        simd::vectorized(
            #[inline(always)]
            || {
                for pair in tabulated() {
                    let (at, from) = (roots.len(), from(pair));
                    let (nodes, fades) = (&self.nodes[from..], &self.fades[from..]);
                    roots.extend(nodes.iter().map(|u| 1.0 / (1.0 + 2.0 * u * pair.sigma)));
                    // u / D
                    ratios.extend(nodes.iter().zip(&roots[at..]).map(|(u, inverse)| u * inverse));
                    // e^{−u} D^{−½}
                    roots[at..].iter_mut().zip(fades).for_each(|(root, fade)| *root = fade * root.sqrt());
                    powers.extend(ratios[at..].iter().map(|ratio| -ratio * pair.square));
                }
            },
        );
        simd::exp_in_place(&mut powers);
        let mut sums = Vec::with_capacity(pairs.len());
        simd::vectorized(
            #[inline(always)]
            || {
                powers.iter_mut().zip(&roots).for_each(|(power, root)| *power *= root);
                let mut at = 0;
                for pair in pairs {
                    if !pair.is_tabulated() {
                        sums.push(None);
                        continue;
                    }
                    let fades = &self.fades[from(pair)..];
                    let (powers, ratios) = (&powers[at..at + fades.len()], &ratios[at..at + fades.len()]);
                    at += fades.len();
                    sums.push(Some(ExpectedLog {
                        value: simd::lane_sum(fades, powers, |fade, q| fade - q),
                        d_delta: 2.0 * pair.delta * simd::lane_sum(powers, ratios, |q, ratio| q * ratio),
                        d_sigma: simd::lane_sum(powers, ratios, |q, ratio| {
                            q * ratio * (1.0 - 2.0 * ratio * pair.square)
                        }),
                    }));
                }
            },
        );
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::super::normal::density;
    use super::*;

    use super::super::tests::simpson;

    #[test]
    fn the_expected_logarithm_is_right_however_wide_the_latent_variable() {
        for sigma in [0.0, 1e-6, 0.01, 1.0, 100.0, 1e4f64] {
            for delta in [0.0, 1e-3, 0.7, 5.0, 100.0, 1e4] {
                let log = |x: f64| density(x) * (delta + sigma.sqrt() * x).powi(2).ln_1p();
                let expected = simpson(-9.0, 9.0, 200_000, log);
                let found = expected_logs(&[(delta, sigma)])[0].value;
                assert!((found - expected).abs() <= 1e-9 * expected, "{delta} {sigma}: {found} {expected}");
            }
        }
        for (delta, sigma) in [(f64::MAX, 0.0), (1.0, f64::MAX), (-1e200, 1e200)] {
            let log = expected_logs(&[(delta, sigma)])[0];
            assert!(log.value.is_finite() && log.d_delta.is_finite() && log.d_sigma.is_finite());
        }
    }

    #[test]
    fn vectors_give_what_terms_give() {
        let pairs = [(0.01f64, 0.0), (0.3, 0.05), (-2.0, 1.0), (40.0, 0.3), (0.2, 3e4), (300.0, 1e-4)]
            .map(|(delta, sigma)| Pair::new(delta, sigma));
        for (pair, found) in pairs.iter().zip(NODES.sums(&pairs)) {
            let (found, expected) = (found.expect("its nodes are tabulated"), pair.terms());
            let pairs = [
                (found.value, expected.value),
                (found.d_delta, expected.d_delta),
                (found.d_sigma, expected.d_sigma),
            ];
            for (found, expected) in pairs {
                assert!((found - expected).abs() <= 1e-11 * (expected.abs() + 1e-3), "{found} {expected}");
            }
        }
    }

    #[test]
    fn values_together_have_the_sums_they_have_alone() {
        // Among them some whose nodes are not tabulated.
        let pairs: Vec<(f64, f64)> = (0..40)
            .map(|i| (f64::from(i % 7 - 3) * 10f64.powi(i % 5 - 3), 10f64.powi(i % 13 - 6)))
            .chain([(1e7, 1.0), (0.0, 0.0), (1e-3, 1e-9)])
            .collect();
        let together = expected_logs(&pairs);
        assert!(pairs.iter().zip(together).all(|(pair, log)| expected_logs(&[*pair]) == [log]));
    }
}
