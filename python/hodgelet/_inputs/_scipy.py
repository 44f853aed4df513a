"""SciPy sparse matrices as adjacency: an entry that is not zero is an edge.

Entries that all equal 1 say no more than that; other values become the edge attribute ``weight``. A symmetric matrix
has each edge twice, an antisymmetric one is a flow; any other is directed, and ``directed`` says what that means.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hodgelet._batch import GraphBatch
from hodgelet._errors import HodgeletInputError
from hodgelet._inputs._arrays import ArrayGraph, assemble
from hodgelet._inputs._options import Options

__all__ = ["from_scipy"]


def from_scipy(graphs: Sequence[Any], options: Options) -> GraphBatch:
    """One batch of all matrices."""
    read = [_graph(graph, position) for position, graph in enumerate(graphs)]
    values = [graph.arc_values["weight"] for graph in read]
    if options.edge_attrs is None and all((v == 1).all() for v in values):
        for graph in read:
            graph.arc_values = {}
    return assemble(read, options, one_way=True)


def _graph(graph: Any, position: int) -> ArrayGraph:
    if len(graph.shape) != 2 or graph.shape[0] != graph.shape[1]:
        raise HodgeletInputError(
            f"graph {position} is a matrix of shape {list(graph.shape)}, expected an adjacency matrix, which is square"
        )
    entries = graph.tocoo(copy=True)
    entries.sum_duplicates()
    entries.eliminate_zeros()
    arcs = np.stack([entries.row, entries.col], axis=1).astype(np.int64)
    return ArrayGraph(int(graph.shape[0]), arcs, {}, {"weight": np.asarray(entries.data, dtype=np.float64)})
