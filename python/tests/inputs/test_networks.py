"""What directions and weights become, hypergraphs in every expansion, and lifts: as in the command."""

from __future__ import annotations

import inspect
import json
import warnings
from pathlib import Path
from typing import Any

import igraph
import networkx as nx
import numpy as np
import pytest
import scipy.sparse
import xgi

from hodgelet import (
    HodgeletClassifier,
    HodgeletInputError,
    HodgeletLabelWarning,
    HodgeletOrientationWarning,
    HodgeletTransformer,
    HodgeletWarning,
    as_batch,
    datasets,
    lift,
)
from hodgelet._inputs import _options

from .helpers import column, reals


def digraph() -> nx.DiGraph:
    out = nx.DiGraph()
    out.add_nodes_from("abc")
    out.add_edge("b", "a", weight=5.0, kind="x")
    out.add_edge("a", "b", weight=1.0, kind="x")
    out.add_edge("b", "c", weight=2.0, kind="y")
    return out


def matrix() -> Any:
    return scipy.sparse.csr_array(np.array([[0.0, 1.0, 0.0], [5.0, 0.0, 2.0], [0.0, 0.0, 0.0]]))


def in_igraph() -> igraph.Graph:
    out = igraph.Graph(n=3, edges=[(1, 0), (0, 1), (1, 2)], directed=True)
    out.es["weight"] = [5.0, 1.0, 2.0]
    return out


ARRAYS = (np.array([[1, 0, 1], [0, 1, 2]]), 3, np.array([[5.0], [1.0], [2.0]]))
ALL = [(digraph(), "weight"), (matrix(), "weight"), (in_igraph(), "weight"), (ARRAYS, "edge_attr")]


@pytest.mark.parametrize(("graph", "name"), ALL)
def test_a_flow_is_the_antisymmetric_part_and_the_symmetric_part_stays(graph: Any, name: str) -> None:
    batch = as_batch([graph, graph], directed="flow")
    ends = [tuple(edge) for edge in batch.edges.tolist()][:2]
    mean, flow = reals(batch, name, 1)[:2], reals(batch, f"{name}-flow", 1)[:2]
    assert column(batch, f"{name}-flow", 1).oriented and not column(batch, name, 1).oriented
    for (tail, head), half, along in zip(ends, mean, flow, strict=True):
        sign = 1.0 if tail == 1 else -1.0  # from b, as it flows
        assert {tail, head} in ({0, 1}, {1, 2})
        assert (half, sign * along) == ((3.0, 2.0) if 0 in (tail, head) else (1.0, 1.0))


def test_arcs_without_numbers_count_one() -> None:
    batch = as_batch([nx.DiGraph([(0, 1), (1, 0), (1, 2)]), nx.Graph([(0, 1)])], directed="flow")
    assert reals(batch, "arc", 1) == [1.0, 0.5, 1.0]
    assert reals(batch, "arc-flow", 1) == [0.0, 0.5, 0.0]


def test_directions_are_an_error_or_ignored_on_request() -> None:
    with pytest.raises(HodgeletInputError, match="graph 0: found an arc from vertex 1 to 2 and none back"):
        as_batch([digraph()], edge_attrs=["kind"], directed="error")
    both = nx.DiGraph([(0, 1), (1, 0)])
    assert len(as_batch([both], directed="error").edges) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plain = nx.DiGraph()
        plain.add_edge(1, 0, weight=2.0)
        assert reals(as_batch([plain], directed="ignore", weights={}), "weight", 1) == [2.0]
    with pytest.raises(HodgeletInputError, match=r"attribute 'weight' is 1.0 and 5.0 on its arcs.*directed='flow'"):
        as_batch([digraph()], directed="ignore")
    with pytest.raises(HodgeletInputError, match="directed='up', expected None or one of 'error', 'ignore', 'flow'"):
        as_batch([digraph()], directed="up")
    with pytest.raises(HodgeletInputError, match="leave `oriented` out"):
        as_batch([digraph()], directed="flow", oriented=["weight"])


def test_two_arcs_of_one_direction_must_agree() -> None:
    twice = (np.array([[0, 0], [1, 1]]), 2, np.array([[1.0], [3.0]]))
    with pytest.raises(HodgeletInputError, match=r"'edge_attr' is 1\.0 and 3\.0 on its arcs, expected one"):
        as_batch([twice], directed="flow")


