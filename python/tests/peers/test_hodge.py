"""Laplacians against TopoNetX, filters and their norms against PyGSP."""

from __future__ import annotations

import numpy as np
import pytest

from hodgelet import HodgeletTransformer, hodge

toponetx = pytest.importorskip("toponetx")
pygsp = pytest.importorskip("pygsp")


def random_complex(seed: int) -> toponetx.SimplicialComplex:
    rng = np.random.default_rng(seed)
    out = toponetx.SimplicialComplex([[v] for v in range(12)])
    for size in (2, 2, 2, 3, 3, 4):
        for _ in range(4):
            out.add_simplex(rng.choice(12, size=size, replace=False).tolist())
    return out


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("dim", [0, 1, 2])
def test_laplacians_of_every_dimension_agree_with_toponetx(seed: int, dim: int) -> None:
    theirs = random_complex(seed)
    assert np.array_equal(hodge.laplacian(theirs, dim), theirs.hodge_laplacian_matrix(dim, signed=True).toarray())
    if dim > 0:
        down = theirs.down_laplacian_matrix(dim, signed=True).toarray()
        assert np.array_equal(hodge.laplacian(theirs, dim, term="down"), down)
    up = theirs.up_laplacian_matrix(dim, signed=True).toarray()
    assert np.array_equal(hodge.laplacian(theirs, dim, term="up"), up)


@pytest.mark.parametrize("band_pass", ["mexican-hat", "heat", "meyer", "ab-spline", "itersine"])
@pytest.mark.parametrize("laplacian", ["combinatorial", "normalized"])
def test_features_are_norms_of_wavelet_coefficients_of_pygsp(band_pass: str, laplacian: str) -> None:
    graphs, signals, theirs = [], [], []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        adjacency = np.triu(rng.random((14, 14)) < 0.3, 1).astype(float)
        adjacency[np.arange(13), np.arange(1, 14)] = 1.0  # connected
        signals.append(rng.normal(size=(14, 2)))
        graphs.append((np.array(np.nonzero(adjacency)), signals[-1]))
        theirs.append(pygsp.graphs.Graph(adjacency + adjacency.T, lap_type=laplacian))
    ours = HodgeletTransformer(
        method="wt", vertices="attributes", band_pass=band_pass, laplacian=laplacian, n_filters=4, standardize=False
    ).fit(graphs)
    found = ours.transform(graphs)
    (bank,) = ours.filters_
    for row, (graph, signal) in enumerate(zip(theirs, signals, strict=True)):
        graph.compute_fourier_basis()
        kernels = [lambda x, j=j: bank(np.ravel(x))[j].reshape(np.shape(x)) for j in range(4)]
        filtered = pygsp.filters.Filter(graph, kernels).filter(signal, method="exact")  # [n, 2, 4]
        expected = np.sqrt((filtered**2).sum(axis=0) + 1e-12).reshape(-1)
        assert np.allclose(found[row], expected, rtol=1e-9, atol=1e-9)


def test_the_heat_filter_is_that_of_pygsp() -> None:
    graphs = [(np.array([[0, 1, 2], [1, 2, 3]]), np.arange(4.0)), (np.array([[0, 1], [1, 2]]), np.arange(3.0))]
    ours = HodgeletTransformer(method="wt", vertices="attributes", low_pass="heat", n_bands=1, n_filters=3).fit(graphs)
    (bank,) = ours.filters_
    graph = pygsp.graphs.Path(9, lap_type="combinatorial")
    graph.estimate_lmax()
    grid = np.linspace(0.0, graph.lmax, 50)
    for j, (low, band) in enumerate(bank.scales):
        heat = pygsp.filters.Heat(graph, scale=low * graph.lmax).evaluate(grid)[0]
        hat = 2.0 * np.sqrt(2.0 / 3.0) * np.pi**-0.25 * (band * grid) ** 2 * np.exp(-((band * grid) ** 2) / 2.0)
        assert np.allclose(bank(grid)[j] - hat, heat, atol=1e-12)
