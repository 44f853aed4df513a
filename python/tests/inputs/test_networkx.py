"""NetworkX graphs."""

from __future__ import annotations

import warnings

import networkx as nx
import numpy as np
import pytest

from hodgelet import HodgeletInputError, HodgeletOrientationWarning, as_batch

from .helpers import column, labels, reals


def colored() -> nx.Graph:
    graph = nx.Graph()
    graph.add_node("b", element="C", charge=1, mass=12.0, position=(0.0, 1.0))
    graph.add_node("a", element="N", charge=0, mass=14.0, position=(2.0, 3.0))
    graph.add_node("c", element="C", charge=1, mass=12.0, position=(4.0, 5.0))
    graph.add_edge("a", "b", order=2, length=1.5)
    graph.add_edge("c", "a", order=1, length=2.5)
    return graph


def test_attributes_are_labels_or_numbers_by_their_type() -> None:
    batch = as_batch([colored(), colored()])
    assert batch.vertices.tolist() == [3, 3] and batch.edge_offsets.tolist() == [0, 2, 4]
    assert labels(batch, "element") == ["C", "N", "C"] * 2
    assert labels(batch, "charge") == ["1", "0", "1"] * 2
    assert reals(batch, "mass") == [12.0, 14.0, 12.0] * 2
    assert reals(batch, "position") == [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]] * 2
    assert labels(batch, "order", 1) == ["2", "1"] * 2
    assert reals(batch, "length", 1) == [1.5, 2.5] * 2
    assert not column(batch, "length", 1).oriented


def test_an_edge_points_from_the_vertex_that_stands_first() -> None:
    assert as_batch([colored()]).edges.tolist() == [[0, 1], [1, 2]]


def test_edges_are_those_of_networkx_in_its_order() -> None:
    graphs = [nx.gnp_random_graph(15, 0.3, seed=seed) for seed in range(5)]
    graphs += [nx.relabel_nodes(g, {v: f"v{(7 * v) % 15}" for v in g}) for g in graphs]
    batch = as_batch(graphs)
    for position, graph in enumerate(graphs):
        number = {vertex: at for at, vertex in enumerate(graph)}
        found = batch.edges[batch.edge_offsets[position] : batch.edge_offsets[position + 1]].tolist()
        assert found == [[number[u], number[v]] for u, v in graph.edges]


def test_named_attributes_and_declared_kinds_win() -> None:
    batch = as_batch([colored()], vertex_attrs={"charge": "real"}, edge_attrs=["order"])
    assert [(c.name, c.kind) for c in batch.columns] == [("charge", "real"), ("order", "labels")]
    assert reals(batch, "charge") == [1.0, 0.0, 1.0]
    assert as_batch([colored()], vertex_attrs=[], edge_attrs=[]).columns == []


def test_weights_are_taken_out_of_the_signals() -> None:
    batch = as_batch([colored()], weights={1: "order", 0: "mass"})
    assert batch.weights[1].tolist() == [2.0, 1.0] and batch.weights[0].tolist() == [12.0, 14.0, 12.0]
    assert [c.name for c in batch.columns if c.dim == 1] == ["length"]
    assert as_batch([colored()], edge_attrs=[], weights={1: "order"}).weights[1].tolist() == [2.0, 1.0]
    with pytest.raises(HodgeletInputError, match="weights: 'position' is not a number on cells of dimension 0"):
        as_batch([colored()], weights={0: "position"})
    with pytest.raises(HodgeletInputError, match="the weight of cell 0 of dimension 1 is -1"):
        graph = colored()
        graph.edges["a", "b"]["order"] = -1
        as_batch([graph], weights={1: "order"})


def test_a_missing_attribute_names_graph_and_vertex() -> None:
    broken = colored()
    del broken.nodes["c"]["mass"]
    broken.nodes["c"]["weight"] = 1.0
    with pytest.raises(HodgeletInputError, match=r"graph 1, vertex 2 has no attribute 'mass'; it has 'element'"):
        as_batch([colored(), broken])
    broken.nodes["a"]["extra"] = 1
    with pytest.raises(HodgeletInputError, match=r"graph 1, vertex 1 has the attributes .*'extra'.*vertex_attrs"):
        as_batch([colored(), broken])


def test_labels_must_be_finite() -> None:
    graph = colored()
    graph.nodes["a"]["mass"] = float("inf")
    with pytest.raises(HodgeletInputError, match="graph 0, vertex 1: attribute 'mass' is not finite, expected a label"):
        as_batch([graph], vertex_attrs={"mass": "labels"})


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("x", r"graph 0, vertex 1: attribute 'mass' is 'x', but 12.0 on the first; expected values of one type"),
        (None, r"graph 0, vertex 1: attribute 'mass' is None, expected a number, a string or a vector"),
        (float("nan"), r"graph 0: column `mass` of dimension 0 has \[nan\] on cell 1, expected finite numbers"),
        ((1.0, 2.0), r"graph 0, vertex 1: attribute 'mass' has 2 numbers, expected 1 as on the first"),
        (2**70, None),
        (object(), r"graph 0, vertex 1: attribute 'mass' is a object, expected a number, a string or a vector"),
    ],
)
def test_values_that_make_no_sense_are_named(value: object, message: str | None) -> None:
    graph = colored()
    graph.nodes["a"]["mass"] = value
    if message is None:  # a large whole number among floats is a float
        assert reals(as_batch([graph]), "mass")[1] == float(2**70)
        return
    with pytest.raises(HodgeletInputError, match=message):
        as_batch([graph])


