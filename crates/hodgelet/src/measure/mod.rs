//! Spectral energy measures: how a signal's energy spreads over a Hodge spectrum.
//!
//! For eigenpairs `(λₙ, uₙ)` of one component and a channel `x`, the measure has mass `(uₙᵀ x)²` at `λₙ`. For an
//! unoriented channel on edges or above, that mass would depend on arbitrary orientations; its expectation over
//! random ones, `Σ_i u_in² x_i²`, does not, and takes its place. Mass is well defined per eigenvalue, so equal
//! eigenvalues are merged into one atom. The atoms are all that a model ever needs of a complex.

mod batch;
mod component;
mod compress;
mod harmonic;
mod labels;
mod large;
mod live;
#[cfg(feature = "store")]
mod parts;
mod refine;
mod route;
mod values;

pub use batch::{MeasureError, Sample, measure, measure_all};
pub use compress::{CompressError, Compression};
pub use labels::{ComplexLabels, LabelMeasure, WantedLabels, measure_labels};
#[cfg(feature = "store")]
pub(crate) use parts::EnergyParts;
pub use refine::{GivenLabels, RefinedLabels, name_id, refine, refine_cells};
pub use route::{MeasureParams, Spectra};
pub use values::CellValues;

use crate::hodge::HodgeComponent;
use live::LiveSignal;

/// Atoms of one signal in one component; channels without any value are left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EnergyMeasure {
    eigenvalues: Vec<f64>, // [n_atoms], ascending
    live: Vec<u32>,        // [n_live], ascending
    scales: Vec<f64>,      // [n_live], powers of two; empty if all are 1
    energies: Vec<f64>,    // [n_live, n_atoms] row-major, over the squares of the scales
    errors: Vec<f64>,      // [n_live], relative to the energies of the channels; empty if all are 0
}

impl EnergyMeasure {
    /// A measure from its atoms, merging those whose eigenvalues differ by rounding only.
    fn merged(eigenvalues: &[f64], energies: &[f64], empty: Self) -> Self {
        let (groups, live) = (equal_runs(eigenvalues), &empty.live);
        let n = eigenvalues.len();
        let mean = |g: &std::ops::Range<usize>| eigenvalues[g.clone()].iter().sum::<f64>() / g.len() as f64;
        let mut merged = Vec::with_capacity(live.len() * groups.len());
        for row in 0..live.len() {
            let masses = &energies[row * n..(row + 1) * n];
            merged.extend(groups.iter().map(|g| masses[g.clone()].iter().sum::<f64>()));
        }
        Self { eigenvalues: groups.iter().map(mean).collect(), energies: merged, ..empty }
    }

    /// A measure without atoms.
    fn empty(signal: &LiveSignal) -> Self {
        Self { live: signal.channels.clone(), scales: signal.scales.clone(), ..Self::default() }
    }

    /// Positions of the atoms, ascending.
    #[must_use]
    pub fn eigenvalues(&self) -> &[f64] {
        &self.eigenvalues
    }

    /// Number of atoms.
    #[must_use]
    pub fn n_atoms(&self) -> usize {
        self.eigenvalues.len()
    }

    /// The channels that have a value anywhere, ascending.
    #[must_use]
    pub fn live(&self) -> &[u32] {
        &self.live
    }

    /// What the signal of the live channel at `position` was divided by before it was squared: a power of two, 1 unless
    /// the values are extreme. Masses times its square are energies.
    #[must_use]
    pub fn scale(&self, position: usize) -> f64 {
        self.scales.get(position).copied().unwrap_or(1.0)
    }

    /// Masses of the atoms in the live channel at `position` of [`live`](Self::live), in units of the square of its
    /// [`scale`](Self::scale).
    #[must_use]
    pub fn energies(&self, position: usize) -> &[f64] {
        &self.energies[position * self.n_atoms()..(position + 1) * self.n_atoms()]
    }

    /// Estimated error of the energies that filters take from the live channel at `position`, relative to the energy of the
    /// channel over all components; 0 where the atoms are eigenvalues, up to rounding.
    ///
    /// The error is that of `Σ_n w(λ_n)² E_n` for low-pass and band-pass filters of the reference bank, over scales that
    /// reach from the upper to the lower end of the spectrum. See the chapter on large complexes in the book.
    #[must_use]
    pub fn error(&self, position: usize) -> f64 {
        self.errors.get(position).copied().unwrap_or(0.0)
    }

    /// Total mass in channel `d`.
    #[must_use]
    pub fn total(&self, d: usize) -> f64 {
        let position = self.live.iter().position(|&live| live as usize == d);
        position.map_or(0.0, |p| self.scale(p).powi(2) * self.energies(p).iter().sum::<f64>())
    }

    /// Whether every number is finite.
    fn is_finite(&self) -> bool {
        self.energies.iter().chain(&self.eigenvalues).all(|v| v.is_finite())
    }
}

/// Relative distance, against the largest eigenvalue, below which two eigenvalues are one.
const EQUAL: f64 = 1e-12;

/// Runs of equal values in an ascending list.
fn equal_runs(values: &[f64]) -> Vec<std::ops::Range<usize>> {
    let tolerance = EQUAL * values.last().copied().unwrap_or(0.0);
    let mut runs: Vec<std::ops::Range<usize>> = Vec::with_capacity(values.len());
    for (n, &value) in values.iter().enumerate() {
        match runs.last_mut() {
            Some(run) if value - values[run.start] <= tolerance => run.end = n + 1,
            _ => runs.push(n..n + 1),
        }
    }
    runs
}

