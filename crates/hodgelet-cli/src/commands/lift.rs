//! `hodgelet lift`: graphs and points become complexes, written as a file.

use crate::error::CommandError;
use crate::output::{self, ForceArgs, Format, Report, facts, number};
use crate::progress::Terminal;
use crate::source::DatasetArgs;
use clap::{Args, ValueEnum};
use hodgelet::complex::{Complex, ComplexError};
use hodgelet::dataset::{Column, ColumnValues, Dataset, POSITIONS, WHOLE};
use hodgelet::output::{Kind, Output};
use hodgelet_data::generate::{GRADED_SHARE, Refinement};
use rayon::prelude::*;
use serde::Serialize;
use std::ops::ControlFlow;
use std::path::PathBuf;

/// Complexes lifted between two checks for an interrupt.
const CHUNK: usize = 1024;
/// Default for the largest number of vertices of a ring.
const RING_LENGTH: usize = 8;

/// Flags of `hodgelet lift`.
#[derive(Args, Debug)]
#[command(after_help = "What the liftings make of the graph of vertices and edges:
  cliques      every clique of up to K + 1 vertices becomes a simplex (--dim K)
  rings        the relevant cycles of up to L vertices become polygons (--max-length L, default 8):
               those that are not a sum of shorter ones, which are the rings of a molecule
  cycles       every cycle of up to L vertices without a chord becomes a polygon (--max-length L)
  cycle-basis  the cycles of one minimum cycle basis become polygons: as many as there are
               independent cycles; the choice among equally short ones depends on the order of
               vertices, unlike rings
of a simplicial complex, the same space cut finer:
  barycentric  a vertex in the middle of every simplex, a simplex for every chain of faces
  stellar      a vertex in the middle of every facet
  graded       a vertex in the middle of some facets, drawn by --seed (--share S, default 0.5)
and of points (a column of real numbers on vertices, --points); edges are ignored:
  rips         points at most R apart from each other span a simplex (--radius R, --dim K)
  alpha        the part of the Delaunay triangulation in the shape of disks of radius R
               (--radius R), in the plane

Values on vertices and edges are kept where these cells are; those of other cells are dropped.

Examples:
  hodgelet lift ./MUTAG.zip --to rings --out mutag-rings.jsonl
  hodgelet lift ring-vs-clique --to cliques --dim 3 --out cliques.jsonl
  hodgelet lift triangulations --to barycentric --out finer.jsonl
  hodgelet lift points.jsonl --to alpha --radius 0.2 --out alpha.jsonl")]
pub struct LiftArgs {
    #[command(flatten)]
    source: DatasetArgs,
    #[command(flatten)]
    params: LiftParams,
    /// File to write, ending in .jsonl; - is standard output
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    force: ForceArgs,
    /// How the summary is printed
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// Which complexes to make, and of what.
#[derive(Args, Clone, Debug)]
pub struct LiftParams {
    /// Which complexes to make
    #[arg(long, value_name = "LIFTING")]
    to: Lifting,
    /// Highest dimension of simplices [default: 2]
    #[arg(long, value_name = "K")]
    dim: Option<usize>,
    /// Largest number of vertices of a cycle
    #[arg(long, value_name = "L")]
    max_length: Option<usize>,
    /// Largest distance of two points (rips), or radius of the disks (alpha)
    #[arg(long, value_name = "R", allow_negative_numbers = true)]
    radius: Option<f64>,
    /// Column of coordinates [default: position]
    #[arg(long, value_name = "COLUMN")]
    points: Option<String>,
    /// Share of the facets that are refined [default: 0.5]
    #[arg(long, value_name = "S", allow_negative_numbers = true)]
    share: Option<f64>,
    /// Seed of what is refined.
    #[arg(skip)]
    seed: u64,
}

/// Ways to make complexes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Lifting {
    /// Simplices on cliques
    Cliques,
    /// Polygons on relevant cycles, the rings of a molecule
    Rings,
    /// Polygons on cycles without chords
    Cycles,
    /// Polygons on a minimum cycle basis
    CycleBasis,
    /// Barycentric subdivisions
    Barycentric,
    /// Stellar subdivisions at all facets
    Stellar,
    /// Stellar subdivisions at some facets
    Graded,
    /// Vietoris-Rips complexes of points
    Rips,
    /// Alpha complexes of points in the plane
    Alpha,
}

#[derive(Debug, Serialize)]
struct Summary {
    name: String,
    to: Lifting,
    complexes: usize,
    /// Cells of each dimension, over all complexes.
    cells: Vec<usize>,
    /// Columns of cells that are no longer there.
    left_out: Vec<String>,
    out: PathBuf,
}

