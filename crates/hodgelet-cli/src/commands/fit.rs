//! `hodgelet fit`: a model of all graphs of a dataset, saved to a file.

use super::model_info::{ModelInfo, describe_model};
use super::several::{self, ModelsInfo};
use crate::error::CommandError;
use crate::model_args::{ModelArgs, check_read, check_settings};
use crate::output::{self, ForceArgs, Format, Report, facts};
use crate::progress::{Pace, Terminal};
use crate::source::DatasetArgs;
use clap::Args;
use hodgelet::dataset::{Dataset, Targets};
use hodgelet::model::{Model, ModelError, Plan, Stage};
use hodgelet::output::{Kind, Output};
use hodgelet::settings::Settings;
use hodgelet::store::Store;
use hodgelet_data::Read;
use hodgelet_eval::search::{SearchParams, SearchResult, Trial};
use serde::Serialize;
use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Seconds from which on it is said beforehand what training takes.
const WORTH_SAYING: f64 = 5.0;

/// Flags of `hodgelet fit`.
#[derive(Args, Debug)]
#[command(
    after_help = "The file holds everything needed to predict new graphs: signals, filters, kernel, posterior,
names of classes. Reading it never runs code.

--target may name several columns of a table (NR-AR,NR-ER or one --target each), some cells of them
empty: filters and kernels are then trained together, on the sum over the targets, and each target has
a posterior of its own. All of them are in one file, which predict, evaluate and info know.

With --conformal, `predict --coverage` gives sets of classes and intervals with a guarantee, for new
graphs that are exchangeable with the training graphs: not for those of another source or time. split
guarantees the coverage asked for, 1 - a, and trains on three quarters of the graphs; cv-plus trains on
all, takes as many fits as it has parts and one more, and proves 1 - 2a for the jackknife+ (as many
parts as graphs), less 2 (K - 1) / (n + K) at most for K parts of n graphs; 1 - a is usual. A change of
the training data needs a new fit.

Examples:
  hodgelet fit sbm --out sbm.hodgelet
  hodgelet fit tox21.csv --target NR-AR,NR-ER,SR-p53 --out tox21.hodgelet
  hodgelet fit ./ESOL --out esol.hodgelet --restarts 3
  hodgelet fit ./ESOL --out esol.hodgelet --conformal split
  hodgelet fit networks/ --targets labels.csv --target label --weights laplacian --out m.hodgelet"
)]
pub struct FitArgs {
    #[command(flatten)]
    source: DatasetArgs,
    #[command(flatten)]
    model: ModelArgs,
    /// File of the model; - is standard output
    #[arg(long, value_name = "MODEL", help_heading = "Output", required_unless_present = "dry_run")]
    out: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
    /// Print what the fit would take, and do not run it
    #[arg(long, help_heading = "Output")]
    dry_run: bool,
    /// How the summary is printed
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    format: Format,
}

/// Trains a model and saves it.
///
/// # Errors
///
/// [`CommandError`].
pub fn run(args: &FitArgs, terminal: Terminal) -> Result<(), CommandError> {
    if let (Some(out), false) = (&args.out, args.dry_run) {
        output::check_out(args.output(out), &args.source.inputs())?;
    }
    let settings = args.model.settings(args.source.seed);
    if let Some(store) = args.source.store()? {
        return run_store(args, &store, &settings, terminal);
    }
    let read = args.source.read(terminal)?;
    check_read(&settings, &read)?;
    if !read.goals.is_empty() {
        return run_several(args, &read, &settings, terminal);
    }
    let dataset = read.dataset;
    let all: Vec<usize> = (0..dataset.len()).collect();
    let (false, Some(out)) = (args.dry_run, &args.out) else {
        let plan = settings.plan(&dataset, &all)?;
        return output::print(&Planned::of_dataset(plan), args.format);
    };
    let (model, trials) = if args.model.auto {
        let found = search(&dataset, settings, &all, terminal)?;
        (found.model, found.trials)
    } else {
        (train(&dataset, &settings, &all, terminal)?, Vec::new())
    };
    let model = model.with_reading(args.source.reading());
    warn_constant(&model.summary().constant_channels, terminal);
    warn_weights(&dataset, terminal);
    save(&model, args.output(out))?;
    let report = Fitted { model: describe_model(&model), trials, out: out.clone() };
    output::print_beside(out, &report, args.format, terminal)
}

/// Trains models of several targets and saves them.
fn run_several(
    args: &FitArgs,
    read: &Read,
    settings: &Settings,
    terminal: Terminal,
) -> Result<(), CommandError> {
    if args.model.auto || args.dry_run {
        let flag = if args.dry_run { "--dry-run" } else { "--auto" };
        let message = format!("{flag}, but --target names {} targets", read.goals.len());
        return Err(CommandError::usage(message, Some("it is for one target")));
    }
    let Some(out) = &args.out else { return Ok(()) };
    let models = several::fit(read, settings, terminal)?.with_reading(&args.source.reading());
    let failed = |source| CommandError::ModelFile { path: out.clone(), source };
    let bytes = models.to_bytes().map_err(failed)?;
    output::write_atomic(args.output(out), |file| file.write_all(&bytes))?;
    output::print_beside(out, &ModelsInfo::new(&models, Some(out)), args.format, terminal)
}

