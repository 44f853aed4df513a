//! Scores of predicted numbers and their variances.

use super::{MetricError, all_finite, finite, same_length, some_items};
use hodgelet::likelihood::Mixture;

/// Levels of the central intervals whose coverage is reported.
pub const LEVELS: [f64; 3] = [0.5, 0.9, 0.95];

/// Root of the mean squared error.
///
/// # Errors
///
/// [`MetricError`] when the lists are empty, differ in length or hold numbers that are not finite, or the score
/// overflows.
pub fn rmse(predicted: &[f64], truth: &[f64]) -> Result<f64, MetricError> {
    pairs(predicted, truth)?;
    finite("rmse", root_mean_square(predicted.iter().zip(truth).map(|(p, t)| p - t), truth.len()))
}

/// Mean absolute error.
///
/// # Errors
///
/// As [`rmse`].
pub fn mae(predicted: &[f64], truth: &[f64]) -> Result<f64, MetricError> {
    pairs(predicted, truth)?;
    let total: f64 = predicted.iter().zip(truth).map(|(p, t)| (p - t).abs()).sum();
    finite("mae", total / truth.len() as f64)
}

/// Share of the variance explained, `1 − Σ (tᵢ − pᵢ)² / Σ (tᵢ − t̄)²`; at most 1, and below 0 when the mean would
/// have done better.
///
/// Where all truths are equal it is 1 for exact predictions and 0 otherwise, as in scikit-learn.
///
/// # Errors
///
/// As [`rmse`]; [`MetricError::Few`] for a single item, which has no variance to explain.
pub fn r2(predicted: &[f64], truth: &[f64]) -> Result<f64, MetricError> {
    pairs(predicted, truth)?;
    if truth.len() < 2 {
        return Err(MetricError::Few { found: truth.len(), least: 2 });
    }
    if truth.iter().all(|t| *t == truth[0]) {
        return Ok(if predicted == truth { 1.0 } else { 0.0 });
    }
    let mean = finite("r2", truth.iter().sum::<f64>() / truth.len() as f64)?;
    // both sums are divided by the largest squared difference, so that neither underflows
    let largest = truth.iter().map(|t| (t - mean).abs()).fold(0.0, f64::max);
    let spread: f64 = truth.iter().map(|t| ((t - mean) / largest).powi(2)).sum();
    let error: f64 = predicted.iter().zip(truth).map(|(p, t)| ((p - t) / largest).powi(2)).sum();
    finite("r2", 1.0 - error / spread)
}

/// Mean of `−ln pᵢ(tᵢ)` over the predicted densities, in nats.
///
/// # Errors
///
/// As [`rmse`]; [`MetricError::Variance`] for a variance that is not positive.
pub fn density_nll(densities: &[Mixture], truth: &[f64]) -> Result<f64, MetricError> {
    check(densities, truth)?;
    let total: f64 = densities.iter().zip(truth).map(|(density, t)| -density.log_density(*t)).sum();
    finite("nll", total / truth.len() as f64)
}

/// Share of truths inside the central predictive interval of probability `level`, ends included.
///
/// # Errors
///
/// As [`density_nll`]; [`MetricError::Level`] unless `0 < level < 1`.
pub fn coverage(densities: &[Mixture], truth: &[f64], level: f64) -> Result<f64, MetricError> {
    check(densities, truth)?;
    if !(0.0 < level && level < 1.0) {
        return Err(MetricError::Level { level });
    }
    let inside = |(density, t): &(&Mixture, &f64)| density.holds(**t, level);
    let hits = densities.iter().zip(truth).filter(inside).count();
    Ok(hits as f64 / truth.len() as f64)
}

/// Root of the mean of squares of `n` numbers, also of those whose squares overflow or vanish.
#[must_use]
pub fn root_mean_square(values: impl Iterator<Item = f64> + Clone, n: usize) -> f64 {
    let mean = values.clone().map(|x| x.powi(2)).sum::<f64>() / n as f64;
    if mean.is_normal() {
        return mean.sqrt();
    }
    let largest = values.clone().map(f64::abs).fold(0.0, f64::max);
    if largest == 0.0 || !largest.is_finite() {
        return largest;
    }
    // Divided twice by a root: the inverse of the smallest numbers is infinite.
    let unit = largest.sqrt();
    largest * (values.map(|x| (x / unit / unit).powi(2)).sum::<f64>() / n as f64).sqrt()
}

/// Mean over items of the width of the central predictive interval of probability `level`, and `2 / (1 − level)` times the
/// distance of truths outside from its nearer end \[Gneiting07\]: the lower the better, and least in expectation for the true
/// quantiles.
///
/// # Errors
///
/// As [`coverage`].
pub fn interval_score(densities: &[Mixture], truth: &[f64], level: f64) -> Result<f64, MetricError> {
    check(densities, truth)?;
    if !(0.0 < level && level < 1.0) {
        return Err(MetricError::Level { level });
    }
    let penalty = 2.0 / (1.0 - level);
    let score = |(density, t): (&Mixture, &f64)| {
        let (low, high) = density.interval(level);
        (high - low) + penalty * ((low - t).max(0.0) + (t - high).max(0.0))
    };
    let total: f64 = densities.iter().zip(truth).map(score).sum();
    finite("interval_score", total / truth.len() as f64)
}

fn pairs(predicted: &[f64], truth: &[f64]) -> Result<(), MetricError> {
    some_items(truth.len())?;
    same_length("predictions", predicted.len(), truth.len())?;
    all_finite("prediction", predicted)?;
    all_finite("truth", truth)
}

