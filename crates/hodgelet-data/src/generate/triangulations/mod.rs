//! `triangulations`: every triangulated closed manifold with few vertices, where the topology is the class.

mod census;
mod kind;

use super::error::{GenerateError, check_count};
use census::{MAX_VERTICES_2, MAX_VERTICES_3, bits, census};
use hodgelet::complex::Complex;
use hodgelet::dataset::{Dataset, Targets};
pub(crate) use kind::ManifoldKind;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// What is to be predicted of a manifold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ManifoldTarget {
    /// What it is up to deformation, such as `T^2` or `#^3 RP^2`.
    #[default]
    Type,
    /// Whether it is orientable, `yes` or `no`.
    Orientable,
    /// All Betti numbers over the rationals, such as `1,2,1`.
    Betti,
    /// The first Betti number.
    #[serde(rename = "betti-1")]
    Betti1,
    /// The second Betti number.
    #[serde(rename = "betti-2")]
    Betti2,
}

/// Settings of `triangulations`, not yet validated.
///
/// Nothing is drawn: the dataset is the same for every seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TriangulationsParams {
    /// Dimension of the manifolds, 2 or 3.
    pub dim: usize,
    /// Largest number of vertices: up to 10 for surfaces, 9 in dimension 3.
    pub max_vertices: usize,
    /// What is to be predicted.
    pub target: ManifoldTarget,
}

impl Default for TriangulationsParams {
    fn default() -> Self {
        Self { dim: 2, max_vertices: 8, target: ManifoldTarget::Type }
    }
}

impl TriangulationsParams {
    /// The settings a dataset can be made from, or the first one that is invalid.
    ///
    /// # Errors
    ///
    /// [`GenerateError`] when a number is out of range.
    pub fn check(self) -> Result<CheckedTriangulations, GenerateError> {
        check_count("dim", self.dim, (2, 3))?;
        let most = if self.dim == 2 { MAX_VERTICES_2 } else { MAX_VERTICES_3 };
        check_count("max_vertices", self.max_vertices, (self.dim + 2, most))?;
        Ok(CheckedTriangulations(self))
    }
}

/// Valid settings; only [`TriangulationsParams::check`] makes them.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedTriangulations(TriangulationsParams);

impl CheckedTriangulations {
    /// The dataset: each manifold once up to relabelling, those with fewer vertices first, and no columns.
    ///
    /// # Complexity
    ///
    /// On two cores some 15 seconds for the 43,138 surfaces with up to 10 vertices, and as many for the 1,344 manifolds of
    /// dimension 3 with up to 9.
    #[must_use]
    pub fn generate(&self) -> Dataset {
        let TriangulationsParams { dim, max_vertices, target } = self.0;
        let found = census(dim, max_vertices);
        let items: Vec<(Complex, ManifoldKind)> = found.par_iter().map(|facets| manifold(facets)).collect();
        let (complexes, kinds): (Vec<Complex>, Vec<ManifoldKind>) = items.into_iter().unzip();
        Dataset::new("triangulations", complexes, Vec::new(), targets(&kinds, target))
            .expect("every manifold has one of the classes, and its cells fit in memory")
    }
}

/// What is to be predicted of closed manifolds, computed from their complexes; none where one is not a closed manifold.
///
/// ```
/// use hodgelet_data::generate::{ManifoldTarget, TriangulationsParams, manifold_targets};
/// let surfaces = TriangulationsParams { max_vertices: 6, ..Default::default() }.check()?.generate();
/// let types = manifold_targets(surfaces.complexes(), ManifoldTarget::Type);
/// assert_eq!(types.as_ref(), Some(surfaces.targets()));
/// # Ok::<(), hodgelet_data::generate::GenerateError>(())
/// ```
#[must_use]
pub fn manifold_targets(complexes: &[Complex], target: ManifoldTarget) -> Option<Targets> {
    let kinds: Vec<ManifoldKind> = complexes.par_iter().map(ManifoldKind::of).collect::<Option<_>>()?;
    Some(targets(&kinds, target))
}

/// The complex of some facets, and what it is.
fn manifold(facets: &[u16]) -> (Complex, ManifoldKind) {
    let simplices: Vec<Vec<u32>> = facets.iter().map(|&facet| bits(facet).collect()).collect();
    let n_vertices = facets.iter().fold(0, |all, facet| all | facet).count_ones() as usize;
    let (complex, _) = Complex::from_simplices(n_vertices, &simplices)
        .expect("facets name vertices that there are, once each");
    let kind = ManifoldKind::of(&complex).expect("each ridge of a closed manifold has two facets");
    (complex, kind)
}

/// Classes in the order of the kinds that have them, orientable manifolds first.
fn targets(kinds: &[ManifoldKind], target: ManifoldTarget) -> Targets {
    let classes = kinds.iter().map(|kind| kind.class(target)).collect();
    ordered_classes(kinds, classes)
}

/// Targets of some kinds and the name of the class of each: classes in the order of the first kind that has them.
pub(crate) fn ordered_classes(kinds: &[ManifoldKind], classes: Vec<String>) -> Targets {
    let mut distinct: Vec<(&ManifoldKind, &String)> = kinds.iter().zip(&classes).collect();
    distinct.sort();
    distinct.dedup();
    let mut names: Vec<String> = Vec::new();
    for (_, name) in distinct {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    let place = |name: &String| {
        names.iter().position(|other| other == name).expect("the names are those of the classes") as u32
    };
    let labels = classes.iter().map(place).collect();
    Targets::Classes { names, labels }
}

#[cfg(test)]
mod tests;
