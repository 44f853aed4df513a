"""Tables in and out, through pyarrow, polars and duckdb."""

from __future__ import annotations

import json
from typing import Any

import duckdb
import numpy as np
import polars
import pyarrow
import pytest

from hodgelet import (
    GraphBatch,
    HodgeletClassifier,
    HodgeletInputError,
    HodgeletRegressor,
    HodgeletTransformer,
    arrow,
    as_batch,
)


def table(**columns: Any) -> pyarrow.RecordBatch:
    """Two complexes: a triangle with a label and a flow, and a single vertex."""
    whole = {
        "n_vertices": pyarrow.array([3, 1]),
        "edges": pyarrow.array([[[0, 1], [1, 2], [0, 2]], []], pyarrow.list_(pyarrow.list_(pyarrow.int64(), 2))),
        "vertex:element": pyarrow.array([["C", "N", "C"], ["O"]]),
        "flow:current": pyarrow.array([[1.0, -2.0, 3.0], []], pyarrow.list_(pyarrow.float32())),
        **columns,
    }
    return pyarrow.record_batch({name: value for name, value in whole.items() if value is not None})


def same(a: GraphBatch, b: GraphBatch) -> None:
    assert a.vertices.tolist() == b.vertices.tolist() and a.edges.tolist() == b.edges.tolist()
    assert a.edge_offsets.tolist() == b.edge_offsets.tolist()
    assert [(c.name, c.dim, c.kind, c.oriented, c.categories) for c in a.columns] == [
        (c.name, c.dim, c.kind, c.oriented, c.categories) for c in b.columns
    ]
    for left, right in zip(a.columns, b.columns, strict=True):
        assert np.array_equal(left.values, right.values)


def molecules() -> GraphBatch:
    return as_batch(["CCO", "c1ccccc1", "C", "O=[N+]([O-])C", "CC(=O)O", "CCN"])


def test_columns_become_a_batch() -> None:
    batch = arrow.from_arrow(table())
    assert batch.vertices.tolist() == [3, 1] and batch.edges.tolist() == [[0, 1], [1, 2], [0, 2]]
    element, current = batch.columns
    assert (element.name, element.dim, element.kind, element.categories) == ("element", 0, "labels", ["C", "N", "O"])
    assert element.values.tolist() == [0, 1, 0, 2]
    assert (current.name, current.dim, current.oriented) == ("current", 1, True)
    assert current.values[:, 0].tolist() == [1.0, -2.0, 3.0]


@pytest.mark.parametrize("edges", [[[0, 1, 1, 2, 0, 2], []], [[[0, 1], [1, 2], [0, 2]], []]])
@pytest.mark.parametrize("kind", [pyarrow.int64(), pyarrow.int32(), pyarrow.uint8()])
def test_edges_may_be_pairs_or_flat_of_any_width(edges: list[Any], kind: Any) -> None:
    nested = pyarrow.list_(kind) if isinstance(edges[0][0], int) else pyarrow.large_list(pyarrow.list_(kind))
    same(arrow.from_arrow(table(edges=pyarrow.array(edges, nested))), arrow.from_arrow(table()))


def test_labels_may_be_whole_numbers_booleans_or_dictionaries() -> None:
    columns = {
        "vertex:number": pyarrow.array([[6, 7, 6], [8]]),
        "vertex:ring": pyarrow.array([[True, True, True], [False]]),
        "vertex:vector": pyarrow.array(
            [[[1.0, 2.0]] * 3, [[3.0, 4.0]]], pyarrow.list_(pyarrow.list_(pyarrow.float64(), 2))
        ),
    }
    dictionary = pyarrow.DictionaryArray.from_arrays(pyarrow.array([0, 1, 0, 2]), pyarrow.array(["C", "N", "O"]))
    columns["vertex:element"] = pyarrow.ListArray.from_arrays(pyarrow.array([0, 3, 4], pyarrow.int32()), dictionary)
    found = {column.name: column for column in arrow.from_arrow(table(**columns)).columns}
    assert found["number"].categories == ["6", "7", "8"] and found["ring"].categories == ["False", "True"]
    assert found["element"].values.tolist() == [0, 1, 0, 2]
    assert found["vector"].values.tolist() == [[1.0, 2.0]] * 3 + [[3.0, 4.0]]


def test_a_slice_and_several_chunks_are_read_like_the_whole() -> None:
    whole = table()
    one = arrow.from_arrow(whole.slice(1, 1))
    assert one.vertices.tolist() == [1] and one.columns[0].categories == ["O"]
    chunked = pyarrow.Table.from_batches([whole, whole.slice(0, 1), whole.slice(1, 1)])
    same(arrow.from_arrow(chunked), arrow.from_arrow(pyarrow.Table.from_batches([whole, whole])))


