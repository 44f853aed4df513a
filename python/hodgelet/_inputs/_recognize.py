"""How the graphs of each library are recognized: by their methods, so that no library is needed here."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from hodgelet._errors import HodgeletInputError

__all__ = ["READERS", "TOPONETX_UNSIGNED", "Reader", "is_one_graph", "reader_of"]

#: Classes of TopoNetX without a signed boundary.
TOPONETX_UNSIGNED = ("CombinatorialComplex", "PathComplex", "ColoredHyperGraph")
EXPECTED = (
    "a NetworkX, igraph, DGL or PyTorch Geometric graph, an (edge_index, x, edge_attr) tuple, a SMILES string or an "
    "RDKit molecule, a TopoNetX or GUDHI complex, an XGI or HyperNetX hypergraph, a SciPy sparse adjacency matrix, "
    "or a GraphBatch"
)


class Reader:
    """A kind of graph: its name, the attributes of its graphs, and the function that reads many of them."""

    def __init__(self, name: str, module: str, function: str, *abilities: str) -> None:
        self.name, self._module, self._function, self._abilities = name, module, function, abilities

    @property
    def weighs(self) -> bool:
        """Whether it makes weights of attributes itself."""
        return self._module in ("_xgi", "_hypergraphs")

    def accepts(self, graph: Any) -> bool:
        """Whether ``graph`` looks like one of this kind."""
        return all(hasattr(graph, ability) for ability in self._abilities)

    def read(self, graphs: list[Any], options: Any) -> Any:
        """The batch of ``graphs``; only now is the code for them imported."""
        return getattr(import_module(f"hodgelet._inputs.{self._module}"), self._function)(graphs, options)


class _Smiles(Reader):
    def accepts(self, graph: Any) -> bool:
        return isinstance(graph, str)


class _Arrays(Reader):
    def accepts(self, graph: Any) -> bool:
        if isinstance(graph, Mapping):
            return "edge_index" in graph
        return isinstance(graph, tuple) and 1 <= len(graph) <= 3


class _TorchGeometric(Reader):
    def accepts(self, graph: Any) -> bool:
        return hasattr(graph, "num_nodes") and (hasattr(graph, "edge_index") or hasattr(graph, "edge_index_dict"))


class _TopoNetX(Reader):
    def accepts(self, graph: Any) -> bool:
        return type(graph).__name__ in TOPONETX_UNSIGNED or super().accepts(graph)


class _Xgi(Reader):
    def accepts(self, graph: Any) -> bool:
        return super().accepts(graph) and hasattr(graph.edges, "members")


#: Every kind, most specific first: some DGL graphs also have the methods of NetworkX graphs.
READERS: tuple[Reader, ...] = (
    _Smiles("SMILES string", "_rdkit", "from_smiles"),
    Reader("RDKit molecule", "_rdkit", "from_rdkit", "GetAtoms", "GetBonds"),
    _Arrays("tuple of arrays", "_arrays", "from_arrays"),
    Reader("SciPy sparse matrix", "_scipy", "from_scipy", "tocoo", "shape", "nnz"),
    Reader("DGL graph", "_dgl", "from_dgl", "ndata", "edata", "num_nodes", "edges"),
    _TorchGeometric("PyTorch Geometric graph", "_torch_geometric", "from_torch_geometric"),
    Reader("igraph graph", "_igraph", "from_igraph", "vs", "es", "vcount", "get_edgelist"),
    Reader("GUDHI simplex tree", "_gudhi", "from_gudhi", "get_simplices", "num_vertices", "dimension", "filtration"),
    _TopoNetX("TopoNetX complex", "_toponetx", "from_toponetx", "skeleton", "hodge_laplacian_matrix", "shape"),
    Reader("NetworkX graph", "_networkx", "from_networkx", "is_multigraph", "is_directed", "adj", "nodes", "edges"),
    _Xgi("XGI hypergraph", "_xgi", "from_xgi", "nodes", "edges"),
    Reader(
        "HyperNetX hypergraph", "_hypergraphs", "from_hypernetx", "incidence_dict", "get_properties", "nodes", "edges"
    ),
)


def reader_of(graph: Any, position: int) -> Reader:
    """The kind of ``graph``, or an error that says what is accepted."""
    for reader in READERS:
        if reader.accepts(graph):
            return reader
    shape = getattr(graph, "shape", None)
    found = f"a {type(graph).__name__}" if shape is None else f"a {type(graph).__name__} of shape {list(shape)}"
    raise HodgeletInputError(f"graph {position} is {found}, expected {EXPECTED}")


def is_one_graph(graphs: Any) -> bool:
    """Whether one graph was given where many are expected; tuples may be lists of graphs."""
    return isinstance(graphs, Mapping) or any(
        reader.accepts(graphs) for reader in READERS if not isinstance(reader, _Arrays)
    )
