//! Folds that keep groups together, and folds in the order of time.

use super::{FoldError, Split};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Folds such that all items of a group are in the same one. The groups, largest first, go to the fold that has the fewest
/// items so far, so that folds are of nearly one size; groups of equal size in an order that depends on `seed` and the repeat.
///
/// # Errors
///
/// [`FoldError`] when there are fewer groups than folds, or fewer than two folds.
pub fn group_folds(
    groups: &[&str],
    folds: usize,
    repeats: usize,
    seed: u64,
) -> Result<Vec<Split>, FoldError> {
    check(folds, repeats)?;
    let mut members: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (item, group) in groups.iter().enumerate() {
        members.entry(group).or_default().push(item);
    }
    if members.len() < folds {
        return Err(FoldError::Groups { groups: members.len(), folds });
    }
    let repeat = |repeat: usize| {
        let mut order: Vec<(&str, &Vec<usize>)> =
            members.iter().map(|(group, items)| (*group, items)).collect();
        order.sort_by_key(|(group, items)| {
            (Reverse(items.len()), mix(group, seed.wrapping_add(repeat as u64)))
        });
        let mut parts = vec![Vec::new(); folds];
        for (_, items) in order {
            let smallest = (0..folds).min_by_key(|&fold| parts[fold].len()).unwrap_or(0);
            parts[smallest].extend_from_slice(items);
        }
        splits(repeat, parts)
    };
    Ok((0..repeats).flat_map(repeat).collect())
}

/// Folds in the order of `times`: the items are cut into one part more than there are folds, none of which divides items of
/// one time, and fold `i` learns from the parts up to `i` and is judged by the next.
///
/// # Errors
///
/// [`FoldError`] when there are too few different times.
pub fn time_folds<T: Ord>(times: &[T], folds: usize) -> Result<Vec<Split>, FoldError> {
    if folds == 0 {
        return Err(FoldError::Folds { found: 0, least: 1 });
    }
    let mut order: Vec<usize> = (0..times.len()).collect();
    order.sort_by_key(|&item| &times[item]);
    let runs: Vec<&[usize]> = order.chunk_by(|&a, &b| times[a] == times[b]).collect();
    let parts = folds + 1;
    if runs.len() < parts {
        return Err(FoldError::Times { times: runs.len(), folds });
    }
    // A part ends where its share of the items is reached, with a time left for each of the others.
    let mut cut: Vec<Vec<usize>> = Vec::with_capacity(parts);
    let (mut part, mut taken) = (Vec::new(), 0);
    for (i, run) in runs.iter().enumerate() {
        part.extend_from_slice(run);
        taken += run.len();
        let (rest, missing) = (runs.len() - i - 1, parts - cut.len() - 1);
        let is_full = taken * parts >= times.len() * (cut.len() + 1);
        if missing > 0 && (is_full || rest == missing) {
            cut.push(std::mem::take(&mut part));
        }
    }
    cut.push(part);
    let split = |fold: usize| {
        let mut train: Vec<usize> = cut[..=fold].concat();
        let mut test = cut[fold + 1].clone();
        train.sort_unstable();
        test.sort_unstable();
        Split { fold, train, test, ..Split::default() }
    };
    Ok((0..folds).map(split).collect())
}

fn check(folds: usize, repeats: usize) -> Result<(), FoldError> {
    match (folds, repeats) {
        (0 | 1, _) => Err(FoldError::Folds { found: folds, least: 2 }),
        (_, 0) => Err(FoldError::Repeats),
        _ => Ok(()),
    }
}

/// A number that depends on a name and a seed alone, by Fowler, Noll and Vo.
fn mix(name: &str, seed: u64) -> u64 {
    let bytes = seed.to_le_bytes().into_iter().chain(name.bytes());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    hash ^ (hash >> 29)
}

/// The splits that test each part once.
fn splits(repeat: usize, parts: Vec<Vec<usize>>) -> Vec<Split> {
    let split = |fold: usize| {
        let others = parts.iter().enumerate().filter(|(other, _)| *other != fold);
        let mut train: Vec<usize> = others.flat_map(|(_, items)| items.iter().copied()).collect();
        let mut test = parts[fold].clone();
        train.sort_unstable();
        test.sort_unstable();
        Split { repeat, fold, train, test, ..Split::default() }
    };
    (0..parts.len()).map(split).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_group_is_on_both_sides_and_every_item_is_tested_once() {
        let names: Vec<String> = (0..200).map(|i| format!("g{}", (i * i) % 37)).collect();
        let groups: Vec<&str> = names.iter().map(String::as_str).collect();
        let found = group_folds(&groups, 5, 2, 7).unwrap();
        assert_eq!(found.len(), 10);
        let mut tested = vec![0; 200];
        for split in &found {
            split.check(200).unwrap();
            assert_eq!(split.train.len() + split.test.len(), 200);
            assert!((30..=50).contains(&split.test.len()), "{}", split.test.len());
            assert!(split.test.iter().all(|&t| split.train.iter().all(|&l| groups[l] != groups[t])));
            split.test.iter().for_each(|&item| tested[item] += 1);
        }
        assert!(tested.iter().all(|&n| n == 2));
        let tests =
            |repeat: usize| found[5 * repeat..5 * repeat + 5].iter().map(|s| &s.test).collect::<Vec<_>>();
        assert_ne!(tests(0), tests(1));
        assert_eq!(group_folds(&groups, 5, 2, 7).unwrap(), found);
    }

    #[test]
    fn training_is_before_testing() {
        let times: Vec<u32> = (0..100).map(|i| (i * 7) % 40).collect();
        let found = time_folds(&times, 4).unwrap();
        assert_eq!(found.len(), 4);
        for split in &found {
            split.check(100).unwrap();
            let last = split.train.iter().map(|&i| times[i]).max().unwrap();
            assert!(split.test.iter().all(|&i| times[i] > last));
        }
        let last = &found[3];
        assert_eq!(last.train.len() + last.test.len(), 100);
        // One time has most items, and each part has one.
        let uneven = [vec![0; 50], vec![1, 2]].concat();
        let sizes: Vec<usize> = time_folds(&uneven, 2).unwrap().iter().map(|s| s.test.len()).collect();
        assert_eq!(sizes, [1, 1]);
    }

    #[test]
    fn too_few_groups_or_times_are_refused() {
        assert_eq!(group_folds(&["a", "b"], 3, 1, 0), Err(FoldError::Groups { groups: 2, folds: 3 }));
        assert_eq!(group_folds(&["a", "b"], 1, 1, 0), Err(FoldError::Folds { found: 1, least: 2 }));
        assert_eq!(group_folds(&["a", "b"], 2, 0, 0), Err(FoldError::Repeats));
        assert_eq!(time_folds(&[1, 1, 2], 2), Err(FoldError::Times { times: 2, folds: 2 }));
        assert_eq!(time_folds(&[1, 2], 0), Err(FoldError::Folds { found: 0, least: 1 }));
    }
}
