//! Points given by sparse rows, which enter a kernel through their distances or inner products alone.
//!
//! A row is a list of identifiers, ascending, with a value each. There is no table of columns: an identifier that only one
//! row has needs nothing but its share of that row's norm, since
//!
//! ```text
//! ‖s − s'‖² = ‖s‖² + ‖s'‖² − 2⟨s, s'⟩
//! ```
//!
//! Inner products come from an inverted index, one addition for each pair of rows that share an identifier, in the order of
//! identifiers. So they have the same bits for any number of threads and whichever row comes first, and equal rows are at
//! distance exactly 0.

use crate::linalg::dense::{for_each, panels};
use faer::{Mat, Par};
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// A squared distance below this share of `‖s‖² + ‖s'‖²` is computed again from the differences.
const CLOSE: f64 = 1e-6;

/// How two rows are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum RowProduct {
    /// The inner product.
    #[default]
    Inner,
    /// The sum of smaller values over the sum of larger ones, that of Tanimoto for values 0 and 1; values are not negative.
    /// A row's product with itself is 1.
    MinMax,
}

/// Points given by sparse rows.
#[derive(Clone, Debug, Default)]
pub struct SparseRows {
    product: RowProduct,
    starts: Vec<usize>, // [n + 1]
    ids: Vec<u64>,      // ascending in each row
    values: Vec<f64>,
    totals: Vec<f64>, // squared norms, or sums of values, [n]
    index: OnceLock<Index>,
}

impl PartialEq for SparseRows {
    fn eq(&self, other: &Self) -> bool {
        (self.product, &self.starts, &self.ids, &self.values)
            == (other.product, &other.starts, &other.ids, &other.values)
    }
}

/// Which rows have an identifier.
#[derive(Clone, Debug)]
struct Index {
    ids: Vec<u64>,      // ascending
    starts: Vec<usize>, // [n_ids + 1]
    rows: Vec<u32>,     // ascending for each identifier
    values: Vec<f64>,
    entries: Vec<u32>, // per entry of the rows, the place of its identifier
}

impl SparseRows {
    /// No rows yet.
    #[must_use]
    pub fn new(product: RowProduct) -> Self {
        Self { product, starts: vec![0], ..Self::default() }
    }

    /// Adds a row, whose identifiers must ascend.
    ///
    /// # Panics
    ///
    /// When they do not, or a value is not finite.
    pub fn push(&mut self, row: impl IntoIterator<Item = (u64, f64)>) {
        let first = self.ids.len();
        for (id, value) in row {
            assert!(self.ids.len() == first || *self.ids.last().unwrap_or(&0) < id, "identifiers ascend");
            assert!(value.is_finite(), "values are finite");
            self.ids.push(id);
            self.values.push(value);
        }
        let values = self.values[first..].iter();
        let total = match self.product {
            RowProduct::Inner => values.map(|v| v * v).sum(),
            RowProduct::MinMax => values.sum(),
        };
        self.starts.push(self.ids.len());
        self.totals.push(total);
        self.index.take();
    }

    /// How rows are compared.
    #[must_use]
    pub fn product(&self) -> RowProduct {
        self.product
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.totals.len()
    }

