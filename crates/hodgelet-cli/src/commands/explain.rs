//! `hodgelet explain`: where the prediction of one graph comes from, by block, vertex and edge.

use super::model_info::load;
use crate::error::CommandError;
use crate::output::{self, ForceArgs, Format, Report, facts, number, table};
use crate::progress::Terminal;
use crate::source::DatasetArgs;
use crate::spark;
use clap::Args;
use hodgelet::complex::Complex;
use hodgelet::dataset::{ColumnValues, Dataset};
use hodgelet::model::{CellShares, FittedTargets, Model, PredictedTargets, Prediction};
use hodgelet::output::{Kind, Output};
use serde::Serialize;
use std::path::PathBuf;

/// Flags of `hodgelet explain`.
#[derive(Args, Debug)]
#[command(
    after_help = "The latent mean of a prediction is the exact sum of the shares of its blocks and of the constant. With two
classes it is positive for the second; with more, each class has its own, and --class says which is
explained (by default that of the predicted class).

Blocks of labels and of values are shared out further, to vertices and edges: along the straight line
from a graph without cells, so that the shares of the cells and what that empty graph has (`empty
graph`) add up to the share of the block. This is one additive rule among several (integrated
gradients); with a linear kernel all of them agree. Blocks of energies are not shared out.

Examples:
  hodgelet explain model.hodgelet ./MUTAG.zip --graph 3
  hodgelet explain model.hodgelet new-graphs.jsonl --graph 0 --format json"
)]
pub struct ExplainArgs {
    /// File of the model
    #[arg(value_name = "MODEL")]
    model: PathBuf,
    #[command(flatten)]
    source: DatasetArgs,
    /// Which graph, from 0; of a table all rows are counted
    #[arg(long, value_name = "I")]
    graph: usize,
    /// The class whose latent function is explained, where there are more than two
    #[arg(long, value_name = "CLASS")]
    class: Option<String>,
    /// Cells and labels in the tables
    #[arg(long, value_name = "COUNT", default_value_t = 10)]
    top: usize,
    /// Also write the JSON to a file; - is standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    force: ForceArgs,
    /// How the result is printed
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Where a prediction comes from.
#[derive(Debug, Serialize)]
struct Explanation {
    dataset: String,
    graph: usize,
    id: Option<String>,
    predicted: String,
    /// Of the predicted class.
    probability: Option<f64>,
    /// The class that a positive latent value speaks for; none for numbers.
    toward: Option<String>,
    latent_mean: f64,
    constant: Option<f64>,
    blocks: Vec<BlockShare>,
    #[serde(skip)]
    top: usize,
}

#[derive(Debug, Serialize)]
struct BlockShare {
    block: String,
    share: f64,
    /// What a graph without cells has; none in a block that is not shared out.
    empty_graph: Option<f64>,
    cells: Vec<CellShare>,
    labels: Vec<LabelOf>,
}

#[derive(Debug, Serialize)]
struct CellShare {
    dim: usize,
    cell: usize,
    /// Its vertices.
    vertices: Vec<u32>,
    /// Its labels, and those of its vertices.
    label: String,
    share: f64,
}

#[derive(Debug, Serialize)]
struct LabelOf {
    depth: usize,
    /// One of its cells in words.
    example: String,
    cells: Vec<u32>,
    share: f64,
}

/// Explains the prediction of one graph.
///
/// # Errors
///
/// [`CommandError`].
pub fn run(args: &ExplainArgs, terminal: Terminal) -> Result<(), CommandError> {
    let output = |path| Output::new(path, Kind::REPORT).forced(args.force.force);
    if let Some(path) = &args.out {
        let inputs: Vec<PathBuf> = args.source.inputs().into_iter().chain([args.model.clone()]).collect();
        output::check_out(output(path), &inputs)?;
    }
    let model = load(&args.model)?;
    let (alone, id) = args.source.read_graph(&model, args.graph, terminal)?;
    let prediction = model.predict(&alone)?;
    let cells = model.explain_cells(&alone, 0)?;
    let latent = latent_of(args, &model, &prediction)?;
    let lifted = model.space().measurer().sample(&alone, 0)?.complex;
    let found = Explanation {
        dataset: alone.name().to_owned(),
        graph: args.graph,
        id,
        ..explained(&model, (&alone, &lifted), &prediction, &cells, latent, args.top)
    };
    if let Some(path) = &args.out {
        let text = output::json(&found)?;
        output::write_atomic(output(path), |out| writeln!(out, "{text}"))?;
        return output::print_beside(path, &found, args.format, terminal);
    }
    output::print(&found, args.format)
}

/// The latent function that is explained.
fn latent_of(args: &ExplainArgs, model: &Model, prediction: &Prediction) -> Result<usize, CommandError> {
    let FittedTargets::Classes { names } = model.targets() else {
        return match &args.class {
            None => Ok(0),
            Some(_) => Err(CommandError::usage("--class, but the model predicts numbers".to_owned(), None)),
        };
    };
    let several = prediction.latent_mean.ncols() > 1;
    match (&args.class, &prediction.targets) {
        (Some(class), _) => {
            let place = names.iter().position(|name| name == class);
            let hint = format!("classes are {}", names.join(", "));
            let place = place.ok_or_else(|| {
                CommandError::usage(format!("the model has no class `{class}`"), Some(&hint))
            })?;
            Ok(if several { place } else { 0 })
        }
        (None, PredictedTargets::Classes { labels, .. }) if several => Ok(labels[0] as usize),
        _ => Ok(0),
    }
}

fn explained(
    model: &Model,
    (alone, lifted): (&Dataset, &Complex),
    prediction: &Prediction,
    cells: &[CellShares],
    latent: usize,
    top: usize,
) -> Explanation {
    let (predicted, probability, toward) = match (&prediction.targets, model.targets()) {
        (PredictedTargets::Classes { probabilities, labels }, FittedTargets::Classes { names }) => {
            let class = labels[0] as usize;
            let place = if prediction.latent_mean.ncols() > 1 { latent } else { 1 };
            (names[class].clone(), Some(probabilities[(0, class)]), Some(names[place].clone()))
        }
        (PredictedTargets::Real { densities }, _) => (number(densities[0].mean()), None, None),
        _ => (String::new(), None, None),
    };
    let names = CellNames { complex: &alone.complexes()[0], lifted, dataset: alone };
    let block = |(block, shares): &(hodgelet::feature::Block, faer::Mat<f64>)| {
        let own = cells.iter().find(|cells| cells.block == *block);
        let cell = |own: &CellShares, i: usize| CellShare {
            dim: block.dim,
            cell: i,
            vertices: names.vertices(block.dim, i),
            label: names.label(block.dim, i),
            share: own.cells[(i, latent)],
        };
        let label = |label: &hodgelet::model::LabelShare| LabelOf {
            depth: label.depth,
            example: label.cells.first().map(|&i| names.label(block.dim, i as usize)).unwrap_or_default(),
            cells: label.cells.clone(),
            share: label.share[latent],
        };
        BlockShare {
            block: model.space().block_name(*block),
            share: shares[(0, latent)],
            empty_graph: own.map(|own| own.origin[latent]),
            cells: own.map_or_else(Vec::new, |own| (0..own.cells.nrows()).map(|i| cell(own, i)).collect()),
            labels: own.map_or_else(Vec::new, |own| own.labels.iter().map(label).collect()),
        }
    };
    Explanation {
        dataset: String::new(),
        graph: 0,
        id: None,
        predicted,
        probability,
        toward,
        latent_mean: prediction.latent_mean[(0, latent)],
        constant: prediction.constant.as_ref().map(|constant| constant[(0, latent)]),
        blocks: prediction.blocks.iter().map(block).collect(),
        top,
    }
}

/// What cells are called.
struct CellNames<'a> {
    complex: &'a Complex,
    /// With the cells that the model adds.
    lifted: &'a Complex,
    dataset: &'a Dataset,
}

