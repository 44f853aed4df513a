"""Sets of classes and intervals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from hodgelet import HodgeletClassifier, HodgeletInputError, HodgeletRegressor, HodgeletWarning, datasets, load

FAST: dict[str, Any] = {"max_iter": 3, "hyperparameters": "map", "n_filters": 3}


@pytest.mark.parametrize("conformal", [None, "split", "cv-plus"])
def test_sets_say_what_they_rest_on_and_come_back(conformal: str | None, tmp_path: Path) -> None:
    data = datasets.load("sbm", n_graphs=48)
    model = HodgeletClassifier(conformal=conformal, conformal_folds=3, **FAST).fit(data.graphs, data.target)
    sets = model.predict_set(data.graphs, coverage=0.8)
    assert (sets.basis, sets.coverage) == (conformal or "model", 0.8)
    assert (sets.guaranteed is None) == (conformal is None)
    assert ("without a guarantee" in str(sets)) == (conformal is None)
    assert sets.members.shape == (48, 2)
    assert len(sets) == len(list(sets)) == 48
    assert all(label in found for label, found in zip(model.predict(data.graphs), sets, strict=True))
    model.save(tmp_path / "m.hodgelet")
    again = load(tmp_path / "m.hodgelet")
    assert again.n_graphs_in_ == 48
    assert again.conformal == conformal
    assert_array_equal(again.predict_set(data.graphs, coverage=0.8).members, sets.members)


def test_intervals_hold_numbers_and_too_few_graphs_are_told() -> None:
    data = datasets.load("sbm", n_graphs=32)
    assert data.target is not None
    sizes = np.arange(32.0) % 5 + np.asarray(data.target[:1] == data.target, dtype=float)
    model = HodgeletRegressor(conformal="split", **FAST).fit(data.graphs, sizes)
    assert model.n_graphs_in_ == 32
    found = model.predict_interval(data.graphs, coverage=0.7)
    assert (found.lower < found.upper).all()
    assert found.guaranteed == 0.7
    assert found[0] == (found.lower[0], found.upper[0])
    with pytest.warns(HodgeletWarning, match="8 calibration graphs, but a coverage of 0.9 needs 9"):
        found = model.predict_interval(data.graphs)
    assert np.isinf(found.lower).all()
    assert len(found.notes) == 1
    for coverage in (0.0, 1.0, 7, float("nan"), "much"):
        with pytest.raises(HodgeletInputError, match="coverage is "):
            model.predict_interval(data.graphs, coverage=coverage)  # type: ignore[arg-type]
