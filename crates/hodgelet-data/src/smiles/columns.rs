//! What is known of atoms and bonds, as columns of a dataset: the same names, kinds and channels as in Python.

use super::{Atom, Bond, BondStereo, Chirality, Molecule, SmilesFault};
use hodgelet::dataset::{Column, ColumnValues};
use hodgelet::signal::Orientation;
use std::collections::{BTreeSet, HashMap};
use std::fmt;

/// One attribute of atoms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AtomAttribute(Attribute<Atom>);

/// One attribute of bonds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BondAttribute(Attribute<Bond>);

/// Its name, whether it is taken where none is named, and how it is read.
struct Attribute<T: 'static> {
    name: &'static str,
    by_default: bool,
    values: Values<T>,
}

enum Values<T: 'static> {
    Label(fn(&T) -> &'static str),
    /// Names of channels, and their values.
    Real(&'static [&'static str], fn(&T) -> [f64; 2]),
}

// Functions can be copied, whatever they are of.
impl<T> Clone for Attribute<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Attribute<T> {}

impl<T> Clone for Values<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Values<T> {}

impl<T> PartialEq for Attribute<T> {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl<T> Eq for Attribute<T> {}

impl<T> fmt::Debug for Attribute<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// The channel of a column with one.
const ONE: &[&str] = &["0"];

const fn atom(name: &'static str, by_default: bool, values: Values<Atom>) -> AtomAttribute {
    AtomAttribute(Attribute { name, by_default, values })
}

const fn bond(name: &'static str, by_default: bool, values: Values<Bond>) -> BondAttribute {
    BondAttribute(Attribute { name, by_default, values })
}

fn one(value: f64) -> [f64; 2] {
    [value, 0.0]
}

fn flag(value: bool) -> f64 {
    f64::from(u8::from(value))
}

/// What can be known of atoms.
pub const ATOM_ATTRIBUTES: [AtomAttribute; 9] = [
    atom("element", true, Values::Label(|a| a.element)),
    atom("charge", true, Values::Real(ONE, |a| one(f64::from(a.charge)))),
    atom("hydrogens", true, Values::Real(ONE, |a| one(f64::from(a.hydrogens)))),
    atom("aromatic", true, Values::Real(ONE, |a| one(flag(a.aromatic)))),
    atom("ring", true, Values::Real(ONE, |a| one(flag(a.ring)))),
    atom(
        "chirality",
        true,
        Values::Real(&["R", "S"], |a| [Chirality::R, Chirality::S].map(|c| flag(a.chirality == Some(c)))),
    ),
    atom("degree", false, Values::Real(ONE, |a| one(f64::from(a.degree)))),
    atom("hybridization", false, Values::Label(|a| a.hybridization)),
    atom("mass", false, Values::Real(ONE, |a| one(a.mass.unwrap_or(0.0)))),
];

/// What can be known of bonds.
pub const BOND_ATTRIBUTES: [BondAttribute; 5] = [
    bond("bond", true, Values::Label(|b| b.kind.name())),
    bond("conjugated", true, Values::Real(ONE, |b| one(flag(b.conjugated)))),
    bond("ring", true, Values::Real(ONE, |b| one(flag(b.ring)))),
    bond(
        "stereo",
        true,
        Values::Real(&["E", "Z"], |b| [BondStereo::E, BondStereo::Z].map(|s| flag(b.stereo == Some(s)))),
    ),
    bond("order", false, Values::Real(ONE, |b| one(b.kind.order()))),
];

impl AtomAttribute {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.0.name
    }
}

impl BondAttribute {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.0.name
    }
}

/// Which attributes of atoms and bonds become columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attributes {
    atoms: Vec<AtomAttribute>,
    bonds: Vec<BondAttribute>,
    /// Whether those of atoms, and of bonds, were named.
    named: [bool; 2],
}

impl Default for Attributes {
    /// Those that are taken where none is named.
    fn default() -> Self {
        Self {
            atoms: ATOM_ATTRIBUTES.into_iter().filter(|a| a.0.by_default).collect(),
            bonds: BOND_ATTRIBUTES.into_iter().filter(|b| b.0.by_default).collect(),
            named: [false; 2],
        }
    }
}

impl Attributes {
    /// All that there are, so that a model finds those that it was trained on; the mass, which isotopes do not have, only
    /// where it is needed.
    #[must_use]
    pub fn all(mass: bool) -> Self {
        let atoms = ATOM_ATTRIBUTES.into_iter().filter(|a| mass || a.name() != "mass").collect();
        Self { atoms, bonds: BOND_ATTRIBUTES.to_vec(), named: [false; 2] }
    }

