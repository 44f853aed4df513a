//! The pipeline end to end: settings, training, prediction with its explanation, and the model file.
//!
//! All methods of \[Alain24\] are settings of one pipeline: see [`Method`]. [`ModelParams::fit`] learns classes or real
//! targets, whichever the dataset has.
//!
//! ```
//! use hodgelet::complex::Complex;
//! use hodgelet::dataset::{Column, ColumnValues, Dataset, Targets};
//! use hodgelet::model::{ModelParams, PredictedTargets};
//! use hodgelet::signal::Orientation;
//! use std::ops::ControlFlow;
//!
//! // Squares of 4 edges: the flow goes around (co-exact or harmonic), or out of one corner (exact).
//! let square = Complex::graph(4, &[[0, 1], [1, 2], [2, 3], [3, 0]])?;
//! let (mut flows, mut labels) = (vec![], vec![]);
//! for i in 0..12 {
//!     let tilt = 0.1 * f64::from(i);
//!     flows.extend(if i % 2 == 0 { [1.0, 1.0 + tilt, 1.0, 1.0] } else { [1.0, tilt, tilt, -1.0] });
//!     labels.push(i as u32 % 2);
//! }
//! let flow = Column {
//!     name: "flow".to_owned(),
//!     dim: 1,
//!     orientation: Orientation::Oriented,
//!     starts: (0..=12).map(|i| 4 * i).collect(),
//!     values: ColumnValues::Real { channels: vec!["0".to_owned()], values: flows },
//! };
//! let dataset = Dataset {
//!     name: "squares".to_owned(),
//!     complexes: vec![square; 12],
//!     columns: vec![flow],
//!     targets: Targets::Classes { names: vec!["around".to_owned(), "out".to_owned()], labels },
//! };
//!
//! let train: Vec<usize> = (0..10).collect();
//! let params = ModelParams { seed: 1, ..ModelParams::default() };
//! let model = params.fit(&dataset, &train, |_| ControlFlow::Continue(()))?;
//! let prediction = model.predict(&dataset.select(&[10, 11]), |_| ControlFlow::Continue(()))?;
//! let PredictedTargets::Classes { probabilities, labels } = &prediction.targets else { unreachable!() };
//! assert_eq!(labels, &[0, 1]);
//! assert!(probabilities[(0, 0)] > 0.5);
//!
//! // Every prediction is the sum of what each Hodge block says.
//! let sum: f64 = prediction.blocks.iter().map(|(_, share)| share[(0, 0)]).sum();
//! assert!((sum - prediction.latent_mean[(0, 0)]).abs() < 1e-12);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod error;
mod features;
mod file;
mod fit;
mod fitted;
mod objective;
mod params;
mod search;
mod space;
#[cfg(test)]
mod testing;

pub use error::ModelError;
pub use features::{BlockSpace, FeatureMap};
pub use file::FileError;
pub use fit::{Stage, StartBlock, TrainingObjective, TrainingProblem};
pub use fitted::{FittedTargets, Model, PredictedTargets, Prediction, Summary};
pub use params::{ClassLikelihood, Inference, KernelParams, LengthscaleChoice, Method, ModelParams};
pub use search::{Change, Found, SearchParams, Tried};
pub use space::{FeatureTransform, Lift, Measured, SpaceParams, measure_dataset};