def test_graphs_go_through_every_engine_and_come_back() -> None:
    batch = molecules()
    out = arrow.to_arrow(batch, ids=["a", "b", "c", "d", "e", "f"])
    same(arrow.from_arrow(out), batch)
    same(arrow.from_arrow(pyarrow.record_batch(out)), batch)
    same(arrow.from_arrow(pyarrow.table(out)), batch)
    same(arrow.from_arrow(polars.DataFrame(out)), batch)
    relation = duckdb.from_arrow(pyarrow.table(out))
    same(arrow.from_arrow(relation), batch)
    assert pyarrow.record_batch(out)["id"].to_pylist() == list("abcdef")


def test_triangles_and_other_cells_come_back() -> None:
    toponetx = pytest.importorskip("toponetx")
    for complex_ in (
        toponetx.SimplicialComplex([[0, 1, 2, 3], [3, 4]]),
        toponetx.CellComplex([[0, 1, 2, 3], [2, 3, 4]]),
    ):
        batch = as_batch([complex_, complex_])
        back = arrow.from_arrow(pyarrow.table(arrow.to_arrow(batch)))
        assert back.dim == batch.dim
        if batch.triangles is not None:
            assert np.array_equal(back.triangles, batch.triangles)
        for ours, theirs in zip(back.boundaries, batch.boundaries, strict=True):
            assert np.array_equal(ours.faces, theirs.faces) and np.array_equal(ours.coefficients, theirs.coefficients)
            assert np.array_equal(ours.face_offsets, theirs.face_offsets)


def test_weights_come_back() -> None:
    batch = as_batch(["CCO", "C=C"], edge_attrs=["order"], weights={1: "order"})
    back = arrow.from_arrow(polars.DataFrame(arrow.to_arrow(batch)))
    assert back.weights[1].tolist() == batch.weights[1].tolist() == [1.0, 1.0, 2.0]
    named = as_batch(pyarrow.table(arrow.to_arrow(["CCO", "C=C"], edge_attrs=["order"])), weights={1: "order"})
    assert named.weights[1].tolist() == [1.0, 1.0, 2.0]


def test_measures_are_those_of_the_model() -> None:
    batch = molecules()
    model = HodgeletTransformer().fit(batch)
    out = pyarrow.record_batch(arrow.measure(arrow.to_arrow(batch), model))
    assert out.num_rows == len(batch)
    for block in model.measures(batch):
        for i in range(len(batch)):
            eigenvalues, energies = block[i]
            assert out[f"{block.block} eigenvalues"][i].as_py() == eigenvalues.tolist()
            assert out[f"{block.block} energies"][i].as_py() == energies.tolist()
        field = out.schema.field(f"{block.block} energies")
        assert json.loads(field.metadata[b"channels"]) == block.channels
    alone = pyarrow.record_batch(arrow.measure(arrow.to_arrow(batch)))
    assert alone.equals(out)
    with pytest.raises(HodgeletInputError, match="beside a fitted model"):
        arrow.measure(arrow.to_arrow(batch), model, n_filters=3)


def test_features_are_those_of_the_model() -> None:
    batch = molecules()
    model = HodgeletTransformer().fit(batch)
    out = polars.DataFrame(arrow.features(model, polars.DataFrame(arrow.to_arrow(batch, ids=range(6)))))
    assert out.columns == ["id", "features"] and out["id"].to_list() == list(range(6))
    assert np.array_equal(out["features"].to_numpy(), model.transform(batch))
    with pytest.raises(HodgeletInputError, match='output="features"'):
        arrow.features(HodgeletTransformer(output="measures").fit(batch), arrow.to_arrow(batch))


def test_predictions_of_classes_are_those_of_the_model() -> None:
    batch = molecules()
    model = HodgeletClassifier(max_iter=5).fit(batch, ["x", "y", "x", "z", "z", "y"])
    out = arrow.predict(model, arrow.to_arrow(batch, ids=list("abcdef")))
    found, expected = pyarrow.record_batch(out), model.predict_full(batch)
    assert found["prediction"].to_pylist() == expected.labels.tolist()
    assert np.array_equal(np.array(found["probabilities"].to_pylist()), expected.probabilities)
    assert json.loads(found.schema.field("probabilities").metadata[b"classes"]) == ["x", "y", "z"]
    assert np.array_equal(np.array(found["latent_variance"].to_pylist()), expected.latent_variance)
    shares = np.array([[row[block] for block in expected.blocks] for row in found["attributions"].to_pylist()])
    assert np.array_equal(shares, expected.attributions)
    stored = duckdb.from_arrow(pyarrow.table(out)).filter("id = 'c'").project("prediction").fetchall()
    assert stored == [(expected.labels[2],)]


def test_predictions_of_numbers_are_those_of_the_model() -> None:
    batch = molecules()
    model = HodgeletRegressor(max_iter=5).fit(batch, np.arange(6.0))
    found, expected = pyarrow.record_batch(arrow.predict(model, arrow.to_arrow(batch))), model.predict_full(batch)
    assert found["prediction"].to_pylist() == expected.mean.tolist()
    assert found["variance"].to_pylist() == expected.variance.tolist()


