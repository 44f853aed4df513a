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
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from hodgelet import _native
from hodgelet._base import encode_classes, finite_numbers
from hodgelet._batch import GraphBatch
from hodgelet._errors import HodgeletError, HodgeletInputError
from hodgelet._supervised import Supervised
from hodgelet.distributed._checkpoint import GROUP, Leaves, States, digest_of
from hodgelet.distributed._parts import Layout, Part, Source, cut, in_layout, layout_of, read_part

__all__ = ["Training", "fit"]

logger = logging.getLogger("hodgelet")

E = TypeVar("E", bound=Supervised)

#: Answers that are added up in one place.
FAN_IN = 16

#: How often a worker is replaced: one that always dies, for want of memory say, must end the training at last.
RESTARTS = 10

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
        that was stopped goes on from them and ends with the same bits, on however many workers.
    callback
        Called with the phase, how much of it is done, of how much, and the objective; an exception in it, or Ctrl-C,
        ends the training after the pass it is in.

    Raises
    ------
    HodgeletInputError
        When no row can be learned from, or settings are invalid.
    HodgeletError
        When a worker died ten times and once more.

    """
    if estimator.get_params().get("auto"):
        raise HodgeletInputError("auto is not for many machines: search on a sample, and give the settings found")
    if isinstance(estimator.get_params().get("class_weight"), Mapping):
        raise HodgeletInputError("class_weight is a mapping: give a column of weights as sample_weight instead")
    if checkpoint is not None and not isinstance(estimator.get_params().get("random_state"), (int, np.integer)):
        raise HodgeletInputError("a checkpoint needs the same seed in each run: give a number as random_state")
    if workers < 1 or threads < 1:
        raise HodgeletInputError(f"{workers} workers with {threads} threads, expected at least one of each")
    source = Source(target, smiles, sample_weight, id, threads)
    note = callback or (lambda phase, done, total, value: None)
    began = time.perf_counter()
    parts, batches = _read(dataset, source, note)
    settings = estimator._settings(estimator._seed())
    layout = layout_of(parts)
    targets, classes = _targets(estimator, np.concatenate([part.targets for part in parts if len(part)]))
    measurer = _measurer(parts, batches, layout, settings, threads)
    folder = None if checkpoint is None else Path(checkpoint).resolve()
    n = sum(map(len, parts))
    training = Training(sum(part.n_rows for part in parts), n, _faults(parts))
    training.seconds["reading"] = time.perf_counter() - began
    crew = _Crew(parts, batches, layout, measurer, targets, folder, training, workers, threads)
    try:
        digests = crew.measure(note)
        if folder is not None:
            crew.states = States(folder / _digest(settings, targets, _weights(parts), digests))
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


def _read(dataset: Any, source: Source, note: Callback) -> tuple[list[Part], list[Any]]:
    """Parts of the dataset in its order, and references to their graphs."""
    import ray

    dataset.context.execution_options.preserve_order = True
    for name in (source.target, source.sample_weight, source.id):
        if name is not None and name not in dataset.columns():
            raise HodgeletInputError(f"the dataset has no column `{name}`; it has {', '.join(dataset.columns())}")
    tables = dataset.to_arrow_refs()
    read = ray.remote(read_part).options(num_returns=2, num_cpus=source.threads)
    pairs = [read.remote(table, source) for table in tables]
    parts: list[Part] = []
    for number, (part, _) in enumerate(pairs):
        parts.append(ray.get(part))
        note("reading", number + 1, len(pairs), None)
    return parts, [batch for _, batch in pairs]


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


def _digest(settings: str, targets: Mapping[str, Any], weights: list[float] | None, leaves: Sequence[str]) -> str:
    """The name of what a training learns from, and how."""
    whole = hashlib.sha256("\n".join([settings, *leaves]).encode())
    whole.update(repr(targets.get("classes")).encode())
    for values in (targets.get("labels"), targets.get("values"), weights):
        whole.update(b"none" if values is None else np.asarray(values).tobytes())
    return whole.hexdigest()[:32]


class _Actor:
    """A worker: it measures its shard when it is first asked something, and answers questions about it."""

    def __init__(
        self,
        shared: list[Any],
        first: int,
        pieces: list[tuple[Any, int, int]],
        folder: Path | None,
        threads: int,
    ) -> None:
        """Takes references to the measurer, the layout and the targets, and to the graphs of the shard."""
        os.environ["HODGELET_THREADS"] = str(threads)
        self.shared, self.first, self.pieces, self.folder, self.threads = shared, first, pieces, folder, threads
        self.digests: list[str] = []
        self.made: _native.Shard | None = None

    @property
    def shard(self) -> _native.Shard:
        """The shard, measured here rather than when the actor is made: what fails here fails with its own message."""
        if self.made is None:
            self.made = self._make()
        return self.made

    def _make(self) -> _native.Shard:
        import ray

        measurer, layout, targets = ray.get(self.shared)
        batch = GraphBatch.concatenate([in_layout(ray.get(b), layout)[start:end] for b, start, end in self.pieces])
        kept = None
        if self.folder is not None:
            own = [batch[a : a + _native.LEAF_SIZE] for a in range(0, len(batch), _native.LEAF_SIZE)]
            self.digests = [digest_of(measurer, leaf) for leaf in own]
            kept = _measured(Leaves(self.folder, self.first, self.digests), measurer, own, self.threads)
        return _native.Shard(measurer, self.first, batch, **targets, leaves=kept, threads=self.threads)

    def size(self) -> tuple[int, list[str]]:
        """Graphs, and what each leaf holds where measures are kept."""
        return len(self.shard), self.digests

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


def _measured(files: Leaves, measurer: bytes, leaves: list[GraphBatch], threads: int) -> list[bytes]:
    """The measures of leaves as they are kept; some at a time are measured and written where they are not."""
    found = [files.read(k) for k in range(len(leaves))]
    missing = [k for k, content in enumerate(found) if content is None]
    for start in range(0, len(missing), GROUP):
        group = missing[start : start + GROUP]
        graphs = GraphBatch.concatenate([leaves[k] for k in group])
        shard = _native.Shard(
            measurer, 0, graphs, values=np.zeros(len(graphs)), threads=threads
        )  # measures alone matter
        for k, content in zip(group, shard.leaves(), strict=True):
            found[k] = content
            files.write(k, content)
    return [content for content in found if content is not None]


def _combine(*answers: bytes) -> bytes:
    return _native.combine_answers(list(answers))


@contextmanager
def _deaths() -> Iterator[None]:
    """Says what it means that a worker is not replaced any more."""
    from ray.exceptions import ActorDiedError

    try:
        yield
    except ActorDiedError as error:
        raise HodgeletError(
            f"a worker died more than {RESTARTS} times, perhaps for want of memory: more workers have fewer graphs "
            f"each, and with `checkpoint` the same call goes on from here; {error}"
        ) from error


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

        self.training = training
        self.states: States | None = None
        self.view: tuple[str, Any] = ("", ray.put(b""))
        starts = np.concatenate([[0], np.cumsum([len(part) for part in parts])])
        n = int(starts[-1])
        actor = ray.remote(_Actor).options(num_cpus=threads, max_restarts=RESTARTS, max_task_retries=-1)
        shared = [ray.put(measurer), ray.put(layout)]
        self.first: list[int] = []
        self.actors: list[Any] = []
        self.recipes: list[Any] = []  # references that an actor needs when it is made again
        for leaf, end in cut(n, workers):
            a, b = leaf * _native.LEAF_SIZE, min(n, end * _native.LEAF_SIZE)
            pieces = []
            for k in range(int(np.searchsorted(starts, a, side="right")) - 1, int(np.searchsorted(starts, b))):
                start, stop = int(max(a, starts[k]) - starts[k]), int(min(b, starts[k + 1]) - starts[k])
                if start < stop:
                    pieces.append((batches[k], start, stop))
            own = {key: value if key == "classes" else value[a:b] for key, value in targets.items()}
            self.first.append(a)
            self.recipes.append(([*shared, ray.put(own)], leaf, pieces, folder, threads))
            self.actors.append(actor.remote(*self.recipes[-1]))

    def measure(self, note: Callback) -> list[str]:
        """Waits until all actors have measured; what each leaf holds."""
        import ray

        sizes = [actor.size.remote() for actor in self.actors]
        waiting, done, total = sizes, 0, self.training.n_graphs
        while waiting:
            ready, waiting = ray.wait(waiting, timeout=1.0)
            with _deaths():
                done += sum(size for size, _ in ray.get(ready))
            note("measuring", done, total, None)
        return [digest for _, digests in ray.get(sizes) for digest in digests]

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
        with _deaths():
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
        with _deaths():
            found: list[bytes] = ray.get([self.actors[own].load.remote(run) for own, run in places])
        return found

    def recall(self, name: str) -> bytes | None:
        """What an earlier run remembered."""
        found = None if self.states is None else self.states.read(name)
        self.training.recalled += found is not None
        return found

    def remember(self, name: str, content: bytes) -> None:
        """Keeps a sum for a run that goes on from here."""
        if self.states is not None:
            self.states.write(name, content)

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
