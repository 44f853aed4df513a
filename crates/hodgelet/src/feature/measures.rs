//! The measures of all complexes in one block.

use super::{Block, Component};
use crate::hodge::HodgeComponent;
use crate::measure::{CellValues, ComplexMeasures, DimMeasures, EnergyMeasure, LabelMeasure, SignedMeasure};

/// The measures of many complexes in one block, end to end. In a signed block the masses of atoms are inner products,
/// which may be negative.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockMeasures {
    n_channels: usize,
    atom_starts: Vec<usize>,   // [n + 1]
    eigenvalues: Vec<f64>,     // [n_atoms]
    live_starts: Vec<usize>,   // [n + 1]
    live: Vec<u32>,            // [n_live]
    energy_starts: Vec<usize>, // [n + 1]
    energies: Vec<f64>,        // per complex, [n_live, n_atoms] row-major
    labels: Vec<LabelMeasure>, // [n] in a block of labels, which has no atoms; otherwise none
    values: Vec<Vec<f64>>,     // [n] in a block of values, per complex [n_cells, n_channels]; otherwise none
    oriented: Vec<bool>,       // [n_channels] in a block of values, if any complex has some; otherwise none
}

/// The numbers of [`BlockMeasures`], complex after complex.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MeasureParts {
    /// Eigenvalues of each complex.
    pub n_atoms: Vec<u32>,
    pub eigenvalues: Vec<f64>,
    /// Channels of each complex that are not 0.
    pub n_live: Vec<u32>,
    pub live: Vec<u32>,
    /// For each complex, `[n_live, n_atoms]`.
    pub energies: Vec<f64>,
}

