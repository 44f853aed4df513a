//! `hodgelet-lab honest`: the whole protocol of calibration, row by row, beside what must hold.

mod cells;
mod check;
mod picture;
mod plan;
mod seeds;

use crate::coverage::row::Row;
use crate::coverage::{LEVELS, with_error};
use check::Checked;
use clap::Args;
use hodgelet::output::{Kind, Output};
use hodgelet_cli::error::CommandError;
use hodgelet_cli::model_args::ModelArgs;
use hodgelet_cli::output::{self, Format, Report, table, write_atomic};
use hodgelet_cli::progress::Terminal;
use hodgelet_cli::source::DataDirArgs;
use hodgelet_eval::metrics::Summary;
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;

/// Share of the repeats in the quick version.
const QUICK_EFFORT: f64 = 0.01;

/// Flags of `hodgelet-lab honest`.
#[derive(Args, Debug)]
#[command(
    after_help = "Rows: simulated numbers and classes (200 repeats); random training parts of real datasets of 60, 100, 150
and 500 graphs where 80 are left, until 2,000 predictions are pooled, beside the most probable
hyperparameters alone; ten seeds on one training part; conformal regions (1,000 repeats, with the
most probable hyperparameters of a small bank, since the guarantee does not depend on the model).

Each row is a file in --out that grows with its repeats: a run that was interrupted goes on, one with
a larger --effort adds repeats. Datasets that are not found are left out.

Standard errors are over repeats. Simulated repeats draw graphs, hyperparameters and targets anew, and
their errors include all three. Repeats on a real dataset share its graphs: their errors are of the
choice of the training and test parts, not of the sampling of the dataset, and too small where the
parts overlap much.

Examples:
  hodgelet-lab honest --quick
  hodgelet-lab honest --data-dir DATA --effort 0.1
  hodgelet-lab honest --data-dir DATA --rows simulated,seeds --picture coverage.svg"
)]
pub struct HonestArgs {
    #[command(flatten)]
    data_dir: DataDirArgs,
    #[command(flatten)]
    model: ModelArgs,
    /// A small version: the first size of each row, few repeats, small banks
    #[arg(long, help_heading = "Protocol")]
    quick: bool,
    /// Share of the repeats, from 0 to 1, at least two of each row [default: 1; quick: 0.01]
    #[arg(long, value_name = "SHARE", help_heading = "Protocol")]
    effort: Option<f64>,
    /// Rows whose name begins with one of these
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', help_heading = "Protocol")]
    rows: Vec<String>,
    /// Seed of everything that is drawn
    #[arg(long, value_name = "S", default_value_t = 0, help_heading = "Protocol")]
    seed: u64,
    /// Folder for the rows
    #[arg(long, value_name = "DIR", default_value = "honest", help_heading = "Output")]
    out: PathBuf,
    /// Coverage and slope on simulated targets against the number of training graphs, as SVG
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    picture: Option<PathBuf>,
    /// How the result is printed
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    format: Format,
}

impl HonestArgs {
    fn effort(&self) -> f64 {
        self.effort.unwrap_or(if self.quick { QUICK_EFFORT } else { 1.0 })
    }
}

/// What was found.
#[derive(Debug, Serialize)]
struct Found {
    levels: [f64; 3],
    rows: Vec<Checked>,
}

/// Runs what is missing of the protocol and prints all of it.
///
/// # Errors
///
/// [`CommandError`]; repeats that are finished are kept.
pub fn run(args: &HonestArgs, terminal: Terminal) -> Result<(), CommandError> {
    if !(0.0..=1.0).contains(&args.effort()) {
        let message = format!("--effort {}, expected a share from 0 to 1", args.effort());
        return Err(CommandError::usage(message, None));
    }
    std::fs::create_dir_all(&args.out)
        .map_err(|source| CommandError::Write { path: args.out.clone(), source })?;
    let mut rows = Vec::new();
    for task in plan::tasks(args.quick) {
        let name = task.name();
        if !args.rows.is_empty() && !args.rows.iter().any(|start| name.starts_with(start.as_str())) {
            continue;
        }
        let Some(cell) = cells::run(args, &task, terminal)? else { continue };
        let checked = Checked::of(&task, &cell)?;
        if !terminal.quiet {
            let _ = writeln!(std::io::stderr(), "{name}, {} repeats: {}", checked.repeats, verdict(&checked));
        }
        rows.push(checked);
    }
    if rows.is_empty() {
        let hint = "names are such as simulated-50, MUTAG-100, seeds-sbm and conformal-classes-300";
        return Err(CommandError::usage("there is no row to run", Some(hint)));
    }
    if let Some(path) = &args.picture {
        let svg = picture::svg(&rows);
        write_atomic(Output::new(path, Kind::PICTURE), |out| out.write_all(svg.as_bytes()))?;
    }
    output::print(&Found { levels: LEVELS, rows }, args.format)
}

