//! `hodgelet predict`: classes or numbers for new graphs, with their uncertainty and the share of each block.

mod resume;
mod rows;
pub(super) mod sheet;
mod stream;
mod tally;

pub use rows::Predictions;

use super::model_info::load;
use super::several::{self, SeveralPredictions};
use crate::error::CommandError;
use crate::output::{self, ForceArgs, Format, Report};
use crate::progress::{Bar, Terminal};
use crate::source::DatasetArgs;
use clap::{Args, ValueEnum};
use hodgelet::dataset::Dataset;
use hodgelet::kernel::KernelError;
use hodgelet::model::{
    CalibratedPrediction, Drift, Measured, Model, ModelError, Models, Prediction, Regions,
};
use hodgelet::output::{Kind, Output};
use hodgelet::store::{Store, StoreError};
use hodgelet_data::Read;
use hodgelet_data::table::TableParts;
use std::collections::BTreeSet;
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

With --format jsonl, graphs are read, predicted and written some at a time, so that any number of them takes the same
memory: a line about all, then one line a graph. DATASET may be a store of `hodgelet measure --for MODEL`. With --out the
lines go to FILE.part until all are there; the same command goes on from it after an interruption.

With --format csv, and where --out ends in .csv or .tsv, there is one line a graph: the columns of the table that was read,
where it is one, then predicted, a probability for each class (or the standard deviation std), the set of classes (a;b, and
\"a;b\" for one class of that name) or the ends lower and upper with --coverage, the distance and whether it is far. Rows
that cannot be read are there too, with nothing predicted and the reason in the last column, error. A table of molecules is
read, predicted and written 4,096 rows at a time, so that any number of rows takes the same memory; one that is longer has
the column error in any case, and is written to FILE.part until it is whole.

Examples:
  hodgelet predict sbm.hodgelet sbm --seed 1
  hodgelet predict bace.hodgelet new.csv --out predictions.csv
  hodgelet predict sbm.hodgelet sbm --seed 1 --coverage 0.9
  hodgelet predict model.hodgelet new-graphs.jsonl --format json --out predictions.json
  hodgelet predict model.hodgelet many.jsonl --format jsonl --out predictions.jsonl"
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
    /// How the result is printed [default: what --out ends in: .csv, .tsv, .json or .jsonl; otherwise table]
    #[arg(long, value_enum)]
    format: Option<PredictionFormat>,
    /// Write the result to a file in place of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
}

/// How predictions are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum PredictionFormat {
    /// Tables for people.
    #[default]
    Table,
    /// One JSON object for programs.
    Json,
    /// A JSON object a line, as they come.
    Jsonl,
    /// Columns beside those of the table that was read.
    Csv,
}

impl PredictArgs {
    fn format(&self) -> PredictionFormat {
        self.format.unwrap_or(match self.ending().as_deref() {
            Some("csv" | "tsv") => PredictionFormat::Csv,
            Some("json") => PredictionFormat::Json,
            Some("jsonl") => PredictionFormat::Jsonl,
            _ => PredictionFormat::Table,
        })
    }

    /// What the name of the file ends in, in lower case.
    fn ending(&self) -> Option<String> {
        Some(self.out.as_deref()?.extension()?.to_str()?.to_ascii_lowercase())
    }

    /// Refuses names that promise a format which is not written; one that is named may have any other ending.
    fn check_ending(&self) -> Result<(), CommandError> {
        let is_promise = match self.ending().as_deref() {
            None | Some("csv" | "tsv" | "json" | "jsonl" | "txt") => false,
            Some(ending) => self.format.is_none() || OTHER_FORMATS.contains(&ending),
        };
        let is_file = |path: &&PathBuf| !std::fs::metadata(path).is_ok_and(|found| !found.is_file());
        match self.out.as_ref().filter(|_| is_promise).filter(is_file) {
            None => Ok(()),
            Some(path) => {
                let message = format!(
                    "--out {}, expected a name that ends in .csv, .tsv, .json, .jsonl or .txt",
                    path.display()
                );
                Err(CommandError::usage(
                    message,
                    Some("--format says what is written to a file of another name"),
                ))
            }
        }
    }
}

/// Endings of formats that tables of predictions are often in and that are not written.
const OTHER_FORMATS: [&str; 8] = ["parquet", "xlsx", "xls", "ods", "feather", "arrow", "npy", "zip"];

