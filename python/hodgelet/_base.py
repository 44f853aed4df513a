"""scikit-learn's conventions, without scikit-learn: parameters by name, tags, checks of targets."""

from __future__ import annotations

import inspect
import json
import logging
import os
import sys
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from hodgelet._batch import GraphBatch
from hodgelet._errors import HodgeletInputError, HodgeletWarning, not_fitted
from hodgelet._inputs import as_batch
from hodgelet._parameters import ALIASES, RENAMED
from hodgelet._progress import Progress
from hodgelet._results import Block, EnergyMeasures, FilterBank, blocks_of, filters_of, measures_of

if TYPE_CHECKING:
    from hodgelet import _native

__all__ = ["Estimator", "documented"]

Self = TypeVar("Self", bound="Estimator")

# Parameters that say how inputs are read or work is done, and not which model is trained.
OF_INPUTS = ("vertex_attrs", "edge_attrs", "oriented", "weights", "directed", "hypergraph")
_NOT_SETTINGS = {"auto", *OF_INPUTS, "n_jobs", "verbose", "output", "standardize"}

C = TypeVar("C", bound=type)

logger = logging.getLogger("hodgelet")


def documented(estimator: C) -> C:
    """Puts the generated descriptions of parameters into the docstring of an estimator."""
    parameters = next(base.__doc__ for base in estimator.__bases__ if base.__name__.endswith("Parameters"))
    if estimator.__doc__ and parameters:
        estimator.__doc__ = estimator.__doc__.replace("{parameters}", parameters.partition("\n\n")[2].strip())
    return estimator


