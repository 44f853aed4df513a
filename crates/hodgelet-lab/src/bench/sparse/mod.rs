//! `hodgelet-lab bench sparse`: the sparse posterior of many graphs beside that of GPflow, to the same bound.

use clap::Args;
use faer::{Mat, MatRef, Par};
use hodgelet::dataset::Targets;
use hodgelet::gp::Sparse;
use hodgelet::gp::sparse::{InducingPrior, LEAF, Leaf, Natural, sum_leaves};
use hodgelet::kernel::{Family, SumKernel};
use hodgelet::likelihood::{Likelihood, Observations};
use hodgelet::model::{Measurer, Model, ModelError, Problem};
use hodgelet::output::{Kind, Output};
use hodgelet::settings::{BlockKind, ClassLikelihood, PosteriorChoice, Settings};
use hodgelet_cli::error::CommandError;
use hodgelet_cli::model_args::ModelArgs;
use hodgelet_cli::output::{Format, Report, facts, number, table, write_atomic};
use hodgelet_cli::progress::{Terminal, check_interrupt};
use hodgelet_cli::source::DatasetArgs;
use hodgelet_eval::report::peak_memory_mb;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// How near the bound must come to the one found here, relative to its size.
const TOLERANCES: [f64; 3] = [1e-2, 1e-3, 1e-4];

/// Flags of `hodgelet-lab bench sparse`.
#[derive(Args, Debug)]
#[command(
    after_help = "All graphs are trained on, with GPflow's likelihood of two classes. Then the posterior is found again from the
prior, from features in memory, and by GPflow's SVGP from the same features, inducing inputs, kernel and jitter.
GPflow runs in an environment of its own: bench/README.md has the two lines that make it.

Examples:
  hodgelet-lab bench sparse ./HIV.zip
  hodgelet-lab bench sparse molecules --set n_graphs=5000 --inducing 200 --no-peer"
)]
pub struct SparseArgs {
    #[command(flatten)]
    source: DatasetArgs,
    #[command(flatten)]
    model: ModelArgs,
    /// Interpreter that has GPflow
    #[arg(long, value_name = "FILE", default_value = ".venv/gpflow/bin/python")]
    python: PathBuf,
    /// The program that runs GPflow
    #[arg(long, value_name = "FILE", default_value = "bench/svgp_peer.py")]
    peer: PathBuf,
    /// Seconds after which each way of GPflow gives up
    #[arg(long, value_name = "SECONDS", default_value_t = 300.0)]
    limit: f64,
    /// Without GPflow
    #[arg(long)]
    no_peer: bool,
    /// Folder for the problem that GPflow reads; a temporary one by default
    #[arg(long, value_name = "DIR")]
    export: Option<PathBuf>,
    /// How the result is printed
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// What was measured.
#[derive(Debug, Serialize)]
pub struct Compared {
    dataset: String,
    graphs: usize,
    columns: usize,
    inducing: usize,
    threads: usize,
    /// Energies of all graphs.
    measure_seconds: f64,
    /// Training of the hyperparameters and the first posterior, with features.
    train_seconds: f64,
    elbo: f64,
    jitter: f64,
    /// Seconds and ELBO after each pass, from features in memory.
    trace: Vec<(f64, f64)>,
    tolerances: [f64; 3],
    /// When the bound was within each tolerance of the end.
    seconds: Vec<Option<f64>>,
    /// None without the peer.
    peers: Option<Vec<Peer>>,
    /// The fastest peer with the trained kernel over this side, at each tolerance; none where no peer got there.
    ratios: Vec<Option<f64>>,
    /// The fastest peer that trains the kernel over the training of this side.
    training_ratios: Vec<Option<f64>>,
    peak_memory_mb: Option<f64>,
}

/// One way to find the posterior by GPflow.
#[derive(Debug, Serialize, Deserialize)]
struct Peer {
    name: String,
    /// Seconds and ELBO; compilation and the evaluation of the ELBO are not counted.
    trace: Vec<(f64, f64)>,
    steps: usize,
    best: f64,
    /// Whether the kernel is trained as well, from where hodgelet began.
    trains: bool,
    #[serde(default)]
    seconds: Vec<Option<f64>>,
}

/// What the peer reads beside the features.
#[derive(Debug, Serialize)]
struct Header<'a> {
    n: usize,
    labels: &'a [u32],
    inducing: &'a [usize],
    constant: Option<f64>,
    jitter: f64,
    elbo: f64,
    tolerance: f64,
    blocks: Vec<BlockHeader>,
}

