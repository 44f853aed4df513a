//! Gauss–Legendre quadrature on the unit interval.

use std::f64::consts::PI;

/// Nodes in `(0, 1)` and weights that sum to 1, exact for polynomials up to degree `2n − 1`.
///
/// Newton's iteration on the Legendre polynomial, from Tricomi's approximation of its roots.
pub(super) fn gauss_legendre(n: usize) -> Vec<(f64, f64)> {
    (0..n)
        .map(|i| {
            let mut x = (PI * (i as f64 + 0.75) / (n as f64 + 0.5)).cos();
            // Three steps reach the last bit from a start that is good to O(n⁻²); the rest are for small n.
            for _ in 0..8 {
                let (value, slope) = legendre(n, x);
                x -= value / slope;
            }
            let slope = legendre(n, x).1;
            (0.5 * (1.0 + x), 1.0 / ((1.0 - x * x) * slope * slope))
        })
        .collect()
}

/// `P_n(x)` and `P_n'(x)` for `n ≥ 1` and `|x| < 1`.
fn legendre(n: usize, x: f64) -> (f64, f64) {
    let (mut before, mut here) = (1.0, x);
    for k in 2..=n {
        let k = k as f64;
        (before, here) = (here, ((2.0 * k - 1.0) * x * here - (k - 1.0) * before) / k);
    }
    (here, n as f64 * (x * here - before) / (x * x - 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polynomials_up_to_degree_2n_minus_1_are_integrated_exactly() {
        for n in [1, 2, 3, 5, 8, 16, 40] {
            let rule = gauss_legendre(n);
            for degree in 0..2 * n {
                let sum: f64 = rule.iter().map(|&(x, w)| w * x.powi(degree as i32)).sum();
                assert!((sum - 1.0 / (degree as f64 + 1.0)).abs() < 1e-14, "n = {n}, degree {degree}: {sum}");
            }
            let beyond: f64 = rule.iter().map(|&(x, w)| w * x.powi(2 * n as i32)).sum();
            assert!(n > 8 || (beyond - 1.0 / (2.0 * n as f64 + 1.0)).abs() > 1e-12);
        }
    }
}
