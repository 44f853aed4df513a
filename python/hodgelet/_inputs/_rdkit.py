"""Molecules of RDKit, and SMILES strings: atoms are vertices, bonds are edges.

The attributes that can be named, those taken by default first:

======== ================= ======= ====================================================
on       name              kind    meaning
======== ================= ======= ====================================================
vertices ``element``       labels  symbol of the element
vertices ``charge``        real    formal charge
vertices ``hydrogens``     real    hydrogens attached, implicit ones included
vertices ``aromatic``      real    1 for an aromatic atom
vertices ``ring``          real    1 for an atom in a ring
vertices ``degree``        real    bonds to atoms of the graph
vertices ``hybridization`` labels  ``SP``, ``SP2``, ``SP3``, ...
vertices ``chirality``     labels  tag of the stereocenter
vertices ``mass``          real    atomic mass
edges    ``bond``          labels  ``SINGLE``, ``DOUBLE``, ``TRIPLE``, ``AROMATIC``, ...
edges    ``conjugated``    real    1 for a conjugated bond
edges    ``ring``          real    1 for a bond in a ring
edges    ``order``         real    1, 1.5, 2, 3
edges    ``stereo``        labels  stereochemistry of the bond
======== ================= ======= ====================================================

None of them is oriented. Hydrogens are vertices only where the molecule has them as atoms.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hodgelet._batch import Column, GraphBatch
from hodgelet._errors import HodgeletInputError
from hodgelet._inputs._columns import columns_of, locate
from hodgelet._inputs._options import Options

__all__ = ["from_rdkit", "from_smiles"]

ATOM: dict[str, Callable[[Any], Any]] = {
    "element": lambda atom: atom.GetSymbol(),
    "charge": lambda atom: float(atom.GetFormalCharge()),
    "hydrogens": lambda atom: float(atom.GetTotalNumHs()),
    "aromatic": lambda atom: float(atom.GetIsAromatic()),
    "ring": lambda atom: float(atom.IsInRing()),
    "degree": lambda atom: float(atom.GetDegree()),
    "hybridization": lambda atom: str(atom.GetHybridization()),
    "chirality": lambda atom: str(atom.GetChiralTag()),
    "mass": lambda atom: atom.GetMass(),
}
BOND: dict[str, Callable[[Any], Any]] = {
    "bond": lambda bond: str(bond.GetBondType()),
    "conjugated": lambda bond: float(bond.GetIsConjugated()),
    "ring": lambda bond: float(bond.IsInRing()),
    "order": lambda bond: bond.GetBondTypeAsDouble(),
    "stereo": lambda bond: str(bond.GetStereo()),
}
DEFAULT_ATOM = ["element", "charge", "hydrogens", "aromatic", "ring"]
DEFAULT_BOND = ["bond", "conjugated", "ring"]


def from_smiles(smiles: Sequence[str], options: Options) -> GraphBatch:
    """One batch of the molecules that the strings describe."""
    try:
        from rdkit import Chem, rdBase
    except ImportError:
        raise HodgeletInputError("strings are read as SMILES, which needs RDKit: pip install rdkit") from None
    with rdBase.BlockLogs():  # the exception says it all
        molecules = [_parse(Chem, text, position) for position, text in enumerate(smiles)]
    return from_rdkit(molecules, options)


def _parse(chem: Any, text: str, position: int) -> Any:
    molecule = chem.MolFromSmiles(str(text)) if text else None
    if molecule is not None:
        return molecule
    unchecked = chem.MolFromSmiles(str(text), sanitize=False) if text else None
    reason = "it is not SMILES"
    if not text:
        reason = "it is empty"
    elif unchecked is not None:
        problems = [problem.Message() for problem in chem.DetectChemistryProblems(unchecked)]
        reason = "; ".join(problems) or "it does not pass the checks of RDKit"
    raise HodgeletInputError(f"molecule {position}: cannot read {str(text)!r}: {reason}")


def from_rdkit(molecules: Sequence[Any], options: Options) -> GraphBatch:
    """One batch of all molecules."""
    for position, molecule in enumerate(molecules):
        if molecule is None:
            raise HodgeletInputError(f"molecule {position} is None: RDKit could not read what it was made from")
    atoms = [list(molecule.GetAtoms()) for molecule in molecules]
    bonds = [list(molecule.GetBonds()) for molecule in molecules]
    ends = [(b.GetBeginAtomIdx(), b.GetEndAtomIdx()) for per_molecule in bonds for b in per_molecule]
    vertices = np.array([len(a) for a in atoms], dtype=np.int64)
    offsets = np.concatenate([[0], np.cumsum([len(b) for b in bonds], dtype=np.int64)]).astype(np.int64)
    vertex_offsets = np.concatenate([[0], np.cumsum(vertices)])
    columns = _columns(0, atoms, ATOM, DEFAULT_ATOM, vertex_offsets, options)
    edge_columns = _columns(1, bonds, BOND, DEFAULT_BOND, offsets, options)
    for column in edge_columns:
        if options.is_oriented(column.name):
            raise HodgeletInputError(
                f"bond attribute {column.name!r} is declared oriented, but bonds have no direction"
            )
    edges = np.array(ends, dtype=np.int64).reshape(-1, 2)
    return GraphBatch(vertices, offsets, edges, columns=columns + edge_columns)


def _columns(
    dim: int,
    parts: list[list[Any]],
    offered: dict[str, Callable[[Any], Any]],
    default: list[str],
    offsets: Any,
    options: Options,
) -> list[Column]:
    columns: list[Column] = []
    for name in options.names(dim, default):
        if name not in offered:
            what = ("atoms", "bonds")[dim]
            raise HodgeletInputError(f"{name!r} is not an attribute of {what}; these are: {', '.join(offered)}")
        values = _values(offered[name], parts)
        kind = options.kind(dim, name)
        if not values:  # a batch of single atoms has no bond to show its type
            labels = (kind or ("labels" if name in ("bond", "stereo") else "real")) == "labels"
            columns.append(_no_cell(name, dim, labels))
            continue
        columns.extend(columns_of(name, dim, values, kind, locate(offsets, dim)))
    return columns


def _values(read: Callable[[Any], Any], parts: list[list[Any]]) -> list[Any]:
    values: list[Any] = []
    for position, per_molecule in enumerate(parts):
        try:
            values.extend(map(read, per_molecule))
        except RuntimeError:  # RDKit has not yet computed valences or rings
            raise HodgeletInputError(f"molecule {position} is not sanitized: call Chem.SanitizeMol on it") from None
    return values


def _no_cell(name: str, dim: int, labels: bool) -> Column:
    if labels:
        return Column(name, dim, "labels", np.zeros(0, dtype=np.int64), categories=[])
    return Column(name, dim, "real", np.zeros((0, 1)))
