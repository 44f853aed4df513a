//! Refined labels of cells, and how much mass each has in a complex.
//!
//! The mass of a [refined](crate::measure::refine) label `a` of edges in component `c` is `Σ_{e: aᵗ_e = a} p_c(e)` over the
//! [shares](crate::hodge::edge_shares) of the edges: the orientation-averaged energy of the one-hot signal of `a` under the
//! filter 1. The same holds in any higher dimension. On vertices it is the part of all vertices that have the label.
//!
//! Identifiers are hashes of 64 bits that follow from names of labels alone. They are the same in every dataset, so that
//! complexes can be measured one by one. Two of `n` different labels share one with probability about `n²/2⁶⁵`: 3e-8 for a
//! million.

use super::refine::{GivenLabels, RefinedLabels, refine, refine_cells};
use crate::complex::Complex;
use crate::hodge::{HodgeComponent, cell_shares};

/// Masses of labels at several depths.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LabelMeasure {
    starts: Vec<u32>, // [n_depths + 1]
    ids: Vec<u64>,    // ascending at each depth
    masses: Vec<f64>,
}

impl LabelMeasure {
    /// From the label and the mass of each cell, depth by depth; labels without mass are left out.
    fn new<'a>(depths: impl Iterator<Item = (&'a [u64], &'a [f64])>) -> Self {
        let mut out = Self { starts: vec![0], ..Self::default() };
        for (labels, masses) in depths {
            let mut order: Vec<usize> = (0..labels.len()).filter(|&i| masses[i] > 0.0).collect();
            // Equal labels by mass, so that their sum does not depend on the order of cells.
            order.sort_unstable_by(|&a, &b| labels[a].cmp(&labels[b]).then(masses[a].total_cmp(&masses[b])));
            for run in order.chunk_by(|&a, &b| labels[a] == labels[b]) {
                out.ids.push(labels[run[0]]);
                out.masses.push(run.iter().map(|&i| masses[i]).sum());
            }
            out.starts.push(out.ids.len() as u32);
        }
        out
    }

    /// How often each of some identifiers appears, at a single depth.
    #[must_use]
    pub fn counted(mut ids: Vec<u64>) -> Self {
        ids.sort_unstable();
        let mut out = Self { starts: vec![0], ..Self::default() };
        for run in ids.chunk_by(|a, b| a == b) {
            out.ids.push(run[0]);
            out.masses.push(run.len() as f64);
        }
        out.starts.push(out.ids.len() as u32);
        out
    }

    /// From its parts, as [`parts`](Self::parts) gives them, if they fit each other.
    #[must_use]
    pub fn from_parts(starts: Vec<u32>, ids: Vec<u64>, masses: Vec<f64>) -> Option<Self> {
        let ordered = starts.first() == Some(&0) && starts.windows(2).all(|pair| pair[0] <= pair[1]);
        let fits = starts.last().map(|&end| end as usize) == Some(ids.len()) && ids.len() == masses.len();
        if !ordered || !fits || !masses.iter().all(|mass| mass.is_finite() && *mass >= 0.0) {
            return None;
        }
        let ascend = |pair: &[u32]| ids[pair[0] as usize..pair[1] as usize].is_sorted_by(|a, b| a < b);
        starts.windows(2).all(ascend).then_some(Self { starts, ids, masses })
    }

    /// Where each depth starts, `[n_depths + 1]`, identifiers and masses.
    #[must_use]
    pub fn parts(&self) -> (&[u32], &[u64], &[f64]) {
        (&self.starts, &self.ids, &self.masses)
    }

    /// Number of depths.
    #[must_use]
    pub fn n_depths(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Identifiers of depth `t`, ascending, with their masses.
    pub fn depth(&self, t: usize) -> impl Iterator<Item = (u64, f64)> + '_ {
        let range = self.starts[t] as usize..self.starts[t + 1] as usize;
        self.ids[range.clone()].iter().copied().zip(self.masses[range].iter().copied())
    }

    /// Mass of all labels of depth `t`.
    #[must_use]
    pub fn total(&self, t: usize) -> f64 {
        self.depth(t).map(|(_, mass)| mass).sum()
    }
}

/// Masses of refined labels of a complex.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ComplexLabels {
    /// Of edges, at depths 0 to `rounds`, in the exact, co-exact and harmonic component; empty if not asked for.
    pub edges: Vec<LabelMeasure>,
    /// Of vertices, at depths 1 to `rounds + 1`; none if not asked for.
    pub vertices: Option<LabelMeasure>,
    /// How many vertices have each label of the depths 0 to `rounds`, all in one list; none if not asked for.
    pub environments: Option<LabelMeasure>,
    /// Of cells of the dimensions from 2 on, as of edges; empty if not asked for.
    pub higher: Vec<Vec<LabelMeasure>>,
}

impl ComplexLabels {
    /// The masses of labels of the cells of dimension `dim`, from 1 on, in one component.
    #[must_use]
    pub fn component(&self, dim: usize, component: HodgeComponent) -> Option<&LabelMeasure> {
        let place = HodgeComponent::ALL.iter().position(|&c| c == component)?;
        match dim {
            0 => None,
            1 => self.edges.get(place),
            _ => self.higher.get(dim - 2)?.get(place),
        }
    }
}

/// Which masses of refined labels are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WantedLabels {
    /// Those of edges.
    pub edges: bool,
    /// Those of vertices.
    pub vertices: bool,
    /// How many vertices have each.
    pub environments: bool,
    /// Number of counts that those are folded to; none where each label has its own.
    pub environment_size: Option<usize>,
    /// Those of cells of the dimensions from 2 up to this one.
    pub highest: usize,
}

