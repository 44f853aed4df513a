//! `hodgelet update`: new labelled graphs for a model that is trained.

use super::fit::save;
use super::model_info::{ModelInfo, describe_model, load};
use crate::error::CommandError;
use crate::output::{self, ForceArgs, Format, Report};
use crate::progress::Terminal;
use crate::source::DatasetArgs;
use clap::Args;
use hodgelet::model::{Basis, Stage, UpdateParams};
use hodgelet::output::{Kind, Output};
use hodgelet_data::counted;
use serde::Serialize;
use std::path::PathBuf;

/// Flags of `hodgelet update`.
#[derive(Args, Debug)]
#[command(
    after_help = "The new graphs join the posterior; filters, kernel and noise stay as they are. A full posterior
becomes that of all graphs. A sparse one holds what the graphs that it was trained on add up to: with Gaussian
noise on numbers that is exact, elsewhere it is exact when these graphs are given again by --with. A guarantee
of --conformal is lost, since graphs were held out of another model.

Examples:
  hodgelet update model.hodgelet new-graphs.jsonl --out model2.hodgelet
  hodgelet update model.hodgelet new-graphs.jsonl --with old-graphs.jsonl --retrain --out model2.hodgelet"
)]
pub struct UpdateArgs {
    /// File of the model
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    #[command(flatten)]
    source: DatasetArgs,
    /// The graphs that the model was trained on
    #[arg(long, value_name = "DATASET")]
    with: Option<String>,
    /// Train the hyperparameters further, from where they are; needs --with
    #[arg(long, requires = "with")]
    retrain: bool,
    /// File of the new model; - is standard output, MODEL itself needs --force
    #[arg(long, value_name = "MODEL", help_heading = "Output")]
    out: PathBuf,
    #[command(flatten)]
    force: ForceArgs,
    /// How the summary is printed
    #[arg(long, value_enum, default_value_t, help_heading = "Output")]
    format: Format,
}

/// What was written.
#[derive(Debug, Serialize)]
struct Updated {
    added: usize,
    #[serde(flatten)]
    model: ModelInfo,
    out: PathBuf,
}

/// Adds graphs to a model and saves it.
///
/// # Errors
///
/// [`CommandError`].
pub fn run(args: &UpdateArgs, terminal: Terminal) -> Result<(), CommandError> {
    let output = Output::new(&args.out, Kind::MODEL).forced(args.force.force);
    let mut inputs = args.source.inputs();
    let with = args.with.iter().map(|name| DatasetArgs { dataset: name.clone(), ..args.source.clone() });
    inputs.extend(with.flat_map(|source| source.inputs()));
    if !args.force.force {
        inputs.push(args.model.clone());
    }
    output::check_out(output, &inputs)?;
    let model = load(&args.model)?;
    let source = args.source.for_update(&model);
    let new = source.read(terminal)?.dataset;
    let with = |name: &String| DatasetArgs { dataset: name.clone(), ..source.clone() }.read(terminal);
    let old = args.with.as_ref().map(with).transpose()?;
    let n_trained = model.summary().n_train;
    if let Some(found) = old.as_ref().map(|read| read.dataset.len()).filter(|found| *found != n_trained) {
        terminal.warn(&format!(
            "--with has {}, but the model was trained on {n_trained}: those that are not given again are forgotten",
            counted(found, "graph")
        ));
    }
    if model.basis() != Basis::Model {
        terminal.warn("the guarantee is lost: fit again with --conformal to have one");
    }
    let params = UpdateParams { old: old.as_ref().map(|read| &read.dataset), retrain: args.retrain };
    let bar = terminal.bar("graphs", Some(new.len() as u64));
    let updated = model.update(&new, params, |stage| match stage {
        Stage::Measuring { done, .. } => bar.at(done as u64),
        _ => bar.still(),
    })?;
    drop(bar);
    save(&updated, output)?;
    let report = Updated { added: new.len(), model: describe_model(&updated), out: args.out.clone() };
    output::print_beside(&args.out, &report, args.format, terminal)
}

impl Report for Updated {
    fn text(&self) -> String {
        let added = counted(self.added, "graph");
        format!("{added} added\n\n{}\n\nwritten to  {}", self.model.text(), self.out.display())
    }
}
