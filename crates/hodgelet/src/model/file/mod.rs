//! The model file: safetensors, with the training inputs, sites and targets as tensors and the rest as JSON.
//!
//! | tensor | holds | shape |
//! | --- | --- | --- |
//! | `inputs.b` | standardized features of block `b` | distinct complexes, columns |
//! | `sites.precision`, `sites.shift` | the posterior | latent functions, distinct complexes |
//! | `observations.point` | which distinct complex each training complex is | training complexes |
//! | `observations.label` or `observations.value` | class, or standardized target | training complexes |
//!
//! The strings of the header are `format`, `version`, `model` (the JSON) and `sha256` (of the JSON and the tensors).
//! The posterior is computed from them the same way as after training, so a loaded model predicts the same bits.

mod check;
mod container;
mod error;

pub use error::FileError;

use super::features::BlockSpace;
use super::fitted::{FittedTargets, Model, Parts, Summary};
use super::params::ModelParams;
use crate::encode::Encoding;
use crate::feature::SignedBasis;
use crate::gp::Sites;
use crate::kernel::SumKernel;
use crate::likelihood::{LikelihoodParams, Observations};
use container::{Container, Tensor};
use faer::Mat;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::Path;

/// What the header calls the format.
const FORMAT: &str = "hodgelet-model";

/// Version of the format that is written, and the newest that is read.
const VERSION: u64 = 1;

/// Largest file that is read, in bytes.
const MAX_FILE: u64 = 1 << 34;

/// Everything of a model that is not a tensor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    params: ModelParams,
    encoding: Encoding,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    signed: Option<SignedBasis>,
    blocks: Vec<BlockSpace>,
    kernel: SumKernel,
    likelihood: LikelihoodParams,
    targets: FittedTargets,
    summary: Summary,
}

impl Model {
    /// Writes the model to `path`, replacing what stands there only once all of it is written.
    ///
    /// # Errors
    ///
    /// [`FileError`] when the file cannot be written, or the model is larger than [`load`](Self::load) reads.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), FileError> {
        let path = path.as_ref();
        let bytes = self.to_bytes()?;
        write_atomically(path, &bytes).map_err(|source| FileError::Write { path: path.to_owned(), source })
    }

    /// Reads a model that [`save`](Self::save) wrote. Nothing in a file is ever run.
    ///
    /// # Errors
    ///
    /// [`FileError`] when the file cannot be read, is no model, newer, truncated or damaged, or contradicts itself.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref();
        let failed = |source| FileError::Read { path: path.to_owned(), source };
        let found = std::fs::metadata(path).map_err(failed)?.len();
        if found > MAX_FILE {
            return Err(FileError::TooLarge { what: "the file", unit: "bytes", found, limit: MAX_FILE });
        }
        Self::from_bytes(&std::fs::read(path).map_err(failed)?)
    }

    /// The bytes of the model file: the same for the same model.
    ///
    /// # Errors
    ///
    /// [`FileError::TooLarge`], or [`FileError::Settings`] when a setting is not finite, which JSON cannot hold.
    pub fn to_bytes(&self) -> Result<Vec<u8>, FileError> {
        let parts = &self.parts;
        check::size(parts.sites.n_points(), parts.sites.n_latents())?;
        let json = settings_json(parts)?;
        let mut file = Container { tensors: tensors(parts), ..Container::default() };
        let checksum = file.checksum(&json);
        let version = VERSION.to_string();
        let strings =
            [("format", FORMAT.to_owned()), ("version", version), ("model", json), ("sha256", checksum)];
        file.metadata.extend(strings.map(|(key, value)| (key.to_owned(), value)));
        file.to_bytes()
    }

    /// The model of a file's bytes.
    ///
    /// # Errors
    ///
    /// As [`load`](Self::load).
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FileError> {
        let file = Container::read(bytes)?;
        let mut settings = settings(&file)?;
        settings.encoding = settings.encoding.with_signed(settings.signed.clone());
        check::settings(&settings)?;
        Ok(Self::assemble(parts(&file, settings)?)?)
    }
}

fn settings_json(parts: &Parts) -> Result<String, FileError> {
    let Parts { params, encoding, blocks, kernel, likelihood, targets, summary, .. } = parts.clone();
    let signed = encoding.signed().cloned();
    let settings = Settings {
        params,
        encoding: encoding.with_signed(None),
        signed,
        blocks,
        kernel,
        likelihood,
        targets,
        summary,
    };
    let failed = |e: serde_json::Error| FileError::Settings { reason: e.to_string() };
    let json = serde_json::to_string(&settings).map_err(failed)?;
    // Infinite settings, such as a tolerance, become null.
    if serde_json::from_str::<Settings>(&json).map_err(failed)? != settings {
        return Err(FileError::Settings { reason: "a number cannot be written exactly".to_owned() });
    }
    Ok(json)
}

