//! Norms of wavelet coefficients, and their derivatives in the scales.

use super::nodes::SharedNodes;
use super::{BlockMeasures, ENERGY_FLOOR};
use crate::linalg::dense::reshape;
use crate::linalg::simd::vectorized;
use crate::wavelet::{Bank, BankError};
use faer::prelude::ReborrowMut;
use faer::{Mat, MatMut, MatRef};
use rayon::prelude::*;
use std::ops::Range;

/// Complexes treated together: a fixed number, so that sums do not depend on the number of threads.
const CHUNK: usize = 16;

/// Filters of one atom are summed side by side in groups of this size, the rest filled up with zeros.
const GROUP: usize = 4;

/// Values of filters and their derivatives in all that is below this number stay on the calling thread: they take less than
/// a millisecond, and several problems of this size are often worked on side by side.
const SMALL: usize = 1 << 19;

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
    let mut features = Mat::zeros(measures.len(), measures.n_channels() * bank.n_filters());
    each_chunk(measures, bank, chunk_rows(features.as_mut()), |(range, rows)| {
        let atoms = atoms_of(measures, &range);
        let mut tape =
            ChunkTape { values: vec![0.0; bank.n_filters() * atoms.len()], ..ChunkTape::default() };
        bank.evaluate(&measures.eigenvalues()[atoms], &mut tape.values)?;
        tape.fill_rows(measures, bank.n_filters(), range, rows);
        Ok(())
    })?;
    Ok(features)
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
    shared: Option<SharedNodes>,
}

/// Filters of one chunk of complexes.
#[derive(Clone, Debug, Default)]
struct ChunkTape {
    values: Vec<f64>,      // [W, n]
    derivatives: Vec<f64>, // [n_parameters, n]
    by_atom: Vec<f64>,     // [n, W filled up to whole groups], memory to work in
    rows: Vec<f64>,        // as many numbers as features, or as W for each atom, memory to work in
}

impl WaveletTape {
    /// A tape for these measures alone that takes filters at nodes which all complexes share, where that is possible and
    /// saves time: features then err by about 1e-10 of the largest of their channel, and derivatives are those of what is
    /// computed.
    pub(crate) fn shared(measures: &BlockMeasures, bank: &Bank) -> Self {
        Self { chunks: Vec::new(), shared: SharedNodes::new(measures, bank) }
    }

    #[cfg(test)]
    pub(crate) fn is_shared(&self) -> bool {
        self.shared.is_some()
    }

    /// The features, as [`wavelet_features`] gives them; the tape is written anew, in the memory it has.
    ///
    /// # Errors
    ///
    /// [`BankError`] when an eigenvalue is not finite.
    pub fn record(&mut self, measures: &BlockMeasures, bank: &Bank) -> Result<Mat<f64>, BankError> {
        let mut features = Mat::new();
        self.record_into(measures, bank, &mut features)?;
        Ok(features)
    }

    /// As [`record`](Self::record), in the memory of `features`.
    pub(crate) fn record_into(
        &mut self,
        measures: &BlockMeasures,
        bank: &Bank,
        features: &mut Mat<f64>,
    ) -> Result<(), BankError> {
        reshape(features, measures.len(), measures.n_channels() * bank.n_filters());
        if let Some(shared) = &mut self.shared {
            return shared.record(bank, features);
        }
        self.chunks.resize_with(measures.len().div_ceil(CHUNK), ChunkTape::default);
        let chunks: Vec<_> = chunk_rows(features.as_mut()).into_iter().zip(&mut self.chunks).collect();
        each_chunk(measures, bank, chunks, |((range, rows), tape)| {
            let atoms = atoms_of(measures, &range);
            tape.values.resize(bank.n_filters() * atoms.len(), 0.0);
            tape.derivatives.resize(bank.n_parameters() * atoms.len(), 0.0);
            let eigenvalues = &measures.eigenvalues()[atoms];
            bank.evaluate_with_derivatives(eigenvalues, &mut tape.values, &mut tape.derivatives)?;
            tape.fill_rows(measures, bank.n_filters(), range, rows);
            Ok(())
        })
    }

