//! Where the measures of many complexes are: in memory or on disk.

use super::{Measured, ModelError};
use crate::measure::ComplexMeasures;
use std::borrow::Cow;

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
}

/// The weights of the complexes at `indices`, if they have any.
pub(super) fn weights_of(source: &dyn MeasureSource, indices: &[usize]) -> Option<Vec<f64>> {
    let all = source.sample_weights()?;
    Some(indices.iter().map(|&index| all[index]).collect())
}

/// A source whose complexes count otherwise.
pub(super) struct Weighted<'a> {
    pub source: &'a dyn MeasureSource,
    pub weights: Vec<f64>,
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
