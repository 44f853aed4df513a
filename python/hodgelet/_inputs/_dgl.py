"""DGL graphs: every entry of ``ndata`` and ``edata``, or those that are named."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hodgelet._batch import GraphBatch
from hodgelet._errors import HodgeletInputError
from hodgelet._inputs._arrays import ArrayGraph, assemble
from hodgelet._inputs._columns import to_numpy
from hodgelet._inputs._options import Options

__all__ = ["from_dgl"]


def from_dgl(graphs: Sequence[Any], options: Options) -> GraphBatch:
    """One batch of all graphs; both directions of an edge become one."""
    return assemble([_graph(graph, position, options) for position, graph in enumerate(graphs)], options)


def _graph(graph: Any, position: int, options: Options) -> ArrayGraph:
    if not getattr(graph, "is_homogeneous", True):
        raise HodgeletInputError(
            f"graph {position} has several types of vertices or edges: call `dgl.to_homogeneous` on it"
        )
    tails, heads = graph.edges()
    arcs = np.stack([to_numpy(tails), to_numpy(heads)], axis=1).astype(np.int64)
    vertex_names = options.names(0, _own(graph.ndata))
    edge_names = options.names(1, _own(graph.edata))
    return ArrayGraph(
        int(graph.num_nodes()),
        arcs,
        {name: to_numpy(graph.ndata[name]) for name in vertex_names if name in graph.ndata},
        {name: to_numpy(graph.edata[name]) for name in edge_names if name in graph.edata},
    )


def _own(data: Any) -> list[str]:
    """Names that users gave; DGL's own, such as ``_ID``, start with an underscore."""
    return [name for name in data if not name.startswith("_")]
