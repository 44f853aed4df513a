"""Plots of models and predictions with matplotlib, which is imported only when one is drawn.

Every function returns the matplotlib object it drew on and shows nothing by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hodgelet import hodge
from hodgelet._batch import GraphBatch
from hodgelet._charts import (
    FIRST,
    GRAY,
    SECOND,
    SERIES,
    SIGNED,
    new_axis,
    plot_kernel,
    plot_learning_curve,
    plot_reliability,
    plot_spectrum,
    pyplot,
)
from hodgelet._errors import HodgeletInputError
from hodgelet._inputs import as_batch
from hodgelet._results import Explanation, Prediction

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "plot_attributions",
    "plot_cells",
    "plot_components",
    "plot_filters",
    "plot_kernel",
    "plot_learning_curve",
    "plot_reliability",
    "plot_spectrum",
]

Floats = NDArray[np.float64]
#: Steps of the energy along a spectrum.
STEPS = 60


def plot_filters(
    model: Any, graphs: Any = None, *, n_points: int = 400, largest: float | None = None, ax: Any = None
) -> Figure:
    """The filters of each block of a fitted model, over the spectra of ``graphs`` if some are given.

    Behind the filters stands the energy of all graphs and channels along the spectrum, relative to the most in one of
    its steps. ``largest`` is the end of the axis: by default the largest eigenvalue of ``graphs``, or 8. ``ax`` is one
    axes, or one for each block.
    """
    banks = model.filters_
    if not banks:
        raise HodgeletInputError("the model has no filters: every block is harmonic, or the method is fourier")
    measures = None if graphs is None else model.measures(graphs)
    end = largest or (8.0 if measures is None else max(float(m.eigenvalues.max(initial=0.0)) for m in measures))
    grid = np.linspace(0.0, end or 8.0, n_points)
    figure, axes = _row(ax, len(banks), (4.2, 3.8))
    drawn = None
    for axis, bank in zip(axes, banks, strict=True):
        for j, curve in enumerate(bank(grid)):
            style = ("-", "--", ":")[j // len(SERIES) % 3]
            axis.plot(grid, curve, style, color=SERIES[j % len(SERIES)], linewidth=1.4, label=f"filter {j + 1}")
        axis.set(title=bank.block, xlabel="eigenvalue")
        if measures is not None:
            drawn = _energy(axis, measures[bank.block], grid[-1])
    axes[0].set_ylabel("filter")
    handles, names = max((axis.get_legend_handles_labels() for axis in axes), key=lambda found: len(found[0]))
    if drawn is not None:
        handles, names = [*handles, drawn], [*names, "energy of the graphs"]
    if ax is None:
        columns = 2 if len(axes) == 1 else 4
        figure.legend(handles, names, loc="outside lower center", ncols=columns, frameon=False, fontsize=8)
    else:
        axes[0].legend(handles, names, frameon=False, fontsize=7)
    return figure


def _energy(axis: Axes, measures: Any, end: float) -> Any:
    """The energy in each of some steps along the axis, on a scale of its own."""
    inside = measures.eigenvalues <= end
    energy = measures.energies.sum(axis=1)[inside]
    sums, ends = np.histogram(measures.eigenvalues[inside], STEPS, (0.0, end), weights=energy)
    twin = axis.twinx()
    relative = sums / max(float(sums.max(initial=0.0)), np.finfo(float).tiny)
    drawn = twin.stairs(relative, ends, fill=True, color=GRAY, alpha=0.45)
    twin.set_ylim(0.0, 2.0)
    twin.set_yticks([])
    axis.set_zorder(twin.get_zorder() + 1)
    axis.patch.set_visible(False)
    return drawn


def plot_attributions(said: Prediction | Explanation, *, latent: int = 0, ax: Axes | None = None) -> Axes:
    """What each Hodge block adds to the latent mean: of one graph (`Explanation`) or of many (`Prediction`).

    Of many graphs there is a dot for each, and a line at the mean of its block. The axis says which class a positive
    share speaks for.
    """
    axis = new_axis(ax)
    toward = said.toward if isinstance(said, Explanation) else said.toward(latent)
    if isinstance(said, Explanation):
        shares = np.array(list(said.contributions.values()))
        names = list(said.contributions)
        axis.barh(range(len(names)), shares, color=[SECOND if share >= 0 else FIRST for share in shares])
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
    speaks = "adds to the number" if toward is None else f"speaks for {toward}"
    axis.set_xlabel(f"share of the latent mean\nto the right {speaks}")
    return axis


def plot_cells(
    said: Explanation, graph: Any = None, *, positions: ArrayLike | None = None, ax: Axes | None = None
) -> Axes:
    """What each vertex and edge of one graph adds to the latent mean, in the blocks of labels and values.

    Positive shares are orange, negative ones blue, and widths follow their size. ``graph`` is what was explained: of a
    molecule of RDKit or a SMILES string it gives places and names of the atoms, of a `GraphBatch` its positions and
    labels. ``positions`` of the vertices ``[n, 2]`` or ``[n, 3]`` come first; without both the graph is laid out.
    """
    from matplotlib import patheffects
    from matplotlib.collections import LineCollection

    n = said.n_vertices
    if not said.cells:
        raise HodgeletInputError("no block of labels or values: the explanation has no shares of vertices and edges")
    if isinstance(graph, GraphBatch):
        drawn, names = None, _labels(graph)
    else:
        drawn, names = _molecule(graph)
        graph = GraphBatch(vertices=np.array([n]), edge_offsets=np.array([0, len(said.edges)]), edges=said.edges)
    places = drawn if positions is None and drawn is not None else _places(graph, positions)
    axis = new_axis(ax)
    vertices, edges = said.vertex_shares, said.edge_shares
    scale = max(float(np.abs(np.concatenate([vertices, edges])).max(initial=0.0)), np.finfo(float).tiny)
    segments = list(places[said.edges])
    axis.add_collection(LineCollection(segments, colors=GRAY, linewidths=0.8, zorder=1))
    color = [SECOND if share >= 0 else FIRST for share in edges]
    axis.add_collection(LineCollection(segments, colors=color, linewidths=9 * np.abs(edges) / scale, zorder=2))
    color = [SECOND if share >= 0 else FIRST for share in vertices]
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
        "orange adds, blue takes away",
        fontsize=9,
    )
    return axis


def _labels(batch: GraphBatch) -> list[str]:
    """Labels of the vertices of one graph, where it has some; carbon has no name."""
    found = (column for column in batch.columns if column.dim == 0 and column.categories)
    column = next(found, None)
    if column is None or not column.categories:
        return []
    names = [str(column.categories[code]) for code in column.values]
    return ["" if name == "C" else name for name in names]


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
    graph: Any, signal: ArrayLike, *, dim: int = 1, positions: ArrayLike | None = None, cliques: int = 2, ax: Any = None
) -> Figure:
    """A signal on one graph and its exact, co-exact and harmonic parts side by side.

    On edges (``dim=1``) the signal is a flow, positive along the order of the vertices of each edge: lines are as wide
    and as dark as the flow is strong, arrows point along it. On vertices (``dim=0``) dots are colored, on triangles
    (``dim=2``) areas. ``positions`` of the vertices are ``[n, 2]``, or ``[n, 3]``, which are seen from the side and a
    little from above: areas in front cover those behind, and flows behind are paler. Without positions, and without
    those of a `GraphBatch`, the graph is laid out. ``ax`` is a sequence of axes, one for each picture.
    """
    if dim not in (0, 1, 2):
        raise HodgeletInputError(f"dim={dim}, expected 0 (vertices), 1 (edges) or 2 (triangles)")
    batch = graph if isinstance(graph, GraphBatch) else as_batch([graph], vertex_attrs=[], edge_attrs=[])
    if len(batch) != 1:
        raise HodgeletInputError(f"{len(batch)} graphs, expected one")
    values = np.asarray(signal, dtype=np.float64).reshape(-1)
    places, behind = _places(batch, positions), _behind(positions)
    parts = hodge.decompose(batch, values, dim, cliques=cliques)
    shown = {"signal": values, "exact": parts.exact, "co-exact": parts.coexact, "harmonic": parts.harmonic}
    if dim == 0:
        shown.pop("exact")  # vertices have none
    figure, axes = _row(ax, len(shown), (3.6, 3.9))
    scale = max(float(np.abs(values).max(initial=0.0)), np.finfo(float).tiny)
    triangles = _triangles(batch, cliques)
    for axis, (name, part) in zip(axes, shown.items(), strict=True):
        drawn = _draw(axis, places, behind, batch.edges, triangles, part, dim, scale)
        energy = float(np.sum(part**2)) / max(float(np.sum(values**2)), np.finfo(float).tiny)
        axis.set_title(name if name == "signal" else f"{name}, {100 * energy:.1f} %")
    words = "strength of the flow" if dim == 1 else "value"
    figure.colorbar(drawn, ax=list(axes), location="bottom", shrink=0.4, aspect=40, pad=0.02, label=words)
    return figure


def _draw(
    axis: Axes,
    places: Floats,
    behind: Floats | None,
    edges: Any,
    triangles: list[Any],
    part: Floats,
    dim: int,
    scale: float,
) -> Any:
    """Draws one part; returns what a scale of its colours is made of."""
    from matplotlib.collections import LineCollection, PolyCollection
    from matplotlib.colors import LinearSegmentedColormap

    signed: dict[str, Any] = {"cmap": LinearSegmentedColormap.from_list("signed", SIGNED)}
    # Those behind are drawn first.
    order = list(range(len(triangles)))
    if behind is not None:
        order = sorted(order, key=lambda t: -float(behind[triangles[t]].mean()))
    faces = PolyCollection([places[triangles[t]] for t in order], edgecolor="none")
    if dim == 2:
        faces.set(array=part[order], clim=(-scale, scale), **signed)
    else:
        faces.set(facecolor=GRAY, alpha=0.15)
    axis.add_collection(faces)
    segments = places[edges]
    drawn: Any = faces
    if dim == 2 and behind is not None:
        faces.set(edgecolor="white", linewidth=0.3)
    elif dim != 1:
        axis.add_collection(LineCollection(list(segments), colors=GRAY, linewidths=0.8))
    if dim == 0:
        dots: dict[str, Any] = {**signed, "s": 45, "edgecolors": "black", "linewidths": 0.5, "zorder": 3}
        drawn = axis.scatter(places[:, 0], places[:, 1], c=part, vmin=-scale, vmax=scale, **dots)
    elif dim == 1:
        strength = np.abs(part) / scale
        clear = _clear(edges, behind)
        drawn = LineCollection(list(segments), cmap=_blues(), linewidths=0.6 + 2.4 * strength, alpha=clear)
        drawn.set_array(np.abs(part))
        drawn.set_clim(0.0, scale)
        axis.add_collection(drawn)
        _arrows(axis, segments, part, strength, clear)
        size = min(8.0, 400.0 / max(len(places), 1))
        seen: Any = None if behind is None else _clear(np.arange(len(places))[:, None], behind)
        axis.scatter(places[:, 0], places[:, 1], s=size, color="black", alpha=seen, linewidths=0, zorder=4)
    axis.set_aspect("equal")
    axis.margins(0.08)
    axis.autoscale_view()
    axis.set_axis_off()
    return drawn


def _blues() -> Any:
    """Blues that are seen on white, from weak to strong."""
    from matplotlib import colormaps
    from matplotlib.colors import ListedColormap

    return ListedColormap(colormaps["Blues"](np.linspace(0.25, 1.0, 256)))


def _clear(edges: Any, behind: Floats | None) -> Floats | None:
    """How clearly edges in space are drawn: those in front fully, the farthest hardly."""
    if behind is None or len(edges) == 0:
        return None
    far = behind[edges].mean(axis=1)
    clear: Floats = 1.0 - 0.85 * (far - far.min()) / max(float(np.ptp(far)), np.finfo(float).tiny)
    return clear


def _arrows(axis: Axes, segments: Floats, part: Floats, strength: Floats, clear: Floats | None) -> None:
    """Heads in the middle of edges: no longer than half an edge, and as large as the flow is strong."""
    strong = strength > 0.03
    if not strong.any():
        return
    way, middle = (segments[:, 1] - segments[:, 0])[strong], segments.mean(axis=1)[strong]
    length = np.maximum(np.hypot(*way.T), np.finfo(float).tiny)
    typical = float(np.median(length))
    # A graph of few edges has heads that suit its drawing, too.
    extent = float(np.ptp(segments.reshape(-1, 2), axis=0).max(initial=0.0)) or 1.0
    size = np.minimum(0.4 * length, min(0.3 * typical, 0.08 * extent)) * (0.4 + 0.6 * np.sqrt(strength[strong]))
    way = way / length[:, None] * (np.sign(part[strong]) * size)[:, None]
    # The whole arrow is its head: a narrow shaft as long as the head.
    arrows: dict[str, Any] = {
        "angles": "xy",
        "scale_units": "xy",
        "scale": 1.0,
        "units": "xy",
        "width": 0.05 * min(typical, 0.25 * extent),
        "headwidth": 4.5,
        "headlength": 5.0,
        "headaxislength": 4.5,
        "minlength": 0.0,
        "color": SECOND,
        "alpha": None if clear is None else clear[strong],
        "zorder": 3,
    }
    axis.quiver(*(middle - way / 2).T, *way.T, **arrows)


def _places(batch: GraphBatch, positions: ArrayLike | None) -> Floats:
    """Places of the vertices of one graph: those given, or a layout."""
    from hodgelet import _native

    n = int(batch.vertices[0])
    if positions is None:
        return _native.layout(batch, 0)
    places = np.asarray(positions, dtype=np.float64)
    if places.shape == (n, 3):
        across, depth = _turned(places)
        return np.stack([across, 0.866025 * places[:, 2] + 0.5 * depth], axis=1)
    if places.shape != (n, 2):
        raise HodgeletInputError(f"positions have the shape {list(places.shape)}, expected [{n}, 2] or [{n}, 3]")
    return places


def _turned(places: Floats) -> tuple[Floats, Floats]:
    """Across and depth: around the vertical axis by 35°, then toward the viewer by 30°, as the command draws them."""
    a, b = 0.819152, 0.573576
    return a * places[:, 0] - b * places[:, 1], b * places[:, 0] + a * places[:, 1]


def _behind(positions: ArrayLike | None) -> Floats | None:
    """How far vertices in space are from the viewer; none in the plane."""
    places = np.zeros((0, 2)) if positions is None else np.asarray(positions, dtype=np.float64)
    if places.ndim != 2 or places.shape[1] != 3:
        return None
    return 0.866025 * _turned(places)[1] - 0.5 * places[:, 2]


def _row(ax: Any, count: int, size: tuple[float, float]) -> tuple[Figure, list[Axes]]:
    """A row of axes: new ones, or those given."""
    if ax is None:
        figure, axes = pyplot().subplots(
            1, count, figsize=(size[0] * count, size[1]), squeeze=False, layout="constrained"
        )
        return figure, list(axes[0])
    given = list(np.ravel(np.asarray(ax, dtype=object)))
    if len(given) != count:
        raise HodgeletInputError(f"ax has {len(given)} axes, expected {count}")
    return given[0].figure, given


def _triangles(batch: GraphBatch, cliques: int) -> list[Any]:
    """Vertices of every triangle, given or filled."""
    if batch.triangles is not None:
        return list(batch.triangles)
    if batch.boundaries or cliques < 2:
        return []
    boundary = hodge.boundary(batch, 2, cliques=2)
    return [np.unique(batch.edges[np.flatnonzero(column)]) for column in boundary.T]
