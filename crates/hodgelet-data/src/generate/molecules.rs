//! `molecules`: skeletons of organic molecules, any number of them.

mod class;
mod growth;
mod molecule;

use super::error::{GenerateError, check_count, check_count_range, check_probability};
use super::{MAX_ITEMS, item_rng};
use growth::grow;
use hodgelet::complex::Complex;
use hodgelet::dataset::{Column, ColumnValues, Dataset, Targets};
use hodgelet::signal::Orientation;
use molecule::{BONDS, Element, Molecule};
use rand::{Rng, RngExt};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Settings of `molecules`, not yet validated.
///
/// A molecule is grown piece by piece from rings of five and six atoms (aromatic or not, single, fused at a bond or
/// bridged), chains and the ends of chains, until it has its number of atoms; every atom keeps its valence, hydrogens are not
/// written. Vertices carry their element, edges their bond.
///
/// The class is drawn: its log-odds are `log_odds` plus `strength` times a score of the structure, the sum of three
/// standardized numbers: atoms in two rings, pairs of heteroatoms with a common neighbour, and halogens at
/// distance three from a nitrogen or an oxygen. So no model is right always, and what it can reach depends on how much of the
/// score it sees.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MoleculesParams {
    /// Number of molecules.
    pub n_graphs: usize,
    /// Smallest and largest number of atoms, both included.
    pub n_atoms: (usize, usize),
    /// Probability that a piece is a ring.
    pub p_ring: f64,
    /// Log-odds of the class `reactive` for a molecule of the usual structure.
    pub log_odds: f64,
    /// By how much the log-odds change with one standard deviation of the score.
    pub strength: f64,
}

impl Default for MoleculesParams {
    fn default() -> Self {
        Self { n_graphs: 1000, n_atoms: (15, 40), p_ring: 0.35, log_odds: 0.0, strength: 3.0 }
    }
}

impl MoleculesParams {
    /// The settings a dataset can be drawn from, or the first one that is invalid.
    ///
    /// # Errors
    ///
    /// [`GenerateError`] when a count, range or number is out of range.
    pub fn check(self) -> Result<CheckedMolecules, GenerateError> {
        check_count("n_graphs", self.n_graphs, (0, MAX_ITEMS))?;
        check_count_range("n_atoms", self.n_atoms, (6, 10_000))?;
        check_probability("p_ring", self.p_ring)?;
        for (name, found) in [("log_odds", self.log_odds), ("strength", self.strength)] {
            if !(-100.0..=100.0).contains(&found) {
                return Err(GenerateError::Real { name, found, expected: "-100 to 100" });
            }
        }
        Ok(CheckedMolecules(self))
    }
}

/// Valid settings; only [`MoleculesParams::check`] makes them.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedMolecules(MoleculesParams);

impl CheckedMolecules {
    /// The settings.
    #[must_use]
    pub fn params(&self) -> &MoleculesParams {
        &self.0
    }

    /// The dataset: labels `element` on vertices and `bond` on edges, classes `inert` and `reactive`.
    #[must_use]
    pub fn generate(&self, seed: u64) -> Dataset {
        self.generate_range(seed, 0..self.0.n_graphs)
    }

    /// The molecules `range` of the dataset alone, with the bits that they have in the whole.
    ///
    /// The range may go beyond `n_graphs`. Millions of molecules are made and used piece by piece this way.
    ///
    /// ```
    /// use hodgelet_data::generate::MoleculesParams;
    /// let molecules = MoleculesParams::default().check()?;
    /// let last = molecules.generate_range(0, 999_990..1_000_000);
    /// assert_eq!(last.len(), 10);
    /// # Ok::<(), hodgelet_data::generate::GenerateError>(())
    /// ```
    #[must_use]
    pub fn generate_range(&self, seed: u64, range: Range<usize>) -> Dataset {
        let items = range.into_par_iter().map(|i| self.item(&mut item_rng(seed, i)));
        let (molecules, labels): (Vec<Molecule>, Vec<u32>) = items.unzip();
        let complexes = molecules.par_iter().map(complex).collect();
        let names = ["inert", "reactive"].map(str::to_owned).to_vec();
        Dataset::new("molecules", complexes, columns(&molecules), Targets::Classes { names, labels })
            .expect("every atom has an element, every bond a kind and every molecule a class")
    }

