"""Training on Ray: actors hold shards of measured graphs, the driver runs the optimizer.

A pass over all graphs is one broadcast and one sum along a fixed tree, so the model has the same bits as one that was
trained in a single process. Actors keep nothing that they cannot make again: Ray replaces one that dies, the new one
measures its shard again or reads it from the checkpoint, and answers the same.
"""

from __future__ import annotations

import copy
import hashlib
import logging
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from hodgelet import _native
from hodgelet._base import encode_classes, finite_numbers
from hodgelet._batch import GraphBatch
from hodgelet._errors import HodgeletInputError
from hodgelet._supervised import Supervised
from hodgelet.distributed._parts import Layout, Part, Source, cut, in_layout, layout_of, read_part

__all__ = ["Training", "fit"]

logger = logging.getLogger("hodgelet")

E = TypeVar("E", bound=Supervised)

#: Answers that are added up in one place.
FAN_IN = 16

Callback = Callable[[str, int, int, "float | None"], None]


@dataclass
class Training:
    """What a distributed training did; the attribute ``distributed_`` of the estimator."""

    #: Rows of the dataset, and those that were learned from.
    n_rows: int
    n_graphs: int
    #: Rows that were left out: their number, their id, and what is wrong.
    faults: list[tuple[int, Any, str]]
    #: Passes over all graphs that workers were asked for, and those that a checkpoint answered.
    passes: int = 0
    recalled: int = 0
    #: Workers that died and were replaced.
    replaced: int = 0
    #: Graphs and peak memory in bytes of each worker.
    workers: list[tuple[int, int]] = field(default_factory=list)
    #: Seconds of each part: reading, measuring, and in all.
    seconds: dict[str, float] = field(default_factory=dict)
    #: Seconds of each question to the workers, with the bytes that went to each and came back in all.
    questions: list[tuple[float, int, int]] = field(default_factory=list)

    def __str__(self) -> str:
        lines = [
            f"{self.n_graphs} of {self.n_rows} rows, {self.passes} questions to workers, {self.recalled} recalled, "
            f"{self.replaced} workers replaced"
        ]
        for number, (graphs, peak) in enumerate(self.workers):
            lines.append(f"worker {number}: {graphs} graphs, at most {peak / 1e6:.0f} MB")
        return "\n".join(lines)


def fit(
    dataset: Any,
    estimator: E,
    *,
    target: str,
    smiles: str | None = "smiles",
    sample_weight: str | None = None,
    id: str | None = None,
    workers: int = 2,
    threads: int = 1,
    checkpoint: str | os.PathLike[str] | None = None,
    callback: Callback | None = None,
) -> E:
    """A copy of an estimator, trained on a dataset of Ray Data.

    Parameters
    ----------
    dataset
        A ``ray.data.Dataset`` with a column of SMILES or the columns of complexes (see `hodgelet.arrow`). Its order is
        that of the training graphs.
    estimator
        A `HodgeletClassifier` or `HodgeletRegressor` with the settings.
    target, smiles, sample_weight, id
        Names of columns. Rows that cannot be read, or have no target, are left out and listed in
        ``estimator.distributed_.faults`` with their ``id``.
    workers, threads
        Actors, and threads and processors of each.
    checkpoint
        A folder that the driver and all workers can write to. Measures and the sums of each pass are kept there; a run
        that was stopped goes on from them and ends with the same bits.
    callback
        Called with the phase, how much of it is done, of how much, and the objective; an exception in it, or Ctrl-C,
        ends the training after the pass it is in.

    Raises
    ------
    HodgeletInputError
        When no row can be learned from, or settings are invalid.

    """
    if estimator.get_params().get("auto"):
        raise HodgeletInputError("auto is not for many machines: search on a sample, and give the settings found")
    if isinstance(estimator.get_params().get("class_weight"), Mapping):
        raise HodgeletInputError("class_weight is a mapping: give a column of weights as sample_weight instead")
    source = Source(target, smiles, sample_weight, id, threads)
    note = callback or (lambda phase, done, total, value: None)
    began = time.perf_counter()
    parts, batches, whole_numbers = _read(dataset, source, note)
    settings = estimator._settings(estimator._seed())
    layout = layout_of(parts, whole_numbers)
    targets, classes = _targets(estimator, np.concatenate([part.targets for part in parts if len(part)]))
    measurer = _measurer(parts, batches, layout, settings, threads)
    digest = hashlib.sha256("\n".join([settings, *(part.digest for part in parts)]).encode()).hexdigest()
    folder = None if checkpoint is None else Path(checkpoint) / digest[:16]
    n = sum(map(len, parts))
    training = Training(sum(part.n_rows for part in parts), n, _faults(parts))
    training.seconds["reading"] = time.perf_counter() - began
    crew = _Crew(parts, batches, layout, measurer, targets, folder, training, workers, threads)
    try:
        crew.measure(note)
        training.seconds["measuring"] = time.perf_counter() - began - training.seconds["reading"]
        fitted = _native.fit_on_workers(
            crew,
            measurer,
            settings,
            **targets,
            weights=_weights(parts),
            threads=None,
            callback=note,
        )
        training.workers, training.replaced = crew.memory()
        training.seconds["all"] = time.perf_counter() - began
    finally:
        crew.end()
    trained = copy.copy(estimator)
    trained._fitted = fitted
    trained.n_graphs_in_, trained.search_ = n, []
    if classes is not None:
        trained.classes_ = classes  # type: ignore[attr-defined]
    trained.distributed_ = training  # type: ignore[attr-defined]
    logger.info("%s", training)
    return trained


