//! Training: from measures and targets to a fitted model.

mod problem;

pub use problem::{StartBlock, TrainingObjective, TrainingProblem};

use super::features::{BlockSpace, FeatureMap};
use super::fitted::{FittedTargets, Model, Summary};
use super::objective::{Objective, Priors, Problem, State};
use super::params::LengthscaleChoice;
use super::{Inference, Measured, ModelError, ModelParams, measure_dataset};
use crate::dataset::{Dataset, DatasetError, Targets};
use crate::encode::{EncodeError, Encoding};
use crate::feature::{Block, BlockMeasures};
use crate::gp::laplace::Laplace;
use crate::gp::{Collapse, Variational, VariationalParams};
use crate::kernel::{BaseKernel, BlockKernel, Family, Lengthscales, SumKernel};
use crate::likelihood::{LikelihoodParams, Observations};
use crate::train::{MinimizeError, Minimum, minimize};
use faer::Mat;
use std::ops::ControlFlow;
use std::time::Instant;

/// Rows of features nearer than this, relative to each column, are isomorphic complexes: rounding leaves 1e-12.
const EQUAL_ROWS: f64 = 1e-9;

/// Deviation of real targets, relative to the largest, that may be the rounding of their mean.
const CONSTANT_TARGETS: f64 = 1e-14;

/// How closely the posterior that is kept is found, relative to its ELBO. In training less will do.
const FINAL_TOLERANCE: f64 = 1e-9;

/// How long it is looked for: where the likelihood is not log-concave the last digits can take thousands of steps.
const FINAL_ITERATIONS: usize = 100;

/// Noise variance of standardized real targets at the start.
const INITIAL_NOISE: f64 = 0.1;

/// What a callback sees of training.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Stage {
    /// Spectra: complexes measured, of how many.
    Measuring(usize, usize),
    /// Optimization: the start (from 0), accepted steps in it, and the objective.
    Training(usize, usize, f64),
}

impl ModelParams {
    /// Fits a model to the complexes `train` of `dataset`, for whichever targets it has.
    ///
    /// # Errors
    ///
    /// [`ModelError`] when targets are missing, settings make no sense, or nothing can be learned.
    pub fn fit(
        &self,
        dataset: &Dataset,
        train: &[usize],
        mut callback: impl FnMut(Stage) -> ControlFlow<()>,
    ) -> Result<Model, ModelError> {
        check_indices(train, dataset.len())?;
        let encoding = self.space.fit_encoding(dataset, train)?;
        let chosen = dataset.select(train);
        let n = chosen.len();
        let measured =
            measure_dataset(&chosen, &encoding, &self.space, |done| callback(Stage::Measuring(done, n)))?;
        let all: Vec<usize> = (0..n).collect();
        self.fit_measured(&encoding, &measured, chosen.targets(), &all, callback)
    }

    /// Fits a model to complexes that were measured before, as cross-validation does.
    ///
    /// # Errors
    ///
    /// As [`fit`](Self::fit).
    pub fn fit_measured(
        &self,
        encoding: &Encoding,
        measured: &Measured,
        targets: &Targets,
        train: &[usize],
        mut callback: impl FnMut(Stage) -> ControlFlow<()>,
    ) -> Result<Model, ModelError> {
        let began = Instant::now();
        check_indices(train, measured.measures.len())?;
        check_number(targets, measured.measures.len())?;
        let (targets, observed) = Observed::new(targets, train)?;
        self.check_inference(&observed)?;
        let mut setup = Setup::new(self, encoding, measured, train)?;
        let collapse = setup.collapse(self.collapse)?;
        let problem = setup.problem(self, &collapse, &observed)?;

        let optimizer = self.optimizer.clone().check()?;
        let mut best: Option<(Minimum, State, crate::gp::Sites, usize)> = None;
        let mut failure = None;
        let (mut evaluations, mut inner) = (0, 0);
        for restart in 0..self.restarts.max(1) {
            let state = setup.state(self, &problem, restart as u64, observed.likelihood(self))?;
            let priors = Priors::new(self, &state)?;
            let start = state.parameters(self.space.shared_bank);
            let mut objective = Objective::new(&problem, state, priors)?;
            let end = minimize(
                &optimizer,
                &start,
                |theta, gradient| objective.evaluate(theta, gradient),
                |progress| callback(Stage::Training(restart, progress.iteration, -progress.value)),
            );
            inner += objective.inner_iterations;
            match end {
                Ok(end) => {
                    evaluations += end.evaluations;
                    let better = best.as_ref().is_none_or(|(best, ..)| end.value < best.value);
                    let cancelled = end.stop == crate::train::Stop::Cancelled;
                    if let (true, Some(sites)) = (better, objective.sites.take()) {
                        best = Some((end, objective.state, sites, restart));
                    }
                    if cancelled {
                        return Err(ModelError::Cancelled);
                    }
                }
                Err(error) => failure = Some(error),
            }
        }
        let (end, state, sites, restart) = best.ok_or_else(|| no_start(failure))?;
        let objective_value = -end.value;
        let mut objective = Objective::new(&problem, state, None)?;
        objective.sites = Some(sites);
        let solved = objective.solve(&end.point, self.final_inference()?)?;
        let summary = Summary {
            n_train: train.len(),
            n_distinct: collapse.n_groups(),
            objective: objective_value,
            elbo: solved.posterior.objective(),
            iterations: end.iterations,
            evaluations,
            inner_iterations: inner,
            restart,
            stop: format!("{:?}", end.stop),
            seconds: began.elapsed().as_secs_f64(),
        };
        let sites = solved.posterior.sites().clone();
        let State { maps, kernel, likelihood } = objective.state;
        let (mut blocks, mut inputs) = (Vec::new(), Vec::new());
        for ((block, map), (measures, features)) in
            setup.blocks.iter().zip(maps).zip(problem.measures.iter().zip(solved.features))
        {
            let standardizer = features.standardizer;
            blocks.push(BlockSpace { block: *block, n_channels: measures.n_channels(), map, standardizer });
            inputs.push(features.inputs);
        }
        Model::assemble(super::fitted::Parts {
            params: self.clone(),
            encoding: encoding.clone(),
            blocks,
            kernel,
            likelihood,
            targets,
            inputs,
            observations: problem.observations,
            sites,
            summary,
        })
    }
}

