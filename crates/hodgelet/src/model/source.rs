//! Where the measures of many complexes are: in memory, on disk or on other machines.

use super::{Measured, ModelError};
use crate::dataset::Targets;
use crate::measure::ComplexMeasures;
use std::borrow::Cow;
use std::path::Path;

/// Measures that can be had by the places of their complexes, as often as they are wanted.
///
/// What trains on many complexes asks for a leaf of consecutive ones at a time, from several threads, so that no more of
/// them than there are threads need be in memory.
pub trait MeasureSource: Sync {
    /// Number of complexes.
    fn len(&self) -> usize;

    /// Whether there is none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The measures of the complexes at `indices`, in this order: the same ones every time.
    ///
    /// # Errors
    ///
    /// [`ModelError::Index`] beyond the last complex, [`ModelError::Store`] when they cannot be read.
    fn load(&self, indices: &[usize]) -> Result<Vec<Cow<'_, ComplexMeasures>>, ModelError>;

    /// How much each complex counts in training, `[len]`; none where all count alike.
    fn sample_weights(&self) -> Option<Cow<'_, [f64]>> {
        None
    }

    /// Who sums over leaves, where the measures are in other processes.
    fn workers(&self) -> Option<&dyn Workers> {
        None
    }

    /// A folder where training may keep what is too large for memory; none where it must compute it again.
    fn scratch(&self) -> Option<&Path> {
        None
    }
}

/// Other processes, each with a [`Shard`](super::Shard) of consecutive leaves. What is asked and answered are bytes.
pub trait Workers: Sync {
    /// Shows all workers what later questions are about: `view` under the name `id`, in place of the one before.
    ///
    /// # Errors
    ///
    /// [`ModelError::Store`] when they cannot be reached.
    fn show(&self, id: &str, view: Vec<u8>) -> Result<(), ModelError>;

    /// The answers of all shards to a question ([`Shard::answer`](super::Shard::answer)), in the order of their leaves.
    ///
    /// # Errors
    ///
    /// An error of a shard, or [`ModelError::Store`] when one cannot be reached.
    fn ask(&self, question: Vec<u8>) -> Result<Vec<Vec<u8>>, ModelError>;

    /// What was remembered under a name, if anything was.
    fn recall(&self, _name: &str) -> Option<Vec<u8>> {
        None
    }

    /// Keeps what was computed under a name, for a run that goes on where this one ends.
    fn remember(&self, _name: &str, _bytes: &[u8]) {}
}

/// The weights of the complexes at `indices`, if they have any.
pub(super) fn weights_of(source: &dyn MeasureSource, indices: &[usize]) -> Option<Vec<f64>> {
    let all = source.sample_weights()?;
    Some(indices.iter().map(|&index| all[index]).collect())
}

/// A source whose complexes count otherwise.
pub(super) struct Weighted<'a> {
    source: &'a dyn MeasureSource,
    weights: Vec<f64>,
}

impl<'a> Weighted<'a> {
    /// `source` with complexes that count as they did times the factor of their class.
    pub fn new(source: &'a dyn MeasureSource, targets: &Targets, factors: &[f64]) -> Self {
        let given = source.sample_weights();
        let labels = if let Targets::Classes { labels, .. } = targets { &labels[..] } else { &[] };
        let weight = |i: usize| {
            let of_class = labels.get(i).and_then(|&label| factors.get(label as usize)).copied();
            of_class.unwrap_or(1.0) * given.as_ref().map_or(1.0, |given| given[i])
        };
        Self { source, weights: (0..source.len()).map(weight).collect() }
    }

    /// How much each complex counts.
    pub fn into_weights(self) -> Vec<f64> {
        self.weights
    }
}

impl MeasureSource for Weighted<'_> {
    fn len(&self) -> usize {
        self.source.len()
    }

    fn load(&self, indices: &[usize]) -> Result<Vec<Cow<'_, ComplexMeasures>>, ModelError> {
        self.source.load(indices)
    }

    fn sample_weights(&self) -> Option<Cow<'_, [f64]>> {
        Some(Cow::Borrowed(&self.weights))
    }

    fn workers(&self) -> Option<&dyn Workers> {
        self.source.workers()
    }

    fn scratch(&self) -> Option<&Path> {
        self.source.scratch()
    }
}

impl MeasureSource for Measured {
    fn len(&self) -> usize {
        self.measures.len()
    }

    fn load(&self, indices: &[usize]) -> Result<Vec<Cow<'_, ComplexMeasures>>, ModelError> {
        let one = |&index: &usize| match self.measures.get(index) {
            Some(measures) => Ok(Cow::Borrowed(measures)),
            None => Err(ModelError::Index { index, len: self.measures.len() }),
        };
        indices.iter().map(one).collect()
    }

    fn sample_weights(&self) -> Option<Cow<'_, [f64]>> {
        self.weights.as_deref().map(Cow::Borrowed)
    }
}

/// Measures as references.
pub(super) fn refs<'a>(loaded: &'a [Cow<'_, ComplexMeasures>]) -> Vec<&'a ComplexMeasures> {
    loaded.iter().map(Cow::as_ref).collect()
}
