//! `hodgelet evaluate`: cross-validation of a model on a dataset.

mod result;
mod text;
mod unfinished;
mod watch;

use super::fit;
use super::out_of_fold;
use super::protocol::{Protocol, Rows};
use super::report::{Folds, Page, write_folds};
use super::several::SeveralEvaluations;
use crate::error::CommandError;
use crate::model_args::{ModelArgs, check_read, check_settings};
use crate::output::{self, ForceArgs, Format};
use crate::progress::Terminal;
use crate::source::DatasetArgs;
use clap::Args;
use hodgelet::dataset::{Dataset, Targets};
use hodgelet::model::Model;
use hodgelet::output::{Kind, Output};
use hodgelet::settings::Settings;
use hodgelet::store::Store;
use hodgelet_data::Read;
use hodgelet_data::table::TableRead;
use hodgelet_eval::cross_validate::{
    Keep, MEMORY_BUDGET, cross_validate, cross_validate_kept, cross_validate_measured, cross_validate_search,
};
use hodgelet_eval::report::{Evaluation, FoldRun, Subject};
use hodgelet_eval::search::{SearchParams, Trial};
use hodgelet_eval::splits::{self, FoldError, KFoldParams, Split};
use result::chosen;
pub use result::{Evaluated, FoldSearch};
use std::path::{Path, PathBuf};
use std::time::Instant;
use unfinished::Unfinished;
pub(super) use watch::watch_folds;

/// What `--out` gets.
const FILES: [(&str, Kind); 4] = [
    ("evaluation.json", Kind::REPORT),
    ("folds.svg", Kind::PICTURE),
    ("reliability.svg", Kind::PICTURE),
    ("splits.json", Kind::SPLITS),
];

/// Flags of `hodgelet evaluate`.
#[derive(Args, Debug)]
#[command(
    after_help = "The protocol is that of the published code: stratified folds, shuffled with the seed. Each fold
is the test part once; one of the others is set aside for validation, unless
--train-on-validation adds it to the training part.

With --protocol scaffold no scaffold (rings and what joins them) of a test molecule is among those trained on, with
group=COLUMN no value of a column of the table (or of the table of --targets); folds are of nearly one size. With
time=COLUMN the rows are cut in the order of a column, numbers or dates, and each fold is tested by a model of all that came
before it. No fold is set aside.

With --out, finished folds are kept in DIR/unfinished until all of them are: the same command goes on after an interruption.

Examples:
  hodgelet evaluate sbm
  hodgelet evaluate BACE.csv --target Class --protocol scaffold --predictions out-of-fold.csv
  hodgelet evaluate ./MUTAG.zip --report report.html
  hodgelet evaluate ./MUTAG.zip --method wt --train-on-validation --format json
  hodgelet evaluate vector-fields --set n_vertices=100 --method line-graph --out results"
)]
pub struct EvaluateArgs {
    #[command(flatten)]
    source: DatasetArgs,
    #[command(flatten)]
    model: ModelArgs,
    /// Number of folds
    #[arg(long, default_value_t = 10, help_heading = "Protocol")]
    folds: usize,
    /// Number of shuffles, each split into all folds
    #[arg(long, default_value_t = 1, hide_short_help = true, help_heading = "Protocol")]
    repeats: usize,
    /// Train on the fold that the protocol sets aside, too
    #[arg(long, help_heading = "Protocol")]
    train_on_validation: bool,
    /// Given splits: a JSON file of index lists (or of Errica et al.), or a folder of text files
    #[arg(long, value_name = "FILE", conflicts_with_all = ["folds", "repeats"], hide_short_help = true, help_heading = "Protocol")]
    splits: Option<PathBuf>,
    /// How the rows of a table of molecules or of targets are divided: k-fold, scaffold (of molecules), group=COLUMN or
    /// time=COLUMN
    #[arg(
        long,
        value_name = "PROTOCOL",
        default_value = "k-fold",
        hide_default_value = true,
        conflicts_with = "splits",
        help_heading = "Protocol"
    )]
    protocol: Protocol,
    /// How the result is printed
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    format: Format,
    /// CSV or TSV file for what is predicted of every test graph of every fold
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    predictions: Option<PathBuf>,
    /// A page of HTML: scores with uncertainty, calibration, what was learned, and the graphs that are wrong; for what single
    /// graphs show, one more model is trained, on all of them
    #[arg(long, value_name = "FILE.html", help_heading = "Output")]
    report: Option<PathBuf>,
    /// Also write all numbers of the report as JSON, to FILE.html.json
    #[arg(long, requires = "report", help_heading = "Output")]
    report_json: bool,
    /// Folder for the result as JSON, pictures, and the splits as --splits takes them
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    out: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
}