impl ModelParams {
    /// Settings that could not give a posterior in the end are refused before the training.
    fn check_inference(&self, observed: &Observed) -> Result<(), ModelError> {
        let likelihood = observed.likelihood(self).check(observed.n_classes())?;
        match self.inference {
            Inference::Variational => Ok(()),
            Inference::Laplace => Ok(Laplace::check_binary(&likelihood)?),
        }
    }

    /// The inner loop of the posterior that is kept.
    fn final_inference(&self) -> Result<Variational, ModelError> {
        let tolerance = self.variational.tolerance.min(FINAL_TOLERANCE);
        let max_iterations = self.variational.max_iterations.max(FINAL_ITERATIONS);
        Ok(VariationalParams { tolerance, max_iterations, ..self.variational }.check()?)
    }
}

fn no_start(failure: Option<MinimizeError<ModelError>>) -> ModelError {
    match failure {
        Some(MinimizeError::Start(error)) => error,
        Some(other) => ModelError::Training { reason: other.to_string() },
        None => ModelError::Training { reason: "no start was tried".to_owned() },
    }
}

pub(super) fn check_indices(indices: &[usize], len: usize) -> Result<(), ModelError> {
    match indices.iter().find(|&&i| i >= len) {
        Some(&index) => Err(ModelError::Index { index, len }),
        None if indices.len() < 2 => Err(ModelError::TooFew { expected: 2, found: indices.len() }),
        None => Ok(()),
    }
}

fn check_number(targets: &Targets, expected: usize) -> Result<(), ModelError> {
    let found = match targets {
        Targets::None => return Ok(()),
        Targets::Classes { labels, .. } => labels.len(),
        Targets::Real(values) => values.len(),
    };
    let error = || EncodeError::from(DatasetError::Targets { expected, found }).into();
    if found == expected { Ok(()) } else { Err(error()) }
}

/// Targets of the training complexes.
enum Observed {
    Classes(usize, Vec<u32>),
    Reals(Vec<f64>),
}

impl Observed {
    fn new(targets: &Targets, train: &[usize]) -> Result<(FittedTargets, Self), ModelError> {
        match targets.select(train) {
            Targets::None => {
                Err(ModelError::Targets { expected: "a target for every complex", found: "no targets" })
            }
            Targets::Classes { names, labels } => {
                if labels.iter().all(|&label| label == labels[0]) {
                    let class = names.get(labels[0] as usize).cloned().unwrap_or_default();
                    return Err(ModelError::OneClass { n: labels.len(), class });
                }
                let n_classes = names.len();
                Ok((FittedTargets::Classes { names }, Self::Classes(n_classes, labels)))
            }
            Targets::Real(values) => {
                let n = values.len() as f64;
                let mean = values.iter().sum::<f64>() / n;
                let deviation = (values.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / n).sqrt();
                let largest = values.iter().fold(0.0f64, |a, y| a.max(y.abs()));
                let deviation = if deviation > CONSTANT_TARGETS * largest { deviation } else { 1.0 };
                let scaled = values.iter().map(|y| (y - mean) / deviation).collect();
                Ok((FittedTargets::Real { mean, deviation }, Self::Reals(scaled)))
            }
        }
    }

    /// Number of classes; 0 for real targets.
    fn n_classes(&self) -> usize {
        match self {
            Self::Classes(n_classes, _) => *n_classes,
            Self::Reals(_) => 0,
        }
    }

    fn likelihood(&self, params: &ModelParams) -> LikelihoodParams {
        match self {
            Self::Classes(n_classes, _) => params.likelihood.of(*n_classes),
            Self::Reals(_) => LikelihoodParams::Gaussian { noise_variance: INITIAL_NOISE },
        }
    }
}

/// The blocks that vary over the training complexes, with their measures.
struct Setup {
    blocks: Vec<Block>,
    measures: Vec<BlockMeasures>,
    maps: Vec<FeatureMap>,
    features: Vec<Mat<f64>>, // raw, of the first start
}

