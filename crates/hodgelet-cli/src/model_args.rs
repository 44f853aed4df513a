//! Flags that say which model is trained.

use crate::args::{Laplacian, SignalArgs, laplacian, named, signed};
use crate::error::CommandError;
use clap::Args;
use clap::builder::RangedU64ValueParser;
use clap::builder::TypedValueParser;
use hodgelet::dataset::{Column, Dataset, POSITIONS, WEIGHTS};
use hodgelet::encode::VertexSignal;
use hodgelet::feature::{Block, Component, SignedParams};
use hodgelet::kernel::Family;
use hodgelet::model::{ClassLikelihood, FeatureTransform, LengthscaleChoice, Method, ModelParams};
use hodgelet::signal::Orientation;
use hodgelet::wavelet::{ScaleSpread, ScaleTransform};
use std::time::Duration;

const METHODS: [&str; 4] = ["hodge", "wt", "line-graph", "fourier"];
const LIKELIHOODS: [&str; 3] = ["auto", "softmax", "gpflow"];
const TRANSFORMS: [&str; 2] = ["log", "softplus"];
/// Names of spreads of initial scales.
pub const SPREADS: [&str; 2] = ["reference", "spectrum"];
const LENGTHSCALES: [&str; 3] = ["isotropic", "per-channel", "ard"];

/// Which model.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Model")]
pub struct ModelArgs {
    /// hodge: WT-GP-Hodge; wt: vertices, no split; line-graph: the same on the line graph; fourier: FT-GP
    #[arg(long, value_name = "MODEL", default_value = "hodge", value_parser = named::<Method>(&METHODS))]
    pub model: Method,
    /// Settings of the published code: its likelihoods, lengthscales from 1, no priors
    #[arg(long)]
    faithful: bool,
    /// Choose likelihood, Laplacian, signals, blocks, kernel, filters and starts on the training graphs, by the log
    /// probability of graphs left out
    #[arg(long, conflicts_with = "faithful")]
    pub auto: bool,
    #[command(flatten)]
    signals: SignalArgs,
    /// Which Laplacian [default: combinatorial with the split, normalized without]
    #[arg(long, value_name = "LAPLACIAN", value_parser = laplacian())]
    laplacian: Option<Laplacian>,
    /// Signed features of flows on one shared complex: harmonic, harmonic:EXACT,COEXACT (that many of the lowest
    /// eigenvectors too) or cycles=FILE (closed walks, a line of vertices each)
    #[arg(long, value_name = "KIND", value_parser = signed)]
    signed: Option<SignedParams>,
    /// Leave out the energies: signed features alone
    #[arg(long, requires = "signed")]
    signed_only: bool,
    /// Dimensions whose signals are used, such as 0,1 [default: all that carry one]
    #[arg(long, value_name = "K,...", value_delimiter = ',')]
    dims: Option<Vec<usize>>,
    /// Filters in each block
    #[arg(long, value_name = "W", default_value_t = 10)]
    filters: usize,
    /// Band-pass terms in each filter
    #[arg(long, value_name = "L", default_value_t = 3)]
    bands: usize,
    /// Initial scales: reference, made for eigenvalues up to 2, or spectrum, spread over the eigenvalues of the training
    /// graphs [default: spectrum; reference with --faithful]
    #[arg(long, value_name = "SPREAD", value_parser = named::<ScaleSpread>(&SPREADS))]
    scales: Option<ScaleSpread>,
    /// How scales depend on the numbers that are trained: log or softplus [default: log; softplus with --faithful]
    #[arg(long, value_name = "TRANSFORM", value_parser = named::<ScaleTransform>(&TRANSFORMS))]
    scale_transform: Option<ScaleTransform>,
    /// Covariance function: se, matern12, matern32, matern52, matern:NU, rq, linear or poly:DEGREE
    #[arg(long, value_name = "FAMILY", default_value = "se", value_parser = family)]
    kernel: Family,
    /// Lengthscales in each block
    #[arg(long, value_name = "CHOICE", default_value = "isotropic", value_parser = lengthscales())]
    lengthscales: LengthscaleChoice,
    /// For two classes or more: auto, probit or softmax; softmax, logit or softmax; gpflow, probit with a floor or robust-max
    #[arg(long, value_name = "LIKELIHOOD", value_parser = named::<ClassLikelihood>(&LIKELIHOODS))]
    likelihood: Option<ClassLikelihood>,
    /// Train without the weak priors around the initial hyperparameters
    #[arg(long)]
    no_priors: bool,
    /// Starts from different scales; the best objective is kept
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    restarts: usize,
    /// Most steps of the optimizer
    #[arg(long, value_name = "N", default_value_t = 60)]
    iterations: usize,
    /// Most seconds of each start
    #[arg(long, value_name = "SECONDS")]
    time_limit: Option<f64>,
}

