//! Student-t likelihood of real targets: `p(y | f) = t_ν((y − f)/s) / s`, for targets with gross errors.
//!
//! With `b² = ν s²`, `δ = (y − m)/b` and `σ² = v/b²` the expectation that training needs is that of `log(1 + (δ + σ x)²)`
//! ([`expected_log`](super::expected_log)).
//!
//! Degrees of freedom stay above 2, so that the noise has a variance; what is learned is `ν − 2`.

use super::Moments;
use super::expected_log::{ExpectedLog, expected_logs};
use super::noise::NoiseComponent;
use super::normal::LN_SQRT_2PI;
use super::special::{gamma_ratio, ln_gamma_ratio, stirling_peak};

/// Bound on the nodes of a density: reached only by gross errors of noise that is all but normal.
const MOST_STEPS: i32 = 100_000;

/// Largest excess of the degrees of freedom over 2; the noise is normal to 1e-8 from there on.
pub(super) const MOST_EXCESS: f64 = 1e8;

/// Student-t likelihood with a scale and degrees of freedom above 2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StudentT {
    scale: f64,
    excess: f64, // ν − 2
    // What every point needs, and follows from these.
    base: f64,  // √ν s
    power: f64, // (ν + 1) / 2
    /// `log p(y | f = y)`.
    log_peak: f64,
    /// The derivative of `log Γ((ν + 1)/2) − log Γ(ν/2) − ½ log(ν/2)` in `ν/2`.
    gamma_ratio: f64,
}

impl StudentT {
    pub(super) fn new(scale: f64, excess: f64) -> Self {
        let nu = 2.0 + excess;
        Self {
            scale,
            excess,
            base: nu.sqrt() * scale,
            power: 0.5 * (nu + 1.0),
            log_peak: ln_gamma_ratio(0.5 * nu) - LN_SQRT_2PI - scale.ln(),
            gamma_ratio: gamma_ratio(0.5 * nu),
        }
    }

    /// Scale `s` of the noise.
    #[must_use]
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// Degrees of freedom `ν`, above 2.
    #[must_use]
    pub fn degrees_of_freedom(&self) -> f64 {
        2.0 + self.excess
    }

    /// Degrees of freedom above 2, what is learned.
    pub(super) fn excess(&self) -> f64 {
        self.excess
    }

    /// Variance of the noise, `s² ν / (ν − 2)`.
    #[must_use]
    pub fn noise_variance(&self) -> f64 {
        self.scale * self.scale * (1.0 + 2.0 / self.excess)
    }

    /// `δ` and `σ²` of a value.
    pub(super) fn pair(&self, value: f64, mean: f64, variance: f64) -> (f64, f64) {
        ((value - mean) / self.base, variance.max(0.0) / self.base / self.base)
    }

    /// `E[log p(y | f)]` for `f ~ N(mean, variance)`, with its derivatives.
    pub(super) fn expectation(&self, value: f64, mean: f64, variance: f64) -> Moments {
        self.moments(expected_logs(&[self.pair(value, mean, variance)])[0])
    }

    /// The expectation that follows from `L` at the [pair](Self::pair) of a value.
    pub(super) fn moments(&self, log: ExpectedLog) -> Moments {
        let (b, power) = (self.base, self.power);
        Moments {
            value: self.log_peak - power * log.value,
            d_mean: power * log.d_delta / b,
            d_variance: -power * log.d_sigma / b / b,
        }
    }

    /// Derivatives of the expectation in the logarithms of scale and excess, from `L` at the pair.
    pub(super) fn gradient(&self, (delta, sigma): (f64, f64), log: ExpectedLog) -> [f64; 2] {
        // L depends on b² = ν s² through δ and σ².
        let by_base = -0.5 * delta * log.d_delta - sigma * log.d_sigma;
        let (power, nu) = (self.power, self.degrees_of_freedom());
        let by_nu = 0.5 * self.gamma_ratio - 0.5 * log.value - power * by_base / nu;
        [-1.0 - 2.0 * power * by_base, self.excess * by_nu]
    }

    /// `log ∫ p(y | f) N(f; mean, variance) df`, exact also for gross errors.
    ///
    /// The noise is `N(0, s²/g)` with `g` of a gamma distribution; the integral over `w = log g` is a trapezoidal sum.
    pub(super) fn log_density(&self, value: f64, mean: f64, variance: f64) -> f64 {
        let (error, v) = (value - mean, variance.max(0.0));
        let (nu, s2) = (self.degrees_of_freedom(), self.scale * self.scale);
        let term = |w: f64| {
            let total = v + s2 * (-w).exp();
            self.log_mixing(w) - LN_SQRT_2PI - 0.5 * total.ln() - 0.5 * error * (error / total)
        };
        let step = self.mixing_step(0.55, 0.35); // good to 1e-8
        let (mut top, mut sum) = (f64::NEG_INFINITY, 0.0);
        let mut add = |value: f64| {
            if value == f64::NEG_INFINITY {
                return top;
            }
            if value > top {
                sum *= (top - value).exp();
                top = value;
            }
            sum += (value - top).exp();
            top
        };
        add(term(0.0));
        for direction in [step, -step] {
            for k in 1..MOST_STEPS {
                let w = direction * f64::from(k);
                let top = add(term(w));
                // No term is above log q(w) − log √(2π s² e^{−w}), which falls on both sides.
                let bound = self.log_mixing(w) - LN_SQRT_2PI - 0.5 * (s2.ln() - w);
                if bound < top - 40.0 && (w < 0.0 || nu * w.exp_m1() > 1.0) {
                    break;
                }
            }
        }
        // An error whose square overflows has no density left.
        if top == f64::NEG_INFINITY { f64::MIN } else { top + (step * sum).ln() }
    }

