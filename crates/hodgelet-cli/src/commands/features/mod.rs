//! `hodgelet features`: the features of every graph in a file.

pub mod compute;
mod file;

use crate::args::{LaplacianArgs, SignalArgs, named, signed};
use crate::error::CommandError;
use crate::model_args::SPREADS;
use crate::output::{self, Format, Report, facts, table};
use crate::progress::{Terminal, check_interrupt};
use crate::source::DatasetArgs;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use compute::{FeatureTable, compute};
use file::FileFormat;
use hodgelet::encode::VertexSignal;
use hodgelet::feature::SignedParams;
use hodgelet::model::{FeatureTransform, Lift, SpaceParams};
use hodgelet::wavelet::{BandPass, BankParams, LowPass, ScaleSpread};
use serde::Serialize;
use std::path::PathBuf;
use std::time::Instant;

const LOW_PASS: [&str; 5] = ["rational", "heat", "meyer", "ab-spline", "none"];
const BAND_PASS: [&str; 6] = ["mexican-hat", "ricker", "heat", "meyer", "ab-spline", "itersine"];
const DEFAULT_POINTS: &str = "30";
const MAX_POINTS: i64 = 1 << 20;

/// Flags of `hodgelet features`.
#[derive(Args, Debug)]
#[command(
    after_help = "Columns are named `edge exact | label=1 | filter 3`: block, channel, filter. In a CSV file they stand
between `id` and `target`; beside an NPY or JSONL file, FILE.columns.json has the names, ids, targets
and scales. What is fitted (the range of degrees, the standardization) is fitted on all graphs, so
features that are to be used in cross-validation belong to `hodgelet evaluate`.

The baselines of the paper are settings: WT-GP is `--edges none --no-split --laplacian normalized`, WT-GP-LG
`--line-graph --no-split --laplacian normalized`, FT-GP is WT-GP with `--fourier`.

Examples:
  hodgelet features vector-fields --out fields.csv
  hodgelet features ./MUTAG.zip --out mutag.npy --filters 5 --standardize
  hodgelet features sbm --vertices degree --out sbm.jsonl --format json"
)]
pub struct FeaturesArgs {
    #[command(flatten)]
    source: DatasetArgs,
    /// File to write; its extension (.csv, .npy or .jsonl) says how
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    signals: SignalArgs,
    #[command(flatten)]
    laplacian: LaplacianArgs,
    /// Signed features of flows on one shared complex: harmonic, harmonic:EXACT,COEXACT or cycles=FILE
    #[arg(long, value_name = "KIND", value_parser = signed)]
    signed: Option<SignedParams>,
    /// Do not split signals into their Hodge components
    #[arg(long)]
    no_split: bool,
    /// Fill the cliques of graphs up to this dimension
    #[arg(long, value_name = "K", default_value_t = 2, conflicts_with = "line_graph")]
    max_dim: usize,
    /// Take the line graph, whose vertices carry the edge signal
    #[arg(long)]
    line_graph: bool,
    /// Cumulative spectral energy at so many points instead of wavelets
    #[arg(long, value_name = "POINTS", num_args = 0..=1, default_missing_value = DEFAULT_POINTS,
        value_parser = clap::value_parser!(u32).range(..=MAX_POINTS))]
    fourier: Option<u32>,
    /// Filters in each block
    #[arg(long, value_name = "W", default_value_t = 10)]
    filters: usize,
    /// Band-pass terms in each filter
    #[arg(long, value_name = "L", default_value_t = 3)]
    bands: usize,
    /// Scales: reference, made for eigenvalues up to 2, or spectrum, spread over the eigenvalues of the dataset, so that
    /// features of a graph depend on the others
    #[arg(long, value_name = "SPREAD", default_value = "reference", value_parser = named::<ScaleSpread>(&SPREADS))]
    scales: ScaleSpread,
    /// Low-pass term of each filter
    #[arg(long, value_name = "FAMILY", default_value = "rational", value_parser = low_pass())]
    low_pass: MaybeLowPass,
    /// Family of the band-pass terms
    #[arg(long, value_name = "FAMILY", default_value = "mexican-hat", value_parser = named::<BandPass>(&BAND_PASS))]
    band_pass: BandPass,
    /// Bring every column to mean 0 and deviation 1; columns that do not vary become 0
    #[arg(long)]
    standardize: bool,
    /// How the summary is printed
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// A low-pass family, or none.
#[derive(Clone, Copy, Debug)]
struct MaybeLowPass(Option<LowPass>);

