//! `hodgelet info`: what a dataset or a model holds.

mod spectra;

use super::measure::describe as describe_store;
use super::model_info::{begins_as_model, describe_model, load};
use super::several;
use crate::error::CommandError;
use crate::homology::{HomologyCount, homology_counts};
use crate::output::{self, Format, Report, facts, number, table};
use crate::progress::{check_interrupt, interrupted};
use crate::source::DatasetArgs;
use crate::spark;
use crate::table::left_out;
use crate::topology::{MAX_RANK_SIZE, betti_numbers, lifted, rank_size};
use clap::Args;
use hodgelet::complex::Complex;
use hodgelet::dataset::{Column, ColumnValues, Dataset, Targets, WHOLE};
use hodgelet::model::{Goal, ModelError};
use hodgelet::signal::Orientation;
use hodgelet_data::Read;
use hodgelet_data::table::{RowFault, TableRead};
use hodgelet_eval::audit::{Duplicates, duplicates};
use rayon::prelude::*;
use serde::Serialize;
use spectra::{SpectrumInfo, spectra};
use std::path::Path;

/// Largest cost of Betti numbers, as a sum of cubes of matrix sizes.
const MAX_RANK_WORK: f64 = 5e11;

/// Flags of `hodgelet info`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  hodgelet info surfaces --homology 0,2
  hodgelet info vector-fields --set n_vertices=50 --seed 3
  hodgelet info ./MUTAG.zip --format json
  HODGELET_DATA=datasets hodgelet info MUTAG
  hodgelet info sbm.hodgelet")]
pub struct InfoArgs {
    #[command(flatten)]
    source: DatasetArgs,
    /// How the result is printed
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Describes a dataset, a store of measures, or a model, which is known by what the file holds.
///
/// # Errors
///
/// [`CommandError`].
pub fn run(args: &InfoArgs) -> Result<(), CommandError> {
    let path = Path::new(&args.source.dataset);
    if is_model(path) {
        if let Some(models) = several::load(path)? {
            return output::print(&several::ModelsInfo::new(&models, None), args.format);
        }
        return output::print(&describe_model(&load(path)?), args.format);
    }
    if let Some(store) = args.source.store()? {
        return output::print(&describe_store(&store), args.format);
    }
    let table = args.source.read_table(None)?;
    let read = match &table {
        Some(table) => table.read.clone(),
        None => args.source.read_silently()?,
    };
    let mut info = describe(&read)?;
    if let Some(table) = &table {
        info.add_table(table);
    }
    if !args.source.homology.is_empty() {
        info.homology = Some(homology_counts(&read.dataset)?);
    }
    output::print(&info, args.format)
}

/// Whether a file is a model: by its name, or by how it begins.
fn is_model(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "hodgelet" || end == "safetensors") || begins_as_model(path)
}

#[derive(Debug, Serialize)]
struct Info {
    name: String,
    graphs: usize,
    target: Target,
    cells: Vec<Cells>,
    columns: Vec<ColumnInfo>,
    isolated_vertices: usize,
    connected_components: Spread,
    /// Triangles of the clique complex of a graph; 2-cells where a complex has its own.
    triangles: Spread,
    /// Mean numbers of cells, with the cliques of a graph.
    f_vector: Vec<f64>,
    euler_characteristic: Spread,
    /// Mean Betti numbers; none when a complex is too large.
    betti: Option<Vec<f64>>,
    /// Homology groups with integer coefficients and how many graphs have them, where homology was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    homology: Option<Vec<HomologyCount>>,
    /// Eigenvalues by dimension and component; none when a complex is too large.
    spectra: Option<Vec<SpectrumInfo>>,
    duplicates: Duplicates,
    /// Rows of a table of molecules that were left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<LeftOut>,
    tidied: Vec<String>,
    notes: Vec<String>,
}

/// Rows of a table that are no graphs of the dataset.
#[derive(Debug, Serialize)]
struct LeftOut {
    /// Rows without a target.
    without_target: usize,
    /// Rows that cannot be read.
    unreadable: Vec<Unreadable>,
}

#[derive(Debug, Serialize)]
struct Unreadable {
    /// The row, from 1.
    row: usize,
    /// The line in which it begins, from 1, in a text file.
    line: Option<u64>,
    smiles: String,
    reason: String,
}

