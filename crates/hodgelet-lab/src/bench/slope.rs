//! The exponent of growth.

/// The slope of `log y` over `log x`, by least squares; none where all `x` are one.
pub fn exponent(points: impl Iterator<Item = (f64, f64)>) -> Option<f64> {
    let points: Vec<(f64, f64)> = points.map(|(x, y)| (x.ln(), y.max(1e-9).ln())).collect();
    let n = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / n;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let spread: f64 = points.iter().map(|p| (p.0 - x).powi(2)).sum();
    (spread > 0.0).then(|| points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum::<f64>() / spread)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponent_is_the_slope_in_logarithms() {
        let points = [(100.0, 1.0), (10_000.0, 1000.0)];
        assert!((exponent(points.into_iter()).unwrap() - 1.5).abs() < 1e-12);
        assert_eq!(exponent(points.into_iter().take(1)), None);
    }
}
