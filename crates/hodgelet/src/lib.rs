//! Gaussian processes on Hodge-decomposed spectral wavelet features of graphs and complexes.
//!
//! The way of the data, in reading order:
//!
//! 1. [`complex`]: a graph or a higher-order network becomes a [`Complex`](complex::Complex), cells and
//!    signed boundary operators;
//! 2. [`signal`]: real values on its cells, each channel oriented (a flow) or not (a bond type);
//! 3. [`wavelet`]: filters of an eigenvalue, and the trainable bank of them;

#![warn(missing_docs)]

pub mod complex;
pub mod dataset;
pub mod feature;
pub mod hodge;
pub mod kernel;
pub mod gp;
pub mod likelihood;
pub mod encode;
pub mod linalg;
pub mod measure;
pub mod param;
pub mod signal;
pub mod wavelet;
