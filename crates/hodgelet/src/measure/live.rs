//! The channels of a signal that have values, ready for products with eigenvectors.

use crate::hodge::{HodgeError, Operators};
use crate::linalg::SparseMat;
use crate::signal::{Orientation, Signal};
use libm::{frexp, scalbn};

/// Exponents of two of the largest value of a channel up to which its squares are far from overflow and underflow.
const SAFE_EXPONENT: i32 = 200;

/// The exponent of two of the largest value of a channel, where its squares could overflow or lose digits; otherwise 0.
/// Dividing by a power of two changes no digit.
pub(super) fn extreme_exponent(largest: f64) -> i32 {
    let (_, exponent) = frexp(largest);
    // Values beyond 2^1022 have no reciprocal power of two in range.
    if largest.is_finite() && exponent.abs() > SAFE_EXPONENT { exponent.clamp(-1021, 1021) } else { 0 }
}

/// Non-zero values of the live channels of a signal on the cells of dimension `dim`.
#[derive(Debug)]
pub(super) struct LiveSignal {
    pub dim: usize,
    pub n_cells: usize,
    pub n_channels: usize,
    /// Live channels, ascending.
    pub channels: Vec<u32>,
    /// What the values of each live channel were divided by, a power of two; empty if all are 1.
    pub scales: Vec<f64>,
    columns: SparseMat, // [n_cells, n_live], signals having changed variable, divided by their scale
    averaged: Vec<bool>, // [n_live]: energies are averaged over orientations
}

impl LiveSignal {
    pub fn new(operators: &Operators<'_>, dim: usize, signal: &Signal) -> Result<Self, HodgeError> {
        let (n_cells, expected) = (signal.n_cells(), operators.complex().n_cells(dim));
        if n_cells != expected {
            return Err(HodgeError::Rows { dim, expected, found: n_cells });
        }
        let values = signal.values();
        let is_live = |d: &u32| values.column(*d as usize).1.iter().any(|&v| v != 0.0);
        let channels: Vec<u32> = (0..signal.n_channels() as u32).filter(is_live).collect();
        let mut columns = SparseMat::with_rows(n_cells);
        let mut scales = Vec::with_capacity(channels.len());
        for &d in &channels {
            let entries =
                || values.entries(d as usize).map(|(i, v)| (i as u32, v * operators.signal_root(dim, i)));
            let exponent = extreme_exponent(entries().fold(0.0f64, |a, (_, v)| a.max(v.abs())));
            match exponent {
                0 => columns.push_column(entries()),
                _ => columns.push_column(entries().map(|(i, v)| (i, scalbn(v, -exponent)))),
            }
            scales.push(scalbn(1.0, exponent));
        }
        if scales.iter().all(|&scale| scale == 1.0) {
            scales.clear();
        }
        let averaged = |d: &u32| {
            // Vertices have no orientation to average over.
            dim > 0 && signal.channels().orientation(*d as usize) == Orientation::Unoriented
        };
        let averaged = channels.iter().map(averaged).collect();
        Ok(Self { dim, n_cells, n_channels: signal.n_channels(), channels, scales, columns, averaged })
    }

    pub fn len(&self) -> usize {
        self.channels.len()
    }

    /// Whether the energies of the live channel at `position` are averaged over orientations.
    pub fn is_averaged(&self, position: usize) -> bool {
        self.averaged[position]
    }

    pub fn any_averaged(&self) -> bool {
        self.averaged.contains(&true)
    }

    /// The `(cell, value)` pairs of the live channel at `position`.
    pub fn entries(&self, position: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.columns.entries(position)
    }

    /// The values of every cell, `[n_live, n_cells]`.
    pub fn by_cell(&self) -> SparseMat {
        self.columns.transpose()
    }

    /// The live channel at `position` with its zeros.
    pub fn dense(&self, position: usize) -> Vec<f64> {
        let mut x = vec![0.0; self.n_cells];
        self.entries(position).for_each(|(i, v)| x[i] = v);
        x
    }
}
