//! Whole runs of `hodgelet-lab`: output, exit status, files.

mod bench;
mod coverage;
mod figures;
mod mantra;
// Parts of it serve the tests of the `hodgelet` command.
#[allow(dead_code)]
#[path = "../../../hodgelet-cli/tests/command/harness.rs"]
mod harness;
mod reproduce;

use harness::{command, listing, run, run_in, tiny};

/// The program that is tested.
const PROGRAM: &str = env!("CARGO_BIN_EXE_hodgelet-lab");

#[test]
fn help_and_version_are_results() {
    assert!(run(&["--help"]).result().contains("reproduce"));
    assert!(run(&["bench", "train", "--help"]).result().contains("hodgelet-lab bench train sbm"));
    assert_eq!(run(&["--version"]).result(), format!("hodgelet-lab {}\n", env!("CARGO_PKG_VERSION")));
}
