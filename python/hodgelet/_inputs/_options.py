"""Options about the inputs, validated once."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from hodgelet._errors import HodgeletInputError, HodgeletWarning

__all__ = [
    "HodgeletLabelWarning",
    "HodgeletOrientationWarning",
    "Options",
    "warn",
    "warn_directions",
    "warn_labels",
    "warn_orientation",
    "warn_weight",
]

Attributes = Sequence[str] | Mapping[str, str] | None
HYPERGRAPHS = ("star", "zhou", "clique", "clique-normalized", "clique-unit", "incidence", "simplices")
DIRECTED = ("error", "ignore", "flow")
KINDS = ("real", "labels")
#: The attribute of edges that the command reads only when it is told what it is.
WEIGHT = "weight"


class HodgeletOrientationWarning(HodgeletWarning):
    """An edge signal that may be a flow was not declared as one, or vice versa."""


class HodgeletLabelWarning(HodgeletWarning):
    """Whole numbers that were not declared are read as labels."""


#: What was said once: of attributes, by dimension and name, what they are read as.
_SAID: set[tuple[int, str, str]] = set()


def warn_labels(columns: Iterable[tuple[int, str]]) -> None:
    """Says once of each attribute that its whole numbers are labels."""
    new = [(dim, name) for dim, name in dict.fromkeys(columns) if (dim, name, "labels") not in _SAID]
    if not new:
        return
    _SAID.update((dim, name, "labels") for dim, name in new)
    names = ", ".join(f"{name!r} of dimension {dim}" for dim, name in new)
    argument = {0: "vertex_attrs", 1: "edge_attrs"}.get(new[0][0], "cell_attrs")
    warn(
        f"whole numbers are read as labels, one channel for each value (one-hot): {names}; "
        f'{argument}={{{new[0][1]!r}: "real"}} reads numbers, "labels" says that they are labels',
        HodgeletLabelWarning,
    )


def warn_weight() -> None:
    """Says once that the attribute ``weight`` of edges is a signal where nobody said what it is."""
    if (1, WEIGHT, "signal") in _SAID:
        return
    _SAID.add((1, WEIGHT, "signal"))
    warn(
        f"the edge attribute {WEIGHT!r} is read as a signal: weights={{1: {WEIGHT!r}}} makes it the weight of edges in "
        "the Laplacian, weights={} says that it is a signal",
        HodgeletWarning,
    )


def warn_directions() -> None:
    """Says once that directions of arcs without numbers are left out where nobody said what they are."""
    if (1, "", "directed") in _SAID:
        return
    _SAID.add((1, "", "directed"))
    warn_orientation(
        "directed graphs are read as undirected: directed='ignore' says so, directed='flow' makes signals of the "
        "directions, directed='error' refuses an arc without one back"
    )


def warn_orientation(message: str) -> None:
    """Warns of an edge signal that may or may not be a flow."""
    warn(message, HodgeletOrientationWarning)


def warn(message: str, category: type[Warning]) -> None:
    """Warns the caller of the package, whichever function of it was called."""
    warnings.warn(message, category, stacklevel=_frames_inside())


def _frames_inside() -> int:
    """Frames between a warning and the first one outside this package."""
    import sys

    depth, frame = 0, sys._getframe(1)
    while frame.f_back is not None and str(frame.f_globals.get("__name__", "")).partition(".")[0] == "hodgelet":
        depth, frame = depth + 1, frame.f_back
    return max(depth, 1) + 1


@dataclass(frozen=True)
class Options:
    """Which attributes are taken, what they are, and what becomes of hypergraphs.

    Attributes are named by a sequence, or by a mapping from name to ``"real"`` or ``"labels"``; ``None`` takes what
    the library at hand offers.
    """

    vertex_attrs: list[str] | None = None
    edge_attrs: list[str] | None = None
    cell_attrs: dict[int, list[str] | None] = field(default_factory=dict)
    kinds: dict[tuple[int, str], Literal["real", "labels"]] = field(default_factory=dict)
    oriented: dict[str, bool] = field(default_factory=dict)
    hypergraph: str = "star"
    max_dim: int | None = None
    weights: dict[int, str] = field(default_factory=dict)
    directed: str | None = None

    @classmethod
    def of(
        cls,
        vertex_attrs: Attributes,
        edge_attrs: Attributes,
        cell_attrs: Mapping[int, Attributes] | None,
        oriented: Iterable[str] | Mapping[str, bool],
        hypergraph: str,
        max_dim: int | None,
        weights: Mapping[int, str] | None,
        directed: str | None = None,
    ) -> Options:
        """Valid options, or an error that names the first invalid one."""
        if hypergraph not in HYPERGRAPHS:
            raise HodgeletInputError(f"hypergraph={hypergraph!r}, expected one of {', '.join(map(repr, HYPERGRAPHS))}")
        if directed is not None and directed not in DIRECTED:
            raise HodgeletInputError(f"directed={directed!r}, expected None or one of {', '.join(map(repr, DIRECTED))}")
        if weights is not None and not isinstance(weights, Mapping):
            raise HodgeletInputError(f"weights={weights!r}, expected names by dimension, such as {{1: 'weight'}}")
        flows = _oriented(oriented)
        if directed == "flow" and flows:
            raise HodgeletInputError("directed='flow' says which signals are oriented: leave `oriented` out")
        if max_dim is not None and max_dim < 1:
            raise HodgeletInputError(f"max_dim={max_dim}, expected 1 or more")
        by_dim: dict[int, Attributes] = {0: vertex_attrs, 1: edge_attrs, **(cell_attrs or {})}
        names: dict[int, list[str] | None] = {}
        kinds: dict[tuple[int, str], Any] = {}
        for dim, attrs in by_dim.items():
            names[dim] = _names(attrs, dim)
            if isinstance(attrs, Mapping):
                kinds.update({(dim, name): _kind(name, kind) for name, kind in attrs.items()})
        weighed = {int(dim): str(name) for dim, name in (weights or {}).items()}
        return cls(names[0], names[1], names, kinds, flows, hypergraph, max_dim, weighed, directed)

    def names(self, dim: int, found: Iterable[str]) -> list[str]:
        """The attributes to take on cells of dimension ``dim``, out of those ``found`` where none were named."""
        wanted = self.cell_attrs.get(dim)
        names = [str(name) for name in found] if wanted is None else list(wanted)
        weight = self.weights.get(dim)
        return names if weight is None or weight in names else [*names, weight]

    def kind(self, dim: int, name: str) -> Literal["real", "labels"] | None:
        """What an attribute was said to be, if anything was said; weights are numbers."""
        if self.weights.get(dim) == name:
            return "real"
        return self.kinds.get((dim, name))

    def is_oriented(self, name: str) -> bool | None:
        """Whether a signal was declared oriented (True), unoriented (False), or neither (None)."""
        declared = self.oriented.get(name)
        return False if declared is None and self.directed == "ignore" else declared


def _names(attrs: Attributes, dim: int) -> list[str] | None:
    if attrs is None:
        return None
    if isinstance(attrs, str):
        raise HodgeletInputError(f"attributes of dimension {dim} are {attrs!r}, expected a list of names: [{attrs!r}]")
    names = list(attrs)
    for position, name in enumerate(names):
        if not isinstance(name, str):
            raise HodgeletInputError(f"attributes of dimension {dim}: {name!r} is not a name")
        if name in names[:position]:
            raise HodgeletInputError(f"attributes of dimension {dim}: {name!r} appears twice")
    return names


def _kind(name: str, kind: str) -> str:
    if kind not in KINDS:
        raise HodgeletInputError(f'attribute {name!r} is declared {kind!r}, expected "real" or "labels"')
    return kind


def _oriented(oriented: Iterable[str] | Mapping[str, bool]) -> dict[str, bool]:
    if isinstance(oriented, str):
        raise HodgeletInputError(f"oriented={oriented!r}, expected a list of names: [{oriented!r}]")
    if isinstance(oriented, Mapping):
        return {str(name): bool(value) for name, value in oriented.items()}
    return {str(name): True for name in oriented}
