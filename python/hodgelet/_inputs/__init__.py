"""From graphs of other libraries to a `GraphBatch`: one file per library, none of them imported here.

A graph is recognized by its methods, so that no library is needed to import this one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from hodgelet._batch import GraphBatch
from hodgelet._errors import HodgeletInputError
from hodgelet._inputs._options import (
    WEIGHT,
    Attributes,
    HodgeletLabelWarning,
    HodgeletOrientationWarning,
    Options,
    warn_weight,
)
from hodgelet._inputs._recognize import READERS, is_one_graph, reader_of
from hodgelet._own import with_own

__all__ = ["HodgeletLabelWarning", "HodgeletOrientationWarning", "as_batch"]


def as_batch(
    graphs: Any,
    *,
    vertex_attrs: Attributes = None,
    edge_attrs: Attributes = None,
    oriented: Iterable[str] | Mapping[str, bool] = (),
    cell_attrs: Mapping[int, Attributes] | None = None,
    weights: Mapping[int, str] | None = None,
    hypergraph: str = "star",
    max_dim: int | None = None,
    directed: str | None = None,
    columns: Any = None,
    fingerprints: Any = None,
    grams: Any = None,
) -> GraphBatch:
    """One `GraphBatch` of many graphs, all from one library.

    Parameters
    ----------
    graphs
        A sequence of graphs, an Arrow table of them (see `hodgelet.arrow`), or a `GraphBatch`, which is
        validated and returned.
    vertex_attrs, edge_attrs
        Names of the attributes to take, or a mapping from name to ``"real"`` or ``"labels"``; ``None`` takes those of
        the first cell, which every other must have then. Strings, whole numbers and booleans are labels, floats and
        vectors are real; a `HodgeletLabelWarning` says once which whole numbers are labels.
    oriented
        Names of edge attributes that are flows: their sign belongs to the direction of the edge. A mapping may also
        say ``False``, which silences the warning that they might be.
    cell_attrs
        As ``edge_attrs``, for cells of dimension 2 and more, by dimension.
    weights
        Names of attributes that weigh the cells of a dimension in its Laplacian instead of being signals, such as
        ``{1: "strength"}``. An attribute ``weight`` of edges that is neither named here nor in ``edge_attrs`` is a
        signal, which is said once; ``{}`` says that it is one.
    hypergraph
        What a hypergraph becomes: ``"star"``, ``"zhou"``, ``"clique"``, ``"clique-normalized"``, ``"clique-unit"``,
        ``"incidence"`` (as with ``--hypergraph`` of the command, whose default is ``zhou``) or ``"simplices"``.
    max_dim
        Highest dimension of cells taken from complexes and hypergraphs.
    directed
        What the directions of arcs become: ``"error"`` refuses an arc without one back, ``"ignore"`` reads arcs as
        edges, and ``"flow"`` makes two signals of every number ``a`` on arcs, half the sum of both directions under its
        name and half their difference, oriented, under its name with ``-flow``. Without it values decide, see
        ``oriented``; where there are none arcs are edges, which is said once.
    columns
        Numbers of each graph as a whole (a mapping from name to values, a data frame or an array), which become a
        block.
    fingerprints
        Counts or bits of each graph as a whole (rows of an array or a sparse matrix, mappings, or fingerprints of
        RDKit), which become a block under Tanimoto's kernel.
    grams
        A Gram matrix ``[n_graphs, n_graphs]`` of these graphs, symmetric and positive semi-definite, or a mapping from
        name to several; each becomes a block. Rows stay with their graphs when a part of the batch is taken, so that a
        model can be fitted to one part and predict another. Rows of other graphs: `HodgeletClassifier.new_batch`.

    Raises
    ------
    HodgeletInputError
        Names the graph at fault, what was found and what was expected.

    >>> from hodgelet import as_batch
    >>> triangle = ([[0, 1, 2], [1, 2, 0]], [[1.0], [2.0], [3.0]])
    >>> batch = as_batch([triangle, triangle])
    >>> batch.n_graphs, batch.edges.shape, [c.name for c in batch.columns]
    (2, (6, 2), ['x'])

    """
    if columns is not None or fingerprints is not None or grams is not None:
        plain = as_batch(
            graphs,
            vertex_attrs=vertex_attrs,
            edge_attrs=edge_attrs,
            oriented=oriented,
            cell_attrs=cell_attrs,
            weights=weights,
            hypergraph=hypergraph,
            max_dim=max_dim,
            directed=directed,
        )
        return with_own(plain, columns, fingerprints, grams=grams)
    if isinstance(graphs, GraphBatch):
        return graphs.validate()
    options = Options.of(vertex_attrs, edge_attrs, cell_attrs, oriented, hypergraph, max_dim, weights, directed)
    if hasattr(graphs, "read_all") and hasattr(graphs, "schema"):  # a RecordBatchReader
        graphs = graphs.read_all()
    if hasattr(graphs, "to_pylist") and not _is_table(graphs):  # an array of strings of Arrow
        graphs = graphs.to_pylist()
    if _is_table(graphs) and (smiles := _smiles_column(graphs)) is not None:
        graphs = smiles
    if _is_table(graphs):
        from hodgelet.arrow import from_arrow

        return _weighted(_chosen(from_arrow(graphs), options), options).validate()
    listed = _listed(graphs)
    if not listed:
        return GraphBatch.concatenate([])
    if all(isinstance(graph, GraphBatch) for graph in listed):
        return GraphBatch.concatenate(listed).validate()
    reader = reader_of(listed[0], 0)
    for position, graph in enumerate(listed):
        if reader.accepts(graph) or (graph is None and reader.name == "RDKit molecule"):
            continue  # RDKit gives None for what it cannot read; its reader says so
        other = reader_of(graph, position).name
        raise HodgeletInputError(f"graph {position} is a {other}, but graph 0 is a {reader.name}: expected one kind")
    batch = reader.read(listed, options)
    if weights is None and _is_weight_open(batch, options):
        warn_weight()
    return (batch if reader.weighs else _weighted(batch, options)).validate()


def holds_hypergraphs(graphs: Sequence[Any]) -> bool:
    """Whether graphs are hypergraphs of a library, which become complexes by an expansion."""
    kinds = [reader for reader in READERS if len(graphs) and reader.accepts(graphs[0])]
    return bool(kinds) and kinds[0].weighs


def _is_weight_open(batch: GraphBatch, options: Options) -> bool:
    """Whether edges have an attribute that is called a weight, and nothing says that it is a signal."""
    said = options.edge_attrs is not None or options.directed == "flow" or WEIGHT in options.oriented
    return not said and any((column.dim, column.name) == (1, WEIGHT) for column in batch.columns)


def _weighted(batch: GraphBatch, options: Options) -> GraphBatch:
    """The batch with the columns that were named as weights taken out of the signals."""
    for dim, name in options.weights.items():
        found = [c for c in batch.columns if (c.dim, c.name, c.kind) == (dim, name, "real") and c.values.shape[1] == 1]
        if not found:
            names = [c.name for c in batch.columns if c.dim == dim]
            raise HodgeletInputError(
                f"weights: {name!r} is not a number on cells of dimension {dim}; there are {names}"
            )
        batch.weights[dim] = found[0].values[:, 0]
        batch.columns = [c for c in batch.columns if c is not found[0]]
    return batch


def _is_table(graphs: Any) -> bool:
    """Whether ``graphs`` is a table of Arrow; a single column, such as a series of SMILES, is a list."""
    speaks = hasattr(graphs, "__arrow_c_stream__") or hasattr(graphs, "__arrow_c_array__")
    return speaks and (hasattr(graphs, "column_names") or hasattr(graphs, "columns"))


def _smiles_column(table: Any) -> list[Any] | None:
    """The molecules of a table with a column of SMILES strings and no graphs of its own."""
    names = [str(name) for name in getattr(table, "column_names", None) or list(table.columns)]
    found = [name for name in names if name.lower() == "smiles"]
    if not found or any(name in names for name in ("edges", "vertices", "n_vertices")):
        return None
    column = table[found[0]]
    listed: list[Any] = column.to_pylist() if hasattr(column, "to_pylist") else list(column)
    return listed


def _chosen(batch: GraphBatch, options: Options) -> GraphBatch:
    """The batch of a table with the columns that were named; their names in the table say the rest."""
    for dim, wanted in options.cell_attrs.items():
        names = None if wanted is None else options.names(dim, [])
        found = [column.name for column in batch.columns if column.dim == dim]
        missing = [name for name in names or [] if name not in found]
        if missing:
            raise HodgeletInputError(f"the table has no attribute {missing[0]!r} of dimension {dim}; it has {found}")
        if names is not None:
            batch.columns = [c for c in batch.columns if c.dim != dim or c.name in names]
    for column in batch.columns:
        said = options.is_oriented(column.name)
        if column.dim > 0 and said is not None and said != column.oriented:
            expected = "flow:" if said else "edge:"
            raise HodgeletInputError(f"attribute {column.name!r} contradicts `oriented`: call its column {expected}...")
    return batch


def _listed(graphs: Any) -> list[Any]:
    if hasattr(graphs, "to_data_list"):
        return list(graphs.to_data_list())
    if is_one_graph(graphs):
        raise HodgeletInputError(f"one {type(graphs).__name__} was given, expected a list of graphs: put it into [...]")
    try:
        return list(graphs)
    except TypeError:
        raise HodgeletInputError(f"a {type(graphs).__name__} was given, expected a list of graphs") from None