impl BlockMeasures {
    /// The measures of `complexes` in `block`. A complex without a signal there has no atom. An energy that is too large
    /// for a number is the largest one.
    #[must_use]
    pub fn new<'a>(block: Block, complexes: impl IntoIterator<Item = &'a ComplexMeasures>) -> Self {
        Self::in_units(block, complexes, &[])
    }

    /// As [`new`](Self::new), with the signal of channel `d` in the unit `units[d]`, or in its own beyond the end: masses
    /// are divided by the square of the unit, inner products by the unit.
    #[must_use]
    pub fn in_units<'a>(
        block: Block,
        complexes: impl IntoIterator<Item = &'a ComplexMeasures>,
        units: &[f64],
    ) -> Self {
        let mut out = Self {
            n_channels: 0,
            atom_starts: vec![0],
            eigenvalues: Vec::new(),
            live_starts: vec![0],
            live: Vec::new(),
            energy_starts: vec![0],
            energies: Vec::new(),
            labels: Vec::new(),
            values: Vec::new(),
            oriented: Vec::new(),
        };
        for complex in complexes {
            if block.component.is_labels() || block.component.is_counts() {
                out.labels.push(block.labels_of(complex).cloned().unwrap_or_default());
                out.push(&[], units, 1);
                continue;
            }
            if block.component.is_values() {
                let own = complex.values(block.dim);
                out.n_channels = out.n_channels.max(own.map_or(0, CellValues::n_channels));
                if let Some(own) = own.filter(|own| own.n_channels() > out.oriented.len()) {
                    out.oriented = own.oriented().to_vec();
                }
                let smoothed = block.component == Component::SmoothedValues;
                out.values.push(own.map_or(Vec::new(), |own| own.values(smoothed).to_vec()));
                out.push(&[], units, 1);
                continue;
            }
            if block.component == Component::Columns {
                let numbers = complex.own().map_or(&[][..], |own| &own.numbers);
                out.n_channels = out.n_channels.max(numbers.len());
                out.values.push(numbers.to_vec());
                out.push(&[], units, 1);
                continue;
            }
            if let Component::Gram(index) = block.component {
                let row = complex.own().and_then(|own| own.grams.get(usize::from(index)));
                out.n_channels = out.n_channels.max(row.map_or(0, Vec::len));
                out.values.push(row.cloned().unwrap_or_default());
                out.push(&[], units, 1);
                continue;
            }
            if block.component == Component::Signed {
                let signed = complex.signed().filter(|signed| signed.dim() == block.dim);
                out.n_channels = out.n_channels.max(signed.map_or(0, SignedMeasure::n_channels));
                out.push(&signed.map(SignedMeasure::atoms).into_iter().collect::<Vec<_>>(), units, 1);
                continue;
            }
            let measures = complex.of_dim(block.dim);
            out.n_channels = out.n_channels.max(measures.map_or(0, DimMeasures::n_channels));
            let components = block.component.components().iter();
            let parts: Vec<&EnergyMeasure> =
                measures.map(|m| components.map(|&c| m.component(c)).collect()).unwrap_or_default();
            out.push(&parts, units, 2);
        }
        out
    }

    /// The root of the mean energy of each channel on dimension `dim` over `complexes`, all components together: in this
    /// unit features do not depend on that of the signal, and a component that is nothing but rounding stays so. 1 for a
    /// channel without energy.
    #[must_use]
    pub fn units(dim: usize, complexes: &[&ComplexMeasures]) -> Vec<f64> {
        let mut roots: Vec<Vec<f64>> = Vec::new(); // per channel, those of the complexes where it is live
        for measures in complexes.iter().filter_map(|complex| complex.of_dim(dim)) {
            let parts = HodgeComponent::ALL.map(|component| measures.component(component));
            for (position, &d) in parts[0].live().iter().enumerate() {
                roots.resize_with(roots.len().max(d as usize + 1), Vec::new);
                let energy: f64 = parts.iter().flat_map(|part| part.energies(position)).sum();
                roots[d as usize].push(parts[0].scale(position) * energy.sqrt());
            }
        }
        let n = complexes.len() as f64;
        let unit = |roots: Vec<f64>| {
            let largest = roots.iter().copied().fold(0.0, f64::max);
            let mean = roots.iter().map(|root| (root / largest).powi(2)).sum::<f64>() / n;
            Some(largest * mean.sqrt()).filter(|unit| unit.is_normal()).unwrap_or(1.0)
        };
        roots.into_iter().map(unit).collect()
    }

    /// Adds one complex, whose masses are powers of the signal. All parts of one signal have the same live channels.
    fn push(&mut self, parts: &[&EnergyMeasure], units: &[f64], power: i32) {
        parts.iter().for_each(|part| self.eigenvalues.extend(part.eigenvalues()));
        let live = parts.first().map_or(&[][..], |part| part.live());
        self.live.extend(live);
        for (position, &d) in live.iter().enumerate() {
            let unit = units.get(d as usize).copied().unwrap_or(1.0);
            for part in parts {
                let masses = part.energies(position).iter();
                match (part.scale(position) / unit).powi(power) {
                    1.0 => self.energies.extend(masses),
                    factor => self.energies.extend(masses.map(|e| (e * factor).clamp(f64::MIN, f64::MAX))),
                }
            }
        }
        self.atom_starts.push(self.eigenvalues.len());
        self.live_starts.push(self.live.len());
        self.energy_starts.push(self.energies.len());
    }

    /// The same with room for at least `n_channels` channels: complexes without a signal do not know how many
    /// there are.
    #[must_use]
    pub fn with_channels(mut self, n_channels: usize) -> Self {
        self.n_channels = self.n_channels.max(n_channels);
        self
    }

    /// The energies of these complexes, then those of `later`, which have as many channels.
    pub(crate) fn followed_by(&self, later: &Self) -> Option<Self> {
        let (mut all, more) = (self.parts(), later.parts());
        all.n_atoms.extend(more.n_atoms);
        all.eigenvalues.extend(more.eigenvalues);
        all.n_live.extend(more.n_live);
        all.live.extend(more.live);
        all.energies.extend(more.energies);
        Self::from_parts(self.n_channels, all).filter(|_| self.n_channels == later.n_channels)
    }

    /// The complexes `indices`, in that order.
    #[must_use]
    pub fn select(&self, indices: &[usize]) -> Self {
        fn pick<T: Copy>(starts: &[usize], values: &[T], indices: &[usize]) -> (Vec<usize>, Vec<T>) {
            let (mut new_starts, mut new) = (vec![0], Vec::new());
            for &i in indices {
                new.extend_from_slice(&values[starts[i]..starts[i + 1]]);
                new_starts.push(new.len());
            }
            (new_starts, new)
        }
        let (atom_starts, eigenvalues) = pick(&self.atom_starts, &self.eigenvalues, indices);
        let (live_starts, live) = pick(&self.live_starts, &self.live, indices);
        let (energy_starts, energies) = pick(&self.energy_starts, &self.energies, indices);
        let labels = match self.labels.is_empty() {
            true => Vec::new(),
            false => indices.iter().map(|&i| self.labels[i].clone()).collect(),
        };
        let values = match self.values.is_empty() {
            true => Vec::new(),
            false => indices.iter().map(|&i| self.values[i].clone()).collect(),
        };
        let n_channels = self.n_channels;
        Self {
            n_channels,
            atom_starts,
            eigenvalues,
            live_starts,
            live,
            energy_starts,
            energies,
            labels,
            values,
            oriented: self.oriented.clone(),
        }
    }

    /// The labels of each complex in a block of labels; otherwise none.
    #[must_use]
    pub fn labels(&self) -> &[LabelMeasure] {
        &self.labels
    }

    /// The values on the cells of each complex, row by row, in a block of values; numbers of the complex as a whole, or its
    /// row of a Gram matrix, in a block of these; otherwise none.
    #[must_use]
    pub fn values(&self) -> &[Vec<f64>] {
        &self.values
    }

    /// Whether each channel follows the orientation of its cells, in a block of values; otherwise none.
    #[must_use]
    pub fn oriented(&self) -> &[bool] {
        &self.oriented
    }

    /// The energies alone.
    pub(crate) fn only_energies(self) -> Self {
        Self { labels: Vec::new(), values: Vec::new(), oriented: Vec::new(), ..self }
    }

    /// What a file holds of the measures; [`from_parts`](Self::from_parts) makes the same of it.
    pub(crate) fn parts(&self) -> MeasureParts {
        let counts = |starts: &[usize]| starts.windows(2).map(|pair| (pair[1] - pair[0]) as u32).collect();
        MeasureParts {
            n_atoms: counts(&self.atom_starts),
            eigenvalues: self.eigenvalues.clone(),
            n_live: counts(&self.live_starts),
            live: self.live.clone(),
            energies: self.energies.clone(),
        }
    }

    /// Measures of `n_channels` channels from their parts, if these fit each other.
    pub(crate) fn from_parts(n_channels: usize, parts: MeasureParts) -> Option<Self> {
        let starts = |counts: &[u32]| {
            let mut all = vec![0usize];
            counts.iter().for_each(|&count| all.push(all[all.len() - 1] + count as usize));
            all
        };
        let MeasureParts { n_atoms, eigenvalues, n_live, live, energies } = parts;
        let mut energy_starts = vec![0usize];
        for (&atoms, &live) in n_atoms.iter().zip(&n_live) {
            let own = (atoms as usize).checked_mul(live as usize)?;
            energy_starts.push(energy_starts[energy_starts.len() - 1].checked_add(own)?);
        }
        let (atom_starts, live_starts) = (starts(&n_atoms), starts(&n_live));
        let fits = n_atoms.len() == n_live.len()
            && atom_starts.last() == Some(&eigenvalues.len())
            && live_starts.last() == Some(&live.len())
            && energy_starts.last() == Some(&energies.len())
            && live.iter().all(|&d| (d as usize) < n_channels);
        fits.then_some(Self {
            n_channels,
            atom_starts,
            eigenvalues,
            live_starts,
            live,
            energy_starts,
            energies,
            labels: Vec::new(),
            values: Vec::new(),
            oriented: Vec::new(),
        })
    }

    /// Number of complexes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.atom_starts.len() - 1
    }

    /// Whether there is no complex.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of channels.
    #[must_use]
    pub fn n_channels(&self) -> usize {
        self.n_channels
    }

    /// All eigenvalues, complex after complex.
    #[must_use]
    pub fn eigenvalues(&self) -> &[f64] {
        &self.eigenvalues
    }

    /// Mean of the eigenvalues that are not 0, or none when there is none of them.
    #[must_use]
    pub fn mean_eigenvalue(&self) -> Option<f64> {
        let (mut sum, mut n) = (0.0, 0usize);
        self.eigenvalues
            .iter()
            .filter(|&&value| value > 0.0)
            .for_each(|value| (sum, n) = (sum + value, n + 1));
        (n > 0).then(|| sum / n as f64).filter(|mean| mean.is_finite())
    }

    /// Where the eigenvalues of complex `i` stand.
    #[must_use]
    pub fn atoms(&self, i: usize) -> std::ops::Range<usize> {
        self.atom_starts[i]..self.atom_starts[i + 1]
    }

    /// The live channels of complex `i` with the masses of its atoms.
    pub fn channels(&self, i: usize) -> impl Iterator<Item = (usize, &[f64])> + '_ {
        let live = &self.live[self.live_starts[i]..self.live_starts[i + 1]];
        let energies = &self.energies[self.energy_starts[i]..self.energy_starts[i + 1]];
        let n = self.atoms(i).len();
        live.iter().enumerate().map(move |(p, &d)| (d as usize, &energies[p * n..(p + 1) * n]))
    }

    /// Bytes held.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let labels: usize = self.labels.iter().map(|own| 16 * own.parts().1.len() + 72).sum();
        let values: usize = self.values.iter().map(|own| 8 * own.len() + 24).sum();
        labels
            + values
            + 8 * (self.eigenvalues.len() + self.energies.len())
            + 4 * self.live.len()
            + 24 * self.atom_starts.len()
    }
}