    /// Reverse mode: the gradient in the parameters of the bank, given the features and the derivative `upstream`
    /// of a function in them, both `[n, n_channels · W]`.
    ///
    /// # Errors
    ///
    /// [`BankError::Length`] when measures or bank are not those of the tape.
    pub fn vjp(
        &mut self,
        measures: &BlockMeasures,
        bank: &Bank,
        features: MatRef<'_, f64>,
        upstream: MatRef<'_, f64>,
    ) -> Result<Vec<f64>, BankError> {
        if let Some(shared) = &mut self.shared {
            return shared.vjp(bank, upstream);
        }
        let (n, width) = (measures.len(), bank.n_filters());
        let range_of = |c: usize| c * CHUNK..n.min((c + 1) * CHUNK);
        for c in 0..n.div_ceil(CHUNK) {
            let expected = width * atoms_of(measures, &range_of(c)).len();
            if self.chunks.get(c).is_none_or(|tape| tape.values.len() != expected) {
                return Err(BankError::Length { what: "the tape of the filters", found: 0, expected });
            }
        }
        let mut parts = vec![0.0; self.chunks.len() * bank.n_parameters()];
        let gradients = parts.chunks_exact_mut(bank.n_parameters());
        let chunks: Vec<_> = self.chunks.iter_mut().zip(gradients).enumerate().collect();
        each_chunk(measures, bank, chunks, |(c, (tape, gradient))| {
            tape.fill_slopes(measures, width, range_of(c), features, upstream);
            bank.vjp_from_derivatives(&tape.derivatives, &tape.rows, gradient)
        })?;
        let mut gradient = vec![0.0; bank.n_parameters()];
        for part in parts.chunks_exact(bank.n_parameters()) {
            gradient.iter_mut().zip(part).for_each(|(g, p)| *g += p);
        }
        Ok(gradient)
    }
}

/// Rows of a matrix in fixed chunks, each with its range.
fn chunk_rows(matrix: MatMut<'_, f64>) -> Vec<(Range<usize>, MatMut<'_, f64>)> {
    let n = matrix.nrows();
    let (mut rest, mut out) = (matrix, Vec::with_capacity(n.div_ceil(CHUNK)));
    for first in (0..n).step_by(CHUNK) {
        let range = first..n.min(first + CHUNK);
        let (rows, below) = rest.split_at_row_mut(range.len());
        out.push((range, rows));
        rest = below;
    }
    out
}

/// Calls `work` on chunks of complexes, on all threads where there is enough of it.
fn each_chunk<T: Send>(
    measures: &BlockMeasures,
    bank: &Bank,
    chunks: Vec<T>,
    work: impl Fn(T) -> Result<(), BankError> + Send + Sync,
) -> Result<(), BankError> {
    if measures.eigenvalues().len() * bank.n_parameters() <= SMALL {
        chunks.into_iter().try_for_each(work)
    } else {
        chunks.into_par_iter().map(work).collect()
    }
}

/// Atoms of the complexes in a range that is not empty.
fn atoms_of(measures: &BlockMeasures, range: &Range<usize>) -> Range<usize> {
    measures.atoms(range.start).start..measures.atoms(range.end - 1).end
}

/// Filters of one atom, side by side.
type Group = [f64; GROUP];

impl ChunkTape {
    /// Features of a range of complexes from the values of the filters at their atoms.
    fn fill_rows(
        &mut self,
        measures: &BlockMeasures,
        width: usize,
        range: Range<usize>,
        mut out: MatMut<'_, f64>,
    ) {
        let Self { values, by_atom, rows, .. } = self;
        let n = values.len() / width;
        let n_columns = measures.n_channels() * width;
        let (first, n_groups) = (atoms_of(measures, &range).start, width.div_ceil(GROUP));
        by_atom.resize(n * n_groups * GROUP, 0.0);
        rows.clear();
        rows.resize(range.len() * n_columns, ENERGY_FLOOR.sqrt());
        if n_columns == 0 {
            return;
        }
        vectorized(
            #[inline(always)]
            || {
                for (j, filter) in values.chunks_exact(n.max(1)).enumerate() {
                    for (atom, w) in by_atom.chunks_exact_mut(n_groups * GROUP).zip(filter) {
                        atom[j] = w * w;
                    }
                }
                let by_atom = by_atom.as_chunks::<GROUP>().0;
                for (i, row) in range.clone().zip(rows.chunks_exact_mut(n_columns)) {
                    let at = measures.atoms(i).start - first;
                    for (d, masses) in measures.channels(i) {
                        let out = &mut row[d * width..(d + 1) * width];
                        let squares = &by_atom[at * n_groups..(at + masses.len()) * n_groups];
                        for (batch, out) in out.chunks_mut(4 * GROUP).enumerate() {
                            match out.len().div_ceil(GROUP) {
                                1 => norms::<1>(squares, n_groups, 4 * batch, masses, out),
                                2 => norms::<2>(squares, n_groups, 4 * batch, masses, out),
                                3 => norms::<3>(squares, n_groups, 4 * batch, masses, out),
                                _ => norms::<4>(squares, n_groups, 4 * batch, masses, out),
                            }
                        }
                    }
                }
            },
        );
        for j in 0..n_columns {
            let column = out.rb_mut().col_mut(j).iter_mut();
            column.zip(rows[j..].iter().step_by(n_columns)).for_each(|(out, &row)| *out = row);
        }
    }

