//! `hodgelet-lab bench`: time and memory of the steps from a dataset to features, and of training.

mod complexes;
mod export;
mod floor;
mod growth;
mod labels;
mod large;
mod sizes;
mod slope;
mod sparse;
mod table;
mod train;

use clap::{Args, Subcommand};
use hodgelet::choice::Choice;
use hodgelet::dataset::Dataset;
use hodgelet::encode::Outline;
use hodgelet::encode::{CellSignal, VertexSignal};
use hodgelet::feature::{Block, BlockMeasures, Component, harmonic_features, wavelet_features};
use hodgelet::model::{Measured, Measurer};
use hodgelet::settings::{Settings, SignalSettings};
use hodgelet::wavelet::BankParams;
use hodgelet_cli::error::CommandError;
use hodgelet_cli::output::{self, Format, Report, facts, number};
use hodgelet_cli::progress::{Terminal, check_interrupt};
use hodgelet_cli::source::DatasetArgs;
use hodgelet_eval::report::peak_memory_mb;
use serde::Serialize;
use std::time::Instant;

/// Subcommands of `hodgelet-lab bench`.
#[derive(Debug, Subcommand)]
pub enum BenchCommand {
    /// Reading, energies and features of a dataset; files and the start of the program are left out of the energies
    Energies(Box<EnergiesArgs>),
    /// Construction of complexes: cliques of large graphs, and many small complexes
    Complexes(complexes::ComplexesArgs),
    /// Refining and counting labels, and distances between graphs by them
    Labels(Box<labels::LabelsArgs>),
    /// Energies of large complexes, and how time grows with their size
    Large(large::LargeArgs),
    /// Training of one fold, and one evaluation of its objective beside the matrix routines it needs
    Train(Box<train::TrainArgs>),
    /// Time and memory against graphs, classes, cells, channels and inducing graphs, and their exponents
    Growth(growth::GrowthArgs),
    /// The posterior of many graphs through inducing ones, beside GPflow's to the same bound
    Sparse(Box<sparse::SparseArgs>),
    /// Training on plain features and classes, without graphs
    Table(table::TableArgs),
}

/// Flags of `hodgelet-lab bench energies`.
#[derive(Args, Debug)]
#[command(
    after_help = "Where the dataset has no values on edges and --edges is not given, edges carry the constant 1.

