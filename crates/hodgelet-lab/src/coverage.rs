//! `hodgelet-lab coverage`: intervals and probabilities of models of few graphs, against what they promise.

mod simulate;

use clap::Args;
use hodgelet::dataset::{Dataset, Targets};
use hodgelet::likelihood::Mixture;
use hodgelet::model::PredictedTargets;
use hodgelet::settings::Settings;
use hodgelet_cli::error::CommandError;
use hodgelet_cli::model_args::ModelArgs;
use hodgelet_cli::output::{self, Format, Report, table};
use hodgelet_cli::progress::Terminal;
use hodgelet_cli::source::DatasetArgs;
use hodgelet_eval::metrics::{N_BINS, Summary, calibration, calibration_slope, coverage, density_nll, nll};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde::Serialize;
use simulate::{Oracle, Simulated};
use std::ops::ControlFlow;

/// Nominal coverage of the intervals.
const LEVELS: [f64; 3] = [0.5, 0.9, 0.95];

/// Draws of labels from the probabilities, for the floor of the calibration error.
const FLOOR_DRAWS: usize = 50;

/// Graphs that are predicted in each repeat, at most.
const MAX_TEST: usize = 200;

/// Flags of `hodgelet-lab coverage`.
#[derive(Args, Debug)]
#[command(
    after_help = "Two names are simulations: `simulated` draws numbers, and `simulated-classes` two classes, from a
Gaussian process on the features of random graphs, with hyperparameters that are not drawn from the
priors of the model; an oracle that knows them stands beside. Of any other dataset, random training
parts of each size are drawn and the others predicted. With --conformal, the columns to the right are
what conformal sets and intervals hold.

Examples:
  hodgelet-lab coverage simulated --sizes 25,50,100,200 --repeats 200
  hodgelet-lab coverage FreeSolv --data-dir DATA --sizes 60,150"
)]
pub struct CoverageArgs {
    #[command(flatten)]
    source: DatasetArgs,
    #[command(flatten)]
    model: ModelArgs,
    /// Numbers of training graphs
    #[arg(
        long,
        value_name = "N,...",
        value_delimiter = ',',
        default_value = "25,50,100,200",
        help_heading = "Protocol"
    )]
    sizes: Vec<usize>,
    /// Draws for each size
    #[arg(long, value_name = "N", default_value_t = 20, help_heading = "Protocol")]
    repeats: usize,
    /// How the result is printed
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    format: Format,
}

/// What was found for one number of training graphs.
#[derive(Debug, Serialize)]
struct Row {
    train: usize,
    predictions: usize,
    /// Negative log likelihood per prediction, over the repeats.
    nll: Summary,
    /// The same of the oracle, where there is one.
    oracle_nll: Option<f64>,
    /// Of the base rate of the training graphs; for classes.
    base_rate_nll: Option<f64>,
    /// Share of targets in the intervals of [`LEVELS`]; for numbers.
    coverage: Vec<Summary>,
    /// Calibration slope of all predictions together; for two classes.
    slope: Option<f64>,
    /// Expected calibration error of all predictions together; for classes.
    ece: Option<f64>,
    /// What it would be if labels were drawn from the probabilities.
    ece_floor: Option<f64>,
    /// Share of targets in the conformal regions of [`LEVELS`]; with `--conformal`.
    conformal: Vec<Summary>,
}

#[derive(Debug, Serialize)]
struct Found {
    dataset: String,
    repeats: usize,
    levels: [f64; 3],
    rows: Vec<Row>,
}

/// Predictions of one repeat, and the shares of targets that conformal regions hold.
struct Repeat {
    predicted: Predicted,
    conformal: Vec<f64>,
}

enum Predicted {
    Real { densities: Vec<Mixture>, truth: Vec<f64>, oracle: Option<f64> },
    Classes { rows: Vec<f64>, n_classes: usize, labels: Vec<u32>, base_rate: f64, oracle: Option<f64> },
}

/// Measures coverage and calibration.
///
/// # Errors
///
/// [`CommandError`].
pub fn run(args: &CoverageArgs, terminal: Terminal) -> Result<(), CommandError> {
    let simulated = match args.source.dataset.as_str() {
        "simulated" => Some(false),
        "simulated-classes" => Some(true),
        _ => None,
    };
    let dataset = if simulated.is_some() { None } else { Some(args.source.read(terminal)?.dataset) };
    let settings = args.model.given_settings(args.source.seed)?;
    let bar = terminal.bar("repeats", Some((args.sizes.len() * args.repeats) as u64));
    let mut rows = Vec::new();
    for (s, &size) in args.sizes.iter().enumerate() {
        let one = |repeat: usize| {
            let seed = settings.seed.wrapping_add(1 + repeat as u64);
            let settings = Settings { seed, ..settings.clone() };
            match (simulated, &dataset) {
                (Some(is_classes), _) => simulated_repeat(&settings, size, is_classes),
                (None, Some(dataset)) => real_repeat(&settings, dataset, size),
                (None, None) => unreachable!("a dataset that is not simulated was read"),
            }
        };
        let found: Vec<Result<Repeat, CommandError>> = (0..args.repeats).into_par_iter().map(one).collect();
        let found = found.into_iter().collect::<Result<Vec<_>, _>>()?;
        rows.push(row(size, &found)?);
        if bar.at(((s + 1) * args.repeats) as u64).is_break() {
            return Err(hodgelet::model::ModelError::Cancelled.into());
        }
    }
    drop(bar);
    let found = Found { dataset: args.source.dataset.clone(), repeats: args.repeats, levels: LEVELS, rows };
    output::print(&found, args.format)
}