    /// Derivatives `[W, n]` of a function in the filters at the atoms of a range of complexes, into `rows`:
    /// `∂f/∂w_jn = w_jn Σ_d E_nd (∂f/∂s_dj) / s_dj`.
    fn fill_slopes(
        &mut self,
        measures: &BlockMeasures,
        width: usize,
        range: Range<usize>,
        features: MatRef<'_, f64>,
        upstream: MatRef<'_, f64>,
    ) {
        let Self { values, by_atom, rows, .. } = self;
        let (first, n) = (atoms_of(measures, &range).start, values.len() / width);
        let n_groups = width.div_ceil(GROUP);
        by_atom.resize(n * n_groups * GROUP, 0.0);
        rows.resize(values.len(), 0.0);
        let (sums, _) = by_atom.as_chunks_mut::<GROUP>();
        let (mut ratios, mut energies) = (Vec::new(), Vec::new());
        for i in range {
            ratios.clear();
            energies.clear();
            for (d, masses) in measures.channels(i) {
                let first = ratios.len();
                ratios.resize(first + n_groups, [0.0; GROUP]);
                for (j, ratio) in ratios[first..].as_flattened_mut()[..width].iter_mut().enumerate() {
                    *ratio = upstream[(i, d * width + j)] / features[(i, d * width + j)];
                }
                energies.push(masses);
            }
            let atoms = measures.atoms(i);
            let sums = &mut sums[(atoms.start - first) * n_groups..(atoms.end - first) * n_groups];
            weighted_sums(sums, &energies, &ratios, n_groups);
        }
        vectorized(
            #[inline(always)]
            || {
                let filters = values.chunks_exact(n.max(1)).zip(rows.chunks_exact_mut(n.max(1)));
                for (j, (filter, slopes)) in filters.enumerate() {
                    let atoms = by_atom.chunks_exact(n_groups * GROUP);
                    for ((slope, w), atom) in slopes.iter_mut().zip(filter).zip(atoms) {
                        *slope = w * atom[j];
                    }
                }
            },
        );
    }
}

/// Square roots of the energies that `G` groups of filters, the first of them `first`, pass of one channel.
#[inline(always)]
fn norms<const G: usize>(squares: &[Group], n_groups: usize, first: usize, masses: &[f64], out: &mut [f64]) {
    let mut sums = [[0.0; GROUP]; G];
    for (squares, e) in squares.chunks_exact(n_groups).zip(masses) {
        let squares: &[Group; G] = squares[first..].first_chunk().expect("there are so many groups");
        for g in 0..G {
            (0..GROUP).for_each(|k| sums[g][k] += squares[g][k] * e);
        }
    }
    for sum in sums.as_flattened_mut() {
        // Masses of compressed measures may add up to a little below 0.
        *sum = (ENERGY_FLOOR + *sum).max(ENERGY_FLOOR).sqrt();
    }
    out.copy_from_slice(&sums.as_flattened()[..out.len()]);
}

/// `sums[n, ·] = Σ_d energies[d][n] · ratios[d, ·]`, in groups.
fn weighted_sums(sums: &mut [Group], energies: &[&[f64]], ratios: &[Group], n_groups: usize) {
    vectorized(
        #[inline(always)]
        || {
            for first in (0..n_groups).step_by(4) {
                match n_groups - first {
                    1 => add_weighted::<1>(sums, energies, ratios, n_groups, first),
                    2 => add_weighted::<2>(sums, energies, ratios, n_groups, first),
                    3 => add_weighted::<3>(sums, energies, ratios, n_groups, first),
                    _ => add_weighted::<4>(sums, energies, ratios, n_groups, first),
                }
            }
        },
    );
}

/// The part of [`weighted_sums`] in `G` groups from `first` on, which stay in registers.
#[inline(always)]
fn add_weighted<const G: usize>(
    sums: &mut [Group],
    energies: &[&[f64]],
    ratios: &[Group],
    n_groups: usize,
    first: usize,
) {
    for (n, sums) in sums.chunks_exact_mut(n_groups).enumerate() {
        let mut total = [[0.0; GROUP]; G];
        for (energies, ratios) in energies.iter().zip(ratios.chunks_exact(n_groups)) {
            let ratios: &[Group; G] = ratios[first..].first_chunk().expect("there are so many groups");
            let e = energies[n];
            for g in 0..G {
                (0..GROUP).for_each(|k| total[g][k] += ratios[g][k] * e);
            }
        }
        sums[first..first + G].copy_from_slice(&total);
    }
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
