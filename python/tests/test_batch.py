"""Batches: selecting, joining, and what does not fit."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from hodgelet import Boundary, Column, GraphBatch, HodgeletInputError, as_batch, datasets


def three() -> GraphBatch:
    """A path, a graph without vertices and a triangle, with a label on vertices and a flow on edges."""
    return GraphBatch(
        vertices=np.array([3, 0, 3]),
        edge_offsets=np.array([0, 2, 2, 5]),
        edges=np.array([[0, 1], [1, 2], [0, 1], [1, 2], [2, 0]]),
        columns=[
            Column("kind", 0, "labels", np.array([0, 1, 0, 1, 1, 1]), categories=["a", "b"]),
            Column("flow", 1, "real", np.arange(5.0), oriented=True),
        ],
    )


def test_taking_graphs_takes_their_cells_and_values() -> None:
    taken = three().take([2, 0, 2])
    assert_array_equal(taken.vertices, [3, 3, 3])
    assert_array_equal(taken.edge_offsets, [0, 3, 5, 8])
    assert_array_equal(taken.edges[3:5], [[0, 1], [1, 2]])
    assert_array_equal(taken.columns[1].values[:, 0], [2, 3, 4, 0, 1, 2, 3, 4])
    assert_array_equal(taken.columns[0].values, [1, 1, 1, 0, 1, 0, 1, 1, 1])
    taken.validate()


def test_indexing_is_that_of_arrays() -> None:
    batch = three()
    assert batch.shape == (3,)
    assert_array_equal(batch[-1].edges, batch[2].edges)
    assert_array_equal(batch[1:].vertices, [0, 3])
    assert_array_equal(batch[np.array([True, False, True])].vertices, [3, 3])
    assert_array_equal(batch[np.array([0, 2]), ...].vertices, [3, 3])
    assert [len(graph) for graph in batch] == [1, 1, 1]
    assert len(batch[[]]) == 0
    for index in [3, -4, [0, 5]]:
        with pytest.raises(IndexError):
            batch[index]
    with pytest.raises(HodgeletInputError, match="mask of shape"):
        batch[np.array([True])]


def test_a_batch_is_shown_in_a_line() -> None:
    expected = "GraphBatch(3 graphs, 6 vertices, 5 edges; columns: kind (dimension 0), flow (dimension 1))"
    assert repr(three()) == expected


def test_joining_what_was_split_gives_the_same() -> None:
    batch = three()
    joined = GraphBatch.concatenate(list(batch))
    assert_array_equal(joined.edges, batch.edges)
    assert_array_equal(joined.columns[1].values, batch.columns[1].values)
    assert joined.columns[0].categories == ["a", "b"]
    assert_array_equal(joined.columns[0].values, batch.columns[0].values)
    assert_array_equal(as_batch(list(batch)).edge_offsets, batch.edge_offsets)


def test_categories_are_matched_by_name_when_batches_are_joined() -> None:
    one, other = three(), three()
    other.columns[0].categories = ["b", "c"]
    joined = GraphBatch.concatenate([one, other])
    assert joined.columns[0].categories == ["a", "b", "c"]
    assert_array_equal(joined.columns[0].values[6:], [1, 2, 1, 2, 2, 2])
    with pytest.raises(HodgeletInputError, match="part 1 holds"):
        GraphBatch.concatenate([one, GraphBatch(one.vertices, one.edge_offsets, one.edges)])


def test_surfaces_travel_as_boundaries_and_are_selected_whole() -> None:
    surfaces = datasets.load("surfaces", n_graphs=4).graphs
    assert surfaces.dim == 2
    again = GraphBatch.concatenate([surfaces[2], surfaces[0]])
    taken = surfaces.take([2, 0])
    assert_array_equal(again.boundaries[0].faces, taken.boundaries[0].faces)
    assert_array_equal(again.boundaries[0].face_offsets, taken.boundaries[0].face_offsets)
    taken.validate()


def message(**changes: object) -> str:
    batch = three()
    for name, value in changes.items():
        setattr(batch, name, value)
    with pytest.raises(HodgeletInputError) as error:
        batch.validate()
    return str(error.value)


def test_what_does_not_fit_is_named_with_its_graph() -> None:
    edges = three().edges.copy()
    edges[3] = [1, 7]
    found = "graph 2: edge 1 joins vertices [1, 7], but the graph has 3 vertices, numbered from 0"
    assert message(edges=edges) == found
    assert "graph 1: -2 vertices" in message(vertices=np.array([3, -2, 3]))
    assert "must rise from 0 to 5" in message(edge_offsets=np.array([0, 2, 1, 5]))
    assert "expected 4" in message(edge_offsets=np.array([0, 5]))
    short = Column("x", 0, "real", np.zeros((5, 1)))
    assert message(columns=[short]) == "column `x` of dimension 0 has 5 rows, but there are 6 cells"
    holes = Column("x", 0, "real", np.array([[0.0], [1], [2], [3], [np.nan], [5]]))
    assert "graph 2: column `x` of dimension 0 has [nan] on cell 1, expected finite numbers" in message(columns=[holes])
    code = Column("x", 0, "labels", np.array([0, 0, 0, 0, 0, 3]), categories=["a"])
    assert "graph 2: column `x` of dimension 0 has 3 on cell 2, expected a code below 1" in message(columns=[code])
    assert "appears twice" in message(columns=[three().columns[0], three().columns[0]])
    assert "weight of cell 2 of dimension 0 is -1.0" in message(weights={0: np.array([1, 1, 1, 1, 1, -1.0])})


def test_types_and_shapes_are_examined_at_once() -> None:
    with pytest.raises(HodgeletInputError, match="expected whole numbers"):
        GraphBatch(np.array([1.5]), np.array([0, 0]), np.zeros((0, 2)))
    with pytest.raises(HodgeletInputError, match=r"shape \[3, 3\], expected \[n, 2\]"):
        GraphBatch(np.array([3]), np.array([0, 3]), np.zeros((3, 3), dtype=int))
    with pytest.raises(HodgeletInputError, match="given together"):
        GraphBatch(np.array([3]), np.array([0, 0]), np.zeros((0, 2)), triangles=np.zeros((0, 3), dtype=int))
    with pytest.raises(HodgeletInputError, match="need categories"):
        GraphBatch(np.array([1]), np.array([0, 0]), [], columns=[Column("x", 0, "labels", np.array([0]))])


def test_boundaries_that_do_not_fit_are_named() -> None:
    square = np.array([[0, 1], [1, 2], [2, 3], [3, 0]])
    cell = Boundary(2, np.array([0, 1]), np.array([0, 4]), np.array([0, 1, 2, 9]), np.ones(4))
    batch = GraphBatch(np.array([4]), np.array([0, 4]), square, boundaries=[cell])
    with pytest.raises(HodgeletInputError, match="cell 0 of dimension 2 has the face 9, but the graph has 4"):
        batch.validate()
    batch.boundaries[0].faces[3] = 3
    batch.validate()
    batch.boundaries[0].dim = 3
    with pytest.raises(HodgeletInputError, match="expected 2 to follow"):
        batch.validate()