#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
enum Target {
    None,
    Class { classes: Vec<Class> },
    Real(Spread),
    Several { targets: Vec<Named> },
}

/// One of several targets.
#[derive(Debug, Serialize)]
struct Named {
    name: String,
    /// Graphs where it is known.
    known: usize,
    #[serde(flatten)]
    target: Target,
}

#[derive(Debug, Serialize)]
struct Class {
    name: String,
    graphs: usize,
}

#[derive(Clone, Copy, Debug, Default, Serialize)]
struct Spread {
    mean: f64,
    min: f64,
    max: f64,
    total: f64,
}

impl Spread {
    fn of(values: impl Iterator<Item = f64>) -> Self {
        let values: Vec<f64> = values.collect();
        if values.is_empty() {
            return Self::default();
        }
        let total: f64 = values.iter().sum();
        Self {
            mean: total / values.len() as f64,
            min: values.iter().copied().fold(f64::INFINITY, f64::min),
            max: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            total,
        }
    }

    fn range(&self) -> String {
        format!("{} to {}, mean {}", number(self.min), number(self.max), number(self.mean))
    }
}

#[derive(Debug, Serialize)]
struct Cells {
    dim: usize,
    #[serde(flatten)]
    count: Spread,
}

#[derive(Debug, Serialize)]
struct ColumnInfo {
    dim: usize,
    name: String,
    kind: &'static str,
    channels: usize,
    oriented: bool,
}

/// What one complex adds to the description.
struct Shape {
    isolated: usize,
    components: usize,
    triangles: usize,
    euler: i64,
    rank_sizes: Vec<usize>,
    /// Cells of each dimension, with the cliques of a graph.
    cells: Vec<usize>,
}

fn describe(read: &Read) -> Result<Info, CommandError> {
    let dataset = &read.dataset;
    let shapes: Vec<Shape> =
        dataset.complexes().par_iter().enumerate().map(shape).collect::<Result<_, CommandError>>()?;
    check_interrupt()?;
    let spread = |of: fn(&Shape) -> f64| Spread::of(shapes.iter().map(of));
    let highest = dataset.complexes().iter().map(Complex::dim).max().unwrap_or(0);
    let cells = (0..=highest).map(|dim| {
        let counts = dataset.complexes().iter().map(|complex| complex.n_cells(dim) as f64);
        Cells { dim, count: Spread::of(counts) }
    });
    let mut notes = read.report.notes.clone();
    if dataset.complexes().iter().any(|complex| complex.dim() <= 1) {
        notes.push("topology is that of the clique complex: every triangle of a graph is filled".to_owned());
    }
    let betti = mean_betti(dataset, &shapes, highest)?;
    if betti.is_none() {
        notes.push("Betti numbers left out: a complex is too large to find them quickly".to_owned());
    }
    let spectra = spectra(dataset, &shapes, highest.max(1))?;
    if spectra.is_none() {
        notes.push("spectra left out: there is too much to decompose quickly".to_owned());
    }
    let most = shapes.iter().map(|shape| shape.cells.len()).max().unwrap_or(0);
    let mean = |k: usize| {
        let of = |shape: &Shape| shape.cells.get(k).copied().unwrap_or(0) as f64;
        Spread::of(shapes.iter().map(of)).mean
    };
    Ok(Info {
        f_vector: (0..most).map(mean).collect(),
        spectra,
        homology: None,
        name: dataset.name().to_owned(),
        graphs: dataset.len(),
        target: match &read.goals[..] {
            [] => target(dataset.targets()),
            goals => Target::Several { targets: goals.iter().map(named).collect() },
        },
        left_out: None,
        cells: cells.collect(),
        columns: dataset.columns().iter().map(column).collect(),
        isolated_vertices: shapes.iter().map(|shape| shape.isolated).sum(),
        connected_components: spread(|shape| shape.components as f64),
        triangles: spread(|shape| shape.triangles as f64),
        euler_characteristic: spread(|shape| shape.euler as f64),
        betti,
        duplicates: duplicates(dataset),
        tidied: read.report.to_string().lines().map(str::to_owned).collect(),
        notes,
    })
}

