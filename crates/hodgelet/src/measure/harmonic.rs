//! Harmonic energies: what is left of a signal outside the images of both operators.
//!
//! Where they are a fair share of the whole they are what the other two components leave of it. Where they are not,
//! that difference would cancel: the residual *vector* is formed and then squared.

use super::EnergyMeasure;
use super::component::across;
use super::live::LiveSignal;
use crate::hodge::{BoundarySpectrum, Operators, Side};
use crate::linalg::SparseMat;
use crate::linalg::dense::times;
use crate::linalg::least_squares::{Range, remove_range};
use faer::Mat;

/// One of the two operators next to a dimension, seen from it.
pub(super) struct Neighbor<'a> {
    pub b: &'a SparseMat,
    pub on: Side,
    /// Its spectrum, when eigenvectors were computed.
    pub spectrum: Option<&'a BoundarySpectrum>,
}

/// Harmonic energies on vertices: the mean over each connected component, weighted by `M_0^{1/2}`.
pub(super) fn on_components(operators: &Operators<'_>, signal: &LiveSignal) -> EnergyMeasure {
    let (component, count) = operators.complex().connected_components();
    let mut norms = vec![0.0; count];
    for (vertex, &c) in component.iter().enumerate() {
        norms[c as usize] += operators.vertex_root(vertex).powi(2);
    }
    let mut sums = vec![0.0; count];
    let energy = |position: usize| {
        sums.fill(0.0);
        for (i, x) in signal.entries(position) {
            sums[component[i] as usize] += operators.vertex_root(i) * x;
        }
        sums.iter().zip(&norms).map(|(s, n)| s * s / n).sum()
    };
    one_atom(signal, (0..signal.len()).map(energy).collect())
}

/// Share of a channel's energy that rounding of a well separated spectrum does not reach.
const ROUNDING: f64 = 1e-10;

/// Puts what the other energies on vertices lack, or have too much, beside the harmonic ones, to their lowest eigenvalue.
///
/// Where weights span many orders of magnitude, eigenvalues below rounding of the largest cannot be told from 0, and their
/// vectors not from the harmonic ones. The latter are known otherwise, so that no energy need be lost.
pub(super) fn complete(signal: &LiveSignal, others: &mut EnergyMeasure, harmonic: &EnergyMeasure) {
    let n = others.n_atoms();
    if n == 0 {
        return;
    }
    for position in 0..signal.len() {
        let whole: f64 = signal.entries(position).map(|(_, x)| x * x).sum();
        let found = &mut others.energies[position * n..(position + 1) * n];
        let missing = whole - harmonic.energies(position).iter().sum::<f64>() - found.iter().sum::<f64>();
        if missing.abs() > ROUNDING * whole {
            found[0] = (found[0] + missing).max(0.0);
        }
    }
}

/// Share of a channel's energy above which the difference is taken: it is then good to eleven digits.
pub(super) const FAIR_SHARE: f64 = 1e-4;

/// Harmonic energies outside the images of both neighbors, where `others` has the energy of each live channel inside.
pub(super) fn residual(signal: &LiveSignal, others: &[f64], neighbors: &[Neighbor<'_>]) -> EnergyMeasure {
    let mut diagonal = None;
    let energy = |position: usize| {
        let whole: f64 = signal.entries(position).map(|(_, x)| x * x).sum();
        let left = whole - others[position];
        if left > FAIR_SHARE * whole {
            return left;
        }
        if signal.is_averaged(position) {
            let diagonal = diagonal.get_or_insert_with(|| projector_diagonal(signal.n_cells, neighbors));
            return signal.entries(position).map(|(i, x)| diagonal[i] * x * x).sum();
        }
        let mut r = signal.dense(position);
        // The second round removes what rounding left of the first.
        for neighbor in neighbors.iter().chain(neighbors) {
            remove_image(neighbor, &mut r);
        }
        r.iter().map(|v| v * v).sum()
    };
    one_atom(signal, (0..signal.len()).map(energy).collect())
}

pub(super) fn one_atom(signal: &LiveSignal, energies: Vec<f64>) -> EnergyMeasure {
    EnergyMeasure { eigenvalues: vec![0.0], energies, ..EnergyMeasure::empty(signal) }
}

/// `r ← r − P r` for the projector onto the image seen from this side.
fn remove_image(neighbor: &Neighbor<'_>, r: &mut [f64]) {
    let Some(found) = neighbor.spectrum else {
        let range = if neighbor.on == Side::Cells { Range::Rows } else { Range::Columns };
        return remove_range(neighbor.b, range, r);
    };
    if neighbor.on == found.side() {
        for n in 0..found.rank() {
            let v = found.vector(n);
            let c: f64 = v.iter().zip(&*r).map(|(v, r)| v * r).sum();
            r.iter_mut().zip(v).for_each(|(r, v)| *r -= c * v);
        }
        return;
    }
    // P = Bᵀ (Σ v vᵀ / λ) B, and the same with B and Bᵀ exchanged
    let rhs = across(neighbor.b, neighbor.on, r);
    let mut y = vec![0.0; rhs.len()];
    for n in 0..found.rank() {
        let v = found.vector(n);
        let c = v.iter().zip(&rhs).map(|(v, r)| v * r).sum::<f64>() / found.eigenvalues()[n];
        y.iter_mut().zip(v).for_each(|(y, v)| *y += c * v);
    }
    let back = across(neighbor.b, if neighbor.on == Side::Cells { Side::Faces } else { Side::Cells }, &y);
    r.iter_mut().zip(back).for_each(|(r, b)| *r -= b);
}

/// Diagonal of the harmonic projector `P = I − UUᵀ`, as squared norms of its rows since `P = P²`.
fn projector_diagonal(n_cells: usize, neighbors: &[Neighbor<'_>]) -> Vec<f64> {
    let mut p = Mat::<f64>::identity(n_cells, n_cells);
    for neighbor in neighbors {
        let Some(found) = neighbor.spectrum else { continue };
        let mut u = Mat::zeros(n_cells, found.rank());
        for n in 0..found.rank() {
            found.write_vector(neighbor.b, neighbor.on, n, u.col_as_slice_mut(n));
        }
        p -= times(u.as_ref(), u.transpose());
    }
    crate::linalg::clear_upper_registers();
    (0..n_cells).map(|i| p.col_as_slice(i).iter().map(|v| v * v).sum()).collect()
}
