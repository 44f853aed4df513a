//! What a model says of each graph, as a table and as JSON.

use super::super::regions::{Coverage, RegionOf};
use super::tally::Tally;
use crate::output::{Report, number, table};
use faer::Mat;
use hodgelet::dataset::Targets;
use hodgelet::model::{Drift, FittedTargets, Goal, Model, ModelError, PredictedTargets, Prediction, Regions};
use hodgelet_eval::metrics::root_mean_square;
use serde::{Serialize, Serializer};
use std::io::{self, Write};

/// Version of the JSON of predictions: since 2 probabilities are an object of classes.
pub const SCHEMA: u64 = 2;

/// What a model says of the graphs of a dataset.
#[derive(Debug, Serialize)]
pub struct Predictions {
    dataset: String,
    schema: u64,
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

/// What is said of each graph, as text.
#[derive(Debug, Default)]
pub struct Sheet {
    /// Names of the columns.
    pub header: Vec<String>,
    /// Names of the graphs.
    pub ids: Vec<String>,
    /// `[n_graphs][n_columns]`.
    pub rows: Vec<Vec<String>>,
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
    Class {
        class: String,
        truth: Option<String>,
        probability: f64,
        #[serde(serialize_with = "by_name")]
        probabilities: Vec<(String, f64)>,
    },
    Number {
        mean: f64,
        deviation: f64,
        truth: Option<f64>,
    },
}

/// Probabilities as an object, in the order of the classes.
fn by_name<S: Serializer>(probabilities: &[(String, f64)], to: S) -> Result<S::Ok, S::Error> {
    to.collect_map(probabilities.iter().map(|(name, p)| (name, p)))
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
        name: &str,
        targets: &Targets,
        ids: &[String],
        prediction: &Prediction,
    ) -> Result<Self, ModelError> {
        let training = model.training_distances()?;
        let graphs = prediction.novelty.len();
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
            outcome: outcome(model.targets(), targets, &prediction.targets, i),
            region: None,
            latent_mean: row(&prediction.latent_mean, i),
            latent_variance: row(&prediction.latent_variance, i),
            blocks: shares(i).collect(),
            novelty: novelty(i),
        };
        let predictions: Vec<Row> = (0..graphs).map(prediction_of).collect();
        let (accuracy, rmse) = scores(&predictions);
        Ok(Self {
            dataset: name.to_owned(),
            schema: SCHEMA,
            graphs,
            accuracy,
            rmse,
            threshold: training.threshold,
            block_thresholds: by_block(&training.block_thresholds),
            drift: None,
            coverage: None,
            predictions,
        })
    }

    /// The same with the truth where the only one of `goals` knows it.
    #[must_use]
    pub fn with_known(self, goals: &[Goal]) -> Self {
        match goals {
            [only] => self.with_truths(only),
            _ => self,
        }
    }

    /// The same with the truth where `goal` knows it.
    #[must_use]
    pub fn with_truths(mut self, goal: &Goal) -> Self {
        for (place, &graph) in goal.complexes.iter().enumerate() {
            let Some(row) = self.predictions.get_mut(graph) else { continue };
            match (&mut row.outcome, &goal.targets) {
                (Outcome::Class { truth, .. }, Targets::Classes { names, labels }) => {
                    *truth = names.get(labels[place] as usize).cloned();
                }
                (Outcome::Number { truth, .. }, targets) => *truth = number_of(targets, place),
                _ => {}
            }
        }
        (self.accuracy, self.rmse) = scores(&self.predictions);
        self
    }

    /// The same with a comparison of the graphs with the training graphs.
    #[must_use]
    pub fn with_drift(self, drift: Option<Drift>) -> Self {
        Self { drift, ..self }
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

impl Predictions {
    /// What is said of each graph, as columns of text: names, and a row for each graph.
    #[must_use]
    pub fn sheet(&self) -> Sheet {
        let mut header = vec!["predicted".to_owned()];
        let Some(first) = self.predictions.first() else { return Sheet::default() };
        match &first.outcome {
            Outcome::Class { probabilities, .. } => {
                header.extend(probabilities.iter().map(|(name, _)| format!("p({name})")));
            }
            Outcome::Number { .. } => header.push("std".to_owned()),
        }
        let region: &[&str] = match &first.region {
            None => &[],
            Some(RegionOf::Set(_)) => &["set"],
            Some(RegionOf::Interval(..)) => &["lower", "upper"],
        };
        header.extend(region.iter().chain(&["distance", "far"]).map(|&name| name.to_owned()));
        let rows = self.predictions.iter().map(Row::sheet_cells).collect();
        let ids = self.predictions.iter().map(|row| row.id.clone()).collect();
        Sheet { header, ids, rows }
    }

    /// One line of JSON for each graph.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn write_lines(&self, out: &mut impl Write) -> io::Result<()> {
        for row in &self.predictions {
            serde_json::to_writer(&mut *out, row)?;
            out.write_all(b"\n")?;
        }
        Ok(())
    }

    /// What the rows come to.
    #[must_use]
    pub fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        for row in &self.predictions {
            let (mut class, mut number) = (None, None);
            match &row.outcome {
                Outcome::Class { class: found, truth: Some(truth), .. } => class = Some(found == truth),
                Outcome::Number { mean, truth: Some(truth), .. } => number = Some(mean - truth),
                _ => {}
            }
            tally.add_graph(class, number, row.is_held(), row.novelty.is_far);
        }
        tally
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
            let truth = number_of(known, i);
            Outcome::Number { mean: densities[i].mean(), deviation: densities[i].variance().sqrt(), truth }
        }
        _ => unreachable!("a model predicts the kind of targets it was trained on"),
    }
}

