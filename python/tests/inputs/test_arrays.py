"""Tuples of arrays, SciPy matrices, and stand-ins for the graphs of PyTorch Geometric and DGL."""

from __future__ import annotations

import warnings
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse

from hodgelet import HodgeletInputError, HodgeletOrientationWarning, as_batch

from .helpers import column, labels, reals

BOTH = np.array([[0, 1, 1, 2], [1, 0, 2, 1]])


def test_both_directions_become_one_edge() -> None:
    x = np.arange(6.0).reshape(3, 2)
    batch = as_batch([(BOTH, x, np.array([5.0, 5.0, 6.0, 6.0]))] * 2)
    assert batch.edges.tolist() == [[0, 1], [1, 2]] * 2
    assert reals(batch, "x") == x.tolist() * 2
    assert reals(batch, "edge_attr", 1) == [5.0, 6.0] * 2


def test_whole_numbers_are_labels_a_column_a_channel() -> None:
    batch = as_batch([(BOTH, np.array([[6, 0], [7, 1], [6, 1]]), np.array([1, 1, 2, 2]))])
    assert labels(batch, "x.0") == ["6", "7", "6"] and labels(batch, "x.1") == ["0", "1", "1"]
    assert labels(batch, "edge_attr", 1) == ["1", "2"]
    assert reals(as_batch([(BOTH, np.array([1, 2, 3]))], vertex_attrs={"x": "real"}), "x") == [1.0, 2.0, 3.0]


def test_antisymmetric_attributes_are_a_flow() -> None:
    graph = (BOTH, None, np.array([5.0, -5.0, 6.0, -6.0]))
    with pytest.warns(HodgeletOrientationWarning, match="changes its sign with the direction"):
        batch = as_batch([graph])
    assert column(batch, "edge_attr", 1).oriented and reals(batch, "edge_attr", 1) == [5.0, 6.0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert column(as_batch([graph], oriented=["edge_attr"]), "edge_attr", 1).oriented


def test_signed_numbers_on_single_edges_warn() -> None:
    graph = (BOTH[:, ::2], None, np.array([5.0, -6.0]))
    with pytest.warns(HodgeletOrientationWarning, match="negative values and is taken as unoriented"):
        as_batch([graph])


def test_a_flow_in_one_graph_and_not_in_another_is_an_error() -> None:
    with pytest.raises(
        HodgeletInputError, match=r"graph 1, edge between vertices 1 and 0: attribute .edge_attr. is 5.0"
    ):
        as_batch([(BOTH, None, np.array([1.0, 1.0, 2.0, 2.0])), (BOTH, None, np.array([5.0, 4.0, 6.0, 6.0]))])


def test_the_number_of_vertices_comes_from_x_or_is_given_or_follows_from_the_edges() -> None:
    assert as_batch([(BOTH, np.zeros((5, 1)))]).vertices.tolist() == [5]
    assert as_batch([(BOTH, 4)]).vertices.tolist() == [4]
    assert as_batch([{"edge_index": BOTH, "num_nodes": 7}]).vertices.tolist() == [7]
    assert as_batch([(BOTH,), (np.zeros((2, 0)),)]).vertices.tolist() == [3, 0]


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        ((BOTH.T,), r"graph 0: edge_index has the shape \[4, 2\], expected \[2, n_arcs\]; pass its transpose"),
        ((BOTH * 0.5,), "graph 0: edge_index holds float64, expected whole numbers"),
        ((BOTH, np.zeros((2, 1))), r"graph 0: edge 2 joins vertices \[1, 2\], but the graph has 2 vertices"),
        ((BOTH - 1, np.zeros((3, 1))), r"edge 0 joins vertices \[-1, 0\]"),
        ((BOTH, None, np.zeros(3)), r"graph 0: 'edge_attr' has the shape \[3\], but there are 4 arcs"),
        ((BOTH, np.zeros(3) * 1j), "complex numbers"),
        (([[0, 1], [1]],), "a list cannot be read as an array"),
        ({"edge_index": BOTH, "num_nodes": -2}, r"edge 0 joins vertices \[0, 1\], but the graph has -2 vertices"),
    ],
)
def test_arrays_that_do_not_fit_are_named(graph: tuple, message: str) -> None:
    with pytest.raises(HodgeletInputError, match=message):
        as_batch([graph])


def test_channels_must_agree_between_graphs() -> None:
    with pytest.raises(HodgeletInputError, match="graph 1: 'x' has 2 channels, expected 1"):
        as_batch([(BOTH, np.zeros((3, 1))), (BOTH, np.zeros((3, 2)))])
    with pytest.raises(HodgeletInputError, match="graph 1 has no 'x' on its vertices"):
        as_batch([(BOTH, np.zeros((3, 1))), (BOTH,)])


