"""Hypergraphs of HyperNetX, against the library itself; see README.md for the command."""

from __future__ import annotations

import numpy as np
import pytest

from hodgelet import as_batch

hnx = pytest.importorskip("hypernetx")


def test_a_hypergraph_is_read_with_its_properties_and_weights() -> None:
    h = hnx.Hypergraph(
        {"e": ["a", "b", "c"], "f": ["c", "d"]},
        edge_properties={"e": {"topic": "x", "weight": 2.0}, "f": {"topic": "y", "weight": 1.0}},
        node_properties={v: {"size": float(at)} for at, v in enumerate("abcd")},
    )
    batch = as_batch([h], hypergraph="incidence", weights={1: "weight"})
    assert batch.vertices.tolist() == [4] and batch.boundaries[0].faces.tolist() == [0, 1, 2, 2, 3]
    assert batch.weights[1].tolist() == [2.0, 1.0]
    names = {(c.dim, c.name) for c in batch.columns}
    assert {(0, "size")} <= names and any(dim == 1 for dim, _ in names)
    plain = hnx.Hypergraph({"e": ["a", "b"], "f": ["b", "c"]})
    star = as_batch([plain])
    assert [c.name for c in star.columns] == ["side"] and np.diff(star.edge_offsets).tolist() == [4]