fn shape((index, complex): (usize, &Complex)) -> Result<Shape, CommandError> {
    check_interrupt()?;
    let space = lifted(complex, 2).map_err(|source| ModelError::Lift { index, source })?;
    Ok(Shape {
        isolated: complex.degrees().iter().filter(|&&degree| degree == 0).count(),
        components: complex.connected_components().1,
        triangles: space.n_cells(2),
        euler: space.euler_characteristic(),
        rank_sizes: (1..=space.dim()).map(|k| rank_size(&space, k)).collect(),
        cells: (0..=space.dim()).map(|k| space.n_cells(k)).collect(),
    })
}

/// Mean Betti numbers up to dimension 1 for graphs, up to the highest dimension otherwise.
fn mean_betti(dataset: &Dataset, shapes: &[Shape], highest: usize) -> Result<Option<Vec<f64>>, CommandError> {
    let sizes = || shapes.iter().flat_map(|shape| &shape.rank_sizes);
    let work: f64 = sizes().map(|&size| (size as f64).powi(3)).sum();
    if work > MAX_RANK_WORK || sizes().any(|&size| size > MAX_RANK_SIZE) {
        return Ok(None);
    }
    // Cliques of four vertices are not filled, so that of a graph only β_0 and β_1 mean something.
    let highest = highest.max(1);
    let one = |complex: &Complex| {
        if interrupted() {
            Err(CommandError::Interrupted)
        } else {
            betti_numbers(lifted(complex, 2)?.as_ref(), highest)
        }
    };
    let each: Vec<Vec<usize>> = dataset.complexes().par_iter().map(one).collect::<Result<_, _>>()?;
    let mean = |k: usize| Spread::of(each.iter().map(|betti| betti[k] as f64)).mean;
    Ok(Some((0..=highest).map(mean).collect()))
}

fn target(targets: &Targets) -> Target {
    match targets {
        Targets::None => Target::None,
        Targets::Real(values) => Target::Real(Spread::of(values.iter().copied())),
        Targets::Classes { names, labels } => {
            let mut counts = vec![0; names.len()];
            labels.iter().for_each(|&label| counts[label as usize] += 1);
            let class = |(name, &graphs): (&String, &usize)| Class { name: name.clone(), graphs };
            Target::Class { classes: names.iter().zip(&counts).map(class).collect() }
        }
    }
}

fn named(goal: &Goal) -> Named {
    Named { name: goal.name.clone(), known: goal.complexes.len(), target: target(&goal.targets) }
}

impl Target {
    fn text(&self) -> String {
        match self {
            Self::None => "none".to_owned(),
            Self::Class { classes } => counted_classes(classes.len()),
            Self::Real(spread) => format!("real numbers, {}", spread.range()),
            Self::Several { targets } => format!("{} targets", targets.len()),
        }
    }
}

fn counted_classes(n: usize) -> String {
    if n == 1 { "1 class".to_owned() } else { format!("{n} classes") }
}

fn column(column: &Column) -> ColumnInfo {
    let (kind, channels) = match &column.values {
        ColumnValues::Labels { categories, .. } => ("labels", categories.len()),
        ColumnValues::Real { channels, .. } => ("numbers", channels.len()),
    };
    let oriented = column.dim > 0 && kind == "numbers" && column.orientation == Orientation::Oriented;
    ColumnInfo { dim: column.dim, name: column.name.clone(), kind, channels, oriented }
}

impl Report for Info {
    fn text(&self) -> String {
        let mut sections = vec![self.overview(), self.cell_table()];
        sections.extend(self.spectra.as_deref().map(spectrum_table));
        if !self.columns.is_empty() {
            sections.push(self.column_table());
        }
        sections.extend(self.homology.as_deref().map(homology_table));
        if let Target::Class { classes } = &self.target {
            let most = classes.iter().map(|class| class.graphs).max().unwrap_or(0) as f64;
            let watched = spark::is_watched();
            let rows = classes.iter().map(|class| {
                let mut row = vec![class.name.clone(), class.graphs.to_string()];
                row.extend(watched.then(|| spark::bar(class.graphs as f64 / most, 16)));
                row
            });
            let header = &["class", "graphs", ""][..if watched { 3 } else { 2 }];
            sections.push(table(header, &[1], rows));
        }
        if let Target::Several { targets } = &self.target {
            let row = |of: &Named| vec![of.name.clone(), of.known.to_string(), of.target.text()];
            sections.push(table(&["target", "known", ""], &[1], targets.iter().map(row)));
        }
        let tidied = self.tidied.iter().map(|line| format!("tidied: {line}"));
        let lines: Vec<String> =
            tidied.chain(self.notes.iter().map(|note| format!("note: {note}"))).collect();
        if !lines.is_empty() {
            sections.push(lines.join("\n"));
        }
        sections.join("\n\n")
    }
}

