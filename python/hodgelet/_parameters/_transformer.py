"""Parameters of an estimator, made from the settings of the library.

Written by ``cargo run -p hodgelet --example python_parameters python/hodgelet/_parameters``; do not edit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = ["TransformerParameters"]


class TransformerParameters:
    """What an estimator takes.

    Parameters
    ----------
    method : {"hodge", "wt", "line-graph", "fourier"}
        Which features. hodge: wavelets on Hodge components; wt: wavelets on vertices, not split; line-graph: the same
        on the line graph; fourier: cumulative spectral energy.
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
    random_state : int, RandomState, Generator or None
        Seed of the initial scales; ``None`` draws one from NumPy.
    output : {"features", "measures"}
        What ``transform`` returns: an array ``[n_graphs, n_columns]``, or `EnergyMeasures`.
    standardize : bool
        Whether columns have mean 0 and standard deviation 1 over the graphs of ``fit``; columns that do not vary
        become 0.
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
        scales: str | None = "reference",
        scale_transform: str | None = None,
        shared_bank: bool = False,
        n_points: int = 30,
        random_state: Any = 0,
        output: str = "features",
        standardize: bool = True,
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
        self.random_state = random_state
        self.output = output
        self.standardize = standardize
        self.vertex_attrs = vertex_attrs
        self.edge_attrs = edge_attrs
        self.oriented = oriented
        self.weights = weights
        self.directed = directed
        self.hypergraph = hypergraph
        self.n_jobs = n_jobs
        self.verbose = verbose
