//! Features of the Fourier baseline: cumulative spectral energy at fixed points.

use super::{BlockMeasures, wavelet::from_rows};
use faer::Mat;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Points on the spectrum at which cumulative energy is read off.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FourierPoints {
    points: Vec<f64>,
}

/// What can be wrong with the points.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FourierError {
    /// There is no point.
    #[error("0 points on the spectrum, expected at least 1")]
    NoPoint,
    /// The points do not ascend, or one is not finite.
    #[error("point {index} on the spectrum is {found}, expected finite points in ascending order")]
    Order {
        /// Index of the point.
        index: usize,
        /// What was found.
        found: f64,
    },
}

impl FourierPoints {
    /// Number of points of the reference.
    pub const DEFAULT_COUNT: usize = 30;

    /// Points as given, ascending.
    ///
    /// # Errors
    ///
    /// [`FourierError`] when there is none, or they are not finite and ascending.
    pub fn new(points: Vec<f64>) -> Result<Self, FourierError> {
        if points.is_empty() {
            return Err(FourierError::NoPoint);
        }
        let sound = |i: usize| points[i].is_finite() && (i == 0 || points[i - 1] <= points[i]);
        match (0..points.len()).find(|&i| !sound(i)) {
            Some(index) => Err(FourierError::Order { index, found: points[index] }),
            None => Ok(Self { points }),
        }
    }

    /// `count` evenly spaced points from 0 to the largest eigenvalue of `training`.
    ///
    /// # Errors
    ///
    /// [`FourierError::NoPoint`] when `count` is 0.
    pub fn fit(training: &BlockMeasures, count: usize) -> Result<Self, FourierError> {
        let highest = training.eigenvalues().iter().copied().fold(0.0, f64::max);
        let step = highest / count.saturating_sub(1).max(1) as f64;
        Self::new((0..count).map(|j| if j + 1 == count { highest } else { j as f64 * step }).collect())
    }

    /// The points.
    #[must_use]
    pub fn points(&self) -> &[f64] {
        &self.points
    }

    /// Energy of each channel at eigenvalues up to each point, `[n, n_channels · n_points]`; channel `d` and point
    /// `j` are in column `d · n_points + j`.
    #[must_use]
    pub fn features(&self, measures: &BlockMeasures) -> Mat<f64> {
        let (n, width) = (measures.len(), self.points.len());
        let n_columns = measures.n_channels() * width;
        let rows: Vec<Vec<f64>> = (0..n).into_par_iter().map(|i| self.row(measures, i, n_columns)).collect();
        from_rows(n, n_columns, rows.concat())
    }

    fn row(&self, measures: &BlockMeasures, i: usize, n_columns: usize) -> Vec<f64> {
        let width = self.points.len();
        let mut row = vec![0.0; n_columns];
        let eigenvalues = &measures.eigenvalues()[measures.atoms(i)];
        for (d, masses) in measures.channels(i) {
            let bins = &mut row[d * width..(d + 1) * width];
            for (&value, mass) in eigenvalues.iter().zip(masses) {
                // The first point that the eigenvalue does not pass; equal up to rounding counts as reached.
                let reached = self.points.partition_point(|&p| p < value - 1e-9 * value.abs());
                if let Some(bin) = bins.get_mut(reached) {
                    *bin += mass;
                }
            }
            for j in 1..width {
                bins[j] += bins[j - 1];
            }
        }
        row
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_must_ascend() {
        assert_eq!(
            FourierPoints::new(vec![0.0, 2.0, 1.0]).unwrap_err().to_string(),
            "point 2 on the spectrum is 1, expected finite points in ascending order"
        );
        assert_eq!(
            FourierPoints::new(vec![]).unwrap_err().to_string(),
            "0 points on the spectrum, expected at least 1"
        );
    }
}
