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
vertices ``chirality``     real    channels ``R`` and ``S``: 1 for a center with that label
vertices ``degree``        real    bonds to atoms of the graph
vertices ``hybridization`` labels  ``SP``, ``SP2``, ``SP3``, ...
vertices ``mass``          real    atomic mass
edges    ``bond``          labels  ``SINGLE``, ``DOUBLE``, ``TRIPLE``, ``AROMATIC``, ...
edges    ``conjugated``    real    1 for a conjugated bond
edges    ``ring``          real    1 for a bond in a ring
edges    ``stereo``        real    channels ``E`` and ``Z``: 1 for a bond with that label
edges    ``order``         real    1, 1.5, 2, 3
======== ================= ======= ====================================================

None of them is oriented. Hydrogens are vertices only where the molecule has them as atoms.

Stereo labels are those of Cahn, Ingold and Prelog by RDKit's ``rdCIPLabeler``, which do not depend on the order of
atoms as RDKit's tags do; ``r`` and ``s`` of pseudoasymmetric centers count as ``R`` and ``S``. Models do not
learn from them where no molecule has any, unless they are named.
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
    "mass": lambda atom: atom.GetMass(),
}
BOND: dict[str, Callable[[Any], Any]] = {
    "bond": lambda bond: str(bond.GetBondType()),
    "conjugated": lambda bond: float(bond.GetIsConjugated()),
    "ring": lambda bond: float(bond.IsInRing()),
    "order": lambda bond: bond.GetBondTypeAsDouble(),
}
#: Columns of stereo labels, by dimension: name and channels.
STEREO = {0: ("chirality", ["R", "S"]), 1: ("stereo", ["E", "Z"])}
DEFAULT_ATOM = ["element", "charge", "hydrogens", "aromatic", "ring", "chirality"]
DEFAULT_BOND = ["bond", "conjugated", "ring", "stereo"]
#: Steps of the labeling of one molecule, which would take for ever on some cages; about a second.
LABEL_STEPS = 1_250_000


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
    columns = _columns(0, molecules, atoms, ATOM, DEFAULT_ATOM, vertex_offsets, options)
    edge_columns = _columns(1, molecules, bonds, BOND, DEFAULT_BOND, offsets, options)
    for column in edge_columns:
        if options.is_oriented(column.name):
            raise HodgeletInputError(
                f"bond attribute {column.name!r} is declared oriented, but bonds have no direction"
            )
    edges = np.array(ends, dtype=np.int64).reshape(-1, 2)
    return GraphBatch(vertices, offsets, edges, columns=columns + edge_columns)


def _columns(
    dim: int,
    molecules: Sequence[Any],
    parts: list[list[Any]],
    offered: dict[str, Callable[[Any], Any]],
    default: list[str],
    offsets: Any,
    options: Options,
) -> list[Column]:
    columns: list[Column] = []
    for name in options.names(dim, default):
        if name == STEREO[dim][0]:
            columns.append(_stereo(dim, molecules, optional=options.cell_attrs.get(dim) is None))
            continue
        if name not in offered:
            what, known = ("atoms", "bonds")[dim], ", ".join([*offered, STEREO[dim][0]])
            raise HodgeletInputError(f"{name!r} is not an attribute of {what}; these are: {known}")
        values = _values(offered[name], parts)
        kind = options.kind(dim, name)
        if not values:  # a batch of single atoms has no bond to show its type
            labels = (kind or ("labels" if name == "bond" else "real")) == "labels"
            columns.append(_no_cell(name, dim, labels))
            continue
        columns.extend(columns_of(name, dim, values, kind, locate(offsets, dim)))
    return columns


def _stereo(dim: int, molecules: Sequence[Any], *, optional: bool) -> Column:
    """The labels of centers (``dim=0``) or double bonds (``dim=1``), a channel for each."""
    name, channels = STEREO[dim]
    labels: list[str] = []
    for position, molecule in enumerate(molecules):
        if not _has_stereo(molecule):
            labels.extend([""] * (molecule.GetNumBonds() if dim else molecule.GetNumAtoms()))
            continue
        labelled = _labelled(molecule, position)
        cells = labelled.GetBonds() if dim else labelled.GetAtoms()
        labels.extend(cell.GetProp("_CIPCode").upper() if cell.HasProp("_CIPCode") else "" for cell in cells)
    values = np.array([[label == channel for channel in channels] for label in labels], dtype=np.float64)
    return Column(name, dim, "real", values.reshape(-1, len(channels)), channels=channels, optional=optional)


def _has_stereo(molecule: Any) -> bool:
    from rdkit.Chem import BondStereo, ChiralType

    return any(atom.GetChiralTag() != ChiralType.CHI_UNSPECIFIED for atom in molecule.GetAtoms()) or any(
        bond.GetStereo() not in (BondStereo.STEREONONE, BondStereo.STEREOANY) for bond in molecule.GetBonds()
    )


def _labelled(molecule: Any, position: int) -> Any:
    """A copy of the molecule whose atoms and bonds have their labels, and no others."""
    from rdkit.Chem import Mol, rdCIPLabeler

    copy = Mol(molecule)
    cells: list[Any] = [*copy.GetAtoms(), *copy.GetBonds()]
    for cell in cells:
        cell.ClearProp("_CIPCode")
    try:
        rdCIPLabeler.AssignCIPLabels(copy, maxRecursiveIterations=LABEL_STEPS)
    except RuntimeError as error:
        raise HodgeletInputError(
            f"molecule {position}: RDKit could not find its stereo labels ({str(error).splitlines()[0]}); "
            "name attributes without 'chirality' and 'stereo' to leave them out"
        ) from None
    return copy


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
