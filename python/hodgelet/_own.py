"""What is known of graphs as a whole: tables of numbers, fingerprints, and Gram matrices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hodgelet._batch import WHOLE, Column, GraphBatch
from hodgelet._errors import HodgeletInputError

__all__ = ["with_own"]

#: Name of the column that says how much each graph counts in training.
SAMPLE_WEIGHT = "sample_weight"


#: Name of the column of products with other graphs, and the share of its size that a matrix may be asymmetric by.
GRAM = "gram"
TOLERANCE = 1e-8


def with_own(
    batch: GraphBatch,
    columns: Any = None,
    fingerprints: Any = None,
    sample_weight: Any = None,
    grams: Any = None,
    sizes: Mapping[str, int] | None = None,
) -> GraphBatch:
    """The batch with columns for numbers, fingerprints, how much graphs count, and Gram matrices.

    With ``sizes``, the number of graphs of each Gram matrix of a model, ``grams`` are rows of new graphs.
    """
    if columns is None and fingerprints is None and sample_weight is None and grams is None:
        return batch
    own = [
        *_numbers(columns, len(batch)),
        *_tags(fingerprints, len(batch)),
        *_weights(sample_weight, len(batch)),
        *_grams(grams, len(batch), sizes),
    ]
    return replace(batch, columns=[*batch.columns, *own]).validate()


def _weights(sample_weight: Any, n: int) -> list[Column]:
    if sample_weight is None:
        return []
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != (n,):
        raise HodgeletInputError(f"sample_weight has the shape {list(weights.shape)}, expected [{n}]")
    if n and not weights.any():
        raise HodgeletInputError("sample_weight is zero for all graphs, expected at least two that count")
    wrong = np.flatnonzero((weights != 0) & ~((weights >= 1e-6) & (weights <= 1e6)))
    if len(wrong):
        raise HodgeletInputError(f"sample_weight[{wrong[0]}] is {weights[wrong[0]]}, expected 0, or 1e-6 to 1e6")
    return [Column(SAMPLE_WEIGHT, WHOLE, "real", weights[:, None])]


def _grams(grams: Any, n: int, sizes: Mapping[str, int] | None) -> list[Column]:
    if grams is None:
        return []
    named = grams.items() if isinstance(grams, Mapping) else [(None, grams)]
    found = []
    for key, matrix in named:
        name = GRAM if key is None else f"{GRAM}:{key}"
        try:
            values = np.asarray(matrix, dtype=np.float64)
        except (TypeError, ValueError):
            raise HodgeletInputError(f"grams: `{name}` is not a matrix of numbers") from None
        if not np.isfinite(values).all():
            place = np.argwhere(~np.isfinite(values))[0].tolist()
            raise HodgeletInputError(f"grams: `{name}` is {values[tuple(place)]} at {place}, expected finite numbers")
        rows = _square(name, values, n) if sizes is None else _new_rows(name, values, n, sizes)
        products = [str(j) for j in range(rows.shape[1] - 2)]
        found.append(Column(name, WHOLE, "real", rows, channels=["place", "self", *products]))
    return found


def _square(name: str, values: NDArray[Any], n: int) -> NDArray[Any]:
    if values.shape != (n, n):
        raise HodgeletInputError(f"grams: `{name}` has the shape {list(values.shape)}, expected [{n}, {n}]")
    apart = np.abs(values - values.T)
    if n and apart.max() > TOLERANCE * np.abs(values).max():
        i, j = np.unravel_index(apart.argmax(), apart.shape)
        raise HodgeletInputError(
            f"grams: `{name}` is {values[i, j]} at [{i}, {j}] and {values[j, i]} at [{j}, {i}], "
            "expected a symmetric matrix"
        )
    symmetric = 0.5 * values + 0.5 * values.T
    return np.column_stack([np.arange(n), np.maximum(np.diagonal(symmetric), 0.0), symmetric])


def _new_rows(name: str, values: NDArray[Any], n: int, sizes: Mapping[str, int]) -> NDArray[Any]:
    if name not in sizes:
        known = ", ".join(f"`{other}`" for other in sizes) or "none"
        raise HodgeletInputError(f"grams: the model has no Gram matrix `{name}`; it has {known}")
    width = sizes[name]
    if values.ndim != 2 or len(values) != n or values.shape[1] not in (width, width + 1):
        raise HodgeletInputError(
            f"grams: `{name}` has the shape {list(values.shape)}, expected [{n}, {width}], or [{n}, {width + 1}] "
            "with the product of each graph with itself last"
        )
    own = np.maximum(values[:, width], 0.0) if values.shape[1] > width else np.full(n, -1.0)
    return np.column_stack([np.full(n, -1.0), own, values[:, :width]])


def _numbers(columns: Any, n: int) -> list[Column]:
    if columns is None:
        return []
    if not isinstance(columns, Mapping) and hasattr(columns, "columns") and hasattr(columns, "__getitem__"):
        columns = {str(name): columns[name] for name in columns.columns}  # a data frame
    if not isinstance(columns, Mapping):
        table = np.asarray(columns)
        if table.ndim != 2:
            raise HodgeletInputError(
                f"columns has the shape {list(table.shape)}, expected [n_graphs, n_columns], a mapping or a data frame"
            )
        columns = {f"column {c}": table[:, c] for c in range(table.shape[1])}
    found = []
    for name, values in columns.items():
        try:
            numbers = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError):
            raise HodgeletInputError(
                f"columns: `{name}` is not a column of numbers; give each category a column of 0 and 1"
            ) from None
        if numbers.shape != (n,):
            raise HodgeletInputError(f"columns: `{name}` has the shape {list(numbers.shape)}, expected [{n}]")
        wrong = np.flatnonzero(~np.isfinite(numbers))
        if len(wrong):
            raise HodgeletInputError(
                f"columns: `{name}` is {numbers[wrong[0]]} for graph {wrong[0]}, expected a number"
            )
        found.append(Column(str(name), WHOLE, "real", numbers[:, None]))
    return found


def _tags(fingerprints: Any, n: int) -> list[Column]:
    if fingerprints is None:
        return []
    rows = [_counts(row, i) for i, row in enumerate(_rows(fingerprints))]
    if len(rows) != n:
        raise HodgeletInputError(f"{len(rows)} fingerprints, expected one for each of {n} graphs")
    tags = [[tag for tag, count in row.items() for _ in range(count)] for row in rows]
    categories = sorted({tag for row in rows for tag in row})
    code = {tag: place for place, tag in enumerate(categories)}
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in tags])]).astype(np.int64)
    values = np.array([code[tag] for row in tags for tag in row], dtype=np.int64)
    return [Column("fingerprint", WHOLE, "labels", values, categories=categories, offsets=offsets)]


def _rows(fingerprints: Any) -> list[Any]:
    """One fingerprint after the other, of an array, a sparse matrix or a list."""
    if hasattr(fingerprints, "tocsr"):  # SciPy
        matrix = fingerprints.tocsr()
        ends = matrix.indptr
        pairs = [(matrix.indices[a:b], matrix.data[a:b]) for a, b in pairwise(ends)]
        return [dict(zip(places.tolist(), counts.tolist(), strict=True)) for places, counts in pairs]
    return list(fingerprints)


def _counts(row: Any, graph: int) -> dict[str, int]:
    """Counts of tags by name."""
    if hasattr(row, "GetNonzeroElements"):  # counts of RDKit
        row = row.GetNonzeroElements()
    elif hasattr(row, "GetOnBits"):  # bits of RDKit
        row = dict.fromkeys(row.GetOnBits(), 1)
    elif not isinstance(row, Mapping):
        values: NDArray[Any] = np.asarray(row)
        if values.ndim != 1 or not (np.issubdtype(values.dtype, np.number) or values.dtype == bool):
            raise HodgeletInputError(
                f"fingerprint of graph {graph} is a {type(row).__name__}, expected numbers, a mapping or one of RDKit"
            )
        row = {place: values[place] for place in np.flatnonzero(values).tolist()}
    counts = {}
    for tag, count in row.items():
        if not (float(count) >= 0 and float(count) == int(count)):
            raise HodgeletInputError(f"fingerprint of graph {graph} has {count} at {tag}, expected counts from 0")
        if count:
            counts[str(tag)] = int(count)
    return counts
