//! Pictures of one graph: its signals, their components and spectra, and where a prediction comes from.

use super::{PictureArgs, check_index};
use crate::commands::decompose::{self, DimSplit};
use crate::commands::model_info::load;
use crate::error::CommandError;
use crate::progress::Terminal;
use crate::source::DatasetArgs;
use clap::Args;
use hodgelet::complex::Complex;
use hodgelet::dataset::Dataset;
use hodgelet::settings::SignalSettings;
use hodgelet_report::content::{attribution_of, component_panels, spectrum_of, vertex_names};
use hodgelet_report::layout;
use hodgelet_report::markup::Element;
use hodgelet_report::picture::grid;
use std::path::PathBuf;

/// Flags of pictures of one graph.
#[derive(Args, Debug)]
#[command(mut_arg("vertices", |arg| arg.help("Signal on vertices [default: attributes, or degree where there are none]")))]
pub struct GraphPlotArgs {
    #[command(flatten)]
    source: DatasetArgs,
    /// Which graph, from 0
    #[arg(long, value_name = "I", default_value_t = 0)]
    graph: usize,
    /// Dimension of the cells that carry the signal [default: edges, or vertices where edges have none]
    #[arg(long, value_name = "K")]
    dim: Option<usize>,
    /// Which channel, by its name [default: the first]
    #[arg(long, value_name = "NAME")]
    channel: Option<String>,
    #[command(flatten)]
    signals: SignalSettings,
    #[command(flatten)]
    picture: PictureArgs,
}

/// Flags of `hodgelet plot attribution`.
#[derive(Args, Debug)]
pub struct AttributionArgs {
    /// File of the model
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    #[command(flatten)]
    source: DatasetArgs,
    /// Which graph, from 0
    #[arg(long, value_name = "I", default_value_t = 0)]
    graph: usize,
    #[command(flatten)]
    picture: PictureArgs,
}

/// Draws where a prediction comes from.
pub fn attribution(args: &AttributionArgs, terminal: Terminal) -> Result<(), CommandError> {
    let inputs: Vec<PathBuf> = args.source.inputs().into_iter().chain([args.model.clone()]).collect();
    args.picture.check(&inputs)?;
    let model = load(&args.model)?;
    let (alone, _) = args.source.read_graph(&model, args.graph, terminal)?;
    let prediction = model.predict(&alone)?;
    let pictures = attribution_of(&model, &prediction, &alone, 0)?;
    args.picture.write(&grid(&format!("Graph {}", args.graph), pictures, 2))
}

/// Draws the spectrum of a signal.
pub fn spectrum(args: &GraphPlotArgs, terminal: Terminal) -> Result<(), CommandError> {
    args.picture.check(&args.source.inputs())?;
    let read = args.source.read(terminal)?;
    check_index(args.graph, read.dataset.len())?;
    let measures = decompose::measures(&args.signals.0, &read.dataset, args.graph)?;
    let Some(picture) = spectrum_of(&measures, args.dim) else {
        let hint = "--vertices degree gives vertices one; --dim chooses the cells";
        return Err(CommandError::usage(format!("graph {} has no energy to draw", args.graph), Some(hint)));
    };
    args.picture.write(&picture)
}

/// Draws a signal and its components.
pub fn decompose(args: &GraphPlotArgs, terminal: Terminal) -> Result<(), CommandError> {
    args.picture.check(&args.source.inputs())?;
    let read = args.source.read(terminal)?;
    check_index(args.graph, read.dataset.len())?;
    let (complex, dims) = decompose::split_of(&args.signals.0, &read.dataset, args.graph, args.dim)?;
    let picture = picture_of(&read.dataset, args.graph, &complex, &dims, args.channel.as_deref())?;
    args.picture.write(&picture)
}

/// A channel and its components; of edges where they have one that is oriented.
///
/// # Errors
///
/// [`CommandError::Usage`] when there is no such channel.
pub fn picture_of(
    dataset: &Dataset,
    graph: usize,
    complex: &Complex,
    dims: &[DimSplit],
    channel: Option<&str>,
) -> Result<Element, CommandError> {
    let places = match complex.n_cells(0) == dataset.complexes()[graph].n_cells(0) {
        true => layout::places_of(dataset, graph),
        false => layout::places(complex),
    };
    let mut order: Vec<&DimSplit> = dims.iter().filter(|split| split.dim <= 2).collect();
    order.sort_by_key(|split| [1, 0, 2].iter().position(|&dim| dim == split.dim));
    let all = order.iter().flat_map(|split| split.channels.iter().map(move |found| (split.dim, found)));
    let usable: Vec<_> = all.filter(|(_, found)| found.components.is_some()).collect();
    let found = match channel {
        Some(name) => usable.iter().find(|(_, found)| found.name == name),
        None => usable.first(),
    };
    let Some(&(dim, found)) = found else {
        let names: Vec<&str> = usable.iter().map(|(_, found)| found.name.as_str()).collect();
        let message = match channel {
            Some(name) => format!("no channel `{name}` that has components; there are: {}", names.join(", ")),
            None => "no signal that has components: an unoriented one on edges has none".to_owned(),
        };
        return Err(CommandError::usage(message, Some("--vertices and --edges choose the signals")));
    };
    let empty = Vec::new();
    let [exact, coexact, harmonic] = match &found.components {
        Some(parts) => [&parts.exact, &parts.coexact, &parts.harmonic],
        None => [&empty; 3],
    };
    let parts = [exact.clone(), coexact.clone(), harmonic.clone()];
    let names = vertex_names(dataset, graph, complex.n_cells(0));
    let title = format!("{}, graph {graph}: {} and its Hodge components", dataset.name(), found.name);
    Ok(component_panels(&title, complex, &places, dim, &found.signal, &parts, &names))
}
