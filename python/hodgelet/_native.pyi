"""The native half: arrays in, arrays out. Not meant to be called directly."""

from collections.abc import Callable, Sequence
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from hodgelet._batch import GraphBatch
from hodgelet._report import Asked

__all__ = [
    "LEAF_SIZE",
    "ArrowBatch",
    "ArrowColumn",
    "FeatureSpace",
    "Model",
    "Models",
    "Shard",
    "__version__",
    "arrow_export",
    "arrow_import",
    "betti_numbers",
    "boundary",
    "check_graphs",
    "combine_answers",
    "decompose",
    "expand",
    "fit_measurer",
    "fit_on_workers",
    "laplacian",
    "layout",
    "lift",
    "model_from_bytes",
    "outline",
    "read_dataset",
    "read_smiles",
    "report",
    "run_command",
    "space_from_bytes",
]
__version__: str
LEAF_SIZE: int

_Floats = NDArray[np.float64]
_Callback = Callable[[str, int, int, float | None], None] | None
_Goal = tuple[str, list[int], list[str] | None, NDArray[np.uint32] | None, _Floats | None]

class _Space:
    def features(
        self, batch: GraphBatch, standardize: bool, threads: int | None = None, callback: _Callback = None
    ) -> tuple[_Floats, int]: ...
    def measures(
        self, batch: GraphBatch, threads: int | None = None, callback: _Callback = None
    ) -> tuple[list[dict[str, Any]], int]: ...
    def names(self) -> list[str]: ...
    def channels(self, dim: int) -> list[str]: ...
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
        auto: bool = False,
        reading: dict[str, str] = ...,
        threads: int | None = None,
        callback: _Callback = None,
    ) -> Model: ...
    def predict(self, batch: GraphBatch, threads: int | None = None, callback: _Callback = None) -> dict[str, Any]: ...
    def gram(self, batch: GraphBatch, other: GraphBatch | None = None, threads: int | None = None) -> _Floats: ...
    def covariance(self, batch: GraphBatch, threads: int | None = None) -> _Floats: ...
    def new_labels(self, batch: GraphBatch) -> list[tuple[int, str, str, int]]: ...
    def explain_cells(self, batch: GraphBatch, index: int, threads: int | None = None) -> dict[str, Any]: ...
    def regions(
        self, batch: GraphBatch, coverage: float, threads: int | None = None, callback: _Callback = None
    ) -> dict[str, Any]: ...
    def update(
        self,
        batch: GraphBatch,
        *,
        classes: list[str] | None = None,
        labels: NDArray[np.uint32] | None = None,
        values: NDArray[np.float64] | None = None,
        threads: int | None = None,
        callback: _Callback = None,
    ) -> Model: ...
    def drift(self, batch: GraphBatch, threads: int | None = None, callback: _Callback = None) -> dict[str, Any]: ...
    def leave_one_out(self) -> dict[str, Any]: ...
    def grams(self) -> list[tuple[str, int]]: ...
    def class_names(self) -> list[str] | None: ...
    def description(self) -> str: ...
    def trials(self) -> str: ...
    def save(self, path: str, force: bool = False) -> None: ...
    @staticmethod
    def load(path: str) -> Model: ...

@final
class Models:
    @staticmethod
    def fit(
        batch: GraphBatch,
        settings: str,
        goals: Sequence[_Goal],
        reading: dict[str, str],
        threads: int | None = None,
        callback: _Callback = None,
    ) -> Models: ...
    def names(self) -> list[str]: ...
    def model(self, k: int) -> Model: ...
    def report(
        self,
        batch: GraphBatch,
        asked: Asked,
        goals: Sequence[_Goal],
        threads: int | None = None,
        callback: _Callback = None,
    ) -> list[tuple[str, str]]: ...
    def save(self, path: str, force: bool = False) -> None: ...
    @staticmethod
    def load(path: str) -> Models: ...

@final
class Shard:
    def __new__(
        cls,
        measurer: bytes,
        first: int,
        batch: GraphBatch,
        *,
        classes: list[str] | None = None,
        labels: NDArray[np.uint32] | None = None,
        values: _Floats | None = None,
        leaves: Sequence[bytes] | None = None,
        threads: int | None = None,
    ) -> Shard: ...
    def leaves(self) -> list[bytes]: ...
    def show(self, id: str, view: bytes, threads: int | None = None) -> None: ...
    def answer(self, question: bytes, threads: int | None = None) -> bytes: ...
    def load(self, places: Sequence[int]) -> bytes: ...
    def __len__(self) -> int: ...

@final
class ArrowColumn: ...

@final
class ArrowBatch:
    @property
    def num_rows(self) -> int: ...
    @property
    def column_names(self) -> list[str]: ...
    def __len__(self) -> int: ...
    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def __arrow_c_schema__(self) -> object: ...

def outline(batch: GraphBatch, settings: str, threads: int | None = None) -> bytes: ...
def fit_measurer(outlines: Sequence[bytes], batch: GraphBatch, settings: str) -> bytes: ...
def combine_answers(answers: Sequence[bytes]) -> bytes: ...
def fit_on_workers(
    driver: object,
    measurer: bytes,
    settings: str,
    *,
    classes: list[str] | None = None,
    labels: NDArray[np.uint32] | None = None,
    values: _Floats | None = None,
    weights: Sequence[float] | None = None,
    threads: int | None = None,
    callback: _Callback = None,
) -> Model: ...
def arrow_import(table: object) -> tuple[int, list[dict[str, Any]]]: ...
def arrow_export(n_rows: int, columns: list[dict[str, Any]]) -> ArrowBatch: ...
def model_from_bytes(bytes: bytes) -> Model: ...
def space_from_bytes(bytes: bytes) -> FeatureSpace: ...
def run_command(arguments: Sequence[str]) -> int: ...
def read_dataset(
    name: str, settings: list[str], seed: int, data_dir: str | None, hypergraph: str | None
) -> dict[str, Any]: ...
def read_smiles(
    texts: Sequence[str | None], all: bool, mass: bool, threads: int | None = None
) -> tuple[dict[str, Any], list[int], list[tuple[int, str]]]: ...
def check_graphs(batch: GraphBatch, threads: int | None = None) -> None: ...
def betti_numbers(batch: GraphBatch, cliques: int) -> list[list[int]]: ...
def boundary(batch: GraphBatch, dim: int, cliques: int) -> _Floats: ...
def laplacian(batch: GraphBatch, dim: int, term: str, laplacian: str, cliques: int) -> _Floats: ...
def decompose(
    batch: GraphBatch, dim: int, signal: _Floats, laplacian: str, cliques: int
) -> tuple[_Floats, _Floats, _Floats]: ...
def lift(
    batch: GraphBatch, to: str, dim: int | None, max_length: int | None, radius: float | None, points: str | None
) -> dict[str, Any]: ...
def expand(
    nodes: GraphBatch,
    hyperedges: GraphBatch,
    offsets: Sequence[int],
    members: Sequence[int],
    weights: Sequence[float] | None,
    expansion: str,
) -> dict[str, Any]: ...
def report(
    model: Model,
    batch: GraphBatch,
    asked: Asked,
    *,
    classes: list[str] | None = None,
    labels: NDArray[np.uint32] | None = None,
    values: _Floats | None = None,
    threads: int | None = None,
    callback: _Callback = None,
) -> str: ...
def layout(batch: GraphBatch, index: int) -> _Floats: ...
