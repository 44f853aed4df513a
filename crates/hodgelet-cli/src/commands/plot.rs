//! `hodgelet plot`: pictures of models, graphs and predictions.

mod curve;
mod graph;

pub use graph::picture_of;

use super::model_info::load;
use super::report::known;
use crate::error::CommandError;
use crate::output::{self, ForceArgs};
use crate::progress::Terminal;
use crate::source::DatasetArgs;
use clap::{Args, Subcommand};
use hodgelet::dataset::Targets;
use hodgelet::model::ModelError;
use hodgelet::output::{Kind, Output};
use hodgelet_report::chart;
use hodgelet_report::content::Learned;
use hodgelet_report::markup::Element;
use hodgelet_report::picture::{PictureFormat, grid, render};
use std::path::{Path, PathBuf};

/// What is drawn.
#[derive(Debug, Subcommand)]
pub enum PlotCommand {
    /// The filters of each block of a model, over the energy of a dataset by eigenvalue
    Filters(ModelPlotArgs),
    /// Energies of the signals of one graph at the eigenvalues of each Hodge component
    Spectrum(graph::GraphPlotArgs),
    /// A signal of one graph with its exact, co-exact and harmonic parts
    Decompose(graph::GraphPlotArgs),
    /// What the graphs of a dataset have in common for a model, pair by pair: its kernel
    Kernel(ModelPlotArgs),
    /// How often a model is right, against how sure it is
    Reliability(ModelPlotArgs),
    /// Where the prediction of one graph comes from, by block and by cell
    Attribution(graph::AttributionArgs),
    /// Scores against the number of training graphs
    LearningCurve(Box<curve::CurveArgs>),
}

/// Where a picture goes.
#[derive(Args, Debug)]
pub struct PictureArgs {
    /// The picture, a name that ends in .svg, .png or .pdf
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    force: ForceArgs,
}

/// Flags of pictures of a model and a dataset.
#[derive(Args, Debug)]
pub struct ModelPlotArgs {
    /// File of the model
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    #[command(flatten)]
    source: DatasetArgs,
    #[command(flatten)]
    picture: PictureArgs,
}

/// Draws a picture.
///
/// # Errors
///
/// [`CommandError`].
pub fn run(command: &PlotCommand, terminal: Terminal) -> Result<(), CommandError> {
    match command {
        PlotCommand::Filters(args) => filters(args, terminal),
        PlotCommand::Spectrum(args) => graph::spectrum(args, terminal),
        PlotCommand::Decompose(args) => graph::decompose(args, terminal),
        PlotCommand::Kernel(args) => kernel(args, terminal),
        PlotCommand::Reliability(args) => reliability(args, terminal),
        PlotCommand::Attribution(args) => graph::attribution(args, terminal),
        PlotCommand::LearningCurve(args) => curve::run(args, terminal),
    }
}

impl PictureArgs {
    /// Whether the picture can be written, before the work.
    pub fn check(&self, inputs: &[PathBuf]) -> Result<(), CommandError> {
        output::check_extension(&self.out, &PictureFormat::EXTENSIONS)?;
        output::check_out(self.output(), inputs)
    }

    fn output(&self) -> Output<'_> {
        Output::new(&self.out, Kind::PICTURE).forced(self.force.force)
    }

    pub fn write(&self, picture: &Element) -> Result<(), CommandError> {
        write(self.output(), picture)
    }
}

/// Writes a picture in the format that its name asks for; SVG where it has none.
///
/// # Errors
///
/// [`CommandError`].
pub fn write(output: Output<'_>, picture: &Element) -> Result<(), CommandError> {
    let extension = output.path().extension().and_then(|extension| extension.to_str()).unwrap_or("svg");
    let format = PictureFormat::of_extension(extension).unwrap_or(PictureFormat::Svg);
    let bytes = render(picture, format);
    let bytes = bytes.map_err(|error| CommandError::usage(error.to_string(), Some(error.hint())))?;
    output::write_atomic(output, |out| out.write_all(&bytes))
}

/// Whether a name is one of a picture.
#[must_use]
pub fn is_picture(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| PictureFormat::of_extension(extension).is_some())
}

fn inputs(args: &ModelPlotArgs) -> Vec<PathBuf> {
    args.source.inputs().into_iter().chain([args.model.clone()]).collect()
}

