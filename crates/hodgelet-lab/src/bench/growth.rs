//! `hodgelet-lab bench growth`: time and memory against the sizes of a problem, and their exponents beside theory.

mod axis;
mod picture;
mod step;

use super::slope::exponent;
use axis::Axis;
use clap::Args;
use hodgelet::output::{Kind, Output};
use hodgelet_cli::error::CommandError;
use hodgelet_cli::output::{self, Format, Report, facts, number, table, write_atomic};
use hodgelet_cli::progress::{Terminal, check_interrupt};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Flags of `hodgelet-lab bench growth`.
#[derive(Args, Debug)]
#[command(
    after_help = "Each point is measured in a process of its own, the fastest of --repeats; memory is what a step takes above the
program itself, its input included. Exponents are slopes in logarithms, by least squares.

Examples:
  hodgelet-lab bench growth
  hodgelet-lab bench growth --axes graphs-sparse,inducing --threads 1 --format json
  hodgelet-lab bench growth --pictures book/src/concepts"
)]
pub struct GrowthArgs {
    /// What grows; everything by default
    #[arg(long, value_enum, value_delimiter = ',')]
    axes: Vec<Axis>,
    /// Small sizes, for a trial
    #[arg(long)]
    quick: bool,
    /// Runs, of which the fastest counts
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    repeats: u32,
    /// Folder for growth-time.svg and growth-memory.svg
    #[arg(long, value_name = "DIR")]
    pictures: Option<PathBuf>,
    /// One point, measured in this process
    #[arg(long, value_name = "SIZE", hide = true, requires = "axes")]
    point: Option<usize>,
    /// How the result is printed
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// How time and memory grow.
#[derive(Debug, Serialize)]
struct Growth {
    threads: usize,
    repeats: u32,
    curves: Vec<Curve>,
}

/// One curve.
#[derive(Debug, Serialize)]
pub struct Curve {
    axis: Axis,
    /// What grows.
    grows: &'static str,
    /// What is timed.
    step: &'static str,
    points: Vec<Point>,
    /// The slope of time in logarithms, and what theory says of large sizes.
    time_exponent: Option<f64>,
    time_theory: f64,
    /// Those of memory.
    memory_exponent: Option<f64>,
    memory_theory: f64,
}

/// Time and memory at one size.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Point {
    size: usize,
    seconds: f64,
    memory_mb: Option<f64>,
}

/// Measures and prints.
///
/// # Errors
///
/// [`CommandError`].
pub fn run(args: &GrowthArgs, terminal: Terminal) -> Result<(), CommandError> {
    if let (Some(size), Some(axis)) = (args.point, args.axes.first()) {
        return output::print(&step::measure(*axis, size, args.repeats)?, Format::Json);
    }
    let axes = if args.axes.is_empty() { Axis::ALL.to_vec() } else { args.axes.clone() };
    let total: usize = axes.iter().map(|axis| axis.sizes(args.quick).len()).sum();
    let bar = terminal.bar("points", Some(total as u64));
    let (mut curves, mut done) = (Vec::new(), 0);
    for axis in axes {
        let mut points = Vec::new();
        for &size in axis.sizes(args.quick) {
            points.push(in_own_process(axis, size, args.repeats)?);
            done += 1;
            let _ = bar.at(done);
            check_interrupt()?;
        }
        curves.push(Curve::new(axis, points));
    }
    drop(bar);
    if let Some(folder) = &args.pictures {
        for (name, svg) in
            [("growth-time.svg", picture::time(&curves)), ("growth-memory.svg", picture::memory(&curves))]
        {
            let path = folder.join(name);
            write_atomic(Output::new(&path, Kind::PICTURE), |out| out.write_all(svg.as_bytes()))?;
        }
    }
    let growth = Growth { threads: rayon::current_num_threads(), repeats: args.repeats, curves };
    output::print(&growth, args.format)
}

/// One point by this program, started anew, so that its peak of memory is its own.
fn in_own_process(axis: Axis, size: usize, repeats: u32) -> Result<Point, CommandError> {
    let failed = |reason: String| {
        CommandError::usage(format!("{} at {size} could not be measured: {reason}", axis.name()), None)
    };
    let program = std::env::current_exe().map_err(|error| failed(error.to_string()))?;
    let output = Command::new(program)
        .args(["bench", "growth", "-q", "--axes", &axis.name(), "--point", &size.to_string()])
        .args(["--repeats", &repeats.to_string()])
        .args(["--threads", &rayon::current_num_threads().to_string()])
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| failed(error.to_string()))?;
    check_interrupt()?;
    if !output.status.success() {
        return Err(failed(output.status.to_string()));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| failed(error.to_string()))
}

impl Curve {
    fn new(axis: Axis, points: Vec<Point>) -> Self {
        let (time_theory, memory_theory) = axis.theory();
        let time = points.iter().map(|point| (point.size as f64, point.seconds));
        let memory = points.iter().filter_map(|point| Some((point.size as f64, point.memory_mb?)));
        Self {
            axis,
            grows: axis.grows(),
            step: axis.step(),
            time_exponent: exponent(time),
            time_theory,
            memory_exponent: exponent(memory),
            memory_theory,
            points,
        }
    }
}

impl Report for Point {
    fn text(&self) -> String {
        format!("{} {} {:?}\n", self.size, self.seconds, self.memory_mb)
    }
}

impl Report for Growth {
    fn text(&self) -> String {
        let slope = |found: Option<f64>| found.map_or("–".to_owned(), |slope| format!("{slope:.2}"));
        let exponents = self.curves.iter().map(|curve| {
            vec![
                curve.grows.to_owned(),
                curve.step.to_owned(),
                slope(curve.time_exponent),
                number(curve.time_theory),
                slope(curve.memory_exponent),
                number(curve.memory_theory),
            ]
        });
        let header = ["grows", "step", "time", "theory", "memory", "theory"];
        let exponents = table(&header, &[2, 3, 4, 5], exponents);
        let rows = self.curves.iter().flat_map(|curve| {
            curve.points.iter().map(|point| {
                vec![
                    curve.grows.to_owned(),
                    curve.step.to_owned(),
                    point.size.to_string(),
                    format!("{:.4}", point.seconds),
                    point.memory_mb.map(number).unwrap_or_default(),
                ]
            })
        });
        let points = table(&["grows", "step", "size", "seconds", "MB"], &[2, 3, 4], rows);
        let facts = facts(&[("threads", self.threads.to_string()), ("repeats", self.repeats.to_string())]);
        format!("{facts}\n\nexponents\n{exponents}\n\n{points}")
    }
}
