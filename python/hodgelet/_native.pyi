"""The native half: arrays in, arrays out. Not meant to be called directly."""

from collections.abc import Callable, Sequence
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from hodgelet._batch import GraphBatch

__all__ = [
    "FeatureSpace",
    "Model",
    "__version__",
    "betti_numbers",
    "boundary",
    "decompose",
    "laplacian",
    "model_from_bytes",
    "read_dataset",
    "run_command",
    "space_from_bytes",
]
__version__: str

_Floats = NDArray[np.float64]
_Callback = Callable[[str, int, int, float | None], None] | None

class _Space:
    def features(
        self, batch: GraphBatch, standardize: bool, threads: int | None = None, callback: _Callback = None
    ) -> tuple[_Floats, int]: ...
    def measures(
        self, batch: GraphBatch, threads: int | None = None, callback: _Callback = None
    ) -> tuple[list[dict[str, Any]], int]: ...
    def names(self) -> list[str]: ...
    def blocks(self) -> list[dict[str, Any]]: ...
    def filter_curves(self, block: int, grid: list[float]) -> _Floats: ...
    def to_bytes(self) -> bytes: ...

@final
class FeatureSpace(_Space):
    @staticmethod
    def fit(
        batch: GraphBatch, settings: str, threads: int | None = None, callback: _Callback = None
    ) -> FeatureSpace: ...

@final
class Model(_Space):
    @staticmethod
    def fit(
        batch: GraphBatch,
        settings: str,
        *,
        classes: list[str] | None = None,
        labels: NDArray[np.uint32] | None = None,
        values: _Floats | None = None,
        threads: int | None = None,
        callback: _Callback = None,
    ) -> Model: ...
    def predict(self, batch: GraphBatch, threads: int | None = None, callback: _Callback = None) -> dict[str, Any]: ...
    def leave_one_out(self) -> dict[str, Any]: ...
    def class_names(self) -> list[str] | None: ...
    def description(self) -> str: ...
    def save(self, path: str) -> None: ...
    @staticmethod
    def load(path: str) -> Model: ...

def model_from_bytes(bytes: bytes) -> Model: ...
def space_from_bytes(bytes: bytes) -> FeatureSpace: ...
def run_command(arguments: Sequence[str]) -> int: ...
def read_dataset(
    name: str, settings: list[str], seed: int, data_dir: str | None, hypergraph: str | None
) -> dict[str, Any]: ...
def betti_numbers(batch: GraphBatch, cliques: int) -> list[list[int]]: ...
def boundary(batch: GraphBatch, dim: int, cliques: int) -> _Floats: ...
def laplacian(batch: GraphBatch, dim: int, term: str, laplacian: str, cliques: int) -> _Floats: ...
def decompose(
    batch: GraphBatch, dim: int, signal: _Floats, laplacian: str, cliques: int
) -> tuple[_Floats, _Floats, _Floats]: ...
