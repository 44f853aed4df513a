//! What can be wrong with splits, drawn or given.

use std::fmt;
use std::path::PathBuf;

/// One of the three parts of a [`Split`](super::Split).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// Items a model learns from.
    Train,
    /// Items set aside.
    Validation,
    /// Items a model is judged by.
    Test,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Train => "train",
            Self::Validation => "validation",
            Self::Test => "test",
        })
    }
}

/// What can be wrong with a k-fold split or its settings.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FoldError {
    /// Fewer folds than parts to fill.
    #[error("found {found} folds, expected at least {least}")]
    Folds {
        /// Number of folds.
        found: usize,
        /// 2, or 3 when one is set aside for validation.
        least: usize,
    },
    /// No repeat at all.
    #[error("found 0 repeats, expected at least 1")]
    Repeats,
    /// The seed of the last repeat is beyond what the generator takes.
    #[error("found seed {seed} with {repeats} repeats, expected seeds up to {}", u32::MAX)]
    Seed {
        /// Seed of the first repeat.
        seed: u64,
        /// Number of repeats.
        repeats: usize,
    },
    /// Fewer items than folds.
    #[error("found {items} items, expected at least one for each of {folds} folds")]
    Items {
        /// Number of items.
        items: usize,
        /// Number of folds.
        folds: usize,
    },
    /// Every class has fewer members than there are folds.
    #[error("the largest class has {members} members, expected at least one for each of {folds} folds")]
    Classes {
        /// Members of the largest class.
        members: usize,
        /// Number of folds.
        folds: usize,
    },
    /// Fewer groups than folds.
    #[error("found {groups} groups, expected at least one for each of {folds} folds")]
    Groups {
        /// Number of groups.
        groups: usize,
        /// Number of folds.
        folds: usize,
    },
    /// Too few different times.
    #[error("found {times} different times, expected at least {} for {folds} folds", folds + 1)]
    Times {
        /// Number of different times.
        times: usize,
        /// Number of folds.
        folds: usize,
    },
}

impl FoldError {
    /// A suggested fix, where there is one.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Folds { least: 3, .. } => Some("add the validation fold to the training part".into()),
            Self::Items { items: most, .. }
            | Self::Classes { members: most, .. }
            | Self::Groups { groups: most, .. }
                if *most >= 2 =>
            {
                Some(format!("use at most {most} folds"))
            }
            Self::Times { times, .. } if *times >= 2 => Some(format!("use at most {} folds", times - 1)),
            _ => None,
        }
    }
}

/// What can be wrong with the indices of a split; folds count from 0.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SplitError {
    /// There is no fold.
    #[error("found no fold, expected at least 1")]
    NoFold,
    /// A part that must hold items holds none.
    #[error("fold {fold}, {part}: found no item, expected at least 1")]
    Empty {
        /// The fold.
        fold: usize,
        /// The part.
        part: Part,
    },
    /// An index is out of range.
    #[error("fold {fold}, {part}: index {index}, but the dataset has {items} items")]
    Range {
        /// The fold.
        fold: usize,
        /// The part.
        part: Part,
        /// The index.
        index: usize,
        /// Number of items of the dataset.
        items: usize,
    },
    /// An index appears in two parts, or twice in one.
    #[error("fold {fold}, {part}: index {index} is already in {other}, expected each item once")]
    Overlap {
        /// The fold.
        fold: usize,
        /// The part that names it again.
        part: Part,
        /// The index.
        index: usize,
        /// The part that named it first.
        other: Part,
    },
}

