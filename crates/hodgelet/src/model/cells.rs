//! Which cells a prediction comes from, in blocks of labels and of values.
//!
//! The share of a block in the latent mean is a sum over training complexes of covariances with one row: roots of the masses
//! of labels, or a mean over vertices. It is shared out to the entries of that row along the line from the origin
//! ([`SumKernel::line_shares`](crate::kernel::SumKernel::line_shares)). What a label gets is split among the cells that have
//! it, by their masses; what a mean over vertices gets, among the vertices. Together with the value at the origin, that of a
//! complex without cells, the shares add up to the share of the block. They are averages over the states of the model.

use super::features::FeatureMap;
use super::fitted::{Model, Trained};
use super::labels::labels_of;
use super::space::items;
use super::{BlockSpace, ModelError};
use crate::dataset::Dataset;
use crate::feature::{Block, BlockMeasures, Component, ValueEmbedding};
use crate::kernel::{FixedRows, Inputs, LineShares, SparseRows};
use crate::linalg::dense::times;
use faer::Mat;
use std::collections::HashMap;
use std::ops::ControlFlow;

/// The share of a block in the latent means of one complex, cell by cell.
#[derive(Clone, Debug, PartialEq)]
pub struct CellShares {
    /// The block.
    pub block: Block,
    /// What a complex without cells would have, `[n_latents]`.
    pub origin: Vec<f64>,
    /// What each cell of the block's dimension adds, `[n_cells, n_latents]`.
    pub cells: Mat<f64>,
    /// What each label adds, those with the largest shares first; none in a block of values.
    pub labels: Vec<LabelShare>,
}

/// The share of one label in the latent means.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelShare {
    /// How many times the label is refined.
    pub depth: usize,
    /// The cells that have it.
    pub cells: Vec<u32>,
    /// What it adds, `[n_latents]`.
    pub share: Vec<f64>,
}

/// A label at some depth in one complex, with the masses of the cells that have it.
struct OwnLabel {
    id: u64,
    depth: usize,
    cells: Vec<(u32, f64)>,
}

impl Model {
    /// How the latent means of complex `index` of `dataset` come from its vertices and edges: one entry for each block of
    /// labels or values. Blocks of energies are not split further.
    ///
    /// # Errors
    ///
    /// [`ModelError`] when there is no such complex, or it cannot be measured as the model measures.
    pub fn explain_cells(&self, dataset: &Dataset, index: usize) -> Result<Vec<CellShares>, ModelError> {
        if index >= dataset.len() {
            return Err(ModelError::Index { index, len: dataset.len() });
        }
        let measurer = &self.space.measurer;
        let alone = dataset.select(&[index]);
        let items = items(measurer.settings.lift(), &alone)?;
        let measured = measurer.measure(&alone, |_| ControlFlow::Continue(()))?;
        let measures = self.space.measures_in_units(&measured.measures.iter().collect::<Vec<_>>());
        let refined = labels_of(measurer, &items, 0)?;
        let mut all = Vec::new();
        for (b, (space, own)) in self.space.blocks.iter().zip(&measures).enumerate() {
            let n_cells = items.complexes()[0].n_cells(space.block.dim);
            match &space.map {
                FeatureMap::Labels(_) => {
                    let labels = refined.as_ref().and_then(|refined| refined.of_dim(space.block.dim));
                    let Some((depths, shares)) = labels else { continue };
                    let (labels, n_cells) = (own_labels(space.block, depths, shares), shares.len());
                    all.push(self.label_shares(b, space, own, n_cells, labels)?);
                }
                FeatureMap::Values(embedding) => {
                    all.push(self.value_shares(b, space, own, n_cells, embedding)?);
                }
                _ => {}
            }
        }
        Ok(all)
    }

