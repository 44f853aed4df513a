//! The model file: safetensors, with the training inputs, sites and targets as tensors and the rest as JSON.
//!
//! | tensor | holds | shape |
//! | --- | --- | --- |
//! | `inputs.b` | standardized features of block `b` | distinct complexes, columns |
//! | `inputs.b.counts`, `.ids`, `.values` | rows of block `b`, where it is one of labels: entries of each row, identifiers of labels, roots of masses | distinct complexes, or all their entries |
//! | `inputs.b.places`, `.own` | where block `b` is a Gram matrix that is given: the column of each complex in `inputs.b`, and its product with itself | distinct complexes |
//! | `reference.b` | the same of a sample of the training complexes, where the posterior is sparse | sampled complexes |
//! | `sites.precision`, `sites.shift` | the posterior ([`Posterior::tensors`](crate::gp::Posterior::tensors)) | latent functions, distinct complexes |
//! | `observations.point` | which distinct complex each training complex is | training complexes |
//! | `observations.label` or `observations.value` | class, or standardized target | training complexes |
//! | `observations.weight` | how much each training complex counts, if not all count alike | training complexes |
//! | `observations.covariates` | what the noise depends on, if on anything | distinct complexes, blocks |
//! | `states.parameters` | trained values, unconstrained, of each state that predictions are averaged over | states, values |
//! | `states.sites.precision`, `states.sites.shift` | the posterior of each state | states, latent functions, distinct complexes |
//! | `conformal.scores`, `conformal.labels`, `conformal.folds` | scores of held-out complexes, their classes, and which model scored them | held-out complexes |
//! | `conformal.model.k` | the model without part `k`, a model file itself | bytes |
//! | `measures.b.atoms`, `.eigenvalues`, `.channels`, `.live`, `.energies` | energies of block `b`, from which the features of all states follow | distinct complexes, or all their entries |
//!
//! The strings of the header are `format`, `version`, `model` (the JSON) and `sha256` (of the JSON and the tensors).
//! The posterior restored from them predicts the same bits as the one that was saved. Files of earlier versions are read too.

mod check;
mod conformal;
mod container;
mod error;
mod inputs;
mod several;
mod states;
mod version_1;

pub use error::FileError;

use super::fitted::{Model, Summary, Trained};
use super::noise::NoiseCovariates;
use super::{FeatureSpace, FittedTargets, ModelError, Shape};
use crate::gp::{Inference, Workspace};
use crate::kernel::{Inputs, SumKernel};
use crate::likelihood::{LabelLink, Likelihood, LikelihoodParams, Observations};
use crate::output::{Kind, Output};
use crate::param::LogNormal;
use container::{Container, Tensor};
use faer::{Mat, Par};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::OnceLock;

/// What the header calls the format.
const FORMAT: &str = "hodgelet-model";

/// Version of the format that is written, and the newest that is read.
const VERSION: u64 = 6;

/// The version from which on blocks may be others than energies.
const LABELS_SINCE: u64 = 4;

/// Largest file that is read, in bytes.
const MAX_FILE: u64 = 1 << 34;

/// The tensor of how much each training complex counts.
const WEIGHTS: &str = "observations.weight";

/// The tensor of what the noise at each point depends on.
const COVARIATES: &str = "observations.covariates";

/// Everything of a model that is not a tensor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    space: FeatureSpace,
    kernel: SumKernel,
    likelihood: LikelihoodParams,
    /// Learned values of the likelihood.
    learned: Vec<f64>,
    /// Priors of all trained values; none in files of version 1.
    #[serde(default)]
    priors: Vec<Option<LogNormal>>,
    targets: FittedTargets,
    /// What the noise depends on, if on anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    covariates: Option<NoiseCovariates>,
    summary: Summary,
    /// The shape of predicted numbers; none in files up to version 4.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    shape: Option<Shape>,
    /// How probabilities follow latent values in all states; none in files up to version 5, where each state has its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    link: Option<LabelLink>,
    /// The probability from which on the second of two classes is predicted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    threshold: Option<f64>,
}