    fn item(&self, rng: &mut impl Rng) -> (Molecule, u32) {
        let n_atoms = rng.random_range(self.0.n_atoms.0..=self.0.n_atoms.1);
        let molecule = grow(n_atoms, self.0.p_ring, rng);
        let log_odds = self.0.log_odds + self.0.strength * class::score(&molecule);
        let reactive = rng.random::<f64>() < 1.0 / (1.0 + (-log_odds).exp());
        (molecule, u32::from(reactive))
    }
}

fn complex(molecule: &Molecule) -> Complex {
    let edges: Vec<[u32; 2]> = molecule.bonds().iter().map(|bond| bond.ends).collect();
    Complex::graph(molecule.n_atoms(), &edges).expect("two atoms share at most one bond")
}

/// The elements and bonds of all molecules. Names stand in the order in which files are read.
fn columns(molecules: &[Molecule]) -> Vec<Column> {
    let labels = |name: &str, dim, sizes: &dyn Fn(&Molecule) -> usize, categories: &[&str], codes| {
        let starts = std::iter::once(0)
            .chain(molecules.iter().scan(0, |sum, molecule| {
                *sum += sizes(molecule);
                Some(*sum)
            }))
            .collect();
        let categories = categories.iter().map(|&category| category.to_owned()).collect();
        let values = ColumnValues::Labels { categories, codes };
        Column { name: name.to_owned(), dim, orientation: Orientation::Unoriented, starts, values }
    };
    let elements = molecules.iter().flat_map(|m| m.elements().iter().map(|&e| e as u32)).collect();
    let bonds = molecules.iter().flat_map(|m| m.bonds().iter().map(|bond| bond.kind())).collect();
    vec![
        labels("element", 0, &Molecule::n_atoms, &Element::NAMES, elements),
        labels("bond", 1, &|molecule| molecule.bonds().len(), &BONDS, bonds),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jsonl;

    fn molecules(n_graphs: usize) -> CheckedMolecules {
        MoleculesParams { n_graphs, ..MoleculesParams::default() }.check().unwrap()
    }

    fn class_counts(data: &Dataset) -> [usize; 2] {
        let Targets::Classes { labels, .. } = data.targets() else { panic!("classes") };
        let reactive = labels.iter().filter(|&&label| label == 1).count();
        [labels.len() - reactive, reactive]
    }

    #[test]
    fn molecules_are_connected_and_of_the_size_asked_for() {
        for graph in molecules(300).generate(1).complexes() {
            assert!((15..=40).contains(&graph.n_cells(0)));
            assert_eq!(graph.connected_components().1, 1);
        }
    }

    #[test]
    fn ranges_are_parts_of_the_whole() {
        let molecules = molecules(100);
        let whole = molecules.generate(3);
        for range in [0..100, 0..37, 37..38, 50..50, 64..100] {
            let indices: Vec<usize> = range.clone().collect();
            assert_eq!(molecules.generate_range(3, range), whole.select(&indices));
        }
    }

    #[test]
    fn both_classes_are_about_as_many_and_follow_the_log_odds() {
        let [inert, reactive] = class_counts(&molecules(4000).generate(0));
        assert!(inert.abs_diff(reactive) < 400, "{inert} {reactive}");
        let rare = MoleculesParams { n_graphs: 4000, log_odds: -4.0, strength: 0.0, ..Default::default() };
        let [_, reactive] = class_counts(&rare.check().unwrap().generate(0));
        assert!((40..110).contains(&reactive), "{reactive} of 4000, expected 72 or so");
    }

    #[test]
    fn a_file_gives_the_same_dataset() {
        let data = molecules(200).generate(5);
        let mut bytes = Vec::new();
        jsonl::write_to(&mut bytes, &data, &[]).unwrap();
        assert_eq!(jsonl::parse("molecules.jsonl", &bytes).unwrap().dataset, data);
    }

    #[test]
    fn settings_at_fault_are_named() {
        let message = |params: MoleculesParams| params.check().unwrap_err().to_string();
        let params = MoleculesParams { n_atoms: (3, 10), ..Default::default() };
        assert_eq!(message(params), "n_atoms is 3..10, expected 6 <= first <= last <= 10000");
        let params = MoleculesParams { strength: f64::NAN, ..Default::default() };
        assert_eq!(message(params), "strength is NaN, expected -100 to 100");
    }
}
