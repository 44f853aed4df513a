//! A file of several models: one safetensors file whose tensors are model files.

use super::container::{Container, Tensor, fault};
use super::{FileError, read_bytes};
use crate::model::{Model, Models};
use crate::output::{Kind, Output};
use std::collections::BTreeSet;
use std::path::Path;

/// What the header calls the format.
const FORMAT: &str = "hodgelet-models";

/// Version of the format that is written, and the newest that is read.
const VERSION: u64 = 1;

impl Models {
    /// Writes the models to one file, replacing a model that stands there only once all of it is written.
    ///
    /// # Errors
    ///
    /// As [`Model::save`].
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), FileError> {
        self.save_to(&Output::new(path.as_ref(), Kind::MODEL))
    }

    /// Writes the models to a place that says itself what it may replace.
    ///
    /// # Errors
    ///
    /// As [`save`](Self::save).
    pub fn save_to(&self, output: &Output<'_>) -> Result<(), FileError> {
        let bytes = self.to_bytes()?;
        Ok(output.write(|out| out.write_all(&bytes))?)
    }

    /// Reads what [`save`](Self::save) wrote.
    ///
    /// # Errors
    ///
    /// As [`Model::load`].
    pub fn load(path: impl AsRef<Path>) -> Result<Self, FileError> {
        Self::from_bytes(&read_bytes(path.as_ref())?)
    }

    /// Whether bytes begin as a file of several models does.
    #[must_use]
    pub fn are_several(bytes: &[u8]) -> bool {
        let begin = format!(r#"{{"__metadata__":{{"format":"{FORMAT}""#);
        bytes.get(8..).is_some_and(|rest| rest.starts_with(begin.as_bytes()))
    }

    /// The bytes of the file: the same for the same models.
    ///
    /// # Errors
    ///
    /// As [`Model::to_bytes`].
    pub fn to_bytes(&self) -> Result<Vec<u8>, FileError> {
        let mut file = Container::default();
        for (k, model) in self.models.iter().enumerate() {
            file.tensors.insert(tensor_name(k), Tensor::bytes(model.to_bytes()?));
        }
        let names = serde_json::json!(self.names).to_string();
        let checksum = file.checksum(&names);
        let version = VERSION.to_string();
        let strings =
            [("format", FORMAT.to_owned()), ("targets", names), ("version", version), ("sha256", checksum)];
        file.metadata.extend(strings.map(|(key, value)| (key.to_owned(), value)));
        file.to_bytes()
    }

    /// The models of a file's bytes.
    ///
    /// # Errors
    ///
    /// As [`Model::from_bytes`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FileError> {
        let file = Container::read(bytes)?;
        let text = |key: &'static str| file.metadata.get(key).ok_or(FileError::Missing { key });
        if text("format")? != FORMAT {
            let reason = format!("its format is `{}`, expected `{FORMAT}`", text("format")?);
            return Err(FileError::NotAModel { reason });
        }
        match text("version")?.parse::<u64>() {
            Ok(VERSION) => {}
            Ok(found) if found > VERSION => return Err(FileError::Newer { found }),
            _ => return Err(FileError::Version { found: text("version")?.clone() }),
        }
        let (names, expected) = (text("targets")?, text("sha256")?.clone());
        let found = file.checksum(names);
        if found != expected {
            return Err(FileError::Checksum { expected, found });
        }
        let settings = |reason: String| FileError::Settings { reason };
        let names: Vec<String> = serde_json::from_str(names).map_err(|e| settings(e.to_string()))?;
        let distinct: BTreeSet<&String> = names.iter().collect();
        if names.is_empty() || distinct.len() < names.len() || file.tensors.len() != names.len() {
            let n_models = file.tensors.len();
            return Err(settings(format!("targets are {names:?}, expected {n_models} different names")));
        }
        let model = |k: usize| Model::from_bytes(file.bytes(&tensor_name(k))?);
        let models: Vec<Model> = (0..names.len()).map(model).collect::<Result<_, _>>()?;
        let first = models[0].space().measurer();
        match models.iter().position(|model| !model.space().measurer().measures_as(first)) {
            Some(k) => Err(fault(&tensor_name(k), "measures otherwise than the first model")),
            None => Ok(Self { names, models }),
        }
    }
}

fn tensor_name(k: usize) -> String {
    format!("model.{k:04}")
}
