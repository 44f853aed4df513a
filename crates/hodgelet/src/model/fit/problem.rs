//! A training problem taken apart: where it starts, and its objective as a function to call.
//!
//! [`ModelParams::fit_measured`] needs none of this. It serves those who compare with other software from the same
//! start, time single evaluations, or bring an optimizer of their own.

use super::{Observed, Setup, check_indices, check_number};
use crate::dataset::Targets;
use crate::encode::Encoding;
use crate::feature::{Block, BlockMeasures};
use crate::kernel::BlockKernel;
use crate::model::objective::{Objective, Priors, Problem, State};
use crate::model::{FeatureMap, Measured, Model, ModelError, ModelParams};

/// What training starts from, and what it maximizes.
pub struct TrainingProblem {
    params: ModelParams,
    blocks: Vec<Block>,
    all: Vec<BlockMeasures>,
    problem: Problem,
    state: State,
    n_latents: usize,
}

impl std::fmt::Debug for TrainingProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (blocks, n_points) = (&self.blocks, self.n_points());
        f.debug_struct("TrainingProblem").field("blocks", blocks).field("n_points", &n_points).finish()
    }
}

/// A block as training starts from it.
#[derive(Clone, Copy, Debug)]
pub struct StartBlock<'a> {
    /// Which block.
    pub block: Block,
    /// Its measures in all training complexes, equal ones included.
    pub measures: &'a BlockMeasures,
    /// Its measures in the distinct ones, the rows of the Gram matrix.
    pub distinct: &'a BlockMeasures,
    /// Its features, with the initial scales.
    pub map: &'a FeatureMap,
    /// Its kernel, with the initial variance and lengthscales.
    pub kernel: &'a BlockKernel,
}

impl ModelParams {
    /// The problem that [`fit_measured`](Self::fit_measured) solves from its first start.
    ///
    /// # Errors
    ///
    /// As [`fit_measured`](Self::fit_measured), as far as that can be known before the training.
    pub fn training_problem(
        &self,
        encoding: &Encoding,
        measured: &Measured,
        targets: &Targets,
        train: &[usize],
    ) -> Result<TrainingProblem, ModelError> {
        check_indices(train, measured.measures.len())?;
        check_number(targets, measured.measures.len())?;
        let (_, observed) = Observed::new(targets, train)?;
        self.check_inference(&observed)?;
        let likelihood = observed.likelihood(self);
        let n_latents = likelihood.check(observed.n_classes())?.n_latents();
        let mut setup = Setup::new(self, encoding, measured, train)?;
        let collapse = setup.collapse(self.collapse)?;
        let problem = setup.problem(self, &collapse, &observed)?;
        let state = setup.state(self, &problem, 0, likelihood)?;
        let Setup { blocks, measures: all, .. } = setup;
        Ok(TrainingProblem { params: self.clone(), blocks, all, problem, state, n_latents })
    }
}

impl TrainingProblem {
    /// The blocks that vary over the training complexes.
    pub fn blocks(&self) -> impl ExactSizeIterator<Item = StartBlock<'_>> {
        (0..self.blocks.len()).map(|b| StartBlock {
            block: self.blocks[b],
            measures: &self.all[b],
            distinct: &self.problem.measures[b],
            map: &self.state.maps[b],
            kernel: &self.state.kernel.blocks()[b],
        })
    }

    /// Rows of the Gram matrix: the distinct training complexes.
    #[must_use]
    pub fn n_points(&self) -> usize {
        self.problem.observations.n_points()
    }

    /// Latent functions.
    #[must_use]
    pub fn n_latents(&self) -> usize {
        self.n_latents
    }

    /// The unconstrained parameters that training starts from.
    #[must_use]
    pub fn start(&self) -> Vec<f64> {
        self.state.parameters(self.params.space.shared_bank)
    }

    /// The unconstrained parameters of a model that was fitted to this problem.
    #[must_use]
    pub fn parameters_of(&self, model: &Model) -> Vec<f64> {
        let maps = model.blocks().iter().map(|block| block.map.clone()).collect();
        let state = State { maps, kernel: model.kernel().clone(), likelihood: *model.likelihood() };
        state.parameters(self.params.space.shared_bank)
    }

    /// The objective as a function, with memory of its own.
    ///
    /// # Errors
    ///
    /// [`ModelError`] when the settings of priors make no sense.
    pub fn objective(&self) -> Result<TrainingObjective<'_>, ModelError> {
        let priors = Priors::new(&self.params, &self.state)?;
        let inner = Objective::new(&self.problem, self.state.clone(), priors)?;
        Ok(TrainingObjective { inner, n_parameters: self.start().len() })
    }
}