impl CellNames<'_> {
    fn vertices(&self, dim: usize, cell: usize) -> Vec<u32> {
        match dim {
            0 => vec![cell as u32],
            1 => self.complex.boundary(1).map_or_else(Vec::new, |b| b.column(cell).0.to_vec()),
            _ if cell < self.lifted.n_cells(dim) => self.lifted.cell_vertices(dim, cell),
            _ => Vec::new(),
        }
    }

    /// Labels of a cell: `C` on a vertex, `C–N (2)` on an edge with label 2.
    fn label(&self, dim: usize, cell: usize) -> String {
        match dim {
            0 => self.own(0, cell),
            _ => {
                let ends: Vec<String> = self
                    .vertices(dim, cell)
                    .iter()
                    .map(|&v| match self.own(0, v as usize) {
                        name if name.is_empty() => v.to_string(),
                        name => name,
                    })
                    .collect();
                match self.own(dim, cell) {
                    own if own.is_empty() => ends.join("–"),
                    own => format!("{} ({own})", ends.join("–")),
                }
            }
        }
    }

    fn own(&self, dim: usize, cell: usize) -> String {
        let names = self.dataset.columns().iter().filter(|column| column.dim == dim).filter_map(|column| {
            let ColumnValues::Labels { categories, codes } = &column.values else { return None };
            let code = *codes.get(column.starts[0] + cell)?;
            categories.get(code as usize).cloned()
        });
        names.collect::<Vec<_>>().join(" ")
    }
}

