//! `hodgelet audit`: test graphs that a model has seen before, and what its score is without them.

use super::evaluate::{Items, k_fold, watch_folds};
use crate::error::CommandError;
use crate::model_args::{ModelArgs, check_read};
use crate::output::{self, ForceArgs, Format, Report, facts, json, table, write_atomic};
use crate::progress::Terminal;
use crate::provenance::Provenance;
use crate::source::DatasetArgs;
use clap::Args;
use hodgelet::output::{Kind, Output};
use hodgelet_eval::audit::{Audit, FoldAudit, Score, fingerprints};
use hodgelet_eval::cross_validate::{MEMORY_BUDGET, cross_validate};
use hodgelet_eval::metrics::Summary;
use hodgelet_eval::splits::KFoldParams;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::Instant;

/// Flags of `hodgelet audit`.
#[derive(Args, Debug)]
#[command(
    after_help = "Two graphs count as alike when all their Hodgelet features (from every degree, label and attribute
of vertices and edges) are equal. This is a fingerprint: isomorphic graphs always have equal
features, but equal features do not prove isomorphism. Color refinement gives a second estimate.

Examples:
  hodgelet audit sbm
  hodgelet audit MUTAG --folds 10 --seed 0 --out results"
)]
pub struct AuditArgs {
    #[command(flatten)]
    source: DatasetArgs,
    #[command(flatten)]
    model: ModelArgs,
    /// Number of folds
    #[arg(long, default_value_t = 10)]
    folds: usize,
    /// Train on the fold that the protocol sets aside, too
    #[arg(long)]
    train_on_validation: bool,
    /// How the result is printed
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Folder for the result as audit-DATASET.json
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
}

/// An audit, with its subject and provenance.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AuditReport {
    /// The dataset.
    pub dataset: String,
    /// The model that was scored.
    pub model: String,
    /// Graphs in the dataset.
    pub graphs: usize,
    /// What was found.
    #[serde(flatten)]
    pub audit: Audit,
    /// Wall-clock time.
    pub seconds: f64,
    /// Where the numbers come from.
    pub provenance: Provenance,
}

/// Audits a dataset.
///
/// # Errors
///
/// [`CommandError`].
pub fn run(args: &AuditArgs, terminal: Terminal) -> Result<(), CommandError> {
    let began = Instant::now();
    let read = args.source.read(terminal)?;
    if let Some(folder) = &args.out {
        output::make_folder(folder)?;
    }
    let seed = args.source.seed;
    let settings = args.model.given_settings(seed)?;
    check_read(&settings, &read)?;
    let dataset = read.dataset;
    let (folds, train_on_validation) = (args.folds, args.train_on_validation);
    let splits = k_fold(Items::of(&dataset), KFoldParams { folds, repeats: 1, seed, train_on_validation })?;
    let bar = terminal.bar("measuring energies", Some(dataset.len() as u64));
    let (groups, found) = fingerprints(&dataset, |done| bar.at(done as u64))?;
    drop(bar);
    let bar = terminal.bar("folds", Some(splits.len() as u64));
    let runs = cross_validate(
        &dataset,
        &settings,
        &splits,
        MEMORY_BUDGET,
        watch_folds(&bar, splits.len(), terminal),
    )?;
    drop(bar);
    let report = AuditReport {
        audit: Audit::of(&dataset, (&groups, found), &splits, &runs)?,
        graphs: dataset.len(),
        dataset: dataset.name().to_owned(),
        model: settings.method.title().to_owned(),
        seconds: began.elapsed().as_secs_f64(),
        provenance: Provenance::of("hodgelet"),
    };
    if let Some(folder) = &args.out {
        let safe = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' };
        let name: String = report.dataset.chars().map(safe).collect();
        let text = json(&report)?;
        let path = folder.join(format!("audit-{name}.json"));
        let output = Output::new(&path, Kind::REPORT).forced(args.force.force);
        output.check_inputs(args.source.inputs())?;
        write_atomic(output, |out| out.write_all(text.as_bytes()))?;
    }
    output::print(&report, args.format)
}

impl AuditReport {
    fn is_accuracy(&self) -> bool {
        self.audit.score == Score::Accuracy
    }

    /// A score as people read it: percent for shares.
    fn number(&self, score: f64) -> String {
        if self.is_accuracy() { format!("{:.2}", 100.0 * score) } else { format!("{score:.4}") }
    }

    fn spread(&self, summary: &Summary) -> String {
        let scale = if self.is_accuracy() { 100.0 } else { 1.0 };
        let error = summary.standard_error.map(|e| format!("  (standard error {:.2})", scale * e));
        let digits = if self.is_accuracy() { 2 } else { 4 };
        let (mean, std) = (scale * summary.mean, scale * summary.std);
        format!("{mean:.digits$} ± {std:.digits$}{}", error.unwrap_or_default())
    }

    /// One line of a table of several audits.
    pub fn line(&self) -> Vec<String> {
        let percent = |share: f64| format!("{:.1}", 100.0 * share);
        vec![
            self.dataset.clone(),
            self.graphs.to_string(),
            self.audit.fingerprints.distinct.to_string(),
            percent(self.audit.seen_share),
            percent(self.audit.contradicted_share),
            self.audit.fingerprints.ceiling.map_or_else(|| "–".to_owned(), percent),
            self.audit.score.name().to_owned(),
            self.number(self.audit.all.mean),
            self.audit.without.as_ref().map_or_else(|| "–".to_owned(), |s| self.number(s.mean)),
        ]
    }
}

impl Report for AuditReport {
    fn text(&self) -> String {
        let f = &self.audit.fingerprints;
        let percent = |share: f64| format!("{:.1}%", 100.0 * share);
        let mut rows = vec![
            ("dataset", self.dataset.clone()),
            ("model", self.model.clone()),
            ("graphs", self.graphs.to_string()),
            ("distinct by fingerprint", f.distinct.to_string()),
            ("distinct by colors", f.distinct_by_colors.to_string()),
            ("pairs alike by one, not both", f.disagreements.to_string()),
            ("graphs with a contradicting twin", f.contradicting.to_string()),
            ("test graphs seen in training", percent(self.audit.seen_share)),
            ("and contradicted there", percent(self.audit.contradicted_share)),
        ];
        rows.extend(f.ceiling.map(|ceiling| ("ceiling of any such model", percent(ceiling))));
        let unit = if self.is_accuracy() { "%" } else { "" };
        let all = if unit.is_empty() { "RMSE, all test graphs" } else { "accuracy, %, all test graphs" };
        let without = if unit.is_empty() { "RMSE, unseen only" } else { "accuracy, %, unseen only" };
        rows.push((all, self.spread(&self.audit.all)));
        rows.push((
            without,
            self.audit.without.as_ref().map_or_else(|| "no such graph".to_owned(), |s| self.spread(s)),
        ));
        rows.push(("time", format!("{:.1} s", self.seconds)));
        let dash = |score: Option<f64>| score.map_or_else(|| "–".to_owned(), |s| self.number(s));
        let cells = |v: &FoldAudit| {
            let counts = [v.fold, v.test, v.seen, v.contradicted].map(|n| n.to_string());
            counts.into_iter().chain([self.number(v.all), dash(v.without), dash(v.on_seen)]).collect()
        };
        let header = ["fold", "test", "seen", "contradicted", "all", "unseen only", "seen only"];
        let folds = table(&header, &[0, 1, 2, 3, 4, 5, 6], self.audit.folds.iter().map(cells));
        format!("{}\n\n{folds}", facts(&rows))
    }
}