#[cfg(test)]
impl BlockMeasures {
    /// A block of `n` complexes without atoms.
    fn without_atoms(n: usize, n_channels: usize) -> Self {
        let (n_atoms, n_live) = (vec![0; n], vec![0; n]);
        let parts =
            MeasureParts { n_atoms, eigenvalues: Vec::new(), n_live, live: Vec::new(), energies: Vec::new() };
        Self::from_parts(n_channels, parts).unwrap()
    }

    /// A block of labels.
    pub(super) fn of_labels(labels: Vec<LabelMeasure>) -> Self {
        Self { labels: labels.clone(), ..Self::without_atoms(labels.len(), 0) }
    }

    /// A block of values, per complex `[n_cells, n_channels]`.
    pub(super) fn of_values(oriented: &[bool], values: &[&[f64]]) -> Self {
        let (oriented, own) = (oriented.to_vec(), Self::without_atoms(values.len(), oriented.len()));
        Self { oriented, values: values.iter().map(|values| values.to_vec()).collect(), ..own }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two atoms with channel 1, then one atom with channels 0 and 2.
    fn parts() -> MeasureParts {
        MeasureParts {
            n_atoms: vec![2, 1],
            eigenvalues: vec![0.0, 3.0, 5.0],
            n_live: vec![1, 2],
            live: vec![1, 0, 2],
            energies: vec![1.0, 2.0, 3.0, 4.0],
        }
    }

    fn channels(measures: &BlockMeasures, i: usize) -> Vec<(usize, Vec<f64>)> {
        measures.channels(i).map(|(d, masses)| (d, masses.to_vec())).collect()
    }

    #[test]
    fn parts_make_measures_only_where_they_fit_each_other() {
        let measures = BlockMeasures::from_parts(3, parts()).unwrap();
        assert_eq!(measures.parts(), parts());
        assert_eq!(channels(&measures, 0), [(1, vec![1.0, 2.0])]);
        assert_eq!(channels(&measures, 1), [(0, vec![3.0]), (2, vec![4.0])]);
        let changes: [fn(&mut MeasureParts); 7] = [
            |parts| parts.n_atoms.push(0),
            |parts| parts.n_live.push(0),
            |parts| parts.eigenvalues.push(6.0),
            |parts| parts.live.push(2),
            |parts| parts.energies.push(5.0),
            |parts| parts.energies.truncate(3),
            |parts| parts.live[2] = 3,
        ];
        for (which, change) in changes.into_iter().enumerate() {
            let mut changed = parts();
            change(&mut changed);
            assert_eq!(BlockMeasures::from_parts(3, changed), None, "change {which}");
        }
    }

    #[test]
    fn a_selection_holds_the_measures_that_were_asked_for() {
        let measures = BlockMeasures::from_parts(3, parts()).unwrap();
        let found = measures.select(&[1, 0, 1]);
        assert_eq!((found.len(), found.n_channels(), found.is_empty()), (3, 3, false));
        assert_eq!(found.eigenvalues(), [5.0, 0.0, 3.0, 5.0]);
        for (new, old) in [1, 0, 1].into_iter().enumerate() {
            assert_eq!(channels(&found, new), channels(&measures, old));
        }
        assert!(measures.select(&[]).is_empty());
        assert_eq!(measures.select(&[0]).followed_by(&measures.select(&[1])), Some(measures));
    }

    #[test]
    fn the_mean_eigenvalue_leaves_zeros_out() {
        let measures = BlockMeasures::from_parts(3, parts()).unwrap();
        assert_eq!(measures.mean_eigenvalue(), Some(4.0));
        assert_eq!(measures.select(&[]).mean_eigenvalue(), None);
    }

    /// Eight bytes a number, four a channel, and three offsets a complex, with one more for the end.
    #[test]
    fn bytes_are_those_of_what_is_held() {
        let mut measures = BlockMeasures::from_parts(3, parts()).unwrap();
        let energies = 8 * (3 + 4) + 4 * 3 + 3 * 8 * 3;
        assert_eq!(measures.bytes(), energies);
        let list = size_of::<Vec<f64>>();
        measures.values = vec![vec![0.0; 5], vec![0.0; 2]];
        assert_eq!(measures.bytes(), energies + 8 * 7 + 2 * list);
        measures.values.clear();
        // Sixteen bytes an identifier with its mass.
        measures.labels = vec![LabelMeasure::counted(vec![7, 7, 9]), LabelMeasure::default()];
        assert_eq!(measures.bytes(), energies + 16 * 2 + 2 * 3 * list);
        assert_eq!(measures.only_energies().bytes(), energies);
    }
}
