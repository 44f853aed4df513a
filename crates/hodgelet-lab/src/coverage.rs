//! `hodgelet-lab coverage`: intervals and probabilities of models of few graphs, against what they promise.

pub mod repeat;
pub mod row;
mod simulate;

use clap::Args;
use hodgelet::settings::Settings;
use hodgelet_cli::error::CommandError;
use hodgelet_cli::model_args::ModelArgs;
use hodgelet_cli::output::{self, Format, Report, table};
use hodgelet_cli::progress::Terminal;
use hodgelet_cli::source::DatasetArgs;
use hodgelet_eval::metrics::Summary;
use rayon::prelude::*;
use repeat::{MAX_TEST, Repeat};
use row::Row;
use serde::Serialize;

/// Nominal coverage of the intervals.
pub const LEVELS: [f64; 3] = [0.5, 0.9, 0.95];

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

#[derive(Debug, Serialize)]
struct Found {
    dataset: String,
    repeats: usize,
    levels: [f64; 3],
    rows: Vec<Row>,
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
                (Some(is_classes), _) => repeat::simulated(&settings, size, MAX_TEST, is_classes),
                (None, Some(dataset)) => repeat::real(&settings, dataset, size),
                (None, None) => unreachable!("a dataset that is not simulated was read"),
            }
        };
        let found: Vec<Result<Repeat, CommandError>> = (0..args.repeats).into_par_iter().map(one).collect();
        let found = found.into_iter().collect::<Result<Vec<_>, _>>()?;
        rows.push(Row::of(size, &found)?);
        if bar.at(((s + 1) * args.repeats) as u64).is_break() {
            return Err(hodgelet::model::ModelError::Cancelled.into());
        }
    }
    drop(bar);
    let found = Found { dataset: args.source.dataset.clone(), repeats: args.repeats, levels: LEVELS, rows };
    output::print(&found, args.format)
}

impl Report for Found {
    fn text(&self) -> String {
        let optional = |value: Option<f64>| value.map_or_else(String::new, |v| format!("{v:.3}"));
        let spread = |summary: &Summary, scale: f64, digits: usize| {
            with_error(scale * summary.mean, summary.standard_error.map(|e| scale * e), digits)
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

/// A number with its standard error, if it has one.
pub fn with_error(value: f64, error: Option<f64>, digits: usize) -> String {
    let error = error.map_or_else(String::new, |e| format!(" ± {e:.digits$}"));
    format!("{value:.digits$}{error}")
}
