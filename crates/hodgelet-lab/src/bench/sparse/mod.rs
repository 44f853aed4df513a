//! `hodgelet-lab bench sparse`: the sparse posterior of many graphs beside that of GPflow, to the same bound.

mod peer;
mod posterior;
mod training;

pub use posterior::{Inputs, posterior};

use clap::Args;
use faer::Mat;
use hodgelet::dataset::Targets;
use hodgelet::gp::SparseParams;
use hodgelet::kernel::{Family, SumKernel};
use hodgelet::model::{Measurer, Model, ModelError, Problem};
use hodgelet::settings::{BlockKind, ClassLikelihood, PosteriorChoice, Settings};
use hodgelet_cli::error::CommandError;
use hodgelet_cli::model_args::ModelArgs;
use hodgelet_cli::output::{Format, Report, facts, number, table};
use hodgelet_cli::progress::{Terminal, check_interrupt};
use hodgelet_cli::source::DatasetArgs;
use hodgelet_eval::report::peak_memory_mb;
use peer::{BlockHeader, Header, Peer, PeerArgs, check_peer, run_peer};
use serde::Serialize;
use std::time::Instant;

/// How near the bound must come to the best one, relative to its size.
const TOLERANCES: [f64; 3] = [1e-2, 1e-3, 1e-4];

/// When passes that find the posterior end while the kernel is trained: their bound changes by less than this, relative to it.
/// What is left is a fifteenth of the change.
const TRAINING_TOLERANCE: f64 = 3e-5;

/// Flags of `hodgelet-lab bench sparse`.
#[derive(Args, Debug)]
#[command(
    after_help = "All graphs are trained on, with GPflow's likelihood of two classes; that gives features and inducing graphs. Then
the posterior is found again from the prior, and the kernel is trained again from its start, from features in
memory, here and by GPflow's SVGP from the same features, inducing inputs, kernel and jitter.
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
    #[command(flatten)]
    peer: PeerArgs,
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
    /// The fit that features and inducing graphs come from: filters, kernel and posterior.
    train_seconds: f64,
    jitter: f64,
    tolerances: [f64; 3],
    posterior: Side,
    training: Side,
    /// Graphs and evaluations of the bound with its gradient, for each sample and for all, of the training.
    evaluations: Vec<(usize, usize)>,
    /// None without the peer.
    peers: Option<Vec<Peer>>,
    peak_memory_mb: Option<f64>,
}

/// What hodgelet took.
#[derive(Debug, Serialize)]
struct Side {
    elbo: f64,
    /// The bound that times are taken to: the best of both sides.
    reference: f64,
    /// Seconds and ELBO after each pass over all graphs, from features in memory.
    trace: Vec<(f64, f64)>,
    /// When the bound was within each tolerance of the reference.
    seconds: Vec<Option<f64>>,
    /// The fastest peer over this side, at each tolerance; none where no peer got there.
    ratios: Vec<Option<f64>>,
}

impl Side {
    /// Compares with the peers that did the same.
    fn new(elbo: f64, trace: Vec<(f64, f64)>, trains: bool, peers: &mut Option<Vec<Peer>>) -> Self {
        let mut others: Vec<&mut Peer> = peers.iter_mut().flatten().filter(|p| p.trains == trains).collect();
        let reference = others.iter().map(|peer| peer.best).fold(elbo, f64::max);
        let reached = |trace: &[(f64, f64)]| {
            TOLERANCES.map(|t| seconds_to(trace, reference - t * reference.abs())).to_vec()
        };
        let seconds = reached(&trace);
        for peer in &mut others {
            peer.seconds = reached(&peer.trace);
            let ratio = |(peer, own): (&Option<f64>, &Option<f64>)| peer.zip(*own).map(|(p, o)| p / o);
            peer.ratios = peer.seconds.iter().zip(&seconds).map(ratio).collect();
        }
        let fastest = |t: usize| others.iter().filter_map(|peer| peer.ratios[t]).reduce(f64::min);
        let ratios = (0..TOLERANCES.len()).map(fastest).collect();
        Self { elbo, reference, trace, seconds, ratios }
    }
}

