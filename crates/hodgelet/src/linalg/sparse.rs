//! Sparse matrices by compressed columns with 32-bit indices: boundary operators and signals.

use faer::Mat;

/// A sparse matrix stored column by column; within a column, rows ascend and are distinct.
#[derive(Clone, Debug, PartialEq)]
pub struct SparseMat {
    n_rows: usize,
    starts: Vec<u32>, // [n_cols + 1]
    rows: Vec<u32>,   // [n_entries]
    values: Vec<f64>, // [n_entries]
}

impl SparseMat {
    /// A matrix with `n_rows` rows and no columns yet; see [`push_column`](Self::push_column).
    #[must_use]
    pub fn with_rows(n_rows: usize) -> Self {
        Self { n_rows, starts: vec![0], rows: Vec::new(), values: Vec::new() }
    }

    /// As [`with_rows`](Self::with_rows), with room for `n_cols` columns of `per_column` entries.
    #[must_use]
    pub fn with_capacity(n_rows: usize, n_cols: usize, per_column: usize) -> Self {
        let mut starts = Vec::with_capacity(n_cols + 1);
        starts.push(0);
        let n = n_cols * per_column;
        Self { n_rows, starts, rows: Vec::with_capacity(n), values: Vec::with_capacity(n) }
    }

    /// The zero matrix.
    #[must_use]
    pub fn zeros(n_rows: usize, n_cols: usize) -> Self {
        Self { n_rows, starts: vec![0; n_cols + 1], rows: Vec::new(), values: Vec::new() }
    }

    /// Every non-zero entry of a row-major slice `[n_rows, n_cols]`.
    ///
    /// # Panics
    ///
    /// When `values` does not have `n_rows * n_cols` entries.
    #[must_use]
    pub fn from_row_major(n_rows: usize, n_cols: usize, values: &[f64]) -> Self {
        assert_eq!(values.len(), n_rows * n_cols, "a row-major slice holds every entry");
        let mut out = Self::with_capacity(n_rows, n_cols, n_rows);
        for j in 0..n_cols {
            let column = (0..n_rows).map(|i| (i as u32, values[i * n_cols + j]));
            out.push_column(column.filter(|&(_, v)| v != 0.0));
        }
        out
    }

    /// Appends a column given by `(row, value)` pairs in any order; the rows must be distinct and in range.
    ///
    /// # Panics
    ///
    /// When a row is out of range or appears twice, or when the matrix passes 2³² entries.
    pub fn push_column(&mut self, entries: impl IntoIterator<Item = (u32, f64)>) {
        let start = self.rows.len();
        for (row, value) in entries {
            // Insertion from the end: columns are short, or come in order already.
            let mut at = self.rows.len();
            while at > start && self.rows[at - 1] > row {
                at -= 1;
            }
            assert!((row as usize) < self.n_rows, "row {row} of a matrix with {} rows", self.n_rows);
            assert!(at == start || self.rows[at - 1] != row, "row {row} appears twice in a column");
            if at == self.rows.len() {
                self.rows.push(row);
                self.values.push(value);
            } else {
                self.rows.insert(at, row);
                self.values.insert(at, value);
            }
        }
        self.starts.push(u32::try_from(self.rows.len()).expect("a matrix has fewer than 2^32 entries"));
    }

    /// Number of rows.
    #[must_use]
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }

    /// Number of columns.
    #[must_use]
    pub fn n_cols(&self) -> usize {
        self.starts.len() - 1
    }

    /// Number of stored entries.
    #[must_use]
    pub fn n_entries(&self) -> usize {
        self.rows.len()
    }

    /// Rows and values of column `j`.
    #[must_use]
    pub fn column(&self, j: usize) -> (&[u32], &[f64]) {
        let range = self.starts[j] as usize..self.starts[j + 1] as usize;
        (&self.rows[range.clone()], &self.values[range])
    }

    /// The `(row, value)` pairs of column `j`, rows ascending.
    pub fn entries(&self, j: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let (rows, values) = self.column(j);
        rows.iter().zip(values).map(|(&i, &v)| (i as usize, v))
    }

    /// All stored values, column by column.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The transpose.
    #[must_use]
    pub fn transpose(&self) -> Self {
        let mut starts = vec![0u32; self.n_rows + 1];
        for &i in &self.rows {
            starts[i as usize + 1] += 1;
        }
        for i in 0..self.n_rows {
            starts[i + 1] += starts[i];
        }
        let mut next = starts.clone();
        let (mut rows, mut values) = (vec![0; self.rows.len()], vec![0.0; self.rows.len()]);
        for j in 0..self.n_cols() {
            for (i, v) in self.entries(j) {
                let at = next[i] as usize;
                (rows[at], values[at]) = (j as u32, v);
                next[i] += 1;
            }
        }
        Self { n_rows: self.n_cols(), starts, rows, values }
    }

    /// `diag(row) · A · diag(column)`.
    #[must_use]
    pub fn scaled(&self, row: &[f64], column: &[f64]) -> Self {
        let mut out = self.clone();
        for (j, &scale) in column.iter().enumerate() {
            for at in self.starts[j] as usize..self.starts[j + 1] as usize {
                out.values[at] *= row[self.rows[at] as usize] * scale;
            }
        }
        out
    }

    /// `out = A x`.
    pub fn mul(&self, x: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for (j, &xj) in x.iter().enumerate() {
            for (i, v) in self.entries(j) {
                out[i] += v * xj;
            }
        }
    }

    /// `out = Aᵀ x`.
    pub fn mul_transpose(&self, x: &[f64], out: &mut [f64]) {
        for (j, o) in out.iter_mut().enumerate() {
            *o = self.entries(j).map(|(i, v)| v * x[i]).sum();
        }
    }

    /// The same matrix with every entry stored.
    #[must_use]
    pub fn to_dense(&self) -> Mat<f64> {
        let mut out = Mat::zeros(self.n_rows, self.n_cols());
        for j in 0..self.n_cols() {
            for (i, v) in self.entries(j) {
                out[(i, j)] = v;
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> SparseMat {
        let mut a = SparseMat::with_rows(3);
        a.push_column([(2, 5.0), (0, 1.0)]);
        a.push_column([]);
        a.push_column([(1, -2.0), (2, 4.0)]);
        a
    }

    #[test]
    fn products_agree_with_the_dense_matrix() {
        let a = sample();
        let dense = a.to_dense();
        let (x, y) = ([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]);
        let (mut ax, mut aty) = ([0.0; 3], [0.0; 3]);
        a.mul(&x, &mut ax);
        a.mul_transpose(&y, &mut aty);
        for i in 0..3 {
            assert_eq!(ax[i], (0..3).map(|j| dense[(i, j)] * x[j]).sum::<f64>());
            assert_eq!(aty[i], (0..3).map(|j| dense[(j, i)] * y[j]).sum::<f64>());
        }
    }

    #[test]
    fn transposing_twice_gives_the_matrix_back() {
        let a = sample();
        assert_eq!(a.transpose().transpose(), a);
        assert_eq!(a.transpose().to_dense(), a.to_dense().transpose().to_owned());
    }
}
