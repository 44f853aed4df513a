"""Regression on the folds of hodgelet: ridge and random forest on the same signals, pooled over each graph."""

import argparse
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import sheet
import tu
from sklearn.ensemble import RandomForestRegressor
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

SETS = ("ESOL", "FreeSolv", "Lipophilicity", "Alkane", "Acyclic")
NAMES = {"hodgelet": "hodgelet", "ridge": "pooled signals, ridge", "forest": "pooled signals, forest"}
TREES = 500
NOTES = [
    "The same folds for all. Ridge (penalty chosen by leave-one-out inside the training part) and random forest see "
    "degree and label histograms and sums and means of attributes. The predictive distribution of the ridge is normal "
    "with the deviation of its five-fold residuals on the training part; that of the forest with the deviation of its "
    "out-of-bag residuals, joined by the spread of its trees about their mean. Coverage is the share of test targets "
    "inside the central interval, over all folds.",
]


def ridge(table: np.ndarray, targets: np.ndarray, train: np.ndarray, test: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation by ridge regression."""
    model = make_pipeline(StandardScaler(), RidgeCV(np.logspace(-3, 4, 15)))
    inner = KFold(min(5, len(train)), shuffle=True, random_state=0)
    residuals = targets[train] - cross_val_predict(model, table[train], targets[train], cv=inner)
    model.fit(table[train], targets[train])
    return model.predict(table[test]), np.full(len(test), residuals.std())


def forest(
    table: np.ndarray, targets: np.ndarray, train: np.ndarray, test: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation by a random forest."""
    model = RandomForestRegressor(TREES, random_state=0, n_jobs=-1, oob_score=True)
    model.fit(table[train], targets[train])
    residuals = targets[train] - model.oob_prediction_
    trees = np.array([tree.predict(table[test]) for tree in model.estimators_])
    # the mean of the trees is known to their spread over the root of their number
    return trees.mean(axis=0), np.sqrt(residuals.var() + trees.var(axis=0) / TREES)


PEERS = {"ridge": ridge, "forest": forest}


def ours(args: argparse.Namespace, name: str, folder: Path) -> dict[str, Any]:
    """Evaluate with hodgelet; leaves splits.json in the folder."""
    command = [args.hodgelet, "evaluate", name, "--folds", str(args.folds), "--seed", str(args.seed)]
    flags = ["--train-on-validation", *args.flags, "--out", str(folder), "--format", "json"]
    threads = ["--threads", str(args.threads)] if args.threads else []
    began = time.perf_counter()
    found = sheet.run([*command, *threads, *flags])
    return {
        "rmse": found["rmse"]["mean"],
        "rmse_std": found["rmse"]["std"],
        "rmse_error": found["rmse"]["standard_error"],
        "r2": found["r2"]["mean"],
        "nll": found["nll"]["mean"],
        "coverage": {str(c["level"]): c["share"] for c in found["coverage"]},
        "fold_seconds": (time.perf_counter() - began) / args.folds,
    }


def compare(args: argparse.Namespace, name: str) -> dict[str, Any]:
    """All models on one dataset."""
    data = tu.load(name, args.data_dir)
    if data.classes is not None:
        raise SystemExit(f"{name}: classes; see bench/peers.py")
    table = tu.pooled(data)
    with tempfile.TemporaryDirectory() as path:
        results = {"hodgelet": ours(args, name, Path(path))}
        splits = sheet.json.loads((Path(path) / "splits.json").read_text())
    for model, predict in PEERS.items():
        began, folds = time.perf_counter(), []
        for split in splits:
            train, test = np.array(split["train"]), np.array(split["test"])
            mean, deviation = predict(table, data.targets, train, test)
            folds.append((mean, deviation, data.targets[test]))
        seconds = (time.perf_counter() - began) / len(splits)
        results[model] = {**sheet.regression(folds), "fold_seconds": seconds}
    for model, scores in results.items():
        print(f"{name}, {NAMES[model]}: RMSE {scores['rmse']:.4f}", file=sys.stderr)
    return {"dataset": name, "graphs": len(data.graphs), "results": results}


def cells(dataset: str, model: str, scores: dict[str, Any]) -> list[str]:
    """One line of the table."""
    return [
        dataset,
        NAMES[model],
        f"{scores['rmse']:.3f} ± {scores['rmse_std']:.3f}",
        f"{scores['rmse_error']:.3f}",
        f"{scores['r2']:.3f}",
        f"{scores['nll']:.3f}",
        *[f"{100 * scores['coverage'][str(level)]:.1f}" for level in sheet.LEVELS],
        f"{scores['fold_seconds']:.2f}",
    ]


def parsed() -> argparse.Namespace:
    """Arguments of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hodgelet", default="target/release/hodgelet", help="the command")
    parser.add_argument("--data-dir", type=Path, help="folder of TU datasets; HODGELET_DATA without")
    parser.add_argument("--sets", nargs="+", default=list(SETS), metavar="NAME")
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--threads", type=int, help="threads of hodgelet")
    parser.add_argument("--out", type=Path, default=Path("results"), help="folder for regression.json")
    parser.add_argument(
        "--flags", nargs=argparse.REMAINDER, default=[], help="further flags of hodgelet evaluate, last"
    )
    args = parser.parse_args()
    args.data_dir = args.data_dir or Path(sheet.os.environ.get("HODGELET_DATA", "."))
    sheet.os.environ["HODGELET_DATA"] = str(args.data_dir)
    return args


def main() -> None:
    """Compare; a table on stdout, JSON in a folder, rewritten after each dataset."""
    args, began, results = parsed(), time.perf_counter(), []
    header = ["dataset", "model", "RMSE", "std. error", "R²", "NLL", "50%", "90%", "95%", "s per fold"]
    rows: list[list[str]] = []
    for name in args.sets:
        results.append(compare(args, name))
        rows += [cells(name, model, scores) for model, scores in results[-1]["results"].items()]
        page = sheet.sheet("Regression", time.perf_counter() - began, header, rows, NOTES)
        sheet.write(args.out / "regression.json", {"sheets": [page], "results": results})
    print(sheet.table(header, rows))


if __name__ == "__main__":
    main()
