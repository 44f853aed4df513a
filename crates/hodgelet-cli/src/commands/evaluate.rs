//! `hodgelet evaluate`: cross-validation of a model on a dataset.

use crate::error::CommandError;
use crate::model_args::ModelArgs;
use crate::output::{self, ForceArgs, Format, Report, facts, number, table};
use crate::progress::{Bar, Pace, Terminal};
use crate::source::DatasetArgs;
use clap::Args;
use hodgelet::dataset::{Dataset, Targets};
use hodgelet::output::{Kind, Output};
use hodgelet::settings::Settings;
use hodgelet::store::Store;
use hodgelet_eval::cross_validate::{
    Event, MEMORY_BUDGET, cross_validate, cross_validate_measured, cross_validate_search,
};
use hodgelet_eval::metrics::{Kept, Summary};
use hodgelet_eval::report::{
    ClassResults, Coverage, Evaluation, FoldRow, FoldRun, RealResults, Results, Scores, Subject,
    reliability_svg, scores_svg,
};
use hodgelet_eval::search::{SearchParams, Trial};
use hodgelet_eval::splits::{self, FoldError, KFoldParams, Split};
use serde::Serialize;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

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

Examples:
  hodgelet evaluate sbm
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
    /// How the result is printed
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    format: Format,
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
    let settings = args.model.settings(args.source.seed);
    if settings.conformal.is_some() {
        let hint = "`hodgelet fit` takes it, and `hodgelet predict --coverage` shows what follows";
        return Err(CommandError::usage("--conformal, but cross-validation predicts no regions", Some(hint)));
    }
    if let Some(store) = args.source.store()? {
        return run_store(args, &store, &settings, terminal);
    }
    let dataset = args.source.read(terminal)?.dataset;
    let splits = args.splits(Items::of(&dataset), terminal)?;
    args.make_folder()?;
    let memory = budget(&settings);
    let name = settings.method.title();
    let report = if args.model.auto {
        evaluate_search(&dataset, name, settings, &splits, memory, terminal)?
    } else {
        let evaluation = evaluate(&dataset, name, &settings, &splits, memory, terminal)?;
        Evaluated { evaluation, search: Vec::new() }
    };
    args.report(&report, &splits)
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
    let header = store.header();
    let settings = header.settings(settings, store.path())?;
    let (targets, _) = store.labels()?;
    let items = Items { name: &header.name, graphs: header.complexes, targets: &targets };
    let splits = args.splits(items, terminal)?;
    args.make_folder()?;
    let bar = terminal.bar("folds", Some(splits.len() as u64));
    let (measurer, memory) = (&header.measurer, budget(&settings));
    let watch = watch(&bar, splits.len());
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

