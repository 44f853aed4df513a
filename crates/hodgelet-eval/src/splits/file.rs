//! Splits from files.
//!
//! | what | shape |
//! | --- | --- |
//! | JSON, lists of indices | `[{"train": [..], "test": [..], "validation": [..]}, ..]`, validation optional, `repeat` and `fold` too |
//! | JSON of Errica et al. | `[{"test": [..], "model_selection": [{"train": [..], "validation": [..]}, ..]}, ..]` |
//! | a folder of text files | one `.txt` file per fold with its test indices, separated by blanks, commas or lines |
//!
//! Indices count from 0. Of several `model_selection` entries the first is taken: they divide the same items.
//! In a folder the last number in a name is that of the fold; files whose names start with `train` or `val` hold
//! those parts (`train_idx-1.txt` beside `test_idx-1.txt`). Where no file gives the training part, it is all
//! items of the dataset that the others leave.

use super::{Part, Split, SplitError, SplitFileError};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::Path;

/// The splits of a JSON file or a folder of text files, for a dataset of `items` items.
///
/// # Errors
///
/// [`SplitFileError`] names the file, and the line or the fold at fault.
pub fn read(path: &Path, items: usize) -> Result<Vec<Split>, SplitFileError> {
    if path.is_dir() {
        return read_folder(path, items);
    }
    parse_json(&read_text(path)?, &path.display().to_string(), items)
}

/// The splits in a JSON text; `file` names it in errors.
///
/// # Errors
///
/// [`SplitFileError::Json`] for another shape, [`SplitFileError::Split`] for indices that do not split `items`
/// items.
pub fn parse_json(text: &str, file: &str, items: usize) -> Result<Vec<Split>, SplitFileError> {
    let json = |e: serde_json::Error| SplitFileError::Json { file: file.into(), message: e.to_string() };
    let values = match hodgelet::json::parse(text.as_bytes()).map_err(json)? {
        serde_json::Value::Array(values) => values,
        other => serde_json::from_value(other).map_err(json)?,
    };
    let mut splits = Vec::with_capacity(values.len());
    for (fold, value) in values.into_iter().enumerate() {
        let at_fold = |e: serde_json::Error| SplitFileError::Json {
            file: file.into(),
            message: format!("fold {fold}: {e}"),
        };
        splits.push(if value.get("model_selection").is_some() {
            outer_fold(serde_json::from_value(value).map_err(at_fold)?, fold)
        } else {
            listed_fold(serde_json::from_value(value).map_err(at_fold)?, fold)
        });
    }
    checked(splits, file, items)
}

/// A fold as lists of indices.
#[derive(Deserialize)]
#[serde(
    expecting = "an object with lists of indices `train` and `test`, and where there is one `validation`"
)]
struct Listed {
    repeat: Option<usize>,
    fold: Option<usize>,
    train: Vec<usize>,
    #[serde(default)]
    validation: Vec<usize>,
    test: Vec<usize>,
}

fn listed_fold(listed: Listed, position: usize) -> Split {
    let Listed { repeat, fold, train, validation, test } = listed;
    Split { repeat: repeat.unwrap_or(0), fold: fold.unwrap_or(position), train, validation, test }
}

/// An outer fold in the format of Errica et al., *A fair comparison of graph neural networks for graph
/// classification* (2020).
#[derive(Deserialize)]
#[serde(expecting = "an object with a list of indices `test` and a list `model_selection`")]
struct Outer {
    test: Vec<usize>,
    model_selection: Vec<Inner>,
}

#[derive(Default, Deserialize)]
#[serde(expecting = "an object with lists of indices `train` and `validation`")]
struct Inner {
    train: Vec<usize>,
    #[serde(default)]
    validation: Vec<usize>,
}

fn outer_fold(outer: Outer, fold: usize) -> Split {
    let Inner { train, validation } = outer.model_selection.into_iter().next().unwrap_or_default();
    Split { repeat: 0, fold, train, validation, test: outer.test }
}

