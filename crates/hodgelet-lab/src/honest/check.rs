//! What was found for each row, beside what must hold.

use super::cells::Cell;
use super::plan::{Kind, Must, Task};
use super::seeds::deviations;
use crate::coverage::LEVELS;
use crate::coverage::row::Row;
use hodgelet_cli::error::CommandError;
use serde::Serialize;

/// Points by which intervals may miss their nominal share.
const POINTS: f64 = 0.03;

/// Standard errors that count as sampling error.
const SAMPLING: f64 = 2.0;

/// One row with its verdict.
#[derive(Debug, Serialize)]
pub struct Checked {
    pub name: String,
    pub subject: String,
    pub train: usize,
    pub repeats: usize,
    /// Scores; of rows on seeds there are none.
    pub row: Option<Row>,
    /// Mean and 95th percentile of the deviations of probabilities over seeds, and the number of graphs.
    pub seeds: Option<(f64, f64, usize)>,
    pub checks: Vec<Check>,
    pub commit: Option<String>,
}

/// One thing that must hold.
#[derive(Debug, Serialize)]
pub struct Check {
    pub what: String,
    pub found: f64,
    /// The values that are allowed.
    pub from: Option<f64>,
    pub to: Option<f64>,
    pub is_met: bool,
}

impl Check {
    fn new(what: impl Into<String>, found: f64, from: Option<f64>, to: Option<f64>) -> Self {
        let is_met = from.is_none_or(|from| found >= from) && to.is_none_or(|to| found <= to);
        Self { what: what.into(), found, from, to, is_met }
    }

    /// What is missed, in words.
    pub fn text(&self) -> String {
        let Self { what, found, .. } = self;
        match (self.from, self.to) {
            (Some(from), Some(to)) => format!("{what} {found:.3}, not {from:.3} to {to:.3}"),
            (Some(from), None) => format!("{what} {found:.3}, below {from:.3}"),
            (_, Some(to)) => format!("{what} {found:.3}, above {to:.3}"),
            (None, None) => format!("{what} {found:.3}"),
        }
    }
}

impl Checked {
    /// The verdict on `cell`.
    pub fn of(task: &Task, cell: &Cell) -> Result<Self, CommandError> {
        let row = (!cell.repeats.is_empty()).then(|| Row::of(task.train, &cell.repeats)).transpose()?;
        let (mut checks, mut seeds) = (row.as_ref().map_or(vec![], |row| checks(task, row)), None);
        if let Kind::Seeds { .. } = task.kind {
            let all = deviations(&cell.seeds);
            let (mean, high) = (all.iter().sum::<f64>() / all.len() as f64, percentile_95(&all));
            checks.push(Check::new("mean", mean, None, Some(0.03)));
            checks.push(Check::new("95th percentile", high, None, Some(0.08)));
            seeds = Some((mean, high, all.len()));
        }
        Ok(Self {
            name: task.name(),
            subject: task.subject(),
            train: task.train,
            repeats: cell.repeats.len().max(cell.seeds.len()),
            row,
            seeds,
            checks,
            commit: cell.provenance.commit.clone(),
        })
    }

    /// What the row misses; empty when all is met.
    pub fn missed(&self) -> Vec<&Check> {
        self.checks.iter().filter(|check| !check.is_met).collect()
    }
}

fn percentile_95(ascending: &[f64]) -> f64 {
    let at = (0.95 * ascending.len() as f64).ceil() as usize;
    ascending.get(at.max(1) - 1).copied().unwrap_or(f64::NAN)
}

fn checks(task: &Task, row: &Row) -> Vec<Check> {
    let intervals = |levels: &[usize]| -> Vec<Check> {
        let one = |&l: &usize| {
            let (level, found) = (LEVELS[l], row.coverage.get(l)?.mean);
            Some(Check::new(
                format!("{:.0}%", 100.0 * level),
                found,
                Some(level - POINTS),
                Some(level + POINTS),
            ))
        };
        levels.iter().filter_map(one).collect()
    };
    let slope = |from: f64, to: f64| row.slope.map(|s| Check::new("slope", s, Some(from), Some(to)));
    let not_above = |what: &str, to: Option<f64>| to.map(|to| Check::new(what, row.nll.mean, None, Some(to)));
    match task.kind {
        Kind::Simulated { classes: false } => {
            let mut all = intervals(&[0, 1, 2]);
            let oracle = row.oracle_nll.filter(|_| task.train == 100);
            all.extend(not_above("NLL by the oracle's", oracle.map(|nll| nll + 0.1)));
            all
        }
        Kind::Simulated { classes: true } => slope(0.9, 1.1).into_iter().collect(),
        Kind::Real { must: Must::Intervals, .. } => {
            let mut all = intervals(&[1, 2]);
            all.extend(not_above("NLL by the mode's", row.mode_nll));
            all
        }
        Kind::Real { must: Must::Slope, .. } => slope(0.8, 1.2).into_iter().collect(),
        Kind::Real { must: Must::BaseRate, .. } => {
            not_above("NLL by the base rate's", row.base_rate_nll.map(|nll| nll + 0.01)).into_iter().collect()
        }
        Kind::Real { must: Must::CalibrationError, dataset } => {
            let ece = row.ece.zip(row.ece_floor);
            let mut all: Vec<Check> = ece
                .map(|(ece, floor)| Check::new("ECE", ece, None, Some(floor + 0.03)))
                .into_iter()
                .collect();
            // The number stands for the most training graphs.
            all.extend(not_above("NLL", (dataset == "ENZYMES" && task.train == 500).then_some(0.9)));
            all
        }
        Kind::Conformal { .. } => {
            let one = |(summary, level): (&hodgelet_eval::metrics::Summary, f64)| {
                let from = level - SAMPLING * summary.standard_error.unwrap_or(0.0);
                Check::new(format!("{:.0}%", 100.0 * level), summary.mean, Some(from), None)
            };
            row.conformal.iter().zip(LEVELS).map(one).collect()
        }
        Kind::Seeds { .. } => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_says_what_it_misses() {
        let high = Check::new("slope", 1.3, Some(0.8), Some(1.2));
        assert!(!high.is_met);
        assert_eq!(high.text(), "slope 1.300, not 0.800 to 1.200");
        assert!(Check::new("slope", 1.2, Some(0.8), Some(1.2)).is_met);
        assert_eq!(Check::new("NLL", 0.95, None, Some(0.9)).text(), "NLL 0.950, above 0.900");
        assert_eq!(Check::new("90%", 0.8, Some(0.89), None).text(), "90% 0.800, below 0.890");
        assert!(!Check::new("NLL", f64::NAN, None, Some(0.9)).is_met);
    }

    #[test]
    fn the_percentile_is_an_order_statistic() {
        let values: Vec<f64> = (1..=20).map(f64::from).collect();
        assert_eq!(percentile_95(&values), 19.0);
        assert_eq!(percentile_95(&[3.0]), 3.0);
        assert!(percentile_95(&[]).is_nan());
    }
}