    /// Density of the logarithm of the variance of the normal distributions that a Student-t of variance 1 is a mixture of,
    /// in log.
    pub(crate) fn log_variance_density(excess: f64, log_variance: f64) -> f64 {
        let noise = Self::new((excess / (2.0 + excess)).sqrt(), excess);
        noise.log_mixing(2.0 * noise.scale.ln() - log_variance)
    }

    /// Density of `w = log g`, in log: `ν/2 (w − e^w) + ν/2 log(ν/2) − log Γ(ν/2)`.
    fn log_mixing(&self, w: f64) -> f64 {
        let half = 0.5 * self.degrees_of_freedom();
        // w + 1 − e^w without cancellation; the rest by Stirling's series, whose leading terms cancel.
        let bend = if w.abs() < 1e-2 {
            -w * w * (0.5 + w * (1.0 / 6.0 + w * (1.0 / 24.0 + w * (1.0 / 120.0 + w / 720.0))))
        } else {
            w - w.exp_m1()
        };
        half * bend + stirling_peak(half)
    }

    /// Distance of nodes in `w`: this share of its deviation, and `longest` where the strip of analyticity is the limit.
    fn mixing_step(&self, share: f64, longest: f64) -> f64 {
        (share * (2.0 / self.degrees_of_freedom()).sqrt()).min(longest)
    }

    /// The noise as a mixture of normal distributions, some 15 to 30 of them, with the variance of the noise.
    pub(super) fn mixture(&self) -> Vec<NoiseComponent> {
        let s2 = self.scale * self.scale;
        let step = self.mixing_step(0.9, 0.6); // good to 1e-5
        let weight = |k: i32| step * self.log_mixing(step * f64::from(k)).exp();
        let component =
            |k: i32| NoiseComponent { weight: weight(k), variance: s2 * (-step * f64::from(k)).exp() };
        let up = (0..).map(component).take_while(|c| c.weight > SMALLEST_UP);
        // Heavy components hold the variance; below the last one the rest is a component of its own.
        let down = (1..).map(|k| component(-k)).take_while(|c| c.weight > SMALLEST_DOWN);
        let mut parts: Vec<NoiseComponent> = down.collect();
        let lowest = -(parts.len() as i32);
        parts.reverse();
        parts.extend(up);
        let total = |parts: &[NoiseComponent]| {
            parts.iter().fold((0.0, 0.0), |(m, s), c| (m + c.weight, s + c.weight * c.variance))
        };
        let rest: f64 = (1..).map(|k| weight(lowest - k)).take_while(|w| *w > 1e-6 * SMALLEST_DOWN).sum();
        let variance = (self.noise_variance() - total(&parts).1) / rest;
        if rest > 0.0 && variance > parts[0].variance {
            parts.insert(0, NoiseComponent { weight: rest, variance });
        }
        // What is left is the error of the rule.
        let (mass, second) = total(&parts);
        let scale = self.noise_variance() * mass / second;
        parts.iter_mut().for_each(|c| {
            c.weight /= mass;
            c.variance *= scale;
        });
        parts
    }
}

/// Components with less weight are left out: light ones above, and heavy ones below, whose mass is gathered in one.
const SMALLEST_UP: f64 = 1e-9;
const SMALLEST_DOWN: f64 = 1e-6;

#[cfg(test)]
mod tests {
    use super::super::gaussian::Gaussian;
    use super::super::normal::{cdf, density};
    use super::super::observations::RealGroup;
    use super::*;

    use super::super::tests::simpson;

    fn slopes(noise: StudentT, value: f64, mean: f64, variance: f64) -> [f64; 2] {
        let pair = noise.pair(value, mean, variance);
        noise.gradient(pair, expected_logs(&[pair])[0])
    }

