"""Many graphs as a few flat arrays: what every input becomes, and what the native code reads.

Nothing here loops over edges or cells; a batch of a million edges is checked, selected and joined by NumPy alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hodgelet._errors import HodgeletInputError

__all__ = ["Boundary", "Column", "GraphBatch"]

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


#: In place of a dimension: graphs as a whole.
WHOLE = 65


@dataclass(eq=False)
class Column:
    """What is known of every cell of one dimension: numbers in channels, or one label per cell.

    ``values`` runs over the cells of the first graph, then the second, and so on: ``float64[n_cells, n_channels]`` for
    ``kind="real"``, codes ``int64[n_cells]`` into ``categories`` for ``kind="labels"``. With ``dim=WHOLE`` a column is
    of graphs as a whole: one row of numbers each, or labels (tags), those of graph ``i`` from ``offsets[i]`` on. One
    that is ``optional`` is not learned from where all its values are zero.
    """

    name: str
    dim: int
    kind: Literal["real", "labels"]
    values: NDArray[Any]
    channels: list[str] | None = None
    categories: list[str] | None = None
    oriented: bool = False
    offsets: Ints | None = None
    optional: bool = False

    @property
    def channel_names(self) -> list[str]:
        """Names of the channels; numbers from 0 where none were given."""
        if self.channels is not None:
            return list(self.channels)
        return [str(c) for c in range(self.values.shape[1] if self.values.ndim == 2 else 1)]


@dataclass(eq=False)
class Boundary:
    """Cells of one dimension by their signed boundaries, for complexes that are not simplicial.

    Cell ``c`` (over all graphs) has the faces ``faces[face_offsets[c]:face_offsets[c + 1]]``, numbered within the
    cells of dimension ``dim - 1`` of its graph, with these ``coefficients``; graph ``g`` owns the cells
    ``cell_offsets[g]:cell_offsets[g + 1]``.
    """

    dim: int
    cell_offsets: Ints
    face_offsets: Ints
    faces: Ints
    coefficients: Floats


@dataclass(eq=False, repr=False)
class GraphBatch:
    """Graphs, or complexes, end to end in flat arrays.

    ``edges`` holds vertex numbers local to each graph, each undirected edge once; its order is its orientation. When
    ``triangles`` or ``boundaries`` are given the complexes are taken as they are; otherwise a model may fill cliques.
    ``boundaries`` continue where edges (or triangles) end, one dimension after the other; a first one of dimension 1,
    that of hyperedges, takes the place of edges. ``weights`` gives cells of a dimension positive weights, which define
    the Laplacian.

    >>> import numpy as np
    >>> from hodgelet import GraphBatch
    >>> path_and_triangle = GraphBatch(
    ...     vertices=np.array([3, 3]),
    ...     edge_offsets=np.array([0, 2, 5]),
    ...     edges=np.array([[0, 1], [1, 2], [0, 1], [1, 2], [0, 2]]),
    ... )
    >>> len(path_and_triangle), path_and_triangle[1].edges.shape
    (2, (3, 2))
    """

    vertices: Ints
    edge_offsets: Ints
    edges: Ints
    triangle_offsets: Ints | None = None
    triangles: Ints | None = None
    boundaries: list[Boundary] = field(default_factory=list)
    weights: dict[int, Floats] = field(default_factory=dict)
    columns: list[Column] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Brings every array to its type, without a copy where it has it."""
        self.vertices = _ints(self.vertices, "vertices", 1)
        self.edge_offsets = _ints(self.edge_offsets, "edge_offsets", 1)
        self.edges = _ints(self.edges, "edges", 2, width=2)
        if (self.triangles is None) != (self.triangle_offsets is None):
            raise HodgeletInputError("triangles and triangle_offsets are given together or not at all")
        if self.triangles is not None:
            self.triangle_offsets = _ints(self.triangle_offsets, "triangle_offsets", 1)
            self.triangles = _ints(self.triangles, "triangles", 2, width=3)
        self.boundaries = [_boundary(b) for b in self.boundaries]
        self.weights = {int(dim): _floats(w, f"weights of dimension {dim}", 1) for dim, w in self.weights.items()}
        self.columns = [_column(c) for c in self.columns]

    def to_learn_from(self) -> GraphBatch:
        """The batch without optional columns that are zero everywhere."""
        columns = [c for c in self.columns if not c.optional or c.values.any()]
        return self if len(columns) == len(self.columns) else replace(self, columns=columns)

    @property
    def n_graphs(self) -> int:
        """Number of graphs."""
        return len(self.vertices)

    @property
    def shape(self) -> tuple[int]:
        """The number of graphs, as arrays have it; so that scikit-learn can split a batch."""
        return (self.n_graphs,)

    @property
    def dim(self) -> int:
        """Highest dimension of cells in the batch."""
        if self.boundaries:
            return self.boundaries[-1].dim
        return 1 + (self.triangles is not None)

    def _repr_html_(self) -> str:
        from hodgelet._html import batch_html

        return batch_html(self)

    def __len__(self) -> int:
        return self.n_graphs

    def __repr__(self) -> str:
        cells = [f"{self.vertices.sum()} vertices", f"{len(self.edges)} edges"]
        cells += [f"{self.cell_offsets(dim)[-1]} cells of dimension {dim}" for dim in range(2, self.dim + 1)]
        columns = ", ".join(f"{c.name} (dimension {c.dim})" for c in self.columns) or "none"
        return f"GraphBatch({len(self)} graphs, {', '.join(cells)}; columns: {columns})"

    def __iter__(self) -> Iterator[GraphBatch]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, key: Any) -> GraphBatch:
        """The graphs ``key`` (a number, a slice, numbers or a mask), as a batch."""
        if isinstance(key, tuple):  # array[key, ...] as scikit-learn writes it
            if len(key) != 2 or key[1] is not Ellipsis:
                raise HodgeletInputError(f"a batch has one axis, got the index {key!r}")
            key = key[0]
        if isinstance(key, slice):
            return self.take(np.arange(len(self))[key])
        if isinstance(key, (int, np.integer)):
            if not -len(self) <= key < len(self):
                raise IndexError(f"graph {key}, but the batch has {len(self)}")
            return self.take(np.array([key % len(self)]))
        return self.take(key)

    def cell_offsets(self, dim: int) -> Ints:
        """Where each graph starts among the cells of dimension ``dim``, ``[n_graphs + 1]``."""
        if dim == 0:
            return np.concatenate([[0], np.cumsum(self.vertices)]).astype(np.int64)
        if dim == WHOLE:
            return np.arange(len(self) + 1, dtype=np.int64)
        if dim == 1 and not self._has_hyperedges:
            return self.edge_offsets
        if dim == 2 and self.triangle_offsets is not None:
            return self.triangle_offsets
        for boundary in self.boundaries:
            if boundary.dim == dim:
                return boundary.cell_offsets
        return np.zeros(len(self) + 1, dtype=np.int64)

    @property
    def _has_hyperedges(self) -> bool:
        """Whether cells of dimension 1 are told by their boundaries, as hyperedges are, and not by two ends."""
        return bool(self.boundaries) and self.boundaries[0].dim == 1

    def take(self, indices: Sequence[int] | NDArray[Any]) -> GraphBatch:
        """The graphs ``indices`` (numbers, or a mask over all graphs) in that order."""
        index = self._index(indices)
        edge_offsets, edge_rows = _gather(self.edge_offsets, index)
        taken = replace(
            self,
            vertices=self.vertices[index],
            edge_offsets=edge_offsets,
            edges=self.edges[edge_rows],
            boundaries=[_take_boundary(b, index) for b in self.boundaries],
            weights={dim: w[_gather(self.cell_offsets(dim), index)[1]] for dim, w in self.weights.items()},
            columns=[self._take_column(c, index) for c in self.columns],
        )
        if self.triangles is not None and self.triangle_offsets is not None:
            taken.triangle_offsets, rows = _gather(self.triangle_offsets, index)
            taken.triangles = self.triangles[rows]
        return taken

    def _starts(self, column: Column) -> Ints:
        """Where each graph starts in a column."""
        return self.cell_offsets(column.dim) if column.offsets is None else column.offsets

    def _take_column(self, column: Column, index: Ints) -> Column:
        offsets, rows = _gather(self._starts(column), index)
        return replace(column, values=column.values[rows], offsets=None if column.offsets is None else offsets)

    def _index(self, indices: Sequence[int] | NDArray[Any]) -> Ints:
        index = np.asarray(indices)
        if index.dtype == bool:
            if index.shape != (len(self),):
                raise HodgeletInputError(f"a mask of shape {index.shape}, but the batch has {len(self)} graphs")
            return np.flatnonzero(index)
        index = index.astype(np.int64) if index.size == 0 else index
        if index.ndim != 1 or not np.issubdtype(index.dtype, np.integer):
            raise HodgeletInputError(f"graphs are chosen by a list of whole numbers, got {index.dtype}{index.shape}")
        wrong = (index < -len(self)) | (index >= len(self))
        if wrong.any():
            raise IndexError(f"graph {index[wrong][0]}, but the batch has {len(self)}")
        return np.where(index < 0, index + len(self), index).astype(np.int64)

    @classmethod
    def concatenate(cls, batches: Sequence[GraphBatch]) -> GraphBatch:
        """The graphs of several batches, one after the other; their columns must agree in name and kind."""
        if not batches:
            zero = np.zeros(1, dtype=np.int64)
            return cls(np.zeros(0, dtype=np.int64), zero, np.zeros((0, 2), dtype=np.int64))
        first = batches[0]
        for position, other in enumerate(batches):
            if _layout(other) != _layout(first):
                found, expected = _layout(other), _layout(first)
                raise HodgeletInputError(f"part {position} holds {found}, expected what part 0 holds: {expected}")
        joined = cls(
            vertices=np.concatenate([b.vertices for b in batches]),
            edge_offsets=_join_offsets([b.edge_offsets for b in batches]),
            edges=np.concatenate([b.edges for b in batches]),
            boundaries=[_join_boundary([b.boundaries[k] for b in batches]) for k in range(len(first.boundaries))],
            weights={dim: np.concatenate([b.weights[dim] for b in batches]) for dim in first.weights},
            columns=[_join_column([b.columns[c] for b in batches]) for c in range(len(first.columns))],
        )
        if first.triangles is not None:
            joined.triangle_offsets = _join_offsets([b.cell_offsets(2) for b in batches])
            joined.triangles = np.concatenate([b.cells(2) for b in batches])
        return joined

    def cells(self, dim: int) -> Ints:
        """The vertices of every edge (``dim=1``) or triangle (``dim=2``)."""
        if dim == 1:
            return self.edges
        return np.zeros((0, 3), dtype=np.int64) if self.triangles is None else self.triangles

    def validate(self) -> GraphBatch:
        """Checks that all arrays are consistent; returns the batch itself.

        Raises
        ------
        HodgeletInputError
            Names the first invalid graph, what was found and what was expected.

        """
        if (self.vertices < 0).any():
            graph = int(np.flatnonzero(self.vertices < 0)[0])
            raise HodgeletInputError(f"graph {graph}: {self.vertices[graph]} vertices, expected 0 or more")
        _check_offsets(self.edge_offsets, len(self), len(self.edges), "edge")
        self._check_ends(self.edges, self.edge_offsets, "edge")
        if self.triangles is not None and self.triangle_offsets is not None:
            _check_offsets(self.triangle_offsets, len(self), len(self.triangles), "triangle")
            self._check_ends(self.triangles, self.triangle_offsets, "triangle")
        first = 3 if self.triangles is not None else 2
        if self._has_hyperedges:
            if len(self.edges) or self.triangles is not None:
                raise HodgeletInputError("edges or triangles beside a boundary of dimension 1, expected none")
            first = 1
        for dim, boundary in enumerate(self.boundaries, start=first):
            self._check_boundary(boundary, dim)
        for dim, weights in self.weights.items():
            self._check_weights(dim, weights)
        for position, column in enumerate(self.columns):
            if any(c.dim == column.dim and c.name == column.name for c in self.columns[:position]):
                raise HodgeletInputError(f"column `{column.name}` of dimension {column.dim} appears twice")
            self._check_column(column)
        return self

    def graph_of(self, dim: int, cell: int) -> int:
        """The graph that owns a cell."""
        return int(np.searchsorted(self.cell_offsets(dim), cell, side="right")) - 1

    def _check_ends(self, cells: Ints, offsets: Ints, what: str) -> None:
        if len(cells) == 0:
            return
        counts = np.repeat(self.vertices, np.diff(offsets)).view(np.uint64)
        # Read as unsigned, a negative number is a large one; columns one by one are faster than rows.
        outside = [cells[:, c].view(np.uint64) >= counts for c in range(cells.shape[1])]
        if any(column.any() for column in outside):
            row = int(np.flatnonzero(np.logical_or.reduce(outside))[0])
            graph = int(np.searchsorted(offsets, row, side="right")) - 1
            raise HodgeletInputError(
                f"graph {graph}: {what} {row - offsets[graph]} joins vertices {cells[row].tolist()}, "
                f"but the graph has {self.vertices[graph]} vertices, numbered from 0"
            )

    def _check_boundary(self, boundary: Boundary, expected: int) -> None:
        if boundary.dim != expected:
            raise HodgeletInputError(f"a boundary of dimension {boundary.dim}, expected {expected} to follow")
        n_cells = len(boundary.face_offsets) - 1
        _check_offsets(boundary.cell_offsets, len(self), n_cells, f"cell of dimension {expected}")
        _check_offsets(boundary.face_offsets, n_cells, len(boundary.faces), f"face of dimension {expected - 1}")
        if len(boundary.faces) != len(boundary.coefficients):
            found = len(boundary.coefficients)
            raise HodgeletInputError(f"{found} coefficients of dimension {expected}, expected {len(boundary.faces)}")
        below = np.diff(self.cell_offsets(expected - 1))
        per_cell = np.repeat(below, np.diff(boundary.cell_offsets))
        limit = np.repeat(per_cell, np.diff(boundary.face_offsets))
        wrong = (boundary.faces < 0) | (boundary.faces >= limit)
        if wrong.any():
            row = int(np.flatnonzero(wrong)[0])
            cell = int(np.searchsorted(boundary.face_offsets, row, side="right")) - 1
            graph = self.graph_of(expected, cell)
            raise HodgeletInputError(
                f"graph {graph}: cell {cell - boundary.cell_offsets[graph]} of dimension {expected} has the face "
                f"{boundary.faces[row]}, but the graph has {below[graph]} cells of dimension {expected - 1}"
            )
        if not np.isfinite(boundary.coefficients).all():
            raise HodgeletInputError(f"a boundary of dimension {expected} has a coefficient that is not finite")

    def _check_weights(self, dim: int, weights: Floats) -> None:
        n_cells = int(self.cell_offsets(dim)[-1])
        if len(weights) != n_cells:
            raise HodgeletInputError(f"{len(weights)} weights of dimension {dim}, expected {n_cells}")
        wrong = ~((weights > 0) & np.isfinite(weights))
        if wrong.any():
            cell = int(np.flatnonzero(wrong)[0])
            graph = self.graph_of(dim, cell)
            cell -= int(self.cell_offsets(dim)[graph])
            raise HodgeletInputError(
                f"graph {graph}: the weight of cell {cell} of dimension {dim} is "
                f"{weights[wrong][0]}, expected a finite number above 0"
            )

    def _check_column(self, column: Column) -> None:
        what = f"column `{column.name}` of {'graphs' if column.dim == WHOLE else f'dimension {column.dim}'}"
        if column.offsets is not None:
            if (column.dim, column.kind) != (WHOLE, "labels"):
                raise HodgeletInputError(f"{what} has offsets, which only labels of graphs as a whole have")
            _check_offsets(column.offsets, len(self), len(column.values), "tag")
        n_cells = int(self._starts(column)[-1])
        if len(column.values) != n_cells:
            raise HodgeletInputError(f"{what} has {len(column.values)} rows, but there are {n_cells} cells")
        if column.kind == "labels":
            limit = len(column.categories or [])
            wrong, expected = (column.values < 0) | (column.values >= limit), f"a code below {limit}"
        else:
            width = len(column.channel_names)
            if column.values.shape[1] != width:
                raise HodgeletInputError(f"{what} has {column.values.shape[1]} channels, but {width} names")
            if np.isfinite(column.values).all():
                return
            wrong, expected = ~np.isfinite(column.values).all(axis=1), "finite numbers"
        if wrong.any():
            cell = int(np.flatnonzero(wrong)[0])
            graph = int(np.searchsorted(self._starts(column), cell, side="right")) - 1
            local = cell - int(self._starts(column)[graph])
            found = np.asarray(column.values[cell]).tolist()
            raise HodgeletInputError(f"graph {graph}: {what} has {found} on cell {local}, expected {expected}")


