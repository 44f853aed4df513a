"""Complexes of TopoNetX and GUDHI, hypergraphs of XGI: boundaries agree with those of the libraries."""

from __future__ import annotations

import gudhi
import numpy as np
import pytest
import toponetx
import xgi

from hodgelet import HodgeletInputError, HodgeletOrientationWarning, as_batch

from .helpers import boundary, column, labels, reals


def simplicial() -> toponetx.SimplicialComplex:
    return toponetx.SimplicialComplex([[0, 1, 2, 3], [2, 3, 4], [4, 5], [6]])


def test_simplicial_boundaries_are_those_of_toponetx() -> None:
    batch = as_batch([simplicial()])
    assert batch.vertices.tolist() == [7] and batch.dim == 3
    for dim in (1, 2, 3):
        assert np.array_equal(boundary(batch, dim), simplicial().incidence_matrix(dim, signed=True).toarray())


def test_laplacians_are_those_of_toponetx() -> None:
    batch = as_batch([simplicial()])
    b1, b2 = boundary(batch, 1), boundary(batch, 2)
    expected = simplicial().hodge_laplacian_matrix(1, signed=True).toarray()
    assert np.allclose(b1.T @ b1 + b2 @ b2.T, expected)


def test_attributes_of_simplices_are_taken_on_every_dimension() -> None:
    c = toponetx.SimplicialComplex([["b", "a", "c"], ["c", "d"]])
    c.set_simplex_attributes({("a",): "x", ("b",): "y", ("c",): "x", ("d",): "y"}, "kind")
    c.set_simplex_attributes({("a", "b"): 1.0, ("a", "c"): 2.0, ("b", "c"): 3.0, ("c", "d"): -4.0}, "flow")
    c.set_simplex_attributes({("a", "b", "c"): 5.0}, "area")
    batch = as_batch([c], oriented=["flow"])
    assert labels(batch, "kind") == ["x", "y", "x", "y"]
    assert reals(batch, "flow", 1) == [1.0, 2.0, 3.0, -4.0] and column(batch, "flow", 1).oriented
    assert reals(batch, "area", 2) == [5.0]
    with pytest.warns(HodgeletOrientationWarning, match="'flow' has negative values"):
        as_batch([c])
    only = as_batch([c], vertex_attrs=[], edge_attrs=[], cell_attrs={2: []}, max_dim=1)
    assert only.columns == [] and only.triangles is not None and len(only.triangles) == 0


def test_a_missing_attribute_names_the_simplex() -> None:
    c = toponetx.SimplicialComplex([["a", "b"]])
    c.set_simplex_attributes({("a",): 1.0}, "q")
    with pytest.raises(HodgeletInputError, match=r"graph 0: cell \('b',\) of dimension 0 has no attribute 'q'"):
        as_batch([c])


def test_cell_boundaries_are_those_of_toponetx() -> None:
    c = toponetx.CellComplex([[0, 1, 2, 3], [3, 2, 4], [5, 6]])
    batch = as_batch([c])
    nodes, edges = list(c.nodes), list(c.edges)
    # TopoNetX sorts the rows of its matrices, the batch keeps the order in which cells are listed.
    vertex_rows = [sorted(nodes).index(v) for v in nodes]
    edge_rows = [sorted(tuple(sorted(e)) for e in edges).index(tuple(sorted(e))) for e in edges]
    signs = np.array([1.0 if u < v else -1.0 for u, v in edges])
    b1 = c.incidence_matrix(1, signed=True).toarray()[vertex_rows][:, edge_rows] * signs
    b2 = c.incidence_matrix(2, signed=True).toarray()[edge_rows] * signs[:, None]
    assert np.array_equal(boundary(batch, 1), b1) and np.array_equal(boundary(batch, 2), b2)
    assert np.abs(b1 @ b2).max() == 0.0


def test_attributes_of_cells_are_taken() -> None:
    c = toponetx.CellComplex([["a", "b", "c", "d"]])
    c.set_node_attributes({v: {"q": float(i)} for i, v in enumerate("abcd")})
    c.set_edge_attributes({(u, v): {"w": 2.0} for u, v in c.edges})
    c.set_cell_attributes({("a", "b", "c", "d"): {"area": 3.0}}, 2)
    batch = as_batch([c])
    assert reals(batch, "area", 2) == [3.0] and reals(batch, "w", 1) == [2.0] * 4
    assert sorted(reals(batch, "q")) == [0.0, 1.0, 2.0, 3.0]


