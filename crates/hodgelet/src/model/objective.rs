//! The training objective: evidence or ELBO plus log priors, as a function of all parameters, with its gradient.
//!
//! Parameters are unconstrained: those of the banks, block by block (or of the one bank that all share), then the
//! logarithms of the kernel's hyperparameters, then the logarithm of the noise variance for real targets.

use super::features::{FeatureMap, TrainingFeatures};
use super::{ModelError, ModelParams};
use crate::feature::{BlockMeasures, WaveletTape};
use crate::gp::{Posterior, Sites, Variational, Workspace, exact};
use crate::kernel::{GramWorkspace, KernelGradient, SumKernel};
use crate::likelihood::{Likelihood, LikelihoodParams, Observations};
use crate::param::LogNormal;
use crate::wavelet::Bank;
use faer::{Mat, MatRef, Par};

/// What training sees: measures of the distinct training complexes and what was observed of them.
#[derive(Debug)]
pub(super) struct Problem {
    pub measures: Vec<BlockMeasures>,
    /// How many training complexes each row stands for.
    pub weights: Option<Vec<f64>>,
    pub observations: Observations,
    pub n_classes: usize,
    pub shared_bank: bool,
    pub variational: Variational,
}

/// The trainable state.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub maps: Vec<FeatureMap>,
    pub kernel: SumKernel,
    pub likelihood: LikelihoodParams,
}

impl State {
    /// All parameters in order.
    pub fn parameters(&self, shared_bank: bool) -> Vec<f64> {
        let mut theta = Vec::new();
        for bank in self.banks(shared_bank) {
            theta.extend(bank.parameters());
        }
        theta.extend(self.kernel.params());
        if let LikelihoodParams::Gaussian { noise_variance } = self.likelihood {
            theta.push(noise_variance.ln());
        }
        theta
    }

    fn banks(&self, shared: bool) -> impl Iterator<Item = &Bank> {
        self.maps.iter().filter_map(FeatureMap::bank).take(if shared { 1 } else { usize::MAX })
    }

    pub fn set_parameters(&mut self, theta: &[f64], shared_bank: bool) -> Result<(), ModelError> {
        let mut at = 0;
        for map in &mut self.maps {
            let Some(n) = map.bank().map(Bank::n_parameters) else { continue };
            map.set_parameters(&theta[at..at + n])?;
            at += if shared_bank { 0 } else { n };
        }
        if shared_bank {
            at = self.banks(true).map(Bank::n_parameters).sum();
        }
        let n = self.kernel.n_params();
        self.kernel.set_params(&theta[at..at + n])?;
        if let LikelihoodParams::Gaussian { noise_variance } = &mut self.likelihood {
            *noise_variance = theta[at + n].exp();
        }
        Ok(())
    }
}

/// How much wider priors of variances are: how sure one may be of a class is for the data to say.
const VARIANCE_WIDTH: f64 = 3.0;

/// Log-normal priors around the initial values of the scales, the hyperparameters and the noise.
#[derive(Debug)]
pub(super) struct Priors(Vec<LogNormal>);

impl Priors {
    pub fn new(params: &ModelParams, state: &State) -> Result<Option<Self>, ModelError> {
        let Some(deviation) = params.prior_deviation else { return Ok(None) };
        let centers = log_values(state, params.space.shared_bank).into_iter().map(|(log, _)| log.exp());
        let n_scales = state.banks(params.space.shared_bank).map(Bank::n_parameters).sum();
        let mut widths = vec![1.0; n_scales];
        for block in state.kernel.blocks() {
            widths.push(VARIANCE_WIDTH);
            widths.resize(widths.len() + block.n_params() - 1, 1.0);
        }
        let widths = widths.into_iter().chain(std::iter::once(1.0)); // the noise
        let priors = centers.zip(widths).map(|(center, width)| LogNormal::new(center, width * deviation));
        let priors = priors.collect::<Result<_, _>>();
        priors.map(|priors| Some(Self(priors))).map_err(|e| ModelError::Training { reason: e.to_string() })
    }

