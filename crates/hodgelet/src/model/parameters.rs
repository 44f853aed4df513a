//! The list of trained values: names, transforms, priors and ranges, and where each stands in the vector that the
//! optimizer moves.
//!
//! The vector is unconstrained: scales of the banks, block by block (or of the one bank that all share), then the
//! hyperparameters of the kernel, then those of the likelihood. This list alone knows the order.

use super::ModelError;
use super::features::FeatureMap;
use crate::feature::Block;
use crate::kernel::{RANGE, SumKernel};
use crate::likelihood::Likelihood;
use crate::param::{LogNormal, Param, Transform};
use crate::settings::Settings;
use crate::wavelet::{Bank, SCALE_RANGE};
use serde::Serialize;
use std::ops::Range;

/// Widths of the priors, as standard deviations of logarithms.
const SCALE_WIDTH: f64 = 1.0;
const LENGTHSCALE_WIDTH: f64 = 1.0;
const VARIANCE_WIDTH: f64 = 3.0;
const CONSTANT_WIDTH: f64 = 1.0;
const NOISE_WIDTH: f64 = 1.0;
const FACTOR_WIDTH: f64 = 0.3;

/// Name of what a covariate multiplies the noise by.
const NOISE_FACTOR: &str = "noise factor";

/// Name of the variance of the constant.
const CONSTANT: &str = "constant: variance";

/// What is trained: filters, kernel, likelihood.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub maps: Vec<FeatureMap>,
    pub kernel: SumKernel,
    pub likelihood: Likelihood,
}

/// One trained value, with what was believed of it before.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Hyperparameter {
    /// What it is, such as `edge exact: lengthscale`.
    pub name: String,
    /// Its value.
    pub value: f64,
    /// Its prior; none if it was trained without, or the file does not say.
    pub prior: Option<LogNormal>,
    /// The values it may take.
    pub range: (f64, f64),
}

/// The trained values in order.
#[derive(Clone, Debug)]
pub(super) struct Parameters {
    params: Vec<Param>,
    banks: Vec<Range<usize>>, // per block; empty without a bank, equal where one is shared
    kernel: Range<usize>,
    likelihood: Range<usize>,
}

impl Parameters {
    /// The order of the values of `center`, with priors around them if the settings ask for priors.
    pub fn new(settings: &Settings, blocks: &[Block], center: &State) -> Result<Self, ModelError> {
        let mut list = Self::without_priors(settings.shared_bank, blocks, center);
        let Some(factor) = settings.prior_deviation() else { return Ok(list) };
        let theta = list.values(center);
        for (param, u) in list.params.iter_mut().zip(theta) {
            let width = match &param.name[..] {
                CONSTANT => CONSTANT_WIDTH,
                name if name.ends_with(": variance") => VARIANCE_WIDTH,
                name if name.ends_with(NOISE_FACTOR) => FACTOR_WIDTH,
                name if name.starts_with("noise") => NOISE_WIDTH,
                name if name.contains(": filter ") => SCALE_WIDTH,
                _ => LENGTHSCALE_WIDTH,
            };
            let prior = LogNormal::new(param.log_value(u).0.exp(), factor * width);
            param.prior = Some(prior.map_err(|e| ModelError::Training { reason: e.to_string() })?);
        }
        Ok(list)
    }

    /// The order of the values of `state`, without priors.
    pub fn without_priors(shared_bank: bool, blocks: &[Block], state: &State) -> Self {
        let (mut params, mut banks): (Vec<Param>, Vec<Range<usize>>) = (Vec::new(), Vec::new());
        for (block, map) in blocks.iter().zip(&state.maps) {
            let Some(bank) = map.bank() else {
                banks.push(0..0);
                continue;
            };
            if let (true, Some(shared)) = (shared_bank, banks.iter().find(|range| !range.is_empty())) {
                banks.push(shared.clone());
                continue;
            }
            let start = params.len();
            let name = if shared_bank { "all blocks".to_owned() } else { block.to_string() };
            params.extend(scales(&name, bank));
            banks.push(start..params.len());
        }
        let start = params.len();
        for (b, (block, kernel)) in blocks.iter().zip(state.kernel.blocks()).enumerate() {
            let of_block = |(name, _): (String, f64)| {
                let name = format!("{block}: {}", name.trim_start_matches(&format!("block {b} ")));
                Param { name, transform: Transform::Log, prior: None, range: RANGE }
            };
            params.extend(kernel.hyperparameters(b).map(of_block));
        }
        let constant =
            |_| Param { name: CONSTANT.to_owned(), transform: Transform::Log, prior: None, range: RANGE };
        params.extend(state.kernel.constant().map(constant));
        let kernel = start..params.len();
        let mut of_blocks = blocks.iter();
        let learned = |(name, _): (&str, f64)| {
            // The factors of the noise belong to the blocks, in order.
            let block = if name == NOISE_FACTOR { of_blocks.next() } else { None };
            let name = block.map_or(name.to_owned(), |block| format!("{block}: {name}"));
            Param { name, transform: Transform::Log, prior: None, range: (0.0, f64::MAX) }
        };
        params.extend(state.likelihood.hyperparameters().into_iter().map(learned));
        let likelihood = kernel.end..params.len();
        Self { params, banks, kernel, likelihood }
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        self.params.len()
    }

