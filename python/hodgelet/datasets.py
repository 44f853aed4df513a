"""Datasets on disk (TU, JSONL, GraphML, GML) and built-in ones, read by the code of the command."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hodgelet._base import classes_from_names
from hodgelet._batch import GraphBatch
from hodgelet._inputs._hypergraphs import batch_of

__all__ = ["Dataset", "load"]


@dataclass(frozen=True, eq=False)
class Dataset:
    """Graphs with their targets.

    ``target`` holds classes or numbers, or is ``None`` where nothing is known; ``ids`` are names of the graphs where
    the format has them; ``report`` says what the reader cleaned up.
    """

    name: str
    graphs: GraphBatch
    target: NDArray[Any] | None
    classes: NDArray[Any] | None
    ids: list[str]
    report: str

    def __len__(self) -> int:
        return len(self.graphs)


def load(
    name: str | os.PathLike[str],
    *,
    seed: int = 0,
    data_dir: str | os.PathLike[str] | None = None,
    hypergraph: str | None = None,
    **settings: Any,
) -> Dataset:
    """Reads a dataset by path or name, or draws a built-in one.

    ``settings`` are the parameters of a built-in dataset. Datasets by name lie in ``data_dir``, or in the folder that
    the variable ``HODGELET_DATA`` names. ``hypergraph`` says which complex represents a hypergraph. The command
    ``hodgelet datasets list`` shows the built-in names.

    >>> from hodgelet import datasets
    >>> sbm = datasets.load("sbm", n_graphs=20)
    >>> len(sbm), sbm.classes.tolist()
    (20, ['two-blocks', 'three-blocks'])

    Raises
    ------
    HodgeletFileError
        When there is no such dataset, or it cannot be read.

    """
    from hodgelet import _native

    folder = os.environ.get("HODGELET_DATA") if data_dir is None else os.fspath(data_dir)
    assignments = [f"{key}={value}" for key, value in settings.items()]
    read = _native.read_dataset(os.fspath(name), assignments, seed, folder or None, hypergraph)
    graphs = batch_of(read)
    classes = classes_from_names(read["classes"]) if "classes" in read else None
    target: NDArray[Any] | None = read.get("values")
    if classes is not None:
        target = classes[np.asarray(read["labels"])]
    return Dataset(read["name"], graphs, target, classes, read["ids"], read["report"])
