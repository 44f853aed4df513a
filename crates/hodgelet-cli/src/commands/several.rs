//! Several targets at once: `fit`, `predict`, `evaluate` and `info` where --target names more than one.

use super::evaluate::{Items, evaluation_of, watch_folds};
use super::fit::watch;
use super::model_info::{ModelInfo, describe_model};
use super::predict::sheet::Sheet;
use super::predict::{Found, Predictions};
use super::report::{Page, write_several};
use crate::error::CommandError;
use crate::output::{Report, facts, number, table};
use crate::progress::Terminal;
use hodgelet::dataset::{Dataset, Targets};
use hodgelet::model::{FittedTargets, Measured, Measurer, Models};
use hodgelet::settings::Settings;
use hodgelet_data::Read;
use hodgelet_eval::cross_validate::cross_validate_several;
use hodgelet_eval::metrics::Summary;
use hodgelet_eval::report::{Evaluation, FoldRun, Results};
use hodgelet_eval::splits::Split;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Loads the models of several targets, if the file holds such.
///
/// # Errors
///
/// [`CommandError::ModelFile`] names the file and what is wrong with it.
pub fn load(path: &Path) -> Result<Option<Models>, CommandError> {
    let mut head = Vec::new();
    let read = std::fs::File::open(path)
        .and_then(|file| std::io::Read::read_to_end(&mut std::io::Read::take(file, 64), &mut head));
    if read.is_err() || !Models::are_several(&head) {
        return Ok(None); // what is wrong with it is said where one model is wanted
    }
    let failed = |source| CommandError::ModelFile { path: path.to_owned(), source };
    Models::load(path).map(Some).map_err(failed)
}

/// Trains models for all targets of a dataset.
///
/// # Errors
///
/// [`CommandError`].
pub fn fit(read: &Read, settings: &Settings, terminal: Terminal) -> Result<Models, CommandError> {
    let dataset = &read.dataset;
    let all: Vec<usize> = (0..dataset.len()).collect();
    let measurer = Measurer::fit(settings, dataset, &all)?;
    let measured = measure(&measurer, dataset, terminal)?;
    Ok(settings.fit_several(&measurer, &measured, &read.goals, watch(settings, terminal))?)
}

/// The spectra of a dataset, with progress.
///
/// # Errors
///
/// [`CommandError`].
pub fn measure(measurer: &Measurer, dataset: &Dataset, terminal: Terminal) -> Result<Measured, CommandError> {
    let bar = terminal.bar("graphs", Some(dataset.len() as u64));
    Ok(measurer.measure(dataset, |done| bar.at(done as u64))?)
}

/// Models of several targets, described.
#[derive(Debug, Serialize)]
pub struct ModelsInfo {
    targets: Vec<TargetInfo>,
    #[serde(skip_serializing_if = "Option::is_none")]
    out: Option<PathBuf>,
}

#[derive(Debug, Serialize)]
struct TargetInfo {
    target: String,
    #[serde(flatten)]
    model: ModelInfo,
}

impl ModelsInfo {
    /// Describes models, and says where they were written to.
    #[must_use]
    pub fn new(models: &Models, out: Option<&Path>) -> Self {
        let of = |(name, model)| TargetInfo { target: String::from(name), model: describe_model(model) };
        Self { targets: models.iter().map(of).collect(), out: out.map(Path::to_owned) }
    }
}

impl Report for ModelsInfo {
    fn text(&self) -> String {
        let cells = |info: &TargetInfo| {
            let predicts = match info.model.targets() {
                FittedTargets::Classes { names } => format!("classes {}", names.join(", ")),
                FittedTargets::Real { mean, deviation } => {
                    format!("numbers around {} ± {}", number(*mean), number(*deviation))
                }
            };
            let loo = info.model.leave_one_out().map_or_else(String::new, |nats| format!("{nats:.4}"));
            vec![info.target.clone(), predicts, info.model.training().n_train.to_string(), loo]
        };
        let header = ["target", "predicts", "graphs", "leave-one-out, nats"];
        let mut text = table(&header, &[2, 3], self.targets.iter().map(cells));
        text += "\n\nfilters and kernels are shared; each target has a posterior of its own";
        if let Some(out) = &self.out {
            text += &format!("\n\nwritten to  {}", out.display());
        }
        text
    }
}

/// What several models say of the graphs of a dataset.
#[derive(Debug, Serialize)]
pub struct SeveralPredictions {
    targets: Vec<TargetPredictions>,
}

#[derive(Debug, Serialize)]
struct TargetPredictions {
    target: String,
    #[serde(flatten)]
    predictions: Predictions,
}

impl SeveralPredictions {
    /// Predicts all targets of a dataset, from one measurement; where its graphs `are_all` there are, drift is looked for.
    ///
    /// # Errors
    ///
    /// [`CommandError`].
    pub fn new(
        models: &Models,
        read: &Read,
        coverage: Option<f64>,
        are_all: bool,
        terminal: Terminal,
    ) -> Result<Self, CommandError> {
        let Read { dataset, ids, goals, .. } = read;
        let measured = measure(models.measurer(), dataset, terminal)?;
        let mut targets = Vec::new();
        for (name, model) in models.iter() {
            let Found { prediction, regions, drift } = match are_all {
                true => Found::of_measured(model, measured.clone(), coverage)?,
                false => Found::of_measured_part(model, &measured, coverage)?,
            };
            let mut predictions = Predictions::new(model, dataset.name(), &Targets::None, ids, &prediction)?;
            if let Some(goal) = goals.iter().find(|goal| goal.name == name) {
                predictions = predictions.with_truths(goal);
            }
            let predictions = predictions.with_regions(model, regions.as_ref()).with_drift(drift);
            targets.push(TargetPredictions { target: name.to_owned(), predictions });
        }
        Ok(Self { targets })
    }

