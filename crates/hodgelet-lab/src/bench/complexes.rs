//! `hodgelet-lab bench complexes`: seconds and memory of making complexes, from drawn input.

use clap::Args;
use hodgelet::complex::{Complex, ComplexError};
use hodgelet_cli::error::CommandError;
use hodgelet_cli::output::{Format, Report, facts, number, table};
use hodgelet_cli::progress::{Terminal, check_interrupt};
use hodgelet_eval::report::peak_memory_mb;
use rand::{RngExt, SeedableRng, seq::SliceRandom};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use serde::Serialize;
use std::time::Instant;

/// Flags of `hodgelet-lab bench complexes`.
#[derive(Args, Debug)]
#[command(
    after_help = "Graphs are drawn uniformly with the mean degree given; small ones are like molecules, three
six-rings on a chain with other atoms, and small lists of simplices have 12 triangles on 12 vertices.
Drawing is not timed; making graphs from their edges is. Large graphs are made by one thread, small ones
by all.

Examples:
  hodgelet-lab bench complexes
  hodgelet-lab bench complexes --edges 100000,1000000 --degree 100 --count 0 --threads 1"
)]
pub struct ComplexesArgs {
    /// Sizes of the large graphs
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [10_000, 100_000, 1_000_000],
          value_parser = clap::value_parser!(u32).range(0..=100_000_000))]
    edges: Vec<u32>,
    /// Their mean degree
    #[arg(long, value_name = "D", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    degree: u32,
    /// Number of small complexes of each kind
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(0..=10_000_000))]
    count: u32,
    /// Seed of everything that is drawn
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Runs, of which the fastest counts
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    repeats: u32,
    /// How the result is printed
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// What was measured.
#[derive(Debug, Serialize)]
pub struct Construction {
    seed: u64,
    threads: usize,
    repeats: u32,
    rows: Vec<Row>,
    peak_memory_mb: Option<f64>,
}

#[derive(Debug, Serialize)]
struct Row {
    what: String,
    complexes: usize,
    /// Cells of each dimension, over all complexes.
    cells: Vec<usize>,
    seconds: f64,
    /// Memory of the complexes themselves, in MB of 10⁶ bytes.
    memory_mb: f64,
}

/// Times the construction of complexes.
///
/// # Errors
///
/// [`CommandError`].
pub fn run(args: &ComplexesArgs, terminal: Terminal) -> Result<Construction, CommandError> {
    let kinds: [(&str, Build); 4] = [
        ("graphs like molecules", |input| Complex::graph(MOLECULE, &input.edges)),
        ("their cliques", |input| Complex::graph(MOLECULE, &input.edges)?.clique_complex(2)),
        ("their rings", |input| {
            let graph = Complex::graph(MOLECULE, &input.edges)?;
            graph.with_polygons(&graph.relevant_cycles(8)?)
        }),
        ("lists of simplices", |input| Ok(Complex::from_simplices(12, &input.triangles)?.0)),
    ];
    let bar = terminal.bar("cases", Some((args.edges.len() + kinds.len()) as u64));
    let mut rows = Vec::new();
    for (i, &n_edges) in args.edges.iter().enumerate() {
        let (n, edges) = random_edges(n_edges, args.degree, args.seed.wrapping_add(i as u64));
        let what = format!("cliques of a graph, edges={n_edges}");
        rows.push(timed(what, args.repeats, || {
            Ok(vec![Complex::graph_cleaned(n, &edges)?.0.clique_complex(2)?])
        })?);
        let _ = bar.at(rows.len() as u64);
        check_interrupt()?;
    }
    let inputs: Vec<Small> =
        (0..if args.count == 0 { 0 } else { 1000 }).map(|i| Small::draw(args.seed, i)).collect();
    for (what, build) in kinds.iter().filter(|_| args.count > 0) {
        rows.push(timed((*what).to_owned(), args.repeats, || {
            let one = |i: usize| build(&inputs[i % inputs.len()]);
            (0..args.count as usize).into_par_iter().with_min_len(64).map(one).collect()
        })?);
        let _ = bar.at(rows.len() as u64);
        check_interrupt()?;
    }
    drop(bar);
    Ok(Construction {
        seed: args.seed,
        threads: rayon::current_num_threads(),
        repeats: args.repeats,
        rows,
        peak_memory_mb: peak_memory_mb(),
    })
}

