//! Targets from the cells of a table.

use super::TargetKind;
use crate::graphs::coded_targets;
use crate::{jsonl, text};
use hodgelet::dataset::Targets;

/// Cells that say that there is no target, in lower case.
const MISSING: [&str; 6] = ["", "na", "n/a", "nan", "null", "none"];

/// Whether a cell has no target.
pub(crate) fn is_missing(cell: &str) -> bool {
    let cell = cell.trim();
    MISSING.iter().any(|missing| cell.eq_ignore_ascii_case(missing))
}

/// Whether a target that is there is what it should be.
pub(crate) fn check(cell: &str, kind: TargetKind) -> Result<(), String> {
    match kind {
        TargetKind::Numbers if number(cell).is_none() => {
            Err(format!("the target is `{}`, expected a number", cell.trim()))
        }
        _ => Ok(()),
    }
}

/// The targets of cells that have one.
pub(crate) fn coded(cells: &[String], kind: TargetKind) -> Targets {
    let numbers: Option<Vec<f64>> = cells.iter().map(|cell| number(cell)).collect();
    let is_whole = |values: &Vec<f64>| values.iter().all(|v| v.fract() == 0.0 && v.abs() < 1e15);
    let names: Vec<String> = match &numbers {
        // `1` and `1.0`, which columns with missing entries have, are one class.
        Some(values) if is_whole(values) => values.iter().map(|&v| format!("{}", v as i64)).collect(),
        _ => cells.iter().map(|cell| cell.trim().to_owned()).collect(),
    };
    match (kind, numbers) {
        (TargetKind::Numbers, Some(numbers)) => Targets::Real(numbers),
        (TargetKind::Classes, _) => {
            let (names, labels) = jsonl::coded(None, names.iter().map(String::as_str));
            Targets::Classes { names, labels }
        }
        _ => coded_targets(&names),
    }
}

/// How much a row counts.
pub(crate) fn weight(cell: &str) -> Result<f64, String> {
    let (least, largest) = hodgelet::likelihood::WEIGHT_RANGE;
    match number(cell).filter(|weight| (least..=largest).contains(weight)) {
        Some(weight) => Ok(weight),
        None => {
            Err(format!("the weight is `{}`, expected a number from {least:e} to {largest:e}", cell.trim()))
        }
    }
}

fn number(cell: &str) -> Option<f64> {
    text::real(cell.trim().as_bytes()).filter(|value| value.is_finite())
}
