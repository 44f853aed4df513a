"""Trainings on Ray that are stopped, killed or find damaged files go on, and end with the bits of one process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from conftest import SPARSE, bits, molecules

from hodgelet import HodgeletClassifier, HodgeletError, HodgeletInputError, distributed
from hodgelet._stream import molecules as read_molecules
from hodgelet.distributed import _fit

#: More than two leaves of 1,024 graphs.
N = 2500


def dataset(ray: Any, blocks: int = 5) -> Any:
    smiles, labels = molecules(N)
    table = pa.table({"smiles": smiles, "active": labels})
    return ray.data.from_arrow([table.slice(k * N // blocks, N // blocks) for k in range(blocks)])


@pytest.fixture(scope="module")
def one_process() -> Any:
    """The bits of the model that one process trains."""
    smiles, labels = molecules(N)
    return bits(HodgeletClassifier(**SPARSE).fit(read_molecules(smiles, learn=True)[0], labels)._native().to_bytes())


def fit(data: Any, checkpoint: Path | None, **more: Any) -> tuple[Any, Any]:
    """What a training did, and the bits of its model."""
    model = distributed.fit(data, HodgeletClassifier(**SPARSE), target="active", checkpoint=checkpoint, **more)
    return model.distributed_, bits(model._native().to_bytes())


def slowly(patch: pytest.MonkeyPatch, then: Any = None) -> None:
    """Pauses after each pass, so that callbacks and signals come in between."""
    ask = _fit._Crew.ask

    def slow(crew: Any, question: bytes) -> list[bytes]:
        found = ask(crew, question)
        if then is not None:
            then(crew)
        time.sleep(0.3)
        return found

    patch.setattr(_fit._Crew, "ask", slow)


def test_a_run_that_was_stopped_goes_on_whatever_the_blocks_and_workers(
    ray_of_two: Any, one_process: Any, tmp_path: Path
) -> None:
    class Stop(Exception):
        pass

    def stop(phase: str, done: int, total: int, value: float | None) -> None:
        if phase == "passing" and done >= 2:
            raise Stop

    with pytest.MonkeyPatch.context() as patch:
        slowly(patch)
        with pytest.raises(Stop):
            fit(dataset(ray_of_two), tmp_path, callback=stop)
    assert len(list(tmp_path.rglob("*.parquet"))) == 3 and list(tmp_path.rglob("*.state"))
    done, model = fit(dataset(ray_of_two), tmp_path)
    assert done.recalled >= 3 and done.passes > 0 and model == one_process
    for blocks, workers in ((5, 2), (2, 1), (4, 3)):
        done, model = fit(dataset(ray_of_two, blocks), tmp_path, workers=workers)
        assert done.passes == 0 and model == one_process
    assert len(list(tmp_path.rglob("*.parquet"))) == 3, "no leaf was measured again"


def test_ctrl_c_ends_a_run_that_goes_on_later(ray_of_two: Any, one_process: Any, tmp_path: Path) -> None:
    def interrupt(crew: Any) -> None:
        if crew.training.passes == 2:
            os.kill(os.getpid(), signal.SIGINT)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # shells start jobs with it ignored
    try:
        with pytest.MonkeyPatch.context() as patch:
            slowly(patch, interrupt)
            with pytest.raises(KeyboardInterrupt):
                fit(dataset(ray_of_two), tmp_path)
    finally:
        signal.signal(signal.SIGINT, before)
    done, model = fit(dataset(ray_of_two), tmp_path)
    assert done.recalled >= 2 and done.passes > 0 and model == one_process


def test_a_driver_that_is_killed_loses_nothing_that_was_done(ray_of_two: Any, one_process: Any, tmp_path: Path) -> None:
    program = tmp_path / "driver.py"
    program.write_text(
        "import sys, ray, pathlib, pytest\n"
        f"sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "import test_checkpoints as own\n"
        f"ray.init(address={ray_of_two.get_runtime_context().gcs_address!r}, log_to_driver=False)\n"
        "import ray.data\n"
        "own.slowly(pytest.MonkeyPatch())\n"
        f"own.fit(own.dataset(ray), pathlib.Path({str(tmp_path / 'kept')!r}))\n"
    )
    with subprocess.Popen([sys.executable, program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as driver:
        until = time.monotonic() + 120
        while len(list((tmp_path / "kept").rglob("*.state"))) < 3 and driver.poll() is None:
            assert time.monotonic() < until, "no pass in two minutes"
            time.sleep(0.05)
        driver.kill()
        assert driver.stdout is not None
        said = driver.stdout.read().decode()
    assert driver.returncode == -signal.SIGKILL, said
    done, model = fit(dataset(ray_of_two), tmp_path / "kept")
    assert done.recalled >= 3 and done.passes > 0 and model == one_process


def test_files_that_are_damaged_are_made_again(ray_of_two: Any, one_process: Any, tmp_path: Path) -> None:
    data = dataset(ray_of_two)
    first, model = fit(data, tmp_path)
    assert model == one_process
    leaves, states = sorted(tmp_path.rglob("*.parquet")), sorted(tmp_path.rglob("*.state"))
    for damaged in (leaves[1], states[0], states[-1]):
        content = bytearray(damaged.read_bytes())
        content[len(content) // 2] ^= 1
        damaged.write_bytes(content)
    leaves[2].write_bytes(leaves[2].read_bytes()[:100])
    states[1].write_bytes(b"")
    again, model = fit(data, tmp_path)
    assert model == one_process and 1 <= again.passes <= 3
    assert first.passes + first.recalled == again.passes + again.recalled


def test_other_settings_and_targets_have_files_of_their_own(ray_of_two: Any, tmp_path: Path) -> None:
    data = dataset(ray_of_two)
    fit(data, tmp_path)
    turned = data.map_batches(
        lambda table: table.set_column(1, "active", pc.subtract(1, table["active"])), batch_format="pyarrow"
    )
    assert fit(turned, tmp_path)[0].recalled == 0
    assert len(list(tmp_path.rglob("*.parquet"))) == 3, "measures do not depend on targets"
    model = distributed.fit(
        data, HodgeletClassifier(**{**SPARSE, "inducing": 20}), target="active", checkpoint=tmp_path
    )
    assert model.distributed_.recalled == 0
    with pytest.raises(HodgeletInputError, match="a checkpoint needs the same seed"):
        distributed.fit(data, HodgeletClassifier(random_state=None), target="active", checkpoint=tmp_path)


def test_a_worker_that_dies_for_good_ends_the_training(ray_of_two: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    class Dying(_fit._Actor):
        """Ends its process whenever it is asked."""

        def answer(self, name: str, view: bytes, question: bytes) -> bytes:
            os._exit(1)

    monkeypatch.setattr(_fit, "_Actor", Dying)
    monkeypatch.setattr(_fit, "RESTARTS", 1)
    with pytest.raises(HodgeletError, match="a worker died more than 1 times"):
        fit(dataset(ray_of_two), None)