    fn label_shares(
        &self,
        b: usize,
        space: &BlockSpace,
        own: &BlockMeasures,
        n_cells: usize,
        labels: Vec<OwnLabel>,
    ) -> Result<CellShares, ModelError> {
        let Inputs::Fixed(point) = space.inputs(own)? else { return Err(not_rows(space.block)) };
        let FixedRows::Sparse(row) = &*point else { return Err(not_rows(space.block)) };
        let (origin, entries) = self.averaged_lines(b, &point, |lines, right| match right {
            FixedRows::Sparse(right) => Ok(sparse_entries(lines, row, right)),
            _ => Err(not_rows(space.block)),
        })?;
        let places: HashMap<u64, usize> =
            row.row(0).enumerate().map(|(place, (id, _))| (id, place)).collect();
        let n_latents = origin.len();
        let mut cells = Mat::zeros(n_cells, n_latents);
        let mut found = Vec::new();
        for label in labels {
            let Some(&place) = places.get(&label.id) else { continue };
            let share: Vec<f64> = (0..n_latents).map(|c| entries[(place, c)]).collect();
            let total: f64 = label.cells.iter().map(|(_, mass)| mass).sum();
            for &(cell, mass) in &label.cells {
                (0..n_latents).for_each(|c| cells[(cell as usize, c)] += share[c] * mass / total);
            }
            let own = label.cells.into_iter().map(|(cell, _)| cell).collect();
            found.push(LabelShare { depth: label.depth, cells: own, share });
        }
        let size = |label: &LabelShare| label.share.iter().fold(0.0f64, |a, x| a.max(x.abs()));
        found.sort_by(|a, b| size(b).total_cmp(&size(a)));
        Ok(CellShares { block: space.block, origin, cells, labels: found })
    }

    fn value_shares(
        &self,
        b: usize,
        space: &BlockSpace,
        own: &BlockMeasures,
        n_cells: usize,
        embedding: &ValueEmbedding,
    ) -> Result<CellShares, ModelError> {
        let Inputs::Fixed(point) = space.inputs(own)? else { return Err(not_rows(space.block)) };
        let FixedRows::Dense(row) = &*point else { return Err(not_rows(space.block)) };
        // The factors of the entries; those of vertices add up to the entry.
        let (origin, factors) = self.averaged_lines(b, &point, |lines, right| match right {
            FixedRows::Dense(right) => {
                let others = times(right.transpose(), lines.weights.as_ref());
                let entry = |m, c: usize| lines.own[c] * row[(0, m)] + others[(m, c)];
                Ok(Mat::from_fn(row.ncols(), lines.own.len(), entry))
            }
            _ => Err(not_rows(space.block)),
        })?;
        let vertices =
            own.values().first().map_or_else(|| Mat::zeros(0, row.ncols()), |v| embedding.cell_rows(v));
        let shares = times(vertices.as_ref(), factors.as_ref());
        let cells =
            Mat::from_fn(n_cells, origin.len(), |v, c| if v < shares.nrows() { shares[(v, c)] } else { 0.0 });
        Ok(CellShares { block: space.block, origin, cells, labels: Vec::new() })
    }

    /// Means over the states of the values at the origin and of what `entries` makes of the shares along the line.
    fn averaged_lines(
        &self,
        b: usize,
        point: &FixedRows,
        entries: impl Fn(&LineShares, &FixedRows) -> Result<Mat<f64>, ModelError>,
    ) -> Result<(Vec<f64>, Mat<f64>), ModelError> {
        let states: &[Trained] = self.all_states();
        let weight = 1.0 / states.len() as f64;
        let mut sum: Option<(Vec<f64>, Mat<f64>)> = None;
        for state in states {
            let Inputs::Fixed(right) = &state.inputs[b] else {
                return Err(not_rows(self.space.blocks[b].block));
            };
            let lines = state.kernel.line_shares(b, point, right, state.posterior.alpha().as_ref())?;
            let own = entries(&lines, right)?;
            let (origin, all) = sum
                .get_or_insert_with(|| (vec![0.0; lines.origin.len()], Mat::zeros(own.nrows(), own.ncols())));
            origin.iter_mut().zip(&lines.origin).for_each(|(sum, x)| *sum += weight * x);
            *all += faer::Scale(weight) * own;
        }
        Ok(sum.expect("a model has a state"))
    }
}

/// The share of each entry of the single row of `point`, `[n_entries, n_latents]`.
fn sparse_entries(lines: &LineShares, point: &SparseRows, right: &SparseRows) -> Mat<f64> {
    let entries: Vec<(u64, f64)> = point.row(0).collect();
    let places: HashMap<u64, usize> =
        entries.iter().enumerate().map(|(place, (id, _))| (*id, place)).collect();
    let n_latents = lines.own.len();
    let mut sums: Mat<f64> = Mat::zeros(entries.len(), n_latents);
    for i in 0..right.len() {
        for (id, value) in right.row(i) {
            if let Some(&place) = places.get(&id) {
                (0..n_latents).for_each(|c| sums[(place, c)] += lines.weights[(i, c)] * value);
            }
        }
    }
    Mat::from_fn(entries.len(), n_latents, |place, c| {
        let x = entries[place].1;
        x * (lines.own[c] * x + sums[(place, c)])
    })
}

