//! Eigenpairs of many small symmetric matrices, one matrix per SIMD lane.
//!
//! Matrices of molecules are too small to fill vector registers from within, and the plane rotations of the QL
//! iteration wait on square roots and divisions. Four matrices of one size side by side keep the lanes
//! full: Householder reduction to tridiagonal form, then implicit QL with Wilkinson's shift, every lane with
//! its own shifts and its own end. Lanes are independent, so the result of a matrix does not depend
//! on the other matrices.
//!
//! References: Bowdler, Martin, Reinsch and Wilkinson, *The QR and QL algorithms for symmetric matrices*
//! (1968); Martin, Reinsch and Wilkinson, *Householder's tridiagonalization of a symmetric matrix* (1968).

mod ql;
mod tridiagonal;

use super::simd::vectorized;
use std::ops::{Add, Mul, Sub};

/// Matrices solved together.
pub const LANES: usize = 4;

/// One number of each matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub(crate) struct Lanes(pub [f64; LANES]);

impl Lanes {
    const ZERO: Self = Self([0.0; LANES]);
    const ONE: Self = Self([1.0; LANES]);

    #[inline(always)]
    fn map(self, f: impl Fn(f64) -> f64) -> Self {
        Self(self.0.map(f))
    }

    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        Self(std::array::from_fn(|lane| f(self.0[lane], other.0[lane])))
    }

    /// `self` where `mask` is set, `other` elsewhere.
    #[inline(always)]
    fn or(self, mask: [bool; LANES], other: Self) -> Self {
        Self(std::array::from_fn(|lane| if mask[lane] { self.0[lane] } else { other.0[lane] }))
    }
}

macro_rules! lane_operator {
    ($trait:ident, $method:ident, $operator:tt) => {
        impl $trait for Lanes {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                self.zip(other, |a, b| a $operator b)
            }
        }
    };
}
lane_operator!(Add, add, +);
lane_operator!(Sub, sub, -);
lane_operator!(Mul, mul, *);

/// Room for four symmetric matrices of one size and their eigenpairs.
#[derive(Debug, Default)]
pub(crate) struct LaneSolver {
    n: usize,
    vectors: Vec<Lanes>, // [n, n] column-major: the matrices on entry, eigenvectors in columns on return
    diagonal: Vec<Lanes>, // [n]: eigenvalues on return
    off_diagonal: Vec<Lanes>, // [n]
    width: usize,
    columns: Vec<Lanes>, // [n, width] row-major: columns on entry, their coefficients on return
    scale: [f64; LANES],
}

impl LaneSolver {
    /// Clears the room and makes it fit matrices of size `n`, with `width` columns each whose coefficients in the
    /// eigenvectors are wanted.
    pub fn reset(&mut self, n: usize, width: usize) {
        self.n = n;
        self.width = width;
        self.columns.clear();
        self.columns.resize(n * width, Lanes::ZERO);
        self.vectors.clear();
        self.vectors.resize(n * n, Lanes::ZERO);
        self.diagonal.clear();
        self.diagonal.resize(n, Lanes::ZERO);
        self.off_diagonal.clear();
        self.off_diagonal.resize(n, Lanes::ZERO);
    }

    /// Adds `value` to entry `(i, j)` of the matrix in `lane`; both triangles must be filled.
    #[inline(always)]
    pub fn add(&mut self, lane: usize, i: usize, j: usize, value: f64) {
        self.vectors[j * self.n + i].0[lane] += value;
    }

    /// Sets row `i` of column `j` that belongs to the matrix in `lane`.
    #[inline(always)]
    pub fn set_column(&mut self, lane: usize, i: usize, j: usize, value: f64) {
        self.columns[i * self.width + j].0[lane] = value;
    }

    /// Replaces the matrices by their eigenpairs; says which lanes succeeded.
    ///
    /// A lane fails only when its matrix holds a value that is not finite, or after sixty sweeps for one
    /// eigenvalue, which has not been seen to happen.
    pub fn solve(&mut self) -> [bool; LANES] {
        if self.n == 0 {
            return [true; LANES];
        }
        vectorized(
            #[inline(always)]
            || {
                self.reduce();
                tridiagonal::accumulate(&mut self.vectors, &mut self.diagonal);
                ql::iterate(&mut self.diagonal, &mut self.off_diagonal, &mut self.vectors, self.n)
            },
        )
    }

    /// Replaces the columns by their coefficients in the eigenvectors, which are never formed; says which lanes
    /// succeeded. With few columns that is a quarter of the work of [`solve`](Self::solve).
    pub fn solve_columns(&mut self) -> [bool; LANES] {
        if self.n == 0 {
            return [true; LANES];
        }
        vectorized(
            #[inline(always)]
            || {
                self.reduce();
                tridiagonal::reflect(&self.vectors, &mut self.diagonal, &mut self.columns, self.width);
                ql::iterate(&mut self.diagonal, &mut self.off_diagonal, &mut self.columns, self.width)
            },
        )
    }

    /// Eigenvalues (ascending) of one lane and the coefficients of its column `j` in their order.
    #[must_use]
    pub fn coefficients(&self, lane: usize, n_columns: usize) -> (Vec<f64>, Vec<Vec<f64>>) {
        let order = self.order(lane);
        let of_column =
            |j: usize| order.iter().map(|&(_, i)| self.columns[i * self.width + j].0[lane]).collect();
        (order.iter().map(|&(value, _)| value).collect(), (0..n_columns).map(of_column).collect())
    }

    /// Eigenvalues of one lane, ascending, with their positions.
    fn order(&self, lane: usize) -> Vec<(f64, usize)> {
        let scaled = |(j, d): (usize, &Lanes)| (d.0[lane] * self.scale[lane], j);
        let mut order: Vec<(f64, usize)> = self.diagonal.iter().enumerate().map(scaled).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        order
    }

    /// Eigenvalues (ascending) and eigenvectors (columns, contiguous) of one lane.
    pub fn eigenpairs(&self, lane: usize, values: &mut Vec<f64>, vectors: &mut Vec<f64>) {
        let n = self.n;
        let order = self.order(lane);
        values.clear();
        values.extend(order.iter().map(|&(value, _)| value));
        vectors.clear();
        vectors.reserve(n * n);
        for &(_, j) in &order {
            vectors.extend(self.vectors[j * n..(j + 1) * n].iter().map(|v| v.0[lane]));
        }
    }

    /// Divides each matrix by its largest entry, so that no square over- or underflows, and reduces it to tridiagonal form.
    #[inline(always)]
    fn reduce(&mut self) {
        let mut largest = Lanes::ZERO;
        for v in &self.vectors {
            largest = largest.zip(*v, |a, b| if b.abs() > a { b.abs() } else { a });
        }
        let scale = largest.map(|s| if s > 0.0 { s } else { 1.0 });
        self.scale = scale.0;
        for v in &mut self.vectors {
            *v = v.zip(scale, |a, s| a / s);
        }
        tridiagonal::tridiagonalize(&mut self.vectors, &mut self.diagonal, &mut self.off_diagonal);
    }
}

#[cfg(test)]
mod tests;
