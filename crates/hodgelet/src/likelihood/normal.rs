//! The standard normal distribution, its tails exact in log space.

mod vector;

pub(crate) use vector::log_cdf_and_hazard_in_place;

use libm::erfc;
use std::f64::consts::{FRAC_1_SQRT_2, LN_2, PI};

/// Below this argument the tail formula `Φ(x) = ½ erfcx(−x/√2) exp(−x²/2)` is used.
const TAIL: f64 = -1.0;

/// From here down `r(x) + x` is taken from its asymptotic series, because the difference cancels.
const FAR_TAIL: f64 = -200.0;

/// `log √(2π)`.
pub(crate) const LN_SQRT_2PI: f64 = 0.918_938_533_204_672_8;

/// Density `φ(x)`.
#[must_use]
pub fn density(x: f64) -> f64 {
    (-0.5 * x * x - LN_SQRT_2PI).exp()
}

/// Distribution function `Φ(x)`.
#[must_use]
pub fn cdf(x: f64) -> f64 {
    0.5 * erfc(-x * FRAC_1_SQRT_2)
}

/// `log Φ(x)`, finite for every finite `x` whose square is.
#[must_use]
pub fn log_cdf(x: f64) -> f64 {
    if x < TAIL {
        puruspe::erfcx(-x * FRAC_1_SQRT_2).ln() - LN_2 - 0.5 * x * x
    } else {
        (-0.5 * erfc(x * FRAC_1_SQRT_2)).ln_1p()
    }
}

/// `d log Φ(x) / dx = φ(x) / Φ(x)`.
#[must_use]
pub fn hazard(x: f64) -> f64 {
    if x < TAIL { (2.0 / PI).sqrt() / puruspe::erfcx(-x * FRAC_1_SQRT_2) } else { density(x) / cdf(x) }
}

/// [`log_cdf`] and [`hazard`] together, for little more than the cost of one.
#[must_use]
pub fn log_cdf_and_hazard(x: f64) -> (f64, f64) {
    if x < TAIL {
        let scaled = puruspe::erfcx(-x * FRAC_1_SQRT_2);
        return (scaled.ln() - LN_2 - 0.5 * x * x, (2.0 / PI).sqrt() / scaled);
    }
    let above = 0.5 * erfc(x * FRAC_1_SQRT_2);
    ((-above).ln_1p(), density(x) / (1.0 - above))
}

/// `−d² log Φ(x) / dx² = r (r + x)` with `r` the [`hazard`]; between 0 and 1.
#[must_use]
pub fn curvature(x: f64) -> f64 {
    if x < FAR_TAIL {
        let u = 1.0 / (x * x);
        return 1.0 - u + 6.0 * u * u;
    }
    let r = hazard(x);
    r * (r + x)
}

/// The `x` with `Φ(x) = p`, for `0 < p < 1`, by Newton steps on `log Φ` kept inside a bracket.
#[must_use]
pub fn quantile(p: f64) -> f64 {
    if p > 0.5 {
        return -quantile(1.0 - p);
    }
    let (goal, mut low, mut high) = (p.ln(), -40.0, 1.0);
    let mut x = -0.5;
    for _ in 0..100 {
        let gap = log_cdf(x) - goal;
        if gap > 0.0 {
            high = x;
        } else {
            low = x;
        }
        let newton = x - gap / hazard(x);
        let next = if low < newton && newton < high { newton } else { 0.5 * (low + high) };
        if (next - x).abs() <= 4.0 * f64::EPSILON * (1.0 + x.abs()) {
            return next;
        }
        x = next;
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_tails_follow_the_asymptotic_series() {
        for x in [-40.0f64, -100.0, -1e4] {
            // Φ(−t) = φ(t)/t · (1 − 1/t² + 3/t⁴ − 15/t⁶ + …)
            let u = 1.0 / (x * x);
            let series = 1.0 - u + 3.0 * u * u - 15.0 * u * u * u + 105.0 * u.powi(4);
            let expected = -0.5 * x * x - LN_SQRT_2PI - (-x).ln() + series.ln();
            assert!((log_cdf(x) - expected).abs() <= 1e-14 * expected.abs(), "x = {x}");
        }
        // 1 − Φ(8) = 6.220960574271785e-16
        assert!((log_cdf(8.0) + 6.220_960_574_271_785e-16).abs() < 1e-28);
        assert_eq!(log_cdf(40.0), 0.0);
    }

    #[test]
    fn derivatives_agree_with_differences_on_both_sides_of_the_seams() {
        for x in [-300.0, -200.1, -199.9, -40.0, -5.0, -1.001, -0.999, 0.0, 1.0, 3.0] {
            let h = 1e-5 * (1.0 + f64::abs(x));
            let slope = (log_cdf(x + h) - log_cdf(x - h)) / (2.0 * h);
            assert!((slope - hazard(x)).abs() < 1e-8 * (1.0 + hazard(x)), "slope at {x}");
            let bend = -(hazard(x + h) - hazard(x - h)) / (2.0 * h);
            assert!((bend - curvature(x)).abs() < 1e-8, "curvature at {x}");
        }
    }

    #[test]
    fn value_and_slope_together_are_those_computed_apart() {
        for x in [-300.0, -40.0, -1.001, -0.999, 0.0, 2.0, 9.0, 40.0] {
            let (value, slope) = log_cdf_and_hazard(x);
            assert_eq!(value, log_cdf(x));
            assert!((slope - hazard(x)).abs() <= 4.0 * f64::EPSILON * hazard(x), "x = {x}");
        }
    }

    #[test]
    fn the_quantile_inverts_the_distribution_function() {
        for p in [1e-12, 1e-3, 0.2, 0.5, 0.7, 0.999] {
            assert!((cdf(quantile(p)) - p).abs() < 1e-14 * (1.0 + p), "p = {p}");
        }
        assert!((quantile(0.975) - 1.959_963_984_540_054).abs() < 1e-13);
    }
}
