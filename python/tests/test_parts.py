"""Parts of a training set on many workers: shards of leaves, one layout of columns, rows at fault. Needs no engine."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

from hodgelet import GraphBatch, HodgeletClassifier, HodgeletInputError, _native, distributed
from hodgelet._stream import molecules
from hodgelet.distributed._parts import Source, cut, in_layout, layout_of, read_part

SOURCE = Source("y", "smiles", None, "name", 1)


@pytest.mark.parametrize("n_leaves", [1, 2, 7, 64, 1000, 12_345])
@pytest.mark.parametrize("workers", [1, 2, 3, 16, 100, 1000])
def test_shards_cover_all_leaves_and_are_about_as_large_as_each_other(n_leaves: int, workers: int) -> None:
    ranges = cut(n_leaves * _native.LEAF_SIZE - 5, workers)
    assert ranges[0][0] == 0 and ranges[-1][1] == n_leaves and len(ranges) <= min(workers, n_leaves)
    assert all(end == start for (_, end), (start, _) in pairwise(ranges))
    largest = max(end - start for start, end in ranges)
    assert largest <= max(np.ceil(n_leaves / len(ranges)), 1.13 * n_leaves / min(workers, n_leaves) + 1)


def tables() -> list[pa.Table]:
    """Two parts with other elements, of which the second has stereo labels, and rows at fault."""
    first = {"name": ["a", "b", "c", "d"], "smiles": ["CCO", "bad", "CCN", "CCC"], "y": [0, 1, 1, None]}
    second = {"name": ["e", "f"], "smiles": ["C[C@H](F)Cl", "CS"], "y": [0, 1]}
    return [pa.table(first), pa.table(second)]


def test_parts_in_one_layout_are_the_whole() -> None:
    read = [read_part(table, SOURCE) for table in tables()]
    parts, batches = [part for part, _ in read], [batch for _, batch in read]
    assert [len(part) for part in parts] == [2, 2] and parts[0].targets.tolist() == [0, 1]
    assert [fault[:2] for fault in parts[0].faults] == [(1, "b"), (3, "d")]
    layout = layout_of(parts)
    assert layout.categories[0, "element"] == ["C", "Cl", "F", "N", "O", "S"]
    assert layout.dropped == {(1, "stereo")}, "no molecule has a double bond with a label"
    found = GraphBatch.concatenate([in_layout(batch, layout) for batch in batches])
    expected = molecules(["CCO", "CCN", "C[C@H](F)Cl", "CS"], learn=True)[0].to_learn_from()
    assert [(c.dim, c.name, c.categories) for c in found.columns] == [
        (c.dim, c.name, c.categories) for c in expected.columns
    ]
    for own, whole in zip(found.columns, expected.columns, strict=True):
        assert np.array_equal(own.values, whole.values), own.name


def test_labels_that_are_whole_numbers_are_in_their_order() -> None:
    def categories(*parts: list[object]) -> list[str]:
        rows = {"n_vertices": [2], "edges": [[[0, 1]]], "y": [0], "name": ["a"]}
        read = [read_part(pa.table({**rows, "vertex:k": [values]}), SOURCE)[0] for values in parts]
        return layout_of(read).categories[0, "k"]

    assert categories([9, 2], [10, 2]) == ["2", "9", "10"]
    assert categories(["9", "2"], ["10", "2"]) == ["10", "2", "9"]


def test_weights_that_count_nothing_are_not_there_and_wrong_ones_are_faults() -> None:
    table = pa.table({"smiles": ["CCO", "CCN", "CCC", "CO"], "y": [0, 1, 0, 1], "w": [1.0, 0.0, -1.0, float("nan")]})
    part, batch = read_part(table, Source("y", "smiles", "w", None, 1))
    assert len(part) == len(batch) == 1 and [row for row, _, _ in part.faults] == [2, 3]
    assert part.faults[0][2] == "`w` is -1.0, expected 0, or 1e-6 to 1e6"


def test_what_is_wrong_is_said() -> None:
    no_row = [read_part(tables()[0].slice(1, 1), SOURCE)[0]]
    with pytest.raises(HodgeletInputError, match="no row can be learned from; the first: not SMILES"):
        layout_of(no_row)
    with pytest.raises(HodgeletInputError, match="class_weight is a mapping"):
        distributed.fit(None, HodgeletClassifier(class_weight={0: 1.0}), target="y")
