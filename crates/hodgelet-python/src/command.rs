//! The command, for the script that the wheel installs.

use pyo3::prelude::*;
use std::ffi::OsString;

/// Runs the `hodgelet` command with `arguments` (the name of the program first) and returns its exit status.
///
/// It takes over interrupts, so it is for a process of its own.
#[pyfunction]
pub fn run_command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| hodgelet_cli::run_command(arguments))
}
