//! Anderson acceleration of a fixed-point iteration `x ← x + r(x)` \[Anderson65\].

use std::collections::VecDeque;

/// Ridge of the small least-squares problem, relative to its trace: directions of the history that differ by
/// rounding alone must not be extrapolated along.
const RIDGE: f64 = 1e-12;

/// The last iterates and their residuals.
pub(super) struct Anderson {
    depth: usize,
    history: VecDeque<(Vec<f64>, Vec<f64>)>,
}

impl Anderson {
    /// An accelerator that keeps `depth` differences; 0 turns it off.
    pub(super) fn new(depth: usize) -> Self {
        Self { depth, history: VecDeque::new() }
    }

    /// Forgets everything, after a step that went wrong.
    pub(super) fn clear(&mut self) {
        self.history.clear();
    }

    /// Stores `x` with its residual and proposes the next iterate; `None` while there is no history.
    ///
    /// The combination of past residuals nearest to 0, entries weighted by `scale`, is found by least squares; what
    /// is left of the residual is followed by the share `mixing`.
    pub(super) fn propose(
        &mut self,
        x: &[f64],
        residual: &[f64],
        scale: &[f64],
        mixing: f64,
    ) -> Option<Vec<f64>> {
        let differences: Vec<Vec<f64>> = self.history.iter().map(|(_, r)| subtract(residual, r)).collect();
        let step = combine(&differences, residual, scale).map(|weights| {
            let mut next: Vec<f64> = x.iter().zip(residual).map(|(x, r)| x + mixing * r).collect();
            for ((past, _), (dr, weight)) in self.history.iter().zip(differences.iter().zip(&weights)) {
                for (i, slot) in next.iter_mut().enumerate() {
                    *slot -= weight * (x[i] - past[i] + mixing * dr[i]);
                }
            }
            next
        });
        if self.depth > 0 {
            if self.history.len() == self.depth {
                self.history.pop_front();
            }
            self.history.push_back((x.to_vec(), residual.to_vec()));
        }
        step.filter(|next| next.iter().all(|x| x.is_finite()))
    }
}

fn subtract(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(a, b)| a - b).collect()
}

/// Weights `γ` that minimize `‖residual − Σ_j γ_j differences_j‖` in the metric of `scale`.
fn combine(differences: &[Vec<f64>], residual: &[f64], scale: &[f64]) -> Option<Vec<f64>> {
    let n = differences.len();
    let dot = |a: &[f64], b: &[f64]| -> f64 {
        a.iter().zip(b).zip(scale).map(|((a, b), s)| (a * s) * (b * s)).sum()
    };
    let mut matrix: Vec<Vec<f64>> =
        differences.iter().map(|a| differences.iter().map(|b| dot(a, b)).collect()).collect();
    let mut weights: Vec<f64> = differences.iter().map(|a| dot(a, residual)).collect();
    let ridge = RIDGE * (0..n).map(|j| matrix[j][j]).sum::<f64>();
    if n == 0 || !(ridge > 0.0 && ridge.is_finite()) {
        return None;
    }
    (0..n).for_each(|j| matrix[j][j] += ridge);
    eliminate(&mut matrix, &mut weights);
    Some(weights)
}

/// Solves a small positive definite system in place.
fn eliminate(matrix: &mut [Vec<f64>], rhs: &mut [f64]) {
    let n = rhs.len();
    for j in 0..n {
        let (above, below) = matrix.split_at_mut(j + 1);
        let pivot = &above[j];
        for (offset, row) in below.iter_mut().enumerate() {
            let ratio = row[j] / pivot[j];
            row.iter_mut().zip(pivot).skip(j).for_each(|(entry, above)| *entry -= ratio * above);
            rhs[j + 1 + offset] -= ratio * rhs[j];
        }
    }
    for j in (0..n).rev() {
        let known: f64 = (j + 1..n).map(|k| matrix[j][k] * rhs[k]).sum();
        rhs[j] = (rhs[j] - known) / matrix[j][j];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_linear_map_is_solved_in_as_many_steps_as_it_has_dimensions() {
        // x ← A x + b with spectral radius near 1.
        let residual =
            |x: &[f64]| vec![0.95 * x[0] + 0.02 * x[1] + 1.0 - x[0], 0.03 * x[0] + 0.9 * x[1] - x[1]];
        let mut anderson = Anderson::new(3);
        let mut x = vec![0.0, 0.0];
        for _ in 0..5 {
            let r = residual(&x);
            x = anderson
                .propose(&x, &r, &[1.0, 1.0], 1.0)
                .unwrap_or_else(|| x.iter().zip(&r).map(|(x, r)| x + r).collect());
        }
        assert!(residual(&x).iter().all(|r| r.abs() < 1e-8), "{x:?}");
    }

    #[test]
    fn without_depth_or_history_nothing_is_proposed() {
        let mut off = Anderson::new(0);
        assert!(off.propose(&[1.0], &[0.5], &[1.0], 1.0).is_none());
        assert!(off.propose(&[1.5], &[0.25], &[1.0], 1.0).is_none());
    }
}