/// Predicts the graphs of a dataset.
///
/// # Errors
///
/// [`CommandError`].
pub fn run(args: &PredictArgs, terminal: Terminal) -> Result<(), CommandError> {
    if let Some(output) = args.output() {
        let inputs: Vec<PathBuf> = args.source.inputs().into_iter().chain([args.model.clone()]).collect();
        output::check_out(output, &inputs)?;
    }
    args.check_ending()?;
    if let Some(coverage) = args.coverage {
        check_coverage(coverage)?;
    }
    if let Some(models) = several::load(&args.model)? {
        return run_several(args, &models, terminal);
    }
    let model = load(&args.model)?;
    let store = args.source.store()?;
    if let Some(store) = &store {
        check_measurer(&model, store)?;
    }
    let source = args.source.for_model(&model);
    if args.format() == PredictionFormat::Jsonl {
        return stream::run(args, &model, store, terminal);
    }
    if args.format() == PredictionFormat::Csv
        && store.is_none()
        && let Some(parts) = source.table_parts()?
    {
        return run_parts(args, &model, parts, terminal);
    }
    let table = if store.is_none() { source.read_table(Some(terminal))? } else { None };
    let (name, targets, goals, ids, found) = match store {
        Some(store) => {
            let (targets, ids) = store.labels()?;
            let mut all = Measured { measures: Vec::new(), unknown: 0, weights: None };
            for k in 0..store.n_leaves() {
                let leaf = store.leaf(k)?.0;
                all.measures.extend(leaf.measures);
                all.unknown += leaf.unknown;
            }
            let found = Found::of_measured(&model, all, args.coverage)?;
            (store.header().name.clone(), targets, Vec::new(), ids, found)
        }
        None => {
            let Read { dataset, ids, goals, .. } = match &table {
                Some(table) => table.read.clone(),
                None => source.read(terminal)?,
            };
            let bar = terminal.bar("graphs", Some(dataset.len() as u64));
            let found = Found::of_dataset(&model, &dataset, args.coverage, &bar)?;
            (dataset.name().to_owned(), dataset.targets().clone(), goals, ids, found)
        }
    };
    let Found { prediction, regions, drift } = found;
    regions.iter().flat_map(|regions| &regions.notes).for_each(|note| terminal.warn(note));
    warn_unknown(prediction.unknown, terminal);
    let report = Predictions::new(&model, &name, &targets, &ids, &prediction)?
        .with_known(&goals)
        .with_regions(&model, regions.as_ref())
        .with_drift(drift);
    if args.format() == PredictionFormat::Csv {
        return sheet::write(&report.sheet(), table.as_ref(), args.output());
    }
    let format = if args.format() == PredictionFormat::Json { Format::Json } else { Format::Table };
    let Some(output) = args.output() else { return output::print(&report, format) };
    let text = if format == Format::Json { output::json(&report)? } else { report.text() };
    output::write_atomic(output, |out| writeln!(out, "{text}"))
}

/// Predicts a table of molecules some rows at a time.
fn run_parts(
    args: &PredictArgs,
    model: &Model,
    parts: TableParts,
    terminal: Terminal,
) -> Result<(), CommandError> {
    let (mut unknown, mut notes) = (0, BTreeSet::new());
    let predict = |read: &Read| {
        let bar = terminal.bar("graphs", Some(read.dataset.len() as u64));
        let found = Found::of_part(model, &read.dataset, args.coverage, &bar)?;
        unknown += found.prediction.unknown;
        let of_regions = found.regions.iter().flat_map(|regions| &regions.notes);
        notes.extend(of_regions.cloned());
        let rows = Predictions::new(model, "", read.dataset.targets(), &read.ids, &found.prediction)?;
        Ok(rows.with_regions(model, found.regions.as_ref()).sheet())
    };
    sheet::stream(parts, predict, args.output(), terminal)?;
    notes.iter().for_each(|note| terminal.warn(note));
    warn_unknown(unknown, terminal);
    Ok(())
}

/// Predicts several targets of a dataset.
fn run_several(args: &PredictArgs, models: &Models, terminal: Terminal) -> Result<(), CommandError> {
    if args.format() == PredictionFormat::Jsonl || args.source.store()?.is_some() {
        let hint = "--format csv and json take them; so does one model for each target";
        return Err(CommandError::usage(
            "stores and --format jsonl are for models of one target",
            Some(hint),
        ));
    }
    let source = args.source.for_model(&models.models()[0]);
    if args.format() == PredictionFormat::Csv
        && let Some(parts) = source.table_parts()?
    {
        let predict =
            |read: &Read| Ok(SeveralPredictions::new(models, read, args.coverage, false, terminal)?.sheet());
        return sheet::stream(parts, predict, args.output(), terminal);
    }
    let table = source.read_table(Some(terminal))?;
    let read = match &table {
        Some(table) => table.read.clone(),
        None => source.read(terminal)?,
    };
    let report = SeveralPredictions::new(models, &read, args.coverage, true, terminal)?;
    match (args.format(), args.output()) {
        (PredictionFormat::Csv, output) => sheet::write(&report.sheet(), table.as_ref(), output),
        (PredictionFormat::Json, Some(output)) => {
            let text = output::json(&report)?;
            output::write_atomic(output, |out| writeln!(out, "{text}"))
        }
        (_, Some(output)) => output::write_atomic(output, |out| writeln!(out, "{}", report.text())),
        (PredictionFormat::Json, None) => output::print(&report, Format::Json),
        (_, None) => output::print(&report, Format::Table),
    }
}

