//! `hodgelet-lab bench train --sizes`: one evaluation of the training objective at several sizes, for two classes and for
//! regression, beside the matrix routines it needs.

use super::floor::{self, Floor};
use hodgelet::dataset::{Dataset, Targets};
use hodgelet::model::{Measurer, Problem};
use hodgelet::settings::Settings;
use hodgelet_cli::error::CommandError;
use hodgelet_cli::output::{Report, number, table};
use hodgelet_cli::progress::{Terminal, check_interrupt};
use serde::Serialize;
use std::ops::ControlFlow;

/// All that was measured.
#[derive(Debug, Serialize)]
pub struct Sizes {
    dataset: String,
    threads: usize,
    rows: Vec<Row>,
}

/// One problem.
#[derive(Debug, Serialize)]
struct Row {
    task: &'static str,
    graphs: usize,
    /// Rows of the Gram matrix.
    distinct: usize,
    parameters: usize,
    training: Floor,
    averaging: Floor,
}

/// Times `evaluations` for each size, near where training starts.
///
/// # Errors
///
/// [`CommandError`].
pub fn run(
    dataset: &Dataset,
    settings: &Settings,
    sizes: &[usize],
    evaluations: usize,
    terminal: Terminal,
) -> Result<Sizes, CommandError> {
    let mut rows = Vec::new();
    let bar = terminal.bar("problems", Some(2 * sizes.len() as u64));
    for task in ["two classes", "regression"] {
        for &size in sizes {
            rows.push(row(dataset, settings, task, size, evaluations)?);
            let _ = bar.at(rows.len() as u64);
            check_interrupt()?;
        }
    }
    Ok(Sizes { dataset: dataset.name().to_owned(), threads: rayon::current_num_threads(), rows })
}

fn row(
    dataset: &Dataset,
    settings: &Settings,
    task: &'static str,
    size: usize,
    evaluations: usize,
) -> Result<Row, CommandError> {
    let graphs = size.min(dataset.len());
    let mut order: Vec<usize> = (0..dataset.len()).collect();
    // Shuffled, for classes may be in order or by turns.
    order.sort_by_key(|&i| (i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    let chosen = dataset.select(&order[..graphs]);
    let targets = targets(chosen.targets(), task, chosen.len());
    let all: Vec<usize> = (0..graphs).collect();
    let measurer = Measurer::fit(settings, &chosen, &all)?;
    let measured = measurer.measure(&chosen, |_| ControlFlow::Continue(()))?;
    let problem = Problem::new(settings, &measurer, &measured, &targets, &all)?;
    let parameters = problem.start()?;
    let measure = |objective| floor::measure(&problem, objective, &parameters, evaluations.max(1));
    let (training, averaging) = (measure(problem.objective()?)?, measure(problem.sampled_objective()?)?);
    Ok(Row { task, graphs, distinct: problem.n_points(), parameters: parameters.len(), training, averaging })
}

/// Two classes or real numbers, whatever the dataset has: classes by turns are one of two, and a class is a number that
/// varies a little from graph to graph.
fn targets(given: &Targets, task: &str, n: usize) -> Targets {
    let value = |i: usize| match given {
        Targets::Classes { labels, .. } => f64::from(labels[i] % 2) + 0.1 * (i as f64).sin(),
        Targets::Real(values) => values[i],
        Targets::None => (i as f64).sin(),
    };
    let values: Vec<f64> = (0..n).map(value).collect();
    if task == "regression" {
        return Targets::Real(values);
    }
    let mut sorted = values.clone();
    sorted.sort_by(f64::total_cmp);
    let border = match given {
        Targets::Classes { .. } => 0.5,
        _ => sorted[n / 2],
    };
    let labels = values.iter().map(|&value| u32::from(value >= border)).collect();
    Targets::Classes { names: vec!["0".to_owned(), "1".to_owned()], labels }
}

impl Report for Sizes {
    fn text(&self) -> String {
        let header =
            ["task", "n", "parameters", "inner", "floor ms", "training ms", "ratio", "averaging ms", "ratio"];
        let cells = |row: &Row| {
            let milliseconds = |seconds: f64| format!("{:.3}", 1e3 * seconds);
            let start = [row.task.to_owned(), row.distinct.to_string(), row.parameters.to_string()];
            let inner = [number(row.training.inner_iterations), milliseconds(row.training.floor_seconds)];
            let timed = [row.training, row.averaging]
                .map(|floor| [milliseconds(floor.evaluation_seconds), format!("{:.2}", floor.ratio)]);
            start.into_iter().chain(inner).chain(timed.into_iter().flatten()).collect()
        };
        let title = format!("{}, {} threads", self.dataset, self.threads);
        format!("{title}\n\n{}", table(&header, &[1, 2, 3, 4, 5, 6, 7, 8], self.rows.iter().map(cells)))
    }
}