/// The bytes of a file that is not too large.
fn read_bytes(path: &Path) -> Result<Vec<u8>, FileError> {
    let failed = |source| FileError::Read { path: path.to_owned(), source };
    let found = std::fs::metadata(path).map_err(failed)?.len();
    if found > MAX_FILE {
        return Err(FileError::TooLarge { what: "the file", unit: "bytes", found, limit: MAX_FILE });
    }
    std::fs::read(path).map_err(failed)
}

impl Model {
    /// Writes the model to `path`, replacing a model that stands there only once all of it is written.
    ///
    /// # Errors
    ///
    /// [`FileError`] when the file cannot be written, `path` holds something else than a model, or the model is larger than
    /// [`load`](Self::load) reads.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), FileError> {
        self.save_to(&Output::new(path.as_ref(), Kind::MODEL))
    }

    /// Writes the model to a place that says itself what it may replace.
    ///
    /// # Errors
    ///
    /// As [`save`](Self::save).
    pub fn save_to(&self, output: &Output<'_>) -> Result<(), FileError> {
        let bytes = self.to_bytes()?;
        Ok(output.write(|out| out.write_all(&bytes))?)
    }

    /// Reads a model that [`save`](Self::save) wrote. Nothing in a file is ever run.
    ///
    /// # Errors
    ///
    /// [`FileError`] when the file cannot be read, is no model, newer, truncated or damaged, or contradicts itself.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, FileError> {
        Self::from_bytes(&read_bytes(path.as_ref())?)
    }

    /// The bytes of the model file: the same for the same model.
    ///
    /// # Errors
    ///
    /// [`FileError::TooLarge`], or [`FileError::Settings`] when a setting is not finite, which JSON cannot hold.
    pub fn to_bytes(&self) -> Result<Vec<u8>, FileError> {
        let n_states = self.averaged.as_ref().map_or(0, |averaged| averaged.states.len());
        check::size(self.observations.n_points(), &self.mode.likelihood, n_states)?;
        let json = self.description()?;
        let mut file = Container { tensors: self.tensors()?, ..Container::default() };
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
        let description = description(&file)?;
        check::description(&description)?;
        restore(&file, description)
    }

    fn description(&self) -> Result<String, FileError> {
        let description = Description {
            space: self.space.clone(),
            kernel: self.mode.kernel.clone(),
            likelihood: self.likelihood_params,
            learned: self.mode.likelihood.hyperparameters().into_iter().map(|(_, value)| value).collect(),
            priors: self.priors.clone(),
            targets: self.targets.clone(),
            covariates: self.covariates.clone(),
            summary: self.summary.clone(),
            shape: self.shape.clone(),
            link: self.link,
            threshold: self.threshold,
        };
        let failed = |e: serde_json::Error| FileError::Settings { reason: e.to_string() };
        let json = serde_json::to_string(&description).map_err(failed)?;
        // Infinite settings, such as a tolerance, become null.
        if serde_json::from_str::<Description>(&json).map_err(failed)? != description {
            return Err(FileError::Settings { reason: "a number cannot be written exactly".to_owned() });
        }
        Ok(json)
    }

    /// How its posteriors come back.
    fn inference(&self) -> Result<Inference, ModelError> {
        Ok(match &self.summary.sparse {
            Some(_) => Inference::Sparse(self.settings().sparse_loop().check()?),
            None => self.settings().final_inference(&self.mode.likelihood)?,
        })
    }

    fn tensors(&self) -> Result<BTreeMap<String, Tensor<'static>>, FileError> {
        let mut tensors = BTreeMap::new();
        inputs::write("inputs", &self.mode.inputs, &mut tensors);
        let stored = self.inference()?.stored(self.observations.n_points(), &self.mode.likelihood);
        for ((name, shape), values) in stored.into_iter().zip(self.mode.posterior.tensors()) {
            tensors.insert(name.to_owned(), Tensor::reals(&shape, values.into_iter()));
        }
        // Points are below 2³² because the size was checked.
        let points = self.observations.points().iter().map(|&point| point as u32);
        tensors.insert("observations.point".to_owned(), Tensor::wholes(points));
        match &self.observations {
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
        if let Some(weights) = self.observations.weights() {
            tensors.insert(WEIGHTS.to_owned(), Tensor::reals(&[weights.len()], weights.iter().copied()));
        }
        if let Some(values) = NoiseCovariates::stored(&self.likelihood_params, &self.observations) {
            let n = self.observations.n_points();
            let tensor = Tensor::reals(&[n, values.len() / n.max(1)], values.into_iter());
            tensors.insert(COVARIATES.to_owned(), tensor);
        }
        inputs::write("reference", self.reference.as_deref().unwrap_or(&[]), &mut tensors);
        if let Some(averaged) = &self.averaged {
            states::write(self, averaged, &mut tensors)?;
        }
        if let Some(conformal) = &self.conformal {
            conformal::write(conformal, &mut tensors)?;
        }
        Ok(tensors)
    }
}

