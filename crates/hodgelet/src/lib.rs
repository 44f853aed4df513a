//! Gaussian processes on Hodge-decomposed spectral wavelet features of graphs and complexes.
//!
//! The data flow, in reading order:
//!
//! 1. [`complex`]: a graph or a higher-order network becomes a [`Complex`](complex::Complex), cells and
//!    signed boundary operators;
//! 2. [`signal`]: real values on its cells, each channel oriented (a flow) or not (a bond type); [`dataset`]
//!    holds many complexes with what is known of their cells, and [`encode`] makes signals of that;
//! 3. [`hodge`]: weighted operators, Laplacians, spectra and the decomposition of a signal;
//! 4. [`measure`]: the energy of a signal over each spectrum, all that is needed of a complex from here on;
//! 5. [`wavelet`]: filters of an eigenvalue, and the trainable bank of them;
//! 6. [`feature`]: measures and a bank become the Hodgelet features, standardized;
//! 7. [`kernel`]: covariance functions on blocks of features and their sum;
//! 8. [`likelihood`]: the target given a latent value;
//! 9. [`gp`]: prior and likelihood become a posterior that predicts;
//! 10. [`train`]: optimizers, which see parameters and an objective and nothing else;
//! 11. [`model`]: all of it end to end, from a dataset to predictions.
//!
//! Beside them is `store`, behind the feature of that name: measures on disk. Below them lie [`linalg`], which wraps the linear algebra backend, [`param`], and [`output`], through which
//! every file is written.

#![warn(missing_docs)]

pub mod choice;
pub mod complex;
pub mod contain;
pub mod dataset;
pub mod encode;
pub mod feature;
pub mod gp;
pub mod hodge;
pub mod json;
pub mod kernel;
pub mod likelihood;
pub mod linalg;
pub mod measure;
pub mod model;
pub mod output;
pub mod param;
pub mod settings;
pub mod signal;
#[cfg(feature = "store")]
pub mod store;
pub mod train;
pub mod wavelet;
