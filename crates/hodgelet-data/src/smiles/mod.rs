//! Molecules from SMILES strings, with what RDKit perceives in them.
//!
//! The parser and the perception of valences, rings, aromaticity and conjugation are those of `chematic`, which follows
//! RDKit; `bench/smiles.py` counts where the two disagree. Stereo labels are those of Cahn, Ingold and Prelog, and do not
//! depend on the order of atoms. A string that cannot be read, or of which something cannot be perceived, is a
//! [`SmilesFault`], never a guess.

mod columns;
mod stereo;
mod weights;

pub use columns::{ATOM_ATTRIBUTES, AtomAttribute, Attributes, BOND_ATTRIBUTES, BondAttribute, columns};

use chematic_core::{Element, Molecule as Parsed};
use chematic_smiles::{RdkitMolView, SmilesParseLimits, parse_with_limits};
use chematic_smiles::{rdkit_mol_view, rdkit_murcko_scaffold, rdkit_parsed_molecule};
use weights::ATOMIC_WEIGHTS;

/// Longest string that is read, and the most atoms and bonds; labels and rings of larger molecules would take minutes.
const LIMITS: SmilesParseLimits =
    SmilesParseLimits { max_input_bytes: 20_000, max_atoms: 5_000, max_bonds: 6_000 };

/// A molecule: atoms are vertices, bonds are edges.
#[derive(Clone, Debug, PartialEq)]
pub struct Molecule {
    /// In the order of the string; hydrogens only where they cannot be merged into their neighbour.
    pub atoms: Vec<Atom>,
    /// Chain bonds in the order of the string, then ring closures.
    pub bonds: Vec<Bond>,
}

/// An atom and what is perceived of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Atom {
    /// Symbol of the element; `*` for an unknown one.
    pub element: &'static str,
    /// Formal charge.
    pub charge: i32,
    /// Hydrogens attached that are not atoms of the graph.
    pub hydrogens: u32,
    /// Whether it is aromatic.
    pub aromatic: bool,
    /// Whether it is in a ring.
    pub ring: bool,
    /// Number of bonds.
    pub degree: u32,
    /// Hybridization as RDKit names it, such as `SP2`.
    pub hybridization: &'static str,
    /// The label of a stereocenter; `r` and `s` of pseudoasymmetric ones count as `R` and `S`.
    pub chirality: Option<Chirality>,
    /// Atomic weight; none for an isotope.
    pub mass: Option<f64>,
}

/// Label of a stereocenter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chirality {
    /// Clockwise from the first to the third neighbour, seen against the last.
    R,
    /// Counterclockwise.
    S,
}

/// A bond and what is perceived of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Bond {
    /// Indices of its atoms.
    pub ends: [u32; 2],
    /// Its type.
    pub kind: BondKind,
    /// Whether it is conjugated.
    pub conjugated: bool,
    /// Whether it is in a ring.
    pub ring: bool,
    /// The label of a double bond whose sides are told apart.
    pub stereo: Option<BondStereo>,
}

/// Type of a bond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BondKind {
    /// `SINGLE`.
    Single,
    /// `DOUBLE`.
    Double,
    /// `TRIPLE`.
    Triple,
    /// `QUADRUPLE`.
    Quadruple,
    /// `AROMATIC`.
    Aromatic,
    /// `DATIVE`.
    Dative,
}

impl BondKind {
    /// RDKit's name of it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Single => "SINGLE",
            Self::Double => "DOUBLE",
            Self::Triple => "TRIPLE",
            Self::Quadruple => "QUADRUPLE",
            Self::Aromatic => "AROMATIC",
            Self::Dative => "DATIVE",
        }
    }

    /// Its order as a number, 1.5 for an aromatic bond.
    #[must_use]
    pub fn order(self) -> f64 {
        match self {
            Self::Single | Self::Dative => 1.0,
            Self::Aromatic => 1.5,
            Self::Double => 2.0,
            Self::Triple => 3.0,
            Self::Quadruple => 4.0,
        }
    }
}

/// Label of a double bond.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BondStereo {
    /// Higher neighbours on opposite sides.
    E,
    /// Higher neighbours on the same side.
    Z,
}

/// Why a string did not become a molecule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SmilesFault {
    /// There is none.
    #[error("the SMILES is empty")]
    Empty,
    /// The string is not SMILES, or too long.
    #[error("not SMILES: {0}")]
    Syntax(String),
    /// The molecule is impossible.
    #[error("not a molecule: {0}")]
    Chemistry(String),
    /// The molecule may be fine, but something of it cannot be perceived here.
    #[error("cannot be perceived here: {0}")]
    Perception(String),
}

