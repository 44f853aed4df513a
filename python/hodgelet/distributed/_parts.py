"""Parts of a training set: what their rows hold, and one layout of columns for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hodgelet import _native
from hodgelet._batch import Column, GraphBatch
from hodgelet._errors import HodgeletInputError
from hodgelet._own import with_own
from hodgelet._stream import graphs_to_learn_from

__all__ = ["Layout", "Part", "Source", "cut", "in_layout", "layout_of", "read_part"]


@dataclass(frozen=True)
class Source:
    """Which columns of a table are what."""

    target: str
    smiles: str | None
    sample_weight: str | None
    id: str | None
    threads: int


@dataclass(frozen=True)
class Part:
    """What the driver knows of a part: targets and names, and no graph."""

    n_rows: int
    targets: NDArray[Any]
    weights: NDArray[np.float64] | None
    #: Rows that are left out: their number in the part, their id, and what is wrong.
    faults: list[tuple[int, Any, str]]
    #: Name, dimension, kind, channels and orientation of each column.
    columns: list[tuple[str, int, str, list[str] | None, bool]]
    categories: dict[tuple[int, str], list[str]]
    #: Optional columns that are zero everywhere here.
    zero: set[tuple[int, str]]
    #: Attributes whose values are whole numbers.
    whole_numbers: set[str]

    def __len__(self) -> int:
        return len(self.targets)


@dataclass(frozen=True)
class Layout:
    """The columns that are learned from and the categories of labels, over all parts."""

    dropped: set[tuple[int, str]]
    categories: dict[tuple[int, str], list[str]]


def read_part(table: Any, source: Source) -> tuple[Part, GraphBatch]:
    """The graphs of a table that can be learned from, and what the driver needs to know of them."""
    import pyarrow

    table = pyarrow.table(table)
    batch, places, faults = graphs_to_learn_from(table, source.smiles, source.threads)
    known = ~np.asarray(table.column(source.target).is_null(nan_is_null=True))
    values = table.column(source.target).to_numpy(zero_copy_only=False)
    unlike_numbers = np.isinf(values) if values.dtype.kind == "f" else np.zeros(len(values), dtype=bool)
    weights = _numbers(table, source.sample_weight)
    kept = []
    for position, row in enumerate(places):
        if not known[row]:
            faults[row] = f"no value of `{source.target}`"
        elif unlike_numbers[row]:
            faults[row] = f"`{source.target}` is {values[row]}, expected a finite number"
        elif weights is not None and not (weights[row] == 0.0 or 1e-6 <= weights[row] <= 1e6):
            faults[row] = f"`{source.sample_weight}` is {weights[row]}, expected 0, or 1e-6 to 1e6"
        elif weights is None or weights[row] > 0.0:  # what counts nothing is not there
            kept.append(position)
    rows = np.asarray(places, dtype=np.int64)[kept]
    batch = batch if len(kept) == len(places) else batch.take(np.asarray(kept, dtype=np.int64))
    targets = table.column(source.target).take(rows).to_numpy(zero_copy_only=False)
    ids = table.column(source.id).to_pylist() if source.id is not None else [None] * table.num_rows
    own = None if weights is None else weights[rows]
    part = Part(
        n_rows=table.num_rows,
        targets=targets,
        weights=own,
        faults=[(row, ids[row], fault) for row, fault in sorted(faults.items())],
        columns=[(c.name, c.dim, c.kind, c.channels, c.oriented) for c in batch.columns],
        categories={(c.dim, c.name): list(c.categories or []) for c in batch.columns if c.kind == "labels"},
        zero={(c.dim, c.name) for c in batch.columns if c.optional and not c.values.any()},
        whole_numbers=_whole_numbers(table.schema),
    )
    return part, with_own(batch, sample_weight=own)


def _numbers(table: Any, name: str | None) -> NDArray[np.float64] | None:
    if name is None:
        return None
    values: NDArray[np.float64] = table.column(name).to_numpy(zero_copy_only=False).astype(np.float64)
    return values


def _whole_numbers(schema: Any) -> set[str]:
    """Names of attributes whose values are whole numbers."""
    from pyarrow import types

    names = set()
    for column in schema:
        kind = column.type
        while types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
            kind = kind.value_type
        if ":" in column.name and types.is_integer(kind):
            names.add(column.name.rpartition(":")[2])
    return names


def layout_of(parts: Sequence[Part]) -> Layout:
    """The layout of all parts; labels that are whole numbers are in the order of numbers."""
    described = [part for part in parts if len(part)]
    if not described:
        faults = [fault for part in parts for fault in part.faults]
        first = f"; the first: {faults[0][2]}" if faults else ""
        raise HodgeletInputError(f"no row can be learned from{first}")
    expected = described[0].columns
    for number, part in enumerate(described):
        if part.columns != expected:
            raise HodgeletInputError(f"part {number} has the columns {part.columns}, expected {expected}")
    whole_numbers = set.intersection(*(part.whole_numbers for part in described))
    dropped = set.intersection(*(part.zero for part in described))
    categories = {}
    for dim, name in described[0].categories:
        united = {category for part in described for category in part.categories[dim, name]}
        categories[dim, name] = sorted(united, key=int) if name in whole_numbers else sorted(united)
    return Layout(dropped, categories)


def in_layout(batch: GraphBatch, layout: Layout) -> GraphBatch:
    """The batch with the columns and categories of all parts."""
    columns = [_recoded(c, layout) for c in batch.columns if (c.dim, c.name) not in layout.dropped]
    return replace(batch, columns=columns)


def _recoded(column: Column, layout: Layout) -> Column:
    categories = layout.categories.get((column.dim, column.name))
    if column.kind != "labels" or categories is None or column.categories == categories:
        return column
    place = {category: code for code, category in enumerate(categories)}
    codes = np.array([place[category] for category in column.categories or []], dtype=np.int64)
    return replace(column, values=codes[column.values] if len(codes) else column.values, categories=categories)


def cut(n: int, workers: int) -> list[tuple[int, int]]:
    """Ranges of leaves for at most so many workers, in order.

    They end at multiples of a power of two, so that a shard fills few nodes of the tree and its answer is small; no
    shard is more than about an eighth larger than the mean.
    """
    n_leaves = -(-n // _native.LEAF_SIZE)
    workers = max(1, min(workers, n_leaves))
    step = 1
    while 16 * step * workers <= n_leaves:
        step *= 2
    ends = [round(n_leaves * (w + 1) / workers / step) * step for w in range(workers - 1)] + [n_leaves]
    return [(start, end) for start, end in zip([0, *ends[:-1]], ends, strict=True) if start < end]
