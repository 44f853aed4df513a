//! Tables of what is known of graphs as a whole: numbers, and fingerprints.
//!
//! A table is a CSV file with a head and a row for each graph. With a column `id` rows are matched with the names of graphs,
//! in any order; without one they are in the order of the graphs.
//!
//! - Numbers: every other column is one.
//! - Fingerprints: one other column, whose cells are bits (`0101…`, at least 16 of them), or tags with how often they appear:
//!   `17 203:2 951`.

use hodgelet::dataset::{Column, ColumnValues, Dataset, DatasetError, GramError, WHOLE};
use hodgelet::signal::Orientation;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Most that a tag may be counted.
const MOST_COUNTS: u32 = 1 << 16;

/// Fewest characters of a cell of bits.
const FEWEST_BITS: usize = 16;

/// What can be wrong with a table of graphs.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OwnError {
    /// The file cannot be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        source: std::io::Error,
    },
    /// A row that is not what was expected.
    #[error("{}, line {line}: found {found}, expected {expected}", path.display())]
    Row {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: u64,
        /// What was found.
        found: String,
        /// What was expected.
        expected: String,
    },
    /// The table does not have the rows of the graphs.
    #[error("{}: {fault}", path.display())]
    Rows {
        /// The file.
        path: PathBuf,
        /// What is missing, or too many.
        fault: String,
    },
    /// A matrix that is not what was expected.
    #[error("{}: {source}", path.display())]
    Gram {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: GramError,
    },
    /// The columns do not fit the dataset.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
}

impl OwnError {
    /// A way out, where there is one.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Row { .. } => {
                Some("tables of graphs hold finite numbers; give categories one column of 0 and 1 each")
            }
            Self::Rows { .. } => {
                Some("a column `id` matches rows with the names of graphs; without it their order does")
            }
            Self::Gram { source, .. } => source.hint(),
            _ => None,
        }
    }
}

/// A table as it is in the file.
struct Table {
    path: PathBuf,
    head: Vec<String>, // without `id`
    /// For each graph, the line and the cells of its row.
    rows: Vec<(u64, Vec<String>)>,
}

/// The dataset with a column for each column of numbers of the table `path`; `ids` are the names of its graphs, or none.
///
/// # Errors
///
/// [`OwnError`] names file, line and column.
pub fn with_columns(dataset: Dataset, path: &Path, ids: &[String]) -> Result<Dataset, OwnError> {
    let Table { path, head, rows } = Table::read(path, dataset.len(), ids)?;
    let starts: Vec<usize> = (0..=dataset.len()).collect();
    let mut dataset = dataset;
    for (c, name) in head.iter().enumerate() {
        let number = |(line, cells): &(u64, Vec<String>)| match cells[c].trim().parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            _ => Err(OwnError::Row {
                path: path.clone(),
                line: *line,
                found: format!("`{}` in column `{name}`", cells[c].chars().take(40).collect::<String>()),
                expected: "a finite number".to_owned(),
            }),
        };
        let values = rows.iter().map(number).collect::<Result<Vec<f64>, _>>()?;
        let values = ColumnValues::Real { channels: vec!["0".to_owned()], values };
        dataset = dataset.with_column(own(name, starts.clone(), values))?;
    }
    Ok(dataset)
}

/// The dataset with the fingerprints of the table `path`; `ids` are the names of its graphs, or none.
///
/// # Errors
///
/// [`OwnError`] names file, line and column.
pub fn with_fingerprints(dataset: Dataset, path: &Path, ids: &[String]) -> Result<Dataset, OwnError> {
    let Table { path, head, rows } = Table::read(path, dataset.len(), ids)?;
    let mut dataset = dataset;
    for (c, name) in head.iter().enumerate() {
        let (mut starts, mut tags) = (vec![0], Vec::new());
        for (line, cells) in &rows {
            let fault = |found: &str| OwnError::Row {
                path: path.clone(),
                line: *line,
                found: format!("`{}` in column `{name}`", found.chars().take(40).collect::<String>()),
                expected: "bits (at least 16 characters 0 and 1), or tags such as `17 203:2`".to_owned(),
            };
            tags.extend(tags_of(&cells[c]).map_err(|found| fault(&found))?);
            starts.push(tags.len());
        }
        let mut categories: Vec<String> = tags.clone();
        categories.sort_unstable();
        categories.dedup();
        let code: HashMap<&str, u32> = categories.iter().map(String::as_str).zip(0..).collect();
        let codes = tags.iter().map(|tag| code[tag.as_str()]).collect();
        dataset = dataset.with_column(own(name, starts, ColumnValues::Labels { categories, codes }))?;
    }
    Ok(dataset)
}

