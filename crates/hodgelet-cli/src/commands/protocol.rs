//! How `evaluate` divides the rows of a table: by scaffold, by group, by time.

use crate::error::CommandError;
use hodgelet_data::OpenError;
use hodgelet_data::smiles::scaffold;
use hodgelet_data::table::TableRead;
use hodgelet_data::targets::{TargetOptions, column};
use hodgelet_eval::splits::{FoldError, Split, group_folds, time_folds};
use rayon::prelude::*;
use std::path::PathBuf;
use std::str::FromStr;

/// How items are divided.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Protocol {
    /// Shuffled folds, stratified by class.
    #[default]
    KFold,
    /// No scaffold of a test molecule is in the training part.
    Scaffold,
    /// No value of a column is in both parts.
    Group(String),
    /// The training part comes before the test part by a column.
    Time(String),
}

impl FromStr for Protocol {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.split_once('=') {
            None if text == "k-fold" => Ok(Self::KFold),
            None if text == "scaffold" => Ok(Self::Scaffold),
            Some(("group", column)) if !column.is_empty() => Ok(Self::Group(column.to_owned())),
            Some(("time", column)) if !column.is_empty() => Ok(Self::Time(column.to_owned())),
            _ => Err("expected k-fold, scaffold, group=COLUMN or time=COLUMN".to_owned()),
        }
    }
}

impl Protocol {
    /// The splits of the molecules of a table; none for shuffled folds.
    ///
    /// # Errors
    ///
    /// [`CommandError::Usage`] when there is no table, no such column, or not enough in it.
    pub fn splits(
        &self,
        table: Option<&Rows<'_>>,
        folds: usize,
        repeats: usize,
        seed: u64,
    ) -> Result<Option<Vec<Split>>, CommandError> {
        let made = match (self, table) {
            (Self::KFold, _) => return Ok(None),
            (Self::Scaffold, Some(Rows::Molecules(table))) => {
                grouped(&scaffolds(table)?, folds, repeats, seed)
            }
            (Self::Group(column), Some(rows)) => grouped(&rows.cells(column)?, folds, repeats, seed),
            (Self::Time(_), Some(_)) if repeats != 1 => {
                return Err(CommandError::usage("--repeats, but time has one order", None));
            }
            (Self::Time(column), Some(rows)) => time_folds(&times(&rows.cells(column)?, column)?, folds),
            (Self::Scaffold, _) => {
                let message = "--protocol scaffold, but the dataset is not a table of molecules";
                return Err(CommandError::usage(message, Some("tables end in .csv, .tsv or .parquet")));
            }
            (Self::Group(_) | Self::Time(_), None) => {
                let message =
                    "--protocol, but the dataset is not a table of molecules and has no table of targets";
                let hint = "--targets FILE names one; --splits takes any division";
                return Err(CommandError::usage(message, Some(hint)));
            }
        };
        made.map(Some).map_err(|error| CommandError::usage(error.to_string(), error.hint().as_deref()))
    }
}

/// What is known of each graph beside its cells and its target.
#[derive(Debug)]
pub enum Rows<'a> {
    /// The rows of a table of molecules.
    Molecules(&'a TableRead),
    /// Those of a table of targets.
    Graphs {
        /// The table.
        path: PathBuf,
        /// How it is read.
        options: TargetOptions,
        /// Names of the graphs.
        ids: &'a [String],
    },
}

impl Rows<'_> {
    /// The cells of a column, one for each graph.
    fn cells(&self, name: &str) -> Result<Vec<String>, CommandError> {
        let (path, options, ids) = match self {
            Self::Molecules(table) => return cells(table, name),
            Self::Graphs { path, options, ids } => (path, options, ids),
        };
        let found = column(path, ids, options, (name, "--protocol")).map_err(OpenError::from)?;
        match found.iter().position(String::is_empty) {
            None => Ok(found),
            Some(graph) => {
                let message = format!("graph `{}`: column `{name}` is empty", ids[graph]);
                Err(CommandError::usage(message, None))
            }
        }
    }
}