@pytest.mark.parametrize("seed", range(40))
def test_merging_agrees_with_a_plain_loop(seed: int) -> None:
    rng = np.random.default_rng(seed)
    graphs = [rng.integers(0, 7, size=(rng.integers(0, 30), 2)).tolist() for _ in range(rng.integers(1, 5))]
    arcs = [[(a, b) for a, b in arcs if a != b] for arcs in graphs]
    value = [{frozenset(arc): float(7 * min(arc) + max(arc)) for arc in of_graph} for of_graph in arcs]
    inputs = [
        (np.array(of_graph, dtype=int).reshape(-1, 2).T, 7, np.array([values[frozenset(arc)] for arc in of_graph]))
        for of_graph, values in zip(arcs, value, strict=True)
    ]
    batch = as_batch(inputs)
    for position, of_graph in enumerate(arcs):
        seen: dict[frozenset[int], tuple[int, int]] = {}
        for arc in of_graph:
            seen.setdefault(frozenset(arc), arc)
        rows = slice(batch.edge_offsets[position], batch.edge_offsets[position + 1])
        assert batch.edges[rows].tolist() == [list(arc) for arc in seen.values()]
        found = column(batch, "edge_attr", 1).values[rows, 0].tolist()
        assert found == [value[position][edge] for edge in seen]


def test_many_large_graphs_keep_every_pair_once() -> None:
    rng = np.random.default_rng(0)
    graphs, pairs = [], 0
    for _ in range(1000):
        one = rng.integers(0, 400, size=(2, 500))
        one = one[:, one[0] != one[1]]
        graphs.append((np.concatenate([one, one[::-1]], axis=1), 400))
        pairs += len({frozenset(arc) for arc in one.T.tolist()})
    batch = as_batch(graphs)
    assert len(batch.edges) == pairs


def test_a_sparse_matrix_is_an_adjacency() -> None:
    path = scipy.sparse.coo_matrix(([1.0, 1.0, 1.0, 1.0], BOTH), shape=(4, 4))
    batch = as_batch([path.tocsr(), scipy.sparse.csr_array(path)])
    assert batch.vertices.tolist() == [4, 4] and batch.edges.tolist() == [[0, 1], [1, 2]] * 2 and batch.columns == []
    weighted = as_batch([path * 2.5])
    assert reals(weighted, "weight", 1) == [2.5, 2.5]
    assert as_batch([path * 2.5], weights={1: "weight"}).weights[1].tolist() == [2.5, 2.5]
    flow = scipy.sparse.coo_matrix(([1.0, -1.0, 2.0, -2.0], BOTH), shape=(3, 3))
    assert column(as_batch([flow], oriented=["weight"]), "weight", 1).oriented
    with pytest.raises(HodgeletInputError, match=r"graph 0 is a matrix of shape \[2, 3\].*square"):
        as_batch([scipy.sparse.csr_matrix(np.ones((2, 3)))])


class Tensor:
    """As much of a tensor as is used."""

    def __init__(self, values: object) -> None:
        self.values = np.asarray(values)

    def detach(self) -> Tensor:
        return self

    def cpu(self) -> np.ndarray:
        return self.values


def test_a_stand_in_for_pytorch_geometric_is_read() -> None:
    data = SimpleNamespace(edge_index=Tensor(BOTH), x=Tensor([[1.0], [2.0], [3.0]]), edge_attr=None, num_nodes=3)
    data.charge = Tensor([1, 0, 1])
    batch = as_batch([data, data])
    assert batch.edges.tolist() == [[0, 1], [1, 2]] * 2 and reals(batch, "x") == [1.0, 2.0, 3.0] * 2
    assert labels(as_batch([data], vertex_attrs=["charge"]), "charge") == ["1", "0", "1"]
    with pytest.raises(HodgeletInputError, match="graph 0 has no 'spin' on its vertices"):
        as_batch([data], vertex_attrs=["spin"])
    data.edge_index, data.face = None, Tensor([[0], [1], [2]])
    with pytest.raises(HodgeletInputError, match="graph 0 has face but no edge_index: apply FaceToEdge"):
        as_batch([data])


def test_a_stand_in_for_dgl_is_read() -> None:
    graph = SimpleNamespace(
        ndata={"feat": Tensor([[1.0], [2.0], [3.0]]), "_ID": Tensor([0, 1, 2])},
        edata={"kind": Tensor([1, 1, 2, 2])},
        num_nodes=lambda: 3,
        edges=lambda: (Tensor(BOTH[0]), Tensor(BOTH[1])),
        is_homogeneous=True,
    )
    batch = as_batch([graph])
    assert [c.name for c in batch.columns] == ["feat", "kind"] and labels(batch, "kind", 1) == ["1", "2"]
    graph.is_homogeneous = False
    with pytest.raises(HodgeletInputError, match="to_homogeneous"):
        as_batch([graph])
