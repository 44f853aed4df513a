//! One channel over the blocks that are too large for a dense eigenproblem.
//!
//! A channel is projected onto the image that a block spans: onto gradients, by least squares; onto curls, likewise, or as
//! what gradients leave where there is no harmonic space; on vertices, by taking away the mean. The measure of the
//! projection comes from quadrature. Masses of the parts and the harmonic energy add up to the energy of the channel,
//! because what is left of a projection is what the next one starts from.

use super::error;
use crate::hodge::{HodgeError, Side};
use crate::linalg::SparseMat;
use crate::linalg::golub_kahan::{Stopping, quadrature};
use crate::linalg::least_squares::{Range, remove_range};
use crate::linalg::pair::{Pair, PairRef, squared_norm};
use crate::linalg::projection::Projection;
use crate::measure::live::LiveSignal;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Error of energies, relative to the energy of the channel, at which quadrature stops.
const TOLERANCE: f64 = 1e-9;

/// Steps of quadrature at most, and numbers that the vectors of one channel may take.
const MAX_STEPS: usize = 200;
const MAX_KEPT: usize = 60_000_000;
const FEW_STEPS: usize = 30;

/// Random orientations over which the energies of an unoriented channel are averaged. By Student's distribution, the mean of
/// sixteen is off by five times its standard error once in six thousand times.
const ORIENTATIONS: usize = 16;
const STANDARD_ERRORS: f64 = 5.0;

/// Share of the energy below which a projection is rounding.
const ROUNDING: f64 = 1e-28;

/// A block on its way through quadrature.
pub(super) struct Krylov {
    pub rows: Vec<u32>,
    pub cols: Vec<u32>,
    pub pair: Pair,
}

impl Krylov {
    /// The cells of the block on one side, and the operator that starts there.
    fn on(&self, side: Side) -> (&[u32], PairRef<'_>) {
        match side {
            Side::Cells => (&self.cols, self.pair.forward()),
            Side::Faces => (&self.rows, self.pair.backward()),
        }
    }
}

/// How the part of a vector outside the image of a block is found.
pub(super) enum Complement<'a> {
    /// Vertices of a connected graph: the mean, weighted by these roots.
    Mean(Vec<f64>),
    /// By least squares.
    Solve(Box<Projection<'a>>),
    /// There is none: other components are removed already, and no harmonic space is left.
    Nothing,
}

impl Complement<'_> {
    /// Replaces `x` by its part outside the image. Returns an estimate of the norm of the error.
    fn replace(&self, x: &mut [f64]) -> f64 {
        match self {
            Self::Mean(roots) => {
                let norm = squared_norm(roots);
                let c = roots.iter().zip(&*x).map(|(r, x)| r * x).sum::<f64>() / norm;
                x.iter_mut().zip(roots).for_each(|(x, r)| *x = c * r);
                0.0
            }
            Self::Solve(projection) => projection.remove(x),
            Self::Nothing => {
                x.fill(0.0);
                0.0
            }
        }
    }
}

/// One of the two operators next to a dimension.
pub(super) struct Neighbor<'a> {
    pub on: Side,
    pub blocks: Vec<(&'a Krylov, Complement<'a>)>,
    /// The columns of the operator that are in blocks solved exactly.
    pub dense: Option<SparseMat>,
}

/// Atoms of one channel in one component, and their error relative to the energy of the channel.
#[derive(Clone, Debug, Default)]
pub(super) struct Part {
    pub atoms: Vec<(f64, f64)>,
    pub error: f64,
}

/// One channel split: a part for each neighbor, and what is left outside all blocks.
pub(super) struct Split {
    pub parts: Vec<Part>,
    /// Energy of what is left; none if blocks that were solved exactly are still in it.
    pub left: Option<f64>,
}

