"""Sets of classes and intervals, with what they rest on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["ClassSets", "Intervals", "Regions"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Regions:
    """What sets and intervals have in common.

    ``basis`` is ``"split"`` or ``"cv-plus"`` if the model was fitted with ``conformal``, and ``"model"`` if the regions
    are the model's own, for which nothing is guaranteed. ``guaranteed`` is the coverage that is proven for graphs
    exchangeable with the training graphs, and ``notes`` says where too few calibration graphs leave a region without
    a bound. Printing shows ``statement``, the same in words.
    """

    coverage: float
    basis: str
    guaranteed: float | None
    statement: str
    notes: list[str]

    def __str__(self) -> str:
        return "\n".join([f"coverage {self.coverage:g}: {self.statement}", *self.notes])


@dataclass(frozen=True, eq=False)
class ClassSets(Regions):
    """Sets of classes: ``members[i, c]`` says whether ``classes[c]`` is in the set of graph ``i``."""

    classes: NDArray[Any]
    members: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.members)

    def __getitem__(self, i: int) -> NDArray[Any]:
        """The classes in the set of graph ``i``."""
        found: NDArray[Any] = self.classes[self.members[i]]
        return found

    def __iter__(self) -> Iterator[NDArray[Any]]:
        return (self[i] for i in range(len(self)))


@dataclass(frozen=True, eq=False)
class Intervals(Regions):
    """Intervals from ``lower`` to ``upper``, which are infinite where there is no bound."""

    lower: Floats
    upper: Floats

    def __len__(self) -> int:
        return len(self.lower)

    def __getitem__(self, i: int) -> tuple[float, float]:
        """Both ends of the interval of graph ``i``."""
        return float(self.lower[i]), float(self.upper[i])

    def __iter__(self) -> Iterator[tuple[float, float]]:
        return (self[i] for i in range(len(self)))


def common(out: dict[str, Any], coverage: float) -> dict[str, Any]:
    """The fields of `Regions` from the native code."""
    names = ["basis", "guaranteed", "statement", "notes"]
    return {"coverage": coverage, **{name: out[name] for name in names}}
