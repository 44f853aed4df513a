//! Lengthscales: one mechanism for isotropic, per-channel and per-column scaling.

use serde::{Deserialize, Serialize};

/// Which lengthscale a column is divided by.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Columns {
    /// All columns are left as they are; there is no lengthscale.
    Unscaled,
    /// All columns share one lengthscale.
    Shared,
    /// Column `c` takes the lengthscale with index `map[c]`.
    Mapped(Vec<u32>),
}

/// Positive lengthscales and the columns they belong to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lengthscales {
    /// Which lengthscale a column is divided by.
    pub columns: Columns,
    /// The lengthscales.
    pub values: Vec<f64>,
}

impl Lengthscales {
    /// No scaling and nothing to train: the usual choice for linear kernels, which are scaled by their variance.
    #[must_use]
    pub fn unscaled() -> Self {
        Self { columns: Columns::Unscaled, values: Vec::new() }
    }

    /// One lengthscale for all columns.
    #[must_use]
    pub fn isotropic(value: f64) -> Self {
        Self { columns: Columns::Shared, values: vec![value] }
    }

    /// Column `c` takes lengthscale `groups[c]` of `values`: per channel, per filter, ...
    #[must_use]
    pub fn grouped(groups: Vec<u32>, values: Vec<f64>) -> Self {
        Self { columns: Columns::Mapped(groups), values }
    }

    /// `n_channels` groups of `per_channel` neighboring columns, all starting at `value`.
    #[must_use]
    pub fn per_channel(n_channels: usize, per_channel: usize, value: f64) -> Self {
        let groups = (0..n_channels).flat_map(|channel| std::iter::repeat_n(channel as u32, per_channel));
        Self::grouped(groups.collect(), vec![value; n_channels])
    }

    /// One lengthscale for each column (automatic relevance determination).
    #[must_use]
    pub fn ard(values: Vec<f64>) -> Self {
        Self::grouped((0..values.len() as u32).collect(), values)
    }

    /// Number of columns, where the lengthscales fix it.
    #[must_use]
    pub fn n_columns(&self) -> Option<usize> {
        match &self.columns {
            Columns::Unscaled | Columns::Shared => None,
            Columns::Mapped(map) => Some(map.len()),
        }
    }

    /// Index of the lengthscale of column `c`.
    pub(super) fn index(&self, c: usize) -> Option<usize> {
        match &self.columns {
            Columns::Unscaled => None,
            Columns::Shared => Some(0),
            Columns::Mapped(map) => Some(map[c] as usize),
        }
    }

    /// Lengthscale of column `c`.
    pub(super) fn of_column(&self, c: usize) -> f64 {
        self.index(c).map_or(1.0, |g| self.values[g])
    }

    /// Number of lengthscales that the columns need; groups may be empty, but not missing.
    pub(super) fn n_expected(&self) -> usize {
        match &self.columns {
            Columns::Unscaled => 0,
            Columns::Shared => 1,
            Columns::Mapped(map) => {
                let needed = map.iter().max().map_or(0, |&g| g as usize + 1);
                needed.max(self.values.len())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_are_groups_of_neighboring_columns() {
        let scales = Lengthscales::per_channel(2, 3, 1.5);
        let indices: Vec<_> = (0..6).map(|c| scales.index(c).unwrap()).collect();
        assert_eq!(indices, [0, 0, 0, 1, 1, 1]);
        assert_eq!((scales.values.len(), scales.of_column(4)), (2, 1.5));
    }

    #[test]
    fn every_mode_says_how_many_lengthscales_it_needs() {
        assert_eq!(Lengthscales::unscaled().n_expected(), 0);
        assert_eq!(Lengthscales::isotropic(1.0).n_expected(), 1);
        assert_eq!(Lengthscales::ard(vec![1.0, 2.0]).n_expected(), 2);
        assert_eq!(Lengthscales::grouped(vec![0, 4], vec![1.0]).n_expected(), 5);
    }
}