/// The description in a file whose format, version and checksum are right.
fn description(file: &Container<'_>) -> Result<Description, FileError> {
    let get = |key| file.metadata.get(key).ok_or(FileError::Missing { key });
    let format = file.metadata.get("format").cloned().unwrap_or_default();
    if format != FORMAT {
        return Err(FileError::Format { found: format });
    }
    let version = match get("version")?.parse::<u64>() {
        Ok(version @ 1..=VERSION) => version,
        Ok(found) if found > VERSION => return Err(FileError::Newer { found }),
        _ => return Err(FileError::Version { found: get("version")?.clone() }),
    };
    let (json, expected) = (get("model")?, get("sha256")?.clone());
    let found = file.checksum(json);
    if found != expected {
        return Err(FileError::Checksum { expected, found });
    }
    let failed = |e: serde_json::Error| FileError::Settings { reason: e.to_string() };
    let mut value: serde_json::Value = serde_json::from_str(json).map_err(failed)?;
    if version == 1 {
        value = version_1::upgrade(value);
    }
    if version < LABELS_SINCE {
        only_energies(&mut value);
    }
    serde_json::from_value(value).map_err(failed)
}

/// Says of settings that did not name their blocks what they had then: energies.
fn only_energies(description: &mut serde_json::Value) {
    if let Some(settings) = description.pointer_mut("/space/settings").and_then(|s| s.as_object_mut()) {
        settings.entry("blocks").or_insert_with(|| serde_json::json!(["energies"]));
    }
}

