"""Targets that are missing, counts, and where the line between two classes is drawn."""

from __future__ import annotations

import copy
import logging
import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import path, ring
from numpy.testing import assert_allclose, assert_array_equal

from hodgelet import HodgeletClassifier, HodgeletInputError, HodgeletRegressor, HodgeletWarning, fit_several, load

GRAPHS = [ring(n) for n in range(4, 12)] + [path(n) for n in range(4, 12)]
KIND = np.array(["ring"] * 8 + ["path"] * 8)
SIZE = np.concatenate([np.arange(4, 12), np.arange(4, 12)]).astype(float)
QUICK: dict[str, Any] = {"hyperparameters": "map", "max_iter": 5}
LEFT_OUT = [1, 6, 9]
KEPT = [i for i in range(16) if i not in LEFT_OUT]


def quiet(model: Any, *args: Any, **named: Any) -> Any:
    """Fits a model whose warnings are not of interest."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(*args, **named)


def with_gaps(values: Any, gaps: list[Any]) -> list[Any]:
    """The values as a list, with gaps in place of those that are left out."""
    listed = list(values.tolist())
    for place, gap in zip(LEFT_OUT, gaps, strict=True):
        listed[place] = gap
    return listed


def gaps() -> list[Any]:
    """Ways to have targets that are missing, of classes and of numbers."""
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    none, nan = [None] * 3, [float("nan"), np.nan, np.float32("nan")]
    mixed = [pandas.NA, None, pandas.NaT]
    masked = np.ma.masked_array(SIZE, mask=np.isin(np.arange(16), LEFT_OUT))
    return [
        (KIND, with_gaps(KIND, none)),
        (KIND, with_gaps(KIND, nan)),
        (KIND, with_gaps(KIND, mixed)),
        (KIND, pandas.Series(with_gaps(KIND, none))),
        (KIND, pandas.Series(with_gaps(KIND, none), dtype="category")),
        (KIND, polars.Series(with_gaps(KIND, none))),
        (SIZE, with_gaps(SIZE, nan)),
        (SIZE, np.array(with_gaps(SIZE, nan))),
        (SIZE, with_gaps(SIZE, mixed)),
        (SIZE, pandas.Series(with_gaps(SIZE.astype(int), none), dtype="Int64")),
        (SIZE, polars.Series(with_gaps(SIZE, none))),
        (SIZE, masked),
    ]


@pytest.mark.parametrize("case", range(12))
def test_graphs_without_a_target_are_left_out_and_counted(case: int) -> None:
    whole, y = gaps()[case]
    kind = HodgeletClassifier if whole is KIND else HodgeletRegressor
    with pytest.warns(HodgeletWarning, match="^3 graphs without a target were left out$"):
        model = kind(**QUICK).fit(GRAPHS, y)
    expected = quiet(kind(**QUICK), [GRAPHS[i] for i in KEPT], whole[KEPT])
    assert model.n_graphs_in_ == 13
    assert_array_equal(model.predict_full(GRAPHS).latent_mean, expected.predict_full(GRAPHS).latent_mean)
    if kind is HodgeletClassifier:
        assert model.classes_.tolist() == ["path", "ring"]
    with pytest.warns(HodgeletWarning, match="3 graphs without a target"):
        score = model.score(GRAPHS, y, sample_weight=SIZE)
    assert score == model.score([GRAPHS[i] for i in KEPT], whole[KEPT], sample_weight=SIZE[KEPT])


def test_classes_that_became_floats_by_a_gap_are_classes() -> None:
    pandas = pytest.importorskip("pandas")
    y = pandas.Series([1, 0, None, 1] * 4)
    model = quiet(HodgeletClassifier(**QUICK), GRAPHS, y)
    assert model.classes_.tolist() == [0, 1] and model.n_graphs_in_ == 12
    whole = quiet(HodgeletClassifier(**QUICK), GRAPHS, [1, 0, None, 1] * 4)
    assert whole.classes_.dtype.kind == "i"


def test_weights_columns_and_matrices_stay_with_their_graphs() -> None:
    few, y = [GRAPHS[i] for i in KEPT], with_gaps(KIND, [None] * 3)
    weights = np.linspace(0.5, 2.0, 16)
    points = np.column_stack([np.sin(SIZE), np.cos(SIZE)])
    gram = points @ points.T + np.eye(16)
    for of_classes in ("equal", {"ring": 2.0, "path": 0.5}):
        plain = HodgeletClassifier(**QUICK, class_weight=of_classes)  # type: ignore[arg-type]
        gapped = quiet(copy.copy(plain), GRAPHS, y, sample_weight=weights, columns={"size": SIZE})
        whole = quiet(copy.copy(plain), few, KIND[KEPT], sample_weight=weights[KEPT], columns={"size": SIZE[KEPT]})
        found = [model.predict_proba(GRAPHS, columns={"size": SIZE}) for model in (gapped, whole)]
        assert_array_equal(found[0], found[1])
    gapped = quiet(HodgeletClassifier(**QUICK), GRAPHS, y, grams=gram)
    whole = quiet(HodgeletClassifier(**QUICK), few, KIND[KEPT], grams=gram[np.ix_(KEPT, KEPT)])
    assert_allclose(gapped.leave_one_out().latent_mean, whole.leave_one_out().latent_mean, atol=1e-9)


def test_what_is_added_may_have_gaps_too() -> None:
    model = quiet(HodgeletRegressor(**QUICK), GRAPHS[:12], SIZE[:12])
    other = copy.deepcopy(model)
    with pytest.warns(HodgeletWarning, match="1 graphs without a target"):
        model.partial_fit(GRAPHS[12:], [*SIZE[12:15], None])
    other.partial_fit(GRAPHS[12:15], SIZE[12:15])
    assert_array_equal(model.predict(GRAPHS), other.predict(GRAPHS))


@pytest.mark.parametrize("kind", [HodgeletClassifier, HodgeletRegressor])
def test_no_target_at_all_is_an_error(kind: Any) -> None:
    for y in (np.full(16, np.nan), [None] * 16):
        with pytest.raises(HodgeletInputError, match="y has no target: Input y contains NaN"):
            kind(**QUICK).fit(GRAPHS, y)
    with pytest.raises(HodgeletInputError, match=r"y\[0\] is inf"):
        kind(**QUICK).fit(GRAPHS, [np.inf, *SIZE[1:]])
    with pytest.raises(HodgeletInputError, match="cannot be put in order"):
        HodgeletClassifier(**QUICK).fit(GRAPHS, [None, 1, "a", *KIND[3:]])


def test_several_targets_know_the_missing_values_of_pandas(caplog: pytest.LogCaptureFixture) -> None:
    pandas = pytest.importorskip("pandas")
    kind = pandas.array(with_gaps(KIND, [None] * 3), dtype="string")
    size = pandas.array([None if i in (1, 2) else int(n) for i, n in enumerate(SIZE)], dtype="Int64")
    frame = pandas.DataFrame({"kind": kind, "size": size})
    kinds = {"size": "numbers"}
    with caplog.at_level(logging.INFO, logger="hodgelet"):  # noqa: SIM117
        with pytest.warns(HodgeletWarning, match="^1 graphs without a target were left out$"):
            models = fit_several(GRAPHS, frame, kinds=kinds, **QUICK)
    assert (models["kind"].n_graphs_in_, models["size"].n_graphs_in_) == (13, 14)
    assert models["kind"].classes_.tolist() == ["path", "ring"]  # type: ignore[union-attr]
    assert "target kind is known of 13 of 15 graphs" in caplog.messages
    without = [i for i in range(16) if i != 1]
    whole = fit_several([GRAPHS[i] for i in without], frame.iloc[without], kinds=kinds, **QUICK)
    for name, predicted in whole.predict(GRAPHS).items():
        assert_array_equal(models.predict(GRAPHS)[name], predicted)


def test_draws_of_counts_are_counts() -> None:
    model = quiet(HodgeletRegressor(**QUICK, noise="poisson"), GRAPHS, SIZE)
    new = [ring(5), path(9), ring(14)]
    mean, std = model.predict(new, return_std=True)
    n = 20_000
    for state in (1, np.random.RandomState(1), np.random.default_rng(1)):
        draws = model.sample_y(new, n, random_state=state)
        assert draws.shape == (3, n) and draws.dtype == np.float64
        assert (draws >= 0).all() and (draws == np.floor(draws)).all()
        assert_allclose(draws.mean(axis=1), mean, atol=5 * std.max() / np.sqrt(n))
        assert_allclose(draws.std(axis=1), std, rtol=0.1)
    assert_array_equal(model.sample_y(new, 7, random_state=1), model.sample_y(new, 7, random_state=1))


RULES = ["cost=5", "cost=0.2", "prevalence", "recall=0.9"]
#: Classes that graphs do not decide: every third ring is called a path and so on.
BLURRED = np.where(np.arange(16) % 3 == 0, np.where(KIND == "ring", "path", "ring"), KIND)


@pytest.mark.parametrize("rule", RULES)
def test_decisions_and_predictions_follow_the_threshold(rule: str, tmp_path: Path) -> None:
    model = quiet(HodgeletClassifier(**QUICK, threshold=rule), GRAPHS, BLURRED)
    threshold = model.threshold_
    assert isinstance(threshold, float) and 0.0 < threshold < 1.0 and threshold != 0.5
    new = GRAPHS + [ring(n) for n in range(12, 30)] + [path(n) for n in range(12, 30)]
    second = model.predict_proba(new)[:, 1]
    predicted = model.predict(new)
    assert_array_equal(predicted, model.classes_[(second >= threshold).astype(int)])
    decision = model.decision_function(new)
    assert_array_equal(model.classes_[(decision > 0).astype(int)], predicted)
    odds = np.log(second / (1 - second)) - np.log(threshold / (1 - threshold))
    assert_allclose(decision, odds, atol=1e-9)
    model.save(tmp_path / "m.hodgelet")
    again = load(tmp_path / "m.hodgelet")
    assert again.threshold_ == pickle.loads(pickle.dumps(model)).threshold_ == threshold  # type: ignore[union-attr]


def test_thresholds_do_what_their_rules_say() -> None:
    models = {rule: quiet(HodgeletClassifier(**QUICK, threshold=rule), GRAPHS, BLURRED) for rule in RULES}
    thresholds = {rule: model.threshold_ for rule, model in models.items()}
    second = models["prevalence"].leave_one_out().probabilities[:, 1]
    is_second = models["prevalence"].classes_[1] == BLURRED
    assert thresholds["cost=5"] < thresholds["cost=0.2"]  # dear misses lower it, dear alarms raise it
    assert (second >= thresholds["prevalence"]).sum() == is_second.sum()
    assert (second[is_second] >= thresholds["recall=0.9"]).mean() >= 0.9

    def cost(threshold: float, ratio: float) -> float:
        misses, alarms = is_second & (second < threshold), ~is_second & (second >= threshold)
        return float(ratio * misses.sum() + alarms.sum())

    for rule, ratio in (("cost=5", 5.0), ("cost=0.2", 0.2)):
        least = min(cost(t, ratio) for t in [0.0, *(second + 1e-12), 1.0])
        assert cost(thresholds[rule], ratio) == pytest.approx(least)
    with pytest.raises(HodgeletInputError, match="threshold"):
        HodgeletClassifier(threshold="f1").fit(GRAPHS, KIND)


def test_without_a_rule_there_is_no_threshold(fitted: HodgeletClassifier) -> None:
    assert fitted.threshold_ is None
    assert not hasattr(HodgeletClassifier(threshold="prevalence"), "threshold_")