    /// What is said of each graph, as columns of text: those of each target, with its name before them.
    #[must_use]
    pub fn sheet(&self) -> Sheet {
        let mut all = Sheet::default();
        for TargetPredictions { target, predictions } in &self.targets {
            let sheet = predictions.sheet();
            all.header.extend(sheet.header.iter().map(|name| format!("{target}: {name}")));
            all.rows.resize(sheet.rows.len(), Vec::new());
            all.rows.iter_mut().zip(sheet.rows).for_each(|(row, cells)| row.extend(cells));
            all.ids = sheet.ids;
        }
        all
    }
}

impl Report for SeveralPredictions {
    fn text(&self) -> String {
        let part = |of: &TargetPredictions| format!("{}\n\n{}", of.target, of.predictions.text());
        self.targets.iter().map(part).collect::<Vec<_>>().join("\n\n")
    }
}

/// The evaluation of several targets that are trained together.
#[derive(Debug, Serialize)]
pub struct SeveralEvaluations {
    dataset: String,
    model: String,
    graphs: usize,
    targets: Vec<TargetEvaluation>,
    #[serde(skip)]
    runs: Vec<Vec<FoldRun>>,
}

#[derive(Debug, Serialize)]
struct TargetEvaluation {
    target: String,
    #[serde(flatten)]
    evaluation: Evaluation,
}

impl SeveralEvaluations {
    /// Cross-validates all targets of a dataset.
    ///
    /// # Errors
    ///
    /// [`CommandError`].
    pub fn new(
        read: &Read,
        settings: &Settings,
        splits: &[Split],
        terminal: Terminal,
    ) -> Result<Self, CommandError> {
        let (dataset, goals) = (&read.dataset, &read.goals);
        let bar = terminal.bar("folds", Some(splits.len() as u64));
        let watch = watch_folds(&bar, splits.len(), terminal);
        let runs = cross_validate_several(dataset, goals, settings, splits, watch)?;
        drop(bar);
        let model = settings.method.title();
        let mut targets = Vec::new();
        for (goal, runs) in goals.iter().zip(&runs) {
            let items = Items { name: dataset.name(), graphs: goal.complexes.len(), targets: &goal.targets };
            let evaluation = evaluation_of(items, model, settings, runs)?;
            targets.push(TargetEvaluation { target: goal.name.clone(), evaluation });
        }
        let (dataset, graphs) = (dataset.name().to_owned(), dataset.len());
        Ok(Self { dataset, model: model.to_owned(), graphs, targets, runs })
    }

    /// The folds of each target.
    #[must_use]
    pub fn runs(&self) -> &[Vec<FoldRun>] {
        &self.runs
    }

    /// Writes the report of the evaluation, for which models of all graphs are trained.
    ///
    /// # Errors
    ///
    /// [`CommandError`].
    pub fn write(
        &self,
        page: Page<'_>,
        read: &Read,
        settings: &Settings,
        splits: &[Split],
        (began, terminal): (Instant, Terminal),
    ) -> Result<(), CommandError> {
        let models = fit(read, settings, terminal)?;
        let each = self.targets.iter().zip(&self.runs);
        let targets: Vec<_> =
            read.goals.iter().zip(each).map(|(goal, (of, runs))| (goal, &of.evaluation, &runs[..])).collect();
        let data = (&read.dataset, &read.ids[..]);
        write_several(page, data, splits, &targets, &models, (began, terminal))
    }
}

impl Report for SeveralEvaluations {
    fn text(&self) -> String {
        let what = [
            ("dataset", self.dataset.clone()),
            ("model", self.model.clone()),
            ("graphs", self.graphs.to_string()),
        ];
        let cells = |of: &TargetEvaluation| {
            let (scores, nll) = match &of.evaluation.results {
                Results::Classes(scores) => {
                    let auc = scores.roc_auc.as_ref().map_or_else(String::new, |auc| spread(auc, 1.0));
                    ([spread(&scores.accuracy, 100.0), auc, String::new()], &scores.nll)
                }
                Results::Real(scores) => {
                    ([String::new(), String::new(), spread(&scores.rmse, 1.0)], &scores.nll)
                }
            };
            let known = of.evaluation.subject.graphs.to_string();
            let first = [of.target.clone(), known];
            first.into_iter().chain(scores).chain([spread(nll, 1.0)]).collect()
        };
        let header = ["target", "known", "accuracy, %", "ROC AUC", "RMSE", "NLL"];
        let rows = table(&header, &[1, 2, 3, 4, 5], self.targets.iter().map(cells));
        let note = "mean ± standard deviation over the folds in which a target is known";
        format!("{}\n\n{rows}\n\n{note}", facts(&what))
    }
}

fn spread(summary: &Summary, scale: f64) -> String {
    format!("{} ± {}", number(scale * summary.mean), number(scale * summary.std))
}
