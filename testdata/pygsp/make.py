"""Graph Laplacians, spectra, filters and filtered norms, by PyGSP."""

import json
import platform
import warnings
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from pygsp import filters, graphs

OUT = Path(__file__).with_name("filters.json")
OVERLAP = 2  # of the itersine filters

CONVENTION = {
    "laplacians": "combinatorial D - W, normalized I - D^(-1/2) W D^(-1/2) with zero rows at isolated vertices; W "
    "holds the edge weights (1 where weights is null); by rows; eigenvalues ascending; lmax is the largest one",
    "mother": "a (low-pass) and b (band-pass) of each family at the points t, out of PyGSP with its scales set so "
    "that the dilation is 1; a is divided by its value at 0, which removes a_factor",
    "banks": "filter 0 is a_factor * a(alpha * lambda), filter l is b(beta_l * lambda), l = 1.., where a and b are "
    "the formulas below without factor; values[l] are the filters at the points lambda",
    "norms": "norms[l][d] is the Euclidean norm of filter l applied to channel d of the signal (rows are vertices), "
    "||g_l(L) x_d||, by PyGSP's exact method; no Hodge split: the harmonic part is included",
}

FORMULAS = {
    "heat": {
        "a": "exp(-t)",
        "b": None,
        "mapping": "PyGSP's scale s gives alpha = s / lmax; no band-pass, each scale is a low-pass",
    },
    "meyer": {
        "a": "1 for t < 2/3, cos(pi/2 v(3t/2 - 1)) for 2/3 <= t < 4/3, else 0; v(x) = x^4 (35 - 84x + 70x^2 - 20x^3)",
        "b": "sin(pi/2 v(3t/2 - 1)) for 2/3 <= t < 4/3, cos(pi/2 v(3t/4 - 1)) for 4/3 <= t < 8/3, else 0",
        "mapping": "alpha = beta_1; beta_l = 4 / (3 lmax) 2^(Nf - 1 - l); a_factor = 1",
    },
    "abspline": {
        "a": "exp(-t^4)",
        "b": "t^2 for t <= 1, -5 + 11t - 6t^2 + t^3 for 1 <= t < 2, 4 / t^2 for t >= 2",
        "mapping": "alpha = 1 / (0.6 lmin), lmin = lmax / lpfactor; a_factor = max of b = 1 + 2 / (3 sqrt 3), which "
        "PyGSP finds by bounded search; beta_l log-spaced from 2 / lmin down to 1 / lmax",
    },
    "itersine": {
        "a": "k(t), k(x) = sin(pi/2 cos(pi x)^2) for |x| <= 1/2, else 0",
        "b": "k(t - 1/2), on 0 <= t <= 1",
        "mapping": "filter i is k(lambda / S - i / 2), S = 2 lmax / (Nf - 1), at overlap 2: filters 0 and 1 are "
        "a and b with alpha = beta = 1 / S; filters 2.. are translates, not dilates, and comparable only as such",
    },
    "mexican_hat": {
        "a": "exp(-t^4)",
        "b": "t exp(-t)",
        "mapping": "alpha = 1 / (0.4 lmin), lmin = lmax / lpfactor; a_factor = 1.2 / e; beta_l log-spaced from "
        "2 / lmin down to 1 / lmax. Not the Mexican hat t^2 exp(-t^2/2) of [Alain24]: the name is shared, the "
        "function is not, so only a and the log-spaced scales are comparable",
    },
}


def weight_matrix(n: int, edges: list[tuple[int, int]], weights: list[float] | None) -> np.ndarray:
    """Symmetric weight matrix of an edge list."""
    matrix = np.zeros((n, n))
    tails, heads = np.array(edges, dtype=int).reshape(-1, 2).T
    matrix[tails, heads] = matrix[heads, tails] = 1.0 if weights is None else weights
    return matrix


def grid_edges(rows: int, columns: int) -> list[tuple[int, int]]:
    """Edges of a rectangular grid, row by row."""
    across = [(r * columns + c, r * columns + c + 1) for r in range(rows) for c in range(columns - 1)]
    down = [(r * columns + c, (r + 1) * columns + c) for r in range(rows - 1) for c in range(columns)]
    return sorted(across + down)


def random_edges(n: int, p: float, seed: int) -> list[tuple[int, int]]:
    """Each pair of vertices joined with probability p."""
    drawn = np.triu(np.random.default_rng(seed).random((n, n)) < p, k=1)
    return [(int(a), int(b)) for a, b in np.argwhere(drawn)]


def inputs() -> dict[str, tuple[int, list[tuple[int, int]], list[float] | None]]:
    """Graphs by name: number of vertices, edges, weights."""
    ring = [(v, v + 1) for v in range(7)] + [(0, 7)]
    return {
        "path-8": (8, [(v, v + 1) for v in range(7)], None),
        "star-7": (7, [(0, v) for v in range(1, 7)], None),
        "grid-3x4": (12, grid_edges(3, 4), None),
        "weighted-ring-8": (8, ring, np.random.default_rng(1).uniform(0.5, 2.0, 8).round(3).tolist()),
        "erdos-renyi-14": (14, random_edges(14, 0.3, 2), None),
        "two-triangles-and-an-isolated-vertex": (7, [(0, 1), (0, 2), (1, 2), (3, 4), (3, 5), (4, 5)], None),
    }


