//! `hodgelet features`: the features of every graph in a file.

mod file;

use crate::error::CommandError;
use crate::output::{self, ForceArgs, Format, Report, facts, table};
use crate::progress::{Terminal, check_interrupt};
use crate::source::DatasetArgs;
use clap::Args;
use faer::Mat;
use file::FileFormat;
use hodgelet::model::{BlockSpace, FeatureMap, FeatureSpace};
use hodgelet::settings::{FeatureSettings, Settings};
use serde::Serialize;
use std::path::PathBuf;
use std::time::Instant;

/// Flags of `hodgelet features`.
#[derive(Args, Debug)]
#[command(
    after_help = "Columns are named `edge exact | label=1 | filter 3`: block, channel, filter. In a CSV file they are
between `id` and `target`; beside an NPY or JSONL file, FILE.columns.json (f.npy.columns.json for f.npy)
has the names, ids, targets and scales. What is fitted (the range of degrees, the standardization) is fitted on all graphs, so
for cross-validation use `hodgelet evaluate` instead.

The baselines of the paper are methods: WT-GP is `--method wt`, WT-GP-LG `--method line-graph`, FT-GP
`--method fourier`.

Examples:
  hodgelet features vector-fields --out fields.csv
  hodgelet features ./MUTAG.zip --out mutag.npy --n-filters 5 --standardize
  hodgelet features sbm --vertices degree --out sbm.jsonl --format json"
)]
pub struct FeaturesArgs {
    #[command(flatten)]
    source: DatasetArgs,
    /// File to write; its extension (.csv, .npy or .jsonl) says how; - is CSV on standard output
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    force: ForceArgs,
    #[command(flatten)]
    settings: FeatureSettings,
    /// Bring every column to mean 0 and standard deviation 1; columns that do not vary become 0
    #[arg(long)]
    standardize: bool,
    /// How the summary is printed
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Features `[n_graphs, n_columns]`, block after block.
struct FeatureTable {
    names: Vec<String>,
    blocks: Vec<BlockInfo>,
    values: Vec<Mat<f64>>, // per block, [n_graphs, n_columns of the block]
}

/// One block of columns.
#[derive(Clone, Debug, Serialize)]
struct BlockInfo {
    name: String,
    channels: usize,
    columns: usize,
    /// Columns that are not the same for all graphs.
    varying: usize,
    /// Scales of the filters, filter after filter; empty without filters.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    scales: Vec<f64>,
    /// Points of the Fourier features; empty without them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    points: Vec<f64>,
}

impl BlockInfo {
    fn new(space: &FeatureSpace, block: &BlockSpace) -> Self {
        Self {
            name: space.block_name(block.block),
            channels: block.n_channels,
            columns: block.standardizer.n_columns(),
            varying: block.standardizer.n_live(),
            scales: block.map.bank().map(|bank| bank.scales().to_vec()).unwrap_or_default(),
            points: match &block.map {
                FeatureMap::Fourier(points) => points.points().to_vec(),
                _ => Vec::new(),
            },
        }
    }
}

impl FeatureTable {
    /// The features of graph `i`.
    fn row(&self, i: usize) -> impl Iterator<Item = f64> + '_ {
        self.values.iter().flat_map(move |block| (0..block.ncols()).map(move |j| block[(i, j)]))
    }
}

/// Computes features and writes them.
///
/// # Errors
///
/// [`CommandError`].
pub fn run(args: &FeaturesArgs, terminal: Terminal) -> Result<(), CommandError> {
    let kind = FileFormat::of(&args.out)?;
    let beside = FileFormat::beside(&args.out);
    let (output, beside) = kind.outputs(&args.out, &beside, args.force.force);
    for output in std::iter::once(output).chain(beside) {
        output::check_out(output, &args.source.inputs())?;
    }
    let start = Instant::now();
    let read = args.source.read(terminal)?;
    let read_seconds = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let settings = Settings { seed: args.source.seed, ..args.settings.0.clone() };
    let all: Vec<usize> = (0..read.dataset.len()).collect();
    let bar = terminal.bar("measuring energies", Some(all.len() as u64));
    let (space, measured) = FeatureSpace::fit(&settings, &read.dataset, &all, |done| bar.at(done as u64))?;
    drop(bar);
    let features = FeatureTable {
        names: space.column_names(),
        blocks: space.blocks().iter().map(|block| BlockInfo::new(&space, block)).collect(),
        values: space.features(&measured.measures.iter().collect::<Vec<_>>(), args.standardize)?,
    };
    let seconds = start.elapsed().as_secs_f64();
    if measured.unknown > 0 {
        let labels = match measured.unknown {
            1 => "1 label of a cell is".to_owned(),
            n => format!("{n} labels of cells are"),
        };
        terminal.warn(&format!("{labels} not known to the encoding"));
    }
    super::fit::warn_constant(
        &space.constant_channels(&measured.measures.iter().collect::<Vec<_>>()),
        terminal,
    );
    check_interrupt()?;
    let columns_file = kind.write((output, beside), &features, &read)?;
    let summary = Summary {
        dataset: read.dataset.name().to_owned(),
        graphs: read.dataset.len(),
        columns: features.names.len(),
        blocks: features
            .blocks
            .iter()
            .map(|b| BlockInfo { scales: vec![], points: vec![], ..b.clone() })
            .collect(),
        standardized: args.standardize,
        energy_error: measured.measures.iter().map(|m| m.largest_error()).fold(0.0, f64::max),
        read_seconds,
        seconds,
        out: args.out.clone(),
        columns_file,
    };
    output::print_beside(&args.out, &summary, args.format, terminal)
}

#[derive(Debug, Serialize)]
struct Summary {
    dataset: String,
    graphs: usize,
    columns: usize,
    blocks: Vec<BlockInfo>,
    standardized: bool,
    /// Largest error of energies that come from quadrature, relative to the energy of the channel.
    #[serde(skip_serializing_if = "is_zero")]
    energy_error: f64,
    read_seconds: f64,
    seconds: f64,
    out: PathBuf,
    columns_file: Option<PathBuf>,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde calls it with a reference
fn is_zero(error: &f64) -> bool {
    *error == 0.0
}

impl Report for Summary {
    fn text(&self) -> String {
        let row = |block: &BlockInfo| {
            let counts = [block.channels, block.columns, block.varying].map(|n| n.to_string());
            std::iter::once(block.name.clone()).chain(counts).collect()
        };
        let blocks =
            table(&["block", "channels", "columns", "varying"], &[1, 2, 3], self.blocks.iter().map(row));
        let fitted = if self.standardized { "signals and standardization" } else { "signals" };
        let mut rows = vec![
            ("dataset", self.dataset.clone()),
            ("graphs", self.graphs.to_string()),
            ("columns", self.columns.to_string()),
            ("fitted on all graphs", fitted.to_owned()),
            ("reading", format!("{:.3} s", self.read_seconds)),
            ("features", format!("{:.3} s", self.seconds)),
            ("written to", self.out.display().to_string()),
        ];
        if self.energy_error > 0.0 {
            rows.push((
                "energies by quadrature",
                format!("error at most {:.0e} of a channel", self.energy_error),
            ));
        }
        if let Some(file) = &self.columns_file {
            rows.push(("columns, targets", file.display().to_string()));
        }
        format!("{}\n\n{blocks}", facts(&rows))
    }
}
