"""The report of a model: targets as the native code takes them, and the line that says when it was made."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hodgelet._base import check_targets, finite_numbers
from hodgelet._errors import HodgeletInputError
from hodgelet._progress import Progress

if TYPE_CHECKING:
    from hodgelet._batch import GraphBatch
    from hodgelet._supervised import Supervised

__all__ = ["Asked", "asked_of", "known_of", "write_report"]


@dataclass(frozen=True)
class Asked:
    """Where a report goes and what is said of it."""

    path: str
    json: bool
    names: list[str]
    title: str
    made: str
    force: bool


def asked_of(
    batch: GraphBatch, path: str | os.PathLike[str], *, json: bool, names: Any, title: str, force: bool
) -> Asked:
    """Checks what is asked for."""
    called = [] if names is None else [str(name) for name in names]
    if called and len(called) != len(batch):
        raise HodgeletInputError(f"names has {len(called)} entries, expected {len(batch)}")
    made = time.strftime("Made %Y-%m-%dT%H:%M:%SZ.", time.gmtime())
    return Asked(os.fspath(path), bool(json), called, str(title), made, bool(force))


def write_report(model: Supervised, batch: GraphBatch, y: Any, asked: Asked) -> str:
    """Writes the page and returns its verdict."""
    from hodgelet import _native

    with Progress(model._verbose()) as progress:
        return _native.report(
            model._native(),
            batch,
            asked,
            threads=model._threads(),
            callback=progress.callback,
            **({} if y is None else known_of(model, check_targets(y, len(batch), type(model).__name__))),
        )


def known_of(model: Any, truth: Any) -> Mapping[str, Any]:
    """What is true of graphs: classes by number, or numbers."""
    if not hasattr(model, "classes_"):
        return {"values": finite_numbers(truth)}
    known = {value: place for place, value in enumerate(model.classes_.tolist())}
    new = sorted({value for value in truth.tolist() if value not in known}, key=str)
    if new:
        raise HodgeletInputError(f"y has the class {new[0]!r}, which the model does not predict")
    labels = np.array([known[value] for value in truth.tolist()], dtype=np.uint32)
    return {"classes": model._native().class_names(), "labels": labels}
