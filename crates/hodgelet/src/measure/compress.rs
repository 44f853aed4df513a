//! Measures with fewer atoms, and a bound on what filters see of the difference.
//!
//! A squared feature is the integral of `w²` against the measure, and `w²` is a sum of products of two terms `f(sλ)`. In
//! `u = ln λ` a scale is a shift, so how well such products are interpolated on an interval of `u` does not depend on where
//! the interval lies. The axis of `u` is cut into cells of one width, the same for all complexes, with Chebyshev points in
//! each. Atoms of a cell that has more of them than points are replaced by masses at the points,
//!
//! ```text
//! μ_j = Σ_n E_n ℓ_j(u_n),   so that   Σ_j w²(λ_j) μ_j = Σ_n (I w²)(λ_n) E_n
//! ```
//!
//! with `ℓ_j` the Lagrange polynomials and `I` interpolation. The energy that passes a filter is then off by at most the
//! largest error of interpolation times the energy of the channel. Masses may be a little below 0.

use super::{ComplexMeasures, DimMeasures, EnergyMeasure};
use crate::wavelet::BankParams;
use std::f64::consts::PI;

/// Width of a cell in the logarithm of eigenvalues.
const WIDTH: f64 = 1.0;

/// Points of a cell, at most.
const MOST: usize = 24;

/// Logarithms of scales, relative to the cell, at which interpolation is tried: filters are constant or 0 beyond.
const SHIFTS: (f64, f64, usize) = (-14.0, 6.0, 161);

/// Places in a cell at which the error is taken.
const PLACES: usize = 33;

/// How measures are compressed.
#[derive(Clone, Debug, PartialEq)]
pub struct Compression {
    /// Chebyshev points in (0, 1), ascending, with their barycentric weights.
    points: Vec<(f64, f64)>,
    bound: f64,
}

/// Filters that cannot be interpolated to a tolerance.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("a tolerance of {tolerance:e}, but {most} points a cell leave {bound:e} of the energy", most = MOST)]
pub struct CompressError {
    /// What was asked for.
    pub tolerance: f64,
    /// What can be had.
    pub bound: f64,
}

impl Compression {
    /// As few points as keep the energy that passes any filter of such a bank, of any scales, within `tolerance` of the energy
    /// of its channel.
    ///
    /// # Errors
    ///
    /// [`CompressError`] when that takes too many, as for filters with corners, or `tolerance` is not positive.
    pub fn new(bank: &BankParams, tolerance: f64) -> Result<Self, CompressError> {
        let mut bound = f64::INFINITY;
        for n in 4..=MOST {
            let points = chebyshev(n);
            bound = largest_error(bank, &points);
            if bound <= tolerance {
                return Ok(Self { points, bound });
            }
        }
        Err(CompressError { tolerance, bound })
    }

    /// Largest error of the energy that passes a filter, relative to the energy of its channel.
    #[must_use]
    pub fn bound(&self) -> f64 {
        self.bound
    }

    /// Points in each cell.
    #[must_use]
    pub fn n_points(&self) -> usize {
        self.points.len()
    }

    /// The measures with fewer atoms, where there are fewer.
    #[must_use]
    pub fn apply(&self, measures: ComplexMeasures) -> ComplexMeasures {
        let of_dim = |dim: DimMeasures| DimMeasures {
            exact: self.one(dim.exact),
            coexact: self.one(dim.coexact),
            ..dim // harmonic energy is one atom
        };
        let by_dim = measures.by_dim.into_iter().map(|dim| dim.map(of_dim)).collect();
        ComplexMeasures { by_dim, ..measures }
    }