fn own(name: &str, starts: Vec<usize>, values: ColumnValues) -> Column {
    Column { name: name.to_owned(), dim: WHOLE, orientation: Orientation::Unoriented, starts, values }
}

/// The tags of one cell, each as often as it is counted.
fn tags_of(cell: &str) -> Result<Vec<String>, String> {
    let cell = cell.trim();
    if cell.len() >= FEWEST_BITS && cell.bytes().all(|byte| matches!(byte, b'0' | b'1')) {
        let set = cell.bytes().enumerate().filter(|(_, byte)| *byte == b'1');
        return Ok(set.map(|(bit, _)| bit.to_string()).collect());
    }
    let mut tags = Vec::new();
    for word in cell.split_whitespace() {
        let (tag, count) = match word.rsplit_once(':') {
            Some((tag, count)) => (tag, count.parse::<u32>().map_err(|_| word.to_owned())?),
            None => (word, 1),
        };
        if tag.is_empty() || count > MOST_COUNTS {
            return Err(word.to_owned());
        }
        tags.extend(std::iter::repeat_n(tag.to_owned(), count as usize));
    }
    Ok(tags)
}

impl Table {
    fn read(path: &Path, n: usize, ids: &[String]) -> Result<Self, OwnError> {
        let path = path.to_owned();
        let file =
            std::fs::File::open(&path).map_err(|source| OwnError::Io { path: path.clone(), source })?;
        let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(std::io::BufReader::new(file));
        let broken = |error: &csv::Error, line: u64| OwnError::Row {
            path: path.clone(),
            line: error.position().map_or(line, csv::Position::line),
            found: "what is not CSV".to_owned(),
            expected: "cells separated by commas, in UTF-8".to_owned(),
        };
        let mut head: Vec<String> = reader
            .headers()
            .map_err(|error| broken(&error, 1))?
            .iter()
            .map(|name| name.trim().to_owned())
            .collect();
        let id_place = head.iter().position(|name| name == "id");
        let width = head.len();
        if let Some(place) = id_place {
            head.remove(place);
        }
        let row = |line: u64, found: String, expected: String| OwnError::Row {
            path: path.clone(),
            line,
            found,
            expected,
        };
        if head.is_empty() || head.iter().any(String::is_empty) {
            return Err(row(1, "a head without names".to_owned(), "a name for each column".to_owned()));
        }
        if let Some(name) =
            head.iter().enumerate().find(|(i, name)| head[..*i].contains(name)).map(|(_, name)| name)
        {
            return Err(row(1, format!("`{name}` twice"), "distinct names".to_owned()));
        }
        let mut found: Vec<(u64, Option<String>, Vec<String>)> = Vec::new();
        for record in reader.records() {
            let record = record.map_err(|error| broken(&error, 0))?;
            let line = record.position().map_or(0, csv::Position::line);
            if record.len() != width {
                return Err(row(line, format!("{} cells", record.len()), width.to_string()));
            }
            let mut cells: Vec<String> = record.iter().map(str::to_owned).collect();
            let id = id_place.map(|place| cells.remove(place).trim().to_owned());
            found.push((line, id, cells));
        }
        let rows = match id_place {
            None => in_order(&path, n, found)?,
            Some(_) => by_id(&path, ids, n, found)?,
        };
        Ok(Self { path, head, rows })
    }
}

type Found = Vec<(u64, Option<String>, Vec<String>)>;

fn in_order(path: &Path, n: usize, found: Found) -> Result<Vec<(u64, Vec<String>)>, OwnError> {
    if found.len() != n {
        let fault = format!("{} rows, expected {n}, one for each graph", found.len());
        return Err(OwnError::Rows { path: path.to_owned(), fault });
    }
    Ok(found.into_iter().map(|(line, _, cells)| (line, cells)).collect())
}