/// A block: its columns, and its kernel as trained and as training began.
#[derive(Debug, Serialize)]
struct BlockHeader {
    columns: usize,
    lengthscale: f64,
    variance: f64,
    start_lengthscale: f64,
    start_variance: f64,
}

/// Trains, finds the posterior again, and has the peer find it.
///
/// # Errors
///
/// [`CommandError`]; without GPflow [`CommandError::Usage`], before any work.
pub fn run(args: &SparseArgs, terminal: Terminal) -> Result<Compared, CommandError> {
    if !args.no_peer {
        check_peer(args)?;
    }
    let dataset = args.source.read(terminal)?.dataset;
    let given = args.model.given_settings(args.source.seed)?;
    let settings = Settings {
        likelihood: Some(ClassLikelihood::Gpflow),
        posterior: PosteriorChoice::Sparse,
        // The peer sees columns alone.
        blocks: Some(vec![BlockKind::Energies]),
        ..given.most_probable()
    };
    let Targets::Classes { labels, names } = dataset.targets() else { return Err(two_classes()) };
    if names.len() != 2 {
        return Err(two_classes());
    }
    let all: Vec<usize> = (0..dataset.len()).collect();
    let bar = terminal.bar("measuring and training", None);
    let began = Instant::now();
    let measurer = Measurer::fit(&settings, &dataset, &all)?;
    let measured = measurer.measure(&dataset, |_| bar.still())?;
    let measure_seconds = began.elapsed().as_secs_f64();
    let began = Instant::now();
    let model = settings.fit_measured(&measurer, &measured, dataset.targets(), &all, |_| bar.still())?;
    let train_seconds = began.elapsed().as_secs_f64();
    let some = &all[..all.len().min(settings.sample_size(all.len()))];
    let start = Problem::new(&settings, &measurer, &measured, dataset.targets(), some)?;
    let start: Vec<_> = start.blocks()?.into_iter().map(|block| block.kernel).collect();
    let measures: Vec<_> = measured.measures.iter().collect();
    let features = model.space().features(&measures, true)?;
    drop(bar);
    check_interrupt()?;
    let inducing = inducing(&model)?;
    let inputs =
        Inputs { kernel: model.kernel(), likelihood: model.likelihood(), features: &features, labels };
    let found = posterior(&inputs, inducing, settings.sparse_loop().check().map_err(ModelError::from)?)?;
    let elbo = found.elbo;
    let mut peers = None;
    if !args.no_peer {
        let blocks = model.kernel().blocks().iter().zip(&start).zip(&features);
        let blocks = blocks.map(|((kernel, start), features)| BlockHeader {
            columns: features.ncols(),
            lengthscale: kernel.base.lengthscales.values[0],
            variance: kernel.variance,
            start_lengthscale: start.base.lengthscales.values[0],
            start_variance: start.variance,
        });
        let header = Header {
            n: dataset.len(),
            labels,
            inducing,
            constant: model.kernel().constant(),
            jitter: found.jitter,
            elbo,
            tolerance: TOLERANCES[2],
            blocks: blocks.collect(),
        };
        check_kernel(model.kernel())?;
        drop(measured);
        peers = Some(run_peer(args, &header, &features, terminal)?);
    }
    let reached =
        |trace: &[(f64, f64)]| TOLERANCES.map(|t| seconds_to(trace, elbo - t * elbo.abs())).to_vec();
    let seconds = reached(&found.trace);
    peers.iter_mut().flatten().for_each(|peer| peer.seconds = reached(&peer.trace));
    let fastest = |trains: bool, t: usize| {
        let all = peers.iter().flatten().filter(|peer| peer.trains == trains);
        all.filter_map(|peer| peer.seconds[t]).reduce(f64::min)
    };
    let places = 0..TOLERANCES.len();
    let ratio = |t: usize| fastest(false, t).zip(seconds[t]).map(|(peer, own)| peer / own);
    let ratios = places.clone().map(ratio).collect();
    let training_ratios = places.map(|t| fastest(true, t).map(|peer| peer / train_seconds)).collect();
    Ok(Compared {
        ratios,
        training_ratios,
        dataset: dataset.name().to_owned(),
        graphs: dataset.len(),
        columns: features.iter().map(Mat::ncols).sum(),
        inducing: inducing.len(),
        threads: rayon::current_num_threads(),
        measure_seconds,
        train_seconds,
        elbo,
        jitter: found.jitter,
        trace: found.trace,
        tolerances: TOLERANCES,
        seconds,
        peers,
        peak_memory_mb: peak_memory_mb(),
    })
}

