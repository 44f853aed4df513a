//! A training problem: the measures and observations of the training complexes, where training starts, and its objective.

use super::features::{BlockSpace, FeatureMap, TrainingFeatures};
use super::noise::NoiseCovariates;
use super::objective::Objective;
use super::parameters::{Parameters, State};
use super::source::{refs, weights_of};
use super::space::bank_seed;
use super::targets::Observed;
use super::{FeatureSpace, MeasureSource, Measurer, Model, ModelError};
use crate::dataset::Targets;
use crate::feature::{Block, BlockMeasures};
use crate::gp::{Collapse, Inference, LaplaceParams};
use crate::kernel::{BaseKernel, BlockKernel, Family, FixedRows, Inputs, Lengthscales, SumKernel};
use crate::likelihood::{Likelihood, LikelihoodParams, Observations};
use crate::settings::{InferenceChoice, LengthscaleChoice, Settings};
use faer::{Mat, Par};

/// Rows of features nearer than this, relative to each column, are isomorphic complexes: rounding leaves 1e-12.
const EQUAL_ROWS: f64 = 1e-9;

/// Most distinct complexes whose distances in blocks that are not trained are kept, rather than found at each step.
pub(super) const KNOWN_TO: usize = 2048;

/// Points of a block that do not depend on what is trained, with the lower triangle of their squared distances.
pub(super) struct Fixed {
    pub inputs: Inputs,
    pub distances: Option<Mat<f64>>,
}

/// What training sees: measures of the distinct training complexes and what was observed of them.
///
/// [`Settings::fit_measured`] needs none of what is public here. It serves those who compare with other software from the
/// same start, time single evaluations, or bring an optimizer of their own.
pub struct Problem {
    pub(super) settings: Settings,
    pub(super) drawn: Vec<BlockSpace>, // of the first start, on all training complexes
    all: Vec<BlockMeasures>,           // of all training complexes
    pub(super) measures: Vec<BlockMeasures>, // of the distinct ones
    pub(super) fixed: Vec<Option<Fixed>>, // of the distinct ones
    /// How many training complexes each row stands for.
    pub(super) weights: Option<Vec<f64>>,
    pub(super) observations: Observations,
    /// What the noise depends on, if on anything.
    pub(super) covariates: Option<NoiseCovariates>,
    pub(super) likelihood_params: LikelihoodParams,
    pub(super) likelihood: Likelihood,
    pub(super) targets: super::FittedTargets,
    /// How the posterior is found in training.
    pub(super) training: Inference,
    pub(super) constant_channels: Vec<String>,
}

impl Fixed {
    fn new(inputs: Inputs) -> Result<Self, ModelError> {
        let distances = |rows: &FixedRows| match rows.len() <= KNOWN_TO {
            true => rows.squared_distances(Par::rayon(0)).map(Some),
            false => Ok(None),
        };
        let distances = if let Inputs::Fixed(rows) = &inputs { distances(rows)? } else { None };
        Ok(Self { inputs, distances })
    }
}

impl std::fmt::Debug for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Problem").field("blocks", &self.block_names()).finish_non_exhaustive()
    }
}

/// A block as training starts from it.
#[derive(Clone, Debug)]
pub struct StartBlock<'a> {
    /// Which block.
    pub block: Block,
    /// Its measures in all training complexes, equal ones included.
    pub measures: &'a BlockMeasures,
    /// Its measures in the distinct ones, the rows of the Gram matrix.
    pub distinct: &'a BlockMeasures,
    /// Its features, with the initial scales.
    pub map: FeatureMap,
    /// Its kernel, with the initial variance and lengthscales.
    pub kernel: BlockKernel,
}

