//! Deterministic folds: items are distributed in turn.

use super::Split;
use hodgelet::dataset::Targets;

/// Deals `n` items into folds, class after class or from the lowest target to the highest, so that every fold has its
/// share. The split of a fold tests it and trains on all others; the same targets always give the same folds.
#[must_use]
pub fn deal_folds(targets: &Targets, n: usize, folds: usize) -> Vec<Split> {
    let mut order: Vec<usize> = (0..n).collect();
    match targets {
        Targets::None => {}
        Targets::Classes { labels, .. } => order.sort_by_key(|&i| labels[i]),
        Targets::Real(values) => order.sort_by(|&a, &b| values[a].total_cmp(&values[b])),
    }
    let split = |fold: usize| {
        let test: Vec<usize> = order.iter().copied().skip(fold).step_by(folds).collect();
        let others = order.iter().enumerate().filter(|(place, _)| place % folds != fold);
        let mut train: Vec<usize> = others.map(|(_, &i)| i).collect();
        train.sort_unstable();
        Split { fold, train, test, ..Split::default() }
    };
    (0..folds).map(split).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_and_ranks_are_dealt_evenly() {
        let tests = |targets: &Targets, n, folds| -> Vec<Vec<usize>> {
            deal_folds(targets, n, folds).into_iter().map(|split| split.test).collect()
        };
        let names = vec!["a".to_owned(), "b".to_owned()];
        let classes = Targets::Classes { names, labels: vec![0, 1, 0, 1, 0, 1, 0] };
        assert_eq!(tests(&classes, 7, 3), [vec![0, 6, 5], vec![2, 1], vec![4, 3]]);
        assert_eq!(tests(&Targets::Real(vec![3.0, 1.0, 2.0, 4.0]), 4, 2), [[1, 0], [2, 3]]);
    }

    #[test]
    fn a_fold_trains_on_all_others_in_their_order() {
        let targets = Targets::Real(vec![5.0, 1.0, 4.0, 2.0, 3.0]);
        for (fold, split) in deal_folds(&targets, 5, 3).iter().enumerate() {
            let others: Vec<usize> = (0..5).filter(|i| !split.test.contains(i)).collect();
            assert_eq!((split.repeat, split.fold, &split.train), (0, fold, &others));
            assert_eq!(split.check(5), Ok(()));
        }
    }
}
