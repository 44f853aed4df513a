//! What is left of a vector outside the range of a large sparse operator, by preconditioned conjugate gradients.
//!
//! The least-squares problem `min ‖x − Aᵀ y‖` has the normal equations `A Aᵀ y = A x`. Scaled by the diagonal they take
//! few iterations where neighbors are well mixed (random graphs), and many on meshes, paths and other complexes that can be
//! cut in two by removing few cells. Those are the complexes whose Cholesky factors are sparse: where the iterations
//! are slow, the factor of `A Aᵀ + δ I` becomes the preconditioner, if it is not too large.

use super::clear_upper_registers;
use super::pair::{PairRef, add_scaled, dot, squared_norm};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMat, Triplet};
use faer::{Conj, MatMut, Par, Side, Spec};

/// Error of a projection, relative to the vector, that suffices.
const TOLERANCE: f64 = 1e-11;

/// Iterations with the diagonal after which a factor is tried, for a large operator; random graphs of degree 20 take 40.
const FEW: usize = 120;

/// Share of the normal residual that is left after a trial which was slow.
const SLOW: f64 = 1e-18;

/// Entries of an operator times iterations below which a factor is not worth while.
const CHEAP: usize = 20_000_000;

/// Iterations at most: a factor that rounds badly, or a mesh whose factor is too large.
const MOST: usize = 20_000;

/// Largest number of entries of a factor, and of one for each entry of the operator.
const MAX_FACTOR: usize = 100_000_000;
const MAX_FILL: usize = 400;

/// `δ` relative to the largest entry of the diagonal: below most eigenvalues, and above rounding by far, which the factor
/// magnifies by its inverse.
const SHIFT: f64 = 1e-7;

/// Share of the first normal residual, in the norm of the preconditioner, that is rounding.
const NOISE: f64 = 1e-28;

/// Share of the squared tolerance that the normal residual may have at the end: eigenvalues of the scaled operator below
/// it are not seen.
const RESIDUAL: f64 = 1e-3;

/// Restarts from the residual, for each preconditioner.
const MAX_RESTARTS: usize = 4;

/// Largest relative difference of two products that are equal in exact arithmetic.
const AGREEMENT: f64 = 1e-2;

/// Iterations over which the decrease of the error is summed up to estimate it.
const WINDOW: usize = 6;

/// The projection onto the orthogonal complement of the range of `Aᵀ`.
pub(crate) struct Projection<'a> {
    a: PairRef<'a>,
    inverse_diagonal: Vec<f64>, // of A Aᵀ
    factor: Option<Factor>,
}

impl<'a> Projection<'a> {
    pub fn new(a: PairRef<'a>) -> Self {
        let invert = |d: f64| if d > 0.0 { 1.0 / d } else { 0.0 };
        Self { a, inverse_diagonal: a.gram_diagonal().into_iter().map(invert).collect(), factor: None }
    }

    /// Chooses the preconditioner by a trial with `x`.
    pub fn prepare(&mut self, x: &[f64]) {
        let few = FEW.max(CHEAP / (self.a.matrix().n_entries() + 1)).min(MOST);
        let mut left = x.to_vec();
        self.iterate(&mut left, few, false);
        if self.normal_residual(&left) > SLOW * self.normal_residual(x) {
            self.factor = Factor::new(self.a);
        }
    }

    /// Replaces `x` by its part orthogonal to the range of `Aᵀ`. Returns an estimate of the norm of the error.
    ///
    /// Rounding is repaired by restarts from the residual, until one no longer shrinks `A x`; a factor that does not
    /// bring it down far enough gives way to the diagonal.
    pub fn remove(&self, x: &mut [f64]) -> f64 {
        let goal = (TOLERANCE * squared_norm(x).sqrt()).powi(2);
        let (mut before, mut error) = (self.normal_residual(x), 0.0);
        let with_factor = self.factor.is_some();
        for factored in [true, false].into_iter().filter(|&f| !f || with_factor) {
            for _ in 0..MAX_RESTARTS {
                if before <= RESIDUAL * goal || !before.is_finite() {
                    return f64::max(error, before.sqrt());
                }
                error = self.iterate(x, MOST, factored);
                let after = self.normal_residual(x);
                let stalled = after > 0.25 * before;
                before = after;
                if stalled {
                    break;
                }
            }
        }
        f64::max(error, before.sqrt())
    }