impl ModelArgs {
    /// As [`params`](Self::params), where settings cannot be searched.
    ///
    /// # Errors
    ///
    /// [`CommandError::Usage`] for `--auto`.
    pub fn given_params(&self, dataset: &Dataset, seed: u64) -> Result<ModelParams, CommandError> {
        if self.auto {
            let hint = "`hodgelet evaluate` and `hodgelet fit` take it, and print what was chosen";
            return Err(CommandError::usage("--auto, expected the settings of one model", Some(hint)));
        }
        self.params(dataset, seed)
    }

    /// The settings of the model for `dataset`.
    ///
    /// # Errors
    ///
    /// [`CommandError::Usage`] for a time limit that is no time.
    pub fn params(&self, dataset: &Dataset, seed: u64) -> Result<ModelParams, CommandError> {
        let mut params = if self.faithful { self.model.faithful_params() } else { self.model.params() };
        params.space.encoding = self.signals.encoding(default_vertices(self.model, dataset));
        if let Some(laplacian) = self.laplacian {
            (params.space.weighting, params.space.metric) = (laplacian.weighting, laplacian.metric);
        }
        params.space.signed.clone_from(&self.signed);
        if self.signed_only {
            let highest = dataset.complexes().iter().map(|complex| complex.dim()).max().unwrap_or(0);
            let parts = [Component::Exact, Component::Coexact, Component::Harmonic, Component::Whole];
            let blocks = (0..=highest.max(2)).flat_map(|dim| parts.map(|component| Block { dim, component }));
            params.space.without.extend(blocks);
        }
        params.space.dims = self.dims.clone().or(params.space.dims);
        if let FeatureTransform::Wavelets(bank) = &mut params.space.transform {
            (bank.n_filters, bank.n_bands) = (self.filters, self.bands);
            bank.spread = self.scales.unwrap_or(bank.spread);
            bank.transform = self.scale_transform.unwrap_or(bank.transform);
        }
        params.kernel.family = self.kernel;
        params.kernel.lengthscales = self.lengthscales;
        params.likelihood = self.likelihood.unwrap_or(params.likelihood);
        params.prior_deviation = params.prior_deviation.filter(|_| !self.no_priors);
        params.restarts = self.restarts;
        params.seed = seed;
        params.optimizer.max_iterations = self.iterations;
        params.optimizer.time_limit = self.time_limit.map(time_limit).transpose()?;
        Ok(params)
    }
}

fn time_limit(seconds: f64) -> Result<Duration, CommandError> {
    let message = || format!("--time-limit {seconds}, expected a number of seconds");
    Duration::try_from_secs_f64(seconds).map_err(|_| CommandError::usage(message(), None))
}

fn lengthscales() -> impl TypedValueParser<Value = LengthscaleChoice> {
    named(&LENGTHSCALES)
}