/// What can be wrong with a file of splits.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SplitFileError {
    /// A file or folder cannot be read.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// The text is not JSON, or not JSON of a known shape.
    #[error("{file}: {message}")]
    Json {
        /// The file.
        file: String,
        /// What is wrong, and where.
        message: String,
    },
    /// A line of a text file is not an index.
    #[error("{file}, line {line}: found `{found}`, expected an index")]
    Index {
        /// The file.
        file: String,
        /// The line, from 1.
        line: usize,
        /// What was found.
        found: String,
    },
    /// The name of a text file does not say which fold it belongs to.
    #[error("{file}: found no number in the name, expected that of a fold")]
    Name {
        /// The file.
        file: String,
    },
    /// Two text files hold the same part of the same fold.
    #[error("{file}: found a second file for the {part} part of fold {number}, expected one")]
    Twice {
        /// The second file.
        file: String,
        /// The part.
        part: Part,
        /// The number of the fold in the name.
        number: u64,
    },
    /// The indices do not split the dataset.
    #[error("{file}: {source}")]
    Split {
        /// The file or folder.
        file: String,
        /// What is wrong with them.
        source: SplitError,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_folds_say_what_was_found_and_expected() {
        let cases = [
            (FoldError::Folds { found: 1, least: 2 }, "found 1 folds, expected at least 2"),
            (FoldError::Repeats, "found 0 repeats, expected at least 1"),
            (
                FoldError::Seed { seed: 4_294_967_295, repeats: 2 },
                "found seed 4294967295 with 2 repeats, expected seeds up to 4294967295",
            ),
            (
                FoldError::Items { items: 4, folds: 10 },
                "found 4 items, expected at least one for each of 10 folds",
            ),
            (
                FoldError::Classes { members: 3, folds: 5 },
                "the largest class has 3 members, expected at least one for each of 5 folds",
            ),
        ];
        for (error, message) in cases {
            assert_eq!(error.to_string(), message);
        }
    }

    #[test]
    fn hints_offer_a_way_out_where_there_is_one() {
        let hint = |error: FoldError| error.hint();
        assert_eq!(hint(FoldError::Classes { members: 3, folds: 5 }).unwrap(), "use at most 3 folds");
        assert_eq!(hint(FoldError::Items { items: 1, folds: 5 }), None);
        let aside = FoldError::Folds { found: 2, least: 3 };
        assert_eq!(hint(aside).unwrap(), "add the validation fold to the training part");
    }

    #[test]
    fn messages_of_indices_name_fold_part_and_index() {
        let cases = [
            (SplitError::NoFold, "found no fold, expected at least 1"),
            (
                SplitError::Empty { fold: 2, part: Part::Train },
                "fold 2, train: found no item, expected at least 1",
            ),
            (
                SplitError::Range { fold: 0, part: Part::Test, index: 9, items: 9 },
                "fold 0, test: index 9, but the dataset has 9 items",
            ),
            (
                SplitError::Overlap { fold: 1, part: Part::Test, index: 3, other: Part::Validation },
                "fold 1, test: index 3 is already in validation, expected each item once",
            ),
        ];
        for (error, message) in cases {
            assert_eq!(error.to_string(), message);
        }
    }

    #[test]
    fn messages_of_files_name_file_and_line() {
        let file = || "a.txt".to_string();
        let source = || std::io::Error::other("no");
        let cases = [
            (SplitFileError::Io { path: "a.txt".into(), source: source() }, "a.txt: no"),
            (SplitFileError::Json { file: file(), message: "bad".into() }, "a.txt: bad"),
            (
                SplitFileError::Index { file: file(), line: 3, found: "x".into() },
                "a.txt, line 3: found `x`, expected an index",
            ),
            (
                SplitFileError::Name { file: file() },
                "a.txt: found no number in the name, expected that of a fold",
            ),
            (
                SplitFileError::Twice { file: file(), part: Part::Test, number: 4 },
                "a.txt: found a second file for the test part of fold 4, expected one",
            ),
            (
                SplitFileError::Split { file: file(), source: SplitError::NoFold },
                "a.txt: found no fold, expected at least 1",
            ),
        ];
        for (error, message) in cases {
            assert_eq!(error.to_string(), message);
        }
    }
}
