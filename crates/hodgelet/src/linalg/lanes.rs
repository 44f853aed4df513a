//! Eigenpairs of many small symmetric matrices, one matrix per SIMD lane.
//!
//! Matrices of molecules are too small to fill vector registers from within, and the plane rotations of the QL
//! iteration wait on square roots and divisions. Four matrices of one size side by side keep the lanes
//! full: Householder reduction to tridiagonal form, then implicit QL with Wilkinson's shift, every lane with
//! its own shifts and its own end. A lane never sees its neighbors, so the result of a matrix does not depend
//! on the company it keeps.
//!
//! References: Bowdler, Martin, Reinsch and Wilkinson, *The QR and QL algorithms for symmetric matrices*
//! (1968); Martin, Reinsch and Wilkinson, *Householder's tridiagonalization of a symmetric matrix* (1968).

use super::simd::vectorized;
use std::ops::{Add, Mul, Sub};

/// Matrices solved together.
pub const LANES: usize = 4;

/// QL sweeps that one eigenvalue may take before the lane is given up; three are usual.
const MAX_SWEEPS: usize = 60;

/// Squared norm, relative to entries of at most one, below which a column counts as reduced already.
const TINY: f64 = 1e-290;

/// One number of each matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub struct Lanes(pub [f64; LANES]);

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
pub struct LaneSolver {
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
                self.rescale();
                self.tridiagonalize();
                self.accumulate();
                let mut vectors = std::mem::take(&mut self.vectors);
                let sound = self.iterate(&mut vectors, self.n);
                self.vectors = vectors;
                sound
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
                self.rescale();
                self.tridiagonalize();
                self.reflect();
                let mut columns = std::mem::take(&mut self.columns);
                let sound = self.iterate(&mut columns, self.width);
                self.columns = columns;
                sound
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

    /// Eigenvalues of one lane, ascending, with where they stand.
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

    /// Divides each matrix by its largest entry, so that no square over- or underflows.
    #[inline(always)]
    fn rescale(&mut self) {
        let mut largest = Lanes::ZERO;
        for v in &self.vectors {
            largest = largest.zip(*v, |a, b| if b.abs() > a { b.abs() } else { a });
        }
        let scale = largest.map(|s| if s > 0.0 { s } else { 1.0 });
        self.scale = scale.0;
        for v in &mut self.vectors {
            *v = v.zip(scale, |a, s| a / s);
        }
    }

    /// Householder reduction from the last column down; reflectors stay in the columns for `accumulate`.
    #[inline(always)]
    fn tridiagonalize(&mut self) {
        let n = self.n;
        let (v, d, e) = (&mut self.vectors[..], &mut self.diagonal[..], &mut self.off_diagonal[..]);
        for j in 0..n {
            d[j] = v[j * n + n - 1];
        }
        for i in (1..n).rev() {
            let mut h = Lanes::ZERO;
            for dk in &d[..i] {
                h = h + *dk * *dk;
            }
            let active = h.0.map(|h| h > TINY);
            for dk in &mut d[..i] {
                *dk = dk.or(active, Lanes::ZERO);
            }
            h = h.or(active, Lanes::ZERO);
            let f = d[i - 1];
            let g = h.zip(f, |h, f| if f > 0.0 { -h.sqrt() } else { h.sqrt() });
            e[i] = g;
            h = h - f * g;
            d[i - 1] = f - g;
            e[..i].fill(Lanes::ZERO);
            // e = A d, from the lower triangle
            for j in 0..i {
                let f = d[j];
                v[i * n + j] = f;
                let mut g = e[j] + v[j * n + j] * f;
                let (column, dk, ek) = (&v[j * n + j + 1..j * n + i], &d[j + 1..i], &mut e[j + 1..i]);
                for ((a, d), e) in column.iter().zip(dk).zip(ek) {
                    g = g + *a * *d;
                    *e = *e + *a * f;
                }
                e[j] = g;
            }
            let inverse = h.map(|h| if h > 0.0 { 1.0 / h } else { 0.0 });
            let mut f = Lanes::ZERO;
            for (e, d) in e[..i].iter_mut().zip(&d[..i]) {
                *e = *e * inverse;
                f = f + *e * *d;
            }
            let half = f * inverse.map(|x| 0.5 * x);
            for (e, d) in e[..i].iter_mut().zip(&d[..i]) {
                *e = *e - half * *d;
            }
            // A ← A − d eᵀ − e dᵀ, lower triangle
            for j in 0..i {
                let (f, g) = (d[j], e[j]);
                let column = &mut v[j * n + j..j * n + i];
                for ((a, e), d) in column.iter_mut().zip(&e[j..i]).zip(&d[j..i]) {
                    *a = *a - (f * *e + g * *d);
                }
                d[j] = v[j * n + i - 1];
                v[j * n + i] = Lanes::ZERO;
            }
            d[i] = h;
        }
    }

