"""Several targets of the same graphs, trained together."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hodgelet._base import (
    OF_INPUTS,
    encode_classes,
    finite_numbers,
    is_missing,
    logger,
    plain_array,
    unmasked,
    warn_untargeted,
)
from hodgelet._classifier import HodgeletClassifier
from hodgelet._errors import HodgeletInputError
from hodgelet._own import with_own
from hodgelet._progress import Progress
from hodgelet._reading import reading_of
from hodgelet._regressor import HodgeletRegressor

if TYPE_CHECKING:
    from hodgelet import _native
    from hodgelet._batch import GraphBatch

__all__ = ["SeveralModels", "fit_several", "load_several"]

Estimators = HodgeletClassifier | HodgeletRegressor
Known = tuple[list[int], NDArray[Any]]


class SeveralModels(Mapping[str, Estimators]):
    """The estimators of several targets, by name, with filters and kernels in common."""

    def __init__(self, fitted: _native.Models, estimators: dict[str, Estimators]) -> None:
        self._fitted, self._estimators = fitted, estimators

    def __getitem__(self, name: str) -> Estimators:
        return self._estimators[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._estimators)

    def __len__(self) -> int:
        return len(self._estimators)

    def __repr__(self) -> str:
        return f"SeveralModels({', '.join(self)})"

    def _repr_html_(self) -> str:
        from hodgelet._html import several_html

        return several_html(self)

    def predict(self, X: Any) -> dict[str, NDArray[Any]]:
        """The most probable class, or the expected number, of each graph for each target."""
        batch = next(iter(self._estimators.values()))._batch(X)
        return {name: np.asarray(estimator.predict(batch)) for name, estimator in self.items()}

    def report(
        self,
        X: Any,
        targets: Any = None,
        path: str | os.PathLike[str] = "report.html",
        *,
        json: bool = False,
        names: Any = None,
        title: str = "graphs",
        force: bool = False,
    ) -> dict[str, str]:
        """Writes one page about all targets and the graphs ``X``; returns the verdict of each target.

        The page has an overview, and below it the report of the target that is chosen, as in
        `HodgeletClassifier.report`. ``targets`` are as in `fit_several`; those that are left out are predicted and not
        scored.
        """
        from hodgelet._report import asked_of, known_of

        first = next(iter(self._estimators.values()))
        batch = first._batch(X)
        asked = asked_of(batch, path, json=json, names=names, title=title, force=force)
        goals = []
        for name, values in ({} if targets is None else _by_name(targets)).items():
            if name not in self:
                raise HodgeletInputError(f"target `{name}`, but the models are of {', '.join(self)}")
            places, known = _known(str(name), values, len(batch))
            said = known_of(self[name], known)
            goals.append((str(name), places, said.get("classes"), said.get("labels"), said.get("values")))
        with Progress(first._verbose()) as progress:
            return dict(self._fitted.report(batch, asked, goals, first._threads(), progress.callback))

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Writes all models to one file, which the command and Rust read too."""
        self._fitted.save(os.fspath(path), force)


