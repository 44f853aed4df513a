"""Graphs of PyTorch Geometric and DGL, against the libraries themselves; see README.md for the command."""

from __future__ import annotations

import numpy as np
import pytest

from hodgelet import Column, GraphBatch, HodgeletInputError, HodgeletOrientationWarning, as_batch

torch = pytest.importorskip("torch")


def column(batch: GraphBatch, name: str, dim: int = 0) -> Column:
    return next(c for c in batch.columns if c.name == name and c.dim == dim)


INDEX = [[0, 1, 1, 2], [1, 0, 2, 1]]


class TestPyTorchGeometric:
    """Lists of `Data`, a `Batch`, a dataset."""

    @pytest.fixture(autouse=True)
    def library(self) -> None:
        self.geometric = pytest.importorskip("torch_geometric")

    def data(self, **more: object):  # noqa: ANN201
        x = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], requires_grad=True)
        return self.geometric.data.Data(x=x, edge_index=torch.tensor(INDEX), **more)

    def test_vertices_edges_and_attributes_are_read(self) -> None:
        batch = as_batch([self.data(edge_attr=torch.tensor([[5.0], [5.0], [6.0], [6.0]]))] * 2)
        assert batch.edges.tolist() == [[0, 1], [1, 2]] * 2
        assert column(batch, "x").values.tolist() == [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]] * 2
        assert column(batch, "edge_attr", 1).values[:, 0].tolist() == [5.0, 6.0] * 2

    def test_a_batch_is_the_graphs_it_holds(self) -> None:
        many = self.geometric.data.Batch.from_data_list([self.data(), self.data()])
        assert as_batch(many).n_graphs == as_batch([many]).n_graphs == 2

    def test_a_dataset_in_memory_is_a_list(self) -> None:
        data = [self.data(), self.data()]
        stored = self.geometric.data.InMemoryDataset()
        stored.data, stored.slices = stored.collate(data)
        assert as_batch(stored).n_graphs == 2

    def test_any_attribute_can_be_named(self) -> None:
        batch = as_batch([self.data(z=torch.tensor([6, 7, 6]))], vertex_attrs=["z"], edge_attrs=[])
        assert column(batch, "z").categories == ["6", "7"] and column(batch, "z").values.tolist() == [0, 1, 0]

    def test_a_flow_is_found_by_its_signs(self) -> None:
        data = self.data(edge_attr=torch.tensor([1.0, -1.0, 2.0, -2.0]))
        with pytest.warns(HodgeletOrientationWarning, match="changes its sign"):
            assert column(as_batch([data]), "edge_attr", 1).oriented

    def test_several_types_of_vertices_are_refused(self) -> None:
        hetero = self.geometric.data.HeteroData()
        hetero["a"].x, hetero["a", "to", "a"].edge_index = torch.zeros(2, 1), torch.tensor([[0], [1]])
        with pytest.raises(HodgeletInputError, match="to_homogeneous"):
            as_batch([hetero])

    def test_an_isolated_vertex_stays(self) -> None:
        data = self.geometric.data.Data(edge_index=torch.tensor([[0], [1]]), num_nodes=4)
        assert as_batch([data]).vertices.tolist() == [4]


class TestDgl:
    """Graphs of DGL."""

    @pytest.fixture(autouse=True)
    def library(self) -> None:
        try:
            import dgl
        except Exception as error:  # its wheels fit few versions of torch, and then fail in many ways
            pytest.skip(f"dgl cannot be imported: {error}")
        self.dgl = dgl

    def test_vertices_edges_and_attributes_are_read(self) -> None:
        graph = self.dgl.graph((torch.tensor(INDEX[0]), torch.tensor(INDEX[1])), num_nodes=4)
        graph.ndata["feat"] = torch.arange(8.0).reshape(4, 2)
        graph.edata["kind"] = torch.tensor([1, 1, 2, 2])
        batch = as_batch([graph, graph])
        assert batch.vertices.tolist() == [4, 4] and batch.edges.tolist() == [[0, 1], [1, 2]] * 2
        assert np.array_equal(column(batch, "feat").values[:4], np.arange(8.0).reshape(4, 2))
        assert column(batch, "kind", 1).categories == ["1", "2"]

    def test_several_types_are_refused(self) -> None:
        graph = self.dgl.heterograph({("a", "to", "b"): ([0], [0])})
        with pytest.raises(HodgeletInputError, match="to_homogeneous"):
            as_batch([graph])
