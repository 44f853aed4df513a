//! Norms of wavelet coefficients, and their derivatives in the scales.

use super::{BlockMeasures, ENERGY_FLOOR};
use crate::linalg::simd::vectorized;
use crate::wavelet::{Bank, BankError};
use faer::{Mat, MatRef};
use rayon::prelude::*;
use std::ops::Range;

/// Complexes treated together: a fixed number, so that sums do not depend on the number of threads.
const CHUNK: usize = 16;

/// Filters of one atom are summed side by side in groups of this size, the rest filled up with zeros.
const GROUP: usize = 4;

/// Features of all complexes, `[n, n_channels · W]`.
///
/// # Errors
///
/// [`BankError`] when an eigenvalue is not finite.
///
/// # Complexity
///
/// `O(n_atoms W (L + n_live))`, in parallel over complexes.
pub fn wavelet_features(measures: &BlockMeasures, bank: &Bank) -> Result<Mat<f64>, BankError> {
    let chunks = parallel_chunks(measures.len(), |range| {
        let mut filters = vec![0.0; bank.n_filters() * atoms_of(measures, &range).len()];
        bank.evaluate(&measures.eigenvalues()[atoms_of(measures, &range)], &mut filters)?;
        Ok(feature_rows(measures, bank.n_filters(), range, &filters))
    })?;
    Ok(from_rows(measures.len(), measures.n_channels() * bank.n_filters(), chunks.concat()))
}

/// What reverse mode needs of the filters: their values and derivatives at all atoms, which the features take
/// from the same exponentials.
///
/// # Complexity
///
/// `n_atoms (W + n_parameters)` numbers.
#[derive(Clone, Debug, Default)]
pub struct WaveletTape {
    chunks: Vec<ChunkTape>,
}

/// Filters of one chunk of complexes.
#[derive(Clone, Debug, Default)]
struct ChunkTape {
    values: Vec<f64>,      // [W, n]
    derivatives: Vec<f64>, // [n_parameters, n]
}

impl WaveletTape {
    /// The features, as [`wavelet_features`] gives them; the tape is written anew, in the memory it has.
    ///
    /// # Errors
    ///
    /// [`BankError`] when an eigenvalue is not finite.
    pub fn record(&mut self, measures: &BlockMeasures, bank: &Bank) -> Result<Mat<f64>, BankError> {
        let n = measures.len();
        self.chunks.resize_with(n.div_ceil(CHUNK), ChunkTape::default);
        let work = |(c, tape): (usize, &mut ChunkTape)| {
            let range = c * CHUNK..n.min((c + 1) * CHUNK);
            let atoms = atoms_of(measures, &range);
            tape.values.resize(bank.n_filters() * atoms.len(), 0.0);
            tape.derivatives.resize(bank.n_parameters() * atoms.len(), 0.0);
            let eigenvalues = &measures.eigenvalues()[atoms];
            bank.evaluate_with_derivatives(eigenvalues, &mut tape.values, &mut tape.derivatives)?;
            Ok(feature_rows(measures, bank.n_filters(), range, &tape.values))
        };
        let rows: Vec<Vec<f64>> =
            self.chunks.par_iter_mut().enumerate().map(work).collect::<Result<_, BankError>>()?;
        Ok(from_rows(n, measures.n_channels() * bank.n_filters(), rows.concat()))
    }

    /// Reverse mode: the gradient in the parameters of the bank, given the features and the derivative `upstream`
    /// of a function in them, both `[n, n_channels · W]`.
    ///
    /// # Errors
    ///
    /// [`BankError::Length`] when measures or bank are not those of the tape.
    pub fn vjp(
        &self,
        measures: &BlockMeasures,
        bank: &Bank,
        features: MatRef<'_, f64>,
        upstream: MatRef<'_, f64>,
    ) -> Result<Vec<f64>, BankError> {
        let parts = parallel_chunks(measures.len(), |range| {
            let expected = bank.n_filters() * atoms_of(measures, &range).len();
            let tape = self.chunks.get(range.start / CHUNK).filter(|tape| tape.values.len() == expected);
            let Some(tape) = tape else {
                return Err(BankError::Length { what: "the tape of the filters", found: 0, expected });
            };
            let slopes = filter_slopes(measures, bank.n_filters(), range, &tape.values, features, upstream);
            let mut gradient = vec![0.0; bank.n_parameters()];
            bank.vjp_from_derivatives(&tape.derivatives, &slopes, &mut gradient)?;
            Ok(gradient)
        })?;
        let mut gradient = vec![0.0; bank.n_parameters()];
        for part in parts {
            gradient.iter_mut().zip(part).for_each(|(g, p)| *g += p);
        }
        Ok(gradient)
    }
}

/// The results of `work` on fixed chunks of complexes, in order.
fn parallel_chunks<R: Send>(
    n: usize,
    work: impl Fn(Range<usize>) -> Result<R, BankError> + Sync,
) -> Result<Vec<R>, BankError> {
    (0..n.div_ceil(CHUNK)).into_par_iter().map(|c| work(c * CHUNK..n.min((c + 1) * CHUNK))).collect()
}

