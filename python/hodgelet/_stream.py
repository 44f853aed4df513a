"""Record batches in, record batches out: what an engine runs on each of its workers.

A `Job` is a function of tables with a declared schema. It travels as a path or as the bytes of a fitted estimator,
which is loaded once per process, and it never ends on a row: what cannot be read or computed has a message in a column
of its own.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import threading
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from hodgelet import _native
from hodgelet._batch import GraphBatch
from hodgelet._errors import HodgeletError, HodgeletFileError, HodgeletInputError
from hodgelet._inputs._hypergraphs import batch_of
from hodgelet._inputs._rdkit import STEREO

__all__ = ["Job"]

Kind = Literal["measure", "features", "predict"]

#: Estimators of this process, by the digest of what they were loaded from.
_LOADED: dict[str, Any] = {}
_LOCK = threading.Lock()


class Handle:
    """A fitted estimator as it travels to workers: a path, or its bytes."""

    def __init__(self, model: Any) -> None:
        """Takes the path of a model file that workers can read, or a fitted estimator."""
        self.path = os.path.abspath(model) if isinstance(model, (str, os.PathLike)) else None
        self.bytes = pickle.dumps(model) if self.path is None else None
        self.digest = hashlib.sha256(self._content()).hexdigest()

    def _content(self) -> bytes:
        if self.bytes is not None:
            return self.bytes
        try:
            with open(str(self.path), "rb") as file:
                return file.read()
        except OSError as error:
            raise HodgeletFileError(error.errno, f"{self.path}: {error.strerror}") from None

    def get(self) -> Any:
        """The estimator, the same object for all batches of a process."""
        with _LOCK:
            if self.digest not in _LOADED:
                _LOADED[self.digest] = self._loaded()
            return _LOADED[self.digest]

    def _loaded(self) -> Any:
        if self.bytes is not None:
            return pickle.loads(self.bytes)
        from hodgelet._load import load

        if hashlib.sha256(self._content()).hexdigest() != self.digest:
            raise HodgeletFileError(f"{self.path} is another file than when the job was made; make the job again")
        return load(str(self.path))


class Job:
    """A function of tables: energy measures, features or predictions of each row.

    Parameters
    ----------
    kind
        ``"measure"``, ``"features"`` or ``"predict"``.
    model
        The path of a model file that workers can read, or a fitted estimator. A path travels as a path, an estimator as
        its bytes; either is loaded once per process.
    smiles
        The column of SMILES strings, read as the command reads them. Tables without it hold complexes by the columns
        of `hodgelet.arrow`.
    error
        The column with what is wrong with a row, null where nothing is. All results of such a row are null.
    threads
        Threads of each process; the variable ``HODGELET_THREADS`` and then all processors without it. Workers times
        threads should be the number of cores.

    All columns of the input are passed through, except those that describe complexes. Vectors are lists.

    >>> import numpy as np, pyarrow
    >>> from hodgelet import HodgeletTransformer, arrow
    >>> ring = lambda n: (np.array([np.arange(n), (np.arange(n) + 1) % n]), np.cos(np.arange(n)))
    >>> graphs = [ring(n) for n in range(4, 10)]
    >>> job = arrow.Job("features", HodgeletTransformer(vertices="attributes").fit(graphs))
    >>> table = pyarrow.record_batch(arrow.to_arrow(graphs, ids=range(6)))
    >>> out = list(job.stream([table]))
    >>> out[0].schema.names, out[0].column("error").null_count
    (['id', 'features', 'error'], 6)

    """

    def __init__(
        self,
        kind: Kind,
        model: Any,
        *,
        smiles: str | None = "smiles",
        error: str = "error",
        threads: int | None = None,
    ) -> None:
        """Takes note of a model; nothing is loaded yet."""
        if kind not in ("measure", "features", "predict"):
            raise HodgeletInputError(f'kind is {kind!r}, expected "measure", "features" or "predict"')
        if threads is not None and threads < 1:
            raise HodgeletInputError(f"threads is {threads}, expected at least 1")
        self.kind, self.smiles, self.error, self.threads = kind, smiles, error, threads
        self.handle = model if isinstance(model, Handle) else Handle(model)
        self.rows = self.errors = 0

    def __getstate__(self) -> dict[str, Any]:
        """What travels: not what this process has counted."""
        return {**self.__dict__, "rows": 0, "errors": 0}

    def schema(self, given: Any) -> Any:
        """The columns of the results for tables with the columns ``given``, a ``pyarrow.Schema``."""
        return self._result(given.empty_table()).schema

    def stream(self, batches: Iterable[Any]) -> Iterator[Any]:
        """A record batch of results for each batch."""
        import pyarrow

        for batch in batches:
            table = pyarrow.table(batch)
            self.rows += table.num_rows
            out = self._result(table).combine_chunks()
            yield from out.to_batches() or [pyarrow.RecordBatch.from_pylist([], out.schema)]

    def __call__(self, table: Any) -> Any:
        """The results of one table, as a ``pyarrow.Table``."""
        import pyarrow

        given = pyarrow.table(table)
        self.rows += given.num_rows
        return self._result(given)

    def _result(self, table: Any) -> Any:
        import pyarrow

        of_complexes = holds_complexes(table, self.smiles)
        kept = [name for name in table.column_names if not (of_complexes and _describes(name))]
        good, places, faults = self._graphs(table)
        parts, at = self._computed(good, places, faults)
        self.errors += len(faults)
        found = pyarrow.concat_tables(parts).combine_chunks()
        found = found.cast(plain(found.schema))
        taken = [name for name in (*found.column_names, self.error) if name in kept]
        if taken:
            raise HodgeletInputError(f"the table has the column `{taken[0]}`, which results have too: rename it")
        if faults:
            index = np.full(table.num_rows, -1)
            index[at] = np.arange(len(at))
            found = found.take(pyarrow.array(index, mask=index < 0))
        fields = [table.schema.field(name) for name in kept]
        fields += [field.with_nullable(True) for field in found.schema]
        messages = pyarrow.array([faults.get(row) for row in range(table.num_rows)], pyarrow.string())
        columns = [*(table.column(name) for name in kept), *found.columns, messages]
        schema = pyarrow.schema([*fields, pyarrow.field(self.error, pyarrow.string())])
        return pyarrow.Table.from_arrays(columns, schema=schema)

    def _estimator(self) -> Any:
        if self.threads is not None:
            os.environ["HODGELET_THREADS"] = str(self.threads)  # loading has threads of its own
        model = self.handle.get()
        return model.set_params(n_jobs=self.threads or _threads(), verbose=0)

    def _graphs(self, table: Any) -> tuple[GraphBatch, list[int], dict[int, str]]:
        """Graphs of the rows that can be read, their places, and what is wrong with the others."""
        if not holds_complexes(table, self.smiles):
            native = self._estimator()._native()
            texts = table.column(self.smiles).to_pylist()
            return molecules(texts, mass="mass" in native.channels(0), threads=self.threads)
        return complexes(table, self.threads)

    def _computed(self, graphs: GraphBatch, places: list[int], faults: dict[int, str]) -> tuple[list[Any], list[int]]:
        """Tables of results and the places of their rows; graphs that fail are added to ``faults``."""
        import pyarrow

        from hodgelet.arrow import columns_of_results

        model = self._estimator()
        try:
            columns = columns_of_results(self.kind, model, graphs)
            return [pyarrow.table(_native.arrow_export(len(graphs), columns))], places
        except HodgeletError as error:
            if len(graphs) == 0:
                raise
            if len(graphs) == 1:
                faults[places[0]] = _alone(error)
                empty = columns_of_results(self.kind, model, graphs[:0])
                return [pyarrow.table(_native.arrow_export(0, empty))], []
        half = len(graphs) // 2
        first, before = self._computed(graphs[:half], places[:half], faults)
        second, after = self._computed(graphs[half:], places[half:], faults)
        return first + second, before + after


def molecules(
    texts: list[str | None], *, mass: bool = False, learn: bool = False, threads: int | None = None
) -> tuple[GraphBatch, list[int], dict[int, str]]:
    """Molecules of SMILES strings by the reader of the command, their places, and what is wrong with the others.

    All attributes that a model may have been trained on, or, to ``learn`` from, those that are taken by default.
    """
    arrays, places, faults = _native.read_smiles(texts, not learn, mass, threads)
    batch = batch_of(arrays)
    stereo = {(dim, name) for dim, (name, _) in STEREO.items()}
    columns = [replace(c, optional=learn and (c.dim, c.name) in stereo) for c in batch.columns]
    return replace(batch, columns=columns), places, dict(faults)


def complexes(table: Any, threads: int | None = None) -> tuple[GraphBatch, list[int], dict[int, str]]:
    """Complexes of the rows of a table, their places, and what is wrong with the others."""
    from hodgelet.arrow import from_arrow

    places: list[int] = []
    faults: dict[int, str] = {}
    for first, count, fault in _sound(table, 0, threads):
        if fault is None:
            places.extend(range(first, first + count))
        else:
            faults[first] = fault
    return from_arrow(table.take(np.asarray(places, dtype=np.int64)) if faults else table), places, faults


def graphs_to_learn_from(
    table: Any, smiles: str | None = "smiles", threads: int | None = None
) -> tuple[GraphBatch, list[int], dict[int, str]]:
    """Graphs of the rows of a table that can be read, their places, and what is wrong with the others."""
    if holds_complexes(table, smiles):
        return complexes(table, threads)
    return molecules(table.column(smiles).to_pylist(), learn=True, threads=threads)


def holds_complexes(table: Any, smiles: str | None) -> bool:
    """Whether a table holds complexes by their columns; false for one of SMILES."""
    names = set(table.column_names)
    if {"n_vertices", "edges"} <= names:
        return True
    if smiles in names:
        return False
    wanted = f"neither `{smiles}` nor" if smiles else "no"
    raise HodgeletInputError(
        f"the table has {wanted} the columns `n_vertices` and `edges`; it has {', '.join(table.column_names)}"
    )


def _sound(table: Any, first: int, threads: int | None) -> Iterator[tuple[int, int, str | None]]:
    """Runs of rows that hold complexes, and single rows that do not, with what is wrong."""
    from hodgelet.arrow import from_arrow

    try:
        _native.check_graphs(from_arrow(table), threads)
        yield first, table.num_rows, None
    except HodgeletError as error:
        if table.num_rows <= 1:
            if table.num_rows == 0:
                raise
            yield first, 1, _alone(error)
            return
        half = table.num_rows // 2
        yield from _sound(table.slice(0, half), first, threads)
        yield from _sound(table.slice(half), first + half, threads)


def _alone(error: HodgeletError) -> str:
    """The message of an error of one graph, without its number."""
    message = str(error)
    for prefix in ("graph 0: ", "graph 0, ", "row 0: "):
        message = message.removeprefix(prefix)
    return message


def plain(schema: Any) -> Any:
    """A schema whose lists and strings are those that every engine has, and that files hold with nulls among them."""
    import pyarrow

    return pyarrow.schema([field.with_type(_plain(field.type)).with_nullable(True) for field in schema])


def _plain(kind: Any) -> Any:
    import pyarrow
    from pyarrow import types

    if types.is_fixed_size_list(kind) or types.is_large_list(kind) or types.is_list(kind):
        return pyarrow.list_(_plain(kind.value_type))
    if types.is_struct(kind):
        return pyarrow.struct([(kind.field(i).name, _plain(kind.field(i).type)) for i in range(kind.num_fields)])
    return pyarrow.string() if types.is_large_string(kind) else kind


def _describes(name: str) -> bool:
    """Whether a column describes complexes."""
    prefix, colon, _ = name.partition(":")
    of_cells = ("vertex", "edge", "cell", "flow", "weight", "boundary", "coefficients")
    return name in ("n_vertices", "edges", "triangles") or (bool(colon) and prefix in of_cells)


def _threads() -> int | None:
    named = os.environ.get("HODGELET_THREADS", "")
    return int(named) if named.isdigit() and int(named) > 0 else None
