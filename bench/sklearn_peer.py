"""scikit-learn's GaussianProcessClassifier, one-against-rest Laplace, at the size of one ENZYMES problem."""

import argparse
import json
import platform
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import sklearn
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.gaussian_process.kernels import RBF, ConstantKernel
from threadpoolctl import threadpool_limits


def generated(n: int, n_classes: int, n_features: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Standardized features of overlapping normal classes, equally many graphs in each."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % n_classes
    centers = 0.7 * rng.standard_normal((n_classes, n_features))
    features = centers[labels] + rng.standard_normal((n, n_features))
    return (features - features.mean(axis=0)) / features.std(axis=0), labels


def read_table(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Features and labels from a JSON or NPZ file with the fields `features` and `labels`."""
    if path.suffix == ".npz":
        with np.load(path) as stored:
            return stored["features"].astype(float), stored["labels"].astype(np.int64)
    table = json.loads(path.read_text())
    return np.asarray(table["features"], dtype=float), np.asarray(table["labels"], dtype=np.int64)


def write_table(path: Path, features: np.ndarray, labels: np.ndarray) -> None:
    """Write what `read_table` reads, JSON or NPZ by the ending of the name."""
    if path.suffix == ".npz":
        np.savez_compressed(path, features=features, labels=labels)
    else:
        path.write_text(json.dumps({"features": features.tolist(), "labels": labels.tolist()}) + "\n")


def fit(features: np.ndarray, labels: np.ndarray, n_jobs: int) -> dict[str, Any]:
    """Train from variance 1 and lengthscale sqrt(n_features); seconds, evidence, kernels."""
    kernel = ConstantKernel(1.0, (1e-5, 1e5)) * RBF(np.sqrt(features.shape[1]), (1e-5, 1e5))
    model = GaussianProcessClassifier(kernel, n_jobs=n_jobs, copy_X_train=False)
    start = time.perf_counter()
    model.fit(features, labels)
    seconds = time.perf_counter() - start
    members = getattr(model.base_estimator_, "estimators_", [model.base_estimator_])
    return {
        "fit_seconds": seconds,
        "n_jobs": n_jobs,
        "log_evidence_of_each": [float(m.log_marginal_likelihood_value_) for m in members],
        "kernels": [str(m.kernel_) for m in members],
        "training_accuracy": float(model.score(features, labels)),
    }


def parsed() -> argparse.Namespace:
    """Arguments of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", type=Path, nargs="?", help="JSON or NPZ file; seeded normal classes without")
    parser.add_argument("--graphs", type=int, default=540)
    parser.add_argument("--classes", type=int, default=6)
    parser.add_argument("--features", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--export", type=Path, help="write features and labels to this file, and stop")
    parser.add_argument("--jobs", type=int, default=1, help="processes over the classes")
    parser.add_argument("--threads", type=int, help="threads of BLAS; its default without")
    return parser.parse_args()


def main() -> None:
    """Fit once and print JSON."""
    args = parsed()
    drawn = (args.graphs, args.classes, args.features, args.seed)
    features, labels = read_table(args.table) if args.table else generated(*drawn)
    if args.export:
        write_table(args.export, features, labels)
        return
    with threadpool_limits(args.threads):
        result = fit(features, labels, args.jobs)
    print(f"{len(features)} graphs: {result['fit_seconds']:.2f} s", file=sys.stderr)
    versions = {"python": platform.python_version(), "numpy": np.__version__, "scikit-learn": sklearn.__version__}
    shape = {"graphs": len(features), "features": features.shape[1], "classes": len(np.unique(labels))}
    print(json.dumps({"versions": versions, **shape, "threads": args.threads, **result}, indent=1))


if __name__ == "__main__":
    main()
