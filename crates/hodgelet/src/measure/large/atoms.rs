//! Atoms of all channels, collected block by block.

use crate::measure::EnergyMeasure;
use crate::measure::live::LiveSignal;

/// Atoms in any order, each with an energy for every live channel.
#[derive(Clone, Debug, Default)]
pub(super) struct Atoms {
    pub values: Vec<f64>,   // [n]
    pub energies: Vec<f64>, // [n, n_live], atom by atom
}

impl Atoms {
    pub fn append(&mut self, mut other: Self) {
        self.values.append(&mut other.values);
        self.energies.append(&mut other.energies);
    }

    /// Energy of the live channel at `position` of `n_live`.
    pub fn total(&self, position: usize, n_live: usize) -> f64 {
        self.energies.iter().skip(position).step_by(n_live.max(1)).sum()
    }

    /// Adds atoms that one channel alone has.
    pub fn push_channel(&mut self, atoms: &[(f64, f64)], position: usize, n_live: usize) {
        for &(value, energy) in atoms {
            self.values.push(value);
            self.energies.extend((0..n_live).map(|p| if p == position { energy } else { 0.0 }));
        }
    }

    /// The measure of `signal`, equal eigenvalues merged, with an error for each live channel if there is any.
    pub fn measure(&self, signal: &LiveSignal, errors: Vec<f64>) -> EnergyMeasure {
        let (n, n_live) = (self.values.len(), signal.len());
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&i, &j| self.values[i].total_cmp(&self.values[j]));
        let values: Vec<f64> = order.iter().map(|&i| self.values[i]).collect();
        let mut energies = Vec::with_capacity(n * n_live);
        for position in 0..n_live {
            energies.extend(order.iter().map(|&i| self.energies[i * n_live + position]));
        }
        EnergyMeasure { errors, ..EnergyMeasure::merged(&values, &energies, EnergyMeasure::empty(signal)) }
    }
}
