"""Gram matrices of other kernels as blocks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import path
from numpy.testing import assert_allclose, assert_array_equal

import hodgelet
from hodgelet import HodgeletClassifier, HodgeletInputError, HodgeletRegressor

GRAPHS = [path(3 + i % 3) for i in range(30)]
POINTS = np.array([[np.sin(1.3 * i), np.cos(2.1 * i), 0.1 * (i % 7)] for i in range(30)])
#: A kernel with 1 on its diagonal, and one without.
NORMAL = np.exp(-0.5 * ((POINTS[:, None] - POINTS) ** 2).sum(axis=2))
LINEAR = POINTS @ POINTS.T
TARGET = POINTS @ np.array([1.0, -2.0, 3.0])
SETTINGS: dict[str, Any] = {"max_iter": 30, "hyperparameters": "map", "n_filters": 2}


def test_a_matrix_is_learned_from_and_new_graphs_have_rows(tmp_path: Path) -> None:
    model = HodgeletRegressor(**SETTINGS).fit(GRAPHS[:24], TARGET[:24], grams=NORMAL[:24, :24])
    assert "graph gram" in [block.name for block in model.blocks_]
    rows = NORMAL[24:, :24]
    mean, deviation = model.predict(GRAPHS[24:], return_std=True, grams=rows)
    assert_allclose(mean, TARGET[24:], atol=0.3)
    # A batch of all graphs knows which of them are those of the model.
    batch = hodgelet.as_batch(GRAPHS, grams=NORMAL)
    whole = HodgeletRegressor(**SETTINGS).fit(batch[:24], TARGET[:24])
    found, spread = whole.predict(batch[24:], return_std=True)
    assert_allclose(found, mean, atol=1e-10)
    assert_allclose(spread, deviation, atol=1e-10)
    new = model.new_batch(GRAPHS[24:25], grams=rows[:1])
    assert "graph gram" not in {shares.block for shares in model.explain(new).cells}
    model.save(tmp_path / "m.hodgelet")
    again = hodgelet.load(tmp_path / "m.hodgelet")
    assert_array_equal(again.predict(GRAPHS[24:], grams=rows), mean)


def test_several_matrices_and_products_with_itself() -> None:
    y = (TARGET > 0).astype(int)
    grams = {"a": NORMAL[:24, :24], "b": LINEAR[:24, :24]}
    model = HodgeletClassifier(**SETTINGS).fit(GRAPHS[:24], y[:24], grams=grams)
    assert [block.name for block in model.blocks_][-2:] == ["graph gram", "graph gram 2"]
    own = np.column_stack([LINEAR[24:, :24], np.diagonal(LINEAR)[24:]])
    found = model.predict_proba(GRAPHS[24:], grams={"a": NORMAL[24:, :24], "b": own})
    assert_array_equal(found.argmax(axis=1), y[24:])
    with pytest.raises(HodgeletInputError, match="no product with itself"):
        model.predict(GRAPHS[24:], grams={"a": NORMAL[24:, :24], "b": LINEAR[24:, :24]})
    with pytest.raises(HodgeletInputError, match="no Gram matrix `gram:c`; it has `gram:a`, `gram:b`"):
        model.predict(GRAPHS[24:], grams={"c": NORMAL[24:, :24]})
    with pytest.raises(HodgeletInputError, match="no column `gram:a` of the graphs as a whole"):
        model.predict(GRAPHS[24:])
    with pytest.raises(HodgeletInputError, match="an update needs products"):
        model.partial_fit(hodgelet.as_batch(GRAPHS[:24], grams=grams), y[:24])


def test_each_fault_is_named() -> None:
    def error(grams: Any) -> str:
        with pytest.raises(HodgeletInputError) as caught:
            HodgeletRegressor(**SETTINGS).fit(GRAPHS[:4], TARGET[:4], grams=grams)
        return str(caught.value)

    assert "has the shape [3, 4], expected [4, 4]" in error(NORMAL[:3, :4])
    assert "expected a symmetric matrix" in error(NORMAL[:4, :4] + np.triu(np.ones((4, 4)), 1))
    assert "is nan at [0, 0]" in error(np.full((4, 4), np.nan))
    lowest = np.linalg.eigvalsh(NORMAL[:4, :4] - np.diag([0, 0, 0, 3.0]))[0]
    found = error(NORMAL[:4, :4] - np.diag([0, 0, 0, 3.0]))
    assert "expected a positive semi-definite matrix" in found
    assert_allclose(float(found.split("eigenvalue ")[1].split()[0]), lowest)
    assert "is not a matrix of numbers" in error([["a"] * 4] * 4)
    model = HodgeletRegressor(**SETTINGS).fit(GRAPHS[:4], TARGET[:4], grams=NORMAL[:4, :4])
    with pytest.raises(HodgeletInputError, match=r"has the shape \[2, 3\], expected \[2, 4\], or \[2, 5\]"):
        model.predict(GRAPHS[:2], grams=NORMAL[:2, :3])
