"""python-igraph graphs: all attributes but names, or those that are named."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hodgelet._batch import Column, GraphBatch
from hodgelet._errors import HodgeletInputError
from hodgelet._inputs._columns import columns_of, locate
from hodgelet._inputs._merge import merge_arcs
from hodgelet._inputs._options import Options

__all__ = ["from_igraph"]

#: Attributes that name vertices rather than describe them.
NAMES = ("name", "id", "_nx_name", "_igraph_index")


def from_igraph(graphs: Sequence[Any], options: Options) -> GraphBatch:
    """One batch of all graphs."""
    vertices = np.array([graph.vcount() for graph in graphs], dtype=np.int64)
    parts = [np.array(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2) for graph in graphs]
    offsets = np.concatenate([[0], np.cumsum([len(part) for part in parts], dtype=np.int64)]).astype(np.int64)
    arcs = np.concatenate(parts) if parts else np.zeros((0, 2), dtype=np.int64)
    vertex_offsets = np.concatenate([[0], np.cumsum(vertices)])
    vertex_columns = _columns(0, [graph.vs for graph in graphs], vertex_offsets, options)
    edge_columns = _columns(1, [graph.es for graph in graphs], offsets, options)
    one_way = np.array([graph.is_directed() for graph in graphs], dtype=bool)
    offsets, edges, edge_columns = merge_arcs(
        vertices, offsets, arcs, edge_columns, options, directed=bool(one_way.any()), one_way=one_way
    )
    return GraphBatch(vertices, offsets, edges, columns=vertex_columns + edge_columns)


def _columns(dim: int, sequences: list[Any], offsets: NDArray[np.int64], options: Options) -> list[Column]:
    found = [name for name in sequences[0].attributes() if name not in NAMES] if sequences else []
    columns: list[Column] = []
    for name in options.names(dim, found):
        values: list[Any] = []
        for graph, sequence in enumerate(sequences):
            if len(sequence) and name not in sequence.attributes():
                what, has = ("vertices", "edges")[dim], sequence.attributes()
                raise HodgeletInputError(f"graph {graph} has no attribute {name!r} on its {what}; it has {has}")
            values.extend(sequence[name] if len(sequence) else [])
        columns.extend(columns_of(name, dim, values, options.kind(dim, name), locate(offsets, dim)))
    return columns
