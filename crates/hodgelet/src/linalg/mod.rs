//! The few dense, sparse and factorization routines used here: eigenproblems, factorizations and products of the
//! backend go through this module, which leaves the vector registers as it found them.

pub mod cholesky;
pub mod dense;
pub mod eigen;
pub(crate) mod golub_kahan;
pub mod lanes;
pub mod least_squares;
pub(crate) mod pair;
pub(crate) mod projection;
pub(crate) mod rank;
pub mod simd;
mod sparse;
pub mod symmetric;

pub use sparse::SparseMat;

/// An eigenvalue iteration that gave up.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("eigenvalues of a matrix of size {size} did not converge")]
pub struct NotConverged {
    /// Number of rows of the matrix.
    pub size: usize,
}

/// Ends the use of wide vector registers: the backend's products leave their upper halves dirty, and code
/// compiled for the baseline target then runs at a fraction of its speed.
#[inline]
pub fn clear_upper_registers() {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx") {
        // SAFETY: the instruction is part of AVX, which was just detected, and it has no operands.
        unsafe { std::arch::x86_64::_mm256_zeroupper() }
    }
}
