//! Distributions of values: the mean of a kernel's features over the vertices, or edges, of a complex.
//!
//! ```text
//! φ(G) = mean over v of [cos ω_mᵀh_v, sin ω_mᵀh_v],   m = 1..300,   ω_m ~ N(0, I / (0.15 · mean ‖h − h'‖²))
//! ```
//!
//! `h` are values of cells in units of their deviations over the training complexes, so that the mean over pairs of
//! cells is twice the number of channels that vary. Frequencies are the same for the
//! same number of channels. `‖φ(G) − φ(G')‖` is an estimate of the maximum mean discrepancy between the two sets of values.
//!
//! Flows change their sign with the orientation of their edge, which means nothing. They are not centered, and the mean over
//! both orientations takes the place of the features: with `a` the sum over plain channels and `b` that over flows,
//! `½ (cos(a + b) + cos(a − b)) = cos a cos b` and `½ (sin(a + b) + sin(a − b)) = sin a cos b`. Of flows alone only the
//! cosines are left.

use super::BlockMeasures;
use crate::kernel::FixedRows;
use faer::{Mat, Par};
use rayon::prelude::*;

/// Frequencies.
const FREQUENCIES: usize = 300;

/// The square of the kernel's width, in means of squared distances.
const NARROW: f64 = 0.15;

/// Training complexes that the unit of distances is found from, at most.
const SAMPLE: usize = 600;

