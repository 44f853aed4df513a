"""A table of SMILES as a TU dataset, which hodgelet reads without RDKit.

    python bench/molecules.py BACE.csv smiles Class DATA/BACE
    hodgelet-lab honest --data-dir DATA --rows BACE

Atoms are vertices (label: atomic number; attributes: formal charge, attached hydrogens, aromatic, in ring), bonds are
edges (label: 0 single, 1 double, 2 triple, 3 aromatic). A target of two values is a class, any other a number. Rows
that RDKit does not read are left out, and their number is printed.
"""

import csv
import sys
from pathlib import Path

from rdkit import Chem, RDLogger

BONDS = {"SINGLE": 0, "DOUBLE": 1, "TRIPLE": 2, "AROMATIC": 3}


def rows(molecule: Chem.Mol, first: int) -> dict[str, list[str]]:
    """Lines of the files of one molecule whose first atom has the number `first`."""
    lines: dict[str, list[str]] = {"A": [], "edge_labels": [], "node_labels": [], "node_attributes": []}
    for atom in molecule.GetAtoms():
        lines["node_labels"].append(str(atom.GetAtomicNum()))
        numbers = (atom.GetFormalCharge(), atom.GetTotalNumHs(), int(atom.GetIsAromatic()), int(atom.IsInRing()))
        lines["node_attributes"].append(", ".join(map(str, numbers)))
    for bond in molecule.GetBonds():
        a, b = first + bond.GetBeginAtomIdx(), first + bond.GetEndAtomIdx()
        lines["A"] += [f"{a}, {b}", f"{b}, {a}"]
        lines["edge_labels"] += [str(BONDS.get(str(bond.GetBondType()), len(BONDS)))] * 2
    return lines


def main() -> None:
    """Reads the table and writes the folder."""
    table, smiles, target, folder = sys.argv[1:5]
    RDLogger.DisableLog("rdApp.*")
    files: dict[str, list[str]] = {"graph_indicator": []}
    targets, refused = [], 0
    with open(table, newline="") as stream:
        for row in csv.DictReader(stream):
            molecule = Chem.MolFromSmiles(row[smiles])
            if molecule is None or molecule.GetNumAtoms() == 0:
                refused += 1
                continue
            targets.append(row[target])
            for file, lines in rows(molecule, len(files["graph_indicator"]) + 1).items():
                files.setdefault(file, []).extend(lines)
            files["graph_indicator"] += [str(len(targets))] * molecule.GetNumAtoms()
    is_class = len(set(targets)) == 2
    files["graph_labels" if is_class else "graph_attributes"] = targets
    out = Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    for file, lines in files.items():
        (out / f"{out.name}_{file}.txt").write_text("\n".join(lines) + "\n")
    print(f"{out.name}: {len(targets)} molecules, {refused} rows left out", file=sys.stderr)


if __name__ == "__main__":
    main()
