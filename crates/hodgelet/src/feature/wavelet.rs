//! Norms of wavelet coefficients, and their derivatives in the scales.

use super::{BlockMeasures, ENERGY_FLOOR};
use crate::wavelet::{Bank, BankError};
use faer::{Mat, MatRef};
use rayon::prelude::*;

/// Complexes treated together: a fixed number, so that sums do not depend on the number of threads.
const CHUNK: usize = 64;

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
    let (n, width) = (measures.len(), bank.n_filters());
    let n_columns = measures.n_channels() * width;
    let chunks: Vec<Vec<f64>> = (0..n.div_ceil(CHUNK))
        .into_par_iter()
        .map(|c| {
            let range = c * CHUNK..n.min((c + 1) * CHUNK);
            let filters = Filters::new(measures, bank, range.clone())?;
            let mut rows = vec![ENERGY_FLOOR; range.len() * n_columns];
            for (i, row) in range.zip(rows.chunks_exact_mut(n_columns.max(1))) {
                for (d, masses) in measures.channels(i) {
                    for (j, s) in row[d * width..(d + 1) * width].iter_mut().enumerate() {
                        let w = filters.of(measures, i, j);
                        *s += w.iter().zip(masses).map(|(w, e)| w * w * e).sum::<f64>();
                    }
                }
                row.iter_mut().for_each(|s| *s = s.sqrt());
            }
            Ok(rows)
        })
        .collect::<Result<_, BankError>>()?;
    Ok(from_rows(n, n_columns, chunks.concat()))
}

/// Reverse mode: the gradient in the parameters of the bank, given the features and the derivative `upstream` of
/// a function in them, both `[n, n_channels · W]`.
///
/// # Errors
///
/// [`BankError`] when an eigenvalue is not finite.
pub fn wavelet_vjp(
    measures: &BlockMeasures,
    bank: &Bank,
    features: MatRef<'_, f64>,
    upstream: MatRef<'_, f64>,
) -> Result<Vec<f64>, BankError> {
    let (n, width) = (measures.len(), bank.n_filters());
    let chunks: Vec<Vec<f64>> = (0..n.div_ceil(CHUNK))
        .into_par_iter()
        .map(|c| {
            let range = c * CHUNK..n.min((c + 1) * CHUNK);
            let (mut filters, derivatives) = Filters::with_derivatives(measures, bank, range.clone())?;
            let mut slopes = Vec::new();
            for i in range.clone() {
                for j in 0..width {
                    // ∂f/∂w_jn = 2 w_jn Σ_d E_nd · (∂f/∂s_dj) / (2 s_dj)
                    slopes.clear();
                    slopes.resize(measures.atoms(i).len(), 0.0);
                    for (d, masses) in measures.channels(i) {
                        let at = (i, d * width + j);
                        let slope = upstream[at] / features[at];
                        slopes.iter_mut().zip(masses).for_each(|(s, e)| *s += slope * e);
                    }
                    let w = filters.of_mut(measures, i, j);
                    w.iter_mut().zip(&slopes).for_each(|(w, s)| *w *= s);
                }
            }
            let mut gradient = vec![0.0; bank.n_parameters()];
            bank.vjp_from_derivatives(&derivatives, &filters.values, &mut gradient)?;
            Ok(gradient)
        })
        .collect::<Result<_, BankError>>()?;
    let mut gradient = vec![0.0; bank.n_parameters()];
    for chunk in chunks {
        gradient.iter_mut().zip(chunk).for_each(|(g, c)| *g += c);
    }
    Ok(gradient)
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

/// Values of all filters at the atoms of a range of complexes.
struct Filters {
    first: usize,     // first atom of the range
    n: usize,         // atoms in the range
    values: Vec<f64>, // [W, n]
}

impl Filters {
    fn new(measures: &BlockMeasures, bank: &Bank, range: std::ops::Range<usize>) -> Result<Self, BankError> {
        let first = measures.atoms(range.start).start;
        let n = measures.atoms(range.end - 1).end - first;
        let mut values = vec![0.0; bank.n_filters() * n];
        bank.evaluate(&measures.eigenvalues()[first..first + n], &mut values)?;
        Ok(Self { first, n, values })
    }

    /// The same with the derivative of each filter in each of its parameters, `[n_parameters, n]`: both come from
    /// one exponential.
    fn with_derivatives(
        measures: &BlockMeasures,
        bank: &Bank,
        range: std::ops::Range<usize>,
    ) -> Result<(Self, Vec<f64>), BankError> {
        let first = measures.atoms(range.start).start;
        let n = measures.atoms(range.end - 1).end - first;
        let (mut values, mut derivatives) =
            (vec![0.0; bank.n_filters() * n], vec![0.0; bank.n_parameters() * n]);
        let eigenvalues = &measures.eigenvalues()[first..first + n];
        bank.evaluate_with_derivatives(eigenvalues, &mut values, &mut derivatives)?;
        Ok((Self { first, n, values }, derivatives))
    }

    /// Filter `j` at the atoms of complex `i`.
    fn of(&self, measures: &BlockMeasures, i: usize, j: usize) -> &[f64] {
        let atoms = measures.atoms(i);
        &self.values[j * self.n + atoms.start - self.first..j * self.n + atoms.end - self.first]
    }

    fn of_mut(&mut self, measures: &BlockMeasures, i: usize, j: usize) -> &mut [f64] {
        let atoms = measures.atoms(i);
        &mut self.values[j * self.n + atoms.start - self.first..j * self.n + atoms.end - self.first]
    }
}

/// A matrix from its rows end to end.
pub(super) fn from_rows(n: usize, n_columns: usize, rows: Vec<f64>) -> Mat<f64> {
    MatRef::from_row_major_slice(&rows, n, n_columns).to_owned()
}
