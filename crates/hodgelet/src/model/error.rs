//! What can go wrong between a dataset and a prediction.

use crate::complex::ComplexError;
use crate::dataset::GramError;
use crate::encode::EncodeError;
use crate::feature::{FourierError, SignedError};
use crate::gp::GpError;
use crate::gp::collapse::CollapseError;
use crate::hodge::MetricError;
use crate::kernel::KernelError;
use crate::likelihood::{LikelihoodError, ObservationError};
use crate::linalg::NoMemory;
use crate::measure::MeasureError;
use crate::settings::SettingError;
use crate::train::TrainError;
use crate::wavelet::BankError;

/// What can go wrong with a model.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// A dimension that is to be used carries no signal.
    #[error("cells of dimension {dim} carry no signal")]
    NoSignal {
        /// The dimension.
        dim: usize,
    },
    /// Nothing is left to make features of.
    #[error("no block of features is left: no dimension carries a signal, or all blocks were left out")]
    NoBlocks,
    /// No feature varies over the training complexes.
    #[error("no feature varies over the {n} training complexes")]
    Constant {
        /// Number of training complexes.
        n: usize,
    },
    /// Too few complexes to learn from.
    #[error("{found} training complexes, expected at least {expected}")]
    TooFew {
        /// Complexes needed.
        expected: usize,
        /// Complexes found.
        found: usize,
    },
    /// Too few complexes to compare two sets of them.
    #[error("{found} {which} complexes, expected at least {expected} to compare the sets")]
    TooFewToCompare {
        /// Of which set.
        which: &'static str,
        /// Complexes needed.
        expected: usize,
        /// Complexes found.
        found: usize,
    },
    /// Measures could not be read from where they are kept.
    #[error("{fault}")]
    Store {
        /// What is wrong, and where.
        fault: String,
    },
    /// An index beyond the dataset.
    #[error("complex {index}, but the dataset has {len}")]
    Index {
        /// The index.
        index: usize,
        /// Number of complexes.
        len: usize,
    },
    /// Targets of another kind than the model predicts.
    #[error("the dataset has {found}, expected {expected}")]
    Targets {
        /// What the model needs.
        expected: &'static str,
        /// What the dataset has.
        found: &'static str,
    },
    /// Real targets that are too large or too close together for their variance to be a number.
    #[error("targets of magnitude {found:e}, expected magnitudes from 1e-152 to 1e152")]
    TargetRange {
        /// The largest target, or its distance from the mean.
        found: f64,
    },
    /// Only one class among the training complexes.
    #[error("all {n} training complexes are of class `{class}`, expected at least two classes")]
    OneClass {
        /// Number of training complexes.
        n: usize,
        /// The class.
        class: String,
    },
    /// The measures of another number of channels.
    #[error("{block} has {found} channels, but the model was trained on {expected}")]
    Channels {
        /// Name of the block.
        block: String,
        /// Channels of the model.
        expected: usize,
        /// Channels found.
        found: usize,
    },
    /// More features than can be held.
    #[error("{columns} columns for {complexes} graphs, expected at most {most} numbers in all")]
    TooLarge {
        /// Columns of features.
        columns: usize,
        /// Complexes.
        complexes: usize,
        /// Numbers allowed.
        most: usize,
    },
    /// More points on the spectrum than can be meant.
    #[error("{found} points on the spectrum, expected at most {most}")]
    Points {
        /// Points asked for.
        found: usize,
        /// Points allowed.
        most: usize,
    },
    /// A point of another number of parameters.
    #[error("{found} parameters, but the problem has {expected}")]
    Parameters {
        /// Parameters of the problem.
        expected: usize,
        /// Parameters found.
        found: usize,
    },
    /// A fit that memory does not hold.
    #[error("a posterior of {n} training graphs needs about {needed_mb} MB, but {budget_mb} MB may be taken")]
    Memory {
        /// Training complexes.
        n: usize,
        /// Megabytes needed.
        needed_mb: usize,
        /// Megabytes allowed.
        budget_mb: usize,
    },
    /// A class that a model was not trained on.
    #[error("class `{class}` is new to the model, which knows {}", known.join(", "))]
    NewClass {
        /// The class.
        class: String,
        /// Those of the model.
        known: Vec<String>,
    },
    /// Conformal prediction cannot be had this way.
    #[error("a conformal guarantee cannot be given: {fault}")]
    Conformal {
        /// Why.
        fault: String,
    },
    /// A coverage that no region has.
    #[error("coverage is {found}, expected a number between 0 and 1, both excluded")]
    Coverage {
        /// The coverage asked for.
        found: f64,
    },
    /// A row of a Gram matrix that fits no complex.
    #[error("{block}: graph {row} has {fault}")]
    GramRow {
        /// Name of the block.
        block: String,
        /// The row among those that are predicted together, from 0.
        row: usize,
        /// What is wrong with it.
        fault: String,
    },
    /// Something that a model with Gram matrices cannot do.
    #[error("{what} needs products that a given Gram matrix does not have")]
    GramOnly {
        /// What was asked for.
        what: &'static str,
    },
    /// From a Gram matrix.
    #[error("Gram matrix: {0}")]
    Gram(#[from] GramError),
    /// Training could not start or was stopped before it had anything.
    #[error("training failed: {reason}")]
    Training {
        /// Why.
        reason: String,
    },
    /// The most probable hyperparameters stand, but no others could be drawn.
    #[error("hyperparameters cannot be averaged over: {reason}")]
    Averaging {
        /// Why.
        reason: String,
    },
    /// A rule for telling two classes apart does not apply.
    #[error("no threshold can be chosen: {reason}")]
    Threshold {
        /// Why.
        reason: String,
    },
    /// A target that is no count.
    #[error("target {found}, expected whole numbers from 0 to 1e9, as noise is poisson")]
    Count {
        /// What was found.
        found: f64,
    },
    /// One of several targets cannot be learned.
    #[error("target `{name}`: {source}")]
    Goal {
        /// Name of the target.
        name: String,
        /// What went wrong.
        source: Box<ModelError>,
    },
    /// Several targets cannot be learned together.
    #[error("several targets cannot be learned together: {reason}")]
    Goals {
        /// Why.
        reason: String,
    },
    /// The caller asked to stop.
    #[error("cancelled")]
    Cancelled,
    /// From the complexes.
    #[error(transparent)]
    Complex(#[from] ComplexError),
    /// From the encoding.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// From the spectra.
    #[error(transparent)]
    Measure(MeasureError),
    /// From the lift of a complex.
    #[error("complex {index}: {source}")]
    Lift {
        /// Index of the complex.
        index: usize,
        /// What is wrong with it.
        source: ComplexError,
    },
    /// Parts of a feature space that contradict each other.
    #[error("{fault}")]
    Space {
        /// Which.
        fault: String,
    },
    /// From the metric of a surface.
    #[error("complex {index}: {source}")]
    Metric {
        /// Index of the complex.
        index: usize,
        /// What is wrong with it.
        source: MetricError,
    },
    /// From signed features.
    #[error(transparent)]
    Signed(#[from] SignedError),
    /// From the bank of filters.
    #[error(transparent)]
    Bank(#[from] BankError),
    /// From the points of the Fourier baseline.
    #[error(transparent)]
    Fourier(#[from] FourierError),
    /// From the kernel.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// From the likelihood.
    #[error(transparent)]
    Likelihood(#[from] LikelihoodError),
    /// From the observations.
    #[error(transparent)]
    Observations(#[from] ObservationError),
    /// From the collapse of duplicates.
    #[error(transparent)]
    Collapse(#[from] CollapseError),
    /// Matrices that do not fit in memory.
    #[error(transparent)]
    NoMemory(#[from] NoMemory),
    /// From inference.
    #[error(transparent)]
    Gp(#[from] GpError),
    /// From a setting given by name.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// From the optimizer.
    #[error(transparent)]
    Train(#[from] TrainError),
}

impl From<MeasureError> for ModelError {
    fn from(error: MeasureError) -> Self {
        match error {
            MeasureError::Cancelled { .. } => Self::Cancelled,
            other => Self::Measure(other),
        }
    }
}

impl crate::gp::sparse::PassError for ModelError {
    fn is_numerical(&self) -> bool {
        matches!(self, Self::Gp(_))
    }
}

impl ModelError {
    /// A way out, where there is one.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NoSignal { dim: 0 } => Some("choose a vertex signal, such as the degree"),
            Self::NoSignal { .. } => {
                Some("the dataset has no values on these cells; use other dimensions or a constant signal")
            }
            Self::TooLarge { .. } => Some("ask for fewer filters or points"),
            Self::TargetRange { .. } => Some("give the targets in another unit"),
            Self::Constant { .. } => Some("choose other signals, or more varied complexes"),
            Self::Conformal { .. } => Some("fit given settings, to more graphs or with fewer held out"),
            Self::Memory { .. } | Self::NoMemory(_) => Some(
                "set posterior to sparse if it is full, inducing or sample to a smaller number, or raise memory",
            ),
            Self::NewClass { .. } => Some("fit a model to all graphs"),
            Self::Goal { source, .. } => source.hint(),
            Self::Gram(error) => error.hint(),
            Self::GramRow { .. } => {
                Some("rows have a product with each training graph, and a last one with the graph itself")
            }
            Self::GramOnly { .. } | Self::Kernel(KernelError::NotGiven { .. }) => {
                Some("fit a model to all graphs with their Gram matrix, or leave out the block: exclude")
            }
            Self::Averaging { .. } => Some("set hyperparameters to map: the most probable ones alone"),
            Self::Complex(source) | Self::Lift { source, .. } => source.hint(),
            Self::Gp(error) => error.hint(),
            Self::Signed(error) => error.hint(),
            Self::Metric { source: MetricError::NoPositions { .. }, .. } => {
                Some("give every vertex a position, or choose another Laplacian")
            }
            _ => None,
        }
    }
}
