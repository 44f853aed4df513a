//! Which items train a model and which test it.
//!
//! [`KFoldParams`] draws folds exactly as scikit-learn does, stratified by class or plain; [`read`] takes them
//! from a file; [`deal_folds`] assigns them deterministically; [`group_folds`] keeps groups together and [`time_folds`] the
//! order of time. All end in a list of [`Split`]s.

mod deal;
mod error;
mod file;
mod grouped;
mod k_fold;
mod mersenne;

pub use deal::deal_folds;
pub use error::{FoldError, Part, SplitError, SplitFileError};
pub use file::{parse_json, read};
pub use grouped::{group_folds, time_folds};
pub use k_fold::{CheckedKFoldParams, KFoldParams, SmallClass, small_classes};

use serde::Serialize;

/// One way to divide the items of a dataset, by their indices.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Split {
    /// Which shuffle of the items this is, from 0.
    pub repeat: usize,
    /// Which fold of that shuffle, from 0.
    pub fold: usize,
    /// Items a model learns from.
    pub train: Vec<usize>,
    /// Items set aside: neither learned from nor judged by.
    pub validation: Vec<usize>,
    /// Items a model is judged by.
    pub test: Vec<usize>,
}

impl Split {
    /// The same split with the validation items among the training items.
    #[must_use]
    pub fn train_on_validation(mut self) -> Self {
        if !self.validation.is_empty() {
            self.train.append(&mut self.validation);
            self.train.sort_unstable();
        }
        self
    }

    /// Whether the parts are disjoint, within `0..items`, and neither training nor test part is empty.
    ///
    /// # Errors
    ///
    /// [`SplitError`] names the first fault.
    pub fn check(&self, items: usize) -> Result<(), SplitError> {
        let fold = self.fold;
        let mut owner = vec![None; items];
        let parts =
            [(Part::Train, &self.train), (Part::Validation, &self.validation), (Part::Test, &self.test)];
        for (part, indices) in parts {
            if indices.is_empty() && part != Part::Validation {
                return Err(SplitError::Empty { fold, part });
            }
            for &index in indices {
                let place = owner.get_mut(index).ok_or(SplitError::Range { fold, part, index, items })?;
                if let Some(other) = place.replace(part) {
                    return Err(SplitError::Overlap { fold, part, index, other });
                }
            }
        }
        Ok(())
    }
}

/// What splits leave out of a dataset of `items` items, in words: items in no part of a split, and items that are never
/// tested. None if they cover all of it.
#[must_use]
pub fn uncovered(splits: &[Split], items: usize) -> Option<String> {
    let unused =
        |split: &Split| items - (split.train.len() + split.validation.len() + split.test.len()).min(items);
    let (most, fold) = splits.iter().map(|split| (unused(split), split.fold)).max_by_key(|found| found.0)?;
    let mut tested = vec![false; items];
    for &index in splits.iter().flat_map(|split| &split.test) {
        tested[index] = true;
    }
    let never = tested.iter().filter(|tested| !**tested).count();
    let mut found = Vec::new();
    if most > 0 {
        found.push(format!("{most} of {items} graphs are in no part of fold {fold}"));
    }
    // One split has one test part; several divide the dataset among them.
    if never > 0 && splits.len() > 1 {
        found.push(format!("{never} of {items} graphs are in no test part"));
    }
    (!found.is_empty()).then(|| found.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(train: &[usize], validation: &[usize], test: &[usize]) -> Split {
        let [train, validation, test] = [train, validation, test].map(<[usize]>::to_vec);
        Split { repeat: 0, fold: 4, train, validation, test }
    }

    #[test]
    fn a_sound_split_need_not_use_every_item() {
        assert_eq!(split(&[0, 5], &[2], &[1]).check(6), Ok(()));
        assert_eq!(split(&[0], &[], &[1]).check(2), Ok(()));
    }

    #[test]
    fn each_fault_of_a_split_is_named() {
        let empty = |part| Err(SplitError::Empty { fold: 4, part });
        assert_eq!(split(&[], &[], &[1]).check(2), empty(Part::Train));
        assert_eq!(split(&[1], &[], &[]).check(2), empty(Part::Test));
        let range = SplitError::Range { fold: 4, part: Part::Validation, index: 3, items: 3 };
        assert_eq!(split(&[0], &[3], &[1]).check(3), Err(range));
        let overlap = |part, index, other| Err(SplitError::Overlap { fold: 4, part, index, other });
        assert_eq!(split(&[0, 2], &[], &[2]).check(3), overlap(Part::Test, 2, Part::Train));
        assert_eq!(split(&[0], &[2], &[2]).check(3), overlap(Part::Test, 2, Part::Validation));
        assert_eq!(split(&[0, 0], &[], &[2]).check(3), overlap(Part::Train, 0, Part::Train));
    }

    #[test]
    fn items_that_splits_leave_out_are_counted() {
        let whole = [split(&[0, 1], &[2], &[3]), split(&[2, 3], &[], &[0, 1]), split(&[0, 1, 3], &[], &[2])];
        assert_eq!(uncovered(&whole, 4), None);
        assert_eq!(uncovered(&whole[..1], 4), None, "a single split tests what it tests");
        let text = "1 of 4 graphs are in no test part";
        assert_eq!(uncovered(&whole[..2], 4).as_deref(), Some(text));
        let text = "2 of 6 graphs are in no part of fold 4, 2 of 6 graphs are in no test part";
        assert_eq!(uncovered(&whole, 6).as_deref(), Some(text));
    }

    #[test]
    fn training_on_validation_keeps_every_item_in_order() {
        let joined = split(&[3, 0], &[1, 4], &[2]).train_on_validation();
        assert_eq!(joined, split(&[0, 1, 3, 4], &[], &[2]));
        assert_eq!(split(&[3, 0], &[], &[2]).train_on_validation(), split(&[3, 0], &[], &[2]));
    }
}
