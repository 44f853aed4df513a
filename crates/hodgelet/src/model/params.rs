//! Settings of a model.

use super::{FeatureTransform, SpaceParams};
use crate::gp::VariationalParams;
use crate::hodge::Weighting;
use crate::kernel::Family;
use crate::likelihood::{LikelihoodParams, Link};
use crate::param::Transform;
use crate::train::LbfgsParams;
use crate::wavelet::ScaleSpread;
use serde::{Deserialize, Serialize};

/// How many lengthscales a block has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LengthscaleChoice {
    /// One for all columns.
    #[default]
    Isotropic,
    /// One for each channel of the signal.
    PerChannel,
    /// One for each column.
    Ard,
}

/// The covariance function of each block.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct KernelParams {
    /// The family.
    pub family: Family,
    /// Its lengthscales.
    pub lengthscales: LengthscaleChoice,
    /// Where lengthscales start; the square root of the number of live columns if nothing is said.
    pub initial_lengthscale: Option<f64>,
}

impl Default for KernelParams {
    fn default() -> Self {
        let (family, lengthscales) = (Family::SquaredExponential, LengthscaleChoice::Isotropic);
        Self { family, lengthscales, initial_lengthscale: None }
    }
}

/// Which likelihood of classes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClassLikelihood {
    /// Probit for two classes, softmax for more: both are log-concave, so the best Gaussian is one and is found fast.
    #[default]
    Auto,
    /// Logit for two classes, softmax for more.
    Softmax,
    /// As the published code: GPflow's probit with its floor of 1e-3 for two classes, robust-max for more. Robust-max
    /// is not log-concave: with contradicting labels it has several optima and takes hundreds of inner steps.
    Gpflow,
}

impl ClassLikelihood {
    /// The likelihood of `n_classes` classes.
    #[must_use]
    pub fn of(self, n_classes: usize) -> LikelihoodParams {
        match (self, n_classes) {
            (Self::Auto, 2) => LikelihoodParams::PROBIT,
            (Self::Softmax, 2) => LikelihoodParams::LOGIT,
            (Self::Gpflow, 2) => {
                LikelihoodParams::Bernoulli { link: Link::Probit { floor: 1e-3 }, nodes: 20 }
            }
            (Self::Auto | Self::Softmax, _) => LikelihoodParams::SOFTMAX,
            (Self::Gpflow, _) => LikelihoodParams::ROBUST_MAX,
        }
    }
}

/// How the posterior given the trained hyperparameters is found. Training itself is by the variational bound, or
/// by the evidence for real targets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Inference {
    /// The best Gaussian; exact for real targets.
    #[default]
    Variational,
    /// The Gaussian at the mode, for two classes by probit or logit.
    Laplace,
}

/// Settings of a model. The defaults are WT-GP-Hodge of \[Alain24\], with weak priors.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct ModelParams {
    /// From a dataset to features.
    pub space: SpaceParams,
    /// The kernel of each block.
    pub kernel: KernelParams,
    /// The likelihood of classes.
    pub likelihood: ClassLikelihood,
    /// The final posterior.
    pub inference: Inference,
    /// Deviation, in the logarithm, of the log-normal priors around the initial hyperparameters (three times as much
    /// for variances); none turns them off.
    pub prior_deviation: Option<f64>,
    /// Starts from different initial scales; the best objective is kept.
    pub restarts: usize,
    /// Seed of the initial scales.
    pub seed: u64,
    /// The optimizer.
    pub optimizer: LbfgsParams,
    /// The inner loop in training, which goes on with what it has when its iterations are used up: warm starts need a
    /// few, a likelihood that is not log-concave can need hundreds, and training gains more from moving on. The
    /// posterior at the end is found more closely.
    pub variational: VariationalParams,
    /// Whether equal rows of features share one latent value.
    pub collapse: bool,
}

impl Default for ModelParams {
    fn default() -> Self {
        Self {
            space: SpaceParams::default(),
            kernel: KernelParams::default(),
            likelihood: ClassLikelihood::default(),
            inference: Inference::default(),
            prior_deviation: Some(1.0),
            restarts: 1,
            seed: 0,
            optimizer: LbfgsParams {
                max_iterations: 60,
                objective_tolerance: 1e-6,
                ..LbfgsParams::default()
            },
            variational: VariationalParams {
                tolerance: 1e-6,
                max_iterations: 12,
                ..VariationalParams::default()
            },
            collapse: true,
        }
    }
}

/// The methods compared in \[Alain24\].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// WT-GP-Hodge: wavelets on Hodge components.
    #[default]
    Hodge,
    /// WT-GP: wavelets on the vertex signal, not split.
    Wt,
    /// WT-GP-LG: the same on the line graph.
    LineGraph,
    /// FT-GP: cumulative spectral energy of the vertex signal.
    Fourier,
}

impl Method {
    /// The settings of the method; all of them run through one pipeline.
    #[must_use]
    pub fn params(self) -> ModelParams {
        let space = match self {
            Self::Hodge => SpaceParams::default(),
            Self::Wt => SpaceParams::wt(),
            Self::LineGraph => SpaceParams::line_graph(),
            Self::Fourier => SpaceParams::fourier(),
        };
        ModelParams { space, ..ModelParams::default() }
    }

    /// The settings as the reference has them, where they are known: the normalized Laplacian for methods without
    /// the split, GPflow's likelihoods, lengthscales from 1, no priors.
    #[must_use]
    pub fn faithful_params(self) -> ModelParams {
        let mut params = self.params();
        params.likelihood = ClassLikelihood::Gpflow;
        params.kernel.initial_lengthscale = Some(1.0);
        params.prior_deviation = None;
        if let FeatureTransform::Wavelets(bank) = &mut params.space.transform {
            bank.transform = Transform::Softplus;
            bank.spread = ScaleSpread::Reference;
        }
        if self == Self::Hodge {
            params.space.weighting = Weighting::Combinatorial;
        }
        params
    }

    /// Name in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Hodge => "WT-GP-Hodge",
            Self::Wt => "WT-GP",
            Self::LineGraph => "WT-GP-LG",
            Self::Fourier => "FT-GP",
        }
    }
}
