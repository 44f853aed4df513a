//! The table of graphs as columns of short values: as many rows as there is room for.

use crate::content::Content;
use crate::markup::cut;
use serde::Serialize;

/// Bytes that the rows may take.
const BYTES: usize = 600_000;
/// Letters of a name.
const NAME: usize = 48;

/// The rows of the table, column by column.
#[derive(Debug, Serialize)]
pub struct Table {
    /// Names of the classes; empty for numbers.
    pub classes: Vec<String>,
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

/// The first cases of the content that fit.
pub fn table(content: &Content) -> Table {
    let mut table = Table {
        classes: content.classes.clone(),
        of: content.cases.len(),
        graph: Vec::new(),
        name: Vec::new(),
        truth: Vec::new(),
        predicted: Vec::new(),
        sure: Vec::new(),
        surprise: Vec::new(),
        distance: Vec::new(),
        far: Vec::new(),
        fold: Vec::new(),
        drawn: content.views.iter().map(|view| view.graph).collect(),
    };
    let mut bytes = 0;
    for case in &content.cases {
        let name = &content.names[case.graph];
        let name = if *name == case.graph.to_string() { String::new() } else { cut(name, NAME) };
        bytes += 40 + 2 * name.len();
        if bytes > BYTES {
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

/// Four significant digits.
fn rounded(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(0.0)
}