/// Splits the live channel at `position`; with `residual`, blocks that were solved exactly are removed as well.
pub(super) fn split(
    signal: &LiveSignal,
    position: usize,
    neighbors: &[Neighbor<'_>],
    residual: bool,
) -> Result<Split, HodgeError> {
    let x = signal.dense(position);
    let whole = squared_norm(&x);
    if !signal.is_averaged(position) {
        return split_vector(x, whole, neighbors, residual);
    }
    let split_one = |orientation: u64| {
        let mut rng = ChaCha8Rng::seed_from_u64(signal.dim as u64);
        rng.set_stream(orientation);
        let flipped = x.iter().map(|&v| if rng.random::<bool>() { v } else { -v }).collect();
        split_vector(flipped, whole, neighbors, residual)
    };
    let splits: Vec<Split> = (0..ORIENTATIONS as u64).map(split_one).collect::<Result<_, _>>()?;
    let parts = (0..neighbors.len()).map(|n| {
        let parts: Vec<&Part> = splits.iter().map(|split| &split.parts[n]).collect();
        averaged(&parts, whole)
    });
    let parts = parts.collect();
    let left: Option<Vec<f64>> = splits.iter().map(|split| split.left).collect();
    Ok(Split { parts, left: left.map(|list| list.iter().sum::<f64>() / ORIENTATIONS as f64) })
}

/// The mean of the measures of several orientations, with its error.
fn averaged(parts: &[&Part], whole: f64) -> Part {
    let n = parts.len() as f64;
    let largest = parts.iter().flat_map(|p| &p.atoms).fold(0.0f64, |a, atom| a.max(atom.0));
    let scales = error::scales(largest);
    let integrals: Vec<Vec<f64>> =
        parts.iter().map(|p| error::integrals(&scales, p.atoms.iter().copied().chain([]))).collect();
    let totals = parts.iter().map(|p| p.atoms.iter().map(|atom| atom.1).sum::<f64>()).collect();
    let standard_error = |values: &Vec<f64>| {
        let mean = values.iter().sum::<f64>() / n;
        (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n * (n - 1.0))).sqrt()
    };
    let of_function = |f: usize| standard_error(&integrals.iter().map(|list| list[f]).collect());
    let n_functions = integrals.first().map_or(0, Vec::len);
    let spread = (0..n_functions).map(of_function).fold(standard_error(&totals), f64::max);
    let mean_error = parts.iter().map(|p| p.error).sum::<f64>() / n;
    let atoms = parts.iter().flat_map(|p| p.atoms.iter().map(|&(value, energy)| (value, energy / n)));
    Part {
        atoms: atoms.collect(),
        error: mean_error + STANDARD_ERRORS * spread / whole.max(f64::MIN_POSITIVE),
    }
}

fn split_vector(
    mut r: Vec<f64>,
    whole: f64,
    neighbors: &[Neighbor<'_>],
    residual: bool,
) -> Result<Split, HodgeError> {
    let mut parts = Vec::with_capacity(neighbors.len());
    for neighbor in neighbors {
        let mut part = Part::default();
        for (block, complement) in &neighbor.blocks {
            let (cells, operator) = block.on(neighbor.on);
            let mut p: Vec<f64> = cells.iter().map(|&i| r[i as usize]).collect();
            let mut left = p.clone();
            let off = complement.replace(&mut left);
            p.iter_mut().zip(&left).for_each(|(p, l)| *p -= l);
            let energy = squared_norm(&p);
            if energy <= ROUNDING * whole {
                continue;
            }
            cells.iter().zip(&left).for_each(|(&i, &l)| r[i as usize] = l);
            let found = quadrature(operator, &p, stopping(operator, energy / whole), error::of_rules)?;
            part.error += (found.error * energy + 2.0 * off * energy.sqrt()) / whole;
            let atoms = found.rule.nodes.into_iter().zip(found.rule.masses.iter().map(|m| m * energy));
            part.atoms.extend(atoms);
        }
        parts.push(part);
    }
    let has_dense = neighbors.iter().any(|n| n.dense.is_some());
    if residual {
        // The second round removes what rounding left of the first.
        for neighbor in neighbors.iter().chain(neighbors) {
            let range = if neighbor.on == Side::Cells { Range::Rows } else { Range::Columns };
            if let Some(b) = &neighbor.dense {
                remove_range(b, range, &mut r);
            }
        }
    }
    Ok(Split { parts, left: (residual || !has_dense).then(|| squared_norm(&r)) })
}

/// When quadrature over an operator ends, for a vector that has this share of the energy.
fn stopping(operator: PairRef<'_>, share: f64) -> Stopping {
    let kept = operator.n_rows().min(operator.n_cols()).max(1);
    Stopping { tolerance: TOLERANCE / share, max_steps: (MAX_KEPT / kept).clamp(FEW_STEPS, MAX_STEPS) }
}
