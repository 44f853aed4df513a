//! Settings chosen by the training data alone.
//!
//! A search asks one question after another: which likelihood, which Laplacian, which signals, which blocks, which
//! kernel, how many filters and starts. The score of an answer is the predictive log probability of the training targets,
//! each by a model that was fitted without it: the training part is divided into a few folds. (Leave-one-out from one fit
//! is cheaper, but ignores that hyperparameters were fitted to the targets: it accepts every lengthscale it is offered.)
//! An answer is kept when its score is higher by [`SearchParams::standard_errors`] of the paired difference, and given up
//! after a fold when it is lower by one. So good settings stay, and no target outside the training part is ever
//! seen.

use crate::splits::{Split, deal_folds};
use hodgelet::choice::Choice;
use hodgelet::complex::Lift;
use hodgelet::dataset::{Dataset, Targets};
use hodgelet::encode::{CellSignal, Outline, VertexSignal};
use hodgelet::kernel::Family;
use hodgelet::model::{Measured, Measurer, Model, ModelError, PredictedTargets, Stage};
use hodgelet::settings::{
    BlockKind, ClassLikelihood, Fields, Laplacian, LengthscaleChoice, SettingError, Settings,
};
use hodgelet::wavelet::ScaleSpread;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// Filters per block and bands in each, where fewer are tried.
const FEWER_FILTERS: (usize, usize) = (4, 1);

/// Starts, where more are tried.
const MORE_STARTS: usize = 3;

/// Settings that differ, by name, as they can be typed again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Change(BTreeMap<String, Value>);

impl Change {
    /// What `change` makes of the default settings.
    pub fn new(change: impl FnOnce(&mut Settings)) -> Self {
        let (default, mut settings) = (Settings::default(), Settings::default());
        change(&mut settings);
        let values = Settings::FIELDS.iter().map(|f| (f.name, (f.get)(&settings), (f.get)(&default)));
        Self(values.filter(|(_, new, old)| new != old).map(|(name, new, _)| (name.to_owned(), new)).collect())
    }

    /// The settings with this change.
    ///
    /// # Errors
    ///
    /// [`SettingError`] for a name that is not a setting, or a value that it does not take.
    pub fn apply(&self, settings: &Settings) -> Result<Settings, SettingError> {
        let mut settings = settings.clone();
        self.0.iter().try_for_each(|(name, value)| settings.set(name, value))?;
        Ok(settings)
    }
}

impl std::fmt::Display for Change {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let word = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let words: Vec<String> =
            self.0.iter().map(|(name, value)| format!("{name}={}", word(value))).collect();
        f.write_str(&words.join(" "))
    }
}

/// Where a search starts and what it asks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SearchParams {
    /// The settings to start from.
    pub base: Settings,
    /// Questions in their order, each with the answers to try beside the current one.
    pub questions: Vec<Vec<Change>>,
    /// Number of folds that the training part is divided into.
    pub folds: usize,
    /// By how many standard errors of the difference, paired over the training targets, an answer must score higher.
    pub standard_errors: f64,
    /// Largest number of steps of a fit that is compared; the winner is then trained as its settings say.
    pub trial_iterations: usize,
}

/// One answer that was tried.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// What differed from the settings at that time; none for the first.
    pub change: Option<Change>,
    /// Folds it was tried on; fewer than there are when it was given up.
    pub folds: usize,
    /// Predictive log probability, the mean over the targets of these folds; none when a fit failed.
    pub log_probability: Option<f64>,
    /// Log probability minus that of the settings at that time, in nats over the targets of these folds.
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
    /// The model of the chosen settings, [`Model::settings`].
    pub model: Model,
    /// All answers that were tried, in their order.
    pub trials: Vec<Trial>,
}

