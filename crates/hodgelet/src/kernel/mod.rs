//! Covariance functions on feature vectors: families, lengthscales, and sums over blocks of columns.
//!
//! The Hodgelet kernel is a sum over blocks, \[Alain24\] Eq. (7):
//!
//! ```text
//! κ(G, G') = Σ_b σ_b² k_b(z_b, z_b')
//! ```
//!
//! where block `b` sees its own feature matrix `Z_b` `[n_points, n_columns]`, or [rows that never change](FixedRows), and
//! `k_b` is a [`Family`] with [`Lengthscales`]. Settings are plain structs; [`SumKernel::new`] validates them.
//!
//! ```
//! use faer::{Mat, Par};
//! use hodgelet::kernel::{BaseKernel, BlockKernel, Family, Lengthscales, SumKernel};
//!
//! let base = BaseKernel::new(Family::SquaredExponential, Lengthscales::isotropic(2.0));
//! let kernel = SumKernel::new(vec![BlockKernel::new(1.5, base)])?;
//! let z = Mat::from_fn(3, 2, |i, j| (i + j) as f64);
//! let gram = kernel.gram(&[z.as_ref()], Par::Seq)?;
//! assert_eq!(gram[(0, 0)], 1.5);
//! assert!((gram[(1, 0)] - 1.5 * (-0.5f64 * 2.0 / 4.0).exp()).abs() < 1e-14);
//! # Ok::<(), hodgelet::kernel::KernelError>(())
//! ```

mod backward;
mod block;
mod cross;
mod cross_backward;
mod error;
mod family;
mod forward;
mod given;
mod input;
mod lengthscale;
mod line;
mod linear;
mod matern;
mod points;
mod polynomial;
mod rational_quadratic;
mod rows;
mod squared_exponential;
mod sum;

pub use backward::KernelGradient;
pub(crate) use block::RANGE;
pub use block::{BaseKernel, BlockKernel};
pub use cross_backward::CrossGradient;
pub use error::KernelError;
pub use family::Family;
pub use forward::GramWorkspace;
pub use given::GivenRows;
pub use input::{FixedRows, Input, Inputs};
pub use lengthscale::{Columns, Lengthscales};
pub use line::LineShares;
pub use rows::{RowProduct, SparseRows};
pub use sum::SumKernel;
