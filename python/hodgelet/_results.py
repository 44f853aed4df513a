"""Results of models, as plain objects that hold arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hodgelet._errors import HodgeletInputError

__all__ = [
    "Block",
    "BlockMeasures",
    "CellShares",
    "Drift",
    "EnergyMeasures",
    "Explanation",
    "FilterBank",
    "Hyperparameters",
    "LeaveOneOut",
    "Novelty",
    "Prediction",
]

Floats = NDArray[np.float64]


class Hyperparameters(list[dict[str, Any]]):
    """Trained values, each a dict of ``name``, ``value``, ``prior`` and ``range``, that print as a table."""

    def rows(self) -> list[list[str]]:
        """Name, value, median and width of the prior, and how many widths the value has moved in the logarithm."""
        rows = []
        for entry in self:
            prior, value = entry["prior"], entry["value"]
            row = [entry["name"], f"{value:.4g}", "", "", ""]
            if prior is not None:
                moved = np.log(value / prior["center"]) / prior["deviation"]
                row[2:] = [f"{prior['center']:.4g}", f"{prior['deviation']:.3g}", f"{moved:+.2f}"]
            rows.append(row)
        return rows

    def __str__(self) -> str:
        table = [_HYPERPARAMETER_HEAD, *self.rows()]
        widths = [max(len(row[j]) for row in table) for j in range(len(_HYPERPARAMETER_HEAD))]
        lines = ("  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in table)
        return "\n".join(line.rstrip() for line in lines)

    def _repr_html_(self) -> str:
        from hodgelet._html import table_html

        return table_html(_HYPERPARAMETER_HEAD, self.rows())


_HYPERPARAMETER_HEAD = ["hyperparameter", "value", "prior median", "prior width", "moved, in widths"]


class _Curves(Protocol):
    """What evaluates filters."""

    def filter_curves(self, block: int, grid: list[float]) -> Floats: ...


@dataclass(frozen=True, eq=False)
class Block:
    """One block of features: the signals of one dimension in one Hodge component.

    ``variance`` and ``lengthscales`` are those of its kernel; a `HodgeletTransformer` has none.
    """

    name: str
    dim: int
    component: str
    channels: list[str]
    n_columns: int
    n_varying: int
    variance: float | None = None
    lengthscales: Floats | None = None
    kernel: str | None = None


@dataclass(frozen=True, eq=False)
class FilterBank:
    """The filters of one block: ``w_j(x) = a(s_j0 x) + b(s_j1 x) + b(s_j2 x) + ...``.

    ``scales`` is ``[n_filters, 1 + n_bands]``, the scale of the low-pass term (where there is one) first. Call the bank
    with eigenvalues to evaluate it.
    """

    block: str
    scales: Floats
    low_pass: str | None
    band_pass: str
    _index: int = field(repr=False)
    _curves: _Curves = field(repr=False)

    @property
    def n_filters(self) -> int:
        """Number of filters."""
        return len(self.scales)

    def __call__(self, eigenvalues: ArrayLike) -> Floats:
        """Values of every filter at every eigenvalue, ``[n_filters, n_eigenvalues]``."""
        grid = np.asarray(eigenvalues, dtype=np.float64)
        if grid.ndim != 1:
            raise HodgeletInputError(f"eigenvalues have {grid.ndim} axes, expected 1")
        return self._curves.filter_curves(self._index, grid.tolist())


@dataclass(frozen=True, eq=False)
class Novelty:
    """How far predicted graphs are from the training graphs, in units of the model's kernel.

    ``distance[i]`` is that of graph ``i`` to ``nearest[i]``, an index into the training graphs: 0 for equal features,
    1 for nothing in common. ``block_distances[i, b]`` is the same within one block, whatever is nearest there, and
    ``far_block[i]`` the block that is farthest relative to its threshold. ``is_far[i]`` says whether a distance passes
    its threshold, which of graphs like the training graphs about 1 in 100 does. ``variance_ratio`` is latent over prior
    variance: near 0 where training graphs decide, about 1 where they say nothing.
    """

    variance_ratio: Floats
    distance: Floats
    nearest: NDArray[np.int64]
    block_distances: Floats
    far_block: list[str]
    is_far: NDArray[np.bool_]
    threshold: float
    block_thresholds: Floats

    def __len__(self) -> int:
        return len(self.distance)


@dataclass(frozen=True)
class Drift:
    """How a set of graphs compares with the training graphs as a whole: a kernel two-sample test.

    ``statistic`` is the unbiased squared maximum mean discrepancy in units of the prior variance, around 0 (also below)
    without a change. ``p_value`` is the share of random splits of all graphs into two such sets that differ as much:
    a small one says that the sets differ, not that predictions are wrong. Of more than 1000 graphs in a set 1000 are
    drawn; ``compared_new`` and ``compared_training`` say how many were compared.
    """

    statistic: float
    p_value: float
    n_new: int
    n_training: int
    compared_new: int
    compared_training: int
    permutations: int


@dataclass(frozen=True, eq=False)
class Prediction:
    """Predictions for some graphs, with the latent functions and the share of each block.

    ``attributions[i, b, c]`` is what block ``blocks[b]`` adds to the latent mean ``latent_mean[i, c]``; the sum over
    blocks is exact. There is one latent function for two classes (positive for the second) and for real targets, and
    one for each class otherwise. ``novelty`` says how far graphs are from the training graphs.
    """

    latent_mean: Floats
    latent_variance: Floats
    blocks: list[str]
    attributions: Floats
    n_unknown_labels: int
    classes: NDArray[Any] | None = None
    labels: NDArray[Any] | None = None
    probabilities: Floats | None = None
    mean: Floats | None = None
    variance: Floats | None = None
    novelty: Novelty | None = None

    def __len__(self) -> int:
        return len(self.latent_mean)

    @property
    def value(self) -> NDArray[Any]:
        """The predicted class, or mean, of each graph."""
        found = self.mean if self.labels is None else self.labels
        assert found is not None, "a prediction is of classes or of numbers"
        return found

    @property
    def std(self) -> Floats:
        """Standard deviation: of a new observation for real targets, of the latent functions for classes."""
        return np.sqrt(self.latent_variance if self.variance is None else self.variance)

    def to_pandas(self) -> Any:
        """A data frame with a row for each graph: what is predicted, how sure, how far, and the share of each block."""
        import pandas

        found: dict[str, Any] = {"predicted": self.value}
        if self.probabilities is not None and self.classes is not None:
            found.update({f"p({c})": self.probabilities[:, k] for k, c in enumerate(self.classes)})
        else:
            found["std"] = self.std
        if self.novelty is not None:
            found.update({"distance": self.novelty.distance, "far": self.novelty.is_far})
        latent = [self._latent(i) for i in range(len(self))]
        rows = np.arange(len(self))
        found["latent"] = self.latent_mean[rows, latent]
        for b, block in enumerate(self.blocks):
            found[f"share: {block}"] = self.attributions[rows, b, latent]
        return pandas.DataFrame(found)

    def _repr_html_(self) -> str:
        from hodgelet._html import prediction_html

        return prediction_html(self)

    def _latent(self, i: int) -> int:
        """The latent function that speaks for the predicted class of graph ``i``."""
        if self.probabilities is None or self.latent_mean.shape[1] == 1:
            return 0
        return int(np.argmax(self.probabilities[i]))

    def explain(self, i: int = 0) -> Explanation:
        """Why graph ``i`` is predicted as it is, by block; `explain` of a model goes down to vertices and edges."""
        n = len(self)
        if not -n <= i < n:
            raise IndexError(f"graph {i}, but {n} were predicted")
        latent = self._latent(i)
        probability = None if self.probabilities is None else float(self.probabilities[i].max())
        return Explanation(
            value=self.value[i],
            probability=probability,
            std=float(self.std[i, latent] if self.std.ndim == 2 else self.std[i]),
            latent_mean=float(self.latent_mean[i, latent]),
            latent_std=float(np.sqrt(self.latent_variance[i, latent])),
            contributions=dict(zip(self.blocks, self.attributions[i, :, latent].tolist(), strict=True)),
            toward=self.toward(latent),
        )

    def toward(self, latent: int = 0) -> Any:
        """The class that positive values of a latent function speak for; none for numbers."""
        if self.classes is None:
            return None
        return self.classes[1 if self.latent_mean.shape[1] == 1 else latent]


@dataclass(frozen=True, eq=False)
class CellShares:
    """The share of a block of labels or values in the latent mean, cell by cell.

    ``cells`` and ``origin``, what a graph without cells would have, add up to the share of the block. ``labels`` are
    tuples of how many times a label is refined, the cells that have it and its share, the largest first; those of a
    block of values are empty. Shares follow the straight line from the graph without cells (integrated gradients).
    """

    block: str
    dim: int
    origin: float
    cells: Floats
    labels: list[tuple[int, list[int], float]]


@dataclass(frozen=True, eq=False)
class Explanation:
    """One prediction, split exactly into the shares of the Hodge blocks.

    ``contributions`` add up to ``latent_mean``: for two classes they are positive for the second, with more they belong
    to the predicted class, and for real targets they are in units of the standard deviation of the training targets.
    Blocks of labels and values are split further, in ``cells``; ``edges`` are the vertices of the edges.
    """

    value: Any
    probability: float | None
    std: float
    latent_mean: float
    latent_std: float
    contributions: dict[str, float]
    cells: tuple[CellShares, ...] = ()
    n_vertices: int = 0
    edges: NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 2), np.int64))
    #: The class that a positive latent value speaks for; none for numbers.
    toward: Any = None

    @property
    def vertex_shares(self) -> Floats:
        """What each vertex adds in the blocks that are split further."""
        return self._shares(0, self.n_vertices)

    @property
    def edge_shares(self) -> Floats:
        """What each edge adds in the blocks that are split further, in the order of ``edges``."""
        return self._shares(1, len(self.edges))

    def _shares(self, dim: int, count: int) -> Floats:
        total = np.zeros(count)
        for own in self.cells:
            if own.dim == dim:
                total += own.cells
        return total

    def _repr_html_(self) -> str:
        from hodgelet._html import explanation_html

        return explanation_html(self)

    def __str__(self) -> str:
        sure = f"probability {self.probability:.3f}" if self.probability is not None else f"± {self.std:.4g}"
        lines = [f"{self.value} ({sure}); latent {self.latent_mean:+.3f} ± {self.latent_std:.3f}, from"]
        width = max((len(name) for name in self.contributions), default=0)
        largest_first = sorted(self.contributions.items(), key=lambda item: -abs(item[1]))
        lines += [f"  {name:<{width}}  {share:+.3f}" for name, share in largest_first]
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class LeaveOneOut:
    """Predictions of each training graph from all others, without refitting.

    ``log_density`` is that of the true target; for real targets it is in the units of standardized targets.
    """

    latent_mean: Floats
    latent_variance: Floats
    log_density: Floats
    probabilities: Floats | None


@dataclass(frozen=True, eq=False)
class BlockMeasures:
    """Energies of the signals of many graphs over the spectrum of one block.

    Graph ``i`` owns the atoms ``offsets[i]:offsets[i + 1]``: ``eigenvalues[atom]`` and ``energies[atom, channel]``.
    """

    block: str
    channels: list[str]
    offsets: NDArray[np.int64]
    eigenvalues: Floats
    energies: Floats

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, i: int) -> tuple[Floats, Floats]:
        """Eigenvalues and energies of graph ``i``."""
        n = len(self)
        if not -n <= i < n:
            raise IndexError(f"graph {i}, but {n} were measured")
        start, end = self.offsets[i % n], self.offsets[i % n + 1]
        return self.eigenvalues[start:end], self.energies[start:end]


@dataclass(frozen=True, eq=False)
class EnergyMeasures:
    """Energy measures of many graphs, block by block: all that features are made of."""

    blocks: list[BlockMeasures]

    def __len__(self) -> int:
        return len(self.blocks[0]) if self.blocks else 0

    def __iter__(self) -> Iterator[BlockMeasures]:
        return iter(self.blocks)

    def __getitem__(self, name: str) -> BlockMeasures:
        """The measures of a block, by its name."""
        for block in self.blocks:
            if block.block == name:
                return block
        raise KeyError(f"no block `{name}`; there are {', '.join(b.block for b in self.blocks)}")


def blocks_of(described: Sequence[dict[str, Any]]) -> list[Block]:
    """Blocks from the description by the native code."""
    always = ["name", "dim", "component", "channels", "n_columns", "n_varying"]
    return [
        Block(
            **{name: block[name] for name in always},
            variance=block.get("variance"),
            lengthscales=block.get("lengthscales"),
            kernel=_kernel_name(block.get("kernel")),
        )
        for block in described
    ]


def filters_of(described: Sequence[dict[str, Any]], curves: _Curves) -> list[FilterBank]:
    """Filters from the description by the native code; harmonic blocks have none."""
    return [
        FilterBank(block["name"], block["scales"], block["low_pass"], block["band_pass"], index, curves)
        for index, block in enumerate(described)
        if "scales" in block
    ]


def measures_of(described: Sequence[dict[str, Any]]) -> EnergyMeasures:
    """Measures from the arrays of the native code."""
    return EnergyMeasures([BlockMeasures(**block) for block in described])


def _kernel_name(family: str | None) -> str | None:
    """A family in words such as ``matern (nu=1.25)``."""
    if family is None:
        return None
    import json

    described = json.loads(family)
    name: str = described.pop("type")
    shape = ", ".join(f"{key}={value}" for key, value in described.items())
    return f"{name} ({shape})" if shape else name
