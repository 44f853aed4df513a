//! Gauss quadrature of spectral measures, by Golub–Kahan bidiagonalization.
//!
//! For an operator `A` and a vector `x`, the measure has mass `(uₙᵀ x)²` at the eigenvalue `λₙ` of `AᵀA`. After `m` steps
//! from `x / ‖x‖` the bidiagonal matrix `J` of the recurrence, `A V = U J`, gives its Gauss rule of `m` nodes: the
//! eigenvalues of `JᵀJ`, with masses from the first entries of its eigenvectors. One more column of `J` gives the
//! Gauss–Radau rule with a node at 0. For a completely monotone function (`(1 + sλ)⁻²`, `e^{−sλ}`) the integral lies
//! between the two; for other smooth functions their difference estimates the error.
//!
//! Vectors on the shorter side are kept and every new one is made orthogonal to all of them, which keeps the other side
//! orthogonal as well \[Simon00\].
//!
//! References: Golub and Meurant, *Matrices, Moments and Quadrature* (2010), chapters 4 to 6; Simon and Zha, *Low-rank
//! matrix approximation using the Lanczos bidiagonalization process with applications* (2000).

use super::NotConverged;
use super::eigen::tridiagonal_rule;
use super::pair::{PairRef, add_scaled, dot, squared_norm};
use super::simd::vectorized;

/// Nodes and masses that sum to 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Rule {
    pub nodes: Vec<f64>, // [n], ascending
    pub masses: Vec<f64>,
}

impl Rule {
    /// The rule of a bidiagonal matrix with as many rows as `alphas`, and a column more than `betas` has entries.
    fn new(alphas: &[f64], betas: &[f64]) -> Result<Self, NotConverged> {
        let n = betas.len() + 1;
        let alpha = |j: usize| alphas.get(j).copied().unwrap_or(0.0);
        let beta = |j: usize| if j == 0 { 0.0 } else { betas[j - 1] };
        // JᵀJ
        let diagonal = (0..n).map(|j| alpha(j).powi(2) + beta(j).powi(2)).collect();
        let off = (0..n).map(|j| if j + 1 < n { alpha(j) * betas[j] } else { 0.0 }).collect();
        let (mut nodes, masses) = tridiagonal_rule(diagonal, off)?;
        nodes.iter_mut().for_each(|node| *node = node.max(0.0));
        Ok(Self { nodes, masses })
    }
}

/// A rule for the measure of one vector, with masses that sum to 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Quadrature {
    pub rule: Rule,
    /// Estimate of the error, relative to the squared norm of the vector.
    pub error: f64,
    pub steps: usize,
}

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stopping {
    /// Error that suffices.
    pub tolerance: f64,
    /// Largest number of steps.
    pub max_steps: usize,
}

/// Steps before the error is estimated for the first time.
const FIRST_CHECK: usize = 10;

/// The Gauss rule of the measure of `start` over the spectrum of `AᵀA`, with as many steps as `error` asks for: it is given
/// the Gauss rule, the Gauss–Radau rule and the Gauss rule of the check before.
///
/// # Errors
///
/// [`NotConverged`] where values are not finite.
///
/// # Complexity
///
/// For `m` steps `O(m nnz + m² n)` time and `O(m n)` memory, `n` being the shorter side of `A`.
pub(crate) fn quadrature(
    a: PairRef<'_>,
    start: &[f64],
    stopping: Stopping,
    error: impl Fn(&Rule, &Rule, &Rule) -> f64,
) -> Result<Quadrature, NotConverged> {
    let norm = squared_norm(start).sqrt();
    if norm == 0.0 {
        return Ok(Quadrature::default());
    }
    let mut process = Process::new(a, start, norm);
    let (mut previous, mut next_check) = (Rule::default(), FIRST_CHECK);
    for steps in 1.. {
        let exhausted = !process.step();
        let done = exhausted || steps >= stopping.max_steps;
        if !done && steps < next_check {
            continue;
        }
        let (alphas, betas) = (&process.alphas, &process.betas);
        let gauss = Rule::new(alphas, &betas[..steps - 1])?;
        // The vectors span an invariant space: the rule is the measure.
        let estimate = if exhausted {
            f64::EPSILON * steps as f64
        } else {
            error(&gauss, &Rule::new(alphas, betas)?, &previous)
        };
        if done || estimate <= stopping.tolerance {
            return Ok(Quadrature { rule: gauss, error: estimate, steps });
        }
        (previous, next_check) = (gauss, steps + (steps / 5).max(3));
    }
    unreachable!("the number of steps is bounded")
}