fn restore(file: &Container<'_>, description: Description) -> Result<Model, FileError> {
    let Description {
        space,
        kernel,
        likelihood: likelihood_params,
        learned,
        priors,
        targets,
        covariates,
        summary,
        shape,
        link,
        threshold,
    } = description;
    let (n_points, n_train) = match &summary.sparse {
        // The inducing complexes, each observed once.
        Some(sparse) => (sparse.inducing.len(), sparse.inducing.len()),
        None => (summary.n_distinct, summary.n_train),
    };
    let mut likelihood = likelihood_params.check(targets.n_classes()).map_err(ModelError::from)?;
    likelihood.set_values(&learned).map_err(ModelError::from)?;
    let n_states = summary.exploration.as_ref().map_or(0, |exploration| exploration.states);
    check::size(n_points, &likelihood, n_states)?;
    let (inputs, n_inputs) = inputs::read(file, "inputs", &space.blocks, n_points)?;
    let inference = match &summary.sparse {
        Some(_) => {
            Inference::Sparse(space.measurer.settings.sparse_loop().check().map_err(ModelError::from)?)
        }
        None => space.measurer.settings.final_inference(&likelihood)?,
    };
    let stored = inference.stored(n_points, &likelihood);
    let tensors =
        stored.iter().map(|(name, shape)| file.reals(name, shape)).collect::<Result<Vec<_>, _>>()?;
    check::sites(&likelihood, &stored, &tensors)?;
    let mut n_tensors = n_inputs + tensors.len() + 2;
    let mut observations = observations(file, &targets, n_train, n_points)?;
    if file.tensors.contains_key(WEIGHTS) {
        let weights = file.reals(WEIGHTS, &[n_train])?;
        observations = observations.with_weights(&weights).map_err(ModelError::from)?;
        n_tensors += 1;
    }
    if let Some(own) = &covariates {
        let values = file.reals(COVARIATES, &[n_points, own.len()])?;
        let matrix = Mat::from_fn(n_points, own.len(), |i, b| values[i * own.len() + b]);
        observations = observations.with_covariates(matrix.as_ref()).map_err(ModelError::from)?;
        n_tensors += 1;
    }
    let gram = kernel.gram(&Inputs::views(&inputs), Par::Seq).map_err(ModelError::from)?;
    let workspace = &mut Workspace::new(Par::Seq);
    let posterior = inference.restore(tensors, gram.as_ref(), &likelihood, &observations, workspace);
    let posterior = posterior.map_err(ModelError::from)?;
    let blocks = space.blocks.clone();
    let mode = match summary.sparse.as_ref() {
        None => Trained::new(blocks, (kernel, likelihood), inputs, posterior, &observations)
            .map_err(ModelError::from)?,
        Some(sparse) => {
            if let (Likelihood::LabelRegression(regression), Some(sharpness)) =
                (&likelihood, sparse.sharpness)
            {
                let link = LabelLink::new(sharpness, 0.0);
                likelihood = Likelihood::LabelRegression(regression.with_link(link));
            }
            Trained { blocks, kernel, likelihood, inputs, posterior }
        }
    };
    let mut reference = None;
    if let Some(sparse) = &summary.sparse {
        let (found, n_reference) = inputs::read(file, "reference", &space.blocks, sparse.n_sample)?;
        n_tensors += n_reference;
        reference = Some(found);
    }
    let mut model = Model {
        space,
        likelihood_params,
        targets,
        observations,
        covariates,
        mode,
        averaged: None,
        priors,
        summary,
        shape,
        link: None,
        threshold,
        conformal: None,
        reference,
        distances: OnceLock::new(),
    };
    let mut expected = n_tensors;
    if let Some(exploration) = &model.summary.exploration {
        let shared = states::Shared {
            shared_bank: model.settings().shared_bank,
            blocks: model.blocks(),
            mode: &model.state(),
            inputs: &model.mode.inputs,
            observations: &model.observations,
            inference: &inference,
        };
        let (averaged, own) = states::read(file, exploration.states, &shared)?;
        model.averaged = Some(averaged);
        if let Some(link) = link {
            model.share_link(link);
        }
        expected += own;
    }
    if let Some(choice) = model.settings().conformal {
        let (conformal, own) = conformal::read(file, choice, &model)?;
        model.conformal = Some(conformal);
        expected += own;
    }
    match file.tensors.len() {
        found if found == expected => Ok(model),
        found => Err(FileError::Inconsistent { fault: format!("{found} tensors, expected {expected}") }),
    }
}

fn observations(
    file: &Container<'_>,
    targets: &FittedTargets,
    n_train: usize,
    n_points: usize,
) -> Result<Observations, FileError> {
    let points = file.wholes("observations.point", &[n_train])?;
    let points: Vec<usize> = points.into_iter().map(|point| point as usize).collect();
    let observations = match targets {
        FittedTargets::Classes { names } => {
            let labels = file.wholes("observations.label", &[n_train])?;
            Observations::grouped_classes(names.len(), &labels, &points, n_points)
        }
        FittedTargets::Real { .. } => {
            let values = file.reals("observations.value", &[n_train])?;
            Observations::grouped_reals(&values, &points, n_points)
        }
    };
    Ok(observations.map_err(ModelError::from)?)
}

#[cfg(test)]
mod tests;
