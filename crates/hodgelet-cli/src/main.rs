//! The `hodgelet` command.

use hodgelet_cli::memory::Budget;
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: Budget = Budget;

fn main() -> ExitCode {
    hodgelet_cli::main()
}
