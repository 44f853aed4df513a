//! Blocks of features: which signals, and which of their components.

use crate::complex::MAX_CLIQUE_DIM;
use crate::dataset::{MOST_GRAMS, WHOLE};
use crate::hodge::HodgeComponent;
use crate::measure::{ComplexMeasures, LabelMeasure};
use serde::{Deserialize, Serialize};

/// Which component of the signals of one dimension a block describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Component {
    /// The exact component.
    Exact,
    /// The co-exact component.
    Coexact,
    /// The harmonic component.
    Harmonic,
    /// All three together, as methods without the Hodge split see them.
    Whole,
    /// Inner products with the vectors of a shared complex, sign included.
    Signed,
    /// Refined labels, weighted by the share of their cells in the exact component.
    ExactLabels,
    /// Refined labels, weighted by the share of their cells in the co-exact component.
    CoexactLabels,
    /// Refined labels, weighted by the share of their cells in the harmonic component.
    HarmonicLabels,
    /// Refined labels, all cells alike.
    Labels,
    /// The distribution of values.
    Values,
    /// The distribution of values that are smoothed along edges.
    SmoothedValues,
    /// How many vertices have each label, those of all depths together.
    Environments,
    /// Numbers that are known of the complex as a whole.
    Columns,
    /// Tags of the complex as a whole.
    Fingerprints,
    /// A Gram matrix that is given: which of several, from 0.
    Gram(u8),
}

impl Component {
    /// The components whose energies it holds; none for signed features and labels, which are no energies.
    #[must_use]
    pub fn components(self) -> &'static [HodgeComponent] {
        match self {
            Self::Exact => &[HodgeComponent::Exact],
            Self::Coexact => &[HodgeComponent::Coexact],
            Self::Harmonic => &[HodgeComponent::Harmonic],
            Self::Whole => &HodgeComponent::ALL,
            _ => &[],
        }
    }

    /// Whether it is one of refined labels.
    #[must_use]
    pub fn is_labels(self) -> bool {
        matches!(self, Self::ExactLabels | Self::CoexactLabels | Self::HarmonicLabels | Self::Labels)
    }

    /// Whether it is one of distributions of values.
    #[must_use]
    pub fn is_values(self) -> bool {
        matches!(self, Self::Values | Self::SmoothedValues)
    }

    /// Whether it is one of a signal, as energies and signed features are.
    #[must_use]
    pub fn is_of_signal(self) -> bool {
        matches!(self, Self::Exact | Self::Coexact | Self::Harmonic | Self::Whole | Self::Signed)
    }

    /// Whether it is one of counts, which are compared by their minima and maxima.
    #[must_use]
    pub fn is_counts(self) -> bool {
        matches!(self, Self::Environments | Self::Fingerprints)
    }
}

/// A dimension and a component of its signals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Block {
    /// Dimension of the cells.
    pub dim: usize,
    /// Component of their signals.
    #[serde(alias = "part")]
    pub component: Component,
}

impl Block {
    /// The blocks of the Hodge split of one dimension, in order; vertices have no exact part.
    #[must_use]
    pub fn split(dim: usize) -> Vec<Self> {
        let parts = [Component::Exact, Component::Coexact, Component::Harmonic];
        parts.into_iter().skip(usize::from(dim == 0)).map(|component| Self { dim, component }).collect()
    }

    /// The blocks of refined labels of edges, one for each component.
    pub const EDGE_LABELS: [Self; 3] = Self::labels(1);

    /// The blocks of refined labels of the cells of one dimension, one for each component.
    #[must_use]
    pub const fn labels(dim: usize) -> [Self; 3] {
        [
            Self { dim, component: Component::ExactLabels },
            Self { dim, component: Component::CoexactLabels },
            Self { dim, component: Component::HarmonicLabels },
        ]
    }

    /// The block of refined labels of vertices.
    pub const VERTEX_LABELS: Self = Self { dim: 0, component: Component::Labels };

    /// The blocks of distributions of values: as they are, and smoothed.
    pub const VALUES: [Self; 2] = [
        Self { dim: 0, component: Component::Values },
        Self { dim: 0, component: Component::SmoothedValues },
    ];

    /// The blocks of distributions of values of edges: as they are, and smoothed.
    pub const EDGE_VALUES: [Self; 2] = [
        Self { dim: 1, component: Component::Values },
        Self { dim: 1, component: Component::SmoothedValues },
    ];

