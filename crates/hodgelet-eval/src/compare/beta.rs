//! The regularized incomplete beta function, which Student's t and the binomial distribution share.

/// Largest number of terms of the continued fraction; it needs about `√max(a, b)` of them.
const MOST_TERMS: usize = 10_000;
/// Replaces 0 where a division by it would follow.
const TINY: f64 = 1e-300;

/// `I_x(a, b)` for positive `a` and `b`; arguments outside `[0, 1]` count as its nearer end, NaN as 0.
pub(super) fn incomplete_beta(x: f64, a: f64, b: f64) -> f64 {
    if x.is_nan() || x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    // The fraction converges fast below the mean of the distribution; I_x(a, b) = 1 − I_{1−x}(b, a) gives the rest.
    if x <= (a + 1.0) / (a + b + 2.0) { lower(x, 1.0 - x, a, b) } else { 1.0 - lower(1.0 - x, x, b, a) }
}

/// `I_x(a, b)` by its continued fraction; `y` is `1 − x`.
fn lower(x: f64, y: f64, a: f64, b: f64) -> f64 {
    let log_beta = libm::lgamma(a) + libm::lgamma(b) - libm::lgamma(a + b);
    let front = (a * x.ln() + b * y.ln() - log_beta).exp() / a;
    front / fraction(x, a, b)
}

/// The denominator `1 + d₁/(1 + d₂/(1 + …))`, by the method of Lentz.
fn fraction(x: f64, a: f64, b: f64) -> f64 {
    let guarded = |value: f64| if value.abs() < TINY { TINY } else { value };
    let (mut value, mut c, mut d) = (1.0, 1.0, 0.0);
    for term in 1..=MOST_TERMS {
        let coefficient = coefficient(term, x, a, b);
        d = 1.0 / guarded(1.0 + coefficient * d);
        c = guarded(1.0 + coefficient / c);
        value *= c * d;
        if (c * d - 1.0).abs() < f64::EPSILON {
            break;
        }
    }
    value
}

/// `d_{2m} = m (b − m) x / ((a + 2m − 1)(a + 2m))`, `d_{2m+1} = −(a + m)(a + b + m) x / ((a + 2m)(a + 2m + 1))`.
fn coefficient(term: usize, x: f64, a: f64, b: f64) -> f64 {
    let m = (term / 2) as f64;
    if term.is_multiple_of(2) {
        m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m))
    } else {
        -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closed_forms_are_met() {
        for x in [0.01, 0.3, 0.5, 0.77, 0.999] {
            assert!((incomplete_beta(x, 1.0, 1.0) - x).abs() < 1e-14, "uniform");
            assert!((incomplete_beta(x, 3.0, 1.0) - x.powi(3)).abs() < 1e-14, "power");
            let arcsine = 2.0 / std::f64::consts::PI * x.sqrt().asin();
            assert!((incomplete_beta(x, 0.5, 0.5) - arcsine).abs() < 1e-13, "arcsine");
        }
    }

    #[test]
    fn both_sides_add_up_to_one_and_ends_are_exact() {
        for (a, b) in [(0.5, 4.5), (30.0, 2.0), (200.0, 300.0)] {
            // both x and 1 − x exact
            let small = 2f64.powi(-30);
            for x in [small, 0.125, 0.375, 0.625, 1.0 - small] {
                let sum = incomplete_beta(x, a, b) + incomplete_beta(1.0 - x, b, a);
                assert!((sum - 1.0).abs() < 1e-12, "{a} {b} {x}: {sum}");
            }
            assert_eq!(incomplete_beta(0.0, a, b), 0.0);
            assert_eq!(incomplete_beta(1.0, a, b), 1.0);
            assert_eq!(incomplete_beta(f64::NAN, a, b), 0.0);
        }
    }
}
