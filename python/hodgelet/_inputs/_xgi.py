"""XGI hypergraphs, as one of three complexes.

``"star"``
    The incidence graph: a vertex for each node and one for each hyperedge, joined where one holds the other. The column
    ``part`` says which is which. Attributes of nodes and of hyperedges are columns with zeros, or the label ``none``,
    on the other part.
``"clique"``
    Nodes joined where they share a hyperedge, with the number ``weight``: the sum of ``1 / (size - 1)`` over shared
    hyperedges, so that the weights at a node add up to the number of its hyperedges.
``"simplices"``
    Hyperedges and all their subsets as simplices, up to ``max_dim`` (2 if not given).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from hodgelet._batch import Column, GraphBatch
from hodgelet._errors import HodgeletInputError
from hodgelet._inputs._columns import columns_of, locate
from hodgelet._inputs._options import Options
from hodgelet._inputs._simplices import Simplices, from_simplices, offsets_of

__all__ = ["from_xgi"]


def from_xgi(hypergraphs: Sequence[Any], options: Options) -> GraphBatch:
    """One batch of all hypergraphs; XGI's simplicial complexes are always read as simplices."""
    for position, h in enumerate(hypergraphs):
        if hasattr(h.edges, "tail"):
            raise HodgeletInputError(
                f"graph {position} is a directed hypergraph, which is not read: drop the directions"
            )
    if options.hypergraph == "simplices" or all(hasattr(h, "add_simplex") for h in hypergraphs):
        return _as_simplices(hypergraphs, options)
    return _as_star(hypergraphs, options) if options.hypergraph == "star" else _as_cliques(hypergraphs, options)


def _members(h: Any, number: dict[Any, int]) -> list[list[int]]:
    return [sorted(number[v] for v in members) for members in h.edges.members()]


def _numbers(h: Any) -> dict[Any, int]:
    return {vertex: at for at, vertex in enumerate(h.nodes)}


def _node_columns(hypergraphs: Sequence[Any], options: Options) -> list[Column]:
    attributes = [[h.nodes[v] for v in h.nodes] for h in hypergraphs]
    flat = [attrs for of_graph in attributes for attrs in of_graph]
    where = locate(offsets_of([len(a) for a in attributes]), 0)
    columns: list[Column] = []
    for name in options.names(0, flat[0] if flat else []):
        columns.extend(columns_of(name, 0, _values(flat, name, where), options.kind(0, name), where))
    return columns


def _values(flat: list[Any], name: str, where: Any) -> list[Any]:
    for at, attrs in enumerate(flat):
        if name not in attrs:
            raise HodgeletInputError(f"{where(at)} has no attribute {name!r}; it has {list(attrs)}")
    return [attrs[name] for attrs in flat]


def _as_star(hypergraphs: Sequence[Any], options: Options) -> GraphBatch:
    numbers = [_numbers(h) for h in hypergraphs]
    members = [_members(h, number) for h, number in zip(hypergraphs, numbers, strict=True)]
    nodes = [len(number) for number in numbers]
    edges = [
        (v, n + at)
        for n, of_graph in zip(nodes, members, strict=True)
        for at, held in enumerate(of_graph)
        for v in held
    ]
    counts = [sum(len(held) for held in of_graph) for of_graph in members]
    vertices = np.array([n + len(m) for n, m in zip(nodes, members, strict=True)], dtype=np.int64)
    part = np.concatenate([np.r_[np.zeros(n, int), np.ones(len(m), int)] for n, m in zip(nodes, members, strict=True)])
    columns = [Column("part", 0, "labels", part, categories=["node", "hyperedge"])]
    columns += [_spread(c, part == 0) for c in _node_columns(hypergraphs, options)]
    flat = [h.edges[e] for h in hypergraphs for e in h.edges]
    where = locate(offsets_of([len(m) for m in members]), 1)
    for name in options.names(1, flat[0] if flat else []):
        for column in columns_of(name, 0, _values(flat, name, where), options.kind(1, name), where):
            column.name = f"hyperedge.{column.name}"
            columns.append(_spread(column, part == 1))
    return GraphBatch(vertices, offsets_of(counts), np.array(edges, dtype=np.int64).reshape(-1, 2), columns=columns)


def _spread(column: Column, rows: Any) -> Column:
    """A column of one part as a column of both."""
    if column.kind == "real":
        values = np.zeros((len(rows), column.values.shape[1]))
        values[rows] = column.values
        return Column(column.name, 0, "real", values, channels=column.channels)
    categories = list(column.categories or [])
    if "none" not in categories:
        categories.append("none")
    codes = np.full(len(rows), categories.index("none"), dtype=np.int64)
    codes[rows] = column.values
    return Column(column.name, 0, "labels", codes, categories=categories)


def _as_cliques(hypergraphs: Sequence[Any], options: Options) -> GraphBatch:
    edges: list[tuple[int, int]] = []
    weights: list[float] = []
    counts, vertices = [], []
    for h in hypergraphs:
        number = _numbers(h)
        pairs: dict[tuple[int, int], float] = {}
        for held in _members(h, number):
            for pair in combinations(held, 2):
                pairs[pair] = pairs.get(pair, 0.0) + 1.0 / (len(held) - 1)
        edges.extend(sorted(pairs))
        weights.extend(pairs[pair] for pair in sorted(pairs))
        counts.append(len(pairs))
        vertices.append(len(number))
    columns = _node_columns(hypergraphs, options)
    for name in options.names(1, ["weight"]):
        if name != "weight":
            raise HodgeletInputError(f"{name!r} on edges: the clique expansion has `weight` only")
        columns.append(Column("weight", 1, "real", np.array(weights).reshape(-1, 1)))
    flat = np.array(edges, dtype=np.int64).reshape(-1, 2)
    return GraphBatch(np.array(vertices, dtype=np.int64), offsets_of(counts), flat, columns=columns)


def _as_simplices(hypergraphs: Sequence[Any], options: Options) -> GraphBatch:
    highest = options.max_dim or 2
    complexes = []
    for h in hypergraphs:
        number = _numbers(h)
        found: set[tuple[int, ...]] = set()
        for held in _members(h, number):
            for size in range(2, min(len(held), highest + 1) + 1):
                found.update(combinations(held, size))
        out = Simplices(len(number))
        for simplex in sorted(found):
            out.cells.setdefault(len(simplex) - 1, []).append(simplex)
        complexes.append(out)
    batch = from_simplices(complexes, {}, options)
    batch.columns = _node_columns(hypergraphs, options)
    return batch