def _read(dataset: Any, source: Source, note: Callback) -> tuple[list[Part], list[Any], set[str]]:
    """Parts of the dataset in its order, references to their graphs, and which labels are whole numbers."""
    import ray

    dataset.context.execution_options.preserve_order = True
    schema = dataset.schema().base_schema
    tables = dataset.to_arrow_refs()
    read = ray.remote(read_part).options(num_returns=2, num_cpus=source.threads)
    pairs = [read.remote(table, source) for table in tables]
    parts: list[Part] = []
    for number, (part, _) in enumerate(pairs):
        parts.append(ray.get(part))
        note("reading", number + 1, len(pairs), None)
    return parts, [batch for _, batch in pairs], _whole_numbers(schema)


def _whole_numbers(schema: Any) -> set[str]:
    """Names of attributes whose values are whole numbers."""
    from pyarrow import types

    names = set()
    for column in schema:
        kind = column.type
        while types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
            kind = kind.value_type
        if ":" in column.name and types.is_integer(kind):
            names.add(column.name.rpartition(":")[2])
    return names


def _targets(estimator: Supervised, values: NDArray[Any]) -> tuple[dict[str, Any], NDArray[Any] | None]:
    """Targets as the native code takes them, and the classes."""
    if getattr(estimator, "_estimator_type", "") != "classifier":
        return {"values": finite_numbers(values)}, None
    classes, labels, names = encode_classes(values)
    return {"classes": names, "labels": labels}, classes


def _measurer(parts: Sequence[Part], batches: Sequence[Any], layout: Layout, settings: str, threads: int) -> bytes:
    """What turns graphs into measures, which looks at all parts."""
    import ray

    outline = ray.remote(_outline).options(num_cpus=threads)
    place = ray.put(layout)
    used = [batch for part, batch in zip(parts, batches, strict=True) if len(part)]
    outlines = ray.get([outline.remote(batch, place, settings, threads) for batch in used])
    return _native.fit_measurer(outlines, in_layout(ray.get(used[0]), layout), settings)


def _outline(batch: GraphBatch, layout: Layout, settings: str, threads: int) -> bytes:
    return _native.outline(in_layout(batch, layout), settings, threads)


def _weights(parts: Sequence[Part]) -> list[float] | None:
    if all(part.weights is None for part in parts):
        return None
    return [float(w) for part in parts if part.weights is not None for w in part.weights]


def _faults(parts: Sequence[Part]) -> list[tuple[int, Any, str]]:
    """Rows that are left out, by their numbers in the dataset."""
    found, first = [], 0
    for part in parts:
        found += [(first + row, name, fault) for row, name, fault in part.faults]
        first += part.n_rows
    return found


class _Actor:
    """A worker: it measures its shard when it is made, and answers questions about it."""

    def __init__(
        self,
        shared: list[Any],
        first: int,
        pieces: list[tuple[Any, int, int]],
        folder: Path | None,
        threads: int,
    ) -> None:
        """Takes references to the measurer, the layout and the targets, and to the graphs of the shard."""
        import ray

        os.environ["HODGELET_THREADS"] = str(threads)
        self.threads = threads
        measurer, layout, targets = ray.get(shared)
        graphs = [in_layout(ray.get(batch), layout)[start:end] for batch, start, end in pieces]
        batch = GraphBatch.concatenate(graphs)
        names = [] if folder is None else [folder / f"leaf-{first + k:06}.parquet" for k in range(_leaves(len(batch)))]
        kept = [name.read_bytes() for name in names] if names and all(name.is_file() for name in names) else None
        self.shard = _native.Shard(measurer, first, batch, **targets, leaves=kept, threads=threads)
        if kept is None and names:
            for name, content in zip(names, self.shard.leaves(), strict=True):
                _write(name, content)

    def size(self) -> int:
        return len(self.shard)

    def answer(self, name: str, view: bytes, question: bytes) -> bytes:
        if name:
            self.shard.show(name, view, self.threads)
        return self.shard.answer(question, self.threads)

    def load(self, places: list[int]) -> bytes:
        return self.shard.load(places)

    def memory(self) -> tuple[int, int, bool]:
        """Graphs, peak memory in bytes, and whether this process took the place of another."""
        import resource

        import ray

        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        return len(self.shard), peak, ray.get_runtime_context().was_current_actor_reconstructed