fn filters(args: &ModelPlotArgs, terminal: Terminal) -> Result<(), CommandError> {
    args.picture.check(&inputs(args))?;
    let model = load(&args.model)?;
    let read = args.source.for_model(&model).read(terminal)?;
    let bar = terminal.bar("graphs", Some(read.dataset.len() as u64));
    let measured = model.space().measurer().measure(&read.dataset, |done| bar.at(done as u64))?;
    drop(bar);
    let learned = Learned::of(&model, &measured.measures);
    if learned.filters.is_empty() {
        let hint = "blocks of harmonic energies, labels and values have none, nor has the method fourier";
        return Err(CommandError::usage("the model has no filters", Some(hint)));
    }
    let one = |(name, curves, density): &(String, Vec<chart::Curve>, Option<chart::Density>)| {
        chart::filters(name, curves, density.as_ref())
    };
    let pictures: Vec<Element> = learned.filters.iter().map(one).collect();
    args.picture.write(&grid("Filters", pictures, 2))
}

/// Graphs whose pairs are drawn.
const PAIRED: usize = 48;

fn kernel(args: &ModelPlotArgs, terminal: Terminal) -> Result<(), CommandError> {
    args.picture.check(&inputs(args))?;
    let model = load(&args.model)?;
    let read = args.source.for_model(&model).read(terminal)?;
    let (groups, chosen) = groups(read.dataset.targets(), read.dataset.len());
    let some = read.dataset.select(&chosen);
    let gram = model.gram(&some, None)?;
    let constant = model.kernel().constant().unwrap_or(0.0);
    let common = |i: usize, j: usize| {
        let whole = gram[(i, i)] + gram[(j, j)] - 2.0 * constant;
        if whole > 0.0 { 2.0 * (gram[(i, j)] - constant) / whole } else { 1.0 }
    };
    let values: Vec<Vec<f64>> =
        (0..some.len()).map(|i| (0..some.len()).map(|j| common(i, j)).collect()).collect();
    let title = format!("{}: what {} graphs have in common", read.dataset.name(), some.len());
    args.picture.write(&chart::matrix(&title, "prior correlation of their latent values", &groups, &values))
}

/// Some graphs, at equal steps of those of each class: names of the classes with their counts, and the graphs.
fn groups(targets: &Targets, n: usize) -> (Vec<(String, usize)>, Vec<usize>) {
    let mut all: Vec<usize> = (0..n).collect();
    if let Targets::Classes { labels, .. } = targets {
        // Classes may alternate: steps through the order of the data could pass over one of them.
        all.sort_by_key(|&i| labels[i]);
    }
    let chosen: Vec<usize> = all.into_iter().step_by(n.div_ceil(PAIRED).max(1)).collect();
    let Targets::Classes { names, labels } = targets else {
        return (vec![("graphs".to_owned(), chosen.len())], chosen);
    };
    let classes = chosen.chunk_by(|&a, &b| labels[a] == labels[b]);
    let groups = classes.map(|own| (names[labels[own[0]] as usize].clone(), own.len())).collect();
    (groups, chosen)
}

fn reliability(args: &ModelPlotArgs, terminal: Terminal) -> Result<(), CommandError> {
    args.picture.check(&inputs(args))?;
    let model = load(&args.model)?;
    let read = known(&model, args.source.for_model(&model).read(terminal)?, terminal)?;
    let prediction = model.predict(&read.dataset)?;
    let cases = hodgelet_report::content::predicted_cases(&model, &prediction, &read.dataset);
    let Some(found) = hodgelet_report::content::reliability_of(&cases) else {
        let hint = "the dataset must have the classes that the model predicts";
        return Err(CommandError::usage(
            "no graph of a known class: there is nothing to be right about",
            Some(hint),
        ));
    };
    args.picture.write(&chart::reliability(&found.points, found.ece, found.floor))
}

/// Refuses a graph that is not there.
fn check_index(index: usize, len: usize) -> Result<(), CommandError> {
    if index < len { Ok(()) } else { Err(ModelError::Index { index, len }.into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_that_alternate_are_all_among_the_graphs_that_are_drawn() {
        let names = vec!["a".to_owned(), "b".to_owned()];
        let labels = (0..120).map(|i| i % 2).collect();
        let (found, chosen) = groups(&Targets::Classes { names, labels }, 120);
        assert_eq!(found, [("a".to_owned(), 20), ("b".to_owned(), 20)]);
        assert!(chosen[..20].iter().all(|i| i % 2 == 0) && chosen.len() <= PAIRED);
        assert_eq!(groups(&Targets::None, 3), (vec![("graphs".to_owned(), 3)], vec![0, 1, 2]));
        assert_eq!(groups(&Targets::None, 0).1, Vec::<usize>::new());
    }
}
