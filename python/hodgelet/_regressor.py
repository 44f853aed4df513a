"""Regression of graphs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from hodgelet._base import check_targets, finite_numbers, r2
from hodgelet._errors import HodgeletInputError
from hodgelet._results import Prediction
from hodgelet._supervised import Supervised

__all__ = ["HodgeletRegressor"]


class HodgeletRegressor(Supervised):
    """Gaussian process regression of a real number of each graph on Hodge-decomposed spectral wavelet features.

    Parameters
    ----------
    method : {"hodge", "wt", "line-graph", "fourier"}
        Wavelets on Hodge components; wavelets on vertices without the split; the same on the line graph; cumulative
        spectral energy.
    faithful : bool
        Settings of the published code: its likelihoods, lengthscales from 1, no priors.
    auto : bool
        Whether other settings (Laplacian, signals, blocks, kernel, lengthscales, filters, starts) are
        tried, and kept where they raise the probability of training targets, by models fitted without them, by more
        than one standard error. ``search_`` then says what was tried.
    vertices : str, optional
        ``"reference"``, ``"degree-one-hot"``, ``"degree"``, ``"constant"``, ``"curvature"``, ``"structure"``,
        ``"attributes"`` or ``"none"``.
        Signal on vertices. By default ``"reference"`` (one-hot degrees beside attributes and labels), and none where
        edges carry a flow and vertices nothing of their own.
    edges, higher : str
        Signal on edges, and on cells of dimension 2 or more: ``"auto"`` (attributes and labels if there are any),
        ``"columns"``, ``"constant"``, ``"degree"``, ``"curvature"``, ``"structure"``, ``"auto-structure"`` or
        ``"none"``.
    max_degree : int, optional
        In place of the 99th percentile of the training degrees.
    laplacian : str, optional
        ``"combinatorial"`` (the default with the split), ``"normalized"`` (without), ``"normalized-hodge"``,
        ``"random-walk"``, or ``"dec"``, ``"dec-circumcentric"`` and ``"dec-median"``, the metric of the vertices'
        ``position``.
    split : bool, optional
        Whether signals are split into their Hodge components; as the method has it by default.
    dims : sequence of int, optional
        Dimensions whose signals are used; all that carry one by default.
    without : sequence of str
        Blocks that are left out, such as ``["edge harmonic"]``.
    signed : str or list of cycles, optional
        Signed features of flows, for graphs that are one complex: ``"harmonic"``, ``"harmonic:EXACT,COEXACT"`` with so
        many of the lowest eigenvectors, or closed walks, each a list of vertices.
    signed_only : bool
        Whether energies are left out beside signed features.
    cliques : int
        Cliques of a graph become simplices up to this dimension; 1 leaves graphs as they are.
    n_filters, n_bands : int
        Filters in each block, and band-pass terms in each filter.
    low_pass : {"rational", "heat", "meyer", "ab-spline", "none"}
    band_pass : {"mexican-hat", "ricker", "heat", "meyer", "ab-spline", "itersine"}
        Families of the terms of a filter.
    low_pass_scales, band_pass_scales : pair of float
        Ranges from which initial scales are drawn.
    scales : str, optional
        ``"spectrum"`` spreads the initial scales over the eigenvalues of the training graphs, ``"reference"`` leaves
        them as they are drawn, made for eigenvalues up to 2. The default is the first, and the second with
        ``faithful``.
    shared_bank : bool
        Whether all blocks share one bank of filters.
    n_points : int, optional
        Points on the spectrum of ``method="fourier"``.
    kernel : str
        ``"se"``, ``"matern12"``, ``"matern32"``, ``"matern52"``, ``"matern:NU"``, ``"rq"``, ``"linear"`` or
        ``"poly:DEGREE"``.
    lengthscales : {"isotropic", "per-channel", "ard"}
    initial_lengthscale : float, optional
        The root of the number of varying columns by default.
    prior_deviation : float, optional
        Deviation, in the logarithm, of the priors around the initial hyperparameters; ``None`` turns them off.
    restarts, max_iter, tol, time_limit
        Starts from different scales, most steps of the optimizer, its tolerance, most seconds of each start.
    collapse : bool
        Whether graphs with equal features share one latent value.
    vertex_attrs, edge_attrs, oriented
        Which attributes of vertices and edges are read and which of them are flows, see `hodgelet.as_batch`.
    random_state : int, RandomState, Generator or None
        Seed of the initial scales; ``None`` draws one from NumPy.
    n_jobs : int, optional
        Number of threads; all processors by default. Results do not depend on it.
    verbose : int
        Whether progress is shown, with tqdm where it is installed.

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

    def __init__(
        self,
        *,
        method: str = "hodge",
        faithful: bool = False,
        auto: bool = False,
        vertices: str | None = None,
        edges: str = "auto",
        higher: str = "auto",
        max_degree: int | None = None,
        laplacian: str | None = None,
        split: bool | None = None,
        dims: Sequence[int] | None = None,
        without: Sequence[str] = (),
        signed: Any = None,
        signed_only: bool = False,
        cliques: int = 2,
        n_filters: int = 10,
        n_bands: int = 3,
        low_pass: str = "rational",
        band_pass: str = "mexican-hat",
        low_pass_scales: tuple[float, float] = (4.0, 6.0),
        band_pass_scales: tuple[float, float] = (0.1, 5.0),
        scales: str | None = None,
        shared_bank: bool = False,
        n_points: int | None = None,
        kernel: str = "se",
        lengthscales: str = "isotropic",
        initial_lengthscale: float | None = None,
        prior_deviation: float | None = 1.0,
        restarts: int = 1,
        max_iter: int = 60,
        tol: float = 1e-6,
        time_limit: float | None = None,
        collapse: bool = True,
        vertex_attrs: Any = None,
        edge_attrs: Any = None,
        oriented: Sequence[str] = (),
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.method = method
        self.faithful = faithful
        self.auto = auto
        self.vertices = vertices
        self.edges = edges
        self.higher = higher
        self.max_degree = max_degree
        self.laplacian = laplacian
        self.split = split
        self.dims = dims
        self.without = without
        self.signed = signed
        self.signed_only = signed_only
        self.cliques = cliques
        self.n_filters = n_filters
        self.n_bands = n_bands
        self.low_pass = low_pass
        self.band_pass = band_pass
        self.low_pass_scales = low_pass_scales
        self.band_pass_scales = band_pass_scales
        self.scales = scales
        self.shared_bank = shared_bank
        self.n_points = n_points
        self.kernel = kernel
        self.lengthscales = lengthscales
        self.initial_lengthscale = initial_lengthscale
        self.prior_deviation = prior_deviation
        self.restarts = restarts
        self.max_iter = max_iter
        self.tol = tol
        self.time_limit = time_limit
        self.collapse = collapse
        self.vertex_attrs = vertex_attrs
        self.edge_attrs = edge_attrs
        self.oriented = oriented
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        """Tags, made when scikit-learn asks for them."""
        from sklearn.utils import RegressorTags

        tags = super().__sklearn_tags__()
        tags.estimator_type, tags.regressor_tags = "regressor", RegressorTags()
        return tags

    def fit(self, X: Any, y: Any) -> HodgeletRegressor:
        """Learns the numbers ``y`` of the graphs ``X``; raises as `HodgeletClassifier.fit` does."""
        self._train(X, y, lambda y: {"values": finite_numbers(y)})
        return self

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """The expected number of each graph; with ``return_std`` also the deviation of a new observation."""
        out = self.predict_full(X)
        return (out.mean, out.std) if return_std else out.mean

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Coefficient of determination R²."""
        predicted = self.predict(X)
        truth = finite_numbers(check_targets(y, len(predicted), type(self).__name__))
        return r2(truth, predicted, sample_weight)

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
        )
