"""Hodgelet features and energy measures for any other model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hodgelet._base import Estimator
from hodgelet._errors import HodgeletInputError
from hodgelet._progress import Progress

__all__ = ["HodgeletTransformer"]


class HodgeletTransformer(Estimator):
    """Features of graphs under filters that are drawn and not trained, or the energy measures below them.

    Parameters
    ----------
    method : {"hodge", "wt", "line-graph", "fourier"}
        Wavelets on Hodge components; wavelets on vertices without the split; the same on the line graph; cumulative
        spectral energy.
    vertices : str, optional
        ``"reference"``, ``"degree-one-hot"``, ``"degree"``, ``"constant"``, ``"curvature"``, ``"structure"``,
        ``"attributes"`` or ``"none"``.
        Signal on vertices. By default ``"reference"`` (one-hot degrees beside attributes and labels), and none where
        edges carry a flow.
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
    scales : str
        ``"reference"`` leaves scales as they are drawn, made for eigenvalues up to 2; ``"spectrum"`` spreads them over
        the eigenvalues of the graphs it is fitted to.
    shared_bank : bool
        Whether all blocks share one bank of filters.
    n_points : int, optional
        Points on the spectrum of ``method="fourier"``.
    output : {"features", "measures"}
        What ``transform`` returns: an array ``[n_graphs, n_columns]``, or `EnergyMeasures`.
    standardize : bool
        Whether columns have mean 0 and deviation 1 over the graphs of ``fit``; columns that do not vary become 0.
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

    def __init__(
        self,
        *,
        method: str = "hodge",
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
        scales: str = "reference",
        shared_bank: bool = False,
        n_points: int | None = None,
        output: str = "features",
        standardize: bool = True,
        vertex_attrs: Any = None,
        edge_attrs: Any = None,
        oriented: Sequence[str] = (),
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.method = method
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
        self.output = output
        self.standardize = standardize
        self.vertex_attrs = vertex_attrs
        self.edge_attrs = edge_attrs
        self.oriented = oriented
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        """Tags, made when scikit-learn asks for them."""
        tags = super().__sklearn_tags__()
        tags.estimator_type, tags.target_tags.required = "transformer", False
        return tags

    def fit(self, X: Any, y: Any = None) -> HodgeletTransformer:
        """Fits signals and standardization on the graphs ``X`` and draws the filters; ``y`` is not looked at."""
        from hodgelet import _native

        if self.output not in ("features", "measures"):
            raise HodgeletInputError(f'output is {self.output!r}, expected "features" or "measures"')
        batch = self._batch(X)
        settings = self._settings(self._seed())
        with Progress(self._verbose()) as progress:
            self._fitted = _native.FeatureSpace.fit(batch, settings, self._threads(), progress.callback)
        self.n_graphs_in_ = len(batch)
        return self

    def transform(self, X: Any) -> Any:
        """Features ``[n_graphs, n_columns]`` of graphs, or their energy measures."""
        if self.output == "measures":
            return self.measures(X)
        return self._features(X, standardize=self.standardize)

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Fits on the graphs ``X`` and transforms them."""
        batch = self._batch(X)
        return self.fit(batch, y).transform(batch)
