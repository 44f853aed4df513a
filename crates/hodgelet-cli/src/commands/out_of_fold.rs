//! What models say of the graphs that they were not trained on, fold by fold, as a table of text.

use super::predict::sheet;
use crate::error::CommandError;
use hodgelet::dataset::Targets;
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
    let names: &[String] = match read.dataset.targets() {
        Targets::Classes { names, .. } => names,
        _ => &[],
    };
    let mut header: Vec<String> = match table {
        Some(table) => table.table.header().to_vec(),
        None => vec!["id".to_owned()],
    };
    let probabilities = names.iter().map(|name| format!("p({name})"));
    let spread = names.is_empty().then(|| "std".to_owned());
    let fixed = ["repeat", "fold", "truth", "predicted"].map(str::to_owned);
    for name in fixed.into_iter().chain(probabilities).chain(spread) {
        let unused = sheet::unused(&name, &header);
        header.push(unused);
    }
    let mut lines = vec![header];
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
