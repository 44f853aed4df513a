//! One repeat: a training part, a model of it, and how its predictions of other graphs compare with their targets.

use super::LEVELS;
use super::simulate::{Oracle, Simulated};
use hodgelet::dataset::{Dataset, Targets};
use hodgelet::likelihood::Mixture;
use hodgelet::model::{ModelError, PredictedTargets, Prediction};
use hodgelet::settings::Settings;
use hodgelet_cli::error::CommandError;
use hodgelet_eval::metrics::{MetricError, coverage, density_nll, nll};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;

/// Graphs that are predicted in each repeat, at most.
pub const MAX_TEST: usize = 200;

/// Added to a seed whose draw has nothing to learn.
const AGAIN: u64 = 1 << 40;

/// Draws for a training part of two classes after some graphs are held out.
const TRIES: usize = 100;

/// What was found in one repeat.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Repeat {
    /// Graphs that were predicted.
    pub predictions: usize,
    /// Negative log likelihood per prediction.
    pub nll: f64,
    /// The same of what the predictions are measured against.
    pub beside: Beside,
    /// Share of targets in the intervals of [`LEVELS`]; for numbers.
    pub coverage: Vec<f64>,
    /// Probabilities with the labels; for classes.
    pub classes: Option<Classes>,
    /// Share of targets in the conformal regions of [`LEVELS`]; with a guarantee.
    pub conformal: Vec<f64>,
}

/// Negative log likelihoods per prediction of others.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Beside {
    /// Of one who knows the hyperparameters that the targets were drawn with.
    pub oracle: Option<f64>,
    /// Of the base rate of the training graphs; for classes.
    pub base_rate: Option<f64>,
    /// Of the most probable hyperparameters alone, where they were asked for.
    pub mode: Option<f64>,
}

/// Probabilities of the graphs that were predicted.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Classes {
    /// `[n, n_classes]`, row by row.
    pub rows: Vec<f64>,
    pub n_classes: usize,
    pub labels: Vec<u32>,
}

/// A repeat on targets that are drawn, `n_test` of them predicted; beside an oracle unless there is a guarantee to measure.
pub fn simulated(
    settings: &Settings,
    size: usize,
    n_test: usize,
    is_classes: bool,
) -> Result<Repeat, CommandError> {
    let (train, test): (Vec<usize>, Vec<usize>) = (0..size + n_test).partition(|&i| i < size);
    let (mut seed, mut left_tries) = (settings.seed, TRIES);
    let (drawn, mut repeat) = loop {
        let drawn = draw(size, n_test, is_classes, seed)?;
        match predicted(settings, &drawn.dataset, &train, &test) {
            Ok(repeat) => break (drawn, repeat),
            // What is left to train on is of one class. What is held out and what is new stay exchangeable given that.
            Err(CommandError::Model(ModelError::Conformal { .. })) if is_classes && left_tries > 0 => {
                (seed, left_tries) = (seed.wrapping_add(AGAIN), left_tries - 1);
            }
            Err(error) => return Err(error),
        }
    };
    if settings.conformal.is_none() {
        let oracle = match (drawn.oracle(&train, &test)?, drawn.dataset.targets().select(&test)) {
            (Oracle::Real { mean, variance }, Targets::Real(truth)) => {
                let densities = mean.into_iter().zip(variance).map(|(m, v)| Mixture::normal(m, v));
                density_nll(&densities.collect::<Vec<_>>(), &truth)
            }
            (Oracle::Classes { probabilities }, Targets::Classes { labels, .. }) => {
                nll(&probabilities.iter().flat_map(|&p| [1.0 - p, p]).collect::<Vec<_>>(), 2, &labels)
            }
            _ => unreachable!("the oracle predicts the targets that were drawn"),
        };
        repeat.beside.oracle = Some(oracle.map_err(scored)?);
    }
    Ok(repeat)
}

