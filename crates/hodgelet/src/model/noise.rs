//! What the noise of a graph may depend on: how much energy it has in each block.

use crate::feature::BlockMeasures;
use crate::likelihood::{LikelihoodParams, Observations};
use faer::Mat;
use serde::{Deserialize, Serialize};

/// Share of the mean energy that is added before the logarithm: a graph without energy has one, too.
const LEAST: f64 = 1e-3;

/// Covariates lie between these: noise is not extrapolated beyond what training graphs can have shown.
const REACH: f64 = 4.0;

/// From the energy of a graph in each block to covariates of its noise: the logarithm, standardized over the training graphs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct NoiseCovariates {
    blocks: Vec<Standard>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Standard {
    /// Added to the energy.
    offset: f64,
    mean: f64,
    deviation: f64,
}

impl NoiseCovariates {
    /// Fitted to the measures of the training complexes, one for each block.
    pub fn fit(measures: &[BlockMeasures]) -> Self {
        let of = |measures: &BlockMeasures| {
            let energies: Vec<f64> = (0..measures.len()).map(|i| energy(measures, i)).collect();
            let n = energies.len().max(1) as f64;
            let offset = LEAST * energies.iter().map(|e| e / n).sum::<f64>() + f64::MIN_POSITIVE;
            let logs: Vec<f64> = energies.iter().map(|e| (offset + e).ln()).collect();
            let mean = logs.iter().sum::<f64>() / n;
            let deviation = (logs.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n).sqrt();
            let is_constant = deviation.is_nan() || deviation <= 1e-9;
            Standard { offset, mean, deviation: if is_constant { f64::MAX } else { deviation } }
        };
        Self { blocks: measures.iter().map(of).collect() }
    }

    /// The covariates of complexes, `[n, n_blocks]`.
    pub fn of(&self, measures: &[BlockMeasures]) -> Mat<f64> {
        let n = measures.first().map_or(0, BlockMeasures::len);
        Mat::from_fn(n, self.blocks.len(), |i, b| {
            let Standard { offset, mean, deviation } = self.blocks[b];
            let log = (offset + energy(&measures[b], i)).ln();
            ((log - mean) / deviation).clamp(-REACH, REACH)
        })
    }

    /// Number of covariates.
    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    /// The covariates of the points of `observations`, row by row, if the noise of `likelihood` depends on any.
    pub fn stored(likelihood: &LikelihoodParams, observations: &Observations) -> Option<Vec<f64>> {
        match (likelihood, observations) {
            (LikelihoodParams::ScaledGaussian { .. }, Observations::Reals(reals)) => {
                Some((0..observations.n_points()).flat_map(|i| reals.covariates(i).to_vec()).collect())
            }
            _ => None,
        }
    }
}

/// The energy of complex `i` in a block, all channels together. Signed masses are inner products, whose squares count.
fn energy(measures: &BlockMeasures, i: usize) -> f64 {
    let total: f64 = match measures.labels().get(i) {
        // All depths have the mass of all cells.
        Some(labels) => (0..labels.n_depths()).map(|t| labels.total(t)).sum(),
        None => measures.channels(i).flat_map(|(_, masses)| masses.iter()).map(|mass| mass.abs()).sum(),
    };
    total.min(f64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::testing::{dataset, small_settings};
    use crate::settings::{NoiseChoice, Settings};

    /// Training covariates are standardized; those far outside stay within reach.
    #[test]
    fn covariates_are_standardized_logarithms_of_energies() {
        let data = dataset(16, 0, 4);
        let settings = Settings { noise: NoiseChoice::Blocks, iterations: 4, ..small_settings() };
        let model = settings.fit(&data, &(0..16).collect::<Vec<_>>()).unwrap();
        let Observations::Reals(reals) = &model.observations else { panic!("numbers went in") };
        for b in 0..model.blocks().len() {
            let values: Vec<f64> = (0..16).map(|i| reals.covariates(i)[b]).collect();
            let mean = values.iter().sum::<f64>() / 16.0;
            let square = values.iter().map(|x| x * x).sum::<f64>() / 16.0;
            assert!(mean.abs() < 0.1 && (square < 1.1), "{mean} {square}");
        }
        let names: Vec<String> = model.hyperparameters().into_iter().map(|h| h.name).collect();
        assert!(names.iter().any(|name| name == "vertex co-exact: noise factor"), "{names:?}");
    }
}
