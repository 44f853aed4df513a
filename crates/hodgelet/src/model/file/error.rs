//! What can be wrong with a model file.

use super::VERSION;
use crate::model::ModelError;
use crate::output::OutputError;
use std::path::PathBuf;

/// What can go wrong when a model is saved or loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The file cannot be read.
    #[error("cannot read `{path}`: {source}", path = path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file cannot be written.
    #[error("cannot write `{path}`: {source}", path = path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Something that may not be replaced stands in the place of the file.
    #[error(transparent)]
    Refused(OutputError),
    /// The bytes are not laid out as a model file.
    #[error("not a model file: {reason}")]
    NotAModel {
        /// Why.
        reason: String,
    },
    /// The bytes end before what their header describes.
    #[error("truncated: {found} bytes, but the header describes {expected}")]
    Truncated {
        /// Bytes described.
        expected: u64,
        /// Bytes found.
        found: u64,
    },
    /// A file of the same layout that holds something else.
    #[error("format is `{found}`, expected `hodgelet-model`")]
    Format {
        /// What was found.
        found: String,
    },
    /// A version of the format that this program does not know.
    #[error("was written by a newer version (format {found}, this program reads {VERSION})")]
    Newer {
        /// Version of the file.
        found: u64,
    },
    /// A version that is none.
    #[error("format version is `{found}`, expected a whole number from 1")]
    Version {
        /// What was found.
        found: String,
    },
    /// A part of the header is missing.
    #[error("the header has no `{key}`")]
    Missing {
        /// The part.
        key: &'static str,
    },
    /// The content is not what was written.
    #[error("damaged: the checksum of the content is {found}, but the header says {expected}")]
    Checksum {
        /// According to the header.
        expected: String,
        /// Of the content.
        found: String,
    },
    /// The settings cannot be read.
    #[error("settings of the model: {reason}")]
    Settings {
        /// Why.
        reason: String,
    },
    /// A tensor is missing, of another kind or shape, or holds numbers that make no sense.
    #[error("tensor `{name}` {fault}")]
    Tensor {
        /// Name of the tensor.
        name: String,
        /// What is wrong with it.
        fault: String,
    },
    /// Parts that contradict each other.
    #[error("{fault}")]
    Inconsistent {
        /// How.
        fault: String,
    },
    /// A model that is larger than a file may hold.
    #[error("{what} would take {found} {unit}, but at most {limit} are allowed")]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// Of what there are too many.
        unit: &'static str,
        /// How many.
        found: u64,
        /// How many are allowed.
        limit: u64,
    },
    /// The posterior cannot be computed from what the file holds.
    #[error(transparent)]
    Model(#[from] ModelError),
}

impl FileError {
    /// A way out, where there is one.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::NotAModel { .. } | Self::Format { .. } => {
                Some("models are written by `hodgelet fit` or `Model::save`")
            }
            Self::Newer { .. } => Some("install a newer version of hodgelet"),
            Self::Truncated { .. } | Self::Checksum { .. } => {
                Some("copy the file again, or train the model again")
            }
            Self::Model(error) => error.hint(),
            _ => None,
        }
    }
}

impl From<OutputError> for FileError {
    fn from(error: OutputError) -> Self {
        match error {
            OutputError::Io { path, source } => Self::Write { path, source },
            error => Self::Refused(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_say_what_was_found_and_expected() {
        let io = || std::io::Error::other("no such thing");
        let cases: [(FileError, &str); 13] = [
            (FileError::Read { path: "a/b".into(), source: io() }, "cannot read `a/b`: no such thing"),
            (FileError::Write { path: "a/b".into(), source: io() }, "cannot write `a/b`: no such thing"),
            (FileError::NotAModel { reason: "text".into() }, "not a model file: text"),
            (
                FileError::Truncated { expected: 10, found: 7 },
                "truncated: 7 bytes, but the header describes 10",
            ),
            (FileError::Format { found: "pt".into() }, "format is `pt`, expected `hodgelet-model`"),
            (
                FileError::Newer { found: 7 },
                "was written by a newer version (format 7, this program reads 6)",
            ),
            (
                FileError::Version { found: "x".into() },
                "format version is `x`, expected a whole number from 1",
            ),
            (FileError::Missing { key: "model" }, "the header has no `model`"),
            (
                FileError::Checksum { expected: "aa".into(), found: "bb".into() },
                "damaged: the checksum of the content is bb, but the header says aa",
            ),
            (FileError::Settings { reason: "no kernel".into() }, "settings of the model: no kernel"),
            (
                FileError::Tensor { name: "inputs.0".into(), fault: "is missing".into() },
                "tensor `inputs.0` is missing",
            ),
            (FileError::Inconsistent { fault: "1 kernel, 2 blocks".into() }, "1 kernel, 2 blocks"),
            (
                FileError::TooLarge { what: "the posterior", unit: "numbers", found: 9, limit: 8 },
                "the posterior would take 9 numbers, but at most 8 are allowed",
            ),
        ];
        for (error, message) in cases {
            assert_eq!(error.to_string(), message);
        }
    }

    #[test]
    fn a_file_at_fault_has_a_way_out() {
        assert!(FileError::Newer { found: 7 }.hint().is_some());
        assert!(FileError::Truncated { expected: 1, found: 0 }.hint().is_some());
        assert!(FileError::Missing { key: "model" }.hint().is_none());
    }
}
