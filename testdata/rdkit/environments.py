"""How many atoms of a molecule have each environment, by RDKit's Morgan algorithm."""

import json
import platform
from pathlib import Path
from typing import Any

import rdkit
from rdkit import Chem
from rdkit.Chem import rdFingerprintGenerator

OUT = Path(__file__).with_name("environments.json")
RADIUS = 2
SMILES = [
    *("CCO", "C", "CC(=O)Oc1ccccc1C(=O)O", "C1CCC2CCCCC2C1", "CC(C)(C)c1ccc(O)cc1", "OCC1OC(O)C(O)C(O)C1O"),
    *("Cn1cnc2c1c(=O)n(C)c(=O)n2C", "c1ccc2c(c1)ccc1ccccc12", "C#CC=CCC(F)(Cl)Br", "[Na+].[Cl-]"),
]

CONVENTION = {
    "atoms": "atomic number of each atom, the only invariant that an environment of radius 0 has",
    "bonds": "[first atom, second atom, name of the type]",
    "counts": "how many atoms have each environment of radius 0 to 2, ascending; redundant environments are counted "
    "like all others, where RDKit by default leaves out those that cover the same bonds as one before; an atom without "
    "bonds has one of radius 0 alone",
    "by": "rdFingerprintGenerator.GetMorganGenerator(radius=2, includeRedundantEnvironments=True), "
    "GetSparseCountFingerprint with customAtomInvariants",
}


def case(smiles: str) -> dict[str, Any]:
    """A molecule and its counts."""
    molecule = Chem.MolFromSmiles(smiles)
    atoms = [atom.GetAtomicNum() for atom in molecule.GetAtoms()]
    bonds = [[b.GetBeginAtomIdx(), b.GetEndAtomIdx(), str(b.GetBondType())] for b in molecule.GetBonds()]
    generator = rdFingerprintGenerator.GetMorganGenerator(radius=RADIUS, includeRedundantEnvironments=True)
    found = generator.GetSparseCountFingerprint(molecule, customAtomInvariants=atoms).GetNonzeroElements()
    return {"smiles": smiles, "atoms": atoms, "bonds": bonds, "counts": sorted(found.values())}


def main() -> None:
    """Write the golden."""
    made = {"rdkit": rdkit.__version__, "python": platform.python_version()}
    content = {"made_by": made, "convention": CONVENTION, "cases": [case(smiles) for smiles in SMILES]}
    OUT.write_text(json.dumps(content, indent=1) + "\n")


if __name__ == "__main__":
    main()
