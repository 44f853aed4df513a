"""What is known of graphs as a whole: tables of numbers, and fingerprints."""

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


def with_own(batch: GraphBatch, columns: Any = None, fingerprints: Any = None, sample_weight: Any = None) -> GraphBatch:
    """The batch with a column for each number of a table, one for fingerprints, and one for how much graphs count."""
    if columns is None and fingerprints is None and sample_weight is None:
        return batch
    own = [
        *_numbers(columns, len(batch)),
        *_tags(fingerprints, len(batch)),
        *_weights(sample_weight, len(batch)),
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
