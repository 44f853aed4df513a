//! A molecule under construction: atoms with free valences, bonds and rings.

/// Elements, in the order of their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Element {
    Br,
    C,
    Cl,
    F,
    N,
    O,
    S,
}

impl Element {
    /// Names, at the places of their codes.
    pub(super) const NAMES: [&str; 7] = ["Br", "C", "Cl", "F", "N", "O", "S"];

    /// How many single bonds an atom has, hydrogens among them.
    pub(super) fn valence(self) -> u8 {
        match self {
            Self::C => 4,
            Self::N => 3,
            Self::O | Self::S => 2,
            Self::Br | Self::Cl | Self::F => 1,
        }
    }

    pub(super) fn is_halogen(self) -> bool {
        self.valence() == 1
    }

    /// Whether this is neither carbon nor a halogen.
    pub(super) fn is_hetero(self) -> bool {
        matches!(self, Self::N | Self::O | Self::S)
    }
}

/// Kinds of bonds, at the places of their codes.
pub(super) const BONDS: [&str; 4] = ["aromatic", "double", "single", "triple"];

/// A bond between two atoms. An aromatic one has an order, too: that of one Kekulé structure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bond {
    pub(super) ends: [u32; 2],
    pub(super) order: u8,
    pub(super) aromatic: bool,
}

impl Bond {
    /// The place of its kind in [`BONDS`].
    pub(super) fn kind(self) -> u32 {
        match (self.aromatic, self.order) {
            (true, _) => 0,
            (false, 2) => 1,
            (false, 1) => 2,
            (false, _) => 3,
        }
    }
}

/// A ring of five or six atoms, in order.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ring {
    pub(super) atoms: Vec<usize>,
    pub(super) aromatic: bool,
    /// Whether a bridge joins two of its atoms.
    pub(super) bridged: bool,
}

impl Ring {
    /// Its bonds as pairs of atoms.
    pub(super) fn bonds(&self) -> impl Iterator<Item = (usize, usize)> {
        let n = self.atoms.len();
        (0..n).map(move |i| (self.atoms[i], self.atoms[(i + 1) % n]))
    }
}

/// Atoms, bonds and rings.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Molecule {
    elements: Vec<Element>, // [n_atoms]
    free: Vec<u8>,          // [n_atoms], valences that no bond uses
    bonds: Vec<Bond>,
    pub(super) rings: Vec<Ring>,
}

impl Molecule {
    pub(super) fn n_atoms(&self) -> usize {
        self.elements.len()
    }

    pub(super) fn elements(&self) -> &[Element] {
        &self.elements
    }

    pub(super) fn bonds(&self) -> &[Bond] {
        &self.bonds
    }

    pub(super) fn free(&self, atom: usize) -> u8 {
        self.free[atom]
    }

    /// Free valences of all atoms.
    pub(super) fn total_free(&self) -> usize {
        self.free.iter().map(|&free| usize::from(free)).sum()
    }

    pub(super) fn add_atom(&mut self, element: Element) -> usize {
        self.elements.push(element);
        self.free.push(element.valence());
        self.elements.len() - 1
    }

    /// Joins two atoms, which must have that many free valences each.
    pub(super) fn join(&mut self, a: usize, b: usize, order: u8, aromatic: bool) {
        self.free[a] -= order;
        self.free[b] -= order;
        self.bonds.push(Bond { ends: [a.min(b) as u32, a.max(b) as u32], order, aromatic });
    }

    /// The neighbours of every atom.
    pub(super) fn neighbours(&self) -> Vec<Vec<usize>> {
        let mut neighbours = vec![Vec::new(); self.n_atoms()];
        for bond in &self.bonds {
            let [a, b] = bond.ends.map(|end| end as usize);
            neighbours[a].push(b);
            neighbours[b].push(a);
        }
        neighbours
    }
}
