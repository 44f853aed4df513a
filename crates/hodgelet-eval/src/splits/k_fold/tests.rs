//! Splits against scikit-learn, and the laws of any k-fold.

use super::*;
use proptest::prelude::*;
use serde::Deserialize;

#[derive(Deserialize)]
struct File {
    stratified: Vec<Stratified>,
    plain: Vec<Plain>,
}

#[derive(Deserialize)]
struct Stratified {
    name: String,
    labels: Vec<u32>,
    folds: usize,
    seed: u64,
    warned: bool,
    refused: bool,
    test: Vec<Vec<usize>>,
}

#[derive(Deserialize)]
struct Plain {
    n: usize,
    folds: usize,
    seed: u64,
    test: Vec<Vec<usize>>,
}

fn golden() -> File {
    serde_json::from_str(include_str!("../../../../../testdata/sklearn/splits.json")).unwrap()
}

fn k_fold(folds: usize, seed: u64) -> CheckedKFoldParams {
    KFoldParams { folds, seed, repeats: 1, train_on_validation: true }.check().unwrap()
}

fn tests_of(splits: Vec<Split>) -> Vec<Vec<usize>> {
    splits.into_iter().map(|split| split.test).collect()
}

#[test]
fn stratified_folds_are_those_of_scikit_learn() {
    let cases = golden().stratified;
    assert_eq!(cases.len(), 44);
    for case in cases {
        let found = k_fold(case.folds, case.seed).stratified(&case.labels);
        let about = format!("{}, {} folds", case.name, case.folds);
        if case.refused {
            assert!(found.is_err(), "{about}");
        } else {
            assert_eq!(tests_of(found.unwrap()), case.test, "{about}");
            assert_eq!(!small_classes(&case.labels, case.folds).is_empty(), case.warned, "{about}");
        }
    }
}

#[test]
fn plain_folds_are_those_of_scikit_learn() {
    let cases = golden().plain;
    assert_eq!(cases.len(), 12);
    for case in cases {
        let found = k_fold(case.folds, case.seed).plain(case.n).unwrap();
        assert_eq!(tests_of(found), case.test, "{} items, {} folds", case.n, case.folds);
    }
}

#[test]
fn ten_folds_train_on_eight_and_set_one_aside() {
    let labels: Vec<u32> = (0..200).map(|i| i % 2).collect();
    let splits = KFoldParams::default().check().unwrap().stratified(&labels).unwrap();
    for (i, split) in splits.iter().enumerate() {
        assert_eq!([split.train.len(), split.validation.len(), split.test.len()], [160, 20, 20]);
        assert_eq!(split.validation, splits[(i + 1) % 10].test);
    }
}

#[test]
fn a_repeat_is_the_run_with_the_next_seed() {
    let both = KFoldParams { folds: 4, repeats: 2, seed: 6, train_on_validation: true }.check().unwrap();
    let splits = both.plain(30).unwrap();
    let at: Vec<_> = splits.iter().map(|s| (s.repeat, s.fold)).collect();
    assert_eq!(at, [(0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (1, 1), (1, 2), (1, 3)]);
    assert_eq!(tests_of(splits[..4].to_vec()), tests_of(k_fold(4, 6).plain(30).unwrap()));
    assert_eq!(tests_of(splits[4..].to_vec()), tests_of(k_fold(4, 7).plain(30).unwrap()));
}

#[test]
fn settings_without_sense_are_refused() {
    let params = KFoldParams::default();
    let folds = |folds, train_on_validation| KFoldParams { folds, train_on_validation, ..params.clone() };
    assert_eq!(folds(1, true).check(), Err(FoldError::Folds { found: 1, least: 2 }));
    assert_eq!(folds(2, false).check(), Err(FoldError::Folds { found: 2, least: 3 }));
    assert_eq!(KFoldParams { repeats: 0, ..params.clone() }.check(), Err(FoldError::Repeats));
    let seed = u64::from(u32::MAX);
    assert!(KFoldParams { seed, ..params.clone() }.check().is_ok());
    let beyond = KFoldParams { seed, repeats: 2, ..params.clone() };
    assert_eq!(beyond.check(), Err(FoldError::Seed { seed, repeats: 2 }));
    assert!(KFoldParams { seed: u64::MAX, repeats: 2, ..params }.check().is_err());
}

#[test]
fn too_few_items_or_members_are_refused() {
    let ten = k_fold(10, 0);
    assert_eq!(ten.plain(9), Err(FoldError::Items { items: 9, folds: 10 }));
    assert_eq!(ten.stratified(&[]), Err(FoldError::Items { items: 0, folds: 10 }));
    let labels: Vec<u32> = (0..12).map(|i| i % 2).collect();
    assert_eq!(ten.stratified(&labels), Err(FoldError::Classes { members: 6, folds: 10 }));
}

#[test]
fn small_classes_are_listed_by_label() {
    let small = small_classes(&[5, 1, 5, 1, 5, 0], 3);
    assert_eq!(small, [SmallClass { label: 0, members: 1 }, SmallClass { label: 1, members: 2 }]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_item_is_tested_once_and_parts_are_disjoint(
        labels in prop::collection::vec(0u32..5, 3..120),
        folds in 3usize..12,
        seed in 0u64..1000,
    ) {
        let params = KFoldParams { folds, repeats: 1, seed, train_on_validation: false }.check().unwrap();
        if let Ok(splits) = params.stratified(&labels) {
            let mut tested: Vec<usize> = Vec::new();
            for split in &splits {
                prop_assert_eq!(split.check(labels.len()), Ok(()));
                let size = split.train.len() + split.validation.len() + split.test.len();
                prop_assert_eq!(size, labels.len());
                tested.extend(&split.test);
            }
            tested.sort_unstable();
            prop_assert!(tested.into_iter().eq(0..labels.len()));
        }
    }

    #[test]
    fn folds_share_a_class_to_within_one_member(
        labels in prop::collection::vec(0u32..3, 20..120),
        folds in 2usize..6,
    ) {
        if let Ok(splits) = k_fold(folds, 0).stratified(&labels) {
            for class in 0..3 {
                let members = |s: &Split| s.test.iter().filter(|&&i| labels[i] == class).count();
                let counts: Vec<usize> = splits.iter().map(members).collect();
                prop_assert!(counts.iter().max().unwrap() - counts.iter().min().unwrap() <= 1);
            }
        }
    }
}
