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
}

/// Measures as references.
pub(super) fn refs<'a>(loaded: &'a [Cow<'_, ComplexMeasures>]) -> Vec<&'a ComplexMeasures> {
    loaded.iter().map(Cow::as_ref).collect()
}
