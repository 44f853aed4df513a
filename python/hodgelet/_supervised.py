"""What classification and regression of graphs share."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from hodgelet._base import (
    Estimator,
    check_targets,
    known_targets,
    logger,
    warn_all,
    warn_constant,
    warn_not_converged,
    warn_unknown,
)
from hodgelet._errors import HodgeletInputError
from hodgelet._kernel import FittedKernel
from hodgelet._own import with_own
from hodgelet._parameters import ALIASES
from hodgelet._progress import Progress
from hodgelet._reading import parameters_of, reading_of
from hodgelet._results import CellShares, Drift, Explanation, Hyperparameters, LeaveOneOut, Prediction

if TYPE_CHECKING:
    from hodgelet import _native
    from hodgelet._batch import GraphBatch

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

    @property
    def best_params_(self) -> dict[str, Any]:
        """What ``auto`` chose, as parameters that can be typed again; empty if nothing was changed."""
        changes = [trial["change"] or {} for trial in self.search_ if trial["kept"]]
        return {name: value for change in changes for name, value in change.items()}

    @property
    def kernel_(self) -> FittedKernel:
        """The trained kernel; called with graphs it gives their Gram matrix."""
        native = self._native()
        constant = json.loads(native.description())["constant"]

        def gram(left: GraphBatch, right: GraphBatch | None) -> Floats:
            found: Floats = native.gram(left, right, self._threads())
            return found

        return FittedKernel(self.blocks_, constant, gram, self._batch)

    def log_marginal_likelihood(self) -> float:
        """The log evidence of the training targets, or its lower bound where inference is variational."""
        return float(self.training_["elbo"])

    def transform(self, X: Any) -> Floats | Any:
        """Features of graphs under the learned filters, as the kernels see them: ``[n_graphs, n_columns]``."""
        return self._framed(self._features(X, standardize=True))

    def fit_transform(self, X: Any, y: Any) -> Floats | Any:
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

    def new_batch(self, X: Any, *, columns: Any = None, fingerprints: Any = None, grams: Any = None) -> GraphBatch:
        """New graphs with what is known of them as a whole, for methods that do not take it themselves.

        ``columns`` and ``fingerprints`` are as in `as_batch`. ``grams`` has a row for each graph and a column for each
        graph that the model was fitted to, in their order, and a last one with the product of each graph with itself,
        which may be left out where that is the same for all training graphs; a mapping by name of several.
        """
        native = self._native()
        return with_own(self._batch(X), columns, fingerprints, None, grams, dict(native.grams()))

    def predict_full(self, X: Any, *, columns: Any = None, fingerprints: Any = None, grams: Any = None) -> Prediction:
        """Full predictions for graphs: targets, latent means and variances, and the share of each block.

        ``columns``, ``fingerprints`` and ``grams`` are those of the graphs as a whole, as in `new_batch`; other methods
        take a batch that has them.
        """
        native = self._native()
        batch = self.new_batch(X, columns=columns, fingerprints=fingerprints, grams=grams)
        with Progress(self._verbose()) as progress:
            out = native.predict(batch, self._threads(), progress.callback)
        warn_unknown(out["unknown"], native, batch)
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
        warn_unknown(out["unknown"], native, batch)
        warn_all(out["notes"])
        return {**out, "coverage": coverage}

    def drift(self, X: Any) -> Drift:
        """Whether graphs as a whole are like the training graphs, by a kernel two-sample test; at least 5 graphs."""
        native, batch = self._native(), self._batch(X)
        with Progress(self._verbose()) as progress:
            return Drift(**native.drift(batch, self._threads(), progress.callback))

    def report(
        self,
        X: Any,
        y: Any = None,
        path: str | os.PathLike[str] = "report.html",
        *,
        json: bool = False,
        names: Any = None,
        title: str = "graphs",
        force: bool = False,
    ) -> str:
        """Writes a page of HTML about this model and the graphs ``X``; returns its verdict.

        It has scores with their uncertainty if the targets ``y`` are given, calibration, what the model learned, a
        table of the graphs, the most confident errors first, drawings of some of them, duplicates and drift: one file
        of at most 2 MB that loads nothing. With ``json`` all its numbers go to a file beside it, of the same name with
        ``.json`` at its end. ``names`` are those of the graphs. A report that is there is replaced; anything else only
        if ``force`` is true. `SeveralModels.report` has the same for several targets.
        """
        from hodgelet._report import asked_of, write_report

        batch = self._batch(X)
        asked = asked_of(batch, path, json=json, names=names, title=title, force=force)
        return write_report(self, batch, y, asked)

    def leave_one_out(self) -> LeaveOneOut:
        """Predictions of each training graph from all others, without refitting."""
        out = self._native().leave_one_out()
        probabilities = out["probabilities"] if out["probabilities"].shape[1] else None
        return LeaveOneOut(out["latent_mean"], out["latent_variance"], out["log_density"], probabilities)

    def _add(self, X: Any, y: Any, targets: Any) -> None:
        batch = self._batch(X)
        places, known = known_targets(check_targets(y, len(batch), type(self).__name__))
        if len(places) < len(batch):
            batch = batch.take(places)
        with Progress(self._verbose()) as progress:
            self._fitted = self._native().update(
                batch, **targets(known), threads=self._threads(), callback=progress.callback
            )

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Writes the model file, which the command and Rust read too, whole or not at all.

        A model that is there is replaced; anything else only if `force` is true.
        """
        self._native().save(os.fspath(path), force)

    def _train(
        self,
        X: Any,
        y: Any,
        targets: Any,
        columns: Any,
        fingerprints: Any,
        sample_weight: Any = None,
        grams: Any = None,
    ) -> None:
        from hodgelet import _native

        plain = self._batch(X).to_learn_from()
        places, known = known_targets(check_targets(y, len(plain), type(self).__name__))
        weights = self._weights(places, known, len(plain), sample_weight)
        batch = with_own(plain, columns, fingerprints, weights, grams)
        if weights is not None:
            counts = np.asarray(weights)[places] != 0  # what counts nothing is not there
            places, known = places[counts], known[counts]
        if len(places) < len(batch):
            batch = batch.take(places).to_learn_from()
        if len(batch) < 2:
            raise HodgeletInputError("n_samples = 1: there is 1 graph, expected at least 2 to learn from")
        with Progress(self._verbose()) as progress:
            fitted = _native.Model.fit(
                batch,
                self._settings(self._seed()),
                **targets(known),
                auto=bool(self.get_params()["auto"]),
                reading=reading_of(X, plain, self.get_params()),
                threads=self._threads(),
                callback=progress.callback,
            )
        self._fitted = fitted
        training = self.training_
        warn_constant(training.get("constant_channels", []))
        if training["stop"] == "Iterations":
            warn_not_converged(int(training["iterations"]))
        self.n_graphs_in_ = len(batch)
        self.search_ = [_typeable(trial, self._defaults()) for trial in json.loads(fitted.trials())]
        logger.info(
            "%s: %d graphs, %d blocks, %d steps in %.2f s, log evidence or ELBO %.3f",
            type(self).__name__,
            len(batch),
            len(self.blocks_),
            training["iterations"],
            training["seconds"],
            training["elbo"],
        )

    def _weights(self, places: NDArray[np.int64], known: NDArray[Any], n: int, sample_weight: Any) -> Any:
        """How much each of ``n`` graphs counts: what is given, times what its class counts where that is a mapping.

        ``known`` are the targets of the graphs at ``places``.
        """
        by_class = self.get_params().get("class_weight")
        if not isinstance(by_class, Mapping):
            return sample_weight
        missing = sorted({str(y) for y in known.tolist() if y not in by_class})
        if missing:
            raise HodgeletInputError(f"class_weight has no weight of the class {missing[0]}; it has {list(by_class)}")
        own = np.zeros(n)
        own[places] = [by_class[y] for y in known.tolist()]
        return own if sample_weight is None else own * np.asarray(sample_weight, dtype=np.float64)

    @classmethod
    def _from_native(cls: type[Self], fitted: _native.Model, params: dict[str, Any]) -> Self:
        description = json.loads(fitted.description())
        settings = description["settings"]
        found = {
            name: _typed(settings[ALIASES.get(name, name)], default)
            for name, default in cls._defaults().items()
            if ALIASES.get(name, name) in settings
        }
        estimator = cls(**{**found, **parameters_of(description["training"].get("reading", {})), **params})
        estimator._fitted = fitted
        held_out = description["calibration_graphs"] if description["basis"] == "split" else 0
        estimator.n_graphs_in_ = description["training"]["n_train"] + held_out
        estimator.search_ = []
        return estimator

    def _prediction(self, out: dict[str, Any]) -> Prediction:
        raise NotImplementedError


def _typeable(trial: dict[str, Any], defaults: dict[str, Any]) -> dict[str, Any]:
    """A trial whose change is told by the parameters of the constructor."""
    names = {setting: name for name, setting in ALIASES.items()}
    change = trial["change"]
    if change is None:
        return trial
    told = {names.get(setting, setting): value for setting, value in change.items()}
    return {**trial, "change": {name: _typed(value, defaults.get(name)) for name, value in told.items()}}


def _typed(value: Any, default: Any) -> Any:
    """A value from JSON as it is typed in Python, where the default is of that type."""
    if isinstance(default, tuple):
        return tuple(value)
    return "none" if value is None and isinstance(default, str) else value