/// The labels of a complex in a block, depth by depth.
fn own_labels(block: Block, depths: &[Vec<u64>], shares: &[[f64; 3]]) -> Vec<OwnLabel> {
    let component = Block::labels(block.dim).iter().position(|other| *other == block);
    let depths: Vec<(usize, &Vec<u64>)> = match block.component {
        Component::Labels => depths.iter().enumerate().skip(1).collect(),
        _ => depths.iter().enumerate().take(depths.len() - 1).collect(),
    };
    let mass = |cell: usize| component.map_or(1.0, |c| shares[cell][c]);
    let mut all = Vec::new();
    for (depth, labels) in depths {
        let mut places: HashMap<u64, usize> = HashMap::new();
        for (cell, &id) in labels.iter().enumerate().filter(|(cell, _)| mass(*cell) > 0.0) {
            let place = *places.entry(id).or_insert_with(|| {
                all.push(OwnLabel { id, depth, cells: Vec::new() });
                all.len() - 1
            });
            all[place].cells.push((cell as u32, mass(cell)));
        }
    }
    all
}

fn not_rows(block: Block) -> ModelError {
    ModelError::Space { fault: format!("{block} has no rows of its kind") }
}

#[cfg(test)]
mod tests {
    use crate::model::testing::{dataset, small_settings};
    use crate::settings::{BlockKind, HyperparameterChoice, Settings};

    /// Shares of cells and the value at the origin add up to the share of the block, for one latent function and for
    /// several, at the mode and averaged, and whatever the kernel.
    #[test]
    fn cells_add_up_to_their_block() {
        let kinds = vec![
            BlockKind::EdgeLabels,
            BlockKind::VertexLabels,
            BlockKind::Values,
            BlockKind::SmoothedValues,
        ];
        for (n_classes, kernel) in [(2, "se"), (3, "matern12"), (0, "linear")] {
            let data = dataset(12, n_classes, 5);
            let train: Vec<usize> = (0..9).collect();
            for hyperparameters in [HyperparameterChoice::Map, HyperparameterChoice::Nuts] {
                let kernel = kernel.parse().unwrap();
                let settings =
                    Settings { blocks: Some(kinds.clone()), hyperparameters, kernel, ..small_settings() };
                let model = settings.fit(&data, &train).unwrap();
                let prediction = model.predict(&data).unwrap();
                for i in 0..data.len() {
                    let cells = model.explain_cells(&data, i).unwrap();
                    assert_eq!(cells.len(), model.blocks().len());
                    for found in cells {
                        let (_, share) = prediction.blocks.iter().find(|(b, _)| *b == found.block).unwrap();
                        for c in 0..share.ncols() {
                            let of_cells: f64 = (0..found.cells.nrows()).map(|v| found.cells[(v, c)]).sum();
                            let sum = found.origin[c] + of_cells;
                            let expected = share[(i, c)];
                            assert!(
                                (sum - expected).abs() < 1e-9 * (1.0 + expected.abs()),
                                "{}, graph {i}: {sum} {expected}",
                                found.block
                            );
                            if found.block.component.is_labels() {
                                let labels: f64 = found.labels.iter().map(|label| label.share[c]).sum();
                                assert!((labels - of_cells).abs() < 1e-9 * (1.0 + labels.abs()));
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn shares_do_not_depend_on_the_other_complexes() {
        let data = dataset(10, 2, 6);
        let model = small_settings().fit(&data, &(0..10).collect::<Vec<_>>()).unwrap();
        let found = model.explain_cells(&data, 3).unwrap();
        let again = model.explain_cells(&data.select(&[3]), 0).unwrap();
        assert_eq!(found, again);
        assert!(found.iter().any(|block| block.cells.norm_max() > 1e-6), "no cell has a share");
        assert!(model.explain_cells(&data, 10).is_err());
    }
}
