//! The trained values in each state of the posterior that predictions are averaged over.

use super::fitted::Model;
use super::parameters::{Parameters, State};
use crate::feature::Block;

impl Model {
    /// The values of [`hyperparameters`](Self::hyperparameters) in every state that predictions are averaged over, in the same
    /// order, `[n_states][n_hyperparameters]`; empty when the mode stands alone.
    #[must_use]
    pub fn hyperparameter_draws(&self) -> Vec<Vec<f64>> {
        let blocks: Vec<Block> = self.blocks().iter().map(|block| block.block).collect();
        let states = self.averaged.iter().flat_map(|averaged| &averaged.states);
        let values = states.map(|trained| {
            let state = State {
                maps: trained.blocks.iter().map(|block| block.map.clone()).collect(),
                kernel: trained.kernel.clone(),
                likelihood: trained.likelihood.clone(),
            };
            let described = Parameters::described(self.settings().shared_bank, &blocks, &state, &self.priors);
            described.into_iter().map(|entry| entry.value).collect()
        });
        values.collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::model::testing::{dataset, small_settings};
    use crate::settings::{HyperparameterChoice, Settings};

    #[test]
    fn draws_are_beside_the_mode_and_spread_around_it() {
        let dataset = dataset(12, 2, 3);
        let all: Vec<usize> = (0..dataset.len()).collect();
        let of = |choice| {
            let settings = Settings { hyperparameters: choice, ..small_settings() };
            settings.fit(&dataset, &all).unwrap()
        };
        assert!(of(HyperparameterChoice::Map).hyperparameter_draws().is_empty());
        let model = of(HyperparameterChoice::Gaussian);
        let (mode, draws) = (model.hyperparameters(), model.hyperparameter_draws());
        assert_eq!(draws.len(), model.summary().exploration.as_ref().unwrap().states);
        assert!(draws.iter().all(|draw| draw.len() == mode.len() && draw.iter().all(|v| v.is_finite())));
        assert!(draws.iter().any(|draw| draw[0] != mode[0].value));
    }
}