/// The measures of one signal: one per component.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DimMeasures {
    exact: EnergyMeasure,
    coexact: EnergyMeasure,
    harmonic: EnergyMeasure,
    n_channels: usize,
    betti: usize,
}

impl DimMeasures {
    /// The measure of one component.
    #[must_use]
    pub fn component(&self, component: HodgeComponent) -> &EnergyMeasure {
        match component {
            HodgeComponent::Exact => &self.exact,
            HodgeComponent::Coexact => &self.coexact,
            HodgeComponent::Harmonic => &self.harmonic,
        }
    }

    /// Number of channels, live or not.
    #[must_use]
    pub fn n_channels(&self) -> usize {
        self.n_channels
    }

    /// Betti number of the dimension.
    #[must_use]
    pub fn betti(&self) -> usize {
        self.betti
    }
}

/// The measures of one complex: one entry per dimension that carries a signal.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ComplexMeasures {
    by_dim: Vec<Option<DimMeasures>>,
    signed: Option<SignedMeasure>,
    labels: Option<ComplexLabels>,
    values: [Option<CellValues>; 2], // on vertices, on edges
    own: Option<OwnRow>,
}

/// What is known of a complex as a whole.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OwnRow {
    /// Numbers, column after column.
    pub numbers: Vec<f64>,
    /// How often it has each tag, at a single depth.
    pub tags: LabelMeasure,
    /// Rows of Gram matrices, each with its place, its product with itself, and its products with others.
    pub grams: Vec<Vec<f64>>,
}

impl ComplexMeasures {
    /// The measures of the signal on dimension `k`, if there is one.
    #[must_use]
    pub fn of_dim(&self, k: usize) -> Option<&DimMeasures> {
        self.by_dim.get(k)?.as_ref()
    }

    /// The largest [`error`](EnergyMeasure::error) of a channel; 0 where all atoms are eigenvalues.
    #[must_use]
    pub fn largest_error(&self) -> f64 {
        let of_dim = |dim: &DimMeasures| {
            let parts = HodgeComponent::ALL.map(|component| dim.component(component));
            parts.iter().flat_map(|part| &part.errors).fold(0.0, |a: f64, &b| a.max(b))
        };
        self.by_dim.iter().flatten().map(of_dim).fold(0.0, f64::max)
    }

    /// Inner products with the vectors of a shared complex, if they were taken.
    #[must_use]
    pub fn signed(&self) -> Option<&SignedMeasure> {
        self.signed.as_ref()
    }

    /// Masses of refined labels, if they were taken.
    #[must_use]
    pub fn labels(&self) -> Option<&ComplexLabels> {
        self.labels.as_ref()
    }

    /// The same with masses of refined labels.
    #[must_use]
    pub fn with_labels(self, labels: Option<ComplexLabels>) -> Self {
        Self { labels, ..self }
    }

    /// Values on vertices (dimension 0) or edges (1), if they were kept.
    #[must_use]
    pub fn values(&self, dim: usize) -> Option<&CellValues> {
        self.values.get(dim)?.as_ref()
    }

    /// The same with values on vertices (dimension 0) or edges (1).
    #[must_use]
    pub fn with_values(mut self, dim: usize, values: Option<CellValues>) -> Self {
        if let Some(own) = self.values.get_mut(dim) {
            *own = values;
        }
        self
    }

    /// What is known of the complex as a whole, if it was kept.
    #[must_use]
    pub fn own(&self) -> Option<&OwnRow> {
        self.own.as_ref()
    }

    /// The same with what is known of the complex as a whole.
    #[must_use]
    pub fn with_own(self, own: Option<OwnRow>) -> Self {
        Self { own, ..self }
    }

    /// The same with inner products.
    #[must_use]
    pub fn with_signed(self, signed: Option<SignedMeasure>) -> Self {
        Self { signed, ..self }
    }
}

/// Inner products of a signal with fixed vectors: like a measure, but with a sign.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SignedMeasure {
    dim: usize,
    n_channels: usize,
    atoms: EnergyMeasure,
}

impl SignedMeasure {
    /// `products` holds the inner products of each of the `live` channels with all vectors in turn.
    pub(crate) fn new(
        dim: usize,
        n_channels: usize,
        eigenvalues: Vec<f64>,
        live: Vec<u32>,
        products: Vec<f64>,
    ) -> Self {
        Self {
            dim,
            n_channels,
            atoms: EnergyMeasure { eigenvalues, live, energies: products, ..EnergyMeasure::default() },
        }
    }

    /// Dimension of the cells.
    #[must_use]
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Number of channels, with a sign or not.
    #[must_use]
    pub fn n_channels(&self) -> usize {
        self.n_channels
    }

    /// Inner products of the channel at `position` among those that have a sign.
    #[must_use]
    pub fn products(&self, position: usize) -> &[f64] {
        self.atoms.energies(position)
    }

    pub(crate) fn atoms(&self) -> &EnergyMeasure {
        &self.atoms
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_eigenvalues_become_one_atom() {
        let measure = EnergyMeasure::merged(
            &[1.0, 3.0, 3.0 + 1e-14, 4.0],
            &[1.0, 2.0, 3.0, 4.0, 10.0, 20.0, 30.0, 40.0],
            EnergyMeasure { live: vec![2, 5], ..EnergyMeasure::default() },
        );
        assert_eq!(measure.n_atoms(), 3);
        assert_eq!(measure.energies(0), [1.0, 5.0, 4.0]);
        assert_eq!(measure.energies(1), [10.0, 50.0, 40.0]);
        assert_eq!((measure.total(5), measure.total(3)), (100.0, 0.0));
    }
}
