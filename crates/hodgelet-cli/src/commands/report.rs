//! `hodgelet report` and `hodgelet evaluate --report`: one page of HTML.

use super::model_info::load;
use crate::error::CommandError;
use crate::output::{self, ForceArgs};
use crate::progress::Terminal;
use crate::provenance::Provenance;
use crate::source::DatasetArgs;
use clap::Args;
use hodgelet::dataset::Dataset;
use hodgelet::output::{Kind, Output};
use hodgelet::settings::Settings;
use hodgelet_eval::audit::{Audit, duplicates, fingerprints};
use hodgelet_eval::report::{Evaluation, FoldRun};
use hodgelet_eval::splits::Split;
use hodgelet_report::content::{Content, ContentError, Origin, Protocol, Sources};
use hodgelet_report::page::html;
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
leakage and duplicates; drift. It is one file of at most 2 MB that loads nothing.

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
        let text = html(content);
        let page = Output::new(self.path, Kind::PAGE).forced(self.force);
        output::write_atomic(page, |out| out.write_all(text.as_bytes()))?;
        if self.json && !output::is_stdout(self.path) {
            let (path, text) =
                (self.json_path(), output::json(&Beside { dataset: &content.dataset, report: content })?);
            let beside = Output::new(&path, Kind::REPORT).forced(self.force);
            output::write_atomic(beside, |out| writeln!(out, "{text}"))?;
        }
        Ok(())
    }
}

/// The JSON of a report; the dataset comes first, by which the file is told from others.
#[derive(serde::Serialize)]
struct Beside<'a> {
    dataset: &'a str,
    report: &'a Content,
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
    let model = load(&args.model)?;
    let read = args.source.for_model(&model).read(terminal)?;
    let bar = terminal.bar("graphs", Some(read.dataset.len() as u64));
    let progress = |done| bar.at(done as u64);
    let content = Content::of_model(&model, &read.dataset, &read.ids, origin(began, None), progress);
    drop(bar);
    let mut content = content.map_err(|error| match error {
        ContentError::Model(error) => error.into(),
        error => CommandError::usage(error.to_string(), None),
    })?;
    content.origin = origin(began, None);
    page.write(&content)?;
    terminal.note(&content.verdict);
    Ok(())
}

/// Writes the report of a cross-validation, with a model of all graphs for what single graphs show.
///
/// # Errors
///
/// [`CommandError`].
pub fn write_folds(
    page: Page<'_>,
    (dataset, ids): (&Dataset, &[String]),
    settings: &Settings,
    evaluation: &Evaluation,
    splits: &[Split],
    runs: &[FoldRun],
    (began, terminal): (Instant, Terminal),
) -> Result<(), CommandError> {
    let bar = terminal.bar("report", None);
    let all: Vec<usize> = (0..dataset.len()).collect();
    let model = settings.fit_with(dataset, &all, |_| bar.still())?;
    let measured = model.space().measurer().measure(dataset, |_| bar.still())?;
    let measures: Vec<_> = measured.measures.iter().collect();
    let prediction = model.predict_measured(&measures)?;
    let audit = match dataset.len() <= MOST_AUDITED {
        true => {
            let (groups, found) = fingerprints(dataset, |_| bar.still())?;
            Some(Audit::of(dataset, (&groups, found), splits, runs)?)
        }
        false => None,
    };
    let seconds: f64 = runs.iter().map(|run| run.fit_seconds).sum();
    let content = Content::of(&Sources {
        origin: origin(began, Some(seconds)),
        dataset,
        ids,
        model: &model,
        prediction: &prediction,
        measures: &measured.measures,
        protocol: Protocol::Folds { evaluation, splits, runs, audit: audit.as_ref() },
        duplicates: duplicates(dataset),
    })?;
    drop(bar);
    let content = Content { origin: origin(began, Some(seconds)), ..content };
    page.write(&content)
}

fn origin(began: Instant, training: Option<f64>) -> Origin {
    let found = Provenance::of("hodgelet");
    let training =
        training.map_or(String::new(), |seconds| format!(", {seconds:.1} s of it in training folds"));
    Origin {
        command: found.command,
        version: found.version,
        commit: found.commit,
        made: format!("Made {} in {:.1} s{training}.", found.date, began.elapsed().as_secs_f64()),
    }
}
