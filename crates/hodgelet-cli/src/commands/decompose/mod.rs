//! `hodgelet decompose`: the Hodge components of the signals of one graph.

mod split;

use super::info::cell_name;
use super::plot::{self, is_picture, picture_of};
use crate::error::CommandError;
use crate::output::{self, ForceArgs, Format, Report, facts, number, table, write_atomic};
use crate::progress::Terminal;
use crate::source::DatasetArgs;
use crate::topology::betti_numbers;
use clap::Args;
use hodgelet::choice::Choice;
use hodgelet::complex::Complex;
use hodgelet::dataset::{Dataset, Targets};
use hodgelet::encode::VertexSignal;
use hodgelet::hodge::{HodgeError, Operators};
use hodgelet::measure::{ComplexMeasures, Sample, measure};
use hodgelet::model::{Measurer, ModelError};
use hodgelet::output::{Kind, Output};
use hodgelet::settings::{Settings, SignalSettings};
use serde::Serialize;
pub use split::DimSplit;
use split::{Shares, split};
use std::path::{Path, PathBuf};

/// Flags of `hodgelet decompose`.
#[derive(Args, Debug)]
#[command(mut_arg("vertices", |arg| arg.help("Signal on vertices [default: attributes, or degree where there are none]")))]
#[command(
    after_help = "An oriented channel (a flow) is split into three signals that add up to it; an unoriented one (a bond
type) has no components of its own, and its shares are means over all orientations of the cells.
Vertices carry their attributes and labels, or their degree where there are none, unless --vertices
chooses another signal. The JSON has the values of every cell.

Examples:
  hodgelet decompose vector-fields --graph 0
  hodgelet decompose vector-fields --graph 0 --out flow.svg
  hodgelet decompose ./MUTAG.zip --graph 3 --dim 1 --out third.json"
)]
pub struct DecomposeArgs {
    #[command(flatten)]
    source: DatasetArgs,
    /// Which graph, from 0
    #[arg(long, value_name = "I")]
    graph: usize,
    /// Only the signals on cells of this dimension
    #[arg(long, value_name = "K")]
    dim: Option<usize>,
    #[command(flatten)]
    signals: SignalSettings,
    /// Also write the JSON to a file, or a picture to one that ends in .svg, .png or .pdf; - is standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
    /// How the result is printed
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// The signals of one graph and their components.
#[derive(Debug, Serialize)]
struct Split {
    dataset: String,
    graph: usize,
    id: Option<String>,
    target: Option<String>,
    laplacian: String,
    cells: Vec<usize>,
    betti: Vec<usize>,
    dims: Vec<DimSplit>,
}

/// Decomposes the signals of one graph.
///
/// # Errors
///
/// [`CommandError`].
pub fn run(args: &DecomposeArgs, terminal: Terminal) -> Result<(), CommandError> {
    let kind = |path: &Path| if is_picture(path) { Kind::PICTURE } else { Kind::REPORT };
    let output = |path| Output::new(path, kind(path)).forced(args.force.force);
    if let Some(path) = &args.out {
        output::check_out(output(path), &args.source.inputs())?;
    }
    let read = args.source.read(terminal)?;
    let (dataset, index) = (&read.dataset, args.graph);
    if index >= dataset.len() {
        return Err(ModelError::Index { index, len: dataset.len() }.into());
    }
    let id = read.ids.get(index).filter(|id| !id.is_empty()).cloned();
    let (complex, found) = decomposed(args, dataset)?;
    let found = Split { id, ..found };
    if let Some(path) = args.out.as_deref().filter(|path| is_picture(path)) {
        plot::write(output(path), &picture_of(dataset, index, &complex, &found.dims, None)?)?;
        return output::print(&found, args.format);
    }
    if let Some(path) = &args.out {
        let text = output::json(&found)?;
        write_atomic(output(path), |out| writeln!(out, "{text}"))?;
        return output::print_beside(path, &found, args.format, terminal);
    }
    output::print(&found, args.format)
}

/// The settings with a signal on vertices: attributes, or degrees where there are none.
fn with_vertices(settings: &Settings, dataset: &Dataset) -> Settings {
    let has_columns = dataset.columns().iter().any(|column| column.dim == 0);
    let default = if has_columns { VertexSignal::Attributes } else { VertexSignal::Degree };
    Settings { vertices: settings.vertices.or(Some(default)), ..settings.clone() }
}

/// One graph with its signals.
fn sample_of(settings: &Settings, dataset: &Dataset, graph: usize) -> Result<Sample<'static>, CommandError> {
    let all: Vec<usize> = (0..dataset.len()).collect();
    Ok(Measurer::fit(settings, dataset, &all)?.sample(dataset, graph)?)
}

/// The energies of one graph.
///
/// # Errors
///
/// [`CommandError`].
pub fn measures(
    settings: &Settings,
    dataset: &Dataset,
    graph: usize,
) -> Result<ComplexMeasures, CommandError> {
    let settings = with_vertices(settings, dataset);
    let sample = sample_of(&settings, dataset, graph)?;
    Ok(measure(&sample, settings.laplacian().weighting())?)
}

