"""Many graphs: sparse posteriors, and graphs that come later."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from hodgelet import HodgeletClassifier, HodgeletInputError, HodgeletRegressor, datasets, load

FAST: dict[str, Any] = {"max_iter": 3, "hyperparameters": "map", "n_filters": 3}
SPARSE: dict[str, Any] = {"posterior": "sparse", "inducing": 10, "sample": 20, **FAST}


@pytest.mark.parametrize("settings", [FAST, SPARSE])
def test_partial_fit_adds_graphs_with_hyperparameters_held(settings: dict[str, Any], tmp_path: Path) -> None:
    data = datasets.load("sbm", n_graphs=60)
    assert data.target is not None
    first, later, asked = data.graphs[:30], data.graphs[30:50], data.graphs[50:]
    model = HodgeletClassifier(**settings).partial_fit(first, data.target[:30])
    before = model.predict_proba(asked)
    held = model.hyperparameters_
    model.partial_fit(later, data.target[30:50])
    assert model.training_["n_train"] == 50
    after = model.predict_proba(asked)
    assert np.abs(after - before).max() > 1e-6
    assert [h["value"] for h in model.hyperparameters_] == [h["value"] for h in held]
    model.save(tmp_path / "m.hodgelet")
    assert_array_equal(load(tmp_path / "m.hodgelet").predict_proba(asked), after)


def test_numbers_are_added_too_and_a_new_class_is_named() -> None:
    data = datasets.load("sbm", n_graphs=40)
    numbers = np.arange(40.0) % 7
    model = HodgeletRegressor(**FAST).fit(data.graphs[:30], numbers[:30])
    model.partial_fit(data.graphs[30:], numbers[30:])
    assert model.training_["n_train"] == 40
    classifier = HodgeletClassifier(**FAST).fit(data.graphs[:30], numbers[:30] > 3)
    with pytest.raises(HodgeletInputError, match="new to the model"):
        classifier.partial_fit(data.graphs[30:], np.full(10, 5))


def test_a_sparse_posterior_says_what_it_is_and_leaves_none_out() -> None:
    data = datasets.load("sbm", n_graphs=40)
    model = HodgeletClassifier(**SPARSE).fit(data.graphs, data.target)
    sparse = model.training_["sparse"]
    assert len(sparse["inducing"]) == 10
    assert 0 < sparse["residual"] < 1
    with pytest.raises(Exception, match="sparse posterior"):
        model.leave_one_out()