impl Report for Explanation {
    fn text(&self) -> String {
        let mut rows = vec![("dataset", self.dataset.clone()), ("graph", self.graph.to_string())];
        rows.extend(self.id.iter().map(|id| ("id", id.clone())));
        let sure = self.probability.map(|p| format!(", probability {p:.3}")).unwrap_or_default();
        rows.push(("predicted", format!("{}{sure}", self.predicted)));
        rows.extend(self.toward.iter().map(|class| ("positive is toward", class.clone())));
        rows.push(("latent mean", format!("{:+.4}", self.latent_mean)));
        let signed = |x: f64| format!("{x:+.4}");
        let watched = spark::is_watched();
        let largest = self.blocks.iter().map(|block| block.share.abs()).fold(0.0, f64::max);
        let of_block = |block: &BlockShare| {
            let empty = block.empty_graph.map(signed).unwrap_or_default();
            let cells = match block.cells.is_empty() {
                true => String::new(),
                false => signed(block.cells.iter().map(|cell| cell.share).sum()),
            };
            let mut row = vec![block.block.clone(), signed(block.share), empty, cells];
            row.extend(watched.then(|| spark::signed_bar(block.share, largest)));
            row
        };
        let constant = self
            .constant
            .map(|share| vec!["constant".to_owned(), signed(share), String::new(), String::new()]);
        let blocks = self.blocks.iter().map(of_block).chain(constant);
        let header = ["block", "share", "empty graph", "its cells", ""];
        let header = &header[..if watched { 5 } else { 4 }];
        let mut parts = vec![facts(&rows), table(header, &[1, 2, 3], blocks)];
        let cells = self.totals();
        if !cells.is_empty() {
            let largest = cells.iter().map(|cell| cell.share.abs()).fold(0.0, f64::max);
            let shown = cells.iter().take(self.top).map(|cell| {
                let ends: Vec<String> = cell.vertices.iter().map(u32::to_string).collect();
                let name = ["vertex", "edge"].get(cell.dim).unwrap_or(&"cell");
                let place = if cell.dim == 0 { cell.cell.to_string() } else { ends.join("–") };
                let mut row = vec![format!("{name} {place}"), cell.label.clone(), signed(cell.share)];
                row.extend(watched.then(|| spark::signed_bar(cell.share, largest)));
                row
            });
            let header = ["cell", "label", "share", ""];
            let header = &header[..if watched { 4 } else { 3 }];
            parts.push(format!(
                "Cells with the largest shares, {} of {}, over all blocks that are shared out\n{}",
                self.top.min(cells.len()),
                cells.len(),
                table(header, &[2], shown)
            ));
        }
        parts.join("\n\n")
    }
}

impl Explanation {
    /// The shares of each cell over all blocks, the largest first.
    fn totals(&self) -> Vec<CellShare> {
        let mut all: Vec<CellShare> = Vec::new();
        for cell in self.blocks.iter().flat_map(|block| &block.cells) {
            match all.iter_mut().find(|other| (other.dim, other.cell) == (cell.dim, cell.cell)) {
                Some(other) => other.share += cell.share,
                None => all.push(CellShare {
                    dim: cell.dim,
                    cell: cell.cell,
                    vertices: cell.vertices.clone(),
                    label: cell.label.clone(),
                    share: cell.share,
                }),
            }
        }
        all.sort_by(|a, b| {
            b.share.abs().total_cmp(&a.share.abs()).then((a.dim, a.cell).cmp(&(b.dim, b.cell)))
        });
        all
    }
}
