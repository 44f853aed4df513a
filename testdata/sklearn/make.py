"""Shuffled k-fold splits and scores of small predictions, by scikit-learn."""

import json
import platform
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import scipy.stats
import sklearn
from sklearn import metrics
from sklearn.model_selection import KFold, StratifiedKFold

HERE = Path(__file__).parent

SPLITS_CONVENTION = {
    "stratified": "StratifiedKFold(folds, shuffle=True, random_state=seed).split(labels)",
    "plain": "KFold(folds, shuffle=True, random_state=seed).split(range(n))",
    "test": "the test indices of each fold, as returned",
    "warned": "whether scikit-learn warned of a class with fewer members than folds",
    "refused": "whether it raised ValueError; there are no folds then",
    "words": "first 32-bit words of numpy.random.RandomState(seed), and its shuffle of 0..n-1",
}
METRICS_CONVENTION = {
    "accuracy": "accuracy_score",
    "macro_f1": "f1_score(average='macro'): the mean over the classes that occur in truth or prediction",
    "nll": "log_loss(labels=range(n_classes))",
    "brier": "mean over items of the sum over classes of (probability - [class is the true one])^2, by NumPy",
    "ece": "15 equal-width bins (low, high] of the top probability; weighted |accuracy - confidence|, by NumPy",
    "mse, mae, r2": "mean_squared_error, mean_absolute_error, r2_score",
    "gaussian_nll": "minus the mean of scipy.stats.norm.logpdf(truth, mean, sqrt(variance))",
    "coverage": "share of truth inside scipy.stats.norm.interval(level, mean, sqrt(variance))",
}
LEVELS = [0.5, 0.9, 0.95]


def label_vectors() -> dict[str, np.ndarray]:
    """Labels by name; random ones are seeded."""
    draw = np.random.default_rng(7)
    return {
        "balanced": np.arange(60) % 2,
        "sorted": np.repeat([0, 1], [30, 70]),
        "high-class-first": np.array([2, 2, 0, 1, 0, 2, 1, 1, 0, 2, 0, 1, 1, 2, 0, 0, 0]),
        "unbalanced": (draw.random(188) < 0.335).astype(int),
        "three": draw.choice(3, 150, p=[0.2, 0.3, 0.5]),
        "six": draw.permutation(np.arange(600) % 6),
        "six-unbalanced": draw.choice(6, 131, p=[0.35, 0.25, 0.2, 0.1, 0.06, 0.04]),
        "gap": draw.choice([1, 4, 9], 50),
        "rare": np.array([0] * 25 + [1] * 3 + [0] * 5 + [2]),
        "all-rare": np.array([0, 1, 2, 0, 1, 2, 0, 1]),
        "one-class": np.zeros(23, int),
    }


def stratified(name: str, labels: np.ndarray, folds: int, seed: int) -> dict[str, Any]:
    """One stratified case: its test folds, or that scikit-learn refused it."""
    splitter = StratifiedKFold(folds, shuffle=True, random_state=seed)
    case = {"name": name, "labels": labels.tolist(), "folds": folds, "seed": seed}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            test = [test.tolist() for _, test in splitter.split(np.zeros(len(labels)), labels)]
        except ValueError:
            return {**case, "warned": False, "refused": True, "test": []}
    return {**case, "warned": bool(caught), "refused": False, "test": test}


def plain(n: int, folds: int, seed: int) -> dict[str, Any]:
    """One plain case."""
    splitter = KFold(folds, shuffle=True, random_state=seed)
    return {"n": n, "folds": folds, "seed": seed, "test": [t.tolist() for _, t in splitter.split(np.zeros(n))]}


def words(seed: int) -> dict[str, Any]:
    """The start of NumPy's legacy stream, past one refill of the state, and one shuffle."""
    state = np.random.RandomState(seed)
    drawn = state.randint(0, 2**32, size=1300, dtype=np.uint32)
    order = np.arange(100)
    np.random.RandomState(seed).shuffle(order)
    return {"seed": seed, "words": drawn[[0, 1, 2, 623, 624, 1299]].tolist(), "shuffled": order.tolist()}


