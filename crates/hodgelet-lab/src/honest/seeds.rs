//! How much a probability depends on the seed alone.

use hodgelet::dataset::Dataset;
use hodgelet::settings::Settings;
use hodgelet_cli::error::CommandError;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

/// Seed of the one training part that all seeds share.
const SPLIT_SEED: u64 = 0;

/// Probabilities of the test graphs with one seed, `[n_test][n_classes]`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SeedRun(pub Vec<Vec<f64>>);

/// Trains on two thirds of the graphs, the same ones for every seed, and predicts the others.
pub fn run(settings: &Settings, dataset: &Dataset) -> Result<SeedRun, CommandError> {
    let mut order: Vec<usize> = (0..dataset.len()).collect();
    order.shuffle(&mut ChaCha8Rng::seed_from_u64(SPLIT_SEED));
    let (train, test) = order.split_at(2 * dataset.len() / 3);
    let prediction = settings.fit(dataset, train)?.predict(&dataset.select(test))?;
    let Some(probabilities) = prediction.targets.probabilities() else {
        return Err(CommandError::usage(
            "seeds are compared by probabilities, but targets are numbers",
            None,
        ));
    };
    Ok(SeedRun(probabilities.row_iter().map(|row| row.iter().copied().collect()).collect()))
}

/// The standard deviation of each test graph's probability over the seeds, of the class where it is largest; ascending.
pub fn deviations(runs: &[SeedRun]) -> Vec<f64> {
    let Some(first) = runs.first() else { return Vec::new() };
    let of = |i: usize, c: usize| {
        let values = || runs.iter().map(|run| run.0[i][c]);
        let n = runs.len() as f64;
        let mean = values().sum::<f64>() / n;
        (values().map(|p| (p - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0)).sqrt()
    };
    let largest = |(i, row): (usize, &Vec<f64>)| (0..row.len()).map(|c| of(i, c)).fold(0.0, f64::max);
    let mut all: Vec<f64> = first.0.iter().enumerate().map(largest).collect();
    all.sort_by(f64::total_cmp);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deviations_are_those_of_a_sample_and_ascend() {
        let run = |p: f64, q: f64| SeedRun(vec![vec![p, 1.0 - p], vec![q, 1.0 - q]]);
        let found = deviations(&[run(0.2, 0.5), run(0.4, 0.5), run(0.6, 0.5)]);
        assert!(found[0] == 0.0 && (found[1] - 0.2).abs() < 1e-15, "{found:?}");
        assert!(deviations(&[]).is_empty());
    }
}