def test_numbers_on_directed_edges_warn_unless_declared() -> None:
    graph = nx.DiGraph()
    graph.add_edge("a", "b", flow=1.0)
    graph.add_edge("c", "b", flow=-2.0)
    with pytest.warns(HodgeletOrientationWarning, match=r"'flow' is a number on directed edges.*oriented=\['flow'\]"):
        assert not column(as_batch([graph]), "flow", 1).oriented
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        flow = as_batch([graph], oriented=["flow"])
        assert column(flow, "flow", 1).oriented
        assert flow.edges.tolist() == [[0, 1], [2, 1]]
        assert not column(as_batch([graph], oriented={"flow": False}), "flow", 1).oriented


def test_the_warning_points_at_the_caller() -> None:
    graph = nx.DiGraph()
    graph.add_edge(0, 1, flow=1.0)
    with pytest.warns(HodgeletOrientationWarning) as caught:
        as_batch([graph])
    assert caught[0].filename == __file__


def test_opposite_arcs_become_one_edge() -> None:
    graph = nx.DiGraph()
    graph.add_edge(0, 1, length=3.0, bond="x")
    graph.add_edge(1, 0, length=3.0, bond="x")
    graph.add_edge(1, 2, length=4.0, bond="y")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        batch = as_batch([graph])
    assert batch.edges.tolist() == [[0, 1], [1, 2]]
    assert reals(batch, "length", 1) == [3.0, 4.0] and labels(batch, "bond", 1) == ["x", "y"]


def test_values_that_change_sign_with_the_direction_are_a_flow() -> None:
    graph = nx.DiGraph()
    graph.add_edge(0, 1, flow=3.0)
    graph.add_edge(1, 0, flow=-3.0)
    with pytest.warns(HodgeletOrientationWarning, match="changes its sign with the direction"):
        batch = as_batch([graph])
    assert column(batch, "flow", 1).oriented and reals(batch, "flow", 1) == [3.0]
    with pytest.raises(HodgeletInputError, match=r"vertices 1 and 0: attribute 'flow' is 3.0 and -3.0 .*unoriented"):
        as_batch([graph], oriented={"flow": False})


def test_arcs_that_disagree_are_named() -> None:
    graph = nx.DiGraph()
    graph.add_edge(0, 1, flow=3.0)
    graph.add_edge(1, 0, flow=1.0)
    with pytest.raises(HodgeletInputError, match=r"graph 0, edge between vertices 1 and 0: .* 3.0 and 1.0"):
        as_batch([graph])
    with pytest.raises(HodgeletInputError, match="declared oriented"):
        as_batch([graph], oriented=["flow"])
    graph = nx.MultiGraph()
    graph.add_edge(0, 1, bond="x")
    graph.add_edge(0, 1, bond="y")
    with pytest.raises(HodgeletInputError, match="'x' and 'y' on its arcs, expected one label"):
        as_batch([graph])


def test_parallel_edges_that_agree_are_one() -> None:
    graph = nx.MultiGraph()
    graph.add_edge("u", "v", bond="x")
    graph.add_edge("v", "u", bond="x")
    graph.add_edge("v", "w", bond="y")
    batch = as_batch([graph])
    assert batch.edges.tolist() == [[0, 1], [1, 2]] and labels(batch, "bond", 1) == ["x", "y"]
    directed = nx.MultiDiGraph([(1, 0), (1, 0), (0, 1)])
    assert as_batch([directed]).edges.tolist() == [[0, 1]]  # vertex 1 stands first


def test_loops_are_left_out_with_a_warning() -> None:
    graph = nx.Graph([(0, 1), (1, 1)])
    with pytest.warns(UserWarning, match="1 edges join a vertex to itself"):
        assert as_batch([graph]).edges.tolist() == [[0, 1]]


def test_graphs_without_edges_or_vertices_stay() -> None:
    batch = as_batch([nx.empty_graph(3), nx.Graph(), nx.path_graph(2)], edge_attrs=[])
    assert batch.vertices.tolist() == [3, 0, 2] and batch.edge_offsets.tolist() == [0, 0, 0, 1]
    assert np.array_equal(as_batch([nx.empty_graph(2)], edge_attrs=["w"]).edges, np.zeros((0, 2)))
