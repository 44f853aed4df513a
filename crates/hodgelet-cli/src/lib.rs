//! The `hodgelet` command as a library: flags become settings, and each subcommand is one function of them.
//!
//! Results go to standard output, everything else to standard error. The exit status is 0 when the command did
//! what it was asked, 1 when the input was at fault (bad flags included) or the user interrupted it, and 2 when
//! the program was.

pub mod args;
pub mod commands;
pub mod download;
pub mod error;
pub mod model_args;
pub mod output;
pub mod progress;
pub mod provenance;
pub mod source;
pub mod topology;

use error::{CommandError, INPUT_AT_FAULT, PROGRAM_AT_FAULT};
use std::io::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

/// Runs the command given by the arguments of the process.
#[must_use]
pub fn main() -> ExitCode {
    let cli = match commands::parse(std::env::args_os()) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are errors to the parser; only the others go to standard error.
            let status = if error.use_stderr() { INPUT_AT_FAULT } else { 0 };
            let _ = error.print();
            return ExitCode::from(status);
        }
    };
    progress::watch_interrupts();
    match catch_unwind(AssertUnwindSafe(|| commands::run(cli))) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        // A reader that has seen enough, such as `head`, is no fault.
        Ok(Err(CommandError::Stdout(error))) if error.kind() == ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Ok(Err(error)) => {
            progress::print_error(&error);
            ExitCode::from(error.status())
        }
        // The panic has printed what and where.
        Err(_) => ExitCode::from(PROGRAM_AT_FAULT),
    }
}