    /// Multiplies the reflectors together: afterwards the columns hold `Q` with `A = Q T Qᵀ`.
    #[inline(always)]
    fn accumulate(&mut self) {
        let n = self.n;
        let (v, d) = (&mut self.vectors[..], &mut self.diagonal[..]);
        for i in 0..n - 1 {
            v[i * n + n - 1] = v[i * n + i];
            v[i * n + i] = Lanes::ONE;
            let inverse = d[i + 1].map(|h| if h > 0.0 { 1.0 / h } else { 0.0 });
            let (left, right) = v.split_at_mut((i + 1) * n);
            let reflector = &mut right[..=i];
            for (d, u) in d[..=i].iter_mut().zip(&*reflector) {
                *d = *u * inverse;
            }
            for j in 0..=i {
                let column = &mut left[j * n..j * n + i + 1];
                let mut g = Lanes::ZERO;
                for (u, a) in reflector.iter().zip(&*column) {
                    g = g + *u * *a;
                }
                for (a, d) in column.iter_mut().zip(&d[..=i]) {
                    *a = *a - g * *d;
                }
            }
            reflector.fill(Lanes::ZERO);
        }
        for j in 0..n {
            d[j] = v[j * n + n - 1];
            v[j * n + n - 1] = Lanes::ZERO;
        }
        v[n * n - 1] = Lanes::ONE;
        self.off_diagonal.rotate_left(1);
        self.off_diagonal[n - 1] = Lanes::ZERO;
    }

    /// Applies the reflectors to the columns, `Qᵀ C`, and gathers the tridiagonal matrix.
    #[inline(always)]
    fn reflect(&mut self) {
        let (n, width) = (self.n, self.width);
        let (v, d) = (&self.vectors[..], &mut self.diagonal[..]);
        for i in (1..n).rev() {
            let inverse = d[i].map(|h| if h > 0.0 { 1.0 / h } else { 0.0 });
            let reflector = &v[i * n..i * n + i];
            for j in 0..width {
                let mut g = Lanes::ZERO;
                for (k, u) in reflector.iter().enumerate() {
                    g = g + *u * self.columns[k * width + j];
                }
                g = g * inverse;
                for (k, u) in reflector.iter().enumerate() {
                    let at = k * width + j;
                    self.columns[at] = self.columns[at] - g * *u;
                }
            }
        }
        for j in 0..n {
            d[j] = v[j * n + j];
        }
        self.off_diagonal.rotate_left(1);
        self.off_diagonal[n - 1] = Lanes::ZERO;
    }

    /// Implicit QL until every off-diagonal entry is negligible against the norm of the matrix. Rotations mix
    /// the rows of `rows`, `[n, width]`.
    #[inline(always)]
    fn iterate(&mut self, rows: &mut [Lanes], width: usize) -> [bool; LANES] {
        let n = self.n;
        let mut norm = Lanes::ZERO;
        for (d, e) in self.diagonal.iter().zip(&self.off_diagonal) {
            norm = norm.zip(d.zip(*e, |d, e| d.abs() + e.abs()), f64::max);
        }
        let negligible = norm.map(|x| x * f64::EPSILON);
        let mut sound = [true; LANES];
        for l in 0..n {
            for sweep in 0.. {
                let ends = self.ends(l, negligible);
                let active: [bool; LANES] = std::array::from_fn(|lane| ends[lane] > l && sound[lane]);
                if !active.contains(&true) {
                    break;
                }
                if sweep == MAX_SWEEPS {
                    (0..LANES).for_each(|lane| sound[lane] &= !active[lane]);
                    break;
                }
                self.sweep(l, ends, active, rows, width);
            }
        }
        std::array::from_fn(|lane| sound[lane] && self.diagonal.iter().all(|d| d.0[lane].is_finite()))
    }

    /// For each lane, the first index from `l` whose off-diagonal entry is negligible.
    #[inline(always)]
    fn ends(&self, l: usize, negligible: Lanes) -> [usize; LANES] {
        std::array::from_fn(|lane| {
            let small = |e: &Lanes| e.0[lane].abs() <= negligible.0[lane];
            // The last entry is zero; only a NaN can pass it.
            self.off_diagonal[l..].iter().position(small).map_or(self.n - 1, |k| l + k)
        })
    }

