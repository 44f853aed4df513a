//! How a molecule grows: rings, chains and ends, one piece after another.
//!
//! Each piece takes its place at free valences. Every ring that arises has five or six atoms: rings are fused at a bond of one ring
//! alone, and a bridge joins two atoms of a ring across, one atom over six or two over five or six. Aromatic rings have a Kekulé
//! structure: bonds of order one and two in turn, and one atom of five that gives a pair of electrons instead.

use super::molecule::{Element, Molecule, Ring};
use rand::{Rng, RngExt};

/// Least number of free valences with which a piece that could use them up is drawn.
const SPARE: usize = 4;

/// A molecule of `n_atoms` atoms in one part.
pub(super) fn grow(n_atoms: usize, p_ring: f64, rng: &mut impl Rng) -> Molecule {
    let mut molecule = Molecule::default();
    if rng.random::<f64>() < p_ring.sqrt() {
        attach_ring(&mut molecule, n_atoms, rng);
    } else {
        molecule.add_atom(Element::C);
    }
    while molecule.n_atoms() < n_atoms {
        let room = n_atoms - molecule.n_atoms();
        let spare = molecule.total_free() >= SPARE;
        let grown = match rng.random::<f64>() {
            u if u < p_ring => spare && ring(&mut molecule, room, rng),
            u if u < p_ring + (1.0 - p_ring) * 0.4 => spare && end(&mut molecule, room, rng),
            _ => false,
        };
        if !grown {
            chain(&mut molecule, room, rng);
        }
    }
    molecule
}

/// Fuses, bridges or attaches a ring; says whether there was a place and room for it.
fn ring(molecule: &mut Molecule, room: usize, rng: &mut impl Rng) -> bool {
    match rng.random::<f64>() {
        u if u < 0.45 => fuse_ring(molecule, room, rng),
        u if u < 0.55 => bridge_ring(molecule, room, rng),
        _ => attach_ring(molecule, room, rng),
    }
}

/// A ring of its own, joined to the rest by one bond.
fn attach_ring(molecule: &mut Molecule, room: usize, rng: &mut impl Rng) -> bool {
    let size = rng.random_range(5..=6);
    if room < size {
        return false;
    }
    let place = place(molecule, 1, rng);
    let aromatic = rng.random::<f64>() < 0.6;
    let mut atoms = ring_elements(size, [true, true], rng);
    // An aromatic ring of five has its donor last, and the rest joins at the first atom, a carbon.
    atoms[0] = Element::C;
    if aromatic {
        make_aromatic(&mut atoms, rng);
    }
    let atoms: Vec<usize> = atoms.into_iter().map(|element| molecule.add_atom(element)).collect();
    for i in 0..size {
        let order = if aromatic && i % 2 == 0 && i + 1 < size { 2 } else { 1 };
        molecule.join(atoms[i], atoms[(i + 1) % size], order, aromatic);
    }
    if let Some(place) = place {
        molecule.join(place, atoms[0], 1, false);
    }
    molecule.rings.push(Ring { atoms, aromatic, bridged: false });
    true
}

/// A ring that shares a bond with a ring that is there.
fn fuse_ring(molecule: &mut Molecule, room: usize, rng: &mut impl Rng) -> bool {
    let size = rng.random_range(5..=6);
    if room < size - 2 {
        return false;
    }
    let Some((u, v, aromatic)) = fusible_bond(molecule, rng) else { return false };
    let aromatic = aromatic && rng.random::<f64>() < 0.8;
    let carbon = |atom: usize| molecule.elements()[atom] == Element::C;
    let mut path = ring_elements(size - 2, [carbon(u), carbon(v)], rng);
    if aromatic {
        make_aromatic(&mut path, rng);
    }
    let path: Vec<usize> = path.into_iter().map(|element| molecule.add_atom(element)).collect();
    for (i, pair) in path.windows(2).enumerate() {
        molecule.join(pair[0], pair[1], if aromatic && i % 2 == 0 { 2 } else { 1 }, aromatic);
    }
    molecule.join(u, path[0], 1, aromatic);
    molecule.join(path[path.len() - 1], v, 1, aromatic);
    let mut atoms = vec![u];
    atoms.extend(path);
    atoms.push(v);
    molecule.rings.push(Ring { atoms, aromatic, bridged: false });
    true
}

