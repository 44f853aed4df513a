//! What the predictions of many graphs come to, row by row.

use crate::output::number;
use serde::Serialize;
use serde_json::Value;

/// What many rows come to.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Tally {
    #[serde(skip)]
    pub graphs: usize,
    /// Graphs whose target is known.
    known: usize,
    /// Those whose class was predicted.
    right: usize,
    squared_error: f64,
    /// Those whose region holds the target; none without regions.
    held: Option<usize>,
    /// Graphs far from all training graphs.
    far: usize,
    #[serde(skip)]
    is_number: bool,
}

impl Tally {
    /// Adds a graph: whether its class is right, or by how much its number is wrong.
    pub(super) fn add_graph(
        &mut self,
        class: Option<bool>,
        error: Option<f64>,
        held: Option<bool>,
        is_far: bool,
    ) {
        self.graphs += 1;
        self.known += usize::from(class.is_some() || error.is_some());
        self.right += usize::from(class == Some(true));
        self.squared_error += error.unwrap_or(0.0).powi(2);
        self.is_number |= error.is_some();
        self.far += usize::from(is_far);
        if let Some(held) = held {
            *self.held.get_or_insert(0) += usize::from(held);
        }
    }

    /// Adds a row as it was written.
    pub fn add_row(&mut self, row: &Value) {
        let truth = &row["truth"];
        let class = row["class"].as_str().zip(truth.as_str()).map(|(class, truth)| class == truth);
        let error = row["mean"].as_f64().zip(truth.as_f64()).map(|(mean, truth)| mean - truth);
        let in_set = row["set"].as_array().zip(truth.as_str());
        let in_set = in_set.map(|(set, truth)| set.iter().any(|name| name == truth));
        let interval = row["interval"].as_array().zip(truth.as_f64());
        let inside = interval.map(|(ends, truth)| {
            let end = |at: usize| ends.get(at).and_then(Value::as_f64);
            end(0).is_none_or(|low| low <= truth) && end(1).is_none_or(|high| truth <= high)
        });
        let is_far = row["novelty"]["is_far"].as_bool() == Some(true);
        self.add_graph(class, error, in_set.or(inside), is_far);
    }

    /// Adds those of other rows.
    pub fn add(&mut self, other: &Self) {
        self.graphs += other.graphs;
        self.known += other.known;
        self.right += other.right;
        self.squared_error += other.squared_error;
        self.far += other.far;
        self.is_number |= other.is_number;
        if let Some(held) = other.held {
            *self.held.get_or_insert(0) += held;
        }
    }

    /// Lines for people.
    #[must_use]
    pub fn facts(&self) -> Vec<(&'static str, String)> {
        let mut lines = Vec::new();
        let known = self.known as f64;
        match (self.known, self.is_number) {
            (0, _) => {}
            (_, true) => lines.push(("RMSE", number((self.squared_error / known).sqrt()))),
            (_, false) => lines.push(("accuracy", format!("{:.2}%", 100.0 * self.right as f64 / known))),
        }
        if let Some(held) = self.held {
            let share = 100.0 * held as f64 / known;
            lines.push(("coverage", format!("{share:.2}% of known targets are held")));
        }
        lines.push(("far", format!("{} far from all training graphs", self.far)));
        lines
    }
}