fn two_classes() -> CommandError {
    CommandError::usage("the comparison is for two classes", None)
}

fn inducing(model: &Model) -> Result<&[usize], CommandError> {
    match &model.summary().sparse {
        Some(sparse) => Ok(&sparse.inducing),
        None => Err(ModelError::Training { reason: "the posterior is not sparse".to_owned() }.into()),
    }
}

/// The peer has squared exponentials with one lengthscale.
fn check_kernel(kernel: &SumKernel) -> Result<(), CommandError> {
    let known = kernel.blocks().iter().all(|block| {
        block.base.family == Family::SquaredExponential && block.base.lengthscales.values.len() == 1
    });
    let message = "the peer has only squared exponential kernels with one lengthscale per block";
    if known { Ok(()) } else { Err(CommandError::usage(message, None)) }
}

/// What a posterior is found from.
pub struct Inputs<'a> {
    pub kernel: &'a SumKernel,
    pub likelihood: &'a Likelihood,
    pub features: &'a [Mat<f64>], // per block, [n, n_columns]
    pub labels: &'a [u32],        // two classes
}

/// A posterior and how it was found.
pub struct Found {
    elbo: f64,
    jitter: f64,
    /// Seconds and ELBO after each pass.
    trace: Vec<(f64, f64)>,
}

/// The posterior of all points through those at the places `inducing`, from the prior.
///
/// # Errors
///
/// [`ModelError`] when kernel and features do not fit, or inference fails.
pub fn posterior(inputs: &Inputs<'_>, inducing: &[usize], inference: Sparse) -> Result<Found, ModelError> {
    let Inputs { kernel, likelihood, features, labels } = *inputs;
    let began = Instant::now();
    let chosen: Vec<Mat<f64>> = features.iter().map(|own| rows(own, inducing)).collect();
    let prior = InducingPrior::new(kernel.gram(&views(&chosen), Par::rayon(0))?.as_ref(), Par::rayon(0))?;
    let n_leaves = labels.len().div_ceil(LEAF);
    let leaves = (0..n_leaves).into_par_iter().map(|k| {
        let range = k * LEAF..labels.len().min((k + 1) * LEAF);
        let own: Vec<_> = features.iter().map(|own| own.as_ref().subrows(range.start, range.len())).collect();
        let cross = kernel.cross(&own, &views(&chosen), Par::Seq)?;
        let observations = Observations::classes(2, &labels[range])?;
        Ok::<_, ModelError>(Leaf::new(prior.project(cross.as_ref()), &kernel.diagonal(&own)?, observations)?)
    });
    let leaves = leaves.collect::<Result<Vec<Leaf>, _>>()?;
    let mut trace = Vec::new();
    let zeros = Natural::zeros(inducing.len(), likelihood.n_latents(), likelihood.n_factors());
    let fit = inference.iterate(zeros, None, likelihood, Par::rayon(0), |moments| {
        let pass = |k: usize| leaves[k].pass(moments, likelihood);
        let sum = sum_leaves(0..n_leaves, pass)?.total().expect("there is a leaf, and none is missing");
        trace.push((began.elapsed().as_secs_f64(), sum.value - moments.divergence()));
        Ok::<_, ModelError>(sum)
    })?;
    Ok(Found { elbo: fit.elbo, jitter: prior.jitter(), trace })
}

fn rows(matrix: &Mat<f64>, places: &[usize]) -> Mat<f64> {
    Mat::from_fn(places.len(), matrix.ncols(), |i, j| matrix[(places[i], j)])
}

fn views(matrices: &[Mat<f64>]) -> Vec<MatRef<'_, f64>> {
    matrices.iter().map(Mat::as_ref).collect()
}

/// When a trace of seconds and bounds first reaches a bound.
fn seconds_to(trace: &[(f64, f64)], bound: f64) -> Option<f64> {
    trace.iter().find(|(_, elbo)| *elbo >= bound).map(|&(seconds, _)| seconds)
}

