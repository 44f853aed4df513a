"""NetworkX graphs: attributes by name, directed or not, with or without parallel edges.

An edge of a `Graph` points from the vertex that comes first in the order of the nodes; an edge of a `DiGraph` points
as it does there, and two opposite arcs become one edge.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, compress
from operator import itemgetter, methodcaller
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hodgelet._batch import Column, GraphBatch
from hodgelet._errors import HodgeletInputError
from hodgelet._inputs._columns import columns_of, locate
from hodgelet._inputs._merge import merge_arcs, orient_columns
from hodgelet._inputs._options import Options, warn_orientation

__all__ = ["from_networkx"]

Ints = NDArray[np.int64]


def from_networkx(graphs: Sequence[Any], options: Options) -> GraphBatch:
    """One batch of all graphs."""
    vertices = np.fromiter((len(graph) for graph in graphs), np.int64, len(graphs))
    vertex_offsets = np.concatenate([[0], np.cumsum(vertices)])
    vertex_columns = _vertex_columns(graphs, vertex_offsets, options)
    arcs, offsets, data = _arcs(graphs, options)
    edge_columns = _columns(1, data, offsets, options)
    one_way = np.fromiter((graph.is_directed() for graph in graphs), bool, len(graphs))
    directed = bool(one_way.any())
    _warn_undirected(edge_columns, directed, options)
    merges = directed or options.directed == "flow" or any(graph.is_multigraph() for graph in graphs)
    if merges or (arcs[:, 0] == arcs[:, 1]).any():
        offsets, arcs, edge_columns = merge_arcs(
            vertices, offsets, arcs, edge_columns, options, directed=directed, one_way=one_way
        )
    else:
        edge_columns = orient_columns(edge_columns, options, directed=False)
    return GraphBatch(vertices, offsets, arcs, columns=vertex_columns + edge_columns)


def _vertex_columns(graphs: Sequence[Any], offsets: Ints, options: Options) -> list[Column]:
    if options.vertex_attrs == []:
        return []
    data = [attrs for graph in graphs for _, attrs in graph.nodes(data=True)]
    return _columns(0, data, offsets, options)


def _arcs(graphs: Sequence[Any], options: Options) -> tuple[Ints, Ints, list[Any]]:
    """Arcs between local vertices, offsets by graph, and the attributes of each arc.

    An undirected edge is kept where it leads from the vertex that comes first, as in `Graph.edges`; choosing is left
    to NumPy, over all graphs at once.
    """
    wanted = options.names(1, ["*"]) != []
    degrees: list[int] = []
    heads: list[int] = []
    data: list[Any] = []
    for graph in graphs:
        neighbors = _neighbors(graph)
        degrees.extend(map(len, neighbors))
        own = chain.from_iterable(neighbors)
        number = _numbering(graph)
        heads.extend(own if number is None else map(number, own))
        if wanted:
            data.extend(chain.from_iterable(map(_values, neighbors)))
    sizes = np.fromiter(map(len, graphs), np.int64, len(graphs))
    local = np.arange(len(degrees)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    arcs = np.empty((len(heads), 2), dtype=np.int64)
    arcs[:, 0], arcs[:, 1] = np.repeat(local, degrees), heads
    of_graph = np.repeat(np.repeat(np.arange(len(graphs)), sizes), degrees)
    directed = np.fromiter((graph.is_directed() for graph in graphs), bool, len(graphs))
    keep = (arcs[:, 0] <= arcs[:, 1]) | directed[of_graph]
    if wanted:
        data = list(compress(data, keep.tolist()))
    kept = np.bincount(of_graph[keep], minlength=len(graphs))
    return arcs[keep], np.concatenate([[0], np.cumsum(kept)]).astype(np.int64), data


def _neighbors(graph: Any) -> list[Any]:
    """For each vertex what it is joined to, and the attributes; parallel edges one by one."""
    if not graph.is_multigraph():
        return [around for _, around in graph.adjacency()]
    return [_Parallel(around) for _, around in graph.adjacency()]


_values = methodcaller("values")


class _Parallel(list):  # type: ignore[type-arg]
    """The far end of every parallel edge, with their attributes as `values`."""

    def __init__(self, around: Any) -> None:
        super().__init__(far for far, edges in around.items() for _ in edges)
        self._attributes = [attributes for edges in around.values() for attributes in edges.values()]

    def values(self) -> list[Any]:
        return self._attributes


def _numbering(graph: Any) -> Any:
    """From a vertex to its number, in the order of the nodes; None where vertices are their own numbers."""
    vertices = list(graph)
    if vertices == list(range(len(vertices))):
        return None
    return dict(zip(vertices, range(len(vertices)), strict=True)).__getitem__


def _columns(dim: int, data: list[dict[str, Any]], offsets: Ints, options: Options) -> list[Column]:
    """Columns of attributes: those named, or those that the first cell has and then every cell must have."""
    where = locate(offsets, dim)
    names = options.names(dim, data[0] if data else [])
    if data and options.cell_attrs.get(dim) is None:
        _check_same(data, where, dim)
    columns: list[Column] = []
    for name in names:
        if not data:
            columns.append(_empty(name, dim, options))
            continue
        try:
            values = list(map(itemgetter(name), data))
        except KeyError:
            missing = next(i for i, attrs in enumerate(data) if name not in attrs)
            raise HodgeletInputError(
                f"{where(missing)} has no attribute {name!r}; it has {', '.join(map(repr, data[missing])) or 'none'}"
            ) from None
        columns.extend(columns_of(name, dim, values, options.kind(dim, name), where))
    return columns


def _empty(name: str, dim: int, options: Options) -> Column:
    """A column of no cell; what it would hold is not known unless declared."""
    if options.kind(dim, name) == "labels":
        return Column(name, dim, "labels", np.zeros(0, dtype=np.int64), categories=[])
    return Column(name, dim, "real", np.zeros((0, 1)))


def _check_same(data: list[dict[str, Any]], where: Any, dim: int) -> None:
    if set(map(len, data)) == {len(data[0])}:
        return  # a cell that lacks a name is found when that name is read
    other = next(i for i, attrs in enumerate(data) if len(attrs) != len(data[0]))
    argument = "vertex_attrs" if dim == 0 else "edge_attrs"
    raise HodgeletInputError(
        f"{where(other)} has the attributes {sorted(map(str, data[other]))}, but {where(0)} has "
        f"{sorted(map(str, data[0]))}: name the ones to take with {argument}=[...]"
    )


def _warn_undirected(columns: list[Column], directed: bool, options: Options) -> None:
    if directed:
        return
    for column in columns:
        if column.kind == "real" and options.is_oriented(column.name):
            warn_orientation(
                f"edge attribute {column.name!r} is declared oriented on undirected graphs: its sign is read from the "
                "vertex that comes first in the order of the nodes; use a DiGraph to give each edge its direction"
            )
