"""Noisy point clouds of spheres, tori, Klein bottles, circles and knots: hodgelet beside persistence images of GUDHI.

Both see the same clouds in the same folds. hodgelet takes the Rips complex at one radius, the median distance of a
point to its sixth neighbour over all clouds, which no label enters; GUDHI takes the persistence of the Rips filtration
at all radii, as persistence images of dimensions 0 and 1, and a support vector machine whose settings are chosen inside
each training part.

    .venv/shapes/bin/python bench/shapes.py --hodgelet target/release/hodgelet --out results/shapes.json
"""

import argparse
import json
import tempfile
import time
from pathlib import Path
from typing import Any

import gudhi
import gudhi.representations as representations
import numpy as np
from sheet import run, sheet, table, write
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

SHAPES = ("sphere", "torus", "klein-bottle", "circle", "trefoil")
NEIGHBOUR = 6
PIXELS = 10


def shape(name: str, n: int, rng: np.random.Generator) -> np.ndarray:
    """Points on a shape in four dimensions, without noise, of unit mean square."""
    u, v = rng.uniform(0, 2 * np.pi, (2, n))
    zero = np.zeros(n)
    if name == "sphere":
        points = rng.normal(size=(n, 3))
        points = np.column_stack([points / np.linalg.norm(points, axis=1, keepdims=True), zero])
    elif name == "torus":
        points = np.column_stack([(2 + np.cos(v)) * np.cos(u), (2 + np.cos(v)) * np.sin(u), np.sin(v), zero])
    elif name == "klein-bottle":
        points = np.column_stack(
            [
                (2 + np.cos(v)) * np.cos(u),
                (2 + np.cos(v)) * np.sin(u),
                np.sin(v) * np.cos(u / 2),
                np.sin(v) * np.sin(u / 2),
            ]
        )
    elif name == "circle":
        points = np.column_stack([np.cos(u), np.sin(u), zero, zero])
    else:  # a trefoil knot
        points = np.column_stack([np.sin(u) + 2 * np.sin(2 * u), np.cos(u) - 2 * np.cos(2 * u), -np.sin(3 * u), zero])
    points = points - points.mean(axis=0)
    return points / np.sqrt((points**2).sum(axis=1).mean())


def clouds(args: argparse.Namespace, noise: float) -> tuple[list[np.ndarray], np.ndarray]:
    """Clouds with noise in all four dimensions, turned at random, and their classes in turn."""
    rng = np.random.default_rng([args.seed, round(1000 * noise)])
    found, labels = [], []
    for i in range(args.per_class * len(SHAPES)):
        label = i % len(SHAPES)
        points = shape(SHAPES[label], args.points, rng)
        turn, _ = np.linalg.qr(rng.normal(size=(4, 4)))
        found.append((points + noise * rng.normal(size=points.shape)) @ turn)
        labels.append(label)
    return found, np.array(labels)


def radius(found: list[np.ndarray]) -> float:
    """The median distance of a point to its sixth neighbour."""
    distances = [np.linalg.norm(c[:, None] - c[None], axis=2) for c in found]
    return float(np.median([np.sort(d, axis=1)[:, NEIGHBOUR] for d in distances]))


def images(found: list[np.ndarray]) -> np.ndarray:
    """Persistence images of dimensions 0 and 1, on one grid for all clouds."""
    diagrams: list[list[np.ndarray]] = [[], []]
    for points in found:
        tree = gudhi.RipsComplex(points=points).create_simplex_tree(max_dimension=2)
        tree.compute_persistence()
        for k in (0, 1):
            pairs = tree.persistence_intervals_in_dimension(k).reshape(-1, 2)
            diagrams[k].append(pairs[np.isfinite(pairs[:, 1])])
    blocks = []
    for k in (0, 1):
        deaths = np.concatenate(diagrams[k])
        births, lives = deaths[:, 0], deaths[:, 1] - deaths[:, 0]
        bounds = [births.min(), births.max() + 1e-9, 0.0, lives.max() + 1e-9]
        image = representations.PersistenceImage(
            bandwidth=0.05 * bounds[3],
            weight=lambda pair: pair[1],
            im_range=bounds,
            resolution=[PIXELS, PIXELS],
        )
        blocks.append(image.fit_transform(diagrams[k]))
    return np.hstack(blocks)