def rings(directed: bool) -> tuple[list[nx.DiGraph], list[str]]:
    """Triangles whose flow goes around, or from one vertex to the others."""
    graphs, kinds = [], []
    for i in range(24):
        arcs, kind = ([(0, 1), (1, 2), (2, 0)], "round") if i % 2 else ([(0, 1), (0, 2), (1, 2)], "down")
        graph = nx.DiGraph() if directed else nx.Graph()
        graph.add_weighted_edges_from((u, v, 1.0 + i % 5) for u, v in arcs)
        graphs.append(graph)
        kinds.append(kind)
    return graphs, kinds


def test_estimators_take_directions_weights_and_expansions() -> None:
    graphs, kinds = rings(directed=True)
    model = HodgeletClassifier(directed="flow", hyperparameters="map", max_iter=20).fit(graphs[:16], kinds[:16])
    assert model.predict(graphs[16:]).tolist() == kinds[16:]
    undirected, _ = rings(directed=False)
    signal = HodgeletTransformer().fit(undirected).get_feature_names_out()
    weighed = HodgeletTransformer(weights={1: "weight"}, edges="constant").fit(undirected)
    assert any("weight" in name for name in signal)
    assert not any("weight" in name for name in weighed.get_feature_names_out())
    names = {n: HodgeletTransformer(hypergraph=n).fit([hypergraph()] * 2).get_feature_names_out() for n in EXPANSIONS}
    assert any("side" in name for name in names["star"]) and not any("side" in name for name in names["zhou"])
    assert model.get_params()["directed"] == "flow"
    with pytest.raises(HodgeletInputError, match="weights='weight', expected names by dimension"):
        HodgeletTransformer(weights="weight").fit(undirected)  # type: ignore[arg-type]


def hypergraph() -> xgi.Hypergraph:
    out = xgi.Hypergraph()
    for v, size in zip("abcd", (1.0, 2.0, 3.0, 4.0), strict=True):
        out.add_node(v, size=size)
    out.add_edge(["a", "b", "c"], topic="x", weight=2.0)
    out.add_edge(["c", "d"], topic="y", weight=1.0)
    out.add_edge(["b", "c"], topic="x", weight=0.5)
    return out


EXPANSIONS = ["zhou", "clique", "clique-normalized", "clique-unit", "star", "incidence"]


def hif(path: Path) -> Path:
    """The same hypergraph in the interchange format."""
    h = hypergraph()
    text = {
        "nodes": [{"node": v, "attrs": dict(h.nodes[v])} for v in h.nodes],
        "edges": [
            {"edge": e, "attrs": {"topic": h.edges[e]["topic"]}, "weight": h.edges[e]["weight"]} for e in h.edges
        ],
        "incidences": [{"edge": e, "node": v} for e in h.edges for v in sorted(h.edges.members(e))],
    }
    path.write_text(json.dumps(text))
    return path


@pytest.mark.parametrize("expansion", EXPANSIONS)
def test_a_hypergraph_is_the_same_as_from_a_file(expansion: str, tmp_path: Path) -> None:
    theirs = datasets.load(hif(tmp_path / "h.json"), hypergraph=expansion).graphs
    ours = as_batch([hypergraph()], hypergraph=expansion, weights={1: "weight"})
    assert ours.vertices.tolist() == theirs.vertices.tolist()
    assert ours.edges.tolist() == theirs.edges.tolist()
    assert [b.faces.tolist() for b in ours.boundaries] == [b.faces.tolist() for b in theirs.boundaries]
    assert sorted(ours.weights) == sorted(theirs.weights)
    for dim, weights in theirs.weights.items():
        assert np.array_equal(ours.weights[dim], weights)
    named = {(c.dim, c.name): c for c in theirs.columns}
    assert {(c.dim, c.name) for c in ours.columns} == set(named)
    for c in ours.columns:
        assert np.array_equal(c.values, named[c.dim, c.name].values), c.name
        assert c.oriented == named[c.dim, c.name].oriented
    features = [HodgeletTransformer().fit_transform(batch) for batch in (ours, theirs)]
    assert np.allclose(features[0], features[1], rtol=0, atol=1e-9)


