//! `hodgelet predict`: classes or numbers for new graphs, with their uncertainty and the share of each block.

use super::model_info::load;
use super::regions::{Coverage, RegionOf};
use crate::error::CommandError;
use crate::output::{self, Format, Report, number, table};
use crate::progress::Terminal;
use crate::source::DatasetArgs;
use clap::Args;
use faer::Mat;
use hodgelet::dataset::{Dataset, Targets};
use hodgelet::model::{Drift, FittedTargets, Model, ModelError, PredictedTargets, Prediction, Regions};
use serde::Serialize;
use std::path::PathBuf;

/// Flags of `hodgelet predict`.
#[derive(Args, Debug)]
#[command(
    after_help = "The latent mean of a prediction is the exact sum of the shares of the blocks. With two classes it
is positive for the second; with more, the table shows the latent function of the predicted class.

With --coverage a model that was fitted with --conformal gives sets of classes and intervals that are
guaranteed for graphs exchangeable with its training graphs: 0.9 means 90% with split; with cv-plus
80% is proven, less a little where the parts are few and large, and about 90% is usual. Other models
give their own central intervals, and the fewest classes that reach the coverage, with no guarantee.
The output says which. Too few calibration graphs for a coverage give every class, or an infinite
interval (null in JSON), and a warning.

The distance of a graph is that to the nearest training graph, 0 for equal features and 1 for nothing in common. Graphs
marked * are farther from it, as a whole or in one block, than training graphs are from each other: of graphs like those,
about 1 in 100 is marked. With 5 graphs or more, drift is a test of whether they are like the training graphs as a whole;
its p-value is the share of random splits of both that differ as much. A small one says that the graphs differ, not that
predictions are wrong.