/// Trains a model on a store and saves it.
fn run_store(
    args: &FitArgs,
    store: &Store,
    settings: &Settings,
    terminal: Terminal,
) -> Result<(), CommandError> {
    if args.model.auto {
        let hint = "fit the dataset itself, or give the settings";
        return Err(CommandError::usage("--auto, but the spectra of a store are taken", Some(hint)));
    }
    let header = store.header();
    let settings = header.settings(settings, store.path())?;
    let (targets, _) = store.labels()?;
    check_settings(&settings, [&targets])?;
    let all: Vec<usize> = (0..header.complexes).collect();
    let (false, Some(out)) = (args.dry_run, &args.out) else {
        let plan = settings.plan_measured(&header.measurer, &targets, header.complexes, &all)?;
        return output::print(&Planned::new(plan), args.format);
    };
    announce(terminal, None, || settings.plan_measured(&header.measurer, &targets, header.complexes, &all))?;
    let model = settings.fit_measured(&header.measurer, store, &targets, &all, watch(&settings, terminal))?;
    warn_constant(&model.summary().constant_channels, terminal);
    save(&model, args.output(out))?;
    let report = Fitted { model: describe_model(&model), trials: Vec::new(), out: out.clone() };
    output::print_beside(out, &report, args.format, terminal)
}

impl FitArgs {
    fn output<'a>(&self, out: &'a Path) -> Output<'a> {
        Output::new(out, Kind::MODEL).forced(self.force.force)
    }
}

/// What a fit would take.
#[derive(Debug, Serialize)]
struct Planned {
    #[serde(flatten)]
    plan: Plan,
    /// Estimated, besides the spectra.
    seconds: f64,
    /// Those of them that averaging over hyperparameters takes.
    averaging_seconds: f64,
}

impl Planned {
    fn new(plan: Plan) -> Self {
        let [mode, averaging_seconds] = plan.seconds();
        Self { seconds: mode + averaging_seconds, averaging_seconds, plan }
    }

    /// The plan for graphs in memory: nothing is kept on disk.
    fn of_dataset(plan: Plan) -> Self {
        Self::new(Plan { disk_bytes: 0, ..plan })
    }
}

impl Report for Planned {
    fn text(&self) -> String {
        let Plan { n_train, n_sample, n_inducing, bytes, disk_bytes, budget, .. } = &self.plan;
        let posterior = match n_inducing {
            Some(inducing) => format!("sparse, at most {inducing} inducing graphs"),
            None => "full".to_owned(),
        };
        let megabytes = |bytes: &usize| format!("{} MB", bytes / 1_000_000);
        let fits = if bytes <= budget { "fits" } else { "does not fit" };
        let mut rows = vec![
            ("graphs", n_train.to_string()),
            ("hyperparameters from", format!("{n_sample} graphs")),
            ("posterior", posterior),
            ("memory", format!("about {}, {fits} in {}", megabytes(bytes), megabytes(budget))),
        ];
        if *disk_bytes > 0 {
            let disk = megabytes(disk_bytes);
            rows.push(("disk", format!("at most {disk} in the store's folder, until the model is fitted")));
        }
        let seconds = |s: f64| if s < 10.0 { format!("{s:.1} s") } else { format!("{s:.0} s") };
        let mut time = format!("about {}, besides the spectra", seconds(self.seconds));
        if self.averaging_seconds > 0.0 {
            time += &format!("; {} of it to average over hyperparameters", seconds(self.averaging_seconds));
        }
        rows.push(("time", time));
        facts(&rows)
    }
}

/// Warns of channels that a model cannot see.
pub fn warn_constant(channels: &[String], terminal: Terminal) {
    if !channels.is_empty() {
        let (n, names) = (channels.len(), channels.join(", "));
        terminal.warn(&format!("{n} channels have values, but no feature that varies: {names}"));
    }
}

/// Warns of weights under which no noise is left to learn: a number that is seen twice and is the same has none.
fn warn_weights(dataset: &Dataset, terminal: Terminal) {
    let (Targets::Real(_), Some(weights)) = (dataset.targets(), dataset.sample_weights()) else { return };
    let mean = weights.iter().sum::<f64>() / weights.len().max(1) as f64;
    if mean > 1.0 + 1e-9 {
        terminal.warn(&format!(
            "the weights of numbers have a mean of {mean:.3}: the noise comes out too small; divide them by their mean"
        ));
    }
}