/// The recurrence `α_j u_j = A v_j − β_{j−1} u_{j−1}`, `β_j v_{j+1} = Aᵀ u_j − α_j v_j`.
struct Process<'a> {
    a: PairRef<'a>,
    alphas: Vec<f64>,
    betas: Vec<f64>,
    u: Vec<f64>,
    v: Vec<f64>,
    other_u: Vec<f64>,
    other_v: Vec<f64>,
    kept: Vec<f64>, // vectors of the shorter side, one after the other
    keeps_u: bool,
}

impl<'a> Process<'a> {
    fn new(a: PairRef<'a>, start: &[f64], norm: f64) -> Self {
        let v: Vec<f64> = start.iter().map(|x| x / norm).collect();
        let keeps_u = a.n_rows() <= a.n_cols();
        let kept = if keeps_u { Vec::new() } else { v.clone() };
        let zeros = |n: usize| vec![0.0; n];
        let (u, other_u, other_v) = (zeros(a.n_rows()), zeros(a.n_rows()), zeros(a.n_cols()));
        Self { a, alphas: vec![], betas: vec![], u, v, other_u, other_v, kept, keeps_u }
    }

    /// One step; false when there is no further one.
    fn step(&mut self) -> bool {
        let scale = self.alphas.iter().chain(&self.betas).fold(0.0f64, |a, &b| a.max(b));
        // What rounding leaves of a vector that should vanish.
        let negligible = 16.0 * f64::EPSILON * scale * (self.alphas.len() as f64 + 1.0).sqrt();

        self.a.apply(&self.v, &mut self.other_u);
        if let Some(&beta) = self.betas.last() {
            add_scaled(&mut self.other_u, -beta, &self.u);
        }
        if self.keeps_u {
            orthogonalize(&self.kept, &mut self.other_u);
        }
        let alpha = squared_norm(&self.other_u).sqrt();
        if alpha.is_nan() || alpha <= negligible {
            self.alphas.push(if alpha.is_nan() { alpha } else { 0.0 });
            self.betas.push(0.0);
            return false;
        }
        self.other_u.iter_mut().for_each(|x| *x /= alpha);
        std::mem::swap(&mut self.u, &mut self.other_u);
        self.alphas.push(alpha);
        if self.keeps_u {
            self.kept.extend_from_slice(&self.u);
        }

        self.a.apply_transpose(&self.u, &mut self.other_v);
        add_scaled(&mut self.other_v, -alpha, &self.v);
        if !self.keeps_u {
            orthogonalize(&self.kept, &mut self.other_v);
        }
        let beta = squared_norm(&self.other_v).sqrt();
        if beta.is_nan() || beta <= negligible.max(16.0 * f64::EPSILON * alpha) {
            self.betas.push(0.0);
            return false;
        }
        self.other_v.iter_mut().for_each(|x| *x /= beta);
        std::mem::swap(&mut self.v, &mut self.other_v);
        self.betas.push(beta);
        if !self.keeps_u {
            self.kept.extend_from_slice(&self.v);
        }
        true
    }
}