impl SearchParams {
    /// The questions of `--auto` for `dataset`, from the settings `base`: robust-max for more than two classes; the
    /// other Laplacian; energies alone, or environments beside all other blocks; signals on vertices; structure on edges without a signal; no split, or one dimension alone where
    /// several carry signals; a linear kernel, Matérn 3/2; one lengthscale per channel; the other spread of scales; fewer
    /// filters; more starts.
    #[must_use]
    pub fn standard(base: Settings, dataset: &Dataset) -> Self {
        let has = |dim: usize| dataset.columns().iter().any(|column| column.dim == dim);
        let change = |change: &dyn Fn(&mut Settings)| Change::new(change);
        let mut questions = Vec::new();
        if matches!(dataset.targets(), Targets::Classes { names, .. } if names.len() > 2) {
            questions.push(vec![change(&|s| s.likelihood = Some(ClassLikelihood::Gpflow))]);
        }
        let other = match base.laplacian() {
            Laplacian::Combinatorial => Laplacian::Normalized,
            _ => Laplacian::Combinatorial,
        };
        questions.push(vec![change(&|s| s.laplacian = Some(other))]);
        let on_vertices = base.lift() != Lift::LineGraph
            && base.encoding(&Outline::whole(dataset)).vertices != VertexSignal::None;
        let kinds = base.blocks();
        if base.blocks.is_none() && kinds.len() > 1 {
            let more = [kinds.clone(), vec![BlockKind::Environments]].concat();
            let answers = [vec![BlockKind::Energies], more];
            questions.push(answers.map(|kinds| change(&|s| s.blocks = Some(kinds.clone()))).to_vec());
        }
        if on_vertices {
            let mut signals = vec![change(&|s| s.vertices = Some(VertexSignal::DegreeOneHot))];
            signals.extend(has(0).then(|| change(&|s| s.vertices = Some(VertexSignal::Attributes))));
            questions.push(signals);
        }
        let dims = base.dims();
        if base.edges == CellSignal::Auto && !has(1) && dims.as_ref().is_none_or(|dims| dims.contains(&1)) {
            questions.push(vec![change(&|s| s.edges = CellSignal::Structure)]);
        }
        let mut blocks = Vec::new();
        blocks.extend(base.split().then(|| change(&|s| s.split = Some(false))));
        if on_vertices && has(1) && dims.is_none() {
            blocks.extend([0, 1].map(|dim| change(&|s| s.dims = Some(vec![dim]))));
        }
        questions.push(blocks);
        let families = [Family::Linear, Family::Matern32];
        questions.push(families.map(|family| change(&|s| s.kernel = family)).to_vec());
        questions.push(vec![change(&|s| s.lengthscales = LengthscaleChoice::PerChannel)]);
        if let Some(bank) = base.bank() {
            let others = ScaleSpread::ALL.iter().filter(|spread| **spread != bank.spread);
            questions.push(others.map(|&spread| change(&|s| s.scales = Some(spread))).collect());
            questions.push(vec![change(&|s| (s.n_filters, s.n_bands) = FEWER_FILTERS)]);
        }
        questions.push(vec![change(&|s| s.restarts = MORE_STARTS)]);
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
    /// As [`Settings::fit`] for the settings chosen, and [`ModelError::Cancelled`]; an answer that cannot be fitted is
    /// left out, and there are no questions when the settings to start from cannot be fitted to a part of the data.
    pub fn fit(
        &self,
        dataset: &Dataset,
        train: &[usize],
        mut callback: impl FnMut(usize, Stage) -> ControlFlow<()> + Send,
    ) -> Result<SearchResult, ModelError> {
        check_training_part(train, dataset.len())?;
        if self.base.conformal.is_some() {
            let fault = "a search for settings has seen the graphs that would be held out".to_owned();
            return Err(ModelError::Conformal { fault });
        }
        let mut part = TrainingPart::new(self, dataset.select(train));
        let (mut standing, mut best): (_, Option<Score>) = (self.base.clone(), None);
        let mut trials = Vec::new();
        let mut fits = 0;
        let first = [vec![None]];
        let questions = self.questions.iter().map(|question| question.iter().map(Some).collect::<Vec<_>>());
        for question in first.into_iter().chain(questions) {
            let asked = standing.clone();
            for change in question {
                let settings = change
                    .map_or_else(|| Ok(asked.clone()), |change| change.apply(&asked))
                    .map_err(ModelError::from)?;
                if change.is_some() && (settings == asked || best.is_none()) {
                    continue;
                }
                let mut trial = Trial { change: change.cloned(), ..Trial::default() };
                match part.score(&settings, best.as_ref(), |fold, stage| callback(fits + fold, stage)) {
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
                            (standing, best) = (settings, Some(score));
                        }
                    }
                    Err(ModelError::Cancelled) => return Err(ModelError::Cancelled),
                    Err(error) => trial.failure = Some(error.to_string()),
                }
                trials.push(trial);
                fits += part.folds.len();
            }
        }
        let model = standing.fit_with(dataset, train, |stage| callback(fits, stage))?;
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

/// The training part, and its folds.
struct TrainingPart {
    data: Dataset,
    folds: Vec<Split>,
    iterations: usize,
    /// Spectra of the last answer: those about kernel, lengthscales, likelihood, filters and starts ask for the same.
    spectra: Option<(Measurer, Measured)>,
}

/// Log probabilities of targets, fold after fold.
struct Score {
    values: Vec<f64>,
    folds: usize,
}

impl TrainingPart {
    fn new(params: &SearchParams, data: Dataset) -> Self {
        let folds = params.folds.clamp(2, data.len().max(2));
        let folds = deal_folds(data.targets(), data.len(), folds);
        Self { data, folds, iterations: params.trial_iterations, spectra: None }
    }

