"""Charts of `hodgelet.plot` that have axes: reliability, spectra, learning curves; and the colours of all plots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hodgelet._errors import HodgeletError, HodgeletInputError
from hodgelet._results import Prediction

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "FIRST",
    "GRAY",
    "SECOND",
    "SERIES",
    "SIGNED",
    "new_axis",
    "plot_kernel",
    "plot_learning_curve",
    "plot_reliability",
    "plot_spectrum",
    "pyplot",
]

Floats = NDArray[np.float64]
#: Colours that people with any kind of colour vision tell apart (Okabe and Ito).
FIRST, SECOND, GRAY = "#0072b2", "#d55e00", "#7b8794"
SERIES = (FIRST, SECOND, "#009e73", "#cc79a7", "#b8860b", "#56b4e9", "#5b6b7b")
#: Signed values: blue, gray, vermilion.
SIGNED = ("#005aa0", "#dee2e6", "#c84b00")
#: Graphs whose pairs are drawn.
PAIRED = 48
#: 95% of a normal distribution.
WIDE = 1.959964


def plot_reliability(
    truth: ArrayLike, probabilities: Any, *, classes: ArrayLike | None = None, n_bins: int = 15, ax: Axes | None = None
) -> Axes:
    """How often the predicted class is correct, against its predicted probability.

    ``probabilities`` is a `Prediction` or an array ``[n_graphs, n_classes]``, whose columns are ``classes`` (by default
    the classes of ``truth``, in order). Bars show the share of graphs in each bin, with their number above; vertical
    lines are 95% intervals. The title has the expected calibration error, the mean gap weighted by these shares, and
    its floor: what a perfect model would show on as many graphs.
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
    # The mean size of a centered normal variable of the variance that a bin would have by chance.
    chance = np.bincount(bins, confidence * (1 - confidence), n_bins)[filled]
    floor = float(np.sum(np.sqrt(2 * chance / np.pi)) / len(target))
    axis = new_axis(ax)
    centers = (np.arange(n_bins) + 0.5) / n_bins
    axis.bar(centers, counts / len(target), width=0.9 / n_bins, color=GRAY, alpha=0.35, label="share of graphs")
    for x, count in zip(centers[filled], counts[filled], strict=True):
        axis.text(x, 0.01, str(count), ha="center", va="bottom", fontsize=7, color="black")
    axis.plot([0.0, 1.0], [0.0, 1.0], color="black", linewidth=0.8, linestyle=":", label="perfect")
    axis.plot(mean, share_right, color=FIRST, marker="o", label="right, 95% interval")
    low, high = _wilson(share_right, counts[filled])
    axis.vlines(mean, low, high, color=FIRST, linewidth=1.2)
    lowest = 1.0 / max(len(known), 1)
    axis.set(xlim=(min(lowest, float(confidence.min())) - 0.02, 1.02), ylim=(-0.02, 1.02))
    axis.set(xlabel="probability of the predicted class", ylabel="share that is right")
    words = f"expected calibration error {error:.3f}\na perfect model would show {floor:.3f}"
    axis.set_title(words, fontsize=10, pad=22)
    # Above the axes, where no bar and no interval can be.
    axis.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3, frameon=False, fontsize=8, columnspacing=1.2)
    return axis


def _wilson(share: Floats, count: Any) -> tuple[Floats, Floats]:
    """95% intervals of shares, by Wilson's score."""
    square = WIDE**2
    middle = (share + square / (2 * count)) / (1 + square / count)
    half = WIDE / (1 + square / count) * np.sqrt(share * (1 - share) / count + square / (4 * count**2))
    return np.maximum(middle - half, 0.0), np.minimum(middle + half, 1.0)


def plot_spectrum(model: Any, graph: Any, *, dim: int | None = None, ax: Axes | None = None) -> Axes:
    """The energy of the signals of one graph at the eigenvalues of each Hodge component, as ``model`` measures them.

    ``model`` is a fitted estimator or transformer. ``dim`` is the dimension of the cells: by default that of edges, or
    of vertices where edges carry no signal.
    """
    from hodgelet._batch import GraphBatch

    measures = model.measures(graph if isinstance(graph, GraphBatch) else [graph])
    if len(measures) != 1:
        raise HodgeletInputError(f"{len(measures)} graphs, expected one")
    dims = {block.name: block.dim for block in model.blocks_}
    filled = [m for m in measures if float(m.energies.sum()) > 0.0 and m.block in dims]
    found = sorted({dims[m.block] for m in filled})
    wanted = dim if dim is not None else (1 if 1 in found else next(iter(found), 0))
    shown = [m for m in filled if dims[m.block] == wanted]
    if not shown:
        raise HodgeletInputError(f"no energy on cells of dimension {wanted}; there is some on {found}")
    axis = new_axis(ax)
    for k, part in enumerate(shown):
        color = SERIES[k % len(SERIES)]
        axis.vlines(part.eigenvalues, 0.0, part.energies.sum(axis=1), color=color, linewidth=1.8, label=part.block)
    axis.set(xlabel="eigenvalue", ylabel="energy of all channels", xlim=(-0.1, None), ylim=(0.0, None))
    axis.legend(frameon=False, fontsize=8)
    return axis