impl Problem {
    /// The problem that [`Settings::fit_measured`] solves.
    ///
    /// # Errors
    ///
    /// As [`Settings::fit_measured`], as far as that can be known before the training.
    pub fn new(
        settings: &Settings,
        measurer: &Measurer,
        source: &dyn MeasureSource,
        targets: &Targets,
        train: &[usize],
    ) -> Result<Self, ModelError> {
        check_indices(train, source.len())?;
        let (targets, observed) = Observed::new(settings, targets, source.len(), train)?;
        let (_, likelihood) = observed.likelihood(settings, 1)?;
        settings.final_inference(&likelihood)?.check(&likelihood)?; // before the long part
        let own = Measurer { settings: settings.clone(), ..measurer.clone() };
        let loaded = source.load(train)?;
        let training = refs(&loaded);
        let (mut all, mut every, mut features) = (Vec::new(), Vec::new(), Vec::new());
        for (measures, block, raw) in own.draw(&training, 0)? {
            if block.n_live() > 0 {
                features.push(block.map.fixed(&measures).map_or(raw, |fixed| fixed.fingerprint()));
                all.push(measures);
            }
            every.push(block);
        }
        let space = FeatureSpace { measurer: own, blocks: every };
        let constant_channels = space.constant_channels(&training);
        let varies = |block: &BlockSpace| block.n_live() > 0;
        let drawn: Vec<BlockSpace> = space.blocks.into_iter().filter(varies).collect();
        if drawn.is_empty() {
            return Err(ModelError::Constant { n: train.len() });
        }
        let (likelihood_params, likelihood) = observed.likelihood(settings, drawn.len())?;
        let collapse = if settings.collapse { collapse(&features)? } else { Collapse::none(train.len()) };
        let (groups, n_points) = (collapse.groups(), collapse.n_groups());
        let weights = (n_points < groups.len()).then(|| {
            let mut counts = vec![0.0; n_points];
            groups.iter().for_each(|&g| counts[g] += 1.0);
            counts
        });
        let measures: Vec<_> = all.iter().map(|m| m.select(collapse.representatives())).collect();
        let fixed =
            |(block, own): (&BlockSpace, &BlockMeasures)| block.map.fixed(own).map(Fixed::new).transpose();
        let fixed = drawn.iter().zip(&measures).map(fixed).collect::<Result<_, _>>()?;
        let mut observations = observed.observations(groups, n_points)?;
        if let Some(weights) = weights_of(source, train) {
            observations = observations.with_weights(&weights)?;
        }
        let mut covariates = None;
        if let LikelihoodParams::ScaledGaussian { .. } = likelihood_params {
            let own = NoiseCovariates::fit(&all);
            observations = observations.with_covariates(own.of(&measures).as_ref())?;
            covariates = Some(own);
        }
        Ok(Self {
            settings: settings.clone(),
            drawn,
            measures,
            fixed,
            all,
            weights,
            observations,
            covariates,
            training: settings.training_inference(&likelihood)?,
            likelihood_params,
            likelihood,
            targets,
            constant_channels,
        })
    }

    pub(super) fn block_names(&self) -> Vec<Block> {
        self.drawn.iter().map(|block| block.block).collect()
    }

    /// Where start number `restart` begins: scales drawn anew, lengthscales at the square root of the number of columns
    /// that vary.
    pub(super) fn state(&self, restart: u64) -> Result<State, ModelError> {
        let (mut maps, mut kernels) = (Vec::new(), Vec::new());
        for (b, drawn) in self.drawn.iter().enumerate() {
            let (map, live) = match (&drawn.map, restart) {
                (FeatureMap::Wavelets(_), 1..) => {
                    let seed = bank_seed(&self.settings, restart, b);
                    let map = FeatureMap::initial(&self.settings, drawn.block, &self.all[b], seed)?;
                    let weights = self.weights.as_deref();
                    let features = TrainingFeatures::new(&map, &self.measures[b], weights)?;
                    (map, features.standardizer.n_live().max(1))
                }
                (map, _) => (map.clone(), drawn.n_live()),
            };
            kernels.push(match &map {
                FeatureMap::Labels(_) => {
                    fixed_kernel(&self.settings, self.settings.kernel, 0.5 * live as f64)
                }
                FeatureMap::Values(_) => fixed_kernel(&self.settings, Family::Matern12, 1.0),
                FeatureMap::Table(_) => fixed_kernel(&self.settings, self.settings.kernel, 1.0),
                FeatureMap::Counts(_) | FeatureMap::Gram(_) => {
                    BlockKernel::new(1.0, BaseKernel::new(Family::Linear, Lengthscales::unscaled()))
                }
                _ => block_kernel(&self.settings, drawn.n_channels, map.per_channel(), live),
            });
            maps.push(map);
        }
        let mut kernel = SumKernel::new(kernels)?;
        if self.settings.constant() {
            kernel = kernel.with_constant(1.0)?;
        }
        Ok(State { maps, kernel, likelihood: self.likelihood.clone() })
    }

