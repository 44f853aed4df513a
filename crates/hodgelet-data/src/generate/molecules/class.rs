//! What the class of a molecule depends on.

use super::molecule::{Element, Molecule};

/// Means and standard deviations of the three counts per atom, and of their standardized sum, over molecules of default settings.
const FUSED: (f64, f64) = (0.056, 0.065);
const CONTACTS: (f64, f64) = (0.057, 0.059);
const REMOTE: (f64, f64) = (0.023, 0.038);
const SUM: f64 = 1.7;

/// A number about 0 with a standard deviation about 1: more of what is counted makes it larger.
pub(super) fn score(molecule: &Molecule) -> f64 {
    let n = molecule.n_atoms() as f64;
    let counts = [fused_atoms(molecule), contacts(molecule), remote_pairs(molecule)];
    let standard = counts
        .iter()
        .zip([FUSED, CONTACTS, REMOTE])
        .map(|(&count, (mean, deviation))| (count as f64 / n - mean) / deviation);
    standard.sum::<f64>() / SUM
}

/// Atoms that are in two rings or more.
fn fused_atoms(molecule: &Molecule) -> usize {
    let mut rings = vec![0u8; molecule.n_atoms()];
    for &atom in molecule.rings.iter().flat_map(|ring| &ring.atoms) {
        rings[atom] += 1;
    }
    rings.iter().filter(|&&count| count > 1).count()
}

/// Pairs of heteroatoms with a common neighbour.
fn contacts(molecule: &Molecule) -> usize {
    let hetero = |atom: &&usize| molecule.elements()[**atom].is_hetero();
    let around = |neighbours: &Vec<usize>| {
        let count = neighbours.iter().filter(hetero).count();
        count * count.saturating_sub(1) / 2
    };
    molecule.neighbours().iter().map(around).sum()
}

/// Walks of three bonds, without a way back, from a halogen to a nitrogen or an oxygen.
fn remote_pairs(molecule: &Molecule) -> usize {
    let (elements, neighbours) = (molecule.elements(), molecule.neighbours());
    let ends = |before: usize, last: usize| {
        let polar = |&&atom: &&usize| atom != before && matches!(elements[atom], Element::N | Element::O);
        neighbours[last].iter().filter(polar).count()
    };
    let mut count = 0;
    for halogen in (0..elements.len()).filter(|&atom| elements[atom].is_halogen()) {
        for &first in &neighbours[halogen] {
            let second = neighbours[first].iter().filter(|&&second| second != halogen);
            count += second.map(|&second| ends(first, second)).sum::<usize>();
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::item_rng;
    use crate::generate::molecules::growth::grow;
    use rand::RngExt;

    /// A chain of elements.
    fn chain(elements: &[Element]) -> Molecule {
        let mut molecule = Molecule::default();
        for (i, &element) in elements.iter().enumerate() {
            let atom = molecule.add_atom(element);
            if i > 0 {
                molecule.join(i - 1, atom, 1, false);
            }
        }
        molecule
    }

    #[test]
    fn pairs_are_counted_once() {
        use Element::{C, Cl, N, O};
        assert_eq!(contacts(&chain(&[N, C, O, C, O])), 2);
        assert_eq!(contacts(&chain(&[N, C, C, O])), 0);
        assert_eq!(remote_pairs(&chain(&[Cl, C, C, O, C, C, N])), 1);
        assert_eq!(remote_pairs(&chain(&[Cl, C, O])), 0);
        assert_eq!(fused_atoms(&chain(&[C, C])), 0);
    }

    #[test]
    fn scores_of_default_molecules_are_standardized() {
        let draw = |i| {
            let mut rng = item_rng(11, i);
            let n_atoms = rng.random_range(15..=40);
            score(&grow(n_atoms, 0.35, &mut rng))
        };
        let scores: Vec<f64> = (0..5000).map(draw).collect();
        let mean = scores.iter().sum::<f64>() / 5000.0;
        let variance = scores.iter().map(|score| (score - mean).powi(2)).sum::<f64>() / 5000.0;
        assert!(mean.abs() < 0.05 && (variance.sqrt() - 1.0).abs() < 0.05, "{mean} {variance}");
    }
}