class Estimator:
    """What the estimators share: parameters, inputs, blocks and features."""

    _fitted: _native.Model | _native.FeatureSpace

    def __new__(cls: type[Self], *args: Any, **params: Any) -> Self:
        """Refuses parameters that were renamed, and names the new ones."""
        for name in params:
            if name in RENAMED and name not in cls._get_param_names():
                raise TypeError(f"{cls.__name__} has no parameter {name!r}, which was renamed: use {RENAMED[name]}")
        return super().__new__(cls)

    @classmethod
    def _get_param_names(cls) -> list[str]:
        signature = inspect.signature(cls.__init__)
        return sorted(name for name in signature.parameters if name != "self")

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        parameters = inspect.signature(cls.__init__).parameters
        return {name: parameters[name].default for name in cls._get_param_names()}

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters of this estimator by name; ``deep`` is there for scikit-learn."""
        return {name: getattr(self, name) for name in self._get_param_names()}

    def set_params(self: Self, **params: Any) -> Self:
        """Sets parameters by name and returns the estimator.

        Raises
        ------
        HodgeletInputError
            For a name that is not a parameter.

        """
        known = self._get_param_names()
        for name, value in params.items():
            if name not in known and name in RENAMED:
                raise HodgeletInputError(f"Invalid parameter {name!r}, which was renamed: use {RENAMED[name]}")
            if name not in known:
                raise HodgeletInputError(
                    f"Invalid parameter {name!r} for estimator {type(self).__name__}; there are {', '.join(known)}"
                )
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = self._defaults()
        changed = {name: value for name, value in self.get_params().items() if not _same(value, defaults[name])}
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in changed.items())})"

    def _repr_html_(self) -> str:
        from hodgelet._html import estimator_html

        return estimator_html(self)

    def __sklearn_is_fitted__(self) -> bool:
        return "_fitted" in self.__dict__

    def __sklearn_tags__(self) -> Any:
        """Tags, made when scikit-learn asks for them."""
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=True),
            input_tags=InputTags(two_d_array=False),
            transformer_tags=TransformerTags(preserves_dtype=[]),
            no_validation=True,
            non_deterministic=False,
        )

    @property
    def blocks_(self) -> list[Block]:
        """Blocks of features, with their kernels if the estimator has any."""
        return blocks_of(self._native().blocks())

    @property
    def filters_(self) -> list[FilterBank]:
        """Banks of filters, one for each block that has one."""
        native = self._native()
        return filters_of(native.blocks(), native)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Names of the columns of ``transform``, such as ``edge exact | label=1 | filter 3``."""
        return np.array(self._native().names(), dtype=object)

    def measures(self, X: Any) -> EnergyMeasures:
        """Energy measures of graphs: eigenvalues and energies of every block."""
        native, batch = self._native(), self._batch(X)
        with Progress(self._verbose()) as progress:
            described, unknown = native.measures(batch, self._threads(), progress.callback)
        warn_unknown(unknown, native, batch)
        return measures_of(described)

    def _features(self, X: Any, standardize: bool) -> NDArray[np.float64]:
        native, batch = self._native(), self._batch(X)
        with Progress(self._verbose()) as progress:
            out: tuple[NDArray[np.float64], int] = native.features(
                batch, standardize, self._threads(), progress.callback
            )
        warn_unknown(out[1], native, batch)
        return out[0]

    def set_output(self: Self, *, transform: str | None = None) -> Self:
        """What ``transform`` gives: ``"default"`` for an array, ``"pandas"`` or ``"polars"`` for a data frame."""
        if transform not in (None, "default", "pandas", "polars"):
            raise HodgeletInputError(f"transform is {transform!r}, expected 'default', 'pandas' or 'polars'")
        if transform is not None:
            self._output_of_transform = transform
        return self

    def _framed(self, features: NDArray[np.float64]) -> NDArray[np.float64] | Any:
        """Features in the container that `set_output` asked for."""
        wanted = getattr(self, "_output_of_transform", "default")
        if wanted == "default":
            return features
        names = [str(name) for name in self.get_feature_names_out()]
        if wanted == "pandas":
            import pandas

            return pandas.DataFrame(features, columns=names)
        import polars

        return polars.DataFrame(features, schema=names, orient="row")

    @property
    def n_features_in_(self) -> int:
        """Number of columns that graphs become."""
        if not self.__sklearn_is_fitted__():
            raise AttributeError(f"{type(self).__name__} is not fitted")
        return len(self._native().names())

    def _native(self) -> Any:
        try:
            return self.__dict__["_fitted"]
        except KeyError:
            raise not_fitted(type(self).__name__) from None

    def _batch(self, X: Any) -> GraphBatch:
        params = self.get_params()
        batch = as_batch(X, **{name: params[name] for name in OF_INPUTS})
        if len(batch) == 0:
            raise HodgeletInputError("there are 0 graphs, expected at least 1")
        return batch

    def _settings(self, seed: int) -> str:
        """The parameters that say which model is trained, as JSON."""
        given = {**self.get_params(), "random_state": seed}
        if given.get("kernel") == "rbf":
            given["kernel"] = "se"
            logger.info("kernel 'rbf' is called 'se' here: the squared exponential")
        if given.get("class_weight", "equal") is None or isinstance(given.get("class_weight"), Mapping):
            given["class_weight"] = "equal"  # what a mapping says is in the weights of graphs
        settings = {ALIASES.get(name, name): value for name, value in given.items() if name not in _NOT_SETTINGS}
        try:
            return json.dumps(settings, default=_plain, allow_nan=False)
        except (TypeError, ValueError) as error:
            raise HodgeletInputError(f"the parameters of this {type(self).__name__} cannot be read: {error}") from None

    def _threads(self) -> int | None:
        """Number of threads; none for all processors."""
        n_jobs = self.get_params()["n_jobs"]
        if n_jobs is None or n_jobs == -1:
            return None
        if not isinstance(n_jobs, (int, np.integer)) or n_jobs == 0:
            raise HodgeletInputError(f"n_jobs is {n_jobs!r}, expected a whole number other than 0, or None")
        return int(n_jobs) if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + int(n_jobs))

    def _verbose(self) -> int:
        return int(self.get_params()["verbose"])

    def _seed(self) -> int:
        """The seed of what is drawn: a number as it is, otherwise drawn from what ``random_state`` stands for."""
        state = self.get_params()["random_state"]
        if isinstance(state, (int, np.integer)) and not isinstance(state, bool):
            if not 0 <= state < 2**64:
                raise HodgeletInputError(f"random_state is {state}, expected 0 to {2**64 - 1}")
            return int(state)
        if state is None:
            return int(np.random.randint(2**31))
        if isinstance(state, np.random.RandomState):
            return int(state.randint(2**31))
        if isinstance(state, np.random.Generator):
            return int(state.integers(2**63))
        raise HodgeletInputError(f"random_state is {state!r}, expected a number, RandomState, Generator or None")


