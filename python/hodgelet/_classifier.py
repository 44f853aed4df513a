"""Classification of graphs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hodgelet._base import accuracy, check_targets, classes_from_names, encode_classes
from hodgelet._errors import HodgeletInputError
from hodgelet._results import Prediction
from hodgelet._supervised import Floats, Supervised

if TYPE_CHECKING:
    from hodgelet import _native

__all__ = ["HodgeletClassifier"]


class HodgeletClassifier(Supervised):
    """Gaussian process classification of graphs on Hodge-decomposed spectral wavelet features.

    Parameters
    ----------
    method : {"hodge", "wt", "line-graph", "fourier"}
        Wavelets on Hodge components; wavelets on vertices without the split; the same on the line graph; cumulative
        spectral energy.
    faithful : bool
        Settings of the published code: its likelihoods, lengthscales from 1, no priors.
    auto : bool
        Whether other settings (likelihood, Laplacian, signals, blocks, kernel, lengthscales, filters, starts) are
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
    likelihood : {"auto", "softmax", "gpflow"}, optional
        For two classes or more: probit or softmax; logit or softmax; GPflow's probit or robust-max.
    inference : {"variational", "laplace"}
        How the posterior is found, given the trained hyperparameters.
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
    classes_ : array
        The classes, in the order of probabilities.
    n_graphs_in_ : int
        Number of training graphs.
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
        likelihood: str | None = None,
        inference: str = "variational",
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
        self.likelihood = likelihood
        self.inference = inference
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
        from sklearn.utils import ClassifierTags

        tags = super().__sklearn_tags__()
        tags.estimator_type, tags.classifier_tags = "classifier", ClassifierTags()
        return tags

    def fit(self, X: Any, y: Any) -> HodgeletClassifier:
        """Learns the classes ``y`` of the graphs ``X``.

        Raises
        ------
        HodgeletInputError
            When graphs, targets or parameters make no sense.
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

        self._train(X, y, targets)
        self.classes_ = found[0]
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class of each graph."""
        labels = self.predict_full(X).labels
        assert labels is not None, "a classifier predicts classes"
        return labels

    def predict_proba(self, X: Any) -> Floats:
        """Probabilities of the classes, ``[n_graphs, n_classes]``."""
        probabilities = self.predict_full(X).probabilities
        assert probabilities is not None, "a classifier predicts probabilities"
        return probabilities

    def predict_log_proba(self, X: Any) -> Floats:
        """Logarithms of the probabilities."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Share of graphs whose class is predicted right."""
        predicted = self.predict(X)
        return accuracy(check_targets(y, len(predicted), type(self).__name__), predicted, sample_weight)

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, classes: Any = None, **params: Any) -> HodgeletClassifier:
        """A classifier from a model file.

        Files hold the names of classes. Names that are all whole numbers become numbers; ``classes``, in the order of
        the file, says what they stand for otherwise. ``params`` such as ``n_jobs`` go to the constructor.
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
        )


def _named_classes(names: list[str], classes: Any) -> NDArray[Any]:
    if classes is None:
        return classes_from_names(names)
    given = np.asarray(classes)
    if given.shape != (len(names),):
        raise HodgeletInputError(f"{given.size} classes, but the model has {len(names)}: {', '.join(names)}")
    return given