    /// Adds the gradient to `gradient` and returns the log density.
    fn add(&self, state: &State, shared_bank: bool, gradient: &mut [f64]) -> f64 {
        let mut total = 0.0;
        for ((prior, (log, slope)), g) in self.0.iter().zip(log_values(state, shared_bank)).zip(gradient) {
            let (value, derivative) = prior.log_density(log);
            total += value;
            *g += derivative * slope;
        }
        total
    }
}

/// The logarithm of every positive quantity that a parameter stands for, and its derivative in the parameter.
fn log_values(state: &State, shared_bank: bool) -> Vec<(f64, f64)> {
    let mut values = Vec::new();
    for bank in state.banks(shared_bank) {
        let transform = bank.params().get().transform;
        let pairs = bank.parameters().iter().zip(bank.scales());
        values.extend(pairs.map(|(&p, &scale)| (scale.ln(), transform.derivative(p) / scale)));
    }
    values.extend(state.kernel.params().into_iter().map(|log| (log, 1.0)));
    if let LikelihoodParams::Gaussian { noise_variance } = state.likelihood {
        values.push((noise_variance.ln(), 1.0));
    }
    values
}

/// The objective with the memory that is reused from one evaluation to the next.
pub(super) struct Objective<'a> {
    problem: &'a Problem,
    priors: Option<Priors>,
    pub state: State,
    fixed: Vec<Option<TrainingFeatures>>,
    tapes: Vec<WaveletTape>, // one a block
    /// Sites of the last evaluation: the warm start of the next.
    pub sites: Option<Sites>,
    gram: Mat<f64>,
    gram_workspace: GramWorkspace,
    gram_gradient: Mat<f64>,
    kernel_gradient: KernelGradient,
    workspace: Workspace,
    /// Factorizations of the inner loop so far.
    pub inner_iterations: usize,
}

/// A Gaussian posterior and the features it belongs to.
pub(super) struct Solved {
    pub posterior: Posterior,
    pub features: Vec<TrainingFeatures>,
}

impl<'a> Objective<'a> {
    pub fn new(problem: &'a Problem, state: State, priors: Option<Priors>) -> Result<Self, ModelError> {
        let fix = |(map, measures): (&FeatureMap, &BlockMeasures)| match map.bank() {
            Some(_) => Ok(None),
            None => TrainingFeatures::new(map, measures, problem.weights.as_deref()).map(Some),
        };
        let fixed = state.maps.iter().zip(&problem.measures).map(fix).collect::<Result<_, _>>()?;
        Ok(Self {
            problem,
            priors,
            tapes: vec![WaveletTape::default(); state.maps.len()],
            state,
            fixed,
            sites: None,
            gram: Mat::new(),
            gram_workspace: GramWorkspace::new(),
            gram_gradient: Mat::new(),
            kernel_gradient: KernelGradient::default(),
            workspace: Workspace::new(Par::Seq),
            inner_iterations: 0,
        })
    }

