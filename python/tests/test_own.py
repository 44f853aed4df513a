"""Numbers and fingerprints of graphs as a whole."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import path
from numpy.testing import assert_allclose, assert_array_equal

import hodgelet
from hodgelet import HodgeletClassifier, HodgeletInputError, HodgeletRegressor

GRAPHS = [path(3 + i % 3) for i in range(30)]
DOSE = np.array([(7 * i) % 11 for i in range(30)], dtype=float)
KEYS = np.array([[1, (i // 2) % 2, 2 * (i % 2)] for i in range(30)])
SETTINGS: dict[str, Any] = {"max_iter": 30, "hyperparameters": "map", "n_filters": 2}


def test_numbers_of_graphs_are_learned_from() -> None:
    model = HodgeletRegressor(**SETTINGS).fit(GRAPHS[:24], DOSE[:24], columns={"dose": DOSE[:24]})
    assert "graph columns" in [block.name for block in model.blocks_]
    found = model.predict(GRAPHS[24:], columns={"dose": DOSE[24:]})
    assert_allclose(found, DOSE[24:], atol=0.5)
    as_array = hodgelet.as_batch(GRAPHS[24:], columns=DOSE[24:, None])
    with pytest.raises(HodgeletInputError, match="no column `dose` of the graphs as a whole"):
        model.predict(as_array)
    with pytest.raises(HodgeletInputError, match="no column `dose`"):
        model.predict(GRAPHS[24:])


def test_fingerprints_are_arrays_mappings_sparse_matrices_and_those_of_rdkit() -> None:
    y = KEYS[:, 1]
    model = HodgeletClassifier(**SETTINGS).fit(GRAPHS[:20], y[:20], fingerprints=KEYS[:20])
    found = model.predict_proba(GRAPHS, fingerprints=KEYS)
    assert_array_equal(found.argmax(axis=1), y)
    mappings = [{c: int(count) for c, count in enumerate(row)} for row in KEYS]
    assert_array_equal(model.predict_proba(GRAPHS, fingerprints=mappings), found)
    batch = hodgelet.as_batch(GRAPHS, fingerprints=mappings)
    assert_array_equal(model.predict_proba(batch), found)
    assert_array_equal(model.predict_proba(batch[[4, 2]]), found[[4, 2]])
    joined = hodgelet.GraphBatch.concatenate([batch[:7], batch[7:]])
    assert_array_equal(model.predict_proba(joined), found)
    sparse = pytest.importorskip("scipy.sparse")
    assert_array_equal(model.predict_proba(GRAPHS, fingerprints=sparse.csr_matrix(KEYS)), found)


def test_each_fault_is_named() -> None:
    def error(**own: Any) -> str:
        with pytest.raises(HodgeletInputError) as caught:
            hodgelet.as_batch(GRAPHS[:3], **own)
        return str(caught.value)

    assert "`dose` has the shape [2], expected [3]" in error(columns={"dose": [1.0, 2.0]})
    assert "`dose` is nan for graph 1" in error(columns={"dose": [1.0, np.nan, 2.0]})
    assert "`kind` is not a column of numbers" in error(columns={"kind": ["a", "b", "c"]})
    assert "expected [n_graphs, n_columns]" in error(columns=[1.0, 2.0, 3.0])
    assert "2 fingerprints, expected one for each of 3 graphs" in error(fingerprints=KEYS[:2])
    assert "fingerprint of graph 1 has -1" in error(fingerprints=[[1], [-1], [0]])
    assert "fingerprint of graph 0 is a str" in error(fingerprints=["101", "110", "000"])
