//! The `hodgelet` command as a library: flags become settings, and each subcommand is one function of them.
//!
//! Results go to standard output, everything else to standard error. The exit status is 0 when the command did
//! what it was asked, 1 when the input was at fault (bad flags included), 2 when the program was, and 130 when the user
//! interrupted it.

pub mod commands;
pub mod download;
pub mod error;
pub mod homology;
pub mod memory;
pub mod model_args;
pub mod narrow;
pub mod network;
pub mod output;
pub mod progress;
pub mod provenance;
pub mod source;
pub mod spark;
pub mod table;
pub mod topology;
pub mod visible;

use error::{CommandError, INPUT_AT_FAULT, PROGRAM_AT_FAULT};
use std::ffi::OsString;
use std::io::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

/// How `hodgelet-lab`, the program of experiments and benchmarks, is run from the source tree.
pub const LAB_COMMAND: &str = "cargo run --release -p hodgelet-lab --";

/// Runs the command given by the arguments of the process.
#[must_use]
pub fn main() -> ExitCode {
    ExitCode::from(run_command(std::env::args_os()))
}

/// Runs the command given by `arguments`, the name of the program first, and returns the exit status.
///
/// It takes over the interrupts of the process, and may end it.
#[must_use]
pub fn run_command(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let parsed = commands::parse(arguments);
    if let Some(error) = parsed.as_ref().err().and_then(commands::elsewhere) {
        progress::print_error(&error);
        return error.status();
    }
    run_parsed(parsed, commands::run)
}

/// Runs `run` on what was parsed of the arguments, or prints why nothing was, and returns the exit status.
///
/// It takes over the interrupts of the process, and may end it.
#[must_use]
pub fn run_parsed<T>(parsed: Result<T, clap::Error>, run: impl FnOnce(T) -> Result<(), CommandError>) -> u8 {
    let parsed = match parsed {
        Ok(parsed) => parsed,
        Err(error) => {
            // Help and version are errors to the parser; only the others go to standard error.
            let status = if error.use_stderr() { INPUT_AT_FAULT } else { 0 };
            let _ = error.print();
            return status;
        }
    };
    progress::watch_interrupts();
    match catch_unwind(AssertUnwindSafe(|| run(parsed))) {
        Ok(Ok(())) => 0,
        // A reader that stops early, such as `head`, is not an error.
        Ok(Err(CommandError::Stdout(error))) if error.kind() == ErrorKind::BrokenPipe => 0,
        Ok(Err(error)) => {
            progress::print_error(&error);
            error.status()
        }
        // The panic has printed what and where.
        Err(_) => PROGRAM_AT_FAULT,
    }
}
