"""From what users hold to a `GraphBatch`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hodgelet._batch import Column, GraphBatch
from hodgelet._errors import HodgeletInputError

__all__ = ["as_batch"]


def as_batch(
    graphs: Any,
    *,
    vertex_attrs: Sequence[str] | Mapping[str, str] | None = None,
    edge_attrs: Sequence[str] | Mapping[str, str] | None = None,
    oriented: Sequence[str] = (),
) -> GraphBatch:
    """One `GraphBatch` of a batch, or of a list of batches or ``(edge_index, x, edge_attr)`` tuples."""
    if isinstance(graphs, GraphBatch):
        return graphs.validate()
    parts = [_one(graph, position, oriented) for position, graph in enumerate(graphs)]
    return GraphBatch.concatenate(parts).validate()


def _one(graph: Any, position: int, oriented: Sequence[str]) -> GraphBatch:
    if isinstance(graph, GraphBatch):
        return graph
    if not isinstance(graph, tuple) or not 1 <= len(graph) <= 3:
        found = type(graph).__name__
        raise HodgeletInputError(f"graph {position} is a {found}, expected a tuple (edge_index, x, edge_attr)")
    edge_index, x, edge_attr = (*graph, None, None)[:3]
    edges = np.asarray(edge_index, dtype=np.int64).reshape(2, -1).T
    n = len(x) if x is not None else int(edges.max(initial=-1)) + 1
    columns = []
    if x is not None:
        columns.append(Column("x", 0, "real", np.asarray(x)))
    if edge_attr is not None:
        columns.append(Column("edge_attr", 1, "real", np.asarray(edge_attr), oriented="edge_attr" in oriented))
    return GraphBatch(np.array([n]), np.array([0, len(edges)]), edges, columns=columns)
