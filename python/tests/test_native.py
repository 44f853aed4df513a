"""What people who come from scikit-learn, pandas and Arrow type."""

from __future__ import annotations

import logging
import sys
import warnings

import numpy as np
import pytest

from hodgelet import (
    HodgeletClassifier,
    HodgeletInputError,
    HodgeletRegressor,
    HodgeletWarning,
    fit_several,
    load_several,
)


def ring(n: int) -> tuple[np.ndarray, ...]:
    return (np.array([np.arange(n), (np.arange(n) + 1) % n]),)


def path(n: int) -> tuple[np.ndarray, ...]:
    return (np.array([np.arange(n - 1), np.arange(1, n)]),)


RINGS = [ring(n) for n in range(4, 12)] + [path(n) for n in range(4, 12)]
KIND = np.array(["ring"] * 8 + ["path"] * 8)
SIZE = np.concatenate([np.arange(4, 12), np.arange(4, 12)]).astype(float)
QUICK = {"hyperparameters": "map", "max_iter": 5}


def quiet(estimator: HodgeletClassifier | HodgeletRegressor, *args: object, **named: object) -> object:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return estimator.fit(*args, **named)


def test_what_auto_chose_can_be_typed_again() -> None:
    model = quiet(HodgeletClassifier(auto=True, max_iter=3, hyperparameters="map"), RINGS, KIND)
    for trial in model.search_:
        HodgeletClassifier(**(trial["change"] or {}))
    again = HodgeletClassifier(**{**model.get_params(), **model.best_params_, "auto": False})
    assert again.get_params()["max_iter"] == 3
    quiet(again, RINGS, KIND)
    np.testing.assert_array_equal(again.predict_proba(RINGS), model.predict_proba(RINGS))


def test_covariances_have_the_variances_on_their_diagonal_and_draws_follow_them() -> None:
    model = quiet(HodgeletRegressor(**QUICK), RINGS, SIZE)
    new = [ring(13), path(13), ring(14)]
    mean, std = model.predict(new, return_std=True)
    again, covariance = model.predict(new, return_cov=True)
    np.testing.assert_array_equal(mean, again)
    np.testing.assert_allclose(np.sqrt(np.diag(covariance)), std, rtol=1e-12)
    np.testing.assert_allclose(covariance, covariance.T, rtol=1e-12)
    draws = model.sample_y(new, 4000, random_state=1)
    assert draws.shape == (3, 4000)
    np.testing.assert_allclose(draws.mean(axis=1), mean, atol=5 * std.max() / np.sqrt(4000))
    np.testing.assert_array_equal(draws, model.sample_y(new, 4000, random_state=1))
    with pytest.raises(HodgeletInputError, match="both true"):
        model.predict(new, return_std=True, return_cov=True)


def test_the_kernel_is_a_function_of_graphs() -> None:
    model = quiet(HodgeletClassifier(**QUICK), RINGS, KIND)
    gram = model.kernel_(RINGS)
    assert gram.shape == (16, 16)
    np.testing.assert_allclose(gram, gram.T)
    np.testing.assert_allclose(gram[:3], model.kernel_(RINGS[:3], RINGS), rtol=1e-10)
    np.testing.assert_allclose(model.kernel_.diag(RINGS), np.diag(gram))
    assert "vertex" in repr(model.kernel_)
    assert np.linalg.eigvalsh(gram).min() > -1e-8
    assert model.log_marginal_likelihood() == model.training_["elbo"]


def test_the_decision_is_positive_for_the_second_class() -> None:
    model = quiet(HodgeletClassifier(**QUICK), RINGS, KIND)
    decision = model.decision_function(RINGS)
    np.testing.assert_array_equal(model.classes_[(decision > 0).astype(int)], model.predict(RINGS))
    three = quiet(HodgeletClassifier(**QUICK), RINGS, np.arange(16) % 3)
    assert three.decision_function(RINGS).shape == (16, 3)


def test_features_in_data_frames() -> None:
    pandas = pytest.importorskip("pandas")
    model = quiet(HodgeletClassifier(**QUICK), RINGS, KIND).set_output(transform="pandas")
    frame = model.transform(RINGS)
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.columns) == list(model.get_feature_names_out())
    assert model.n_features_in_ == frame.shape[1]
    assert not hasattr(HodgeletClassifier(), "n_features_in_")
    table = model.predict_full(RINGS).to_pandas()
    np.testing.assert_allclose(table["p(path)"] + table["p(ring)"], 1.0)
    shares = table[[name for name in table.columns if name.startswith("share: ")]].sum(axis=1)
    np.testing.assert_allclose(shares, table["latent"], rtol=1e-9)
    with pytest.raises(HodgeletInputError, match="expected 'default'"):
        model.set_output(transform="frame")


def test_training_that_does_not_converge_is_said() -> None:
    exceptions = pytest.importorskip("sklearn.exceptions")
    with pytest.warns(exceptions.ConvergenceWarning, match="raise max_iter"):
        HodgeletClassifier(hyperparameters="map", max_iter=1).fit(RINGS, KIND)


def test_without_scikit_learn_the_warning_is_one_of_this_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "sklearn.exceptions", raising=False)
    with pytest.warns(HodgeletWarning, match="raise max_iter"):
        HodgeletClassifier(hyperparameters="map", max_iter=1).fit(RINGS, KIND)


