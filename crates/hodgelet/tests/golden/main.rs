//! Numbers computed by other software. Those under `testdata` are beside the scripts that made them; those of
//! the reference hold graphs of published datasets and are read from the directory `HODGELET_GOLDEN`.

mod cells;
mod gudhi;
mod kernel;
mod labels;
mod mcmc;
mod networkx;
mod precise;
mod pygsp;
mod toponetx;
mod wt_gradient;
mod wt_reference;
mod xgi;

use hodgelet::signal::{Orientation, Signal};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The golden file `name` of the reference, or nothing, with a notice, when no directory is given.
fn golden(name: &str) -> Option<Value> {
    let Some(directory) = std::env::var_os("HODGELET_GOLDEN") else {
        // Not `eprintln!`, which the test harness keeps to itself when a test passes.
        let message = format!("SKIPPED: {name} was not compared, because HODGELET_GOLDEN is not set");
        writeln!(std::io::stderr(), "{message}").expect("stderr can be written to");
        return None;
    };
    Some(read(&PathBuf::from(directory).join(name)))
}

/// The golden file at `path` under `testdata`.
fn testdata<T: DeserializeOwned>(path: &str) -> T {
    read(&Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata")).join(path))
}

fn read<T: DeserializeOwned>(path: &Path) -> T {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Fails, naming the case, unless both lists have one length and agree to `tolerance`, relative to the expected
/// number where that is beyond 1.
fn assert_close(case: &str, found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "{case}: found {found:?}, expected {expected:?}");
    for (i, (&f, &e)) in found.iter().zip(expected).enumerate() {
        let error = (f - e).abs() / e.abs().max(1.0);
        assert!(error <= tolerance, "{case}, entry {i}: found {f:?}, expected {e:?}, error {error:e}");
    }
}

/// An oriented signal from its rows, one per cell.
fn signal(n_channels: usize, rows: &[Vec<f64>]) -> Signal {
    Signal::from_row_major(rows.len(), n_channels, &rows.concat(), Orientation::Oriented)
        .expect("golden signals are finite and rectangular")
}
