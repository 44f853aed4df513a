//! Eigenvalues of a dataset, by dimension and Hodge component, in a few numbers.

use super::Shape;
use crate::error::CommandError;
use crate::progress::check_interrupt;
use crate::topology::{MAX_RANK_SIZE, lifted};
use hodgelet::dataset::Dataset;
use hodgelet::hodge::{BoundarySpectrum, HodgeComponent, HodgeError, Operators, Weighting};
use rayon::prelude::*;
use serde::Serialize;

/// Largest cost of eigenvalues, as a sum of cubes of matrix sizes: a few seconds.
const MAX_WORK: f64 = 2e10;

/// The eigenvalues of one dimension and component, over all complexes.
#[derive(Debug, Serialize)]
pub(super) struct SpectrumInfo {
    pub dim: usize,
    pub component: HodgeComponent,
    pub eigenvalues: usize,
    /// None where there is no eigenvalue.
    pub min: Option<f64>,
    pub median: Option<f64>,
    pub max: Option<f64>,
}

/// Spectra of dimensions 0 up to and including `highest`; none when a complex is too large.
///
/// Weights of the dataset count; otherwise the Laplacian is combinatorial.
pub(super) fn spectra(
    dataset: &Dataset,
    shapes: &[Shape],
    highest: usize,
) -> Result<Option<Vec<SpectrumInfo>>, CommandError> {
    let sizes =
        || shapes.iter().flat_map(|shape| shape.cells.windows(2).take(highest + 1).map(|n| n[0].min(n[1])));
    let work: f64 = sizes().map(|size| (size as f64).powi(3)).sum();
    if work > MAX_WORK || sizes().any(|size| size > MAX_RANK_SIZE) {
        return Ok(None);
    }
    let one = |i: usize| eigenvalues(dataset, i, highest + 1);
    let each: Vec<Vec<Vec<f64>>> = (0..dataset.len()).into_par_iter().map(one).collect::<Result<_, _>>()?;
    let mut found = Vec::new();
    for dim in 0..=highest {
        let cells: usize = shapes.iter().map(|shape| shape.cells.get(dim).copied().unwrap_or(0)).sum();
        let pooled = |k: usize| {
            let mut all: Vec<f64> = each.iter().filter_map(|of| of.get(k)).flatten().copied().collect();
            all.sort_unstable_by(f64::total_cmp);
            all
        };
        let exact = if dim == 0 { Vec::new() } else { pooled(dim - 1) };
        let coexact = pooled(dim);
        let zeros = cells.saturating_sub(exact.len() + coexact.len());
        if dim > 0 {
            found.push(summary(dim, HodgeComponent::Exact, &exact));
        }
        found.push(summary(dim, HodgeComponent::Coexact, &coexact));
        found.push(summary(dim, HodgeComponent::Harmonic, &vec![0.0; zeros]));
    }
    Ok(Some(found))
}

/// The non-zero eigenvalues of the first operators of a complex, `B_1` first.
fn eigenvalues(dataset: &Dataset, i: usize, n_operators: usize) -> Result<Vec<Vec<f64>>, CommandError> {
    check_interrupt()?;
    let space = lifted(&dataset.complexes()[i], 2)?;
    let operators = match dataset.weights(i) {
        Some(weights) => Operators::weighted(&space, &weights).map_err(HodgeError::from)?,
        None => Operators::new(&space, Weighting::Combinatorial),
    };
    let of = |k: usize| Ok(BoundarySpectrum::new(&operators, k)?.eigenvalues().to_vec());
    (1..=n_operators.min(space.dim())).map(of).collect()
}

fn summary(dim: usize, component: HodgeComponent, sorted: &[f64]) -> SpectrumInfo {
    let n = sorted.len();
    let median = (n > 0).then(|| 0.5 * (sorted[(n - 1) / 2] + sorted[n / 2]));
    let (min, max) = (sorted.first().copied(), sorted.last().copied());
    SpectrumInfo { dim, component, eigenvalues: n, min, median, max }
}
