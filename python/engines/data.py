"""A small table of molecules and a model, for the programs beside this file."""

from __future__ import annotations

from pathlib import Path

import pyarrow
import pyarrow.parquet

from hodgelet import HodgeletClassifier
from hodgelet._stream import molecules

GROUPS = ["C", "CC", "OC", "F", "Cl", "Br", "N", "O", "N#C", "O=[N+]([O-])"]
ENDS = ["C(=O)O", "C(=O)N", "C=O", "CO", "CS", "CN", "C1CCCCC1", "C(C)C"]
SMILES = [f"{group}c1ccc({end})cc1" for end in ENDS for group in GROUPS]


def write(folder: Path, copies: int = 1) -> tuple[Path, Path]:
    """Writes `molecules.parquet`, in which one row is no molecule, and `model.hodgelet`."""
    smiles = SMILES * copies
    labels = [int("N" in text) for text in smiles]
    graphs, _, _ = molecules(SMILES, learn=True)
    model = HodgeletClassifier(hyperparameters="map", max_iter=5).fit(graphs, labels[: len(SMILES)])
    model.save(folder / "model.hodgelet")
    rows = {"name": [f"m{i}" for i in range(len(smiles) + 1)], "smiles": [*smiles, "C(C)(C)(C)(C)C"]}
    table = pyarrow.table({**rows, "active": [*labels, 0]})
    pyarrow.parquet.write_table(table, folder / "molecules.parquet", row_group_size=64)
    return folder / "molecules.parquet", folder / "model.hodgelet"
