//! A feature space as it is written to files.

use super::features::{BlockSpace, FeatureMap};
use super::{FeatureSpace, Measurer, ModelError};
use crate::feature::{Component, SignedBasis, Standardizer};
use crate::signal::Orientation;
use serde::{Deserialize, Serialize};

/// A [`FeatureSpace`] as it is written to files.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Stored {
    #[serde(flatten)]
    measurer: Measurer,
    blocks: Vec<StoredBlock>,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredBlock {
    name: String,
    n_channels: usize,
    /// Units of the channels; none in files of version 1 and for the published settings.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    units: Vec<f64>,
    /// Unconstrained scales, or points on the spectrum.
    map: Vec<f64>,
    standardizer: Standardizer,
}

impl From<FeatureSpace> for Stored {
    fn from(space: FeatureSpace) -> Self {
        let block = |block: BlockSpace| StoredBlock {
            name: block.block.to_string(),
            n_channels: block.n_channels,
            units: block.units,
            map: block.map.stored(),
            standardizer: block.standardizer,
        };
        Self { measurer: space.measurer, blocks: space.blocks.into_iter().map(block).collect() }
    }
}

impl TryFrom<Stored> for FeatureSpace {
    type Error = ModelError;

    fn try_from(stored: Stored) -> Result<Self, ModelError> {
        let Stored { measurer, blocks } = stored;
        let allowed = measurer.blocks()?;
        let n_vectors = measurer.signed.as_ref().map_or(0, SignedBasis::len);
        let fault = |fault: String| ModelError::Space { fault };
        let mut space = Self { measurer, blocks: Vec::new() };
        for StoredBlock { name, n_channels, units, map, standardizer } in blocks {
            let block = allowed.iter().copied().find(|block| block.to_string() == name);
            let block = block.ok_or_else(|| fault(format!("block {name} is not one of the settings")))?;
            if space.blocks.iter().any(|other| other.block == block) {
                return Err(fault(format!("block {name} appears twice")));
            }
            let channels = space.measurer.encoding.channels(block.dim);
            let channels = match block.component {
                component if component.is_labels() || component.is_counts() => None,
                component if component.is_values() => space.measurer.value_channels(block.dim),
                _ => channels,
            };
            let expected = match block.component {
                Component::Columns => space.measurer.own.as_ref().map_or(0, |own| own.channels().len()),
                Component::Gram(index) => {
                    let own = space.measurer.own.as_ref().and_then(|own| own.grams.get(usize::from(index)));
                    own.map_or(0, |(_, width)| *width)
                }
                _ => channels.map_or(0, |channels| channels.len()),
            };
            if n_channels != expected {
                return Err(ModelError::Channels { block: name, expected, found: n_channels });
            }
            let is_oriented = |d: usize| channels.is_some_and(|c| c.orientation(d) == Orientation::Oriented);
            let oriented = (0..n_channels).map(is_oriented).collect();
            let map = FeatureMap::restore(&space.measurer.settings, block, n_vectors, oriented, map)?;
            let other = match &map {
                FeatureMap::Values(values) => values.n_channels() != n_channels,
                FeatureMap::Table(table) => table.n_channels() != n_channels,
                FeatureMap::Gram(map) => map.n_channels() != n_channels,
                _ => false,
            };
            if other {
                return Err(fault(format!("{name} has numbers of other channels")));
            }
            let columns = n_channels.saturating_mul(map.per_channel());
            if standardizer.n_columns() != columns || !standardizer.is_sound() {
                return Err(fault(format!("{name} does not have a sound standardizer of {columns} columns")));
            }
            if units.len() > n_channels || !units.iter().all(|unit| unit.is_normal() && *unit > 0.0) {
                return Err(fault(format!("{name} has units that are not positive numbers")));
            }
            space.blocks.push(BlockSpace { block, n_channels, units, map, standardizer });
        }
        Ok(space)
    }
}
