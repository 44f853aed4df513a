//! Settings chosen by the training data alone.
//!
//! A search asks one question after another: which likelihood, which Laplacian, which signals, which blocks, which
//! kernel, how many filters and starts. The score of an answer is the predictive log probability of the training targets,
//! each by a model that was fitted without it: the training part is dealt into a few folds. (Leave-one-out from one fit is
//! cheaper, but does not see that hyperparameters were fitted to the targets: it takes every lengthscale it is offered.)
//! An answer is kept when its score is higher by [`SearchParams::standard_errors`] of the paired difference, and given up
//! after a fold when it is lower by one. So settings that were fine stay, and no target outside the training part is ever
//! seen.

use crate::splits::{Split, deal_folds};
use hodgelet::dataset::{Dataset, Targets};
use hodgelet::encode::{CellSignal, Encoding, VertexSignal};
use hodgelet::hodge::Weighting;
use hodgelet::kernel::Family;
use hodgelet::model::{
    ClassLikelihood, FeatureTransform, LengthscaleChoice, Measured, Model, ModelError, ModelParams,
    PredictedTargets, SpaceParams, Stage, measure_dataset,
};
use hodgelet::wavelet::ScaleSpread;
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;

/// Filters per block and bands in each, where fewer are tried.
const FEWER_FILTERS: (usize, usize) = (4, 1);

/// Starts, where more are tried.
const MORE_STARTS: usize = 3;

/// One setting that differs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Change {
    /// Another Laplacian.
    Laplacian(Weighting),
    /// Another signal on vertices.
    Vertices(VertexSignal),
    /// Another signal on edges.
    Edges(CellSignal),
    /// Signals are not split into Hodge components.
    Whole,
    /// Signals of these dimensions only.
    Dims(Vec<usize>),
    /// Another covariance function.
    Kernel(Family),
    /// Other lengthscales.
    Lengthscales(LengthscaleChoice),
    /// Another likelihood of classes.
    Likelihood(ClassLikelihood),
    /// Another spread of the initial scales.
    Scales(ScaleSpread),
    /// Another number of filters per block, and of band-pass terms in each.
    Filters(usize, usize),
    /// More starts, of which the best objective is kept.
    Restarts(usize),
}

impl Change {
    /// The settings with this change.
    #[must_use]
    pub fn apply(&self, params: &ModelParams) -> ModelParams {
        let mut params = params.clone();
        match self.clone() {
            Self::Laplacian(weighting) => params.space.weighting = weighting,
            Self::Vertices(signal) => params.space.encoding.vertices = signal,
            Self::Edges(signal) => params.space.encoding.edges = signal,
            Self::Whole => params.space.split = false,
            Self::Dims(dims) => params.space.dims = Some(dims),
            Self::Kernel(family) => params.kernel.family = family,
            Self::Lengthscales(choice) => params.kernel.lengthscales = choice,
            Self::Likelihood(likelihood) => params.likelihood = likelihood,
            Self::Scales(spread) => {
                if let FeatureTransform::Wavelets(bank) = &mut params.space.transform {
                    bank.spread = spread;
                }
            }
            Self::Filters(filters, bands) => {
                if let FeatureTransform::Wavelets(bank) = &mut params.space.transform {
                    (bank.n_filters, bank.n_bands) = (filters, bands);
                }
            }
            Self::Restarts(restarts) => params.restarts = restarts,
        }
        params
    }
}

/// Where a search starts and what it asks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchParams {
    /// The settings to start from.
    pub base: ModelParams,
    /// Questions in their order, each with the answers to try beside the one that stands.
    pub questions: Vec<Vec<Change>>,
    /// Folds that the training part is dealt into.
    pub folds: usize,
    /// By how many standard errors of the difference, paired over the training targets, an answer must score higher.
    pub standard_errors: f64,
    /// Largest number of steps of a fit that is compared; the winner is then trained as its settings say.
    pub trial_iterations: usize,
}

/// One answer that was tried.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// What differed from the settings that stood then; none for the first.
    pub change: Option<Change>,
    /// Folds it was tried on; fewer than there are when it was given up.
    pub folds: usize,
    /// Predictive log probability, the mean over the targets of these folds; none when a fit failed.
    pub log_probability: Option<f64>,
    /// Log probability less that of the settings that stood then, in nats over the targets of these folds.
    pub gain: Option<f64>,
    /// Standard error of the gain.
    pub standard_error: Option<f64>,
    /// Why a fit failed.
    pub failure: Option<String>,
    /// Whether it was kept.
    pub kept: bool,
}

/// What a search found.
pub struct SearchResult {
    /// The model of the chosen settings, [`Model::params`].
    pub model: Model,
    /// All answers that were tried, in their order.
    pub trials: Vec<Trial>,
}