/// Lifts a dataset and writes it.
///
/// # Errors
///
/// [`CommandError`].
pub fn run(args: &LiftArgs, terminal: Terminal) -> Result<(), CommandError> {
    output::check_extension(&args.out, &["jsonl"])?;
    args.params.check()?;
    let output = Output::new(&args.out, Kind::DATASET).forced(args.force.force);
    output::check_out(output, &args.source.inputs())?;
    let read = args.source.read(terminal)?;
    let bar = terminal.bar("complexes", Some(read.dataset.len() as u64));
    let params = LiftParams { seed: args.source.seed, ..args.params.clone() };
    let (dataset, left_out) = params.lifted(read.dataset, |done| bar.at(done as u64))?;
    drop(bar);
    if !left_out.is_empty() {
        terminal.warn(&format!("dropped with their cells: {}", left_out.join(", ")));
    }
    output::write_dataset(output, &dataset, &read.ids)?;
    let highest = dataset.complexes().iter().map(Complex::dim).max().unwrap_or(0);
    let total = |k: usize| dataset.complexes().iter().map(|complex| complex.n_cells(k)).sum();
    let summary = Summary {
        name: dataset.name().to_owned(),
        to: args.params.to,
        complexes: dataset.len(),
        cells: (0..=highest).map(total).collect(),
        left_out,
        out: args.out.clone(),
    };
    output::print_beside(&args.out, &summary, args.format, terminal)
}

impl LiftParams {
    /// The lifting of a name.
    ///
    /// # Errors
    ///
    /// [`CommandError::Usage`] when there is none, or it takes other parameters.
    pub fn named(
        to: &str,
        dim: Option<usize>,
        max_length: Option<usize>,
        radius: Option<f64>,
        points: Option<String>,
    ) -> Result<Self, CommandError> {
        let to = Lifting::from_str(to, false).map_err(|_| {
            let names: Vec<String> = Lifting::value_variants().iter().map(|&to| lifting_name(to)).collect();
            CommandError::usage(format!("lift `{to}`, expected one of {}", names.join(", ")), None)
        })?;
        let params = Self { to, dim, max_length, radius, points, share: None, seed: 0 };
        params.check()?;
        Ok(params)
    }

    /// The dataset of the complexes, and the names of columns whose cells are no longer there; `progress` is told how many are
    /// done and may stop.
    ///
    /// # Errors
    ///
    /// [`CommandError`] names the complex at fault.
    pub fn lifted(
        &self,
        dataset: Dataset,
        progress: impl Fn(usize) -> ControlFlow<()>,
    ) -> Result<(Dataset, Vec<String>), CommandError> {
        let points = self.points(&dataset)?;
        let complexes = self.complexes(&dataset, points.as_ref(), progress)?;
        let (name, _, columns, targets) = dataset.into_parts();
        let (kept, left_out) = self.kept_columns(columns);
        Ok((Dataset::new(name, complexes, kept, targets)?, left_out))
    }

    /// Refuses flags that the lifting does not take, and requires those it needs.
    fn check(&self) -> Result<(), CommandError> {
        use Lifting::{Alpha, Cliques, Cycles, Graded, Rings, Rips};
        let flags: [(&str, bool, &[Lifting]); 5] = [
            ("--dim", self.dim.is_some(), &[Cliques, Rips]),
            ("--max-length", self.max_length.is_some(), &[Rings, Cycles]),
            ("--radius", self.radius.is_some(), &[Rips, Alpha]),
            ("--points", self.points.is_some(), &[Rips, Alpha]),
            ("--share", self.share.is_some(), &[Graded]),
        ];
        if let Some((flag, ..)) = flags.iter().find(|(_, given, of)| *given && !of.contains(&self.to)) {
            let message = format!("{flag} does not apply to --to {}", self.lifting());
            return Err(CommandError::usage(message, Some("`hodgelet lift --help` says what each takes")));
        }
        if let Some(share) = self.share.filter(|share| !(0.0..=1.0).contains(share)) {
            return Err(CommandError::usage(format!("--share {share}, expected 0 to 1"), None));
        }
        if matches!(self.to, Rips | Alpha) && self.radius.is_none() {
            return Err(CommandError::usage(format!("--to {} needs --radius", self.lifting()), None));
        }
        if self.to == Cycles && self.max_length.is_none() {
            let hint = Some("a graph may have very many long cycles; --max-length 6 is a start");
            return Err(CommandError::usage("--to cycles needs --max-length", hint));
        }
        Ok(())
    }

    fn lifting(&self) -> String {
        lifting_name(self.to)
    }

