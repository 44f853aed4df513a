//! Folds that are finished, kept beside the result until all of them are.

use super::{EvaluateArgs, Kind};
use crate::error::CommandError;
use crate::output;
use hodgelet::dataset::{ColumnValues, Dataset, Targets};
use hodgelet::settings::Settings;
use hodgelet_eval::cross_validate::Keep;
use hodgelet_eval::report::FoldRun;
use hodgelet_eval::splits::Split;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// The folder of finished folds, in that of the result.
const FOLDER: &str = "unfinished";

/// Finished folds on disk, each with what it is of.
pub struct Unfinished {
    folder: PathBuf,
    keys: Vec<String>, // one for each split
}

#[derive(Serialize, Deserialize)]
struct Kept {
    key: String,
    run: FoldRun,
}

impl Unfinished {
    /// Finished folds of this dataset, these settings and splits in the folder of a result.
    ///
    /// # Errors
    ///
    /// [`CommandError`] when the folder cannot be made.
    pub fn new(
        out: &Path,
        dataset: &Dataset,
        settings: &Settings,
        splits: &[Split],
    ) -> Result<Self, CommandError> {
        let folder = out.join(FOLDER);
        output::make_folder(&folder)?;
        let common =
            format!("{} {} {}", env!("CARGO_PKG_VERSION"), fingerprint(dataset), output::json(settings)?);
        let key = |split: &Split| -> Result<String, CommandError> {
            let mut hash = Sha256::new();
            hash.update(&common);
            hash.update(output::json(split)?);
            Ok(hex(hash))
        };
        Ok(Self { folder, keys: splits.iter().map(key).collect::<Result<_, _>>()? })
    }

    /// How many folds are there already.
    #[must_use]
    pub fn n_kept(&self) -> usize {
        (0..self.keys.len()).filter(|&split| self.kept(split).is_some()).count()
    }

    /// Removes what is no longer needed; what cannot be removed does no harm.
    pub fn remove(self) {
        for split in 0..self.keys.len() {
            let _ = std::fs::remove_file(self.path(split));
        }
        let _ = std::fs::remove_dir(&self.folder);
    }

    fn path(&self, split: usize) -> PathBuf {
        self.folder.join(format!("fold-{split:04}.json"))
    }
}

impl Keep for Unfinished {
    fn kept(&self, split: usize) -> Option<FoldRun> {
        let text = std::fs::read(self.path(split)).ok()?;
        let kept: Kept = serde_json::from_slice(&text).ok()?;
        (kept.key == self.keys[split]).then_some(kept.run)
    }

    fn keep(&self, split: usize, run: &FoldRun) {
        let kept = Kept { key: self.keys[split].clone(), run: run.clone() };
        let Ok(text) = serde_json::to_vec(&kept) else { return };
        let path = self.path(split);
        // A fold that cannot be kept is run again.
        let output = hodgelet::output::Output::new(&path, Kind::ANY).forced(true);
        let _ = output.write(|out| out.write_all(&text));
    }
}

impl EvaluateArgs {
    /// The finished folds of an earlier run, where there is a folder for them.
    pub(super) fn unfinished(
        &self,
        dataset: &Dataset,
        settings: &Settings,
        splits: &[Split],
    ) -> Result<Option<Unfinished>, CommandError> {
        let Some(out) = self.out.as_ref().filter(|_| !self.model.auto) else { return Ok(None) };
        Unfinished::new(out, dataset, settings, splits).map(Some)
    }
}

/// What a dataset is, in short.
fn fingerprint(dataset: &Dataset) -> String {
    let mut hash = Sha256::new();
    let number = |hash: &mut Sha256, n: u64| hash.update(n.to_le_bytes());
    number(&mut hash, dataset.len() as u64);
    for complex in dataset.complexes() {
        number(&mut hash, complex.n_cells(0) as u64);
        for boundary in (1..=complex.dim()).filter_map(|dim| complex.boundary(dim)) {
            for j in 0..boundary.n_cols() {
                number(&mut hash, u64::MAX);
                for (row, value) in boundary.entries(j) {
                    number(&mut hash, row as u64);
                    number(&mut hash, value.to_bits());
                }
            }
        }
    }
    match dataset.targets() {
        Targets::None => {}
        Targets::Classes { labels, .. } => labels.iter().for_each(|&label| number(&mut hash, label.into())),
        Targets::Real(values) => values.iter().for_each(|value| number(&mut hash, value.to_bits())),
    }
    for column in dataset.columns() {
        hash.update(&column.name);
        match &column.values {
            ColumnValues::Labels { codes, .. } => {
                codes.iter().for_each(|&code| number(&mut hash, code.into()));
            }
            ColumnValues::Real { values, .. } => {
                values.iter().for_each(|value| number(&mut hash, value.to_bits()));
            }
        }
    }
    hex(hash)
}

fn hex(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