Examples:
  hodgelet predict sbm.hodgelet sbm --seed 1
  hodgelet predict sbm.hodgelet sbm --seed 1 --coverage 0.9
  hodgelet predict model.hodgelet new-graphs.jsonl --format json --out predictions.json"
)]
pub struct PredictArgs {
    /// File of the model
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    #[command(flatten)]
    source: DatasetArgs,
    /// Also print the set of classes, or the interval, that holds the target with this probability
    #[arg(long, value_name = "SHARE")]
    coverage: Option<f64>,
    /// How the result is printed
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Write the result to a file in place of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Predicts the graphs of a dataset.
///
/// # Errors
///
/// [`CommandError`].
pub fn run(args: &PredictArgs, terminal: Terminal) -> Result<(), CommandError> {
    let model = load(&args.model)?;
    let read = args.source.read(terminal)?;
    let bar = terminal.bar("graphs", Some(read.dataset.len() as u64));
    let (prediction, regions, drift) = match args.coverage {
        None => {
            let measured = model.space().measurer().measure(&read.dataset, |done| bar.at(done as u64))?;
            let measures: Vec<_> = measured.measures.iter().collect();
            let prediction = Prediction { unknown: measured.unknown, ..model.predict_measured(&measures)? };
            (prediction, None, model.drift_measured(&measures))
        }
        Some(coverage) => {
            check_coverage(coverage)?;
            let predicted = model.predict_calibrated(&read.dataset, |done| bar.at(done as u64))?;
            let regions = predicted.regions(coverage)?;
            let drift = predicted.drift();
            (predicted.prediction, Some(regions), drift)
        }
    };
    drop(bar);
    regions.iter().flat_map(|regions| &regions.notes).for_each(|note| terminal.warn(note));
    if prediction.unknown > 0 {
        let unknown = prediction.unknown;
        terminal.warn(&format!("{unknown} labels of cells are new to the model and were left out"));
    }
    let report = Predictions::new(&model, &read.dataset, &read.ids, &prediction)?
        .with_regions(&model, regions.as_ref());
    let report = Predictions { drift: compared(drift)?, ..report };
    let Some(path) = &args.out else { return output::print(&report, args.format) };
    let text = if args.format == Format::Json { output::json(&report)? } else { report.text() };
    output::write_atomic(path, |out| writeln!(out, "{text}"))
}

/// Whether a coverage is one, before the long part.
fn check_coverage(coverage: f64) -> Result<(), CommandError> {
    match coverage > 0.0 && coverage < 1.0 {
        true => Ok(()),
        false => Err(ModelError::Coverage { found: coverage }.into()),
    }
}

/// A comparison, where the sets are large enough for one.
fn compared(drift: Result<Drift, ModelError>) -> Result<Option<Drift>, ModelError> {
    match drift {
        Err(ModelError::TooFewToCompare { .. }) => Ok(None),
        other => other.map(Some),
    }
}

/// What a model says of the graphs of a dataset.
#[derive(Debug, Serialize)]
pub struct Predictions {
    dataset: String,
    graphs: usize,
    /// Share of right classes, or root mean squared error, where targets are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    accuracy: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rmse: Option<f64>,
    /// What sets and intervals rest on, where they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    coverage: Option<Coverage>,
    /// What distances must exceed for a graph to be called far.
    threshold: f64,
    block_thresholds: Vec<BlockDistance>,
    /// How the graphs compare with the training graphs as a whole, if there are enough.
    drift: Option<Drift>,
    predictions: Vec<Row>,
}

#[derive(Debug, Serialize)]
struct Row {
    id: String,
    #[serde(flatten)]
    outcome: Outcome,
    #[serde(flatten)]
    region: Option<RegionOf>,
    latent_mean: Vec<f64>,
    latent_variance: Vec<f64>,
    blocks: Vec<Share>,
    novelty: Novelty,
}

/// How far a graph is from the training graphs.
#[derive(Debug, Serialize)]
struct Novelty {
    variance_ratio: f64,
    distance: f64,
    /// Index of the nearest training graph.
    nearest: usize,
    blocks: Vec<BlockDistance>,
    far_block: String,
    is_far: bool,
}

#[derive(Debug, Serialize)]
struct BlockDistance {
    block: String,
    distance: f64,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Outcome {
    Class { class: String, truth: Option<String>, probability: f64, probabilities: Vec<(String, f64)> },
    Number { mean: f64, deviation: f64, truth: Option<f64> },
}

/// What one block, or the constant, adds to the latent means.
#[derive(Debug, Serialize)]
struct Share {
    block: String,
    latent_mean: Vec<f64>,
}

impl Predictions {
    /// Puts names to a prediction.
    ///
    /// # Errors
    ///
    /// [`ModelError`] does not occur for a sound model.
    pub fn new(
        model: &Model,
        dataset: &Dataset,
        ids: &[String],
        prediction: &Prediction,
    ) -> Result<Self, ModelError> {
        let training = model.training_distances()?;
        let by_block = |distances: &[f64]| -> Vec<BlockDistance> {
            let blocks = model.blocks().iter().zip(distances);
            blocks.map(|(b, &distance)| BlockDistance { block: b.block.to_string(), distance }).collect()
        };
        let novelty = |i: usize| {
            let novelty = &prediction.novelty[i];
            Novelty {
                variance_ratio: novelty.variance_ratio,
                distance: novelty.distance,
                nearest: novelty.nearest,
                blocks: by_block(&novelty.block_distances),
                far_block: novelty.far_block.to_string(),
                is_far: novelty.is_far,
            }
        };
        let shares = |i: usize| {
            let blocks = prediction.blocks.iter();
            let constant = prediction.constant.iter().map(|means| ("constant".to_owned(), means));
            let all = blocks.map(|(block, means)| (block.to_string(), means)).chain(constant);
            all.map(move |(block, means)| Share { block, latent_mean: row(means, i) })
        };
        let prediction_of = |i: usize| Row {
            id: ids.get(i).cloned().unwrap_or_else(|| i.to_string()),
            outcome: outcome(model.targets(), dataset.targets(), &prediction.targets, i),
            region: None,
            latent_mean: row(&prediction.latent_mean, i),
            latent_variance: row(&prediction.latent_variance, i),
            blocks: shares(i).collect(),
            novelty: novelty(i),
        };
        let predictions: Vec<Row> = (0..dataset.len()).map(prediction_of).collect();
        let (accuracy, rmse) = scores(&predictions);
        Ok(Self {
            dataset: dataset.name().to_owned(),
            graphs: dataset.len(),
            accuracy,
            rmse,
            threshold: training.threshold,
            block_thresholds: by_block(&training.block_thresholds),
            drift: None,
            coverage: None,
            predictions,
        })
    }

