//! Settings chosen by the training data alone.
//!
//! A search asks one question after another: which likelihood, which Laplacian, which signals, which blocks, which
//! kernel, how many filters and starts. The score of an answer is the predictive log probability of the training targets,
//! each by a model that was fitted without it: the training part is dealt into a few folds. (Leave-one-out from one fit is
//! cheaper, but does not see that hyperparameters were fitted to the targets: it takes every lengthscale it is offered.)
//! An answer is kept when its score is higher by [`SearchParams::standard_errors`] of the paired difference, and given up
//! after a fold when it is lower by one. So settings that were fine stay, and no target outside the training part is ever
//! seen.

use super::{
    ClassLikelihood, FeatureTransform, LengthscaleChoice, Measured, Model, ModelError, ModelParams,
    PredictedTargets, SpaceParams, Stage, measure_dataset,
};
use crate::dataset::{Dataset, Targets};
use crate::encode::{CellSignal, Encoding, VertexSignal};
use crate::hodge::Weighting;
use crate::kernel::Family;
use crate::wavelet::ScaleSpread;
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;

/// Filters a block and bands in each, where fewer are tried.
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
    /// Another number of filters a block, and of band-pass terms in each.
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
    /// Most steps of a fit that is compared; the winner is then trained as its settings say.
    pub trial_iterations: usize,
}

/// One answer that was tried.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tried {
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
pub struct Found {
    /// The model of the chosen settings, [`Model::params`].
    pub model: Model,
    /// All answers, in their order.
    pub tried: Vec<Tried>,
}

impl SearchParams {
    /// The questions of `--auto` for `dataset`, from the settings `base`: robust-max for more than two classes; the
    /// other Laplacian; signals on vertices; structure on edges without a signal; no split, or one dimension alone where
    /// several carry signals; a linear kernel, Matérn 3/2; a lengthscale a channel; the other spread of scales; fewer
    /// filters; more starts.
    #[must_use]
    pub fn standard(base: ModelParams, dataset: &Dataset) -> Self {
        let has = |dim: usize| dataset.columns().iter().any(|column| column.dim == dim);
        let other = match base.space.weighting {
            Weighting::Combinatorial => Weighting::SymmetricNormalized,
            _ => Weighting::Combinatorial,
        };
        let mut questions = Vec::new();
        if matches!(dataset.targets(), Targets::Classes { names, .. } if names.len() > 2) {
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

    /// Number of fits at most.
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
    ) -> Result<Found, ModelError> {
        super::fit::check_indices(train, dataset.len())?;
        let mut trial = Trial::new(self, dataset.select(train));
        let (mut standing, mut best): (_, Option<Score>) = (self.base.clone(), None);
        let mut tried = Vec::new();
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
                let mut one = Tried { change: change.cloned(), ..Tried::default() };
                match trial.score(&params, best.as_ref(), |fold, stage| callback(fits + fold, stage)) {
                    Ok(score) => {
                        (one.folds, one.log_probability) = (score.folds, Some(mean(&score.values)));
                        one.kept = best.as_ref().is_none_or(|best| {
                            let (gain, error) = gain(&score.values, &best.values);
                            (one.gain, one.standard_error) = (Some(gain), Some(error));
                            score.folds == trial.parts.len()
                                && gain > self.standard_errors * error
                                && gain > 0.0
                        });
                        if one.kept {
                            (standing, best) = (params, Some(score));
                        }
                    }
                    Err(ModelError::Cancelled) => return Err(ModelError::Cancelled),
                    Err(error) => one.failure = Some(error.to_string()),
                }
                tried.push(one);
                fits += trial.parts.len();
            }
        }
        let model = standing.fit(dataset, train, |stage| callback(fits, stage))?;
        Ok(Found { model, tried })
    }
}

/// The training part, and the complexes of each of its folds.
struct Trial {
    data: Dataset,
    parts: Vec<Vec<usize>>,
    iterations: usize,
    /// Spectra of the last answer: those about kernel, lengthscales, likelihood, filters and starts ask for the same.
    spectra: Option<(SpaceParams, Encoding, Measured)>,
}

/// Log probabilities of targets, fold after fold.
struct Score {
    values: Vec<f64>,
    folds: usize,
}

