//! What models say of the graphs that they were not trained on, fold by fold, as a table of text.

use super::predict::sheet;
use crate::error::CommandError;
use hodgelet::dataset::Targets;
use hodgelet::model::Goal;
use hodgelet::output::Output;
use hodgelet_data::Read;
use hodgelet_data::table::TableRead;
use hodgelet_eval::report::{FoldRun, Predictions};
use hodgelet_eval::splits::Split;

/// Writes the prediction of every test graph of every fold: the columns of the table that was read, or the name of the
/// graph, then repeat and fold, the truth, and what is predicted.
///
/// # Errors
///
/// [`CommandError::Write`].
pub fn write(
    to: Output<'_>,
    read: &Read,
    table: Option<&TableRead>,
    splits: &[Split],
    runs: &[FoldRun],
) -> Result<(), CommandError> {
    let names = class_names(read.dataset.targets());
    let mut lines = vec![header(table, columns(names))];
    for (split, run) in splits.iter().zip(runs) {
        for (place, &graph) in split.test.iter().enumerate() {
            let mut line = about(read, table, graph);
            line.extend([split.repeat, split.fold].map(|n| n.to_string()));
            line.extend(said(run, names, place));
            lines.push(line);
        }
    }
    sheet::write_lines(&lines, Some(to))
}

/// As [`write`], for several targets that were trained together: a line for each test graph of each fold, with the columns of
/// each target after its name, empty where it is not known.
///
/// # Errors
///
/// [`CommandError::Write`].
pub fn write_several(
    to: Output<'_>,
    read: &Read,
    table: Option<&TableRead>,
    splits: &[Split],
    runs: &[Vec<FoldRun>],
) -> Result<(), CommandError> {
    let of_goal = |goal: &Goal| -> Vec<String> {
        let names = columns(class_names(&goal.targets));
        names.into_iter().map(|name| format!("{}: {name}", goal.name)).collect()
    };
    let mut lines = vec![header(table, read.goals.iter().flat_map(of_goal).collect())];
    for split in splits {
        let of_split = |runs: &[FoldRun]| {
            runs.iter().position(|run| (run.repeat, run.fold) == (split.repeat, split.fold))
        };
        let known: Vec<Vec<usize>> =
            read.goals.iter().map(|goal| goal.among(&split.test).complexes).collect();
        for &graph in &split.test {
            let mut line = about(read, table, graph);
            line.extend([split.repeat, split.fold].map(|n| n.to_string()));
            for ((goal, runs), known) in read.goals.iter().zip(runs).zip(&known) {
                let names = class_names(&goal.targets);
                let place = known.iter().position(|&other| other == graph);
                match of_split(runs).zip(place) {
                    Some((run, place)) => line.extend(said(&runs[run], names, place)),
                    None => line.extend(columns(names).iter().map(|_| String::new())),
                }
            }
            lines.push(line);
        }
    }
    sheet::write_lines(&lines, Some(to))
}

/// Names of the classes; none for numbers.
fn class_names(targets: &Targets) -> &[String] {
    match targets {
        Targets::Classes { names, .. } => names,
        _ => &[],
    }
}

/// What is said of a test graph: the truth, the prediction, and the probability of each class or the deviation.
fn columns(names: &[String]) -> Vec<String> {
    let probabilities = names.iter().map(|name| format!("p({name})"));
    let spread = names.is_empty().then(|| "std".to_owned());
    ["truth", "predicted"].map(str::to_owned).into_iter().chain(probabilities).chain(spread).collect()
}

/// The columns of the table, or the name of the graph, then repeat and fold and `columns`.
fn header(table: Option<&TableRead>, columns: Vec<String>) -> Vec<String> {
    let mut header: Vec<String> = match table {
        Some(table) => table.table.header().to_vec(),
        None => vec!["id".to_owned()],
    };
    for name in ["repeat", "fold"].map(str::to_owned).into_iter().chain(columns) {
        let unused = sheet::unused(&name, &header);
        header.push(unused);
    }
    header
}

/// The row of a graph, or its name.
fn about(read: &Read, table: Option<&TableRead>, graph: usize) -> Vec<String> {
    match table {
        Some(table) => {
            let columns = 0..table.table.header().len();
            columns.map(|column| table.table.cell(table.kept[graph], column).to_owned()).collect()
        }
        None => vec![read.ids.get(graph).cloned().unwrap_or_else(|| graph.to_string())],
    }
}

/// The truth and the prediction of one test graph.
fn said(run: &FoldRun, names: &[String], place: usize) -> Vec<String> {
    match &run.predictions {
        Predictions::Classes { probabilities, labels } => {
            let row = &probabilities[place * names.len()..(place + 1) * names.len()];
            let most_probable =
                || (0..names.len()).fold(0, |best, c| if row[c] > row[best] { c } else { best });
            let best = run.decided.as_ref().map_or_else(most_probable, |decided| decided[place] as usize);
            let classes = [names[labels[place] as usize].clone(), names[best].clone()];
            classes.into_iter().chain(row.iter().map(f64::to_string)).collect()
        }
        Predictions::Real { densities, truth } => {
            let density = &densities[place];
            [truth[place], density.mean(), density.variance().sqrt()].map(|value| value.to_string()).to_vec()
        }
    }
}
