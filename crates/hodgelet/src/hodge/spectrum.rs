//! Hodge spectra through the smaller Gram matrix of each boundary operator.
//!
//! If `(λ > 0, v)` is an eigenpair of `B_k B_kᵀ`, then `B_kᵀ v / √λ` is one of `B_kᵀ B_k`: the co-exact spectrum
//! of dimension `k − 1` and the exact spectrum of dimension `k` are one decomposition, of whichever of the two
//! Gram matrices is smaller.

use super::{HodgeComponent, HodgeError, Operators};
use crate::linalg::dense::times;
use crate::linalg::eigen::{Eigenpairs, eigenpairs};
use crate::linalg::rank::rank_mod_prime;
use crate::linalg::{SparseMat, check_memory};
use faer::{Mat, MatRef};

/// Which Gram matrix of a boundary operator was decomposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// `B_k B_kᵀ`, of the size of the faces.
    Faces,
    /// `B_kᵀ B_k`, of the size of the cells.
    Cells,
}

/// The side with fewer rows and its size; the faces when they tie.
pub(crate) fn smaller_side(b: &SparseMat) -> (Side, usize) {
    if b.n_rows() <= b.n_cols() { (Side::Faces, b.n_rows()) } else { (Side::Cells, b.n_cols()) }
}

/// Calls `add(i, j, value)` for every contribution to a Gram matrix of `b`, both triangles.
pub(crate) fn gram_entries(b: &SparseMat, side: Side, mut add: impl FnMut(usize, usize, f64)) {
    let transposed;
    let vectors = match side {
        Side::Faces => b,
        Side::Cells => {
            transposed = b.transpose();
            &transposed
        }
    };
    for j in 0..vectors.n_cols() {
        for (p, x) in vectors.entries(j) {
            for (q, y) in vectors.entries(j) {
                add(p, q, x * y);
            }
        }
    }
}

/// The non-zero spectrum shared by the two Gram matrices of `B̃_k`.
#[derive(Clone, Debug)]
pub struct BoundarySpectrum {
    side: Side,
    size: usize,       // of the Gram matrix
    values: Vec<f64>,  // [rank], ascending
    vectors: Vec<f64>, // [size, rank] column-major
}

impl BoundarySpectrum {
    /// The spectrum of `B̃_k` by the dense backend.
    ///
    /// # Errors
    ///
    /// [`HodgeError::NotConverged`], [`HodgeError::NoMemory`].
    pub fn new(operators: &Operators<'_>, k: usize) -> Result<Self, HodgeError> {
        let Some(b) = operators.boundary(k) else {
            return Ok(Self { side: Side::Faces, size: 0, values: Vec::new(), vectors: Vec::new() });
        };
        let (side, size) = smaller_side(b);
        check_memory(size.saturating_mul(size).saturating_mul(3))?; // with eigenvectors and room to work
        let mut gram = Mat::zeros(size, size);
        gram_entries(b, side, |i, j, value| gram[(i, j)] += value);
        let pairs = eigenpairs(gram.as_ref())?;
        Ok(Self::from_eigenpairs(operators, k, pairs))
    }

    /// Keeps the pairs of the smaller Gram matrix of `B̃_k` that are not zero.
    #[must_use]
    pub(crate) fn from_eigenpairs(operators: &Operators<'_>, k: usize, mut pairs: Eigenpairs) -> Self {
        let side = operators.boundary(k).map_or(Side::Faces, |b| smaller_side(b).0);
        let size = pairs.values.len();
        let zeros = count_zeros(operators, k, &pairs.values);
        pairs.values.drain(..zeros);
        pairs.vectors.drain(..zeros * size);
        Self { side, size, values: pairs.values, vectors: pairs.vectors }
    }

    /// Rank of the operator.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.values.len()
    }

    /// The non-zero eigenvalues, ascending.
    #[must_use]
    pub fn eigenvalues(&self) -> &[f64] {
        &self.values
    }

    /// Which Gram matrix the vectors belong to.
    #[must_use]
    pub fn side(&self) -> Side {
        self.side
    }

    /// Eigenvector `n` of the Gram matrix on [`side`](Self::side).
    #[must_use]
    pub fn vector(&self, n: usize) -> &[f64] {
        &self.vectors[n * self.size..(n + 1) * self.size]
    }

    /// Writes the unit vector of pair `n` on the cells (or faces) of `b`, whichever `on` says.
    pub fn write_vector(&self, b: &SparseMat, on: Side, n: usize, out: &mut [f64]) {
        if on == self.side {
            out.copy_from_slice(self.vector(n));
            return;
        }
        match on {
            Side::Cells => b.mul_transpose(self.vector(n), out),
            Side::Faces => b.mul(self.vector(n), out),
        }
        let scale = 1.0 / self.values[n].sqrt();
        out.iter_mut().for_each(|u| *u *= scale);
    }
}

