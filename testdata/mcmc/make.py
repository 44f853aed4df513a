"""Predictive probabilities of Gaussian process classifiers by long Markov chains, with their Monte Carlo errors.

Hyperparameters are fixed, so that what differs from them is the Gaussian approximation of the posterior alone. Latent
values at the training points are drawn by elliptical slice sampling (Murray, Adams and MacKay 2010), which has no
settings; predictions average the exact conditional given each draw.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_expit, log_ndtr, log_softmax, ndtr, softmax

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

TRAIN, TEST, FEATURES = 30, 12, 3
CHAINS, DRAWS, WARMUP, THINNING = 64, 10_000, 1_000, 4
AMPLITUDES = [1.0, 4.0, 16.0]
JITTER = 1e-8
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(40)


def kernel(left: Floats, right: Floats, amplitude: float) -> Floats:
    """Squared exponential of lengthscale sqrt(FEATURES)."""
    squares = ((left[:, None, :] - right[None, :, :]) ** 2).sum(-1)
    return amplitude * np.exp(-0.5 * squares / FEATURES)


def log_likelihood(likelihood: str, labels: Integers, latents: Floats) -> Floats:
    """The log probability of the labels in each chain; `latents` is [chains, latents, points]."""
    if likelihood == "softmax":
        return log_softmax(latents, axis=1)[:, labels, np.arange(len(labels))].sum(-1)
    signed = np.where(labels == 1, 1.0, -1.0) * latents[:, 0]
    return (log_ndtr(signed) if likelihood == "probit" else log_expit(signed)).sum(-1)


def elliptical_slice(
    latents: Floats, factor: Floats, log_density: Callable[[Floats], Floats], generator: np.random.Generator
) -> Floats:
    """One update of the latent values of every chain, under a prior of Cholesky factor `factor`."""
    chains = len(latents)
    prior = generator.standard_normal(latents.shape) @ factor.T
    level = log_density(latents) + np.log(generator.random(chains))
    angle = generator.uniform(0.0, 2.0 * np.pi, chains)
    low, high = angle - 2.0 * np.pi, angle.copy()
    moved, open_ = latents.copy(), np.arange(chains)
    while len(open_) > 0:
        cosine, sine = (f(angle[open_])[:, None, None] for f in (np.cos, np.sin))
        proposal = latents[open_] * cosine + prior[open_] * sine
        accepted = log_density(proposal) > level[open_]
        moved[open_[accepted]] = proposal[accepted]
        open_ = open_[~accepted]
        below = angle[open_] < 0.0
        low[open_] = np.where(below, angle[open_], low[open_])
        high[open_] = np.where(below, high[open_], angle[open_])
        angle[open_] = generator.uniform(low[open_], high[open_])
    return moved


def probabilities(likelihood: str, mean: Floats, variance: Floats, generator: np.random.Generator) -> Floats:
    """Probabilities of the classes given conditional means and variances, [chains, points, classes]."""
    if likelihood == "probit":
        one = ndtr(mean[:, 0] / np.sqrt(1.0 + variance))
    elif likelihood == "logit":
        nodes = mean[:, 0, :, None] + np.sqrt(variance)[:, None] * NODES
        one = expit(nodes) @ WEIGHTS / WEIGHTS.sum()
    else:
        drawn = mean + np.sqrt(variance) * generator.standard_normal(mean.shape)
        return softmax(drawn, axis=1).swapaxes(1, 2)
    return np.stack([1.0 - one, one], axis=-1)


def problem(likelihood: str, amplitude: float, seed: int) -> dict[str, Any]:
    """A problem with labels drawn from the model, and the probabilities at its test points."""
    generator = np.random.default_rng(seed)
    n_latents = 3 if likelihood == "softmax" else 1
    train, test = generator.standard_normal((TRAIN, FEATURES)), generator.standard_normal((TEST, FEATURES))
    gram = kernel(train, train, amplitude) + JITTER * amplitude * np.eye(TRAIN)
    cross = kernel(test, train, amplitude)
    factor = np.linalg.cholesky(gram)
    truth = (factor @ generator.standard_normal((TRAIN, n_latents))).T
    if likelihood == "softmax":
        labels = np.argmax(truth + generator.gumbel(size=truth.shape), axis=0)
    else:
        noise = generator.standard_normal(TRAIN) if likelihood == "probit" else generator.logistic(size=TRAIN)
        labels = (truth[0] + noise > 0.0).astype(int)
    weights = np.linalg.solve(gram, cross.T).T
    variance = np.maximum(amplitude - (weights * cross).sum(1), 0.0)

    def log_density(latents: Floats) -> Floats:
        return log_likelihood(likelihood, labels, latents)

    latents = generator.standard_normal((CHAINS, n_latents, TRAIN)) @ factor.T
    total = 0.0
    for draw in range(WARMUP + DRAWS):
        latents = elliptical_slice(latents, factor, log_density, generator)
        if draw >= WARMUP and draw % THINNING == 0:
            total = total + probabilities(likelihood, latents @ weights.T, variance, generator)
    means = total * THINNING / DRAWS
    return {
        "likelihood": likelihood,
        "amplitude": amplitude,
        "seed": seed,
        "gram": gram.tolist(),
        "cross": cross.tolist(),
        "labels": labels.tolist(),
        "probabilities": np.round(means.mean(0), 7).tolist(),
        "errors": np.round(means.std(0, ddof=1) / np.sqrt(CHAINS), 7).tolist(),
    }


def main() -> None:
    """Writes classification.json beside this file."""
    kinds = [(likelihood, amplitude) for likelihood in ["probit", "logit", "softmax"] for amplitude in AMPLITUDES]
    cases = [problem(likelihood, amplitude, seed) for seed, (likelihood, amplitude) in enumerate(kinds)]
    out = {
        "made_with": {"python": sys.version.split()[0], "numpy": np.__version__},
        "convention": (
            "gram and cross are kernels among training points (with a little on the diagonal) and from test to "
            "training points; the prior variance is the amplitude everywhere; softmax has one latent function per "
            "class with this kernel. "
            "probabilities[i][c] is the posterior predictive probability of class c at test point i, errors[i][c] its "
            f"Monte Carlo standard error over {CHAINS} chains of {DRAWS} draws after {WARMUP} that are thrown away."
        ),
        "cases": cases,
    }
    Path(__file__).with_name("classification.json").write_text(json.dumps(out) + "\n")


if __name__ == "__main__":
    main()
