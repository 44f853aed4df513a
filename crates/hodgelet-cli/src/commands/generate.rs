//! `hodgelet generate`: built-in datasets as files.

use crate::error::CommandError;
use crate::output::{self, ForceArgs, Format, Report, facts};
use crate::progress::Terminal;
use crate::source::{draw, nearest};
use clap::Args;
use hodgelet::output::{Kind, Output};
use hodgelet_data::generate::{Builtin, builtin};
use serde::Serialize;
use std::path::PathBuf;

/// Flags of `hodgelet generate`; its help ends with [`recipes`].
#[derive(Args, Debug)]
pub struct GenerateArgs {
    /// Name of a built-in dataset
    name: String,
    /// File to write, ending in .jsonl; - is standard output
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    force: ForceArgs,
    /// A parameter of the dataset; repeat for several
    #[arg(long = "set", value_name = "NAME=VALUE")]
    settings: Vec<String>,
    /// Seed of everything that is drawn
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// How the summary is printed
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Debug, Serialize)]
struct Summary {
    name: String,
    seed: u64,
    graphs: usize,
    vertices: usize,
    edges: usize,
    out: PathBuf,
}

/// Draws a dataset and writes it.
///
/// # Errors
///
/// [`CommandError`].
pub fn run(args: &GenerateArgs, terminal: Terminal) -> Result<(), CommandError> {
    let recipe = builtin(&args.name).ok_or_else(|| unknown(&args.name))?;
    let output = Output::new(&args.out, Kind::DATASET).forced(args.force.force);
    output::check_extension(&args.out, &["jsonl"])?;
    output::check_out(output, &[])?;
    let dataset = draw(recipe, &args.settings, args.seed)?.dataset;
    output::write_dataset(output, &dataset, &[])?;
    let total = |k: usize| dataset.complexes().iter().map(|complex| complex.n_cells(k)).sum();
    let summary = Summary {
        name: dataset.name().to_owned(),
        seed: args.seed,
        graphs: dataset.len(),
        vertices: total(0),
        edges: total(1),
        out: args.out.clone(),
    };
    output::print_beside(&args.out, &summary, args.format, terminal)
}

fn unknown(name: &str) -> CommandError {
    let names = Builtin::all().map(|recipe| recipe.name());
    let hint = nearest(name, names.into_iter()).map(|near| format!("did you mean `{near}`?"));
    let message = format!("no built-in dataset `{name}`, expected one of {}", names.join(", "));
    CommandError::Usage { message, hint }
}

impl Report for Summary {
    fn text(&self) -> String {
        facts(&[
            ("name", self.name.clone()),
            ("seed", self.seed.to_string()),
            ("graphs", self.graphs.to_string()),
            ("vertices", self.vertices.to_string()),
            ("edges", self.edges.to_string()),
            ("written to", self.out.display().to_string()),
        ])
    }
}

/// The built-in datasets with their parameters, for the end of the help.
#[must_use]
pub fn recipes() -> String {
    let mut text = "Examples:
  hodgelet generate surfaces --out surfaces.jsonl
  hodgelet generate vector-fields --set n_vertices=50 --seed 1 --out fields.jsonl

Built-in datasets and their parameters with default values:"
        .to_owned();
    for recipe in Builtin::all() {
        text += &format!("\n  {}: {}", recipe.name(), recipe.description());
        for (name, value) in recipe.parameters() {
            text += &format!("\n      {name}={value}");
        }
    }
    text
}
