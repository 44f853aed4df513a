//! Ratios of gamma functions, free of cancellation for large arguments.

/// From here on asymptotic series have sixteen digits.
const SERIES: f64 = 40.0;

/// `log Γ(x + ½) − log Γ(x) − ½ log x`.
pub(super) fn ln_gamma_ratio(x: f64) -> f64 {
    if x < SERIES {
        return libm::lgamma(x + 0.5) - libm::lgamma(x) - 0.5 * x.ln();
    }
    let u = 1.0 / x;
    u * (-1.0 / 8.0 + u * u * (1.0 / 192.0 + u * u * (-1.0 / 640.0 + u * u * 17.0 / 14336.0)))
}

/// Derivative of [`ln_gamma_ratio`].
pub(super) fn gamma_ratio(x: f64) -> f64 {
    if x < SERIES {
        return digamma(x + 0.5) - digamma(x) - 0.5 / x;
    }
    let u = 1.0 / x;
    u * u * (1.0 / 8.0 + u * u * (-3.0 / 192.0 + u * u * (5.0 / 640.0 - u * u * 7.0 * 17.0 / 14336.0)))
}

/// `x log x − x − log Γ(x)`: the density of the logarithm of a gamma variable of shape `x` and mean 1, at 0, in log.
pub(super) fn stirling_peak(x: f64) -> f64 {
    if x < SERIES {
        return x * x.ln() - x - libm::lgamma(x);
    }
    let u = 1.0 / x;
    let series = u * (1.0 / 12.0 + u * u * (-1.0 / 360.0 + u * u / 1260.0));
    0.5 * x.ln() - super::normal::LN_SQRT_2PI - series
}

/// `d log Γ(x) / dx` for positive `x`, by recurrence and Stirling's series.
fn digamma(mut x: f64) -> f64 {
    let mut shift = 0.0;
    while x < 12.0 {
        shift -= 1.0 / x;
        x += 1.0;
    }
    let u = 1.0 / (x * x);
    let series = u
        * (1.0 / 12.0
            + u * (-1.0 / 120.0
                + u * (1.0 / 252.0 + u * (-1.0 / 240.0 + u * (1.0 / 132.0 - u * 691.0 / 32760.0)))));
    shift + x.ln() - 0.5 / x - series
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_those_of_known_values_and_continuous_at_the_seam() {
        // ψ(1) = −γ, ψ(½) = −γ − 2 log 2
        assert!((digamma(1.0) + 0.577_215_664_901_532_9).abs() < 1e-14);
        assert!((digamma(0.5) + 1.963_510_026_021_423_5).abs() < 1e-14);
        // Γ(3/2) = √π/2
        assert!((ln_gamma_ratio(1.0) - (std::f64::consts::PI.sqrt() / 2.0).ln()).abs() < 1e-15);
        for x in [SERIES - 1e-9, SERIES + 1e-9] {
            let direct = libm::lgamma(x + 0.5) - libm::lgamma(x) - 0.5 * x.ln();
            assert!((ln_gamma_ratio(x) - direct).abs() < 1e-13);
            assert!((gamma_ratio(x) - (digamma(x + 0.5) - digamma(x) - 0.5 / x)).abs() < 1e-14);
            assert!((stirling_peak(x) - (x * x.ln() - x - libm::lgamma(x))).abs() < 1e-13);
        }
    }

    #[test]
    fn the_derivative_equals_differences() {
        for x in [1.0, 2.5, 11.0, 39.0, 60.0] {
            let h = 1e-4 * x;
            let slope = (ln_gamma_ratio(x + h) - ln_gamma_ratio(x - h)) / (2.0 * h);
            assert!((gamma_ratio(x) - slope).abs() < 1e-7 / x, "{x}");
        }
    }
}