fn low_pass() -> impl TypedValueParser<Value = MaybeLowPass> {
    PossibleValuesParser::new(LOW_PASS)
        .map(|name| MaybeLowPass(serde_json::from_value(serde_json::Value::String(name)).ok()))
}

impl FeaturesArgs {
    fn space(&self) -> SpaceParams {
        let wavelets = BankParams {
            n_filters: self.filters,
            n_bands: self.bands,
            low_pass: self.low_pass.0,
            band_pass: self.band_pass,
            spread: self.scales,
            ..BankParams::default()
        };
        // The line graph has no use for a vertex signal, whose default need not exist.
        let default = if self.line_graph { VertexSignal::None } else { VertexSignal::Reference };
        SpaceParams {
            encoding: self.signals.encoding(default),
            lift: if self.line_graph { Lift::LineGraph } else { Lift::Cliques(self.max_dim) },
            weighting: self.laplacian.laplacian.weighting,
            metric: self.laplacian.laplacian.metric,
            signed: self.signed.clone(),
            split: !self.no_split,
            transform: match self.fourier {
                Some(points) => FeatureTransform::Fourier(points as usize),
                None => FeatureTransform::Wavelets(wavelets),
            },
            ..SpaceParams::default()
        }
    }
}

/// Computes features and writes them.
///
/// # Errors
///
/// [`CommandError`].
pub fn run(args: &FeaturesArgs, terminal: Terminal) -> Result<(), CommandError> {
    let kind = FileFormat::of(&args.out)?;
    let start = Instant::now();
    let read = args.source.read(terminal)?;
    let read_seconds = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let features = compute(&read.dataset, &args.space(), args.source.seed, args.standardize, terminal)?;
    let seconds = start.elapsed().as_secs_f64();
    if features.unknown > 0 {
        terminal.warn(&format!("{} labels of cells are not known to the encoding", features.unknown));
    }
    check_interrupt()?;
    let columns_file = kind.write(&args.out, &features, &read)?;
    let summary = Summary {
        dataset: read.dataset.name().to_owned(),
        graphs: read.dataset.len(),
        columns: features.names.len(),
        blocks: features.blocks.iter().map(BlockSummary::new).collect(),
        standardized: args.standardize,
        read_seconds,
        seconds,
        out: args.out.clone(),
        columns_file,
    };
    output::print(&summary, args.format)
}

#[derive(Debug, Serialize)]
struct Summary {
    dataset: String,
    graphs: usize,
    columns: usize,
    blocks: Vec<BlockSummary>,
    standardized: bool,
    read_seconds: f64,
    seconds: f64,
    out: PathBuf,
    columns_file: Option<PathBuf>,
}

#[derive(Debug, Serialize)]
struct BlockSummary {
    name: String,
    channels: usize,
    columns: usize,
    varying: usize,
}

impl BlockSummary {
    fn new(block: &compute::BlockInfo) -> Self {
        let compute::BlockInfo { name, channels, columns, varying, .. } = block;
        Self { name: name.clone(), channels: *channels, columns: *columns, varying: *varying }
    }
}

impl Report for Summary {
    fn text(&self) -> String {
        let row = |block: &BlockSummary| {
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
        if let Some(file) = &self.columns_file {
            rows.push(("columns, targets", file.display().to_string()));
        }
        format!("{}\n\n{blocks}", facts(&rows))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hodgelet::feature::FourierPoints;

    #[test]
    fn every_filter_offered_is_one_of_the_library_and_none_is_left_out() {
        assert_eq!(LOW_PASS.len(), LowPass::ALL.len() + 1);
        for (name, family) in LOW_PASS.iter().zip(LowPass::ALL) {
            assert_eq!(*name, crate::args::name_of(family));
        }
        assert_eq!(BAND_PASS.len(), BandPass::ALL.len());
        for (name, family) in BAND_PASS.iter().zip(BandPass::ALL) {
            assert_eq!(*name, crate::args::name_of(family));
        }
        assert_eq!(DEFAULT_POINTS, FourierPoints::DEFAULT_COUNT.to_string());
    }
}
