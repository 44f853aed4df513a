//! What a report says, before it is drawn: predictions, scores with their uncertainty, what was learned, single graphs.

mod folds;
mod graphs;
mod learned;
mod model;
mod nearest;
mod scores;
mod several;

pub use graphs::{GraphView, attribution_of, component_panels, spectrum_of, vertex_names};
pub use learned::Learned;
pub use model::ContentError;
pub use nearest::nearest;
pub(crate) use scores::ended;
pub use scores::{Reliability, Score, wilson};
pub use several::{Known, drawn_of_each, of_models};

use crate::card::{Card, Fields};
use crate::chart::{Curve, Dot};
use hodgelet::dataset::{Dataset, Targets};
use hodgelet::measure::ComplexMeasures;
use hodgelet::model::{Drift, FittedTargets, Model, ModelError, PredictedTargets, Prediction};
use hodgelet_eval::audit::{Audit, Duplicates};
use hodgelet_eval::report::{Evaluation, FoldRun, Predictions};
use hodgelet_eval::splits::Split;
use serde::Serialize;

/// Where a report comes from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Origin {
    /// The command or call as it was given.
    pub command: String,
    /// Version of the program.
    pub version: String,
    /// The commit of the source tree, where it ran in one.
    pub commit: Option<String>,
    /// When, in UTC, and how long it took: the one line that differs between two equal runs.
    pub made: String,
}

/// What was said of one graph, beside the truth.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Case {
    /// Which graph of the dataset.
    pub graph: usize,
    /// The fold that it was tested in; none where one model predicted all.
    pub fold: Option<usize>,
    /// What is true, if it is known: a class or a number.
    pub truth: Option<f64>,
    /// What was predicted: a class or a number.
    pub predicted: f64,
    /// Probabilities of the classes; empty for numbers.
    pub probabilities: Vec<f64>,
    /// Standard deviation and 95% interval of a number.
    pub spread: Option<(f64, f64, f64)>,
}

impl Case {
    /// Probability of the predicted class; none for numbers.
    #[must_use]
    pub fn confidence(&self) -> Option<f64> {
        self.probabilities.get(self.predicted as usize).copied()
    }

    /// Whether the predicted class is another than the true one.
    #[must_use]
    pub fn is_wrong(&self) -> bool {
        !self.probabilities.is_empty() && self.truth.is_some_and(|truth| truth != self.predicted)
    }

    /// How badly it went: the probability of the wrong class, or the error in standard deviations.
    #[must_use]
    pub fn surprise(&self) -> f64 {
        match (self.confidence(), self.spread, self.truth) {
            (Some(confidence), _, Some(_)) if self.is_wrong() => confidence,
            (None, Some((deviation, ..)), Some(truth)) => {
                (truth - self.predicted).abs() / deviation.max(1e-300)
            }
            _ => 0.0,
        }
    }

    /// How unsure it is: 1 minus the probability, or the standard deviation.
    #[must_use]
    pub fn doubt(&self) -> f64 {
        self.confidence().map_or_else(|| self.spread.map_or(0.0, |s| s.0), |p| 1.0 - p)
    }
}

/// How the predictions came about.
#[derive(Clone, Debug, PartialEq)]
pub enum Protocol<'a> {
    /// By folds: the model of the report was trained on all graphs, the predictions come from models that had not seen them.
    Folds {
        /// Scores.
        evaluation: &'a Evaluation,
        /// Folds.
        splits: &'a [Split],
        /// What was predicted in each.
        runs: &'a [FoldRun],
        /// Graphs that training has seen.
        audit: Option<&'a Audit>,
    },
    /// One model predicted all graphs.
    Model {
        /// Scores; none where targets are not known.
        evaluation: Option<&'a Evaluation>,
        /// How the graphs compare with those trained on.
        drift: Option<&'a Drift>,
    },
}

/// What a report is made of.
#[derive(Debug)]
pub struct Sources<'a> {
    /// Where it comes from.
    pub origin: Origin,
    /// The graphs.
    pub dataset: &'a Dataset,
    /// Their names; empty for none.
    pub ids: &'a [String],
    /// The model that is described.
    pub model: &'a Model,
    /// What it says of all graphs.
    pub prediction: &'a Prediction,
    /// The spectra of all graphs.
    pub measures: &'a [ComplexMeasures],
    /// How the predictions came about.
    pub protocol: Protocol<'a>,
    /// Graphs that look alike.
    pub duplicates: Duplicates,
    /// What its makers say of the model.
    pub fields: Fields,
    /// Graphs that are drawn, at most.
    pub drawn: usize,
}

/// Graphs that a page of one report draws, at most.
pub const DRAWN: usize = 36;