/// One graph as it is decomposed, and its signals on cells of one dimension or of all.
///
/// # Errors
///
/// [`CommandError`].
pub fn split_of(
    settings: &Settings,
    dataset: &Dataset,
    graph: usize,
    dim: Option<usize>,
) -> Result<(Complex, Vec<DimSplit>), CommandError> {
    let settings = with_vertices(settings, dataset);
    let mut sample = sample_of(&settings, dataset, graph)?;
    let signals = &mut sample.signals;
    for (k, signal) in signals.iter_mut().enumerate() {
        if dim.is_some_and(|wanted| wanted != k) {
            *signal = None;
        }
    }
    match dim {
        Some(dim) if signals.get(dim).is_none_or(Option::is_none) => {
            return Err(ModelError::NoSignal { dim }.into());
        }
        _ if signals.iter().all(Option::is_none) => return Err(ModelError::NoBlocks.into()),
        _ => {}
    }
    let laplacian = settings.laplacian();
    let measures = measure(&sample, laplacian.weighting())?;
    let operators = match &sample.weights {
        Some(weights) => Operators::weighted(&sample.complex, weights).map_err(HodgeError::from)?,
        None => Operators::new(&sample.complex, laplacian.weighting()),
    };
    let mut dims = Vec::new();
    for (dim, signal) in sample.signals.iter().enumerate() {
        if let (Some(signal), Some(measures)) = (signal, measures.of_dim(dim)) {
            dims.push(split(&operators, dim, signal, measures)?);
        }
    }
    Ok((sample.complex.into_owned(), dims))
}

fn decomposed(args: &DecomposeArgs, dataset: &Dataset) -> Result<(Complex, Split), CommandError> {
    let (complex, dims) = split_of(&args.signals.0, dataset, args.graph, args.dim)?;
    let laplacian = args.signals.0.laplacian();
    let target = match dataset.targets() {
        Targets::None => None,
        Targets::Classes { names, labels } => Some(names[labels[args.graph] as usize].clone()),
        Targets::Real(values) => Some(values[args.graph].to_string()),
    };
    let found = Split {
        dataset: dataset.name().to_owned(),
        graph: args.graph,
        id: None,
        target,
        laplacian: laplacian.name(),
        cells: (0..=complex.dim()).map(|k| complex.n_cells(k)).collect(),
        betti: betti_numbers(&complex, complex.dim())?,
        dims,
    };
    Ok((complex, found))
}

impl Report for Split {
    fn text(&self) -> String {
        let list = |values: &[usize]| values.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
        let mut rows = vec![("dataset", self.dataset.clone()), ("graph", self.graph.to_string())];
        rows.extend(self.id.iter().map(|id| ("id", id.clone())));
        rows.extend(self.target.iter().map(|target| ("target", target.clone())));
        rows.extend([
            ("Laplacian", self.laplacian.clone()),
            ("cells by dimension", list(&self.cells)),
            ("Betti numbers", list(&self.betti)),
        ]);
        let mut sections = vec![facts(&rows)];
        for split in &self.dims {
            sections.push(channel_table(split));
            sections.push(spectrum_table(split));
        }
        sections.join("\n\n")
    }
}

fn channel_table(split: &DimSplit) -> String {
    let percent = |shares: &Option<Shares>| match shares {
        Some(shares) => {
            [shares.exact, shares.coexact, shares.harmonic].map(|share| format!("{:.2}", 100.0 * share))
        }
        None => ["-"; 3].map(str::to_owned),
    };
    let row = |channel: &split::ChannelSplit| {
        let kind = if split.dim == 0 || channel.oriented { "" } else { "unoriented, mean shares" };
        let start = [channel.name.clone(), number(channel.norm_squared)];
        start.into_iter().chain(percent(&channel.shares)).chain([kind.to_owned()]).collect()
    };
    let title = format!("channel on {}", cell_name(split.dim));
    let header = [title.as_str(), "norm²", "exact %", "co-exact %", "harmonic %", ""];
    table(&header, &[1, 2, 3, 4], split.channels.iter().map(row))
}

fn spectrum_table(split: &DimSplit) -> String {
    let row = |(name, found): (&str, &split::SpectrumSummary)| {
        let end = |value: Option<f64>| value.map_or("-".to_owned(), number);
        vec![name.to_owned(), found.count.to_string(), end(found.smallest), end(found.largest)]
    };
    let rows = [("exact", &split.spectrum.exact), ("co-exact", &split.spectrum.coexact)].map(row);
    let harmonic =
        vec!["harmonic".to_owned(), split.spectrum.harmonic.to_string(), "0".to_owned(), "0".to_owned()];
    let title = format!("spectrum on {}", cell_name(split.dim));
    let header = [title.as_str(), "eigenvalues", "smallest", "largest"];
    table(&header, &[1, 2, 3], rows.into_iter().chain([harmonic]))
}