    /// One QL sweep from `ends` up to `l` in the active lanes.
    #[inline(always)]
    fn sweep(
        &mut self,
        l: usize,
        ends: [usize; LANES],
        mut active: [bool; LANES],
        rows: &mut [Lanes],
        width: usize,
    ) {
        let (d, e) = (&mut self.diagonal[..], &mut self.off_diagonal[..]);
        let mut g = Lanes::ZERO;
        let mut last = l;
        for lane in 0..LANES {
            if active[lane] {
                let (dl, el) = (d[l].0[lane], e[l].0[lane]);
                let p = (d[l + 1].0[lane] - dl) / (2.0 * el);
                let r = (p * p + 1.0).sqrt();
                g.0[lane] = d[ends[lane]].0[lane] - dl + el / (if p >= 0.0 { p + r } else { p - r });
                last = last.max(ends[lane]);
            }
        }
        let (mut s, mut c, mut p) = (Lanes::ONE, Lanes::ONE, Lanes::ZERO);
        for i in (l..last).rev() {
            let at: [bool; LANES] = std::array::from_fn(|lane| active[lane] && i < ends[lane]);
            let (f, b) = (s * e[i], c * e[i]);
            let r = f.zip(g, |f, g| (f * f + g * g).sqrt());
            e[i + 1] = r.or(at, e[i + 1]);
            let turning: [bool; LANES] = std::array::from_fn(|lane| at[lane] && r.0[lane] != 0.0);
            if turning != at {
                // The rotation vanished: the matrix splits here and the sweep of that lane ends.
                for lane in 0..LANES {
                    if at[lane] && !turning[lane] {
                        d[i + 1].0[lane] -= p.0[lane];
                        e[ends[lane]].0[lane] = 0.0;
                        active[lane] = false;
                    }
                }
            }
            let inverse = r.map(|r| 1.0 / r);
            let sn = (f * inverse).or(turning, Lanes::ZERO);
            let cn = (g * inverse).or(turning, Lanes::ONE);
            s = sn.or(turning, s);
            c = cn.or(turning, c);
            let gg = d[i + 1] - p;
            let rr = (d[i] - gg) * s + (c * b).map(|x| 2.0 * x);
            let pp = s * rr;
            d[i + 1] = (gg + pp).or(turning, d[i + 1]);
            g = (c * rr - b).or(turning, g);
            p = pp.or(turning, p);
            let (low, high) = rows[i * width..(i + 2) * width].split_at_mut(width);
            for (x, y) in low.iter_mut().zip(high) {
                let (a, b) = (*x, *y);
                *y = sn * a + cn * b;
                *x = cn * a - sn * b;
            }
        }
        for lane in 0..LANES {
            if active[lane] {
                d[l].0[lane] -= p.0[lane];
                e[l].0[lane] = g.0[lane];
                e[ends[lane]].0[lane] = 0.0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Matrix = Vec<Vec<f64>>;

    fn solve(matrices: &[Matrix]) -> Vec<(Vec<f64>, Vec<f64>)> {
        let n = matrices[0].len();
        let mut solver = LaneSolver::default();
        solver.reset(n, 0);
        for (lane, a) in matrices.iter().enumerate() {
            (0..n).for_each(|i| (0..n).for_each(|j| solver.add(lane, i, j, a[i][j])));
        }
        assert_eq!(solver.solve()[..matrices.len()], vec![true; matrices.len()]);
        (0..matrices.len())
            .map(|lane| {
                let (mut values, mut vectors) = (Vec::new(), Vec::new());
                solver.eigenpairs(lane, &mut values, &mut vectors);
                (values, vectors)
            })
            .collect()
    }

    /// Largest entry of `A V − V Λ` and of `Vᵀ V − I`.
    fn residual(a: &Matrix, (values, vectors): &(Vec<f64>, Vec<f64>)) -> f64 {
        let n = a.len();
        let column = |j: usize| &vectors[j * n..(j + 1) * n];
        let mut worst = 0.0f64;
        for j in 0..n {
            for i in 0..n {
                let av: f64 = (0..n).map(|k| a[i][k] * column(j)[k]).sum();
                let dot: f64 = (0..n).map(|k| column(i)[k] * column(j)[k]).sum();
                worst = worst.max((av - values[j] * column(j)[i]).abs());
                worst = worst.max((dot - if i == j { 1.0 } else { 0.0 }).abs());
            }
        }
        worst
    }

    fn laplacian(n: usize, edges: impl IntoIterator<Item = (usize, usize)>) -> Matrix {
        let mut a = vec![vec![0.0; n]; n];
        for (i, j) in edges {
            a[i][i] += 1.0;
            a[j][j] += 1.0;
            a[i][j] -= 1.0;
            a[j][i] -= 1.0;
        }
        a
    }

    /// Path, star, clique, two cliques and isolated vertices: spectra from simple to all but one equal.
    fn degenerate(n: usize) -> Vec<Matrix> {
        let half = n / 2;
        let clique = |from: usize, to: usize| (from..to).flat_map(move |i| (i + 1..to).map(move |j| (i, j)));
        vec![
            laplacian(n, (1..n).map(|i| (i - 1, i))),
            laplacian(n, (1..n).map(|i| (0, i))),
            laplacian(n, clique(0, n)),
            laplacian(n, clique(0, half / 2).chain(clique(half / 2, half))),
        ]
    }

    #[test]
    fn degenerate_spectra_of_every_size_are_solved() {
        for n in 1..=100 {
            let matrices = degenerate(n);
            for (a, pairs) in matrices.iter().zip(solve(&matrices)) {
                let bound = 1e-14 * (n as f64) * (n as f64).max(2.0);
                assert!(residual(a, &pairs) < bound, "n = {n}: {} > {bound}", residual(a, &pairs));
            }
        }
    }

    #[test]
    fn cubes_and_zero_matrices_are_solved() {
        let cube = |dim: u32| {
            let n = 1usize << dim;
            laplacian(n, (0..n).flat_map(|i| (0..dim).map(move |b| (i, i ^ (1 << b)))).filter(|(i, j)| i < j))
        };
        for dim in 0..=6 {
            let n = 1 << dim;
            let zero = vec![vec![0.0; n]; n];
            let identity: Matrix = (0..n).map(|i| (0..n).map(|j| f64::from(i == j)).collect()).collect();
            let matrices = vec![cube(dim), zero, identity, cube(dim)];
            let solved = solve(&matrices);
            for (a, pairs) in matrices.iter().zip(&solved) {
                assert!(residual(a, pairs) < 1e-13 * n as f64);
            }
            assert_eq!(solved[0], solved[3]);
        }
    }

    #[test]
    fn coefficients_without_vectors_give_the_energies_of_the_eigenspaces() {
        for n in [1, 2, 9, 33, 100] {
            let matrices = degenerate(n);
            let column = |lane: usize, i: usize, j: usize| ((lane + 2 * i + 5 * j) as f64).sin();
            let mut solver = LaneSolver::default();
            solver.reset(n, 3);
            for (lane, a) in matrices.iter().enumerate() {
                (0..n).for_each(|i| (0..n).for_each(|j| solver.add(lane, i, j, a[i][j])));
                (0..n).for_each(|i| (0..3).for_each(|j| solver.set_column(lane, i, j, column(lane, i, j))));
            }
            assert_eq!(solver.solve_columns(), [true; LANES]);
            for (lane, (values, vectors)) in solve(&matrices).iter().enumerate() {
                let (found, coefficients) = solver.coefficients(lane, 3);
                for (a, b) in found.iter().zip(values) {
                    assert!((a - b).abs() < 1e-12 * n as f64);
                }
                for (j, c) in coefficients.iter().enumerate() {
                    // A smooth function of the eigenvalue: single atoms of an eigenspace may differ.
                    let sum = |energy: &dyn Fn(usize) -> f64| -> f64 {
                        (0..n).map(|k| energy(k) / (1.0 + values[k])).sum()
                    };
                    let expected = sum(&|k| {
                        let v = &vectors[k * n..(k + 1) * n];
                        (0..n).map(|i| v[i] * column(lane, i, j)).sum::<f64>().powi(2)
                    });
                    assert!((sum(&|k| c[k] * c[k]) - expected).abs() < 1e-12 * (1.0 + expected));
                }
            }
        }
    }

    #[test]
    fn a_lane_does_not_depend_on_its_neighbors() {
        for n in [3, 17, 64] {
            let all = degenerate(n);
            let together = solve(&all);
            for (a, pairs) in all.iter().zip(&together) {
                assert_eq!(&solve(std::slice::from_ref(a))[0], pairs);
            }
        }
    }

    #[test]
    fn scales_far_from_one_are_kept() {
        for scale in [1e-200, 1e200] {
            let a: Matrix = laplacian(9, (1..9).map(|i| (i - 1, i)))
                .iter()
                .map(|row| row.iter().map(|x| x * scale).collect())
                .collect();
            let (values, _) = &solve(&[a])[0];
            let expected = 2.0 - 2.0 * (std::f64::consts::PI * 8.0 / 9.0).cos();
            assert!((values[8] / scale - expected).abs() < 1e-13);
        }
    }

    #[test]
    fn a_matrix_with_nan_fails_alone() {
        let mut solver = LaneSolver::default();
        solver.reset(3, 0);
        for i in 0..3 {
            solver.add(0, i, i, f64::NAN);
            solver.add(1, i, i, 1.0 + i as f64);
        }
        assert_eq!(solver.solve(), [false, true, true, true]);
    }
}
