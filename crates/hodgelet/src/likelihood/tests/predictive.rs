//! Predictive probabilities against brute force, for latent variances from 0 to 1000.

use super::simpson;
use crate::likelihood::normal::{cdf, density};
use crate::likelihood::{Likelihood, LikelihoodParams};
use faer::Mat;

/// What is promised is 1e-3; where the rule of training is kept, robust-max is held to 1e-4.
const TOLERANCE: f64 = 1e-6;
const KEPT: f64 = 1.2e-4;

fn probabilities(likelihood: &Likelihood, mean: &[f64], variance: &[f64]) -> Vec<f64> {
    let row = |values: &[f64]| Mat::from_fn(1, values.len(), |_, c| values[c]);
    let p = likelihood.probabilities(row(mean).as_ref(), row(variance).as_ref()).unwrap();
    let p: Vec<f64> = p.row(0).iter().copied().collect();
    assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{mean:?} {variance:?}: sum");
    for (class, &p) in p.iter().enumerate() {
        let log = likelihood.class_log_density(class, mean, variance);
        assert!((log.exp() - p).abs() < 1e-12 && log.is_finite(), "{mean:?} {variance:?}: log");
    }
    p
}

fn assert_close(found: &[f64], expected: &[f64], tolerance: f64, at: &str) {
    for (p, q) in found.iter().zip(expected) {
        assert!((p - q).abs() < tolerance, "{at}: {found:?}, expected {expected:?}");
    }
}

/// `∫ f` by the trapezoidal rule.
fn trapezoid(low: f64, high: f64, step: f64, f: impl Fn(f64) -> f64) -> f64 {
    let n = ((high - low) / step).ceil() as usize;
    (0..=n).map(|k| f(low + k as f64 * step) * step).sum()
}

#[test]
fn the_logit_is_right_at_any_variance() {
    let likelihood = LikelihoodParams::LOGIT.check(2).unwrap();
    let softmax = LikelihoodParams::SOFTMAX.check(2).unwrap();
    for v in [0.0, 1e-6, 0.04, 0.9, 1.0, 1.1, 4.0, 50.0, 300.0, 1e3f64] {
        for k in -12..=12 {
            let mean = 0.5 * f64::from(k) * (1.0 + v.sqrt());
            let at = |x: f64| density(x) / (1.0 + (-mean - v.sqrt() * x).exp());
            let expected = trapezoid(-10.0, 10.0, 0.05 / (1.0 + v.sqrt()), at);
            let found = probabilities(&likelihood, &[mean], &[v]);
            assert_close(&found, &[1.0 - expected, expected], 1e-12, &format!("logit at {mean}, {v}"));
            let both = probabilities(&softmax, &[0.3, 0.3 + mean], &[0.25 * v, 0.75 * v]);
            assert_close(&both, &found, 1e-12, "softmax of two");
        }
    }
}

/// Tails: log E[σ(f)] = m + v/2 + log E[σ(g)], and log Φ-like in between.
#[test]
fn the_logit_is_right_far_out() {
    let likelihood = LikelihoodParams::LOGIT.check(2).unwrap();
    let log = |m: f64, v: f64| likelihood.class_log_density(1, &[m], &[v]);
    assert_eq!(log(-2000.0, 0.0), -2000.0);
    assert!((log(-60.0, 4.0) + 58.0).abs() < 1e-12);
    // ∫ φ(x) σ(−15 + 5 x) dx, three deviations below 0.
    let at = |x: f64| density(x) / (1.0 + (15.0 - 5.0 * x).exp());
    assert!((log(-15.0, 25.0) - trapezoid(-9.0, 12.0, 0.005, at).ln()).abs() < 1e-11);
    for (m, v) in [(-1e8, 1e16), (-1e4, 1e16), (-1e9, 1.0), (-1e3, 1e6)] {
        assert!(log(m, v).is_finite() && log(m, v) < 0.0 && log(-m, v) <= 0.0);
    }
}

/// `P(f_c is the largest)` by the trapezoidal rule at the resolution of the narrowest class, around every class.
fn largest(mean: &[f64], variance: &[f64]) -> Vec<f64> {
    let s: Vec<f64> = variance.iter().map(|v| v.max(1e-10).sqrt()).collect();
    // Piecewise: the integrand is as narrow as a class only near that class.
    let mut cuts: Vec<f64> = Vec::new();
    for (m, s) in mean.iter().zip(&s) {
        cuts.extend([-10.0, 10.0].map(|k| m + k * s));
    }
    cuts.sort_by(f64::total_cmp);
    let class = |c: usize| {
        let at = |f: f64| {
            let others = (0..mean.len()).filter(|&j| j != c).map(|j| cdf((f - mean[j]) / s[j]));
            density((f - mean[c]) / s[c]) / s[c] * others.product::<f64>()
        };
        let piece = |pair: &[f64]| {
            let inside = |j: usize| (pair[0] + pair[1] - 2.0 * mean[j]).abs() < 20.0 * s[j];
            let width = (0..mean.len()).filter(|&j| inside(j)).map(|j| s[j]).fold(f64::INFINITY, f64::min);
            if width.is_infinite() || pair[0] >= pair[1] {
                return 0.0;
            }
            simpson(pair[0], pair[1], 2 * ((pair[1] - pair[0]) / (0.1 * width)).ceil() as usize, at)
        };
        cuts.windows(2).map(piece).sum()
    };
    (0..mean.len()).map(class).collect()
}

