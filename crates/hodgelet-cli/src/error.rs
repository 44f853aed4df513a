//! What can end a command early: whether the input or the program is to blame, and a suggested fix.

use crate::download::DownloadError;
use hodgelet::complex::{ComplexError, HomologyError};
use hodgelet::dataset::DatasetError;
use hodgelet::encode::EncodeError;
use hodgelet::feature::FourierError;
use hodgelet::hodge::HodgeError;
use hodgelet::measure::MeasureError;
use hodgelet::model::{FileError, ModelError};
use hodgelet::output::OutputError;
use hodgelet::store::StoreError;
use hodgelet::wavelet::BankError;
use hodgelet_data::OpenError;
use hodgelet_data::generate::GenerateError;
use hodgelet_data::jsonl::JsonlError;
use hodgelet_data::own::OwnError;
use hodgelet_eval::audit::AuditError;
use hodgelet_eval::cross_validate::CrossValidateError;
use std::io;
use std::path::{Path, PathBuf};

/// Exit status when the input was at fault, bad flags included.
pub const INPUT_AT_FAULT: u8 = 1;
/// Exit status when the user interrupted the command, as shells have it.
pub const INTERRUPTED_STATUS: u8 = 130;
/// Exit status when the program was at fault.
pub const PROGRAM_AT_FAULT: u8 = 2;