impl Trial {
    fn new(params: &SearchParams, data: Dataset) -> Self {
        let folds = params.folds.clamp(2, data.len().max(2));
        let parts = dealt(data.targets(), data.len(), folds);
        Self { data, parts, iterations: params.trial_iterations, spectra: None }
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
        let (n, targets) = (self.data.len(), self.data.targets());
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
        for (fold, test) in self.parts.iter().enumerate() {
            let others = self.parts.iter().enumerate().filter(|&(other, _)| other != fold);
            let mut train: Vec<usize> = others.flat_map(|(_, part)| part).copied().collect();
            train.sort_unstable();
            let model =
                params.fit_measured(encoding, measured, targets, &train, |stage| callback(fold, stage))?;
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

/// Deals complexes into folds, class after class or from the lowest target to the highest, so that every fold has its
/// share.
fn dealt(targets: &Targets, n: usize, folds: usize) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..n).collect();
    match targets {
        Targets::None => {}
        Targets::Classes { labels, .. } => order.sort_by_key(|&i| labels[i]),
        Targets::Real(values) => order.sort_by(|&a, &b| values[a].total_cmp(&values[b])),
    }
    (0..folds).map(|fold| order.iter().copied().skip(fold).step_by(folds).collect()).collect()
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
mod tests {
    use super::super::testing::{dataset, small_params};
    use super::*;

    fn search(data: &Dataset) -> SearchParams {
        let mut params = SearchParams::standard(small_params(), data);
        params.standard_errors = 0.0;
        params
    }

    fn run(params: &SearchParams, data: &Dataset, train: &[usize]) -> Found {
        params.fit(data, train, |_, _| ControlFlow::Continue(())).unwrap()
    }

    #[test]
    fn what_is_kept_scores_higher_than_what_stood() {
        let data = dataset(24, 3, 1);
        let all: Vec<usize> = (0..24).collect();
        let params = search(&data);
        let found = run(&params, &data, &all);
        assert!(found.tried.len() < params.n_fits() && found.tried[0].kept);
        let mut standing = found.tried[0].log_probability.unwrap();
        for tried in &found.tried[1..] {
            let Some(score) = tried.log_probability else {
                assert!(!tried.kept && tried.failure.is_some());
                continue;
            };
            assert_eq!(tried.kept, tried.folds == 3 && tried.gain.unwrap() > 0.0);
            if tried.folds == 3 {
                assert!((tried.gain.unwrap() - 24.0 * (score - standing)).abs() < 1e-9, "{tried:?}");
            } else {
                assert!(tried.gain.unwrap() < -tried.standard_error.unwrap(), "{tried:?}");
            }
            if tried.kept {
                standing = score;
            }
        }
        // Of the answers to one question that were kept, the last one stands.
        let kept: Vec<&Change> =
            found.tried.iter().filter(|t| t.kept).filter_map(|t| t.change.as_ref()).collect();
        let last = |question: &Vec<Change>| kept.iter().copied().rfind(|change| question.contains(change));
        let settings = params.questions.iter().filter_map(last);
        let settings = settings.fold(params.base.clone(), |settings, change| change.apply(&settings));
        assert_eq!(found.model.params(), &settings);
    }

    /// The score is that of models fitted and asked by hand.
    #[test]
    fn every_target_is_scored_by_a_model_without_it() {
        for n_classes in [0, 2] {
            let data = dataset(12, n_classes, 5);
            let all: Vec<usize> = (0..12).collect();
            let found = run(&SearchParams { questions: vec![], ..search(&data) }, &data, &all);
            let mut total = 0.0;
            for test in dealt(data.targets(), 12, 3) {
                let train: Vec<usize> = all.iter().copied().filter(|i| !test.contains(i)).collect();
                assert_eq!((test.len(), train.len()), (4, 8));
                let params = small_params();
                let encoding = params.space.fit_encoding(&data, &all).unwrap();
                let go_on = |_| ControlFlow::Continue(());
                let measured = measure_dataset(&data, &encoding, &params.space, go_on).unwrap();
                let fitted = params.fit_measured(&encoding, &measured, data.targets(), &train, |_| {
                    ControlFlow::Continue(())
                });
                let predicted = fitted.unwrap().predict(&data.select(&test), go_on).unwrap().targets;
                let of = |(row, &i): (usize, &usize)| log_probability(data.targets(), i, &predicted, row);
                total += test.iter().enumerate().map(of).sum::<f64>();
            }
            let score = found.tried[0].log_probability.unwrap();
            assert!((score - total / 12.0).abs() < 1e-12, "{score}, {}", total / 12.0);
        }
    }

    #[test]
    fn classes_and_ranks_are_dealt_evenly() {
        let names = vec!["a".to_owned(), "b".to_owned()];
        let classes = Targets::Classes { names, labels: vec![0, 1, 0, 1, 0, 1, 0] };
        assert_eq!(dealt(&classes, 7, 3), [vec![0, 6, 5], vec![2, 1], vec![4, 3]]);
        assert_eq!(dealt(&Targets::Real(vec![3.0, 1.0, 2.0, 4.0]), 4, 2), [[1, 0], [2, 3]]);
    }

    #[test]
    fn log_densities_are_those_of_the_normal_distribution() {
        let predicted = PredictedTargets::Real { mean: vec![1.0], variance: vec![4.0] };
        let found = log_probability(&Targets::Real(vec![3.0]), 0, &predicted, 0);
        assert!((found - (-0.5 - (2.0 * std::f64::consts::TAU.sqrt()).ln())).abs() < 1e-15, "{found}");
    }

    #[test]
    fn an_answer_that_falls_behind_is_given_up() {
        let data = dataset(24, 2, 8);
        let mut trial = Trial::new(&search(&data), data.clone());
        let go_on = |_: usize, _: Stage| ControlFlow::Continue(());
        let whole = trial.score(&small_params(), None, go_on).unwrap();
        assert_eq!((whole.folds, whole.values.len()), (3, 24));
        // Better by a nat on every target, but not by the same.
        let ahead = whole.values.iter().enumerate().map(|(i, v)| v + 1.0 + 0.01 * (i % 3) as f64);
        let ahead = Score { values: ahead.collect(), folds: 3 };
        let score = trial.score(&small_params(), Some(&ahead), go_on).unwrap();
        assert_eq!((score.folds, &score.values[..]), (1, &whole.values[..8]));
    }

    #[test]
    fn gains_are_paired() {
        let (a, b) = ([-1.0, -2.0, -4.0], [-1.5, -3.0, -4.0]);
        let (total, error) = gain(&a, &b);
        // Differences 0.5, 1 and 0: deviation 0.5, times the root of 3.
        assert!((total - 1.5).abs() < 1e-15 && (error - 0.5 * 3.0_f64.sqrt()).abs() < 1e-15);
        assert_eq!(gain(&b, &a), (-total, error));
    }

    /// One of three folds takes the only graph of a class with it; two graphs leave nothing to fit.
    #[test]
    fn small_classes_and_small_data_have_an_answer() {
        let names = vec!["many".to_owned(), "one".to_owned()];
        let targets = Targets::Classes { names, labels: vec![0, 0, 0, 0, 0, 0, 0, 0, 1] };
        let data = dataset(9, 2, 6).with_targets(targets).unwrap();
        let found = run(&search(&data), &data, &(0..9).collect::<Vec<_>>());
        assert!(found.tried[0].failure.is_some() && found.tried.len() == 1);
        let data = dataset(2, 2, 7);
        let found = run(&search(&data), &data, &[0, 1]);
        assert!(found.tried[0].failure.is_some() && found.tried.len() == 1);
        assert_eq!(found.model.params(), &search(&data).base);
    }

    #[test]
    fn a_gain_out_of_reach_keeps_the_settings() {
        let data = dataset(16, 2, 2);
        let all: Vec<usize> = (0..16).collect();
        let params = SearchParams { standard_errors: 1e9, ..search(&data) };
        let found = run(&params, &data, &all);
        assert_eq!(found.model.params(), &params.base);
        assert!(found.tried.iter().skip(1).all(|t| !t.kept));
        let alone = params.base.fit(&data, &all, |_| ControlFlow::Continue(())).unwrap();
        assert_eq!((found.model.kernel(), found.model.blocks()), (alone.kernel(), alone.blocks()));
    }

    #[test]
    fn targets_outside_the_training_part_change_nothing() {
        let data = dataset(24, 2, 3);
        let train: Vec<usize> = (0..16).collect();
        let mut targets = data.targets().clone();
        let Targets::Classes { labels, .. } = &mut targets else { panic!("classes") };
        labels[16..].reverse();
        labels[17] = 1 - labels[17];
        let shuffled = data.clone().with_targets(targets).unwrap();
        let params = search(&data);
        let (first, second) = (run(&params, &data, &train), run(&params, &shuffled, &train));
        assert_eq!(first.tried, second.tried);
        assert_eq!(first.model.blocks(), second.model.blocks());
        assert_eq!(first.model.kernel(), second.model.kernel());
        let predicted = |found: &Found| found.model.predict(&data, |_| ControlFlow::Continue(())).unwrap();
        assert_eq!(predicted(&first).targets, predicted(&second).targets);
    }

    #[test]
    fn a_search_can_be_stopped() {
        let data = dataset(16, 2, 4);
        let all: Vec<usize> = (0..16).collect();
        let stop =
            |number: usize, _| if number == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        assert!(matches!(search(&data).fit(&data, &all, stop), Err(ModelError::Cancelled)));
    }
}
