"""Hodge theory of one graph or complex: operators, Betti numbers, the decomposition of a signal."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hodgelet._batch import GraphBatch
from hodgelet._errors import HodgeletInputError
from hodgelet._inputs import as_batch

__all__ = ["Decomposition", "betti_numbers", "boundary", "decompose", "laplacian"]

Floats = NDArray[np.float64]


class Decomposition(NamedTuple):
    """Three orthogonal signals that add up to one."""

    exact: Floats
    coexact: Floats
    harmonic: Floats


def betti_numbers(graph: Any, *, cliques: int = 2) -> list[int]:
    """Betti numbers over the reals, dimension by dimension; cliques of a graph are filled up to ``cliques``.

    >>> import numpy as np
    >>> from hodgelet import hodge
    >>> square = (np.array([[0, 1, 2, 3], [1, 2, 3, 0]]),)
    >>> hodge.betti_numbers(square)
    [1, 1, 0]
    """
    from hodgelet import _native

    return _native.betti_numbers(_one(graph), cliques)[0]


def boundary(graph: Any, dim: int, *, cliques: int = 2) -> Floats:
    """The signed boundary operator ``B_dim``, ``[n_cells(dim - 1), n_cells(dim)]``."""
    from hodgelet import _native

    return _native.boundary(_one(graph), dim, cliques)


def laplacian(
    graph: Any, dim: int = 0, *, term: str = "both", laplacian: str = "combinatorial", cliques: int = 2
) -> Floats:
    """The Hodge Laplacian of dimension ``dim``, or its ``"down"`` or ``"up"`` term.

    >>> import numpy as np
    >>> from hodgelet import hodge
    >>> hodge.laplacian((np.array([[0, 1], [1, 2]]),), 0).tolist()
    [[1.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 1.0]]
    """
    from hodgelet import _native

    return _native.laplacian(_one(graph), dim, term, laplacian, cliques)


def decompose(
    graph: Any, signal: ArrayLike, dim: int = 1, *, laplacian: str = "combinatorial", cliques: int = 2
) -> Decomposition:
    """The exact, co-exact and harmonic parts of an oriented signal, each of the signal's shape.

    ``signal`` is ``[n_cells]`` or ``[n_cells, n_channels]``; on edges its sign follows the order of their vertices.

    >>> import numpy as np
    >>> from hodgelet import hodge
    >>> square = (np.array([[0, 1, 2, 3], [1, 2, 3, 0]]),)
    >>> hodge.decompose(square, [1.0, 1.0, 1.0, 1.0]).harmonic.round(6).tolist()
    [1.0, 1.0, 1.0, 1.0]
    """
    from hodgelet import _native

    values = np.asarray(signal, dtype=np.float64)
    if values.ndim not in (1, 2):
        raise HodgeletInputError(f"the signal has {values.ndim} axes, expected [n_cells] or [n_cells, n_channels]")
    table = values[:, None] if values.ndim == 1 else values
    parts = _native.decompose(_one(graph), dim, np.ascontiguousarray(table), laplacian, cliques)
    return Decomposition(*(part.reshape(values.shape) for part in parts))


def _one(graph: Any) -> GraphBatch:
    many = graph if isinstance(graph, GraphBatch) else [graph]
    batch = as_batch(many, vertex_attrs=[], edge_attrs=[])  # no signal is read, so none can be invalid
    if len(batch) != 1:
        raise HodgeletInputError(f"{len(batch)} graphs, expected one")
    return batch