impl SearchParams {
    /// The questions of `--auto` for `dataset`, from the settings `base`: robust-max for more than two classes; the
    /// other Laplacian; signals on vertices; structure on edges without a signal; no split, or one dimension alone where
    /// several carry signals; a linear kernel, Matérn 3/2; one lengthscale per channel; the other spread of scales; fewer
    /// filters; more starts.
    #[must_use]
    pub fn standard(base: ModelParams, dataset: &Dataset) -> Self {
        let has = |dim: usize| dataset.columns.iter().any(|column| column.dim == dim);
        let other = match base.space.weighting {
            Weighting::Combinatorial => Weighting::SymmetricNormalized,
            _ => Weighting::Combinatorial,
        };
        let mut questions = Vec::new();
        if matches!(&dataset.targets, Targets::Classes { names, .. } if names.len() > 2) {
            questions.push(vec![Change::Likelihood(ClassLikelihood::Gpflow)]);
        }
        questions.push(vec![Change::Laplacian(other)]);
        let on_vertices = base.space.encoding.vertices != VertexSignal::None;
        if on_vertices {
            let mut signals = vec![Change::Vertices(VertexSignal::DegreeOneHot)];
            signals.extend(has(0).then_some(Change::Vertices(VertexSignal::Attributes)));
            questions.push(signals);
        }
        let is_auto = base.space.encoding.edges == CellSignal::Auto;
        if is_auto && !has(1) && base.space.dims.as_ref().is_none_or(|dims| dims.contains(&1)) {
            questions.push(vec![Change::Edges(CellSignal::Structure)]);
        }
        let mut blocks = vec![Change::Whole];
        if on_vertices && has(1) && base.space.dims.is_none() {
            blocks.extend([Change::Dims(vec![0]), Change::Dims(vec![1])]);
        }
        questions.push(blocks);
        questions.push(vec![Change::Kernel(Family::Linear), Change::Kernel(Family::Matern32)]);
        questions.push(vec![Change::Lengthscales(LengthscaleChoice::PerChannel)]);
        if let FeatureTransform::Wavelets(bank) = &base.space.transform {
            questions.push(vec![Change::Scales(match bank.spread {
                ScaleSpread::Reference => ScaleSpread::Spectrum,
                ScaleSpread::Spectrum => ScaleSpread::Reference,
            })]);
        }
        questions.push(vec![Change::Filters(FEWER_FILTERS.0, FEWER_FILTERS.1)]);
        questions.push(vec![Change::Restarts(MORE_STARTS)]);
        Self { base, questions, folds: 3, standard_errors: 1.0, trial_iterations: 20 }
    }

    /// Largest number of fits.
    #[must_use]
    pub fn n_fits(&self) -> usize {
        1 + self.folds * (1 + self.questions.iter().map(Vec::len).sum::<usize>())
    }

    /// Searches on the complexes `train` of `dataset`; `callback` sees the number of the fit and its stage.
    ///
    /// # Errors
    ///
    /// As [`ModelParams::fit`] for the settings chosen, and [`ModelError::Cancelled`]; an answer that cannot be fitted is
    /// left out, and there are no questions when the settings to start from cannot be fitted to a part of the data.
    pub fn fit(
        &self,
        dataset: &Dataset,
        train: &[usize],
        mut callback: impl FnMut(usize, Stage) -> ControlFlow<()>,
    ) -> Result<SearchResult, ModelError> {
        check_training_part(train, dataset.len())?;
        let mut part = TrainingPart::new(self, dataset.select(train));
        let (mut standing, mut best): (_, Option<Score>) = (self.base.clone(), None);
        let mut trials = Vec::new();
        let mut fits = 0;
        let first = [vec![None]];
        let questions = self.questions.iter().map(|question| question.iter().map(Some).collect::<Vec<_>>());
        for question in first.into_iter().chain(questions) {
            let asked = standing.clone();
            for change in question {
                let params = change.map_or_else(|| asked.clone(), |change| change.apply(&asked));
                if change.is_some() && (params == asked || best.is_none()) {
                    continue;
                }
                let mut trial = Trial { change: change.cloned(), ..Trial::default() };
                match part.score(&params, best.as_ref(), |fold, stage| callback(fits + fold, stage)) {
                    Ok(score) => {
                        (trial.folds, trial.log_probability) = (score.folds, Some(mean(&score.values)));
                        trial.kept = best.as_ref().is_none_or(|best| {
                            let (gain, error) = gain(&score.values, &best.values);
                            (trial.gain, trial.standard_error) = (Some(gain), Some(error));
                            score.folds == part.folds.len()
                                && gain > self.standard_errors * error
                                && gain > 0.0
                        });
                        if trial.kept {
                            (standing, best) = (params, Some(score));
                        }
                    }
                    Err(ModelError::Cancelled) => return Err(ModelError::Cancelled),
                    Err(error) => trial.failure = Some(error.to_string()),
                }
                trials.push(trial);
                fits += part.folds.len();
            }
        }
        let model = standing.fit(dataset, train, |stage| callback(fits, stage))?;
        Ok(SearchResult { model, trials })
    }
}

