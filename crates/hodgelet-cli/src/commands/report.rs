//! `hodgelet report` and `hodgelet evaluate --report`: one page of HTML.

mod several;

pub use several::write_several;

use super::model_info::load;
use crate::error::CommandError;
use crate::output::{self, ForceArgs};
use crate::progress::{Bar, Terminal};
use crate::provenance::Provenance;
use crate::source::DatasetArgs;
use clap::Args;
use hodgelet::dataset::{Dataset, Targets};
use hodgelet::measure::ComplexMeasures;
use hodgelet::model::{FittedTargets, Model};
use hodgelet::output::{Kind, Output};
use hodgelet_data::{Read, counted};
use hodgelet_eval::audit::{Audit, duplicates, fingerprints};
use hodgelet_eval::report::{Evaluation, FoldRun};
use hodgelet_eval::splits::Split;
use hodgelet_report::card::Fields;
use hodgelet_report::content::{Content, ContentError, DRAWN, Origin, Protocol, Sources};
use hodgelet_report::numbers::{json, json_of_targets};
use hodgelet_report::page::{html, html_of_targets};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Graphs whose features are compared pair by pair for an audit; beyond, color refinement alone tells twins.
const MOST_AUDITED: usize = 5000;

/// Flags of `hodgelet report`.
#[derive(Args, Debug)]
#[command(
    after_help = "The page has, in this order: a verdict with numbers; what was run; scores with their uncertainty; whether
probabilities can be trusted; what the model learned; a table of the graphs, the most confident errors
first; drawings of some of them with their signals, spectra and where the prediction comes from;
leakage and duplicates; drift; the model card. It is one file of at most 2 MB that loads nothing. Of a
model of several targets it has an overview, and below it the report of the target that is chosen.

Scores need targets in the dataset. For scores on graphs that the model has not seen, give it new
graphs, or use `hodgelet evaluate DATASET --report FILE.html`.

Examples:
  hodgelet report model.hodgelet new-graphs.jsonl --out report.html
  hodgelet evaluate ./MUTAG.zip --report report.html"
)]
pub struct ReportArgs {
    /// File of the model
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    #[command(flatten)]
    source: DatasetArgs,
    /// The page, a name that ends in .html
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Also write all numbers of the page as JSON, to FILE.json
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    force: ForceArgs,
}

/// Where a page goes.
#[derive(Clone, Copy, Debug)]
pub struct Page<'a> {
    /// The file.
    pub path: &'a Path,
    /// Whether the JSON goes beside it.
    pub json: bool,
    /// Whether anything is replaced.
    pub force: bool,
}

impl Page<'_> {
    fn json_path(&self) -> PathBuf {
        let mut name = self.path.as_os_str().to_owned();
        name.push(".json");
        PathBuf::from(name)
    }

    /// Whether the files can be written, before the work.
    ///
    /// # Errors
    ///
    /// [`CommandError`].
    pub fn check(&self, inputs: &[PathBuf]) -> Result<(), CommandError> {
        output::check_extension(self.path, &["html", "htm"])?;
        output::check_out(Output::new(self.path, Kind::PAGE).forced(self.force), inputs)?;
        if self.json && !output::is_stdout(self.path) {
            output::check_out(Output::new(&self.json_path(), Kind::REPORT).forced(self.force), inputs)?;
        }
        Ok(())
    }

    fn write(&self, content: &Content) -> Result<(), CommandError> {
        self.write_text(&html(content), || json(content))
    }

    /// Writes the report of several targets.
    fn write_targets(&self, targets: &[(String, Content)]) -> Result<(), CommandError> {
        self.write_text(&html_of_targets(targets), || json_of_targets(targets))
    }

    fn write_text(&self, text: &str, numbers: impl FnOnce() -> String) -> Result<(), CommandError> {
        let page = Output::new(self.path, Kind::PAGE).forced(self.force);
        output::write_atomic(page, |out| out.write_all(text.as_bytes()))?;
        if self.json && !output::is_stdout(self.path) {
            let (path, text) = (self.json_path(), numbers());
            let beside = Output::new(&path, Kind::REPORT).forced(self.force);
            output::write_atomic(beside, |out| out.write_all(text.as_bytes()))?;
        }
        Ok(())
    }
}

/// Writes the report of a model on a dataset.
///
/// # Errors
///
/// [`CommandError`].
pub fn run(args: &ReportArgs, terminal: Terminal) -> Result<(), CommandError> {
    let began = Instant::now();
    let page = Page { path: &args.out, json: args.json, force: args.force.force };
    let inputs: Vec<PathBuf> = args.source.inputs().into_iter().chain([args.model.clone()]).collect();
    page.check(&inputs)?;
    if let Some(models) = super::several::load(&args.model)? {
        let found = several::of_models(args, &models, (began, terminal))?;
        page.write_targets(&found)?;
        found.iter().for_each(|(name, content)| terminal.note(&format!("{name}: {}", content.verdict)));
        return Ok(());
    }
    let model = load(&args.model)?;
    let read = known(&model, args.source.for_model(&model).read(terminal)?, terminal)?;
    let bar = terminal.bar("graphs", Some(read.dataset.len() as u64));
    let progress = |done| bar.at(done as u64);
    let about = (origin(began, None), args.fields());
    let content = Content::of_model(&model, &read.dataset, &read.ids, about, progress);
    drop(bar);
    let mut content = content.map_err(failed)?;
    content.origin = origin(began, None);
    page.write(&content)?;
    terminal.note(&content.verdict);
    Ok(())
}

