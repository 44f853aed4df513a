"""XGI hypergraphs and simplicial complexes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hodgelet._batch import GraphBatch
from hodgelet._errors import HodgeletInputError
from hodgelet._inputs._hypergraphs import Hypergraph, as_simplices, from_hypergraphs
from hodgelet._inputs._options import Options

__all__ = ["from_xgi"]


def from_xgi(hypergraphs: Sequence[Any], options: Options) -> GraphBatch:
    """One batch of all hypergraphs; XGI's simplicial complexes are always read as simplices."""
    for position, h in enumerate(hypergraphs):
        if hasattr(h.edges, "tail"):
            raise HodgeletInputError(
                f"graph {position} is a directed hypergraph, which is not read: drop the directions"
            )
    read = [_hypergraph(h) for h in hypergraphs]
    if all(hasattr(h, "add_simplex") for h in hypergraphs):
        return as_simplices(read, options)
    return from_hypergraphs(read, options)


def _hypergraph(h: Any) -> Hypergraph:
    numbers = {vertex: at for at, vertex in enumerate(h.nodes)}
    members = [sorted(numbers[v] for v in held) for held in h.edges.members()]
    return Hypergraph([dict(h.nodes[v]) for v in h.nodes], [dict(h.edges[e]) for e in h.edges], members)
