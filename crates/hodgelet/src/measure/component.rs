//! Energies in the two components that a boundary operator spans.
//!
//! The non-zero spectrum of `B̃_k` serves twice: on its faces (dimension `k − 1`) as the co-exact spectrum, on its
//! cells (dimension `k`) as the exact one.

use super::EnergyMeasure;
use super::live::LiveSignal;
use crate::hodge::{BoundarySpectrum, HodgeError, Operators, Side, count_zeros, gram_entries, smaller_side};
use crate::linalg::eigen::spectral_coefficients;
use crate::linalg::{SparseMat, check_memory};
use faer::Mat;

/// Energies of the live channels of `signal` over a spectrum, with its eigenvectors at hand.
pub(super) fn energies(
    b: &SparseMat,
    found: &BoundarySpectrum,
    on: Side,
    signal: &LiveSignal,
) -> EnergyMeasure {
    let rank = found.rank();
    let mut energies = vec![0.0; signal.len() * rank];
    for position in (0..signal.len()).filter(|&p| !signal.is_averaged(p)) {
        plain(b, found, on, signal, position, &mut energies[position * rank..(position + 1) * rank]);
    }
    if signal.any_averaged() {
        averaged(b, found, on, signal, &mut energies);
    }
    EnergyMeasure::merged(found.eigenvalues(), &energies, EnergyMeasure::empty(signal))
}

/// `(uₙᵀ x)²` for every pair.
fn plain(
    b: &SparseMat,
    found: &BoundarySpectrum,
    on: Side,
    signal: &LiveSignal,
    position: usize,
    out: &mut [f64],
) {
    if on == found.side() {
        for (n, energy) in out.iter_mut().enumerate() {
            let v = found.vector(n);
            *energy = signal.entries(position).map(|(i, x)| v[i] * x).sum::<f64>().powi(2);
        }
    } else {
        let rhs = across(b, on, &signal.dense(position));
        for (n, energy) in out.iter_mut().enumerate() {
            let c: f64 = found.vector(n).iter().zip(&rhs).map(|(v, r)| v * r).sum();
            *energy = c * c / found.eigenvalues()[n];
        }
    }
}

/// `Σ_i u_in² x_i²` for every pair and every averaged channel.
fn averaged(b: &SparseMat, found: &BoundarySpectrum, on: Side, signal: &LiveSignal, energies: &mut [f64]) {
    let rank = found.rank();
    let mut u = vec![0.0; signal.n_cells];
    for n in 0..rank {
        found.write_vector(b, on, n, &mut u);
        for position in (0..signal.len()).filter(|&p| signal.is_averaged(p)) {
            energies[position * rank + n] = signal.entries(position).map(|(i, x)| (u[i] * x).powi(2)).sum();
        }
    }
}

/// A signal on the cells (or faces) of `b`, taken to the other side.
pub(super) fn across(b: &SparseMat, from: Side, x: &[f64]) -> Vec<f64> {
    match from {
        Side::Cells => {
            let mut out = vec![0.0; b.n_rows()];
            b.mul(x, &mut out);
            out
        }
        Side::Faces => {
            let mut out = vec![0.0; b.n_cols()];
            b.mul_transpose(x, &mut out);
            out
        }
    }
}

/// The two measures of `B̃_k` and its rank.
#[derive(Debug, Default)]
pub(super) struct BothSides {
    pub faces: EnergyMeasure,
    pub cells: EnergyMeasure,
    pub rank: usize,
}

/// The channels whose energies over the spectrum of `B̃_k` are wanted, as columns of the size of its smaller Gram
/// matrix; none may be averaged over orientations.
pub(super) struct Columns<'a> {
    b: &'a SparseMat,
    side: Side,
    signals: [(Side, Option<&'a LiveSignal>); 2],
}

impl<'a> Columns<'a> {
    pub fn new(b: &'a SparseMat, faces: Option<&'a LiveSignal>, cells: Option<&'a LiveSignal>) -> Self {
        let signals = [(Side::Faces, faces), (Side::Cells, cells)];
        Self { b, side: smaller_side(b).0, signals }
    }

    /// The columns one after the other: a signal as it is on the side of the Gram matrix, taken across otherwise.
    pub fn for_each(&self, mut each: impl FnMut(usize, &[f64])) {
        let mut next = 0;
        for (on, signal) in self.signals {
            let Some(signal) = signal else { continue };
            for position in 0..signal.len() {
                let x = signal.dense(position);
                if on == self.side {
                    each(next, &x)
                } else {
                    each(next, &across(self.b, on, &x))
                }
                next += 1;
            }
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.signals.iter().filter_map(|(_, s)| *s).map(LiveSignal::len).sum()
    }

    /// The measures that follow from all eigenvalues, ascending, of which the first `zeros` are zero, and the
    /// coefficients of each column.
    pub fn energies(&self, values: &[f64], zeros: usize, coefficients: &[impl AsRef<[f64]>]) -> BothSides {
        let values = &values[zeros..];
        let mut out = BothSides { rank: values.len(), ..BothSides::default() };
        let mut columns = coefficients.iter();
        for (on, signal) in self.signals {
            let Some(signal) = signal else { continue };
            let mut energies = Vec::with_capacity(signal.len() * values.len());
            for column in columns.by_ref().take(signal.len()) {
                let mass = |(c, value): (&f64, &f64)| if on == self.side { c * c } else { c * c / value };
                energies.extend(column.as_ref()[zeros..].iter().zip(values).map(mass));
            }
            let measure = EnergyMeasure::merged(values, &energies, EnergyMeasure::empty(signal));
            match on {
                Side::Faces => out.faces = measure,
                Side::Cells => out.cells = measure,
            }
        }
        out
    }
}

/// Energies over the spectrum of `B̃_k` without eigenvectors, by the dense backend.
///
/// # Complexity
///
/// See [`spectral_coefficients`].
pub(super) fn energies_without_vectors(
    operators: &Operators<'_>,
    k: usize,
    columns: &Columns<'_>,
) -> Result<BothSides, HodgeError> {
    let (side, size) = smaller_side(columns.b);
    check_memory(size.saturating_mul(size.saturating_add(columns.len())).saturating_mul(2))?;
    let mut gram = Mat::zeros(size, size);
    gram_entries(columns.b, side, |i, j, value| gram[(i, j)] += value);
    let mut rhs = Mat::zeros(size, columns.len());
    columns.for_each(|j, x| rhs.col_as_slice_mut(j).copy_from_slice(x));
    let (values, coefficients) = spectral_coefficients(gram, rhs)?;
    let zeros = count_zeros(operators, k, &values);
    let coefficients: Vec<&[f64]> = (0..columns.len()).map(|j| coefficients.col_as_slice(j)).collect();
    Ok(columns.energies(&values, zeros, &coefficients))
}
