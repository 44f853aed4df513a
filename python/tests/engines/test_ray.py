"""Ray: tables mapped by workers, and training on them, have the bits of one process, whichever worker dies."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
from conftest import SPARSE, bits, faults_are_named, molecules, rings_with_faults, write_table

from hodgelet import HodgeletClassifier, HodgeletInputError, HodgeletRegressor, HodgeletTransformer, arrow, distributed
from hodgelet._stream import molecules as read_molecules
from hodgelet.distributed import _fit

#: More than two leaves of 1,024 graphs.
N = 2500


@pytest.fixture(scope="module")
def smiles_and_labels() -> tuple[list[str], list[int]]:
    return molecules(N)


@pytest.fixture(scope="module")
def one_process(smiles_and_labels: tuple[list[str], list[int]]) -> HodgeletClassifier:
    """The model that one process trains."""
    smiles, labels = smiles_and_labels
    return HodgeletClassifier(**SPARSE).fit(read_molecules(smiles, learn=True)[0], labels)


def dataset(ray: Any, smiles: list[str | None], labels: list[Any], blocks: int = 5) -> Any:
    table = pa.table({"name": [f"m{i}" for i in range(len(smiles))], "smiles": smiles, "active": labels})
    return ray.data.from_arrow([table.slice(k * len(table) // blocks, len(table) // blocks) for k in range(blocks)])


def to_bytes(model: HodgeletClassifier) -> bytes:
    return model._native().to_bytes()


def test_predictions_of_workers_are_those_of_one_process(
    ray_of_two: Any, one_process: HodgeletClassifier, smiles_and_labels: tuple[list[str], list[int]], tmp_path: Path
) -> None:
    smiles = list(smiles_and_labels[0][:300])
    given: list[str | None] = [*smiles]
    given[17], given[170] = "C(C)(C)(C)(C)C", None
    one_process.save(tmp_path / "m.hodgelet")
    job = arrow.Job("predict", tmp_path / "m.hodgelet")
    names = [f"m{i}" for i in range(300)]
    table = pa.table({"name": names, "smiles": given})
    pa.parquet.write_table(table, tmp_path / "in.parquet", row_group_size=50)
    read = ray_of_two.data.read_parquet(str(tmp_path / "in.parquet"))
    distributed.map_ray(read, job, workers=2, batch_size=64).write_parquet(str(tmp_path / "out"))
    found = pa.parquet.read_table(tmp_path / "out").sort_by("name")
    expected = job(table).sort_by("name")
    assert found["name"].to_pylist() == sorted(names)
    assert found["probabilities"].to_pylist() == expected["probabilities"].to_pylist()
    assert found["error"].to_pylist() == expected["error"].to_pylist()
    assert 300 - found["error"].null_count == 2


def test_a_worker_that_dies_while_predicting_loses_no_row(
    ray_of_two: Any, one_process: HodgeletClassifier, smiles_and_labels: tuple[list[str], list[int]], tmp_path: Path
) -> None:
    marker = str(tmp_path / "died")

    class Dying(arrow.Job):
        """Ends its process once."""

        def __call__(self, table: Any) -> Any:
            try:
                os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                return super().__call__(table)
            os.kill(os.getpid(), signal.SIGKILL)
            raise AssertionError("a killed process goes on")

    table = pa.table({"name": list(range(200)), "smiles": list(smiles_and_labels[0][:200])})
    job = Dying("predict", one_process, threads=1)
    mapped = distributed.map_ray(ray_of_two.data.from_arrow(table), job, workers=2, batch_size=40)
    found = pa.concat_tables(ray_of_two.get(mapped.to_arrow_refs())).sort_by("name")
    assert os.path.exists(marker), "a worker was killed"
    expected = arrow.Job("predict", one_process)(table)
    assert found["probabilities"].to_pylist() == expected["probabilities"].to_pylist()


def test_training_has_the_bits_of_one_process_and_of_the_command(
    ray_of_two: Any, one_process: HodgeletClassifier, smiles_and_labels: tuple[list[str], list[int]], tmp_path: Path
) -> None:
    smiles, labels = smiles_and_labels
    seen: list[str] = []
    model = distributed.fit(
        dataset(ray_of_two, smiles, labels),
        HodgeletClassifier(**SPARSE),
        target="active",
        workers=2,
        callback=lambda phase, done, total, value: seen.append(phase),
    )
    assert bits(to_bytes(model)) == bits(to_bytes(one_process))
    done = model.distributed_
    assert (done.n_rows, done.n_graphs, done.faults, done.replaced) == (N, N, [], 0) and done.passes > 2
    assert len(done.workers) == 2 and sum(graphs for graphs, _ in done.workers) == N
    assert all(0 < peak < 2_000_000_000 for _, peak in done.workers) and "at most" in str(done)
    assert {"reading", "measuring"} <= set(seen)
    new = read_molecules(smiles[:9])[0]
    assert np.array_equal(model.predict_proba(new), one_process.predict_proba(new))

    write_table(tmp_path / "train.csv", smiles, labels)
    flags = ["--posterior", "sparse", "--inducing", "24", "--sample", "60", "--iterations", "3", "--seed", "3"]
    flags += ["--restarts", "1", "--hyperparameters", "map"]
    command = ["fit", "train.csv", "--target", "active", *flags, "--out", "m.hodgelet", "--quiet"]
    run = subprocess.run(
        [sys.executable, "-m", "hodgelet", *command], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    (_, of_command), tensors = bits((tmp_path / "m.hodgelet").read_bytes())
    (_, own), own_tensors = bits(to_bytes(model))
    of_command["summary"].pop("reading", None)
    assert tensors == own_tensors and of_command == own


def test_rows_at_fault_are_left_out_counted_and_named(
    ray_of_two: Any, one_process: HodgeletClassifier, smiles_and_labels: tuple[list[str], list[int]]
) -> None:
    smiles: list[str | None] = list(smiles_and_labels[0])
    labels: list[int | None] = list(smiles_and_labels[1])
    for row, text, label in [(3, "C(C)(C)(C)(C)C", 1), (1100, None, 0), (1900, "CCO", None)]:
        smiles.insert(row, text)
        labels.insert(row, label)
    model = distributed.fit(
        dataset(ray_of_two, smiles, labels, blocks=1), HodgeletClassifier(**SPARSE), target="active", id="name"
    )
    faults = model.distributed_.faults
    assert [(row, name) for row, name, _ in faults] == [(3, "m3"), (1100, "m1100"), (1900, "m1900")]
    assert faults[0][2].startswith("not a molecule") and faults[2][2] == "no value of `active`"
    assert bits(to_bytes(model)) == bits(to_bytes(one_process))


def test_targets_and_weights_that_cannot_be_learned_from_are_faults_too(ray_of_two: Any) -> None:
    smiles = molecules(60)[0]
    values = [float(len(text)) for text in smiles]
    weights = [1.0] * 60
    values[7], values[9], weights[11], weights[13], weights[15] = float("inf"), float("nan"), -1.0, 1e9, 0.0
    frame = pd.DataFrame({"name": [f"m{i}" for i in range(60)], "smiles": smiles, "y": values, "w": weights})
    settings = HodgeletRegressor(**{**SPARSE, "inducing": 8, "sample": 20})
    data = ray_of_two.data.from_pandas(frame)
    model = distributed.fit(data, settings, target="y", id="name", sample_weight="w")
    assert [(row, name, fault) for row, name, fault in model.distributed_.faults] == [
        (7, "m7", "`y` is inf, expected a finite number"),
        (9, "m9", "no value of `y`"),
        (11, "m11", "`w` is -1.0, expected 0, or 1e-6 to 1e6"),
        (13, "m13", "`w` is 1000000000.0, expected 0, or 1e-6 to 1e6"),
    ]
    assert (model.distributed_.n_rows, model.distributed_.n_graphs) == (60, 55)  # what counts nothing is not there


def test_complexes_at_fault_are_answered_in_the_error_column(ray_of_two: Any, tmp_path: Path) -> None:
    table, said = rings_with_faults()
    sound = table.filter(pa.array([name not in said for name in table["id"].to_pylist()]))
    job = arrow.Job("features", HodgeletTransformer(vertices="attributes").fit(arrow.from_arrow(sound)))
    faults_are_named(job(table), said)
    data = ray_of_two.data.from_arrow([table.slice(0, 5), table.slice(5)])
    distributed.map_ray(data, job, workers=2, batch_size=4).write_parquet(str(tmp_path / "out"))
    found = pa.parquet.read_table(tmp_path / "out")
    faults_are_named(found, said)
    good = found.filter(found["error"].is_null()).sort_by("id")
    assert good["features"].to_pylist() == job(sound).sort_by("id")["features"].to_pylist()

    labels = [i % 2 for i in range(len(table))]
    given = table.append_column("active", pa.array(labels))
    model = distributed.fit(
        ray_of_two.data.from_arrow(given), HodgeletClassifier(**SPARSE), target="active", smiles=None, id="id"
    )
    assert [name for _, name, _ in model.distributed_.faults] == list(said)


def test_a_worker_that_dies_while_training_changes_nothing(
    ray_of_two: Any,
    one_process: HodgeletClassifier,
    smiles_and_labels: tuple[list[str], list[int]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    killed = []
    ask = _fit._Crew.ask

    def and_kill(crew: Any, question: bytes) -> list[bytes]:
        if crew.training.passes == 2 and not killed:
            pid = ray_of_two.get(crew.actors[1].__ray_call__.remote(lambda actor: os.getpid()))
            os.kill(pid, signal.SIGKILL)
            killed.append(pid)
        return ask(crew, question)

    monkeypatch.setattr(_fit._Crew, "ask", and_kill)
    model = distributed.fit(
        dataset(ray_of_two, *smiles_and_labels), HodgeletClassifier(**SPARSE), target="active", workers=2
    )
    assert killed and model.distributed_.replaced == 1
    assert bits(to_bytes(model)) == bits(to_bytes(one_process))


def test_numbers_weights_and_training_on_all_have_the_same_bits(
    ray_of_two: Any, smiles_and_labels: tuple[list[str], list[int]]
) -> None:
    smiles = smiles_and_labels[0]
    values = [len(text) + 0.25 * text.count("C") for text in smiles]
    weights = [1.0 + (i % 3) for i in range(N)]
    settings = {**SPARSE, "inducing": 8, "train_on_all": True}
    table = pa.table({"smiles": smiles, "y": values, "weight": weights})
    data = ray_of_two.data.from_arrow([table.slice(0, 999), table.slice(999)])
    model = distributed.fit(data, HodgeletRegressor(**settings), target="y", sample_weight="weight")
    graphs = read_molecules(smiles, learn=True)[0]
    expected = HodgeletRegressor(**settings).fit(graphs, values, sample_weight=weights)
    assert bits(to_bytes(model)) == bits(to_bytes(expected))


def test_complexes_by_their_columns_are_trained_on_too(ray_of_two: Any) -> None:
    rng = np.random.default_rng(5)
    graphs, labels = [], []
    for i in range(1100):
        n = 4 + i % 5
        ring = np.array([np.arange(n), (np.arange(n) + 1) % n])
        graphs.append((ring, rng.normal(size=n) + (i % 2)))
        labels.append(i % 2)
    table = pa.table(arrow.to_arrow(graphs)).append_column("active", pa.array(labels))
    data = ray_of_two.data.from_arrow([table.slice(0, 700), table.slice(700)])
    settings = {**SPARSE, "class_weight": "balanced"}
    model = distributed.fit(data, HodgeletClassifier(**settings), target="active", smiles=None)
    expected = HodgeletClassifier(**settings).fit(arrow.from_arrow(table.drop(["active"])), labels)
    assert bits(to_bytes(model)) == bits(to_bytes(expected))


def test_what_is_wrong_is_said(ray_of_two: Any) -> None:
    data = dataset(ray_of_two, ["not smiles"] * 10, [0, 1] * 5)
    with pytest.raises(HodgeletInputError, match="no row can be learned from; the first: not SMILES"):
        distributed.fit(data, HodgeletClassifier(), target="active")
    with pytest.raises(HodgeletInputError, match="auto is not for many machines"):
        distributed.fit(data, HodgeletClassifier(auto=True), target="active")
    for named in (
        {"target": "activity"},
        {"target": "active", "sample_weight": "w"},
        {"target": "active", "id": "key"},
    ):
        missing = [*named.values()][-1]
        with pytest.raises(HodgeletInputError, match=f"the dataset has no column `{missing}`; it has .*active"):
            distributed.fit(data, HodgeletClassifier(), **named)
