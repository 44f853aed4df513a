//! `hodgelet-lab`: the experiments of the paper, reproduced, the benchmarks, and the coverage of intervals.
//!
//! A program for those who work on hodgelet or read the paper, run from the source tree and not shipped. Flags, progress,
//! results and exit status are those of the `hodgelet` command, whose library it builds on.

mod bench;
mod coverage;
mod figures;
mod honest;
mod priors;
mod reproduce;

use clap::{Parser, Subcommand};
use hodgelet_cli::commands::GlobalArgs;
use hodgelet_cli::memory::Budget;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: Budget = Budget;

/// The experiments of the paper, reproduced, and the benchmarks of hodgelet.
#[derive(Debug, Parser)]
#[command(name = "hodgelet-lab", version, propagate_version = true, max_term_width = 100)]
struct Lab {
    #[command(flatten)]
    global: GlobalArgs,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// The tables and the figure of the paper, from scratch, beside its numbers
    #[command(subcommand)]
    Reproduce(Box<reproduce::ReproduceCommand>),
    /// Times the steps from a dataset to features, and training
    #[command(subcommand)]
    Bench(bench::BenchCommand),
    /// Whether intervals hold what they promise and probabilities are right, when data are few
    Coverage(Box<coverage::CoverageArgs>),
    /// The whole protocol of calibration: simulated and real data, seeds, conformal regions, beside what must hold
    Honest(Box<honest::HonestArgs>),
    /// The figures of the paper: fields with and without curl, their projections on a mesh, and accuracy by noise
    Figures(Box<figures::FiguresArgs>),
    /// What the priors imply before a target is seen: shares of explained variance, probabilities of classes
    Priors(Box<priors::PriorsArgs>),
}

fn main() -> ExitCode {
    let status = hodgelet_cli::run_parsed(Lab::try_parse(), |lab| {
        lab.global.run(|terminal| match &lab.command {
            Command::Reproduce(command) => reproduce::run(command, terminal),
            Command::Bench(command) => bench::run(command, terminal),
            Command::Coverage(args) => coverage::run(args, terminal),
            Command::Honest(args) => honest::run(args, terminal),
            Command::Figures(args) => figures::run(args, terminal),
            Command::Priors(args) => priors::run(args, terminal),
        })
    });
    ExitCode::from(status)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_flags_do_not_contradict_each_other() {
        Lab::command().debug_assert();
    }
}
