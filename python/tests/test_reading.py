"""What directions and weights become is kept in the file of a model, whichever side has trained it."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hodgelet import HodgeletClassifier, fit_several, load_several

networkx = pytest.importorskip("networkx")

QUICK: dict[str, Any] = {"hyperparameters": "map", "max_iter": 5}


def digraph(i: int) -> Any:
    """A triangle whose flow goes around, or from one vertex to the others."""
    arcs = [("x", "y"), ("y", "z"), ("z", "x")] if i % 2 == 0 else [("x", "y"), ("x", "z"), ("y", "z")]
    graph = networkx.DiGraph()
    graph.add_weighted_edges_from((u, v, 1.0 + i % 5) for u, v in arcs)
    return graph


TRAINED = [digraph(i) for i in range(16)]
KIND = ["round", "down"] * 8


def quiet(model: Any, graphs: list[Any], targets: list[str]) -> Any:
    """Fits a model that is not expected to converge."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(graphs, targets)


def command(folder: Path, *arguments: str) -> str:
    """Standard output of the command that comes with the package."""
    line = [sys.executable, "-m", "hodgelet", *arguments]
    run = subprocess.run(line, capture_output=True, text=True, check=False, timeout=300, cwd=folder)
    assert run.returncode == 0, run.stderr
    return run.stdout


def write_lists(folder: Path, graphs: list[Any]) -> None:
    """A list of edges for each graph."""
    folder.mkdir()
    for i, graph in enumerate(graphs):
        rows = [f"{u},{v},{data['weight']}" for u, v, data in graph.edges(data=True)]
        (folder / f"g{i:02}.csv").write_text("\n".join(["source,target,weight", *rows, ""]))


@pytest.mark.parametrize("weights", [None, {1: "weight"}])
def test_the_command_reads_new_files_as_python_read_the_training_graphs(
    tmp_path: Path, weights: dict[int, str] | None
) -> None:
    model = HodgeletClassifier(directed="flow", weights=weights, **QUICK)
    quiet(model, TRAINED, KIND)
    model.save(tmp_path / "m.hodgelet")
    new = [digraph(i) for i in range(16, 22)]
    write_lists(tmp_path / "new", new)
    reads = "signal" if weights is None else "laplacian"
    assert f"directed flow, weights {reads}" in command(tmp_path, "info", "m.hodgelet")
    command(tmp_path, "predict", "m.hodgelet", "new", "--out", "p.csv", "--quiet")
    lines = [line.split(",") for line in (tmp_path / "p.csv").read_text().splitlines()]
    assert lines[0][:4] == ["id", "predicted", "p(down)", "p(round)"]
    found = np.array([[float(cell) for cell in line[2:4]] for line in lines[1:]])
    np.testing.assert_allclose(found, model.predict_proba(new), rtol=1e-9)

    # Python reads by the file, too, and what it is told goes before it.
    again = HodgeletClassifier.load(tmp_path / "m.hodgelet")
    assert (again.get_params()["directed"], again.get_params()["weights"]) == ("flow", weights or {})
    np.testing.assert_array_equal(again.predict_proba(new), model.predict_proba(new))
    other = HodgeletClassifier.load(tmp_path / "m.hodgelet", directed="ignore")
    assert other.get_params()["directed"] == "ignore"


def test_models_of_several_targets_keep_it(tmp_path: Path) -> None:
    size = [None if i % 3 == 0 else 0.5 + i % 5 for i in range(16)]
    models = fit_several(TRAINED, {"kind": KIND, "size": size}, directed="flow", **QUICK)
    models.save(tmp_path / "m.hodgelet")
    new = [digraph(i) for i in range(16, 20)]
    write_lists(tmp_path / "new", new)
    command(tmp_path, "predict", "m.hodgelet", "new", "--out", "p.csv", "--quiet")
    again = load_several(tmp_path / "m.hodgelet")
    np.testing.assert_array_equal(again.predict(new)["size"], models.predict(new)["size"])
    lines = [line.split(",") for line in (tmp_path / "p.csv").read_text().splitlines()]
    place = lines[0].index("size: predicted")
    np.testing.assert_allclose([float(line[place]) for line in lines[1:]], models.predict(new)["size"], rtol=1e-9)


def test_undirected_graphs_leave_nothing_to_keep(tmp_path: Path) -> None:
    plain = [networkx.cycle_graph(n) for n in range(3, 9)] + [networkx.path_graph(n) for n in range(3, 9)]
    model = quiet(HodgeletClassifier(**QUICK), plain, ["ring"] * 6 + ["path"] * 6)
    model.save(tmp_path / "m.hodgelet")
    assert "data read with" not in command(tmp_path, "info", "m.hodgelet")


def test_hypergraphs_keep_what_they_become(tmp_path: Path) -> None:
    xgi = pytest.importorskip("xgi")
    graphs = [xgi.Hypergraph([[0, 1, 2], [2, 3], list(range(2, 4 + i % 3))]) for i in range(8)]
    for expansion in ("star", "clique", "simplices"):
        model = quiet(HodgeletClassifier(hypergraph=expansion, **QUICK), graphs, ["a", "b"] * 4)
        model.save(tmp_path / "m.hodgelet")
        text = command(tmp_path, "info", "m.hodgelet")
        assert (f"hypergraph {expansion}" in text) == (expansion != "simplices"), text