    /// The same with the regions of every graph.
    #[must_use]
    pub fn with_regions(mut self, model: &Model, regions: Option<&Regions>) -> Self {
        let Some(regions) = regions else { return self };
        for (i, row) in self.predictions.iter_mut().enumerate() {
            row.region = Some(RegionOf::new(regions, model.targets(), i));
        }
        let held: Vec<bool> = self.predictions.iter().filter_map(Row::is_held).collect();
        let mut coverage = Coverage::of(regions);
        let count = held.iter().filter(|held| **held).count() as f64;
        coverage.share_held = (!held.is_empty()).then(|| count / held.len() as f64);
        self.coverage = Some(coverage);
        self
    }
}

fn row(matrix: &Mat<f64>, i: usize) -> Vec<f64> {
    matrix.row(i).iter().copied().collect()
}

fn outcome(fitted: &FittedTargets, known: &Targets, predicted: &PredictedTargets, i: usize) -> Outcome {
    match (fitted, predicted) {
        (FittedTargets::Classes { names }, PredictedTargets::Classes { probabilities, labels }) => {
            let truth = match known {
                Targets::Classes { names, labels } => names.get(labels[i] as usize).cloned(),
                _ => None,
            };
            let class = labels[i] as usize;
            let named = names.iter().enumerate().map(|(c, name)| (name.clone(), probabilities[(i, c)]));
            Outcome::Class {
                class: names[class].clone(),
                truth,
                probability: probabilities[(i, class)],
                probabilities: named.collect(),
            }
        }
        (_, PredictedTargets::Real { densities }) => {
            let truth = if let Targets::Real(values) = known { values.get(i).copied() } else { None };
            Outcome::Number { mean: densities[i].mean(), deviation: densities[i].variance().sqrt(), truth }
        }
        _ => unreachable!("a model predicts the kind of targets it was trained on"),
    }
}

fn scores(rows: &[Row]) -> (Option<f64>, Option<f64>) {
    let (mut right, mut classes, mut squares, mut numbers) = (0, 0, 0.0, 0);
    for row in rows {
        match &row.outcome {
            Outcome::Class { class, truth: Some(truth), .. } => {
                classes += 1;
                right += usize::from(class == truth);
            }
            Outcome::Number { mean, truth: Some(truth), .. } => {
                numbers += 1;
                squares += (mean - truth).powi(2);
            }
            _ => {}
        }
    }
    let share = |n: usize, value: f64| (n > 0).then_some(value / n as f64);
    (share(classes, right as f64), share(numbers, squares).map(f64::sqrt))
}

impl Report for Predictions {
    fn text(&self) -> String {
        let Some(first) = self.predictions.first() else { return format!("{}  no graphs", self.dataset) };
        let blocks = first.blocks.iter().map(|share| share.block.as_str());
        let (head, known): (&[&str], bool) = match &first.outcome {
            Outcome::Class { truth, .. } => (&["graph", "class", "probability"], truth.is_some()),
            Outcome::Number { truth, .. } => (&["graph", "mean", "std. dev."], truth.is_some()),
        };
        let truth = known.then_some("truth");
        let latent = ["distance", "latent mean", "latent std. dev."];
        let region = self.coverage.as_ref().zip(first.region.as_ref());
        let region = region.map(|(coverage, region)| coverage.title(region));
        let region = region.as_deref();
        let header: Vec<&str> =
            head.iter().copied().chain(region).chain(truth).chain(latent).chain(blocks).collect();
        let numbers: Vec<usize> =
            (0..header.len()).filter(|&c| c != 1 && !(c == 3 && region.is_some())).collect();
        let rows = self.predictions.iter().map(|row| row.cells(known));
        let mut text = table(&header, &numbers, rows);
        let notes: Vec<String> =
            self.note_on_far().into_iter().chain(self.drift.as_ref().map(note_on_drift)).collect();
        if !notes.is_empty() {
            text += &format!("\n\n{}", notes.join("\n"));
        }
        if let Some(accuracy) = self.accuracy {
            text += &format!("\n\naccuracy  {:.2}%", 100.0 * accuracy);
        }
        if let Some(rmse) = self.rmse {
            text += &format!("\n\nRMSE  {}", number(rmse));
        }
        if let Some(coverage) = &self.coverage {
            text += &format!("\n\n{}", coverage.text());
        }
        text
    }
}

impl Predictions {
    /// How many graphs are far, and in which blocks.
    fn note_on_far(&self) -> Option<String> {
        let far: Vec<&Novelty> =
            self.predictions.iter().map(|row| &row.novelty).filter(|novelty| novelty.is_far).collect();
        let in_block = |threshold: &BlockDistance| {
            let count = far.iter().filter(|novelty| novelty.far_block == threshold.block).count();
            (count > 0)
                .then(|| format!("{} (above {}): {count}", threshold.block, number(threshold.distance)))
        };
        let blocks: Vec<String> = self.block_thresholds.iter().filter_map(in_block).collect();
        (!far.is_empty()).then(|| {
            format!(
                "* far from all training graphs: {} of {}, distance above {} or far in a block; farthest in {}",
                far.len(),
                self.graphs,
                number(self.threshold),
                blocks.join(", ")
            )
        })
    }
}

/// What the comparison with the training graphs says.
fn note_on_drift(drift: &Drift) -> String {
    let Drift { statistic, p_value, n_new, n_training, compared_new, compared_training, permutations } =
        drift;
    let drawn = |n: &usize, of: &usize| if n < of { format!("{n} of {of}") } else { of.to_string() };
    let (new, training) = (drawn(compared_new, n_new), drawn(compared_training, n_training));
    format!(
        "drift  MMD² {statistic:.4}, p = {p_value:.3}: the share of {permutations} random splits of these {new} and the \
         {training} training graphs that differ as much"
    )
}

impl Row {
    /// The latent function that the table shows.
    fn latent(&self) -> usize {
        match &self.outcome {
            Outcome::Class { class, probabilities, .. } if self.latent_mean.len() > 1 => {
                probabilities.iter().position(|(name, _)| name == class).unwrap_or(0)
            }
            _ => 0,
        }
    }

