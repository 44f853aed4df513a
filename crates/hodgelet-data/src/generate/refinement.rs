//! Refinements of simplicial complexes: the same spaces, cut finer.

use super::item_rng;
use hodgelet::complex::{Complex, ComplexError};
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// Share of the facets that [`Refinement::Graded`] refines.
pub const GRADED_SHARE: f64 = 0.5;

/// A way to refine complexes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Refinement {
    /// A vertex in the middle of every simplex.
    Barycentric,
    /// A vertex in the middle of every facet.
    Stellar,
    /// A vertex in the middle of some facets, drawn at random, so that some parts are finer than others.
    Graded,
}

impl Refinement {
    /// Every refinement.
    pub const ALL: [Self; 3] = [Self::Barycentric, Self::Stellar, Self::Graded];

    /// The refined complex; `seed` and `item` say which facets are drawn.
    ///
    /// # Errors
    ///
    /// [`ComplexError`] when the complex is not simplicial, or becomes too large.
    pub fn refined(self, complex: &Complex, seed: u64, item: usize) -> Result<Complex, ComplexError> {
        let share = if self == Self::Graded { GRADED_SHARE } else { 1.0 };
        self.refined_in_part(complex, share, seed, item)
    }

    /// The same with another share of the facets.
    ///
    /// # Errors
    ///
    /// As for [`refined`](Self::refined).
    pub fn refined_in_part(
        self,
        complex: &Complex,
        share: f64,
        seed: u64,
        item: usize,
    ) -> Result<Complex, ComplexError> {
        let facets = 0..complex.n_cells(complex.dim());
        match self {
            Self::Barycentric => complex.barycentric_subdivision(),
            Self::Stellar => complex.stellar_subdivision(&facets.collect::<Vec<_>>()),
            Self::Graded => {
                let mut rng = item_rng(seed, item);
                let drawn: Vec<usize> = facets.filter(|_| rng.random::<f64>() < share).collect();
                complex.stellar_subdivision(&drawn)
            }
        }
    }
}

impl std::fmt::Display for Refinement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Barycentric => "barycentric",
            Self::Stellar => "stellar",
            Self::Graded => "graded",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refinements_keep_the_homology_and_the_seed_says_which_facets_are_drawn() {
        let facets = [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]];
        let (sphere, _) = Complex::from_simplices(4, &facets).unwrap();
        let refined = |refinement: Refinement, seed| refinement.refined(&sphere, seed, 5).unwrap();
        let sizes = Refinement::ALL.map(|refinement| refined(refinement, 0).n_cells(2));
        assert_eq!((sizes[0], sizes[1]), (24, 12));
        for refinement in Refinement::ALL {
            assert_eq!(refined(refinement, 0).homology(), sphere.homology());
            assert_eq!(refined(refinement, 0), refined(refinement, 0));
        }
        let graded: Vec<usize> = (0..40).map(|seed| refined(Refinement::Graded, seed).n_cells(2)).collect();
        assert!(graded.iter().any(|&n| n < 12) && graded.iter().any(|&n| n > 4), "{graded:?}");
        let none = Refinement::Graded.refined_in_part(&sphere, 0.0, 1, 0).unwrap();
        assert_eq!(none, sphere);
    }
}