    /// Whether there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.totals.is_empty()
    }

    /// Number of entries in all rows.
    #[must_use]
    pub fn n_entries(&self) -> usize {
        self.ids.len()
    }

    /// The entries of row `i`.
    pub fn row(&self, i: usize) -> impl Iterator<Item = (u64, f64)> + '_ {
        let range = self.starts[i]..self.starts[i + 1];
        self.ids[range.clone()].iter().copied().zip(self.values[range].iter().copied())
    }

    /// The rows `indices`, in that order.
    #[must_use]
    pub fn select(&self, indices: &[usize]) -> Self {
        let mut out = Self::new(self.product);
        indices.iter().for_each(|&i| out.push(self.row(i)));
        out
    }

    /// These rows, then those of `later`.
    #[must_use]
    pub fn followed_by(&self, later: &Self) -> Self {
        let mut out = self.clone();
        (0..later.len()).for_each(|i| out.push(later.row(i)));
        out
    }

    /// The product of row `i` with itself.
    #[must_use]
    pub fn own_product(&self, i: usize) -> f64 {
        match self.product {
            RowProduct::Inner => self.totals[i],
            RowProduct::MinMax => 1.0,
        }
    }

    fn index(&self) -> &Index {
        self.index.get_or_init(|| {
            let row_of = |i: usize| (self.starts[i]..self.starts[i + 1]).map(move |e| (e, i as u32));
            let mut order: Vec<(u64, u32, u32)> =
                (0..self.len()).flat_map(row_of).map(|(e, i)| (self.ids[e], i, e as u32)).collect();
            order.sort_unstable();
            let (mut ids, mut starts, mut entries) = (Vec::new(), Vec::new(), vec![0; order.len()]);
            for (at, &(id, _, entry)) in order.iter().enumerate() {
                if ids.last() != Some(&id) {
                    ids.push(id);
                    starts.push(at);
                }
                entries[entry as usize] = (ids.len() - 1) as u32;
            }
            starts.push(order.len());
            let rows = order.iter().map(|&(_, row, _)| row).collect();
            let values = order.iter().map(|&(.., e)| self.values[e as usize]).collect();
            Index { ids, starts, rows, values, entries }
        })
    }

    /// Adds what the entry `(place, value)` has in common with the rows of the index from `first` to `sums`.
    fn gather(&self, place: usize, value: f64, first: usize, sums: &mut [f64]) {
        let index = self.index();
        let range = index.starts[place]..index.starts[place + 1];
        let skipped = index.rows[range.clone()].partition_point(|&row| (row as usize) < first);
        let range = range.start + skipped..range.end;
        let others = index.rows[range.clone()].iter().zip(&index.values[range]);
        match self.product {
            RowProduct::Inner => others.for_each(|(&row, w)| sums[row as usize - first] += value * w),
            RowProduct::MinMax => others.for_each(|(&row, w)| sums[row as usize - first] += value.min(*w)),
        }
    }

    /// Turns sums over common identifiers of `other`'s row `j` with rows from `first` into products, or squared distances.
    fn finish(&self, other: &Self, j: usize, first: usize, distances: bool, sums: &mut [f64]) {
        let own = other.totals[j];
        for (offset, sum) in sums.iter_mut().enumerate() {
            let i = first + offset;
            let total = own + self.totals[i];
            match self.product {
                RowProduct::MinMax => {
                    let union = total - *sum;
                    let share = if union > 0.0 { *sum / union } else { 1.0 };
                    *sum = if distances { 2.0 - 2.0 * share } else { share };
                }
                RowProduct::Inner if distances => {
                    *sum = total - 2.0 * *sum;
                    if *sum <= CLOSE * total {
                        *sum = difference(self, i, other, j);
                    }
                }
                RowProduct::Inner => {}
            }
        }
    }

    /// Squared distances (or products) of row `j` with the rows from `j` on, into `out`.
    pub(super) fn column(&self, j: usize, distances: bool, out: &mut [f64]) {
        out.fill(0.0);
        let index = self.index();
        for entry in self.starts[j]..self.starts[j + 1] {
            self.gather(index.entries[entry] as usize, self.values[entry], j, out);
        }
        self.finish(self, j, j, distances, out);
    }

    /// Squared distances (or products) of row `j` of `other` with all rows, into `out`.
    pub(super) fn cross_column(&self, other: &Self, j: usize, distances: bool, out: &mut [f64]) {
        out.fill(0.0);
        let index = self.index();
        for (id, value) in other.row(j) {
            if let Ok(place) = index.ids.binary_search(&id) {
                self.gather(place, value, 0, out);
            }
        }
        self.finish(other, j, 0, distances, out);
    }

    /// The lower triangle of all squared distances, `[n, n]`.
    ///
    /// # Complexity
    ///
    /// An addition for each pair of rows and each identifier that they share.
    #[must_use]
    pub fn squared_distances(&self, par: Par) -> Mat<f64> {
        let mut out = Mat::zeros(self.len(), self.len());
        self.index();
        for_each(panels(out.as_mut()), par, |(first, mut panel)| {
            for j in 0..panel.ncols() {
                self.column(first + j, true, &mut super::forward::column_mut(&mut panel, j)[first + j..]);
            }
        });
        out
    }

    /// The largest root of a row's product with itself.
    pub(super) fn reach(&self) -> f64 {
        (0..self.len()).map(|i| self.own_product(i)).fold(0.0, f64::max).sqrt()
    }
}