def graph_of(matrix: np.ndarray, laplacian: str) -> graphs.Graph:
    """A PyGSP graph with its exact spectrum."""
    graph = graphs.Graph(matrix, lap_type=laplacian)
    with warnings.catch_warnings():  # a bound on lmax, not used here, divides by the degree 0
        warnings.simplefilter("ignore", RuntimeWarning)
        graph.compute_fourier_basis()
    return graph


def banks(graph: graphs.Graph) -> dict[str, tuple[filters.Filter, dict[str, Any]]]:
    """One bank of each family and its parameters as the convention names them."""
    lmax = float(graph.lmax)
    low_pass_lmin = lmax / 20
    heat = filters.Heat(graph, scale=[1.0, 5.0, 20.0])
    meyer = filters.Meyer(graph, Nf=4)
    abspline = filters.Abspline(graph, Nf=4, lpfactor=20)
    itersine = filters.Itersine(graph, Nf=4, overlap=OVERLAP)
    mexican = filters.MexicanHat(graph, Nf=4, lpfactor=20)
    peak = float(abspline.evaluate(np.zeros(1))[0, 0])
    return {
        "heat": (heat, {"alphas": [s / lmax for s in heat.scale]}),
        "meyer": (meyer, scales(float(meyer.scales[0]), meyer.scales, 1.0)),
        "abspline": (abspline, scales(1 / (0.6 * low_pass_lmin), abspline.scales, peak)),
        "itersine": (itersine, {"nf": 4, "overlap": OVERLAP, "scale": 2 * lmax / 3}),
        "mexican_hat": (mexican, scales(1 / (0.4 * low_pass_lmin), mexican.scales, 1.2 * np.exp(-1.0))),
    }


def scales(alpha: float, betas: np.ndarray, a_factor: float) -> dict[str, Any]:
    """Parameters of a bank with one low-pass and several band-pass filters."""
    return {"alpha": alpha, "betas": np.asarray(betas).tolist(), "a_factor": a_factor}


def mothers() -> dict[str, dict[str, Any]]:
    """The mother functions of each family, drawn from PyGSP at dilation 1."""
    graph = graph_of(weight_matrix(2, [(0, 1)], None), "combinatorial")
    lmax = float(graph.lmax)
    t = np.round(np.concatenate([np.linspace(0, 4, 81), [2 / 3, 4 / 3, 8 / 3, 5.5, 10.0]]), 15)
    meyer = filters.Meyer(graph, Nf=2, scales=[1.0]).evaluate(t)
    abspline = filters.Abspline(graph, Nf=2, lpfactor=0.6 * lmax, scales=[1.0]).evaluate(t)
    mexican = filters.MexicanHat(graph, Nf=2, lpfactor=0.4 * lmax, scales=[1.0]).evaluate(t)
    itersine = filters.Itersine(graph, Nf=2, overlap=OVERLAP).evaluate(t * 2 * lmax)
    heat = filters.Heat(graph, scale=lmax).evaluate(t)
    pairs = {"meyer": meyer, "abspline": abspline, "itersine": itersine, "mexican_hat": mexican}
    out = {name: {"a": (a / a[0]).tolist(), "b": b.tolist()} for name, (a, b) in pairs.items()}
    return {"t": t.tolist(), "heat": {"a": heat[0].tolist(), "b": None}, **out}


def spectrum(graph: graphs.Graph) -> dict[str, Any]:
    """Laplacian and eigenvalues of one graph."""
    return {"matrix": graph.L.toarray().tolist(), "eigenvalues": graph.e.tolist(), "lmax": float(graph.lmax)}


def filtered(graph: graphs.Graph, signal: np.ndarray) -> dict[str, Any]:
    """Filters at a grid and norms of the filtered signal for every family."""
    grid = np.linspace(0.0, float(graph.lmax), 25)
    out: dict[str, Any] = {"lambda": grid.tolist()}
    for name, (bank, parameters) in banks(graph).items():
        outputs = bank.filter(signal, method="exact").reshape(len(signal), signal.shape[1], bank.Nf)
        norms = np.linalg.norm(outputs, axis=0).T  # [n_filters, n_channels]
        out[name] = {**parameters, "values": bank.evaluate(grid).tolist(), "norms": norms.tolist()}
    return out


def record(name: str, n: int, edges: list[tuple[int, int]], weights: list[float] | None) -> dict[str, Any]:
    """One graph: both Laplacians, their spectra, and the filters on each."""
    matrix = weight_matrix(n, edges, weights)
    signal = np.random.default_rng(n).standard_normal((n, 2)).round(3)
    both = {kind: graph_of(matrix, kind) for kind in ("combinatorial", "normalized")}
    return {
        "name": name,
        "n": n,
        "edges": edges,
        "weights": weights,
        "signal": signal.tolist(),
        "laplacians": {kind: spectrum(graph) for kind, graph in both.items()},
        "banks": {kind: filtered(graph, signal) for kind, graph in both.items()},
    }


def main() -> None:
    """Write the golden file beside this script."""
    golden = {
        "made_with": {"python": platform.python_version(), **{m: version(m) for m in ("pygsp", "numpy", "scipy")}},
        "convention": CONVENTION,
        "formulas": FORMULAS,
        "mother": mothers(),
        "graphs": [record(name, *graph) for name, graph in inputs().items()],
    }
    OUT.write_text(json.dumps(golden, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