def check_targets(y: Any, n: int, estimator: str) -> NDArray[Any]:
    """Targets as an array with one axis and ``n`` entries."""
    if y is None:
        raise HodgeletInputError(f"This {estimator} estimator requires y to be passed, but the target y is None.")
    targets = _array_of(y)
    if targets.ndim == 2 and targets.shape[1] == 1:
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected.",
            _sklearn_warning("DataConversionWarning"),
            stacklevel=_outside(),
        )
        targets = targets[:, 0]
    if targets.ndim != 1:
        raise HodgeletInputError(f"y has the shape {list(targets.shape)}, expected one target per graph")
    if len(targets) != n:
        raise HodgeletInputError(f"y has {len(targets)} targets, but there are {n} graphs")
    if np.iscomplexobj(targets):
        raise HodgeletInputError("Complex data not supported: y holds complex numbers")
    return targets


def is_missing(value: Any) -> bool:
    """Whether a target is not there: None, NaN, NaT, or the missing value of pandas or of a masked array."""
    if value is None or value is np.ma.masked or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return bool(np.isnat(value))
    return isinstance(value, (float, np.floating)) and bool(np.isnan(value))


def known_targets(targets: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Where targets are known, and what they are there; warns of those that are not.

    Raises
    ------
    HodgeletInputError
        When no target is known.

    """
    places = _places(targets)
    if len(places) == len(targets):
        return places, targets
    if len(places) == 0:
        raise HodgeletInputError(f"y has no target: Input y contains NaN or None for all {len(targets)} graphs")
    known = plain_array(targets[places].tolist()) if targets.dtype == object else targets[places]
    if known.dtype.kind == "f":
        _check_finite(known, places)
    warn_untargeted(len(targets) - len(places))
    return places, known


def plain_array(values: list[Any]) -> NDArray[Any]:
    """Values as an array of their type; of objects where text and anything else are mixed, which are not the same."""
    found = np.asarray(values)
    mixed = found.dtype.kind in "US" and not all(isinstance(value, (str, bytes)) for value in values)
    return np.asarray(values, dtype=object) if mixed else found


def unmasked(y: Any) -> Any:
    """What is given, with None in place of what is masked."""
    if not isinstance(y, np.ma.MaskedArray):
        return y
    values = np.asarray(y.data, dtype=object).copy()
    values[np.ma.getmaskarray(y)] = None
    return values


def _array_of(y: Any) -> NDArray[Any]:
    """An array in which missing values are still missing: among text, NaN would become text too."""
    y = unmasked(y)
    if isinstance(y, (list, tuple)) and any(map(is_missing, y)):
        return np.asarray(y, dtype=object)
    return np.asarray(y)


def _places(targets: NDArray[Any]) -> NDArray[np.int64]:
    if targets.dtype.kind == "f":
        missing = np.isnan(targets)
    elif targets.dtype.kind in "mM":
        missing = np.isnat(targets)
    elif targets.dtype == object:
        missing = np.fromiter(map(is_missing, targets), bool, len(targets))
    else:
        missing = np.zeros(len(targets), dtype=bool)
    return np.flatnonzero(~missing)


def finite_numbers(targets: NDArray[Any]) -> NDArray[np.float64]:
    """Real targets, all finite."""
    try:
        values = np.ascontiguousarray(targets, dtype=np.float64)
    except (TypeError, ValueError):
        raise HodgeletInputError(f"y holds {targets.dtype}, expected real numbers") from None
    _check_finite(values, np.arange(len(values)))
    return values


def _check_finite(values: NDArray[np.floating[Any]], places: NDArray[np.int64]) -> None:
    """Refuses numbers that are not finite; ``places`` are where they are in what was given."""
    wrong = np.flatnonzero(~np.isfinite(values))
    if len(wrong):
        i, found = places[wrong[0]], values[wrong[0]]
        raise HodgeletInputError(f"y[{i}] is {found}: Input y contains NaN or infinity, expected finite numbers")


def encode_classes(targets: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.uint32], list[str]]:
    """Classes in order, the number of each target's class, and the names that go into model files."""
    if np.issubdtype(targets.dtype, np.floating):
        finite_numbers(targets)
        if (targets != np.floor(targets)).any():
            raise HodgeletInputError("Unknown label type: y is continuous, expected classes; is this a regression?")
    try:
        classes, labels = np.unique(targets, return_inverse=True)
    except TypeError:
        raise HodgeletInputError("y mixes labels that cannot be put in order, such as numbers and text") from None
    names = [str(int(c)) if isinstance(c, np.floating) else str(c) for c in classes]
    return classes, np.ascontiguousarray(labels, dtype=np.uint32), names


def classes_from_names(names: list[str]) -> NDArray[Any]:
    """Classes from the names in a model file: numbers if all of them are, truth values, or text."""
    if all(name.lstrip("-").isdigit() and str(int(name)) == name for name in names):
        return np.array([int(name) for name in names])
    if set(names) <= {"False", "True"}:
        return np.array([name == "True" for name in names])
    return np.array(names)


def accuracy(truth: NDArray[Any], predicted: NDArray[Any], sample_weight: Any) -> float:
    """Share of correct predictions."""
    return float(np.average(truth == predicted, weights=sample_weight))


def r2(truth: NDArray[np.float64], predicted: NDArray[np.float64], sample_weight: Any) -> float:
    """Coefficient of determination, with scikit-learn's answers where the truth does not vary."""
    weights = np.ones(len(truth)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    left = float(np.sum(weights * (truth - predicted) ** 2))
    whole = float(np.sum(weights * (truth - np.average(truth, weights=weights)) ** 2))
    if whole == 0.0:
        return 1.0 if left == 0.0 else 0.0
    return 1.0 - left / whole


def warn_unknown(unknown: int, native: Any = None, batch: Any = None) -> None:
    """Warns of labels that were not in the training data, by name where the model can say them."""
    if not unknown:
        return
    message = f"{unknown} labels of cells are new to the model and were left out"
    if hasattr(native, "new_labels"):
        found = native.new_labels(batch)
        named = [f"{label!r} of {column!r} on {cells} cells" for _, column, label, cells in found[:5]]
        more = f" and {len(found) - 5} others" if len(found) > 5 else ""
        message += f": {', '.join(named)}{more}" if named else ""
    warnings.warn(message, HodgeletWarning, stacklevel=_outside())


def warn_not_converged(steps: int) -> None:
    """Warns that training used up its steps, as scikit-learn does."""
    message = f"training used up its {steps} steps before it converged; raise max_iter"
    warnings.warn(message, _sklearn_warning("ConvergenceWarning"), stacklevel=_outside())


def warn_untargeted(count: int) -> None:
    """Warns of graphs that nothing can be learned from."""
    warnings.warn(f"{count} graphs without a target were left out", HodgeletWarning, stacklevel=_outside())


def warn_constant(channels: list[str]) -> None:
    """Warns of channels that the model cannot see."""
    if channels:
        message = f"{len(channels)} channels have values, but no feature that varies: {', '.join(channels)}"
        warnings.warn(message, HodgeletWarning, stacklevel=_outside())


def warn_all(notes: list[str]) -> None:
    """Warns of what the native code notes."""
    for note in notes:
        warnings.warn(note, HodgeletWarning, stacklevel=_outside())


def _outside() -> int:
    """How many frames above the caller the code of the user is."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("hodgelet."):
        level, frame = level + 1, frame.f_back
    return level


def _plain(value: Any) -> Any:
    """Values that JSON cannot represent: numbers and arrays of NumPy."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (np.ndarray, set, frozenset, range)):
        return list(value)
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{value!r} is of type {type(value).__name__}")


def _same(a: Any, b: Any) -> bool:
    try:
        return a is b or bool(a == b)
    except (TypeError, ValueError):
        return False


def _sklearn_warning(name: str) -> type[Warning]:
    """The class scikit-learn warns with, if it is loaded."""
    found = getattr(sys.modules.get("sklearn.exceptions"), name, HodgeletWarning)
    return found if isinstance(found, type) and issubclass(found, Warning) else HodgeletWarning
