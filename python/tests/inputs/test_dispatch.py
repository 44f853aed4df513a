"""What is accepted, and what is said otherwise."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

import hodgelet
from hodgelet import GraphBatch, HodgeletInputError, as_batch

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(hodgelet.__file__).parents[1])}
PATH = (np.array([[0, 1], [1, 2]]), None, None)


def test_no_graph_library_is_imported() -> None:
    heavy = ["networkx", "torch", "torch_geometric", "dgl", "igraph", "rdkit", "toponetx", "gudhi", "xgi", "scipy"]
    heavy += ["sklearn", "pandas", "matplotlib", "pyarrow", "polars"]
    code = f"import sys, hodgelet; hodgelet.as_batch([([[0], [1]],)]); print([m for m in {heavy} if m in sys.modules])"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=ENVIRONMENT).stdout.strip()
        == "[]"
    )


def test_a_batch_is_returned_and_batches_are_joined() -> None:
    batch = as_batch([PATH])
    assert as_batch(batch) is batch
    assert as_batch([batch, batch]).n_graphs == 2
    assert as_batch([]).n_graphs == 0 and isinstance(as_batch([]), GraphBatch)


def test_any_iterable_of_graphs_will_do() -> None:
    graphs = [nx.path_graph(n) for n in (2, 3)]
    array = np.empty(2, dtype=object)
    array[:] = graphs
    for many in (graphs, tuple(graphs), array, iter(graphs)):
        assert as_batch(many).vertices.tolist() == [2, 3]


@pytest.mark.parametrize(
    ("graphs", "message"),
    [
        (nx.path_graph(3), r"one Graph was given, expected a list of graphs: put it into \[...\]"),
        ("CCO", r"one str was given"),
        (7, "a int was given, expected a list of graphs"),
        ([7], "graph 0 is a int, expected a NetworkX"),
        ([np.eye(3)], r"graph 0 is a ndarray of shape \[3, 3\], expected a NetworkX"),
        ([nx.path_graph(2), "CCO"], "graph 1 is a SMILES string, but graph 0 is a NetworkX graph: expected one kind"),
        ([nx.path_graph(2), None], "graph 1 is a NoneType, expected"),
    ],
)
def test_other_things_are_refused(graphs: object, message: str) -> None:
    with pytest.raises(HodgeletInputError, match=message):
        as_batch(graphs)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"vertex_attrs": "x"}, r"attributes of dimension 0 are 'x', expected a list of names: \['x'\]"),
        ({"vertex_attrs": ["x", "x"]}, "'x' appears twice"),
        ({"edge_attrs": [1]}, "attributes of dimension 1: 1 is not a name"),
        ({"edge_attrs": {"w": "float"}}, "attribute 'w' is declared 'float', expected \"real\" or \"labels\""),
        ({"oriented": "flow"}, r"oriented='flow', expected a list of names: \['flow'\]"),
        ({"max_dim": 0}, "max_dim=0, expected 1 or more"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: dict, message: str) -> None:
    with pytest.raises(HodgeletInputError, match=message):
        as_batch([PATH], **options)
