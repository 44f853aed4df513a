//! Sets of classes and intervals of a prediction, and what they rest on.

use crate::output::number;
use hodgelet::model::{Basis, FittedTargets, RegionTargets, Regions};
use serde::Serialize;

/// What the regions of a prediction have in common.
#[derive(Debug, Serialize)]
pub struct Coverage {
    /// The coverage asked for.
    level: f64,
    /// What they rest on: `split`, `cv-plus`, or `model` for the model's own probabilities.
    basis: Basis,
    /// The coverage that is proven for exchangeable graphs, if any is.
    guaranteed: Option<f64>,
    /// Whether it is proven within each class.
    within_classes: bool,
    calibration_graphs: usize,
    /// The same in words.
    statement: String,
    /// Share of known targets in their regions.
    pub share_held: Option<f64>,
    /// Where too few calibration graphs leave regions without a bound.
    pub notes: Vec<String>,
}

/// The region of one graph.
#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RegionOf {
    /// Names of classes.
    Set(Vec<String>),
    /// Both ends; none where it has no end.
    Interval(Option<f64>, Option<f64>),
}

impl Coverage {
    /// What `regions` have in common.
    #[must_use]
    pub fn of(regions: &Regions) -> Self {
        Self {
            level: regions.coverage,
            basis: regions.basis,
            guaranteed: regions.guaranteed,
            within_classes: regions.by_class,
            calibration_graphs: regions.n_calibration,
            statement: regions.statement(),
            share_held: None,
            notes: regions.notes.clone(),
        }
    }

    /// The head of the column of regions.
    #[must_use]
    pub fn title(&self, region: &RegionOf) -> String {
        let kind = if matches!(region, RegionOf::Set(_)) { "set" } else { "interval" };
        format!("{}% {kind}", number(100.0 * self.level))
    }

    /// Lines below a table.
    #[must_use]
    pub fn text(&self) -> String {
        let held = self.share_held.map(|share| format!("; {:.2}% of known targets are held", 100.0 * share));
        let notes: String = self.notes.iter().map(|note| format!("\n{note}")).collect();
        format!("coverage  {}{}{notes}", self.statement, held.unwrap_or_default())
    }
}

impl RegionOf {
    /// The region of graph `i`, with the names of classes.
    #[must_use]
    pub fn new(regions: &Regions, targets: &FittedTargets, i: usize) -> Self {
        match (&regions.targets, targets) {
            (RegionTargets::Classes(sets), FittedTargets::Classes { names }) => {
                Self::Set(sets[i].iter().map(|&class| names[class as usize].clone()).collect())
            }
            (RegionTargets::Real(intervals), _) => {
                let end = |value: f64| Some(value).filter(|value| value.is_finite());
                Self::Interval(end(intervals[i].0), end(intervals[i].1))
            }
            (RegionTargets::Classes(_), FittedTargets::Real { .. }) => {
                unreachable!("a model predicts the kind of targets it was trained on")
            }
        }
    }

    /// Whether a class is in the set.
    #[must_use]
    pub fn has_class(&self, class: &str) -> bool {
        matches!(self, Self::Set(names) if names.iter().any(|name| name == class))
    }

    /// Whether a number is in the interval.
    #[must_use]
    pub fn has_number(&self, value: f64) -> bool {
        matches!(self, Self::Interval(low, high)
            if low.is_none_or(|low| low <= value) && high.is_none_or(|high| value <= high))
    }

    /// As the table shows it.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Set(names) => names.join(", "),
            Self::Interval(low, high) => {
                let end =
                    |value: Option<f64>, infinite: &str| value.map_or_else(|| infinite.to_owned(), number);
                format!("{} to {}", end(*low, "-∞"), end(*high, "∞"))
            }
        }
    }
}
