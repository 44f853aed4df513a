//! A sparse operator with its transpose at hand: both products gather, and neither writes to scattered places.

use super::SparseMat;

/// A sparse matrix and its transpose.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    a: SparseMat,
    transpose: SparseMat,
}

impl Pair {
    pub fn new(a: SparseMat) -> Self {
        let transpose = a.transpose();
        Self { a, transpose }
    }

    /// The operator `A`.
    pub fn forward(&self) -> PairRef<'_> {
        PairRef { a: &self.a, transpose: &self.transpose }
    }

    /// The operator `Aᵀ`.
    pub fn backward(&self) -> PairRef<'_> {
        PairRef { a: &self.transpose, transpose: &self.a }
    }
}

/// An operator `A` that is applied from both sides.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairRef<'a> {
    a: &'a SparseMat,
    transpose: &'a SparseMat,
}

impl<'a> PairRef<'a> {
    /// Columns of `A`.
    pub fn matrix(self) -> &'a SparseMat {
        self.a
    }

    pub fn n_rows(self) -> usize {
        self.a.n_rows()
    }

    pub fn n_cols(self) -> usize {
        self.a.n_cols()
    }

    /// `out = A x`.
    pub fn apply(self, x: &[f64], out: &mut [f64]) {
        self.transpose.mul_transpose(x, out);
    }

    /// `out = Aᵀ y`.
    pub fn apply_transpose(self, y: &[f64], out: &mut [f64]) {
        self.a.mul_transpose(y, out);
    }

    /// Diagonal of `A Aᵀ`.
    pub fn gram_diagonal(self) -> Vec<f64> {
        let square = |i: usize| self.transpose.column(i).1.iter().map(|v| v * v).sum();
        (0..self.n_rows()).map(square).collect()
    }
}

#[inline(always)]
pub(crate) fn dot(x: &[f64], y: &[f64]) -> f64 {
    // Eight sums side by side, in an order that does not depend on the machine.
    let mut sums = [0.0; 8];
    let (xs, ys) = (x.chunks_exact(8), y.chunks_exact(8));
    let rest: f64 = xs.remainder().iter().zip(ys.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in xs.zip(ys) {
        for lane in 0..8 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    sums.iter().sum::<f64>() + rest
}

/// `y ← y + c x`.
#[inline(always)]
pub(crate) fn add_scaled(y: &mut [f64], c: f64, x: &[f64]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y += c * x);
}

#[inline(always)]
pub(crate) fn squared_norm(x: &[f64]) -> f64 {
    dot(x, x)
}
