//! Several repeats as one row of a table.

use super::LEVELS;
use super::repeat::{Classes, Repeat, scored};
use hodgelet_cli::error::CommandError;
use hodgelet_eval::metrics::{MetricError, N_BINS, Summary, calibration, calibration_slope};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;

/// Draws of labels from the probabilities, for the floor of the calibration error.
const FLOOR_DRAWS: usize = 50;

/// What was found for one number of training graphs.
///
/// Standard errors are over the repeats: those of means directly, those of slopes and calibration errors by leaving out one
/// repeat at a time.
#[derive(Debug, Serialize)]
pub struct Row {
    pub train: usize,
    pub predictions: usize,
    /// Negative log likelihood per prediction, over the repeats.
    pub nll: Summary,
    /// The same of the oracle, where there is one.
    pub oracle_nll: Option<f64>,
    /// Of the base rate of the training graphs; for classes.
    pub base_rate_nll: Option<f64>,
    /// Of the most probable hyperparameters alone, where they were asked for.
    pub mode_nll: Option<f64>,
    /// Share of targets in the intervals of [`LEVELS`]; for numbers.
    pub coverage: Vec<Summary>,
    /// Calibration slope of all predictions together; for two classes.
    pub slope: Option<f64>,
    pub slope_error: Option<f64>,
    /// Expected calibration error of all predictions together; for classes.
    pub ece: Option<f64>,
    pub ece_error: Option<f64>,
    /// What it would be if labels were drawn from the probabilities.
    pub ece_floor: Option<f64>,
    /// Share of targets in the conformal regions of [`LEVELS`]; with `--conformal`.
    pub conformal: Vec<Summary>,
}

impl Row {
    /// The row of `repeats` with `train` training graphs each.
    pub fn of(train: usize, repeats: &[Repeat]) -> Result<Self, CommandError> {
        Self::scored(train, repeats).map_err(scored)
    }

    fn scored(train: usize, repeats: &[Repeat]) -> Result<Self, MetricError> {
        let all =
            |of: &dyn Fn(&Repeat) -> Option<f64>| -> Vec<f64> { repeats.iter().filter_map(of).collect() };
        let mean = |of: &dyn Fn(&Repeat) -> Option<f64>| {
            let values = all(of);
            (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
        };
        let by_level = |of: fn(&Repeat) -> &[f64]| {
            let shares = (0..LEVELS.len()).map(|l| all(&|repeat| of(repeat).get(l).copied()));
            shares.filter(|s| !s.is_empty()).map(|s| Summary::of(&s)).collect::<Result<Vec<_>, _>>()
        };
        let classes: Vec<&Classes> = repeats.iter().filter_map(|repeat| repeat.classes.as_ref()).collect();
        let (slope, ece) = (|c: &Classes| c.slope(), |c: &Classes| c.ece(&c.labels).map(Some));
        let together = (!classes.is_empty()).then(|| pooled(&classes, None));
        let (mut found_slope, mut found_ece, mut ece_floor) = (None, None, None);
        if let Some(together) = &together {
            (found_slope, found_ece) = (slope(together)?, ece(together)?);
            ece_floor = Some(together.floor()?);
        }
        Ok(Self {
            train,
            predictions: repeats.iter().map(|repeat| repeat.predictions).sum(),
            nll: Summary::of(&all(&|repeat| Some(repeat.nll)))?,
            oracle_nll: mean(&|repeat| repeat.beside.oracle),
            base_rate_nll: mean(&|repeat| repeat.beside.base_rate),
            mode_nll: mean(&|repeat| repeat.beside.mode),
            coverage: by_level(|repeat| &repeat.coverage)?,
            slope: found_slope,
            slope_error: jackknife(&classes, slope)?,
            ece: found_ece,
            ece_error: jackknife(&classes, ece)?,
            ece_floor,
            conformal: by_level(|repeat| &repeat.conformal)?,
        })
    }
}

/// All predictions, without those of one repeat.
fn pooled(classes: &[&Classes], without: Option<usize>) -> Classes {
    let mut all = Classes { n_classes: classes[0].n_classes, ..Classes::default() };
    for (_, part) in classes.iter().enumerate().filter(|(r, _)| Some(*r) != without) {
        all.rows.extend_from_slice(&part.rows);
        all.labels.extend_from_slice(&part.labels);
    }
    all
}

/// The standard error of a statistic of all predictions, by leaving out one repeat at a time.
fn jackknife(
    classes: &[&Classes],
    statistic: impl Fn(&Classes) -> Result<Option<f64>, MetricError>,
) -> Result<Option<f64>, MetricError> {
    let n = classes.len();
    if n < 2 {
        return Ok(None);
    }
    let mut values = Vec::new();
    for without in 0..n {
        let Some(value) = statistic(&pooled(classes, Some(without)))? else { return Ok(None) };
        values.push(value);
    }
    let spread = Summary::of(&values)?.std;
    Ok(Some(spread * ((n - 1) as f64).sqrt()))
}

impl Classes {
    /// The calibration slope; for two classes.
    fn slope(&self) -> Result<Option<f64>, MetricError> {
        if self.n_classes != 2 {
            return Ok(None);
        }
        let positive: Vec<f64> = self.rows.iter().skip(1).step_by(2).copied().collect();
        calibration_slope(&positive, &self.labels)
    }

