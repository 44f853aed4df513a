//! Distributions of values: the mean of a kernel's features over the vertices of a complex.
//!
//! ```text
//! φ(G) = mean over v of [cos ω_mᵀh_v, sin ω_mᵀh_v],   m = 1..300,   ω_m ~ N(0, I / (0.25 · median ‖h − h'‖²))
//! ```
//!
//! `h` are values of vertices in units of their deviations over the training complexes. Frequencies are the same for the
//! same number of channels. `‖φ(G) − φ(G')‖` is an estimate of the maximum mean discrepancy between the two sets of values.

use super::BlockMeasures;
use faer::Mat;
use rayon::prelude::*;

/// Frequencies.
const FREQUENCIES: usize = 300;

/// The square of the kernel's width, in medians of squared distances.
const NARROW: f64 = 0.25;

/// Pairs of training vertices that the median is found from.
const PAIRS: usize = 20_000;

/// Training complexes that the unit of distances is found from.
const SAMPLE: usize = 200;

/// From the values of the vertices of a complex to the means of cosines and sines.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueEmbedding {
    centers: Vec<f64>,    // [n_channels]
    deviations: Vec<f64>, // [n_channels], 0 for a channel that does not vary
    width: f64,           // square root of 0.25 · median
    unit: f64,            // median distance between training complexes
}

impl ValueEmbedding {
    /// Numbers in a row.
    pub const WIDTH: usize = 2 * FREQUENCIES;

    /// Fitted to the values of the training complexes.
    #[must_use]
    pub fn fit(training: &BlockMeasures) -> Self {
        let n_channels = training.n_channels();
        let rows: Vec<&[f64]> =
            training.values().iter().flat_map(|values| values.chunks_exact(n_channels.max(1))).collect();
        let n = rows.len().max(1) as f64;
        let mean = |d: usize| rows.iter().map(|row| row[d] / n).sum::<f64>();
        let centers: Vec<f64> = (0..n_channels).map(mean).collect();
        let deviation = |d: usize| {
            let square = rows.iter().map(|row| (row[d] - centers[d]).powi(2) / n).sum::<f64>();
            let largest = rows.iter().fold(0.0f64, |a, row| a.max(row[d].abs()));
            Some(square.sqrt()).filter(|s| s.is_finite() && *s > 1e-9 * largest).unwrap_or(0.0)
        };
        let deviations: Vec<f64> = (0..n_channels).map(deviation).collect();
        let mut own = Self { centers, deviations, width: 0.0, unit: 1.0 };
        let mut state = rows.len() as u64;
        let mut pair = || [0, 0].map(|_| (next(&mut state) % rows.len() as u64) as usize);
        let distance = |[i, j]: [usize; 2]| {
            let pairs = own.standardized(rows[i]).zip(own.standardized(rows[j]));
            pairs.map(|(a, b)| (a - b).powi(2)).sum::<f64>()
        };
        let count = if rows.is_empty() { 0 } else { PAIRS };
        let mut found: Vec<f64> = (0..count).map(|_| distance(pair())).filter(|&d| d > 1e-12).collect();
        found.sort_unstable_by(f64::total_cmp);
        own.width = found.get(found.len() / 2).map_or(0.0, |median| (NARROW * median).sqrt());
        own.unit = own.median_distance(training);
        own
    }

    /// The median distance of training complexes that differ, in a sample of them.
    fn median_distance(&self, training: &BlockMeasures) -> f64 {
        let step = training.len().div_ceil(SAMPLE).max(1);
        let rows = self.rows(&training.select(&(0..training.len()).step_by(step).collect::<Vec<_>>()));
        let pairs = (0..rows.nrows()).flat_map(|i| (0..i).map(move |j| (i, j)));
        let distance = |(i, j): (usize, usize)| (rows.row(i) - rows.row(j)).norm_l2();
        let mut found: Vec<f64> = pairs.map(distance).filter(|&d| d > 1e-6).collect();
        found.sort_unstable_by(f64::total_cmp);
        found.get(found.len() / 2).copied().unwrap_or(1.0)
    }

    /// From [`stored`](Self::stored) numbers, if they are such as [`fit`](Self::fit) finds.
    #[must_use]
    pub fn new(stored: &[f64]) -> Option<Self> {
        let (&[width, unit], channels) = stored.split_first_chunk()?;
        let n = channels.len() / 2;
        let (centers, deviations) = (channels[..n].to_vec(), channels[n..].to_vec());
        let sound =
            width >= 0.0 && unit > 0.0 && deviations.len() == n && deviations.iter().all(|s| *s >= 0.0);
        (sound && stored.iter().all(|x| x.is_finite())).then_some(Self { centers, deviations, width, unit })
    }

    /// The width and the unit, then centers and deviations of the channels.
    #[must_use]
    pub fn stored(&self) -> Vec<f64> {
        [self.width, self.unit].iter().chain(&self.centers).chain(&self.deviations).copied().collect()
    }

    /// Channels that vary, if any do.
    #[must_use]
    pub fn n_live(&self) -> usize {
        if self.width > 0.0 { self.deviations.iter().filter(|&&s| s > 0.0).count() } else { 0 }
    }

    fn standardized<'a>(&'a self, row: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
        let units = self.centers.iter().zip(&self.deviations);
        row.iter().zip(units).map(|(x, (center, s))| if *s > 0.0 { (x - center) / s } else { 0.0 })
    }

    /// Number of channels.
    #[must_use]
    pub fn n_channels(&self) -> usize {
        self.centers.len()
    }

    /// The rows of complexes, `[n, 600]`: cosines, then sines, in units of the median distance. A complex without vertices has zeros.
    #[must_use]
    pub fn rows(&self, measures: &BlockMeasures) -> Mat<f64> {
        let n_channels = self.centers.len();
        let mut state = n_channels as u64;
        let scale = if self.width > 0.0 { 1.0 / self.width } else { 0.0 };
        // [n_frequencies, n_channels]
        let omega: Vec<f64> = (0..FREQUENCIES * n_channels).map(|_| scale * normal(&mut state)).collect();
        let row = |values: &Vec<f64>| {
            let mut sums = vec![0.0; Self::WIDTH];
            let n = (values.len() / n_channels.max(1)).max(1) as f64;
            for vertex in values.chunks_exact(n_channels.max(1)) {
                let h: Vec<f64> = self.standardized(vertex).collect();
                for (m, omega) in omega.chunks_exact(n_channels.max(1)).enumerate() {
                    let angle: f64 = omega.iter().zip(&h).map(|(w, h)| w * h).sum();
                    sums[m] += angle.cos() / n;
                    sums[FREQUENCIES + m] += angle.sin() / n;
                }
            }
            sums
        };
        let rows: Vec<Vec<f64>> = measures.values().par_iter().map(row).collect();
        Mat::from_fn(rows.len(), Self::WIDTH, |i, j| rows[i][j] / self.unit)
    }
}

/// The next of a sequence of numbers that look random.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut x = *state;
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

/// A standard normal number, by the method of Box and Muller: files of a model rely on the sequence.
fn normal(state: &mut u64) -> f64 {
    let mut uniform = || ((next(state) >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
    let (a, b) = (uniform(), uniform());
    (-2.0 * a.ln()).sqrt() * (2.0 * std::f64::consts::PI * b).cos()
}
