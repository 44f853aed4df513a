"""Plots of models and predictions with matplotlib, which is imported only when one is drawn.

Every function returns the matplotlib object it drew on and shows nothing by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hodgelet import hodge
from hodgelet._batch import GraphBatch
from hodgelet._errors import HodgeletError, HodgeletInputError
from hodgelet._inputs import as_batch
from hodgelet._results import Explanation, Prediction

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["plot_attributions", "plot_cells", "plot_components", "plot_filters", "plot_reliability"]

Floats = NDArray[np.float64]
FIRST, SECOND, GRAY = "#1b6ca8", "#c8553d", "#8d99ae"


def plot_filters(model: Any, graphs: Any = None, *, n_points: int = 400, largest: float | None = None) -> Figure:
    """The filters of each block of a fitted model, and below them the spectra of ``graphs`` if some are given.

    Spectra show the energy of all graphs and channels at each eigenvalue, relative to the largest. ``largest`` is the
    end of the axis: by default the largest eigenvalue of ``graphs``, or 8.
    """
    banks = model.filters_
    if not banks:
        raise HodgeletInputError("the model has no filters: every block is harmonic, or the method is fourier")
    measures = None if graphs is None else model.measures(graphs)
    end = largest or (8.0 if measures is None else max(float(m.eigenvalues.max(initial=0.0)) for m in measures))
    grid = np.linspace(0.0, end or 8.0, n_points)
    pyplot = _pyplot()
    figure, axes = pyplot.subplots(
        1, len(banks), figsize=(4.2 * len(banks), 3.4), squeeze=False, sharex=True, layout="constrained"
    )
    for axis, bank in zip(axes[0], banks, strict=True):
        curves = bank(grid)
        axis.plot(grid, curves.T, color=FIRST, alpha=0.65, linewidth=1.2)
        axis.set(title=bank.block, xlabel="eigenvalue")
        if measures is not None:
            _spectrum(axis, *_atoms(measures[bank.block]))
    axes[0, 0].set_ylabel("filter")
    return figure  # type: ignore[no-any-return]


def _atoms(measures: Any) -> tuple[Floats, Floats]:
    energy = measures.energies.sum(axis=1)
    return measures.eigenvalues, energy / max(float(energy.max(initial=0.0)), np.finfo(float).tiny)


def _spectrum(axis: Axes, eigenvalues: Floats, energies: Floats) -> None:
    """Energies as lines from the upper edge, on a separate axis."""
    twin = axis.twinx()
    twin.vlines(eigenvalues, 0.0, energies, color=SECOND, alpha=0.35, linewidth=0.8)
    twin.set_ylim(3.0, 0.0)
    twin.set_yticks([])


def plot_reliability(
    truth: ArrayLike, probabilities: Any, *, classes: ArrayLike | None = None, n_bins: int = 10, ax: Axes | None = None
) -> Axes:
    """How often the predicted class is correct, against its predicted probability.

    ``probabilities`` is a `Prediction` or an array ``[n_graphs, n_classes]``, whose columns are ``classes`` (by default
    the classes of ``truth``, in order). Bars show the share of graphs in each bin; the title has the expected
    calibration error, the mean gap weighted by these shares.
    """
    if isinstance(probabilities, Prediction):
        classes, probabilities = probabilities.classes, probabilities.probabilities
    table, target = np.asarray(probabilities, dtype=np.float64), np.asarray(truth)
    known = np.unique(target) if classes is None else np.asarray(classes)
    if table.ndim != 2 or table.shape != (len(target), len(known)):
        raise HodgeletInputError(
            f"probabilities have the shape {list(table.shape)}, expected [{len(target)}, {len(known)}]"
        )
    if n_bins < 1 or len(target) == 0:
        raise HodgeletInputError(f"{n_bins} bins of {len(target)} graphs, expected at least one of both")
    confidence, right = table.max(axis=1), known[table.argmax(axis=1)] == target
    bins = np.minimum((confidence * n_bins).astype(int), n_bins - 1)
    counts = np.bincount(bins, minlength=n_bins)
    filled = counts > 0
    mean = np.bincount(bins, confidence, n_bins)[filled] / counts[filled]
    share_right = np.bincount(bins, right, n_bins)[filled] / counts[filled]
    error = float(np.sum(np.abs(mean - share_right) * counts[filled]) / len(target))
    axis = _axis(ax)
    edges = (np.arange(n_bins) + 0.5) / n_bins
    axis.bar(edges, counts / len(target), width=0.9 / n_bins, color=GRAY, alpha=0.35, label="share of graphs")
    axis.plot([0.0, 1.0], [0.0, 1.0], color="black", linewidth=0.8, linestyle=":")
    axis.plot(mean, share_right, color=FIRST, marker="o", label="right")
    lowest = 1.0 / max(len(known), 1)
    axis.set(xlim=(min(lowest, float(confidence.min())) - 0.02, 1.02), ylim=(-0.02, 1.02))
    axis.set(xlabel="probability of the predicted class", ylabel="share that is right")
    axis.set_title(f"expected calibration error {error:.3f}")
    axis.legend(loc="upper left", frameon=False)
    return axis


def plot_attributions(said: Prediction | Explanation, *, latent: int = 0, ax: Axes | None = None) -> Axes:
    """What each Hodge block adds to the latent mean: of one graph (`Explanation`) or of many (`Prediction`).

    Of many graphs there is a dot for each, and a line at the mean of its block.
    """
    axis = _axis(ax)
    if isinstance(said, Explanation):
        shares = np.array(list(said.contributions.values()))
        names = list(said.contributions)
        axis.barh(range(len(names)), shares, color=[FIRST if share >= 0 else SECOND for share in shares])
        axis.set_title(f"latent {said.latent_mean:+.2f} ± {said.latent_std:.2f}: {said.value}")
    else:
        if not 0 <= latent < said.attributions.shape[2]:
            raise HodgeletInputError(f"latent function {latent}, but there are {said.attributions.shape[2]}")
        names, many = said.blocks, said.attributions[:, :, latent]
        spread = np.linspace(-0.3, 0.3, len(many)) if len(many) > 1 else np.zeros(len(many))
        for b in range(len(names)):
            axis.scatter(many[:, b], b + spread, s=9, color=FIRST, alpha=0.5, linewidths=0)
        if len(many):
            axis.vlines(many.mean(axis=0), np.arange(len(names)) - 0.4, np.arange(len(names)) + 0.4, color=SECOND)
        axis.set_title(f"{len(many)} graphs")
    axis.set_yticks(range(len(names)), names)
    axis.invert_yaxis()
    axis.axvline(0.0, color="black", linewidth=0.8)
    axis.set_xlabel("share of the latent mean")
    return axis


def plot_cells(
    said: Explanation, graph: Any = None, *, positions: ArrayLike | None = None, ax: Axes | None = None
) -> Axes:
    """What each vertex and edge of one graph adds to the latent mean, in the blocks of labels and values.

    Positive shares are blue, negative ones red, and widths follow their size. ``graph`` is what was explained: of a
    molecule of RDKit or a SMILES string it gives places and names of the atoms. ``positions`` of the vertices
    ``[n, 2]`` come first; without both they are taken from the Laplacian.
    """
    from matplotlib import patheffects
    from matplotlib.collections import LineCollection

    n = said.n_vertices
    if not said.cells:
        raise HodgeletInputError("no block of labels or values: the explanation has no shares of vertices and edges")
    drawn, names = _molecule(graph)
    if positions is not None:
        places = np.asarray(positions, dtype=np.float64)
    elif drawn is not None:
        places = drawn
    else:
        plain = GraphBatch(vertices=np.array([n]), edge_offsets=np.array([0, len(said.edges)]), edges=said.edges)
        places = _layout(plain)
    if places.shape != (n, 2):
        raise HodgeletInputError(f"positions have the shape {list(places.shape)}, expected [{n}, 2]")
    axis = _axis(ax)
    vertices, edges = said.vertex_shares, said.edge_shares
    scale = max(float(np.abs(np.concatenate([vertices, edges])).max(initial=0.0)), np.finfo(float).tiny)
    segments = list(places[said.edges])
    axis.add_collection(LineCollection(segments, colors=GRAY, linewidths=0.8, zorder=1))
    color = [FIRST if share >= 0 else SECOND for share in edges]
    axis.add_collection(LineCollection(segments, colors=color, linewidths=9 * np.abs(edges) / scale, zorder=2))
    color = [FIRST if share >= 0 else SECOND for share in vertices]
    axis.scatter(places[:, 0], places[:, 1], s=30, color="white", edgecolors=GRAY, linewidths=0.6, zorder=3)
    axis.scatter(places[:, 0], places[:, 1], s=320 * np.abs(vertices) / scale, color=color, linewidths=0, zorder=4)
    outline = [patheffects.withStroke(linewidth=2.5, foreground="white")]
    for name, (x, y) in zip(names, places, strict=False):
        axis.text(x, y, name, ha="center", va="center", fontsize=10, zorder=5, path_effects=outline)
    axis.set_aspect("equal")
    axis.autoscale()
    axis.margins(0.12)
    axis.set_axis_off()
    value = f"{said.value:.4g}" if isinstance(said.value, float) else str(said.value)
    axis.set_title(
        f"{value}: latent {said.latent_mean:+.2f}, of it by cells {vertices.sum() + edges.sum():+.2f}\n"
        "blue adds, red takes away",
        fontsize=9,
    )
    return axis


def _molecule(graph: Any) -> tuple[Floats | None, list[str]]:
    """Places and symbols of the atoms, if the graph is a molecule; carbon has no name."""
    try:
        from rdkit import Chem
        from rdkit.Chem import rdDepictor
    except ImportError:
        return None, []
    molecule = Chem.MolFromSmiles(graph) if isinstance(graph, str) else graph
    if not isinstance(molecule, Chem.Mol):
        return None, []
    molecule = Chem.Mol(molecule)
    rdDepictor.Compute2DCoords(molecule)
    places = np.array(molecule.GetConformer().GetPositions(), dtype=np.float64)[:, :2]
    symbols = [atom.GetSymbol() for atom in molecule.GetAtoms()]
    return places, ["" if symbol == "C" else symbol for symbol in symbols]


def plot_components(
    graph: Any, signal: ArrayLike, *, dim: int = 1, positions: ArrayLike | None = None, cliques: int = 2
) -> Figure:
    """A signal on one graph and its exact, co-exact and harmonic parts side by side.

    On edges (``dim=1``) the signal is a flow, positive along the order of the vertices of each edge: lines are as wide
    and as dark as the flow is strong, arrows point along it. On vertices (``dim=0``) dots are colored. ``positions`` of
    the vertices ``[n, 2]`` are taken from the Laplacian if not given. Triangles are shaded.
    """
    if dim not in (0, 1):
        raise HodgeletInputError(f"dim={dim}, expected 0 (vertices) or 1 (edges)")
    batch = graph if isinstance(graph, GraphBatch) else as_batch([graph], vertex_attrs=[], edge_attrs=[])
    if len(batch) != 1:
        raise HodgeletInputError(f"{len(batch)} graphs, expected one")
    values = np.asarray(signal, dtype=np.float64).reshape(-1)
    n = int(batch.vertices[0])
    places = _layout(batch) if positions is None else np.asarray(positions, dtype=np.float64)
    if places.shape != (n, 2):
        raise HodgeletInputError(f"positions have the shape {list(places.shape)}, expected [{n}, 2]")
    parts = hodge.decompose(batch, values, dim, cliques=cliques)
    shown = {"signal": values, "exact": parts.exact, "co-exact": parts.coexact, "harmonic": parts.harmonic}
    if dim == 0:
        shown.pop("exact")  # vertices have none
    pyplot = _pyplot()
    figure, axes = pyplot.subplots(1, len(shown), figsize=(3.6 * len(shown), 3.8), squeeze=False, layout="constrained")
    scale = max(float(np.abs(values).max(initial=0.0)), np.finfo(float).tiny)
    triangles = _triangles(batch, cliques)
    for axis, (name, part) in zip(axes[0], shown.items(), strict=True):
        _draw(axis, places, batch.edges, triangles, part, dim, scale)
        energy = float(np.sum(part**2)) / max(float(np.sum(values**2)), np.finfo(float).tiny)
        axis.set_title(name if name == "signal" else f"{name}, {100 * energy:.1f} %")
    return figure  # type: ignore[no-any-return]


def _draw(axis: Axes, places: Floats, edges: Any, triangles: list[Any], part: Floats, dim: int, scale: float) -> None:
    from matplotlib.collections import LineCollection, PolyCollection

    axis.add_collection(PolyCollection([places[t] for t in triangles], facecolor=GRAY, alpha=0.15, edgecolor="none"))
    segments = places[edges]
    if dim == 0:
        axis.add_collection(LineCollection(list(segments), colors=GRAY, linewidths=0.8))
        dots: dict[str, Any] = {"cmap": "coolwarm", "s": 45, "edgecolors": "black", "linewidths": 0.5, "zorder": 3}
        axis.scatter(places[:, 0], places[:, 1], c=part, vmin=-scale, vmax=scale, **dots)
    else:
        strength = np.abs(part) / scale
        lines = LineCollection(list(segments), cmap="Blues", linewidths=0.6 + 2.4 * strength)
        lines.set_array(strength)
        lines.set_clim(-0.3, 1.0)
        axis.add_collection(lines)
        strong = strength > 0.05
        middle, way = segments.mean(axis=1)[strong], (segments[:, 1] - segments[:, 0])[strong]
        way = way * np.sign(part[strong])[:, None] * 0.3
        start = middle - way / 2
        arrows: dict[str, Any] = {
            "angles": "xy",
            "scale_units": "xy",
            "scale": 1.0,
            "width": 0.008,
            "color": SECOND,
            "zorder": 3,
        }
        axis.quiver(*start.T, *way.T, **arrows)
        axis.scatter(places[:, 0], places[:, 1], s=8, color="black", zorder=4)
    axis.set_aspect("equal")
    axis.margins(0.08)
    axis.autoscale_view()
    axis.set_axis_off()


def _layout(batch: GraphBatch) -> Floats:
    """Places from the two smoothest eigenvectors of the normalized Laplacian that are not constant."""
    n = int(batch.vertices[0])
    if n < 3:
        return np.stack([np.arange(n, dtype=float), np.zeros(n)], axis=1)
    _, vectors = np.linalg.eigh(hodge.laplacian(batch, 0, laplacian="normalized"))
    degree = np.bincount(batch.edges.reshape(-1), minlength=n)
    return np.asarray(vectors[:, 1:3] / np.sqrt(np.maximum(degree, 1))[:, None])


def _triangles(batch: GraphBatch, cliques: int) -> list[Any]:
    """Vertices of every triangle, given or filled."""
    if batch.triangles is not None:
        return list(batch.triangles)
    if batch.boundaries or cliques < 2:
        return []
    boundary = hodge.boundary(batch, 2, cliques=2)
    return [np.unique(batch.edges[np.flatnonzero(column)]) for column in boundary.T]


def _axis(ax: Axes | None) -> Axes:
    return ax if ax is not None else _pyplot().subplots(figsize=(5.0, 3.8), layout="constrained")[1]


def _pyplot() -> Any:
    try:
        from matplotlib import pyplot
    except ImportError:
        raise HodgeletError("plots need matplotlib: pip install matplotlib") from None
    return pyplot
