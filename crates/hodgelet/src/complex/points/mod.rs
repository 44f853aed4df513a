//! Complexes of points: Vietoris–Rips in any number of coordinates, alpha in the plane.

mod alpha;
mod rips;

pub use alpha::{AlphaFiltration, alpha_filtration};

use super::ComplexError;

/// Refuses a radius that is negative or not a number.
fn check_radius(found: f64) -> Result<(), ComplexError> {
    if found >= 0.0 { Ok(()) } else { Err(ComplexError::Radius { found }) }
}
