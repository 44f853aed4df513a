//! From errors of the library to exceptions of the package.

use hodgelet::gp::GpError;
use hodgelet::hodge::HodgeError;
use hodgelet::measure::MeasureError;
use hodgelet::model::{FileError, ModelError};
use hodgelet_cli::error::CommandError;
use pyo3::PyErr;
use pyo3::exceptions::PyKeyboardInterrupt;
use std::fmt::Display;

pyo3::import_exception!(hodgelet._errors, HodgeletError);
pyo3::import_exception!(hodgelet._errors, HodgeletInputError);
pyo3::import_exception!(hodgelet._errors, HodgeletFileError);

/// What went wrong, by the exception it becomes.
#[derive(Debug)]
pub enum Fault {
    /// Graphs, targets or settings are invalid.
    Input(String),
    /// A file cannot be read or written, with the number of the system's error.
    File(Option<i32>, String),
    /// A numerical failure.
    Numerical(String),
    /// The user asked to stop.
    Cancelled,
    /// A panic: a bug in hodgelet.
    Panic(String),
}

impl Fault {
    /// An error of the input.
    pub fn input(message: impl Display) -> Self {
        Self::Input(message.to_string())
    }
}

/// `message; hint`, as one line.
fn with_hint(message: impl Display, hint: Option<impl Display>) -> String {
    match hint {
        Some(hint) => format!("{message}; {hint}"),
        None => message.to_string(),
    }
}

impl From<ModelError> for Fault {
    fn from(error: ModelError) -> Self {
        let stuck = |source: &HodgeError| matches!(source, HodgeError::NotConverged(_));
        let message = with_hint(&error, error.hint());
        match &error {
            ModelError::Cancelled | ModelError::Measure(MeasureError::Cancelled { .. }) => Self::Cancelled,
            ModelError::Measure(MeasureError::Complex { source, .. }) if stuck(source) => {
                Self::Numerical(message)
            }
            ModelError::Measure(MeasureError::Complex { index, source }) => {
                Self::Input(with_hint(format!("graph {index}: {source}"), source.hint()))
            }
            ModelError::Gp(_) | ModelError::Training { .. } => Self::Numerical(message),
            _ => Self::Input(message),
        }
    }
}

impl From<HodgeError> for Fault {
    fn from(error: HodgeError) -> Self {
        let message = with_hint(&error, error.hint());
        match error {
            HodgeError::NotConverged(_) => Self::Numerical(message),
            _ => Self::Input(message),
        }
    }
}

impl From<GpError> for Fault {
    fn from(error: GpError) -> Self {
        ModelError::from(error).into()
    }
}

impl From<FileError> for Fault {
    fn from(error: FileError) -> Self {
        let number = match &error {
            FileError::Read { source, .. } | FileError::Write { source, .. } => source.raw_os_error(),
            _ => None,
        };
        if matches!(&error, FileError::Refused(refused) if refused.can_be_forced()) {
            return Self::File(None, with_hint(&error, Some("save it elsewhere, or with force=True")));
        }
        Self::File(number, with_hint(&error, error.hint()))
    }
}

impl From<CommandError> for Fault {
    fn from(error: CommandError) -> Self {
        match error {
            CommandError::Interrupted => Self::Cancelled,
            CommandError::Open(_) | CommandError::UnknownDataset { .. } => {
                Self::File(None, with_hint(&error, error.hint()))
            }
            error => Self::Input(with_hint(&error, error.hint())),
        }
    }
}

impl From<Fault> for PyErr {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Input(message) => HodgeletInputError::new_err(message),
            Fault::File(None, message) => HodgeletFileError::new_err(message),
            Fault::File(Some(number), message) => HodgeletFileError::new_err((number, message)),
            Fault::Numerical(message) => HodgeletError::new_err(message),
            Fault::Cancelled => PyKeyboardInterrupt::new_err(()),
            Fault::Panic(message) => HodgeletError::new_err(format!("{message}, which is a bug in hodgelet")),
        }
    }
}
