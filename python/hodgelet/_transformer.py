"""Hodgelet features and energy measures for any other model."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hodgelet._base import Estimator, documented
from hodgelet._errors import HodgeletInputError
from hodgelet._parameters import TransformerParameters
from hodgelet._progress import Progress

__all__ = ["HodgeletTransformer"]

Floats = NDArray[np.float64]


@documented
class HodgeletTransformer(TransformerParameters, Estimator):
    """Features of graphs under filters that are drawn and not trained, or the energy measures below them.

    {parameters}

    Attributes
    ----------
    n_graphs_in_ : int
        Number of graphs seen by ``fit``.

    Examples
    --------
    >>> import numpy as np
    >>> from hodgelet import HodgeletTransformer
    >>> ring = lambda n: (np.array([np.arange(n), (np.arange(n) + 1) % n]), np.cos(np.arange(n)))
    >>> features = HodgeletTransformer(vertices="attributes").fit_transform([ring(n) for n in range(4, 10)])
    >>> features.shape
    (6, 11)

    """

    n_graphs_in_: int

    def __sklearn_tags__(self) -> Any:
        """Tags, made when scikit-learn asks for them."""
        tags = super().__sklearn_tags__()
        tags.estimator_type, tags.target_tags.required = "transformer", False
        return tags

    def fit(self, X: Any, y: Any = None) -> HodgeletTransformer:
        """Fits signals and standardization on the graphs ``X`` and draws the filters; ``y`` is ignored."""
        from hodgelet import _native

        if self.output not in ("features", "measures"):
            raise HodgeletInputError(f'output is {self.output!r}, expected "features" or "measures"')
        batch = self._batch(X).to_learn_from()
        settings = self._settings(self._seed())
        with Progress(self._verbose()) as progress:
            self._fitted = _native.FeatureSpace.fit(batch, settings, self._threads(), progress.callback)
        self.n_graphs_in_ = len(batch)
        return self

    def transform(self, X: Any) -> Floats | Any:
        """Features ``[n_graphs, n_columns]`` of graphs in what `set_output` says, or their energy measures."""
        if self.output == "measures":
            return self.measures(X)
        return self._framed(self._features(X, standardize=self.standardize))

    def fit_transform(self, X: Any, y: Any = None) -> Floats | Any:
        """Fits on the graphs ``X`` and transforms them."""
        batch = self._batch(X)
        return self.fit(batch, y).transform(batch)