def splits() -> dict[str, Any]:
    """All splits."""
    cases = [(10, 0), (5, 1), (3, 2**32 - 1), (2, 42)]
    return {
        "convention": SPLITS_CONVENTION,
        "generator": [words(seed) for seed in (0, 1, 5489, 2**32 - 1)],
        "stratified": [stratified(n, y, *case) for n, y in label_vectors().items() for case in cases],
        "plain": [plain(n, *case) for n in (10, 23, 101) for case in cases],
    }


def ece(probabilities: np.ndarray, labels: np.ndarray) -> float:
    """Expected calibration error over 15 bins."""
    top, hit = probabilities.max(axis=1), probabilities.argmax(axis=1) == labels
    bins = np.digitize(top, np.linspace(0, 1, 16), right=True)
    return float(sum(abs((hit[bins == b] - top[bins == b]).sum()) for b in np.unique(bins)) / len(labels))


def classified(name: str, labels: np.ndarray, probabilities: np.ndarray) -> dict[str, Any]:
    """One classification case and its scores."""
    classes = probabilities.shape[1]
    predicted = probabilities.argmax(axis=1)
    return {
        "name": name,
        "n_classes": classes,
        "labels": labels.tolist(),
        "probabilities": probabilities.ravel().tolist(),
        "accuracy": metrics.accuracy_score(labels, predicted),
        "macro_f1": metrics.f1_score(labels, predicted, average="macro"),
        "nll": metrics.log_loss(labels, probabilities, labels=range(classes)),
        "brier": float(((probabilities - np.eye(classes)[labels]) ** 2).sum(axis=1).mean()),
        "ece": ece(probabilities, labels),
    }


def regressed(name: str, truth: np.ndarray, mean: np.ndarray, variance: np.ndarray) -> dict[str, Any]:
    """One regression case and its scores."""
    normal = scipy.stats.norm(mean, np.sqrt(variance))
    inside = {level: normal.interval(level) for level in LEVELS}
    return {
        "name": name,
        "truth": truth.tolist(),
        "mean": mean.tolist(),
        "variance": variance.tolist(),
        "mse": metrics.mean_squared_error(truth, mean),
        "mae": metrics.mean_absolute_error(truth, mean),
        "r2": metrics.r2_score(truth, mean),
        "gaussian_nll": float(-normal.logpdf(truth).mean()),
        "coverage": [[a, float(((lo <= truth) & (truth <= hi)).mean())] for a, (lo, hi) in inside.items()],
    }


def scores() -> dict[str, Any]:
    """All scores."""
    draw = np.random.default_rng(11)

    def case(name: str, n: int, classes: int, sharpness: float, used: int) -> dict[str, Any]:
        labels = draw.integers(0, used, n)
        logits = sharpness * (draw.normal(size=(n, classes)) + np.eye(classes)[labels])
        odds = np.exp(logits - logits.max(axis=1, keepdims=True))
        return classified(name, labels, odds / odds.sum(axis=1, keepdims=True))

    def line(name: str, n: int, scale: float, shift: float) -> dict[str, Any]:
        mean, variance = shift + scale * draw.normal(size=n), scale**2 * draw.uniform(0.3, 2.0, n)
        return regressed(name, mean + np.sqrt(variance) * draw.normal(size=n), mean, variance)

    constant = np.full(6, 0.25)
    return {
        "convention": METRICS_CONVENTION,
        "classified": [
            case("two", 50, 2, 1.0, 2),
            case("six", 120, 6, 1.5, 6),
            case("classes-absent", 40, 8, 3.0, 5),
            case("one-item", 1, 3, 1.0, 3),
        ],
        "regressed": [
            line("unit", 60, 1.0, 0.0),
            line("small-far-from-zero", 40, 1e-3, 1e3),
            regressed("constant-truth", constant, constant + np.arange(6) / 10, np.ones(6)),
            regressed("constant-and-exact", constant, constant, np.ones(6)),
        ],
    }


def main() -> None:
    """Write the golden files beside this script."""
    made_with = {
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scikit-learn": sklearn.__version__,
        "scipy": scipy.__version__,
    }
    for name, golden in {"splits.json": splits(), "metrics.json": scores()}.items():
        text = json.dumps({"made_with": made_with, **golden}, separators=(",", ":"), allow_nan=False)
        (HERE / name).write_text(text + "\n")


if __name__ == "__main__":
    main()