    #[test]
    fn gradients_equal_differences() {
        for excess in [0.01, 1.0, 8.0, 300.0, 1e5] {
            for (error, variance) in [(0.0, 0.0), (0.3, 0.1), (-4.0, 0.02), (1.0, 30.0)] {
                let (scale, h) = (0.4f64, 1e-4);
                let at = |a: f64, b: f64| {
                    StudentT::new(scale * a.exp(), excess * b.exp()).expectation(error, 0.0, variance).value
                };
                let found = slopes(StudentT::new(scale, excess), error, 0.0, variance);
                let expected =
                    [(at(h, 0.0) - at(-h, 0.0)) / (2.0 * h), (at(0.0, h) - at(0.0, -h)) / (2.0 * h)];
                for (found, expected) in found.iter().zip(expected) {
                    let gap = (found - expected).abs();
                    assert!(
                        gap < 1e-6 * (1.0 + expected.abs()),
                        "{excess} {error} {variance}: {found} {expected}"
                    );
                }
            }
        }
    }

    /// What is left is of the order of `E[((y − f)/s)⁴] / ν`.
    #[test]
    fn many_degrees_of_freedom_are_gaussian_noise() {
        let (wide, gaussian) = (StudentT::new(0.5, 9e7), Gaussian::new(0.25));
        for (value, mean, variance) in [(0.3, 0.1, 0.2), (2.0, -1.0, 0.0), (-3.0, 0.5, 4.0)] {
            let group = RealGroup { count: 1.0, mean: value, spread: 0.0 };
            let square: f64 = (value - mean) * (value - mean) / 0.25;
            let ratio = variance / 0.25;
            let bound = (1.0 + square * square + 6.0 * square * ratio + 3.0 * ratio * ratio) / 9e7;
            let (a, b) =
                (wide.expectation(value, mean, variance), gaussian.expectation(&group, mean, variance));
            assert!((a.value - b.value).abs() < bound, "{} {}", a.value, b.value);
            assert!((a.d_mean - b.d_mean).abs() < 4.0 * bound);
            assert!((a.d_variance - b.d_variance).abs() < 4.0 * bound);
            let slope = 2.0 * 0.25 * gaussian.noise_gradient(&group, mean, variance);
            assert!((slopes(wide, value, mean, variance)[0] - slope).abs() < 4.0 * bound);
            let densities =
                (wide.log_density(value, mean, variance), gaussian.log_density(value, mean, variance));
            assert!((densities.0 - densities.1).abs() < bound, "{densities:?}");
        }
    }

    /// `∫ t(r) g(r) dr` with `r = s sinh x`, which reaches as far as the tails of two degrees of freedom need.
    fn under_noise(noise: &StudentT, g: impl Fn(f64) -> f64) -> f64 {
        let nu = noise.degrees_of_freedom();
        simpson(-22.0, 22.0, 40_000, |x| {
            let z = x.sinh();
            let log = noise.log_peak - 0.5 * (nu + 1.0) * (z * z / nu).ln_1p();
            log.exp() * noise.scale() * x.cosh() * g(noise.scale() * z)
        })
    }

    #[test]
    fn the_mixture_and_the_density_are_those_of_the_convolution() {
        for excess in [1e-3, 0.1, 1.0, 3.0, 8.0, 60.0, 1e4] {
            let noise = StudentT::new(0.7, excess);
            assert!((under_noise(&noise, |_| 1.0) - 1.0).abs() < 1e-9, "reference at {excess}");
            let mixture = noise.mixture();
            let mean =
                |f: &dyn Fn(&NoiseComponent) -> f64| mixture.iter().map(|c| c.weight * f(c)).sum::<f64>();
            assert!((mean(&|_| 1.0) - 1.0).abs() < 1e-12);
            assert!((mean(&|c| c.variance) / noise.noise_variance() - 1.0).abs() < 1e-12);
            let mut worst = 0f64;
            for v in [0.04, 0.5, 20.0f64] {
                for y in [0.0, 0.5, 1.5, 5.0, 30.0] {
                    let expected = under_noise(&noise, |r| cdf((y - r) / v.sqrt()));
                    let found = mean(&|c| cdf(y / (v + c.variance).sqrt()));
                    worst = worst.max((found - expected).abs());
                    let expected = under_noise(&noise, |r| density((y - r) / v.sqrt()) / v.sqrt()).ln();
                    let found = noise.log_density(y, 0.0, v);
                    let gap = (found - expected).abs();
                    // Far out the reference underflows.
                    assert!(
                        expected < -600.0 || gap < 1e-8 * (1.0 + expected.abs()),
                        "{excess}, {v}, {y}: {found} {expected}"
                    );
                }
            }
            eprintln!(
                "excess {excess}: {} components, distribution function off by {worst:.1e}",
                mixture.len()
            );
            assert!(worst < 1e-5 && mixture.len() <= 32, "{excess}: {worst}");
        }
    }

    #[test]
    fn gross_errors_have_the_density_of_the_tail() {
        let noise = StudentT::new(0.5, 8.0);
        for y in [0.0, 1.0, 1e2, 1e4, 1e100] {
            let z: f64 = y / noise.base;
            let expected = noise.log_peak - 5.5 * (z * z).ln_1p();
            assert!((noise.log_density(y, 0.0, 0.0) - expected).abs() < 1e-9 * (1.0 + expected.abs()), "{y}");
        }
        assert!(noise.log_density(1e300, 0.0, 1e300).is_finite());
    }
}
