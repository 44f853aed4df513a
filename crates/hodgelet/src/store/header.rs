//! What a store says of all its complexes: the file `store.json`.

use super::StoreError;
use crate::dataset::Targets;
use crate::gp::sparse::LEAF;
use crate::model::Measurer;
use crate::settings::{Field, Fields, Settings};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Version of stores that is written and read.
pub(super) const VERSION: u64 = 1;

/// Name of the file.
pub(super) const FILE: &str = "store.json";

/// What a store holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoreHeader {
    /// Name of the dataset.
    pub name: String,
    /// Where the complexes come from: the same complexes have the same words here.
    pub source: String,
    /// Number of complexes.
    pub complexes: usize,
    /// What is known of each of them.
    pub targets: TargetKind,
    /// Largest error of an energy that passes a filter, relative to that of its channel, where measures were compressed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<f64>,
    /// What measured them.
    pub measurer: Measurer,
}

/// Kind of targets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TargetKind {
    /// None.
    None,
    /// One of these classes for each complex.
    Classes(Vec<String>),
    /// A number for each complex.
    Real,
}

impl TargetKind {
    /// That of some targets.
    #[must_use]
    pub fn of(targets: &Targets) -> Self {
        match targets {
            Targets::None => Self::None,
            Targets::Classes { names, .. } => Self::Classes(names.clone()),
            Targets::Real(_) => Self::Real,
        }
    }
}

#[derive(Serialize, Deserialize)]
struct File {
    /// Version of the store.
    hodgelet_store: u64,
    #[serde(flatten)]
    header: StoreHeader,
}

impl StoreHeader {
    /// Number of leaves.
    #[must_use]
    pub fn n_leaves(&self) -> usize {
        self.complexes.div_ceil(LEAF)
    }

    /// Settings of a model that is trained on the store: those that measures depend on are the store's.
    ///
    /// # Errors
    ///
    /// [`StoreError::Differs`] when `given` has one of them that is neither the store's nor the default.
    pub fn settings(&self, given: &Settings, folder: &Path) -> Result<Settings, StoreError> {
        let (mut settings, defaults) = (given.clone(), Settings::default());
        let own = self.measurer.settings();
        for field in Settings::FIELDS.iter().filter(|field| Settings::shapes_measures(field)) {
            let (found, asked) = ((field.get)(own), (field.get)(given));
            if asked != found && asked != (field.get)(&defaults) {
                let what = field.name.to_owned();
                let (found, expected) = (shown(&found), shown(&asked));
                return Err(StoreError::Differs { path: folder.to_owned(), what, found, expected });
            }
            (field.set)(&mut settings, &found).map_err(|fault| StoreError::damaged(folder, fault))?;
        }
        // The bound of compressed measures is one for these filters.
        let filters = ["low_pass", "band_pass", "n_bands"];
        let bounded = |field: &&Field<Settings>| self.tolerance.is_some() && filters.contains(&field.name);
        for field in Settings::FIELDS.iter().filter(bounded) {
            let (found, asked) = ((field.get)(own), (field.get)(given));
            if found != asked {
                let what = format!("measures compressed for {}", field.name);
                let (found, expected) = (shown(&found), shown(&asked));
                return Err(StoreError::Differs { path: folder.to_owned(), what, found, expected });
            }
        }
        Ok(settings)
    }

    pub(super) fn to_json(&self) -> Result<String, serde_json::Error> {
        let text = serde_json::to_string_pretty(&File { hodgelet_store: VERSION, header: self.clone() })?;
        Ok(text + "\n")
    }

    pub(super) fn read(folder: &Path) -> Result<Self, StoreError> {
        let path = folder.join(FILE);
        let text = std::fs::read_to_string(&path).map_err(|error| StoreError::io(&path, error))?;
        let value: serde_json::Value =
            serde_json::from_str(&text).map_err(|error| StoreError::damaged(&path, error))?;
        match value.get("hodgelet_store").and_then(serde_json::Value::as_u64) {
            Some(VERSION) => {}
            Some(found) => {
                return Err(StoreError::Version { path: folder.to_owned(), found, expected: VERSION });
            }
            None => return Err(StoreError::damaged(&path, "no key `hodgelet_store` with a version")),
        }
        let file: File = serde_json::from_value(value).map_err(|error| StoreError::damaged(&path, error))?;
        Ok(file.header)
    }

    /// Whether a store with this header can take the complexes that `wanted` describes.
    pub(super) fn check(&self, wanted: &Self, folder: &Path) -> Result<(), StoreError> {
        let differs = |what: &str, found: String, expected: String| {
            Err(StoreError::Differs { path: folder.to_owned(), what: what.to_owned(), found, expected })
        };
        if self.source != wanted.source {
            return differs("complexes from", self.source.clone(), wanted.source.clone());
        }
        if self.complexes != wanted.complexes {
            return differs("complexes:", self.complexes.to_string(), wanted.complexes.to_string());
        }
        if let Some((name, found, expected)) =
            difference(self.measurer.settings(), wanted.measurer.settings())
        {
            return differs(&name, found, expected);
        }
        if self.tolerance != wanted.tolerance {
            let text = |t: Option<f64>| t.map_or_else(|| "none".to_owned(), |t| t.to_string());
            return differs("tolerance", text(self.tolerance), text(wanted.tolerance));
        }
        if self.targets != wanted.targets || !self.measurer.measures_as(&wanted.measurer) {
            return differs("signals or targets", "of its own".to_owned(), "those of the dataset".to_owned());
        }
        Ok(())
    }
}

/// The first setting that measures depend on and that differs: its name and both values.
fn difference(found: &Settings, expected: &Settings) -> Option<(String, String, String)> {
    let fields = Settings::FIELDS.iter().filter(|field| Settings::shapes_measures(field));
    let pair = |field: &Field<Settings>| {
        (field.name.to_owned(), shown(&(field.get)(found)), shown(&(field.get)(expected)))
    };
    fields.map(pair).find(|(_, found, expected)| found != expected)
}

/// A value as people write it.
fn shown(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Null => "none".to_owned(),
        other => other.to_string(),
    }
}