/// How many of the ascending eigenvalues of the smaller Gram matrix of `B̃_k` are zero: by connected components
/// for edges, by a relative tolerance `n ε λ_max` above.
pub(crate) fn count_zeros(operators: &Operators<'_>, k: usize, values: &[f64]) -> usize {
    let Some(b) = operators.boundary(k) else { return values.len() };
    if k == 1 && operators.is_graph_like() {
        let rank = b.n_rows() - operators.complex().connected_components().1;
        return values.len() - rank;
    }
    values.partition_point(|&v| v <= zero_tolerance(values))
}

/// `n ε λ_max`, four times over for the two sums of squares behind an entry of a Gram matrix.
pub(crate) fn zero_tolerance(values: &[f64]) -> f64 {
    4.0 * values.len() as f64 * f64::EPSILON * values.last().copied().unwrap_or(0.0)
}

/// Eigenvalues and eigenvectors of one dimension and component.
#[derive(Clone, Debug, PartialEq)]
pub struct Spectrum {
    eigenvalues: Vec<f64>,  // [n]
    eigenvectors: Mat<f64>, // [n_cells, n]
}

impl Spectrum {
    /// Eigenvalues, ascending; all 0 in a harmonic spectrum.
    #[must_use]
    pub fn eigenvalues(&self) -> &[f64] {
        &self.eigenvalues
    }

    /// Orthonormal eigenvectors in columns, `[n_cells, len]`.
    #[must_use]
    pub fn eigenvectors(&self) -> MatRef<'_, f64> {
        self.eigenvectors.as_ref()
    }

    /// Number of eigenpairs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.eigenvalues.len()
    }

    /// Whether the component is zero.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.eigenvalues.is_empty()
    }
}

/// The eigenpairs of one component of dimension `k`.
///
/// # Errors
///
/// [`HodgeError::NotConverged`].
///
/// # Complexity
///
/// Cubic in the smaller side of the operator; a harmonic spectrum is cubic in the number of cells.
pub fn spectrum(
    operators: &Operators<'_>,
    k: usize,
    component: HodgeComponent,
) -> Result<Spectrum, HodgeError> {
    match component {
        HodgeComponent::Exact => one_sided(operators, k, Side::Cells),
        HodgeComponent::Coexact => one_sided(operators, k + 1, Side::Faces),
        HodgeComponent::Harmonic => harmonic(operators, k),
    }
}

fn one_sided(operators: &Operators<'_>, k: usize, on: Side) -> Result<Spectrum, HodgeError> {
    let n_cells = operators.complex().n_cells(if on == Side::Cells { k } else { k - 1 });
    let found = BoundarySpectrum::new(operators, k)?;
    let mut eigenvectors = Mat::zeros(n_cells, found.rank());
    if let Some(b) = operators.boundary(k) {
        for n in 0..found.rank() {
            found.write_vector(b, on, n, eigenvectors.col_as_slice_mut(n));
        }
    }
    Ok(Spectrum { eigenvalues: found.values, eigenvectors })
}

/// The harmonic projector is what the other two leave; its eigenvectors at 1 span the kernel.
fn harmonic(operators: &Operators<'_>, k: usize) -> Result<Spectrum, HodgeError> {
    let exact = one_sided(operators, k, Side::Cells)?;
    let coexact = one_sided(operators, k + 1, Side::Faces)?;
    let n = operators.complex().n_cells(k);
    let betti = n.saturating_sub(exact.len() + coexact.len());
    let (u, v) = (exact.eigenvectors(), coexact.eigenvectors());
    let projector = Mat::<f64>::identity(n, n) - times(u, u.transpose()) - times(v, v.transpose());
    let pairs = eigenpairs(projector.as_ref())?;
    let eigenvectors = Mat::from_fn(n, betti, |i, j| pairs.vector(n - betti + j)[i]);
    Ok(Spectrum { eigenvalues: vec![0.0; betti], eigenvectors })
}

/// The Betti numbers over the reals, `β_k = n_k − rank B_k − rank B_{k+1}` for `k` in `0..=dim`.
///
/// Edges are counted by union-find. Ranks of higher operators come from elimination modulo the prime 2⁶¹ − 1 where
/// coefficients are integers; a rank modulo a prime is that over the reals unless homology has torsion of that order.
/// Operators with other coefficients, which may have been rounded, are decomposed.
///
/// # Errors
///
/// [`HodgeError::NotConverged`].
///
/// # Complexity
///
/// Linear where the complex collapses, as trees and disks do; cubic at worst.
pub fn betti_numbers(operators: &Operators<'_>) -> Result<Vec<usize>, HodgeError> {
    let complex = operators.complex();
    let mut ranks = vec![0; complex.dim() + 2];
    for k in 1..=complex.dim() {
        let Some(b) = complex.boundary(k) else { continue };
        ranks[k] = if k == 1 && operators.is_graph_like() {
            complex.n_cells(0) - complex.connected_components().1
        } else if b.values().iter().all(|v| v.fract() == 0.0) {
            // What B_{k−1} annihilates holds the image of B_k.
            rank_mod_prime(b, complex.n_cells(k - 1) - ranks[k - 1])
        } else {
            BoundarySpectrum::new(operators, k)?.rank()
        };
    }
    Ok((0..=complex.dim()).map(|k| complex.n_cells(k).saturating_sub(ranks[k] + ranks[k + 1])).collect())
}