fn check(densities: &[Mixture], truth: &[f64]) -> Result<(), MetricError> {
    let all = |value: fn(&Mixture) -> f64| densities.iter().map(value).collect::<Vec<f64>>();
    pairs(&all(Mixture::mean), truth)?;
    all_finite("variance", &all(Mixture::variance))?;
    let least =
        |density: &Mixture| density.components().iter().map(|c| c.variance).fold(f64::INFINITY, f64::min);
    match densities.iter().map(least).enumerate().find(|(_, v)| *v <= 0.0) {
        Some((index, value)) => Err(MetricError::Variance { index, value }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use MetricError::*;
    use hodgelet::likelihood::normal;

    #[test]
    fn predicting_the_mean_explains_nothing() {
        let truth = [1.0, 2.0, 6.0];
        assert_eq!(r2(&[3.0; 3], &truth), Ok(0.0));
        assert_eq!(r2(&truth, &truth), Ok(1.0));
        assert!(r2(&[6.0, 2.0, 1.0], &truth).unwrap() < 0.0);
        for scale in [5e-324, 1e-200, 1e200] {
            assert_eq!(r2(&[0.0; 2], &[scale, -scale]), Ok(0.0), "scale {scale}");
        }
    }

    #[test]
    fn equal_truths_are_found_although_their_mean_is_rounded() {
        let truth = [0.1; 6]; // sums to 0.6 − 1 ulp
        assert_eq!(r2(&[0.2; 6], &truth), Ok(0.0));
        assert_eq!(r2(&truth, &truth), Ok(1.0));
        assert_eq!(r2(&[0.1], &[0.1]), Err(Few { found: 1, least: 2 }));
    }

    #[test]
    fn the_ends_of_an_interval_count_as_inside() {
        let reach = -normal::quantile(0.25);
        let found = |t: f64| coverage(&[Mixture::normal(0.0, 1.0)], &[t], 0.5).unwrap();
        assert_eq!([found(reach), found(reach.next_up()), found(-reach)], [1.0, 0.0, 1.0]);
    }

    #[test]
    fn an_interval_costs_its_width_and_what_it_misses() {
        let reach = -normal::quantile(0.05);
        let found = |t: f64| interval_score(&[Mixture::normal(1.0, 4.0)], &[t], 0.9).unwrap();
        assert!((found(1.0) - 4.0 * reach).abs() < 1e-9);
        assert!((found(1.0 + 2.0 * reach + 0.5) - (4.0 * reach + 0.5 * 20.0)).abs() < 1e-9);
        assert!((found(1.0 - 2.0 * reach - 0.5) - (4.0 * reach + 0.5 * 20.0)).abs() < 1e-9);
        let sound = [Mixture::normal(0.0, 1.0)];
        assert_eq!(interval_score(&sound, &[0.0], 0.0), Err(Level { level: 0.0 }));
        assert!(interval_score(&sound, &[f64::NAN], 0.9).is_err());
    }

    #[test]
    fn numbers_that_cannot_be_scored_are_refused() {
        assert_eq!(rmse(&[], &[]), Err(Few { found: 0, least: 1 }));
        assert_eq!(mae(&[1.0], &[1.0, 2.0]), Err(Length { what: "predictions", found: 1, expected: 2 }));
        let found = rmse(&[f64::NAN], &[1.0]);
        assert!(matches!(found, Err(NotFinite { what: "prediction", index: 0, .. })));
        let infinite = f64::INFINITY;
        let found = r2(&[1.0, 1.0], &[1.0, infinite]);
        assert_eq!(found, Err(NotFinite { what: "truth", index: 1, value: infinite }));
        let (flat, sound) = ([Mixture::normal(1.0, 0.0)], [Mixture::normal(1.0, 1.0)]);
        assert_eq!(density_nll(&flat, &[1.0]), Err(Variance { index: 0, value: 0.0 }));
        assert_eq!(density_nll(&[], &[1.0]), Err(Length { what: "predictions", found: 0, expected: 1 }));
        assert_eq!(coverage(&sound, &[1.0], 1.0), Err(Level { level: 1.0 }));
        assert!(matches!(coverage(&sound, &[1.0], f64::NAN), Err(Level { .. })));
    }

    #[test]
    fn errors_have_the_unit_of_their_targets() {
        let (predicted, truth) = ([1.0, -2.0, 0.5], [1.5, 1.0, 0.25]);
        let expected = rmse(&predicted, &truth).unwrap();
        for unit in [1e-300, 1e-200, 1e-150, 1e150, 1e200, 1e300] {
            let found = rmse(&predicted.map(|x| unit * x), &truth.map(|x| unit * x)).unwrap();
            assert!((found / unit - expected).abs() < 1e-14 * expected, "{unit}: {found}");
        }
        assert_eq!(rmse(&[1e200], &[-1e200]), Ok(2e200));
        assert_eq!(rmse(&[5e-324], &[0.0]), Ok(5e-324));
        assert_eq!(rmse(&[1e-300], &[1e-300]), Ok(0.0));
    }

    #[test]
    fn overflow_is_an_error_rather_than_a_score() {
        assert_eq!(rmse(&[f64::MAX], &[f64::MIN]), Err(Overflow { metric: "rmse" }));
        assert_eq!(mae(&[f64::MAX], &[f64::MIN]), Err(Overflow { metric: "mae" }));
        assert_eq!(r2(&[0.0; 2], &[f64::MAX, 1e308]), Err(Overflow { metric: "r2" }));
        assert_eq!(r2(&[1e200, 0.0], &[1e-200, 0.0]), Err(Overflow { metric: "r2" }));
        assert_eq!(density_nll(&[Mixture::normal(1e200, 1e-300)], &[0.0]), Err(Overflow { metric: "nll" }));
    }
}
