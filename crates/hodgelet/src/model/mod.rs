//! The pipeline end to end: settings, training, prediction with its explanation, and the model file.
//!
//! All methods of \[Alain24\] are settings of one pipeline: see [`Method`]. [`HodgeletClassifier`] and
//! [`HodgeletRegressor`] are the doors to it.

mod error;
mod estimator;
mod features;
mod file;
mod fit;
mod fitted;
mod objective;
mod params;
mod space;
#[cfg(test)]
mod testing;

pub use error::ModelError;
pub use estimator::{HodgeletClassifier, HodgeletRegressor};
pub use features::{BlockSpace, FeatureMap};
pub use file::FileError;
pub use fit::{Stage, StartBlock, TrainingObjective, TrainingProblem};
pub use fitted::{FittedTargets, Model, PredictedTargets, Prediction, Summary};
pub use params::{ClassLikelihood, Inference, KernelParams, LengthscaleChoice, Method, ModelParams};
pub use space::{FeatureTransform, Lift, Measured, SpaceParams, measure_dataset};