/// Means and variances of `n` classes, spread over many magnitudes.
fn moments(n: usize, k: usize) -> (Vec<f64>, Vec<f64>) {
    let variance = |c: usize| match (k + 3 * c) % 7 {
        0 => 0.0,
        e => 10f64.powf(e as f64 - 3.0),
    };
    let variance: Vec<f64> = (0..n).map(variance).collect();
    let spread = |c: usize| 3.0 * ((7 * k + 5 * c) as f64).sin();
    let mean = (0..n).map(|c| spread(c) * (0.5 + variance[c].sqrt())).collect();
    (mean, variance)
}

#[test]
fn robust_max_is_right_where_variances_differ() {
    for n in [2, 3, 6, 12] {
        let likelihood = LikelihoodParams::ROBUST_MAX.check(n).unwrap();
        for k in 0..21 {
            let (mean, variance) = moments(n, k);
            let wrong = 1e-3 / (n - 1) as f64;
            let p = largest(&mean, &variance);
            let expected: Vec<f64> = p.iter().map(|p| p * 0.999 + (1.0 - p) * wrong).collect();
            let found = probabilities(&likelihood, &mean, &variance);
            assert_close(&found, &expected, KEPT, &format!("{n} classes, {mean:?}, {variance:?}"));
        }
    }
}

#[test]
fn robust_max_is_right_where_variances_are_similar() {
    for n in [2, 3, 6, 12] {
        let likelihood = LikelihoodParams::ROBUST_MAX.check(n).unwrap();
        let mut worst = 0f64;
        for k in 0..60usize {
            for scale in [1e-3, 1.0, 1e3] {
                let unit = |c: usize, of: usize| (0.618 * (of * (k + 1) * (c + 1)) as f64).fract();
                let variance: Vec<f64> = (0..n).map(|c| scale * (1.0 + 1.25 * unit(c, 3).round())).collect();
                let mean: Vec<f64> = (0..n).map(|c| 4.0 * (unit(c, 5) - 0.5) * variance[c].sqrt()).collect();
                let wrong = 1e-3 / (n - 1) as f64;
                let expected = largest(&mean, &variance).into_iter().map(|p| p * 0.999 + (1.0 - p) * wrong);
                let found = probabilities(&likelihood, &mean, &variance);
                worst = expected.zip(&found).fold(worst, |worst, (p, q)| worst.max((p - q).abs()));
            }
        }
        eprintln!("{n} classes: {worst:.1e}");
        assert!(worst < KEPT, "{n} classes: {worst}");
    }
}

/// Three classes by a fine grid over the two differences of latent values: no race, no Gumbel noise.
fn three_classes(mean: &[f64], variance: &[f64]) -> Vec<f64> {
    let s: Vec<f64> = variance.iter().map(|v| v.sqrt()).collect();
    // Covariance of d₁ = f₁ − f₀ and d₂ = f₂ − f₀, and its Cholesky factor.
    let (a, b, c) = (s[0] * s[0] + s[1] * s[1], s[0] * s[0], s[0] * s[0] + s[2] * s[2]);
    let l11 = a.sqrt().max(1e-9);
    let (l21, l22) = (b / l11, (c - b * b / (l11 * l11)).max(0.0).sqrt());
    let step = |l: f64| (0.7 / (1.0 + l)).min(0.35);
    let mut p = vec![0.0; 3];
    let (hu, ht) = (step(l11.max(l21)), step(l22));
    let (nu, nt) = ((8.0 / hu) as i32, (8.0 / ht) as i32);
    for i in -nu..=nu {
        for j in -nt..=nt {
            let (u, t) = (f64::from(i) * hu, f64::from(j) * ht);
            let f = [0.0, mean[1] - mean[0] + l11 * u, mean[2] - mean[0] + l21 * u + l22 * t];
            let top = f[0].max(f[1]).max(f[2]);
            let terms = f.map(|f| (f - top).exp());
            let sum: f64 = terms.iter().sum();
            let weight = density(u) * density(t) * hu * ht;
            (0..3).for_each(|c| p[c] += weight * terms[c] / sum);
        }
    }
    p
}

