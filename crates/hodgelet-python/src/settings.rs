//! Keyword arguments of the estimators, as JSON, to settings of the library.

use crate::error::Fault;
use clap::builder::TypedValueParser;
use hodgelet::complex::MAX_CLIQUE_DIM;
use hodgelet::dataset::Dataset;
use hodgelet::feature::{Block, Component, SignedParams};
use hodgelet::model::{FeatureTransform, Lift, Method, ModelParams};
use hodgelet::wavelet::BankParams;
use hodgelet_cli::{args, model_args};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::ffi::OsStr;
use std::time::Duration;

/// Settings by name; each is taken once, and what is left over is an error.
pub struct Settings(Map<String, Value>);

impl Settings {
    /// Settings from a JSON object.
    pub fn parse(json: &str) -> Result<Self, Fault> {
        serde_json::from_str(json).map(Self).map_err(|e| Fault::input(format!("settings: {e}")))
    }

    /// The settings of a model for `dataset`, as the flags of the command would set them.
    pub fn params(mut self, dataset: &Dataset) -> Result<ModelParams, Fault> {
        let method: Method = self.take("method")?.unwrap_or_default();
        let faithful = self.take("faithful")?.unwrap_or(false);
        let mut params = if faithful { method.faithful_params() } else { method.params() };
        self.space(&mut params, method, dataset)?;
        self.kernel(&mut params)?;
        self.training(&mut params, faithful)?;
        match self.0.keys().next() {
            None => Ok(params),
            Some(name) => Err(Fault::input(format!("there is no setting `{name}`"))),
        }
    }

    fn space(&mut self, params: &mut ModelParams, method: Method, dataset: &Dataset) -> Result<(), Fault> {
        let space = &mut params.space;
        let encoding = &mut space.encoding;
        let vertices = self.take("vertices")?;
        encoding.vertices = vertices.unwrap_or_else(|| model_args::default_vertices(method, dataset));
        self.set("edges", &mut encoding.edges)?;
        self.set("higher", &mut encoding.higher)?;
        encoding.max_degree = self.take("max_degree")?;
        if let Some(name) = self.take::<String>("laplacian")? {
            let chosen = laplacian(&name)?;
            (space.weighting, space.metric) = (chosen.weighting, chosen.metric);
        }
        space.signed = self.take("signed")?.map(signed).transpose()?;
        self.set("split", &mut space.split)?;
        if let Some(dims) = self.take("dims")? {
            space.dims = Some(dims);
        }
        let without: Vec<String> = self.take("without")?.unwrap_or_default();
        space.without = without.iter().map(|name| block(name)).collect::<Result<_, _>>()?;
        if self.take("signed_only")?.unwrap_or(false) {
            let highest = dataset.complexes().iter().map(|complex| complex.dim()).max().unwrap_or(0);
            let parts = [Component::Exact, Component::Coexact, Component::Harmonic, Component::Whole];
            let energies =
                (0..=highest.max(2)).flat_map(|dim| parts.map(|component| Block { dim, component }));
            space.without.extend(energies);
        }
        if let (Some(dim), true) = (self.take::<usize>("cliques")?, space.lift != Lift::LineGraph) {
            space.lift = lift(dim);
        }
        self.set("shared_bank", &mut space.shared_bank)?;
        let mut points = None;
        self.set("n_points", &mut points)?;
        match &mut space.transform {
            FeatureTransform::Wavelets(bank) => self.bank(bank),
            FeatureTransform::Fourier(own) => {
                *own = points.unwrap_or(*own);
                self.bank(&mut BankParams::default()) // of no use there, but no mistake
            }
        }
    }

    fn bank(&mut self, bank: &mut BankParams) -> Result<(), Fault> {
        self.set("n_filters", &mut bank.n_filters)?;
        self.set("n_bands", &mut bank.n_bands)?;
        match self.take::<String>("low_pass")?.as_deref() {
            None => {}
            Some("none") => bank.low_pass = None,
            Some(name) => bank.low_pass = Some(named("low_pass", name)?),
        }
        self.set("band_pass", &mut bank.band_pass)?;
        if let Some(spread) = self.take("scales")? {
            bank.spread = spread;
        }
        self.set("low_pass_scales", &mut bank.low_pass_scales)?;
        self.set("band_pass_scales", &mut bank.band_pass_scales)
    }

