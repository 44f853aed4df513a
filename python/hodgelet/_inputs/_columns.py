"""From values as libraries hold them to columns: numbers in channels, or labels.

Strings, whole numbers and booleans are labels; floating-point numbers and vectors are real. A declared kind wins.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hodgelet._batch import Column
from hodgelet._errors import HodgeletInputError
from hodgelet._inputs._options import warn_labels

__all__ = ["Where", "columns_of", "locate", "table", "to_numpy"]

Kind = Literal["real", "labels"] | None
Where = Callable[[int], str]
EXACT = (int, np.integer, np.bool_)
CELLS = {0: "vertex", 1: "edge", 2: "face"}


def locate(offsets: NDArray[np.int64], dim: int) -> Where:
    """Names a cell, counted over all graphs, by its graph and its number there."""
    what = CELLS.get(dim, f"cell of dimension {dim}")

    def where(cell: int) -> str:
        graph = int(np.searchsorted(offsets, cell, side="right")) - 1
        return f"graph {graph}, {what} {cell - int(offsets[graph])}"

    return where


def to_numpy(values: Any) -> NDArray[Any]:
    """An array of a tensor or of anything else that looks like one."""
    found = type(values).__name__
    try:
        for method in ("detach", "cpu"):
            if hasattr(values, method):
                values = getattr(values, method)()
        return np.asarray(values)
    except (TypeError, ValueError, RuntimeError) as error:  # ragged lists, sparse tensors, types NumPy does not have
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise HodgeletInputError(f"a {found} cannot be read as an array: {reason}") from None


def table(array: NDArray[Any]) -> NDArray[Any]:
    """The array as rows of channels, however many axes it has."""
    return array.reshape(len(array), math.prod(array.shape[1:]))


def columns_of(name: str, dim: int, values: Any, kind: Kind, where: Where) -> list[Column]:
    """The columns of one attribute; whole numbers in several channels give one column of labels per channel."""
    if isinstance(values, np.ndarray) and values.dtype.kind == "O":
        values = values.tolist()
    if not isinstance(values, np.ndarray) and kind != "real" and values:
        types = set(map(type, values))
        if all(issubclass(t, str) for t in types) or all(issubclass(t, EXACT) for t in types):
            if kind is None and not all(issubclass(t, (str, bool, np.bool_)) for t in types):
                warn_labels([(dim, name)])
            return [_few_labels(name, dim, values)]
    array = values if isinstance(values, np.ndarray) else _array(name, values, where)
    if array.ndim > 2:
        array = table(array)
    if array.dtype.kind in "US" and kind == "real":
        raise HodgeletInputError(f"{where(0)}: attribute {name!r} is {array.flat[0]!r}, expected a number")
    if array.dtype.kind == "c":
        raise HodgeletInputError(f"attribute {name!r} holds complex numbers, expected real ones: take both parts apart")
    labels = kind == "labels" or (kind is None and array.dtype.kind in "iubUS")
    if not labels:
        return [Column(name, dim, "real", table(array).astype(np.float64))]
    if kind is None and array.dtype.kind in "iu" and array.size:
        warn_labels([(dim, name)])
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        cell = int(np.flatnonzero(~np.isfinite(table(array)).all(axis=1))[0])
        raise HodgeletInputError(f"{where(cell)}: attribute {name!r} is not finite, expected a label")
    if array.ndim == 1:
        return [_labels(name, dim, array)]
    if array.shape[1] == 1:
        return [_labels(name, dim, array[:, 0])]
    return [_labels(f"{name}.{c}", dim, array[:, c]) for c in range(array.shape[1])]


def _labels(name: str, dim: int, array: NDArray[Any]) -> Column:
    if array.dtype.kind == "f" and (array == np.round(array)).all():
        array = array.astype(np.int64)  # so that 1 and 1.0 are one label
    categories, codes = np.unique(array, return_inverse=True)
    return Column(name, dim, "labels", codes.astype(np.int64).reshape(-1), categories=[str(c) for c in categories])


def _few_labels(name: str, dim: int, values: Sequence[Any]) -> Column:
    """Labels of a list, by a table: sorting strings would cost more than reading the graphs."""
    distinct = sorted(set(values))
    code = dict(zip(distinct, range(len(distinct)), strict=True)).__getitem__
    codes = np.fromiter(map(code, values), np.int64, len(values))
    return Column(name, dim, "labels", codes, categories=[str(value) for value in distinct])


def _array(name: str, values: Sequence[Any], where: Where) -> NDArray[Any]:
    """One array of a list of values of one type; the type decides."""
    types = set(map(type, values))
    if all(issubclass(t, (int, float, np.number, np.bool_)) for t in types):
        return _numbers(name, values, where)
    if all(issubclass(t, str) for t in types):
        return np.array(values, dtype=np.str_)
    if any(issubclass(t, (str, bytes, type(None), dict, set)) for t in types):
        raise _not_one_type(name, values, where)
    return _vectors(name, values, where)


def _numbers(name: str, values: Sequence[Any], where: Where) -> NDArray[Any]:
    try:
        return np.array(values, dtype=np.float64)
    except OverflowError:
        large = next(i for i, v in enumerate(values) if isinstance(v, int) and abs(v) > 1e308)
        raise HodgeletInputError(f"{where(large)}: attribute {name!r} is too large for a number") from None


def _vectors(name: str, values: Sequence[Any], where: Where) -> NDArray[Any]:
    rows: list[NDArray[Any]] = []
    for position, value in enumerate(values):
        try:
            row = np.asarray(to_numpy(value), dtype=np.float64).reshape(-1)
        except (TypeError, ValueError):  # `HodgeletInputError` is one of the latter
            raise HodgeletInputError(
                f"{where(position)}: attribute {name!r} is a {type(value).__name__}, "
                "expected a number, a string or a vector of numbers"
            ) from None
        if rows and row.shape != rows[0].shape:
            raise HodgeletInputError(
                f"{where(position)}: attribute {name!r} has {row.size} numbers, expected {rows[0].size} as on the first"
            )
        rows.append(row)
    return np.stack(rows)


def _not_one_type(name: str, values: Sequence[Any], where: Where) -> HodgeletInputError:
    first = values[0]
    other = next((i for i, v in enumerate(values) if type(v) is not type(first)), 0)
    found = values[other]
    if other == 0 or found is None or first is None:
        at = next((i for i, v in enumerate(values) if not isinstance(v, (str, int, float))), other)
        return HodgeletInputError(
            f"{where(at)}: attribute {name!r} is {values[at]!r}, expected a number, a string or a vector of numbers"
        )
    return HodgeletInputError(
        f"{where(other)}: attribute {name!r} is {found!r}, but {first!r} on the first; expected values of one type"
    )
