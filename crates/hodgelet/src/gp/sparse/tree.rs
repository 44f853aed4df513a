//! Sums whose bits do not depend on where their terms are computed.
//!
//! Terms are numbered from 0 and added along a binary tree over their numbers: node `(level, index)` is the sum of the terms
//! from `index · 2^level` up to `(index + 1) · 2^level`, and is always the sum of its two halves. Whoever has some terms adds
//! up the nodes that these fill, a number of them logarithmic in that of the terms, and all nodes together give the total.

use serde::{Deserialize, Serialize};

/// What can be added.
pub trait Term {
    /// Adds `other` to it.
    fn add(&mut self, other: &Self);
}

/// A node of the tree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Node<T> {
    level: u32,
    index: usize,
    value: T,
}

/// The nodes that the terms seen so far fill, in order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TreeSum<T> {
    nodes: Vec<Node<T>>,
}

impl<T> Default for TreeSum<T> {
    fn default() -> Self {
        Self { nodes: Vec::new() }
    }
}

impl<T: Term> TreeSum<T> {
    /// Adds term number `index`, which comes after all others here.
    pub fn push(&mut self, index: usize, value: T) {
        self.push_node(Node { level: 0, index, value });
    }

    /// Adds what `later` has, whose terms come after those here.
    pub fn append(&mut self, later: Self) {
        later.nodes.into_iter().for_each(|node| self.push_node(node));
    }

    fn push_node(&mut self, mut node: Node<T>) {
        // A right half joins the left half that stands before it.
        while let Some(left) = self.nodes.pop() {
            if left.level != node.level || left.index % 2 == 1 || left.index + 1 != node.index {
                self.nodes.push(left);
                break;
            }
            let Node { level, index, mut value } = left;
            value.add(&node.value);
            node = Node { level: level + 1, index: index / 2, value };
        }
        self.nodes.push(node);
    }

    /// Number of nodes.
    #[must_use]
    pub fn n_nodes(&self) -> usize {
        self.nodes.len()
    }

    /// The sum of all terms; `None` when there is none, or terms between the first and the last are missing.
    ///
    /// Where the number of terms is no power of two, the nodes at the end are added from the last to the first.
    #[must_use]
    pub fn total(mut self) -> Option<T> {
        let (mut start, mut nodes) = (0, Vec::new());
        for node in self.nodes.drain(..) {
            if node.index << node.level != start {
                return None;
            }
            start += 1 << node.level;
            nodes.push(node);
        }
        let mut total = nodes.pop()?.value;
        while let Some(Node { mut value, .. }) = nodes.pop() {
            value.add(&total);
            total = value;
        }
        Some(total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Term for f64 {
        fn add(&mut self, other: &Self) {
            *self += other;
        }
    }

    fn term(i: usize) -> f64 {
        (1.3 * i as f64).sin() * 10f64.powi((i % 17) as i32 - 8)
    }

    fn sum(parts: &[(usize, usize)]) -> Option<f64> {
        let mut whole = TreeSum::default();
        for &(first, end) in parts {
            let mut own = TreeSum::default();
            (first..end).for_each(|i| own.push(i, term(i)));
            assert!(own.n_nodes() <= 2 * 10, "a logarithmic number of nodes");
            whole.append(own);
        }
        whole.total()
    }

    #[test]
    fn any_parts_give_the_same_bits() {
        for n in [1, 2, 3, 7, 8, 64, 100, 333] {
            let expected = sum(&[(0, n)]).unwrap();
            let plain: f64 = (0..n).map(term).sum();
            assert!((expected - plain).abs() <= 1e-12 * (0..n).map(|i| term(i).abs()).sum::<f64>());
            for cuts in 1..=17.min(n) {
                let parts: Vec<_> = (0..cuts).map(|k| (k * n / cuts, (k + 1) * n / cuts)).collect();
                assert_eq!(
                    sum(&parts).map(f64::to_bits),
                    Some(expected.to_bits()),
                    "{n} terms, {cuts} parts"
                );
            }
        }
    }

    #[test]
    fn a_missing_term_is_noticed() {
        assert_eq!(sum(&[(0, 3), (4, 9)]), None);
        assert_eq!(sum(&[(1, 3)]), None);
        assert_eq!(TreeSum::<f64>::default().total(), None);
    }
}
