//! `hodgelet-lab bench large`: seconds and memory of the energies of large complexes, and how they grow.

use super::slope::exponent;
use clap::Args;
use hodgelet::complex::{Complex, ComplexError};
use hodgelet::hodge::{HodgeComponent, HodgeError, Weighting};
use hodgelet::measure::{MeasureParams, Sample, Spectra, measure};
use hodgelet::signal::{Orientation, Signal};
use hodgelet_cli::error::CommandError;
use hodgelet_cli::output::{Format, Report, facts, number, table};
use hodgelet_cli::progress::{Terminal, check_interrupt};
use hodgelet_eval::report::peak_memory_mb;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::Serialize;
use std::borrow::Cow;
use std::time::Instant;

/// Flags of `hodgelet-lab bench large`.
#[derive(Args, Debug)]
#[command(
    after_help = "Edges carry oriented channels of independent uniform values. `random` is the clique complex of a graph
that is drawn uniformly with the mean degree given; `mesh` is the Delaunay triangulation of points that are
drawn uniformly in a square. Making complexes is not timed. The exponent is the slope of log(seconds)
over log(non-zeros of the boundary operators), by least squares. Memory is the peak of the
process so far, so sizes ascend.

Examples:
  hodgelet-lab bench large
  hodgelet-lab bench large --kinds mesh --edges 10000,100000 --channels 1 --threads 1"
)]
pub struct LargeArgs {
    /// Which complexes
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [Kind::Random, Kind::Mesh])]
    kinds: Vec<Kind>,
    /// Numbers of edges
    #[arg(long, value_name = "N", value_delimiter = ',',
          default_values_t = [5_000, 20_000, 100_000, 300_000, 1_000_000],
          value_parser = clap::value_parser!(u32).range(10..=100_000_000))]
    edges: Vec<u32>,
    /// Mean degree of random graphs
    #[arg(long, value_name = "D", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    degree: u32,
    /// Number of channels
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=1000))]
    channels: u32,
    /// Seed of everything that is drawn
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// How the result is printed
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// A family of large complexes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    /// Cliques of a random graph
    Random,
    /// A Delaunay triangulation
    Mesh,
}

/// What was measured.
#[derive(Debug, Serialize)]
pub struct Growth {
    channels: u32,
    degree: u32,
    seed: u64,
    threads: usize,
    rows: Vec<Row>,
    exponents: Vec<(Kind, f64)>,
}

#[derive(Debug, Serialize)]
struct Row {
    kind: Kind,
    cells: [usize; 3],
    non_zeros: usize,
    betti: usize,
    atoms: usize,
    /// Largest error that a measure reports.
    error: f64,
    seconds: f64,
    peak_memory_mb: Option<f64>,
}

/// Times the energies of large complexes.
///
/// # Errors
///
/// [`CommandError`].
pub fn run(args: &LargeArgs, terminal: Terminal) -> Result<Growth, CommandError> {
    let mut sizes = args.edges.clone();
    sizes.sort_unstable();
    let bar = terminal.bar("complexes", Some((sizes.len() * args.kinds.len()) as u64));
    let (mut rows, mut exponents) = (Vec::new(), Vec::new());
    for &kind in &args.kinds {
        for &n_edges in &sizes {
            let complex = match kind {
                Kind::Random => random_complex(n_edges, args.degree, args.seed)?,
                Kind::Mesh => mesh(n_edges, args.seed)?,
            };
            rows.push(timed(kind, &complex, args)?);
            let _ = bar.at(rows.len() as u64);
            check_interrupt()?;
        }
        let own: Vec<&Row> = rows.iter().filter(|row| row.kind == kind).collect();
        let points = own.iter().map(|row| (row.non_zeros as f64, row.seconds));
        exponents.extend(exponent(points).map(|slope| (kind, slope)));
    }
    drop(bar);
    Ok(Growth {
        channels: args.channels,
        degree: args.degree,
        seed: args.seed,
        threads: rayon::current_num_threads(),
        rows,
        exponents,
    })
}

