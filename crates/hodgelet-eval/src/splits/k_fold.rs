//! Shuffled k-fold splits, index by index those of scikit-learn.
//!
//! Fold `i` is the test part. Of the others, fold `i + 1` (the first after the last) is set aside for
//! validation and the rest train, so that ten folds give the published protocol: of the nine other folds 8/9
//! train and 1/9 is set aside. How the published code picks that ninth is not known; the next fold keeps it
//! stratified, the same for every model, and each item set aside exactly once. With
//! [`train_on_validation`](KFoldParams::train_on_validation) it trains as well.

use super::mersenne::Mersenne;
use super::{FoldError, Split};

/// Settings of k-fold splits, not yet validated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KFoldParams {
    /// Number of folds.
    pub folds: usize,
    /// Number of shuffles; repeat `r` is drawn with `seed + r`.
    pub repeats: usize,
    /// Seed of the first shuffle, scikit-learn's `random_state`.
    pub seed: u64,
    /// Whether the fold set aside trains as well.
    pub train_on_validation: bool,
}

impl Default for KFoldParams {
    /// The published protocol: ten folds, once, seed 0, a ninth of the rest set aside.
    fn default() -> Self {
        Self { folds: 10, repeats: 1, seed: 0, train_on_validation: false }
    }
}

impl KFoldParams {
    /// The settings splits can be drawn with, or the first one that is invalid.
    ///
    /// # Errors
    ///
    /// [`FoldError::Folds`], [`FoldError::Repeats`] or [`FoldError::Seed`].
    pub fn check(self) -> Result<CheckedKFoldParams, FoldError> {
        let least = if self.train_on_validation { 2 } else { 3 };
        if self.folds < least {
            return Err(FoldError::Folds { found: self.folds, least });
        }
        if self.repeats == 0 {
            return Err(FoldError::Repeats);
        }
        let last = self.seed.checked_add(self.repeats as u64 - 1);
        if last.is_none_or(|last| last > u64::from(u32::MAX)) {
            return Err(FoldError::Seed { seed: self.seed, repeats: self.repeats });
        }
        Ok(CheckedKFoldParams(self))
    }
}

/// Valid settings; only [`KFoldParams::check`] makes them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedKFoldParams(KFoldParams);

impl CheckedKFoldParams {
    /// Splits with each class spread evenly over the folds, as `StratifiedKFold(shuffle=True)` draws them.
    ///
    /// Indices ascend within each part. A class with fewer members than folds is missing from some of them:
    /// [`small_classes`] lists those.
    ///
    /// # Errors
    ///
    /// [`FoldError::Items`] and [`FoldError::Classes`] when a fold would stay empty, or every class would be
    /// missing somewhere.
    pub fn stratified(&self, labels: &[u32]) -> Result<Vec<Split>, FoldError> {
        let folds = self.0.folds;
        self.enough(labels.len())?;
        let (codes, counts) = by_appearance(labels);
        let members = counts.iter().copied().max().unwrap_or(0);
        if members < folds {
            return Err(FoldError::Classes { members, folds });
        }
        Ok(self.splits(|generator| stratified_folds(&codes, &counts, folds, generator)))
    }

    /// Splits of `items` items whatever their targets, as `KFold(shuffle=True)` draws them.
    ///
    /// # Errors
    ///
    /// [`FoldError::Items`] when there are fewer items than folds.
    pub fn plain(&self, items: usize) -> Result<Vec<Split>, FoldError> {
        self.enough(items)?;
        Ok(self.splits(|generator| plain_folds(items, self.0.folds, generator)))
    }

    /// The settings.
    #[must_use]
    pub fn params(&self) -> &KFoldParams {
        &self.0
    }

    fn enough(&self, items: usize) -> Result<(), FoldError> {
        let folds = self.0.folds;
        if items < folds { Err(FoldError::Items { items, folds }) } else { Ok(()) }
    }

    /// All repeats and folds, from a function that gives each item its test fold.
    fn splits(&self, fold_of: impl Fn(&mut Mersenne) -> Vec<usize>) -> Vec<Split> {
        let KFoldParams { folds, repeats, seed, train_on_validation } = self.0;
        let mut splits = Vec::new();
        for repeat in 0..repeats {
            let seed = u32::try_from(seed + repeat as u64).expect("`check` bounds the last seed");
            let fold_of = fold_of(&mut Mersenne::new(seed));
            for fold in 0..folds {
                let split = one_split(&fold_of, repeat, fold, folds);
                splits.push(if train_on_validation { split.train_on_validation() } else { split });
            }
        }
        splits
    }
}

/// A class with fewer members than there are folds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SmallClass {
    /// The class.
    pub label: u32,
    /// Number of its members, at least 1.
    pub members: usize,
}

/// The classes among `labels` too small to be in each of `folds` folds, by label.
#[must_use]
pub fn small_classes(labels: &[u32], folds: usize) -> Vec<SmallClass> {
    let mut sorted = labels.to_vec();
    sorted.sort_unstable();
    let classes = sorted.chunk_by(|a, b| a == b);
    classes.filter(|c| c.len() < folds).map(|c| SmallClass { label: c[0], members: c.len() }).collect()
}

/// The split whose test part is `fold`.
fn one_split(fold_of: &[usize], repeat: usize, fold: usize, folds: usize) -> Split {
    let mut split = Split { repeat, fold, ..Split::default() };
    for (item, &owner) in fold_of.iter().enumerate() {
        if owner == fold {
            split.test.push(item);
        } else if owner == (fold + 1) % folds {
            split.validation.push(item);
        } else {
            split.train.push(item);
        }
    }
    split
}

/// Classes numbered in the order they first appear, item by item, and the members of each.
fn by_appearance(labels: &[u32]) -> (Vec<usize>, Vec<usize>) {
    let mut code_of = std::collections::HashMap::new();
    let (mut codes, mut counts) = (Vec::with_capacity(labels.len()), Vec::new());
    for &label in labels {
        let code = *code_of.entry(label).or_insert(counts.len());
        if code == counts.len() {
            counts.push(0);
        }
        counts[code] += 1;
        codes.push(code);
    }
    (codes, counts)
}

/// Test fold of each item. With the classes laid end to end, place `p` belongs to fold `p mod folds`: that says
/// how many members of a class each fold takes, and a shuffle of those says which.
fn stratified_folds(codes: &[usize], counts: &[usize], folds: usize, generator: &mut Mersenne) -> Vec<usize> {
    let mut start = 0;
    let mut members = Vec::with_capacity(counts.len()); // test folds of each class, in the order of its items
    for &count in counts {
        let mut owners: Vec<usize> = (start..start + count).map(|place| place % folds).collect();
        owners.sort_unstable();
        generator.shuffle(&mut owners);
        members.push(owners.into_iter());
        start += count;
    }
    codes.iter().map(|&code| members[code].next().expect("a class has as many folds as members")).collect()
}

/// Test fold of each item: consecutive stretches of one shuffle, the first `items mod folds` one item longer.
fn plain_folds(items: usize, folds: usize, generator: &mut Mersenne) -> Vec<usize> {
    let mut order: Vec<usize> = (0..items).collect();
    generator.shuffle(&mut order);
    let mut fold_of = vec![0; items];
    let mut shuffled = order.into_iter();
    for fold in 0..folds {
        let size = items / folds + usize::from(fold < items % folds);
        for item in shuffled.by_ref().take(size) {
            fold_of[item] = fold;
        }
    }
    fold_of
}

#[cfg(test)]
mod tests;