impl Setup {
    fn new(
        params: &ModelParams,
        encoding: &Encoding,
        measured: &Measured,
        train: &[usize],
    ) -> Result<Self, ModelError> {
        let mut setup = Self { blocks: vec![], measures: vec![], maps: vec![], features: vec![] };
        for block in params.space.blocks(encoding)? {
            let measures = BlockMeasures::new(block, train.iter().map(|&i| &measured.measures[i]));
            let seed = bank_seed(params, 0, setup.blocks.len());
            let map = FeatureMap::initial(&params.space, block, &measures, seed)?;
            let features = super::features::TrainingFeatures::new(&map, &measures, None)?;
            if features.standardizer.n_live() > 0 {
                setup.blocks.push(block);
                setup.features.push(features.raw().to_owned());
                setup.measures.push(measures);
                setup.maps.push(map);
            }
        }
        if setup.blocks.is_empty() {
            return Err(ModelError::Constant { n: train.len() });
        }
        Ok(setup)
    }

    /// Which training complexes are one, by the features of all blocks.
    fn collapse(&self, wanted: bool) -> Result<Collapse, ModelError> {
        let n = self.features[0].nrows();
        if !wanted {
            return Ok(Collapse::none(n));
        }
        let width = self.features.iter().map(|f| f.ncols()).sum();
        let mut all = Mat::zeros(n, width);
        let mut at = 0;
        for features in &self.features {
            all.as_mut().subcols_mut(at, features.ncols()).copy_from(features);
            at += features.ncols();
        }
        Ok(Collapse::new(all.as_ref(), EQUAL_ROWS)?)
    }

    fn problem(
        &mut self,
        params: &ModelParams,
        collapse: &Collapse,
        observed: &Observed,
    ) -> Result<Problem, ModelError> {
        let (groups, n_points) = (collapse.groups(), collapse.n_groups());
        let (observations, n_classes) = match observed {
            Observed::Classes(n_classes, labels) => {
                (Observations::grouped_classes(*n_classes, labels, groups, n_points)?, *n_classes)
            }
            Observed::Reals(values) => (Observations::grouped_reals(values, groups, n_points)?, 0),
        };
        let weights = (n_points < groups.len()).then(|| {
            let mut counts = vec![0.0; n_points];
            groups.iter().for_each(|&g| counts[g] += 1.0);
            counts
        });
        let rows = collapse.representatives();
        let measures = self.measures.iter().map(|m| m.select(rows)).collect();
        Ok(Problem {
            measures,
            weights,
            observations,
            n_classes,
            shared_bank: params.space.shared_bank,
            variational: params.variational.check()?,
        })
    }

    /// Where a start begins: scales drawn anew, lengthscales at the square root of the number of live columns.
    fn state(
        &self,
        params: &ModelParams,
        problem: &Problem,
        restart: u64,
        likelihood: LikelihoodParams,
    ) -> Result<State, ModelError> {
        let (mut maps, mut kernels) = (Vec::new(), Vec::new());
        for (b, (block, measures)) in self.blocks.iter().zip(&problem.measures).enumerate() {
            let map = match &self.maps[b] {
                FeatureMap::Wavelets(bank) => {
                    let mean = super::features::mean_eigenvalue(&params.space, &self.measures[b]);
                    FeatureMap::Wavelets(bank.params().draw(bank_seed(params, restart, b), mean))
                }
                fixed => fixed.clone(),
            };
            let features =
                super::features::TrainingFeatures::new(&map, measures, problem.weights.as_deref())?;
            let live = features.standardizer.n_live().max(1);
            let width = map.per_channel();
            kernels.push(block_kernel(params, measures.n_channels(), width, live));
            debug_assert_eq!(measures.n_channels() * width, features.inputs.ncols(), "{block}");
            maps.push(map);
        }
        Ok(State { maps, kernel: SumKernel::new(kernels)?, likelihood })
    }
}

/// A seed of its own for every bank: the same one for all blocks that share theirs.
fn bank_seed(params: &ModelParams, restart: u64, block: usize) -> u64 {
    let block = if params.space.shared_bank { 0 } else { block as u64 };
    params.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(restart * 1009 + block)
}

fn block_kernel(params: &ModelParams, n_channels: usize, per_channel: usize, live: usize) -> BlockKernel {
    let start = params.kernel.initial_lengthscale.unwrap_or((live as f64).sqrt());
    if params.kernel.family == Family::Linear {
        // A lengthscale would only repeat the variance.
        let base = BaseKernel::new(Family::Linear, Lengthscales::unscaled());
        return BlockKernel::new(1.0 / (start * start), base);
    }
    let lengthscales = match params.kernel.lengthscales {
        LengthscaleChoice::Isotropic => Lengthscales::isotropic(start),
        LengthscaleChoice::PerChannel => Lengthscales::per_channel(n_channels, per_channel, start),
        LengthscaleChoice::Ard => Lengthscales::ard(vec![start; n_channels * per_channel]),
    };
    BlockKernel::new(1.0, BaseKernel::new(params.kernel.family, lengthscales))
}

#[cfg(test)]
mod tests;