    /// Minus the objective, and minus its gradient.
    ///
    /// # Errors
    ///
    /// [`ModelError`] when a parameter went too far: training takes a shorter step.
    pub fn evaluate(&mut self, theta: &[f64], gradient: &mut [f64]) -> Result<f64, ModelError> {
        let shared = self.problem.shared_bank;
        self.state.set_parameters(theta, shared)?;
        let features = self.trainable_features()?;
        let posterior = self.infer(&features, self.problem.variational)?;
        self.inner_iterations += posterior.iterations();

        posterior.gram_gradient(&mut self.gram_gradient, Par::Seq);
        let with_inputs = self.state.maps.iter().any(|map| map.bank().is_some());
        self.state.kernel.backward(
            &mut self.gram_workspace,
            self.gram_gradient.as_ref(),
            with_inputs,
            &mut self.kernel_gradient,
            Par::rayon(0),
        )?;
        gradient.fill(0.0);
        let mut at = 0;
        for (b, features) in features.iter().enumerate() {
            let (Some(bank), Some(features)) = (self.state.maps[b].bank(), features) else { continue };
            let upstream = self.kernel_gradient.inputs[b].as_mut();
            let weights = self.problem.weights.as_deref();
            let part =
                features.bank_gradient(bank, &self.problem.measures[b], weights, &self.tapes[b], upstream)?;
            gradient[at..at + part.len()].iter_mut().zip(&part).for_each(|(g, p)| *g += p);
            at += if shared { 0 } else { part.len() };
        }
        let at = self.state.banks(shared).map(Bank::n_parameters).sum::<usize>();
        let kernel = &self.kernel_gradient.params;
        gradient[at..at + kernel.len()].copy_from_slice(kernel);
        if let LikelihoodParams::Gaussian { noise_variance } = self.state.likelihood {
            let slope = exact::noise_gradient(&posterior, &self.likelihood()?, &self.problem.observations)?;
            gradient[at + kernel.len()] = slope * noise_variance;
        }
        let mut value = posterior.objective();
        if let Some(priors) = &self.priors {
            value += priors.add(&self.state, shared, gradient);
        }
        self.sites = Some(posterior.sites().clone());
        self.workspace.recycle(posterior);
        gradient.iter_mut().for_each(|g| *g = -*g);
        Ok(-value)
    }

    /// The posterior at `theta`, found by `inference` or as near as its steps lead, with the features it was computed
    /// from.
    pub fn solve(&mut self, theta: &[f64], inference: Variational) -> Result<Solved, ModelError> {
        self.state.set_parameters(theta, self.problem.shared_bank)?;
        let features = self.trainable_features()?;
        let posterior = self.infer(&features, inference)?;
        let fixed = std::mem::take(&mut self.fixed);
        let both = features.into_iter().zip(fixed);
        let features = both.filter_map(|(trained, fixed)| trained.or(fixed)).collect();
        Ok(Solved { posterior, features })
    }

    fn likelihood(&self) -> Result<Likelihood, ModelError> {
        Ok(self.state.likelihood.check(self.problem.n_classes)?)
    }

    fn trainable_features(&mut self) -> Result<Vec<Option<TrainingFeatures>>, ModelError> {
        let weights = self.problem.weights.as_deref();
        let blocks = self.state.maps.iter().zip(&self.problem.measures).zip(&mut self.tapes);
        let one = |((map, measures), tape): ((&FeatureMap, &BlockMeasures), &mut WaveletTape)| {
            map.bank().map(|bank| TrainingFeatures::recorded(bank, measures, weights, tape)).transpose()
        };
        blocks.map(one).collect()
    }

    fn infer(
        &mut self,
        features: &[Option<TrainingFeatures>],
        inference: Variational,
    ) -> Result<Posterior, ModelError> {
        let inputs: Vec<MatRef<'_, f64>> = features
            .iter()
            .zip(&self.fixed)
            .filter_map(|(trained, fixed)| Some(trained.as_ref().or(fixed.as_ref())?.inputs.as_ref()))
            .collect();
        let kernel = &self.state.kernel;
        let bounds = kernel.lower_bounds(&inputs)?;
        if let Some(p) = kernel.params().iter().zip(&bounds).position(|(p, bound)| p < bound) {
            let name = &kernel.param_names()[p];
            return Err(ModelError::Training {
                reason: format!("{name} is below the resolution of distances"),
            });
        }
        // Panels are of a fixed width, so the number of threads changes no bit.
        kernel.gram_lower(&inputs, &mut self.gram_workspace, &mut self.gram, Par::rayon(0))?;
        let likelihood = self.state.likelihood.check(self.problem.n_classes)?;
        let (gram, observations) = (self.gram.as_ref(), &self.problem.observations);
        let (start, workspace) = (self.sites.as_ref(), &mut self.workspace);
        Ok(match likelihood {
            Likelihood::Gaussian(_) => exact::fit(gram, &likelihood, observations, workspace)?,
            _ => inference.fit_within(gram, &likelihood, observations, start, workspace)?,
        })
    }
}