    /// The coordinates that a lifting of points starts from.
    fn points<'a>(&self, dataset: &'a Dataset) -> Result<Option<Points<'a>>, CommandError> {
        if !matches!(self.to, Lifting::Rips | Lifting::Alpha) {
            return Ok(None);
        }
        let name = self.points.as_deref().unwrap_or(POSITIONS);
        let real = dataset.column(0, name).and_then(|column| match &column.values {
            ColumnValues::Real { channels, values } => {
                Some(Points { column, width: channels.len(), values: values.as_slice() })
            }
            ColumnValues::Labels { .. } => None,
        });
        match real {
            Some(points) if self.to == Lifting::Alpha && points.width != 2 => {
                let message =
                    format!("column `{name}` has {} coordinates, but alpha complexes need 2", points.width);
                Err(CommandError::usage(message, Some("--to rips takes any number of coordinates")))
            }
            Some(points) => Ok(Some(points)),
            None => {
                let of_vertices = dataset
                    .columns()
                    .iter()
                    .filter(|column| column.dim == 0 && matches!(column.values, ColumnValues::Real { .. }));
                let known: Vec<&str> = of_vertices.map(|column| column.name.as_str()).collect();
                let message = format!("no column `{name}` of real numbers on vertices");
                let hint = match known.is_empty() {
                    true => "JSONL files give `positions`; meshes have them".to_owned(),
                    false => format!("--points takes one of {}", known.join(", ")),
                };
                Err(CommandError::Usage { message, hint: Some(hint) })
            }
        }
    }

    /// The columns of cells that the lifting keeps, and the names of the others.
    fn kept_columns(&self, columns: Vec<Column>) -> (Vec<Column>, Vec<String>) {
        // A refined complex has cells that nothing is known of.
        let n_kept = match self.to {
            Lifting::Barycentric | Lifting::Stellar | Lifting::Graded => 0,
            Lifting::Rips | Lifting::Alpha => 1,
            _ => 2,
        };
        let (kept, dropped): (Vec<Column>, Vec<Column>) =
            columns.into_iter().partition(|column| column.dim < n_kept || column.dim == WHOLE);
        let name = |column: &Column| format!("{} of dimension {}", column.name, column.dim);
        (kept, dropped.iter().map(name).collect())
    }

    /// The complex made of one item.
    fn lift(
        &self,
        item: usize,
        complex: &Complex,
        points: Option<&[f64]>,
        width: usize,
    ) -> Result<Complex, ComplexError> {
        let points = points.unwrap_or_default();
        let radius = self.radius.unwrap_or(0.0);
        match self.to {
            Lifting::Cliques => Ok(complex.clique_complex(self.dim.unwrap_or(2))?.with_room_for(2)),
            Lifting::Rings => {
                complex.with_polygons(&complex.relevant_cycles(self.max_length.unwrap_or(RING_LENGTH))?)
            }
            Lifting::Cycles => {
                complex.with_polygons(&complex.chordless_cycles(self.max_length.unwrap_or(RING_LENGTH))?)
            }
            Lifting::Barycentric => complex.barycentric_subdivision(),
            Lifting::Stellar => Refinement::Stellar.refined(complex, self.seed, item),
            Lifting::Graded => {
                let share = self.share.unwrap_or(GRADED_SHARE);
                Refinement::Graded.refined_in_part(complex, share, self.seed, item)
            }
            Lifting::CycleBasis => complex.with_polygons(&complex.minimum_cycle_basis()),
            Lifting::Rips => {
                Ok(Complex::rips(points, width, radius, self.dim.unwrap_or(2))?.with_room_for(2))
            }
            Lifting::Alpha => {
                let plane: Vec<[f64; 2]> = points.chunks_exact(2).map(|p| [p[0], p[1]]).collect();
                Complex::alpha(&plane, radius)
            }
        }
    }
}

impl LiftParams {
    fn complexes(
        &self,
        dataset: &Dataset,
        points: Option<&Points<'_>>,
        progress: impl Fn(usize) -> ControlFlow<()>,
    ) -> Result<Vec<Complex>, CommandError> {
        let mut lifted = Vec::with_capacity(dataset.len());
        for start in (0..dataset.len()).step_by(CHUNK) {
            let end = dataset.len().min(start + CHUNK);
            let one = |i: usize| {
                let coordinates = points.map(|points| points.of(i));
                self.lift(i, &dataset.complexes()[i], coordinates, points.map_or(0, |points| points.width))
            };
            let chunk: Vec<Result<Complex, ComplexError>> = (start..end).into_par_iter().map(one).collect();
            for (i, result) in (start..).zip(chunk) {
                lifted.push(
                    result.map_err(|error| {
                        CommandError::usage(format!("complex {i}: {error}"), error.hint())
                    })?,
                );
            }
            if progress(end).is_break() {
                return Err(CommandError::Interrupted);
            }
        }
        Ok(lifted)
    }
}

fn lifting_name(to: Lifting) -> String {
    to.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

/// Coordinates of the vertices of all complexes.
struct Points<'a> {
    column: &'a Column,
    width: usize,
    values: &'a [f64],
}

impl Points<'_> {
    fn of(&self, i: usize) -> &[f64] {
        let cells = self.column.cells(i);
        &self.values[cells.start * self.width..cells.end * self.width]
    }
}

impl Report for Summary {
    fn text(&self) -> String {
        let cells = self.cells.iter().map(|&n| number(n as f64)).collect::<Vec<_>>().join(", ");
        facts(&[
            ("name", self.name.clone()),
            ("lifted to", lifting_name(self.to)),
            ("complexes", self.complexes.to_string()),
            ("cells by dimension", cells),
            ("written to", self.out.display().to_string()),
        ])
    }
}
