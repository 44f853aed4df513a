//! A limit on the cells that are listed of one complex: a few hundred vertices have millions of cliques.

use super::ComplexError;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Most cells of one dimension that cliques, close points, hyperedges and pairs of edges of one complex may become, if nothing
/// else is set: some hundred megabytes.
pub const DEFAULT_MAX_CELLS: usize = 10_000_000;

static MAX_CELLS: AtomicUsize = AtomicUsize::new(DEFAULT_MAX_CELLS);

/// Most cells of one dimension that cliques, close points, hyperedges and pairs of edges of one complex may become.
#[must_use]
pub fn max_cells() -> usize {
    MAX_CELLS.load(Ordering::Relaxed)
}

/// Sets [`max_cells`] for the whole process.
pub fn set_max_cells(limit: usize) {
    MAX_CELLS.store(limit, Ordering::Relaxed);
}

/// Refuses to list `count` cells of dimension `dim`, if that is too many. `count` is only called where `bound`, which costs
/// less, does not decide; it may stop above `limit`.
pub(super) fn check(
    dim: usize,
    limit: usize,
    bound: usize,
    count: impl FnOnce() -> usize,
) -> Result<(), ComplexError> {
    if bound > limit && count() > limit {
        return Err(ComplexError::TooManyCells { dim, limit });
    }
    Ok(())
}