/// Whether `train` names at least two complexes, all of them within the dataset.
fn check_training_part(train: &[usize], len: usize) -> Result<(), ModelError> {
    match train.iter().find(|&&i| i >= len) {
        Some(&index) => Err(ModelError::Index { index, len }),
        None if train.len() < 2 => Err(ModelError::TooFew { expected: 2, found: train.len() }),
        None => Ok(()),
    }
}

/// The training part, and the folds it is dealt into.
struct TrainingPart {
    data: Dataset,
    folds: Vec<Split>,
    iterations: usize,
    /// Spectra of the last answer: those about kernel, lengthscales, likelihood, filters and starts ask for the same.
    spectra: Option<(SpaceParams, Encoding, Measured)>,
}

/// Log probabilities of targets, fold after fold.
struct Score {
    values: Vec<f64>,
    folds: usize,
}

impl TrainingPart {
    fn new(params: &SearchParams, data: Dataset) -> Self {
        let folds = params.folds.clamp(2, data.len().max(2));
        let folds = deal_folds(&data.targets, data.len(), folds);
        Self { data, folds, iterations: params.trial_iterations, spectra: None }
    }

    /// The log probability of every target by a model of the other folds, until it falls behind `best`.
    fn score(
        &mut self,
        params: &ModelParams,
        best: Option<&Score>,
        mut callback: impl FnMut(usize, Stage) -> ControlFlow<()>,
    ) -> Result<Score, ModelError> {
        let mut params = params.clone();
        params.optimizer.max_iterations = params.optimizer.max_iterations.min(self.iterations);
        let (n, targets) = (self.data.len(), &self.data.targets);
        // Filters come after the spectra.
        let space = SpaceParams { transform: SpaceParams::default().transform, ..params.space.clone() };
        let spectra = match self.spectra.take() {
            Some(spectra) if spectra.0 == space => spectra,
            _ => {
                let encoding = params.space.fit_encoding(&self.data, &(0..n).collect::<Vec<_>>())?;
                let note = |done| callback(0, Stage::Measuring(done, n));
                let measured = measure_dataset(&self.data, &encoding, &params.space, note)?;
                (space, encoding, measured)
            }
        };
        let (_, encoding, measured) = &*self.spectra.insert(spectra);
        let mut score = Score { values: Vec::with_capacity(n), folds: 0 };
        for Split { fold, train, test, .. } in &self.folds {
            let model =
                params.fit_measured(encoding, measured, targets, train, |stage| callback(*fold, stage))?;
            let measures: Vec<_> = test.iter().map(|&i| &measured.measures[i]).collect();
            let predicted = model.predict_measured(&measures)?.targets;
            let of = |(row, &i): (usize, &usize)| log_probability(targets, i, &predicted, row);
            score.values.extend(test.iter().enumerate().map(of));
            score.folds += 1;
            if best.is_some_and(|best| {
                let (gain, error) = gain(&score.values, &best.values);
                gain < -error
            }) {
                break;
            }
        }
        Ok(score)
    }
}

/// The log probability, or its density, of target `i` under row `row` of a prediction.
fn log_probability(targets: &Targets, i: usize, predicted: &PredictedTargets, row: usize) -> f64 {
    match (targets, predicted) {
        (Targets::Classes { labels, .. }, PredictedTargets::Classes { probabilities, .. }) => {
            probabilities[(row, labels[i] as usize)].max(f64::MIN_POSITIVE).ln()
        }
        (Targets::Real(values), PredictedTargets::Real { mean, variance }) => {
            let (difference, variance) = (values[i] - mean[row], variance[row].max(f64::MIN_POSITIVE));
            -0.5 * ((std::f64::consts::TAU * variance).ln() + difference * difference / variance)
        }
        _ => f64::MIN, // a model predicts what it was trained on
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// The sum of paired differences, and its standard error, over as many as the first has.
fn gain(score: &[f64], other: &[f64]) -> (f64, f64) {
    let differences = || score.iter().zip(other).map(|(a, b)| a - b);
    let n = score.len().min(other.len()) as f64;
    let total: f64 = differences().sum();
    let squares: f64 = differences().map(|d| (d - total / n).powi(2)).sum();
    (total, (squares * n / (n - 1.0).max(1.0)).sqrt())
}

#[cfg(test)]
mod tests;