def fit_several(
    X: Any,
    targets: Any,
    *,
    kinds: Mapping[str, str] | None = None,
    sample_weight: Any = None,
    columns: Any = None,
    fingerprints: Any = None,
    grams: Any = None,
    **params: Any,
) -> SeveralModels:
    """Learns several targets of the graphs ``X`` together.

    Filters and kernels are trained on the sum over the targets, each over the graphs where it is known; every target
    has a posterior of its own. Up to 600 graphs of each target, predictions are averaged over the hyperparameters
    (``hyperparameters="map"`` takes the most probable ones).

    Parameters
    ----------
    X
        Graphs, as in `as_batch`.
    targets
        A mapping from name to values, or a data frame. ``None``, NaN, ``NaT`` and ``pandas.NA`` are not known; graphs
        of which no target is known are left out, with a warning that counts them.
    kinds
        ``"classes"`` or ``"numbers"`` by name; otherwise numbers with a fraction are numbers, all else classes.
    sample_weight
        How much each graph counts.
    columns, fingerprints, grams
        What is known of the graphs as a whole, as in `as_batch`.
    **params
        Parameters of `HodgeletClassifier`.

    Examples
    --------
    >>> import numpy as np
    >>> from hodgelet import fit_several
    >>> path = lambda n: (np.array([np.arange(n - 1), np.arange(1, n)]),)
    >>> lengths = np.arange(3, 15)
    >>> long = ["yes" if n > 8 else "no" for n in lengths]
    >>> long[2] = None
    >>> models = fit_several([path(n) for n in lengths], {"long": long, "length": lengths + 0.5})
    >>> models.predict([path(20)])["long"].tolist()
    ['yes']

    """
    from hodgelet import _native

    estimator = HodgeletClassifier(**params)
    batch = with_own(estimator._batch(X).to_learn_from(), columns, fingerprints, sample_weight, grams)
    known = {str(name): _known(str(name), values, len(batch)) for name, values in _by_name(targets).items()}
    batch, known = _targeted(batch, known)
    goals, classes = [], {}
    for name, (places, values) in known.items():
        goal, classes[name] = _goal(name, places, values, (kinds or {}).get(name))
        goals.append(goal)
        logger.info("target %s is known of %d of %d graphs", name, len(places), len(batch))
    with Progress(estimator._verbose()) as progress:
        settings = estimator._settings(estimator._seed())
        reading = reading_of(X, batch, estimator.get_params())
        fitted = _native.Models.fit(batch, settings, goals, reading, estimator._threads(), progress.callback)
    return _estimators(fitted, classes, {name: estimator.get_params()[name] for name in OF_INPUTS})


def load_several(path: str | os.PathLike[str]) -> SeveralModels:
    """The estimators of a file of several models from Python, Rust or the command."""
    from hodgelet import _native

    return _estimators(_native.Models.load(os.fspath(path)), {}, {})


def _estimators(
    fitted: _native.Models, classes: Mapping[str, NDArray[Any] | None], params: dict[str, Any]
) -> SeveralModels:
    found: dict[str, Estimators] = {}
    for place, name in enumerate(fitted.names()):
        model = fitted.model(place)
        if model.class_names() is None:
            found[name] = HodgeletRegressor._from_native(model, params)
        else:
            found[name] = HodgeletClassifier._of_model(model, name, classes.get(name), params)
    return SeveralModels(fitted, found)


def _by_name(targets: Any) -> Mapping[str, Any]:
    if isinstance(targets, Mapping):
        return targets
    if hasattr(targets, "columns") and hasattr(targets, "__getitem__"):  # a data frame
        return {str(name): targets[name] for name in targets.columns}
    raise HodgeletInputError(f"targets is a {type(targets).__name__}, expected a mapping or a data frame")


def _known(name: str, values: Any, n: int) -> Known:
    """Where a target is known, and what it is there."""
    listed = np.asarray(unmasked(values), dtype=object)
    if listed.shape != (n,):
        raise HodgeletInputError(f"target `{name}` has the shape {list(listed.shape)}, expected [{n}]")
    places = [i for i, value in enumerate(listed) if not is_missing(value)]
    if not places:
        raise HodgeletInputError(f"target `{name}` is not known of any graph")
    return places, plain_array([listed[i] for i in places])


def _targeted(batch: GraphBatch, known: dict[str, Known]) -> tuple[GraphBatch, dict[str, Known]]:
    """The graphs of which a target is known, and where the targets are among them; warns of the others."""
    kept = sorted({place for places, _ in known.values() for place in places})
    if not known or len(kept) == len(batch):
        return batch, known
    warn_untargeted(len(batch) - len(kept))
    new = {old: place for place, old in enumerate(kept)}
    moved = {name: ([new[place] for place in places], values) for name, (places, values) in known.items()}
    return batch.take(kept).to_learn_from(), moved


def _goal(name: str, places: list[int], known: NDArray[Any], kind: str | None) -> tuple[Any, NDArray[Any] | None]:
    if kind not in (None, "classes", "numbers"):
        raise HodgeletInputError(f"kinds: `{name}` is {kind!r}, expected 'classes' or 'numbers'")
    fractions = np.issubdtype(known.dtype, np.floating) and bool((known != np.floor(known)).any())
    if kind == "numbers" or (kind is None and fractions):
        return (name, places, None, None, finite_numbers(known)), None
    classes, labels, names = encode_classes(known)
    return (name, places, names, labels, None), classes
