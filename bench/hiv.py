"""HIV from its file to a model and its test scores, through Python: a random split and a fixed scaffold split."""

import argparse
import csv
import json
import resource
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from hodgelet import HodgeletClassifier, datasets

Split = tuple[np.ndarray, np.ndarray]


def random_split(n: int, seed: int) -> Split:
    """Places of 80% of the graphs, and of the last 10%; the 10% between are left out, as for choices of settings."""
    order = np.random.default_rng(seed).permutation(n)
    return order[: 8 * n // 10], order[9 * n // 10 :]


def scaffold_split(table: Path, folder: Path) -> Split:
    """Places of the molecules of `train.csv` and `test.csv` in the table, whose rows are the graphs in order."""
    with table.open(newline="") as file:
        place = {row["smiles"]: i for i, row in enumerate(csv.DictReader(file))}

    def places(name: str) -> np.ndarray:
        with (folder / name).open(newline="") as file:
            return np.array([place[row["smiles"]] for row in csv.DictReader(file)])

    return places("train.csv"), places("test.csv")


def roc_auc(score: np.ndarray, active: np.ndarray) -> float:
    """Share of pairs of an active and an inactive graph in the right order, ties half."""
    _, inverse, counts = np.unique(score, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    n = int(active.sum())
    return float((ranks[active].sum() - n * (n + 1) / 2) / (n * (len(active) - n)))


def average_precision(score: np.ndarray, active: np.ndarray) -> float:
    """Mean over active graphs of the precision among all that score as high."""
    order = np.argsort(-score, kind="stable")
    last = np.append(np.diff(score[order]) != 0, True)  # of equal scores
    hits, seen = np.cumsum(active[order])[last], np.flatnonzero(last) + 1
    return float((np.diff(hits, prepend=0) * hits / seen).sum() / active.sum())


def nll(probability: np.ndarray, active: np.ndarray) -> float:
    """Mean negative log probability of what is."""
    return float(-np.log(np.where(active, probability, 1 - probability)).mean())


def evaluated(name: str, data: datasets.Dataset, split: Split, params: dict[str, Any]) -> dict[str, Any]:
    """Train on one part, predict the other, and score."""
    train, test = split
    assert data.target is not None
    active = data.target == data.classes[1]
    began = time.perf_counter()
    model = HodgeletClassifier(**params).fit(data.graphs[train], data.target[train])
    fit_seconds = time.perf_counter() - began
    began = time.perf_counter()
    probability = model.predict_proba(data.graphs[test])[:, 1]
    predict_seconds = time.perf_counter() - began
    rate = np.full(len(test), active[train].mean())
    return {
        "split": name,
        "train": len(train),
        "test": len(test),
        "roc_auc": roc_auc(probability, active[test]),
        "average_precision": average_precision(probability, active[test]),
        "nll": nll(probability, active[test]),
        "base_rate_nll": nll(rate, active[test]),
        "fit_seconds": fit_seconds,
        "predict_seconds": predict_seconds,
        "sparse": {k: v for k, v in (model.training_.get("sparse") or {}).items() if k != "inducing"},
    }


def parsed() -> argparse.Namespace:
    """Arguments of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dataset", type=Path, help="HIV.zip, or its folder")
    parser.add_argument("--table", type=Path, help="HIV.csv, whose rows are the graphs in order")
    parser.add_argument("--scaffold", type=Path, help="folder with train.csv and test.csv of a scaffold split")
    parser.add_argument("--seed", type=int, default=0, help="of the random split")
    parser.add_argument("--params", type=json.loads, default={}, help="parameters of the classifier, as JSON")
    return parser.parse_args()


def main() -> None:
    """Print JSON, and one line per split on stderr."""
    args = parsed()
    began = time.perf_counter()
    data = datasets.load(args.dataset)
    read_seconds = time.perf_counter() - began
    splits = {"random": random_split(len(data), args.seed)}
    if args.scaffold and args.table:
        splits["scaffold"] = scaffold_split(args.table, args.scaffold)
    rows = []
    for name, split in splits.items():
        row = evaluated(name, data, split, args.params)
        # From the file to the scores of this split; the peak is that of the process so far.
        row["seconds"] = read_seconds + row["fit_seconds"] + row["predict_seconds"]
        row["peak_memory_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
        rows.append(row)
        line = (
            "{split}: ROC AUC {roc_auc:.4f}, average precision {average_precision:.4f}, NLL {nll:.4f} "
            "(base rate {base_rate_nll:.4f}), {seconds:.1f} s, {peak_memory_mb:.0f} MB"
        )
        print(line.format(**row), file=sys.stderr)
    print(json.dumps({"dataset": data.name, "read_seconds": read_seconds, "splits": rows}, indent=1))


if __name__ == "__main__":
    main()
