"""Calibration where test molecules have other scaffolds: nothing is promised there, and this says what happens.

    python bench/scaffold.py --data-dir DATA

Random draws of 60, 100, 150 and 500 molecules of the training part of a fixed scaffold split, as often as it takes to
pool 2,000 predictions of its test part, with the default settings. Prints a line for each set and
size, and JSON with --json.
"""

import argparse
import json
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from hodgelet import HodgeletClassifier, HodgeletRegressor, HodgeletWarning
from molecule_sets import SOURCES, scaffold_rows

SIZES = (60, 100, 150, 500)
LEVELS = (0.5, 0.9, 0.95)
POOLED = 2000


def slope(probability: np.ndarray, positive: np.ndarray) -> float:
    """Slope of the logistic regression of what is on the logits of what was said; 1 where it is calibrated."""
    clipped = np.clip(probability, 1e-12, 1 - 1e-12)
    x = np.stack([np.ones(len(clipped)), np.log(clipped / (1 - clipped))], axis=1)
    beta = np.array([0.0, 1.0])
    for _ in range(50):
        p = 1 / (1 + np.exp(-x @ beta))
        hessian = x.T @ (x * (p * (1 - p))[:, None])
        beta += np.linalg.solve(hessian + 1e-9 * np.eye(2), x.T @ (positive - p))
    return float(beta[1])


def summary(values: list[float]) -> tuple[float, float]:
    """Mean over repeats and its standard error."""
    return float(np.mean(values)), float(np.std(values, ddof=1) / np.sqrt(len(values)))


def numbers(train: list[str], y: np.ndarray, test: list[str], z: np.ndarray, seed: int) -> dict[str, Any]:
    """One repeat on numbers."""
    model = HodgeletRegressor(random_state=seed).fit(train, y)
    found: dict[str, Any] = {"rmse": float(np.sqrt(np.mean((model.predict(test) - z) ** 2)))}
    for level in LEVELS:
        held = model.predict_interval(test, level)
        found[f"{100 * level:.0f}%"] = float(np.mean((held.lower <= z) & (z <= held.upper)))
    return found


def classes(train: list[str], y: np.ndarray, test: list[str], z: np.ndarray, seed: int) -> dict[str, Any]:
    """One repeat on two classes."""
    probability = HodgeletClassifier(random_state=seed).fit(train, y.astype(int)).predict_proba(test)[:, 1]
    said = np.where(z > 0, probability, 1 - probability)
    rate = np.where(z > 0, y.mean(), 1 - y.mean())
    return {
        "NLL": float(-np.log(said).mean()),
        "base rate's NLL": float(-np.log(rate).mean()),
        "probability": probability.tolist(),
        "positive": (z > 0).astype(float).tolist(),
    }


def row(name: str, data: Path, size: int, seed: int) -> dict[str, Any]:
    """All repeats of one size."""
    folder = data / "scaffold" / str(SOURCES[name].scaffold)
    (train, y), (test, z) = scaffold_rows(folder, "train"), scaffold_rows(folder, "test")
    repeat = numbers if SOURCES[name].numbers else classes
    found = []
    for k in range(-(-POOLED // len(test))):
        chosen = np.random.default_rng([seed, size, k]).choice(len(train), size, replace=False)
        found.append(repeat([train[i] for i in chosen], y[chosen, 0], test, z[:, 0], seed + k))
    plain = [key for key in found[0] if key not in ("probability", "positive")]
    out: dict[str, Any] = {key: summary([one[key] for one in found]) for key in plain}
    if "probability" in found[0]:
        pooled = (np.concatenate([one[key] for one in found]) for key in ("probability", "positive"))
        out["slope"] = slope(*pooled)
    return {"set": name, "train": size, "repeats": len(found), "predicted": len(found) * len(test), **out}


def line(row: dict[str, Any]) -> str:
    """One line of the table."""

    def text(key: str, value: Any) -> str:
        if not isinstance(value, tuple):
            return f"{key} {value:.2f}" if isinstance(value, float) else f"{key} {value}"
        mean, error = value
        return f"{key} {100 * mean:.1f} ± {100 * error:.1f}" if "%" in key else f"{key} {mean:.3f} ± {error:.3f}"

    return ", ".join(text(key, value) for key, value in row.items())


def main() -> None:
    """Print a line for each set and size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-dir", type=Path, required=True, help="folder with the folder `scaffold`")
    parser.add_argument("--sets", nargs="+", default=["ESOL", "BACE"], help="sets with a scaffold split and one target")
    parser.add_argument("--sizes", nargs="+", type=int, default=SIZES)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    # Test scaffolds have elements that few training molecules do not have.
    warnings.simplefilter("ignore", HodgeletWarning)
    rows = []
    for name in args.sets:
        for size in args.sizes:
            rows.append(row(name, args.data_dir, size, args.seed))
            print(line(rows[-1]), file=sys.stderr if args.json else sys.stdout, flush=True)
    if args.json:
        print(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