/// Evidence or ELBO plus log priors as a function of the parameters; every evaluation starts from the posterior of
/// the one before.
pub struct TrainingObjective<'a> {
    inner: Objective<'a>,
    n_parameters: usize,
}

impl std::fmt::Debug for TrainingObjective<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TrainingObjective").field("n_parameters", &self.n_parameters).finish_non_exhaustive()
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
        let (expected, found) = (self.n_parameters, parameters.len());
        if expected != found {
            return Err(ModelError::Parameters { expected, found });
        }
        let mut gradient = vec![0.0; expected];
        let value = self.inner.evaluate(parameters, &mut gradient)?;
        gradient.iter_mut().for_each(|g| *g = -*g);
        Ok((-value, gradient))
    }

    /// Factorizations of the inner loop so far, for each latent function.
    #[must_use]
    pub fn inner_iterations(&self) -> usize {
        self.inner.inner_iterations
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::measure_dataset;
    use crate::model::testing::{dataset, small_params};
    use std::ops::ControlFlow;

    /// The problem of ten complexes of which two are equal, and the model fitted to it.
    fn problem_and_model(params: &ModelParams) -> (TrainingProblem, Model) {
        let data = dataset(9, 2, 3).select(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 8]);
        let train: Vec<usize> = (0..10).collect();
        let encoding = params.space.encoding.fit(&data, &train).unwrap();
        let measured =
            measure_dataset(&data, &encoding, &params.space, |_| ControlFlow::Continue(())).unwrap();
        let problem = params.training_problem(&encoding, &measured, data.targets(), &train).unwrap();
        let fitted =
            params.fit_measured(&encoding, &measured, data.targets(), &train, |_| ControlFlow::Continue(()));
        (problem, fitted.unwrap())
    }

    #[test]
    fn the_start_is_the_one_that_training_takes() {
        let mut params = small_params();
        // A first step that goes nowhere leaves the start.
        params.optimizer.max_iterations = 0;
        let (problem, model) = problem_and_model(&params);
        assert_eq!(problem.start(), problem.parameters_of(&model));
        assert_eq!((problem.n_points(), problem.n_latents()), (9, 1));
        for (start, fitted) in problem.blocks().zip(model.blocks()) {
            assert_eq!((start.block, start.map), (fitted.block, &fitted.map));
            assert_eq!((start.measures.len(), start.measures.n_channels()), (10, fitted.n_channels));
            assert_eq!((start.distinct.len(), start.distinct.n_channels()), (9, fitted.n_channels));
        }
        for (start, fitted) in problem.blocks().zip(model.kernel().blocks()) {
            let [start, fitted] =
                [start.kernel, fitted].map(|kernel| kernel.factors[0].lengthscales.values[0]);
            // The model's went through the logarithm.
            assert!((start / fitted - 1.0).abs() < 1e-14, "{start} {fitted}");
        }
    }

    #[test]
    fn the_objective_is_the_one_that_training_maximizes() {
        let (problem, model) = problem_and_model(&small_params());
        let mut objective = problem.objective().unwrap();
        let (first, _) = objective.evaluate(&problem.start()).unwrap();
        let (last, gradient) = objective.evaluate(&problem.parameters_of(&model)).unwrap();
        assert!(last > first + 0.1, "{first} then {last}");
        // Both are within the tolerance of the inner loop.
        let summary = model.summary();
        assert!((last - summary.objective).abs() < 1e-4, "{last} but {}", summary.objective);
        assert!(gradient.len() == problem.start().len() && gradient.iter().all(|g| g.is_finite()));
        assert!(objective.inner_iterations() >= 2);
    }

    #[test]
    fn another_number_of_parameters_is_refused() {
        let (problem, _) = problem_and_model(&small_params());
        let error = problem.objective().unwrap().evaluate(&[0.0; 3]).unwrap_err();
        let expected = problem.start().len();
        assert_eq!(error.to_string(), format!("3 parameters, but the problem has {expected}"));
    }
}