/// The reference's vertex signal, but none where edges carry a flow and vertices nothing of their own but a place and
/// a weight: the flow is the signal then. None also where the line graph has no use for it.
#[must_use]
pub fn default_vertices(method: Method, dataset: &Dataset) -> VertexSignal {
    let is_flow = |c: &Column| c.dim == 1 && c.orientation == Orientation::Oriented;
    let is_signal = |c: &Column| c.dim == 0 && c.name != POSITIONS && c.name != WEIGHTS;
    let on_vertices = dataset.columns().iter().any(is_signal);
    match method {
        Method::LineGraph => VertexSignal::None,
        Method::Hodge if dataset.columns().iter().any(is_flow) && !on_vertices && has_edges(dataset) => {
            VertexSignal::None
        }
        _ => VertexSignal::Reference,
    }
}

/// Whether 1-cells are edges between two vertices, and no hyperedges.
fn has_edges(dataset: &Dataset) -> bool {
    dataset.complexes().iter().all(|complex| complex.n_cells(1) == 0 || complex.edge(0).is_some())
}

/// A family by its short name.
///
/// # Errors
///
/// What was expected, where the name is none.
pub fn family(name: &str) -> Result<Family, String> {
    Ok(match name.split_once(':').unwrap_or((name, "")) {
        ("se", "") => Family::SquaredExponential,
        ("matern12", "") => Family::Matern12,
        ("matern32", "") => Family::Matern32,
        ("matern52", "") => Family::Matern52,
        ("rq", "") => Family::RationalQuadratic,
        ("linear", "") => Family::Linear,
        ("matern", nu) => Family::Matern { nu: nu.parse().map_err(|_| format!("`{nu}` is no number"))? },
        ("poly", d) => Family::Polynomial { degree: d.parse().map_err(|_| format!("`{d}` is no degree"))? },
        _ => {
            return Err(
                "expected se, matern12, matern32, matern52, matern:NU, rq, linear or poly:DEGREE".into()
            );
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::name_of;
    use serde::Serialize;
    use serde::de::DeserializeOwned;

    #[test]
    fn every_name_offered_is_one_of_the_library() {
        fn check<T: DeserializeOwned + Serialize>(names: &[&str]) {
            for &name in names {
                let choice: T = serde_json::from_value(name.into()).unwrap();
                assert_eq!(name_of(&choice), name);
            }
        }
        check::<Method>(&METHODS);
        check::<ClassLikelihood>(&LIKELIHOODS);
        check::<LengthscaleChoice>(&LENGTHSCALES);
        check::<ScaleTransform>(&TRANSFORMS);
        check::<ScaleSpread>(&SPREADS);
    }

    #[test]
    fn a_flow_is_the_signal_unless_vertices_have_one() {
        let mut recipe = hodgelet_data::generate::builtin("vector-fields").unwrap();
        recipe.set("n_fields=2").unwrap();
        let fields = recipe.generate(0).unwrap();
        assert_eq!(default_vertices(Method::Hodge, &fields), VertexSignal::None);
        assert_eq!(default_vertices(Method::LineGraph, &fields), VertexSignal::None);
        assert_eq!(default_vertices(Method::Wt, &fields), VertexSignal::Reference);
        let mut columns = fields.columns().to_vec();
        let place = columns.iter().position(|column| column.name == POSITIONS).unwrap();
        columns[place].name = "charge".to_owned();
        let fields = fields.with_columns(columns).unwrap();
        assert_eq!(default_vertices(Method::Hodge, &fields), VertexSignal::Reference);
        assert_eq!(default_vertices(Method::LineGraph, &fields), VertexSignal::None);
    }

    #[test]
    fn families_have_short_names() {
        assert_eq!(family("matern:1.25"), Ok(Family::Matern { nu: 1.25 }));
        assert_eq!(family("poly:3"), Ok(Family::Polynomial { degree: 3 }));
        assert_eq!(family("poly:x"), Err("`x` is no degree".to_owned()));
        assert!(family("rbf").is_err());
    }
}