/// Cross-validates a model.
///
/// # Errors
///
/// [`CommandError`].
pub fn run(args: &EvaluateArgs, terminal: Terminal) -> Result<(), CommandError> {
    let began = Instant::now();
    let settings = args.model.settings(args.source.seed);
    if settings.conformal.is_some() {
        let hint = "`hodgelet fit` takes it, and `hodgelet predict --coverage` shows what follows";
        return Err(CommandError::usage("--conformal, but cross-validation predicts no regions", Some(hint)));
    }
    if let Some(store) = args.source.store()? {
        return run_store(args, &store, &settings, terminal);
    }
    let table = args.source.read_table(Some(terminal))?;
    let read = match &table {
        Some(table) => table.read.clone(),
        None => args.source.read(terminal)?,
    };
    check_read(&settings, &read)?;
    let dataset = &read.dataset;
    let rows = match (&table, &args.protocol) {
        (Some(table), _) => Some(Rows::Molecules(table)),
        (None, Protocol::KFold) => None,
        (None, _) => {
            let beside = args.source.target_table()?;
            beside.map(|(path, options)| Rows::Graphs { path, options, ids: &read.ids })
        }
    };
    let divided = args.protocol.splits(rows.as_ref(), args.folds, args.repeats, args.source.seed)?;
    let splits = divided.map_or_else(|| args.splits(Items::of(dataset), terminal), Ok)?;
    args.make_folder()?;
    if !read.goals.is_empty() {
        return args.several(&read, table.as_ref(), &settings, &splits, (began, terminal));
    }
    let memory = budget(&settings);
    let name = settings.method.title();
    let mut unfinished = None;
    let (report, runs) = if args.model.auto {
        search_runs(dataset, name, settings.clone(), &splits, memory, terminal)?
    } else {
        let kept = args.unfinished(dataset, &settings, &splits)?;
        if let Some(n) = kept.as_ref().map(Unfinished::n_kept).filter(|&n| n > 0) {
            terminal.note(&format!("{n} of {} folds were finished before", splits.len()));
        }
        let keep = kept.as_ref().map(|kept| kept as &dyn Keep);
        let (evaluation, runs) = runs(dataset, name, &settings, &splits, (memory, keep), terminal)?;
        unfinished = kept;
        (Evaluated { evaluation, search: Vec::new() }, runs)
    };
    if let Some(path) = &args.predictions {
        out_of_fold::write(args.output(path, Kind::CSV), &read, table.as_ref(), &splits, &runs)?;
    }
    if let Some(page) = args.page() {
        let evaluation = &report.evaluation;
        let folds = Folds { data: (dataset, &read.ids), evaluation, splits: &splits, runs: &runs };
        let (model, more) = whole(args, dataset, &settings, &report.search, terminal)?;
        write_folds(page, folds, &model, more, (began, terminal))?;
    }
    args.report(&report, &splits)?;
    if let Some(unfinished) = unfinished {
        unfinished.remove();
    }
    Ok(())
}