/// Removes from `w` its parts along the orthonormal vectors of `basis`; again, if most of it was removed.
fn orthogonalize(basis: &[f64], w: &mut [f64]) {
    if w.is_empty() {
        return;
    }
    vectorized(
        #[inline(always)]
        || {
            let mut before = squared_norm(w);
            for _ in 0..2 {
                for q in basis.chunks_exact(w.len()) {
                    let c = dot(q, w);
                    add_scaled(w, -c, q);
                }
                let after = squared_norm(w);
                if after > 0.5 * before {
                    return;
                }
                before = after;
            }
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::SparseMat;
    use crate::linalg::pair::Pair;

    /// The boundary operator of a path of `n` edges.
    fn path(n: u32) -> Pair {
        let mut b = SparseMat::with_rows(n as usize + 1);
        (0..n).for_each(|i| b.push_column([(i, -1.0), (i + 1, 1.0)]));
        Pair::new(b)
    }

    fn integral(rule: &Rule, f: impl Fn(f64) -> f64) -> f64 {
        rule.nodes.iter().zip(&rule.masses).map(|(&node, mass)| mass * f(node)).sum()
    }

    /// `BᵀB` of a path is a Toeplitz matrix, with eigenvalues `2 − 2 cos(jπ/(n+1))` and sine vectors.
    fn exact(n: usize, x: &[f64], f: impl Fn(f64) -> f64) -> f64 {
        let angle = |j: usize| j as f64 * std::f64::consts::PI / (n as f64 + 1.0);
        let term = |j: usize| {
            let c: f64 = x.iter().enumerate().map(|(i, x)| x * ((i + 1) as f64 * angle(j)).sin()).sum();
            2.0 / (n as f64 + 1.0) * c * c * f(2.0 - 2.0 * angle(j).cos())
        };
        (1..=n).map(term).sum::<f64>() / squared_norm(x)
    }

    #[test]
    fn monotone_integrals_lie_between_the_rules_of_gauss_and_radau() {
        let n = 400;
        let x: Vec<f64> = (0..n).map(|i| ((i * i) as f64 * 0.37).sin() + 0.2).collect();
        for steps in [5, 10, 20] {
            let bracket = std::cell::RefCell::new((Rule::default(), Rule::default()));
            let keep = |gauss: &Rule, radau: &Rule, _: &Rule| {
                *bracket.borrow_mut() = (gauss.clone(), radau.clone());
                1.0
            };
            quadrature(path(n as u32).forward(), &x, Stopping { tolerance: 0.0, max_steps: steps }, keep)
                .unwrap();
            let (gauss, radau) = bracket.into_inner();
            assert_eq!(gauss.nodes.len(), steps);
            for scale in [0.1, 1.0, 10.0, 100.0] {
                let f = |t: f64| (1.0 + scale * t).powi(-2);
                let (low, value, high) = (integral(&gauss, f), exact(n, &x, f), integral(&radau, f));
                assert!(low <= value + 1e-13 && value <= high + 1e-13, "{steps}: {low} {value} {high}");
            }
        }
    }

    #[test]
    fn an_exhausted_space_gives_the_measure_itself() {
        // One edge alone has eigenvalue 2, and a vector of two distinct eigenvalues has two nodes.
        let found = |b: &Pair, x: &[f64]| {
            quadrature(b.forward(), x, Stopping { tolerance: 0.0, max_steps: 50 }, |_, _, _| 1.0).unwrap()
        };
        assert_eq!(found(&path(1), &[3.0]).rule.nodes.len(), 1);
        let two = found(&path(2), &[1.0, 0.0]);
        assert_eq!(two.rule.nodes.len(), 2);
        assert!(two.error < 1e-14 && (two.rule.nodes[0] - 1.0).abs() < 1e-14);
        assert!((two.rule.masses[1] - 0.5).abs() < 1e-14);
    }

    #[test]
    fn zero_and_infinite_vectors_end_at_once() {
        let stopping = Stopping { tolerance: 0.0, max_steps: 50 };
        let b = path(3);
        assert!(quadrature(b.forward(), &[0.0; 3], stopping, |_, _, _| 1.0).unwrap().rule.nodes.is_empty());
        assert!(quadrature(b.forward(), &[f64::INFINITY; 3], stopping, |_, _, _| 1.0).is_err());
    }
}