def plot_kernel(
    model: Any, graphs: Any, y: ArrayLike | None = None, *, most: int = PAIRED, ax: Axes | None = None
) -> Axes:
    """What graphs have in common for a fitted ``model``, pair by pair: the prior correlation of their latent values.

    It is 1 for equal features and 0 for nothing in common; what all graphs share, the constant, is left out. With the
    targets ``y`` of a classifier, graphs stand class by class. Of more than ``most`` graphs some are drawn, at equal
    steps.
    """
    from matplotlib.colors import LinearSegmentedColormap

    from hodgelet._batch import GraphBatch

    n = len(graphs)
    if n == 0 or most < 1:
        raise HodgeletInputError(f"{n} graphs, {most} of them at most, expected at least one")
    step = -(-n // most)
    some = np.arange(0, n, step)
    names, counts = [f"{len(some)} graphs"], np.array([len(some)])
    if y is not None and hasattr(model, "classes_"):
        target = np.asarray(y)
        if target.shape != (n,):
            raise HodgeletInputError(f"y has the shape {list(target.shape)}, expected [{n}]")
        # Classes may alternate: steps through the order of the graphs could pass over one of them.
        some = np.argsort(target, kind="stable")[::step]
        classes, counts = np.unique(target[some], return_counts=True)
        names = [str(name) for name in classes]
    kernel = model.kernel_
    shown = graphs[some] if isinstance(graphs, GraphBatch) else [graphs[i] for i in some]
    gram = kernel(shown) - (kernel.constant or 0.0)
    whole = np.diag(gram)[:, None] + np.diag(gram)[None, :]
    common = np.divide(2.0 * gram, whole, out=np.ones_like(gram), where=whole > 0.0)
    axis = new_axis(ax)
    scale = LinearSegmentedColormap.from_list("common", SIGNED[1:])
    image = axis.imshow(common, cmap=scale, vmin=0.0, vmax=1.0, interpolation="nearest")
    ends = np.cumsum(counts)
    for end in ends[:-1] - 0.5:
        axis.axhline(end, color="black", linewidth=0.8)
        axis.axvline(end, color="black", linewidth=0.8)
    axis.set_yticks(ends - counts / 2.0 - 0.5, names)
    axis.set_xticks([])
    axis.tick_params(length=0)
    axis.set_title(f"What {len(some)} graphs have in common", fontsize=10)
    axis.figure.colorbar(image, ax=axis, label="prior correlation of latent values")
    return axis


def plot_learning_curve(
    model: Any,
    graphs: Any,
    y: ArrayLike,
    *,
    sizes: Sequence[float] = (0.1, 0.2, 0.4, 0.7, 1.0),
    folds: int = 3,
    seed: int = 0,
    ax: Axes | None = None,
) -> Axes:
    """The score of a model against the number of training graphs, with standard errors over folds.

    ``model`` is an estimator with its settings, which is not changed. Every fold is tested by models of a share of its
    training graphs; each set holds the smaller ones. Scores are those of ``model.score``: accuracy, or R².
    """
    from hodgelet._batch import GraphBatch

    target = np.asarray(y)
    if not 2 <= folds <= len(target):
        raise HodgeletInputError(f"{folds} folds of {len(target)} graphs, expected from 2 to that many")
    order = np.random.default_rng(seed).permutation(len(target))
    part = graphs if isinstance(graphs, GraphBatch) else None

    def pick(places: Any) -> Any:
        return part[places] if part is not None else [graphs[i] for i in places]

    counts: list[float] = []
    scores: list[list[float]] = []
    for size in sizes:
        counts.append(0.0)
        scores.append([])
        for fold in range(folds):
            test = order[fold::folds]
            train = np.setdiff1d(order, test, assume_unique=True)
            train = np.random.default_rng(seed + fold).permutation(train)
            train = train[: max(2, round(size * len(train)))]
            trained = type(model)(**model.get_params()).fit(pick(train), target[train])
            counts[-1] += len(train) / folds
            scores[-1].append(float(trained.score(pick(test), target[test])))
    axis = new_axis(ax)
    means = [float(np.mean(row)) for row in scores]
    errors = [float(np.std(row, ddof=1) / np.sqrt(folds)) for row in scores]
    axis.errorbar(counts, means, yerr=errors, color=FIRST, marker="o", capsize=3, label=f"{folds} folds, ± error")
    axis.set(xlabel="training graphs", ylabel="accuracy" if hasattr(model, "predict_proba") else "R²")
    axis.legend(frameon=False, fontsize=8)
    return axis


def new_axis(ax: Axes | None) -> Axes:
    """The axes given, or new ones."""
    return ax if ax is not None else pyplot().subplots(figsize=(5.0, 3.8), layout="constrained")[1]


def pyplot() -> Any:
    """matplotlib, which is imported only when something is drawn."""
    try:
        from matplotlib import pyplot
    except ImportError:
        raise HodgeletError("plots need matplotlib: pip install matplotlib") from None
    return pyplot
