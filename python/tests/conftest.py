"""Graphs that many tests share."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hodgelet
from hodgelet import HodgeletClassifier, HodgeletRegressor, datasets

# Tests of other things use the most probable hyperparameters, which is faster.
for estimator in (HodgeletClassifier, HodgeletRegressor):
    estimator.__init__.__kwdefaults__["hyperparameters"] = "map"

# Other interpreters that tests start find the same package.
os.environ["PYTHONPATH"] = str(Path(hodgelet.__file__).parent.parent)


def ring(n: int) -> tuple[Any, ...]:
    """A ring of ``n`` vertices."""
    return (np.array([np.arange(n), (np.arange(n) + 1) % n]),)


def path(n: int) -> tuple[Any, ...]:
    """A path of ``n`` vertices."""
    return (np.array([np.arange(n - 1), np.arange(1, n)]),)


def rings_and_paths() -> tuple[list[tuple[Any, ...]], list[str]]:
    """Eight rings, then eight paths."""
    sizes = range(4, 12)
    return [ring(n) for n in sizes] + [path(n) for n in sizes], ["ring"] * 8 + ["path"] * 8


@pytest.fixture(scope="session")
def shapes() -> tuple[list[tuple[Any, ...]], list[str]]:
    """Rings and paths with their names."""
    return rings_and_paths()


@pytest.fixture(scope="session")
def blocks() -> datasets.Dataset:
    """A small built-in dataset."""
    return datasets.load("sbm", n_graphs=30)


@pytest.fixture(scope="session")
def codes(blocks: datasets.Dataset) -> np.ndarray:
    """The classes of ``blocks`` as numbers, in the order the command has them."""
    assert blocks.classes is not None
    assert blocks.target is not None
    order = {name: i for i, name in enumerate(blocks.classes.tolist())}
    return np.array([order[name] for name in blocks.target.tolist()])


@pytest.fixture(scope="session")
def fitted(shapes: tuple[list[Any], list[str]]) -> HodgeletClassifier:
    """A classifier of rings and paths."""
    return HodgeletClassifier(vertices="degree", max_iter=20).fit(*shapes)
