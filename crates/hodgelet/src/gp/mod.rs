//! Gaussian processes: a Gram matrix and a likelihood become a posterior.
//!
//! Nothing here knows graphs or kernels: inference takes a dense symmetric Gram matrix `K` (lower triangle), the
//! observations and a likelihood, and gives back a [`Posterior`], which predicts from further kernel evaluations
//! and says how the objective changes with `K`. Kernels turn that into gradients of their own parameters.
//!
//! - [`exact`]: real targets in closed form;
//! - [`variational`]: the best Gaussian for any likelihood, in dual (site) form;
//! - [`sparse`]: many points through few inducing ones, as a sum over leaves;
//! - [`laplace`]: the Gaussian at the mode for two classes, a cheap alternative and a check;
//! - [`leave_one_out`]: predictions of each observation from all others, without refitting;
//! - [`Inference`]: one of these as a value, with what a file holds of its posterior;
//! - [`collapse`]: equal feature rows become one latent point.

mod anderson;
pub mod collapse;
mod error;
pub mod exact;
mod factor;
mod inference;
pub mod laplace;
pub mod leave_one_out;
mod posterior;
pub mod sparse;
pub mod variational;
mod workspace;

pub use collapse::Collapse;
pub use error::GpError;
pub use inference::Inference;
pub use laplace::{BinaryLaplace, LaplaceParams};
pub use leave_one_out::LeaveOneOut;
pub use posterior::{Latents, Posterior, Sites};
pub use sparse::{Sparse, SparseParams};
pub use variational::{Variational, VariationalParams};
pub use workspace::Workspace;