/// Shows how far cross-validation of `n` splits is.
fn watch(bar: &Bar, n: usize) -> impl Fn(Event) -> ControlFlow<()> + Sync + '_ {
    let pace = Mutex::new(Pace::default());
    move |event| {
        let mut pace = pace.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::Done { done, .. } => bar.at(done as u64),
            Event::Training { .. } => {
                pace.step();
                bar.still()
            }
            Event::Averaging { total, .. } => {
                if let Some(cost) = pace.once((n * total) as f64) {
                    bar.say(format!("folds, {cost}"));
                }
                bar.still()
            }
            _ => bar.still(),
        }
    }
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
        let Some(folder) = &self.out else { return Ok(()) };
        output::make_folder(folder)?;
        let mut inputs = self.source.inputs();
        inputs.extend(self.splits.clone());
        for (name, kind) in FILES {
            output::check_out(self.output(&folder.join(name), kind), &inputs)?;
        }
        Ok(())
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

    fn splits(&self, items: Items<'_>, terminal: Terminal) -> Result<Vec<Split>, CommandError> {
        let Some(path) = &self.splits else {
            let (folds, repeats, seed) = (self.folds, self.repeats, self.source.seed);
            let train_on_validation = self.train_on_validation;
            return k_fold(items, KFoldParams { folds, repeats, seed, train_on_validation });
        };
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
    let bar = terminal.bar("folds", Some(splits.len() as u64));
    let runs = cross_validate(dataset, settings, splits, memory, watch(&bar, splits.len()))?;
    drop(bar);
    evaluation_of(Items::of(dataset), model, settings, &runs)
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
    let search = SearchParams::standard(settings, dataset);
    let bar = terminal.bar("folds", Some(splits.len() as u64));
    let found = cross_validate_search(dataset, &search, splits, memory, |event| match event {
        Event::Done { done, .. } => bar.at(done as u64),
        _ => bar.still(),
    })?;
    drop(bar);
    let (runs, trials): (Vec<FoldRun>, Vec<Vec<Trial>>) = found.into_iter().unzip();
    let evaluation = evaluation_of(Items::of(dataset), &format!("{model}, auto"), &search.base, &runs)?;
    let of_fold = |(run, trials): (&FoldRun, _)| FoldSearch { repeat: run.repeat, fold: run.fold, trials };
    Ok(Evaluated { evaluation, search: runs.iter().zip(trials).map(of_fold).collect() })
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

/// An evaluation as the command prints it.
#[derive(Debug, Serialize)]
pub struct Evaluated {
    #[serde(flatten)]
    pub evaluation: Evaluation,
    /// What was tried on the training part of each fold; empty without a search.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub search: Vec<FoldSearch>,
}

/// The search of one fold.
#[derive(Debug, Serialize)]
pub struct FoldSearch {
    pub repeat: usize,
    pub fold: usize,
    pub trials: Vec<Trial>,
}

impl FoldSearch {
    fn cells(&self) -> Vec<String> {
        let kept = || self.trials.iter().filter(|trial| trial.kept);
        let names: Vec<String> =
            kept().filter_map(|trial| trial.change.as_ref()).map(ToString::to_string).collect();
        let score = kept().next_back().and_then(|trial| trial.log_probability);
        let settings = if names.is_empty() { "as given".to_owned() } else { names.join(", ") };
        let score = score.map_or_else(String::new, |score| format!("{score:.4}"));
        vec![self.repeat.to_string(), self.fold.to_string(), self.trials.len().to_string(), score, settings]
    }
}

impl Evaluated {
    /// The content of the first three of [`FILES`].
    fn texts(&self) -> Result<[Option<String>; 3], CommandError> {
        let reliability = match &self.evaluation.results {
            Results::Classes(results) => Some(reliability_svg(&results.reliability, results.ece)),
            Results::Real(_) => None,
        };
        Ok([Some(output::json(self)?), Some(scores_svg(&self.evaluation)), reliability])
    }
}

/// `mean ± std (standard error)`.
fn spread(summary: &Summary, scale: f64, digits: usize) -> String {
    let (mean, std) = (scale * summary.mean, scale * summary.std);
    let error = summary.standard_error.map(|e| format!("  (standard error {:.digits$})", scale * e));
    format!("{mean:.digits$} ± {std:.digits$}{}", error.unwrap_or_default())
}

impl Report for Evaluated {
    fn text(&self) -> String {
        let Evaluation { subject, results, elbo, fit_seconds, folds, .. } = &self.evaluation;
        let (scores, score, bound) = match results {
            Results::Classes(scores) => (class_facts(scores), "accuracy, %", "ELBO"),
            Results::Real(scores) => (real_facts(scores), "RMSE", "evidence"),
        };
        let mut rows = vec![
            fact("dataset", subject.dataset.clone()),
            fact("model", subject.model.clone()),
            fact("graphs", subject.graphs.to_string()),
        ];
        rows.extend(scores);
        rows.push(fact(bound, spread(elbo, 1.0, 2)));
        rows.push(fact("seconds per fold", spread(fit_seconds, 1.0, 2)));
        rows.extend(
            self.evaluation.peak_memory_mb.map(|memory| fact("peak memory, MB", format!("{memory:.0}"))),
        );
        let header = ["repeat", "fold", "train", "test", score, "NLL", bound, "steps", "s"];
        let numbers: Vec<usize> = (0..header.len()).collect();
        let (facts, folds) = (facts(&rows), table(&header, &numbers, folds.iter().map(fold_cells)));
        let mut text = format!("{facts}\n\n{folds}\n\n{}", kept_table(results));
        if !self.search.is_empty() {
            let header = ["repeat", "fold", "trials", "log probability", "settings chosen"];
            let chosen = table(&header, &[0, 1, 2, 3], self.search.iter().map(FoldSearch::cells));
            text = format!("{text}\n\n{chosen}");
        }
        text
    }
}

type Fact = (String, String);

fn fact(what: &str, value: String) -> Fact {
    (what.to_owned(), value)
}

fn class_facts(scores: &ClassResults) -> Vec<Fact> {
    let mut rows = vec![
        fact("classes", scores.classes.to_string()),
        fact("accuracy, %", spread(&scores.accuracy, 100.0, 2)),
        fact("macro F1, %", spread(&scores.macro_f1, 100.0, 2)),
        fact("NLL", spread(&scores.nll, 1.0, 4)),
        fact("Brier", spread(&scores.brier, 1.0, 4)),
        fact("ECE, pooled", format!("{:.4}", scores.ece)),
    ];
    rows.extend(scores.roc_auc.as_ref().map(|auc| fact("ROC AUC", spread(auc, 1.0, 4))));
    rows.extend(scores.average_precision.as_ref().map(|ap| fact("average precision", spread(ap, 1.0, 4))));
    rows
}

fn real_facts(scores: &RealResults) -> Vec<Fact> {
    let mut rows = vec![fact("RMSE", spread(&scores.rmse, 1.0, 4)), fact("MAE", spread(&scores.mae, 1.0, 4))];
    rows.extend(scores.r2.as_ref().map(|r2| fact("R²", spread(r2, 1.0, 4))));
    rows.push(fact("NLL", spread(&scores.nll, 1.0, 4)));
    rows.extend(scores.coverage.iter().map(|Coverage { level, share }| {
        let interval = format!("{:.0}% interval holds", 100.0 * level);
        (interval, format!("{:.1}% of targets", 100.0 * share))
    }));
    rows
}

/// Errors of the most confident predictions.
fn kept_table(results: &Results) -> String {
    let (header, kept, scale) = match results {
        Results::Classes(scores) => {
            (["most confident", "graphs", "error, %", "probability from"], &scores.risk_coverage, 100.0)
        }
        Results::Real(scores) => {
            (["most confident", "graphs", "RMSE", "std. dev. up to"], &scores.risk_coverage, 1.0)
        }
    };
    let cells = |kept: &Kept| {
        let share = format!("{:.0}%", 100.0 * kept.share);
        vec![share, kept.kept.to_string(), number(scale * kept.risk), number(kept.threshold)]
    };
    table(&header, &[0, 1, 2, 3], kept.iter().map(cells))
}

fn fold_cells(row: &FoldRow) -> Vec<String> {
    let (score, nll) = match &row.scores {
        Scores::Classes(scores) => (format!("{:.2}", 100.0 * scores.accuracy), scores.nll),
        Scores::Real(scores) => (format!("{:.4}", scores.rmse), scores.nll),
    };
    let counts = [row.repeat, row.fold, row.n_train, row.n_test].map(|n| n.to_string());
    let (nll, elbo) = (format!("{nll:.4}"), format!("{:.2}", row.elbo));
    let rest = [score, nll, elbo, row.iterations.to_string(), format!("{:.2}", row.fit_seconds)];
    counts.into_iter().chain(rest).collect()
}