/// One atom or two across a ring that is not aromatic.
fn bridge_ring(molecule: &mut Molecule, room: usize, rng: &mut impl Rng) -> bool {
    let mut across = Vec::new();
    for (r, ring) in molecule.rings.iter().enumerate().filter(|(_, ring)| !ring.aromatic && !ring.bridged) {
        let n = ring.atoms.len();
        let far = n / 2; // three steps away of six, two of five
        let pairs = (0..n).map(|i| (ring.atoms[i], ring.atoms[(i + far) % n]));
        across.extend(pairs.filter(|&(u, v)| molecule.free(u) > 0 && molecule.free(v) > 0).map(|p| (r, p)));
    }
    let Some((r, (u, v))) = choose(&across, rng) else { return false };
    let length = if molecule.rings[r].atoms.len() == 6 { rng.random_range(1..=2) } else { 2 };
    if room < length {
        return false;
    }
    let first = molecule.add_atom(Element::C);
    molecule.join(u, first, 1, false);
    let last = if length == 2 {
        let last = molecule.add_atom(Element::C);
        molecule.join(first, last, 1, false);
        last
    } else {
        first
    };
    molecule.join(last, v, 1, false);
    molecule.rings[r].bridged = true;
    true
}

/// Up to four atoms in a row. Where free valences are few the first is a carbon, so there is always a way on.
fn chain(molecule: &mut Molecule, room: usize, rng: &mut impl Rng) {
    let mut end = place(molecule, 1, rng).expect("a carbon leaves more free valences than it takes");
    for i in 0..rng.random_range(1..=4.min(room)) {
        let carbon = i == 0 && molecule.total_free() < SPARE || molecule.elements()[end] != Element::C;
        let element = if carbon { Element::C } else { chain_element(rng) };
        let atom = molecule.add_atom(element);
        molecule.join(end, atom, 1, false);
        end = atom;
    }
}

/// A halogen, the oxygen of a carbonyl or a nitrile, on a carbon.
fn end(molecule: &mut Molecule, room: usize, rng: &mut impl Rng) -> bool {
    let (element, order) = match rng.random::<f64>() {
        u if u < 0.45 => (Element::O, 2),
        u if u < 0.55 => (Element::N, 3),
        u if u < 0.75 => (Element::F, 1),
        u if u < 0.92 => (Element::Cl, 1),
        _ => (Element::Br, 1),
    };
    // The triple bond takes a carbon of its own.
    let (atoms, needs) = if order == 3 { (2, 1) } else { (1, order) };
    let carbons: Vec<usize> = (0..molecule.n_atoms())
        .filter(|&atom| molecule.elements()[atom] == Element::C && molecule.free(atom) >= needs)
        .collect();
    let Some(mut place) = choose(&carbons, rng).filter(|_| room >= atoms) else { return false };
    if order == 3 {
        let carbon = molecule.add_atom(Element::C);
        molecule.join(place, carbon, 1, false);
        place = carbon;
    }
    let atom = molecule.add_atom(element);
    molecule.join(place, atom, order, false);
    true
}

/// An atom with that many free valences.
fn place(molecule: &Molecule, free: u8, rng: &mut impl Rng) -> Option<usize> {
    let places: Vec<usize> = (0..molecule.n_atoms()).filter(|&atom| molecule.free(atom) >= free).collect();
    choose(&places, rng)
}

/// A bond of one ring alone whose atoms have free valences, and whether it is aromatic.
fn fusible_bond(molecule: &Molecule, rng: &mut impl Rng) -> Option<(usize, usize, bool)> {
    let rings = &molecule.rings;
    let shared = |u: usize, v: usize| {
        let holds = |ring: &&Ring| ring.bonds().any(|bond| bond == (u, v) || bond == (v, u));
        rings.iter().filter(holds).count() > 1
    };
    let bonds: Vec<_> = rings
        .iter()
        .filter(|ring| !ring.bridged)
        .flat_map(|ring| ring.bonds().map(|(u, v)| (u, v, ring.aromatic)))
        .filter(|&(u, v, _)| molecule.free(u) > 0 && molecule.free(v) > 0 && !shared(u, v))
        .collect();
    choose(&bonds, rng)
}

/// Elements of consecutive atoms of a ring: carbons and up to two heteroatoms that are not neighbours. `carbons` says
/// whether the atoms before the first and after the last are carbons.
fn ring_elements(n: usize, carbons: [bool; 2], rng: &mut impl Rng) -> Vec<Element> {
    let mut elements = vec![Element::C; n];
    let mut left = 2;
    for i in 0..n {
        let after_carbon = if i == 0 { carbons[0] } else { elements[i - 1] == Element::C };
        let before_carbon = i + 1 < n || (carbons[1] && elements[0] == Element::C);
        if left > 0 && after_carbon && before_carbon && rng.random::<f64>() < 0.14 {
            elements[i] = hetero(rng);
            left -= 1;
        }
    }
    elements
}