    /// The block of labels of vertices that are counted.
    pub const ENVIRONMENTS: Self = Self { dim: 0, component: Component::Environments };

    /// The blocks of what is known of complexes as a whole: numbers and tags.
    pub const OWN: [Self; 2] = [
        Self { dim: WHOLE, component: Component::Columns },
        Self { dim: WHOLE, component: Component::Fingerprints },
    ];

    /// The block of Gram matrix number `index`.
    #[must_use]
    pub fn gram(index: u8) -> Self {
        Self { dim: WHOLE, component: Component::Gram(index) }
    }

    /// The masses of labels of a complex in this block.
    pub(super) fn labels_of(self, complex: &ComplexMeasures) -> Option<&LabelMeasure> {
        if self.component == Component::Fingerprints {
            return complex.own().map(|own| &own.tags);
        }
        let labels = complex.labels()?;
        match (self.dim, self.component) {
            (dim, Component::ExactLabels) => labels.component(dim, HodgeComponent::Exact),
            (dim, Component::CoexactLabels) => labels.component(dim, HodgeComponent::Coexact),
            (dim, Component::HarmonicLabels) => labels.component(dim, HodgeComponent::Harmonic),
            (0, Component::Labels) => labels.vertices.as_ref(),
            (0, Component::Environments) => labels.environments.as_ref(),
            _ => None,
        }
    }
}

impl std::fmt::Display for Block {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.dim {
            0 => f.write_str("vertex ")?,
            1 => f.write_str("edge ")?,
            2 => f.write_str("triangle ")?,
            WHOLE => f.write_str("graph ")?,
            k => write!(f, "{k}-cell ")?,
        }
        f.write_str(match self.component {
            Component::Exact => "exact",
            Component::Coexact => "co-exact",
            Component::Harmonic => "harmonic",
            Component::Whole => "whole",
            Component::Signed => "signed",
            Component::ExactLabels => "exact labels",
            Component::CoexactLabels => "co-exact labels",
            Component::HarmonicLabels => "harmonic labels",
            Component::Labels => "labels",
            Component::Values => "values",
            Component::SmoothedValues => "smoothed values",
            Component::Environments => "environments",
            Component::Columns => "columns",
            Component::Fingerprints => "fingerprints",
            Component::Gram(0) => "gram",
            Component::Gram(index) => return write!(f, "gram {}", u32::from(index) + 1),
        })
    }
}

impl std::str::FromStr for Block {
    type Err = ();

    fn from_str(name: &str) -> Result<Self, ()> {
        let others = [Component::Whole, Component::Signed];
        let of_dim =
            |dim| Self::split(dim).into_iter().chain(others.map(|component| Self { dim, component }));
        let labels = (1..=MAX_CLIQUE_DIM).flat_map(Self::labels);
        let labels = labels.chain([Self::VERTEX_LABELS, Self::ENVIRONMENTS]);
        let labels = labels.chain(Self::VALUES).chain(Self::EDGE_VALUES).chain(Self::OWN);
        let labels = labels.chain((0..MOST_GRAMS as u8).map(Self::gram));
        (0..=MAX_CLIQUE_DIM).flat_map(of_dim).chain(labels).find(|block| block.to_string() == name).ok_or(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_named_by_cell_and_component() {
        let names: Vec<String> =
            Block::split(0).into_iter().chain(Block::split(1)).map(|b| b.to_string()).collect();
        assert_eq!(
            names,
            ["vertex co-exact", "vertex harmonic", "edge exact", "edge co-exact", "edge harmonic"]
        );
        let labels = Block::labels(1).into_iter().chain(Block::labels(3));
        let labels = labels.chain([Block::VERTEX_LABELS, Block::ENVIRONMENTS]);
        let labels = labels.chain(Block::VALUES).chain(Block::EDGE_VALUES).chain(Block::OWN);
        let labels = labels.chain([Block::gram(0), Block::gram(15)]);
        let labels = labels.map(|b| b.to_string());
        for name in names.into_iter().chain(labels) {
            assert_eq!(name.parse::<Block>().unwrap().to_string(), name);
        }
        assert_eq!("edge".parse::<Block>(), Err(()));
    }
}
