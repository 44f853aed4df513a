"""How graphs were read where they leave it open: what a model file keeps, so that the command reads new files alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hodgelet._batch import GraphBatch
from hodgelet._inputs import holds_hypergraphs
from hodgelet._inputs._options import WEIGHT

__all__ = ["parameters_of", "reading_of"]


def reading_of(graphs: Any, batch: GraphBatch, params: Mapping[str, Any]) -> dict[str, str]:
    """The choices by the names of the flags of the command."""
    reading = {}
    if params["directed"] is not None:
        reading["directed"] = str(params["directed"])
    weights = dict(params["weights"] or {})
    if 1 in weights:
        reading["weights"] = "laplacian" if weights[1] == WEIGHT else f"laplacian={weights[1]}"
    elif any((column.dim, column.name) == (1, WEIGHT) for column in batch.columns):
        reading["weights"] = "signal"
    # "simplices" is not an expansion that the command has.
    is_kept = isinstance(graphs, Sequence) and params["hypergraph"] != "simplices" and holds_hypergraphs(graphs)
    if is_kept:
        reading["hypergraph"] = str(params["hypergraph"])
    return reading


def parameters_of(reading: Mapping[str, str]) -> dict[str, Any]:
    """The parameters of an estimator that reads graphs as those of a model file were read."""
    params: dict[str, Any] = {name: reading[name] for name in ("directed", "hypergraph") if name in reading}
    kind, _, name = reading.get("weights", "").partition("=")
    if kind == "laplacian":
        params["weights"] = {1: name or WEIGHT}
    elif kind == "signal":
        params["weights"] = {}
    return params
