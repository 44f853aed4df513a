"""What a training keeps on disk, so that one that was stopped goes on: measures of leaves, and sums of passes.

Names say what is in a file, so that they do not depend on how many workers there are and in which blocks an engine
reads: a leaf is named by its graphs and by what measures them, a sum by the question. A file that is not what its
digest says counts as missing.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hodgelet import _native
from hodgelet._batch import GraphBatch

__all__ = ["Leaves", "States", "digest_of"]

#: Leaves in one folder, and leaves that are measured before they are written.
TOGETHER = 1024
GROUP = 16


def digest_of(measurer: bytes, batch: GraphBatch) -> str:
    """A digest of graphs and their columns, of what measures them, and of the version that does."""
    whole = hashlib.sha256(_native.__version__.encode())
    whole.update(measurer)
    arrays: list[NDArray[Any] | None] = [batch.vertices, batch.edge_offsets, batch.edges]
    arrays += [batch.triangle_offsets, batch.triangles]
    for boundary in batch.boundaries:
        arrays += [boundary.cell_offsets, boundary.face_offsets, boundary.faces, boundary.coefficients]
    for column in batch.columns:
        whole.update(repr((column.name, column.dim, column.channels, column.categories, column.oriented)).encode())
        arrays += [column.values, column.offsets]
    for dim, weights in sorted(batch.weights.items()):
        whole.update(str(dim).encode())
        arrays.append(weights)
    for array in arrays:
        if array is not None:
            whole.update(f"{array.dtype} {array.shape}".encode())
            whole.update(np.ascontiguousarray(array).tobytes())
    return whole.hexdigest()


class Leaves:
    """Measures of consecutive leaves, each a Parquet file whose name ends in the digest of its bytes."""

    def __init__(self, folder: Path, first: int, digests: Sequence[str]) -> None:
        """Takes the number of the first leaf, and what each holds."""
        self.folders = [folder / f"leaves-{(first + k) // TOGETHER:06}" for k in range(len(digests))]
        self.stems = [f"{first + k:09}-{digest[:32]}" for k, digest in enumerate(digests)]
        listed = {name for own in set(self.folders) if own.is_dir() for name in os.listdir(own)}
        found = {name.rpartition("-")[0]: name for name in listed if name.endswith(".parquet")}
        self.names = [found.get(stem) for stem in self.stems]

    def read(self, k: int) -> bytes | None:
        """The file of a leaf, if it is there and whole."""
        name = self.names[k]
        if name is None:
            return None
        try:
            content = (self.folders[k] / name).read_bytes()
        except OSError:
            return None
        return content if name == self._name(k, content) else None

    def write(self, k: int, content: bytes) -> None:
        """Keeps the file of a leaf."""
        self.names[k] = self._name(k, content)
        write(self.folders[k] / str(self.names[k]), content)

    def _name(self, k: int, content: bytes) -> str:
        return f"{self.stems[k]}-{hashlib.sha256(content).hexdigest()[:32]}.parquet"


class States:
    """Sums over all graphs by name: the digest of the content, then the content."""

    def __init__(self, folder: Path) -> None:
        """Takes the folder, which there need not be."""
        self.folder = folder

    def read(self, name: str) -> bytes | None:
        """What was kept under a name, if it is there and whole."""
        try:
            content = (self.folder / f"{name}.state").read_bytes()
        except OSError:
            return None
        return content[32:] if hashlib.sha256(content[32:]).digest() == content[:32] else None

    def write(self, name: str, content: bytes) -> None:
        """Keeps what is to be found under a name."""
        write(self.folder / f"{name}.state", hashlib.sha256(content).digest() + content)


def write(path: Path, content: bytes) -> None:
    """Writes a file that has its name only when it is whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.uname().nodename}.{os.getpid()}")
    unfinished.write_bytes(content)
    os.replace(unfinished, path)