/// The target of a graph as a number: whole numbers may have been read as classes.
fn number_of(targets: &Targets, i: usize) -> Option<f64> {
    match targets {
        Targets::Real(values) => values.get(i).copied(),
        Targets::Classes { names, labels } => names.get(*labels.get(i)? as usize)?.parse().ok(),
        Targets::None => None,
    }
}

fn scores(rows: &[Row]) -> (Option<f64>, Option<f64>) {
    let (mut right, mut classes, mut errors) = (0, 0, Vec::new());
    for row in rows {
        match &row.outcome {
            Outcome::Class { class, truth: Some(truth), .. } => {
                classes += 1;
                right += usize::from(class == truth);
            }
            Outcome::Number { mean, truth: Some(truth), .. } => {
                errors.push(mean - truth);
            }
            _ => {}
        }
    }
    let share = |n: usize, value: f64| (n > 0).then_some(value / n as f64);
    let rmse = (!errors.is_empty()).then(|| root_mean_square(errors.iter().copied(), errors.len()));
    (share(classes, right as f64), rmse)
}

impl Report for Predictions {
    fn text(&self) -> String {
        let Some(first) = self.predictions.first() else { return format!("{}  no graphs", self.dataset) };
        let blocks = first.blocks.iter().map(|share| share.block.as_str());
        let head = match &first.outcome {
            Outcome::Class { .. } => ["graph", "class", "probability"],
            Outcome::Number { .. } => ["graph", "mean", "std. dev."],
        };
        let known = self.predictions.iter().any(|row| match &row.outcome {
            Outcome::Class { truth, .. } => truth.is_some(),
            Outcome::Number { truth, .. } => truth.is_some(),
        });
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

/// The name of a class among others with semicolons between them.
fn in_set(name: &str) -> String {
    match name.contains([';', '"']) {
        true => format!("\"{}\"", name.replace('"', "\"\"")),
        false => name.to_owned(),
    }
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

    fn sheet_cells(&self) -> Vec<String> {
        let mut cells = match &self.outcome {
            Outcome::Class { class, probabilities, .. } => {
                let of_classes = probabilities.iter().map(|(_, p)| p.to_string());
                std::iter::once(class.clone()).chain(of_classes).collect()
            }
            Outcome::Number { mean, deviation, .. } => vec![mean.to_string(), deviation.to_string()],
        };
        match &self.region {
            None => {}
            Some(RegionOf::Set(names)) => {
                let quoted: Vec<String> = names.iter().map(|name| in_set(name)).collect();
                cells.push(quoted.join(";"));
            }
            Some(RegionOf::Interval(low, high)) => {
                cells.push(low.map_or_else(|| "-inf".to_owned(), |low| low.to_string()));
                cells.push(high.map_or_else(|| "inf".to_owned(), |high| high.to_string()));
            }
        }
        cells.push(self.novelty.distance.to_string());
        cells.push(self.novelty.is_far.to_string());
        cells
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
