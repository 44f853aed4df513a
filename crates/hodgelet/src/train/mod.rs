//! Optimizers, stopping rules, restarts and sampling; they see parameters and an objective, nothing else.
//!
//! ```
//! use hodgelet::train::{LbfgsParams, Stop, minimize};
//! use std::convert::Infallible;
//! use std::ops::ControlFlow;
//!
//! let bowl = |x: &[f64], gradient: &mut [f64]| {
//!     gradient.copy_from_slice(&[2.0 * (x[0] - 3.0), 8.0 * x[1]]);
//!     Ok::<f64, Infallible>((x[0] - 3.0).powi(2) + 4.0 * x[1] * x[1])
//! };
//! let settings = LbfgsParams::default().check()?;
//! let minimum = minimize(&settings, &[0.0, 1.0], bowl, |_| ControlFlow::Continue(()))?;
//! assert_eq!(minimum.stop, Stop::Gradient);
//! assert!((minimum.point[0] - 3.0).abs() < 1e-5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod lbfgs;
mod line_search;
mod memory;
mod nuts;
mod params;
mod restarts;
mod trace;

pub use lbfgs::{MinimizeError, Minimum, Progress, Stop, minimize};
pub use nuts::{Chain, NutsParams, SampleError, sample};
pub use params::{CheckedLbfgsParams, LbfgsParams, TrainError};
pub use restarts::restarts;
pub use trace::{effective_size, split_r_hat};