/// Everything that a report shows, and its JSON.
#[derive(Debug, Serialize)]
pub struct Content {
    /// Where it comes from.
    pub origin: Origin,
    /// Name of the dataset.
    pub dataset: String,
    /// Graphs in it.
    pub graphs: usize,
    /// Names of the classes; empty for numbers.
    pub classes: Vec<String>,
    /// The answer, in two sentences.
    pub verdict: String,
    /// What was run, in names and values.
    pub run: Vec<(String, String)>,
    /// Scores with their uncertainty.
    pub scores: Vec<Score>,
    /// Head and rows of the scores of each fold.
    pub folds: (Vec<String>, Vec<Vec<String>>),
    /// Scores of each fold with their intervals: title, unit, value of all folds, folds.
    pub fold_scores: Vec<(String, String, f64, Vec<Dot>)>,
    /// Reliability, its error and floor, for classes.
    pub reliability: Option<Reliability>,
    /// Share kept and error left.
    pub risk: Vec<(f64, f64)>,
    /// What the error is.
    pub risk_name: String,
    /// Counts of true and predicted classes.
    pub confusion: Option<Vec<Vec<usize>>>,
    /// What the model learned.
    pub learned: Learned,
    /// One per graph, the most confident errors first.
    pub cases: Vec<Case>,
    /// Distance of each graph to what the model has seen, by graph, and whether it is far.
    pub distances: Vec<(f64, bool)>,
    /// Names of the graphs, by graph.
    pub names: Vec<String>,
    /// Leakage and duplicates, in names and values.
    pub leakage: Vec<(String, String)>,
    /// Drift, in names and values; empty where there are no new graphs.
    pub drift: Vec<(String, String)>,
    /// How far the nearest training graph is, of new and of training graphs: shares of graphs by distance.
    pub nearness: Vec<Curve>,
    /// The model card.
    pub card: Card,
    /// Single graphs that are drawn.
    #[serde(skip)]
    pub views: Vec<GraphView>,
    /// The page says that its waterfalls come from a model of all graphs.
    pub seen: bool,
}

impl Content {
    /// Puts together what a report says.
    ///
    /// # Errors
    ///
    /// [`ModelError`] when a graph cannot be measured as the model measures.
    pub fn of(sources: &Sources<'_>) -> Result<Self, ModelError> {
        let classes = match sources.model.targets() {
            FittedTargets::Classes { names } => names.clone(),
            _ => Vec::new(),
        };
        let mut cases = cases(sources, &classes);
        let far = |case: &Case| sources.prediction.novelty[case.graph].distance;
        let rank = |a: &Case, b: &Case| {
            let order = b.surprise().total_cmp(&a.surprise()).then(b.doubt().total_cmp(&a.doubt()));
            order.then(far(b).total_cmp(&far(a))).then(a.graph.cmp(&b.graph))
        };
        cases.sort_by(rank);
        let names = (0..sources.dataset.len())
            .map(|i| sources.ids.get(i).filter(|id| !id.is_empty()).cloned().unwrap_or_else(|| i.to_string()))
            .collect();
        let seen = matches!(sources.protocol, Protocol::Folds { .. });
        let views = graphs::views(sources, &cases, seen)?;
        let found = scores::Found::of(&sources.protocol, &cases, &classes, sources);
        let card = Card::of(sources.model, &sources.fields).with_first("Scores", &found.verdict);
        Ok(Self {
            dataset: sources.dataset.name().to_owned(),
            graphs: sources.dataset.len(),
            verdict: found.verdict,
            run: found.run,
            scores: found.scores,
            folds: found.folds,
            reliability: found.reliability,
            risk: found.risk,
            risk_name: found.risk_name,
            confusion: found.confusion,
            leakage: found.leakage,
            drift: found.drift,
            nearness: nearness(sources)?,
            fold_scores: folds::scores(&sources.protocol, &cases, &classes),
            card,
            learned: Learned::of(sources.model, sources.measures),
            distances: distances(sources, seen)?,
            origin: sources.origin.clone(),
            classes,
            cases,
            names,
            views,
            seen,
        })
    }
}

/// Distances to the nearest training graph and whether they are far; to the nearest other one, where the model has seen all.
fn distances(sources: &Sources<'_>, seen: bool) -> Result<Vec<(f64, bool)>, ModelError> {
    let novelty = sources.prediction.novelty.iter().map(|n| (n.distance, n.is_far)).collect();
    if !seen {
        return Ok(novelty);
    }
    let others = sources.model.training_distances()?;
    match others.distances.len() == sources.dataset.len() {
        true => Ok(others.distances.iter().map(|&d| (d, d > others.threshold)).collect()),
        false => Ok(novelty),
    }
}

/// Steps of a curve of shares.
const STEPS: usize = 200;

