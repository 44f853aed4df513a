//! Exact collapse of duplicate feature rows: equal inputs share one latent value.
//!
//! Isomorphic graphs have equal features. Merging their rows and summing their likelihood terms gives the same
//! posterior at a fraction of the cost, and keeps the Gram matrix from being singular.

use faer::MatRef;
use serde::{Deserialize, Serialize};

/// Groups of equal rows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Collapse {
    groups: Vec<usize>,
    representatives: Vec<usize>,
}

impl Collapse {
    /// Groups rows of `features` `[n, n_features]` that differ by at most `tolerance` times the largest absolute
    /// value of a column, in every column, from the representative of the group. Groups are numbered in the order
    /// in which they first appear. Rows are compared with the representative, not with other members of the group.
    ///
    /// # Errors
    ///
    /// [`CollapseError`] when a feature is not finite or the tolerance is not in `[0, 1)`.
    ///
    /// # Complexity
    ///
    /// `O(n F + n log n)`, plus `F` for every pair of rows whose projections on a fixed direction are as near as
    /// those of equal rows.
    pub fn new(features: MatRef<'_, f64>, tolerance: f64) -> Result<Self, CollapseError> {
        if !(0.0..1.0).contains(&tolerance) {
            return Err(CollapseError::Tolerance { value: tolerance });
        }
        let scales = column_scales(features)?;
        let projections = project(features, &scales);
        let mut order: Vec<usize> = (0..features.nrows()).collect();
        order.sort_by(|&a, &b| projections[a].total_cmp(&projections[b]).then(a.cmp(&b)));
        // Equal rows have weights below 1 in the projection, and sums round a little.
        let width = features.ncols() as f64 + 1.0;
        let window = (tolerance + 8.0 * f64::EPSILON * width) * width;
        let equal = |a: usize, b: usize| {
            scales
                .iter()
                .enumerate()
                .all(|(j, scale)| (features[(a, j)] - features[(b, j)]).abs() <= tolerance * scale)
        };
        let mut seeds: Vec<usize> = Vec::new();
        let mut seed_of = vec![0; features.nrows()];
        let mut first = 0;
        for &row in &order {
            while first < seeds.len() && projections[row] - projections[seeds[first]] > window {
                first += 1;
            }
            let seed = seeds[first..].iter().copied().find(|&seed| equal(seed, row));
            seed_of[row] = seed.unwrap_or(row);
            if seed.is_none() {
                seeds.push(row);
            }
        }
        Ok(Self::from_seeds(&seed_of))
    }

    /// No row shares a group.
    #[must_use]
    pub fn none(n: usize) -> Self {
        Self { groups: (0..n).collect(), representatives: (0..n).collect() }
    }

    fn from_seeds(seed_of: &[usize]) -> Self {
        let mut number = vec![None; seed_of.len()];
        let (mut groups, mut representatives) = (Vec::with_capacity(seed_of.len()), Vec::new());
        for &seed in seed_of {
            let group = *number[seed].get_or_insert_with(|| {
                representatives.push(seed);
                representatives.len() - 1
            });
            groups.push(group);
        }
        Self { groups, representatives }
    }

    /// Group of each row, `[n]`: the latent points of the observations.
    #[must_use]
    pub fn groups(&self) -> &[usize] {
        &self.groups
    }

    /// A row of each group, `[n_groups]`.
    #[must_use]
    pub fn representatives(&self) -> &[usize] {
        &self.representatives
    }

    /// Number of groups.
    #[must_use]
    pub fn n_groups(&self) -> usize {
        self.representatives.len()
    }
}

/// Largest absolute value of each column.
fn column_scales(features: MatRef<'_, f64>) -> Result<Vec<f64>, CollapseError> {
    let mut scales = Vec::with_capacity(features.ncols());
    for (column, values) in features.col_iter().enumerate() {
        if let Some(row) = values.iter().position(|value| !value.is_finite()) {
            return Err(CollapseError::NotFinite { row, column, value: values[row] });
        }
        scales.push(values.iter().fold(0.0, |top: f64, value| top.max(value.abs())));
    }
    Ok(scales)
}

