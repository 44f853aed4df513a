//! The pipeline end to end: feature space, training, prediction with its explanation, and the model file.
//!
//! [`Settings::fit`](crate::settings::Settings::fit) is the door to it: settings and a dataset become a [`Model`]. All
//! methods of \[Alain24\] are settings of one pipeline.

mod averaging;
mod cells;
mod conformal;
mod draws;
mod drift;
mod error;
mod features;
mod file;
mod fit;
mod fitted;
mod labels;
mod left_out;
mod link;
mod measure;
mod names;
mod noise;
mod novelty;
mod objective;
mod own;
mod parameters;
mod plan;
mod predict;
mod problem;
#[cfg(test)]
mod sbc;
mod several;
mod shape;
mod source;
mod space;
mod sparse;
mod stored;
mod targets;
#[cfg(test)]
pub(crate) mod testing;
mod together;
mod update;

pub use averaging::Exploration;
pub use cells::{CellShares, LabelShare};
pub use conformal::{Basis, CalibratedPrediction, RegionTargets, Regions};
pub use drift::Drift;
pub use error::ModelError;
pub use features::{BlockSpace, FeatureMap};
pub use file::FileError;
pub use fit::Stage;
pub use fitted::{Model, Summary};
pub use measure::Measured;
pub use novelty::{Novelty, TrainingDistances};
pub use parameters::Hyperparameter;
pub use plan::{Plan, PlannedBlocks};
pub use predict::{PredictedTargets, Prediction};
pub use problem::{Problem, StartBlock, TrainingObjective};
pub use several::{Goal, Models};
pub use shape::Shape;
pub use source::{MeasureSource, Workers};
pub use space::{FeatureSpace, Measurer};
pub use sparse::{Shard, SparseSummary};
pub use targets::FittedTargets;
pub use together::JointLatents;
pub use update::UpdateParams;
