//! What is perceived of molecules: SMILES strings in, one a line, and a line of JSON out for each. `bench/smiles.py` compares
//! it with RDKit.

use hodgelet_data::smiles::{BondStereo, Chirality, Molecule};
use serde_json::{Value, json};
use std::io::{BufRead, BufWriter, Write};

fn main() -> std::io::Result<()> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        let found = Molecule::parse(&line?);
        let line = found.map_or_else(|fault| json!({ "error": fault.to_string() }), |m| perceived(&m));
        writeln!(out, "{line}")?;
    }
    out.flush()
}

fn perceived(molecule: &Molecule) -> Value {
    let atoms = molecule.atoms.iter().map(|a| {
        let label = match a.chirality {
            Some(Chirality::R) => "R",
            Some(Chirality::S) => "S",
            None => "",
        };
        json!([
            a.element,
            a.charge,
            a.hydrogens,
            a.aromatic,
            a.ring,
            label,
            a.degree,
            a.hybridization,
            a.mass
        ])
    });
    let bonds = molecule.bonds.iter().map(|b| {
        let label = match b.stereo {
            Some(BondStereo::E) => "E",
            Some(BondStereo::Z) => "Z",
            None => "",
        };
        json!([b.ends[0], b.ends[1], b.kind.name(), b.conjugated, b.ring, label, b.kind.order()])
    });
    json!({ "atoms": atoms.collect::<Vec<_>>(), "bonds": bonds.collect::<Vec<_>>() })
}