/// From the values of the cells of a complex to the means of cosines and sines.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueEmbedding {
    centers: Vec<f64>,    // [n_channels]
    deviations: Vec<f64>, // [n_channels], 0 for a channel that does not vary
    width: f64,           // square root of 0.15 · mean; 0 where no two complexes differ
    unit: f64,            // median distance between training complexes
    oriented: Vec<bool>,  // [n_channels]
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
        let is_oriented = |d: usize| training.oriented().get(d).copied().unwrap_or(false);
        let oriented: Vec<bool> = (0..n_channels).map(is_oriented).collect();
        let mean = |d: usize| if oriented[d] { 0.0 } else { rows.iter().map(|row| row[d] / n).sum::<f64>() };
        let centers: Vec<f64> = (0..n_channels).map(mean).collect();
        let deviation = |d: usize| {
            let largest = rows.iter().fold(0.0f64, |a, row| a.max(row[d].abs()));
            // In units of the largest value, no square is too large or too small.
            let square = |row: &&[f64]| ((row[d] - centers[d]) / largest).powi(2) / n;
            let s = largest * rows.iter().map(square).sum::<f64>().sqrt();
            Some(s).filter(|s| s.is_finite() && *s > 1e-9 * largest).unwrap_or(0.0)
        };
        let deviations: Vec<f64> = (0..n_channels).map(deviation).collect();
        let live = deviations.iter().filter(|&&s| s > 0.0).count();
        let width = (NARROW * 2.0 * live as f64).sqrt();
        let own = Self { centers, deviations, width, unit: 1.0, oriented };
        match own.median_distance(training) {
            Some(unit) => Self { unit, ..own },
            None => Self { width: 0.0, ..own },
        }
    }

    /// The median distance of training complexes that differ, all or a sample of them.
    fn median_distance(&self, training: &BlockMeasures) -> Option<f64> {
        let step = training.len().div_ceil(SAMPLE).max(1);
        let rows = self.rows(&training.select(&(0..training.len()).step_by(step).collect::<Vec<_>>()));
        let all = FixedRows::Dense(rows).squared_distances(Par::Seq).ok()?;
        let below = (0..all.ncols()).flat_map(|j| all.col_as_slice(j)[j + 1..].iter());
        let mut found: Vec<f64> = below.copied().filter(|&d| d > 1e-12).collect();
        let middle = found.len() / 2;
        (!found.is_empty()).then(|| found.select_nth_unstable_by(middle, f64::total_cmp).1.sqrt())
    }

    /// From [`stored`](Self::stored) numbers of channels of which some are `oriented`, if they are such as [`fit`](Self::fit)
    /// finds.
    #[must_use]
    pub fn new(stored: &[f64], oriented: Vec<bool>) -> Option<Self> {
        let (&[width, unit], channels) = stored.split_first_chunk()?;
        let n = channels.len() / 2;
        let (centers, deviations) = (channels[..n].to_vec(), channels[n..].to_vec());
        let sound = width >= 0.0
            && unit > 0.0
            && (deviations.len(), oriented.len()) == (n, n)
            && deviations.iter().all(|s| *s >= 0.0)
            && centers.iter().zip(&oriented).all(|(center, oriented)| !oriented || *center == 0.0);
        let own = Self { centers, deviations, width, unit, oriented };
        (sound && stored.iter().all(|x| x.is_finite())).then_some(own)
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

    /// The cosine and the sine at each frequency `omega` of a cell with these values.
    fn waves<'a>(&'a self, omega: &'a [f64], cell: &'a [f64]) -> impl Iterator<Item = [f64; 2]> + 'a {
        let h: Vec<f64> = self.standardized(cell).collect();
        let flows = self.oriented.contains(&true);
        omega.chunks_exact(self.centers.len().max(1)).map(move |omega| {
            if !flows {
                let angle: f64 = omega.iter().zip(&h).map(|(w, h)| w * h).sum();
                return [angle.cos(), angle.sin()];
            }
            let (mut plain, mut flow) = (0.0, 0.0);
            for ((w, h), oriented) in omega.iter().zip(&h).zip(&self.oriented) {
                *(if *oriented { &mut flow } else { &mut plain }) += w * h;
            }
            // The mean over both orientations.
            [plain.cos() * flow.cos(), plain.sin() * flow.cos()]
        })
    }

    /// What each cell of a complex with these values adds to its [row](Self::rows), `[n_cells, 600]`.
    #[must_use]
    pub fn cell_rows(&self, values: &[f64]) -> Mat<f64> {
        let cells: Vec<&[f64]> = values.chunks_exact(self.centers.len().max(1)).collect();
        let (n, omega) = (cells.len(), self.frequencies());
        let factor = 1.0 / (n.max(1) as f64 * self.unit);
        let mut out = Mat::zeros(n, Self::WIDTH);
        for (v, cell) in cells.iter().enumerate() {
            for (m, [cosine, sine]) in self.waves(&omega, cell).enumerate() {
                out[(v, m)] = factor * cosine;
                out[(v, FREQUENCIES + m)] = factor * sine;
            }
        }
        out
    }

    /// Frequencies over the width, `[300, n_channels]` row by row.
    fn frequencies(&self) -> Vec<f64> {
        let n_channels = self.centers.len();
        let mut state = n_channels as u64;
        let scale = if self.width > 0.0 { 1.0 / self.width } else { 0.0 };
        (0..FREQUENCIES * n_channels).map(|_| scale * normal(&mut state)).collect()
    }

    /// The rows of complexes, `[n, 600]`: cosines, then sines, in units of the median distance. A complex without cells has zeros.
    #[must_use]
    pub fn rows(&self, measures: &BlockMeasures) -> Mat<f64> {
        let (n_channels, omega) = (self.centers.len(), self.frequencies());
        let row = |values: &Vec<f64>| {
            let mut sums = vec![0.0; Self::WIDTH];
            let n = (values.len() / n_channels.max(1)).max(1) as f64;
            for cell in values.chunks_exact(n_channels.max(1)) {
                for (m, [cosine, sine]) in self.waves(&omega, cell).enumerate() {
                    sums[m] += cosine / n;
                    sums[FREQUENCIES + m] += sine / n;
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

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: [&[f64]; 4] =
        [&[0.0, 1.0], &[1.0, 1.5, -0.5, 2.0], &[-1.0, 0.5], &[0.5, -2.0, 1.0, 0.0, 2.0, 1.0]];

    fn largest(found: &Mat<f64>, expected: &Mat<f64>) -> f64 {
        assert_eq!(found.shape(), expected.shape());
        (found - expected).norm_max()
    }

    /// Random frequencies estimate the Gaussian kernel: `φ(h)ᵀφ(h') ≈ exp(−‖h − h'‖² / 2 width²)`, to `1/√300` or so.
    #[test]
    fn products_of_single_cells_are_a_gaussian_kernel() {
        let measures = BlockMeasures::of_values(&[false, false], &PLAIN);
        let embedding = ValueEmbedding::fit(&measures);
        assert_eq!((embedding.n_channels(), embedding.n_live()), (2, 2));
        let stored = embedding.stored();
        let [width, unit, c0, c1, s0, s1] = stored[..] else { panic!("six numbers: {stored:?}") };
        // Seven cells.
        assert!((c0 - 3.0 / 7.0).abs() < 1e-15, "{c0}");
        assert!((width * width - NARROW * 4.0).abs() < 1e-15);
        let cells: [[f64; 2]; 3] = [[0.1, 0.2], [0.4, -0.3], [0.0, 0.9]];
        let rows =
            embedding.rows(&BlockMeasures::of_values(&[false, false], &cells.each_ref().map(|c| &c[..])));
        for (i, a) in cells.iter().enumerate() {
            for (j, b) in cells.iter().enumerate() {
                let square = ((a[0] - b[0]) / s0).powi(2) + ((a[1] - b[1]) / s1).powi(2);
                let expected = (-square / (2.0 * width * width)).exp();
                let product = rows.row(i) * rows.row(j).transpose();
                let found = unit * unit * product / FREQUENCIES as f64;
                assert!(
                    (found - expected).abs() < if i == j { 1e-12 } else { 0.15 },
                    "{i} {j}: {found} {expected}"
                );
            }
        }
        // The cosine of the angle at the center is 1 and its sine 0.
        let center = embedding.rows(&BlockMeasures::of_values(&[false, false], &[&[c0, c1]]));
        assert!(
            (0..FREQUENCIES).all(|m| center[(0, m)] == 1.0 / unit && center[(0, FREQUENCIES + m)] == 0.0)
        );
    }

    #[test]
    fn a_row_is_the_sum_over_its_cells_and_the_median_distance_is_one() {
        let measures = BlockMeasures::of_values(&[false, true], &PLAIN);
        let embedding = ValueEmbedding::fit(&measures);
        let rows = embedding.rows(&measures);
        for (i, values) in PLAIN.iter().enumerate() {
            let cells = embedding.cell_rows(values);
            assert_eq!(cells.shape(), (values.len() / 2, ValueEmbedding::WIDTH));
            for m in 0..ValueEmbedding::WIDTH {
                assert!((cells.col(m).sum() - rows[(i, m)]).abs() < 1e-12, "complex {i}, number {m}");
            }
        }
        let distance = |i: usize, j: usize| (rows.row(i) - rows.row(j)).squared_norm_l2();
        let mut all: Vec<f64> =
            (0..4).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| distance(i, j)).collect();
        all.sort_by(f64::total_cmp);
        assert!((all[3] - 1.0).abs() < 1e-9, "{all:?}");
    }

    #[test]
    fn units_and_origins_of_plain_channels_and_signs_of_flows_mean_nothing() {
        let changed = |f: &dyn Fn(f64, f64) -> [f64; 2]| -> Vec<Vec<f64>> {
            PLAIN.iter().map(|own| own.chunks(2).flat_map(|cell| f(cell[0], cell[1])).collect()).collect()
        };
        let rows = |values: &[Vec<f64>]| {
            let values: Vec<&[f64]> = values.iter().map(Vec::as_slice).collect();
            let measures = BlockMeasures::of_values(&[false, true], &values);
            ValueEmbedding::fit(&measures).rows(&measures)
        };
        let expected = rows(&changed(&|x, y| [x, y]));
        assert!(largest(&rows(&changed(&|x, y| [100.0 * x - 7.0, 0.25 * y])), &expected) < 1e-9);
        assert!(largest(&rows(&changed(&|x, y| [x, -y])), &expected) < 1e-12);
        assert!(largest(&rows(&changed(&|x, y| [x, y.abs()])), &expected) < 1e-12);
        // A value that is not a flow has a sign.
        assert!(largest(&rows(&changed(&|x, y| [x.abs(), y])), &expected) > 0.01);
    }

    #[test]
    fn what_does_not_vary_or_is_not_such_as_fit_finds_is_left_out() {
        let constant = BlockMeasures::of_values(&[false], &[&[2.0, 2.0], &[2.0]]);
        let embedding = ValueEmbedding::fit(&constant);
        assert_eq!((embedding.n_channels(), embedding.n_live()), (1, 0));
        let sound = [0.5, 1.0, 0.0, 3.0, 1.0, 2.0];
        let found = ValueEmbedding::new(&sound, vec![true, false]).unwrap();
        assert_eq!(found.stored(), sound);
        assert!(ValueEmbedding::new(&sound, vec![false, true]).is_none(), "a flow has no center");
        assert!(ValueEmbedding::new(&sound[..5], vec![true, false]).is_none());
        assert!(ValueEmbedding::new(&sound, vec![true]).is_none());
        for (at, wrong) in [(0, -0.5), (1, 0.0), (4, -1.0), (0, f64::NAN), (3, f64::INFINITY)] {
            let mut stored = sound;
            stored[at] = wrong;
            assert!(ValueEmbedding::new(&stored, vec![true, false]).is_none(), "{wrong} at {at}");
        }
    }
}