type Build = fn(&Small) -> Result<Complex, ComplexError>;

fn timed(
    what: String,
    repeats: u32,
    make: impl Fn() -> Result<Vec<Complex>, ComplexError>,
) -> Result<Row, CommandError> {
    let (mut seconds, mut made) = (f64::INFINITY, Vec::new());
    for _ in 0..repeats {
        drop(std::mem::take(&mut made)); // not timed, and not in memory twice
        let start = Instant::now();
        made = make()?;
        seconds = seconds.min(start.elapsed().as_secs_f64());
        check_interrupt()?;
    }
    let highest = made.iter().map(Complex::dim).max().unwrap_or(0);
    let cells = (0..=highest).map(|k| made.iter().map(|complex| complex.n_cells(k)).sum()).collect();
    let memory_mb = made.iter().map(bytes).sum::<usize>() as f64 / 1e6;
    Ok(Row { what, complexes: made.len(), cells, seconds, memory_mb })
}

/// Bytes of the operators: 12 per entry and 4 per column.
fn bytes(complex: &Complex) -> usize {
    let of = |k: usize| complex.boundary(k).map_or(0, |b| 12 * b.n_entries() + 4 * (b.n_cols() + 1));
    (1..=complex.dim()).map(of).sum()
}

/// Number of vertices, and edges drawn uniformly; a few may repeat.
fn random_edges(n_edges: u32, degree: u32, seed: u64) -> (usize, Vec<[u32; 2]>) {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let n = (2 * u64::from(n_edges) / u64::from(degree)).max(2) as u32;
    let edge = |_| {
        let a = rng.random_range(0..n);
        [a, (a + rng.random_range(1..n)) % n]
    };
    (n as usize, (0..n_edges).map(edge).collect())
}

/// Vertices of a graph like a molecule.
const MOLECULE: usize = 24;

/// Input for small complexes.
struct Small {
    edges: Vec<[u32; 2]>,
    triangles: Vec<[u32; 3]>,
}

impl Small {
    fn draw(seed: u64, stream: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(stream);
        let mut names: Vec<u32> = (0..MOLECULE as u32).collect();
        names.shuffle(&mut rng);
        let rings = (0..3u32).flat_map(|r| (0..6).map(move |i| [6 * r + i, 6 * r + (i + 1) % 6]));
        let mut edges: Vec<[u32; 2]> = rings.chain([[3, 6], [9, 12]]).collect();
        edges.extend((18..24).map(|atom| [rng.random_range(0..atom), atom]));
        edges.iter_mut().flatten().for_each(|v| *v = names[*v as usize]);
        let triangle = |_| {
            let mut vertices: Vec<u32> = (0..12).collect();
            let (chosen, _) = vertices.partial_shuffle(&mut rng, 3);
            [chosen[0], chosen[1], chosen[2]]
        };
        Self { edges, triangles: (0..12).map(triangle).collect() }
    }
}

impl Report for Construction {
    fn text(&self) -> String {
        let row = |row: &Row| {
            let cells = row.cells.iter().map(usize::to_string).collect::<Vec<_>>().join(" ");
            vec![
                row.what.clone(),
                row.complexes.to_string(),
                cells,
                format!("{:.4}", row.seconds),
                number(row.memory_mb),
            ]
        };
        let header = ["complexes", "number", "cells by dimension", "seconds", "MB"];
        let times = table(&header, &[1, 3, 4], self.rows.iter().map(row));
        let mut rows = vec![
            ("seed", self.seed.to_string()),
            ("threads", self.threads.to_string()),
            ("fastest of", self.repeats.to_string()),
        ];
        rows.extend(self.peak_memory_mb.map(|mb| ("peak memory", format!("{} MB", number(mb)))));
        format!("{}\n\n{times}", facts(&rows))
    }
}