    /// Whether the region holds the target, if both are known.
    fn is_held(&self) -> Option<bool> {
        match (&self.region, &self.outcome) {
            (Some(region), Outcome::Class { truth: Some(truth), .. }) => Some(region.has_class(truth)),
            (Some(region), Outcome::Number { truth: Some(truth), .. }) => Some(region.has_number(*truth)),
            _ => None,
        }
    }

    fn cells(&self, known: bool) -> Vec<String> {
        let c = self.latent();
        let (first, second, truth) = match &self.outcome {
            Outcome::Class { class, probability, truth, .. } => {
                (class.clone(), format!("{probability:.3}"), truth.clone())
            }
            Outcome::Number { mean, deviation, truth } => {
                (number(*mean), number(*deviation), truth.map(number))
            }
        };
        let mut cells = vec![self.id.clone(), first, second];
        cells.extend(self.region.as_ref().map(RegionOf::text));
        cells.extend(known.then(|| truth.unwrap_or_default()));
        let mark = if self.novelty.is_far { "*" } else { " " };
        cells.push(format!("{:.3}{mark}", self.novelty.distance));
        cells.push(format!("{:+.3}", self.latent_mean[c]));
        cells.push(format!("{:.3}", self.latent_variance[c].sqrt()));
        cells.extend(self.blocks.iter().map(|share| format!("{:+.3}", share.latent_mean[c])));
        cells
    }
}