/// What can end a command early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CommandError {
    /// A flag that is invalid with the others or with the data.
    #[error("{message}")]
    Usage {
        /// What was found and what was expected.
        message: String,
        /// A suggested fix.
        hint: Option<String>,
    },
    /// There is no such dataset.
    #[error("{source}")]
    UnknownDataset {
        /// What was tried.
        source: Box<OpenError>,
        /// Names that are near, or where to get it.
        hint: Option<String>,
    },
    /// A file cannot be written.
    #[error("{}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// Something that may not be replaced stands in the place of a file.
    #[error(transparent)]
    Refused(OutputError),
    /// The result cannot be written to standard output.
    #[error("standard output: {0}")]
    Stdout(io::Error),
    /// The user interrupted the command.
    #[error("interrupted")]
    Interrupted,
    /// From reading a dataset.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// From putting a dataset together.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    /// From drawing a built-in dataset.
    #[error(transparent)]
    Generate(#[from] GenerateError),
    /// From writing a dataset.
    #[error(transparent)]
    Jsonl(JsonlError),
    /// From a table of graphs.
    #[error(transparent)]
    Own(#[from] OwnError),
    /// From a download.
    #[error(transparent)]
    Download(Box<DownloadError>),
    /// From between a dataset and its features.
    #[error(transparent)]
    Model(ModelError),
    /// From a store of measures.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// From saving or loading a model.
    #[error("{}", file_message(path, source))]
    ModelFile {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: FileError,
    },
    /// From cross-validation.
    #[error(transparent)]
    CrossValidate(CrossValidateError),
    /// From the Hodge decomposition.
    #[error(transparent)]
    Hodge(#[from] HodgeError),
    /// From homology.
    #[error("graph {index}: {source}")]
    Homology {
        /// The graph, from 0.
        index: usize,
        /// What is wrong.
        source: HomologyError,
    },
    /// A violated invariant: a bug.
    #[error("{0}, which is a bug in hodgelet")]
    Program(&'static str),
}

impl CommandError {
    /// A mistake in the flags, with a suggested fix where there is one.
    pub fn usage(message: impl Into<String>, hint: Option<&str>) -> Self {
        Self::Usage { message: message.into(), hint: hint.map(str::to_owned) }
    }

    /// A suggested fix, where there is one.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        let own = |hint: Option<&'static str>| hint.map(str::to_owned);
        match self {
            Self::Usage { hint, .. } | Self::UnknownDataset { hint, .. } => hint.clone(),
            Self::Write { source, .. } if source.kind() == io::ErrorKind::NotFound => {
                Some("the directory of the file must exist".to_owned())
            }
            Self::Refused(error) => Some(match error.can_be_forced() {
                true => "choose another name, or replace it with --force".to_owned(),
                false => "choose another name".to_owned(),
            }),
            Self::Open(OpenError::Table(error)) => own(error.hint()),
            Self::Open(OpenError::Graphs(error)) => own(error.hint()),
            Self::Open(OpenError::Networks(error)) => own(error.hint()),
            Self::Open(OpenError::Mantra(error)) => own(error.hint()),
            Self::Open(OpenError::NoDataset { has_texts: true, .. }) => Some(
                "lists of edges are read where their names end in .csv, .tsv, .edgelist or .edges".to_owned(),
            ),
            Self::Download(error) => own(error.hint()),
            Self::Model(ModelError::Measure(MeasureError::Complex { source, .. })) => own(source.hint()),
            Self::Model(ModelError::Encode(error)) => own(encode_hint(error)),
            Self::Model(ModelError::NoBlocks) => {
                Some("choose signals with --vertices and --edges, such as --edges constant".to_owned())
            }
            Self::Model(error) => own(error.hint()),
            Self::ModelFile { source, .. } => own(source.hint()),
            Self::Store(error) => own(error.hint()),
            Self::Own(error) => own(error.hint()),
            Self::CrossValidate(error) => own(error.hint()),
            Self::Hodge(error) => own(error.hint()),
            Self::Homology { source, .. } => own(source.hint()),
            _ => None,
        }
    }

    /// The exit status: 1 when the input was at fault, 2 when the program was, 130 when the user interrupted it.
    #[must_use]
    pub fn status(&self) -> u8 {
        let stuck = |error: &HodgeError| matches!(error, HodgeError::NotConverged(_));
        let program = match self {
            Self::Program(_) => true,
            Self::Hodge(error) => stuck(error),
            Self::Model(ModelError::Measure(MeasureError::Complex { source, .. })) => stuck(source),
            _ => false,
        };
        match self {
            Self::Interrupted => INTERRUPTED_STATUS,
            _ if program => PROGRAM_AT_FAULT,
            _ => INPUT_AT_FAULT,
        }
    }
}

/// The message of a model file, with its name once.
fn file_message(path: &Path, error: &FileError) -> String {
    match error {
        FileError::Read { .. } | FileError::Write { .. } => error.to_string(),
        other => format!("{}: {other}", path.display()),
    }
}

fn encode_hint(error: &EncodeError) -> Option<&'static str> {
    match error {
        EncodeError::NoColumns { dim: 0 } => Some("choose another vertex signal, such as --vertices degree"),
        EncodeError::NoColumns { dim: 1 } => Some("--edges constant puts a one on every edge"),
        EncodeError::NoChannels { .. } => Some("choose another vertex signal, such as --vertices degree"),
        _ => None,
    }
}

impl From<ModelError> for CommandError {
    fn from(error: ModelError) -> Self {
        match error {
            ModelError::Cancelled | ModelError::Measure(MeasureError::Cancelled { .. }) => Self::Interrupted,
            error => Self::Model(error),
        }
    }
}

impl From<CrossValidateError> for CommandError {
    fn from(error: CrossValidateError) -> Self {
        if error.is_cancelled() { Self::Interrupted } else { Self::CrossValidate(error) }
    }
}

impl From<AuditError> for CommandError {
    fn from(error: AuditError) -> Self {
        match error {
            AuditError::Model(error) => error.into(),
            error => Self::usage(error.to_string(), None),
        }
    }
}

impl From<OutputError> for CommandError {
    fn from(error: OutputError) -> Self {
        match error {
            OutputError::Io { path, source } => Self::Write { path, source },
            error => Self::Refused(error),
        }
    }
}

impl From<JsonlError> for CommandError {
    fn from(error: JsonlError) -> Self {
        match error {
            JsonlError::Io { path, source } => Self::Write { path, source },
            JsonlError::Refused(error) => Self::Refused(error),
            error => Self::Jsonl(error),
        }
    }
}

impl From<DownloadError> for CommandError {
    fn from(error: DownloadError) -> Self {
        Self::Download(Box::new(error))
    }
}

/// Errors that the pipeline wraps already.
macro_rules! by_model {
    ($($error:ty),+) => {
        $(impl From<$error> for CommandError {
            fn from(error: $error) -> Self {
                ModelError::from(error).into()
            }
        })+
    };
}
by_model!(BankError, ComplexError, EncodeError, FourierError, MeasureError);

#[cfg(test)]
mod tests {
    use super::*;
    use hodgelet::linalg::NotConverged;

    #[test]
    fn only_trouble_of_the_program_itself_has_status_2() {
        let stuck = HodgeError::NotConverged(NotConverged { size: 3 });
        assert_eq!(CommandError::from(stuck.clone()).status(), 2);
        let measured = MeasureError::Complex { index: 4, source: stuck };
        assert_eq!(CommandError::from(measured).status(), 2);
        assert_eq!(CommandError::from(HodgeError::Overflow { dim: 1 }).status(), 1);
        assert_eq!(CommandError::Interrupted.status(), 130);
        let broken = CommandError::Program("the loaded model predicts something else");
        assert_eq!(broken.status(), 2);
        assert_eq!(
            broken.to_string(),
            "the loaded model predicts something else, which is a bug in hodgelet"
        );
    }

    #[test]
    fn a_model_file_at_fault_is_named_once() {
        let message = |source| CommandError::ModelFile { path: "a.hodgelet".into(), source }.to_string();
        assert_eq!(
            message(FileError::Truncated { expected: 9, found: 7 }),
            "a.hodgelet: truncated: 7 bytes, but the header describes 9"
        );
        let read = FileError::Read { path: "a.hodgelet".into(), source: io::Error::other("gone") };
        assert_eq!(message(read), "cannot read `a.hodgelet`: gone");
    }

    #[test]
    fn a_stop_asked_for_is_an_interruption_whoever_reports_it() {
        let stopped = CommandError::from(MeasureError::Cancelled { done: 3 });
        assert!(matches!(stopped, CommandError::Interrupted));
        assert_eq!(stopped.to_string(), "interrupted");
    }

    #[test]
    fn hints_of_the_library_come_through() {
        let error = CommandError::from(EncodeError::NoColumns { dim: 1 });
        assert_eq!(error.hint().as_deref(), Some("--edges constant puts a one on every edge"));
        let measured = MeasureError::Complex { index: 4, source: HodgeError::Overflow { dim: 1 } };
        assert_eq!(CommandError::from(measured).hint().as_deref(), Some("rescale the signal"));
    }
}
