"""Models saved in Python predict tables of molecules in the command, with the same bits."""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from hodgelet import HodgeletClassifier, HodgeletRegressor

GROUPS = ["C", "CC", "OC", "F", "Cl", "Br", "N", "O", "N#C", "O=[N+]([O-])"]
ENDS = ["C(=O)O", "C(=O)N", "[C@H](N)C(=O)O", "/C=C/C(=O)O", "c1ccc2[nH]ccc2c1", "C1CCCCC1"]
SMILES = [f"{group}c1ccc({end})cc1" for end in ENDS for group in GROUPS]
NEW = ["CCO", "C[C@@H](N)C(=O)O", "Oc1ccccc1/C=C\\C", "[Na+].[O-]C(=O)c1ccccc1", "O=S(=O)(N)c1ccc(Cl)cc1"]


def predicted(folder: Path, model: HodgeletClassifier | HodgeletRegressor, smiles: list[str]) -> list[dict[str, str]]:
    model.save(folder / "m.hodgelet")
    with (folder / "new.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["name", "smiles"], *([str(i), s] for i, s in enumerate(smiles))])
    command = [sys.executable, "-m", "hodgelet", "predict", "m.hodgelet", "new.csv", "--out", "p.csv", "--quiet"]
    run = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    with (folder / "p.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def test_classes_have_the_same_bits(tmp_path: Path) -> None:
    model = HodgeletClassifier(hyperparameters="map").fit(SMILES, [i // 10 % 2 for i in range(60)])
    rows = predicted(tmp_path, model, NEW)
    found = np.array([[float(row["p(0)"]), float(row["p(1)"])] for row in rows])
    assert np.array_equal(found, model.predict_proba(NEW))
    assert [row["predicted"] for row in rows] == [str(label) for label in model.predict(NEW)]


def test_numbers_have_the_same_bits_with_every_attribute(tmp_path: Path) -> None:
    model = HodgeletRegressor(
        hyperparameters="map",
        vertex_attrs=["element", "hybridization", "mass", "degree", "chirality"],
        edge_attrs=["order", "stereo"],
    )
    model.fit(SMILES, [float(len(s)) + 0.5 for s in SMILES])
    rows = predicted(tmp_path, model, NEW)
    assert np.array_equal([float(row["predicted"]) for row in rows], model.predict(NEW))


def test_a_row_that_is_no_molecule_does_not_end_the_batch(tmp_path: Path) -> None:
    model = HodgeletClassifier(hyperparameters="map").fit(SMILES, [i // 10 % 2 for i in range(60)])
    rows = predicted(tmp_path, model, ["CCO", "C(C)(C)(C)(C)C", "CCN"])
    assert [bool(row["predicted"]) for row in rows] == [True, False, True]
    assert rows[1]["error"].startswith("not a molecule: ") and rows[0]["error"] == ""


def test_a_parquet_table_is_the_same_as_its_text(tmp_path: Path) -> None:
    model = HodgeletClassifier(hyperparameters="map").fit(SMILES, [i // 10 % 2 for i in range(60)])
    expected = predicted(tmp_path, model, NEW)
    table = pa.table({"name": [0, 1, 2, 3, None], "smiles": NEW, "value": [0.5, 1.0, None, 2.0, 3.0]})
    parquet.write_table(table, tmp_path / "new.parquet")  # compressed by snappy, as by default
    command = [sys.executable, "-m", "hodgelet", "predict", "m.hodgelet", "new.parquet", "--out", "q.csv", "--quiet"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    with (tmp_path / "q.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["p(1)"] for row in rows] == [row["p(1)"] for row in expected]
    assert [row["name"] for row in rows] == ["0", "1", "2", "3", ""]