def test_engines_may_call_it_batch_by_batch() -> None:
    batch = molecules()
    model = HodgeletRegressor(max_iter=5).fit(batch, np.arange(6.0))
    reader = pyarrow.table(arrow.to_arrow(batch)).to_reader(max_chunksize=2)
    parts = [pyarrow.record_batch(arrow.predict(model, part)) for part in reader]
    assert len(parts) == 3
    whole = pyarrow.table(arrow.predict(model, arrow.to_arrow(batch)))
    assert pyarrow.Table.from_batches(parts).combine_chunks().equals(whole)


def test_an_empty_table_gives_an_empty_table() -> None:
    batch = molecules()
    model = HodgeletClassifier(max_iter=2).fit(batch, [0, 1, 0, 1, 0, 1])
    whole = pyarrow.record_batch(arrow.to_arrow(batch, ids=range(6)))
    for function in (
        lambda rows: arrow.measure(rows, model),
        lambda rows: arrow.features(model, rows),
        lambda rows: arrow.predict(model, rows),
    ):
        found = pyarrow.record_batch(function(whole.slice(0, 0)))
        assert found.num_rows == 0 and found.schema == pyarrow.record_batch(function(whole)).schema


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"n_vertices": None}, "the table has no column `n_vertices`; it has edges, vertex:element"),
        ({"n_vertices": pyarrow.array([3.0, 1.0])}, "column `n_vertices` holds Float64, expected ints"),
        ({"n_vertices": pyarrow.array([3, None])}, "column `n_vertices` has 1 null values"),
        ({"n_vertices": pyarrow.array([2, 1])}, "graph 0: edge 1 joins vertices"),
        ({"edges": pyarrow.array([[0, 1, 2], []])}, "row 0: column `edges` expected 2 vertices for each cell"),
        ({"edges": pyarrow.array([[[0, 1], [2]], []])}, "row 0: column `edges` expected 2 vertices"),
        ({"edges": pyarrow.array([[0, 1], None])}, "column `edges` has no value in row 1"),
        ({"vertex:element": pyarrow.array([["C"], ["O"]])}, "row 0: column `vertex:element` has 1 entries, but .* 3"),
        ({"vertex:element": pyarrow.array([["C", None, "C"], ["O"]])}, "column `vertex:element` has 1 null values"),
        ({"flow:current": pyarrow.array([["a", "b", "c"], []])}, "column `flow:current` holds .*expected lists of"),
        ({"vertex:v": pyarrow.array([[[1.0], [1.0, 2.0], [1.0]], [[1.0]]])}, "vectors of 1 to 2 numbers"),
        ({"cell:area": pyarrow.array([[1.0], []])}, "does not say the dimension of its cells"),
    ],
)
def test_tables_that_make_no_sense_are_refused(columns: dict[str, Any], message: str) -> None:
    with pytest.raises(HodgeletInputError, match=message):
        arrow.from_arrow(table(**columns))


def test_a_table_is_a_list_of_graphs_for_every_estimator() -> None:
    # Polars drops the names of channels, which stereo labels have.
    atoms, bonds = ["element", "charge", "hydrogens", "aromatic", "ring"], ["bond", "conjugated", "ring"]
    plain = as_batch(["CCO", "c1ccccc1", "C", "O=[N+]([O-])C", "CC(=O)O", "CCN"], vertex_attrs=atoms, edge_attrs=bonds)
    frame = polars.DataFrame(arrow.to_arrow(plain))
    same(as_batch(frame), plain)
    model = HodgeletRegressor(max_iter=5).fit(frame, np.arange(6.0))
    assert np.array_equal(model.predict(frame), model.predict(plain))
    assert [c.name for c in as_batch(frame, vertex_attrs=["charge"], edge_attrs=[]).columns] == ["charge"]
    with pytest.raises(HodgeletInputError, match="the table has no attribute 'spin' of dimension 0"):
        as_batch(frame, vertex_attrs=["spin"])
    with pytest.raises(HodgeletInputError, match="'conjugated' contradicts `oriented`"):
        as_batch(frame, oriented=["conjugated"])
    smiles = polars.Series(["CCO", "CC"])
    assert as_batch(smiles).vertices.tolist() == [3, 2]


def test_other_things_are_refused() -> None:
    with pytest.raises(HodgeletInputError, match="a dict was given, expected a table with the Arrow PyCapsule"):
        arrow.from_arrow({"n_vertices": [1]})


def test_a_table_shows_its_columns() -> None:
    shown = repr(arrow.to_arrow(molecules()))
    assert shown.startswith("ArrowBatch of 6 rows\n  n_vertices: Int64\n  edges: ") and "vertex:element" in shown