fn tensors(parts: &Parts) -> std::collections::BTreeMap<String, Tensor<'static>> {
    let mut tensors = std::collections::BTreeMap::new();
    for (b, inputs) in parts.inputs.iter().enumerate() {
        let (n, width) = inputs.shape();
        let rows = (0..n).flat_map(|i| (0..width).map(move |j| inputs[(i, j)]));
        tensors.insert(format!("inputs.{b}"), Tensor::reals(&[n, width], rows));
    }
    let sites = &parts.sites;
    let shape = [sites.n_latents(), sites.n_points()];
    let precision = (0..shape[0]).flat_map(|c| sites.precision(c).iter().copied());
    let shift = (0..shape[0]).flat_map(|c| sites.shift(c).iter().copied());
    tensors.insert("sites.precision".to_owned(), Tensor::reals(&shape, precision));
    tensors.insert("sites.shift".to_owned(), Tensor::reals(&shape, shift));
    // Points are below 2³² because the size was checked.
    let points = parts.observations.points().iter().map(|&point| point as u32);
    tensors.insert("observations.point".to_owned(), Tensor::wholes(points));
    match &parts.observations {
        Observations::Classes(labels) => {
            let labels = Tensor::wholes(labels.labels().iter().copied());
            tensors.insert("observations.label".to_owned(), labels)
        }
        Observations::Reals(reals) => {
            let values = reals.values();
            let values = Tensor::reals(&[values.len()], values.iter().copied());
            tensors.insert("observations.value".to_owned(), values)
        }
    };
    tensors
}

/// The settings of a file whose format, version and checksum are right.
fn settings(file: &Container<'_>) -> Result<Settings, FileError> {
    let get = |key| file.metadata.get(key).ok_or(FileError::Missing { key });
    let format = file.metadata.get("format").cloned().unwrap_or_default();
    if format != FORMAT {
        return Err(FileError::Format { found: format });
    }
    match get("version")?.parse::<u64>() {
        Ok(VERSION) => {}
        Ok(found) if found > VERSION => return Err(FileError::Newer { found }),
        _ => return Err(FileError::Version { found: get("version")?.clone() }),
    }
    let (json, expected) = (get("model")?, get("sha256")?.clone());
    let found = file.checksum(json);
    if found != expected {
        return Err(FileError::Checksum { expected, found });
    }
    serde_json::from_str(json).map_err(|e| FileError::Settings { reason: e.to_string() })
}

fn parts(file: &Container<'_>, settings: Settings) -> Result<Parts, FileError> {
    let n_classes = check::n_classes(&settings.targets);
    let n_latents = check::n_latents(&settings);
    let (n_points, n_train) = (settings.summary.n_distinct, settings.summary.n_train);
    check::size(n_points, n_latents)?;
    let inputs = settings.blocks.iter().enumerate().map(|(b, block)| {
        let (name, width) = (format!("inputs.{b}"), block.standardizer.n_columns());
        let values = file.reals(&name, &[n_points, width])?;
        Ok(Mat::from_fn(n_points, width, |i, j| values[i * width + j]))
    });
    let inputs = inputs.collect::<Result<Vec<_>, FileError>>()?;
    let shape = [n_latents, n_points];
    let (precision, shift) = (file.reals("sites.precision", &shape)?, file.reals("sites.shift", &shape)?);
    let sites = Sites::new(n_points, n_latents, precision, shift)
        .expect("shapes and finiteness of the tensors were examined");
    let points: Vec<usize> =
        file.wholes("observations.point", &[n_train])?.into_iter().map(|point| point as usize).collect();
    let observations = match n_classes {
        Some(n_classes) => {
            let labels = file.wholes("observations.label", &[n_train])?;
            Observations::grouped_classes(n_classes, &labels, &points, n_points)
        }
        None => {
            let values = file.reals("observations.value", &[n_train])?;
            Observations::grouped_reals(&values, &points, n_points)
        }
    };
    let observations = observations.map_err(super::ModelError::from)?;
    let (expected, found) = (settings.blocks.len() + 4, file.tensors.len());
    if found != expected {
        return Err(FileError::Inconsistent { fault: format!("{found} tensors, expected {expected}") });
    }
    let Settings { params, encoding, blocks, kernel, likelihood, targets, summary, .. } = settings;
    Ok(Parts { params, encoding, blocks, kernel, likelihood, targets, inputs, observations, sites, summary })
}

/// Writes to a file of another name beside `path` and renames it, so that a reader sees the old file or the new.
fn write_atomically(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".hodgelet-model-");
    #[cfg(unix)]
    {
        // As any new file: what the umask leaves.
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(directory)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests;
