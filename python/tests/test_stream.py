"""Streams of record batches: schema, columns that pass through, rows at fault, handles that travel."""

from __future__ import annotations

import csv
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hodgelet import HodgeletClassifier, HodgeletInputError, HodgeletRegressor, HodgeletTransformer, _stream, arrow

GROUPS = ["C", "CC", "OC", "F", "Cl", "Br", "N", "O", "N#C", "O=[N+]([O-])"]
ENDS = ["C(=O)O", "C(=O)N", "[C@H](N)C(=O)O", "/C=C/C(=O)O", "c2ccc3[nH]ccc3c2", "C1CCCCC1"]
SMILES = [f"{group}c1ccc({end})cc1" for end in ENDS for group in GROUPS]


@pytest.fixture(scope="module")
def classifier() -> HodgeletClassifier:
    return HodgeletClassifier(hyperparameters="map", max_iter=5).fit(SMILES, [i // 10 % 2 for i in range(60)])


def batches(*tables: dict[str, Any]) -> list[pa.RecordBatch]:
    return [pa.record_batch(table) for table in tables]


def test_a_stream_of_smiles_has_the_predictions_of_the_estimator_whatever_the_batches(
    classifier: HodgeletClassifier,
) -> None:
    job = arrow.Job("predict", classifier, threads=1)
    whole = pa.table({"name": [f"m{i}" for i in range(60)], "smiles": SMILES})
    expected = classifier.predict_proba(SMILES)
    for size in (1, 7, 60):
        out = pa.Table.from_batches(list(job.stream(whole.to_batches(max_chunksize=size))))
        assert out.schema.equals(job.schema(whole.schema)) and out.schema.names[:2] == ["name", "smiles"]
        assert np.array_equal(np.array(out["probabilities"].to_pylist()), expected)
        assert out["prediction"].to_pylist() == classifier.predict(SMILES).tolist()
        assert out["error"].null_count == 60 and out["name"].to_pylist() == whole["name"].to_pylist()
    assert (job.rows, job.errors) == (180, 0)


def test_rows_at_fault_have_a_message_and_no_result(classifier: HodgeletClassifier) -> None:
    given = ["CCO", None, "", "C(C)(C)(C)(C)C", "not smiles", "CCN"]
    job = arrow.Job("predict", classifier)
    (out,) = job.stream(batches({"id": list(range(6)), "smiles": given}))
    errors = out.column("error").to_pylist()
    assert [error is None for error in errors] == [True, False, False, False, False, True]
    assert errors[1] == errors[2] == "the SMILES is empty" and errors[3].startswith("not a molecule: ")
    for name in out.schema.names[2:-1]:
        assert [value is None for value in out.column(name).to_pylist()] == [False, True, True, True, True, False]
    good = classifier.predict_proba(["CCO", "CCN"])
    assert np.array_equal([p for p in out.column("probabilities").to_pylist() if p], good)
    assert (job.rows, job.errors) == (6, 4)


def complexes(n: int = 6) -> list[Any]:
    rings = [(np.array([np.arange(k), (np.arange(k) + 1) % k]), np.cos(np.arange(k))) for k in range(3, 3 + n)]
    return rings


def with_faults() -> pa.RecordBatch:
    """Six rings, of which the second has a NaN, the fourth a self-loop, and the sixth an edge to nowhere."""
    columns = pa.record_batch(arrow.to_arrow(complexes(), ids=[f"g{i}" for i in range(6)])).to_pydict()
    columns["vertex:x"][1][0] = float("nan")
    columns["edges"][3][0] = [2, 2]
    columns["edges"][5][0] = [0, 99]
    return pa.record_batch(columns)


@pytest.mark.parametrize("kind", ["measure", "features"])
def test_complexes_at_fault_are_answered_in_the_error_column(kind: Any) -> None:
    transformer = HodgeletTransformer(vertices="attributes").fit(complexes())
    job = arrow.Job(kind, transformer)
    (out,) = job.stream([with_faults()])
    assert out.column("id").to_pylist() == [f"g{i}" for i in range(6)]
    errors = out.column("error").to_pylist()
    assert [error is None for error in errors] == [True, False, True, False, True, False]
    assert "not finite" in errors[1] or "nan" in errors[1].lower()
    assert "joins vertices [0, 99]" in errors[5] and not any("graph 0" in error for error in errors if error)
    sound = pa.record_batch(arrow.to_arrow([complexes()[i] for i in (0, 2, 4)]))
    (expected,) = job.stream([sound])
    for name in expected.schema.names:
        if name != "error":
            assert [value for value in out.column(name).to_pylist() if value is not None] == expected.column(
                name
            ).to_pylist()
    assert job.errors == 3


def test_a_batch_of_faults_only_and_an_empty_one_keep_the_schema() -> None:
    job = arrow.Job("features", HodgeletTransformer(vertices="attributes").fit(complexes()))
    faulty = with_faults()
    given = [faulty.take(pa.array([1, 3])), faulty.slice(0, 0), faulty.slice(0, 1)]
    out = list(job.stream(given))
    assert [batch.num_rows for batch in out] == [2, 0, 1]
    assert all(batch.schema.equals(job.schema(faulty.schema)) for batch in out)
    assert out[0].column("features").null_count == 2 and out[2].column("error").null_count == 1


def test_functions_of_tables_take_iterators(classifier: HodgeletClassifier) -> None:
    table = pa.record_batch({"smiles": SMILES[:4]})
    (out,) = arrow.predict(classifier, iter([table]))
    assert np.array_equal(out.column("probabilities").to_pylist(), classifier.predict_proba(SMILES[:4]))
    (features,) = arrow.features(classifier, [table])
    assert np.array_equal(features.column("features").to_pylist(), classifier.transform(SMILES[:4]))
    first, second = arrow.measure(iter([table, table]), vertices="attributes")
    assert first.equals(second) and first.schema.names[0] == "smiles" and len(first.schema.names) > 3
    assert list(arrow.measure(iter([]))) == []


def test_a_handle_by_path_is_small_and_loaded_once(classifier: HodgeletClassifier, tmp_path: Path) -> None:
    path = tmp_path / "m.hodgelet"
    classifier.save(path)
    job = arrow.Job("predict", path, threads=1)
    pickled = pickle.dumps(job)
    assert len(pickled) < 1000
    _stream._LOADED.clear()
    again = [pickle.loads(pickled) for _ in range(3)]
    table = pa.table({"smiles": SMILES[:3]})
    out = [copy(table) for copy in again]
    assert len(_stream._LOADED) == 1 and out[0].equals(out[1])
    assert again[0].handle.get() is again[2].handle.get()
    expected = HodgeletClassifier.load(path).predict_proba(SMILES[:3])
    assert np.array_equal(out[0]["probabilities"].to_pylist(), expected)


def test_a_file_that_changed_is_noticed(classifier: HodgeletClassifier, tmp_path: Path) -> None:
    path = tmp_path / "m.hodgelet"
    classifier.save(path)
    job = arrow.Job("predict", path)
    path.write_bytes(path.read_bytes() + b" ")
    _stream._LOADED.clear()
    with pytest.raises(Exception, match="another file than when the job was made"):
        job(pa.table({"smiles": ["CCO"]}))


def test_threads_are_those_of_the_job_and_of_the_variable(classifier: HodgeletClassifier, tmp_path: Path) -> None:
    classifier.save(tmp_path / "m.hodgelet")
    program = (
        "import os, sys, pyarrow as pa\n"
        "from hodgelet import arrow\n"
        "threads = None if sys.argv[1] == '-' else int(sys.argv[1])\n"
        "arrow.Job('predict', 'm.hodgelet', threads=threads)(pa.table({'smiles': ['CCO'] * 9}))\n"
        "names = [open(f'/proc/self/task/{t}/comm').read() for t in os.listdir('/proc/self/task')]\n"
        "print(sum(name.startswith('hodgelet') for name in names))\n"
    )
    for given, variable in (("1", ""), ("3", ""), ("-", "2")):
        environment = {**os.environ, "HODGELET_THREADS": variable, "PYTHONPATH": os.pathsep.join(sys.path)}
        command = [sys.executable, "-c", program, given]
        run = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert run.stdout.strip() == (given if given != "-" else variable), run.stderr


def test_streams_have_the_bits_of_the_command(classifier: HodgeletClassifier, tmp_path: Path) -> None:
    given = [*SMILES[::7], "C(C)(C)(C)(C)C", "[Na+].[O-]C(=O)c1ccccc1"]
    classifier.save(tmp_path / "m.hodgelet")
    with (tmp_path / "new.csv").open("w", newline="") as file:
        csv.writer(file).writerows([["smiles"], *([text] for text in given)])
    command = [sys.executable, "-m", "hodgelet", "predict", "m.hodgelet", "new.csv", "--out", "p.csv", "--quiet"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    with (tmp_path / "p.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    out = arrow.Job("predict", tmp_path / "m.hodgelet")(pa.table({"smiles": given}))
    found = [None if p is None else p[1] for p in out["probabilities"].to_pylist()]
    assert found == [float(row["p(1)"]) if row["p(1)"] else None for row in rows]
    assert [error or "" for error in out["error"].to_pylist()] == [row["error"] for row in rows]


def test_what_is_wrong_with_a_job_or_a_table_is_said(classifier: HodgeletClassifier) -> None:
    with pytest.raises(HodgeletInputError, match="kind is 'guess'"):
        arrow.Job("guess", classifier)  # type: ignore[arg-type]
    with pytest.raises(HodgeletInputError, match="threads is 0"):
        arrow.Job("predict", classifier, threads=0)
    with pytest.raises(HodgeletInputError, match="neither `smiles` nor the columns `n_vertices` and `edges`"):
        arrow.Job("predict", classifier)(pa.table({"text": ["CCO"]}))
    with pytest.raises(HodgeletInputError, match="has the column `prediction`"):
        arrow.Job("predict", classifier)(pa.table({"smiles": ["CCO"], "prediction": [1]}))


def test_numbers_and_masses_pass_too() -> None:
    model = HodgeletRegressor(hyperparameters="map", max_iter=3, vertex_attrs=["element", "mass"])
    model.fit(SMILES, [float(len(s)) + 0.5 for s in SMILES])
    out = arrow.Job("predict", model)(pa.table({"smiles": [*SMILES[:3], "[13CH4]"]}))
    assert out["prediction"].to_pylist()[:3] == model.predict(SMILES[:3]).tolist()
    assert out["prediction"].to_pylist()[3] is None and "isotope" in out["error"].to_pylist()[3]