    /// The log probability of every target by a model of the other folds, until it falls behind `best`.
    fn score(
        &mut self,
        settings: &Settings,
        best: Option<&Score>,
        mut callback: impl FnMut(usize, Stage) -> ControlFlow<()> + Send,
    ) -> Result<Score, ModelError> {
        let settings = Settings { iterations: settings.iterations.min(self.iterations), ..settings.clone() };
        let (total, targets) = (self.data.len(), self.data.targets());
        let spectra = match self.spectra.take() {
            Some(spectra) if same_spectra(spectra.0.settings(), &settings) => spectra,
            _ => {
                let measurer = Measurer::fit(&settings, &self.data, &(0..total).collect::<Vec<_>>())?;
                let note = |done| callback(0, Stage::Measuring { done, total });
                let measured = measurer.measure(&self.data, note)?;
                (measurer, measured)
            }
        };
        let (measurer, measured) = &*self.spectra.insert(spectra);
        let mut score = Score { values: Vec::with_capacity(total), folds: 0 };
        // Settings are compared at the most probable hyperparameters, which is much faster; the model that is kept averages.
        let settings = &settings.clone().most_probable();
        for Split { fold, train, test, .. } in &self.folds {
            let model =
                settings.fit_measured(measurer, measured, targets, train, |stage| callback(*fold, stage))?;
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

/// Whether two settings differ in nothing that measures depend on: filters come after them.
fn same_spectra(a: &Settings, b: &Settings) -> bool {
    let of_measures = Settings::FIELDS.iter().filter(|field| ["Model", "Signals"].contains(&field.group));
    of_measures.into_iter().all(|field| (field.get)(a) == (field.get)(b))
}

/// The log probability, or its density, of target `i` under row `row` of a prediction.
fn log_probability(targets: &Targets, i: usize, predicted: &PredictedTargets, row: usize) -> f64 {
    match (targets, predicted) {
        (Targets::Classes { labels, .. }, PredictedTargets::Classes { probabilities, .. }) => {
            probabilities[(row, labels[i] as usize)].max(f64::MIN_POSITIVE).ln()
        }
        (Targets::Real(values), PredictedTargets::Real { densities }) => {
            densities[row].log_density(values[i])
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