def test_batches_of_hyperedges_are_taken_and_joined() -> None:
    batch = as_batch([hypergraph(), hypergraph()], hypergraph="incidence")
    assert batch.dim == 1 and batch.cell_offsets(1).tolist() == [0, 3, 6] and len(batch.edges) == 0
    again = type(batch).concatenate([batch[1], batch[0]]).validate()
    assert [b.faces.tolist() for b in again.boundaries] == [b.faces.tolist() for b in batch.boundaries]


class Stand:
    """As much of HyperNetX's `Hypergraph` as is read; `tests/optional` has the library itself."""

    def __init__(self, weight: float = 1) -> None:
        self.incidence_dict = {"e": ["a", "b", "c"], "f": ["c", "d"]}
        self.nodes, self.edges = ["a", "b", "c", "d"], ["e", "f"]
        self._weight = weight

    def get_properties(self, uid: str, level: int) -> dict[str, Any]:
        """Properties, with those that the library adds."""
        own = {"topic": uid} if level == 0 else {"size": float(ord(uid))}
        return {**own, "weight": self._weight if uid == "e" else 1, "_level": level, "misc_properties": {}}


def test_hypernetx_is_read_as_xgi_is() -> None:
    theirs = xgi.Hypergraph()
    for v in "abcd":
        theirs.add_node(v, size=float(ord(v)))
    theirs.add_edge(["a", "b", "c"], topic="e")
    theirs.add_edge(["c", "d"], topic="f")
    for expansion in [*EXPANSIONS, "simplices"]:
        ours, expected = (as_batch([h], hypergraph=expansion) for h in (Stand(), theirs))
        assert repr(ours) == repr(expected), expansion
        assert all(np.array_equal(a.values, b.values) for a, b in zip(ours.columns, expected.columns, strict=True))
    weighed = as_batch([Stand(weight=3)], hypergraph="incidence", weights={1: "weight"})
    assert weighed.weights[1].max() == 3.0
    with pytest.raises(HodgeletInputError, match="of hypergraphs only hyperedges"):
        as_batch([Stand()], weights={0: "weight"})


def test_whole_numbers_that_are_labels_are_said_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_options, "_SAID", set())
    graph = nx.Graph()
    graph.add_node(0, period=1)
    graph.add_node(1, period=2)
    with pytest.warns(
        HodgeletLabelWarning, match=r"one-hot\): 'period' of dimension 0; vertex_attrs=\{'period': \"real\"\}"
    ):
        as_batch([graph])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert as_batch([graph]).columns[0].kind == "labels"
        assert as_batch([graph], vertex_attrs={"period": "real"}).columns[0].kind == "real"
    monkeypatch.setattr(_options, "_SAID", set())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        as_batch([graph], vertex_attrs={"period": "labels"})