/// Finds features, the posterior and the kernel, and has the peer find the latter two.
///
/// # Errors
///
/// [`CommandError`]; without GPflow [`CommandError::Usage`], before any work.
pub fn run(args: &SparseArgs, terminal: Terminal) -> Result<Compared, CommandError> {
    if !args.peer.no_peer {
        check_peer(&args.peer)?;
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
    let start = SumKernel::new(start.blocks()?.into_iter().map(|block| block.kernel).collect());
    let mut start = start.map_err(ModelError::from)?;
    if let Some(constant) = model.kernel().constant() {
        start = start.with_constant(constant).map_err(ModelError::from)?;
    }
    let measures: Vec<_> = measured.measures.iter().collect();
    let features = model.space().features(&measures, true)?;
    drop(bar);
    check_kernel(model.kernel())?;
    check_interrupt()?;

    let inducing = inducing(&model)?;
    let kernel = model.kernel();
    let inputs = Inputs { kernel, likelihood: model.likelihood(), features: &features, labels };
    let found = posterior(&inputs, inducing, settings.sparse_loop().check().map_err(ModelError::from)?)?;
    check_interrupt()?;
    let inference = SparseParams { tolerance: TRAINING_TOLERANCE, ..settings.sparse_loop() };
    let inference = inference.check().map_err(ModelError::from)?;
    let trained = training::train(&Inputs { kernel: &start, ..inputs }, inducing, inference)?;
    let blocks = kernel.blocks().iter().zip(start.blocks()).zip(&features);
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
        constant: kernel.constant(),
        start_constant: start.constant(),
        jitter: found.jitter,
        elbo: found.elbo,
        trained_elbo: trained.elbo,
        tolerance: TOLERANCES[2],
        blocks: blocks.collect(),
    };
    drop(measured);
    let mut peers = run_peer(&args.peer, &header, &features, terminal)?;
    Ok(Compared {
        dataset: dataset.name().to_owned(),
        graphs: dataset.len(),
        columns: features.iter().map(Mat::ncols).sum(),
        inducing: inducing.len(),
        threads: rayon::current_num_threads(),
        measure_seconds,
        train_seconds,
        jitter: found.jitter,
        tolerances: TOLERANCES,
        posterior: Side::new(found.elbo, found.trace, false, &mut peers),
        training: Side::new(trained.elbo, trained.trace, true, &mut peers),
        evaluations: trained.evaluations,
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

/// When a trace of seconds and bounds first reaches a bound.
fn seconds_to(trace: &[(f64, f64)], bound: f64) -> Option<f64> {
    trace.iter().find(|(_, elbo)| *elbo >= bound).map(|&(seconds, _)| seconds)
}

impl Report for Compared {
    fn text(&self) -> String {
        let evaluations = self.evaluations.iter().map(|(n, count)| format!("{count} of {n} graphs"));
        let rows = [
            ("dataset", self.dataset.clone()),
            ("graphs", format!("{}, {} columns", self.graphs, self.columns)),
            ("inducing graphs", format!("{}, jitter {:.0e}", self.inducing, self.jitter)),
            ("threads", self.threads.to_string()),
            ("energies", format!("{:.2} s", self.measure_seconds)),
            ("fit of filters and kernel", format!("{:.2} s", self.train_seconds)),
            ("bounds of the training", evaluations.collect::<Vec<_>>().join(", ")),
            ("peak memory", self.peak_memory_mb.map_or_else(String::new, |mb| format!("{} MB", number(mb)))),
        ];
        let mut text = facts(&rows);
        for (name, side, trains) in
            [("posterior", &self.posterior, false), ("training", &self.training, true)]
        {
            text.push_str(&format!("\n\n{}", self.table(name, side, trains)));
        }
        if self.peers.is_none() {
            text.push_str("\nGPflow was not run.\n");
        }
        text
    }
}

impl Compared {
    fn table(&self, name: &str, side: &Side, trains: bool) -> String {
        let seconds = |found: &Option<f64>| found.map_or("–".to_owned(), |s| format!("{s:.2}"));
        let ratio = |found: &Option<f64>| found.map_or("–".to_owned(), |r| format!("{r:.1}x"));
        let line =
            |name: String, best: f64, steps: usize| vec![name, format!("{best:.2}"), steps.to_string()];
        let mut own = line("hodgelet".to_owned(), side.elbo, side.trace.len());
        own.extend(side.seconds.iter().flat_map(|s| [seconds(s), String::new()]));
        let mut lines = vec![own];
        for peer in self.peers.iter().flatten().filter(|peer| peer.trains == trains) {
            let mut row = line(format!("GPflow, {}", peer.name), peer.best, peer.steps);
            let both = peer.seconds.iter().zip(&peer.ratios);
            row.extend(both.flat_map(|(s, r)| [seconds(s), ratio(r)]));
            lines.push(row);
        }
        let within = self.tolerances.map(|t| format!("s to {t:e}"));
        let header =
            [name, "best ELBO", "steps", &within[0], "ratio", &within[1], "ratio", &within[2], "ratio"];
        table(&header, &[1, 2, 3, 4, 5, 6, 7, 8], lines)
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
