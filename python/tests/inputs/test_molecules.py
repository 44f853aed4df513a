"""SMILES strings and RDKit molecules."""

from __future__ import annotations

import numpy as np
import pytest
from rdkit import Chem

from hodgelet import HodgeletInputError, as_batch

from .helpers import labels, reals


def test_nitrobenzene_is_encoded_as_documented() -> None:
    batch = as_batch(["c1ccccc1[N+](=O)[O-]"])
    assert labels(batch, "element") == ["C"] * 6 + ["N", "O", "O"]
    assert reals(batch, "charge") == [0.0] * 6 + [1.0, 0.0, -1.0]
    assert reals(batch, "hydrogens") == [1.0] * 5 + [0.0] * 4
    assert reals(batch, "aromatic") == reals(batch, "ring") == [1.0] * 6 + [0.0] * 3
    bonds = {frozenset(edge): kind for edge, kind in zip(batch.edges.tolist(), labels(batch, "bond", 1), strict=True)}
    assert bonds[frozenset({0, 1})] == "AROMATIC" and bonds[frozenset({6, 7})] == "DOUBLE"
    assert bonds[frozenset({5, 6})] == bonds[frozenset({6, 8})] == "SINGLE"
    assert sum(reals(batch, "ring", 1)) == 6.0 and sum(reals(batch, "conjugated", 1)) == 9.0
    assert not any(column.oriented for column in batch.columns)


def test_molecules_and_their_smiles_are_the_same() -> None:
    smiles = ["CCO", "C#N", "[Na+].[Cl-]", "C"]
    a, b = as_batch(smiles), as_batch([Chem.MolFromSmiles(s) for s in smiles])
    assert a.vertices.tolist() == [3, 2, 2, 1] and a.edges.tolist() == b.edges.tolist()
    for left, right in zip(a.columns, b.columns, strict=True):
        assert left.name == right.name and np.array_equal(left.values, right.values)


def test_a_single_atom_has_the_same_columns_as_a_molecule() -> None:
    kinds = [[(c.name, c.dim, c.kind) for c in as_batch([s]).columns] for s in ("C", "CC")]
    assert kinds[0] == kinds[1]


def test_further_attributes_can_be_named() -> None:
    batch = as_batch(["C=C"], vertex_attrs=["hybridization", "mass", "degree"], edge_attrs=["order", "stereo"])
    assert labels(batch, "hybridization") == ["SP2", "SP2"] and reals(batch, "order", 1) == [2.0]
    assert reals(batch, "mass") == [12.011, 12.011] and reals(batch, "degree") == [1.0, 1.0]
    with pytest.raises(HodgeletInputError, match="'spin' is not an attribute of atoms; these are: element, charge"):
        as_batch(["C"], vertex_attrs=["spin"])


@pytest.mark.parametrize(
    ("text", "reason"),
    [("C1CC", "it is not SMILES"), ("C(C)(C)(C)(C)C", "valence"), ("", "it is empty"), ("c1cccc1", "kekulize")],
)
def test_an_unreadable_smiles_is_named_with_its_index(text: str, reason: str) -> None:
    with pytest.raises(HodgeletInputError, match=f"molecule 1: cannot read '.*': .*{reason}"):
        as_batch(["CC", text])


def test_none_among_molecules_is_named() -> None:
    with pytest.raises(HodgeletInputError, match="molecule 1 is None"):
        as_batch([Chem.MolFromSmiles("C"), None])


def test_a_molecule_that_is_not_sanitized_is_named() -> None:
    with pytest.raises(HodgeletInputError, match="molecule 1 is not sanitized"):
        as_batch([Chem.MolFromSmiles("C"), Chem.MolFromSmiles("CC", sanitize=False)])


def test_bonds_have_no_direction() -> None:
    with pytest.raises(HodgeletInputError, match="bonds have no direction"):
        as_batch(["CC"], oriented=["order"], edge_attrs=["order"])