def test_a_weight_that_nothing_is_said_of_is_said_to_be_a_signal_once(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = nx.Graph()
    graph.add_edge(0, 1, weight=2.0)
    for graphs in ([graph], [scipy.sparse.csr_array(np.array([[0.0, 2.0], [2.0, 0.0]]))]):
        monkeypatch.setattr(_options, "_SAID", set())
        with pytest.warns(
            HodgeletWarning, match=r"'weight' is read as a signal: weights=\{1: 'weight'\}.*weights=\{\}"
        ):
            assert reals(as_batch(graphs), "weight", 1) == [2.0]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            as_batch(graphs)
    monkeypatch.setattr(_options, "_SAID", set())
    said: list[dict[str, Any]] = [
        {"weights": {}},
        {"weights": {1: "weight"}},
        {"edge_attrs": ["weight"]},
        {"edge_attrs": []},
        {"oriented": {"weight": False}},
        {"directed": "flow"},
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for choice in said:
            as_batch([graph], **choice)
        as_batch([nx.path_graph(3)])


def test_directions_that_nothing_is_said_of_are_said_to_be_left_out_once(monkeypatch: pytest.MonkeyPatch) -> None:
    bare = nx.DiGraph([(0, 1), (1, 0), (1, 2)])
    for graph in (bare, igraph.Graph(n=3, edges=[(0, 1), (1, 2)], directed=True)):
        monkeypatch.setattr(_options, "_SAID", set())
        with pytest.warns(HodgeletOrientationWarning, match="'ignore' says so, directed='flow'.*directed='error'"):
            assert len(as_batch([graph]).edges) == 2
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            as_batch([graph])
    monkeypatch.setattr(_options, "_SAID", set())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for directed in ("ignore", "flow"):
            as_batch([bare], directed=directed)
        as_batch([nx.DiGraph([(0, 1), (1, 0)])])
        as_batch([nx.path_graph(3)])
    graph = nx.DiGraph()
    graph.add_edge(0, 1, flow=1.0)
    with pytest.warns(HodgeletOrientationWarning, match="directed='flow' makes two signals of it, directed='ignore'"):
        as_batch([graph])


def test_the_default_expansion_is_one_and_the_same() -> None:
    defaults = {HodgeletClassifier().hypergraph, HodgeletTransformer().hypergraph}
    assert defaults == {inspect.signature(as_batch).parameters["hypergraph"].default} == {"star"}
    guide = (Path(__file__).parents[3] / "book/src/guides/python-inputs.md").read_text()
    assert '`"star"` (default)' in guide and "`--hypergraph star` there, makes them agree" in guide


def test_complexes_are_cut_finer() -> None:
    triangle = lift([nx.complete_graph(3)], "cliques")

    def cells(to: str) -> list[int]:
        found = lift(triangle, to)
        return [int(found.cell_offsets(k)[-1]) for k in range(3)]

    assert cells("barycentric") == [7, 12, 6]
    assert cells("stellar") == [4, 6, 3]
    many = lift([nx.complete_graph(3)] * 40, "cliques")
    graded = lift(many, "graded")
    refined = np.diff(graded.cell_offsets(2))
    assert set(refined.tolist()) == {1, 3}
    assert np.array_equal(np.diff(lift(many, "graded").cell_offsets(2)), refined)
    with pytest.raises(HodgeletInputError, match="dim=2 does not apply to 'stellar'"):
        lift(triangle, "stellar", dim=2)
    sized = nx.path_graph(2)
    nx.set_node_attributes(sized, {0: 1.0, 1: 2.0}, "size")
    with pytest.warns(HodgeletWarning, match="size of dimension 0"):
        assert lift([sized], "barycentric").vertices.tolist() == [3]


def test_lifts_are_those_of_the_command(tmp_path: Path) -> None:
    square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    rips = lift([square, square[:3]], "rips", radius=1.5)
    assert [int(rips.cell_offsets(k)[-1]) for k in range(3)] == [7, 9, 5]
    alpha = lift([square], "alpha", radius=0.8)
    assert int(alpha.cell_offsets(2)[-1]) == 2
    hexagon = nx.cycle_graph(6)
    for to, more in [("rings", {}), ("cycles", {"max_length": 6}), ("cycle-basis", {})]:
        assert int(lift([hexagon], to, **more).cell_offsets(2)[-1]) == 1, to
    tetrahedron = nx.complete_graph(4)
    assert lift([tetrahedron], "cliques", dim=3).dim == 3
    line = {"vertices": 4, "edges": [], "positions": square.tolist()}
    (tmp_path / "p.jsonl").write_text('{"hodgelet":1}\n' + json.dumps(line) + "\n")
    theirs = datasets.load(tmp_path / "p.jsonl").graphs
    assert lift(theirs, "rips", radius=1.5)[0].edges.tolist() == rips[0].edges.tolist()


@pytest.mark.parametrize(
    ("to", "more", "message"),
    [
        ("circles", {}, "to='circles', expected one of 'cliques', 'rings'"),
        ("rips", {}, "'rips' needs radius"),
        ("cycles", {}, "'cycles' needs max_length"),
        ("rings", {"radius": 1.0}, "radius=1.0 does not apply to 'rings'"),
        ("rips", {"radius": -1.0}, "complex 0: "),
    ],
)
def test_lifts_that_make_no_sense_are_refused(to: str, more: dict[str, Any], message: str) -> None:
    points = [np.zeros((3, 2)) + np.arange(3)[:, None]]
    with pytest.raises(HodgeletInputError, match=message):
        lift(points if to == "rips" else [nx.path_graph(3)], to, **more)