/// Text files of indices, grouped by the number in their names.
fn read_folder(path: &Path, items: usize) -> Result<Vec<Split>, SplitFileError> {
    let mut folds: BTreeMap<u64, Split> = BTreeMap::new();
    let mut seen = Vec::new();
    for path in text_files(path)? {
        let file = path.display().to_string();
        let stem = path.file_stem().map(|s| s.to_string_lossy().to_lowercase()).unwrap_or_default();
        let number = last_number(&stem).ok_or_else(|| SplitFileError::Name { file: file.clone() })?;
        let part = part_of(&stem);
        if seen.contains(&(number, part)) {
            return Err(SplitFileError::Twice { file, part, number });
        }
        seen.push((number, part));
        let indices = parse_indices(&read_text(&path)?, &file)?;
        let split = folds.entry(number).or_default();
        match part {
            Part::Train => split.train = indices,
            Part::Validation => split.validation = indices,
            Part::Test => split.test = indices,
        }
    }
    let splits = folds.into_iter().enumerate().map(|(fold, (number, mut split))| {
        split.fold = fold;
        if !seen.contains(&(number, Part::Train)) {
            split.train = rest(&split, items);
        }
        split
    });
    checked(splits.collect(), &path.display().to_string(), items)
}

/// The text files of a folder, by name.
fn text_files(folder: &Path) -> Result<Vec<std::path::PathBuf>, SplitFileError> {
    let io = |source| SplitFileError::Io { path: folder.into(), source };
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(io)? {
        let path = entry.map_err(io)?.path();
        if path.extension().is_some_and(|e| e.eq_ignore_ascii_case("txt")) {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

fn read_text(path: &Path) -> Result<String, SplitFileError> {
    std::fs::read_to_string(path).map_err(|source| SplitFileError::Io { path: path.into(), source })
}

/// The part a file holds, by how its name starts; test by default.
fn part_of(stem: &str) -> Part {
    if stem.starts_with("train") {
        Part::Train
    } else if stem.starts_with("val") {
        Part::Validation
    } else {
        Part::Test
    }
}

/// The last run of digits in a name.
fn last_number(stem: &str) -> Option<u64> {
    let end = stem.rfind(|c: char| c.is_ascii_digit())? + 1;
    let start = stem[..end].trim_end_matches(|c: char| c.is_ascii_digit()).len();
    stem[start..end].parse().ok()
}

/// Indices separated by blanks, commas or lines.
fn parse_indices(text: &str, file: &str) -> Result<Vec<usize>, SplitFileError> {
    let mut indices = Vec::new();
    for (line, content) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let fields = content.split(|c: char| c == ',' || c.is_whitespace()).filter(|field| !field.is_empty());
        for field in fields {
            let index = field.parse().map_err(|_| SplitFileError::Index {
                file: file.into(),
                line: line + 1,
                found: field.into(),
            })?;
            indices.push(index);
        }
    }
    Ok(indices)
}

/// The items that neither validation nor test part names.
fn rest(split: &Split, items: usize) -> Vec<usize> {
    let mut free = vec![true; items];
    for &index in split.validation.iter().chain(&split.test) {
        if let Some(place) = free.get_mut(index) {
            *place = false; // an index beyond the dataset is left to `check`
        }
    }
    (0..items).filter(|&i| free[i]).collect()
}

/// The splits, each of them valid.
fn checked(splits: Vec<Split>, file: &str, items: usize) -> Result<Vec<Split>, SplitFileError> {
    let fault = |source| SplitFileError::Split { file: file.into(), source };
    if splits.is_empty() {
        return Err(fault(SplitError::NoFold));
    }
    splits.iter().try_for_each(|split| split.check(items)).map_err(fault)?;
    Ok(splits)
}

#[cfg(test)]
mod tests;