#[test]
fn softmax_of_three_is_right_at_any_variances() {
    let likelihood = LikelihoodParams::SOFTMAX.check(3).unwrap();
    for k in 0..21 {
        let (mean, variance) = moments(3, k);
        let found = probabilities(&likelihood, &mean, &variance);
        let expected = three_classes(&mean, &variance);
        assert_close(&found, &expected, TOLERANCE, &format!("{mean:?}, {variance:?}"));
    }
}

/// `E[Π_c F_c]` form of the softmax with both integrals fine: `−∫ φ_c'(u) Π φ_j(u) du`, `u = e^{−t}`, `φ` the Laplace
/// transform of `e^f`.
fn many_classes(mean: &[f64], variance: &[f64]) -> Vec<f64> {
    let s: Vec<f64> = variance.iter().map(|v| v.sqrt()).collect();
    let pair = |t: f64, c: usize| {
        // The kink of exp(−e^{f − t}) is 1 wide, and the density s wide.
        let h = (0.25 / s[c].max(1e-9)).min(0.25);
        let (mut value, mut slope) = (0.0, 0.0);
        for k in 0..=(18.0 / h) as i32 {
            let z = -9.0 + f64::from(k) * h;
            let x = mean[c] + s[c] * z - t;
            let mass = density(z) * h * (-x.exp()).exp();
            value += mass;
            slope += if mass > 0.0 { mass * x.exp() } else { 0.0 };
        }
        (value, slope)
    };
    let low = (0..s.len()).map(|c| mean[c] - 7.0 * s[c] - 4.0).fold(f64::NEG_INFINITY, f64::max);
    let high = (0..s.len()).map(|c| mean[c] + 7.0 * s[c] + 18.0).fold(low, f64::max);
    let mut p = vec![0.0; s.len()];
    let h = 0.5;
    for k in 0..=((high - low) / h) as i32 {
        let pairs: Vec<(f64, f64)> = (0..s.len()).map(|c| pair(low + h * f64::from(k), c)).collect();
        for c in 0..s.len() {
            let others = (0..s.len()).filter(|&j| j != c).map(|j| pairs[j].0);
            p[c] += h * pairs[c].1 * others.product::<f64>();
        }
    }
    p
}

#[test]
fn softmax_of_many_is_right_at_any_variances() {
    for n in [4, 6, 10] {
        let likelihood = LikelihoodParams::SOFTMAX.check(n).unwrap();
        for k in 0..7 {
            let (mean, variance) = moments(n, k);
            let found = probabilities(&likelihood, &mean, &variance);
            let expected = many_classes(&mean, &variance);
            assert!((expected.iter().sum::<f64>() - 1.0).abs() < 1e-7, "reference at {mean:?}, {variance:?}");
            assert_close(&found, &expected, TOLERANCE, &format!("{mean:?}, {variance:?}"));
        }
    }
}

#[test]
fn classes_may_be_relabelled() {
    for n in [2, 3, 7] {
        for params in [LikelihoodParams::SOFTMAX, LikelihoodParams::ROBUST_MAX] {
            let likelihood = params.check(n).unwrap();
            for k in 0..14 {
                let (mean, variance) = moments(n, k);
                let p = probabilities(&likelihood, &mean, &variance);
                let turn = |x: &[f64]| (0..n).map(|c| x[(c + 1) % n]).collect::<Vec<f64>>();
                let turned = probabilities(&likelihood, &turn(&mean), &turn(&variance));
                assert_close(&turned, &turn(&p), 1e-12, "relabelled");
                let equal = probabilities(&likelihood, &vec![mean[0]; n], &vec![variance[1]; n]);
                assert_close(&equal, &vec![1.0 / n as f64; n], 1e-12, "equal classes");
            }
        }
    }
}

#[test]
fn extreme_moments_give_probabilities() {
    for n in [2, 3, 5] {
        for params in [LikelihoodParams::SOFTMAX, LikelihoodParams::ROBUST_MAX] {
            let likelihood = params.check(n).unwrap();
            for size in [1e-300, 1e-8, 1e4, 1e20, 1e100, 1e150f64] {
                for (k, spread) in [1e-200, 1e-12, 1.0, 1e10, 1e200].into_iter().enumerate() {
                    let mean: Vec<f64> = (0..n).map(|c| size * ((k + 3 * c) as f64).cos()).collect();
                    let variance: Vec<f64> =
                        (0..n).map(|c| if c % 2 == 0 { spread } else { 1.0 / spread }).collect();
                    let p = probabilities(&likelihood, &mean, &variance);
                    assert!(p.iter().all(|p| (0.0..=1.0).contains(p)), "{mean:?} {variance:?} {p:?}");
                }
            }
        }
    }
}
