//! The `hodgelet` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    hodgelet_cli::main()
}
