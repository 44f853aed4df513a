"""Graphs as arrays: ``(edge_index, x, edge_attr)`` tuples, or mappings with these names.

``edge_index`` is ``[2, n_arcs]``; ``x`` has one row per vertex, ``edge_attr`` one per arc. Edges may be listed once or
in both directions. Nothing loops over edges.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hodgelet._batch import Column, GraphBatch
from hodgelet._errors import HodgeletInputError
from hodgelet._inputs._columns import columns_of, locate, table, to_numpy
from hodgelet._inputs._merge import merge_arcs
from hodgelet._inputs._options import Options

__all__ = ["ArrayGraph", "arcs_of", "assemble", "from_arrays"]

Ints = NDArray[np.int64]


@dataclass
class ArrayGraph:
    """One graph in arrays, attributes by name."""

    n_vertices: int
    arcs: Ints  # [n_arcs, 2]
    vertex_values: dict[str, NDArray[Any]] = field(default_factory=dict)
    arc_values: dict[str, NDArray[Any]] = field(default_factory=dict)


def from_arrays(graphs: Sequence[Any], options: Options) -> GraphBatch:
    """One batch of all graphs."""
    return assemble([_graph(graph, position) for position, graph in enumerate(graphs)], options)


def assemble(graphs: Sequence[ArrayGraph], options: Options, *, one_way: bool = False) -> GraphBatch:
    """One batch of graphs in arrays: everything is put end to end first and merged once."""
    vertices = np.array([graph.n_vertices for graph in graphs], dtype=np.int64)
    offsets = np.concatenate([[0], np.cumsum([len(graph.arcs) for graph in graphs], dtype=np.int64)]).astype(np.int64)
    arcs = np.concatenate([graph.arcs for graph in graphs]) if graphs else np.zeros((0, 2), dtype=np.int64)
    vertex_offsets = np.concatenate([[0], np.cumsum(vertices)])
    vertex_columns = _columns(0, [graph.vertex_values for graph in graphs], vertex_offsets, options)
    arc_columns = _columns(1, [graph.arc_values for graph in graphs], offsets, options)
    ways = np.ones(len(graphs), dtype=np.bool_) if one_way else None
    offsets, edges, edge_columns = merge_arcs(vertices, offsets, arcs, arc_columns, options, one_way=ways)
    return GraphBatch(vertices, offsets, edges, columns=vertex_columns + edge_columns)


def _columns(dim: int, values: list[dict[str, NDArray[Any]]], offsets: Ints, options: Options) -> list[Column]:
    names = options.names(dim, values[0] if values else [])
    columns: list[Column] = []
    for name in names:
        parts = [_part(name, dim, by_name, i, int(offsets[i + 1] - offsets[i])) for i, by_name in enumerate(values)]
        joined = _joined(name, parts)
        columns.extend(columns_of(name, dim, joined, options.kind(dim, name), locate(offsets, dim)))
    return columns


def _part(name: str, dim: int, by_name: dict[str, NDArray[Any]], graph: int, rows: int) -> NDArray[Any]:
    what = "vertices" if dim == 0 else "arcs"
    if name not in by_name:
        found = ", ".join(map(repr, by_name)) or "none"
        raise HodgeletInputError(f"graph {graph} has no {name!r} on its {what}; found: {found}")
    values = by_name[name]
    if values.ndim == 0 or len(values) != rows:
        raise HodgeletInputError(
            f"graph {graph}: {name!r} has the shape {list(values.shape)}, but there are {rows} {what}"
        )
    return values


def _joined(name: str, parts: list[NDArray[Any]]) -> NDArray[Any]:
    """The parts end to end; they must have the same number of channels and one kind of number."""
    if not parts:
        return np.zeros(0)
    parts = [table(part) for part in parts]
    sized = [part for part in parts if part.size] or parts[:1]
    for graph, part in enumerate(parts):
        if part.size and part.shape[1] != sized[0].shape[1]:
            raise HodgeletInputError(
                f"graph {graph}: {name!r} has {part.shape[1]} channels, expected {sized[0].shape[1]} as in the others"
            )
    joined = np.concatenate(sized)
    return joined[:, 0] if joined.shape[1] == 1 and joined.dtype.kind in "iubUS" else joined


def _graph(graph: Any, position: int) -> ArrayGraph:
    if isinstance(graph, Mapping):
        edge_index, x, edge_attr = graph["edge_index"], graph.get("x"), graph.get("edge_attr")
        count = graph.get("num_nodes")
    else:
        edge_index, x, edge_attr = (*graph, None, None)[:3]
        count = None
    arcs = arcs_of(edge_index, position)
    if isinstance(x, (int, np.integer)):  # (edge_index, number of vertices)
        count, x = int(x), None
    vertex_values = {} if x is None else {"x": to_numpy(x)}
    arc_values = {} if edge_attr is None else {"edge_attr": to_numpy(edge_attr)}
    if count is None:
        count = len(vertex_values["x"]) if x is not None else int(arcs.max(initial=-1)) + 1
    return ArrayGraph(int(count), arcs, vertex_values, arc_values)


def arcs_of(edge_index: Any, position: int) -> Ints:
    """The arcs ``[n_arcs, 2]`` of an edge index ``[2, n_arcs]``."""
    array = to_numpy(edge_index)
    if array.size == 0:
        return np.zeros((0, 2), dtype=np.int64)
    if array.ndim != 2 or array.shape[0] != 2:
        hint = "; pass its transpose" if array.ndim == 2 and array.shape[1] == 2 else ""
        raise HodgeletInputError(
            f"graph {position}: edge_index has the shape {list(array.shape)}, expected [2, n_arcs]{hint}"
        )
    if array.dtype.kind not in "iu":
        raise HodgeletInputError(f"graph {position}: edge_index holds {array.dtype}, expected whole numbers")
    return np.ascontiguousarray(array.T, dtype=np.int64)
