"""Parameters of an estimator, made from the settings of the library.

Written by ``cargo run -p hodgelet --example python_parameters python/hodgelet/_parameters``; do not edit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["RegressorParameters"]


class RegressorParameters:
    """What an estimator takes.

    Parameters
    ----------
    method : {"hodge", "wt", "line-graph", "fourier"}
        Which features. hodge: wavelets on Hodge components; wt: wavelets on vertices, not split; line-graph: the same
        on the line graph; fourier: cumulative spectral energy.
    faithful : bool
        Settings of the published code: its likelihoods, lengthscales from 1, scales as drawn, no priors.
    vertices : {"auto", "reference", "degree-one-hot", "degree", "constant", "curvature", "structure", "attributes",
        "none"}, optional
        Signal on vertices. By default auto (one-hot degrees beside attributes and labels), but none where edges carry
        a flow and vertices nothing of their own, attributes on the line graph, and reference with faithful.
    edges : {"auto", "columns", "constant", "degree", "curvature", "structure", "auto-structure", "none"}
        Signal on edges; auto takes attributes and labels where there are any.
    higher : {"auto", "columns", "constant", "degree", "curvature", "structure", "auto-structure", "none"}
        Signal on triangles and higher cells; structure is a constant, the number of cofaces and a curvature.
    max_degree : int, optional
        Highest degree with a channel, in place of the 99th percentile of the training degrees.
    lift : str, optional
        Cells that are added to a graph before its spectra are taken. none: no cell; cliques:DIM: simplices on cliques
        up to a dimension; rings:LENGTH: polygons on relevant cycles, the rings of molecules; cycles:LENGTH: polygons
        on all chordless cycles; line-graph: edges become vertices. By default cliques:2, and line-graph with that
        method.
    laplacian : {"combinatorial", "normalized", "normalized-hodge", "random-walk", "dec", "dec-circumcentric",
        "dec-median"}, optional
        Which Laplacian. By default combinatorial with the split, normalized without; dec, dec-circumcentric and
        dec-median take the metric of the column ``position``.
    spectra : {"auto", "dense", "lanczos"}
        How energies are found. dense: from eigenpairs, exactly; lanczos: by quadrature, with an error that is
        estimated; auto: by quadrature where a connected part is large (more than 500 cells, and more with many
        channels).
    split : bool, optional
        Whether signals are split into their Hodge components. By default as the method has it.
    dims : sequence of int, optional
        Dimensions whose signals are used, such as 0,1. By default all that carry one.
    blocks : sequence of {"energies", "edge-labels", "vertex-labels", "cell-labels", "values", "smoothed-values",
        "edge-values", "smoothed-edge-values", "environments", "columns", "fingerprints", "grams"}, optional
        What the blocks are made of. energies: of signals; edge-labels: labels of edges and what is around them, by
        Hodge component; vertex-labels: the same of vertices; cell-labels: the same of triangles and higher cells,
        which a lift may have added; values: distributions of attributes and labels of vertices; smoothed-values: the
        same, smoothed along edges; edge-values and smoothed-edge-values: distributions of those of edges;
        environments: labels of vertices and what is around them, counted and compared by Tanimoto's kernel; columns
        and fingerprints: numbers and tags of graphs as a whole; grams: Gram matrices that are given. By default all
        that the data have but environments, cell-labels and values of edges; energies with faithful and with methods
        but hodge.
    label_depth : int
        How many times labels are refined by those around them.
    environment_size : int, optional
        Number of counts that environments are folded to, as bits of a fingerprint are; environments may share one
        then. By default each has its own.
    exclude : sequence of str
        Blocks that are excluded, such as ``edge harmonic``.
    signed : str or list of cycles, optional
        Signed features of flows on one shared complex: harmonic, harmonic:EXACT,COEXACT (with that many of the lowest
        eigenvectors), or cycles=FILE (closed walks, one line of vertices each).
    signed_only : bool
        Whether energies are excluded, so that signed features stand alone.
    n_filters : int
        Number of filters in each block.
    n_bands : int
        Number of band-pass terms in each filter.
    low_pass : {"rational", "heat", "meyer", "ab-spline"}, optional
        Family of the low-pass term of each filter, or none.
    band_pass : {"mexican-hat", "ricker", "heat", "meyer", "ab-spline", "itersine"}
        Family of the band-pass terms.
    low_pass_scales : pair of float
        Lowest and highest initial scale of the low-pass terms.
    band_pass_scales : pair of float
        Lowest and highest initial scale of the band-pass terms.
    scales : {"reference", "spectrum"}, optional
        How initial scales are spread: reference leaves them as drawn, made for eigenvalues up to 2; spectrum spreads
        them over the eigenvalues of the training graphs. By default spectrum; reference with faithful, and for
        features that are not trained.
    scale_transform : {"log", "softplus"}, optional
        How scales depend on the numbers that are trained. By default log; softplus with faithful.
    shared_bank : bool
        Whether all blocks share one bank of filters.
    n_points : int
        Number of points on the spectrum, for the method fourier.
    kernel : str
        Covariance function: se, matern12, matern32, matern52, matern:NU, rq, linear or poly:DEGREE. se is the squared
        exponential, rq the rational quadratic.
    lengthscales : {"isotropic", "per-channel", "ard"}
        Lengthscales in each block: one, one per channel, or one per column (ard).
    initial_lengthscale : float, optional
        Where lengthscales start. By default the square root of the number of varying columns; 1 with faithful.
    noise : {"auto", "gaussian", "student-t", "blocks", "poisson"}
        Noise on numbers. gaussian: the same for all graphs; student-t: with gross errors, the degrees of freedom
        learned; blocks: Gaussian, with a variance that depends on the energy of the graph in each block; poisson: for
        counts, whose expected logarithm is learned; auto: where predictions are averaged over hyperparameters
        student-t, and a shape of predictions that is learned from training graphs left out, gaussian otherwise.
    hyperparameters : {"auto", "map", "nuts", "gaussian", "modes"}
        How the uncertainty of the hyperparameters is met. map: the most probable values alone; nuts: predictions are
        averaged over draws from their posterior; gaussian: over draws of the normal distribution at the most probable
        values; modes: over the ends of several starts (restarts); auto: nuts up to 600 distinct training graphs, map
        beyond, with faithful and without priors.
    prior_deviation : float, optional
        Factor on the widths of the priors, which are 1 in the logarithm for scales, lengthscales, noise and the
        constant, 3 for variances and 0.3 for factors of the noise; none turns priors off, as faithful does.
    restarts : int
        Number of starts from different scales; the best objective is kept.
    max_iter : int
        At most this many steps of the optimizer per start.
    tol : float
        A start ends when a step changes the objective by less than this share of it.
    inner_tol : float
        Tolerance of the inner loop that finds the posterior at each step, relative to the ELBO.
    time_limit : float, optional
        At most this many seconds per start.
    collapse : bool
        Whether graphs with equal features share one latent value.
    random_state : int, RandomState, Generator or None
        Seed of the initial scales; ``None`` draws one from NumPy.
    posterior : {"auto", "full", "sparse"}
        What the posterior is over. full: all training graphs; sparse: inducing graphs among them, with hyperparameters
        trained on a sample, so that any number of graphs can be learned from; auto: full up to 5,000 graphs.
    inducing : int, optional
        Number of inducing graphs. By default as many as leave 0.2% of the prior variance, at most 800.
    sample : int, optional
        Number of graphs that hyperparameters are trained on. By default all up to 1,500, and with posterior full; of
        more graphs a sample of 1,000 in which every class has its share.
    memory : int, optional
        Memory that the matrices of a fit may take, in MB; a fit that needs more is refused. By default 80% of what is
        free; folds that run side by side take 1,500 together.
    train_on_all : bool
        Whether training goes on, for at most 15 steps, with all graphs after the sample, when the posterior is sparse.
    conformal : {"split", "cv-plus"}, optional
        Whether intervals and sets of classes of new graphs are guaranteed, if these are exchangeable with the training
        graphs. split: a quarter of the graphs, drawn by the seed, is held out of training, and a coverage of 1 - a
        holds with probability 1 - a; cv-plus: the model is trained on all graphs, and again without each of several
        parts, for which about 1 - 2a is proven and about 1 - a is usual.
    conformal_folds : int
        Number of parts of cv-plus; as many as graphs, or more, is the jackknife+, for which 1 - 2a is proven.
    auto : bool
        Whether other settings (likelihood, Laplacian, signals, blocks, kernel, lengthscales, filters, starts) are
        tried, and kept where they raise the probability of training targets, by models fitted without them, by more
        than one standard error. ``search_`` then says what was tried.
    vertex_attrs : optional
        Attributes of vertices that are read, see `hodgelet.as_batch`.
    edge_attrs : optional
        Attributes of edges that are read.
    oriented : sequence of str
        Attributes of edges that are flows.
    weights : mapping from dimension to name, optional
        Attributes that weigh cells in the Laplacian instead of being signals, by dimension: ``{1: "weight"}``.
    directed : {"error", "ignore", "flow"}, optional
        What the directions of arcs become; without it the values of the two directions decide.
    hypergraph : str
        What a hypergraph becomes, see `hodgelet.as_batch`.
    n_jobs : int, optional
        Number of threads; all processors by default. Results do not depend on it.
    verbose : int
        Whether progress is shown, with tqdm where it is installed.

    """

    def __init__(
        self,
        *,
        method: str = "hodge",
        faithful: bool = False,
        vertices: str | None = None,
        edges: str = "auto",
        higher: str = "auto",
        max_degree: int | None = None,
        lift: str | None = None,
        laplacian: str | None = None,
        spectra: str = "auto",
        split: bool | None = None,
        dims: Sequence[int] | None = None,
        blocks: Sequence[str] | None = None,
        label_depth: int = 2,
        environment_size: int | None = None,
        exclude: Sequence[str] = (),
        signed: Any = None,
        signed_only: bool = False,
        n_filters: int = 10,
        n_bands: int = 3,
        low_pass: str | None = "rational",
        band_pass: str = "mexican-hat",
        low_pass_scales: tuple[float, float] = (4.0, 6.0),
        band_pass_scales: tuple[float, float] = (0.1, 5.0),
        scales: str | None = None,
        scale_transform: str | None = None,
        shared_bank: bool = False,
        n_points: int = 30,
        kernel: str = "se",
        lengthscales: str = "isotropic",
        initial_lengthscale: float | None = None,
        noise: str = "auto",
        hyperparameters: str = "auto",
        prior_deviation: float | None = 1.0,
        restarts: int = 1,
        max_iter: int = 60,
        tol: float = 1e-6,
        inner_tol: float = 1e-6,
        time_limit: float | None = None,
        collapse: bool = True,
        random_state: Any = 0,
        posterior: str = "auto",
        inducing: int | None = None,
        sample: int | None = None,
        memory: int | None = None,
        train_on_all: bool = False,
        conformal: str | None = None,
        conformal_folds: int = 5,
        auto: bool = False,
        vertex_attrs: Any = None,
        edge_attrs: Any = None,
        oriented: Sequence[str] = (),
        weights: Mapping[int, str] | None = None,
        directed: str | None = None,
        hypergraph: str = "star",
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.method = method
        self.faithful = faithful
        self.vertices = vertices
        self.edges = edges
        self.higher = higher
        self.max_degree = max_degree
        self.lift = lift
        self.laplacian = laplacian
        self.spectra = spectra
        self.split = split
        self.dims = dims
        self.blocks = blocks
        self.label_depth = label_depth
        self.environment_size = environment_size
        self.exclude = exclude
        self.signed = signed
        self.signed_only = signed_only
        self.n_filters = n_filters
        self.n_bands = n_bands
        self.low_pass = low_pass
        self.band_pass = band_pass
        self.low_pass_scales = low_pass_scales
        self.band_pass_scales = band_pass_scales
        self.scales = scales
        self.scale_transform = scale_transform
        self.shared_bank = shared_bank
        self.n_points = n_points
        self.kernel = kernel
        self.lengthscales = lengthscales
        self.initial_lengthscale = initial_lengthscale
        self.noise = noise
        self.hyperparameters = hyperparameters
        self.prior_deviation = prior_deviation
        self.restarts = restarts
        self.max_iter = max_iter
        self.tol = tol
        self.inner_tol = inner_tol
        self.time_limit = time_limit
        self.collapse = collapse
        self.random_state = random_state
        self.posterior = posterior
        self.inducing = inducing
        self.sample = sample
        self.memory = memory
        self.train_on_all = train_on_all
        self.conformal = conformal
        self.conformal_folds = conformal_folds
        self.auto = auto
        self.vertex_attrs = vertex_attrs
        self.edge_attrs = edge_attrs
        self.oriented = oriented
        self.weights = weights
        self.directed = directed
        self.hypergraph = hypergraph
        self.n_jobs = n_jobs
        self.verbose = verbose