/// The model of all graphs that a report describes, and what the report says of the search for its settings.
fn whole(
    args: &EvaluateArgs,
    dataset: &Dataset,
    settings: &Settings,
    searches: &[FoldSearch],
    terminal: Terminal,
) -> Result<(Model, Vec<(String, String)>), CommandError> {
    let all: Vec<usize> = (0..dataset.len()).collect();
    if !args.model.auto {
        return Ok((fit::train(dataset, settings, &all, terminal)?, Vec::new()));
    }
    let found = fit::search(dataset, settings.clone(), &all, terminal)?;
    let of_fold = |search: &FoldSearch| {
        let what = format!("settings chosen in repeat {}, fold {}", search.repeat, search.fold);
        (what, search.chosen())
    };
    let of_all = ("settings chosen for the model of all graphs".to_owned(), chosen(&found.trials));
    Ok((found.model, searches.iter().map(of_fold).chain([of_all]).collect()))
}

/// Cross-validates a model on measures of a store.
fn run_store(
    args: &EvaluateArgs,
    store: &Store,
    settings: &Settings,
    terminal: Terminal,
) -> Result<(), CommandError> {
    if args.model.auto {
        let hint = "evaluate the dataset itself, or give the settings";
        return Err(CommandError::usage("--auto, but the spectra of a store are taken", Some(hint)));
    }
    if args.predictions.is_some() || args.report.is_some() || args.protocol != Protocol::KFold {
        let message =
            "--predictions, --report and --protocol need a dataset, and this is a store of measures";
        return Err(CommandError::usage(message, Some("evaluate the dataset itself")));
    }
    let header = store.header();
    let settings = header.settings(settings, store.path())?;
    let (targets, _) = store.labels()?;
    check_settings(&settings, [&targets])?;
    let items = Items { name: &header.name, graphs: header.complexes, targets: &targets };
    let splits = args.splits(items, terminal)?;
    args.make_folder()?;
    let (measurer, memory) = (&header.measurer, budget(&settings));
    if let Some(first) = splits.first() {
        let plan = || settings.plan_measured(measurer, &targets, header.complexes, &first.train);
        fit::announce(terminal, Some(splits.len()), plan)?;
    }
    let bar = terminal.bar("folds", Some(splits.len() as u64));
    let watch = watch_folds(&bar, splits.len(), terminal);
    let runs = cross_validate_measured(measurer, store, &targets, &settings, &splits, memory, watch)?;
    drop(bar);
    terminal.warn("signals follow the labels and degrees of all graphs of the store, test folds included");
    let evaluation = evaluation_of(items, settings.method.title(), &settings, &runs)?;
    args.report(&Evaluated { evaluation, search: Vec::new() }, &splits)
}

/// What folds that run side by side may take together.
fn budget(settings: &Settings) -> usize {
    settings.memory.map_or(MEMORY_BUDGET, |mb| mb.saturating_mul(1_000_000))
}

/// What is cross-validated, without its spectra.
#[derive(Clone, Copy, Debug)]
pub struct Items<'a> {
    /// Name of the dataset.
    pub name: &'a str,
    /// Number of graphs.
    pub graphs: usize,
    /// Their targets.
    pub targets: &'a Targets,
}

impl<'a> Items<'a> {
    /// Those of a dataset.
    #[must_use]
    pub fn of(dataset: &'a Dataset) -> Self {
        Self { name: dataset.name(), graphs: dataset.len(), targets: dataset.targets() }
    }
}

impl EvaluateArgs {
    /// Fails before the training rather than after it.
    fn make_folder(&self) -> Result<(), CommandError> {
        let mut inputs = self.source.inputs();
        inputs.extend(self.splits.clone());
        if let Some(path) = &self.predictions {
            output::check_out(self.output(path, Kind::CSV), &inputs)?;
        }
        if let Some(page) = self.page() {
            page.check(&inputs)?;
        }
        let Some(folder) = &self.out else { return Ok(()) };
        output::make_folder(folder)?;
        for (name, kind) in FILES {
            output::check_out(self.output(&folder.join(name), kind), &inputs)?;
        }
        Ok(())
    }

