"""Classification of graphs."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hodgelet._base import accuracy, check_targets, classes_from_names, documented, encode_classes, known_targets
from hodgelet._errors import HodgeletInputError
from hodgelet._parameters import ClassifierParameters
from hodgelet._regions import ClassSets, common
from hodgelet._results import Novelty, Prediction
from hodgelet._supervised import Floats, Supervised

if TYPE_CHECKING:
    from hodgelet import _native

__all__ = ["HodgeletClassifier"]


@documented
class HodgeletClassifier(ClassifierParameters, Supervised):
    """Gaussian process classification of graphs on Hodge-decomposed spectral wavelet features.

    {parameters}

    Attributes
    ----------
    classes_ : array
        The classes, in the order of probabilities.
    n_graphs_in_ : int
        Number of training graphs.
    threshold_ : float or None
        The probability from which on the second of two classes is predicted, if ``threshold`` says how to choose one.
    search_ : list of dict
        With ``auto``, every answer tried: the change, its log probability, its gain and the standard error of that,
        if it was kept.

    Examples
    --------
    Rings against paths, by their degrees:

    >>> import numpy as np
    >>> from hodgelet import HodgeletClassifier
    >>> ring = lambda n: (np.array([np.arange(n), (np.arange(n) + 1) % n]),)
    >>> path = lambda n: (np.array([np.arange(n - 1), np.arange(1, n)]),)
    >>> graphs = [ring(n) for n in range(4, 10)] + [path(n) for n in range(4, 10)]
    >>> labels = ["ring"] * 6 + ["path"] * 6
    >>> model = HodgeletClassifier(vertices="degree").fit(graphs, labels)
    >>> model.predict([ring(12), path(12)]).tolist()
    ['ring', 'path']
    >>> model.predict_proba([ring(12)]).shape
    (1, 2)
    >>> [block.name for block in model.blocks_]
    ['vertex co-exact', 'vertex harmonic']

    """

    _estimator_type = "classifier"
    classes_: NDArray[Any]

    @property
    def threshold_(self) -> float | None:
        """The probability from which on the second of two classes is predicted; none for the more probable class."""
        native = self._native()
        if json.loads(native.description())["settings"].get("threshold") is None:
            return None
        found = _description_in_file(native.to_bytes()).get("threshold")
        return None if found is None else float(found)

    def __sklearn_tags__(self) -> Any:
        """Tags, made when scikit-learn asks for them."""
        from sklearn.utils import ClassifierTags

        tags = super().__sklearn_tags__()
        tags.estimator_type, tags.classifier_tags = "classifier", ClassifierTags()
        return tags

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        columns: Any = None,
        fingerprints: Any = None,
        grams: Any = None,
    ) -> HodgeletClassifier:
        """Learns the classes ``y`` of the graphs ``X``.

        Graphs whose target is missing (NaN, ``None``, ``pandas.NA`` or ``NaT``) are left out, with a warning that
        counts them.

        ``sample_weight`` multiplies the terms of the graphs in the log likelihood; ``class_weight`` may be a mapping
        from class to weight. ``columns``, ``fingerprints`` and ``grams`` are what is known of the graphs as a whole,
        as in `as_batch`; `new_batch` says which Gram matrix new graphs need.

        Raises
        ------
        HodgeletInputError
            When graphs, targets or parameters are invalid.
        KeyboardInterrupt
            On Ctrl-C; the estimator is then as it was before.

        """
        found: list[NDArray[Any]] = []

        def targets(y: NDArray[Any]) -> dict[str, Any]:
            classes, labels, names = encode_classes(y)
            if len(classes) < 2:
                raise HodgeletInputError(f"y has one class, {classes[0]!r}; expected at least two classes")
            found.append(classes)
            return {"classes": names, "labels": labels}

        self._train(X, y, targets, columns, fingerprints, sample_weight, grams)
        self.classes_ = found[0]
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> HodgeletClassifier:
        """Adds graphs to what is learned from, hyperparameters held; the first call is `fit`.

        A full posterior becomes that of all graphs, a sparse one holds what earlier graphs said. A guarantee of
        ``conformal`` is lost. ``classes`` is there for scikit-learn; the first call decides which there are.
        """
        if not self.__sklearn_is_fitted__():
            return self.fit(X, y)

        def targets(y: NDArray[Any]) -> dict[str, Any]:
            names = self._native().class_names() or []
            known = {value: place for place, value in enumerate(self.classes_.tolist())}
            new = sorted({value for value in y.tolist() if value not in known}, key=str)
            if new:
                raise HodgeletInputError(f"y has the class {new[0]!r}, which is new to the model: fit it to all graphs")
            return {"classes": names, "labels": np.array([known[v] for v in y.tolist()], dtype=np.uint32)}

        self._add(X, y, targets)
        return self

    def predict(self, X: Any, *, columns: Any = None, fingerprints: Any = None, grams: Any = None) -> NDArray[Any]:
        """The most probable class of each graph, or the second of two from the probability `threshold_` on."""
        labels = self.predict_full(X, columns=columns, fingerprints=fingerprints, grams=grams).labels
        assert labels is not None, "a classifier predicts classes"
        return labels

    def predict_proba(self, X: Any, *, columns: Any = None, fingerprints: Any = None, grams: Any = None) -> Floats:
        """Probabilities of the classes, ``[n_graphs, n_classes]``."""
        probabilities = self.predict_full(X, columns=columns, fingerprints=fingerprints, grams=grams).probabilities
        assert probabilities is not None, "a classifier predicts probabilities"
        return probabilities

    def decision_function(self, X: Any) -> Floats:
        """Log odds of the second of two classes, otherwise the log probability of each class.

        Where there is a `threshold_`, its own log odds are taken off, so that what is positive is predicted as the
        second class in any case. Latent means, which know nothing of their uncertainty, are in `predict_full`.
        """
        threshold = self.threshold_
        if threshold is None:
            logs = self.predict_log_proba(X)
            return logs[:, 1] - logs[:, 0] if logs.shape[1] == 2 else logs
        full = self.predict_full(X)
        assert full.probabilities is not None and full.labels is not None, "a classifier predicts classes"
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(full.probabilities)
            odds = logs[:, 1] - logs[:, 0] - np.log(threshold) + np.log1p(-threshold)
        # At the threshold itself, and where both are certain, the sign is that of the prediction.
        odds = np.where(np.isnan(odds), 0.0, odds)
        least = np.finfo(np.float64).tiny
        return np.where(full.labels == self.classes_[1], np.maximum(odds, least), np.minimum(odds, 0.0))

    def predict_log_proba(self, X: Any) -> Floats:
        """Logarithms of the probabilities."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict_set(self, X: Any, coverage: float = 0.9) -> ClassSets:
        """The set of classes of each graph that holds its class with probability ``coverage``.

        With ``conformal`` this is guaranteed for graphs exchangeable with the training graphs (for ``"cv-plus"``,
        `ClassSets.guaranteed` is what is proven); otherwise it is the fewest classes whose probabilities reach
        ``coverage``, and rests on the model alone. `ClassSets.basis` says which.
        """
        out = self._regions(X, coverage)
        return ClassSets(**common(out, out["coverage"]), classes=self.classes_, members=out["members"] > 0)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Share of graphs whose class is predicted correctly, among those that have one."""
        predicted = self.predict(X)
        places, truth = known_targets(check_targets(y, len(predicted), type(self).__name__))
        weights = None if sample_weight is None else np.asarray(sample_weight)[places]
        return accuracy(truth, predicted[places], weights)

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, classes: Any = None, **params: Any) -> HodgeletClassifier:
        """A classifier from a model file.

        Files hold the names of classes. Names that are all whole numbers become numbers; ``classes``, in the order of
        the file, gives the classes otherwise. ``params`` such as ``n_jobs`` go to the constructor.
        """
        from hodgelet import _native

        return cls._of_model(_native.Model.load(os.fspath(path)), path, classes, params)

    @classmethod
    def _of_model(
        cls, fitted: _native.Model, path: str | os.PathLike[str], classes: Any, params: dict[str, Any]
    ) -> HodgeletClassifier:
        names = fitted.class_names()
        if names is None:
            raise HodgeletInputError(f"{path} predicts real numbers, expected classes; use `HodgeletRegressor.load`")
        estimator = cls._from_native(fitted, params)
        estimator.classes_ = _named_classes(names, classes)
        return estimator

    def _prediction(self, out: dict[str, Any]) -> Prediction:
        return Prediction(
            out["latent_mean"],
            out["latent_variance"],
            out["blocks"],
            out["attributions"],
            out["unknown"],
            classes=self.classes_,
            labels=self.classes_[out["labels"]],
            probabilities=out["probabilities"],
            novelty=Novelty(**out["novelty"]),
        )


def _description_in_file(content: bytes) -> dict[str, Any]:
    """What a model file says of the model: safetensors begin with the length of a header, in which it is text."""
    length = int.from_bytes(content[:8], "little")
    description: dict[str, Any] = json.loads(json.loads(content[8 : 8 + length])["__metadata__"]["model"])
    return description


def _named_classes(names: list[str], classes: Any) -> NDArray[Any]:
    if classes is None:
        return classes_from_names(names)
    given = np.asarray(classes)
    if given.shape != (len(names),):
        raise HodgeletInputError(f"{given.size} classes, but the model has {len(names)}: {', '.join(names)}")
    return given
