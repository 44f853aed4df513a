"""Complexes, energy measures, features and predictions as Arrow tables.

Any table with the Arrow PyCapsule interface is accepted (pyarrow, polars, duckdb, ...), and results have it too:
``pyarrow.record_batch(out)``, ``polars.DataFrame(out)``, ``duckdb.from_arrow(out)``. `measure`, `features` and
`predict` are pure functions from a table to a table with the same rows. Given an iterator of record batches they return
one, in which a row that is at fault has a message in the column ``error`` instead of ending the work; a `Job` is that
function as a value that engines send to their workers.

A table of complexes has one row per complex and these columns:

=============================== ========================================= =========================================
column                          type                                      meaning
=============================== ========================================= =========================================
``n_vertices``                  integer                                   number of vertices
``edges``                       list of pairs of integers, or flat list   tail and head of each edge, from 0
``triangles`` (optional)        list of triples of integers, or flat list vertices of each triangle
``boundary:K``,                 list of lists of integers,                cells of dimension ``K`` by their faces,
``coefficients:K`` (optional)   list of lists of numbers                  for complexes that are not simplicial
``vertex:NAME``, ``edge:NAME``, list of numbers, strings or booleans, or  an attribute, an entry for each cell:
``cell:K:NAME``                 of lists of numbers of one length         floats are real, the rest are labels
``flow:NAME``, ``flow:K:NAME``  list of floats, or of lists of them       an oriented attribute of edges, ``K``-cells
``weight:K`` (optional)         list of floats                            weights of the cells of dimension ``K``
``id`` (optional)               any                                       copied to the results
=============================== ========================================= =========================================

Other columns are ignored. The columns above must not contain nulls.

>>> import numpy as np
>>> from hodgelet import arrow
>>> path = (np.array([[0, 1], [1, 2]]), np.array([1.0, 2.0, 4.0]))
>>> table = arrow.to_arrow([path, path])
>>> table.column_names
['n_vertices', 'edges', 'vertex:x']
>>> arrow.measure(table, vertices="attributes").column_names[:2]
['vertex co-exact eigenvalues', 'vertex co-exact energies']
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import chain
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hodgelet import _native
from hodgelet._batch import Boundary, Column, GraphBatch
from hodgelet._errors import HodgeletInputError
from hodgelet._inputs import as_batch
from hodgelet._inputs._columns import columns_of, locate
from hodgelet._results import measures_of
from hodgelet._stream import Job

__all__ = ["Job", "features", "from_arrow", "measure", "predict", "to_arrow"]

Ints = NDArray[np.int64]


def from_arrow(data: Any) -> GraphBatch:
    """The complexes of a table, see the module for its columns."""
    return _read(data)[0]


def to_arrow(graphs: Any, *, ids: Sequence[Any] | None = None, **options: Any) -> _native.ArrowBatch:
    """A table of graphs: anything that `hodgelet.as_batch` takes, with its ``options``."""
    batch = as_batch(graphs, **options)
    columns: list[dict[str, Any]] = []
    if ids is not None:
        columns.append({"name": "id", "values": _ids(ids, len(batch))})
    columns.append({"name": "n_vertices", "values": batch.vertices})
    columns.append(_cells("edges", batch.edge_offsets, batch.edges))
    if batch.triangles is not None and batch.triangle_offsets is not None:
        columns.append(_cells("triangles", batch.triangle_offsets, batch.triangles))
    for boundary in batch.boundaries:
        lists = {"inner": boundary.face_offsets, "offsets": boundary.cell_offsets}
        columns.append({"name": f"boundary:{boundary.dim}", "values": boundary.faces, **lists})
        columns.append({"name": f"coefficients:{boundary.dim}", "values": boundary.coefficients, **lists})
    for dim, weights in sorted(batch.weights.items()):
        columns.append({"name": f"weight:{dim}", "values": weights, "offsets": batch.cell_offsets(dim)})
    columns += [_attribute(column, batch.cell_offsets(column.dim)) for column in batch.columns]
    return _native.arrow_export(len(batch), columns)


def measure(data: Any, model: Any = None, **settings: Any) -> Any:
    """Energy measures of the complexes of a table, or of each batch of an iterator.

    Each block gives two columns: ``BLOCK eigenvalues``, a list, and ``BLOCK energies``, a list of as many vectors with
    an entry for each channel; the metadata of the latter name the channels. Signals are made as in ``model``, any
    fitted estimator of this package; without one a `HodgeletTransformer` with these ``settings`` is fitted on the table
    itself, or on the first batch, and then the channels depend on what that holds.
    """
    if model is not None and settings:
        raise HodgeletInputError(f"settings {sorted(settings)} beside a fitted model, which has its own")
    if not _is_table(data):
        batches = iter(data)
        if model is None:
            first = next(batches, None)
            if first is None:
                return iter(())
            model, batches = _transformer(_graphs_of(first), settings), chain([first], batches)
        return Job("measure", model).stream(batches)
    batch, kept = _read(data)
    if model is None:
        model = _transformer(batch, settings)
    return _native.arrow_export(len(batch), [*kept, *columns_of_results("measure", model, batch)])


def features(model: Any, data: Any) -> Any:
    """Features of the complexes of a table under a fitted estimator, or of each batch of an iterator.

    The column ``features`` holds one vector per row, and its metadata the names of the entries.
    """
    if not _is_table(data):
        return Job("features", model).stream(data)
    batch, kept = _read(data)
    return _native.arrow_export(len(batch), [*kept, *columns_of_results("features", model, batch)])


def predict(model: Any, data: Any) -> Any:
    """Predictions of the complexes of a table under a fitted classifier or regressor, or of each batch of an iterator.

    A classifier gives ``prediction`` (the class), ``probabilities`` (a vector, whose metadata name the classes); a
    regressor ``prediction`` (the mean) and ``variance``. Both give ``distance`` to the nearest training graph,
    the index ``nearest`` of that among them, ``latent_mean`` and ``latent_variance``, vectors with an entry for each
    latent function, and ``attributions``, a struct with the share of each block in the latent mean.
    """
    if not _is_table(data):
        return Job("predict", model).stream(data)
    batch, kept = _read(data)
    return _native.arrow_export(len(batch), [*kept, *columns_of_results("predict", model, batch)])


def columns_of_results(kind: str, model: Any, batch: GraphBatch) -> list[dict[str, Any]]:
    """The columns that `measure`, `features` or `predict` adds for the graphs of a batch, which may be empty."""
    if kind == "measure":
        return _measures(model, batch)
    if kind == "features":
        return _features(model, batch)
    return _predictions(model, batch)


def _measures(model: Any, batch: GraphBatch) -> list[dict[str, Any]]:
    columns: list[dict[str, Any]] = []
    # Estimators refuse an empty list of graphs, but a stream may contain an empty batch: it keeps its columns.
    measures = model.measures(batch) if len(batch) else measures_of(model._native().measures(batch)[0])
    for block in measures:
        lists = {"offsets": block.offsets}
        columns.append({"name": f"{block.block} eigenvalues", "values": block.eigenvalues, **lists})
        if block.channels:
            flat = np.ascontiguousarray(block.energies).reshape(-1)
            energies = {"name": f"{block.block} energies", "values": flat, "width": len(block.channels), **lists}
            columns.append({**energies, "metadata": {"channels": json.dumps(block.channels)}})
    return columns


def _features(model: Any, batch: GraphBatch) -> list[dict[str, Any]]:
    if getattr(model, "output", "features") != "features":
        raise HodgeletInputError('the transformer gives measures: set output="features", or call `measure`')
    table = model.transform(batch) if len(batch) else model._native().features(batch, True)[0]
    names = json.dumps([str(name) for name in model.get_feature_names_out()])
    return [_vectors("features", table, {"names": names})]


def _predictions(model: Any, batch: GraphBatch) -> list[dict[str, Any]]:
    found = model.predict_full(batch) if len(batch) else model._prediction(model._native().predict(batch))
    columns: list[dict[str, Any]] = []
    if found.probabilities is not None and found.classes is not None:
        columns.append({"name": "prediction", "values": _ids(found.labels, len(batch))})
        classes = json.dumps([str(c) for c in found.classes])
        columns.append(_vectors("probabilities", found.probabilities, {"classes": classes}))
    else:
        columns.append({"name": "prediction", "values": np.ascontiguousarray(found.mean)})
        columns.append({"name": "variance", "values": np.ascontiguousarray(found.variance)})
    columns.append({"name": "distance", "values": np.ascontiguousarray(found.novelty.distance)})
    columns.append({"name": "nearest", "values": np.ascontiguousarray(found.novelty.nearest)})
    columns.append(_vectors("latent_mean", found.latent_mean))
    columns.append(_vectors("latent_variance", found.latent_variance))
    shares = [_vectors(block, found.attributions[:, b, :]) for b, block in enumerate(found.blocks)]
    return [*columns, {"name": "attributions", "fields": shares}]


def _is_table(data: Any) -> bool:
    """Whether data are a table; anything else is an iterator of them."""
    return hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__") or not hasattr(data, "__iter__")


def _transformer(batch: GraphBatch, settings: dict[str, Any]) -> Any:
    from hodgelet._transformer import HodgeletTransformer

    return HodgeletTransformer(**settings).fit(batch)


def _graphs_of(table: Any) -> GraphBatch:
    """The graphs of a table of complexes or of SMILES, to learn from; rows at fault are left out."""
    import pyarrow

    from hodgelet._stream import graphs_to_learn_from

    return graphs_to_learn_from(pyarrow.table(table))[0]


def _ids(values: Any, n: int) -> Any:
    """Numbers or strings, as the native code takes them."""
    array = np.asarray(values)
    if array.shape != (n,):
        raise HodgeletInputError(f"{array.size} ids or labels, expected {n}")
    if array.dtype.kind in "iu":
        return array.astype(np.int64)
    return array.astype(np.float64) if array.dtype.kind == "f" else [str(value) for value in array]


def _cells(name: str, offsets: Ints, cells: Ints) -> dict[str, Any]:
    flat = np.ascontiguousarray(cells).reshape(-1)
    return {"name": name, "values": flat, "width": cells.shape[1], "offsets": offsets}


def _vectors(name: str, table: NDArray[np.float64], metadata: dict[str, str] | None = None) -> dict[str, Any]:
    flat = np.ascontiguousarray(table, dtype=np.float64).reshape(-1)
    return {"name": name, "values": flat, "width": table.shape[1], "metadata": metadata or {}}


def _attribute(column: Column, offsets: Ints) -> dict[str, Any]:
    short = {(0, False): "vertex:", (1, False): "edge:", (1, True): "flow:"}
    prefix = short.get((column.dim, column.oriented)) or f"{'flow' if column.oriented else 'cell'}:{column.dim}:"
    out: dict[str, Any] = {"name": prefix + column.name, "offsets": offsets}
    if column.kind == "labels":
        categories = np.array(column.categories or [], dtype=object)
        return {**out, "values": categories[column.values].tolist() if len(column.values) else []}
    optional = {"optional": "true"} if column.optional else {}
    channels = {"metadata": {"channels": json.dumps(column.channel_names), **optional}}
    flat = np.ascontiguousarray(column.values).reshape(-1)
    return {
        **out,
        "values": flat,
        **({"width": column.values.shape[1]} if column.values.shape[1] != 1 else {}),
        **channels,
    }


def _read(data: Any) -> tuple[GraphBatch, list[dict[str, Any]]]:
    """The complexes of a table, and the columns that are copied to results."""
    if not hasattr(data, "__arrow_c_stream__") and not hasattr(data, "__arrow_c_array__"):
        found = type(data).__name__
        raise HodgeletInputError(f"a {found} was given, expected a table with the Arrow PyCapsule interface")
    n_rows, read = _native.arrow_import(data)
    columns = {column["name"]: column for column in read}
    vertices = _scalars(columns, "n_vertices", n_rows)
    edge_offsets, edges = _simplices(columns, "edges", 2)
    triangle_offsets, triangles = _simplices(columns, "triangles", 3) if "triangles" in columns else (None, None)
    boundaries = _boundaries(columns, 3 if triangles is not None else 2)
    batch = GraphBatch(vertices, edge_offsets, edges, triangle_offsets, triangles, boundaries)
    batch.validate()
    for name, column in columns.items():
        batch.columns.extend(_columns(name, column, batch))
        prefix, _, dim = name.partition(":")
        if prefix == "weight" and dim.isdigit():
            weights = _need(columns, name, ("floats", "ints"), lists=True)
            _check_lengths(name, weights["offsets"], batch, int(dim))
            batch.weights[int(dim)] = weights["values"].astype(np.float64)
    kept = [{"name": "id", "column": columns["id"]["column"]}] if "id" in columns else []
    return batch.validate(), kept


def _need(columns: dict[str, dict[str, Any]], name: str, kinds: tuple[str, ...], *, lists: bool) -> dict[str, Any]:
    if name not in columns:
        raise HodgeletInputError(f"the table has no column `{name}`; it has {', '.join(columns)}")
    column = columns[name]
    if column.get("nulls"):
        raise HodgeletInputError(f"column `{name}` has {column['nulls']} null values, expected none")
    if column["kind"] not in kinds or ("offsets" in column) != lists:
        expected = f"{'lists of ' if lists else ''}{' or '.join(kinds)}"
        raise HodgeletInputError(f"column `{name}` holds {column['type']}, expected {expected}")
    return column


def _scalars(columns: dict[str, dict[str, Any]], name: str, n_rows: int) -> Ints:
    column = _need(columns, name, ("ints",), lists=False)
    values: Ints = column["values"]
    if len(values) != n_rows:
        raise HodgeletInputError(f"column `{name}` has {len(values)} values, expected {n_rows}")
    return values


def _simplices(columns: dict[str, dict[str, Any]], name: str, width: int) -> tuple[Ints, Ints]:
    """Offsets and cells ``[n, width]`` of lists of tuples, or of flat lists."""
    column = _need(columns, name, ("ints",), lists=True)
    offsets = column["offsets"]
    wrong = np.diff(offsets) % width != 0
    if "inner" in column:
        lengths = np.diff(column["inner"])
        wrong = np.add.reduceat(np.r_[lengths != width, False], offsets[:-1]) * (np.diff(offsets) > 0) > 0
    if np.any(wrong):
        row = int(np.flatnonzero(wrong)[0])
        raise HodgeletInputError(f"row {row}: column `{name}` expected {width} vertices for each cell")
    cells = column["values"].reshape(-1, width)
    return (offsets if "inner" in column else offsets // width), cells


def _boundaries(columns: dict[str, dict[str, Any]], first: int) -> list[Boundary]:
    out = []
    dim = first
    while f"boundary:{dim}" in columns:
        faces = _need(columns, f"boundary:{dim}", ("ints",), lists=True)
        signs = _need(columns, f"coefficients:{dim}", ("floats", "ints"), lists=True)
        same = all(
            key in faces and key in signs and np.array_equal(faces[key], signs[key]) for key in ("offsets", "inner")
        )
        if not same:
            raise HodgeletInputError(
                f"boundary:{dim} and coefficients:{dim} are not lists of lists of the same lengths"
            )
        values = signs["values"].astype(np.float64)
        out.append(Boundary(dim, faces["offsets"], faces["inner"], faces["values"], values))
        dim += 1
    return out


def _columns(name: str, column: dict[str, Any], batch: GraphBatch) -> list[Column]:
    """The columns of an attribute; none for a column of the table that is something else."""
    prefix, _, rest = name.partition(":")
    if prefix not in ("vertex", "edge", "cell", "flow") or not rest:
        return []
    dim = 0 if prefix == "vertex" else 1
    number, _, further = rest.partition(":")
    if prefix in ("cell", "flow") and number.isdigit() and further:
        dim, rest = int(number), further
    elif prefix == "cell":
        raise HodgeletInputError(f"column `{name}` does not say the dimension of its cells: expected `cell:2:{rest}`")
    kinds = ("floats", "ints") if prefix == "flow" else ("floats", "ints", "labels")
    found = _need({name: column}, name, kinds, lists=True)
    _check_lengths(name, found["offsets"], batch, dim)
    if found["kind"] == "labels":
        return [Column(rest, dim, "labels", found["values"], categories=list(found["categories"]))]
    values = found["values"]
    if "inner" in found:
        values = _table(name, found)
    kind: Literal["real"] | None = "real" if prefix == "flow" or found["kind"] == "floats" else None
    out = columns_of(rest, dim, values, kind, locate(batch.cell_offsets(dim), dim))
    for read in out:
        read.oriented = prefix == "flow"
    if len(out) == 1 and out[0].kind == "real" and "channels" in found["metadata"]:
        channels = [str(channel) for channel in json.loads(found["metadata"]["channels"])]
        if len(channels) == out[0].values.shape[1]:
            out[0].channels = channels
            out[0].optional = found["metadata"].get("optional") == "true"
    return out


def _check_lengths(name: str, offsets: Ints, batch: GraphBatch, dim: int) -> None:
    expected, found = np.diff(batch.cell_offsets(dim)), np.diff(offsets)
    if not np.array_equal(expected, found):
        row = int(np.flatnonzero(expected != found)[0])
        what = f"{expected[row]} cells of dimension {dim}"
        raise HodgeletInputError(f"row {row}: column `{name}` has {found[row]} entries, but there are {what}")


def _table(name: str, column: dict[str, Any]) -> NDArray[Any]:
    lengths = np.diff(column["inner"])
    if len(lengths) and (lengths != lengths[0]).any():
        raise HodgeletInputError(
            f"column `{name}` has vectors of {lengths.min()} to {lengths.max()} numbers, expected one"
        )
    values: NDArray[Any] = column["values"]
    return values.reshape(len(lengths), int(lengths[0]) if len(lengths) else 0)