    /// The values of `state`, unconstrained.
    pub fn values(&self, state: &State) -> Vec<f64> {
        let mut theta = vec![0.0; self.len()];
        for (range, map) in self.banks.iter().zip(&state.maps).rev() {
            if let Some(bank) = map.bank() {
                theta[range.clone()].copy_from_slice(bank.parameters());
            }
        }
        theta[self.kernel.clone()].copy_from_slice(&state.kernel.params());
        let learned = state.likelihood.hyperparameters();
        theta[self.likelihood.clone()].iter_mut().zip(learned).for_each(|(u, (_, value))| *u = value.ln());
        theta
    }

    /// Puts values into `state`.
    pub fn set(&self, theta: &[f64], state: &mut State) -> Result<(), ModelError> {
        for (range, map) in self.banks.iter().zip(&mut state.maps) {
            map.set_parameters(&theta[range.clone()])?;
        }
        state.kernel.set_params(&theta[self.kernel.clone()])?;
        Ok(state.likelihood.set_params(&theta[self.likelihood.clone()])?)
    }

    /// The part of a gradient that belongs to the bank of block `b`.
    pub fn bank<'a>(&self, gradient: &'a mut [f64], b: usize) -> &'a mut [f64] {
        &mut gradient[self.banks[b].clone()]
    }

    /// The part of a gradient that belongs to the kernel.
    pub fn kernel<'a>(&self, gradient: &'a mut [f64]) -> &'a mut [f64] {
        &mut gradient[self.kernel.clone()]
    }

    /// The part of a gradient that belongs to the likelihood.
    pub fn likelihood<'a>(&self, gradient: &'a mut [f64]) -> &'a mut [f64] {
        &mut gradient[self.likelihood.clone()]
    }

    /// Name of a value of the kernel.
    pub fn kernel_name(&self, p: usize) -> &str {
        &self.params[self.kernel.start + p].name
    }

    /// Name of value `p`, if problems of other targets may have the same: filters and kernels, not likelihoods.
    pub fn shared_name(&self, p: usize) -> Option<&str> {
        (!self.likelihood.contains(&p)).then(|| &self.params[p].name[..])
    }

    /// Leaves out the prior of value `p`, which counts elsewhere.
    pub fn forget_prior(&mut self, p: usize) {
        self.params[p].prior = None;
    }

    /// The values at `z`, standard normal under the priors, and their derivatives in it; none without priors.
    pub fn at_standard(&self, z: &[f64]) -> Option<(Vec<f64>, Vec<f64>)> {
        self.params.iter().zip(z).map(|(param, &z)| param.at_standard(z)).collect()
    }

    /// The inverse of [`at_standard`](Self::at_standard).
    pub fn standard_of(&self, theta: &[f64]) -> Option<Vec<f64>> {
        let one = |(param, &u): (&Param, &f64)| {
            Some((param.log_value(u).0 - param.prior?.center().ln()) / param.prior?.deviation())
        };
        self.params.iter().zip(theta).map(one).collect()
    }

    /// The values of kernel and likelihood, few enough to be watched one by one.
    pub fn watched(&self) -> Range<usize> {
        self.kernel.start..self.likelihood.end
    }

    /// Adds the gradient of the log priors to `gradient`, and returns their sum.
    pub fn add_log_prior(&self, theta: &[f64], gradient: &mut [f64]) -> f64 {
        let mut total = 0.0;
        for ((param, &u), g) in self.params.iter().zip(theta).zip(gradient) {
            let (value, derivative) = param.log_prior(u);
            total += value;
            *g += derivative;
        }
        total
    }

    /// The priors, in the order of the values.
    pub fn priors(&self) -> Vec<Option<LogNormal>> {
        self.params.iter().map(|param| param.prior).collect()
    }

    /// The values of `state` as people read them, with their `priors` if these are known.
    pub fn described(
        shared_bank: bool,
        blocks: &[Block],
        state: &State,
        priors: &[Option<LogNormal>],
    ) -> Vec<Hyperparameter> {
        let list = Self::without_priors(shared_bank, blocks, state);
        let theta = list.values(state);
        let priors = priors.iter().copied().chain(std::iter::repeat(None));
        let described = |((param, u), prior): ((Param, f64), Option<LogNormal>)| {
            let Param { name, transform, range, .. } = param;
            Hyperparameter { name, value: transform.forward(u), prior, range }
        };
        list.params.into_iter().zip(theta).zip(priors).map(described).collect()
    }
}

/// The scales of a bank.
fn scales(block: &str, bank: &Bank) -> Vec<Param> {
    let params = bank.params().get();
    let low = usize::from(params.low_pass.is_some());
    let one = |(j, term): (usize, usize)| {
        let what = match term.checked_sub(low) {
            None => "low-pass scale".to_owned(),
            Some(band) => format!("band-pass scale {}", band + 1),
        };
        let name = format!("{block}: filter {}, {what}", j + 1);
        Param { name, transform: params.transform, prior: None, range: SCALE_RANGE }
    };
    let places = (0..bank.n_filters()).flat_map(|j| (0..bank.scales_per_filter()).map(move |t| (j, t)));
    places.map(one).collect()
}