/// The graphs whose target is known, where some are; targets that were read as classes are numbers for a model of numbers.
///
/// # Errors
///
/// [`CommandError::Dataset`] does not occur: there is a target for each graph.
pub fn known(model: &Model, read: Read, terminal: Terminal) -> Result<Read, CommandError> {
    let Read { mut dataset, mut ids, report, goals } = read;
    if let [only] = &goals[..] {
        let unknown = dataset.len() - only.complexes.len();
        let graphs = counted(unknown, "graph");
        terminal.note(&format!("{}: {graphs} without a target left out of the scores", dataset.name()));
        dataset = dataset.select(&only.complexes).with_targets(only.targets.clone())?;
        ids = only.complexes.iter().filter_map(|&graph| ids.get(graph).cloned()).collect();
    }
    if let (FittedTargets::Real { .. }, Targets::Classes { names, labels }) =
        (model.targets(), dataset.targets())
    {
        let numbers = labels.iter().map(|&label| names.get(label as usize)?.parse().ok());
        if let Some(numbers) = numbers.collect::<Option<Vec<f64>>>() {
            dataset = dataset.with_targets(Targets::Real(numbers))?;
        }
    }
    Ok(Read { dataset, ids, report, goals })
}

impl ReportArgs {
    /// What the card says of the model: its name alone.
    fn fields(&self) -> Fields {
        let name =
            self.model.file_stem().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        Fields { name, ..Fields::default() }
    }
}

fn failed(error: ContentError) -> CommandError {
    match error {
        ContentError::Model(error) => error.into(),
        error => CommandError::usage(error.to_string(), None),
    }
}

/// A cross-validation.
#[derive(Clone, Copy, Debug)]
pub struct Folds<'a> {
    /// The graphs and their names.
    pub data: (&'a Dataset, &'a [String]),
    /// Scores.
    pub evaluation: &'a Evaluation,
    /// Folds.
    pub splits: &'a [Split],
    /// What was predicted in each.
    pub runs: &'a [FoldRun],
}

/// Writes the report of a cross-validation, with a model of all graphs for what single graphs show; `more` is said of the run.
///
/// # Errors
///
/// [`CommandError`].
pub fn write_folds(
    page: Page<'_>,
    folds: Folds<'_>,
    model: &Model,
    more: Vec<(String, String)>,
    (began, terminal): (Instant, Terminal),
) -> Result<(), CommandError> {
    let bar = terminal.bar("report", None);
    let measured = model.space().measurer().measure(folds.data.0, |_| bar.still())?;
    let mut content = content(folds, model, &measured.measures, DRAWN, &bar)?;
    drop(bar);
    content.run.extend(more);
    content.origin = origin(began, Some(folds.runs));
    page.write(&content)
}

/// The report of a cross-validation.
fn content(
    folds: Folds<'_>,
    model: &Model,
    measured: &[ComplexMeasures],
    drawn: usize,
    bar: &Bar,
) -> Result<Content, CommandError> {
    let Folds { data: (dataset, ids), evaluation, splits, runs } = folds;
    let measures: Vec<_> = measured.iter().collect();
    let prediction = model.predict_measured(&measures)?;
    let audit = match dataset.len() <= MOST_AUDITED {
        true => {
            let (groups, found) = fingerprints(dataset, |_| bar.still())?;
            Some(Audit::of(dataset, (&groups, found), splits, runs)?)
        }
        false => None,
    };
    let fields = Fields { name: dataset.name().to_owned(), ..Fields::default() };
    Ok(Content::of(&Sources {
        origin: origin(Instant::now(), None),
        dataset,
        ids,
        model,
        prediction: &prediction,
        measures: measured,
        protocol: Protocol::Folds { evaluation, splits, runs, audit: audit.as_ref() },
        duplicates: duplicates(dataset),
        fields,
        drawn,
    })?)
}

fn origin(began: Instant, runs: Option<&[FoldRun]>) -> Origin {
    let found = Provenance::of("hodgelet");
    let training = runs.map_or(String::new(), |runs| {
        let seconds: f64 = runs.iter().map(|run| run.fit_seconds).sum();
        format!(", {seconds:.1} s of it in training folds")
    });
    Origin {
        command: found.command,
        version: found.version,
        commit: found.commit,
        made: format!("Made {} in {:.1} s{training}.", found.date, began.elapsed().as_secs_f64()),
    }
}