/// Atoms of the complexes in a range that is not empty.
fn atoms_of(measures: &BlockMeasures, range: &Range<usize>) -> Range<usize> {
    measures.atoms(range.start).start..measures.atoms(range.end - 1).end
}

/// Rows of features, end to end, from the values `[W, n]` of the filters at the atoms of a range of complexes.
fn feature_rows(measures: &BlockMeasures, width: usize, range: Range<usize>, filters: &[f64]) -> Vec<f64> {
    let n_columns = measures.n_channels() * width;
    let first = atoms_of(measures, &range).start;
    let squares = by_atom(filters, width, |w| w * w);
    let mut rows = vec![ENERGY_FLOOR; range.len() * n_columns];
    vectorized(
        #[inline(always)]
        || {
            for (i, row) in range.clone().zip(rows.chunks_exact_mut(n_columns.max(1))) {
                let at = measures.atoms(i).start - first;
                for (d, masses) in measures.channels(i) {
                    let out = &mut row[d * width..(d + 1) * width];
                    for (g, out) in out.chunks_mut(GROUP).enumerate() {
                        let mut sums = [0.0; GROUP];
                        for (n, e) in masses.iter().enumerate() {
                            let squares = group(&squares, width, at + n, g);
                            (0..GROUP).for_each(|k| sums[k] += squares[k] * e);
                        }
                        out.iter_mut().zip(sums).for_each(|(s, sum)| *s += sum);
                    }
                }
                row.iter_mut().for_each(|s| *s = s.sqrt());
            }
        },
    );
    rows
}

/// Derivatives `[W, n]` of a function in the filters at the atoms of a range of complexes:
/// `∂f/∂w_jn = w_jn Σ_d E_nd (∂f/∂s_dj) / s_dj`.
fn filter_slopes(
    measures: &BlockMeasures,
    width: usize,
    range: Range<usize>,
    filters: &[f64],
    features: MatRef<'_, f64>,
    upstream: MatRef<'_, f64>,
) -> Vec<f64> {
    let atoms = atoms_of(measures, &range);
    let n = atoms.len();
    let stride = width.next_multiple_of(GROUP);
    let mut sums = vec![0.0; n * stride];
    let mut ratios = vec![0.0; stride];
    for i in range {
        let at = measures.atoms(i).start - atoms.start;
        for (d, masses) in measures.channels(i) {
            for j in 0..width {
                ratios[j] = upstream[(i, d * width + j)] / features[(i, d * width + j)];
            }
            let sums = &mut sums[at * stride..(at + masses.len()) * stride];
            add_outer(sums, masses, &ratios);
        }
    }
    let mut slopes = filters.to_vec();
    for (j, slopes) in slopes.chunks_exact_mut(n.max(1)).enumerate() {
        slopes.iter_mut().zip(sums[j..].iter().step_by(stride)).for_each(|(w, s)| *w *= s);
    }
    slopes
}

/// `sums[n, ·] += masses[n] · ratios`.
fn add_outer(sums: &mut [f64], masses: &[f64], ratios: &[f64]) {
    vectorized(
        #[inline(always)]
        || {
            for (sums, e) in sums.chunks_exact_mut(ratios.len()).zip(masses) {
                for (sums, ratios) in
                    sums.as_chunks_mut::<GROUP>().0.iter_mut().zip(ratios.as_chunks::<GROUP>().0)
                {
                    (0..GROUP).for_each(|k| sums[k] += ratios[k] * e);
                }
            }
        },
    );
}

/// `[W, n]` turned to atom after atom, each with its filters filled up to whole groups.
fn by_atom(filters: &[f64], width: usize, map: impl Fn(f64) -> f64) -> Vec<f64> {
    let n = filters.len() / width.max(1);
    let stride = width.next_multiple_of(GROUP);
    let mut out = vec![0.0; n * stride];
    for (j, filter) in filters.chunks_exact(n.max(1)).enumerate() {
        out[j..].iter_mut().step_by(stride).zip(filter).for_each(|(o, &w)| *o = map(w));
    }
    out
}

/// Group `g` of the filters of atom `n`.
#[inline(always)]
fn group(by_atom: &[f64], width: usize, n: usize, g: usize) -> &[f64; GROUP] {
    let at = n * width.next_multiple_of(GROUP) + g * GROUP;
    by_atom[at..].first_chunk().expect("rows are filled up to whole groups")
}

/// Features of a harmonic block, `[n, n_channels]`: every filter is a constant there, so one column a channel.
#[must_use]
pub fn harmonic_features(measures: &BlockMeasures) -> Mat<f64> {
    let (n, n_columns) = (measures.len(), measures.n_channels());
    let mut features = Mat::full(n, n_columns, ENERGY_FLOOR.sqrt());
    for i in 0..n {
        for (d, masses) in measures.channels(i) {
            features[(i, d)] = (masses.iter().sum::<f64>() + ENERGY_FLOOR).sqrt();
        }
    }
    features
}

/// A matrix from its rows end to end.
pub(super) fn from_rows(n: usize, n_columns: usize, rows: Vec<f64>) -> Mat<f64> {
    MatRef::from_row_major_slice(&rows, n, n_columns).to_owned()
}