/// That the peer is there.
fn check_peer(args: &SparseArgs) -> Result<(), CommandError> {
    let found = Command::new(&args.python).args(["-c", "import gpflow"]).stderr(Stdio::null()).status();
    if found.is_ok_and(|status| status.success()) && args.peer.is_file() {
        return Ok(());
    }
    let message = format!(
        "GPFLOW IS MISSING: {} cannot import gpflow, or there is no {}, so nothing was compared",
        args.python.display(),
        args.peer.display()
    );
    let hint = "make the environment as bench/README.md says and give --python, or --no-peer";
    Err(CommandError::usage(message, Some(hint)))
}

/// Writes the problem, runs the peer on it and reads what it prints.
fn run_peer(
    args: &SparseArgs,
    header: &Header<'_>,
    features: &[Mat<f64>],
    terminal: Terminal,
) -> Result<Vec<Peer>, CommandError> {
    let temporary = std::env::temp_dir().join(format!("hodgelet-sparse-{}", std::process::id()));
    let folder = args.export.clone().unwrap_or_else(|| temporary.clone());
    std::fs::create_dir_all(&folder)
        .map_err(|source| CommandError::Write { path: folder.clone(), source })?;
    write_problem(&folder, header, features)?;
    let _bar = terminal.bar("GPflow", None);
    let output = Command::new(&args.python)
        .arg(&args.peer)
        .arg(&folder)
        .args(["--limit", &args.limit.to_string()])
        .args(["--threads", &rayon::current_num_threads().to_string()])
        .stderr(Stdio::inherit())
        .output();
    if args.export.is_none() {
        // What is left behind is no fault of the measurement.
        let _ = std::fs::remove_dir_all(&temporary);
    }
    check_interrupt()?;
    let failed = |reason: String| CommandError::usage(format!("{}: {reason}", args.peer.display()), None);
    let output = output.map_err(|error| failed(error.to_string()))?;
    if !output.status.success() {
        return Err(failed(output.status.to_string()));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| failed(error.to_string()))
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

impl Report for Compared {
    fn text(&self) -> String {
        let rows = [
            ("dataset", self.dataset.clone()),
            ("graphs", format!("{}, {} columns", self.graphs, self.columns)),
            ("inducing graphs", self.inducing.to_string()),
            ("threads", self.threads.to_string()),
            ("energies", format!("{:.2} s", self.measure_seconds)),
            ("training", format!("{:.2} s, features included", self.train_seconds)),
            ("ELBO", format!("{:.3}, {} passes, jitter {:.0e}", self.elbo, self.trace.len(), self.jitter)),
            ("peak memory", self.peak_memory_mb.map_or_else(String::new, |mb| format!("{} MB", number(mb)))),
        ];
        let seconds = |found: &Option<f64>| found.map_or("–".to_owned(), |s| format!("{s:.2}"));
        let line = |name: &str, best: f64, steps: usize, own: &[Option<f64>]| {
            let mut row = vec![name.to_owned(), format!("{best:.3}"), steps.to_string()];
            row.extend(own.iter().map(seconds));
            row
        };
        let mut lines = vec![line("hodgelet", self.elbo, self.trace.len(), &self.seconds)];
        for peer in self.peers.iter().flatten() {
            lines.push(line(&format!("GPflow, {}", peer.name), peer.best, peer.steps, &peer.seconds));
        }
        if self.peers.is_some() {
            let ratio = |found: &Option<f64>| found.map_or("–".to_owned(), |r| format!("{r:.1}x"));
            for (name, ratios) in [("posterior", &self.ratios), ("training", &self.training_ratios)] {
                let mut row = vec![format!("{name}, GPflow / hodgelet"), String::new(), String::new()];
                row.extend(ratios.iter().map(ratio));
                lines.push(row);
            }
        }
        let within = self.tolerances.map(|t| format!("s to {t:e}"));
        let header = ["", "best ELBO", "steps", &within[0], &within[1], &within[2]];
        let mut text = format!("{}\n\n{}", facts(&rows), table(&header, &[1, 2, 3, 4, 5], lines.into_iter()));
        if self.peers.is_none() {
            text.push_str("\nGPflow was not run.\n");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_is_reached_at_the_first_step_that_is_as_high() {
        let trace = [(0.1, -10.0), (0.2, -5.0), (0.3, -6.0), (0.4, -1.0)];
        assert_eq!(seconds_to(&trace, -5.5), Some(0.2));
        assert_eq!(seconds_to(&trace, 0.0), None);
    }
}
