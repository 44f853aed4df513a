"""GUDHI simplex trees. The value ``filtration`` of a simplex is a signal where it is named, on any dimension."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hodgelet._batch import GraphBatch
from hodgelet._errors import HodgeletInputError
from hodgelet._inputs._options import Options
from hodgelet._inputs._simplices import Simplices, from_simplices

__all__ = ["from_gudhi"]


def from_gudhi(trees: Sequence[Any], options: Options) -> GraphBatch:
    """One batch of all trees; vertices and simplices in ascending order, oriented that way."""
    names = {dim: list(wanted or []) for dim, wanted in options.cell_attrs.items()}
    for dim, of_dim in names.items():
        for name in of_dim:
            if name != "filtration":
                raise HodgeletInputError(f"{name!r} on dimension {dim}: a simplex tree has `filtration` only")
    return from_simplices([_complex(tree, names) for tree in trees], names, options)


def _complex(tree: Any, names: dict[int, list[str]]) -> Simplices:
    found = sorted(((len(simplex), tuple(sorted(simplex)), value) for simplex, value in tree.get_simplices()))
    number = {simplex[0]: at for at, (size, simplex, _) in enumerate(found) if size == 1}
    out = Simplices(len(number))
    for size, simplex, value in found:
        if size > 1:
            out.cells.setdefault(size - 1, []).append(tuple(number[v] for v in simplex))
        if names.get(size - 1):
            out.values.setdefault((size - 1, "filtration"), []).append(value)
    return out