def test_complexes_without_signs_are_refused() -> None:
    with pytest.raises(HodgeletInputError, match="CombinatorialComplex, which has no signed boundary"):
        as_batch([toponetx.CombinatorialComplex([[1, 2]], ranks=[1])])


def test_a_simplex_tree_is_read_with_its_filtration_where_named() -> None:
    tree = gudhi.SimplexTree()
    tree.insert([3, 5, 9, 11], 2.0)
    tree.insert([5, 20], 1.0)
    batch = as_batch([tree, tree], vertex_attrs=["filtration"], edge_attrs=["filtration"])
    assert batch.vertices.tolist() == [5, 5] and batch.dim == 3
    one = as_batch([tree])
    assert np.abs(boundary(one, 1) @ boundary(one, 2)).max() == 0.0
    assert np.abs(boundary(one, 2) @ boundary(one, 3)).max() == 0.0
    theirs = toponetx.SimplicialComplex.from_gudhi(tree)
    for dim in (1, 2, 3):
        assert np.array_equal(boundary(one, dim), theirs.incidence_matrix(dim, signed=True).toarray())
    assert reals(batch, "filtration")[:5] == [2.0, 1.0, 2.0, 2.0, 1.0]
    assert one.columns == [] and as_batch([tree], max_dim=2).dim == 2
    with pytest.raises(HodgeletInputError, match="a simplex tree has `filtration` only"):
        as_batch([tree], edge_attrs=["length"])


def hypergraph() -> xgi.Hypergraph:
    out = xgi.Hypergraph()
    for v, size in zip("abcd", (1.0, 2.0, 3.0, 4.0), strict=True):
        out.add_node(v, size=size)
    out.add_edge(["a", "b", "c"], topic="x")
    out.add_edge(["c", "d"], topic="y")
    out.add_edge(["b", "c"], topic="x")
    return out


def test_a_star_joins_nodes_to_their_hyperedges() -> None:
    batch = as_batch([hypergraph(), hypergraph()])
    assert batch.vertices.tolist() == [7, 7]
    ours = np.abs(boundary(as_batch([hypergraph()]), 1))
    incidence = np.zeros((4, 3))
    for column_ in ours.T:
        node, edge = np.flatnonzero(column_)
        incidence[node, edge - 4] = 1.0
    assert np.array_equal(incidence, xgi.incidence_matrix(hypergraph(), sparse=False))
    assert labels(batch, "side")[:7] == ["vertex"] * 4 + ["hyperedge"] * 3
    assert reals(batch, "vertex.size")[:7] == [1.0, 2.0, 3.0, 4.0, 0.0, 0.0, 0.0]
    assert labels(batch, "hyperedge.topic")[:7] == ["other-side"] * 4 + ["x", "y", "x"]


def test_weights_of_the_clique_expansion_add_up_to_the_degrees() -> None:
    batch = as_batch([hypergraph()], hypergraph="clique-normalized")
    at = np.zeros(4)
    np.add.at(at, batch.edges.ravel(), np.repeat(batch.weights[1], 2))
    assert np.allclose(at, [hypergraph().nodes.degree.asdict()[v] for v in "abcd"])


def test_hyperedges_as_simplices() -> None:
    batch = as_batch([hypergraph()], hypergraph="simplices")
    assert batch.triangles is not None and batch.triangles.tolist() == [[0, 1, 2]] and len(batch.edges) == 4
    assert reals(batch, "size") == [1.0, 2.0, 3.0, 4.0]
    assert as_batch([xgi.SimplicialComplex([[1, 2, 3]])]).triangles is not None


def test_other_hypergraphs_are_refused() -> None:
    with pytest.raises(HodgeletInputError, match="graph 0 is a directed hypergraph"):
        as_batch([xgi.DiHypergraph([([1], [2, 3])])])
    with pytest.raises(HodgeletInputError, match="hypergraph='line', expected one of 'star'"):
        as_batch([hypergraph()], hypergraph="line")
