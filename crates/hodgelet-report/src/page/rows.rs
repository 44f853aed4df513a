//! The table of graphs as columns of short values: as many rows as there is room for.

use crate::content::Content;
use crate::markup::{cut, json_in_page};
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
        bytes += 48 + json_in_page(&name).len();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::{Case, Learned, Origin};
    use crate::page::{MAX_BYTES, html};

    /// As many graphs as the HIV set has, all of them with names that take the most room.
    #[test]
    fn a_page_of_forty_thousand_graphs_is_bounded_and_says_what_it_leaves_out() {
        let n = 41_127;
        let case = |graph: usize| Case {
            graph,
            fold: None,
            truth: Some(f64::from(u8::from(graph.is_multiple_of(3)))),
            predicted: 1.0,
            probabilities: vec![0.25, 0.75],
            spread: None,
        };
        let made = |text: &str| text.to_owned();
        let content = Content {
            origin: Origin { command: made("c"), version: made("v"), commit: None, made: made("Made now.") },
            dataset: made("many"),
            graphs: n,
            classes: vec![made("a"), made("b")],
            verdict: made("Fine."),
            run: Vec::new(),
            scores: Vec::new(),
            folds: Default::default(),
            reliability: None,
            risk: Vec::new(),
            risk_name: String::new(),
            confusion: None,
            learned: Learned { filters: vec![], amplitudes: vec![], others: vec![], states: 0, graphs: 0 },
            cases: (0..n).map(case).collect(),
            distances: vec![(0.123_456, false); n],
            names: vec!["<".repeat(100); n],
            leakage: Vec::new(),
            drift: Vec::new(),
            views: Vec::new(),
            seen: false,
        };
        let page = html(&content);
        // Drawings have the rest of the room.
        assert!(page.len() < MAX_BYTES - 1_200_000, "{} bytes", page.len());
        assert!(page.contains(&format!("first {} of {n} graphs", table(&content).graph.len())));
    }
}
