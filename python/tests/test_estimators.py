"""The classifier, the regressor and the transformer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import path, ring
from numpy.testing import assert_allclose, assert_array_equal

import hodgelet
from hodgelet import (
    Column,
    GraphBatch,
    HodgeletClassifier,
    HodgeletInputError,
    HodgeletRegressor,
    HodgeletTransformer,
    HodgeletWarning,
    NotFittedError,
)

Shapes = tuple[list[Any], list[str]]


def test_classes_come_back_as_they_were_given(shapes: Shapes, fitted: HodgeletClassifier) -> None:
    assert fitted.classes_.tolist() == ["path", "ring"]
    assert fitted.predict([ring(13), path(13)]).tolist() == ["ring", "path"]
    assert fitted.score(*shapes) == 1.0
    assert fitted.n_graphs_in_ == 16
    for labels in ([1.0, 2.0] * 8, [True, False] * 8, [-1, 7] * 8):
        order = np.argsort([i % 2 for i in range(16)], kind="stable")
        model = HodgeletClassifier(vertices="degree", max_iter=3).fit(
            [shapes[0][i] for i in order], [labels[i] for i in order]
        )
        assert model.classes_.tolist() == sorted(set(labels))
        assert model.predict(shapes[0][:1]).dtype == np.asarray(labels).dtype


def test_everything_about_a_prediction_fits_together(shapes: Shapes, fitted: HodgeletClassifier) -> None:
    full = fitted.predict_full(shapes[0])
    n, n_blocks = 16, len(fitted.blocks_)
    assert full.latent_mean.shape == full.latent_variance.shape == (n, 1)
    assert full.attributions.shape == (n, n_blocks + 1, 1)  # and the constant
    assert full.blocks[-1] == "constant"
    assert_allclose(full.attributions.sum(axis=1), full.latent_mean, atol=1e-12)
    assert full.probabilities is not None
    assert_allclose(full.probabilities.sum(axis=1), 1.0)
    assert_array_equal(full.value, fitted.classes_[full.probabilities.argmax(axis=1)])
    assert_array_equal(full.probabilities, fitted.predict_proba(shapes[0]))
    assert_allclose(np.exp(fitted.predict_log_proba(shapes[0])), full.probabilities)
    assert full.blocks[:-1] == [block.name for block in fitted.blocks_]
    assert (full.latent_variance > 0).all()


def test_graphs_unlike_the_training_graphs_are_told_apart(shapes: Shapes, fitted: HodgeletClassifier) -> None:
    full = fitted.predict_full([*shapes[0], (np.array(np.triu_indices(30, 1)),)])
    novelty = full.novelty
    assert novelty is not None
    assert len(novelty) == 17
    assert novelty.is_far.dtype == np.bool_
    assert novelty.is_far.tolist() == [False] * 16 + [True]
    assert_allclose(novelty.distance[:16], 0.0, atol=1e-9)
    assert novelty.nearest[:16].tolist() == list(range(16))
    assert novelty.block_distances.shape == (17, len(fitted.blocks_))
    assert novelty.block_thresholds.shape == (len(fitted.blocks_),)
    assert set(novelty.far_block) <= set(full.blocks)
    assert (novelty.variance_ratio > 0).all()  # far in one block, the model may still be sure by another


def test_drift_compares_sets_and_needs_five_graphs(shapes: Shapes, fitted: HodgeletClassifier) -> None:
    same = fitted.drift(shapes[0])
    assert (same.n_new, same.n_training, same.permutations) == (16, 16, 999)
    assert same.p_value > 0.5
    assert fitted.drift([(np.array(np.triu_indices(n, 1)),) for n in range(20, 30)]).p_value < 0.01
    with pytest.raises(HodgeletInputError, match="4 new complexes, expected at least 5"):
        fitted.drift(shapes[0][:4])


def test_an_explanation_adds_up_and_reads(fitted: HodgeletClassifier) -> None:
    why = fitted.explain(ring(9))
    assert why.value == "ring"
    assert why.probability is not None
    assert why.probability > 0.5
    assert sum(why.contributions.values()) == pytest.approx(why.latent_mean, abs=1e-12)
    assert why.latent_mean > 0  # towards the second class
    text = str(why)
    assert text.startswith("ring (probability ")
    assert all(name in text for name in why.contributions)
    with pytest.raises(HodgeletInputError, match="takes one graph"):
        fitted.explain(hodgelet.as_batch([ring(4), ring(5)]))


def test_an_explanation_goes_down_to_vertices_and_edges(shapes: Shapes) -> None:
    model = HodgeletClassifier(max_iter=5, hyperparameters="map").fit(*shapes)
    why = model.explain(ring(9))
    assert {own.block for own in why.cells} <= set(why.contributions)
    assert any(own.dim == 1 for own in why.cells)
    for own in why.cells:
        share = why.contributions[own.block]
        assert own.origin + own.cells.sum() == pytest.approx(share, abs=1e-9)
        assert sum(share for *_, share in own.labels) == pytest.approx(own.cells.sum(), abs=1e-9)
    assert why.edges.shape == (9, 2)
    assert len(why.vertex_shares) == 9
    # A ring looks the same from each of its edges.
    np.testing.assert_allclose(why.edge_shares, why.edge_shares[0], rtol=0, atol=1e-12)


def test_more_than_two_classes_have_a_latent_function_each() -> None:
    star = lambda n: (np.array([np.zeros(n - 1, dtype=int), np.arange(1, n)]),)  # noqa: E731
    graphs = [make(n) for make in (ring, path, star) for n in range(5, 10)]
    labels = np.repeat([10, 20, 30], 5)
    model = HodgeletClassifier(vertices="degree-one-hot", max_iter=20).fit(graphs, labels)
    full = model.predict_full(graphs)
    assert full.latent_mean.shape == (15, 3)
    assert_array_equal(full.value, labels)
    why = full.explain(14)
    assert why.value == 30
    assert sum(why.contributions.values()) == pytest.approx(full.latent_mean[14, 2], abs=1e-12)


def test_learned_filters_and_kernels_can_be_read(fitted: HodgeletClassifier) -> None:
    coexact, harmonic = fitted.blocks_
    assert (coexact.name, coexact.dim, coexact.component, coexact.channels) == (
        "vertex co-exact",
        0,
        "co-exact",
        ["degree"],
    )
    assert (coexact.n_columns, harmonic.n_columns) == (10, 1)
    assert coexact.kernel == "squared-exponential"
    assert coexact.variance is not None
    assert coexact.variance > 0
    assert coexact.lengthscales is not None
    assert coexact.lengthscales.shape == (1,)
    (bank,) = fitted.filters_
    assert bank.block == "vertex co-exact"
    assert bank.scales.shape == (10, 4)
    curves = bank(np.linspace(0.0, 4.0, 9))
    assert curves.shape == (10, 9)
    # At 0 only the low-pass term is left, and 1 / (1 + 0) = 1.
    assert_allclose(curves[:, 0], 1.0)
    # The formula in the documentation of FilterBank, with the default families.
    x = 0.5
    low, bands = bank.scales[:, 0] * x, bank.scales[:, 1:] * x
    hat = 2 * np.sqrt(2 / 3) * np.pi**-0.25 * bands**2 * np.exp(-(bands**2) / 2)
    assert_allclose(curves[:, 1], 1 / (1 + low) + hat.sum(axis=1), rtol=1e-12)
    with pytest.raises(HodgeletInputError, match="axes"):
        bank([[0.0]])


def test_features_are_those_of_the_kernel(shapes: Shapes, fitted: HodgeletClassifier) -> None:
    features = fitted.transform(shapes[0])
    names = fitted.get_feature_names_out()
    assert features.shape == (16, len(names)) == (16, 11)
    assert names[0] == "vertex co-exact | degree | filter 1"
    assert names[-1] == "vertex harmonic | degree"
    # Standardized over the distinct training graphs; rings of all sizes have equal co-exact features, so means are off.
    assert np.isfinite(features).all()
    measures = fitted.measures(shapes[0])
    block = measures["vertex co-exact"]
    raw = np.array(
        [np.sqrt((fitted.filters_[0](e)[0] ** 2) @ m[:, 0] + 1e-12) for e, m in map(block.__getitem__, range(16))]
    )
    correlation = np.corrcoef(raw, features[:, 0])[0, 1]
    assert correlation == pytest.approx(1.0, abs=1e-9)


def test_leave_one_out_needs_no_refit(shapes: Shapes, fitted: HodgeletClassifier) -> None:
    out = fitted.leave_one_out()
    assert out.probabilities is not None
    assert out.probabilities.shape == (16, 2)
    truth = np.array([fitted.classes_.tolist().index(label) for label in shapes[1]])
    assert_allclose(out.log_density, np.log(out.probabilities[np.arange(16), truth]), atol=1e-9)
    assert out.log_density.sum() < np.log(fitted.predict_proba(shapes[0])[np.arange(16), truth]).sum()


def test_training_is_summed_up(fitted: HodgeletClassifier) -> None:
    training = fitted.training_
    assert training["n_train"] == 16
    assert training["evaluations"] >= training["iterations"] > 0
    assert np.isfinite(training["elbo"])
    assert "bernoulli" in str(fitted.likelihood_)


def test_numbers_are_predicted_with_their_standard_deviation() -> None:
    sizes = np.array([3, 4, 5, 6, 8, 9, 10, 11])
    model = HodgeletRegressor(vertices="degree").fit([path(n) for n in sizes], 2.0 * sizes)
    mean, std = model.predict([path(7)], return_std=True)
    assert mean[0] == pytest.approx(14.0, abs=1.0)
    assert std.shape == (1,)
    full = model.predict_full([path(7)])
    assert_array_equal(full.mean, mean)
    assert_allclose(full.std, std)
    assert model.score([path(n) for n in sizes], 2.0 * sizes) > 0.99
    assert model.leave_one_out().probabilities is None
    why = model.explain(path(7))
    assert why.probability is None
    assert "±" in str(why)


def test_the_transformer_gives_features_or_measures(shapes: Shapes) -> None:
    transformer = HodgeletTransformer(vertices="degree")
    features = transformer.fit_transform(shapes[0])
    assert features.shape == (16, 11)
    assert_allclose(features.std(axis=0), 1.0, atol=1e-9)
    assert_allclose(features.mean(axis=0), 0.0, atol=1e-9)
    assert_array_equal(transformer.transform(shapes[0][:3]), features[:3])
    raw = HodgeletTransformer(vertices="degree", standardize=False).fit_transform(shapes[0])
    assert (raw > 0).all()
    assert len(transformer.get_feature_names_out()) == 11
    assert transformer.blocks_[0].variance is None
    measures = HodgeletTransformer(vertices="degree", output="measures").fit_transform(shapes[0])
    assert len(measures) == 16
    for i, graph in enumerate(shapes[0]):
        degrees = np.bincount(graph[0].ravel())
        total = sum(float(block[i][1].sum()) for block in measures)
        assert total == pytest.approx(float((degrees**2).sum()), rel=1e-10)  # energies add up to the squared norm
    with pytest.raises(KeyError, match="no block"):
        measures["edge exact"]


@pytest.mark.parametrize("method", ["hodge", "wt", "line-graph", "fourier"])
def test_every_method_trains(method: str) -> None:
    rng = np.random.default_rng(0)
    graphs = [(*make(n), None, rng.normal(size=n - (make is path))) for make in (ring, path) for n in range(4, 10)]
    model = HodgeletClassifier(method=method, max_iter=3, vertices=None if method == "line-graph" else "degree")
    model.fit(graphs, np.repeat([0, 1], 6))
    assert model.predict(graphs).shape == (12,)
    assert model.get_params()["method"] == method


SETTINGS: list[tuple[dict[str, Any], str]] = [
    ({"kernel": "gauss"}, 'setting `kernel` is "gauss", expected se, matern12'),
    ({"method": "hodgelet"}, 'setting `method` is "hodgelet", expected hodge, wt'),
    ({"laplacian": "x"}, 'setting `laplacian` is "x", expected combinatorial, normalized'),
    ({"laplacian": "dec"}, "position"),
    ({"signed": "x"}, 'setting `signed` is "x", expected harmonic'),
    ({"n_filters": 0}, "filter"),
    ({"n_filters": -1}, "setting `n_filters` is -1"),
    ({"n_filters": "ten"}, 'setting `n_filters` is "ten"'),
    ({"band_pass_scales": (5.0, 0.1)}, "band-pass"),
    ({"restarts": 0}, "`restarts` is 0"),
    ({"time_limit": -1.0}, "`time_limit` is -1"),
    ({"tol": float("nan")}, "cannot be read"),
    ({"exclude": ["edge whole thing"]}, "a block such as `edge exact`"),
    ({"lift": "cliques:99", "edges": "constant"}, "99"),
    ({"dims": [5]}, "cells of dimension 5 carry no signal"),
    ({"n_jobs": 0}, "n_jobs is 0"),
    ({"random_state": -1}, "random_state is -1"),
    ({"random_state": "seed"}, "random_state is 'seed'"),
    ({"vertices": "none"}, "no block of features is left"),
]


@pytest.mark.parametrize(("settings", "found"), SETTINGS, ids=[str(s) for s, _ in SETTINGS])
def test_settings_that_make_no_sense_are_named(shapes: Shapes, settings: dict[str, Any], found: str) -> None:
    with pytest.raises(HodgeletInputError) as error:
        HodgeletClassifier(**{"vertices": "degree", **settings}).fit(*shapes)
    assert found in str(error.value)


def test_a_parameter_with_another_name_now_is_refused_by_that_name() -> None:
    with pytest.raises(TypeError, match="no parameter 'without', which was renamed: use exclude"):
        HodgeletClassifier(without=["edge exact"])  # type: ignore[call-arg]
    with pytest.raises(HodgeletInputError, match="'cliques', which was renamed: use lift"):
        HodgeletRegressor().set_params(cliques=3)


def test_trained_values_are_listed_with_their_priors(fitted: HodgeletClassifier) -> None:
    trained = {entry["name"]: entry for entry in fitted.hyperparameters_}
    variance = trained["vertex co-exact: variance"]
    assert variance["value"] == fitted.blocks_[0].variance
    assert variance["prior"] == {"center": 1.0, "deviation": 3.0}
    head, first = str(fitted.hyperparameters_).splitlines()[:2]
    assert head.split()[:2] == ["hyperparameter", "value"]
    assert first.startswith("vertex co-exact: filter 1, low-pass scale")
    assert "<td>vertex co-exact: variance</td>" in fitted.hyperparameters_._repr_html_()
    assert len(fitted.filters_[0].scales.ravel()) == sum("scale" in name and "filter" in name for name in trained)


def test_targets_that_make_no_sense_are_named(shapes: Shapes) -> None:
    graphs, labels = shapes
    model = HodgeletClassifier(vertices="degree")
    for y, found in [
        (labels[:-1], "y has 15 targets, but there are 16 graphs"),
        (None, "requires y"),
        (np.zeros((16, 2)), "shape"),
        (np.linspace(0, 1, 16), "continuous"),
        (["ring"] * 16, "one class"),
        ([*[1] * 8, *["a"] * 7, None], "put in order"),
    ]:
        y = np.array(y, dtype=object) if isinstance(y, list) and None in y else y
        with pytest.raises(HodgeletInputError, match=found):
            model.fit(graphs, y)
    for gap in (2, None):
        with pytest.raises(HodgeletInputError, match=r"y\[3\] is inf"):
            HodgeletRegressor(vertices="degree").fit(graphs, [0, 1, gap, np.inf, *range(12)])
    with pytest.raises(HodgeletInputError, match="expected real numbers"):
        HodgeletRegressor(vertices="degree").fit(graphs, labels)


def test_graphs_that_make_no_sense_are_named(fitted: HodgeletClassifier) -> None:
    with pytest.raises(HodgeletInputError, match="0 graphs"):
        fitted.predict([])
    batch = GraphBatch(np.array([2, 3]), np.array([0, 1, 3]), np.array([[0, 1], [0, 1], [1, 1]]))
    with pytest.raises(HodgeletInputError, match="graph 1: edge 1 joins vertex 1 to itself"):
        fitted.predict(batch)
    batch.edges[2] = [1, 0]
    with pytest.raises(HodgeletInputError, match="graph 1: edge 1 joins vertices 1 and 0, and so does edge 0"):
        fitted.predict(batch)


def test_what_is_not_fitted_says_so() -> None:
    for use in (
        lambda m: m.predict([ring(4)]),
        lambda m: m.blocks_,
        lambda m: m.save("x"),
        lambda m: m.leave_one_out(),
    ):
        with pytest.raises(NotFittedError, match="HodgeletClassifier is not fitted yet"):
            use(HodgeletClassifier())
    assert not hasattr(HodgeletClassifier(), "classes_")
    with pytest.raises(NotFittedError):
        HodgeletTransformer().transform([ring(4)])


def test_labels_that_are_new_are_warned_of() -> None:
    def batch(categories: list[str]) -> GraphBatch:
        labels = Column("kind", 0, "labels", np.array([0, 1, 1, 0, 1, 0, 0]), categories=categories)
        return GraphBatch(
            np.array([3, 4]), np.array([0, 2, 5]), np.array([[0, 1], [1, 2], [0, 1], [1, 2], [2, 3]]), columns=[labels]
        )

    graphs = GraphBatch.concatenate([batch(["a", "b"])] * 3)
    model = HodgeletClassifier(vertices="attributes", max_iter=2).fit(graphs, [0, 1] * 3)
    with pytest.warns(HodgeletWarning, match="3 labels of cells are new"):
        full = model.predict_full(batch(["a", "c"]))
    assert full.n_unknown_labels == 3
    with pytest.warns(HodgeletWarning) as heard:
        model.predict_proba(batch(["a", "c"]))
    assert heard[0].filename == __file__  # the warning points at the code that asked
    with pytest.raises(HodgeletInputError, match="kind"):
        model.predict(GraphBatch(np.array([2]), np.array([0, 1]), np.array([[0, 1]])))


def test_the_seed_decides_what_is_drawn(shapes: Shapes) -> None:
    def scales(state: Any) -> Any:
        return HodgeletTransformer(vertices="degree", random_state=state).fit(shapes[0]).filters_[0].scales

    assert_array_equal(scales(3), scales(3))
    assert (scales(3) != scales(4)).any()
    assert_array_equal(scales(np.random.RandomState(5)), scales(np.random.RandomState(5)))
    assert_array_equal(scales(np.random.default_rng(5)), scales(np.random.default_rng(5)))
    assert (scales(None) != scales(None)).any()


def test_blocks_can_be_left_out(shapes: Shapes) -> None:
    model = HodgeletClassifier(
        vertices="degree", edges="constant", exclude=["vertex harmonic", "edge co-exact"], max_iter=2
    )
    model.fit(*shapes)
    assert [block.name for block in model.blocks_] == ["vertex co-exact", "edge exact", "edge harmonic"]


def test_triangles_that_are_given_are_not_filled_again() -> None:
    edges, offsets = np.array([[0, 1], [1, 2], [0, 2]]), np.array([0, 3])
    hollow = GraphBatch(np.array([3]), offsets, edges, np.array([0, 0]), np.zeros((0, 3), dtype=int))
    full = GraphBatch(np.array([3]), offsets, edges, np.array([0, 1]), np.array([[0, 1, 2]]))
    assert hodgelet.hodge.betti_numbers(hollow) == [1, 1, 0]
    assert hodgelet.hodge.betti_numbers(full) == [1, 0, 0]
    graph = GraphBatch(np.array([3]), offsets, edges)
    assert hodgelet.hodge.betti_numbers(graph) == [1, 0, 0]
    assert hodgelet.hodge.betti_numbers(graph, cliques=1) == [1, 1]


def test_a_signal_is_split_into_parts_that_the_operators_annihilate() -> None:
    rng = np.random.default_rng(1)
    edges = np.array([[0, 1], [1, 2], [0, 2], [2, 3], [3, 4], [4, 2], [4, 5], [5, 0]])
    graph, flow = (edges.T,), rng.normal(size=8)
    exact, coexact, harmonic = hodgelet.hodge.decompose(graph, flow)
    b1, b2 = hodgelet.hodge.boundary(graph, 1), hodgelet.hodge.boundary(graph, 2)
    assert_allclose(exact + coexact + harmonic, flow, atol=1e-10)
    assert_allclose(b2.T @ exact, 0, atol=1e-9)
    assert_allclose(b1 @ coexact, 0, atol=1e-9)
    assert_allclose(b1 @ harmonic, 0, atol=1e-9)
    assert_allclose(b2.T @ harmonic, 0, atol=1e-9)
    assert_allclose(hodgelet.hodge.laplacian(graph, 1), b1.T @ b1 + b2 @ b2.T)
    with pytest.raises(HodgeletInputError, match="7 rows"):
        hodgelet.hodge.decompose(graph, flow[:7])


def test_weights_of_cells_change_the_laplacian() -> None:
    edges, offsets = np.array([[0, 1], [1, 2]]), np.array([0, 2])
    plain = GraphBatch(np.array([3]), offsets, edges)
    weighted = GraphBatch(np.array([3]), offsets, edges, weights={1: np.array([1.0, 4.0])})
    boundary = hodgelet.hodge.boundary(plain, 1)
    assert_allclose(hodgelet.hodge.laplacian(weighted), boundary @ np.diag([1.0, 4.0]) @ boundary.T)
    ones = GraphBatch(np.array([3]), offsets, edges, weights={1: np.ones(2)})
    assert_allclose(hodgelet.hodge.laplacian(ones), hodgelet.hodge.laplacian(plain))
    wrong = GraphBatch(np.array([3]), offsets, edges, weights={1: np.array([1.0, -4.0])})
    with pytest.raises(HodgeletInputError, match="weight"):
        hodgelet.hodge.laplacian(wrong)


def test_weights_reach_the_features() -> None:
    rng = np.random.default_rng(0)
    batch = hodgelet.as_batch([ring(n) for n in range(4, 10)])
    weighted = hodgelet.GraphBatch(
        batch.vertices, batch.edge_offsets, batch.edges, weights={1: rng.uniform(0.5, 2.0, len(batch.edges))}
    )
    transformer = HodgeletTransformer(vertices="degree-one-hot", standardize=False).fit(batch)
    assert (transformer.measures(weighted)["vertex co-exact"].eigenvalues.size) > 0
    plain = HodgeletTransformer(edges="constant", standardize=False).fit_transform(batch)
    other = HodgeletTransformer(edges="constant", standardize=False).fit_transform(weighted)
    assert not np.allclose(plain, other)


def test_signed_features_tell_a_flow_from_its_reverse() -> None:
    edges = ring(6)[0]
    rng = np.random.default_rng(0)
    sign = np.repeat([1.0, -1.0], 8)
    flows = sign[:, None] + 0.3 * rng.normal(size=(16, 6))
    columns = [Column("flow", 1, "real", flows.reshape(-1, 1), oriented=True)]
    batch = GraphBatch(np.full(16, 6), 6 * np.arange(17), np.tile(edges.T, (16, 1)), columns=columns)
    model = HodgeletClassifier(signed="harmonic", signed_only=True, max_iter=20).fit(batch, sign)
    assert [block.name for block in model.blocks_] == ["edge signed"]
    assert model.score(batch, sign) == 1.0
    along = HodgeletTransformer(signed=[[0, 1, 2, 3, 4, 5]], signed_only=True, standardize=False).fit(batch)
    assert_allclose(np.abs(along.transform(batch)[:, 0]), np.abs(flows.sum(axis=1)))
    import pickle

    assert_array_equal(pickle.loads(pickle.dumps(along)).transform(batch), along.transform(batch))


def test_settings_can_be_chosen_on_the_training_graphs(shapes: Shapes) -> None:
    assert HodgeletClassifier(vertices="degree", max_iter=5).fit(*shapes).search_ == []
    model = HodgeletClassifier(vertices="degree", max_iter=5, auto=True).fit(*shapes)
    first, *others = model.search_
    assert first["change"] is None
    assert first["kept"]
    assert len(others) >= 4
    kept = [answer["log_probability"] for answer in model.search_ if answer["kept"]]
    assert kept == sorted(set(kept))  # every answer that was kept raised it
    for answer in others:
        if answer["failure"] is None:
            clear = answer["gain"] > answer["standard_error"]
            assert answer["kept"] == (clear and answer["folds"] == 3)
    again = HodgeletClassifier(vertices="degree", max_iter=5, auto=True).fit(*shapes)
    assert_array_equal(again.predict_proba(shapes[0]), model.predict_proba(shapes[0]))


def test_signals_need_not_be_split(shapes: Shapes, tmp_path: Any) -> None:
    model = HodgeletClassifier(vertices="degree", edges="constant", split=False, max_iter=3).fit(*shapes)
    assert [block.name for block in model.blocks_] == ["vertex whole", "edge whole"]
    model.save(tmp_path / "model")
    again = HodgeletClassifier.load(tmp_path / "model")
    assert (again.method, again.split) == ("hodge", False)
    assert_array_equal(again.fit(*shapes).predict_proba(shapes[0]), model.predict_proba(shapes[0]))