fn timed(kind: Kind, complex: &Complex, args: &LargeArgs) -> Result<Row, HodgeError> {
    let mut rng = ChaCha8Rng::seed_from_u64(args.seed);
    let (n, width) = (complex.n_cells(1), args.channels as usize);
    let values: Vec<f64> = (0..n * width).map(|_| rng.random_range(-1.0..1.0)).collect();
    let signal = Signal::from_row_major(n, width, &values, Orientation::Oriented).expect("finite values fit");
    drop(values);
    let sample = Sample { complex: Cow::Borrowed(complex), signals: vec![None, Some(signal)], weights: None };
    let start = Instant::now();
    let params = MeasureParams { weighting: Weighting::Combinatorial, spectra: Spectra::Auto };
    let measures = measure(&sample, params)?;
    let seconds = start.elapsed().as_secs_f64();
    let edges = measures.of_dim(1).expect("edges carry the signal");
    let parts = HodgeComponent::ALL.map(|c| edges.component(c));
    Ok(Row {
        kind,
        cells: [0, 1, 2].map(|k| complex.n_cells(k)),
        non_zeros: [1, 2].iter().filter_map(|&k| complex.boundary(k)).map(|b| b.n_entries()).sum(),
        betti: edges.betti(),
        atoms: parts.iter().map(|part| part.n_atoms()).sum(),
        error: measures.largest_error(),
        seconds,
        peak_memory_mb: peak_memory_mb(),
    })
}

/// Cliques of a graph whose edges are drawn uniformly; a few may repeat.
pub fn random_complex(n_edges: u32, degree: u32, seed: u64) -> Result<Complex, ComplexError> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let n = (2 * u64::from(n_edges) / u64::from(degree)).max(2) as u32;
    let edge = |_| {
        let a = rng.random_range(0..n);
        [a, (a + rng.random_range(1..n)) % n]
    };
    let edges: Vec<[u32; 2]> = (0..n_edges).map(edge).collect();
    Complex::graph_cleaned(n as usize, &edges)?.0.clique_complex(2)
}

/// A Delaunay triangulation with about so many edges.
fn mesh(n_edges: u32, seed: u64) -> Result<Complex, ComplexError> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let draw = |_| delaunator::Point { x: rng.random(), y: rng.random() };
    let points: Vec<delaunator::Point> = (0..n_edges.div_ceil(3).max(3)).map(draw).collect();
    let corners = delaunator::triangulate(&points).triangles;
    let triangles: Vec<[u32; 3]> = corners.chunks_exact(3).map(|t| [0, 1, 2].map(|i| t[i] as u32)).collect();
    let sides = triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [a, c]]);
    let mut edges: Vec<[u32; 2]> = sides.map(|[a, b]| [a.min(b), a.max(b)]).collect();
    edges.sort_unstable();
    edges.dedup();
    Complex::graph(points.len(), &edges)?.with_triangles(&triangles)
}

impl Report for Growth {
    fn text(&self) -> String {
        let row = |row: &Row| {
            vec![
                kind_name(row.kind).to_owned(),
                row.cells.map(|n| n.to_string()).join(" "),
                row.non_zeros.to_string(),
                row.betti.to_string(),
                row.atoms.to_string(),
                format!("{:.0e}", row.error),
                format!("{:.3}", row.seconds),
                row.peak_memory_mb.map(number).unwrap_or_default(),
            ]
        };
        let header =
            ["complex", "cells by dimension", "non-zeros", "holes", "atoms", "error", "seconds", "peak MB"];
        let times = table(&header, &[2, 3, 4, 5, 6, 7], self.rows.iter().map(row));
        let mut rows = vec![
            ("channels", self.channels.to_string()),
            ("mean degree", self.degree.to_string()),
            ("seed", self.seed.to_string()),
            ("threads", self.threads.to_string()),
        ];
        for (kind, exponent) in &self.exponents {
            let name = if *kind == Kind::Random { "exponent, random" } else { "exponent, mesh" };
            rows.push((name, format!("{exponent:.3}")));
        }
        format!("{}\n\n{times}", facts(&rows))
    }
}

fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Random => "random",
        Kind::Mesh => "mesh",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mesh_of_a_square_has_no_hole() {
        let complex = mesh(3000, 1).unwrap();
        assert_eq!(complex.euler_characteristic(), 1);
        assert!((2700..3100).contains(&complex.n_cells(1)));
    }
}
