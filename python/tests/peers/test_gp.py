"""Posteriors with the kernel of a trained model, against scikit-learn and GPflow."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

from hodgelet import HodgeletClassifier, HodgeletRegressor, datasets

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")


@pytest.fixture(scope="module")
def data() -> tuple[Any, np.ndarray, Any]:
    found = datasets.load("sbm", n_graphs=60)
    target = np.asarray(found.target)
    return found.graphs[:45], (target[:45] == target[0]).astype(int), found.graphs[45:]


def slices(model: Any) -> list[slice]:
    """Columns of each block."""
    ends = np.cumsum([block.n_columns for block in model.blocks_])
    return [slice(int(end) - block.n_columns, int(end)) for end, block in zip(ends, model.blocks_, strict=True)]


def gram(model: Any, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The learned kernel, written out: a sum of squared exponentials."""
    total = np.zeros((len(a), len(b)))
    for block, columns in zip(model.blocks_, slices(model), strict=True):
        difference = (a[:, None, columns] - b[None, :, columns]) / float(block.lengthscales[0])
        total += block.variance * np.exp(-0.5 * (difference**2).sum(axis=2))
    return total


def test_the_laplace_posterior_is_that_of_scikit_learn(data: tuple[Any, np.ndarray, Any]) -> None:
    sklearn = pytest.importorskip("sklearn.gaussian_process")
    from sklearn.gaussian_process.kernels import Kernel

    train, target, new = data
    model = HodgeletClassifier(likelihood="softmax", inference="laplace", max_iter=15, collapse=False).fit(
        train, target
    )

    class Learned(Kernel):
        """The kernel of the model as one of scikit-learn."""

        def __init__(self) -> None:
            """Nothing to set."""

        def __call__(self, X: Any, Y: Any = None, eval_gradient: bool = False) -> Any:
            return gram(model, X, X if Y is None else Y)

        def diag(self, X: Any) -> Any:
            return np.full(len(X), sum(block.variance for block in model.blocks_))

        def is_stationary(self) -> bool:
            return True

    peer = sklearn.GaussianProcessClassifier(Learned(), optimizer=None, max_iter_predict=1000)
    peer.fit(model.transform(train), target)
    ours = model.predict_full(new)
    mean, variance = peer.latent_mean_and_variance(model.transform(new))
    assert np.allclose(ours.latent_mean[:, 0], mean, atol=1e-6)
    assert np.allclose(ours.latent_variance[:, 0], variance, atol=1e-6)
    # scikit-learn approximates the last integral by five error functions, to about 1e-3
    assert np.allclose(ours.probabilities, peer.predict_proba(model.transform(new)), atol=5e-3)


def test_the_exact_posterior_is_that_of_the_normal_equations(data: tuple[Any, np.ndarray, Any]) -> None:
    train, _, new = data
    target = np.array([len(train[i].edges) for i in range(len(train))], dtype=float)
    model = HodgeletRegressor(max_iter=15, collapse=False).fit(train, target)
    noise = model.likelihood_["noise_variance"]
    a, b = model.transform(train), model.transform(new)
    kernel = gram(model, a, a) + noise * np.eye(len(a))
    standard = (target - target.mean()) / target.std()
    cross = gram(model, b, a)
    ours = model.predict_full(new)
    assert np.allclose(ours.latent_mean[:, 0], cross @ np.linalg.solve(kernel, standard), atol=1e-6)
    prior = sum(block.variance for block in model.blocks_)
    variance = prior - np.einsum("ij,ji->i", cross, np.linalg.solve(kernel, cross.T))
    assert np.allclose(ours.latent_variance[:, 0], variance, atol=1e-6)


def test_the_elbo_and_posterior_are_the_optimum_of_gpflow(data: tuple[Any, np.ndarray, Any]) -> None:
    gpflow = pytest.importorskip("gpflow")
    train, target, new = data
    model = HodgeletClassifier(likelihood="gpflow", max_iter=15, collapse=False).fit(train, target)
    kernels = []
    for block, columns in zip(model.blocks_, slices(model), strict=True):
        dims = list(range(columns.start, columns.stop))
        scale = float(block.lengthscales[0])
        kernels.append(gpflow.kernels.SquaredExponential(block.variance, scale, active_dims=dims))
    peer = gpflow.models.VGP(
        (model.transform(train), target[:, None].astype(float)),
        gpflow.kernels.Sum(kernels),
        gpflow.likelihoods.Bernoulli(),
    )
    gpflow.set_trainable(peer.kernel, False)
    natural = gpflow.optimizers.NaturalGradient(gamma=1.0)
    gpflow.set_trainable(peer.q_mu, False)
    gpflow.set_trainable(peer.q_sqrt, False)
    for _ in range(60):
        natural.minimize(peer.training_loss, var_list=[(peer.q_mu, peer.q_sqrt)])
    assert model.training_["elbo"] == pytest.approx(float(peer.elbo()), abs=2e-3)
    mean, variance = peer.predict_f(model.transform(new))
    ours = model.predict_full(new)
    assert np.allclose(ours.latent_mean[:, 0], np.asarray(mean)[:, 0], atol=2e-3)
    assert np.allclose(ours.latent_variance[:, 0], np.asarray(variance)[:, 0], atol=2e-3)
    probability, _ = peer.predict_y(model.transform(new))
    assert np.allclose(ours.probabilities[:, 1], np.asarray(probability)[:, 0], atol=1e-3)