fn simulated_repeat(settings: &Settings, size: usize, is_classes: bool) -> Result<Repeat, CommandError> {
    let drawn = draw(size, is_classes, settings.seed)?;
    let (train, test): (Vec<usize>, Vec<usize>) = (0..drawn.dataset.len()).partition(|&i| i < size);
    let oracle = drawn.oracle(&train, &test)?;
    let mut repeat = predicted(settings, &drawn.dataset, &train, &test)?;
    match (&mut repeat.predicted, oracle) {
        (Predicted::Real { truth, oracle, .. }, Oracle::Real { mean, variance }) => {
            let densities: Vec<Mixture> =
                mean.into_iter().zip(variance).map(|(m, v)| Mixture::normal(m, v)).collect();
            *oracle = Some(density_nll(&densities, truth).map_err(scored)?);
        }
        (Predicted::Classes { labels, oracle, .. }, Oracle::Classes { probabilities }) => {
            let rows: Vec<f64> = probabilities.iter().flat_map(|&p| [1.0 - p, p]).collect();
            *oracle = Some(nll(&rows, 2, labels).map_err(scored)?);
        }
        _ => unreachable!("the oracle predicts the targets that were drawn"),
    }
    Ok(repeat)
}

/// A simulation whose training part has something to learn: one of a single class is drawn again.
fn draw(size: usize, is_classes: bool, seed: u64) -> Result<Simulated, CommandError> {
    let mut again = seed;
    loop {
        let drawn = Simulated::draw(size + MAX_TEST, is_classes, again)?;
        match drawn.dataset.targets() {
            Targets::Classes { labels, .. }
                if size > 1 && labels[1..size].iter().all(|l| *l == labels[0]) =>
            {
                again = again.wrapping_add(1 << 40);
            }
            _ => return Ok(drawn),
        }
    }
}

fn real_repeat(settings: &Settings, dataset: &Dataset, size: usize) -> Result<Repeat, CommandError> {
    let mut order: Vec<usize> = (0..dataset.len()).collect();
    order.shuffle(&mut ChaCha8Rng::seed_from_u64(settings.seed));
    if size + 2 > order.len() {
        let message = format!("--sizes {size}, but there are {} graphs", order.len());
        return Err(CommandError::usage(message, Some("leave some to predict")));
    }
    let (train, test) = order.split_at(size);
    predicted(settings, dataset, train, &test[..test.len().min(MAX_TEST)])
}

fn predicted(
    settings: &Settings,
    dataset: &Dataset,
    train: &[usize],
    test: &[usize],
) -> Result<Repeat, CommandError> {
    let model = settings.fit(dataset, train)?;
    let calibrated = model.predict_calibrated(&dataset.select(test), |_| ControlFlow::Continue(()))?;
    let (targets, known) = (dataset.targets().select(test), dataset.targets().select(train));
    let mut conformal = Vec::new();
    if settings.conformal.is_some() {
        for level in LEVELS {
            conformal.extend(calibrated.regions(level)?.targets.share_held(&targets));
        }
    }
    let predicted = match (calibrated.prediction.targets, targets, known) {
        (PredictedTargets::Real { densities }, Targets::Real(truth), _) => {
            Predicted::Real { densities, truth, oracle: None }
        }
        (
            PredictedTargets::Classes { probabilities, .. },
            Targets::Classes { names, labels },
            Targets::Classes { labels: known, .. },
        ) => {
            let n_classes = names.len();
            let rows = (0..labels.len()).flat_map(|i| (0..n_classes).map(move |c| (i, c)));
            // With one more graph of each class, so that no class is impossible.
            let share = |c: u32| {
                let count = known.iter().filter(|&&label| label == c).count() as f64;
                (count + 1.0) / (known.len() + n_classes) as f64
            };
            let base_rate = -labels.iter().map(|&c| share(c).ln()).sum::<f64>() / labels.len() as f64;
            let rows = rows.map(|at| probabilities[at]).collect();
            Predicted::Classes { rows, n_classes, labels, base_rate, oracle: None }
        }
        _ => unreachable!("a model predicts the kind of targets it was trained on"),
    };
    Ok(Repeat { predicted, conformal })
}

fn scored(error: hodgelet_eval::metrics::MetricError) -> CommandError {
    CommandError::usage(error.to_string(), None)
}

