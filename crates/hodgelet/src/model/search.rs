//! Settings chosen by the training data alone.
//!
//! A search asks one question after another: which Laplacian, which signals, which blocks, which kernel, which
//! likelihood. An answer is kept when it raises the leave-one-out predictive log probability of the training targets
//! (`gp::leave_one_out`, no refitting) by more than [`SearchParams::least_gain`] in all. So settings that were fine stay,
//! and no target outside the training part is ever seen.

use super::{ClassLikelihood, LengthscaleChoice, Model, ModelError, ModelParams, Stage};
use crate::dataset::{Dataset, Targets};
use crate::encode::VertexSignal;
use crate::hodge::Weighting;
use crate::kernel::Family;
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;

/// One setting that differs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Change {
    /// Another Laplacian.
    Laplacian(Weighting),
    /// Another signal on vertices.
    Vertices(VertexSignal),
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
}

impl Change {
    /// The settings with this change.
    #[must_use]
    pub fn apply(&self, params: &ModelParams) -> ModelParams {
        let mut params = params.clone();
        match self.clone() {
            Self::Laplacian(weighting) => params.space.weighting = weighting,
            Self::Vertices(signal) => params.space.encoding.vertices = signal,
            Self::Whole => params.space.split = false,
            Self::Dims(dims) => params.space.dims = Some(dims),
            Self::Kernel(family) => params.kernel.family = family,
            Self::Lengthscales(choice) => params.kernel.lengthscales = choice,
            Self::Likelihood(likelihood) => params.likelihood = likelihood,
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
    /// By how many nats, summed over all training targets, an answer must raise the leave-one-out log probability.
    pub least_gain: f64,
}

/// One fit of a search.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tried {
    /// What differed from the settings that stood then; none for the first.
    pub change: Option<Change>,
    /// Leave-one-out log probability, the mean over training targets; none when the fit failed.
    pub leave_one_out: Option<f64>,
    /// ELBO or evidence.
    pub elbo: Option<f64>,
    /// Why the fit failed.
    pub failure: Option<String>,
    /// Whether it was kept.
    pub kept: bool,
}

/// What a search found.
pub struct Found {
    /// The model of the chosen settings, [`Model::params`].
    pub model: Model,
    /// All fits, in their order.
    pub tried: Vec<Tried>,
}

impl SearchParams {
    /// The questions of `--auto` for `dataset`, from the settings `base`: the other Laplacian; signals on vertices;
    /// no split, or one dimension alone where several carry signals; Matérn 3/2; a lengthscale a channel; robust-max
    /// for more than two classes.
    #[must_use]
    pub fn standard(base: ModelParams, dataset: &Dataset) -> Self {
        let has = |dim: usize| dataset.columns.iter().any(|column| column.dim == dim);
        let other = match base.space.weighting {
            Weighting::Combinatorial => Weighting::SymmetricNormalized,
            _ => Weighting::Combinatorial,
        };
        let mut questions = vec![vec![Change::Laplacian(other)]];
        if base.space.encoding.vertices != VertexSignal::None {
            let mut signals = vec![Change::Vertices(VertexSignal::DegreeOneHot)];
            signals.extend(has(0).then_some(Change::Vertices(VertexSignal::Attributes)));
            questions.push(signals);
        }
        let mut blocks = vec![Change::Whole];
        if base.space.encoding.vertices != VertexSignal::None && has(1) && base.space.dims.is_none() {
            blocks.extend([Change::Dims(vec![0]), Change::Dims(vec![1])]);
        }
        questions.push(blocks);
        questions.push(vec![Change::Kernel(Family::Matern32)]);
        questions.push(vec![Change::Lengthscales(LengthscaleChoice::PerChannel)]);
        if matches!(&dataset.targets, Targets::Classes { names, .. } if names.len() > 2) {
            questions.push(vec![Change::Likelihood(ClassLikelihood::Gpflow)]);
        }
        Self { base, questions, least_gain: 1.0 }
    }

