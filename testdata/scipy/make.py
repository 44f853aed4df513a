"""Paired tests of two lists of scores, by SciPy."""

import json
import platform
from pathlib import Path
from typing import Any

import numpy as np
import scipy
from scipy import stats

HERE = Path(__file__).parent

CONVENTION = {
    "student": "rows t, degrees, 2 * scipy.stats.t.sf(|t|, degrees)",
    "t": "mean(d) / sqrt((1/n + ratio) * var(d, ddof=1)) with d = second - first",
    "t_p": "2 * scipy.stats.t.sf(|t|, n - 1)",
    "wilcoxon_p": "scipy.stats.wilcoxon(d without zeros): method 'exact' without ties, with ties all sign patterns "
    "(PermutationMethod), beyond 200 differences 'approx' without a continuity correction",
    "sign_p": "scipy.stats.binomtest(number of d > 0, number of d != 0, 0.5)",
}


def wilcoxon(differences: np.ndarray) -> float:
    """Two-sided p of the signed-rank test."""
    moved = differences[differences != 0]
    if len(moved) > 200:
        return float(stats.wilcoxon(moved, method="approx").pvalue)
    if len(np.unique(np.abs(moved))) == len(moved):
        return float(stats.wilcoxon(moved, method="exact").pvalue)
    return float(stats.wilcoxon(moved, method=stats.PermutationMethod(n_resamples=np.inf)).pvalue)


def case(name: str, first: np.ndarray, second: np.ndarray, ratio: float) -> dict[str, Any]:
    """One pair of lists with its tests."""
    differences = second - first
    n = len(differences)
    t = differences.mean() / np.sqrt((1 / n + ratio) * differences.var(ddof=1))
    moved = differences[differences != 0]
    return {
        "name": name,
        "first": first.tolist(),
        "second": second.tolist(),
        "ratio": ratio,
        "t": float(t),
        "t_p": float(2 * stats.t.sf(abs(t), n - 1)),
        "wilcoxon_p": wilcoxon(differences),
        "sign_p": float(stats.binomtest(int((moved > 0).sum()), len(moved), 0.5).pvalue),
    }


def main() -> None:
    """Write the golden file beside this script."""
    draw = np.random.default_rng(5)

    def sixteenths(n: int) -> np.ndarray:
        return draw.integers(8, 17, n) / 16  # exact in binary, so that ties are ties

    golden = {
        "made_with": {
            "python": platform.python_version(),
            "numpy": np.__version__,
            "scipy": scipy.__version__,
        },
        "convention": CONVENTION,
        "student": [
            [t, degrees, float(2 * stats.t.sf(t, degrees))]
            for degrees in (1, 2, 9, 30, 99, 999)
            for t in (0.01, 0.5, 1.96, 5.0, 12.0)
        ],
        "paired": [
            case("ten folds", draw.random(10), draw.random(10) + 0.2, 1 / 9),
            case("ties and zeros", sixteenths(12), sixteenths(12), 1 / 8),
            case("one better", draw.random(7), np.r_[draw.random(6) - 1, 2.0], 0.5),
            case("ten by ten", draw.random(100), draw.random(100) + 0.05, 1 / 9),
            case("many", draw.random(250), draw.random(250) + 0.03, 1 / 9),
        ],
    }
    text = json.dumps(golden, separators=(",", ":"), allow_nan=False)
    (HERE / "paired.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
