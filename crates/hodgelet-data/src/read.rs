//! What every reader returns: a dataset, and a report of what was cleaned up.

use hodgelet::dataset::Dataset;
use hodgelet::model::Goal;
use std::fmt;

/// A dataset and the report of its reader.
#[derive(Clone, Debug, PartialEq)]
pub struct Read {
    /// The dataset.
    pub dataset: Dataset,
    /// What the reader cleaned up.
    pub report: Report,
    /// A name for each complex, where the format has them; otherwise empty.
    pub ids: Vec<String>,
    /// Several targets, where they were asked for, or one that only some complexes have: the dataset itself then has none.
    pub goals: Vec<Goal>,
}

impl Read {
    /// A dataset without names and with at most one target, of which there is nothing to report.
    #[must_use]
    pub fn clean(dataset: Dataset) -> Self {
        Self { dataset, report: Report::default(), ids: Vec::new(), goals: Vec::new() }
    }
}

/// What a reader dropped, merged or rearranged; all zero for a clean dataset.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Edges from a vertex to itself, dropped.
    pub self_loops: usize,
    /// Repeated edges (in TU files: arcs of one direction), dropped.
    pub repeated: usize,
    /// Edges of a TU dataset of which only one direction is listed.
    pub one_way: usize,
    /// Edges whose two directions carry different labels, or values neither equal nor opposite.
    pub disagreeing: usize,
    /// Graphs of several vertices at the end of a TU dataset that no arc belongs to: the file of arcs may have been cut off.
    pub without_arcs: usize,
    /// Complexes without a vertex, kept.
    pub empty: usize,
    /// Whether nodes of a TU dataset were not in the order of their graphs and were regrouped.
    pub regrouped: bool,
    /// Files that belong to the dataset but were not used.
    pub ignored: Vec<String>,
    /// Graphs without a target, left out.
    pub untargeted: usize,
    /// What was guessed or left out as a matter of course: nothing is wrong.
    pub notes: Vec<String>,
    /// What may not have been meant.
    pub doubts: Vec<String>,
}

impl Report {
    /// Whether there is nothing to report but notes.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        Self { notes: Vec::new(), ..self.clone() } == Self::default()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const CUT_OFF: &str = "at the end without an edge; the file of arcs may have been cut off";
        let counts = [
            (self.self_loops, "self-loop", "dropped"),
            (self.repeated, "repeated edge", "dropped"),
            (self.one_way, "edge", "listed in one direction only"),
            (self.disagreeing, "edge", "with two directions that disagree"),
            (self.without_arcs, "graph", CUT_OFF),
            (self.empty, "graph", "without vertices"),
            (self.untargeted, "graph", "without a target left out"),
        ];
        let counts = counts.iter().filter(|(n, ..)| *n > 0);
        let mut lines: Vec<String> =
            counts.map(|(n, what, how)| format!("{} {how}", counted(*n, what))).collect();
        if self.regrouped {
            lines.push("nodes were put in the order of their graphs".to_owned());
        }
        lines.extend(self.ignored.iter().map(|file| format!("{file} was not used")));
        lines.extend(self.doubts.iter().cloned());
        f.write_str(&lines.join("\n"))
    }
}

/// So many of a thing: its name with an `s` unless there is one.
#[must_use]
pub fn counted(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_a_thing_is_written_without_an_s() {
        let report = Report { self_loops: 1, one_way: 3, ..Report::default() };
        assert_eq!(report.to_string(), "1 self-loop dropped\n3 edges listed in one direction only");
    }

    #[test]
    fn a_report_names_what_happened_and_nothing_else() {
        assert!(Report::default().is_clean());
        assert_eq!(Report::default().to_string(), "");
        let report = Report { self_loops: 2, regrouped: true, ..Report::default() };
        assert_eq!(report.to_string(), "2 self-loops dropped\nnodes were put in the order of their graphs");
    }
}
