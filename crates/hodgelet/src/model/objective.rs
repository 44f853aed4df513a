//! The training objective: evidence or ELBO plus log priors, as a function of all parameters, with its gradient.

use super::ModelError;
use super::features::{FeatureMap, TrainingFeatures};
use super::parameters::{Parameters, State};
use super::problem::{Fixed, Problem};
use crate::feature::WaveletTape;
use crate::gp::{Inference, Posterior, Sites, Workspace};
use crate::kernel::{GramWorkspace, Input, Inputs, KernelGradient};
use faer::{Mat, Par};

/// Problems of at most this many points stay on the calling thread: an evaluation takes a millisecond, which is not worth
/// waking others for, and several are often worked on side by side.
const SMALL: usize = 256;

/// The objective with the memory that is reused from one evaluation to the next.
pub(super) struct Objective<'a> {
    problem: &'a Problem,
    parameters: Parameters,
    pub state: State,
    features: Vec<TrainingFeatures>, // one per block, those of a bank at the last parameters
    pub tapes: Vec<WaveletTape>,     // one per block
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
    pub state: State,
}

impl<'a> Objective<'a> {
    pub fn new(problem: &'a Problem, state: State, parameters: Parameters) -> Result<Self, ModelError> {
        let features = |(b, map): (usize, &FeatureMap)| match (map.bank(), &problem.fixed[b]) {
            (Some(_), _) => Ok(TrainingFeatures::empty()),
            (None, Some(fixed)) if *map == problem.drawn[b].map => {
                Ok(TrainingFeatures::fixed(fixed.inputs.clone()))
            }
            _ => TrainingFeatures::new(map, &problem.measures[b], problem.weights.as_deref()),
        };
        Ok(Self {
            problem,
            parameters,
            tapes: vec![WaveletTape::default(); state.maps.len()],
            features: state.maps.iter().enumerate().map(features).collect::<Result<_, _>>()?,
            state,
            sites: None,
            gram: Mat::new(),
            gram_workspace: GramWorkspace::new(),
            gram_gradient: Mat::new(),
            kernel_gradient: KernelGradient::default(),
            workspace: Workspace::new(Par::Seq),
            inner_iterations: 0,
        })
    }

    /// Takes features from [shared nodes](WaveletTape::shared) from now on: what a sampler evaluates thousands of times. Models
    /// keep features of the measures themselves.
    pub fn share_nodes(&mut self) {
        for ((tape, map), measures) in self.tapes.iter_mut().zip(&self.state.maps).zip(&self.problem.measures)
        {
            if let Some(bank) = map.bank() {
                *tape = WaveletTape::shared(measures, bank);
            }
        }
    }

    /// The list of parameters.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The list of parameters, to be changed.
    pub fn parameters_mut(&mut self) -> &mut Parameters {
        &mut self.parameters
    }

    /// Minus the objective, and minus its gradient.
    ///
    /// # Errors
    ///
    /// [`ModelError`] when a parameter went too far: training takes a shorter step.
    pub fn evaluate(&mut self, theta: &[f64], gradient: &mut [f64]) -> Result<f64, ModelError> {
        self.parameters.set(theta, &mut self.state)?;
        self.record_features()?;
        let posterior = self.infer(&self.problem.training)?;
        self.inner_iterations += posterior.iterations();

        posterior.gram_gradient(&mut self.gram_gradient, Par::Seq);
        let par = self.par();
        self.state.kernel.backward_where(
            &mut self.gram_workspace,
            self.gram_gradient.as_ref(),
            |b| self.state.maps[b].bank().is_some(),
            &mut self.kernel_gradient,
            par,
        )?;
        gradient.fill(0.0);
        let weights = self.problem.weights.as_deref();
        for (b, features) in self.features.iter().enumerate() {
            let Some(bank) = self.state.maps[b].bank() else { continue };
            let (upstream, tape) = (self.kernel_gradient.inputs[b].as_mut(), &mut self.tapes[b]);
            let part = features.bank_gradient(bank, &self.problem.measures[b], weights, tape, upstream)?;
            self.parameters.bank(gradient, b).iter_mut().zip(&part).for_each(|(g, p)| *g += p);
        }
        self.parameters.kernel(gradient).copy_from_slice(&self.kernel_gradient.params);
        let part = posterior.likelihood_gradient(&self.state.likelihood, &self.problem.observations)?;
        self.parameters.likelihood(gradient).copy_from_slice(&part);
        let value = posterior.objective() + self.parameters.add_log_prior(theta, gradient);
        self.sites = Some(posterior.sites().clone());
        self.workspace.recycle(posterior);
        gradient.iter_mut().for_each(|g| *g = -*g);
        Ok(-value)
    }

    /// The posterior at `theta`, found by `inference`, with the features it was computed from.
    pub fn solve(mut self, theta: &[f64], inference: &Inference) -> Result<Solved, ModelError> {
        self.parameters.set(theta, &mut self.state)?;
        self.record_features()?;
        self.gram_workspace = GramWorkspace::for_values();
        let posterior = self.infer(inference)?;
        Ok(Solved { posterior, features: self.features, state: self.state })
    }

    /// Panels are of a fixed width, so the number of threads changes no bit.
    fn par(&self) -> Par {
        if self.problem.n_points() <= SMALL { Par::Seq } else { Par::rayon(0) }
    }

    /// The features of all banks, at their present scales.
    fn record_features(&mut self) -> Result<(), ModelError> {
        let weights = self.problem.weights.as_deref();
        let blocks = self.state.maps.iter().zip(&self.problem.measures);
        for ((map, measures), (features, tape)) in blocks.zip(self.features.iter_mut().zip(&mut self.tapes)) {
            if let Some(bank) = map.bank() {
                features.record(bank, measures, weights, tape)?;
            }
        }
        Ok(())
    }

    fn infer(&mut self, inference: &Inference) -> Result<Posterior, ModelError> {
        let inputs = self.features.iter().zip(&self.problem.fixed).map(|(features, fixed)| {
            match (features.inputs.view(), fixed) {
                // The same rows, whose distances are known.
                (Input::Fixed(rows, _), Some(Fixed { inputs: Inputs::Fixed(own), distances }))
                    if std::ptr::eq(rows, &raw const **own) =>
                {
                    Input::Fixed(rows, distances.as_ref())
                }
                (input, _) => input,
            }
        });
        let inputs: Vec<Input<'_>> = inputs.collect();
        let kernel = &self.state.kernel;
        let par = self.par();
        kernel.gram_lower(&inputs, &mut self.gram_workspace, &mut self.gram, par)?;
        if let Some(p) = kernel.unresolved(&inputs, &self.gram_workspace) {
            let name = self.parameters.kernel_name(p);
            return Err(ModelError::Training {
                reason: format!("{name} is below the resolution of distances"),
            });
        }
        let (likelihood, observations) = (&self.state.likelihood, &self.problem.observations);
        let start = self.sites.as_ref();
        Ok(inference.fit(self.gram.as_ref(), likelihood, observations, start, &mut self.workspace)?)
    }
}