impl Molecule {
    /// Reads a SMILES string.
    ///
    /// # Errors
    ///
    /// [`SmilesFault`].
    pub fn parse(text: &str) -> Result<Self, SmilesFault> {
        let text = text.trim();
        if text.is_empty() {
            return Err(SmilesFault::Empty);
        }
        // Tables that were escaped once too often write `\\`, which RDKit reads as `\`.
        let text = text.replace("\\\\", "\\");
        let written = parse_with_limits(&text, &LIMITS);
        let written = written.map_err(|error| SmilesFault::Syntax(error.to_string()))?;
        let found = rdkit_parsed_molecule(&written);
        // Without a molecule the view says what is wrong.
        let parsed = found.as_ref().unwrap_or(&written);
        // Perceiving twice is not the same for some complexes of metals; it is needed where hydrogens were merged.
        let has_hydrogens = written.atoms().any(|(_, atom)| atom.element == Element::H && !atom.wildcard);
        let view =
            rdkit_mol_view(if has_hydrogens { parsed } else { &written }).map_err(|error| match error {
                chematic_smiles::RdkitSmilesError::Sanitization(what) => SmilesFault::Chemistry(what),
                other => SmilesFault::Perception(other.to_string()),
            })?;
        if found.is_none() {
            return Err(SmilesFault::Perception("hydrogens or bonds of an unusual kind".to_owned()));
        }
        if view.num_atoms() != parsed.atom_count() {
            return Err(SmilesFault::Perception("hydrogens that are merged".to_owned()));
        }
        check_aromatic(&written, &view)?;
        Self::of(parsed, &view)
    }

    fn of(parsed: &Parsed, view: &RdkitMolView) -> Result<Self, SmilesFault> {
        let (mut in_ring, mut closes) = (vec![false; view.num_atoms()], vec![false; view.num_bonds()]);
        view.atom_rings.iter().flatten().for_each(|&atom| in_ring[atom] = true);
        view.bond_rings.iter().flatten().for_each(|&bond| closes[bond] = true);
        let (centers, double_bonds) = stereo::labels(parsed, view)?;
        let isotopes: Vec<bool> = parsed.atoms().map(|(_, atom)| atom.isotope.is_some()).collect();
        let atoms = view.atoms.iter().enumerate().map(|(i, atom)| {
            let number = u8::try_from(atom.atomic_num).ok().and_then(Element::from_atomic_number);
            let weight =
                number.map_or(0.0, |element| ATOMIC_WEIGHTS[usize::from(element.atomic_number()) - 1]);
            let is_isotope = isotopes.get(i).copied().unwrap_or(false);
            Atom {
                element: number.map_or("*", Element::symbol),
                charge: atom.formal_charge,
                hydrogens: atom.total_num_hs,
                aromatic: atom.is_aromatic,
                ring: in_ring[i],
                degree: view.degree(i) as u32,
                hybridization: hybridization(atom.hybridization),
                chirality: centers[i],
                mass: (!is_isotope).then_some(weight),
            }
        });
        let bonds = view.bonds.iter().enumerate().map(|(i, bond)| {
            let ends = [bond.begin as u32, bond.end as u32];
            let kind = match bond.bond_type {
                1 => BondKind::Single,
                2 => BondKind::Double,
                3 => BondKind::Triple,
                4 => BondKind::Quadruple,
                12 => BondKind::Aromatic,
                17 => BondKind::Dative,
                other => return Err(SmilesFault::Perception(format!("bond type {other}"))),
            };
            Ok(Bond { ends, kind, conjugated: bond.is_conjugated, ring: closes[i], stereo: double_bonds[i] })
        });
        Ok(Self { atoms: atoms.collect(), bonds: bonds.collect::<Result<_, _>>()? })
    }
}

/// The scaffold of Bemis and Murcko, as a SMILES string without stereo: rings, and what joins them. Empty for a molecule without
/// a ring.
///
/// # Errors
///
/// [`SmilesFault`].
pub fn scaffold(text: &str) -> Result<String, SmilesFault> {
    let written = parse_with_limits(text.trim(), &LIMITS);
    // Molecules that differ in stereo alone have one scaffold.
    let flat = parse_with_limits(&text.trim().replace(['@', '/', '\\'], ""), &LIMITS);
    let molecule = flat.or(written).map_err(|error| SmilesFault::Syntax(error.to_string()))?;
    rdkit_murcko_scaffold(&molecule).map_err(|error| SmilesFault::Perception(error.to_string()))
}

fn hybridization(code: u8) -> &'static str {
    match code {
        1 => "S",
        2 => "SP",
        3 => "SP2",
        4 => "SP3",
        5 => "SP3D",
        6 => "SP3D2",
        7 => "SP2D",
        _ => "UNSPECIFIED",
    }
}

/// Fails where a small ring that is written as aromatic is found not to be. RDKit keeps most of these, such as furans that a
/// chain bridges, aromatic; the perception here does not.
fn check_aromatic(written: &Parsed, view: &RdkitMolView) -> Result<(), SmilesFault> {
    // Where hydrogens were merged, indices differ.
    if written.atom_count() != view.num_atoms() {
        return Ok(());
    }
    let lower: Vec<bool> = written.atoms().map(|(_, atom)| atom.aromatic).collect();
    let lost = |ring: &&Vec<usize>| {
        ring.len() <= 6
            && ring.iter().all(|&atom| lower[atom])
            && ring.iter().all(|&atom| !view.atoms[atom].is_aromatic)
    };
    match view.atom_rings.iter().find(lost) {
        Some(ring) => Err(SmilesFault::Perception(format!(
            "the ring of atom {}, which is written as aromatic and found not to be",
            ring[0]
        ))),
        None => Ok(()),
    }
}
