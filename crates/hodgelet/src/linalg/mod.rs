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
pub(crate) mod serial;
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

/// Memory that the system does not give.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the system does not give {megabytes} MB of memory for matrices")]
pub struct NoMemory {
    /// Memory that was asked for, rounded up.
    pub megabytes: usize,
}

/// Whether the system gives memory for so many numbers. Matrices are asked for here before they are made, where an
/// allocation that fails would end the program.
///
/// # Errors
///
/// [`NoMemory`].
pub fn check_memory(numbers: usize) -> Result<(), NoMemory> {
    const SMALL: usize = 1 << 20; // what no system refuses
    let given = numbers <= SMALL || Vec::<f64>::new().try_reserve_exact(numbers).is_ok();
    if given { Ok(()) } else { Err(NoMemory { megabytes: (numbers / 125_000).saturating_add(1) }) }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_no_system_has_is_an_error() {
        assert_eq!(check_memory(10_000_000), Ok(()));
        let error = check_memory(1 << 56).unwrap_err();
        assert!(error.to_string().starts_with("the system does not give 576460752"), "{error}");
        assert!(check_memory(usize::MAX).is_err());
    }
}
