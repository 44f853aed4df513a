"""igraph graphs."""

from __future__ import annotations

import igraph
import pytest

from hodgelet import HodgeletInputError, HodgeletOrientationWarning, as_batch

from .helpers import column, labels, reals


def graph(*, directed: bool = False) -> igraph.Graph:
    out = igraph.Graph([(0, 1), (2, 1)], directed=directed)
    out.vs["name"] = ["u", "v", "w"]
    out.vs["element"] = ["C", "N", "O"]
    out.es["length"] = [1.5, 2.5]
    return out


def test_all_attributes_but_names_are_taken() -> None:
    batch = as_batch([graph(), graph()])
    assert [c.name for c in batch.columns] == ["element", "length"]
    assert labels(batch, "element") == ["C", "N", "O"] * 2 and reals(batch, "length", 1) == [1.5, 2.5] * 2
    assert sorted(map(sorted, batch.edges.tolist())) == [[0, 1], [0, 1], [1, 2], [1, 2]]


def test_directed_graphs_warn_and_keep_their_directions() -> None:
    with pytest.warns(HodgeletOrientationWarning, match="'length' is a number on directed edges"):
        as_batch([graph(directed=True)])
    batch = as_batch([graph(directed=True)], oriented=["length"])
    assert batch.edges.tolist() == [[0, 1], [2, 1]] and column(batch, "length", 1).oriented


def test_a_missing_attribute_is_named() -> None:
    other = graph()
    del other.vs["element"]
    with pytest.raises(HodgeletInputError, match="graph 1 has no attribute 'element' on its vertices"):
        as_batch([graph(), other])
    other = graph()
    other.vs[1]["element"] = None
    with pytest.raises(HodgeletInputError, match="graph 1, vertex 1: attribute 'element' is None"):
        as_batch([graph(), other])
