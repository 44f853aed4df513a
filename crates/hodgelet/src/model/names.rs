//! Names of the blocks, channels and columns of a feature space, and of what it cannot see.

use super::own::OwnColumns;
use super::{BlockSpace, FeatureSpace};
use crate::complex::Lift;
use crate::feature::{Block, Component};
use crate::hodge::HodgeComponent;
use crate::measure::ComplexMeasures;

impl FeatureSpace {
    /// Channels that have values in the complexes measured, but no feature that varies over the training complexes: the
    /// model cannot see them.
    #[must_use]
    pub fn constant_channels(&self, measures: &[&ComplexMeasures]) -> Vec<String> {
        let of_signals = self.blocks.iter().filter(|space| space.block.component.is_of_signal());
        let mut dims: Vec<usize> = of_signals.map(|space| space.block.dim).collect();
        dims.sort_unstable();
        dims.dedup();
        let of_dim = |dim: usize| {
            let names = self.channel_names(Block { dim, component: Component::Whole });
            let live = measures.iter().filter_map(|complex| complex.of_dim(dim));
            let live = live.flat_map(|measures| measures.component(HodgeComponent::Exact).live());
            let mut carries = vec![false; names.len()];
            for &d in live {
                // Measures of another encoding may have more channels.
                if let Some(carries) = carries.get_mut(d as usize) {
                    *carries = true;
                }
            }
            let varies = |d: usize| {
                let of_block = |space: &BlockSpace| {
                    let width = space.map.per_channel();
                    (d * width..(d + 1) * width).any(|j| space.standardizer.is_live(j))
                };
                self.blocks.iter().filter(|space| space.block.dim == dim).any(of_block)
            };
            let lost = (0..names.len()).filter(|&d| carries[d] && !varies(d)).collect::<Vec<_>>();
            lost.into_iter().map(move |d| format!("{} (dimension {dim})", names[d])).collect::<Vec<_>>()
        };
        dims.into_iter().flat_map(of_dim).collect()
    }

    /// Name of a block, in tables.
    #[must_use]
    pub fn block_name(&self, block: Block) -> String {
        match self.measurer.settings.lift() {
            Lift::LineGraph => format!("line-graph {block}"),
            _ => block.to_string(),
        }
    }

    /// Names of the channels of a block.
    #[must_use]
    pub fn channel_names(&self, block: Block) -> Vec<String> {
        if block.component == Component::Columns {
            return self.measurer.own.as_ref().map(OwnColumns::channels).unwrap_or_default();
        }
        let channels = self.measurer.encoding.channels(block.dim);
        let channels = channels.filter(|_| block.component.is_of_signal());
        channels.map(|c| (0..c.len()).map(|d| c.name(d).to_owned()).collect()).unwrap_or_default()
    }

    /// Names of the columns: `edge exact | label=1 | filter 3`, filters counted from 1.
    #[must_use]
    pub fn column_names(&self) -> Vec<String> {
        let of_block = |space: &BlockSpace| {
            let (block, width) = (self.block_name(space.block), space.map.per_channel());
            let of_channel = |channel: String| match space.map.counted() {
                Some(what) => (1..=width).map(|j| format!("{block} | {channel} | {what} {j}")).collect(),
                None => vec![format!("{block} | {channel}")],
            };
            self.channel_names(space.block).into_iter().flat_map(of_channel).collect::<Vec<String>>()
        };
        self.blocks.iter().flat_map(of_block).collect()
    }
}
