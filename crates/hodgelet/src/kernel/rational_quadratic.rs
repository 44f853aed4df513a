//! Rational quadratic: `k(D) = (1 + D/2α)^−α`, a mixture of squared exponentials over lengthscales.

/// `values = k(D)` for squared distances `D`.
pub(super) fn values(alpha: f64, distances: &[f64], values: &mut [f64]) {
    for (value, &d) in values.iter_mut().zip(distances) {
        *value = (-alpha * (0.5 * d / alpha).ln_1p()).exp();
    }
}

/// `weights ← weights · k'(D)`, where `k' = −k/2 / (1 + u)` with `u = D/2α`; returns the sum of the old weights
/// times `∂k/∂ln α = α k (u/(1 + u) − ln(1 + u))`.
pub(super) fn slopes(alpha: f64, distances: &[f64], values: &[f64], weights: &mut [f64]) -> f64 {
    let mut sum = 0.0;
    for ((weight, &value), &d) in weights.iter_mut().zip(values).zip(distances) {
        let u = 0.5 * d / alpha;
        sum += *weight * value * (u / (1.0 + u) - u.ln_1p());
        *weight *= -0.5 * value / (1.0 + u);
    }
    alpha * sum
}
