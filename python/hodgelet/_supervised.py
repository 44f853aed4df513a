"""What classification and regression of graphs share."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from hodgelet._base import Estimator, check_targets, warn_all, warn_constant, warn_unknown
from hodgelet._errors import HodgeletInputError
from hodgelet._own import with_own
from hodgelet._parameters import ALIASES
from hodgelet._progress import Progress
from hodgelet._results import CellShares, Drift, Explanation, Hyperparameters, LeaveOneOut, Prediction

if TYPE_CHECKING:
    from hodgelet import _native

Floats = NDArray[np.float64]
Self = TypeVar("Self", bound="Supervised")


class Supervised(Estimator):
    """What the classifier and the regressor share."""

    n_graphs_in_: int
    search_: list[dict[str, Any]]

    @property
    def training_(self) -> dict[str, Any]:
        """How training went: steps, evaluations, objective, ELBO or evidence, seconds."""
        summary: dict[str, Any] = json.loads(self._native().description())["training"]
        return summary

    @property
    def n_iter_(self) -> int:
        """Steps of the optimizer in the start that was kept."""
        return int(self.training_["iterations"])

    @property
    def likelihood_(self) -> dict[str, Any]:
        """The likelihood with its learned parameters."""
        likelihood: dict[str, Any] = json.loads(self._native().description())["likelihood"]
        return likelihood

    @property
    def hyperparameters_(self) -> Hyperparameters:
        """All trained values with their priors and the range they may take; prints as a table."""
        return Hyperparameters(json.loads(self._native().description())["hyperparameters"])

    def transform(self, X: Any) -> Floats:
        """Features of graphs under the learned filters, as the kernels see them: ``[n_graphs, n_columns]``."""
        return self._features(X, standardize=True)

    def fit_transform(self, X: Any, y: Any) -> Floats:
        """Trains on the graphs ``X`` and returns their features under the learned filters."""
        batch = self._batch(X)
        self.fit(batch, y)
        return self.transform(batch)

    def fit(self: Self, X: Any, y: Any) -> Self:
        """Learns the targets ``y`` of the graphs ``X``."""
        raise NotImplementedError

    def explain(self, graph: Any) -> Explanation:
        """Why one graph is predicted as it is.

        The exact share of each Hodge block in the latent mean, and in blocks of labels and values that of each vertex
        and edge (`Explanation.vertex_shares`, `Explanation.edge_shares`, `hodgelet.plot.plot_cells`).
        """
        from hodgelet._batch import GraphBatch

        batch = self._batch(graph if isinstance(graph, GraphBatch) else [graph])
        prediction = self.predict_full(batch)
        if len(prediction) != 1:
            raise HodgeletInputError(f"`explain` takes one graph, got {len(prediction)}; use `predict_full`")
        found = self._native().explain_cells(batch, 0, self._threads())
        latent = prediction._latent(0)
        cells = tuple(
            CellShares(
                block=own["block"],
                dim=own["dim"],
                origin=float(own["origin"][latent]),
                cells=own["cells"][:, latent],
                labels=[(depth, cells, share[latent]) for depth, cells, share in own["labels"]],
            )
            for own in found["blocks"]
        )
        edges = np.asarray(found["edges"], np.int64).reshape(-1, 2)
        return replace(prediction.explain(0), cells=cells, n_vertices=int(batch.vertices[0]), edges=edges)

    def predict_full(self, X: Any, *, columns: Any = None, fingerprints: Any = None) -> Prediction:
        """Full predictions for graphs: targets, latent means and variances, and the share of each block.

        ``columns`` and ``fingerprints`` are those of the graphs as a whole, as in `as_batch`; other methods take a
        batch that has them.
        """
        native, batch = self._native(), with_own(self._batch(X), columns, fingerprints)
        with Progress(self._verbose()) as progress:
            out = native.predict(batch, self._threads(), progress.callback)
        warn_unknown(out["unknown"])
        return self._prediction(out)

    def _regions(self, X: Any, coverage: float) -> dict[str, Any]:
        """Regions by the native code, with its warnings."""
        try:
            coverage = float(coverage)
        except (TypeError, ValueError):
            raise HodgeletInputError(f"coverage is {coverage!r}, expected a number between 0 and 1") from None
        native, batch = self._native(), self._batch(X)
        with Progress(self._verbose()) as progress:
            out = native.regions(batch, coverage, self._threads(), progress.callback)
        warn_unknown(out["unknown"])
        warn_all(out["notes"])
        return {**out, "coverage": coverage}

    def drift(self, X: Any) -> Drift:
        """Whether graphs as a whole are like the training graphs, by a kernel two-sample test; at least 5 graphs."""
        native, batch = self._native(), self._batch(X)
        with Progress(self._verbose()) as progress:
            return Drift(**native.drift(batch, self._threads(), progress.callback))

    def leave_one_out(self) -> LeaveOneOut:
        """Predictions of each training graph from all others, without refitting."""
        out = self._native().leave_one_out()
        probabilities = out["probabilities"] if out["probabilities"].shape[1] else None
        return LeaveOneOut(out["latent_mean"], out["latent_variance"], out["log_density"], probabilities)

    def _add(self, X: Any, y: Any, targets: Any) -> None:
        batch = self._batch(X)
        checked = check_targets(y, len(batch), type(self).__name__)
        with Progress(self._verbose()) as progress:
            self._fitted = self._native().update(
                batch, **targets(checked), threads=self._threads(), callback=progress.callback
            )

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Writes the model file, which the command and Rust read too, whole or not at all.

        A model that is there is replaced; anything else only if `force` is true.
        """
        self._native().save(os.fspath(path), force)

    def _train(self, X: Any, y: Any, targets: Any, columns: Any, fingerprints: Any) -> None:
        from hodgelet import _native

        batch = with_own(self._batch(X).to_learn_from(), columns, fingerprints)
        checked = check_targets(y, len(batch), type(self).__name__)
        if len(batch) < 2:
            raise HodgeletInputError("n_samples = 1: there is 1 graph, expected at least 2 to learn from")
        with Progress(self._verbose()) as progress:
            fitted = _native.Model.fit(
                batch,
                self._settings(self._seed()),
                **targets(checked),
                auto=bool(self.get_params()["auto"]),
                threads=self._threads(),
                callback=progress.callback,
            )
        self._fitted = fitted
        warn_constant(self.training_.get("constant_channels", []))
        self.n_graphs_in_ = len(batch)
        self.search_ = json.loads(fitted.trials())

    @classmethod
    def _from_native(cls: type[Self], fitted: _native.Model, params: dict[str, Any]) -> Self:
        description = json.loads(fitted.description())
        settings = description["settings"]
        found = {
            name: _typed(settings[ALIASES.get(name, name)], default)
            for name, default in cls._defaults().items()
            if ALIASES.get(name, name) in settings
        }
        estimator = cls(**{**found, **params})
        estimator._fitted = fitted
        held_out = description["calibration_graphs"] if description["basis"] == "split" else 0
        estimator.n_graphs_in_ = description["training"]["n_train"] + held_out
        estimator.search_ = []
        return estimator

    def _prediction(self, out: dict[str, Any]) -> Prediction:
        raise NotImplementedError


def _typed(value: Any, default: Any) -> Any:
    """A value from JSON as it is typed in Python, where the default is of that type."""
    if isinstance(default, tuple):
        return tuple(value)
    return "none" if value is None and isinstance(default, str) else value
