"""What the tests of inputs share."""

from __future__ import annotations

from typing import Any

import numpy as np

from hodgelet import Column, GraphBatch


def column(batch: GraphBatch, name: str, dim: int = 0) -> Column:
    """The column of that name."""
    return next(c for c in batch.columns if c.name == name and c.dim == dim)


def labels(batch: GraphBatch, name: str, dim: int = 0) -> list[str]:
    """The labels of a column, by name."""
    found = column(batch, name, dim)
    assert found.kind == "labels" and found.categories is not None
    return [found.categories[code] for code in found.values]


def reals(batch: GraphBatch, name: str, dim: int = 0) -> list[Any]:
    """The numbers of a column, one channel flat."""
    found = column(batch, name, dim)
    assert found.kind == "real"
    return found.values[:, 0].tolist() if found.values.shape[1] == 1 else found.values.tolist()


def boundary(batch: GraphBatch, dim: int) -> np.ndarray:
    """The dense boundary operator of a batch of one graph."""
    assert batch.n_graphs == 1
    below = int(batch.cell_offsets(dim - 1)[-1])
    out = np.zeros((below, int(batch.cell_offsets(dim)[-1])))
    if dim == 1:
        for e, (tail, head) in enumerate(batch.edges):
            out[tail, e], out[head, e] = -1.0, 1.0
    elif dim == 2 and batch.triangles is not None:
        number = {tuple(edge): (e, 1.0) for e, edge in enumerate(batch.edges.tolist())}
        number |= {(b, a): (e, -1.0) for (a, b), (e, _) in number.items()}
        for t, (a, b, c) in enumerate(batch.triangles.tolist()):
            for step in ((a, b), (b, c), (c, a)):
                e, sign = number[step]
                out[e, t] = sign
    else:
        found = next(b for b in batch.boundaries if b.dim == dim)
        for cell in range(out.shape[1]):
            rows = slice(found.face_offsets[cell], found.face_offsets[cell + 1])
            out[found.faces[rows], cell] = found.coefficients[rows]
    return out
