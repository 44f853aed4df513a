//! The table of graphs as columns of short values: as many rows as there is room for.

use crate::content::Content;
use crate::markup::{cut, json_in_page, number};
use serde::Serialize;
use std::collections::BTreeMap;

/// Letters of a name.
const NAME: usize = 48;

/// The rows of the table, column by column.
#[derive(Debug, Default, Serialize)]
pub struct Table {
    /// Names of the classes that the rows have, by their number; empty for numbers.
    pub classes: BTreeMap<usize, String>,
    /// Whether targets are numbers.
    pub numbers: bool,
    /// Rows there would be.
    pub of: usize,
    /// Which graph.
    pub graph: Vec<usize>,
    /// What it is called; empty where it is its number.
    pub name: Vec<String>,
    /// What is true: a class or a number.
    pub truth: Vec<Option<f64>>,
    /// What was predicted: a class or a number.
    pub predicted: Vec<f64>,
    /// Probability of the class, or standard deviation.
    pub sure: Vec<f64>,
    /// How surprising the truth is.
    pub surprise: Vec<f64>,
    /// Distance to the nearest training graph.
    pub distance: Vec<f64>,
    /// Whether that is far: 1 or 0.
    pub far: Vec<u8>,
    /// The fold it was tested in.
    pub fold: Vec<Option<usize>>,
    /// Graphs that are drawn.
    pub drawn: Vec<usize>,
}

/// The first cases of the content that fit into so many bytes, but one in any case.
pub fn table(content: &Content, drawn: Vec<usize>, bytes: usize) -> Table {
    let numbers = content.classes.is_empty();
    let mut table = Table { numbers, of: content.cases.len(), drawn, ..Table::default() };
    let mut used = 0;
    for case in &content.cases {
        let name = &content.names[case.graph];
        let name = if *name == case.graph.to_string() { String::new() } else { cut(name, NAME) };
        used += 48 + json_in_page(&name).len();
        let named = [case.truth, Some(case.predicted)].into_iter().flatten().filter(|_| !numbers);
        for class in named.map(|class| class as usize) {
            let Some(name) = content.classes.get(class).filter(|_| !table.classes.contains_key(&class))
            else {
                continue;
            };
            let name = cut(name, NAME);
            used += 12 + json_in_page(&name).len();
            table.classes.insert(class, name);
        }
        if used > bytes && !table.graph.is_empty() {
            break;
        }
        let (distance, far) = content.distances[case.graph];
        table.graph.push(case.graph);
        table.name.push(name);
        table.truth.push(case.truth.map(rounded));
        table.predicted.push(rounded(case.predicted));
        table.sure.push(rounded(case.confidence().or(case.spread.map(|s| s.0)).unwrap_or(0.0)));
        table.surprise.push(rounded(case.surprise()));
        table.distance.push(rounded(distance));
        table.far.push(u8::from(far));
        table.fold.push(case.fold);
    }
    table
}

/// The value that is shown: rounded once, here, as everywhere else in the report. The script does not round again.
fn rounded(value: f64) -> f64 {
    number(value).parse().unwrap_or(0.0)
}