/// How far new graphs are from those trained on, and these from each other; nothing where there are no new ones.
fn nearness(sources: &Sources<'_>) -> Result<Vec<Curve>, ModelError> {
    if matches!(sources.protocol, Protocol::Folds { .. }) || sources.dataset.is_empty() {
        return Ok(Vec::new());
    }
    let curve = |name: &str, mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        let n = values.len();
        let step = n.div_ceil(STEPS).max(1);
        let at = (1..=n).filter(|&k| k == n || k % step == 0);
        let points = at.map(|k| (values[k - 1], k as f64 / n as f64)).collect();
        Curve { name: name.to_owned(), points, errors: Vec::new() }
    };
    let new = sources.prediction.novelty.iter().map(|novelty| novelty.distance).collect();
    let training = sources.model.training_distances()?.distances.clone();
    Ok(vec![curve("these graphs", new), curve("training graphs, to the nearest other", training)])
}

/// What was said of each graph: in its fold of the first repeat, or by the model.
fn cases(sources: &Sources<'_>, classes: &[String]) -> Vec<Case> {
    match &sources.protocol {
        Protocol::Folds { splits, runs, .. } => {
            let first = splits.iter().zip(*runs).filter(|(split, _)| split.repeat == 0);
            first.flat_map(|(split, run)| of_run(split, run, classes.len())).collect()
        }
        Protocol::Model { .. } => of_model(sources.prediction, sources.dataset, classes),
    }
}

fn of_run(split: &Split, run: &FoldRun, n_classes: usize) -> Vec<Case> {
    let fold = Some(split.fold);
    let case = |(place, &graph): (usize, &usize)| match &run.predictions {
        Predictions::Classes { probabilities, labels } => {
            let row = &probabilities[place * n_classes..(place + 1) * n_classes];
            of_classes(graph, fold, Some(f64::from(labels[place])), row.to_vec())
        }
        Predictions::Real { densities, truth } => {
            let (low, high) = densities[place].interval(0.95);
            Case {
                graph,
                fold,
                truth: Some(truth[place]),
                predicted: densities[place].mean(),
                probabilities: Vec::new(),
                spread: Some((densities[place].variance().sqrt(), low, high)),
            }
        }
    };
    split.test.iter().enumerate().map(case).collect()
}

fn of_model(prediction: &Prediction, dataset: &Dataset, classes: &[String]) -> Vec<Case> {
    let truth = |i: usize| match dataset.targets() {
        Targets::None => None,
        Targets::Real(values) => Some(values[i]),
        // Classes of the data may have another order than those of the model.
        Targets::Classes { names, labels } => {
            let name = &names[labels[i] as usize];
            classes.iter().position(|class| class == name).map(|place| place as f64)
        }
    };
    match &prediction.targets {
        PredictedTargets::Classes { probabilities, .. } => (0..dataset.len())
            .map(|i| {
                let row = (0..probabilities.ncols()).map(|c| probabilities[(i, c)]).collect();
                of_classes(i, None, truth(i), row)
            })
            .collect(),
        PredictedTargets::Real { densities } => densities
            .iter()
            .enumerate()
            .map(|(i, density)| {
                let (low, high) = density.interval(0.95);
                Case {
                    graph: i,
                    fold: None,
                    truth: truth(i),
                    predicted: density.mean(),
                    probabilities: Vec::new(),
                    spread: Some((density.variance().sqrt(), low, high)),
                }
            })
            .collect(),
    }
}

/// What a model said of each graph of a dataset.
#[must_use]
pub fn predicted_cases(model: &Model, prediction: &Prediction, dataset: &Dataset) -> Vec<Case> {
    let classes: &[String] = match model.targets() {
        FittedTargets::Classes { names } => names,
        _ => &[],
    };
    of_model(prediction, dataset, classes)
}

/// The reliability of predicted classes; none where no truth is known.
#[must_use]
pub fn reliability_of(cases: &[Case]) -> Option<Reliability> {
    let known: Vec<&Case> =
        cases.iter().filter(|case| case.truth.is_some() && !case.probabilities.is_empty()).collect();
    (!known.is_empty()).then(|| scores::reliability(&known))
}

fn of_classes(graph: usize, fold: Option<usize>, truth: Option<f64>, probabilities: Vec<f64>) -> Case {
    let best = (0..probabilities.len())
        .fold(0, |best, c| if probabilities[c] > probabilities[best] { c } else { best });
    Case { graph, fold, truth, predicted: best as f64, probabilities, spread: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confident_errors_surprise_most() {
        let case = |truth, p: f64| of_classes(0, None, truth, vec![p, 1.0 - p]);
        assert!(case(Some(1.0), 0.9).surprise() > case(Some(1.0), 0.6).surprise());
        assert_eq!(case(Some(0.0), 0.9).surprise(), 0.0);
        assert!(!case(None, 0.9).is_wrong());
        let number = Case {
            truth: Some(3.0),
            predicted: 1.0,
            probabilities: vec![],
            spread: Some((0.5, 0.0, 2.0)),
            graph: 0,
            fold: None,
        };
        assert_eq!((number.surprise(), number.doubt(), number.is_wrong()), (4.0, 0.5, false));
    }
}
