//! Which graphs are held out: drawn by the seed, and by nothing else.
//!
//! The guarantee over all graphs needs a draw that does not look at targets: a calibration part with as many graphs of each
//! class as the training data is not exchangeable with a new graph, whose class is chance. Within a class it is, and there
//! the draw is made class by class, so that each has its share.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// Share of the graphs that split conformal prediction holds out: one in this many.
const HELD_OUT: usize = 4;

/// Keeps the draw apart from others with the same seed.
const STREAM: u64 = 0x636f_6e66_6f72_6d61;

/// One graph in [`HELD_OUT`] of `n`, at least one; of each class of two graphs or more if classes are given.
pub(super) fn calibration(n: usize, classes: Option<&[u32]>, seed: u64) -> Vec<usize> {
    let share = |part: &[usize], least: usize| part[..(part.len() / HELD_OUT).max(least)].to_vec();
    let order = shuffled(n, seed);
    let mut held = match classes {
        None => share(&order, 1.min(n)),
        Some(labels) => by_class(&order, labels)
            .iter()
            .flat_map(|members| share(members, usize::from(members.len() > 1)))
            .collect(),
    };
    held.sort_unstable();
    held
}

/// All of `n` graphs, dealt into `folds` parts, class after class if classes are given.
pub(super) fn folds(n: usize, folds: usize, classes: Option<&[u32]>, seed: u64) -> Vec<Vec<usize>> {
    let mut order = shuffled(n, seed);
    if let Some(labels) = classes {
        order = by_class(&order, labels).concat();
    }
    let part = |k: usize| {
        let mut part: Vec<usize> = order.iter().copied().skip(k).step_by(folds).collect();
        part.sort_unstable();
        part
    };
    (0..folds).map(part).collect()
}

fn shuffled(n: usize, seed: u64) -> Vec<usize> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(STREAM);
    let mut order: Vec<usize> = (0..n).collect();
    order.shuffle(&mut rng);
    order
}

/// The members of each class, in this order.
fn by_class(order: &[usize], labels: &[u32]) -> Vec<Vec<usize>> {
    let n_classes = labels.iter().map(|&label| label as usize + 1).max().unwrap_or(0);
    let mut members = vec![Vec::new(); n_classes];
    order.iter().for_each(|&i| members[labels[i] as usize].push(i));
    members
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_is_held_out_and_every_seed_holds_out_another() {
        for (n, expected) in [(3, 1), (4, 1), (7, 1), (8, 2), (100, 25)] {
            let held = calibration(n, None, 0);
            assert_eq!(held.len(), expected);
            assert!(held.windows(2).all(|pair| pair[0] < pair[1]) && held[held.len() - 1] < n);
        }
        assert_eq!(calibration(100, None, 3), calibration(100, None, 3));
        assert_ne!(calibration(100, None, 3), calibration(100, None, 4));
    }

    #[test]
    fn folds_are_a_partition_of_sizes_that_differ_by_one() {
        let labels: Vec<u32> = (0..23).map(|i| u32::from(i % 5 == 0)).collect();
        for classes in [None, Some(&labels[..])] {
            let parts = folds(23, 4, classes, 1);
            let mut all = parts.concat();
            all.sort_unstable();
            assert_eq!(all, (0..23).collect::<Vec<_>>());
            assert!(parts.iter().all(|part| part.len() == 5 || part.len() == 6));
        }
        let of_class = |part: &Vec<usize>| part.iter().filter(|&&i| labels[i] == 1).count();
        let counts: Vec<usize> = folds(23, 4, Some(&labels), 1).iter().map(of_class).collect();
        assert!(counts.iter().all(|&count| count == 1 || count == 2), "{counts:?}");
    }

    #[test]
    fn each_class_has_its_share_where_that_is_asked_for() {
        let labels: Vec<u32> = (0..50).map(|i| [0, 1, 1, 1, 2][i % 5]).chain([3]).collect();
        let held = calibration(51, Some(&labels), 7);
        let count = |class: u32| held.iter().filter(|&&i| labels[i] == class).count();
        assert_eq!([0, 1, 2, 3].map(count), [2, 7, 2, 0]);
    }
}
