//! Random scalar fields on the plane: Gaussian processes drawn by random Fourier features.

use rand::{Rng, RngExt};
use rand_distr::{Distribution, StandardNormal};
use std::f64::consts::TAU;

/// Below this step of an angle the difference of two cosines is lost in rounding, and the mean of the sine is taken
/// from the middle instead, `sin(θ_m) (1 − δ²/24)`, which errs by less than `δ⁴/1920`.
const SMALL_STEP: f64 = 1e-3;

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

    /// The gradient at a point, `−Σ_i c_i ω_i sin(ω_i·x + φ_i)`.
    pub(super) fn gradient(&self, x: [f64; 2]) -> [f64; 2] {
        self.terms.iter().fold([0.0, 0.0], |sum, term| {
            let factor = term.coefficient * term.angle(x).sin();
            [sum[0] - factor * term.frequency[0], sum[1] - factor * term.frequency[1]]
        })
    }

    /// The mean of the gradient over each of the segments between two of the points, in closed form.
    ///
    /// Along a segment from `a` to `b` an angle `θ` grows linearly by `δ`, so the mean of its sine is
    /// `(cos θ_a − cos θ_b) / δ`. Cosines are computed once per point, term after term.
    pub(super) fn mean_gradients(&self, points: &[[f64; 2]], segments: &[[u32; 2]]) -> Vec<[f64; 2]> {
        let mut means = vec![[0.0, 0.0]; segments.len()];
        let (mut angles, mut cosines) = (vec![0.0; points.len()], vec![0.0; points.len()]);
        for term in &self.terms {
            for ((angle, cosine), &x) in angles.iter_mut().zip(&mut cosines).zip(points) {
                *angle = term.angle(x);
                *cosine = angle.cos();
            }
            for (mean, &[a, b]) in means.iter_mut().zip(segments) {
                let (a, b) = (a as usize, b as usize);
                let step = angles[b] - angles[a];
                let sine = if step.abs() > SMALL_STEP {
                    (cosines[a] - cosines[b]) / step
                } else {
                    (angles[a] + 0.5 * step).sin() * (1.0 - step * step / 24.0)
                };
                let factor = term.coefficient * sine;
                mean[0] -= factor * term.frequency[0];
                mean[1] -= factor * term.frequency[1];
            }
        }
        means
    }
}

impl Term {
    fn angle(&self, x: [f64; 2]) -> f64 {
        self.frequency[0] * x[0] + self.frequency[1] * x[1] + self.phase
    }
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
        let mean = field.mean_gradients(&[a, b], &[[0, 1]])[0];
        let along = mean[0] * (b[0] - a[0]) + mean[1] * (b[1] - a[1]);
        assert!((along - (field.value(b) - field.value(a))).abs() < 1e-12);
    }

    #[test]
    fn the_mean_gradient_of_short_segments_tends_to_the_gradient() {
        let field = RandomField::draw(50, 0.1, 1.0, &mut item_rng(0, 2));
        // Steps of an angle fall on both sides of the threshold between the two formulas.
        for length in [0.0, 1e-7, 1e-5, 3e-5, 1e-4, 3e-4] {
            let (a, b) = ([0.3 - length, 0.6], [0.3 + length, 0.6]);
            let (mean, middle) = (field.mean_gradients(&[a, b], &[[1, 0]])[0], field.gradient([0.3, 0.6]));
            // The midpoint rule errs by length²/6 of a third derivative, of order lengthscale⁻³.
            let tolerance = 1e-10 + 1e3 * length * length;
            assert!((mean[0] - middle[0]).abs() < tolerance && (mean[1] - middle[1]).abs() < tolerance);
        }
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
