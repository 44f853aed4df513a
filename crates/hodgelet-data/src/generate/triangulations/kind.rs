//! What a closed manifold is, up to deformation.

use super::ManifoldTarget;
use hodgelet::complex::Complex;

/// The invariants that tell the manifolds of the census apart.
///
/// Closed surfaces are classified by orientability and Euler characteristic. In dimension 3 homology tells no sphere from
/// others in general, but with up to 10 vertices there are spheres and the two sphere bundles over the circle only
/// \[Sulanke09\], which it does.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ManifoldKind {
    pub(crate) is_twisted: bool,
    pub(crate) betti: Vec<usize>,
}

impl ManifoldKind {
    /// The kind of a closed manifold; none of anything else.
    pub(crate) fn of(complex: &Complex) -> Option<Self> {
        let is_orientable = complex.is_orientable()?;
        let top = i64::from(is_orientable);
        let betti = if complex.dim() == 2 && complex.connected_components().1 == 1 {
            // The first and the last are known, and the Euler characteristic says the other.
            vec![1, usize::try_from(1 + top - complex.euler_characteristic()).ok()?, top as usize]
        } else {
            complex.homology().ok()?.iter().map(|group| group.betti).collect()
        };
        Some(Self { is_twisted: !is_orientable, betti })
    }

    /// Its class.
    pub(crate) fn class(&self, target: ManifoldTarget) -> String {
        let betti = |k: usize| self.betti.get(k).copied().unwrap_or(0).to_string();
        match target {
            ManifoldTarget::Type => self.name(),
            ManifoldTarget::Orientable => if self.is_twisted { "no" } else { "yes" }.to_owned(),
            ManifoldTarget::Betti => (0..self.betti.len()).map(betti).collect::<Vec<_>>().join(","),
            ManifoldTarget::Betti1 => betti(1),
            ManifoldTarget::Betti2 => betti(2),
        }
    }

    fn name(&self) -> String {
        let first = self.betti[1];
        match (self.betti.len() - 1, self.is_twisted) {
            (2, false) => match first / 2 {
                0 => "S^2".to_owned(),
                1 => "T^2".to_owned(),
                genus => format!("#^{genus} T^2"),
            },
            (2, true) => match first + 1 {
                1 => "RP^2".to_owned(),
                2 => "Klein bottle".to_owned(),
                genus => format!("#^{genus} RP^2"),
            },
            (_, false) if first == 0 => "S^3".to_owned(),
            (_, false) => "S^2 x S^1".to_owned(),
            (_, true) => "S^2 twist S^1".to_owned(),
        }
    }
}
