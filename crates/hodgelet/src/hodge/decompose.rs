//! The Hodge decomposition of a signal: three orthogonal signals that add up to it.

use super::{HodgeError, Operators};
use crate::linalg::least_squares::{Range, remove_range};
use crate::signal::{Orientation, Signal};
use faer::Mat;

/// A signal split into its three components, each `[n_cells, n_channels]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Decomposition {
    /// The part in the image of `B_kᵀ`.
    pub exact: Mat<f64>,
    /// The part in the image of `B_{k+1}`.
    pub coexact: Mat<f64>,
    /// The part in the kernel of `L_k`.
    pub harmonic: Mat<f64>,
}

/// Splits a signal on the cells of dimension `k`.
///
/// With weights that change variable the components are those of `M_k^{1/2} x`, divided by `M_k^{1/2}` again, so
/// that they add up to the signal given.
///
/// # Errors
///
/// [`HodgeError::Rows`] when the signal lives on another number of cells, [`HodgeError::Unoriented`] when a
/// channel on cells of dimension 1 or more is not oriented.
///
/// # Complexity
///
/// Two sparse least-squares problems per channel; no eigenvalues.
pub fn decompose(operators: &Operators<'_>, k: usize, signal: &Signal) -> Result<Decomposition, HodgeError> {
    let (n, expected) = (signal.n_cells(), operators.complex().n_cells(k));
    if n != expected {
        return Err(HodgeError::Rows { dim: k, expected, found: n });
    }
    let channels = signal.channels();
    if let Some(d) =
        (0..channels.len()).find(|&d| k > 0 && channels.orientation(d) == Orientation::Unoriented)
    {
        return Err(HodgeError::Unoriented { dim: k, channel: channels.name(d).to_owned() });
    }
    let zeros = || Mat::zeros(n, signal.n_channels());
    let mut out = Decomposition { exact: zeros(), coexact: zeros(), harmonic: zeros() };
    for d in 0..signal.n_channels() {
        let mut x = vec![0.0; n];
        signal.values().entries(d).for_each(|(i, v)| x[i] = v * operators.signal_root(k, i));
        let mut no_exact = x.clone();
        if let Some(b) = operators.boundary(k) {
            remove_range(b, Range::Rows, &mut no_exact);
        }
        let mut harmonic = no_exact.clone();
        if let Some(b) = operators.boundary(k + 1) {
            remove_range(b, Range::Columns, &mut harmonic);
        }
        for i in 0..n {
            let root = operators.signal_root(k, i);
            out.exact[(i, d)] = (x[i] - no_exact[i]) / root;
            out.coexact[(i, d)] = (no_exact[i] - harmonic[i]) / root;
            out.harmonic[(i, d)] = harmonic[i] / root;
        }
    }
    Ok(out)
}