/// The masses of refined labels of `complex`.
#[must_use]
pub fn measure_labels(
    complex: &Complex,
    given: GivenLabels<'_>,
    rounds: usize,
    wanted: WantedLabels,
) -> ComplexLabels {
    let refined = refine(complex, given, rounds + usize::from(wanted.vertices));
    let mut out = ComplexLabels::default();
    if wanted.edges {
        out.edges = by_component(complex, 1, &refined, rounds);
    }
    if wanted.highest > 1 {
        let all = refine_cells(complex, given, rounds);
        out.higher = (2..=wanted.highest).map(|dim| by_component(complex, dim, &all, rounds)).collect();
    }
    if wanted.vertices {
        let n = complex.n_cells(0);
        let masses = vec![1.0; n];
        let depths = refined.vertices[1..].iter().map(|labels| (&labels[..], &masses[..]));
        let mut counts = LabelMeasure::new(depths);
        counts.masses.iter_mut().for_each(|mass| *mass /= n as f64);
        out.vertices = Some(counts);
    }
    if wanted.environments {
        let mut ids: Vec<u64> = refined.vertices[..=rounds].concat();
        if let Some(size) = wanted.environment_size {
            ids.iter_mut().for_each(|id| *id %= size.max(1) as u64);
        }
        out.environments = Some(LabelMeasure::counted(ids));
    }
    out
}

/// The masses of the labels of one dimension in each component.
fn by_component(complex: &Complex, dim: usize, refined: &RefinedLabels, rounds: usize) -> Vec<LabelMeasure> {
    let shares = cell_shares(complex, dim);
    // A complex without cells of the dimension has as many depths as any other.
    let none = vec![Vec::new(); rounds + 1];
    let depths = &refined.of_dim(dim).unwrap_or(&none)[..=rounds];
    let of_component = |c: usize| {
        let masses: Vec<f64> = shares.iter().map(|share| share[c]).collect();
        LabelMeasure::new(depths.iter().map(|labels| (&labels[..], &masses[..])))
    };
    (0..HodgeComponent::ALL.len()).map(of_component).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masses_add_up_to_the_number_of_edges() {
        let square_with_tail = [[0, 1], [1, 2], [2, 3], [0, 3], [3, 4]];
        let graph = Complex::graph(5, &square_with_tail).unwrap();
        let wanted =
            WantedLabels { edges: true, vertices: true, environments: true, ..WantedLabels::default() };
        let found = measure_labels(&graph, GivenLabels::default(), 2, wanted);
        for t in 0..3 {
            let totals: Vec<f64> = found.edges.iter().map(|part| part.total(t)).collect();
            assert!((totals[0] - 4.0).abs() < 1e-12 && (totals[2] - 1.0).abs() < 1e-12, "{totals:?}");
            assert_eq!(totals[1], 0.0);
            assert!((found.vertices.as_ref().unwrap().total(t) - 1.0).abs() < 1e-12);
        }
        // The harmonic part is that of the square: the tail has no mass there.
        let harmonic = found.component(1, HodgeComponent::Harmonic).unwrap();
        assert_eq!(harmonic.depth(0).count(), 2);
    }

    #[test]
    fn folding_keeps_every_count_and_fits_in_its_size() {
        let graph = Complex::graph(6, &[[0, 1], [1, 2], [2, 3], [0, 3], [3, 4], [4, 5]]).unwrap();
        let counts = |environment_size| {
            let wanted = WantedLabels { environments: true, environment_size, ..WantedLabels::default() };
            measure_labels(&graph, GivenLabels::default(), 2, wanted).environments.unwrap()
        };
        let own: Vec<(u64, f64)> = counts(None).depth(0).collect();
        for size in [1, 2, 3, 7, 2048, usize::MAX] {
            let folded: Vec<(u64, f64)> = counts(Some(size)).depth(0).collect();
            assert!(folded.iter().all(|(place, _)| *place < size as u64));
            for &(place, count) in &folded {
                let sharing = own.iter().filter(|(id, _)| id % size as u64 == place);
                assert_eq!(count, sharing.map(|(_, count)| count).sum::<f64>(), "{size}");
            }
            assert_eq!(
                folded.iter().map(|(_, count)| count).sum::<f64>(),
                18.0,
                "six vertices, three depths"
            );
        }
    }

    #[test]
    fn parts_that_do_not_fit_each_other_are_refused() {
        let (starts, ids, masses) = (vec![0, 2, 3], vec![4, 9, 5], vec![1.0, 0.0, 2.0]);
        let found = LabelMeasure::from_parts(starts.clone(), ids.clone(), masses.clone()).unwrap();
        assert_eq!(found.parts(), (&starts[..], &ids[..], &masses[..]));
        assert_eq!(found.n_depths(), 2);
        assert_eq!(found.depth(0).collect::<Vec<_>>(), [(4, 1.0), (9, 0.0)]);
        assert_eq!(found.depth(1).collect::<Vec<_>>(), [(5, 2.0)]);
        for wrong in [vec![], vec![1, 2, 3], vec![0, 2, 1, 3], vec![0, 2], vec![0, 2, 4]] {
            assert_eq!(LabelMeasure::from_parts(wrong, ids.clone(), masses.clone()), None);
        }
        for wrong in
            [vec![1.0, 0.0], vec![1.0, 0.0, -1.0], vec![1.0, f64::NAN, 2.0], vec![1.0, 0.0, f64::INFINITY]]
        {
            assert_eq!(LabelMeasure::from_parts(starts.clone(), ids.clone(), wrong), None);
        }
    }
}
