"""Ray on two processors of this machine, molecules to learn from, and models compared to the bit."""

from __future__ import annotations

import csv
import json
import os
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hodgelet import arrow

#: Settings of a sparse posterior that is found in a few seconds.
SPARSE = {
    "posterior": "sparse",
    "inducing": 24,
    "sample": 60,
    "max_iter": 3,
    "restarts": 1,
    "random_state": 3,
    "hyperparameters": "map",
}


def molecules(n: int) -> tuple[list[str], list[int]]:
    """Small molecules, some of them more than once, and whether they have nitrogen."""
    chains = ["".join(atoms) for length in (2, 3, 4, 5) for atoms in product("CNO", repeat=length)]
    every = [chain + end for end in ("", "=O", "#N", "C1CC1", "F") for chain in chains if chain[-1] == "C"]
    smiles = [every[(7 * i) % len(every)] for i in range(n)]
    return smiles, [int("N" in text) for text in smiles]


def bits(model: bytes) -> tuple[Any, bytes]:
    """What a model file says, without the time that training took, and its tensors."""
    length = int.from_bytes(model[:8], "little")
    header = json.loads(model[8 : 8 + length])
    described = json.loads(header["__metadata__"].pop("model"))
    header["__metadata__"].pop("sha256")
    assert described["summary"].pop("seconds") >= 0.0
    return (header, described), model[8 + length :]


def rings_with_faults(n: int = 12) -> tuple[pa.Table, dict[str, str]]:
    """Rings with a number at each vertex; a NaN, a self-loop and an edge to nowhere among them, with what is said."""
    rings = [(np.array([np.arange(k), (np.arange(k) + 1) % k]), np.cos(np.arange(k))) for k in range(3, 3 + n)]
    columns = pa.record_batch(arrow.to_arrow(rings, ids=[f"g{i}" for i in range(n)])).to_pydict()
    columns["vertex:x"][1][0] = float("nan")
    columns["edges"][4][0] = [2, 2]
    columns["edges"][n - 1][0] = [0, 99]
    said = {"g1": "nan", "g4": "joins vertex 2 to itself", f"g{n - 1}": "joins vertices [0, 99]"}
    return pa.table(columns), said


def faults_are_named(found: pa.Table, said: dict[str, str], column: str = "error") -> None:
    """Rows at fault have their id, a message and no result; all others have a result."""
    faults = {row["id"]: row for row in found.to_pylist() if row[column] is not None}
    assert faults.keys() == said.keys() and found.num_rows - found[column].null_count == len(said)
    for name, row in faults.items():
        assert said[name] in row[column].lower(), row[column]
        assert all(value is None for key, value in row.items() if key not in ("id", column))
    others = [row for row in found.to_pylist() if row[column] is None]
    assert all(value is not None for row in others for key, value in row.items() if key != column)


def write_table(path: Path, smiles: list[str], labels: list[int]) -> None:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([["smiles", "active"], *zip(smiles, labels, strict=True)])


@pytest.fixture(scope="session")
def ray_of_two() -> Iterator[Any]:
    ray = pytest.importorskip("ray")
    package = str(Path(__file__).parents[2])
    os.environ["PYTHONPATH"] = os.pathsep.join([package, os.environ.get("PYTHONPATH", "")])
    os.environ.setdefault("RAY_worker_niceness", "0")  # on a machine with other work, 15 would be never
    # Two workers with a thread each, and room for the tasks that read and write.
    ray.init(
        num_cpus=4,
        include_dashboard=False,
        log_to_driver=False,
        object_store_memory=200_000_000,
        _node_ip_address="127.0.0.1",
    )
    import ray.data

    ray.data.DataContext.get_current().enable_progress_bars = False
    yield ray
    ray.shutdown()


sys.path.insert(0, str(Path(__file__).parent))
