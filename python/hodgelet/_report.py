"""The report of a model: targets as the native code takes them, and the line that says when it was made."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from hodgelet._base import check_targets, finite_numbers
from hodgelet._errors import HodgeletInputError
from hodgelet._progress import Progress

if TYPE_CHECKING:
    from hodgelet._batch import GraphBatch
    from hodgelet._supervised import Supervised

__all__ = ["write_report"]


def write_report(
    model: Supervised,
    batch: GraphBatch,
    y: Any,
    path: str | os.PathLike[str],
    *,
    names: Any = None,
    title: str = "graphs",
    force: bool = False,
) -> str:
    """Writes the page and returns its verdict."""
    from hodgelet import _native

    called = [] if names is None else [str(name) for name in names]
    if called and len(called) != len(batch):
        raise HodgeletInputError(f"names has {len(called)} entries, expected {len(batch)}")
    native = model._native()
    made = time.strftime("Made %Y-%m-%dT%H:%M:%SZ.", time.gmtime())
    with Progress(model._verbose()) as progress:
        return _native.report(
            native,
            batch,
            os.fspath(path),
            names=called,
            title=str(title),
            made=made,
            force=force,
            threads=model._threads(),
            callback=progress.callback,
            **_targets(model, y, len(batch)),
        )


def _targets(model: Any, y: Any, n: int) -> dict[str, Any]:
    """What is true of the graphs: classes by number, or numbers; nothing where it is not known."""
    if y is None:
        return {}
    truth = check_targets(y, n, type(model).__name__)
    if not hasattr(model, "classes_"):
        return {"values": finite_numbers(truth)}
    known = {value: place for place, value in enumerate(model.classes_.tolist())}
    new = sorted({value for value in truth.tolist() if value not in known}, key=str)
    if new:
        raise HodgeletInputError(f"y has the class {new[0]!r}, which the model does not predict")
    labels = np.array([known[value] for value in truth.tolist()], dtype=np.uint32)
    return {"classes": model._native().class_names(), "labels": labels}