def test_labels_that_are_new_are_named() -> None:
    networkx = pytest.importorskip("networkx")

    def star(kinds: str) -> object:
        graph = networkx.star_graph(len(kinds) - 1)
        networkx.set_node_attributes(graph, dict(enumerate(kinds)), "kind")
        return graph

    graphs = [star("ab" + "a" * k) for k in range(6)] + [star("ba" + "b" * k) for k in range(6)]
    model = quiet(HodgeletClassifier(**QUICK), graphs, [0] * 6 + [1] * 6)
    with pytest.warns(HodgeletWarning, match=r"'z' of 'kind' on 2 cells"):
        model.predict([star("azz")])


def test_weights_of_classes_and_graphs() -> None:
    kinds = np.array(["ring"] * 8 + ["path"] * 4)
    graphs = RINGS[:12]
    balanced = quiet(HodgeletClassifier(**QUICK, class_weight="balanced"), graphs, kinds)
    mapping = quiet(HodgeletClassifier(**QUICK, class_weight={"ring": 0.75, "path": 1.5}), graphs, kinds)
    weights = np.where(kinds == "ring", 0.75, 1.5)
    by_hand = quiet(HodgeletClassifier(**QUICK), graphs, kinds, sample_weight=weights)
    for other in (mapping, by_hand):
        np.testing.assert_array_equal(balanced.predict_proba(graphs), other.predict_proba(graphs))
    plain = quiet(HodgeletClassifier(**QUICK, class_weight=None), graphs, kinds)
    assert (balanced.predict_proba(graphs)[:, 0].sum()) > plain.predict_proba(graphs)[:, 0].sum()
    without = quiet(HodgeletClassifier(**QUICK), graphs[1:], kinds[1:])
    zero = quiet(HodgeletClassifier(**QUICK), graphs, kinds, sample_weight=[0] + [1] * 11)
    np.testing.assert_array_equal(zero.predict_proba(graphs), without.predict_proba(graphs))
    with pytest.raises(HodgeletInputError, match=r"sample_weight\[1\] is -1.0"):
        HodgeletClassifier().fit(graphs, kinds, sample_weight=[1, -1] + [1] * 10)
    with pytest.raises(HodgeletInputError, match="no weight of the class path"):
        HodgeletClassifier(class_weight={"ring": 1}).fit(graphs, kinds)


def test_rbf_is_the_squared_exponential_and_fits_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="hodgelet"):
        rbf = quiet(HodgeletClassifier(**QUICK, kernel="rbf"), RINGS, KIND)
    assert any("is called 'se' here" in message for message in caplog.messages)
    assert any("16 graphs" in message for message in caplog.messages)
    se = quiet(HodgeletClassifier(**QUICK, kernel="se"), RINGS, KIND)
    np.testing.assert_array_equal(rbf.predict_proba(RINGS), se.predict_proba(RINGS))


def test_grades_and_counts() -> None:
    graded = quiet(HodgeletClassifier(**QUICK, likelihood="ordinal"), RINGS, np.arange(16) // 6)
    np.testing.assert_allclose(graded.predict_proba(RINGS).sum(axis=1), 1.0)
    assert graded.decision_function(RINGS).shape == (16, 3)
    counted = quiet(HodgeletRegressor(**QUICK, noise="poisson"), RINGS, SIZE)
    interval = counted.predict_interval(RINGS, 0.9)
    assert (interval.lower == np.floor(interval.lower)).all()
    with pytest.raises(HodgeletInputError, match="whole numbers"):
        HodgeletRegressor(noise="poisson").fit(RINGS, SIZE + 0.5)


def test_several_targets_with_gaps(tmp_path: object) -> None:
    kind = [None, *KIND[1:]]
    size = np.where(np.arange(16) % 3 == 0, np.nan, SIZE + 0.5)
    models = fit_several(RINGS, {"kind": kind, "size": size}, max_iter=5)
    assert list(models) == ["kind", "size"]
    assert models["kind"].n_graphs_in_ == 15
    assert models["size"].n_graphs_in_ == 10
    predicted = models.predict(RINGS)
    assert predicted["kind"].tolist() == KIND.tolist()
    file = tmp_path / "several.hodgelet"
    models.save(file)
    again = load_several(file)
    np.testing.assert_array_equal(again.predict(RINGS)["size"], predicted["size"])
    names = {h["name"] for h in models["kind"].hyperparameters_ if "lengthscale" in h["name"]}
    values = [{h["name"]: h["value"] for h in models[t].hyperparameters_ if h["name"] in names} for t in models]
    assert values[0] == values[1]
    with pytest.raises(HodgeletInputError, match="`a` has the shape"):
        fit_several(RINGS, {"a": [1, 2]})
    with pytest.raises(HodgeletInputError, match="`a` is not known of any graph"):
        fit_several(RINGS, {"a": [None] * 16})


def test_molecules_of_arrow_and_of_a_column() -> None:
    pytest.importorskip("rdkit")
    pyarrow = pytest.importorskip("pyarrow")
    pandas = pytest.importorskip("pandas")
    smiles = ["CCO", "CCN", "CCCO", "CCCN", "c1ccccc1O", "c1ccccc1N"]
    y = ["O", "N"] * 3
    model = quiet(HodgeletClassifier(**QUICK), smiles, y)
    expected = model.predict_proba(smiles)
    table = pyarrow.table({"id": range(6), "smiles": smiles})
    readers = [
        pyarrow.array(smiles),
        pyarrow.chunked_array([smiles[:2], smiles[2:]]),
        table,
        pyarrow.RecordBatchReader.from_batches(table.schema, table.to_batches()),
        pandas.DataFrame({"SMILES": smiles, "y": y}),
        pandas.Series(smiles),
        np.array(smiles),
    ]
    for graphs in readers:
        np.testing.assert_array_equal(model.predict_proba(graphs), expected)
