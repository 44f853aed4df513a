//! GPflow's SVGP on the same problem, in a process of its own.

use clap::Args;
use faer::Mat;
use hodgelet::output::{Kind, Output};
use hodgelet_cli::error::CommandError;
use hodgelet_cli::output::write_atomic;
use hodgelet_cli::progress::{Terminal, check_interrupt};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// How the peer is run.
#[derive(Args, Debug)]
pub struct PeerArgs {
    /// Interpreter that has GPflow
    #[arg(long, value_name = "FILE", default_value = ".venv/gpflow/bin/python")]
    python: PathBuf,
    /// The program that runs GPflow
    #[arg(long, value_name = "FILE", default_value = "bench/svgp_peer.py")]
    peer: PathBuf,
    /// Seconds after which each way of GPflow gives up
    #[arg(long, value_name = "SECONDS", default_value_t = 300.0)]
    limit: f64,
    /// Only the ways of GPflow whose names have one of these texts, A|B, in them
    #[arg(long, value_name = "TEXT")]
    ways: Option<String>,
    /// Without GPflow
    #[arg(long)]
    pub no_peer: bool,
    /// Folder for the problem that GPflow reads; a temporary one by default
    #[arg(long, value_name = "DIR")]
    export: Option<PathBuf>,
}

/// One way to find the posterior by GPflow.
#[derive(Debug, Serialize, Deserialize)]
pub struct Peer {
    pub name: String,
    /// Seconds and ELBO; compilation and the evaluation of the ELBO are not counted.
    pub trace: Vec<(f64, f64)>,
    pub steps: usize,
    pub best: f64,
    /// Whether the kernel is trained as well, from where hodgelet began.
    pub trains: bool,
    /// When the bound was within each tolerance.
    #[serde(default)]
    pub seconds: Vec<Option<f64>>,
    /// These over those of this side; none where the peer did not get there.
    #[serde(default)]
    pub ratios: Vec<Option<f64>>,
}

/// What the peer reads beside the features.
#[derive(Debug, Serialize)]
pub struct Header<'a> {
    pub n: usize,
    pub labels: &'a [u32],
    pub inducing: &'a [usize],
    pub constant: Option<f64>,
    pub start_constant: Option<f64>,
    pub jitter: f64,
    /// The bound with the kernel as it is, and with the kernel trained.
    pub elbo: f64,
    pub trained_elbo: f64,
    pub tolerance: f64,
    pub blocks: Vec<BlockHeader>,
}

/// A block: its columns, and its kernel as it is and as training begins.
#[derive(Debug, Serialize)]
pub struct BlockHeader {
    pub columns: usize,
    pub lengthscale: f64,
    pub variance: f64,
    pub start_lengthscale: f64,
    pub start_variance: f64,
}

/// That the peer is there.
pub fn check_peer(asked: &PeerArgs) -> Result<(), CommandError> {
    let found = Command::new(&asked.python).args(["-c", "import gpflow"]).stderr(Stdio::null()).status();
    if found.is_ok_and(|status| status.success()) && asked.peer.is_file() {
        return Ok(());
    }
    let message = format!(
        "GPFLOW IS MISSING: {} cannot import gpflow, or there is no {}, so nothing was compared",
        asked.python.display(),
        asked.peer.display()
    );
    let hint = "make the environment as bench/README.md says and give --python, or --no-peer";
    Err(CommandError::usage(message, Some(hint)))
}

/// Writes the problem, runs the peer on it and reads what it prints; none if it is not wanted.
pub fn run_peer(
    asked: &PeerArgs,
    header: &Header<'_>,
    features: &[Mat<f64>],
    terminal: Terminal,
) -> Result<Option<Vec<Peer>>, CommandError> {
    if asked.no_peer && asked.export.is_none() {
        return Ok(None);
    }
    let temporary = std::env::temp_dir().join(format!("hodgelet-sparse-{}", std::process::id()));
    let folder = asked.export.clone().unwrap_or_else(|| temporary.clone());
    std::fs::create_dir_all(&folder)
        .map_err(|source| CommandError::Write { path: folder.clone(), source })?;
    write_problem(&folder, header, features)?;
    if asked.no_peer {
        return Ok(None);
    }
    let _bar = terminal.bar("GPflow", None);
    let output = Command::new(&asked.python)
        .arg(&asked.peer)
        .arg(&folder)
        .args(["--limit", &asked.limit.to_string()])
        .args(["--threads", &rayon::current_num_threads().to_string()])
        .args(asked.ways.iter().flat_map(|ways| ["--ways", ways]))
        .stderr(Stdio::inherit())
        .output();
    if asked.export.is_none() {
        // What is left behind is no fault of the measurement.
        let _ = std::fs::remove_dir_all(&temporary);
    }
    check_interrupt()?;
    let failed = |reason: String| CommandError::usage(format!("{}: {reason}", asked.peer.display()), None);
    let output = output.map_err(|error| failed(error.to_string()))?;
    if !output.status.success() {
        return Err(failed(output.status.to_string()));
    }
    serde_json::from_slice(&output.stdout).map(Some).map_err(|error| failed(error.to_string()))
}

/// `problem.json`, and `features.f64`: the columns of all blocks one after the other, little-endian.
fn write_problem(folder: &Path, header: &Header<'_>, features: &[Mat<f64>]) -> Result<(), CommandError> {
    let (problem, matrix) = (folder.join("problem.json"), folder.join("features.f64"));
    write_atomic(Output::new(&problem, Kind::ANY), |out| Ok(serde_json::to_writer(out, header)?))?;
    write_atomic(Output::new(&matrix, Kind::ANY), |out| {
        for block in features {
            for j in 0..block.ncols() {
                let bytes: Vec<u8> = block.col_as_slice(j).iter().flat_map(|x| x.to_le_bytes()).collect();
                out.write_all(&bytes)?;
            }
        }
        Ok(())
    })
}