    /// The list of trained values, with the priors that all starts share: around where the first of them begins.
    pub(super) fn parameters(&self) -> Result<Parameters, ModelError> {
        Parameters::new(&self.settings, &self.block_names(), &self.state(0)?)
    }

    /// The objective of start number `restart`, and where it begins.
    pub(super) fn start_of(&self, restart: u64) -> Result<(Objective<'_>, Vec<f64>), ModelError> {
        let state = self.state(restart)?;
        let parameters = self.parameters()?;
        let theta = parameters.values(&state);
        Ok((Objective::new(self, state, parameters)?, theta))
    }

    /// As [`start_of`](Self::start_of), for a sampler.
    pub(super) fn sampled_from(&self, restart: u64) -> Result<(Objective<'_>, Vec<f64>), ModelError> {
        let (mut objective, theta) = self.start_of(restart)?;
        objective.share_nodes();
        Ok((objective, theta))
    }

    /// The blocks that vary over the training complexes, as the first start has them.
    ///
    /// # Errors
    ///
    /// [`ModelError`] when a setting of the kernel is invalid.
    pub fn blocks(&self) -> Result<Vec<StartBlock<'_>>, ModelError> {
        let State { maps, kernel, .. } = self.state(0)?;
        let of = |(b, map): (usize, FeatureMap)| StartBlock {
            block: self.drawn[b].block,
            measures: &self.all[b],
            distinct: &self.measures[b],
            map,
            kernel: kernel.blocks()[b].clone(),
        };
        Ok(maps.into_iter().enumerate().map(of).collect())
    }

    /// Rows of the Gram matrix: the distinct training complexes.
    #[must_use]
    pub fn n_points(&self) -> usize {
        self.observations.n_points()
    }

    /// Latent functions.
    #[must_use]
    pub fn n_latents(&self) -> usize {
        self.likelihood.n_latents()
    }

    /// The unconstrained parameters that training starts from.
    ///
    /// # Errors
    ///
    /// As [`blocks`](Self::blocks).
    pub fn start(&self) -> Result<Vec<f64>, ModelError> {
        Ok(self.start_of(0)?.1)
    }

    /// The unconstrained parameters of a model that was fitted to this problem.
    ///
    /// # Errors
    ///
    /// As [`blocks`](Self::blocks).
    pub fn parameters_of(&self, model: &Model) -> Result<Vec<f64>, ModelError> {
        Ok(self.parameters()?.values(&model.state()))
    }

    /// The objective as a function, with memory of its own.
    ///
    /// # Errors
    ///
    /// [`ModelError`] when the width of priors is invalid.
    pub fn objective(&self) -> Result<TrainingObjective<'_>, ModelError> {
        Ok(TrainingObjective(self.start_of(0)?.0))
    }

    /// The same as samplers of the hyperparameters evaluate it: features come from filters at nodes that all complexes
    /// share, and err by about 1e-10.
    ///
    /// # Errors
    ///
    /// As [`objective`](Self::objective).
    pub fn sampled_objective(&self) -> Result<TrainingObjective<'_>, ModelError> {
        Ok(TrainingObjective(self.sampled_from(0)?.0))
    }
}

/// Evidence or ELBO plus log priors as a function of the parameters; every evaluation starts from the posterior of
/// the one before.
pub struct TrainingObjective<'a>(Objective<'a>);

impl std::fmt::Debug for TrainingObjective<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TrainingObjective")
            .field("n_parameters", &self.0.parameters().len())
            .finish_non_exhaustive()
    }
}