    /// Number of fits at most.
    #[must_use]
    pub fn n_fits(&self) -> usize {
        1 + self.questions.iter().map(Vec::len).sum::<usize>()
    }

    /// Searches on the complexes `train` of `dataset`; `callback` sees the number of the fit and its stage.
    ///
    /// # Errors
    ///
    /// As [`ModelParams::fit`] for the settings it starts from, and [`ModelError::Cancelled`]; a change that cannot be
    /// fitted is left out.
    pub fn fit(
        &self,
        dataset: &Dataset,
        train: &[usize],
        mut callback: impl FnMut(usize, Stage) -> ControlFlow<()>,
    ) -> Result<Found, ModelError> {
        let mut fit = |number: usize, params: &ModelParams| {
            params.fit(dataset, train, |stage| callback(number, stage)).and_then(Scored::new)
        };
        let mut best = fit(0, &self.base)?;
        let mut tried = vec![best.tried(None, true)];
        for question in &self.questions {
            let standing = best.model.params().clone();
            for change in question {
                let params = change.apply(&standing);
                if params == standing {
                    continue;
                }
                match fit(tried.len(), &params) {
                    Ok(scored) => {
                        let better = scored.total > best.total + self.least_gain;
                        tried.push(scored.tried(Some(change), better));
                        if better {
                            best = scored;
                        }
                    }
                    Err(ModelError::Cancelled) => return Err(ModelError::Cancelled),
                    Err(error) => tried.push(Tried {
                        change: Some(change.clone()),
                        leave_one_out: None,
                        elbo: None,
                        failure: Some(error.to_string()),
                        kept: false,
                    }),
                }
            }
        }
        Ok(Found { model: best.model, tried })
    }
}

/// A model with its score.
struct Scored {
    model: Model,
    total: f64,
    mean: f64,
}

impl Scored {
    fn new(model: Model) -> Result<Self, ModelError> {
        let densities = model.leave_one_out()?.log_densities;
        let total: f64 = densities.iter().sum();
        Ok(Self { model, total, mean: total / densities.len().max(1) as f64 })
    }

    fn tried(&self, change: Option<&Change>, kept: bool) -> Tried {
        Tried {
            change: change.cloned(),
            leave_one_out: Some(self.mean),
            elbo: Some(self.model.summary().elbo),
            failure: None,
            kept,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{dataset, small_params};
    use super::*;

    fn search(data: &Dataset) -> SearchParams {
        let mut params = SearchParams::standard(small_params(), data);
        params.least_gain = 0.0;
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
        assert!(found.tried.len() <= params.n_fits() && found.tried[0].kept);
        let kept: Vec<f64> =
            found.tried.iter().filter(|t| t.kept).map(|t| t.leave_one_out.unwrap()).collect();
        assert!(kept.windows(2).all(|pair| pair[0] < pair[1]), "{kept:?}");
        let best = found.tried.iter().filter_map(|t| t.leave_one_out).fold(f64::NEG_INFINITY, f64::max);
        assert_eq!(kept.last(), Some(&best));
        let changes = found.tried.iter().filter(|t| t.kept).filter_map(|t| t.change.as_ref());
        let settings = changes.fold(params.base.clone(), |settings, change| change.apply(&settings));
        assert_eq!(found.model.params(), &settings);
    }

    #[test]
    fn a_gain_out_of_reach_keeps_the_settings() {
        let data = dataset(16, 2, 2);
        let all: Vec<usize> = (0..16).collect();
        let params = SearchParams { least_gain: 1e9, ..search(&data) };
        let found = run(&params, &data, &all);
        assert_eq!(found.model.params(), &params.base);
        assert!(found.tried.iter().skip(1).all(|t| !t.kept));
    }

    #[test]
    fn targets_outside_the_training_part_change_nothing() {
        let data = dataset(24, 2, 3);
        let train: Vec<usize> = (0..16).collect();
        let mut shuffled = data.clone();
        let Targets::Classes { labels, .. } = &mut shuffled.targets else { panic!("classes") };
        labels[16..].reverse();
        labels[17] = 1 - labels[17];
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