/// The squared distance of two rows, from their differences.
fn difference(left: &SparseRows, i: usize, right: &SparseRows, j: usize) -> f64 {
    let (mut a, mut b) = (left.row(i).peekable(), right.row(j).peekable());
    let mut sum = 0.0;
    loop {
        let step = match (a.peek(), b.peek()) {
            (None, None) => return sum,
            (Some(x), Some(y)) => x.0.cmp(&y.0),
            (Some(_), None) => std::cmp::Ordering::Less,
            (None, Some(_)) => std::cmp::Ordering::Greater,
        };
        let x = if step.is_le() { a.next().map_or(0.0, |x| x.1) } else { 0.0 };
        let y = if step.is_ge() { b.next().map_or(0.0, |y| y.1) } else { 0.0 };
        sum += (x - y) * (x - y);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(product: RowProduct) -> SparseRows {
        let mut out = SparseRows::new(product);
        out.push([(3, 1.0), (7, 2.0), (u64::MAX, 0.5)]);
        out.push([(7, 1.0)]);
        out.push([]);
        out.push([(3, 1.0), (7, 2.0), (u64::MAX, 0.5)]);
        out.push([(3, 1.0 + 1e-9), (7, 2.0), (u64::MAX, 0.5)]);
        out
    }

    #[test]
    fn distances_are_those_of_the_differences() {
        let rows = rows(RowProduct::Inner);
        let d = rows.squared_distances(Par::Seq);
        let mut cross = vec![0.0; 5];
        for j in 0..5 {
            rows.cross_column(&rows, j, true, &mut cross);
            for i in j..5 {
                assert!((d[(i, j)] - difference(&rows, i, &rows, j)).abs() < 1e-15, "({i}, {j})");
                assert_eq!(d[(i, j)].to_bits(), cross[i].to_bits(), "({i}, {j})");
            }
        }
        assert_eq!((d[(1, 0)], d[(2, 0)], d[(3, 0)]), (2.25, 5.25, 0.0));
        assert!((d[(4, 0)] - 1e-18).abs() < 1e-24, "{}", d[(4, 0)]);
    }

    #[test]
    fn an_identifier_without_a_match_adds_to_the_norm_alone() {
        let known = rows(RowProduct::Inner);
        let mut new = SparseRows::new(RowProduct::Inner);
        new.push([(4, 3.0), (7, 2.0)]);
        let mut out = vec![0.0; 5];
        known.cross_column(&new, 0, true, &mut out);
        assert_eq!(out[..3], [1.0 + 9.0 + 0.25, 10.0, 13.0]);
    }

    #[test]
    fn minmax_is_the_share_of_common_values() {
        let rows = rows(RowProduct::MinMax);
        let mut out = vec![0.0; 5];
        rows.cross_column(&rows, 0, false, &mut out);
        assert_eq!(out[..4], [1.0, 1.0 / 3.5, 0.0, 1.0]);
        rows.cross_column(&rows, 2, false, &mut out);
        assert_eq!(out[2], 1.0); // two empty rows are equal
        assert_eq!(rows.squared_distances(Par::Seq)[(1, 0)], 2.0 - 2.0 / 3.5);
    }

    #[test]
    fn rows_are_selected_and_joined() {
        let all = rows(RowProduct::Inner);
        let some = all.select(&[1, 0]);
        assert_eq!(some.row(0).collect::<Vec<_>>(), [(7, 1.0)]);
        assert_eq!(some.followed_by(&all.select(&[2, 3])), all.select(&[1, 0, 2, 3]));
    }
}