Examples:
  hodgelet-lab bench energies ./HIV.zip
  hodgelet-lab bench energies vector-fields --set n_vertices=350 --dims 1 --threads 1 --format json"
)]
pub struct EnergiesArgs {
    #[command(flatten)]
    source: DatasetArgs,
    /// Dimensions whose signals are measured
    #[arg(long, value_delimiter = ',', default_value = "0,1")]
    dims: Vec<usize>,
    #[command(flatten)]
    signals: SignalSettings,
    /// Runs, of which the fastest counts
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    repeats: u32,
    /// How the result is printed
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// What was measured; times are those of the fastest run.
#[derive(Debug, Serialize)]
struct Times {
    dataset: String,
    graphs: usize,
    vertices: usize,
    edges: usize,
    dims: Vec<usize>,
    vertex_signal: String,
    edge_signal: String,
    threads: usize,
    repeats: u32,
    read_seconds: f64,
    /// Signals and energies of all graphs.
    seconds: f64,
    all_seconds: Vec<f64>,
    feature_seconds: f64,
    atoms: usize,
    columns: usize,
    /// After reading and the first run over energies.
    energies_peak_memory_mb: Option<f64>,
    /// In all, features included.
    peak_memory_mb: Option<f64>,
    notes: Vec<String>,
}

/// Times one of the steps.
///
/// # Errors
///
/// [`CommandError`].
pub fn run(command: &BenchCommand, terminal: Terminal) -> Result<(), CommandError> {
    match command {
        BenchCommand::Energies(args) => output::print(&energies(args, terminal)?, args.format),
        BenchCommand::Complexes(args) => output::print(&complexes::run(args, terminal)?, args.format),
        BenchCommand::Labels(args) => output::print(&labels::run(args, terminal)?, args.format),
        BenchCommand::Large(args) => output::print(&large::run(args, terminal)?, args.format),
        BenchCommand::Train(args) if !args.sizes.is_empty() => {
            output::print(&train::run_sizes(args, terminal)?, args.format)
        }
        BenchCommand::Train(args) => output::print(&train::run(args, terminal)?, args.format),
        BenchCommand::Growth(args) => growth::run(args, terminal),
        BenchCommand::Sparse(args) => output::print(&sparse::run(args, terminal)?, args.format),
        BenchCommand::Table(args) => output::print(&table::run(args)?, args.format),
    }
}

fn energies(args: &EnergiesArgs, terminal: Terminal) -> Result<Times, CommandError> {
    let start = Instant::now();
    let dataset = args.source.read(terminal)?.dataset;
    let read_seconds = start.elapsed().as_secs_f64();
    let mut notes = Vec::new();
    let mut dims = args.dims.clone();
    dims.sort_unstable();
    dims.dedup();
    let settings = Settings { dims: Some(dims.clone()), ..signals(args, &dataset, &mut notes) };
    let encoding = settings.encoding(&Outline::whole(&dataset));
    let bar = terminal.bar("runs", Some(u64::from(args.repeats)));
    let (mut all_seconds, mut feature_seconds) = (Vec::new(), f64::INFINITY);
    let (mut sizes, mut energies_peak_memory_mb) = ((0, 0), None);
    for run in 0..args.repeats {
        let start = Instant::now();
        let (blocks, measured) = measured(&dataset, &settings)?;
        all_seconds.push(start.elapsed().as_secs_f64());
        energies_peak_memory_mb = energies_peak_memory_mb.or_else(peak_memory_mb);
        let start = Instant::now();
        sizes = features(&blocks, &measured, args.source.seed)?;
        feature_seconds = feature_seconds.min(start.elapsed().as_secs_f64());
        let _ = bar.at(u64::from(run) + 1);
        check_interrupt()?;
    }
    drop(bar);
    let total = |k: usize| dataset.complexes().iter().map(|complex| complex.n_cells(k)).sum();
    Ok(Times {
        graphs: dataset.len(),
        vertices: total(0),
        edges: total(1),
        dataset: dataset.name().to_owned(),
        dims,
        vertex_signal: encoding.vertices.name(),
        edge_signal: encoding.edges.name(),
        threads: rayon::current_num_threads(),
        repeats: args.repeats,
        read_seconds,
        seconds: all_seconds.iter().copied().fold(f64::INFINITY, f64::min),
        all_seconds,
        feature_seconds,
        atoms: sizes.0,
        columns: sizes.1,
        energies_peak_memory_mb,
        peak_memory_mb: peak_memory_mb(),
        notes,
    })
}

/// The signals asked for on the dimensions asked for; edges that would carry none get a constant.
fn signals(args: &EnergiesArgs, dataset: &Dataset, notes: &mut Vec<String>) -> Settings {
    let mut settings = args.signals.0.clone();
    let vertices = settings.vertices.unwrap_or(VertexSignal::Reference);
    settings.vertices = Some(if args.dims.contains(&0) { vertices } else { VertexSignal::None });
    if !args.dims.contains(&1) {
        settings.edges = CellSignal::None;
    } else if settings.edges == CellSignal::Auto && dataset.columns().iter().all(|column| column.dim != 1) {
        settings.edges = CellSignal::Constant;
        notes.push("the dataset has no values on edges; a constant was used".to_owned());
    }
    settings
}

fn measured(dataset: &Dataset, settings: &Settings) -> Result<(Vec<Block>, Measured), CommandError> {
    let all: Vec<usize> = (0..dataset.len()).collect();
    let measurer = Measurer::fit(settings, dataset, &all)?;
    let watch = |_| match check_interrupt() {
        Ok(()) => std::ops::ControlFlow::Continue(()),
        Err(_) => std::ops::ControlFlow::Break(()),
    };
    let measured = measurer.measure(dataset, watch)?;
    Ok((measurer.blocks()?, measured))
}

/// Computes the features of all blocks; returns how many atoms and columns there are.
fn features(blocks: &[Block], measured: &Measured, seed: u64) -> Result<(usize, usize), CommandError> {
    let bank = BankParams::default().check()?.draw(seed, None);
    let (mut atoms, mut columns) = (0, 0);
    for &block in blocks {
        let measures = BlockMeasures::new(block, &measured.measures);
        let values = match block.component {
            Component::Harmonic => harmonic_features(&measures),
            _ => wavelet_features(&measures, &bank)?,
        };
        atoms += measures.eigenvalues().len();
        columns += values.ncols();
    }
    Ok((atoms, columns))
}

impl Report for Times {
    fn text(&self) -> String {
        let list = |values: &[usize]| values.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
        let mut rows = vec![
            ("dataset", self.dataset.clone()),
            ("graphs", self.graphs.to_string()),
            ("vertices, edges", format!("{}, {}", self.vertices, self.edges)),
            ("dimensions", list(&self.dims)),
            ("signals", format!("{} on vertices, {} on edges", self.vertex_signal, self.edge_signal)),
            ("threads", self.threads.to_string()),
            ("reading", format!("{:.4} s", self.read_seconds)),
            ("energies", format!("{:.4} s, fastest of {}", self.seconds, self.repeats)),
            ("features", format!("{:.4} s, {} columns", self.feature_seconds, self.columns)),
            ("atoms", self.atoms.to_string()),
        ];
        if let (Some(energies), Some(all)) = (self.energies_peak_memory_mb, self.peak_memory_mb) {
            let text = format!("{} MB for energies, {} MB in all", number(energies), number(all));
            rows.push(("peak memory", text));
        }
        rows.extend(self.notes.iter().map(|note| ("note", note.clone())));
        facts(&rows)
    }
}