    fn kernel(&mut self, params: &mut ModelParams) -> Result<(), Fault> {
        if let Some(name) = self.take::<String>("kernel")? {
            params.kernel.family = model_args::family(&name)
                .map_err(|expected| Fault::input(format!("setting `kernel` is `{name}`: {expected}")))?;
        }
        self.set("lengthscales", &mut params.kernel.lengthscales)?;
        if let Some(start) = self.take("initial_lengthscale")? {
            params.kernel.initial_lengthscale = Some(start);
        }
        Ok(())
    }

    fn training(&mut self, params: &mut ModelParams, faithful: bool) -> Result<(), Fault> {
        self.set("likelihood", &mut params.likelihood)?;
        self.set("inference", &mut params.inference)?;
        // Null turns priors off; the published settings have none.
        if self.0.contains_key("prior_deviation") {
            let deviation = self.take("prior_deviation")?;
            params.prior_deviation = deviation.filter(|_| !faithful);
        }
        let mut restarts = params.restarts;
        self.set("restarts", &mut restarts)?;
        if restarts == 0 {
            return Err(Fault::input("setting `restarts` is 0, expected at least 1"));
        }
        params.restarts = restarts;
        self.set("seed", &mut params.seed)?;
        self.set("max_iter", &mut params.optimizer.max_iterations)?;
        self.set("tol", &mut params.optimizer.objective_tolerance)?;
        if let Some(seconds) = self.take::<f64>("time_limit")? {
            let limit = Duration::try_from_secs_f64(seconds);
            let fault = || Fault::input(format!("setting `time_limit` is {seconds}, expected seconds"));
            params.optimizer.time_limit = Some(limit.map_err(|_| fault())?);
        }
        self.set("collapse", &mut params.collapse)
    }

    /// The setting `name`, if it is there and not null.
    fn take<T: DeserializeOwned>(&mut self, name: &str) -> Result<Option<T>, Fault> {
        match self.0.remove(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => {
                let shown = value.to_string();
                let fault = |e: serde_json::Error| Fault::input(format!("setting `{name}` is {shown}: {e}"));
                serde_json::from_value(value).map(Some).map_err(fault)
            }
        }
    }

    fn set<T: DeserializeOwned>(&mut self, name: &str, place: &mut T) -> Result<(), Fault> {
        if let Some(value) = self.take(name)? {
            *place = value;
        }
        Ok(())
    }
}

/// What cliques up to a dimension make of a graph: edges are there already.
pub fn lift(dim: usize) -> Lift {
    if dim <= 1 { Lift::None } else { Lift::Cliques(dim) }
}

/// A Laplacian by its name, as the command takes it.
pub fn laplacian(name: &str) -> Result<args::Laplacian, Fault> {
    let parser = args::laplacian();
    parser.parse_ref(&clap::Command::new("hodgelet"), None, OsStr::new(name)).map_err(|_| {
        let names = parser.possible_values().into_iter().flatten();
        let names: Vec<String> = names.map(|value| value.get_name().to_owned()).collect();
        Fault::input(format!("setting `laplacian` is `{name}`, expected one of {}", names.join(", ")))
    })
}

/// Signed features by their name, as the command takes it, or as a list of cycles.
fn signed(value: Value) -> Result<SignedParams, Fault> {
    let shown = value.to_string();
    let read = match &value {
        Value::String(name) => args::signed(name),
        _ => serde_json::from_value(value).map(SignedParams::Cycles).map_err(|e| e.to_string()),
    };
    read.map_err(|message| Fault::input(format!("setting `signed` is {shown}: {message}")))
}

/// A block by its name, such as `edge exact`.
fn block(name: &str) -> Result<Block, Fault> {
    let others = [Component::Whole, Component::Signed];
    let of_dim = |dim| Block::split(dim).into_iter().chain(others.map(|component| Block { dim, component }));
    let found = (0..=MAX_CLIQUE_DIM).flat_map(of_dim).find(|block| block.to_string() == name);
    found.ok_or_else(|| {
        Fault::input(format!("setting `without` names the block `{name}`, expected such as `edge exact`"))
    })
}

fn named<T: DeserializeOwned>(setting: &str, name: &str) -> Result<T, Fault> {
    let fault = |e: serde_json::Error| Fault::input(format!("setting `{setting}` is `{name}`: {e}"));
    serde_json::from_value(name.into()).map_err(fault)
}