def _gather(offsets: Ints, index: Ints) -> tuple[Ints, Ints]:
    """New offsets, and the rows of the old arrays, for the graphs ``index``."""
    lengths = np.diff(offsets)[index]
    new = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    rows = np.repeat(offsets[:-1][index] - new[:-1], lengths) + np.arange(new[-1])
    return new, rows


def _take_boundary(boundary: Boundary, index: Ints) -> Boundary:
    cell_offsets, cells = _gather(boundary.cell_offsets, index)
    face_offsets, rows = _gather(boundary.face_offsets, cells)
    return Boundary(boundary.dim, cell_offsets, face_offsets, boundary.faces[rows], boundary.coefficients[rows])


def _join_offsets(parts: Sequence[Ints]) -> Ints:
    lengths = np.concatenate([np.diff(offsets) for offsets in parts])
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def _join_boundary(parts: Sequence[Boundary]) -> Boundary:
    return Boundary(
        parts[0].dim,
        _join_offsets([b.cell_offsets for b in parts]),
        _join_offsets([b.face_offsets for b in parts]),
        np.concatenate([b.faces for b in parts]),
        np.concatenate([b.coefficients for b in parts]),
    )


def _join_column(parts: Sequence[Column]) -> Column:
    first = parts[0]
    if first.kind == "real":
        return replace(first, values=np.concatenate([c.values for c in parts]))
    categories = list(dict.fromkeys(name for c in parts for name in c.categories or []))
    code = {name: position for position, name in enumerate(categories)}
    recoded = [np.array([code[name] for name in c.categories or []], dtype=np.int64)[c.values] for c in parts]
    owned = [c.offsets for c in parts if c.offsets is not None]
    offsets = _join_offsets(owned) if len(owned) == len(parts) else None
    return replace(first, values=np.concatenate(recoded), categories=categories, offsets=offsets)