impl Info {
    /// Adds what was guessed in a table of molecules, and what was left out of it.
    fn add_table(&mut self, read: &TableRead) {
        self.notes.splice(0..0, read.notes.iter().cloned());
        self.tidied.extend(left_out(read));
        let unreadable = |fault: &RowFault| Unreadable {
            row: fault.row + 1,
            line: fault.line,
            smiles: fault.smiles.clone(),
            reason: fault.what.clone(),
        };
        let unreadable = read.faults.iter().map(unreadable).collect();
        self.left_out = Some(LeftOut { without_target: read.untargeted, unreadable });
    }

    fn overview(&self) -> String {
        let mut rows = vec![
            ("name", self.name.clone()),
            ("graphs", self.graphs.to_string()),
            ("target", self.target.text()),
            ("isolated vertices", self.isolated_vertices.to_string()),
            ("connected components", self.connected_components.range()),
            ("triangles", format!("{} in all, {}", number(self.triangles.total), self.triangles.range())),
            ("f-vector, mean", self.f_vector.iter().map(|&n| number(n)).collect::<Vec<_>>().join(", ")),
            ("Euler characteristic", self.euler_characteristic.range()),
        ];
        let Duplicates { distinct, contradicting } = self.duplicates;
        rows.push((
            "graphs that look alike",
            match self.graphs - distinct {
                0 => "none".to_owned(),
                copies => {
                    format!("{copies} copies of {distinct}, {contradicting} with contradicting targets")
                }
            },
        ));
        if let Some(betti) = &self.betti {
            let one = |(k, mean): (usize, &f64)| format!("β_{k} {}", number(*mean));
            let means = betti.iter().enumerate().map(one).collect::<Vec<_>>().join(", ");
            rows.push(("Betti numbers, mean", means));
        }
        facts(&rows)
    }

    fn cell_table(&self) -> String {
        let row = |cells: &Cells| {
            let Spread { mean, min, max, total } = cells.count;
            std::iter::once(cell_name(cells.dim)).chain([mean, min, max, total].map(number)).collect()
        };
        table(&["cells", "mean", "min", "max", "total"], &[1, 2, 3, 4], self.cells.iter().map(row))
    }

    fn column_table(&self) -> String {
        let row = |column: &ColumnInfo| {
            let oriented = if column.oriented { "yes" } else { "no" };
            let channels = column.channels.to_string();
            vec![
                column.name.clone(),
                cell_name(column.dim),
                column.kind.to_owned(),
                channels,
                oriented.to_owned(),
            ]
        };
        let header = ["column", "on", "kind", "channels", "oriented"];
        table(&header, &[3], self.columns.iter().map(row))
    }
}

fn spectrum_table(spectra: &[SpectrumInfo]) -> String {
    let row = |found: &SpectrumInfo| {
        let end = |value: Option<f64>| value.map_or("-".to_owned(), number);
        vec![
            cell_name(found.dim),
            found.component.to_string(),
            found.eigenvalues.to_string(),
            end(found.min),
            end(found.median),
            end(found.max),
        ]
    };
    let header = ["spectrum on", "component", "eigenvalues", "min", "median", "max"];
    table(&header, &[2, 3, 4, 5], spectra.iter().map(row))
}

fn homology_table(counts: &[HomologyCount]) -> String {
    let row = |count: &HomologyCount| vec![count.groups.join(", "), count.graphs.to_string()];
    table(&["homology H_0, H_1, ...", "graphs"], &[1], counts.iter().map(row))
}

/// What cells of a dimension are called.
pub(super) fn cell_name(dim: usize) -> String {
    match dim {
        0 => "vertices".to_owned(),
        1 => "edges".to_owned(),
        2 => "2-cells".to_owned(),
        WHOLE => "graphs".to_owned(),
        k => format!("{k}-cells"),
    }
}
