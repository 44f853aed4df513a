//! Which weights of cells a Laplacian has, and how signals enter under them.
//!
//! Weights `M_k` define the inner product `⟨x, y⟩_k = xᵀ M_k y` of *cochains*, values that are measured on cells (the
//! integral of a field along an edge). `y = M_k^{1/2} x` turns it into the plain one, and the coboundary `B_{k+1}ᵀ` into
//! `B̃_{k+1}ᵀ`: a gradient `B_1ᵀ f` stays exact, whatever the weights. *Chains*, amounts that sit on cells (a number of
//! walkers), are dual to cochains; their inner product is `xᵀ M_k^{−1} y`, they enter as `M_k^{−1/2} x`, and a boundary
//! `B_2 c` stays co-exact. [`Variable`] says which of the two a signal is.

use serde::{Deserialize, Serialize};

/// Which Laplacian the spectra belong to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Weighting {
    /// All weights 1: `L_0 = B_1 B_1ᵀ`, the Laplacian of \[Alain24\].
    #[default]
    Combinatorial,
    /// Vertices weighted by degree, `M_0 = D`: `L_0 = D^{−1/2} B_1 B_1ᵀ D^{−1/2}`, applied to the raw signal as
    /// in \[Opolka23\]. A vertex without edges stays harmonic.
    SymmetricNormalized,
    /// Cells of every dimension weighted by their cofaces,
    /// [`CellWeights::normalized_hodge`](crate::complex::CellWeights::normalized_hodge); signals are cochains.
    NormalizedHodge,
    /// The normalized Hodge 1-Laplacian of \[Schaub20\],
    /// [`CellWeights::random_walk`](crate::complex::CellWeights::random_walk); signals are chains, as the flows there.
    RandomWalk,
}

/// How the values of a signal enter the inner product that weights define.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Variable {
    /// As values that are measured on cells: `M_k^{1/2} x`.
    #[default]
    Cochain,
    /// As amounts that sit on cells: `M_k^{−1/2} x`.
    Chain,
    /// As they are.
    Raw,
}

impl Variable {
    /// The factors of the values, given `M_k^{1/2}`; none when they are all 1.
    pub(super) fn factors(self, roots: Vec<f64>) -> Option<Vec<f64>> {
        match self {
            Self::Cochain => Some(roots),
            Self::Chain => Some(roots.iter().map(|r| 1.0 / r).collect()),
            Self::Raw => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::complex::{CellWeights, Complex};
    use crate::hodge::{HodgeComponent, Operators, Term, decompose, laplacian, spectrum};
    use crate::signal::{Orientation, Signal};
    use faer::Mat;

    /// Two triangles that share an edge, a tail, and an isolated vertex.
    fn sample() -> Complex {
        let edges = [[0, 1], [1, 2], [0, 2], [1, 3], [2, 3], [3, 4]];
        Complex::graph(6, &edges).unwrap().with_triangles(&[[0, 1, 2], [1, 2, 3]]).unwrap()
    }

    #[test]
    fn normalized_spectra_of_up_terms_end_at_the_dimension_plus_two() {
        let complex = sample();
        let operators = Operators::new(&complex, Weighting::NormalizedHodge);
        for k in 0..2 {
            let found = spectrum(&operators, k, HodgeComponent::Coexact).unwrap();
            let largest = found.eigenvalues().last().copied().unwrap();
            assert!(largest <= k as f64 + 2.0 + 1e-12, "{k}: {largest}");
        }
        assert_eq!(
            CellWeights::normalized_hodge(&complex).of_dim(1).unwrap(),
            [1.0, 2.0, 1.0, 1.0, 1.0, 1.0]
        );
    }

    fn diagonal(weights: &[f64], power: f64) -> Mat<f64> {
        Mat::from_fn(weights.len(), weights.len(), |i, j| if i == j { weights[i].powf(power) } else { 0.0 })
    }

    /// \[Schaub20\]: `L = D_2 B_1ᵀ D_1⁻¹ B_1 + B_2 D_3 B_2ᵀ D_2⁻¹`, with its matrices written out.
    #[test]
    fn the_random_walk_laplacian_is_similar_to_the_published_one() {
        let complex = sample();
        let (b1, b2) = (complex.boundary(1).unwrap().to_dense(), complex.boundary(2).unwrap().to_dense());
        let d2: Vec<f64> = (0..6).map(|e| (0..2).map(|t| b2[(e, t)].abs()).sum::<f64>().max(1.0)).collect();
        let d1: Vec<f64> = (0..6)
            .map(|v| 2.0 * (0..6).map(|e| b1[(v, e)].abs() * d2[e]).sum::<f64>())
            .map(|d| if d == 0.0 { 1.0 } else { d })
            .collect();
        let published = diagonal(&d2, 1.0) * b1.transpose() * diagonal(&d1, -1.0) * &b1
            + &b2 * b2.transpose() * diagonal(&d2, -1.0) * faer::Scale(1.0 / 3.0);
        let operators = Operators::new(&complex, Weighting::RandomWalk);
        let ours = diagonal(&d2, 0.5) * laplacian(&operators, 1, Term::Both) * diagonal(&d2, -0.5);
        for i in 0..6 {
            for j in 0..6 {
                assert!((published[(i, j)] - ours[(i, j)]).abs() < 1e-14);
            }
        }
        let largest = spectrum(&operators, 1, HodgeComponent::Coexact).unwrap().eigenvalues()[1];
        assert!(largest <= 1.0 + 1e-12, "{largest}");
    }

    /// The law of each variable: gradients of cochains are exact, boundaries of chains co-exact.
    #[test]
    fn gradients_are_exact_cochains_and_boundaries_are_coexact_chains() {
        let complex = sample();
        let random = |seed: u32, n: usize| -> Vec<f64> {
            (0..n as u32).map(|i| f64::from((i * 37 + seed * 11) % 17) - 8.0).collect()
        };
        let (mut gradient, mut circulation) = (vec![0.0; 6], vec![0.0; 6]);
        complex.boundary(1).unwrap().mul_transpose(&random(1, 6), &mut gradient);
        complex.boundary(2).unwrap().mul(&random(2, 2), &mut circulation);
        let split = |weighting, values: &[f64]| {
            let signal = Signal::from_row_major(6, 1, values, Orientation::Oriented).unwrap();
            decompose(&Operators::new(&complex, weighting), 1, &signal).unwrap()
        };
        let (exact, coexact) =
            (split(Weighting::NormalizedHodge, &gradient), split(Weighting::RandomWalk, &circulation));
        for e in 0..6 {
            assert!((exact.exact[(e, 0)] - gradient[e]).abs() < 1e-10);
            assert!((coexact.coexact[(e, 0)] - circulation[e]).abs() < 1e-10);
        }
        // and not the other way round
        let crossed = split(Weighting::RandomWalk, &gradient);
        assert!((0..6).any(|e| (crossed.exact[(e, 0)] - gradient[e]).abs() > 0.1));
    }
}
