//! The training objective: evidence or ELBO plus log priors, as a function of all parameters, with its gradient.

use super::ModelError;
use super::features::{FeatureMap, TrainingFeatures};
use super::parameters::{Parameters, State};
use super::problem::Problem;
use crate::feature::{BlockMeasures, WaveletTape};
use crate::gp::{Inference, Posterior, Sites, Workspace};
use crate::kernel::{GramWorkspace, KernelGradient};
use faer::{Mat, MatRef, Par};

/// The objective with the memory that is reused from one evaluation to the next.
pub(super) struct Objective<'a> {
    problem: &'a Problem,
    parameters: Parameters,
    pub state: State,
    fixed: Vec<Option<TrainingFeatures>>,
    tapes: Vec<WaveletTape>, // one per block
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
        let fix = |(map, measures): (&FeatureMap, &BlockMeasures)| match map.bank() {
            Some(_) => Ok(None),
            None => TrainingFeatures::new(map, measures, problem.weights.as_deref()).map(Some),
        };
        let fixed = state.maps.iter().zip(&problem.measures).map(fix).collect::<Result<_, _>>()?;
        Ok(Self {
            problem,
            parameters,
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

    /// The list of parameters.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Minus the objective, and minus its gradient.
    ///
    /// # Errors
    ///
    /// [`ModelError`] when a parameter went too far: training takes a shorter step.
    pub fn evaluate(&mut self, theta: &[f64], gradient: &mut [f64]) -> Result<f64, ModelError> {
        self.parameters.set(theta, &mut self.state)?;
        let features = self.trainable_features()?;
        let posterior = self.infer(&features, &self.problem.training)?;
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
        let weights = self.problem.weights.as_deref();
        for (b, features) in features.iter().enumerate() {
            let (Some(bank), Some(features)) = (self.state.maps[b].bank(), features) else { continue };
            let upstream = self.kernel_gradient.inputs[b].as_mut();
            let part =
                features.bank_gradient(bank, &self.problem.measures[b], weights, &self.tapes[b], upstream)?;
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
        let features = self.trainable_features()?;
        let posterior = self.infer(&features, inference)?;
        let both = features.into_iter().zip(self.fixed);
        let features = both.filter_map(|(trained, fixed)| trained.or(fixed)).collect();
        Ok(Solved { posterior, features, state: self.state })
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
        inference: &Inference,
    ) -> Result<Posterior, ModelError> {
        let inputs: Vec<MatRef<'_, f64>> = features
            .iter()
            .zip(&self.fixed)
            .filter_map(|(trained, fixed)| Some(trained.as_ref().or(fixed.as_ref())?.inputs.as_ref()))
            .collect();
        let kernel = &self.state.kernel;
        let bounds = kernel.lower_bounds(&inputs)?;
        if let Some(p) = kernel.params().iter().zip(&bounds).position(|(p, bound)| p < bound) {
            let name = self.parameters.kernel_name(p);
            return Err(ModelError::Training {
                reason: format!("{name} is below the resolution of distances"),
            });
        }
        // Panels are of a fixed width, so the number of threads changes no bit.
        kernel.gram_lower(&inputs, &mut self.gram_workspace, &mut self.gram, Par::rayon(0))?;
        let (likelihood, observations) = (&self.state.likelihood, &self.problem.observations);
        let start = self.sites.as_ref();
        Ok(inference.fit(self.gram.as_ref(), likelihood, observations, start, &mut self.workspace)?)
    }
}