/// A simulation whose training part has something to learn: one of a single class is drawn again.
fn draw(size: usize, n_test: usize, is_classes: bool, seed: u64) -> Result<Simulated, CommandError> {
    let mut again = seed;
    loop {
        let drawn = Simulated::draw(size + n_test, is_classes, again)?;
        match drawn.dataset.targets() {
            Targets::Classes { labels, .. }
                if size > 1 && labels[1..size].iter().all(|l| *l == labels[0]) =>
            {
                again = again.wrapping_add(AGAIN);
            }
            _ => return Ok(drawn),
        }
    }
}

/// A repeat on a random training part of `dataset`; the seed of the settings draws it.
pub fn real(settings: &Settings, dataset: &Dataset, size: usize) -> Result<Repeat, CommandError> {
    let mut order: Vec<usize> = (0..dataset.len()).collect();
    order.shuffle(&mut ChaCha8Rng::seed_from_u64(settings.seed));
    if size + 2 > order.len() {
        let message = format!("--sizes {size}, but there are {} graphs", order.len());
        return Err(CommandError::usage(message, Some("leave some to predict")));
    }
    let (train, test) = order.split_at(size);
    predicted(settings, dataset, train, &test[..test.len().min(MAX_TEST)])
}

/// As [`real`], with the most probable hyperparameters alone beside.
pub fn real_beside_mode(settings: &Settings, dataset: &Dataset, size: usize) -> Result<Repeat, CommandError> {
    let mut repeat = real(settings, dataset, size)?;
    repeat.beside.mode = Some(real(&settings.clone().most_probable(), dataset, size)?.nll);
    Ok(repeat)
}

fn predicted(
    settings: &Settings,
    dataset: &Dataset,
    train: &[usize],
    test: &[usize],
) -> Result<Repeat, CommandError> {
    let model = settings.fit(dataset, train)?;
    let calibrated = model.predict_calibrated(&dataset.select(test), |_| ControlFlow::Continue(()))?;
    let targets = dataset.targets().select(test);
    let mut conformal = Vec::new();
    if settings.conformal.is_some() {
        for level in LEVELS {
            conformal.extend(calibrated.regions(level)?.targets.share_held(&targets));
        }
    }
    let known = dataset.targets().select(train);
    let scores = scores(&calibrated.prediction, targets, &known).map_err(scored)?;
    Ok(Repeat { conformal, ..scores })
}

fn scores(prediction: &Prediction, targets: Targets, known: &Targets) -> Result<Repeat, MetricError> {
    match (&prediction.targets, targets, known) {
        (PredictedTargets::Real { densities }, Targets::Real(truth), _) => Ok(Repeat {
            predictions: truth.len(),
            nll: density_nll(densities, &truth)?,
            beside: Beside::default(),
            coverage: LEVELS.iter().map(|&l| coverage(densities, &truth, l)).collect::<Result<_, _>>()?,
            classes: None,
            conformal: Vec::new(),
        }),
        (
            PredictedTargets::Classes { probabilities, .. },
            Targets::Classes { names, labels },
            Targets::Classes { labels: known, .. },
        ) => {
            let n_classes = names.len();
            // With one more graph of each class, so that no class is impossible.
            let share = |c: u32| {
                let count = known.iter().filter(|&&label| label == c).count() as f64;
                (count + 1.0) / (known.len() + n_classes) as f64
            };
            let base_rate = -labels.iter().map(|&c| share(c).ln()).sum::<f64>() / labels.len() as f64;
            let places = (0..labels.len()).flat_map(|i| (0..n_classes).map(move |c| (i, c)));
            let rows: Vec<f64> = places.map(|at| probabilities[at]).collect();
            Ok(Repeat {
                predictions: labels.len(),
                nll: nll(&rows, n_classes, &labels)?,
                beside: Beside { base_rate: Some(base_rate), ..Beside::default() },
                coverage: Vec::new(),
                classes: Some(Classes { rows, n_classes, labels }),
                conformal: Vec::new(),
            })
        }
        _ => unreachable!("a model predicts the kind of targets it was trained on"),
    }
}

pub fn scored(error: MetricError) -> CommandError {
    CommandError::usage(error.to_string(), None)
}