impl PredictArgs {
    /// The file that is asked for; none for standard output.
    fn output(&self) -> Option<Output<'_>> {
        let path = self.out.as_deref().filter(|path| !output::is_stdout(path))?;
        let kind = if self.format() == PredictionFormat::Csv { Kind::CSV } else { Kind::REPORT };
        Some(Output::new(path, kind).forced(self.force.force))
    }
}

/// What a model says of some graphs.
pub(super) struct Found {
    pub prediction: Prediction,
    pub regions: Option<Regions>,
    pub drift: Option<Drift>,
}

impl Found {
    fn of_dataset(
        model: &Model,
        dataset: &Dataset,
        coverage: Option<f64>,
        bar: &Bar,
    ) -> Result<Self, ModelError> {
        match coverage {
            Some(coverage) => {
                let predicted = model.predict_calibrated(dataset, |done| bar.at(done as u64))?;
                Self::of_calibrated(predicted, coverage)
            }
            None => {
                let measured = model.space().measurer().measure(dataset, |done| bar.at(done as u64))?;
                Self::of_measured(model, measured, None)
            }
        }
    }

    /// Graphs that are not all: there is nothing to say of drift.
    fn of_part(
        model: &Model,
        dataset: &Dataset,
        coverage: Option<f64>,
        bar: &Bar,
    ) -> Result<Self, ModelError> {
        let Some(coverage) = coverage else {
            let measured = model.space().measurer().measure(dataset, |done| bar.at(done as u64))?;
            return Self::of_measured_part(model, &measured, None);
        };
        let predicted = model.predict_calibrated(dataset, |done| bar.at(done as u64))?;
        let regions = Some(predicted.regions(coverage)?);
        Ok(Self { prediction: predicted.prediction, regions, drift: None })
    }

    /// As [`of_measured`](Self::of_measured), for graphs that are not all.
    pub fn of_measured_part(
        model: &Model,
        measured: &Measured,
        coverage: Option<f64>,
    ) -> Result<Self, ModelError> {
        if let Some(coverage) = coverage {
            let predicted = model.calibrate_measured(measured.clone())?;
            let regions = Some(predicted.regions(coverage)?);
            return Ok(Self { prediction: predicted.prediction, regions, drift: None });
        }
        let measures: Vec<_> = measured.measures.iter().collect();
        let prediction = Prediction { unknown: measured.unknown, ..model.predict_measured(&measures)? };
        Ok(Self { prediction, regions: None, drift: None })
    }

    pub fn of_measured(model: &Model, measured: Measured, coverage: Option<f64>) -> Result<Self, ModelError> {
        if let Some(coverage) = coverage {
            return Self::of_calibrated(model.calibrate_measured(measured)?, coverage);
        }
        let measures: Vec<_> = measured.measures.iter().collect();
        let prediction = Prediction { unknown: measured.unknown, ..model.predict_measured(&measures)? };
        Ok(Self { prediction, regions: None, drift: compared(model.drift_measured(&measures))? })
    }

    fn of_calibrated(predicted: CalibratedPrediction<'_>, coverage: f64) -> Result<Self, ModelError> {
        let regions = predicted.regions(coverage)?;
        let drift = compared(predicted.drift())?;
        Ok(Self { prediction: predicted.prediction, regions: Some(regions), drift })
    }
}

/// Whether a store was measured as the model measures.
fn check_measurer(model: &Model, store: &Store) -> Result<(), CommandError> {
    if model.space().measurer().measures_as(&store.header().measurer) {
        return Ok(());
    }
    let (path, what) = (store.path().to_owned(), "signals".to_owned());
    let (found, expected) = ("of its own".to_owned(), "those of the model".to_owned());
    let error = StoreError::Differs { path, what, found, expected };
    Err(CommandError::usage(error.to_string(), Some("`hodgelet measure --for MODEL` takes those of a model")))
}

/// Whether a coverage is one, before the long part.
fn check_coverage(coverage: f64) -> Result<(), CommandError> {
    match coverage > 0.0 && coverage < 1.0 {
        true => Ok(()),
        false => Err(ModelError::Coverage { found: coverage }.into()),
    }
}

/// A comparison, where the sets are large enough for one, and products of new graphs with each other are known.
fn compared(drift: Result<Drift, ModelError>) -> Result<Option<Drift>, ModelError> {
    match drift {
        Err(ModelError::TooFewToCompare { .. } | ModelError::Kernel(KernelError::NotGiven { .. })) => {
            Ok(None)
        }
        other => other.map(Some),
    }
}

/// Says how many labels a model does not know.
pub(super) fn warn_unknown(unknown: usize, terminal: Terminal) {
    match unknown {
        0 => {}
        1 => terminal.warn("1 label of a cell is new to the model and was left out"),
        n => terminal.warn(&format!("{n} labels of cells are new to the model and were left out")),
    }
}