    /// The report that is asked for.
    fn page(&self) -> Option<Page<'_>> {
        let path = self.report.as_deref()?;
        Some(Page { path, json: self.report_json, force: self.force.force })
    }

    fn output<'a>(&self, path: &'a Path, kind: Kind) -> Output<'a> {
        Output::new(path, kind).forced(self.force.force)
    }

    fn report(&self, report: &Evaluated, splits: &[Split]) -> Result<(), CommandError> {
        if let Some(folder) = &self.out {
            let splits = output::json(&splits)?;
            let texts = report.texts()?.into_iter().chain([Some(splits)]);
            for ((name, kind), text) in FILES.into_iter().zip(texts) {
                let Some(text) = text else { continue };
                let path = folder.join(name);
                output::write_atomic(self.output(&path, kind), |out| out.write_all(text.as_bytes()))?;
            }
        }
        output::print(report, self.format)
    }

    /// Cross-validates several targets.
    fn several(
        &self,
        read: &Read,
        table: Option<&TableRead>,
        settings: &Settings,
        splits: &[Split],
        (began, terminal): (Instant, Terminal),
    ) -> Result<(), CommandError> {
        if self.model.auto {
            let message = format!("--auto, but --target names {} targets", read.goals.len());
            return Err(CommandError::usage(message, Some("it is for one target")));
        }
        let report = SeveralEvaluations::new(read, settings, splits, terminal)?;
        if let Some(path) = &self.predictions {
            out_of_fold::write_several(self.output(path, Kind::CSV), read, table, splits, report.runs())?;
        }
        if let Some(page) = self.page() {
            report.write(page, read, settings, splits, (began, terminal))?;
        }
        if let Some(folder) = &self.out {
            for ((name, kind), text) in
                [(FILES[0], output::json(&report)?), (FILES[3], output::json(&splits)?)]
            {
                let path = folder.join(name);
                output::write_atomic(self.output(&path, kind), |out| out.write_all(text.as_bytes()))?;
            }
        }
        output::print(&report, self.format)
    }

    fn splits(&self, items: Items<'_>, terminal: Terminal) -> Result<Vec<Split>, CommandError> {
        let Some(path) = &self.splits else {
            let (folds, repeats, seed) = (self.folds, self.repeats, self.source.seed);
            let train_on_validation = self.train_on_validation;
            return k_fold(items, KFoldParams { folds, repeats, seed, train_on_validation });
        };
        check_list(path)?;
        let splits = splits::read(path, items.graphs);
        let splits = splits.map_err(|error| CommandError::usage(error.to_string(), None))?;
        if let Some(missed) = splits::uncovered(&splits, items.graphs) {
            terminal.warn(&format!("{}: {missed}", path.display()));
        }
        if !self.train_on_validation {
            return Ok(splits);
        }
        Ok(splits.into_iter().map(Split::train_on_validation).collect())
    }
}

/// Refuses a JSON file of splits that is not a list, in words; other faults are those of its reader.
fn check_list(path: &Path) -> Result<(), CommandError> {
    use serde_json::Value;
    let text = if path.is_file() { std::fs::read(path).unwrap_or_default() } else { Vec::new() };
    let found = match serde_json::from_slice(&text) {
        Err(_) | Ok(Value::Array(_)) => return Ok(()),
        Ok(Value::Object(_)) => "an object",
        Ok(_) => "a single value",
    };
    let message = format!("{}: found {found}, expected a list with an object for each fold", path.display());
    let hint = r#"such as [{"train": [0, 1], "test": [2]}, {"train": [1, 2], "test": [0]}]"#;
    Err(CommandError::usage(message, Some(hint)))
}

