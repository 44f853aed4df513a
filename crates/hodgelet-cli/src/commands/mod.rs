//! The subcommands, one file each: raw flags, settings, one function.

mod audit;
mod bench;
mod datasets;
mod decompose;
mod demo;
mod evaluate;
mod features;
mod fit;
mod generate;
mod info;
mod lift;
mod model_info;
mod predict;
mod reproduce;

use crate::error::CommandError;
use crate::progress::Terminal;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use std::ffi::OsString;

/// Graphs by Hodge-decomposed spectral wavelet features and Gaussian processes.
#[derive(Debug, Parser)]
#[command(name = "hodgelet", version, propagate_version = true, max_term_width = 100)]
pub struct Cli {
    #[command(flatten)]
    global: Global,
    #[command(subcommand)]
    command: Command,
}

/// Flags of every subcommand.
#[derive(Args, Clone, Debug)]
struct Global {
    /// Number of threads [default: all processors]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Say nothing on standard error but errors
    #[arg(long, short, global = true)]
    quiet: bool,
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
    /// What a dataset or a model holds
    Info(info::InfoArgs),
    /// Hodgelet features of every graph, to a CSV, NPY or JSONL file
    Features(Box<features::FeaturesArgs>),
    /// The exact, co-exact and harmonic parts of the signals of one graph
    Decompose(decompose::DecomposeArgs),
    /// Complexes from graphs and points, to a JSONL file
    Lift(Box<lift::LiftArgs>),
    /// Datasets there are, and how to get more
    #[command(subcommand)]
    Datasets(datasets::DatasetsCommand),
    /// Draws a built-in dataset and writes it as JSONL
    Generate(generate::GenerateArgs),
    /// The tables and the figure of the paper, from scratch, beside its numbers
    #[command(subcommand)]
    Reproduce(Box<reproduce::ReproduceCommand>),
    /// Test graphs that training has seen, and the score without them
    Audit(Box<audit::AuditArgs>),
    /// Times parts of the way from a dataset to features, and training
    #[command(subcommand)]
    Bench(bench::BenchCommand),
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

/// Runs a command to its end.
///
/// # Errors
///
/// [`CommandError`].
pub fn run(cli: Cli) -> Result<(), CommandError> {
    if let Some(threads) = cli.global.threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(usize::from(threads));
        pool.build_global()
            .map_err(|error| CommandError::usage(format!("{threads} threads: {error}"), None))?;
    }
    let terminal = Terminal { quiet: cli.global.quiet };
    // On a worker of the pool: from outside, every parallel loop would wait for one to wake up.
    rayon::scope(|_| dispatch(cli.command, terminal))
}

fn dispatch(command: Command, terminal: Terminal) -> Result<(), CommandError> {
    match command {
        Command::Demo(args) => demo::run(&args, terminal),
        Command::Evaluate(args) => evaluate::run(&args, terminal),
        Command::Fit(args) => fit::run(&args, terminal),
        Command::Predict(args) => predict::run(&args, terminal),
        Command::Info(args) => info::run(&args),
        Command::Features(args) => features::run(&args, terminal),
        Command::Decompose(args) => decompose::run(&args, terminal),
        Command::Lift(args) => lift::run(&args, terminal),
        Command::Datasets(command) => datasets::run(&command, terminal),
        Command::Generate(args) => generate::run(&args),
        Command::Reproduce(command) => reproduce::run(&command, terminal),
        Command::Audit(args) => audit::run(&args, terminal),
        Command::Bench(command) => bench::run(&command, terminal),
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
