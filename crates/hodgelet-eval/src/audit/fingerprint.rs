//! Which graphs look alike: equal Hodgelet features of the full encoding, with color refinement as a second estimate.

use super::colors::color_groups;
use super::{AuditError, contradicting, distinct, members};
use faer::Mat;
use hodgelet::dataset::{Dataset, Targets};
use hodgelet::encode::{CellSignal, VertexSignal};
use hodgelet::gp::collapse::Collapse;
use hodgelet::model::{FeatureSpace, ModelError};
use hodgelet::settings::Settings;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::ops::ControlFlow;

/// Rows closer than this, relative to the largest value of each column, are equal: spectra of the same graph in
/// another order of its vertices differ by rounding.
const EQUAL: f64 = 1e-8;
/// Degrees beyond this share no channel; numbers of cells still tell such graphs apart.
const MOST_DEGREES: usize = 512;
/// Filters per block. Few will do: their sums over each measure are all equal for equal graphs.
const FILTERS: usize = 4;

/// Groups of graphs that look alike.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fingerprints {
    /// Graphs with different fingerprints.
    pub distinct: usize,
    /// Graphs that color refinement tells apart.
    pub distinct_by_colors: usize,
    /// Pairs that are alike by one criterion but not by the other.
    pub disagreements: usize,
    /// Graphs with a twin that has another target.
    pub contradicting: usize,
    /// Best accuracy of a model that sees the fingerprint alone; absent for real targets.
    pub ceiling: Option<f64>,
}

/// The group of each graph, and what the groups say of the dataset; `progress` is told how many graphs are measured, and
/// may stop the work.
///
/// # Errors
///
/// [`AuditError`] when graphs have no features, or too many.
pub fn fingerprints(
    dataset: &Dataset,
    progress: impl FnMut(usize) -> ControlFlow<()>,
) -> Result<(Vec<usize>, Fingerprints), AuditError> {
    let groups = groups(dataset, progress)?;
    let colors = color_groups(dataset);
    let pairs = |of: &dyn Fn(usize) -> (usize, usize)| -> usize {
        let mut sizes: HashMap<(usize, usize), usize> = HashMap::new();
        (0..dataset.len()).for_each(|i| *sizes.entry(of(i)).or_default() += 1);
        sizes.values().map(|n| n * (n - 1) / 2).sum()
    };
    let (alike, colored) = (pairs(&|i| (groups[i], 0)), pairs(&|i| (0, colors[i])));
    let both = pairs(&|i| (groups[i], colors[i]));
    let found = Fingerprints {
        distinct: distinct(&groups),
        distinct_by_colors: distinct(&colors),
        disagreements: alike + colored - 2 * both,
        contradicting: contradicting(&groups, dataset.targets()),
        ceiling: ceiling(&groups, dataset.targets()),
    };
    Ok((groups, found))
}

/// Graphs with equal features.
fn groups(
    dataset: &Dataset,
    progress: impl FnMut(usize) -> ControlFlow<()>,
) -> Result<Vec<usize>, AuditError> {
    let everyone: Vec<usize> = (0..dataset.len()).collect();
    let (space, measured) = FeatureSpace::fit(&settings(dataset), dataset, &everyone, progress)?;
    let features = space.features(&measured.measures.iter().collect::<Vec<_>>(), false)?;
    let top = dataset.complexes().iter().map(|complex| complex.dim()).max().unwrap_or(0);
    let counts = Mat::from_fn(dataset.len(), top + 1, |i, k| {
        let complex = &dataset.complexes()[i];
        if k <= complex.dim() { complex.n_cells(k) as f64 } else { 0.0 }
    });
    let parts: Vec<&Mat<f64>> = std::iter::once(&counts).chain(&features).collect();
    let width = parts.iter().map(|part| part.ncols()).sum();
    let mut all = Mat::zeros(dataset.len(), width);
    let mut start = 0;
    for part in parts {
        all.subcols_mut(start, part.ncols()).copy_from(part);
        start += part.ncols();
    }
    let collapse = Collapse::new(all.as_ref(), EQUAL).map_err(ModelError::from)?;
    Ok(collapse.groups().to_vec())
}

/// Every degree, label and attribute of vertices and edges; a one on edges that have none.
fn settings(dataset: &Dataset) -> Settings {
    let degree = |i: usize| dataset.complexes()[i].degrees().into_iter().max().unwrap_or(0) as usize;
    let largest = (0..dataset.len()).map(degree).max().unwrap_or(0).min(MOST_DEGREES);
    // The reference's encoding has channels for the degrees below `max_degree − 1`.
    let max_degree = u32::try_from(largest + 2).ok();
    let has_columns = dataset.columns().iter().any(|column| column.dim == 1);
    let edges = if has_columns { CellSignal::Columns } else { CellSignal::Constant };
    Settings {
        vertices: Some(VertexSignal::Reference),
        edges,
        max_degree,
        n_filters: FILTERS,
        ..Settings::default()
    }
}

/// The most frequent class of each group, counted.
fn ceiling(groups: &[usize], targets: &Targets) -> Option<f64> {
    let Targets::Classes { names, labels } = targets else { return None };
    let right = |group: &Vec<usize>| {
        let mut counts = vec![0usize; names.len()];
        group.iter().for_each(|&i| counts[labels[i] as usize] += 1);
        counts.into_iter().max().unwrap_or(0)
    };
    let right: usize = members(groups).values().map(right).sum();
    (!labels.is_empty()).then(|| right as f64 / labels.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hodgelet::complex::Complex;

    fn found(dataset: &Dataset) -> (Vec<usize>, Fingerprints) {
        fingerprints(dataset, |_| ControlFlow::Continue(())).unwrap()
    }

    /// A path of three vertices, the same with its vertices renamed, a triangle, and the path once more.
    fn paths() -> Dataset {
        let graphs: [&[[u32; 2]]; 4] =
            [&[[0, 1], [1, 2]], &[[2, 0], [0, 1]], &[[0, 1], [1, 2], [0, 2]], &[[0, 1], [1, 2]]];
        let complexes = graphs.map(|edges| Complex::graph(3, edges).unwrap()).to_vec();
        let targets = Targets::Classes { names: vec!["a".into(), "b".into()], labels: vec![0, 0, 1, 1] };
        Dataset::new("paths", complexes, vec![], targets).unwrap()
    }

    #[test]
    fn renamed_graphs_look_alike_and_others_do_not() {
        let (groups, found) = found(&paths());
        assert!(groups[0] == groups[1] && groups[1] == groups[3] && groups[0] != groups[2], "{groups:?}");
        assert_eq!((found.distinct, found.distinct_by_colors, found.disagreements), (2, 2, 0));
        assert_eq!(found.contradicting, 3);
        assert_eq!(found.ceiling, Some(0.75), "two of the three paths, and the triangle");
    }

    #[test]
    fn what_colors_cannot_tell_apart_the_features_can() {
        let complexes = vec![
            Complex::graph(6, &[[0, 1], [1, 2], [0, 2], [3, 4], [4, 5], [3, 5]]).unwrap(),
            Complex::graph(6, &[[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [0, 5]]).unwrap(),
        ];
        let dataset = Dataset::new("other", complexes, vec![], Targets::Real(vec![1.0, 2.0])).unwrap();
        let (groups, found) = found(&dataset);
        assert_ne!(groups[0], groups[1], "two triangles have two components and are filled");
        assert_eq!((found.distinct_by_colors, found.disagreements, found.ceiling), (1, 1, None));
    }
}
