//! Features of all graphs as one named table.

use crate::error::CommandError;
use crate::progress::{Terminal, check_interrupt};
use faer::Mat;
use hodgelet::dataset::Dataset;
use hodgelet::encode::Encoding;
use hodgelet::feature::{
    Block, BlockMeasures, Component, FourierPoints, SignedBasis, Standardizer, harmonic_features,
    signed_features, wavelet_features,
};
use hodgelet::model::{FeatureTransform, Lift, SpaceParams, measure_dataset};
use serde::Serialize;

/// Features `[n_graphs, n_columns]`, block after block.
#[derive(Debug)]
pub struct FeatureTable {
    pub names: Vec<String>,
    pub blocks: Vec<BlockInfo>,
    pub values: Vec<Mat<f64>>, // per block, [n_graphs, n_columns of the block]
    pub unknown: usize,
}

/// Most numbers in a table: 8 GiB of them.
const MAX_NUMBERS: usize = 1 << 30;

/// One block of columns.
#[derive(Clone, Debug, Serialize)]
pub struct BlockInfo {
    pub name: String,
    pub channels: usize,
    pub columns: usize,
    /// Columns that are not the same for all graphs.
    pub varying: usize,
    /// Scales of the filters, filter after filter; empty without filters.
    pub scales: Vec<f64>,
    /// Points of the Fourier features; empty without them.
    pub points: Vec<f64>,
}

impl FeatureTable {
    /// The features of graph `i`.
    pub fn row(&self, i: usize) -> impl Iterator<Item = f64> + '_ {
        self.values.iter().flat_map(move |block| (0..block.ncols()).map(move |j| block[(i, j)]))
    }
}

/// The features of every graph; signals, points and standardization are fitted on all of them.
///
/// # Errors
///
/// [`CommandError`].
pub fn compute(
    dataset: &Dataset,
    space: &SpaceParams,
    seed: u64,
    standardize: bool,
    terminal: Terminal,
) -> Result<FeatureTable, CommandError> {
    if let FeatureTransform::Wavelets(bank) = &space.transform {
        bank.clone().check()?; // before the long part
    }
    let all: Vec<usize> = (0..dataset.len()).collect();
    let encoding = space.fit_encoding(dataset, &all)?;
    check_size(dataset.len(), &encoding, space)?;
    let bar = terminal.bar("measuring energies", Some(dataset.len() as u64));
    let measured = measure_dataset(dataset, &encoding, space, |done| bar.at(done as u64))?;
    drop(bar);
    let (mut names, mut blocks, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for (index, block) in space.blocks(&encoding)?.into_iter().enumerate() {
        check_interrupt()?;
        let measures = BlockMeasures::new(block, &measured.measures);
        let mut part = features(block, &measures, space, seed.wrapping_add(index as u64))?;
        let standardizer = Standardizer::fit(part.values.as_ref(), None);
        if standardize {
            standardizer.apply(part.values.as_mut());
        }
        let name =
            if space.lift == Lift::LineGraph { format!("line-graph {block}") } else { block.to_string() };
        names.extend(column_names(&name, &channel_names(space, &encoding, block), &part));
        blocks.push(BlockInfo {
            name,
            channels: measures.n_channels(),
            columns: part.values.ncols(),
            varying: standardizer.n_live(),
            scales: part.scales,
            points: part.points,
        });
        values.push(part.values);
    }
    Ok(FeatureTable { names, blocks, values, unknown: measured.unknown })
}

/// Refuses a table that would not fit in memory, before the long part.
fn check_size(n: usize, encoding: &Encoding, space: &SpaceParams) -> Result<(), CommandError> {
    let width = match &space.transform {
        FeatureTransform::Wavelets(bank) => bank.n_filters,
        FeatureTransform::Fourier(points) => *points,
    };
    let columns = space.blocks(encoding)?.into_iter().map(|block| match block.component {
        Component::Harmonic => channel_names(space, encoding, block).len(),
        Component::Signed => {
            let vectors = encoding.signed().map_or(0, SignedBasis::len);
            channel_names(space, encoding, block).len().saturating_mul(vectors)
        }
        _ => channel_names(space, encoding, block).len().saturating_mul(width),
    });
    let columns = columns.fold(0, usize::saturating_add);
    if n.saturating_mul(columns) <= MAX_NUMBERS {
        return Ok(());
    }
    let message = format!("{columns} columns for {n} graphs, expected at most {MAX_NUMBERS} numbers in all");
    Err(CommandError::usage(message, Some("ask for fewer filters or points")))
}

/// The features of one block.
struct Features {
    values: Mat<f64>,
    per_channel: Option<&'static str>, // what is counted within a channel
    scales: Vec<f64>,
    points: Vec<f64>,
}

fn features(
    block: Block,
    measures: &BlockMeasures,
    space: &SpaceParams,
    seed: u64,
) -> Result<Features, CommandError> {
    let harmonic = block.component == Component::Harmonic;
    if block.component == Component::Signed {
        let count = (0..measures.len()).map(|i| measures.atoms(i).len()).max().unwrap_or(0);
        let values = signed_features(measures, count);
        return Ok(Features { values, per_channel: Some("vector"), scales: vec![], points: vec![] });
    }
    Ok(match &space.transform {
        // All eigenvalues are 0, so that every filter and every point says the same.
        FeatureTransform::Wavelets(_) if harmonic => Features {
            values: harmonic_features(measures),
            per_channel: None,
            scales: vec![],
            points: vec![],
        },
        FeatureTransform::Wavelets(bank) => {
            let bank = bank.clone().check()?.draw(seed, measures.mean_eigenvalue());
            let values = wavelet_features(measures, &bank)?;
            Features { values, per_channel: Some("filter"), scales: bank.scales().to_vec(), points: vec![] }
        }
        FeatureTransform::Fourier(count) => {
            let points = FourierPoints::fit(measures, if harmonic { 1.min(*count) } else { *count })?;
            let per_channel = if harmonic { None } else { Some("point") };
            let values = points.features(measures);
            Features { values, per_channel, scales: vec![], points: points.points().to_vec() }
        }
    })
}

fn channel_names(space: &SpaceParams, encoding: &Encoding, block: Block) -> Vec<String> {
    let dim = if space.lift == Lift::LineGraph { 1 } else { block.dim };
    let channels = encoding.channels(dim);
    channels.map(|c| (0..c.len()).map(|d| c.name(d).to_owned()).collect()).unwrap_or_default()
}

/// `edge exact | label=1 | filter 3`, filters counted from 1.
fn column_names(block: &str, channels: &[String], part: &Features) -> Vec<String> {
    let columns = part.values.ncols();
    let width = columns / channels.len().max(1);
    let name = |column: usize| {
        let channel = &channels[column / width];
        match part.per_channel {
            Some(what) => format!("{block} | {channel} | {what} {}", column % width + 1),
            None => format!("{block} | {channel}"),
        }
    };
    (0..columns).map(name).collect()
}
