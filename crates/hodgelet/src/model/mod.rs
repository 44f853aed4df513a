//! The pipeline end to end: settings, training, prediction with its explanation, and the model file.

mod error;
mod space;

pub use error::ModelError;
pub use space::{FeatureTransform, Lift, Measured, SpaceParams, measure_dataset};
