"""PyTorch Geometric `Data`: ``x`` on vertices and ``edge_attr`` on edges, or whatever attributes are named."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hodgelet._batch import GraphBatch
from hodgelet._errors import HodgeletInputError
from hodgelet._inputs._arrays import ArrayGraph, arcs_of, assemble
from hodgelet._inputs._columns import to_numpy
from hodgelet._inputs._options import Options

__all__ = ["from_torch_geometric"]


def from_torch_geometric(graphs: Sequence[Any], options: Options) -> GraphBatch:
    """One batch of all graphs; a `Batch` counts as the graphs it holds."""
    flat: list[Any] = []
    for graph in graphs:
        flat.extend(graph.to_data_list() if hasattr(graph, "to_data_list") else [graph])
    return assemble([_graph(graph, position, options) for position, graph in enumerate(flat)], options)


def _graph(graph: Any, position: int, options: Options) -> ArrayGraph:
    if hasattr(graph, "edge_index_dict"):
        raise HodgeletInputError(
            f"graph {position} has several types of vertices: call `to_homogeneous()` on it, "
            "which keeps the types as the attributes node_type and edge_type"
        )
    edge_index = graph.edge_index
    if edge_index is None:
        for name, way_out in (("adj_t", "keep edge_index when making it"), ("face", "apply FaceToEdge to it")):
            if getattr(graph, name, None) is not None:
                raise HodgeletInputError(f"graph {position} has {name} but no edge_index: {way_out}")
    arcs = np.zeros((0, 2), dtype=np.int64) if edge_index is None else arcs_of(edge_index, position)
    vertex_names = options.names(0, _present(graph, ["x"]))
    edge_names = options.names(1, _present(graph, ["edge_attr"]))
    return ArrayGraph(
        int(graph.num_nodes),
        arcs,
        {name: to_numpy(getattr(graph, name)) for name in _present(graph, vertex_names)},
        {name: to_numpy(getattr(graph, name)) for name in _present(graph, edge_names)},
    )


def _present(graph: Any, names: Sequence[str]) -> list[str]:
    return [name for name in names if getattr(graph, name, None) is not None]
