//! The subcommands, one file each: flags and the function that runs them.

pub mod audit;
mod card;
mod datasets;
mod decompose;
mod demo;
pub mod evaluate;
mod explain;
mod features;
mod fit;
mod generate;
mod info;
pub mod lift;
mod manual;
mod measure;
mod model_info;
mod out_of_fold;
mod plot;
mod predict;
mod protocol;
mod regions;
mod report;
mod several;
mod update;

use crate::LAB_COMMAND;
use crate::error::CommandError;
use crate::memory;
use crate::progress::Terminal;
use clap::error::{ContextKind, ContextValue};
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use hodgelet::complex::{DEFAULT_MAX_CELLS, set_max_cells};
use std::ffi::OsString;
use std::time::Instant;

/// Graphs by Hodge-decomposed spectral wavelet features and Gaussian processes.
#[derive(Debug, Parser)]
#[command(name = "hodgelet", version, propagate_version = true, max_term_width = 100)]
pub struct Cli {
    #[command(flatten)]
    global: GlobalArgs,
    #[command(subcommand)]
    command: Command,
}

/// Flags of every subcommand.
#[derive(Args, Clone, Debug)]
pub struct GlobalArgs {
    /// Number of threads [default: all processors]
    #[arg(long, global = true, hide_short_help = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Memory that the program may take, in MB; it ends with a message rather than take more [default: 80% of what is free]
    #[arg(long, global = true, hide_short_help = true, value_name = "MB")]
    memory: Option<usize>,
    /// Most cells of one dimension that cliques, close points, hyperedges or pairs of edges of one graph may become
    #[arg(long, global = true, hide_short_help = true, value_name = "N", default_value_t = DEFAULT_MAX_CELLS)]
    max_cells: usize,
    /// Print nothing but errors on standard error
    #[arg(long, short, global = true, hide_short_help = true)]
    quiet: bool,
    /// Say on standard error what is done and when: what is read, every step of training, every fold
    #[arg(long, short, global = true, hide_short_help = true, conflicts_with = "quiet")]
    verbose: bool,
}

impl GlobalArgs {
    /// Runs `work` to its end, with the number of threads, the memory and the quietness asked for.
    ///
    /// # Errors
    ///
    /// [`CommandError`] of `work`, or when the threads cannot be started.
    pub fn run(
        &self,
        work: impl FnOnce(Terminal) -> Result<(), CommandError> + Send,
    ) -> Result<(), CommandError> {
        memory::set(self.memory);
        set_max_cells(self.max_cells);
        if let Some(threads) = self.threads {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(usize::from(threads));
            pool.build_global()
                .map_err(|error| CommandError::usage(format!("{threads} threads: {error}"), None))?;
        }
        let terminal = Terminal { quiet: self.quiet, verbose: self.verbose.then(Instant::now) };
        let version = env!("CARGO_PKG_VERSION");
        terminal.detail(|| format!("hodgelet {version}, {} threads", rayon::current_num_threads()));
        // On a worker of the pool: from outside, every parallel loop would wait for one to wake up.
        let result = rayon::scope(|_| work(terminal));
        terminal.detail(|| String::from(if result.is_ok() { "done" } else { "ended by an error" }));
        result
    }
}

