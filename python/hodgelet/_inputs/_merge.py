"""From arcs to edges: both directions of an edge become one, over all graphs at once.

An edge points as its first arc does. Signals on merged arcs must agree: equal values are unoriented, negated ones on
reversed arcs are a flow, and anything else is an error.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hodgelet._batch import Column
from hodgelet._errors import HodgeletInputError, HodgeletWarning
from hodgelet._inputs._columns import Where
from hodgelet._inputs._flow import check_both_ways, flow_columns, without_back
from hodgelet._inputs._options import Options, warn, warn_directions, warn_orientation

__all__ = ["Arcs", "merge_arcs", "orient_columns"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Arcs = NDArray[np.int64]  # [n_arcs, 2], vertices local to their graph

#: Two values of one edge are equal up to this, relative to the larger: rounding of 32-bit floats.
SAME = 1e-6


def merge_arcs(
    vertices: Ints,
    offsets: Ints,
    arcs: Arcs,
    columns: list[Column],
    options: Options,
    *,
    directed: bool = False,
    one_way: NDArray[np.bool_] | None = None,
) -> tuple[Ints, Arcs, list[Column]]:
    """Offsets and edges with each undirected edge once, and the columns of dimension 1 that belong to them.

    ``one_way`` says which graphs say of themselves that their arcs are; without it none does, and arcs are what
    ``options.directed`` makes of them.
    """
    graphs = np.repeat(np.arange(len(vertices)), np.diff(offsets))
    _check_range(vertices, offsets, graphs, arcs)
    loops = arcs[:, 0] == arcs[:, 1]
    if loops.any():
        _warn_loops(int(loops.sum()), int(graphs[loops][0]))
        keep = ~loops
        arcs, graphs, columns = arcs[keep], graphs[keep], [replace(c, values=c.values[keep]) for c in columns]
    first, of_edge = _first_arcs(vertices, graphs, arcs)
    if options.directed == "flow":
        are_arcs = np.ones(len(arcs), dtype=np.bool_) if one_way is None else one_way[graphs]
        merged = flow_columns(graphs, arcs, first, of_edge, are_arcs, columns)
        return _offsets(graphs[first], len(vertices)), arcs[first], merged
    if options.directed == "error" and one_way is not None:
        check_both_ways(graphs, arcs, first, of_edge, one_way[graphs])
    directed = directed and options.directed is None
    is_open = directed and not options.oriented and all(c.kind == "labels" for c in columns)
    if is_open and one_way is not None and len(without_back(arcs, first, of_edge, one_way[graphs])):
        warn_directions()
    if len(first) == len(arcs):
        return _offsets(graphs, len(vertices)), arcs, [_single(c, options, directed) for c in columns]
    repeated = np.flatnonzero(first[of_edge] != np.arange(len(arcs)))
    earlier = first[of_edge[repeated]]
    reversed_ = arcs[repeated, 0] != arcs[earlier, 0]

    def where(row: int) -> str:
        tail, head = arcs[repeated[row]]
        return f"graph {graphs[repeated[row]]}, edge between vertices {tail} and {head}"

    merged = [_merged(c, options, first, earlier, repeated, reversed_, where, directed) for c in columns]
    return _offsets(graphs[first], len(vertices)), arcs[first], merged


def orient_columns(columns: list[Column], options: Options, *, directed: bool) -> list[Column]:
    """Columns on edges that are listed once each, oriented as declared; warns where the declaration is missing."""
    return [_single(c, options, directed) for c in columns]


def _check_range(vertices: Ints, offsets: Ints, graphs: Ints, arcs: Arcs) -> None:
    if len(arcs) == 0:
        return
    wrong = (arcs.min(axis=1) < 0) | (arcs.max(axis=1) >= vertices[graphs])
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        graph = int(graphs[row])
        raise HodgeletInputError(
            f"graph {graph}: edge {row - offsets[graph]} joins vertices {arcs[row].tolist()}, but the graph has "
            f"{vertices[graph]} vertices, numbered from 0"
        )


def _warn_loops(count: int, graph: int) -> None:
    warn(f"{count} edges join a vertex to itself (the first in graph {graph}) and are left out", HodgeletWarning)


def _first_arcs(vertices: Ints, graphs: Ints, arcs: Arcs) -> tuple[Ints, Ints]:
    """Position of the first arc of each edge, ascending, and the edge of each arc."""
    starts = np.concatenate([[0], np.cumsum(vertices)])
    shifted = arcs + starts[graphs][:, None]
    low, high = shifted.min(axis=1), shifted.max(axis=1)
    key = low * max(int(starts[-1]), 1) + high
    if len(key) < 2 or (np.diff(key) > 0).all():
        identity = np.arange(len(arcs))
        return identity, identity
    _, first, edge = np.unique(key, return_index=True, return_inverse=True)
    order = np.argsort(first, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return first[order], rank[edge.reshape(-1)]


def _offsets(graphs: Ints, n_graphs: int) -> Ints:
    return np.concatenate([[0], np.cumsum(np.bincount(graphs, minlength=n_graphs))]).astype(np.int64)


def _single(column: Column, options: Options, directed: bool) -> Column:
    """A column whose edges are listed once each."""
    declared = options.is_oriented(column.name)
    if column.kind == "labels":
        return column
    if declared is not None:
        return replace(column, oriented=declared)
    if options.weights.get(column.dim) == column.name:
        return column
    if directed:
        warn_orientation(
            f"edge attribute {column.name!r} is a number on directed edges and taken as unoriented: pass "
            f"oriented=[{column.name!r}] if it is a flow along them, or oriented={{{column.name!r}: False}} if not; "
            "directed='flow' makes two signals of it, directed='ignore' reads arcs as edges"
        )
    elif (column.values < 0).any():
        warn_orientation(
            f"edge attribute {column.name!r} has negative values and is taken as unoriented: pass "
            f"oriented=[{column.name!r}] if it is a flow from the first vertex of each edge to the second, or "
            f"oriented={{{column.name!r}: False}} if not"
        )
    return column


def _merged(
    column: Column,
    options: Options,
    first: Ints,
    earlier: Ints,
    repeated: Ints,
    reversed_: NDArray[np.bool_],
    where: Where,
    directed: bool,
) -> Column:
    """A column on the edges, whose repeated arcs must agree with the first."""
    values, other = column.values[earlier], column.values[repeated]
    kept = replace(column, values=column.values[first])
    if column.kind == "labels":
        differ = values != other
        if differ.any():
            row = int(np.flatnonzero(differ)[0])
            names = column.categories or []
            found = f"{names[values[row]]!r} and {names[other[row]]!r}"
            raise HodgeletInputError(
                f"{where(row)}: attribute {column.name!r} is {found} on its arcs, expected one label"
            )
        return kept
    flipped = np.where(reversed_[:, None], -other, other)
    declared = options.is_oriented(column.name)
    equal, negated = _close(values, other), _close(values, flipped)
    if declared is not None:
        agree = negated if declared else equal
        if not agree.all():
            raise _disagree(column.name, values, other, agree, where, declared)
        return replace(kept, oriented=declared)
    if equal.all():  # zeros on both arcs, or arcs of one direction, are not evidence
        return _single(kept, options, directed) if negated.all() else kept
    if negated.all():
        warn_orientation(
            f"edge attribute {column.name!r} changes its sign with the direction and is taken as a flow: pass "
            f"oriented=[{column.name!r}] to say so"
        )
        return replace(kept, oriented=True)
    raise _disagree(column.name, values, other, equal | negated, where, None)


def _close(a: Floats, b: Floats) -> NDArray[np.bool_]:
    """Whether two rows are equal up to rounding."""
    within = np.abs(a - b) <= SAME * np.maximum(np.abs(a), np.abs(b))
    return np.asarray(within.all(axis=1), dtype=np.bool_)


def _disagree(
    name: str, values: Floats, other: Floats, agree: NDArray[np.bool_], where: Where, declared: bool | None
) -> HodgeletInputError:
    wrong = np.flatnonzero(~agree)
    row = int(wrong[0]) if len(wrong) else 0
    found = f"{np.squeeze(values[row]).tolist()} and {np.squeeze(other[row]).tolist()}"
    expected = {
        True: "negated values on reversed arcs, as it is declared oriented",
        False: "equal values, as it is declared unoriented",
        None: "equal values (unoriented) or negated ones on reversed arcs (a flow), the same for every edge",
    }[declared]
    way_out = "give each edge once, keep both with directed='flow', or leave the attribute out with edge_attrs"
    return HodgeletInputError(
        f"{where(row)}: attribute {name!r} is {found} on its arcs, expected {expected}; {way_out}"
    )