/// Each row on a fixed direction, its columns in units of their scale and weighted between ½ and 1.
fn project(features: MatRef<'_, f64>, scales: &[f64]) -> Vec<f64> {
    let mut projections = vec![0.0; features.nrows()];
    for (j, &scale) in scales.iter().enumerate().filter(|&(_, &scale)| scale > 0.0) {
        // Multiples of the golden ratio: distinct for every column, so that equal sums are rare by accident.
        let weight = 0.5 + 0.5 * (0.618_033_988_749_894_9 * (j + 1) as f64).fract();
        for (projection, value) in projections.iter_mut().zip(features.col(j).iter()) {
            *projection += weight * (value / scale);
        }
    }
    projections
}

/// What can be wrong with a request to collapse rows.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CollapseError {
    /// A feature is NaN or infinite.
    #[error("feature {column} of row {row} is {value}, expected a finite number")]
    NotFinite {
        /// Index of the row.
        row: usize,
        /// Index of the column.
        column: usize,
        /// What was found.
        value: f64,
    },
    /// The tolerance is not a relative tolerance.
    #[error("tolerance must be at least 0 and below 1, got {value}")]
    Tolerance {
        /// What was found.
        value: f64,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use faer::{Mat, mat};

    #[test]
    fn equal_rows_share_a_group_and_others_do_not() {
        let features =
            mat![[1.0, 2.0], [0.0, 5.0], [1.0, 2.0], [1.0, 2.1], [0.0, 5.0 + 1e-12], [1.0 - 1e-13, 2.0]];
        let exact = Collapse::new(features.as_ref(), 0.0).unwrap();
        assert_eq!(exact.groups(), &[0, 1, 0, 2, 3, 4]);
        let near = Collapse::new(features.as_ref(), 1e-9).unwrap();
        assert_eq!(near.groups(), &[0, 1, 0, 2, 1, 0]);
        assert_eq!(near.n_groups(), 3);
    }

    #[test]
    fn a_chain_of_near_rows_is_not_one_group() {
        let features = Mat::from_fn(10, 1, |i, _| 1.0 + 0.9e-3 * i as f64);
        let collapse = Collapse::new(features.as_ref(), 1e-3).unwrap();
        for (row, &group) in collapse.groups().iter().enumerate() {
            let representative = collapse.representatives()[group];
            assert!((features[(row, 0)] - features[(representative, 0)]).abs() <= 1.1e-3);
        }
        assert_eq!(collapse.n_groups(), 5);
    }

    #[test]
    fn brute_force_finds_the_same_duplicates() {
        let features = Mat::from_fn(200, 7, |i, j| ((i % 37) * (j + 3) % 11) as f64 * 1e8 - j as f64);
        let collapse = Collapse::new(features.as_ref(), 1e-10).unwrap();
        for a in 0..200 {
            for b in 0..200 {
                let equal = (0..7).all(|j| features[(a, j)] == features[(b, j)]);
                assert_eq!(equal, collapse.groups()[a] == collapse.groups()[b]);
            }
        }
        assert!(collapse.representatives().iter().enumerate().all(|(g, &row)| collapse.groups()[row] == g));
    }

    #[test]
    fn degenerate_matrices_are_accepted_and_invalid_values_refused() {
        assert_eq!(Collapse::new(Mat::zeros(0, 3).as_ref(), 0.0).unwrap().n_groups(), 0);
        assert_eq!(Collapse::new(Mat::zeros(4, 0).as_ref(), 0.0).unwrap().n_groups(), 1);
        assert_eq!(Collapse::new(Mat::zeros(4, 2).as_ref(), 1e-9).unwrap().n_groups(), 1);
        let message = |features: Mat<f64>, tolerance| {
            Collapse::new(features.as_ref(), tolerance).unwrap_err().to_string()
        };
        assert_eq!(
            message(Mat::from_fn(2, 2, |i, j| if i + j == 2 { f64::NAN } else { 0.0 }), 0.0),
            "feature 1 of row 1 is NaN, expected a finite number"
        );
        assert_eq!(message(Mat::zeros(1, 1), -1.0), "tolerance must be at least 0 and below 1, got -1");
    }
}
