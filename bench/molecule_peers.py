"""What people would pick for molecules: random forests on ECFP4 and on descriptors, and a Tanimoto Gaussian process."""

from typing import Any

import numpy as np
from molecule_sets import Part
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize_scalar
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression

#: Trees of a forest, and of one that is trained on more than so many entries (molecules times targets).
TREES, FEW_TREES, MANY = 500, 200, 2000
Found = dict[str, list[float]]  # of one task: probabilities `p`, or `mean` and `std`


def forest(table: np.ndarray, part: Part, task: int, seed: int) -> Found:
    """A random forest; the deviation of a number is that of out-of-bag errors."""
    train, test = part.known(part.train, task), part.test
    y = part.targets[train, task]
    trees = TREES if len(part.train) * part.targets.shape[1] <= MANY else FEW_TREES
    if part.numbers:
        model = RandomForestRegressor(trees, max_features=1 / 3, oob_score=True, random_state=seed, n_jobs=1)
        model.fit(table[train], y)
        std = float(np.sqrt(np.mean((model.oob_prediction_ - y) ** 2)))
        return {"mean": model.predict(table[test]).tolist(), "std": [std] * len(test)}
    model = RandomForestClassifier(trees, random_state=seed, n_jobs=1).fit(table[train], y)
    p = model.predict_proba(table[test])[:, 1]
    return {"p": np.clip(p, 0.5 / trees, 1 - 0.5 / trees).tolist()}


def tanimoto(a: sparse.csr_matrix, b: sparse.csr_matrix) -> np.ndarray:
    """Ones in common over ones in either."""
    common = np.asarray((a @ b.T).todense(), float)
    sums = np.asarray(a.sum(axis=1)).ravel()[:, None] + np.asarray(b.sum(axis=1)).ravel()[None, :]
    return common / np.maximum(sums - common, 1.0)


class ExactProcess:
    """Regression with a constant mean, a kernel times an amplitude, and noise: both and the mean by the evidence."""

    def __init__(self, gram: np.ndarray, y: np.ndarray) -> None:
        """Maximize the evidence over the ratio of noise to amplitude; the others follow in closed form."""
        self.y, n = y, len(y)
        ones = np.ones(n)

        def at(log_ratio: float) -> tuple[float, Any, float, float]:
            factor = cho_factor(gram + np.exp(log_ratio) * np.eye(n), lower=True)
            inverse_ones = cho_solve(factor, ones)
            mean = float(inverse_ones @ y / inverse_ones.sum())
            amplitude = float((y - mean) @ cho_solve(factor, y - mean) / n)  # its maximum, in closed form
            evidence = -0.5 * n * np.log(amplitude) - np.log(np.diag(factor[0])).sum()
            return evidence, factor, mean, amplitude

        options = {"xatol": 0.02}
        best = minimize_scalar(lambda r: -at(r)[0], bounds=(-9.0, 5.0), method="bounded", options=options)
        self.ratio = float(np.exp(best.x))
        _, self.factor, self.mean, self.amplitude = at(best.x)

    def predict(self, cross: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and standard deviation of new observations."""
        mean = self.mean + cross @ cho_solve(self.factor, self.y - self.mean)
        explained = (cross.T * cho_solve(self.factor, cross.T)).sum(axis=0)
        return mean, np.sqrt(self.amplitude * np.maximum(1.0 + self.ratio - explained, 1e-9))

    def left_out(self) -> np.ndarray:
        """The mean of each training point when it alone is left out."""
        inverse = cho_solve(self.factor, np.eye(len(self.y)))
        return self.y - (inverse @ (self.y - self.mean)) / np.diag(inverse)


def process(part: Part, task: int) -> Found:
    """A Tanimoto process on ECFP4 counts; classes are regressed on, with a link fitted to left-out means."""
    train, test = part.known(part.train, task), part.test
    counts, y = part.counts(), part.targets[train, task]
    model = ExactProcess(tanimoto(counts[train], counts[train]), y)
    mean, std = model.predict(tanimoto(counts[test], counts[train]))
    if part.numbers:
        return {"mean": mean.tolist(), "std": std.tolist()}
    link = LogisticRegression(C=1e4, max_iter=1000).fit(model.left_out()[:, None], y)
    p = link.predict_proba(mean[:, None])[:, 1]
    return {"p": np.clip(p, 1e-6, 1 - 1e-6).tolist()}