/// Stratified folds for classes, plain ones for numbers.
///
/// # Errors
///
/// [`CommandError::Usage`] when there are too few items.
pub fn k_fold(items: Items<'_>, params: KFoldParams) -> Result<Vec<Split>, CommandError> {
    let made = params.check().and_then(|params| match items.targets {
        Targets::Classes { labels, .. } => params.stratified(labels),
        _ => params.plain(items.graphs),
    });
    made.map_err(|error| {
        let hint = match error {
            FoldError::Folds { least: 3, .. } => Some("--train-on-validation needs 2 folds only".to_owned()),
            _ => error.hint(),
        };
        CommandError::usage(error.to_string(), hint.as_deref())
    })
}

/// Trains and tests a model on every split.
///
/// # Errors
///
/// [`CommandError`].
pub fn evaluate(
    dataset: &Dataset,
    model: &str,
    settings: &Settings,
    splits: &[Split],
    memory: usize,
    terminal: Terminal,
) -> Result<Evaluation, CommandError> {
    Ok(runs(dataset, model, settings, splits, (memory, None), terminal)?.0)
}

/// The same, with the runs.
fn runs(
    dataset: &Dataset,
    model: &str,
    settings: &Settings,
    splits: &[Split],
    (memory, keep): (usize, Option<&dyn Keep>),
    terminal: Terminal,
) -> Result<(Evaluation, Vec<FoldRun>), CommandError> {
    if let Some(first) = splits.first() {
        fit::announce(terminal, Some(splits.len()), || settings.plan(dataset, &first.train))?;
    }
    let bar = terminal.bar("folds", Some(splits.len() as u64));
    let watch = watch_folds(&bar, splits.len(), terminal);
    let runs = match keep {
        Some(keep) => cross_validate_kept(dataset, settings, splits, memory, keep, watch)?,
        None => cross_validate(dataset, settings, splits, memory, watch)?,
    };
    drop(bar);
    Ok((evaluation_of(Items::of(dataset), model, settings, &runs)?, runs))
}

/// Searches settings on the training part of every split, and tests what was found.
///
/// # Errors
///
/// [`CommandError`].
pub fn evaluate_search(
    dataset: &Dataset,
    model: &str,
    settings: Settings,
    splits: &[Split],
    memory: usize,
    terminal: Terminal,
) -> Result<Evaluated, CommandError> {
    Ok(search_runs(dataset, model, settings, splits, memory, terminal)?.0)
}

/// The same, with the runs.
fn search_runs(
    dataset: &Dataset,
    model: &str,
    settings: Settings,
    splits: &[Split],
    memory: usize,
    terminal: Terminal,
) -> Result<(Evaluated, Vec<FoldRun>), CommandError> {
    let search = SearchParams::standard(settings, dataset);
    let bar = terminal.bar("folds", Some(splits.len() as u64));
    let found = cross_validate_search(dataset, &search, splits, memory, watch_folds(&bar, 0, terminal))?;
    drop(bar);
    let (runs, trials): (Vec<FoldRun>, Vec<Vec<Trial>>) = found.into_iter().unzip();
    let evaluation = evaluation_of(Items::of(dataset), &format!("{model}, auto"), &search.base, &runs)?;
    let of_fold = |(run, trials): (&FoldRun, _)| FoldSearch { repeat: run.repeat, fold: run.fold, trials };
    let search = runs.iter().zip(trials).map(of_fold).collect();
    Ok((Evaluated { evaluation, search }, runs))
}

/// The evaluation of some runs of a model.
///
/// # Errors
///
/// [`CommandError::Usage`] when a fold cannot be scored.
pub fn evaluation_of(
    items: Items<'_>,
    model: &str,
    settings: &Settings,
    runs: &[FoldRun],
) -> Result<Evaluation, CommandError> {
    let class_names = match items.targets {
        Targets::Classes { names, .. } => names.clone(),
        _ => Vec::new(),
    };
    let subject = Subject {
        dataset: items.name.to_owned(),
        model: model.to_owned(),
        graphs: items.graphs,
        class_names,
        seed: settings.seed,
        settings: serde_json::to_value(settings).expect("settings are plain structs, enums and numbers"),
    };
    Evaluation::of(subject, runs).map_err(|error| CommandError::usage(error.to_string(), None))
}
