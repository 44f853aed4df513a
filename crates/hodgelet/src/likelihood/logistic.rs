//! The logistic function of a normal variable: `E[σ(f)]` for `f ~ N(m, s²)`, and its logarithm.
//!
//! Two forms of one integral, each by the trapezoidal rule on the whole line, which converges geometrically for an
//! analytic integrand:
//!
//! ```text
//! E[σ(f)] = ∫ φ(x) σ(m + s x) dx = ∫ σ'(l) Φ((m + l) / s) dl
//! ```
//!
//! For `s ≤ 1` the first is smooth on the scale of its weight, for `s ≥ 1` the second. Small probabilities keep their
//! relative accuracy: `E[σ(f)] = e^{m + s²/2} E[σ(g)]` with `g ~ N(−m − s², s²)`, which is at least ½ where
//! `m ≤ −s²`, and in between the sum is one of positive terms in log space.

use super::normal::{LN_SQRT_2PI, log_cdf};

/// Distance of nodes. The poles of `σ` at `±iπ` leave `e^{−2π²/h}` = 1e-17.
const STEP: f64 = 0.5;

/// Terms this far below the largest, in nats, end the sum.
const NEGLIGIBLE: f64 = 42.0;

/// From this deviation on, noise of the variance of the logistic distribution is as good as normal: the fourth
/// cumulant that is left moves probabilities by 1e-12.
const WIDE: f64 = 1e3;

/// `log E[σ(f)]`, `f ~ N(mean, variance)`.
pub(super) fn log_expected(mean: f64, variance: f64) -> f64 {
    let variance = variance.max(0.0);
    if mean <= -variance {
        return mean + 0.5 * variance + log_likely(-mean - variance, variance);
    }
    log_likely(mean, variance)
}

/// `log E[σ(f)]` where the probability is not that of a far tail.
fn log_likely(mean: f64, variance: f64) -> f64 {
    let deviation = variance.sqrt();
    let value = if deviation >= WIDE {
        log_cdf(mean / (variance + std::f64::consts::PI.powi(2) / 3.0).sqrt())
    } else if deviation >= 1.0 {
        // log σ'(l) = −|l| − 2 log(1 + e^{−|l|})
        log_sum(|l| -l.abs() - 2.0 * (-l.abs()).exp().ln_1p() + log_cdf((mean + l) / deviation))
    } else {
        log_sum(|x| -0.5 * x * x - LN_SQRT_2PI - (-(mean + deviation * x)).exp().ln_1p())
    };
    value.min(0.0)
}

/// `log ∫ exp(term)` of a log-concave integrand, which may peak on either side of 0 but not far below 0.
fn log_sum(term: impl Fn(f64) -> f64) -> f64 {
    let first = term(0.0);
    let (mut top, mut sum) = (first, 1.0);
    for direction in [STEP, -STEP] {
        let mut before = first;
        for k in 1.. {
            let value = term(direction * f64::from(k));
            if value > top {
                sum *= (top - value).exp();
                top = value;
            }
            sum += (value - top).exp();
            // Log-concave: once it falls it goes on falling.
            if value < before && value < top - NEGLIGIBLE {
                break;
            }
            before = value;
        }
    }
    top + (STEP * sum).ln()
}
