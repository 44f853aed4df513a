//! Which rows the protocol has, how many repeats of each, and what must hold of them.

use hodgelet::settings::{ConformalChoice, Settings};
use serde::Serialize;

/// Training sizes of real datasets, where enough graphs are left.
const REAL_SIZES: [usize; 4] = [60, 100, 150, 500];

/// Graphs that a training part of a real dataset must leave.
pub const LEAST_LEFT: usize = 80;

/// Graphs predicted in each repeat of the rows on conformal regions.
pub const CONFORMAL_TEST: usize = 50;

/// Models of one training part, each with a seed of its own.
pub const SEEDS: usize = 10;

/// One row of the protocol.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Task {
    pub kind: Kind,
    /// Number of training graphs; for seeds the share is fixed.
    pub train: usize,
}

/// What a row is about.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Targets drawn from a Gaussian process that is not the prior of the model.
    Simulated { classes: bool },
    /// Random training parts of a dataset.
    Real { dataset: &'static str, must: Must },
    /// One training part and many seeds.
    Seeds { dataset: &'static str },
    /// Conformal regions on simulated targets.
    Conformal { classes: bool },
}

/// What must hold on a real dataset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Must {
    /// Intervals of 90 and 95% within three points; no worse than the mode.
    Intervals,
    /// A calibration slope from 0.8 to 1.2.
    Slope,
    /// Hardly worse than the base rate.
    BaseRate,
    /// A calibration error near its floor.
    CalibrationError,
}

/// The real datasets, with what must hold on each.
const REAL: [(&str, Must); 12] = [
    ("FreeSolv", Must::Intervals),
    ("ESOL", Must::Intervals),
    ("Alkane", Must::Intervals),
    ("Acyclic", Must::Intervals),
    ("Lipophilicity", Must::Intervals),
    ("MUTAG", Must::Slope),
    ("PROTEINS", Must::Slope),
    ("BACE", Must::Slope),
    ("PTC_MR", Must::BaseRate),
    ("PTC_FM", Must::BaseRate),
    ("ENZYMES", Must::CalibrationError),
    ("Cuneiform", Must::CalibrationError),
];

/// The datasets on which seeds are compared.
const SEEDED: [&str; 3] = ["sbm", "MUTAG", "vector-fields"];

/// All rows in the order in which they are printed; the quick version has those of few training graphs.
pub fn tasks(quick: bool) -> Vec<Task> {
    let mut all = Vec::new();
    let mut add = |kind: &Kind, sizes: &[usize]| {
        let kept = if quick { &sizes[..1] } else { sizes };
        all.extend(kept.iter().map(|&train| Task { kind: kind.clone(), train }));
    };
    add(&Kind::Simulated { classes: false }, &[25, 50, 100, 200]);
    add(&Kind::Simulated { classes: true }, &[60, 200]);
    for (dataset, must) in REAL {
        add(&Kind::Real { dataset, must }, &REAL_SIZES);
    }
    for dataset in SEEDED {
        add(&Kind::Seeds { dataset }, &[0]);
    }
    for classes in [false, true] {
        add(&Kind::Conformal { classes }, &[30, 100, 300, 1000]);
    }
    all
}

impl Task {
    /// The dataset that must be read, if one must.
    pub fn dataset(&self) -> Option<&'static str> {
        match self.kind {
            Kind::Real { dataset, .. } | Kind::Seeds { dataset } => Some(dataset),
            _ => None,
        }
    }

    /// What the row is about, without its size.
    pub fn subject(&self) -> String {
        match self.kind {
            Kind::Simulated { classes: false } => "simulated".to_owned(),
            Kind::Simulated { classes: true } => "simulated-classes".to_owned(),
            Kind::Real { dataset, .. } => dataset.to_owned(),
            Kind::Seeds { dataset } => format!("seeds-{dataset}"),
            Kind::Conformal { classes: false } => "conformal".to_owned(),
            Kind::Conformal { classes: true } => "conformal-classes".to_owned(),
        }
    }

    /// A name of its own: that of its file.
    pub fn name(&self) -> String {
        match self.kind {
            Kind::Seeds { .. } => self.subject(),
            _ => format!("{}-{}", self.subject(), self.train),
        }
    }

    /// Repeats of the whole protocol with test parts of `n_test` graphs.
    pub fn repeats(&self, n_test: usize) -> usize {
        match self.kind {
            Kind::Simulated { .. } => 200,
            Kind::Real { .. } => 2000usize.div_ceil(n_test.max(1)),
            Kind::Seeds { .. } => SEEDS,
            Kind::Conformal { .. } => 1000,
        }
    }

    /// The settings of the row.
    ///
    /// Conformal regions hold what they promise whatever the model is, so that theirs is a cheap one: the mode of a small
    /// bank.
    pub fn settings(&self, given: &Settings, quick: bool) -> Settings {
        let given = match quick {
            true => Settings { n_filters: 3, iterations: 10, ..given.clone() },
            false => given.clone(),
        };
        match self.kind {
            Kind::Conformal { .. } => Settings {
                conformal: Some(ConformalChoice::Split),
                n_filters: 3,
                iterations: 10,
                restarts: 1,
                ..given.most_probable()
            },
            _ => given,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_row_has_a_name_of_its_own() {
        for quick in [false, true] {
            let tasks = tasks(quick);
            let names: HashSet<String> = tasks.iter().map(Task::name).collect();
            assert_eq!(names.len(), tasks.len());
        }
        let names: Vec<String> = tasks(false).iter().map(Task::name).collect();
        for name in
            ["simulated-25", "simulated-classes-200", "ESOL-500", "seeds-sbm", "conformal-classes-1000"]
        {
            assert!(names.iter().any(|n| n == name), "{name} in {names:?}");
        }
    }

    #[test]
    fn two_thousand_predictions_are_pooled() {
        let task = Task { kind: Kind::Real { dataset: "Alkane", must: Must::Intervals }, train: 60 };
        assert_eq!((task.repeats(90), task.repeats(200)), (23, 10));
    }
}
