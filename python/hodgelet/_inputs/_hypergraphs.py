"""Hypergraphs of any library, as one of the complexes that represent them.

``"zhou"``, ``"clique"``, ``"clique-normalized"``, ``"clique-unit"``
    A graph that joins nodes that share a hyperedge. Zhou's weighs nodes and pairs so that the Laplacian is his; in the
    clique expansions a pair weighs as many hyperedges as it shares, ``1 / (size - 1)`` for each, or 1. Attributes of
    hyperedges are means over those that hold both nodes.
``"star"``
    The graph that joins each hyperedge to its nodes. Columns are called ``vertex.NAME`` and ``hyperedge.NAME``, and
    ``side`` says which is which.
``"incidence"``
    The incidence matrix as a boundary operator: hyperedges are cells of dimension 1.
``"simplices"``
    Hyperedges and all their subsets as simplices, up to ``max_dim`` (2 if not given).

All but the last are made by the code of the command, from which a model in either place is the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hodgelet._batch import Boundary, Column, GraphBatch
from hodgelet._errors import HodgeletInputError
from hodgelet._inputs._columns import columns_of, locate
from hodgelet._inputs._options import Options
from hodgelet._inputs._simplices import Simplices, from_simplices, offsets_of

__all__ = ["Hypergraph", "batch_of", "from_hypergraphs", "from_hypernetx"]

#: What HyperNetX adds to the properties of nodes and edges.
OF_HYPERNETX = ("_level", "misc_properties")


@dataclass
class Hypergraph:
    """The attributes of nodes and of hyperedges, and the nodes of each hyperedge by number."""

    nodes: list[dict[str, Any]]
    edges: list[dict[str, Any]]
    members: list[list[int]]


def from_hypernetx(hypergraphs: Sequence[Any], options: Options) -> GraphBatch:
    """One batch of hypergraphs of HyperNetX; a ``weight`` that is 1 everywhere is its default and not taken."""
    read = [_of_hypernetx(h) for h in hypergraphs]
    nodes, edges = ([attrs for h in read for attrs in h.nodes], [attrs for h in read for attrs in h.edges])
    for dim, attributes in enumerate((nodes, edges)):
        if options.weights.get(dim) != "weight" and all(attrs.get("weight") == 1 for attrs in attributes):
            for attrs in attributes:
                del attrs["weight"]
    return from_hypergraphs(read, options)


def _of_hypernetx(h: Any) -> Hypergraph:
    numbers = {node: at for at, node in enumerate(h.nodes)}
    members = h.incidence_dict

    def properties(uid: Any, level: int) -> dict[str, Any]:
        return {str(k): v for k, v in dict(h.get_properties(uid, level=level)).items() if k not in OF_HYPERNETX}

    edges = list(h.edges)
    return Hypergraph(
        [properties(node, 1) for node in numbers],
        [properties(edge, 0) for edge in edges],
        [sorted({numbers[node] for node in members[edge]}) for edge in edges],
    )


def from_hypergraphs(hypergraphs: Sequence[Hypergraph], options: Options) -> GraphBatch:
    """One batch of all hypergraphs, in the expansion that was asked for."""
    other = [dim for dim in options.weights if dim != 1]
    if other or (options.weights and options.hypergraph == "simplices"):
        raise HodgeletInputError(f"weights={options.weights}, but of hypergraphs only hyperedges (1) have weights")
    if options.hypergraph == "simplices":
        return as_simplices(hypergraphs, options)
    return _expanded(hypergraphs, options)


def _columns(dim: int, cells: list[list[dict[str, Any]]], options: Options) -> list[Column]:
    """Columns of the attributes of nodes (0) or hyperedges (1), as of vertices of a batch of their own."""
    flat = [attrs for of_graph in cells for attrs in of_graph]
    where = locate(offsets_of([len(of_graph) for of_graph in cells]), dim)
    columns: list[Column] = []
    for name in options.names(dim, flat[0] if flat else []):
        for at, attrs in enumerate(flat):
            if name not in attrs:
                raise HodgeletInputError(f"{where(at)} has no attribute {name!r}; it has {list(attrs)}")
        columns.extend(columns_of(name, dim, [attrs[name] for attrs in flat], options.kind(dim, name), where))
    for column in columns:
        column.dim = 0
    return columns


def _expanded(hypergraphs: Sequence[Hypergraph], options: Options) -> GraphBatch:
    from hodgelet import _native

    nodes = _alone([len(h.nodes) for h in hypergraphs], _columns(0, [h.nodes for h in hypergraphs], options))
    of_edges = _columns(1, [h.edges for h in hypergraphs], options)
    weights: list[float] | None = None
    if 1 in options.weights:
        weight = next(c for c in of_edges if c.name == options.weights[1])
        weights = np.asarray(weight.values[:, 0], dtype=np.float64).tolist()
        of_edges = [c for c in of_edges if c is not weight]
    edges = _alone([len(h.edges) for h in hypergraphs], of_edges)
    held = [members for h in hypergraphs for members in h.members]
    offsets = offsets_of([len(members) for members in held]).tolist()
    flat = [node for members in held for node in members]
    return batch_of(_native.expand(nodes, edges, offsets, flat, weights, options.hypergraph))


def _alone(sizes: list[int], columns: list[Column]) -> GraphBatch:
    """Vertices without edges."""
    none = np.zeros(len(sizes) + 1, dtype=np.int64)
    vertices: NDArray[np.int64] = np.array(sizes, dtype=np.int64)
    return GraphBatch(vertices, none, np.zeros((0, 2), dtype=np.int64), columns=columns).validate()


def batch_of(arrays: dict[str, Any]) -> GraphBatch:
    """The batch of arrays from the native code."""
    return GraphBatch(
        vertices=arrays["vertices"],
        edge_offsets=arrays["edge_offsets"],
        edges=arrays["edges"],
        boundaries=[Boundary(**boundary) for boundary in arrays["boundaries"]],
        weights=arrays["weights"],
        columns=[Column(**column) for column in arrays["columns"]],
    )


def as_simplices(hypergraphs: Sequence[Hypergraph], options: Options) -> GraphBatch:
    """Hyperedges and their subsets."""
    highest = options.max_dim or 2
    complexes = []
    for h in hypergraphs:
        found: set[tuple[int, ...]] = set()
        for held in h.members:
            for size in range(2, min(len(held), highest + 1) + 1):
                found.update(combinations(held, size))
        out = Simplices(len(h.nodes))
        for simplex in sorted(found):
            out.cells.setdefault(len(simplex) - 1, []).append(simplex)
        complexes.append(out)
    batch = from_simplices(complexes, {}, options)
    batch.columns = _columns(0, [h.nodes for h in hypergraphs], options)
    return batch
