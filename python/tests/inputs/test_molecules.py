"""SMILES strings and RDKit molecules."""

from __future__ import annotations

import numpy as np
import pytest
from rdkit import Chem

from hodgelet import HodgeletClassifier, HodgeletInputError, as_batch
from hodgelet._inputs import _rdkit

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
    batch = as_batch(["C=C"], vertex_attrs=["hybridization", "mass", "degree"], edge_attrs=["order"])
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


STEREO = [
    "C[C@H](N)C(=O)O",
    "C[C@@H](N)C(=O)O",
    "C[C@H]1CC[C@@H](C)CC1",
    "OC[C@H]1O[C@@H](O)[C@H](O)[C@@H](O)[C@@H]1O",
    "C[S@](=O)c1ccccc1",
    "C/C=C/C=C\\C",
    "C[C@H](O)[C@H](Cl)[C@@H](O)C",
    "F/C(Cl)=C(\\Br)[C@H](F)Cl",
]


def test_stereo_labels_are_those_of_cahn_ingold_and_prelog() -> None:
    batch = as_batch(["C[C@H](N)C(=O)O", "C[C@@H](N)C(=O)O", "F/C=C/F", "F/C=C\\F", "CCO"])
    chirality, stereo = (next(c for c in batch.columns if c.name == name) for name in ("chirality", "stereo"))
    assert chirality.channels == ["R", "S"] and stereo.channels == ["E", "Z"]
    assert np.flatnonzero(chirality.values[:, 0]).tolist() == [7]  # D-alanine
    assert np.flatnonzero(chirality.values[:, 1]).tolist() == [1]  # L-alanine
    assert stereo.values.sum(axis=0).tolist() == [1.0, 1.0]


@pytest.mark.parametrize("smiles", STEREO)
def test_renumbering_atoms_keeps_every_stereo_label(smiles: str) -> None:
    molecule = Chem.MolFromSmiles(smiles)
    batch = as_batch([molecule])
    columns = {c.name: c.values for c in batch.columns if c.name in ("chirality", "stereo")}
    assert columns["chirality"].sum() + columns["stereo"].sum() > 0
    chance = np.random.default_rng(0)
    for _ in range(20):
        order = chance.permutation(molecule.GetNumAtoms()).tolist()
        other = as_batch([Chem.RenumberAtoms(molecule, order)])
        found = {c.name: c.values for c in other.columns if c.name in columns}
        assert np.array_equal(found["chirality"], columns["chirality"][order])
        bonds = {frozenset(e): v.tolist() for e, v in zip(batch.edges.tolist(), columns["stereo"], strict=True)}
        for (a, b), value in zip(other.edges.tolist(), found["stereo"], strict=True):
            assert value.tolist() == bonds[frozenset((order[a], order[b]))]


def test_predictions_depend_neither_on_the_order_of_atoms_nor_of_stereoisomers_alone() -> None:
    other = ["CCO", "CC(N)=O", "CCCl", "CC(C)O"]
    model = HodgeletClassifier(hyperparameters="map").fit(STEREO + other, ["a", "b"] * 6)
    chance = np.random.default_rng(1)
    molecules = [Chem.MolFromSmiles(s) for s in STEREO]
    shuffled = [Chem.RenumberAtoms(m, chance.permutation(m.GetNumAtoms()).tolist()) for m in molecules]
    found, again = model.predict_proba(molecules), model.predict_proba(shuffled)
    assert np.abs(found - again).max() < 1e-9
    assert abs(found[0, 0] - found[1, 0]) > 1e-6  # enantiomers


def test_molecules_without_stereo_give_the_model_that_they_gave_without_its_channels() -> None:
    smiles = ["CCO", "CC(N)=O", "CCCl", "CC(C)O", "c1ccccc1", "CC#N"]
    plain = {"vertex_attrs": ["element", "charge", "hydrogens", "aromatic", "ring"]}
    plain["edge_attrs"] = ["bond", "conjugated", "ring"]
    models = [HodgeletClassifier(hyperparameters="map", **attrs).fit(smiles, ["a", "b"] * 3) for attrs in ({}, plain)]
    found, expected = (model.predict_proba(["CCN", "CC(=O)C"]) for model in models)
    assert np.array_equal(found, expected)
    # A model without stereo predicts molecules that have some.
    assert np.array_equal(models[0].predict_proba(STEREO), models[1].predict_proba(STEREO))


def test_labels_that_take_too_long_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_rdkit, "LABEL_STEPS", 1)
    with pytest.raises(HodgeletInputError, match="molecule 1: RDKit could not find its stereo labels"):
        as_batch(["CC", "C[C@H](N)C(=O)O"])
