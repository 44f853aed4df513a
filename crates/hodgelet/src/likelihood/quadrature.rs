//! Gauss–Hermite quadrature for expectations under the standard normal distribution.

/// Nodes and weights with `E[f(x)] ≈ Σ_k w_k f(x_k)` for `x ~ N(0, 1)`; exact for polynomials of degree
/// `2n − 1`.
#[derive(Clone, Debug, PartialEq)]
pub struct GaussHermite {
    nodes: Vec<f64>,
    weights: Vec<f64>,
}

impl GaussHermite {
    /// The rule with `n` nodes, by Golub and Welsch: nodes are the eigenvalues of the Jacobi matrix of the
    /// Hermite polynomials, weights the squared first entries of its eigenvectors. At least one node is made.
    #[must_use]
    pub fn new(n: usize) -> Self {
        let n = n.max(1);
        let (mut diagonal, mut below) =
            (vec![0.0; n], (1..=n).map(|k| (k as f64).sqrt()).collect::<Vec<_>>());
        below[n - 1] = 0.0;
        let mut first = vec![0.0; n];
        first[0] = 1.0;
        implicit_ql(&mut diagonal, &mut below, &mut first);
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&a, &b| diagonal[a].total_cmp(&diagonal[b]));
        // The rule is symmetric; averaging mirrored nodes makes odd moments vanish to the last bit.
        let sorted: Vec<(f64, f64)> = order.iter().map(|&k| (diagonal[k], first[k] * first[k])).collect();
        let mirrored = |k: usize| (sorted[k], sorted[n - 1 - k]);
        let nodes = (0..n).map(|k| 0.5 * (mirrored(k).0.0 - mirrored(k).1.0)).collect();
        let weights: Vec<f64> = (0..n).map(|k| 0.5 * (mirrored(k).0.1 + mirrored(k).1.1)).collect();
        let total: f64 = weights.iter().sum();
        Self { nodes, weights: weights.iter().map(|w| w / total).collect() }
    }

    /// Pairs (node, weight), nodes increasing.
    pub fn iter(&self) -> impl Iterator<Item = (f64, f64)> + Clone + '_ {
        self.nodes.iter().copied().zip(self.weights.iter().copied())
    }

    /// Number of nodes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is no node; never.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
}

/// Nodes, increasing, and weights, which sum to 1, of the Gauss rule whose orthonormal polynomials have these recurrence
/// coefficients: `alpha` `[n]` on the diagonal of the Jacobi matrix, `beta` `[n − 1]` beside it.
pub(super) fn gauss(mut alpha: Vec<f64>, mut beta: Vec<f64>) -> Vec<(f64, f64)> {
    let n = alpha.len();
    beta.resize(n, 0.0);
    let mut first = vec![0.0; n];
    first[0] = 1.0;
    implicit_ql(&mut alpha, &mut beta, &mut first);
    let mut rule: Vec<(f64, f64)> = alpha.into_iter().zip(first.iter().map(|u| u * u)).collect();
    rule.sort_by(|a, b| a.0.total_cmp(&b.0));
    let total: f64 = rule.iter().map(|(_, w)| w).sum();
    rule.iter_mut().for_each(|(_, w)| *w /= total);
    rule
}