    fn one(&self, measure: EnergyMeasure) -> EnergyMeasure {
        let cell = |value: f64| (value.ln() / WIDTH).floor();
        let old = &measure.eigenvalues;
        let runs: Vec<&[f64]> = old.chunk_by(|a, b| cell(*a) == cell(*b)).collect();
        let is_short = |run: &&[f64]| run.len() <= self.points.len();
        if runs.iter().all(is_short) {
            return measure;
        }
        let n_live = measure.live.len();
        let (mut eigenvalues, mut columns) = (Vec::new(), vec![Vec::new(); n_live]);
        let mut first = 0;
        for run in runs {
            let masses = |row: usize| &measure.energies(row)[first..first + run.len()];
            if is_short(&run) {
                eigenvalues.extend_from_slice(run);
                (0..n_live).for_each(|row| columns[row].extend_from_slice(masses(row)));
            } else {
                let corner = cell(run[0]) * WIDTH;
                eigenvalues.extend(self.points.iter().map(|(x, _)| (corner + WIDTH * x).exp()));
                let basis: Vec<Vec<f64>> =
                    run.iter().map(|value| lagrange(&self.points, (value.ln() - corner) / WIDTH)).collect();
                for (row, column) in columns.iter_mut().enumerate() {
                    let mass = |j: usize| masses(row).iter().zip(&basis).map(|(e, basis)| e * basis[j]).sum();
                    column.extend((0..self.points.len()).map(mass).collect::<Vec<f64>>());
                }
            }
            first += run.len();
        }
        let errors = (0..n_live).map(|row| measure.error(row) + self.bound).collect();
        EnergyMeasure { eigenvalues, energies: columns.concat(), errors, ..measure }
    }
}

/// Chebyshev points of the first kind in (0, 1), ascending, with their barycentric weights.
fn chebyshev(n: usize) -> Vec<(f64, f64)> {
    let point = |j: usize| {
        let angle = PI * (2 * j + 1) as f64 / (2 * n) as f64;
        let sign = if j.is_multiple_of(2) { 1.0 } else { -1.0 };
        (0.5 - 0.5 * angle.cos(), sign * angle.sin())
    };
    (0..n).map(point).collect()
}

/// Values of the Lagrange polynomials at `x`.
fn lagrange(points: &[(f64, f64)], x: f64) -> Vec<f64> {
    if let Some(at) = points.iter().position(|(point, _)| *point == x) {
        return (0..points.len()).map(|j| f64::from(u8::from(j == at))).collect();
    }
    let terms: Vec<f64> = points.iter().map(|(point, weight)| weight / (x - point)).collect();
    let sum: f64 = terms.iter().sum();
    terms.into_iter().map(|term| term / sum).collect()
}

