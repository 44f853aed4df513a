//! Twins: leaves of a graph that hang on the same vertex.
//!
//! Vectors that live on the leaves of one vertex and sum to zero are eigenvectors, all with the diagonal entry of a leaf as
//! eigenvalue. What is orthogonal to them is constant on the leaves, and the leaves count as one vertex. Both are exact.

use crate::linalg::SparseMat;
use std::collections::HashMap;

/// A partition of the rows of an operator into classes of twins and single rows.
#[derive(Clone, Debug)]
pub(super) struct Twins {
    /// Class of each row.
    pub class: Vec<u32>,
    /// Number of rows in each class.
    pub sizes: Vec<u32>,
    /// Rows of each class of more than one, with their eigenvalue and the column that each is in.
    pub groups: Vec<Group>,
}

/// Leaves of one vertex.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub eigenvalue: f64,
    /// Row and column of each leaf.
    pub leaves: Vec<(u32, u32)>,
}

impl Twins {
    /// The classes of `b`, whose columns have two entries, or every row alone if `enabled` is false.
    pub fn new(b: &SparseMat, enabled: bool) -> Self {
        let n = b.n_rows();
        let mut group_of = vec![u32::MAX; n];
        let mut groups: Vec<Group> = Vec::new();
        if enabled {
            let mut degree = vec![0u32; n];
            (0..b.n_cols()).for_each(|j| b.column(j).0.iter().for_each(|&i| degree[i as usize] += 1));
            let mut known: HashMap<(u32, u64, u64), Vec<(u32, u32)>> = HashMap::new();
            let mut order = Vec::new();
            for j in 0..b.n_cols() {
                let (&[p, q], &[x, y]) = b.column(j) else { continue };
                let (leaf, parent, own) = match (degree[p as usize], degree[q as usize]) {
                    (1, 2..) => (p, q, x),
                    (2.., 1) => (q, p, y),
                    _ => continue,
                };
                let key = (parent, (own * own).to_bits(), (x * y).to_bits());
                let leaves = known.entry(key).or_default();
                if leaves.is_empty() {
                    order.push(key);
                }
                leaves.push((leaf, j as u32));
            }
            for key in order {
                let leaves = known.remove(&key).unwrap_or_default();
                if leaves.len() > 1 {
                    leaves.iter().for_each(|&(leaf, _)| group_of[leaf as usize] = groups.len() as u32);
                    groups.push(Group { eigenvalue: f64::from_bits(key.1), leaves });
                }
            }
        }
        let mut class_of_group = vec![u32::MAX; groups.len()];
        let (mut class, mut sizes): (Vec<u32>, Vec<u32>) = (Vec::with_capacity(n), Vec::new());
        for i in 0..n {
            let group = group_of[i] as usize;
            let known = class_of_group.get(group).copied().filter(|&c| c != u32::MAX);
            let own = known.unwrap_or(sizes.len() as u32);
            if known.is_none() {
                sizes.push(0);
                if let Some(slot) = class_of_group.get_mut(group) {
                    *slot = own;
                }
            }
            sizes[own as usize] += 1;
            class.push(own);
        }
        Self { class, sizes, groups }
    }

    /// Number of classes.
    pub fn len(&self) -> usize {
        self.sizes.len()
    }

    /// Entry of the unit vector of a class at each of its rows.
    pub fn unit(&self, row: usize) -> f64 {
        1.0 / f64::from(self.sizes[self.class[row] as usize]).sqrt()
    }
}
