//! Labels of Cahn, Ingold and Prelog on stereocenters and double bonds.

use super::{BondStereo, Chirality, SmilesFault};
use chematic_cip::{CipBudget, SubstituentRanker, assign_cip_accurate_experimental};
use chematic_core::{AtomIdx, CipCode, Molecule};
use chematic_smiles::{RdkitMolView, RdkitViewBond};
use std::cmp::Ordering;

/// Tags of tetrahedral centers in a view.
const TETRAHEDRAL: [u8; 2] = [1, 2];
/// Labels of double bonds in a view.
const Z: u8 = 2;
const E: u8 = 3;

type Labels = (Vec<Option<Chirality>>, Vec<Option<BondStereo>>);

/// The labels of all atoms and of all bonds.
pub(super) fn labels(parsed: &Molecule, view: &RdkitMolView) -> Result<Labels, SmilesFault> {
    Ok((centers(parsed, view)?, double_bonds(parsed, view)?))
}

fn centers(parsed: &Molecule, view: &RdkitMolView) -> Result<Vec<Option<Chirality>>, SmilesFault> {
    let mut out = vec![None; view.num_atoms()];
    let is_tagged = |atom: usize| TETRAHEDRAL.contains(&view.atoms[atom].chiral_tag);
    if !(0..out.len()).any(is_tagged) {
        return Ok(out);
    }
    let found = assign_cip_accurate_experimental(parsed, CipBudget::default_budget())
        .map_err(|error| SmilesFault::Perception(format!("stereo labels: {error:?}")))?;
    for (atom, code) in &found.assignments {
        out[atom.0 as usize] = match code {
            CipCode::R | CipCode::LowerR => Some(Chirality::R),
            CipCode::S | CipCode::LowerS => Some(Chirality::S),
            _ => None,
        };
    }
    // A center that keeps its tag has a label.
    match (0..out.len()).find(|&atom| is_tagged(atom) && out[atom].is_none()) {
        Some(atom) => Err(SmilesFault::Perception(format!("the stereo label of atom {atom}"))),
        None => Ok(out),
    }
}

fn double_bonds(parsed: &Molecule, view: &RdkitMolView) -> Result<Vec<Option<BondStereo>>, SmilesFault> {
    let is_labelled = |bond: &RdkitViewBond| bond.stereo == Z || bond.stereo == E;
    if !view.bonds.iter().any(is_labelled) {
        return Ok(vec![None; view.num_bonds()]);
    }
    let ranker = SubstituentRanker::new(parsed, CipBudget::default_budget());
    let label = |bond: &RdkitViewBond| {
        if !is_labelled(bond) {
            return Ok(None);
        }
        let [at_begin, at_end] = bond.stereo_atoms[..] else {
            return Err(unlabelled(bond));
        };
        // The view says where two neighbours are; the label is about the two highest.
        let highest = |atom: usize, other: usize, named: usize| {
            is_highest(parsed, view, &ranker, [atom, other], named).map_err(|()| unlabelled(bond))
        };
        let (begin, end) = (highest(bond.begin, bond.end, at_begin)?, highest(bond.end, bond.begin, at_end)?);
        let (Some(begin), Some(end)) = (begin, end) else { return Ok(None) };
        let is_e = (bond.stereo == E) == (begin == end);
        Ok(Some(if is_e { BondStereo::E } else { BondStereo::Z }))
    };
    view.bonds.iter().map(label).collect()
}

fn unlabelled(bond: &RdkitViewBond) -> SmilesFault {
    SmilesFault::Perception(format!(
        "the stereo label of the bond between atoms {} and {}",
        bond.begin, bond.end
    ))
}

/// Whether `named`, a neighbour of `atom` besides `other`, ranks above the remaining one. None where both are hydrogens, so
/// that the bond has no label.
fn is_highest(
    parsed: &Molecule,
    view: &RdkitMolView,
    ranker: &SubstituentRanker,
    [atom, other]: [usize; 2],
    named: usize,
) -> Result<Option<bool>, ()> {
    let rest: Vec<usize> = view.neighbors(atom).filter(|&n| n != other && n != named).collect();
    match rest[..] {
        [] if view.atoms[named].atomic_num == 1 && view.atoms[atom].total_num_hs > 0 => Ok(None),
        // Hydrogens and lone pairs rank below.
        [] => Ok(Some(true)),
        [rest] => {
            let [atom, named, rest] = [atom, named, rest].map(|i| AtomIdx(i as u32));
            let order = ranker.compare(parsed, atom, named, rest).map_err(|_| ())?;
            order.map(|order| Some(order == Ordering::Greater)).ok_or(())
        }
        _ => Err(()),
    }
}