/// The largest error of interpolation of `w²`, over all scales of its terms.
fn largest_error(bank: &BankParams, points: &[(f64, f64)]) -> f64 {
    let (low, high, n) = SHIFTS;
    let shifts: Vec<f64> = (0..n).map(|i| low + (high - low) * i as f64 / (n - 1) as f64).collect();
    let places: Vec<f64> = (0..PLACES).map(|i| i as f64 / (PLACES - 1) as f64).collect();
    let basis: Vec<Vec<f64>> = places.iter().map(|&x| lagrange(points, x)).collect();
    let term = |is_low: bool, shift: f64, x: f64| {
        let (scale, value) = (shift.exp(), (WIDTH * x).exp());
        match (is_low, bank.low_pass) {
            (true, Some(low_pass)) => low_pass.value(scale, value),
            (true, None) => 0.0,
            (false, _) => bank.band_pass.value(scale, value),
        }
    };
    // Values of a term at the points and at the places, for every shift.
    let table = |is_low: bool| -> Vec<(Vec<f64>, Vec<f64>)> {
        let at = |shift: &f64| {
            let at_points = points.iter().map(|(x, _)| term(is_low, *shift, *x)).collect();
            (at_points, places.iter().map(|&x| term(is_low, *shift, x)).collect())
        };
        shifts.iter().map(at).collect()
    };
    let (lows, bands) = (table(true), table(false));
    let worst = |a: &[(Vec<f64>, Vec<f64>)], b: &[(Vec<f64>, Vec<f64>)]| {
        let mut worst = 0.0f64;
        for (a_points, a_places) in a {
            for (b_points, b_places) in b {
                let products: Vec<f64> = a_points.iter().zip(b_points).map(|(a, b)| a * b).collect();
                for ((a, b), basis) in a_places.iter().zip(b_places).zip(&basis) {
                    let found: f64 = basis.iter().zip(&products).map(|(l, p)| l * p).sum();
                    worst = worst.max((found - a * b).abs());
                }
            }
        }
        worst
    };
    let n_bands = bank.n_bands as f64;
    worst(&lows, &lows) + 2.0 * n_bands * worst(&lows, &bands) + n_bands * n_bands * worst(&bands, &bands)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::feature::{Block, BlockMeasures, Component, wavelet_features};
    use crate::measure::HodgeComponent;
    use crate::wavelet::BandPass;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    fn many_atoms(n: usize, seed: u64) -> ComplexMeasures {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut eigenvalues: Vec<f64> = (0..n).map(|_| (9.0 * rng.random::<f64>() - 6.0).exp()).collect();
        eigenvalues.sort_by(f64::total_cmp);
        let energies = (0..3 * n).map(|_| rng.random::<f64>()).collect();
        let coexact =
            EnergyMeasure { eigenvalues, live: vec![0, 2, 5], energies, ..EnergyMeasure::default() };
        let dim = DimMeasures { coexact, n_channels: 6, ..DimMeasures::default() };
        ComplexMeasures { by_dim: vec![Some(dim)], ..ComplexMeasures::default() }
    }

    fn coexact(measures: &ComplexMeasures) -> &EnergyMeasure {
        measures.of_dim(0).unwrap().component(HodgeComponent::Coexact)
    }

    #[test]
    fn energies_that_pass_filters_are_within_the_bound() {
        let params = BankParams::default();
        let measures = many_atoms(700, 1);
        for tolerance in [1e-3, 1e-6, 1e-10] {
            let compression = Compression::new(&params, tolerance).unwrap();
            assert!(compression.bound() <= tolerance);
            let small = compression.apply(measures.clone());
            assert!(coexact(&small).n_atoms() <= 10 * compression.n_points());
            assert!(coexact(&small).eigenvalues().is_sorted());
            for d in [0, 2, 5] {
                let (a, b) = (coexact(&measures).total(d), coexact(&small).total(d));
                assert!((a - b).abs() <= 1e-12 * a, "totals are kept");
            }
            let block = Block { dim: 0, component: Component::Coexact };
            for seed in 0..20 {
                let spread =
                    BankParams { low_pass_scales: (0.01, 100.0), band_pass_scales: (0.01, 100.0), ..params };
                let bank = spread.check().unwrap().draw(seed, None);
                let of =
                    |m: &ComplexMeasures| wavelet_features(&BlockMeasures::new(block, [m]), &bank).unwrap();
                let (exact, found) = (of(&measures), of(&small));
                for j in 0..exact.ncols() {
                    let d = j / bank.n_filters();
                    let error = (exact[(0, j)].powi(2) - found[(0, j)].powi(2)).abs();
                    let allowed = compression.bound() * coexact(&measures).total(d) + 1e-12;
                    assert!(error <= allowed, "{error} above {allowed} at {tolerance}");
                }
            }
            assert_eq!(coexact(&small).error(0), compression.bound());
        }
    }

    #[test]
    fn few_atoms_stay_as_they_are() {
        let compression = Compression::new(&BankParams::default(), 1e-6).unwrap();
        let measures = many_atoms(12, 2);
        assert_eq!(compression.apply(measures.clone()), measures);
    }

    #[test]
    fn filters_with_corners_are_refused() {
        let params = BankParams { band_pass: BandPass::Itersine, ..BankParams::default() };
        let error = Compression::new(&params, 1e-10).unwrap_err();
        assert!(error.bound > 1e-10);
        assert!(Compression::new(&BankParams::default(), 0.0).is_err());
        assert!(Compression::new(&BankParams::default(), f64::NAN).is_err());
    }
}