def _layout(batch: GraphBatch) -> Any:
    """What two batches must share to be joined."""
    columns = [
        (c.dim, c.name, c.kind, c.oriented, c.channel_names if c.kind == "real" else None) for c in batch.columns
    ]
    return {"dimension": batch.dim, "weights": sorted(batch.weights), "columns": columns}


def _check_offsets(offsets: Ints, n: int, total: int, what: str) -> None:
    if len(offsets) != n + 1:
        raise HodgeletInputError(f"{len(offsets)} offsets of {what}s, expected {n + 1}")
    if offsets[0] != 0 or offsets[-1] != total or (np.diff(offsets) < 0).any():
        raise HodgeletInputError(f"offsets of {what}s must rise from 0 to {total}, got {_brief(offsets)}")


def _brief(values: NDArray[Any]) -> str:
    shown = ", ".join(str(v) for v in values[:6])
    return f"[{shown}, ...]" if len(values) > 6 else f"[{shown}]"


def _ints(values: Any, what: str, ndim: int, width: int | None = None) -> Ints:
    array = np.asarray(values)
    if array.size == 0:
        array = array.astype(np.int64).reshape((0,) if ndim == 1 else (0, width or 0))
    if not np.issubdtype(array.dtype, np.integer):
        raise HodgeletInputError(f"{what} holds {array.dtype}, expected whole numbers")
    if array.ndim != ndim or (width is not None and array.shape[1] != width):
        expected = "[n]" if width is None else f"[n, {width}]"
        raise HodgeletInputError(f"{what} has the shape {list(array.shape)}, expected {expected}")
    return np.ascontiguousarray(array, dtype=np.int64)