impl TrainingObjective<'_> {
    /// The objective at `parameters`, with its gradient.
    ///
    /// # Errors
    ///
    /// [`ModelError::Parameters`] for another number of parameters than the problem has, otherwise [`ModelError`]
    /// when a parameter went too far.
    pub fn evaluate(&mut self, parameters: &[f64]) -> Result<(f64, Vec<f64>), ModelError> {
        let (expected, found) = (self.0.parameters().len(), parameters.len());
        if expected != found {
            return Err(ModelError::Parameters { expected, found });
        }
        let mut gradient = vec![0.0; expected];
        let value = self.0.evaluate(parameters, &mut gradient)?;
        gradient.iter_mut().for_each(|g| *g = -*g);
        Ok((-value, gradient))
    }

    /// Factorizations of the inner loop so far.
    #[must_use]
    pub fn inner_iterations(&self) -> usize {
        self.0.inner_iterations
    }
}

impl Settings {
    /// How the posterior is found at every step of training.
    pub(super) fn training_inference(&self, likelihood: &Likelihood) -> Result<Inference, ModelError> {
        Ok(match likelihood {
            Likelihood::Gaussian(_) | Likelihood::LabelRegression(_) => Inference::Exact,
            _ => Inference::Variational(self.inner_loop().check()?),
        })
    }

    /// How the posterior that is kept is found.
    pub(super) fn final_inference(&self, likelihood: &Likelihood) -> Result<Inference, ModelError> {
        Ok(match (self.inference, likelihood) {
            (InferenceChoice::Laplace, _) => Inference::Laplace(LaplaceParams::default().check()?),
            (_, Likelihood::Gaussian(_) | Likelihood::LabelRegression(_)) => Inference::Exact,
            _ => Inference::Variational(self.final_loop().check()?),
        })
    }
}

pub(super) fn check_indices(indices: &[usize], len: usize) -> Result<(), ModelError> {
    match indices.iter().find(|&&i| i >= len) {
        Some(&index) => Err(ModelError::Index { index, len }),
        None if indices.len() < 2 => Err(ModelError::TooFew { expected: 2, found: indices.len() }),
        None => Ok(()),
    }
}

/// Which training complexes are one, by the features of all blocks.
fn collapse(features: &[Mat<f64>]) -> Result<Collapse, ModelError> {
    let width = features.iter().map(|f| f.ncols()).sum();
    let mut all = Mat::zeros(features[0].nrows(), width);
    let mut at = 0;
    for features in features {
        all.as_mut().subcols_mut(at, features.ncols()).copy_from(features);
        at += features.ncols();
    }
    Ok(Collapse::new(all.as_ref(), EQUAL_ROWS)?)
}

/// The kernel of a block that is not trained, with the square of its lengthscale.
fn fixed_kernel(settings: &Settings, family: Family, square: f64) -> BlockKernel {
    let start = settings.initial_lengthscale.unwrap_or(square.sqrt());
    if settings.kernel == Family::Linear {
        let base = BaseKernel::new(Family::Linear, Lengthscales::unscaled());
        return BlockKernel::new(1.0 / (start * start), base);
    }
    BlockKernel::new(1.0, BaseKernel::new(family, Lengthscales::isotropic(start)))
}

fn block_kernel(settings: &Settings, n_channels: usize, per_channel: usize, live: usize) -> BlockKernel {
    let start = settings.initial_lengthscale(live);
    if settings.kernel == Family::Linear {
        // A lengthscale would only repeat the variance.
        let base = BaseKernel::new(Family::Linear, Lengthscales::unscaled());
        return BlockKernel::new(1.0 / (start * start), base);
    }
    let lengthscales = match settings.lengthscales {
        LengthscaleChoice::Isotropic => Lengthscales::isotropic(start),
        LengthscaleChoice::PerChannel => Lengthscales::per_channel(n_channels, per_channel, start),
        LengthscaleChoice::Ard => Lengthscales::ard(vec![start; n_channels * per_channel]),
    };
    BlockKernel::new(1.0, BaseKernel::new(settings.kernel, lengthscales))
}

#[cfg(test)]
mod tests;
