//! What is left of a vector outside the range of a sparse operator, by conjugate gradients.

use super::SparseMat;

/// Which range is projected away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Range {
    /// The range of `A`.
    Columns,
    /// The range of `Aᵀ`.
    Rows,
}

/// Replaces `x` by its part orthogonal to a range of `a`: the residual of the least-squares problem
/// `min ‖x − A y‖` (or `Aᵀ y`), by conjugate gradients on the normal equations (CGLS).
///
/// Rounding is repaired by restarting from the residual until a restart no longer shrinks it.
///
/// # Complexity
///
/// `O(nnz)` per step; the number of steps grows with the square root of the condition number.
///
/// # References
///
/// Björck, *Numerical methods for least squares problems* (1996), Algorithm 7.4.1.
pub(crate) fn remove_range(a: &SparseMat, range: Range, x: &mut [f64]) {
    // What rounding of x alone makes of ‖Aᵀ r‖²: below it there is nothing left to remove.
    let noise = (4.0 * f64::EPSILON).powi(2) * squared_norm(x) * squared_norm(a.values());
    let mut before = normal_residual(a, range, x);
    for _ in 0..4 {
        if before <= noise || !before.is_finite() {
            return;
        }
        cgls(a, range, x, noise);
        let after = normal_residual(a, range, x);
        if after > 0.25 * before {
            return;
        }
        before = after;
    }
}

fn cgls(a: &SparseMat, range: Range, r: &mut [f64], noise: f64) {
    let n = match range {
        Range::Columns => a.n_cols(),
        Range::Rows => a.n_rows(),
    };
    let mut s = vec![0.0; n];
    let mut q = vec![0.0; r.len()];
    pull(a, range, r, &mut s);
    let mut p = s.clone();
    let mut gamma = squared_norm(&s);
    // Below the noise, search directions are dominated by the kernel of A, and steps along them are meaningless.
    let goal = noise.max(gamma * 1e-26);
    for _ in 0..4 * n + 20 {
        push(a, range, &p, &mut q);
        let curvature = squared_norm(&q);
        if gamma <= goal || curvature <= 0.0 {
            break;
        }
        let step = gamma / curvature;
        r.iter_mut().zip(&q).for_each(|(r, q)| *r -= step * q);
        pull(a, range, r, &mut s);
        let next = squared_norm(&s);
        let momentum = next / gamma;
        p.iter_mut().zip(&s).for_each(|(p, s)| *p = s + momentum * *p);
        gamma = next;
    }
}

fn push(a: &SparseMat, range: Range, y: &[f64], out: &mut [f64]) {
    match range {
        Range::Columns => a.mul(y, out),
        Range::Rows => a.mul_transpose(y, out),
    }
}

fn pull(a: &SparseMat, range: Range, x: &[f64], out: &mut [f64]) {
    match range {
        Range::Columns => a.mul_transpose(x, out),
        Range::Rows => a.mul(x, out),
    }
}

/// `‖Aᵀ r‖²` (or `‖A r‖²`), zero when `r` is orthogonal to the range.
fn normal_residual(a: &SparseMat, range: Range, r: &[f64]) -> f64 {
    let mut s = vec![0.0; if range == Range::Columns { a.n_cols() } else { a.n_rows() }];
    pull(a, range, r, &mut s);
    squared_norm(&s)
}

fn squared_norm(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The boundary operator of a ring of `n` edges: its rows sum to zero, its kernel is the constant flow.
    fn ring(n: u32) -> SparseMat {
        let mut b = SparseMat::with_rows(n as usize);
        (0..n).for_each(|i| b.push_column([(i, -1.0), ((i + 1) % n, 1.0)]));
        b
    }

    #[test]
    fn the_gradient_part_of_a_flow_on_a_ring_leaves_its_mean() {
        for n in [3u32, 10, 500] {
            let mut flow: Vec<f64> = (0..n).map(|i| f64::from(i * i % 17) - 3.0).collect();
            let mean = flow.iter().sum::<f64>() / f64::from(n);
            remove_range(&ring(n), Range::Rows, &mut flow);
            for value in flow {
                assert!((value - mean).abs() < 1e-12, "{n}: {value} {mean}");
            }
        }
    }

    #[test]
    fn the_range_of_the_boundary_is_what_sums_to_zero() {
        let mut x = vec![5.0, 1.0, -2.0, 0.0];
        remove_range(&ring(4), Range::Columns, &mut x);
        x.iter().for_each(|v| assert!((v - 1.0).abs() < 1e-14));
    }

    #[test]
    fn a_zero_vector_stays_zero() {
        let mut x = vec![0.0; 4];
        remove_range(&ring(4), Range::Columns, &mut x);
        assert_eq!(x, [0.0; 4]);
    }
}
