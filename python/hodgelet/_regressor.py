"""Regression of graphs."""

from __future__ import annotations

import os
from typing import Any, Literal, overload

import numpy as np

from hodgelet._base import check_targets, documented, finite_numbers, known_targets, r2
from hodgelet._errors import HodgeletInputError
from hodgelet._parameters import RegressorParameters
from hodgelet._regions import Intervals, common
from hodgelet._results import Novelty, Prediction
from hodgelet._supervised import Floats, Supervised

__all__ = ["HodgeletRegressor"]

#: Logarithm of the largest rate that NumPy draws counts of.
LARGEST_LOG_RATE = 43.0


@documented
class HodgeletRegressor(RegressorParameters, Supervised):
    """Gaussian process regression of a real number of each graph on Hodge-decomposed spectral wavelet features.

    {parameters}

    Attributes
    ----------
    n_graphs_in_ : int
        Number of training graphs.
    search_ : list of dict
        With ``auto``, every answer tried: the change, its log probability, its gain and the standard error of that,
        if it was kept.

    Examples
    --------
    How long a path is, from the degrees of its vertices:

    >>> import numpy as np
    >>> from hodgelet import HodgeletRegressor
    >>> path = lambda n: (np.array([np.arange(n - 1), np.arange(1, n)]),)
    >>> lengths = np.array([2, 3, 4, 5, 6, 8, 9, 10, 11, 12])
    >>> model = HodgeletRegressor(vertices="degree").fit([path(n) for n in lengths], lengths)
    >>> mean, std = model.predict([path(7)], return_std=True)
    >>> bool(abs(mean[0] - 7) < 0.5), bool(std[0] > 0)
    (True, True)

    """

    _estimator_type = "regressor"

    def __sklearn_tags__(self) -> Any:
        """Tags, made when scikit-learn asks for them."""
        from sklearn.utils import RegressorTags

        tags = super().__sklearn_tags__()
        tags.estimator_type, tags.regressor_tags = "regressor", RegressorTags()
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
    ) -> HodgeletRegressor:
        """Learns the numbers ``y`` of the graphs ``X``.

        Targets that are missing, weights and errors are as in `HodgeletClassifier.fit`.
        """
        self._train(X, y, lambda y: {"values": finite_numbers(y)}, columns, fingerprints, sample_weight, grams)
        return self

    def partial_fit(self, X: Any, y: Any) -> HodgeletRegressor:
        """Adds graphs to what is learned from, hyperparameters held; the first call is `fit`."""
        if not self.__sklearn_is_fitted__():
            return self.fit(X, y)
        self._add(X, y, lambda y: {"values": finite_numbers(y)})
        return self

    @overload
    def predict(
        self,
        X: Any,
        return_std: Literal[False] = False,
        return_cov: Literal[False] = False,
        *,
        columns: Any = None,
        fingerprints: Any = None,
        grams: Any = None,
    ) -> Floats: ...

    @overload
    def predict(
        self,
        X: Any,
        return_std: Literal[True],
        return_cov: Literal[False] = False,
        *,
        columns: Any = None,
        fingerprints: Any = None,
        grams: Any = None,
    ) -> tuple[Floats, Floats]: ...

    @overload
    def predict(
        self,
        X: Any,
        return_std: Literal[False] = False,
        *,
        return_cov: Literal[True],
        columns: Any = None,
        fingerprints: Any = None,
        grams: Any = None,
    ) -> tuple[Floats, Floats]: ...

    @overload
    def predict(
        self,
        X: Any,
        return_std: bool = False,
        return_cov: bool = False,
        *,
        columns: Any = None,
        fingerprints: Any = None,
        grams: Any = None,
    ) -> Floats | tuple[Floats, Floats]: ...

    def predict(
        self,
        X: Any,
        return_std: bool = False,
        return_cov: bool = False,
        *,
        columns: Any = None,
        fingerprints: Any = None,
        grams: Any = None,
    ) -> Floats | tuple[Floats, Floats]:
        """The expected number of each graph.

        With ``return_std`` also the standard deviation of a new observation, with ``return_cov`` the covariance of new
        observations of all graphs ``[n_graphs, n_graphs]``.
        """
        if return_std and return_cov:
            raise HodgeletInputError("return_std and return_cov are both true, expected at most one")
        batch = self.new_batch(X, columns=columns, fingerprints=fingerprints, grams=grams)
        out = self.predict_full(batch)
        assert out.mean is not None, "a regressor predicts numbers"
        if return_cov:
            return out.mean, self._native().covariance(batch, self._threads())
        return (out.mean, out.std) if return_std else out.mean

    def sample_y(self, X: Any, n_samples: int = 1, random_state: Any = 0) -> Floats:
        """Draws of new observations, ``[n_graphs, n_samples]``.

        They are normal, of all graphs together, with the mean and covariance of `predict`. With ``noise="poisson"``
        they are counts, of each graph by itself: Poisson, with rates whose logarithm is normal, such that the mean and
        the standard deviation are those of `predict`.
        """
        rng = random_state if hasattr(random_state, "multivariate_normal") else np.random.RandomState(random_state)
        if self.likelihood_["type"] == "poisson":
            return _counts(rng, *self.predict(X, return_std=True), n_samples)
        mean, covariance = self.predict(X, return_cov=True)
        draws: Floats = rng.multivariate_normal(mean, covariance, n_samples).T
        return draws

    def predict_interval(self, X: Any, coverage: float = 0.9) -> Intervals:
        """The interval of each graph that holds its number with probability ``coverage``.

        With ``conformal`` this is guaranteed for graphs exchangeable with the training graphs (for ``"cv-plus"``,
        `Intervals.guaranteed` is what is proven); otherwise it is the central interval of the model, and rests on the
        model alone. `Intervals.basis` says which.
        """
        out = self._regions(X, coverage)
        return Intervals(**common(out, out["coverage"]), lower=out["lower"], upper=out["upper"])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Coefficient of determination R², over the graphs that have a target."""
        predicted = self.predict(X)
        places, known = known_targets(check_targets(y, len(predicted), type(self).__name__))
        weights = None if sample_weight is None else np.asarray(sample_weight)[places]
        return r2(finite_numbers(known), predicted[places], weights)

    @classmethod
    def load(cls, path: str | os.PathLike[str], **params: Any) -> HodgeletRegressor:
        """A regressor from a model file; ``params`` such as ``n_jobs`` go to the constructor."""
        from hodgelet import _native

        fitted = _native.Model.load(os.fspath(path))
        if fitted.class_names() is not None:
            raise HodgeletInputError(f"{path} predicts classes, expected numbers; use `HodgeletClassifier.load`")
        return cls._from_native(fitted, params)

    def _prediction(self, out: dict[str, Any]) -> Prediction:
        return Prediction(
            out["latent_mean"],
            out["latent_variance"],
            out["blocks"],
            out["attributions"],
            out["unknown"],
            mean=out["mean"],
            variance=out["variance"],
            novelty=Novelty(**out["novelty"]),
        )


def _counts(rng: Any, mean: Floats, std: Floats, n_samples: int) -> Floats:
    """Draws of counts ``[n_graphs, n_samples]`` whose rates are log-normal.

    A rate with the logarithm ``N(m, v)`` has the mean ``e^(m + v/2)``, which is that of the count, and the variance
    ``mean^2 (e^v - 1)``, to which the count adds its mean.
    """
    spread = np.log1p(np.maximum(std**2 - mean, 0.0) / mean**2)
    logs = (np.log(mean) - 0.5 * spread)[:, None] + np.sqrt(spread)[:, None] * rng.standard_normal(
        (len(mean), n_samples)
    )
    return np.asarray(rng.poisson(np.exp(np.minimum(logs, LARGEST_LOG_RATE))), dtype=np.float64)
