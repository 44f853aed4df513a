//! The targets that are asked for: of one column or of several, and of columns of lists with a column of masks.

use super::targets::{check, coded, is_missing};
use super::{Table, TargetKind};
use crate::targets::TargetTexts;
use hodgelet::dataset::Targets;
use hodgelet::model::Goal;

/// Names of a column that says which entries of lists are known, in lower case.
const MASKS: [&str; 2] = ["masks", "mask"];

/// The cells of all targets, row by row; none where a target is not known.
pub(crate) struct Asked {
    /// What each target is called.
    pub names: Vec<String>,
    /// `[n_rows][n_targets]`, or what is wrong with the row.
    rows: Vec<Result<Vec<Option<String>>, String>>,
}

impl Asked {
    /// The targets in `columns`. A single column of lists such as `[0, 1]` holds as many targets as its lists are long.
    pub fn new(table: &Table, columns: &[usize], notes: &mut Vec<String>) -> Self {
        if let [column] = columns
            && (0..table.len()).any(|row| table.cell(row, *column).trim_start().starts_with('['))
        {
            return Self::lists(table, *column, notes);
        }
        let names = columns.iter().map(|&column| table.header()[column].clone()).collect();
        let known = |row: usize, column: usize| {
            Some(table.cell(row, column)).filter(|cell| !is_missing(cell)).map(str::to_owned)
        };
        let cells = |row: usize| Ok(columns.iter().map(|&column| known(row, column)).collect());
        Self { names, rows: (0..table.len()).map(cells).collect() }
    }

    /// The targets of a column of lists, as many as the first list has.
    fn lists(table: &Table, column: usize, notes: &mut Vec<String>) -> Self {
        let header = table.header();
        let masks = header.iter().position(|name| MASKS.iter().any(|mask| name.eq_ignore_ascii_case(mask)));
        let first = (0..table.len()).find_map(|row| list(table.cell(row, column)));
        let n = first.map_or(0, |list| list.len());
        let of = |row: usize, column: usize| match list(table.cell(row, column)) {
            Some(list) if list.len() == n => Ok(list),
            Some(list) => {
                Err(format!("column `{}` has {} entries, expected {n}", header[column], list.len()))
            }
            None => Err(format!(
                "column `{}` has `{}`, expected a list of numbers such as [0, 1]",
                header[column],
                short(table.cell(row, column))
            )),
        };
        let cells = |row: usize| -> Result<Vec<Option<String>>, String> {
            if is_missing(table.cell(row, column)) {
                return Ok(vec![None; n]);
            }
            let values = of(row, column)?;
            let known = masks.map_or_else(|| Ok(vec![1.0; n]), |masks| of(row, masks))?;
            let entry =
                |(value, known): (f64, f64)| (known != 0.0 && value.is_finite()).then(|| value.to_string());
            Ok(values.into_iter().zip(known).map(entry).collect())
        };
        let name = &header[column];
        let names = match n {
            1 => vec![name.clone()],
            _ => (1..=n).map(|k| format!("{name} {k}")).collect(),
        };
        let by =
            masks.map_or_else(String::new, |masks| format!(", known where `{}` is not 0", header[masks]));
        notes.push(format!("column `{name}` has lists of {n} targets{by}"));
        Self { names, rows: (0..table.len()).map(cells).collect() }
    }

    /// Targets from their texts.
    pub fn of_texts(targets: &[TargetTexts]) -> Self {
        let names = targets.iter().map(|target| target.name.clone()).collect();
        let n = targets.first().map_or(0, |target| target.texts.len());
        let known = |text: &String| Some(text.clone()).filter(|text| !is_missing(text));
        let cells = |row: usize| Ok(targets.iter().map(|target| known(&target.texts[row])).collect());
        Self { names, rows: (0..n).map(cells).collect() }
    }

    /// The targets of some rows in the order given; there is none where there is no row.
    pub fn of_rows(&self, rows: &[Option<usize>]) -> Self {
        let none = vec![None; self.names.len()];
        let cells = |row: &Option<usize>| row.map_or_else(|| Ok(none.clone()), |row| self.rows[row].clone());
        Self { names: self.names.clone(), rows: rows.iter().map(cells).collect() }
    }

    /// Whether anything is asked for.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Whether a row has any of the targets.
    pub fn is_known(&self, row: usize) -> bool {
        self.rows[row].as_ref().is_ok_and(|cells| cells.iter().any(Option::is_some))
    }

    /// What is wrong with a row, if anything.
    pub fn check(&self, row: usize, kind: TargetKind) -> Result<(), String> {
        let cells = self.rows[row].as_ref().map_err(Clone::clone)?;
        cells.iter().flatten().try_for_each(|cell| check(cell, kind))
    }

    /// The targets of the rows `kept`: the only one as it is if all of them have it, several as goals, and so the only one if
    /// some of them have it.
    pub fn targets(&self, kept: &[usize], kind: TargetKind) -> (Targets, Vec<Goal>) {
        let known = |target: usize| -> (Vec<usize>, Vec<String>) {
            let cell = |(place, &row): (usize, &usize)| {
                Some((place, self.rows[row].as_ref().ok()?[target].clone()?))
            };
            kept.iter().enumerate().filter_map(cell).unzip()
        };
        let goal = |(target, name): (usize, &String)| {
            let (complexes, cells) = known(target);
            Goal { name: name.clone(), targets: coded(&cells, kind), complexes }
        };
        let mut goals: Vec<Goal> = self.names.iter().enumerate().map(goal).collect();
        match &goals[..] {
            [only] if only.complexes.is_empty() => (Targets::None, Vec::new()),
            [only] if only.complexes.len() == kept.len() => (goals.remove(0).targets, Vec::new()),
            _ => (Targets::None, goals),
        }
    }
}

/// A list of numbers; null is not known.
fn list(cell: &str) -> Option<Vec<f64>> {
    let list: Vec<Option<f64>> = serde_json::from_str(cell).ok()?;
    Some(list.into_iter().map(|value| value.unwrap_or(f64::NAN)).collect())
}

fn short(text: &str) -> String {
    let begin: String = text.chars().take(40).collect();
    if begin.len() < text.len() { format!("{begin}…") } else { begin }
}
