"""Directed graphs whose directions were given a meaning: flows, or an error.

A number ``a`` on arcs becomes two signals on edges: ``(a_uv + a_vu) / 2``, unoriented, under its name, and
``(a_uv - a_vu) / 2``, oriented from ``u`` to ``v``, under its name with ``-flow``. An arc that is not there has 0;
where arcs have no numbers each counts 1, in the signals ``arc`` and ``arc-flow``.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hodgelet._batch import Column
from hodgelet._errors import HodgeletInputError

__all__ = ["check_both_ways", "flow_columns", "without_back"]

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


def without_back(arcs: Ints, first: Ints, of_edge: Ints, one_way: Bools) -> Ints:
    """Arcs of directed graphs without one back."""
    back = arcs[:, 0] != arcs[first[of_edge], 0]
    ways = np.zeros((len(first), 2), dtype=bool)
    ways[of_edge, back.astype(np.int64)] = True
    ways[of_edge[~one_way]] = True
    return np.flatnonzero(~(ways[:, 0] & ways[:, 1])[of_edge])


def check_both_ways(graphs: Ints, arcs: Ints, first: Ints, of_edge: Ints, one_way: Bools) -> None:
    """Refuses an arc of a directed graph without one back."""
    wrong = without_back(arcs, first, of_edge, one_way)
    if len(wrong):
        tail, head = arcs[wrong[0]]
        raise HodgeletInputError(
            f"graph {graphs[wrong[0]]}: found an arc from vertex {tail} to {head} and none back, expected an "
            "undirected graph: directed='ignore' reads arcs as edges, directed='flow' makes signals of their directions"
        )


def flow_columns(
    graphs: Ints, arcs: Ints, first: Ints, of_edge: Ints, one_way: Bools, columns: list[Column]
) -> list[Column]:
    """The columns on edges of columns on arcs."""
    back = (arcs[:, 0] != arcs[first[of_edge], 0]).astype(np.int64)
    both = np.flatnonzero(~one_way)
    # Every arc and the way that it goes; edges that are not arcs go both ways.
    rows = np.concatenate([np.arange(len(arcs)), both])
    ways = 2 * of_edge[rows] + np.concatenate([back, 1 - back[both]])
    _, chosen = np.unique(ways, return_index=True)
    place = np.full(2 * len(first), -1, dtype=np.int64)
    place[ways[chosen]] = rows[chosen]
    out: list[Column] = []
    for column in columns:
        if column.kind == "labels":
            out.append(_labels(column, graphs, arcs, first, of_edge))
            continue
        _check_repeated(column, graphs, arcs, rows, place[ways])
        values = np.zeros((2 * len(first), column.values.shape[1]))
        values[place >= 0] = column.values[place[place >= 0]]
        out.extend(_parts(column, values))
    if not any(column.oriented for column in out):
        counted = Column("arc", 1, "real", np.zeros((len(arcs), 1)))
        out.extend(_parts(counted, (place >= 0).astype(np.float64)[:, None]))
    return out


def _parts(column: Column, values: NDArray[np.float64]) -> list[Column]:
    along, back = values[0::2] / 2, values[1::2] / 2
    flow = replace(column, name=f"{column.name}-flow", values=along - back, oriented=True)
    return [replace(column, values=along + back), flow]


def _labels(column: Column, graphs: Ints, arcs: Ints, first: Ints, of_edge: Ints) -> Column:
    differ = np.flatnonzero(column.values != column.values[first[of_edge]])
    if len(differ):
        row, names = int(differ[0]), column.categories or []
        found = [names[column.values[i]] for i in (first[of_edge[row]], row)]
        raise _disagree(column.name, found, graphs, arcs, row, "one label")
    return replace(column, values=column.values[first])


def _check_repeated(column: Column, graphs: Ints, arcs: Ints, rows: Ints, earlier: Ints) -> None:
    differ = np.flatnonzero((column.values[rows] != column.values[earlier]).any(axis=1))
    if len(differ):
        row, other = int(rows[differ[0]]), int(earlier[differ[0]])
        found = [np.squeeze(column.values[i]).tolist() for i in (other, row)]
        raise _disagree(column.name, found, graphs, arcs, row, "one value for each direction")


def _disagree(name: str, found: list[object], graphs: Ints, arcs: Ints, row: int, expected: str) -> HodgeletInputError:
    tail, head = arcs[row]
    return HodgeletInputError(
        f"graph {graphs[row]}, edge between vertices {tail} and {head}: attribute {name!r} is {found[0]!r} and "
        f"{found[1]!r} on its arcs, expected {expected}"
    )