/// Saves a model, whole or not at all.
///
/// # Errors
///
/// [`CommandError::ModelFile`] when it cannot be written.
pub fn save(model: &Model, output: Output<'_>) -> Result<(), CommandError> {
    let failed = |source| CommandError::ModelFile { path: output.path().to_owned(), source };
    let bytes = model.to_bytes().map_err(failed)?;
    output::write_atomic(output, |out| out.write_all(&bytes))
}

/// Trains a model on the complexes `train`, with progress.
///
/// # Errors
///
/// [`CommandError`].
pub fn train(
    dataset: &Dataset,
    settings: &Settings,
    train: &[usize],
    terminal: Terminal,
) -> Result<Model, CommandError> {
    announce(terminal, None, || settings.plan(dataset, train))?;
    Ok(settings.fit_with(dataset, train, watch(settings, terminal))?)
}

/// Says what training will take, once or for a number of folds, where somebody watches and it is long enough to wonder.
///
/// # Errors
///
/// [`CommandError`] when there is no plan.
pub fn announce(
    terminal: Terminal,
    folds: Option<usize>,
    plan: impl FnOnce() -> Result<Plan, ModelError>,
) -> Result<(), CommandError> {
    let verbose = terminal.verbose.is_some();
    if terminal.quiet || !(std::io::stderr().is_terminal() || verbose) {
        return Ok(());
    }
    let plan = plan()?;
    let (what, seconds, each) = match folds {
        Some(n) => (format!("training of {n} folds"), plan.seconds_of_folds(n), " each"),
        None => ("training".to_owned(), plan.seconds().iter().sum(), ""),
    };
    let megabytes = plan.bytes / 1_000_000;
    let text =
        format!("{what} takes about {seconds:.0} s and {megabytes} MB{each}, besides graphs and spectra");
    match verbose {
        true => terminal.detail(|| text),
        false if seconds >= WORTH_SAYING => terminal.note(&text),
        false => {}
    }
    Ok(())
}

/// Shows how far a fit is.
pub fn watch(settings: &Settings, terminal: Terminal) -> impl FnMut(Stage) -> ControlFlow<()> + Send + use<> {
    let per_start = settings.iterations;
    let steps = per_start.saturating_mul(settings.restarts.max(1));
    let bar = terminal.bar("training", Some(steps as u64));
    let (mut averaging, mut passing, mut pace) = (None, None, Pace::default());
    // One start is one thread, and chains run side by side.
    let side_by_side = if settings.restarts > 1 { 1 } else { rayon::current_num_threads().min(2) };
    move |stage| match stage {
        Stage::Averaging { done, total } => {
            let bar = averaging
                .get_or_insert_with(|| terminal.bar("averaging over hyperparameters", Some(total as u64)));
            if let Some(cost) = pace.once(total as f64 / side_by_side as f64) {
                bar.say(format!("averaging over hyperparameters, {cost}"));
            }
            terminal.detail(|| format!("averaging over hyperparameters: {done} of {total}"));
            bar.at(done as u64)
        }
        Stage::Passing { pass } => {
            terminal.detail(|| format!("pass {pass} over all graphs"));
            passing.get_or_insert_with(|| terminal.bar("passes over all graphs", None)).at(pass as u64)
        }
        Stage::Training { start, step, objective } => {
            terminal.detail(|| format!("start {start}, step {step}: objective {objective:.6}"));
            pace.step();
            bar.at(start.saturating_mul(per_start).saturating_add(step) as u64)
        }
        _ => bar.still(),
    }
}

/// Searches settings on the complexes `train`, with progress.
///
/// # Errors
///
/// [`CommandError`].
pub fn search(
    dataset: &Dataset,
    settings: Settings,
    train: &[usize],
    terminal: Terminal,
) -> Result<SearchResult, CommandError> {
    let search = SearchParams::standard(settings, dataset);
    let bar = terminal.bar("settings", Some(search.n_fits() as u64));
    Ok(search.fit(dataset, train, |number, _| bar.at(number as u64))?)
}

#[derive(Debug, Serialize)]
struct Fitted {
    #[serde(flatten)]
    model: ModelInfo,
    /// What a search tried; empty without one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    trials: Vec<Trial>,
    out: PathBuf,
}

impl Report for Fitted {
    fn text(&self) -> String {
        let mut text = self.model.text();
        if !self.trials.is_empty() {
            let cells = |trial: &Trial| {
                let change = trial.change.as_ref().map_or_else(|| "as given".to_owned(), ToString::to_string);
                let score =
                    trial.log_probability.map_or_else(|| "failed".to_owned(), |score| format!("{score:.4}"));
                let gain = trial.gain.zip(trial.standard_error);
                let gain = gain.map_or_else(String::new, |(gain, error)| format!("{gain:.1} ± {error:.1}"));
                vec![change, score, gain, if trial.kept { "kept".to_owned() } else { String::new() }]
            };
            let header = ["setting", "log probability", "gain in all", ""];
            text = format!("{text}\n\n{}", output::table(&header, &[1, 2], self.trials.iter().map(cells)));
        }
        format!("{text}\n\nwritten to  {}", self.out.display())
    }
}