def _floats(values: Any, what: str, ndim: int) -> Floats:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise HodgeletInputError(f"{what} cannot be read as numbers") from None
    if array.ndim == 1 and ndim == 2:
        array = array[:, None]
    if array.ndim != ndim:
        raise HodgeletInputError(f"{what} has {array.ndim} axes, expected {ndim}")
    return np.ascontiguousarray(array)


def _boundary(b: Any) -> Boundary:
    if not isinstance(b, Boundary):
        raise HodgeletInputError(f"boundaries holds a {type(b).__name__}, expected `Boundary`")
    return Boundary(
        int(b.dim),
        _ints(b.cell_offsets, "cell_offsets", 1),
        _ints(b.face_offsets, "face_offsets", 1),
        _ints(b.faces, "faces", 1),
        _floats(b.coefficients, "coefficients", 1),
    )


def _column(c: Any) -> Column:
    if not isinstance(c, Column):
        raise HodgeletInputError(f"columns holds a {type(c).__name__}, expected `Column`")
    what = f"column `{c.name}` of dimension {c.dim}"
    if c.kind == "real":
        return replace(c, values=_floats(c.values, what, 2))
    if c.kind == "labels":
        if c.categories is None:
            raise HodgeletInputError(f"{what} holds labels, which need categories")
        categories = [str(name) for name in c.categories]
        if len(set(categories)) != len(categories):
            raise HodgeletInputError(f"{what} names a category twice")
        offsets = None if c.offsets is None else _ints(c.offsets, f"offsets of {what}", 1)
        return replace(c, values=_ints(c.values, what, 1), categories=categories, offsets=offsets)
    raise HodgeletInputError(f'{what} is of kind {c.kind!r}, expected "real" or "labels"')