/// Whether a row meets what must hold, or what it misses.
fn verdict(checked: &Checked) -> String {
    let missed: Vec<String> = checked.missed().into_iter().map(|check| check.text()).collect();
    if missed.is_empty() { "met".to_owned() } else { format!("missed: {}", missed.join("; ")) }
}

fn share(summary: Option<&Summary>) -> String {
    summary.map_or_else(String::new, |s| with_error(100.0 * s.mean, s.standard_error.map(|e| 100.0 * e), 1))
}

fn optional(value: Option<f64>) -> String {
    value.map_or_else(String::new, |v| format!("{v:.3}"))
}

/// The rows of one table, all with scores.
fn part(
    title: &str,
    header: &[&str],
    rows: &[&Checked],
    cells: impl Fn(&Checked, &Row) -> Vec<String>,
) -> Option<String> {
    let of = |checked: &&Checked| {
        let row = checked.row.as_ref()?;
        let start =
            [&checked.subject, &row.train.to_string(), &checked.repeats.to_string()].map(String::clone);
        let start = start.into_iter().chain([row.predictions.to_string()]);
        Some(start.chain(cells(checked, row)).chain([verdict(checked)]).collect())
    };
    let lines: Vec<Vec<String>> = rows.iter().filter_map(of).collect();
    let header = [&["dataset", "train", "repeats", "predicted"][..], header, &["must hold"][..]].concat();
    let numbers: Vec<usize> = (1..header.len() - 1).collect();
    (!lines.is_empty()).then(|| format!("{title}\n\n{}", table(&header, &numbers, lines)))
}

impl Report for Found {
    fn text(&self) -> String {
        let all: Vec<&Checked> = self.rows.iter().collect();
        let having = |has: fn(&Row) -> bool| -> Vec<&Checked> {
            all.iter().copied().filter(|checked| checked.row.as_ref().is_some_and(has)).collect()
        };
        let is_conformal = |row: &Row| !row.conformal.is_empty();
        let holds = LEVELS.map(|level| format!("{:.0}% holds", 100.0 * level));
        let holds: Vec<&str> = holds.iter().map(String::as_str).collect();
        let nll = |row: &Row| with_error(row.nll.mean, row.nll.standard_error, 3);
        let numbers = part(
            "Numbers: shares of targets in intervals",
            &[&["NLL ± se", "oracle's", "mode's"][..], &holds].concat(),
            &having(|row| !row.coverage.is_empty() && row.conformal.is_empty()),
            |_, row| {
                let shares = (0..LEVELS.len()).map(|l| share(row.coverage.get(l)));
                [nll(row), optional(row.oracle_nll), optional(row.mode_nll)]
                    .into_iter()
                    .chain(shares)
                    .collect()
            },
        );
        let classes = part(
            "Classes: calibration of probabilities",
            &["NLL ± se", "oracle's", "base rate's", "mode's", "slope ± se", "ECE ± se", "its floor"],
            &having(|row| row.ece.is_some() && row.conformal.is_empty()),
            |_, row| {
                let slope = row.slope.map_or_else(String::new, |s| with_error(s, row.slope_error, 2));
                let ece = row.ece.map_or_else(String::new, |e| with_error(e, row.ece_error, 3));
                let others = [row.oracle_nll, row.base_rate_nll, row.mode_nll].map(optional);
                let all = std::iter::once(nll(row)).chain(others);
                all.chain([slope, ece, optional(row.ece_floor)]).collect()
            },
        );
        let conformal = part("Conformal regions", &holds, &having(is_conformal), |_, row| {
            (0..LEVELS.len()).map(|l| share(row.conformal.get(l))).collect()
        });
        let line = |checked: &Checked| {
            let (mean, high, n) = checked.seeds?;
            let numbers =
                [checked.repeats.to_string(), n.to_string(), format!("{mean:.3}"), format!("{high:.3}")];
            let name = [checked.subject.trim_start_matches("seeds-").to_owned()];
            Some(name.into_iter().chain(numbers).chain([verdict(checked)]).collect())
        };
        let seeds: Vec<Vec<String>> = self.rows.iter().filter_map(line).collect();
        let header = ["dataset", "seeds", "predicted", "mean", "95th percentile", "must hold"];
        let seeds = (!seeds.is_empty()).then(|| {
            let title = "Standard deviation of a graph's probability over seeds";
            format!("{title}\n\n{}", table(&header, &[1, 2, 3, 4], seeds))
        });
        [numbers, classes, seeds, conformal].into_iter().flatten().collect::<Vec<_>>().join("\n\n")
    }
}