fn by_id(path: &Path, ids: &[String], n: usize, found: Found) -> Result<Vec<(u64, Vec<String>)>, OwnError> {
    let rows = |fault: String| OwnError::Rows { path: path.to_owned(), fault };
    // Without names, graphs are called by their numbers.
    let numbers: Vec<String> = (0..n).map(|i| i.to_string()).collect();
    let ids = if ids.is_empty() { &numbers } else { ids };
    let mut by_id: HashMap<String, (u64, Vec<String>)> = HashMap::new();
    for (line, id, cells) in found {
        let id = id.unwrap_or_default();
        if let Some((first, _)) = by_id.insert(id.clone(), (line, cells)) {
            return Err(rows(format!("graph `{id}` in lines {first} and {line}")));
        }
    }
    let take = |id: &String| by_id.get(id).cloned().ok_or_else(|| rows(format!("no row for graph `{id}`")));
    ids.iter().map(take).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hodgelet::complex::Complex;
    use hodgelet::dataset::Targets;

    fn three() -> Dataset {
        let graphs = (2..5).map(|n| Complex::graph(n, &[[0, 1]]).unwrap()).collect();
        Dataset::new("three", graphs, Vec::new(), Targets::None).unwrap()
    }

    fn file(text: &str) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        file
    }

    #[test]
    fn rows_are_matched_by_order_or_by_name() {
        let plain = file("age,dose\n1,10\n2,20\n3,30\n");
        let dataset = with_columns(three(), plain.path(), &[]).unwrap();
        let values = |name: &str| match &dataset.column(WHOLE, name).unwrap().values {
            ColumnValues::Real { values, .. } => values.clone(),
            ColumnValues::Labels { .. } => panic!("numbers were given"),
        };
        assert_eq!((values("age"), values("dose")), (vec![1.0, 2.0, 3.0], vec![10.0, 20.0, 30.0]));
        let shuffled = file("dose,id,age\n30,c,3\n10,a,1\n20,b,2\n40,d,4\n");
        let ids = ["a", "b", "c"].map(str::to_owned);
        let named = with_columns(three(), shuffled.path(), &ids).unwrap();
        assert_eq!(named.column(WHOLE, "age"), dataset.column(WHOLE, "age"));
        assert_eq!(named.select(&[2]).column(WHOLE, "dose").unwrap().starts, [0, 1]);
    }

    #[test]
    fn fingerprints_are_bits_or_counts() {
        let bits = file("fp\n0100000000000001\n0000000000000000\n1100000000000000\n");
        let dataset = with_fingerprints(three(), bits.path(), &[]).unwrap();
        assert_eq!(dataset.column(WHOLE, "fp").unwrap().starts, [0, 2, 2, 4]);
        let counts = file("fp\n1 15\n\"\"\n0:1 1:2\n");
        let dataset = with_fingerprints(three(), counts.path(), &[]).unwrap();
        assert_eq!(dataset.column(WHOLE, "fp").unwrap().starts, [0, 2, 2, 5]);
    }

    #[test]
    fn each_fault_is_named_with_its_line() {
        let error = |text: &str| {
            let file = file(text);
            let found = with_columns(three(), file.path(), &[]).unwrap_err();
            assert!(found.hint().is_some());
            found
                .to_string()
                .rsplit_once("tmp")
                .map_or_else(|| found.to_string(), |(_, rest)| rest.to_owned())
        };
        assert!(error("a\n1\n2\n").ends_with(": 2 rows, expected 3, one for each graph"));
        assert!(error("a\n1\nx\n3\n").ends_with("line 3: found `x` in column `a`, expected a finite number"));
        assert!(error("a\n1\nnan\n3\n").contains("`nan`"));
        assert!(error("a,a\n1,1\n2,2\n3,3\n").contains("`a` twice"));
        assert!(error("a,b\n1\n2,2\n3,3\n").contains("line 2: found 1 cells, expected 2"));
        assert!(error("id,a\n0,1\n0,2\n2,3\n").contains("graph `0` in lines 2 and 3"));
        assert!(error("id,a\n0,1\n1,2\n3,3\n").contains("no row for graph `2`"));
        let tags = file("fp\nx:y\n1\n2\n");
        assert!(with_fingerprints(three(), tags.path(), &[]).unwrap_err().to_string().contains("`x:y`"));
    }
}