/// Of an even number of atoms each takes part in one double bond, so nitrogen is the only heteroatom; of an odd number the
/// last gives a pair of electrons: nitrogen, oxygen or sulfur.
fn make_aromatic(elements: &mut [Element], rng: &mut impl Rng) {
    let n = elements.len();
    for element in elements.iter_mut().filter(|element| **element != Element::C) {
        *element = Element::N;
    }
    if n % 2 == 1 {
        elements[n - 1] = hetero(rng);
        if n > 1 && elements[n - 2] != Element::C {
            elements[n - 2] = Element::C;
        }
    }
}

fn chain_element(rng: &mut impl Rng) -> Element {
    if rng.random::<f64>() < 0.3 { hetero(rng) } else { Element::C }
}

fn hetero(rng: &mut impl Rng) -> Element {
    match rng.random::<f64>() {
        u if u < 0.45 => Element::N,
        u if u < 0.85 => Element::O,
        _ => Element::S,
    }
}

fn choose<T: Copy>(among: &[T], rng: &mut impl Rng) -> Option<T> {
    if among.is_empty() { None } else { Some(among[rng.random_range(0..among.len())]) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::item_rng;
    use std::collections::VecDeque;

    fn molecules() -> impl Iterator<Item = Molecule> {
        let sizes = [6, 7, 15, 25, 40, 80];
        (0..1200).map(move |i| grow(sizes[i % 6], [0.0, 0.35, 0.7, 1.0][i / 300], &mut item_rng(2, i)))
    }

    #[test]
    fn valences_are_respected() {
        for molecule in molecules() {
            let mut used = vec![0; molecule.n_atoms()];
            for bond in molecule.bonds() {
                assert!((1..=3).contains(&bond.order) && bond.ends[0] < bond.ends[1]);
                bond.ends.iter().for_each(|&end| used[end as usize] += bond.order);
            }
            for (atom, &used) in used.iter().enumerate() {
                assert_eq!(used + molecule.free(atom), molecule.elements()[atom].valence());
            }
        }
    }

    /// Number of bonds on the shortest way from one end of a bond to the other without it.
    fn way_round(molecule: &Molecule, [a, b]: [u32; 2]) -> Option<usize> {
        let (a, b) = (a as usize, b as usize);
        let neighbours = molecule.neighbours();
        let mut distance = vec![None; molecule.n_atoms()];
        distance[a] = Some(0);
        let mut queue = VecDeque::from([a]);
        while let Some(atom) = queue.pop_front() {
            for &next in &neighbours[atom] {
                if distance[next].is_none() && (atom, next) != (a, b) {
                    distance[next] = distance[atom].map(|d| d + 1);
                    queue.push_back(next);
                }
            }
        }
        distance[b]
    }

    #[test]
    fn rings_have_five_or_six_atoms_and_no_bond_is_there_twice() {
        let (mut in_rings, mut bridged, mut fused) = (0, 0, 0);
        for molecule in molecules() {
            let mut ends: Vec<[u32; 2]> = molecule.bonds().iter().map(|bond| bond.ends).collect();
            for around in ends.iter().filter_map(|&bond| way_round(&molecule, bond)) {
                assert!((4..=5).contains(&around), "a ring of {} atoms", around + 1);
                in_rings += 1;
            }
            ends.sort_unstable();
            ends.dedup();
            assert_eq!(ends.len(), molecule.bonds().len());
            let bridges = molecule.rings.iter().filter(|ring| ring.bridged).count();
            assert_eq!(ends.len() + 1 - molecule.n_atoms(), molecule.rings.len() + bridges);
            bridged += bridges;
            fused += molecule.rings.iter().map(|ring| ring.atoms.len()).sum::<usize>();
        }
        assert!(in_rings > 1000 && bridged > 100 && fused > in_rings, "{in_rings} {bridged} {fused}");
    }

    #[test]
    fn every_kind_of_atom_and_bond_occurs() {
        let (mut elements, mut kinds) = ([0; 7], [0; 4]);
        for molecule in molecules() {
            molecule.elements().iter().for_each(|&element| elements[element as usize] += 1);
            molecule.bonds().iter().for_each(|bond| kinds[bond.kind() as usize] += 1);
        }
        assert!(elements.iter().chain(&kinds).all(|&count| count > 100), "{elements:?} {kinds:?}");
    }
}