    /// `‖A x‖²`, rows divided by their norms: at most as large as the squared norm of what is to be removed, times the
    /// largest eigenvalue of an operator whose diagonal is 1.
    fn normal_residual(&self, x: &[f64]) -> f64 {
        let mut s = vec![0.0; self.a.n_rows()];
        self.a.apply(x, &mut s);
        s.iter().zip(&self.inverse_diagonal).map(|(s, d)| s * s * d).sum()
    }

    /// Conjugate gradients on the normal equations, with the residual `r = x − Aᵀ y` in place of `x`; an
    /// estimate of the norm of the error. Björck, *Numerical
    /// methods for least squares problems* (1996), Algorithm 7.4.1; the estimate of the error is that of Strakoš and
    /// Tichý, *On error estimation in the conjugate gradient method* (2002): a step decreases its square by `γ²/δ`.
    fn iterate(&self, r: &mut [f64], most: usize, factored: bool) -> f64 {
        let size = squared_norm(r).sqrt();
        let goal = (TOLERANCE * size).powi(2);
        let (mut s, mut q) = (vec![0.0; self.a.n_rows()], vec![0.0; r.len()]);
        self.a.apply(r, &mut s);
        let factor = self.factor.as_ref().filter(|_| factored);
        let mut z = self.preconditioned(factor, &s);
        let mut p = z.clone();
        let mut gamma = dot(&s, &z);
        let noise = NOISE * gamma;
        // A factor converges within two or three steps.
        let window = if factor.is_some() { 2 } else { WINDOW };
        let mut decreases = vec![f64::INFINITY; window];
        for iteration in 0..most {
            if gamma <= noise || !gamma.is_finite() {
                return TOLERANCE * size;
            }
            self.a.apply_transpose(&p, &mut q);
            let (curvature, slope) = (squared_norm(&q), dot(&q, r));
            // In exact arithmetic qᵀr = γ. Where it is not, rounding has left a direction in the kernel of Aᵀ, along which
            // a step would remove what is not in the range.
            if curvature <= 0.0 || (slope - gamma).abs() > AGREEMENT * gamma {
                return TOLERANCE * size;
            }
            let step = gamma / curvature;
            add_scaled(r, -step, &q);
            decreases[iteration % window] = step * gamma;
            let error: f64 = decreases.iter().sum();
            if error <= goal {
                return error.sqrt();
            }
            self.a.apply(r, &mut s);
            z = self.preconditioned(factor, &s);
            let next = dot(&s, &z);
            let momentum = next / gamma;
            p.iter_mut().zip(&z).for_each(|(p, z)| *p = z + momentum * *p);
            gamma = next;
        }
        let error: f64 = decreases.iter().filter(|d| d.is_finite()).sum();
        error.sqrt().min(size)
    }

    fn preconditioned(&self, factor: Option<&Factor>, s: &[f64]) -> Vec<f64> {
        match factor {
            Some(factor) => factor.solve(s),
            None => s.iter().zip(&self.inverse_diagonal).map(|(s, d)| s * d).collect(),
        }
    }
}

/// The sparse Cholesky factor of `A Aᵀ + δ I`.
struct Factor {
    symbolic: SymbolicCholesky<usize>,
    values: Vec<f64>,
}

