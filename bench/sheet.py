"""What the benches share: running hodgelet, scores as it computes them, tables for the results page."""

import datetime
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import norm

LEVELS = (0.5, 0.9, 0.95)


def run(command: list[str], env: dict[str, str] | None = None) -> dict[str, Any]:
    """Run a program that prints JSON."""
    done = subprocess.run(command, stdout=subprocess.PIPE, check=False, env={**os.environ, **(env or {})})
    if done.returncode != 0:
        raise SystemExit(f"{shlex.join(command)}: exit status {done.returncode}")
    return json.loads(done.stdout)


def commit() -> str | None:
    """The commit of the source tree."""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path(__file__).parent)
    return done.stdout.strip() or None


def sheet(title: str, seconds: float, header: list[str], rows: list[list[str]], notes: list[str]) -> dict[str, Any]:
    """A table as `reproduce page` of hodgelet-lab takes it."""
    now = datetime.datetime.now(datetime.UTC).replace(microsecond=0)
    script = f"bench/{Path(sys.argv[0]).name}"
    return {
        "title": title,
        "command": shlex.join(["python", script, *sys.argv[1:]]),
        "date": now.isoformat().replace("+00:00", "Z"),
        "commit": commit(),
        "seconds": seconds,
        "header": header,
        "rows": rows,
        "notes": notes,
    }


def write(path: Path, content: dict[str, Any]) -> None:
    """Write JSON beside its place and move it there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    staged = path.with_suffix(".tmp")
    staged.write_text(json.dumps(content, indent=1, allow_nan=False) + "\n")
    staged.replace(path)


def table(header: list[str], rows: list[list[str]]) -> str:
    """Columns for people."""
    widths = [max(len(r[i]) for r in [header, *rows]) for i in range(len(header))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(r, widths, strict=True)) for r in [header, *rows]]
    return "\n".join(line.rstrip() for line in lines)


def ece(probabilities: np.ndarray, labels: np.ndarray) -> float:
    """Expected calibration error over 15 bins (low, high] of the top probability."""
    top, hit = probabilities.max(axis=1), probabilities.argmax(axis=1) == labels
    bins = np.digitize(top, np.linspace(0, 1, 16), right=True)
    return float(sum(abs((hit[bins == b] - top[bins == b]).sum()) for b in np.unique(bins)) / len(labels))


def classification(folds: list[tuple[np.ndarray, np.ndarray, np.ndarray]]) -> dict[str, float]:
    """Scores of (probabilities, classes found, labels) of each fold: means over folds, calibration over all items."""
    accuracies = np.array([(found == y).mean() for _, found, y in folds])
    nll = np.mean([-np.log(p[np.arange(len(y)), y]).mean() for p, _, y in folds])
    pooled = np.vstack([p for p, _, _ in folds]), np.concatenate([y for _, _, y in folds])
    return {
        "accuracy": float(accuracies.mean()),
        "accuracy_std": float(accuracies.std()),
        "accuracy_error": float(accuracies.std(ddof=1) / np.sqrt(len(folds))),
        "nll": float(nll),
        "ece": ece(*pooled),
    }


def regression(folds: list[tuple[np.ndarray, np.ndarray, np.ndarray]]) -> dict[str, Any]:
    """Scores of (mean, standard deviation, truth) of each fold: means over folds, coverage over all items."""
    errors = np.array([np.sqrt(((m - y) ** 2).mean()) for m, _, y in folds])
    r2 = np.mean([1 - ((m - y) ** 2).sum() / ((y - y.mean()) ** 2).sum() for m, _, y in folds])
    nll = np.mean([(0.5 * ((y - m) / s) ** 2 + np.log(s) + 0.5 * np.log(2 * np.pi)).mean() for m, s, y in folds])
    z = np.concatenate([np.abs(y - m) / s for m, s, y in folds])
    return {
        "rmse": float(errors.mean()),
        "rmse_std": float(errors.std()),
        "rmse_error": float(errors.std(ddof=1) / np.sqrt(len(folds))),
        "r2": float(r2),
        "nll": float(nll),
        "coverage": {str(level): float((z <= norm.ppf(0.5 + level / 2)).mean()) for level in LEVELS},
    }