    /// The expected calibration error if these were the labels.
    fn ece(&self, labels: &[u32]) -> Result<f64, MetricError> {
        Ok(calibration(&self.rows, self.n_classes, labels, N_BINS)?.ece)
    }

    /// The mean error of labels that are drawn from the probabilities: what is left under perfect calibration.
    fn floor(&self) -> Result<f64, MetricError> {
        let mut rng = ChaCha8Rng::seed_from_u64(0);
        let mut total = 0.0;
        for _ in 0..FLOOR_DRAWS {
            let draw = |row: &[f64]| {
                let mut left: f64 = rng.random();
                let class = row.iter().position(|p| {
                    left -= p;
                    left < 0.0
                });
                class.unwrap_or(self.n_classes - 1) as u32
            };
            total += self.ece(&self.rows.chunks(self.n_classes).map(draw).collect::<Vec<u32>>())?;
        }
        Ok(total / FLOOR_DRAWS as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coverage::repeat::Beside;

    fn repeat(nll: f64, rows: Vec<f64>, labels: Vec<u32>) -> Repeat {
        Repeat {
            predictions: labels.len(),
            nll,
            beside: Beside { base_rate: Some(0.7), ..Beside::default() },
            coverage: Vec::new(),
            classes: Some(Classes { rows, n_classes: 2, labels }),
            conformal: Vec::new(),
        }
    }

    /// With one value each, the jackknife is the standard error of the mean.
    #[test]
    fn the_jackknife_of_a_mean_is_its_standard_error() {
        let parts =
            [0.1, 0.4, 0.9, 0.2].map(|p| Classes { rows: vec![1.0 - p, p], n_classes: 2, labels: vec![1] });
        let mean =
            |c: &Classes| Ok(Some(c.rows.iter().skip(1).step_by(2).sum::<f64>() / c.labels.len() as f64));
        let found = jackknife(&parts.iter().collect::<Vec<_>>(), mean).unwrap().unwrap();
        let expected = Summary::of(&[0.1, 0.4, 0.9, 0.2]).unwrap().standard_error.unwrap();
        assert!((found - expected).abs() < 1e-14, "{found} {expected}");
        assert_eq!(jackknife(&[&parts[0]], mean).unwrap(), None);
    }

    /// Probabilities that are twice too far out in log odds have slope 1/2, and a calibration error above its floor.
    #[test]
    fn overconfidence_shows_in_slope_and_calibration_error() {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let mut part = |factor: f64| {
            let (mut rows, mut labels) = (Vec::new(), Vec::new());
            for _ in 0..400 {
                let odds = 4.0 * rng.random::<f64>() - 2.0;
                let sigmoid = |x: f64| 1.0 / (1.0 + (-x).exp());
                labels.push(u32::from(rng.random::<f64>() < sigmoid(odds)));
                let p = sigmoid(factor * odds);
                rows.extend([1.0 - p, p]);
            }
            repeat(0.5, rows, labels)
        };
        let right = Row::of(9, &[part(1.0), part(1.0), part(1.0), part(1.0), part(1.0)]).unwrap();
        let wrong = Row::of(9, &[part(2.0), part(2.0), part(2.0), part(2.0), part(2.0)]).unwrap();
        let (slope, error) = (right.slope.unwrap(), right.slope_error.unwrap());
        assert!((slope - 1.0).abs() < 3.0 * error && error < 0.15, "{slope} ± {error}");
        assert!((wrong.slope.unwrap() - 0.5).abs() < 3.0 * wrong.slope_error.unwrap(), "{:?}", wrong.slope);
        assert!(
            right.ece.unwrap() < right.ece_floor.unwrap() + 0.02,
            "{:?} {:?}",
            right.ece,
            right.ece_floor
        );
        assert!(
            wrong.ece.unwrap() > wrong.ece_floor.unwrap() + 0.05,
            "{:?} {:?}",
            wrong.ece,
            wrong.ece_floor
        );
        assert_eq!((right.predictions, right.base_rate_nll), (2000, Some(0.7)));
    }
}
