//! Whole runs of the `hodgelet` command: output, exit status, files.

mod audit;
mod audited;
mod conformal;
mod datasets;
mod decompose;
mod demo;
mod errors;
mod evaluate;
mod explain;
mod features;
mod generate;
mod guide;
mod harness;
mod higher_order;
mod info;
mod lift;
mod limits;
mod manual;
mod models;
mod networks;
mod own;
mod quiet_faults;
mod replace;
mod report;
// Parts of the server serve other tests.
#[allow(dead_code)]
#[path = "../../src/download/tests/server.rs"]
mod server;
mod store;
mod tables;
#[cfg(target_os = "linux")]
mod terminal;
mod topology;
mod update;

use harness::{Run, TU_FILES, command, finished, listing, run, run_in, tiny, tu_file};

/// The program that is tested.
const PROGRAM: &str = env!("CARGO_BIN_EXE_hodgelet");
