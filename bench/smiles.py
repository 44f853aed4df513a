"""How often molecules are perceived differently by RDKit and by the reader of the command.

    cargo build --release -p hodgelet-data --example perceive
    python bench/smiles.py DATA target/release/examples/perceive [--renumber 3000]

DATA is a folder of CSV tables with a column `smiles`. Every distinct string is read by both: atoms and bonds in order,
elements, charges, hydrogens, aromaticity, rings, degrees, hybridization, masses, bond types, conjugation, and the
stereo labels (RDKit's rdCIPLabeler). Prints a count for each kind of disagreement, and the molecules; ends with status
1 where fewer than 99.5% of those that RDKit reads agree in all of them.

With `--renumber N`, the law on which the stereo labels rest is tried on N molecules that have any: their atoms are
renumbered at random, and every atom and bond must keep its label; the same through a random SMILES string, read by
both. Needs RDKit (`pip install rdkit`).
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from rdkit import Chem, rdBase
from rdkit.Chem import rdCIPLabeler

ATOM = ["element", "charge", "hydrogens", "aromatic", "ring", "chirality", "degree", "hybridization", "mass"]
BOND = ["begin", "end", "bond", "conjugated", "ring", "stereo", "order"]
AGREE = 0.995


def main() -> int:
    """Counts, prints, and returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("program")
    parser.add_argument("--renumber", type=int, default=0)
    args = parser.parse_args()
    rdBase.DisableLog("rdApp.*")
    places = distinct(args.data)
    ours = perceived(args.program, list(places))
    counts: Counter[str] = Counter()
    for (smiles, place), mine in zip(places.items(), ours, strict=True):
        for kind in disagreement(smiles, mine):
            counts[kind] += 1
            if kind not in ("same", "both refuse"):
                print(f"{place}: {kind}: {smiles}{'  ' + mine['error'] if 'error' in mine else ''}")
    read = len(places) - counts["both refuse"] - counts["only RDKit refuses"]
    print(f"\n{len(places)} molecules, {read} of which RDKit reads; {counts['same'] / read:.3%} of these agree")
    for kind, count in counts.most_common():
        print(f"{count:8d}  {kind}")
    failed = counts["same"] < AGREE * read
    if args.renumber:
        failed |= renumbered(args.program, list(places), args.renumber)
    return int(failed)


def distinct(folder: Path) -> dict[str, str]:
    """Every SMILES string of the tables, with its first file and row, from 0."""
    places: dict[str, str] = {}
    for path in sorted(folder.glob("*.csv")):
        with path.open(newline="") as file:
            for row, record in enumerate(csv.DictReader(file)):
                places.setdefault(record["smiles"], f"{path.name} {row}")
    return places


def perceived(program: str, smiles: list[str]) -> list[dict]:
    """What the reader of the command says of each string."""
    run = subprocess.run([program], input="\n".join(smiles) + "\n", capture_output=True, text=True, check=True)
    return [json.loads(line) for line in run.stdout.splitlines()]


def labelled(molecule: Chem.Mol) -> Chem.Mol:
    """A copy with stereo labels."""
    molecule = Chem.Mol(molecule)
    for cell in [*molecule.GetAtoms(), *molecule.GetBonds()]:
        cell.ClearProp("_CIPCode")
    rdCIPLabeler.AssignCIPLabels(molecule, maxRecursiveIterations=1_250_000)
    return molecule


def label(cell: Chem.Atom | Chem.Bond) -> str:
    """The stereo label, if there is one."""
    return cell.GetProp("_CIPCode").upper() if cell.HasProp("_CIPCode") else ""


def by_rdkit(molecule: Chem.Mol) -> dict:
    """What RDKit says of a molecule, as the command prints it."""
    m = labelled(molecule)
    atoms = [
        [
            a.GetSymbol(),
            a.GetFormalCharge(),
            a.GetTotalNumHs(),
            a.GetIsAromatic(),
            a.IsInRing(),
            label(a),
            a.GetDegree(),
            str(a.GetHybridization()),
            None if a.GetIsotope() else a.GetMass(),
        ]
        for a in m.GetAtoms()
    ]
    bonds = [
        [
            b.GetBeginAtomIdx(),
            b.GetEndAtomIdx(),
            str(b.GetBondType()),
            b.GetIsConjugated(),
            b.IsInRing(),
            label(b),
            b.GetBondTypeAsDouble(),
        ]
        for b in m.GetBonds()
    ]
    return {"atoms": atoms, "bonds": bonds}


def disagreement(smiles: str, mine: dict) -> set[str]:
    """In what the two differ."""
    molecule = Chem.MolFromSmiles(smiles)
    if molecule is None:
        return {"both refuse" if "error" in mine else "only RDKit refuses"}
    if "error" in mine:
        return {"only we refuse"}
    theirs = by_rdkit(molecule)
    if theirs == mine:
        return {"same"}
    kinds = set()
    for what, names in (("atoms", ATOM), ("bonds", BOND)):
        if len(theirs[what]) != len(mine[what]):
            kinds.add(f"number of {what}")
        for a, b in zip(theirs[what], mine[what], strict=False):
            kinds |= {f"{what}: {name}" for name, x, y in zip(names, a, b, strict=True) if x != y}
    return kinds


def renumbered(program: str, smiles: list[str], n: int) -> bool:
    """Whether the labels of some molecules depend on the order of their atoms."""
    chance = random.Random(0)
    molecules = [m for m in map(Chem.MolFromSmiles, smiles) if m is not None and has_stereo(m)]
    chosen = chance.sample(molecules, min(n, len(molecules)))
    broken, texts = 0, []
    for molecule in chosen:
        order = list(range(molecule.GetNumAtoms()))
        chance.shuffle(order)
        there = labels(molecule, range(len(order)))
        broken += there != labels(Chem.RenumberAtoms(molecule, order), order)
        texts += [Chem.MolToSmiles(molecule), Chem.MolToSmiles(molecule, doRandom=True)]
    print(f"\n{len(chosen)} molecules with stereo renumbered: {broken} have other labels by RDKit")
    found = perceived(program, texts)
    differ = sum(multiset(a) != multiset(b) for a, b in zip(found[::2], found[1::2], strict=True))
    print(f"and {differ} have others by the command, from random SMILES strings of the same molecule")
    return broken + differ > 0


def has_stereo(molecule: Chem.Mol) -> bool:
    """Whether an atom or a bond has a label."""
    m = labelled(molecule)
    return any(map(label, m.GetAtoms())) or any(map(label, m.GetBonds()))


def labels(molecule: Chem.Mol, names: Iterable[int]) -> tuple[dict, dict]:
    """The labels of atoms and bonds, by the names of atoms."""
    m, names = labelled(molecule), list(names)
    atoms = {names[a.GetIdx()]: label(a) for a in m.GetAtoms()}
    bonds = {frozenset((names[b.GetBeginAtomIdx()], names[b.GetEndAtomIdx()])): label(b) for b in m.GetBonds()}
    return atoms, bonds


def multiset(found: dict) -> tuple | str:
    """What does not depend on the order of atoms."""
    if "error" in found:
        return found["error"].split(":")[0]
    atoms = Counter((a[0], a[1], a[2], a[5]) for a in found["atoms"])
    return atoms, Counter((b[2], b[5]) for b in found["bonds"])


if __name__ == "__main__":
    sys.exit(main())
