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

import pytest

#: Settings of a sparse posterior that is found in a few seconds.
SPARSE = {"posterior": "sparse", "inducing": 24, "sample": 60, "max_iter": 3, "restarts": 1, "random_state": 3}


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