def by_images(found: list[np.ndarray], labels: np.ndarray, folds: list[Any], seed: int) -> list[float]:
    """Accuracies of a support vector machine on persistence images."""
    features = images(found)
    grid = {"svc__C": [1, 10, 100, 1000], "svc__gamma": [1e-4, 1e-3, 1e-2, 1e-1]}
    scores = []
    for train, test in folds:
        inner = StratifiedKFold(3, shuffle=True, random_state=seed)
        model = GridSearchCV(make_pipeline(StandardScaler(), SVC()), grid, cv=inner)
        model.fit(features[train], labels[train])
        scores.append(float(model.score(features[test], labels[test])))
    return scores


def by_hodgelet(args: argparse.Namespace, found: list[np.ndarray], labels: np.ndarray, folds: list[Any]) -> list[float]:
    """Accuracies of hodgelet on Rips complexes at one radius."""
    with tempfile.TemporaryDirectory() as folder:
        points, complexes, splits = (str(Path(folder) / name) for name in ("p.jsonl", "c.jsonl", "s.json"))
        lines: list[dict[str, Any]] = [{"hodgelet": 1, "target": "class"}]
        for cloud, label in zip(found, labels, strict=True):
            target = SHAPES[label]
            lines.append({"vertices": len(cloud), "edges": [], "positions": cloud.tolist(), "target": target})
        Path(points).write_text("\n".join(map(json.dumps, lines)) + "\n")
        Path(splits).write_text(json.dumps([{"train": a.tolist(), "test": b.tolist()} for a, b in folds]))
        lift = ["lift", points, "--to", "rips", "--radius", repr(radius(found)), "--dim", "2", "--out", complexes]
        run([args.hodgelet, "-q", *lift, "--format", "json"])
        signals = ["--vertices", "structure", "--edges", "constant", "--blocks", "energies"]
        settings = [*signals, "--hyperparameters", "map", "--splits", splits, "--format", "json"]
        report = run([args.hodgelet, "-q", "evaluate", complexes, *settings])
    return [fold["accuracy"] for fold in report["folds"]]


def main() -> None:
    """Print a table, and write it for the results page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--hodgelet", default="target/release/hodgelet")
    parser.add_argument("--points", type=int, default=100, help="points of a cloud")
    parser.add_argument("--per-class", type=int, default=40, help="clouds of each shape")
    parser.add_argument("--noise", type=float, nargs="+", default=[0.05, 0.1, 0.2], help="standard deviations")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=None, help="file for the results page")
    args = parser.parse_args()
    began = time.monotonic()
    rows = []
    for noise in args.noise:
        found, labels = clouds(args, noise)
        folds = list(StratifiedKFold(5, shuffle=True, random_state=args.seed).split(labels, labels))
        for name, scores in [
            ("hodgelet, Rips at one radius", lambda: by_hodgelet(args, found, labels, folds)),  # noqa: B023
            ("persistence images, SVM", lambda: by_images(found, labels, folds, args.seed)),  # noqa: B023
        ]:
            start = time.monotonic()
            shares = 100 * np.array(scores())
            spread = f"{shares.mean():.1f} ± {shares.std():.1f}"
            rows.append([f"{noise:g}", name, spread, f"{time.monotonic() - start:.0f}"])
    header = ["noise", "model", "accuracy, % (5 folds)", "s in all"]
    print(table(header, rows))
    if args.out is not None:
        note = (
            f"{args.per_class} clouds of {args.points} points of each of {', '.join(SHAPES)}, scaled to unit mean "
            "square, turned at random in four dimensions, with noise in all of them. Clouds and folds are the same."
        )
        title = "Point clouds: hodgelet beside persistence images"
        made = sheet(title, time.monotonic() - began, header, rows, [note])
        write(args.out, {"sheets": [made]})


if __name__ == "__main__":
    main()