impl Factor {
    /// The factor, unless it would be too large.
    fn new(a: PairRef<'_>) -> Option<Self> {
        let n = a.n_rows();
        let columns = || (0..a.n_cols()).map(|j| a.matrix().column(j).0.len());
        let products: usize = columns().map(|len| len * (len + 1) / 2).sum();
        if products > MAX_FACTOR / 4 {
            return None;
        }
        let largest = a.gram_diagonal().into_iter().fold(0.0, f64::max);
        let mut entries: Vec<Triplet<usize, usize, f64>> = Vec::with_capacity(products + n);
        entries.extend((0..n).map(|i| Triplet::new(i, i, SHIFT * largest)));
        for j in 0..a.n_cols() {
            for (p, x) in a.matrix().entries(j) {
                let lower = a.matrix().entries(j).filter(|&(q, _)| q >= p);
                entries.extend(lower.map(|(q, y)| Triplet::new(q, p, x * y)));
            }
        }
        let gram = SparseColMat::try_new_from_triplets(n, n, &entries).ok()?;
        drop(entries);
        let order = SymmetricOrdering::Amd;
        let params = CholeskySymbolicParams::default();
        let symbolic = factorize_symbolic_cholesky(gram.symbolic(), Side::Lower, order, params).ok()?;
        let size = symbolic.len_val();
        if size > MAX_FACTOR.min(MAX_FILL * (a.matrix().n_entries() + n)) {
            return None;
        }
        let mut values = vec![0.0; size];
        let request = symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, Spec::default());
        let mut buffer = MemBuffer::try_new(request).ok()?;
        let stack = MemStack::new(&mut buffer);
        let (plain, params) = (Default::default(), Spec::default());
        let sound = symbolic
            .factorize_numeric_llt(&mut values, gram.as_ref(), Side::Lower, plain, Par::Seq, stack, params)
            .is_ok();
        clear_upper_registers();
        sound.then_some(Self { symbolic, values })
    }

    fn solve(&self, s: &[f64]) -> Vec<f64> {
        let mut out = s.to_vec();
        let n = out.len();
        let mut buffer = MemBuffer::new(self.symbolic.solve_in_place_scratch::<f64>(1, Par::Seq));
        LltRef::new(&self.symbolic, &self.values).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(&mut out, n, 1),
            Par::Seq,
            MemStack::new(&mut buffer),
        );
        clear_upper_registers();
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::SparseMat;
    use crate::linalg::pair::Pair;

    /// The boundary operator of a ring of `n` edges.
    fn ring(n: u32) -> Pair {
        let mut b = SparseMat::with_rows(n as usize);
        (0..n).for_each(|i| b.push_column([(i, -1.0), ((i + 1) % n, 1.0)]));
        Pair::new(b)
    }

    #[test]
    fn the_gradient_part_of_a_flow_on_a_ring_leaves_its_mean_by_both_preconditioners() {
        for n in [3u32, 50, 3000] {
            let pair = ring(n);
            let flow: Vec<f64> = (0..n).map(|i| f64::from(i * i % 17) - 3.0).collect();
            let mean = flow.iter().sum::<f64>() / f64::from(n);
            for factored in [false, true] {
                let mut projection = Projection::new(pair.forward());
                if factored {
                    projection.factor = Factor::new(pair.forward());
                    assert!(projection.factor.is_some());
                }
                let mut left = flow.clone();
                let error = projection.remove(&mut left);
                let off = left.iter().map(|v| (v - mean).powi(2)).sum::<f64>().sqrt();
                let whole = squared_norm(&flow).sqrt();
                assert!(off <= 1e-10 * whole, "{n} {factored}: {off} {error}");
                assert!(off <= error + 1e-10 * whole, "{n}");
            }
        }
    }

    #[test]
    fn slow_iterations_call_for_a_factor() {
        let (long, short) = (ring(30_000), ring(30));
        let x = |n: usize| (0..n).map(|i| ((i * i) as f64).sin()).collect::<Vec<f64>>();
        let mut projection = Projection::new(long.forward());
        projection.prepare(&x(30_000));
        assert!(projection.factor.is_some());
        let mut projection = Projection::new(short.forward());
        projection.prepare(&x(30));
        assert!(projection.factor.is_none());
    }

    #[test]
    fn a_zero_vector_stays_zero() {
        let mut x = vec![0.0; 4];
        assert_eq!(Projection::new(ring(4).forward()).remove(&mut x), 0.0);
        assert_eq!(x, [0.0; 4]);
    }
}