    /// Those of atoms with these names in place of what was there.
    ///
    /// # Errors
    ///
    /// A message that names the first that there is not.
    pub fn with_atoms(self, names: &[String]) -> Result<Self, String> {
        let atoms = named("atoms", names, &ATOM_ATTRIBUTES, AtomAttribute::name)?;
        Ok(Self { atoms, named: [true, self.named[1]], ..self })
    }

    /// Those of bonds with these names in place of what was there.
    ///
    /// # Errors
    ///
    /// A message that names the first that there is not.
    pub fn with_bonds(self, names: &[String]) -> Result<Self, String> {
        let bonds = named("bonds", names, &BOND_ATTRIBUTES, BondAttribute::name)?;
        Ok(Self { bonds, named: [self.named[0], true], ..self })
    }

    /// Those to learn from: without stereo labels that were not named and that no molecule has.
    #[must_use]
    pub fn to_learn_from(mut self, molecules: &[Molecule]) -> Self {
        let has_center = molecules.iter().any(|m| m.atoms.iter().any(|atom| atom.chirality.is_some()));
        let has_bond = molecules.iter().any(|m| m.bonds.iter().any(|bond| bond.stereo.is_some()));
        self.atoms.retain(|a| self.named[0] || has_center || a.name() != "chirality");
        self.bonds.retain(|b| self.named[1] || has_bond || b.name() != "stereo");
        self
    }

    /// Whether a molecule has all that is asked for.
    ///
    /// # Errors
    ///
    /// [`SmilesFault::Perception`] for the mass of an isotope.
    pub fn check(&self, molecule: &Molecule) -> Result<(), SmilesFault> {
        let isotope = molecule.atoms.iter().position(|atom| atom.mass.is_none());
        match isotope.filter(|_| self.atoms.iter().any(|a| a.name() == "mass")) {
            Some(atom) => Err(SmilesFault::Perception(format!("the mass of atom {atom}, an isotope"))),
            None => Ok(()),
        }
    }
}

fn named<T: Copy>(
    what: &str,
    names: &[String],
    all: &[T],
    name: fn(&T) -> &'static str,
) -> Result<Vec<T>, String> {
    let find = |wanted: &String| {
        let known = || all.iter().map(name).collect::<Vec<_>>().join(", ");
        let found = all.iter().copied().find(|attribute| name(attribute) == wanted);
        found.ok_or_else(|| format!("`{wanted}` is not an attribute of {what}; these are: {}", known()))
    };
    names.iter().map(find).collect()
}

/// The columns of some molecules; `starts` are where each begins among all atoms, and among all bonds.
#[must_use]
pub fn columns(molecules: &[Molecule], attributes: &Attributes, starts: [Vec<usize>; 2]) -> Vec<Column> {
    let atoms: Vec<&Atom> = molecules.iter().flat_map(|molecule| &molecule.atoms).collect();
    let bonds: Vec<&Bond> = molecules.iter().flat_map(|molecule| &molecule.bonds).collect();
    let [of_atoms, of_bonds] = starts;
    let vertices = attributes.atoms.iter().map(|a| column(0, &a.0, &atoms, &of_atoms));
    let edges = attributes.bonds.iter().map(|b| column(1, &b.0, &bonds, &of_bonds));
    vertices.chain(edges).collect()
}

fn column<T>(dim: usize, attribute: &Attribute<T>, cells: &[&T], starts: &[usize]) -> Column {
    let values = match attribute.values {
        Values::Label(read) => {
            let names: Vec<&'static str> = cells.iter().map(|cell| read(cell)).collect();
            let distinct: BTreeSet<&str> = names.iter().copied().collect();
            let code: HashMap<&str, u32> = distinct.iter().copied().zip(0..).collect();
            let codes = names.iter().map(|name| code[name]).collect();
            ColumnValues::Labels { categories: distinct.into_iter().map(str::to_owned).collect(), codes }
        }
        Values::Real(channels, read) => {
            let values = cells.iter().flat_map(|cell| read(cell).into_iter().take(channels.len()));
            ColumnValues::Real {
                channels: channels.iter().map(|&name| name.to_owned()).collect(),
                values: values.collect(),
            }
        }
    };
    let name = attribute.name.to_owned();
    Column { name, dim, orientation: Orientation::Unoriented, starts: starts.to_vec(), values }
}