#[derive(Debug, Subcommand)]
enum Command {
    /// The main job on built-in data: evaluate, train, save, load, predict, explain
    Demo(demo::DemoArgs),
    /// Cross-validates a model on a dataset
    Evaluate(Box<evaluate::EvaluateArgs>),
    /// Trains a model on all graphs of a dataset and saves it
    Fit(Box<fit::FitArgs>),
    /// Predicts the graphs of a dataset with a saved model, and says why
    Predict(predict::PredictArgs),
    /// Where the prediction of one graph comes from: blocks, vertices, edges
    Explain(explain::ExplainArgs),
    /// A page of HTML: how good a model is on a dataset, what it learned, and where it is wrong
    Report(Box<report::ReportArgs>),
    /// Pictures of models, graphs and predictions, as SVG, PNG or PDF
    #[command(subcommand)]
    Plot(Box<plot::PlotCommand>),
    /// A model card in Markdown, from what a model file holds
    Card(card::CardArgs),
    /// Adds labelled graphs to what a saved model has learned from
    Update(update::UpdateArgs),
    /// Takes the spectra of a dataset once, to a store that fit, evaluate and predict read
    Measure(Box<measure::MeasureArgs>),
    /// What a dataset, a store or a model holds
    Info(info::InfoArgs),
    /// Hodgelet features of every graph, to a CSV, NPY or JSONL file
    Features(Box<features::FeaturesArgs>),
    /// The exact, co-exact and harmonic parts of the signals of one graph
    Decompose(Box<decompose::DecomposeArgs>),
    /// Complexes from graphs and points, to a JSONL file
    Lift(Box<lift::LiftArgs>),
    /// Lists datasets and downloads more
    #[command(subcommand)]
    Datasets(datasets::DatasetsCommand),
    /// Draws a built-in dataset and writes it as JSONL
    Generate(generate::GenerateArgs),
    /// Test graphs that training has seen, and the score without them
    Audit(Box<audit::AuditArgs>),
    /// Prints completions for a shell
    Completions(manual::CompletionsArgs),
    /// Prints a manual page
    Man(manual::ManArgs),
}

/// The command that some arguments ask for.
///
/// # Errors
///
/// What is wrong with the arguments, or the help that was asked for.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Cli, clap::Error> {
    let command =
        Cli::command().mut_subcommand("generate", |command| command.after_help(generate::recipes()));
    Cli::from_arg_matches(&command.try_get_matches_from(arguments)?)
}

/// Commands of `hodgelet-lab` that people may look for here.
const LAB_COMMANDS: [&str; 2] = ["reproduce", "bench"];

/// The error for arguments that ask for a command of `hodgelet-lab` or for a kernel by another of its names; none for other
/// mistakes.
#[must_use]
pub fn elsewhere(error: &clap::Error) -> Option<CommandError> {
    if let (Some(ContextValue::String(flag)), Some(ContextValue::String(value))) =
        (error.get(ContextKind::InvalidArg), error.get(ContextKind::InvalidValue))
        && flag.starts_with("--kernel")
        && ["rbf", "gaussian", "squared-exponential"].contains(&value.to_ascii_lowercase().as_str())
    {
        let hint = "the squared exponential is called se: --kernel se";
        return Some(CommandError::usage(
            format!("--kernel {value} is not the name of a kernel here"),
            Some(hint),
        ));
    }
    let Some(ContextValue::String(name)) = error.get(ContextKind::InvalidSubcommand) else { return None };
    LAB_COMMANDS.contains(&name.as_str()).then(|| {
        let hint = format!("in the source tree, `{LAB_COMMAND} {name} …` runs it");
        CommandError::usage(format!("`{name}` is not a command of hodgelet"), Some(&hint))
    })
}

/// Runs a command to its end.
///
/// # Errors
///
/// [`CommandError`].
pub fn run(cli: Cli) -> Result<(), CommandError> {
    cli.global.run(|terminal| dispatch(cli.command, terminal))
}

fn dispatch(command: Command, terminal: Terminal) -> Result<(), CommandError> {
    match command {
        Command::Demo(args) => demo::run(&args, terminal),
        Command::Evaluate(args) => evaluate::run(&args, terminal),
        Command::Fit(args) => fit::run(&args, terminal),
        Command::Predict(args) => predict::run(&args, terminal),
        Command::Explain(args) => explain::run(&args, terminal),
        Command::Report(args) => report::run(&args, terminal),
        Command::Plot(command) => plot::run(&command, terminal),
        Command::Card(args) => card::run(&args, terminal),
        Command::Update(args) => update::run(&args, terminal),
        Command::Measure(args) => measure::run(&args, terminal),
        Command::Info(args) => info::run(&args),
        Command::Features(args) => features::run(&args, terminal),
        Command::Decompose(args) => decompose::run(&args, terminal),
        Command::Lift(args) => lift::run(&args, terminal),
        Command::Datasets(command) => datasets::run(&command, terminal),
        Command::Generate(args) => generate::run(&args, terminal),
        Command::Audit(args) => audit::run(&args, terminal),
        Command::Completions(args) => manual::completions(&args),
        Command::Man(args) => manual::man(&args),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flags_do_not_contradict_each_other() {
        Cli::command().debug_assert();
    }
}
