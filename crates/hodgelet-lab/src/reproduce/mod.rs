//! `hodgelet-lab reproduce`: the tables and the figure of the paper, run from scratch, beside what it printed.

mod cells;
mod contender;
mod experiment;
mod files;
mod mantra;
mod outcome;
mod page;
mod published;
mod text;

use clap::builder::RangedU64ValueParser;
use clap::{Args, Subcommand};
use contender::Contender;
use experiment::Experiment;
use hodgelet_cli::error::CommandError;
use hodgelet_cli::output::{self, Format};
use hodgelet_cli::progress::Terminal;
use hodgelet_cli::source::DataDirArgs;
use std::path::PathBuf;

/// The experiments of \[Alain24\].
#[derive(Debug, Subcommand)]
pub enum ReproduceCommand {
    /// Accuracy on six datasets: WT-GP and WT-GP-Hodge as published, and this program's own settings
    Table1(Table1Args),
    /// Accuracy on vector fields by the size of their meshes: line graph, Hodge split, de Rham map, mesh metric
    Table2(Table2Args),
    /// Accuracy on vector fields by the level of their noise
    Figure1(Figure1Args),
    /// Betti numbers, orientability and type of triangulated surfaces, held out and under refinement
    Mantra(mantra::MantraArgs),
    /// The results page, in Markdown, from the JSON files of a folder
    Page(page::PageArgs),
}

/// What the experiments have in common.
#[derive(Args, Clone, Debug)]
pub struct RunArgs {
    #[command(flatten)]
    data_dir: DataDirArgs,
    /// A small version: fewer rows, 5 folds, 15 steps of the optimizer
    #[arg(long)]
    quick: bool,
    /// Number of shuffles, each split into all folds; generated data are drawn again for each
    #[arg(long, value_name = "R", default_value_t = 1, value_parser = positive())]
    repeats: usize,
    /// Seed of the first shuffle, of the filters, and of data that are drawn
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub seed: u64,
    /// Number of folds [default: 10; quick: 5]
    #[arg(long, value_name = "K")]
    folds: Option<usize>,
    /// At most this many steps of the optimizer [default: 60; quick: 15]
    #[arg(long, value_name = "N", value_parser = positive())]
    iterations: Option<usize>,
    /// Train on the fold that the published protocol sets aside, too
    #[arg(long)]
    train_on_validation: bool,
    /// Models to run [default: those of the table]
    #[arg(long, value_enum, value_delimiter = ',', value_name = "MODEL,...")]
    models: Vec<Contender>,
    /// Folder for JSON, CSV and SVG; finished cells are kept there, and a second run goes on from them
    #[arg(long, value_name = "DIR", default_value = "results")]
    pub out: PathBuf,
    /// How the result is printed
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

fn positive() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(1..)
}

impl RunArgs {
    fn folds(&self) -> usize {
        self.folds.unwrap_or(if self.quick { 5 } else { 10 })
    }

    fn iterations(&self) -> usize {
        self.iterations.unwrap_or(if self.quick { 15 } else { 60 })
    }
}

/// Flags of `hodgelet-lab reproduce table1`.
#[derive(Args, Debug)]
pub struct Table1Args {
    #[command(flatten)]
    run: RunArgs,
    /// Datasets [default: the six of the paper that are at hand; quick: MUTAG, ring-vs-clique, sbm]
    #[arg(long, value_delimiter = ',', value_name = "NAME,...")]
    sets: Vec<String>,
}

/// Flags of `hodgelet-lab reproduce table2`.
#[derive(Args, Debug)]
pub struct Table2Args {
    #[command(flatten)]
    run: RunArgs,
    /// Vertices of the meshes [default: the nine sizes of the paper; quick: 25, 100, 200]
    #[arg(long, value_delimiter = ',', value_name = "N,...")]
    sizes: Vec<usize>,
    /// A parameter of `vector-fields`; repeat for several
    #[arg(long = "set", value_name = "NAME=VALUE")]
    settings: Vec<String>,
}

/// Flags of `hodgelet-lab reproduce figure1`.
#[derive(Args, Debug)]
pub struct Figure1Args {
    #[command(flatten)]
    pub run: RunArgs,
    /// Standard deviations of the noise [default: 0, 0.25, 0.5, 1, 1.5, 2, 3; quick: 0.5, 1, 2]
    #[arg(long, value_delimiter = ',', value_name = "R,...")]
    levels: Vec<f64>,
    /// Vertices of the meshes
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub vertices: usize,
    /// A parameter of `vector-fields`; repeat for several
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub settings: Vec<String>,
}

/// Runs an experiment, or writes the page.
///
/// # Errors
///
/// [`CommandError`].
pub fn run(command: &ReproduceCommand, terminal: Terminal) -> Result<(), CommandError> {
    match command {
        ReproduceCommand::Table1(args) => {
            run_experiment(&experiment::table1(&args.run, &args.sets), &args.run, terminal)
        }
        ReproduceCommand::Table2(args) => {
            let plan = experiment::table2(&args.run, &args.sizes, &args.settings)?;
            run_experiment(&plan, &args.run, terminal)
        }
        ReproduceCommand::Figure1(args) => figure1(args, terminal),
        ReproduceCommand::Mantra(args) => mantra::run(args, terminal),
        ReproduceCommand::Page(args) => page::run(args),
    }
}

/// Runs what is missing of the noise curve, and draws it.
///
/// # Errors
///
/// [`CommandError`].
pub fn figure1(args: &Figure1Args, terminal: Terminal) -> Result<(), CommandError> {
    let plan = experiment::figure1(&args.run, &args.levels, args.vertices, &args.settings)?;
    run_experiment(&plan, &args.run, terminal)
}

fn run_experiment(plan: &Experiment, args: &RunArgs, terminal: Terminal) -> Result<(), CommandError> {
    let outcome = cells::run(plan, args, terminal)?;
    files::write(&outcome, &args.out)?;
    output::print(&outcome, args.format)
}
