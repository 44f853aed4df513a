"""TopoNetX simplicial and cell complexes, with the attributes of their cells.

Simplices are oriented as TopoNetX orders their vertices, edges of a cell complex as it lists them, and a 2-cell by the
walk around it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from hodgelet._batch import Boundary, GraphBatch
from hodgelet._errors import HodgeletInputError
from hodgelet._inputs._options import Options
from hodgelet._inputs._recognize import TOPONETX_UNSIGNED
from hodgelet._inputs._simplices import Simplices, cell_columns, from_simplices, offsets_of

__all__ = ["from_toponetx"]

#: Attributes that TopoNetX sets itself.
OWN = ("is_maximal", "membership", "color", "rank")


def from_toponetx(complexes: Sequence[Any], options: Options) -> GraphBatch:
    """One batch of all complexes, which must be of one kind."""
    for position, c in enumerate(complexes):
        if type(c).__name__ in TOPONETX_UNSIGNED or not (hasattr(c, "simplices") or hasattr(c, "cells")):
            raise HodgeletInputError(
                f"graph {position} is a {type(c).__name__}, which has no signed boundary: "
                "expected a SimplicialComplex or a CellComplex"
            )
    cellular = [not hasattr(c, "simplices") for c in complexes]
    if any(cellular) and not all(cellular):
        raise HodgeletInputError("simplicial and cell complexes are mixed: expected one kind, see `to_cell_complex`")
    return _from_cellular(complexes, options) if any(cellular) else _from_simplicial(complexes, options)


def _from_simplicial(complexes: Sequence[Any], options: Options) -> GraphBatch:
    read: list[Simplices] = []
    names = _names((_simplex_attributes(c) for c in complexes), options)
    for position, c in enumerate(complexes):
        number = {next(iter(simplex)): at for at, simplex in enumerate(c.skeleton(0))}
        out = Simplices(len(number))
        for dim in range(len(c.shape)):
            for simplex in c.skeleton(dim):
                if dim > 0:
                    out.cells.setdefault(dim, []).append(tuple(number[v] for v in tuple(simplex)))
                _take(out.values, dim, names, c[simplex], position, tuple(simplex))
        read.append(out)
    return from_simplices(read, names, options)


def _simplex_attributes(c: Any) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for dim in range(len(c.shape)):
        skeleton = c.skeleton(dim)
        found[dim] = [name for name in c[skeleton[0]] if name not in OWN] if len(skeleton) else []
    return found


def _names(found: Iterable[dict[int, list[str]]], options: Options) -> dict[int, list[str]]:
    """Attributes to take: those named, or those of the first cell of each dimension."""
    names: dict[int, list[str]] = {0: [], 1: []}
    for by_dim in found:
        for dim, of_dim in by_dim.items():
            if not names.get(dim):
                names[dim] = of_dim
    return {dim: options.names(dim, of_dim) for dim, of_dim in names.items()}


def _take(values: Any, dim: int, names: dict[int, list[str]], attributes: Any, position: int, cell: Any) -> None:
    for name in names.get(dim, []):
        if name not in attributes:
            raise HodgeletInputError(f"graph {position}: cell {cell} of dimension {dim} has no attribute {name!r}")
        values.setdefault((dim, name), []).append(attributes[name])


def _from_cellular(complexes: Sequence[Any], options: Options) -> GraphBatch:
    read: list[Simplices] = []
    names = _names((_cell_attributes(c) for c in complexes), options)
    boundaries: list[list[dict[int, float]]] = []
    for position, c in enumerate(complexes):
        number = {vertex: at for at, vertex in enumerate(c.nodes)}
        out = Simplices(len(number))
        for vertex in c.nodes:
            _take(out.values, 0, names, c.nodes[vertex], position, vertex)
        for u, v in c.edges:
            out.cells.setdefault(1, []).append((number[u], number[v]))
            _take(out.values, 1, names, c.edges[u, v], position, (u, v))
        edge = {(u, v): (at, 1.0) for at, (u, v) in enumerate(out.cells.get(1, []))}
        edge.update({(v, u): (at, -1.0) for (u, v), (at, _) in list(edge.items())})
        of_complex: list[dict[int, float]] = []
        for cell in () if options.max_dim == 1 else c.cells:
            _take(out.values, 2, names, c.cells[cell], position, tuple(cell.elements))
            of_complex.append(_walk([(number[u], number[v]) for u, v in cell.boundary], edge))
            out.cells.setdefault(2, []).append(tuple(number[v] for v in cell.elements))
        boundaries.append(of_complex)
        read.append(out)
    columns = cell_columns([c.values for c in read], names, 1 if options.max_dim == 1 else 2, read, options)
    edges = [np.array(c.cells.get(1, []), dtype=np.int64).reshape(-1, 2) for c in read]
    return GraphBatch(
        np.array([c.n_vertices for c in read], dtype=np.int64),
        offsets_of([len(e) for e in edges]),
        np.concatenate(edges) if edges else np.zeros((0, 2), dtype=np.int64),
        boundaries=[_stacked(boundaries)],
        columns=columns,
    )


def _cell_attributes(c: Any) -> dict[int, list[str]]:
    first = [next(iter(cells), None) for cells in (c.nodes, c.edges, c.cells)]
    sources = (c.nodes, c.edges, c.cells)
    return {
        dim: [name for name in source[cell] if name not in OWN]
        for dim, (source, cell) in enumerate(zip(sources, first, strict=True))
        if cell is not None
    }


def _walk(steps: list[tuple[int, int]], edge: dict[tuple[int, int], tuple[int, float]]) -> dict[int, float]:
    """How often the walk around a cell goes along each edge, less how often against it."""
    total: dict[int, float] = {}
    for step in steps:
        at, sign = edge[step]
        total[at] = total.get(at, 0.0) + sign
    return {at: sign for at, sign in sorted(total.items()) if sign != 0.0}


def _stacked(boundaries: list[list[dict[int, float]]]) -> Boundary:
    flat = [cell for of_complex in boundaries for cell in of_complex]
    return Boundary(
        2,
        offsets_of([len(of_complex) for of_complex in boundaries]),
        offsets_of([len(cell) for cell in flat]),
        np.array([face for cell in flat for face in cell], dtype=np.int64),
        np.array([sign for cell in flat for sign in cell.values()], dtype=np.float64),
    )