fn grouped(groups: &[String], folds: usize, repeats: usize, seed: u64) -> Result<Vec<Split>, FoldError> {
    let groups: Vec<&str> = groups.iter().map(String::as_str).collect();
    group_folds(&groups, folds, repeats, seed)
}

/// The scaffold of each molecule: rings and what joins them. All molecules without a ring have the same.
fn scaffolds(table: &TableRead) -> Result<Vec<String>, CommandError> {
    let of_row = |&row: &usize| {
        scaffold(table.table.cell(row, table.smiles)).map_err(|fault| {
            CommandError::usage(
                format!("row {}: its scaffold {fault}", row + 1),
                Some("--on-error cannot skip it"),
            )
        })
    };
    table.kept.par_iter().map(of_row).collect()
}

/// The cells of a column, one for each molecule.
fn cells(table: &TableRead, column: &str) -> Result<Vec<String>, CommandError> {
    let header = table.table.header();
    let found = header.iter().position(|name| name == column);
    let found = found.or_else(|| header.iter().position(|name| name.eq_ignore_ascii_case(column)));
    let Some(found) = found else {
        let message = format!("--protocol names the column `{column}`; there are {}", header.join(", "));
        return Err(CommandError::usage(message, None));
    };
    let cell = |&row: &usize| match table.table.cell(row, found).trim() {
        "" => Err(CommandError::usage(format!("row {}: column `{column}` is empty", row + 1), None)),
        cell => Ok(cell.to_owned()),
    };
    table.kept.iter().map(cell).collect()
}

/// Places in time: numbers by their size, dates that are written from the year down by their text.
fn times(cells: &[String], column: &str) -> Result<Vec<Time>, CommandError> {
    let numbers: Option<Vec<f64>> =
        cells.iter().map(|cell| cell.parse().ok().filter(|v: &f64| v.is_finite())).collect();
    if let Some(numbers) = numbers {
        return Ok(numbers.into_iter().map(Time::Number).collect());
    }
    let is_date = |cell: &&String| {
        let (year, rest) = cell.split_at_checked(4).unwrap_or(("", ""));
        year.bytes().all(|c| c.is_ascii_digit()) && rest.starts_with('-')
    };
    match cells.iter().find(|cell| !is_date(cell)) {
        None => Ok(cells.iter().cloned().map(Time::Date).collect()),
        Some(cell) => {
            let message =
                format!("column `{column}` has `{cell}`, expected numbers, or dates such as 2024-05-31");
            Err(CommandError::usage(message, None))
        }
    }
}

/// A place in time.
#[derive(Clone, Debug)]
enum Time {
    Number(f64),
    Date(String),
}

impl Ord for Time {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => a.total_cmp(b),
            (Self::Date(a), Self::Date(b)) => a.cmp(b),
            (Self::Number(_), Self::Date(_)) => std::cmp::Ordering::Less,
            (Self::Date(_), Self::Number(_)) => std::cmp::Ordering::Greater,
        }
    }
}

impl PartialOrd for Time {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Time {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Time {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn protocols_are_written_as_documented() {
        assert_eq!("scaffold".parse(), Ok(Protocol::Scaffold));
        assert_eq!("group=batch".parse(), Ok(Protocol::Group("batch".to_owned())));
        assert_eq!("time=a=b".parse(), Ok(Protocol::Time("a=b".to_owned())));
        for wrong in ["", "group", "group=", "scaffold=x", "random"] {
            assert!(wrong.parse::<Protocol>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn times_are_numbers_or_dates() {
        let order = |cells: &[&str]| {
            let cells: Vec<String> = cells.iter().map(|&cell| cell.to_owned()).collect();
            let times = times(&cells, "t").map_err(|error| error.to_string())?;
            let mut order: Vec<usize> = (0..times.len()).collect();
            order.sort_by(|&a, &b| times[a].cmp(&times[b]));
            Ok::<_, String>(order)
        };
        assert_eq!(order(&["10", "9", "-1.5"]), Ok(vec![2, 1, 0]));
        assert_eq!(order(&["2024-05-31", "2023-12-01"]), Ok(vec![1, 0]));
        assert!(order(&["3/4/2020"]).unwrap_err().contains("expected numbers, or dates such as 2024-05-31"));
    }
}