/// The Gauss rule with `n` nodes of a measure with many atoms (position, mass), by the procedure of Stieltjes.
pub(super) fn gauss_of_measure(atoms: &[(f64, f64)], n: usize) -> Vec<(f64, f64)> {
    let total: f64 = atoms.iter().map(|(_, mass)| mass).sum();
    let (mut before, mut now) = (vec![0.0; atoms.len()], vec![total.sqrt().recip(); atoms.len()]);
    let (mut alpha, mut beta) = (Vec::with_capacity(n), Vec::<f64>::with_capacity(n));
    for k in 0..n {
        let center: f64 = atoms.iter().zip(&now).map(|((x, mass), p)| mass * x * p * p).sum();
        alpha.push(center);
        // β_k p_k = (x − α_{k−1}) p_{k−1} − β_{k−1} p_{k−2}
        let last = if k == 0 { 0.0 } else { beta[k - 1] };
        let mut next: Vec<f64> =
            atoms.iter().zip(&now).zip(&before).map(|(((x, _), p), q)| (x - center) * p - last * q).collect();
        let norm = atoms.iter().zip(&next).map(|((_, mass), p)| mass * p * p).sum::<f64>().sqrt();
        beta.push(norm);
        next.iter_mut().for_each(|p| *p /= norm);
        (before, now) = (now, next);
    }
    beta.pop();
    gauss(alpha, beta)
}

/// Eigenvalues of a symmetric tridiagonal matrix into `diagonal`, with the first row of its eigenvectors in
/// `first`, by implicit QL steps with Wilkinson's shift. `below[k]` couples `k` and `k + 1`.
fn implicit_ql(diagonal: &mut [f64], below: &mut [f64], first: &mut [f64]) {
    let n = diagonal.len();
    for l in 0..n {
        // Converges in two or three steps; the bound only prevents an endless loop in case of a bug.
        for _ in 0..100 {
            let small =
                |k: usize| below[k].abs() <= f64::EPSILON * (diagonal[k].abs() + diagonal[k + 1].abs());
            let end = (l..n - 1).find(|&k| small(k)).unwrap_or(n - 1);
            if end == l {
                break;
            }
            ql_step(l, end, diagonal, below, first);
        }
    }
}

/// One QL step on the block `l..=end`.
fn ql_step(l: usize, end: usize, diagonal: &mut [f64], below: &mut [f64], first: &mut [f64]) {
    let half = (diagonal[l + 1] - diagonal[l]) / (2.0 * below[l]);
    let shift = diagonal[l] - below[l] / (half + half.hypot(1.0).copysign(half));
    let (mut g, mut s, mut c, mut p) = (diagonal[end] - shift, 1.0, 1.0, 0.0);
    for i in (l..end).rev() {
        let (f, b) = (s * below[i], c * below[i]);
        let r = f.hypot(g);
        below[i + 1] = r;
        (s, c) = if r == 0.0 { (0.0, 1.0) } else { (f / r, g / r) };
        g = diagonal[i + 1] - p;
        let t = (diagonal[i] - g) * s + 2.0 * c * b;
        p = s * t;
        diagonal[i + 1] = g + p;
        g = c * t - b;
        let (u, v) = (first[i], first[i + 1]);
        (first[i + 1], first[i]) = (s * u + c * v, c * u - s * v);
    }
    diagonal[l] -= p;
    below[l] = g;
    below[end] = 0.0;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_is_exact_for_polynomials_up_to_twice_its_size() {
        for n in [1usize, 2, 3, 5, 20, 41] {
            let rule = GaussHermite::new(n);
            let mut moment = 1.0; // E[x^{2k}] = (2k − 1)!!
            for k in 0..n.min(15) {
                let found: f64 = rule.iter().map(|(x, w)| w * x.powi(2 * k as i32)).sum();
                assert!((found - moment).abs() < 1e-11 * moment, "n = {n}, degree {}: {found}", 2 * k);
                moment *= 2.0 * k as f64 + 1.0;
            }
        }
    }

    #[test]
    fn two_and_three_nodes_are_the_known_ones() {
        let two: Vec<_> = GaussHermite::new(2).iter().collect();
        assert!((two[1].0 - 1.0).abs() < 1e-15 && (two[1].1 - 0.5).abs() < 1e-15);
        let three: Vec<_> = GaussHermite::new(3).iter().collect();
        assert!((three[2].0 - 3f64.sqrt()).abs() < 1e-15 && (three[1].1 - 2.0 / 3.0).abs() < 1e-15);
    }
}