def _leaves(n: int) -> int:
    return -(-n // _native.LEAF_SIZE)


def _write(path: Path, content: bytes) -> None:
    """Writes a file that has its name only when it is whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    unfinished.write_bytes(content)
    os.replace(unfinished, path)


def _combine(*answers: bytes) -> bytes:
    return _native.combine_answers(list(answers))


class _Crew:
    """The actors as the native driver reaches them."""

    def __init__(
        self,
        parts: Sequence[Part],
        batches: Sequence[Any],
        layout: Layout,
        measurer: bytes,
        targets: dict[str, Any],
        folder: Path | None,
        training: Training,
        workers: int,
        threads: int,
    ) -> None:
        import ray

        self.folder, self.training = folder, training
        self.view: tuple[str, Any] = ("", ray.put(b""))
        starts = np.concatenate([[0], np.cumsum([len(part) for part in parts])])
        n = int(starts[-1])
        actor = ray.remote(_Actor).options(num_cpus=threads, max_restarts=-1, max_task_retries=-1)
        shared = [ray.put(measurer), ray.put(layout)]
        self.first: list[int] = []
        self.actors: list[Any] = []
        self.recipes: list[Any] = []  # references that an actor needs when it is made again
        for leaf, end in cut(n, workers):
            a, b = leaf * _native.LEAF_SIZE, min(n, end * _native.LEAF_SIZE)
            pieces = []
            for batch, start, stop in zip(batches, starts[:-1], starts[1:], strict=True):
                if start < b and a < stop:
                    pieces.append((batch, int(max(a, start) - start), int(min(b, stop) - start)))
            own = {key: value if key == "classes" else value[a:b] for key, value in targets.items()}
            self.first.append(a)
            self.recipes.append(([*shared, ray.put(own)], leaf, pieces, folder, threads))
            self.actors.append(actor.remote(*self.recipes[-1]))

    def measure(self, note: Callback) -> None:
        """Waits until all actors have measured."""
        import ray

        waiting = [actor.size.remote() for actor in self.actors]
        done, total = 0, self.training.n_graphs
        while waiting:
            ready, waiting = ray.wait(waiting, timeout=1.0)
            done += sum(ray.get(ready))
            note("measuring", done, total, None)

    def show(self, name: str, view: bytes) -> None:
        """Keeps what later questions are about in the object store, which brings it to each node once."""
        import ray

        self.view = (name, ray.put(view))

    def ask(self, question: bytes) -> list[bytes]:
        """The answers of all actors, in their order; many are added up on the way."""
        import ray

        began = time.perf_counter()
        name, view = self.view
        place = ray.put(question)
        answers = [actor.answer.remote(name, view, place) for actor in self.actors]
        combine = ray.remote(_combine).options(num_cpus=0)
        while len(answers) > FAN_IN:
            answers = [combine.remote(*answers[i : i + FAN_IN]) for i in range(0, len(answers), FAN_IN)]
        self.training.passes += 1
        found: list[bytes] = ray.get(answers)
        back = sum(map(len, found))
        self.training.questions.append((time.perf_counter() - began, len(question), back))
        return found

    def load(self, indices: list[int]) -> list[bytes]:
        """The measures of some graphs, in the order of ``indices``, by runs of graphs of one actor."""
        import ray

        index = np.asarray(indices, dtype=np.int64)
        holder = np.searchsorted(self.first, index, side="right") - 1
        breaks = np.flatnonzero(np.diff(holder)) + 1
        runs = zip(np.split(index, breaks), np.split(holder, breaks), strict=True)
        places = [(int(own[0]), (run - self.first[int(own[0])]).tolist()) for run, own in runs if len(run)]
        found: list[bytes] = ray.get([self.actors[own].load.remote(run) for own, run in places])
        return found

    def recall(self, name: str) -> bytes | None:
        """What an earlier run remembered."""
        path = None if self.folder is None else self.folder / f"{name}.state"
        if path is None or not path.is_file():
            return None
        self.training.recalled += 1
        return path.read_bytes()

    def remember(self, name: str, content: bytes) -> None:
        """Keeps a sum for a run that goes on from here."""
        if self.folder is not None:
            _write(self.folder / f"{name}.state", content)

    def memory(self) -> tuple[list[tuple[int, int]], int]:
        """Graphs and peak memory of each actor, and how many were replaced."""
        import ray

        found = ray.get([actor.memory.remote() for actor in self.actors])
        return [(graphs, peak) for graphs, peak, _ in found], sum(new for *_, new in found)

    def end(self) -> None:
        """Ends the actors."""
        import ray

        for actor in self.actors:
            ray.kill(actor)
