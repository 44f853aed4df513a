//! Numbers and counts of complexes as a whole.

use super::BlockMeasures;
use crate::kernel::{RowProduct, SparseRows};
use crate::measure::LabelMeasure;
use faer::Mat;

/// Numbers in units of their deviations over the training complexes, divided by the root of the number of those that vary:
/// the mean squared distance of two training complexes is 2.
#[derive(Clone, Debug, PartialEq)]
pub struct TableScaling {
    centers: Vec<f64>,
    deviations: Vec<f64>, // 0 for a number that does not vary
}

impl TableScaling {
    /// Fitted to the numbers of the training complexes.
    #[must_use]
    pub fn fit(training: &BlockMeasures) -> Self {
        let rows = training.values();
        let n = rows.len().max(1) as f64;
        let value = |row: &Vec<f64>, d: usize| row.get(d).copied().unwrap_or(0.0);
        let channels = 0..training.n_channels();
        let largest = |d: usize| rows.iter().fold(0.0f64, |a, row| a.max(value(row, d).abs()));
        let center = |d: usize| rows.iter().map(|row| value(row, d) / n).sum::<f64>();
        let centers: Vec<f64> = channels.clone().map(center).collect();
        let deviation = |d: usize| {
            // In units of the largest number, no square is too large or too small.
            let unit = largest(d);
            let square = |row: &Vec<f64>| ((value(row, d) - centers[d]) / unit).powi(2) / n;
            let s = unit * rows.iter().map(square).sum::<f64>().sqrt();
            Some(s).filter(|s| s.is_normal() && *s > 1e-9 * unit).unwrap_or(0.0)
        };
        let deviations = channels.map(deviation).collect();
        Self { centers, deviations }
    }

    /// From [`stored`](Self::stored) numbers, if they are such as [`fit`](Self::fit) finds.
    #[must_use]
    pub fn new(stored: &[f64]) -> Option<Self> {
        let (centers, deviations) = stored.split_at(stored.len() / 2);
        let sound = centers.len() == deviations.len()
            && stored.iter().all(|x| x.is_finite())
            && deviations.iter().all(|s| *s >= 0.0);
        sound.then(|| Self { centers: centers.to_vec(), deviations: deviations.to_vec() })
    }

    /// Centers, then deviations.
    #[must_use]
    pub fn stored(&self) -> Vec<f64> {
        self.centers.iter().chain(&self.deviations).copied().collect()
    }

    /// Number of numbers.
    #[must_use]
    pub fn n_channels(&self) -> usize {
        self.centers.len()
    }

    /// Numbers that vary.
    #[must_use]
    pub fn n_live(&self) -> usize {
        self.deviations.iter().filter(|&&s| s > 0.0).count()
    }

    /// The rows of complexes, `[n, n_channels]`; a number that does not vary is 0.
    #[must_use]
    pub fn rows(&self, measures: &BlockMeasures) -> Mat<f64> {
        let root = (self.n_live().max(1) as f64).sqrt();
        let entry = |i: usize, d: usize| {
            let x = measures.values()[i].get(d).copied().unwrap_or(self.centers[d]);
            let s = self.deviations[d];
            // Far beyond the training complexes, all distances are alike.
            if s > 0.0 { ((x - self.centers[d]) / s / root).clamp(-1e100, 1e100) } else { 0.0 }
        };
        Mat::from_fn(measures.values().len(), self.n_channels(), entry)
    }
}

/// Counts as points: rows whose product is that of minima over maxima.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Whether any two training complexes differ.
    pub differ: bool,
}

impl Counts {
    /// Fitted to the counts of the training complexes.
    #[must_use]
    pub fn fit(training: &BlockMeasures) -> Self {
        Self { differ: training.labels().windows(2).any(|pair| pair[0] != pair[1]) }
    }

    /// The rows of complexes.
    #[must_use]
    pub fn rows(&self, measures: &BlockMeasures) -> SparseRows {
        let mut rows = SparseRows::new(RowProduct::MinMax);
        for own in measures.labels() {
            let depths = own.n_depths().min(1);
            rows.push((0..depths).flat_map(|t| LabelMeasure::depth(own, t)));
        }
        rows
    }
}