fn row(train: usize, repeats: &[Repeat]) -> Result<Row, CommandError> {
    let (mut predictions, mut losses, mut oracles, mut base_rates) = (0, vec![], vec![], vec![]);
    let mut shares = [const { Vec::new() }; LEVELS.len()];
    let (mut binary, mut binary_labels) = (Vec::new(), Vec::new());
    let (mut all, mut all_labels, mut classes) = (Vec::new(), Vec::new(), 0);
    for repeat in repeats {
        match &repeat.predicted {
            Predicted::Real { densities, truth, oracle } => {
                predictions += truth.len();
                losses.push(density_nll(densities, truth).map_err(scored)?);
                oracles.extend(oracle);
                for (level, shares) in LEVELS.into_iter().zip(&mut shares) {
                    shares.push(coverage(densities, truth, level).map_err(scored)?);
                }
            }
            Predicted::Classes { rows, n_classes, labels, base_rate, oracle } => {
                predictions += labels.len();
                losses.push(nll(rows, *n_classes, labels).map_err(scored)?);
                oracles.extend(oracle);
                base_rates.push(*base_rate);
                all.extend_from_slice(rows);
                all_labels.extend_from_slice(labels);
                classes = *n_classes;
                if *n_classes == 2 {
                    binary.extend(rows.iter().skip(1).step_by(2));
                    binary_labels.extend(labels);
                }
            }
        }
    }
    let mean =
        |values: &[f64]| (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64);
    let held = (0..LEVELS.len()).filter_map(|l| {
        let shares: Vec<f64> = repeats.iter().filter_map(|repeat| repeat.conformal.get(l).copied()).collect();
        (!shares.is_empty()).then(|| Summary::of(&shares))
    });
    let covered = shares.iter().filter(|shares| !shares.is_empty()).map(|shares| Summary::of(shares));
    let error = |labels: &[u32]| Ok(calibration(&all, classes, labels, N_BINS).map_err(scored)?.ece);
    let (ece, ece_floor) = match classes {
        0 => (None, None),
        _ => (Some(error(&all_labels)?), Some(floor(&all, classes, error)?)),
    };
    Ok(Row {
        train,
        predictions,
        nll: Summary::of(&losses).map_err(scored)?,
        oracle_nll: mean(&oracles),
        base_rate_nll: mean(&base_rates),
        coverage: covered.collect::<Result<_, _>>().map_err(scored)?,
        slope: if binary.is_empty() {
            None
        } else {
            calibration_slope(&binary, &binary_labels).map_err(scored)?
        },
        ece,
        ece_floor,
        conformal: held.collect::<Result<_, _>>().map_err(scored)?,
    })
}

/// The mean error of labels that are drawn from the probabilities: what is left under perfect calibration.
fn floor(
    rows: &[f64],
    n_classes: usize,
    error: impl Fn(&[u32]) -> Result<f64, CommandError>,
) -> Result<f64, CommandError> {
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let mut total = 0.0;
    for _ in 0..FLOOR_DRAWS {
        let draw = |row: &[f64]| {
            let mut left: f64 = rng.random();
            let class = row.iter().position(|p| {
                left -= p;
                left < 0.0
            });
            class.unwrap_or(n_classes - 1) as u32
        };
        total += error(&rows.chunks(n_classes).map(draw).collect::<Vec<u32>>())?;
    }
    Ok(total / FLOOR_DRAWS as f64)
}

impl Report for Found {
    fn text(&self) -> String {
        let optional = |value: Option<f64>| value.map_or_else(String::new, |v| format!("{v:.3}"));
        let spread = |summary: &Summary, scale: f64, digits: usize| {
            let error =
                summary.standard_error.map_or_else(String::new, |e| format!(" ± {:.digits$}", scale * e));
            format!("{:.digits$}{error}", scale * summary.mean)
        };
        let cells = |row: &Row| {
            let mut cells =
                vec![row.train.to_string(), row.predictions.to_string(), spread(&row.nll, 1.0, 3)];
            cells.extend([optional(row.oracle_nll), optional(row.base_rate_nll), optional(row.slope)]);
            cells.extend([optional(row.ece), optional(row.ece_floor)]);
            cells.extend(
                (0..LEVELS.len())
                    .map(|l| row.coverage.get(l).map_or_else(String::new, |c| spread(c, 100.0, 1))),
            );
            cells.extend(row.conformal.iter().map(|c| spread(c, 100.0, 1)));
            cells
        };
        let levels = LEVELS.map(|level| format!("{:.0}% holds", 100.0 * level));
        let mut header =
            vec!["train", "predicted", "NLL ± se", "oracle", "base rate", "slope", "ECE", "its floor"];
        header.extend(levels.iter().map(String::as_str));
        let conformal = LEVELS.map(|level| format!("conformal {:.0}%", 100.0 * level));
        let has_conformal = self.rows.iter().any(|row| !row.conformal.is_empty());
        header.extend(conformal.iter().filter(|_| has_conformal).map(String::as_str));
        let numbers: Vec<usize> = (0..header.len()).collect();
        let title = format!("{}, {} repeats", self.dataset, self.repeats);
        format!("{title}\n\n{}", table(&header, &numbers, self.rows.iter().map(cells)))
    }
}
