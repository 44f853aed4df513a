//! Commands that are killed, and disks that are full or read-only: a file is the old one or the new one, never half of it;
//! finished work is not lost; and the next run leaves nothing behind that is not its result.
//!
//! `HODGELET_KILLS` is the number of kills of each command; `cargo test -p hodgelet-cli --test survival -- --nocapture` prints
//! how many there were.

mod cases;
mod disks;
mod kills;
// Parts of these serve other tests.
#[allow(dead_code)]
#[path = "../command/harness.rs"]
mod harness;
#[allow(dead_code)]
#[path = "../../src/download/tests/server.rs"]
mod server;

/// The program that is tested.
const PROGRAM: &str = env!("CARGO_BIN_EXE_hodgelet");
