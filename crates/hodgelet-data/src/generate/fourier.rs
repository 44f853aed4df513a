//! Random scalar fields on the plane: Gaussian processes drawn by random Fourier features.

use rand::{Rng, RngExt};
use rand_distr::{Distribution, StandardNormal};
use std::f64::consts::TAU;

/// `f(x) = Σ_i c_i cos(ω_i·x + φ_i)`, approximately a draw from a Gaussian process with the squared
/// exponential kernel; the more terms, the closer.
pub(super) struct RandomField {
    terms: Vec<Term>,
}

struct Term {
    frequency: [f64; 2],
    phase: f64,
    coefficient: f64,
}

impl RandomField {
    /// A field with zero mean, standard deviation `amplitude` and the lengthscale given.
    ///
    /// # References
    ///
    /// Rahimi and Recht, *Random features for large-scale kernel machines* (2007).
    pub(super) fn draw(n_features: usize, lengthscale: f64, amplitude: f64, rng: &mut impl Rng) -> Self {
        let scale = amplitude * (2.0 / n_features as f64).sqrt();
        let mut normal = || -> f64 { StandardNormal.sample(&mut *rng) };
        let mut draws = || [normal() / lengthscale, normal() / lengthscale, scale * normal()];
        let frequencies: Vec<[f64; 3]> = (0..n_features).map(|_| draws()).collect();
        let terms = frequencies.into_iter().map(|[x, y, coefficient]| Term {
            frequency: [x, y],
            phase: TAU * rng.random::<f64>(),
            coefficient,
        });
        Self { terms: terms.collect() }
    }

    /// The value at a point.
    #[cfg(test)]
    pub(super) fn value(&self, x: [f64; 2]) -> f64 {
        self.terms.iter().map(|term| term.coefficient * term.angle(x).cos()).sum()
    }

    /// The gradient at a point.
    pub(super) fn gradient(&self, x: [f64; 2]) -> [f64; 2] {
        self.sum(|term| term.angle(x).sin())
    }

    /// The mean of the gradient over the segment from `a` to `b`, in closed form.
    ///
    /// Along the segment each angle grows linearly by `δ`, so the mean of its sine is the sine at the middle
    /// times `sin(δ/2) / (δ/2)`.
    pub(super) fn mean_gradient(&self, a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
        let (middle, step) = ([0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])], [b[0] - a[0], b[1] - a[1]]);
        self.sum(|term| {
            let half = 0.5 * (term.frequency[0] * step[0] + term.frequency[1] * step[1]);
            term.angle(middle).sin() * sinc(half)
        })
    }

    /// `−Σ_i c_i ω_i sine(i)`
    fn sum(&self, sine: impl Fn(&Term) -> f64) -> [f64; 2] {
        self.terms.iter().fold([0.0, 0.0], |[x, y], term| {
            let factor = term.coefficient * sine(term);
            [x - factor * term.frequency[0], y - factor * term.frequency[1]]
        })
    }
}

impl Term {
    fn angle(&self, x: [f64; 2]) -> f64 {
        self.frequency[0] * x[0] + self.frequency[1] * x[1] + self.phase
    }
}

/// `sin(x) / x`
fn sinc(x: f64) -> f64 {
    if x == 0.0 { 1.0 } else { x.sin() / x }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::item_rng;

    #[test]
    fn the_gradient_equals_a_finite_difference() {
        let field = RandomField::draw(50, 0.3, 1.0, &mut item_rng(0, 0));
        let (x, h) = ([0.4, 0.7], 1e-5);
        let along = |dx, dy| {
            let ahead = field.value([x[0] + dx, x[1] + dy]);
            (ahead - field.value([x[0] - dx, x[1] - dy])) / (2.0 * h)
        };
        let gradient = field.gradient(x);
        assert!((gradient[0] - along(h, 0.0)).abs() < 1e-7 && (gradient[1] - along(0.0, h)).abs() < 1e-7);
    }

    #[test]
    fn the_mean_gradient_along_a_segment_is_the_difference_of_the_ends() {
        let field = RandomField::draw(50, 0.1, 1.0, &mut item_rng(0, 1));
        let (a, b) = ([0.1, 0.9], [0.8, 0.2]);
        let mean = field.mean_gradient(a, b);
        let along = mean[0] * (b[0] - a[0]) + mean[1] * (b[1] - a[1]);
        assert!((along - (field.value(b) - field.value(a))).abs() < 1e-12);
        let (at_a, of_nothing) = (field.gradient(a), field.mean_gradient(a, a));
        assert!((at_a[0] - of_nothing[0]).abs() < 1e-12 && (at_a[1] - of_nothing[1]).abs() < 1e-12);
    }

    /// Over many draws, the variance of a value and the correlation over one lengthscale, `e^{−1/2}`.
    #[test]
    fn draws_have_the_covariance_of_the_squared_exponential() {
        let (mut variance, mut covariance) = (0.0, 0.0);
        let n_draws = 4000;
        for i in 0..n_draws {
            let field = RandomField::draw(30, 0.1, 2.0, &mut item_rng(3, i));
            let (here, there) = (field.value([0.5, 0.5]), field.value([0.6, 0.5]));
            variance += here * here / n_draws as f64;
            covariance += here * there / n_draws as f64;
        }
        // Four standard errors of a variance of 4: 4 · 4 · √(2/4000)
        assert!((variance - 4.0).abs() < 0.36, "{variance}");
        assert!((covariance - 4.0 * (-0.5f64).exp()).abs() < 0.36, "{covariance}");
    }
}
