"""The border between Python and native code: threads, the lock, interrupts, imports."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import hodgelet
from hodgelet import HodgeletClassifier, HodgeletInputError, HodgeletTransformer, datasets


def test_the_number_of_threads_does_not_change_a_bit(blocks: datasets.Dataset, codes: np.ndarray) -> None:
    one, two, all_but_one = (HodgeletClassifier(max_iter=8, n_jobs=n).fit(blocks.graphs, codes) for n in (1, 2, -2))
    expected = one.predict_full(blocks.graphs)
    for other in (two, all_but_one):
        found = other.predict_full(blocks.graphs)
        assert_array_equal(found.probabilities, expected.probabilities)
        assert_array_equal(found.attributions, expected.attributions)
    assert_array_equal(
        HodgeletTransformer(n_jobs=1).fit_transform(blocks.graphs),
        HodgeletTransformer(n_jobs=2).fit_transform(blocks.graphs),
    )


def test_threads_of_python_may_train_at_once(blocks: datasets.Dataset, codes: np.ndarray) -> None:
    expected = HodgeletClassifier(max_iter=5).fit(blocks.graphs, codes).predict_proba(blocks.graphs)
    found: list[Any] = [None, None, None]

    def train(i: int) -> None:
        found[i] = (
            HodgeletClassifier(max_iter=5, n_jobs=1 + i % 2).fit(blocks.graphs, codes).predict_proba(blocks.graphs)
        )

    threads = [threading.Thread(target=train, args=(i,)) for i in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for probabilities in found:
        assert_array_equal(probabilities, expected)


def test_the_interpreter_is_free_while_a_model_trains() -> None:
    data = datasets.load("sbm", n_graphs=120)
    ticks, stop = [0], threading.Event()

    def tick() -> None:
        while not stop.wait(0.005):
            ticks[0] += 1

    ticking = threading.Thread(target=tick)
    ticking.start()
    before = ticks[0]
    HodgeletClassifier(max_iter=30, restarts=3, n_jobs=1).fit(data.graphs, data.target)
    during = ticks[0] - before
    stop.set()
    ticking.join()
    # With the lock held the other thread could not tick but at the edges.
    assert during >= 5


def test_work_goes_on_after_a_fork(blocks: datasets.Dataset, codes: np.ndarray) -> None:
    if not hasattr(os, "fork"):
        pytest.skip("no fork here")
    program = """
    import os, sys
    from hodgelet import HodgeletTransformer, datasets
    graphs = datasets.load("sbm", n_graphs=30).graphs
    before = HodgeletTransformer().fit_transform(graphs)
    child = os.fork()
    if child == 0:
        same = (HodgeletTransformer().fit_transform(graphs) == before).all()
        os._exit(0 if same else 3)
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    """
    assert python(program).wait(timeout=60) == 0


def python(program: str) -> subprocess.Popen[str]:
    """Another interpreter that runs ``program``."""
    return subprocess.Popen(
        [sys.executable, "-u", "-W", "ignore", "-c", textwrap.dedent(program)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
def test_an_interrupt_ends_training_and_leaves_the_estimator_usable() -> None:
    process = python(
        """
        import signal
        signal.signal(signal.SIGINT, signal.default_int_handler)  # also where a shell has it ignored
        from hodgelet import HodgeletClassifier, datasets
        data = datasets.load("sbm", n_graphs=60)
        model = HodgeletClassifier(max_iter=100000, tol=0.0, restarts=100000, n_jobs=1)
        print("begin", flush=True)
        try:
            model.fit(data.graphs, data.target)
        except KeyboardInterrupt:
            print("interrupted", hasattr(model, "classes_"), flush=True)
        model.set_params(max_iter=1, restarts=1).fit(data.graphs, data.target)
        print("done", model.n_graphs_in_, flush=True)
        """
    )
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "begin"
    time.sleep(1.0)
    assert process.poll() is None, "training must still run"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert out.splitlines() == ["interrupted False", "done 60"], err
    assert process.returncode == 0


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
def test_an_interrupt_ends_the_command(tmp_path: Path) -> None:
    endless = ["--iterations", "1000000", "--restarts", "1000000", "--out", str(tmp_path / "model")]
    line = [sys.executable, "-m", "hodgelet", "fit", "sbm", *endless]
    process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(2.0)
    assert process.poll() is None, "training must still run"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert err == "error: interrupted\n"
    assert list(tmp_path.iterdir()) == []


def test_progress_is_reported_and_its_exceptions_come_through(blocks: datasets.Dataset, codes: np.ndarray) -> None:
    from hodgelet import _native

    heard: list[tuple[Any, ...]] = []
    settings = '{"max_iter": 100000, "tol": 0.0, "restarts": 100000}'
    names, labels = ["a", "b"], codes.astype(np.uint32)

    def listen(*report: Any) -> None:
        heard.append(report)
        if len(heard) == 3:
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        _native.Model.fit(blocks.graphs, settings, classes=names, labels=labels, callback=listen)
    assert len(heard) == 3
    assert {report[0] for report in heard} <= {"measuring", "training"}
    phase, done, total, value = heard[-1]
    assert phase == "training"
    assert 0 <= done <= total
    assert np.isfinite(value)


@pytest.mark.parametrize("hidden", [False, True])
def test_verbose_shows_progress_on_standard_error(hidden: bool) -> None:
    process = python(
        f"""
        import sys
        if {hidden}:
            sys.modules["tqdm"] = sys.modules["tqdm.auto"] = None
        from hodgelet import HodgeletClassifier, datasets
        data = datasets.load("sbm", n_graphs=100)
        HodgeletClassifier(max_iter=40, restarts=4, verbose=1, n_jobs=1).fit(data.graphs, data.target)
        """
    )
    out, err = process.communicate(timeout=120)
    assert (process.returncode, out) == (0, ""), err
    assert "training" in err


def test_importing_is_light() -> None:
    heavy = ["sklearn", "scipy", "pandas", "matplotlib", "networkx", "tqdm", "torch", "joblib", "rdkit", "pyarrow"]
    program = f"""
    import sys, hodgelet
    print([name for name in {heavy} if name in sys.modules])
    """
    out, err = python(program).communicate(timeout=60)
    assert out.strip() == "[]", err


def test_a_batch_that_lies_is_refused_by_native_code_too(blocks: datasets.Dataset) -> None:
    from hodgelet import GraphBatch, _native

    def broken(**changes: Any) -> GraphBatch:
        batch = GraphBatch(np.array([2]), np.array([0, 1]), np.array([[0, 1]]))
        for name, value in changes.items():
            setattr(batch, name, value)
        return batch

    for changes, found in [
        ({"edges": np.array([[0, 7]])}, "graph 0: edge 0 joins vertices"),
        ({"edges": np.array([[0, -1]])}, "graph 0: edge 0 joins vertices"),
        ({"edge_offsets": np.array([0, 3])}, "offsets of edges"),
        ({"edge_offsets": np.array([0])}, "offsets of edges"),
        ({"vertices": np.array([-1])}, "graph 0: -1 vertices"),
        ({"vertices": np.array([2.0])}, "float64"),
        ({"edges": np.array([[0, 1, 1]])}, "edges have 3 vertices"),
        ({"edges": np.zeros((1, 4), dtype=np.int64)[:, ::2]}, "contiguous"),
    ]:
        with pytest.raises(HodgeletInputError, match=found):
            _native.betti_numbers(broken(**changes), 2)


def test_exceptions_have_one_base() -> None:
    kinds = [hodgelet.HodgeletInputError, hodgelet.HodgeletFileError, hodgelet.NotFittedError]
    assert all(issubclass(kind, hodgelet.HodgeletError) for kind in kinds)
    assert issubclass(hodgelet.HodgeletInputError, ValueError)
    assert issubclass(hodgelet.HodgeletFileError, OSError)
    assert issubclass(hodgelet.NotFittedError, (ValueError, AttributeError))
