"""Complexes of graphs and points: cliques, rings, cycles, subdivisions, Rips, alpha."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from hodgelet._batch import Column, GraphBatch
from hodgelet._errors import HodgeletInputError, HodgeletWarning
from hodgelet._inputs import as_batch
from hodgelet._inputs._hypergraphs import batch_of

__all__ = ["lift"]

LIFTS = ("cliques", "rings", "cycles", "cycle-basis", "barycentric", "stellar", "graded", "rips", "alpha")
OF_POINTS = ("rips", "alpha")
#: Which parameters each lift takes.
TAKES = {"dim": ("cliques", "rips"), "max_length": ("rings", "cycles"), "radius": OF_POINTS, "points": OF_POINTS}


def lift(
    graphs: Any,
    to: str,
    *,
    dim: int | None = None,
    max_length: int | None = None,
    radius: float | None = None,
    points: str | None = None,
    **options: Any,
) -> GraphBatch:
    """The complexes that a lift makes of graphs or points, as ``hodgelet lift`` does.

    Parameters
    ----------
    graphs
        What `as_batch` takes, with its ``options``; for ``"rips"`` and ``"alpha"`` also a list of arrays of points,
        ``[n_points, n_coordinates]``.
    to
        ``"cliques"`` up to ``dim`` (2), ``"rings"`` of at most ``max_length`` (8) vertices, all ``"cycles"`` without a
        chord of at most ``max_length`` vertices, a ``"cycle-basis"``; of a simplicial complex the same space cut finer:
        ``"barycentric"`` (a vertex in the middle of every simplex), ``"stellar"`` (in the middle of every facet),
        ``"graded"`` (of half the facets, drawn with the seed 0); of points ``"rips"`` (points at most ``radius``
        apart span a simplex, up to ``dim``) and ``"alpha"`` (disks of ``radius``, in the plane).
    dim, max_length, radius
        As above.
    points
        Name of the attribute of vertices that holds their coordinates, ``"position"`` by default.
    **options
        Those of `as_batch`.

    Raises
    ------
    HodgeletInputError
        Names the graph at fault, what was found and what was expected.

    >>> import numpy as np
    >>> from hodgelet import lift
    >>> square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    >>> lift([square], "rips", radius=1.1)
    GraphBatch(1 graphs, 4 vertices, 4 edges, 0 cells of dimension 2; columns: position (dimension 0))
    >>> hexagon = ([[0, 1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 0]],)
    >>> lift([hexagon], "rings")
    GraphBatch(1 graphs, 6 vertices, 6 edges, 1 cells of dimension 2; columns: none)

    """
    from hodgelet import _native

    if to not in LIFTS:
        raise HodgeletInputError(f"to={to!r}, expected one of {', '.join(map(repr, LIFTS))}")
    given = {"dim": dim, "max_length": max_length, "radius": radius, "points": points}
    for name, value in given.items():
        if value is not None and to not in TAKES[name]:
            raise HodgeletInputError(f"{name}={value!r} does not apply to {to!r}")
    needed = {"rips": "radius", "alpha": "radius", "cycles": "max_length"}.get(to)
    if needed is not None and given[needed] is None:
        raise HodgeletInputError(f"{to!r} needs {needed}")
    batch = _points(graphs) if to in OF_POINTS else None
    if batch is None:
        batch = as_batch(graphs, **options)
    arrays = _native.lift(batch, to, dim, max_length, radius, points)
    if arrays["left_out"]:
        warnings.warn(f"dropped with their cells: {', '.join(arrays['left_out'])}", HodgeletWarning, stacklevel=2)
    return batch_of(arrays)


def _points(clouds: Any) -> GraphBatch | None:
    """The batch of a list of arrays of points; none of anything else."""
    if not isinstance(clouds, (list, tuple)) or not all(
        isinstance(c, np.ndarray) and c.ndim == 2 and c.dtype.kind in "fiu" for c in clouds
    ):
        return None
    widths = {c.shape[1] for c in clouds}
    if len(widths) > 1:
        raise HodgeletInputError(f"points have {sorted(widths)} coordinates, expected as many in every array")
    none = np.zeros(len(clouds) + 1, dtype=np.int64)
    vertices = np.array([len(c) for c in clouds], dtype=np.int64)
    columns = [Column("position", 0, "real", np.concatenate(clouds).astype(np.float64))] if clouds else []
    return GraphBatch(vertices, none, np.zeros((0, 2), dtype=np.int64), columns=columns).validate()
