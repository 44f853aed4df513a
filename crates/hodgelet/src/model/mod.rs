//! The pipeline end to end: settings, training, prediction with its explanation, and the model file.
//!
//! All methods of [Alain24] are settings of one pipeline: see [`Method`].

mod error;
mod file;
mod features;
mod fit;
mod fitted;
mod objective;
mod params;
#[cfg(test)]
mod testing;
mod space;

pub use file::FileError;
pub use error::ModelError;
pub use features::{BlockSpace, FeatureMap};
pub use fit::Stage;
pub use fitted::{FittedTargets, Model, PredictedTargets, Prediction, Summary};
pub use params::{ClassLikelihood, Inference, KernelParams, LengthscaleChoice, Method, ModelParams};
pub use space::{FeatureTransform, Lift, Measured, SpaceParams, measure_dataset};
