"""Simplicial complexes of any dimension: lists of vertices, dimension by dimension, become arrays and boundaries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hodgelet._batch import Boundary, Column, GraphBatch
from hodgelet._errors import HodgeletInputError
from hodgelet._inputs._columns import columns_of, locate
from hodgelet._inputs._merge import orient_columns
from hodgelet._inputs._options import Options

__all__ = ["Simplices", "cell_columns", "from_simplices", "offsets_of"]


@dataclass
class Simplices:
    """One complex: ``cells[k]`` holds its simplices of dimension ``k``, tuples of local vertices that orient them."""

    n_vertices: int
    cells: dict[int, list[tuple[int, ...]]] = field(default_factory=dict)
    values: dict[tuple[int, str], list[Any]] = field(default_factory=dict)  # by dimension and name


def offsets_of(counts: Sequence[int]) -> Any:
    """Where each graph starts, from how many cells each has."""
    return np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]).astype(np.int64)


def from_simplices(complexes: Sequence[Simplices], names: dict[int, list[str]], options: Options) -> GraphBatch:
    """One batch; it always has triangles, even an empty list, so that no clique is filled."""
    highest = max((dim for c in complexes for dim, cells in c.cells.items() if cells), default=2)
    if options.max_dim is not None:
        highest = min(highest, options.max_dim)
    vertices = np.array([c.n_vertices for c in complexes], dtype=np.int64)
    edge_offsets, edges = _stack(complexes, 1)
    triangle_offsets, triangles = _stack(complexes, 2)
    if options.max_dim == 1:
        triangle_offsets, triangles = np.zeros(len(complexes) + 1, dtype=np.int64), np.zeros((0, 3), dtype=np.int64)
    boundaries = [_boundary(complexes, dim) for dim in range(3, highest + 1)]
    columns = cell_columns([c.values for c in complexes], names, highest, complexes, options)
    return GraphBatch(vertices, edge_offsets, edges, triangle_offsets, triangles, boundaries, columns=columns)


def cell_columns(
    values: Sequence[dict[tuple[int, str], list[Any]]],
    names: dict[int, list[str]],
    highest: int,
    complexes: Sequence[Any],
    options: Options,
) -> list[Column]:
    """Columns of every dimension up to the highest."""
    columns: list[Column] = []
    for dim, of_dim in sorted(names.items()):
        if dim > highest:
            continue
        counts = [c.n_vertices if dim == 0 else len(c.cells.get(dim, [])) for c in complexes]
        where = locate(offsets_of(counts), dim)
        for name in of_dim:
            flat = [value for by_name in values for value in by_name.get((dim, name), [])]
            if len(flat) != sum(counts):
                raise HodgeletInputError(f"attribute {name!r} is not on every cell of dimension {dim}")
            found = columns_of(name, dim, flat, options.kind(dim, name), where) if flat else []
            columns.extend(found if dim == 0 else orient_columns(found, options, directed=False))
    return columns


def _stack(complexes: Sequence[Simplices], dim: int) -> tuple[Any, Any]:
    parts = [np.array(c.cells.get(dim, []), dtype=np.int64).reshape(-1, dim + 1) for c in complexes]
    stacked = np.concatenate(parts) if parts else np.zeros((0, dim + 1), dtype=np.int64)
    return offsets_of([len(part) for part in parts]), stacked


def _boundary(complexes: Sequence[Simplices], dim: int) -> Boundary:
    """Signed faces: leaving out vertex ``j`` gives ``(-1)^j``, times the parity of the face against the stored one."""
    faces: list[int] = []
    coefficients: list[float] = []
    for position, c in enumerate(complexes):
        below = {tuple(sorted(face)): (at, _parity(face)) for at, face in enumerate(c.cells.get(dim - 1, []))}
        for cell in c.cells.get(dim, []):
            for j in range(dim + 1):
                face = cell[:j] + cell[j + 1 :]
                found = below.get(tuple(sorted(face)))
                if found is None:
                    raise HodgeletInputError(f"graph {position}: simplex {cell} lacks its face {face}")
                faces.append(found[0])
                coefficients.append(float((-1) ** j * found[1] * _parity(face)))
    n_cells = [len(c.cells.get(dim, [])) for c in complexes]
    return Boundary(
        dim,
        offsets_of(n_cells),
        np.arange(sum(n_cells) + 1, dtype=np.int64) * (dim + 1),
        np.array(faces, dtype=np.int64),
        np.array(coefficients, dtype=np.float64),
    )


def _parity(cell: Sequence[int]) -> int:
    """1 for an even permutation of ascending vertices, -1 for an odd one."""
    swaps = sum(a > b for i, a in enumerate(cell) for b in cell[i + 1 :])
    return -1 if swaps % 2 else 1
