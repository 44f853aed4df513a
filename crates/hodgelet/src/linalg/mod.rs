//! The few dense, sparse and factorization routines used here; the only place that names the backend.

mod sparse;

pub use sparse::SparseMat;
